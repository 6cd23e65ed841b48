//! `dolmen run`: from a scene to the tables of its motion.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dolmen::drive::exact::{Simulation, Stop};
use dolmen::record::{Balance, Sample};
use dolmen::scene::Scene;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::args::{RunOptions, TableFormat};
use crate::built_in::{self, Found};
use crate::failure::Failure;
use crate::parquet;
use crate::run_folder::RunFolder;

/// Samples of a run whose scene does not say how many.
const SAMPLES: u64 = 101;
/// More samples than this are refused: at a hundred bytes a row that is a disk, not a table.
const MOST_SAMPLES: u64 = 100_000_000;

/// Simulates a scene, writes what it finds and says how it went.
pub(crate) fn run(options: &RunOptions) -> Result<(), Failure> {
    let found = built_in::find(&options.scene)?;
    let times = Times::new(options, found.document.scene())?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    let mut folder = RunFolder::create(options, &found, &world)?;
    let started = Instant::now();
    let outcome = match Simulation::new(world) {
        Ok(mut simulation) => {
            let end = simulate(&mut simulation, &times, &mut folder, options.quiet)?;
            Outcome { end, last: Some(simulation.sample()), details: details(&simulation) }
        }
        Err(stop) => Outcome { end: End::Stopped(stop), last: None, details: Value::Null },
    };
    finish(options, &found, &folder, &outcome, started.elapsed())
}

/// When samples are taken.
struct Times {
    end: f64,
    kind: Kind,
}

enum Kind {
    /// Evenly, this many, both ends included.
    Count(u64),
    /// Every so many seconds, and at the end.
    Every(f64),
    Listed(Vec<f64>),
}

impl Times {
    fn new(options: &RunOptions, scene: &Scene) -> Result<Self, Failure> {
        let run = scene.run.clone().unwrap_or_default();
        let listed = run.times.as_ref().and_then(|times| times.last().copied());
        let Some(end) = options.duration.or(run.duration).or(listed) else {
            return Err(Failure::input("how long? give --for SECONDS, or a `duration` under [run] in the scene"));
        };
        if !(end.is_finite() && end >= 0.0) {
            return Err(Failure::input(format!("--for {end}: give a finite number of seconds, zero or more")));
        }
        let kind = match (options.samples.or(run.samples), options.every.or(run.every), run.times) {
            _ if options.every.is_some() => Kind::Every(options.every.unwrap_or(end)),
            _ if options.samples.is_some() => Kind::Count(options.samples.unwrap_or(SAMPLES)),
            (_, _, Some(times)) => Kind::Listed(times.into_iter().filter(|t| *t <= end).collect()),
            (_, Some(every), _) => Kind::Every(every),
            (samples, ..) => Kind::Count(samples.unwrap_or(SAMPLES)),
        };
        let times = Self { end, kind };
        if let Kind::Every(step) = times.kind
            && !(step.is_finite() && step > 0.0)
        {
            return Err(Failure::input(format!("--every {step}: give a finite number of seconds above zero")));
        }
        if times.len() == 0 || times.len() > MOST_SAMPLES {
            return Err(Failure::input(format!("{} samples: give from 1 to {MOST_SAMPLES}", times.len())));
        }
        Ok(times)
    }

    fn len(&self) -> u64 {
        match &self.kind {
            Kind::Count(count) => *count,
            Kind::Every(step) => {
                let whole = (self.end / step).floor() as u64;
                // The end is a sample of its own unless the last step falls on it.
                whole.saturating_add(if whole as f64 * step < self.end { 2 } else { 1 })
            }
            Kind::Listed(times) => times.len() as u64,
        }
    }

    fn at(&self, i: u64) -> f64 {
        match &self.kind {
            Kind::Count(1) => self.end,
            Kind::Count(count) if i + 1 == *count => self.end,
            Kind::Count(count) => self.end * (i as f64 / (count - 1) as f64),
            Kind::Every(step) => (i as f64 * step).min(self.end),
            Kind::Listed(times) => times[i as usize],
        }
    }
}

/// How a simulation ended.
enum End {
    Done,
    Stopped(Stop),
    Interrupted,
}

struct Outcome {
    end: End,
    last: Option<Sample>,
    details: Value,
}

fn simulate(simulation: &mut Simulation, times: &Times, folder: &mut RunFolder, quiet: bool) -> Result<End, Failure> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // A second handler cannot be set; then Ctrl-C simply ends the program.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(times.len()) };
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  t = {msg} s  {elapsed} (left: {eta})");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for i in 0..times.len() {
        if interrupted.load(Ordering::Relaxed) {
            bar.abandon();
            return Ok(End::Interrupted);
        }
        if let Err(stop) = simulation.advance(times.at(i)) {
            bar.abandon();
            return Ok(End::Stopped(stop));
        }
        folder.write(&simulation.sample())?;
        bar.set_message(format!("{:.6}", simulation.time()));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(End::Done)
}

/// What it took, for `summary.json`.
fn details(simulation: &Simulation) -> Value {
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

fn finish(
    options: &RunOptions,
    found: &Found,
    folder: &RunFolder,
    outcome: &Outcome,
    elapsed: Duration,
) -> Result<(), Failure> {
    let (status, reason) = match &outcome.end {
        End::Done => ("done", None),
        End::Stopped(stop) => ("failed", Some(stop.to_string())),
        End::Interrupted => ("interrupted", Some("the run was interrupted".to_owned())),
    };
    let balance = folder.balance();
    let summary = json!({
        "scene": found.name,
        "title": found.document.scene().title,
        "status": status,
        "reason": reason,
        "stopped_at": if let End::Stopped(stop) = &outcome.end { Some(stop.t) } else { None },
        "t_end": outcome.last.as_ref().map(|sample| sample.t),
        "samples": folder.samples(),
        "ledger": {
            "energy_at_the_end": outcome.last.as_ref().map(|sample| sample.ledger.total()),
            "work": outcome.last.as_ref().map(|sample| sample.ledger.work),
            "largest_error": balance.largest_error,
            "largest_error_relative": balance.relative(),
            "energy_in_play": balance.turnover,
        },
        "integration": outcome.details,
        "state_hash": outcome.last.as_ref().map(Sample::hash),
        "wall_seconds": elapsed.as_secs_f64(),
        "dolmen": env!("CARGO_PKG_VERSION"),
    });
    folder.finish(&summary)?;
    if options.also.contains(&TableFormat::Parquet) {
        parquet::write_tables(folder.path()).map_err(|error| Failure::stopped(error.to_string()))?;
    }
    report(folder, outcome, &balance, elapsed, reason)
}

fn report(
    folder: &RunFolder,
    outcome: &Outcome,
    balance: &Balance,
    elapsed: Duration,
    reason: Option<String>,
) -> Result<(), Failure> {
    let path = folder.path().display();
    match reason {
        None => {
            let t = outcome.last.as_ref().map_or(0.0, |sample| sample.t);
            let seconds = elapsed.as_secs_f64();
            let ledger = balance.relative();
            let stiff = outcome.details["stiff_at"].as_f64();
            let warning = stiff.map_or_else(String::new, |at| {
                format!("note: the problem looks stiff from t = {at} s on; `method = \"radau5\"` may be faster\n")
            });
            crate::print(&format!(
                "{t} s simulated in {seconds:.3} s, {} samples; energy adds up to {ledger:.1e}\n{warning}{path}\n",
                folder.samples()
            ))
        }
        Some(reason) => {
            Err(Failure::stopped(format!("{reason}\n  what was computed before is in {path} ({} samples)", folder.samples())))
        }
    }
}
