//! Mechanisms of CASES.md simulated by the reference: what the equations and their solution are good for.

use super::described::{Maker, bar, body, squeezer};
use super::reference::Mechanism;
use dolmen::integrate::{Settings, from_fn, solve_to};
use dolmen::joint::{Frame, JointKind, Placement};
use dolmen::math::{DQuat, DVec3, dvec3, real};

fn tight() -> Settings {
    Settings { relative: 1e-12, absolute: 1e-14, ..Settings::default() }
}

impl Maker {
    fn mechanism(self, gravity: DVec3) -> Mechanism {
        Mechanism::new(self.joined(gravity))
    }
}

fn report(name: &str, error: f64, mechanism: &Mechanism, energy: f64) {
    println!(
        "{name}: error {error:.2e}, energy {energy:.2e}, drift before each correction {:.1e} and {:.1e}, {} steps",
        mechanism.drift[0], mechanism.drift[1], mechanism.steps
    );
}

/// A22: a physical pendulum on a hinge against its closed form, with the force of the pin.
#[test]
fn a_pendulum_on_a_hinge_swings_as_its_closed_form() {
    let mut maker = Maker::new();
    maker.add(body(1.0, dvec3(0.04, 0.1, 0.1), "bob").centred_at(dvec3(2.0, 0.0, 0.0), DQuat::IDENTITY));
    maker.join("pin", JointKind::Hinge, [Some("bob"), None], DVec3::ZERO, DVec3::Y);
    let mut mechanism = maker.mechanism(dvec3(0.0, 0.0, -9.80665));
    let wanted = [
        (1.06, -1.18441421568, -1.61157158255, 2.7765673192, Some((13.6965531003, 18.8753828274))),
        (2.06, -1.90042375488, -0.623209075588, -1.72663401309, None),
        (4.16, 0.478652099103, -1.94187851526, 3.04785593905, Some((-6.66960475604, 27.2975912289))),
        (5.0, -1.99968386888, -0.0355587475452, 0.412436065475, None),
    ];
    let (mut worst, mut at, start) = (0.0_f64, 0, mechanism.energy(0.0));
    let mut energy = 0.0_f64;
    mechanism.run(&tight(), &wanted.map(|w| w.0), |mechanism, t| {
        let (_, x, z, spin, force) = wanted[at];
        let centre = mechanism.state("bob").position;
        worst = worst.max((centre - dvec3(x, 0.0, z)).length()).max((mechanism.spin("bob").y - spin).abs());
        if let Some((x, z)) = force {
            let reaction = mechanism.reaction("pin", t).force;
            worst = worst.max(0.1 * (reaction - dvec3(x, 0.0, z)).length());
        }
        energy = energy.max((mechanism.energy(t) - start).abs());
        at += 1;
    });
    report("A22 pendulum", worst, &mechanism, energy);
    assert!(worst < 1e-9 && energy < 1e-9, "{worst} {energy}");
}

/// A23: a point mass (a small heavy ball) on a rod of 1 m.
#[test]
fn a_mass_on_a_rod_swings_as_a_simple_pendulum() {
    let mut maker = Maker::new();
    let place = dvec3(-1.0, 0.0, 0.0);
    maker.add(body(1.0, DVec3::splat(1e-3), "bob").centred_at(place, DQuat::IDENTITY));
    maker.join("rod", JointKind::Rod { length: Some(1.0) }, [Some("bob"), None], DVec3::ZERO, DVec3::Z);
    maker.placed(Placement::Each(Frame::at(DVec3::ZERO), Frame::at(DVec3::ZERO)));
    let mut mechanism = maker.mechanism(dvec3(0.0, -9.81, 0.0));
    let wanted = [
        (1.0, 0.986291751132, -0.165010853126),
        (2.0, -0.793566195343, -0.608483930444),
        (5.0, -0.942305435044, -0.334754338414),
        (10.0, -0.275087462576, -0.961419205099),
    ];
    let (mut worst, mut at, start) = (0.0_f64, 0, mechanism.energy(0.0));
    let mut energy = 0.0_f64;
    mechanism.run(&tight(), &wanted.map(|w| w.0), |mechanism, t| {
        let (_, x, y) = wanted[at];
        worst = worst.max((mechanism.state("bob").position - dvec3(x, y, 0.0)).length());
        energy = energy.max((mechanism.energy(t) - start).abs());
        at += 1;
    });
    report("A23 simple pendulum", worst, &mechanism, energy);
    assert!(worst < 1e-9 && energy < 1e-9, "{worst} {energy}");
}

/// A24: the double four-bar against its reduced equation, through its folded configurations; redundant in space.
#[test]
fn the_double_four_bar_passes_its_singular_configurations() {
    let mut maker = Maker::new();
    let (foot, top) = (|i: i32| dvec3(f64::from(i), 0.0, 0.0), |i: i32| dvec3(f64::from(i), 1.0, 0.0));
    for i in 0..3 {
        let upright = format!("up{i}");
        maker.add(bar(&upright, foot(i), top(i)).moving(dvec3(0.5, 0.0, 0.0), dvec3(0.0, 0.0, -1.0)));
        maker.join(&format!("foot{i}"), JointKind::Hinge, [Some(&upright), None], foot(i), DVec3::Z);
    }
    for i in 0..2 {
        let coupler = format!("over{i}");
        maker.add(bar(&coupler, top(i), top(i + 1)).moving(DVec3::X, DVec3::ZERO));
        for end in [i, i + 1] {
            let name = format!("top{i}{end}");
            let upright = format!("up{end}");
            maker.join(&name, JointKind::Hinge, [Some(&coupler), Some(&upright)], top(end), DVec3::Z);
        }
    }
    let mut mechanism = maker.mechanism(dvec3(0.0, -9.81, 0.0));
    let wanted = [
        (1.0, -0.1950203019, -0.9807992057),
        (2.0, 0.0578157958, 0.9983272679),
        (5.0, -0.8113104610, -0.5846155454),
        (10.0, 0.3284581115, 0.9445185382),
    ];
    let (mut worst, mut at, start) = (0.0_f64, 0, mechanism.energy(0.0));
    let mut energy = 0.0_f64;
    mechanism.run(&tight(), &wanted.map(|w| w.0), |mechanism, t| {
        let (_, x, y) = wanted[at];
        let error = (mechanism.point("up0", dvec3(0.5, 0.0, 0.0)) - dvec3(x, y, 0.0)).length();
        println!("A24 at {t}: {error:.2e}");
        worst = worst.max(error);
        energy = energy.max((mechanism.energy(t) - start).abs());
        at += 1;
    });
    report("A24 double four-bar", worst, &mechanism, energy);
    // The case asks for 1e-6; energy is measured by its scale of 50 J.
    assert!(worst < 1e-7 && energy < 50.0 * 1e-9, "{worst} {energy}");
}

/// A26: Bricard's over-constrained loop, one degree of freedom where counting leaves none.
#[test]
fn bricards_mechanism_moves() {
    let points = [
        dvec3(0.0, 0.0, 0.0),
        dvec3(1.0, 0.0, 0.0),
        dvec3(1.0, -1.0, 0.0),
        dvec3(1.0, -1.0, 1.0),
        dvec3(0.0, -1.0, 1.0),
        dvec3(0.0, 0.0, 1.0),
    ];
    let axes = [DVec3::Y, DVec3::Z, DVec3::X, DVec3::Y, DVec3::Z, DVec3::X];
    let mut maker = Maker::new();
    for i in 0..5 {
        let turn = DQuat::from_rotation_arc(DVec3::X, points[i + 1] - points[i]);
        let moments = dvec3(0.02 / 12.0, 1.01 / 12.0, 1.01 / 12.0);
        maker.add(body(1.0, moments, &format!("bar{i}")).centred_at(0.5 * (points[i] + points[i + 1]), turn));
    }
    for (i, (point, axis)) in points.iter().zip(axes).enumerate() {
        let (before, after) = (format!("bar{}", i.wrapping_sub(1)), format!("bar{i}"));
        let sides = match i {
            0 => [Some(&after[..]), None],
            5 => [Some(&before[..]), None],
            _ => [Some(&after[..]), Some(&before[..])],
        };
        maker.join(&format!("pin{i}"), JointKind::Hinge, sides, *point, axis);
    }
    let mut mechanism = maker.mechanism(dvec3(0.0, -9.81, 0.0));
    let wanted = [
        (1.0, dvec3(0.51050, -1.64917, 0.14012)),
        (2.0, dvec3(-0.96934, -1.22125, 0.75428)),
        (4.0, dvec3(0.52490, -1.64388, 0.14884)),
        (5.0, dvec3(1.0, -1.00007, 0.99993)),
        (7.0, dvec3(-0.97137, -1.21454, 0.76244)),
        (10.0, dvec3(1.0, -1.00027, 0.99973)),
    ];
    let (mut worst, mut at, start) = (0.0_f64, 0, mechanism.energy(0.0));
    let mut energy = 0.0_f64;
    mechanism.run(&tight(), &wanted.map(|w| w.0), |mechanism, t| {
        let end = mechanism.point("bar2", dvec3(0.5, 0.0, 0.0));
        worst = worst.max((end - wanted[at].1).abs().max_element());
        energy = energy.max((mechanism.energy(t) - start).abs());
        assert!(!mechanism.last.expect("a solution").is_unique, "the loop is redundant");
        at += 1;
    });
    report("A26 Bricard", worst, &mechanism, energy);
    // The reference has five digits, its own error 2e-6.
    assert!(worst < 1.2e-5 && energy < 1e-8, "{worst} {energy}");
}

/// A25: Andrews' squeezer against the end of the published run.
#[test]
fn andrews_squeezer_ends_where_it_is_known_to() {
    let mut mechanism = squeezer().mechanism(DVec3::ZERO);
    let before = mechanism.energy(0.0);
    let wanted = [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ];
    let mut worst = 0.0_f64;
    let mut energy = 0.0;
    mechanism.run(&tight(), &[0.03], |mechanism, t| {
        let [b, th, g, ph, de, om, ep] = wanted;
        for (i, angle) in [b, b + th, g, ph + de, de, om + ep, ep].into_iter().enumerate() {
            let q = mechanism.state(&format!("k{}", i + 1)).orientation;
            let apart = (2.0 * real::atan2(q.z, q.w) - angle).rem_euclid(std::f64::consts::TAU);
            worst = worst.max(apart.min(std::f64::consts::TAU - apart));
        }
        let spins = [1139.920302151208, 1139.920302151208 - 1424.379294994111, 11.03291221937134];
        for (i, spin) in spins.into_iter().enumerate() {
            let found = mechanism.spin(&format!("k{}", i + 1)).z;
            worst = worst.max((found - spin).abs() / 1139.9);
        }
        energy = mechanism.energy(t) - before - mechanism.work;
    });
    report("A25 Andrews' squeezer", worst, &mechanism, energy);
    // The case is known to nine digits of angles that turn by 16 rad.
    assert!(worst < 2e-8, "{worst}");
    assert!(energy.abs() < 1e-9, "{energy}");
}

/// The double pendulum from (60°, 60°) in space coordinates and in its two angles.
#[test]
fn a_double_pendulum_follows_its_reduced_equations() {
    let (length, inertia, g) = (1.0, 1.0 / 12.0, 9.81);
    let turn = std::f64::consts::FRAC_PI_3;
    let along = |angle: f64| dvec3(real::sin(angle), -real::cos(angle), 0.0);
    let (knee, end) = (length * along(turn), 2.0 * length * along(turn));
    let mut maker = Maker::new();
    for (name, from, to) in [("upper", DVec3::ZERO, knee), ("lower", knee, end)] {
        let bar = body(1.0, dvec3(inertia, 1e-3, inertia), name);
        maker.add(bar.centred_at(0.5 * (from + to), DQuat::from_rotation_z(turn)));
    }
    maker.join("shoulder", JointKind::Hinge, [Some("upper"), None], DVec3::ZERO, DVec3::Z);
    maker.join("elbow", JointKind::Hinge, [Some("lower"), Some("upper")], knee, DVec3::Z);
    let mut mechanism = maker.mechanism(dvec3(0.0, -g, 0.0));
    // T = ½(I₁ + m l²)α̇² + ½ I₂ β̇² + m l c cos(α − β) α̇ β̇ with the centre at c = l/2, I₁ = I + m c², I₂ the same.
    let c = 0.5 * length;
    let (first, second, mixed) = (inertia + c * c + length * length, inertia + c * c, length * c);
    let mut reduced = from_fn(4, move |_, y: &[f64], dy: &mut [f64]| {
        let (a, b, u, v) = (y[0], y[1], y[2], y[3]);
        let (s, k) = real::sin_cos(a - b);
        let right =
            [-mixed * s * v * v - g * (c + length) * real::sin(a), mixed * s * u * u - g * c * real::sin(b)];
        let off = mixed * k;
        let det = first * second - off * off;
        dy.copy_from_slice(&[
            u,
            v,
            (second * right[0] - off * right[1]) / det,
            (first * right[1] - off * right[0]) / det,
        ]);
    });
    let times: Vec<f64> = (1..=10).map(f64::from).collect();
    let (mut worst, mut energy, start) = (0.0_f64, 0.0_f64, mechanism.energy(0.0));
    mechanism.run(&tight(), &times, |mechanism, t| {
        let settings = Settings { relative: 1e-13, absolute: 1e-14, ..Settings::default() };
        let y = solve_to(&mut reduced, 0.0, &[turn, turn, 0.0, 0.0], t, &settings).expect("an end").y;
        let wanted = length * along(y[0]) + length * along(y[1]);
        let found = mechanism.point("lower", dvec3(0.0, -c, 0.0));
        worst = worst.max((found - wanted).length());
        energy = energy.max((mechanism.energy(t) - start).abs());
    });
    report("double pendulum", worst, &mechanism, energy);
    assert!(worst < 1e-8 && energy < 1e-9, "{worst} {energy}");
}

/// A27: Kane's boot, two hinges at right angles, unstable: errors grow seven million times in 10 s. The plate turns two and a
/// half times, which its hinge has to count.
#[test]
fn the_chaotic_boot_keeps_its_digits_and_its_turns() {
    let degree = std::f64::consts::PI / 180.0;
    let (turn, tilt) = (DQuat::from_rotation_x(90.0 * degree), DQuat::from_rotation_z(degree));
    let mut maker = Maker::new();
    let arm = body(0.01, DVec3::splat(5e-6), "arm");
    maker.add(arm.centred_at(turn * dvec3(0.0, 0.0, -0.075), turn));
    let plate = body(0.1, dvec3(2.5e-4, 5e-5, 2e-4), "plate");
    maker.add(plate.centred_at(turn * dvec3(0.0, 0.0, -0.2), turn * tilt));
    maker.join("arm", JointKind::Hinge, [Some("arm"), None], DVec3::ZERO, DVec3::X);
    maker.join("plate", JointKind::Hinge, [Some("plate"), Some("arm")], DVec3::ZERO, turn * DVec3::Z);
    let mut mechanism = maker.mechanism(dvec3(0.0, 0.0, -9.81));
    let (mut worst, mut energy, start) = (0.0_f64, 0.0, mechanism.energy(0.0));
    let times: Vec<f64> = (1..=100).map(|i| 0.1 * f64::from(i)).collect();
    mechanism.run(&tight(), &times, |mechanism, t| {
        if t < 9.99 {
            return;
        }
        // Angles are counted from the start.
        let (arm, plate) =
            (90.0 * degree + mechanism.turns[0].angles[2], degree + mechanism.turns[1].angles[2]);
        worst = worst.max((arm + 61.312983340691 * degree).abs());
        worst = worst.max((plate + 929.47789677244 * degree).abs());
        energy = mechanism.energy(t) - start;
    });
    report("A27 chaotic boot", worst, &mechanism, energy);
    // As a mechanism at this tolerance the case gives 1e-5.
    assert!(worst < 1e-5 && energy.abs() < 1e-11, "{worst} {energy}");
}

/// A hanging chain of 100 links carries in each joint exactly the weight below it, with a last link as heavy as the rest, and a
/// million times as heavy.
#[test]
fn a_hanging_chain_carries_the_weight_below() {
    for last in [1.0, 1e6] {
        let (links, g) = (100, 9.81);
        let mass = |i: usize| if i + 1 == links { last } else { 1.0 };
        let mut maker = Maker::new();
        for i in 0..links {
            let height = -(i as f64) - 0.5;
            let moments = DVec3::splat(0.1 * mass(i));
            maker.add(
                body(mass(i), moments, &format!("l{i:03}"))
                    .centred_at(dvec3(0.0, 0.0, height), DQuat::IDENTITY),
            );
            let (own, above) = (format!("l{i:03}"), format!("l{:03}", i.wrapping_sub(1)));
            let sides = [Some(&own[..]), (i > 0).then_some(&above[..])];
            maker.join(&format!("j{i:03}"), JointKind::Ball, sides, dvec3(0.0, 0.0, -(i as f64)), DVec3::Z);
        }
        let mut mechanism = maker.mechanism(dvec3(0.0, 0.0, -g));
        for i in (0..links).step_by(9) {
            let below: f64 = (i..links).map(mass).sum::<f64>() * g;
            let reaction = mechanism.reaction(&format!("j{i:03}"), 0.0).force;
            let error = (reaction - dvec3(0.0, 0.0, below)).length() / below;
            assert!(error < 1e-9, "joint {i}: {reaction} for {below}, {error:.1e}");
        }
    }
}
