//! A tree of boxes that come, go and change one at a time.
//!
//! The other methods take all boxes at once, as a step of a whole world does. Here each body has a clock of its own: one
//! box is replaced, and the question is what that box meets. A new leaf goes down to where it adds least surface, and on
//! the way back up children are exchanged where that makes boxes smaller.

use crate::math::{Aabb, DVec3};

/// A leaf of the tree, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf(u32);

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    parent: u32,
    /// Both NONE for a leaf.
    children: [u32; 2],
    height: u32,
    /// What the caller calls a leaf; the next free node of a free one.
    tag: u32,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// Boxes by tag, each inserted, replaced and removed on its own.
#[derive(Debug, Clone)]
pub struct DynamicTree {
    nodes: Vec<Node>,
    root: u32,
    free: u32,
}

impl Default for DynamicTree {
    fn default() -> Self {
        Self { nodes: Vec::new(), root: NONE, free: NONE }
    }
}

impl DynamicTree {
    /// Holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a box under a tag; its sides must be finite.
    pub fn insert(&mut self, bounds: Aabb, tag: u32) -> Leaf {
        let leaf = self.allocate(bounds, tag);
        self.hang(leaf);
        Leaf(leaf)
    }

    /// Takes a box out.
    pub fn remove(&mut self, leaf: Leaf) {
        self.unhang(leaf.0);
        self.release(leaf.0);
    }

    /// Replaces the box of a leaf.
    pub fn replace(&mut self, leaf: Leaf, bounds: Aabb) {
        self.unhang(leaf.0);
        self.nodes[leaf.0 as usize].bounds = bounds;
        self.hang(leaf.0);
    }

    /// The box of a leaf.
    pub fn bounds(&self, leaf: Leaf) -> Aabb {
        self.nodes[leaf.0 as usize].bounds
    }

    /// Fills `found` with the tags of all boxes that a box meets, touching included, in ascending order.
    pub fn meet(&self, bounds: &Aabb, found: &mut Vec<u32>, open: &mut Vec<u32>) {
        found.clear();
        open.clear();
        if self.root != NONE {
            open.push(self.root);
        }
        while let Some(i) = open.pop() {
            let node = &self.nodes[i as usize];
            if !meets(&node.bounds, bounds) {
                continue;
            }
            if node.is_leaf() {
                found.push(node.tag);
            } else {
                open.extend(node.children);
            }
        }
        found.sort_unstable();
    }

    /// Levels below the root; 0 for a single box or none.
    pub fn height(&self) -> u32 {
        if self.root == NONE { 0 } else { self.nodes[self.root as usize].height }
    }

    fn allocate(&mut self, bounds: Aabb, tag: u32) -> u32 {
        let node = Node { bounds, parent: NONE, children: [NONE; 2], height: 0, tag };
        if self.free == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.nodes[at as usize].tag;
        self.nodes[at as usize] = node;
        at
    }

    fn release(&mut self, at: u32) {
        self.nodes[at as usize].tag = self.free;
        self.free = at;
    }

    /// Hangs a leaf in beside the node where it adds least surface.
    fn hang(&mut self, leaf: u32) {
        if self.root == NONE {
            self.root = leaf;
            self.nodes[leaf as usize].parent = NONE;
            return;
        }
        let bounds = self.nodes[leaf as usize].bounds;
        let sibling = self.best_sibling(&bounds);
        let above = self.nodes[sibling as usize].parent;
        let joined = bounds.join(&self.nodes[sibling as usize].bounds);
        let parent = self.allocate(joined, 0);
        let height = self.nodes[sibling as usize].height + 1;
        let node = &mut self.nodes[parent as usize];
        (node.parent, node.children, node.height) = (above, [sibling, leaf], height);
        self.exchange_child(above, sibling, parent);
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        self.mend(above);
    }

    /// Goes down as long as a child costs less than staying. [surface area heuristic, greedy]
    fn best_sibling(&self, bounds: &Aabb) -> u32 {
        let mut at = self.root;
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                return at;
            }
            let joined = surface(&node.bounds.join(bounds));
            // Beside this node: a new parent of that size. Below it: this box grows, and one of the children's too.
            let here = 2.0 * joined;
            let growth = 2.0 * (joined - surface(&node.bounds));
            let below = node.children.map(|child| {
                let child = &self.nodes[child as usize];
                let joined = surface(&child.bounds.join(bounds));
                growth + if child.is_leaf() { joined } else { joined - surface(&child.bounds) }
            });
            if here < below[0] && here < below[1] {
                return at;
            }
            at = node.children[usize::from(below[1] < below[0])];
        }
    }

    fn unhang(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node { children, parent: above, .. } = self.nodes[parent as usize];
        let sibling = if children[0] == leaf { children[1] } else { children[0] };
        self.exchange_child(above, parent, sibling);
        self.nodes[sibling as usize].parent = above;
        self.release(parent);
        self.mend(above);
    }

    /// Puts `new` where `old` hangs under `parent`, or at the root.
    fn exchange_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
            return;
        }
        let children = &mut self.nodes[parent as usize].children;
        children[usize::from(children[1] == old)] = new;
    }

    /// Boxes and heights from here up to the root, with better neighbours where there are.
    fn mend(&mut self, mut at: u32) {
        while at != NONE {
            self.turn(at);
            self.refit(at);
            at = self.nodes[at as usize].parent;
        }
    }

    fn refit(&mut self, at: u32) {
        let [a, b] = self.nodes[at as usize].children;
        let (a, b) = (&self.nodes[a as usize], &self.nodes[b as usize]);
        let (bounds, height) = (a.bounds.join(&b.bounds), 1 + a.height.max(b.height));
        let node = &mut self.nodes[at as usize];
        (node.bounds, node.height) = (bounds, height);
    }

    /// Exchanges a child with a child of the other, if that makes the surface of the other smaller; the exchange that
    /// saves most.
    fn turn(&mut self, at: u32) {
        let children = self.nodes[at as usize].children;
        let (mut best, mut saved) = (None, 0.0);
        for (k, &split) in children.iter().enumerate() {
            if self.nodes[split as usize].is_leaf() {
                continue;
            }
            let moved = children[1 - k];
            let before = surface(&self.nodes[split as usize].bounds);
            for (g, &kept) in self.nodes[split as usize].children.iter().enumerate() {
                let joined = self.nodes[moved as usize].bounds.join(&self.nodes[kept as usize].bounds);
                let gain = before - surface(&joined);
                if gain > saved {
                    (best, saved) = (Some((k, 1 - g)), gain);
                }
            }
        }
        let Some((k, g)) = best else { return };
        let (split, moved) = (children[k], children[1 - k]);
        let given = self.nodes[split as usize].children[g];
        self.nodes[at as usize].children[1 - k] = given;
        self.nodes[split as usize].children[g] = moved;
        self.nodes[given as usize].parent = at;
        self.nodes[moved as usize].parent = split;
        self.refit(split);
    }
}

#[inline]
fn meets(a: &Aabb, b: &Aabb) -> bool {
    a.min.x <= b.max.x
        && b.min.x <= a.max.x
        && a.min.y <= b.max.y
        && b.min.y <= a.max.y
        && a.min.z <= b.max.z
        && b.min.z <= a.max.z
}

/// Half the surface.
#[inline]
fn surface(bounds: &Aabb) -> f64 {
    let DVec3 { x, y, z } = bounds.max - bounds.min;
    x * y + y * z + z * x
}
