//! Contact by penalty: a spring wherever two bodies overlap. [PAPER; SYSTEM C9]
//!
//! It shows what contact forces at acceleration level save: bodies sink in, the stiffer the spring the shorter the steps, and
//! a stack of light and heavy bodies has no stiffness that suits both. The pair must not collide otherwise (`groups`).

use std::fmt;

use super::{Booked, Force, ForceError, Loads, Moment, View, Workspace, check_members, check_not_negative};
use crate::id::{BodyId, Member};
use crate::math::{DVec3, Pose};
use crate::member::Members;
use crate::narrow_phase::{Geometry, Manifold, Placed, Statistics, Witness, contacts};

/// F = max(0, k d − c ḋ) n at every contact point that overlaps by d > 0, and friction −μ F u/√(u² + u₀²) against the slip u.
///
/// The points are those of the narrow phase: corners of the region of overlap. d̈ is continuous, the force has a kink at d = 0.
#[derive(Clone)]
pub struct Penalty {
    /// On which it acts along the normal.
    a: BodyId,
    /// On which it acts against it.
    b: BodyId,
    settings: PenaltySettings,
    geometries: [Geometry; 2],
    origins: [DVec3; 2],
}

/// Of a penalty spring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltySettings {
    /// k of each contact point, N/m.
    pub stiffness: f64,
    /// c of each contact point, N·s/m.
    pub damping: f64,
    /// μ; Coulomb's law is smoothed out below `slip_speed`: nothing sticks.
    pub friction: f64,
    /// u₀, m/s.
    pub slip_speed: f64,
}

impl Penalty {
    /// Between two bodies of a world.
    ///
    /// # Errors
    /// When one has no shape.
    pub fn new(
        members: &Members,
        a: BodyId,
        b: BodyId,
        settings: PenaltySettings,
    ) -> Result<Self, ForceError> {
        let geometry = |id: BodyId| match members.body(id).shape() {
            Some(shape) => Ok(Geometry::new(shape)),
            None => Err(ForceError::Parameter {
                force: "penalty",
                what: "the shape of a body",
                value: "missing".to_owned(),
                allowed: "given: springs act where shapes overlap",
            }),
        };
        let origins = [a, b].map(|id| members.body(id).shape_origin());
        Ok(Self { a, b, settings, geometries: [geometry(a)?, geometry(b)?], origins })
    }

    /// Calls `see` with every contact point that overlaps: point, normal from b to a, depth.
    fn each_overlap(&self, view: &View, mut see: impl FnMut(DVec3, DVec3, f64)) {
        let placed = |side: usize, id: BodyId| {
            let pose = view.pose(id);
            let frame = Pose { position: pose.point(self.origins[side]), ..pose };
            Placed { geometry: &self.geometries[side], pose: frame }
        };
        let (placed_a, placed_b) = (placed(0, self.a), placed(1, self.b));
        let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
        let mut manifold = Manifold::default();
        if contacts(&placed_a, &placed_b, &mut witness, &mut statistics, &mut manifold).is_err() {
            return;
        }
        for contact in manifold.contacts().iter().filter(|contact| contact.separation < 0.0) {
            see(contact.point, contact.normal, -contact.separation);
        }
    }
}

impl fmt::Debug for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Penalty({:?}, {:?}, {:?})", self.a, self.b, self.settings)
    }
}

impl Force for Penalty {
    fn kind(&self) -> &'static str {
        "penalty"
    }

    fn members(&self) -> Vec<Member> {
        vec![Member::Body(self.a), Member::Body(self.b)]
    }

    fn apply(&self, _: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let PenaltySettings { stiffness, damping, friction, slip_speed } = self.settings;
        self.each_overlap(view, |point, normal, depth| {
            let velocity = |id: BodyId| view.twist(id).at(point - view.pose(id).position);
            let relative = velocity(self.a) - velocity(self.b);
            let rate = normal.dot(relative);
            let push = (stiffness * depth - damping * rate).max(0.0);
            let slip = relative - rate * normal;
            let rub = friction * push / (slip.length_squared() + slip_speed * slip_speed).sqrt();
            let rub = if rub.is_finite() { rub } else { 0.0 };
            let force = push * normal - rub * slip;
            // Which points overlap changes with the motion: the ledger follows the work of all of it, springs included.
            loads.at_point(self.a, point, force, Booked::Work);
            loads.at_point(self.b, point, -force, Booked::Work);
        });
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        let PenaltySettings { stiffness, damping, friction, slip_speed } = self.settings;
        check_not_negative("penalty", "stiffness", stiffness)?;
        check_not_negative("penalty", "damping", damping)?;
        check_not_negative("penalty", "friction", friction)?;
        check_not_negative("penalty", "slip_speed", slip_speed)
    }
}
