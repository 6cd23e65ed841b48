//! `dolmen run` of a scene whose driver takes fixed steps.

use std::sync::Arc;

use dolmen::drive::Driver as _;
use dolmen::drive::exact::{Reason, Stop};
use dolmen::drive::fixed::{FixedError, FixedSettings, FixedSimulation, Precision};
use dolmen::record::{CheckedLaw, EventKind, Violation, can_touch};
use dolmen::scene::Scene;
use dolmen::scene::typed::{Driver, StepBounds};
use dolmen::world::World;
use serde_json::{Value, json};

use crate::built_in::Found;
use crate::failure::Failure;
use crate::run_folder::RunFolder;
use crate::summary::{self, End, Outcome};

/// The settings of fixed steps if the scene chooses them.
pub(crate) fn settings(scene: &Scene) -> Option<FixedSettings> {
    scene.run.as_ref().filter(|run| run.driver == Some(Driver::Fixed)).map(FixedSettings::from)
}

/// The world at its start, or why it cannot be taken through fixed steps, with the place in the file.
pub(crate) fn start(
    found: &Found,
    world: Arc<World>,
    settings: FixedSettings,
) -> Result<FixedSimulation, Failure> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if settings.threads as usize > processors {
        let threads = settings.threads;
        let text = format!("`threads` = {threads} under [run], and this machine has {processors} processors");
        return Err(Failure::input(format!(
            "{text}\n  help: give at most {processors}; no result hangs on it"
        )));
    }
    FixedSimulation::new(world, settings).map_err(|error| {
        let bodies = error.bodies();
        if bodies.is_empty() {
            return Failure::input(error.to_string());
        }
        Failure::input(found.document.errors_at(&bodies, None, &error.to_string()).to_string())
    })
}

/// How a run in fixed steps went.
pub(crate) fn outcome(end: End, simulation: &FixedSimulation, scene: &Scene, folder: &RunFolder) -> Outcome {
    let violations = summary::violations(simulation.world(), &folder.progress().violations);
    Outcome {
        end,
        integration: integration(simulation),
        contact: contact(simulation, folder),
        laws: laws(simulation, &bounds(scene)),
        violations,
        stages: Value::Null,
    }
}

/// How it ends where it cannot go on.
pub(crate) fn stopped(error: FixedError, t: f64) -> End {
    match error {
        FixedError::NotFinite { body, t } => {
            let reason = Reason::NotFinite { what: format!("the state of {body}") };
            Stop { t, reason }.into()
        }
        error => End::Failed { t, reason: error.to_string() },
    }
}

fn contact(simulation: &FixedSimulation, folder: &RunFolder) -> Value {
    if !can_touch(simulation.world()) {
        return Value::Null;
    }
    let tally = &folder.progress().tally;
    json!({
        "collisions": { "contacts": tally.events.get(EventKind::Collision.name()).copied().unwrap_or(0) },
        "events": tally.events,
    })
}

fn integration(simulation: &FixedSimulation) -> Value {
    let (settings, statistics) = (simulation.settings(), simulation.statistics());
    json!({
        "driver": "fixed",
        "step": settings.step,
        "substeps": settings.substeps,
        "threads": settings.threads,
        "asleep": statistics.last.asleep,
        "precision": if settings.precision == Precision::F64 { "f64" } else { "f32" },
        "steps": statistics.steps,
        "worst_overlap": statistics.worst_overlap,
        "worst_joint_error": statistics.worst_joint_error,
        "worst_energy_drift": statistics.worst_energy_drift,
    })
}

/// What the scene bounds of fixed steps.
pub(crate) fn bounds(scene: &Scene) -> StepBounds {
    scene.run.as_ref().and_then(|run| run.bounds).unwrap_or_default()
}

/// Bounds that are exceeded and were not told yet.
pub(crate) fn untold(
    simulation: &FixedSimulation,
    bounds: &StepBounds,
    told: &[Violation],
) -> Vec<Violation> {
    let is_new = |law: CheckedLaw| told.iter().all(|violation| violation.law != law);
    let excesses = simulation.statistics().excesses(bounds);
    let new = excesses.iter().filter(|excess| is_new(excess.law));
    new.map(|excess| excess.violation(simulation.time())).collect()
}

/// How the run stands with its bounds; null for a bound that the scene does not give.
fn laws(simulation: &FixedSimulation, bounds: &StepBounds) -> Value {
    let entries = simulation.statistics().laws(bounds).map(|(law, bound, reached)| {
        let holds = bound.is_none_or(|bound| reached <= bound);
        (law.name().to_owned(), json!({ "bound": bound, "reached": reached, "holds": holds }))
    });
    Value::Object(entries.into_iter().collect())
}
