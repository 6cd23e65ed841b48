//! How one body moves, behind one interface: in closed form, or as prescribed. `dynamics` adds motion along an integrated span.

mod flight;
mod prescribed;
mod torque_free;

pub use flight::{Flight, SetFlight};
pub use prescribed::{Interpolation, MotionError, Path, Prescribed, UserMotion};
pub use torque_free::TorqueFree;

use crate::math::{Aabb, DVec3, Pose, Twist};

/// The motion of one body over an interval of time. The search for contacts reads nothing else of a body's motion.
pub trait Motion {
    /// Position and orientation at time `t`.
    fn pose(&self, t: f64) -> Pose;
    /// Velocity and spin at time `t`.
    fn twist(&self, t: f64) -> Twist;
    /// Both at once: an orientation may cost much.
    fn pose_and_twist(&self, t: f64) -> (Pose, Twist) {
        (self.pose(t), self.twist(t))
    }
    /// What the motion cannot exceed between `t_a` and `t_b`; never too small, and tight enough to be useful.
    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds;
}

/// Bounds of a motion over an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Contains the centre of mass throughout.
    pub centre: Aabb,
    /// Largest |v|, m/s.
    pub speed: f64,
    /// Largest |ω|, rad/s.
    pub spin: f64,
    /// The steady part s of v̇, m/s²: what two bodies have in common of it, gravity for one, does not bring them together.
    pub steady: DVec3,
    /// Largest |v̇ − s|, m/s².
    pub acceleration: f64,
    /// Largest |ω̇|, rad/s².
    pub spin_rate: f64,
}

impl Bounds {
    /// Of a body that stays within a box and does not move: what moves sets the rest.
    pub fn at_rest(centre: Aabb) -> Self {
        Self { centre, speed: 0.0, spin: 0.0, steady: DVec3::ZERO, acceleration: 0.0, spin_rate: 0.0 }
    }
}
