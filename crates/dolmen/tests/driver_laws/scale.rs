//! No metre, second or kilogram is special: a scene behaves the same at any scale of length, time and mass, and at any place.

use dolmen::prelude::*;
use dolmen::world::Material;

use crate::clouds::Random;
use crate::common::{body_of, elastic, material, turn, wall, world};

/// Which solids, of which material.
type Things<'a> = (&'a [&'a str], Material);

/// Units of length, time and mass.
#[derive(Debug, Clone, Copy)]
struct Units {
    length: f64,
    time: f64,
    mass: f64,
}

/// Five solids over a floor, between two walls, with restitution and friction.
fn scene(units: Units, place: DVec3, (kinds, surface): Things) -> World {
    let Units { length, time, mass } = units;
    let mut random = Random(21);
    let speed = length / time;
    let mut bodies = vec![
        wall(DVec3::Z, length * place.z, "floor"),
        wall(DVec3::X, length * (place.x - 1.0), "left"),
        wall(-DVec3::X, -length * (place.x + 1.0), "right"),
    ];
    for i in 0..5 {
        let at = dvec3((i % 2) as f64 - 0.5, (i / 2) as f64 - 1.0, 0.5 + 0.3 * (i % 3) as f64);
        let body = body_of(kinds[i % kinds.len()], length * 0.3, &mut random);
        let properties =
            dolmen::mass::of_shape(body.shape().expect("a shape"), mass / (length * length * length));
        let body =
            Body::dynamic(&properties.expect("a solid")).with_shape(body.shape().expect("a shape").clone());
        let body = body.centred_at(length * (at + place), turn(&mut random));
        let body = body.moving(speed * 2.0 * random.in_cube(), 3.0 * random.in_cube() / time);
        bodies.push(body.named(format!("body {i}")));
    }
    let gravity = dvec3(0.0, 0.0, -9.81 * length / (time * time));
    world(bodies, gravity, surface)
}

const PLAIN: Units = Units { length: 1.0, time: 1.0, mass: 1000.0 };

/// Times of events in units of the scene, and the end of body 0.
fn run(units: Units, place: DVec3, things: Things, end: f64) -> (Vec<f64>, Vec<DVec3>) {
    let mut simulation = Simulation::new(scene(units, place, things)).expect("a start without overlaps");
    simulation.advance(units.time * end).expect("to go on");
    let times = simulation.events().iter().map(|e| e.t / units.time).collect();
    let ids = crate::common::movers(simulation.world());
    let ends = ids.iter().map(|id| simulation.pose(*id).position / units.length - place).collect();
    (times, ends)
}

const SOLIDS: [&str; 5] = ["sphere", "box", "capsule", "hull", "sphere"];

/// In units that are powers of two nothing is rounded differently: not one bit of flights and collisions may change.
#[test]
fn powers_of_two_change_no_bit() {
    let things: Things = (&SOLIDS, elastic());
    let plain = run(PLAIN, DVec3::ZERO, things, 1.0);
    assert!(plain.0.len() > 10, "{} events", plain.0.len());
    let powers = [(20, 0, 0), (-20, 0, 0), (0, 12, 0), (0, -12, 0), (0, 0, 30), (0, 0, -30), (-16, -8, -20)];
    for (l, t, m) in powers {
        let two = |n: i32| if n < 0 { 1.0 / f64::from(1_u32 << -n) } else { f64::from(1_u32 << n) };
        let units = Units { length: two(l), time: two(t), mass: 1000.0 * two(m) };
        let scaled = run(units, DVec3::ZERO, things, 1.0);
        let same = plain.0.iter().zip(&scaled.0).take_while(|(a, b)| a == b).count();
        assert_eq!(plain, scaled, "{units:?}: {same} events alike");
    }
}

/// Micrometres and thousands of kilometres: the same numbers up to rounding, which few collisions amplify little.
#[test]
fn micrometres_and_megametres_give_the_same_numbers() {
    for kinds in [&["sphere"][..], &SOLIDS] {
        let end = 0.6;
        let things: Things = (kinds, material(0.6, 0.3));
        let plain = run(PLAIN, DVec3::ZERO, things, end);
        for (length, time) in [(1e-6, 1.0), (1e6, 1.0), (1e-6, 1e-3), (1e6, 1e3)] {
            let units = Units { length, time, mass: 1000.0 };
            let scaled = run(units, DVec3::ZERO, things, end);
            assert_eq!(plain.0.len(), scaled.0.len(), "{kinds:?} {units:?}: {:?} {:?}", plain.0, scaled.0);
            for (a, b) in plain.0.iter().zip(&scaled.0) {
                assert!((a - b).abs() < 1e-9, "{kinds:?} {units:?}: an event at {b} instead of {a}");
            }
            for (a, b) in plain.1.iter().zip(&scaled.1) {
                assert!(a.distance(*b) < 1e-9, "{kinds:?} {units:?}: {b} instead of {a}");
            }
        }
    }
}

/// At 1e7 m coordinates are rounded to 2e-9 m: the first events come at the same times, to that over the speeds.
#[test]
fn far_from_the_origin_the_first_events_are_the_same() {
    for kinds in [&["sphere"][..], &SOLIDS] {
        let end = 0.5;
        let things: Things = (kinds, material(0.6, 0.3));
        let plain = run(PLAIN, DVec3::ZERO, things, end);
        for place in [dvec3(1e7, 0.0, 0.0), dvec3(0.0, -1e7, 0.0), dvec3(1e7, -1e7, 1e7)] {
            let moved = run(PLAIN, place, things, end);
            assert!(!moved.0.is_empty());
            for (a, b) in plain.0.iter().zip(&moved.0).take(3) {
                assert!((a - b).abs() < 1e-6, "{kinds:?} at {place}: {b} instead of {a}");
            }
            assert!(moved.1.iter().all(|x| x.is_finite()));
        }
    }
}
