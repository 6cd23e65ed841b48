//! Gravity between many bodies: the octree against the direct sum, and both against the laws.

#[allow(unreachable_pub, reason = "shared with benchmarks and examples")]
mod clouds;

use dolmen::force::nbody::{DEFAULT_OPENING, NBodyError, Octree, direct};
use dolmen::math::{DVec3, dvec3};
use proptest::prelude::*;

const EPSILON: f64 = f64::EPSILON;

/// Accelerations and potential energy by the sum over all pairs, G = 1.
fn by_pairs(softening: f64, positions: &[DVec3], masses: &[f64]) -> (Vec<DVec3>, f64) {
    let mut accelerations = vec![DVec3::NAN; positions.len()];
    let potential = direct(1.0, softening, positions, masses, &mut accelerations);
    (accelerations, potential)
}

/// The same by the octree.
fn by_octree(softening: f64, opening: f64, positions: &[DVec3], masses: &[f64]) -> (Vec<DVec3>, f64) {
    let mut octree = Octree::new();
    octree.build(positions, masses).unwrap();
    let mut accelerations = vec![DVec3::NAN; positions.len()];
    let potential = octree.accelerations(1.0, softening, opening, &mut accelerations);
    (accelerations, potential)
}

/// Σ_j m_j / s² for each body: what bounds rounding, where pulls cancel.
fn scales(softening: f64, positions: &[DVec3], masses: &[f64]) -> Vec<f64> {
    let pull = |a: DVec3, b: DVec3, mass: f64| mass * (a - b).length() / softened(a, b, softening).powi_3();
    (0..positions.len())
        .map(|i| (0..positions.len()).filter(|&j| j != i).map(|j| pull(positions[i], positions[j], masses[j])).sum())
        .collect()
}

trait Cube {
    fn powi_3(self) -> f64;
}

impl Cube for f64 {
    fn powi_3(self) -> f64 {
        self * self * self
    }
}

fn softened(a: DVec3, b: DVec3, softening: f64) -> f64 {
    ((a - b).length_squared() + softening * softening).sqrt()
}

/// A sum of n terms, each good to a dozen roundings, is good to (n + 12) ε of the sum of sizes.
fn rounding(n: usize) -> f64 {
    (n + 12) as f64 * EPSILON
}

fn assert_close(found: &[DVec3], expected: &[DVec3], scales: &[f64], tolerance: f64) {
    for (i, ((found, expected), scale)) in found.iter().zip(expected).zip(scales).enumerate() {
        let error = (*found - *expected).length();
        assert!(
            error <= tolerance * scale,
            "body {i}: {found} for {expected}, error {error:e} > {:e}",
            tolerance * scale
        );
    }
}

fn rms_and_largest_error(found: &[DVec3], expected: &[DVec3]) -> (f64, f64) {
    let errors = found.iter().zip(expected).map(|(f, e)| (*f - *e).length() / e.length());
    let (sum, largest) = errors.fold((0.0, 0.0_f64), |(sum, largest), e| (sum + e * e, largest.max(e)));
    ((sum / found.len() as f64).sqrt(), largest)
}

/// Sets of bodies that stress a tree: free, clustered, planar, collinear, on a lattice (coincident), with outliers.
fn bodies() -> impl Strategy<Value = Vec<(DVec3, f64)>> {
    let coordinate = -1.0..1.0_f64;
    let free = (coordinate.clone(), coordinate.clone(), coordinate.clone()).prop_map(|(x, y, z)| dvec3(x, y, z));
    let cluster = free.clone().prop_map(|point| point * 1e-5 + 0.5);
    let tiny = free.clone().prop_map(|point| point * 1e-9);
    let planar = (coordinate.clone(), coordinate.clone()).prop_map(|(x, y)| dvec3(x, y, 0.25));
    let line = coordinate.clone().prop_map(|x| dvec3(x, x, x));
    let lattice = (-2_i32..2, -2_i32..2, -2_i32..2).prop_map(|(x, y, z)| dvec3(x.into(), y.into(), z.into()));
    let outlier = free.clone().prop_map(|point| point * 1e12);
    let point = prop_oneof![
        4 => free, 4 => cluster, 2 => tiny, 2 => planar, 2 => line, 2 => lattice, 1 => outlier
    ];
    let mass = prop_oneof![4 => 0.1..2.0, 1 => Just(0.0), 1 => 1e3..1e4];
    prop::collection::vec((point, mass), 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// With no cell accepted, the tree is another order of the same sum. (Softened: bodies may coincide.)
    #[test]
    fn octree_with_opening_zero_equals_the_direct_sum(bodies in bodies(), softening in 1e-3..1.0) {
        let (positions, masses): (Vec<_>, Vec<_>) = bodies.into_iter().unzip();
        let (expected, potential) = by_pairs(softening, &positions, &masses);
        let (found, tree_potential) = by_octree(softening, 0.0, &positions, &masses);
        assert_close(&found, &expected, &scales(softening, &positions, &masses), 2.0 * rounding(positions.len()));
        // All terms of the energy have one sign.
        prop_assert!((potential - tree_potential).abs() <= -2.0 * rounding(positions.len()) * potential.min(0.0)
            , "{potential} and {tree_potential}");
    }

    /// The error of an accepted pair of cells is bounded by the truncated series: with R_a + R_b < θ d the
    /// terms from the fourth power on sum to Σ (n + 1) θⁿ = θ⁴ (5 − 4θ)/(1 − θ)² of M/d², and M/d² is at most
    /// (1 + θ)² of the sum of pulls, without softening. Measured errors are far smaller; this is the guarantee.
    #[test]
    fn octree_error_is_bounded_by_the_truncated_series(bodies in bodies(), opening in 0.05..0.8) {
        let (mut positions, masses): (Vec<_>, Vec<_>) = bodies.into_iter().unzip();
        // Coincident bodies have no acceleration without softening.
        positions.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        positions.dedup();
        let masses = &masses[..positions.len()];
        let (expected, _) = by_pairs(0.0, &positions, masses);
        let (found, _) = by_octree(0.0, opening, &positions, masses);
        let t = opening;
        let bound = t * t * t * t * (5.0 - 4.0 * t) / ((1.0 - t) * (1.0 - t)) * (1.0 + t) * (1.0 + t);
        // Rounding of a centre, a few ε of its coordinates, matters for outliers only: it is a part ε/θ of d.
        let tolerance = bound + 1e3 * rounding(positions.len());
        assert_close(&found, &expected, &scales(0.0, &positions, masses), tolerance);
    }

    /// Newton's third law: the forces sum to zero up to the rounding of the sum, for any opening.
    #[test]
    fn total_momentum_does_not_change(bodies in bodies(), opening in 0.0..1.0) {
        let (positions, masses): (Vec<_>, Vec<_>) = bodies.into_iter().unzip();
        let softening = 0.1;
        let scale: f64 = scales(softening, &positions, &masses).iter().zip(&masses).map(|(a, m)| a * m).sum();
        for (name, accelerations) in [
            ("direct", by_pairs(softening, &positions, &masses).0),
            ("octree", by_octree(softening, opening, &positions, &masses).0),
        ] {
            let total: DVec3 = accelerations.iter().zip(&masses).map(|(a, m)| *a * *m).sum();
            // The tree's series add some dozens of roundings at each level to those of the sum.
            let tolerance = 40.0 * rounding(positions.len()) * scale;
            prop_assert!(total.length() <= tolerance, "{name}: {total}, scale {scale:e}, opening {opening}");
        }
    }

    /// The order of the bodies is no physics: results change by rounding only.
    #[test]
    fn order_of_the_bodies_changes_rounding_only(bodies in bodies(), opening in 0.0..0.9) {
        let (positions, masses): (Vec<_>, Vec<_>) = bodies.iter().copied().unzip();
        let (reversed, reversed_masses): (Vec<_>, Vec<_>) = bodies.iter().rev().copied().unzip();
        let scales = scales(0.1, &positions, &masses);
        let (expected, potential) = by_pairs(0.1, &positions, &masses);
        let (mut found, reversed_potential) = by_pairs(0.1, &reversed, &reversed_masses);
        found.reverse();
        assert_close(&found, &expected, &scales, 2.0 * rounding(positions.len()));
        prop_assert!((potential - reversed_potential).abs() <= 2.0 * rounding(positions.len()) * potential.abs());

        let (expected, _) = by_octree(0.1, opening, &positions, &masses);
        let (mut found, _) = by_octree(0.1, opening, &reversed, &reversed_masses);
        found.reverse();
        // Sums within a cell round in another order, and with them its centre and radius: a pair of cells at
        // the very edge of the criterion may be opened or not. That is one pair's error at most.
        let edge = if opening == 0.0 { 0.0 } else { 1e3 * rounding(positions.len()) };
        assert_close(&found, &expected, &scales, 2.0 * rounding(positions.len()) + edge);
    }
}

/// a = −G m r / |r|³ and U = −G m₁ m₂ / |r|: the two-body problem, in SI for the Earth and a stone.
#[test]
fn two_bodies_obey_the_inverse_square() {
    let positions = [DVec3::ZERO, dvec3(6.371e6, 0.0, 0.0)];
    let masses = [5.972e24, 3.0];
    let gravity_constant = 6.6743e-11;
    let g = gravity_constant * masses[0] / (positions[1].x * positions[1].x);
    let mut accelerations = [DVec3::NAN; 2];
    let mut octree = Octree::new();
    octree.build(&positions, &masses).unwrap();
    for opening in [None, Some(0.0), Some(1.0)] {
        let potential = match opening {
            None => direct(gravity_constant, 0.0, &positions, &masses, &mut accelerations),
            Some(opening) => octree.accelerations(gravity_constant, 0.0, opening, &mut accelerations),
        };
        let errors = [
            accelerations[1].x / -g - 1.0,
            accelerations[0].x / (g * masses[1] / masses[0]) - 1.0,
            potential / (-g * masses[1] * positions[1].x) - 1.0,
        ];
        assert!(errors.iter().all(|error| error.abs() < 8.0 * EPSILON), "{opening:?}: {errors:?}");
    }
}

/// The potential energy is −Σ m_i m_j / s over the pairs, and the force is minus its gradient: moving one body
/// along an axis changes it by −m a (central difference, error h² of the third derivative).
#[test]
fn potential_is_the_pair_sum_and_its_gradient_the_force() {
    let positions = clouds::cube(80, 11);
    let masses: Vec<f64> = (0..80).map(|i| 0.5 + 0.01 * f64::from(i)).collect();
    let softening = 0.3;
    let mut pair_sum = 0.0;
    for i in 0..80 {
        for j in 0..i {
            pair_sum -= masses[i] * masses[j] / softened(positions[i], positions[j], softening);
        }
    }
    for opening in [None, Some(0.0), Some(0.5)] {
        let evaluate = |positions: &[DVec3]| match opening {
            None => by_pairs(softening, positions, &masses),
            Some(opening) => by_octree(softening, opening, positions, &masses),
        };
        let (accelerations, potential) = evaluate(&positions);
        let tolerance = if opening == Some(0.5) { 1e-4 } else { 80.0 * 80.0 * EPSILON };
        assert!((potential / pair_sum - 1.0).abs() < tolerance, "{opening:?}: {potential}, pairs {pair_sum}");
        if opening == Some(0.5) {
            // The energy of an approximation jumps where a cell is opened: no derivative.
            continue;
        }
        let h = 1e-4;
        let shifted = |sign: f64| {
            let mut moved = positions.clone();
            moved[7].y += sign * h;
            evaluate(&moved).1
        };
        let force = -(shifted(1.0) - shifted(-1.0)) / (2.0 * h);
        let expected = masses[7] * accelerations[7].y;
        // |∂³U| ≤ 15 Σ m m / ε⁴ ≈ 15·80/0.0081, times h²/6.
        assert!((force - expected).abs() < 3e-4, "{opening:?}: {force}, m a {expected}");
    }
}

/// Where the module states an error for its default opening, it holds (for fewer bodies it is smaller still).
#[test]
fn default_opening_keeps_the_stated_error() {
    let n = 4000;
    let flat: Vec<_> = clouds::cube(n, 23).iter().map(|p| dvec3(p.x, p.y, 0.0)).collect();
    let thread: Vec<_> = clouds::cube(n, 24).iter().map(|p| p.x * DVec3::ONE).collect();
    let mut clusters = clouds::plummer(n / 2, 25);
    clusters.extend(clouds::plummer(n / 2, 26).iter().map(|point| *point * 1e-3 + dvec3(5.0, 0.0, 0.0)));
    let far: Vec<_> = clouds::plummer(n, 27).iter().map(|point| *point + 1e12).collect();
    let softening = 1e-3;
    for (name, positions, limit) in [
        ("Plummer", clouds::plummer(n, 21), 1.5e-3),
        ("cube", clouds::cube(n, 22), 1.5e-3),
        ("plane", flat, 1.5e-3),
        ("line", thread, 1.5e-3),
        ("clusters", clusters, 1.5e-3),
        // Positions have a grain of 1.2e-4 m there, a tenth of the softening: so have the centres of cells.
        ("far away", far, 3e-3),
    ] {
        let masses = clouds::equal_masses(n);
        let (expected, potential) = by_pairs(softening, &positions, &masses);
        let (found, tree_potential) = by_octree(softening, DEFAULT_OPENING, &positions, &masses);
        let (rms, largest) = rms_and_largest_error(&found, &expected);
        println!("{name}: RMS {rms:e}, largest {largest:e}, energy {:e}", tree_potential / potential - 1.0);
        assert!(rms < limit, "{name}: RMS error {rms:e}, largest {largest:e}");
        assert!((tree_potential / potential - 1.0).abs() < 1e-4, "{name}: {tree_potential} for {potential}");
    }
}

/// The series is of fourth order: halving θ divides the error by about 16, and it must at least by 8.
#[test]
fn error_falls_with_the_fourth_power_of_the_opening() {
    let positions = clouds::cube(6000, 31);
    let masses = clouds::equal_masses(6000);
    for softening in [0.0, 0.5] {
        let (expected, _) = by_pairs(softening, &positions, &masses);
        let error = |opening| {
            let found = by_octree(softening, opening, &positions, &masses).0;
            rms_and_largest_error(&found, &expected).0
        };
        let (coarse, fine) = (error(0.8), error(0.4));
        assert!(fine < coarse / 8.0, "softening {softening}: {coarse:e} at 0.8, {fine:e} at 0.4");
    }
}

/// Sets of no, one and two bodies, and sets that coincide, have their closed forms.
#[test]
fn smallest_sets_have_their_closed_forms() {
    assert_eq!(by_pairs(0.0, &[], &[]).1, 0.0);
    assert_eq!(by_octree(0.0, 0.5, &[], &[]).1, 0.0);
    assert_eq!(by_pairs(0.0, &[DVec3::ONE], &[2.0]), (vec![DVec3::ZERO], 0.0));
    assert_eq!(by_octree(0.0, 0.5, &[DVec3::ONE], &[2.0]), (vec![DVec3::ZERO], 0.0));
    // n coincident softened bodies: no pull, and n(n − 1)/2 pairs at the softening length.
    let positions = [dvec3(1.0, 2.0, 3.0); 300];
    for (accelerations, potential) in
        [by_pairs(0.5, &positions, &[1.0; 300]), by_octree(0.5, 0.7, &positions, &[1.0; 300])]
    {
        assert!(accelerations.iter().all(|a| *a == DVec3::ZERO));
        assert_eq!(potential, -2.0 * 300.0 * 299.0 / 2.0);
    }
}

/// A cluster of 500 bodies smaller by 10¹⁵ than its distance to another body still is resolved, and is exact
/// to the error of the opening.
#[test]
fn clusters_of_any_smallness_are_resolved() {
    let mut positions: Vec<_> = clouds::cube(500, 41).iter().map(|point| *point * 1e-3).collect();
    positions.push(DVec3::splat(1e12));
    positions.extend(clouds::cube(500, 42).iter().map(|point| *point * 1e-20));
    let masses = clouds::equal_masses(positions.len());
    let (expected, _) = by_pairs(0.0, &positions, &masses);
    let (found, _) = by_octree(0.0, 0.5, &positions, &masses);
    let (rms, largest) = rms_and_largest_error(&found, &expected);
    assert!(rms < 1e-2, "RMS {rms:e}, largest {largest:e}");
}

/// Geometric spacing over all exponents gives the deepest tree; its depth is bounded and its answers finite.
#[test]
fn deepest_tree_is_bounded() {
    let positions: Vec<_> = (-900..300).map(|k| DVec3::X * f64::from_bits(((1023 + k) as u64) << 52)).collect();
    let masses = vec![1.0; positions.len()];
    let (found, potential) = by_octree(1e-3, 0.5, &positions, &masses);
    let (expected, _) = by_pairs(1e-3, &positions, &masses);
    assert!(potential.is_finite() && found.iter().all(|a| a.is_finite()));
    let (found, expected): (DVec3, DVec3) = (found[1199], expected[1199]);
    assert!((found - expected).length() <= 1e-3 * expected.length(), "{found} for {expected}");
}

/// A body without mass is pulled and pulls nothing, not even where bodies coincide.
#[test]
fn test_particles_are_pulled_and_do_not_pull() {
    let mut positions = clouds::cube(400, 51);
    let mut masses = clouds::equal_masses(400);
    let alone = by_pairs(0.0, &positions, &masses);
    let probe = dvec3(0.3, 0.2, 3.0);
    positions.extend([probe; 50]);
    masses.extend([0.0; 50]);
    for (found, potential) in
        [by_pairs(0.0, &positions, &masses), by_octree(0.0, 0.0, &positions, &masses)]
    {
        assert_close(&found[..400], &alone.0, &scales(0.0, &positions[..400], &masses[..400]), 2.0 * rounding(400));
        assert!((potential / alone.1 - 1.0).abs() < 2.0 * rounding(400), "{potential} for {}", alone.1);
        let expected: DVec3 = positions[..400]
            .iter()
            .map(|r| (*r - probe) / 400.0 / softened(*r, probe, 0.0).powi_3())
            .sum();
        assert!(found[400..].iter().all(|a| (*a - expected).length() < rounding(400) * expected.length()));
    }
    // All massless: nothing pulls.
    let (found, potential) = by_octree(0.0, 0.5, &positions, &vec![0.0; 450]);
    assert!(potential == 0.0 && found.iter().all(|a| *a == DVec3::ZERO));
}

/// Coincident masses without softening have no acceleration: the caller sees NaN for them and numbers for others.
#[test]
fn coincident_masses_without_softening_are_not_numbers() {
    let positions = [DVec3::ZERO, DVec3::X, DVec3::X, DVec3::Y];
    for (found, potential) in
        [by_pairs(0.0, &positions, &[1.0; 4]), by_octree(0.0, 0.5, &positions, &[1.0; 4])]
    {
        assert!(!potential.is_finite(), "{potential}");
        assert_eq!(found.map_finite(), [true, false, false, true]);
    }
    // A test particle on a mass: only the particle is lost.
    for (found, potential) in
        [by_pairs(0.0, &positions, &[1.0, 1.0, 0.0, 1.0]), by_octree(0.0, 0.5, &positions, &[1.0, 1.0, 0.0, 1.0])]
    {
        assert!(potential.is_finite(), "{potential}");
        assert_eq!(found.map_finite(), [true, true, false, true]);
    }
}

trait MapFinite {
    fn map_finite(&self) -> Vec<bool>;
}

impl MapFinite for Vec<DVec3> {
    fn map_finite(&self) -> Vec<bool> {
        self.iter().map(|a| a.is_finite()).collect()
    }
}

/// A tree that was used before gives the same bits as a fresh one.
#[test]
fn octree_built_again_gives_the_same_bits() {
    let (positions, masses) = (clouds::plummer(700, 61), clouds::equal_masses(700));
    let mut octree = Octree::new();
    octree.build(&clouds::cube(900, 62), &clouds::equal_masses(900)).unwrap();
    octree.accelerations(1.0, 0.0, 0.7, &mut [DVec3::ZERO; 900]);
    octree.build(&positions, &masses).unwrap();
    let mut accelerations = vec![DVec3::ZERO; 700];
    let potential = octree.accelerations(1.0, 0.01, 0.6, &mut accelerations);
    assert_eq!((accelerations, potential), by_octree(0.01, 0.6, &positions, &masses));
}

/// Input that cannot be sorted is refused by name, and leaves an empty tree.
#[test]
fn input_that_cannot_be_a_body_is_refused() {
    let mut octree = Octree::new();
    let error = octree.build(&[DVec3::ZERO, DVec3::NAN], &[1.0, 1.0]).unwrap_err();
    assert!(matches!(error, NBodyError::Position { index: 1, .. }), "{error}");
    let error = octree.build(&[DVec3::ZERO], &[-1.0]).unwrap_err();
    assert_eq!(error, NBodyError::Mass { index: 0, mass: -1.0 });
    assert!(error.to_string().contains("mass 0 is -1 kg"), "{error}");
    assert!(octree.build(&[DVec3::ZERO], &[f64::INFINITY]).is_err());
    let error = octree.build(&[DVec3::ZERO], &[]).unwrap_err();
    assert_eq!(error, NBodyError::Lengths { positions: 1, masses: 0 });
    assert!(octree.is_empty());
}

/// An opening that makes no sense is taken as the nearest that does.
#[test]
fn opening_is_held_within_zero_and_one() {
    let (positions, masses) = (clouds::cube(500, 71), clouds::equal_masses(500));
    let at = |opening| by_octree(0.1, opening, &positions, &masses);
    assert_eq!(at(-1.0), at(0.0));
    assert_eq!(at(f64::NAN), at(0.0));
    assert_eq!(at(5.0), at(1.0));
    assert!(at(1.0).0.iter().all(|a| a.is_finite()));
}
