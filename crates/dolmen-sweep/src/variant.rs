//! One variant from its scene to its row.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use dolmen::drive::exact::{Reason, Simulation};
use dolmen::math::work::Interrupt;
use dolmen::scene::Document;
use dolmen_verify::cpu_time::CpuTime;
use dolmen_verify::{Probe, Quantity};

use crate::plan::Plan;

/// How a variant ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// At the end, all laws kept.
    Done,
    /// At the end, a law broken on the way.
    Violated,
    /// The motion could not go on.
    Stopped,
    /// The values make no scene, or one that cannot start.
    Refused,
}

impl Status {
    /// As it is in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Violated => "violated",
            Self::Stopped => "stopped",
            Self::Refused => "refused",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Done, Self::Violated, Self::Stopped, Self::Refused].into_iter().find(|s| s.name() == name)
    }
}

/// What a variant came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which one.
    pub variant: usize,
    /// How it ended.
    pub status: Status,
    /// Why it did not end as it should, or why a measure has no number; empty if all is well.
    pub reason: String,
    /// NaN where there is no number.
    pub measures: Vec<f64>,
    /// The time reached, s.
    pub reached: f64,
    /// Events at contacts and in joints.
    pub events: usize,
    /// Time on a processor, s.
    pub cpu: f64,
}

/// A variant at its end, for measures of the caller's.
#[derive(Debug)]
pub struct Finished<'a> {
    /// Which one.
    pub variant: usize,
    /// Its scene.
    pub document: &'a Document,
    /// The folder that files of the scene are relative to.
    pub base: &'a Path,
    /// Where it is.
    pub simulation: Simulation,
}

/// Measures of the caller's: a number for each measure without an expression, in their order. An error is the reason of the row.
pub type Hook<'a> = &'a (dyn Fn(Finished) -> Result<Vec<f64>, String> + Sync);

impl Plan {
    /// Runs a variant. None when it was interrupted.
    pub fn run(&self, variant: usize, interrupt: &Interrupt, hook: Option<Hook>) -> Option<Row> {
        let cpu = CpuTime::start();
        let mut row = Row {
            variant,
            status: Status::Done,
            reason: String::new(),
            measures: vec![f64::NAN; self.quantities.len()],
            reached: 0.0,
            events: 0,
            cpu: 0.0,
        };
        // A mistake of the program in one variant must not take the others with it.
        let ended = catch_unwind(AssertUnwindSafe(|| self.fill(&mut row, interrupt, hook)));
        match ended {
            Ok(Some(())) => {}
            Ok(None) => return None,
            Err(panic) => {
                row.status = Status::Stopped;
                row.reason = format!("a mistake of the program: {}", text_of(panic.as_ref()));
            }
        }
        row.cpu = cpu.seconds();
        Some(row)
    }

    fn fill(&self, row: &mut Row, interrupt: &Interrupt, hook: Option<Hook>) -> Option<()> {
        let refuse = |row: &mut Row, text: String| {
            (row.status, row.reason) = (Status::Refused, text.trim_end().to_owned());
            Some(())
        };
        let document = match self.document(row.variant) {
            Ok(document) => document,
            Err(errors) => return refuse(row, errors.to_string()),
        };
        let world = match document.build(&self.base) {
            Ok(world) => world,
            Err(errors) => return refuse(row, errors.to_string()),
        };
        let quantities: Vec<Quantity> = self.quantities.iter().flatten().cloned().collect();
        if let Some(text) = quantities.iter().find_map(|quantity| quantity.check(&world).err()) {
            return refuse(row, text);
        }
        let mut probe = match Probe::start(world, &quantities, Some(interrupt)) {
            Ok(probe) => probe,
            Err(stop) => {
                let errors = document.errors_at(&stop.bodies(), stop.joint(), &stop.to_string());
                return refuse(row, errors.to_string());
            }
        };
        let samples = if self.gathers { self.spec.samples } else { 1 };
        for i in 1..=samples {
            let share = f64::from(i) / f64::from(samples);
            probe.advance(if i == samples { self.until } else { self.until * share });
        }
        if interrupt.is_raised() {
            return None;
        }
        row.reached = probe.simulation().time();
        row.events = probe.simulation().events().len() + probe.simulation().joint_events().len();
        if let Some(why) = probe.given_up() {
            row.status = Status::Stopped;
            row.reason = match probe.stop().map(|stop| &stop.reason) {
                Some(Reason::Interrupted) => why,
                _ => probe.stop().map_or(why, ToString::to_string),
            };
            return Some(());
        }
        if let Err(stop) = probe.simulation().check_laws() {
            (row.status, row.reason) = (Status::Stopped, stop.to_string());
            return Some(());
        }
        let violations = probe.simulation().take_violations();
        if let Some(violation) = violations.first() {
            row.status = Status::Violated;
            row.reason = violation.describe(probe.simulation().world());
        }
        for (k, quantity) in self.quantities.iter().enumerate() {
            let Some(quantity) = quantity else { continue };
            match probe.value(quantity) {
                Ok(number) => row.measures[k] = number,
                Err(text) => note(row, &format!("{}: {text}", self.spec.measures[k].name)),
            }
        }
        if let Some(hook) = hook
            && self.quantities.iter().any(Option::is_none)
        {
            let simulation = probe.into_simulation();
            let finished =
                Finished { variant: row.variant, document: &document, base: &self.base, simulation };
            let own = self.quantities.iter().enumerate().filter(|(_, quantity)| quantity.is_none());
            match hook(finished) {
                Ok(numbers) => {
                    for ((k, _), number) in own.zip(numbers) {
                        row.measures[k] = number;
                    }
                }
                Err(text) => note(row, &text),
            }
        }
        Some(())
    }
}

/// Adds why a measure has no number.
fn note(row: &mut Row, text: &str) {
    if !row.reason.is_empty() {
        row.reason.push_str("; ");
    }
    row.reason.push_str(text);
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason is given".to_owned())
}
