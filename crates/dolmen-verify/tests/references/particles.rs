//! Particles that attract each other, by all pairs.

use dolmen::math::DVec3;
use dolmen::world::{ParticleSet, World};

use crate::extrapolate::State;

/// Masses, and positions before velocities, of all particles of a world.
pub(crate) fn start(world: &World) -> (Vec<f64>, State) {
    let all = |of: fn(&ParticleSet) -> &[DVec3]| -> State {
        world.sets().iter().flat_map(of).flat_map(dolmen::math::DVec3::to_array).collect()
    };
    let masses = world.sets().iter().flat_map(ParticleSet::masses).copied().collect();
    (masses, [all(ParticleSet::positions), all(ParticleSet::velocities)].concat())
}

/// A pair at the square of a distance: potential, and force by distance, both for unit masses.
pub(crate) type Law = fn(f64) -> (f64, f64);

/// Gravitation with G = 1, softened by 0.01: U = −1/s and F/d = −1/s³ with s² = d² + 1e-4.
pub(crate) fn softened(square: f64) -> (f64, f64) {
    let s = (square + 1e-4).sqrt();
    (-1.0 / s, -1.0 / (s * s * s))
}

/// Lennard-Jones with depth and length one, times S(x) = 1 − x⁵ (126 − 420 x + 540 x² − 315 x³ + 70 x⁴), x from 0 at 1.75 to 1 at 2.5.
pub(crate) fn lennard_jones(square: f64) -> (f64, f64) {
    const FROM: f64 = 1.75;
    const TO: f64 = 2.5;
    if square >= TO * TO {
        return (0.0, 0.0);
    }
    let r = square.sqrt();
    let inverse = 1.0 / (square * square * square);
    let (u, slope) = (4.0 * (inverse * inverse - inverse), 24.0 * (inverse - 2.0 * inverse * inverse) / r);
    if r <= FROM {
        return (u, -slope / r);
    }
    let x = (r - FROM) / (TO - FROM);
    let coefficients = [126.0, -420.0, 540.0, -315.0, 70.0];
    let (mut switch, mut switch_slope) = (1.0, 0.0);
    let mut power = x * x * x * x;
    for (k, c) in coefficients.iter().enumerate() {
        switch_slope -= c * (5 + k) as f64 * power;
        power *= x;
        switch -= c * power;
    }
    switch_slope /= TO - FROM;
    (u * switch, -(slope * switch + u * switch_slope) / r)
}

pub(crate) fn rates(law: Law, masses: &[f64], y: &[f64]) -> State {
    let n = masses.len();
    let (x, v) = y.split_at(3 * n);
    let mut accelerations = vec![DVec3::ZERO; n];
    for i in 0..n {
        for j in 0..i {
            let way = DVec3::from_slice(&x[3 * i..]) - DVec3::from_slice(&x[3 * j..]);
            let pull = law(way.length_squared()).1 * way;
            accelerations[i] += masses[j] * pull;
            accelerations[j] -= masses[i] * pull;
        }
    }
    v.iter().copied().chain(accelerations.iter().flat_map(dolmen::math::DVec3::to_array)).collect()
}

/// Kinetic and potential energy.
pub(crate) fn energy(law: Law, masses: &[f64], y: &[f64]) -> f64 {
    let n = masses.len();
    let (x, v) = y.split_at(3 * n);
    let mut sum = 0.0;
    for i in 0..n {
        sum += 0.5 * masses[i] * DVec3::from_slice(&v[3 * i..]).length_squared();
        for j in 0..i {
            let way = DVec3::from_slice(&x[3 * i..]) - DVec3::from_slice(&x[3 * j..]);
            sum += masses[i] * masses[j] * law(way.length_squared()).0;
        }
    }
    sum
}
