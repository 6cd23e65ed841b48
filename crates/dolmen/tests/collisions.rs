//! Flight, collision, flight: closed forms.

use dolmen::prelude::*;
use dolmen::record::EventKind;
use dolmen::shape::Plane;
use dolmen::world::Material;

fn material(restitution: f64, friction: f64) -> Material {
    Material { restitution, static_friction: friction, kinetic_friction: friction, ..Material::SMOOTH }
}

fn world(bodies: Vec<Body>, gravity: DVec3, material: Material) -> World {
    let mut builder = WorldBuilder::new();
    for body in bodies {
        builder.body(body).unwrap();
    }
    builder.gravity(gravity);
    builder.default_material(material);
    builder.build().unwrap()
}

fn floor() -> Body {
    Body::fixed(Pose::IDENTITY).with_shape(Plane::new(DVec3::Z, 0.0).unwrap().into()).named("floor")
}

fn ball(radius: f64, height: f64) -> Body {
    Body::solid(Shape::sphere(radius).unwrap(), 1000.0)
        .unwrap()
        .at(dvec3(0.0, 0.0, height), DQuat::IDENTITY)
        .named("ball")
}

/// CASES A03: the ball's first bounces.
#[test]
fn a_ball_bounces_at_the_times_of_the_textbook() {
    let world = world(vec![floor(), ball(0.1, 1.1)], dvec3(0.0, 0.0, -9.81), material(0.9, 0.0));
    let mut simulation = Simulation::new(world).unwrap();
    simulation.advance(4.0).unwrap();
    let times =
        [0.45152364098573, 1.26426619476, 1.9957344931569, 2.6540559617141, 3.2465452834156, 3.7797856729469];
    for (event, t) in simulation.events().iter().zip(times) {
        assert!((event.t - t).abs() < 1e-11);
    }
    assert_eq!(simulation.events().len(), 6);
}

/// CASES A03: it comes to rest at the limit of its bounces, and the floor then carries its weight.
#[test]
fn a_bouncing_ball_rests_at_the_limit_of_its_series() {
    for (restitution, height) in [(0.9, 1.0), (0.5, 2.0), (0.999, 0.01)] {
        let world =
            world(vec![floor(), ball(0.1, 0.1 + height)], dvec3(0.0, 0.0, -9.81), material(restitution, 0.0));
        let mut simulation = Simulation::new(world).unwrap();
        let limit = (1.0 + restitution) / (1.0 - restitution) * (2.0 * height / 9.81_f64).sqrt();
        simulation.advance(2.0 * limit).unwrap();
        let last = simulation.events().last().unwrap();
        assert!((last.t - limit).abs() < 1e-9 * limit);
        let forces = simulation.contact_forces();
        assert_eq!(forces.len(), 1);
        let weight = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.001 * 9.81;
        assert!(
            (forces[0].normal_force.abs() - weight).abs() < 1e-12 * weight,
            "{} {weight}",
            forces[0].normal_force
        );
        let ball = simulation.world().find_body("ball").unwrap();
        assert!((simulation.pose(ball).position.z - 0.1).abs() < 1e-10);
    }
}

/// CASES A04: a ball between floor and ceiling, until it rests.
#[test]
fn a_ball_bounces_between_floor_and_ceiling_and_rests() {
    let ceiling = Body::fixed(Pose { position: dvec3(0.0, 0.0, 1.7), orientation: DQuat::IDENTITY })
        .with_shape(Plane::new(-DVec3::Z, 0.0).unwrap().into())
        .named("ceiling");
    let body = ball(0.1, 1.1).moving(dvec3(0.0, 0.0, 10.0), DVec3::ZERO);
    let world = world(vec![floor(), ceiling, body], dvec3(0.0, 0.0, -10.0), material(0.8, 0.0));
    let mut simulation = Simulation::new(world).unwrap();
    simulation.advance(10.0).unwrap();
    let times = [
        0.0513167019495,
        0.228318780053,
        0.46654861602,
        0.741359965747,
        1.83453542102,
        2.70907578523,
        3.4087080766,
        3.9684139097,
    ];
    for (event, t) in simulation.events().iter().zip(times) {
        assert!((event.t - t).abs() < 1e-10, "{} {t}", event.t);
    }
    let last = simulation.events().last().unwrap();
    assert!((last.t - 6.20723724209).abs() < 1e-10);
}

fn boxed(half: DVec3, at: DVec3) -> Body {
    Body::solid(Shape::cuboid(half).unwrap(), 1000.0).unwrap().at(at, DQuat::IDENTITY).named("box")
}

/// A block that lies on a floor: μ decelerates it evenly until it stops, and it stays. CASES A15, A16.
#[test]
fn a_sliding_block_stops_where_the_textbook_says() {
    for heading in 0..48 {
        let (s, c) = dolmen::math::real::sin_cos((7.5 * f64::from(heading)).to_radians());
        let body =
            boxed(dvec3(1.0, 1.0, 1.0), dvec3(0.0, 0.0, 1.0)).moving(20.0 * dvec3(c, s, 0.0), DVec3::ZERO);
        let friction = 0.72_f64.sqrt();
        let world = world(vec![floor(), body], dvec3(0.0, 0.0, -9.81), material(0.0, friction));
        let mut simulation = Simulation::new(world).unwrap();
        let id = simulation.world().find_body("box").unwrap();
        simulation.advance(1.0).unwrap();
        let at = simulation.pose(id).position - dvec3(0.0, 0.0, 1.0);
        assert!((simulation.twist(id).velocity.length() - 11.675938971872).abs() < 1e-9);
        assert!((at.length() - 15.837969485936).abs() < 1e-9);
        simulation.advance(4.0).unwrap();
        let at = simulation.pose(id).position - dvec3(0.0, 0.0, 1.0);
        assert!((at.length() - 24.02673398527).abs() < 1e-9, "{}", at.length());
        assert_eq!(simulation.twist(id).velocity, DVec3::ZERO);
        let last = simulation.events().iter().rfind(|event| event.kind == EventKind::Rest).unwrap();
        assert!((last.t - 2.402673398527).abs() < 2.4e-9, "heading {heading}: {}", last.t);
    }
}

/// CASES A14: a ball that slides, then rolls.
#[test]
fn a_sliding_ball_rolls_when_its_slip_ends() {
    let body = ball(0.5, 0.5).moving(dvec3(5.0, 0.0, 0.0), DVec3::ZERO);
    let world = world(vec![floor(), body], dvec3(0.0, 0.0, -9.81), material(0.0, 0.3));
    let mut simulation = Simulation::new(world).unwrap();
    let id = simulation.world().find_body("ball").unwrap();
    simulation.advance(0.48541332945).unwrap();
    simulation.advance(2.0).unwrap();
    assert!((simulation.twist(id).velocity.x - 3.57142857143).abs() < 1e-10);
    assert!((simulation.twist(id).spin.y - 7.14285714286).abs() < 1e-10);
    let x = 2.0803428405 + (2.0 - 0.48541332945) * 3.5714285714285716;
    assert!((simulation.pose(id).position.x - x).abs() < 1e-9);
}

/// CASES A13: a ball that rolls down an incline.
#[test]
fn a_ball_rolls_down_an_incline() {
    let (s, c) = dolmen::math::real::sin_cos(15_f64.to_radians());
    let normal = dvec3(s, 0.0, c);
    let slope =
        Body::fixed(Pose::IDENTITY).with_shape(Plane::new(normal, 0.0).unwrap().into()).named("slope");
    let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.05 * 0.05 * 0.05;
    let body = Body::solid(Shape::sphere(0.05).unwrap(), 0.1 / volume)
        .unwrap()
        .at(0.05 * normal, DQuat::IDENTITY)
        .named("ball");
    let world = world(vec![slope, body], dvec3(0.0, 0.0, -9.81), material(0.0, 1.0));
    let mut simulation = Simulation::new(world).unwrap();
    simulation.advance(1.0).unwrap();
    let id = simulation.world().find_body("ball").unwrap();
    let (v, w) = (simulation.twist(id).velocity.length(), simulation.twist(id).spin.length());
    assert!((v - 1.81358202318).abs() < 1e-10 && (w - 36.2716404637).abs() < 1e-9);
    let f = simulation.contact_forces()[0];
    assert!(
        (f.normal_force.abs() - 0.94757323559).abs() < 1e-10
            && (f.friction.length() - 0.0725432809273).abs() < 1e-10
    );
}

/// CASES A37: a box at rest on an incline; the resultants of its edges.
#[test]
fn a_box_on_an_incline_presses_as_statics_says() {
    let (s, c) = dolmen::math::real::sin_cos(20_f64.to_radians());
    let normal = dvec3(-s, 0.0, c);
    let slope =
        Body::fixed(Pose::IDENTITY).with_shape(Plane::new(normal, 0.0).unwrap().into()).named("slope");
    let turn = DQuat::from_rotation_y(-20_f64.to_radians());
    let body =
        Body::solid(Shape::cuboid(dvec3(0.5, 0.5, 1.0)).unwrap(), 2.5).unwrap().at(normal, turn).named("box");
    let world = world(vec![slope, body], dvec3(0.0, 0.0, -9.81), material(0.0, 0.5));
    let mut simulation = Simulation::new(world).unwrap();
    simulation.advance(100.0).unwrap();
    let forces = simulation.contact_forces();
    let along = dvec3(c, 0.0, s);
    let low: f64 = forces.iter().filter(|f| f.point.dot(along) < 0.0).map(|f| f.normal_force.abs()).sum();
    let high: f64 = forces.iter().filter(|f| f.point.dot(along) > 0.0).map(|f| f.normal_force.abs()).sum();
    assert!((low - 39.8220495549).abs() < 1e-9 && (high - 6.26987349465).abs() < 1e-9);
}

/// A cube falls on a corner, tips over, rattles, and comes to rest on a face: collisions, pivoting, sliding, new contacts,
/// and series of bounces that end. Energy adds up all the while, and nothing overlaps.
#[test]
fn a_tilted_cube_comes_to_rest_on_a_face() {
    for (restitution, friction, tilt) in [(0.0, 0.6, 0.5), (0.0, 0.0, 0.5), (0.3, 0.4, 0.3), (0.5, 0.1, 0.7)]
    {
        let turn = DQuat::from_rotation_y(tilt) * DQuat::from_rotation_x(0.2);
        let shape = Shape::cuboid(DVec3::splat(0.5)).unwrap();
        let body = Body::solid(shape, 1.0).unwrap().at(dvec3(0.0, 0.0, 1.5), turn).named("box");
        let world = world(vec![floor(), body], dvec3(0.0, 0.0, -9.81), material(restitution, friction));
        let mut simulation = Simulation::new(world).unwrap();
        let id = simulation.world().find_body("box").unwrap();
        let start = simulation.ledger();
        for k in 1..=20 {
            simulation.advance(0.5 * f64::from(k)).unwrap();
            let ledger = simulation.ledger();
            let error = ledger.total() - start.total() - ledger.work + ledger.lost();
            assert!(
                error.abs() < 1e-10 * start.potential,
                "ε = {restitution}, μ = {friction}: off by {error:e} J"
            );
        }
        assert!((simulation.pose(id).position.z - 0.5).abs() < 1e-9);
        // Without friction nothing stops it from drifting and spinning on its face.
        assert!(friction == 0.0 || simulation.twist(id).velocity == DVec3::ZERO);
        let (deepest, relative) = simulation.deepest_overlap();
        assert!(relative < 1.0, "ε = {restitution}, μ = {friction}: overlap of {deepest:e} m");
    }
}
