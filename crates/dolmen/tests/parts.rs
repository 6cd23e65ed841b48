//! Parts of machines against closed forms: paths, courses by table.

use std::path::Path as FilePath;

use dolmen::drive::exact::Simulation;
use dolmen::joint::{TableCourse, UserCourse};
use dolmen::math::{DQuat, DVec3, Pose, monotone_slopes};
use dolmen::motion::{Interpolation, Motion, Path};
use dolmen::scene::Document;
use proptest::prelude::*;

fn simulation(text: &str) -> Simulation {
    let document = Document::parse("part.toml", &format!("format = 1\n{text}"));
    let world =
        document.and_then(|d| d.build(FilePath::new("."))).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
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
