//! Several contacts as one system: u⁺ = u⁻ + W r.

use super::slip_path::Mobility;
use super::tolerances::{APPROACH, HELPS, SOLVED, SPARSE_CONTACTS};
use super::{
    Colliding, Impact, ImpactStatus, Mover, Restitution, frame, friction_of, relative_minus, restitution_of,
};
use crate::math::{DMat3, DVec3};
use crate::solve::Square;
use crate::solve::choose::Note as SolverNote;
use crate::solve::cone::ConeScratch;
use crate::solve::lcp::PsdScratch;
use crate::solve::sparse::{self, ContactRows, SparseScratch};

/// The contacts with a mobile body, their velocities, and the impulses so far.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    /// Components of a contact: one (normal) without friction, three (normal, two tangents) with.
    pub(super) dim: usize,
    /// Velocity by impulse, the Delassus matrix W; `dim` rows a contact.
    pub(super) w: Square,
    /// Velocities now.
    pub(super) u: Vec<f64>,
    /// Impulses so far.
    pub(super) r: Vec<f64>,
    /// μ of each contact.
    pub(super) friction: Vec<f64>,
    /// ε of each contact.
    pub(super) restitution: Vec<f64>,
    /// The largest speed at any contact so far.
    speed: f64,
    /// The fastest approach that a solution of the friction law left at a contact it stops: its residual, m/s.
    left: f64,
    /// Index of each contact among all.
    live: Vec<usize>,
    frames: Vec<[DVec3; 3]>,
    rows: Vec<Component>,
    /// The mobilities of movers, where contacts are many and no joints connect movers; otherwise empty.
    mobilities: Vec<sparse::Mobility>,
    change: Vec<f64>,
    pub(super) lost_normal: f64,
    pub(super) lost_friction: f64,
    pub(super) log: Log,
}

/// One component of a contact: the effect of a unit of its impulse on both bodies.
#[derive(Debug, Clone, Copy)]
struct Component {
    bodies: [usize; 2],
    /// Impulse and angular impulse on a and on b.
    push: [[DVec3; 2]; 2],
    /// Velocity and spin by these.
    yields: [[DVec3; 2]; 2],
}

/// What a law reports besides impulses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Log {
    pub(super) rounds: u32,
    pub(super) restitution_scale: f64,
    pub(super) residual: f64,
    pub(super) indeterminate: bool,
    pub(super) restitution: Restitution,
    pub(super) closed: bool,
    /// Friction problems that were not solved.
    pub(super) failures: u32,
    pub(super) jammed: bool,
    pub(super) solver_note: SolverNote,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            rounds: 0,
            restitution_scale: 1.0,
            residual: 0.0,
            indeterminate: false,
            restitution: Restitution::Newton,
            closed: false,
            failures: 0,
            jammed: false,
            solver_note: SolverNote::Exact,
        }
    }
}

impl Log {
    /// Records the hypothesis that was used; the last of the enum stays.
    pub(super) fn parted_by(&mut self, restitution: Restitution) {
        self.restitution = self.restitution.max(restitution);
    }
}

/// Buffers of the laws.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    pub(super) set: Vec<usize>,
    pub(super) matrix: Square,
    pub(super) q: Vec<f64>,
    pub(super) mu: Vec<f64>,
    pub(super) floor: Vec<f64>,
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
    pub(super) epsilon: Vec<f64>,
    pub(super) psd: PsdScratch,
    pub(super) cone: ConeScratch,
    pub(super) sparse: SparseScratch,
    pub(super) kept: WarmStarts,
}

/// The friction problems of one collision with their solutions, in order: the warm starts of a collision that is almost
/// the same.
#[derive(Debug, Clone, Default)]
pub(super) struct WarmStarts {
    /// The contacts of each, and their impulses.
    problems: Vec<(Vec<usize>, Vec<f64>)>,
    /// How many the current collision has had.
    met: usize,
}

impl WarmStarts {
    /// Before a collision; tells whether it is almost the last one.
    pub(super) fn begin(&mut self, is_alike: bool) {
        self.met = 0;
        if !is_alike {
            self.problems.clear();
        }
    }

    /// The last solution of the problem that comes now, over the contacts of `set`.
    pub(super) fn start(&self, set: &[usize]) -> Option<&[f64]> {
        let (of, answer) = self.problems.get(self.met)?;
        (of == set).then_some(answer)
    }

    /// Stores the solution of the current problem.
    pub(super) fn keep(&mut self, set: &[usize], answer: &[f64]) {
        self.problems.truncate(self.met);
        self.problems.push((set.to_vec(), answer.to_vec()));
        self.met += 1;
    }
}

impl System {
    /// Builds W and u⁻ for the contacts with a mobile body.
    pub(super) fn assemble(&mut self, movers: &[Mover], contacts: &[Colliding], articulated: &[DMat3]) {
        let has_friction = contacts.iter().any(|c| friction_of(c) > 0.0);
        self.dim = if has_friction { 3 } else { 1 };
        self.mobilities.clear();
        if has_friction && articulated.is_empty() && contacts.len() > SPARSE_CONTACTS {
            let mobility = |m: &Mover| sparse::Mobility { inv_mass: m.inv_mass, inv_inertia: m.inv_inertia };
            self.mobilities.extend(movers.iter().map(mobility));
        }
        self.live.clear();
        self.frames.clear();
        self.rows.clear();
        self.friction.clear();
        self.restitution.clear();
        self.u.clear();
        for (index, contact) in contacts.iter().enumerate() {
            let axes = frame(contact.normal);
            let first = row(movers, contact, axes[0]);
            let is_held = articulated.get(index * (contacts.len() + 1)).is_some_and(|k| *k == DMat3::ZERO);
            if first.yield_of(&first) == 0.0 || is_held || contact.bodies[0] == contact.bodies[1] {
                continue;
            }
            let relative = relative_minus(movers, contact);
            self.live.push(index);
            self.frames.push(axes);
            self.friction.push(friction_of(contact));
            self.restitution.push(restitution_of(contact));
            self.rows.push(first);
            for axis in &axes[1..self.dim] {
                self.rows.push(row(movers, contact, *axis));
            }
            self.u.extend(axes[..self.dim].iter().map(|axis| relative.dot(*axis)));
        }
        let size = self.rows.len();
        self.w.reset(size);
        for i in 0..size {
            for j in 0..=i {
                let value = if articulated.is_empty() {
                    self.rows[i].yield_of(&self.rows[j])
                } else {
                    let (at_i, at_j) = (self.live[i / self.dim], self.live[j / self.dim]);
                    let k = articulated[at_i * contacts.len() + at_j];
                    self.rows[i].push[0][0].dot(k * self.rows[j].push[0][0])
                };
                self.w[(i, j)] = value;
                self.w[(j, i)] = value;
            }
        }
        self.r.clear();
        self.r.resize(size, 0.0);
        self.speed = self.u.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        self.left = 0.0;
        self.lost_normal = 0.0;
        self.lost_friction = 0.0;
        self.log = Log::default();
    }

    /// Whether W and u are finite.
    pub(super) fn is_finite(&self) -> bool {
        let positive = (0..self.contacts()).all(|i| self.w[(self.dim * i, self.dim * i)] > 0.0);
        positive && self.w.is_finite() && self.u.iter().all(|u| u.is_finite())
    }

    /// Number of contacts with a mobile body.
    pub(super) fn contacts(&self) -> usize {
        self.live.len()
    }

    /// The current normal velocity of contact i.
    pub(super) fn normal(&self, i: usize) -> f64 {
        self.u[self.dim * i]
    }

    /// Whether contact i approaches beyond rounding.
    pub(super) fn approaches(&self, i: usize) -> bool {
        self.normal(i) < -self.left.max(APPROACH * self.speed)
    }

    /// The fastest approach of these contacts, m/s.
    pub(super) fn fastest(&self, set: &[usize]) -> f64 {
        set.iter().fold(0.0, |most: f64, i| most.max(-self.normal(*i)))
    }

    /// After a solution over these contacts, the fastest of which approached so fast `before`. A second solution betters the residual of the
    /// first; where it leaves as much again, forces only press against each other, and what is left has been stopped.
    pub(super) fn accept_residual(&mut self, set: &[usize], before: f64) {
        let after = self.fastest(set);
        if before <= SOLVED * self.speed && after > HELPS * before {
            self.left = self.left.max(after.min(SOLVED * self.speed));
        }
    }

    /// Whether any contact approaches.
    pub(super) fn any_approaches(&self) -> bool {
        (0..self.contacts()).any(|i| self.approaches(i))
    }

    /// The largest approach speed by the largest speed.
    pub(super) fn approach(&self) -> f64 {
        let worst = (0..self.contacts()).fold(0.0, |m: f64, i| m.max(-self.normal(i)));
        if self.speed > 0.0 { worst / self.speed } else { 0.0 }
    }

    /// The 3 × 3 block of contact i; only with friction.
    pub(super) fn block(&self, i: usize) -> Mobility {
        let k = 3 * i;
        [0, 1, 2].map(|a| [0, 1, 2].map(|b| self.w[(k + a, k + b)]))
    }

    /// The movers and the contacts of `set` as the sparse solver takes them, where there are many; only with friction.
    pub(super) fn as_sparse(&self, set: &[usize]) -> Option<(&[sparse::Mobility], Vec<ContactRows>)> {
        if self.mobilities.is_empty() || set.len() <= SPARSE_CONTACTS {
            return None;
        }
        let contact = |&i: &usize| ContactRows {
            bodies: self.rows[3 * i].bodies.map(Some),
            rows: [0, 1, 2].map(|k| self.rows[3 * i + k].as_sparse()),
            free: [0, 1, 2].map(|k| self.u[3 * i + k]),
            friction: self.friction[i],
            own: 0.0,
        };
        Some((&self.mobilities, set.iter().map(contact).collect()))
    }

    /// Adds the impulses `r` (`dim` a contact) at the contacts of `set`; books the energy, with `lost_normal` for the
    /// normal's part where the caller knows it better than −½ r_n (u_n⁻ + u_n⁺).
    pub(super) fn apply(&mut self, set: &[usize], r: &[f64], lost_normal: Option<f64>) {
        let dim = self.dim;
        self.change.clear();
        self.change.resize(self.u.len(), 0.0);
        for (k, &i) in set.iter().enumerate() {
            for c in 0..dim {
                let push = r[dim * k + c];
                if push == 0.0 {
                    continue;
                }
                self.r[dim * i + c] += push;
                for (change, w) in self.change.iter_mut().zip(self.w.row(dim * i + c)) {
                    *change += w * push;
                }
            }
        }
        let (mut normal, mut friction) = (0.0, 0.0);
        for (k, &i) in set.iter().enumerate() {
            for c in 0..dim {
                let lost = -0.5 * r[dim * k + c] * (2.0 * self.u[dim * i + c] + self.change[dim * i + c]);
                if c == 0 {
                    normal += lost;
                } else {
                    friction += lost;
                }
            }
        }
        let known = lost_normal.unwrap_or(normal);
        self.lost_normal += known;
        self.lost_friction += normal + friction - known;
        for (u, change) in self.u.iter_mut().zip(&self.change) {
            *u += change;
            self.speed = self.speed.max(u.abs());
        }
    }

    /// Writes impulses and totals to `impact`.
    pub(super) fn report(&self, impact: &mut Impact) {
        for (k, (&index, axes)) in self.live.iter().zip(&self.frames).enumerate() {
            let r = &self.r[self.dim * k..self.dim * (k + 1)];
            impact.impulses[index] = axes.iter().zip(r).map(|(axis, r)| *axis * *r).sum();
        }
        let log = &self.log;
        impact.lost_normal = self.lost_normal;
        impact.lost_friction = self.lost_friction;
        impact.rounds = log.rounds;
        impact.restitution_scale = log.restitution_scale;
        impact.residual = log.residual.max(self.approach());
        impact.indeterminate = log.indeterminate;
        impact.solver_note = log.solver_note;
        impact.restitution = log.restitution;
        impact.status = match (log.jammed, log.failures > 0, log.closed) {
            (true, _, _) => ImpactStatus::Jammed,
            (false, true, _) => ImpactStatus::Approximate,
            (false, false, true) => ImpactStatus::Closed,
            (false, false, false) => ImpactStatus::Solved,
        };
    }
}

fn row(movers: &[Mover], contact: &Colliding, axis: DVec3) -> Component {
    let side = |side: usize, push: DVec3| {
        let mover = &movers[contact.bodies[side]];
        let turn = contact.arms[side].cross(push);
        ([push, turn], [push * mover.inv_mass, mover.inv_inertia * turn])
    };
    let (a, b) = (side(0, axis), side(1, -axis));
    Component { bodies: contact.bodies, push: [a.0, b.0], yields: [a.1, b.1] }
}

impl Component {
    fn as_sparse(&self) -> crate::math::Row {
        let [[linear_a, angular_a], [linear_b, angular_b]] = self.push;
        crate::math::Row { linear_a, angular_a, linear_b, angular_b }
    }

    /// Velocity along this row by a unit of impulse along `other`: over the bodies that they share.
    fn yield_of(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for side in 0..2 {
            for other_side in 0..2 {
                if self.bodies[side] == other.bodies[other_side] {
                    let (push, yields) = (&self.push[side], &other.yields[other_side]);
                    sum += push[0].dot(yields[0]) + push[1].dot(yields[1]);
                }
            }
        }
        sum
    }
}
