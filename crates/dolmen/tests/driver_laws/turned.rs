//! Elastic bodies in a room, run forwards and back again.
#![allow(dead_code, unreachable_pub, reason = "shared by a test and an example")]

use dolmen::body::BodyState;
use dolmen::prelude::*;

use crate::clouds::Random;
use crate::common::{body_of, collisions_of_each, elastic, movers, room, turn, world};

/// `count` elastic bodies of these kinds in a room, on a lattice, with random velocities and spins.
pub fn scene(kinds: &[&str], count: usize, seed: u64) -> World {
    let mut random = Random(seed);
    let mut bodies = room(1.0);
    for i in 0..count {
        let cell = dvec3((i % 2) as f64 - 0.5, (i / 2 % 2) as f64 - 0.5, (i / 4) as f64 - 0.5);
        let body = body_of(kinds[i % kinds.len()], 0.3, &mut random).centred_at(cell, turn(&mut random));
        let body = body.moving(random.in_cube(), 2.0 * random.in_cube());
        bodies.push(body.named(format!("body {i}")));
    }
    world(bodies, DVec3::ZERO, elastic())
}

/// Collisions of the body that had most of them.
pub fn most_collisions(simulation: &Simulation) -> usize {
    let counts = collisions_of_each(simulation);
    movers(simulation.world()).iter().map(|id| counts[id.index()]).max().unwrap_or(0)
}

/// Turns every velocity and spin around, now.
pub fn turn_around(simulation: &mut Simulation) {
    for id in movers(simulation.world()) {
        let state = simulation.state(id).expect("a dynamic body");
        let (momentum, angular_momentum) = (-state.momentum, -state.angular_momentum);
        let state = BodyState { momentum, angular_momentum, ..state };
        simulation.set_state(id, state).expect("a sound state");
    }
}

/// A world that starts from where this simulation is, with all velocities turned around.
pub fn turned_around(simulation: &Simulation) -> World {
    let old = simulation.world();
    let mut bodies = Vec::new();
    for id in old.body_ids() {
        let body = old.body(id).clone();
        bodies.push(if body.is_dynamic() {
            let (pose, twist) = (simulation.pose(id), simulation.twist(id));
            body.centred_at(pose.position, pose.orientation).moving(-twist.velocity, -twist.spin)
        } else {
            body
        });
    }
    world(bodies, old.gravity(), elastic())
}

/// How far bodies are from where `world` starts, m; rotations times a size of 0.3 m.
pub fn distance_from_start(simulation: &Simulation, world: &World) -> f64 {
    let one = |id: &BodyId| {
        let (now, then) = (simulation.pose(*id), world.body(*id).start_pose());
        let turned = 2.0 * (then.orientation.conjugate() * now.orientation).xyz().length();
        now.position.distance(then.position).max(0.3 * turned)
    };
    movers(world).iter().map(one).fold(0.0, f64::max)
}

/// Runs a world to `end`, and from there back as a world of its own; how far it misses its start, m, and the collisions of
/// a body on the way there.
pub fn there_and_back(start: &World, end: f64) -> (f64, usize) {
    let mut there = Simulation::new(start.clone()).expect("a start without overlaps");
    there.advance(end).expect("to go on");
    let mut back = Simulation::new(turned_around(&there)).expect("no overlaps");
    back.advance(end).expect("to go back");
    (distance_from_start(&back, start), most_collisions(&there))
}
