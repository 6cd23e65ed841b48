//! The drag of a medium that may itself move: wind.

use super::{
    Booked, Force, ForceError, Loads, Moment, View, Workspace, check_finite, check_members,
    check_not_negative,
};
use crate::id::Member;
use crate::math::DVec3;
use crate::member::Members;

/// F = −(c₁ + c₂|u|) u with u = v − wind, at the centre of mass, and τ = −c₃ ω.
#[derive(Debug, Clone, PartialEq)]
pub struct Drag {
    /// What is dragged: a body, or each particle of a set.
    pub member: Member,
    /// c₁, N·s/m.
    pub linear: f64,
    /// c₂, N·s²/m².
    pub quadratic: f64,
    /// c₃, N·m·s; bodies only.
    pub angular: f64,
    /// Velocity of the medium, m/s.
    pub wind: DVec3,
}

impl Drag {
    fn force(&self, velocity: DVec3) -> DVec3 {
        let u = velocity - self.wind;
        -(self.linear + self.quadratic * u.length()) * u
    }
}

impl Force for Drag {
    fn kind(&self) -> &'static str {
        "drag"
    }

    fn members(&self) -> Vec<Member> {
        vec![self.member]
    }

    fn apply(&self, _: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        match self.member {
            Member::Body(id) => {
                let twist = view.twist(id);
                loads.at_centre(id, self.force(twist.velocity), Booked::Work);
                if self.angular != 0.0 {
                    loads.torque(id, -self.angular * twist.spin, Booked::Work);
                }
            }
            Member::Set(id) => {
                for (i, velocity) in view.velocities(id).iter().enumerate() {
                    loads.particle(id, i, self.force(*velocity), Booked::Work);
                }
            }
        }
    }

    fn is_steady(&self, _t: f64) -> bool {
        true
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        check_finite("drag", "wind", &self.wind.to_array())?;
        check_not_negative("drag", "linear", self.linear)?;
        check_not_negative("drag", "quadratic", self.quadratic)?;
        check_not_negative("drag", "angular", self.angular)
    }
}
