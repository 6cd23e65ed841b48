//! How a rotation matrix and a quaternion drift from rotations in steps of RK4, as they are and renormalised: a table with a column for
//! each, and a figure. [NOTES I; SLIDES]
//!
//! `cargo run --release -p dolmen --example orientation_drift -- [FOLDER]` writes `orientation-drift.csv` and `orientation-drift.svg` there.

use std::fmt::Write;
use std::path::Path;

#[path = "support/log_plot.rs"]
mod log_plot;
use dolmen::prelude::*;
use log_plot::{Series, log_plot};

/// How orientation is carried, and whether it is renormalised after every step.
const FORMS: [(&str, bool); 4] =
    [("matrix", false), ("quaternion", false), ("matrix", true), ("quaternion", true)];
const STEP: f64 = 0.02;
const STEPS: u32 = 400;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut runs = Vec::new();
    for (form, renormalise) in FORMS {
        let changes = [
            "integrator.closed_form=false".to_owned(),
            "integrator.method=rk4".to_owned(),
            format!("integrator.step={STEP}"),
            format!("integrator.orientation={form}"),
            format!("integrator.renormalise={renormalise}"),
            "laws.ledger=1e9".to_owned(),
        ];
        let document = Document::load_with(scenes.join("tumbling-block.toml"), &changes)?;
        runs.push(Simulation::new(document.build(&scenes)?)?);
    }
    let mut table = "t,matrix,quaternion,matrix_renormalised,quaternion_renormalised\n".to_owned();
    let mut all: Vec<Series> = FORMS
        .iter()
        .map(|(form, renormalise)| {
            let name = if *renormalise { format!("{form}, renormalised") } else { (*form).to_owned() };
            Series { name, points: Vec::new() }
        })
        .collect();
    for i in 1..=STEPS {
        let t = STEP * f64::from(i);
        write!(table, "{t:.2}")?;
        for (run, series) in runs.iter_mut().zip(&mut all) {
            run.advance(t)?;
            let block = run.world().find_body("block").ok_or("no block")?;
            let drift = run.rotation_defect(block);
            write!(table, ",{drift:e}")?;
            // A logarithm knows no zero: what is none is drawn at half a rounding.
            series.points.push((t, drift.max(0.5 * f64::EPSILON)));
        }
        table.push('\n');
        if i % 100 == 0 {
            println!("{}", table.lines().last().unwrap_or_default());
        }
    }
    let title = "How far orientations are from rotations (tumbling block, RK4, steps of 0.02 s)";
    let picture = log_plot(title, ("time, s", "largest entry of R Rᵀ − 1, or ||q| − 1|"), &all);
    std::fs::write(Path::new(&folder).join("orientation-drift.csv"), table)?;
    std::fs::write(Path::new(&folder).join("orientation-drift.svg"), picture)?;
    Ok(())
}
