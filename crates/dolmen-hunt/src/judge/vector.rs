//! Vectors, rotations and symmetric moments, as far as the judge needs them.

use std::ops::{Add, Index, Mul, Neg, Sub};

/// Three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[must_use]
pub struct Vector(pub [f64; 3]);

/// Short for [`Vector`].
pub const fn vector(x: f64, y: f64, z: f64) -> Vector {
    Vector([x, y, z])
}

impl Vector {
    /// The origin.
    pub const ZERO: Self = vector(0.0, 0.0, 0.0);
    /// The three axes.
    pub const AXES: [Self; 3] = [vector(1.0, 0.0, 0.0), vector(0.0, 1.0, 0.0), vector(0.0, 0.0, 1.0)];

    /// a·b.
    pub fn dot(self, other: Self) -> f64 {
        self[0] * other[0] + self[1] * other[1] + self[2] * other[2]
    }

    /// a × b.
    pub fn cross(self, other: Self) -> Self {
        let [a, b] = [self.0, other.0];
        vector(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    }

    /// Its length, without overflow.
    pub fn length(self) -> f64 {
        let largest = self.0.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return largest;
        }
        let scaled = self * (1.0 / largest);
        largest * scaled.dot(scaled).sqrt()
    }

    /// Of length 1; of the zero vector the z axis.
    pub fn unit(self) -> Self {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { Self::AXES[2] }
    }

    /// A unit vector across this one.
    pub fn across(self) -> Self {
        let least = (0..3).min_by(|i, j| self[*i].abs().total_cmp(&self[*j].abs())).unwrap_or(0);
        self.cross(Self::AXES[least]).unit()
    }

    /// Component by component.
    pub fn times(self, other: Self) -> Self {
        vector(self[0] * other[0], self[1] * other[1], self[2] * other[2])
    }

    /// Whether all three are numbers.
    pub fn is_finite(self) -> bool {
        self.0.iter().all(|x| x.is_finite())
    }
}

impl Index<usize> for Vector {
    type Output = f64;

    fn index(&self, k: usize) -> &f64 {
        &self.0[k]
    }
}

impl Add for Vector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        vector(self[0] + other[0], self[1] + other[1], self[2] + other[2])
    }
}

impl Sub for Vector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Vector {
    type Output = Self;

    fn neg(self) -> Self {
        self * -1.0
    }
}

impl Mul<f64> for Vector {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        vector(self[0] * factor, self[1] * factor, self[2] * factor)
    }
}

/// A matrix by its columns.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Matrix(pub [Vector; 3]);

impl Matrix {
    /// The unit matrix.
    pub const IDENTITY: Self = Self(Vector::AXES);
    /// All zeros.
    pub const ZERO: Self = Self([Vector::ZERO; 3]);

    /// M v.
    pub fn apply(&self, v: Vector) -> Vector {
        self.0[0] * v[0] + self.0[1] * v[1] + self.0[2] * v[2]
    }

    /// Mᵀ v.
    pub fn apply_transposed(&self, v: Vector) -> Vector {
        vector(self.0[0].dot(v), self.0[1].dot(v), self.0[2].dot(v))
    }

    /// M N.
    pub fn after(&self, other: &Self) -> Self {
        Self(other.0.map(|column| self.apply(column)))
    }

    /// M + N.
    pub fn plus(&self, other: &Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1], self.0[2] + other.0[2]])
    }

    /// s M.
    pub fn scaled(&self, factor: f64) -> Self {
        Self(self.0.map(|column| column * factor))
    }

    /// a bᵀ.
    pub fn outer(a: Vector, b: Vector) -> Self {
        Self([a * b[0], a * b[1], a * b[2]])
    }

    /// With these numbers on its diagonal.
    pub fn diagonal(d: Vector) -> Self {
        Self([Vector::AXES[0] * d[0], Vector::AXES[1] * d[1], Vector::AXES[2] * d[2]])
    }

    /// The sum of its diagonal.
    pub fn trace(&self) -> f64 {
        self.0[0][0] + self.0[1][1] + self.0[2][2]
    }

    /// Its transpose.
    pub fn transposed(&self) -> Self {
        let row = |k: usize| vector(self.0[0][k], self.0[1][k], self.0[2][k]);
        Self([row(0), row(1), row(2)])
    }

    /// The rotation of a quaternion w, x, y, z, which is made one of unit length.
    pub fn from_quaternion(q: [f64; 4]) -> Self {
        let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
        let [w, x, y, z] = q.map(|x| x / length);
        let turn = |v: Vector| {
            let u = vector(x, y, z);
            let t = u.cross(v) * 2.0;
            v + t * w + u.cross(t)
        };
        Self(Vector::AXES.map(turn))
    }

    /// By the right hand about an axis of any length, rad.
    pub fn from_axis(axis: Vector, angle: f64) -> Self {
        let (half, axis) = (0.5 * angle, axis.unit());
        let v = axis * libm::sin(half);
        Self::from_quaternion([libm::cos(half), v[0], v[1], v[2]])
    }
}

/// Where something is: x ↦ position + R x.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Pose {
    /// Of the origin of the frame.
    pub position: Vector,
    /// From the frame to the world.
    pub rotation: Matrix,
}

impl Pose {
    /// The world's frame.
    pub const IDENTITY: Self = Self { position: Vector::ZERO, rotation: Matrix::IDENTITY };

    /// A point of the frame, in the world.
    pub fn place(&self, point: Vector) -> Vector {
        self.position + self.rotation.apply(point)
    }

    /// A point of the world, in the frame.
    pub fn local(&self, point: Vector) -> Vector {
        self.rotation.apply_transposed(point - self.position)
    }

    /// A pose that is given in this frame, in the world.
    pub fn then(&self, inner: &Self) -> Self {
        Self { position: self.place(inner.position), rotation: self.rotation.after(&inner.rotation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter turn about z takes x to y.
    #[test]
    fn rotations_follow_the_right_hand() {
        let turn = Matrix::from_axis(vector(0.0, 0.0, 2.0), std::f64::consts::FRAC_PI_2);
        assert!((turn.apply(Vector::AXES[0]) - Vector::AXES[1]).length() < 1e-15);
        let pose = Pose { position: vector(1.0, 2.0, 3.0), rotation: turn };
        let point = vector(0.3, -0.2, 5.0);
        assert!((pose.local(pose.place(point)) - point).length() < 1e-15);
    }
}
