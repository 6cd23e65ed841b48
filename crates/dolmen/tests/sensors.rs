//! Sensors against closed forms, in both drivers.

use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::drive::fixed::{FixedSettings, FixedSimulation, Precision};
use dolmen::drive::{Driver, Readings, SensorReader};
use dolmen::math::real::{cos, sin};
use dolmen::scene::Document;
use dolmen::world::World;

const G: f64 = 9.5;

fn build(text: &str) -> Result<World, String> {
    let text = format!("format = 1\ngravity = [0, 0, {}]\n{text}", -G);
    let document = Document::parse("sensed.toml", &text);
    document.and_then(|d| d.build(Path::new("."))).map_err(|errors| errors.to_string())
}

fn world(text: &str) -> World {
    build(text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn exact(text: &str) -> Simulation {
    Simulation::new(world(text)).unwrap_or_else(|stop| panic!("{stop}"))
}

fn fixed(text: &str, step: f64) -> FixedSimulation {
    let settings = FixedSettings { step, precision: Precision::F64, ..FixedSettings::default() };
    let mut run = FixedSimulation::new(world(text), settings).unwrap_or_else(|error| panic!("{error}"));
    run.keep_accelerations(SensorReader::needs_accelerations(run.world()));
    run
}

/// What all sensors show at a time, by column.
fn shown<D: Driver>(run: &mut D, t: f64) -> impl Fn(&str) -> f64 + use<D> {
    run.advance_into(t, &mut Vec::new(), &mut |_| true).unwrap_or_else(|stop| panic!("{stop}"));
    let mut reader = SensorReader::new(run.world());
    let values = Readings::of(run, run.contact_forces(), &mut reader).sensors;
    let columns: Vec<String> = run.world().sensor_columns().collect();
    assert_eq!(columns.len(), values.len());
    move |name: &str| {
        let place = columns.iter().position(|column| column == name);
        values[place.unwrap_or_else(|| panic!("no column {name} in {columns:?}"))]
    }
}

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected} within {tolerance}");
}

/// Mass, length, half a side and start angle of a pendulum: a cube on a massless arm of its length along −z of the cube.
const PENDULUM: (f64, f64, f64, f64) = (1.3, 0.7, 0.11, 1.1);

fn pendulum() -> String {
    let (m, l, half, angle) = PENDULUM;
    let side = 2.0 * half;
    let (x, z) = (-l * sin(angle), -l * cos(angle));
    format!(
        "[[body]]\nname = \"bob\"\nmass = {m}\nshape = {{ kind = \"box\", size = [{side}, {side}, {side}] }}\n\
         position = [{x}, 0, {z}]\norientation = {{ axis = [0, 1, 0], angle = {angle} }}\n\
         [[joint]]\nname = \"pin\"\nkind = \"hinge\"\na = \"bob\"\nat = [0, 0, 0]\naxis = [0, 1, 0]\n\
         [[sensor]]\nname = \"angle\"\nkind = \"joint\"\njoint = \"pin\"\n\
         [[sensor]]\nname = \"cell\"\nkind = \"load\"\njoint = \"pin\"\n\
         [[sensor]]\nname = \"centre\"\nkind = \"imu\"\nbody = \"bob\"\n\
         [[sensor]]\nname = \"pivot\"\nkind = \"imu\"\nbody = \"bob\"\nat = [0, 0, {l}]\n\
         orientation = {{ axis = [0, 0, 1], angle_deg = 90 }}\n\
         [[sensor]]\nname = \"tip\"\nkind = \"point\"\nbody = \"bob\"\nat = [0, 0, {}]\n",
        -half
    )
}

/// A load cell and accelerometers on a swinging pendulum, from its angle and rate: along the arm the joint pulls with m (g cos θ + ω² l),
/// across it with the share of m g sin θ that does not turn it; an accelerometer at the centre shows the joint's force by the mass, one at
/// the pivot, which does not move, gravity alone.
fn check_pendulum<D: Driver>(run: &mut D, t: f64, tolerance: f64) {
    let (m, l, half, start) = PENDULUM;
    let see = shown(run, t);
    // The angle about y is counted from the start; θ is that from the vertical.
    let (theta, omega) = (start + see("angle.coordinate"), see("angle.rate"));
    let own = m * (2.0 * half) * (2.0 * half) / 6.0;
    let along = m * (G * cos(theta) + omega * omega * l);
    let across = -m * G * sin(theta) * own / (own + m * l * l);
    let scale = m * G;
    near(see("cell.fz"), along, tolerance * scale, "along the arm");
    near(see("cell.fx"), across, tolerance * scale, "across the arm");
    near(see("cell.fy"), 0.0, tolerance * scale, "along the axis");
    near(see("centre.az"), along / m, tolerance * G, "accelerometer at the centre");
    near(see("centre.ax"), across / m, tolerance * G, "accelerometer at the centre, across");
    near(see("centre.wy"), omega, tolerance, "gyroscope");
    // Its x axis is the y axis of the body, its y axis the body's −x.
    near(see("pivot.ax"), 0.0, tolerance * G, "accelerometer at the pivot, x");
    near(see("pivot.ay"), G * sin(theta), tolerance * G, "accelerometer at the pivot, y");
    near(see("pivot.az"), G * cos(theta), tolerance * G, "accelerometer at the pivot, z");
    near(see("pivot.wx"), omega, tolerance, "turned gyroscope");
    let (x, z) = (-(l + half) * sin(theta), -(l + half) * cos(theta));
    near(see("tip.x"), x, tolerance * l, "tip, x");
    near(see("tip.z"), z, tolerance * l, "tip, z");
    near(see("tip.vx"), z * omega, tolerance, "velocity of the tip, x");
    near(see("tip.vz"), -x * omega, tolerance, "velocity of the tip, z");
    near(see("tip.qw"), cos(0.5 * theta), tolerance, "orientation of the tip");
    // Released at rest: ½ (I + m l²) ω² = m g l (cos θ − cos θ₀).
    let fall = 2.0 * m * G * l * (cos(theta) - cos(start)) / (own + m * l * l);
    near(omega * omega, fall, 10.0 * tolerance, "energy");
    assert!(omega.abs() > 1.0, "it swings: {omega}");
}

#[test]
fn load_cells_and_accelerometers_on_a_pendulum() {
    check_pendulum(&mut exact(&pendulum()), 0.31, 1e-9);
}

/// In fixed steps accelerations are means over a step: of order one.
#[test]
fn load_cells_and_accelerometers_in_fixed_steps() {
    let step = 1.0 / 4000.0;
    // A swing of about 3 rad/s turns the axes by less than four times that in a step.
    check_pendulum(&mut fixed(&pendulum(), step), 0.31, 4.0 * 3.0 * step);
}

const FALL: &str = "\
[contact]\nrestitution = 0\n\
[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
[[body]]\nname = \"box 1\"\nmass = 2\nshape = { kind = \"box\", size = [0.4, 0.4, 0.4] }\nposition = [0, 0, 1.2]\n\
[[body]]\nname = \"box 2\"\nmass = 3\nshape = { kind = \"box\", size = [0.4, 0.4, 0.4] }\nposition = [3, 0, 0.2]\n\
[[sensor]]\nname = \"imu\"\nkind = \"imu\"\nbody = \"box 1\"\n\
[[sensor]]\nname = \"down\"\nkind = \"ray\"\nbody = \"box 1\"\ndirection = [0, 0, -2]\nreach = 0.9\n\
[[sensor]]\nname = \"side\"\nkind = \"ray\"\nat = [-1, 0, 0.3]\ndirection = [1, 0, 0]\n\
[[sensor]]\nname = \"one\"\nkind = \"contact\"\nbodies = [\"box 1\"]\n\
[[sensor]]\nname = \"all\"\nkind = \"contact\"\nbodies = [\"box*\"]\nfrom = [\"floor\"]\n\
[[sensor]]\nname = \"none\"\nkind = \"contact\"\nbodies = [\"box*\"]\nfrom = [\"box*\"]\n";

fn check_fall<D: Driver>(run: &mut D, tolerance: f64) {
    let t = 0.2;
    let see = shown(run, t);
    let height = 1.2 - 0.5 * G * t * t;
    for axis in ["ax", "ay", "az"] {
        near(see(&format!("imu.{axis}")), 0.0, tolerance * G, "in free fall an accelerometer shows nothing");
    }
    assert!(see("down.distance").is_nan(), "beyond its reach: {}", see("down.distance"));
    near(see("side.distance"), 3.8, tolerance, "over the first box lies the second");
    let see = shown(run, 0.3);
    near(see("down.distance"), 1.2 - 0.5 * G * 0.09, tolerance, "its own body is not seen");
    assert!(height > 0.9);
    let see = shown(run, 2.0);
    near(see("down.distance"), 0.2, tolerance, "at rest");
    near(see("side.distance"), 0.8, tolerance, "the first box lies in its way");
    near(see("imu.az"), G, tolerance * G, "at rest it shows gravity, upwards");
    near(see("one.fz"), 2.0 * G, tolerance * 5.0 * G, "weight of one");
    near(see("all.fz"), 5.0 * G, tolerance * 5.0 * G, "weight of both");
    near(see("all.normal"), 5.0 * G, tolerance * 5.0 * G, "normal forces of both");
    assert_eq!((see("one.points"), see("all.points")), (4.0, 8.0));
    assert_eq!((see("none.fz"), see("none.points")), (0.0, 0.0), "they do not touch each other");
}

#[test]
fn falling_and_resting_boxes() {
    check_fall(&mut exact(FALL), 1e-8);
}

#[test]
fn falling_and_resting_boxes_in_fixed_steps() {
    check_fall(&mut fixed(FALL, 1.0 / 2000.0), 5e-3);
}

/// Before the first step there is no acceleration to show; joints of bodies that do not move carry none.
#[test]
fn what_cannot_be_measured_is_no_number() {
    let mut run = fixed(FALL, 0.01);
    let see = shown(&mut run, 0.0);
    assert!(see("imu.ax").is_nan() && see("imu.wz").is_nan());
    assert!(!shown(&mut run, 0.02)("imu.ax").is_nan());
}

/// Reading sensors changes nothing: with them and without, the same bits.
#[test]
fn sensors_change_no_motion() {
    let plain: String = FALL.split("[[sensor]]").take(1).collect();
    let (mut with, mut without) = (exact(FALL), exact(&plain));
    for k in 1..20 {
        let _ = shown(&mut with, 0.1 * f64::from(k));
        without.advance(0.1 * f64::from(k)).unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(with.sample().hash(), without.sample().hash());
    }
}

/// In a template names are those of the copy, and a ray of the world moves with it.
#[test]
fn sensors_in_copies() {
    let text = "\
[template.cart.let]\nm = 1\n\
[[template.cart.body]]\nname = \"wheel\"\nmass = \"= m\"\nshape = { kind = \"sphere\", radius = 0.1 }\nposition = [0, 0, 1]\n\
[[template.cart.joint]]\nname = \"axle\"\nkind = \"hinge\"\na = \"wheel\"\nat = [0, 0, 1]\naxis = [0, 1, 0]\n\
[[template.cart.sensor]]\nname = \"turn\"\nkind = \"joint\"\njoint = \"axle\"\n\
[[template.cart.sensor]]\nname = \"eye\"\nkind = \"ray\"\nat = [-1, 0, 1]\ndirection = [1, 0, 0]\n\
[[template.cart.sensor]]\nname = \"touch\"\nkind = \"contact\"\nbodies = [\"wh*\"]\n\
[[place]]\nrepeat = 2\ntemplate = \"cart\"\nname = \"c{i}\"\nposition = [0, \"= 5*i\", 0]\norientation = { axis = [0, 0, 1], angle_deg = 90 }\n";
    let see = shown(&mut exact(text), 0.0);
    near(see("c0:eye.distance"), 0.9, 1e-12, "the ray was turned with the copy");
    near(see("c1:eye.distance"), 0.9, 1e-12, "and moved");
    near(see("c1:turn.coordinate"), 0.0, 1e-15, "it has not turned");
    assert_eq!(see("c0:touch.points"), 0.0);
}

/// Mistakes are told with their places and a remedy.
#[test]
fn mistakes_in_sensors() {
    let body = "[[body]]\nname = \"b\"\nmass = 1\nshape = { kind = \"sphere\", radius = 0.1 }\n\
                [[joint]]\nname = \"j\"\nkind = \"ball\"\na = \"b\"\n";
    for (sensor, wanted) in [
        ("kind = \"imu\"\nbody = \"c\"", "there is no body \"c\""),
        ("kind = \"joint\"\njoint = \"k\"", "there is no joint \"k\""),
        ("kind = \"joint\"\njoint = \"j\"", "`axis` is missing"),
        ("kind = \"joint\"\njoint = \"j\"\naxis = \"z\"", "free: turn-x, turn-y, turn-z"),
        ("kind = \"ray\"\ndirection = [0, 0, 0]", "`direction` has none"),
        ("kind = \"ray\"\ndirection = [0, 0, 1]\nreach = 0", "`reach` has to be greater than 0"),
        ("kind = \"contact\"\nbodies = []", "`bodies` is empty"),
        ("kind = \"contact\"\nbodies = [\"x*\"]", "there is no body \"x*\""),
        ("kind = \"weight\"", "unknown kind \"weight\""),
    ] {
        let text = format!("{body}[[sensor]]\nname = \"s\"\n{sensor}\n");
        let found = build(&text).err().unwrap_or_else(|| panic!("{sensor} is taken"));
        assert!(found.contains(wanted), "{sensor}: {found}");
        let line: usize = found.split(':').nth(1).and_then(|line| line.parse().ok()).unwrap_or(0);
        assert!(line >= 11, "{sensor}: not in the sensor: {found}");
    }
    let twice = format!("{body}{}", "[[sensor]]\nname = \"s\"\nkind = \"imu\"\nbody = \"b\"\n".repeat(2));
    assert!(build(&twice).err().is_some_and(|found| found.contains("taken already")));
}
