//! When samples of a run are taken.

use dolmen::scene::Scene;

use crate::args::SamplingOptions;
use crate::check::digits;
use crate::failure::Failure;

/// Samples of a run whose scene does not say how many.
const SAMPLES: u64 = 101;
/// More samples than this are refused: at a hundred bytes a row that is a disk, not a table.
const MOST_SAMPLES: u64 = 100_000_000;

/// The longest run, s: there will be stars for less.
const LONGEST: f64 = 1e21;

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
    pub(crate) fn new(options: &SamplingOptions, scene: &Scene) -> Result<Self, Failure> {
        let run = scene.run.clone().unwrap_or_default();
        let listed = run.times.as_ref().and_then(|times| times.last().copied());
        let Some(end) = options.duration.or(run.duration).or(listed) else {
            return Err(Failure::input(
                "how long? give --for SECONDS, or a `duration` under [run] in the scene",
            ));
        };
        if !(0.0..=LONGEST).contains(&end) {
            return Err(Failure::input(format!(
                "--for {end:?}: give a number of seconds from 0 to {LONGEST:e}"
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
            let count = match times.kind {
                // There may be more than can be counted.
                Kind::Every(step) => times.end / step,
                _ => times.len() as f64,
            };
            return Err(Failure::input(format!(
                "{} samples are not from 1 to {MOST_SAMPLES:e}\n  help: give --samples N, or a longer --every",
                digits(count)
            )));
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
