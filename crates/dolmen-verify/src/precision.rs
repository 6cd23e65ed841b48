//! Work and precision: how the error of a quantity falls with the tolerance, and what that costs.

use crate::case::{Case, MOST_STEPS, Run, SAMPLES, Subject};
use crate::cpu_time::CpuTime;
use crate::expression::{Variables, evaluate};
use crate::suite::{in_parallel, started};

/// A point of the plot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    /// The relative tolerance.
    pub(crate) tolerance: f64,
    /// Relative to the size of the quantity.
    pub(crate) error: f64,
    /// Processor time, s.
    pub(crate) cpu_time: f64,
}

/// Error over work for one case.
#[derive(Debug, Clone)]
pub(crate) struct WorkPrecision {
    /// The id of the case.
    pub(crate) case: String,
    /// What was measured.
    pub(crate) quantity: String,
    /// From the loosest tolerance to the tightest.
    pub(crate) points: Vec<Point>,
}

/// 1e-3 … 1e-12.
const TOLERANCES: std::ops::RangeInclusive<i32> = 3..=12;

/// Runs are repeated until they took this long together, s, so that short ones are timed as well.
const LONG_ENOUGH: f64 = 0.05;

/// At most so often.
const MOST_REPEATS: u32 = 1 << 12;

/// For all cases that have a quantity for it.
pub(crate) fn measure(cases: &[&Case], threads: Option<usize>) -> Vec<WorkPrecision> {
    let chosen: Vec<&&Case> = cases.iter().filter(|case| case.precision.is_some()).collect();
    let found = in_parallel(chosen.len(), threads, |i| of_case(chosen[i]));
    found.into_iter().flatten().filter(|found| found.points.len() > 1).collect()
}

fn of_case(case: &Case) -> Option<WorkPrecision> {
    let precision = case.precision.as_ref()?;
    let points = TOLERANCES.filter_map(|digits| at_tolerance(case, digits)).collect();
    Some(WorkPrecision { case: case.id.clone(), quantity: precision.quantity.text.clone(), points })
}

fn at_tolerance(case: &Case, digits: i32) -> Option<Point> {
    let precision = case.precision.as_ref()?;
    let Subject::Scene { name, text, folder } = &case.subject else { return None };
    let mut set = precision.set.clone();
    set.push(format!("accuracy.tolerance=1e-{digits}"));
    let run = Run {
        name: String::new(),
        set,
        until: precision.time,
        samples: SAMPLES,
        most_steps: MOST_STEPS,
        known: None,
        variables: Variables::default(),
        problem: None,
        expectations: Vec::new(),
    };
    let (mut scene, end) = started(name, text, folder, &run, &run.variables).ok()?;
    scene.wish(&precision.quantity);
    scene.look();
    let start = scene.simulation.clone();
    scene.advance(end);
    scene.look();
    if scene.stop.is_some() {
        return None;
    }
    let got = evaluate(&precision.quantity.node, &mut scene, &run.variables).ok()?;
    let wanted = evaluate(&precision.value.node, &mut scene, &run.variables).ok()?;
    let size = wanted.size();
    let error = got.distance(&wanted).ok()? / if size > 0.0 { size } else { 1.0 };
    // The clock of the processor is coarse: twice as many runs until they are long enough.
    let (mut repeats, mut spent) = (1_u32, 0.0);
    while spent < LONG_ENOUGH && repeats < MOST_REPEATS {
        repeats *= 2;
        let clock = CpuTime::start();
        for _ in 0..repeats {
            start.clone().advance(end).ok()?;
        }
        spent = clock.seconds();
    }
    let tolerance = format!("1e-{digits}").parse().ok()?;
    Some(Point { tolerance, error, cpu_time: spent / f64::from(repeats) })
}
