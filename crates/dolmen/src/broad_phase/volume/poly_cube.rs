//! A union of boxes around a solid: the poly-cube of the lecture.

use super::{OrientedBox, ROUNDING, box_of_points, moved_box, volume};
use crate::broad_phase::overlap;
use crate::math::{Aabb, DVec3, Pose, dvec3};
use thiserror::Error;

/// Boxes along the axes of one frame, apart from each other but for their sides, that cover a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct PolyCube {
    boxes: Vec<Aabb>,
    bounds: Aabb,
}

/// Why a solid has no poly-cube.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PolyCubeError {
    /// The number of cells makes no sense.
    #[error("a poly-cube of {cells} cells along its longest side; give a number from 1 to {MAX_CELLS}")]
    Cells {
        /// As given.
        cells: usize,
    },
    /// A vertex is no point, or a triangle names one that is not there, or there are no triangles.
    #[error(
        "a poly-cube needs triangles whose vertices exist and are finite; there are {vertices} vertices and {triangles} triangles: check the mesh"
    )]
    Surface {
        /// How many were given.
        vertices: usize,
        /// How many were given.
        triangles: usize,
    },
}

/// Cells along the longest side, at most: 2²⁴ cells in all.
const MAX_CELLS: usize = 256;

/// Cells of the grid by what is in them.
struct Cells {
    corner: DVec3,
    side: DVec3,
    count: [usize; 3],
    is_full: Vec<bool>,
}

impl PolyCube {
    /// Covers the solid inside a closed surface of triangles, with cells of which `cells` fit its longest side.
    ///
    /// Cells that the surface touches, and those that it walls off from outside, are joined into boxes: along x, then
    /// along y, then along z. More cells are tighter and make more boxes.
    ///
    /// # Errors
    /// When there is no surface, or the number of cells is out of range.
    pub fn cover(vertices: &[DVec3], triangles: &[[u32; 3]], cells: usize) -> Result<Self, PolyCubeError> {
        if !(1..=MAX_CELLS).contains(&cells) {
            return Err(PolyCubeError::Cells { cells });
        }
        let bounds = box_of_points(vertices);
        let is_sound = triangles.iter().flatten().all(|v| (*v as usize) < vertices.len())
            && !triangles.is_empty()
            && vertices.iter().all(|v| v.is_finite())
            && (bounds.max - bounds.min).is_finite();
        if !is_sound {
            return Err(PolyCubeError::Surface { vertices: vertices.len(), triangles: triangles.len() });
        }
        let mut grid = Cells::over(&bounds, cells);
        for triangle in triangles {
            grid.mark(triangle.map(|v| vertices[v as usize]));
        }
        grid.fill_inside();
        let boxes = grid.boxes();
        Ok(Self { bounds: boxes.iter().fold(Aabb::EMPTY, |all, b| all.join(b)), boxes })
    }

    /// The boxes, in the frame of the solid.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Their volume, m³.
    pub fn volume(&self) -> f64 {
        self.boxes.iter().map(volume).sum()
    }

    /// Whether the poly-cubes of two bodies have a point in common; never false when they do.
    pub fn overlaps(&self, pose: &Pose, other: &Self, pose_other: &Pose) -> bool {
        let reach = moved_box(&other.bounds, pose_other);
        let near = |b: &&Aabb| overlap(&moved_box(b, pose), &reach);
        self.boxes.iter().filter(near).any(|a| {
            let a_turned = OrientedBox::from_aabb(a).moved(pose);
            let a_world = moved_box(a, pose);
            other.boxes.iter().any(|b| {
                overlap(&a_world, &moved_box(b, pose_other))
                    && a_turned.overlaps(&OrientedBox::from_aabb(b).moved(pose_other))
            })
        })
    }
}

impl Cells {
    fn over(bounds: &Aabb, cells: usize) -> Self {
        let size = bounds.max - bounds.min;
        let count = (size / size.max_element() * cells as f64)
            .map(|share| if share.is_finite() { share.ceil().max(1.0) } else { 1.0 });
        // A little room, so that what lies on the outer walls is inside for certain.
        let room = ROUNDING * bounds.min.abs().max(bounds.max.abs()).max_element() + f64::MIN_POSITIVE;
        let corner = bounds.min - room;
        let side = (size + 2.0 * room) / count;
        let count = [count.x as usize, count.y as usize, count.z as usize];
        Self { corner, side, count, is_full: vec![false; count.iter().product()] }
    }

    fn place(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    fn cell_box(&self, from: [usize; 3], to: [usize; 3]) -> Aabb {
        let at = |cell: [usize; 3]| {
            self.corner + self.side * dvec3(cell[0] as f64, cell[1] as f64, cell[2] as f64)
        };
        Aabb { min: at(from), max: at(to.map(|n| n + 1)) }
    }

    /// Marks the cells that a triangle touches.
    fn mark(&mut self, corners: [DVec3; 3]) {
        let around = box_of_points(&corners);
        let cell_of = |point: DVec3, axis: usize, step: f64| {
            let cell = (point[axis] - self.corner[axis]) / self.side[axis] + step;
            (cell.max(0.0) as usize).min(self.count[axis] - 1)
        };
        // One cell of 2⁻²⁰ more on both sides pays for the rounding of the division.
        let from: [usize; 3] = std::array::from_fn(|axis| cell_of(around.min, axis, -NEAR_WALL));
        let to: [usize; 3] = std::array::from_fn(|axis| cell_of(around.max, axis, NEAR_WALL));
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    let place = self.place([x, y, z]);
                    let cell = self.cell_box([x, y, z], [x, y, z]);
                    self.is_full[place] = self.is_full[place] || touches(corners, &cell);
                }
            }
        }
    }

    /// Fills what cannot be reached from the outer cells.
    fn fill_inside(&mut self) {
        let mut is_outside = vec![false; self.is_full.len()];
        let mut open: Vec<[usize; 3]> = Vec::new();
        for z in 0..self.count[2] {
            for y in 0..self.count[1] {
                for x in 0..self.count[0] {
                    let cell = [x, y, z];
                    let is_outer = (0..3).any(|k| cell[k] == 0 || cell[k] + 1 == self.count[k]);
                    if is_outer && !self.is_full[self.place(cell)] {
                        is_outside[self.place(cell)] = true;
                        open.push(cell);
                    }
                }
            }
        }
        while let Some(cell) = open.pop() {
            for axis in 0..3 {
                for next in [cell[axis].wrapping_sub(1), cell[axis] + 1] {
                    let mut neighbour = cell;
                    neighbour[axis] = next;
                    if next < self.count[axis] {
                        let place = self.place(neighbour);
                        if !self.is_full[place] && !is_outside[place] {
                            is_outside[place] = true;
                            open.push(neighbour);
                        }
                    }
                }
            }
        }
        for (full, outside) in self.is_full.iter_mut().zip(is_outside) {
            *full = !outside;
        }
    }

    /// Joins full cells into boxes, and empties them.
    fn boxes(&mut self) -> Vec<Aabb> {
        let mut boxes = Vec::new();
        for place in 0..self.is_full.len() {
            if !self.is_full[place] {
                continue;
            }
            let from = [
                place % self.count[0],
                place / self.count[0] % self.count[1],
                place / self.count[0] / self.count[1],
            ];
            let mut to = from;
            for axis in 0..3 {
                while to[axis] + 1 < self.count[axis] {
                    let mut slab = (from, to);
                    slab.0[axis] = to[axis] + 1;
                    slab.1[axis] = to[axis] + 1;
                    if !self.places(slab.0, slab.1).all(|p| self.is_full[p]) {
                        break;
                    }
                    to[axis] += 1;
                }
            }
            let taken: Vec<usize> = self.places(from, to).collect();
            for p in taken {
                self.is_full[p] = false;
            }
            let size = self.corner.abs().max_element();
            boxes.push(self.cell_box(from, to).grown(ROUNDING * size));
        }
        boxes
    }

    fn places(&self, from: [usize; 3], to: [usize; 3]) -> impl Iterator<Item = usize> {
        let count = self.count;
        (from[2]..=to[2]).flat_map(move |z| {
            (from[1]..=to[1])
                .flat_map(move |y| (from[0]..=to[0]).map(move |x| (z * count[1] + y) * count[0] + x))
        })
    }
}

/// Share of a cell by which a triangle near a wall counts for the cell beyond.
const NEAR_WALL: f64 = 1.0 / (1 << 20) as f64;

/// Whether a triangle and a box have a point in common; never false when they do.
///
/// Apart when their shadows are on one of 13 axes: the three of the box, the normal, the nine products of edges and axes
/// [Akenine-Möller 2001].
fn touches([p, q, r]: [DVec3; 3], b: &Aabb) -> bool {
    let (middle, half) = (0.5 * b.min + 0.5 * b.max, 0.5 * b.max - 0.5 * b.min);
    let corners = [p - middle, q - middle, r - middle];
    let edges = [q - p, r - q, p - r];
    let slack = ROUNDING * middle.abs().max_element() + NEAR_WALL * half.max_element();
    let apart_along = |axis: DVec3| {
        let shadows = corners.map(|corner| corner.dot(axis));
        let reach = half.dot(axis.abs()) + slack * axis.abs().element_sum();
        shadows.iter().all(|s| *s > reach) || shadows.iter().all(|s| *s < -reach)
    };
    let normal = edges[0].cross(edges[1]);
    !(DVec3::AXES.into_iter().any(apart_along)
        || apart_along(normal)
        || edges.iter().any(|edge| DVec3::AXES.into_iter().any(|axis| apart_along(axis.cross(*edge)))))
}
