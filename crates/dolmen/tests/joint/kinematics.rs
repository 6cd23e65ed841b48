//! Equations of joints against finite differences of random motions with both bodies turning.

use std::sync::Arc;

use super::common::{Random, derivatives, later};
use dolmen::body::Kinematics;
use dolmen::joint::{
    Axis, Cone, Constraint, Control, Coupling, Course, Equation, FittedCoupling, FittedJoint, Frame,
    Friction, Geometry, Joint, JointKind, Law, Placement, Side, Turned, Turns,
};
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DVec3, Pose, real};
use dolmen::narrow_phase::Row;
use dolmen::world::{Body, BodyId, Cast, World};

fn world() -> (World, [BodyId; 2]) {
    let properties = || MassProperties::new(1.0, DVec3::ZERO, DMat3::IDENTITY).expect("a body");
    let mut cast = Cast::new();
    let a = cast.add(Body::dynamic(&properties()).named("a")).expect("a body");
    let b = cast.add(Body::dynamic(&properties()).named("b")).expect("a body");
    let world = World::new(cast).expect("a world");
    let ids = [world.id(a), world.id(b)];
    (world, ids)
}

/// The product of the distances of the points (1, 2, 3) of a and (−1, 0, 1) of b from the origin, with a part in time.
#[derive(Debug)]
struct Product;

impl Constraint for Product {
    fn value(&self, _: usize, a: &Pose, b: &Pose, t: f64) -> f64 {
        let (p, q) = (a.point(DVec3::new(1.0, 2.0, 3.0)), b.point(DVec3::new(-1.0, 0.0, 1.0)));
        p.dot(p) * q.dot(q) - 3.0 * t * t * p.x
    }

    fn row(&self, _: usize, a: &Pose, b: &Pose, t: f64) -> Row {
        let (p, q) = (a.point(DVec3::new(1.0, 2.0, 3.0)), b.point(DVec3::new(-1.0, 0.0, 1.0)));
        let (on_a, on_b) = (2.0 * p * q.dot(q) - 3.0 * t * t * DVec3::X, 2.0 * q * p.dot(p));
        Row {
            linear_a: on_a,
            angular_a: (p - a.position).cross(on_a),
            linear_b: on_b,
            angular_b: (q - b.position).cross(on_b),
        }
    }

    fn slip(&self, _: usize, a: &Pose, _: &Pose, t: f64) -> f64 {
        -6.0 * t * a.point(DVec3::new(1.0, 2.0, 3.0)).x
    }
}

fn kinds() -> Vec<JointKind> {
    let mut kinds = vec![
        JointKind::Ball,
        JointKind::Hinge,
        JointKind::Slider,
        JointKind::Cylindrical,
        JointKind::Universal,
        JointKind::Planar,
        JointKind::Weld,
        JointKind::Screw { pitch: -0.3 },
        JointKind::Rod { length: Some(0.7) },
        JointKind::Rope { length: Some(0.7), restitution: 0.5 },
        JointKind::PointOnLine,
        JointKind::PointOnPlane,
    ];
    for locked in 0..64u32 {
        kinds.push(JointKind::SixAxis { locked: std::array::from_fn(|i| locked >> i & 1 == 1) });
    }
    kinds
}

fn random_frame(random: &mut Random) -> Frame {
    Frame { point: random.vector(), turned: Turned::By(random.rotation()) }
}

fn sine() -> Course {
    Course::Sine { middle: 0.3, amplitude: 0.5, frequency: 0.4, phase: 0.2 }
}

/// Every control that the kind has room for, one joint for each.
fn controlled(kind: &JointKind) -> Vec<(Axis, Control)> {
    let locked = kind.locked();
    let free = Axis::SIX.into_iter().enumerate().filter(|(i, _)| !locked[*i]).map(|(_, axis)| axis);
    let has_distance = !matches!(kind, JointKind::Rod { .. });
    let screw = matches!(kind, JointKind::Screw { .. });
    let mut found = Vec::new();
    for axis in free.chain(has_distance.then_some(Axis::Distance)) {
        if screw && axis == Axis::Z {
            continue;
        }
        found.push((axis, Control::Limit { lower: -0.2, upper: 0.3, restitution: 0.1 }));
        found.push((axis, Control::Motion(sine())));
        found.push((axis, Control::Velocity { target: sine(), largest: 2.0 }));
        found.push((axis, Control::Friction(Friction { constant: 1.0, coefficient: 0.1, arm: 0.1 })));
    }
    found
}

fn fitted(kind: JointKind, control: Option<(Axis, Control)>, random: &mut Random) -> FittedJoint {
    let (world, [a, b]) = world();
    let placement = Placement::Each(random_frame(random), random_frame(random));
    let mut joint = Joint::new("joint", kind, Side::Body(a), Side::Body(b)).placed(placement);
    if let Some((axis, control)) = control {
        joint = joint.with(axis, control);
    }
    let joint = joint.within_cone(Cone { largest: 1.0, restitution: 0.0 });
    FittedJoint::fit(joint, world.members()).expect("a joint")
}

/// Compares every equation at t with differences; angles are followed without turns, so the motion must not cross a branch.
fn compare(joint: &FittedJoint, a: &Kinematics, b: &Kinematics, t: f64) {
    let turns = joint.remember(&joint.geometry(a, b), &Turns::default());
    let at = |dt: f64| -> Vec<Equation> {
        let mut equations = Vec::new();
        joint.equations((&later(a, dt), &later(b, dt)), t + dt, &turns, &mut equations);
        equations
    };
    for (i, equation) in at(0.0).iter().enumerate() {
        let jet = equation.jet;
        let (rate, curvature) = derivatives(&|dt| at(dt)[i].jet.value);
        if !(rate.is_useful() && curvature.is_useful()) {
            continue;
        }
        let what = (joint.joint().kind(), equation.axis, equation.law);
        // The value of a driven equation is its coordinate, its rate the difference from the target.
        let [speed, pull, _] = if let Law::Driven { .. } = equation.law { sine().at(t) } else { [0.0; 3] };
        rate.assert_near(jet.rate + speed, &what);
        curvature.assert_near(jet.curvature + pull, &what);
        // The row gives the rate, less that of a target in time.
        let motion = joint.joint().controls().iter().any(|(_, c)| matches!(c, Control::Motion(_)));
        let moves = motion
            && equation.law == Law::Equal
            && equation.axis == joint.joint().controls().first().map(|c| c.0);
        let target = if moves { sine().at(t)[1] } else { speed };
        let applied = jet.row.apply((a.twist.velocity, a.twist.spin), (b.twist.velocity, b.twist.spin));
        let scale = 1.0 + jet.rate.abs() + jet.row.angular_a.length() + jet.row.angular_b.length();
        assert!(
            (applied - target - jet.rate).abs() < 1e-13 * scale,
            "{what:?}: the row gives {applied}, the rate is {}",
            jet.rate
        );
    }
}

/// g, ġ and g̈ of every kind, free and controlled, in random motions: d/dt of the value, d²/dt² of the value.
#[test]
fn equations_are_the_derivatives_of_their_values() {
    let mut random = Random::new(1);
    for kind in kinds() {
        for control in std::iter::once(None).chain(controlled(&kind).into_iter().map(Some)) {
            let joint = fitted(kind.clone(), control, &mut random);
            compare(&joint, &random.body(), &random.body(), 0.1);
        }
    }
}

/// A user's constraint, its second derivative by differences of its row: good to 1e-9.
#[test]
fn a_users_constraint_is_differentiated_for_them() {
    let mut random = Random::new(2);
    for _ in 0..10 {
        let joint = fitted(JointKind::Own(Arc::new(Product)), None, &mut random);
        let (a, b) = (random.body(), random.body());
        let at = |dt: f64| {
            let mut equations = Vec::new();
            joint.equations((&later(&a, dt), &later(&b, dt)), 0.3 + dt, &Turns::default(), &mut equations);
            equations[0].jet
        };
        let (rate, curvature) = derivatives(&|dt| at(dt).value);
        rate.assert_near(at(0.0).rate, &"rate");
        curvature.assert_near(at(0.0).curvature, &"curvature");
    }
}

/// A pose of body a that satisfies a kind for given coordinates: R = Rx Ry Rz, r along the axes of frame b.
fn posed(joint: &FittedJoint, b: &Pose, way: DVec3, angles: [f64; 3]) -> Pose {
    use dolmen::math::DQuat;
    let [frame_a, frame_b] = joint.frames();
    let turn = DQuat::from_rotation_x(angles[0])
        * DQuat::from_rotation_y(angles[1])
        * DQuat::from_rotation_z(angles[2]);
    let at_b = b.orientation * frame_b.orientation;
    let orientation = (at_b * turn * frame_a.orientation.conjugate()).normalize();
    let point = b.point(frame_b.position) + at_b * way;
    Pose { position: point - orientation * frame_a.position, orientation }
}

/// The coordinates of a joint are what its pose was made with, and its equations vanish there, at any angle.
#[test]
fn coordinates_are_read_back_at_any_angle() {
    let mut random = Random::new(3);
    for kind in kinds() {
        if matches!(kind, JointKind::Rod { .. } | JointKind::Rope { .. }) {
            continue;
        }
        let locked = kind.locked();
        for _ in 0..20 {
            let joint = fitted(kind.clone(), None, &mut random);
            let (mut way, mut angles) = (random.vector(), [0.0; 3]);
            for k in 0..3 {
                let free_turns = locked[3..].iter().filter(|l| !**l).count();
                let reach = if k == 1 && free_turns == 3 { 1.5 } else { 3.1 };
                angles[k] = if locked[3 + k] { 0.0 } else { reach * random.number() };
                way[k] = if locked[k] { 0.0 } else { way[k] };
            }
            if let JointKind::Screw { pitch } = kind {
                way.z = pitch * (angles[2] / std::f64::consts::TAU + 7.0);
            }
            let mut b = random.body();
            b.pose.position *= 10.0;
            let mut a = random.body();
            a.pose = posed(&joint, &b.pose, way, angles);
            let geometry = joint.geometry(&a, &b);
            assert!(joint.is_upright(&geometry));
            for (k, axis) in Axis::SIX.into_iter().enumerate() {
                let found = joint.coordinate(&geometry, axis, &Turns { angles }).value;
                let bound = if k < 3 { 1e-13 } else { 1e-13 / real::cos(angles[1]).abs() };
                let wanted = if k < 3 { way[k] } else { angles[k - 3] };
                // Near ±90° of the middle angle the outer two lose digits as 1/cos β.
                assert!((found - wanted).abs() < bound, "{kind:?} {axis:?}: {found} for {wanted}");
            }
            let mut equations = Vec::new();
            joint.equations((&a, &b), 0.0, &Turns::default(), &mut equations);
            for equation in &equations {
                if equation.law == Law::Equal {
                    assert!(equation.jet.value.abs() < 1e-13, "{kind:?}: {}", equation.jet.value);
                }
            }
        }
    }
}

/// A hinge that turns many times counts its turns when it is asked often enough.
#[test]
fn turns_are_counted() {
    let mut random = Random::new(4);
    let joint = fitted(JointKind::Hinge, None, &mut random);
    let b = random.body();
    let mut turns = Turns::default();
    for i in 0..200 {
        let angle = 0.5 * f64::from(i);
        let mut a = random.body();
        a.pose = posed(&joint, &b.pose, DVec3::ZERO, [0.0, 0.0, angle]);
        turns = joint.remember(&joint.geometry(&a, &b), &turns);
        assert!((turns.angles[2] - angle).abs() < 1e-12 * (1.0 + angle), "{} for {angle}", turns.angles[2]);
    }
}

/// Springs and dampers: the force is minus the gradient of the potential, the power of the rest is force times rate.
#[test]
fn springs_pull_down_their_potential() {
    let mut random = Random::new(5);
    for axis in Axis::SIX.into_iter().chain([Axis::Distance]) {
        for _ in 0..5 {
            let spring = Control::Spring { stiffness: 3.0, rest: 0.2, damping: 0.7 };
            let joint = fitted(JointKind::SixAxis { locked: [false; 6] }, Some((axis, spring)), &mut random);
            let (a, b) = (random.body(), random.body());
            let turns = joint.remember(&joint.geometry(&a, &b), &Turns::default());
            let load = joint.load((&a, &b), 0.0, &turns);
            let power = load.on_a.force.dot(a.twist.velocity)
                + load.on_a.torque.dot(a.twist.spin)
                + load.on_b.force.dot(b.twist.velocity)
                + load.on_b.torque.dot(b.twist.spin);
            let at = |dt: f64| joint.load((&later(&a, dt), &later(&b, dt)), 0.0, &turns).potential;
            let (change, _) = derivatives(&at);
            if change.is_useful() {
                change.assert_near(load.power - power, &axis);
            }
            assert!(load.power <= 0.0, "a damper gives energy: {}", load.power);
            // Nothing from within moves the two together.
            let (force, torque) = (
                load.on_a.force + load.on_b.force,
                load.on_a.torque
                    + load.on_b.torque
                    + a.pose.position.cross(load.on_a.force)
                    + b.pose.position.cross(load.on_b.force),
            );
            assert!(force.length() < 1e-12 && torque.length() < 1e-11, "{force} {torque}");
        }
    }
}

/// Gears and racks: the equation of two coordinates on four bodies, by differences.
#[test]
fn couplings_are_the_derivatives_of_their_values() {
    let mut random = Random::new(6);
    for _ in 0..10 {
        let joints =
            [fitted(JointKind::Hinge, None, &mut random), fitted(JointKind::Slider, None, &mut random)];
        let bodies: Vec<Kinematics> = (0..4).map(|_| random.body()).collect();
        let frames = |dt: f64| -> [Geometry; 2] {
            let moved: Vec<Kinematics> = bodies.iter().map(|body| later(body, dt)).collect();
            [joints[0].geometry(&moved[0], &moved[1]), joints[1].geometry(&moved[2], &moved[3])]
        };
        let turns = [0, 1].map(|k| joints[k].remember(&frames(0.0)[k], &Turns::default()));
        let coupling = Coupling::rack_and_pinion("rack", "joint", "joint", 0.4);
        let coupling = Coupling { second: ("joint".to_owned(), Axis::TurnZ), ..coupling };
        let mut coupling =
            FittedCoupling::fit(coupling, &joints, |k| (frames(0.0)[k], turns[k])).expect("a coupling");
        coupling.joints = [0, 1];
        coupling.coupling.second.1 = Axis::Z;
        let at = |dt: f64| {
            let frames = frames(dt);
            coupling.equation(&joints, [(&frames[0], &turns[0]), (&frames[1], &turns[1])])
        };
        let (rate, curvature) = derivatives(&|dt| at(dt).value);
        let found = at(0.0);
        if !(rate.is_useful() && curvature.is_useful()) {
            continue;
        }
        rate.assert_near(found.rate, &"rate");
        curvature.assert_near(found.curvature, &"curvature");
        let twist = |k: usize| (bodies[k].twist.velocity, bodies[k].twist.spin);
        let applied = found.rows[0].apply(twist(0), twist(1)) + found.rows[1].apply(twist(2), twist(3));
        assert!((applied - found.rate).abs() < 1e-12, "{applied} {}", found.rate);
    }
}

/// Courses: each derivative is that of the one before, and a move begins and ends at rest.
#[test]
fn courses_are_smooth() {
    for course in [
        Course::Ramp { start: 1.0, rate: -2.0 },
        Course::Sine { middle: 0.3, amplitude: 0.5, frequency: 0.4, phase: 0.2 },
        Course::Move { from: 1.0, to: -3.0, times: [0.0, 2.0] },
    ] {
        let (rate, curvature) = derivatives(&|dt| course.at(0.7 + dt)[0]);
        let [_, first, second] = course.at(0.7);
        rate.assert_near(first, &course);
        curvature.assert_near(second, &course);
    }
    let way = Course::Move { from: 1.0, to: -3.0, times: [0.5, 2.0] };
    assert_eq!([way.at(0.5), way.at(2.0)], [[1.0, 0.0, 0.0], [-3.0, 0.0, 0.0]]);
}
