//! Attraction to a point, by any power of the distance.

use super::{
    Anchor, Booked, Force, ForceError, Loads, Moment, View, Workspace, check_finite, check_members,
    check_not_negative,
};
use crate::id::Member;
use crate::math::DVec3;
use crate::math::real::{ln, pow};
use crate::member::Members;

/// F = −s Δ / ρⁿ⁺¹ with Δ from the point to the centre of mass, ρ² = Δ² + ε² and s the strength (times the mass, if per
/// mass): n = 2 is Newton's law, n = −1 a linear spring. A negative strength repels.
///
/// Its potential is −s/((n−1) ρⁿ⁻¹), or s ln ρ for n = 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Attraction {
    /// What is attracted: a body, or each particle of a set.
    pub member: Member,
    /// What attracts: a point of the world, or of a body, which feels the reaction.
    pub to: Anchor,
    /// s, N·mⁿ, or N·mⁿ/kg per mass.
    pub strength: f64,
    /// n.
    pub exponent: f64,
    /// ε, m.
    pub softening: f64,
    /// Whether the strength is multiplied by the mass.
    pub per_mass: bool,
}

impl Attraction {
    fn distance(&self, delta: DVec3) -> f64 {
        (delta.length_squared() + self.softening * self.softening).sqrt()
    }

    fn force(&self, delta: DVec3, mass: f64) -> DVec3 {
        let strength = if self.per_mass { self.strength * mass } else { self.strength };
        if delta == DVec3::ZERO && self.exponent < 0.0 {
            return DVec3::ZERO; // the limit, where a power of the distance zero would be infinite
        }
        -strength * power(self.distance(delta), -(self.exponent + 1.0)) * delta
    }

    fn energy(&self, delta: DVec3, mass: f64) -> f64 {
        let distance = self.distance(delta);
        let strength = if self.per_mass { self.strength * mass } else { self.strength };
        if self.exponent == 1.0 {
            return strength * ln(distance);
        }
        let n = self.exponent - 1.0;
        -strength / n * power(distance, -n)
    }
}

/// xʸ, with the usual laws by multiplication and division alone: exact where they are, and faster.
fn power(x: f64, y: f64) -> f64 {
    match y {
        -3.0 => 1.0 / (x * x * x),
        -2.0 => 1.0 / (x * x),
        -1.0 => 1.0 / x,
        0.0 => 1.0,
        1.0 => x,
        2.0 => x * x,
        _ => pow(x, y),
    }
}

impl Force for Attraction {
    fn kind(&self) -> &'static str {
        "attraction"
    }

    fn members(&self) -> Vec<Member> {
        [self.member].into_iter().chain(self.to.member()).collect()
    }

    fn apply(&self, _: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let (to, _) = self.to.point(view);
        match self.member {
            Member::Body(id) => {
                // A body of infinite mass is not pulled by a force per mass; it can still be the one that pulls.
                if view.members().body(id).is_dynamic() {
                    let force = self.force(view.pose(id).position - to, view.mass(id));
                    loads.at_centre(id, force, Booked::Potential);
                    self.to.load(to, -force, loads, Booked::Potential);
                }
            }
            Member::Set(id) => {
                let masses = view.members().set(id).masses();
                for (i, (position, mass)) in view.positions(id).iter().zip(masses).enumerate() {
                    let force = self.force(*position - to, *mass);
                    loads.particle(id, i, force, Booked::Potential);
                    self.to.load(to, -force, loads, Booked::Potential);
                }
            }
        }
    }

    fn potential(&self, _: &Moment, view: &View, _: &mut Workspace) -> f64 {
        let (to, _) = self.to.point(view);
        match self.member {
            Member::Body(id) if view.members().body(id).is_dynamic() => {
                self.energy(view.pose(id).position - to, view.mass(id))
            }
            Member::Body(_) => 0.0,
            Member::Set(id) => {
                let masses = view.members().set(id).masses();
                view.positions(id).iter().zip(masses).map(|(x, m)| self.energy(*x - to, *m)).sum()
            }
        }
    }

    fn is_steady(&self, _t: f64) -> bool {
        true
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        self.to.check("attraction", members)?;
        check_finite("attraction", "strength and exponent", &[self.strength, self.exponent])?;
        check_not_negative("attraction", "softening", self.softening)
    }
}
