//! Where a symmetric block matrix over a graph fills in when it is eliminated, in an order that keeps that small.

use std::collections::BTreeSet;

/// The order of elimination and the places of all blocks of the factor; a square matrix of blocks, one row a node.
///
/// Node k of the order is `order[k]`. Column k holds the blocks below the diagonal whose rows, as places in the order
/// and ascending, are `rows[start[k]..start[k + 1]]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Pattern {
    pub(super) order: Vec<usize>,
    /// Place of each node in the order.
    pub(super) place: Vec<usize>,
    pub(super) start: Vec<usize>,
    pub(super) rows: Vec<usize>,
    edges: Vec<(usize, usize)>,
}

impl Pattern {
    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.order.len()
    }

    /// Becomes the pattern of the graph with these edges (low, high), sorted and without repetition; nothing is done
    /// when it is that already.
    ///
    /// Nodes go by their degree in the graph that is left, the least first, of equals the first: near the least fill for
    /// chains, trees and walls. [George, Liu, The evolution of the minimum degree ordering algorithm]
    pub(super) fn analyse(&mut self, nodes: usize, edges: &[(usize, usize)]) {
        if self.nodes() == nodes && self.edges == edges {
            return;
        }
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for &(a, b) in edges {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
        }
        self.eliminate(&mut neighbours);
        self.place.clear();
        self.place.resize(nodes, 0);
        for (k, &node) in self.order.iter().enumerate() {
            self.place[node] = k;
        }
        self.start.clear();
        self.rows.clear();
        self.start.push(0);
        for &node in &self.order {
            let begin = self.rows.len();
            self.rows.extend(neighbours[node].iter().map(|&other| self.place[other]));
            self.rows[begin..].sort_unstable();
            self.start.push(self.rows.len());
        }
    }

    /// Fills `order`; leaves of each node the neighbours that it had when it went.
    fn eliminate(&mut self, neighbours: &mut [Vec<usize>]) {
        self.order.clear();
        let mut queue: BTreeSet<(usize, usize)> =
            neighbours.iter().enumerate().map(|(node, list)| (list.len(), node)).collect();
        let mut merged = Vec::new();
        while let Some((_, node)) = queue.pop_first() {
            self.order.push(node);
            let around = std::mem::take(&mut neighbours[node]);
            for &other in &around {
                let list = &mut neighbours[other];
                queue.remove(&(list.len(), other));
                merge(list, &around, (node, other), &mut merged);
                std::mem::swap(list, &mut merged);
                queue.insert((list.len(), other));
            }
            neighbours[node] = around;
        }
    }

    /// Where the block of two different nodes lies in the columns, and whether it is the block (first, second) as
    /// given (true) or its transpose.
    pub(super) fn slot(&self, first: usize, second: usize) -> (usize, bool) {
        let (i, j) = (self.place[first], self.place[second]);
        let (low, high) = (i.min(j), i.max(j));
        let column = &self.rows[self.start[low]..self.start[low + 1]];
        let at = column.binary_search(&high).expect("an edge of the graph that was analysed");
        (self.start[low] + at, i > j)
    }
}

/// The union of two ascending lists without the two nodes that go or stay, into `merged`.
fn merge(a: &[usize], b: &[usize], without: (usize, usize), merged: &mut Vec<usize>) {
    merged.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) => x,
            (None, Some(&y)) => y,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if next != without.0 && next != without.1 {
            merged.push(next);
        }
    }
}
