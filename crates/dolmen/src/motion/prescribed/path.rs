//! A path through key frames, cubic in position and quaternion between them, at rest before its first and after its last.
//!
//! Pose and twist are continuous; what else is depends on the [`Interpolation`].

use super::MotionError;
use crate::math::real::acos;
use crate::math::{Aabb, DQuat, DVec3, Pose, Twist, dvec3, monotone_slopes};
use crate::motion::{Bounds, Motion};

/// Components of a key: x, y, z, then the quaternion x, y, z, w.
type Key = [f64; 7];

/// Neighbouring key orientations may be this far apart: beyond it the spline's quaternion may come close to zero.
const LARGEST_TURN_DEG: f64 = 120.0;

/// What a path does between its keys.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Interpolation {
    /// A cubic spline: the acceleration is continuous too, but at both ends. It may overshoot.
    #[default]
    Spline,
    /// Monotone cubics: no component leaves the range of its neighbouring keys, and between equal keys the body is at rest. The
    /// acceleration jumps at the keys.
    Monotone,
    /// Straight lines at constant velocity, with the corners rounded by parabolas over `blend` seconds around each key: the moving
    /// average of the polygon. A body cannot change its velocity at once.
    Linear {
        /// How long a corner takes, s; less than any time between keys.
        blend: f64,
    },
}

/// A smooth path through key frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    times: Vec<f64>,
    keys: Vec<Key>,
    /// Derivatives at the keys, per second.
    slopes: Vec<Key>,
}

impl Path {
    /// Through `poses` at `times`.
    ///
    /// # Errors
    /// Fewer than two keys, lists of different length, times that do not increase, numbers that are not finite, or
    /// neighbouring orientations more than 120° apart.
    pub fn new(times: &[f64], poses: &[Pose]) -> Result<Self, MotionError> {
        Self::interpolated(times, poses, Interpolation::Spline)
    }

    /// Through `poses` at `times`, by a way of choice. A linear path passes by its keys where it turns a corner.
    ///
    /// # Errors
    /// As [`Path::new`], and a blend that is not positive or not less than every time between keys.
    pub fn interpolated(
        times: &[f64],
        poses: &[Pose],
        interpolation: Interpolation,
    ) -> Result<Self, MotionError> {
        if times.len() < 2 {
            return Err(MotionError::TooFew { count: times.len() });
        }
        if poses.len() != times.len() {
            return Err(MotionError::Lengths { times: times.len(), what: "poses", found: poses.len() });
        }
        if !times.iter().all(|t| t.is_finite()) {
            return Err(MotionError::NotFinite { what: "a time of a path" });
        }
        if !poses.iter().all(|p| p.position.is_finite() && p.orientation.is_finite()) {
            return Err(MotionError::NotFinite { what: "a pose of a path" });
        }
        if let Some(i) = (1..times.len()).find(|&i| times[i] <= times[i - 1]) {
            return Err(MotionError::Times { index: i, time: times[i], before: times[i - 1] });
        }
        let keys = aligned_keys(poses)?;
        match interpolation {
            Interpolation::Spline => {
                let slopes = clamped_slopes(times, &keys);
                Ok(Self { times: times.to_vec(), keys, slopes })
            }
            Interpolation::Monotone => {
                let slopes = monotone_keys(times, &keys);
                Ok(Self { times: times.to_vec(), keys, slopes })
            }
            Interpolation::Linear { blend } => Self::blended(times, &keys, blend),
        }
    }

    /// Straight lines with parabolas of length `blend` around each key. Both are cubics through their ends and slopes.
    fn blended(times: &[f64], keys: &[Key], blend: f64) -> Result<Self, MotionError> {
        let shortest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        if !(blend > 0.0 && blend < shortest) {
            return Err(MotionError::Blend { blend, shortest });
        }
        let chord = |i: usize| -> Key {
            let h = times[i + 1] - times[i];
            std::array::from_fn(|k| (keys[i + 1][k] - keys[i][k]) / h)
        };
        let mut path = Self { times: Vec::new(), keys: Vec::new(), slopes: Vec::new() };
        for i in 0..times.len() {
            let before = if i > 0 { chord(i - 1) } else { [0.0; 7] };
            let after = if i + 1 < times.len() { chord(i) } else { [0.0; 7] };
            for (slope, half) in [(before, -blend / 2.0), (after, blend / 2.0)] {
                path.times.push(times[i] + half);
                path.keys.push(std::array::from_fn(|k| keys[i][k] + slope[k] * half));
                path.slopes.push(slope);
            }
        }
        Ok(path)
    }

    /// The times of the keys.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// v̇ and ω̇ at time `t`.
    pub fn acceleration(&self, t: f64) -> (DVec3, DVec3) {
        let [value, rate, second] = self.evaluate(t);
        // With q = p/|p|: ω = 2 vec(q̇ q⁻¹) = 2 vec(ṗ p*)/|p|², and ω̇ by the quotient rule.
        let (p, p1, p2) = (quaternion(&value), quaternion(&rate), quaternion(&second));
        let n = p.length_squared();
        let w = 2.0 * vector(p1 * p.conjugate());
        let w1 = 2.0 * vector(p2 * p.conjugate()); // ṗ ṗ* is real and has no vector part
        let n1 = 2.0 * p.dot(p1);
        (position(&second), w1 / n - w * (n1 / (n * n)))
    }

    /// Value, first and second derivative of the spline.
    fn evaluate(&self, t: f64) -> [Key; 3] {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        if t <= first {
            return [self.keys[0], [0.0; 7], [0.0; 7]];
        }
        if t >= last {
            return [self.keys[self.keys.len() - 1], [0.0; 7], [0.0; 7]];
        }
        let i = self.times.partition_point(|key| *key <= t) - 1;
        let h = self.times[i + 1] - self.times[i];
        let s = (t - self.times[i]) / h;
        let mut out = [[0.0; 7]; 3];
        for k in 0..7 {
            let [c0, c1, c2, c3] = self.cubic(i, k);
            out[0][k] = c0 + s * (c1 + s * (c2 + s * c3));
            out[1][k] = (c1 + s * (2.0 * c2 + s * 3.0 * c3)) / h;
            out[2][k] = (2.0 * c2 + s * 6.0 * c3) / (h * h);
        }
        out
    }

    /// Coefficients of component `k` on interval `i` in s = (t − tᵢ)/h.
    fn cubic(&self, i: usize, k: usize) -> [f64; 4] {
        let h = self.times[i + 1] - self.times[i];
        let (p, q) = (self.keys[i][k], self.keys[i + 1][k]);
        let (m, n) = (self.slopes[i][k] * h, self.slopes[i + 1][k] * h);
        [p, m, 3.0 * (q - p) - 2.0 * m - n, 2.0 * (p - q) + m + n]
    }
}

/// Positions and quaternions, each quaternion on the side of the one before it.
fn aligned_keys(poses: &[Pose]) -> Result<Vec<Key>, MotionError> {
    let mut keys: Vec<Key> = Vec::with_capacity(poses.len());
    let mut before = poses[0].orientation.normalize();
    for (i, pose) in poses.iter().enumerate() {
        let mut q = pose.orientation.normalize();
        if q.dot(before) < 0.0 {
            q = -q;
        }
        let angle_deg = 2.0 * acos(q.dot(before).clamp(-1.0, 1.0)).to_degrees();
        if angle_deg > LARGEST_TURN_DEG {
            return Err(MotionError::Turn { index: i - 1, angle_deg });
        }
        let x = pose.position;
        keys.push([x.x, x.y, x.z, q.x, q.y, q.z, q.w]);
        before = q;
    }
    Ok(keys)
}

/// Slopes that make the second derivative continuous, zero at both ends: the tridiagonal system
/// m₋/h₋ + 2m(1/h₋ + 1/h₊) + m₊/h₊ = 3((y − y₋)/h₋² + (y₊ − y)/h₊²), by elimination.
fn clamped_slopes(times: &[f64], keys: &[Key]) -> Vec<Key> {
    let n = times.len();
    let mut slopes = vec![[0.0; 7]; n];
    let mut upper = vec![0.0; n];
    for i in 1..n - 1 {
        let (h0, h1) = (times[i] - times[i - 1], times[i + 1] - times[i]);
        let pivot = 2.0 * (1.0 / h0 + 1.0 / h1) - upper[i - 1] / h0;
        upper[i] = 1.0 / (h1 * pivot);
        for k in 0..7 {
            let jump =
                3.0 * ((keys[i][k] - keys[i - 1][k]) / (h0 * h0) + (keys[i + 1][k] - keys[i][k]) / (h1 * h1));
            slopes[i][k] = (jump - slopes[i - 1][k] / h0) / pivot;
        }
    }
    for i in (1..n - 1).rev() {
        for k in 0..7 {
            slopes[i][k] -= upper[i] * slopes[i + 1][k];
        }
    }
    slopes
}

/// Slopes that keep every component between its neighbouring keys.
fn monotone_keys(times: &[f64], keys: &[Key]) -> Vec<Key> {
    let mut slopes = vec![[0.0; 7]; keys.len()];
    for k in 0..7 {
        let values: Vec<f64> = keys.iter().map(|key| key[k]).collect();
        for (slope, found) in slopes.iter_mut().zip(monotone_slopes(times, &values)) {
            slope[k] = found;
        }
    }
    slopes
}

fn position(key: &Key) -> DVec3 {
    dvec3(key[0], key[1], key[2])
}

fn quaternion(key: &Key) -> DQuat {
    DQuat::from_xyzw(key[3], key[4], key[5], key[6])
}

fn vector(q: DQuat) -> DVec3 {
    dvec3(q.x, q.y, q.z)
}

impl Motion for Path {
    fn pose(&self, t: f64) -> Pose {
        let [value, ..] = self.evaluate(t);
        Pose { position: position(&value), orientation: quaternion(&value).normalize() }
    }

    fn twist(&self, t: f64) -> Twist {
        let [value, rate, _] = self.evaluate(t);
        let p = quaternion(&value);
        let spin = 2.0 * vector(quaternion(&rate) * p.conjugate()) / p.length_squared();
        Twist { velocity: position(&rate), spin }
    }

    /// From the Bernstein coefficients of the cubics on every interval that is touched: a polynomial stays within the
    /// hull of its coefficients.
    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        let centre = Aabb::point(self.pose(t_a).position).join(&Aabb::point(self.pose(t_b).position));
        let mut bounds = Bounds::at_rest(centre);
        let (lo, hi) = (t_a.min(t_b), t_a.max(t_b));
        for i in 0..self.times.len() - 1 {
            if self.times[i + 1] >= lo && self.times[i] <= hi {
                self.join_interval(i, &mut bounds);
            }
        }
        // A short time cannot use the whole way between two keys; rounding adds its part.
        let near = Aabb::point(self.pose(t_a).position).grown(bounds.speed * (hi - lo));
        let whole = bounds.centre;
        bounds.centre = Aabb { min: whole.min.max(near.min), max: whole.max.min(near.max) };
        bounds.centre =
            bounds.centre.grown(8.0 * f64::EPSILON * whole.min.abs().max(whole.max.abs()).max_element());
        bounds
    }
}

impl Path {
    fn join_interval(&self, i: usize, bounds: &mut Bounds) {
        let h = self.times[i + 1] - self.times[i];
        let (mut value, mut rate, mut second) = ([[0.0; 7]; 4], [[0.0; 7]; 3], [[0.0; 7]; 2]);
        for k in 0..7 {
            let [c0, c1, c2, c3] = self.cubic(i, k);
            for (j, b) in
                [c0, c0 + c1 / 3.0, c0 + (2.0 * c1 + c2) / 3.0, c0 + c1 + c2 + c3].iter().enumerate()
            {
                value[j][k] = *b;
            }
            for (j, b) in [c1, c1 + c2, c1 + 2.0 * c2 + 3.0 * c3].iter().enumerate() {
                rate[j][k] = b / h;
            }
            for (j, b) in [2.0 * c2, 2.0 * c2 + 6.0 * c3].iter().enumerate() {
                second[j][k] = b / (h * h);
            }
        }
        for key in &value {
            bounds.centre = bounds.centre.join(&Aabb::point(position(key)));
        }
        let largest = |keys: &[Key], part: &dyn Fn(&Key) -> f64| keys.iter().map(part).fold(0.0, f64::max);
        bounds.speed = bounds.speed.max(largest(&rate, &|k| position(k).length()));
        bounds.acceleration = bounds.acceleration.max(largest(&second, &|k| position(k).length()));
        // |ω| ≤ 2|ṗ|/|p| and |ω̇| ≤ 2|p̈|/|p| + 8|ṗ|²/|p|²; |p| is at least its part along the middle of the interval.
        let middle = (quaternion(&value[0]) + quaternion(&value[3])).normalize();
        let p = value.iter().map(|k| quaternion(k).dot(middle)).fold(f64::INFINITY, f64::min);
        let p1 = largest(&rate, &|k| quaternion(k).length());
        let p2 = largest(&second, &|k| quaternion(k).length());
        let (spin, spin_rate) = if p > 0.0 {
            (2.0 * p1 / p, 2.0 * p2 / p + 8.0 * p1 * p1 / (p * p))
        } else {
            (f64::INFINITY, f64::INFINITY)
        };
        bounds.spin = bounds.spin.max(spin);
        bounds.spin_rate = bounds.spin_rate.max(spin_rate);
    }
}
