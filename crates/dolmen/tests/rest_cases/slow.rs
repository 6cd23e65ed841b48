//! Slips hardly beyond the friction cone, which are slow: against closed forms, and against explicit steps where there is none.

use std::fmt::Write;

use dolmen::drive::exact::Simulation;
use dolmen::math::{DVec3, dvec3, real};
use dolmen::record::{Balance, EventKind};

use super::common::*;

const G: f64 = 9.81;
const FRICTION: f64 = 0.5;

/// Headings at which frames of contacts are along the slip, and not.
const HEADINGS: [f64; 3] = [0.0, 37.0, 200.0];

/// What pulls a box beyond its friction.
#[derive(Debug, Clone, Copy)]
enum Pull {
    Leaned,
    Slope,
    Pushed,
}

const PULLS: [Pull; 3] = [Pull::Leaned, Pull::Slope, Pull::Pushed];

/// A scene, the direction of the slip and its acceleration.
struct Case {
    text: String,
    along: DVec3,
    acceleration: f64,
    weight: f64,
}

/// A box of 1 kg that is pulled with 1 + `margin` of what friction bears; `more` goes to the end of its description.
fn case(pull: Pull, margin: f64, heading_deg: f64, more: &str) -> Case {
    let (sin, cos) = real::sin_cos(heading_deg.to_radians());
    let ahead = dvec3(cos, sin, 0.0);
    let slope = FRICTION * (1.0 + margin);
    let tilt = 1.0 / (1.0 + slope * slope).sqrt();
    let (gravity, normal, weight) = match pull {
        Pull::Leaned => (dvec3(0.0, 0.0, -G) + slope * G * ahead, DVec3::Z, G),
        Pull::Slope => (dvec3(0.0, 0.0, -G), tilt * DVec3::Z + slope * tilt * ahead, G * tilt),
        Pull::Pushed => (dvec3(0.0, 0.0, -G), DVec3::Z, G),
    };
    // A difference of nearly equal numbers, as for who solves it: that of the gravity in use.
    let (along, acceleration) = match pull {
        Pull::Leaned => (ahead, (gravity.x * gravity.x + gravity.y * gravity.y).sqrt() - FRICTION * G),
        Pull::Slope => (tilt * ahead - slope * tilt * DVec3::Z, G * tilt * (slope - FRICTION)),
        Pull::Pushed => (ahead, slope * G - FRICTION * G),
    };
    let angle = if matches!(pull, Pull::Slope) { real::atan2(slope, 1.0).to_degrees() } else { 0.0 };
    let mut text = format!(
        "format = 1\ngravity = {:?}\ncontact = {{ restitution = 0, friction = {FRICTION:?} }}\n[[body]]\nname = \"floor\"\nkind = \
         \"fixed\"\nshape = {{ kind = \"plane\", normal = {:?}, sides = \"front\" }}\n[[body]]\nname = \"box\"\nmass = 1\nshape = {{ kind = \
         \"box\", size = [1, 1, 0.5] }}\nposition = {:?}\norientation = {{ axis = [{:?}, {cos:?}, 0], angle_deg = {angle:?} }}\n{more}\n",
        gravity.to_array(),
        normal.to_array(),
        (0.25 * normal).to_array(),
        -sin,
    );
    if matches!(pull, Pull::Pushed) {
        let force = slope * G * ahead;
        let _ = write!(text, "[[force]]\nkind = \"push\"\nbody = \"box\"\nforce = {:?}\n", force.to_array());
    }
    Case { text, along, acceleration, weight }
}

/// What a way may be off: acceleration is a difference of numbers that are rounded, 1/margin times as large as it.
fn tolerance(margin: f64) -> f64 {
    (1e-15 / margin).max(1e-9)
}

/// How far the box has come along its slip, by the closed form; and how far aside.
fn way(simulation: &Simulation, start: DVec3, case: &Case) -> (f64, f64) {
    let moved = position(simulation, "box") - start;
    let t = simulation.time();
    let expected = 0.5 * case.acceleration * t * t;
    (moved.dot(case.along) / expected, moved.cross(case.along).length() / expected)
}

/// All contacts slide, with all of their friction against the slip; together they carry the weight.
fn assert_slides(simulation: &mut Simulation, case: &Case, what: &str) {
    let forces = simulation.contact_forces();
    assert_eq!(forces.len(), 4, "{what}");
    let mut carried = 0.0;
    for force in forces {
        assert!(!force.sticks, "{what}: {force:?}");
        let against = force.friction.dot(case.along).abs();
        near(against / (FRICTION * force.normal_force), 1.0, 1e-9, &format!("{what}: friction"));
        carried += force.normal_force;
    }
    near(carried / case.weight, 1.0, 1e-12, what);
}

/// s = ½ a t² from rest, in a few steps: explicit ones would be some 1/margin for each tenfold of time.
#[test]
fn a_block_beyond_its_friction_cone_slides_as_predicted() {
    for margin in [1e-3, 1e-4, 1e-5, 1e-6, 1e-8] {
        for (pull, heading) in PULLS.iter().flat_map(|pull| HEADINGS.map(|heading| (*pull, heading))) {
            let what = format!("{pull:?} by {margin:e} at {heading}°");
            let case = case(pull, margin, heading, "");
            let mut simulation = of_text(&case.text);
            let start = position(&simulation, "box");
            let mut balance = Balance::default();
            balance.add(&simulation.ledger());
            for t in [1.0, 10.0] {
                advance(&mut simulation, t);
                balance.add(&simulation.ledger());
                let (share, aside) = way(&simulation, start, &case);
                near(share, 1.0, tolerance(margin), &format!("{what}: way in {t} s"));
                assert!(aside < 1e-7 + tolerance(margin), "{what}: aside by {aside:e} of its way in {t} s");
            }
            assert_slides(&mut simulation, &case, &what);
            let rubbed = FRICTION * case.weight * 50.0 * case.acceleration;
            near(simulation.ledger().friction / rubbed, 1.0, tolerance(margin), &format!("{what}: lost"));
            assert!(balance.relative() < tolerance(margin), "{what}: ledger off by {:e}", balance.relative());
            assert!(of_kind(&simulation, EventKind::TimeStep).is_empty(), "{what}");
            let steps = simulation.statistics().steps;
            assert!(steps <= 60, "{what}: {steps} steps");
        }
    }
}

/// A millionth within, it stays, whatever pulls and wherever to.
#[test]
fn a_block_inside_its_friction_cone_stays_at_all_headings() {
    for (pull, heading) in PULLS.iter().flat_map(|pull| HEADINGS.map(|heading| (*pull, heading))) {
        let mut simulation = of_text(&case(pull, -1e-6, heading, "").text);
        let start = position(&simulation, "box");
        advance(&mut simulation, 3600.0);
        let moved = position(&simulation, "box").distance(start);
        assert!(moved < 1e-12, "{pull:?} at {heading}°: {moved:e}");
    }
}

/// A slip that has become fast is followed by explicit steps again.
#[test]
fn a_slip_that_has_become_fast_is_no_longer_stiff() {
    let case = case(Pull::Leaned, 3e-3, 37.0, "");
    let mut simulation = of_text(&case.text);
    let start = position(&simulation, "box");
    advance(&mut simulation, 12.0);
    let jacobians = simulation.statistics().jacobians;
    assert!(jacobians > 0);
    advance(&mut simulation, 30.0);
    assert_eq!(simulation.statistics().jacobians, jacobians);
    near(way(&simulation, start, &case).0, 1.0, 1e-9, "way");
    assert!(simulation.statistics().steps < 500, "{} steps", simulation.statistics().steps);
}

/// When the push ends friction takes the slip away at μg at once, and the block stands.
#[test]
fn a_slow_slip_ends() {
    for margin in [1e-3, 1e-6] {
        let case = case(Pull::Pushed, margin, 37.0, "");
        let mut simulation = of_text(&format!("{}until = 5\n", case.text));
        let start = position(&simulation, "box");
        advance(&mut simulation, 20.0);
        let v = 5.0 * case.acceleration;
        let expected = 12.5 * case.acceleration + 0.5 * v * v / (FRICTION * G);
        let moved = (position(&simulation, "box") - start).dot(case.along);
        near(moved / expected, 1.0, tolerance(margin), "way");
        assert_eq!(velocity(&simulation, "box"), DVec3::ZERO);
        let creep = moved_until(&mut simulation, 100.0);
        assert!(creep < 1e-15, "{creep:e}");
    }
}

/// What a slow slip carries goes with it: eight contacts, four of which stick.
#[test]
fn a_pair_of_blocks_slides_slowly() {
    let margin = 1e-6;
    let case = case(Pull::Leaned, margin, 37.0, "");
    let mut simulation = of_text(&format!(
        "{}[[body]]\nname = \"rider\"\nmass = 2\nshape = {{ kind = \"box\", size = [0.4, 0.4, 0.2] }}\nposition = [0.1, 0, \
         0.6]\n",
        case.text
    ));
    let start = position(&simulation, "box");
    advance(&mut simulation, 10.0);
    near(way(&simulation, start, &case).0, 1.0, 2e-9, "way");
    assert!(simulation.statistics().steps <= 100, "{} steps", simulation.statistics().steps);
}

/// A box pushed beside its centre turns as it slides, with other slips at all corners: no closed form. From 1 mm/s on explicit
/// steps of a fixed length can follow it; these stay explicit.
#[test]
fn a_block_that_turns_slowly_goes_as_by_explicit_steps() {
    let scene = |integrator: &str| {
        let (sin, cos) = real::sin_cos(37.0_f64.to_radians());
        let push = FRICTION * G * (1.0 + 1e-3);
        of_text(&format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = {FRICTION:?} }}\n{integrator}[[body]]\nname = \
             \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }}\n[[body]]\nname = \
             \"box\"\nmass = 1\nshape = {{ kind = \"box\", size = [1, 1, 0.5] }}\nposition = [0, 0, 0.25]\nvelocity = [{:?}, {:?}, \
             0]\nspin = [0, 0, 1e-4]\n[[force]]\nkind = \"push\"\nbody = \"box\"\nforce = [{:?}, {:?}, 0]\nat = [0, 0.01, 0]\n",
            1e-3 * cos,
            1e-3 * sin,
            push * cos,
            push * sin
        ))
    };
    let (mut implicit, mut explicit) = (scene(""), scene("integrator = { step = 2e-4 }\n"));
    let mut turned = 0.0;
    for t in [0.1, 0.5] {
        advance(&mut implicit, t);
        advance(&mut explicit, t);
        let [a, b] =
            [&implicit, &explicit].map(|s| s.pose(s.world().find_body("box").expect("in the scene")));
        let off = (a.orientation * b.orientation.inverse()).xyz().length();
        let moved = a.position.distance(b.position);
        turned = b.orientation.xyz().length();
        assert!(moved < 1e-11 && off < 1e-12, "{t} s: {moved:e} m, {off:e}");
    }
    assert!(turned > 1e-5, "it turns: {turned:e}");
    assert!(implicit.statistics().steps < 800, "{} steps", implicit.statistics().steps);
    assert!(implicit.statistics().jacobians > 0 && explicit.statistics().jacobians == 0);
}
