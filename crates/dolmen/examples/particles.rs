//! Particles from random heights over a floor and a sphere: processor time of the exact driver on one core.
//!
//! `cargo run --release -p dolmen --example particles [NUMBER | SCENE]`

use std::path::Path;
use std::time::Instant;

use dolmen::drive::exact::Simulation;
use dolmen::scene;

/// ε = 0.5, μ = 0.3, heights up to 2 m over the floor, 5 s.
fn text(count: usize) -> String {
    use std::fmt::Write;
    let mut positions = String::new();
    let mut random = 7_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1_u64 << 53) as f64
    };
    for _ in 0..count {
        // Not inside the sphere, which hangs 0.1 m above the floor.
        let (x, y, z) = loop {
            let (x, y, z) = (2.0 * next() - 1.0, 2.0 * next() - 1.0, 2.0 * next());
            if x * x + y * y + (z - 0.6) * (z - 0.6) > 0.26 {
                break (x, y, z);
            }
        };
        let _ = writeln!(positions, "  [{x}, {y}, {z}],");
    }
    format!(
        "format = 1\ngravity = [0, 0, -9.81]\nrun = {{ duration = 5 }}\n\
         contact = {{ restitution = 0.5, friction = 0.3 }}\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }}\n\
         [[body]]\nname = \"sphere\"\nkind = \"fixed\"\nposition = [0, 0, 0.6]\nshape = {{ kind = \"sphere\", radius = 0.5 }}\n\
         [[particles]]\nname = \"grains\"\nmass = 0.001\npositions = [\n{positions}]\n"
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked = std::env::args().nth(1).unwrap_or_else(|| "10000".to_owned());
    let source = match asked.parse::<usize>() {
        Ok(count) => text(count),
        Err(_) => std::fs::read_to_string(&asked)?,
    };
    let document = scene::Document::parse("particles", &source)?;
    let world = document.build(Path::new("."))?;
    let duration = document.scene().run.as_ref().and_then(|run| run.duration).unwrap_or(5.0);
    let begun = Instant::now();
    let mut simulation = Simulation::new(world)?;
    println!("start: {:.2} s", begun.elapsed().as_secs_f64());
    let mut counts = std::collections::BTreeMap::new();
    for k in 1..=10 {
        simulation.advance(duration * f64::from(k) / 10.0)?;
        for event in simulation.take_events() {
            *counts.entry(event.kind.name()).or_insert(0_u64) += 1;
        }
        println!("t = {:.2} s: {:.2} s", simulation.time(), begun.elapsed().as_secs_f64());
    }
    let ledger = simulation.ledger();
    println!("{counts:?}");
    println!("{:?}", simulation.detection());
    println!("ledger: {ledger:?}");
    Ok(())
}
