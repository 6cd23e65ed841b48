//! Fixed-radius nearest neighbours: the grid against brute force.

mod clouds;

use dolmen::force::neighbours::{Grid, NeighboursError, brute_force};
use dolmen::math::{DVec3, dvec3};
use proptest::prelude::*;

/// A pair as reported, with the bits of its numbers.
type Pair = (usize, usize, [u64; 4]);

fn pair(i: usize, j: usize, separation: DVec3, distance_squared: f64) -> Pair {
    let [x, y, z] = separation.to_array();
    // −(a − b) and b − a differ in the sign of zero only.
    (i, j, [x, y, z, distance_squared].map(|number| (number + 0.0).to_bits()))
}

fn grid_pairs(positions: &[DVec3], radius: f64) -> Vec<Pair> {
    let mut grid = Grid::new();
    grid.build(positions, radius).unwrap();
    let mut pairs = Vec::new();
    grid.for_each_pair(|i, j, separation, square| pairs.push(pair(i, j, separation, square)));
    pairs.sort_unstable();
    pairs
}

fn brute_pairs(positions: &[DVec3], radius: f64) -> Vec<Pair> {
    let mut pairs = Vec::new();
    brute_force(positions, radius, |i, j, separation, square| pairs.push(pair(i, j, separation, square)));
    pairs
}

fn assert_same(positions: &[DVec3], radius: f64) {
    let (found, expected) = (grid_pairs(positions, radius), brute_pairs(positions, radius));
    assert_eq!(found, expected, "radius {radius}, points {positions:?}");
}

/// Coordinates that stress a grid: free, on a lattice (ties at the radius), few values, planar, or far away.
fn points() -> impl Strategy<Value = Vec<DVec3>> {
    let free = (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| dvec3(x, y, z));
    let lattice =
        (-4_i32..4, -4_i32..4, -4_i32..4).prop_map(|(x, y, z)| dvec3(x.into(), y.into(), z.into()) * 0.1);
    let planar = (-1.0..1.0, -1.0..1.0).prop_map(|(x, y)| dvec3(x, y, 0.25));
    let line = (-20_i32..20).prop_map(|x| dvec3(f64::from(x), 0.0, 0.0));
    let outlier = (-1.0..1.0, 0..3_usize).prop_map(|(x, axis)| DVec3::AXES[axis] * x * 1e12);
    prop::collection::vec(prop_oneof![4 => free, 3 => lattice, 2 => planar, 1 => line, 1 => outlier], 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every pair within the radius is found once, with the numbers of brute force, and no other.
    #[test]
    fn grid_finds_the_pairs_of_brute_force(points in points(), radius in prop_oneof![
        0.0..2.0, Just(0.0), Just(0.1), Just(0.2), Just(1.0), Just(1e-9), Just(1e-200), Just(1e13), Just(1e200),
        Just(f64::INFINITY),
    ]) {
        assert_same(&points, radius);
    }

    /// The answer does not depend on where the origin is, as long as the shift is exact.
    #[test]
    fn grid_far_from_the_origin_finds_the_same_pairs(points in prop::collection::vec(
        (0_u32..64, 0_u32..64, 0_u32..64), 1..80), radius in 1_u32..20) {
        // Whole numbers beside 2⁴⁰: no rounding anywhere.
        let near: Vec<_> = points.iter().map(|&(x, y, z)| dvec3(x.into(), y.into(), z.into())).collect();
        let far: Vec<_> = near.iter().map(|point| *point + 1099511627776.0).collect();
        assert_same(&far, radius.into());
        prop_assert_eq!(grid_pairs(&near, radius.into()), grid_pairs(&far, radius.into()));
    }
}

/// The radius itself is within the radius.
#[test]
fn a_distance_equal_to_the_radius_counts() {
    for radius in [0.1, 0.3, 1.0, 1e-3, 7e5] {
        for axis in DVec3::AXES {
            let pairs = grid_pairs(&[DVec3::ZERO, axis * radius], radius);
            assert_eq!(pairs.len(), 1, "radius {radius}, axis {axis}");
            let beyond = grid_pairs(&[DVec3::ZERO, axis * radius * (1.0 + 4.0 * f64::EPSILON)], radius);
            assert!(beyond.is_empty(), "radius {radius}, axis {axis}: {beyond:?}");
        }
    }
}

/// n coincident points make n(n − 1)/2 pairs, whatever the radius.
#[test]
fn coincident_points_are_all_pairs() {
    for radius in [0.0, 1e-300, 1.0, f64::INFINITY] {
        assert_same(&[dvec3(1e12, -3.0, 0.1); 20], radius);
        assert_eq!(grid_pairs(&[dvec3(1e12, -3.0, 0.1); 20], radius).len(), 190);
    }
}

/// An extent of more radii than there are cells makes the cells wider and changes no answer.
#[test]
fn extents_beyond_the_cells_of_the_grid_find_the_same_pairs() {
    let mut points = clouds::cube(200, 3);
    points.extend([
        DVec3::splat(1e300),
        DVec3::splat(-1e300),
        DVec3::splat(f64::MAX),
        DVec3::splat(f64::MIN),
    ]);
    for radius in [0.1, 1e-6, 1e290, 1e-300] {
        assert_same(&points, radius);
    }
}

/// Clusters of very different sizes, and a radius of each of them.
#[test]
fn clusters_of_all_scales_find_the_same_pairs() {
    let mut points = clouds::plummer(300, 4);
    points.extend(clouds::cube(300, 5).iter().map(|point| *point * 1e-6 + DVec3::X));
    for radius in [1e-7, 1e-6, 0.05, 1.0, 100.0] {
        assert_same(&points, radius);
    }
}

/// Same input, same order; the order of visits is part of reproducibility.
#[test]
fn pairs_come_in_the_same_order_from_a_grid_built_before() {
    let points = clouds::cube(500, 6);
    let order = |grid: &Grid| {
        let mut pairs = Vec::new();
        grid.for_each_pair(|i, j, _, _| pairs.push((i, j)));
        pairs
    };
    let (mut fresh, mut used) = (Grid::new(), Grid::new());
    fresh.build(&points, 0.2).unwrap();
    used.build(&clouds::plummer(900, 7), 3.0).unwrap();
    used.build(&points, 0.2).unwrap();
    assert!(order(&fresh).len() > 100);
    assert_eq!(order(&fresh), order(&used));
}

/// No points, no pairs; a point alone has none.
#[test]
fn empty_and_single_sets_have_no_pairs() {
    assert!(grid_pairs(&[], 1.0).is_empty());
    assert!(grid_pairs(&[DVec3::ONE], 1.0).is_empty());
}

/// Input that cannot be sorted is refused by name.
#[test]
fn input_that_is_not_finite_is_refused() {
    let mut grid = Grid::new();
    let error = grid.build(&[DVec3::ZERO, dvec3(0.0, f64::NAN, 0.0)], 1.0).unwrap_err();
    assert!(matches!(error, NeighboursError::Position { index: 1, .. }), "{error}");
    assert!(error.to_string().contains("position 1"), "{error}");
    assert!(grid.build(&[DVec3::INFINITY], 1.0).is_err());
    for radius in [-1.0, f64::NAN] {
        let error = grid.build(&[DVec3::ZERO], radius).unwrap_err();
        assert!(matches!(error, NeighboursError::Radius { .. }), "{error}");
    }
    assert!(grid.is_empty());
}
