//! Densities that vary in space.
//!
//! A shape is covered by charts from the unit cube, x = x(u, v, w) with Jacobian J, and ∫ρ f dV = ∫∫∫ ρ f J du dv dw is
//! done by the product of Gauss–Legendre rules of five points, on cells that are halved in all directions until the
//! difference between a cell and its eight children, summed over all, is below the tolerance.

use super::uniform::{check_dimension, mean};
use super::{MassError, MassProperties, Moments, of_shape};
use crate::math::real::{FRAC_PI_2, PI, TAU, sin_cos};
use crate::math::{DMat3, DVec3, Pose, dvec3};
use crate::shape::Shape;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The tightest tolerance of [`with_density`]: below it the rounding of the sums would be mistaken for error.
pub const MIN_TOLERANCE: f64 = 1e-12;

/// The loosest tolerance that still means something.
const MAX_TOLERANCE: f64 = 0.1;

/// Values of the density that refinement may take before it gives up, beyond those of the first covering: a second or so
/// for a simple density. A smooth one needs a thousandth of it.
const MAX_EVALUATIONS: u64 = 20_000_000;

/// Nodes and weights of the Gauss–Legendre rule of five points on [0, 1], exact to degree 9.
///
/// On a tetrahedron the integrand r rᵀ ρ J has degree 6 in each variable when ρ is quadratic, so there it is exact.
const GAUSS: [(f64, f64); 5] = [
    (0.046910077030668004, 0.11846344252809454),
    (0.23076534494715845, 0.23931433524968324),
    (0.5, 0.28444444444444444),
    (0.76923465505284155, 0.23931433524968324),
    (0.953089922969332, 0.11846344252809454),
];

/// Points of the product rule.
const RULE: u64 = 125;

/// A density as a formula, in kg/m³ (for discs kg/m²), over the frame of the shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Density {
    /// The same everywhere.
    Uniform(f64),
    /// ρ(x) = constant + gradient·x + ½ x·hessian x.
    Polynomial {
        /// At the origin.
        constant: f64,
        /// At the origin, per m.
        gradient: DVec3,
        /// Everywhere, per m²; only its symmetric part counts.
        hessian: DMat3,
    },
}

impl Density {
    /// Its value at a point of the frame of the shape.
    pub fn at(&self, x: DVec3) -> f64 {
        match self {
            Self::Uniform(value) => *value,
            Self::Polynomial { constant, gradient, hessian } => {
                constant + gradient.dot(x) + 0.5 * x.dot(*hessian * x)
            }
        }
    }
}

/// Mass properties of a shape whose density is a formula.
///
/// Exact up to rounding for a uniform density and for polyhedra (box, hull, mesh and compounds of these); for round shapes
/// within [`MIN_TOLERANCE`] by quadrature.
///
/// # Errors
/// As [`of_shape`] and [`with_density`]. A density that is negative in a corner only may escape notice.
pub fn of_density(shape: &Shape, density: &Density) -> Result<MassProperties, MassError> {
    match density {
        Density::Uniform(value) => of_shape(shape, *value),
        Density::Polynomial { .. } if is_polyhedral(shape) => {
            let cover = Cover::new(shape)?;
            let mut total = Moments::ZERO;
            for patch in &cover.patches {
                total.add(&cover.integrate(patch, &Cell::WHOLE, &|x| density.at(x))?);
            }
            total.about(cover.reference)
        }
        Density::Polynomial { .. } => with_density(shape, &|x| density.at(x), MIN_TOLERANCE),
    }
}

/// Mass properties of a shape whose density is any function of the place, in kg/m³ (for discs kg/m²).
///
/// The place is in the frame of the shape. `tolerance` bounds the estimated error of the mass relative to the mass m, of the
/// first moments relative to m L and of the second moments relative to m L², L being the radius of the shape about the
/// middle of its box. The density should be smooth: where it jumps convergence is slow, and parts of a compound serve
/// better. Meshes are summed from signed tetrahedra about the mean of their vertices, so the density must be defined, and
/// may be negative, on the convex hull of a mesh and not only inside.
///
/// # Errors
/// When the shape or the tolerance makes no sense, when the density is not finite, or negative within a convex shape, when
/// the result is not a possible body, and when the tolerance was not reached.
pub fn with_density(
    shape: &Shape,
    density: &dyn Fn(DVec3) -> f64,
    tolerance: f64,
) -> Result<MassProperties, MassError> {
    if !(MIN_TOLERANCE..=MAX_TOLERANCE).contains(&tolerance) {
        return Err(MassError::Tolerance { value: tolerance });
    }
    let cover = Cover::new(shape)?;
    let mut heap = BinaryHeap::new();
    let (mut number, mut evaluations) = (0, 0);
    for p in 0..cover.patches.len() {
        for cell in cover.patches[p].chart.first_cells() {
            let coarse = cover.integrate(&cover.patches[p], &cell, density)?;
            heap.push(cover.leaf(p, cell, &coarse, number, density)?);
            number += 1;
        }
    }
    let mut error: f64 = heap.iter().map(|l| l.error).sum();
    let mut mass: f64 = heap.iter().map(|l| l.refined().mass).sum();
    while error > tolerance * mass.abs() {
        if evaluations > MAX_EVALUATIONS {
            return Err(MassError::Unconverged {
                wanted: tolerance,
                reached: error / mass.abs(),
                evaluations,
            });
        }
        let Some(worst) = heap.pop() else { break };
        error -= worst.error;
        mass -= worst.refined().mass;
        for (child, coarse) in worst.cell.children().into_iter().zip(&worst.values) {
            let leaf = cover.leaf(worst.patch, child, coarse, number, density)?;
            error += leaf.error;
            mass += leaf.refined().mass;
            number += 1;
            evaluations += 8 * RULE;
            heap.push(leaf);
        }
    }

    // Summed in the order of creation, not in that of the heap.
    let mut leaves = heap.into_vec();
    leaves.sort_by_key(|l| l.number);
    let mut total = Moments::ZERO;
    for leaf in &leaves {
        total.add(&leaf.refined());
    }
    total.about(cover.reference)
}

fn is_polyhedral(shape: &Shape) -> bool {
    match shape {
        Shape::Cuboid { .. } | Shape::Hull(_) | Shape::Mesh(_) => true,
        Shape::Compound(parts) => parts.iter().all(|p| is_polyhedral(&p.shape)),
        _ => false,
    }
}

/// A map from the unit cube onto a piece of a shape.
#[derive(Debug, Clone, Copy)]
enum Chart {
    /// x = (2u − 1) half.
    Cuboid { half: DVec3 },
    /// The corners a, b, c and the origin: x = u (a + v (b − a) + v w (c − b)), J = u² v a·(b×c), which has a sign.
    Tetrahedron { corners: [DVec3; 3] },
    /// Polar angle θ from `from` by `span`; x = u half ∘ (sin θ cos φ, sin θ sin φ, cos θ).
    Ellipsoid { half: DVec3, from: f64, span: f64 },
    /// Polar coordinates about z.
    Cylinder { radius: f64, half_length: f64 },
    /// Polar coordinates about z, the radius shrinking with height.
    Cone { radius: f64, height: f64 },
    /// Polar coordinates; w is idle.
    Disc { radius: f64 },
}

impl Chart {
    /// The point and the Jacobian at (u, v, w).
    fn at(&self, u: DVec3) -> (DVec3, f64) {
        match *self {
            Self::Cuboid { half } => ((2.0 * u - 1.0) * half, 8.0 * half.x * half.y * half.z),
            Self::Tetrahedron { corners: [a, b, c] } => {
                let x = u.x * (a + u.y * (b - a) + u.y * u.z * (c - b));
                (x, u.x * u.x * u.y * a.dot(b.cross(c)))
            }
            Self::Ellipsoid { half, from, span } => {
                let ((sin_t, cos_t), (sin_p, cos_p)) = (sin_cos(from + span * u.y), sin_cos(TAU * u.z));
                let x = u.x * half * dvec3(sin_t * cos_p, sin_t * sin_p, cos_t);
                (x, half.x * half.y * half.z * u.x * u.x * sin_t * span * TAU)
            }
            Self::Cylinder { radius, half_length } => {
                let (sin, cos) = sin_cos(TAU * u.z);
                let r = radius * u.x;
                (
                    dvec3(r * cos, r * sin, (2.0 * u.y - 1.0) * half_length),
                    2.0 * half_length * radius * r * TAU,
                )
            }
            Self::Cone { radius, height } => {
                let (sin, cos) = sin_cos(TAU * u.z);
                let rim = radius * (1.0 - u.y);
                let r = rim * u.x;
                (dvec3(r * cos, r * sin, height * u.y), height * rim * r * TAU)
            }
            Self::Disc { radius } => {
                let (sin, cos) = sin_cos(TAU * u.z);
                let r = radius * u.x;
                (dvec3(r * cos, r * sin, 0.0), radius * r * TAU)
            }
        }
    }

    /// The cells to start from. Where w is an angle all round, quarters: five points on a full circle could be blind.
    fn first_cells(&self) -> Vec<Cell> {
        match self {
            Self::Cuboid { .. } | Self::Tetrahedron { .. } => vec![Cell::WHOLE],
            _ => (0..4)
                .map(|k| Cell { low: dvec3(0.0, 0.0, 0.25 * f64::from(k)), size: dvec3(1.0, 1.0, 0.25) })
                .collect(),
        }
    }
}

/// A box within the unit cube.
#[derive(Debug, Clone, Copy)]
struct Cell {
    low: DVec3,
    size: DVec3,
}

impl Cell {
    const WHOLE: Self = Self { low: DVec3::ZERO, size: DVec3::ONE };

    fn children(&self) -> [Self; 8] {
        let size = 0.5 * self.size;
        std::array::from_fn(|k| {
            let corner = dvec3((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2 & 1) as f64);
            Self { low: self.low + corner * size, size }
        })
    }
}

/// A chart and where it is.
struct Patch {
    chart: Chart,
    turn: DMat3,
    /// From the reference point.
    shift: DVec3,
}

/// A shape as patches.
struct Cover {
    patches: Vec<Patch>,
    /// Moments are about this point, the middle of the shape's box.
    reference: DVec3,
    /// Radius of the shape about it.
    radius: f64,
    /// Whether every patch lies within the shape, so that a negative density is an error.
    within: bool,
}

/// A cell with the integrals over its children.
struct Leaf {
    patch: usize,
    cell: Cell,
    values: [Moments; 8],
    error: f64,
    number: u64,
}

impl Leaf {
    fn refined(&self) -> Moments {
        let mut total = Moments::ZERO;
        self.values.iter().for_each(|v| total.add(v));
        total
    }
}

// The heap gives the largest error first, among equals the oldest.
impl Ord for Leaf {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Leaf {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Leaf {}

impl Cover {
    fn new(shape: &Shape) -> Result<Self, MassError> {
        shape.check()?;
        check_dimension(shape)?;
        let bounds = shape.aabb();
        let reference = 0.5 * (bounds.min + bounds.max);
        let radius = shape.bounding_radius(reference);
        let mut cover = Self { patches: Vec::new(), reference, radius, within: true };
        cover.add(shape, &Pose::IDENTITY);
        Ok(cover)
    }

    fn add(&mut self, shape: &Shape, pose: &Pose) {
        match shape {
            Shape::Sphere { radius } => self.add_ball(DVec3::splat(*radius), pose),
            Shape::Ellipsoid { half } => self.add_ball(*half, pose),
            Shape::Cuboid { half } => self.add_chart(Chart::Cuboid { half: *half }, pose, DVec3::ZERO),
            Shape::Cylinder { radius, half_length } => {
                let chart = Chart::Cylinder { radius: *radius, half_length: *half_length };
                self.add_chart(chart, pose, DVec3::ZERO);
            }
            Shape::Capsule { radius, half_length } => {
                let straight = Chart::Cylinder { radius: *radius, half_length: *half_length };
                self.add_chart(straight, pose, DVec3::ZERO);
                for (from, end) in [(0.0, *half_length), (FRAC_PI_2, -half_length)] {
                    let cap = Chart::Ellipsoid { half: DVec3::splat(*radius), from, span: FRAC_PI_2 };
                    self.add_chart(cap, pose, end * DVec3::Z);
                }
            }
            Shape::Cone { radius, height } => {
                self.add_chart(Chart::Cone { radius: *radius, height: *height }, pose, DVec3::ZERO);
            }
            Shape::Disc { radius } => self.add_chart(Chart::Disc { radius: *radius }, pose, DVec3::ZERO),
            Shape::Hull(hull) => self.add_polyhedron(hull.vertices(), hull.triangles(), pose),
            Shape::Mesh(mesh) => {
                self.within = false;
                self.add_polyhedron(mesh.vertices(), mesh.triangles(), pose);
            }
            Shape::Compound(parts) => {
                for part in parts {
                    let inner = part.unit_pose();
                    let pose = Pose {
                        position: pose.point(inner.position),
                        orientation: pose.orientation * inner.orientation,
                    };
                    self.add(&part.shape, &pose);
                }
            }
            Shape::Plane(_) => unreachable!("planes are refused before"),
        }
    }

    fn add_ball(&mut self, half: DVec3, pose: &Pose) {
        self.add_chart(Chart::Ellipsoid { half, from: 0.0, span: PI }, pose, DVec3::ZERO);
    }

    fn add_polyhedron(&mut self, vertices: &[DVec3], triangles: &[[u32; 3]], pose: &Pose) {
        let middle = mean(vertices);
        for t in triangles {
            let corners = t.map(|v| vertices[v as usize] - middle);
            self.add_chart(Chart::Tetrahedron { corners }, pose, middle);
        }
    }

    /// `origin` is where the origin of the chart is in the frame that has this pose.
    fn add_chart(&mut self, chart: Chart, pose: &Pose, origin: DVec3) {
        let shift = pose.point(origin) - self.reference;
        self.patches.push(Patch { chart, turn: DMat3::from_quat(pose.orientation), shift });
    }

    /// Moments of one cell about the reference, by the product rule.
    fn integrate(
        &self,
        patch: &Patch,
        cell: &Cell,
        density: &dyn Fn(DVec3) -> f64,
    ) -> Result<Moments, MassError> {
        let mut total = Moments::ZERO;
        let volume = cell.size.x * cell.size.y * cell.size.z;
        for (u, wu) in GAUSS {
            for (v, wv) in GAUSS {
                for (w, ww) in GAUSS {
                    let (x, jacobian) = patch.chart.at(cell.low + cell.size * dvec3(u, v, w));
                    let r = patch.shift + patch.turn * x;
                    let value = density(self.reference + r);
                    if !value.is_finite() || (self.within && value < 0.0) {
                        return Err(MassError::DensityAt { at: self.reference + r, value });
                    }
                    total.add(&Moments::point(value * jacobian * (wu * wv * ww * volume), r));
                }
            }
        }
        Ok(total)
    }

    /// Refines a cell whose own integral is `coarse`.
    fn leaf(
        &self,
        patch: usize,
        cell: Cell,
        coarse: &Moments,
        number: u64,
        density: &dyn Fn(DVec3) -> f64,
    ) -> Result<Leaf, MassError> {
        let mut values = [Moments::ZERO; 8];
        for (value, child) in values.iter_mut().zip(cell.children()) {
            *value = self.integrate(&self.patches[patch], &child, density)?;
        }
        let mut leaf = Leaf { patch, cell, values, error: 0.0, number };
        let fine = leaf.refined();
        let second =
            (fine.second - coarse.second).to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        leaf.error = (fine.mass - coarse.mass)
            .abs()
            .max((fine.first - coarse.first).length() / self.radius)
            .max(second / (self.radius * self.radius));
        Ok(leaf)
    }
}
