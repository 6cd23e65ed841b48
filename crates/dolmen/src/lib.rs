//! Dolmen: rigid bodies in contact, exactly.
#![doc = ""]
// -- things --
pub mod math;
pub mod scene;
