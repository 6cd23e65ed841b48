//! How far elastic bodies miss their start when they run back to it, over the collisions on the way.
//!
//! `cargo run --release -p dolmen --example reversal -- [FOLDER]` writes `reversal.csv` and `reversal.svg` there.

use std::fmt::Write;
use std::path::Path;

#[path = "../tests/clouds/mod.rs"]
mod clouds;
#[path = "../tests/driver_laws/common.rs"]
mod common;
#[path = "support/log_plot.rs"]
mod log_plot;
#[path = "../tests/driver_laws/turned.rs"]
mod turned;
use log_plot::{Series, log_plot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mut table = "shapes,seed,duration_s,collisions_of_a_body,error_m\n".to_owned();
    let mut all = Vec::new();
    for (kinds, name) in [(&["sphere"][..], "8 spheres"), (&["box"][..], "8 boxes")] {
        let mut points = Vec::new();
        for seed in 1..=3 {
            let world = turned::scene(kinds, 8, seed);
            for end in [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0] {
                let (error, collisions) = turned::there_and_back(&world, end);
                writeln!(table, "{name},{seed},{end},{collisions},{error:.3e}")?;
                println!("{name}, seed {seed}, {end} s: {collisions} collisions, error {error:.1e} m");
                if collisions > 0 {
                    points.push((collisions as f64, error.max(0.5 * f64::EPSILON)));
                }
                if error > 0.1 {
                    break;
                }
            }
        }
        all.push(Series { name: name.to_owned(), points });
    }
    let title = "There and back: how the error grows with collisions";
    let picture = log_plot(title, ("collisions of the body that had most", "error, m"), &all);
    std::fs::write(Path::new(&folder).join("reversal.csv"), table)?;
    std::fs::write(Path::new(&folder).join("reversal.svg"), picture)?;
    Ok(())
}
