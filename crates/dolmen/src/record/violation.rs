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
    /// Contact forces obey the contact law.
    Residual,
    /// The recorded forces give the recorded motion.
    Forces,
}

impl CheckedLaw {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Ledger, Self::Overlap, Self::Drift, Self::Dissipation, Self::Residual, Self::Forces];

    /// As it is written in a table, and as its bound is called under `[laws]`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ledger => "ledger",
            Self::Overlap => "overlap",
            Self::Drift => "drift",
            Self::Dissipation => "dissipation",
            Self::Residual => "residual",
            Self::Forces => "forces",
        }
    }

    /// What its numbers are measured by.
    fn unit(self) -> &'static str {
        match self {
            Self::Ledger | Self::Dissipation => "of the energy in play",
            Self::Overlap => "contact tolerances",
            Self::Drift => "of the longest arm",
            Self::Residual => "of the accelerations that loads alone would give",
            Self::Forces => "of the forces",
        }
    }

    /// What is wrong when it is broken.
    fn broken(self) -> &'static str {
        match self {
            Self::Ledger => "energy does not add up",
            Self::Overlap => "bodies overlap",
            Self::Drift => "a joint is off",
            Self::Dissipation => "an event gave energy",
            Self::Residual => "contact forces do not obey the contact law",
            Self::Forces => "the recorded forces do not give the motion",
        }
    }

    /// What a user can do.
    fn remedy(self) -> &'static str {
        match self {
            Self::Ledger | Self::Drift => "tighten `tolerance` under [accuracy], or shorten a fixed step",
            Self::Overlap => {
                "results from there on are not to be trusted; look at what happens at this instant"
            }
            Self::Dissipation | Self::Residual | Self::Forces => {
                "forces and motion from there on are not to be trusted; try another `solver` or `law` under [contact]"
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
        let name = law.name();
        format!(
            "at t = {} s {}{place}: {value:.1e} {}, and {bound:.1e} is allowed; {}; or allow more with `{name}` under [laws]",
            crate::math::Digits(*t),
            law.broken(),
            law.unit(),
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
