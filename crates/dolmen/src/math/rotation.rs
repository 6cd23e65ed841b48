//! Rotation matrices: as quaternions, and made orthonormal again.

use super::{DMat3, DQuat};

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
