//! Joints hold.

use super::{Laws, bound};
use crate::articulation::JointSystem;
use crate::body::Kinematics;
use crate::joint::Law;
use crate::math::DVec3;
use crate::record::{CheckedLaw, Violation};
use crate::world::BodyId;

impl Laws<'_> {
    /// How far every joint is off, by the longest arm; of limits and ropes how far they are exceeded.
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
            let found = Violation { t: self.state.t, law, bodies, joint: Some(place), value, bound };
            self.state.laws.note(found);
        }
    }
}
