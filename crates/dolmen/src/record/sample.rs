//! Everything about one instant, and how well its energy adds up.

use serde::{Deserialize, Serialize};

use crate::math::{DVec3, Pose, Twist};
use crate::world::World;

/// The energy of a world and the work that changed it, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy of gravity and of every force that has a potential.
    pub potential: f64,
    /// Work done since the start by forces without a potential, and by the drives of kinematic bodies.
    pub work: f64,
    /// Lost in collisions since the start, along the normals: −½ Σ j·(v⁻ + v⁺).
    pub collisions: f64,
    /// Lost to friction since the start, in collisions and while sliding.
    pub friction: f64,
    /// Taken out where series of bounces were closed and states projected onto contacts.
    pub closing: f64,
}

impl Ledger {
    /// Kinetic and potential energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Everything that was lost, J.
    pub fn lost(&self) -> f64 {
        self.collisions + self.friction + self.closing
    }
}

/// The state of a world at an instant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Time, s.
    pub t: f64,
    /// Pose and twist of every body, by id.
    pub bodies: Vec<(Pose, Twist)>,
    /// Positions and velocities of every particle set, by id.
    pub sets: Vec<(Vec<DVec3>, Vec<DVec3>)>,
    /// Energy and work.
    pub ledger: Ledger,
    /// Total linear momentum, kg·m/s.
    pub momentum: DVec3,
    /// Total angular momentum about the origin, kg·m²/s.
    pub angular_momentum: DVec3,
    /// How far the carried orientation of every body is from a rotation, by id: ||q| − 1|, or the largest entry of R Rᵀ − 1. Empty where
    /// no orientation is integrated. [NOTES I; SLIDES]
    pub drifts: Vec<f64>,
}

impl Sample {
    /// What is not finite, if anything is: the quantity and whose it is.
    pub fn not_finite(&self, world: &World) -> Option<String> {
        for (id, (pose, twist)) in world.body_ids().zip(&self.bodies) {
            let parts = [
                ("position", pose.position.is_finite()),
                ("orientation", pose.orientation.is_finite()),
                ("velocity", twist.velocity.is_finite()),
                ("spin", twist.spin.is_finite()),
            ];
            if let Some((what, _)) = parts.iter().find(|(_, finite)| !finite) {
                return Some(format!("the {what} of {}", world.body_name(id)));
            }
        }
        for (id, (positions, velocities)) in world.set_ids().zip(&self.sets) {
            let finite = |(x, v): (&DVec3, &DVec3)| x.is_finite() && v.is_finite();
            if let Some(i) = positions.iter().zip(velocities).position(|pair| !finite(pair)) {
                return Some(format!("particle {i} of {}", world.set(id).name()));
            }
        }
        let Ledger { kinetic, potential, work, .. } = self.ledger;
        let lost = self.ledger.lost();
        let totals = [
            ("kinetic energy", kinetic),
            ("potential energy", potential),
            ("work", work),
            ("energy lost", lost),
        ];
        if let Some((what, _)) = totals.iter().find(|(_, value)| !value.is_finite()) {
            return Some(format!("the {what}"));
        }
        let finite = self.momentum.is_finite() && self.angular_momentum.is_finite();
        (!finite).then(|| "the total momentum".to_owned())
    }

    /// A hash of every bit of the positions, orientations and velocities (BLAKE3, 16 hexadecimal digits).
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut put = |values: &[f64]| {
            for value in values {
                hasher.update(&value.to_bits().to_le_bytes());
            }
        };
        put(&[self.t]);
        for (pose, twist) in &self.bodies {
            put(&pose.position.to_array());
            put(&pose.orientation.to_array());
            put(&twist.velocity.to_array());
            put(&twist.spin.to_array());
        }
        for (positions, velocities) in &self.sets {
            for (x, v) in positions.iter().zip(velocities) {
                put(&x.to_array());
                put(&v.to_array());
            }
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// What is told of a run by its last sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastSample {
    /// Time, s.
    pub t: f64,
    /// Energy and work.
    pub ledger: Ledger,
    /// [`Sample::hash`].
    pub state_hash: String,
}

impl From<&Sample> for LastSample {
    fn from(sample: &Sample) -> Self {
        Self { t: sample.t, ledger: sample.ledger, state_hash: sample.hash() }
    }
}

/// Of a sum of energies, each rounded.
const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// How well the ledger balances over a run: total(t) − total(0) − work(t) + lost(t) against the energy in play.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Balance {
    start: Option<Ledger>,
    /// The energy in play so far: largest kinetic energy, largest change of the potential, largest work, J.
    pub turnover: f64,
    /// The largest imbalance so far, J.
    pub largest_error: f64,
}

impl Balance {
    /// Takes a sample into account; returns its imbalance, J.
    pub fn add(&mut self, ledger: &Ledger) -> f64 {
        let start = *self.start.get_or_insert(*ledger);
        // Collisions at the very first instant may be behind the first sample already.
        let error = (ledger.kinetic - start.kinetic) + (ledger.potential - start.potential)
            - (ledger.work - start.work)
            + (ledger.lost() - start.lost());
        let moved = (ledger.potential - start.potential).abs();
        self.turnover = self.turnover.max(ledger.kinetic.abs()).max(moved).max(ledger.work.abs());
        // What energies are rounded by is no imbalance: a scene in which nothing moves has nothing else to compare it with.
        let rounding = ROUNDING * (ledger.kinetic.abs() + ledger.potential.abs() + start.potential.abs());
        // A number that is not finite must show, where `max` would drop it.
        if error.is_nan() || error.abs() > self.largest_error.max(rounding) {
            self.largest_error = error.abs();
        }
        error
    }

    /// The largest imbalance as a share of the energy in play; zero if there was none.
    pub fn relative(&self) -> f64 {
        if self.largest_error == 0.0 { 0.0 } else { self.largest_error / self.turnover }
    }
}
