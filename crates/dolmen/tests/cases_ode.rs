//! Reference cases as plain equations: A23, A24, A25 and A27.

use dolmen::integrate::{Method, Ode, Settings, from_fn, solve, solve_to};
use dolmen::math::linear::{Matrix, RealLu};
use dolmen::math::real;

const G: f64 = 9.81;

fn tight() -> Settings {
    Settings { relative: 1e-14, compensated: true, ..Settings::default() }
}

/// A23, simple pendulum from the horizontal: twelve published digits at four times, and the period.
#[test]
fn a23_the_simple_pendulum_meets_its_closed_form() {
    // The angle from the hanging position; the bob is at (sin φ, −cos φ).
    let mut ode =
        from_fn(2, |_t, y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[y[1], -G * real::sin(y[0])]));
    let solution = solve(&mut ode, 0.0, &[-real::FRAC_PI_2, 0.0], 10.0, &tight()).unwrap();
    let references = [
        (1.0, 0.986291751132, -0.165010853126),
        (2.0, -0.793566195343, -0.608483930444),
        (5.0, -0.942305435044, -0.334754338414),
        (10.0, -0.275087462576, -0.961419205099),
        (2.36784194758, -1.0, 0.0),
    ];
    for (t, x, y) in references {
        let mut state = [0.0; 2];
        solution.at(t, &mut state);
        let (sin, cos) = real::sin_cos(state[0]);
        let error = (sin - x).abs().max((-cos - y).abs());
        println!("A23 at {t}: off by {error:.1e}");
        // Half a unit of the last digit printed.
        assert!(error < 1e-12, "t = {t}: ({sin}, {}), off by {error}", -cos);
    }
}

/// A24, double four-bar, by its reduced equation 3 φ̈ = 3.5 g sin φ.
#[test]
fn a24_the_double_four_bar_meets_its_reference() {
    let mut ode = from_fn(2, |_t, y: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(&[y[1], 3.5 / 3.0 * G * real::sin(y[0])]);
    });
    let solution = solve(&mut ode, 0.0, &[0.0, 1.0], 10.0, &tight()).unwrap();
    let references = [
        (1.0, -0.1950203019, -0.9807992057),
        (2.0, 0.0578157958, 0.9983272679),
        (5.0, -0.8113104610, -0.5846155454),
        (10.0, 0.3284581115, 0.9445185382),
    ];
    for (t, x, y) in references {
        let mut state = [0.0; 2];
        solution.at(t, &mut state);
        let (sin, cos) = real::sin_cos(state[0]);
        let error = (sin - x).abs().max((cos - y).abs());
        println!("A24 at {t}: off by {error:.1e}");
        assert!(error < 1e-10, "t = {t}: ({sin}, {cos}), off by {error}");
    }
    let (phi, rate) = (solution.end()[0], solution.end()[1]);
    let velocity = [rate * real::cos(phi), -rate * real::sin(phi)];
    assert!(
        (velocity[0] - 1.423051470).abs() < 1e-9 && (velocity[1] + 0.494868845).abs() < 1e-9,
        "{velocity:?}"
    );
}

/// A27, the baby boot: errors grow 7e6 times in 10 s, so 1e-9 of that growth is 7e-3; the default tolerance
/// does far better.
#[test]
fn a27_the_baby_boot_meets_its_reference() {
    let (inertia_bx, inertia_by, inertia_bz) = (2.5e-4, 5e-5, 2e-4);
    let (weight, swing) =
        (0.01 * 0.075 + 0.1 * 0.2, 5e-6 + inertia_bx + 0.01 * 0.075 * 0.075 + 0.1 * 0.2 * 0.2);
    let difference = inertia_bx - inertia_by;
    let mut ode = from_fn(4, |_t, y: &[f64], dy: &mut [f64]| {
        let (sin, cos) = real::sin_cos(y[1]);
        let coupling = 2.0 * difference * sin * cos * y[2] * y[3];
        dy.copy_from_slice(&[
            y[2],
            y[3],
            -(G * weight * real::sin(y[0]) - coupling) / (swing - difference * sin * sin),
            -difference * sin * cos * y[2] * y[2] / inertia_bz,
        ]);
    });
    let degree = real::PI / 180.0;
    let reference =
        [-61.312983340691 * degree, -929.47789677244 * degree, -6.7440081040646, -2.7795690128833];
    let methods = [(Method::Dop853, 1e-14), (Method::Adams { order: None }, 1e-14), (Method::Dop853, 1e-12)];
    for (method, relative) in methods {
        let settings = Settings { method: method.clone(), relative, ..tight() };
        let end = solve_to(&mut ode, 0.0, &[90.0 * degree, degree, 0.0, 0.0], 10.0, &settings).unwrap();
        let error = (0..4).fold(0.0, |worst: f64, i| worst.max((end.y[i] / reference[i] - 1.0).abs()));
        let (sin, cos) = real::sin_cos(end.y[1]);
        // The potential is zero at the start, and so is the energy.
        let energy = 0.5 * (swing - difference * sin * sin) * end.y[2] * end.y[2]
            + 0.5 * inertia_bz * end.y[3] * end.y[3]
            - G * weight * real::cos(end.y[0]);
        println!(
            "A27 by {} at {relative:.0e}: relative error {error:.1e}, energy {energy:.1e} J, cos {cos:.3}",
            method.name()
        );
        // 1e-12 grown 7e6 times and a decade for the sum over the steps.
        assert!(error < 7e7 * relative.max(1e-13), "{}: {error}", method.name());
        assert!(energy.abs() < 1e-10, "energy {energy} J");
    }
}

// ---- A25, Andrews' squeezer ----

const XA: [f64; 2] = [-0.06934, -0.00227];
const XB: [f64; 2] = [-0.03635, 0.03273];
const XC: [f64; 2] = [0.014, 0.072];
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const SS: f64 = 0.035;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;
const MASSES: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498];
const INERTIAS: [f64; 7] = [2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];

/// Angles that arms turn by: sums of the coordinates (b, th, g, ph, de, om, ep).
const B: &[usize] = &[0];
const B_TH: &[usize] = &[0, 1];
const GA: &[usize] = &[2];
const PH_DE: &[usize] = &[3, 4];
const DE: &[usize] = &[4];
const OM_EP: &[usize] = &[5, 6];
const EP: &[usize] = &[6];

/// An arm: a plane vector turned by the sum of some coordinates. A point is an anchor plus arms.
type Arm = (&'static [usize], [f64; 2]);

const CENTRES: [&[Arm]; 7] = [
    &[(B, [RA, 0.0])],
    &[(B, [RR, 0.0]), (B_TH, [-DA, 0.0])],
    &[(GA, [SB, -SA])],
    &[(DE, [ZT, 0.0]), (PH_DE, [0.0, EA - E])],
    &[(DE, [TA, TB])],
    &[(EP, [0.0, -U]), (OM_EP, [ZF - FA, 0.0])],
    &[(EP, [-UB, -UA])],
];
const TURNS: [&[usize]; 7] = [B, B_TH, GA, PH_DE, DE, OM_EP, EP];
const SPRING: &[Arm] = &[(GA, [SD, -SC])];
/// Three loops close: the arms sum to a fixed point.
const LOOPS: [(&[Arm], [f64; 2]); 3] = [
    (&[(B, [RR, 0.0]), (B_TH, [-D, 0.0]), (GA, [0.0, SS])], XB),
    (&[(B, [RR, 0.0]), (B_TH, [-D, 0.0]), (PH_DE, [0.0, E]), (DE, [-ZT, 0.0])], XA),
    (&[(B, [RR, 0.0]), (B_TH, [-D, 0.0]), (OM_EP, [-ZF, 0.0]), (EP, [0.0, U])], XA),
];

/// Where the arms lead, the Jacobian of that, and the part of its acceleration that velocities cause.
struct Reach {
    point: [f64; 2],
    jacobian: [[f64; 7]; 2],
    drift: [f64; 2],
}

fn reach(arms: &[Arm], q: &[f64], rates: &[f64]) -> Reach {
    let mut sum = Reach { point: [0.0; 2], jacobian: [[0.0; 7]; 2], drift: [0.0; 2] };
    for &(turn, arm) in arms {
        let (angle, spin) = turn.iter().fold((0.0, 0.0), |(a, s), &i| (a + q[i], s + rates[i]));
        let (sin, cos) = real::sin_cos(angle);
        let turned = [arm[0] * cos - arm[1] * sin, arm[0] * sin + arm[1] * cos];
        for axis in 0..2 {
            sum.point[axis] += turned[axis];
            // r̈ = α × r − ω² r.
            sum.drift[axis] -= spin * spin * turned[axis];
        }
        for &i in turn {
            sum.jacobian[0][i] -= turned[1];
            sum.jacobian[1][i] += turned[0];
        }
    }
    sum
}

/// M q̈ + Gᵀλ = Q, G q̈ = −Ġ q̇: the index-3 equations with the constraints differentiated twice.
struct Squeezer {
    projected: bool,
}

impl Squeezer {
    /// [M Gᵀ; G 0] and the right side of the accelerations.
    fn assemble(q: &[f64], rates: &[f64]) -> (Matrix, [f64; 13]) {
        let (mut matrix, mut right) = (Matrix::zeros(13, 13), [0.0; 13]);
        for body in 0..7 {
            let centre = reach(CENTRES[body], q, rates);
            for i in 0..7 {
                for axis in 0..2 {
                    right[i] -= MASSES[body] * centre.jacobian[axis][i] * centre.drift[axis];
                    for j in 0..7 {
                        matrix[(i, j)] += MASSES[body] * centre.jacobian[axis][i] * centre.jacobian[axis][j];
                    }
                }
            }
            for &i in TURNS[body] {
                for &j in TURNS[body] {
                    matrix[(i, j)] += INERTIAS[body];
                }
            }
        }
        right[0] += 0.033;
        let end = reach(SPRING, q, rates);
        let stretch = [XB[0] + end.point[0] - XC[0], XB[1] + end.point[1] - XC[1]];
        let length = (stretch[0] * stretch[0] + stretch[1] * stretch[1]).sqrt();
        for i in 0..7 {
            for axis in 0..2 {
                right[i] -= 4530.0 * (length - 0.07785) / length * stretch[axis] * end.jacobian[axis][i];
            }
        }
        for (k, (arms, _)) in LOOPS.iter().enumerate() {
            let closing = reach(arms, q, rates);
            for axis in 0..2 {
                let row = 7 + 2 * k + axis;
                right[row] = -closing.drift[axis];
                for i in 0..7 {
                    matrix[(row, i)] = closing.jacobian[axis][i];
                    matrix[(i, row)] = closing.jacobian[axis][i];
                }
            }
        }
        (matrix, right)
    }

    fn gaps(q: &[f64], rates: &[f64]) -> ([f64; 6], [f64; 6]) {
        let (mut open, mut opening) = ([0.0; 6], [0.0; 6]);
        for (k, (arms, target)) in LOOPS.iter().enumerate() {
            let closing = reach(arms, q, rates);
            for axis in 0..2 {
                open[2 * k + axis] = closing.point[axis] - target[axis];
                opening[2 * k + axis] = closing.jacobian[axis].iter().zip(rates).map(|(g, v)| g * v).sum();
            }
        }
        (open, opening)
    }
}

impl Ode for Squeezer {
    fn dim(&self) -> usize {
        14
    }

    fn rates(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (matrix, mut right) = Self::assemble(&y[..7], &y[7..]);
        let mut lu = RealLu::new(13);
        dy[..7].copy_from_slice(&y[7..]);
        match lu.factor(|i, j| matrix[(i, j)]) {
            Ok(()) => {
                lu.solve(&mut right);
                dy[7..].copy_from_slice(&right[..7]);
            }
            Err(_) => dy[7..].fill(f64::NAN),
        }
    }

    /// Angles near one, rates near a thousand: small components are no more exact than large ones.
    fn scales(&self, y0: &[f64], y1: &[f64], _rates0: &[f64], _h: f64, scale: &mut [f64]) {
        let largest = |part: std::ops::Range<usize>| {
            y0[part.clone()].iter().chain(&y1[part]).fold(0.0, |m: f64, v| m.max(v.abs()))
        };
        scale[..7].fill(largest(0..7));
        scale[7..].fill(largest(7..14));
    }

    /// Newton in the mass metric: first positions, then velocities.
    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        if !self.projected {
            return;
        }
        for round in 0..3 {
            let (open, opening) = Self::gaps(&y[..7], &y[7..]);
            let (matrix, _) = Self::assemble(&y[..7], &y[7..]);
            let mut lu = RealLu::new(13);
            if lu.factor(|i, j| matrix[(i, j)]).is_err() {
                return;
            }
            let mut right = [0.0; 13];
            right[7..].copy_from_slice(if round < 2 { &open } else { &opening });
            lu.solve(&mut right);
            let part = if round < 2 { &mut y[..7] } else { &mut y[7..] };
            for (value, correction) in part.iter_mut().zip(right) {
                *value -= correction;
            }
        }
        self.rates(t, y, dy);
    }
}

const SQUEEZER_START: [f64; 7] = [
    -0.0617138900142764,
    0.0,
    0.455279819163070,
    0.222668390165886,
    0.487364979543843,
    -0.222668390165886,
    1.23054744454982,
];

const SQUEEZER_END: [f64; 14] = [
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
    1139.920302151208,
    -1424.379294994111,
    11.03291221937134,
    19.29337464421385,
    0.5735699284790808,
    -19.29337464421385,
    0.3231791658026955,
];

/// A25: the first accelerations to all digits, and the end at 0.03 s to nine digits of each coordinate.
#[test]
fn a25_andrews_squeezer_meets_its_reference() {
    let mut start = [0.0; 14];
    start[..7].copy_from_slice(&SQUEEZER_START);
    let mut rates = [0.0; 14];
    Squeezer { projected: false }.rates(0.0, &start, &mut rates);
    println!("A25 first accelerations {} and {}", rates[7], rates[8]);
    assert!(
        (rates[7] / 14222.4439199541 - 1.0).abs() < 1e-11
            && (rates[8] / -10666.8329399656 - 1.0).abs() < 1e-11
    );
    for (projected, method) in [
        (true, Method::Dop853),
        (false, Method::Dop853),
        (true, Method::Adams { order: None }),
        (true, Method::Radau5),
    ] {
        let relative = if method == Method::Radau5 { 1e-9 } else { 1e-13 };
        let settings = Settings { method: method.clone(), relative, ..tight() };
        let end = solve_to(&mut Squeezer { projected }, 0.0, &start, 0.03, &settings).unwrap();
        let positions = (0..7).map(|i| (end.y[i] / SQUEEZER_END[i] - 1.0).abs()).fold(0.0, f64::max);
        let speeds = (7..14).map(|i| (end.y[i] / SQUEEZER_END[i] - 1.0).abs()).fold(0.0, f64::max);
        let gap = Squeezer::gaps(&end.y[..7], &end.y[7..]).0.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
        println!(
            "A25 by {}, projected {projected}: positions {positions:.1e}, rates {speeds:.1e}, open by {gap:.1e} m, {} steps",
            method.name(),
            end.statistics.steps
        );
        assert!(positions < 1e-8 && speeds < 1e-7, "{}: {positions}, {speeds}", method.name());
        assert!(!projected || gap < 1e-15, "open by {gap}");
    }
}
