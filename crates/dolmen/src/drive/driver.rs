//! What every driver offers, so that the command, the viewer, exports and bindings take any of them.

use std::error::Error;

use super::snapshot::SnapshotError;
use crate::body::Kinematics;
use crate::math::{Pose, Twist};
use crate::record::{ContactForce, EventSink, JointCoordinate, JointForce, Ledger, Sample};
use crate::world::{BodyId, World};

/// How an advance ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// At the time that was asked for.
    Reached,
    /// Before it, because it was told to; it can go on.
    Interrupted,
    /// At the instant of an event, at or before the time that was asked for.
    Event,
}

/// A world on its way through time. Reading changes nothing; a snapshot holds everything that the way ahead depends on.
pub trait Driver {
    /// Why it cannot go on: when, which bodies, and what to do.
    type Stop: Error;

    /// The description that is simulated.
    fn world(&self) -> &World;

    /// The present time, s.
    fn time(&self) -> f64;

    /// Goes on to time `t`, as long as `watch`, which is told how far it is, says so. Events go to `sink`, in the order of time.
    ///
    /// # Errors
    /// When `t` is not ahead, or the motion cannot go on. Then it stands at the last time up to which everything is known.
    fn advance_into(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, Self::Stop>;

    /// As [`advance_into`](Self::advance_into), but only to the first instant on the way at which something happens.
    ///
    /// # Errors
    /// As [`advance_into`](Self::advance_into).
    fn advance_to_event(
        &mut self,
        t: f64,
        sink: &mut dyn EventSink,
        watch: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Advance, Self::Stop>;

    /// Puts a body that forces move into another state, now. What energy that brings or takes is booked as work.
    ///
    /// # Errors
    /// When forces do not move the body, a number is not finite, or its joints do not allow it.
    fn set_state(&mut self, id: BodyId, pose: &Pose, twist: &Twist) -> Result<(), Self::Stop>;

    /// Position and orientation of a body.
    fn pose(&self, id: BodyId) -> Pose;

    /// Velocity and spin of a body.
    fn twist(&self, id: BodyId) -> Twist;

    /// Kinetic and potential energy now, the work done and the energy lost since the start.
    fn ledger(&self) -> Ledger;

    /// Everything that a record holds of the present time.
    fn sample(&self) -> Sample;

    /// The forces of all contacts that carry any now; none from a driver that knows impulses only.
    fn contact_forces(&self) -> Vec<ContactForce> {
        Vec::new()
    }

    /// The forces of all joints now; none from a driver without joints.
    fn joint_forces(&self) -> Vec<JointForce> {
        Vec::new()
    }

    /// The coordinates of all joints along their free axes, with what their motors do, now; none from a driver without joints.
    fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        Vec::new()
    }

    /// Pose, twist and acceleration of a body now; none from a driver that knows no acceleration.
    fn kinematics(&self, _id: BodyId) -> Option<Kinematics> {
        None
    }

    /// The present state as bytes, from which [`load_snapshot`](Self::load_snapshot) goes on with the same bits; none from a driver
    /// that has no snapshots.
    fn snapshot(&self) -> Option<Vec<u8>> {
        None
    }

    /// Goes on from a snapshot that the same driver made of the same world.
    ///
    /// # Errors
    /// When the bytes are no snapshot, damaged, of another version, world or driver; then nothing is changed.
    fn load_snapshot(&mut self, bytes: &[u8]) -> Result<(), SnapshotError>;
}
