//! `summary.json`: how a run went, in a few numbers.

use dolmen::drive::exact::{Reason, Simulation, Stop};
use dolmen::record::{LawStatus, Output, Progress, Table, Tally, Violation, can_touch};
use dolmen::scene::Scene;
use dolmen::world::World;
use serde_json::{Value, json};

use crate::clock::Timing;

/// The status of a run whose process is at work, or was killed.
pub(crate) const RUNNING: &str = "running";

/// The status of a run that went to its end and broke a law.
pub(crate) const VIOLATED: &str = "violated";

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End {
    /// At its time.
    Done,
    /// The simulation could not go on.
    Failed {
        /// When, s.
        t: f64,
        /// Why.
        reason: String,
    },
    /// It was asked to stop.
    Interrupted {
        /// When, s.
        t: f64,
        /// By what.
        reason: String,
    },
    /// Its results could not be written.
    NotWritten {
        /// Which file, and why.
        reason: String,
    },
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        let (t, reason) = (stop.t, stop.to_string());
        if matches!(stop.reason, Reason::Interrupted | Reason::Abandoned) {
            Self::Interrupted { t, reason }
        } else {
            Self::Failed { t, reason }
        }
    }
}

impl End {
    /// As it stands in the summary. A run whose disk was full can go on when there is room, as one that was interrupted.
    fn status(&self, violations: &[Value]) -> &'static str {
        match self {
            Self::Done if !violations.is_empty() => VIOLATED,
            Self::Done => "done",
            Self::Failed { .. } => "failed",
            Self::Interrupted { .. } | Self::NotWritten { .. } => "interrupted",
        }
    }

    /// Whether nothing is left to go on with.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, Self::Done | Self::Failed { .. })
    }

    /// Why it ended before its time.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Done => None,
            Self::Failed { reason, .. } | Self::Interrupted { reason, .. } | Self::NotWritten { reason } => {
                Some(reason)
            }
        }
    }

    fn time(&self) -> Option<f64> {
        match self {
            Self::Failed { t, .. } | Self::Interrupted { t, .. } => Some(*t),
            Self::Done | Self::NotWritten { .. } => None,
        }
    }
}

/// How a run went.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) end: End,
    /// What integration took.
    pub(crate) integration: Value,
    /// What contacts came to; null if nothing can touch.
    pub(crate) contact: Value,
    /// How the run stands with the laws: the bound of each, and the most that was found.
    pub(crate) laws: Value,
    /// The laws that were broken, each with its place and numbers.
    pub(crate) violations: Vec<Value>,
    /// What each stage took, s.
    pub(crate) stages: Value,
}

impl Outcome {
    /// Of a run that could not start.
    pub(crate) fn of_start(stop: Stop, reason: String) -> Self {
        let end = match End::from(stop) {
            End::Failed { t, .. } => End::Failed { t, reason },
            other => other,
        };
        Self {
            end,
            integration: Value::Null,
            contact: Value::Null,
            laws: Value::Null,
            violations: Vec::new(),
            stages: Value::Null,
        }
    }
}

/// What a run is known by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Identity {
    /// The name of its scene.
    pub(crate) scene: String,
    pub(crate) title: Option<String>,
    /// The hash of its scene.
    pub(crate) scene_hash: String,
    /// Tables that have rows at some samples only.
    pub(crate) thinned: Vec<&'static str>,
}

impl Identity {
    pub(crate) fn new(name: &str, scene: &Scene, scene_hash: String, output: &Output) -> Self {
        let thinned = output.thinned().map(Table::file).collect();
        Self { scene: name.to_owned(), title: scene.title.clone(), scene_hash, thinned }
    }
}

/// What is known when a run begins.
pub(crate) fn running(run: &Identity) -> Value {
    json!({
        "scene": run.scene,
        "title": run.title,
        "status": RUNNING,
        "scene_hash": run.scene_hash,
        "thinned": run.thinned,
        "dolmen": env!("CARGO_PKG_VERSION"),
    })
}

/// Everything, when it has ended.
pub(crate) fn whole(run: &Identity, progress: &Progress, outcome: &Outcome, timing: &Timing) -> Value {
    let balance = progress.balance;
    let ledger = progress.last.as_ref().map(|sample| sample.ledger);
    json!({
        "scene": run.scene,
        "title": run.title,
        "status": outcome.end.status(&outcome.violations),
        "reason": outcome.end.reason(),
        "stopped_at": outcome.end.time(),
        "t_end": progress.last.as_ref().map(|sample| sample.t),
        "samples": progress.samples,
        "ledger": {
            "energy_at_the_end": ledger.map(|ledger| ledger.total()),
            "work": ledger.map(|ledger| ledger.work),
            "lost_in_collisions": ledger.map(|ledger| ledger.collisions),
            "lost_to_friction": ledger.map(|ledger| ledger.friction),
            "lost_in_closing": ledger.map(|ledger| ledger.closing),
            "largest_error": balance.largest_error,
            "largest_error_relative": balance.relative(),
            "energy_in_play": balance.turnover,
        },
        "contact": outcome.contact,
        "laws": outcome.laws,
        "violations": outcome.violations,
        "integration": outcome.integration,
        "scene_hash": run.scene_hash,
        "thinned": run.thinned,
        "state_hash": progress.last.as_ref().map(|sample| &sample.state_hash),
        "timing": { "wall_seconds": timing.wall_seconds, "cpu_seconds": timing.cpu_seconds, "stages": outcome.stages },
        "dolmen": env!("CARGO_PKG_VERSION"),
    })
}

/// How a run stands with the laws.
pub(crate) fn laws(simulation: &Simulation) -> Value {
    let status = |status: &LawStatus| {
        let numbers = json!({ "bound": status.bound, "reached": status.reached, "holds": status.holds() });
        (status.law.name().to_owned(), numbers)
    };
    let (bound, reached) = (simulation.world().laws().work, simulation.laws().most_work);
    let work = json!({ "bound": bound, "reached": reached, "holds": reached <= bound });
    let all = simulation.laws().status.iter().map(status).chain([("work".to_owned(), work)]).collect();
    Value::Object(all)
}

/// The laws that were broken.
pub(crate) fn violations(world: &World, found: &[Violation]) -> Vec<Value> {
    let row = |violation: &Violation| {
        json!({
            "t": violation.t,
            "law": violation.law.name(),
            "bodies": violation.bodies.iter().map(|id| world.body_name(*id)).collect::<Vec<_>>(),
            "joint": violation.joint.map(|joint| world.joints()[joint].name()),
            "value": violation.value,
            "bound": violation.bound,
            "text": violation.describe(world),
        })
    };
    found.iter().map(row).collect()
}

/// What each stage took, s.
pub(crate) fn stages(simulation: &Simulation) -> Value {
    let seconds = simulation
        .profile()
        .costs()
        .map(|(stage, cost)| (stage.name().to_owned(), json!(cost.ticks as f64 * 1e-9)));
    seconds.collect::<serde_json::Map<String, Value>>().into()
}

/// What integration took.
pub(crate) fn integration(simulation: &Simulation) -> Value {
    let statistics = simulation.statistics();
    let (islands, flights) = simulation.islands();
    let settings = simulation.world().settings();
    json!({
        "method": settings.integrator.method.name(),
        "tolerance": settings.integrator.relative,
        "islands": islands,
        "islands_in_closed_form_at_the_end": flights,
        "steps": statistics.steps,
        "rejected_steps": statistics.rejected,
        "evaluations": statistics.evaluations,
        "jacobians": statistics.jacobians,
        "factorisations": statistics.factorisations,
        "newton_iterations": statistics.newton_iterations,
        "stiff_at": statistics.stiff_at,
        "operations": simulation.laws().operations,
        "orientation_drift": orientation_drift(simulation),
    })
}

/// How far the carried orientations are from rotations at the end, the most of any body: ||q| − 1|, or the largest entry of RRᵀ − 1.
fn orientation_drift(simulation: &Simulation) -> f64 {
    let world = simulation.world();
    let dynamic = world.described_ids().filter(|id| world.body(*id).is_dynamic());
    dynamic.map(|id| simulation.rotation_defect(id)).fold(0.0, f64::max)
}

/// What contacts came to; null if nothing can touch.
pub(crate) fn contact(simulation: &Simulation, tally: &Tally) -> Value {
    if !can_touch(simulation.world()) {
        return Value::Null;
    }
    let (instants, contacts) = simulation.collisions();
    let (deepest, deepest_relative) = simulation.deepest_overlap();
    let detection = simulation.detection();
    let separations = &detection.separations;
    let solves = simulation.solves();
    json!({
        "law": simulation.world().contact().law.name(),
        "solver": {
            "name": simulation.world().contact().solver.name(),
            "problems": solves.problems,
            "iterations": solves.iterations,
            "unsolved": solves.unsolved,
            "with_several_solutions": solves.open,
            "largest_residual": solves.largest_residual,
        },
        "collisions": { "instants": instants, "contacts": contacts },
        "events": tally.events,
        "deepest_overlap": deepest,
        "deepest_overlap_by_tolerance": deepest_relative,
        "largest_force_residual": tally.largest_residual,
        "has_choices": tally.has_choices(),
        "decisions": tally.open,
        "least_norm_forces": tally.chosen_forces,
        "detection": {
            "broad_phase": "dynamic-tree",
            "fat_aabbs": detection.fat_aabbs,
            "pair_searches": detection.searches,
            "separations": separations.queries,
            "answered_by_witness": separations.hits,
            "answered_by_neighbour": separations.neighbours,
            "answered_by_walk": separations.walks,
            "answered_by_search": separations.searches,
        },
    })
}
