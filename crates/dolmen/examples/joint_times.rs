//! What mechanisms cost: chains of 10 … 10⁴ links, a net, the figure on the stairs, Andrews' squeezer.
//!
//! `cargo run --release -p dolmen --example joint_times`, from the folder of the workspace. Prints the rows of
//! `docs/performance-joints.md`, each with the hash of its last state. With the name of a scene and a time, or `chain N`, `net N`,
//! `taut N` (a net that is stretched straight: no finite force carries it) and a time: of that alone.

use std::path::Path;

use dolmen::articulation::AssemblySettings;
use dolmen::drive::exact::Simulation;
use dolmen::joint::{Frame, Joint, JointKind, Placement, Side};
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DQuat, DVec3, dvec3, real};
use dolmen::scene::Document;
use dolmen::world::{Body, World, WorldBuilder};

#[path = "../../dolmen-verify/src/cpu_time.rs"]
#[allow(unreachable_pub, reason = "a module of another crate")]
mod cpu_time;
use cpu_time::CpuTime;

fn main() {
    let mut words = std::env::args().skip(1);
    if let (Some(name), Some(time)) = (words.next(), words.next()) {
        heading();
        let seconds = |time: &str| time.parse().expect("seconds");
        let number = |n: &str| n.parse().expect("a number of links, or of knots along a side");
        let (label, n) = (format!("{name} of {time}"), &time);
        return match (name.as_str(), words.next()) {
            ("chain", Some(t)) => row(&label, chain(number(n)), seconds(&t)),
            ("net", Some(t)) => row(&label, net(number(n)), seconds(&t)),
            ("taut", Some(t)) => row(&label, taut(number(n)), seconds(&t)),
            _ => row(&name, scene(&name), seconds(&time)),
        };
    }
    heading();
    for links in [10, 100, 1000, 10_000] {
        row(&format!("chain of {links} links"), chain(links), 0.02_f64.max(2.0 / links as f64));
    }
    for side in [10, 20, 30] {
        row(&format!("net of {side} × {side} knots on rods"), net(side), 0.1);
    }
    for (name, time) in SCENES {
        row(name, scene(name), *time);
    }
    println!("\n| tolerance | steps | evaluations | CPU s | error, rad | hash |\n|---|---|---|---|---|---|");
    for tolerance in [1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13] {
        squeezer(tolerance);
    }
}

/// Scenes with joints and contacts, and how long each runs, s.
const SCENES: &[(&str, f64)] = &[
    ("figure-on-stairs", 3.0),
    ("blocks-onto-a-chain", 2.0),
    ("destructive-chain", 2.0),
    ("wrecking-ball", 2.0),
    ("cradle-on-strings", 4.0),
    ("a24-double-four-bar", 10.0),
    ("a26-bricard", 10.0),
    ("double-pendulum", 10.0),
    ("gyroscope-in-gimbals", 2.0),
];

fn heading() {
    println!(
        "| mechanism | bodies | simulated s | steps | CPU s | CPU s a simulated s | µs a step and body | hash |"
    );
    println!("|---|---|---|---|---|---|---|---|");
}

/// Runs a world for a time and prints what it took.
fn row(name: &str, world: World, time: f64) {
    let bodies = world.bodies().iter().filter(|body| body.is_dynamic()).count();
    let mut simulation = match Simulation::new(world) {
        Ok(simulation) => simulation,
        Err(stop) => return println!("| {name} | {bodies} | – | – | {stop} |"),
    };
    let clock = CpuTime::start();
    if let Err(stop) = simulation.advance(time) {
        println!("| {name} | {bodies} | – | – | {stop} |");
        return;
    }
    let took = clock.seconds();
    let steps = simulation.statistics().steps;
    let each = 1e6 * took / steps.max(1) as f64;
    println!(
        "| {name} | {bodies} | {time} | {steps} | {took:.3} | {:.2} | {:.1} | {} |",
        took / time,
        each / bodies as f64,
        simulation.sample().hash()
    );
}

/// Andrews' squeezer at a tolerance, against the end of the published run. [IVP test set]
fn squeezer(tolerance: f64) {
    let mut world = scene("a25-andrews-squeezer");
    let mut settings = world.settings().clone();
    (settings.integrator.relative, settings.integrator.absolute) = (tolerance, 1e-2 * tolerance);
    world.set_settings(settings).expect("a tolerance");
    let mut simulation = Simulation::new(world).expect("a start");
    let clock = CpuTime::start();
    simulation.advance(0.03).expect("to go on");
    let took = clock.seconds();
    let (b, th) = (15.810_771_196_299_04, -15.756_371_059_842_98);
    let (g, ph, de) = (0.040_822_240_130_731_01, -0.534_730_116_322_694_8, 0.524_409_965_880_530_4);
    let (om, ep) = (0.534_730_116_322_694_8, 1.048_080_741_042_263);
    let mut worst = 0.0_f64;
    for (i, angle) in [b, b + th, g, ph + de, de, om + ep, ep].into_iter().enumerate() {
        let id = simulation.world().find_body(&format!("k{}", i + 1)).expect("a body");
        let q = simulation.pose(id).orientation;
        let apart = (2.0 * real::atan2(q.z, q.w) - angle).rem_euclid(real::TAU);
        worst = worst.max(apart.min(real::TAU - apart));
    }
    let statistics = simulation.statistics();
    println!(
        "| {tolerance:e} | {} | {} | {took:.3} | {worst:.1e} | {} |",
        statistics.steps,
        statistics.evaluations,
        simulation.sample().hash()
    );
}

fn scene(name: &str) -> World {
    let folder = Path::new("scenes");
    let document = Document::load(folder.join(format!("{name}.toml"))).expect("a scene of the workspace");
    document.build(folder).expect("a sound scene")
}

fn link(mass: f64, name: String, at: DVec3) -> Body {
    let properties = MassProperties::new(mass, DVec3::ZERO, DMat3::from_diagonal(DVec3::splat(1e-3 * mass)))
        .expect("a mass");
    Body::dynamic(&properties).named(name).centred_at(at, DQuat::IDENTITY)
}

fn finished(mut world: World) -> World {
    world.set_gravity(dvec3(0.0, 0.0, -9.81)).expect("gravity");
    world.assemble(&AssemblySettings::default()).expect("joints that fit");
    world
}

/// Links of 0.1 m in a row on ball joints, on a pivot, released.
fn chain(links: usize) -> World {
    let mut builder = WorldBuilder::new();
    for k in 0..links {
        builder.body(link(0.1, format!("l{k:05}"), dvec3(0.05 + 0.1 * k as f64, 0.0, 0.0))).expect("a body");
    }
    let mut world = builder.build().expect("a world");
    for k in 0..links {
        let side = |k: usize| Side::Body(world.find_body(&format!("l{k:05}")).expect("a link"));
        let before = k.checked_sub(1).map_or(Side::World, side);
        let joint = Joint::new(format!("j{k:05}"), JointKind::Ball, side(k), before);
        world.add_joint(joint.at(dvec3(0.1 * k as f64, 0.0, 0.0), DVec3::Z)).expect("a joint");
    }
    finished(world)
}

/// The same hung by two corners of one side. The rods between these, in a row as long as they are apart, would have to carry with
/// infinite force.
fn taut(side: usize) -> World {
    hung(side, [(0, 0), (side - 1, 0)])
}

/// A square net of knots on rods, hung by two opposite corners.
fn net(side: usize) -> World {
    hung(side, [(0, 0), (side - 1, side - 1)])
}

fn hung(side: usize, corners: [(usize, usize); 2]) -> World {
    let name = |i: usize, k: usize| format!("k{i:02}{k:02}");
    let mut builder = WorldBuilder::new();
    for i in 0..side {
        for k in 0..side {
            builder.body(link(0.01, name(i, k), dvec3(0.1 * i as f64, 0.1 * k as f64, 0.0))).expect("a body");
        }
    }
    let mut world = builder.build().expect("a world");
    let knot = |world: &World, i: usize, k: usize| Side::Body(world.find_body(&name(i, k)).expect("a knot"));
    let centre = Frame::at(DVec3::ZERO);
    for i in 0..side {
        for k in 0..side {
            for (p, q) in [(i + 1, k), (i, k + 1)] {
                if p < side && q < side {
                    let (a, b) = (knot(&world, i, k), knot(&world, p, q));
                    let kind = JointKind::Rod { length: Some(0.1) };
                    let joint = Joint::new(format!("r{i:02}{k:02}{p:02}{q:02}"), kind, a, b);
                    world.add_joint(joint.placed(Placement::Each(centre, centre))).expect("a joint");
                }
            }
        }
    }
    for (i, k) in corners {
        let a = knot(&world, i, k);
        let joint = Joint::new(format!("corner {i}"), JointKind::Ball, a, Side::World);
        world.add_joint(joint.placed(Placement::OnA(centre))).expect("a joint");
    }
    finished(world)
}
