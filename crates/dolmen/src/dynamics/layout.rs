//! The state vector of an island: which number stands where.

use crate::body::BodyState;
use crate::math::{DMat3, DQuat, DVec3, dvec3, quaternion_of};
use crate::world::Form;

/// Offsets in the block of one body. The position comes first, the orientation at 3, then P and L.
pub(crate) const ORIENTATION: usize = 3;

impl Form {
    /// Numbers of one body: 13 with a quaternion, 18 with a matrix.
    pub(crate) fn body_size(self) -> usize {
        match self {
            Self::Quaternion => 13,
            Self::Matrix => 18,
        }
    }

    /// Where P starts; L follows.
    pub(crate) fn momentum_offset(self) -> usize {
        self.body_size() - 6
    }
}

/// Three numbers as a vector.
pub(crate) fn vector(y: &[f64]) -> DVec3 {
    dvec3(y[0], y[1], y[2])
}

/// The quaternion of a block, as it stands: w, x, y, z, not normalised.
pub(crate) fn quaternion(y: &[f64]) -> DQuat {
    DQuat::from_xyzw(y[1], y[2], y[3], y[0])
}

/// The matrix of a block, as it stands, by columns.
pub(crate) fn matrix(y: &[f64]) -> DMat3 {
    DMat3::from_cols(vector(y), vector(&y[3..]), vector(&y[6..]))
}

/// Copies a vector into three numbers.
pub(crate) fn put(y: &mut [f64], v: DVec3) {
    y[..3].copy_from_slice(&v.to_array());
}

/// Writes a body's state into its block.
pub(crate) fn pack(form: Form, state: &BodyState, y: &mut [f64]) {
    put(y, state.position);
    match form {
        Form::Quaternion => put_quaternion(&mut y[ORIENTATION..], state.orientation),
        Form::Matrix => put_matrix(&mut y[ORIENTATION..], &DMat3::from_quat(state.orientation)),
    }
    let momentum = form.momentum_offset();
    put(&mut y[momentum..], state.momentum);
    put(&mut y[momentum + 3..], state.angular_momentum);
}

/// Writes a quaternion, w first.
pub(crate) fn put_quaternion(y: &mut [f64], q: DQuat) {
    y[..4].copy_from_slice(&[q.w, q.x, q.y, q.z]);
}

/// Writes a matrix, by columns.
pub(crate) fn put_matrix(y: &mut [f64], m: &DMat3) {
    y[..9].copy_from_slice(&m.to_cols_array());
}

/// Reads a body's state from its block; the orientation is normalised.
pub(crate) fn unpack(form: Form, y: &[f64]) -> BodyState {
    let momentum = form.momentum_offset();
    let orientation = match form {
        Form::Quaternion => quaternion(&y[ORIENTATION..]).normalize(),
        Form::Matrix => quaternion_of(&matrix(&y[ORIENTATION..])),
    };
    BodyState {
        position: vector(y),
        orientation,
        momentum: vector(&y[momentum..]),
        angular_momentum: vector(&y[momentum + 3..]),
    }
}

/// The rotation as the equations of motion use it: of the normalised quaternion, or the matrix as it stands.
pub(crate) fn rotation(form: Form, y: &[f64]) -> DMat3 {
    match form {
        Form::Quaternion => DMat3::from_quat(quaternion(&y[ORIENTATION..]).normalize()),
        Form::Matrix => matrix(&y[ORIENTATION..]),
    }
}
