//! Articulations through a time step.
//!
//! A free drift would violate the joints by ½h²|J̇v|, and joint forces that compensate in advance would feed energy
//! into everything that rotates. So the integrator takes articulated bodies through the step, with their own loads and
//! joints in force:
//!
//! ```text
//! y⁺: momenta change by the start impulses p₀ among the impulses p of contacts and rows, by h F of external
//! loads, and by the reactions of joints: J v = 0                                       (apply_start_reactions)
//! one integrator step under all other loads and the constant forces (p − p₀)/h         (run)
//! ```
//!
//! Start impulses are the impulses of the same problem without accelerations. They stop what approaches, by Coulomb's
//! law without restitution, and so only dissipate energy. The constant forces carry what rests throughout the step, and
//! it stays where it is. The time step is at most as long as one integrator step.

use crate::drive::exact::island::articulated_motion::ArticulatedMotion;
use crate::drive::exact::island::articulated_motion::ArticulatedPart;
use crate::drive::exact::island::articulated_motion::StartImpulses;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::stepping::tolerances::MAX_START_RESIDUAL;
use std::sync::Arc;

use crate::articulation::Level;
use crate::articulation::factor::Pivoting;
use crate::body::{BodyState, Load};
use crate::contact::rest::{Bound, ConstraintSystem, Extra};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations, SUMS};
use crate::drive::exact::island::row::part;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Stop;
use crate::integrate::{Integrator, Method, Settings, Step, StepError};
use crate::math::{DVec3, Twist};
use crate::world::World;

/// The impulses and constant loads on one body.
#[derive(Default, Clone, Copy)]
struct BodyImpulses {
    at_start: Load,
    constant_load: Load,
}

impl BodyImpulses {
    fn add(&mut self, (linear, angular): (DVec3, DVec3), p: f64, (at_start, h): (f64, f64)) {
        self.at_start.force += at_start * linear;
        self.at_start.torque += at_start * angular;
        let constant = (p - at_start) / h;
        self.constant_load.force += constant * linear;
        self.constant_load.torque += constant * angular;
    }
}

impl Simulation {
    /// The start impulses among the impulses of a time step; `gaps` is how far each contact may close in it, `gained`
    /// the change of the rates of rows by accelerations. Empty where nothing approaches.
    pub(crate) fn find_start_impulses(
        &mut self,
        h: f64,
        active: &ActiveSet,
        (slides, gaps): (&[bool], &[f64]),
        gained: &[f64],
    ) -> StartImpulses {
        let IslandScratch { constraints, loaded, .. } = &mut self.scratch.island;
        let contacts = constraints.frames.iter().zip(gaps).zip(&active.constraints);
        let closes =
            contacts.map(|((frame, gap), constraint)| (frame.velocity.x + gap / h) < -constraint.still);
        let is_limit = |extra: &Extra| extra.bound == Bound::AtLeast;
        let mut rows = constraints.extra.iter().zip(gained);
        let reached = rows.any(|(extra, gained)| is_limit(extra) && extra.free < *gained);
        if !closes.fold(reached, |any, closes| any | closes) {
            return StartImpulses::default();
        }
        let free: Vec<DVec3> = constraints.frames.iter().map(|frame| frame.free).collect();
        let (extra, forces) = (constraints.extra.clone(), std::mem::take(&mut constraints.forces));
        constraints.frames.iter_mut().for_each(|frame| frame.free = DVec3::ZERO);
        for (extra, gained) in constraints.extra.iter_mut().zip(gained) {
            extra.free -= gained;
            // Friction and motors have no impulse in zero time.
            if let Bound::Within(largest) = &mut extra.bound {
                *largest = 0.0;
            }
        }
        let outcome = constraints.step(loaded, &active.constraints, h, (slides, gaps));
        let found =
            StartImpulses { contacts: constraints.forces.clone(), rows: constraints.extra_forces.clone() };
        constraints.frames.iter_mut().zip(free).for_each(|(frame, free)| frame.free = free);
        (constraints.extra, constraints.forces) = (extra, forces);
        if outcome.residual <= MAX_START_RESIDUAL { found } else { StartImpulses::default() }
    }

    /// Integrates an articulation through a time step, with the last impulses of contacts and rows.
    pub(crate) fn articulated_motion(
        &mut self,
        (t, h): (f64, f64),
        articulated_part: &ArticulatedPart,
        active: &ActiveSet,
        start_impulses: &StartImpulses,
    ) -> Result<ArticulatedMotion, Stop> {
        let impulses =
            body_impulses(&self.scratch.island.constraints, articulated_part, (active, start_impulses), h);
        let island = &articulated_part.island;
        let mut y = vec![0.0; island.dim() + SUMS];
        let (mut before, mut constant_loads) = (Vec::new(), Vec::new());
        let kept: Vec<BodyState> =
            island.bodies.iter().map(|id| self.state.states.bodies[id.index()]).collect();
        for ((id, impulse), external_loads) in
            island.bodies.iter().zip(&impulses).zip(&articulated_part.external_loads)
        {
            let state = &mut self.state.states.bodies[id.index()];
            before.push(state.twist(self.world.body(*id).inertia()));
            state.momentum += impulse.at_start.force + h * external_loads.force;
            state.angular_momentum += impulse.at_start.torque + h * external_loads.torque;
            constant_loads.push(impulse.constant_load);
        }
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y[..island.dim()]);
        for (id, state) in island.bodies.iter().zip(kept) {
            self.state.states.bodies[id.index()] = state;
        }
        let mut own = ActiveSet::new(island);
        own.constant_loads = constant_loads;
        let (world, smooth) = (&self.world, island.smooth_interval(t));
        let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
        let mut equations = IslandEquations::new(world, island, Some(&own), workspace, smooth);
        let work = equations.apply_start_reactions(t, &mut y, &before);
        let integrator = run(world, &mut equations, (t, t + h), &y);
        let integrator = integrator.map_err(|error| Stop::motion(world, island, t, error))?;
        let twist = |y: &[f64], k: usize| {
            let inertia = world.body(island.bodies[k]).inertia();
            island.state_of(y, k).twist(inertia)
        };
        let places = 0..island.bodies.len();
        let ends = places.map(|k| [twist(&y, k), twist(integrator.state(), k)]).collect();
        Ok(ArticulatedMotion {
            island: Arc::clone(island),
            integrator: Box::new(integrator),
            before,
            ends,
            work,
        })
    }
}

/// One integrator step, to `until` if the error allows. Whatever method the user chose, this one has a dense output of
/// high order, on which the joints stay satisfied.
fn run(
    world: &World,
    equations: &mut IslandEquations,
    (t, until): (f64, f64),
    y: &[f64],
) -> Result<Integrator, StepError> {
    let chosen = &world.settings().integrator;
    let step = Step::Adaptive { first: Some(until - t), largest: None };
    let settings = Settings { method: Method::Dop853, step, ..chosen.clone() };
    let mut integrator = Integrator::new(settings, y.len())?;
    integrator.start(equations, t, y, until)?;
    integrator.step(equations, Some(until))?;
    Ok(integrator)
}

/// The impulses of contacts and rows on the articulated bodies.
fn body_impulses(
    constraints: &ConstraintSystem,
    articulated_part: &ArticulatedPart,
    (active, start_impulses): (&ActiveSet, &StartImpulses),
    h: f64,
) -> Vec<BodyImpulses> {
    let mut impulses = vec![BodyImpulses::default(); articulated_part.island.bodies.len()];
    for (i, constraint) in active.constraints.iter().enumerate() {
        for (side, place) in constraint.bodies.iter().enumerate() {
            let Some(slot) = articulated_part.slot(*place) else { continue };
            for (c, (row, p, _)) in constraints.components(i).enumerate() {
                impulses[slot].add(part(row, side), p, (start_impulses.of(i, c), h));
            }
        }
    }
    for (i, (extra, p)) in constraints.extra.iter().zip(&constraints.extra_forces).enumerate() {
        for (side, place) in extra.bodies.iter().enumerate() {
            if let Some(slot) = place.and_then(|place| articulated_part.slot(place)) {
                impulses[slot].add(part(&extra.row, side), *p, (start_impulses.of_row(i), h));
            }
        }
    }
    impulses
}

impl IslandEquations<'_> {
    /// Adds the reaction impulses of joints to the start impulses; returns the work of drives and moving supports by
    /// them, J.
    fn apply_start_reactions(&mut self, t: f64, y: &mut [f64], before: &[Twist]) -> f64 {
        let island = self.island;
        self.load_free(t, &y[..island.dim()]);
        self.factor_joints(t, Pivoting::FORCES);
        let IslandScratch { constraints, loaded, .. } = &mut *self.scratch;
        let mut answers = vec![Load::default(); island.bodies.len()];
        for k in &constraints.present {
            let articulation = &mut constraints.articulations[*k];
            articulation.system.solve(Level::Velocity);
            articulation.system.loads(|slot, load| {
                answers[articulation.places[slot]].force += load.force;
                answers[articulation.places[slot]].torque += load.torque;
            });
        }
        let mut work = 0.0;
        for (k, answer) in answers.iter().enumerate() {
            let body = &loaded[k];
            let change = (body.inv_mass * answer.force, body.inv_inertia * answer.torque);
            let Twist { velocity, spin } = body.kinematics.twist;
            // At the mean of the velocities before and after all impulses.
            work += 0.5 * answer.force.dot(before[k].velocity + velocity + change.0);
            work += 0.5 * answer.torque.dot(before[k].spin + spin + change.1);
            island.shift_twist(self.world, y, k, change);
        }
        work
    }
}
