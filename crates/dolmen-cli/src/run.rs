//! `dolmen run`: from a scene to the tables of its motion, or on from where another process left them.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dolmen::drive::exact::{Profile, Reason, Simulation, Stop};
use dolmen::drive::fixed::{FixedError, FixedSimulation};
use dolmen::drive::{Driver as _, Readings, SensorReader};
use dolmen::integrate::Step;
use dolmen::record::Happened;
use dolmen::scene::Scene;
use dolmen::scene::typed::StepBounds;
use dolmen::world::World;
use serde_json::Value;

use crate::args::{CheckpointInterval, RunOptions, SamplingOptions, TableFormat};
use crate::built_in::{self, Found};
use crate::check;
use crate::checkpoint::{self, RunState};
use crate::clock::{Clock, Timing};
use crate::explain;
use crate::failure::Failure;
use crate::fingerprint;
use crate::parquet;
use crate::profile;
use crate::run_fixed;
use crate::run_folder::{self, Resumed, RunFolder};
use crate::run_intro;
use crate::summary::{self, End, Identity, Outcome};
use crate::tables::RunRecord;
use crate::tell::tell;
use crate::times::Times;
use crate::view;
use crate::watch::Watch;

/// Time between two checkpoints if nothing else is asked for.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(30);

/// Simulates a scene, or goes on with a run, writes what it finds and says how it went.
pub(crate) fn run(options: &RunOptions) -> Result<(), Failure> {
    match &options.resume {
        Some(folder) => resume(folder, options),
        None => start(options),
    }
}

fn start(options: &RunOptions) -> Result<(), Failure> {
    let found = built_in::find(&options.scene())?;
    let (times, world) = ready(&found, &options.sampling)?;
    let clock = Clock::start(Timing::default());
    if let Some(settings) = run_fixed::settings(found.document.scene()) {
        refuse_explain(options, "fixed")?;
        let simulation = run_fixed::start(&found, Arc::clone(&world), settings)?;
        let run = Run::new(RunFolder::create(options, &found, &world)?, times, clock, options);
        return run.follow_fixed(simulation, found.document.scene());
    }
    if let Some(settings) = run_intro::settings(found.document.scene()) {
        refuse_checkpoints(options, "intro")?;
        refuse_explain(options, "intro")?;
        let mut simulation = run_intro::start(Arc::clone(&world), settings)?;
        let mut run = Run::new(RunFolder::create(options, &found, &world)?, times, clock, options);
        let outcome = run_intro::simulate(&mut simulation, &run.times, &mut run.folder, &run.watch);
        return run.finish(&outcome);
    }
    let run = Run::new(RunFolder::create(options, &found, &world)?, times, clock, options);
    let (folder, end) = (run.folder.path().to_owned(), run.times.end);
    let simulation = Simulation::with_interrupt(Arc::clone(&world), Some(run.watch.interrupt()));
    let done = run.follow(simulation, &found);
    if let Some(event) = options.explain {
        let path = explain::write(&world, event, end, &folder)?;
        crate::print(&format!("{}\n", path.display()))?;
    }
    done
}

/// Goes on with a run whose process was killed or interrupted: from its last checkpoint, or from the beginning.
fn resume(path: &Path, options: &RunOptions) -> Result<(), Failure> {
    let shown = path.display();
    if !run_folder::is_run(path) {
        let help = "give a folder that `dolmen run` wrote";
        return Err(Failure::input(format!("{shown} is not a run\n  help: {help}")));
    }
    let folder = Resumed::take(path)?;
    let record = RunRecord::open(path).map_err(|error| Failure::input(error.to_string()))?;
    refuse_ended(&record)?;
    let mut found = view::find(path, &[], false)?;
    if let Some(name) = record.summary()["scene"].as_str() {
        name.clone_into(&mut found.name);
    }
    let scene_hash = fingerprint::check_scene(&record)?;
    let (times, world) = ready(&found, &SamplingOptions::default())?;
    let output = found.document.scene().output(&world);
    let identity = Identity::new(&found.name, found.document.scene(), scene_hash, &output);
    let settings = run_intro::settings(found.document.scene());
    let fixed = run_fixed::settings(found.document.scene());
    let file = path.join(checkpoint::NAME);
    if let Some(saved) = checkpoint::read(&file)?.filter(|_| settings.is_none()) {
        if fixed.is_some() {
            let simulation = FixedSimulation::restore(Arc::clone(&world), &saved.engine)
                .map_err(|error| checkpoint::useless(&file, &error))?;
            let folder = folder.go_on(identity, (&world, output), &saved)?;
            let mut run = Run::new(folder, times, Clock::start(saved.run.timing), options);
            run.next = saved.run.next;
            return run.follow_fixed(simulation, found.document.scene());
        }
        let simulation = Simulation::restore(Arc::clone(&world), &saved.engine)
            .map_err(|error| checkpoint::useless(&file, &error))?;
        let folder = folder.go_on(identity, (&world, output), &saved)?;
        let mut run = Run::new(folder, times, Clock::start(saved.run.timing), options);
        run.next = saved.run.next;
        return run.follow(Ok(simulation), &found);
    }
    tell!("note: {shown} has no checkpoint; the run starts again from the beginning");
    let clock = Clock::start(Timing::default());
    if let Some(settings) = fixed {
        let simulation = run_fixed::start(&found, Arc::clone(&world), settings)?;
        let run = Run::new(folder.restart(identity, &world, output)?, times, clock, options);
        return run.follow_fixed(simulation, found.document.scene());
    }
    if let Some(settings) = settings {
        refuse_checkpoints(options, "intro")?;
        let mut simulation = run_intro::start(Arc::clone(&world), settings)?;
        let mut run = Run::new(folder.restart(identity, &world, output)?, times, clock, options);
        let outcome = run_intro::simulate(&mut simulation, &run.times, &mut run.folder, &run.watch);
        return run.finish(&outcome);
    }
    let run = Run::new(folder.restart(identity, &world, output)?, times, clock, options);
    let simulation = Simulation::with_interrupt(world, Some(run.watch.interrupt()));
    run.follow(simulation, &found)
}

/// When samples are taken, and the world; refuses what cannot be simulated.
fn ready(found: &Found, sampling: &SamplingOptions) -> Result<(Times, Arc<World>), Failure> {
    let times = Times::new(sampling, found.document.scene())?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    check_steps(&world, times.end)?;
    Ok((times, Arc::new(world)))
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

/// Only the exact driver solves contact problems that can be written out.
fn refuse_explain(options: &RunOptions, driver: &str) -> Result<(), Failure> {
    if options.explain.is_none() {
        return Ok(());
    }
    let help = "use the exact driver: --driver exact";
    let text = format!("--explain: the driver {driver:?} solves no contact problem");
    Err(Failure::input(format!("{text}\n  help: {help}")))
}

/// The update loop takes no checkpoints.
fn refuse_checkpoints(options: &RunOptions, driver: &str) -> Result<(), Failure> {
    if matches!(options.checkpoint, None | Some(CheckpointInterval::Off)) {
        return Ok(());
    }
    let help = "leave --checkpoint out, or use the exact driver";
    Err(Failure::input(format!("--checkpoint: the driver \"{driver}\" takes no checkpoints\n  help: {help}")))
}

/// A run that ended by itself is not resumed.
fn refuse_ended(record: &RunRecord) -> Result<(), Failure> {
    let (folder, status) = (record.folder().display(), record.status());
    let t = record.t_end().unwrap_or(0.0);
    let text = match status {
        "done" | summary::VIOLATED => format!("the run in {folder} is done: it went to its end at t = {t} s"),
        "failed" => {
            let reason = record.summary()["reason"].as_str().unwrap_or("no reason is given");
            format!("the run in {folder} failed and would fail again: {reason}")
        }
        _ => return Ok(()),
    };
    let help = "to run its scene again, or another, over it: dolmen run SCENE --out DIR --overwrite";
    Err(Failure::input(format!("{text}\n  help: {help}")))
}

/// Steps after which events are written, however long it is to the next sample: so many fit into memory with ease, and
/// writing them takes no time beside finding them.
const PAUSE: u32 = 1 << 14;

/// A run on its way.
struct Run<'a> {
    folder: RunFolder,
    times: Times,
    /// The sample that comes next.
    next: u64,
    clock: Clock,
    watch: Watch,
    /// Time between two checkpoints; none if none are taken.
    interval: Option<Duration>,
    last_checkpoint: Instant,
    /// What the stages cost, where that is asked for.
    profile: Option<Profile>,
    options: &'a RunOptions,
}

impl<'a> Run<'a> {
    fn new(folder: RunFolder, times: Times, clock: Clock, options: &'a RunOptions) -> Self {
        let interval = match options.checkpoint {
            None => Some(CHECKPOINT_INTERVAL),
            Some(CheckpointInterval::Every(interval)) => Some(interval),
            Some(CheckpointInterval::Off) => None,
        };
        let watch = Watch::new(options.quiet, times.end);
        Self {
            folder,
            times,
            next: 0,
            clock,
            watch,
            interval,
            last_checkpoint: Instant::now(),
            profile: None,
            options,
        }
    }

    /// Takes all samples and ends the run, whatever becomes of it.
    fn follow(mut self, simulation: Result<Simulation, Stop>, found: &Found) -> Result<(), Failure> {
        let outcome = match simulation {
            Ok(mut simulation) => {
                for note in check::moved(&simulation) {
                    tell!("note: {note}");
                }
                simulation.set_clock(profile::nanoseconds);
                simulation.set_interrupt(self.watch.interrupt());
                let end = self.simulate(&mut simulation);
                let end = end.unwrap_or_else(|failure| End::NotWritten { reason: failure.into_text() });
                self.watch.end(end == End::Done);
                self.profile = self.options.profile.then(|| simulation.profile().clone());
                let contact = summary::contact(&simulation, &self.folder.progress().tally);
                let violations = summary::violations(simulation.world(), &self.folder.progress().violations);
                Outcome {
                    end,
                    integration: summary::integration(&simulation),
                    contact,
                    laws: summary::laws(&simulation),
                    violations,
                    stages: summary::stages(&simulation),
                }
            }
            Err(stop) => {
                self.watch.end(false);
                let reason = check::at_place(&found.document, &stop);
                Outcome::of_start(stop, reason)
            }
        };
        self.finish(&outcome)
    }

    /// The same in fixed steps.
    fn follow_fixed(mut self, mut simulation: FixedSimulation, scene: &Scene) -> Result<(), Failure> {
        simulation.keep_events(true);
        let end = self.simulate_fixed(&mut simulation, &run_fixed::bounds(scene));
        let end = end.unwrap_or_else(|failure| End::NotWritten { reason: failure.into_text() });
        self.watch.end(end == End::Done);
        let outcome = run_fixed::outcome(end, &simulation, scene, &self.folder);
        self.finish(&outcome)
    }

    fn simulate_fixed(
        &mut self,
        simulation: &mut FixedSimulation,
        bounds: &StepBounds,
    ) -> Result<End, Failure> {
        let mut sensors = SensorReader::new(simulation.world());
        simulation.keep_accelerations(SensorReader::needs_accelerations(simulation.world()));
        while self.next < self.times.len() {
            let gone = self.advance_fixed(simulation, self.times.at(self.next))?;
            if gone.is_ok() {
                simulation.note_energy_drift();
            }
            let found = run_fixed::untold(simulation, bounds, &self.folder.progress().violations);
            self.folder.write_violations(&found)?;
            let is_there = match gone {
                Ok(is_there) => is_there,
                Err(error) => return Ok(run_fixed::stopped(error, simulation.time())),
            };
            let read = Readings::of(simulation, simulation.contact_forces(), &mut sensors);
            self.folder.write(&simulation.sample(), &read.carried())?;
            if !is_there {
                return Ok(Stop { t: simulation.time(), reason: Reason::Interrupted }.into());
            }
            self.next += 1;
            if self.is_checkpoint_due() && self.next < self.times.len() {
                self.save(|| simulation.snapshot())?;
            }
        }
        Ok(End::Done)
    }

    /// Goes on to `t` and writes the events on the way; false if it was interrupted.
    fn advance_fixed(
        &mut self,
        simulation: &mut FixedSimulation,
        t: f64,
    ) -> Result<Result<bool, FixedError>, Failure> {
        loop {
            if self.watch.is_interrupted() {
                self.save(|| simulation.snapshot())?;
                return Ok(Ok(false));
            }
            let mut steps = 0;
            let mut watch = |t: f64| {
                self.watch.show(t);
                steps += 1;
                steps < PAUSE && !self.watch.is_interrupted() && !self.is_time_up()
            };
            let gone = simulation.advance_while(t, &mut watch);
            let events = simulation.take_events();
            self.folder.write_events(simulation.world(), &events, &[])?;
            match gone {
                Ok(false) => {
                    if self.is_checkpoint_due() {
                        self.save(|| simulation.snapshot())?;
                    }
                }
                other => return Ok(other),
            }
        }
    }

    /// Takes samples until the end or until something stops it.
    fn simulate(&mut self, simulation: &mut Simulation) -> Result<End, Failure> {
        let mut sensors = SensorReader::new(simulation.world());
        while self.next < self.times.len() {
            let go_on = self.advance(simulation, self.times.at(self.next))?;
            let sample = simulation.sample();
            if let Err(stop @ Stop { reason: Reason::Abandoned, .. }) = &go_on {
                // The state is that of an event half done: no sample.
                return Ok(stop.clone().into());
            }
            if let Err(stop) = &go_on
                && self.folder.is_waiting()
                && sample.t == 0.0
            {
                // It never began, so the old run stays.
                return Ok(stop.clone().into());
            }
            // A stop brings its own instant, unless that is a sample already.
            let last = self.folder.progress().last.as_ref();
            if go_on.is_ok() || last.is_none_or(|last| last.t < sample.t) {
                let forces = simulation.contact_forces();
                if let Err(stop) = simulation.check_laws_at(&sample, &forces) {
                    return Ok(stop.into());
                }
                let read = Readings::of(simulation, forces, &mut sensors);
                self.folder.write(&sample, &read.carried())?;
                self.folder.write_violations(&simulation.take_violations())?;
            }
            if let Err(stop) = go_on {
                return Ok(stop.into());
            }
            self.next += 1;
            if self.is_checkpoint_due() && self.next < self.times.len() {
                self.save(|| simulation.snapshot())?;
            }
        }
        Ok(End::Done)
    }

    /// Goes on to `t` and writes the events on the way, also those before a stop.
    fn advance(&mut self, simulation: &mut Simulation, t: f64) -> Result<Result<(), Stop>, Failure> {
        loop {
            if self.watch.is_interrupted() {
                // The sample of the stop is not one of those that were asked for: a run that is resumed does not have it.
                self.save(|| simulation.snapshot())?;
                return Ok(Err(Stop { t: simulation.time(), reason: Reason::Interrupted }));
            }
            let mut steps = 0;
            let mut watch = |t: f64| {
                self.watch.show(t);
                steps += 1;
                steps < PAUSE && !self.watch.is_interrupted() && !self.is_time_up()
            };
            let mut happened = Happened::default();
            let go_on = simulation.advance_into(t, &mut happened, &mut watch);
            self.folder.write_happened(simulation.world(), &happened)?;
            match go_on {
                // A pause of our own: results do not hang on how time is cut up.
                Err(Stop { reason: Reason::Interrupted, .. }) => {
                    if self.is_checkpoint_due() {
                        self.save(|| simulation.snapshot())?;
                    }
                }
                other => return Ok(other),
            }
        }
    }

    /// Whether a checkpoint is worth a pause.
    fn is_time_up(&self) -> bool {
        self.interval
            .is_some_and(|interval| !interval.is_zero() && self.last_checkpoint.elapsed() >= interval)
    }

    /// Whether a pause is used for a checkpoint.
    fn is_checkpoint_due(&self) -> bool {
        self.interval.is_some_and(|interval| interval.is_zero()) || self.is_time_up()
    }

    /// Writes a checkpoint; everything up to now is in the tables. None of a run that has not begun.
    fn save(&mut self, snapshot: impl FnOnce() -> Vec<u8>) -> Result<(), Failure> {
        self.last_checkpoint = Instant::now();
        if self.interval.is_none() || self.folder.is_waiting() {
            return Ok(());
        }
        let state = RunState { next: self.next, timing: self.clock.read() };
        self.folder.write_checkpoint(state, snapshot())
    }

    /// Writes the summary and says how it went.
    fn finish(self, outcome: &Outcome) -> Result<(), Failure> {
        let (timing, path) = (self.clock.read(), self.folder.path().display());
        if self.folder.is_waiting() {
            self.folder.forget();
            let reason = outcome.end.reason().unwrap_or("the run has no samples");
            return Err(Failure::stopped(format!("{reason}\n  the run that was in {path} is untouched")));
        }
        let finished = self.folder.finish(outcome, &timing);
        if let End::NotWritten { .. } = outcome.end {
            // The first file that could not be written is the one to tell of.
            return self.report(outcome, &timing);
        }
        finished?;
        if let Some(profile) = &self.profile {
            let cannot = |error| Failure::stopped(format!("cannot write {path}/{}: {error}", profile::NAME));
            profile::write(profile, self.folder.path()).map_err(cannot)?;
            crate::print(&profile::table(profile))?;
        }
        if self.options.also.contains(&TableFormat::Parquet) {
            let record = RunRecord::open(self.folder.path()).map_err(|e| Failure::stopped(e.to_string()))?;
            parquet::write_tables(&record.tables(), self.folder.path())
                .map_err(|error| Failure::stopped(error.to_string()))?;
        }
        self.report(outcome, &timing)
    }

    fn report(&self, outcome: &Outcome, timing: &Timing) -> Result<(), Failure> {
        let (path, progress) = (self.folder.path().display(), self.folder.progress());
        let samples = progress.samples;
        if let Some(reason) = outcome.end.reason() {
            let has_checkpoint = !outcome.end.is_final() && self.folder.has_checkpoint();
            let help = if has_checkpoint {
                format!("\n  to go on: dolmen run --resume {path}")
            } else {
                String::new()
            };
            let told = violated(&outcome.violations);
            let told =
                if told.is_empty() { told } else { format!("\n  before that a law was violated: {told}") };
            return Err(Failure::stopped(format!(
                "{reason}\n  what was computed before is in {path} ({samples} samples){help}{told}"
            )));
        }
        let t = progress.last.as_ref().map_or(0.0, |sample| sample.t);
        let seconds = timing.wall_seconds;
        // Where nothing moves only rounding is in play: the share says little without the joules.
        let (share, error) = (progress.balance.relative(), progress.balance.largest_error);
        let collisions = match outcome.contact["collisions"]["contacts"].as_u64() {
            None | Some(0) => String::new(),
            Some(1) => ", 1 collision".to_owned(),
            Some(n) => format!(", {n} collisions"),
        };
        crate::print(&format!(
            "{} s simulated in {seconds:.3} s, {samples} samples{collisions}; \
             energy balances to {} J, {} of what is in play\n{path}\n",
            check::digits(t),
            check::two_digits(error),
            check::two_digits(share)
        ))?;
        let told = violated(&outcome.violations);
        if told.is_empty() { Ok(()) } else { Err(Failure::violated(format!("violated: {told}"))) }
    }
}

/// Violations on a terminal: the first of each law, and how many more there are.
fn violated(violations: &[Value]) -> String {
    let mut laws: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for violation in violations {
        let law = violation["law"].as_str().unwrap_or_default();
        if !laws.contains(&law) {
            laws.push(law);
            lines.push(violation["text"].as_str().unwrap_or_default().to_owned());
        }
    }
    if violations.len() > lines.len() {
        lines.push(format!("{} in all: see `violations` in summary.json", violations.len()));
    }
    lines.join("\n  ")
}
