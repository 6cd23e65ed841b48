//! Joints: names become ids, points of a body's frame become points from its centre of mass.

use std::sync::Arc;

use super::{Problems, vector};
use crate::articulation::{AssemblySettings, Conflict};
use crate::joint::{
    Axis, Cone, Control, Coupling, Course, Frame, Friction, Joint, JointKind, Placement, Side, TableCourse,
    Turned,
};
use crate::math::{DQuat, DVec3, Pose};
use crate::narrow_phase::{Contact, Feature, Geometry, Manifold, Placed, Statistics, Witness, contacts};
use crate::scene::typed::{self, JointAxis};
use crate::shape::Shape;
use crate::world::{BodyId, World};

/// Adds the joints between bodies first, then gears and racks between those.
pub(super) fn add_all(joints: &[typed::Joint], world: &mut World, problems: &mut Problems) {
    for couples in [false, true] {
        for (i, typed) in joints.iter().enumerate().filter(|(_, joint)| is_coupling(joint) == couples) {
            problems.within(&["joint".into(), i.into()], |problems| {
                if couples {
                    add_coupling(typed, joints, world, problems)
                } else {
                    add(typed, world, problems)
                }
            });
        }
    }
}

/// How bodies are projected onto their joints.
pub(super) fn assembly(typed: Option<&typed::Assembly>) -> AssemblySettings {
    let mut settings = AssemblySettings::default();
    let Some(typed) = typed else { return settings };
    settings.largest = typed.largest.unwrap_or(settings.largest);
    settings.conflict = match typed.conflict {
        None | Some(typed::Conflict::Refuse) => Conflict::Refuse,
        Some(typed::Conflict::LeastSquares) => Conflict::LeastSquares,
        Some(typed::Conflict::LeastAbsolute) => Conflict::LeastAbsolute,
    };
    settings
}

pub(crate) fn is_coupling(typed: &typed::Joint) -> bool {
    matches!(typed.kind, typed::JointKind::Gear | typed::JointKind::RackAndPinion)
}

fn add_coupling(
    typed: &typed::Joint,
    all: &[typed::Joint],
    world: &mut World,
    problems: &mut Problems,
) -> Option<()> {
    let [first, second] = typed.joints.as_ref()?;
    // A slider in the place of a hinge moves along its axis.
    let axis = |name: &String| {
        let slides = all.iter().any(|joint| joint.name == *name && joint.kind == typed::JointKind::Slider);
        (name.clone(), if slides { Axis::Z } else { Axis::TurnZ })
    };
    let coupling = match typed.kind {
        typed::JointKind::Gear => Coupling {
            first: axis(first),
            second: axis(second),
            ..Coupling::gear(&typed.name, first, second, typed.ratio?)
        },
        _ => Coupling::rack_and_pinion(&typed.name, first, second, typed.radius?),
    };
    problems.note("joints", world.add_coupling(coupling))
}

/// A contact made bilateral: d = 0 with a force of either sign, the hinges and pins of the notes. Each corner or ball that touches a
/// face at the start stays in the plane of that face. [NOTES II; PAPER; SYSTEM C8]
fn add_contact(typed: &typed::Joint, world: &mut World, problems: &mut Problems) -> Option<()> {
    let [a, b] = [(&typed.a, "a"), (&typed.b, "b")].map(|(name, key)| {
        let found = side(name.as_deref(), key, world, problems)?;
        let Side::Body(id) = found else {
            problems.report("", "a contact is between two bodies", Some("give `a` and `b`"));
            return None;
        };
        if world.body(id).shape().is_none() {
            problems.report(key, "this body has no shape that could touch", Some("give it a `shape`"));
            return None;
        }
        Some(id)
    });
    let bodies = [a?, b?];
    let geometries = bodies.map(|id| world.body(id).shape().map(Geometry::new));
    let [Some(geometry_a), Some(geometry_b)] = &geometries else { return None };
    let pose = |id: BodyId| {
        let (start, origin) = (world.body(id).start_pose(), world.body(id).shape_origin());
        Pose { position: start.point(origin), ..start }
    };
    let [pose_a, pose_b] = bodies.map(pose);
    let placed =
        [Placed { geometry: geometry_a, pose: pose_a }, Placed { geometry: geometry_b, pose: pose_b }];
    let mut manifold = Manifold::default();
    let (mut witness, mut statistics) = (Witness::default(), Statistics::default());
    let found = contacts(&placed[0], &placed[1], &mut witness, &mut statistics, &mut manifold);
    problems.note("", found)?;
    let is_ball = |id: BodyId| matches!(world.body(id).shape(), Some(Shape::Sphere { .. }));
    // The point of one body, and the other one, in whose face it stays.
    let of_contact = |contact: &Contact| match (contact.id.a, contact.id.b) {
        (Feature::Vertex(_), Feature::Face(_)) => Some((0, contact.point)),
        (Feature::Face(_), Feature::Vertex(_)) => Some((1, contact.point)),
        (Feature::Surface(_), Feature::Face(_)) if is_ball(bodies[0]) => Some((0, pose_a.position)),
        (Feature::Face(_), Feature::Surface(_)) if is_ball(bodies[1]) => Some((1, pose_b.position)),
        _ => None,
    };
    let touching: Vec<_> =
        manifold.contacts().iter().filter_map(|c| of_contact(c).map(|on| (on, c.normal))).collect();
    if touching.is_empty() {
        let message = "no corner or ball of one of these bodies touches a face of the other at the start";
        problems.report("", message, Some("put them in contact, or take another kind of joint"));
        return None;
    }
    for (k, ((pointed, point), normal)) in touching.into_iter().enumerate() {
        let name = if k == 0 { typed.name.clone() } else { format!("{} {}", typed.name, k + 1) };
        let placement = Placement::World(Frame { point, turned: Turned::Along(normal) });
        let (a, b) = (Side::Body(bodies[pointed]), Side::Body(bodies[1 - pointed]));
        let joint = Joint::new(&name, JointKind::PointOnPlane, a, b).placed(placement);
        problems.note("", world.add_joint(joint))?;
    }
    Some(())
}

fn add(typed: &typed::Joint, world: &mut World, problems: &mut Problems) -> Option<()> {
    if typed.kind == typed::JointKind::Contact {
        return add_contact(typed, world, problems);
    }
    let a = side(typed.a.as_deref(), "a", world, problems)?;
    let b = side(typed.b.as_deref(), "b", world, problems)?;
    let kind = kind(typed)?;
    let placement = placement(typed, [a, b], world);
    let only = only_free(typed.kind);
    let mut joint = Joint::new(&typed.name, kind, a, b).placed(placement);
    for (axis, control) in controls(typed) {
        let Some(axis) = axis.or(only) else {
            let help = "write `axis = \"…\"` with one of its free axes";
            problems.report("", "this kind of joint has more than one free axis; say which", Some(help));
            return None;
        };
        joint = joint.with(meant_axis(axis), control);
    }
    if let Some(degrees) = typed.cone_deg {
        joint = joint.within_cone(Cone { largest: degrees.to_radians(), restitution: 0.0 });
    }
    if typed.collide == Some(true) {
        joint = joint.colliding();
    }
    problems.note("", world.add_joint(joint))
}

fn side(name: Option<&str>, key: &str, world: &World, problems: &mut Problems) -> Option<Side> {
    let Some(name) = name else { return Some(Side::World) };
    let found = world.find_body(name);
    if found.is_none() {
        problems.report(key, format!("there is no body named {name:?}"), None);
    }
    found.map(Side::Body)
}

fn kind(typed: &typed::Joint) -> Option<JointKind> {
    Some(match typed.kind {
        typed::JointKind::Ball => JointKind::Ball,
        typed::JointKind::Hinge => JointKind::Hinge,
        typed::JointKind::Slider => JointKind::Slider,
        typed::JointKind::Cylindrical => JointKind::Cylindrical,
        typed::JointKind::Universal => JointKind::Universal,
        typed::JointKind::Planar => JointKind::Planar,
        typed::JointKind::Weld => JointKind::Weld,
        typed::JointKind::Screw => JointKind::Screw { pitch: typed.pitch? },
        typed::JointKind::Rod => JointKind::Rod { length: typed.length },
        typed::JointKind::Rope => {
            JointKind::Rope { length: typed.length, restitution: typed.restitution.unwrap_or(0.0) }
        }
        typed::JointKind::PointOnLine => JointKind::PointOnLine,
        typed::JointKind::PointOnPlane => JointKind::PointOnPlane,
        typed::JointKind::SixAxis => {
            let held = typed.locked.as_deref().unwrap_or(&[]);
            let locked = Axis::SIX.map(|axis| held.iter().any(|named| meant_axis(*named) == axis));
            JointKind::SixAxis { locked }
        }
        typed::JointKind::Gear | typed::JointKind::RackAndPinion | typed::JointKind::Contact => return None,
    })
}

pub(crate) fn meant_axis(axis: JointAxis) -> Axis {
    match axis {
        JointAxis::X => Axis::X,
        JointAxis::Y => Axis::Y,
        JointAxis::Z => Axis::Z,
        JointAxis::TurnX => Axis::TurnX,
        JointAxis::TurnY => Axis::TurnY,
        JointAxis::TurnZ => Axis::TurnZ,
        JointAxis::Distance => Axis::Distance,
    }
}

/// The only free axis of a kind, if it has only one.
pub(crate) fn only_free(kind: typed::JointKind) -> Option<JointAxis> {
    match kind {
        typed::JointKind::Hinge | typed::JointKind::Screw => Some(JointAxis::TurnZ),
        typed::JointKind::Slider => Some(JointAxis::Z),
        typed::JointKind::Rope => Some(JointAxis::Distance),
        _ => None,
    }
}

fn placement(typed: &typed::Joint, [a, b]: [Side; 2], world: &World) -> Placement {
    if typed.frame_a.is_some() || typed.frame_b.is_some() {
        let place = |place: &Option<typed::JointPlace>, side| {
            let typed::JointPlace { at, axis, across } = place.clone().unwrap_or_default();
            frame((at, axis, across), origin(side, world))
        };
        return Placement::Each(place(&typed.frame_a, a), place(&typed.frame_b, b));
    }
    let given = (typed.at, typed.axis, typed.across);
    match typed.frame {
        Some(typed::JointFrame::A) => Placement::OnA(frame(given, origin(a, world))),
        Some(typed::JointFrame::B) => Placement::OnB(frame(given, origin(b, world))),
        _ => Placement::World(frame(given, DVec3::ZERO)),
    }
}

/// The origin of the frame in which a body is described, from its centre of mass.
fn origin(side: Side, world: &World) -> DVec3 {
    match side {
        Side::Body(id) => world.body(id).shape_origin(),
        Side::Added(_) | Side::World => DVec3::ZERO,
    }
}

type Given = (Option<[f64; 3]>, Option<[f64; 3]>, Option<[f64; 3]>);

fn frame((at, axis, across): Given, origin: DVec3) -> Frame {
    let z = axis.map_or(DVec3::Z, DVec3::from_array);
    let turned = match (axis, across) {
        (None, None) => Turned::By(DQuat::IDENTITY),
        (_, None) => Turned::Along(z),
        (_, Some(across)) => Turned::AlongAndAcross(z, across.into()),
    };
    Frame { point: origin + vector(at), turned }
}

/// Everything that acts in a joint, in the order limits, springs, motors, friction.
fn controls(typed: &typed::Joint) -> Vec<(Option<JointAxis>, Control)> {
    let mut controls = Vec::new();
    for limit in &typed.limit {
        let lower = limit.lower.or(limit.lower_deg.map(f64::to_radians)).unwrap_or(f64::NEG_INFINITY);
        let upper = limit.upper.or(limit.upper_deg.map(f64::to_radians)).unwrap_or(f64::INFINITY);
        let restitution = limit.restitution.unwrap_or(0.0);
        controls.push((limit.axis, Control::Limit { lower, upper, restitution }));
    }
    for spring in &typed.spring {
        let [stiffness, rest, damping] =
            [spring.stiffness, spring.rest, spring.damping].map(|value| value.unwrap_or(0.0));
        controls.push((spring.axis, Control::Spring { stiffness, rest, damping }));
    }
    for motor in &typed.motor {
        controls.push((motor.axis, motor_control(motor)));
    }
    for friction in &typed.friction {
        let [constant, coefficient] = [friction.constant, friction.coefficient].map(|v| v.unwrap_or(0.0));
        let arm = friction.arm.unwrap_or(1.0);
        controls.push((friction.axis, Control::Friction(Friction { constant, coefficient, arm })));
    }
    controls
}

fn motor_control(motor: &typed::JointMotor) -> Control {
    let target = match &motor.course {
        None => Course::Constant(motor.target.unwrap_or(0.0)),
        Some(typed::Course::Ramp(ramp)) => Course::Ramp { start: ramp.start.unwrap_or(0.0), rate: ramp.rate },
        Some(typed::Course::Sine(sine)) => Course::Sine {
            middle: sine.middle.unwrap_or(0.0),
            amplitude: sine.amplitude,
            frequency: sine.frequency,
            phase: sine.phase.unwrap_or(0.0),
        },
        Some(typed::Course::Move(way)) => {
            Course::Move { from: way.from, to: way.to, times: [way.begin.unwrap_or(0.0), way.end] }
        }
        Some(typed::Course::Table(table)) => {
            let linear = table.interpolation == Some(typed::TableInterpolation::Linear);
            match TableCourse::new(&table.times, &table.values, linear) {
                Some(course) => Course::User(Arc::new(course)),
                // Refused before, when the scene was checked.
                None => Course::Constant(f64::NAN),
            }
        }
    };
    let largest = motor.largest.unwrap_or(f64::INFINITY);
    match motor.kind {
        typed::MotorKind::Force => Control::Force(target),
        typed::MotorKind::Velocity => Control::Velocity { target, largest },
        typed::MotorKind::Position => Control::Position {
            target,
            stiffness: motor.stiffness.unwrap_or(0.0),
            damping: motor.damping.unwrap_or(0.0),
            largest,
        },
        typed::MotorKind::Motion => Control::Motion(target),
    }
}
