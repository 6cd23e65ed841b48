//! A tree as URDF. Everything hangs on a link `world`; a joint with several coordinates is a row of links without mass.

use std::fmt::Write as _;

use dolmen::id::BodyId;
use dolmen::joint::{Axis, Control, FittedJoint};
use dolmen::math::{DMat3, DQuat, DVec3, Pose, real};
use dolmen::shape::Shape;

use super::{Coordinate, Tree, escaped, numbers};
use crate::frame::compose;
use crate::note::Notes;

pub(super) fn write(tree: &Tree<'_>, notes: &mut Notes) -> String {
    let world = tree.world;
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n  <link name=\"world\">\n",
        escaped(&tree.title)
    );
    for id in world.body_ids().filter(|id| !world.body(*id).is_dynamic()) {
        if let Some(shape) = world.body(id).shape() {
            collisions(tree, shape, &world.body(id).start_pose(), &mut text, notes);
        }
    }
    text += "  </link>\n";
    for id in world.body_ids().filter(|id| world.body(*id).is_dynamic()) {
        link(tree, id, &mut text, notes);
        joints(tree, id, &mut text, notes);
    }
    for index in &tree.closing {
        let joint = &world.joints()[*index];
        let what = format!("joint {}, a {} beside the tree", joint.name(), joint.joint().kind().name());
        notes.add(&tree.place, what, "it does not hold: a URDF is a tree");
    }
    for coupling in world.couplings() {
        let what = format!("the gear {}", coupling.coupling.name);
        notes.add(&tree.place, what, "the joints move without each other");
    }
    if world.gravity() != DVec3::new(0.0, 0.0, -9.81) {
        notes.add(&tree.place, "gravity", "a URDF does not say it");
    }
    notes.add(&tree.place, "materials of surfaces", "a URDF does not say them");
    text + "</robot>\n"
}

/// Roll, pitch and yaw of a rotation: R = Rz(yaw) Ry(pitch) Rx(roll).
fn angles(q: DQuat) -> [f64; 3] {
    let m = DMat3::from_quat(q);
    let across = (m.x_axis.x * m.x_axis.x + m.x_axis.y * m.x_axis.y).sqrt();
    let pitch = real::atan2(-m.x_axis.z, across);
    if across > 1e-12 {
        return [real::atan2(m.y_axis.z, m.z_axis.z), pitch, real::atan2(m.x_axis.y, m.x_axis.x)];
    }
    // Straight up or down: roll and yaw are one turn.
    [real::atan2(-m.z_axis.y, m.y_axis.y), pitch, 0.0]
}

fn origin(pose: &Pose) -> String {
    format!(
        "<origin xyz=\"{}\" rpy=\"{}\"/>",
        numbers(&pose.position.to_array()),
        numbers(&angles(pose.orientation))
    )
}

fn link(tree: &Tree<'_>, id: BodyId, text: &mut String, notes: &mut Notes) {
    let body = tree.world.body(id);
    let inertia = body.inertia();
    let i = inertia.inertia_body;
    let _ = writeln!(text, "  <link name=\"{}\">", escaped(&tree.world.body_name(id)));
    let _ = writeln!(
        text,
        "    <inertial><mass value=\"{}\"/><inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/></inertial>",
        inertia.mass, i.x_axis.x, i.y_axis.x, i.z_axis.x, i.y_axis.y, i.z_axis.y, i.z_axis.z
    );
    if let Some(shape) = body.shape() {
        let pose = Pose { position: body.shape_origin(), orientation: DQuat::IDENTITY };
        collisions(tree, shape, &pose, text, notes);
    }
    *text += "  </link>\n";
}

fn collisions(tree: &Tree<'_>, shape: &Shape, pose: &Pose, text: &mut String, notes: &mut Notes) {
    let mut put = |geometry: String, pose: &Pose| {
        let _ = writeln!(text, "    <collision>{}<geometry>{geometry}</geometry></collision>", origin(pose));
    };
    match shape {
        Shape::Sphere { radius } => put(format!("<sphere radius=\"{radius}\"/>"), pose),
        Shape::Cuboid { half } => {
            put(format!("<box size=\"{}\"/>", numbers(&(*half * 2.0).to_array())), pose);
        }
        Shape::Cylinder { radius, half_length } => {
            put(format!("<cylinder radius=\"{radius}\" length=\"{}\"/>", 2.0 * half_length), pose);
        }
        Shape::Capsule { radius, half_length } => {
            // Exactly a cylinder with a ball at either end.
            put(format!("<cylinder radius=\"{radius}\" length=\"{}\"/>", 2.0 * half_length), pose);
            for end in [-half_length, *half_length] {
                let at = Pose { position: DVec3::new(0.0, 0.0, end), orientation: DQuat::IDENTITY };
                put(format!("<sphere radius=\"{radius}\"/>"), &compose(pose, &at));
            }
        }
        Shape::Compound(parts) => {
            for part in parts {
                collisions(tree, &part.shape, &compose(pose, &part.pose), text, notes);
            }
        }
        _ => notes.add(&tree.place, "a shape other than box, sphere, cylinder and capsule", "it is left out"),
    }
}

fn joints(tree: &Tree<'_>, id: BodyId, text: &mut String, notes: &mut Notes) {
    let name = escaped(&tree.world.body_name(id));
    let parent =
        tree.parent(id).map_or_else(|| "world".to_owned(), |parent| escaped(&tree.world.body_name(parent)));
    let relative = tree.relative(id);
    let Some(joint) = tree.joint(id) else {
        let _ = writeln!(
            text,
            "  <joint name=\"{name} floats\" type=\"floating\">{}<parent link=\"{parent}\"/><child link=\"{name}\"/></joint>",
            origin(&relative)
        );
        return;
    };
    let (coordinates, point) = tree.coordinates(id);
    if coordinates.is_empty() {
        let _ = writeln!(
            text,
            "  <joint name=\"{}\" type=\"fixed\">{}<parent link=\"{parent}\"/><child link=\"{name}\"/></joint>",
            escaped(joint.name()),
            origin(&relative)
        );
        return;
    }
    // Links without mass at the joint's point, with the axes of the body; the last joint leads back to its centre.
    let mut above = parent;
    let at_joint = compose(&relative, &Pose { position: point, orientation: DQuat::IDENTITY });
    for (k, coordinate) in coordinates.iter().enumerate() {
        let below = format!("{name} behind {}", escaped(&coordinate.name));
        let _ = writeln!(text, "  <link name=\"{below}\"/>");
        let placed = if k == 0 { at_joint } else { Pose::IDENTITY };
        one(tree, joint, coordinate, [&above, &below], &placed, text, notes);
        above = below;
    }
    let back = Pose { position: -point, orientation: DQuat::IDENTITY };
    let _ = writeln!(
        text,
        "  <joint name=\"{name} on {above}\" type=\"fixed\">{}<parent link=\"{above}\"/><child link=\"{name}\"/></joint>",
        origin(&back)
    );
}

#[expect(clippy::too_many_arguments, reason = "one joint with its two links")]
fn one(
    tree: &Tree<'_>,
    joint: &FittedJoint,
    coordinate: &Coordinate,
    [parent, child]: [&str; 2],
    pose: &Pose,
    text: &mut String,
    notes: &mut Notes,
) {
    let mut kind = if coordinate.slides { "prismatic" } else { "continuous" };
    let mut inside = String::new();
    let unlimited = 1e6;
    let mut limits = [-unlimited, unlimited];
    let of_axis = |axis: &Axis| *axis == coordinate.axis;
    for (_, control) in joint.joint().controls().iter().filter(|(axis, _)| of_axis(axis)) {
        match control {
            Control::Limit { lower, upper, .. } => {
                kind = if coordinate.slides { "prismatic" } else { "revolute" };
                limits = [lower.max(-unlimited) - coordinate.start, upper.min(unlimited) - coordinate.start];
            }
            Control::Spring { stiffness, damping, .. } => {
                let _ = write!(inside, "<dynamics damping=\"{damping}\"/>");
                if *stiffness != 0.0 {
                    notes.add(&tree.place, "springs of joints", "a URDF has none");
                }
            }
            Control::Friction(friction) => {
                let _ = write!(inside, "<dynamics friction=\"{}\"/>", friction.constant);
            }
            _ => notes.add(&tree.place, "motors of joints", "a URDF has none"),
        }
    }
    if kind != "continuous" {
        let _ = write!(
            inside,
            "<limit lower=\"{}\" upper=\"{}\" effort=\"1e6\" velocity=\"1e6\"/>",
            limits[0], limits[1]
        );
    }
    if coordinate.start != 0.0 {
        notes.add(&tree.place, "coordinates that do not start at zero", "zero is the start");
    }
    let _ = writeln!(
        text,
        "  <joint name=\"{}\" type=\"{kind}\">{}<parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{}\"/>{inside}</joint>",
        escaped(&coordinate.name),
        origin(pose),
        numbers(&coordinate.direction.to_array())
    );
}
