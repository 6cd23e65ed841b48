//! Sort and sweep on three axes that keeps its order between updates [NOTES II, bounding boxes].

use super::aabb::{NOTHING, is_box, meet, normal};
use super::pairs::Pairs;
use super::{BroadPhase, Filter, Method, Pair, Statistics, check_count};
use crate::math::Aabb;

/// Exchanges for every end of a box and every doubling of their number, after which sorting anew is about as cheap. A
/// decade less restarts where following would be cheaper; a decade more is slow after a jump.
const EXCHANGES_BEFORE_RESTART: u64 = 2;

/// One end of a box along an axis: bᵢ or eᵢ in the notes.
#[derive(Debug, Clone, Copy)]
struct End {
    value: f64,
    /// Twice the number of the box, and one more where the box ends.
    tag: u32,
}

impl End {
    fn index(self) -> u32 {
        self.tag >> 1
    }

    fn closes(self) -> bool {
        self.tag & 1 == 1
    }

    /// Order along the axis. Of two that are equal the box that begins comes first: boxes that touch overlap.
    fn is_before(self, other: Self) -> bool {
        self.value < other.value || (self.value == other.value && !self.closes() && other.closes())
    }

    /// The value as it is in the boxes now. Adding zero turns −0 into 0.
    fn refresh(&mut self, boxes: &[Aabb], axis: usize) {
        let b = &boxes[self.index() as usize];
        self.value = if self.closes() { b.max[axis] } else { b.min[axis] } + 0.0;
    }
}

/// The method of the notes.
///
/// First the ends bᵢ, eᵢ of all boxes are sorted and swept: n log n + k for the k pairs that overlap along the best of
/// the three axes. From then on the old order is put right by insertion sort on every axis. Where an end passes a
/// beginning, the pair has begun or ceased to overlap along that axis; one test of the whole boxes says whether it
/// enters the table of overlaps or leaves it. That is n + c for c exchanges, and c is small when boxes move little.
///
/// When the exchanges become more than a sort would cost (boxes that jump), it starts as if for the first time.
/// Boxes that appear enter at the far end of the lists, where they overlap nothing.
#[derive(Debug, Clone, Default)]
pub struct SortAndSweep {
    /// Sorted ends along x, y, z, of the boxes that hold something.
    axes: [Vec<End>; 3],
    /// The boxes of the last update.
    last: Vec<Aabb>,
    filter: Filter,
    /// The table of overlaps.
    table: Pairs,
    entering: Vec<Pair>,
    leaving: Vec<Pair>,
    /// Boxes under the sweep, and the place of each there.
    active: Vec<u32>,
    places: Vec<u32>,
    statistics: Statistics,
}

impl SortAndSweep {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes boxes that ceased to hold something out of the lists, puts new ones at their ends; says whether any ceased.
    fn take_census(&mut self, boxes: &[Aabb]) -> bool {
        let is_now = |index: u32| boxes.get(index as usize).is_some_and(is_box);
        let ceased = (0_u32..).zip(&self.last).any(|(index, was)| is_box(was) && !is_now(index));
        if ceased {
            for ends in &mut self.axes {
                ends.retain(|end| is_now(end.index()));
            }
        }
        for index in (0..boxes.len() as u32).filter(|index| is_now(*index)) {
            if !self.last.get(index as usize).is_some_and(is_box) {
                for ends in &mut self.axes {
                    ends.extend([2 * index, 2 * index + 1].map(|tag| End { value: 0.0, tag }));
                }
            }
        }
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            for end in ends.iter_mut() {
                end.refresh(boxes, axis);
            }
        }
        ceased
    }

    /// Insertion sort of one axis, noting every pair whose overlap may have changed; false when it has made more than
    /// `limit` exchanges and was left half done.
    fn put_in_order(&mut self, axis: usize, boxes: &[Aabb], limit: u64) -> bool {
        let ends = &mut self.axes[axis];
        for k in 1..ends.len() {
            let end = ends[k];
            let mut place = k;
            while place > 0 && end.is_before(ends[place - 1]) {
                let other = ends[place - 1];
                ends[place] = other;
                place -= 1;
                self.statistics.exchanges += 1;
                if end.closes() == other.closes() {
                    continue;
                }
                let (i, j) = (end.index().min(other.index()), end.index().max(other.index()));
                let (boxes, table) = if other.closes() {
                    // `end` begins and comes to lie before the end of the other: apart till now on this axis.
                    (boxes, &mut self.entering)
                } else {
                    // `end` ends and comes to lie before the beginning of the other: apart from now on.
                    (self.last.as_slice(), &mut self.leaving)
                };
                self.statistics.tests += 1;
                if meet(&box_of(boxes, i), &box_of(boxes, j)) && self.filter.allows(i, j) {
                    table.push([i, j]);
                }
            }
            ends[place] = end;
            if self.statistics.exchanges > limit {
                return false;
            }
        }
        true
    }

    /// Brings the table up to date by exchanges; false when there were too many.
    fn follow(&mut self, boxes: &[Aabb]) -> bool {
        let ceased = self.take_census(boxes);
        self.entering.clear();
        self.leaving.clear();
        let ends = self.axes[0].len() as u64;
        let limit = EXCHANGES_BEFORE_RESTART * 3 * ends * u64::from(ends.max(2).ilog2());
        if !(0..3).all(|axis| self.put_in_order(axis, boxes, limit)) {
            return false;
        }
        // A pair may have changed along several axes at once.
        for changed in [&mut self.entering, &mut self.leaving] {
            changed.sort_unstable();
            changed.dedup();
        }
        if ceased || !self.entering.is_empty() || !self.leaving.is_empty() {
            let is_now = |index: u32| boxes.get(index as usize).is_some_and(is_box);
            let keeps = |pair: &Pair| !ceased || pair.iter().all(|index| is_now(*index));
            self.table.exchange(&self.leaving, &self.entering, keeps);
        }
        true
    }

    /// Sorts all ends and sweeps along the axis with the fewest overlaps.
    fn restart(&mut self, boxes: &[Aabb]) {
        self.statistics.restarted = true;
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.clear();
            let numbers = (0..boxes.len() as u32).filter(|index| is_box(&boxes[*index as usize]));
            ends.extend(numbers.flat_map(|i| [2 * i, 2 * i + 1]).map(|tag| End { value: 0.0, tag }));
            for end in ends.iter_mut() {
                end.refresh(boxes, axis);
            }
            ends.sort_unstable_by(|a, b| {
                a.value.total_cmp(&b.value).then_with(|| (a.closes(), a.tag).cmp(&(b.closes(), b.tag)))
            });
        }
        let best = (0..3).min_by_key(|axis| overlaps_along(&self.axes[*axis])).unwrap_or(0);
        self.sweep(best, boxes);
    }

    fn sweep(&mut self, axis: usize, boxes: &[Aabb]) {
        self.table.clear();
        self.active.clear();
        self.places.clear();
        self.places.resize(boxes.len(), 0);
        for end in &self.axes[axis] {
            let index = end.index();
            if end.closes() {
                let place = self.places[index as usize];
                self.active.swap_remove(place as usize);
                if let Some(moved) = self.active.get(place as usize) {
                    self.places[*moved as usize] = place;
                }
                continue;
            }
            for other in &self.active {
                if meet(&boxes[index as usize], &boxes[*other as usize]) {
                    self.table.push(index, *other, &self.filter);
                }
            }
            self.statistics.tests += self.active.len() as u64;
            self.places[index as usize] = self.active.len() as u32;
            self.active.push(index);
        }
        self.table.sort(boxes.len());
    }
}

/// The box as it is, since the lists hold no others; [`NOTHING`] when it is new to a list of earlier boxes.
fn box_of(boxes: &[Aabb], index: u32) -> Aabb {
    boxes.get(index as usize).copied().unwrap_or(NOTHING)
}

/// How many pairs of intervals overlap along an axis whose ends are sorted.
fn overlaps_along(ends: &[End]) -> u64 {
    let (mut active, mut overlaps) = (0, 0);
    for end in ends {
        if end.closes() {
            active -= 1;
        } else {
            overlaps += active;
            active += 1;
        }
    }
    overlaps
}

impl BroadPhase for SortAndSweep {
    fn update(&mut self, boxes: &[Aabb], filter: &Filter) -> &[Pair] {
        check_count(boxes);
        self.statistics = Statistics::default();
        let is_new = self.axes[0].is_empty() || self.filter != *filter;
        if is_new {
            self.filter.clone_from(filter);
        }
        if is_new || !self.follow(boxes) {
            self.restart(boxes);
        }
        self.last.clear();
        self.last.extend(boxes.iter().map(normal));
        self.statistics.pairs = self.table.as_slice().len();
        self.table.as_slice()
    }

    fn pairs(&self) -> &[Pair] {
        self.table.as_slice()
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn method(&self) -> Method {
        Method::SortAndSweep
    }

    fn copy(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
