//! Which bodies may touch next, each with a clock of its own.
//!
//! A body has a *fat AABB*: a box around everywhere that it can be until the fat AABB ends. When a fat AABB is made, the tree of
//! covers says which others it meets, and every such pair is searched from now to the earlier end of the two covers. When
//! that fat AABB ends, its body is covered anew and meets the other again. So every pair is searched over every interval in
//! which it could touch, and nothing happens to bodies that are elsewhere.

use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::sync::Arc;

use crate::broad_phase::{DynamicTree, Groups, swept_box};
use crate::drive::exact::detect::collider::Collider;
use crate::drive::exact::detect::fat_aabb::{FatAabb, fat_aabb_end, turn_end};
use crate::drive::exact::detect::first_contact::{Found, first_meeting};
use crate::drive::exact::detect::parabola::{Ball, CachedBall, Path, balls_meet, near_times};
use crate::drive::exact::island::track::BodyMotion;
use crate::drive::exact::queue::{EventQueue, Task};
use crate::locate::Bodies;
use crate::math::{Aabb, DVec3};
use crate::motion::Motion;
use crate::narrow_phase::{Statistics, UnsupportedPair, Witness, separate_within};
use crate::world::World;

/// The motions that bodies are on; what detection asks of the driver.
pub(crate) trait Motions {
    /// The motion of a body and how long it is known.
    fn motion(&self, body: u32) -> (BodyMotion<'_>, f64);

    /// Whether two bodies take one time step, or one of them does and the other stands still: all pairs
    /// that may touch within it are in it.
    fn step_together(&self, bodies: [u32; 2]) -> bool;

    /// Whether neither of two moves, for good: until one of them is disturbed nothing becomes of them.
    fn stand_still(&self, bodies: [u32; 2]) -> bool;
}

/// What a search for contacts reads and fills, besides detection itself.
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

/// Whom a body meets, apart from its shape: read for every candidate.
#[derive(Debug, Clone, Copy)]
struct CollisionFilter {
    groups: Groups,
    is_mobile: bool,
}

impl CollisionFilter {
    fn of(collider: Option<&Collider>) -> Self {
        collider.map_or(Self { groups: Groups::NONE, is_mobile: false }, |collider| Self {
            groups: collider.groups,
            is_mobile: collider.is_mobile,
        })
    }

    /// Whether two bodies may touch at all.
    fn meets(self, other: Self) -> bool {
        (self.is_mobile || other.is_mobile) && self.groups.meets(other.groups)
    }
}

/// A pair that touches and is not pressed together, as long as neither changes its motion.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Idle {
    versions: [u32; 2],
    slack: f64,
}

/// A pair that has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsupported {
    pub(crate) bodies: [u32; 2],
    pub(crate) pair: UnsupportedPair,
}

/// What detection has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DetectionStatistics {
    /// Covers made.
    pub fat_aabbs: u64,
    /// Pairs searched for their first contact.
    pub searches: u64,
    /// How the separations of pairs were found.
    pub separations: Statistics,
}

/// What detection takes from the world: shapes, filters, and which pairs joints hold together. Never changes.
#[derive(Debug, Default)]
pub(crate) struct Geometry {
    colliders: Vec<Option<Collider>>,
    filters: Vec<CollisionFilter>,
    /// Whether every body meets any that moves: then no filter need be read.
    is_open: bool,
    gravity: DVec3,
    /// Bodies without a box: infinite planes.
    boundless: Vec<u32>,
    /// Pairs that a joint holds together: they never collide.
    jointed: BTreeSet<[u32; 2]>,
}

impl Geometry {
    pub(crate) fn new(world: &World) -> Self {
        let colliders = Collider::all(world);
        let infinite = |c: &Option<Collider>| c.as_ref().is_some_and(|c| c.radius == f64::INFINITY);
        let boundless = (0..colliders.len() as u32).filter(|i| infinite(&colliders[*i as usize])).collect();
        Self {
            filters: colliders.iter().map(|collider| CollisionFilter::of(collider.as_ref())).collect(),
            is_open: colliders.iter().flatten().all(|collider| collider.groups == Groups::ALL),
            gravity: world.gravity(),
            boundless,
            jointed: world.joined_pairs().iter().map(|pair| pair.map(|id| id.index() as u32)).collect(),
            colliders,
        }
    }
}

/// Buffers of detection, and pairs of bodies of several parts as they are prepared for searches.
#[derive(Debug, Clone, Default)]
pub(crate) struct DetectionScratch {
    parts: BTreeMap<[u32; 2], Bodies>,
    /// Which bodies one meets, and another beside it.
    found: [Vec<u32>; 2],
    open: Vec<u32>,
}

/// Fat AABBs of all bodies and what is known of pairs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Detection {
    /// From the world: not saved, and set again.
    #[serde(skip)]
    geometry: Arc<Geometry>,
    fat_aabbs: Vec<FatAabb>,
    /// One for each body, which changes whenever its motion does: what was found before is void. Apart from the fat AABBs, as
    /// they are read for every task of the event queue, of bodies anywhere.
    versions: Vec<u32>,
    /// Balls that are on parabolas, as long as their fat AABBs stand.
    balls: Vec<CachedBall>,
    tree: DynamicTree,
    witnesses: BTreeMap<[u32; 2], Witness>,
    /// Witnesses of pairs of which one body has several parts, of the whole shapes.
    part_witnesses: BTreeMap<[u32; 2], Witness>,
    /// Pairs that touch without force, and how deep they may come to overlap before that counts, m.
    idle: BTreeMap<[u32; 2], Idle>,
    /// Pairs with contacts that carry force.
    resting: BTreeSet<[u32; 2]>,
    /// Pairs that overlapped at the start and may pass through each other until they are apart.
    passing: Vec<[u32; 2]>,
    pub(crate) statistics: DetectionStatistics,
}

/// No box reaches further, so that the surface of any two together is a number.
const FARTHEST: f64 = 1e150;
/// Witnesses of pairs long gone are dropped when there are this many for each body.
const WITNESSES: usize = 64;

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
            witnesses: BTreeMap::new(),
            part_witnesses: BTreeMap::new(),
            idle: BTreeMap::new(),
            resting: BTreeSet::new(),
            passing: Vec::new(),
            statistics: DetectionStatistics::default(),
        }
    }

    /// Takes over the shapes of the world, after it was read back.
    pub(crate) fn set_geometry(&mut self, world: &World) {
        self.geometry = Arc::new(Geometry::new(world));
    }

    /// Whether it is of a world with so many bodies.
    pub(crate) fn is_of(&self, bodies: usize) -> bool {
        [self.fat_aabbs.len(), self.versions.len(), self.balls.len()].iter().all(|count| *count == bodies)
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

    /// Whether forces move a body, and it has a shape.
    pub(crate) fn is_mobile(&self, body: u32) -> bool {
        self.geometry.filters[body as usize].is_mobile
    }

    /// Whether a task has lost its meaning, as far as covers say.
    pub(crate) fn is_void(&self, task: &Task) -> bool {
        match task {
            Task::Contact { bodies, versions } | Task::Search { bodies, versions } => {
                (0..2).any(|i| self.version(bodies[i]) != versions[i])
            }
            Task::Refit { body, version } => self.version(*body) != *version,
            Task::Step { .. } | Task::Guard { .. } => false,
        }
    }

    /// Says that the motion of a body has changed: everything that was found about it is void.
    pub(crate) fn forget(&mut self, body: u32) {
        self.versions[body as usize] += 1;
        self.balls[body as usize] = CachedBall::NONE;
    }

    /// Whether the contacts of a pair have closed forms, which do not find again what just parted.
    pub(crate) fn is_simple(&self, bodies: [u32; 2]) -> bool {
        bodies.into_iter().all(|body| self.collider(body).is_none_or(Collider::is_simple))
    }

    /// What is remembered of a pair: which side of a plane it was on, which features were nearest.
    pub(crate) fn witness(&self, bodies: [u32; 2]) -> Witness {
        self.witnesses.get(&bodies).copied().unwrap_or_default()
    }

    /// Remembers which features of two bounded bodies were nearest; which side of a plane one came from is for searches to say.
    pub(crate) fn remember_planes(&mut self, bodies: [u32; 2], witness: Witness) {
        let is_bounded = |body: &u32| self.collider(*body).is_some_and(|collider| !collider.is_plane());
        if matches!(witness, Witness::Plane { .. }) && bodies.iter().all(is_bounded) {
            self.remember(bodies, witness);
        }
    }

    /// Remembers this of a pair.
    pub(crate) fn remember(&mut self, bodies: [u32; 2], witness: Witness) {
        if self.witnesses.len() > WITNESSES * self.geometry.colliders.len() {
            self.witnesses.clear();
        }
        self.witnesses.insert(bodies, witness);
    }

    /// Says that a pair touches and is not pressed together.
    pub(crate) fn set_idle(&mut self, bodies: [u32; 2], slack: f64) {
        if self.idle.len() > WITNESSES * self.geometry.colliders.len() {
            self.idle.clear();
        }
        let versions = bodies.map(|body| self.version(body));
        self.idle.insert(bodies, Idle { versions, slack });
    }

    /// Says which pairs of a body rest on each other: their contacts are known and not searched for.
    pub(crate) fn set_resting(&mut self, bodies: [u32; 2], resting: bool) {
        if resting {
            self.resting.insert(bodies);
        } else {
            self.resting.remove(&bodies);
        }
    }

    /// Lets a pair pass through each other until it is apart.
    pub(crate) fn let_pass(&mut self, bodies: [u32; 2]) {
        self.passing.push(bodies);
    }

    /// Refits the fat AABBs of these bodies, ascending, from time `t` on, and finds which others they may touch.
    pub(crate) fn refit(&mut self, bodies: &[u32], t: f64, with: Searching) -> Result<(), Unsupported> {
        let Searching { motions, queue, scratch } = with;
        for &body in bodies {
            self.set_fat_aabb(body, t, motions, queue);
        }
        debug_assert!(bodies.is_sorted(), "{bodies:?} are to be in order");
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
        // Two that have met are near each other: what is around the one is around the other, mostly.
        if let [a, b] = *bodies
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

    /// The box and the end of a new fat AABB.
    fn set_fat_aabb(&mut self, body: u32, t: f64, motions: &dyn Motions, queue: &mut EventQueue) {
        let Some(collider) = &self.geometry.colliders[body as usize] else { return };
        let (motion, known_until) = motions.motion(body);
        let version = self.version(body);
        let cover = &mut self.fat_aabbs[body as usize];
        self.statistics.fat_aabbs += 1;
        // A fat AABB always ends later than it begins, if only by the resolution of time.
        cover.look_ahead(t);
        let reach = (cover.travel * collider.radius, cover.horizon);
        let end = fat_aabb_end(&motion, reach, t).min(turn_end(&motion, collider, t));
        let end = end.max(t.next_up());
        let until = end.min(known_until);
        (cover.from, cover.until) = (t, until);
        // On a time step whom it meets is not for parabolas to say.
        let ball = collider.ball.filter(|_| !motions.step_together([body; 2]));
        let ball = ball.and_then(|radius| Path::of(&motion).map(|path| Ball { radius, path }));
        self.balls[body as usize] =
            ball.map_or(CachedBall::NONE, |ball| CachedBall::new(&ball, self.geometry.gravity));
        // Where its motion ends, whoever continues it covers it anew.
        if until > t {
            cover.horizon = until - t;
            queue.add(until, Task::Refit { body, version });
        }
        if collider.radius == f64::INFINITY {
            return;
        }
        let bounds = motion.bounds(t, until);
        let swept = swept_box(&bounds, collider.radius);
        // Bodies beyond the range of numbers are for the driver to refuse; a box without end would spoil the tree.
        let (far, near) = (DVec3::splat(FARTHEST), DVec3::splat(-FARTHEST));
        let swept = Aabb { min: swept.min.max(near), max: swept.max.min(far) };
        match cover.leaf {
            Some(leaf) => self.tree.replace(leaf, swept),
            None => cover.leaf = Some(self.tree.insert(swept, body)),
        }
    }

    /// Searches the pairs of a body with those found around it from `t` on, except with those that have been searched, ascending.
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
            if outcome.is_err() {
                break;
            }
        }
        self.fat_aabbs[body as usize].adapt(count);
        outcome
    }

    /// Reads something of all that is kept of a body; what, is of no interest.
    pub(crate) fn prefetch(&self, body: u32) {
        let cover = &self.fat_aabbs[body as usize];
        let radius = self.collider(body).map(|collider| collider.radius);
        black_box((radius, cover.until, self.balls[body as usize].ball(self.geometry.gravity).is_some()));
        black_box(cover.leaf.map(|leaf| self.tree.bounds(leaf).min.x));
    }

    /// The infinite planes that a box reaches, or that move.
    fn add_planes(&self, bounds: &Aabb, found: &mut Vec<u32>) {
        for &body in &self.geometry.boundless {
            let collider = self.geometry.colliders[body as usize].as_ref();
            if collider.and_then(|collider| collider.front.as_ref()).is_none_or(|front| front.reaches(bounds))
            {
                found.push(body);
            }
        }
    }

    /// All bodies that this one may touch while both covers last, in ascending order.
    fn overlapping(&self, body: u32, found: &mut Vec<u32>, open: &mut Vec<u32>) {
        found.clear();
        if self.geometry.colliders[body as usize].is_none() {
            return;
        }
        match self.fat_aabbs[body as usize].leaf {
            Some(leaf) => {
                let bounds = self.tree.bounds(leaf);
                self.tree.meet(&bounds, found, open);
                self.add_planes(&bounds, found);
            }
            None => found.extend(0..self.geometry.colliders.len() as u32),
        }
        self.keep_company(body, found);
    }

    /// Drops all whom a body does not meet or is joined to, and itself.
    fn keep_company(&self, body: u32, found: &mut Vec<u32>) {
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

    /// Puts a body where it starts, before it has a cover.
    pub(crate) fn put_start(&mut self, body: u32, around: Aabb) {
        self.fat_aabbs[body as usize].leaf = Some(self.tree.insert(around, body));
    }

    /// The box of a body, none for one without.
    pub(crate) fn start_box(&self, body: u32) -> Option<Aabb> {
        self.fat_aabbs[body as usize].leaf.map(|leaf| self.tree.bounds(leaf))
    }

    /// All bodies that may touch this one now.
    pub(crate) fn neighbours(&self, body: u32, around: &Aabb, found: &mut Vec<u32>, open: &mut Vec<u32>) {
        found.clear();
        self.tree.meet(around, found, open);
        self.add_planes(around, found);
        self.keep_company(body, found);
    }

    /// The same of two that are near each other.
    pub(crate) fn neighbours_of_both(
        &self,
        bodies: [u32; 2],
        around: [&Aabb; 2],
        found: &mut [Vec<u32>; 2],
        open: &mut Vec<u32>,
    ) {
        let [found_a, found_b] = found;
        self.tree.meet_both(around, [found_a, found_b], open);
        for k in 0..2 {
            self.add_planes(around[k], &mut found[k]);
            self.keep_company(bodies[k], &mut found[k]);
        }
    }

    /// A ball that is on a parabola.
    #[inline]
    fn ball(&self, body: u32) -> Option<Ball> {
        self.balls[body as usize].ball(self.geometry.gravity)
    }

    /// Whether two balls on parabolas are more than `margin` apart at `t`; false where that is not known.
    pub(crate) fn are_balls_apart(&self, [a, b]: [u32; 2], t: f64, margin: f64) -> bool {
        let (Some(a), Some(b)) = (self.ball(a), self.ball(b)) else { return false };
        a.path.at(t).0.distance(b.path.at(t).0) > a.radius + b.radius + margin
    }

    /// When two balls on parabolas touch first from `t` on, infinite if never; none where that is not known.
    #[inline]
    fn balls_meet(&self, [a, b]: [u32; 2], t: f64, slack: f64) -> Option<f64> {
        balls_meet(&self.ball(a)?, &self.ball(b)?, t, slack)
    }

    /// How deep a pair may come to overlap before that counts, m.
    fn idle_slack(&self, bodies: [u32; 2]) -> f64 {
        let idle = if self.idle.is_empty() { None } else { self.idle.get(&bodies) };
        let idle = idle.filter(|idle| idle.versions == bodies.map(|body| self.version(body)));
        idle.map_or(0.0, |idle| idle.slack)
    }

    /// Searches one pair from `t` to the earlier end of its covers.
    pub(crate) fn search(&mut self, bodies: [u32; 2], t: f64, with: Searching) -> Result<(), Unsupported> {
        let Searching { motions, queue, scratch } = with;
        if !self.resting.is_empty() && self.resting.contains(&bodies) {
            return Ok(());
        }
        let [a, b] = bodies;
        let slack = self.idle_slack(bodies);
        let root = if self.passing.is_empty() { self.balls_meet(bodies, t, slack) } else { None };
        // Most balls never meet: of these nothing else is read.
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
        if motions.step_together(bodies) || motions.stand_still(bodies) {
            return Ok(());
        }
        let (Some(collider_a), Some(collider_b)) =
            (&self.geometry.colliders[a as usize], &self.geometry.colliders[b as usize])
        else {
            return Ok(());
        };
        let ((motion_a, _), (motion_b, _)) = (motions.motion(a), motions.motion(b));
        if let Some(k) = self.passing.iter().position(|pair| *pair == bodies) {
            let (placed_a, placed_b) =
                (collider_a.placed(&motion_a.pose(t)), collider_b.placed(&motion_b.pose(t)));
            let placed = (&placed_a, &placed_b);
            let found = separate_within(0.0, placed, &mut Witness::Unknown, &mut Statistics::default());
            if found.map_err(|pair| Unsupported { bodies, pair })?.is_some() {
                return Ok(());
            }
            self.passing.remove(k);
        }
        // Most fat AABBs that meet are of bodies that pass each other by: the balls around them say when they may touch at all.
        let Some((t, until)) = near([collider_a, collider_b], [&motion_a, &motion_b], (t, until)) else {
            return Ok(());
        };
        self.statistics.searches += 1;
        // Closed forms need no memory.
        let round = collider_a.is_simple() && collider_b.is_simple();
        let mut witness =
            if round { Witness::Unknown } else { self.witnesses.get(&bodies).copied().unwrap_or_default() };
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
        if !round {
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

/// When within an interval two bodies on parabolas are so near that they may touch; none if never. The whole of it where
/// that is not known, and for infinite planes.
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
