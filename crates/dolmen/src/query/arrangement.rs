//! The shapes of a world in their places.

use super::QueryError;
use super::target::Target;
use crate::broad_phase::{BroadPhase, Bvh, Choice, Filter, Pair, Statistics, box_around};
use crate::math::{Aabb, DVec3, Pose};
use crate::narrow_phase::{Geometry, Placed, UnsupportedPair};
use crate::shape::Shape;
use crate::world::{BodyId, World};

/// How far from 1 the length of a quaternion may be: room for the drift of an integration, not for a slip.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Rounding of a point that was turned and moved, over its coordinates: a dozen operations.
pub(super) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// One body's shape, prepared, and where its frame is.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub body: BodyId,
    pub shape: Shape,
    pub geometry: Geometry,
    pub target: Target,
    /// Of the shape's frame.
    pub pose: Pose,
    /// Of the shape's origin, from the centre of mass in the body's axes.
    origin: DVec3,
}

impl Item {
    pub(super) fn placed(&self) -> Placed<'_> {
        Placed { geometry: &self.geometry, pose: self.pose }
    }
}

/// The bodies of a world that have a shape, each in its place at an instant, with a tree of boxes over them.
///
/// Made once for a world; [`Arrangement::place`] moves everything on to another instant.
#[derive(Debug, Clone)]
pub struct Arrangement {
    /// In the order of ids.
    items: Vec<Item>,
    /// By body: its place in `items`.
    places: Vec<Option<u32>>,
    names: Vec<String>,
    boxes: Vec<Aabb>,
    tree: Bvh,
    /// Finds the pairs of [`overlaps`](super::overlaps); what the world asks for.
    pairs: Box<dyn BroadPhase>,
    filter: Filter,
}

impl Arrangement {
    /// The bodies of a world where they start.
    pub fn new(world: &World) -> Self {
        let mut arrangement = Self {
            items: Vec::new(),
            places: vec![None; world.bodies().len()],
            names: world.body_ids().map(|id| world.body_name(id)).collect(),
            boxes: Vec::new(),
            tree: Bvh::new(),
            pairs: Bvh::new().copy(),
            filter: Filter::new(),
        };
        for id in world.body_ids() {
            let body = world.body(id);
            let Some(shape) = body.shape() else { continue };
            let number = arrangement.items.len() as u32;
            arrangement.places[id.index()] = Some(number);
            arrangement.filter.set_groups(number, body.groups());
            arrangement.filter.set_immobile(number, !body.is_dynamic());
            let (start, origin) = (body.start_pose(), body.shape_origin());
            let start = Pose { orientation: start.orientation.normalize(), ..start };
            arrangement.items.push(Item {
                body: id,
                shape: shape.clone(),
                geometry: Geometry::new(shape),
                target: Target::new(shape),
                pose: shape_pose(&start, origin),
                origin,
            });
        }
        arrangement.refit();
        arrangement.set_broad_phase(world.broad_phase());
        arrangement
    }

    /// Finds pairs by this broad phase from now on; the answers do not depend on it.
    pub fn set_broad_phase(&mut self, choice: Choice) {
        self.pairs = choice.start(&self.boxes);
        self.pairs.update(&self.boxes, &self.filter);
    }

    /// Which broad phase finds pairs, and what its last update cost.
    pub fn broad_phase(&self) -> (&'static str, Statistics) {
        (self.pairs.method().name(), self.pairs.statistics())
    }

    /// Moves all bodies; `pose` gives that of the centre of mass of each, as a simulation does.
    ///
    /// # Errors
    /// When a pose is not finite or its quaternion not of unit length; then nothing has moved.
    pub fn place(&mut self, mut pose: impl FnMut(BodyId) -> Pose) -> Result<(), QueryError> {
        let mut poses = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let of = || format!("body {:?}", self.names[item.body.index()]);
            poses.push(shape_pose(&checked_pose("position of a body", of, &pose(item.body))?, item.origin));
        }
        for (item, pose) in self.items.iter_mut().zip(poses) {
            item.pose = pose;
        }
        self.refit();
        Ok(())
    }

    /// The pose of the frame of a body's shape; none for a body without a shape.
    pub fn shape_pose(&self, body: BodyId) -> Option<Pose> {
        self.item(body).ok().map(|item| item.pose)
    }

    fn refit(&mut self) {
        self.boxes.clear();
        self.boxes.extend(self.items.iter().map(|item| box_around(&item.shape, &item.pose)));
        self.tree.update(&self.boxes, &self.filter);
        self.pairs.update(&self.boxes, &self.filter);
    }

    /// Pairs that may collide and whose boxes meet, by their places in `items`.
    pub(super) fn pairs(&self) -> &[Pair] {
        self.pairs.pairs()
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    pub(super) fn tree(&self) -> &Bvh {
        &self.tree
    }

    pub(super) fn item(&self, body: BodyId) -> Result<&Item, QueryError> {
        match self.places.get(body.index()) {
            None => Err(QueryError::Stranger { index: body.index(), count: self.places.len() }),
            Some(None) => Err(QueryError::NoShape { body: self.names[body.index()].clone() }),
            Some(Some(place)) => Ok(&self.items[*place as usize]),
        }
    }

    /// The numbers of the items whose boxes meet `probe`, ascending.
    pub(super) fn meeting(&self, probe: &Aabb) -> Vec<u32> {
        let mut found = Vec::new();
        self.tree.visit_box(probe, |i| found.push(i));
        found.sort_unstable();
        found
    }

    /// The refusal of a pair, `None` being the shape that is asked about.
    pub(super) fn refused(&self, a: Option<BodyId>, b: BodyId, source: UnsupportedPair) -> QueryError {
        let name = |id: BodyId| format!("body {:?}", self.names[id.index()]);
        QueryError::Pair { a: a.map_or_else(|| "the shape".to_owned(), name), b: name(b), source }
    }
}

/// The pose of a shape's frame, from that of its body with a unit quaternion.
fn shape_pose(body: &Pose, origin: DVec3) -> Pose {
    Pose { position: body.point(origin), orientation: body.orientation }
}

/// A pose of finite numbers, its quaternion made a unit to the last bit.
pub(super) fn checked_pose(
    what: &'static str,
    of: impl Fn() -> String,
    pose: &Pose,
) -> Result<Pose, QueryError> {
    super::finite(what, pose.position)?;
    let length = pose.orientation.length();
    if !(1.0 - UNIT_TOLERANCE..=1.0 + UNIT_TOLERANCE).contains(&length) {
        return Err(QueryError::Orientation { of: of(), length });
    }
    Ok(Pose { position: pose.position, orientation: pose.orientation.normalize() })
}
