//! What is at rest stays at rest, and its forces add up.

use std::fmt::Write;

use super::common::*;

/// What may be left of motion at rest, m or rad. [issue text: no motion above 1e-9]
const STILL: f64 = 1e-9;

const WITHOUT_SHORTCUT: &str = "contact.equilibrium_shortcut=false";

/// Rests an hour in equilibrium; the support carries its weight.
fn rests_an_hour(scene: &str, support: &str) {
    rests(scene, &[], support, 3600.0);
}

/// Rests a minute integrated as if it moved.
fn rests_a_minute_integrated(scene: &str, support: &str) {
    rests(scene, &[WITHOUT_SHORTCUT], support, 60.0);
}

fn rests(scene: &str, overrides: &[&str], support: &str, t: f64) {
    let mut simulation = start(scene, overrides);
    let moved = moved_until(&mut simulation, t);
    assert!(moved <= STILL, "{scene} {overrides:?}: moved by {moved:e} in {t} s");
    let carried = -force_on(&mut simulation, support).dot(-simulation.world().gravity().normalize());
    let weight = weight(&simulation);
    near(carried / weight, 1.0, 1e-10, &format!("{scene} {overrides:?}: {carried} of {weight}"));
}

/// 25 wedges of half a circle: friction alone carries them.
#[test]
fn an_arch_stands() {
    rests_an_hour("arch", "floor");
}

/// Four contacts a face, all redundant.
#[test]
fn a_stack_of_twenty_cubes_stands() {
    rests_an_hour("stack-of-bricks", "floor");
}

/// The same integrated as if it moved: a hundred contacts make a matrix of three hundred in every evaluation.
#[test]
fn an_arch_stands_without_the_shortcut() {
    rests_a_minute_integrated("arch", "floor");
}

/// The same integrated as if they moved: eighty contacts.
#[test]
fn a_stack_of_twenty_cubes_stands_without_the_shortcut() {
    rests_a_minute_integrated("stack-of-bricks", "floor");
}

/// A18, a millionth inside its friction cone.
#[test]
fn a_block_inside_its_friction_cone_stays() {
    rests_an_hour("a18-knife-edge", "slope");
    rests_a_minute_integrated("a18-knife-edge", "slope");
}

/// Cards that lean on each other by friction: edges on faces.
#[test]
fn a_card_house_stands() {
    rests_an_hour("card-house", "floor");
    rests_a_minute_integrated("card-house", "floor");
}

/// Two cylinders carry a third: statics needs a friction of tan 15° = 0.268 between them, and there is 0.6.
#[test]
fn three_cylinders_stand() {
    rests_an_hour("three-cylinders", "floor");
    rests_a_minute_integrated("three-cylinders", "floor");
}

/// Friction of the floor is as large as the push of the wall: a coefficient of 0.22065 is needed.
#[test]
fn a_ladder_stands_and_slides() {
    rests_an_hour("ladder", "floor");
    rests_a_minute_integrated("ladder", "floor");
    let mut slides = start("ladder", &["contact.friction=0.16", "run.duration=1"]);
    let moved = moved_until(&mut slides, 0.5);
    assert!(moved > 1e-2, "moved by {moved}");
}

/// Cubes of these masses upon each other.
fn tower(masses: &[f64]) -> String {
    let mut bodies = String::new();
    for (i, mass) in masses.iter().enumerate() {
        let _ = write!(
            bodies,
            "[[body]]\nname = \"cube {i}\"\nmass = {mass:?}\nshape = {{ kind = \"box\", size = [1, 1, 1] }}\nposition = [0, 0, {:?}]\n",
            0.5 + i as f64
        );
    }
    on_a_floor(0.5, &bodies)
}

/// Light under heavy and heavy under light, to a million: forces sum to the weight within 1e-10 and nothing moves.
#[test]
fn masses_may_differ_by_a_million() {
    for masses in [&[1.0, 1e6][..], &[1e6, 1.0], &[1e6, 1.0, 1e6], &[1.0, 1e6, 1.0, 1e6]] {
        let mut simulation = of_text(&tower(masses));
        let moved = moved_until(&mut simulation, 60.0);
        assert!(moved <= STILL, "{masses:?}: moved by {moved:e}");
        let (carried, weight) = (-force_on(&mut simulation, "floor").z, weight(&simulation));
        near(carried / weight, 1.0, 1e-10, &format!("{masses:?}: {carried} of {weight}"));
    }
}
