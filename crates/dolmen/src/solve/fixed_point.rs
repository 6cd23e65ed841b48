//! x = g(x) by rounds, each of which is costly: Anderson's extrapolation. [Walker, Ni 2011]

/// A change of the residual that the others leave less than this share of tells nothing new.
const DEPENDENT: f64 = 1e-8;

/// What the rounds so far tell of g.
///
/// With r = g(x) − x, and the changes Δxⱼ and Δrⱼ of as many rounds as there are unknowns, the next x is
///
/// ```text
/// x + r − Σ γⱼ (Δxⱼ + Δrⱼ),    γ such that |r − Σ γⱼ Δrⱼ| is least.
/// ```
///
/// Of a linear g in n unknowns the answer is found after n + 1 rounds, however slowly x ← g(x) would come to it.
#[derive(Debug, Clone, Default)]
pub struct FixedPoint {
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// Δx and Δr, the latest first.
    changes: Vec<(Vec<f64>, Vec<f64>)>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

impl FixedPoint {
    /// Where to go from `x`, of which g is `image`. A round that has come no nearer ends what was known: then it is `image`.
    pub fn next(&mut self, x: &[f64], image: &[f64]) -> Vec<f64> {
        let r = difference(image, x);
        if let Some((x_last, r_last)) = self.last.take() {
            if dot(&r, &r) < dot(&r_last, &r_last) {
                self.changes.insert(0, (difference(x, &x_last), difference(&r, &r_last)));
                self.changes.truncate(x.len());
            } else {
                self.changes.clear();
            }
        }
        let mut next = image.to_vec();
        // Gram–Schmidt over the Δr, with the Δx + Δr carried along.
        let (mut left, mut basis) = (r.clone(), Vec::<(Vec<f64>, Vec<f64>)>::new());
        for (dx, dr) in &self.changes {
            let (mut q, mut moves) = (dr.clone(), difference(dr, &dx.iter().map(|v| -v).collect::<Vec<_>>()));
            for (known, known_moves) in &basis {
                let along = dot(known, &q) / dot(known, known);
                q.iter_mut().zip(known).for_each(|(q, known)| *q -= along * known);
                moves.iter_mut().zip(known_moves).for_each(|(m, known)| *m -= along * known);
            }
            if dot(&q, &q) <= DEPENDENT * DEPENDENT * dot(dr, dr) {
                continue;
            }
            let share = dot(&q, &left) / dot(&q, &q);
            left.iter_mut().zip(&q).for_each(|(left, q)| *left -= share * q);
            next.iter_mut().zip(&moves).for_each(|(next, m)| *next -= share * m);
            basis.push((q, moves));
        }
        self.last = Some((x.to_vec(), r));
        if next.iter().all(|v| v.is_finite()) { next } else { image.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::FixedPoint;

    /// Rounds until g(x) − x is below 1e-12.
    fn rounds(start: &[f64], g: impl Fn(&[f64]) -> Vec<f64>) -> (usize, Vec<f64>) {
        let (mut x, mut point) = (start.to_vec(), FixedPoint::default());
        for count in 1..1000 {
            let image = g(&x);
            if image.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12) {
                return (count, x);
            }
            x = point.next(&x, &image);
        }
        (1000, x)
    }

    /// x ← A x + b with eigenvalues 0.9995, −0.9 and 0.01, where plain rounds take 50 000.
    #[test]
    fn a_linear_map_takes_a_round_for_every_unknown() {
        let g = |x: &[f64]| {
            let (s, d) = (0.5 * (x[0] + x[1]), 0.5 * (x[0] - x[1]));
            let (s, d) = (0.9995 * s + 1.0, -0.9 * d + 2.0);
            vec![s + d, s - d, 0.01 * x[2] + 0.1 * s + 3.0]
        };
        let (count, x) = rounds(&[0.0; 3], g);
        assert!(count <= 6, "{count} rounds");
        let (s, d) = (1.0 / 0.0005, 2.0 / 1.9);
        let third = (0.1 * (0.9995 * s + 1.0) + 3.0) / 0.99;
        for (got, wanted) in x.iter().zip([s + d, s - d, third]) {
            assert!((got - wanted).abs() < 1e-6 * wanted.abs(), "{got} for {wanted}");
        }
    }

    /// A bound that acts at the answer but not at the start: friction that stops a row, or is at its largest.
    #[test]
    fn a_bound_on_the_way_is_found() {
        let g = |x: &[f64]| vec![(0.99 * x[0] + 0.1).clamp(-3.0, 3.0), (0.95 * x[1] + 0.1).clamp(-3.0, 3.0)];
        let (count, x) = rounds(&[0.0; 2], g);
        assert!(count <= 12, "{count} rounds");
        assert!((x[0] - 3.0).abs() < 1e-10 && (x[1] - 2.0).abs() < 1e-10, "{x:?}");
    }

    #[test]
    fn where_nothing_changes_nothing_is_moved() {
        assert_eq!(rounds(&[1.0, 2.0], <[f64]>::to_vec), (1, vec![1.0, 2.0]));
    }
}
