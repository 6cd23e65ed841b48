//! Trees of boxes: the hierarchy, the octree and the k-d tree, and what they have in common.
//!
//! They differ in how they divide boxes among nodes. All keep in every node the box around what it holds, so that a tree
//! stays right when boxes move: it is refitted, and built anew only when the moved boxes have made it slow.

mod bvh;
mod kd_tree;
mod octree;
mod walk;

pub use bvh::Bvh;
pub use kd_tree::KdTree;
pub use octree::Octree;

use super::aabb::{box_at, finite_part, girth, is_box};
use super::pairs::Pairs;
use super::{Filter, Statistics};
use crate::math::{Aabb, DVec3};
pub(super) use walk::Ray;
use walk::Walk;

/// Boxes in a leaf, at most: fewer make more nodes to visit, more make more boxes to test.
pub(super) const LEAF: usize = 4;
/// Beyond this depth a range is halved by number, whatever the rule of the tree: the depth, and with it the recursion,
/// is at most this plus the binary logarithm of the number of boxes.
const MAX_DEPTH: u32 = 64;
/// A tree is built anew when the tests spent above those right after it was built exceed those by this factor, in sum.
/// Building costs about that much; a rebuild put off for as long as that costs at most twice what was needed.
const MAX_EXCESS: u64 = 3;
/// A leaf that has become longer than this many times what it was is stale …
const STALE: f64 = 2.0;
/// … and when more than one in this many is, the tree is built anew before it is used.
const STALE_SHARE: usize = 6;
/// Boxes that may wait for the next build: this many, or one in [`WAITING_SHARE`].
const WAITING: usize = 16;
const WAITING_SHARE: usize = 64;

/// A box about to find its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed {
    /// The part of the box within reach of arithmetic.
    pub(super) bounds: Aabb,
    pub(super) index: u32,
}

impl Seed {
    /// Twice the centre, m.
    pub(super) fn centre2(&self) -> DVec3 {
        self.bounds.min + self.bounds.max
    }
}

/// How a tree divides boxes among the children of a node.
pub(super) trait Rule {
    /// What a node tells its children: the cell they divide further.
    type Cell: Copy;

    /// The cell of the root.
    fn root(&mut self, seeds: &[Seed]) -> Self::Cell;

    /// Reorders the seeds and names in `parts` the end of each part, in order, with its cell; none or one when the rule
    /// cannot divide them, and they are halved instead.
    fn divide(&mut self, seeds: &mut [Seed], cell: Self::Cell, parts: &mut Vec<(usize, Self::Cell)>);
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// Of the children, or of the slots if it is a leaf.
    first: u32,
    count: u32,
    is_leaf: bool,
    /// Whether anything in it may move.
    is_mobile: bool,
}

/// The tree, and the buffers to build it.
#[derive(Debug, Clone)]
pub(super) struct Tree<R: Rule> {
    rule: R,
    /// Parents before their children; children of a node side by side.
    nodes: Vec<Node>,
    /// Length of each node (see [`girth`]) when it was built, m.
    built: Vec<f64>,
    /// Numbers of the boxes, leaf after leaf, and the boxes themselves.
    items: Vec<u32>,
    boxes: Vec<Aabb>,
    /// Whether each box is in the tree.
    is_placed: Vec<bool>,
    /// Boxes that came after the tree was built.
    waiting: Vec<(u32, Aabb)>,
    seeds: Vec<Seed>,
    work: Vec<(usize, usize, usize, u32, R::Cell)>,
    parts: Vec<(usize, R::Cell)>,
    /// Tests of the first walk after the tree was built, and those spent above it since.
    fresh_tests: u64,
    excess: u64,
}

impl<R: Rule> Tree<R> {
    pub(super) fn new(rule: R) -> Self {
        Self {
            rule,
            nodes: Vec::new(),
            built: Vec::new(),
            items: Vec::new(),
            boxes: Vec::new(),
            is_placed: Vec::new(),
            waiting: Vec::new(),
            seeds: Vec::new(),
            work: Vec::new(),
            parts: Vec::new(),
            fresh_tests: 0,
            excess: 0,
        }
    }

    /// Follows the boxes and fills `pairs`.
    pub(super) fn update(&mut self, boxes: &[Aabb], filter: &Filter, pairs: &mut Pairs) -> Statistics {
        let mut statistics = Statistics::default();
        let is_old = self.excess > MAX_EXCESS * self.fresh_tests || !self.admit(boxes);
        if is_old || self.refit(boxes, filter) {
            self.build(boxes, filter);
            statistics.restarted = true;
        }

        let limit = if statistics.restarted { u64::MAX } else { (1 + MAX_EXCESS) * self.fresh_tests };
        let mut finished = self.walk(filter, pairs, limit, &mut statistics);
        if !finished {
            self.build(boxes, filter);
            statistics.restarted = true;
            finished = self.walk(filter, pairs, u64::MAX, &mut statistics);
        }
        debug_assert!(finished, "a walk without limit comes to an end");
        pairs.sort(boxes.len());
        statistics.pairs = pairs.as_slice().len();
        statistics
    }

    /// Lets new boxes wait; false when too many do, or when the tree has lost half of its own.
    ///
    /// A number that is gone keeps its slot, and a box that comes back with that number is found there by refitting.
    fn admit(&mut self, boxes: &[Aabb]) -> bool {
        if self.is_placed.len() < boxes.len() {
            self.is_placed.resize(boxes.len(), false);
        }
        self.waiting.clear();
        let newcomers = (0_u32..).zip(boxes).filter(|(i, b)| !self.is_placed[*i as usize] && is_box(b));
        self.waiting.extend(newcomers.map(|(i, b)| (i, *b)));
        let lost = self.items.len().saturating_sub(boxes.len());
        self.waiting.len() <= WAITING.max(self.items.len() / WAITING_SHARE) && 2 * lost <= self.items.len()
    }

    /// Recomputes all boxes from the leaves up; says whether the tree has become stale.
    fn refit(&mut self, boxes: &[Aabb], filter: &Filter) -> bool {
        for (own, index) in self.boxes.iter_mut().zip(&self.items) {
            *own = box_at(boxes, *index);
        }
        let (mut leaves, mut stale) = (0, 0);
        for place in (0..self.nodes.len()).rev() {
            let Node { first, count, is_leaf, .. } = self.nodes[place];
            let range = first as usize..(first + count) as usize;
            let (mut bounds, mut is_mobile) = (Aabb::EMPTY, false);
            if is_leaf {
                for (b, index) in self.boxes[range.clone()].iter().zip(&self.items[range]) {
                    if is_box(b) {
                        bounds = bounds.join(b);
                        is_mobile |= filter.is_mobile(*index);
                    }
                }
                leaves += 1;
                stale += usize::from(girth(&bounds) > STALE * self.built[place]);
            } else {
                for child in &self.nodes[range] {
                    bounds = bounds.join(&child.bounds);
                    is_mobile |= child.is_mobile;
                }
            }
            self.nodes[place].bounds = bounds;
            self.nodes[place].is_mobile = is_mobile;
        }
        stale * STALE_SHARE > leaves
    }

    fn build(&mut self, boxes: &[Aabb], filter: &Filter) {
        self.seeds.clear();
        self.seeds.extend(
            (0_u32..)
                .zip(boxes)
                .filter(|(_, b)| is_box(b))
                .map(|(index, b)| Seed { bounds: finite_part(b), index }),
        );
        self.nodes.clear();
        self.waiting.clear();
        self.excess = 0;
        self.divide();
        self.items.clear();
        self.items.extend(self.seeds.iter().map(|seed| seed.index));
        self.boxes.clear();
        self.boxes.resize(self.items.len(), Aabb::EMPTY);
        self.is_placed.clear();
        self.is_placed.resize(boxes.len(), false);
        for index in &self.items {
            self.is_placed[*index as usize] = true;
        }
        self.built.clear();
        self.built.resize(self.nodes.len(), f64::INFINITY);
        self.refit(boxes, filter);
        for (built, node) in self.built.iter_mut().zip(&self.nodes) {
            *built = girth(&node.bounds);
        }
    }

    /// Makes the nodes, and brings the seeds into the order of the leaves.
    fn divide(&mut self) {
        if self.seeds.is_empty() {
            return;
        }
        let unfinished = Node { bounds: Aabb::EMPTY, first: 0, count: 0, is_leaf: true, is_mobile: true };
        let root = self.rule.root(&self.seeds);
        self.nodes.push(unfinished);
        self.work.clear();
        self.work.push((0, 0, self.seeds.len(), 0, root));
        while let Some((place, start, end, depth, cell)) = self.work.pop() {
            let seeds = &mut self.seeds[start..end];
            if seeds.len() <= LEAF {
                self.nodes[place] = Node { first: start as u32, count: seeds.len() as u32, ..unfinished };
                continue;
            }
            self.parts.clear();
            if depth < MAX_DEPTH {
                self.rule.divide(seeds, cell, &mut self.parts);
            }
            if self.parts.len() < 2 {
                self.parts.clear();
                self.parts.extend([halve(seeds), seeds.len()].map(|end| (end, cell)));
            }
            let first = self.nodes.len();
            let count = self.parts.len();
            self.nodes[place] =
                Node { first: first as u32, count: count as u32, is_leaf: false, ..unfinished };
            let mut from = 0;
            for (child, (to, cell)) in self.parts.drain(..).enumerate() {
                self.nodes.push(unfinished);
                self.work.push((first + child, start + from, start + to, depth + 1, cell));
                from = to;
            }
        }
    }

    /// Finds all pairs; false when that took more tests than the limit, and is not done.
    fn walk(&mut self, filter: &Filter, pairs: &mut Pairs, limit: u64, statistics: &mut Statistics) -> bool {
        pairs.clear();
        let tests = Walk::new(self, filter, pairs, limit).pair_up();
        statistics.tests += tests;
        if limit == u64::MAX {
            self.fresh_tests = tests;
        } else {
            self.excess += tests.saturating_sub(self.fresh_tests);
        }
        tests <= limit
    }
}

/// Halves by the centres along the axis where they are spread most; returns where the second half starts.
fn halve(seeds: &mut [Seed]) -> usize {
    let axis = widest_axis(seeds);
    let middle = seeds.len() / 2;
    seeds.select_nth_unstable_by(middle, |a, b| {
        a.centre2()[axis].total_cmp(&b.centre2()[axis]).then_with(|| a.index.cmp(&b.index))
    });
    middle
}

/// The box around twice the centres, m.
pub(super) fn spread2(seeds: &[Seed]) -> Aabb {
    seeds.iter().fold(Aabb::EMPTY, |all, seed| all.join(&Aabb::point(seed.centre2())))
}

/// The axis along which the centres are spread most.
fn widest_axis(seeds: &[Seed]) -> usize {
    let spread = spread2(seeds);
    (spread.max - spread.min).max_position()
}
