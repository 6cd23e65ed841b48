//! Forces between particles that are near one another. [LECTURE I, fixed-radius nearest neighbours]

use super::neighbours::NeighboursError;
use super::{Booked, Force, Loads, Moment, View, Workspace, check_members, check_not_negative};
use crate::math::DVec3;
use crate::world::{Member, SetId, World, WorldError};

/// A potential of the distance, zero with zero slope at the cut-off radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairLaw {
    /// ½k(R − r)² for r < R.
    Repulsion {
        /// k, N/m.
        stiffness: f64,
    },
    /// 4ε((σ/r)¹² − (σ/r)⁶), shifted so that potential and force are zero at the cut-off.
    LennardJones {
        /// ε, J.
        depth: f64,
        /// σ, m.
        length: f64,
    },
}

impl PairLaw {
    /// U and −dU/dr at distance `r`, before shifting.
    fn bare(&self, r: f64, radius: f64) -> (f64, f64) {
        match *self {
            Self::Repulsion { stiffness } => {
                let overlap = radius - r;
                (0.5 * stiffness * overlap * overlap, stiffness * overlap)
            }
            Self::LennardJones { depth, length } => {
                let s2 = (length / r) * (length / r);
                let s6 = s2 * s2 * s2;
                (4.0 * depth * s6 * (s6 - 1.0), 24.0 * depth * s6 * (2.0 * s6 - 1.0) / r)
            }
        }
    }

    /// U and −dU/dr, both zero at the radius: U(r) − U(R) + (r − R) F(R) and F(r) − F(R).
    fn shifted(&self, r: f64, radius: f64) -> (f64, f64) {
        let (u, f) = self.bare(r, radius);
        let (u_cut, f_cut) = self.bare(radius, radius);
        (u - u_cut + (r - radius) * f_cut, f - f_cut)
    }
}

/// A force between every two particles closer than a radius, along the line between them.
#[derive(Debug, Clone, PartialEq)]
pub struct ShortRange {
    /// The sets whose particles feel one another.
    pub sets: Vec<SetId>,
    /// Cut-off radius R, m.
    pub radius: f64,
    /// The law.
    pub law: PairLaw,
    /// Damping along the line, N·s/m, times (1 − r/R)² so that it, too, ends smoothly.
    pub damping: f64,
}

impl ShortRange {
    fn build(&self, view: &View, workspace: &mut Workspace) -> Result<(), NeighboursError> {
        workspace.positions.clear();
        for set in &self.sets {
            workspace.positions.extend_from_slice(view.positions(*set));
        }
        workspace.grid.build(&workspace.positions, self.radius)
    }

    /// Which set and particle the k-th gathered one is.
    fn owner(&self, view: &View, k: usize) -> (SetId, usize) {
        let mut k = k;
        for set in &self.sets {
            let n = view.positions(*set).len();
            if k < n {
                return (*set, k);
            }
            k -= n;
        }
        unreachable!("the grid holds the particles of the sets, no more")
    }
}

impl Force for ShortRange {
    fn kind(&self) -> &'static str {
        "short-range force"
    }

    fn members(&self) -> Vec<Member> {
        self.sets.iter().map(|set| Member::Set(*set)).collect()
    }

    fn apply(&self, _: &Moment, view: &View, loads: &mut Loads, workspace: &mut Workspace) {
        if self.build(view, workspace).is_err() {
            // Positions that are not finite: the integrator reports where and when.
            let set = self.sets[0];
            loads.particle(set, 0, DVec3::NAN, Booked::Potential);
            return;
        }
        workspace.grid.for_each_pair(|i, j, separation, distance_squared| {
            let r = distance_squared.sqrt();
            if r == 0.0 {
                return; // no direction
            }
            let direction = separation / r;
            let ((set_i, i), (set_j, j)) = (self.owner(view, i as usize), self.owner(view, j as usize));
            let elastic = self.law.shifted(r, self.radius).1 * direction;
            loads.particle(set_i, i, elastic, Booked::Potential);
            loads.particle(set_j, j, -elastic, Booked::Potential);
            if self.damping != 0.0 {
                let rate = (view.velocities(set_i)[i] - view.velocities(set_j)[j]).dot(direction);
                let fade = 1.0 - r / self.radius;
                let damping = -self.damping * fade * fade * rate * direction;
                loads.particle(set_i, i, damping, Booked::Work);
                loads.particle(set_j, j, -damping, Booked::Work);
            }
        });
    }

    fn potential(&self, _: &Moment, view: &View, workspace: &mut Workspace) -> f64 {
        if self.build(view, workspace).is_err() {
            return f64::NAN;
        }
        let mut sum = 0.0;
        workspace.grid.for_each_pair(|_, _, _, distance_squared| {
            sum += self.law.shifted(distance_squared.sqrt(), self.radius).0;
        });
        sum
    }

    fn check(&self, world: &World) -> Result<(), WorldError> {
        const FORCE: &str = "short-range force";
        check_members(self, world)?;
        check_not_negative(FORCE, "damping", self.damping)?;
        match self.law {
            PairLaw::Repulsion { stiffness } => check_not_negative(FORCE, "stiffness", stiffness)?,
            PairLaw::LennardJones { depth, length } => {
                check_not_negative(FORCE, "depth", depth)?;
                check_not_negative(FORCE, "length", length)?;
            }
        }
        if self.radius.is_finite() && self.radius > 0.0 && !self.sets.is_empty() {
            return Ok(());
        }
        let value = format!("{} m over {} sets", self.radius, self.sets.len());
        Err(WorldError::Force {
            force: FORCE,
            what: "its reach",
            value,
            allowed: "a positive radius and a set or more",
        })
    }
}
