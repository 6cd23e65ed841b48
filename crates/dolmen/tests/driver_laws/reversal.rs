//! Elastic, frictionless motion runs backwards as it ran forwards.

#[path = "turned.rs"]
mod turned;

use dolmen::prelude::*;
use turned::{distance_from_start, most_collisions, scene, there_and_back, turn_around};

/// The last of the times 0.1, 0.2 … at which no body has collided more than `limit` times.
fn time_of(world: &World, limit: usize) -> f64 {
    let mut simulation = Simulation::new(world.clone()).expect("a start without overlaps");
    let mut k = 0;
    while most_collisions(&simulation) <= limit && k < 200 {
        k += 1;
        simulation.advance(0.1 * f64::from(k)).expect("to go on");
    }
    0.1 * f64::from(k - 1)
}

/// A collision multiplies an error by about 2 l/r, with l the free path and r the radius of curvature: five to ten here. Ten
/// of them (five of each of two bodies) make 1e-16 into 1e-9 at worst.
#[test]
fn elastic_motion_runs_backwards() {
    let mixes: [(&[&str], usize); 6] = [
        (&["sphere"], 8),
        (&["box"], 4),
        (&["hull"], 4),
        (&["capsule"], 4),
        (&["sphere", "box", "capsule", "hull"], 6),
        (&["cylinder", "cone"], 4),
    ];
    for (kinds, count) in mixes {
        for seed in 1..=3 {
            let world = scene(kinds, count, seed);
            let (error, collisions) = there_and_back(&world, time_of(&world, 5));
            println!("{kinds:?} {seed}: {error:e} m after {collisions} collisions");
            assert!(collisions >= 3, "{kinds:?} {seed}: only {collisions} collisions");
            assert!(error < 1e-9, "{kinds:?} {seed}: off by {error:e} m after {collisions} collisions");
        }
    }
}

/// The same with velocities turned around in mid-flight by `set_state`: an intervention voids what was foreseen.
#[test]
fn interventions_turn_motion_around() {
    for kinds in [&["sphere"][..], &["sphere", "box"]] {
        let world = scene(kinds, 4, 1);
        let end = time_of(&world, 5);
        let mut simulation = Simulation::new(world.clone()).expect("a start without overlaps");
        simulation.advance(end).expect("to go on");
        turn_around(&mut simulation);
        simulation.advance(2.0 * end).expect("to go back");
        let error = distance_from_start(&simulation, &world);
        assert!(error < 1e-9, "{kinds:?}: off by {error:e} m");
    }
}

/// Flat walls do not spread errors: one ball returns through hundreds of collisions.
#[test]
fn one_ball_returns_after_hundreds_of_collisions() {
    let (error, collisions) = there_and_back(&scene(&["sphere"], 1, 4), 200.0);
    assert!(collisions > 100, "{collisions} collisions");
    // Each collision rounds a time of 200 s at a speed of 1 m/s, twice.
    let allowed = collisions as f64 * 400.0 * f64::EPSILON;
    assert!(error < allowed, "off by {error:e} m of {allowed:e} after {collisions} collisions");
}
