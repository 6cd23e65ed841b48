//! `dolmen run`: from a scene to the tables of its motion.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dolmen::drive::exact::{Reason, Simulation, Stop};
use dolmen::drive::intro::IntroSettings;
use dolmen::integrate::Step;
use dolmen::record::Sample;
use dolmen::scene::Scene;
use dolmen::world::World;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::args::{RunOptions, TableFormat};
use crate::built_in::{self, Found};
use crate::failure::Failure;
use crate::parquet;
use crate::run_folder::RunFolder;
use crate::run_intro;
use crate::summary;

/// Samples of a run whose scene does not say how many.
const SAMPLES: u64 = 101;
/// More samples than this are refused: at a hundred bytes a row that is a disk, not a table.
const MOST_SAMPLES: u64 = 100_000_000;

/// Simulates a scene, writes what it finds and says how it went.
pub(crate) fn run(options: &RunOptions) -> Result<(), Failure> {
    let found = built_in::find(&options.scene)?;
    let times = Times::new(options, found.document.scene())?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    check_steps(&world, times.end)?;
    if let Some(settings) = run_intro::settings(found.document.scene()) {
        return teach(options, &found, &times, world, settings);
    }
    let mut folder = RunFolder::create(options, &found, &world)?;
    let interrupted = catch_signals();
    let started = Instant::now();
    let outcome = match Simulation::new(world) {
        Ok(mut simulation) => {
            let bar = progress_bar(options.quiet);
            let watched = Watched { interrupted: &interrupted, bar: &bar };
            let (stop, last) = simulate(&mut simulation, &times, &mut folder, &watched)?;
            folder.write_joint_events(simulation.world(), simulation.joint_events())?;
            let contact = summary::contact(&simulation, folder.tally());
            Outcome { stop, last, integration: summary::integration(&simulation), contact }
        }
        Err(stop) => Outcome { stop: Some(stop), last: None, integration: Value::Null, contact: Value::Null },
    };
    finish(options, &found, &folder, &outcome, started.elapsed())
}

/// The same by the update loop for teaching.
fn teach(
    options: &RunOptions,
    found: &Found,
    times: &Times,
    world: World,
    settings: IntroSettings,
) -> Result<(), Failure> {
    let world = Arc::new(world);
    let mut simulation = run_intro::start(Arc::clone(&world), settings)?;
    let mut folder = RunFolder::create(options, found, &world)?;
    let (interrupted, bar) = (catch_signals(), progress_bar(options.quiet));
    let started = Instant::now();
    let outcome = run_intro::simulate(&mut simulation, times, &mut folder, &interrupted, &bar)?;
    finish(options, found, &folder, &outcome, started.elapsed())
}

/// That a fixed step reaches the end within the steps that are allowed.
fn check_steps(world: &World, end: f64) -> Result<(), Failure> {
    let settings = &world.settings().integrator;
    let (Step::Fixed(h) | Step::Adaptive { largest: Some(h), .. }) = settings.step else { return Ok(()) };
    let steps = end / h;
    if steps <= settings.max_steps as f64 {
        return Ok(());
    }
    let (most, h) = (settings.max_steps, format!("{h:e}"));
    Err(Failure::input(format!(
        "{end} s in steps of {h} s are {steps:.1e} steps; `max_steps` allows {most}\n  help: use a longer step, or raise it"
    )))
}

/// When samples are taken.
pub(crate) struct Times {
    pub(crate) end: f64,
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
            return Err(Failure::input(
                "how long? give --for SECONDS, or a `duration` under [run] in the scene",
            ));
        };
        if !(end.is_finite() && end >= 0.0) {
            return Err(Failure::input(format!(
                "--for {end}: give a finite number of seconds, zero or more"
            )));
        }
        let kind = match (options.samples.or(run.samples), options.every.or(run.every), run.times) {
            _ if options.every.is_some() => Kind::Every(options.every.unwrap_or(end)),
            _ if options.samples.is_some() => Kind::Count(options.samples.unwrap_or(SAMPLES)),
            (_, _, Some(times)) => Kind::Listed(listed_until(times, end)),
            (_, Some(every), _) => Kind::Every(every),
            (samples, ..) => Kind::Count(samples.unwrap_or(SAMPLES)),
        };
        let times = Self { end, kind };
        if let Kind::Every(step) = times.kind
            && !(step.is_finite() && step > 0.0)
        {
            return Err(Failure::input(format!(
                "--every {step}: give a finite number of seconds above zero"
            )));
        }
        if times.len() == 0 || times.len() > MOST_SAMPLES {
            return Err(Failure::input(format!("{} samples: give from 1 to {MOST_SAMPLES}", times.len())));
        }
        Ok(times)
    }

    pub(crate) fn len(&self) -> u64 {
        match &self.kind {
            // Nothing happens in no time: one sample says it all.
            Kind::Count(_) if self.end == 0.0 => 1,
            Kind::Count(count) => *count,
            Kind::Every(step) => {
                let whole = (self.end / step).floor() as u64;
                // The end is a sample of its own unless the last step falls on it.
                whole.saturating_add(if whole as f64 * step < self.end { 2 } else { 1 })
            }
            Kind::Listed(times) => times.len() as u64,
        }
    }

    pub(crate) fn at(&self, i: u64) -> f64 {
        match &self.kind {
            Kind::Count(1) => self.end,
            Kind::Count(count) if i + 1 == *count => self.end,
            Kind::Count(count) => self.end * (i as f64 / (count - 1) as f64),
            Kind::Every(step) => (i as f64 * step).min(self.end),
            Kind::Listed(times) => times[i as usize],
        }
    }
}

/// The listed times up to the end, and the end itself.
fn listed_until(times: Vec<f64>, end: f64) -> Vec<f64> {
    let mut kept: Vec<f64> = times.into_iter().filter(|t| *t < end).collect();
    kept.push(end);
    kept
}

/// How a run went.
pub(crate) struct Outcome {
    /// Why it ended before its time, if it did.
    pub(crate) stop: Option<Stop>,
    /// The last sample, if there was any.
    pub(crate) last: Option<Sample>,
    /// What integration took.
    pub(crate) integration: Value,
    /// What contacts came to; null if nothing can touch.
    pub(crate) contact: Value,
}

/// What watches a run: whoever may interrupt it, and whoever wants to know how far it is.
struct Watched<'a> {
    interrupted: &'a AtomicBool,
    bar: &'a ProgressBar,
}

/// Takes samples until the end or until something stops it; returns what, and the last sample.
fn simulate(
    simulation: &mut Simulation,
    times: &Times,
    folder: &mut RunFolder,
    watched: &Watched,
) -> Result<(Option<Stop>, Option<Sample>), Failure> {
    let bar = watched.bar;
    let mut last = None;
    for i in 0..times.len() {
        let go_on = advance(simulation, times.at(i), times.end, folder, watched)?;
        let sample = simulation.sample();
        // A stop brings its own instant, unless that is a sample already.
        if go_on.is_ok() || last.as_ref().is_none_or(|last: &Sample| last.t < sample.t) {
            if let Some(what) = sample.not_finite(simulation.world()) {
                bar.abandon();
                let reason = Reason::NotFinite { what };
                return Ok((Some(Stop { t: sample.t, reason }), last));
            }
            folder.write(&sample, &simulation.contact_forces(), &simulation.joint_forces())?;
            last = Some(sample);
        }
        if let Err(stop) = go_on {
            bar.abandon();
            return Ok((Some(stop), last));
        }
    }
    bar.finish_and_clear();
    Ok((None, last))
}

/// Steps after which events are written, however long it is to the next sample: so many fit into memory with ease, and
/// writing them takes no time beside finding them.
const PAUSE: u32 = 1 << 14;

/// Goes on to `t` and writes the events on the way, also those before a stop.
fn advance(
    simulation: &mut Simulation,
    t: f64,
    end: f64,
    folder: &mut RunFolder,
    watched: &Watched,
) -> Result<Result<(), Stop>, Failure> {
    let is_interrupted = || watched.interrupted.load(Ordering::Relaxed);
    loop {
        if is_interrupted() {
            return Ok(Err(Stop { t: simulation.time(), reason: Reason::Interrupted }));
        }
        let mut steps = 0;
        let mut watch = |t: f64| {
            watched.bar.set_position((t / end * PROGRESS as f64) as u64);
            watched.bar.set_message(format!("{t:.6}"));
            steps += 1;
            steps < PAUSE && !is_interrupted()
        };
        let go_on = simulation.advance_while(t, &mut watch);
        folder.write_events(&simulation.take_events())?;
        match go_on {
            // A pause of our own: results do not hang on how time is cut up.
            Err(Stop { reason: Reason::Interrupted, .. }) if !is_interrupted() => {}
            other => return Ok(other),
        }
    }
}

fn progress_bar(quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(PROGRESS) };
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  t = {msg} s  {elapsed} (left: {eta})");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Marks of the progress bar.
pub(crate) const PROGRESS: u64 = 1000;

/// A flag that Ctrl-C or a request to terminate raises; the second one ends the program at once.
fn catch_signals() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // If a handler cannot be set, a signal simply ends the program.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    });
    interrupted
}

fn finish(
    options: &RunOptions,
    found: &Found,
    folder: &RunFolder,
    outcome: &Outcome,
    elapsed: Duration,
) -> Result<(), Failure> {
    let summary = summary::whole(found, folder, outcome, elapsed);
    folder.finish(&summary)?;
    if options.also.contains(&TableFormat::Parquet) {
        parquet::write_tables(folder.path()).map_err(|error| Failure::stopped(error.to_string()))?;
    }
    report(folder, outcome, elapsed)
}

fn report(folder: &RunFolder, outcome: &Outcome, elapsed: Duration) -> Result<(), Failure> {
    let (path, samples) = (folder.path().display(), folder.samples());
    if let Some(stop) = &outcome.stop {
        return Err(Failure::stopped(format!(
            "{stop}\n  what was computed before is in {path} ({samples} samples)"
        )));
    }
    let t = outcome.last.as_ref().map_or(0.0, |sample| sample.t);
    let seconds = elapsed.as_secs_f64();
    // Where nothing moves only rounding is in play: the share says little without the joules.
    let (share, error) = (folder.balance().relative(), folder.balance().largest_error);
    let collisions = match outcome.contact["collisions"]["contacts"].as_u64() {
        None | Some(0) => String::new(),
        Some(1) => ", 1 collision".to_owned(),
        Some(n) => format!(", {n} collisions"),
    };
    let stiff = outcome.integration["stiff_at"].as_f64();
    let warning = stiff.map_or_else(String::new, |at| {
        format!("note: the problem looks stiff from t = {at} s on; `method = \"radau5\"` may be faster\n")
    });
    crate::print(&format!(
        "{t} s simulated in {seconds:.3} s, {samples} samples{collisions}; \
         energy adds up to {error:.1e} J, {share:.1e} of what is in play\n{warning}{path}\n"
    ))
}
