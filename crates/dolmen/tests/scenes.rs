//! The scenes of the repository: every one is sound and saves without loss; and the known answers. That each keeps its laws
//! is what `dolmen verify` checks.

use std::fs;
use std::path::{Path, PathBuf};

use dolmen::drive::exact::Simulation;
use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::scene::Document;
use dolmen::world::{BodyId, World};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn load(name: &str) -> Document {
    Document::load(folder().join(format!("{name}.toml"))).unwrap_or_else(|errors| panic!("{errors}"))
}

fn world(name: &str) -> World {
    load(name).build(&folder()).unwrap_or_else(|errors| panic!("{errors}"))
}

fn simulation(name: &str) -> Simulation {
    Simulation::new(world(name)).expect("a start")
}

fn id(simulation: &Simulation, name: &str) -> BodyId {
    simulation.world().find_body(name).expect("a body of that name")
}

fn names() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of scenes");
    let stem = |entry: fs::DirEntry| Some(entry.path().file_stem()?.to_str()?.to_owned());
    // NAME.expect.toml is what `dolmen verify` expects of NAME.toml.
    let is_scene = |name: &String| !name.ends_with(".expect");
    let mut names: Vec<String> = entries.filter_map(|entry| stem(entry.ok()?)).filter(is_scene).collect();
    names.sort();
    names
}

fn assert_near(what: &str, got: DVec3, expected: DVec3, tolerance: f64) {
    let error = (got - expected).length();
    assert!(error <= tolerance, "{what}: {got} against {expected}, off by {error:e}");
}

/// Up to sign, as a quaternion stands for the same rotation as its negative.
fn assert_turned(what: &str, got: DQuat, w: f64, x: f64, y: f64, z: f64) {
    let expected = DQuat::from_xyzw(x, y, z, w);
    let error = (got - expected).length().min((got + expected).length());
    assert!(error < 2e-9, "{what}: {got} against {expected}, off by {error:e}");
}

/// load → save → load gives the same scene, as TOML and as JSON, and the same world moves the same way.
#[test]
fn every_scene_saves_without_loss() {
    for name in names() {
        let document = load(&name);
        let toml = Document::parse("saved.toml", &document.scene().to_toml()).expect("what was saved");
        let json = Document::parse("saved.json", &document.scene().to_json()).expect("what was saved");
        assert_eq!(document.scene(), toml.scene(), "{name}");
        assert_eq!(document.scene(), json.scene(), "{name}");
    }
}

/// Every scene says what it shows and for how long.
#[test]
fn every_scene_has_a_title_and_a_duration() {
    for name in names() {
        let document = load(&name);
        let scene = document.scene();
        assert!(scene.title.is_some() && scene.about.is_some(), "{name} has no title or no text");
        assert!(scene.run.as_ref().is_some_and(|run| run.duration.is_some()), "{name} has no duration");
    }
}

/// CASES A01: a symmetric body in free flight, every number of the table.
#[test]
fn a01_symmetric_body() {
    let mut simulation = simulation("a01-symmetric-body");
    let body = id(&simulation, "cylinder");
    let table = [
        (
            1.0,
            [-0.30493638853, 0.333018098446, -0.137999998421, -0.881515028513],
            [-1.41550496096, -4.24221000252, 6.0],
        ),
        (
            5.0,
            [-0.191789212346, 0.64483121229, -0.0710009058793, 0.736456704123],
            [1.08177553491, -4.33932733175, 6.0],
        ),
        (
            10.0,
            [-0.185871916512, 0.195938189834, -0.785967065293, -0.556161513134],
            [-3.6436235966, 2.59306904774, 6.0],
        ),
    ];
    for (t, q, spin_body) in table {
        simulation.advance(t).expect("free flight");
        let (pose, twist) = (simulation.pose(body), simulation.twist(body));
        assert_turned("q", pose.orientation, q[0], q[1], q[2], q[3]);
        assert_near("ω in the body", pose.orientation.conjugate() * twist.spin, spin_body.into(), 1e-10);
        let position =
            dvec3(1.0, 2.0, 3.0) + dvec3(-4.2, 5.5, 6.1) * t + dvec3(0.0, 0.0, -9.81) * (0.5 * t * t);
        assert_near("x", pose.position, position, 1e-12 * position.length());
    }
}

/// CASES A01, as in Drake's test: the same body from a hundred start orientations; they all differ by that rotation only.
#[test]
fn a01_from_a_hundred_orientations() {
    let text = load("a01-symmetric-body").scene().to_toml();
    let reference = {
        let mut simulation = simulation("a01-symmetric-body");
        simulation.advance(7.3).expect("free flight");
        simulation.pose(BodyId::from_rank(0)).orientation
    };
    for i in 0..20 {
        for j in 0..5 {
            let (roll, pitch) = (f64::from(i) * 18.0, f64::from(j) * 36.0 - 72.0);
            let turned = format!("body.cylinder.orientation={{ euler_deg = [{roll}, {pitch}, 0] }}");
            let document = Document::parse_with("a01.toml", &text, &[turned]).expect("a sound scene");
            let mut simulation =
                Simulation::new(document.build(Path::new(".")).expect("a world")).expect("a start");
            let body = BodyId::from_rank(0);
            let start = simulation.pose(body).orientation;
            simulation.advance(7.3).expect("free flight");
            let expected = start * reference;
            assert_turned(
                "q",
                simulation.pose(body).orientation,
                expected.w,
                expected.x,
                expected.y,
                expected.z,
            );
        }
    }
}

/// CASES A02, complex case: energy, angular momentum, body-frame spin and orientation.
#[test]
fn a02_tumbling_box() {
    let mut simulation = simulation("a02-tumbling-box");
    let body = id(&simulation, "box");
    let l = simulation.state(body).expect("a dynamic body").angular_momentum;
    assert_near("L", l, dvec3(0.0808333333333, 3.4166666666667, 0.0141666666667), 1e-12);
    let table = [
        (1.0, [3.423798442, 2.819185438, 3.928384449]),
        (5.0, [0.374990780, 4.980946881, -0.426603245]),
        (10.0, [2.755840405, -3.735963519, -3.161809004]),
    ];
    for (t, spin_body) in table {
        simulation.advance(t).expect("free flight");
        let (pose, twist) = (simulation.pose(body), simulation.twist(body));
        assert_near("ω in the body", pose.orientation.conjugate() * twist.spin, spin_body.into(), 2e-9);
        let energy = simulation.ledger().total();
        assert!((energy - 368.546416667).abs() < 1e-9, "E = {energy}");
        assert_eq!(simulation.state(body).expect("a dynamic body").angular_momentum, l);
    }
    assert_turned(
        "q",
        simulation.pose(body).orientation,
        0.225164563,
        -0.619927563,
        -0.277029151,
        0.698745724,
    );
    // The body-frame motion repeats after its period.
    let spin_at = |t: f64| {
        let mut fresh = self::simulation("a02-tumbling-box");
        fresh.advance(t).expect("free flight");
        fresh.pose(body).orientation.conjugate() * fresh.twist(body).spin
    };
    assert_near("ω after a period", spin_at(0.7 + 6.05684415802), spin_at(0.7), 1e-9);
}

/// CASES A02, simple case: steady spin, to rounding.
#[test]
fn a02_simple_box() {
    let mut simulation = simulation("a02-simple-box");
    let body = id(&simulation, "box");
    for i in 1..=10 {
        let t = f64::from(i);
        simulation.advance(t).expect("free flight");
        let pose = simulation.pose(body);
        assert_near("x", pose.position, dvec3(-0.9, 0.4, 0.1) * t, 1e-15 * t);
        let turned = DQuat::from_rotation_x(0.5 * t);
        assert!((pose.orientation - turned).length() < 1e-15, "{} against {turned}", pose.orientation);
        assert!((simulation.ledger().total() - 5.001041666666667).abs() < 1e-14);
    }
}

/// CASES A34: mass, centre and principal moments of the meshes and of the cup.
#[test]
fn a34_mass_properties() {
    let world = world("a34-mass-properties");
    let table = [
        ("cube", 1.0, [0.0, 0.0, 0.0], [1.0 / 6.0; 3]),
        ("spike", 1.0, [0.0, 0.75, 0.0], [0.3875, 0.1, 0.3875]),
        ("wedge", 3.0, [0.0, 1.0, 0.0], [2.5, 1.125, 1.625]),
        (
            "cliff",
            1.58333333333,
            [0.0, -0.06578947368, 0.0],
            [0.346271929825, 0.439583333333, 0.346271929825],
        ),
        ("cup", 0.848, [0.0, 0.0, 0.432075471698], [0.187340880503, 0.187340880503, 0.210453333333]),
    ];
    for (name, mass, centre, moments) in table {
        let body = world.body(world.find_body(name).expect("a body"));
        assert!((body.inertia().mass - mass).abs() < 1e-11, "{name}: mass {}", body.inertia().mass);
        assert_near(&format!("{name}: centre"), -body.shape_origin(), centre.into(), 1e-11);
        assert_near(
            &format!("{name}: moments"),
            body.inertia().inertia_body.diagonal(),
            moments.into(),
            2e-12,
        );
    }
    let corner = world.body(world.find_body("tet-corner").expect("a body"));
    let inertia = corner.inertia().inertia_body;
    assert_near("tet-corner: diagonal", inertia.diagonal(), DVec3::splat(0.0125), 1e-15);
    for product in [inertia.x_axis.y, inertia.x_axis.z, inertia.y_axis.z] {
        assert!((product - 0.00208333333).abs() < 1e-11, "tet-corner: product {product}");
    }
}

/// Two equal forces: x = ½(2F/M)t², and not the least rotation. [NOTES I]
#[test]
fn equal_forces_only_translate() {
    let mut simulation = simulation("two-equal-forces");
    simulation.advance(5.0).expect("to go on");
    let pose = simulation.pose(BodyId::from_rank(0));
    assert_near("x", pose.position, dvec3(0.0, 0.0, -0.5 * 1.0 * 25.0), 1e-12);
    assert_eq!(pose.orientation, DQuat::IDENTITY);
}

/// Two opposite forces: the centre does not move by one bit, and the block turns as θ̈ = τ(θ)/I. [NOTES I]
#[test]
fn opposite_forces_only_rotate() {
    let mut simulation = simulation("two-opposite-forces");
    let body = BodyId::from_rank(0);
    simulation.advance(10.0).expect("to go on");
    let (pose, twist) = (simulation.pose(body), simulation.twist(body));
    assert_eq!(pose.position, DVec3::ZERO);
    assert_eq!((twist.spin.x, twist.spin.z), (0.0, 0.0));
    // The arm of 3 m along x turns by θ about −y: energy 2·F·3·sin θ = ½ I ω².
    let theta = 2.0 * dolmen::math::real::atan2(-pose.orientation.y, pose.orientation.w);
    let expected = 2.0 * 5.0 * 3.0 * dolmen::math::real::sin(theta);
    let energy = 0.5 * 66.66666666666666 * twist.spin.y * twist.spin.y;
    assert!((energy - expected).abs() < 1e-10, "½Iω² = {energy}, work = {expected}");
}

/// The off-centre puzzle: the same momentum for both, more energy for the one that is pushed off its centre, and exactly
/// the work of the force over the way of its point. [NOTES I]
#[test]
fn off_centre_push_does_more_work() {
    let mut simulation = simulation("off-centre-force");
    let (centre, off) = (id(&simulation, "centre"), id(&simulation, "off-centre"));
    simulation.advance(10.0).expect("to go on");
    let (a, b) = (simulation.state(centre).expect("dynamic"), simulation.state(off).expect("dynamic"));
    assert_near("P", a.momentum, dvec3(0.0, 5.0, 0.0), 1e-13);
    assert_near("P", b.momentum, dvec3(0.0, 5.0, 0.0), 1e-13);
    let inertia = *simulation.world().body(off).inertia();
    let (e_a, e_b) = (a.kinetic_energy(&inertia), b.kinetic_energy(&inertia));
    assert!((e_a - 6.25).abs() < 1e-13, "½mv² = {e_a}");
    // The point of attack, 0.5 m from the centre, went further by 0.5·sin θ: that much more work.
    let theta = 2.0 * dolmen::math::real::atan2(b.orientation.z, b.orientation.w);
    let work = 0.5 * (12.5 + 0.5 * dolmen::math::real::sin(theta));
    assert!((e_b - work).abs() < 1e-12 && e_b > e_a + 0.01, "energies {e_a} and {e_b}, work {work}");
}

/// The figure eight returns to its start after one period, to the accuracy of its published initial values.
#[test]
fn figure_eight_closes() {
    let mut simulation = simulation("figure-eight");
    let set = simulation.world().set_ids().next().expect("a set");
    let start = simulation.particles(set).0.to_vec();
    simulation.advance(6.32591398).expect("to go on");
    for (x, x0) in simulation.particles(set).0.iter().zip(&start) {
        assert_near("x", *x, *x0, 1e-7);
    }
}

/// Kepler, e = 0.9: back at its start after ten periods.
#[test]
fn kepler_orbit_closes() {
    let mut simulation = simulation("kepler");
    let set = simulation.world().set_ids().next().expect("a set");
    let start = simulation.particles(set).0[0];
    simulation.advance(62.83185307179586).expect("to go on");
    assert_near("x", simulation.particles(set).0[0], start, 1e-9);
}

fn built(text: &str) -> Simulation {
    let document = Document::parse("inline.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}")))
        .expect("a start")
}

/// A field and an attraction are accelerations unless the scene says otherwise: a heavy body falls as a light one.
#[test]
fn fields_are_per_mass_by_default() {
    let body = |mass: f64| {
        format!(
            "[[body]]\nname = \"b{mass}\"\nmass = {mass}\nshape = {{ kind = \"sphere\", radius = 1 }}\nposition = [1, 0, 0]\n"
        )
    };
    let forces = "[[force]]\nkind = \"field\"\nuniform = [0, 0, 3]\n[[force]]\nkind = \"attract\"\nto = [0, 0, 0]\nstrength = 2\n";
    let simulation =
        built(&format!("format = 1\ncontact.enabled = false\n{}{}{forces}", body(1.0), body(5.0)));
    for name in ["b1", "b5"] {
        let id = id(&simulation, name);
        assert_near(name, simulation.kinematics(id).acceleration, dvec3(-2.0, 0.0, 3.0), 1e-14);
    }
}

/// A particle can be the end of a spring: two on a spring oscillate about their centre at √(2k/m).
#[test]
fn particles_can_be_tied_by_springs() {
    let text = "format = 1\n[[particles]]\nname = \"p\"\nmass = 2\npositions = [[0, 0, 0], [1.5, 0, 0]]\n[[force]]\nkind = \"spring\"\nstiffness = 9\nlength = 1\na = { particles = \"p\", index = 0 }\nb = { particles = \"p\", index = 1 }\n";
    let mut simulation = built(text);
    let set = simulation.world().set_ids().next().expect("a set");
    simulation.advance(2.3).expect("to go on");
    let positions = simulation.particles(set).0;
    let expected = 1.0 + 0.5 * dolmen::math::real::cos(3.0 * 2.3);
    assert!(((positions[1] - positions[0]).x - expected).abs() < 1e-11, "{positions:?} against {expected}");
}

/// A swarm keeps its accuracy wherever it is: the figure eight a thousand kilometres away.
#[test]
fn accuracy_does_not_hang_on_the_origin() {
    let text = load("figure-eight").scene().to_toml();
    let far = 1e6;
    let mut document = Document::parse("eight.toml", &text).expect("a sound scene").into_scene();
    for position in document.particles[0].positions.as_mut().expect("positions") {
        position[0] += far;
    }
    let mut simulation = Simulation::new(document.build(Path::new(".")).expect("a world")).expect("a start");
    let set = simulation.world().set_ids().next().expect("a set");
    let start = simulation.particles(set).0.to_vec();
    simulation.advance(6.32591398).expect("to go on");
    for (x, x0) in simulation.particles(set).0.iter().zip(&start) {
        // One ulp at 1e6 m is 1e-10 m, and there are some hundred steps.
        assert_near("x", *x, *x0, 3e-7);
    }
}

/// Implicit methods with fixed steps take an ordinary problem from a start full of zeros.
#[test]
fn implicit_methods_start_from_zeros() {
    for method in ["backward-euler", "implicit-midpoint", "radau5"] {
        for step in [0.01, 0.001] {
            let text = format!(
                "format = 1\n[integrator]\nmethod = \"{method}\"\nstep = {step}\n[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.5 }}\n[[force]]\nkind = \"spring\"\na = {{ body = \"ball\", at = [0.1, 0.2, 0] }}\nb = {{ point = [0, 0, 2] }}\nlength = 1\nstiffness = 100\n"
            );
            built(&text).advance(1.0).unwrap_or_else(|stop| panic!("{method} with step {step}: {stop}"));
        }
    }
}

/// Torque-free motion keeps its energy to 1e-12 over 1,000 s at the default tolerance, integrated as well as in closed form,
/// and its angular momentum to the last bit.
#[test]
fn torque_free_motion_keeps_its_energy_when_integrated() {
    let text = load("a01-symmetric-body").scene().to_toml();
    for closed_form in [false, true] {
        let overrides = ["gravity=[0,0,0]".to_owned(), format!("integrator.closed_form={closed_form}")];
        let document = Document::parse_with("a01.toml", &text, &overrides).expect("a sound scene");
        let mut simulation =
            Simulation::new(document.build(Path::new(".")).expect("a world")).expect("a start");
        let body = BodyId::from_rank(0);
        let (energy, l) =
            (simulation.ledger().kinetic, simulation.state(body).expect("dynamic").angular_momentum);
        for i in 1..=100 {
            simulation.advance(10.0 * f64::from(i)).expect("to go on");
            let error = (simulation.ledger().kinetic - energy).abs() / energy;
            assert!(error < 1e-12, "closed form {closed_form}: energy is off by {error:e}");
            assert_eq!(simulation.state(body).expect("dynamic").angular_momentum, l);
        }
    }
}
