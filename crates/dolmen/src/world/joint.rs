//! Joints and couplings of a world.

use super::{BodyId, World, WorldError};
use crate::body::Kinematics;
use crate::joint::{Coupling, FittedCoupling, FittedJoint, Geometry, Joint, JointError, STILL, Turns};
use crate::math::{DVec3, Pose, Twist};

impl World {
    /// Adds a joint, with its frames fixed to the bodies as they are at the start. Joints are in the order of their names,
    /// whatever the order in which they were added.
    ///
    /// # Errors
    /// When the joint cannot be: a body that is not there or twice, no axis, limits that exclude each other, …
    pub fn add_joint(&mut self, joint: Joint) -> Result<(), WorldError> {
        let fitted = FittedJoint::fit(joint, &self.members)?;
        self.check_joint_name(fitted.name())?;
        let place = self.joints.partition_point(|other| other.name() < fitted.name());
        self.joints.insert(place, fitted);
        for number in self.couplings.iter_mut().flat_map(|coupling| &mut coupling.joints) {
            *number += usize::from(*number >= place);
        }
        Ok(())
    }

    /// Adds a coupling between two joints that are there already.
    ///
    /// # Errors
    /// When a joint is missing, an axis does not move, or the ratio is zero.
    pub fn add_coupling(&mut self, coupling: Coupling) -> Result<(), WorldError> {
        self.check_joint_name(&coupling.name)?;
        let fitted = FittedCoupling::fit(coupling, &self.joints, |place| self.joint_at_start(place))?;
        let place = self.couplings.partition_point(|other| other.coupling.name < fitted.coupling.name);
        self.couplings.insert(place, fitted);
        Ok(())
    }

    fn check_joint_name(&self, name: &str) -> Result<(), JointError> {
        let taken = self.joints.iter().any(|joint| joint.name() == name)
            || self.couplings.iter().any(|coupling| coupling.coupling.name == name);
        if taken {
            return Err(JointError::SameName { joint: name.to_owned() });
        }
        if name.is_empty() || name.starts_with('#') {
            return Err(JointError::Name { joint: name.to_owned() });
        }
        Ok(())
    }

    /// The frames of a joint at the start, and its angles there, in (−π, π].
    pub fn joint_at_start(&self, place: usize) -> (Geometry, Turns) {
        let joint = &self.joints[place];
        let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| self.at_start(id)));
        let geometry = joint.geometry(&a, &b);
        (geometry, joint.remember(&geometry, &Turns::default()))
    }

    fn at_start(&self, id: BodyId) -> Kinematics {
        let body = self.body(id);
        let (acceleration, spin_rate) =
            body.prescribed_motion().map_or((DVec3::ZERO, DVec3::ZERO), |motion| motion.acceleration(0.0));
        Kinematics { pose: body.start_pose(), twist: body.start_twist(), acceleration, spin_rate }
    }

    /// Another start of the bodies that can move, found from the joints: pose and twist of each body.
    pub(crate) fn restart(&mut self, starts: impl Iterator<Item = (Pose, Twist)>) {
        for (id, (pose, twist)) in self.body_ids().zip(starts) {
            if self.body(id).is_dynamic() {
                self.members.restart(id, pose, twist);
            }
        }
    }

    /// Joints that cannot all be satisfied keep what they miss at the start.
    pub(crate) fn put_up_with_misses(&mut self) {
        for place in 0..self.joints.len() {
            let turns = self.joint_at_start(place).1;
            let stands = |id: BodyId| {
                let body = self.body(id);
                Kinematics { pose: body.start_pose(), twist: body.start_twist(), ..STILL }
            };
            let [a, b] = self.joints[place].bodies().map(|id| id.map_or(STILL, stands));
            self.joints[place].put_up_with((&a, &b), &turns);
        }
    }

    /// All joints, in the order of their names.
    pub fn joints(&self) -> &[FittedJoint] {
        &self.joints
    }

    /// All couplings of joints, in the order of their names.
    pub fn couplings(&self) -> &[FittedCoupling] {
        &self.couplings
    }

    /// The joint of this name.
    pub fn find_joint(&self, name: &str) -> Option<&FittedJoint> {
        self.joints.iter().find(|joint| joint.name() == name)
    }

    /// Pairs of bodies that do not collide because a joint connects them, ascending, each once.
    ///
    /// Where two joints join the same bodies, either may let them collide.
    pub fn jointed_pairs(&self) -> Vec<[BodyId; 2]> {
        let pair = |joint: &FittedJoint| match joint.bodies() {
            [Some(a), Some(b)] => Some([a.min(b), a.max(b)]),
            _ => None,
        };
        let colliding: Vec<[BodyId; 2]> =
            self.joints.iter().filter(|joint| joint.joint().collides()).filter_map(pair).collect();
        let mut pairs: Vec<[BodyId; 2]> =
            self.joints.iter().filter_map(pair).filter(|pair| !colliding.contains(pair)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
