//! One update: a step of RK4, back-stepping to what it ran into, and the rest of the step. [INTRO, Update and Display]

use super::locate::Saved;
use super::{IntroError, IntroSimulation, RestRule};
use crate::body::{BodyState, Load};
use crate::dynamics::Equations;
use crate::math::{DQuat, DVec3};
use crate::narrow_phase::Class;
use crate::solve::choose::Note;

/// The derivative of the state of one body: v, q̇ = ½ ω q, F, τ.
#[derive(Debug, Clone, Copy)]
struct Rates {
    velocity: DVec3,
    turning: DQuat,
    load: Load,
}

/// Powers of one derivative, W.
#[derive(Debug, Clone, Copy)]
struct Powers {
    /// Of forces without a potential, and of supports that move.
    work: f64,
    /// Of contact forces on bodies that separate.
    separating: f64,
}

/// y + h ẏ.
fn moved(state: &BodyState, rates: &Rates, h: f64) -> BodyState {
    BodyState {
        position: state.position + h * rates.velocity,
        orientation: state.orientation + rates.turning * h,
        momentum: state.momentum + h * rates.load.force,
        angular_momentum: state.angular_momentum + h * rates.load.torque,
    }
}

impl IntroSimulation {
    /// One step, to the time `end`.
    pub(super) fn update(&mut self, end: f64) -> Result<(), IntroError> {
        self.statistics.steps += 1;
        let mut left = end - self.t;
        for _ in 0..self.settings.rounds {
            let gone = self.go(left)?;
            left -= gone;
            self.t = end - left;
            if self.class == Class::Colliding {
                self.collide();
                self.check()?;
            } else if left > 0.0 {
                self.press();
                self.check()?;
            }
            if left <= 0.0 {
                self.t = end;
                return Ok(());
            }
        }
        self.hold(left)?;
        self.t = end;
        self.check()
    }

    /// Goes on to the end of the step although the contacts were too many: bodies that would run into others keep their place
    /// and lose the time, the others do not. At most as many trials as there are bodies.
    fn hold(&mut self, left: f64) -> Result<(), IntroError> {
        let saved = Saved::of(self);
        loop {
            saved.contacts_to(self);
            self.try_step(&saved.states, left)?;
            let stuck: Vec<usize> = self
                .touches
                .iter()
                .filter(|touch| touch.class == Class::Penetrating)
                .flat_map(|touch| touch.bodies)
                .filter(|body| self.is_mobile(*body))
                .collect();
            if stuck.is_empty() {
                break;
            }
            for body in stuck {
                self.is_still[body] = true;
            }
        }
        self.book_trial();
        for body in 0..self.is_still.len() {
            if self.is_still[body] {
                self.lost_times[body] += left;
                self.statistics.lost_time = self.statistics.lost_time.max(self.lost_times[body]);
            }
        }
        self.is_still.fill(false);
        Ok(())
    }

    /// The step that was tried is the one that is made.
    pub(super) fn book_trial(&mut self) {
        self.closed += self.stopped_energy - self.tried_gain;
        self.work += self.tried_work;
        let approximate = match self.forces.note.take() {
            Some((Note::ApproximateForces { excess }, touch)) => Some((excess, touch)),
            _ => None,
        };
        if let Some((excess, touch)) = approximate.filter(|_| !self.is_approximate) {
            self.note_approximate_forces(&touch, excess);
        }
        self.is_approximate = approximate.is_some();
        if let Some((_, touch)) = approximate {
            self.check_gain(&touch.bodies, self.tried_gain);
        }
    }

    /// RK4 from these states, and what bodies do then. The contacts that rest are those from before the step.
    pub(super) fn try_step(&mut self, saved: &[BodyState], h: f64) -> Result<(), IntroError> {
        let from = self.t;
        let stage = |states: &[BodyState], rates: &[Rates], h: f64| -> Vec<BodyState> {
            states.iter().zip(rates).map(|(state, rates)| moved(state, rates, h)).collect()
        };
        self.states.copy_from_slice(saved);
        // Momentum that goes into a contact at rest is gone at the start, not only in the derivative.
        let mut start = saved.to_vec();
        let mut support = 0.0;
        if self.settings.rest == RestRule::Forces {
            (self.stopped_energy, support) = self.stop_approach(&mut start);
        } else {
            self.rest_momenta(&mut start);
            self.stopped_energy = self.kinetic_energy(saved) - self.kinetic_energy(&start);
        }
        // What keeps its place is at rest for the forces that read it; its momentum comes back after the step.
        for (body, state) in start.iter_mut().enumerate().filter(|(body, _)| self.is_still[*body]) {
            *state = BodyState { momentum: DVec3::ZERO, angular_momentum: DVec3::ZERO, ..saved[body] };
        }
        let (k_1, p_1) = self.rates(&start, from, true);
        let (k_2, p_2) = self.rates(&stage(&start, &k_1, 0.5 * h), from + 0.5 * h, false);
        let (k_3, p_3) = self.rates(&stage(&start, &k_2, 0.5 * h), from + 0.5 * h, false);
        let (k_4, p_4) = self.rates(&stage(&start, &k_3, h), from + h, false);
        let sum = |part: fn(&Powers) -> f64| {
            h / 6.0 * (part(&p_1) + 2.0 * part(&p_2) + 2.0 * part(&p_3) + part(&p_4))
        };
        self.tried_work = support + sum(|powers| powers.work);
        self.tried_gain = sum(|powers| powers.separating);
        for body in 0..start.len() {
            if !self.is_mobile(body) {
                continue;
            }
            let mut state = start[body];
            for (rates, weight) in [(&k_1, 1.0), (&k_2, 2.0), (&k_3, 2.0), (&k_4, 1.0)] {
                state = moved(&state, &rates[body], weight * h / 6.0);
            }
            state.orientation = state.orientation.normalize();
            self.states[body] = state;
        }
        // Kinematic bodies are taken where they are by then.
        self.t = from + h;
        let checked = self.check();
        self.t = from;
        checked
    }

    /// With the trial rule: which bodies turn into what they rest on within the step.
    pub(super) fn decide_rotation(&mut self, h: f64) -> Result<(), IntroError> {
        self.stopped.fill(false);
        if self.settings.rest != RestRule::Trial || self.class != Class::Resting {
            return Ok(());
        }
        let (saved, touches, class) = (self.states.clone(), self.touches.clone(), self.class);
        self.try_step(&saved, h)?;
        for touch in self.touches.iter().filter(|touch| touch.class == Class::Penetrating) {
            // A pair that was not in contact before collides within the step: that is no matter of rest.
            if touches.iter().any(|before| before.bodies == touch.bodies) {
                for body in touch.bodies {
                    self.stopped[body] = true;
                }
            }
        }
        (self.states, self.touches, self.class) = (saved, touches, class);
        Ok(())
    }

    /// The derivative of all states, and the powers of its forces. [INTRO, dydt]
    fn rates(&mut self, states: &[BodyState], t: f64, is_first: bool) -> (Vec<Rates>, Powers) {
        let mut states = states.to_vec();
        if self.settings.rest != RestRule::Forces {
            self.rest_momenta(&mut states);
        }
        for (body, state) in states.iter_mut().enumerate().filter(|(body, _)| self.is_still[*body]) {
            *state = BodyState { momentum: DVec3::ZERO, angular_momentum: DVec3::ZERO, ..self.states[body] };
        }
        let (mut loads, mut power) = (vec![Load::default(); states.len()], 0.0);
        for island in &self.islands {
            self.vector.resize(island.dim(), 0.0);
            island.pack(&states, &[], 0.0, &mut self.vector);
            let smooth = island.smooth_interval(t);
            let mut equations = Equations::new(&self.world, island, &mut self.scratch, smooth);
            equations.sum_loads(t, &self.vector);
            for id in &island.bodies {
                loads[id.index()] = equations.summed(*id);
            }
            power += equations.power();
        }
        let mut separating = 0.0;
        if self.settings.rest == RestRule::Forces {
            let (supports, gained) = self.add_contact_forces(&states, t, &mut loads, is_first);
            (power, separating) = (power + supports, gained);
        }
        let mut forces: Vec<DVec3> = loads.iter().map(|load| load.force).collect();
        if self.settings.rest != RestRule::Forces {
            power += self.rest_forces(&states, t, &mut forces);
        }
        let one = |body: usize| {
            let twist = states[body].twist(self.world.bodies()[body].inertia());
            let DVec3 { x, y, z } = 0.5 * twist.spin;
            let load = Load { force: forces[body], torque: loads[body].torque };
            Rates {
                velocity: twist.velocity,
                turning: DQuat::from_xyzw(x, y, z, 0.0) * states[body].orientation,
                load,
            }
        };
        ((0..states.len()).map(one).collect(), Powers { work: power, separating })
    }
}
