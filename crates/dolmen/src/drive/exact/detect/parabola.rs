//! Balls on parabolas: the few numbers that a search for their contact needs, contiguous in memory.

use crate::drive::exact::detect::tolerances::{PATH_ROUNDING, REACH_MARGIN};
use crate::drive::exact::island::track::BodyMotion;
use crate::math::DVec3;
use crate::math::bracket::first_positive;
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

/// When two balls first touch from `t` on: infinite if never, none where that is unknown: where numbers overflow, and where the
/// accelerations of two balls differ of which none is a point.
pub(crate) fn balls_meet(a: &Ball, b: &Ball, t: f64, slack: f64) -> Option<f64> {
    let (p, q) = (&a.path, &b.path);
    let between = p.acceleration - q.acceleration;
    // Particles over a body that stands still are thousands. Balls of which one flies and one does not are few: they are searched as other
    // shapes are.
    if between != DVec3::ZERO && a.radius > 0.0 && b.radius > 0.0 {
        return None;
    }
    let meet_from = |from: f64| {
        let ((x_a, v_a), (x_b, v_b)) = (p.at(from), q.at(from));
        let (r, v, radius) = (x_a - x_b, v_a - v_b, a.radius + b.radius - slack);
        let time = if between == DVec3::ZERO {
            Some(time_to_contact(r, v, radius))
        } else {
            time_to_contact_on_parabola(r, v, between, radius)
        };
        time.map(|time| from + time)
    };
    let root = meet_from(reference_time(p, q).min(t))?;
    // Only a pair that passed through each other, or was allowed to overlap, has met before.
    if root < t { meet_from(t) } else { Some(root) }
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

/// The time until |r + v t + ½ a t²| falls to `radius`, infinite if it never does, none where numbers overflow: a point flies, and the ball
/// that it meets does not.
///
/// |r|² − R² + 2 r·v t + (v² + r·a) t² + v·a t³ + ¼ a² t⁴ falls through zero; a step of Newton's on the distance itself takes away the
/// rounding of its sum.
fn time_to_contact_on_parabola(r: DVec3, v: DVec3, a: DVec3, radius: f64) -> Option<f64> {
    let distance = r.length();
    let apart = (distance - radius) * (distance + radius);
    let quartic = [apart, 2.0 * r.dot(v), v.length_squared() + r.dot(a), v.dot(a), 0.25 * a.length_squared()];
    let time = first_fall(quartic)?;
    let at = |time: f64| r + (v + 0.5 * a * time) * time;
    // Far from the other ball the sum rounds by more than the place does.
    let left = at(time).length() - radius;
    let rounding = PATH_ROUNDING * (distance + v.length() * time + 0.5 * a.length() * time * time);
    let rate = at(time).dot(v + a * time) / radius;
    Some(if left.abs() > rounding && rate < 0.0 { (time - left / rate).max(0.0) } else { time })
}

/// The first s ≥ 0 from which on c₀ + c₁ s + … + c₄ s⁴ falls from zero or through it, infinite if it never does, none where numbers
/// overflow; c₄ > 0. A minimum at zero is no fall through it.
///
/// Between neighbouring roots of its derivative a polynomial is monotonic, and so is that between the roots of the second one.
fn first_fall(c: [f64; 5]) -> Option<f64> {
    let value = |s: f64| (((c[4] * s + c[3]) * s + c[2]) * s + c[1]) * s + c[0];
    let d = [c[1], 2.0 * c[2], 3.0 * c[3], 4.0 * c[4]];
    let slope = |s: f64| ((d[3] * s + d[2]) * s + d[1]) * s + d[0];
    // All roots of the derivative are below this. [Cauchy]
    let end = 1.0 + d[..3].iter().fold(0.0_f64, |most, d| most.max(d.abs())) / d[3];
    if !(slope(end).is_finite() && value(end).is_finite()) {
        return None;
    }
    let (mut from, mut high) = (0.0, value(0.0));
    let (mut bend, mut slope_from) = (0.0, slope(0.0));
    for knot in roots_of_quadratic([d[1], 2.0 * d[2], 3.0 * d[3]]).into_iter().chain([end]) {
        if knot <= bend {
            continue;
        }
        let slope_to = slope(knot);
        let (before, sign) = (bend, if slope_from > 0.0 { -1.0 } else { 1.0 });
        let turns = (slope_from > 0.0) != (slope_to > 0.0);
        (bend, slope_from) = (knot, slope_to);
        if !turns {
            continue;
        }
        let ends = (sign * slope(before), sign * slope_to);
        let turn = first_positive((before, knot), ends, |s| sign * slope(s));
        let low = value(turn);
        if low < high && high <= 0.0 {
            return Some(from);
        }
        if low < 0.0 && high > 0.0 {
            return Some(first_positive((from, turn), (-high, -low), |s| -value(s)));
        }
        (from, high) = (turn, low);
    }
    Some(f64::INFINITY)
}

/// The real roots of c₀ + c₁ s + c₂ s², ascending, c₂ > 0; where there are none, the place of its minimum twice.
fn roots_of_quadratic(c: [f64; 3]) -> [f64; 2] {
    let half = 0.5 * c[1];
    let discriminant = half * half - c[2] * c[0];
    if discriminant <= 0.0 {
        return [-half / c[2]; 2];
    }
    // The sum that does not cancel.
    let sum = if half < 0.0 { -half + discriminant.sqrt() } else { -half - discriminant.sqrt() };
    let (one, other) = (sum / c[2], c[0] / sum);
    [one.min(other), one.max(other)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point and a ball that stands still: the first instant is the first at which a march along the parabola is within reach, and at it
    /// they touch to rounding; thrown from contact, the point meets it when it comes back.
    #[test]
    fn a_point_on_a_parabola_meets_a_ball_that_stands_still() {
        let mut random = 11_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let gravity = DVec3::new(0.0, 0.0, -9.81);
        let (mut met, mut thrown) = (0, 0);
        for case in 0..2000 {
            let radius = 0.6;
            let still = Ball {
                radius,
                path: Path {
                    start: 0.0,
                    position: DVec3::ZERO,
                    velocity: DVec3::ZERO,
                    acceleration: DVec3::ZERO,
                },
            };
            let mut vector = |size: f64| DVec3::new(next(), next(), next()) * size;
            let (mut position, mut velocity) = (vector(4.0), vector(6.0));
            if case % 4 == 0 {
                // From contact, outwards.
                position *= radius / position.length();
                velocity = if velocity.dot(position) < 0.0 { -velocity } else { velocity };
                thrown += 1;
            } else if position.length() < radius {
                continue;
            }
            let point =
                Ball { radius: 0.0, path: Path { start: 0.25, position, velocity, acceleration: gravity } };
            let found = balls_meet(&point, &still, 0.25, 0.0).expect("numbers of everyday size");
            let distance = |t: f64| point.path.at(t).0.length() - radius;
            if found.is_finite() {
                met += 1;
                assert!(distance(found).abs() < 4e-14, "case {case}: {} m apart at {found}", distance(found));
            }
            let until = found.min(2.0);
            for k in 1..400 {
                let t = 0.25 + (until - 0.25) * f64::from(k) / 400.0;
                assert!(distance(t) > -4e-14, "case {case}: {} m deep at {t}, before {found}", distance(t));
            }
        }
        assert!((50..1500).contains(&met) && thrown == 500, "{met} met, {thrown} thrown");
    }

    /// A point thrown up from the top of a ball is back after 2v/g, however low; and a path that only touches does not meet.
    #[test]
    fn low_bounces_and_touches_are_told_apart() {
        let g = 9.81;
        let ball = |start: f64, position: DVec3, velocity: DVec3, acceleration: DVec3| Path {
            start,
            position,
            velocity,
            acceleration,
        };
        let still = Ball { radius: 0.5, path: ball(0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO) };
        for v in [1.0, 1e-3, 1e-6] {
            let path =
                ball(1.0, DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.0, 0.0, v), DVec3::new(0.0, 0.0, -g));
            let found = balls_meet(&Ball { radius: 0.0, path }, &still, 1.0, 0.0).expect("a number");
            assert!((found - 1.0 - 2.0 * v / g).abs() < 1e-15 + 1e-9 * v, "{v} m/s: {found}");
        }
        // (s − 1)² (s² + 1) touches zero at one; it falls through zero once it is lowered.
        let touching = [1.0, -2.0, 2.0, -2.0, 1.0];
        assert_eq!(first_fall(touching), Some(f64::INFINITY));
        let lowered = first_fall([1.0 - 1e-6, -2.0, 2.0, -2.0, 1.0]).expect("a number");
        assert!((lowered - (1.0 - 1e-3 / 2.0_f64.sqrt())).abs() < 1e-6, "{lowered}");
    }

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
