//! Forces between particles that are near one another. [LECTURE I, fixed-radius nearest neighbours]

use super::neighbours::NeighboursError;
use super::{
    Booked, Force, ForceError, Loads, Moment, View, Workspace, check_ascending, check_members,
    check_not_negative,
};
use crate::id::{Member, SetId};
use crate::math::DVec3;
use crate::member::Members;

/// A potential of the distance that ends at the cut-off radius R.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairLaw {
    /// ½k(R − r)²: a linear spring that only pushes. Its stiffness jumps at R, which costs an integrator of high order some
    /// short steps.
    Repulsion {
        /// k, N/m.
        stiffness: f64,
    },
    /// 4ε((σ/r)¹² − (σ/r)⁶), switched off between 0.7 R and R with four continuous derivatives.
    LennardJones {
        /// ε, J.
        depth: f64,
        /// σ, m.
        length: f64,
    },
}

/// Where switching off begins, as a share of the cut-off radius. Later, and the switch is steeper; earlier, and more of
/// the well is changed.
const SWITCH_FROM: f64 = 0.7;

impl PairLaw {
    /// U and −dU/dr at distance `r` ≤ `radius`.
    fn at(&self, r: f64, radius: f64) -> (f64, f64) {
        match *self {
            Self::Repulsion { stiffness } => {
                let overlap = radius - r;
                (0.5 * stiffness * overlap * overlap, stiffness * overlap)
            }
            Self::LennardJones { depth, length } => {
                let s2 = (length / r) * (length / r);
                let s6 = s2 * s2 * s2;
                let (u, f) = (4.0 * depth * s6 * (s6 - 1.0), 24.0 * depth * s6 * (2.0 * s6 - 1.0) / r);
                let (switch, slope) = switch_off(r, radius);
                (u * switch, f * switch - u * slope)
            }
        }
    }
}

/// The polynomial of degree nine that falls from 1 to 0 with four derivatives zero at both ends, and its slope.
fn switch_off(r: f64, radius: f64) -> (f64, f64) {
    let from = SWITCH_FROM * radius;
    if r <= from {
        return (1.0, 0.0);
    }
    let x = (r - from) / (radius - from);
    let x4 = x * x * x * x;
    let value = 1.0 - x4 * x * (126.0 + x * (-420.0 + x * (540.0 + x * (-315.0 + x * 70.0))));
    let back = 1.0 - x;
    let slope = -630.0 * x4 * (back * back * back * back) / (radius - from);
    (value, slope)
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
            if let Some(set) = self.sets.iter().find(|set| !view.positions(**set).is_empty()) {
                loads.particle(*set, 0, DVec3::NAN, Booked::Potential);
            }
            return;
        }
        workspace.grid.for_each_pair(|i, j, separation, distance_squared| {
            let r = distance_squared.sqrt();
            // Particles that coincide have no direction: NaN, and the integrator stops there.
            let direction = separation / r;
            let ((set_i, i), (set_j, j)) = (self.owner(view, i), self.owner(view, j));
            let elastic = self.law.at(r, self.radius).1 * direction;
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
            sum += self.law.at(distance_squared.sqrt(), self.radius).0;
        });
        sum
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        const FORCE: &str = "short-range force";
        check_members(self, members)?;
        check_not_negative(FORCE, "damping", self.damping)?;
        check_ascending(FORCE, &self.sets)?;
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
        Err(ForceError::Parameter {
            force: FORCE,
            what: "its reach",
            value,
            allowed: "a positive radius and a set or more",
        })
    }
}
