//! A grid of equal cells, one for every class of sizes [LECTURE I, uniform grids].

use super::aabb::{is_box, meet};
use super::pairs::Pairs;
use super::{BroadPhase, Filter, Method, Pair, Statistics, check_count};
use crate::math::Aabb;

/// Bits of a cell's coordinate. A coordinate in cells is at most 2²⁵ in size, so that its rounding is below 2⁻²⁶ of a
/// cell; what is further away is in the outermost cell.
const BITS: u32 = 26;
/// Half the number of cells along an axis.
const HALF: f64 = (1_u32 << (BITS - 1)) as f64;
/// Sizes of one level differ by less than 2 to this power, in binary classes of size.
const CLASSES_PER_LEVEL: usize = 3;
/// Binary classes of size: the exponents of f64.
const CLASSES: usize = 1 << 11;
/// Boxes in a row of cells, at least, on average: with fewer, finding the rows costs more than the tests they save; with a
/// decade more, a row is swept past boxes that are far away across it.
const BOXES_PER_ROW: f64 = 6.0;
/// Boxes sampled for how widely they are spread.
const SAMPLES: usize = 512;
/// Larger than this, m, a box is compared with all others: its size no longer is a number to divide by.
const UNBOUNDED: f64 = f64::MAX / 16.0;

/// Where a box is filed.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Level, cell along z, cell along y, from the highest bits to the lowest.
    row: u64,
    /// Smallest x, m.
    x: f64,
    index: u32,
}

/// Entries `start..end` are in the same row of cells, which runs along x.
#[derive(Debug, Clone, Copy)]
struct Row {
    key: u64,
    start: usize,
    end: usize,
}

/// Boxes of one class of sizes.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Largest side of a box in it, m.
    reach: f64,
    /// Side of a cell, m; never less than the reach.
    width: f64,
}

/// Boxes sorted into cells by their smallest corner, the cell as large as the largest box.
///
/// Boxes that overlap are then in the same cell or in adjacent ones. Only rows of cells that hold something exist; they
/// are a sorted list, so that a wide scene or a box far away costs nothing. Along a row the boxes are sorted by x and
/// swept, which needs no cell walls in that direction. Boxes of very different size are on levels with cells of their
/// own, and each is compared with its own level and the coarser ones; infinite boxes are compared with all.
/// Nothing is kept between updates but buffers: a sort costs less than finding which boxes have changed cells.
#[derive(Debug, Clone, Default)]
pub struct UniformGrid {
    /// Coarsest first.
    levels: Vec<Level>,
    /// A point in the midst of the boxes: y, z, m.
    middle: [f64; 2],
    entries: Vec<Entry>,
    /// The boxes in the order of the entries.
    boxes: Vec<Aabb>,
    rows: Vec<Row>,
    unbounded: Vec<u32>,
    sample: Vec<f64>,
    pairs: Pairs,
    statistics: Statistics,
}

impl UniformGrid {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sorts the boxes into classes by size, these into levels, and fills `level_of` with the level of each class.
    fn make_levels(&mut self, boxes: &[Aabb], level_of: &mut [u16; CLASSES]) {
        let (mut counts, mut largest) = ([0_usize; CLASSES], [0.0_f64; CLASSES]);
        for size in boxes.iter().filter_map(size_of) {
            counts[class_of(size)] += 1;
            largest[class_of(size)] = largest[class_of(size)].max(size);
        }
        let spread = [1, 2].map(|axis| self.measure_spread(boxes, axis));
        self.levels.clear();
        let mut class = CLASSES;
        while class > 0 {
            class -= 1;
            if counts[class] == 0 {
                continue;
            }
            let lowest = class.saturating_sub(CLASSES_PER_LEVEL - 1);
            let count: usize = counts[lowest..=class].iter().sum();
            level_of[lowest..=class].fill(self.levels.len() as u16);
            // As many rows as there are boxes, over the boxes wanted in each: the area of a row's cross-section.
            let section = spread[0].sqrt() * (BOXES_PER_ROW / count as f64).sqrt() * spread[1].sqrt();
            let reach = largest[class];
            self.levels.push(Level { reach, width: reach.max(section).clamp(f64::MIN_POSITIVE, UNBOUNDED) });
            class = lowest;
        }
    }

    /// Width of the middle nine tenths of the boxes along y or z, m, from a sample; notes their middle as well.
    fn measure_spread(&mut self, boxes: &[Aabb], axis: usize) -> f64 {
        let stride = boxes.len().div_ceil(SAMPLES).max(1);
        let is_bounded = |b: &&Aabb| size_of(b).is_some();
        self.sample.clear();
        self.sample.extend(boxes.iter().step_by(stride).filter(is_bounded).map(|b| b.min[axis]));
        self.sample.sort_unstable_by(f64::total_cmp);
        let last = self.sample.len().saturating_sub(1);
        let at = |share: usize| self.sample.get(last * share / 20).copied().unwrap_or(0.0);
        self.middle[axis - 1] = at(10);
        at(19) - at(1)
    }

    /// The cell of a coordinate, along y (0) or z (1). Never decreases with the coordinate.
    fn cell(&self, level: &Level, direction: usize, coordinate: f64) -> u64 {
        let cells = (coordinate - self.middle[direction]) / level.width;
        (cells.clamp(-HALF, HALF - 1.0) + HALF) as u64
    }

    /// Files all boxes and finds the rows.
    fn fill(&mut self, boxes: &[Aabb]) {
        let mut level_of = [0; CLASSES];
        self.make_levels(boxes, &mut level_of);
        self.entries.clear();
        self.unbounded.clear();
        for (index, b) in (0_u32..).zip(boxes) {
            if let Some(size) = size_of(b) {
                let number = level_of[class_of(size)];
                let level = &self.levels[usize::from(number)];
                let (y, z) = (self.cell(level, 0, b.min.y), self.cell(level, 1, b.min.z));
                self.entries.push(Entry { row: key(usize::from(number), z, y), x: b.min.x, index });
            } else if is_box(b) {
                self.unbounded.push(index);
            }
        }
        self.entries.sort_unstable_by(|a, b| {
            a.row.cmp(&b.row).then_with(|| a.x.total_cmp(&b.x)).then_with(|| a.index.cmp(&b.index))
        });
        self.boxes.clear();
        self.boxes.extend(self.entries.iter().map(|entry| boxes[entry.index as usize]));
        self.rows.clear();
        for (place, entry) in self.entries.iter().enumerate() {
            match self.rows.last_mut() {
                Some(row) if row.key == entry.row => row.end = place + 1,
                _ => self.rows.push(Row { key: entry.row, start: place, end: place + 1 }),
            }
        }
    }

    /// All pairs of a row with itself and with the rows after it, of its own level and of the coarser ones.
    fn pair_up_row(&mut self, number: usize, filter: &Filter) {
        let row = self.rows[number];
        self.pair_up_within(row, filter);
        let own = (row.key >> (2 * BITS)) as usize;
        let extent = self.boxes[row.start..row.end].iter().fold(Aabb::EMPTY, |all, b| all.join(b));
        // The coarsest level is number 0.
        for other in 0..=own {
            let level = self.levels[other];
            // Smallest corners of boxes that may meet this row are here; the lower bound is rounded down.
            let first =
                |direction, least: f64| self.cell(&level, direction, (least - level.reach).next_down());
            let (y_0, y_1) = (first(0, extent.min.y), self.cell(&level, 0, extent.max.y));
            let (z_0, z_1) = (first(1, extent.min.z), self.cell(&level, 1, extent.max.z));
            let first_key = if other == own { row.key + 1 } else { 0 };
            let mut next = self.row_from(key(other, z_0, y_0).max(first_key));
            // Over the rows that exist, however many cells there are in between.
            while let Some(coarse) = self.rows.get(next).filter(|r| r.key <= key(other, z_1, y_1)).copied() {
                let y = coarse.key & ((1 << BITS) - 1);
                if y < y_0 {
                    next = self.row_from(coarse.key - y + y_0);
                } else if y > y_1 {
                    next = self.row_from(coarse.key - y + (1 << BITS) + y_0);
                } else {
                    self.pair_up_rows(row, coarse, level.reach, filter);
                    next += 1;
                }
            }
        }
    }

    /// The first row with this key or a higher one.
    fn row_from(&self, key: u64) -> usize {
        self.rows.partition_point(|row| row.key < key)
    }

    fn pair_up_within(&mut self, row: Row, filter: &Filter) {
        for i in row.start..row.end {
            for j in i + 1..row.end {
                if self.entries[j].x > self.boxes[i].max.x {
                    break;
                }
                self.test(i, j, filter);
            }
        }
    }

    /// Sweeps two rows along x; boxes of the second are no longer than `reach`.
    fn pair_up_rows(&mut self, row: Row, other: Row, reach: f64, filter: &Filter) {
        let mut first = other.start;
        for i in row.start..row.end {
            let least = (self.entries[i].x - reach).next_down();
            while first < other.end && self.entries[first].x < least {
                first += 1;
            }
            for j in first..other.end {
                if self.entries[j].x > self.boxes[i].max.x {
                    break;
                }
                self.test(i, j, filter);
            }
        }
    }

    fn test(&mut self, i: usize, j: usize, filter: &Filter) {
        self.statistics.tests += 1;
        if meet(&self.boxes[i], &self.boxes[j]) {
            self.pairs.push(self.entries[i].index, self.entries[j].index, filter);
        }
    }

    /// Infinite boxes against everything.
    fn pair_up_unbounded(&mut self, boxes: &[Aabb], filter: &Filter) {
        for (k, &index) in self.unbounded.iter().enumerate() {
            let own = &boxes[index as usize];
            for (entry, b) in self.entries.iter().zip(&self.boxes) {
                if meet(own, b) {
                    self.pairs.push(index, entry.index, filter);
                }
            }
            for &other in &self.unbounded[k + 1..] {
                if meet(own, &boxes[other as usize]) {
                    self.pairs.push(index, other, filter);
                }
            }
            self.statistics.tests += (self.entries.len() + self.unbounded.len() - k - 1) as u64;
        }
    }
}

/// Largest side of a box that a grid can hold, m, rounded up.
fn size_of(b: &Aabb) -> Option<f64> {
    let size = (b.max - b.min).max_element().next_up();
    let is_bounded = is_box(b) && size < UNBOUNDED && b.min.abs().max_element() < UNBOUNDED;
    is_bounded.then_some(size)
}

/// The exponent of a size.
fn class_of(size: f64) -> usize {
    (size.to_bits() >> 52) as usize & (CLASSES - 1)
}

fn key(level: usize, z: u64, y: u64) -> u64 {
    (level as u64) << (2 * BITS) | z << BITS | y
}

impl BroadPhase for UniformGrid {
    fn update(&mut self, boxes: &[Aabb], filter: &Filter) -> &[Pair] {
        check_count(boxes);
        self.statistics = Statistics { restarted: true, ..Statistics::default() };
        self.pairs.clear();
        self.fill(boxes);
        for number in 0..self.rows.len() {
            self.pair_up_row(number, filter);
        }
        self.pair_up_unbounded(boxes, filter);
        self.pairs.sort(boxes.len());
        self.statistics.pairs = self.pairs.as_slice().len();
        self.pairs.as_slice()
    }

    fn pairs(&self) -> &[Pair] {
        self.pairs.as_slice()
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn method(&self) -> Method {
        Method::UniformGrid
    }

    fn copy(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
