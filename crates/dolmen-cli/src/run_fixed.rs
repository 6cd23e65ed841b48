//! `dolmen run` of a scene whose driver takes fixed steps.

use std::sync::Arc;

use dolmen::drive::exact::{Reason, Stop};
use dolmen::drive::fixed::{FixedError, FixedSettings, FixedSimulation, Precision};
use dolmen::scene::Scene;
use dolmen::scene::typed::{Driver, StepBounds};
use dolmen::world::World;
use serde_json::{Value, json};

use crate::built_in::Found;
use crate::failure::Failure;
use crate::run_folder::RunFolder;
use crate::summary::{End, Outcome};
use crate::times::Times;
use crate::watch::Watch;

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
    FixedSimulation::new(world, settings).map_err(|error| {
        let bodies = error.bodies();
        if bodies.is_empty() {
            return Failure::input(error.to_string());
        }
        Failure::input(found.document.errors_at(&bodies, None, &error.to_string()).to_string())
    })
}

/// Takes samples until the end or until something stops it.
pub(crate) fn simulate(
    simulation: &mut FixedSimulation,
    scene: &Scene,
    times: &Times,
    folder: &mut RunFolder,
    watch: &Watch,
) -> Outcome {
    let mut drift = 0.0_f64;
    let end = follow(simulation, times, folder, watch, &mut drift);
    let end = end.unwrap_or_else(|failure| End::NotWritten { reason: failure.into_text() });
    watch.end(end == End::Done);
    let bounds = scene.run.as_ref().and_then(|run| run.bounds).unwrap_or_default();
    Outcome {
        end,
        integration: integration(simulation, drift),
        contact: Value::Null,
        laws: Value::Null,
        violations: violations(simulation, &bounds, drift),
        stages: Value::Null,
    }
}

fn follow(
    simulation: &mut FixedSimulation,
    times: &Times,
    folder: &mut RunFolder,
    watch: &Watch,
    drift: &mut f64,
) -> Result<End, Failure> {
    for i in 0..times.len() {
        let mut look = |t: f64| {
            watch.show(t);
            !watch.is_interrupted()
        };
        let gone = simulation.advance_while(times.at(i), &mut look);
        let t = dolmen::drive::Driver::time(simulation);
        let is_interrupted = match gone {
            Ok(reached) => !reached,
            Err(FixedError::NotFinite { body, t }) => {
                let reason = Reason::NotFinite { what: format!("the state of {body}") };
                return Ok(Stop { t, reason }.into());
            }
            Err(error) => return Ok(End::Failed { t, reason: error.to_string() }),
        };
        let sample = simulation.sample();
        *drift = drift.max(simulation.energy_drift().abs());
        folder.write(&sample, &[], &[])?;
        if is_interrupted {
            return Ok(Stop { t, reason: Reason::Interrupted }.into());
        }
    }
    Ok(End::Done)
}

fn integration(simulation: &FixedSimulation, drift: f64) -> Value {
    let (settings, statistics) = (simulation.settings(), simulation.statistics());
    json!({
        "driver": "fixed",
        "step": settings.step,
        "substeps": settings.substeps,
        "precision": if settings.precision == Precision::F64 { "f64" } else { "f32" },
        "steps": statistics.steps,
        "worst_overlap": statistics.worst_overlap,
        "worst_joint_error": statistics.worst_joint_error,
        "worst_energy_drift": drift,
    })
}

/// The bounds that were exceeded, in the form in which laws are.
fn violations(simulation: &FixedSimulation, bounds: &StepBounds, drift: f64) -> Vec<Value> {
    let statistics = simulation.statistics();
    let found = [
        ("overlap", bounds.overlap, statistics.worst_overlap, "m"),
        ("joint_error", bounds.joint_error, statistics.worst_joint_error, "m or rad"),
        ("energy_drift", bounds.energy_drift, drift, "J"),
    ];
    found
        .into_iter()
        .filter_map(|(law, bound, value, unit)| {
            let bound = bound.filter(|bound| value > *bound)?;
            let text = format!(
                "{law} was {value:.3e} {unit}, more than its bound {bound:.3e}; use a shorter step, or more sub-steps"
            );
            Some(json!({ "law": law, "value": value, "bound": bound, "text": text }))
        })
        .collect()
}
