//! What can be known from the graph alone: copies of hubs, order, fill, and where each product goes.

use std::collections::BTreeSet;

use super::order::least_degree;

/// The most blocks at a body before it is shared out: with more the dense matrix of its blocks costs more than welds.
const HUB: usize = 4;

/// Blocks at each copy of a hub, besides two welds.
const SHARE: usize = 2;

/// A block as it is described: its rows and the bodies on which it acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockShape {
    /// 1 to 6.
    pub rows: usize,
    /// Bodies that can move, one for each part of its Jacobian; one may be there twice.
    pub bodies: Vec<usize>,
}

/// A block of the matrix: a joint's, or the weld between two copies of a hub.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) rows: usize,
    /// The number of its first row; none for a weld.
    pub(super) first: Option<usize>,
    /// Copies on which it acts, and the places of its parts.
    pub(super) parts: Vec<(usize, usize)>,
}

/// Where a block of the matrix is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The diagonal block of this place.
    Diagonal(usize),
    /// From this number on, row after row.
    Below(usize),
}

/// A product `J_i` M⁻¹ `J_j`ᵀ that goes into the matrix: parts of both, the copy, and where to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) copy: usize,
    pub(super) rows: (usize, usize),
    pub(super) target: Target,
}

/// A column of blocks of L, below the diagonal.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    /// Places of its blocks in the order of elimination, ascending.
    pub(super) places: Vec<usize>,
    /// Their rows, numbered in the order of elimination.
    pub(super) rows: Vec<usize>,
    /// Where its numbers begin: row after row, in each as many as its diagonal block has.
    pub(super) start: usize,
    /// The columns before it that have its rows, ascending, and where among theirs these begin.
    pub(super) reached: Vec<(usize, usize)>,
}

#[derive(Debug, Clone)]
pub(super) struct Structure {
    /// In the order of elimination.
    pub(super) blocks: Vec<Block>,
    pub(super) columns: Vec<Column>,
    /// The first row of each place, numbered in the order of elimination; at the end how many there are, welds included.
    pub(super) first_rows: Vec<usize>,
    pub(super) products: Vec<Product>,
    /// The body of each copy, and how many copies that has.
    pub(super) copies: Vec<(usize, usize)>,
    /// The first copy of the body of each copy.
    pub(super) firsts: Vec<usize>,
    pub(super) rows: usize,
    pub(super) part_count: usize,
    /// The blocks as they were given.
    pub(super) given: Vec<BlockShape>,
    /// Where the parts of each given block begin.
    pub(super) first_parts: Vec<usize>,
    /// Number of blocks of L below the diagonal, and of the numbers in them.
    pub(super) below: usize,
    pub(super) entries: usize,
    /// Parts that belong to welds: on the one copy and on the other.
    pub(super) welds: Vec<(usize, usize)>,
}

impl Structure {
    pub(super) fn new(bodies: usize, shapes: &[BlockShape]) -> Self {
        let (mut blocks, first_parts, mut part_count) = listed(shapes);
        let (copies, welded) = share_out(bodies, shapes, &mut blocks);
        let mut welds = Vec::new();
        for (one, other) in welded {
            let parts = vec![(one, part_count), (other, part_count + 1)];
            welds.push((part_count, part_count + 1));
            part_count += 2;
            blocks.push(Block { rows: super::WIDEST, first: None, parts });
        }
        let rows = shapes.iter().map(|shape| shape.rows).sum();
        let mut firsts: Vec<usize> = Vec::with_capacity(copies.len());
        for (copy, (body, _)) in copies.iter().enumerate() {
            // Copies of a body are next to each other.
            let same = copy > 0 && copies[copy - 1].0 == *body;
            firsts.push(if same { firsts[copy - 1] } else { copy });
        }
        let (order, touched) = least_degree(neighbours(copies.len(), &blocks));
        let blocks: Vec<Block> = order.iter().map(|i| blocks[*i].clone()).collect();
        let mut structure = Self {
            blocks,
            columns: Vec::new(),
            first_rows: vec![0],
            products: Vec::new(),
            copies,
            firsts,
            rows,
            part_count,
            given: shapes.to_vec(),
            first_parts,
            below: 0,
            entries: 0,
            welds,
        };
        structure.lay_out(touched);
        structure.list_products();
        structure
    }

    /// Gives every block of L its place.
    fn lay_out(&mut self, touched: Vec<Vec<usize>>) {
        for (place, block) in self.blocks.iter().enumerate() {
            self.first_rows.push(self.first_rows[place] + block.rows);
        }
        for (k, places) in touched.into_iter().enumerate() {
            let rows_of = |place: &usize| self.first_rows[*place]..self.first_rows[*place + 1];
            let rows: Vec<usize> = places.iter().flat_map(rows_of).collect();
            let start = self.entries;
            self.entries += rows.len() * self.blocks[k].rows;
            self.below += places.len();
            self.columns.push(Column { places, rows, start, reached: Vec::new() });
        }
        for k in 0..self.columns.len() {
            let mut first = 0;
            for i in 0..self.columns[k].places.len() {
                let place = self.columns[k].places[i];
                self.columns[place].reached.push((k, first));
                first += self.blocks[place].rows;
            }
        }
    }

    /// Where the block of a row and a column, not later than it, is kept.
    fn target(&self, row: usize, column: usize) -> Target {
        if row == column {
            return Target::Diagonal(row);
        }
        let list = &self.columns[column];
        let at = list.rows.binary_search(&self.first_rows[row]);
        let at = at.expect("blocks that share a body are neighbours in the graph");
        Target::Below(list.start + at * self.blocks[column].rows)
    }

    fn list_products(&mut self) {
        let mut at_copy: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.copies.len()];
        for (place, block) in self.blocks.iter().enumerate() {
            for (copy, part) in &block.parts {
                at_copy[*copy].push((place, *part));
            }
        }
        for (copy, list) in at_copy.iter().enumerate() {
            for &(row, left) in list {
                for &(column, right) in list.iter().filter(|(column, _)| *column <= row) {
                    let rows = (self.blocks[row].rows, self.blocks[column].rows);
                    let target = self.target(row, column);
                    self.products.push(Product { left, right, copy, rows, target });
                }
            }
        }
    }
}

/// The blocks as they were given, where their parts begin, and how many parts there are.
fn listed(shapes: &[BlockShape]) -> (Vec<Block>, Vec<usize>, usize) {
    let (mut row, mut part_count) = (0, 0);
    let mut first_parts = Vec::with_capacity(shapes.len());
    let mut blocks = Vec::with_capacity(shapes.len());
    for shape in shapes {
        debug_assert!((1..=super::WIDEST).contains(&shape.rows), "a block of {} rows", shape.rows);
        first_parts.push(part_count);
        let parts = shape.bodies.iter().enumerate().map(|(s, body)| (*body, part_count + s)).collect();
        blocks.push(Block { rows: shape.rows, first: Some(row), parts });
        row += shape.rows;
        part_count += shape.bodies.len();
    }
    (blocks, first_parts, part_count)
}

/// Pairs of copies of one body.
type Welds = Vec<(usize, usize)>;

/// Gives every body its copies and every part one of them; returns the copies and the welds between them.
fn share_out(bodies: usize, shapes: &[BlockShape], blocks: &mut [Block]) -> (Vec<(usize, usize)>, Welds) {
    let mut at_body: Vec<Vec<usize>> = vec![Vec::new(); bodies];
    for (i, shape) in shapes.iter().enumerate() {
        for body in shape.bodies.iter().collect::<BTreeSet<_>>() {
            at_body[*body].push(i);
        }
    }
    let (mut copies, mut welds) = (Vec::new(), Vec::new());
    for (body, list) in at_body.iter().enumerate() {
        let count = if list.len() > HUB { list.len().div_ceil(SHARE) } else { 1 };
        let first = copies.len();
        copies.extend(std::iter::repeat_n((body, count), count));
        welds.extend((1..count).map(|c| (first + c - 1, first + c)));
        for (k, block) in list.iter().enumerate() {
            let copy = if count == 1 { first } else { first + k / SHARE };
            for (s, _) in shapes[*block].bodies.iter().enumerate().filter(|(_, b)| **b == body) {
                blocks[*block].parts[s].0 = copy;
            }
        }
    }
    (copies, welds)
}

/// The blocks that share a copy with each block.
fn neighbours(copies: usize, blocks: &[Block]) -> Vec<BTreeSet<usize>> {
    let mut at_copy: Vec<Vec<usize>> = vec![Vec::new(); copies];
    for (i, block) in blocks.iter().enumerate() {
        for (copy, _) in &block.parts {
            at_copy[*copy].push(i);
        }
    }
    let mut near = vec![BTreeSet::new(); blocks.len()];
    for list in &at_copy {
        for i in list {
            near[*i].extend(list.iter().copied().filter(|j| j != i));
        }
    }
    near
}
