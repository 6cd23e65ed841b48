//! Which bodies may meet: boxes in, pairs of boxes that overlap out [NOTES II, bounding boxes; LECTURE I].
//!
//! Six methods behind one interface. All report the same pairs in the same order, whatever they were given before, so
//! that the choice is one of speed only:
//!
//! | method | idea | between updates |
//! |---|---|---|
//! | [`SortAndSweep`] | sorted ends on three axes | order kept, insertion sort, table updated per exchange |
//! | [`UniformGrid`] | rows of equal cells, a level for every class of sizes | sorted anew |
//! | [`Bvh`] | tree of boxes, split where the surface area says | refitted, rebuilt when degraded |
//! | [`Octree`] | tree of boxes, split into octants of a cube | refitted, rebuilt when degraded |
//! | [`KdTree`] | tree of boxes, split by planes, one axis at a time | refitted, rebuilt when degraded |
//! | [`BruteForce`] | all pairs | nothing kept: the referee |
//!
//! A box is a closed set: boxes that touch overlap. A box with min > max on an axis, or with a NaN in it, holds nothing
//! and overlaps nothing. Sides may be infinite. Numbers are compared, never computed with, where a pair is decided.

mod aabb;
mod brute_force;
mod choose;
mod dynamic_tree;
mod filter;
mod pairs;
mod sort_and_sweep;
mod swept;
mod tree;
mod uniform_grid;
pub mod volume;

pub use aabb::{is_box, overlap};
pub use brute_force::BruteForce;
pub use choose::{Choice, choose};
pub use dynamic_tree::{DynamicTree, Leaf};
pub use filter::{Filter, Groups};
pub use sort_and_sweep::SortAndSweep;
pub use swept::{Extent, box_around, swept_box, swept_box_tight, swept_box_turning};
pub use tree::{Bvh, KdTree, Octree};
pub use uniform_grid::UniformGrid;

use crate::math::Aabb;

/// Two boxes by their numbers, the lower first.
pub type Pair = [u32; 2];

/// A method that finds the pairs of boxes that overlap, and may remember something from one update to the next.
pub trait BroadPhase: std::fmt::Debug + Send {
    /// Takes the boxes as they are now and returns the pairs as [`BroadPhase::pairs`] does.
    ///
    /// A box is known by its number, its place in `boxes`; there may be more or fewer than last time. What the method
    /// remembers changes the cost only.
    ///
    /// # Panics
    /// When there are 2³¹ boxes or more.
    fn update(&mut self, boxes: &[Aabb], filter: &Filter) -> &[Pair];

    /// The pairs of the last update that overlap and that the filter allows, sorted, each once.
    fn pairs(&self) -> &[Pair];

    /// What the last update cost.
    fn statistics(&self) -> Statistics;

    /// Which of the methods this is.
    fn method(&self) -> Method;

    /// A copy with all that it remembers.
    fn copy(&self) -> Box<dyn BroadPhase>;
}

impl Clone for Box<dyn BroadPhase> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// What an update cost, counted and not timed, so that it is the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Tests of one box against another, those of the nodes of a tree included.
    pub tests: u64,
    /// Neighbours exchanged while sorting, on all axes; of [`SortAndSweep`] only.
    pub exchanges: u64,
    /// Whether the method started from nothing, instead of from what it had.
    pub restarted: bool,
    /// Pairs reported.
    pub pairs: usize,
}

/// The methods by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// [`SortAndSweep`].
    SortAndSweep,
    /// [`UniformGrid`].
    UniformGrid,
    /// [`Bvh`].
    Bvh,
    /// [`Octree`].
    Octree,
    /// [`KdTree`].
    KdTree,
    /// [`BruteForce`].
    BruteForce,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::SortAndSweep, Self::UniformGrid, Self::Bvh, Self::Octree, Self::KdTree, Self::BruteForce];

    /// As it is written in a scene or a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::SortAndSweep => "sort-and-sweep",
            Self::UniformGrid => "uniform-grid",
            Self::Bvh => "bvh",
            Self::Octree => "octree",
            Self::KdTree => "kd-tree",
            Self::BruteForce => "brute-force",
        }
    }

    /// A broad phase of that kind that has seen nothing yet.
    pub fn start(self) -> Box<dyn BroadPhase> {
        match self {
            Self::SortAndSweep => Box::new(SortAndSweep::new()),
            Self::UniformGrid => Box::new(UniformGrid::new()),
            Self::Bvh => Box::new(Bvh::new()),
            Self::Octree => Box::new(Octree::new()),
            Self::KdTree => Box::new(KdTree::new()),
            Self::BruteForce => Box::new(BruteForce::new()),
        }
    }
}

/// Boxes at most: a number and one bit more must fit 32 bits.
const MAX_BOXES: usize = 1 << 31;

/// Stops what could only go wrong later.
fn check_count(boxes: &[Aabb]) {
    assert!(boxes.len() < MAX_BOXES, "{} boxes are more than a broad phase can number", boxes.len());
}
