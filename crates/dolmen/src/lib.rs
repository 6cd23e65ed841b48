//! Dolmen: rigid bodies in contact, exactly.
#![doc = ""]
// -- things --
pub mod mass;
pub mod math;
pub mod shape;
