//! The pull between pairs of bodies, one by one or a tile of bodies at a time. Everything here is for G = 1.

use super::lanes::{LANES, Lanes};
use crate::math::DVec3;

/// Vectors of [`LANES`] bodies in a tile. The tile (4 KiB) stays in the first-level cache while other bodies pass;
/// twice or half of it costs the same within the noise.
const TILE: usize = 32;
/// Bodies in a tile.
pub(super) const TILE_BODIES: usize = TILE * LANES;

/// What a body feels: its acceleration and ψ = Σ m/s, minus the potential at it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull {
    pub(super) acceleration: DVec3,
    pub(super) psi: f64,
}

impl Pull {
    pub(super) const ZERO: Self = Self { acceleration: DVec3::ZERO, psi: 0.0 };

    #[inline]
    pub(super) fn add(&mut self, other: &Self) {
        self.acceleration += other.acceleration;
        self.psi += other.psi;
    }
}

/// `mass · value`, and zero for zero mass whatever the value.
#[inline]
pub(super) fn massive(mass: f64, value: f64) -> f64 {
    if mass == 0.0 { 0.0 } else { mass * value }
}

/// What two bodies do to each other, first to the first; `separation` = `r_a` − `r_b`.
#[inline]
pub(super) fn pair(separation: DVec3, mass_a: f64, mass_b: f64, softening_squared: f64) -> (Pull, Pull) {
    let inv_s = 1.0 / (separation.length_squared() + softening_squared).sqrt();
    let radial = inv_s * inv_s * inv_s;
    let pull = |mass: f64, sign: f64| match mass {
        0.0 => Pull::ZERO,
        _ => Pull { acceleration: separation * (sign * (mass * radial)), psi: mass * inv_s },
    };
    (pull(mass_b, -1.0), pull(mass_a, 1.0))
}

/// Up to [`TILE_BODIES`] bodies, one array per coordinate, and what they feel; a lane left over has no mass and
/// pulls nothing.
pub(super) struct Tile {
    /// Vectors in use.
    len: usize,
    x: [Lanes; TILE],
    y: [Lanes; TILE],
    z: [Lanes; TILE],
    mass: [Lanes; TILE],
    acceleration_x: [Lanes; TILE],
    acceleration_y: [Lanes; TILE],
    acceleration_z: [Lanes; TILE],
    psi: [Lanes; TILE],
}

impl Tile {
    /// A tile of no bodies.
    pub(super) fn new() -> Self {
        let zero = [Lanes::ZERO; TILE];
        Self {
            len: 0,
            x: zero,
            y: zero,
            z: zero,
            mass: zero,
            acceleration_x: zero,
            acceleration_y: zero,
            acceleration_z: zero,
            psi: zero,
        }
    }

    /// Takes up to [`TILE_BODIES`] bodies that feel nothing yet.
    pub(super) fn load(&mut self, positions: &[DVec3], masses: &[f64]) {
        self.len = positions.len().div_ceil(LANES);
        if let Some(last) = self.len.checked_sub(1) {
            self.mass[last] = Lanes::ZERO;
        }
        for (j, (position, mass)) in positions.iter().zip(masses).enumerate() {
            let (k, lane) = (j / LANES, j % LANES);
            self.x[k].0[lane] = position.x;
            self.y[k].0[lane] = position.y;
            self.z[k].0[lane] = position.z;
            self.mass[k].0[lane] = *mass;
        }
        self.acceleration_x[..self.len].fill(Lanes::ZERO);
        self.acceleration_y[..self.len].fill(Lanes::ZERO);
        self.acceleration_z[..self.len].fill(Lanes::ZERO);
        self.psi[..self.len].fill(Lanes::ZERO);
    }

    /// Lets the tile and one body outside it pull each other; returns what the body feels.
    pub(super) fn attract(&mut self, position: DVec3, mass: f64, softening_squared: f64) -> Pull {
        let [x, y, z] = position.to_array().map(Lanes::splat);
        let mass_i = Lanes::splat(mass);
        let softening_squared = Lanes::splat(softening_squared);
        let [mut pull_x, mut pull_y, mut pull_z, mut psi] = [Lanes::ZERO; 4];
        for k in 0..self.len.min(TILE) {
            let (dx, dy, dz) = (self.x[k] - x, self.y[k] - y, self.z[k] - z);
            let s2 = dx * dx + dy * dy + dz * dz + softening_squared;
            let inv_s = Lanes::splat(1.0) / s2.sqrt();
            let radial = inv_s * inv_s * inv_s;
            let on_i = (self.mass[k] * radial).where_massive(self.mass[k]);
            let on_j = (mass_i * radial).where_massive(mass_i);
            psi = psi + (self.mass[k] * inv_s).where_massive(self.mass[k]);
            pull_x = pull_x + on_i * dx;
            pull_y = pull_y + on_i * dy;
            pull_z = pull_z + on_i * dz;
            self.psi[k] = self.psi[k] + (mass_i * inv_s).where_massive(mass_i);
            self.acceleration_x[k] = self.acceleration_x[k] - on_j * dx;
            self.acceleration_y[k] = self.acceleration_y[k] - on_j * dy;
            self.acceleration_z[k] = self.acceleration_z[k] - on_j * dz;
        }
        Pull { acceleration: DVec3::new(pull_x.sum(), pull_y.sum(), pull_z.sum()), psi: psi.sum() }
    }

    /// What body `j` of the tile feels.
    #[inline]
    pub(super) fn pull(&self, j: usize) -> Pull {
        let (k, lane) = (j / LANES, j % LANES);
        let acceleration = DVec3::new(
            self.acceleration_x[k].0[lane],
            self.acceleration_y[k].0[lane],
            self.acceleration_z[k].0[lane],
        );
        Pull { acceleration, psi: self.psi[k].0[lane] }
    }
}
