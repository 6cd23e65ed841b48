//! The contact problem of each island as it stands, to be read by people and checked by tests.

use super::Reader;
use crate::contact::rest::{Frame, Loaded, Mode};
use crate::drive::exact::state::State;
use crate::math::DVec3;
use crate::narrow_phase::ContactId;
use crate::world::{BodyId, World};

/// The contact problem of one island at an instant, d̈ = A f + b, three rows a contact: along the normal and two tangents.
///
/// [NOTES II and appendix D; LECTURE, friction cones]
#[derive(Debug, Clone, PartialEq)]
pub struct ContactProblem {
    /// The contacts, in the order of the rows.
    pub contacts: Vec<ExplainedContact>,
    /// The Delassus matrix A = J M⁻¹ Jᵀ by rows, 1/kg; three rows a contact.
    pub matrix: Vec<Vec<f64>>,
    /// b: accelerations at the contacts without contact forces, m/s².
    pub free: Vec<f64>,
    /// f: contact forces, N.
    pub forces: Vec<f64>,
    /// How far the forces are from what their modes ask, by the accelerations that loads alone would give.
    pub residual: f64,
    /// Whether the forces are the only ones; otherwise they are those of least norm.
    pub is_unique: bool,
    /// Whether joints act in the island. Their forces then make up the difference between A f + b and the true d̈.
    pub has_joints: bool,
}

/// A contact of a [`ContactProblem`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExplainedContact {
    /// The normal points from the second to the first.
    pub bodies: [BodyId; 2],
    /// Which vertex, edge or face of each.
    pub features: ContactId,
    /// Where, world.
    pub point: DVec3,
    /// Unit.
    pub normal: DVec3,
    /// Unit, perpendicular to the normal and to each other.
    pub tangents: [DVec3; 2],
    /// The cone of friction while sticking: |f_t| ≤ μ f_n.
    pub static_friction: f64,
    /// Friction by normal force while sliding.
    pub kinetic_friction: f64,
    /// Whether it sticks; otherwise it slides.
    pub sticks: bool,
}

impl ContactProblem {
    /// d̈ = A f + b, m/s².
    pub fn accelerations(&self) -> Vec<f64> {
        let of = |(row, free): (&Vec<f64>, &f64)| {
            free + row.iter().zip(&self.forces).map(|(a, f)| a * f).sum::<f64>()
        };
        self.matrix.iter().zip(&self.free).map(of).collect()
    }
}

/// The contact problems of all islands that have active contacts, in the order of the islands.
pub(crate) fn contact_problems(world: &World, state: &State) -> Vec<ContactProblem> {
    let mut found = Vec::new();
    for track in &state.tracks {
        let Some(active) = track.active.as_ref().filter(|active| !active.constraints.is_empty()) else {
            continue;
        };
        let mut reader = Reader::new(world, state);
        let y = track.vector_of(&state.states);
        track.equations(world, reader.workspace()).find_forces(state.t, &y);
        let (constraints, bodies) = (&reader.scratch.constraints, &reader.scratch.loaded);
        let contact = |(i, constraint): (usize, &crate::contact::rest::ContactConstraint)| {
            let frame = &constraints.frames[i];
            ExplainedContact {
                bodies: active.pairs[i].map(|body| BodyId::from_rank(body as usize)),
                features: active.features[i],
                point: frame.point,
                normal: frame.normal,
                tangents: frame.tangents,
                static_friction: constraint.static_friction,
                kinetic_friction: constraint.kinetic_friction,
                sticks: constraint.mode == Mode::Stick,
            }
        };
        let places: Vec<[usize; 2]> = active.constraints.iter().map(|c| c.bodies).collect();
        found.push(ContactProblem {
            contacts: active.constraints.iter().enumerate().map(contact).collect(),
            matrix: delassus(bodies, &constraints.frames, &places),
            free: constraints.frames.iter().flat_map(|frame| frame.free.to_array()).collect(),
            forces: constraints.forces.iter().flat_map(DVec3::to_array).collect(),
            residual: constraints.residual,
            is_unique: constraints.is_unique,
            has_joints: !track.island.joints.is_empty(),
        });
    }
    found
}

/// Row by row the accelerations along it under a unit force along every other row: Jᵢ M⁻¹ Jⱼᵀ over the bodies that both have.
fn delassus(bodies: &[Loaded], frames: &[Frame], places: &[[usize; 2]]) -> Vec<Vec<f64>> {
    let n = 3 * frames.len();
    let mut matrix = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            let (row_i, row_j) = (&frames[i / 3].rows[i % 3], &frames[j / 3].rows[j % 3]);
            for side_i in 0..2 {
                for side_j in 0..2 {
                    let body = places[i / 3][side_i];
                    if body != places[j / 3][side_j] {
                        continue;
                    }
                    let (linear_i, angular_i) = row_i.side(side_i);
                    let (linear_j, angular_j) = row_j.side(side_j);
                    let body = &bodies[body];
                    matrix[i][j] +=
                        body.inv_mass * linear_i.dot(linear_j) + angular_i.dot(body.inv_inertia * angular_j);
                }
            }
        }
    }
    matrix
}
