//! Constraints that a user adds: g(q, t) = 0 or g(q, t) ≥ 0 with derivatives.

use std::fmt;

use super::law::Law;
use crate::body::Kinematics;
use crate::joint::Jet;
use crate::math::Row;
use crate::math::{DQuat, Pose, Twist};

/// One or more equations between two bodies.
pub trait Constraint: fmt::Debug + Send + Sync {
    /// How many equations; always the same.
    fn count(&self) -> usize {
        1
    }

    /// Whether equation `i` is an equality or an inequality; never a driven one.
    fn law(&self, _i: usize) -> Law {
        Law::Equal
    }

    /// g of equation `i`.
    fn value(&self, i: usize, a: &Pose, b: &Pose, t: f64) -> f64;

    /// The map from twists to ġ, less ∂g/∂t: the gradient with respect to moving and turning each body.
    fn row(&self, i: usize, a: &Pose, b: &Pose, t: f64) -> Row;

    /// ∂g/∂t with the bodies still; zero unless it is given.
    fn slip(&self, _i: usize, _a: &Pose, _b: &Pose, _t: f64) -> f64 {
        0.0
    }

    /// g̈ of bodies that do not accelerate.
    ///
    /// Unless it is given it comes from differences of ġ along the motion, to about nine digits: the drift of the constraint
    /// is then no better, and steps at tight tolerances are short.
    fn drift(&self, i: usize, a: (&Pose, &Twist), b: (&Pose, &Twist), t: f64) -> f64 {
        // Over a time in which no body turns by more than a thousandth, and at most a millisecond.
        let turn = a.1.spin.length().max(b.1.spin.length());
        let h = 1e-3 / turn.max(1.0);
        let rate = |dt: f64| {
            let (p, q) = (moved(a, dt), moved(b, dt));
            let row = self.row(i, &p, &q, t + dt);
            row.apply((a.1.velocity, a.1.spin), (b.1.velocity, b.1.spin)) + self.slip(i, &p, &q, t + dt)
        };
        // Fourth order: (8(f₁ − f₋₁) − (f₂ − f₋₂))/12h.
        (8.0 * (rate(h) - rate(-h)) - (rate(2.0 * h) - rate(-2.0 * h))) / (12.0 * h)
    }
}

fn moved((pose, twist): (&Pose, &Twist), dt: f64) -> Pose {
    Pose {
        position: pose.position + dt * twist.velocity,
        orientation: (DQuat::from_scaled_axis(dt * twist.spin) * pose.orientation).normalize(),
    }
}

/// An equation of a user's constraint at an instant.
pub(in crate::joint) fn evaluate(
    own: &dyn Constraint,
    i: usize,
    a: &Kinematics,
    b: &Kinematics,
    t: f64,
) -> Jet {
    let row = own.row(i, &a.pose, &b.pose, t);
    let rate = row.apply((a.twist.velocity, a.twist.spin), (b.twist.velocity, b.twist.spin));
    let pulled = row.apply((a.acceleration, a.spin_rate), (b.acceleration, b.spin_rate));
    Jet {
        value: own.value(i, &a.pose, &b.pose, t),
        row,
        rate: rate + own.slip(i, &a.pose, &b.pose, t),
        curvature: pulled + own.drift(i, (&a.pose, &a.twist), (&b.pose, &b.twist), t),
    }
}
