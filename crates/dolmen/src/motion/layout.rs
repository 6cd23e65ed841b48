//! The state vector of an island: which number stands where.

use crate::body::{BodyState, Inertia};
use crate::math::{DMat3, DQuat, DVec3, dvec3};
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

/// The unit quaternion of a rotation matrix, by its largest diagonal combination, so that the root never comes near
/// zero. [NOTES I]
pub fn quaternion_of(m: &DMat3) -> DQuat {
    let e = |row: usize, column: usize| m.col(column)[row];
    let trace = e(0, 0) + e(1, 1) + e(2, 2);
    let q = if trace > 0.0 {
        let s = (1.0 + trace).sqrt();
        let f = 0.5 / s;
        DQuat::from_xyzw((e(2, 1) - e(1, 2)) * f, (e(0, 2) - e(2, 0)) * f, (e(1, 0) - e(0, 1)) * f, 0.5 * s)
    } else {
        let i = (1..3).fold(0, |best, k| if e(k, k) > e(best, best) { k } else { best });
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let s = (1.0 + e(i, i) - e(j, j) - e(k, k)).sqrt();
        let f = 0.5 / s;
        let mut v = [0.0; 3];
        v[i] = 0.5 * s;
        v[j] = (e(j, i) + e(i, j)) * f;
        v[k] = (e(k, i) + e(i, k)) * f;
        DQuat::from_xyzw(v[0], v[1], v[2], (e(k, j) - e(j, k)) * f)
    };
    q.normalize()
}

/// A right-handed orthonormal matrix, by Gram and Schmidt: the first column keeps its direction.
pub fn orthonormal(m: &DMat3) -> DMat3 {
    let x = m.x_axis.normalize();
    let y = (m.y_axis - x * x.dot(m.y_axis)).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

/// Radius of gyration: the size of a body as its inertia sees it, m.
pub(crate) fn gyration(inertia: &Inertia) -> f64 {
    (0.5 * inertia.moments.element_sum() * inertia.inv_mass).sqrt()
}
