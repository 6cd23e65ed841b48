//! Which bodies may touch next, each with a clock of its own.
//!
//! A body has a *cover*: a box around everywhere that it can be until the cover ends. When a cover is made, the tree of
//! covers says which others it meets, and every such pair is searched from now to the earlier end of the two covers. When
//! that cover ends, its body is covered anew and meets the other again. So every pair is searched over every interval in
//! which it could touch, and nothing happens to bodies that are elsewhere.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

use super::agenda::{Agenda, Task};
use super::collider::Collider;
use super::cover::{Cover, cover_end, turn_end};
use super::meeting::{Found, first_meeting};
use super::paths::{Ball, KeptBall, Path, balls_meet, near_times};
use super::track::BodyMotion;
use crate::broad_phase::{DynamicTree, Groups, swept_box};
use crate::locate::Bodies;
use crate::math::{Aabb, DVec3};
use crate::motion::Motion;
use crate::narrow_phase::{Statistics, UnsupportedPair, Witness, separate_within};
use crate::world::World;

/// The motions that bodies are on; what detection asks of the driver.
pub(super) trait Motions {
    /// The motion of a body and how long it is known.
    fn motion(&self, body: u32) -> (BodyMotion<'_>, f64);

    /// Whether two bodies take one step over all their contacts, or one of them does and the other stands still: all pairs
    /// that may touch within it are in it.
    fn step_together(&self, bodies: [u32; 2]) -> bool;

    /// Whether neither of two moves, for good: until one of them is disturbed nothing becomes of them.
    fn stand_still(&self, bodies: [u32; 2]) -> bool;
}

/// Whom a body meets, apart from its shape: read for every candidate.
#[derive(Debug, Clone, Copy)]
struct Company {
    groups: Groups,
    is_mobile: bool,
}

impl Company {
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
#[derive(Debug, Clone, Copy)]
struct Idle {
    versions: [u32; 2],
    slack: f64,
}

/// A pair that has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unsupported {
    pub(super) bodies: [u32; 2],
    pub(super) pair: UnsupportedPair,
}

/// What detection has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DetectionStatistics {
    /// Covers made.
    pub covers: u64,
    /// Pairs searched for their first contact.
    pub searches: u64,
    /// How the separations of pairs were found.
    pub separations: Statistics,
}

/// Covers of all bodies and what is known of pairs.
#[derive(Debug, Clone)]
pub(super) struct Detection {
    pub(super) colliders: Vec<Option<Collider>>,
    covers: Vec<Cover>,
    /// One for each body, which changes whenever its motion does: what was found before is void. Apart from the covers, as
    /// they are read for every task of the agenda, of bodies anywhere.
    versions: Vec<u32>,
    company: Vec<Company>,
    /// Whether every body meets any that moves: then nobody's company need be read.
    is_open: bool,
    /// Balls that are on parabolas, as long as their covers stand.
    balls: Vec<KeptBall>,
    gravity: DVec3,
    tree: DynamicTree,
    /// Bodies without a box: infinite planes.
    boundless: Vec<u32>,
    witnesses: BTreeMap<[u32; 2], Witness>,
    /// Pairs of bodies of several parts, prepared.
    parts: BTreeMap<[u32; 2], Bodies>,
    /// Pairs that touch without force, and how deep they may come to overlap before that counts, m.
    idle: BTreeMap<[u32; 2], Idle>,
    /// Pairs with contacts that carry force.
    resting: BTreeSet<[u32; 2]>,
    /// Pairs that overlapped at the start and may pass through each other until they are apart.
    passing: Vec<[u32; 2]>,
    /// Pairs that a joint holds together: they never collide.
    joined: BTreeSet<[u32; 2]>,
    pub(super) statistics: DetectionStatistics,
    /// Whom one body meets, and another beside it; buffers.
    found: [Vec<u32>; 2],
    open: Vec<u32>,
}

/// No box reaches further, so that the surface of any two together is a number.
const FARTHEST: f64 = 1e150;
/// Witnesses of pairs long gone are dropped when there are this many for each body.
const WITNESSES: usize = 64;

impl Detection {
    pub(super) fn new(world: &World) -> Self {
        let colliders = Collider::all(world);
        let infinite = |c: &Option<Collider>| c.as_ref().is_some_and(|c| c.radius == f64::INFINITY);
        let boundless = (0..colliders.len() as u32).filter(|i| infinite(&colliders[*i as usize])).collect();
        Self {
            covers: vec![Cover::FIRST; colliders.len()],
            versions: vec![0; colliders.len()],
            company: colliders.iter().map(|collider| Company::of(collider.as_ref())).collect(),
            is_open: colliders.iter().flatten().all(|collider| collider.groups == Groups::ALL),
            balls: vec![KeptBall::NONE; colliders.len()],
            gravity: world.gravity(),
            colliders,
            tree: DynamicTree::new(),
            boundless,
            witnesses: BTreeMap::new(),
            parts: BTreeMap::new(),
            idle: BTreeMap::new(),
            resting: BTreeSet::new(),
            passing: Vec::new(),
            joined: world.joined_pairs().iter().map(|pair| pair.map(|id| id.index() as u32)).collect(),
            statistics: DetectionStatistics::default(),
            found: [Vec::new(), Vec::new()],
            open: Vec::new(),
        }
    }

    /// Whether there is nothing to detect.
    pub(super) fn is_off(&self) -> bool {
        self.colliders.iter().all(Option::is_none)
    }

    pub(super) fn collider(&self, body: u32) -> Option<&Collider> {
        self.colliders[body as usize].as_ref()
    }

    pub(super) fn version(&self, body: u32) -> u32 {
        self.versions[body as usize]
    }

    /// Whether forces move a body, and it has a shape.
    pub(super) fn is_mobile(&self, body: u32) -> bool {
        self.company[body as usize].is_mobile
    }

    /// Whether a task has lost its meaning, as far as covers say.
    pub(super) fn is_void(&self, task: &Task) -> bool {
        match task {
            Task::Meet { bodies, versions } | Task::Look { bodies, versions } => {
                (0..2).any(|i| self.version(bodies[i]) != versions[i])
            }
            Task::Cover { body, version } => self.version(*body) != *version,
            Task::Step { .. } | Task::Mode { .. } => false,
        }
    }

    /// Says that the motion of a body has changed: everything that was found about it is void.
    pub(super) fn forget(&mut self, body: u32) {
        self.versions[body as usize] += 1;
        self.balls[body as usize] = KeptBall::NONE;
    }

    /// Whether the contacts of a pair have closed forms, which do not find again what just parted.
    pub(super) fn is_simple(&self, bodies: [u32; 2]) -> bool {
        bodies.into_iter().all(|body| self.collider(body).is_none_or(Collider::is_simple))
    }

    /// What is remembered of a pair: which side of a plane it was on, which features were nearest.
    pub(super) fn witness(&self, bodies: [u32; 2]) -> Witness {
        self.witnesses.get(&bodies).copied().unwrap_or_default()
    }

    /// Remembers which features of two bounded bodies were nearest; which side of a plane one came from is for searches to say.
    pub(super) fn remember_planes(&mut self, bodies: [u32; 2], witness: Witness) {
        let is_bounded = |body: &u32| self.collider(*body).is_some_and(|collider| !collider.is_plane());
        if matches!(witness, Witness::Plane { .. }) && bodies.iter().all(is_bounded) {
            self.remember(bodies, witness);
        }
    }

    /// Remembers this of a pair.
    pub(super) fn remember(&mut self, bodies: [u32; 2], witness: Witness) {
        if self.witnesses.len() > WITNESSES * self.colliders.len() {
            self.witnesses.clear();
        }
        self.witnesses.insert(bodies, witness);
    }

    /// Says that a pair touches and is not pressed together.
    pub(super) fn set_idle(&mut self, bodies: [u32; 2], slack: f64) {
        if self.idle.len() > WITNESSES * self.colliders.len() {
            self.idle.clear();
        }
        let versions = bodies.map(|body| self.version(body));
        self.idle.insert(bodies, Idle { versions, slack });
    }

    /// Says which pairs of a body rest on each other: their contacts are known and not searched for.
    pub(super) fn set_resting(&mut self, bodies: [u32; 2], resting: bool) {
        if resting {
            self.resting.insert(bodies);
        } else {
            self.resting.remove(&bodies);
        }
    }

    /// Lets a pair pass through each other until it is apart.
    pub(super) fn let_pass(&mut self, bodies: [u32; 2]) {
        self.passing.push(bodies);
    }

    /// Covers these bodies, ascending, from time `t` on, and finds whom they may touch.
    pub(super) fn cover(
        &mut self,
        bodies: &[u32],
        t: f64,
        motions: &dyn Motions,
        agenda: &mut Agenda,
    ) -> Result<(), Unsupported> {
        for &body in bodies {
            self.put_box(body, t, motions, agenda);
        }
        debug_assert!(bodies.is_sorted(), "{bodies:?} are to be in order");
        let mut found = std::mem::take(&mut self.found);
        let searched = self.search_around_all(bodies, t, (motions, agenda), &mut found);
        self.found = found;
        searched
    }

    /// Searches all pairs of these bodies, ascending, from `t` on.
    fn search_around_all(
        &mut self,
        bodies: &[u32],
        t: f64,
        (motions, agenda): (&dyn Motions, &mut Agenda),
        found: &mut [Vec<u32>; 2],
    ) -> Result<(), Unsupported> {
        // Two that have met are near each other: who is around the one is around the other, mostly.
        if let [a, b] = *bodies
            && let [Some(leaf_a), Some(leaf_b)] = [a, b].map(|body| self.covers[body as usize].leaf)
        {
            let boxes = [leaf_a, leaf_b].map(|leaf| self.tree.bounds(leaf));
            self.neighbours_of_both([a, b], [&boxes[0], &boxes[1]], found);
            self.search_around((a, &[]), t, (motions, agenda), &found[0])?;
            return self.search_around((b, &[a]), t, (motions, agenda), &found[1]);
        }
        for k in 0..bodies.len() {
            self.candidates(bodies[k], &mut found[0]);
            self.search_around((bodies[k], &bodies[..k]), t, (motions, agenda), &found[0])?;
        }
        Ok(())
    }

    /// The box and the end of a new cover.
    fn put_box(&mut self, body: u32, t: f64, motions: &dyn Motions, agenda: &mut Agenda) {
        let Some(collider) = &self.colliders[body as usize] else { return };
        let (motion, known_until) = motions.motion(body);
        let version = self.version(body);
        let cover = &mut self.covers[body as usize];
        self.statistics.covers += 1;
        // A cover always ends later than it begins, if only by the resolution of time.
        cover.look_ahead(t);
        let reach = (cover.travel * collider.radius, cover.horizon);
        let end = cover_end(&motion, reach, t).min(turn_end(&motion, collider, t));
        let end = end.max(t.next_up());
        let until = end.min(known_until);
        (cover.from, cover.until) = (t, until);
        // On a step over a crowd whom it meets is not for parabolas to say.
        let ball = collider.ball.filter(|_| !motions.step_together([body; 2]));
        let ball = ball.and_then(|radius| Path::of(&motion).map(|path| Ball { radius, path }));
        self.balls[body as usize] = ball.map_or(KeptBall::NONE, |ball| KeptBall::new(&ball, self.gravity));
        // Where its motion ends, whoever continues it covers it anew.
        if until > t {
            cover.horizon = until - t;
            agenda.add(until, Task::Cover { body, version });
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
        (motions, agenda): (&dyn Motions, &mut Agenda),
        found: &[u32],
    ) -> Result<(), Unsupported> {
        if self.colliders[body as usize].is_none() {
            return Ok(());
        }
        let mut crowd = 0;
        let mut outcome = Ok(());
        for &other in found {
            if other < body && searched.binary_search(&other).is_ok() {
                continue;
            }
            crowd += 1;
            outcome = self.search([body.min(other), body.max(other)], t, motions, agenda);
            if outcome.is_err() {
                break;
            }
        }
        self.covers[body as usize].adapt(crowd);
        outcome
    }

    /// Reads something of all that is kept of a body; what, is of no interest.
    pub(super) fn read_ahead(&self, body: u32) {
        let cover = &self.covers[body as usize];
        let radius = self.collider(body).map(|collider| collider.radius);
        black_box((radius, cover.until, self.balls[body as usize].ball(self.gravity).is_some()));
        black_box(cover.leaf.map(|leaf| self.tree.bounds(leaf).min.x));
    }

    /// The infinite planes that a box reaches, or that move.
    fn add_planes(&self, bounds: &Aabb, found: &mut Vec<u32>) {
        for &body in &self.boundless {
            let collider = self.colliders[body as usize].as_ref();
            if collider.and_then(|collider| collider.front.as_ref()).is_none_or(|front| front.reaches(bounds))
            {
                found.push(body);
            }
        }
    }

    /// All bodies that this one may touch while both covers last, in ascending order.
    fn candidates(&mut self, body: u32, found: &mut Vec<u32>) {
        found.clear();
        if self.colliders[body as usize].is_none() {
            return;
        }
        match self.covers[body as usize].leaf {
            Some(leaf) => {
                let bounds = self.tree.bounds(leaf);
                self.tree.meet(&bounds, found, &mut self.open);
                self.add_planes(&bounds, found);
            }
            None => found.extend(0..self.colliders.len() as u32),
        }
        self.keep_company(body, found);
    }

    /// Drops all whom a body does not meet or is joined to, and itself.
    fn keep_company(&self, body: u32, found: &mut Vec<u32>) {
        let own = self.company[body as usize];
        if self.is_open && own.is_mobile {
            found.retain(|other| *other != body);
        } else {
            found.retain(|other| *other != body && own.meets(self.company[*other as usize]));
        }
        if !self.joined.is_empty() {
            found.retain(|other| !self.joined.contains(&[body.min(*other), body.max(*other)]));
        }
    }

    /// Puts a body where it starts, before it has a cover.
    pub(super) fn put_start(&mut self, body: u32, around: Aabb) {
        self.covers[body as usize].leaf = Some(self.tree.insert(around, body));
    }

    /// The box of a body, none for one without.
    pub(super) fn start_box(&self, body: u32) -> Option<Aabb> {
        self.covers[body as usize].leaf.map(|leaf| self.tree.bounds(leaf))
    }

    /// All bodies that may touch this one now.
    pub(super) fn neighbours(&mut self, body: u32, around: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        self.tree.meet(around, found, &mut self.open);
        self.add_planes(around, found);
        self.keep_company(body, found);
    }

    /// The same of two that are near each other.
    pub(super) fn neighbours_of_both(
        &mut self,
        bodies: [u32; 2],
        around: [&Aabb; 2],
        found: &mut [Vec<u32>; 2],
    ) {
        let [found_a, found_b] = found;
        self.tree.meet_both(around, [found_a, found_b], &mut self.open);
        for k in 0..2 {
            self.add_planes(around[k], &mut found[k]);
            self.keep_company(bodies[k], &mut found[k]);
        }
    }

    /// A ball that is on a parabola.
    #[inline]
    fn ball(&self, body: u32) -> Option<Ball> {
        self.balls[body as usize].ball(self.gravity)
    }

    /// Whether two balls on parabolas are more than `margin` apart at `t`; false where that is not known.
    pub(super) fn are_balls_apart(&self, [a, b]: [u32; 2], t: f64, margin: f64) -> bool {
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
    pub(super) fn search(
        &mut self,
        bodies: [u32; 2],
        t: f64,
        motions: &dyn Motions,
        agenda: &mut Agenda,
    ) -> Result<(), Unsupported> {
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
        let until = self.covers[a as usize].until.min(self.covers[b as usize].until);
        if until <= t {
            return Ok(());
        }
        let versions = [self.version(a), self.version(b)];
        if let Some(root) = root {
            self.statistics.searches += 1;
            if root <= until {
                agenda.add(root, Task::Meet { bodies, versions });
            }
            return Ok(());
        }
        if motions.step_together(bodies) || motions.stand_still(bodies) {
            return Ok(());
        }
        let (Some(collider_a), Some(collider_b)) = (&self.colliders[a as usize], &self.colliders[b as usize])
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
        // Most covers that meet are of bodies that pass each other by: the balls around them say when they may touch at all.
        let Some((t, until)) = near([collider_a, collider_b], [&motion_a, &motion_b], (t, until)) else {
            return Ok(());
        };
        self.statistics.searches += 1;
        // Closed forms need no memory.
        let round = collider_a.is_simple() && collider_b.is_simple();
        let mut witness =
            if round { Witness::Unknown } else { self.witnesses.get(&bodies).copied().unwrap_or_default() };
        let parts = &mut self.parts;
        let bodies_of_parts = if collider_a.is_composite() || collider_b.is_composite() {
            let made = || Bodies::new(collider_a.shape_and_origin(), collider_b.shape_and_origin());
            Some(match parts.entry(bodies) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(made().map_err(|pair| Unsupported { bodies, pair })?),
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
            bodies_of_parts,
        );
        if !round {
            self.remember(bodies, witness);
        }
        match found.map_err(|pair| Unsupported { bodies, pair })? {
            Found::Nothing => {}
            Found::Touch(at) => agenda.add(at, Task::Meet { bodies, versions }),
            Found::Until(at) => agenda.add(at.max(t.next_up()), Task::Look { bodies, versions }),
            Found::Overlap(_) => agenda.add(t, Task::Meet { bodies, versions }),
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
