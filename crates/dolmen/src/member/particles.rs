//! Sets of particles.

use super::MemberError;
use crate::broad_phase::Groups;
use crate::math::DVec3;

/// Point masses that move together under the same forces. [LECTURE I]
///
/// They meet bodies that their groups meet, and pass each other.
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleSet {
    name: String,
    masses: Vec<f64>,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    material: Option<String>,
    groups: Groups,
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
        Ok(Self { name: set, masses, positions, velocities, material: None, groups: Groups::ALL })
    }

    /// Says what the particles are made of, by the name of a material of the world.
    #[must_use]
    pub fn of_material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Says with which groups of bodies they collide; with [`Groups::NONE`] they pass everything.
    #[must_use]
    pub fn in_groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }

    /// The name of their material, if they have one.
    pub fn material(&self) -> Option<&str> {
        self.material.as_deref()
    }

    /// With which groups of bodies they collide.
    pub fn groups(&self) -> Groups {
        self.groups
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
