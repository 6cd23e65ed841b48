//! Poses one after the other.

use dolmen::math::{DMat3, DQuat, DVec3, Pose, quaternion_of, real};

/// `outer` and then `inner` in its frame: the pose of the inner frame where the outer one is given.
pub(crate) fn compose(outer: &Pose, inner: &Pose) -> Pose {
    Pose {
        position: outer.point(inner.position),
        orientation: (outer.orientation * inner.orientation).normalize(),
    }
}

/// The pose of the outside seen from the frame.
pub(crate) fn inverse(pose: &Pose) -> Pose {
    let orientation = pose.orientation.conjugate();
    Pose { position: -(orientation * pose.position), orientation }
}

/// A turn about a unit axis by the right hand, rad.
pub(crate) fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = real::sin_cos(angle / 2.0);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// A turn about an axis through a point.
pub(crate) fn turn_about(point: DVec3, orientation: DQuat) -> Pose {
    Pose { position: point - orientation * point, orientation }
}

/// The direction of a vector; none for zero and for what is not finite.
pub(crate) fn unit(vector: DVec3) -> Option<DVec3> {
    let largest = vector.abs().max_element();
    (largest > 0.0 && largest.is_finite()).then(|| (vector / largest).normalize())
}

/// The shortest turn that takes z to a unit vector.
pub(crate) fn from_z(direction: DVec3) -> DQuat {
    let across = DVec3::Z.cross(direction);
    match unit(across) {
        Some(axis) => turn(axis, real::atan2(across.length(), direction.z)),
        None if direction.z < 0.0 => DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        None => DQuat::IDENTITY,
    }
}

/// The rotation with these columns.
pub(crate) fn from_axes(x: DVec3, y: DVec3, z: DVec3) -> DQuat {
    quaternion_of(&DMat3::from_cols(x, y, z))
}

/// Fixed axes: first about x by roll, then about y by pitch, then about z by yaw (URDF, SDFormat).
pub(crate) fn roll_pitch_yaw([roll, pitch, yaw]: [f64; 3]) -> DQuat {
    (turn(DVec3::Z, yaw) * turn(DVec3::Y, pitch) * turn(DVec3::X, roll)).normalize()
}
