//! The coordinates of a joint that it leaves free, and what motors do along them.

use super::describe::{Control, JointKind};
use super::{Axis, FittedJoint, Geometry, Turns};

impl FittedJoint {
    /// The axes that its kind leaves free, in the order of [`Axis`]: the distance of a rod or rope, and of a user's constraint the axes
    /// along which something acts.
    pub fn free_axes(&self) -> Vec<Axis> {
        let joint = self.joint();
        match &joint.kind {
            JointKind::Rod { .. } | JointKind::Rope { .. } => vec![Axis::Distance],
            JointKind::Own(_) => {
                let mut axes: Vec<Axis> = joint.controls.iter().map(|(axis, _)| *axis).collect();
                axes.sort_unstable();
                axes.dedup();
                axes
            }
            kind => Axis::SIX
                .into_iter()
                .zip(kind.locked())
                .filter(|(_, locked)| !locked)
                .map(|(a, _)| a)
                .collect(),
        }
    }

    /// What motors and prescribed motions do along an axis at time `t`, N or N·m: those by force and by position as
    /// [`FittedJoint::load`], the others by the forces of their equations, given those of all [`FittedJoint::equations`] of the joint.
    pub fn motor_force(
        &self,
        geometry: &Geometry,
        axis: Axis,
        (t, turns): (f64, &Turns),
        forces: &[f64],
    ) -> f64 {
        let joint = self.joint();
        let of_controls = joint.controls.iter().map(|(_, control)| equation_count(control)).sum::<usize>();
        // Equations of controls come last, but for that of the cone.
        let mut next = forces.len() - of_controls - usize::from(joint.cone.is_some());
        let mut total = 0.0;
        for (of, control) in &joint.controls {
            let first = next;
            next += equation_count(control);
            if *of != axis {
                continue;
            }
            total += match control {
                Control::Force(course) => course.at(t)[0],
                Control::Position { target, stiffness, damping, largest } => {
                    let (q, [s, speed, _]) = (self.coordinate(geometry, axis, turns), target.at(t));
                    let wanted = -stiffness * (q.value - s) - damping * (q.rate - speed);
                    wanted.clamp(-largest, *largest)
                }
                Control::Velocity { .. } | Control::Motion(_) => forces[first],
                Control::Limit { .. } | Control::Spring { .. } | Control::Friction(_) => 0.0,
            };
        }
        total
    }
}

/// How many equations [`FittedJoint::equations`] has for it.
fn equation_count(control: &Control) -> usize {
    match control {
        Control::Limit { lower, upper, .. } if lower == upper => 1,
        Control::Limit { lower, upper, .. } => {
            [lower, upper].iter().filter(|bound| bound.is_finite()).count()
        }
        Control::Velocity { .. } | Control::Motion(_) | Control::Friction(_) => 1,
        Control::Spring { .. } | Control::Force(_) | Control::Position { .. } => 0,
    }
}
