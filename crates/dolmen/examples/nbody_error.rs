//! Prints the error of the octree against the direct sum, and their times, for a range of opening angles.
//!
//! `cargo run --release -p dolmen --example nbody_error [bodies]`

#[path = "../tests/clouds/mod.rs"]
mod clouds;

use std::time::Instant;

use dolmen::force::nbody::{self, Octree};
use dolmen::math::DVec3;

const SAMPLE: usize = 1000;
const OPENINGS: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

fn main() {
    let n = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).unwrap_or(100_000);
    for (name, positions) in [("Plummer sphere", clouds::plummer(n, 1)), ("uniform cube", clouds::cube(n, 2))] {
        table(name, &positions, &clouds::equal_masses(n));
    }
}

fn table(name: &str, positions: &[DVec3], masses: &[f64]) {
    let n = positions.len();
    let softening = 0.0;
    let mut exact = vec![DVec3::ZERO; n];
    let start = Instant::now();
    nbody::direct(1.0, softening, positions, masses, &mut exact);
    let direct_time = start.elapsed().as_secs_f64();
    println!("{name}, {n} bodies, direct sum {:.3} s, errors over {SAMPLE} bodies", direct_time);
    println!("{:>6} {:>10} {:>10} {:>10} {:>10} {:>8}", "θ", "RMS", "99 %", "max", "time/ms", "ratio");

    let mut octree = Octree::new();
    let mut accelerations = vec![DVec3::ZERO; n];
    for opening in OPENINGS {
        let mut time = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            octree.build(positions, masses).expect("finite points with mass");
            octree.accelerations(1.0, softening, opening, &mut accelerations);
            time = time.min(start.elapsed().as_secs_f64());
        }
        let stride = n.div_ceil(SAMPLE);
        let mut errors: Vec<f64> = (0..n)
            .step_by(stride)
            .map(|i| (accelerations[i] - exact[i]).length() / exact[i].length())
            .collect();
        errors.sort_unstable_by(f64::total_cmp);
        let count = errors.len();
        let rms = (errors.iter().map(|error| error * error).sum::<f64>() / count as f64).sqrt();
        println!(
            "{opening:>6.2} {rms:>10.2e} {:>10.2e} {:>10.2e} {:>10.1} {:>7.2}%",
            errors[count * 99 / 100],
            errors[count - 1],
            1e3 * time,
            100.0 * time / direct_time
        );
    }
}
