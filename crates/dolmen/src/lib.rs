//! Dolmen: rigid bodies in contact, exactly.

// -- things --
pub mod body;
pub mod mass;
pub mod math;
pub mod scene;
pub mod shape;
pub mod triangle;
pub mod world;
// -- one step, in this order --
pub mod force;
pub mod integrate;
pub mod motion;
pub mod record;
// -- conductors: may use all of the above, and nothing above uses them --
pub mod drive;
