//! A hierarchy of bounding boxes, built by surface area [LECTURE I, bounding volume hierarchy].

use super::super::aabb::half_surface;
use super::super::pairs::Pairs;
use super::super::{BroadPhase, Filter, Method, Pair, Statistics, check_count};
use super::{Ray, Rule, Seed, Tree, spread2};
use crate::math::{Aabb, DVec3};

/// Places along an axis where a node may be split.
const BINS: usize = 12;

/// A binary tree of boxes around boxes.
///
/// A node is split where it costs least by the surface area heuristic [Goldsmith and Salmon 1987]: the chance that a box
/// meets a node grows with the surface of the node. Between builds the tree is refitted.
#[derive(Debug, Clone)]
pub struct Bvh {
    tree: Tree<SurfaceArea>,
    pairs: Pairs,
    statistics: Statistics,
}

impl Bvh {
    /// Calls `visitor` with the number of every box that overlaps `probe`, in an order that depends on the updates so far.
    ///
    /// No filter is applied.
    pub fn visit_box(&self, probe: &Aabb, mut visitor: impl FnMut(u32)) {
        self.tree.visit_box(probe, &mut visitor);
    }

    /// Calls `visitor` with the number of every box that meets `origin` + t `direction`, 0 ≤ t ≤ `max_t`.
    ///
    /// The visitor answers with the new `max_t`: what it was, to go on; less, to look no further than a hit; a negative
    /// number, to stop. Boxes come roughly from near to far. A box that the ray misses by a rounding may be visited, one
    /// that it meets is never left out. The direction may have any length; t is in units of it.
    pub fn visit_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        max_t: f64,
        mut visitor: impl FnMut(u32) -> f64,
    ) {
        self.tree.visit_ray(&mut Ray { origin, direction, max_t }, &mut visitor);
    }
}

/// Splits where n₁ A₁ + n₂ A₂ is least, for the numbers n and surfaces A of the two sides.
#[derive(Debug, Clone, Copy)]
struct SurfaceArea;

impl Rule for SurfaceArea {
    type Cell = ();

    fn root(&mut self, _: &[Seed]) {}

    fn divide(&mut self, seeds: &mut [Seed], (): (), parts: &mut Vec<(usize, ())>) {
        let spread = spread2(seeds);
        let axis = (spread.max - spread.min).max_position();
        let (least, width) = (spread.min[axis], spread.max[axis] - spread.min[axis]);
        let bin_of = |seed: &Seed| {
            let share = (seed.centre2()[axis] - least) / width;
            ((share * BINS as f64) as usize).min(BINS - 1)
        };
        let mut bins = [(0_usize, Aabb::EMPTY); BINS];
        for seed in seeds.iter() {
            let (count, bounds) = &mut bins[bin_of(seed)];
            *count += 1;
            *bounds = bounds.join(&seed.bounds);
        }
        let Some(split) = best_split(&bins) else { return };
        // In place, from both ends: below the split to the front.
        let (mut front, mut back) = (0, seeds.len());
        while front < back {
            if bin_of(&seeds[front]) < split {
                front += 1;
            } else {
                back -= 1;
                seeds.swap(front, back);
            }
        }
        parts.extend([(front, ()), (seeds.len(), ())]);
    }
}

/// The first bin of the second side, or none when all are in one bin.
fn best_split(bins: &[(usize, Aabb); BINS]) -> Option<usize> {
    let cost = |count: usize, bounds: &Aabb| count as f64 * half_surface(bounds);
    let mut above = [0.0; BINS];
    let (mut count, mut bounds) = (0, Aabb::EMPTY);
    for k in (1..BINS).rev() {
        count += bins[k].0;
        bounds = bounds.join(&bins[k].1);
        above[k] = if count == 0 { f64::INFINITY } else { cost(count, &bounds) };
    }
    let mut best = (f64::INFINITY, None);
    let (mut count, mut bounds) = (0, Aabb::EMPTY);
    for k in 1..BINS {
        count += bins[k - 1].0;
        bounds = bounds.join(&bins[k - 1].1);
        if count > 0 {
            let total = cost(count, &bounds) + above[k];
            if total < best.0 {
                best = (total, Some(k));
            }
        }
    }
    best.1
}

impl Bvh {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self { tree: Tree::new(SurfaceArea), pairs: Pairs::default(), statistics: Statistics::default() }
    }
}

impl Default for Bvh {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase for Bvh {
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
        Method::Bvh
    }

    fn copy(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
