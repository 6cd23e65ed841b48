//! Steps that went back.

use crate::math::DVec3;
use crate::world::BodyId;

/// A step that went back to a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackStep {
    /// The instant that was found, s.
    pub t: f64,
    /// Between which bodies.
    pub bodies: [BodyId; 2],
    /// Where, m.
    pub point: DVec3,
    /// Unit normal there, from the second to the first.
    pub normal: DVec3,
    /// Parts of the step that were tried.
    pub trials: u32,
}
