//! A tree as MJCF.

use std::fmt::Write as _;

use dolmen::id::BodyId;
use dolmen::joint::{Control, Course, JointKind};
use dolmen::math::{DQuat, DVec3, Pose};
use dolmen::shape::{Fineness, Shape, triangulate};

use super::{Coordinate, Tree, escaped, numbers};
use crate::frame::{compose, from_z};
use crate::note::Notes;

/// Corners of the polygon that stands for the base of a cone.
const ROUND: Fineness = Fineness::Segments(32);

/// What stands in sections of its own.
#[derive(Default)]
struct Sections {
    assets: String,
    actuators: String,
    controls: Vec<f64>,
}

/// A step of the walk through the tree.
enum Do {
    Open(BodyId, usize),
    Close(usize),
}

pub(super) fn write(tree: &Tree<'_>, notes: &mut Notes) -> String {
    let mut sections = Sections::default();
    let mut bodies = String::new();
    let world = tree.world;
    for id in world.body_ids().filter(|id| !world.body(*id).is_dynamic()) {
        let body = world.body(id);
        if let Some(shape) = body.shape() {
            geoms(tree, id, shape, &body.start_pose(), 2, &mut bodies, &mut sections, notes);
        }
    }
    let mut waiting: Vec<Do> = tree.children(None).into_iter().rev().map(|id| Do::Open(id, 2)).collect();
    while let Some(next) = waiting.pop() {
        match next {
            Do::Close(depth) => {
                let _ = writeln!(bodies, "{}</body>", "  ".repeat(depth));
            }
            Do::Open(id, depth) => {
                open(tree, id, depth, &mut bodies, &mut sections, notes);
                waiting.push(Do::Close(depth));
                waiting.extend(
                    tree.children(Some(id)).into_iter().rev().map(|child| Do::Open(child, depth + 1)),
                );
            }
        }
    }
    let equalities = equalities(tree, notes);
    let mut text = format!("<mujoco model=\"{}\">\n", escaped(&tree.title));
    text += "  <compiler angle=\"radian\" autolimits=\"true\"/>\n";
    let _ = writeln!(text, "  <option gravity=\"{}\"/>", numbers(&world.gravity().to_array()));
    for (name, section) in [("asset", &sections.assets), ("worldbody", &bodies)] {
        if !section.is_empty() {
            let _ = writeln!(text, "  <{name}>\n{section}  </{name}>");
        }
    }
    for (name, section) in [("equality", &equalities), ("actuator", &sections.actuators)] {
        if !section.is_empty() {
            let _ = writeln!(text, "  <{name}>\n{section}  </{name}>");
        }
    }
    if !sections.controls.is_empty() {
        let _ = writeln!(
            text,
            "  <keyframe>\n    <key name=\"start\" ctrl=\"{}\"/>\n  </keyframe>",
            numbers(&sections.controls)
        );
    }
    text + "</mujoco>\n"
}

fn pose_attributes(pose: &Pose) -> String {
    let q = pose.orientation;
    let mut text = String::new();
    if pose.position != DVec3::ZERO {
        let _ = write!(text, " pos=\"{}\"", numbers(&pose.position.to_array()));
    }
    if q != DQuat::IDENTITY {
        let _ = write!(text, " quat=\"{}\"", numbers(&[q.w, q.x, q.y, q.z]));
    }
    text
}

fn open(
    tree: &Tree<'_>,
    id: BodyId,
    depth: usize,
    text: &mut String,
    sections: &mut Sections,
    notes: &mut Notes,
) {
    let margin = "  ".repeat(depth);
    let body = tree.world.body(id);
    let name = escaped(&tree.world.body_name(id));
    let _ = writeln!(text, "{margin}<body name=\"{name}\"{}>", pose_attributes(&tree.relative(id)));
    let inertia = body.inertia();
    let i = inertia.inertia_body;
    let full = [i.x_axis.x, i.y_axis.y, i.z_axis.z, i.y_axis.x, i.z_axis.x, i.z_axis.y];
    let _ = writeln!(
        text,
        "{margin}  <inertial pos=\"0 0 0\" mass=\"{}\" fullinertia=\"{}\"/>",
        inertia.mass,
        numbers(&full)
    );
    match tree.joint(id) {
        None => {
            let _ = writeln!(text, "{margin}  <freejoint/>");
        }
        Some(joint) => {
            let (coordinates, point) = tree.coordinates(id);
            let is_ball =
                matches!(joint.joint().kind(), JointKind::Ball) && joint.joint().controls().is_empty();
            if is_ball {
                let (name, at) = (escaped(joint.name()), numbers(&point.to_array()));
                let _ = writeln!(text, "{margin}  <joint name=\"{name}\" type=\"ball\" pos=\"{at}\"/>");
            } else {
                for coordinate in &coordinates {
                    write_joint(
                        tree,
                        joint.joint().controls(),
                        coordinate,
                        point,
                        &margin,
                        text,
                        sections,
                        notes,
                    );
                }
            }
            if joint.joint().cone().is_some() {
                notes.add(&tree.place, format!("the cone of joint {}", joint.name()), "it does not limit");
            }
        }
    }
    if let Some(shape) = body.shape() {
        let pose = Pose { position: body.shape_origin(), orientation: DQuat::IDENTITY };
        geoms(tree, id, shape, &pose, depth + 1, text, sections, notes);
    }
}

#[expect(clippy::too_many_arguments, reason = "one joint with all that acts in it, into two sections")]
fn write_joint(
    tree: &Tree<'_>,
    controls: &[(dolmen::joint::Axis, Control)],
    coordinate: &Coordinate,
    point: DVec3,
    margin: &str,
    text: &mut String,
    sections: &mut Sections,
    notes: &mut Notes,
) {
    let name = escaped(&coordinate.name);
    let kind = if coordinate.slides { "slide" } else { "hinge" };
    let _ = write!(
        text,
        "{margin}  <joint name=\"{name}\" type=\"{kind}\" pos=\"{}\" axis=\"{}\" ref=\"{}\"",
        numbers(&point.to_array()),
        numbers(&coordinate.direction.to_array()),
        coordinate.start + 0.0
    );
    let steady = |course: &Course| match course {
        Course::Constant(value) => Some(*value),
        _ => None,
    };
    for (_, control) in controls.iter().filter(|(axis, _)| *axis == coordinate.axis) {
        let mut actuate = |element: String, control: f64| {
            let _ = writeln!(sections.actuators, "    <{element} joint=\"{name}\"/>");
            sections.controls.push(control);
        };
        match control {
            Control::Limit { lower, upper, restitution } => {
                if lower.is_finite() && upper.is_finite() && lower < upper {
                    let _ = write!(text, " range=\"{}\"", numbers(&[*lower, *upper]));
                } else {
                    let what = format!("limits of {}, on one side or equal", coordinate.name);
                    notes.add(&tree.place, what, "it is not limited");
                }
                if *restitution > 0.0 {
                    notes.add(&tree.place, "restitution of limits", "MuJoCo's limits are soft");
                }
            }
            Control::Spring { stiffness, rest, damping } => {
                let _ = write!(text, " stiffness=\"{stiffness}\" springref=\"{rest}\" damping=\"{damping}\"");
            }
            Control::Friction(friction) => {
                let _ = write!(text, " frictionloss=\"{}\"", friction.constant);
                if friction.coefficient != 0.0 {
                    notes.add(&tree.place, "friction of a joint under load", "only its constant part acts");
                }
            }
            Control::Force(course) if steady(course).is_some() => {
                actuate("motor".to_owned(), steady(course).unwrap_or(0.0));
            }
            Control::Position { target, stiffness, damping, largest } if steady(target).is_some() => {
                let range = if largest.is_finite() {
                    format!(" forcerange=\"-{largest} {largest}\"")
                } else {
                    String::new()
                };
                actuate(
                    format!("position kp=\"{stiffness}\" kv=\"{damping}\"{range}"),
                    steady(target).unwrap_or(0.0),
                );
            }
            _ => {
                let what = format!("a motor of {} by velocity, motion or a course in time", coordinate.name);
                notes.add(&tree.place, what, "it does not act");
            }
        }
    }
    *text += "/>\n";
}

#[expect(clippy::too_many_arguments, reason = "a shape with its place, into two sections")]
fn geoms(
    tree: &Tree<'_>,
    id: BodyId,
    shape: &Shape,
    pose: &Pose,
    depth: usize,
    text: &mut String,
    sections: &mut Sections,
    notes: &mut Notes,
) {
    let world = tree.world;
    let material = world.surface(id, id);
    let margin = "  ".repeat(depth);
    let friction = format!(
        " friction=\"{}\" condim=\"{}\"",
        numbers(&[material.kinetic_friction, material.spinning_resistance, material.rolling_resistance]),
        if material.rolling_resistance > 0.0 {
            6
        } else if material.spinning_resistance > 0.0 {
            4
        } else {
            3
        }
    );
    if material.restitution > 0.0 {
        notes.add(&tree.place, "restitution", "MuJoCo's contacts have none");
    }
    let mut put = |kind: &str, size: &[f64], pose: &Pose| {
        let _ = writeln!(
            text,
            "{margin}<geom type=\"{kind}\" size=\"{}\"{}{friction}/>",
            numbers(size),
            pose_attributes(pose)
        );
    };
    match shape {
        Shape::Sphere { radius } => put("sphere", &[*radius], pose),
        Shape::Cuboid { half } => put("box", &half.to_array(), pose),
        Shape::Capsule { radius, half_length } => put("capsule", &[*radius, *half_length], pose),
        Shape::Cylinder { radius, half_length } => put("cylinder", &[*radius, *half_length], pose),
        Shape::Ellipsoid { half } => put("ellipsoid", &half.to_array(), pose),
        Shape::Disc { radius } => {
            notes.add(&tree.place, "a disc without thickness", "it has a thousandth of its radius");
            put("cylinder", &[*radius, 5e-4 * radius], pose);
        }
        Shape::Plane(plane) => {
            let normal = plane.normal();
            let own = Pose { position: normal * plane.offset(), orientation: from_z(normal) };
            if plane.corners().is_some() {
                notes.add(&tree.place, "a piece of a plane", "MuJoCo's planes are infinite");
            }
            put("plane", &[0.0, 0.0, 1.0], &compose(pose, &own));
        }
        Shape::Compound(parts) => {
            for part in parts {
                geoms(tree, id, &part.shape, &compose(pose, &part.pose), depth, text, sections, notes);
            }
        }
        Shape::Hull(_) | Shape::Mesh(_) | Shape::Cone { .. } => {
            let surface = triangulate(shape, ROUND, 0.0);
            let (points, _) = surface.outline();
            let points: Vec<f64> = match shape {
                Shape::Hull(hull) => hull.vertices().iter().flat_map(DVec3::to_array).collect(),
                Shape::Mesh(mesh) => mesh.vertices().iter().flat_map(DVec3::to_array).collect(),
                _ => points.iter().flat_map(DVec3::to_array).collect(),
            };
            match shape {
                Shape::Mesh(_) => notes.add(&tree.place, "a mesh", "MuJoCo collides with its convex hull"),
                Shape::Cone { .. } => notes.add(&tree.place, "a cone", "a pyramid stands for it"),
                _ => {}
            }
            let number = sections.assets.lines().count() + 1;
            let _ = writeln!(
                sections.assets,
                "    <mesh name=\"mesh {number}\" vertex=\"{}\"/>",
                numbers(&points)
            );
            let _ = writeln!(
                text,
                "{margin}<geom type=\"mesh\" mesh=\"mesh {number}\"{}{friction}/>",
                pose_attributes(pose)
            );
        }
    }
}

fn equalities(tree: &Tree<'_>, notes: &mut Notes) -> String {
    let mut text = String::new();
    for index in &tree.closing {
        let joint = &tree.world.joints()[*index];
        let [a, b] = joint.bodies();
        let name = |body: Option<BodyId>| {
            let moving = body.filter(|id| tree.world.body(*id).is_dynamic());
            moving.map_or_else(|| "world".to_owned(), |id| escaped(&tree.world.body_name(id)))
        };
        let at = numbers(&joint.frames()[0].position.to_array());
        match joint.joint().kind() {
            JointKind::Ball => {
                let _ = writeln!(
                    text,
                    "    <connect body1=\"{}\" body2=\"{}\" anchor=\"{at}\"/>",
                    name(a),
                    name(b)
                );
            }
            JointKind::Weld => {
                let _ = writeln!(text, "    <weld body1=\"{}\" body2=\"{}\"/>", name(a), name(b));
            }
            other => {
                let what = format!("joint {}, a {} beside the tree", joint.name(), other.name());
                notes.add(&tree.place, what, "it does not hold");
            }
        }
    }
    for coupling in tree.world.couplings() {
        let [first, second] =
            [&coupling.coupling.first.0, &coupling.coupling.second.0].map(|name| escaped(name));
        let _ = writeln!(
            text,
            "    <joint joint1=\"{second}\" joint2=\"{first}\" polycoef=\"0 {} 0 0 0\"/>",
            coupling.coupling.factor
        );
    }
    text
}
