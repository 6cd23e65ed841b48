//! Dolmen: rigid bodies in contact, exactly.

// -- things --
pub mod body;
pub mod mass;
pub mod math;
pub mod shape;
// -- one step, in this order --
pub mod motion;
