//! Parts of machines against closed forms: paths, courses by table, coordinates of joints, planes that move, fields
//! that change, heights, wedges.

use std::path::Path as FilePath;

use dolmen::drive::Driver;
use dolmen::drive::exact::Simulation;
use dolmen::drive::fixed::{FixedSettings, FixedSimulation, Precision};
use dolmen::joint::{Axis, TableCourse, UserCourse};
use dolmen::math::{DQuat, DVec3, Pose, monotone_slopes, real};
use dolmen::motion::{Interpolation, Motion, Path};
use dolmen::record::JointCoordinate;
use dolmen::scene::Document;
use dolmen::shape::{Mesh, Shape};
use dolmen::world::World;
use proptest::prelude::*;

fn world_in(folder: &FilePath, text: &str) -> Result<World, String> {
    let document = Document::parse("part.toml", &format!("format = 1\n{text}"));
    document.and_then(|d| d.build(folder)).map_err(|errors| errors.to_string())
}

fn world(text: &str) -> World {
    world_in(FilePath::new("."), text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn simulation(text: &str) -> Simulation {
    Simulation::new(world(text)).unwrap_or_else(|stop| panic!("{stop}"))
}

/// In steps of 1/240 s, in double precision.
fn fixed_simulation(text: &str) -> FixedSimulation {
    let settings = FixedSettings { step: 1.0 / 240.0, precision: Precision::F64, ..FixedSettings::default() };
    FixedSimulation::new(world(text), settings).unwrap_or_else(|error| panic!("{error}"))
}

fn advance<D: Driver>(run: &mut D, t: f64) {
    let mut events = Vec::new();
    run.advance_into(t, &mut events, &mut |_| true).unwrap_or_else(|stop| panic!("{stop}"));
}

fn pose(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: DVec3::new(x, y, z), orientation: DQuat::IDENTITY }
}

// -- paths --

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A monotone path goes through its keys, never leaves the range of two neighbours, and its twist is the derivative of its pose.
    #[test]
    fn a_monotone_path_never_overshoots(
        steps in prop::collection::vec((0.05..3.0_f64, -5.0..5.0_f64), 2..9),
        shares in prop::collection::vec(0.0..1.0_f64, 8),
    ) {
        let mut times = Vec::new();
        for (k, (step, _)) in steps.iter().enumerate() {
            times.push(times.last().copied().unwrap_or(0.0) + if k == 0 { 0.0 } else { *step });
        }
        let poses: Vec<Pose> = steps.iter().map(|(_, z)| pose(0.0, 1.0, *z)).collect();
        let path = Path::interpolated(&times, &poses, Interpolation::Monotone).unwrap();
        for i in 0..times.len() - 1 {
            let (a, b) = (poses[i].position.z, poses[i + 1].position.z);
            for share in &shares {
                let t = times[i] + share * (times[i + 1] - times[i]);
                let z = path.pose(t).position.z;
                let room = 1e-12 * (a.abs() + b.abs());
                prop_assert!(z >= a.min(b) - room && z <= a.max(b) + room, "{z} outside {a} … {b}");
            }
            // The derivative at the middle of the interval by central differences, O(h²).
            let h = (times[i + 1] - times[i]) / 2.0;
            let (t, e) = (times[i] + h, 1e-4 * h);
            let difference = (path.pose(t + e).position.z - path.pose(t - e).position.z) / (2.0 * e);
            let found = path.twist(t).velocity.z;
            let scale = (b - a).abs() / h + 1.0;
            prop_assert!((difference - found).abs() < 1e-6 * scale, "{difference} {found}");
        }
        for (t, pose) in times.iter().zip(&poses) {
            prop_assert!((path.pose(*t).position - pose.position).length() < 1e-12);
        }
    }

    /// A linear path is the polygon, averaged over its blend: ∫ p dt / b over [t − b/2, t + b/2], in closed form per piece.
    #[test]
    fn a_linear_path_is_the_moving_average_of_the_polygon(
        steps in prop::collection::vec((0.5..3.0_f64, -5.0..5.0_f64), 2..7),
        share in 0.0..1.0_f64,
        blend in 0.01..0.45_f64,
    ) {
        let mut times = vec![1.0];
        for (step, _) in &steps[1..] {
            times.push(times[times.len() - 1] + step);
        }
        let values: Vec<f64> = steps.iter().map(|(_, x)| *x).collect();
        let poses: Vec<Pose> = values.iter().map(|x| pose(*x, 0.0, 0.0)).collect();
        let path = Path::interpolated(&times, &poses, Interpolation::Linear { blend }).unwrap();
        let polygon = |t: f64| {
            let i = times.partition_point(|time| *time <= t);
            if i == 0 { return values[0]; }
            if i == times.len() { return values[i - 1]; }
            values[i - 1] + (values[i] - values[i - 1]) * (t - times[i - 1]) / (times[i] - times[i - 1])
        };
        let t = share * (times[times.len() - 1] + 1.0);
        // Trapezoids are exact between the corners of the polygon.
        let mut cuts: Vec<f64> = times.iter().copied().filter(|k| (k - t).abs() < blend / 2.0).collect();
        cuts.extend([t - blend / 2.0, t + blend / 2.0]);
        cuts.sort_by(f64::total_cmp);
        let area: f64 = cuts.windows(2).map(|c| (c[1] - c[0]) * (polygon(c[0]) + polygon(c[1])) / 2.0).sum();
        let found = path.pose(t).position.x;
        prop_assert!((found - area / blend).abs() < 1e-11, "{found} {}", area / blend);
    }
}

#[test]
fn corners_that_do_not_fit_are_refused() {
    let poses = [pose(0.0, 0.0, 0.0), pose(1.0, 0.0, 0.0)];
    for blend in [0.0, -1.0, 1.0, f64::NAN] {
        let refused = Path::interpolated(&[1.0, 2.0], &poses, Interpolation::Linear { blend });
        assert!(refused.is_err(), "{blend}");
    }
    let text = "format = 1\n[[body]]\nkind = \"kinematic\"\nmotion = { kind = \"path\", times = [0, 1], interpolation = \"linear\", \
                positions = [[0, 0, 0], [1, 0, 0]], blend = 0.1 }\n";
    let shown = Document::parse("path.toml", text).unwrap_err().to_string();
    assert!(shown.contains("the first of `times` cannot be before half of `blend`"), "{shown}");
}

/// A cube rides a lift that rises by 1 m, waits for 2 s and comes down: it goes along, and while the lift dwells it is at rest.
#[test]
fn a_load_dwells_with_its_lift() {
    let mut simulation = simulation(
        r#"
gravity = [0, 0, -9.81]
[[body]]
name = "lift"
kind = "kinematic"
shape = { kind = "box", size = [2, 2, 0.1] }
motion = { kind = "path", interpolation = "monotone", times = [0, 2, 4, 6], positions = [[0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0]] }
[[body]]
name = "load"
shape = { kind = "box", size = [1, 1, 1] }
mass = 2
position = [0, 0, 0.55]
"#,
    );
    for (t, z) in [(1.0, 1.05), (2.0, 1.55), (3.0, 1.55), (5.0, 1.05), (6.5, 0.55)] {
        simulation.advance(t).unwrap_or_else(|stop| panic!("{stop}"));
        let id = simulation.world().find_body("load").expect("a load");
        let found = simulation.kinematics(id).pose.position.z;
        assert!((found - z).abs() < 1e-9, "at {t} s: {found} instead of {z}");
    }
}

// -- courses --

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rate and second rate of a table are derivatives of its value; monotone tables never overshoot.
    #[test]
    fn a_table_has_the_derivatives_that_it_says(
        steps in prop::collection::vec((0.1..2.0_f64, -3.0..3.0_f64), 2..8),
        linear in any::<bool>(),
    ) {
        let mut times = vec![0.5];
        for (step, _) in &steps[1..] {
            times.push(times[times.len() - 1] + step);
        }
        let values: Vec<f64> = steps.iter().map(|(_, value)| *value).collect();
        let course = TableCourse::new(&times, &values, linear).unwrap();
        for i in 0..times.len() - 1 {
            prop_assert!((course.at(times[i])[0] - values[i]).abs() < 1e-14);
            let h = times[i + 1] - times[i];
            for share in [0.2, 0.5, 0.9] {
                let (t, e) = (times[i] + share * h, 1e-4 * h);
                let [value, rate, second] = course.at(t);
                let (before, after) = (course.at(t - e), course.at(t + e));
                let scale = (values[i + 1] - values[i]).abs() / h + 1.0;
                prop_assert!(((after[0] - before[0]) / (2.0 * e) - rate).abs() < 1e-6 * scale);
                prop_assert!(((after[1] - before[1]) / (2.0 * e) - second).abs() < 1e-5 * scale / h);
                let (low, high) = (values[i].min(values[i + 1]), values[i].max(values[i + 1]));
                prop_assert!(value >= low - 1e-12 && value <= high + 1e-12);
            }
        }
        prop_assert_eq!(course.at(0.0), [values[0], 0.0, 0.0]);
    }

    /// Slopes have the sign of both neighbours or are zero, and at most three times the smaller chord.
    #[test]
    fn monotone_slopes_stay_in_the_monotone_region(values in prop::collection::vec(-4.0..4.0_f64, 3..12)) {
        let times: Vec<f64> = (0..values.len()).map(|i| i as f64 * 0.7).collect();
        let slopes = monotone_slopes(&times, &values);
        for i in 1..values.len() - 1 {
            let (d0, d1) = ((values[i] - values[i - 1]) / 0.7, (values[i + 1] - values[i]) / 0.7);
            let m = slopes[i];
            if d0 * d1 <= 0.0 {
                prop_assert_eq!(m.abs(), 0.0);
            } else {
                prop_assert!(m * d0 > 0.0 && m.abs() <= 3.0 * d0.abs().min(d1.abs()) * (1.0 + 1e-12));
            }
        }
    }
}

/// A sliding mass of 2 kg under a force by straight lines through (1 s, 0), (2 s, 6 N), (4 s, 0): the impulse is the area, 9 N·s.
#[test]
fn a_force_by_table_gives_its_area_as_momentum() {
    let text = |course: &str| {
        format!(
            r#"
[[body]]
name = "cart"
shape = {{ kind = "box", size = [1, 1, 1] }}
mass = 2
[[joint]]
name = "rail"
kind = "slider"
a = "cart"
axis = [1, 0, 0]
motor = [{{ kind = "force", course = {course} }}]
"#
        )
    };
    let mut run = simulation(&text(
        "{ kind = \"table\", interpolation = \"linear\", times = [1, 2, 4], values = [0, 6, 0] }",
    ));
    let id = run.world().find_body("cart").expect("a cart");
    run.advance(2.0).unwrap_or_else(|stop| panic!("{stop}"));
    assert!((run.kinematics(id).twist.velocity.x - 1.5).abs() < 1e-10, "{:?}", run.kinematics(id));
    run.advance(5.0).unwrap_or_else(|stop| panic!("{stop}"));
    assert!((run.kinematics(id).twist.velocity.x - 4.5).abs() < 1e-10, "{:?}", run.kinematics(id));
}

/// A slider whose motion is a table is where the table says, and dwells between equal values.
#[test]
fn a_motion_by_table_is_followed() {
    let mut run = simulation(
        r#"
gravity = [0, 0, -9.81]
[[body]]
name = "cart"
shape = { kind = "box", size = [1, 1, 1] }
mass = 2
[[joint]]
name = "rail"
kind = "slider"
a = "cart"
axis = [1, 0, 0]
motor = [{ kind = "motion", course = { kind = "table", times = [0.5, 1, 2, 3], values = [0, 0.4, 0.4, -0.2] } }]
"#,
    );
    let id = run.world().find_body("cart").expect("a cart");
    let course = TableCourse::new(&[0.5, 1.0, 2.0, 3.0], &[0.0, 0.4, 0.4, -0.2], false).unwrap();
    for t in [0.25, 0.75, 1.0, 1.5, 2.0, 2.25, 2.75, 3.5] {
        run.advance(t).unwrap_or_else(|stop| panic!("{stop}"));
        let found = run.kinematics(id).pose.position.x;
        assert!((found - course.at(t)[0]).abs() < 1e-9, "at {t} s: {found}, {:?}", course.at(t));
    }
    let refused = "[[body]]\nname = \"c\"\nmass = 1\n[[joint]]\nname = \"j\"\nkind = \"slider\"\na = \"c\"\nmotor = [{ kind = \"motion\", \
                   course = { kind = \"table\", interpolation = \"linear\", times = [0, 1], values = [0, 1] } }]\n";
    let shown = Document::parse("x.toml", &format!("format = 1\n{refused}")).unwrap_err().to_string();
    assert!(shown.contains("would jump in speed"), "{shown}");
}

// -- coordinates of joints --

/// Four machines whose coordinate q, rate q̇ and motor force F are known at any time: a cart of 2 kg pushed by 6 N (q = 1.5 t²), a lift of
/// 2 kg whose motion is 0.1 sin πt (F = m(g + q̈)), a winch that keeps 0.5 m/s (F = m g), and a free wheel whose turns count on.
const MACHINES: &str = r#"
gravity = [0, 0, -10]
[[body]]
name = "cart"
shape = { kind = "box", size = [1, 1, 1] }
mass = 2
[[joint]]
name = "a rail"
kind = "slider"
a = "cart"
axis = [1, 0, 0]
motor = [{ kind = "force", target = 6 }]
[[body]]
name = "lift"
shape = { kind = "box", size = [1, 1, 1] }
mass = 2
position = [0, 5, 0]
velocity = [0, 0, 0.3141592653589793]
[[joint]]
name = "b shaft"
kind = "slider"
a = "lift"
axis = [0, 0, 1]
at = [0, 5, 0]
motor = [{ kind = "motion", course = { kind = "sine", middle = 0, amplitude = 0.1, frequency = 0.5 } }]
[[body]]
name = "load"
shape = { kind = "box", size = [1, 1, 1] }
mass = 2
position = [0, 10, 0]
velocity = [0, 0, 0.5]
[[joint]]
name = "c winch"
kind = "slider"
a = "load"
axis = [0, 0, 1]
at = [0, 10, 0]
motor = [{ kind = "velocity", target = 0.5 }]
[[body]]
name = "wheel"
shape = { kind = "cylinder", radius = 1, length = 0.1 }
mass = 1
position = [0, 15, 0]
spin = [0, 0, 3]
[[joint]]
name = "d axle"
kind = "hinge"
a = "wheel"
axis = [0, 0, 1]
at = [0, 15, 0]
"#;

/// q, q̇ and F of the four machines at time t.
fn machines_at(t: f64) -> [[f64; 3]; 4] {
    use std::f64::consts::PI;
    let (sin, cos) = (real::sin(PI * t), real::cos(PI * t));
    [
        [1.5 * t * t, 3.0 * t, 6.0],
        [0.1 * sin, 0.1 * PI * cos, 2.0 * (10.0 - 0.1 * PI * PI * sin)],
        [0.5 * t, 0.5, 20.0],
        [3.0 * t, 3.0, 0.0],
    ]
}

fn assert_machines(found: &[JointCoordinate], t: f64, tolerance: [f64; 3]) {
    let axes: Vec<(usize, Axis)> = found.iter().map(|c| (c.joint, c.axis)).collect();
    assert_eq!(axes, [(0, Axis::Z), (1, Axis::Z), (2, Axis::Z), (3, Axis::TurnZ)]);
    for (found, expected) in found.iter().zip(machines_at(t)) {
        let found = [found.value, found.rate, found.motor];
        for k in 0..3 {
            let off = (found[k] - expected[k]).abs();
            assert!(off <= tolerance[k], "at {t} s: {found:?}, not {expected:?} within {tolerance:?}");
        }
    }
}

/// The exact driver tells them to its tolerance, 15 rad of the wheel included.
#[test]
fn coordinates_and_motors_are_those_of_the_machine() {
    let mut run = simulation(MACHINES);
    for t in [0.0, 0.3, 1.0, 2.6, 5.0] {
        if t > 0.0 {
            advance(&mut run, t);
        }
        assert_machines(&Driver::joint_coordinates(&run), t, [1e-9, 1e-9, 1e-8]);
    }
}

/// Fixed steps tell them to first order: a step of 1/240 s is 1/1920 s of each of 8 sub-steps, of which motors give the mean over the last.
#[test]
fn fixed_steps_tell_coordinates_and_motors() {
    let mut run = fixed_simulation(MACHINES);
    for t in [0.5, 1.25, 5.0] {
        advance(&mut run, t);
        // A cart that is pushed is off by t·a·h/2 = 4e-3 at 5 s; the lift's acceleration changes by 0.1 π³ h.
        assert_machines(&Driver::joint_coordinates(&run), t, [5e-3, 2e-3, 0.05]);
    }
}

// -- planes that move as told --

/// A crate of 1 kg put on a belt that runs at 1 m/s, μ = 0.5, g = 10: it slides for 0.2 s over 0.1 m of floor, then rides. The belt does
/// 1 J, half of which goes into heat.
#[test]
fn a_belt_takes_a_crate_along() {
    let text = r#"
gravity = [0, 0, -10]
contact = { friction = 0.5, restitution = 0 }
[[body]]
name = "belt"
kind = "kinematic"
shape = { kind = "plane", normal = [0, 0, 1], sides = "front" }
motion = { kind = "uniform", velocity = [1, 0, 0] }
[[body]]
name = "crate"
shape = { kind = "box", size = [0.2, 0.2, 0.2] }
mass = 1
position = [0, 0, 0.1]
"#;
    let at = |t: f64| if t < 0.2 { 2.5 * t * t } else { 0.1 + (t - 0.2) };
    let mut run = simulation(text);
    let id = run.world().find_body("crate").expect("a crate");
    for t in [0.1, 0.2, 0.5, 3.0] {
        advance(&mut run, t);
        let x = run.pose(id).position;
        assert!((x - DVec3::new(at(t), 0.0, 0.1)).length() < 1e-8, "at {t} s: {x}");
    }
    let ledger = run.ledger();
    assert!((ledger.work - 1.0).abs() < 1e-8 && (ledger.friction - 0.5).abs() < 1e-8, "{ledger:?}");

    let mut run = fixed_simulation(text);
    for t in [0.1, 0.5, 3.0] {
        advance(&mut run, t);
        let x = run.pose(id).position;
        assert!((x - DVec3::new(at(t), 0.0, 0.1)).length() < 5e-3, "at {t} s: {x}");
    }
}

/// A wall that comes at 2 m/s gives an elastic ball at rest 4 m/s.
#[test]
fn a_piston_drives_a_ball() {
    let text = r#"
contact = { restitution = 1 }
[[body]]
name = "piston"
kind = "kinematic"
shape = { kind = "plane", normal = [1, 0, 0], sides = "front" }
motion = { kind = "uniform", velocity = [2, 0, 0] }
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 1
position = [1, 0, 0]
"#;
    let mut run = simulation(text);
    let id = run.world().find_body("ball").expect("a ball");
    advance(&mut run, 1.0);
    assert!((run.pose(id).position.x - (1.0 + 4.0 * 0.55)).abs() < 1e-12, "{}", run.pose(id).position);
    let mut run = fixed_simulation(text);
    advance(&mut run, 1.0);
    // It is hit within a step, in which it could go 4 m/s · h.
    assert!((run.pose(id).position.x - 3.2).abs() < 4.0 / 240.0 + 1e-9, "{}", run.pose(id).position);
    let dynamic = world_in(
        FilePath::new("."),
        "[[body]]\nmass = 1\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n",
    );
    assert!(dynamic.unwrap_err().contains("only a fixed or kinematic body can be a plane"));
}

// -- fields that change with time --

/// Gravity whose factor goes 0 → 1 → −1 by straight lines over 1 s and 2 s, and that ends at 4 s: the velocity is the area under it,
/// the work is what the body has of kinetic energy.
#[test]
fn gravity_that_changes_gives_its_area_as_velocity() {
    let text = r#"
[[body]]
name = "stone"
shape = { kind = "sphere", radius = 0.1 }
mass = 3
velocity = [1, 0, 0]
[[force]]
kind = "field"
uniform = [0, 0, -10]
until = 4
wave = { kind = "table", times = [0, 1, 3], factors = [0, 1, -1] }
"#;
    let at = |t: f64| match t {
        t if t <= 1.0 => -5.0 * t * t,
        t if t <= 3.0 => -5.0 - 10.0 * ((t - 1.0) - 0.5 * (t - 1.0) * (t - 1.0)),
        t => -5.0 + 10.0 * (t.min(4.0) - 3.0),
    };
    let mut run = simulation(text);
    let mut steps = fixed_simulation(text);
    let id = run.world().find_body("stone").expect("a stone");
    for t in [0.5, 1.0, 2.0, 3.0, 3.5, 5.0] {
        advance(&mut run, t);
        let v = run.twist(id).velocity.z;
        assert!((v - at(t)).abs() < 1e-10, "at {t} s: {v}, not {}", at(t));
        let ledger = run.ledger();
        assert!((ledger.work - 1.5 * v * v).abs() < 1e-9 && ledger.potential == 0.0, "{ledger:?}");
        advance(&mut steps, t);
        // A sum over sub-steps of a factor that changes by 10 a second at most.
        assert!((steps.twist(id).velocity.z - at(t)).abs() < 0.02, "{:?}", steps.twist(id));
    }
}

// -- heights --

fn mesh_of(world: &World, name: &str) -> std::sync::Arc<Mesh> {
    match world.body(world.find_body(name).expect("a body")).shape() {
        Some(Shape::Mesh(mesh)) => std::sync::Arc::clone(mesh),
        shape => panic!("{shape:?}"),
    }
}

/// The slope z = 0.2 x + 0.1 y over 2 m × 1 m, with a base of 0.3 m under its lowest corner.
fn slope() -> String {
    let row = |j: usize| {
        let height = |i: usize| 0.2 * (0.25 * i as f64 - 1.0) + 0.1 * (0.25 * j as f64 - 0.5);
        format!("{:?}", (0..9).map(height).collect::<Vec<_>>())
    };
    let rows: Vec<String> = (0..5).map(row).collect();
    format!(
        "shape = {{ kind = \"height-field\", size = [2, 1], base = 0.3, heights = [{}] }}",
        rows.join(", ")
    )
}

/// The solid of a slope has the volume of a prism, and an elastic ball that falls on it leaves as from a plane, in both drivers.
#[test]
fn a_ball_bounces_off_a_slope_of_heights() {
    let text = format!(
        r#"
gravity = [0, 0, -10]
contact = {{ restitution = 1, friction = 0 }}
[[body]]
name = "ground"
kind = "fixed"
{}
[[body]]
name = "ball"
shape = {{ kind = "sphere", radius = 0.05 }}
mass = 1
position = [0.13, 0.07, 1.0]
"#,
        slope()
    );
    let mesh = mesh_of(&world(&text), "ground");
    // Mean height over the bottom: 0.25 m to the middle of the slope, and the base.
    let volume: f64 = mesh
        .triangles()
        .iter()
        .map(|t| t.map(|k| mesh.vertices()[k as usize]))
        .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
        .sum();
    assert!((volume - 2.0 * (0.25 + 0.3)).abs() < 1e-12, "{volume}");

    let n = DVec3::new(-0.2, -0.1, 1.0).normalize();
    let start = DVec3::new(0.13, 0.07, 1.0);
    // n·(start − ½ g t² z) = r
    let hit = (2.0 * (n.dot(start) - 0.05) / n.z / 10.0).sqrt();
    let (centre, fallen) = (start - 5.0 * hit * hit * DVec3::Z, -10.0 * hit * DVec3::Z);
    let leaves = fallen - 2.0 * n.dot(fallen) * n;
    let at = |t: f64| centre + (t - hit) * leaves - 5.0 * (t - hit) * (t - hit) * DVec3::Z;
    let t = hit + 0.2;
    let mut run = simulation(&text);
    let id = run.world().find_body("ball").expect("a ball");
    advance(&mut run, t);
    assert!((run.pose(id).position - at(t)).length() < 1e-10, "{} {}", run.pose(id).position, at(t));
    let mut run = fixed_simulation(&text);
    advance(&mut run, t);
    // Hit within a step, at 4.2 m/s before and after.
    assert!((run.pose(id).position - at(t)).length() < 0.05, "{} {}", run.pose(id).position, at(t));
}

/// Heights from a table, from a picture of 16 bits and written out are the same ground; mistakes in files are told by their place.
#[test]
fn heights_come_from_tables_and_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let ground = |what: &str| {
        let text = format!(
            "[[body]]\nname = \"g\"\nkind = \"fixed\"\nshape = {{ kind = \"height-field\", size = [3, 2], {what} }}\n"
        );
        world_in(folder.path(), &text)
    };
    // 65535 is white; three columns and two rows, the first of which is at the lowest y.
    let grey: [[u16; 3]; 2] = [[0, 13107, 65535], [26214, 65535, 0]];
    let rows = grey.map(|row| row.map(|value| f64::from(value) / 65535.0));
    std::fs::write(
        folder.path().join("g.csv"),
        rows.map(|row| format!("{}, {}, {}\n", row[0], row[1], row[2])).concat(),
    )
    .expect("a file");
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().expect("a header");
    // The last row of the picture is the first of the field.
    let pixels: Vec<u8> = grey.iter().rev().flatten().flat_map(|value| value.to_be_bytes()).collect();
    writer.write_image_data(&pixels).expect("pixels");
    writer.finish().expect("an end");
    std::fs::write(folder.path().join("g.png"), bytes).expect("a file");
    let written = ground(&format!("scale = 0.5, heights = {rows:?}")).expect("a world");
    let of = |what: &str| mesh_of(&ground(what).expect("a world"), "g");
    let mesh = mesh_of(&written, "g");
    assert_eq!(*of("scale = 0.5, path = \"g.csv\""), *mesh);
    assert_eq!(*of("scale = 0.5, path = \"g.png\""), *mesh);
    assert!(
        mesh.vertices().contains(&DVec3::new(0.0, -1.0, 0.1)),
        "the middle of the near edge is at 0.2 · 0.5 m"
    );
    assert_eq!(
        mesh.vertices().iter().map(|v| v.z).fold(f64::INFINITY, f64::min),
        -0.2,
        "a tenth of 2 m below"
    );

    std::fs::write(folder.path().join("bad.csv"), "0,1\n2,x\n").expect("a file");
    std::fs::write(folder.path().join("cut.csv"), "0,1\n2\n").expect("a file");
    std::fs::write(folder.path().join("line.csv"), "0,1\n").expect("a file");
    std::fs::write(folder.path().join("cut.png"), &pixels).expect("a file");
    for (what, expected) in [
        ("path = \"bad.csv\"", "bad.csv: line 2, column 2: write a finite number"),
        ("path = \"cut.csv\"", "line 2 has 1 fields, the first has 2"),
        ("path = \"line.csv\"", "2 heights in rows of 2 are no grid"),
        ("path = \"cut.png\"", "no PNG picture"),
        ("path = \"g.tif\"", "heights are .csv tables and .png pictures"),
        ("heights = [[0, 1], [0]]", "a row needs at least 2 heights, not 1"),
        ("heights = [[0, 1], [0, 1, 2]]", "this row has 3 heights, the first has 2"),
        ("scale = 2", "`heights` or `path` is missing"),
        ("heights = [[0, 0], [0, 0]], base = 0", "`base` has to be greater than 0"),
    ] {
        let shown = ground(what).expect_err(what);
        assert!(shown.contains(expected), "{what}: {shown}");
    }
}

/// A wedge has half the mass of its box, its centre in that of its triangle, and a ball slides down it without friction with g sin α.
#[test]
fn a_ball_slides_down_a_wedge() {
    let text = r#"
gravity = [0, 0, -10]
contact = { restitution = 0, friction = 0 }
[[body]]
name = "ramp"
kind = "fixed"
shape = { kind = "wedge", size = [4, 1, 3] }
[[body]]
name = "other ramp"
density = 2
position = [0, 9, 0]
shape = { kind = "wedge", size = [4, 1, 3] }
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 1
centre = [-0.94, 0, 0.83]
"#;
    let built = world(text);
    let ramp = built.body(built.find_body("other ramp").expect("a ramp"));
    let (mass, centre) = (1.0 / ramp.inertia().inv_mass, -ramp.shape_origin());
    assert!((mass - 12.0).abs() < 1e-12, "{mass}");
    assert!((centre - DVec3::new(-4.0 / 6.0, 0.0, -0.5)).length() < 1e-12, "{centre}");
    // The slope falls by 3 over 4: sin α = 0.6, its normal is (0.6, 0, 0.8); the ball starts 0.1 m over its point (−1, 0, 0.75).
    let (start, down) = (DVec3::new(-0.94, 0.0, 0.83), DVec3::new(0.8, 0.0, -0.6));
    let at = |t: f64| start + 0.5 * 6.0 * t * t * down;
    let mut run = simulation(text);
    let id = run.world().find_body("ball").expect("a ball");
    advance(&mut run, 0.8);
    assert!((run.pose(id).position - at(0.8)).length() < 1e-9, "{} {}", run.pose(id).position, at(0.8));
    let mut run = fixed_simulation(text);
    advance(&mut run, 0.8);
    assert!((run.pose(id).position - at(0.8)).length() < 0.01, "{} {}", run.pose(id).position, at(0.8));
}
