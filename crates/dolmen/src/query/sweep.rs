//! What a shape on its way touches first.

use super::arrangement::{Arrangement, Item, checked_pose};
use super::{QueryError, finite};
use crate::broad_phase::{Extent, swept_box_tight};
use crate::locate::{Gap, Meeting, Pair, Shapes, first_contact};
use crate::math::{DVec3, Pose, Twist};
use crate::motion::{Motion, Prescribed};
use crate::narrow_phase::{ContactId, Geometry, Placed, Statistics, Witness, separate};
use crate::shape::Shape;
use crate::world::BodyId;

/// What a cast of a shape came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShapeCast {
    /// It touches nothing on its way.
    Clear,
    /// It touches a body, and nothing before.
    Hit(ShapeHit),
    /// The search gave up on a body: up to there it touches nothing, beyond nothing is known.
    Unknown {
        /// On which.
        body: BodyId,
        /// How far it came, of the way.
        fraction: f64,
    },
}

/// The first touch of a moving shape, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeHit {
    /// The body touched; of several at once that of the lowest id.
    pub body: BodyId,
    /// After which part of the way, 0 to 1.
    pub fraction: f64,
    /// Unit normal of the touch, from the body to the shape; zero where they overlap from the start.
    pub normal: DVec3,
    /// The features that touch, the shape being a and the body b; unknown where the narrow phase cannot tell them.
    pub witness: Witness,
    /// How deep they overlap at the start, m; 0 for a touch on the way.
    pub depth: f64,
}

/// The first touch of a shape that moves from `pose` (of its frame) by `translation`, m, while it turns evenly about the
/// origin of its frame by the vector `turning`, rad (axis times angle; zero for none).
///
/// A body that it overlaps at the start is hit at fraction 0; one that it touches there and parts from is not hit.
///
/// # Errors
/// When the shape, the pose, the translation or the turn are not sound, or there is no answer for the shape and that of a
/// body on its way.
pub fn cast_shape(
    bodies: &Arrangement,
    shape: &Shape,
    pose: &Pose,
    translation: DVec3,
    turning: DVec3,
) -> Result<ShapeCast, QueryError> {
    shape.check()?;
    if matches!(shape, Shape::Plane(_)) {
        return Err(QueryError::MovingPlane);
    }
    let start = checked_pose("position of the shape", || "the shape".to_owned(), pose)?;
    let twist = Twist { velocity: finite("translation", translation)?, spin: finite("turn", turning)? };
    // The way takes one second, so that velocity is way and time is fraction.
    let motion = Prescribed::Uniform { start, twist };
    let way = swept_box_tight(&motion, &Extent::of_shape(shape, DVec3::ZERO), 0.0, 1.0);
    let mut best = ShapeCast::Clear;
    let mut reach = 1.0;
    for i in bodies.meeting(&way) {
        let item = &bodies.items()[i as usize];
        let pair = Shapes::new((shape, DVec3::ZERO), (&item.shape, DVec3::ZERO));
        let pair = pair.map_err(|source| bodies.refused(None, item.body, source))?;
        let mut pair = Afresh::new(pair);
        let search = first_contact(&mut pair, &motion, &Prescribed::Still(item.pose), 0.0, reach);
        let (found, fraction) = match search.meeting {
            Meeting::Apart => continue,
            Meeting::Touch { t, normal } => {
                let witness = witness(shape, &motion.pose(t), item);
                (ShapeCast::Hit(ShapeHit { body: item.body, fraction: t, normal, witness, depth: 0.0 }), t)
            }
            Meeting::Overlap { depth } => {
                let witness = witness(shape, &start, item);
                let normal = DVec3::ZERO;
                (ShapeCast::Hit(ShapeHit { body: item.body, fraction: 0.0, normal, witness, depth }), 0.0)
            }
            Meeting::Unknown { t } => (ShapeCast::Unknown { body: item.body, fraction: t }, t),
        };
        // Bodies come by id: a later one has to be nearer.
        if matches!(best, ShapeCast::Clear) || fraction < reach {
            (best, reach) = (found, fraction);
        }
        if reach <= 0.0 {
            break;
        }
    }
    Ok(best)
}

/// A pair of which small gaps are measured afresh.
///
/// A witness that is kept from one query to the next is right as long as it separates, but it may not be the best any more:
/// a gap that closes along it need not be a touch. So where it is nearly closed the best one is sought.
struct Afresh {
    shapes: Shapes,
    blank: Shapes,
}

/// Gaps below this, over the radii of the shapes and the coordinates, are measured afresh: far above the rounding below which
/// a gap counts as closed, and far below the gaps that a search spends its steps on.
const NEARLY_CLOSED: f64 = 1e-8;

impl Afresh {
    fn new(blank: Shapes) -> Self {
        Self { shapes: blank.clone(), blank }
    }
}

impl Pair for Afresh {
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap {
        let gap = self.shapes.gap(a, b);
        let sizes = [self.radius_a(), self.radius_b()].into_iter().filter(|radius| radius.is_finite());
        let coordinates = a.position.abs().max(b.position.abs()).max_element();
        if gap.separation > NEARLY_CLOSED * (sizes.sum::<f64>() + coordinates) {
            return gap;
        }
        self.shapes.clone_from(&self.blank);
        self.shapes.gap(a, b)
    }

    fn features(&self, a: &Pose, b: &Pose) -> Option<ContactId> {
        self.shapes.features(a, b)
    }

    fn reach_a(&self, direction_body: DVec3) -> f64 {
        self.shapes.reach_a(direction_body)
    }

    fn reach_b(&self, direction_body: DVec3) -> f64 {
        self.shapes.reach_b(direction_body)
    }

    fn furthest_a(&self, direction_body: DVec3) -> Option<DVec3> {
        self.shapes.furthest_a(direction_body)
    }

    fn furthest_b(&self, direction_body: DVec3) -> Option<DVec3> {
        self.shapes.furthest_b(direction_body)
    }

    fn radius_a(&self) -> f64 {
        self.shapes.radius_a()
    }

    fn radius_b(&self) -> f64 {
        self.shapes.radius_b()
    }
}

/// The features of the shape and of the body that are nearest, as the narrow phase sees them.
fn witness(shape: &Shape, pose: &Pose, item: &Item) -> Witness {
    let geometry = Geometry::new(shape);
    let probe = Placed { geometry: &geometry, pose: *pose };
    let found = separate(&probe, &item.placed(), &mut Witness::default(), &mut Statistics::default());
    found.map_or(Witness::Unknown, |found| found.witness)
}
