//! After the impulses of an instant: which contacts persist, in which modes, and how every body continues.
//!
//! ```text
//! contacts that neither separate nor approach                                    (persisting_contacts)
//! forces and modes of these, as one complementarity problem                      (contact::rest::decide)
//! islands: bodies that forces or active contacts couple                          (rebuild_islands)
//! each island in flight, at rest, or with its active set as equations            (track)
//! ```

use crate::contact::rest::{ContactConstraint, Decision, Mode};
use crate::drive::exact::gather::cluster::{Cluster, Touching};
use crate::drive::exact::island::equations::rolling;
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::{Track, last_forces};
use crate::drive::exact::laws::residual;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::modes::obstacle::Obstacle;
use crate::drive::exact::modes::persisting_contacts::PersistingContact;
use crate::drive::exact::modes::tolerances::{
    MAX_STEPPED_SPEED, SEPARATION_ROUNDING, ZERO_ACCELERATION, ZERO_SPEED,
};
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::State;
use crate::drive::exact::state::view::View;
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::math::DVec3;
use crate::motion::{Flight, Motion, Prescribed};
use crate::narrow_phase::ContactId;
use crate::record::{Event, EventKind, EventPlace, Note, Solve, excess_of};
use crate::solve::choose::{ContactSolver, Note as SolverNote};
use crate::world::{BodyId, Member, World};

/// The decision for no contacts.
fn empty_decision() -> Decision {
    Decision {
        modes: Vec::new(),
        is_consistent: true,
        is_unique: true,
        note: SolverNote::Exact,
        residual: 0.0,
        rolling: Vec::new(),
    }
}

/// An active contact: its bodies, its features, and whether it sticks.
type ActiveContact = ([u32; 2], ContactId, bool);

/// The same with its point and normal.
type PlacedContact = (ActiveContact, DVec3, DVec3);

/// The islands that an event leaves.
#[derive(Default)]
struct NewIslands {
    tracks: Vec<usize>,
    /// What the solver said of the forces that decided their modes, and whether these were the only ones.
    note: (SolverNote, bool),
    /// What these forces leave of the contact law.
    residual: f64,
    /// All bodies on them, ascending.
    bodies: Vec<u32>,
    /// A pair, and all bodies, of each island without modes beside others with modes: it takes a time step.
    without_modes: Vec<([u32; 2], Vec<u32>)>,
}

impl NewIslands {
    fn add(&mut self, other: Self) {
        self.tracks.extend(other.tracks);
        self.bodies.extend(other.bodies);
        self.without_modes.extend(other.without_modes);
    }
}

/// Islands that have no smooth motion, and the tracks that were made before that showed.
struct Blocked {
    obstacle: Obstacle,
    tracks: Vec<usize>,
}

/// How the bodies of an event continue.
enum Continuation {
    /// In these islands.
    Smooth(NewIslands),
    /// There is no smooth motion: a time step was taken over all of them.
    Stepped,
}

impl Simulation {
    /// Continues the motion of all bodies of the cluster from the states x⁺ at `t`.
    pub(crate) fn resume_after_event(&mut self, t: f64) -> Result<(), Stop> {
        let cluster = &self.scratch.cluster;
        let persists = |touching: &&Touching| self.view().persists(cluster, t, touching);
        let persisting: Vec<Touching> = cluster.contacts.iter().filter(persists).copied().collect();
        let tracks = self.scratch.cluster.tracks(&self.state.places);
        let free = tracks.iter().all(|k| self.state.tracks[*k].active.is_none());
        let (changed, without_modes) = if persisting.is_empty() && free {
            (self.continue_islands(t, &tracks)?, Vec::new())
        } else {
            match self.rebuild_islands(t, &tracks, &persisting)? {
                Continuation::Smooth(islands) => (islands.bodies, islands.without_modes),
                Continuation::Stepped => return Ok(()),
            }
        };
        for body in &changed {
            self.state.detection.forget(*body);
        }
        let cluster = &self.scratch.cluster;
        for touching in &cluster.contacts {
            let view = self.view();
            let flies = |body: &u32| {
                self.state.places[*body as usize].is_none_or(|(k, _)| self.state.tracks[k].is_flight())
            };
            let is_closed_form =
                self.state.detection.is_simple(touching.bodies) && touching.bodies.iter().all(flies);
            if is_closed_form && !view.persists(cluster, t, touching) {
                continue;
            }
            // The largest slack of all contacts of the pair.
            let of_pair = cluster.contacts.iter().filter(|other| other.bodies == touching.bodies);
            let slack = of_pair.map(|other| view.slack(cluster, t, other)).fold(0.0, f64::max);
            self.state.detection.set_idle(touching.bodies, slack);
        }
        self.refit(&changed, t)?;
        for (seed, _) in without_modes {
            // The time step of one seed may have included another.
            let is_stepped = |body: &u32| {
                self.state.places[*body as usize]
                    .is_some_and(|(track, _)| self.state.tracks[track].is_time_step())
            };
            if !seed.iter().any(is_stepped) {
                self.step_over_events(t, seed)?;
            }
        }
        Ok(())
    }

    /// Restarts the members of a track from their states at `t` without contacts; detection finds those that touch.
    pub(crate) fn restart_island(&mut self, t: f64, track: usize) -> Result<(), Stop> {
        let changed = if self.state.tracks[track].island.joints.is_empty() {
            let (members, forces) = self.state.members_of(&[track]);
            self.modes().retire(&[track]);
            self.modes().make_free_islands(t, &members, &forces)?.bodies
        } else {
            // Its joints may have active limits: these are decided here.
            self.scratch.cluster.take_island(&self.state.tracks[track].island);
            self.impacts().collide(t)?;
            match self.rebuild_islands(t, &[track], &[])? {
                Continuation::Smooth(islands) => islands.bodies,
                Continuation::Stepped => Vec::new(),
            }
        };
        for body in &changed {
            self.state.detection.forget(*body);
        }
        self.refit(&changed, t)
    }

    /// No contact persists: all islands stay as they were.
    fn continue_islands(&mut self, t: f64, tracks: &[usize]) -> Result<Vec<u32>, Stop> {
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
                // The impulses are booked: tracks that have not resumed keep the states after them.
                self.modes().retire(&tracks[i..]);
                return Err(stop);
            }
            let track = &self.state.tracks[k];
            self.state.queue.add(track.clock(), Task::Step { track: k as u32, version: track.version });
            changed.extend(track.island.bodies.iter().map(|id| id.index() as u32));
        }
        changed.sort_unstable();
        Ok(changed)
    }

    /// Decides forces and modes of the persisting contacts, and builds new islands of all bodies on these tracks. Where
    /// no modes or no integrator steps were found it takes one time step.
    fn rebuild_islands(
        &mut self,
        t: f64,
        tracks: &[usize],
        persisting: &[Touching],
    ) -> Result<Continuation, Stop> {
        let (members, forces) = self.state.members_of(tracks);
        let supports = supports_of(&self.world, persisting.iter().map(|touching| touching.bodies));
        let island = Island::of(&self.world, &members, forces.clone(), &supports);
        let first = island.bodies.first().map(|id| [id.index() as u32; 2]);
        let before = self.state.active_contacts(&self.world, t, tracks);
        let rolling = self.state.rolling_contacts(tracks);
        let warm_start = last_forces(tracks.iter().map(|k| &self.state.tracks[*k]));
        let mut modes = self.modes();
        modes.warm_start.set(warm_start.into_iter().map(|last| (last.contact, last.step_force.force)));
        modes.retire(tracks);
        let islands = modes.decide_and_make_islands(t, &island, (&members, &forces), persisting)?;
        let islands = match islands {
            Ok(islands) => islands,
            Err(blocked) => {
                // Slips that end together, as those of a face that slides and spins, end faster than the integrator can
                // follow; and in a Painlevé configuration there are no forces, only impulses.
                let Some(first) = persisting.first() else {
                    return Err(blocked.obstacle.into_stop(&self.world, t));
                };
                self.modes().retire(&blocked.tracks);
                let changed = self.modes().make_free_islands(t, &members, &forces)?.bodies;
                // Some of these bodies do not touch the pair, directly or through others.
                for body in &changed {
                    self.state.detection.forget(*body);
                }
                self.refit(&changed, t)?;
                self.step_over_events(t, first.bodies)?;
                return Ok(Continuation::Stepped);
            }
        };
        // Contacts in a time step have neither ended nor begun.
        let has_modes = |((pair, ..), ..): &PlacedContact| {
            let mut without = islands.without_modes.iter();
            !without.any(|(_, bodies)| pair.iter().any(|body| bodies.contains(body)))
        };
        let before: Vec<PlacedContact> = before.into_iter().filter(has_modes).collect();
        self.modes().log_modes(t, &before, &islands.tracks, islands.note);
        let bodies = persisting.first().map_or(first, |touching| Some(touching.bodies));
        self.state.log.accept((t, Solve::Modes), bodies, islands.residual);
        self.modes().log_rolling(t, &rolling, &islands.tracks);
        Ok(Continuation::Smooth(islands))
    }
}

impl View<'_> {
    /// The zero-speed tolerance of a contact, m/s: from the speeds of its bodies and from the speed of a fall by their
    /// size.
    pub(crate) fn zero_speed(&self, t: f64, touching: &Touching) -> f64 {
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
        scale * ZERO_SPEED.max(self.state.stepped_speed(t, touching.bodies))
    }

    /// Whether a contact does not separate.
    fn persists(&self, cluster: &Cluster, t: f64, touching: &Touching) -> bool {
        if cluster.closed.contains(&touching.bodies) {
            return true;
        }
        let rate = touching.contact.normal.dot(self.state.relative_velocity_plus(self.world, t, touching));
        rate <= self.zero_speed(t, touching) || rate <= self.returning_speed(cluster, touching)
    }

    /// The speed at which a pair that separates returns before it is apart by more than rounding, m/s: v² = 2 a h. It
    /// is taken to persist if the forces press it together. [SYSTEM, trap 4]
    fn returning_speed(&self, cluster: &Cluster, touching: &Touching) -> f64 {
        // A single pair has its bounce series, which is closed at its limit.
        let is_single_pair = cluster.contacts.iter().all(|other| other.bodies == touching.bodies);
        if is_single_pair || touching.surface.restitution >= 1.0 {
            return 0.0;
        }
        (2.0 * self.world.gravity().length() * SEPARATION_ROUNDING * touching.tolerance).sqrt()
    }

    /// The overlap at which a search reports a pair that touches now again, m.
    ///
    /// For one that separates: the rounding of zero. For one that persists: half of the contact tolerance, so that a
    /// search does not report what is known.
    fn slack(&self, cluster: &Cluster, t: f64, touching: &Touching) -> f64 {
        if self.persists(cluster, t, touching) {
            0.5 * touching.tolerance
        } else {
            (-touching.contact.separation).clamp(0.0, touching.tolerance)
                + SEPARATION_ROUNDING * touching.tolerance
        }
    }
}

impl Modes<'_> {
    /// Logs contacts that became active or inactive, or changed between sticking and sliding: those on `tracks` now,
    /// against those before.
    pub(crate) fn log_modes(
        &mut self,
        t: f64,
        before: &[PlacedContact],
        tracks: &[usize],
        (note, is_unique): (SolverNote, bool),
    ) {
        let now = self.state.active_contacts(self.world, t, tracks);
        let is_new = |c: &&PlacedContact| !before.iter().any(|b| b.0 == c.0);
        let changes = now.iter().filter(is_new).map(|c| (*c, EventKind::Rest));
        let is_gone = |c: &&PlacedContact| !now.iter().any(|n| (n.0.0, n.0.1) == (c.0.0, c.0.1));
        let changes: Vec<_> =
            changes.chain(before.iter().filter(is_gone).map(|c| (*c, EventKind::Break))).collect();
        let solver = self.world.contact().solver;
        let takes_corner = matches!(solver, ContactSolver::Linear | ContactSolver::Lemke { .. });
        let of_decision = match Note::of_solver(note, false) {
            Note::Determinate if takes_corner && !is_unique => Note::Corner,
            note => note,
        };
        for (((pair, id, sticks), point, normal), kind) in changes {
            let velocity = self.state.relative_velocity_at(self.world, t, pair, point);
            let kind = if kind == EventKind::Rest && !sticks { EventKind::Slide } else { kind };
            let place = EventPlace::new(pair, id, point, normal);
            self.state.log.add(Event {
                approach: normal.dot(velocity),
                separation: normal.dot(velocity),
                law: self.world.contact().law,
                note: of_decision.with_features(id),
                excess: excess_of(note),
                ..Event::new(t, self.state.log.instants, kind, place)
            });
        }
    }

    /// Decides forces and modes of the persisting contacts, and builds the islands.
    fn decide_and_make_islands(
        &mut self,
        t: f64,
        island: &Island,
        (members, forces): (&[Member], &[usize]),
        persisting: &[Touching],
    ) -> Result<Result<NewIslands, Blocked>, Stop> {
        let persisting_contacts = self.view().persisting_contacts(t, island, persisting);
        match self.decide(t, island, &persisting_contacts) {
            Ok(decision) => {
                let islands = self.make_islands(t, members, forces, (&persisting_contacts, &decision))?;
                let (note, residual) = ((decision.note, decision.is_unique), decision.residual);
                Ok(islands.map(|islands| NewIslands { note, residual, ..islands }))
            }
            Err(obstacle) => Ok(Err(Blocked { obstacle, tracks: Vec::new() })),
        }
    }

    /// Decides forces and modes of all persisting contacts at once.
    fn decide(
        &mut self,
        t: f64,
        island: &Island,
        persisting_contacts: &[PersistingContact],
    ) -> Result<Decision, Obstacle> {
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y);
        let constraints: Vec<ContactConstraint> = persisting_contacts.iter().map(|c| c.constraint).collect();
        let slides: Vec<bool> = persisting_contacts.iter().map(|c| c.slides).collect();
        let start = self.warm_start.of(persisting_contacts.iter().map(PersistingContact::key));
        let decision = self.decide_modes(t, (island, &y), (&constraints, &slides, &start));
        if !start.is_empty() {
            let keys = persisting_contacts.iter().map(PersistingContact::key);
            self.warm_start.set(keys.zip(self.scratch.constraints.forces.iter().copied()));
        }
        if let Some(first) = persisting_contacts.first()
            && matches!(decision.note, SolverNote::ApproximateForces { .. })
        {
            return Err(Obstacle::ApproximateForces { bodies: first.touching.bodies });
        }
        if decision.is_consistent {
            if let Some(first) = persisting_contacts.first() {
                self.log_indeterminate(t, &first.touching, &constraints, &slides);
            }
            return Ok(decision);
        }
        let first = island.bodies.first().map_or(0, |id| id.index() as u32);
        let bodies = persisting_contacts.first().map_or([first; 2], |persisting| persisting.touching.bodies);
        Err(Obstacle::NoForces { bodies })
    }

    /// Books the totals of these tracks, and empties them.
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
            track.retire(self.world);
            self.state.vacant.push(k);
        }
        // The lowest first, so that the order of tracks depends on time and bodies alone.
        self.state.vacant.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// Builds the islands of these members, coupled by forces and joints, without contacts.
    fn make_free_islands(
        &mut self,
        t: f64,
        members: &[Member],
        forces: &[usize],
    ) -> Result<NewIslands, Stop> {
        let islands = self.make_islands(t, members, forces, (&[], &empty_decision()))?;
        islands.map_err(|blocked| blocked.obstacle.into_stop(self.world, t))
    }

    /// Builds the islands of these members: coupled by forces and by active contacts. Where some have modes and others
    /// have no integrator steps, the others fly and then take a time step (`without_modes`).
    fn make_islands(
        &mut self,
        t: f64,
        members: &[Member],
        forces: &[usize],
        (persisting_contacts, decision): (&[PersistingContact], &Decision),
    ) -> Result<Result<NewIslands, Blocked>, Stop> {
        let carries = |i: usize| decision.modes[i].is_some();
        let mut links: Vec<Vec<Member>> = forces.iter().map(|f| self.world.moved_by(*f)).collect();
        links.extend(Island::joint_links(self.world));
        for i in (0..persisting_contacts.len()).filter(|i| carries(*i)) {
            let bodies = persisting_contacts[i].touching.bodies;
            links.push(bodies.iter().map(|b| Member::Body(BodyId::from_rank(*b as usize))).collect());
        }
        let (mut islands, mut failed, mut has_active) = (NewIslands::default(), Vec::new(), false);
        for group in Island::coupled(members, &links) {
            let own_forces: Vec<usize> = forces
                .iter()
                .copied()
                .filter(|f| self.world.moved_by(*f).iter().any(|m| group.contains(m)))
                .collect();
            let is_own = |i: &usize| {
                let bodies = persisting_contacts[*i].touching.bodies;
                carries(*i)
                    && bodies.iter().any(|b| group.contains(&Member::Body(BodyId::from_rank(*b as usize))))
            };
            let own: Vec<usize> = (0..persisting_contacts.len()).filter(is_own).collect();
            let with = (persisting_contacts, decision, &own[..]);
            let (k, begun) = self.make_island(t, &group, own_forces.clone(), with);
            match (begun, own.first()) {
                (Ok(()), _) => {
                    let bodies = self.state.tracks[k].island.bodies.iter();
                    islands.bodies.extend(bodies.map(|id| id.index() as u32));
                    islands.tracks.push(k);
                    has_active |= !own.is_empty();
                }
                (Err(obstacle), Some(first)) if obstacle.yields_to_time_step() => {
                    let seed = persisting_contacts[*first].touching.bodies;
                    failed.push((group, own_forces, seed, obstacle));
                    self.retire(&[k]);
                }
                (Err(obstacle), _) if obstacle.yields_to_time_step() => {
                    islands.tracks.push(k);
                    return Ok(Err(Blocked { obstacle, tracks: islands.tracks }));
                }
                (Err(obstacle), _) => return Err(obstacle.into_stop(self.world, t)),
            }
        }
        if !has_active && !failed.is_empty() {
            // No island has modes: all take one time step together.
            let obstacle = failed.swap_remove(0).3;
            return Ok(Err(Blocked { obstacle, tracks: islands.tracks }));
        }
        for (group, own_forces, seed, _) in failed {
            let free = match self.make_islands(t, &group, &own_forces, (&[], &empty_decision()))? {
                Ok(free) => free,
                Err(Blocked { obstacle, tracks }) => {
                    let tracks = [islands.tracks, tracks].concat();
                    return Ok(Err(Blocked { obstacle, tracks }));
                }
            };
            islands.without_modes.push((seed, free.bodies.clone()));
            islands.add(free);
        }
        islands.bodies.sort_unstable();
        Ok(Ok(islands))
    }

    /// Puts an island on a track of its own; also returns what keeps it from moving on.
    fn make_island(
        &mut self,
        t: f64,
        members: &[Member],
        forces: Vec<usize>,
        (persisting_contacts, decision, own): (&[PersistingContact], &Decision, &[usize]),
    ) -> (usize, Result<(), Obstacle>) {
        let mut supports = Vec::new();
        for i in own {
            let bodies = persisting_contacts[*i].touching.bodies.iter();
            let immobile = bodies.filter(|body| self.state.places[**body as usize].is_none());
            supports.extend(immobile.map(|body| BodyId::from_rank(*body as usize)));
        }
        let island = Island::of(self.world, members, forces, &supports);
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
        for (place, id) in island.bodies.iter().enumerate() {
            self.state.places[id.index()] = Some((k, place));
        }
        if k == self.state.tracks.len() {
            let empty = Island::of(self.world, &[], Vec::new(), &[]);
            self.state.tracks.push(Track::at_rest(self.world, (empty, None), &self.state.states, t));
        }
        let mut track = match self.begin_track(t, island, active) {
            Ok(track) => track,
            Err(obstacle) => return (k, Err(obstacle)),
        };
        track.version = self.state.tracks[k].version + 1;
        self.state.tracks[k] = track;
        let task = Task::Step { track: k as u32, version: self.state.tracks[k].version };
        self.state.queue.add(self.state.tracks[k].clock(), task);
        self.schedule_guards(k);
        (k, Ok(()))
    }

    /// The motion of a new island, its first step taken.
    fn begin_track(&mut self, t: f64, island: Island, active: Option<ActiveSet>) -> Result<Track, Obstacle> {
        let names = Box::new(island.clone());
        let no_step = |error| Obstacle::NoStep { island: names.clone(), error };
        let mut track = if let Some(active) = active {
            self.begin_with_active_set(t, island, active)?
        } else {
            let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
            Track::new(self.world, (island, None), &mut self.state.states, t, workspace).map_err(no_step)?
        };
        if !track.is_known() {
            let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
            track.step(self.world, &mut self.state.states, workspace).map_err(no_step)?;
            track.left = self.scratch.left;
        }
        Ok(track)
    }

    /// Whether an island is at rest in its current state, and stays so.
    pub(crate) fn is_at_rest_now(&mut self, k: usize) -> bool {
        let track = &self.state.tracks[k];
        if !is_steady(self.world, &track.island, self.state.t) {
            return false;
        }
        let y = track.vector_of(&self.state.states);
        let mut equations =
            track.equations(self.world, Workspace { joints: &mut self.state.joints, scratch: self.scratch });
        equations.is_equilibrium((self.state.t, &y), &[], ZERO_SPEED, ZERO_ACCELERATION)
    }

    /// An island with contacts or joints: projected onto them, and then at rest if that is an equilibrium.
    fn begin_with_active_set(
        &mut self,
        t: f64,
        island: Island,
        active: ActiveSet,
    ) -> Result<Track, Obstacle> {
        let dim = island.dim();
        let mut y = vec![0.0; dim + crate::drive::exact::island::equations::SUMS];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y[..dim]);
        let smooth = island.smooth_interval(t);
        let world = self.world;
        let mut equations = IslandEquations::new(
            world,
            &island,
            Some(&active),
            Workspace { joints: &mut self.state.joints, scratch: self.scratch },
            smooth,
        );
        equations.project_state(t, &mut y);
        let left = self.scratch.left;
        if let Some((i, left)) = left {
            residual::accept_projection(self.world, self.state, (t, active.pairs[i]), left);
        }
        let bodies = island.bodies.iter().map(|id| id.index() as u32);
        let stepped = bodies.map(|body| self.state.stepped_speed(t, [body; 2])).fold(0.0, f64::max);
        let mut equations = IslandEquations::new(
            world,
            &island,
            Some(&active),
            Workspace { joints: &mut self.state.joints, scratch: self.scratch },
            smooth,
        );
        let speed = ZERO_SPEED.max(stepped.min(MAX_STEPPED_SPEED));
        let keys = active.pairs.iter().copied().zip(active.features.iter().copied());
        let start = self.warm_start.of(keys);
        let is_equilibrium = equations.is_equilibrium((t, &y), &start, speed, ZERO_ACCELERATION);
        self.state.log.work += y[dim - 1];
        self.state.log.losses.closing += y[dim + 1];
        island.unpack(&y[..dim], &mut self.state.states.bodies, &mut self.state.states.sets);
        if is_equilibrium && world.contact().equilibrium_shortcut && is_steady(world, &island, t) {
            self.zero_velocities(&island);
            return Ok(Track::at_rest(self.world, (island, Some(active)), &self.state.states, t));
        }
        if active.constraints.len() > self.scratch.constraints.most_dense() {
            return Err(Obstacle::ManyContacts { bodies: active.pairs[0] });
        }
        let names = Box::new(island.clone());
        let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
        let track = Track::new(world, (island, Some(active)), &mut self.state.states, t, workspace);
        track.map_err(|error| Obstacle::NoStep { island: names, error })
    }

    /// Sets the remaining velocities of an island in equilibrium to zero, and books their energy.
    pub(crate) fn zero_velocities(&mut self, island: &Island) {
        for id in &island.bodies {
            let inertia = self.world.body(*id).inertia();
            let state = &mut self.state.states.bodies[id.index()];
            self.state.log.losses.closing += state.kinetic_energy(inertia);
            (state.momentum, state.angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
}

/// Whether all members of a force are dynamic or fixed.
fn has_no_moving_members(world: &World, force: usize) -> bool {
    world.moved_by(force).iter().all(|member| match member {
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
        && island.forces.iter().all(|f| world.forces()[*f].is_steady(t) && has_no_moving_members(world, *f))
        && island.joints.iter().all(|place| world.joints()[*place].is_steady())
}

impl State {
    pub(crate) fn members_of(&self, tracks: &[usize]) -> (Vec<Member>, Vec<usize>) {
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

    /// The active contacts of these tracks: bodies, features, whether they stick, and where they are in the current
    /// states.
    pub(crate) fn active_contacts(&self, world: &World, t: f64, tracks: &[usize]) -> Vec<PlacedContact> {
        let mut found: Vec<PlacedContact> = Vec::new();
        for k in tracks {
            let Some(active) = &self.tracks[*k].active else { continue };
            for ((pair, id), constraint) in active.pairs.iter().zip(&active.features).zip(&active.constraints)
            {
                let [a, b] = pair.map(|body| self.pose_and_twist(world, t, body).0);
                let (points, normal) =
                    (constraint.function.points(&a, &b), constraint.function.normal(&a, &b));
                found.push(((*pair, *id, constraint.mode == Mode::Stick), points[0], normal));
            }
        }
        found.sort_unstable_by_key(|(contact, ..)| *contact);
        found
    }
}

/// The fixed and kinematic bodies of these pairs.
pub(crate) fn supports_of(world: &World, pairs: impl Iterator<Item = [u32; 2]>) -> Vec<BodyId> {
    let immobile = pairs.flatten().filter(|body| !world.body(BodyId::from_rank(*body as usize)).is_dynamic());
    immobile.map(|body| BodyId::from_rank(body as usize)).collect()
}
