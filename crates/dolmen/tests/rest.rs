//! Resting contact: forces that add up, friction as Coulomb wrote it, bodies that come to rest and stay. [SYSTEM C4, C7, C10]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use dolmen::drive::exact::Simulation;
use dolmen::math::{DVec3, dvec3, real};
use dolmen::record::{Balance, EventKind};
use dolmen::scene::Document;

/// Of what CASES prints, with twelve digits: what has to be met. [CASES, conventions]
const CASE: f64 = 1e-9;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// A scene at its start.
fn start(name: &str, overrides: &[&str]) -> Simulation {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let document = Document::load_with(folder().join(format!("{name}.toml")), &overrides)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(&folder()).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
}

/// A scene given by its text.
fn of_text(text: &str) -> Simulation {
    let document = Document::parse_with("text", text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(&folder()).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
}

fn advance(simulation: &mut Simulation, t: f64) {
    simulation.advance(t).unwrap_or_else(|stop| panic!("{stop}"));
}

fn position(simulation: &Simulation, name: &str) -> DVec3 {
    simulation.pose(simulation.world().find_body(name).expect("a body of the scene")).position
}

fn near(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((got - expected).abs() <= tolerance * expected.abs().max(1.0), "{what}: {got}, not {expected}");
}

/// The vertical force of a support on all that it carries.
fn carried(simulation: &mut Simulation, support: &str, up: DVec3) -> f64 {
    let id = simulation.world().find_body(support).expect("a body of the scene");
    let mut sum = 0.0;
    for force in simulation.contact_forces() {
        let total = force.normal_force * force.normal + force.friction;
        if force.bodies[0] == id {
            sum -= total.dot(up);
        } else if force.bodies[1] == id {
            sum += total.dot(up);
        }
    }
    sum
}

/// A05: each cube lands on a resting stack at √(2d/g); then the floor carries five weights.
#[test]
fn five_cubes_land_on_each_other() {
    let mut simulation = start("a05-five-cubes", &[]);
    advance(&mut simulation, 2.0);
    let mut times: Vec<f64> =
        simulation.events().iter().filter(|e| e.kind == EventKind::Collision).map(|e| e.t).collect();
    times.dedup();
    let expected = [0.553283335172, 0.714285714286, 0.845154254729, 0.9583148475, 1.05945692673];
    assert_eq!(times.len(), expected.len(), "{times:?}");
    for (t, expected) in times.iter().zip(expected) {
        near(*t, expected, CASE, "landing");
    }
    near(carried(&mut simulation, "floor", DVec3::Y), 5.0 * 9.8, 1e-10, "five weights");
}

/// A17: friction of the least forces at four corners stops a spin after ω/5.097425526675 s; the centre stays.
#[test]
fn a_box_spins_to_rest_on_its_corners() {
    let mut simulation = start("a17-spin-on-four-corners", &[]);
    advance(&mut simulation, 1.0);
    let id = simulation.world().find_body("box").expect("the box");
    near(simulation.twist(id).spin.z, 4.902574473325, CASE, "spin after 1 s");
    advance(&mut simulation, 2.5);
    let stop = simulation.events().iter().rev().find(|e| e.kind == EventKind::Rest).expect("a rest").t;
    near(stop, 1.961774614983, CASE, "stop");
    let moved = position(&simulation, "box").distance(dvec3(0.0, 0.0, 1.0));
    assert!(moved < 1e-9, "the centre moved by {moved}");
    assert_eq!(simulation.twist(id).spin, DVec3::ZERO);
}

/// A18: a millionth inside the friction cone nothing moves in an hour; outside it slides as predicted.
#[test]
fn a_cube_stays_or_slides_at_the_knife_edge() {
    let mut simulation = start("a18-knife-edge", &[]);
    let before = position(&simulation, "cube");
    advance(&mut simulation, 3600.0);
    assert_eq!(position(&simulation, "cube"), before, "it crept");
    let mut simulation = start("a18-knife-edge", &["contact.friction=0.49"]);
    let before = position(&simulation, "cube");
    advance(&mut simulation, 1.0);
    near(position(&simulation, "cube").distance(before), 0.0438220586086, CASE, "slid in 1 s");
}

/// A static stack: the forces of every storey sum to the weight above, and nothing moves in an hour.
#[test]
fn a_stack_stands_for_an_hour() {
    let mut simulation = start("stack-of-bricks", &[]);
    advance(&mut simulation, 3600.0);
    near(carried(&mut simulation, "floor", DVec3::Z), 20.0 * 9.81, 1e-10, "the weight");
    for i in 0..20 {
        let at = position(&simulation, &format!("cube {i:02}"));
        assert_eq!(at, dvec3(0.0, 0.0, 0.5 + f64::from(i)), "cube {i} moved");
    }
    assert_eq!(simulation.time_steps(), 0, "steps over crowds");
}

/// Mass ratios of a million, heavy on light and light on heavy, stand; the floor carries both.
#[test]
fn mass_ratios_of_a_million_stand() {
    for masses in [[1.0, 1e6], [1e6, 1.0]] {
        let body = |i: usize| {
            format!(
                "{{ name = \"cube {i}\", shape = {{ kind = \"box\", size = [1, 1, 1] }}, mass = {:?}, position = [0, 0, {}] }}",
                masses[i],
                0.5 + i as f64
            )
        };
        let text = format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = 0.5 }}\nbody = [\n{{ name = \"floor\", \
             kind = \"fixed\", shape = {{ kind = \"plane\", normal = [0, 0, 1] }} }},\n{},\n{},\n]\n",
            body(0),
            body(1)
        );
        let mut simulation = of_text(&text);
        advance(&mut simulation, 60.0);
        // The light body answers a millionth of the force: rounding of the forces leaves so much of it.
        near(carried(&mut simulation, "floor", DVec3::Z), (1e6 + 1.0) * 9.81, 2e-9, "the weight");
        assert_eq!(position(&simulation, "cube 1"), dvec3(0.0, 0.0, 1.5), "{masses:?}");
    }
}

/// Five blocks, each over the one below by `share`/(2k) of its length, k from the top.
fn overhang(share: f64) -> Simulation {
    let mut text = "format = 1\ngravity = [0, 0, -9.81]\ncontact = { restitution = 0, friction = 0.6 }\nbody = [\n{ name = \"floor\", \
                    kind = \"fixed\", shape = { kind = \"plane\", normal = [0, 0, 1] } },\n"
        .to_owned();
    let mut x = 0.0;
    for i in 0..5 {
        if i > 0 {
            x += share / (2.0 * f64::from(5 - i));
        }
        let _ = writeln!(
            text,
            "{{ name = \"block {i}\", shape = {{ kind = \"box\", size = [1, 0.5, 0.2] }}, mass = 1, position = [{x:?}, 0, {:?}] }},",
            0.1 + 0.2 * f64::from(i)
        );
    }
    of_text(&(text + "]\n"))
}

/// The harmonic overhang stands at 99 % of its limit and topples at 101 %.
#[test]
fn an_overhang_stands_up_to_its_limit() {
    let mut stands = overhang(0.99);
    advance(&mut stands, 60.0);
    assert!((position(&stands, "block 4").z - 0.9).abs() < 1e-9, "99 %: {}", position(&stands, "block 4"));
    let mut topples = overhang(1.01);
    advance(&mut topples, 0.5);
    assert!(position(&topples, "block 4").z < 0.9 - 1e-3, "101 %: {}", position(&topples, "block 4"));
}

/// The least forces: four legs of a chair whose weight is not in the middle carry it together, and are marked as a choice.
#[test]
fn four_legs_share_the_weight() {
    let mut simulation = start("chair", &[]);
    advance(&mut simulation, 5.0);
    near(carried(&mut simulation, "floor", DVec3::Z), 5.0 * 9.81, 1e-10, "the weight");
    let forces = simulation.contact_forces();
    assert!(forces.len() >= 4 && forces.iter().all(|f| !f.is_unique && f.normal_force > 0.0), "{forces:?}");
}

/// A14: a ball that slides begins to roll at 2v/(7μg).
#[test]
fn a_sliding_ball_begins_to_roll() {
    let mut simulation = start("slide-then-roll", &[]);
    advance(&mut simulation, 1.0);
    let rolls = simulation.events().iter().find(|e| e.kind == EventKind::Rest).expect("rolling").t;
    near(rolls, 0.48541332945, CASE, "rolling begins");
}

/// One body dropped on a floor: shape, tilt (degrees), restitution, friction.
fn dropped(shape: &str, tilt: [f64; 3], restitution: f64, friction: f64) -> Simulation {
    of_text(&format!(
        "format = 1\ngravity = [0, 0, -10]\ncontact = {{ restitution = {restitution:?}, friction = {friction:?} }}\nbody = [\n{{ name = \
         \"floor\", kind = \"fixed\", shape = {{ kind = \"plane\", normal = [0, 0, 1] }} }},\n{{ name = \"solid\", shape = {{ {shape} \
         }}, mass = 1, position = [0, 0, 1], orientation = {{ euler_deg = {tilt:?} }} }},\n]\n"
    ))
}

/// Whatever lies down, slips, rolls or rocks on a floor, thin discs among them: it stays on it, overlaps by less than what
/// counts as touching, books balance to 1e-10 of the turnover, and the run ends.
#[test]
fn dropped_solids_keep_their_books() {
    let cases = [
        ("kind = \"disc\", radius = 0.4", [3.0, 5.0, 0.0], 0.0, 0.0),
        ("kind = \"disc\", radius = 0.4", [7.0, 11.0, 0.0], 0.0, 0.2),
        ("kind = \"disc\", radius = 0.4", [0.0, 10.0, 0.0], 0.5, 0.0),
        ("kind = \"cylinder\", radius = 0.3, length = 0.5", [0.0, 10.0, 0.0], 0.0, 0.0),
        ("kind = \"cylinder\", radius = 0.3, length = 0.5", [3.0, 5.0, 0.0], 0.5, 0.2),
        ("kind = \"cone\", radius = 0.3, height = 0.5", [0.0, 10.0, 0.0], 0.0, 0.0),
        ("kind = \"capsule\", radius = 0.2, length = 1", [7.0, 11.0, 0.0], 0.0, 0.2),
        ("kind = \"ellipsoid\", size = [1, 1, 0.5]", [7.0, 11.0, 0.0], 0.0, 0.2),
        ("kind = \"box\", size = [2, 1, 0.3]", [0.0, 10.0, 0.0], 0.5, 0.2),
        ("kind = \"box\", size = [1, 1, 1]", [0.0, 10.0, 0.0], 0.5, 0.2),
    ];
    for (shape, tilt, restitution, friction) in cases {
        let mut simulation = dropped(shape, tilt, restitution, friction);
        let mut balance = Balance::default();
        for k in 0..=20 {
            advance(&mut simulation, 0.15 * f64::from(k));
            balance.add(&simulation.ledger());
        }
        let case = format!("{shape} {tilt:?} {restitution} {friction}");
        assert!(balance.relative() < 1e-10, "{case}: {:e}", balance.relative());
        let (_, share) = simulation.deepest_overlap();
        assert!(share < 1.0, "{case}: an overlap of {share} tolerances");
        let height = position(&simulation, "solid").z;
        assert!(height > -1e-9, "{case}: it is at {height}");
    }
}

/// Sliding and spinning on a face end together, in an exact rest: the sum of both kinds of slip is zero at one instant.
#[test]
fn a_block_that_slides_and_spins_comes_to_rest() {
    let mut simulation = of_text(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = { restitution = 0, friction = 0.3 }\nbody = [\n{ name = \"floor\", kind = \
         \"fixed\", shape = { kind = \"plane\", normal = [0, 0, 1] } },\n{ name = \"block\", shape = { kind = \"box\", size = [1, 0.6, \
         0.2] }, mass = 1, position = [0, 0, 0.1], velocity = [2, 0.5, 0], spin = [0, 0, 6] },\n]\n",
    );
    let mut balance = Balance::default();
    for k in 0..=10 {
        advance(&mut simulation, 0.3 * f64::from(k));
        balance.add(&simulation.ledger());
    }
    let id = simulation.world().find_body("block").expect("the block");
    let twist = simulation.twist(id);
    assert_eq!((twist.velocity, twist.spin), (DVec3::ZERO, DVec3::ZERO));
    assert!(balance.relative() < 1e-10, "{:e}", balance.relative());
}

/// Friction is the same at every heading: a box slid at many angles to the axes stops at the same time and distance.
#[test]
fn sliding_is_the_same_at_every_heading() {
    let (speed, friction, gravity) = (2.0_f64, 0.4, 9.81);
    let (time, way) = (speed / (friction * gravity), speed * speed / (2.0 * friction * gravity));
    for degrees in (0..360).step_by(15) {
        let (sin, cos) = real::sin_cos(f64::from(degrees) * real::PI / 180.0);
        let text = format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = 0.4 }}\nbody = [\n{{ name = \"floor\", kind = \
             \"fixed\", shape = {{ kind = \"plane\", normal = [0, 0, 1] }} }},\n{{ name = \"box\", shape = {{ kind = \"box\", size = [2, 2, \
             0.2] }}, mass = 1, position = [0, 0, 0.1], velocity = [{:?}, {:?}, 0] }},\n]\n",
            speed * cos,
            speed * sin
        );
        let mut simulation = of_text(&text);
        advance(&mut simulation, 2.0 * time);
        let at = position(&simulation, "box");
        near(at.x, way * cos, CASE, "x");
        near(at.y, way * sin, CASE, "y");
        let stop = simulation.events().iter().rev().find(|e| e.kind == EventKind::Rest).expect("a rest").t;
        near(stop, time, CASE, "stop");
    }
}

/// The forces of what stands still are found once, however often they are asked for, and anew when it was disturbed.
#[test]
fn forces_of_what_rests_are_found_once() {
    let mut simulation = start("brick-wall", &[]);
    advance(&mut simulation, 1.0);
    let (first, solved) = (simulation.contact_forces(), simulation.solves().problems);
    advance(&mut simulation, 5.0);
    assert!(simulation.contact_forces() == first, "forces of a wall that stands");
    assert_eq!(simulation.solves().problems, solved, "problems solved");
    let brick = simulation.world().find_body("brick 5 0").expect("a brick of the upper row");
    let mut state = simulation.state(brick).expect("it can move");
    state.momentum = dvec3(0.0, 0.1, 0.0);
    simulation.set_state(brick, state).unwrap_or_else(|stop| panic!("{stop}"));
    advance(&mut simulation, 5.001);
    assert!(simulation.contact_forces() != first, "one brick slides");
    assert!(simulation.solves().problems > solved, "problems solved");
}
