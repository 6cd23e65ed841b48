//! Balls on parabolas: the little that a search for the contact of two needs, side by side in memory.

use super::track::BodyMotion;
use crate::math::DVec3;
use crate::motion::Prescribed;

/// The path of a centre: x + v t + ½ a t², with t from when it began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Path {
    /// When the motion began; zero for what is prescribed.
    start: f64,
    position: DVec3,
    velocity: DVec3,
    pub(super) acceleration: DVec3,
}

impl Path {
    /// Of the centre of a body, if it is a parabola.
    pub(super) fn of(motion: &BodyMotion) -> Option<Self> {
        let still = DVec3::ZERO;
        let (start, position, velocity, acceleration) = match motion {
            BodyMotion::Flight(flight) => {
                let (position, velocity, acceleration) = flight.centre(flight.start());
                (flight.start(), position, velocity, acceleration)
            }
            BodyMotion::Prescribed(Prescribed::Still(pose)) => (0.0, pose.position, still, still),
            BodyMotion::Prescribed(Prescribed::Uniform { start, twist }) => {
                (0.0, start.position, twist.velocity, still)
            }
            _ => return None,
        };
        Some(Self { start, position, velocity, acceleration })
    }

    /// Position and velocity at time `t`.
    pub(super) fn at(&self, t: f64) -> (DVec3, DVec3) {
        let dt = t - self.start;
        let position = self.position + (self.velocity + 0.5 * self.acceleration * dt) * dt;
        (position, self.velocity + self.acceleration * dt)
    }
}

/// A time from which the contact of two is reckoned, whatever it is asked from: when the later of the two motions began.
///
/// So the instant of their contact depends on their motions alone, to the last bit, and not on when or how often it was
/// looked for.
pub(super) fn reckoning(p: &Path, q: &Path) -> f64 {
    p.start.max(q.start)
}

/// A ball and its path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ball {
    pub(super) radius: f64,
    pub(super) path: Path,
}

/// When two balls touch first from `t` on, infinite if never; none where their accelerations differ.
pub(super) fn balls_meet(a: &Ball, b: &Ball, t: f64, slack: f64) -> Option<f64> {
    let (p, q) = (&a.path, &b.path);
    if p.acceleration != q.acceleration {
        return None;
    }
    let meet_from = |from: f64| {
        let ((x_a, v_a), (x_b, v_b)) = (p.at(from), q.at(from));
        from + fall_together(x_a - x_b, v_a - v_b, a.radius + b.radius - slack)
    };
    let root = meet_from(reckoning(p, q).min(t));
    // Only a pair that passed through each other, or was let overlap, has met before.
    Some(if root < t { meet_from(t) } else { root })
}

/// Between which times two bodies on parabolas may be within `reach` of each other, by their centres; none if never. All
/// of time where their accelerations differ, or numbers overflow.
///
/// |r + v s| ≤ R: s = s₀ ± √(R² − |r×v|²/v²)/v about the nearest instant s₀ = −r·v/v². A little is added for rounding.
pub(super) fn near_times(p: &Path, q: &Path, t: f64, reach: f64) -> Option<(f64, f64)> {
    let always = Some((f64::NEG_INFINITY, f64::INFINITY));
    if p.acceleration != q.acceleration {
        return always;
    }
    let ((x_a, v_a), (x_b, v_b)) = (p.at(t), q.at(t));
    let (r, v) = (x_a - x_b, v_a - v_b);
    let speed2 = v.length_squared();
    let rounded = x_a.abs().max(x_b.abs()).max_element() + t.abs() * speed2.sqrt();
    let reach = reach * (1.0 + WIDER) + 64.0 * f64::EPSILON * rounded;
    if speed2 == 0.0 {
        return if r.length() > reach { None } else { always };
    }
    let within2 = reach * reach - r.cross(v).length_squared() / speed2;
    if !within2.is_finite() {
        return always;
    }
    if within2 < 0.0 {
        return None;
    }
    let (nearest, half) = (-r.dot(v) / speed2, (within2 / speed2).sqrt());
    Some((t + (nearest - half), t + (nearest + half)))
}

/// By how much of itself a reach is made larger.
const WIDER: f64 = 1e-6;

/// How long until |r + v t| falls to `radius`, infinite if it never does, for a pair that is no nearer than that but for
/// rounding.
///
/// |r|² − R² + 2 r·v t + v² t² = 0. The discriminant is v² R² − |r×v|²: as that, it does not cancel for a graze.
fn fall_together(r: DVec3, v: DVec3, radius: f64) -> f64 {
    let approach = -r.dot(v);
    // Most pairs of a crowd part: they need no more.
    if approach <= 0.0 {
        return f64::INFINITY;
    }
    let speed2 = v.length_squared();
    let discriminant = speed2 * radius * radius - r.cross(v).length_squared();
    if discriminant <= 0.0 {
        return f64::INFINITY;
    }
    let distance = r.length();
    let apart = (distance - radius) * (distance + radius);
    (apart / (approach + discriminant.sqrt())).max(0.0)
}
