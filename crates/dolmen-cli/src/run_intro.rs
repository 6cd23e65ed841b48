//! `dolmen run` of a scene whose driver is the update loop for teaching.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dolmen::drive::exact::{Reason, Stop};
use dolmen::drive::intro::{IntroError, IntroSettings, IntroSimulation};
use dolmen::record::can_touch;
use dolmen::scene::{Scene, typed::Driver};
use dolmen::world::World;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::run::{Outcome, PROGRESS, Times};
use crate::run_folder::RunFolder;

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
    interrupted: &AtomicBool,
    bar: &ProgressBar,
) -> Result<Outcome, Failure> {
    let (mut stop, mut last) = (None, None);
    for i in 0..times.len() {
        let mut watch = |t: f64| {
            bar.set_position((t / times.end * PROGRESS as f64) as u64);
            bar.set_message(format!("{t:.6}"));
            !interrupted.load(Ordering::Relaxed)
        };
        let gone = simulation.advance_while(times.at(i), &mut watch);
        folder.write_events(&simulation.take_events())?;
        let t = simulation.time();
        stop = match gone {
            Ok(true) => None,
            Ok(false) => Some(Stop { t, reason: Reason::Interrupted }),
            Err(IntroError::NotFinite { body, t }) => {
                let reason = Reason::NotFinite { what: format!("the state of {body}") };
                Some(Stop { t, reason })
            }
            Err(error) => return Err(Failure::stopped(error.to_string())),
        };
        if stop.as_ref().is_some_and(|stop| stop.reason != Reason::Interrupted) {
            break;
        }
        let sample = simulation.sample();
        if let Some(what) = sample.not_finite(simulation.world()) {
            stop = Some(Stop { t, reason: Reason::NotFinite { what } });
            break;
        }
        folder.write(&sample, &[], &[])?;
        last = Some(sample);
        if stop.is_some() {
            break;
        }
    }
    if stop.is_some() {
        bar.abandon();
    } else {
        bar.finish_and_clear();
    }
    let contact = contact(simulation, folder);
    Ok(Outcome { stop, last, integration: integration(simulation), contact })
}

fn integration(simulation: &IntroSimulation) -> Value {
    let statistics = simulation.statistics();
    json!({
        "driver": "intro",
        "method": "rk4",
        "steps": statistics.steps,
        "back_steps": statistics.back_steps,
        "lost_time": statistics.lost_time,
    })
}

fn contact(simulation: &IntroSimulation, folder: &RunFolder) -> Value {
    if !can_touch(simulation.world()) {
        return Value::Null;
    }
    let statistics = simulation.statistics();
    json!({
        "collisions": { "instants": simulation.collision_instants(), "contacts": statistics.impulses },
        "events": folder.tally().events,
    })
}
