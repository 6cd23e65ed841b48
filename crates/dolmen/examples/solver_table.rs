//! The solvers of contact forces on the same scenes: forces, accuracy, cost, and where each fails.
//!
//! `cargo run --release -p dolmen --example solver_table`

#[path = "../../dolmen-verify/src/cpu_time.rs"]
#[allow(unreachable_pub, reason = "a module of another crate")]
mod cpu_time;

use std::path::{Path, PathBuf};

use dolmen::drive::exact::Simulation;
use dolmen::record::{ContactForce, resultants};
use dolmen::scene::Document;

use cpu_time::CpuTime;

/// How long each scene is followed, s.
const FOLLOWED: f64 = 1.0;

/// Scenes at rest by friction, and scenes at rest without it; the solvers that are compared.
const ROUGH: [&str; 5] = ["a18-knife-edge", "ladder", "three-cylinders", "card-house", "arch"];
const SMOOTH: [&str; 4] = ["chair", "stack-of-bricks", "overhang", "brick-wall"];
/// Scenes of a hundred contacts and more.
const LARGE: [&str; 2] = ["arch", "brick-wall"];

const SOLVERS: [&[&str]; 7] = [
    &["contact.solver=complementarity"],
    &["contact.solver=cone"],
    &["contact.solver=sparse"],
    &["contact.solver=lemke"],
    &["contact.solver=lemke", "contact.lemke_sides=32"],
    &["contact.solver=quadratic"],
    &["contact.solver=linear"],
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// How far from the laws a set of forces is.
struct Seen {
    /// Largest force that no load balances on any body, by the weight of everything.
    imbalance: f64,
    /// Largest friction beyond its limit, and largest pull, by the largest normal force.
    outside: f64,
    /// √Σ f², N.
    norm: f64,
}

fn look(simulation: &mut Simulation, forces: &[ContactForce]) -> Seen {
    let sample = simulation.sample();
    let found = resultants(&sample, forces);
    let (mut weight, mut off) = (0.0, 0.0_f64);
    let ids: Vec<_> = simulation.world().body_ids().collect();
    for id in ids {
        let body = simulation.world().body(id);
        if !body.is_dynamic() {
            continue;
        }
        let pull = simulation.world().gravity() * body.inertia().mass;
        weight += pull.length();
        let carried = found.get(&id).map(|(_, load)| load.force).unwrap_or_default();
        off = off.max((carried + pull).length());
    }
    let contact = simulation.world().contact();
    let largest = forces.iter().map(|f| f.normal_force).fold(0.0, f64::max);
    let mut outside = 0.0_f64;
    for force in forces {
        let [a, b] = force.bodies.map(|id| simulation.world().body(id).material());
        let limit = contact.of_pair(a, b).static_friction * force.normal_force;
        outside = outside.max(force.friction.length() - limit.max(0.0)).max(-force.normal_force);
    }
    let norm =
        forces.iter().map(|f| f.normal_force * f.normal_force + f.friction.length_squared()).sum::<f64>();
    Seen { imbalance: off / weight, outside: outside / largest, norm: norm.sqrt() }
}

/// One row; the error where the scene is refused or stops.
fn row(scene: &str, overrides: &[String]) -> Result<String, String> {
    let path = folder().join(format!("{scene}.toml"));
    let document = Document::load_with(path, overrides).map_err(|errors| errors.to_string())?;
    let world = document.build(&folder()).map_err(|errors| errors.to_string())?;
    let started = CpuTime::start();
    let mut simulation = Simulation::new(world).map_err(|stop| stop.to_string())?;
    simulation.advance(0.0).map_err(|stop| stop.to_string())?;
    let spent = started.seconds();
    let forces = simulation.contact_forces();
    let seen = look(&mut simulation, &forces);
    let (status, iterations) = forces.first().map_or(("none", 0), |f| (f.status.name(), f.iterations));
    let ids: Vec<_> = simulation.world().body_ids().collect();
    let before: Vec<_> = ids.iter().map(|id| simulation.pose(*id).position).collect();
    let ended = simulation.advance(FOLLOWED).map_or_else(|stop| stop.to_string(), |()| String::new());
    let moved = ids.iter().zip(before).map(|(id, at)| simulation.pose(*id).position.distance(at));
    let moved = moved.fold(0.0, f64::max);
    let solves = simulation.solves();
    Ok(format!(
        "{} | {status} | {iterations} | {:.1e} | {} of {} | {:.1e} | {:.1e} | {:.6} | {moved:.1e} | {:.1} | {ended}",
        forces.len(),
        solves.largest_residual,
        solves.unsolved,
        solves.problems,
        seen.imbalance,
        seen.outside,
        seen.norm,
        1e3 * spent
    ))
}

fn main() {
    println!(
        "| scene | solver | contacts | status | iterations | largest residual | unsolved | imbalance | outside the law | \
         norm, N | moved in 1 s, m | start, ms | |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let rough = ROUGH.iter().map(|scene| (*scene, None));
    let smooth = SMOOTH.iter().map(|scene| (*scene, Some("contact.friction=0")));
    for (scene, more) in rough.chain(smooth) {
        for solver in SOLVERS {
            if LARGE.contains(&scene) && solver[0].ends_with("lemke") {
                println!(
                    "| {scene} | lemke | not asked: minutes for a dense tableau of that size | | | | | | | | | | |"
                );
                continue;
            }
            let overrides: Vec<String> = solver.iter().copied().chain(more).map(str::to_owned).collect();
            let name =
                solver.iter().map(|text| text.split('=').nth(1).unwrap_or("")).collect::<Vec<_>>().join(" ");
            let kind = if more.is_some() { ", smooth" } else { "" };
            match row(scene, &overrides) {
                Ok(text) => println!("| {scene}{kind} | {name} | {text} |"),
                Err(text) => {
                    let text = text.split('\n').next().unwrap_or("").replace('|', "/");
                    let text = text.split("error: ").last().unwrap_or("").to_owned();
                    println!("| {scene}{kind} | {name} | refused: {text} | | | | | | | | | | |");
                }
            }
        }
    }
}
