//! The quick answer: bounds of the same polynomials in rounded arithmetic, certain or none.
//!
//! Every number is an interval rounded outwards. A polynomial over a part of the step lies within its Bernstein
//! coefficients there; halving the part sharpens them.

use super::{Moving, Primitive};
use crate::math::DVec3;
use std::ops::{Add, Mul, Sub};

/// What rounded arithmetic can say.
pub(super) enum Verdict {
    /// Certainly no meeting.
    Miss,
    /// Certainly a meeting inside of both figures at the only root of the volume between n / 2^k and (n + 1) / 2^k, and
    /// none before.
    Hit { n: u64, k: u32 },
    /// Too close to call.
    Unsure,
}

/// How often a part of the step is halved before the exact answer is cheaper.
const DEEPEST: u32 = 20;

/// Whether the boxes around the whole paths of the two figures are apart; exact, since it only compares.
pub(super) fn boxes_apart(primitive: Primitive, points: &[Moving; 4]) -> bool {
    let split = if primitive == Primitive::VertexFace { 1 } else { 2 };
    let bounds = |points: &[Moving]| {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in points {
            low = low.min(p.start).min(p.end);
            high = high.max(p.start).max(p.end);
        }
        (low, high)
    };
    let ((low_a, high_a), (low_b, high_b)) = (bounds(&points[..split]), bounds(&points[split..]));
    (high_a.cmplt(low_b) | high_b.cmplt(low_a)).any()
}

/// Tests ever smaller parts of the step, the earliest first.
pub(super) fn decide(primitive: Primitive, points: &[Moving; 4]) -> Verdict {
    let volume = volume(points);
    if same_sign(&volume) != 0 {
        return Verdict::Miss;
    }
    let mut open = vec![(Cell::new(primitive, points, volume), 0_u64, 0_u32)];
    while let Some((cell, n, k)) = open.pop() {
        if cell.excludes() {
            continue;
        }
        if cell.proves() {
            return Verdict::Hit { n, k };
        }
        if k == DEEPEST {
            return Verdict::Unsure;
        }
        let [early, late] = cell.halves();
        open.push((late, 2 * n + 1, k + 1));
        open.push((early, 2 * n, k + 1));
    }
    Verdict::Miss
}

/// Bernstein coefficients over a part of the step.
#[derive(Clone)]
struct Cell {
    /// Of the volume of the four points.
    volume: [Interval; 4],
    /// Of the turns, by axis; the last is that of the third again for a vertex and a face, which have three.
    turns: [[[Interval; 3]; 4]; 3],
}

/// A difference of two points: its value at the start and at the end of the step.
type Line = [[Interval; 2]; 3];

fn arm(points: &[Moving; 4], from: usize, to: usize) -> Line {
    let (p, q) = (&points[from], &points[to]);
    [0, 1, 2].map(|i| [difference(q.start[i], p.start[i]), difference(q.end[i], p.end[i])])
}

/// Six times the signed volume of the four points.
fn volume(points: &[Moving; 4]) -> [Interval; 4] {
    dot(&cross(&arm(points, 0, 1), &arm(points, 0, 2)), &arm(points, 0, 3))
}

impl Cell {
    fn new(primitive: Primitive, points: &[Moving; 4], volume: [Interval; 4]) -> Self {
        let around = |o: usize, p: usize, q: usize| cross(&arm(points, o, p), &arm(points, o, q));
        let turns = match primitive {
            Primitive::VertexFace => [around(0, 1, 2), around(0, 2, 3), around(0, 3, 1), around(0, 3, 1)],
            Primitive::EdgeEdge => [around(0, 1, 2), around(0, 3, 1), around(2, 0, 3), around(2, 3, 1)],
        };
        Self { volume, turns: [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|i| turns[i][axis])) }
    }

    /// Whether certainly nothing meets in this part.
    fn excludes(&self) -> bool {
        if same_sign(&self.volume) != 0 {
            return true;
        }
        self.turns.iter().any(|turns| {
            let signs = [0, 1, 2, 3].map(|i| same_sign(&turns[i]));
            signs.contains(&1) && signs.contains(&-1)
        })
    }

    /// Whether the volume certainly has one root in this part, and the figures certainly meet there.
    fn proves(&self) -> bool {
        let [a, b, c, d] = self.volume;
        let slope = same_sign(&[b - a, c - b, d - c]);
        if slope == 0 || a.sign() != -slope || d.sign() != slope {
            return false;
        }
        self.turns.iter().any(|turns| {
            let signs = [0, 1, 2, 3].map(|i| same_sign(&turns[i]));
            signs == [1; 4] || signs == [-1; 4]
        })
    }

    fn halves(&self) -> [Self; 2] {
        let (mut early, mut late) = (self.clone(), self.clone());
        halve(&self.volume, &mut early.volume, &mut late.volume);
        for axis in 0..3 {
            for i in 0..4 {
                halve(&self.turns[axis][i], &mut early.turns[axis][i], &mut late.turns[axis][i]);
            }
        }
        [early, late]
    }
}

/// De Casteljau's triangle at ½: its left side and its right side.
fn halve<const N: usize>(whole: &[Interval; N], early: &mut [Interval; N], late: &mut [Interval; N]) {
    let mut row = *whole;
    for i in 0..N {
        early[i] = row[0];
        late[N - 1 - i] = row[N - 1 - i];
        for j in 0..N - 1 - i {
            row[j] = (row[j] + row[j + 1]).halved();
        }
    }
}

/// The sign that all of them certainly have, or 0.
fn same_sign(intervals: &[Interval]) -> i32 {
    let first = intervals[0].sign();
    if intervals.iter().all(|x| x.sign() == first) { first } else { 0 }
}

/// (1 − t) x₀ + t x₁ times (1 − t) y₀ + t y₁.
fn product(x: [Interval; 2], y: [Interval; 2]) -> [Interval; 3] {
    [x[0] * y[0], (x[0] * y[1] + x[1] * y[0]).halved(), x[1] * y[1]]
}

fn cross(a: &Line, b: &Line) -> [[Interval; 3]; 3] {
    let component = |i: usize, j: usize| {
        let (p, q) = (product(a[i], b[j]), product(a[j], b[i]));
        [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
    };
    [component(1, 2), component(2, 0), component(0, 1)]
}

/// Quadratic components times linear ones: with q and x as Bernstein coefficients, q₀x₀, (q₀x₁ + 2 q₁x₀)/3,
/// (2 q₁x₁ + q₂x₀)/3, q₂x₁.
fn dot(quadratic: &[[Interval; 3]; 3], line: &Line) -> [Interval; 4] {
    let third = Interval { low: (1.0_f64 / 3.0).next_down(), high: (1.0_f64 / 3.0).next_up() };
    let two = Interval { low: 2.0, high: 2.0 };
    let term = |i: usize| {
        let (q, x) = (quadratic[i], line[i]);
        let (second, last) = (q[0] * x[1] + two * q[1] * x[0], two * q[1] * x[1] + q[2] * x[0]);
        [q[0] * x[0], second * third, last * third, q[2] * x[1]]
    };
    let (x, y, z) = (term(0), term(1), term(2));
    [0, 1, 2, 3].map(|k| x[k] + y[k] + z[k])
}

/// All numbers from `low` to `high`; with NaN in it, it says nothing of any number.
#[derive(Debug, Clone, Copy)]
struct Interval {
    low: f64,
    high: f64,
}

fn difference(a: f64, b: f64) -> Interval {
    Interval::around(a - b, a - b)
}

impl Interval {
    /// Rounding is to nearest, so the neighbours of a rounded result are on either side of the true one.
    fn around(low: f64, high: f64) -> Self {
        Self { low: low.next_down(), high: high.next_up() }
    }

    /// The sign of all its numbers, or 0 when it may be zero.
    fn sign(self) -> i32 {
        i32::from(self.low > 0.0) - i32::from(self.high < 0.0)
    }

    fn halved(self) -> Self {
        Self::around(0.5 * self.low, 0.5 * self.high)
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::around(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::around(self.low - other.high, self.high - other.low)
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let products =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        if products.iter().any(|p| p.is_nan()) {
            return Self { low: f64::NAN, high: f64::NAN };
        }
        let low = products.iter().fold(f64::INFINITY, |m, p| m.min(*p));
        let high = products.iter().fold(f64::NEG_INFINITY, |m, p| m.max(*p));
        Self::around(low, high)
    }
}
