//! Closed-form flight against an integration in double-double, and prescribed motion against finite differences.

use dolmen::body::{BodyState, Inertia};
use dolmen::math::double::Double;
use std::sync::Arc;

use dolmen::math::{DMat3, DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Flight, Motion, Path, Prescribed, TorqueFree};

/// Torque-free rotation by Taylor series of order 30 in double-double: with M the angular momentum in principal axes,
/// Ṁ = M × I⁻¹M and q̇ = ½ q (I⁻¹M), both bilinear, so that every coefficient follows from those before it.
struct Referee {
    inv_moments: [Double; 3],
    q: [Double; 4],
    m: [Double; 3],
}

const ORDER: usize = 30;
/// Some sixty roundings stand between the state that is given and the orientation that comes out.
const ROUNDINGS: f64 = 64.0;

impl Referee {
    fn new(moments: DVec3, q: DQuat, l: DVec3) -> Self {
        let q = [q.w, q.x, q.y, q.z].map(Double::from);
        let n = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
        let q = q.map(|c| c / n);
        let l = [0.0, l.x, l.y, l.z].map(Double::from);
        let turned = mul(mul([q[0], -q[1], -q[2], -q[3]], l), q);
        let inv_moments = moments.to_array().map(|i| Double::ONE / Double::from(i));
        Self { inv_moments, q, m: [turned[1], turned[2], turned[3]] }
    }

    fn step(&mut self, h: f64) {
        let zero = Double::ZERO;
        let (mut m, mut q) = (vec![[zero; 3]; ORDER + 1], vec![[zero; 4]; ORDER + 1]);
        (m[0], q[0]) = (self.m, self.q);
        for n in 0..ORDER {
            let (mut dm, mut dq) = ([zero; 3], [zero; 4]);
            for j in 0..=n {
                let w = [0, 1, 2].map(|k| m[n - j][k] * self.inv_moments[k]);
                let a = m[j];
                dm = [
                    dm[0] + (a[1] * w[2] - a[2] * w[1]),
                    dm[1] + (a[2] * w[0] - a[0] * w[2]),
                    dm[2] + (a[0] * w[1] - a[1] * w[0]),
                ];
                let p = mul(q[j], [zero, w[0], w[1], w[2]]);
                dq = [0, 1, 2, 3].map(|k| dq[k] + p[k]);
            }
            let inv = Double::ONE / Double::from((n + 1) as f64);
            m[n + 1] = dm.map(|c| c * inv);
            q[n + 1] = dq.map(|c| c * inv * Double::from(0.5));
        }
        let h = Double::from(h);
        self.m = [0, 1, 2].map(|k| m.iter().rev().fold(zero, |sum, c| sum * h + c[k]));
        self.q = [0, 1, 2, 3].map(|k| q.iter().rev().fold(zero, |sum, c| sum * h + c[k]));
    }

    fn advance(&mut self, duration: f64, spin: f64) {
        let steps = (duration * spin / 0.25).ceil().max(1.0);
        for _ in 0..steps as usize {
            self.step(duration / steps);
        }
    }

    fn orientation(&self) -> DQuat {
        DQuat::from_xyzw(self.q[1].value(), self.q[2].value(), self.q[3].value(), self.q[0].value())
    }
}

fn mul(p: [Double; 4], q: [Double; 4]) -> [Double; 4] {
    [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]
}

/// The angle between two orientations, up to the sign of the quaternion.
fn angle_between(p: DQuat, q: DQuat) -> f64 {
    let d = p.conjugate() * q;
    2.0 * dvec3(d.x, d.y, d.z).length()
}

/// The largest error over the duration, in units of ε(1 + ωt).
fn largest_error(moments: DVec3, q: DQuat, l: DVec3, duration: f64) -> f64 {
    let inertia = Inertia::principal(1.0, moments);
    let motion = TorqueFree::new(&inertia, q, l);
    let mut referee = Referee::new(moments, q, l);
    let spin = motion.spin_bound();
    let samples = 8;
    (1..=samples)
        .map(|i| {
            referee.advance(duration / f64::from(samples), spin);
            let t = duration * f64::from(i) / f64::from(samples);
            let error = angle_between(motion.orientation(t), referee.orientation());
            error / (f64::EPSILON * (1.0 + spin * t))
        })
        .fold(0.0, f64::max)
}

/// A handful of orientations and of directions of L: generic, along axes, in principal planes, all signs.
fn directions() -> Vec<(DQuat, DVec3)> {
    let mut all = Vec::new();
    let turns = [DQuat::IDENTITY, DQuat::from_scaled_axis(dvec3(0.3, -1.1, 2.0))];
    for q in turns {
        for x in [-1.0, 0.0] {
            for y in [-0.7, 0.0, 1.0] {
                for z in [-1.3, 0.0, 0.2] {
                    if x != 0.0 || y != 0.0 || z != 0.0 {
                        all.push((q, q * dvec3(x, y, z)));
                    }
                }
            }
        }
    }
    all
}

/// Closed form and extended precision agree to rounding, which grows as 1 + ωt, for every kind of inertia.
#[test]
fn torque_free_rotation_matches_extended_precision() {
    let bodies = [
        dvec3(1.0, 1.0, 1.0),
        dvec3(0.02, 0.04, 0.04),
        dvec3(0.04, 0.04, 0.07),
        dvec3(1.0, 2.0, 3.0),
        dvec3(0.141666666667, 0.683333333333, 0.808333333333),
        dvec3(0.808333333333, 0.683333333333, 0.141666666667),
        dvec3(2.0, 3.0, 1.0),
        dvec3(0.04, 0.02, 0.04),
        dvec3(1.0, 1.0 + 1e-9, 2.0),
        dvec3(1.0, 2.0 - 1e-12, 2.0),
        dvec3(1.0, 1.0 + 1e-7, 1.0 + 3e-7),
        dvec3(1.0, 1e3, 1e3 + 0.5),
        dvec3(1e-3, 1.0, 1.0 + 0.5e-3),
    ];
    let mut worst = (0.0, DVec3::ZERO, DVec3::ZERO);
    for moments in bodies {
        for (q, l) in directions() {
            let l = l * moments.x * 3.0;
            let error = largest_error(moments, q, l, 6.0);
            if error > worst.0 || error.is_nan() {
                worst = (error, moments, l);
            }
        }
    }
    assert!(worst.0 < ROUNDINGS, "error {:.1} ε(1+ωt) for moments {} and L {}", worst.0, worst.1, worst.2);
}

/// Nearly symmetric bodies with L nearly in the plane of their nearly equal axes: where the textbook form of χ loses ten
/// digits.
#[test]
fn nearly_symmetric_bodies_keep_their_digits() {
    let mut worst = (0.0, DVec3::ZERO, DVec3::ZERO);
    for gap in [1e-3, 1e-6, 1e-9, 1e-12, 4e-16] {
        for moments in [dvec3(1.0, 1.0 + gap, 2.0), dvec3(1.0, 2.0, 2.0 * (1.0 + gap))] {
            for tilt in [1.0, 1e-2, 1e-4, 1e-6, 1e-9, 1e-16] {
                for l in [
                    dvec3(1.0, 0.3, tilt),
                    dvec3(tilt, 0.3, 1.0),
                    dvec3(0.2, 1.0, tilt),
                    dvec3(tilt, 1.0, -0.4),
                ] {
                    let q = DQuat::from_scaled_axis(dvec3(0.3, -1.1, 2.0));
                    let error = largest_error(moments, q, q * (2.0 * l), 8.0);
                    if error > worst.0 || error.is_nan() {
                        worst = (error, moments, l);
                    }
                }
            }
        }
    }
    assert!(worst.0 < ROUNDINGS, "error {:.1} ε(1+ωt) for moments {} and L {}", worst.0, worst.1, worst.2);
}

/// Near and on the separatrix the period grows without bound and the closed form keeps its digits.
#[test]
fn separatrix_is_passed_without_loss() {
    let moments = dvec3(1.0, 2.0, 3.0);
    // L₁²(I₂−I₁)/I₁ = L₃²(I₃−I₂)/I₃ on the separatrix: L₃ = √3 L₁.
    let mut worst = (0.0, 0.0);
    for distance in [0.0, 1e-3, 1e-6, -1e-6, 1e-9, -1e-9, 1e-12, -1e-12, 1e-14, -1e-15] {
        for scale in [1.0, 1e-3, 1e-7] {
            let l = dvec3(0.5 * scale, 2.0, -3.0_f64.sqrt() * 0.5 * scale * (1.0 + distance));
            let q = DQuat::from_scaled_axis(dvec3(0.1, 0.7, -0.4));
            let error = largest_error(moments, q, q * l, 60.0);
            if error > worst.0 || error.is_nan() {
                worst = (error, distance);
            }
        }
    }
    assert!(worst.0 < ROUNDINGS, "error {:.1} ε(1+ωt) at relative distance {:e}", worst.0, worst.1);
}

/// Exactly on the separatrix (representable moments and momenta): the axis swings over once and never comes back.
#[test]
fn exact_separatrix_swings_over_once() {
    // I = 1, 2, 4 and L₁² = ½·L₃²... e₂ = L₁²(1−2)/1 + L₃²(4−2)/4 = −L₁² + L₃²/2 = 0 needs √2; with I = (1, 2, 8/3):
    // e₂ = −L₁² + L₃²(2/3)(3/8) = −L₁² + L₃²/4, zero for L₃ = 2L₁. 8/3 is not representable: use I = (3, 6, 8).
    let moments = dvec3(3.0, 6.0, 8.0);
    for (l1, l3) in [(0.5, 1.0), (-0.5, 1.0), (0.5, -1.0), (-0.5, -1.0)] {
        for l2 in [2.0, -2.0] {
            let error = largest_error(moments, DQuat::IDENTITY, dvec3(l1, l2, 2.0 * l3), 20.0);
            assert!(error < ROUNDINGS, "error {error:.1} ε(1+ωt) for L = ({l1}, {l2}, {})", 2.0 * l3);
        }
    }
}

/// Energy and angular momentum of a tumbling body over 1,000 s, to 1e-12.
#[test]
fn tumbling_keeps_energy_and_angular_momentum() {
    let inertia = Inertia::principal(10.0, dvec3(0.141666666667, 0.683333333333, 0.808333333333));
    let q = DQuat::from_scaled_axis(dvec3(0.2, 0.4, -0.3));
    let l = inertia.angular_momentum(&DMat3::from_quat(q), q * dvec3(0.1, 5.0, 0.1));
    let start = BodyState {
        position: DVec3::ZERO,
        orientation: q,
        momentum: dvec3(1.0, 2.0, 3.0),
        angular_momentum: l,
    };
    let flight = Flight::new(&inertia, &start, DVec3::ZERO, 0.0);
    let energy = start.kinetic_energy(&inertia);
    for i in 1..=1000 {
        let state = flight.state(f64::from(i));
        let error = (state.kinetic_energy(&inertia) - energy).abs() / energy;
        assert!(error < 1e-13, "energy is off by {error:e} at {i} s");
        assert_eq!(state.angular_momentum, l);
    }
}

/// A long flight: a million radians on, the error is what rounding of the phase allows.
#[test]
fn long_durations_lose_only_the_phase() {
    let moments = dvec3(1.0, 2.0, 3.0);
    let error = largest_error(moments, DQuat::IDENTITY, dvec3(3.0, 1.0, 2.0), 3000.0);
    assert!(error < 10.0, "error {error:.1} ε(1+ωt)");
}

/// Bounds enclose what they bound.
#[test]
fn flight_bounds_hold() {
    let inertia = Inertia::principal(2.0, dvec3(1.0, 2.0, 2.7));
    let start = BodyState {
        position: dvec3(1.0, 2.0, 3.0),
        orientation: DQuat::from_scaled_axis(dvec3(1.0, 0.0, 0.5)),
        momentum: dvec3(4.0, -1.0, 9.0),
        angular_momentum: dvec3(3.0, 4.0, -5.0),
    };
    let flight = Flight::new(&inertia, &start, dvec3(0.3, 0.0, -9.81), 0.5);
    for (a, b) in [(0.5, 0.6), (0.7, 3.0), (1.0, 1.0)] {
        let bounds = flight.bounds(a, b);
        for i in 0..=200 {
            let t = a + (b - a) * f64::from(i) / 200.0;
            let (pose, twist) = (flight.pose(t), flight.twist(t));
            let inside = pose.position.cmpge(bounds.centre.min - 1e-12).all()
                && pose.position.cmple(bounds.centre.max + 1e-12).all();
            assert!(inside, "{} not in {:?}", pose.position, bounds.centre);
            assert!(twist.velocity.length() <= bounds.speed * (1.0 + 1e-14));
            assert!(twist.spin.length() <= bounds.spin * (1.0 + 1e-14));
        }
    }
}

fn keyed_path() -> Path {
    let key = |x: f64, y: f64, turned: DVec3| Pose {
        position: dvec3(x, y, 0.3 * x * y),
        orientation: DQuat::from_scaled_axis(turned),
    };
    let poses = [
        key(0.0, 0.0, DVec3::ZERO),
        key(1.0, 0.5, dvec3(0.5, 0.9, 0.0)),
        key(1.5, -0.2, dvec3(0.9, 1.7, -0.4)),
        // The same rotation as its negative: the spline must not turn the long way round.
        Pose { position: dvec3(2.0, 1.0, 0.0), orientation: -DQuat::from_scaled_axis(dvec3(0.2, 2.0, -0.9)) },
    ];
    Path::new(&[1.0, 2.0, 2.7, 4.0], &poses).expect("a sound path")
}

fn prescribed_motions() -> Vec<Prescribed> {
    let pose =
        Pose { position: dvec3(1.0, 2.0, 3.0), orientation: DQuat::from_scaled_axis(dvec3(0.3, 0.1, 0.9)) };
    let twist = Twist { velocity: dvec3(0.3, -1.0, 2.0), spin: dvec3(1.0, 2.0, -0.5) };
    vec![
        Prescribed::Still(pose),
        Prescribed::Uniform { start: pose, twist },
        Prescribed::Oscillate {
            middle: pose,
            amplitude: dvec3(0.1, 0.2, -0.3),
            axis: dvec3(0.6, 0.0, 0.8),
            angle: 0.7,
            frequency: 1.3,
            phase: 0.2,
        },
        Prescribed::Path(Arc::new(keyed_path())),
    ]
}

/// Twist and acceleration are the derivatives of the pose and of the twist, by central differences.
#[test]
fn prescribed_motions_are_consistent() {
    let h = 1e-5;
    for motion in prescribed_motions() {
        for t in [0.4, 1.3, 2.2, 3.1, 3.9] {
            let (before, after) = (motion.pose(t - h), motion.pose(t + h));
            let (twist, (acceleration, spin_rate)) = (motion.twist(t), motion.acceleration(t));
            let velocity = (after.position - before.position) / (2.0 * h);
            let turned = (after.orientation * before.orientation.conjugate()).to_scaled_axis() / (2.0 * h);
            let (v, w) = (motion.twist(t - h), motion.twist(t + h));
            let errors = [
                velocity - twist.velocity,
                turned - twist.spin,
                (w.velocity - v.velocity) / (2.0 * h) - acceleration,
                (w.spin - v.spin) / (2.0 * h) - spin_rate,
            ];
            for error in errors {
                assert!(error.length() < 1e-6, "{motion:?} at {t}: off by {error}");
            }
        }
    }
}

/// Bounds enclose what they bound, and a path rests before its first and after its last key.
#[test]
fn prescribed_bounds_hold() {
    for motion in prescribed_motions() {
        for (t_a, t_b) in [(0.0, 5.0), (1.1, 1.2), (1.9, 2.8), (4.5, 6.0)] {
            let bounds = motion.bounds(t_a, t_b);
            for i in 0..=300 {
                let t = t_a + (t_b - t_a) * f64::from(i) / 300.0;
                let (pose, twist, (a, alpha)) = (motion.pose(t), motion.twist(t), motion.acceleration(t));
                let inside = pose.position.cmpge(bounds.centre.min - 1e-12).all()
                    && pose.position.cmple(bounds.centre.max + 1e-12).all();
                assert!(inside, "{motion:?} at {t}: {} not in {:?}", pose.position, bounds.centre);
                let pairs = [(twist.velocity, bounds.speed), (twist.spin, bounds.spin)];
                for (value, bound) in
                    pairs.into_iter().chain([(a, bounds.acceleration), (alpha, bounds.spin_rate)])
                {
                    assert!(
                        value.length() <= bound * (1.0 + 1e-12),
                        "{motion:?} at {t}: {value} over {bound}"
                    );
                }
            }
        }
    }
    let path = keyed_path();
    assert_eq!((path.twist(0.5), path.twist(4.5)), (Twist::ZERO, Twist::ZERO));
}

/// Paths that cannot be followed are refused with the key that is wrong.
#[test]
fn wrong_paths_are_refused() {
    let still = Pose::IDENTITY;
    let turned = Pose { orientation: DQuat::from_rotation_x(3.0), ..still };
    let message = |times: &[f64], poses: &[Pose]| Path::new(times, poses).expect_err("a refusal").to_string();
    insta::assert_snapshot!(message(&[0.0], &[still]), @"a path has 1 key frames; it needs at least 2");
    insta::assert_snapshot!(message(&[0.0, 1.0], &[still]), @"a path has 2 times but poses has 1 entries; give one per time");
    insta::assert_snapshot!(message(&[0.0, 0.0], &[still, still]), @"times of a path must increase: number 1 is 0 s after 0 s; sort them");
    insta::assert_snapshot!(message(&[0.0, f64::NAN], &[still, still]), @"a time of a path is not a finite number; give a finite one");
    insta::assert_snapshot!(message(&[0.0, 1.0], &[still, turned]), @"key orientations 0 and 1 of a path are 172° apart; at most 120° is clear: add one between");
}
