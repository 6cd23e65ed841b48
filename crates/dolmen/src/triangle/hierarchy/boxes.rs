//! A hierarchy over anything that has a box.

use super::build::sort;
use super::{Node, extent};
use crate::math::{Aabb, DMat3, DVec3, Pose};
use std::ops::ControlFlow;

/// Two trees in their places: how far apart boxes of one and of the other are at least.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Between {
    turn: DMat3,
    /// The absolute values of `turn`.
    spread: DMat3,
    shift: DVec3,
}

impl Between {
    /// `pose` turns coordinates of the second tree into those of the first.
    pub(crate) fn new(pose: &Pose) -> Self {
        let turn = DMat3::from_quat(pose.orientation);
        let spread = DMat3::from_cols(turn.x_axis.abs(), turn.y_axis.abs(), turn.z_axis.abs());
        Self { turn, spread, shift: pose.position }
    }

    /// No more than the distance of a box of the first tree from one of the second: by the axes of both, the line between
    /// the centres, and a unit vector that points from the first to the second (or zero), in the frame of the first. At least
    /// zero, and less than the truth by what rounding may do. From `enough` on it need not be the best that these give.
    pub(crate) fn least(&self, a: &Aabb, b: &Aabb, along: DVec3, enough: f64) -> f64 {
        const ROUNDING: f64 = 16.0 * f64::EPSILON;
        let (centre_a, half_a) = (0.5 * (a.min + a.max), 0.5 * (a.max - a.min));
        let (centre_b, half_b) = (0.5 * (b.min + b.max), 0.5 * (b.max - b.min));
        let d = self.turn * centre_b + self.shift - centre_a;
        let size = centre_a.abs() + half_a + self.shift.abs() + centre_b.abs() + half_b;
        let rounding = ROUNDING * (size.x + size.y + size.z);
        let across = |m: DVec3| m.dot(d) - m.abs().dot(half_a) - transposed(&self.turn, m).abs().dot(half_b);
        let in_a = (d.abs() - half_a - self.spread * half_b).max(DVec3::ZERO);
        let mut best = in_a.length();
        if best - rounding < enough && along != DVec3::ZERO {
            best = best.max(across(along));
        }
        if best - rounding < enough {
            let back = transposed(&self.turn, d).abs();
            let in_b = (back - half_b - transposed(&self.spread, half_a)).max(DVec3::ZERO);
            best = best.max(in_b.length());
        }
        if best - rounding < enough {
            best = best.max(across(d.normalize_or_zero()));
        }
        (best - rounding).max(0.0)
    }
}

/// More than two trees of a million boxes have open at a time: one for every level of either.
const FEW: usize = 64;

/// Nodes still to be visited: in place as long as they are few, so that a walk through trees as deep as they come in
/// practice allocates nothing.
struct Open<T: Copy> {
    few: [T; FEW],
    count: usize,
    more: Vec<T>,
}

impl<T: Copy> Open<T> {
    fn new(first: T) -> Self {
        Self { few: [first; FEW], count: 1, more: Vec::new() }
    }

    fn push(&mut self, place: T) {
        match self.few.get_mut(self.count) {
            Some(slot) => {
                *slot = place;
                self.count += 1;
            }
            None => self.more.push(place),
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.more.pop().or_else(|| {
            self.count = self.count.checked_sub(1)?;
            Some(self.few[self.count])
        })
    }
}

/// A tree, or a single box that is none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Boxes<'a> {
    nodes: &'a [Node],
    order: &'a [u32],
    all: &'a [Aabb],
}

/// One box, as a tree has it.
#[derive(Debug, Clone)]
pub(crate) struct OneBox {
    node: [Node; 1],
    bounds: [Aabb; 1],
}

impl OneBox {
    pub(crate) fn new(bounds: Aabb) -> Self {
        Self { node: [Node { bounds, at: 0, count: 1 }], bounds: [bounds] }
    }

    pub(crate) fn view(&self) -> Boxes<'_> {
        Boxes { nodes: &self.node, order: &[0], all: &self.bounds }
    }
}

impl Boxes<'_> {
    /// No boxes.
    pub(crate) const NONE: Boxes<'static> = Boxes { nodes: &[], order: &[], all: &[] };

    /// The box around all.
    pub(crate) fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }

    fn in_leaf(&self, node: &Node) -> &[u32] {
        &self.order[node.at as usize..(node.at + node.count) as usize]
    }
}

fn transposed(m: &DMat3, v: DVec3) -> DVec3 {
    DVec3::new(m.x_axis.dot(v), m.y_axis.dot(v), m.z_axis.dot(v))
}

/// Boxes sorted into boxes, in one frame; may be empty.
#[derive(Debug, Clone)]
pub(crate) struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    boxes: Vec<Aabb>,
}

impl BoxTree {
    /// The box of number i keeps it as its name.
    pub(crate) fn new(boxes: Vec<Aabb>) -> Self {
        let (nodes, order) = sort(boxes.iter().copied());
        Self { nodes, order, boxes }
    }

    /// The box around all.
    pub(crate) fn bounds(&self) -> Aabb {
        self.view().bounds()
    }

    pub(crate) fn view(&self) -> Boxes<'_> {
        Boxes { nodes: &self.nodes, order: &self.order, all: &self.boxes }
    }
}

impl Boxes<'_> {
    /// Visits all pairs of a box of this tree and one of `other` that may be no further apart than `margin`, m, until told
    /// to stop; in no special order. Whether it came to the end.
    ///
    /// `apart` is no more than the distance of a box of this tree from one of the other; from its third argument on, that is
    /// all there is to know.
    pub(crate) fn near_pairs(
        &self,
        other: &Boxes,
        margin: f64,
        apart: impl Fn(&Aabb, &Aabb, f64) -> f64,
        mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> bool {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return true;
        }
        // What is apart by just the margin is near.
        let enough = margin + f64::EPSILON * margin.abs() + f64::MIN_POSITIVE;
        let mut open = Open::new((0_u32, 0_u32));
        while let Some((i, j)) = open.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if apart(&a.bounds, &b.bounds, enough) > margin {
                continue;
            }
            if a.count == 0 || b.count == 0 {
                for part in parts((i, a), (j, b)) {
                    open.push(part);
                }
                continue;
            }
            for &u in other.in_leaf(b) {
                for &t in self.in_leaf(a) {
                    let near = apart(&self.all[t as usize], &other.all[u as usize], enough) <= margin;
                    if near && visit(t, u).is_break() {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Visits pairs that may be nearer than the least distance known, near ones first. `exact` computes one pair and returns
    /// the least distance known from then on; `limit` is that at the start. `apart` is as for [`BoxTree::near_pairs`].
    ///
    /// # Errors
    /// The first that `exact` gives.
    pub(crate) fn nearest_pair<E>(
        &self,
        other: &Boxes,
        limit: f64,
        apart: impl Fn(&Aabb, &Aabb, f64) -> f64,
        mut exact: impl FnMut(u32, u32) -> Result<f64, E>,
    ) -> Result<(), E> {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return Ok(());
        }
        let least = |i: u32, j: u32, enough: f64| {
            apart(&self.nodes[i as usize].bounds, &other.nodes[j as usize].bounds, enough)
        };
        let mut best = limit;
        let mut open = Open::new((least(0, 0, limit), 0_u32, 0_u32));
        while let Some((bound, i, j)) = open.pop() {
            if bound >= best {
                continue;
            }
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if a.count > 0 && b.count > 0 {
                for &u in other.in_leaf(b) {
                    for &t in self.in_leaf(a) {
                        if apart(&self.all[t as usize], &other.all[u as usize], best) < best {
                            best = exact(t, u)?;
                        }
                    }
                }
                continue;
            }
            let [first, second] = parts((i, a), (j, b)).map(|(i, j)| (least(i, j, best), i, j));
            // The nearer one is visited first.
            let ordered = if first.0 <= second.0 { [second, first] } else { [first, second] };
            for place in ordered.into_iter().filter(|(bound, ..)| *bound < best) {
                open.push(place);
            }
        }
        Ok(())
    }
}

/// The larger of two nodes that are not both leaves gives way to its children.
fn parts((i, a): (u32, &Node), (j, b): (u32, &Node)) -> [(u32, u32); 2] {
    if b.count > 0 || (a.count == 0 && extent(&a.bounds) >= extent(&b.bounds)) {
        [(i + 1, j), (a.at, j)]
    } else {
        [(i, j + 1), (i, b.at)]
    }
}
