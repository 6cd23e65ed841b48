//! The first instant of contact, against closed forms and dense sampling.

use dolmen::body::{BodyState, Inertia};
use dolmen::locate::{Backstep, Gap, Meeting, Pair, Shapes, contact_by_backstep, first_contact};
use dolmen::math::real::{PI, sin_cos};
use dolmen::math::{DMat3, DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Flight, Motion, Prescribed};
use dolmen::shape::{Hull, Plane, Shape};
use proptest::prelude::*;

/// Two balls about their centres of mass.
struct Balls(f64, f64);

impl Pair for Balls {
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap {
        let apart = a.position - b.position;
        Gap { normal: apart.normalize(), separation: apart.length() - self.0 - self.1 }
    }
    fn reach_a(&self, direction: DVec3) -> f64 {
        self.0 * direction.length()
    }
    fn reach_b(&self, direction: DVec3) -> f64 {
        self.1 * direction.length()
    }
    fn radius_a(&self) -> f64 {
        self.0
    }
    fn radius_b(&self) -> f64 {
        self.1
    }
}

/// Two boxes, by all fifteen axes: the referee's own test, not the engine's.
struct Boxes(DVec3, DVec3);

impl Boxes {
    fn along(&self, a: &Pose, b: &Pose, axis: DVec3) -> f64 {
        let reach = |half: DVec3, q: DQuat| half.dot((q.conjugate() * axis).abs());
        axis.dot(a.position - b.position).abs() - reach(self.0, a.orientation) - reach(self.1, b.orientation)
    }
}

impl Pair for Boxes {
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap {
        let (ra, rb) = (DMat3::from_quat(a.orientation), DMat3::from_quat(b.orientation));
        let mut axes = vec![ra.x_axis, ra.y_axis, ra.z_axis, rb.x_axis, rb.y_axis, rb.z_axis];
        for i in 0..3 {
            for j in 3..6 {
                let cross = axes[i].cross(axes[j]);
                if cross.length() > 1e-9 {
                    axes.push(cross.normalize());
                }
            }
        }
        let gap = |axis: &DVec3| {
            let side = if axis.dot(a.position - b.position) < 0.0 { -1.0 } else { 1.0 };
            Gap { normal: *axis * side, separation: self.along(a, b, *axis) }
        };
        axes.iter().map(gap).max_by(|x, y| x.separation.total_cmp(&y.separation)).expect("fifteen axes")
    }
    fn reach_a(&self, direction: DVec3) -> f64 {
        self.0.dot(direction.abs())
    }
    fn reach_b(&self, direction: DVec3) -> f64 {
        self.1.dot(direction.abs())
    }
    fn radius_a(&self) -> f64 {
        self.0.length()
    }
    fn radius_b(&self) -> f64 {
        self.1.length()
    }
}

fn flight(position: DVec3, velocity: DVec3, spin: DVec3, gravity: DVec3) -> Flight {
    let inertia = Inertia::principal(1.0, dvec3(0.2, 0.3, 0.4));
    let pose = Pose { position, orientation: DQuat::from_scaled_axis(dvec3(0.3, 0.8, -0.2)) };
    Flight::new(&inertia, &BodyState::new(&inertia, &pose, &Twist { velocity, spin }), gravity, 0.0)
}

fn uniform(position: DVec3, turned: DVec3, velocity: DVec3, spin: DVec3) -> Prescribed {
    let start = Pose { position, orientation: DQuat::from_scaled_axis(turned) };
    Prescribed::Uniform { start, twist: Twist { velocity, spin } }
}

fn touch(meeting: Meeting) -> f64 {
    match meeting {
        Meeting::Touch { t, .. } => t,
        other => panic!("no touch: {other:?}"),
    }
}

/// Two balls thrown at one another: the distance is a polynomial of time, its root known.
#[test]
fn thrown_balls_meet_when_they_should() {
    let gravity = dvec3(0.0, 0.0, -9.81);
    let a = flight(dvec3(0.0, 0.0, 1.0), dvec3(3.0, 0.0, 5.0), dvec3(1.0, 20.0, 3.0), gravity);
    let b = flight(dvec3(10.0, 0.5, 1.0), dvec3(-4.0, 0.0, 5.0), dvec3(9.0, 0.0, 0.0), gravity);
    let search = first_contact(&mut Balls(0.4, 0.6), &a, &b, 0.0, 5.0);
    // Gravity cancels: (10 − 7t)² + 0.25 = 1.
    let expected = (10.0 - 0.75_f64.sqrt()) / 7.0;
    let t = touch(search.meeting);
    assert!((t - expected).abs() < 1e-14, "t = {t}, expected {expected}, {} steps", search.steps);
    assert!(search.steps < 60, "{} steps", search.steps);
}

/// A drop: the instant is √(2h/g) to the last digits, however high the spin.
#[test]
fn a_drop_on_a_fixed_ball() {
    for spin in [0.0, 10.0, 1e4] {
        let a =
            flight(dvec3(0.0, 0.0, 3.0), DVec3::ZERO, dvec3(spin, 0.0, 0.1 * spin), dvec3(0.0, 0.0, -9.81));
        let b = Prescribed::Still(Pose::IDENTITY);
        let search = first_contact(&mut Balls(0.5, 0.5), &a, &b, 0.0, 2.0);
        let expected = (2.0 * 2.0 / 9.81_f64).sqrt();
        let t = touch(search.meeting);
        assert!((t - expected).abs() < 4e-15, "t = {t}, expected {expected} at spin {spin}");
    }
}

/// Grazes: passing at a distance that is short of touching or over it by 1e-12 of the size. (Trap 1)
#[test]
fn grazes_are_told_from_touches() {
    for miss in [1e-6, 1e-9, 1e-12, -1e-12, -1e-9, -1e-6] {
        let a = uniform(dvec3(-5.0, 1.0 + miss, 0.0), DVec3::ZERO, dvec3(10.0, 0.0, 0.0), DVec3::ZERO);
        let b = Prescribed::Still(Pose::IDENTITY);
        let search = first_contact(&mut Balls(0.5, 0.5), &a, &b, 0.0, 1.0);
        assert!(search.steps < 400, "{} steps at {miss:e}", search.steps);
        if miss > 0.0 {
            assert_eq!(search.meeting, Meeting::Apart, "passing by at {miss:e}");
        } else {
            let t = touch(search.meeting);
            let expected = 0.5 - (1.0 - (1.0 + miss) * (1.0 + miss)).sqrt() / 10.0;
            // The root is as ill-conditioned as it is double: an ulp of the distance is √ulp of the time.
            assert!((t - expected).abs() < 1e-8, "t = {t}, expected {expected} at {miss:e}");
        }
    }
}

/// The event just handled: bodies that touch and part are not found again; those that touch and approach are. (Trap 2)
#[test]
fn a_touch_that_is_left_is_no_touch() {
    let b = Prescribed::Still(Pose::IDENTITY);
    let mut balls = Balls(0.5, 0.5);
    let parting = flight(dvec3(0.0, 0.0, 1.0), dvec3(0.0, 0.0, 3.0), DVec3::ZERO, dvec3(0.0, 0.0, -9.81));
    let again = touch(first_contact(&mut balls, &parting, &b, 0.0, 2.0).meeting);
    assert!((again - 6.0 / 9.81).abs() < 1e-14, "comes down again at {again}");
    let resting = flight(dvec3(0.0, 0.0, 1.0), DVec3::ZERO, DVec3::ZERO, dvec3(0.0, 0.0, -9.81));
    assert_eq!(touch(first_contact(&mut balls, &resting, &b, 0.0, 2.0).meeting), 0.0);
    let inside = uniform(dvec3(0.0, 0.0, 0.9), DVec3::ZERO, DVec3::Z, DVec3::ZERO);
    let Meeting::Overlap { depth } = first_contact(&mut balls, &inside, &b, 0.0, 2.0).meeting else {
        panic!("overlap")
    };
    assert!((depth - 0.1).abs() < 1e-15);
}

/// CASES A06: a cube at 1000 m/s, turned by Rz(53°)Ry(247°)Rx(32°), against a sheet of no thickness.
#[test]
fn a06_fast_thin_target() {
    let turn = |axis: DVec3, degrees: f64| {
        let (s, c) = sin_cos(degrees * PI / 360.0);
        DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
    };
    let orientation = turn(DVec3::Z, 53.0) * turn(DVec3::Y, 247.0) * turn(DVec3::X, 32.0);
    let start = Pose { position: dvec3(-5.0, 0.0, 0.0), orientation };
    let a =
        Prescribed::Uniform { start, twist: Twist { velocity: dvec3(1000.0, 0.0, 0.0), spin: DVec3::ZERO } };
    let b = Prescribed::Still(Pose::IDENTITY);
    let search = first_contact(&mut Boxes(DVec3::splat(0.5), dvec3(0.0, 5.0, 5.0)), &a, &b, 0.0, 0.01);
    let t = touch(search.meeting);
    assert!((t - 0.00437371277356).abs() < 1e-14, "t = {t}");
}

/// The simple ways find what the end of the step shows, prediction in fewer queries than bisection, and miss what it does
/// not. [NOTES II]
#[test]
fn backsteps_agree_where_they_see_anything() {
    let a = flight(dvec3(0.0, 0.0, 3.0), DVec3::ZERO, DVec3::ZERO, dvec3(0.0, 0.0, -9.81));
    let b = Prescribed::Still(Pose::IDENTITY);
    let mut balls = Balls(0.5, 0.5);
    let expected = touch(first_contact(&mut balls, &a, &b, 0.0, 0.7).meeting);
    let bisection = contact_by_backstep(&mut balls, [&a, &b], (0.0, 0.7), 1e-12, Backstep::Bisection);
    let prediction = contact_by_backstep(&mut balls, [&a, &b], (0.0, 0.7), 1e-12, Backstep::Prediction);
    for search in [bisection, prediction] {
        let t = touch(search.meeting);
        assert!((t - expected).abs() < 1e-12, "t = {t}, expected {expected}");
    }
    assert!(prediction.steps < bisection.steps, "{} and {} steps", prediction.steps, bisection.steps);
    // By the end of a long step the ball has fallen through and is out again: only the bound sees it.
    let through = contact_by_backstep(&mut balls, [&a, &b], (0.0, 1.2), 1e-12, Backstep::Bisection);
    assert_eq!(through.meeting, Meeting::Apart);
    let t = touch(first_contact(&mut balls, &a, &b, 0.0, 1.2).meeting);
    assert!((t - expected).abs() < 4e-15, "t = {t}, expected {expected}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Thin boxes that spin fast: never later than the first overlap that dense sampling sees, and at the instant found the
    /// gap is zero.
    #[test]
    fn thin_fast_spinning_boxes_never_pass_through(
        offset in prop::array::uniform3(-1.0..1.0_f64),
        spins in prop::array::uniform6(-60.0..60.0_f64),
        turned in prop::array::uniform6(-3.0..3.0_f64),
        thin in -5.0..-0.5_f64,
        speed in 1.0..200.0_f64,
    ) {
        let thickness = dolmen::math::real::pow(10.0, thin);
        let direction = dvec3(offset[0], 3.0, offset[2]);
        let v = |i: usize| DVec3::from_slice(&spins[3 * i..]);
        let w = |i: usize| DVec3::from_slice(&turned[3 * i..]);
        let a = uniform(-direction, w(0), direction * speed, v(0));
        let b = uniform(dvec3(0.0, offset[1], 0.0), w(1), DVec3::ZERO, v(1));
        let mut boxes = Boxes(dvec3(1.0, thickness, 0.3), dvec3(0.7, 0.2, thickness));
        let end = 2.0 / speed;
        let search = first_contact(&mut boxes, &a, &b, 0.0, end);
        let mut gap = |t: f64| boxes.gap(&a.pose(t), &b.pose(t)).separation;
        let samples = 400;
        let overlap = (0..=samples).map(|i| end * f64::from(i) / f64::from(samples)).find(|t| gap(*t) < 0.0);
        match search.meeting {
            Meeting::Touch { t, .. } => {
                prop_assert!(gap(t).abs() < 1e-13, "gap {:e} at {t}", gap(t));
                if let Some(seen) = overlap {
                    prop_assert!(t <= seen, "found at {t}, but they overlap at {seen}");
                }
            }
            Meeting::Apart => prop_assert!(overlap.is_none(), "missed: they overlap at {overlap:?}"),
            Meeting::Overlap { .. } => prop_assert!(gap(0.0) < 0.0),
            Meeting::Unknown { t } => prop_assert!(false, "gave up at {t}"),
        }
        prop_assert!(search.steps < 2000, "{} steps", search.steps);
    }
}

fn shapes(a: &Shape, b: &Shape) -> Shapes {
    Shapes::new((a, DVec3::ZERO), (b, DVec3::ZERO)).expect("a supported pair")
}

/// A tilted plane and a thrown ball: the distance to the plane is a parabola in time, its root known.
#[test]
fn a_thrown_ball_meets_a_tilted_plane() {
    let plane = Plane::new(dvec3(1.0, 0.0, 2.0), 0.5).expect("a plane");
    let (n, offset) = (plane.normal(), plane.offset());
    let (x, v, g) = (dvec3(0.3, 0.1, 4.0), dvec3(1.0, 2.0, 3.0), dvec3(0.0, 0.0, -9.81));
    let a = flight(x, v, dvec3(5.0, 1.0, 2.0), g);
    let b = Prescribed::Still(Pose::IDENTITY);
    let mut pair = shapes(&Shape::sphere(0.25).expect("a ball"), &plane.into());
    let t = touch(first_contact(&mut pair, &a, &b, 0.0, 10.0).meeting);
    let (p, q, r) = (0.5 * n.dot(g), n.dot(v), n.dot(x) - offset - 0.25);
    let expected = (-q - (q * q - 4.0 * p * r).sqrt()) / (2.0 * p);
    assert!((t - expected).abs() < 1e-14, "t = {t}, expected {expected}");
}

/// CASES A06 and A07 (times) with the engine's own shapes: a fast cube on a square sheet, and the drops of a spike and a
/// cliff, vertex on vertex and face on face.
#[test]
fn engine_shapes_meet_when_they_should() {
    let gravity = dvec3(0.0, -9.8, 0.0);
    let hull = |points: &[[f64; 3]]| -> Shape {
        let points: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(*p)).collect();
        Hull::new(&points).expect("a hull").into()
    };
    let spike =
        hull(&[[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [0.5, 0.0, 0.5], [-0.5, 0.0, 0.5], [0.0, 3.0, 0.0]]);
    let still = |position: DVec3| Prescribed::Still(Pose { position, orientation: DQuat::IDENTITY });
    let inertia = Inertia::principal(1.0, DVec3::ONE);
    let drop = |position: DVec3, orientation: DQuat| {
        let pose = Pose { position, orientation };
        Flight::new(&inertia, &BodyState::new(&inertia, &pose, &Twist::ZERO), gravity, 0.0)
    };
    let upside_down = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    let spikes = first_contact(
        &mut shapes(&spike, &spike),
        &drop(dvec3(0.0, 3.0001, 0.0), upside_down),
        &still(dvec3(0.0, -3.0, 0.0)),
        0.0,
        1.0,
    );
    let t = touch(spikes.meeting);
    assert!((t - 0.00451753951453).abs() < 1e-9, "spike on spike at {t}");
    let (low, high) = (0.75, 0.5);
    let cliff = hull(&[
        [-low, -0.5, -low],
        [low, -0.5, -low],
        [low, -0.5, low],
        [-low, -0.5, low],
        [-high, 0.5, -high],
        [high, 0.5, -high],
        [high, 0.5, high],
        [-high, 0.5, high],
    ]);
    let cube = Shape::cuboid(DVec3::splat(0.5)).expect("a cube");
    let landing = first_contact(
        &mut shapes(&cube, &cliff),
        &drop(dvec3(0.0, 0.05, 0.0), DQuat::IDENTITY),
        &still(dvec3(0.0, -1.0, 0.0)),
        0.0,
        1.0,
    );
    let t = touch(landing.meeting);
    assert!((t - 0.101015254455).abs() < 1e-12, "cube on cliff at {t}");
    // Sliding along at 1e-4 m for a second is no contact at all.
    let ground: Shape = Plane::new(DVec3::Y, 0.0).expect("a plane").into();
    let sliding = uniform(dvec3(0.0, 0.5001, 0.0), DVec3::ZERO, dvec3(10.0, 0.0, 0.0), DVec3::ZERO);
    let search = first_contact(&mut shapes(&cube, &ground), &sliding, &still(DVec3::ZERO), 0.0, 1.0);
    assert_eq!(search.meeting, Meeting::Apart);
}

/// A ball dropped on each round shape lands when its height says so, and so does a capsule; two planes are refused.
#[test]
fn a_ball_lands_on_round_shapes() {
    let ball = Shape::sphere(0.2).expect("a ball");
    let tall = [
        (Shape::cylinder(0.5, 0.7).expect("sound"), 0.7),
        (Shape::capsule(0.3, 0.4).expect("sound"), 0.7),
        (Shape::cone(0.6, 1.1).expect("sound"), 1.1),
        (Shape::disc(0.6).expect("sound"), 0.0),
        (Shape::ellipsoid(dvec3(0.4, 0.5, 0.9)).expect("sound"), 0.9),
    ];
    let b = Prescribed::Still(Pose::IDENTITY);
    for (shape, height) in &tall {
        let a = flight(dvec3(0.0, 0.0, 3.0), DVec3::ZERO, dvec3(1.0, 2.0, 3.0), dvec3(0.0, 0.0, -9.81));
        let t = touch(first_contact(&mut shapes(&ball, shape), &a, &b, 0.0, 2.0).meeting);
        let expected = (2.0 * (3.0 - 0.2 - *height) / 9.81_f64).sqrt();
        assert!((t - expected).abs() < 1e-13, "{shape:?}: t = {t}, expected {expected}");
        // Standing on its cap and spinning about its axis, it has the same height as a ball all the way.
        let pose = Pose { position: dvec3(0.0, 0.0, 3.0), orientation: DQuat::IDENTITY };
        let twist = Twist { velocity: dvec3(0.0, 0.0, -2.0), spin: dvec3(0.0, 0.0, 7.0) };
        let capsule = Shape::capsule(0.2, 0.5).expect("sound");
        let falling = Prescribed::Uniform { start: pose, twist };
        let t = touch(first_contact(&mut shapes(&capsule, shape), &falling, &b, 0.0, 2.0).meeting);
        let expected = (3.0 - 0.7 - *height) / 2.0;
        assert!((t - expected).abs() < 1e-13, "{shape:?}: t = {t}, expected {expected}");
    }
    let plane: Shape = Plane::new(DVec3::Z, 0.0).expect("a plane").into();
    assert!(Shapes::new((&plane, DVec3::ZERO), (&plane, DVec3::ZERO)).is_err(), "two planes never meet");
}

/// A ball on an arm goes around the rim of a plate that is touched from its front only: from behind it passes, and once around
/// it lands on the front when its height is its radius.
#[test]
fn what_comes_around_a_plate_with_a_front_is_not_missed() {
    let plate =
        Plane::new(DVec3::Z, 0.0).and_then(|p| p.square(DVec3::ZERO, 1.0, DVec3::X)).expect("a plate");
    let plate: Shape = plate.with_sides(dolmen::shape::Sides::Front).into();
    let ball = Shape::sphere(0.2).expect("a ball");
    // Centre at (1.2 + 0.9 cos φ, 0, 0.9 sin φ), from φ = −135° on with 1 rad/s; z = 0.2 with x < 1 at φ = π − asin(0.2/0.9).
    let arm = 0.9;
    let a = uniform(dvec3(1.2, 0.0, 0.0), dvec3(0.0, 0.75 * PI, 0.0), DVec3::ZERO, dvec3(0.0, -1.0, 0.0));
    let b = Prescribed::Still(Pose::IDENTITY);
    let expected = PI - dolmen::math::real::asin(0.2 / arm) + 0.75 * PI;
    for swap in [false, true] {
        let shapes = [(&ball, dvec3(arm, 0.0, 0.0)), (&plate, DVec3::ZERO)];
        let search = if swap {
            first_contact(&mut Shapes::new(shapes[1], shapes[0]).expect("supported"), &b, &a, 0.0, 6.0)
        } else {
            first_contact(&mut Shapes::new(shapes[0], shapes[1]).expect("supported"), &a, &b, 0.0, 6.0)
        };
        let t = touch(search.meeting);
        assert!((t - expected).abs() < 1e-12, "t = {t}, expected {expected}, {} steps", search.steps);
        assert!(search.steps < 1000, "{} steps", search.steps);
    }
    // Through it from behind, and away: no touch. And a cube behind it, that stays there: none.
    let cube = Shape::cuboid(DVec3::splat(0.1)).expect("a cube");
    for shape in [&ball, &cube] {
        let mut pair = Shapes::new((shape, DVec3::ZERO), (&plate, DVec3::ZERO)).expect("supported");
        let through = uniform(dvec3(0.1, 0.2, -1.0), DVec3::ZERO, dvec3(0.0, 0.0, 2.0), dvec3(1.0, 0.0, 2.0));
        assert_eq!(first_contact(&mut pair, &through, &b, 0.0, 2.0).meeting, Meeting::Apart);
        let mut pair = Shapes::new((shape, DVec3::ZERO), (&plate, DVec3::ZERO)).expect("supported");
        let along = uniform(dvec3(0.0, 0.0, -0.5), DVec3::ZERO, dvec3(1.0, 0.0, 0.0), dvec3(1.0, 0.0, 2.0));
        assert_eq!(first_contact(&mut pair, &along, &b, 0.0, 2.0).meeting, Meeting::Apart);
    }
}
