//! What happened and when.

use crate::contact::{Impact, ImpactStatus, Law, Restitution};
use crate::math::DVec3;
use crate::narrow_phase::{ContactId, Feature};
use crate::solve::Status;
use crate::solve::choose::Note as SolverNote;
use crate::world::BodyId;
use serde::{Deserialize, Serialize};

/// One row of the log of events. [SYSTEM D2]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When, s: the root of the separation, polished to rounding.
    pub t: f64,
    /// Events of one instant that were solved together carry the same number; it counts up from 1.
    pub group: u64,
    /// What happened.
    pub kind: EventKind,
    /// Between which bodies; a has the lower rank.
    pub bodies: [BodyId; 2],
    /// Which features of their shapes touch.
    pub features: ContactId,
    /// Where, m.
    pub point: DVec3,
    /// Unit normal, from b to a.
    pub normal: DVec3,
    /// Relative normal speed before, m/s: negative while they approach.
    pub approach: f64,
    /// Relative normal speed after, m/s.
    pub separation: f64,
    /// Normal impulse on a, N·s.
    pub impulse: f64,
    /// Friction impulse on a, N·s.
    pub friction: DVec3,
    /// Energy lost at this contact, J: −½ j·(v⁻ + v⁺), normal and friction together.
    pub lost: f64,
    /// By which law.
    pub law: Law,
    /// By which hypothesis of restitution.
    pub restitution: Restitution,
    /// Rounds that the law took: single impulses of propagation, reflections, or 1.
    pub rounds: u32,
    /// What the equations left open and how it was decided.
    pub note: Note,
    /// With [`Note::ApproximateForces`] what the forces of the linear program add: Σ f·d̈, W/s, or of impulses Σ j·v⁺, J.
    pub excess: f64,
}

/// Where an event is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventPlace {
    /// Between which bodies; a has the lower rank.
    pub bodies: [BodyId; 2],
    /// Which features of their shapes touch.
    pub features: ContactId,
    /// The point of contact, m.
    pub point: DVec3,
    /// Unit normal, from b to a.
    pub normal: DVec3,
}

impl EventPlace {
    /// Between bodies of these ranks.
    pub fn new(bodies: [u32; 2], features: ContactId, point: DVec3, normal: DVec3) -> Self {
        Self { bodies: bodies.map(|body| BodyId::from_rank(body as usize)), features, point, normal }
    }

    /// With another normal.
    #[must_use]
    pub fn with_normal(self, normal: DVec3) -> Self {
        Self { normal, ..self }
    }
}

impl Event {
    /// An event at a place in which no velocity jumps and nothing is lost; what else it is, is added to it.
    pub fn new(t: f64, group: u64, kind: EventKind, place: EventPlace) -> Self {
        let EventPlace { bodies, features, point, normal } = place;
        Self {
            t,
            group,
            kind,
            bodies,
            features,
            point,
            normal,
            approach: 0.0,
            separation: 0.0,
            impulse: 0.0,
            friction: DVec3::ZERO,
            lost: 0.0,
            law: Law::default(),
            restitution: Restitution::default(),
            rounds: 0,
            note: Note::Determinate,
            excess: 0.0,
        }
    }
}

/// The force of a contact at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// Between which bodies; a has the lower rank.
    pub bodies: [BodyId; 2],
    /// Which features of their shapes touch.
    pub features: ContactId,
    /// Where, m.
    pub point: DVec3,
    /// Unit normal, from b to a.
    pub normal: DVec3,
    /// On a along the normal, N.
    pub normal_force: f64,
    /// On a across it, N.
    pub friction: DVec3,
    /// On a against rolling and spinning, about the point of contact, N·m.
    pub moment: DVec3,
    /// Whether it sticks; else it slides, or has no friction.
    pub sticks: bool,
    /// Whether it sticks while its bodies turn about an axis across the normal.
    pub rolls: bool,
    /// How far the accelerations are from what the contact law requires, by those that loads alone would give.
    pub residual: f64,
    /// Whether the forces of its island are the only ones; else they are those of least norm.
    pub is_unique: bool,
    /// How the solver of its island ended.
    pub status: Status,
    /// Pivots or steps that it took; 1 where modes were known, and 0 where the forces are those of a time step.
    pub iterations: usize,
}

/// What happened at a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// The velocities jumped.
    Collision,
    /// A series of bounces ended: its limit in time is that of the event.
    Settled,
    /// The contact came to rest, or rolls: it carries force and sticks.
    Rest,
    /// The contact carries force and slides.
    Slide,
    /// A contact that rested ended.
    Break,
    /// A contact rolls from here on, against its resistance.
    Roll,
    /// A contact has ceased to roll: its rolling resistance sticks.
    Rolled,
    /// A contact spins about its normal from here on, against its resistance.
    Spin,
    /// A contact has ceased to spin.
    Spun,
    /// Bodies overlapped at the start and were let pass.
    Overlap,
    /// One time step whose events came too fast, or that no shorter step could follow: impulses of the
    /// whole step at once. `rounds` is the number of contacts; bodies, impulse and place are those of the largest impulse.
    TimeStep,
    /// Contacts that slide have several sets of forces that move the bodies differently: the law does not say what happens.
    /// One was taken.
    Indeterminate,
}

impl EventKind {
    /// As it is written in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Collision => "collision",
            Self::Settled => "settled",
            Self::Rest => "rest",
            Self::Slide => "slide",
            Self::Break => "break",
            Self::Roll => "roll",
            Self::Rolled => "rolled",
            Self::Spin => "spin",
            Self::Spun => "spun",
            Self::Overlap => "overlap",
            Self::TimeStep => "time-step",
            Self::Indeterminate => "indeterminate",
        }
    }
}

/// What was decided where the equations leave a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Note {
    /// Nothing was open.
    #[default]
    Determinate,
    /// Several sets of impulses or forces fit: the least ones were taken.
    LeastNorm,
    /// Restitution was scaled down, or else energy would have grown.
    RestitutionScaled,
    /// The friction of several contacts was not solved to tolerance: it is within its cones and takes energy, but need
    /// not oppose every slip exactly.
    Approximate,
    /// The rounds of the law did not end by themselves: the rest was solved at once, without restitution.
    ClosedAtOnce,
    /// No forces keep sliding bodies apart, though nothing collides: an impulse did. A configuration of Painlevé.
    Painleve,
    /// Several sets of forces fit that move the bodies differently.
    SeveralMotions,
    /// Corners and edges meet, of which none has a normal by itself: that of a local plane was taken, the mean of those around.
    LocalPlane,
    /// Several sets of forces fit: a corner of them was taken, of least sum where the solver is `linear`.
    Corner,
    /// The linear program guessed rightly which contacts vanish.
    Vanishing,
    /// The library of linear programs found no forces: an active set did.
    Mended,
    /// The linear program guessed wrongly which contacts vanish, and its forces were taken: `value` is what they add.
    ApproximateForces,
}

/// What the forces of a linear program that guessed wrongly add; zero where it did not.
pub fn excess_of(note: SolverNote) -> f64 {
    match note {
        SolverNote::ApproximateForces { excess } => excess,
        _ => 0.0,
    }
}

impl Note {
    /// What was open in a collision; the gravest, if several things were.
    pub fn of(impact: &Impact) -> Self {
        match impact.status {
            ImpactStatus::Approximate => Self::Approximate,
            ImpactStatus::Closed => Self::ClosedAtOnce,
            // Impulses of a wrong guess may be scaled too: what they are comes first.
            _ if matches!(impact.solver_note, SolverNote::ApproximateForces { .. }) => {
                Self::ApproximateForces
            }
            _ if impact.restitution_scale < 1.0 => Self::RestitutionScaled,
            _ => Self::of_solver(impact.solver_note, impact.indeterminate),
        }
    }

    /// What a solver said of forces or impulses, and whether there were others.
    pub fn of_solver(note: SolverNote, is_choice: bool) -> Self {
        match note {
            SolverNote::Mended => Self::Mended,
            SolverNote::ApproximateForces { .. } => Self::ApproximateForces,
            SolverNote::Vanishing(_) => Self::Vanishing,
            _ if is_choice => Self::LeastNorm,
            _ => Self::Determinate,
        }
    }

    /// The note of a contact of these features where nothing else was open: vertices and edges that meet at a vertex have no
    /// normal of their own.
    #[must_use]
    pub fn with_features(self, features: ContactId) -> Self {
        let is_corner = |a: Feature, b: Feature| {
            matches!((a, b), (Feature::Vertex(_), Feature::Vertex(_) | Feature::Edge(_)))
        };
        let is_degenerate = is_corner(features.a, features.b) || is_corner(features.b, features.a);
        if self == Self::Determinate && is_degenerate { Self::LocalPlane } else { self }
    }

    /// As it is written in a table; empty where nothing was open.
    pub fn name(self) -> &'static str {
        match self {
            Self::Determinate => "",
            Self::LeastNorm => "least-norm",
            Self::RestitutionScaled => "restitution-scaled",
            Self::ClosedAtOnce => "closed-at-once",
            Self::Painleve => "painleve",
            Self::SeveralMotions => "several-motions",
            Self::Approximate => "approximate",
            Self::LocalPlane => "local-plane",
            Self::Corner => "corner",
            Self::Vanishing => "vanishing",
            Self::Mended => "mended",
            Self::ApproximateForces => "approximate-forces",
        }
    }
}
