//! An octree: cubes divided into eight [LECTURE I, octree].

use super::super::pairs::Pairs;
use super::super::{BroadPhase, Filter, Method, Pair, Statistics, check_count};
use super::{Rule, Seed, Tree, spread2};
use crate::math::{Aabb, DVec3};

/// A tree in which a cube of space is divided into its octants.
///
/// A box is in the octant of its centre, as long as it is no larger than that; larger ones stay with the cube. Where all
/// boxes are in one octant the empty space around them is skipped: the next cube is the one around their centres.
/// Every node also knows the box around what it holds, which is what is tested. Between builds the tree is refitted.
#[derive(Debug, Clone)]
pub struct Octree {
    tree: Tree<Octants>,
    pairs: Pairs,
    statistics: Statistics,
}

/// A cube, in lengths twice as large as they are, like the centres; m.
#[derive(Debug, Clone, Copy)]
struct Cube {
    middle2: DVec3,
    /// Half its side, doubled: the side of an octant is half of this.
    half2: f64,
}

impl Cube {
    /// The smallest around twice the centres.
    fn around(seeds: &[Seed]) -> Self {
        let spread = spread2(seeds);
        let half = 0.5 * spread.max - 0.5 * spread.min;
        Self { middle2: 0.5 * spread.max + 0.5 * spread.min, half2: half.max_element() }
    }

    /// Number of the octant, or [`STAYS`].
    fn place(&self, seed: &Seed) -> usize {
        let size = (seed.bounds.max - seed.bounds.min).max_element();
        if 2.0 * size > self.half2 {
            return STAYS;
        }
        let above = seed.centre2().cmpge(self.middle2);
        usize::from(above.x) + 2 * usize::from(above.y) + 4 * usize::from(above.z)
    }

    fn octant(&self, place: usize) -> Self {
        let half2 = 0.5 * self.half2;
        let toward = |bit: usize| if place & bit != 0 { half2 } else { -half2 };
        Self { middle2: self.middle2 + DVec3::new(toward(1), toward(2), toward(4)), half2 }
    }
}

/// The place of a box too large for an octant.
const STAYS: usize = 8;

/// Divides a cube into octants, or nothing where there is no cube: boxes too large for octants are halved by number.
#[derive(Debug, Clone, Copy)]
struct Octants;

impl Rule for Octants {
    type Cell = Option<Cube>;

    fn root(&mut self, seeds: &[Seed]) -> Self::Cell {
        Some(Cube::around(seeds))
    }

    fn divide(&mut self, seeds: &mut [Seed], cell: Self::Cell, parts: &mut Vec<(usize, Self::Cell)>) {
        let Some(mut cube) = cell else { return };
        let place = cube.place(&seeds[0]);
        if seeds.iter().all(|seed| cube.place(seed) == place) {
            cube = Cube::around(seeds);
        }
        // Few different keys: the sort is linear.
        seeds.sort_unstable_by_key(|seed| cube.place(seed));
        let mut start = 0;
        for place in 0..=STAYS {
            let count = seeds[start..].partition_point(|seed| cube.place(seed) <= place);
            if count > 0 {
                start += count;
                parts.push((start, (place != STAYS).then(|| cube.octant(place))));
            }
        }
    }
}

impl Octree {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self { tree: Tree::new(Octants), pairs: Pairs::default(), statistics: Statistics::default() }
    }
}

impl Default for Octree {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase for Octree {
    fn update(&mut self, boxes: &[Aabb], filter: &Filter) -> &[Pair] {
        check_count(boxes);
        self.statistics = self.tree.update(boxes, filter, &mut self.pairs);
        self.pairs.as_slice()
    }

    fn pairs(&self) -> &[Pair] {
        self.pairs.as_slice()
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn method(&self) -> Method {
        Method::Octree
    }

    fn copy(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
