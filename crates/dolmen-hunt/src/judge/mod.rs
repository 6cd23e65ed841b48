//! A judge of runs that shares no code with the engine.
//!
//! It reads the scene and the tables of a run anew, and asks whether they obey the laws: finite numbers, no event that gives
//! energy, a ledger that balances, energies and momenta that follow from states and masses, no overlap, no body beyond a plane
//! that it cannot pass, joints that hold, friction within its cone and against the slip. Bounds are far above what the engine
//! promises: what is found here is wrong by any measure. Nothing in this folder may use the crate `dolmen`; a test holds that.

mod depth;
mod energy;
mod force;
mod joint;
mod overlap;
pub mod read;
pub mod scene;
pub mod solid;
pub mod table;
pub mod vector;

use std::fmt;
use std::fs;
use std::path::Path;

use scene::Scene;
use table::Table;
use vector::{Matrix, Pose};

/// What kind of law is broken. The first ones are the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The process panicked or was ended by a signal.
    Panic,
    /// A number in a table is infinite or none.
    NotFinite,
    /// A body is beyond a plane that it cannot pass.
    Tunnelled,
    /// Bodies overlap.
    Overlap,
    /// Energy rose without work, or a loss in the ledger shrank.
    Energy,
    /// An event has a negative loss.
    Loss,
    /// The ledger does not balance.
    Ledger,
    /// Energy or momentum in the tables is not that of the states.
    States,
    /// Momentum changed without an outer force.
    Momentum,
    /// A joint does not hold.
    Joint,
    /// A contact force pulls, or friction drives or leaves its cone.
    Force,
    /// Tables and files contradict each other or cannot be read.
    Tables,
    /// Other bits after bodies were written in another order.
    Order,
    /// Other bits when sampled at other instants.
    Sampling,
    /// Other bits after a kill and `--resume`.
    Resume,
    /// A valid scene was refused as wrong input.
    Refused,
    /// It did not end within its limit of time.
    Slow,
    /// It did not end within two seconds of SIGTERM either.
    Deaf,
    /// It ended with exit code 1 and no message.
    Mute,
    /// The tables obey the laws, but the answer is not the one that is right.
    Answer,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::Panic,
        Self::NotFinite,
        Self::Tunnelled,
        Self::Overlap,
        Self::Energy,
        Self::Loss,
        Self::Ledger,
        Self::States,
        Self::Momentum,
        Self::Joint,
        Self::Force,
        Self::Tables,
        Self::Order,
        Self::Sampling,
        Self::Resume,
        Self::Refused,
        Self::Slow,
        Self::Deaf,
        Self::Mute,
        Self::Answer,
    ];

    /// As it is written in `known-failures.txt`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Panic => "panic",
            Self::NotFinite => "not-finite",
            Self::Tunnelled => "tunnelled",
            Self::Overlap => "overlap",
            Self::Energy => "energy",
            Self::Loss => "loss",
            Self::Ledger => "ledger",
            Self::States => "states",
            Self::Momentum => "momentum",
            Self::Joint => "joint",
            Self::Force => "force",
            Self::Tables => "tables",
            Self::Order => "order",
            Self::Sampling => "sampling",
            Self::Resume => "resume",
            Self::Refused => "refused",
            Self::Slow => "slow",
            Self::Deaf => "deaf",
            Self::Mute => "mute",
            Self::Answer => "answer",
        }
    }

    /// The class of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// A law that is broken, with the numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Which.
    pub class: Class,
    /// Who, when, how much.
    pub text: String,
}

impl Finding {
    /// A finding.
    pub fn new(class: Class, text: impl Into<String>) -> Self {
        Self { class, text: text.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class.name(), self.text)
    }
}

/// The tables of a run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// `states.csv`.
    pub states: Table,
    /// `bodies.csv`.
    pub bodies: Table,
    /// `particles.csv`.
    pub particles: Table,
    /// `energy.csv`.
    pub energy: Table,
    /// `momentum.csv`.
    pub momentum: Table,
    /// `events.csv`.
    pub events: Table,
    /// `forces.csv`.
    pub forces: Table,
    /// `joints.csv`.
    pub joints: Table,
    /// `joint-events.csv`.
    pub joint_events: Table,
    /// `resultants.csv`.
    pub resultants: Table,
    /// `status` of `summary.json`.
    pub status: String,
    /// Laws that the run itself says were broken.
    pub violations: usize,
}

impl Run {
    /// Reads a folder.
    ///
    /// # Errors
    /// When a table is not one.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let table = |name: &str| Table::read(&folder.join(name));
        let summary = fs::read_to_string(folder.join("summary.json")).unwrap_or_default();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap_or_default();
        Ok(Self {
            states: table("states.csv")?,
            bodies: table("bodies.csv")?,
            particles: table("particles.csv")?,
            energy: table("energy.csv")?,
            momentum: table("momentum.csv")?,
            events: table("events.csv")?,
            forces: table("forces.csv")?,
            joints: table("joints.csv")?,
            joint_events: table("joint-events.csv")?,
            resultants: table("resultants.csv")?,
            status: summary["status"].as_str().unwrap_or_default().to_owned(),
            violations: summary["violations"].as_array().map_or(0, Vec::len),
        })
    }

    /// All tables, with their names.
    fn tables(&self) -> [(&'static str, &Table); 10] {
        [
            ("states.csv", &self.states),
            ("bodies.csv", &self.bodies),
            ("particles.csv", &self.particles),
            ("energy.csv", &self.energy),
            ("momentum.csv", &self.momentum),
            ("events.csv", &self.events),
            ("forces.csv", &self.forces),
            ("joints.csv", &self.joints),
            ("joint-events.csv", &self.joint_events),
            ("resultants.csv", &self.resultants),
        ]
    }

    /// Without the last sample: where a run stopped early, that is the instant at which it could not go on.
    #[must_use]
    pub fn without_last(mut self) -> Self {
        let samples = self.samples();
        let [.., before, last] = &samples[..] else { return self };
        let end = (before.t < last.t).then_some(last.t);
        if let Some(end) = end {
            for table in [
                &mut self.states,
                &mut self.bodies,
                &mut self.particles,
                &mut self.energy,
                &mut self.momentum,
                &mut self.events,
                &mut self.forces,
                &mut self.joints,
                &mut self.joint_events,
                &mut self.resultants,
            ] {
                let kept = table.places().filter(|row| table.number(*row, "t") != end).collect::<Vec<_>>();
                table.rows = kept.into_iter().map(|row| std::mem::take(&mut table.rows[row])).collect();
            }
        }
        self
    }

    /// Rows of the states, sample by sample.
    fn samples(&self) -> Vec<Sample<'_>> {
        let mut samples: Vec<Sample<'_>> = Vec::new();
        for row in self.states.places() {
            let t = self.states.number(row, "t");
            match samples.last_mut() {
                Some(last) if last.t == t => last.rows.end = row + 1,
                _ => samples.push(Sample { t, states: &self.states, rows: row..row + 1 }),
            }
        }
        samples
    }

    /// Whether time steps were taken: bodies may then overlap a little.
    fn has_time_steps(&self) -> bool {
        self.events.places().any(|row| ["time-step", "aggregated"].contains(&self.events.text(row, "kind")))
    }
}

/// All bodies at an instant.
#[derive(Debug, Clone)]
struct Sample<'r> {
    t: f64,
    states: &'r Table,
    rows: std::ops::Range<usize>,
}

impl Sample<'_> {
    /// The row of a body.
    fn row(&self, body: &str) -> Option<usize> {
        self.rows.clone().find(|row| self.states.text(*row, "body") == body)
    }

    /// Where a row says that its body is: centre of mass, or frame.
    fn pose(&self, row: usize) -> Pose {
        let q = ["qw", "qx", "qy", "qz"].map(|name| self.states.number(row, name));
        Pose { position: self.states.vector(row, ["x", "y", "z"]), rotation: Matrix::from_quaternion(q) }
    }

    /// Where the frame of a body is, if the judge can know it.
    fn frame(&self, body: &scene::Body) -> Option<Pose> {
        let frame = body.frame(self.pose(self.row(&body.name)?));
        (body.has_known_frame() && frame.position.is_finite()).then_some(frame)
    }
}

/// All laws that the tables of a run break, one finding of a class at most, the worst first.
pub fn judge(scene: &Scene, run: &Run) -> Vec<Finding> {
    let mut findings: Vec<Finding> = not_finite(run).into_iter().collect();
    findings.extend(overlap::check(scene, run));
    findings.extend(energy::check(scene, run));
    findings.extend(joint::check(scene, run));
    findings.extend(force::check(scene, run));
    findings.sort_by_key(|finding| finding.class);
    findings.dedup_by_key(|finding| finding.class);
    findings
}

/// The same of a run that stopped early and says so: of the instant at which it stopped only finite numbers are asked.
pub fn judge_stopped(scene: &Scene, run: &Run) -> Vec<Finding> {
    let at_the_stop = not_finite(run);
    let mut findings = judge(scene, &run.clone().without_last());
    findings.retain(|finding| finding.class != Class::NotFinite);
    findings.splice(0..0, at_the_stop);
    findings
}

/// The first number in a table that is none.
fn not_finite(run: &Run) -> Option<Finding> {
    run.tables().into_iter().find_map(|(name, table)| {
        let (row, column, value) = table.not_finite()?;
        let text = format!("{name}, line {}: {column} is {value}", row + 2);
        Some(Finding::new(Class::NotFinite, text))
    })
}
