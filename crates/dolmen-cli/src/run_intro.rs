//! `dolmen run` of a scene whose driver is the update loop for teaching.

use std::sync::Arc;

use dolmen::drive::exact::{Reason, Stop};
use dolmen::drive::intro::{IntroError, IntroSettings, IntroSimulation};
use dolmen::drive::{Readings, SensorReader};
use dolmen::record::can_touch;
use dolmen::scene::{Scene, typed::Driver};
use dolmen::world::World;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::profile;
use crate::run_folder::RunFolder;
use crate::summary::{self, End, Outcome};
use crate::times::Times;
use crate::watch::Watch;

/// The settings of the update loop if the scene chooses it.
pub(crate) fn settings(scene: &Scene) -> Option<IntroSettings> {
    let run = scene.run.as_ref().filter(|run| run.driver == Some(Driver::Intro))?;
    Some(run.intro.as_ref().map_or_else(IntroSettings::default, IntroSettings::from))
}

/// The world at the start of the loop, or why it cannot go there.
pub(crate) fn start(world: Arc<World>, settings: IntroSettings) -> Result<IntroSimulation, Failure> {
    IntroSimulation::new(world, settings).map_err(|error| Failure::input(error.to_string()))
}

/// Takes samples and collisions until the end or until something stops it. There are no contact forces: rest has none here.
pub(crate) fn simulate(
    simulation: &mut IntroSimulation,
    times: &Times,
    folder: &mut RunFolder,
    watch: &Watch,
) -> Outcome {
    simulation.set_clock(profile::nanoseconds);
    let end = follow(simulation, times, folder, watch);
    let end = end.unwrap_or_else(|failure| End::NotWritten { reason: failure.into_text() });
    watch.end(end == End::Done);
    Outcome {
        end,
        integration: integration(simulation),
        contact: contact(simulation, folder),
        laws: laws(simulation),
        violations: summary::violations(simulation.world(), &folder.progress().violations),
        stages: json!({ "broad-phase": simulation.statistics().broad_phase.ticks as f64 * 1e-9 }),
    }
}

fn follow(
    simulation: &mut IntroSimulation,
    times: &Times,
    folder: &mut RunFolder,
    watch: &Watch,
) -> Result<End, Failure> {
    let mut sensors = SensorReader::new(simulation.world());
    for i in 0..times.len() {
        let mut look = |t: f64| {
            watch.show(t);
            !watch.is_interrupted()
        };
        let gone = simulation.advance_while(times.at(i), &mut look);
        let events = simulation.take_events();
        // Pictures show them, tables do not.
        simulation.take_back_steps();
        folder.write_events(simulation.world(), &events, &[])?;
        folder.write_violations(&simulation.take_violations())?;
        let t = simulation.time();
        let is_interrupted = match gone {
            Ok(reached) => !reached,
            Err(IntroError::NotFinite { body, t }) => {
                let reason = Reason::NotFinite { what: format!("the state of {body}") };
                return Ok(Stop { t, reason }.into());
            }
            Err(error) => return Ok(End::Failed { t, reason: error.to_string() }),
        };
        let sample = simulation.sample();
        if let Some(what) = sample.not_finite(simulation.world()) {
            return Ok(Stop { t, reason: Reason::NotFinite { what } }.into());
        }
        let read = Readings::of(simulation, Vec::new(), &mut sensors);
        folder.write(&sample, &read.carried())?;
        if is_interrupted {
            return Ok(Stop { t, reason: Reason::Interrupted }.into());
        }
    }
    Ok(End::Done)
}

fn integration(simulation: &IntroSimulation) -> Value {
    let statistics = simulation.statistics();
    json!({
        "driver": "intro",
        "method": "rk4",
        "steps": statistics.steps,
        "back_steps": statistics.back_steps,
        "lost_time": statistics.lost_time,
        "lost_time_of": lost_times(simulation),
    })
}

/// The bodies that lost time, s, by name.
fn lost_times(simulation: &IntroSimulation) -> Value {
    let world = simulation.world();
    let lost = world.described_ids().filter(|id| simulation.lost_time(*id) > 0.0);
    let entries = lost.map(|id| (world.body_name(id), json!(simulation.lost_time(id))));
    Value::Object(entries.collect())
}

fn laws(simulation: &IntroSimulation) -> Value {
    let status = simulation.law_status();
    let entries = status.iter().map(|law| {
        let numbers = json!({ "bound": law.bound, "reached": law.reached, "holds": law.holds() });
        (law.law.name().to_owned(), numbers)
    });
    Value::Object(entries.collect())
}

fn contact(simulation: &IntroSimulation, folder: &RunFolder) -> Value {
    if !can_touch(simulation.world()) {
        return Value::Null;
    }
    let statistics = simulation.statistics();
    json!({
        "collisions": { "instants": simulation.collision_instants(), "contacts": statistics.impulses },
        "events": folder.progress().tally.events,
        "detection": {
            "broad_phase": simulation.broad_phase(),
            "updates": statistics.broad_phase.updates,
            "pairs": statistics.broad_phase.pairs,
            "box_tests": statistics.broad_phase.tests,
            "exchanges": statistics.broad_phase.exchanges,
            "restarts": statistics.broad_phase.restarts,
        },
    })
}
