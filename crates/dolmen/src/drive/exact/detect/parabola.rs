//! Balls on parabolas: the few numbers that a search for their contact needs, contiguous in memory.

use crate::drive::exact::detect::tolerances::REACH_MARGIN;
use crate::drive::exact::island::track::BodyMotion;
use crate::math::DVec3;
use crate::motion::Prescribed;
use serde::{Deserialize, Serialize};

/// The path of a centre: x + v t + ½ a t², with t counted from its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Path {
    /// When the motion began; zero for a prescribed one.
    start: f64,
    position: DVec3,
    velocity: DVec3,
    pub(crate) acceleration: DVec3,
}

impl Path {
    /// The path of the centre of a body, if it is a parabola.
    pub(crate) fn of(motion: &BodyMotion) -> Option<Self> {
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
    pub(crate) fn at(&self, t: f64) -> (DVec3, DVec3) {
        let dt = t - self.start;
        let position = self.position + (self.velocity + 0.5 * self.acceleration * dt) * dt;
        (position, self.velocity + self.acceleration * dt)
    }
}

/// The reference time from which the contact of two bodies is computed: when the later of the two motions began.
///
/// So the instant of contact depends on the motions alone, to the last bit, and not on when or how often it is
/// searched.
pub(crate) fn reference_time(p: &Path, q: &Path) -> f64 {
    p.start.max(q.start)
}

/// A ball and its path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ball {
    pub(crate) radius: f64,
    pub(crate) path: Path,
}

/// A ball and its path, cached as long as its fat AABB is valid. It fits one cache line: with many bodies, memory
/// access dominates the cost. Only gravity, or nothing, accelerates it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct CachedBall {
    /// With a minus sign (−0 for a point) for a ball without gravity; NaN where there is no ball on a parabola.
    radius: f64,
    start: f64,
    position: DVec3,
    velocity: DVec3,
}

impl CachedBall {
    pub(crate) const NONE: Self =
        Self { radius: f64::NAN, start: 0.0, position: DVec3::ZERO, velocity: DVec3::ZERO };

    /// `NONE` where anything but gravity accelerates it.
    pub(crate) fn new(ball: &Ball, gravity: DVec3) -> Self {
        let Path { start, position, velocity, acceleration } = ball.path;
        let kept = Self { radius: ball.radius, start, position, velocity };
        if acceleration == DVec3::ZERO {
            Self { radius: -ball.radius, ..kept }
        } else if acceleration == gravity {
            kept
        } else {
            Self::NONE
        }
    }

    /// The cached ball, if there is one.
    #[inline]
    pub(crate) fn ball(&self, gravity: DVec3) -> Option<Ball> {
        let &Self { radius, start, position, velocity } = self;
        let acceleration = if radius.is_sign_negative() { DVec3::ZERO } else { gravity };
        let path = Path { start, position, velocity, acceleration };
        (!radius.is_nan()).then_some(Ball { radius: radius.abs(), path })
    }
}

/// When two balls first touch from `t` on: infinite if never, none where their accelerations differ.
pub(crate) fn balls_meet(a: &Ball, b: &Ball, t: f64, slack: f64) -> Option<f64> {
    let (p, q) = (&a.path, &b.path);
    if p.acceleration != q.acceleration {
        return None;
    }
    let meet_from = |from: f64| {
        let ((x_a, v_a), (x_b, v_b)) = (p.at(from), q.at(from));
        from + time_to_contact(x_a - x_b, v_a - v_b, a.radius + b.radius - slack)
    };
    let root = meet_from(reference_time(p, q).min(t));
    // Only a pair that passed through each other, or was allowed to overlap, has met before.
    Some(if root < t { meet_from(t) } else { root })
}

/// The interval in which the centres of two bodies on parabolas are within `reach` of each other; none if never. All of
/// time where their accelerations differ, or numbers overflow.
///
/// |r + v s| ≤ R: s = s₀ ± √(R² − |r×v|²/v²)/v about the nearest instant s₀ = −r·v/v². `REACH_MARGIN` covers rounding.
pub(crate) fn near_times(p: &Path, q: &Path, t: f64, reach: f64) -> Option<(f64, f64)> {
    let always = Some((f64::NEG_INFINITY, f64::INFINITY));
    if p.acceleration != q.acceleration {
        return always;
    }
    let ((x_a, v_a), (x_b, v_b)) = (p.at(t), q.at(t));
    let (r, v) = (x_a - x_b, v_a - v_b);
    let speed2 = v.length_squared();
    let rounded = x_a.abs().max(x_b.abs()).max_element() + t.abs() * speed2.sqrt();
    let reach = reach * (1.0 + REACH_MARGIN) + 64.0 * f64::EPSILON * rounded;
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

/// The time until |r + v t| falls to `radius`, infinite if it never does; the pair is no nearer than that, except by
/// rounding.
///
/// |r|² − R² + 2 r·v t + v² t² = 0. The discriminant is written v² R² − |r×v|², which does not cancel for a grazing
/// contact.
fn time_to_contact(r: DVec3, v: DVec3, radius: f64) -> f64 {
    let approach = -r.dot(v);
    // Most pairs of a pile separate: they need no more.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The cache returns a ball that only gravity, or nothing, accelerates as it was, and none for any other ball.
    #[test]
    fn a_cached_ball_is_returned_unchanged() {
        let gravity = DVec3::new(0.0, 0.1, -9.81);
        let ball = |acceleration: DVec3| {
            let (position, velocity) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.0, 5.0, 0.25));
            Ball { radius: 0.5, path: Path { start: 0.75, position, velocity, acceleration } }
        };
        let point = |ball: Ball| Ball { radius: 0.0, ..ball };
        for gravity in [gravity, DVec3::ZERO] {
            for ball in [ball(gravity), ball(DVec3::ZERO), point(ball(gravity)), point(ball(DVec3::ZERO))] {
                assert_eq!(CachedBall::new(&ball, gravity).ball(gravity), Some(ball), "under {gravity}");
            }
            assert_eq!(CachedBall::new(&ball(DVec3::X), gravity).ball(gravity), None, "under {gravity}");
            assert_eq!(CachedBall::NONE.ball(gravity), None);
        }
        assert_eq!(size_of::<CachedBall>(), 64);
    }

    /// Outside of the interval two bodies are never within reach, sampled at many times. Where there is an interval
    /// they come within reach.
    #[test]
    fn bodies_are_within_reach_only_inside_the_interval() {
        let mut random = 5_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let acceleration = DVec3::new(0.0, 0.0, -9.81);
        let mut met = 0;
        for case in 0..1000 {
            let mut path = |size: f64| Path {
                start: next(),
                position: DVec3::new(next(), next(), next()) * size,
                velocity: DVec3::new(next(), next(), next()) * 4.0,
                acceleration,
            };
            let (p, q) = (path(4.0), path(4.0));
            let found = near_times(&p, &q, 1.0, 1.0);
            met += usize::from(found.is_some());
            let (from, to) = found.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
            let distance = |t: f64| p.at(t).0.distance(q.at(t).0);
            for k in -100..=100 {
                let t = 1.0 + 0.05 * f64::from(k);
                let is_near = distance(t) <= 1.0;
                assert!(
                    !is_near || (from <= t && t <= to),
                    "case {case}: near at {t}, not in {from} to {to}"
                );
            }
            if found.is_some() {
                // The reach is widened by a millionth; the distance at both ends is the widened reach.
                let off = (distance(from) - 1.0).abs().max((distance(to) - 1.0).abs());
                assert!(off < 2.0 * REACH_MARGIN, "case {case}: off by {off:e} at the ends");
            }
        }
        assert!((100..900).contains(&met), "{met} of 1000 come near");
    }
}
