//! What joints hold, on its way through a step over a crowd of contacts.
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

use std::sync::Arc;

use super::aggregate::part;
use super::held::{Held, IslandEquations, SUMS};
use super::simulation::Simulation;
use super::{Buffers, States, Stop};
use crate::articulation::Level;
use crate::articulation::factor::Pivoting;
use crate::body::{BodyState, Load};
use crate::contact::rest::{Bearings, Bound, Extra};
use crate::dynamics::{Integrated, Island};
use crate::integrate::{Integrator, Method, Settings, Statistics, Step, StepError};
use crate::math::{DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::world::{BodyId, Member, World};

/// Blows with a larger residual are none.
const SOLVED: f64 = 1e-6;

/// What joints hold of an island.
pub(super) struct Jointed {
    /// Its bodies, with the forces that act on nobody else.
    island: Arc<Island>,
    /// Of every body of the whole island: its place here.
    slots: Vec<Option<usize>>,
    /// What forces that reach beyond do to each, N and N·m.
    beyond: Vec<Load>,
}

impl Jointed {
    /// Of an island; none where it has no joints.
    pub(super) fn of(world: &World, island: &Island) -> Option<Self> {
        let mut bodies: Vec<BodyId> =
            island.joints.iter().flat_map(|place| world.joints()[*place].bodies()).flatten().collect();
        bodies.retain(|id| world.body(*id).is_dynamic());
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.is_empty() {
            return None;
        }
        let is_own = |member: &Member| match member {
            Member::Body(id) => !world.body(*id).is_dynamic() || bodies.binary_search(id).is_ok(),
            Member::Set(_) => false,
        };
        let acts = |member: &Member| matches!(member, Member::Body(id) if bodies.binary_search(id).is_ok());
        let own = |f: &usize| {
            let members = world.forces()[*f].members();
            members.iter().any(acts) && members.iter().all(is_own)
        };
        let forces: Vec<usize> = island.forces.iter().copied().filter(own).collect();
        let members: Vec<Member> = bodies.iter().map(|id| Member::Body(*id)).collect();
        let slots = island.bodies.iter().map(|id| bodies.binary_search(id).ok()).collect();
        let beyond = vec![Load::default(); bodies.len()];
        Some(Self { island: Arc::new(Island::of(world, &members, forces, &[])), slots, beyond })
    }

    /// Finds what forces that reach beyond its bodies do, from all loads on the bodies of the whole island, in the states at `t`;
    /// returns the power that its own loads book as work, W.
    pub(super) fn find_beyond(
        &mut self,
        (world, states): (&World, &States),
        (whole, loads): (&Island, &[Load]),
        t: f64,
        buffers: &mut Buffers,
    ) -> f64 {
        let own = &self.island;
        let acts = |f: &usize| {
            let is_body = |m: &Member| matches!(m, Member::Body(id) if own.bodies.binary_search(id).is_ok());
            !own.forces.contains(f) && world.forces()[*f].members().iter().any(is_body)
        };
        let mut y = vec![0.0; own.dim()];
        own.pack(&states.bodies, &states.sets, 0.0, &mut y);
        let smooth = whole.smooth_interval(t);
        let mut equations = IslandEquations { world, island: own, held: None, buffers, smooth };
        equations.load_free(t, &y);
        let power = equations.power();
        if !whole.forces.iter().any(acts) {
            return power;
        }
        for (all, slot) in loads.iter().zip(&self.slots) {
            let Some(slot) = *slot else { continue };
            let alone = equations.summed(own.bodies[slot]);
            self.beyond[slot] = Load { force: all.force - alone.force, torque: all.torque - alone.torque };
        }
        power
    }

    /// The place here of a body of the whole island, or a support of it.
    pub(super) fn slot(&self, place: usize) -> Option<usize> {
        self.slots.get(place).copied().flatten()
    }
}

/// The impulses of contacts, in their frames, and of rows that act at once, N·s.
#[derive(Default)]
pub(super) struct Blows {
    contacts: Vec<DVec3>,
    rows: Vec<f64>,
}

impl Blows {
    /// Of a component of a contact: of its normal, its tangents, and dry moments, which are none.
    pub(super) fn of(&self, contact: usize, component: usize) -> f64 {
        let found = self.contacts.get(contact).filter(|_| component < 3);
        found.map_or(0.0, |blow| blow[component])
    }

    /// Of a row.
    pub(super) fn of_row(&self, row: usize) -> f64 {
        self.rows.get(row).copied().unwrap_or_default()
    }
}

/// The way of what joints hold through a step.
#[derive(Debug, Clone)]
pub(super) struct Drift {
    island: Arc<Island>,
    integrator: Box<Integrator>,
    /// Twists of its bodies before the step.
    before: Vec<Twist>,
    /// Twists of its bodies after the blows and at the end.
    ends: Vec<[Twist; 2]>,
    /// What drives and moving supports did in the blows, J.
    pub(super) work: f64,
}

impl Drift {
    /// Where it ends, s: at the end of the step, or before it where a step of the integrator may be no longer.
    pub(super) fn end(&self) -> f64 {
        self.integrator.time()
    }

    /// The pose at the end, and the twists after the blows and at the end, of the body in this place.
    pub(super) fn end_of(&self, slot: usize) -> (Pose, [Twist; 2]) {
        (self.motion(slot).pose(self.end()), self.ends[slot])
    }

    /// The work on a body of an impulse of the step along a row, of which `blow` acts at its start, J: by the means of the
    /// velocities before and after the blows, and from there to the end.
    pub(super) fn work_on(
        &self,
        slot: usize,
        (linear, angular): (DVec3, DVec3),
        (p, blow): (f64, f64),
    ) -> f64 {
        let rate = |twist: &Twist| linear.dot(twist.velocity) + angular.dot(twist.spin);
        let (before, [start, end]) = (rate(&self.before[slot]), self.ends[slot].each_ref().map(rate));
        0.5 * (blow * (before + start) + (p - blow) * (start + end))
    }

    /// The rate of a row of one body before the step.
    pub(super) fn rate_before(&self, slot: usize, (linear, angular): (DVec3, DVec3)) -> f64 {
        linear.dot(self.before[slot].velocity) + angular.dot(self.before[slot].spin)
    }

    /// The motion of the body in this place.
    pub(super) fn motion(&self, slot: usize) -> Integrated<'_> {
        Integrated::new(&self.island, self.integrator.span(), slot)
    }

    /// The place of a body.
    pub(super) fn slot(&self, id: BodyId) -> Option<usize> {
        self.island.bodies.binary_search(&id).ok()
    }

    /// Reads the states of its bodies at `t`; returns the work done on it since the blows, and what the constant forces and
    /// putting it back onto the joints took, J.
    pub(super) fn read(&self, t: f64, states: &mut States) -> (f64, f64) {
        let dim = self.island.dim();
        states.vector.resize(dim + SUMS, 0.0);
        if t == self.integrator.time() {
            states.vector.copy_from_slice(self.integrator.state());
        } else {
            self.integrator.span().at(t, &mut states.vector);
        }
        let States { bodies, sets, vector } = states;
        let work = self.island.unpack(&vector[..dim], bodies, sets);
        (work, vector[dim] + vector[dim + 1])
    }

    /// What it cost.
    pub(super) fn statistics(&self) -> Statistics {
        *self.integrator.statistics()
    }
}

/// Impulses and constant forces on one body.
#[derive(Default, Clone, Copy)]
struct Push {
    blow: Load,
    steady: Load,
}

impl Push {
    fn add(&mut self, (linear, angular): (DVec3, DVec3), p: f64, (blow, h): (f64, f64)) {
        self.blow.force += blow * linear;
        self.blow.torque += blow * angular;
        let steady = (p - blow) / h;
        self.steady.force += steady * linear;
        self.steady.torque += steady * angular;
    }
}

impl Simulation {
    /// The blows among the impulses of a step; `gaps` are how far contacts may close in it, `gained` what accelerations make of
    /// the rates of rows. None where nothing approaches.
    pub(super) fn find_blows(
        &mut self,
        h: f64,
        held: &Held,
        (slides, gaps): (&[bool], &[f64]),
        gained: &[f64],
    ) -> Blows {
        let Buffers { bearings, loaded, .. } = &mut self.buffers;
        let contacts = bearings.frames.iter().zip(gaps).zip(&held.bearings);
        let closes = contacts.map(|((frame, gap), bearing)| (frame.velocity.x + gap / h) < -bearing.still);
        let is_limit = |extra: &Extra| extra.bound == Bound::AtLeast;
        let mut rows = bearings.extra.iter().zip(gained);
        let reached = rows.any(|(extra, gained)| is_limit(extra) && extra.free < *gained);
        if !closes.fold(reached, |any, closes| any | closes) {
            return Blows::default();
        }
        let free: Vec<DVec3> = bearings.frames.iter().map(|frame| frame.free).collect();
        let (extra, forces) = (bearings.extra.clone(), std::mem::take(&mut bearings.forces));
        bearings.frames.iter_mut().for_each(|frame| frame.free = DVec3::ZERO);
        for (extra, gained) in bearings.extra.iter_mut().zip(gained) {
            extra.free -= gained;
            // Friction and motors do nothing in no time.
            if let Bound::Within(largest) = &mut extra.bound {
                *largest = 0.0;
            }
        }
        let outcome = bearings.step(loaded, &held.bearings, h, (slides, gaps));
        let found = Blows { contacts: bearings.forces.clone(), rows: bearings.extra_forces.clone() };
        bearings.frames.iter_mut().zip(free).for_each(|(frame, free)| frame.free = free);
        (bearings.extra, bearings.forces) = (extra, forces);
        if outcome.residual <= SOLVED { found } else { Blows::default() }
    }

    /// Leads what joints hold through a step, with the impulses of contacts and rows as last found.
    pub(super) fn drift(
        &mut self,
        (t, h): (f64, f64),
        jointed: &Jointed,
        held: &Held,
        blows: &Blows,
    ) -> Result<Drift, Stop> {
        let pushes = pushes(&self.buffers.bearings, jointed, (held, blows), h);
        let island = &jointed.island;
        let mut y = vec![0.0; island.dim() + SUMS];
        let (mut before, mut steady) = (Vec::new(), Vec::new());
        let kept: Vec<BodyState> = island.bodies.iter().map(|id| self.states.bodies[id.index()]).collect();
        for ((id, push), beyond) in island.bodies.iter().zip(&pushes).zip(&jointed.beyond) {
            let state = &mut self.states.bodies[id.index()];
            before.push(state.twist(self.world.body(*id).inertia()));
            state.momentum += push.blow.force + h * beyond.force;
            state.angular_momentum += push.blow.torque + h * beyond.torque;
            steady.push(push.steady);
        }
        island.pack(&self.states.bodies, &self.states.sets, 0.0, &mut y[..island.dim()]);
        for (id, state) in island.bodies.iter().zip(kept) {
            self.states.bodies[id.index()] = state;
        }
        let mut own = Held::new(island);
        own.steady = steady;
        let (world, buffers, smooth) = (&self.world, &mut self.buffers, island.smooth_interval(t));
        let mut equations = IslandEquations { world, island, held: Some(&own), buffers, smooth };
        let work = equations.answer_blows(t, &mut y, &before);
        let integrator = run(world, &mut equations, (t, t + h), &y);
        let integrator = integrator.map_err(|error| Stop::motion(world, island, t, error))?;
        let twist = |y: &[f64], k: usize| {
            let inertia = world.body(island.bodies[k]).inertia();
            island.state_of(y, k).twist(inertia)
        };
        let places = 0..island.bodies.len();
        let ends = places.map(|k| [twist(&y, k), twist(integrator.state(), k)]).collect();
        Ok(Drift { island: Arc::clone(island), integrator: Box::new(integrator), before, ends, work })
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
fn pushes(bearings: &Bearings, jointed: &Jointed, (held, blows): (&Held, &Blows), h: f64) -> Vec<Push> {
    let mut pushes = vec![Push::default(); jointed.island.bodies.len()];
    for (i, bearing) in held.bearings.iter().enumerate() {
        for (side, place) in bearing.bodies.iter().enumerate() {
            let Some(slot) = jointed.slot(*place) else { continue };
            for (c, (row, p, _)) in bearings.components(i).enumerate() {
                pushes[slot].add(part(row, side), p, (blows.of(i, c), h));
            }
        }
    }
    for (i, (extra, p)) in bearings.extra.iter().zip(&bearings.extra_forces).enumerate() {
        for (side, place) in extra.bodies.iter().enumerate() {
            if let Some(slot) = place.and_then(|place| jointed.slot(place)) {
                pushes[slot].add(part(&extra.row, side), *p, (blows.of_row(i), h));
            }
        }
    }
    pushes
}

impl IslandEquations<'_> {
    /// Adds the impulses by which joints answer blows; returns what drives and moving supports do by them, J.
    fn answer_blows(&mut self, t: f64, y: &mut [f64], before: &[Twist]) -> f64 {
        let island = self.island;
        self.load_free(t, &y[..island.dim()]);
        self.meet_joints(t, Pivoting::FORCES);
        let Buffers { bearings, loaded, .. } = &mut *self.buffers;
        let mut answers = vec![Load::default(); island.bodies.len()];
        for k in &bearings.present {
            let linkage = &mut bearings.joined[*k];
            linkage.system.solve(Level::Velocity);
            linkage.system.loads(|slot, load| {
                answers[linkage.places[slot]].force += load.force;
                answers[linkage.places[slot]].torque += load.torque;
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
