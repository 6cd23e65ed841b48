//! Bodies and time in, forces and torques out.

pub mod nbody;
pub mod neighbours;
