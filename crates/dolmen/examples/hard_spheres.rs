//! A gas of hard spheres at a fixed density: collisions a second of processor time, and how the cost of one grows with the
//! number of spheres.
//!
//! `cargo run --release -p dolmen --example hard_spheres -- [COUNT …]`

use dolmen::math::real;
use dolmen::prelude::*;
use dolmen::shape::{Plane, Sides};
use dolmen::world::Material;

#[path = "../../dolmen-verify/src/cpu_time.rs"]
#[allow(unreachable_pub, reason = "a module of another crate")]
mod cpu_time;
use cpu_time::CpuTime;

/// Volume of the spheres by that of the box.
const FILLING: f64 = 0.1;

fn wall(normal: DVec3, at: f64, name: &str) -> Body {
    let plane = Plane::new(normal, at).expect("a unit normal").with_sides(Sides::Front);
    Body::fixed(Pose::IDENTITY).with_shape(plane.into()).named(name)
}

/// `count` spheres of radius 1 on a lattice in a cube, with random velocities.
fn gas(count: usize) -> Result<World, Box<dyn std::error::Error>> {
    let side = real::cbrt(count as f64 * 4.0 / 3.0 * real::PI / FILLING);
    let across = real::cbrt(count as f64).ceil() as usize;
    let spacing = side / across as f64;
    let mut builder = WorldBuilder::new();
    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
        builder.body(wall(axis, 0.0, &format!("wall {k} low")))?;
        builder.body(wall(-axis, side, &format!("wall {k} high")))?;
    }
    let mut random = 1_u64;
    let mut uniform = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for i in 0..count {
        let cell = dvec3((i % across) as f64, (i / across % across) as f64, (i / across / across) as f64);
        let velocity = dvec3(uniform(), uniform(), uniform());
        let sphere = Body::solid(Shape::sphere(1.0)?, 1.0)?;
        builder.body(sphere.at((cell + 0.5) * spacing, DQuat::IDENTITY).moving(velocity, DVec3::ZERO))?;
    }
    let elastic = Material { restitution: 1.0, ..Material::SMOOTH };
    builder.default_material(elastic);
    Ok(builder.build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let counts: Vec<usize> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let counts = if counts.is_empty() { vec![1_000, 10_000, 100_000] } else { counts };
    println!(
        "spheres  collisions  seconds  collisions/s  µs each  fat AABBs each  searches each  energy error"
    );
    for count in counts {
        let mut simulation = Simulation::new(gas(count)?)?;
        simulation.keep_events(false);
        let energy = simulation.ledger().kinetic;
        simulation.advance(2.0)?;
        let (before, covers, searches) =
            (simulation.collisions().1, simulation.detection().fat_aabbs, simulation.detection().searches);
        let started = CpuTime::start();
        // In long strides: reading all states at the end of each is not what is measured.
        let mut t = 2.0;
        while simulation.collisions().1 - before < 200_000.max(4 * count as u64) {
            t += 20.0;
            simulation.advance(t)?;
        }
        let seconds = started.seconds();
        let made = (simulation.collisions().1 - before) as f64;
        let detection = simulation.detection();
        println!(
            "{count:7}  {made:10}  {seconds:7.2}  {:12.0}  {:7.2}  {:11.2}  {:13.2}  {:.1e}",
            made / seconds,
            1e6 * seconds / made,
            (detection.fat_aabbs - covers) as f64 / made,
            (detection.searches - searches) as f64 / made,
            (simulation.ledger().kinetic / energy - 1.0).abs(),
        );
    }
    Ok(())
}
