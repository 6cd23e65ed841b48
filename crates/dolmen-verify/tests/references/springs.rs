//! Two blocks on springs under a shaken hook, in the wind: position, orientation, velocity, spin of each.

use dolmen::math::{DMat3, DQuat, DVec3, dvec3, real};

use crate::chain::G;
use crate::extrapolate::State;

struct Block {
    mass: f64,
    /// In its own axes.
    inertia: DVec3,
}

const BLOCKS: [Block; 2] = [
    Block { mass: 1.0, inertia: dvec3((0.04 + 0.01) / 12.0, (0.09 + 0.01) / 12.0, (0.09 + 0.04) / 12.0) },
    // A cylinder of radius 0.1 and length 0.3: m (3 r² + l²)/12 and m r²/2.
    Block { mass: 2.0, inertia: dvec3(0.02, 0.02, 0.01) },
];

/// Where springs are fastened, in the axes of their block.
const UPPER_ON_FIRST: DVec3 = dvec3(0.15, 0.1, 0.05);
const LOWER_ON_FIRST: DVec3 = dvec3(-0.15, -0.1, -0.05);
const LOWER_ON_SECOND: DVec3 = dvec3(0.0, 0.0, 0.15);

struct Pose {
    x: DVec3,
    q: DQuat,
    v: DVec3,
    spin: DVec3,
}

fn pose(y: &[f64], block: usize) -> Pose {
    let y = &y[13 * block..];
    Pose {
        x: DVec3::from_slice(y),
        q: DQuat::from_slice(&y[3..]).normalize(),
        v: DVec3::from_slice(&y[7..]),
        spin: DVec3::from_slice(&y[10..]),
    }
}

/// At rest, as the scene places them.
pub(crate) fn start() -> State {
    let rest = |x: DVec3| [x.x, x.y, x.z, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    [rest(dvec3(0.0, 0.0, 2.5)), rest(dvec3(0.2, 0.0, 2.0))].concat()
}

/// On the first end: along the line, by stretch and by the speed at which it grows.
fn pull((x_a, v_a): (DVec3, DVec3), (x_b, v_b): (DVec3, DVec3), (k, c, length): (f64, f64, f64)) -> DVec3 {
    let way = x_b - x_a;
    let distance = way.length();
    let along = way / distance;
    (k * (distance - length) + c * (v_b - v_a).dot(along)) * along
}

pub(crate) fn rates(t: f64, y: &[f64]) -> State {
    let (first, second) = (pose(y, 0), pose(y, 1));
    let turn = real::TAU * 1.2;
    let hook =
        (dvec3(0.1 * real::sin(turn * t), 0.0, 3.0), dvec3(0.1 * turn * real::cos(turn * t), 0.0, 0.0));
    let end = |pose: &Pose, at: DVec3| (pose.x + pose.q * at, pose.v + pose.spin.cross(pose.q * at));
    let length_at_start = |a: DVec3, b: DVec3| (a - b).length();
    let upper_length = length_at_start(dvec3(0.0, 0.0, 3.0), dvec3(0.0, 0.0, 2.5) + UPPER_ON_FIRST);
    let lower_length =
        length_at_start(dvec3(0.0, 0.0, 2.5) + LOWER_ON_FIRST, dvec3(0.2, 0.0, 2.0) + LOWER_ON_SECOND);
    let upper = pull(end(&first, UPPER_ON_FIRST), hook, (80.0, 0.3, upper_length));
    let lower = pull(end(&first, LOWER_ON_FIRST), end(&second, LOWER_ON_SECOND), (120.0, 0.2, lower_length));
    let loads = [vec![(upper, UPPER_ON_FIRST), (lower, LOWER_ON_FIRST)], vec![(-lower, LOWER_ON_SECOND)]];
    let mut all = State::new();
    for ((pose, block), loads) in [first, second].iter().zip(&BLOCKS).zip(&loads) {
        let u = pose.v - dvec3(0.0, 1.5, 0.0);
        let drag = -(0.05 + 0.1 * u.length()) * u;
        let force = loads.iter().map(|(f, _)| *f).sum::<DVec3>() + drag - block.mass * G * DVec3::Z;
        let torque = loads.iter().map(|(f, at)| (pose.q * *at).cross(*f)).sum::<DVec3>() - 0.002 * pose.spin;
        let turn = DMat3::from_quat(pose.q);
        let inertia = turn * DMat3::from_diagonal(block.inertia) * turn.transpose();
        let spin_rate = inertia.inverse() * (torque - pose.spin.cross(inertia * pose.spin));
        let q_rate = DQuat::from_xyzw(pose.spin.x, pose.spin.y, pose.spin.z, 0.0) * pose.q * 0.5;
        all.extend(pose.v.to_array());
        all.extend(q_rate.to_array());
        all.extend((force / block.mass).to_array());
        all.extend(spin_rate.to_array());
    }
    all
}
