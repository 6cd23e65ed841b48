//! A stack of boxes that is dropped and settles: how often a remembered witness answers the question for a separation.
//!
//! `cargo run --release -p dolmen --example settling_stack -- [BOXES]`

use dolmen::prelude::*;
use dolmen::shape::Plane;
use dolmen::world::Material;

/// Boxes over a floor with gaps between them, each a little aside and turned about the vertical.
fn stack(count: u32) -> Result<World, Box<dyn std::error::Error>> {
    let mut builder = WorldBuilder::new();
    let floor = Plane::new(DVec3::Z, 0.0)?;
    builder.body(Body::fixed(Pose::IDENTITY).with_shape(floor.into()).named("floor"))?;
    for k in 0..count {
        let layer = f64::from(k);
        let place = dvec3(0.02 * (layer % 3.0), 0.01 * (layer % 2.0), 0.55 + 1.05 * layer);
        let body = Body::solid(Shape::cuboid(dvec3(0.5, 0.5, 0.5))?, 1000.0)?;
        builder.body(body.at(place, DQuat::from_rotation_z(0.1 * layer)).named(format!("box {k}")))?;
    }
    builder.gravity(dvec3(0.0, 0.0, -9.81));
    let material =
        Material { restitution: 0.3, static_friction: 0.5, kinetic_friction: 0.5, ..Material::SMOOTH };
    builder.default_material(material);
    Ok(builder.build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(4), |argument| argument.parse())?;
    let mut simulation = Simulation::new(stack(count)?)?;
    println!("time  collisions  searches  separations  by witness  neighbour  walk  search");
    for step in 1..=20 {
        let t = 0.05 * f64::from(step);
        let stopped = simulation.advance(t).err();
        let detection = simulation.detection();
        let s = detection.separations;
        let share = |part: u64| 100.0 * part as f64 / s.queries.max(1) as f64;
        println!(
            "{:4.2}  {:10}  {:8}  {:11}  {:8.1} %  {:7.1} %  {:.1} %  {:.1} %",
            simulation.time(),
            simulation.collisions().1,
            detection.searches,
            s.queries,
            share(s.hits),
            share(s.neighbours),
            share(s.walks),
            share(s.searches),
        );
        if let Some(stop) = stopped {
            println!("stopped: {stop}");
            break;
        }
    }
    Ok(())
}
