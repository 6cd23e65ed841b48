//! Slow slips, whose direction is stiff.
//!
//! Friction of a sliding contact acts along −v/|v|. The slip component across its direction decays at the rate λ =
//! φ/|v|, where φ is the acceleration that contact forces give to it. The slip itself changes within τ = |v|/|v̇|. For
//! a block pushed barely beyond its friction, λ τ = φ/|v̇| is the inverse of the excess, and explicit steps, limited to
//! a few 1/λ, follow nothing but rounding. So it is where a body that rolls begins to slip: there v and v̇ are zero. Radau
//! IIA integrates such an island for as long as slips are slow: it damps the component across at any step length.

use crate::body::gyration;
use crate::contact::rest::{ContactConstraint, Mode};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::tolerances::{
    JACOBIAN_POSE_STEP, JACOBIAN_SPEED_STEP, MAX_IMPLICIT_BODIES, MAX_SLIP_CHANGE, STIFF_HYSTERESIS,
    STIFF_RATIO, STIFF_SLOWNESS,
};
use crate::drive::exact::island::track::Track;
use crate::integrate::{Method, Ode, Settings, Step, StepError};
use crate::math::DVec3;
use crate::math::linear::Matrix;
use crate::world::World;

/// The tangential part of a vector in the frame of a contact.
fn tangential(a: DVec3) -> f64 {
    (a.y * a.y + a.z * a.z).sqrt()
}

/// How fast the size of a slip changes, by its acceleration in the frame of the contact: along itself. What is across has not decayed
/// yet, or is rounding.
fn slip_rate(acceleration: DVec3, velocity: DVec3) -> f64 {
    let along = acceleration.y * velocity.y + acceleration.z * velocity.z;
    let slip = tangential(velocity);
    if slip > 0.0 { along.abs() / slip } else { tangential(acceleration) }
}

fn has_sliding_friction(constraint: &ContactConstraint) -> bool {
    matches!(constraint.mode, Mode::Slide { .. }) && constraint.kinetic_friction > 0.0
}

impl IslandEquations<'_> {
    /// The stiffness of the slips of the island by the stiffness threshold, in the state `y` with the rates `dy` in
    /// which forces were last solved.
    fn slip_stiffness(&self, y: &[f64], dy: &[f64]) -> f64 {
        let Some(active) = self.active else { return 0.0 };
        let constraints = &self.scratch.constraints;
        let of = |(i, constraint): (usize, &ContactConstraint)| {
            let acceleration = constraints.acceleration(i);
            let friction = tangential(acceleration - constraints.frames[i].free);
            let velocity = constraints.frames[i].velocity;
            let (rate, slip) = (slip_rate(acceleration, velocity), tangential(velocity));
            let mut stiffness = f64::INFINITY;
            for place in constraint.bodies.iter().filter(|place| **place < self.island.bodies.len()) {
                let inertia = self.world.body(self.island.bodies[*place]).inertia();
                let size = gyration(inertia);
                // While the slip changes, or the body turns by one: it may rock and roll, and begin to slip. Resistance to rolling ends
                // and turns by itself there, which implicit steps of a moving body follow less well than explicit ones.
                let rolling = self.momenta_in(y, *place).1 * inertia.inv_mass / size;
                let turning = (rolling / size).max((friction / size).sqrt());
                let in_motion = match constraint.rolling {
                    None => friction / rate.max(slip * turning) / STIFF_RATIO,
                    Some(_) => 0.0,
                };
                // Where the body hardly moves or accelerates nothing else limits the step.
                let (thrust, turn_rate) = self.momenta_in(dy, *place);
                let changing = (thrust + turn_rate / size) * inertia.inv_mass;
                let changes = friction / changing.max(tangential(acceleration)) / STIFF_RATIO;
                let slow = (friction * size).sqrt() / rolling.max(slip) / STIFF_SLOWNESS;
                stiffness = stiffness.min(changes.min(slow).max(in_motion));
            }
            if stiffness.is_nan() { 0.0 } else { stiffness }
        };
        active
            .constraints
            .iter()
            .enumerate()
            .filter(|(_, b)| has_sliding_friction(b))
            .map(of)
            .fold(0.0, f64::max)
    }

    /// The magnitudes of momentum and angular momentum of a body in a state vector, or of their rates.
    fn momenta_in(&self, y: &[f64], place: usize) -> (f64, f64) {
        let momenta = &y[self.island.body_offset(place) + self.island.form.momentum_offset()..];
        (DVec3::from_slice(momenta).length(), DVec3::from_slice(&momenta[3..]).length())
    }

    /// The longest step over which the stiffness of slips stays within a factor of that at the start, s. Newton's
    /// method uses the latter; the further the stiffness falls, the smaller its corrections.
    fn max_slip_step(&self) -> f64 {
        let Some(active) = self.active else { return f64::INFINITY };
        let constraints = &self.scratch.constraints;
        let of = |(i, constraint): (usize, &ContactConstraint)| {
            let slip = constraints.frames[i].slip().length().max(constraint.slow_slip());
            MAX_SLIP_CHANGE * slip / tangential(constraints.acceleration(i))
        };
        active
            .constraints
            .iter()
            .enumerate()
            .filter(|(_, b)| has_sliding_friction(b))
            .map(of)
            .fold(f64::INFINITY, f64::min)
    }

    /// ∂f/∂y by central differences, with shifts of momenta that are small beside those of the slowest slip: the
    /// momenta that the loads of a step would give are larger than such a slip.
    pub(crate) fn slip_jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut Matrix) -> bool {
        let Some(active) = self.active.filter(|active| active.is_stiff) else { return false };
        let mut rates = [vec![0.0; y.len()], vec![0.0; y.len()]];
        self.rates(t, y, &mut rates[0]);
        let frames = &self.scratch.constraints.frames;
        let slips =
            active.constraints.iter().zip(frames).filter(|(constraint, _)| has_sliding_friction(constraint));
        let slips = slips.map(|(constraint, frame)| frame.slip().length().max(constraint.slow_slip()));
        let speed = JACOBIAN_SPEED_STEP * slips.fold(f64::INFINITY, f64::min);
        if !speed.is_finite() {
            return false;
        }
        let form = self.island.form;
        let mut shifted = y.to_vec();
        for (k, id) in self.island.bodies.iter().enumerate() {
            let inertia = self.world.body(*id).inertia();
            let size = gyration(inertia);
            let (offset, momentum) = (self.island.body_offset(k), form.momentum_offset());
            for i in 0..form.body_size() {
                let shift = match i {
                    _ if i >= momentum + 3 => inertia.mass * size * speed,
                    _ if i >= momentum => inertia.mass * speed,
                    0..3 => JACOBIAN_POSE_STEP * size,
                    _ => JACOBIAN_POSE_STEP,
                };
                let column = offset + i;
                let ends = [y[column] - shift, y[column] + shift];
                for (end, rates) in ends.iter().zip(&mut rates) {
                    shifted[column] = *end;
                    self.rates(t, &shifted, rates);
                }
                shifted[column] = y[column];
                for row in 0..y.len() {
                    jacobian[(row, column)] = (rates[1][row] - rates[0][row]) / (ends[1] - ends[0]);
                }
            }
        }
        true
    }
}

impl Track {
    /// Whether an implicit method integrates it.
    pub(crate) fn is_stiff(&self) -> bool {
        self.active.as_ref().is_some_and(|active| active.is_stiff)
    }

    fn may_be_stiff(&self, world: &World) -> bool {
        let has_slips = |active: &ActiveSet| {
            active.step_forces.is_none() && active.constraints.iter().any(has_sliding_friction)
        };
        let is_few = self.island.bodies.len() <= MAX_IMPLICIT_BODIES && self.island.sets.is_empty();
        is_few
            && self.island.joints.is_empty()
            && matches!(world.settings().integrator.step, Step::Adaptive { .. })
            && self.active.as_deref().is_some_and(has_slips)
    }

    /// Detects whether slips are stiff, and how long steps may be, in the state in which forces were last solved.
    fn detect_stiffness(&mut self, world: &World, (y, dy): (&[f64], &[f64]), mut workspace: Workspace) {
        (self.will_be_stiff, self.max_implicit_step) = (false, f64::INFINITY);
        if self.implicit_failed || !self.may_be_stiff(world) {
            return;
        }
        let equations = self.equations(world, workspace.reborrow());
        let threshold = if self.is_stiff() { STIFF_HYSTERESIS } else { 1.0 };
        if equations.slip_stiffness(y, dy) > threshold {
            (self.will_be_stiff, self.max_implicit_step) = (true, equations.max_slip_step());
        }
    }

    /// The same after a step: forces are those at its end.
    pub(crate) fn detect_stiffness_after_step(&mut self, world: &World, mut workspace: Workspace) {
        let Some(integrator) = self.integrator.take() else { return };
        self.detect_stiffness(world, (integrator.state(), integrator.rates()), workspace.reborrow());
        self.integrator = Some(integrator);
    }

    /// Chooses the method that integrates it from a state on; drops an integrator of the other method.
    pub(crate) fn choose_method(&mut self, world: &World, y: &[f64], t: f64, mut workspace: Workspace) {
        let mut dy = Vec::new();
        if self.may_be_stiff(world) {
            dy.resize(y.len(), 0.0);
            self.equations(world, workspace.reborrow()).rates(t, y, &mut dy);
        }
        self.detect_stiffness(world, (y, &dy), workspace.reborrow());
        let is_stiff = self.will_be_stiff;
        if let Some(active) = self.active.as_mut().filter(|active| active.is_stiff != is_stiff) {
            active.is_stiff = is_stiff;
            if let Some(integrator) = self.integrator.take() {
                self.dropped_statistics = self.dropped_statistics.with(integrator.statistics());
            }
        }
    }

    /// The settings of its integrator.
    pub(crate) fn settings(&self, world: &World) -> Settings {
        let settings = world.settings().integrator.clone();
        if self.is_stiff() { Settings { method: Method::Radau5, ..settings } } else { settings }
    }

    /// Continues from its current state by the other method.
    pub(crate) fn change_method(&mut self, world: &World, mut workspace: Workspace) -> Result<(), StepError> {
        let integrator = self.integrator.as_ref().ok_or(StepError::NotStarted)?;
        let (t, y) = (integrator.time(), integrator.state().to_vec());
        self.integrate_from(world, &y, t, workspace.reborrow())
    }
}
