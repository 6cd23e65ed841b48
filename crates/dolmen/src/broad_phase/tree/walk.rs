//! Walks through a tree: all pairs, what meets a box, what meets a ray.

use super::super::Filter;
use super::super::aabb::{girth, is_box, meet, normal};
use super::super::pairs::Pairs;
use super::{Node, Rule, Tree};
use crate::math::{Aabb, DVec3};

/// A walk that finds all pairs.
pub(super) struct Walk<'a, R: Rule> {
    tree: &'a Tree<R>,
    filter: &'a Filter,
    pairs: &'a mut Pairs,
    tests: u64,
    limit: u64,
}

impl<'a, R: Rule> Walk<'a, R> {
    pub(super) fn new(tree: &'a Tree<R>, filter: &'a Filter, pairs: &'a mut Pairs, limit: u64) -> Self {
        Self { tree, filter, pairs, tests: 0, limit }
    }

    /// Fills the pairs and returns how many tests that took; it gives up once they exceed the limit.
    pub(super) fn pair_up(mut self) -> u64 {
        let tree = self.tree;
        if let Some(root) = tree.nodes.first() {
            self.within(root);
        }
        for (k, (i, b)) in tree.waiting.iter().enumerate() {
            tree.visit_placed(b, &mut |j| self.pairs.push(*i, j, self.filter));
            for (j, other) in &tree.waiting[k + 1..] {
                if meet(b, other) {
                    self.pairs.push(*i, *j, self.filter);
                }
            }
        }
        self.tests
    }

    /// All pairs inside a node.
    fn within(&mut self, node: &Node) {
        if !node.is_mobile || self.tests > self.limit {
            return;
        }
        if node.is_leaf {
            for i in node.range() {
                for j in i + 1..node.range().end {
                    self.test(i, j);
                }
            }
            return;
        }
        let children = &self.tree.nodes[node.range()];
        for (k, child) in children.iter().enumerate() {
            self.within(child);
            for other in &children[k + 1..] {
                self.between(child, other);
            }
        }
    }

    /// All pairs with one box in each of two nodes. Recursion: at most twice the depth of the tree.
    fn between(&mut self, a: &Node, b: &Node) {
        self.tests += 1;
        if !meet(&a.bounds, &b.bounds) || !(a.is_mobile || b.is_mobile) || self.tests > self.limit {
            return;
        }
        if a.is_leaf && b.is_leaf {
            for i in a.range() {
                // Most boxes of a leaf miss the other leaf altogether.
                if meet(&self.tree.boxes[i], &b.bounds) {
                    for j in b.range() {
                        self.test(i, j);
                    }
                }
            }
            return;
        }
        let opens_a = !a.is_leaf && (b.is_leaf || girth(&a.bounds) >= girth(&b.bounds));
        let (open, closed) = if opens_a { (a, b) } else { (b, a) };
        for child in &self.tree.nodes[open.range()] {
            self.between(child, closed);
        }
    }

    fn test(&mut self, i: usize, j: usize) {
        self.tests += 1;
        if meet(&self.tree.boxes[i], &self.tree.boxes[j]) {
            self.pairs.push(self.tree.items[i], self.tree.items[j], self.filter);
        }
    }
}

impl Node {
    /// Of its children, or of its slots.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl<R: Rule> Tree<R> {
    /// Calls `visitor` with the number of every box that overlaps `probe`.
    pub(in super::super) fn visit_box(&self, probe: &Aabb, visitor: &mut impl FnMut(u32)) {
        let probe = normal(probe);
        self.visit_placed(&probe, visitor);
        self.waiting.iter().filter(|(_, b)| meet(&probe, b)).for_each(|(i, _)| visitor(*i));
    }

    fn visit_placed(&self, probe: &Aabb, visitor: &mut impl FnMut(u32)) {
        if !self.nodes.is_empty() {
            self.visit_node(0, probe, visitor);
        }
    }

    fn visit_node(&self, place: usize, probe: &Aabb, visitor: &mut impl FnMut(u32)) {
        let node = &self.nodes[place];
        if !meet(&node.bounds, probe) {
            return;
        }
        for k in node.range() {
            if !node.is_leaf {
                self.visit_node(k, probe, visitor);
            } else if meet(&self.boxes[k], probe) {
                visitor(self.items[k]);
            }
        }
    }

    /// Calls `visitor` with the number of every box that the ray meets; it answers with the new end of the ray.
    pub(in super::super) fn visit_ray(&self, ray: &mut Ray, visitor: &mut impl FnMut(u32) -> f64) {
        if let Some(root) = self.nodes.first()
            && ray.entry(&root.bounds).is_some()
        {
            self.visit_node_by_ray(root, ray, visitor);
        }
        for (i, b) in &self.waiting {
            if ray.entry(b).is_some() {
                ray.max_t = visitor(*i);
            }
        }
    }

    fn visit_node_by_ray(&self, node: &Node, ray: &mut Ray, visitor: &mut impl FnMut(u32) -> f64) {
        if node.is_leaf {
            for k in node.range() {
                if ray.entry(&self.boxes[k]).is_some() {
                    ray.max_t = visitor(self.items[k]);
                }
            }
            return;
        }
        // The nearest child first, so that a visitor that shortens the ray is spared the others. A node has few children:
        // picking the next nearest each time needs no buffer.
        let children = &self.nodes[node.range()];
        let mut last = (f64::NEG_INFINITY, 0);
        loop {
            let entries = children.iter().enumerate();
            let entries = entries.filter_map(|(k, child)| ray.entry(&child.bounds).map(|t| (t, k + 1)));
            let next = entries
                .filter(|entry| *entry > last)
                .min_by(|a, b| a.partial_cmp(b).expect("entries are numbers"));
            let Some(next) = next else { return };
            self.visit_node_by_ray(&children[next.1 - 1], ray, visitor);
            last = next;
        }
    }
}

/// The points `origin` + t `direction` with 0 ≤ t ≤ `max_t`.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Ray {
    pub(in super::super) origin: DVec3,
    pub(in super::super) direction: DVec3,
    pub(in super::super) max_t: f64,
}

/// Relative error of the product (b − o)(1/d), three roundings, twice over and rounded up: the far side of a box is moved
/// away by that much, so that no box is missed.
const SLACK: f64 = 8.0 * f64::EPSILON;

impl Ray {
    /// The t at which the ray enters a box, 0 if it starts inside; none when it misses it.
    ///
    /// By the slabs between opposite sides. May find a box that the ray misses by a rounding, never the reverse.
    fn entry(&self, b: &Aabb) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, self.max_t);
        for axis in 0..3 {
            let (o, d) = (self.origin[axis], self.direction[axis]);
            let (least, most) = (b.min[axis], b.max[axis]);
            let inverse = 1.0 / d;
            if d == 0.0 {
                if !(least <= o && o <= most) {
                    return None;
                }
            } else if inverse.is_finite() {
                let (near, far) = if d > 0.0 { (least, most) } else { (most, least) };
                let (near, far) = ((near - o) * inverse, (far - o) * inverse);
                // What is not a number (∞ − ∞, 0·∞) restricts nothing.
                enter = enter.max(near - near.abs() * SLACK);
                leave = leave.min(far + far.abs() * SLACK);
            }
        }
        // NaN sides are let pass by the comparisons above.
        (is_box(b) && enter <= leave).then_some(enter)
    }
}
