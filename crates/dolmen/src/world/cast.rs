//! What a world is made from.

use super::WorldError;
use crate::member::{Body, Handle, ParticleSet};

/// The bodies and particles from which a world is made.
#[derive(Debug, Clone, Default)]
pub struct Cast {
    pub(super) bodies: Vec<Body>,
    pub(super) sets: Vec<ParticleSet>,
}

impl Cast {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a body.
    ///
    /// # Errors
    /// When a number of its start is not finite.
    pub fn add(&mut self, body: Body) -> Result<Handle, WorldError> {
        body.check()?;
        self.bodies.push(body);
        Ok(Handle(self.bodies.len() - 1))
    }

    /// Adds a set of particles.
    pub fn add_particles(&mut self, set: ParticleSet) {
        self.sets.push(set);
    }
}
