//! What springs, dampers and motors in a joint do to its bodies; the reaction of a joint, and its friction.

use super::describe::Control;
use super::{Axis, Equation, FittedJoint, Friction, Geometry, RowMode, Turns};
use crate::body::{Kinematics, Load};
use crate::math::DVec3;
use crate::math::Row;

/// What a joint does to its two bodies by laws of force, at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLoad {
    /// On a, about its centre of mass.
    pub on_a: Load,
    /// On b.
    pub on_b: Load,
    /// Energy stored in its springs, J.
    pub potential: f64,
    /// Power of dampers, motors and moving targets on the bodies, W: what the ledger has to book.
    pub power: f64,
}

impl JointLoad {
    fn add(&mut self, row: &Row, force: f64) {
        self.on_a.force += force * row.linear_a;
        self.on_a.torque += force * row.angular_a;
        self.on_b.force += force * row.linear_b;
        self.on_b.torque += force * row.angular_b;
    }
}

/// A motor by position with a largest force, at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motor {
    /// Along which axis it acts.
    pub axis: Axis,
    /// −k(q − s) − c(q̇ − ṡ), N or N·m.
    pub wanted: f64,
    /// N or N·m.
    pub largest: f64,
    /// q̇, m/s or rad/s.
    pub rate: f64,
}

/// The force and torque of a joint on its body a at its point, world; b feels the opposite at the same point of space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reaction {
    /// N.
    pub force: DVec3,
    /// About the joint's point on a, N·m.
    pub torque: DVec3,
}

impl FittedJoint {
    /// The loads of springs, dampers and motors by force and by position at time `t`.
    ///
    /// F on the coordinate q loads the bodies by F times the gradient of q, so its power is F q̇. A spring books ½k(q − q₀)²;
    /// everything else books its power.
    pub fn load(&self, bodies: (&Kinematics, &Kinematics), t: f64, turns: &Turns) -> JointLoad {
        self.load_saturated(bodies, t, turns, &[])
    }

    /// As [`FittedJoint::load`], with the mode of each of [`FittedJoint::motors`]: its control law (active), or its largest force
    /// with a sign (saturated). So the force has no kink but where modes change. The force of a motor without a mode is
    /// clamped.
    pub fn load_saturated(
        &self,
        (a, b): (&Kinematics, &Kinematics),
        t: f64,
        turns: &Turns,
        modes: &[RowMode],
    ) -> JointLoad {
        let mut load = JointLoad::default();
        let mut geometry = None;
        let mut modes = modes.iter();
        for (axis, control) in &self.joint.controls {
            if !matches!(control, Control::Spring { .. } | Control::Force(_) | Control::Position { .. }) {
                continue;
            }
            let geometry = geometry.get_or_insert_with(|| self.geometry(a, b));
            let q = self.coordinate(geometry, *axis, turns);
            match control {
                Control::Spring { stiffness, rest, damping } => {
                    let stretched = q.value - rest;
                    let damped = -damping * q.rate;
                    load.add(&q.row, damped - stiffness * stretched);
                    load.potential += 0.5 * stiffness * stretched * stretched;
                    load.power += damped * q.rate;
                }
                Control::Force(course) => {
                    let force = course.at(t)[0];
                    load.add(&q.row, force);
                    load.power += force * q.rate;
                }
                Control::Position { target, stiffness, damping, largest } => {
                    let [s, speed, _] = target.at(t);
                    let wanted = -stiffness * (q.value - s) - damping * (q.rate - speed);
                    let mode = if largest.is_finite() { modes.next() } else { None };
                    let force = match mode {
                        Some(RowMode::Saturated(sign)) => sign * largest,
                        Some(_) => wanted,
                        None => wanted.clamp(-largest, *largest),
                    };
                    load.add(&q.row, force);
                    load.power += force * q.rate;
                }
                _ => {}
            }
        }
        load
    }

    /// Whether some of its loads are given by [`FittedJoint::load`].
    pub fn has_loads(&self) -> bool {
        let is_load =
            |c: &Control| matches!(c, Control::Spring { .. } | Control::Force(_) | Control::Position { .. });
        self.joint.controls.iter().any(|(_, control)| is_load(control))
    }

    /// Whether nothing in it changes with time.
    pub fn is_steady(&self) -> bool {
        let steady = |control: &Control| match control {
            Control::Force(course)
            | Control::Motion(course)
            | Control::Velocity { target: course, .. }
            | Control::Position { target: course, .. } => matches!(course, super::Course::Constant(_)),
            Control::Limit { .. } | Control::Spring { .. } | Control::Friction(_) => true,
        };
        let is_own = matches!(self.joint.kind, super::JointKind::Own(_));
        !is_own && self.joint.controls.iter().all(|(_, control)| steady(control))
    }

    /// Times at which a motor or a prescribed motion in it is not smooth.
    pub fn jumps(&self) -> impl Iterator<Item = f64> {
        self.joint
            .controls
            .iter()
            .flat_map(|(_, control)| match control {
                Control::Force(course)
                | Control::Motion(course)
                | Control::Velocity { target: course, .. }
                | Control::Position { target: course, .. } => course.jumps(),
                Control::Limit { .. } | Control::Spring { .. } | Control::Friction(_) => &[],
            })
            .copied()
    }

    /// The motors by position that have a largest force, at an instant: where one comes to it, or back from it, its force
    /// has a kink.
    pub fn motors(&self, geometry: &Geometry, t: f64, turns: &Turns) -> impl Iterator<Item = Motor> {
        self.joint.controls.iter().filter_map(move |(axis, control)| {
            let Control::Position { target, stiffness, damping, largest } = control else { return None };
            let q = self.coordinate(geometry, *axis, turns);
            let [s, speed, _] = target.at(t);
            let wanted = -stiffness * (q.value - s) - damping * (q.rate - speed);
            let motor = Motor { axis: *axis, wanted, largest: *largest, rate: q.rate };
            largest.is_finite().then_some(motor)
        })
    }

    /// How many of these it has.
    pub fn motor_count(&self) -> usize {
        let is_bounded =
            |control: &Control| matches!(control, Control::Position { largest, .. } if largest.is_finite());
        self.joint.controls.iter().filter(|(_, control)| is_bounded(control)).count()
    }

    /// The reaction of equations with these forces, those of friction and of motors included.
    pub fn reaction(&self, geometry: &Geometry, equations: &[Equation], forces: &[f64]) -> Reaction {
        let mut load = JointLoad::default();
        for (equation, force) in equations.iter().zip(forces) {
            load.add(&equation.jet.row, *force);
        }
        let [arm, _] = geometry.arms();
        Reaction { force: load.on_a.force, torque: load.on_a.torque - arm.cross(load.on_a.force) }
    }

    /// The largest friction along an axis under a reaction, N or N·m: constant + arm·μ·N.
    ///
    /// N is the reaction's force; of a sliding axis its part across the axis. Couples that press on a guide or a journal are not
    /// counted: their share hangs on how long it is.
    pub fn friction_limit(
        &self,
        geometry: &Geometry,
        axis: Axis,
        friction: &Friction,
        reaction: &Reaction,
    ) -> f64 {
        let pressing = match axis.index() {
            Some(k) if k < 3 => {
                let n = geometry.axis_b(k);
                (reaction.force - n * n.dot(reaction.force)).length()
            }
            _ => reaction.force.length(),
        };
        friction.constant + friction.coefficient * friction.arm * pressing
    }
}

impl Equation {
    /// The loads of a force of this equation on a and on b.
    pub fn loads(&self, force: f64) -> [Load; 2] {
        let mut load = JointLoad::default();
        load.add(&self.jet.row, force);
        [load.on_a, load.on_b]
    }

    /// The power of a force of this equation that the ledger has to book, W, given the twists of the bodies.
    ///
    /// λ row·twists: zero of an equation that is constant in time, the work of the drive otherwise.
    pub fn power(&self, force: f64, a: &Kinematics, b: &Kinematics) -> f64 {
        force * self.jet.row.apply((a.twist.velocity, a.twist.spin), (b.twist.velocity, b.twist.spin))
    }
}
