//! Dolmen: rigid bodies in contact, exactly.
#![doc = ""]
// -- things --
pub mod math;
// -- one step, in this order --
pub mod integrate;
