//! The smallest ball around points.

use super::ROUNDING;
use crate::math::{DMat3, DVec3, Pose};
use std::f64::consts::PI;

/// A closed ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Centre, m.
    pub centre: DVec3,
    /// Radius, m; negative for a ball that holds nothing.
    pub radius: f64,
}

/// Passes over the points, at most. Each pass enlarges the ball; a handful is usual, and rounding could make it endless.
const MAX_PASSES: usize = 64;
/// A point is outside when it is further than this from the ball, over its radius.
const OUTSIDE: f64 = 1e-12;

impl Sphere {
    /// Holds nothing.
    pub const EMPTY: Self = Self { centre: DVec3::ZERO, radius: -1.0 };

    /// The smallest ball around points, to about 1e-12 of its radius; it holds them all, whatever the rounding.
    ///
    /// Of the points that no ball through at most four others contains, the furthest joins those that define the ball
    /// [Gärtner 1999, pivoting variant of Welzl 1991]. Points that are no numbers are left out; points at infinity give
    /// an infinite radius.
    pub fn around(points: &[DVec3]) -> Self {
        let Some(first) = points.iter().find(|point| !point.is_nan()) else { return Self::EMPTY };
        let mut support = vec![*first];
        let mut ball = Self { centre: *first, radius: 0.0 };
        for _ in 0..MAX_PASSES {
            let Some(furthest) = ball.furthest(points) else { break };
            let distance = furthest.distance(ball.centre);
            if distance <= ball.radius * (1.0 + OUTSIDE) || !distance.is_finite() {
                break;
            }
            let (next, next_support) = ball_of_support(&support, furthest);
            // No progress left: all that follows would be rounding.
            if next.radius <= ball.radius {
                break;
            }
            (ball, support) = (next, next_support);
        }
        let radius = ball.furthest(points).map_or(0.0, |point| point.distance(ball.centre));
        ball.radius = radius * (1.0 + ROUNDING);
        ball
    }

    fn furthest(&self, points: &[DVec3]) -> Option<DVec3> {
        let by_distance = |a: &&DVec3, b: &&DVec3| {
            a.distance_squared(self.centre).total_cmp(&b.distance_squared(self.centre))
        };
        points.iter().filter(|point| !point.is_nan()).max_by(by_distance).copied()
    }

    /// Whether two closed balls have a point in common, or nearly so: touching balls are found whatever the rounding.
    pub fn overlaps(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        let size = self.centre.abs().max(other.centre.abs()).max_element();
        self.radius >= 0.0
            && other.radius >= 0.0
            && self.centre.distance(other.centre) <= reach * (1.0 + ROUNDING) + ROUNDING * size
    }

    /// The ball at another place; a rotation moves its centre only. Larger by the rounding of that.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        let size = self.centre.abs().max(pose.position.abs()).max_element();
        Self { centre: pose.point(self.centre), radius: self.radius + ROUNDING * size }
    }

    /// Its volume, m³.
    pub fn volume(&self) -> f64 {
        let r = self.radius.max(0.0);
        4.0 / 3.0 * PI * r * r * r
    }
}

/// The smallest ball around the support and one point more, which is outside the ball of the support, and the points
/// that define it: of all subsets of at most four points that contain the new one, the smallest ball that holds all.
fn ball_of_support(support: &[DVec3], new: DVec3) -> (Sphere, Vec<DVec3>) {
    let mut best: Option<(Sphere, Vec<DVec3>)> = None;
    for subset in 0..1_u32 << support.len() {
        let mut chosen = vec![new];
        chosen.extend(
            support.iter().enumerate().filter(|(k, _)| subset >> k & 1 == 1).map(|(_, point)| *point),
        );
        let Some(ball) = circumscribed(&chosen) else { continue };
        let slack = ball.radius * OUTSIDE;
        let holds_all = support.iter().all(|point| point.distance(ball.centre) <= ball.radius + slack);
        if holds_all && best.as_ref().is_none_or(|(other, _)| ball.radius < other.radius) {
            best = Some((ball, chosen));
        }
    }
    best.unwrap_or((Sphere { centre: new, radius: 0.0 }, vec![new]))
}

/// The ball with its centre in the plane of up to four points that has all of them on its surface.
///
/// c = p₀ + Σ λₖ qₖ with 2 qⱼ·(c − p₀) = qⱼ² for qₖ = pₖ − p₀. None when the points are not independent.
fn circumscribed(points: &[DVec3]) -> Option<Sphere> {
    let origin = *points.first()?;
    let q: Vec<DVec3> = points[1..].iter().map(|point| *point - origin).collect();
    let squares = |k: usize| 0.5 * q[k].length_squared();
    let arm = match q.len() {
        0 => DVec3::ZERO,
        1 => 0.5 * q[0],
        2 => {
            let normal = q[0].cross(q[1]);
            let numerator = squares(0) * q[1].cross(normal) + squares(1) * normal.cross(q[0]);
            numerator / normal.length_squared()
        }
        3 => {
            let rows = DMat3::from_cols(q[0], q[1], q[2]).transpose();
            rows.inverse() * DVec3::new(squares(0), squares(1), squares(2))
        }
        _ => return None,
    };
    arm.is_finite().then(|| Sphere { centre: origin + arm, radius: arm.length() })
}
