//! The walk over pairs of cells: which pull each other as wholes, and which are opened.
//!
//! ```text
//! visit (root, root)
//! visit (a, a):  a leaf: all its pairs of bodies;  else every pair of its children, and each child with itself
//! visit (a, b):  few bodies, or both leaves:  all pairs of bodies
//!                far apart:                   each adds to the other's Taylor series
//!                else:                        the children of one of them with the other;
//!                                             of a leaf that is light, the bodies with the cells of the other
//! at the end, every cell hands its series down to its children, and the leaves to their bodies
//! ```

use std::ops::Range;

use super::direct::{Pull, massive, pair};
use super::expansion::{Derivatives, Field};
use super::octree::{Cell, Octree};
use crate::math::DVec3;

/// Pairs of bodies that cost as much as the mutual series of two cells. From 8 to 24 the time is the same within the
/// noise.
const DIRECT_PAIRS_FAR: usize = 16;
/// Pairs of bodies that cost less than opening one of two cells that are near. 64 and 256 take a tenth longer.
const DIRECT_PAIRS_NEAR: usize = 128;
/// Bodies of a cell that cost as much as its moments do for a single body.
const DIRECT_BODIES: usize = 6;
/// A cell is thin beside another of more than this many times its density M/R³.
///
/// At 30 the walk of a Plummer sphere of 10⁵ bodies takes a third longer; at 300 its RMS error is a third larger.
/// Without it single bodies in the outskirts of 4000 get errors of 1e-1. In a uniform cube it makes no difference.
const THIN: f64 = 100.0;
/// Squared distances, m², for which the moments and the ninth power of 1/d are numbers: d from 1e-30 m to 1e40 m.
/// Beyond, no cell is accepted.
const SQUARED_DISTANCES: Range<f64> = 1e-60..1e80;

/// What decides about a pair of cells.
struct Criterion {
    opening_squared: f64,
    softening_squared: f64,
}

impl Criterion {
    /// `size` < θ d.
    #[inline]
    fn accepts(&self, size: f64, distance_squared: f64) -> bool {
        size * size < self.opening_squared * distance_squared && SQUARED_DISTANCES.contains(&distance_squared)
    }
}

/// What to do with a pair of cells.
enum Visit {
    Pairs,
    Series,
    OpenFirst,
    OpenSecond,
}

impl Octree {
    /// Gravitational accelerations of the bodies the tree was built from, m/s², by their index there; returns the
    /// potential energy, J.
    ///
    /// Same law, units and outcomes as [`direct`](super::direct()), but for the cells that pull each other as wholes
    /// because they are seen under an angle less than `opening`, as the [module](super) states; there is a
    /// [default](super::DEFAULT_OPENING). `opening` is taken as 0 when negative or NaN, and then no cell is
    /// accepted; as 1 when larger.
    ///
    /// All pulls are mutual: Σ m a vanishes up to rounding, whatever the opening.
    ///
    /// # Panics
    /// When `accelerations` has another length than the tree.
    pub fn accelerations(
        &mut self,
        gravity_constant: f64,
        softening: f64,
        opening: f64,
        accelerations: &mut [DVec3],
    ) -> f64 {
        assert_eq!(self.len(), accelerations.len(), "as many accelerations as bodies in the tree");
        if self.is_empty() {
            return 0.0;
        }
        let opening = if opening > 0.0 { opening.min(1.0) } else { 0.0 };
        let criterion =
            Criterion { opening_squared: opening * opening, softening_squared: softening * softening };
        self.walk.fields.clear();
        self.walk.fields.resize(self.cells.len(), Field::ZERO);
        self.walk.pulls.clear();
        self.walk.pulls.resize(self.len(), Pull::ZERO);
        self.visit_pairs(&criterion);
        self.hand_down();

        let mut energy = 0.0;
        for ((pull, &mass), &(_, index)) in self.walk.pulls.iter().zip(&self.masses).zip(&self.keys) {
            accelerations[index as usize] = gravity_constant * pull.acceleration;
            energy += massive(mass, pull.psi);
        }
        -0.5 * gravity_constant * energy
    }

    /// Visits the pair of the root with itself, and all that follow from it.
    fn visit_pairs(&mut self, criterion: &Criterion) {
        self.walk.pairs.push((0, 0));
        while let Some((a, b)) = self.walk.pairs.pop() {
            if a == b {
                self.visit_own(a, criterion.softening_squared);
                continue;
            }
            match self.visit(a, b, criterion) {
                Visit::Pairs => {
                    let (cell_a, cell_b) = (self.cells[a as usize], self.cells[b as usize]);
                    let bodies = cell_a.first as usize..cell_a.end as usize;
                    self.sum_pairs(bodies, &cell_b, criterion.softening_squared);
                }
                Visit::Series => self.add_series(a, b, criterion.softening_squared),
                Visit::OpenFirst => self.open(a, b, criterion),
                Visit::OpenSecond => self.open(b, a, criterion),
            }
        }
    }

    /// Decides about two cells.
    #[inline]
    fn visit(&self, a: u32, b: u32, criterion: &Criterion) -> Visit {
        let (cell_a, cell_b) = (&self.cells[a as usize], &self.cells[b as usize]);
        let pairs = cell_a.count() * cell_b.count();
        if pairs <= DIRECT_PAIRS_FAR {
            return Visit::Pairs;
        }
        let distance_squared = (cell_a.centre - cell_b.centre).length_squared();
        let size = cell_a.radius + cell_b.radius;
        if criterion.accepts(size, distance_squared) {
            let thin_a = self.moments[b as usize].mass * cube(cell_a.radius);
            let thin_b = self.moments[a as usize].mass * cube(cell_b.radius);
            let accepts_twice = |radius: f64| criterion.accepts(size + radius, distance_squared);
            return if thin_a > THIN * thin_b && !accepts_twice(cell_a.radius) {
                Visit::OpenFirst
            } else if thin_b > THIN * thin_a && !accepts_twice(cell_b.radius) {
                Visit::OpenSecond
            } else {
                Visit::Series
            };
        }
        let (is_leaf_a, is_leaf_b) = (cell_a.is_leaf(a), cell_b.is_leaf(b));
        if pairs <= DIRECT_PAIRS_NEAR || is_leaf_a && is_leaf_b {
            Visit::Pairs
        } else if is_leaf_b || !is_leaf_a && cell_a.radius >= cell_b.radius {
            Visit::OpenFirst
        } else {
            Visit::OpenSecond
        }
    }

    /// The pulls within one cell: of the bodies of a leaf, or of the children to be visited.
    fn visit_own(&mut self, a: u32, softening_squared: f64) {
        let cell = self.cells[a as usize];
        if cell.is_leaf(a) {
            for i in cell.first as usize..cell.end as usize {
                for j in i + 1..cell.end as usize {
                    let separation = self.positions[i] - self.positions[j];
                    let (pull_i, pull_j) =
                        pair(separation, self.masses[i], self.masses[j], softening_squared);
                    self.walk.pulls[i].add(&pull_i);
                    self.walk.pulls[j].add(&pull_j);
                }
            }
            return;
        }
        let mut child = a + 1;
        while child < cell.skip {
            self.walk.pairs.push((child, child));
            let next = self.cells[child as usize].skip;
            let mut other = next;
            while other < cell.skip {
                self.walk.pairs.push((child, other));
                other = self.cells[other as usize].skip;
            }
            child = next;
        }
    }

    /// Opens cell `a` beside cell `b`: its children are to be visited, the bodies of a leaf are dealt with.
    fn open(&mut self, a: u32, b: u32, criterion: &Criterion) {
        let cell = self.cells[a as usize];
        if cell.is_leaf(a) {
            for body in cell.first as usize..cell.end as usize {
                self.visit_body(body, b, criterion);
            }
            return;
        }
        let mut child = a + 1;
        while child < cell.skip {
            self.walk.pairs.push((child, b));
            child = self.cells[child as usize].skip;
        }
    }

    /// The mutual pulls of one body and the cell `b`: a body is a cell of radius zero.
    fn visit_body(&mut self, body: usize, b: u32, criterion: &Criterion) {
        let end = self.cells[b as usize].skip;
        let mut index = b;
        while index < end {
            let cell = self.cells[index as usize];
            let arm = self.positions[body] - cell.centre;
            if cell.count() <= DIRECT_BODIES {
                self.sum_pairs(body..body + 1, &cell, criterion.softening_squared);
                index = cell.skip;
            } else if criterion.accepts(cell.radius, arm.length_squared()) {
                let derivatives = Derivatives::at(arm, criterion.softening_squared);
                self.walk.pulls[body].add(&self.moments[index as usize].pull(&derivatives));
                self.walk.fields[index as usize].add_body(self.masses[body], &derivatives, -1.0);
                index = cell.skip;
            } else {
                if cell.is_leaf(index) {
                    self.sum_pairs(body..body + 1, &cell, criterion.softening_squared);
                }
                index += 1;
            }
        }
    }

    /// Adds two distant cells to each other's series.
    #[inline]
    fn add_series(&mut self, a: u32, b: u32, softening_squared: f64) {
        let (a, b) = (a as usize, b as usize);
        let derivatives = Derivatives::at(self.cells[a].centre - self.cells[b].centre, softening_squared);
        self.walk.fields[a].add_source(&self.moments[b], &derivatives, 1.0);
        self.walk.fields[b].add_source(&self.moments[a], &derivatives, -1.0);
    }

    /// The pulls between bodies and the bodies of a cell that holds none of them, one by one.
    fn sum_pairs(&mut self, bodies: Range<usize>, cell: &Cell, softening_squared: f64) {
        let of_cell = cell.first as usize..cell.end as usize;
        for i in bodies {
            let (position, mass) = (self.positions[i], self.masses[i]);
            let mut sum = Pull::ZERO;
            let others = self.positions[of_cell.clone()].iter().zip(&self.masses[of_cell.clone()]);
            for ((&other, &mass_other), pull_other) in others.zip(&mut self.walk.pulls[of_cell.clone()]) {
                let (own, others) = pair(position - other, mass, mass_other, softening_squared);
                sum.add(&own);
                pull_other.add(&others);
            }
            self.walk.pulls[i].add(&sum);
        }
    }

    /// Hands the series of the cells down to their children and at last to the bodies.
    fn hand_down(&mut self) {
        for index in 0..self.cells.len() {
            let (cell, field) = (self.cells[index], self.walk.fields[index]);
            if cell.is_leaf(index as u32) {
                for body in cell.first as usize..cell.end as usize {
                    self.walk.pulls[body].add(&field.pull_at(self.positions[body] - cell.centre));
                }
                continue;
            }
            let mut child = index + 1;
            while child < cell.skip as usize {
                self.walk.fields[child].add_shifted(&field, self.cells[child].centre - cell.centre);
                child = self.cells[child].skip as usize;
            }
        }
    }
}

fn cube(x: f64) -> f64 {
    x * x * x
}
