//! What joints hold, on its way through a time step.
//!
//! A free drift would leave the joints, by ½h²|J̇v|, and forces of joints that undo this beforehand give energy to whatever turns.
//! So bodies that joints hold are integrated through the step, with their own loads and joints in force:
//!
//! ```text
//! y⁺: momenta change by the blows p₀ among the impulses p of contacts and rows, by h F of forces that reach beyond the joints,
//!     and by what joints answer: J v = 0                                                    (answer_blows)
//! one step of an integrator under all other loads and the constant forces (p − p₀)/h            (run)
//! ```
//!
//! Blows are the impulses of the same problem without accelerations: they brake what approaches, by Coulomb's law without
//! restitution, and so take energy only. What rests is carried all the time, and stays where it is. The step is as long as one of
//! the integrator at most.

use crate::drive::exact::island::articulated_motion::ArticulatedMotion;
use crate::drive::exact::island::articulated_motion::ArticulatedPart;
use crate::drive::exact::island::articulated_motion::StartImpulses;
use crate::drive::exact::island::scratch::Workspace;
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

/// Blows with a larger residual are none.
const SOLVED: f64 = 1e-6;

/// Impulses and constant forces on one body.
#[derive(Default, Clone, Copy)]
struct Push {
    at_start: Load,
    steady: Load,
}

impl Push {
    fn add(&mut self, (linear, angular): (DVec3, DVec3), p: f64, (at_start, h): (f64, f64)) {
        self.at_start.force += at_start * linear;
        self.at_start.torque += at_start * angular;
        let steady = (p - at_start) / h;
        self.steady.force += steady * linear;
        self.steady.torque += steady * angular;
    }
}

impl Simulation {
    /// The blows among the impulses of a step; `gaps` are how far contacts may close in it, `gained` what accelerations make of
    /// the rates of rows. None where nothing approaches.
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
            // Friction and motors do nothing in no time.
            if let Bound::Within(largest) = &mut extra.bound {
                *largest = 0.0;
            }
        }
        let outcome = constraints.step(loaded, &active.constraints, h, (slides, gaps));
        let found =
            StartImpulses { contacts: constraints.forces.clone(), rows: constraints.extra_forces.clone() };
        constraints.frames.iter_mut().zip(free).for_each(|(frame, free)| frame.free = free);
        (constraints.extra, constraints.forces) = (extra, forces);
        if outcome.residual <= SOLVED { found } else { StartImpulses::default() }
    }

    /// Leads what joints hold through a step, with the impulses of contacts and rows as last found.
    pub(crate) fn articulated_motion(
        &mut self,
        (t, h): (f64, f64),
        articulated_part: &ArticulatedPart,
        active: &ActiveSet,
        start_impulses: &StartImpulses,
    ) -> Result<ArticulatedMotion, Stop> {
        let pushes = pushes(&self.scratch.island.constraints, articulated_part, (active, start_impulses), h);
        let island = &articulated_part.island;
        let mut y = vec![0.0; island.dim() + SUMS];
        let (mut before, mut steady) = (Vec::new(), Vec::new());
        let kept: Vec<BodyState> =
            island.bodies.iter().map(|id| self.state.states.bodies[id.index()]).collect();
        for ((id, push), beyond) in island.bodies.iter().zip(&pushes).zip(&articulated_part.beyond) {
            let state = &mut self.state.states.bodies[id.index()];
            before.push(state.twist(self.world.body(*id).inertia()));
            state.momentum += push.at_start.force + h * beyond.force;
            state.angular_momentum += push.at_start.torque + h * beyond.torque;
            steady.push(push.steady);
        }
        island.pack(&self.state.states.bodies, &self.state.states.sets, 0.0, &mut y[..island.dim()]);
        for (id, state) in island.bodies.iter().zip(kept) {
            self.state.states.bodies[id.index()] = state;
        }
        let mut own = ActiveSet::new(island);
        own.steady = steady;
        let (world, smooth) = (&self.world, island.smooth_interval(t));
        let workspace = Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island };
        let mut equations = IslandEquations::new(world, island, Some(&own), workspace, smooth);
        let work = equations.answer_start_impulses(t, &mut y, &before);
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

/// One step of an integrator, to `until` if it is long enough. Whatever method was chosen, this one has a dense output of high
/// order, on which the joints hold.
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

/// What contacts and rows do to the bodies that joints hold.
fn pushes(
    constraints: &ConstraintSystem,
    articulated_part: &ArticulatedPart,
    (active, start_impulses): (&ActiveSet, &StartImpulses),
    h: f64,
) -> Vec<Push> {
    let mut pushes = vec![Push::default(); articulated_part.island.bodies.len()];
    for (i, constraint) in active.constraints.iter().enumerate() {
        for (side, place) in constraint.bodies.iter().enumerate() {
            let Some(slot) = articulated_part.slot(*place) else { continue };
            for (c, (row, p, _)) in constraints.components(i).enumerate() {
                pushes[slot].add(part(row, side), p, (start_impulses.of(i, c), h));
            }
        }
    }
    for (i, (extra, p)) in constraints.extra.iter().zip(&constraints.extra_forces).enumerate() {
        for (side, place) in extra.bodies.iter().enumerate() {
            if let Some(slot) = place.and_then(|place| articulated_part.slot(place)) {
                pushes[slot].add(part(&extra.row, side), *p, (start_impulses.of_row(i), h));
            }
        }
    }
    pushes
}

impl IslandEquations<'_> {
    /// Adds the impulses by which joints answer blows; returns what drives and moving supports do by them, J.
    fn answer_start_impulses(&mut self, t: f64, y: &mut [f64], before: &[Twist]) -> f64 {
        let island = self.island;
        self.load_free(t, &y[..island.dim()]);
        self.meet_joints(t, Pivoting::FORCES);
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
            // By the mean of the velocities before and after all impulses.
            work += 0.5 * answer.force.dot(before[k].velocity + velocity + change.0);
            work += 0.5 * answer.torque.dot(before[k].spin + spin + change.1);
            island.shift_twist(self.world, y, k, change);
        }
        work
    }
}
