//! Free flight: a body under uniform gravity alone, in closed form.

use super::{Bounds, Motion, TorqueFree};
use crate::body::{BodyState, Inertia};
use crate::math::{Aabb, DMat3, DVec3, Pose, Twist};
use serde::{Deserialize, Serialize};

/// A parabola with a torque-free rotation: no step, no truncation error, whatever the duration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Flight {
    t0: f64,
    start: BodyState,
    gravity: DVec3,
    mass: f64,
    inv_mass: f64,
    inv_inertia_body: DMat3,
    rotation: TorqueFree,
}

impl Flight {
    /// The flight that passes through `state` at `t0`.
    pub fn new(inertia: &Inertia, state: &BodyState, gravity: DVec3, t0: f64) -> Self {
        let rotation = TorqueFree::new(inertia, state.orientation, state.angular_momentum);
        let Inertia { mass, inv_mass, inv_inertia_body, .. } = *inertia;
        Self { t0, start: *state, gravity, mass, inv_mass, inv_inertia_body, rotation }
    }

    /// Whether it is a flight in this gravity, or in none, from a finite state and time: one that was read from a file need not be.
    pub(crate) fn is_in(&self, gravity: DVec3) -> bool {
        (self.gravity == gravity || self.gravity == DVec3::ZERO)
            && self.t0.is_finite()
            && self.start.is_finite()
    }

    /// Finds anew what follows from its start, for a body with this inertia.
    pub(crate) fn renew(&mut self, inertia: &Inertia) {
        *self = Self::new(inertia, &self.start, self.gravity, self.t0);
    }

    /// The time of the state that it was made from.
    pub fn start(&self) -> f64 {
        self.t0
    }

    /// The largest |ω| at any time.
    pub(crate) fn spin_bound(&self) -> f64 {
        self.rotation.spin_bound()
    }

    /// Position, velocity and (constant) acceleration of the centre of mass at time `t`.
    pub fn centre(&self, t: f64) -> (DVec3, DVec3, DVec3) {
        let dt = t - self.t0;
        let velocity = self.start.momentum * self.inv_mass;
        let position = self.start.position + (velocity + 0.5 * self.gravity * dt) * dt;
        (position, velocity + self.gravity * dt, self.gravity)
    }

    /// The state at time `t`; exactly the given one at `t0`.
    pub fn state(&self, t: f64) -> BodyState {
        let dt = t - self.t0;
        if dt == 0.0 {
            return self.start;
        }
        let velocity = self.start.momentum * self.inv_mass;
        BodyState {
            position: self.start.position + (velocity + 0.5 * self.gravity * dt) * dt,
            orientation: self.rotation.orientation(dt),
            momentum: self.start.momentum + self.mass * self.gravity * dt,
            angular_momentum: self.start.angular_momentum,
        }
    }
}

impl Motion for Flight {
    fn pose(&self, t: f64) -> Pose {
        self.state(t).pose()
    }

    fn twist(&self, t: f64) -> Twist {
        self.pose_and_twist(t).1
    }

    fn pose_and_twist(&self, t: f64) -> (Pose, Twist) {
        let state = self.state(t);
        let r = DMat3::from_quat(state.orientation);
        // ω = R I_body⁻¹ Rᵀ L
        let spin = r * (self.inv_inertia_body * (r.transpose() * state.angular_momentum));
        (state.pose(), Twist { velocity: state.momentum * self.inv_mass, spin })
    }

    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        let (a, b) = (t_a - self.t0, t_b - self.t0);
        let velocity = self.start.momentum * self.inv_mass;
        let at = |dt: f64| self.start.position + (velocity + 0.5 * self.gravity * dt) * dt;
        let mut centre = Aabb::point(at(a)).join(&Aabb::point(at(b)));
        for axis in 0..3 {
            // The vertex of the parabola, if it lies between.
            let vertex = -velocity[axis] / self.gravity[axis];
            if vertex > a.min(b) && vertex < a.max(b) {
                let extreme = at(vertex)[axis];
                centre.min[axis] = centre.min[axis].min(extreme);
                centre.max[axis] = centre.max[axis].max(extreme);
            }
        }
        for axis in 0..3 {
            // For ever: whatever moves along an axis has no bound there.
            if !(a.is_finite() && b.is_finite()) && (velocity[axis] != 0.0 || self.gravity[axis] != 0.0) {
                (centre.min[axis], centre.max[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
            } else if !(a.is_finite() && b.is_finite()) {
                (centre.min[axis], centre.max[axis]) = (self.start.position[axis], self.start.position[axis]);
            }
        }
        // Positions and speeds are rounded a few times on their way.
        let reach =
            centre.min.abs().max(centre.max.abs()).max_element().max(self.start.position.abs().max_element());
        let rounding = 8.0 * f64::EPSILON;
        let centre = centre.grown(rounding * reach);
        // |v|² is a convex parabola in t: largest at an end.
        let speed = |dt: f64| (velocity + self.gravity * dt).length();
        Bounds {
            centre,
            speed: speed(a).max(speed(b)) * (1.0 + rounding),
            spin: self.spin_bound() * (1.0 + rounding),
            steady: self.gravity,
            acceleration: self.gravity.length() * rounding,
            spin_rate: self.rotation.spin_rate_bound() * (1.0 + rounding),
        }
    }
}

/// The parabolas of particles under uniform gravity alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetFlight {
    t0: f64,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    gravity: DVec3,
}

impl SetFlight {
    /// The flight that passes through these positions and velocities at `t0`.
    pub fn new(positions: &[DVec3], velocities: &[DVec3], gravity: DVec3, t0: f64) -> Self {
        Self { t0, positions: positions.to_vec(), velocities: velocities.to_vec(), gravity }
    }

    /// Whether it is of so many particles: one that was read from a file need not be.
    pub(crate) fn fits(&self, count: usize) -> bool {
        [self.positions.len(), self.velocities.len()] == [count; 2]
    }

    /// Positions and velocities at time `t`.
    pub fn read(&self, t: f64, positions: &mut [DVec3], velocities: &mut [DVec3]) {
        let dt = t - self.t0;
        for i in 0..self.positions.len() {
            positions[i] = self.positions[i] + (self.velocities[i] + 0.5 * self.gravity * dt) * dt;
            velocities[i] = self.velocities[i] + self.gravity * dt;
        }
    }
}
