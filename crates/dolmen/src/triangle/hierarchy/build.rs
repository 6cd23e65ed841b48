//! Sorting triangles into boxes by the surface-area heuristic. [Wald, On fast construction of SAH-based bounding volume
//! hierarchies, 2007]

use super::Node;
use crate::math::{Aabb, DVec3};
use crate::shape::Mesh;
use crate::shape::overlap::{box_of, corners};

/// Triangles in a leaf at most.
const LEAF: usize = 4;
/// Places where a cut is tried along each axis, plus one.
const BINS: usize = 16;
/// Below this depth triangles are halved by count: with 2³² triangles at most, no path is longer than this plus 32.
const DEEPEST: u32 = 48;

struct Item {
    triangle: u32,
    bounds: Aabb,
    centre: DVec3,
}

/// Nodes (the root first) and triangles in the order of the leaves.
pub(super) fn build(mesh: &Mesh) -> (Vec<Node>, Vec<u32>) {
    sort(mesh.triangles().iter().map(|t| box_of(corners(mesh.vertices(), *t))))
}

/// Nodes (the root first, none for no boxes) and the numbers of the boxes in the order of the leaves.
pub(super) fn sort(boxes: impl Iterator<Item = Aabb>) -> (Vec<Node>, Vec<u32>) {
    let item = |(i, bounds): (usize, Aabb)| Item {
        triangle: i as u32,
        bounds,
        centre: 0.5 * (bounds.min + bounds.max),
    };
    let mut items: Vec<Item> = boxes.enumerate().map(item).collect();
    let mut nodes = Vec::with_capacity(items.len());
    if !items.is_empty() {
        add(&mut items, 0, 0, &mut nodes);
    }
    (nodes, items.iter().map(|item| item.triangle).collect())
}

/// Adds the node of these items, the first of which has the place `first`, and all nodes under it.
fn add(items: &mut [Item], first: usize, depth: u32, nodes: &mut Vec<Node>) {
    let bounds = items.iter().fold(Aabb::EMPTY, |all, item| all.join(&item.bounds));
    let index = nodes.len();
    nodes.push(Node { bounds, at: first as u32, count: items.len() as u32 });
    if items.len() <= LEAF {
        return;
    }
    let cut = if depth < DEEPEST { best_cut(items) } else { None };
    let half = match cut {
        // A stable sort by side keeps the order within each.
        Some(cut) => {
            items.sort_by_key(|item| cut.bin(item) > cut.last);
            items.partition_point(|item| cut.bin(item) <= cut.last)
        }
        None => items.len() / 2,
    };
    let (left, right) = items.split_at_mut(half);
    add(left, first, depth + 1, nodes);
    nodes[index].at = nodes.len() as u32;
    nodes[index].count = 0;
    add(right, first + half, depth + 1, nodes);
}

/// Items whose centre falls into the bins up to `last` go left.
struct Cut {
    axis: usize,
    low: f64,
    per_length: f64,
    last: usize,
}

impl Cut {
    fn bin(&self, item: &Item) -> usize {
        (((item.centre[self.axis] - self.low) * self.per_length) as usize).min(BINS - 1)
    }
}

/// The cut that makes Σ area × count of both sides least; `None` when all centres fall into one bin on every axis.
fn best_cut(items: &[Item]) -> Option<Cut> {
    let centres = items.iter().fold(Aabb::EMPTY, |all, item| all.join(&Aabb::point(item.centre)));
    let mut best: Option<(f64, Cut)> = None;
    for axis in 0..3 {
        let (low, length) = (centres.min[axis], centres.max[axis] - centres.min[axis]);
        let per_length = BINS as f64 / length;
        if !per_length.is_finite() {
            continue;
        }
        let cut = |last| Cut { axis, low, per_length, last };
        let mut bins = [(Aabb::EMPTY, 0_usize); BINS];
        for item in items {
            let bin = &mut bins[cut(0).bin(item)];
            *bin = (bin.0.join(&item.bounds), bin.1 + 1);
        }
        // Costs of everything up to a bin, then of everything after it.
        let mut costs = [0.0; BINS];
        let (mut all, mut count) = (Aabb::EMPTY, 0);
        for i in 0..BINS {
            (all, count) = (all.join(&bins[i].0), count + bins[i].1);
            costs[i] = area(&all) * count as f64;
        }
        (all, count) = (Aabb::EMPTY, 0);
        for i in (1..BINS).rev() {
            (all, count) = (all.join(&bins[i].0), count + bins[i].1);
            let cost = costs[i - 1] + area(&all) * count as f64;
            let parts = count > 0 && count < items.len();
            if parts && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, cut(i - 1)));
            }
        }
    }
    best.map(|(_, cut)| cut)
}

fn area(bounds: &Aabb) -> f64 {
    let d = (bounds.max - bounds.min).max(DVec3::ZERO);
    d.x * d.y + d.y * d.z + d.z * d.x
}
