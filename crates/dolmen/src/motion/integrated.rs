//! The motion of one body along an integrated span.

use super::{Bounds, Island, Motion, layout};
use crate::body::{BodyState, Inertia};
use crate::integrate::Span;
use crate::math::{Aabb, Pose, Twist};
use crate::world::{Form, World};

/// A body of an island, read from a span.
#[derive(Debug, Clone, Copy)]
pub struct Integrated<'a> {
    span: &'a Span,
    offset: usize,
    form: Form,
    inertia: &'a Inertia,
}

impl<'a> Integrated<'a> {
    /// The `k`-th body of `island`.
    pub fn new(world: &'a World, island: &Island, span: &'a Span, k: usize) -> Self {
        let inertia = world.body(island.bodies[k]).inertia();
        Self { span, offset: island.body_offset(k), form: island.form, inertia }
    }

    /// The state at time `t`, from the dense output.
    pub fn state(&self, t: f64) -> BodyState {
        let mut block = [0.0; 18];
        let size = self.form.body_size();
        for (i, value) in block[..size].iter_mut().enumerate() {
            *value = self.span.component(self.offset + i, t);
        }
        layout::unpack(self.form, &block[..size])
    }

    /// A bound of the length of `n` components that start at `first`, from the bounds of each.
    fn length(&self, first: usize, n: usize, range: impl Fn(usize) -> (f64, f64)) -> f64 {
        let square = |i: usize| {
            let (lo, hi) = range(self.offset + first + i);
            let most = lo.abs().max(hi.abs());
            most * most
        };
        (0..n).map(square).sum::<f64>().sqrt()
    }

    /// The largest |ω| and |q| factors of the orientation's polynomial: |ω| ≤ 2|q̇|/|q|, or |Ṙ column| / |R column|.
    fn spin_bound(&self, t_a: f64, t_b: f64) -> f64 {
        let range = |i| self.span.range(i, t_a, t_b);
        let rate = |i| self.span.rate_range(i, t_a, t_b);
        let least = |first: usize, n: usize| {
            let square = |i: usize| {
                let (lo, hi) = range(self.offset + first + i);
                if lo <= 0.0 && hi >= 0.0 { 0.0 } else { lo.abs().min(hi.abs()) }
            };
            (0..n).map(square).map(|c| c * c).sum::<f64>().sqrt()
        };
        match self.form {
            Form::Quaternion => {
                2.0 * self.length(layout::ORIENTATION, 4, rate) / least(layout::ORIENTATION, 4)
            }
            // |Ṙ|² = 2|ω|² for an orthonormal R, in the norm that sums the squares of all nine.
            Form::Matrix => self.length(layout::ORIENTATION, 9, rate) / least(layout::ORIENTATION, 3),
        }
    }
}

impl Motion for Integrated<'_> {
    fn pose(&self, t: f64) -> Pose {
        self.state(t).pose()
    }

    fn twist(&self, t: f64) -> Twist {
        self.state(t).twist(self.inertia)
    }

    /// Of the dense output itself, so that whoever follows the pose is never outrun: the polynomials' own bounds.
    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        let mut centre = Aabb::EMPTY;
        for axis in 0..3 {
            let (lo, hi) = self.span.range(self.offset + axis, t_a, t_b);
            (centre.min[axis], centre.max[axis]) = (lo, hi);
        }
        let rate = |i| self.span.rate_range(i, t_a, t_b);
        let value = |i| self.span.range(i, t_a, t_b);
        let momentum = self.form.momentum_offset();
        let least_moment = self.inertia.moments.min_element();
        let spin = self.spin_bound(t_a, t_b);
        let torque = self.length(momentum + 3, 3, rate);
        let angular_momentum = self.length(momentum + 3, 3, value);
        Bounds {
            centre,
            speed: self.length(0, 3, rate),
            spin,
            acceleration: self.length(momentum, 3, rate) * self.inertia.inv_mass,
            // |ω̇| ≤ (|τ| + |L||ω|)/I_min
            spin_rate: (torque + angular_momentum * spin) / least_moment,
        }
    }
}
