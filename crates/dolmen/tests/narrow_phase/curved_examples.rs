//! Named motions of round bodies, and forms in degenerate places.

use super::common::Random;
use super::curved::{Circle, Cone, Ellipsoid, KINDS, Kind, Line, Meeting, Place, Plane, Point, pairs};
use super::function::Moving;
use dolmen::body::Kinematics;
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::narrow_phase::{ContactFunction, Form, NormalRule, Patch};
use proptest::prelude::*;

fn turning(position: DVec3, velocity: DVec3, spin: DVec3) -> Kinematics {
    let pose = Pose { position, orientation: DQuat::IDENTITY };
    Kinematics { pose, twist: Twist { velocity, spin }, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}

fn ball(radius: f64) -> Patch {
    Patch { form: Form::Point(DVec3::ZERO), radius }
}

fn of(a: Patch, b: Patch, starts: [DVec3; 2]) -> ContactFunction {
    ContactFunction { point_a: starts[0], point_b: starts[1], normal: NormalRule::Patches { a, b } }
}

/// A ball that rolls on a ball: without forces it would leave with d̈ = v²/(r + R), whatever its spin.
#[test]
fn a_ball_rolls_on_a_ball() {
    let function = of(ball(0.5), ball(2.0), [DVec3::ZERO; 2]);
    let a = turning(2.5 * DVec3::Z, dvec3(3.0, -1.0, 0.0), dvec3(7.0, -5.0, 2.0));
    let b = turning(DVec3::ZERO, DVec3::ZERO, dvec3(-1.0, 4.0, 9.0));
    let motion = function.motion(&a, &b);
    assert!(motion.value.abs() < 1e-15 && motion.rate.abs() < 1e-15, "{motion:?}");
    assert!((motion.curvature - 10.0 / 2.5).abs() < 1e-14, "{motion:?}");
    assert_eq!(function.points(&a.pose, &b.pose), [2.0 * DVec3::Z; 2]);
}

/// A ball that rolls around on a cone at constant height: its acceleration −Ω²ϱ towards the axis has the part Ω²ϱ cos α into
/// the side, so that is what d̈ is without it.
#[test]
fn a_ball_rolls_around_a_cone() {
    let (sine, cosine) = (0.6, 0.8);
    // The tip up: the axis from the tip into the cone points down.
    let cone = Patch { form: Form::Cone { apex: DVec3::ZERO, axis: -DVec3::Z, sine, cosine }, radius: 0.0 };
    let (slant, radius, speed) = (3.0, 0.5, 2.0);
    let foot = dvec3(slant * sine, 0.0, -slant * cosine);
    let outward = dvec3(cosine, 0.0, sine);
    let centre = foot + radius * outward;
    let turn = speed / centre.x;
    let a = turning(centre, speed * DVec3::Y, dvec3(1.0, 2.0, 3.0));
    let b = turning(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for function in [
        of(ball(radius), cone, [DVec3::ZERO, foot]),
        of(ball(radius), cone, [DVec3::ZERO, foot + 0.3 * DVec3::Y]),
    ] {
        let motion = function.motion(&a, &b);
        assert!(motion.value.abs() < 1e-15 && motion.rate.abs() < 1e-15, "{motion:?}");
        let expected = turn * turn * centre.x * cosine;
        assert!((motion.curvature - expected).abs() < 1e-14, "{motion:?}, {expected}");
        // Spun about its own axis the cone is the same cone.
        let spun = function.motion(&a, &Kinematics { twist: Twist { spin: 5.0 * DVec3::Z, ..b.twist }, ..b });
        assert!((spun.curvature - expected).abs() < 1e-13, "{spun:?}, {expected}");
    }
}

/// A tilted coin on a table: its lowest point is ρ sin θ below its centre, cos θ = k·n, so that with k̇ = ω×k and k̈ = ω×k̇
/// d̈ = −ρ d²(sin θ)/dt² without accelerations; after any turn about its own axis, too.
#[test]
fn a_coin_rolls_on_its_rim() {
    let coin = Patch { form: Form::Circle { centre: DVec3::ZERO, axis: DVec3::Z, radius: 2.0 }, radius: 0.0 };
    let table = Patch { form: Form::Plane { point: DVec3::ZERO, normal: DVec3::Z }, radius: 0.0 };
    let function = of(coin, table, [-2.0 * DVec3::Y, DVec3::ZERO]);
    let tilt = DQuat::from_rotation_x(1.1);
    let spin = dvec3(0.7, -1.3, 2.1);
    let k = tilt * DVec3::Z;
    let (cos, rate) = (k.z, spin.cross(k).z);
    let curvature = spin.cross(spin.cross(k)).z;
    let sin = (1.0 - cos * cos).sqrt();
    // s² = 1 − c²: s ṡ = −c ċ, ṡ² + s s̈ = −ċ² − c c̈
    let sin_rate = -cos * rate / sin;
    let expected = 2.0 * (rate * rate + cos * curvature + sin_rate * sin_rate) / sin;
    for step in 0..12 {
        let mut a = turning(dvec3(5.0, -4.0, 2.0 * sin), dvec3(1.0, 2.0, 2.0 * sin_rate), spin);
        a.pose.orientation = tilt * DQuat::from_rotation_z(f64::from(step) * 0.6);
        let motion = function.motion(&a, &turning(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO));
        assert!(motion.value.abs() < 1e-15 && motion.rate.abs() < 1e-14, "{motion:?}");
        assert!((motion.curvature - expected).abs() < 1e-13, "step {step}: {motion:?}, {expected}");
    }
}

/// A wheel that has turned its starting point away is still where it was: a rim against a ball, a rod, a rim and an egg, for
/// every turn about its axis.
#[test]
fn a_turn_about_its_own_axis_changes_nothing() {
    let mut random = Random::new(8);
    for other in [Point, Line, Circle, Cone, Ellipsoid, Plane] {
        for radii in [[0.0, 0.0], [0.1, 0.2]] {
            let meeting = Meeting::new(&mut random, [Circle, other], radii, 0.01);
            let function = meeting.function(&mut random);
            let [mut a, b] = meeting.poses;
            let Form::Circle { centre, axis, .. } = meeting.places[0].form else { unreachable!() };
            let (hub, axis) = (a.point(centre), a.direction(axis));
            for _ in 0..40 {
                let turn = DQuat::from_axis_angle(axis, 0.157);
                let position = hub + turn * (a.position - hub);
                a = Pose { position, orientation: (turn * a.orientation).normalize() };
                let value = function.value(&a, &b);
                assert!((value - 0.01).abs() < 1e-12, "Circle and {other:?}: {value}");
            }
        }
    }
}

/// Two edges through each other: the normal keeps its sense and the separation passes smoothly through zero.
#[test]
fn curves_cross_smoothly() {
    let mut random = Random::new(9);
    for kinds in [[Line, Line], [Line, Circle], [Circle, Line], [Circle, Circle]] {
        let meeting = Meeting::new(&mut random, kinds, [0.0; 2], 0.1);
        let function = meeting.function(&mut random);
        for step in -10_i32..=10 {
            let shift = f64::from(step) * 0.01;
            let [mut a, b] = meeting.poses;
            a.position += meeting.normal * (shift - 0.1);
            let value = function.value(&a, &b);
            assert!((value - shift).abs() < 1e-14, "{kinds:?}: {value} for {shift}");
        }
    }
}

/// The common perpendicular of edges as patches is that of the rule for edges, and its points are those of the lines.
#[test]
fn lines_agree_with_edges() {
    let mut random = Random::new(10);
    for _ in 0..50 {
        let meeting = Meeting::new(&mut random, [Line, Line], [0.0; 2], 0.2);
        let patches = meeting.function(&mut random);
        let [a, b] = meeting.moving(&mut random);
        let NormalRule::Patches { a: of_a, b: of_b } = patches.normal else { unreachable!() };
        let (Form::Line { direction: along_a, .. }, Form::Line { direction: along_b, .. }) =
            (of_a.form, of_b.form)
        else {
            unreachable!()
        };
        let [point_a, point_b] = meeting.places.map(|place| place.point);
        let edges = ContactFunction { point_a, point_b, normal: NormalRule::Edges { along_a, along_b } };
        let (x, y) = (patches.motion(&a.now(), &b.now()), edges.motion(&a.now(), &b.now()));
        assert!((x.value - y.value).abs() < 1e-14 && (x.rate - y.rate).abs() < 1e-13, "{x:?}, {y:?}");
        assert!((x.curvature - y.curvature).abs() < 1e-12 * (1.0 + x.curvature.abs()), "{x:?}, {y:?}");
        let (p, q) = (patches.points(&a.start, &b.start), edges.points(&a.start, &b.start));
        assert!(p[0].distance(q[0]) + p[1].distance(q[1]) < 1e-13, "{p:?}, {q:?}");
    }
}

/// Where foot points are not determined the separation is still that of the starting point: parallel rods, a rod and a coin
/// flat on a table, rings about one axis.
#[test]
fn undetermined_feet_are_frozen() {
    let line = |direction: DVec3| Patch { form: Form::Line { point: DVec3::ZERO, direction }, radius: 0.25 };
    let circle = |radius: f64| Patch {
        form: Form::Circle { centre: DVec3::ZERO, axis: DVec3::Z, radius },
        radius: 0.0,
    };
    let plane = Patch { form: Form::Plane { point: DVec3::ZERO, normal: DVec3::Z }, radius: 0.0 };
    let ceiling = Patch { form: Form::Plane { point: DVec3::ZERO, normal: -DVec3::Z }, radius: 0.0 };
    let cases = [
        (line(DVec3::X), line(DVec3::X), DVec3::X, DVec3::ZERO, 1.5),
        (line(DVec3::X), plane, DVec3::X, DVec3::ZERO, 1.75),
        (circle(1.0), plane, DVec3::Y, DVec3::ZERO, 2.0),
        (circle(1.0), circle(1.0), DVec3::Y, DVec3::Y, 2.0),
        (circle(1.0), circle(2.5), DVec3::Y, DVec3::Y, 2.5),
        (ceiling, plane, DVec3::Y, DVec3::ZERO, 2.0),
    ];
    let a = turning(2.0 * DVec3::Z, DVec3::X, dvec3(1.0, 2.0, 3.0));
    let b = turning(DVec3::ZERO, DVec3::Y, dvec3(3.0, -2.0, 1.0));
    for (of_a, of_b, start_a, start_b, expected) in cases {
        let function = of(of_a, of_b, [start_a, start_b]);
        let motion = function.motion(&a, &b);
        assert!((motion.value - expected).abs() < 1e-15, "{of_a:?} and {of_b:?}: {motion:?}");
        assert!(motion.rate.is_finite() && motion.curvature.is_finite(), "{of_a:?} and {of_b:?}: {motion:?}");
        let back = function.exchanged().value(&b.pose, &a.pose);
        assert!((back - expected).abs() < 1e-15, "{of_a:?} and {of_b:?}: {back} exchanged");
    }
}

/// A direction or turn that is often along the axes, a vector that is often zero: what makes forms degenerate.
fn awkward(random: &mut Random) -> DVec3 {
    if random.unit() < 0.5 { random.vector() } else { random.vector().round() }
}

fn awkward_form(random: &mut Random, kind: Kind) -> Form {
    let origin = awkward(random);
    let axis = awkward(random).try_normalize().unwrap_or(DVec3::Z);
    let round = |random: &mut Random| if random.unit() < 0.5 { 1.0 } else { random.between(1e-3, 2.0) };
    match kind {
        Point => Form::Point(origin),
        Line => Form::Line { point: origin, direction: axis },
        Circle => Form::Circle { centre: origin, axis, radius: round(random) },
        Plane => Form::Plane { point: origin, normal: axis },
        Cone => Form::Cone { apex: origin, axis, sine: 0.6, cosine: 0.8 },
        Ellipsoid => {
            let half = dvec3(round(random), round(random), round(random));
            Form::Ellipsoid { centre: origin, axes: DQuat::IDENTITY, half }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever the forms, poses and starting points, on an axis, in a centre, at a tip: numbers stay numbers, the normal is a
    /// unit vector or zero, and the points lie the separation apart along it.
    #[test]
    fn numbers_stay_numbers(seed in 0_u64..u64::MAX, a in 0_usize..6, b in 0_usize..6) {
        let mut random = Random::new(seed);
        let radius = |random: &mut Random| if random.unit() < 0.5 { 0.0 } else { random.unit() };
        let patches = [a, b].map(|kind| {
            Patch { form: awkward_form(&mut random, KINDS[kind]), radius: radius(&mut random) }
        });
        let starts = [awkward(&mut random), awkward(&mut random)];
        let mut body = || {
            let orientation = if random.unit() < 0.5 { DQuat::IDENTITY } else { random.turn() };
            let mut moving = Moving::random(&mut random);
            moving.start = Pose { position: awkward(&mut random), orientation };
            moving.now()
        };
        let (a, b) = (body(), body());
        let function = ContactFunction::between_patches(patches, starts, [&a.pose, &b.pose], DVec3::Z);
        let motion = function.motion(&a, &b);
        let numbers = [motion.value, motion.rate, motion.curvature];
        prop_assert!(numbers.iter().all(|x| x.is_finite()), "{patches:?}: {motion:?}");
        let (row, n) = (function.row(&a.pose, &b.pose), function.normal(&a.pose, &b.pose));
        prop_assert!(row.angular_a.is_finite() && row.angular_b.is_finite(), "{patches:?}: {row:?}");
        prop_assert!(n == DVec3::ZERO || (n.length() - 1.0).abs() < 1e-14, "{patches:?}: normal {n}");
        let [on_a, on_b] = function.points(&a.pose, &b.pose);
        prop_assert!(on_a.is_finite() && on_b.is_finite());
        if n != DVec3::ZERO {
            // A foot far out on a line costs as many digits.
            let allowed = 1e-9 * (1.0 + on_a.length() + on_b.length());
            let gap = (on_a - on_b - n * motion.value).length();
            prop_assert!(gap < allowed, "{patches:?}: {on_a}, {on_b}, {n}, {}", motion.value);
        }
    }
}

/// Starting points as far off as a third of the size of the forms lead to the same foot points.
#[test]
fn far_starts_lead_to_the_same_feet() {
    let mut random = Random::new(11);
    for kinds in pairs() {
        for separation in [0.3, 0.0, -0.01] {
            let meeting = Meeting::new(&mut random, kinds, [0.1, 0.1], separation);
            let starts = meeting.places.map(|place| place.point + 0.25 * random.direction());
            let found = meeting.function_from(starts).value(&meeting.poses[0], &meeting.poses[1]);
            assert!((found - separation).abs() < 1e-13, "{kinds:?}: {found} for {separation}");
        }
    }
}

/// A grain of a micrometre on a body of metres, either way round: d to the rounding of metres, the normal still to 1e-9, since
/// the foot on the grain is known to 1e-15 m of its 1e-6.
#[test]
fn small_features_touch_large_ones() {
    let mut random = Random::new(12);
    for kinds in pairs() {
        for small in [0, 1] {
            let mut places = kinds.map(|kind| Place::new(&mut random, kind));
            places[small] = places[small].scaled(1e-6);
            let meeting = Meeting::of(&mut random, &places, [0.0; 2], 1e-7);
            let starts = meeting.places.map(|place| place.point);
            let function = meeting.function_from(starts);
            let [a, b] = &meeting.poses;
            let (found, normal) = (function.value(a, b), function.normal(a, b));
            assert!((found - 1e-7).abs() < 1e-14, "{kinds:?}, {small}: {found}");
            assert!((normal - meeting.normal).length() < 1e-7, "{kinds:?}, {small}: {normal}");
            let [a, b] = meeting.moving(&mut random).map(|moving| moving.now());
            let motion = function.motion(&a, &b);
            let back = function.exchanged().motion(&b, &a);
            let allowed = 1e-5 * (1.0 + motion.curvature.abs());
            assert!((motion.curvature - back.curvature).abs() < allowed, "{kinds:?}: {motion:?}, {back:?}");
        }
    }
}

/// Discs and needles are ellipsoids too: axes of one to a thousand, against everything.
#[test]
fn eccentric_ellipsoids_are_no_exception() {
    let mut random = Random::new(13);
    for kind in KINDS {
        for half in [dvec3(1.0, 1.0, 1e-3), dvec3(1.0, 1e-3, 1e-3), dvec3(1.0, 0.03, 1e-3)] {
            for _ in 0..10 {
                let (axes, q) = (random.turn(), random.direction());
                let form = Form::Ellipsoid { centre: random.vector(), axes, half };
                let egg = Place::on_ellipsoid(form, q);
                let places = [egg, Place::new(&mut random, kind)];
                let meeting = Meeting::of(&mut random, &places, [0.0, 0.01], 1e-4);
                let starts = meeting.places.map(|place| place.point);
                let found = meeting.function_from(starts).value(&meeting.poses[0], &meeting.poses[1]);
                assert!((found - 1e-4).abs() < 1e-13, "{kind:?}, {half}: {found}");
            }
        }
    }
}
