//! Numbers in single and double precision, one at a time and eight at once, and vectors of either.
//!
//! Only the four operations, square roots, comparisons and selections: all exact by IEEE 754, so that one lane of eight has
//! the bits that it has alone, on any processor. Nothing is fused and no reciprocal is estimated.

// Every formula is one instruction or a few: a call would cost more than it does.
#![allow(clippy::inline_always)]

use crate::drive::fixed::tolerances::LANES;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wide::{f32x8, f64x8};

use crate::math::DVec3;

/// What formulas need, of one number or of eight.
pub(in crate::drive::fixed) trait Number:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The nearest to this.
    fn of(x: f64) -> Self;
    /// self > other ? self : other.
    fn larger(self, other: Self) -> Self;
    /// self < other ? self : other.
    fn smaller(self, other: Self) -> Self;
    /// The square root.
    fn root(self) -> Self;
    /// a < b ? then : otherwise, lane by lane.
    fn if_less(a: Self, b: Self, then: Self, otherwise: Self) -> Self;
}

/// One number.
pub(in crate::drive::fixed) trait Real:
    Number + PartialOrd + Default + Serialize + DeserializeOwned
{
    /// Eight of them.
    type Lanes: Lanes<Real = Self>;
    /// In double precision.
    fn wide(self) -> f64;
}

/// Eight numbers.
pub(in crate::drive::fixed) trait Lanes: Number {
    /// One of them.
    type Real: Real<Lanes = Self>;
    /// Lane by lane.
    fn from_lanes(lanes: [Self::Real; LANES]) -> Self;
    /// Lane by lane.
    fn lanes(self) -> [Self::Real; LANES];
    /// Rows become columns.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];
}

macro_rules! real {
    ($real:ty, $lanes:ty) => {
        impl Number for $real {
            #[inline(always)]
            fn of(x: f64) -> Self {
                x as $real
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn if_less(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
                if a < b { then } else { otherwise }
            }
        }

        impl Real for $real {
            type Lanes = $lanes;
            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }
        }

        impl Number for $lanes {
            #[inline(always)]
            fn of(x: f64) -> Self {
                Self::splat(x as $real)
            }
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                other.simd_lt(self).select(self, other)
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                self.simd_lt(other).select(self, other)
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn if_less(a: Self, b: Self, then: Self, otherwise: Self) -> Self {
                a.simd_lt(b).select(then, otherwise)
            }
        }

        impl Lanes for $lanes {
            type Real = $real;
            #[inline(always)]
            fn from_lanes(lanes: [$real; LANES]) -> Self {
                Self::new(lanes)
            }
            #[inline(always)]
            fn lanes(self) -> [$real; LANES] {
                self.to_array()
            }
            #[inline(always)]
            fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
                Self::transpose(rows)
            }
        }
    };
}

real!(f32, f32x8);
real!(f64, f64x8);

/// A vector of three numbers or of three times eight.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::drive::fixed) struct V3<N> {
    pub(in crate::drive::fixed) x: N,
    pub(in crate::drive::fixed) y: N,
    pub(in crate::drive::fixed) z: N,
}

#[inline(always)]
pub(in crate::drive::fixed) fn v3<N>(x: N, y: N, z: N) -> V3<N> {
    V3 { x, y, z }
}

impl<N: Number> V3<N> {
    #[inline(always)]
    pub(in crate::drive::fixed) fn zero() -> Self {
        v3(N::of(0.0), N::of(0.0), N::of(0.0))
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn of(v: DVec3) -> Self {
        v3(N::of(v.x), N::of(v.y), N::of(v.z))
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn dot(self, o: Self) -> N {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn cross(self, o: Self) -> Self {
        v3(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn squared(self) -> N {
        self.dot(self)
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn length(self) -> N {
        self.squared().root()
    }
}

impl<R: Real> V3<R> {
    #[inline(always)]
    pub(in crate::drive::fixed) fn wide(self) -> DVec3 {
        DVec3::new(self.x.wide(), self.y.wide(), self.z.wide())
    }
    pub(in crate::drive::fixed) fn axis(self, i: usize) -> R {
        match i {
            0 => self.x,
            1 => self.y,
            _ => self.z,
        }
    }
}

impl<N: Number> Add for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        v3(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}
impl<N: Number> Sub for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        v3(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}
impl<N: Number> Neg for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        v3(-self.x, -self.y, -self.z)
    }
}
impl<N: Number> Mul<N> for V3<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, f: N) -> Self {
        v3(self.x * f, self.y * f, self.z * f)
    }
}
impl<N: Number> AddAssign for V3<N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<N: Number> SubAssign for V3<N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

/// A symmetric matrix: xx, yy, zz, xy, xz, yz.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::drive::fixed) struct Sym3<N>(pub(in crate::drive::fixed) [N; 6]);

impl<N: Number> Sym3<N> {
    #[inline(always)]
    pub(in crate::drive::fixed) fn zero() -> Self {
        Self([N::of(0.0); 6])
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn apply(&self, v: V3<N>) -> V3<N> {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        v3(xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z)
    }
}

/// A unit quaternion: x, y, z, w.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::drive::fixed) struct Quat<R> {
    pub(in crate::drive::fixed) v: V3<R>,
    pub(in crate::drive::fixed) w: R,
}

impl<R: Real> Quat<R> {
    pub(in crate::drive::fixed) fn of(q: crate::math::DQuat) -> Self {
        Self { v: v3(R::of(q.x), R::of(q.y), R::of(q.z)), w: R::of(q.w) }
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn rotate(self, a: V3<R>) -> V3<R> {
        let t = self.v.cross(a) * R::of(2.0);
        a + t * self.w + self.v.cross(t)
    }
    #[inline(always)]
    pub(in crate::drive::fixed) fn unrotate(self, a: V3<R>) -> V3<R> {
        let t = a.cross(self.v) * R::of(2.0);
        a + t * self.w + t.cross(self.v)
    }
    /// Turned by the small rotation vector θ, and of unit length again: q + ½ θ q.
    #[inline(always)]
    pub(in crate::drive::fixed) fn turned(self, theta: V3<R>) -> Self {
        let half = theta * R::of(0.5);
        let v = self.v + half * self.w + half.cross(self.v);
        let w = self.w - half.dot(self.v);
        let f = R::of(1.0) / (v.squared() + w * w).root();
        Self { v: v * f, w: w * f }
    }
    /// The columns of its rotation matrix.
    #[inline(always)]
    pub(in crate::drive::fixed) fn columns(self) -> [V3<R>; 3] {
        let (one, two) = (R::of(1.0), R::of(2.0));
        let (x, y, z, w) = (self.v.x, self.v.y, self.v.z, self.w);
        [
            v3(one - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)),
            v3(two * (x * y - w * z), one - two * (x * x + z * z), two * (y * z + w * x)),
            v3(two * (x * z + w * y), two * (y * z - w * x), one - two * (x * x + y * y)),
        ]
    }
}

/// R S Rᵀ of the columns of R.
pub(in crate::drive::fixed) fn rotated<R: Real>(columns: &[V3<R>; 3], s: &Sym3<R>) -> Sym3<R> {
    let [c0, c1, c2] = *columns;
    let row = |x: V3<R>| s.apply(x);
    // Rᵀ has the rows c0, c1, c2; the entries of R S Rᵀ are e_iᵀ R S Rᵀ e_j.
    let r = [v3(c0.x, c1.x, c2.x), v3(c0.y, c1.y, c2.y), v3(c0.z, c1.z, c2.z)];
    let (sx, sy, sz) = (row(r[0]), row(r[1]), row(r[2]));
    Sym3([r[0].dot(sx), r[1].dot(sy), r[2].dot(sz), r[0].dot(sy), r[0].dot(sz), r[1].dot(sz)])
}
