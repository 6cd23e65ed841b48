//! Contacts of bodies that joints hold together: force on one moves all of them.

use super::{Bearing, Bearings, Frame, Loaded, Shift};
use crate::joint::JointSystem;
use crate::joint::factor::Mobility;
use crate::math::{DMat3, DVec3, dvec3};
use crate::narrow_phase::Row;

/// Bodies that joints hold together.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Their joints.
    pub system: JointSystem,
    /// Where in the list of bodies in use each body of the system is.
    pub places: Vec<usize>,
    /// Forces of the joints without contacts, one a line.
    pub base: Vec<f64>,
}

impl Joined {
    /// By these joints.
    pub fn new(system: JointSystem) -> Self {
        Self { places: Vec::with_capacity(system.bodies().len()), base: Vec::new(), system }
    }

    /// Takes motions that forces or impulses would give to bodies without joints to those that they give with them:
    /// x − M⁻¹ Jᵀ A⁻¹ J x, in the configuration last factored.
    pub fn respond(&mut self, mobility: impl Fn(usize) -> Mobility, motions: &mut [Shift]) {
        let Self { system, places, .. } = self;
        if places.iter().all(|place| motions[*place] == Shift::default()) {
            return;
        }
        system.cancel(|slot| {
            let motion = &motions[places[slot]];
            (motion.linear, motion.angular)
        });
        system.loads(|slot, load| {
            let (motion, of) = (&mut motions[places[slot]], mobility(places[slot]));
            motion.linear += of.inv_mass * load.force;
            motion.angular += of.inv_inertia * load.torque;
        });
    }
}

impl Loaded {
    /// How it yields.
    pub fn mobility(&self) -> Mobility {
        Mobility { inv_mass: self.inv_mass, inv_inertia: self.inv_inertia }
    }
}

impl Bearings {
    /// For bodies of which joints hold some together.
    pub fn with_joints(joined: Vec<Joined>) -> Self {
        Self { joined, ..Self::default() }
    }

    /// W′ = W − C A⁻¹ Cᵀ: one solution of the joints for each component of each contact.
    pub(super) fn assemble_joined(&mut self, bodies: &[Loaded], contacts: &[Bearing]) {
        let (n, count) = (contacts.len(), bodies.len());
        self.responses.resize(3 * n * count, Shift::default());
        for (contact, (frame, responses)) in
            contacts.iter().zip(self.frames.iter().zip(self.responses.chunks_exact_mut(3 * count.max(1))))
        {
            for (row, response) in frame.rows.iter().zip(responses.chunks_exact_mut(count.max(1))) {
                for (side, place) in contact.bodies.iter().enumerate() {
                    let (push, turn) = part(row, side);
                    response[*place].linear += bodies[*place].inv_mass * push;
                    response[*place].angular += bodies[*place].inv_inertia * turn;
                }
                for k in &self.present {
                    self.joined[*k].respond(|place| bodies[place].mobility(), response);
                }
            }
        }
        for i in 0..n {
            for j in 0..n {
                let column = |q: usize| {
                    let response = &self.responses[(3 * j + q) * count..][..count];
                    along(&self.frames[i], &contacts[i], response)
                };
                self.blocks.push(DMat3::from_cols(column(0), column(1), column(2)));
            }
        }
    }
}

/// The rates of a contact in its frame for motions of the bodies.
fn along(frame: &Frame, contact: &Bearing, motions: &[Shift]) -> DVec3 {
    let rate = |row: &Row| {
        let of = |side: usize| {
            let ((linear, angular), motion) = (part(row, side), &motions[contact.bodies[side]]);
            linear.dot(motion.linear) + angular.dot(motion.angular)
        };
        of(0) + of(1)
    };
    dvec3(rate(&frame.rows[0]), rate(&frame.rows[1]), rate(&frame.rows[2]))
}

fn part(row: &Row, side: usize) -> (DVec3, DVec3) {
    if side == 0 { (row.linear_a, row.angular_a) } else { (row.linear_b, row.angular_b) }
}
