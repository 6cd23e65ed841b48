//! Chains in a vertical plane by the absolute angles of their links: no constraint but those that are asked for.

use dolmen::math::real;

use crate::extrapolate::{State, solve};

pub(crate) const G: f64 = 9.81;

/// A link: from joint to joint, from its upper joint to its centre, mass, moment of inertia across the plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub(crate) length: f64,
    pub(crate) centre: f64,
    pub(crate) mass: f64,
    pub(crate) inertia: f64,
}

/// A bar with a rectangle as its side.
pub(crate) fn bar(length: f64, (long, high): (f64, f64), mass: f64) -> Link {
    Link { length, centre: 0.5 * length, mass, inertia: mass * (long * long + high * high) / 12.0 }
}

/// Angles (from x towards z) and their rates → rates.
///
/// Kinetic energy ½ Σ Mᵢⱼ cos(φᵢ − φⱼ) φ̇ᵢ φ̇ⱼ with Mᵢⱼ = Σₖ mₖ aₖᵢ aₖⱼ + Jᵢ δᵢⱼ, where aₖⱼ is how far the centre of k goes along link j:
/// Σⱼ Mᵢⱼ (cos(φᵢ − φⱼ) φ̈ⱼ + sin(φᵢ − φⱼ) φ̇ⱼ²) = −g cos φᵢ Σₖ mₖ aₖᵢ + λ ∂x/∂φᵢ. With `is_held` the end of the chain stays at its
/// x, by the force λ.
pub(crate) fn rates(links: &[Link], y: &[f64], is_held: bool) -> State {
    let n = links.len();
    let (angles, speeds) = y.split_at(n);
    let along = |k: usize, j: usize| match j.cmp(&k) {
        std::cmp::Ordering::Less => links[j].length,
        std::cmp::Ordering::Equal => links[k].centre,
        std::cmp::Ordering::Greater => 0.0,
    };
    let size = n + usize::from(is_held);
    let (mut a, mut b) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    for i in 0..n {
        for j in 0..n {
            let mut m: f64 = (0..n).map(|k| links[k].mass * along(k, i) * along(k, j)).sum();
            if i == j {
                m += links[i].inertia;
            }
            let (sin, cos) = real::sin_cos(angles[i] - angles[j]);
            a[i][j] = m * cos;
            b[i] -= m * sin * speeds[j] * speeds[j];
        }
        b[i] -= G * real::cos(angles[i]) * (0..n).map(|k| links[k].mass * along(k, i)).sum::<f64>();
    }
    if is_held {
        for i in 0..n {
            let (sin, cos) = real::sin_cos(angles[i]);
            let slope = -links[i].length * sin;
            (a[i][n], a[n][i]) = (-slope, slope);
            b[n] += links[i].length * cos * speeds[i] * speeds[i];
        }
    }
    let accelerations = solve(a, b);
    speeds.iter().chain(&accelerations[..n]).copied().collect()
}

/// Where the centre of a link is, from the pivot (x, z).
pub(crate) fn centre(links: &[Link], y: &[f64], link: usize) -> (f64, f64) {
    let way = |j: usize| if j == link { links[j].centre } else { links[j].length };
    (0..=link).fold((0.0, 0.0), |(x, z), j| {
        let (sin, cos) = real::sin_cos(y[j]);
        (x + way(j) * cos, z + way(j) * sin)
    })
}

/// And how fast it is.
pub(crate) fn velocity(links: &[Link], y: &[f64], link: usize) -> (f64, f64) {
    let n = links.len();
    let way = |j: usize| if j == link { links[j].centre } else { links[j].length };
    (0..=link).fold((0.0, 0.0), |(x, z), j| {
        let (sin, cos) = real::sin_cos(y[j]);
        (x - way(j) * sin * y[n + j], z + way(j) * cos * y[n + j])
    })
}
