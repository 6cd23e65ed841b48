//! Slow slips, whose direction is stiff.
//!
//! Friction of a sliding contact acts along −v/|v|. The slip component across its direction decays at the rate λ =
//! φ/|v|, where φ is the acceleration that contact forces give to it. The slip itself changes within τ = |v|/|v̇|. For
//! a block pushed barely beyond its friction, λ τ = φ/|v̇| is the inverse of the excess, and explicit steps, limited to
//! a few 1/λ, follow nothing but rounding. So it is where a body that rolls begins to slip: there v and v̇ are zero. Radau
//! IIA integrates such an island for as long as slips are slow: it damps the component across at any step length.

use crate::body::gyration;
use crate::contact::rest::{ContactConstraint, Frame, Mode};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::tolerances::{
    JACOBIAN_POSE_STEP, MAX_IMPLICIT_BODIES, MAX_SLIP_CHANGE, STIFF_HYSTERESIS, STIFF_RATIO,
};
use crate::drive::exact::island::track::Track;
use crate::integrate::{Method, Ode, Settings, Step, StepError};
use crate::math::DVec3;
use crate::math::linear::Matrix;
use crate::math::real::cbrt;
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
    /// The stiffness of the slips of the island by the stiffness threshold, in the state `y` in which forces were last solved.
    fn slip_stiffness(&self, y: &[f64]) -> f64 {
        let Some(active) = self.active else { return 0.0 };
        let constraints = &self.scratch.constraints;
        let of = |(i, constraint): (usize, &ContactConstraint)| {
            let acceleration = constraints.acceleration(i);
            let friction = tangential(acceleration - constraints.frames[i].free);
            let velocity = constraints.frames[i].velocity;
            let slip = tangential(velocity);
            // The slip changes in |v|/|v̇|. A body that rocks or rolls meanwhile limits the step by its own motion.
            let mut slowest = slip_rate(acceleration, velocity);
            for place in constraint.bodies.iter().filter(|place| **place < self.island.bodies.len()) {
                let inertia = self.world.body(self.island.bodies[*place]).inertia();
                let size = gyration(inertia);
                let turning = self.spin_in(y, *place) + (friction / size).sqrt();
                slowest = slowest.max(slip * turning);
            }
            let stiffness = friction / slowest / STIFF_RATIO;
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

    /// How fast a body turns in a state vector, rad/s, as if its inertia were that of a ball.
    fn spin_in(&self, y: &[f64], place: usize) -> f64 {
        let inertia = self.world.body(self.island.bodies[place]).inertia();
        let momenta = &y[self.island.body_offset(place) + self.island.form.momentum_offset()..];
        let size = gyration(inertia);
        DVec3::from_slice(&momenta[3..]).length() * inertia.inv_mass / (size * size)
    }

    /// The longest step over which the stiffness of slips stays within a factor of that at the start, s. Newton's
    /// method uses the latter; the further the stiffness falls, the smaller its corrections.
    fn max_slip_step(&self) -> f64 {
        let Some(active) = self.active else { return f64::INFINITY };
        let constraints = &self.scratch.constraints;
        let of = |(i, constraint): (usize, &ContactConstraint)| {
            let slip = tangential(constraints.frames[i].velocity).max(constraint.slow_slip());
            MAX_SLIP_CHANGE * slip / slip_rate(constraints.acceleration(i), constraints.frames[i].velocity)
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
        // The bend of the slip direction grows with the square of the shift, the rounding of the slip by the shift falls with it: least
        // together at the cube root of the rounding of the slip by itself.
        let shift = |(constraint, frame): (&ContactConstraint, &Frame)| {
            let slip = frame.slip().length().max(constraint.slow_slip());
            slip * cbrt(constraint.still / slip)
        };
        let speed = slips.map(shift).fold(f64::INFINITY, f64::min);
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
    fn detect_stiffness(&mut self, world: &World, y: &[f64], mut workspace: Workspace) {
        (self.will_be_stiff, self.max_implicit_step) = (false, f64::INFINITY);
        if self.implicit_failed || !self.may_be_stiff(world) {
            return;
        }
        let equations = self.equations(world, workspace.reborrow());
        let threshold = if self.is_stiff() { STIFF_HYSTERESIS } else { 1.0 };
        if equations.slip_stiffness(y) > threshold {
            (self.will_be_stiff, self.max_implicit_step) = (true, equations.max_slip_step());
        }
    }

    /// The same after a step: forces are those at its end.
    pub(crate) fn detect_stiffness_after_step(&mut self, world: &World, mut workspace: Workspace) {
        let Some(integrator) = self.integrator.take() else { return };
        self.detect_stiffness(world, integrator.state(), workspace.reborrow());
        self.integrator = Some(integrator);
    }

    /// Chooses the method that integrates it from a state on; drops an integrator of the other method.
    pub(crate) fn choose_method(&mut self, world: &World, y: &[f64], t: f64, mut workspace: Workspace) {
        if self.may_be_stiff(world) {
            let mut dy = vec![0.0; y.len()];
            self.equations(world, workspace.reborrow()).rates(t, y, &mut dy);
        }
        self.detect_stiffness(world, y, workspace.reborrow());
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
