//! Two pieces of composites that touch.

use super::super::couple::Couple;
use super::facets::Faceted;
use crate::math::{DVec3, Pose};
use crate::narrow_phase::{Contact, ContactFunction, ContactId, Feature};

/// Two pieces that touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting<'a> {
    pub(super) guest: Faceted<'a>,
    pub(super) host: Faceted<'a>,
    /// The frame of the guest's shape in that of the host's, and the latter in the world.
    pub(super) pose: Pose,
    pub(super) world: Pose,
    pub(super) tolerance: f64,
}

impl<'a> Meeting<'a> {
    pub(super) fn new(couple: &Couple, guest: Faceted<'a>, host: Faceted<'a>, tolerance: f64) -> Self {
        Self { guest, host, pose: couple.sides[0].pose, world: couple.world[1], tolerance }
    }

    /// A point in the frame of the guest's shape.
    pub(super) fn back(&self, point: DVec3) -> DVec3 {
        self.pose.orientation.conjugate() * (point - self.pose.position)
    }

    /// A contact with its features named, in the world, between guest and host.
    pub(super) fn finish(
        &self,
        (guest, host): (Feature, Feature),
        at: DVec3,
        function: ContactFunction,
    ) -> Contact {
        let normal = function.normal(&self.pose, &Pose::IDENTITY);
        Contact {
            point: self.world.point(at),
            normal: self.world.direction(normal),
            separation: function.value(&self.pose, &Pose::IDENTITY),
            id: ContactId { a: self.guest.first.name(guest), b: self.host.first.name(host) },
            function,
        }
    }
}
