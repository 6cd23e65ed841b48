//! Where most of the impulses given are right already: only what lies around the others is solved.
//!
//! Bodies at contacts with a residual, and their neighbours, make a problem of their own, in which all other impulses
//! stay as they are. What its answer leaves is measured over all contacts; where that is too much, the part grows.

use super::newton::{self, Work};
use super::problem::{ContactProblem, ContactRows, Mobility};
use super::system::{NONE, System};
use super::tolerances::{
    HURRIED, LOCAL_AIM, LOCAL_LEFT, LOCAL_LONGEST_REST, LOCAL_MOST, LOCAL_RINGS, LOCAL_ROUNDS,
};
use super::{Choice, SparseScratch, solve_whole};
use serde::{Deserialize, Serialize};

/// Buffers of [`solve_part`].
#[derive(Debug, Clone, Default)]
pub(super) struct Local {
    /// Which bodies are in the part.
    inside: Vec<bool>,
    /// Contacts of the part, and the place of each body in it.
    part: Vec<usize>,
    place: Vec<usize>,
    bodies: Vec<Mobility>,
    contacts: Vec<ContactRows>,
    impulses: Vec<f64>,
    scratch: Option<Box<SparseScratch>>,
    /// Of problems with friction, and of those without.
    pub(super) trust: [Trust; 2],
}

/// How well it went so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trust {
    /// Attempts that failed since one did not.
    failures: u32,
    /// Problems that are left to be solved as a whole before the next attempt.
    rest: u32,
}

/// Solves the part of the problem that the impulses in `work` do not; the residual of all where that was enough. The impulses are
/// then those in `work`, and else as good as those given.
pub(super) fn solve_part(
    problem: &ContactProblem,
    system: &System,
    work: &mut Work,
    local: &mut Local,
    iterations: &mut usize,
) -> Option<f64> {
    let mut residual = newton::evaluate(system, work);
    local.inside.clear();
    local.inside.resize(system.bodies, false);
    for _ in 0..LOCAL_ROUNDS {
        if residual <= work.enough {
            return Some(residual);
        }
        local.mark(system, work);
        if local.part.len() > (LOCAL_MOST * system.contacts() as f64) as usize {
            return None;
        }
        let before = work.x.clone();
        *iterations += local.solve(problem, system, work);
        let now = newton::evaluate(system, work);
        if now.is_nan() || now > residual {
            work.x = before;
            newton::evaluate(system, work);
        } else {
            residual = now;
        }
    }
    (residual <= HURRIED * work.enough).then_some(residual)
}

impl Local {
    /// Whether it is time to try.
    pub(super) fn is_due(&mut self, is_smooth: bool) -> bool {
        let trust = &mut self.trust[usize::from(is_smooth)];
        let is_due = trust.rest == 0;
        trust.rest = trust.rest.saturating_sub(1);
        is_due
    }

    /// Takes note of an attempt; whether the next is to be made at once, so that it is worth while to leave little.
    pub(super) fn note(&mut self, is_smooth: bool, worked: bool) -> bool {
        let trust = &mut self.trust[usize::from(is_smooth)];
        trust.failures = if worked { 0 } else { trust.failures + 1 };
        // Every second time: the first may have failed for what the problem before had left.
        if trust.failures > 0 && trust.failures.is_multiple_of(2) {
            trust.rest = 1 << (trust.failures / 2).min(LOCAL_LONGEST_REST);
        }
        trust.rest == 0
    }

    /// Bodies at contacts that are off, and so many rings of neighbours around all that were marked before.
    fn mark(&mut self, system: &System, work: &Work) {
        let off = LOCAL_LEFT * work.enough * system.size;
        for (link, f) in system.links.iter().zip(&work.f) {
            if f.iter().any(|f| f.abs() > off) {
                self.set(link.a);
                self.set(link.b);
            }
        }
        for _ in 0..LOCAL_RINGS {
            self.find_part(system);
            for k in 0..self.part.len() {
                let link = system.links[self.part[k]];
                self.set(link.a);
                self.set(link.b);
            }
        }
        self.find_part(system);
    }

    fn set(&mut self, body: usize) {
        if body != NONE {
            self.inside[body] = true;
        }
    }

    /// Contacts with a body inside.
    fn find_part(&mut self, system: &System) {
        let is_inside = |body: usize| body != NONE && self.inside[body];
        self.part.clear();
        let links = system.links.iter().enumerate();
        self.part.extend(links.filter(|(_, link)| is_inside(link.a) || is_inside(link.b)).map(|(i, _)| i));
    }

    /// Solves the contacts of the part with all others as they are, and puts their impulses into `work.x`.
    fn solve(&mut self, problem: &ContactProblem, system: &System, work: &mut Work) -> usize {
        let mut others = work.x.clone();
        for i in &self.part {
            others[*i] = [0.0; 3];
        }
        system.push(&others, &work.y, &mut work.v);
        self.place.clear();
        self.place.resize(problem.bodies.len(), NONE);
        self.bodies.clear();
        self.contacts.clear();
        self.impulses.clear();
        for &i in &self.part {
            let mut contact = problem.contacts[i];
            let (rates, scale) = (system.rates(i, &work.v), system.scale[i]);
            for k in 0..3 {
                contact.free[k] += rates[k] / scale;
                self.impulses.push(work.x[i][k] * scale);
            }
            for body in contact.bodies.iter_mut().flatten() {
                if self.place[*body] == NONE {
                    self.place[*body] = self.bodies.len();
                    self.bodies.push(problem.bodies[*body]);
                }
                *body = self.place[*body];
            }
            self.contacts.push(contact);
        }
        let scratch = self.scratch.get_or_insert_default();
        let part = ContactProblem { bodies: &self.bodies, contacts: &self.contacts, joints: &[] };
        scratch.system.fill(&part);
        // What is asked for is by the size of the whole.
        let enough = LOCAL_AIM * work.enough * system.size / scratch.system.size.max(f64::MIN_POSITIVE);
        let outcome = solve_whole(enough, Choice::AsFound, &mut self.impulses, scratch);
        for (k, &i) in self.part.iter().enumerate() {
            let scale = system.scale[i];
            work.x[i] = [0, 1, 2].map(|c| self.impulses[3 * k + c] / scale);
        }
        outcome.iterations
    }
}

#[cfg(test)]
mod tests {
    use super::Local;

    /// Where it never works few attempts are made, in pairs; where it works again, all are.
    #[test]
    fn attempts_that_fail_become_rare() {
        let mut local = Local::default();
        let mut attempts = 0;
        for _ in 0..1000 {
            if local.is_due(false) {
                attempts += 1;
                local.note(false, false);
            }
        }
        assert!((40..120).contains(&attempts), "{attempts} attempts in 1000 problems");
        assert!(local.is_due(true), "the other kind of problem is another matter");
        let mut worked = 0;
        for _ in 0..100 {
            if local.is_due(false) {
                worked += 1;
                local.note(false, true);
            }
        }
        assert!(worked > 60, "{worked} attempts in 100 problems after one has worked");
    }
}
