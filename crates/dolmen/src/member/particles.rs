//! Sets of particles.

use super::MemberError;
use crate::math::DVec3;

/// Point masses that move together under the same forces. [LECTURE I]
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleSet {
    name: String,
    masses: Vec<f64>,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl ParticleSet {
    /// Particles with their masses, positions and velocities.
    ///
    /// # Errors
    /// When the lists differ in length, a mass is not positive, or a number is not finite.
    pub fn new(
        name: impl Into<String>,
        masses: Vec<f64>,
        positions: Vec<DVec3>,
        velocities: Vec<DVec3>,
    ) -> Result<Self, MemberError> {
        let set = name.into();
        for (what, found) in [("masses", masses.len()), ("velocities", velocities.len())] {
            if found != positions.len() {
                return Err(MemberError::Particles { set, positions: positions.len(), what, found });
            }
        }
        if let Some(index) = masses.iter().position(|m| !(m.is_finite() && *m > 0.0)) {
            return Err(MemberError::ParticleMass { set, index, mass: masses[index] });
        }
        if !positions.iter().chain(&velocities).all(|v| v.is_finite()) {
            return Err(MemberError::NotFinite { body: set, what: "a position or velocity" });
        }
        Ok(Self { name: set, masses, positions, velocities })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Masses, kg.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Positions at t = 0, m.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Velocities at t = 0, m/s.
    pub fn velocities(&self) -> &[DVec3] {
        &self.velocities
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}
