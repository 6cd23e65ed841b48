//! `summary.json`: how a run went, in a few numbers.

use std::time::Duration;

use dolmen::drive::exact::{Reason, Simulation, Stop};
use dolmen::record::{Sample, Tally, can_touch};
use serde_json::{Value, json};

use crate::built_in::Found;
use crate::fingerprint;
use crate::run::Outcome;
use crate::run_folder::RunFolder;

/// Everything.
pub(crate) fn whole(found: &Found, folder: &RunFolder, outcome: &Outcome, elapsed: Duration) -> Value {
    let status = match &outcome.stop {
        None => "done",
        Some(Stop { reason: Reason::Interrupted, .. }) => "interrupted",
        Some(_) => "failed",
    };
    let balance = folder.balance();
    let ledger = outcome.last.as_ref().map(|sample| sample.ledger);
    json!({
        "scene": found.name,
        "title": found.document.scene().title,
        "status": status,
        "reason": outcome.stop.as_ref().map(Stop::to_string),
        "stopped_at": outcome.stop.as_ref().map(|stop| stop.t),
        "t_end": outcome.last.as_ref().map(|sample| sample.t),
        "samples": folder.samples(),
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
        "integration": outcome.integration,
        "scene_hash": fingerprint::of_scene(folder.path()).ok(),
        "state_hash": outcome.last.as_ref().map(Sample::hash),
        "wall_seconds": elapsed.as_secs_f64(),
        "dolmen": env!("CARGO_PKG_VERSION"),
    })
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
    })
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
            "covers": detection.fat_aabbs,
            "pair_searches": detection.searches,
            "separations": separations.queries,
            "answered_by_witness": separations.hits,
            "answered_by_neighbour": separations.neighbours,
            "answered_by_walk": separations.walks,
            "answered_by_search": separations.searches,
        },
    })
}
