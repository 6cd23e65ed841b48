//! Joints as the page draws them: frames, what is free, and the bounds of it.
//!
//! Frames are fixed in bodies, so this is sent once; where they are and how far along follows from the poses of each frame.

use dolmen::joint::{Control, FittedJoint, JointKind};
use dolmen::math::Pose;
use dolmen::world::{BodyId, World};
use serde_json::{Value, json};

/// Joints that are drawn at most: more could not be told apart.
const MOST_JOINTS: usize = 1000;

/// Every joint of a world, at most a thousand.
pub(crate) fn joints(world: &World) -> Value {
    world.joints().iter().take(MOST_JOINTS).map(joint_json).collect::<Vec<_>>().into()
}

fn joint_json(fitted: &FittedJoint) -> Value {
    let joint = fitted.joint();
    let limits: Vec<Value> = joint
        .controls()
        .iter()
        .filter_map(|(axis, control)| match control {
            // An open bound is null: JSON has no infinity.
            Control::Limit { lower, upper, .. } => Some(json!([axis.name(), lower, upper])),
            _ => None,
        })
        .collect();
    let length =
        matches!(joint.kind(), JointKind::Rod { .. } | JointKind::Rope { .. }).then_some(fitted.length());
    json!({
        "name": fitted.name(),
        "kind": joint.kind().name(),
        "bodies": fitted.bodies().map(|id| id.map(BodyId::index)),
        "frames": fitted.frames().map(|pose| frame_json(&pose)),
        "locked": joint.kind().locked(),
        "limits": limits,
        "cone": joint.cone().map(|cone| cone.largest),
        "length": length,
    })
}

/// Origin, m, and rotation, x, y, z, w, in the body from its centre of mass, or in the world.
fn frame_json(pose: &Pose) -> Value {
    json!([pose.position.to_array(), pose.orientation.to_array()])
}
