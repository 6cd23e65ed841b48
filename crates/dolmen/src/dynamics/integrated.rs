//! The motion of one body along an integrated span.

use super::{Island, layout};
use crate::body::BodyState;
use crate::integrate::Span;
use crate::math::{Aabb, DQuat, DVec3, Pose, Twist, dvec3};
use crate::motion::{Bounds, Motion};
use crate::world::Form;

/// A body of an island, read from a span.
#[derive(Debug, Clone, Copy)]
pub struct Integrated<'a> {
    span: &'a Span,
    offset: usize,
    form: Form,
}

impl<'a> Integrated<'a> {
    /// The `k`-th body of `island`.
    pub fn new(island: &Island, span: &'a Span, k: usize) -> Self {
        Self { span, offset: island.body_offset(k), form: island.form }
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

    /// The smallest length of the quaternion's polynomial, by its part along where it is in the middle; of the first column
    /// for a matrix.
    fn least_length(&self, t_a: f64, t_b: f64) -> f64 {
        let n = self.orientation_parts();
        let middle = |i: usize| self.span.component(self.offset + layout::ORIENTATION + i, 0.5 * (t_a + t_b));
        let norm = (0..n).map(|i| middle(i) * middle(i)).sum::<f64>().sqrt();
        let along = |i: usize| {
            let (lo, hi) = self.span.range(self.offset + layout::ORIENTATION + i, t_a, t_b);
            let direction = middle(i) / norm;
            (lo * direction).min(hi * direction)
        };
        (0..n).map(along).sum::<f64>().max(0.0)
    }

    /// Numbers that carry the orientation, as far as its length goes: a quaternion, or one column.
    fn orientation_parts(&self) -> usize {
        match self.form {
            Form::Quaternion => 4,
            Form::Matrix => 3,
        }
    }
}

impl Motion for Integrated<'_> {
    fn pose(&self, t: f64) -> Pose {
        self.state(t).pose()
    }

    /// The derivative of the pose along the span, so that pose, twist and bounds belong to one curve. It equals P/m and
    /// I⁻¹L of [`Integrated::state`] to the accuracy of dense output.
    fn twist(&self, t: f64) -> Twist {
        let value = |i: usize| self.span.component(self.offset + i, t);
        let rate = |i: usize| self.span.rate(self.offset + i, t);
        let velocity = dvec3(rate(0), rate(1), rate(2));
        let o = layout::ORIENTATION;
        let spin = match self.form {
            Form::Quaternion => {
                // ω = 2 vec(q̇ q*)/|q|²
                let q = DQuat::from_xyzw(value(o + 1), value(o + 2), value(o + 3), value(o));
                let q_rate = DQuat::from_xyzw(rate(o + 1), rate(o + 2), rate(o + 3), rate(o));
                2.0 * (q_rate * q.conjugate()).xyz() / q.length_squared()
            }
            Form::Matrix => {
                // ω = ½ Σ cₖ × ċₖ over the columns of an orthonormal matrix.
                let column = |k: usize, f: &dyn Fn(usize) -> f64| {
                    let i = o + 3 * k;
                    dvec3(f(i), f(i + 1), f(i + 2))
                };
                (0..3).fold(DVec3::ZERO, |sum, k| sum + 0.5 * column(k, &value).cross(column(k, &rate)))
            }
        };
        Twist { velocity, spin }
    }

    /// Of the dense output itself, so that no pose exceeds it: the polynomials' own bounds.
    ///
    /// With p the quaternion's polynomial, |ω| ≤ 2|ṗ|/|p| and |ω̇| ≤ 2|p̈|/|p| + 8|ṗ|²/|p|². For the matrix form the columns
    /// take its place: |ω| ≤ |Ṙ|, |ω̇| ≤ |R̈| + |Ṙ|², over the square of the shortest column.
    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        let mut centre = Aabb::EMPTY;
        for axis in 0..3 {
            let (lo, hi) = self.span.range(self.offset + axis, t_a, t_b);
            (centre.min[axis], centre.max[axis]) = (lo, hi);
        }
        let rate = |i| self.span.rate_range(i, t_a, t_b);
        let second = |i| self.span.second_range(i, t_a, t_b);
        let parts = self.form.momentum_offset() - layout::ORIENTATION;
        let (p1, p2) =
            (self.length(layout::ORIENTATION, parts, rate), self.length(layout::ORIENTATION, parts, second));
        let p = self.least_length(t_a, t_b);
        let (spin, spin_rate) = match self.form {
            Form::Quaternion => (2.0 * p1 / p, 2.0 * p2 / p + 8.0 * p1 * p1 / (p * p)),
            Form::Matrix => (p1 / (p * p), (p2 + p1 * p1) / (p * p)),
        };
        let speed = self.length(0, 3, rate);
        let (mut steady, mut spread) = (DVec3::ZERO, DVec3::ZERO);
        for axis in 0..3 {
            let (lo, hi) = second(self.offset + axis);
            steady[axis] = 0.5 * (lo + hi);
            // Half of the range, and what the middle was rounded by.
            spread[axis] = 0.5 * (hi - lo) + f64::EPSILON * lo.abs().max(hi.abs());
        }
        Bounds { centre, speed, spin, steady, acceleration: spread.length(), spin_rate }
    }
}
