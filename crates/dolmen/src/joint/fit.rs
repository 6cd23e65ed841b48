//! From a joint as described to one fitted into a world: checks, and frames taken over from one side to the other.

use super::describe::{Control, Frame, Joint, JointKind, Placement, Side, Turned};
use super::{Axis, FittedJoint, Friction, JointError};
use crate::math::real::PI;
use crate::math::{DMat3, DQuat, DVec3, Pose};
use crate::member::Members;

impl FittedJoint {
    /// Fits a joint into a world as its bodies are at the start.
    ///
    /// # Errors
    /// When the joint cannot be: see [`JointError`].
    pub fn fit(mut joint: Joint, members: &Members) -> Result<Self, JointError> {
        find_added(&mut joint, members)?;
        check_sides(&joint, members)?;
        let frames = frames(&joint, members)?;
        check_points(&joint, members, &frames)?;
        let sides = [joint.a, joint.b].map(|side| stand(side, members));
        let apart = sides[0].point(frames[0].position).distance(sides[1].point(frames[1].position));
        let length = match joint.kind {
            JointKind::Rod { length } | JointKind::Rope { length, .. } => length.unwrap_or(apart),
            _ => 0.0,
        };
        check_kind(&joint, length)?;
        check_controls(&joint)?;
        Ok(Self::new(joint, frames, length))
    }
}

/// Where a side is at the start.
fn stand(side: Side, members: &Members) -> Pose {
    match side {
        Side::Body(id) => members.body(id).start_pose(),
        Side::Added(handle) => members.body(members.id(handle)).start_pose(),
        Side::World => Pose::IDENTITY,
    }
}

/// Puts the bodies of handles in their places.
fn find_added(joint: &mut Joint, members: &Members) -> Result<(), JointError> {
    for side in [&mut joint.a, &mut joint.b] {
        if let Side::Added(handle) = *side {
            let found = members.find_handle(handle);
            *side = Side::Body(found.ok_or_else(|| JointError::Stranger { joint: joint.name.clone() })?);
        }
    }
    Ok(())
}

fn check_sides(joint: &Joint, members: &Members) -> Result<(), JointError> {
    let name = || joint.name.clone();
    if joint.name.is_empty() || joint.name.starts_with('#') {
        return Err(JointError::Name { joint: name() });
    }
    let stranger = |side: &Side| matches!(side, Side::Body(id) if id.index() >= members.bodies().len());
    if [joint.a, joint.b].iter().any(stranger) {
        return Err(JointError::Stranger { joint: name() });
    }
    if let (Side::Body(a), Side::Body(b)) = (joint.a, joint.b)
        && a == b
    {
        return Err(JointError::Itself { joint: name(), body: members.body_name(a) });
    }
    let moves = |side: &Side| matches!(side, Side::Body(id) if members.body(*id).is_dynamic());
    if ![joint.a, joint.b].iter().any(moves) {
        return Err(JointError::Immovable { joint: name() });
    }
    Ok(())
}

/// A point cannot be turned: a joint may hold it at its centre, by a ball, rod, rope, line or plane, and nowhere else.
fn check_points(joint: &Joint, members: &Members, frames: &[Pose; 2]) -> Result<(), JointError> {
    let holds_point = matches!(
        joint.kind,
        JointKind::Ball
            | JointKind::Rod { .. }
            | JointKind::Rope { .. }
            | JointKind::PointOnLine
            | JointKind::PointOnPlane
    );
    for (side, frame) in [joint.a, joint.b].iter().zip(frames) {
        let Side::Body(id) = *side else { continue };
        if !members.body(id).inertia().is_point() {
            continue;
        }
        let reach = frame.position.length();
        // A frame that was given in the world is rounded.
        let rounding = 64.0 * f64::EPSILON * members.body(id).start_pose().position.length();
        if !holds_point || reach > rounding {
            let (joint, body, kind) = (joint.name.clone(), members.body_name(id), joint.kind.name());
            return Err(JointError::Point { joint, body, kind, reach });
        }
    }
    Ok(())
}

/// The frames in the bodies.
fn frames(joint: &Joint, members: &Members) -> Result<[Pose; 2], JointError> {
    let [a, b] = [joint.a, joint.b].map(|side| stand(side, members));
    Ok(match joint.placement {
        Placement::World(frame) => {
            let frame = pose(joint, &frame)?;
            [seen_from(&a, &frame), seen_from(&b, &frame)]
        }
        Placement::OnA(frame) => {
            let frame = pose(joint, &frame)?;
            [frame, seen_from(&b, &carried(&a, &frame))]
        }
        Placement::OnB(frame) => {
            let frame = pose(joint, &frame)?;
            [seen_from(&a, &carried(&b, &frame)), frame]
        }
        Placement::Each(on_a, on_b) => [pose(joint, &on_a)?, pose(joint, &on_b)?],
    })
}

/// A frame of a body, in the world.
fn carried(body: &Pose, frame: &Pose) -> Pose {
    Pose { position: body.point(frame.position), orientation: body.orientation * frame.orientation }
}

/// A frame of the world, in a body.
fn seen_from(body: &Pose, frame: &Pose) -> Pose {
    let back = body.orientation.conjugate();
    Pose {
        position: back * (frame.position - body.position),
        orientation: (back * frame.orientation).normalize(),
    }
}

/// An axis shorter than this has no direction: a decade less is not a normal number any more.
const SMALLEST: f64 = 1e-300;

/// The sine of the angle between two directions below which they give no plane.
const PARALLEL: f64 = 1e-9;

fn pose(joint: &Joint, frame: &Frame) -> Result<Pose, JointError> {
    let refused = |what, value: DVec3, allowed| {
        let value = value.to_string();
        JointError::Value { joint: joint.name.clone(), what, value, allowed }
    };
    if !frame.point.is_finite() {
        return Err(refused("the point", frame.point, "three finite numbers"));
    }
    let direction = |what, axis: DVec3| {
        let largest = axis.abs().max_element();
        if axis.is_finite() && largest > SMALLEST {
            Ok((axis / largest).normalize())
        } else {
            Err(refused(what, axis, "finite and of any length but zero"))
        }
    };
    let orientation = match frame.turned {
        Turned::By(turn) => {
            if !(turn.is_finite() && turn.length() > SMALLEST) {
                let axis = DVec3::new(turn.x, turn.y, turn.z);
                return Err(refused("the rotation", axis, "a finite quaternion that is not zero"));
            }
            turn.normalize()
        }
        // The turn that takes z there the shortest way; half a turn where there is no shortest.
        Turned::Along(axis) => DQuat::from_rotation_arc(DVec3::Z, direction("the axis", axis)?),
        Turned::AlongAndAcross(axis, across) => {
            let (z, second) = (direction("the axis", axis)?, direction("the second axis", across)?);
            let y = z.cross(second);
            if y.length() < PARALLEL {
                return Err(refused("the second axis", across, "at an angle to the first"));
            }
            let y = y.normalize();
            DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize()
        }
    };
    Ok(Pose { position: frame.point, orientation })
}

fn check_value(
    joint: &Joint,
    what: &'static str,
    value: f64,
    allowed: &'static str,
    ok: bool,
) -> Result<(), JointError> {
    if ok {
        return Ok(());
    }
    Err(JointError::Value { joint: joint.name.clone(), what, value: value.to_string(), allowed })
}

const NOT_NEGATIVE: &str = "a finite number, zero or more";

fn check_restitution(joint: &Joint, value: f64) -> Result<(), JointError> {
    check_value(joint, "the restitution", value, "from 0 to 1", (0.0..=1.0).contains(&value))
}

fn check_kind(joint: &Joint, length: f64) -> Result<(), JointError> {
    match joint.kind {
        JointKind::Screw { pitch } => {
            check_value(joint, "the pitch", pitch, "finite and not zero", pitch.is_finite() && pitch != 0.0)?;
        }
        JointKind::Rod { .. } | JointKind::Rope { .. } => {
            let allowed = "finite and greater than zero; a ball joint keeps points together";
            check_value(joint, "the length", length, allowed, length.is_finite() && length > 0.0)?;
        }
        _ => {}
    }
    if let JointKind::Rope { restitution, .. } = joint.kind {
        check_restitution(joint, restitution)?;
    }
    if let Some(cone) = joint.cone {
        let allowed = "greater than 0 and less than π";
        check_value(joint, "the cone", cone.largest, allowed, cone.largest > 0.0 && cone.largest < PI)?;
        check_restitution(joint, cone.restitution)?;
    }
    Ok(())
}

/// What a control is called.
fn word(control: &Control) -> &'static str {
    match control {
        Control::Limit { .. } => "a limit",
        Control::Spring { .. } => "a spring",
        Control::Force(_) => "a motor by force",
        Control::Velocity { .. } => "a motor by velocity",
        Control::Position { .. } => "a motor by position",
        Control::Motion(_) => "a prescribed motion",
        Control::Friction(_) => "friction",
    }
}

fn check_controls(joint: &Joint) -> Result<(), JointError> {
    for (i, (axis, control)) in joint.controls.iter().enumerate() {
        check_axis(joint, *axis, word(control))?;
        check_numbers(joint, *axis, control)?;
        for (other_axis, other) in &joint.controls[..i] {
            // Springs and forces add up; what prescribes the motion does not.
            if axis == other_axis && !is_load(control) && !is_load(other) && !agree(control, other) {
                return Err(JointError::Clash {
                    joint: joint.name.clone(),
                    axis: axis.name(),
                    first: word(other),
                    second: word(control),
                });
            }
        }
    }
    Ok(())
}

fn is_load(control: &Control) -> bool {
    matches!(control, Control::Spring { .. } | Control::Force(_) | Control::Position { .. })
}

/// Whether two equations on one axis can go together: friction or a bounded motor within limits.
fn agree(first: &Control, second: &Control) -> bool {
    let limit = |c: &Control| matches!(c, Control::Limit { .. });
    let bounded = |c: &Control| match c {
        Control::Friction(_) => true,
        Control::Velocity { largest, .. } => largest.is_finite(),
        _ => false,
    };
    (limit(first) && bounded(second))
        || (bounded(first) && limit(second))
        || (bounded(first) && bounded(second))
}

fn check_axis(joint: &Joint, axis: Axis, what: &'static str) -> Result<(), JointError> {
    let locked = joint.kind.locked();
    let is_locked = match (axis.index(), &joint.kind) {
        // The motion of a screw has one coordinate, and that is its angle.
        (Some(2), JointKind::Screw { .. }) | (None, JointKind::Rod { .. }) => true,
        (Some(i), _) => locked[i],
        (None, _) => false,
    };
    if !is_locked {
        return Ok(());
    }
    let is_screw = matches!(joint.kind, JointKind::Screw { .. });
    let is_free = |(i, axis): &(usize, &Axis)| !locked[*i] && (!is_screw || **axis != Axis::Z);
    let free: Vec<&str> = Axis::SIX.iter().enumerate().filter(is_free).map(|(_, axis)| axis.name()).collect();
    let free = if free.is_empty() { "nothing".to_owned() } else { free.join(", ") };
    Err(JointError::Locked {
        joint: joint.name.clone(),
        what,
        axis: axis.name(),
        kind: joint.kind.name(),
        free,
    })
}

fn check_numbers(joint: &Joint, axis: Axis, control: &Control) -> Result<(), JointError> {
    let not_negative =
        |what, value: f64| check_value(joint, what, value, NOT_NEGATIVE, value.is_finite() && value >= 0.0);
    let force = |value: f64| check_value(joint, "the largest force", value, "zero or more", value >= 0.0);
    let course = |course: &super::Course| {
        let allowed = "made of finite numbers, and begin before it ends";
        check_value(joint, "the course of a motor", course.at(0.0)[0], allowed, course.is_sound())
    };
    match control {
        Control::Limit { lower, upper, restitution } => {
            if lower.is_nan() || upper.is_nan() || lower > upper {
                let (lower, upper) = (*lower, *upper);
                return Err(JointError::Limits {
                    joint: joint.name.clone(),
                    axis: axis.name(),
                    lower,
                    upper,
                });
            }
            let endless = *lower == f64::INFINITY || *upper == f64::NEG_INFINITY;
            check_value(joint, "a limit", *lower, "finite on the side where it acts", !endless)?;
            check_restitution(joint, *restitution)
        }
        Control::Spring { stiffness, rest, damping } => {
            not_negative("the stiffness", *stiffness)?;
            not_negative("the damping", *damping)?;
            check_value(joint, "the rest of a spring", *rest, "finite", rest.is_finite())
        }
        Control::Force(target) | Control::Motion(target) => course(target),
        Control::Velocity { target, largest } => {
            course(target)?;
            force(*largest)
        }
        Control::Position { target, stiffness, damping, largest } => {
            course(target)?;
            not_negative("the stiffness", *stiffness)?;
            not_negative("the damping", *damping)?;
            force(*largest)
        }
        Control::Friction(Friction { constant, coefficient, arm }) => {
            not_negative("the constant friction", *constant)?;
            not_negative("the coefficient of friction", *coefficient)?;
            not_negative("the arm of friction", *arm)
        }
    }
}
