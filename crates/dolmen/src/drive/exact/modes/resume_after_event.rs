//! After the impulses of an instant: which contacts stay, what they do, and how everyone goes on.
//!
//! ```text
//! contacts that neither part nor approach                                        (staying)
//! forces and modes of these, as one complementarity problem                      (contact::rest::decide)
//! islands: bodies that forces or contacts with force couple                      (regroup)
//! each of them in flight, held in equilibrium, or with its contacts as equations (track)
//! ```

use crate::contact::rest::{ContactConstraint, Decision, Mode};
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::rolling;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::{Track, last_forces};
use crate::drive::exact::modes::persisting_contacts::PersistingContact;
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::integrate::StepError;
use crate::math::DVec3;
use crate::motion::{Flight, Motion, Prescribed};
use crate::narrow_phase::ContactId;
use crate::record::{Event, EventKind, EventPlace};
use crate::world::{BodyId, Member, World};

/// Speeds below this share of the velocity scale are none. Rounding leaves 1e-15 of them, solvers 1e-12; a decade more, and a
/// bounce that should end its series by itself ends here.
const NO_SPEED: f64 = 1e-11;

/// After a time time step over many contacts it is this share at most.
const NO_STEPPED_SPEED: f64 = 1e-6;

/// Accelerations below this share of those that loads alone would give are none.
pub(crate) const NO_ACCELERATION: f64 = 1e-9;

/// Separations of bodies that part from a contact are rounded by less than this share of the contact tolerance.
const ROUNDED_SEPARATION: f64 = 1e-3;

/// Of no contacts.
fn nothing() -> Decision {
    Decision { modes: Vec::new(), is_consistent: true, is_unique: true, residual: 0.0, rolling: Vec::new() }
}

/// A contact that carries force: its bodies, its features, and whether it sticks.
type ActiveContact = ([u32; 2], ContactId, bool);

/// The same with where it is and its normal.
type PlacedContact = (ActiveContact, DVec3, DVec3);

impl Simulation {
    /// Everyone concerned goes on from the states x⁺ at `t`.
    pub(crate) fn resume_after_event(&mut self, t: f64) -> Result<(), Stop> {
        let persisting: Vec<Touching> = self
            .scratch
            .cluster
            .contacts
            .iter()
            .filter(|touching| self.persists(t, touching))
            .copied()
            .collect();
        let tracks = self.cluster_tracks();
        let free = tracks.iter().all(|k| self.state.tracks[*k].active.is_none());
        let changed = if persisting.is_empty() && free {
            self.fly_on(t, &tracks)?
        } else {
            match self.regroup(t, &tracks, &persisting)? {
                Some(changed) => changed,
                None => return Ok(()),
            }
        };
        for body in &changed {
            self.state.detection.forget(*body);
        }
        for i in 0..self.scratch.cluster.contacts.len() {
            let touching = self.scratch.cluster.contacts[i];
            let flies = |body: &u32| {
                self.state.places[*body as usize].is_none_or(|(k, _)| self.state.tracks[k].is_flight())
            };
            let is_closed_form =
                self.state.detection.is_simple(touching.bodies) && touching.bodies.iter().all(flies);
            if is_closed_form && !self.persists(t, &touching) {
                continue;
            }
            // The deepest of all contacts of the pair.
            let of_pair =
                self.scratch.cluster.contacts.iter().filter(|other| other.bodies == touching.bodies);
            let slack = of_pair.map(|other| self.slack(t, other)).fold(0.0, f64::max);
            self.state.detection.set_idle(touching.bodies, slack);
        }
        self.refit(&changed, t)?;
        for (seed, _) in std::mem::take(&mut self.scratch.without_modes) {
            // The step of one may have taken another along.
            let is_taken = |body: &u32| {
                self.state.places[*body as usize]
                    .is_some_and(|(track, _)| self.state.tracks[track].is_time_step())
            };
            if !seed.iter().any(is_taken) {
                self.step_over_events(t, seed)?;
            }
        }
        Ok(())
    }

    /// The tracks of the bodies of the cluster, each once.
    pub(crate) fn cluster_tracks(&self) -> Vec<usize> {
        let place = |body: &u32| self.state.places[*body as usize].map(|(track, _)| track);
        let mut tracks: Vec<usize> = self.scratch.cluster.bodies.iter().filter_map(place).collect();
        tracks.sort_unstable();
        tracks.dedup();
        tracks
    }

    /// The speed below which a contact counts as still, m/s: from the speeds there and from what its loads could make of
    /// it over its own size.
    pub(crate) fn still_speed(&self, t: f64, touching: &Touching) -> f64 {
        let gravity = self.world.gravity().length();
        let mut scale = 0.0_f64;
        for side in 0..2 {
            let id = BodyId::from_rank(touching.bodies[side] as usize);
            let twist = match self.world.body(id).prescribed_motion() {
                Some(motion) => motion.twist(t),
                None => self.state.states.bodies[id.index()].twist(self.world.body(id).inertia()),
            };
            let radius = self.state.detection.collider(touching.bodies[side]).map_or(0.0, |c| c.radius);
            let radius = if radius.is_finite() { radius } else { 0.0 };
            scale = scale.max(twist.velocity.length() + twist.spin.length() * radius);
            scale = scale.max((gravity * radius).sqrt());
        }
        scale * NO_SPEED.max(self.stepped_speed(t, touching.bodies))
    }

    /// Whether the bodies of a contact do not part.
    fn persists(&self, t: f64, touching: &Touching) -> bool {
        if self.scratch.cluster.closed.contains(&touching.bodies) {
            return true;
        }
        let rate = touching.contact.normal.dot(self.relative_velocity_plus(t, touching));
        rate <= self.still_speed(t, touching) || rate <= self.slight_speed(touching)
    }

    /// The speed at which a pair that parts comes back before it is as far apart as rounding, m/s: v² = 2 a h. It is taken
    /// to stay, if the forces press it together. [SYSTEM, trap 4]
    fn slight_speed(&self, touching: &Touching) -> f64 {
        // A pair by itself has its series of bounces, which is closed at its limit.
        let is_alone = self.scratch.cluster.contacts.iter().all(|other| other.bodies == touching.bodies);
        if is_alone || touching.surface.restitution >= 1.0 {
            return 0.0;
        }
        (2.0 * self.world.gravity().length() * ROUNDED_SEPARATION * touching.tolerance).sqrt()
    }

    /// How deep a pair that touches now may come to overlap before that counts as touching again, m.
    ///
    /// For one that parts: what rounding made of zero. For one that stays: half of the contact tolerance, so that
    /// looking again does not find what is known.
    fn slack(&self, t: f64, touching: &Touching) -> f64 {
        if self.persists(t, touching) {
            0.5 * touching.tolerance
        } else {
            (-touching.contact.separation).clamp(0.0, touching.tolerance)
                + ROUNDED_SEPARATION * touching.tolerance
        }
    }

    /// The members of a track go on from their states at `t` without contacts; those that touch will be found to.
    pub(crate) fn begin_anew(&mut self, t: f64, track: usize) -> Result<(), Stop> {
        let changed = if self.state.tracks[track].island.joints.is_empty() {
            let (members, forces) = self.members_of(&[track]);
            self.retire(&[track]);
            self.make_islands(t, &members, &forces, (&[], &nothing()))?
        } else {
            // Its joints may have limits that are reached: these are decided here.
            self.scratch.cluster.take_alone(&self.state.tracks[track].island);
            self.collide(t)?;
            self.regroup(t, &[track], &[])?.unwrap_or_default()
        };
        for body in &changed {
            self.state.detection.forget(*body);
        }
        self.refit(&changed, t)
    }

    /// Nothing stays in contact: all islands are as they were.
    fn fly_on(&mut self, t: f64, tracks: &[usize]) -> Result<Vec<u32>, Stop> {
        let mut changed = Vec::new();
        for i in 0..self.scratch.cluster.bodies.len() {
            let body = self.scratch.cluster.bodies[i];
            let Some((track, k)) = self.state.places[body as usize] else { continue };
            if self.state.tracks[track].is_flight() {
                let inertia = self.world.body(BodyId::from_rank(body as usize)).inertia();
                let state = &self.state.states.bodies[body as usize];
                self.state.tracks[track].deflect(k, Flight::new(inertia, state, self.world.gravity(), t));
                changed.push(body);
            }
        }
        for (i, &k) in tracks.iter().enumerate() {
            let track = &mut self.state.tracks[k];
            if track.is_flight() {
                continue;
            }
            if let Err(error) = track.resume(
                t,
                &self.world,
                &mut self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            ) {
                let stop = Stop::motion(&self.world, &track.island, t, error);
                // The impulses are booked: who has not gone on from them stays in the states after them.
                self.retire(&tracks[i..]);
                return Err(stop);
            }
            let track = &self.state.tracks[k];
            self.state.queue.add(track.clock(), Task::Step { track: k as u32, version: track.version });
            changed.extend(track.island.bodies.iter().map(|id| id.index() as u32));
        }
        changed.sort_unstable();
        Ok(changed)
    }

    /// Finds forces and modes of the contacts that stay, and makes new islands of all bodies on these tracks; returns the
    /// bodies whose motion is new. None where no modes or no steps were found: then one time step was taken.
    fn regroup(
        &mut self,
        t: f64,
        tracks: &[usize],
        persisting: &[Touching],
    ) -> Result<Option<Vec<u32>>, Stop> {
        let (members, forces) = self.members_of(tracks);
        let supports = self.supports_of(persisting.iter().map(|touching| touching.bodies));
        let island = Island::of(&self.world, &members, forces.clone(), &supports);
        let before = self.active_contacts(t, tracks);
        let rolling = self.rolling_contacts(tracks);
        let warm_start = last_forces(tracks.iter().map(|k| &self.state.tracks[*k]));
        self.scratch
            .island
            .warm_start
            .set(warm_start.into_iter().map(|last| (last.contact, last.push.force)));
        self.retire(tracks);
        self.scratch.without_modes.clear();
        let active = self.solve_equalities(t, &island, (&members, &forces), persisting);
        self.scratch.island.warm_start.set(std::iter::empty());
        if active.as_ref().is_err_and(Stop::is_passable) && !persisting.is_empty() {
            // Slips that end together, as those of a face that slides and spins, end faster than steps can follow; and in
            // a configuration of Painlevé there are no forces, but impulses.
            let new_tracks = std::mem::take(&mut self.scratch.new_tracks);
            self.retire(&new_tracks);
            let changed = self.make_islands(t, &members, &forces, (&[], &nothing()))?;
            // Not everyone touches these two, directly or through others.
            for body in &changed {
                self.state.detection.forget(*body);
            }
            self.refit(&changed, t)?;
            self.step_over_events(t, persisting[0].bodies)?;
            return Ok(None);
        }
        // What goes by a time step has neither broken nor begun.
        let goes_on = |((pair, ..), ..): &PlacedContact| {
            !self
                .scratch
                .without_modes
                .iter()
                .any(|(_, bodies)| pair.iter().any(|body| bodies.contains(body)))
        };
        let before: Vec<PlacedContact> = before.into_iter().filter(goes_on).collect();
        self.log_modes(t, &before);
        self.log_rolling(t, &rolling);
        active.map(Some)
    }

    /// The fixed and kinematic bodies of these pairs.
    pub(crate) fn supports_of(&self, pairs: impl Iterator<Item = [u32; 2]>) -> Vec<BodyId> {
        let immobile =
            pairs.flatten().filter(|body| !self.world.body(BodyId::from_rank(*body as usize)).is_dynamic());
        immobile.map(|body| BodyId::from_rank(body as usize)).collect()
    }

    /// The contacts that these tracks hold: bodies, features, whether they stick, and where they are in the present states.
    pub(crate) fn active_contacts(&self, t: f64, tracks: &[usize]) -> Vec<PlacedContact> {
        let mut found: Vec<PlacedContact> = Vec::new();
        for k in tracks {
            let Some(active) = &self.state.tracks[*k].active else { continue };
            for ((pair, id), constraint) in active.pairs.iter().zip(&active.features).zip(&active.constraints)
            {
                let [a, b] = pair.map(|body| self.pose_and_twist(t, body).0);
                let (points, normal) =
                    (constraint.function.points(&a, &b), constraint.function.normal(&a, &b));
                found.push(((*pair, *id, constraint.mode == Mode::Stick), points[0], normal));
            }
        }
        found.sort_unstable_by_key(|(contact, ..)| *contact);
        found
    }

    /// Logs contacts that began or ceased to carry force, or changed between sticking and sliding.
    pub(crate) fn log_modes(&mut self, t: f64, before: &[PlacedContact]) {
        let new_tracks = std::mem::take(&mut self.scratch.new_tracks);
        let now = self.active_contacts(t, &new_tracks);
        self.scratch.new_tracks = new_tracks;
        let is_new = |c: &&PlacedContact| !before.iter().any(|b| b.0 == c.0);
        let changes = now.iter().filter(is_new).map(|c| (*c, EventKind::Rest));
        let is_gone = |c: &&PlacedContact| !now.iter().any(|n| (n.0.0, n.0.1) == (c.0.0, c.0.1));
        let changes: Vec<_> =
            changes.chain(before.iter().filter(is_gone).map(|c| (*c, EventKind::Break))).collect();
        for (((pair, id, sticks), point, normal), kind) in changes {
            let velocity = self.relative_velocity_at(t, pair, point);
            let kind = if kind == EventKind::Rest && !sticks { EventKind::Slide } else { kind };
            let place = EventPlace::new(pair, id, point, normal);
            self.state.log.add(Event {
                approach: normal.dot(velocity),
                separation: normal.dot(velocity),
                law: self.world.contact().law,
                ..Event::new(t, self.state.log.instants, kind, place)
            });
        }
    }

    /// Forces and modes of the contacts that stay, and islands accordingly.
    fn solve_equalities(
        &mut self,
        t: f64,
        island: &Island,
        (members, forces): (&[Member], &[usize]),
        persisting: &[Touching],
    ) -> Result<Vec<u32>, Stop> {
        self.scratch.new_tracks.clear();
        let persisting_contacts = self.persisting_contacts(t, island, persisting);
        let decision = self.decide(t, island, &persisting_contacts)?;
        self.make_islands(t, members, forces, (&persisting_contacts, &decision))
    }

    pub(crate) fn members_of(&self, tracks: &[usize]) -> (Vec<Member>, Vec<usize>) {
        let (mut members, mut forces) = (Vec::new(), Vec::new());
        for k in tracks {
            let island = &self.state.tracks[*k].island;
            members.extend(island.bodies.iter().map(|id| Member::Body(*id)));
            members.extend(island.sets.iter().map(|id| Member::Set(*id)));
            forces.extend(&island.forces);
        }
        members.sort_unstable();
        forces.sort_unstable();
        (members, forces)
    }

    /// Forces and modes of all candidates at once.
    fn decide(
        &mut self,
        t: f64,
        island: &Island,
        persisting_contacts: &[PersistingContact],
    ) -> Result<Decision, Stop> {
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y);
        let constraints: Vec<ContactConstraint> = persisting_contacts.iter().map(|c| c.constraint).collect();
        let slides: Vec<bool> = persisting_contacts.iter().map(|c| c.slides).collect();
        let start = self.scratch.island.warm_start.of(persisting_contacts.iter().map(PersistingContact::key));
        let decision = self.decide_modes(t, (island, &y), (&constraints, &slides, &start));
        if !start.is_empty() {
            let IslandScratch { warm_start, constraints, .. } = &mut self.scratch.island;
            warm_start.set(
                persisting_contacts
                    .iter()
                    .map(PersistingContact::key)
                    .zip(constraints.forces.iter().copied()),
            );
        }
        if decision.is_consistent {
            if let Some(first) = persisting_contacts.first() {
                self.log_indeterminate(t, &first.touching, &constraints, &slides);
            }
            return Ok(decision);
        }
        let first = island.bodies.first().map_or(0, |id| id.index() as u32);
        let bodies = persisting_contacts.first().map_or([first; 2], |persisting| persisting.touching.bodies);
        let bodies = bodies.map(|body| self.world.body_name(BodyId::from_rank(body as usize)));
        let problem = "no contact forces within the law of friction keep the bodies from overlapping";
        Err(Stop { t, reason: Reason::Resting { bodies, problem } })
    }

    /// Books what was done on these tracks, and empties them.
    pub(crate) fn retire(&mut self, tracks: &[usize]) {
        for &k in tracks {
            let track = &mut self.state.tracks[k];
            let done = track.done();
            self.state.log.work += done.work;
            self.state.log.losses.friction += done.friction;
            self.state.log.losses.closing += done.closing;
            self.state.retired = self.state.retired.with(&track.statistics());
            if let Some(active) = &track.active {
                for pair in &active.pairs {
                    self.state.detection.set_resting(*pair, false);
                }
            }
            track.retire(&self.world);
            self.state.vacant.push(k);
        }
        // The lowest first, so that tracks are used in the order of time and bodies alone.
        self.state.vacant.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// New islands of these members: coupled by forces and by contacts that carry force. Where some are held and others have no
    /// steps, those others fly, and are to take a time step (`unheld`).
    fn make_islands(
        &mut self,
        t: f64,
        members: &[Member],
        forces: &[usize],
        (persisting_contacts, decision): (&[PersistingContact], &Decision),
    ) -> Result<Vec<u32>, Stop> {
        let carries = |i: usize| decision.modes[i].is_some();
        let mut links: Vec<Vec<Member>> = forces.iter().map(|f| self.world.forces()[*f].members()).collect();
        links.extend(Island::joint_links(&self.world));
        for i in (0..persisting_contacts.len()).filter(|i| carries(*i)) {
            let bodies = persisting_contacts[i].touching.bodies;
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
                let bodies = persisting_contacts[*i].touching.bodies;
                carries(*i)
                    && bodies.iter().any(|b| group.contains(&Member::Body(BodyId::from_rank(*b as usize))))
            };
            let own: Vec<usize> = (0..persisting_contacts.len()).filter(is_own).collect();
            let new_tracks =
                self.make_island(t, &group, own_forces.clone(), (persisting_contacts, decision, &own));
            match (new_tracks, own.first()) {
                (Ok(k), _) => {
                    changed.extend(self.state.tracks[k].island.bodies.iter().map(|id| id.index() as u32));
                    has_held |= !own.is_empty();
                }
                (Err(stop), Some(first)) if stop.is_passable() => {
                    let seed = persisting_contacts[*first].touching.bodies;
                    failed.push((group, own_forces, seed, stop));
                    let unmade = self.scratch.new_tracks.pop();
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
            self.scratch.without_modes.push((seed, bodies));
        }
        changed.sort_unstable();
        Ok(changed)
    }

    fn make_island(
        &mut self,
        t: f64,
        members: &[Member],
        forces: Vec<usize>,
        (persisting_contacts, decision, own): (&[PersistingContact], &Decision, &[usize]),
    ) -> Result<usize, Stop> {
        let mut supports = Vec::new();
        for i in own {
            let bodies = persisting_contacts[*i].touching.bodies.iter();
            let immobile = bodies.filter(|body| self.state.places[**body as usize].is_none());
            supports.extend(immobile.map(|body| BodyId::from_rank(*body as usize)));
        }
        let island = Island::of(&self.world, members, forces, &supports);
        let mut active = ActiveSet::new(&island);
        for i in own {
            let PersistingContact { touching, constraint, .. } = &persisting_contacts[*i];
            let mode = decision.modes[*i].unwrap_or(Mode::Stick);
            let constraint =
                rolling::with_modes(&ContactConstraint { mode, ..*constraint }, decision.rolling[*i]);
            active.add(&island, touching.bodies, touching.contact.id, &constraint);
            self.state.detection.set_resting(touching.bodies, true);
        }
        let active = (!own.is_empty() || !island.joints.is_empty()).then_some(active);
        let k = self.state.vacant.pop().unwrap_or(self.state.tracks.len());
        self.scratch.new_tracks.push(k);
        for (place, id) in island.bodies.iter().enumerate() {
            self.state.places[id.index()] = Some((k, place));
        }
        if k == self.state.tracks.len() {
            let empty = Island::of(&self.world, &[], Vec::new(), &[]);
            self.state.tracks.push(Track::at_rest(&self.world, (empty, None), &self.state.states, t));
        }
        let names = island.clone();
        let stop = |world: &crate::world::World, error| Stop::motion(world, &names, t, error);
        let mut track = match active {
            Some(active) => self.begin_held(t, island, active).map_err(|e| stop(&self.world, e))?,
            None => Track::new(
                &self.world,
                (island, None),
                &mut self.state.states,
                t,
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            )
            .map_err(|e| stop(&self.world, e))?,
        };
        if !track.is_known() {
            track
                .step(
                    &self.world,
                    &mut self.state.states,
                    Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
                )
                .map_err(|e| stop(&self.world, e))?;
        }
        track.version = self.state.tracks[k].version + 1;
        self.state.tracks[k] = track;
        let task = Task::Step { track: k as u32, version: self.state.tracks[k].version };
        self.state.queue.add(self.state.tracks[k].clock(), task);
        self.watch_modes(k);
        Ok(k)
    }

    /// Whether an island stands still in its present state, and stays so.
    pub(crate) fn is_at_rest_now(&mut self, k: usize) -> bool {
        let track = &self.state.tracks[k];
        if !is_steady(&self.world, &track.island, self.state.t) {
            return false;
        }
        let y = track.vector_of(&self.state.states);
        let mut equations = track.equations(
            &self.world,
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
        );
        equations.is_equilibrium(self.state.t, &y, NO_SPEED, NO_ACCELERATION)
    }

    /// An island with contacts: put onto them, and then at rest if that is an equilibrium.
    fn begin_held(&mut self, t: f64, island: Island, active: ActiveSet) -> Result<Track, StepError> {
        let dim = island.dim();
        let mut y = vec![0.0; dim + crate::drive::exact::island::equations::SUMS];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y[..dim]);
        let smooth = island.smooth_interval(t);
        let world = &self.world;
        let mut equations = IslandEquations::new(
            world,
            &island,
            Some(&active),
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            smooth,
        );
        equations.project_state(t, &mut y);
        let bodies = island.bodies.iter().map(|id| id.index() as u32);
        let stepped = bodies.map(|body| self.stepped_speed(t, [body; 2])).fold(0.0, f64::max);
        let mut equations = IslandEquations::new(
            world,
            &island,
            Some(&active),
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            smooth,
        );
        let speed = NO_SPEED.max(stepped.min(NO_STEPPED_SPEED));
        let is_still = equations.is_equilibrium(t, &y, speed, NO_ACCELERATION);
        self.state.log.losses.closing += y[dim + 1];
        island.unpack(&y[..dim], &mut self.state.states.bodies, &mut self.state.states.sets);
        if is_still && world.contact().equilibrium_shortcut && is_steady(world, &island, t) {
            self.stop_moving(&island);
            return Ok(Track::at_rest(&self.world, (island, Some(active)), &self.state.states, t));
        }
        if active.constraints.len() > self.scratch.island.constraints.most_dense() {
            // So many contacts in motion go by steps over all of them.
            return Err(StepError::StepTooSmall { t, h: 0.0, component: 0, error: 0.0 });
        }
        Track::new(
            world,
            (island, Some(active)),
            &mut self.state.states,
            t,
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
        )
    }

    /// Takes the last of their motion from the bodies of an island in equilibrium, and books it.
    pub(crate) fn stop_moving(&mut self, island: &Island) {
        for id in &island.bodies {
            let inertia = self.world.body(*id).inertia();
            let state = &mut self.state.states.bodies[id.index()];
            self.state.log.losses.closing += state.kinetic_energy(inertia);
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
pub(crate) fn is_steady(world: &World, island: &Island, t: f64) -> bool {
    let still = |id: &BodyId| matches!(world.body(*id).prescribed_motion(), Some(Prescribed::Still(_)));
    island.sets.is_empty()
        && island.supports.iter().all(still)
        && island.forces.iter().all(|f| world.forces()[*f].is_steady(t) && has_still_members(world, *f))
        && island.joints.iter().all(|place| world.joints()[*place].is_steady())
}
