//! A k-d tree: space divided by planes, one axis at a time [LECTURE I, k-d trees].

use super::super::pairs::Pairs;
use super::super::{BroadPhase, Filter, Method, Pair, Statistics, check_count};
use super::{Rule, Seed, Tree, spread2};
use crate::math::Aabb;

/// A tree in which a plane through the median centre divides what is below it from what is above.
///
/// Boxes that the plane cuts are a third part. They all overlap along the axis of the plane, so that part is divided along
/// the remaining axes only, and when no axis remains all its boxes have a point in common. Between builds the tree is
/// refitted.
#[derive(Debug, Clone)]
pub struct KdTree {
    tree: Tree<Planes>,
    pairs: Pairs,
    statistics: Statistics,
}

/// Divides by planes; the cell says which axes are left.
#[derive(Debug, Clone, Copy)]
struct Planes;

impl Rule for Planes {
    type Cell = [bool; 3];

    fn root(&mut self, _: &[Seed]) -> Self::Cell {
        [true; 3]
    }

    fn divide(&mut self, seeds: &mut [Seed], axes: Self::Cell, parts: &mut Vec<(usize, Self::Cell)>) {
        let spread = spread2(seeds);
        let mut left = axes;
        // The axis with the widest spread first; the next when the plane cuts all boxes.
        while let Some(axis) =
            (0..3).filter(|axis| left[*axis]).max_by(|a, b| width(&spread, *a).total_cmp(&width(&spread, *b)))
        {
            let middle = seeds.len() / 2;
            let (_, median, _) = seeds.select_nth_unstable_by(middle, |a, b| {
                a.centre2()[axis].total_cmp(&b.centre2()[axis]).then_with(|| a.index.cmp(&b.index))
            });
            let plane = 0.5 * median.centre2()[axis];
            let side = |seed: &Seed| match seed.bounds {
                b if b.max[axis] < plane => 0,
                b if b.min[axis] > plane => 1,
                _ => 2,
            };
            // Few different keys: the sort is linear.
            seeds.sort_unstable_by_key(side);
            left[axis] = false;
            let below = seeds.partition_point(|seed| side(seed) == 0);
            let uncut = seeds.partition_point(|seed| side(seed) < 2);
            if uncut > 0 {
                let mut cut = axes;
                cut[axis] = false;
                let ends = [(below, axes), (uncut, axes), (seeds.len(), cut)];
                let mut start = 0;
                for (end, cell) in ends {
                    if end > start {
                        parts.push((end, cell));
                    }
                    start = end;
                }
                return;
            }
        }
    }
}

fn width(b: &Aabb, axis: usize) -> f64 {
    b.max[axis] - b.min[axis]
}

impl KdTree {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self { tree: Tree::new(Planes), pairs: Pairs::default(), statistics: Statistics::default() }
    }
}

impl Default for KdTree {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase for KdTree {
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
        Method::KdTree
    }

    fn copy(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
