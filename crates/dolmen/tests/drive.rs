//! The exact driver without contacts: islands, spans, ledger, determinism.

use dolmen::body::BodyState;
use dolmen::broad_phase::Groups;
use dolmen::drive::exact::{Reason, Simulation};
use dolmen::force::{Anchor, Attraction, Booked, Custom, Drag, Frame, Push, Spring, Torque, Wave, Window};
use dolmen::integrate::{Method, Step};
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::Motion;
use dolmen::motion::Prescribed;
use dolmen::record::Balance;
use dolmen::shape::Shape;
use dolmen::world::{Body, BodyId, Form, Member, MotionSettings, ParticleSet, World, WorldBuilder};

fn block(half: DVec3, mass: f64) -> Body {
    let shape = Shape::cuboid(half).expect("a sound box");
    let unit = dolmen::mass::of_shape(&shape, 1.0).expect("a sound box");
    Body::dynamic(&unit.scaled_to_mass(mass).expect("a sound mass")).with_shape(shape)
}

fn world_of(bodies: Vec<Body>) -> World {
    let mut builder = WorldBuilder::new();
    for body in bodies {
        builder.body(body).expect("a sound body");
    }
    builder.build().expect("distinct names")
}

fn id(world: &World, name: &str) -> BodyId {
    world.find_body(name).expect("a body of that name")
}

/// A world with a bit of everything: springs, drag, pushes with jumps, a kinematic anchor, free flyers, particles.
fn busy_world(order: &[usize]) -> World {
    let names = ["alpha", "beta", "gamma", "delta", "free"];
    let mut builder = WorldBuilder::new();
    for &i in order {
        let k = i as f64;
        let body = block(dvec3(0.1, 0.2, 0.3 + 0.1 * k), 1.0 + k)
            .named(names[i])
            .at(dvec3(k, 0.5 * k, -k), DQuat::from_scaled_axis(dvec3(0.1 * k, 0.3, -0.2)))
            .moving(dvec3(0.1, 0.2 * k, 0.3), dvec3(k, 1.0, -0.5));
        builder.body(body).expect("a sound body");
    }
    let shaker = Prescribed::Oscillate {
        middle: Pose { position: dvec3(0.0, 0.0, 3.0), orientation: DQuat::IDENTITY },
        amplitude: dvec3(0.0, 0.1, 0.2),
        axis: DVec3::X,
        angle: 0.3,
        frequency: 0.7,
        phase: 0.1,
    };
    builder.body(Body::prescribed(shaker).named("shaker")).expect("a sound body");
    let dust =
        ParticleSet::new("dust", vec![1.0, 2.0], vec![DVec3::ZERO, DVec3::X], vec![DVec3::Y, DVec3::Z]);
    builder.particles(dust.expect("sound particles").in_groups(Groups::NONE));
    builder.gravity(dvec3(0.0, 0.0, -9.81));
    let mut world = builder.build().expect("distinct names");
    let (a, b, c, s) = (id(&world, "alpha"), id(&world, "beta"), id(&world, "gamma"), id(&world, "shaker"));
    let spring = |a, b, k| Spring {
        a: Anchor::Body { body: a, at: dvec3(0.1, 0.0, 0.2) },
        b: Anchor::Body { body: b, at: dvec3(0.0, 0.1, 0.0) },
        stiffness: k,
        length: 0.7,
        damping: 0.2,
    };
    let push = Push {
        body: c,
        force: dvec3(1.0, 2.0, 30.0),
        frame: Frame::Body,
        at: dvec3(0.0, 0.1, 0.0),
        window: Window::new(0.3, 0.9, Wave::Sine { frequency: 2.0, phase: 0.4 }),
    };
    let drag = Drag { member: Member::Body(b), linear: 0.1, quadratic: 0.2, angular: 0.01, wind: DVec3::Y };
    // Added in an order that hangs on that of the bodies, so that nothing may hang on it.
    if order[0] == 0 {
        world.add_force(spring(s, a, 40.0)).expect("sound");
        world.add_force(spring(a, b, 60.0)).expect("sound");
        world.add_force(push).expect("sound");
        world.add_force(drag).expect("sound");
    } else {
        world.add_force(drag).expect("sound");
        world.add_force(push).expect("sound");
        world.add_force(spring(a, b, 60.0)).expect("sound");
        world.add_force(spring(s, a, 40.0)).expect("sound");
    }
    world
}

fn hash_at(world: World, cuts: &[f64]) -> String {
    let mut simulation = Simulation::new(world).expect("a start");
    for t in cuts {
        simulation.advance(*t).expect("to go on");
    }
    simulation.sample().hash()
}

/// Asking more often, or adding bodies and forces in another order, changes no bit.
#[test]
fn results_do_not_hang_on_cuts_or_order() {
    let whole = hash_at(busy_world(&[0, 1, 2, 3, 4]), &[2.0]);
    let fine: Vec<f64> = (1..=200).map(|i| f64::from(i) / 100.0).collect();
    assert_eq!(whole, hash_at(busy_world(&[0, 1, 2, 3, 4]), &fine));
    assert_eq!(whole, hash_at(busy_world(&[0, 1, 2, 3, 4]), &[0.31, 0.9, 1.7, 2.0]));
    assert_eq!(whole, hash_at(busy_world(&[4, 2, 0, 3, 1]), &[1.0, 2.0]));
}

/// alpha and beta share an island with neither the kinematic shaker nor the free flyers.
#[test]
fn islands_follow_the_forces() {
    let simulation = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
    // {alpha, beta}, {gamma}, {delta}, {free}, {dust}; gamma flies until its push begins.
    assert_eq!(simulation.islands(), (5, 4));
}

/// Kinetic + potential − work is constant: with springs, dampers, drag, pushes that start and stop, moving anchors.
#[test]
fn ledger_balances() {
    let mut simulation = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
    let mut balance = Balance::default();
    for i in 0..=100 {
        simulation.advance(f64::from(i) * 0.03).expect("to go on");
        balance.add(&simulation.ledger());
    }
    assert!(balance.relative() < 1e-10, "{balance:?}");
    assert!(simulation.ledger().work.abs() > 1.0, "something must have done work: {:?}", simulation.ledger());
}

/// The window of a push starts and ends exactly: 100 N for 0.01 s on 1 kg gives 1 m/s, wherever steps fall. (CASES A12)
#[test]
fn a_push_ends_when_it_ends() {
    let mut world = world_of(vec![block(DVec3::splat(0.5), 1.0).named("cube")]);
    let body = id(&world, "cube");
    let window = Window::new(0.2, 0.21, Wave::Constant);
    world
        .add_force(Push { body, force: dvec3(100.0, 0.0, 0.0), frame: Frame::World, at: DVec3::ZERO, window })
        .expect("sound");
    let mut simulation = Simulation::new(world).expect("a start");
    simulation.advance(1.205).expect("to go on");
    let state = simulation.state(body).expect("a dynamic body");
    assert!((state.momentum.x - 1.0).abs() < 1e-14, "P = {}", state.momentum.x);
    assert!((state.position.x - 1.0).abs() < 1e-13, "x = {}", state.position.x);
    assert!((simulation.ledger().work - 0.5).abs() < 1e-13);
    assert_eq!(simulation.islands(), (1, 1), "flies again after the push");
}

/// A spinning body under torques in its own frame: P and L change by the integrals of F and τ.
#[test]
fn momentum_changes_by_force_and_torque() {
    let mut world = world_of(vec![block(dvec3(0.1, 0.2, 0.3), 2.0).named("b")]);
    let body = id(&world, "b");
    let torque = dvec3(0.0, 0.0, 0.7);
    world.add_force(Torque { body, torque, frame: Frame::World, window: Window::always() }).expect("sound");
    let wave = Wave::Table { times: vec![0.5, 1.0, 2.0], factors: vec![0.0, 2.0, 1.0] };
    let push = Push {
        body,
        force: dvec3(3.0, 0.0, 0.0),
        frame: Frame::World,
        at: DVec3::ZERO,
        window: Window::new(f64::NEG_INFINITY, f64::INFINITY, wave),
    };
    world.add_force(push).expect("sound");
    let mut simulation = Simulation::new(world).expect("a start");
    simulation.advance(3.0).expect("to go on");
    let state = simulation.state(body).expect("a dynamic body");
    // ∫ factors = 0.5 (ramp up) + 1.5 (ramp down) + 1 (constant)
    assert!((state.momentum.x - 9.0).abs() < 1e-11, "P = {}", state.momentum);
    assert!((state.angular_momentum - 3.0 * torque).length() < 1e-11, "L = {}", state.angular_momentum);
}

/// Without renormalising both forms drift, the matrix into a skewed one and far more; renormalising mends both.
/// [NOTES I, quaternions vs rotation matrices]
#[test]
fn matrix_form_drifts_more_than_the_quaternion() {
    let run = |form: Form, renormalise: bool| {
        let spinning = block(dvec3(0.1, 0.4, 0.9), 10.0).named("b").moving(DVec3::ZERO, dvec3(0.1, 5.0, 0.1));
        let mut world = world_of(vec![spinning]);
        let mut settings =
            MotionSettings { closed_form: false, form, renormalise, ..MotionSettings::default() };
        settings.integrator.method = Method::named("rk4").expect("a method");
        settings.integrator.step = Step::Fixed(0.02);
        world.set_settings(settings).expect("sound");
        let body = id(&world, "b");
        let mut simulation = Simulation::new(world).expect("a start");
        simulation.advance(20.0).expect("to go on");
        simulation.rotation_defect(body)
    };
    let (matrix, quaternion) = (run(Form::Matrix, false), run(Form::Quaternion, false));
    assert!(quaternion > 1e-8, "the quaternion must show its drift: {quaternion:e}");
    assert!(matrix > 10.0 * quaternion, "the matrix drifts by {matrix:e}, the quaternion by {quaternion:e}");
    for form in [Form::Matrix, Form::Quaternion] {
        let mended = run(form, true);
        assert!(mended < 1e-14, "{form:?}, renormalised: {mended:e}");
    }
}

/// Both forms give the same motion to the accuracy of the method, as does the closed form.
#[test]
fn forms_agree_with_the_closed_form() {
    let run = |closed_form: bool, form: Form| {
        let mut world = world_of(vec![
            block(dvec3(0.1, 0.4, 0.9), 10.0).named("b").moving(DVec3::X, dvec3(1.0, 2.0, 3.0)),
        ]);
        world.set_settings(MotionSettings { closed_form, form, ..MotionSettings::default() }).expect("sound");
        let body = id(&world, "b");
        let mut simulation = Simulation::new(world).expect("a start");
        simulation.advance(10.0).expect("to go on");
        simulation.pose(body)
    };
    let closed = run(true, Form::Quaternion);
    for form in [Form::Quaternion, Form::Matrix] {
        let pose = run(false, form);
        let angle = (closed.orientation.conjugate() * pose.orientation).xyz().length();
        assert!(angle < 1e-9, "{form:?} is off by {angle:e} rad");
        assert!((pose.position - closed.position).length() < 1e-11);
    }
}

/// Spans bound what they contain: for integrated bodies as well as for prescribed ones.
#[test]
fn bounds_of_spans_hold() {
    let mut simulation = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
    simulation.advance(0.5).expect("to go on");
    for body in simulation.world().body_ids() {
        let Some(motion) = simulation.motion(body) else { continue };
        let (t_a, t_b) = (0.5, 0.5005);
        let bounds = motion.bounds(t_a, t_b);
        for i in 0..=50 {
            let t = t_a + (t_b - t_a) * f64::from(i) / 50.0;
            let (pose, twist) = (motion.pose(t), motion.twist(t));
            let name = simulation.world().body_name(body);
            let inside = pose.position.cmpge(bounds.centre.min - 1e-12).all()
                && pose.position.cmple(bounds.centre.max + 1e-12).all();
            assert!(inside, "{name}: {} not in {:?}", pose.position, bounds.centre);
            assert!(twist.velocity.length() <= bounds.speed * (1.0 + 1e-14), "{name}: {bounds:?} {twist:?}");
            assert!(twist.spin.length() <= bounds.spin * (1.0 + 1e-14), "{name}: {bounds:?} {twist:?}");
        }
    }
}

/// Kinematics of points against finite differences of the motion. [NOTES app. C]
#[test]
fn accelerations_are_the_rates_of_velocities() {
    let point = dvec3(0.3, -0.2, 0.5);
    let h = 1e-4;
    for name in ["alpha", "beta", "shaker", "free"] {
        let simulation_at = |t: f64| {
            let mut fresh = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
            fresh.advance(t).expect("to go on");
            let body = id(fresh.world(), name);
            let kinematics = fresh.kinematics(body);
            (kinematics.pose.point(point), kinematics.velocity_of(point), kinematics.acceleration_of(point))
        };
        let (before, here, after) = (simulation_at(0.2 - h), simulation_at(0.2), simulation_at(0.2 + h));
        let velocity = (after.0 - before.0) / (2.0 * h);
        let acceleration = (after.1 - before.1) / (2.0 * h);
        // Central differences err by h²/6 times the third derivative, which grows by the spin squared: (ωh)² ≈ 1e-6.
        let allowed = 1e-5 * (1.0 + here.2.length());
        assert!((velocity - here.1).length() < allowed, "{name}: v = {} against {velocity}", here.1);
        assert!((acceleration - here.2).length() < allowed, "{name}: a = {} against {acceleration}", here.2);
    }
}

/// A closure is a force like any other, with its potential in the ledger.
#[test]
fn closures_are_forces() {
    let mut world = world_of(vec![block(DVec3::splat(0.1), 2.0).named("b").at(DVec3::X, DQuat::IDENTITY)]);
    let body = id(&world, "b");
    let quartic = Custom::new("quartic", [Member::Body(body)], move |_, view, loads, booked| {
        let x = view.pose(body).position;
        loads.at_centre(body, -4.0 * x.length_squared() * x, booked);
    })
    .with_potential(move |view| {
        let r2 = view.pose(body).position.length_squared();
        r2 * r2
    });
    world.add_force(quartic).expect("sound");
    let rub = Custom::new("rub", [Member::Body(body)], move |moment, view, loads, booked| {
        assert_eq!(booked, Booked::Work);
        loads.at_centre(body, -0.1 * moment.t * view.twist(body).velocity, booked);
    });
    world.add_force(rub).expect("sound");
    let mut simulation = Simulation::new(world).expect("a start");
    let mut balance = Balance::default();
    for i in 0..=50 {
        simulation.advance(f64::from(i) * 0.2).expect("to go on");
        balance.add(&simulation.ledger());
    }
    assert!(
        balance.relative() < 1e-10 && simulation.ledger().work < -0.3,
        "{balance:?} {:?}",
        simulation.ledger()
    );
}

/// Setting a state ends the span there and nothing else.
#[test]
fn an_intervention_starts_a_new_span() {
    let mut simulation = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
    simulation.advance(0.4).expect("to go on");
    let world = simulation.world();
    let (free, delta) = (id(world, "free"), id(world, "delta"));
    let before = simulation.pose(delta);
    let inertia = *simulation.world().body(free).inertia();
    let pose = Pose { position: dvec3(9.0, 9.0, 9.0), orientation: DQuat::IDENTITY };
    let twist = Twist { velocity: DVec3::Z, spin: DVec3::ZERO };
    simulation.set_state(free, BodyState::new(&inertia, &pose, &twist)).expect("a sound state");
    assert_eq!(simulation.pose(free), pose);
    assert_eq!(simulation.pose(delta), before);
    simulation.advance(0.5).expect("to go on");
    let height = simulation.pose(free).position.z;
    let expected = 9.0 + 0.1 - 0.5 * 9.81 * 0.01;
    assert!((height - expected).abs() < 1e-12, "{height} against {expected}");
}

/// A fall into a point attractor ends the run with the body, the time and a remedy, and what was before stays readable.
#[test]
fn a_singularity_stops_the_run_with_a_reason() {
    let mut world =
        world_of(vec![block(DVec3::splat(0.1), 1.0).named("comet").at(DVec3::X, DQuat::IDENTITY)]);
    let member = Member::Body(id(&world, "comet"));
    let to = Anchor::World(DVec3::ZERO);
    world
        .add_force(Attraction { member, to, strength: 1.0, exponent: 2.0, softening: 0.0, per_mass: true })
        .expect("sound");
    let mut simulation = Simulation::new(world).expect("a start");
    simulation.advance(1.0).expect("before the fall");
    let stop = simulation.advance(2.0).expect_err("the fall takes π/√8 s");
    let fall = std::f64::consts::PI / 8.0_f64.sqrt();
    assert!((stop.t - fall).abs() < 1e-3, "{stop}");
    // It is where it stopped, and everything there is what the orbit says: ½v² = 1/r − 1.
    assert_eq!(simulation.time(), stop.t);
    let body = BodyId::from_rank(0);
    let (r, v) = (simulation.pose(body).position.length(), simulation.twist(body).velocity.length());
    assert!((0.5 * v * v - (1.0 / r - 1.0)).abs() < 1e-9 / r, "r = {r:e}, v = {v:e}");
    assert_eq!(simulation.advance(3.0).expect_err("for good"), stop);
    let text = stop.to_string();
    let steady = text.split(" s the motion").nth(1).expect("the rest of the message");
    let steady = steady.split("the step fell to ").next().unwrap_or("").to_owned()
        + "the step fell to …"
        + steady.split(" s for the sake").nth(1).unwrap_or("");
    insta::assert_snapshot!(steady);
}

/// Times that are not ahead are refused, and nothing changes.
#[test]
fn only_times_ahead_can_be_asked_for() {
    let mut simulation = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
    simulation.advance(0.2).expect("to go on");
    let before = simulation.sample();
    for t in [0.1, f64::NAN, f64::INFINITY, -1.0] {
        assert!(simulation.advance(t).is_err(), "{t}");
    }
    assert_eq!(simulation.sample(), before);
    simulation.advance(0.2).expect("the present is no news");
}

/// A callback can interrupt a run; it is where it was interrupted and goes on to the same bits.
#[test]
fn an_interrupted_run_goes_on() {
    let mut simulation = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
    let mut steps = 0;
    let stop = simulation.advance_while(2.0, &mut |_| {
        steps += 1;
        steps < 10
    });
    let stop = stop.expect_err("an interruption");
    assert!(stop.reason == Reason::Interrupted && simulation.time() > 0.0 && simulation.time() < 2.0);
    simulation.advance(2.0).expect("to go on");
    assert_eq!(simulation.sample().hash(), hash_at(busy_world(&[0, 1, 2, 3, 4]), &[2.0]));
}

/// An intervention on a coupled body keeps the work done so far and books what it puts in; a clone goes its own way.
#[test]
fn interventions_are_booked() {
    let mut simulation = Simulation::new(busy_world(&[0, 1, 2, 3, 4])).expect("a start");
    let mut balance = Balance::default();
    balance.add(&simulation.ledger());
    simulation.advance(0.7).expect("to go on");
    balance.add(&simulation.ledger());
    let mut twin = simulation.clone();
    let alpha = id(simulation.world(), "alpha");
    let mut state = simulation.state(alpha).expect("a dynamic body");
    state.momentum += dvec3(0.0, 0.0, 5.0);
    simulation.set_state(alpha, state).expect("a sound state");
    balance.add(&simulation.ledger());
    simulation.advance(1.5).expect("to go on");
    balance.add(&simulation.ledger());
    assert!(balance.relative() < 1e-10, "{balance:?}");
    twin.advance(1.5).expect("to go on");
    assert_ne!(twin.sample().hash(), simulation.sample().hash());
    state.position.x = f64::NAN;
    assert!(simulation.set_state(alpha, state).is_err(), "NaN is refused");
    let shaker = id(simulation.world(), "shaker");
    assert!(
        simulation.set_state(shaker, twin.state(alpha).expect("dynamic")).is_err(),
        "a kinematic body is refused"
    );
}

/// A closure that jumps keeps the order of a fixed-step method when it is given the side of the jump.
#[test]
fn closures_may_jump() {
    let error = |h: f64| {
        let mut world = world_of(vec![block(DVec3::splat(0.1), 1.0).named("b")]);
        let body = id(&world, "b");
        let brake = Custom::new("brake", [Member::Body(body)], move |moment, view, loads, booked| {
            let push = if moment.is_after(0.5) { -3.0 } else { 1.0 };
            loads.at_centre(body, push * DVec3::X - view.twist(body).velocity, booked);
        });
        world.add_force(brake.with_jumps(vec![0.5])).expect("sound");
        let mut settings = MotionSettings::default();
        settings.integrator.method = Method::named("rk4").expect("a method");
        settings.integrator.step = Step::Fixed(h);
        world.set_settings(settings).expect("sound");
        let mut simulation = Simulation::new(world).expect("a start");
        simulation.advance(1.0).expect("to go on");
        let half = dolmen::math::real::exp(-0.5);
        let expected = (1.0 - half) * half - 3.0 * (1.0 - half);
        (simulation.twist(body).velocity.x - expected).abs()
    };
    let order = dolmen::math::real::ln(error(0.1) / error(0.05)) / dolmen::math::real::ln(2.0);
    assert!(order > 3.7, "order {order} across a jump");
}

/// Kepler's third law for two bodies that attract each other: the reaction is felt.
#[test]
fn attraction_to_a_body_pulls_it_back() {
    let point = |name: &str, mass: f64, x: f64, v: f64| {
        let properties = MassProperties::new(mass, DVec3::ZERO, DMat3::IDENTITY).expect("sound");
        Body::dynamic(&properties)
            .named(name)
            .at(dvec3(x, 0.0, 0.0), DQuat::IDENTITY)
            .moving(dvec3(0.0, v, 0.0), DVec3::ZERO)
    };
    // Circular orbit of equal masses, distance 2, strength s·m² = 4: F = 1, v²/1 = 1.
    let mut world = world_of(vec![point("a", 1.0, 1.0, 1.0), point("b", 1.0, -1.0, -1.0)]);
    let (a, b) = (id(&world, "a"), id(&world, "b"));
    let to = Anchor::Body { body: b, at: DVec3::ZERO };
    world
        .add_force(Attraction {
            member: Member::Body(a),
            to,
            strength: 4.0,
            exponent: 2.0,
            softening: 0.0,
            per_mass: true,
        })
        .expect("sound");
    let mut simulation = Simulation::new(world).expect("a start");
    simulation.advance(std::f64::consts::TAU).expect("to go on");
    assert!((simulation.pose(a).position - DVec3::X).length() < 1e-10, "{}", simulation.pose(a).position);
    assert!(simulation.momentum().0.length() < 1e-14);
}
