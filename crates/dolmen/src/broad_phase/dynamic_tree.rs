//! A tree of boxes that come, go and change one at a time.
//!
//! The other methods take all boxes at once, as a step of a whole world does. Here each body has a time of its own: one
//! box is replaced, and the question is what that box meets. A new leaf goes down to where it adds least surface, and on
//! the way back up children are exchanged where that makes boxes smaller. A leaf whose new box is still near its place
//! stays there, and only the boxes above it change; any other goes up only as far as there is room for it. [Kopta et al. 2012]
//!
//! Questions of a large tree wait for memory and for little else. So a node holds the boxes of its two children, in single
//! precision rounded outwards, and fills one line of a cache; and from time to time the tree is built anew, balanced, with
//! nodes in the order in which questions come by them.

use crate::math::{Aabb, DVec3};
use serde::{Deserialize, Serialize};

/// A leaf of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf(u32);

const NONE: u32 = u32::MAX;
/// Marks the tag of a leaf among children; all other bits set is `NONE`.
const LEAF: u32 = 1 << 31;

/// A box in single precision about the origin of the tree: its least coordinates, and its greatest with the sign changed, so that
/// all six grow as it shrinks and are compared and joined alike.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Small([f32; 6]);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[repr(align(64))]
struct Node {
    boxes: [Small; 2],
    /// Nodes, or tags of leaves with the bit `LEAF`.
    children: [u32; 2],
    /// The next free node of a free one.
    parent: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Tagged {
    bounds: Aabb,
    parent: u32,
    is_in: bool,
}

const OUT: Tagged =
    Tagged { bounds: Aabb { min: DVec3::ZERO, max: DVec3::ZERO }, parent: NONE, is_in: false };

/// Boxes by tag, each inserted, replaced and removed on its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DynamicTree {
    nodes: Vec<Node>,
    /// By tag.
    leaves: Vec<Tagged>,
    /// A node, or a leaf if it is the only one.
    root: u32,
    free: u32,
    /// Where the first box was: small boxes count from there.
    origin: DVec3,
    /// Changes since it was built.
    changes: usize,
    /// Leaves on their way into a new tree; a buffer.
    tags: Vec<u32>,
}

impl Default for DynamicTree {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            leaves: Vec::new(),
            root: NONE,
            free: NONE,
            origin: DVec3::ZERO,
            changes: 0,
            tags: Vec::new(),
        }
    }
}

impl DynamicTree {
    /// Holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a box under a tag, below 2³¹, that no other box in the tree has; its sides must be finite.
    ///
    /// # Panics
    /// When the tag is too large or taken.
    pub fn insert(&mut self, bounds: Aabb, tag: u32) -> Leaf {
        assert!(tag < LEAF - 1, "the tag {tag} of a leaf is too large");
        if self.leaves.len() <= tag as usize {
            self.leaves.resize(tag as usize + 1, OUT);
        }
        assert!(!self.leaves[tag as usize].is_in, "the tag {tag} is taken");
        if self.root == NONE {
            self.origin = bounds.min;
        }
        self.leaves[tag as usize] = Tagged { bounds, parent: NONE, is_in: true };
        self.hang(tag, NONE);
        self.build_anew();
        Leaf(tag)
    }

    /// Whether it is a tree whose leaves have tags below `count`: one that was read from a file need not be.
    ///
    /// From the root down every node and every leaf that is in the tree comes once, below the parent that it names; the free
    /// nodes are all others.
    pub(crate) fn is_sound(&self, count: usize) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = if self.root == NONE { Vec::new() } else { vec![(self.root, NONE)] };
        let mut leaves = 0;
        while let Some((at, parent)) = open.pop() {
            if at & LEAF != 0 {
                let leaf = self.leaves.get((at & !LEAF) as usize);
                if !leaf.is_some_and(|leaf| leaf.is_in && leaf.parent == parent) {
                    return false;
                }
                leaves += 1;
                continue;
            }
            let Some(node) = self.nodes.get(at as usize) else { return false };
            if node.parent != parent || std::mem::replace(&mut seen[at as usize], true) {
                return false;
            }
            open.extend(node.children.map(|child| (child, at)));
        }
        let mut free = self.free;
        while free != NONE {
            match (self.nodes.get(free as usize), seen.get_mut(free as usize)) {
                (Some(node), Some(is_seen)) if !*is_seen => {
                    *is_seen = true;
                    free = node.parent;
                }
                _ => return false,
            }
        }
        let is_in = self.leaves.iter().filter(|leaf| leaf.is_in).count();
        self.leaves.len() <= count
            && leaves == is_in
            && seen.iter().all(|seen| *seen)
            && self.origin.is_finite()
            && self.leaves.iter().all(|leaf| leaf.bounds.min.is_finite() && leaf.bounds.max.is_finite())
    }

    /// Whether this leaf, of this tag, is in it.
    pub(crate) fn has(&self, leaf: Leaf, tag: u32) -> bool {
        leaf.0 == tag && self.leaves.get(tag as usize).is_some_and(|leaf| leaf.is_in)
    }

    /// Takes a box out.
    pub fn remove(&mut self, leaf: Leaf) {
        self.unhang(leaf.0);
        self.leaves[leaf.0 as usize] = OUT;
    }

    /// Replaces the box of a leaf.
    pub fn replace(&mut self, leaf: Leaf, bounds: Aabb) {
        let parent = self.leaves[leaf.0 as usize].parent;
        let small = self.small(&bounds);
        self.leaves[leaf.0 as usize].bounds = bounds;
        if parent != NONE && self.is_near(parent, &small) {
            let side = self.side_of(parent, leaf.0 | LEAF);
            self.nodes[parent as usize].boxes[side] = small;
            self.mend(parent);
        } else {
            // Most go no further than a few nodes: the way down to there from the root would be longer than from beside.
            let near = self.unhang(leaf.0);
            self.hang(leaf.0, near);
        }
        self.build_anew();
    }

    #[inline]
    fn small(&self, bounds: &Aabb) -> Small {
        let (min, max) = (bounds.min - self.origin, bounds.max - self.origin);
        Small([below(min.x), below(min.y), below(min.z), below(-max.x), below(-max.y), below(-max.z)])
    }

    /// Whether a box lies within the node some levels above this one: near enough to stay.
    fn is_near(&self, node: u32, bounds: &Small) -> bool {
        let (mut at, mut above) = (node, self.nodes[node as usize].parent);
        for _ in 1..NEAR {
            if above == NONE {
                break;
            }
            (at, above) = (above, self.nodes[above as usize].parent);
        }
        self.nodes[at as usize].bounds().contains(bounds)
    }

    /// The box of a leaf.
    pub fn bounds(&self, leaf: Leaf) -> Aabb {
        self.leaves[leaf.0 as usize].bounds
    }

    /// Fills `found` with the tags of all boxes that a box meets, touching included, in ascending order.
    ///
    /// Some that come as close as single precision resolves, reckoned from where the first box was, may be among them.
    pub fn meet(&self, bounds: &Aabb, found: &mut Vec<u32>, open: &mut Vec<u32>) {
        found.clear();
        open.clear();
        let bounds = self.small(bounds).opposite();
        if self.root != NONE && self.root & LEAF != 0 {
            let tag = self.root & !LEAF;
            if meets(&self.small(&self.leaves[tag as usize].bounds), &bounds) {
                found.push(tag);
            }
            return;
        }
        let mut next = (self.root != NONE).then_some(self.root);
        while let Some(i) = next {
            let node = &self.nodes[i as usize];
            let hits = [meets(&node.boxes[0], &bounds), meets(&node.boxes[1], &bounds)];
            for (hit, child) in hits.into_iter().zip(node.children) {
                if hit && child & LEAF != 0 {
                    found.push(child & !LEAF);
                } else if hit {
                    self.read_ahead(child);
                    open.push(child);
                }
            }
            next = open.pop();
        }
        found.sort_unstable();
    }

    /// As [`DynamicTree::meet`] for two boxes at once, which is cheaper where they are near each other.
    pub fn meet_both(&self, bounds: [&Aabb; 2], found: [&mut Vec<u32>; 2], open: &mut Vec<u32>) {
        let [found_a, found_b] = found;
        if self.root == NONE || self.root & LEAF != 0 {
            self.meet(bounds[0], found_a, open);
            self.meet(bounds[1], found_b, open);
            return;
        }
        found_a.clear();
        found_b.clear();
        open.clear();
        let (a, b) = (self.small(bounds[0]).opposite(), self.small(bounds[1]).opposite());
        let mut next = Some(self.root);
        while let Some(i) = next {
            let node = &self.nodes[i as usize];
            let [left, right] = &node.boxes;
            let hits = [(meets(left, &a), meets(left, &b)), (meets(right, &a), meets(right, &b))];
            for ((hit_a, hit_b), child) in hits.into_iter().zip(node.children) {
                if child & LEAF == 0 {
                    if hit_a | hit_b {
                        self.read_ahead(child);
                        open.push(child);
                    }
                    continue;
                }
                if hit_a {
                    found_a.push(child & !LEAF);
                }
                if hit_b {
                    found_b.push(child & !LEAF);
                }
            }
            next = open.pop();
        }
        found_a.sort_unstable();
        found_b.sort_unstable();
    }

    /// Prefetches a node that is visited soon: two fetched at once come in the time of one.
    #[inline]
    fn read_ahead(&self, node: u32) {
        std::hint::black_box(self.nodes[node as usize].parent);
    }

    /// Builds the tree anew after a few times as many changes as there are leaves: cheap for each of them.
    fn build_anew(&mut self) {
        self.changes += 1;
        if self.changes < CHANGES * self.leaves.len().max(FEW) || self.root & LEAF != 0 {
            return;
        }
        self.changes = 0;
        let mut tags = std::mem::take(&mut self.tags);
        tags.clear();
        tags.extend((0..self.leaves.len() as u32).filter(|tag| self.leaves[*tag as usize].is_in));
        self.nodes.clear();
        self.free = NONE;
        self.root = self.build(&mut tags, NONE).0;
        self.tags = tags;
    }

    /// A balanced tree over these leaves, nodes in depth-first order: halves along the axis on which the centres spread
    /// most. The depth is the logarithm of their number.
    fn build(&mut self, tags: &mut [u32], parent: u32) -> (u32, Small) {
        if let [tag] = *tags {
            self.leaves[tag as usize].parent = parent;
            return (tag | LEAF, self.small(&self.leaves[tag as usize].bounds));
        }
        // Twice the centre.
        let centre = |tag: &u32| {
            let Aabb { min, max } = self.leaves[*tag as usize].bounds;
            [min.x + max.x, min.y + max.y, min.z + max.z]
        };
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for tag in tags.iter() {
            let c = centre(tag);
            low = [0, 1, 2].map(|k| low[k].min(c[k]));
            high = [0, 1, 2].map(|k| high[k].max(c[k]));
        }
        let spread = [0, 1, 2].map(|k| high[k] - low[k]);
        let longer = usize::from(spread[1] > spread[0]);
        let axis = if spread[2] > spread[longer] { 2 } else { longer };
        let half = tags.len() / 2;
        tags.select_nth_unstable_by(half, |a, b| centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.cmp(b)));
        let (left, right) = tags.split_at_mut(half);
        let nothing = Small([0.0; 6]);
        let place = self.nodes.len();
        self.nodes.push(Node { boxes: [nothing; 2], children: [NONE; 2], parent });
        let below = [self.build(left, place as u32), self.build(right, place as u32)];
        let node = &mut self.nodes[place];
        (node.children, node.boxes) = (below.map(|b| b.0), below.map(|b| b.1));
        (place as u32, node.bounds())
    }

    /// Levels below the root; 0 for a single box or none.
    pub fn height(&self) -> u32 {
        let mut open = Vec::new();
        let mut height = 0;
        if self.root != NONE {
            open.push((self.root, 0));
        }
        while let Some((at, depth)) = open.pop() {
            height = height.max(depth);
            if at & LEAF == 0 {
                open.extend(self.nodes[at as usize].children.map(|child| (child, depth + 1)));
            }
        }
        height
    }

    fn allocate(&mut self, node: Node) -> u32 {
        if self.free == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.nodes[at as usize].parent;
        self.nodes[at as usize] = node;
        at
    }

    fn set_parent(&mut self, child: u32, parent: u32) {
        if child & LEAF == 0 {
            self.nodes[child as usize].parent = parent;
        } else {
            self.leaves[(child & !LEAF) as usize].parent = parent;
        }
    }

    /// Which of its two children this is.
    fn side_of(&self, parent: u32, child: u32) -> usize {
        usize::from(self.nodes[parent as usize].children[1] == child)
    }

    /// Hangs a leaf in beside the node where it adds least surface, below the first node from `near` up whose box holds it, or below
    /// the root if that is `NONE`.
    fn hang(&mut self, leaf: u32, near: u32) {
        let (child, bounds) = (leaf | LEAF, self.small(&self.leaves[leaf as usize].bounds));
        if self.root == NONE {
            self.root = child;
            self.set_parent(child, NONE);
            return;
        }
        let (sibling, above, around) = self.best_sibling(&bounds, near);
        let node = Node { boxes: [around, bounds], children: [sibling, child], parent: above };
        let parent = self.allocate(node);
        if above == NONE {
            self.root = parent;
        } else {
            let side = self.side_of(above, sibling);
            self.nodes[above as usize].children[side] = parent;
        }
        self.set_parent(sibling, parent);
        self.set_parent(child, parent);
        self.mend(parent);
    }

    /// Goes up from `near` to a box that holds this one, or to the root, and from there down as long as a child costs less than
    /// staying: where to, its parent and its box. [surface area heuristic, greedy]
    fn best_sibling(&self, bounds: &Small, near: u32) -> (u32, u32, Small) {
        if self.root & LEAF != 0 {
            return (self.root, NONE, self.small(&self.leaves[(self.root & !LEAF) as usize].bounds));
        }
        let mut at = if near == NONE { self.root } else { near };
        let mut around = self.nodes[at as usize].bounds();
        while at != self.root && !around.contains(bounds) {
            at = self.nodes[at as usize].parent;
            around = self.nodes[at as usize].bounds();
        }
        let mut above = self.nodes[at as usize].parent;
        while at & LEAF == 0 {
            let node = &self.nodes[at as usize];
            let joined = surface(&around.join(bounds));
            // Beside this node: a new parent of that size. Below it: this box grows, and one of the children's too.
            let here = 2.0 * joined;
            let growth = 2.0 * (joined - surface(&around));
            let cost = |k: usize| {
                let joined = surface(&node.boxes[k].join(bounds));
                growth + if node.children[k] & LEAF != 0 { joined } else { joined - surface(&node.boxes[k]) }
            };
            let below = [cost(0), cost(1)];
            if here < below[0] && here < below[1] {
                break;
            }
            let side = usize::from(below[1] < below[0]);
            (at, above, around) = (node.children[side], at, node.boxes[side]);
        }
        (at, above, around)
    }

    /// Takes a leaf out; the node that its sibling is below from now on, if any.
    fn unhang(&mut self, leaf: u32) -> u32 {
        let parent = self.leaves[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
            return NONE;
        }
        let side = self.side_of(parent, leaf | LEAF);
        let Node { children, boxes, parent: above } = self.nodes[parent as usize];
        let (sibling, around) = (children[1 - side], boxes[1 - side]);
        self.set_parent(sibling, above);
        if above == NONE {
            self.root = sibling;
        } else {
            let side = self.side_of(above, parent);
            let node = &mut self.nodes[above as usize];
            (node.children[side], node.boxes[side]) = (sibling, around);
            self.mend(above);
        }
        self.nodes[parent as usize].parent = self.free;
        self.free = parent;
        above
    }

    /// Boxes from here up, as far as they change, with better neighbours where there are.
    fn mend(&mut self, mut at: u32) {
        loop {
            self.turn(at);
            let Node { parent, .. } = self.nodes[at as usize];
            if parent == NONE {
                return;
            }
            let bounds = self.nodes[at as usize].bounds();
            let side = self.side_of(parent, at);
            let kept = &mut self.nodes[parent as usize].boxes[side];
            if *kept == bounds {
                return;
            }
            *kept = bounds;
            at = parent;
        }
    }

    /// Exchanges a child with a child of the other, if that makes the surface of the other smaller; the exchange that
    /// saves most.
    fn turn(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let (mut best, mut saved) = (None, 0.0);
        for k in 0..2 {
            if node.children[k] & LEAF != 0 {
                continue;
            }
            let split = &self.nodes[node.children[k] as usize];
            let (before, moved) = (surface(&node.boxes[k]), &node.boxes[1 - k]);
            for g in 0..2 {
                let gain = before - surface(&moved.join(&split.boxes[g]));
                if gain > saved {
                    (best, saved) = (Some((k, 1 - g)), gain);
                }
            }
        }
        let Some((k, g)) = best else { return };
        let (moved, moved_box) = (node.children[1 - k], node.boxes[1 - k]);
        let split = node.children[k];
        let below = &mut self.nodes[split as usize];
        let (given, given_box) = (below.children[g], below.boxes[g]);
        (below.children[g], below.boxes[g]) = (moved, moved_box);
        let split_box = below.bounds();
        let node = &mut self.nodes[at as usize];
        (node.children[1 - k], node.boxes[1 - k]) = (given, given_box);
        node.boxes[k] = split_box;
        self.set_parent(given, at);
        self.set_parent(moved, split);
    }
}

impl Node {
    #[inline]
    fn bounds(&self) -> Small {
        self.boxes[0].join(&self.boxes[1])
    }
}

impl Small {
    #[inline]
    fn join(&self, other: &Self) -> Self {
        let mut joined = self.0;
        for (least, x) in joined.iter_mut().zip(other.0) {
            *least = if x < *least { x } else { *least };
        }
        Self(joined)
    }

    /// Whether another box is within this one.
    #[inline]
    fn contains(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(x, y)| x <= y)
    }

    /// What the sides of a box that meets this one are at most.
    #[inline]
    fn opposite(&self) -> Opposite {
        let [x, y, z, far_x, far_y, far_z] = self.0;
        Opposite([-far_x, -far_y, -far_z, -x, -y, -z])
    }
}

/// A box that others are asked whether they meet it.
struct Opposite([f32; 6]);

/// The greatest number in single precision that is not above `x`.
#[inline]
fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// A leaf stays where it is if its new box lies within the node this many levels above it. Tried on boxes that move about
/// like those of a gas: one level, or none at all, visits about as many nodes in a question.
const NEAR: u32 = 2;

/// A tree is built anew after this many changes for each leaf; small ones, which are near in memory anyway, as if they
/// had `FEW` leaves. Tried on such boxes: twice as often visits no fewer nodes.
const CHANGES: usize = 2;
const FEW: usize = 512;

/// All six without a branch between them: which one fails cannot be foreseen.
#[inline]
#[allow(
    clippy::needless_bitwise_bool,
    reason = "a branch between comparisons is guessed wrong as often as right"
)]
fn meets(a: &Small, b: &Opposite) -> bool {
    a.0.iter().zip(&b.0).fold(true, |meets, (x, most)| meets & (x <= most))
}

/// Half the surface; a number even where sides are infinite.
#[inline]
fn surface(bounds: &Small) -> f64 {
    let Small(sides) = bounds;
    let side = |k: usize| (-f64::from(sides[k + 3]) - f64::from(sides[k])).min(LONGEST);
    let (x, y, z) = (side(0), side(1), side(2));
    x * y + y * z + z * x
}

/// A side that is as long as can be.
const LONGEST: f64 = 1e100;
