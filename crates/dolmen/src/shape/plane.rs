//! Planes that no force moves: floors, walls and table tops without thickness.

use crate::math::DVec3;
use thiserror::Error;

/// A plane A x + B y + C z + D = 0 or a piece of it, for bodies that never move. [INTRO, immobile objects]
///
/// The normal (A, B, C) points to the front. Without thickness and without mass; two-sided unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    normal: DVec3,
    offset: f64,
    extent: Extent,
    sides: Sides,
}

/// How much of a plane there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// All of it.
    Infinite,
    /// A circle and its inside.
    Circular {
        /// A point of the plane, m.
        centre: DVec3,
        /// m.
        radius: f64,
    },
    /// A square and its inside.
    Square {
        /// A point of the plane, m.
        centre: DVec3,
        /// Half of a side, m.
        half_side: f64,
        /// A unit vector in the plane, along two of the sides.
        direction: DVec3,
    },
}

/// From where a plane can be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// From its front only. An infinite plane then has a solid behind it; a finite one lets pass what comes from behind.
    Front,
    /// From both.
    Both,
}

/// Why a plane cannot be.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlaneError {
    /// The normal has no direction.
    #[error(
        "the plane has the normal ({:?}, {:?}, {:?}); it must be finite, and of a length other than 0", normal.x, normal.y, normal.z
    )]
    Normal {
        /// (A, B, C) as given.
        normal: DVec3,
    },
    /// D is infinite or NaN, or so large beside the normal that the plane is nowhere.
    #[error("the plane has D = {d:?} for a normal of length {length:?}; D and D/length must be finite")]
    Offset {
        /// As given.
        d: f64,
        /// Of the normal.
        length: f64,
    },
    /// The radius or half side is zero, negative, infinite or NaN.
    #[error(
        "the {name} of the plane is {value:?} m; it must be more than 0 and finite: give a length in metres"
    )]
    Length {
        /// Which.
        name: &'static str,
        /// As given.
        value: f64,
    },
    /// The centre of a piece is not a point.
    #[error("the centre of the plane is ({:?}, {:?}, {:?}); all coordinates must be finite", centre.x, centre.y, centre.z)]
    Centre {
        /// As given.
        centre: DVec3,
    },
    /// The direction of a square does not say how it is turned.
    #[error(
        "the square has the direction ({:?}, {:?}, {:?}); it must be finite, and not along the normal: give a vector in the plane",
        direction.x, direction.y, direction.z
    )]
    Direction {
        /// As given.
        direction: DVec3,
    },
}

/// Sine of the smallest angle between a square's direction and the normal: below, the direction is mostly rounding.
const SMALLEST_ANGLE: f64 = 1e-6;

impl Plane {
    /// The infinite plane A x + B y + C z + D = 0 with `normal` = (A, B, C) of any length but zero, seen from both sides.
    ///
    /// # Errors
    /// When the normal has no direction, or D is no number.
    pub fn new(normal: DVec3, d: f64) -> Result<Self, PlaneError> {
        let largest = normal.abs().max_element();
        if !(largest > 0.0 && normal.is_finite()) {
            return Err(PlaneError::Normal { normal });
        }
        // The length of huge and tiny normals without overflow.
        let scaled = normal / largest;
        let length = scaled.length();
        let offset = -d / largest / length;
        if !offset.is_finite() {
            return Err(PlaneError::Offset { d, length: largest * length });
        }
        Ok(Self { normal: scaled / length, offset, extent: Extent::Infinite, sides: Sides::Both })
    }

    /// Only the circle of this radius about the point of the plane nearest to `centre`.
    ///
    /// # Errors
    /// When a number is not finite, or the radius not positive.
    pub fn circular(self, centre: DVec3, radius: f64) -> Result<Self, PlaneError> {
        let centre = self.piece(centre, "radius", radius)?;
        Ok(Self { extent: Extent::Circular { centre, radius }, ..self })
    }

    /// Only the square of side 2 `half_side` about the point of the plane nearest to `centre`, two sides along `direction`.
    ///
    /// Of `direction` only the part in the plane counts.
    ///
    /// # Errors
    /// When a number is not finite, the half side not positive, or the direction along the normal.
    pub fn square(self, centre: DVec3, half_side: f64, direction: DVec3) -> Result<Self, PlaneError> {
        let centre = self.piece(centre, "half side", half_side)?;
        let wrong = PlaneError::Direction { direction };
        let largest = direction.abs().max_element();
        if !(largest > 0.0 && direction.is_finite()) {
            return Err(wrong);
        }
        let unit = (direction / largest).normalize();
        let within = unit - self.normal * self.normal.dot(unit);
        if within.length() < SMALLEST_ANGLE {
            return Err(wrong);
        }
        // Twice, so that what cancelled the first time does not leave it out of the plane.
        let within = within.normalize();
        let direction = (within - self.normal * self.normal.dot(within)).normalize();
        Ok(Self { extent: Extent::Square { centre, half_side, direction }, ..self })
    }

    fn piece(&self, centre: DVec3, name: &'static str, value: f64) -> Result<DVec3, PlaneError> {
        if !(value > 0.0 && value.is_finite()) {
            return Err(PlaneError::Length { name, value });
        }
        let nearest = centre - self.normal * (self.normal.dot(centre) - self.offset);
        if nearest.is_finite() { Ok(nearest) } else { Err(PlaneError::Centre { centre }) }
    }

    /// The same plane, to be touched from these sides.
    #[must_use]
    pub fn with_sides(self, sides: Sides) -> Self {
        Self { sides, ..self }
    }

    /// The unit normal n, to the front.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// −D by the length of the normal: n·x of its points, m.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// How much of it there is.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// From where it can be touched.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// The corners of a square, counterclockwise seen from the front; `None` for the others.
    pub fn corners(&self) -> Option<[DVec3; 4]> {
        let Extent::Square { centre, half_side, direction } = self.extent else { return None };
        let (u, v) = (direction * half_side, self.normal.cross(direction) * half_side);
        Some([centre + u + v, centre - u + v, centre - u - v, centre + u - v])
    }

    /// max d·x over its points, and over the solid behind an infinite one-sided plane.
    pub(super) fn reach(&self, d: DVec3) -> f64 {
        match self.extent {
            Extent::Infinite => {
                let along = self.normal.dot(d);
                // Exactly along the normal or not at all: any other direction goes on for ever.
                let bounded =
                    self.normal.cross(d) == DVec3::ZERO && (along > 0.0 || self.sides == Sides::Both);
                if bounded { along * self.offset } else { f64::INFINITY }
            }
            Extent::Circular { centre, radius } => d.dot(centre) + radius * self.across(d).length(),
            Extent::Square { centre, half_side, direction } => {
                let other = self.normal.cross(direction);
                d.dot(centre) + half_side * (d.dot(direction).abs() + d.dot(other).abs())
            }
        }
    }

    /// The radius of the smallest ball about a point that holds it.
    pub(super) fn bounding_radius(&self, about: DVec3) -> f64 {
        match self.extent {
            Extent::Infinite => f64::INFINITY,
            Extent::Circular { centre, radius } => {
                let away = about - centre;
                let (up, out) = (self.normal.dot(away), self.across(away).length() + radius);
                (up * up + out * out).sqrt()
            }
            Extent::Square { .. } => {
                let corners = self.corners().into_iter().flatten();
                corners.fold(0.0, |most, c| most.max(c.distance(about)))
            }
        }
    }

    /// The part of a vector in the plane.
    fn across(&self, v: DVec3) -> DVec3 {
        v - self.normal * self.normal.dot(v)
    }
}
