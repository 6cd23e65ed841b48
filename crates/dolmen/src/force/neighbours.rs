//! Fixed-radius nearest neighbours on a uniform grid [LECTURE I].
//!
//! Points within a radius of each other are in the same cell or in adjacent ones, if the cells are as wide as the
//! radius. Only cells that hold points exist: they are a sorted list of keys, so that a wide scene or a point far
//! away costs nothing, and the order of everything depends on the input alone. Time n log n + the pairs tested.

use crate::math::{Aabb, DVec3};

/// Cells along an axis, at most. It bounds the rounding of a cell coordinate, `u = (x − x_min)/w`, to
/// 2 u 2⁻⁵³ ≤ 2⁻²² of a cell.
const MAX_CELLS: f64 = (1_u32 << 30) as f64;
/// Width of a cell over the radius. Wider than 1 by more than the rounding of two cell coordinates, so that
/// points within the radius are never two cells apart.
const WIDTH: f64 = 1.0 + 1.0 / (1_u32 << 19) as f64;
/// Smallest width of a cell, m: below it squares of distances vanish.
const MIN_WIDTH: f64 = 1e-150;

/// Why a grid cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NeighboursError {
    /// A coordinate is infinite or not a number.
    #[error("position {index} is {position}: every coordinate must be finite; find the step that made it so")]
    Position {
        /// Index of the first such point.
        index: usize,
        /// The point, m.
        position: DVec3,
    },
    /// The radius is negative or not a number.
    #[error("the radius is {radius} m: it must be zero or more; zero finds coincident points only")]
    Radius {
        /// The radius, m.
        radius: f64,
    },
    /// More points than an index can name.
    #[error("{count} points are more than the 4294967295 that a grid can hold: split the set")]
    TooMany {
        /// Number of points.
        count: usize,
    },
}

/// A cell's coordinates x, y, z on the grid, from 3 up, so that cells beside and points outside have some too.
type Key = [u32; 3];

/// Points sorted into cells as wide as a radius.
///
/// Building it again for as many points or fewer does not allocate.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    radius_squared: f64,
    /// Smallest corner of the box around the points, m.
    corner: DVec3,
    /// Side of a cell, m.
    width: f64,
    /// Cell and index of each point, sorted.
    keys: Vec<(Key, u32)>,
    /// The points in that order, m.
    positions: Vec<DVec3>,
}

impl Grid {
    /// A grid of no points.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Sorts points (m) into cells for the search within `radius` (m), infinity included.
    ///
    /// Where the points extend over more than about 10⁹ radii, the cells are made wider, to as many along the
    /// longest side: the answers stay the same, a cell may hold more points than one radius would.
    ///
    /// # Errors
    /// When a position is not finite, the radius is negative or NaN, or there are more than 2³² − 1 points. The
    /// grid is then empty.
    pub fn build(&mut self, positions: &[DVec3], radius: f64) -> Result<(), NeighboursError> {
        self.keys.clear();
        self.positions.clear();
        check(positions, radius)?;
        let hull = positions.iter().fold(Aabb::EMPTY, |hull, &point| hull.join(&Aabb::point(point)));
        let extent = (hull.max - hull.min).max_element();
        self.radius_squared = radius * radius;
        self.corner = hull.min;
        // Where squares are beyond the largest number there is one cell, and every pair is tested.
        self.width = if self.radius_squared.is_finite() && !positions.is_empty() {
            (WIDTH * radius).max(extent / MAX_CELLS).max(MIN_WIDTH)
        } else {
            f64::INFINITY
        };
        let (corner, width) = (self.corner, self.width);
        self.keys
            .extend(positions.iter().zip(0_u32..).map(|(&point, index)| (key(point, corner, width), index)));
        self.keys.sort_unstable();
        self.positions.extend(self.keys.iter().map(|&(_, index)| positions[index as usize]));
        Ok(())
    }

    /// Calls `visit(i, j, r_i − r_j, |r_i − r_j|²)` once for each pair of points within the radius.
    ///
    /// i < j are indices as given to [`build`](Self::build). The order is that of the cells, by x, then y, then z;
    /// within a cell its own pairs first. Distances are compared by their squares as rounded: a distance equal to
    /// the radius counts.
    pub fn for_each_pair(&self, mut visit: impl FnMut(usize, usize, DVec3, f64)) {
        // Half of the adjacent cells, those that follow in the order: the next along z, and four rows of three.
        // Each row is one run of the sorted keys, and its ends only move forward from cell to cell.
        const ROWS: [(u32, i32); 4] = [(0, 1), (1, -1), (1, 0), (1, 1)];
        let mut rows = [(0, 0); 4];
        let mut start = 0;
        while start < self.len() {
            let cell @ [x, y, z] = self.keys[start].0;
            let end = self.advance(start, [x, y, z + 1]);
            let above = self.advance(end, [x, y, z + 2]);
            for a in start..end {
                self.visit_run(a, a + 1..above, &mut visit);
            }
            for (run, (step_x, step_y)) in rows.iter_mut().zip(ROWS) {
                let (row_x, row_y) = (cell[0] + step_x, cell[1].wrapping_add_signed(step_y));
                run.0 = self.advance(run.0, [row_x, row_y, z - 1]);
                run.1 = self.advance(run.1.max(run.0), [row_x, row_y, z + 2]);
                for a in start..end {
                    self.visit_run(a, run.0..run.1, &mut visit);
                }
            }
            start = end;
        }
    }

    /// The first place from `from` on whose key is `key` or follows it.
    fn advance(&self, mut from: usize, key: Key) -> usize {
        while from < self.len() && self.keys[from].0 < key {
            from += 1;
        }
        from
    }

    /// Tests one point against a run of others.
    #[inline]
    fn visit_run(
        &self,
        a: usize,
        run: std::ops::Range<usize>,
        visit: &mut impl FnMut(usize, usize, DVec3, f64),
    ) {
        for b in run {
            let separation = self.positions[a] - self.positions[b];
            let distance_squared = separation.length_squared();
            if distance_squared <= self.radius_squared {
                let (i, j) = (self.keys[a].1 as usize, self.keys[b].1 as usize);
                if i < j {
                    visit(i, j, separation, distance_squared);
                } else {
                    visit(j, i, -separation, distance_squared);
                }
            }
        }
    }
}

/// The cell of a point. Outside the grid, by far or not, it is a cell at most two beyond the outermost.
fn key(point: DVec3, corner: DVec3, width: f64) -> Key {
    if width == f64::INFINITY {
        return [3; 3];
    }
    // The conversion takes NaN to zero; the cells below it must exist too, hence `max`.
    let cells = ((point - corner) / width).floor().clamp(DVec3::splat(-2.0), DVec3::splat(MAX_CELLS + 2.0));
    (cells + 3.0).to_array().map(|cell| (cell as u32).max(1))
}

fn check(positions: &[DVec3], radius: f64) -> Result<(), NeighboursError> {
    if radius < 0.0 || radius.is_nan() {
        return Err(NeighboursError::Radius { radius });
    }
    if u32::try_from(positions.len()).is_err() {
        return Err(NeighboursError::TooMany { count: positions.len() });
    }
    match positions.iter().position(|position| !position.is_finite()) {
        Some(index) => Err(NeighboursError::Position { index, position: positions[index] }),
        None => Ok(()),
    }
}

/// Calls `visit` for the same pairs as [`Grid::for_each_pair`] by testing all of them, ordered by i, then j.
///
/// The referee of the grid, and quicker for a few dozen points. Points that are not finite are near nothing.
pub fn brute_force(positions: &[DVec3], radius: f64, mut visit: impl FnMut(usize, usize, DVec3, f64)) {
    for i in 0..positions.len() {
        for j in i + 1..positions.len() {
            let separation = positions[i] - positions[j];
            let distance_squared = separation.length_squared();
            if distance_squared <= radius * radius {
                visit(i, j, separation, distance_squared);
            }
        }
    }
}
