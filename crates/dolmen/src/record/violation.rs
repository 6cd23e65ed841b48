//! A law that a run broke.

use serde::{Deserialize, Serialize};

use crate::world::{BodyId, World};

/// What is checked while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CheckedLaw {
    /// Energy, work and losses add up.
    Ledger,
    /// Bodies do not overlap, nor pass through planes.
    Overlap,
    /// Joints hold.
    Drift,
    /// No event gives energy.
    Dissipation,
    /// Contact forces, impulses and projections solve the problem that they were accepted for.
    Residual,
    /// The recorded forces give the recorded motion.
    Forces,
    /// Projections and depenetration give no energy.
    Closing,
    /// In fixed steps: overlaps, in m.
    StepOverlap,
    /// In fixed steps: errors of joints.
    StepJointError,
    /// In fixed steps: energy that is not accounted for.
    StepEnergyDrift,
}

/// What was solved when a residual was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Solve {
    /// Contact forces, read at an instant.
    Forces,
    /// The impulses of an impact.
    Impact,
    /// The decision which contacts stick, slide or part.
    Modes,
    /// The impulses of a time step.
    TimeStep,
    /// The projection onto contacts after a step.
    Projection,
}

impl Solve {
    /// What does not obey the contact law.
    fn name(self) -> &'static str {
        match self {
            Self::Forces => "contact forces",
            Self::Impact => "the impulses of an impact",
            Self::Modes => "the forces of a mode decision",
            Self::TimeStep => "the impulses of a time step",
            Self::Projection => "the positions after a projection",
        }
    }

    /// What its residual is measured by.
    fn unit(self) -> &'static str {
        match self {
            Self::Forces | Self::Modes => "of the accelerations that loads alone would give",
            Self::Impact => "of the fastest approach",
            Self::TimeStep => "of the velocities that loads alone would give",
            Self::Projection => "of the smaller body",
        }
    }
}

impl CheckedLaw {
    /// Those of `[laws]`.
    pub const ALL: [Self; 7] = [
        Self::Ledger,
        Self::Overlap,
        Self::Drift,
        Self::Dissipation,
        Self::Residual,
        Self::Forces,
        Self::Closing,
    ];

    /// As it is written in a table, and as its bound is called in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ledger => "ledger",
            Self::Overlap | Self::StepOverlap => "overlap",
            Self::Drift => "drift",
            Self::Dissipation => "dissipation",
            Self::Residual => "residual",
            Self::Forces => "forces",
            Self::Closing => "closing",
            Self::StepJointError => "joint_error",
            Self::StepEnergyDrift => "energy_drift",
        }
    }

    /// Where its bound stands in a scene.
    fn section(self) -> &'static str {
        match self {
            Self::StepOverlap | Self::StepJointError | Self::StepEnergyDrift => "run.bounds",
            _ => "laws",
        }
    }

    /// What its numbers are measured by.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Ledger | Self::Dissipation | Self::Closing => "of the energy in play",
            Self::Overlap => "contact tolerances",
            Self::Drift => "of the longest arm",
            Self::Residual => Solve::Forces.unit(),
            Self::Forces => "of the forces",
            Self::StepOverlap => "m",
            Self::StepJointError => "m or rad",
            Self::StepEnergyDrift => "J",
        }
    }

    /// What is wrong when it is broken.
    fn broken(self) -> &'static str {
        match self {
            Self::Ledger | Self::StepEnergyDrift => "energy does not add up",
            Self::Overlap | Self::StepOverlap => "bodies overlap",
            Self::Drift | Self::StepJointError => "a joint is off",
            Self::Dissipation => "an event gave energy",
            Self::Residual => "contact forces do not obey the contact law",
            Self::Forces => "the recorded forces do not give the motion",
            Self::Closing => "taking overlaps and drift out gave energy",
        }
    }

    /// What a user can do.
    fn remedy(self) -> &'static str {
        match self {
            Self::Ledger | Self::Drift => "tighten `tolerance` under [accuracy], or shorten a fixed step",
            Self::Overlap | Self::Closing => {
                "results from there on are not to be trusted; look at what happens at this instant"
            }
            Self::Dissipation | Self::Residual | Self::Forces => {
                "forces and motion from there on are not to be trusted; try another `solver` or `law` under [contact]"
            }
            Self::StepOverlap | Self::StepJointError | Self::StepEnergyDrift => {
                "use a shorter step, or more sub-steps"
            }
        }
    }
}

/// One broken law: when, where, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// When it was noticed, s.
    pub t: f64,
    /// Which law.
    pub law: CheckedLaw,
    /// At which bodies; none where the law is about all of them.
    pub bodies: Vec<BodyId>,
    /// In which joint, by its place in [`World::joints`].
    pub joint: Option<usize>,
    /// Of a residual: what was solved.
    pub solve: Option<Solve>,
    /// What was found; see [`LawBounds`](crate::world::LawBounds) for what it is measured by.
    pub value: f64,
    /// The bound that it exceeds.
    pub bound: f64,
}

impl Violation {
    /// In a sentence, with a remedy.
    pub fn describe(&self, world: &World) -> String {
        let Self { t, law, value, bound, .. } = self;
        let bodies: Vec<String> = self.bodies.iter().map(|id| world.body_name(*id)).collect();
        let place = match (self.joint, bodies.as_slice()) {
            (Some(joint), _) => format!(" ({})", world.joints()[joint].name()),
            (None, []) => String::new(),
            (None, bodies) => format!(" ({})", bodies.join(", ")),
        };
        let (name, section) = (law.name(), law.section());
        let (broken, unit) = match self.solve {
            Some(solve) => (format!("{} do not obey the contact law", solve.name()), solve.unit()),
            None => (law.broken().to_owned(), law.unit()),
        };
        format!(
            "at t = {} s {broken}{place}: {value:.1e} {unit}, and {bound:.1e} is allowed; {}; or allow more with `{name}` under [{section}]",
            crate::math::Digits(*t),
            law.remedy()
        )
    }
}

/// How a run stands with a law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LawStatus {
    /// Which.
    pub law: CheckedLaw,
    /// What is allowed.
    pub bound: f64,
    /// The most that was found so far.
    pub reached: f64,
}

impl LawStatus {
    /// Whether it holds; a number that is not finite does not.
    pub fn holds(&self) -> bool {
        self.reached <= self.bound
    }
}

/// How a run stands with all laws, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct LawReport<'a> {
    /// Every law with its bound and the most that was found so far.
    pub status: [LawStatus; CheckedLaw::ALL.len()],
    /// The laws that were broken and not taken yet, in the order in which that was noticed.
    pub violations: &'a [Violation],
    /// What was computed so far, in floating-point operations or work that takes as long; the same on every machine.
    pub operations: u64,
    /// The most that was computed for one body while it moved by its own size.
    pub most_work: f64,
}
