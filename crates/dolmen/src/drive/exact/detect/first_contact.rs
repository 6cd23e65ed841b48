//! The time of impact of two bodies on their current motions.

use crate::drive::exact::detect::ball_contact::{is_behind, side_of_point};
use crate::drive::exact::detect::collider::{Collider, PairQuery};
use crate::drive::exact::detect::parabola::{Ball, Path, balls_meet, reference_time};
use crate::drive::exact::detect::tolerances::STATIONARY_SEARCH;
use crate::drive::exact::island::track::BodyMotion;
use crate::locate::{self, Bodies, Meeting};
use crate::math::{DQuat, DVec3};
use crate::motion::{Motion, Prescribed};
use crate::narrow_phase::{Statistics, Tolerance, UnsupportedPair, Witness};
use crate::shape::{Plane, Sides};

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Found {
    /// No contact up to the end.
    Nothing,
    /// They touch at this time.
    Touch(f64),
    /// They do not touch up to this time; what comes later is unknown.
    Until(f64),
    /// They overlap at the start by more than the slack.
    Overlap(f64),
}

/// The orientation of a body that does not rotate.
fn fixed_orientation(motion: &BodyMotion) -> Option<DQuat> {
    match motion {
        BodyMotion::Prescribed(Prescribed::Still(pose)) => Some(pose.orientation),
        BodyMotion::Prescribed(Prescribed::Uniform { start, twist }) if twist.spin == DVec3::ZERO => {
            Some(start.orientation)
        }
        _ => None,
    }
}

/// The first instant in an interval at which two bodies touch, warm-started with the witness of the pair.
///
/// `slack` is the overlap that rounding may leave at the start of the interval, m. Composite bodies are searched part
/// by part.
///
/// # Errors
/// When the narrow phase does not support this pair of shapes.
pub(crate) fn first_meeting(
    colliders: [&Collider; 2],
    motions: [&BodyMotion; 2],
    (t_0, t_1): (f64, f64),
    slack: f64,
    (witness, statistics): (&mut Witness, &mut Statistics),
    bodies: Option<&mut Bodies>,
) -> Result<Found, UnsupportedPair> {
    if let Some(root) = closed_form(colliders, motions, (t_0, slack), witness) {
        return Ok(if root < f64::INFINITY && root <= t_1 { Found::Touch(root) } else { Found::Nothing });
    }
    let [motion_a, motion_b] = motions.map(|m| m as &dyn Motion);
    let t_1 = if t_1.is_finite() { t_1 } else { t_0 + STATIONARY_SEARCH };
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
    let mut query = PairQuery { a, b, witness, statistics, refused: None };
    let search = locate::first_overlap(&mut query, [motion_a, motion_b], (t_0, t_1), slack);
    if let Some(refused) = query.refused {
        return Err(refused);
    }
    Ok(match search.meeting {
        Meeting::Apart => Found::Nothing,
        Meeting::Touch { t, normal } => Found::Touch(polish(&mut query, motions, (t_0, t), normal)),
        Meeting::Unknown { t } => Found::Until(t),
        Meeting::Overlap { depth } => Found::Overlap(depth),
    })
}

/// The instant of zero separation next to the one at which they overlap by the slack, by Newton's method.
fn polish(query: &mut PairQuery, motions: [&BodyMotion; 2], (t_0, t): (f64, f64), normal: DVec3) -> f64 {
    use crate::locate::Pair;
    let (pose_a, pose_b) = (motions[0].pose(t), motions[1].pose(t));
    let gap = query.gap(&pose_a, &pose_b);
    if gap.separation >= 0.0 || t <= t_0 {
        return t;
    }
    let (twist_a, twist_b) = (motions[0].twist(t), motions[1].twist(t));
    let touching = crate::narrow_phase::separate(
        &query.a.placed(&pose_a),
        &query.b.placed(&pose_b),
        query.witness,
        query.statistics,
    );
    let Ok(touching) = touching else { return t };
    let approach = normal.dot(
        twist_a.at(touching.points[0] - pose_a.position) - twist_b.at(touching.points[1] - pose_b.position),
    );
    // Only while approaching: otherwise the gap would not have closed.
    if approach < 0.0 { (t - gap.separation / approach).clamp(t_0, t) } else { t }
}

/// The first contact of balls with balls, and with planes that do not rotate: infinite where they never touch, none
/// where there is no closed form.
fn closed_form(
    colliders: [&Collider; 2],
    motions: [&BodyMotion; 2],
    (t, slack): (f64, f64),
    witness: &mut Witness,
) -> Option<f64> {
    let [a, b] = colliders;
    match (a.ball, b.ball) {
        (Some(r_a), Some(r_b)) => {
            let a = Ball { radius: r_a, path: Path::of(motions[0])? };
            let b = Ball { radius: r_b, path: Path::of(motions[1])? };
            balls_meet(&a, &b, t, slack)
        }
        (Some(_), None) => ball_on_plane((a, motions[0]), (b, motions[1]), (t, slack), witness),
        (None, Some(_)) => {
            let mut seen = witness.exchanged();
            let found = ball_on_plane((b, motions[1]), (a, motions[0]), (t, slack), &mut seen);
            *witness = seen.exchanged();
            found
        }
        (None, None) => None,
    }
}

fn ball_on_plane(
    (ball, motion): (&Collider, &BodyMotion),
    (other, support): (&Collider, &BodyMotion),
    (t, slack): (f64, f64),
    witness: &mut Witness,
) -> Option<f64> {
    let plane = other.plane()?;
    let radius = ball.ball? - slack;
    if ball.is_point() && other.is_two_sided() && is_behind(*witness).is_none() {
        *witness = first_side((ball, motion), (other, plane, support), t);
    }
    let (p, q, turn) = (Path::of(motion)?, Path::of(support)?, fixed_orientation(support)?);
    let behind = is_behind(*witness);
    let tolerance_at = |t: f64| {
        Tolerance::of_pair(&ball.placed(&motion.pose(t)), &other.placed(&support.pose(t)), 0.0).length
    };
    let meet_from = |from: f64| {
        let ((x, v), (x_support, v_support)) = (p.at(from), q.at(from));
        let (normal, height) = above(plane, other, turn, x - x_support, behind);
        let rate = normal.dot(v - v_support);
        let bend = normal.dot(p.acceleration - q.acceleration);
        let gap = height - radius;
        // Thrown up so gently that it stays within the rounding of zero, it is back as from zero.
        let stays_below = gap < 0.0 && rate > 0.0 && bend < 0.0 && rate * rate < 2.0 * bend * gap;
        if stays_below && gap >= -tolerance_at(from) {
            return from - 2.0 * rate / bend;
        }
        from + descent(gap, rate, bend)
    };
    let root = meet_from(reference_time(&p, &q).min(t));
    // Only a pair that passed through each other has met before.
    Some(if root < t { meet_from(t) } else { root })
}

/// The normal on the side of the plane where a point is, the one behind it if that is known, and its height above the plane.
fn above(
    plane: &Plane,
    collider: &Collider,
    turn: DQuat,
    point: DVec3,
    behind: Option<bool>,
) -> (DVec3, f64) {
    let normal = turn * plane.normal();
    let height = normal.dot(point) - plane.offset() - plane.normal().dot(collider.frame().position);
    let behind = behind.unwrap_or(height < 0.0);
    if behind && plane.sides() == Sides::Both { (-normal, -height) } else { (normal, height) }
}

/// The side of a plane on which a point is that is seen there for the first time. On the plane itself it is where what accelerates it
/// presses it against the plane.
fn first_side(
    (ball, motion): (&Collider, &BodyMotion),
    (other, plane, support): (&Collider, &Plane, &BodyMotion),
    t: f64,
) -> Witness {
    let (pose, place) = (motion.pose(t), support.pose(t));
    let normal = place.direction(plane.normal());
    let (placed, on) = (ball.placed(&pose), other.placed(&place));
    let height = normal.dot(pose.position - on.pose.position) - plane.offset();
    let bend = Path::of(motion).map_or(0.0, |path| normal.dot(path.acceleration));
    let is_on_it = height.abs() <= Tolerance::of_pair(&placed, &on, 0.0).length;
    side_of_point(if is_on_it && bend != 0.0 { bend > 0.0 } else { height < 0.0 })
}

/// The time at which h + h′ t + ½ h″ t² falls through zero, infinite if it never does.
///
/// Falling: its derivative there is −√(h′² − 2 h h″). So a rising zero, which is the contact that the pair just left,
/// is excluded.
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
