//! A spring with a damper between two points.

use super::{
    Booked, Force, ForceError, Loads, Moment, View, Workspace, check_finite, check_members,
    check_not_negative,
};
use crate::id::{BodyId, Member, SetId};
use crate::math::DVec3;
use crate::member::Members;

/// An end of a spring, or what attracts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// A point of a body, in its frame from its centre of mass.
    Body {
        /// The body.
        body: BodyId,
        /// The point.
        at: DVec3,
    },
    /// A particle.
    Particle {
        /// Its set.
        set: SetId,
        /// Which one.
        index: usize,
    },
    /// A point of the world.
    World(DVec3),
}

impl Anchor {
    /// The body that it belongs to.
    pub(super) fn member(&self) -> Option<Member> {
        match self {
            Self::Body { body, .. } => Some(Member::Body(*body)),
            Self::Particle { set, .. } => Some(Member::Set(*set)),
            Self::World(_) => None,
        }
    }

    /// World position and velocity.
    pub(super) fn point(&self, view: &View) -> (DVec3, DVec3) {
        match self {
            Self::Body { body, at } => view.point(*body, *at),
            Self::Particle { set, index } => (view.positions(*set)[*index], view.velocities(*set)[*index]),
            Self::World(point) => (*point, DVec3::ZERO),
        }
    }

    /// Adds a force there; a point of the world takes any.
    pub(super) fn load(&self, point: DVec3, force: DVec3, loads: &mut Loads, booked: Booked) {
        match self {
            Self::Body { body, .. } => loads.at_point(*body, point, force, booked),
            Self::Particle { set, index } => loads.particle(*set, *index, force, booked),
            Self::World(_) => {}
        }
    }

    /// That its numbers are finite and its particle exists.
    pub(super) fn check(&self, force: &'static str, members: &Members) -> Result<(), ForceError> {
        match self {
            Self::Body { at: point, .. } | Self::World(point) => {
                check_finite(force, "an end", &point.to_array())
            }
            Self::Particle { set, index } if *index >= members.set(*set).len() => {
                let value = format!("{index} of {} particles", members.set(*set).len());
                Err(ForceError::Parameter {
                    force,
                    what: "the index of a particle",
                    value,
                    allowed: "below their number",
                })
            }
            Self::Particle { .. } => Ok(()),
        }
    }
}

/// A spring and a damper along the line between two points: F = −k(d − ℓ) − c ḋ.
///
/// With rest length zero it pulls its ends together as −kΔ − cΔ̇, smooth through d = 0. Otherwise d = 0 has no direction,
/// and the force there is zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Spring {
    /// One end.
    pub a: Anchor,
    /// The other.
    pub b: Anchor,
    /// k, N/m.
    pub stiffness: f64,
    /// Rest length ℓ, m.
    pub length: f64,
    /// c, N·s/m.
    pub damping: f64,
}

impl Spring {
    /// From b to a: the vector, its rate, and the world points.
    fn stretch(&self, view: &View) -> (DVec3, DVec3, DVec3, DVec3) {
        let ((p_a, v_a), (p_b, v_b)) = (self.a.point(view), self.b.point(view));
        (p_a - p_b, v_a - v_b, p_a, p_b)
    }
}

impl Force for Spring {
    fn kind(&self) -> &'static str {
        "spring"
    }

    fn members(&self) -> Vec<Member> {
        [&self.a, &self.b].into_iter().filter_map(Anchor::member).collect()
    }

    fn apply(&self, _: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let (delta, rate, p_a, p_b) = self.stretch(view);
        let (elastic, damping) = if self.length == 0.0 {
            (-self.stiffness * delta, -self.damping * rate)
        } else {
            let direction = delta.normalize_or_zero();
            let stretched = delta.length() - self.length;
            (-self.stiffness * stretched * direction, -self.damping * rate.dot(direction) * direction)
        };
        for (anchor, point, sign) in [(&self.a, p_a, 1.0), (&self.b, p_b, -1.0)] {
            anchor.load(point, sign * elastic, loads, Booked::Potential);
            if self.damping != 0.0 {
                anchor.load(point, sign * damping, loads, Booked::Work);
            }
        }
    }

    fn potential(&self, _: &Moment, view: &View, _: &mut Workspace) -> f64 {
        let stretched = self.stretch(view).0.length() - self.length;
        0.5 * self.stiffness * stretched * stretched
    }

    fn is_steady(&self, _t: f64) -> bool {
        true
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        for anchor in [&self.a, &self.b] {
            anchor.check("spring", members)?;
        }
        check_not_negative("spring", "stiffness", self.stiffness)?;
        check_not_negative("spring", "length", self.length)?;
        check_not_negative("spring", "damping", self.damping)
    }
}
