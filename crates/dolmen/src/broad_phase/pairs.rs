//! A list of pairs that is filled in any order and sorted in linear time.

use super::{Filter, Pair};

/// Lists shorter than this share of the boxes are sorted by comparison: counting would walk all boxes for them.
const SPARSE: usize = 8;

/// Pairs of one update. Keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs {
    list: Vec<Pair>,
    spare: Vec<Pair>,
    /// Where the pairs of each lower number start.
    starts: Vec<usize>,
}

impl Pairs {
    pub(super) fn as_slice(&self) -> &[Pair] {
        &self.list
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds a pair that overlaps, if it is wanted.
    pub(super) fn push(&mut self, i: u32, j: u32, filter: &Filter) {
        if filter.allows(i, j) {
            self.list.push([i.min(j), i.max(j)]);
        }
    }

    /// Sorts; all numbers are below `count`. Linear in the count and the pairs: counted by the lower number, then sorted
    /// within it.
    pub(super) fn sort(&mut self, count: usize) {
        if self.list.len() < count / SPARSE {
            self.list.sort_unstable();
            return;
        }
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for [i, _] in &self.list {
            self.starts[*i as usize + 1] += 1;
        }
        for i in 0..count {
            self.starts[i + 1] += self.starts[i];
        }
        self.spare.clear();
        self.spare.resize(self.list.len(), [0, 0]);
        for pair in &self.list {
            let place = &mut self.starts[pair[0] as usize];
            self.spare[*place] = *pair;
            *place += 1;
        }
        std::mem::swap(&mut self.list, &mut self.spare);
        // Filling has moved every start to the next one.
        let mut start = 0;
        for &end in &self.starts[..count] {
            self.list[start..end].sort_unstable();
            start = end;
        }
    }

    /// Takes pairs out and puts others in, all three lists sorted and without repetition; `keeps` says which of the old
    /// pairs may stay. Linear.
    pub(super) fn exchange(&mut self, out: &[Pair], into: &[Pair], keeps: impl Fn(&Pair) -> bool) {
        self.spare.clear();
        let (mut out, mut into) = (out.iter().peekable(), into.iter().peekable());
        for pair in &self.list {
            while let Some(new) = into.next_if(|new| *new < pair) {
                self.spare.push(*new);
            }
            into.next_if(|new| *new == pair);
            while out.next_if(|gone| *gone < pair).is_some() {}
            if out.next_if(|gone| *gone == pair).is_none() && keeps(pair) {
                self.spare.push(*pair);
            }
        }
        self.spare.extend(into);
        std::mem::swap(&mut self.list, &mut self.spare);
    }
}
