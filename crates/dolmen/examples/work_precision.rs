//! Error over processor time for A03 and A20 as the tolerance goes from 1e-3 to 1e-12, by integration and in closed form.
//!
//! `cargo run --release -p dolmen --example work_precision -- [FOLDER]` writes `work-precision.csv` and
//! `work-precision.svg` there.

use std::fmt::Write;
use std::path::Path;

use dolmen::integrate::Method;
use dolmen::math::real;
use dolmen::prelude::*;

#[path = "../../dolmen-verify/src/cpu_time.rs"]
#[allow(unreachable_pub, reason = "a module of another crate")]
mod cpu_time;
#[path = "support/log_plot.rs"]
mod log_plot;
use cpu_time::CpuTime;
use log_plot::{Series, log_plot};

type Failure = Box<dyn std::error::Error>;

/// A scene with a closed-form answer: its file, how long it runs, and its relative error.
struct Case {
    name: &'static str,
    file: &'static str,
    end: f64,
    error: fn(&mut Simulation) -> f64,
}

/// The last of the first 80 bounces: t = t₁ (1 + 2 Σ εᵏ), t₁ = √(2h/g). [CASES A03]
fn error_a03(simulation: &mut Simulation) -> f64 {
    let mut expected = (2.0_f64 / 9.81).sqrt();
    let mut flight = 2.0 * expected;
    let mut worst = 0.0_f64;
    for event in simulation.events().iter().take(80) {
        worst = worst.max((event.t / expected - 1.0).abs());
        flight *= 0.9;
        expected += flight;
    }
    worst
}

/// The height at 20 s. [CASES A20]
fn error_a20(simulation: &mut Simulation) -> f64 {
    let g = 9.81;
    let first = (2.0 * 4.9_f64 / g).sqrt();
    let since = 20.0 - first - 9.0 * 2.0 * first;
    let expected = 0.1 + g * first * since - 0.5 * g * since * since;
    let world = simulation.world();
    let ids = world.body_ids().filter(|id| world.body(*id).is_dynamic());
    ids.map(|id| (simulation.pose(id).position.z / expected - 1.0).abs()).fold(0.0, f64::max)
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let cases = [
        Case { name: "A03", file: "bouncing-ball", end: 10.0, error: error_a03 },
        Case { name: "A20", file: "a20-bouncing", end: 20.0, error: error_a20 },
    ];
    let mut table = "case,method,tolerance,cpu_s,relative_error\n".to_owned();
    let mut all = Vec::new();
    for case in &cases {
        let world = Document::load(scenes.join(format!("{}.toml", case.file)))?.build(&scenes)?;
        let methods = [(Method::Dop853, "Dop853", false), (Method::Dop853, "closed form", true)];
        for (method, how, closed_form) in methods {
            let mut points = Vec::new();
            for digits in 3..=12_u32 {
                let tolerance = 1.0 / real::powi(10.0, digits);
                let mut world = world.clone();
                let mut settings = world.settings().clone();
                settings.closed_form = closed_form;
                settings.integrator.method = method.clone();
                settings.integrator.relative = tolerance;
                world.set_settings(settings)?;
                let mut runs = 0;
                let mut error = 0.0;
                let started = CpuTime::start();
                while runs < 3 || started.seconds() < 0.05 {
                    let mut simulation = Simulation::new(world.clone())?;
                    simulation.advance(case.end)?;
                    error = (case.error)(&mut simulation);
                    runs += 1;
                }
                let seconds = started.seconds() / f64::from(runs);
                writeln!(table, "{},{how},{tolerance:e},{seconds:.3e},{error:.3e}", case.name)?;
                println!("{} {how:12} {tolerance:7.0e}  {seconds:.3e} CPU s  error {error:.1e}", case.name);
                // An error of none is drawn at half a rounding.
                points.push((seconds, error.max(0.5 * f64::EPSILON)));
            }
            all.push(Series { name: format!("{}, {how}", case.name), points });
        }
    }
    let title = "A03 and A20: error over processor time, tolerance 1e-3 to 1e-12";
    let picture = log_plot(title, ("processor time, s", "relative error"), &all);
    std::fs::write(Path::new(&folder).join("work-precision.csv"), table)?;
    std::fs::write(Path::new(&folder).join("work-precision.svg"), picture)?;
    Ok(())
}
