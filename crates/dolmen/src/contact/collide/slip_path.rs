//! The path of one contact with friction through a collision: its constants, its current point, the end of a piece.

use super::tolerances::CONSTANT_DIRECTION;

/// Mobility of one contact: normal, two tangents.
pub(super) type Mobility = [[f64; 3]; 3];

/// The current point of the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    /// Slip.
    pub(super) slip: [f64; 2],
    /// Impulse so far: normal, two tangents.
    pub(super) impulse: [f64; 3],
    /// Normal velocity.
    pub(super) normal: f64,
    /// Work absorbed in compression, ≥ 0.
    pub(super) taken: f64,
    /// Work returned in restitution, ≥ 0.
    pub(super) given: f64,
    /// Whether it is in restitution.
    pub(super) returning: bool,
}

/// What is constant along the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course {
    pub(super) k: Mobility,
    pub(super) mu: f64,
    /// ε².
    pub(super) returned: f64,
    /// Normal velocity at the start.
    pub(super) normal_start: f64,
    /// Largest speed at the start, the scale of slips.
    pub(super) speed: f64,
}

impl Course {
    /// u_n = u_n⁻ + K_n · r.
    pub(super) fn normal(&self, impulse: &[f64; 3]) -> f64 {
        self.normal_start + self.k[0][0] * impulse[0] + self.k[0][1] * impulse[1] + self.k[0][2] * impulse[2]
    }

    /// K_tn − μ K_tt ŝ, the change of slip by normal impulse, and the size of its terms.
    pub(super) fn drift(&self, s: [f64; 2]) -> ([f64; 2], f64) {
        let k = &self.k;
        let row = |i: usize| {
            let friction = self.mu * (k[i][1] * s[0] + k[i][2] * s[1]);
            (k[i][0] - friction, k[i][0].abs() + friction.abs())
        };
        let (a, b) = (row(1), row(2));
        ([a.0, b.0], a.1 + b.1)
    }

    /// Whether a slip along `direction` keeps it, to rounding.
    pub(super) fn keeps(&self, direction: [f64; 2]) -> bool {
        let (drift, size) = self.drift(direction);
        let turning = drift[1] * direction[0] - drift[0] * direction[1];
        turning.abs() <= CONSTANT_DIRECTION * size
    }

    /// Work still to be returned.
    pub(super) fn work_to_return(&self, path: &Path) -> f64 {
        (self.returned * path.taken - path.given).max(0.0)
    }
}

/// How a piece of the path ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advance {
    /// The collision is over.
    End,
    /// Another piece follows.
    More,
    /// No event ends this piece: K is not positive, or not finite.
    Lost,
}

/// Length of a vector of the tangent plane.
pub(super) fn length(v: [f64; 2]) -> f64 {
    (v[0] * v[0] + v[1] * v[1]).sqrt()
}
