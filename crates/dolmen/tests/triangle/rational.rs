//! Vectors of fractions: the referee's arithmetic, without rounding.

use dolmen::math::{DVec3, dvec3};
use num_rational::Ratio;
use num_traits::{Signed, Zero};

pub(crate) type Fraction = Ratio<i128>;
pub(crate) type Vector = [Fraction; 3];

pub(crate) fn vector(p: [i8; 3]) -> Vector {
    p.map(|x| Fraction::from_integer(i128::from(x)))
}

pub(crate) fn float(p: [i8; 3]) -> DVec3 {
    dvec3(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]))
}

pub(crate) fn rounded(p: Vector) -> DVec3 {
    let number = |x: Fraction| *x.numer() as f64 / *x.denom() as f64;
    dvec3(number(p[0]), number(p[1]), number(p[2]))
}

pub(crate) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn along(a: Vector, b: Vector, s: Fraction) -> Vector {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * s)
}

pub(crate) fn dot(a: Vector, b: Vector) -> Fraction {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn is_zero(a: Vector) -> bool {
    a.iter().all(Zero::is_zero)
}

pub(crate) fn on_segment(p: Vector, q: Vector, r: Vector) -> bool {
    is_zero(cross(minus(q, p), minus(r, p))) && !dot(minus(q, p), minus(r, p)).is_positive()
}
