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

use super::expansion::{Derivatives, Field};
use super::octree::{Cell, Octree};
use super::tile::{Pull, TILE_BODIES, Tile, massive, pair};
use crate::math::DVec3;

/// Pairs of bodies that cost as much as the mutual series of two cells. Twice or half of it changes the time by a
/// twentieth.
const DIRECT_PAIRS_FAR: usize = 16;
/// Pairs of bodies that cost less than opening one of two cells that are near.
const DIRECT_PAIRS_NEAR: usize = 64;
/// Bodies of a cell that cost as much as its moments do for a single body.
const DIRECT_BODIES: usize = 6;
/// A cell is light beside another of more than this many times its mass. At 2 the walk takes twice as long, at 30
/// bodies around a dense core get errors of 1e-2.
const LIGHT: f64 = 8.0;
/// Distances, m, for which the ninth power of the inverse and the moments are numbers; else no cell is accepted.
const DISTANCES: std::ops::Range<f64> = 1e-30..1e75;

/// Buffers of the walk.
#[derive(Debug, Clone, Default)]
pub(super) struct Walk {
    /// Pairs of cells yet to be visited.
    pairs: Vec<(u32, u32)>,
    /// Taylor series of the distant cells, about the centre of each cell.
    fields: Vec<Field>,
    /// What the bodies feel, in the tree's order.
    pulls: Vec<Pull>,
}

/// What decides about a pair of cells.
struct Criterion {
    opening: f64,
    softening_squared: f64,
}

impl Criterion {
    /// `size` < θ d.
    #[inline]
    fn accepts(&self, size: f64, distance: f64) -> bool {
        size < self.opening * distance && DISTANCES.contains(&distance)
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
        let criterion = Criterion { opening, softening_squared: softening * softening };
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
        let mut tile = Tile::new();
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
                    self.sum_pairs(bodies, &cell_b, criterion.softening_squared, &mut tile);
                }
                Visit::Series => self.add_series(a, b, criterion.softening_squared),
                Visit::OpenFirst => self.open(a, b, criterion, &mut tile),
                Visit::OpenSecond => self.open(b, a, criterion, &mut tile),
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
        let distance = (cell_a.centre - cell_b.centre).length();
        let size = cell_a.radius + cell_b.radius;
        let (mass_a, mass_b) = (self.moments[a as usize].mass, self.moments[b as usize].mass);
        if criterion.accepts(size, distance) {
            // The light cell is to be smaller still, or to be opened.
            if mass_a * LIGHT < mass_b {
                return if criterion.accepts(size + cell_a.radius, distance) { Visit::Series } else { Visit::OpenFirst };
            } else if mass_b * LIGHT < mass_a {
                return if criterion.accepts(size + cell_b.radius, distance) { Visit::Series } else { Visit::OpenSecond };
            }
            return Visit::Series;
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
                    let (pull_i, pull_j) = pair(separation, self.masses[i], self.masses[j], softening_squared);
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
    fn open(&mut self, a: u32, b: u32, criterion: &Criterion, tile: &mut Tile) {
        let cell = self.cells[a as usize];
        if cell.is_leaf(a) {
            for body in cell.first as usize..cell.end as usize {
                self.visit_body(body, b, criterion, tile);
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
    fn visit_body(&mut self, body: usize, b: u32, criterion: &Criterion, tile: &mut Tile) {
        let end = self.cells[b as usize].skip;
        let mut index = b;
        while index < end {
            let cell = self.cells[index as usize];
            let arm = self.positions[body] - cell.centre;
            if cell.count() <= DIRECT_BODIES {
                self.sum_pairs(body..body + 1, &cell, criterion.softening_squared, tile);
                index = cell.skip;
            } else if criterion.accepts(cell.radius, arm.length()) {
                let derivatives = Derivatives::at(arm, criterion.softening_squared);
                self.walk.pulls[body].add(&self.moments[index as usize].pull(&derivatives));
                self.walk.fields[index as usize].add_body(self.masses[body], &derivatives, -1.0);
                index = cell.skip;
            } else {
                if cell.is_leaf(index) {
                    self.sum_pairs(body..body + 1, &cell, criterion.softening_squared, tile);
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
    fn sum_pairs(
        &mut self,
        bodies: std::ops::Range<usize>,
        cell: &Cell,
        softening_squared: f64,
        tile: &mut Tile,
    ) {
        for start in (cell.first as usize..cell.end as usize).step_by(TILE_BODIES) {
            let end = (cell.end as usize).min(start + TILE_BODIES);
            tile.load(&self.positions[start..end], &self.masses[start..end]);
            for i in bodies.clone() {
                let pull = tile.attract(self.positions[i], self.masses[i], softening_squared);
                self.walk.pulls[i].add(&pull);
            }
            for (j, pull) in self.walk.pulls[start..end].iter_mut().enumerate() {
                pull.add(&tile.pull(j));
            }
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
