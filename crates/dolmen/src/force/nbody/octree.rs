//! A tree of cubic cells with the moments of their contents, built anew for every set of positions.

use super::NBodyError;
use super::direct::Pull;
use super::expansion::{Field, Moments};
use crate::math::{Aabb, DVec3};

/// Bodies in a leaf, at most, unless they coincide. From 8 to 32 the time is the same within the noise.
const LEAF_BODIES: usize = 12;
/// Bits of a Morton key for each axis.
const KEY_BITS: u32 = 21;

/// Bodies sorted into cells that can be summed by their moments (Barnes–Hut).
///
/// The tree owns copies of what it was built from and all its buffers: building it again for as many bodies or
/// fewer does not allocate. See the [module](super) for the criterion, the errors and the cost.
#[derive(Debug, Clone, Default)]
pub struct Octree {
    /// Morton key and index of each body, sorted: the tree's own order of the bodies.
    pub(super) keys: Vec<(u64, u32)>,
    /// Positions in the tree's order, m.
    pub(super) positions: Vec<DVec3>,
    /// Masses in the tree's order, kg.
    pub(super) masses: Vec<f64>,
    /// Cells in preorder: the children of a cell follow it.
    pub(super) cells: Vec<Cell>,
    /// Moments of the cells.
    pub(super) moments: Vec<Moments>,
    /// Buffers of the walk.
    pub(super) walk: Walk,
}

/// Buffers of the walk.
#[derive(Debug, Clone, Default)]
pub(super) struct Walk {
    /// Pairs of cells yet to be visited.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Taylor series of the distant cells, about the centre of each cell.
    pub(super) fields: Vec<Field>,
    /// What the bodies feel, in the tree's order.
    pub(super) pulls: Vec<Pull>,
}

/// What the walk reads of a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Centre of mass; of a cell without mass, the position of a body in it.
    pub(super) centre: DVec3,
    /// Largest distance of a body of the cell from `centre`, m.
    pub(super) radius: f64,
    /// First body, in the tree's order.
    pub(super) first: u32,
    /// One past the last body.
    pub(super) end: u32,
    /// The cell that follows in preorder when this one's descendants are passed over.
    pub(super) skip: u32,
}

impl Octree {
    /// A tree of no bodies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of bodies that the tree was last built from.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether the tree holds no bodies.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Sorts the bodies into cells: positions in m, masses in kg.
    ///
    /// Time n log n. The result depends on the input alone: equal keys are ordered by index. Coincident bodies
    /// share a leaf, however many they are; clusters of any smallness are resolved, for a cell that the key
    /// cannot divide gets keys of its own.
    ///
    /// # Errors
    /// When the slices differ in length, a position is not finite, a mass is negative or not finite, or there are
    /// more than 2³² − 1 bodies. The tree is then empty.
    pub fn build(&mut self, positions: &[DVec3], masses: &[f64]) -> Result<(), NBodyError> {
        self.clear();
        check(positions, masses)?;
        let n = positions.len();
        if n == 0 {
            return Ok(());
        }

        self.keys.extend((0..n as u32).map(|index| (0, index)));
        self.divide(positions, 0, n);
        self.positions.extend(self.keys.iter().map(|&(_, index)| positions[index as usize]));
        self.masses.extend(self.keys.iter().map(|&(_, index)| masses[index as usize]));
        for cell in &mut self.cells {
            let range = cell.first as usize..cell.end as usize;
            self.moments.push(cell.measure(&self.positions[range.clone()], &self.masses[range]));
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.positions.clear();
        self.masses.clear();
        self.cells.clear();
        self.moments.clear();
    }

    /// Appends the cell of the bodies `first..end`, with keys of its own, and its descendants.
    fn divide(&mut self, positions: &[DVec3], first: usize, end: usize) {
        let keys = &mut self.keys[first..end];
        if keys.len() > LEAF_BODIES {
            assign_keys(positions, keys);
        }
        self.divide_sorted(positions, first, end);
    }

    /// Appends the cell of the bodies `first..end`, whose keys are sorted, and its descendants.
    ///
    /// The depth of this recursion is bounded by the number of halvings from the largest finite extent to the
    /// smallest, about 2100, and by the number of bodies.
    fn divide_sorted(&mut self, positions: &[DVec3], first: usize, end: usize) {
        let index = self.cells.len();
        let differing_bits = self.keys[first].0 ^ self.keys[end - 1].0;
        let is_leaf = end - first <= LEAF_BODIES || differing_bits == 0;
        self.cells.push(Cell::of(first, end));
        if !is_leaf {
            // The children are the octants at the first level at which the bodies part.
            let level = differing_bits.ilog2() / 3;
            let mut start = first;
            while start < end {
                let octant = self.keys[start].0 >> (3 * level);
                let count = self.keys[start..end].partition_point(|&(key, _)| key >> (3 * level) == octant);
                let is_undivided = self.keys[start].0 == self.keys[start + count - 1].0;
                if is_undivided {
                    self.divide(positions, start, start + count);
                } else {
                    self.divide_sorted(positions, start, start + count);
                }
                start += count;
            }
        }
        self.cells[index].skip = self.cells.len() as u32;
    }
}

fn check(positions: &[DVec3], masses: &[f64]) -> Result<(), NBodyError> {
    if positions.len() != masses.len() {
        return Err(NBodyError::Lengths { positions: positions.len(), masses: masses.len() });
    }
    if u32::try_from(positions.len()).is_err() {
        return Err(NBodyError::TooMany { count: positions.len() });
    }
    if let Some(index) = positions.iter().position(|position| !position.is_finite()) {
        return Err(NBodyError::Position { index, position: positions[index] });
    }
    if let Some(index) = masses.iter().position(|mass| !(mass.is_finite() && *mass >= 0.0)) {
        return Err(NBodyError::Mass { index, mass: masses[index] });
    }
    Ok(())
}

/// Gives the bodies Morton keys within the cube around them, and sorts them by key, then by index.
///
/// Unless the bodies coincide, the outermost ones along the longest side get different keys. (Where the extent
/// is beyond the largest number, the keys are all zero and the bodies stay together.)
fn assign_keys(positions: &[DVec3], keys: &mut [(u64, u32)]) {
    let hull = keys.iter().fold(Aabb::EMPTY, |hull, &(_, i)| hull.join(&Aabb::point(positions[i as usize])));
    // An extent of zero gives NaN, which converts to the coordinate zero.
    let scale = f64::from(1_u32 << KEY_BITS) / (hull.max - hull.min).max_element();
    for (key, index) in keys.iter_mut() {
        let [x, y, z] = ((positions[*index as usize] - hull.min) * scale).to_array().map(key_coordinate);
        *key = spread(x) << 2 | spread(y) << 1 | spread(z);
    }
    keys.sort_unstable();
}

/// The whole part, within the bits of a key; the conversion saturates, and takes NaN to zero.
fn key_coordinate(coordinate: f64) -> u64 {
    (coordinate as u64).min((1 << KEY_BITS) - 1)
}

/// Puts two zero bits before each of the lowest [`KEY_BITS`] bits, by doubling the gaps.
fn spread(coordinate: u64) -> u64 {
    let mut bits = coordinate;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

impl Cell {
    /// The cell of these bodies, not measured yet.
    fn of(first: usize, end: usize) -> Self {
        Self { centre: DVec3::ZERO, radius: f64::INFINITY, first: first as u32, end: end as u32, skip: 0 }
    }

    /// Whether this cell, the one at `index`, has no children.
    #[inline]
    pub(super) fn is_leaf(&self, index: u32) -> bool {
        self.skip == index + 1
    }

    /// Number of bodies.
    #[inline]
    pub(super) fn count(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// Fills in the centre and the radius of the cell from its bodies, and returns the moments.
    ///
    /// From the bodies and not from the children, at a price of n for each level, so that the radius is the
    /// tightest and every moment is as good as its own cell allows.
    fn measure(&mut self, positions: &[DVec3], masses: &[f64]) -> Moments {
        // Sums relative to a body of the cell keep their digits however far the origin is.
        let origin = positions[0];
        let (mut mass, mut dipole) = (0.0, DVec3::ZERO);
        for (&position, &m) in positions.iter().zip(masses) {
            mass += m;
            dipole += m * (position - origin);
        }
        self.centre = if mass > 0.0 { origin + dipole / mass } else { origin };

        let mut moments = Moments::ZERO;
        let mut radius_squared = 0.0_f64;
        for (&position, &m) in positions.iter().zip(masses) {
            let arm = position - self.centre;
            moments.add_body(m, arm);
            radius_squared = radius_squared.max(arm.length_squared());
        }
        self.radius = radius_squared.sqrt();
        moments
    }
}
