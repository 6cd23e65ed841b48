//! Where in a step bodies touch. [INTRO, Update and Display; NOTES II, bisection]
//!
//! A step that ends in a penetration has its first contact between its start, which is free, and its end. Three ways to it:
//! halvings from the start of the step, halvings that restart where the last trial was free, and predictions from the depth.

use super::check::Touch;
use super::tolerances::PREDICTIONS;
use super::{BackStep, IntroError, IntroSimulation, LocateRule};
use crate::body::BodyState;
use crate::narrow_phase::Class;
use crate::world::BodyId;

/// A state to come back to, with its contacts.
#[derive(Debug, Clone)]
pub(super) struct Saved {
    pub(super) states: Vec<BodyState>,
    touches: Vec<Touch>,
    class: Class,
}

impl Saved {
    pub(super) fn of(simulation: &IntroSimulation) -> Self {
        Self {
            states: simulation.states.clone(),
            touches: simulation.touches.clone(),
            class: simulation.class,
        }
    }

    /// The contacts that rest in a trial are those from before it.
    pub(super) fn contacts_to(&self, simulation: &mut IntroSimulation) {
        simulation.touches.clone_from(&self.touches);
        simulation.class = self.class;
    }
}

/// Between what is known to be free and what is known to penetrate, s from the start of the step.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    free: f64,
    hit: f64,
}

impl Bracket {
    fn middle(&self) -> f64 {
        self.free + 0.5 * (self.hit - self.free)
    }

    fn contains(&self, part: f64) -> bool {
        part > self.free && part < self.hit
    }
}

impl IntroSimulation {
    /// From the present state by `h`, or less where bodies touch before; how far it came.
    pub(super) fn go(&mut self, h: f64) -> Result<f64, IntroError> {
        let mut base = Saved::of(self);
        self.decide_rotation(h)?;
        self.try_step(&base.states, h)?;
        if self.class != Class::Penetrating {
            self.book_trial();
            return Ok(h);
        }
        let begin = self.t;
        let mut bracket = Bracket { free: 0.0, hit: h };
        // How far the restarts have come.
        let mut gone = 0.0;
        let mut entering = self.penetrating();
        let mut part = self.next_trial(&bracket, h, &entering, 0);
        for trial in 1..=self.settings.back_steps {
            self.statistics.back_steps += 1;
            base.contacts_to(self);
            self.try_step(&base.states, part - gone)?;
            match self.class {
                Class::Penetrating => {
                    bracket.hit = part;
                    entering = self.penetrating();
                }
                Class::Colliding => {
                    self.book_trial();
                    self.note_back_step(begin + part, trial);
                    self.t = begin;
                    return Ok(part);
                }
                // Also where others rest or part all the while: what runs in is later.
                Class::Clear | Class::Resting | Class::Separating => {
                    bracket.free = part;
                    if self.settings.locate == LocateRule::Bisection {
                        self.book_trial();
                        base = Saved::of(self);
                        gone = part;
                        self.t = begin + gone;
                    }
                }
            }
            part = self.next_trial(&bracket, part, &entering, trial);
        }
        base.contacts_to(self);
        self.try_step(&base.states, bracket.free - gone)?;
        self.book_trial();
        self.note_back_step(begin + bracket.free, self.settings.back_steps);
        self.t = begin;
        Ok(bracket.free)
    }

    /// Takes down that a step went back to the contact where bodies approach the fastest.
    fn note_back_step(&mut self, t: f64, trials: u32) {
        let rates = self.touches.iter().map(|touch| (self.rate(touch), touch));
        let fastest = rates.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, touch)| *touch);
        if let Some(Touch { bodies, point, normal, .. }) = fastest {
            let bodies = bodies.map(BodyId::from_rank);
            self.back_steps.push(BackStep { t, bodies, point, normal, trials });
        }
    }

    /// The pairs that are in each other now.
    fn penetrating(&self) -> Vec<[usize; 2]> {
        let pairs = self.touches.iter().filter(|touch| touch.class == Class::Penetrating);
        let mut pairs: Vec<[usize; 2]> = pairs.map(|touch| touch.bodies).collect();
        pairs.dedup();
        pairs
    }

    /// Where to try next, after the trial `part`, whose state is the present one.
    ///
    /// A prediction is Newton's: with the separation s and its rate ṡ the contact is at t − s/ṡ, of all pairs that are in each
    /// other at the end of the bracket the first. It is used where it falls into the bracket.
    fn next_trial(&self, bracket: &Bracket, part: f64, entering: &[[usize; 2]], trial: u32) -> f64 {
        if self.settings.locate != LocateRule::Prediction || trial >= PREDICTIONS {
            return bracket.middle();
        }
        let of = |pair: &[usize; 2]| {
            let (separation, rate) = self.separation(*pair)?;
            (rate < 0.0).then(|| part - separation / rate)
        };
        let predicted = entering.iter().filter_map(of).fold(f64::INFINITY, f64::min);
        if bracket.contains(predicted) { predicted } else { bracket.middle() }
    }
}
