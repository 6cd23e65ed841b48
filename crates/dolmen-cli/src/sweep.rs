//! `dolmen sweep`: many variants of a scene, one table.

use std::path::Path;
use std::thread;

use dolmen_sweep::{Design, Measure, Plan, Scene, Spec, Summary, SweepError};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{RunOptions, SweepOptions};
use crate::built_in;
use crate::failure::Failure;
use crate::plot;
use crate::run;
use crate::watch::catch_signals;

/// Runs all variants that the folder does not hold yet, and says how they ended.
pub(crate) fn sweep(options: &SweepOptions) -> Result<(), Failure> {
    let found = built_in::find(&options.scene)?;
    let (vary, design) = match (&options.parameters, options.random, options.latin) {
        (Some(file), _, _) => {
            let (keys, rows) = dolmen_sweep::read_parameters(file).map_err(failed)?;
            (keys, Design::Rows { rows })
        }
        (None, Some(count), _) => (options.vary.clone(), Design::Random { count, seed: options.seed }),
        (None, None, Some(count)) => (options.vary.clone(), Design::Latin { count, seed: options.seed }),
        (None, None, None) => (options.vary.clone(), Design::Grid),
    };
    let source = found.document.sources().first();
    let scene = Scene {
        name: source.map_or_else(|| found.name.clone(), |source| source.name.clone()),
        text: source.map_or_else(String::new, |source| source.text.clone()),
        set: options.scene.set.clone(),
    };
    let measures = options.measure.iter().map(|text| Measure::parse(text)).collect();
    let spec = Spec {
        scene,
        vary,
        design,
        measures,
        until: options.time.map(|time| format!("{time:?}")),
        samples: options.samples,
    };
    let plan = Plan::new(spec, &found.base, built_in::reading(&options.scene)).map_err(failed)?;
    if let Some(variant) = options.keep.iter().find(|variant| **variant >= plan.variants()) {
        let last = plan.variants() - 1;
        return Err(Failure::input(format!("--keep {variant}: the last variant is {last}")));
    }
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.unwrap_or_else(processors);
    if jobs == 0 {
        return Err(Failure::input("--jobs 0: give at least one"));
    }
    let bar = if options.quiet { ProgressBar::hidden() } else { ProgressBar::new(plan.variants() as u64) };
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len} variants  {per_sec}  {elapsed} (left: {eta})");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let interrupt = catch_signals();
    let done = dolmen_sweep::run(&plan, &options.out, jobs, &interrupt, None, &|n| bar.inc(n as u64));
    let summary = match done {
        Ok(summary) => summary,
        Err(error) => {
            bar.abandon();
            return Err(failed(error));
        }
    };
    bar.finish_and_clear();
    for variant in &options.keep {
        let folder = options.out.join(dolmen_sweep::RUNS).join(format!("{variant:06}"));
        let kept = RunOptions::quiet(&options.scene, plan.overrides(*variant), plan.until(), folder);
        // What stopped the variant stops its run, and is told below.
        if let Err(Failure::Input(text)) = run::run(&kept) {
            return Err(Failure::Input(text));
        }
    }
    crate::print(&format!("{}\n{}\n", told(&summary), options.out.display()))?;
    ended(&summary)
}

/// Draws the figures of a sweep.
pub(crate) fn draw(folder: &Path, out: &Path) -> Result<(), Failure> {
    let table = dolmen_sweep::read(folder).map_err(failed)?;
    let spec = dolmen_sweep::spec(folder).map_err(failed)?;
    let files =
        plot::sweep::figures(&spec, &table, out).map_err(|error| Failure::input(error.to_string()))?;
    let list: Vec<String> = files.iter().map(|file| format!("{}\n", file.display())).collect();
    crate::print(&list.concat())
}

fn told(summary: &Summary) -> String {
    let counts = [
        (summary.violated, "broke a law"),
        (summary.stopped, "could not go on"),
        (summary.refused, "refused"),
    ];
    let others =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    format!("{} variants: {} done{}", summary.variants, summary.done, others.collect::<String>())
}

/// Code 1 before code 3: a variant without a result is worse than one with a doubtful one.
fn ended(summary: &Summary) -> Result<(), Failure> {
    let first = |(variant, reason): &(u64, String)| format!("variant {variant}: {reason}");
    let reasons: Vec<String> = summary.reasons.iter().map(first).collect();
    let text =
        format!("{}\n  {}\n  the column `reason` has all of them", told(summary), reasons.join("\n  "));
    match (summary.stopped + summary.refused, summary.violated) {
        (0, 0) => Ok(()),
        (0, _) => Err(Failure::violated(text)),
        _ => Err(Failure::stopped(text)),
    }
}

fn failed(error: SweepError) -> Failure {
    match error {
        SweepError::Input(text) => Failure::input(text),
        other => Failure::stopped(other.to_string()),
    }
}
