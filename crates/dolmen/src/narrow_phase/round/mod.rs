//! Pairs of convex shapes of which at least one has a curved surface or rim.
//!
//! Every shape is a core with a ball around it: a sphere is a point, a capsule a segment, the others are cores alone.
//! Spheres have closed forms ([`ball`]); infinite planes need one support point. For the rest the distance of the cores is
//! approached by support points ([`search`]), and as soon as the normal is nearly known the pieces of surface that carry the
//! nearest points are solved to rounding ([`polish`]); the support functions of the whole shapes prove the answer. Cores that
//! overlap are searched in all directions ([`grow`]).
//!
//! | shape | features |
//! |---|---|
//! | sphere, ellipsoid | `Surface(0)` |
//! | capsule | `Surface(0)` side, `Surface(1)` cap at −z, `Surface(2)` cap at +z |
//! | cylinder | `Surface(0)` side; `Rim(0)`, `Face(0)` at −z; `Rim(1)`, `Face(1)` at +z |
//! | cone | `Surface(0)` side, `Vertex(0)` apex, `Rim(0)`, `Face(0)` base |
//! | disc, circular plane | `Face(0)` front (+z), `Face(1)` back, `Rim(0)` |
//!
//! Where a flat round face lies on another face, places on rim r have numbers of their own: `Rim(r + 2 + 2k)` is the point at
//! angle kπ/4 from x towards y, k = 0 … 7, `Rim(r + 18)` and `Rim(r + 20)` are where the border of the other face comes into
//! the circle and leaves it, and `Rim(r + 22 + 2e)` is the middle of a short arc of which the end is on edge e of the other.

mod ball;
mod flat;
mod foot;
mod grow;
mod piece;
mod polish;
mod region;
mod search;
mod solid;
mod tolerances;

use super::polytope::Contacts;
use super::tolerances::contact_length;
use super::{Closest, Feature, Geometry, Overlap, Placed, Separation, Statistics, UnsupportedPair, Witness};
use crate::math::{DVec3, Pose};
use crate::shape::Sides;
use polish::{Duo, Touch};
use search::find;
use solid::{Core, Solid};
use tolerances::PARALLEL;

/// What a query on a pair found.
struct Look<'a> {
    duo: Duo<'a>,
    touch: Touch,
    /// Whether one is behind a finite plane that is touched from its front only; the touch is then that with the front.
    behind: bool,
    /// A point of both, common frame, where one is known.
    common: Option<DVec3>,
}

impl<'a> Look<'a> {
    /// The pair in one frame.
    fn at(a: &Placed<'a>, b: &Placed<'a>) -> Result<Duo<'a>, UnsupportedPair> {
        let (Some(solid_a), Some(solid_b)) = (Solid::new(a), Solid::new(b)) else { return Err(a.refused(b)) };
        let size = a.geometry.size().min(b.geometry.size());
        let touching = contact_length(size, a.pose.position, b.pose.position);
        Ok(Duo::new(solid_a, solid_b, size, touching))
    }

    /// Everywhere, with planes that are touched from both sides.
    fn around(a: &Placed<'a>, b: &Placed<'a>) -> Result<Self, UnsupportedPair> {
        let duo = Self::at(a, b)?;
        let mut statistics = Statistics::default();
        if let Some(sides) = sides_of_plane(a, b) {
            let touch = on_plane(&duo, sides, Witness::Unknown);
            return Ok(Self { duo, touch, behind: false, common: None });
        }
        let (touch, common) = meet(&duo, Witness::Unknown, &mut statistics);
        Ok(Self { duo, touch, behind: false, common })
    }

    /// With the sides of planes, by the witness.
    fn by_witness(
        a: &Placed<'a>,
        b: &Placed<'a>,
        witness: &mut Witness,
        statistics: &mut Statistics,
    ) -> Result<Self, UnsupportedPair> {
        let duo = Self::at(a, b)?;
        statistics.queries += 1;
        if let Some(sides) = sides_of_plane(a, b) {
            statistics.hits += 1;
            let touch = on_plane(&duo, sides, *witness);
            *witness = witness_of(&touch);
            return Ok(Self { duo, touch, behind: false, common: None });
        }
        let front = match (duo.a.front, duo.b.front) {
            (_, Some(front)) => front,
            (Some(front), _) => -(duo.a.frame.turn * front),
            _ => {
                let (touch, common) = meet(&duo, *witness, statistics);
                *witness = witness_of(&touch);
                return Ok(Self { duo, touch, behind: false, common });
            }
        };
        let (touch, behind) = in_front(&duo, front, *witness, statistics);
        *witness = if behind { Witness::Behind } else { witness_of(&touch) };
        Ok(Self { duo, touch, behind, common: None })
    }
}

fn witness_of(touch: &Touch) -> Witness {
    Witness::Plane { a: touch.a.feature, b: touch.b.feature }
}

/// How the infinite plane of a pair can be touched, if one is.
fn sides_of_plane(a: &Placed, b: &Placed) -> Option<Sides> {
    match (a.geometry, b.geometry) {
        (Geometry::HalfSpace(plane), _) | (_, Geometry::HalfSpace(plane)) => Some(plane.sides),
        _ => None,
    }
}

/// The touch of two bounded shapes, and a common point where one is known.
fn meet(duo: &Duo, known: Witness, statistics: &mut Statistics) -> (Touch, Option<DVec3>) {
    if let Some(touch) = ball::touch_of_ball(duo, known, statistics) {
        // A ball without a radius is on either side by rounding, as a disc that lies flat is.
        let side =
            side_of(duo, known).filter(|side| touch.normal.dot(*side) < 0.0 && is_kept(duo, *side, &touch));
        return (side.map_or(touch, |side| duo.facing(side, PARALLEL)), None);
    }
    let found = find(duo);
    if found.deep {
        statistics.searches += 1;
    } else {
        statistics.walks += 1;
    }
    match side_of(duo, known) {
        Some(side) if found.touch.normal.dot(side) < 0.0 && is_kept(duo, side, &found.touch) => {
            (duo.facing(side, PARALLEL), None)
        }
        _ => (found.touch, found.common),
    }
}

/// The side of a shape without thickness on which the witness has the other one, as a normal of the common frame.
///
/// Of a disc that lies on a plane either side is as near as the other, and rounding would choose: which one it is only the way
/// there tells.
fn side_of(duo: &Duo, witness: Witness) -> Option<DVec3> {
    let Witness::Plane { a, b } = witness else { return None };
    let outward_b = duo.b.thin_face(b);
    outward_b.or_else(|| duo.a.thin_face(a).map(|outward| -(duo.a.frame.turn * outward)))
}

/// Whether shapes that touch on the other side than the known one are still on that: they overlap there by no more than the
/// contact tolerance, and are not further apart along the touch than they would be when seen from behind.
fn is_kept(duo: &Duo, side: DVec3, touch: &Touch) -> bool {
    let gap = duo.gap(side);
    gap >= -duo.touching && touch.separation <= duo.rounding - gap
}

/// The touch with an infinite plane: on the side of the witness, for there is no way around it; else where the other shape
/// is, or penetrates least.
fn on_plane(duo: &Duo, sides: Sides, witness: Witness) -> Touch {
    let up = match (duo.a.core, duo.b.core) {
        (_, Core::Plane { normal, .. }) => normal,
        (Core::Plane { normal, .. }, _) => -(duo.a.frame.turn * normal),
        _ => DVec3::Z,
    };
    let in_front = || duo.gap(up) >= -duo.rounding || duo.gap(up) >= duo.gap(-up);
    let side = match side_of_plane(duo, witness) {
        _ if sides == Sides::Front => up,
        Some(Feature::Face(1)) => -up,
        Some(_) => up,
        None if in_front() => up,
        None => -up,
    };
    duo.facing(side, PARALLEL)
}

/// The face of the infinite plane of a pair that the witness names.
fn side_of_plane(duo: &Duo, witness: Witness) -> Option<Feature> {
    match (duo.b.core, witness) {
        (Core::Plane { .. }, Witness::Plane { b, .. }) => Some(b),
        (_, Witness::Plane { a, .. }) => Some(a),
        _ => None,
    }
}

/// The touch with a finite plane that lets pass what comes from behind, and whether something does. As the plane of a
/// polytope, see [`super::separate`].
fn in_front(duo: &Duo, front: DVec3, witness: Witness, statistics: &mut Statistics) -> (Touch, bool) {
    let came_from_behind = match witness {
        Witness::Behind => true,
        Witness::Unknown => front.dot(duo.a.centre() - duo.b.centre()) < 0.0,
        Witness::Plane { .. } => false,
    };
    if came_from_behind && duo.gap(front) < -duo.rounding {
        statistics.hits += 1;
        return (duo.facing(front, PARALLEL), true);
    }
    let (touch, _) = meet(duo, witness, statistics);
    if touch.separation >= 0.0 {
        // It may have gone around the rim, and be behind now.
        let behind = duo.gap(-front) > duo.touching;
        return (if behind { duo.facing(front, PARALLEL) } else { touch }, behind);
    }
    if touch.normal.dot(front) >= 0.0 {
        return (touch, false);
    }
    // The shortest way out is through the back; those that count lead to the front. The opposite one does, and of shapes that
    // are as deep either way it is the shortest.
    let [opposite, straight] = [-touch.normal, front].map(|normal| duo.facing(normal, PARALLEL));
    (if opposite.separation > straight.separation { opposite } else { straight }, false)
}

/// As [`super::separate`]; apart, the separation is the distance.
pub(super) fn separate(
    a: &Placed,
    b: &Placed,
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Result<Separation, UnsupportedPair> {
    if let Some(found) = ball::rolling(a, b, *witness, statistics) {
        statistics.queries += 1;
        *witness = found.witness;
        return Ok(Separation {
            distance: found.separation,
            normal: b.pose.direction(found.normal),
            witness: found.witness,
            points: found.points.map(|x| b.pose.point(x)),
        });
    }
    let Look { duo, touch, behind, .. } = Look::by_witness(a, b, witness, statistics)?;
    let pose = &duo.b.pose;
    Ok(Separation {
        distance: if behind { f64::INFINITY } else { touch.separation },
        normal: pose.direction(touch.normal),
        witness: *witness,
        points: touch.points.map(|x| pose.point(x)),
    })
}

/// As [`super::closest`], from what was remembered of a sphere on a polytope.
pub(super) fn closest(a: &Placed, b: &Placed, known: &mut Witness) -> Result<Closest, UnsupportedPair> {
    if let Some(found) = ball::rolling(a, b, *known, &mut Statistics::default()) {
        *known = found.witness;
        return Ok(closest_of((found.separation, found.normal, found.points), None, &b.pose));
    }
    let Look { duo, touch, common, .. } = Look::around(a, b)?;
    Ok(closest_of((touch.separation, touch.normal, touch.points), common, &duo.b.pose))
}

/// What was found in the frame with this pose, in the world.
fn closest_of(
    (distance, normal, points): (f64, DVec3, [DVec3; 2]),
    common: Option<DVec3>,
    pose: &Pose,
) -> Closest {
    if distance <= 0.0 {
        let point = pose.point(common.unwrap_or(0.5 * (points[0] + points[1])));
        return Closest { distance: 0.0, normal: DVec3::ZERO, points: [point; 2] };
    }
    Closest { distance, normal: pose.direction(normal), points: points.map(|x| pose.point(x)) }
}

/// As [`super::meets`].
pub(super) fn meets(
    a: &Placed,
    b: &Placed,
    known: &mut Witness,
    statistics: &mut Statistics,
) -> Result<bool, UnsupportedPair> {
    statistics.queries += 1;
    if let Some(found) = ball::rolling(a, b, *known, statistics) {
        *known = found.witness;
        return Ok(found.separation <= 0.0);
    }
    statistics.searches += 1;
    Ok(Look::around(a, b)?.touch.separation <= 0.0)
}

/// As [`super::overlap`].
pub(super) fn overlap(a: &Placed, b: &Placed) -> Result<Option<Overlap>, UnsupportedPair> {
    let Look { duo, touch, .. } = Look::around(a, b)?;
    Ok((touch.separation < -duo.rounding).then_some(Overlap::Measured))
}

/// As [`super::contacts`]; adds to none, in any order.
pub(super) fn contacts(
    tolerance: f64,
    (a, b): (&Placed, &Placed),
    witness: &mut Witness,
    statistics: &mut Statistics,
    contacts: &mut Contacts,
) -> Result<(), UnsupportedPair> {
    let Look { duo, touch, behind, .. } = Look::by_witness(a, b, witness, statistics)?;
    if !behind {
        region::collect(&duo, &touch, tolerance, contacts);
    }
    Ok(())
}
