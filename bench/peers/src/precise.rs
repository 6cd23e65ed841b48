//! Work and precision: small cases whose answer the exact driver knows. The error of the watched piece at the end, for shorter and
//! shorter steps, and the time that it took.

use std::time::Instant;

use dolmen::drive::exact::Simulation;
use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::shape::Shape;

use crate::engine::{dolmen_world, engine};
use crate::scene::{Piece, Scene};

/// A case: its name, and how long it goes on, s.
pub const NAMES: [&str; 8] =
    ["tumbling", "bounce", "oblique", "sliding", "slope", "rolling", "pendulum", "cradle"];

fn ball(at: DVec3) -> Piece {
    Piece::new(Shape::sphere(0.1).expect("a radius"), 1.0, at)
}

fn cube(at: DVec3) -> Piece {
    Piece::new(Shape::cuboid(DVec3::splat(0.1)).expect("half sides"), 1.0, at)
}

/// A floor of gravity that leans by an angle about y.
fn leaning(angle: f64) -> DVec3 {
    9.81 * dvec3(angle.sin(), 0.0, -angle.cos())
}

fn case(name: &str) -> Option<(Scene, f64)> {
    let floor = |piece: Piece| Scene { watched: Some(0), ..Scene::new(name, vec![piece]) };
    Some(match name {
        "tumbling" => {
            let half = dvec3(0.3, 0.2, 0.1);
            let mut piece = Piece::new(Shape::cuboid(half).expect("half sides"), 1.0, DVec3::ZERO);
            piece.spin = dvec3(0.02, 5.0, 0.01);
            (Scene { floor: false, gravity: DVec3::ZERO, ..floor(piece) }, 5.0)
        }
        "bounce" => (Scene { friction: 0.0, restitution: 0.7, ..floor(ball(1.1 * DVec3::Z)) }, 2.0),
        "oblique" => {
            let mut piece = ball(1.1 * DVec3::Z);
            (piece.velocity, piece.spin) = (dvec3(1.5, 0.5, 0.0), dvec3(0.0, -20.0, 3.0));
            (Scene { friction: 0.2, restitution: 0.5, ..floor(piece) }, 0.7)
        }
        "sliding" => {
            let mut piece = cube(0.1 * DVec3::Z);
            piece.velocity = dvec3(2.0, 0.0, 0.0);
            (Scene { friction: 0.3, ..floor(piece) }, 1.5)
        }
        "slope" => (Scene { friction: 0.3, gravity: leaning(0.5), ..floor(cube(0.1 * DVec3::Z)) }, 1.0),
        "rolling" => (Scene { friction: 0.8, gravity: leaning(0.3), ..floor(ball(0.1 * DVec3::Z)) }, 1.0),
        "pendulum" => {
            let mut pivot = Piece::new(Shape::sphere(0.01).expect("a radius"), 1.0, 3.0 * DVec3::Z);
            pivot.fixed = true;
            let bob = cube(dvec3(1.0, 0.0, 3.0));
            let scene = Scene::new(name, vec![bob, pivot]);
            (Scene { floor: false, watched: Some(0), balls: vec![(0, 1, 3.0 * DVec3::Z)], ..scene }, 3.0)
        }
        "cradle" => {
            // Without gravity: one ball hits a row of four, 1 mm apart.
            let mut pieces: Vec<Piece> =
                (0..5).map(|k| ball(dvec3(0.201 * f64::from(k), 0.0, 0.0))).collect();
            pieces[0].at = dvec3(-0.5, 0.0, 0.0);
            pieces[0].velocity = DVec3::X;
            let scene = Scene::new(name, pieces);
            let free = Scene { floor: false, gravity: DVec3::ZERO, friction: 0.0, restitution: 1.0, ..scene };
            (Scene { watched: Some(4), ..free }, 1.0)
        }
        _ => return None,
    })
}

/// The error of a pose: of its position, m, and for one that turns by itself of its angle, rad.
fn error(turns: bool, (x, q): (DVec3, DQuat), (x_true, q_true): (DVec3, DQuat)) -> f64 {
    if turns { 2.0 * (q * q_true.inverse()).w.abs().min(1.0).acos() } else { (x - x_true).length() }
}

/// Runs the cases that were asked for.
pub fn run(names: &[String], engines: &[&str]) {
    println!("{:<10} {:<14} {:>8} {:>12} {:>12}", "case", "engine", "1/step", "error", "ms");
    for name in names {
        let Some((scene, t)) = case(name) else { continue };
        let watched = scene.watched.expect("a watched piece");
        let (world, ids) = dolmen_world(&scene);
        let start = Instant::now();
        let mut exact = Simulation::new(world).expect("a simulation");
        exact.advance(t).expect("the end");
        let time = start.elapsed().as_secs_f64() * 1e3;
        let pose = exact.pose(ids[watched]);
        let truth = (pose.position, pose.orientation);
        let exact_name = "dolmen-exact";
        println!("{name:<10} {exact_name:<14} {:>8} {:>12} {time:>12.3}", "–", "–");
        for engine_name in engines {
            for per_second in [60, 120, 240, 480, 960] {
                let mut engine = engine(engine_name, &scene, 1.0 / f64::from(per_second));
                let start = Instant::now();
                for _ in 0..(t * f64::from(per_second)).round() as usize {
                    engine.step();
                }
                let time = start.elapsed().as_secs_f64() * 1e3;
                let pose = engine.poses()[watched];
                let error = error(name == "tumbling", (pose.position, pose.orientation), truth);
                println!("{name:<10} {engine_name:<14} {per_second:>8} {error:>12.3e} {time:>12.3}");
            }
        }
    }
}
