//! After the impulses of an instant: which contacts stay, what they do, and how everyone goes on.
//!
//! ```text
//! contacts that neither part nor approach                                        (staying)
//! forces and modes of these, as one complementarity problem                      (contact::rest::decide)
//! islands: bodies that forces or contacts with force couple                      (regroup)
//! each of them in flight, held in equilibrium, or with its contacts as equations (track)
//! ```

use super::agenda::Task;
use super::candidates::Candidate;
use super::held::{Held, IslandEquations};
use super::simulation::Simulation;
use super::stop::Reason;
use super::strike::Touching;
use super::track::Track;
use super::turning;
use super::{Buffers, Stop};
use crate::contact::Restitution;
use crate::contact::rest::{Bearing, Decision, Mode};
use crate::dynamics::Island;
use crate::integrate::StepError;
use crate::math::DVec3;
use crate::motion::{Flight, Motion, Prescribed};
use crate::narrow_phase::ContactId;
use crate::record::{Event, EventKind, Note};
use crate::world::{BodyId, Member, World};

/// Speeds below this share of those in play are none. Rounding leaves 1e-15 of them, solvers 1e-12; a decade more, and a
/// bounce that should end its series by itself ends here.
const NO_SPEED: f64 = 1e-11;

/// After a step over many contacts it is this share at most.
const NO_STEPPED_SPEED: f64 = 1e-6;

/// Accelerations below this share of those that loads alone would give are none.
pub(super) const NO_ACCELERATION: f64 = 1e-9;

/// Separations of bodies that part from a contact are rounded by less than this share of the contact tolerance.
const ROUNDED_SEPARATION: f64 = 1e-3;

/// Of no contacts.
fn nothing() -> Decision {
    Decision { modes: Vec::new(), is_consistent: true, is_unique: true, residual: 0.0, turning: Vec::new() }
}

/// A contact that carries force: its bodies, its features, and whether it sticks.
type HeldContact = ([u32; 2], ContactId, bool);

/// The same with where it is and its normal.
type PlacedContact = (HeldContact, DVec3, DVec3);

impl Simulation {
    /// Everyone concerned goes on from the states x⁺ at `t`.
    pub(super) fn settle(&mut self, t: f64) -> Result<(), Stop> {
        let staying: Vec<Touching> =
            self.cluster.contacts.iter().filter(|touching| self.stays(t, touching)).copied().collect();
        let tracks = self.cluster_tracks();
        let free = tracks.iter().all(|k| self.tracks[*k].held.is_none());
        let changed = if staying.is_empty() && free {
            self.fly_on(t, &tracks)?
        } else {
            match self.regroup(t, &tracks, &staying)? {
                Some(changed) => changed,
                None => return Ok(()),
            }
        };
        for body in &changed {
            self.detection.forget(*body);
        }
        for i in 0..self.cluster.contacts.len() {
            let touching = self.cluster.contacts[i];
            let flies =
                |body: &u32| self.place[*body as usize].is_none_or(|(k, _)| self.tracks[k].is_flight());
            let is_closed_form =
                self.detection.is_simple(touching.bodies) && touching.bodies.iter().all(flies);
            if is_closed_form && !self.stays(t, &touching) {
                continue;
            }
            // The deepest of all contacts of the pair.
            let of_pair = self.cluster.contacts.iter().filter(|other| other.bodies == touching.bodies);
            let slack = of_pair.map(|other| self.slack(t, other)).fold(0.0, f64::max);
            self.detection.set_idle(touching.bodies, slack);
        }
        self.cover(&changed, t)?;
        for (seed, _) in std::mem::take(&mut self.unheld) {
            // The step of one may have taken another along.
            let is_taken = |body: &u32| {
                self.place[*body as usize].is_some_and(|(track, _)| self.tracks[track].is_aggregated())
            };
            if !seed.iter().any(is_taken) {
                self.strike_in_storm(t, seed)?;
            }
        }
        Ok(())
    }

    /// The tracks of the bodies of the cluster, each once.
    pub(super) fn cluster_tracks(&self) -> Vec<usize> {
        let place = |body: &u32| self.place[*body as usize].map(|(track, _)| track);
        let mut tracks: Vec<usize> = self.cluster.bodies.iter().filter_map(place).collect();
        tracks.sort_unstable();
        tracks.dedup();
        tracks
    }

    /// The speed below which a contact counts as still, m/s: from the speeds there and from what its loads could make of
    /// it over its own size.
    pub(super) fn still_speed(&self, t: f64, touching: &Touching) -> f64 {
        let gravity = self.world.gravity().length();
        let mut scale = 0.0_f64;
        for side in 0..2 {
            let id = BodyId::from_rank(touching.bodies[side] as usize);
            let twist = match self.world.body(id).prescribed_motion() {
                Some(motion) => motion.twist(t),
                None => self.states.bodies[id.index()].twist(self.world.body(id).inertia()),
            };
            let radius = self.detection.collider(touching.bodies[side]).map_or(0.0, |c| c.radius);
            let radius = if radius.is_finite() { radius } else { 0.0 };
            scale = scale.max(twist.velocity.length() + twist.spin.length() * radius);
            scale = scale.max((gravity * radius).sqrt());
        }
        scale * NO_SPEED.max(self.stepped_speed(t, touching.bodies))
    }

    /// Whether the bodies of a contact do not part.
    fn stays(&self, t: f64, touching: &Touching) -> bool {
        if self.cluster.closed.contains(&touching.bodies) {
            return true;
        }
        let rate = touching.contact.normal.dot(self.relative_velocity_plus(t, touching));
        rate <= self.still_speed(t, touching) || rate <= self.slight_speed(touching)
    }

    /// The speed at which a pair that parts comes back before it is as far apart as rounding, m/s: v² = 2 a h. It is taken
    /// to stay, if the forces press it together. [SYSTEM, trap 4]
    fn slight_speed(&self, touching: &Touching) -> f64 {
        // A pair by itself has its series of bounces, which is closed at its limit.
        let is_alone = self.cluster.contacts.iter().all(|other| other.bodies == touching.bodies);
        if is_alone || touching.surface.restitution >= 1.0 {
            return 0.0;
        }
        (2.0 * self.world.gravity().length() * ROUNDED_SEPARATION * touching.tolerance).sqrt()
    }

    /// How deep a pair that touches now may come to overlap before that counts as touching again, m.
    ///
    /// For one that parts: what rounding made of zero. For one that stays: half of what counts as touching, so that
    /// looking again does not find what is known.
    fn slack(&self, t: f64, touching: &Touching) -> f64 {
        if self.stays(t, touching) {
            0.5 * touching.tolerance
        } else {
            (-touching.contact.separation).clamp(0.0, touching.tolerance)
                + ROUNDED_SEPARATION * touching.tolerance
        }
    }

    /// The members of a track go on from their states at `t` without contacts; those that touch will be found to.
    pub(super) fn begin_anew(&mut self, t: f64, track: usize) -> Result<(), Stop> {
        let changed = if self.tracks[track].island.joints.is_empty() {
            let (members, forces) = self.members_of(&[track]);
            self.retire(&[track]);
            self.make_islands(t, &members, &forces, (&[], &nothing()))?
        } else {
            // Its joints may have limits that are reached: these are decided here.
            self.cluster.take_alone(&self.tracks[track].island);
            self.collide(t)?;
            self.regroup(t, &[track], &[])?.unwrap_or_default()
        };
        for body in &changed {
            self.detection.forget(*body);
        }
        self.cover(&changed, t)
    }

    /// Nothing stays in contact: all islands are as they were.
    fn fly_on(&mut self, t: f64, tracks: &[usize]) -> Result<Vec<u32>, Stop> {
        let mut changed = Vec::new();
        for i in 0..self.cluster.bodies.len() {
            let body = self.cluster.bodies[i];
            let Some((track, k)) = self.place[body as usize] else { continue };
            if self.tracks[track].is_flight() {
                let inertia = self.world.body(BodyId::from_rank(body as usize)).inertia();
                let state = &self.states.bodies[body as usize];
                self.tracks[track].deflect(k, Flight::new(inertia, state, self.world.gravity(), t));
                changed.push(body);
            }
        }
        for (i, &k) in tracks.iter().enumerate() {
            let track = &mut self.tracks[k];
            if track.is_flight() {
                continue;
            }
            if let Err(error) = track.resume(t, &self.world, &mut self.states, &mut self.buffers) {
                let stop = Stop::motion(&self.world, &track.island, t, error);
                // The impulses are booked: who has not gone on from them stays in the states after them.
                self.retire(&tracks[i..]);
                return Err(stop);
            }
            let track = &self.tracks[k];
            self.agenda.add(track.clock(), Task::Step { track: k as u32, version: track.version });
            changed.extend(track.island.bodies.iter().map(|id| id.index() as u32));
        }
        changed.sort_unstable();
        Ok(changed)
    }

    /// Finds forces and modes of the contacts that stay, and makes new islands of all bodies on these tracks; returns the
    /// bodies whose motion is new. None where no modes or no steps were found: then one step over all contacts was taken.
    fn regroup(&mut self, t: f64, tracks: &[usize], staying: &[Touching]) -> Result<Option<Vec<u32>>, Stop> {
        let (members, forces) = self.members_of(tracks);
        let supports = self.supports_of(staying.iter().map(|touching| touching.bodies));
        let island = Island::of(&self.world, &members, forces.clone(), &supports);
        let before = self.held_by(t, tracks);
        let turning = self.turning_contacts(tracks);
        let likely = self.last_forces(tracks);
        self.buffers.likely.set(likely.into_iter().map(|last| (last.contact, last.push.force)));
        self.retire(tracks);
        self.unheld.clear();
        let held = self.hold(t, &island, (&members, &forces), staying);
        self.buffers.likely.set(std::iter::empty());
        if held.as_ref().is_err_and(Stop::is_passable) && !staying.is_empty() {
            // Slips that end together, as those of a face that slides and spins, end faster than steps can follow; and in
            // a configuration of Painlevé there are no forces, but impulses.
            let made = std::mem::take(&mut self.made);
            self.retire(&made);
            let changed = self.make_islands(t, &members, &forces, (&[], &nothing()))?;
            // Not everyone touches these two, directly or through others.
            for body in &changed {
                self.detection.forget(*body);
            }
            self.cover(&changed, t)?;
            self.strike_in_storm(t, staying[0].bodies)?;
            return Ok(None);
        }
        // What goes by a step over a crowd has neither broken nor begun.
        let goes_on = |((pair, ..), ..): &PlacedContact| {
            !self.unheld.iter().any(|(_, bodies)| pair.iter().any(|body| bodies.contains(body)))
        };
        let before: Vec<PlacedContact> = before.into_iter().filter(goes_on).collect();
        self.log_modes(t, &before);
        self.log_turning(t, &turning);
        held.map(Some)
    }

    /// The fixed and kinematic bodies of these pairs.
    pub(super) fn supports_of(&self, pairs: impl Iterator<Item = [u32; 2]>) -> Vec<BodyId> {
        let immobile =
            pairs.flatten().filter(|body| !self.world.body(BodyId::from_rank(*body as usize)).is_dynamic());
        immobile.map(|body| BodyId::from_rank(body as usize)).collect()
    }

    /// The contacts that these tracks hold: bodies, features, whether they stick, and where they are in the present states.
    pub(super) fn held_by(&self, t: f64, tracks: &[usize]) -> Vec<PlacedContact> {
        let mut found: Vec<PlacedContact> = Vec::new();
        for k in tracks {
            let Some(held) = &self.tracks[*k].held else { continue };
            for ((pair, id), bearing) in held.pairs.iter().zip(&held.features).zip(&held.bearings) {
                let [a, b] = pair.map(|body| self.pose_and_twist(t, body).0);
                let (points, normal) = (bearing.function.points(&a, &b), bearing.function.normal(&a, &b));
                found.push(((*pair, *id, bearing.mode == Mode::Stick), points[0], normal));
            }
        }
        found.sort_unstable_by_key(|(contact, ..)| *contact);
        found
    }

    /// Logs contacts that began or ceased to carry force, or changed between sticking and sliding.
    pub(super) fn log_modes(&mut self, t: f64, before: &[PlacedContact]) {
        let made = std::mem::take(&mut self.made);
        let now = self.held_by(t, &made);
        self.made = made;
        let is_new = |c: &&PlacedContact| !before.iter().any(|b| b.0 == c.0);
        let changes = now.iter().filter(is_new).map(|c| (*c, EventKind::Rest));
        let is_gone = |c: &&PlacedContact| !now.iter().any(|n| (n.0.0, n.0.1) == (c.0.0, c.0.1));
        let changes: Vec<_> =
            changes.chain(before.iter().filter(is_gone).map(|c| (*c, EventKind::Break))).collect();
        for (((pair, id, sticks), point, normal), kind) in changes {
            let velocity = self.relative_velocity_at(t, pair, point);
            let kind = if kind == EventKind::Rest && !sticks { EventKind::Slide } else { kind };
            self.log.add(Event {
                t,
                group: self.log.instants,
                kind,
                bodies: pair.map(|body| BodyId::from_rank(body as usize)),
                features: id,
                point,
                normal,
                approach: normal.dot(velocity),
                separation: normal.dot(velocity),
                impulse: 0.0,
                friction: DVec3::ZERO,
                lost: 0.0,
                law: self.world.contact().law,
                restitution: Restitution::default(),
                rounds: 0,
                note: Note::Determinate,
            });
        }
    }

    /// Forces and modes of the contacts that stay, and islands accordingly.
    fn hold(
        &mut self,
        t: f64,
        island: &Island,
        (members, forces): (&[Member], &[usize]),
        staying: &[Touching],
    ) -> Result<Vec<u32>, Stop> {
        self.made.clear();
        let candidates = self.candidates(t, island, staying);
        let decision = self.decide(t, island, &candidates)?;
        self.make_islands(t, members, forces, (&candidates, &decision))
    }

    pub(super) fn members_of(&self, tracks: &[usize]) -> (Vec<Member>, Vec<usize>) {
        let (mut members, mut forces) = (Vec::new(), Vec::new());
        for k in tracks {
            let island = &self.tracks[*k].island;
            members.extend(island.bodies.iter().map(|id| Member::Body(*id)));
            members.extend(island.sets.iter().map(|id| Member::Set(*id)));
            forces.extend(&island.forces);
        }
        members.sort_unstable();
        forces.sort_unstable();
        (members, forces)
    }

    /// Forces and modes of all candidates at once.
    fn decide(&mut self, t: f64, island: &Island, candidates: &[Candidate]) -> Result<Decision, Stop> {
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y);
        let bearings: Vec<Bearing> = candidates.iter().map(|c| c.bearing).collect();
        let slides: Vec<bool> = candidates.iter().map(|c| c.slides).collect();
        let start = self.buffers.likely.of(candidates.iter().map(Candidate::key));
        let decision = self.decide_modes(t, (island, &y), (&bearings, &slides, &start));
        if !start.is_empty() {
            let Buffers { likely, bearings, .. } = &mut self.buffers;
            likely.set(candidates.iter().map(Candidate::key).zip(bearings.forces.iter().copied()));
        }
        if decision.is_consistent {
            if let Some(first) = candidates.first() {
                self.log_indeterminate(t, &first.touching, &bearings, &slides);
            }
            return Ok(decision);
        }
        let first = island.bodies.first().map_or(0, |id| id.index() as u32);
        let bodies = candidates.first().map_or([first; 2], |candidate| candidate.touching.bodies);
        let bodies = bodies.map(|body| self.world.body_name(BodyId::from_rank(body as usize)));
        let problem = "no contact forces within the law of friction keep the bodies from overlapping";
        Err(Stop { t, reason: Reason::Resting { bodies, problem } })
    }

    /// Books what was done on these tracks, and empties them.
    pub(super) fn retire(&mut self, tracks: &[usize]) {
        for &k in tracks {
            let track = &mut self.tracks[k];
            let done = track.done();
            self.log.work += done.work;
            self.log.losses.friction += done.friction;
            self.log.losses.closing += done.closing;
            self.retired = self.retired.with(&track.statistics());
            if let Some(held) = &track.held {
                for pair in &held.pairs {
                    self.detection.set_resting(*pair, false);
                }
            }
            track.retire(&self.world);
            self.vacant.push(k);
        }
        // The lowest first, so that tracks are used in the order of time and bodies alone.
        self.vacant.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// New islands of these members: coupled by forces and by contacts that carry force. Where some are held and others have no
    /// steps, those others fly, and are to take a step over all their contacts (`unheld`).
    fn make_islands(
        &mut self,
        t: f64,
        members: &[Member],
        forces: &[usize],
        (candidates, decision): (&[Candidate], &Decision),
    ) -> Result<Vec<u32>, Stop> {
        let carries = |i: usize| decision.modes[i].is_some();
        let mut links: Vec<Vec<Member>> = forces.iter().map(|f| self.world.forces()[*f].members()).collect();
        links.extend(Island::joint_links(&self.world));
        for i in (0..candidates.len()).filter(|i| carries(*i)) {
            let bodies = candidates[i].touching.bodies;
            links.push(bodies.iter().map(|b| Member::Body(BodyId::from_rank(*b as usize))).collect());
        }
        let (mut changed, mut failed, mut has_held) = (Vec::new(), Vec::new(), false);
        for group in Island::coupled(members, &links) {
            let own_forces: Vec<usize> = forces
                .iter()
                .copied()
                .filter(|f| self.world.forces()[*f].members().iter().any(|m| group.contains(m)))
                .collect();
            let is_own = |i: &usize| {
                let bodies = candidates[*i].touching.bodies;
                carries(*i)
                    && bodies.iter().any(|b| group.contains(&Member::Body(BodyId::from_rank(*b as usize))))
            };
            let own: Vec<usize> = (0..candidates.len()).filter(is_own).collect();
            let made = self.make_island(t, &group, own_forces.clone(), (candidates, decision, &own));
            match (made, own.first()) {
                (Ok(k), _) => {
                    changed.extend(self.tracks[k].island.bodies.iter().map(|id| id.index() as u32));
                    has_held |= !own.is_empty();
                }
                (Err(stop), Some(first)) if stop.is_passable() => {
                    let seed = candidates[*first].touching.bodies;
                    failed.push((group, own_forces, seed, stop));
                    let unmade = self.made.pop();
                    self.retire(unmade.as_slice());
                }
                (Err(stop), _) => return Err(stop),
            }
        }
        if !has_held && !failed.is_empty() {
            // No one is held: all of them go by one step.
            return Err(failed.swap_remove(0).3);
        }
        for (group, own_forces, seed, _) in failed {
            let bodies = self.make_islands(t, &group, &own_forces, (&[], &nothing()))?;
            changed.extend(&bodies);
            self.unheld.push((seed, bodies));
        }
        changed.sort_unstable();
        Ok(changed)
    }

    fn make_island(
        &mut self,
        t: f64,
        members: &[Member],
        forces: Vec<usize>,
        (candidates, decision, own): (&[Candidate], &Decision, &[usize]),
    ) -> Result<usize, Stop> {
        let mut supports = Vec::new();
        for i in own {
            let bodies = candidates[*i].touching.bodies.iter();
            let immobile = bodies.filter(|body| self.place[**body as usize].is_none());
            supports.extend(immobile.map(|body| BodyId::from_rank(*body as usize)));
        }
        let island = Island::of(&self.world, members, forces, &supports);
        let mut held = Held::new(&island);
        for i in own {
            let Candidate { touching, bearing, .. } = &candidates[*i];
            let mode = decision.modes[*i].unwrap_or(Mode::Stick);
            let bearing = turning::with_modes(&Bearing { mode, ..*bearing }, decision.turning[*i]);
            held.add(&island, touching.bodies, touching.contact.id, &bearing);
            self.detection.set_resting(touching.bodies, true);
        }
        let held = (!own.is_empty() || !island.joints.is_empty()).then_some(held);
        let k = self.vacant.pop().unwrap_or(self.tracks.len());
        self.made.push(k);
        for (place, id) in island.bodies.iter().enumerate() {
            self.place[id.index()] = Some((k, place));
        }
        if k == self.tracks.len() {
            let empty = Island::of(&self.world, &[], Vec::new(), &[]);
            self.tracks.push(Track::at_rest(&self.world, (empty, None), &self.states, t));
        }
        let names = island.clone();
        let stop = |world: &crate::world::World, error| Stop::motion(world, &names, t, error);
        let mut track = match held {
            Some(held) => self.begin_held(t, island, held).map_err(|e| stop(&self.world, e))?,
            None => Track::new(&self.world, (island, None), &mut self.states, t, &mut self.buffers)
                .map_err(|e| stop(&self.world, e))?,
        };
        if !track.is_known() {
            track.step(&self.world, &mut self.states, &mut self.buffers).map_err(|e| stop(&self.world, e))?;
        }
        track.version = self.tracks[k].version + 1;
        self.tracks[k] = track;
        let task = Task::Step { track: k as u32, version: self.tracks[k].version };
        self.agenda.add(self.tracks[k].clock(), task);
        self.watch_modes(k);
        Ok(k)
    }

    /// Whether an island stands still in its present state, and stays so.
    pub(super) fn is_at_rest_now(&mut self, k: usize) -> bool {
        let track = &self.tracks[k];
        if !is_steady(&self.world, &track.island, self.t) {
            return false;
        }
        let y = track.vector_of(&self.states);
        let mut equations = track.equations(&self.world, &mut self.buffers);
        equations.is_equilibrium(self.t, &y, NO_SPEED, NO_ACCELERATION)
    }

    /// An island with contacts: put onto them, and then at rest if that is an equilibrium.
    fn begin_held(&mut self, t: f64, island: Island, held: Held) -> Result<Track, StepError> {
        let dim = island.dim();
        let mut y = vec![0.0; dim + super::held::SUMS];
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y[..dim]);
        let smooth = island.smooth_interval(t);
        let world = &self.world;
        let buffers = &mut self.buffers;
        let mut equations = IslandEquations { world, island: &island, held: Some(&held), buffers, smooth };
        equations.put_back(t, &mut y);
        let bodies = island.bodies.iter().map(|id| id.index() as u32);
        let stepped = bodies.map(|body| self.stepped_speed(t, [body; 2])).fold(0.0, f64::max);
        let buffers = &mut self.buffers;
        let mut equations = IslandEquations { world, island: &island, held: Some(&held), buffers, smooth };
        let speed = NO_SPEED.max(stepped.min(NO_STEPPED_SPEED));
        let is_still = equations.is_equilibrium(t, &y, speed, NO_ACCELERATION);
        self.log.losses.closing += y[dim + 1];
        island.unpack(&y[..dim], &mut self.states.bodies, &mut self.states.sets);
        if is_still && world.contact().equilibrium_shortcut && is_steady(world, &island, t) {
            self.stop_moving(&island);
            return Ok(Track::at_rest(&self.world, (island, Some(held)), &self.states, t));
        }
        if held.bearings.len() > self.buffers.bearings.most_dense() {
            // So many contacts in motion go by steps over all of them.
            return Err(StepError::StepTooSmall { t, h: 0.0, component: 0, error: 0.0 });
        }
        Track::new(world, (island, Some(held)), &mut self.states, t, &mut self.buffers)
    }

    /// Takes the last of their motion from the bodies of an island in equilibrium, and books it.
    pub(super) fn stop_moving(&mut self, island: &Island) {
        for id in &island.bodies {
            let inertia = self.world.body(*id).inertia();
            let state = &mut self.states.bodies[id.index()];
            self.log.losses.closing += state.kinetic_energy(inertia);
            (state.momentum, state.angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
}

/// Whether all members of a force that others move stand still for ever.
fn has_still_members(world: &World, force: usize) -> bool {
    world.forces()[force].members().iter().all(|member| match member {
        Member::Body(id) => {
            world.body(*id).prescribed_motion().is_none_or(|motion| matches!(motion, Prescribed::Still(_)))
        }
        Member::Set(_) => false,
    })
}

/// Whether nothing that acts on an island changes with time from `t` on.
pub(super) fn is_steady(world: &World, island: &Island, t: f64) -> bool {
    let still = |id: &BodyId| matches!(world.body(*id).prescribed_motion(), Some(Prescribed::Still(_)));
    island.sets.is_empty()
        && island.supports.iter().all(still)
        && island.forces.iter().all(|f| world.forces()[*f].is_steady(t) && has_still_members(world, *f))
        && island.joints.iter().all(|place| world.joints()[*place].is_steady())
}
