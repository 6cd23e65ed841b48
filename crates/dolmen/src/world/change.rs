//! Changes of a description while it is simulated: targets of motors, pushes.
//!
//! What a change says is data, so that it can be kept, sent and done again: the same changes at the same times give the same bits.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{BodyId, World, WorldError};
use crate::force::{Force, Frame, Push, Torque, Wave, Window};
use crate::joint::Axis;
use crate::math::{DVec3, Pose, Twist};

/// What changes, from a time on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// The target of a motor is this number: m or rad by position, m/s or rad/s by velocity, N or N·m by force.
    Target {
        /// The joint, by name.
        joint: String,
        /// The axis, as scenes call it; may be left out where one motor is in the joint.
        axis: Option<String>,
        /// The target.
        target: f64,
    },
    /// A force through the centre of mass and a torque act on a body, both constant in the world.
    Push {
        /// The body, by name.
        body: String,
        /// N.
        force: [f64; 3],
        /// N·m.
        torque: [f64; 3],
        /// Until when, s; may be infinite.
        until: f64,
    },
}

/// What a change of a world touches.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Changed {
    /// Bodies whose motion it changes.
    pub(crate) bodies: Vec<BodyId>,
    /// Forces that are new or others than before, by their index.
    pub(crate) forces: Vec<usize>,
}

impl World {
    /// Changes the description from time `t` on, as `Simulation::intervene` does to
    /// one that is simulated.
    ///
    /// # Errors
    /// When there is no such motor or body, or a number is out of range.
    pub fn change(&mut self, t: f64, change: &Change) -> Result<(), WorldError> {
        self.changed(t, change).map(|_| ())
    }

    pub(crate) fn changed(&mut self, t: f64, change: &Change) -> Result<Changed, WorldError> {
        match change {
            Change::Target { joint, axis, target } => self.set_target(joint, axis.as_deref(), *target),
            Change::Push { body, force, torque, until } => {
                let refuse =
                    |problem: &str| WorldError::Change { what: body.clone(), problem: problem.into() };
                let id = self.find_body(body).ok_or_else(|| refuse("there is no body of this name"))?;
                if !self.body(id).is_dynamic() {
                    return Err(refuse("it is fixed or kinematic: no force moves it"));
                }
                if until.is_nan() || *until <= t {
                    let text = format!("a push from {t} s until {until} s; give a later time");
                    return Err(WorldError::Change { what: body.clone(), problem: text });
                }
                let window = || Window::new(t, *until, Wave::Constant);
                let (force, torque) = (DVec3::from_array(*force), DVec3::from_array(*torque));
                let mut changed = Changed { bodies: vec![id], forces: Vec::new() };
                if force != DVec3::ZERO {
                    let push =
                        Push { body: id, force, frame: Frame::World, at: DVec3::ZERO, window: window() };
                    changed.forces.push(self.append_force(t, push)?);
                }
                if torque != DVec3::ZERO {
                    let push = Torque { body: id, torque, frame: Frame::World, window: window() };
                    changed.forces.push(self.append_force(t, push)?);
                }
                Ok(changed)
            }
        }
    }

    fn set_target(&mut self, joint: &str, axis: Option<&str>, target: f64) -> Result<Changed, WorldError> {
        let refuse = |problem: String| WorldError::Change { what: joint.to_owned(), problem };
        let place = self.joints.iter().position(|other| other.name() == joint);
        let place = place.ok_or_else(|| refuse("there is no joint of this name".to_owned()))?;
        if !target.is_finite() {
            return Err(refuse(format!("a target of {target}; give a finite number")));
        }
        let fitted = &mut self.joints[place];
        let motors: Vec<(usize, Axis)> = fitted.targets().collect();
        let asked = |(_, other): &&(usize, Axis)| axis.is_none_or(|axis| other.name() == axis);
        let control = match motors.iter().filter(asked).collect::<Vec<_>>()[..] {
            [(control, _)] => *control,
            [] => {
                return Err(refuse(
                    "it has no motor that a target can be given to, or none on this axis".to_owned(),
                ));
            }
            _ => return Err(refuse("it has several motors; say on which axis".to_owned())),
        };
        fitted.set_target(control, target);
        let bodies: Vec<BodyId> = fitted.bodies().into_iter().flatten().collect();
        let bodies = bodies.into_iter().filter(|id| self.body(*id).is_dynamic()).collect();
        Ok(Changed { bodies, forces: Vec::new() })
    }

    /// Adds a force after all others, or in the place of one of the same kind on the same body that is over. Forces that were
    /// there keep their index.
    fn append_force(&mut self, t: f64, force: impl Force + 'static) -> Result<usize, WorldError> {
        force.check(&self.members)?;
        let (kind, members) = (force.kind(), force.members());
        let is_free = |k: &usize| {
            let other = &self.forces[*k];
            other.kind() == kind && other.members() == members && other.is_quiet(t, f64::INFINITY)
        };
        let free = (self.described_forces.unwrap_or(self.forces.len())..self.forces.len()).find(is_free);
        self.described_forces.get_or_insert(self.forces.len());
        let key = format!("{force:?}");
        if let Some(k) = free {
            (self.forces[k], self.force_keys[k]) = (Arc::new(force), key);
            return Ok(k);
        }
        self.forces.push(Arc::new(force));
        self.force_keys.push(key);
        Ok(self.forces.len() - 1)
    }

    /// Lets a body start elsewhere. Joints stay where they were fitted into it.
    ///
    /// # Errors
    /// When the body is fixed or kinematic, or a number is not finite.
    pub fn set_start(&mut self, id: BodyId, pose: Pose, twist: Twist) -> Result<(), WorldError> {
        let refuse =
            |problem: &str| WorldError::Change { what: self.body_name(id), problem: problem.to_owned() };
        if !self.body(id).is_dynamic() {
            return Err(refuse("it is fixed or kinematic: its place is part of the scene"));
        }
        let finite = pose.position.is_finite() && twist.velocity.is_finite() && twist.spin.is_finite();
        let length = pose.orientation.length();
        if !(finite && length.is_finite() && length > 0.0) {
            return Err(refuse("a number is not finite, or the quaternion is zero"));
        }
        let pose = Pose { orientation: pose.orientation.normalize(), ..pose };
        self.members.restart(id, pose, twist);
        Ok(())
    }
}
