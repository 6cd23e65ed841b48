//! Worlds with contact, built in a line or two; the same on every machine.
#![allow(dead_code, unreachable_pub, reason = "tests and examples each take what they need")]

use std::sync::Arc;

use dolmen::prelude::*;
use dolmen::shape::{Hull, Plane, Sides};
use dolmen::world::Material;

use crate::clouds::Random;

/// Downwards, m/s².
pub const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// The same coefficients for everything; static and kinetic friction alike.
pub fn material(restitution: f64, friction: f64) -> Material {
    Material { restitution, static_friction: friction, kinetic_friction: friction, ..Material::SMOOTH }
}

/// ε = 1, μ = 0: nothing is lost.
pub fn elastic() -> Material {
    material(1.0, 0.0)
}

/// A world of these bodies, all of one material.
pub fn world(bodies: Vec<Body>, gravity: DVec3, material: Material) -> World {
    let mut builder = WorldBuilder::new();
    for body in bodies {
        builder.body(body).expect("a sound body");
    }
    builder.gravity(gravity);
    builder.default_material(material);
    builder.build().expect("distinct names")
}

/// A fixed half-space that bodies stay in front of: n·x ≥ `at`.
pub fn wall(normal: DVec3, at: f64, name: &str) -> Body {
    let plane = Plane::new(normal, -at).expect("a unit normal").with_sides(Sides::Front);
    Body::fixed(Pose::IDENTITY).with_shape(plane.into()).named(name)
}

/// The plane z = 0, seen from above.
pub fn floor() -> Body {
    wall(DVec3::Z, 0.0, "floor")
}

/// Six walls around the cube |x|, |y|, |z| ≤ `half`.
pub fn room(half: f64) -> Vec<Body> {
    let mut walls = Vec::new();
    for (axis, name) in DVec3::AXES.into_iter().zip(["x", "y", "z"]) {
        walls.push(wall(axis, -half, &format!("wall -{name}")));
        walls.push(wall(-axis, -half, &format!("wall +{name}")));
    }
    walls
}

/// A sphere of density 1000 kg/m³.
pub fn ball(name: &str, radius: f64, at: DVec3) -> Body {
    solid(name, Shape::sphere(radius).expect("a sound radius"), at, DQuat::IDENTITY)
}

/// A solid of density 1000 kg/m³ whose centre of mass is at `at`.
pub fn solid(name: &str, shape: Shape, at: DVec3, orientation: DQuat) -> Body {
    Body::solid(shape, 1000.0).expect("a sound solid").centred_at(at, orientation).named(name)
}

/// The kinds of convex shapes that random scenes are made of.
pub const KINDS: [&str; 7] = ["sphere", "box", "capsule", "cylinder", "cone", "hull", "disc"];

/// A shape of this kind that fits into a ball of the given radius about its centre of mass.
pub fn shape_of(kind: &str, radius: f64, random: &mut Random) -> Shape {
    let mut between = |a: f64, b: f64| radius * (a + (b - a) * random.unit());
    match kind {
        "sphere" => Shape::sphere(between(0.5, 0.95)),
        "box" => Shape::cuboid(dvec3(between(0.25, 0.55), between(0.25, 0.55), between(0.25, 0.55))),
        "capsule" => Shape::capsule(between(0.2, 0.45), between(0.1, 0.5)),
        "cylinder" => Shape::cylinder(between(0.3, 0.6), between(0.2, 0.6)),
        "cone" => Shape::cone(between(0.3, 0.55), between(0.5, 0.9)),
        "disc" => Shape::disc(between(0.5, 0.95)),
        _ => {
            let points: Vec<DVec3> = (0..12).map(|_| 0.9 * radius * random.on_sphere()).collect();
            Ok(Shape::Hull(Arc::new(Hull::new(&points).expect("points in general position"))))
        }
    }
    .expect("sound lengths")
}

/// A body of this kind; a disc, which has no volume, gets the mass of a thin plate.
pub fn body_of(kind: &str, radius: f64, random: &mut Random) -> Body {
    let shape = shape_of(kind, radius, random);
    if kind != "disc" {
        return Body::solid(shape, 1000.0).expect("a sound solid");
    }
    let Shape::Disc { radius } = shape else { unreachable!("asked for a disc") };
    let plate = Shape::cylinder(radius, 0.01 * radius).expect("a sound plate");
    let mass = dolmen::mass::of_shape(&plate, 1000.0).expect("a sound plate");
    Body::dynamic(&mass).with_shape(shape)
}

/// A rotation, uniform enough.
pub fn turn(random: &mut Random) -> DQuat {
    let (xyz, w) = (random.in_cube(), 2.0 * random.unit() - 1.0);
    let q = DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, w + 1e-3);
    q.normalize()
}

/// The ids of the bodies that forces move.
pub fn movers(world: &World) -> Vec<BodyId> {
    world.body_ids().filter(|id| world.body(*id).is_dynamic()).collect()
}

/// How often each body collided.
pub fn collisions_of_each(simulation: &Simulation) -> Vec<usize> {
    let mut counts = vec![0; simulation.world().bodies().len()];
    let is_collision = |e: &&dolmen::record::Event| e.kind == dolmen::record::EventKind::Collision;
    for event in simulation.events().iter().filter(is_collision) {
        for id in event.bodies {
            counts[id.index()] += 1;
        }
    }
    counts
}

/// How many scenes a random test tries: `least`, or the environment variable `DOLMEN_CASES`.
pub fn cases(least: u64) -> u64 {
    std::env::var("DOLMEN_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(least)
}
