//! Many bodies on each other: what they cost, and how exact they stay.
//!
//! `cargo run --release -p dolmen --example piles -- dominoes N | pyramid BASE | bin N | spheres SIDE [SECONDS]`
//!
//! `dominoes`: a run of N, the first of which is pushed. `pyramid`: bricks without gaps, BASE of them in the lowest row (40: 820
//! bricks). `bin`: N boxes dropped into a bin. `spheres`: a block of SIDE × SIDE × SIDE smooth inelastic spheres that collapses
//! and flows away (6: CASES A21). Each prints a line for every part of the simulated time, so that it can be stopped at any of
//! them.

use dolmen::prelude::*;
use dolmen::record::EventKind;
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

/// A world over a floor.
fn world(mut builder: WorldBuilder, restitution: f64, friction: f64) -> Result<World, Failure> {
    let floor = Plane::new(DVec3::Z, 0.0)?.with_sides(Sides::Front);
    builder.body(Body::fixed(Pose::IDENTITY).with_shape(floor.into()).named("floor"))?;
    builder.gravity(dvec3(0.0, 0.0, -9.81));
    let material =
        Material { restitution, static_friction: friction, kinetic_friction: friction, ..Material::SMOOTH };
    builder.default_material(material);
    Ok(builder.build()?)
}

/// Dominoes of 48 × 24 × 7.5 mm, 24 mm apart, the first pushed over at its upper edge.
fn dominoes(count: u32) -> Result<World, Failure> {
    let mut builder = WorldBuilder::new();
    for k in 0..count {
        let domino = Body::solid(Shape::cuboid(0.5 * dvec3(0.0075, 0.024, 0.048))?, 1200.0)?;
        let domino = domino.at(dvec3(0.024 * f64::from(k), 0.0, 0.024), DQuat::IDENTITY);
        let domino = if k == 0 {
            // It turns about its lower edge in front.
            let spin = dvec3(0.0, 6.0, 0.0);
            domino.moving(spin.cross(dvec3(-0.00375, 0.0, 0.024)), spin)
        } else {
            domino
        };
        builder.body(domino.named(format!("domino {k:04}")))?;
    }
    world(builder, 0.0, 0.3)
}

/// Bricks of 1 × ½ × ½ m, each on the ends of two.
fn pyramid(base: u32) -> Result<World, Failure> {
    let mut builder = WorldBuilder::new();
    for row in 0..base {
        for k in 0..base - row {
            let brick = Body::solid(Shape::cuboid(dvec3(0.5, 0.25, 0.25))?, 4.0)?;
            let place = dvec3(f64::from(k) + 0.5 * f64::from(row), 0.0, 0.25 + 0.5 * f64::from(row));
            builder.body(brick.at(place, DQuat::IDENTITY).named(format!("brick {row:02} {k:02}")))?;
        }
    }
    world(builder, 0.0, 0.5)
}

/// Boxes of 0.2 m, turned any way, over each other in a bin of 2 × 2 m, ε = 0.2.
fn bin(count: u32) -> Result<World, Failure> {
    let mut builder = WorldBuilder::new();
    for (name, normal) in
        [("wall w", DVec3::X), ("wall e", -DVec3::X), ("wall s", DVec3::Y), ("wall n", -DVec3::Y)]
    {
        let wall = Plane::new(normal, 1.0)?.with_sides(Sides::Front);
        builder.body(Body::fixed(Pose::IDENTITY).with_shape(wall.into()).named(name))?;
    }
    let mut random = Uniform(1);
    for k in 0..count {
        let (layer, place) = (k / 16, k % 16);
        let (x, y) = (f64::from(place % 4), f64::from(place / 4));
        let aside = random.vector() * dvec3(0.06, 0.06, 0.0);
        let at = dvec3(0.4 * x - 0.6, 0.4 * y - 0.6, 0.3 + 0.4 * f64::from(layer)) + aside;
        let turned = DQuat::from_xyzw(random.next(), random.next(), random.next(), random.next()).normalize();
        let body = Body::solid(Shape::cuboid(DVec3::splat(0.1))?, 125.0)?;
        builder.body(body.at(at, turned).named(format!("box {k:03}")))?;
    }
    world(builder, 0.2, 0.5)
}

/// Spheres of 0.1 m, 0.21 m apart but for up to a millimetre, the lowest 1 mm above the floor.
fn spheres(side: u32) -> Result<World, Failure> {
    let mut builder = WorldBuilder::new();
    let mut random = Uniform(1);
    for k in 0..side * side * side {
        let place = dvec3(f64::from(k % side), f64::from(k / side % side), f64::from(k / side / side));
        let aside = 0.001 * (random.vector() + DVec3::splat(0.5));
        let body = Body::solid(Shape::sphere(0.1)?, 7500.0 / std::f64::consts::PI)?;
        let at = 0.21 * place + aside + dvec3(0.0, 0.0, 0.101);
        builder.body(body.at(at, DQuat::IDENTITY).named(format!("sphere {k:04}")))?;
    }
    world(builder, 0.0, 0.0)
}

/// Dominoes that lean by more than 20°.
fn fallen(simulation: &Simulation) -> usize {
    let ids = simulation.world().body_ids().filter(|id| simulation.world().body(*id).is_dynamic());
    ids.filter(|id| (simulation.pose(*id).orientation * DVec3::Z).z < 0.94).count()
}

/// The fastest speed of any centre, m/s, and the farthest that one has moved from where it was, m.
fn motion(simulation: &Simulation, before: &[(BodyId, DVec3)]) -> (f64, f64) {
    before.iter().fold((0.0, 0.0), |(fastest, farthest): (f64, f64), (id, at)| {
        let speed = simulation.twist(*id).velocity.length();
        (fastest.max(speed), farthest.max(simulation.pose(*id).position.distance(*at)))
    })
}

fn run(kind: &str, world: World, seconds: f64, every: f64) -> Result<(), Failure> {
    let started = CpuTime::start();
    let mut simulation = Simulation::new(world)?;
    let energy = simulation.ledger();
    let scale = energy.kinetic + energy.potential.abs();
    let ids: Vec<BodyId> =
        simulation.world().body_ids().filter(|id| simulation.world().body(*id).is_dynamic()).collect();
    let before: Vec<_> = ids.iter().map(|id| (*id, simulation.pose(*id).position)).collect();
    println!("{} bodies; started in {:.2} CPU s", ids.len(), started.seconds());
    println!(
        "| t, s | CPU s | steps | events | of them time steps | collisions | largest residual | deepest overlap, m | by its \
         tolerance | ledger error | fastest, m/s | moved, m | fallen | contacts |"
    );
    println!("|{}", "---|".repeat(14));
    let (mut events, mut part) = (0, 0_u32);
    loop {
        part += 1;
        let t = (every * f64::from(part)).min(seconds);
        let stopped = simulation.advance(t).err();
        let kinds = simulation.take_events();
        events += kinds.iter().filter(|event| event.kind != EventKind::Overlap).count();
        let ledger = simulation.ledger();
        let off = (ledger.total() + ledger.lost() - ledger.work - energy.total()) / scale;
        let (deepest, by_tolerance) = simulation.deepest_overlap();
        let (fastest, moved) = motion(&simulation, &before);
        let residual = simulation.solves().largest_residual;
        println!(
            "| {:.3} | {:.2} | {} | {events} | {} | {} | {residual:.1e} | {deepest:.1e} | {by_tolerance:.2} | {off:.1e} | \
             {fastest:.1e} | {moved:.1e} | {} | {} |",
            simulation.time(),
            started.seconds(),
            simulation.statistics().steps,
            simulation.time_steps(),
            simulation.collisions().1,
            if kind == "dominoes" { fallen(&simulation) } else { 0 },
            simulation.contact_forces().len(),
        );
        if let Some(stop) = stopped {
            println!("stopped: {stop}");
            return Ok(());
        }
        if t >= seconds {
            return Ok(());
        }
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "piles dominoes N | pyramid BASE | bin N | spheres SIDE [SECONDS]";
    let [kind, count, ..] = &arguments[..] else { return Err(usage.into()) };
    let count: u32 = count.parse()?;
    let seconds = |otherwise: f64| arguments.get(2).map_or(Ok(otherwise), |text| text.parse::<f64>());
    match kind.as_str() {
        // A run of them takes some 22 ms a domino.
        "dominoes" => run(kind, dominoes(count)?, seconds(1.0 + 0.04 * f64::from(count))?, 0.05),
        "pyramid" => run(kind, pyramid(count)?, seconds(10.0)?, 1.0),
        "spheres" => run(kind, spheres(count)?, seconds(10.0)?, 0.05),
        "bin" => run(kind, bin(count)?, seconds(3.0)?, 0.05),
        _ => Err(usage.into()),
    }
}
