//! Slow slips, whose direction is stiff.
//!
//! Friction of a sliding contact acts along −v/|v|. What a slip has across its direction dies away at the rate λ = φ/|v|, where
//! φ is the acceleration that forces of contacts give to it; the slip itself changes within τ = |v|/|v̇|. For a block that is
//! pushed hardly beyond its friction λ τ = φ/|v̇| is the inverse of what is beyond, and explicit steps, which are no longer than
//! some 1/λ, follow nothing but rounding. Such an island is integrated by Radau IIA, which damps what goes across whatever the
//! length of its steps, for as long as slips are slow.

use crate::body::gyration;
use crate::contact::rest::{ContactConstraint, Mode};
use crate::drive::exact::island::equations::{ActiveSet, IslandEquations};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::Track;
use crate::integrate::{Method, Ode, Settings, Step, StepError};
use crate::math::DVec3;
use crate::math::linear::Matrix;
use crate::world::World;

/// Slips are stiff that settle across their direction so many times while they change. With less an explicit step is as cheap.
const CHANGES: f64 = 300.0;

/// And while friction could move a body by its size. Faster slips do not bound steps to speak of.
const SLOW: f64 = 20.0;

/// An island is integrated as before when its slips are by so much less stiff: it does not go to and fro.
const LEAVES: f64 = 0.5;

/// So many bodies at most: matrices are dense, and each column of the Jacobian is two evaluations.
const MOST_BODIES: usize = 8;

/// Differences for the Jacobian, as a share of the slowest slip: with the square of it the direction of a slip bends, and what
/// forces are rounded by is divided by it.
const SHIFTED_SPEED: f64 = 1e-4;

/// The same of places and turns, as a share of the size of a body: the cube root of what numbers resolve.
const SHIFTED_PLACE: f64 = 6e-6;

/// A slip that is slower than so many times what counts as still has not quite a direction of its own.
const UNCERTAIN: f64 = 1e3;

/// By so much of its size a slip may change in a step: each iteration of Newton's method leaves a third of what goes across.
const GROWS: f64 = 0.5;

/// The part of a vector in the frame of a contact that is along its surface.
fn along(a: DVec3) -> f64 {
    (a.y * a.y + a.z * a.z).sqrt()
}

fn rubs(constraint: &ContactConstraint) -> bool {
    matches!(constraint.mode, Mode::Slide { .. }) && constraint.kinetic_friction > 0.0
}

impl IslandEquations<'_> {
    /// How stiff the slips of the island are, by what counts as stiff, in the state in which forces were last found: `y`, with
    /// the rates `dy`.
    fn slip_stiffness(&self, y: &[f64], dy: &[f64]) -> f64 {
        let Some(active) = self.active else { return 0.0 };
        let constraints = &self.scratch.constraints;
        let of = |(i, constraint): (usize, &ContactConstraint)| {
            let acceleration = constraints.acceleration(i);
            let rubbed = along(acceleration - constraints.frames[i].free);
            let mut stiffness = f64::INFINITY;
            for place in constraint.bodies.iter().filter(|place| **place < self.island.bodies.len()) {
                let inertia = self.world.body(self.island.bodies[*place]).inertia();
                let size = gyration(inertia);
                // A body that rocks or rolls may slip as slowly; its motion is another, and asks for steps of its own.
                let (rate, turn_rate) = self.momenta_in(dy, *place);
                let changing = (rate + turn_rate / size) * inertia.inv_mass;
                let rolling = self.momenta_in(y, *place).1 * inertia.inv_mass / size;
                let changes = rubbed / changing.max(along(acceleration));
                let slow = (rubbed * size).sqrt() / rolling.max(along(constraints.frames[i].velocity));
                stiffness = stiffness.min(changes / CHANGES).min(slow / SLOW);
            }
            if stiffness.is_nan() { 0.0 } else { stiffness }
        };
        active.constraints.iter().enumerate().filter(|(_, b)| rubs(b)).map(of).fold(0.0, f64::max)
    }

    /// The sizes of momentum and angular momentum of a body in a state vector, or of their rates.
    fn momenta_in(&self, y: &[f64], place: usize) -> (f64, f64) {
        let momenta = &y[self.island.body_offset(place) + self.island.form.momentum_offset()..];
        (DVec3::from_slice(momenta).length(), DVec3::from_slice(&momenta[3..]).length())
    }

    /// How long a step may be for the stiffness of slips at its end to be within a factor of that at its start, s: Newton's
    /// method goes by the latter, and makes the smaller corrections the more it has fallen.
    fn slip_reach(&self) -> f64 {
        let Some(active) = self.active else { return f64::INFINITY };
        let constraints = &self.scratch.constraints;
        let of = |(i, constraint): (usize, &ContactConstraint)| {
            let slip = constraints.frames[i].slip().length().max(UNCERTAIN * constraint.still);
            GROWS * slip / along(constraints.acceleration(i))
        };
        active.constraints.iter().enumerate().filter(|(_, b)| rubs(b)).map(of).fold(f64::INFINITY, f64::min)
    }

    /// ∂f/∂y by central differences, with shifts of momenta that are small beside those of the slowest slip: those that
    /// the loads of a step would give are larger than such a slip.
    pub(crate) fn slip_jacobian(&mut self, t: f64, y: &[f64], jacobian: &mut Matrix) -> bool {
        let Some(active) = self.active.filter(|active| active.is_stiff) else { return false };
        let mut rates = [vec![0.0; y.len()], vec![0.0; y.len()]];
        self.rates(t, y, &mut rates[0]);
        let frames = &self.scratch.constraints.frames;
        let slips = active.constraints.iter().zip(frames).filter(|(constraint, _)| rubs(constraint));
        let slips = slips.map(|(constraint, frame)| frame.slip().length().max(UNCERTAIN * constraint.still));
        let speed = SHIFTED_SPEED * slips.fold(f64::INFINITY, f64::min);
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
                    0..3 => SHIFTED_PLACE * size,
                    _ => SHIFTED_PLACE,
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
    /// Whether it is integrated as one with slow slips.
    pub(crate) fn is_stiff(&self) -> bool {
        self.active.as_ref().is_some_and(|active| active.is_stiff)
    }

    fn may_be_stiff(&self, world: &World) -> bool {
        let has_slips =
            |active: &ActiveSet| active.step_forces.is_none() && active.constraints.iter().any(rubs);
        let is_few = self.island.bodies.len() <= MOST_BODIES && self.island.sets.is_empty();
        is_few
            && self.island.joints.is_empty()
            && matches!(world.settings().integrator.step, Step::Adaptive { .. })
            && self.active.as_deref().is_some_and(has_slips)
    }

    /// Finds out whether slips are stiff, and how long steps may be, in the state in which forces were last found.
    fn look_for_stiffness(&mut self, world: &World, (y, dy): (&[f64], &[f64]), mut workspace: Workspace) {
        (self.will_be_stiff, self.reach) = (false, f64::INFINITY);
        if self.is_barred || !self.may_be_stiff(world) {
            return;
        }
        let equations = self.equations(world, workspace.reborrow());
        let most = if self.is_stiff() { LEAVES } else { 1.0 };
        if equations.slip_stiffness(y, dy) > most {
            (self.will_be_stiff, self.reach) = (true, equations.slip_reach());
        }
    }

    /// The same after a step: forces are those at its end.
    pub(crate) fn look_after_step(&mut self, world: &World, mut workspace: Workspace) {
        let Some(integrator) = self.integrator.take() else { return };
        self.look_for_stiffness(world, (integrator.state(), integrator.rates()), workspace.reborrow());
        self.integrator = Some(integrator);
    }

    /// Decides by which method it is integrated from a state on; an integrator for the other is given up.
    pub(crate) fn choose_method(&mut self, world: &World, y: &[f64], t: f64, mut workspace: Workspace) {
        let mut dy = Vec::new();
        if self.may_be_stiff(world) {
            dy.resize(y.len(), 0.0);
            self.equations(world, workspace.reborrow()).rates(t, y, &mut dy);
        }
        self.look_for_stiffness(world, (y, &dy), workspace.reborrow());
        let is_stiff = self.will_be_stiff;
        if let Some(active) = self.active.as_mut().filter(|active| active.is_stiff != is_stiff) {
            active.is_stiff = is_stiff;
            if let Some(integrator) = self.integrator.take() {
                self.spent = self.spent.with(integrator.statistics());
            }
        }
    }

    /// The settings of its integrator.
    pub(crate) fn settings(&self, world: &World) -> Settings {
        let settings = world.settings().integrator.clone();
        if self.is_stiff() { Settings { method: Method::Radau5, ..settings } } else { settings }
    }

    /// Goes on from where it is by the other method.
    pub(crate) fn change_method(&mut self, world: &World, mut workspace: Workspace) -> Result<(), StepError> {
        let integrator = self.integrator.as_ref().ok_or(StepError::NotStarted)?;
        let (t, y) = (integrator.time(), integrator.state().to_vec());
        self.integrate_from(world, &y, t, workspace.reborrow())
    }
}
