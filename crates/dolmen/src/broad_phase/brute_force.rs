//! All pairs, one after the other.

use super::aabb::{meet, normal};
use super::pairs::Pairs;
use super::{BroadPhase, Filter, Method, Pair, Statistics, check_count};
use crate::math::Aabb;

/// Tests every pair: n(n − 1)/2 tests. The referee of the others, and the fastest for a handful of boxes.
#[derive(Debug, Clone, Default)]
pub struct BruteForce {
    boxes: Vec<Aabb>,
    pairs: Pairs,
    statistics: Statistics,
}

impl BruteForce {
    /// Has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl BroadPhase for BruteForce {
    fn update(&mut self, boxes: &[Aabb], filter: &Filter) -> &[Pair] {
        check_count(boxes);
        self.boxes.clear();
        self.boxes.extend(boxes.iter().map(normal));
        self.pairs.clear();
        for (i, a) in self.boxes.iter().enumerate() {
            for (j, b) in self.boxes.iter().enumerate().skip(i + 1) {
                if meet(a, b) {
                    self.pairs.push(i as u32, j as u32, filter);
                }
            }
        }
        let count = boxes.len() as u64;
        self.statistics = Statistics {
            tests: count * count.saturating_sub(1) / 2,
            restarted: true,
            pairs: self.pairs.as_slice().len(),
            exchanges: 0,
        };
        self.pairs.as_slice()
    }

    fn pairs(&self) -> &[Pair] {
        self.pairs.as_slice()
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn method(&self) -> Method {
        Method::BruteForce
    }

    fn copy(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
