//! Mass, centre of mass and inertia tensor of shapes.
//!
//! | shape | method |
//! |---|---|
//! | sphere, box, capsule, cylinder, cone, disc, ellipsoid | closed forms |
//! | hull, mesh | signed tetrahedra, exact up to rounding |
//! | compound, sets of points | sums, parallel axes |
//! | any, with a density that varies | Gauss quadrature, exact on polyhedra for a quadratic density, else adaptive |

mod quadrature;
mod uniform;

pub use quadrature::{Density, MIN_TOLERANCE, of_density, with_density};
pub use uniform::{of_points, of_shape};

use crate::math::{DMat3, DQuat, DVec3, Pose, eigen};
use crate::shape::ShapeError;
use thiserror::Error;

/// A moment below this times the largest one is zero: what rounding leaves of the moment of points on a line about that
/// line. A rod of length 1 m would have to be thinner than 1e-7 m to be refused for it.
const ZERO_MOMENT: f64 = 64.0 * f64::EPSILON;

/// By how much, relative to the largest moment, the triangle inequality may fail: tables and scene files carry seven
/// digits, and a flat body is on the bound. Motion is sound whatever this is; a decade more hides typing errors.
const TRIANGLE_ALLOWANCE: f64 = 1e-6;

/// How unequal, relative to the largest entry, mirrored entries of a tensor may be: products of rotations leave 1e-15.
const SYMMETRY_ALLOWANCE: f64 = 1e-12;

/// What a rigid body needs to know about its matter.
///
/// Always a possible body: positive mass, positive moments that obey the triangle inequality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    mass: f64,
    centre: DVec3,
    inertia: DMat3,
}

/// Principal moments of inertia and the axes they are about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Principal {
    /// Moments about the principal axes, kg·m².
    pub moments: DVec3,
    /// Turns principal coordinates into those of the frame the properties are given in.
    pub axes: DQuat,
}

/// Why something has no mass properties.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MassError {
    /// Zero, negative, infinite or NaN.
    #[error(
        "the mass is {value:?} kg; it must be more than 0 and finite: give a mass in kilograms, or fix the body"
    )]
    Mass {
        /// As given or computed.
        value: f64,
    },
    /// The centre of mass is not a point.
    #[error("the centre of mass is {value}; all its coordinates must be finite")]
    Centre {
        /// As given or computed.
        value: DVec3,
    },
    /// An entry of the inertia tensor is infinite or NaN.
    #[error(
        "the inertia tensor has the entry {value:?} in row {row}, column {column}; all must be finite, in kg·m²"
    )]
    Entry {
        /// Of the entry, from 0.
        row: usize,
        /// Of the entry, from 0.
        column: usize,
        /// As given or computed.
        value: f64,
    },
    /// Mirrored entries differ.
    #[error(
        "the inertia tensor is not symmetric: row {row}, column {column} is {upper:?}, but row {column}, column {row} is \
         {lower:?}; make them equal"
    )]
    Asymmetric {
        /// Of the upper entry, from 0.
        row: usize,
        /// Of the upper entry, from 0.
        column: usize,
        /// Above the diagonal.
        upper: f64,
        /// Below it.
        lower: f64,
    },
    /// A principal moment is zero or negative.
    #[error(
        "the principal moments of inertia are {:?}, {:?} and {:?} kg·m²; all must be more than 0: a point or a straight line of \
         points cannot be a rigid body, give it some thickness", moments.x, moments.y, moments.z
    )]
    Moment {
        /// In ascending order.
        moments: DVec3,
    },
    /// No matter can have these moments.
    #[error(
        "the principal moments of inertia are {:?}, {:?} and {:?} kg·m², and {:?} + {:?} is less than {:?}: no body has such moments; \
         check the tensor, its products of inertia have the sign of -∫xy dm",
        moments.x, moments.y, moments.z, moments.x, moments.y, moments.z
    )]
    Triangle {
        /// In ascending order.
        moments: DVec3,
    },
    /// A density is zero, negative, infinite or NaN.
    #[error("the density is {value:?}; it must be more than 0 and finite, in kg/m³ (for a disc in kg/m²)")]
    Density {
        /// As given.
        value: f64,
    },
    /// A density that varies is negative or no number somewhere.
    #[error(
        "the density at {at} is {value:?}; it must be at least 0 and finite throughout the shape: restrict it, or cut the \
         shape where it ends"
    )]
    DensityAt {
        /// Where, in the frame of the shape.
        at: DVec3,
        /// What it is there.
        value: f64,
    },
    /// The tolerance asked for cannot be met or means nothing.
    #[error("the tolerance is {value:?}; it must be between {MIN_TOLERANCE:e} and 0.1, relative to the mass")]
    Tolerance {
        /// As given.
        value: f64,
    },
    /// Quadrature spent its evaluations.
    #[error(
        "the density was evaluated {evaluations} times and the error is still about {reached:e} of the mass, not {wanted:e}: \
         loosen the tolerance, or make a compound of parts where the density jumps"
    )]
    Unconverged {
        /// The tolerance asked for.
        wanted: f64,
        /// The error estimated.
        reached: f64,
        /// Values of the density spent.
        evaluations: u64,
    },
    /// A mass in a set of points is wrong.
    #[error(
        "point mass {index} is {mass:?} kg at {at}; the mass must be more than 0 and finite, the place finite"
    )]
    PointMass {
        /// Its number, from 0.
        index: usize,
        /// As given.
        mass: f64,
        /// As given.
        at: DVec3,
    },
    /// Nothing to add up.
    #[error("mass properties of nothing; give at least one part or point")]
    Nothing,
    /// A density cannot be per volume and per area at once.
    #[error(
        "the compound has discs, whose density is per area, and solids, whose density is per volume; \
         find the mass of each with its own density and add them"
    )]
    MixedDensity,
    /// Planes are for bodies that never move.
    #[error("a plane has no mass; fix the body, or give it a thin box or a disc instead")]
    Plane,
    /// The shape itself is wrong.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl MassProperties {
    /// From a mass in kg, its centre in m and the inertia tensor about that centre in kg·m², in one frame.
    ///
    /// The tensor is ∫(|r|² 1 − r rᵀ) dm: its off-diagonal entries are −∫xy dm and so on. It is made symmetric to the last
    /// bit.
    ///
    /// # Errors
    /// When no rigid body has these: a mass or a moment that is not positive, a tensor that is not symmetric, moments that
    /// break the triangle inequality, anything not finite.
    pub fn new(mass: f64, centre: DVec3, inertia: DMat3) -> Result<Self, MassError> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(MassError::Mass { value: mass });
        }
        if !centre.is_finite() {
            return Err(MassError::Centre { value: centre });
        }
        let entry = |row: usize, column: usize| inertia.col(column)[row];
        let all = || (0..3).flat_map(|row| (0..3).map(move |column| (row, column)));
        if let Some((row, column)) = all().find(|&(r, c)| !entry(r, c).is_finite()) {
            return Err(MassError::Entry { row, column, value: entry(row, column) });
        }
        let largest = all().fold(0.0_f64, |most, (r, c)| most.max(entry(r, c).abs()));
        for (row, column) in [(0, 1), (0, 2), (1, 2)] {
            let (upper, lower) = (entry(row, column), entry(column, row));
            if (upper - lower).abs() > SYMMETRY_ALLOWANCE * largest {
                return Err(MassError::Asymmetric { row, column, upper, lower });
            }
        }
        let inertia = symmetrised(inertia);
        let (moments, _) = eigen::symmetric(inertia);
        if moments.x <= ZERO_MOMENT * moments.z {
            return Err(MassError::Moment { moments });
        }
        if moments.x + moments.y < (1.0 - TRIANGLE_ALLOWANCE) * moments.z {
            return Err(MassError::Triangle { moments });
        }
        Ok(Self { mass, centre, inertia })
    }

    /// Mass, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Centre of mass, m.
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Inertia tensor about the centre of mass, kg·m².
    pub fn inertia(&self) -> DMat3 {
        self.inertia
    }

    /// Principal moments and axes, in the order and with the signs that turn the given frame least.
    ///
    /// A tensor that is diagonal already keeps its frame and its entries, bit for bit; what rounding leaves off the diagonal
    /// of a symmetric body does not throw its axes about, unless moments are equal.
    pub fn principal(&self) -> Principal {
        let (values, axes) = eigen::symmetric(self.inertia);
        let mut best = (f64::NEG_INFINITY, values, DMat3::IDENTITY);
        for [i, j, k] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            for (sign_x, sign_y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let (x, y) = (sign_x * axes.col(i), sign_y * axes.col(j));
                // The third follows from right-handedness; the column is used, not the product, to keep exact axes exact.
                let z = axes.col(k) * x.cross(y).dot(axes.col(k)).signum();
                // The cosine of the angle of the turn grows with the trace.
                let trace = x.x + y.y + z.z;
                if trace > best.0 {
                    best = (trace, DVec3::new(values[i], values[j], values[k]), DMat3::from_cols(x, y, z));
                }
            }
        }
        Principal { moments: best.1, axes: DQuat::from_mat3(&best.2).normalize() }
    }

    /// The same matter seen from the frame in which its own frame has this pose.
    #[must_use]
    pub fn moved(&self, pose: &Pose) -> Self {
        let r = DMat3::from_quat(pose.orientation);
        Self {
            mass: self.mass,
            centre: pose.point(self.centre),
            inertia: symmetrised(r * self.inertia * r.transpose()),
        }
    }

    /// All of them as one rigid body; they must be given in one frame.
    ///
    /// # Errors
    /// When there are none, or the sum is beyond all numbers.
    pub fn sum(parts: &[Self]) -> Result<Self, MassError> {
        // Seen from one of the parts, so that a body far from the origin loses no digits.
        let origin = parts.first().ok_or(MassError::Nothing)?.centre;
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        let centre =
            origin + parts.iter().fold(DVec3::ZERO, |sum, p| sum + (p.centre - origin) * (p.mass / mass));
        let inertia = parts.iter().fold(DMat3::ZERO, |sum, p| sum + p.inertia_about(centre));
        Self::new(mass, centre, inertia)
    }

    /// The same distribution of matter with another total, kg.
    ///
    /// # Errors
    /// When `mass` is not a positive finite number.
    pub fn scaled_to_mass(&self, mass: f64) -> Result<Self, MassError> {
        Self::new(mass, self.centre, self.inertia * (mass / self.mass))
    }

    /// Inertia tensor about any point of the frame, kg·m²: I + m (|d|² 1 − d dᵀ), d from the point to the centre.
    pub fn inertia_about(&self, point: DVec3) -> DMat3 {
        self.inertia + tensor_of(outer(self.centre - point) * self.mass)
    }
}

/// d dᵀ.
fn outer(d: DVec3) -> DMat3 {
    DMat3::from_cols(d * d.x, d * d.y, d * d.z)
}

/// The inertia tensor tr(C) 1 − C of the second moments C = ∫ r rᵀ dm.
fn tensor_of(second: DMat3) -> DMat3 {
    let d = second.diagonal();
    // Sums of two, not the trace minus one: no cancellation.
    let diagonal = DMat3::from_diagonal(DVec3::new(d.y + d.z, d.z + d.x, d.x + d.y));
    diagonal - (second - DMat3::from_diagonal(d))
}

fn symmetrised(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

/// ∫dm, ∫r dm and ∫r rᵀ dm, with r from some agreed point.
#[derive(Debug, Clone, Copy)]
struct Moments {
    mass: f64,
    first: DVec3,
    second: DMat3,
}

impl Moments {
    const ZERO: Self = Self { mass: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    fn point(mass: f64, r: DVec3) -> Self {
        Self { mass, first: r * mass, second: outer(r) * mass }
    }

    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first += other.first;
        self.second += other.second;
    }

    /// The properties, when r was from `reference`. That should be near the centre: moving to the centre subtracts
    /// m d dᵀ, d between the two.
    fn about(&self, reference: DVec3) -> Result<MassProperties, MassError> {
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return Err(MassError::Mass { value: self.mass });
        }
        let d = self.first / self.mass;
        MassProperties::new(self.mass, reference + d, tensor_of(self.second - outer(d) * self.mass))
    }
}
