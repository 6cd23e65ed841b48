//! One step over a crowd of contacts: where events come too fast, or no step is short enough. [SYSTEM, trap 15]
//!
//! ```text
//! everyone who may touch within the step                                     (gather, with a reach)
//! out of overlap, if rounding or a step before left any                       (shift_apart)
//! p: impulses of the whole step over all contacts at once, Moreau's scheme    (contact::rest::step)
//! momenta change by h F + p at the start of the step, then everyone drifts freely to its end
//! what joints hold goes on them through the step                              (drift)
//! losses from the impulses; what the step is off in energy has its own line   (closing)
//! ```
//!
//! The step is an event of the log (`aggregated`), never silent. Its length is √tolerance of the time in which the bodies
//! move by their size, so that its own error, of second order, is within the tolerance; it doubles while storms go on.

use super::Stop;
use super::agenda::Task;
use super::drift::{Blows, Drift, Jointed};
use super::ends::Ends;
use super::given::{Given, Last, Push};
use super::held::{Held, IslandEquations, SUMS};
use super::joint_rows::OpenRow;
use super::patience::FEW;
use super::simulation::{Simulation, below_chord};
use super::stop::Reason;
use super::strike::Touching;
use super::track::Track;
use crate::contact::Restitution;
use crate::contact::rest::{Bearing, Mode};
use crate::dynamics::Island;
use crate::math::{DVec3, Twist};
use crate::narrow_phase::Row;
use crate::record::{Event, EventKind, Note};
use crate::solve::Outcome;
use crate::world::{BodyId, World};

/// A solution with a larger residual is none: bodies are squeezed.
const SQUEEZED: f64 = 1e-3;

/// Rounds in which bodies are pushed apart, each of which squares what is left.
const ROUNDS: usize = 4;

/// Rounds in which impulses are found that leave no overlap at the end of a step.
const IMPULSE_ROUNDS: usize = 8;

/// A step after which bodies overlap by more than this, by what counts as touching, is too long; it is halved down to this
/// share.
const DEEP: f64 = 1e3;
const SHORTEST: f64 = 0.2;

/// Overlaps below this share of what a step may leave are not worth a push before it.
const ROUNDED: f64 = 0.04;

/// Of more contacts than this a round that leaves more than this share of the overlap of the round before is the last.
const MANY: usize = 24;
const GAINS: f64 = 0.5;

/// An overlap at the end of a step that is let be, as a share of what counts as touching; and of many contacts this share of
/// what may lie half-way through it.
const ALLOWED: f64 = 0.25;
const ALLOWED_OF_ARCS: f64 = 0.125;

/// Bodies that are slower than this, by what they would be falling by their size, leave less: what they overlap they are pushed apart
/// and come back for, and so by a step of length h never become slower than overlap/h.
const SLOW: f64 = 0.1;

/// The way of what joints hold through a step, and the blows of it.
type Way = (Box<Drift>, Blows);

/// Everyone who takes a step, at its start.
struct Whole<'a> {
    island: &'a Island,
    /// Whether contacts bounce.
    bounces: bool,
    y: &'a [f64],
    jointed: Option<&'a Jointed>,
    /// What accelerations make of the rates of rows within the step.
    gained: &'a [f64],
}

impl Whole<'_> {
    /// How much more an impulse has to be than the problem says to take an overlap away: what acts all the time moves a body half
    /// as far as what acts at once, and beside one that is moved at once something between.
    fn reach(&self, bearing: &Bearing) -> f64 {
        let Some(jointed) = self.jointed else { return 1.0 };
        let moves = |place: &&usize| **place < self.island.bodies.len();
        let mobile = bearing.bodies.iter().filter(moves).count();
        let held = bearing.bodies.iter().filter(|place| jointed.slot(**place).is_some()).count();
        match (held, mobile) {
            (0, _) => 1.0,
            (held, mobile) if held == mobile => 2.0,
            _ => 4.0 / 3.0,
        }
    }
}

/// The impulses of a step.
struct Found {
    impulses: Vec<DVec3>,
    outcome: Outcome,
    /// How deep anything overlaps at its end, by what counts as touching.
    deepest: f64,
    /// Whether contacts that bounce gave more energy than the others took.
    gives: bool,
    way: Option<Way>,
}

/// A step that was taken.
struct Kick {
    losses: Losses,
    /// How long it is, s.
    h: f64,
    drift: Option<Box<Drift>>,
}

/// What one contact took and did.
#[derive(Default, Clone, Copy)]
struct Losses {
    normal: f64,
    friction: f64,
    work: f64,
}

impl Simulation {
    /// One step of length `h` from `t` for everyone on the tracks of the cluster.
    pub(super) fn aggregate(&mut self, t: f64, h: f64) -> Result<(), Stop> {
        let tracks = self.cluster_tracks();
        let (members, forces) = self.members_of(&tracks);
        let last = self.last_forces(&tracks);
        self.retire(&tracks);
        // Those too that nobody touches yet: somebody may, at the end of the step.
        let supports = self.supports_of(self.cluster.pairs.iter().copied());
        let island = Island::of(&self.world, &members, forces, &supports);
        let until = (t + h).min(island.smooth_interval(t).1);
        let mut held = self.all_held(t, &island);
        self.cluster.stir = self.stir(t);
        self.buffers.bearings.is_calm = island.joints.is_empty() && self.hardly_moves();
        let before = self.energy_of(&island, t);
        self.grip_motors(t, &island);
        let rows = self.open_rows_for_step(t, until - t, &island);
        self.put_back_on_joints(t, &island);
        self.push_apart((t, until - t), &island, &held);
        let kicked = self.kick((t, until - t), &island, &mut held, (&last, &rows));
        if kicked.is_err() {
            // They stay where they were pushed to.
            self.log.losses.closing += before - self.energy_of(&island, t);
        }
        let Kick { losses, h, drift } = kicked?;
        let until = until.min(t + h);
        self.log.losses.collisions += losses.normal;
        self.log.losses.friction += losses.friction;
        let expected = before + losses.work - losses.normal - losses.friction;
        let at_start = self.energy_of(&island, t);
        let k = self.vacant.pop().unwrap_or(self.tracks.len());
        for (place, id) in island.bodies.iter().enumerate() {
            self.place[id.index()] = Some((k, place));
        }
        if k == self.tracks.len() {
            let empty = Island::of(&self.world, &[], Vec::new(), &[]);
            self.tracks.push(Track::at_rest(&self.world, (empty, None), &self.states, t));
        }
        for pair in &held.pairs {
            self.detection.set_resting(*pair, true);
        }
        let (world, states) = (&self.world, &self.states);
        let done = (losses.work, drift);
        let mut track = Track::aggregated(world, (island, Some(held)), states, (t, until), done);
        let done = track.read(until, &mut self.states);
        let at_end = self.energy_of(&track.island, until);
        track.read(t, &mut self.states);
        // What the way of joints has done and taken by the end it says itself.
        let drifted = done.work - losses.work - done.closing;
        track.set_off([expected - at_start, expected - at_end + drifted]);
        track.version = self.tracks[k].version + 1;
        let changed: Vec<u32> = track.island.bodies.iter().map(|id| id.index() as u32).collect();
        self.agenda.add(until, Task::Step { track: k as u32, version: track.version });
        self.tracks[k] = track;
        self.note_arcs(k, (t, until))?;
        self.restore_patience((t, until));
        for body in &changed {
            self.detection.forget(*body);
        }
        self.cover(&changed, t)
    }

    /// All contacts of the cluster, as the force solver takes them.
    fn all_held(&self, t: f64, island: &Island) -> Held {
        let mut held = Held::new(island);
        for touching in &self.cluster.contacts {
            held.add(island, touching.bodies, touching.contact.id, &self.bearing_of(t, touching));
        }
        held
    }

    /// A contact as the force solver takes it, its bodies to be numbered yet.
    pub(super) fn bearing_of(&self, t: f64, touching: &Touching) -> Bearing {
        let still = self.still_speed(t, touching);
        let velocity = self.relative_velocity_plus(t, touching);
        let slip = velocity - touching.contact.normal * touching.contact.normal.dot(velocity);
        Bearing {
            bodies: [0; 2],
            function: touching.contact.function,
            static_friction: touching.surface.static_friction,
            kinetic_friction: touching.surface.kinetic_friction,
            mode: if slip.length() > still { Mode::Slide { begins: slip } } else { Mode::Stick },
            still,
            turning: self.turning_of(touching),
        }
    }

    /// Kinetic and potential energy of the members of an island in the present states, J.
    fn energy_of(&mut self, island: &Island, t: f64) -> f64 {
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y);
        let smooth = island.smooth_interval(t);
        let world = &self.world;
        let mut equations = IslandEquations { world, island, held: None, buffers: &mut self.buffers, smooth };
        let mut energy = equations.potential(t, &y);
        for id in &island.bodies {
            energy += self.states.bodies[id.index()].kinetic_energy(world.body(*id).inertia());
        }
        for id in &island.sets {
            let velocities = self.states.sets[id.index()].1.iter();
            let masses = world.set(*id).masses();
            energy += velocities.zip(masses).map(|(v, m)| 0.5 * m * v.length_squared()).sum::<f64>();
        }
        energy
    }

    /// Moves overlapping bodies apart by the least that does it; they keep their velocities.
    fn push_apart(&mut self, (t, h): (f64, f64), island: &Island, held: &Held) {
        let tolerance = self.cluster.contacts.iter().map(|touching| touching.tolerance);
        // Few may be tried without such steps soon, for which nobody must overlap.
        let may_leave = if self.cluster.pairs.len() <= FEW { ALLOWED } else { self.allowed(h, held) };
        let allowed = ROUNDED * may_leave * tolerance.fold(f64::INFINITY, f64::min);
        if self.cluster.contacts.iter().all(|touching| touching.contact.separation >= -allowed) {
            return;
        }
        let mut y = vec![0.0; island.dim() + SUMS];
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y[..island.dim()]);
        let smooth = island.smooth_interval(t);
        let world = &self.world;
        let joints = Held::of_joints(island);
        for _ in 0..ROUNDS {
            let buffers = &mut self.buffers;
            let mut equations = IslandEquations { world, island, held: None, buffers, smooth };
            equations.load_bodies(t, &y[..island.dim()]);
            let buffers = &mut self.buffers;
            let (loaded, shifts) = (&buffers.loaded, &mut buffers.shifts);
            if !buffers.bearings.shift_apart(loaded, &held.bearings, (allowed, shifts)) {
                break;
            }
            for k in 0..island.bodies.len() {
                let shift = buffers.shifts[k];
                let twist = buffers.loaded[k].kinematics.twist;
                island.shift_pose(world, &mut y, k, (shift.linear, shift.angular), &twist);
            }
            // To first order it kept the joints; these come first.
            if let Some(held) = &joints {
                let buffers = &mut self.buffers;
                IslandEquations { world, island, held: Some(held), buffers, smooth }.put_back(t, &mut y);
            }
        }
        island.unpack(&y[..island.dim()], &mut self.states.bodies, &mut self.states.sets);
    }

    /// Finds the impulses of the step, applies them with those of all loads, and logs the step; also how long it is, s.
    fn kick(
        &mut self,
        (t, longest): (f64, f64),
        island: &Island,
        held: &mut Held,
        (last, rows): (&[Last], &[OpenRow]),
    ) -> Result<Kick, Stop> {
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y);
        let smooth = island.smooth_interval(t);
        let buffers = &mut self.buffers;
        let mut equations = IslandEquations { world: &self.world, island, held: None, buffers, smooth };
        equations.load_bodies(t, &y);
        let loads: Vec<_> = island.bodies.iter().map(|id| equations.summed(*id)).collect();
        let mut power = equations.power();
        let set_forces: Vec<Vec<DVec3>> =
            island.sets.iter().map(|id| equations.forces_on(t, &y, *id)).collect();
        let mut jointed = Jointed::of(&self.world, island);
        if let Some(jointed) = &mut jointed {
            let (world, states, buffers) = (&self.world, &self.states, &mut self.buffers);
            // What they do is summed on the way.
            power -= jointed.find_beyond((world, states), (island, &loads), t, buffers);
            IslandEquations { world, island, held: None, buffers, smooth }.load_bodies(t, &y);
        }
        let (mut h, mut bounces) = (longest, true);
        let contacts = held.bearings.len();
        let Found { impulses, outcome, way, .. } = loop {
            // What a longer step came to touch is none of a shorter one.
            held.truncate(contacts);
            self.cluster.contacts.truncate(contacts);
            let gained = self.fill_extra_for_step(t, h, island, rows);
            let whole = Whole { island, bounces, y: &y, jointed: jointed.as_ref(), gained: &gained };
            let found = self.find_impulses((t, h), &whole, held, last)?;
            if let Some((drift, _)) = &found.way
                && drift.end() < t + h
            {
                // As long as the motion of what joints hold is one polynomial.
                h = drift.end() - t;
                continue;
            }
            if bounces && found.gives {
                bounces = false;
                continue;
            }
            if found.deepest <= DEEP.max(2.0 * self.allowed(h, held)) || h < SHORTEST * longest {
                break found;
            }
            // Features that meet within it on ways that turn: half as long.
            h *= 0.5;
        };
        let slides: Vec<bool> = held.bearings.iter().map(|b| b.mode != Mode::Stick).collect();
        let is_free = |k: usize| jointed.as_ref().is_none_or(|jointed| jointed.slot(k).is_none());
        for (k, id) in island.bodies.iter().enumerate().filter(|(k, _)| is_free(*k)) {
            let state = &mut self.states.bodies[id.index()];
            state.momentum += h * loads[k].force;
            state.angular_momentum += h * loads[k].torque;
        }
        for (id, forces) in island.sets.iter().zip(&set_forces) {
            let masses = self.world.set(*id).masses();
            for ((velocity, force), mass) in self.states.sets[id.index()].1.iter_mut().zip(forces).zip(masses)
            {
                *velocity += h * *force / *mass;
            }
        }
        self.remember_reactions(h, island, held);
        let mut losses = self.apply_impulses(island, held, way.as_ref());
        losses.work += h * power;
        if let Some((drift, blows)) = &way {
            drift.read(t, &mut self.states);
            let [friction, normal, work] = self.book_rows_of_step(island, rows, (drift, blows));
            losses.friction += friction;
            losses.normal += normal;
            losses.work += work + drift.work;
        }
        let braked = self.braked(h, &impulses);
        let tolerances = self.cluster.contacts.iter().map(|touching| touching.tolerance);
        let push = |((p, braked), tolerance): ((&DVec3, f64), f64)| Push { force: *p / h, braked, tolerance };
        let pushes = impulses.iter().zip(braked).zip(tolerances).map(push).collect();
        let turning = self.buffers.bearings.dry_forces.iter().map(|p| *p / h).collect();
        held.given = Some(Given { pushes, turning, outcome });
        let note = self.note_of_step(&held.bearings, &slides, outcome.unique);
        self.log_step(t, &impulses, losses, note);
        Ok(Kick { losses, h, drift: way.map(|(drift, _)| drift) })
    }

    /// The impulses of the step, such that bodies do not overlap at its end: gaps close by their second derivative too, which
    /// is found by looking; and other features may come to touch within it. Also how deep anything overlaps then, by what counts
    /// as touching.
    fn find_impulses(
        &mut self,
        (t, h): (f64, f64),
        whole: &Whole,
        held: &mut Held,
        last: &[Last],
    ) -> Result<Found, Stop> {
        let buffers = &mut self.buffers;
        buffers.bearings.look(&buffers.loaded, &held.bearings);
        for (frame, bearing) in buffers.bearings.frames.iter_mut().zip(&held.bearings) {
            frame.keep_within(&buffers.loaded, bearing, h);
        }
        let mut gaps = self.start_step(h, held, last, whole.bounces);
        let bounces = gaps.iter().any(|gap| *gap < 0.0);
        self.keep_tangents(h, held, &mut gaps);
        let looks = self.most_looks();
        for look in 0.. {
            let (outcome, ends, way) = self.close_gaps((t, h), whole, held, &mut gaps)?;
            let before = gaps.len();
            let is_short = way.as_ref().is_some_and(|(drift, _)| drift.end() < t + h);
            let deepest =
                if is_short { 0.0 } else { self.see_step((t, h), whole.island, held, &mut gaps, &ends)? };
            if gaps.len() == before || look == looks {
                // What was seen last has no impulse.
                let impulses = self.buffers.bearings.forces.clone();
                let gives = bounces && way.is_none() && self.taken(held, &ends) < 0.0;
                return Ok(Found { impulses, outcome, deepest, gives, way });
            }
        }
        unreachable!("the last look returns")
    }

    /// The overlap at the end of a step of length `h` that is let be, by what counts as touching.
    fn allowed(&self, h: f64, held: &Held) -> f64 {
        let has_joints = self.cluster.bodies.iter().any(|body| self.buffers.linkages.arm(*body) > 0.0);
        let is_exact = || held.bearings.iter().all(|b| b.static_friction == 0.0) && self.goes_straight();
        let are_few = held.bearings.len() <= MANY || is_exact();
        if (are_few && !has_joints) || self.buffers.bearings.is_calm {
            return ALLOWED;
        }
        let own =
            self.cluster.bodies.iter().map(|body| self.own_time_of(*body)).fold(f64::INFINITY, f64::min);
        // Slower bodies have flatter arcs.
        let slow = (self.cluster.stir / SLOW).min(1.0);
        ALLOWED.max(ALLOWED_OF_ARCS * below_chord(slow * h / own))
    }

    /// Impulses after which none of these contacts overlaps at the end of the step, and where each of them is then, m.
    fn close_gaps(
        &mut self,
        (t, h): (f64, f64),
        whole: &Whole,
        held: &Held,
        gaps: &mut [f64],
    ) -> Result<(Outcome, Ends, Option<Way>), Stop> {
        let slides: Vec<bool> = held.bearings.iter().map(|b| b.mode != Mode::Stick).collect();
        let allowed = self.allowed(h, held);
        let tolerance: Vec<f64> = self.cluster.contacts.iter().map(|touching| touching.tolerance).collect();
        let mut before = f64::INFINITY;
        let blows = match whole.jointed {
            Some(_) => self.find_blows(h, held, (&slides, gaps), whole.gained),
            None => Blows::default(),
        };
        for round in 0..IMPULSE_ROUNDS {
            let buffers = &mut self.buffers;
            let mut outcome = buffers.bearings.step(&buffers.loaded, &held.bearings, h, (&slides, gaps));
            if outcome.residual > SQUEEZED || outcome.residual.is_nan() {
                // Without friction there is a solution whenever bodies can be kept apart at all.
                buffers.bearings.forces.clear();
                let smooth: Vec<Bearing> = held.bearings.iter().map(Bearing::smooth).collect();
                outcome = buffers.bearings.step(&buffers.loaded, &smooth, h, (&slides, gaps));
            }
            if outcome.residual > SQUEEZED || outcome.residual.is_nan() {
                let first = self.cluster.contacts.first().map(|touching| touching.bodies);
                let bodies = first.unwrap_or([self.cluster.bodies.first().copied().unwrap_or_default(); 2]);
                let bodies = bodies.map(|body| self.world.body_name(BodyId::from_rank(body as usize)));
                let impulse = buffers.bearings.forces.iter().fold(0.0_f64, |most, p| most.max(p.length()));
                return Err(Stop { t, reason: Reason::Jammed { bodies, impulse, force: impulse / h } });
            }
            let drift = self.way((t, h), whole, held, &blows)?;
            let is_short = drift.as_ref().is_some_and(|drift| drift.end() < t + h);
            let way = whole.jointed.zip(drift.as_deref());
            let (world, states): (&World, _) = (&self.world, &self.states.bodies[..]);
            let (seen, buffers) = ((world, states, &self.detection), &self.buffers);
            let ends = Ends::of_step(seen, buffers, (whole.island, held), (t, h), way);
            let deepest = ends
                .separations
                .iter()
                .zip(&tolerance)
                .fold(0.0_f64, |most, (end, tolerance)| most.max(-end / tolerance));
            let gains = deepest <= GAINS * before || gaps.len() <= MANY || buffers.bearings.is_calm;
            let is_last = round + 1 == IMPULSE_ROUNDS || !gains;
            if deepest <= allowed || is_last || is_short {
                return Ok((outcome, ends, drift.map(|drift| (drift, blows))));
            }
            before = deepest;
            for (i, (gap, end)) in gaps.iter_mut().zip(&ends.separations).enumerate() {
                if *end < -allowed * tolerance[i] {
                    *gap += whole.reach(&held.bearings[i]) * *end;
                }
            }
        }
        unreachable!("the last round returns")
    }

    /// The way of what joints hold, with the impulses as last found.
    fn way(
        &mut self,
        (t, h): (f64, f64),
        whole: &Whole,
        held: &Held,
        blows: &Blows,
    ) -> Result<Option<Box<Drift>>, Stop> {
        let Some(jointed) = whole.jointed else { return Ok(None) };
        let drift = self.drift((t, h), jointed, held, blows)?;
        // Its equations took the buffers.
        let island = whole.island;
        let (world, buffers, smooth) = (&self.world, &mut self.buffers, island.smooth_interval(t));
        IslandEquations { world, island, held: None, buffers, smooth }.load_bodies(t, whole.y);
        Ok(Some(Box::new(drift)))
    }

    /// Changes the momenta by the impulses of all contacts; what these took, and what supports did by them. What joints hold
    /// has its way already.
    fn apply_impulses(&mut self, island: &Island, held: &Held, way: Option<&Way>) -> Losses {
        let bearings = &self.buffers.bearings;
        let slot = |id: BodyId| way.and_then(|(drift, _)| drift.slot(id));
        for (i, bearing) in held.bearings.iter().enumerate() {
            for (side, place) in bearing.bodies.iter().enumerate() {
                let Some(id) = island.bodies.get(*place).filter(|id| slot(**id).is_none()) else { continue };
                let state = &mut self.states.bodies[id.index()];
                for (row, p, _) in bearings.components(i) {
                    let (linear, angular) = part(row, side);
                    state.momentum += p * linear;
                    state.angular_momentum += p * angular;
                }
            }
        }
        let mut losses = Losses::default();
        for (i, bearing) in held.bearings.iter().enumerate() {
            let twists = bearing.bodies.map(|place| match island.bodies.get(place) {
                Some(id) => self.states.bodies[id.index()].twist(self.world.body(*id).inertia()),
                None => self.buffers.loaded[place].kinematics.twist,
            });
            let slots = bearing.bodies.map(|place| island.bodies.get(place).and_then(|id| slot(*id)));
            for (c, (row, p, before)) in bearings.components(i).enumerate() {
                let mean = 0.5 * (before + rate(row, &twists));
                let lost = way.filter(|_| slots != [None; 2]).map_or(-p * mean, |(drift, blows)| {
                    let work = |side: usize| {
                        if let Some(slot) = slots[side] {
                            return drift.work_on(slot, part(row, side), (p, blows.of(i, c)));
                        }
                        let before = &self.buffers.loaded[bearing.bodies[side]].kinematics.twist;
                        p * 0.5 * (side_rate(row, side, before) + side_rate(row, side, &twists[side]))
                    };
                    -(work(0) + work(1))
                });
                *(if c == 0 { &mut losses.normal } else { &mut losses.friction }) += lost;
                for side in (0..2).filter(|side| bearing.bodies[*side] >= island.bodies.len()) {
                    let (linear, angular) = part(row, side);
                    losses.work -= p * (linear.dot(twists[side].velocity) + angular.dot(twists[side].spin));
                }
            }
        }
        losses
    }

    fn log_step(&mut self, t: f64, impulses: &[DVec3], losses: Losses, note: Note) {
        self.log.instants += 1;
        self.log.aggregated += 1;
        let largest = |i: &usize, j: &usize| impulses[*i].x.total_cmp(&impulses[*j].x).then(j.cmp(i));
        let Some(i) = (0..impulses.len()).max_by(largest) else { return };
        let (touching, frame) = (&self.cluster.contacts[i], &self.buffers.bearings.frames[i]);
        let p = impulses[i];
        let velocity = self.relative_velocity_plus(t, touching);
        self.log.add(Event {
            t,
            group: self.log.instants,
            kind: EventKind::Aggregated,
            bodies: touching.bodies.map(|body| BodyId::from_rank(body as usize)),
            features: touching.contact.id,
            point: touching.contact.point,
            normal: frame.normal,
            approach: frame.velocity.x,
            separation: frame.normal.dot(velocity),
            impulse: p.x,
            friction: p.y * frame.tangents[0] + p.z * frame.tangents[1],
            lost: losses.normal + losses.friction,
            law: self.world.contact().law,
            restitution: Restitution::default(),
            rounds: impulses.len() as u32,
            note,
        });
    }
}

pub(super) fn part(row: &Row, side: usize) -> (DVec3, DVec3) {
    if side == 0 { (row.linear_a, row.angular_a) } else { (row.linear_b, row.angular_b) }
}

/// The rate of a component of a contact for these motions of its bodies.
pub(super) fn rate(row: &Row, twists: &[Twist; 2]) -> f64 {
    side_rate(row, 0, &twists[0]) + side_rate(row, 1, &twists[1])
}

/// What one side of a component of a contact adds to its rate.
fn side_rate(row: &Row, side: usize, twist: &Twist) -> f64 {
    let (linear, angular) = part(row, side);
    linear.dot(twist.velocity) + angular.dot(twist.spin)
}
