//! A field of force that is linear in position.

use super::{Booked, Force, ForceError, Loads, Moment, View, Workspace, check_finite, check_members};
use crate::id::Member;
use crate::math::{DMat3, DVec3};
use crate::member::Members;

/// F = u + M x at the centre of mass, times the mass if per mass.
///
/// It has a potential −(u·x + ½ xᵀM x) when M is symmetric; otherwise (a vortex, say) its work goes into the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// What it acts on: a body, or each particle of a set.
    pub member: Member,
    /// u, N (or m/s² per mass).
    pub uniform: DVec3,
    /// M, N/m (or 1/s² per mass).
    pub matrix: DMat3,
    /// Whether both are multiplied by the mass.
    pub per_mass: bool,
}

impl Field {
    fn force(&self, position: DVec3, mass: f64) -> DVec3 {
        let field = self.uniform + self.matrix * position;
        if self.per_mass { mass * field } else { field }
    }

    fn energy(&self, position: DVec3, mass: f64) -> f64 {
        let energy = -(self.uniform.dot(position) + 0.5 * position.dot(self.matrix * position));
        if self.per_mass { mass * energy } else { energy }
    }

    fn booked(&self) -> Booked {
        if self.matrix == self.matrix.transpose() { Booked::Potential } else { Booked::Work }
    }
}

impl Force for Field {
    fn kind(&self) -> &'static str {
        "field"
    }

    fn members(&self) -> Vec<Member> {
        vec![self.member]
    }

    fn apply(&self, _: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let booked = self.booked();
        match self.member {
            Member::Body(id) => {
                if view.members().body(id).is_dynamic() {
                    loads.at_centre(id, self.force(view.pose(id).position, view.mass(id)), booked);
                }
            }
            Member::Set(id) => {
                let masses = view.members().set(id).masses();
                for (i, (position, mass)) in view.positions(id).iter().zip(masses).enumerate() {
                    loads.particle(id, i, self.force(*position, *mass), booked);
                }
            }
        }
    }

    fn potential(&self, _: &Moment, view: &View, _: &mut Workspace) -> f64 {
        if self.booked() == Booked::Work {
            return 0.0;
        }
        match self.member {
            Member::Body(id) if view.members().body(id).is_dynamic() => {
                self.energy(view.pose(id).position, view.mass(id))
            }
            Member::Body(_) => 0.0,
            Member::Set(id) => {
                let masses = view.members().set(id).masses();
                view.positions(id).iter().zip(masses).map(|(x, m)| self.energy(*x, *m)).sum()
            }
        }
    }

    fn is_steady(&self, _t: f64) -> bool {
        true
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        check_finite("field", "the uniform part", &self.uniform.to_array())?;
        check_finite("field", "the matrix", &self.matrix.to_cols_array())
    }
}
