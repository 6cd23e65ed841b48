//! Eigenvalues and eigenvectors of a symmetric 3×3 matrix.

use super::{DMat3, DVec3};

/// Sweeps after which the iteration stops whatever is left. Convergence is quadratic: six suffice for any matrix met in
/// the tests, and a matrix with NaN in it would otherwise never end.
const MAX_SWEEPS: usize = 32;

/// An off-diagonal entry below this times √|a₁₁ a₂₂| is zero: it moves neither eigenvalue by a quarter of a rounding.
/// A decade more costs digits of small eigenvalues, a decade less costs a sweep.
const NEGLIGIBLE: f64 = f64::EPSILON / 256.0;

/// Eigenvalues in ascending order and the matrix whose columns are the eigenvectors, right-handed.
///
/// m = axes · diag(values) · axesᵀ, by cyclic Jacobi rotations [Golub, Van Loan, Matrix Computations, 8.5]. Only the upper
/// triangle of `m` is read. A matrix that is already diagonal returns its own entries, bit for bit, and a signed
/// permutation. For a positive definite matrix even the small eigenvalues have full relative accuracy. Entries that are
/// not finite return entries that are not finite.
pub fn symmetric(m: DMat3) -> (DVec3, DMat3) {
    // a[row][column]; only row ≤ column is kept up to date.
    let mut a = [
        [m.x_axis.x, m.y_axis.x, m.z_axis.x],
        [m.y_axis.x, m.y_axis.y, m.z_axis.y],
        [m.z_axis.x, m.z_axis.y, m.z_axis.z],
    ];
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotated |= rotate(&mut a, &mut axes, p, q);
        }
        if !rotated {
            break;
        }
    }

    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let values = DVec3::new(a[order[0]][order[0]], a[order[1]][order[1]], a[order[2]][order[2]]);
    let (x, y, mut z) = (axes[order[0]], axes[order[1]], axes[order[2]]);
    if x.cross(y).dot(z) < 0.0 {
        z = -z;
    }
    (values, DMat3::from_cols(x, y, z))
}

/// One Jacobi rotation in the plane (p, q), p < q; says whether there was anything to do.
///
/// t = tan θ is the smaller root of t² + 2 τ t − 1 = 0, τ = (a₂₂ − a₁₁) / 2 a₁₂, with 1 and 2 for p and q.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let apq = a[p][q];
    // The product of the roots, not the root of the product: no overflow.
    if apq.abs() <= NEGLIGIBLE * a[p][p].abs().sqrt() * a[q][q].abs().sqrt() {
        a[p][q] = 0.0;
        return false;
    }
    let tau = (a[q][q] - a[p][p]) / (2.0 * apq);
    // A τ whose square overflows gives t = 0, which is right to the last bit.
    let t = if tau >= 0.0 { 1.0 } else { -1.0 } / (tau.abs() + (tau * tau + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;

    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    a[p][q] = 0.0;
    let r = 3 - p - q;
    let (arp, arq) = (a[r.min(p)][r.max(p)], a[r.min(q)][r.max(q)]);
    a[r.min(p)][r.max(p)] = c * arp - s * arq;
    a[r.min(q)][r.max(q)] = s * arp + c * arq;

    let (xp, xq) = (axes[p], axes[q]);
    axes[p] = c * xp - s * xq;
    axes[q] = s * xp + c * xq;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, dvec3};
    use proptest::prelude::*;

    /// max |m − V diag(λ) Vᵀ| and max |Vᵀ V − 1|.
    fn residuals(m: DMat3, values: DVec3, axes: DMat3) -> (f64, f64) {
        let back = axes * DMat3::from_diagonal(values) * axes.transpose();
        let largest = |d: DMat3| d.to_cols_array().iter().fold(0.0_f64, |worst, x| worst.max(x.abs()));
        (largest(m - back), largest(axes.transpose() * axes - DMat3::IDENTITY))
    }

    /// Nothing to rotate: the values are copied and the axes are unit vectors, whatever the order of the entries.
    #[test]
    fn a_diagonal_matrix_comes_back_bit_for_bit() {
        for diagonal in [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1], [0.3, 0.2, 0.1], [0.7, 0.7, 0.1]]
        {
            let (values, axes) = symmetric(DMat3::from_diagonal(DVec3::from(diagonal)));
            let mut sorted = diagonal;
            sorted.sort_by(f64::total_cmp);
            assert_eq!(values.to_array(), sorted);
            assert!(axes.to_cols_array().iter().all(|x| [0.0, 1.0].contains(&x.abs())), "{axes}");
            assert_eq!(axes.determinant(), 1.0);
        }
    }

    /// The eigenvalues of [[2,1,0],[1,2,1],[0,1,2]] are 2 − √2, 2, 2 + √2.
    #[test]
    fn the_values_of_a_second_difference_are_known() {
        let m = DMat3::from_cols(dvec3(2.0, 1.0, 0.0), dvec3(1.0, 2.0, 1.0), dvec3(0.0, 1.0, 2.0));
        let (values, _) = symmetric(m);
        let expected = dvec3(2.0 - 2.0_f64.sqrt(), 2.0, 2.0 + 2.0_f64.sqrt());
        assert!((values - expected).abs().max_element() < 4.0 * f64::EPSILON, "{values} for {expected}");
    }

    /// A matrix of rank one, a multiple of the identity and zero are no special cases.
    #[test]
    fn singular_and_isotropic_matrices_are_ordinary() {
        let u = dvec3(1.0, -2.0, 3.0);
        let rank_one = DMat3::from_cols(u * u.x, u * u.y, u * u.z);
        for m in [rank_one, DMat3::IDENTITY * 5.0, DMat3::ZERO, rank_one * 1e-200, rank_one * 1e150] {
            let (values, axes) = symmetric(m);
            let scale = m.to_cols_array().iter().fold(0.0_f64, |worst, x| worst.max(x.abs()));
            let (back, orthonormal) = residuals(m, values, axes);
            assert!(
                back <= 8.0 * f64::EPSILON * scale && orthonormal < 8.0 * f64::EPSILON,
                "{values} {axes}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// m = V diag(λ) Vᵀ with orthonormal, right-handed V, for moments up to nine decades apart.
        #[test]
        fn the_decomposition_multiplies_back(
            exponents in prop::array::uniform3(-9.0..0.0_f64),
            turn in prop::array::uniform4(-1.0..1.0_f64),
        ) {
            let q = DQuat::from_array(turn);
            prop_assume!(q.length() > 0.1);
            let r = DMat3::from_quat(q.normalize());
            let diagonal = DVec3::from(exponents.map(|e| crate::math::real::pow(10.0, e)));
            let m = r * DMat3::from_diagonal(diagonal) * r.transpose();
            let m = (m + m.transpose()) * 0.5;
            let (values, axes) = symmetric(m);
            let (back, orthonormal) = residuals(m, values, axes);
            // Each of about twenty rotations adds one rounding to each entry.
            prop_assert!(back <= 32.0 * f64::EPSILON * diagonal.max_element(), "back {back:e}");
            prop_assert!(orthonormal <= 32.0 * f64::EPSILON, "orthonormal {orthonormal:e}");
            prop_assert!(axes.determinant() > 0.0 && values.x <= values.y && values.y <= values.z);
        }
    }
}
