//! Joints hold.

use super::{Laws, bound};
use crate::articulation::factor::{Mobility, Pivoting};
use crate::articulation::{JointSystem, Level};
use crate::body::Kinematics;
use crate::joint::Law;
use crate::math::{DMat3, DVec3};
use crate::record::{CheckedLaw, Violation};
use crate::world::{BodyId, Conflict};

impl Laws<'_> {
    /// How far every joint is off, by the longest arm; of limits and ropes how far they are exceeded.
    ///
    /// Where joints that contradict each other are put up with, they are off by what they miss: there it is how far the bodies are from
    /// where they would miss the least.
    pub(super) fn check_drift(&mut self) {
        if self.world.joints().is_empty() {
            return;
        }
        let mut system = JointSystem::whole(self.world);
        let kinematics = |id: BodyId| {
            let (pose, twist) = self.state.pose_and_twist(self.world, self.state.t, id.index() as u32);
            Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
        };
        system.evaluate(self.world, kinematics, self.state.t, &self.state.joints.turns);
        if self.world.conflict() != Conflict::Refuse {
            return self.check_distance_to_least(&mut system);
        }
        let mut worst: Option<(f64, usize)> = None;
        for (i, place) in system.joints().iter().enumerate() {
            for equation in system.equations_of(i) {
                let size = if equation.is_angular { 1.0 } else { system.length() };
                let off = match equation.law {
                    Law::Equal => equation.jet.value.abs() / size,
                    _ => continue,
                };
                // A number that is not finite must show, where a comparison would drop it.
                if worst.is_none_or(|(most, _)| off > most || off.is_nan()) {
                    worst = Some((off, *place));
                }
            }
        }
        if let Some((value, place)) = worst {
            let bodies = self.world.joints()[place].bodies().into_iter().flatten().collect();
            let law = CheckedLaw::Drift;
            let bound = bound(self.world, self.state, law);
            let found =
                Violation { t: self.state.t, law, bodies, joint: Some(place), solve: None, value, bound };
            self.state.laws.note(found);
        }
    }

    /// How far a projection would move the bodies, by the longest arm.
    fn check_distance_to_least(&mut self, system: &mut JointSystem) {
        let mobility = |id: BodyId| {
            let (pose, _) = self.state.pose_and_twist(self.world, self.state.t, id.index() as u32);
            let (inertia, turn) = (self.world.body(id).inertia(), DMat3::from_quat(pose.orientation));
            Mobility {
                inv_mass: inertia.inv_mass,
                inv_inertia: turn * inertia.inv_inertia_body * turn.transpose(),
            }
        };
        system.factor(mobility, Pivoting::FORCES);
        system.solve(Level::Position);
        let mut worst: Option<(f64, BodyId)> = None;
        let mut shifts = vec![(DVec3::ZERO, DVec3::ZERO); system.bodies().len()];
        system.loads(|slot, load| {
            let yields = mobility(system.bodies()[slot]);
            shifts[slot].0 += yields.inv_mass * load.force;
            shifts[slot].1 += yields.inv_inertia * load.torque;
        });
        for (id, (linear, turn)) in system.bodies().iter().zip(&shifts) {
            let off = linear.length() / system.length() + turn.length();
            if worst.is_none_or(|(most, _)| off > most || off.is_nan()) {
                worst = Some((off, *id));
            }
        }
        if let Some((value, id)) = worst {
            self.note(CheckedLaw::Drift, &[id.index() as u32], value);
        }
    }
}
