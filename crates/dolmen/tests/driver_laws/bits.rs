//! Same bits however time is cut up, whoever looks, in whatever order bodies were made.

use std::sync::Arc;

use dolmen::force::{Anchor, Spring};
use dolmen::motion::Prescribed;
use dolmen::prelude::*;
use dolmen::record::Event;

use crate::clouds::Random;
use crate::common::{
    GRAVITY, KINDS, ball, body_of, elastic, floor, material, room, solid, turn, wall, world,
};

/// Everything that a run leaves behind: how it ended, the hash of its states, its ledger, its events.
#[derive(Debug, PartialEq)]
struct Trace {
    outcome: Result<(), dolmen::drive::exact::Stop>,
    hash: String,
    ledger: dolmen::record::Ledger,
    events: Vec<Event>,
}

fn trace(mut simulation: Simulation, cuts: &[f64]) -> Trace {
    let outcome = cuts.iter().try_for_each(|t| simulation.advance(*t));
    let sample = simulation.sample();
    Trace { outcome, hash: sample.hash(), ledger: sample.ledger, events: simulation.events().to_vec() }
}

fn assert_same(a: &Trace, b: &Trace, how: &str) {
    assert_eq!(a.outcome, b.outcome, "{how}");
    for (i, (x, y)) in a.events.iter().zip(&b.events).enumerate() {
        assert_eq!(x, y, "{how}: event {i}");
    }
    assert_eq!(a.events.len(), b.events.len(), "{how}: number of events");
    assert_eq!(a.hash, b.hash, "{how}: states");
    assert_eq!(a.ledger, b.ledger, "{how}: ledger");
}

/// Elastic solids of several kinds in a room without gravity.
fn elastic_room(reversed: bool) -> World {
    let mut random = Random(3);
    let mut bodies = room(1.0);
    for (i, kind) in ["sphere", "box", "capsule", "hull", "sphere", "box"].into_iter().enumerate() {
        let cell = dvec3((i % 2) as f64 - 0.5, (i / 2 % 2) as f64 - 0.5, (i / 4) as f64 - 0.5);
        let body = body_of(kind, 0.3, &mut random).centred_at(cell, turn(&mut random));
        let body = body.moving(2.0 * random.in_cube(), 3.0 * random.in_cube());
        bodies.push(body.named(format!("body {}", 9 - i)));
    }
    if reversed {
        bodies.reverse();
    }
    world(bodies, DVec3::ZERO, elastic())
}

/// Balls and boxes with friction over a floor that swings, two of them on a spring: flights, bounces, slides, rolls.
fn rough_floor(reversed: bool) -> World {
    let shaker = Prescribed::Oscillate {
        middle: Pose { position: dvec3(3.0, 0.0, 0.0), orientation: DQuat::IDENTITY },
        amplitude: dvec3(0.0, 0.0, 0.03),
        axis: DVec3::X,
        angle: 0.0,
        frequency: 2.0,
        phase: 0.3,
    };
    let table = Shape::cuboid(dvec3(0.5, 0.5, 0.05)).expect("sound");
    let cube = Shape::cuboid(DVec3::splat(0.1)).expect("sound");
    let mut bodies = vec![
        floor(),
        ball("ball", 0.1, dvec3(0.0, 0.0, 0.6)).moving(dvec3(1.0, 0.0, 0.0), dvec3(0.0, 9.0, 0.0)),
        ball("another", 0.2, dvec3(1.0, 0.0, 0.2)),
        solid("cube", cube.clone(), dvec3(0.0, 1.0, 0.1), DQuat::IDENTITY).moving(DVec3::X, DVec3::ZERO),
        Body::prescribed(shaker).with_shape(table).named("shaker"),
        ball("shaken", 0.1, dvec3(3.0, 0.0, 0.4)),
        ball("tied", 0.1, dvec3(-1.0, 0.0, 0.5)),
        ball("tie", 0.1, dvec3(-1.5, 0.0, 0.6)),
    ];
    if reversed {
        bodies.reverse();
    }
    let mut world = world(bodies, GRAVITY, material(0.5, 0.3));
    let [a, b] = ["tie", "tied"].map(|name| world.find_body(name).expect("named so"));
    let spring = Spring {
        a: Anchor::Body { body: a, at: dvec3(0.0, 0.05, 0.0) },
        b: Anchor::Body { body: b, at: DVec3::ZERO },
        stiffness: 200.0,
        length: 0.4,
        damping: 0.5,
    };
    world.add_force(spring).expect("sound");
    world
}

/// Elastic solids and rough ones, each with the time that it is run for.
fn worlds(reversed: bool) -> [(&'static str, Arc<World>, f64); 2] {
    [
        ("elastic room", Arc::new(elastic_room(reversed)), 2.0),
        ("rough floor", Arc::new(rough_floor(reversed)), 1.5),
    ]
}

fn start(world: &Arc<World>) -> Simulation {
    Simulation::new(Arc::clone(world)).expect("a start without overlaps")
}

/// `advance(T)` once, in tenths and at odd times: asking for a time never changes what happens.
#[test]
fn time_may_be_cut_up_in_any_way() {
    for (name, world, end) in worlds(false) {
        let whole = trace(start(&world), &[end]);
        assert!(whole.events.len() > 20, "{name}: only {} events", whole.events.len());
        assert_eq!(whole.outcome, Ok(()), "{name}");
        let tenths: Vec<f64> = (1..=10).map(|k| end * (0.1 * f64::from(k))).collect();
        assert_same(&whole, &trace(start(&world), &tenths), &format!("{name}, tenths"));
        let mut random = Random(11);
        let mut odd: Vec<f64> = (0..137).map(|_| end * random.unit()).collect();
        // At the very instants of events, and just beside them.
        odd.extend(whole.events.iter().take(20).flat_map(|e| [e.t.next_down(), e.t, e.t.next_up()]));
        odd.retain(|t| (0.0..end).contains(t));
        odd.sort_by(f64::total_cmp);
        odd.push(end);
        assert_same(&whole, &trace(start(&world), &odd), &format!("{name}, odd times"));
    }
}

/// Samples, ledgers, loads and forces are questions: they leave no trace.
#[test]
fn reading_changes_nothing() {
    for (name, world, end) in worlds(false) {
        let whole = trace(start(&world), &[end]);
        let mut watched = start(&world);
        for k in 1..=100 {
            watched.advance(end * f64::from(k) / 100.0).expect("as before");
            let _ = (watched.sample(), watched.ledger(), watched.momentum(), watched.contact_forces());
            for id in world.body_ids() {
                let _ = (watched.kinematics(id), watched.load(id), watched.rotation_matrix(id));
                let _ = watched.motion(id).is_some();
            }
        }
        assert_same(&whole, &trace(watched, &[end]), name);
    }
}

/// A clone goes on as its original does, and neither disturbs the other.
#[test]
fn a_clone_goes_on_to_the_same_bits() {
    for (name, world, end) in worlds(false) {
        let whole = trace(start(&world), &[end]);
        for share in [0.0, 0.1, 0.37, 0.8] {
            let mut original = start(&world);
            original.advance(share * end).expect("as before");
            let twin = original.clone();
            assert_same(&whole, &trace(original, &[0.9 * end, end]), &format!("{name}, original at {share}"));
            assert_same(&whole, &trace(twin, &[end]), &format!("{name}, clone at {share}"));
        }
    }
}

/// A run that is interrupted again and again goes on to the same bits.
#[test]
fn interruptions_change_nothing() {
    for (name, world, end) in worlds(false) {
        let whole = trace(start(&world), &[end]);
        let mut broken = start(&world);
        let mut interruptions = 0;
        loop {
            let mut steps = 0;
            let outcome = broken.advance_while(end, &mut |_| {
                steps += 1;
                steps < 7
            });
            match outcome {
                Ok(()) => break,
                Err(_) => interruptions += 1,
            }
        }
        assert!(interruptions > 10, "{name}: {interruptions} interruptions");
        assert_same(&whole, &trace(broken, &[end]), name);
    }
}

/// Ids are ranks of names: bodies made in another order give the same bits.
#[test]
fn the_order_of_creation_does_not_matter() {
    for ((name, world, end), (_, reversed, _)) in worlds(false).into_iter().zip(worlds(true)) {
        assert_same(&trace(start(&world), &[end]), &trace(start(&reversed), &[end]), name);
    }
}

/// Bodies that are far away and never meet the others change no bit of what happens to these.
#[test]
fn strangers_change_nothing() {
    let mut random = Random(8);
    let mut bodies = Vec::new();
    for (i, kind) in ["sphere", "box", "capsule", "hull", "sphere", "box"].into_iter().enumerate() {
        let at = dvec3((i % 2) as f64 - 0.5, (i / 2 % 2) as f64 - 0.5, (i / 4) as f64 - 0.5);
        let body = body_of(kind, 0.45, &mut random).centred_at(at, turn(&mut random));
        bodies.push(body.moving(-2.0 * at, 3.0 * random.in_cube()).named(format!("body {i}")));
    }
    let alone = world(bodies.clone(), DVec3::ZERO, elastic());
    // Their names come last, so that the ids of the others stay.
    bodies.push(ball("zz far", 1.0, dvec3(1e3, 0.0, 0.0)).moving(DVec3::Y, DVec3::X));
    bodies.push(ball("zz further", 1.0, dvec3(1e3, 3.0, 0.0)).moving(-DVec3::Y, DVec3::X));
    let both = world(bodies, DVec3::ZERO, elastic());
    let run = |world: World| {
        let mut simulation = Simulation::new(world).expect("a start");
        simulation.advance(2.0).expect("to go on");
        let own = |e: &&Event| !simulation.world().body_name(e.bodies[1]).starts_with("zz");
        // Groups count all events.
        let events: Vec<Event> =
            simulation.events().iter().filter(own).map(|e| Event { group: 0, ..*e }).collect();
        let poses: Vec<Pose> = (0..6).map(|k| simulation.pose(BodyId::from_rank(k))).collect();
        (events, poses, simulation.events().len())
    };
    let (a, b) = (run(alone), run(both));
    assert!(a.2 > 5 && b.2 == a.2 + 1, "{} and {} events", a.2, b.2);
    assert_eq!((a.0, a.1), (b.0, b.1));
}

/// Balls that others fly by closely, and never touch, change no bit of their motion, however much more there is to look
/// for: the instant of a contact depends on the two motions alone.
#[test]
fn neighbours_that_never_touch_change_nothing() {
    let mut random = Random(12);
    let mut bodies = room(1.0);
    for i in 0..8 {
        let at = dvec3(f64::from(i % 2) - 0.5, f64::from(i / 2 % 2) - 0.5, f64::from(i / 4) - 0.5);
        bodies.push(ball(&format!("ball {i}"), 0.2, at).moving(2.0 * random.in_cube(), DVec3::ZERO));
    }
    let alone = world(bodies.clone(), GRAVITY, elastic());
    // Just behind the walls, where covers reach and balls do not.
    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
        for i in 0..32 {
            let along = dvec3(f64::from(i / 2 % 4) - 1.5, f64::from(i / 8) - 1.5, 0.0) * 0.5;
            let along = dvec3(along[(k + 2) % 3], along[(k + 1) % 3], along[k]);
            let along = along - axis * along.dot(axis);
            let side = f64::from(2 * (i % 2) - 1);
            let at = along + axis * side * 1.26;
            let fixed = Body::fixed(Pose { position: at, orientation: DQuat::IDENTITY });
            let sphere = Shape::sphere(0.25).expect("a radius");
            bodies.push(fixed.with_shape(sphere).named(format!("zz {k} {i}")));
        }
    }
    let crowded = world(bodies, GRAVITY, elastic());
    let run = |world: World| {
        let mut simulation = Simulation::new(world).expect("a start");
        simulation.advance(5.0).expect("to go on");
        let poses: Vec<Pose> = (0..8).map(|k| simulation.pose(BodyId::from_rank(k))).collect();
        (simulation.events().to_vec(), poses, simulation.detection())
    };
    let (a, b) = (run(alone), run(crowded));
    assert!(a.0.len() > 100, "{} events", a.0.len());
    assert!(
        b.2.fat_aabbs > a.2.fat_aabbs && b.2.searches > a.2.searches,
        "{:?} and {:?}: not crowded",
        a.2,
        b.2
    );
    assert_eq!((a.0, a.1), (b.0, b.1));
}

/// Every kind of solid comes to lie on a rough floor by the same bits, however time is cut up.
#[test]
fn settling_solids_keep_their_bits() {
    for kind in KINDS {
        let mut random = Random(5);
        let body =
            body_of(kind, 0.3, &mut random).centred_at(0.5 * DVec3::Z, turn(&mut random)).named("body");
        let bodies = vec![wall(DVec3::Z, 0.0, "floor"), body];
        let world = Arc::new(world(bodies, GRAVITY, material(0.3, 0.4)));
        let whole = trace(start(&world), &[1.0]);
        let cuts: Vec<f64> = (1..=50).map(|k| f64::from(k) / 50.0).collect();
        assert_same(&whole, &trace(start(&world), &cuts), kind);
    }
}
