//! Runs scenes in Dolmen's fixed-step driver and in other engines, and prints time and quality of each.
//!
//! `peers [--seed N] [--steps N] [--only ENGINE] [SCENE …]`; `peers precise [--only ENGINE] [CASE …]` for small cases beside the exact driver.

#[cfg(feature = "box3d")]
mod box3d;
mod engine;
mod judge;
mod precise;
mod scene;

use std::time::Instant;

use engine::{ENGINES, engine};
use judge::Judge;
use scene::NAMES;

/// Steps that are not timed.
const WARM_UP: usize = 60;
/// The step, s.
const STEP: f64 = 1.0 / 60.0;
/// Steps between two looks of the judge.
const LOOK: usize = 20;

fn main() {
    let mut is_precise = false;
    let (mut seed, mut steps, mut only, mut names) = (1, None, Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    let number = |value: Option<String>| value.and_then(|v| v.parse::<u64>().ok());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seed" => seed = number(arguments.next()).unwrap_or(1),
            "--steps" => steps = number(arguments.next()).map(|n| n as usize),
            "--only" => only.extend(arguments.next()),
            "precise" => is_precise = true,
            name if NAMES.contains(&name) || precise::NAMES.contains(&name) => names.push(name.to_owned()),
            other => {
                let cases = precise::NAMES.join(", ");
                eprintln!("no scene {other}; there are {}; with precise {cases}", NAMES.join(", "));
                std::process::exit(2);
            }
        }
    }
    if let Some(unknown) = only.iter().find(|name| !ENGINES.contains(&name.as_str())) {
        eprintln!("no engine {unknown}; there are {}", ENGINES.join(", "));
        std::process::exit(2);
    }
    let engines: Vec<&str> =
        ENGINES.iter().copied().filter(|e| only.is_empty() || only.iter().any(|o| o == e)).collect();
    if is_precise {
        if names.is_empty() {
            names = precise::NAMES.iter().map(ToString::to_string).collect();
        }
        precise::run(&names, &engines);
        return;
    }
    if names.is_empty() {
        names = NAMES.iter().map(ToString::to_string).collect();
    }
    println!(
        "{:<10} {:<14} {:>9} {:>9} {:>11} {:>11} {:>9} {:>5}",
        "scene", "engine", "ms/step", "slowest", "overlap mm", "joint mm", "sunk mm", "lost"
    );
    for name in &names {
        let Some(mut scene) = scene::by_name(name, seed) else {
            eprintln!("{name} is a case of precise");
            std::process::exit(2);
        };
        if let Some(steps) = steps {
            scene.steps = steps;
        }
        for engine_name in &engines {
            let mut engine = engine(engine_name, &scene, STEP);
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
