//! Mutual gravitation of bodies and particles.

use super::{
    Booked, Force, ForceError, Loads, Moment, View, Workspace, check_ascending, check_members,
    check_not_negative, nbody,
};
use crate::id::Member;
use crate::math::DVec3;
use crate::member::Members;

/// How the sum over all pairs is formed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Summation {
    /// Pair by pair: exact, n².
    Direct,
    /// By an octree with this opening angle: n log n, with the error that [`nbody`] states. The force is then not exactly
    /// the gradient of a potential, nor continuous where cells are opened: ask for a tolerance to match.
    Octree {
        /// The opening angle θ.
        opening: f64,
    },
}

/// Newton's law between all members: bodies act through their centres of mass. [LECTURE I]
///
/// Fixed and kinematic bodies have no finite mass and can neither pull nor be pulled.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravitation {
    /// Dynamic bodies and sets of particles.
    pub members: Vec<Member>,
    /// G, m³/(kg·s²).
    pub constant: f64,
    /// Softening length ε, m.
    pub softening: f64,
    /// How it is summed.
    pub summation: Summation,
}

impl Gravitation {
    /// The constant of nature, m³/(kg·s²). [CODATA 2018]
    pub const NEWTON: f64 = 6.67430e-11;

    fn gather(&self, view: &View, workspace: &mut Workspace) {
        workspace.positions.clear();
        workspace.masses.clear();
        for member in &self.members {
            match *member {
                Member::Body(id) => {
                    workspace.positions.push(view.pose(id).position);
                    workspace.masses.push(view.mass(id));
                }
                Member::Set(id) => {
                    workspace.positions.extend_from_slice(view.positions(id));
                    workspace.masses.extend_from_slice(view.members().set(id).masses());
                }
            }
        }
        workspace.accelerations.clear();
        workspace.accelerations.resize(workspace.positions.len(), DVec3::ZERO);
    }

    /// Accelerations into the workspace; returns the potential energy. Not finite where two members coincide.
    fn sum(&self, view: &View, workspace: &mut Workspace) -> f64 {
        self.gather(view, workspace);
        let Workspace { positions, masses, accelerations, octree, .. } = workspace;
        let (g, softening) = (self.constant, self.softening);
        match self.summation {
            Summation::Direct => nbody::direct(g, softening, positions, masses, accelerations),
            Summation::Octree { opening } => {
                if octree.build(positions, masses).is_ok() {
                    return octree.accelerations(g, softening, opening, accelerations);
                }
                // Positions that are not finite: the integrator reports where and when.
                accelerations.fill(DVec3::NAN);
                f64::NAN
            }
        }
    }
}

impl Force for Gravitation {
    fn kind(&self) -> &'static str {
        "gravitation"
    }

    fn members(&self) -> Vec<Member> {
        self.members.clone()
    }

    fn apply(&self, _: &Moment, view: &View, loads: &mut Loads, workspace: &mut Workspace) {
        self.sum(view, workspace);
        let mut k = 0;
        for member in &self.members {
            match *member {
                Member::Body(id) => {
                    loads.at_centre(id, workspace.masses[k] * workspace.accelerations[k], Booked::Potential);
                    k += 1;
                }
                Member::Set(id) => {
                    for i in 0..view.positions(id).len() {
                        let force = workspace.masses[k] * workspace.accelerations[k];
                        loads.particle(id, i, force, Booked::Potential);
                        k += 1;
                    }
                }
            }
        }
    }

    fn potential(&self, _: &Moment, view: &View, workspace: &mut Workspace) -> f64 {
        self.sum(view, workspace)
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        check_not_negative("gravitation", "the constant", self.constant)?;
        check_not_negative("gravitation", "softening", self.softening)?;
        if let Summation::Octree { opening } = self.summation {
            check_not_negative("gravitation", "the opening angle", opening)?;
            if opening > 1.0 {
                let (value, allowed) =
                    (opening.to_string(), "at most 1: beyond it the series does not converge");
                return Err(ForceError::Parameter {
                    force: "gravitation",
                    what: "the opening angle",
                    value,
                    allowed,
                });
            }
        }
        check_ascending("gravitation", &self.members)?;
        let immobile =
            self.members.iter().find(|m| matches!(m, Member::Body(id) if !members.body(*id).is_dynamic()));
        if let Some(member) = immobile {
            let value = format!("{:?}, which has no finite mass", members.member_name(*member));
            let allowed = "a dynamic body or a particle set; to pull towards a fixed point use an attraction";
            return Err(ForceError::Parameter { force: "gravitation", what: "a member", value, allowed });
        }
        Ok(())
    }
}
