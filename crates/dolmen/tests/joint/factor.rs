//! J M⁻¹ Jᵀ λ = b against a dense referee: chains, trees, hubs, loops, redundant and contradictory rows.

use super::common::Random;
use dolmen::articulation::factor::{BlockShape, Factor, Mobility, Nearest};
use dolmen::math::DMat3;
use dolmen::math::least_norm::LeastNorm;

struct Problem {
    shapes: Vec<BlockShape>,
    mobility: Vec<Mobility>,
    parts: Vec<Vec<[[f64; 6]; 6]>>,
}

impl Problem {
    fn new(bodies: usize, shapes: Vec<BlockShape>, random: &mut Random) -> Self {
        let mobility = (0..bodies)
            .map(|_| {
                let r = DMat3::from_quat(random.rotation());
                let moments = (random.vector() + 1.5).recip();
                Mobility {
                    inv_mass: 1.5 + random.number(),
                    inv_inertia: r * DMat3::from_diagonal(moments) * r.transpose(),
                }
            })
            .collect();
        let parts = shapes
            .iter()
            .map(|shape| {
                let part = |_: &usize| std::array::from_fn(|_| std::array::from_fn(|_| random.number()));
                shape.bodies.iter().map(part).collect()
            })
            .collect();
        Self { shapes, mobility, parts }
    }

    fn rows(&self) -> usize {
        self.shapes.iter().map(|shape| shape.rows).sum()
    }

    fn factored(&self) -> Factor {
        let mut factor = Factor::new(self.mobility.len(), &self.shapes);
        factor.factor(|body| self.mobility[body], |block, side, part| *part = self.parts[block][side]);
        factor
    }

    /// The rows on all bodies, densely.
    fn dense_rows(&self) -> Vec<Vec<f64>> {
        let mut rows = Vec::new();
        for (shape, parts) in self.shapes.iter().zip(&self.parts) {
            for r in 0..shape.rows {
                let mut row = vec![0.0; 6 * self.mobility.len()];
                for (body, part) in shape.bodies.iter().zip(parts) {
                    (0..6).for_each(|c| row[6 * body + c] += part[r][c]);
                }
                rows.push(row);
            }
        }
        rows
    }

    /// J M⁻¹ Jᵀ, densely.
    fn dense(&self) -> Vec<Vec<f64>> {
        let rows = self.dense_rows();
        let yielded: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let mut out = vec![0.0; row.len()];
                for (body, m) in self.mobility.iter().enumerate() {
                    for c in 0..3 {
                        out[6 * body + c] = m.inv_mass * row[6 * body + c];
                        for k in 0..3 {
                            out[6 * body + 3 + c] += m.inv_inertia.col(k)[c] * row[6 * body + 3 + k];
                        }
                    }
                }
                out
            })
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        rows.iter().map(|row| yielded.iter().map(|other| dot(row, other)).collect()).collect()
    }

    /// Compares with the dense solution of least norm and least squares; returns the largest difference by the largest λ.
    fn compare(&self, random: &mut Random, consistent: bool) -> f64 {
        let n = self.rows();
        let matrix = self.dense();
        let mut b: Vec<f64> = (0..n).map(|_| random.number()).collect();
        if consistent {
            b = matrix.iter().map(|row| row.iter().zip(&b).map(|(a, x)| a * x).sum()).collect();
        }
        let mut factor = self.factored();
        let mut found = vec![0.0; n];
        let solution = factor.solve(&b, &mut found);
        let mut referee = LeastNorm::default();
        referee.factor(n, |i, j| matrix[i][j]);
        assert_eq!(factor.rank(), referee.rank(), "rank of {n} rows");
        // Least squares, then least norm: A is symmetric, so what is along its null space goes from both.
        let mut wanted = vec![0.0; n];
        let left = referee.solve(&b, &mut wanted);
        if consistent {
            assert!(solution.contradiction < 1e-10, "{solution:?}");
        } else {
            assert!((solution.contradiction - left).abs() < 1e-9, "{solution:?}, referee {left}");
        }
        assert_eq!(solution.is_unique, referee.is_unique());
        let largest = wanted.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        found.iter().zip(&wanted).fold(0.0_f64, |most, (f, w)| most.max((f - w).abs())) / largest
    }
}

fn chain(links: usize, rows: usize) -> Vec<BlockShape> {
    let mut shapes = vec![BlockShape { rows, bodies: vec![0] }];
    shapes.extend((1..links).map(|i| BlockShape { rows, bodies: vec![i - 1, i] }));
    shapes
}

/// Random graphs of joints with 1 to 5 rows, and a coupling of four bodies: the same λ as by dense Householder.
#[test]
fn random_mechanisms_match_a_dense_solution() {
    let mut random = Random::new(11);
    for _ in 0..40 {
        let bodies = 3 + (5.0 * (random.number() + 1.0)) as usize;
        let pick = |random: &mut Random, n: usize| (0.4999 * (random.number() + 1.0) * n as f64) as usize;
        let mut shapes = Vec::new();
        for b in 1..bodies {
            let other = pick(&mut random, b);
            shapes.push(BlockShape { rows: 1 + pick(&mut random, 5), bodies: vec![other, b] });
        }
        shapes.push(BlockShape { rows: 2, bodies: vec![pick(&mut random, bodies)] });
        shapes.push(BlockShape { rows: 1, bodies: vec![0, 1, 2, 1] });
        let problem = Problem::new(bodies, shapes, &mut random);
        let worst = problem.compare(&mut random, true);
        // Condition numbers of these go to 1e4.
        assert!(worst < 1e-9, "{worst}");
    }
}

/// A body with thirty joints is shared out over copies: the same λ as without.
#[test]
fn a_hub_is_the_same_in_pieces() {
    let mut random = Random::new(12);
    let shapes = (1..=30).map(|b| BlockShape { rows: 3, bodies: vec![0, b] }).collect();
    let problem = Problem::new(31, shapes, &mut random);
    let worst = problem.compare(&mut random, true);
    assert!(worst < 1e-9, "{worst}");
}

/// Rows repeated elsewhere: rank, least norm, and least squares of contradictory right sides, as by the dense referee.
#[test]
fn redundant_rows_get_the_least_forces() {
    let mut random = Random::new(13);
    for consistent in [true, false] {
        for _ in 0..20 {
            let mut shapes = chain(5, 3);
            shapes.push(BlockShape { rows: 3, bodies: vec![2, 3] });
            shapes.push(BlockShape { rows: 2, bodies: vec![0] });
            let mut problem = Problem::new(5, shapes, &mut random);
            // The sixth block repeats two rows of the fourth, the last the sum of two rows of the first.
            for side in 0..2 {
                problem.parts[5][side][0] = problem.parts[3][side][1];
                problem.parts[5][side][2] = problem.parts[3][side][0].map(|v| -2.0 * v);
            }
            let first = problem.parts[0][0];
            problem.parts[6][0][1] = std::array::from_fn(|c| first[0][c] + first[2][c]);
            let factor = problem.factored();
            assert_eq!(factor.redundant(), 3);
            for vector in factor.dependencies() {
                let rows = problem.dense_rows();
                for c in 0..30 {
                    let sum: f64 = rows.iter().zip(vector).map(|(row, v)| row[c] * v).sum();
                    assert!(sum.abs() < 1e-12, "a dependency leaves {sum}");
                }
            }
            let worst = problem.compare(&mut random, consistent);
            assert!(worst < 1e-8, "{worst}");
        }
    }
}

/// The blocks of a mechanism of so many bodies.
type Shape = fn(usize) -> Vec<BlockShape>;

/// The cost of a chain, a binary tree and a star grows as their size: operations a link are the same for 10² … 10⁴.
#[test]
fn chains_trees_and_stars_cost_as_many_operations_as_links() {
    let shapes: [(&str, Shape); 3] = [
        ("chain", |n| chain(n, 5)),
        ("tree", |n| (1..n).map(|i| BlockShape { rows: 5, bodies: vec![(i - 1) / 2, i] }).collect()),
        ("star", |n| (1..n).map(|i| BlockShape { rows: 3, bodies: vec![0, i] }).collect()),
    ];
    for (name, shape) in shapes {
        let mut costs = Vec::new();
        for n in [100, 1_000, 10_000] {
            let mut random = Random::new(14);
            let problem = Problem::new(n, shape(n), &mut random);
            let mut factor = problem.factored();
            let b = vec![1.0; problem.rows()];
            let mut lambda = vec![0.0; b.len()];
            factor.solve(&b, &mut lambda);
            costs.push(factor.operations() as f64 / n as f64);
            let largest = lambda.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            let residual = factor.residual(&b, &lambda);
            assert!(residual < 1e-11 * largest.max(1.0), "{name} of {n}: {residual}, λ {largest}");
        }
        println!("{name}: {costs:?} multiplications a link");
        assert!(costs[2] < 1.1 * costs[0], "{name}: {costs:?}");
    }
}

/// A square net of `n` × `n` knots on rods, one corner fixed.
fn net(n: usize) -> Vec<BlockShape> {
    let mut shapes = vec![BlockShape { rows: 3, bodies: vec![0] }];
    for i in 0..n {
        for k in 0..n {
            let here = i * n + k;
            let near = [(i + 1 < n).then_some(here + n), (k + 1 < n).then_some(here + 1)];
            shapes.extend(near.into_iter().flatten().map(|b| BlockShape { rows: 1, bodies: vec![here, b] }));
        }
    }
    shapes
}

/// A small net is solved as by the dense referee; a large one costs as the best orders of elimination do, O(n³) of n² knots, and not
/// O(n⁴) as from edge to edge. [George 1973]
#[test]
fn nets_cost_little_more_than_they_must() {
    let mut random = Random::new(15);
    let worst = Problem::new(16, net(4), &mut random).compare(&mut random, true);
    assert!(worst < 1e-9, "{worst}");
    let mut costs = Vec::new();
    for n in [10, 20, 40] {
        let problem = Problem::new(n * n, net(n), &mut random);
        let mut factor = problem.factored();
        let operations = factor.operations();
        let b = vec![1.0; problem.rows()];
        let mut lambda = vec![0.0; b.len()];
        factor.solve(&b, &mut lambda);
        let largest = lambda.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let residual = factor.residual(&b, &lambda);
        assert!(residual < 1e-11 * largest.max(1.0), "net of {n}: {residual}, λ {largest}");
        println!("net of {n}: {operations} multiplications, {} blocks of fill", factor.fill());
        costs.push(operations as f64);
    }
    // Twice the side: 8 times as much, and something for the logarithm in what least degree leaves; 16 from edge to edge.
    assert!(costs[2] < 12.0 * costs[1], "{costs:?}");
}

/// A λ = b − r with the least Σ|rᵢ|: against all corners of that linear program, each with as many rows that miss as there are
/// combinations of rows that cancel.
#[test]
fn contradictory_rows_get_the_least_sum_of_absolute_values() {
    let mut random = Random::new(29);
    let mut gained = 0;
    for case in 0..30 {
        // Two bodies with more rows than they have freedoms: 14 to 16 for 12.
        let mut shapes =
            vec![BlockShape { rows: 5, bodies: vec![0] }, BlockShape { rows: 5, bodies: vec![0, 1] }];
        shapes.push(BlockShape { rows: 4 + case % 3, bodies: vec![0, 1] });
        let problem = Problem::new(2, shapes, &mut random);
        let (matrix, n) = (problem.dense(), problem.rows());
        let b: Vec<f64> = (0..n).map(|_| random.number()).collect();
        let mut factor = problem.factored();
        let sum = |factor: &mut Factor| {
            let mut found = vec![0.0; n];
            factor.solve(&b, &mut found);
            let left = |row: &Vec<f64>, b: &f64| b - row.iter().zip(&found).map(|(a, x)| a * x).sum::<f64>();
            matrix.iter().zip(&b).map(|(row, b)| left(row, b).abs()).sum::<f64>()
        };
        let squares = sum(&mut factor);
        factor.set_nearest(Nearest::Absolute);
        let absolute = sum(&mut factor);
        let vectors: Vec<Vec<f64>> = factor.dependencies().map(<[f64]>::to_vec).collect();
        assert_eq!(vectors.len(), n - 12, "case {case}");
        let least = least_over_corners(&vectors, &b);
        assert!((absolute - least).abs() <= 2e-4 * least + 1e-9, "case {case}: {absolute} and {least}");
        gained += usize::from(absolute < 0.999 * squares);
    }
    assert!(gained > 15, "{gained} right sides that least squares settles worse");
}

/// The least Σ|rᵢ| with N r = N b over all choices of as many rows as N has.
fn least_over_corners(vectors: &[Vec<f64>], b: &[f64]) -> f64 {
    let (n, k) = (b.len(), vectors.len());
    let wanted: Vec<f64> = vectors.iter().map(|v| v.iter().zip(b).map(|(a, b)| a * b).sum()).collect();
    let mut best = f64::INFINITY;
    for mask in 0_u32..1 << n {
        if mask.count_ones() as usize != k {
            continue;
        }
        let rows: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
        let mut factor = LeastNorm::default();
        factor.factor(k, |i, j| vectors[i][rows[j]]);
        let mut r = vec![0.0; k];
        if factor.is_unique() && factor.solve(&wanted, &mut r) < 1e-9 {
            best = best.min(r.iter().map(|r| r.abs()).sum());
        }
    }
    best
}
