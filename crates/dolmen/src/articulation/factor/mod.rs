//! W λ = b with the Delassus matrix W = J M⁻¹ Jᵀ of joints, directly, in time proportional to the number of joints where these make
//! chains and trees.
//!
//! The unknowns come in *blocks* of up to six, one a joint. Two blocks are coupled where they act on the same body, so the
//! matrix of blocks has the graph of the joints. It is factored as L D Lᵀ in an order that makes little fill: the blocks that
//! have the fewest neighbours left come first. A chain is eliminated from its ends without any fill, a tree from its leaves,
//! closed loops with little.
//!
//! All blocks at one body are coupled with each other. A *hub*, a body with many joints, would make a dense matrix of them;
//! so it is shared out over copies of itself, each with a part of its mass, welded to one another in a row. That is the same
//! body exactly, and the row has no more than four blocks at any copy.
//!
//! Rows that depend on others (a door with two hinges) have no pivot left when their turn comes. They are dropped, and each
//! leaves a vector n with A n = 0. Of all solutions the one of least norm is at right angles to these; of a right side that
//! contradicts itself its part along them is taken out, which leaves the least squares; or, on request, what leaves the least sum of
//! absolute values. [Golub, Van Loan, §4.2, §5.5; PAPER, appendix]
//!
//! Forces of contacts make no right side contradict itself, and mend none: with A n = 0 is nᵀJ = 0, so that nᵀJ M⁻¹F = 0 for every load F.
//! What joints miss is known before contacts are solved, and these keep apart whatever is missed.
//!
//! Knows only `crate::math`.

mod absolute;
mod null;
mod numeric;
mod order;
mod symbolic;

pub use numeric::Solution;
pub use symbolic::BlockShape;

use crate::math::DMat3;
use null::NullSpace;
use symbolic::Structure;

/// The most rows a block can have.
pub const WIDEST: usize = 6;

/// A dense block, row after row.
pub(crate) type Dense = [[f64; WIDEST]; WIDEST];

pub(crate) const ZERO: Dense = [[0.0; WIDEST]; WIDEST];

/// Of one body: how it yields to force and torque at its centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mobility {
    /// 1/m.
    pub inv_mass: f64,
    /// I⁻¹, world.
    pub inv_inertia: DMat3,
}

/// Where rows count as dependent, and how much is put on the diagonal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pivoting {
    /// A pivot below this share of the diagonal it came from is rounding, and its row depends on those before it.
    pub dependent: f64,
    /// This share of each diagonal is added to it, so that what is nearly dependent is moved little.
    pub damping: f64,
}

impl Pivoting {
    /// For forces. A pivot is the square of a lever: rows that act by less than 1e-5 of the size of what they act on are dropped,
    /// for the instant at which a mechanism folds flat, where rounding would be divided by it. A decade more drops levers that
    /// matter; with two decades less a double four-bar loses energy at its folds (1e-8 of it in 10 s, against 1e-11).
    pub const FORCES: Self = Self { dependent: 1e-10, damping: 0.0 };

    /// For the projection of a state onto its joints. Near a singular configuration the rounding of the equations would be divided
    /// by a pivot near zero, and the state thrown about; with the damping it stays, and elsewhere eight digits are gained at a
    /// time. A decade more slows chains with a mass ratio of a million; a decade less lets folds throw.
    pub const PROJECTION: Self = Self { dependent: 1e-10, damping: 1e-8 };
}

/// Which right side takes the place of one that contradicts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nearest {
    /// That of the least sum of squares of what is left.
    #[default]
    Squares,
    /// That of the least sum of absolute values.
    Absolute,
}

/// The factors of the Delassus matrix J M⁻¹ Jᵀ of a set of joints. Made once for the joints; factored anew for every configuration,
/// without allocation after the first times.
#[derive(Debug, Clone)]
pub struct Factor {
    structure: Structure,
    /// Of each part of each block, as given.
    parts: Vec<Dense>,
    /// Of each copy of each body: M⁻¹ times the number of copies.
    mobility: Vec<Mobility>,
    /// L of the diagonal blocks, unit lower triangular.
    diagonal: Vec<Dense>,
    /// L of the blocks below, column after column, each row after row: a rod has one number and not a block of six by six.
    lower: Vec<f64>,
    /// L D, likewise.
    scaled: Vec<f64>,
    /// 1/D of each row, zero where it was dropped; by position.
    inv_pivots: Vec<[f64; WIDEST]>,
    dropped: Vec<(usize, usize)>,
    /// The least pivot that is kept, by the diagonal it came from.
    weakest: f64,
    null: NullSpace,
    pivoting: Pivoting,
    nearest: Nearest,
    operations: u64,
    work: numeric::Work,
}

impl Factor {
    /// For `bodies` bodies and these blocks, whose rows are numbered one after the other.
    pub fn new(bodies: usize, blocks: &[BlockShape]) -> Self {
        let structure = Structure::new(bodies, blocks);
        let (blocks, entries) = (structure.blocks.len(), structure.entries);
        let parts = vec![ZERO; structure.part_count];
        let mobility = vec![Mobility { inv_mass: 0.0, inv_inertia: DMat3::ZERO }; structure.copies.len()];
        Self {
            parts,
            mobility,
            diagonal: vec![ZERO; blocks],
            lower: vec![0.0; entries],
            scaled: vec![0.0; entries],
            inv_pivots: vec![[0.0; WIDEST]; blocks],
            dropped: Vec::new(),
            weakest: 1.0,
            null: NullSpace::default(),
            pivoting: Pivoting::FORCES,
            nearest: Nearest::default(),
            operations: 0,
            work: numeric::Work::new(blocks, structure.copies.len(), structure.first_rows[blocks]),
            structure,
        }
    }

    /// Says how the next factorisation is to treat small pivots.
    pub fn set_pivoting(&mut self, pivoting: Pivoting) {
        self.pivoting = pivoting;
    }

    /// Says what takes the place of right sides that contradict themselves.
    pub fn set_nearest(&mut self, nearest: Nearest) {
        self.nearest = nearest;
    }

    /// The bodies of each block, in the order in which the blocks were given.
    pub fn block_bodies(&self) -> impl Iterator<Item = &[usize]> {
        self.structure.given.iter().map(|shape| &shape.bodies[..])
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.structure.rows
    }

    /// Number of rows that depend on others in the configuration last factored.
    pub fn redundant(&self) -> usize {
        self.dropped.len()
    }

    /// Number of independent rows.
    pub fn rank(&self) -> usize {
        self.structure.rows - self.dropped.len()
    }

    /// The combinations of rows that cancel: one for each redundant row, orthonormal, a number for each row.
    pub fn dependencies(&self) -> impl Iterator<Item = &[f64]> {
        self.null.vectors()
    }

    /// Multiplications spent by the last factorisation and the solutions since.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Number of blocks below the diagonal that L has: a measure of its fill.
    pub fn fill(&self) -> usize {
        self.structure.below
    }
}
