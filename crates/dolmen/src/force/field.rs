//! A field of force that is linear in position, constant or varying in time.

use super::{Booked, Force, ForceError, Loads, Moment, View, Window, Workspace, check_finite, check_members};
use crate::id::Member;
use crate::math::{DMat3, DVec3};
use crate::member::Members;

/// F = w(t)·(u + M x) at the centre of mass, times the mass if per mass, with w of its window.
///
/// It has a potential −(u·x + ½ xᵀM x) when M is symmetric and w is always 1; otherwise (a vortex, or gravity that changes) its work goes
/// into the ledger.
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
    /// When, and how strongly.
    pub window: Window,
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
        let has_potential = self.matrix == self.matrix.transpose() && self.window == Window::always();
        if has_potential { Booked::Potential } else { Booked::Work }
    }
}

impl Force for Field {
    fn kind(&self) -> &'static str {
        "field"
    }

    fn members(&self) -> Vec<Member> {
        vec![self.member]
    }

    fn apply(&self, moment: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let (booked, factor) = (self.booked(), self.window.at(moment));
        match self.member {
            Member::Body(id) => {
                if view.members().body(id).is_dynamic() {
                    let force = factor * self.force(view.pose(id).position, view.mass(id));
                    loads.at_centre(id, force, booked);
                }
            }
            Member::Set(id) => {
                let masses = view.members().set(id).masses();
                for (i, (position, mass)) in view.positions(id).iter().zip(masses).enumerate() {
                    loads.particle(id, i, factor * self.force(*position, *mass), booked);
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

    fn jumps(&self) -> &[f64] {
        self.window.jumps()
    }

    fn is_quiet(&self, t_a: f64, t_b: f64) -> bool {
        self.window.is_quiet(t_a, t_b)
    }

    fn is_steady(&self, t: f64) -> bool {
        self.window.is_steady(t)
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        check_finite("field", "the uniform part", &self.uniform.to_array())?;
        check_finite("field", "the matrix", &self.matrix.to_cols_array())?;
        self.window.check("field")
    }
}
