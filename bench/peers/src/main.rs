//! Runs scenes in Dolmen's fixed-step driver and in other engines, and prints time and quality of each.
//!
//! `peers [--seed N] [--steps N] [--only ENGINE] [SCENE …]`

mod engine;
mod judge;
mod scene;

use std::time::Instant;

use dolmen::drive::fixed::Precision;
use engine::{Dolmen, Engine, Rapier};
use judge::Judge;
use scene::{NAMES, Scene};

/// Steps that are not timed.
const WARM_UP: usize = 60;
/// Steps between two looks of the judge.
const LOOK: usize = 20;

const ENGINES: [&str; 4] = ["dolmen-f32", "dolmen-f32-2t", "dolmen-f64", "rapier-f32x8"];

fn engine(name: &str, scene: &Scene) -> Box<dyn Engine> {
    match name {
        "dolmen-f32" => Box::new(Dolmen::new(scene, Precision::F32, 1)),
        "dolmen-f32-2t" => Box::new(Dolmen::new(scene, Precision::F32, 2)),
        "dolmen-f64" => Box::new(Dolmen::new(scene, Precision::F64, 1)),
        _ => Box::new(Rapier::new(scene)),
    }
}

fn main() {
    let (mut seed, mut steps, mut only, mut names) = (1, None, Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    let number = |value: Option<String>| value.and_then(|v| v.parse::<u64>().ok());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seed" => seed = number(arguments.next()).unwrap_or(1),
            "--steps" => steps = number(arguments.next()).map(|n| n as usize),
            "--only" => only.extend(arguments.next()),
            name if NAMES.contains(&name) => names.push(name.to_owned()),
            other => {
                eprintln!("no scene {other}; there are {}", NAMES.join(", "));
                std::process::exit(2);
            }
        }
    }
    if names.is_empty() {
        names = NAMES.iter().map(ToString::to_string).collect();
    }
    println!(
        "{:<10} {:<14} {:>9} {:>9} {:>11} {:>11} {:>9} {:>5}",
        "scene", "engine", "ms/step", "slowest", "overlap mm", "joint mm", "sunk mm", "lost"
    );
    for name in &names {
        let mut scene = scene::by_name(name, seed).expect("a name of the list");
        if let Some(steps) = steps {
            scene.steps = steps;
        }
        for engine_name in ENGINES.iter().filter(|e| only.is_empty() || only.iter().any(|o| o == **e)) {
            let mut engine = engine(engine_name, &scene);
            let mut judge = Judge::new(&scene);
            let mut times = Vec::new();
            for step in 0..scene.steps {
                let start = Instant::now();
                engine.step();
                if step >= WARM_UP {
                    times.push(start.elapsed().as_secs_f64() * 1e3);
                }
                if (step + 1) % LOOK == 0 || step + 1 == scene.steps {
                    judge.look(&engine.poses());
                }
            }
            times.sort_by(f64::total_cmp);
            let median = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
            let slowest = times.last().copied().unwrap_or(f64::NAN);
            let v = judge.verdict;
            println!(
                "{:<10} {:<14} {median:>9.3} {slowest:>9.3} {:>11.2} {:>11.2} {:>9.1} {:>5}  {}",
                scene.name,
                engine_name,
                v.overlap * 1e3,
                v.joint_error * 1e3,
                v.sunk * 1e3,
                v.lost,
                engine.note()
            );
        }
    }
}
