//! One update: a step of RK4, back-stepping to what it ran into, and the rest of the step. [INTRO, Update and Display]

use super::{IntroError, IntroSimulation, RestRule};
use crate::body::{BodyState, Load};
use crate::dynamics::Equations;
use crate::math::{DQuat, DVec3};
use crate::narrow_phase::Class;

/// The derivative of the state of one body: v, q̇ = ½ ω q, F, τ.
#[derive(Debug, Clone, Copy)]
struct Rates {
    velocity: DVec3,
    turning: DQuat,
    load: Load,
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
        self.statistics.lost_time += left;
        self.t = end;
        self.check()
    }

    /// From the present state by `h`, or less where bodies touch before; how far it came.
    fn go(&mut self, h: f64) -> Result<f64, IntroError> {
        let saved = self.states.clone();
        let (touches, class) = (self.touches.clone(), self.class);
        self.decide_rotation(h)?;
        self.try_step(&saved, h)?;
        if self.class != Class::Penetrating {
            self.closed += self.stopped_energy;
            return Ok(h);
        }
        // The largest part that is known to be free of penetration.
        let mut free = 0.0;
        let (mut part, mut delta) = (0.5 * h, 0.5 * h);
        for _ in 0..self.settings.back_steps {
            self.statistics.back_steps += 1;
            (self.touches, self.class) = (touches.clone(), class);
            self.try_step(&saved, part)?;
            delta *= 0.5;
            match self.class {
                Class::Penetrating => part -= delta,
                Class::Colliding => {
                    self.closed += self.stopped_energy;
                    return Ok(part);
                }
                // Also where others rest or part all the while: what runs in is later.
                Class::Clear | Class::Resting | Class::Separating => {
                    free = part;
                    part += delta;
                }
            }
        }
        (self.touches, self.class) = (touches, class);
        self.try_step(&saved, free)?;
        self.closed += self.stopped_energy;
        Ok(free)
    }

    /// RK4 from these states, and what bodies do then. The contacts that rest are those from before the step.
    fn try_step(&mut self, saved: &[BodyState], h: f64) -> Result<(), IntroError> {
        let from = self.t;
        let stage = |states: &[BodyState], rates: &[Rates], h: f64| -> Vec<BodyState> {
            states.iter().zip(rates).map(|(state, rates)| moved(state, rates, h)).collect()
        };
        self.states.copy_from_slice(saved);
        // Momentum that goes into a contact at rest is gone at the start, not only in the derivative.
        let mut start = saved.to_vec();
        self.rest_momenta(&mut start);
        self.stopped_energy = self.kinetic_energy(saved) - self.kinetic_energy(&start);
        let k_1 = self.rates(&start, from);
        let k_2 = self.rates(&stage(&start, &k_1, 0.5 * h), from + 0.5 * h);
        let k_3 = self.rates(&stage(&start, &k_2, 0.5 * h), from + 0.5 * h);
        let k_4 = self.rates(&stage(&start, &k_3, h), from + h);
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
        // Kinematic bodies are looked at where they are by then.
        self.t = from + h;
        let checked = self.check();
        self.t = from;
        checked
    }

    /// With the trial rule: which bodies turn into what they rest on within the step.
    fn decide_rotation(&mut self, h: f64) -> Result<(), IntroError> {
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

    /// The derivative of all states. [INTRO, dydt]
    fn rates(&mut self, states: &[BodyState], t: f64) -> Vec<Rates> {
        let mut states = states.to_vec();
        self.rest_momenta(&mut states);
        let mut loads = vec![Load::default(); states.len()];
        for island in &self.islands {
            self.vector.resize(island.dim(), 0.0);
            island.pack(&states, &[], 0.0, &mut self.vector);
            let smooth = island.smooth_interval(t);
            let mut equations = Equations::new(&self.world, island, &mut self.scratch, smooth);
            for id in &island.bodies {
                loads[id.index()] = equations.load_on(t, &self.vector, *id);
            }
        }
        let mut forces: Vec<DVec3> = loads.iter().map(|load| load.force).collect();
        self.rest_forces(&mut forces);
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
        (0..states.len()).map(one).collect()
    }
}
