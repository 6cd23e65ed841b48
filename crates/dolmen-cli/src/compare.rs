//! `dolmen compare`: fixed steps beside the exact driver on one scene.
//!
//! Both start from the same world and are looked at at the same times, multiples of the longest step. The error of positions is the largest
//! distance of any body from where the exact driver has it, that of velocities likewise. The time of an event is that of the first touch of
//! two bodies. Where motion is chaotic, errors grow to the size of the scene whatever the step; the table shows from when on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use dolmen::drive::exact::Simulation;
use dolmen::drive::fixed::{FixedSettings, FixedSimulation};
use dolmen::record::{Event, EventKind, Sample};
use dolmen::scene::typed::StepLength;
use dolmen::world::{BodyId, World};
use serde_json::{Value, json};

use crate::args::CompareOptions;
use crate::built_in::{self, Found};
use crate::failure::Failure;
use crate::plot;

/// More looks than this are refused: both drivers are kept in memory.
const MOST_SAMPLES: u64 = 1_000_000;

/// What is compared, with its unit.
pub(crate) const KINDS: [(&str, &str); 4] =
    [("position", "m"), ("velocity", "m/s"), ("energy", "J"), ("time", "s")];

/// The errors of one step.
pub(crate) struct Errors {
    /// As it was given.
    pub(crate) name: String,
    /// s.
    pub(crate) step: f64,
    /// Of position, velocity and energy, at each time.
    pub(crate) over_time: Vec<[f64; 3]>,
    /// Of first touches: the largest difference, s; how many were found by both, and by only one.
    time: f64,
    both: usize,
    one: usize,
    /// Of the run, s.
    seconds: f64,
    overlap: f64,
    drift: f64,
}

impl Errors {
    /// The largest of each kind.
    fn largest(&self) -> [f64; 4] {
        let of = |k: usize| self.over_time.iter().map(|errors| errors[k]).fold(0.0, f64::max);
        [of(0), of(1), of(2), self.time]
    }
}

/// Runs both, tells the errors of each step, and the longest step that is good enough.
pub(crate) fn compare(options: &CompareOptions) -> Result<(), Failure> {
    let steps = steps(&options.steps)?;
    let tolerance = tolerance(&options.tolerance)?;
    let found = built_in::find(&options.scene)?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    let world = Arc::new(world);
    let times = times(options, &found, steps[0].1)?;
    let began = Instant::now();
    let (samples, touches) = exact(&world, &times)?;
    let seconds = began.elapsed().as_secs_f64();
    let base = found.document.scene().run.as_ref().map_or_else(FixedSettings::default, FixedSettings::from);
    let mut all = Vec::new();
    for (name, step) in steps {
        let settings = FixedSettings { step, ..base };
        all.push(fixed(&world, settings, name, &times, (&samples, &touches))?);
    }
    let good = tolerance.iter().any(Option::is_some).then(|| {
        let meets = |errors: &Errors| {
            errors
                .largest()
                .iter()
                .zip(&tolerance)
                .all(|(error, bound)| bound.is_none_or(|bound| *error <= bound))
        };
        all.iter().find(|errors| meets(errors))
    });
    crate::print(&table(&all, seconds))?;
    if let Some(out) = &options.out {
        write(out, &found.name, &times, &all, seconds, good.flatten())?;
    }
    match good {
        None => Ok(()),
        Some(Some(errors)) => {
            crate::print(&format!("\nthe longest step that meets the tolerance: {} s\n", errors.name))
        }
        Some(None) => Err(Failure::violated(
            "violated: no step meets the tolerance; give shorter --steps, more sub-steps (--set run.substeps=16), or a wider \
             --tolerance",
        )),
    }
}

/// The steps with their names, the longest first.
fn steps(texts: &[String]) -> Result<Vec<(String, f64)>, Failure> {
    let mut steps = Vec::new();
    for text in texts {
        let seconds = StepLength::Fraction(text.trim().to_owned()).seconds();
        let step = seconds.filter(|step| step.is_finite() && *step > 0.0);
        let Some(step) = step else {
            return Err(Failure::input(format!(
                "--steps {text}: give seconds above zero, as a number or a fraction such as 1/120"
            )));
        };
        FixedSettings { step, ..FixedSettings::default() }
            .check()
            .map_err(|error| Failure::input(format!("--steps {text}: {error}")))?;
        steps.push((text.trim().to_owned(), step));
    }
    steps.sort_by(|a, b| b.1.total_cmp(&a.1));
    steps.dedup_by(|a, b| a.1 == b.1);
    if steps.is_empty() {
        return Err(Failure::input("--steps: give at least one step"));
    }
    Ok(steps)
}

/// The bound of each kind that has one.
fn tolerance(texts: &[String]) -> Result<[Option<f64>; 4], Failure> {
    let mut bounds = [None; 4];
    for text in texts {
        let parsed = text.split_once('=').and_then(|(kind, value)| {
            let place = KINDS.iter().position(|(name, _)| *name == kind.trim())?;
            let value: f64 = value.trim().parse().ok()?;
            (value >= 0.0 && value.is_finite()).then_some((place, value))
        });
        let Some((place, value)) = parsed else {
            return Err(Failure::input(format!(
                "--tolerance {text}: give position=M, velocity=M/S, energy=J or time=S, zero or more"
            )));
        };
        bounds[place] = Some(value);
    }
    Ok(bounds)
}

/// Multiples of the longest step, at least as many as were asked for if there are so many steps.
fn times(options: &CompareOptions, found: &Found, longest: f64) -> Result<Vec<f64>, Failure> {
    let run = found.document.scene().run.clone().unwrap_or_default();
    let end = options.duration.or(run.duration).or(run.times.and_then(|times| times.last().copied()));
    let Some(end) = end else {
        return Err(Failure::input("how long? give --for SECONDS, or a `duration` under [run] in the scene"));
    };
    if !(end.is_finite() && end > 0.0) {
        return Err(Failure::input(format!("--for {end}: give a finite number of seconds above zero")));
    }
    if !(1..=MOST_SAMPLES).contains(&options.samples) {
        let given = options.samples;
        return Err(Failure::input(format!("--samples {given}: give from 1 to {MOST_SAMPLES}")));
    }
    let steps = (end / longest).round().max(1.0);
    let stride = (steps / options.samples as f64).floor().max(1.0);
    let count = (steps / stride).floor() as u64;
    if count > MOST_SAMPLES {
        return Err(Failure::input(format!(
            "--for {end}: that are more than {MOST_SAMPLES} samples; give less"
        )));
    }
    Ok((0..=count).map(|k| k as f64 * stride * longest).collect())
}

/// When two bodies touched first, by the pair.
type Touches = BTreeMap<[BodyId; 2], f64>;

fn note(touches: &mut Touches, events: &[Event]) {
    for event in events {
        if matches!(
            event.kind,
            EventKind::Collision
                | EventKind::Settled
                | EventKind::Rest
                | EventKind::Slide
                | EventKind::Overlap
        ) {
            touches.entry(event.bodies).or_insert(event.t);
        }
    }
}

fn exact(world: &Arc<World>, times: &[f64]) -> Result<(Vec<Sample>, Touches), Failure> {
    let told = |stop: dolmen::drive::exact::Stop| Failure::stopped(format!("the exact driver: {stop}"));
    let mut simulation = Simulation::new(Arc::clone(world)).map_err(told)?;
    let (mut samples, mut touches) = (Vec::with_capacity(times.len()), Touches::new());
    for t in times {
        simulation.advance(*t).map_err(told)?;
        note(&mut touches, &simulation.take_events());
        simulation.take_joint_events();
        samples.push(simulation.sample());
    }
    Ok((samples, touches))
}

fn fixed(
    world: &Arc<World>,
    settings: FixedSettings,
    name: String,
    times: &[f64],
    (samples, touches): (&[Sample], &Touches),
) -> Result<Errors, Failure> {
    let began = Instant::now();
    let mut simulation = FixedSimulation::new(Arc::clone(world), settings)
        .map_err(|error| Failure::input(error.to_string()))?;
    simulation.keep_events(true);
    let mut found = Touches::new();
    let mut over_time = Vec::with_capacity(times.len());
    for (t, exact) in times.iter().zip(samples) {
        let gone = simulation.advance(*t);
        gone.map_err(|error| Failure::stopped(format!("fixed steps of {name} s: {error}")))?;
        simulation.note_energy_drift();
        note(&mut found, &simulation.take_events());
        over_time.push(difference(&simulation.sample(), exact));
    }
    let mut time = 0.0_f64;
    let mut both = 0;
    for (pair, t) in touches {
        if let Some(other) = found.get(pair) {
            time = time.max((t - other).abs());
            both += 1;
        }
    }
    let statistics = simulation.statistics();
    Ok(Errors {
        name,
        step: settings.step,
        over_time,
        time,
        both,
        one: touches.len() + found.len() - 2 * both,
        seconds: began.elapsed().as_secs_f64(),
        overlap: statistics.worst_overlap,
        drift: statistics.worst_energy_drift,
    })
}

fn difference(fixed: &Sample, exact: &Sample) -> [f64; 3] {
    let (mut position, mut velocity) = (0.0_f64, 0.0_f64);
    for ((pose, twist), (true_pose, true_twist)) in fixed.bodies.iter().zip(&exact.bodies) {
        position = position.max((pose.position - true_pose.position).length());
        velocity = velocity.max((twist.velocity - true_twist.velocity).length());
    }
    [position, velocity, (fixed.ledger.total() - exact.ledger.total()).abs()]
}

fn table(all: &[Errors], exact_seconds: f64) -> String {
    let mut text = String::from(
        "step        position  velocity  energy    time      pairs found  overlap   drift     run\n\
         s           m         m/s       J         s         both/one     m         J         s\n",
    );
    for errors in all {
        let [position, velocity, energy, time] = errors.largest();
        let pairs = format!("{}/{}", errors.both, errors.one);
        let _ = writeln!(
            text,
            "{:<11} {position:<9.2e} {velocity:<9.2e} {energy:<9.2e} {time:<9.2e} {pairs:<12} {:<9.2e} {:<9.2e} {:.3}",
            errors.name, errors.overlap, errors.drift, errors.seconds
        );
    }
    text + &format!("exact{:>83}{exact_seconds:.3}\n", "")
}

/// The largest errors of each step, as JSON.
fn summary(scene: &str, all: &[Errors], exact_seconds: f64, good: Option<&Errors>) -> Value {
    let rows: Vec<Value> = all
        .iter()
        .map(|errors| {
            let [position, velocity, energy, time] = errors.largest();
            json!({
                "step": errors.step,
                "position": position,
                "velocity": velocity,
                "energy": energy,
                "time": time,
                "pairs_found_by_both": errors.both,
                "pairs_found_by_one": errors.one,
                "worst_overlap": errors.overlap,
                "worst_energy_drift": errors.drift,
                "seconds": errors.seconds,
            })
        })
        .collect();
    json!({
        "scene": scene,
        "exact_seconds": exact_seconds,
        "steps": rows,
        "longest_good_step": good.map(|errors| errors.step),
    })
}

fn write(
    out: &Path,
    scene: &str,
    times: &[f64],
    all: &[Errors],
    exact_seconds: f64,
    good: Option<&Errors>,
) -> Result<(), Failure> {
    let cannot = |path: &Path, error: &dyn std::fmt::Display| {
        Failure::stopped(format!("cannot write {}: {error}", path.display()))
    };
    std::fs::create_dir_all(out).map_err(|error| cannot(out, &error))?;
    let mut rows = String::from("step,t,position,velocity,energy\n");
    for errors in all {
        for (t, [position, velocity, energy]) in times.iter().zip(&errors.over_time) {
            let _ = writeln!(rows, "{:?},{t:?},{position:?},{velocity:?},{energy:?}", errors.step);
        }
    }
    let file = out.join("compare.csv");
    std::fs::write(&file, rows).map_err(|error| cannot(&file, &error))?;
    let file = out.join("compare.json");
    let text = format!("{:#}\n", summary(scene, all, exact_seconds, good));
    std::fs::write(&file, text).map_err(|error| cannot(&file, &error))?;
    plot::compare::figures(scene, times, all, out).map_err(|error| Failure::stopped(error.to_string()))?;
    crate::print(&format!("{}\n", out.display()))
}
