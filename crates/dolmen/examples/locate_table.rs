//! Error and cost of the ways to the time of a collision, beside root finding: the table of `docs/times-of-collision.md`.
//!
//! `cargo run --release -p dolmen --example locate_table`

use std::path::Path;

use dolmen::drive::intro::{IntroSettings, IntroSimulation, LocateRule};
use dolmen::prelude::*;

/// A scene, what is changed in it, and what the table calls it.
const SCENES: [(&str, &[&str], &str); 3] = [
    ("bouncing-ball", &[], "`bouncing-ball`"),
    ("bouncing-domino", &[], "`bouncing-domino`"),
    ("bouncing-domino", &["body.domino.spin=[30,40,20]"], "the same, spinning at 54 rad/s"),
];
const STEPS: [f64; 3] = [0.02, 0.01, 0.005];
const RULES: [(LocateRule, &str); 3] = [
    (LocateRule::Backstep, "backstep"),
    (LocateRule::Bisection, "bisection"),
    (LocateRule::Prediction, "prediction"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    println!(
        "| scene | step, s | way | error of the first instant, s | trials a contact |\n|---|--:|---|--:|--:|"
    );
    for (scene, changes, title) in SCENES {
        let changes: Vec<String> = changes.iter().map(|text| (*text).to_owned()).collect();
        let document = Document::load_with(folder.join(format!("{scene}.toml")), &changes)?;
        let mut exact = Simulation::new(document.build(&folder)?)?;
        let end = document.scene().run.as_ref().and_then(|run| run.duration).unwrap_or(1.0);
        exact.advance(end)?;
        let first = exact.events().first().ok_or("no collision")?.t;
        println!("| {title} | – | root finding (the exact driver) | 0: {first} s | – |");
        for step in STEPS {
            for (locate, name) in RULES {
                let settings = IntroSettings { step, locate, ..IntroSettings::default() };
                let mut simulation = IntroSimulation::new(document.build(&folder)?, settings)?;
                while simulation.last_collision().is_none() && simulation.time() < end {
                    simulation.advance(simulation.time() + step)?;
                }
                // A step may have several contacts.
                let t = simulation.take_events().first().map_or(f64::NAN, |event| event.t);
                let trials = simulation.statistics().back_steps / simulation.collision_instants().max(1);
                println!("| {title} | {step} | {name} | {:.1e} | {trials} |", (t - first).abs());
            }
        }
    }
    Ok(())
}
