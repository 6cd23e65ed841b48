//! Dolmen: rigid bodies in contact, exactly.

// -- things --
pub mod body;
pub mod math;
// -- one step, in this order --
pub mod motion;
