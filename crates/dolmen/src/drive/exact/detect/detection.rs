//! Broad phase in continuous time: which pairs may touch next, and when.
//!
//! Every body has a *fat AABB*: a box around all positions that it can reach until the box expires. When a body gets a
//! new fat AABB, the tree finds the boxes that overlap it. The driver searches every such pair from now to the earlier
//! expiry of the two boxes. When a box expires, its body gets a new one and the tree finds the pair again. So every
//! pair is searched over every interval in which it can touch, and bodies elsewhere cost nothing.

use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::sync::Arc;

use crate::broad_phase::{DynamicTree, Groups, swept_box};
use crate::drive::exact::detect::ball_contact;
use crate::drive::exact::detect::collider::Collider;
use crate::drive::exact::detect::fat_aabb::{FatAabb, fat_aabb_end, turn_end};
use crate::drive::exact::detect::first_contact::{Found, first_meeting};
use crate::drive::exact::detect::parabola::{Ball, CachedBall, Path, balls_meet, near_times};
use crate::drive::exact::detect::tolerances::{MAX_COORDINATE, MAX_WITNESSES_PER_BODY};
use crate::drive::exact::island::track::BodyMotion;
use crate::drive::exact::queue::{EventQueue, Task};
use crate::locate::Bodies;
use crate::math::{Aabb, DVec3, Pose, work};
use crate::motion::Motion;
use crate::narrow_phase::{Contact, Statistics, UnsupportedPair, Witness, separate_within};
use crate::world::World;

/// The current motions of all bodies; what detection asks of the driver.
pub(crate) trait Motions {
    /// The motion of a body, and until when it is known.
    fn motion(&self, body: u32) -> (BodyMotion<'_>, f64);

    /// Whether two bodies are in the same time step, or one is in a time step and the other is fixed. The step itself
    /// handles all pairs that may touch within it.
    fn step_together(&self, bodies: [u32; 2]) -> bool;

    /// Whether both bodies are at rest or fixed: nothing happens between them until one is disturbed.
    fn are_at_rest(&self, bodies: [u32; 2]) -> bool;
}

/// What a search for contacts reads and writes besides detection itself.
pub(crate) struct Searching<'a> {
    pub(crate) motions: &'a dyn Motions,
    pub(crate) queue: &'a mut EventQueue,
    pub(crate) scratch: &'a mut DetectionScratch,
}

impl Searching<'_> {
    fn reborrow(&mut self) -> Searching<'_> {
        Searching { motions: self.motions, queue: self.queue, scratch: self.scratch }
    }
}

/// The collision filter of a body, kept apart from its shape because every candidate reads it.
#[derive(Debug, Clone, Copy)]
struct CollisionFilter {
    groups: Groups,
    is_mobile: bool,
    is_point: bool,
}

impl CollisionFilter {
    fn of(collider: Option<&Collider>) -> Self {
        collider.map_or(Self { groups: Groups::NONE, is_mobile: false, is_point: false }, |collider| Self {
            groups: collider.groups,
            is_mobile: collider.is_mobile,
            is_point: collider.is_point(),
        })
    }

    /// Whether two bodies may touch at all.
    fn meets(self, other: Self) -> bool {
        let (some_move, are_points) = (self.is_mobile || other.is_mobile, self.is_point && other.is_point);
        some_move && !are_points && self.groups.meets(other.groups)
    }
}

/// A pair that touches without a contact force; valid while neither body changes its motion.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Idle {
    versions: [u32; 2],
    slack: f64,
}

/// A pair of shapes that the narrow phase does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsupported {
    pub(crate) bodies: [u32; 2],
    pub(crate) pair: UnsupportedPair,
}

/// Counters of detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DetectionStatistics {
    /// Fat AABBs computed.
    pub fat_aabbs: u64,
    /// Pairs searched for their first contact.
    pub searches: u64,
    /// How the separations of pairs were found.
    pub separations: Statistics,
}

/// What detection takes from the world: shapes, filters, and the pairs that joints connect. Never changes.
#[derive(Debug, Default)]
pub(crate) struct Geometry {
    colliders: Vec<Option<Collider>>,
    filters: Vec<CollisionFilter>,
    /// Whether every body may collide with every dynamic one: then no filter need be read.
    is_open: bool,
    has_points: bool,
    gravity: DVec3,
    /// Bodies without a finite box: infinite planes.
    boundless: Vec<u32>,
    /// Pairs that a joint connects: they never collide.
    jointed: BTreeSet<[u32; 2]>,
}

impl Geometry {
    pub(crate) fn new(world: &World) -> Self {
        let colliders = Collider::all(world);
        let infinite = |c: &Option<Collider>| c.as_ref().is_some_and(|c| c.radius == f64::INFINITY);
        let boundless = (0..colliders.len() as u32).filter(|i| infinite(&colliders[*i as usize])).collect();
        Self {
            filters: colliders.iter().map(|collider| CollisionFilter::of(collider.as_ref())).collect(),
            is_open: colliders
                .iter()
                .flatten()
                .all(|collider| collider.groups == Groups::ALL && !collider.is_point()),
            has_points: colliders.iter().flatten().any(Collider::is_point),
            gravity: world.gravity(),
            boundless,
            jointed: world.jointed_pairs().iter().map(|pair| pair.map(|id| id.index() as u32)).collect(),
            colliders,
        }
    }

    /// Whether the witness of a pair is its state and not only a shortcut: of a point that touches a plane with two sides, rounding alone
    /// would choose on which side it is.
    fn has_side(&self, bodies: [u32; 2]) -> bool {
        let [point, plane] =
            if self.filters[bodies[0] as usize].is_point { bodies } else { [bodies[1], bodies[0]] };
        self.filters[point as usize].is_point
            && self.colliders[plane as usize].as_ref().is_some_and(Collider::is_two_sided)
    }
}

/// Buffers of detection, and pairs of composite bodies as prepared for searches.
#[derive(Debug, Clone, Default)]
pub(crate) struct DetectionScratch {
    parts: BTreeMap<[u32; 2], Bodies>,
    /// The neighbours of one body, and of a second one beside it.
    found: [Vec<u32>; 2],
    open: Vec<u32>,
}

/// The fat AABBs of all bodies, and what is known of pairs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Detection {
    /// From the world: not saved, and set again after a restore.
    #[serde(skip)]
    geometry: Arc<Geometry>,
    fat_aabbs: Vec<FatAabb>,
    /// One for each body; it changes whenever the motion of the body changes, which invalidates what was found before.
    /// Apart from the fat AABBs, because every task of the event queue reads it.
    versions: Vec<u32>,
    /// Balls on parabolas, valid as long as their fat AABBs.
    balls: Vec<CachedBall>,
    tree: DynamicTree,
    /// The fat AABBs of points, which meet no other points: apart, so that thousands of them do not find each other.
    point_tree: DynamicTree,
    witnesses: BTreeMap<[u32; 2], Witness>,
    /// Witnesses of pairs with a composite body, for the whole shapes.
    part_witnesses: BTreeMap<[u32; 2], Witness>,
    /// Pairs that touch without force, and the overlap at which a search reports them again, m.
    idle: BTreeMap<[u32; 2], Idle>,
    /// Pairs with active contact constraints.
    resting: BTreeSet<[u32; 2]>,
    /// Pairs that overlapped at the start; ignored until they separate.
    ignored: Vec<[u32; 2]>,
    pub(crate) statistics: DetectionStatistics,
}

impl Detection {
    pub(crate) fn new(world: &World) -> Self {
        let geometry = Geometry::new(world);
        let count = geometry.colliders.len();
        Self {
            geometry: Arc::new(geometry),
            fat_aabbs: vec![FatAabb::FIRST; count],
            versions: vec![0; count],
            balls: vec![CachedBall::NONE; count],
            tree: DynamicTree::new(),
            point_tree: DynamicTree::new(),
            witnesses: BTreeMap::new(),
            part_witnesses: BTreeMap::new(),
            idle: BTreeMap::new(),
            resting: BTreeSet::new(),
            ignored: Vec::new(),
            statistics: DetectionStatistics::default(),
        }
    }

    /// Takes the shapes of the world again, after a restore.
    pub(crate) fn set_geometry(&mut self, world: &World) {
        self.geometry = Arc::new(Geometry::new(world));
    }

    /// Whether it belongs to a world with so many bodies.
    pub(crate) fn is_of(&self, bodies: usize) -> bool {
        [self.fat_aabbs.len(), self.versions.len(), self.balls.len()].iter().all(|count| *count == bodies)
    }

    /// That what it points at exists, once its shapes are set.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let bodies = self.versions.len();
        if ![&self.tree, &self.point_tree].iter().all(|tree| tree.is_sound(bodies)) {
            return Err("a tree of fat AABBs is none");
        }
        let tree = |body: usize| {
            if self.geometry.filters[body].is_point { &self.point_tree } else { &self.tree }
        };
        let is_in = |(body, fat_aabb): (usize, &FatAabb)| {
            fat_aabb.leaf.is_none_or(|leaf| tree(body).has(leaf, body as u32))
        };
        if !self.fat_aabbs.iter().enumerate().all(is_in) {
            return Err("a fat AABB is in no tree");
        }
        let of_maps = self.witnesses.keys().chain(self.part_witnesses.keys()).chain(self.idle.keys());
        let mut pairs = of_maps.chain(&self.resting).chain(&self.ignored);
        if !pairs.all(|[a, b]| a < b && (*b as usize) < bodies) {
            return Err("a pair of detection has no such bodies");
        }
        // Half of the range of versions is far from its end.
        let is_far = self.versions.iter().all(|version| *version <= u32::MAX / 2);
        if is_far { Ok(()) } else { Err("a version of a motion is out of range") }
    }

    /// Whether a body has had no fat AABB yet: nothing was found about it.
    pub(crate) fn has_no_fat_aabb(&self, body: u32) -> bool {
        self.fat_aabbs[body as usize].until == f64::NEG_INFINITY
    }

    /// Whether there is nothing to detect.
    pub(crate) fn is_off(&self) -> bool {
        self.geometry.colliders.iter().all(Option::is_none)
    }

    pub(crate) fn collider(&self, body: u32) -> Option<&Collider> {
        self.geometry.colliders[body as usize].as_ref()
    }

    pub(crate) fn version(&self, body: u32) -> u32 {
        self.versions[body as usize]
    }

    /// Whether a body is dynamic and has a shape.
    pub(crate) fn is_mobile(&self, body: u32) -> bool {
        self.geometry.filters[body as usize].is_mobile
    }

    /// Whether a task is stale, as far as the versions of bodies tell.
    pub(crate) fn is_void(&self, task: &Task) -> bool {
        match task {
            Task::Contact { bodies, versions } | Task::Search { bodies, versions } => {
                (0..2).any(|i| self.version(bodies[i]) != versions[i])
            }
            Task::Refit { body, version } => self.version(*body) != *version,
            Task::Step { .. } | Task::Guard { .. } => false,
        }
    }

    /// Invalidates everything that was found about a body: its motion has changed.
    pub(crate) fn forget(&mut self, body: u32) {
        self.versions[body as usize] += 1;
        self.balls[body as usize] = CachedBall::NONE;
    }

    /// Whether the contacts of a pair have closed forms. These do not find a contact that has just separated.
    pub(crate) fn is_simple(&self, bodies: [u32; 2]) -> bool {
        bodies.into_iter().all(|body| self.collider(body).is_none_or(Collider::is_simple))
    }

    /// The witness of a pair: the side of a plane, or the nearest features.
    pub(crate) fn witness(&self, bodies: [u32; 2]) -> Witness {
        self.witnesses.get(&bodies).copied().unwrap_or_default()
    }

    /// Stores the nearest features of two bounded bodies. The side of a plane is for searches to store.
    pub(crate) fn remember_planes(&mut self, bodies: [u32; 2], witness: Witness) {
        let is_bounded = |body: &u32| self.collider(*body).is_some_and(|collider| !collider.is_plane());
        if matches!(witness, Witness::Plane { .. }) && bodies.iter().all(is_bounded) {
            self.remember(bodies, witness);
        }
    }

    /// The contact of two balls, or of a ball and an infinite plane, at these poses; none for other pairs.
    pub(crate) fn ball_contact(&self, bodies: [u32; 2], poses: [&Pose; 2]) -> Option<Contact> {
        let [Some(a), Some(b)] = bodies.map(|body| self.collider(body)) else { return None };
        let has_side = self.geometry.has_points && self.geometry.has_side(bodies);
        let witness = if has_side { self.witness(bodies) } else { Witness::Unknown };
        ball_contact::contact([a, b], poses, witness)
    }

    /// Stores the witness of a pair.
    pub(crate) fn remember(&mut self, bodies: [u32; 2], witness: Witness) {
        if self.witnesses.len() > MAX_WITNESSES_PER_BODY * self.geometry.colliders.len() {
            let geometry = &self.geometry;
            self.witnesses.retain(|pair, _| geometry.has_side(*pair));
        }
        self.witnesses.insert(bodies, witness);
    }

    /// Drops the witnesses of a body that was put elsewhere: the sides of planes that they tell are those of another place.
    pub(crate) fn forget_witnesses(&mut self, body: u32) {
        self.witnesses.retain(|pair, _| !pair.contains(&body));
        self.part_witnesses.retain(|pair, _| !pair.contains(&body));
    }

    /// Marks a pair that touches without force.
    pub(crate) fn set_idle(&mut self, bodies: [u32; 2], slack: f64) {
        if self.idle.len() > MAX_WITNESSES_PER_BODY * self.geometry.colliders.len() {
            self.idle.clear();
        }
        let versions = bodies.map(|body| self.version(body));
        self.idle.insert(bodies, Idle { versions, slack });
    }

    /// Marks a pair whose contact constraints are active: its contacts are known and not searched for.
    pub(crate) fn set_resting(&mut self, bodies: [u32; 2], resting: bool) {
        if resting {
            self.resting.insert(bodies);
        } else {
            self.resting.remove(&bodies);
        }
    }

    /// Ignores a pair until it separates.
    pub(crate) fn ignore_until_apart(&mut self, bodies: [u32; 2]) {
        self.ignored.push(bodies);
    }

    /// Refits the fat AABBs of these bodies, ascending, from time `t` on, and finds which others they may touch.
    pub(crate) fn refit(&mut self, bodies: &[u32], t: f64, with: Searching) -> Result<(), Unsupported> {
        let Searching { motions, queue, scratch } = with;
        for &body in bodies {
            self.set_fat_aabb(body, t, motions, queue);
        }
        debug_assert!(bodies.is_sorted(), "the bodies {bodies:?} are not in ascending order");
        let mut found = std::mem::take(&mut scratch.found);
        let searched = self.search_around_all(bodies, t, Searching { motions, queue, scratch }, &mut found);
        scratch.found = found;
        searched
    }

    /// Searches all pairs of these bodies, ascending, from `t` on.
    fn search_around_all(
        &mut self,
        bodies: &[u32],
        t: f64,
        mut with: Searching,
        found: &mut [Vec<u32>; 2],
    ) -> Result<(), Unsupported> {
        // Two bodies that have just met are near each other, and share most of their neighbours: one query serves both.
        if let [a, b] = *bodies
            && !self.geometry.has_points
            && let [Some(leaf_a), Some(leaf_b)] = [a, b].map(|body| self.fat_aabbs[body as usize].leaf)
        {
            let boxes = [leaf_a, leaf_b].map(|leaf| self.tree.bounds(leaf));
            self.neighbours_of_both([a, b], [&boxes[0], &boxes[1]], found, &mut with.scratch.open);
            self.search_around((a, &[]), t, with.reborrow(), &found[0])?;
            return self.search_around((b, &[a]), t, with, &found[1]);
        }
        for k in 0..bodies.len() {
            self.overlapping(bodies[k], &mut found[0], &mut with.scratch.open);
            self.search_around((bodies[k], &bodies[..k]), t, with.reborrow(), &found[0])?;
        }
        Ok(())
    }

    /// Computes the box and the expiry of a new fat AABB.
    fn set_fat_aabb(&mut self, body: u32, t: f64, motions: &dyn Motions, queue: &mut EventQueue) {
        let Some(collider) = &self.geometry.colliders[body as usize] else { return };
        let (motion, known_until) = motions.motion(body);
        let version = self.version(body);
        let fat_aabb = &mut self.fat_aabbs[body as usize];
        self.statistics.fat_aabbs += 1;
        // A fat AABB always expires later than it begins, if only by the resolution of time.
        fat_aabb.set_horizon(t);
        let reach = (fat_aabb.travel * collider.stride(), fat_aabb.horizon);
        let end = fat_aabb_end(&motion, reach, t).min(turn_end(&motion, collider, t));
        let end = end.max(t.next_up());
        let until = end.min(known_until);
        (fat_aabb.from, fat_aabb.until) = (t, until);
        // Within a time step the step itself finds contacts, not the parabola.
        let ball = collider.ball.filter(|_| !motions.step_together([body; 2]));
        let ball = ball.and_then(|radius| Path::of(&motion).map(|path| Ball { radius, path }));
        self.balls[body as usize] =
            ball.map_or(CachedBall::NONE, |ball| CachedBall::new(&ball, self.geometry.gravity));
        // Where its motion ends, the code that continues the motion also makes the next fat AABB.
        if until > t {
            fat_aabb.horizon = until - t;
            queue.add(until, Task::Refit { body, version });
        }
        if collider.radius == f64::INFINITY {
            return;
        }
        let bounds = motion.bounds(t, until);
        let swept = swept_box(&bounds, collider.radius);
        // The driver rejects bodies beyond the range of numbers. An infinite box would spoil the tree.
        let (far, near) = (DVec3::splat(MAX_COORDINATE), DVec3::splat(-MAX_COORDINATE));
        let swept = Aabb { min: swept.min.max(near), max: swept.max.min(far) };
        let tree = if collider.is_point() { &mut self.point_tree } else { &mut self.tree };
        match fat_aabb.leaf {
            Some(leaf) => tree.replace(leaf, swept),
            None => fat_aabb.leaf = Some(tree.insert(swept, body)),
        }
    }

    /// Searches the pairs of a body with its neighbours from `t` on, except those already searched, ascending.
    fn search_around(
        &mut self,
        (body, searched): (u32, &[u32]),
        t: f64,
        mut with: Searching,
        found: &[u32],
    ) -> Result<(), Unsupported> {
        if self.geometry.colliders[body as usize].is_none() {
            return Ok(());
        }
        let mut count = 0;
        let mut outcome = Ok(());
        for &other in found {
            if other < body && searched.binary_search(&other).is_ok() {
                continue;
            }
            count += 1;
            outcome = self.search([body.min(other), body.max(other)], t, with.reborrow());
            if outcome.is_err() || work::is_over() {
                break;
            }
        }
        self.fat_aabbs[body as usize].adapt(count);
        outcome
    }

    /// Reads something of everything stored about a body, to bring it into the cache.
    pub(crate) fn prefetch(&self, body: u32) {
        let fat_aabb = &self.fat_aabbs[body as usize];
        let radius = self.collider(body).map(|collider| collider.radius);
        black_box((radius, fat_aabb.until, self.balls[body as usize].ball(self.geometry.gravity).is_some()));
        black_box(self.start_box(body).map(|around| around.min.x));
    }

    /// Adds the infinite planes that a box reaches, and those that move.
    fn add_planes(&self, bounds: &Aabb, found: &mut Vec<u32>) {
        for &body in &self.geometry.boundless {
            let collider = self.geometry.colliders[body as usize].as_ref();
            if collider
                .and_then(|collider| collider.world_plane.as_ref())
                .is_none_or(|world_plane| world_plane.reaches(bounds))
            {
                found.push(body);
            }
        }
    }

    /// All bodies that this one may touch while both fat AABBs are valid, in ascending order.
    fn overlapping(&self, body: u32, found: &mut Vec<u32>, open: &mut Vec<u32>) {
        found.clear();
        if self.geometry.colliders[body as usize].is_none() {
            return;
        }
        match self.start_box(body) {
            Some(bounds) => {
                self.meet(body, &bounds, found, open);
                self.add_planes(&bounds, found);
            }
            None => found.extend(0..self.geometry.colliders.len() as u32),
        }
        self.retain_colliding(body, found);
    }

    /// Fills `found` with the bodies whose fat AABBs a box around `body` meets, in ascending order; points do not find points.
    fn meet(&self, body: u32, around: &Aabb, found: &mut Vec<u32>, open: &mut Vec<u32>) {
        self.tree.meet(around, found, open);
        if self.geometry.has_points && !self.geometry.filters[body as usize].is_point {
            let mut points = Vec::new();
            self.point_tree.meet(around, &mut points, open);
            found.extend(points);
            found.sort_unstable();
        }
    }

    /// Drops the body itself and all bodies that the filter or a joint excludes.
    fn retain_colliding(&self, body: u32, found: &mut Vec<u32>) {
        let own = self.geometry.filters[body as usize];
        if self.geometry.is_open && own.is_mobile {
            found.retain(|other| *other != body);
        } else {
            found.retain(|other| *other != body && own.meets(self.geometry.filters[*other as usize]));
        }
        if !self.geometry.jointed.is_empty() {
            found.retain(|other| !self.geometry.jointed.contains(&[body.min(*other), body.max(*other)]));
        }
    }

    /// All pairs that may touch now, in ascending order; without those that overlapped at the start and have not separated.
    pub(crate) fn near_pairs(&self) -> Vec<[u32; 2]> {
        let (mut pairs, mut found, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for body in 0..self.fat_aabbs.len() as u32 {
            if self.fat_aabbs[body as usize].leaf.is_none() {
                continue;
            }
            self.overlapping(body, &mut found, &mut open);
            let is_own = |other: &u32| *other > body || self.fat_aabbs[*other as usize].leaf.is_none();
            pairs.extend(found.iter().filter(|other| is_own(other)).map(|o| [body.min(*o), body.max(*o)]));
        }
        pairs.retain(|pair| !self.ignored.contains(pair));
        pairs.sort_unstable();
        pairs
    }

    /// All pairs of an infinite plane and a body that it stops, in this order.
    pub(crate) fn plane_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        let mut found = Vec::new();
        for &plane in &self.geometry.boundless {
            found.clear();
            found.extend(0..self.fat_aabbs.len() as u32);
            self.retain_colliding(plane, &mut found);
            let is_stopped = |body: &&u32| {
                self.is_mobile(**body) && !self.ignored.contains(&[plane.min(**body), plane.max(**body)])
            };
            pairs.extend(found.iter().filter(is_stopped).map(|body| [plane, *body]));
        }
        pairs
    }

    /// Inserts a body at its start, before it has a fat AABB.
    pub(crate) fn insert_at_start(&mut self, body: u32, around: Aabb) {
        let is_point = self.geometry.filters[body as usize].is_point;
        let tree = if is_point { &mut self.point_tree } else { &mut self.tree };
        self.fat_aabbs[body as usize].leaf = Some(tree.insert(around, body));
    }

    /// The box of a body; none for a body without one.
    pub(crate) fn start_box(&self, body: u32) -> Option<Aabb> {
        let is_point = self.geometry.filters[body as usize].is_point;
        let tree = if is_point { &self.point_tree } else { &self.tree };
        self.fat_aabbs[body as usize].leaf.map(|leaf| tree.bounds(leaf))
    }

    /// All bodies that may touch this one now.
    pub(crate) fn neighbours(&self, body: u32, around: &Aabb, found: &mut Vec<u32>, open: &mut Vec<u32>) {
        self.meet(body, around, found, open);
        self.add_planes(around, found);
        self.retain_colliding(body, found);
    }

    /// The same for two bodies that are near each other.
    pub(crate) fn neighbours_of_both(
        &self,
        bodies: [u32; 2],
        around: [&Aabb; 2],
        found: &mut [Vec<u32>; 2],
        open: &mut Vec<u32>,
    ) {
        let [found_a, found_b] = found;
        if self.geometry.has_points {
            self.meet(bodies[0], around[0], found_a, open);
            self.meet(bodies[1], around[1], found_b, open);
        } else {
            self.tree.meet_both(around, [found_a, found_b], open);
        }
        for k in 0..2 {
            self.add_planes(around[k], &mut found[k]);
            self.retain_colliding(bodies[k], &mut found[k]);
        }
    }

    /// The ball of a body, if it is on a parabola.
    #[inline]
    fn ball(&self, body: u32) -> Option<Ball> {
        self.balls[body as usize].ball(self.geometry.gravity)
    }

    /// Whether two balls on parabolas are more than `margin` apart at `t`; false where that is unknown.
    pub(crate) fn are_balls_apart(&self, [a, b]: [u32; 2], t: f64, margin: f64) -> bool {
        let (Some(a), Some(b)) = (self.ball(a), self.ball(b)) else { return false };
        a.path.at(t).0.distance(b.path.at(t).0) > a.radius + b.radius + margin
    }

    /// When two balls on parabolas first touch from `t` on: infinite if never, none where that is unknown.
    #[inline]
    fn balls_meet(&self, [a, b]: [u32; 2], t: f64, slack: f64) -> Option<f64> {
        balls_meet(&self.ball(a)?, &self.ball(b)?, t, slack)
    }

    /// The overlap at which a search reports a pair that touches without force, m.
    fn idle_slack(&self, bodies: [u32; 2]) -> f64 {
        let idle = if self.idle.is_empty() { None } else { self.idle.get(&bodies) };
        let idle = idle.filter(|idle| idle.versions == bodies.map(|body| self.version(body)));
        idle.map_or(0.0, |idle| idle.slack)
    }

    /// Searches one pair from `t` to the earlier expiry of its fat AABBs.
    pub(crate) fn search(&mut self, bodies: [u32; 2], t: f64, with: Searching) -> Result<(), Unsupported> {
        let Searching { motions, queue, scratch } = with;
        if !self.resting.is_empty() && self.resting.contains(&bodies) {
            return Ok(());
        }
        let [a, b] = bodies;
        let slack = self.idle_slack(bodies);
        let root = if self.ignored.is_empty() { self.balls_meet(bodies, t, slack) } else { None };
        // Most balls never meet: for those nothing else is read.
        if root == Some(f64::INFINITY) {
            self.statistics.searches += 1;
            return Ok(());
        }
        let until = self.fat_aabbs[a as usize].until.min(self.fat_aabbs[b as usize].until);
        if until <= t {
            return Ok(());
        }
        let versions = [self.version(a), self.version(b)];
        if let Some(root) = root {
            self.statistics.searches += 1;
            if root <= until {
                queue.add(root, Task::Contact { bodies, versions });
            }
            return Ok(());
        }
        if motions.step_together(bodies) || motions.are_at_rest(bodies) {
            return Ok(());
        }
        let (Some(collider_a), Some(collider_b)) =
            (&self.geometry.colliders[a as usize], &self.geometry.colliders[b as usize])
        else {
            return Ok(());
        };
        let ((motion_a, _), (motion_b, _)) = (motions.motion(a), motions.motion(b));
        if let Some(k) = self.ignored.iter().position(|pair| *pair == bodies) {
            let (placed_a, placed_b) =
                (collider_a.placed(&motion_a.pose(t)), collider_b.placed(&motion_b.pose(t)));
            let placed = (&placed_a, &placed_b);
            let found = separate_within(0.0, placed, &mut Witness::Unknown, &mut Statistics::default());
            if found.map_err(|pair| Unsupported { bodies, pair })?.is_some() {
                return Ok(());
            }
            self.ignored.remove(k);
        }
        // Most overlapping fat AABBs belong to bodies that pass by each other: their bounding spheres tell when they
        // may touch.
        let Some((t, until)) = near([collider_a, collider_b], [&motion_a, &motion_b], (t, until)) else {
            return Ok(());
        };
        self.statistics.searches += 1;
        // Closed forms need no witness, but for the side on which a point is.
        let is_simple = collider_a.is_simple() && collider_b.is_simple();
        let has_side = is_simple && self.geometry.has_points && self.geometry.has_side(bodies);
        let mut witness = if is_simple && !has_side {
            Witness::Unknown
        } else {
            self.witnesses.get(&bodies).copied().unwrap_or_default()
        };
        let parts = &mut scratch.parts;
        let mut bodies_of_parts = if collider_a.is_composite() || collider_b.is_composite() {
            let prepare = || Bodies::new(collider_a.shape_and_origin(), collider_b.shape_and_origin());
            Some(match parts.entry(bodies) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(prepare().map_err(|pair| Unsupported { bodies, pair })?),
            })
        } else {
            None
        };
        let found = first_meeting(
            [collider_a, collider_b],
            [&motion_a, &motion_b],
            (t, until),
            slack,
            (&mut witness, &mut self.statistics.separations),
            bodies_of_parts.as_deref_mut(),
        );
        if let Some(prepared) = bodies_of_parts {
            self.part_witnesses.insert(bodies, prepared.witness());
        }
        if !is_simple || has_side {
            self.remember(bodies, witness);
        }
        match found.map_err(|pair| Unsupported { bodies, pair })? {
            Found::Nothing => {}
            Found::Touch(at) => queue.add(at, Task::Contact { bodies, versions }),
            Found::Until(at) => queue.add(at.max(t.next_up()), Task::Search { bodies, versions }),
            Found::Overlap(_) => queue.add(t, Task::Contact { bodies, versions }),
        }
        Ok(())
    }
}

/// The part of an interval in which the bounding spheres of two bodies on parabolas overlap; none if never. The whole
/// interval where that is unknown, and for infinite planes.
fn near(colliders: [&Collider; 2], motions: [&BodyMotion; 2], (t, until): (f64, f64)) -> Option<(f64, f64)> {
    let reach = colliders[0].radius + colliders[1].radius;
    let [Some(p), Some(q)] = motions.map(Path::of) else { return Some((t, until)) };
    if reach == f64::INFINITY {
        return Some((t, until));
    }
    let (from, to) = near_times(&p, &q, t, reach)?;
    let (from, to) = (from.max(t), to.min(until));
    (from <= to).then_some((from, to))
}
