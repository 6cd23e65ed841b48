//! Numbers in `scenes/*.expect.toml` that no closed form gives: found again by reduced coordinates and an integrator of their own.
//!
//! Nothing of the engine takes part but vectors, elementary functions and, for piles of particles, the reader of scenes.

#[path = "references/chain.rs"]
mod chain;
#[path = "references/disc.rs"]
mod disc;
#[path = "references/extrapolate.rs"]
mod extrapolate;
#[path = "references/particles.rs"]
mod particles;
#[path = "references/springs.rs"]
mod springs;

use std::path::{Path, PathBuf};

use chain::{G, Link, bar};
use dolmen::math::{DVec3, dvec3, real};
use dolmen::scene::{Document, Typed};
use extrapolate::{Equations, State};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct File {
    expect: Vec<Expect>,
}

#[derive(Debug, Deserialize)]
struct Expect {
    label: Option<String>,
    value: Option<serde_json::Value>,
}

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn read(name: &str) -> String {
    let path = scenes().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Asserts that the value with this label in the file of a scene is `found`, to `within` of its size.
fn assert_written(scene: &str, label: &str, found: &[f64], within: f64) {
    let name = format!("{scene}.expect.toml");
    let file = Typed::<File>::parse(&name, &read(&name)).expect("a file of expectations");
    let expect = file.value().expect.iter().find(|expect| expect.label.as_deref() == Some(label));
    let value = expect.and_then(|expect| expect.value.clone());
    let value = value.unwrap_or_else(|| panic!("{name} has no `{label}`: it is {found:?}"));
    let written: Vec<f64> = match &value {
        serde_json::Value::Array(list) => list.iter().filter_map(serde_json::Value::as_f64).collect(),
        other => other.as_f64().into_iter().collect(),
    };
    let size = found.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= within * size;
    assert!(
        written.len() == found.len() && written.iter().zip(found).all(is_near),
        "{name}, `{label}`: written {written:?}, found {found:?}"
    );
}

/// The same with half as many steps: what the digits are good for.
fn assert_settled(coarse: &[f64], fine: &[f64], within: f64) {
    let size = fine.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let off = coarse.iter().zip(fine).fold(0.0_f64, |off, (a, b)| off.max((a - b).abs()));
    assert!(off <= within * size, "{off} between two lengths of step: {coarse:?}, {fine:?}");
}

fn at_two_steps(
    equations: &Equations<impl Fn(f64, &[f64]) -> State>,
    start: &[f64],
    end: f64,
    steps: usize,
    within: f64,
) -> State {
    let fine = equations.at(0.0, start, end, 2 * steps);
    assert_settled(&equations.at(0.0, start, end, steps), &fine, within);
    fine
}

/// Ten equal bars fall from the horizontal.
#[test]
fn the_chain_on_its_pivot() {
    let links = [bar(0.2, (0.18, 0.04), 0.2); 10];
    let equations = Equations(|_, y: &[f64]| chain::rates(&links, y, false));
    let y = at_two_steps(&equations, &[0.0; 20], 0.8, 200, 1e-11);
    let (x, z) = chain::centre(&links, &y, 9);
    assert_written("chain-on-pivot", "the last link", &[x, 0.0, z], 1e-10);
}

/// The time and the speed at which a ball at the end of a chain meets what stands at x, from the horizontal.
fn swing(links: &[Link], height: f64, guard: impl Fn(f64, f64) -> f64) -> (f64, [f64; 4]) {
    let last = links.len() - 1;
    let equations = Equations(|_, y: &[f64]| chain::rates(links, y, false));
    let mut start = vec![0.0; 2 * links.len()];
    start[..links.len()].fill(real::PI);
    let (t, y) = equations.first_zero(0.0, &start, 2e-3, |y| {
        let (x, z) = chain::centre(links, y, last);
        guard(x, height + z)
    });
    let ((x, z), (vx, vz)) = (chain::centre(links, &y, last), chain::velocity(links, &y, last));
    (t, [x, height + z, vx, vz])
}

/// A ball of a ton on five links meets the crate with its side, below the edge.
#[test]
fn the_wrecking_ball_meets_the_crate() {
    let mut links = vec![bar(1.0, (0.9, 0.1), 1.0); 5];
    links.push(Link { length: 1.0, centre: 0.5, mass: 1000.0, inertia: 0.4 * 1000.0 * 0.25 });
    let (t, [_, z, vx, _]) = swing(&links, 6.5, |x, _| 0.75 - x);
    assert!(z > 0.5 && z < 1.5, "it meets the side of the crate at z = {z}");
    assert_written("wrecking-ball", "the ball meets the crate", &[t], 1e-11);
    assert_written("wrecking-ball", "speed of approach", &[vx], 1e-11);
}

/// The weight of the destructive chain swings down and meets the floor first.
#[test]
fn the_weight_of_the_chain_touches_first() {
    let mut links = vec![bar(0.4, (0.36, 0.08), 0.5); 6];
    links.push(Link { length: 0.6, centre: 0.3, mass: 20.0, inertia: 0.4 * 20.0 * 0.09 });
    let (t, [x, z, _, vz]) = swing(&links, 2.8, |x, z| (z - 0.3).min(0.375 - 0.3 - x));
    assert!((z - 0.3).abs() < 1e-9, "it touches the floor before the wall: x = {x}, z = {z}");
    assert_written("destructive-chain", "the weight touches", &[t], 1e-11);
    assert_written("destructive-chain", "speed of approach", &[-vz], 1e-11);
}

/// Before anything falls onto it the chain is its own mirror image: half of it, whose end stays in the middle.
#[test]
fn the_chain_between_two_points_before_the_balls() {
    let links = [bar(0.3, (0.26, 0.06), 0.5); 4];
    let equations = Equations(|_, y: &[f64]| chain::rates(&links, y, true));
    let mut start = [0.0; 8];
    start[..4].fill(-real::PI / 6.0);
    let y = at_two_steps(&equations, &start, 0.3, 100, 1e-11);
    let (x, z) = chain::centre(&links, &y, 1);
    assert_written("balls-on-a-chain", "the second link", &[x - 1.0392304845413265, 0.0, z], 1e-10);
}

/// Tilt θ of the inner ring with the momenta of the other two angles as constants:
/// A θ̈ = −∂/∂θ (p sin θ)²/(2 J(θ)) − m g d cos θ, ψ̇ = −p sin θ/J(θ), with p the angular momentum of the rotor along its axle.
#[test]
fn the_gyroscope_by_its_tilt() {
    let (p, weight, tilting) = (0.001 * 100.0, 0.1 * G * 0.01, 0.0008 + 0.1 * 0.0001 + 0.0006);
    let (square_sin, square_cos) = (0.0005, 0.0005 + 0.1 * 0.0001 + 0.0006);
    let upright = move |theta: f64| {
        let (sin, cos) = real::sin_cos(theta);
        (0.003 + square_sin * sin * sin + square_cos * cos * cos, 2.0 * (square_sin - square_cos) * sin * cos)
    };
    let equations = Equations(|_, y: &[f64]| {
        let (sin, cos) = real::sin_cos(y[0]);
        let (j, slope) = upright(y[0]);
        let push = p * p * (sin * cos / j - 0.5 * sin * sin * slope / (j * j));
        vec![y[1], -(push + weight * cos) / tilting, -p * sin / j]
    });
    let y = at_two_steps(&equations, &[0.0; 3], 2.0, 2000, 1e-11);
    let ((sin, cos), (sin_turn, cos_turn)) = (real::sin_cos(y[0]), real::sin_cos(y[2]));
    let inner = [-0.01 * sin_turn * cos, 0.01 * cos_turn * cos, 0.01 * sin];
    assert_written("gyroscope-in-gimbals", "the weight on the inner ring", &inner, 1e-10);
    assert_written("gyroscope-in-gimbals", "turn of the outer ring", &[y[2]], 1e-10);
}

/// Flight of a symmetric top to the floor; an impact that neither slips nor parts leaves the angular momentum about the point of
/// contact; then it rolls on its rim.
#[test]
fn eulers_disc_falls_and_rolls() {
    let (sin, cos) = real::sin_cos(75.0_f64.to_radians());
    let (axis, spin, height) = (dvec3(0.0, -sin, cos), dvec3(0.0, 0.0, 4.0), 0.45);
    let momentum = disc::momentum(axis, spin);
    let gap = |t: f64| {
        let axis = disc::axis_in_flight(axis, momentum, t);
        height - 0.5 * G * t * t - disc::lever(axis).z
    };
    let (mut low, mut high) = (0.0, 0.2);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gap(middle) > 0.0 { low = middle } else { high = middle }
    }
    let t = high;
    assert_written("eulers-disc", "it meets the floor", &[t], 1e-12);

    let axis = disc::axis_in_flight(axis, momentum, t);
    let lever = disc::lever(axis);
    let (centre, fall) = (DVec3::Z * (height - 0.5 * G * t * t), DVec3::Z * (-G * t));
    let rolling_spin = disc::inertia_at_contact(axis, lever).inverse() * (momentum + lever.cross(fall));
    let impulse = rolling_spin.cross(lever) - fall;
    let share = impulse.truncate().length() / impulse.z;
    assert!(share < 0.4, "the impact would slip: {share}");
    let start: State = [axis, rolling_spin, centre].iter().flat_map(dolmen::math::DVec3::to_array).collect();
    let equations = Equations(|_, y: &[f64]| disc::rolling(y));
    let mut largest = 0.0_f64;
    for k in 0..20 {
        largest = largest.max(disc::grip(&equations.at(t, &start, t + 0.05 * f64::from(k), 20)));
    }
    assert!(largest < 0.4, "it would slip: {largest}");
    let y = equations.at(t, &start, 1.0, 400);
    assert_settled(&equations.at(t, &start, 1.0, 200), &y, 1e-11);
    assert_written("eulers-disc", "the centre while it rolls", &y[6..9], 1e-9);
}

/// θ̈ = −(3 g/4R) sin(α − θ) about an edge; each impact leaves 1 − (3/2) sin² α of the rate. [Housner 1963]
#[test]
fn the_block_rocks_by_housner() {
    let (half_width, half_height) = (0.25_f64, 1.0_f64);
    let radius_squared = half_width * half_width + half_height * half_height;
    let slant = real::atan2(half_width, half_height);
    let share = 1.0 - 1.5 * half_width * half_width / radius_squared;
    let rate = 0.75 * G / radius_squared.sqrt();
    let equations = Equations(|_, y: &[f64]| vec![y[1], -rate * real::sin(slant - y[0])]);
    let (mut t, mut y) = equations.first_zero(0.0, &[5.0_f64.to_radians(), 0.0], 1e-2, |y| y[0]);
    let mut times = vec![t];
    for _ in 0..4 {
        // A little way in, so that the start is no zero.
        let up = -share * y[1];
        let begun = equations.at(0.0, &[0.0, up], 1e-3, 1);
        let (after, end) = equations.first_zero(1e-3, &begun, 1e-2, |y| y[0]);
        (t, y) = (t + after, end);
        times.push(t);
    }
    assert_written("rocking-block", "impact 1", &times[..1], 1e-12);
    assert_written("rocking-block", "impact 5", &times[4..], 1e-11);
}

/// Thirteen numbers a block.
#[test]
fn the_spring_chain_by_newton_and_euler() {
    let equations = Equations(springs::rates);
    let y = at_two_steps(&equations, &springs::start(), 1.0, 400, 1e-10);
    assert_written("spring-chain", "the second block", &y[13..16], 1e-9);
}

/// The energy at the start, and where the first particle of a set is at a time.
fn crowd(scene: &str, set: &str, law: particles::Law) -> (f64, Vec<f64>) {
    let (t, steps) = (1.0, 40);
    let name = format!("{scene}.toml");
    let document = Document::parse(&name, &read(&name)).expect("a scene");
    let world = document.build(&scenes()).expect("a world");
    let (masses, start) = particles::start(&world);
    let before = world.sets().iter().take_while(|other| other.name() != set);
    let which: usize = before.map(dolmen::world::ParticleSet::len).sum();
    let equations = Equations(|_, y: &[f64]| particles::rates(law, &masses, y));
    let y = at_two_steps(&equations, &start, t, steps, 1e-10);
    (particles::energy(law, &masses, &start), y[3 * which..3 * which + 3].to_vec())
}

/// All pairs, without a grid.
#[test]
fn the_droplet_by_all_pairs() {
    let (energy, first) = crowd("lennard-jones", "droplet", particles::lennard_jones);
    assert_written("lennard-jones", "energy", &[energy], 1e-11);
    assert_written("lennard-jones", "the first particle", &first, 1e-9);
}

/// All pairs, without a tree.
#[test]
fn planets_by_all_pairs() {
    let (energy, first) = crowd("n-body", "planets", particles::softened);
    assert_written("n-body", "energy", &[energy], 1e-11);
    assert_written("n-body", "the first planet", &first, 1e-9);
}

/// A ball that slides on cloth, slowed by μ g along its way, meets the first of the rack: |x(t)| = 2 r.
#[test]
fn the_cue_ball_meets_the_rack() {
    let (start, velocity, radius) = (dvec3(-0.635 - 0.635, 0.05, 0.0), dvec3(8.0, -0.3, 0.0), 0.028575);
    let slowing = 0.2 * G * velocity.normalize();
    let way = |t: f64| start + velocity * t - 0.5 * t * t * slowing;
    let (mut low, mut high) = (0.0, 0.155);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if way(middle).length() > 2.0 * radius { low = middle } else { high = middle }
    }
    let approach = -(velocity - high * slowing).dot(way(high).normalize());
    assert_written("billiards-break", "the cue ball meets the first", &[high], 1e-12);
    assert_written("billiards-break", "speed of approach", &[approach], 1e-12);
}

/// A smooth ball on a globe: θ̈ = (g/R) sin θ, and its weight presses until cos θ = (2/3) cos a.
#[test]
fn the_ball_leaves_the_globe() {
    let start = dvec3(0.1247917708085352, 0.0, 1.2437552065975324);
    let equations = Equations(|_, y: &[f64]| vec![y[1], G / 1.25 * real::sin(y[0])]);
    let end = 2.0 / 3.0 * start.z / start.length();
    let (t, _) =
        equations.first_zero(0.0, &[real::atan2(start.x, start.z), 0.0], 1e-2, |y| real::cos(y[0]) - end);
    assert_written("contact-that-vanishes", "it leaves", &[t], 1e-11);
}

/// A brick about its edge, under a force that grows: I θ̈ = F(t) (l cos θ − ½h sin θ) − m g (½l cos θ − ½h sin θ), from t = 1 on.
#[test]
fn the_brick_is_lifted() {
    let (mass, long, half) = (2.0, 1.0, 0.125);
    let inertia = mass * (1.0 + 0.0625) / 12.0 + mass * (0.25 + half * half);
    let equations = Equations(|t: f64, y: &[f64]| {
        let (sin, cos) = real::sin_cos(y[0]);
        let lift = 19.62 * 0.5 * t * (long * cos - half * sin);
        vec![y[1], (lift - mass * G * (0.5 * long * cos - half * sin)) / inertia]
    });
    let y = equations.at(1.0, &[0.0, 0.0], 1.5, 100);
    let (sin, cos) = real::sin_cos(y[0]);
    let centre = [-0.5 + 0.5 * cos - half * sin, 0.0, 0.5 * sin + half * cos];
    assert_written("brick-in-the-wind", "the brick as it turns", &centre, 1e-10);
}

/// A deck falls about its hinge against 20 N·m: I θ̈ = −m g l cos θ + 20, before it is level and its ropes are taut.
#[test]
fn the_drawbridge_falls() {
    let inertia = 400.0 * (16.0 + 0.04) / 12.0 + 400.0 * 4.0;
    let equations =
        Equations(|_, y: &[f64]| vec![y[1], (20.0 - 400.0 * G * 2.0 * real::cos(y[0])) / inertia]);
    let y = at_two_steps(&equations, &[80.0_f64.to_radians(), 0.0], 1.5, 100, 1e-12);
    let (sin, cos) = real::sin_cos(y[0]);
    assert_written("drawbridge-on-ropes", "the deck as it falls", &[2.0 * cos, 0.0, 2.0 * sin], 1e-11);
}
