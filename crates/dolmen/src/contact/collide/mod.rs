#![doc = include_str!("README.md")]

mod slip_path;
mod laws;
mod phases;
mod single;
mod slip;
mod system;
mod tolerances;
mod slip_turn;

use crate::contact::Law;
use crate::math::{DMat3, DVec3, Twist};
use crate::solve::choose::{ContactSolver, Note as SolverNote};
use serde::{Deserialize, Serialize};
use system::{Scratch, System};

/// A body as the impact laws take it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mover {
    /// 1/m, 1/kg; zero for a fixed or kinematic body.
    pub inv_mass: f64,
    /// I⁻¹ about the centre of mass, world frame; zero for a body that is fixed, kinematic or cannot rotate.
    pub inv_inertia: DMat3,
    /// Velocity of the centre of mass before, m/s.
    pub velocity: DVec3,
    /// Angular velocity before, rad/s.
    pub spin: DVec3,
}

impl Mover {
    /// A fixed body, or a kinematic one with this motion.
    pub fn immobile(velocity: DVec3, spin: DVec3) -> Self {
        Self { inv_mass: 0.0, inv_inertia: DMat3::ZERO, velocity, spin }
    }

    fn twist(&self) -> Twist {
        Twist { velocity: self.velocity, spin: self.spin }
    }
}

/// A contact of two movers at the instant of a collision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colliding {
    /// Indices of a and b.
    pub bodies: [usize; 2],
    /// From the centre of mass of a, and of b, to the contact; world frame, m.
    pub arms: [DVec3; 2],
    /// Unit vector from b to a, world frame.
    pub normal: DVec3,
    /// ε; clamped to 0 … 1.
    pub restitution: f64,
    /// μ ≥ 0; may be infinite.
    pub friction: f64,
}

/// The settings of the impact laws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollideSettings {
    /// Rounds of propagation or reflection are bounded by this times the number of contacts.
    pub rounds_per_contact: u32,
    /// Whether one inelastic solve stops what still approaches when the rounds are used up. Otherwise it is left
    /// approaching, as in PAPER's figure of the convergence of propagation.
    pub close: bool,
    /// The solver of the simultaneous law without friction: the programs of the paper, or an active set for all others.
    pub solver: ContactSolver,
}

impl Default for CollideSettings {
    /// A light ball between two of a million times its mass bounces 1600 times.
    fn default() -> Self {
        Self { rounds_per_contact: 2000, close: true, solver: ContactSolver::default() }
    }
}

/// The restitution hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Restitution {
    /// v⁺ = −ε v⁻ at each active contact: without friction.
    #[default]
    Newton,
    /// The work of the normal force in restitution is ε² of that in compression: one contact at a time, with friction.
    /// [Stronge 1990]
    Energetic,
    /// The normal impulse of restitution is ε of that of compression: several contacts at once, with friction or by
    /// reflections.
    Poisson,
}

/// How an impact was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImpactStatus {
    /// By the law alone.
    #[default]
    Solved,
    /// The rounds were used up; the rest was stopped inelastically, or left if the settings say so.
    Closed,
    /// The friction problem of several contacts was not solved to tolerance: impulses are in their cones, bodies recede,
    /// energy does not grow, but friction need not oppose slip exactly.
    Approximate,
    /// No impulses keep all bodies apart (walls that close in on a body): some still approach.
    Jammed,
    /// Numbers left the range of `f64`: no impulse was applied.
    NotFinite,
}

/// Speeds at one contact before and after, m/s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactSpeeds {
    /// v_n⁻: negative when approaching.
    pub normal_minus: f64,
    /// v_n⁺.
    pub normal_plus: f64,
    /// |v_t⁻|.
    pub slip_minus: f64,
    /// |v_t⁺|.
    pub slip_plus: f64,
}

/// The result of a collision. Buffers are reused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Impact {
    /// Impulse on body a of each contact, world frame, N·s.
    pub impulses: Vec<DVec3>,
    /// Speeds at each contact.
    pub speeds: Vec<ContactSpeeds>,
    /// Velocities of all movers after, without the reactions of joints between them.
    pub twists: Vec<Twist>,
    /// Energy lost along normals, J: −½ j_n (v_n⁻ + v_n⁺) of each phase and round, for one contact with friction −∫ v_n dp.
    pub lost_normal: f64,
    /// Energy lost to friction, J; the sum of the two is exact, their split is by phase.
    pub lost_friction: f64,
    /// Work that immobile movers did on the others, J: ΔT = `work` − `lost_normal` − `lost_friction`.
    pub work: f64,
    /// Impulses of propagation, or solves of the other laws.
    pub rounds: u32,
    /// The smallest share of restitution that was kept; 1 unless it would have added energy or had no solution.
    pub restitution_scale: f64,
    /// Largest residual of a solver, dimensionless.
    pub residual: f64,
    /// The impulses are not unique; those of least norm were taken.
    pub indeterminate: bool,
    /// The restitution hypothesis; the last of the enum that was used.
    pub restitution: Restitution,
    /// How it was solved.
    pub status: ImpactStatus,
    /// What the solver has to say about the impulses.
    pub solver_note: SolverNote,
}

/// Buffers of [`collide`].
#[derive(Debug, Clone, Default)]
pub struct CollideScratch {
    /// Where joints connect movers: the velocity of a relative to b at contact i by a unit of impulse at contact j,
    /// world frame, at i·n + j of n contacts: the blocks of W. Empty without joints.
    pub articulated: Vec<DMat3>,
    /// Whether the next collision is almost the last one, with the same contacts: its friction problems are
    /// warm-started, which is faster, and keeps to the same solution where several exist.
    pub is_like_last: bool,
    system: System,
    scratch: Scratch,
}

/// Solves for the impulses of contacts that collide at one instant, and their effect; `impact` takes the result.
///
/// Contacts that do not approach take part (others may push them together); contacts between two immobile movers are
/// ignored. One contact without friction allocates nothing once buffers have grown, and costs about a tenth of a
/// microsecond.
///
/// # Panics
/// When a contact names a mover that does not exist.
pub fn collide(
    law: Law,
    movers: &[Mover],
    contacts: &[Colliding],
    settings: CollideSettings,
    scratch: &mut CollideScratch,
    impact: &mut Impact,
) {
    impact.reset(movers, contacts);
    let CollideScratch { articulated, is_like_last, system, scratch } = scratch;
    scratch.kept.begin(std::mem::take(is_like_last));
    if let [contact] = contacts {
        single::collide(movers, contact, articulated.first(), impact);
    } else if contacts.len() > 1 {
        system.assemble(movers, contacts, articulated);
        if system.is_finite() {
            laws::collide(law, settings, system, scratch);
            system.report(impact);
        } else {
            impact.status = ImpactStatus::NotFinite;
        }
    }
    impact.finish(movers, contacts, articulated);
}

impl Impact {
    fn reset(&mut self, movers: &[Mover], contacts: &[Colliding]) {
        self.impulses.clear();
        self.impulses.resize(contacts.len(), DVec3::ZERO);
        self.speeds.clear();
        self.twists.clear();
        self.twists.extend(movers.iter().map(Mover::twist));
        self.lost_normal = 0.0;
        self.lost_friction = 0.0;
        self.work = 0.0;
        self.rounds = 0;
        self.restitution_scale = 1.0;
        self.residual = 0.0;
        self.indeterminate = false;
        self.restitution = Restitution::Newton;
        self.status = ImpactStatus::Solved;
        self.solver_note = SolverNote::Exact;
    }

    /// Applies the impulses to the movers, measures speeds and work; reverts all of it when a number left its range.
    fn finish(&mut self, movers: &[Mover], contacts: &[Colliding], articulated: &[DMat3]) {
        self.apply(movers, contacts);
        let finite = self.twists.iter().all(|t| t.velocity.is_finite() && t.spin.is_finite())
            && self.impulses.iter().all(|j| j.is_finite())
            && (self.lost_normal + self.lost_friction + self.work).is_finite();
        if !finite {
            self.reset(movers, contacts);
            self.status = ImpactStatus::NotFinite;
        }
        for (i, contact) in contacts.iter().enumerate() {
            let before = relative_minus(movers, contact);
            let mut after = self.relative_plus(contact);
            if !articulated.is_empty() {
                let row = &articulated[i * contacts.len()..][..contacts.len()];
                after = row.iter().zip(&self.impulses).fold(before, |v, (k, impulse)| v + *k * *impulse);
            }
            let (normal_minus, normal_plus) = (before.dot(contact.normal), after.dot(contact.normal));
            self.speeds.push(ContactSpeeds {
                normal_minus,
                normal_plus,
                slip_minus: (before - contact.normal * normal_minus).length(),
                slip_plus: (after - contact.normal * normal_plus).length(),
            });
        }
    }

    /// v⁺ = v⁻ + J/m, ω⁺ = ω⁻ + I⁻¹ (r×J); immobile movers do the work −J·v − (r×J)·ω on the rest.
    fn apply(&mut self, movers: &[Mover], contacts: &[Colliding]) {
        for (contact, &impulse) in contacts.iter().zip(&self.impulses) {
            if impulse == DVec3::ZERO {
                continue;
            }
            for (side, push) in [(0, impulse), (1, -impulse)] {
                let body = contact.bodies[side];
                let (mover, twist) = (&movers[body], &mut self.twists[body]);
                let turn = contact.arms[side].cross(push);
                twist.velocity += push * mover.inv_mass;
                twist.spin += mover.inv_inertia * turn;
                if mover.inv_mass == 0.0 {
                    self.work -= push.dot(mover.velocity);
                }
                if mover.inv_inertia == DMat3::ZERO {
                    self.work -= turn.dot(mover.spin);
                }
            }
        }
    }

    fn relative_plus(&self, contact: &Colliding) -> DVec3 {
        let [a, b] = contact.bodies;
        self.twists[a].at(contact.arms[0]) - self.twists[b].at(contact.arms[1])
    }
}

/// Velocity of a's point relative to b's before the collision.
fn relative_minus(movers: &[Mover], contact: &Colliding) -> DVec3 {
    let [a, b] = contact.bodies;
    movers[a].twist().at(contact.arms[0]) - movers[b].twist().at(contact.arms[1])
}

/// ε in 0 … 1, NaN as 0.
fn restitution_of(contact: &Colliding) -> f64 {
    if contact.restitution > 0.0 { contact.restitution.min(1.0) } else { 0.0 }
}

/// μ ≥ 0, NaN as 0.
fn friction_of(contact: &Colliding) -> f64 {
    contact.friction.max(0.0)
}

/// The normal and two tangents, right-handed.
fn frame(normal: DVec3) -> [DVec3; 3] {
    let (t1, t2) = normal.any_orthonormal_pair();
    [normal, t1, t2]
}
