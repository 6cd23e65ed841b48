//! Coordinates of joints: how far they are turned and moved.

use dolmen::body::Kinematics;
use dolmen::joint::{Axis, JointKind, Turns};
use dolmen::math::{DVec3, Pose, Twist};

use crate::engine::Engine;

/// Joint, axis, coordinate (m or rad) and rate. Angles are in (−π, π].
pub(crate) type Coordinate = (String, &'static str, f64, f64);

/// The coordinates of all joints that have few: hinges, sliders and their like.
pub(crate) fn coordinates(engine: &Engine) -> Vec<Coordinate> {
    let mut found = Vec::new();
    for joint in engine.world().joints() {
        let [a, b] = joint.bodies().map(|id| Kinematics {
            pose: id.map_or(Pose::IDENTITY, |id| engine.pose(id)),
            twist: id.map_or(Twist::ZERO, |id| engine.twist(id)),
            acceleration: DVec3::ZERO,
            spin_rate: DVec3::ZERO,
        });
        let geometry = joint.geometry(&a, &b);
        for axis in axes(joint.joint().kind()) {
            let jet = joint.coordinate(&geometry, *axis, &Turns::default());
            found.push((joint.name().to_owned(), axis.name(), jet.value, jet.rate));
        }
    }
    found
}

fn axes(kind: &JointKind) -> &'static [Axis] {
    match kind {
        JointKind::Hinge => &[Axis::TurnZ],
        JointKind::Slider => &[Axis::Z],
        JointKind::Cylindrical | JointKind::Screw { .. } => &[Axis::Z, Axis::TurnZ],
        JointKind::Universal => &[Axis::TurnX, Axis::TurnY],
        JointKind::Planar => &[Axis::X, Axis::Y, Axis::TurnZ],
        _ => &[],
    }
}
