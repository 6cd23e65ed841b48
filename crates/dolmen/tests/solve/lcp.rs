//! Linear complementarity.

use dolmen::solve::lcp::{LemkeScratch, PsdScratch, solve_lcp_lemke, solve_lcp_psd};
use dolmen::solve::{Outcome, Square, Status};
use proptest::prelude::*;

fn square<const N: usize>(rows: [[f64; N]; N]) -> Square {
    Square::from_fn(N, |i, j| rows[i][j])
}

fn lemke(m: &Square, q: &[f64]) -> (Outcome, Vec<f64>) {
    let mut z = vec![0.0; q.len()];
    let outcome = solve_lcp_lemke(m, q, 1000, &mut z, &mut LemkeScratch::default());
    (outcome, z)
}

fn psd(a: &Square, q: &[f64]) -> (Outcome, Vec<f64>) {
    let mut z = vec![0.0; q.len()];
    let outcome = solve_lcp_psd(a, q, &mut z, &mut PsdScratch::default());
    (outcome, z)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
}

/// CASES A32: the published problems with one answer each.
#[test]
fn lemke_solves_the_published_problems() {
    let cases: Vec<(Square, Vec<f64>, Vec<f64>)> = vec![
        (square([[2.0, 1.0], [1.0, 2.0]]), vec![-5.0, -6.0], vec![4.0 / 3.0, 7.0 / 3.0]),
        (
            square([[0.0, -1.0, 2.0], [2.0, 0.0, -2.0], [-1.0, 1.0, 0.0]]),
            vec![-3.0, 6.0, -1.0],
            vec![0.0, 1.0, 3.0],
        ),
        (
            square([
                [11.0, 0.0, 10.0, -1.0],
                [0.0, 11.0, 10.0, -1.0],
                [10.0, 10.0, 21.0, -1.0],
                [1.0, 1.0, 1.0, 0.0],
            ]),
            vec![50.0, 50.0, 10.0, -6.0],
            vec![2.0, 2.0, 2.0, 92.0],
        ),
    ];
    for (m, q, expected) in cases {
        let (outcome, z) = lemke(&m, &q);
        assert_eq!(outcome.status, Status::Solved, "{outcome:?}");
        // Integers of two digits through at most ten pivots.
        assert!(distance(&z, &expected) < 1e-13, "{z:?} for {expected:?}");
        assert!(outcome.residual < 1e-14, "{outcome:?}");
    }
}

/// CASES A32, CPS_1: a singular matrix; any z with z₁ + z₂ = 1 solves it, and the least is (½, ½).
#[test]
fn a_singular_problem_is_solved_by_its_least_answer() {
    let ones = square([[1.0, 1.0], [1.0, 1.0]]);
    let (outcome, z) = lemke(&ones, &[-1.0, -1.0]);
    assert!(outcome.status == Status::Solved && (z[0] + z[1] - 1.0).abs() < 1e-15, "{z:?}");
    let (outcome, z) = psd(&ones, &[-1.0, -1.0]);
    assert!(outcome.status == Status::Solved && !outcome.unique, "{outcome:?}");
    assert!(distance(&z, &[0.5, 0.5]) < 1e-15, "{z:?}");
}

/// CASES A32, CPS_3: a bimatrix game with three answers.
#[test]
fn lemke_finds_one_of_the_equilibria_of_a_game() {
    let m = square([
        [0.0, 0.0, 10.0, 20.0],
        [0.0, 0.0, 30.0, 15.0],
        [10.0, 20.0, 0.0, 0.0],
        [30.0, 15.0, 0.0, 0.0],
    ]);
    let (outcome, z) = lemke(&m, &[-1.0; 4]);
    let answers = [
        [0.1, 0.0, 0.1, 0.0],
        [0.0, 1.0 / 15.0, 0.0, 1.0 / 15.0],
        [1.0 / 90.0, 2.0 / 45.0, 1.0 / 90.0, 2.0 / 45.0],
    ];
    assert_eq!(outcome.status, Status::Solved);
    assert!(answers.iter().any(|a| distance(a, &z) < 1e-14), "{z:?}");
}

/// CASES A32, Murty's problem: the number of pivots doubles with each unknown, and the answer is still found.
#[test]
fn the_exponential_example_takes_its_pivots_and_ends() {
    let n = 6;
    let m = Square::from_fn(n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Less => 2.0,
        std::cmp::Ordering::Greater => 0.0,
    });
    let (first, z) = lemke(&m, &[-1.0; 6]);
    assert!(first.status == Status::Solved && distance(&z, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]) == 0.0, "{z:?}");
    let (second, z) = lemke(&m, &[-126.0, -124.0, -120.0, -112.0, -96.0, -64.0]);
    assert!(
        second.status == Status::Solved && distance(&z, &[0.0, 0.0, 0.0, 0.0, 0.0, 64.0]) < 1e-12,
        "{z:?}"
    );
    assert!((1 << (n - 1)..=1 << (n + 1)).contains(&second.iterations), "{} pivots", second.iterations);
}

/// Nothing stops what −1 pushes and no row resists; the proof is a ray.
#[test]
fn a_problem_without_an_answer_says_so() {
    // A ball between two walls that close in.
    let a = square([[1.0, -1.0], [-1.0, 1.0]]);
    let mut scratch = PsdScratch::default();
    let mut z = [0.0; 2];
    let outcome = solve_lcp_psd(&a, &[-1.0, -2.0], &mut z, &mut scratch);
    assert_eq!(outcome.status, Status::Infeasible);
    let d = scratch.ray();
    assert!(d[0] > 0.0 && (d[0] - d[1]).abs() < 1e-15 * d[0], "{d:?}");
    assert!(z.iter().all(|z| z.is_finite()));
    assert_eq!(lemke(&a, &[-1.0, -2.0]).0.status, Status::Infeasible);
    assert_eq!(psd(&Square::zeros(1), &[-1.0]).0.status, Status::Infeasible);
    assert_eq!(psd(&Square::zeros(1), &[1.0]).0.status, Status::Solved);
    assert_eq!(psd(&Square::zeros(0), &[]).0.status, Status::Solved);
}

/// Four corners of a box that falls flat: a rank of three, and a quarter of the impulse each.
#[test]
fn four_corners_bear_a_quarter_each() {
    // 1/m + (rᵢ·rⱼ)/I for corners (±1, ±1), m = 1, I = 2/3.
    let corners: [[f64; 2]; 4] = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let a = Square::from_fn(4, |i, j| {
        1.0 + 1.5 * (corners[i][0] * corners[j][0] + corners[i][1] * corners[j][1])
    });
    let (outcome, z) = psd(&a, &[-4.0; 4]);
    assert!(!outcome.unique && distance(&z, &[1.0; 4]) < 1e-14, "{z:?}, {outcome:?}");
}

/// Every subset of contacts tried in turn: the referee. Needs a matrix that is regular on the right one.
fn enumerate(a: &Square, q: &[f64]) -> Option<Vec<f64>> {
    let n = q.len();
    (0..1_usize << n).find_map(|bits| {
        let set: Vec<usize> = (0..n).filter(|i| bits >> i & 1 == 1).collect();
        let mut lu = dolmen::math::linear::RealLu::new(set.len());
        lu.factor(|i, j| a[(set[i], set[j])]).ok()?;
        let mut x: Vec<f64> = set.iter().map(|&i| -q[i]).collect();
        lu.solve(&mut x);
        let mut z = vec![0.0; n];
        set.iter().zip(&x).for_each(|(&i, &x)| z[i] = x);
        (z.iter().all(|&z| z >= -1e-13) && (0..n).all(|i| a.dot(i, &z) + q[i] >= -1e-13)).then_some(z)
    })
}

/// A = J Jᵀ with `rank` columns, the last rows copies of the first ones where `copies` says so.
fn gram(n: usize, rank: usize, copies: usize, entries: &[f64]) -> (Square, Vec<Vec<f64>>) {
    let mut rows: Vec<Vec<f64>> = (0..n).map(|i| entries[i * 8..i * 8 + rank].to_vec()).collect();
    for c in 0..copies.min(n / 2) {
        let row = rows[c].clone();
        rows[n - 1 - c] = row;
    }
    let a = Square::from_fn(n, |i, j| rows[i].iter().zip(&rows[j]).map(|(x, y)| x * y).sum());
    (a, rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// On regular problems both methods and the enumeration of all subsets agree.
    #[test]
    fn three_methods_agree(
        n in 1_usize..7,
        entries in prop::collection::vec(-1.0..1.0_f64, 64),
        q in prop::collection::vec(-1.0..1.0_f64, 8),
    ) {
        let (mut a, _) = gram(n, 8, 0, &entries);
        (0..n).for_each(|i| a[(i, i)] += 0.1);
        let q = &q[..n];
        let referee = enumerate(&a, q).expect("a definite matrix has one answer");
        let (by_psd, z) = psd(&a, q);
        let (by_lemke, y) = lemke(&a, q);
        prop_assert!(by_psd.status == Status::Solved && by_lemke.status == Status::Solved);
        // |δz| ≤ |A⁻¹| |δw|, |A⁻¹| ≤ 10.
        prop_assert!(distance(&z, &referee) < 1e-12, "{z:?} for {referee:?}");
        prop_assert!(distance(&y, &referee) < 1e-12, "{y:?} for {referee:?}");
        prop_assert!(by_psd.unique && by_psd.residual < 1e-14, "{by_psd:?}");
    }

    /// Rank too low, rows repeated, masses far apart, velocities of real bodies (q = J v: always solvable): solved, and
    /// the answer is the least in norm.
    #[test]
    fn singular_problems_have_least_answers(
        n in 2_usize..8,
        rank in 1_usize..6,
        copies in 0_usize..4,
        entries in prop::collection::vec(-1.0..1.0_f64, 64),
        v in prop::collection::vec(-1.0..1.0_f64, 8),
    ) {
        let (a, rows) = gram(n, rank, copies, &entries);
        let q: Vec<f64> = rows.iter().map(|r| r.iter().zip(&v).map(|(x, y)| x * y).sum()).collect();
        let (outcome, z) = psd(&a, &q);
        // By the largest of q; terms that are larger leave a larger rounding.
        let terms = 1.0 + z.iter().fold(0.0, |m: f64, z| m.max(*z));
        prop_assert!(outcome.status == Status::Solved && outcome.residual < 1e-12 * terms, "{outcome:?}");
        // Tikhonov's answer is shorter than the least, any other answer longer.
        let norm = |z: &[f64]| z.iter().map(|z| z * z).sum::<f64>().sqrt();
        let mut damped = a.clone();
        (0..n).for_each(|i| damped[(i, i)] += 1e-7);
        let shorter = enumerate(&damped, &q).expect("definite");
        prop_assert!(norm(&shorter) <= norm(&z) * (1.0 + 1e-9), "{z:?} is not long enough beside {shorter:?}");
        let (other, longer) = lemke(&a, &q);
        if other.status == Status::Solved && other.residual < 1e-13 {
            prop_assert!(norm(&z) <= norm(&longer) * (1.0 + 1e-7), "{z:?} is longer than {longer:?}");
        }
        // The same problem from behind.
        let b = Square::from_fn(n, |i, j| a[(n - 1 - i, n - 1 - j)]);
        let p: Vec<f64> = q.iter().rev().copied().collect();
        let (_, mut y) = psd(&b, &p);
        y.reverse();
        prop_assert!(distance(&z, &y) <= 1e-6 * (1e-3 + norm(&z)), "{z:?} and from behind {y:?}");
    }

    /// Scaling the unknowns by masses up to 1e6 apart changes nothing but their scale.
    #[test]
    fn scales_do_not_matter(
        n in 1_usize..7,
        entries in prop::collection::vec(-1.0..1.0_f64, 64),
        v in prop::collection::vec(-1.0..1.0_f64, 8),
        exponents in prop::collection::vec(-3.0..3.0_f64, 8),
    ) {
        let (a, rows) = gram(n, 8, 0, &entries);
        let s: Vec<f64> = exponents.iter().map(|e| dolmen::math::real::pow(10.0, *e)).collect();
        let b = Square::from_fn(n, |i, j| a[(i, j)] * s[i] * s[j]);
        let q: Vec<f64> = rows.iter().map(|r| r.iter().zip(&v).map(|(x, y)| x * y).sum()).collect();
        let p: Vec<f64> = q.iter().zip(&s).map(|(q, s)| q * s).collect();
        let ((one, z), (two, y)) = (psd(&a, &q), psd(&b, &p));
        prop_assert!(one.status == Status::Solved && two.status == Status::Solved);
        if one.unique {
            let back: Vec<f64> = y.iter().zip(&s).map(|(y, s)| y * s).collect();
            let size = z.iter().fold(1.0, |m: f64, z| m.max(z.abs()));
            // Rank is judged at 1e-13, so that condition numbers go up to that: w is exact, z need not be.
            let w = |z: &[f64]| (0..n).map(|i| a.dot(i, z) + q[i]).collect::<Vec<_>>();
            prop_assert!(distance(&w(&z), &w(&back)) < 1e-11 * size, "{z:?} {back:?}");
        }
    }
}
