//! One Moreau–Jean time step: where events come too fast, or no integrator step is short enough. [SYSTEM, trap 15]
//!
//! ```text
//! all bodies that may touch within the step                                    (gather, with a reach)
//! depenetration, if rounding or a step before left an overlap                  (depenetrate)
//! p: impulses of the whole step at once, Moreau's scheme                       (contact::rest::step)
//! momenta change by h F + p at the start of the step, then bodies drift freely to its end
//! articulations are integrated through the step                                (articulated)
//! losses from the impulses; the ledger books the energy error of the step      (closing)
//! ```
//!
//! The step is an event of the log (`EventKind::TimeStep`), never silent. Its length is √tolerance of the
//! characteristic time of the bodies, so that its error, of second order, is within the tolerance; it doubles while
//! time steps follow each other.

use crate::body::{BodyState, Kinematics};
use crate::contact::rest::{ContactConstraint, Frame, Loaded, Mode, StepAccuracy};
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::articulated_motion::{ArticulatedMotion, ArticulatedPart, StartImpulses};
use crate::drive::exact::island::equations::step_forces::{LastForce, StepForce, StepForces};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations, SUMS};
use crate::drive::exact::island::scratch::{IslandScratch, Workspace};
use crate::drive::exact::island::track::{Track, last_forces};
use crate::drive::exact::modes::joints::rows::OpenRow;
use crate::drive::exact::modes::resume_after_event::supports_of;
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stepping::restitution::gives_energy;
use crate::drive::exact::stepping::step_end::Ends;
use crate::drive::exact::stepping::tolerances::{
    ALLOWED_OF_ARCS, ALLOWED_OVERLAP, DEPENETRATION_ROUNDS, FLAT_ARC_RATIO, IMPULSE_ROUNDS, MANY_CONTACTS,
    MAX_OVERLAP, MAX_RESIDUAL, MIN_PILE_STEP, MIN_STEP, OVERLAP_ROUNDING, PILE_PAIRS, PROMISED_OVERLAP,
    ROUND_GAIN, SAME_NORMAL, SLOW_RATIO,
};
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::drive::exact::tolerances::{STEP_RESIDUAL, below_chord};
use crate::dynamics::Island;
use crate::math::{DMat3, DVec3, Pose};
use crate::record::{Event, EventKind, Note, Solve, excess_of};
use crate::solve::Outcome;
use crate::world::{BodyId, World};

/// The motion of an articulation through a time step, and its start impulses.
type ArticulatedStep = (Box<ArticulatedMotion>, StartImpulses);

/// How a time step is solved: the next one where it would give energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    /// With restitution, and with the accelerations of contacts due to their own motion: of second order.
    Accurate,
    /// The same without restitution.
    Inelastic,
    /// Moreau's scheme as it is: velocities along the rows at the start of the step, open gaps alone. It gives no energy by construction,
    /// and leaves what arcs overlap to depenetration.
    Passive,
}

impl Scheme {
    /// The one to try where this one gives energy.
    fn next(self) -> Option<Self> {
        match self {
            Self::Accurate => Some(Self::Inelastic),
            Self::Inelastic => Some(Self::Passive),
            Self::Passive => None,
        }
    }
}

/// Everything that takes a time step, at its start.
struct StepStart<'a> {
    island: &'a Island,
    scheme: Scheme,
    y: &'a [f64],
    articulated_part: Option<&'a ArticulatedPart>,
    /// The changes of the rates of rows by accelerations within the step.
    gained: &'a [f64],
}

impl StepStart<'_> {
    /// The factor on an impulse to remove an overlap: a constant force moves a body half as far as an impulse at the
    /// start, and beside a body moved by an impulse it is something between.
    fn overlap_factor(&self, constraint: &ContactConstraint) -> f64 {
        let Some(articulated_part) = self.articulated_part else { return 1.0 };
        let moves = |place: &&usize| **place < self.island.bodies.len();
        let mobile = constraint.bodies.iter().filter(moves).count();
        let active =
            constraint.bodies.iter().filter(|place| articulated_part.slot(**place).is_some()).count();
        match (active, mobile) {
            (0, _) => 1.0,
            (active, mobile) if active == mobile => 2.0,
            _ => 4.0 / 3.0,
        }
    }
}

/// The impulses of a time step.
struct Found {
    impulses: Vec<DVec3>,
    outcome: Outcome,
    /// The deepest overlap at its end, by the contact tolerance.
    deepest: f64,
    /// Whether the step gives energy.
    creates_energy: bool,
    articulated_step: Option<ArticulatedStep>,
    /// What the impulses leave of the contact law, friction included.
    residual: f64,
}

/// Impulses after which none of the contacts of a time step overlaps at its end.
struct Closed {
    outcome: Outcome,
    /// As [`Found::residual`]: where the problem with friction was not solved, what was left of it.
    residual: f64,
    ends: Ends,
    articulated_step: Option<ArticulatedStep>,
}

/// A time step that was taken.
struct TakenStep {
    losses: Losses,
    /// Its length, s.
    h: f64,
    scheme: Scheme,
    articulated_motion: Option<Box<ArticulatedMotion>>,
}

/// The energy that one contact dissipates, and its work.
#[derive(Default, Clone, Copy)]
struct Losses {
    normal: f64,
    friction: f64,
    work: f64,
    /// All that the step loses, errors of the scheme included: never negative.
    total: f64,
}

impl Simulation {
    /// Takes one time step of length `h` from `t`, of all bodies on the tracks of the cluster.
    pub(crate) fn take_time_step(&mut self, t: f64, h: f64) -> Result<(), Stop> {
        let tracks = self.scratch.cluster.tracks(&self.state.places);
        let (members, forces) = self.state.members_of(&tracks);
        let last = last_forces(tracks.iter().map(|k| &self.state.tracks[*k]));
        self.modes().retire(&tracks);
        // Also supports that nothing touches yet: something may at the end of the step.
        let supports = supports_of(&self.world, self.scratch.cluster.pairs.iter().copied());
        let island = Island::of(&self.world, &members, forces, &supports);
        let until = (t + h).min(island.smooth_interval(t).1);
        let mut active = self.all_active(t, &island);
        self.scratch.cluster.speed_ratio = self.speed_ratio(t);
        self.scratch.island.constraints.step_accuracy =
            if island.joints.is_empty() && self.scratch.cluster.speed_ratio < SLOW_RATIO {
                StepAccuracy::Slow
            } else if self.is_pile() && self.is_in_stepping_regime() {
                StepAccuracy::Pile
            } else {
                StepAccuracy::Single
            };
        let before = self.energy_of(&island, t);
        self.modes().saturate_motors(t, &island);
        let rows = self.modes().open_rows_for_step(t, until - t, &island);
        self.impacts().project_onto_joints(t, &island);
        self.depenetrate((t, until - t), &island, &active);
        let taken_step = self.apply_time_step((t, until - t), &island, &mut active, (&last, &rows));
        if taken_step.is_err() {
            // The bodies stay where depenetration moved them.
            self.state.log.losses.closing += before - self.energy_of(&island, t);
        }
        let TakenStep { losses, h, scheme, articulated_motion } = taken_step?;
        let until = until.min(t + h);
        self.state.log.losses.collisions += losses.normal;
        self.state.log.losses.friction += losses.friction;
        let expected = before + losses.work - losses.normal - losses.friction;
        let at_start = self.energy_of(&island, t);
        let k = self.state.vacant.pop().unwrap_or(self.state.tracks.len());
        for (place, id) in island.bodies.iter().enumerate() {
            self.state.places[id.index()] = Some((k, place));
        }
        if k == self.state.tracks.len() {
            let empty = Island::of(&self.world, &[], Vec::new(), &[]);
            self.state.tracks.push(Track::at_rest(&self.world, (empty, None), &self.state.states, t));
        }
        for pair in &active.pairs {
            self.state.detection.set_resting(*pair, true);
        }
        let (world, states) = (&self.world, &self.state.states);
        let done = (losses.work, articulated_motion);
        let mut track = Track::time_step(world, (island, Some(active)), states, (t, until), done);
        let done = track.read(until, &mut self.state.states);
        let at_end = self.energy_of(&track.island, until);
        track.read(t, &mut self.state.states);
        // The integrated articulations account for their own work and losses up to the end.
        let drifted = done.work - losses.work - done.closing;
        track.set_energy_errors([expected - at_start, expected - at_end + drifted]);
        let bodies = track.island.bodies.iter().take(2).map(|id| id.index() as u32);
        self.state.log.note_given(bodies, at_end - expected - done.work + losses.work);
        track.version = self.state.tracks[k].version + 1;
        let changed: Vec<u32> = track.island.bodies.iter().map(|id| id.index() as u32).collect();
        self.state.queue.add(until, Task::Step { track: k as u32, version: track.version });
        self.state.tracks[k] = track;
        self.note_overlaps_half_way(k, (t, until), scheme == Scheme::Passive)?;
        self.restart_counters((t, until));
        for body in &changed {
            self.state.detection.forget(*body);
        }
        self.refit(&changed, t)
    }

    /// The constraints of all contacts of the cluster.
    fn all_active(&self, t: f64, island: &Island) -> ActiveSet {
        let mut active = ActiveSet::new(island);
        for touching in &self.scratch.cluster.contacts {
            active.add(island, touching.bodies, touching.contact.id, &self.constraint_of(t, touching));
        }
        active
    }

    /// The constraint of a contact, its bodies not numbered yet.
    pub(crate) fn constraint_of(&self, t: f64, touching: &Touching) -> ContactConstraint {
        let still = self.view().zero_speed(t, touching);
        let velocity = self.state.relative_velocity_plus(&self.world, t, touching);
        let slip = velocity - touching.contact.normal * touching.contact.normal.dot(velocity);
        ContactConstraint {
            bodies: [0; 2],
            function: touching.contact.function,
            static_friction: touching.surface.static_friction,
            kinetic_friction: touching.surface.kinetic_friction,
            mode: if slip.length() > still { Mode::Slide { begins: slip } } else { Mode::Stick },
            still,
            rolling: self.state.rolling_resistance_of(touching),
        }
    }

    /// Kinetic and potential energy of the members of an island in the current states, J.
    fn energy_of(&mut self, island: &Island, t: f64) -> f64 {
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y);
        let smooth = island.smooth_interval(t);
        let world = &self.world;
        let mut equations = IslandEquations::new(
            world,
            island,
            None,
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            smooth,
        );
        let mut energy = equations.potential(t, &y);
        for id in &island.bodies {
            energy += self.state.states.bodies[id.index()].kinetic_energy(world.body(*id).inertia());
        }
        for id in &island.sets {
            let velocities = self.state.states.sets[id.index()].1.iter();
            let masses = world.set(*id).masses();
            energy += velocities.zip(masses).map(|(v, m)| 0.5 * m * v.length_squared()).sum::<f64>();
        }
        energy
    }

    /// Depenetrates bodies by the least shifts; they keep their velocities.
    fn depenetrate(&mut self, (t, h): (f64, f64), island: &Island, active: &ActiveSet) {
        let tolerance = self.scratch.cluster.contacts.iter().map(|touching| touching.tolerance);
        // Few pairs may soon be tried without time steps, which needs them free of overlap.
        let may_leave = if self.scratch.cluster.pairs.len() as f64 <= PILE_PAIRS {
            ALLOWED_OVERLAP
        } else {
            self.allowed((t, h), active)
        };
        let allowed = OVERLAP_ROUNDING * may_leave * tolerance.fold(f64::INFINITY, f64::min);
        if self.scratch.cluster.contacts.iter().all(|touching| touching.contact.separation >= -allowed) {
            return;
        }
        let mut y = vec![0.0; island.dim() + SUMS];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y[..island.dim()]);
        let smooth = island.smooth_interval(t);
        let world = &self.world;
        let joints = ActiveSet::of_joints(island);
        for _ in 0..DEPENETRATION_ROUNDS {
            let mut equations = IslandEquations::new(
                world,
                island,
                None,
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
                smooth,
            );
            equations.load_bodies(t, &y[..island.dim()]);
            let buffers = &mut self.scratch.island;
            let (loaded, shifts) = (&buffers.loaded, &mut buffers.shifts);
            if !buffers.constraints.depenetrate(loaded, &active.constraints, (allowed, shifts)) {
                break;
            }
            for k in 0..island.bodies.len() {
                let shift = buffers.shifts[k];
                let twist = buffers.loaded[k].kinematics.twist;
                island.shift_pose(world, &mut y, k, (shift.linear, shift.angular), &twist);
            }
            // The shifts satisfy the joints to first order; joints take precedence.
            if let Some(active) = &joints {
                IslandEquations::new(
                    world,
                    island,
                    Some(active),
                    Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
                    smooth,
                )
                .project_state(t, &mut y);
            }
        }
        island.unpack(&y[..island.dim()], &mut self.state.states.bodies, &mut self.state.states.sets);
    }

    /// Solves for the impulses of the time step, applies them with those of all loads, and logs the step; also returns
    /// its length, s.
    fn apply_time_step(
        &mut self,
        (t, longest): (f64, f64),
        island: &Island,
        active: &mut ActiveSet,
        (last, rows): (&[LastForce], &[OpenRow]),
    ) -> Result<TakenStep, Stop> {
        let mut y = vec![0.0; island.dim()];
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y);
        let smooth = island.smooth_interval(t);
        let mut equations = IslandEquations::new(
            &self.world,
            island,
            None,
            Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            smooth,
        );
        equations.load_bodies(t, &y);
        let loads: Vec<_> = island.bodies.iter().map(|id| equations.summed(*id)).collect();
        let mut power = equations.power();
        let set_forces: Vec<Vec<DVec3>> =
            island.sets.iter().map(|id| equations.forces_on(t, &y, *id)).collect();
        let mut articulated_part = ArticulatedPart::of(&self.world, island);
        if let Some(articulated_part) = &mut articulated_part {
            let (world, states) = (&self.world, &self.state.states);
            let mut workspace =
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
            // Their work is summed along the integrated motion.
            power -= articulated_part.find_external_loads(
                (world, states),
                (island, &loads),
                t,
                workspace.reborrow(),
            );
            IslandEquations::new(world, island, None, workspace, smooth).load_bodies(t, &y);
        }
        let shortest = if self.is_pile() { MIN_PILE_STEP } else { MIN_STEP };
        let (mut h, mut scheme) = (longest, Scheme::Accurate);
        let contacts = active.constraints.len();
        let Found { impulses, outcome, articulated_step, residual, .. } = loop {
            // A shorter step does not touch what a longer one did.
            active.truncate(contacts);
            self.scratch.cluster.contacts.truncate(contacts);
            let gained = self.modes().fill_extra_for_step(t, h, island, rows);
            let step_start = StepStart {
                island,
                scheme,
                y: &y,
                articulated_part: articulated_part.as_ref(),
                gained: &gained,
            };
            let found = self.find_impulses((t, h), &step_start, active, last)?;
            if let Some((articulated_motion, _)) = &found.articulated_step
                && articulated_motion.end() < t + h
            {
                // The motion of an articulation is one polynomial: limit the step to it.
                h = articulated_motion.end() - t;
                continue;
            }
            // Approximate forces of the linear programs add energy: that is booked, and said.
            let is_approximate = excess_of(self.scratch.island.constraints.note) > 0.0;
            let creates_energy = found.creates_energy && !is_approximate;
            if creates_energy && let Some(next) = scheme.next() {
                scheme = next;
                continue;
            }
            // What is left is the residual of the impulses.
            let accuracy = &mut self.scratch.island.constraints.step_accuracy;
            if creates_energy && std::mem::replace(accuracy, StepAccuracy::Slow) != StepAccuracy::Slow {
                continue;
            }
            if found.deepest <= MAX_OVERLAP.max(self.allowed((t, h), active)) || h < shortest * longest {
                break found;
            }
            // Features meet on arcs within it: halve the step.
            h *= 0.5;
        };
        // Within their promise they are as good as a time step is meant to be.
        if residual > STEP_RESIDUAL || residual.is_nan() {
            let bodies = active.pairs.first().copied();
            self.state.log.accept((t, Solve::TimeStep), bodies, residual);
        }
        let slides: Vec<bool> = active.constraints.iter().map(|b| b.mode != Mode::Stick).collect();
        let is_free = |k: usize| {
            articulated_part.as_ref().is_none_or(|articulated_part| articulated_part.slot(k).is_none())
        };
        for (k, id) in island.bodies.iter().enumerate().filter(|(k, _)| is_free(*k)) {
            let state = &mut self.state.states.bodies[id.index()];
            state.momentum += h * loads[k].force;
            state.angular_momentum += h * loads[k].torque;
        }
        for (id, forces) in island.sets.iter().zip(&set_forces) {
            let masses = self.world.set(*id).masses();
            for ((velocity, force), mass) in
                self.state.states.sets[id.index()].1.iter_mut().zip(forces).zip(masses)
            {
                *velocity += h * *force / *mass;
            }
        }
        self.impacts().remember_reactions(h, island, active);
        let mut losses = if articulated_step.is_some() {
            self.apply_impulses(island, active, articulated_step.as_ref())
        } else {
            self.apply_implicit(island, active, scheme)
        };
        losses.work += h * power;
        if let Some((articulated_motion, start_impulses)) = &articulated_step {
            articulated_motion.read(t, &mut self.state.states);
            let [friction, normal, work] =
                self.modes().book_rows_of_step(island, rows, (articulated_motion, start_impulses));
            losses.friction += friction;
            losses.normal += normal;
            losses.work += work + articulated_motion.work;
        }
        let closing_speed = self.closing_speeds(h, &impulses);
        let tolerances = self.scratch.cluster.contacts.iter().map(|touching| touching.tolerance);
        let step_force = |((p, closing_speed), tolerance): ((&DVec3, f64), f64)| StepForce {
            force: *p / h,
            closing_speed,
            tolerance,
        };
        let forces = impulses.iter().zip(closing_speed).zip(tolerances).map(step_force).collect();
        let rolling = self.scratch.island.constraints.resistance_forces.iter().map(|p| *p / h).collect();
        active.step_forces = Some(StepForces { forces, rolling, outcome });
        let said = self.scratch.island.constraints.note;
        let note = match Note::of_solver(said, false) {
            note @ (Note::ApproximateForces | Note::Mended) => note,
            _ => self.modes().note_of_step(&active.constraints, &slides, outcome.unique),
        };
        // Impulses add what forces do in their time: Σ p·u = h² Σ f·d̈.
        let excess = excess_of(said) / (h * h);
        if excess > 0.0 {
            // What the integrated articulations gain is a gain of the step, and no loss of the other sign.
            losses.normal = losses.normal.max(0.0);
        }
        self.log_step((t, &impulses), losses, (note, excess));
        Ok(TakenStep {
            losses,
            h,
            scheme,
            articulated_motion: articulated_step.map(|(articulated_motion, _)| articulated_motion),
        })
    }

    /// Solves for the impulses of the time step such that bodies do not overlap at its end. Gaps also close by their
    /// second derivative, which sampling finds; and other features may touch within it. Also returns the deepest
    /// overlap then, by the contact tolerance.
    fn find_impulses(
        &mut self,
        (t, h): (f64, f64),
        step_start: &StepStart,
        active: &mut ActiveSet,
        last: &[LastForce],
    ) -> Result<Found, Stop> {
        let buffers = &mut self.scratch.island;
        buffers.constraints.look(&buffers.loaded, &active.constraints);
        for (frame, constraint) in buffers.constraints.frames.iter_mut().zip(&active.constraints) {
            frame.keep_within(&buffers.loaded, constraint, h);
        }
        let mut gaps = self.start_step(h, active, last, step_start.scheme == Scheme::Accurate);
        let is_passive = step_start.scheme == Scheme::Passive;
        if is_passive {
            keep_loads_alone(&self.state.states.bodies, &mut self.scratch.island, step_start, active);
        } else {
            self.subtract_gap_curvature(h, active, &mut gaps);
        }
        let max_samples = self.max_samples();
        for sample in 0.. {
            let Closed { outcome, residual, ends, articulated_step } =
                self.close_gaps((t, h), step_start, active, &mut gaps)?;
            let before = gaps.len();
            let is_short = articulated_step
                .as_ref()
                .is_some_and(|(articulated_motion, _)| articulated_motion.end() < t + h);
            let deepest = if is_short {
                0.0
            } else {
                self.add_overlaps((t, h), step_start.island, active, &mut gaps, &ends)?
            };
            if is_passive {
                for gap in &mut gaps {
                    *gap = gap.max(0.0);
                }
            }
            if gaps.len() == before || sample == max_samples {
                // Contacts added last have no impulse.
                let impulses = self.scratch.island.constraints.forces.clone();
                let is_free = |place: usize| {
                    step_start.articulated_part.is_none_or(|articulated| articulated.slot(place).is_none())
                };
                let context = (&*self.world, &self.state, &self.scratch.island);
                let creates_energy = gives_energy(context, step_start.island, active, (&ends, &is_free));
                return Ok(Found { impulses, outcome, deepest, creates_energy, articulated_step, residual });
            }
        }
        unreachable!("the last sample returns")
    }

    /// The overlap that is accepted at the end of a time step of length `h`, by the contact tolerance: what is promised in a run of
    /// time steps of a pile; next to none where bodies may come to rest or return to event-driven motion after it.
    fn allowed(&self, (t, h): (f64, f64), active: &ActiveSet) -> f64 {
        if self.scratch.island.constraints.step_accuracy == StepAccuracy::Slow {
            return ALLOWED_OVERLAP;
        }
        if self.is_pile() {
            let is_exact = !self.is_in_stepping_regime() || self.is_trial_after(1, t);
            return if is_exact { ALLOWED_OVERLAP } else { PROMISED_OVERLAP };
        }
        let bodies = || self.scratch.cluster.bodies.iter();
        let is_smooth =
            || active.constraints.iter().all(|b| b.static_friction == 0.0) && self.goes_straight();
        if (active.constraints.len() <= MANY_CONTACTS || is_smooth()) && self.has_no_joints() {
            return ALLOWED_OVERLAP;
        }
        let own = bodies().map(|body| self.state.characteristic_time_of(*body)).fold(f64::INFINITY, f64::min);
        // Slower bodies have flatter arcs.
        let slow = (self.scratch.cluster.speed_ratio / FLAT_ARC_RATIO).min(1.0);
        ALLOWED_OVERLAP.max(ALLOWED_OF_ARCS * below_chord(slow * h / own))
    }

    /// Impulses after which none of these contacts overlaps at the end of the time step, and the separation of each
    /// then, m.
    fn close_gaps(
        &mut self,
        (t, h): (f64, f64),
        step_start: &StepStart,
        active: &ActiveSet,
        gaps: &mut [f64],
    ) -> Result<Closed, Stop> {
        let slides: Vec<bool> = active.constraints.iter().map(|b| b.mode != Mode::Stick).collect();
        let allowed = self.allowed((t, h), active);
        let tolerance: Vec<f64> =
            self.scratch.cluster.contacts.iter().map(|touching| touching.tolerance).collect();
        let mut before = f64::INFINITY;
        let start_impulses = match step_start.articulated_part {
            Some(_) => self.find_start_impulses(h, active, (&slides, gaps), step_start.gained),
            None => StartImpulses::default(),
        };
        for round in 0..IMPULSE_ROUNDS {
            let buffers = &mut self.scratch.island;
            let mut outcome =
                buffers.constraints.step(&buffers.loaded, &active.constraints, h, (&slides, gaps));
            let residual = outcome.residual;
            if outcome.residual > MAX_RESIDUAL || outcome.residual.is_nan() {
                // Without friction there is a solution whenever bodies can be kept apart at all.
                buffers.constraints.forces.clear();
                let smooth: Vec<ContactConstraint> =
                    active.constraints.iter().map(ContactConstraint::smooth).collect();
                outcome = buffers.constraints.step(&buffers.loaded, &smooth, h, (&slides, gaps));
            }
            if outcome.residual > MAX_RESIDUAL || outcome.residual.is_nan() {
                let first = self.scratch.cluster.contacts.first().map(|touching| touching.bodies);
                let bodies =
                    first.unwrap_or([self.scratch.cluster.bodies.first().copied().unwrap_or_default(); 2]);
                let bodies = bodies.map(|body| self.world.body_name(BodyId::from_rank(body as usize)));
                let impulse = buffers.constraints.forces.iter().fold(0.0_f64, |most, p| most.max(p.length()));
                return Err(Stop { t, reason: Reason::Jammed { bodies, impulse, force: impulse / h } });
            }
            let articulated_motion =
                self.integrate_articulation((t, h), step_start, active, &start_impulses)?;
            let is_short = articulated_motion
                .as_ref()
                .is_some_and(|articulated_motion| articulated_motion.end() < t + h);
            let articulated_step = step_start.articulated_part.zip(articulated_motion.as_deref());
            let (world, states): (&World, _) = (&self.world, &self.state.states.bodies[..]);
            let (context, buffers) = ((world, states, &self.state.detection), &self.scratch.island);
            let ends = Ends::of_step(context, buffers, (step_start.island, active), (t, h), articulated_step);
            let deepest = ends
                .separations
                .iter()
                .zip(&tolerance)
                .fold(0.0_f64, |most, (end, tolerance)| most.max(-end / tolerance));
            let gains = deepest <= ROUND_GAIN * before
                || gaps.len() <= MANY_CONTACTS
                || buffers.constraints.step_accuracy == StepAccuracy::Slow;
            let is_last = round + 1 == IMPULSE_ROUNDS || !gains;
            if deepest <= allowed || is_last || is_short {
                let articulated_step =
                    articulated_motion.map(|articulated_motion| (articulated_motion, start_impulses));
                return Ok(Closed { outcome, residual, ends, articulated_step });
            }
            before = deepest;
            let is_passive = step_start.scheme == Scheme::Passive;
            // The losses of articulations are those of impulses at the start, p·½(u₀ + u₁), which have a sign for the rows at the start alone.
            if is_passive && step_start.articulated_part.is_none() {
                rows_half_way(&mut self.scratch.island, active, &ends);
                keep_loads_alone(&self.state.states.bodies, &mut self.scratch.island, step_start, active);
            }
            for (i, (gap, end)) in gaps.iter_mut().zip(&ends.separations).enumerate() {
                if *end < -allowed * tolerance[i] {
                    *gap += step_start.overlap_factor(&active.constraints[i]) * *end;
                    *gap = if is_passive { gap.max(0.0) } else { *gap };
                }
            }
        }
        unreachable!("the last round returns")
    }

    /// The motion of an articulation under the last impulses.
    fn integrate_articulation(
        &mut self,
        (t, h): (f64, f64),
        step_start: &StepStart,
        active: &ActiveSet,
        start_impulses: &StartImpulses,
    ) -> Result<Option<Box<ArticulatedMotion>>, Stop> {
        let Some(articulated_part) = step_start.articulated_part else { return Ok(None) };
        let articulated_motion = self.articulated_motion((t, h), articulated_part, active, start_impulses)?;
        // Its equations have used the buffers.
        let island = step_start.island;
        let (world, smooth) = (&self.world, island.smooth_interval(t));
        let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
        IslandEquations::new(world, island, None, workspace, smooth).load_bodies(t, step_start.y);
        Ok(Some(Box::new(articulated_motion)))
    }

    /// Applies the impulses of all contacts to the momenta; returns the energy that they dissipate, and the work of
    /// supports. Articulations are integrated already.
    fn apply_impulses(
        &mut self,
        island: &Island,
        active: &ActiveSet,
        articulated_step: Option<&ArticulatedStep>,
    ) -> Losses {
        let constraints = &self.scratch.island.constraints;
        let slot =
            |id: BodyId| articulated_step.and_then(|(articulated_motion, _)| articulated_motion.slot(id));
        for (i, constraint) in active.constraints.iter().enumerate() {
            for (side, place) in constraint.bodies.iter().enumerate() {
                let Some(id) = island.bodies.get(*place).filter(|id| slot(**id).is_none()) else { continue };
                let state = &mut self.state.states.bodies[id.index()];
                for (row, p, _) in constraints.components(i) {
                    let (linear, angular) = row.side(side);
                    state.momentum += p * linear;
                    state.angular_momentum += p * angular;
                }
            }
        }
        let mut losses = Losses::default();
        for (i, constraint) in active.constraints.iter().enumerate() {
            let twists = constraint.bodies.map(|place| match island.bodies.get(place) {
                Some(id) => self.state.states.bodies[id.index()].twist(self.world.body(*id).inertia()),
                None => self.scratch.island.loaded[place].kinematics.twist,
            });
            let slots = constraint.bodies.map(|place| island.bodies.get(place).and_then(|id| slot(*id)));
            for (c, (row, p, before)) in constraints.components(i).enumerate() {
                let mean = 0.5 * (before + row.rate(&twists));
                let lost = articulated_step.filter(|_| slots != [None; 2]).map_or(
                    -p * mean,
                    |(articulated_motion, start_impulses)| {
                        let work = |side: usize| {
                            if let Some(slot) = slots[side] {
                                return articulated_motion.work_on(
                                    slot,
                                    row.side(side),
                                    (p, start_impulses.of(i, c)),
                                );
                            }
                            let before =
                                &self.scratch.island.loaded[constraint.bodies[side]].kinematics.twist;
                            p * 0.5 * (row.side_rate(side, before) + row.side_rate(side, &twists[side]))
                        };
                        -(work(0) + work(1))
                    },
                );
                *(if c == 0 { &mut losses.normal } else { &mut losses.friction }) += lost;
                for side in (0..2).filter(|side| constraint.bodies[*side] >= island.bodies.len()) {
                    let (linear, angular) = row.side(side);
                    losses.work -= p * (linear.dot(twists[side].velocity) + angular.dot(twists[side].spin));
                }
            }
        }
        losses.total = losses.normal + losses.friction;
        losses
    }

    /// As [`Simulation::apply_impulses`], without articulations: the losses of the implicit step.
    ///
    /// With x₁ = x₀ + h v₁ and M (v₁ − v₀) = h F + Jᵀp, constant loads do the work h F·v₁, and energy changes by p·u₁ − ½‖v₁ − v₀‖²_M.
    /// The first term is never positive by the contact law. The second is the loss of what collides, up to the change that loads alone
    /// would cause: that part, and what is left of a sum that the solver did not end, are errors of the scheme, which `closing` books.
    fn apply_implicit(&mut self, island: &Island, active: &ActiveSet, scheme: Scheme) -> Losses {
        let constraints = &self.scratch.island.constraints;
        let states = &mut self.state.states.bodies;
        let twist =
            |states: &[BodyState], id: &BodyId| states[id.index()].twist(self.world.body(*id).inertia());
        let changed_by = |states: &[BodyState], k: usize, id: &BodyId| {
            let (before, after) = (&self.scratch.island.loaded[k].kinematics.twist, twist(states, id));
            let inertia = self.world.body(*id).inertia();
            let spin = after.spin - before.spin;
            let turned = inertia.angular_momentum(&DMat3::from_quat(states[id.index()].orientation), spin);
            0.5 * (inertia.mass * (after.velocity - before.velocity).length_squared() + turned.dot(spin))
        };
        let by_loads: Vec<f64> =
            island.bodies.iter().enumerate().map(|(k, id)| changed_by(states, k, id)).collect();
        for (i, constraint) in active.constraints.iter().enumerate() {
            for (side, place) in constraint.bodies.iter().enumerate() {
                let Some(id) = island.bodies.get(*place) else { continue };
                let state = &mut states[id.index()];
                for (row, p, _) in constraints.components(i) {
                    let (linear, angular) = row.side(side);
                    state.momentum += p * linear;
                    state.angular_momentum += p * angular;
                }
            }
        }
        let mut losses = Losses::default();
        for (k, id) in island.bodies.iter().enumerate() {
            let changed = changed_by(states, k, id);
            // What arcs overlap after a passive step costs energy when it is taken out: that is paid by the loss of the same scheme.
            if scheme != Scheme::Passive {
                losses.normal += (changed - by_loads[k]).max(0.0);
            }
            losses.total += changed;
        }
        for (i, constraint) in active.constraints.iter().enumerate() {
            let twists = constraint.bodies.map(|place| match island.bodies.get(place) {
                Some(id) => twist(states, id),
                None => self.scratch.island.loaded[place].kinematics.twist,
            });
            let mut friction = 0.0;
            for (c, (row, p, _)) in constraints.components(i).enumerate() {
                let lost = -p * row.rate(&twists);
                *(if c == 0 { &mut losses.normal } else { &mut friction }) += lost;
                losses.total += lost;
                for side in (0..2).filter(|side| constraint.bodies[*side] >= island.bodies.len()) {
                    let (linear, angular) = row.side(side);
                    losses.work -= p * (linear.dot(twists[side].velocity) + angular.dot(twists[side].spin));
                }
            }
            losses.friction += friction.max(0.0);
        }
        losses.normal = losses.normal.max(0.0);
        losses
    }

    fn log_step(&mut self, (t, impulses): (f64, &[DVec3]), losses: Losses, (note, excess): (Note, f64)) {
        self.state.log.instants += 1;
        self.state.log.time_steps += 1;
        let largest = |i: &usize, j: &usize| impulses[*i].x.total_cmp(&impulses[*j].x).then(j.cmp(i));
        let Some(i) = (0..impulses.len()).max_by(largest) else { return };
        let (touching, frame) =
            (&self.scratch.cluster.contacts[i], &self.scratch.island.constraints.frames[i]);
        let p = impulses[i];
        let velocity = self.state.relative_velocity_plus(&self.world, t, touching);
        let place = touching.place().with_normal(frame.normal);
        self.state.log.add(Event {
            approach: frame.velocity.x,
            separation: frame.normal.dot(velocity),
            impulse: p.x,
            friction: p.y * frame.tangents[0] + p.z * frame.tangents[1],
            lost: losses.total,
            law: self.world.contact().law,
            rounds: impulses.len() as u32,
            note,
            excess,
            ..Event::new(t, self.state.log.instants, EventKind::TimeStep, place)
        });
    }
}

/// Gives contacts the directions that they have half-way between the ends of the step.
///
/// With x₁ = x₀ + h v₁ the gap at the end is g(x₀) + h J(½(x₀ + x₁)) v₁ + O(h³): a contact on an arc stays closed, and the energy identity
/// of [`Simulation::apply_implicit`] holds for any J. Directions at the start would leave an overlap of O(h²), and depenetration would lift
/// what hangs by it at nobody's expense.
fn rows_half_way(scratch: &mut IslandScratch, active: &ActiveSet, ends: &Ends) {
    let IslandScratch { constraints, loaded, .. } = scratch;
    let half_way = |(k, body): (usize, &Loaded)| {
        let (start, end) = (body.kinematics.pose, ends.pose(k));
        let mut moved = *body;
        moved.kinematics.pose = Pose {
            position: 0.5 * (start.position + end.position),
            orientation: start.orientation.slerp(end.orientation, 0.5),
        };
        moved
    };
    let middle: Vec<Loaded> = loaded.iter().enumerate().map(half_way).collect();
    for (frame, constraint) in constraints.frames.iter_mut().zip(&active.constraints) {
        let moved = Frame::new(&middle, constraint);
        if moved.normal.dot(frame.normal) < SAME_NORMAL {
            continue;
        }
        let twists = constraint.bodies.map(|place| loaded[place].kinematics.twist);
        let velocity = DVec3::from_array(moved.rows.each_ref().map(|row| row.rate(&twists)));
        *frame = Frame { separation: frame.separation, velocity, ..moved };
    }
}

/// Gives contacts the accelerations of the loads alone, without those due to their own motion or to gyroscopic torques, which act while
/// bodies drift; not those of articulations, which are integrated.
fn keep_loads_alone(
    states: &[BodyState],
    scratch: &mut IslandScratch,
    step_start: &StepStart,
    active: &ActiveSet,
) {
    let StepStart { island, articulated_part, .. } = step_start;
    let IslandScratch { constraints, loaded, .. } = scratch;
    let accelerations = |place: usize| {
        let Kinematics { twist, acceleration, spin_rate, .. } = loaded[place].kinematics;
        let gyroscopic = island.bodies.get(place).map_or(DVec3::ZERO, |id| {
            loaded[place].inv_inertia * states[id.index()].angular_momentum.cross(twist.spin)
        });
        (acceleration, spin_rate - gyroscopic)
    };
    let is_articulated = |place: &usize| articulated_part.is_some_and(|part| part.slot(*place).is_some());
    for (frame, constraint) in constraints.frames.iter_mut().zip(&active.constraints) {
        if !constraint.bodies.iter().any(is_articulated) {
            frame.keep_loads(constraint.bodies.map(accelerations));
        }
    }
}
