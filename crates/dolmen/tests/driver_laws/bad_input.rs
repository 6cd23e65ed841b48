//! What cannot be simulated is refused in words; what is merely extreme is simulated.

use dolmen::drive::exact::Reason;
use dolmen::prelude::*;
use dolmen::record::EventKind;
use dolmen::shape::{Plane, Sides};
use dolmen::world::{ContactSettings, Material, Overlaps};

use crate::common::{GRAVITY, ball, elastic, floor, material, solid, wall, world};

fn overlapping() -> Vec<Body> {
    vec![
        ball("left", 0.5, DVec3::ZERO).moving(-DVec3::X, DVec3::ZERO),
        ball("right", 0.5, dvec3(0.9, 0.0, 0.0)).moving(DVec3::X, DVec3::ZERO),
    ]
}

/// Spheres of radius ½ m whose centres are 0.9 m apart overlap by 0.1 m.
#[test]
fn an_overlapping_start_is_refused_by_name_and_depth() {
    let stop = Simulation::new(world(overlapping(), DVec3::ZERO, elastic())).expect_err("an overlap");
    let Reason::Overlap { bodies, depth } = &stop.reason else { panic!("{stop}") };
    assert_eq!(bodies, &["left".to_owned(), "right".to_owned()]);
    assert!((depth - 0.1).abs() < 1e-12, "{depth}");
    let text = stop.to_string();
    for part in ["left", "right", "overlap", "overlaps = \"report\""] {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

fn reporting(bodies: Vec<Body>) -> World {
    let mut world = world(bodies, DVec3::ZERO, elastic());
    let settings = ContactSettings {
        overlaps: Overlaps::Report,
        default_material: elastic(),
        ..ContactSettings::default()
    };
    world.set_contact(settings).expect("sound");
    world
}

/// Asked to report, it lets the two pass until they are apart, and says so in the log.
#[test]
fn a_reported_overlap_passes_and_is_logged() {
    let mut simulation = Simulation::new(reporting(overlapping())).expect("let pass");
    assert_eq!(simulation.events().len(), 1);
    assert_eq!(simulation.events()[0].kind, EventKind::Overlap);
    simulation.advance(1.0).expect("they separate");
    let at = |name: &str| simulation.pose(simulation.world().find_body(name).expect("named")).position.x;
    assert!((at("left") + 1.0).abs() < 1e-12 && (at("right") - 1.9).abs() < 1e-12);
    assert_eq!(simulation.collisions(), (0, 0));
}

/// Let through each other and apart again, the two collide like any others when they meet the next time.
#[test]
fn bodies_that_were_let_pass_meet_later() {
    let bodies = vec![
        ball("left", 0.5, DVec3::ZERO).moving(dvec3(2.0, 0.0, 0.0), DVec3::ZERO),
        ball("right", 0.5, dvec3(0.9, 0.0, 0.0)),
        wall(-DVec3::X, -4.0, "wall"),
    ];
    let mut simulation = Simulation::new(reporting(bodies)).expect("let pass");
    simulation.advance(4.0).expect("to go on");
    // Left runs through right, from 0 to the wall at 4 (centre 3.5, t = 1.75), and meets right at 0.9 + 1 = 1.9, t = 2.55.
    let times: Vec<f64> =
        simulation.events().iter().filter(|e| e.kind == EventKind::Collision).map(|e| e.t).collect();
    assert_eq!(times.len(), 2, "{times:?}");
    assert!((times[0] - 1.75).abs() < 1e-12 && (times[1] - 2.55).abs() < 1e-12, "{times:?}");
}

/// Coefficients out of range are refused by name, value and range.
#[test]
fn coefficients_out_of_range_are_refused() {
    let refused = |material: Material| {
        let mut world = world(vec![floor()], GRAVITY, elastic());
        let settings = ContactSettings { default_material: material, ..ContactSettings::default() };
        let error = world.set_contact(settings).expect_err("out of range");
        error.to_string()
    };
    for restitution in [-0.1, 1.0 + 1e-15, 2.0, f64::NAN, f64::INFINITY, -f64::INFINITY] {
        let text = refused(material(restitution, 0.0));
        assert!(text.contains("restitution") && text.contains("between 0 and 1"), "{text}");
        assert!(text.contains(&restitution.to_string()), "{text}");
    }
    for friction in [-0.1, f64::NAN] {
        let text = refused(material(0.5, friction));
        assert!(text.contains("friction") && text.contains("0 or more"), "{text}");
    }
    let text = refused(Material {
        restitution: 0.5,
        static_friction: 0.2,
        kinetic_friction: 0.3,
        ..Material::SMOOTH
    });
    assert!(text.contains("kinetic friction") && text.contains("0.3"), "{text}");
}

/// A plane that faces the wrong way has the body in its ground: an overlap, as deep as the body is buried.
#[test]
fn a_body_behind_a_one_sided_plane_is_refused() {
    let plane = Plane::new(-DVec3::Z, 0.0).expect("unit").with_sides(Sides::Front);
    let upside_down = Body::fixed(Pose::IDENTITY).with_shape(plane.into()).named("floor");
    let bodies = vec![upside_down, ball("ball", 0.5, dvec3(0.0, 0.0, 3.0))];
    let stop = Simulation::new(world(bodies, GRAVITY, elastic())).expect_err("buried");
    let Reason::Overlap { bodies, depth } = &stop.reason else { panic!("{stop}") };
    assert_eq!(bodies, &["ball".to_owned(), "floor".to_owned()]);
    assert!((depth - 3.5).abs() < 1e-12, "{depth}");
}

/// A plate a millimetre thick stops a ball at a third of the speed of light.
#[test]
fn a_thin_target_is_not_tunnelled_through() {
    for (speed, shape) in [(1e8, "ball"), (1e8, "box"), (1e5, "box")] {
        let plate = Shape::cuboid(dvec3(0.0005, 1.0, 1.0)).expect("sound");
        let bullet = match shape {
            "ball" => ball("bullet", 0.01, DVec3::ZERO),
            _ => solid(
                "bullet",
                Shape::cuboid(DVec3::splat(0.01)).expect("sound"),
                DVec3::ZERO,
                DQuat::IDENTITY,
            ),
        };
        let bodies = vec![
            bullet.moving(dvec3(speed, 0.0, 0.0), dvec3(0.0, 0.0, 0.0)),
            solid("plate", plate, dvec3(10.0, 0.0, 0.0), DQuat::IDENTITY),
        ];
        let mut simulation = Simulation::new(world(bodies, DVec3::ZERO, elastic())).expect("a start");
        simulation.advance(1.0).expect("to go on");
        let event = simulation.events().first().expect("a hit");
        let expected = (10.0 - 0.0005 - 0.01) / speed;
        assert!((event.t - expected).abs() < 1e-13 * expected, "{shape}: {} against {expected}", event.t);
        let v = |name: &str| simulation.twist(simulation.world().find_body(name).expect("named")).velocity.x;
        assert!((v("plate") - v("bullet") - speed).abs() < 1e-12 * speed, "{} {}", v("plate"), v("bullet"));
    }
}

/// At a picometre a second a micrometre takes eleven days and a half.
#[test]
fn a_very_slow_body_arrives_in_the_end() {
    let bodies = vec![
        ball("snail", 0.1, dvec3(0.0, 0.0, 0.100001)).moving(dvec3(0.0, 0.0, -1e-12), DVec3::ZERO),
        floor(),
    ];
    let mut simulation = Simulation::new(world(bodies, DVec3::ZERO, elastic())).expect("a start");
    simulation.advance(2e6).expect("to go on");
    let events = simulation.events();
    assert_eq!(events.len(), 1, "{events:?}");
    // Its height is rounded to ε/2 · 0.1 m: that is 1.4e-5 s at its speed.
    let expected = (0.100001 - 0.1) / 1e-12;
    assert!((events[0].t - expected).abs() < 2e-5, "{} against {expected}", events[0].t);
    let z = simulation.pose(BodyId::from_rank(1)).position.z;
    assert!((z - (0.1 + 1e-12 * (2e6 - expected))).abs() < 1e-16, "{z}");
}

/// A ball at rest that two others hit from both sides at one instant stays where it is; they turn back.
#[test]
fn a_ball_hit_from_both_sides_stays() {
    let bodies = vec![
        ball("left", 0.5, dvec3(-3.0, 0.0, 0.0)).moving(DVec3::X, DVec3::ZERO),
        ball("middle", 0.5, DVec3::ZERO),
        ball("right", 0.5, dvec3(3.0, 0.0, 0.0)).moving(-DVec3::X, DVec3::ZERO),
    ];
    let mut simulation = Simulation::new(world(bodies, DVec3::ZERO, elastic())).expect("a start");
    simulation.advance(3.0).expect("to go on");
    let state = |name: &str| {
        let id = simulation.world().find_body(name).expect("named");
        (simulation.pose(id).position.x, simulation.twist(id).velocity.x)
    };
    let [left, middle, right] = ["left", "middle", "right"].map(state);
    assert!((left.1 + 1.0).abs() < 1e-12 && (right.1 - 1.0).abs() < 1e-12, "{left:?} {right:?}");
    assert!(middle.0.abs() < 1e-12 && middle.1.abs() < 1e-12, "{middle:?}");
    assert!((left.0 + 2.0).abs() < 1e-12, "{left:?}");
}

/// A ball dropped onto a box that lies on the floor: squeezed between both, it passes the impulse on.
#[test]
fn a_box_is_squeezed_between_a_ball_and_the_floor() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).expect("sound");
    for restitution in [0.0, 0.5, 1.0] {
        let bodies = vec![
            floor(),
            solid("box", cube.clone(), dvec3(0.0, 0.0, 0.5), DQuat::IDENTITY),
            ball("ball", 0.2, dvec3(0.0, 0.0, 2.0)),
        ];
        let mut simulation =
            Simulation::new(world(bodies, GRAVITY, material(restitution, 0.3))).expect("a start");
        let start = simulation.ledger().total();
        simulation.advance(1.0).expect("to go on");
        let ledger = simulation.ledger();
        let error = ledger.total() - start + ledger.lost() - ledger.work;
        assert!(error.abs() < 1e-10 * start, "{restitution}: {error:e} J are missing; {ledger:?}");
        assert!(simulation.deepest_overlap().1 <= 1.0, "{:?}", simulation.deepest_overlap());
        let top = simulation.pose(simulation.world().find_body("box").expect("named")).position.z;
        assert!((0.5 - 1e-9..1.0).contains(&top), "{restitution}: the box is at {top}");
    }
}

/// Numbers that are not finite never get into a world.
#[test]
fn numbers_that_are_not_finite_are_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut builder = WorldBuilder::new();
        assert!(builder.body(ball("a", 0.1, dvec3(bad, 0.0, 0.0))).is_err());
        assert!(builder.body(ball("a", 0.1, DVec3::ZERO).moving(dvec3(0.0, bad, 0.0), DVec3::ZERO)).is_err());
        assert!(Shape::sphere(bad).is_err());
    }
}
