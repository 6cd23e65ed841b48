//! What the exact driver costs, in processor time: A20, elastic 666, tumbling boxes, and one ball beside many bodies.
//!
//! `cargo run --release -p dolmen --example driver_costs -- [published] [boxes] [beside]`

use std::path::Path;

use dolmen::math::real;
use dolmen::prelude::*;
use dolmen::shape::{Plane, Sides};
use dolmen::world::Material;

#[path = "../../dolmen-verify/src/cpu_time.rs"]
#[allow(unreachable_pub, reason = "a module of another crate")]
mod cpu_time;
use cpu_time::CpuTime;

#[path = "support/uniform.rs"]
mod uniform;
use uniform::Uniform;

type Failure = Box<dyn std::error::Error>;

/// A scene of the folder to its end, as often as is worth measuring: processor time, collisions, mean squared error of its
/// energy at 401 times (SimBenchmark's measure), and the largest relative one.
fn published(name: &str, end: f64, times: u32) -> Result<(), Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let world = Document::load(folder.join(format!("{name}.toml")))?.build(&folder)?;
    let started = CpuTime::start();
    let mut collisions = 0;
    for _ in 0..times {
        let mut simulation = Simulation::new(world.clone())?;
        simulation.advance(end)?;
        collisions = simulation.collisions().1;
    }
    let seconds = started.seconds() / f64::from(times);
    let mut simulation = Simulation::new(world)?;
    let energy = simulation.ledger().total();
    let (mut sum, mut worst) = (0.0, 0.0_f64);
    for k in 1..=400 {
        simulation.advance(end * f64::from(k) / 400.0)?;
        let error = simulation.ledger().total() - energy;
        sum += error * error;
        worst = worst.max((error / energy).abs());
    }
    println!(
        "{name:20} {end:4} s  {:9.5} CPU s  {collisions:6} collisions  {:6.2} µs each  energy: {:.1e} J² mean square, {worst:.1e} relative",
        seconds,
        1e6 * seconds / collisions as f64,
        sum / 400.0
    );
    Ok(())
}

fn room(builder: &mut WorldBuilder, side: f64) -> Result<(), Failure> {
    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
        for (normal, at, name) in [(axis, 0.0, "low"), (-axis, side, "high")] {
            let plane = Plane::new(normal, at)?.with_sides(Sides::Front);
            let wall = Body::fixed(Pose::IDENTITY).with_shape(plane.into());
            builder.body(wall.named(format!("wall {k} {name}")))?;
        }
    }
    Ok(())
}

fn elastic(mut builder: WorldBuilder) -> Result<World, Failure> {
    let material = Material { restitution: 1.0, ..Material::SMOOTH };
    builder.default_material(material);
    Ok(builder.build()?)
}

/// 1,000 boxes of 1 × 0.8 × 0.6 m tumble in a cube of which they fill a tenth, elastic and without gravity.
fn boxes() -> Result<(), Failure> {
    let (count, across) = (1000_u32, 10_u32);
    let side = real::cbrt(f64::from(count) * 0.48 / 0.1);
    let mut builder = WorldBuilder::new();
    room(&mut builder, side)?;
    let mut uniform = Uniform(1);
    for i in 0..count {
        let cell =
            dvec3(f64::from(i % across), f64::from(i / across % across), f64::from(i / across / across));
        let body = Body::solid(Shape::cuboid(dvec3(0.5, 0.4, 0.3))?, 1.0)?;
        let (velocity, spin) = (uniform.vector(), 2.0 * uniform.vector());
        builder.body(
            body.at((cell + 0.5) * (side / f64::from(across)), DQuat::IDENTITY).moving(velocity, spin),
        )?;
    }
    let mut simulation = Simulation::new(elastic(builder)?)?;
    simulation.keep_events(false);
    simulation.advance(0.5)?;
    let energy = simulation.ledger().kinetic;
    let (before, earlier) = (simulation.collisions().0, simulation.detection());
    let started = CpuTime::start();
    let mut t = 0.5;
    while simulation.collisions().0 - before < 3000 {
        t += 0.25;
        simulation.advance(t)?;
    }
    let (seconds, made) = (started.seconds(), (simulation.collisions().0 - before) as f64);
    let detection = simulation.detection();
    println!(
        "1,000 tumbling boxes: {made} collisions, {:.0} a CPU second, {:.1} searches and {:.1} fat AABBs each, energy error {:.1e}",
        made / seconds,
        (detection.searches - earlier.searches) as f64 / made,
        (detection.fat_aabbs - earlier.fat_aabbs) as f64 / made,
        (simulation.ledger().kinetic / energy - 1.0).abs()
    );
    Ok(())
}

/// What an hour costs, in processor time, in which a ball bounces 20,000 times between floor and ceiling beside `count`
/// others that fly and meet nothing, or are at rest; or without the ball.
fn beside(count: u32, in_flight: bool, has_ball: bool) -> Result<f64, Failure> {
    let mut builder = WorldBuilder::new();
    for (normal, at, name) in [(DVec3::Z, 1.0, "floor"), (-DVec3::Z, 1.0, "ceiling")] {
        let plane = Plane::new(normal, at)?.with_sides(Sides::Front);
        builder.body(Body::fixed(Pose::IDENTITY).with_shape(plane.into()).named(name))?;
    }
    let ball = || Body::solid(Shape::sphere(0.1).expect("a radius"), 1.0);
    if has_ball {
        builder.body(ball()?.moving(dvec3(0.0, 0.0, 10.0), DVec3::ZERO).named("ball"))?;
    }
    for i in 0..count {
        // Side by side, all with one velocity: they never meet.
        let place = dvec3(2.0, f64::from(i), 0.0);
        let velocity = if in_flight { dvec3(0.5, 0.0, 0.0) } else { DVec3::ZERO };
        builder.body(ball()?.at(place, DQuat::IDENTITY).moving(velocity, DVec3::ZERO))?;
    }
    let mut simulation = Simulation::new(elastic(builder)?)?;
    simulation.keep_events(false);
    simulation.advance(1.0)?;
    let started = CpuTime::start();
    // The states of all are read once, at the end: that is none of the bounces.
    simulation.advance(3601.0)?;
    Ok(1e6 * started.seconds() / BOUNCES)
}

/// Of that ball in that hour: 10 m/s over a way of 1.8 m.
const BOUNCES: f64 = 20_000.0;

/// The middle one of several measurements.
fn middle(mut measure: impl FnMut() -> Result<f64, Failure>) -> Result<f64, Failure> {
    let mut found = [0.0; 5];
    for one in &mut found {
        *one = measure()?;
    }
    found.sort_by(f64::total_cmp);
    Ok(found[2])
}

/// One ball beside many bodies: all that the hour costs, and what the ball adds to it.
fn one_beside_many() -> Result<(), Failure> {
    let alone = middle(|| beside(0, false, true))?;
    println!("one ball alone: {alone:.3} µs a bounce");
    for (count, in_flight, how) in [(10_000, false, "at rest"), (10_000, true, "in flight")] {
        let all = middle(|| beside(count, in_flight, true))?;
        let others = middle(|| beside(count, in_flight, false))?;
        println!(
            "one ball beside {count} {how}: {:.3} µs a bounce, {:.2} times; in all {all:.3}, {:.2} times",
            all - others,
            (all - others) / alone,
            all / alone
        );
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let wants = |name: &str| asked.is_empty() || asked.iter().any(|a| a == name);
    if wants("published") {
        published("a20-bouncing", 20.0, 50)?;
        published("a21-elastic-666", 10.0, 5)?;
    }
    if wants("boxes") {
        boxes()?;
    }
    if wants("beside") {
        one_beside_many()?;
    }
    Ok(())
}
