//! Rest by contact forces: in every derivative d̈ = A f + b, f ≥ 0, d̈ ≥ 0, fᵀd̈ = 0. [NOTES II and appendix D; PAPER]
//!
//! ```text
//! at the start of a step    contacts that still run in are stopped:  v⁺ = A j + v⁻ ≥ max(0, −d/h), h a whole step
//! in every derivative       A and b of the contacts that stay, f by the solver that the scene chooses
//! ```
//!
//! Forces act for as long as a stage of the step: this is where the approximate forces of the paper's linear programs can be seen at work.
//! What they do on bodies that part, ∫ fᵀḋ dt, is booked as `closing`, with the sign that makes it a gain.

use super::IntroSimulation;
use super::check::Touch;
use super::tolerances::STILL;
use crate::body::{BodyState, Kinematics, Load};
use crate::contact::rest::{ContactConstraint, Frame, Loaded, Mode};
use crate::math::{DMat3, DVec3, Row};
use crate::motion::Motion;
use crate::solve::Square;
use crate::solve::choose::{ContactSolver, Note, solve_normal_forces};
use crate::solve::lcp::PsdScratch;

/// Contact forces while a step is tried.
#[derive(Debug, Clone, Default)]
pub(super) struct StepForces {
    /// The contacts that stay in contact from its start on.
    staying: Vec<Touch>,
    /// What the solver said of the forces at its start, and of which contact most.
    pub(super) note: Option<(Note, Touch)>,
    scratch: PsdScratch,
}

impl IntroSimulation {
    /// Stops contacts at rest that still run in, all at once and without restitution, and says which contacts stay; returns the energy
    /// that this took and the work of supports that move, J. What is too deep by rounding is sent back within a whole step: within the short
    /// parts of back-steps that would be fast.
    pub(super) fn stop_approach(&mut self, states: &mut [BodyState]) -> (f64, f64) {
        let resting = self.resting();
        self.forces.note = None;
        self.forces.staying.clear();
        if resting.is_empty() {
            return (0.0, 0.0);
        }
        let bodies = self.loaded(states, &vec![Load::default(); states.len()], self.t);
        let frames = frames_of(&bodies, &resting);
        let a = delassus(&bodies, &resting, &frames);
        let leaving: Vec<f64> =
            frames.iter().map(|frame| (-frame.separation / self.settings.step).max(0.0)).collect();
        let q: Vec<f64> =
            frames.iter().zip(&leaving).map(|(frame, leaving)| frame.velocity.x - leaving).collect();
        let mut j = vec![0.0; q.len()];
        solve_normal_forces(ContactSolver::Quadratic, (&a, &q), &mut j, &mut self.forces.scratch);
        let before = self.kinetic_energy(states);
        let mut lost = 0.0;
        for (i, (touch, frame)) in resting.iter().zip(&frames).enumerate() {
            let after = frame.velocity.x + a.dot(i, &j);
            lost -= 0.5 * j[i] * (frame.velocity.x + after);
            for (body, (linear, angular)) in
                touch.bodies.into_iter().zip([0, 1].map(|s| frame.rows[0].side(s)))
            {
                if self.is_mobile(body) {
                    states[body].momentum += j[i] * linear;
                    states[body].angular_momentum += j[i] * angular;
                }
            }
            if after <= leaving[i] + STILL * self.settings.speed {
                self.forces.staying.push(*touch);
            }
        }
        (lost, self.kinetic_energy(states) - before + lost)
    }

    /// Adds the contact forces of a stage to the loads; returns the power of supports that move, and what the forces do on bodies that
    /// part, W.
    pub(super) fn add_contact_forces(
        &mut self,
        states: &[BodyState],
        t: f64,
        loads: &mut [Load],
        is_first: bool,
    ) -> (f64, f64) {
        let staying = std::mem::take(&mut self.forces.staying);
        if staying.is_empty() {
            return (0.0, 0.0);
        }
        let bodies = self.loaded(states, loads, t);
        let frames = frames_of(&bodies, &staying);
        let a = delassus(&bodies, &staying, &frames);
        let b: Vec<f64> = frames.iter().map(|frame| frame.free.x).collect();
        let mut f = vec![0.0; b.len()];
        let answer =
            solve_normal_forces(self.world.contact().solver, (&a, &b), &mut f, &mut self.forces.scratch);
        if is_first {
            let pushed = |i: &usize| f[*i] * (a.dot(*i, &f) + b[*i]);
            let most = (0..f.len()).max_by(|i, k| pushed(i).total_cmp(&pushed(k)));
            self.forces.note = most.map(|i| (answer.note, staying[i]));
        }
        let (mut power, mut separating) = (0.0, 0.0);
        for ((touch, frame), f) in staying.iter().zip(&frames).zip(&f) {
            separating += f * frame.velocity.x;
            for (body, (linear, angular)) in
                touch.bodies.into_iter().zip([0, 1].map(|s| frame.rows[0].side(s)))
            {
                if self.is_mobile(body) {
                    loads[body].force += *f * linear;
                    loads[body].torque += *f * angular;
                } else {
                    let twist = bodies[body].kinematics.twist;
                    power -= f * (linear.dot(twist.velocity) + angular.dot(twist.spin));
                }
            }
        }
        self.forces.staying = staying;
        (power, separating)
    }

    /// All bodies with these loads.
    fn loaded(&self, states: &[BodyState], loads: &[Load], t: f64) -> Vec<Loaded> {
        let one = |body: usize| {
            let description = &self.world.bodies()[body];
            let inertia = description.inertia();
            if let Some(motion) = description.prescribed_motion() {
                let (pose, twist) = (motion.pose(t), motion.twist(t));
                let (acceleration, spin_rate) = motion.acceleration(t);
                let kinematics = Kinematics { pose, twist, acceleration, spin_rate };
                return Loaded { inv_mass: 0.0, inv_inertia: DMat3::ZERO, kinematics };
            }
            let state = BodyState { orientation: states[body].orientation.normalize(), ..states[body] };
            let (pose, twist) = (state.pose(), state.twist(inertia));
            if !self.is_mobile(body) {
                let (acceleration, spin_rate) = (DVec3::ZERO, DVec3::ZERO);
                let kinematics = Kinematics { pose, twist, acceleration, spin_rate };
                return Loaded { inv_mass: 0.0, inv_inertia: DMat3::ZERO, kinematics };
            }
            let turn = DMat3::from_quat(pose.orientation);
            let (momentum, load) = (state.angular_momentum, &loads[body]);
            let kinematics = Kinematics {
                pose,
                twist,
                acceleration: load.force * inertia.inv_mass,
                spin_rate: inertia.spin(&turn, load.torque + momentum.cross(twist.spin)),
            };
            let inv_inertia = turn * inertia.inv_inertia_body * turn.transpose();
            Loaded { inv_mass: inertia.inv_mass, inv_inertia, kinematics }
        };
        (0..states.len()).map(one).collect()
    }
}

fn frames_of(bodies: &[Loaded], touches: &[Touch]) -> Vec<Frame> {
    let constraint = |touch: &Touch| ContactConstraint {
        bodies: touch.bodies,
        function: touch.function,
        static_friction: 0.0,
        kinetic_friction: 0.0,
        mode: Mode::Stick,
        still: 0.0,
        rolling: None,
    };
    touches.iter().map(|touch| Frame::new(bodies, &constraint(touch))).collect()
}

/// A = J M⁻¹ Jᵀ of the normals: acceleration of i by force at j.
fn delassus(bodies: &[Loaded], touches: &[Touch], frames: &[Frame]) -> Square {
    let row = |i: usize, side: usize| {
        let row: &Row = &frames[i].rows[0];
        (touches[i].bodies[side], row.side(side))
    };
    Square::from_fn(frames.len(), |i, j| {
        let mut sum = 0.0;
        for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let ((body, own), (other, by)) = (row(i, p), row(j, q));
            if body == other {
                let yields = &bodies[body];
                sum += yields.inv_mass * own.0.dot(by.0) + own.1.dot(yields.inv_inertia * by.1);
            }
        }
        sum
    })
}
