//! When two bodies touch first, each on the motion that it is on.

use crate::drive::exact::detect::collider::{Collider, Look};
use crate::drive::exact::detect::parabola::{Ball, Path, balls_meet, reckoning};
use crate::drive::exact::island::track::BodyMotion;
use crate::locate::{self, Bodies, Meeting};
use crate::math::{DQuat, DVec3};
use crate::motion::{Motion, Prescribed};
use crate::narrow_phase::{Statistics, UnsupportedPair, Witness};
use crate::shape::{Plane, Sides};

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Found {
    /// No contact up to the end.
    Nothing,
    /// They touch at this time.
    Touch(f64),
    /// They do not touch up to this time; beyond it is not known.
    Until(f64),
    /// They overlap at the start by more than the slack.
    Overlap(f64),
}

/// The orientation of a body that does not turn.
fn steady(motion: &BodyMotion) -> Option<DQuat> {
    match motion {
        BodyMotion::Prescribed(Prescribed::Still(pose)) => Some(pose.orientation),
        BodyMotion::Prescribed(Prescribed::Uniform { start, twist }) if twist.spin == DVec3::ZERO => {
            Some(start.orientation)
        }
        _ => None,
    }
}

/// The first instant in an interval at which two bodies touch, with what is remembered of the pair.
///
/// `slack` is how deep they may overlap by rounding where the interval begins, m. Bodies of several parts are searched as
/// such.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub(crate) fn first_meeting(
    colliders: [&Collider; 2],
    motions: [&BodyMotion; 2],
    (t_0, t_1): (f64, f64),
    slack: f64,
    (witness, statistics): (&mut Witness, &mut Statistics),
    bodies: Option<&mut Bodies>,
) -> Result<Found, UnsupportedPair> {
    if let Some(root) = closed_form(colliders, motions, t_0, slack) {
        return Ok(if root < f64::INFINITY && root <= t_1 { Found::Touch(root) } else { Found::Nothing });
    }
    let [motion_a, motion_b] = motions.map(|m| m as &dyn Motion);
    let t_1 = if t_1.is_finite() { t_1 } else { t_0 + STILL };
    if let Some(bodies) = bodies {
        let search = bodies.first_overlap([motion_a, motion_b], (t_0, t_1), slack).search;
        return Ok(match search.meeting {
            Meeting::Apart => Found::Nothing,
            Meeting::Touch { t, .. } => Found::Touch(t),
            Meeting::Unknown { t } => Found::Until(t),
            Meeting::Overlap { depth } => Found::Overlap(depth),
        });
    }
    let [a, b] = colliders;
    let mut look = Look { a, b, witness, statistics, refused: None };
    let search = locate::first_overlap(&mut look, [motion_a, motion_b], (t_0, t_1), slack);
    if let Some(refused) = look.refused {
        return Err(refused);
    }
    Ok(match search.meeting {
        Meeting::Apart => Found::Nothing,
        Meeting::Touch { t, normal } => Found::Touch(polish(&mut look, motions, (t_0, t), normal)),
        Meeting::Unknown { t } => Found::Until(t),
        Meeting::Overlap { depth } => Found::Overlap(depth),
    })
}

/// A search needs an end. Two bodies that can be followed for ever neither move nor turn: any while will do, s.
const STILL: f64 = 1.0;

/// The instant of zero separation beside the one at which they overlapped by the slack, by Newton's method.
fn polish(look: &mut Look, motions: [&BodyMotion; 2], (t_0, t): (f64, f64), normal: DVec3) -> f64 {
    use crate::locate::Pair;
    let (pose_a, pose_b) = (motions[0].pose(t), motions[1].pose(t));
    let gap = look.gap(&pose_a, &pose_b);
    if gap.separation >= 0.0 || t <= t_0 {
        return t;
    }
    let (twist_a, twist_b) = (motions[0].twist(t), motions[1].twist(t));
    let touching = crate::narrow_phase::separate(
        &look.a.placed(&pose_a),
        &look.b.placed(&pose_b),
        look.witness,
        look.statistics,
    );
    let Ok(touching) = touching else { return t };
    let approach = normal.dot(
        twist_a.at(touching.points[0] - pose_a.position) - twist_b.at(touching.points[1] - pose_b.position),
    );
    // Only while approaching: else the gap would not have closed.
    if approach < 0.0 { (t - gap.separation / approach).clamp(t_0, t) } else { t }
}

/// The first contact of balls with each other and with planes that do not turn, infinite where they never touch; none where
/// it has no closed form.
fn closed_form(colliders: [&Collider; 2], motions: [&BodyMotion; 2], t: f64, slack: f64) -> Option<f64> {
    let [a, b] = colliders;
    match (a.ball, b.ball) {
        (Some(r_a), Some(r_b)) => {
            let a = Ball { radius: r_a, path: Path::of(motions[0])? };
            let b = Ball { radius: r_b, path: Path::of(motions[1])? };
            balls_meet(&a, &b, t, slack)
        }
        (Some(radius), None) => ball_on_plane(radius - slack, motions[0], b, motions[1], t),
        (None, Some(radius)) => ball_on_plane(radius - slack, motions[1], a, motions[0], t),
        (None, None) => None,
    }
}

fn ball_on_plane(
    radius: f64,
    ball: &BodyMotion,
    other: &Collider,
    support: &BodyMotion,
    t: f64,
) -> Option<f64> {
    let plane = other.plane()?;
    let (p, q, turn) = (Path::of(ball)?, Path::of(support)?, steady(support)?);
    let meet_from = |from: f64| {
        let ((x, v), (x_support, v_support)) = (p.at(from), q.at(from));
        let (normal, height) = above(plane, other, turn, x - x_support);
        let rate = normal.dot(v - v_support);
        let bend = normal.dot(p.acceleration - q.acceleration);
        from + descent(height - radius, rate, bend)
    };
    let root = meet_from(reckoning(&p, &q).min(t));
    // Only where the two passed through each other have they met before.
    Some(if root < t { meet_from(t) } else { root })
}

/// The normal on the side of the plane that a point is on, and the height over it.
fn above(plane: &Plane, collider: &Collider, turn: DQuat, point: DVec3) -> (DVec3, f64) {
    let normal = turn * plane.normal();
    let height = normal.dot(point) - plane.offset() - plane.normal().dot(collider.frame().position);
    if height < 0.0 && plane.sides() == Sides::Both { (-normal, -height) } else { (normal, height) }
}

/// The time at which h + h′ t + ½ h″ t² falls through zero, infinite if it never does.
///
/// Falling: its derivative there is −√(h′² − 2 h h″). So the instant that was just left, rising, is not it.
fn descent(h: f64, rate: f64, bend: f64) -> f64 {
    if h <= 0.0 && (rate < 0.0 || (rate == 0.0 && bend < 0.0)) {
        return 0.0;
    }
    let discriminant = rate * rate - 2.0 * bend * h;
    if discriminant < 0.0 {
        return f64::INFINITY;
    }
    let fall = discriminant.sqrt();
    if bend < 0.0 && rate > 0.0 {
        return (rate + fall) / -bend;
    }
    // 2h/(√D − h′): no cancellation, as h′ ≤ 0.
    let denominator = fall - rate;
    if rate <= 0.0 && denominator > 0.0 { (2.0 * h / denominator).max(0.0) } else { f64::INFINITY }
}
