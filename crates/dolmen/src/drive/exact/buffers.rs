//! The states of everything that moves, and buffers of the step.

use super::likely::Likely;
use super::linkages::Linkages;
use crate::body::BodyState;
use crate::contact::rest::{Bearings, Loaded, Shift};
use crate::dynamics::Scratch;
use crate::math::DVec3;

/// The states of all bodies and particles of a world, by id.
#[derive(Debug, Clone)]
pub(super) struct States {
    pub(super) bodies: Vec<BodyState>,
    pub(super) sets: Vec<(Vec<DVec3>, Vec<DVec3>)>,
    /// A state vector on its way from a span to the states; a buffer.
    pub(super) vector: Vec<f64>,
}

/// What evaluating the equations of motion needs; never part of the state.
#[derive(Debug, Clone)]
pub(super) struct Buffers {
    pub(super) motion: Scratch,
    pub(super) bearings: Bearings,
    /// The bodies of an island and its supports.
    pub(super) loaded: Vec<Loaded>,
    pub(super) shifts: Vec<Shift>,
    /// The last forces found to keep the modes of an island where contacts can share them in many ways.
    pub(super) shared: Vec<DVec3>,
    /// Forces with which the next decision on modes begins.
    pub(super) likely: Likely,
    pub(super) linkages: Linkages,
}
