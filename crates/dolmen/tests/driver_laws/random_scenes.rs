//! Whatever is thrown into a box: books balance, nothing overlaps, nothing panics, momentum is kept.

use dolmen::drive::exact::{Reason, Stop};
use dolmen::narrow_phase::{Geometry, Placed, Statistics, Tolerance, Witness, separate};
use dolmen::prelude::*;
use dolmen::record::Balance;

use crate::clouds::Random;
use crate::common::{GRAVITY, KINDS, body_of, cases, material, movers, room, turn, world};

/// 2 to 6 convex bodies on a lattice; random shapes, places within their cells, rotations, velocities and spins.
fn bodies(random: &mut Random, kinds: &[&str]) -> Vec<Body> {
    let count = 2 + (5.0 * random.unit()) as usize;
    let body = |i: usize, random: &mut Random| {
        let kind = kinds[(kinds.len() as f64 * random.unit()) as usize];
        let cell = dvec3((i % 2) as f64 - 0.5, (i / 2 % 2) as f64 - 0.5, (i / 4) as f64 - 0.5);
        let at = 0.7 * cell + 0.04 * random.in_cube();
        let body = body_of(kind, 0.3, random).centred_at(at, turn(random));
        body.moving(2.0 * random.in_cube(), 5.0 * random.in_cube()).named(format!("{kind} {i}"))
    };
    (0..count).map(|i| body(i, random)).collect()
}

/// Bodies with gravity in a room of planes, with random restitution and friction.
fn boxed_scene(seed: u64, kinds: &[&str]) -> World {
    let mut random = Random(seed);
    let mut all = bodies(&mut random, kinds);
    all.extend(room(0.75));
    let (restitution, friction) = (random.unit(), random.unit());
    world(all, GRAVITY, material(restitution, friction))
}

/// Bodies without gravity or walls that fly towards each other.
fn free_scene(seed: u64) -> World {
    let mut random = Random(seed);
    let drift = random.in_cube();
    let all = bodies(&mut random, &KINDS);
    let inwards = |body: Body| {
        let (at, twist) = (body.start_pose().position, body.start_twist());
        body.moving(drift + 0.3 * twist.velocity - 2.0 * at, twist.spin)
    };
    let (restitution, friction) = (random.unit(), random.unit());
    world(all.into_iter().map(inwards).collect(), DVec3::ZERO, material(restitution, friction))
}

/// The deepest overlap of any pair now, as a share of the contact tolerance, with the names of the two.
fn deepest(simulation: &Simulation) -> (f64, String) {
    let world = simulation.world();
    let shaped: Vec<(BodyId, Geometry)> =
        world.body_ids().filter_map(|id| Some((id, Geometry::new(world.body(id).shape()?)))).collect();
    let place = |(id, geometry): &'_ (BodyId, Geometry)| {
        let pose = simulation.pose(*id);
        let position = pose.point(world.body(*id).shape_origin());
        (Pose { position, ..pose }, geometry.clone())
    };
    let mut worst = (0.0, String::new());
    for (i, a) in shaped.iter().enumerate() {
        for b in &shaped[i + 1..] {
            if !(world.body(a.0).is_dynamic() || world.body(b.0).is_dynamic()) {
                continue;
            }
            let ((pose_a, geometry_a), (pose_b, geometry_b)) = (place(a), place(b));
            let placed_a = Placed { geometry: &geometry_a, pose: pose_a };
            let placed_b = Placed { geometry: &geometry_b, pose: pose_b };
            let found = separate(&placed_a, &placed_b, &mut Witness::Unknown, &mut Statistics::default());
            let share = -found.expect("a pair that ran").distance
                / Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
            if share > worst.0 {
                worst = (share, format!("{} and {}", world.body_name(a.0), world.body_name(b.0)));
            }
        }
    }
    worst
}

/// Steps that the driver may take for a second of a handful of bodies: several times what the busiest sound run takes.
const BUDGET: u64 = 100_000;

/// What came of a run.
struct Fate {
    outcome: Result<(), Stop>,
    events: usize,
    balance: Balance,
    /// The deepest overlap at events and at the times of looking, by the contact tolerance.
    overlap: (f64, String),
    bound: f64,
    t: f64,
    steps: u64,
}

fn run(world: World, end: f64) -> Fate {
    let mut simulation = Simulation::new(world).expect("a start without overlaps");
    let mut balance = Balance::default();
    balance.add(&simulation.ledger());
    let mut overlap = (0.0, String::new());
    let (mut outcome, mut steps) = (Ok(()), 0);
    for k in 1..=20 {
        outcome = simulation.advance_while(end * f64::from(k) / 20.0, &mut |_| {
            steps += 1;
            steps < BUDGET
        });
        let sample = simulation.sample();
        assert_eq!(sample.not_finite(simulation.world()), None, "at {} s", sample.t);
        balance.add(&sample.ledger);
        let now = deepest(&simulation);
        if now.0 > overlap.0 {
            overlap = (now.0, format!("{} at {} s", now.1, sample.t));
        }
        if outcome.is_err() {
            break;
        }
    }
    let at_events = simulation.deepest_overlap().1;
    if at_events > overlap.0 {
        overlap = (at_events, "at an event".to_owned());
    }
    let (events, bound, t) = (simulation.events().len(), simulation.overlap_bound(), simulation.time());
    Fate { outcome, events, balance, overlap, bound, t, steps }
}

/// SYSTEM, ledger and trap 13: books balance to 1e-10 of the turnover; overlaps stay below the tolerance of the pair, or, where
/// time steps were taken, below the arcs of these; a run ends or stops with a report.
fn check(fate: &Fate) -> Result<(), String> {
    if fate.balance.relative() > 1e-10 || fate.balance.relative().is_nan() {
        let (error, turnover) = (fate.balance.largest_error, fate.balance.turnover);
        return Err(format!("{error:e} J are missing of a turnover of {turnover} J"));
    }
    if fate.overlap.0 > fate.bound {
        let ((share, whose), bound) = (&fate.overlap, fate.bound);
        return Err(format!("an overlap of {share} tolerances, {whose}; at most {bound}"));
    }
    match &fate.outcome {
        Err(Stop { reason: Reason::Interrupted, t }) => {
            Err(format!("at {t} s after {BUDGET} steps and {} events", fate.events))
        }
        _ => Ok(()),
    }
}

/// Runs random scenes; those that panic are reported with their seed like the others.
fn try_scenes(kinds: &[&str], count: u64, end: f64) {
    let first: u64 = std::env::var("DOLMEN_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut problems = Vec::new();
    let mut stops = 0;
    for seed in first..first + count {
        let attempt = std::panic::catch_unwind(|| run(boxed_scene(seed, kinds), end));
        let Ok(fate) = attempt else {
            problems.push(format!("seed {seed}: panicked"));
            continue;
        };
        let (error, overlap, bound) = (fate.balance.relative(), &fate.overlap, fate.bound);
        println!(
            "seed {seed}: {} events, {} steps, ledger {error:.1e}, overlap {overlap:?} of {bound:.1}",
            fate.events, fate.steps
        );
        problems.extend(check(&fate).err().map(|problem| format!("seed {seed}: {problem}")));
        if let Err(stop) = &fate.outcome {
            stops += 1;
            println!("seed {seed} stopped at {} after {} events: {stop}", fate.t, fate.events);
        }
    }
    println!("{kinds:?}: {stops} of {count} stopped");
    assert!(problems.is_empty(), "{kinds:?}:\n{}", problems.join("\n"));
}

/// Balls: every contact has a closed form.
#[test]
fn balls_in_a_room_keep_their_books() {
    try_scenes(&["sphere"], cases(12), 2.0);
}

/// Solids with flat faces.
#[test]
fn polyhedra_in_a_room_keep_their_books() {
    try_scenes(&["box", "hull"], cases(6), 1.0);
}

/// Solids with curved surfaces and edges.
#[test]
fn round_solids_in_a_room_keep_their_books() {
    try_scenes(&["capsule", "cylinder", "cone", "disc"], cases(6), 1.0);
}

/// Everything with everything.
#[test]
fn mixed_solids_in_a_room_keep_their_books() {
    try_scenes(&KINDS, cases(6), 1.0);
}

/// Nothing external acts: the momentum of a cluster and its angular momentum stay, whatever ε and μ.
#[test]
fn collisions_keep_momentum_and_angular_momentum() {
    let mut met = 0;
    for seed in 0..cases(20) {
        let mut simulation = Simulation::new(free_scene(seed)).expect("a start without overlaps");
        let (linear, angular) = simulation.momentum();
        // What the parts sum to without their signs: the measure of rounding. A contact that is held is to the
        // integrator's tolerance of 1e-12 a step, with some hundred steps; the rest is rounding.
        let (mut linear_scale, mut angular_scale) = (0.0, 0.0);
        for id in movers(simulation.world()) {
            let state = simulation.state(id).expect("dynamic");
            linear_scale += state.momentum.length();
            angular_scale += state.angular_momentum.length() + state.momentum.length();
        }
        for k in 1..=10 {
            let outcome = simulation.advance(0.1 * f64::from(k));
            let (p, l) = simulation.momentum();
            let errors = ((p - linear).length() / linear_scale, (l - angular).length() / angular_scale);
            assert!(errors.0.max(errors.1) < 1e-10, "seed {seed} at {} s: {errors:?}", simulation.time());
            if let Err(stop) = outcome {
                println!("seed {seed}: {stop}");
                break;
            }
        }
        met += usize::from(!simulation.events().is_empty());
    }
    assert!(met as u64 * 2 > cases(20), "only {met} clusters met");
}
