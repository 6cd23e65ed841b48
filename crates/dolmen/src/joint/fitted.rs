//! A joint fitted into a world, and its equations at an instant.

use super::describe::axis::{Turning, locked_entries, turnings, upright_entries};
use super::describe::own;
use super::describe::{Cone, Control, Joint, JointKind, Side};
use super::{Axis, Course, Geometry, Jet, Law};
use crate::body::Kinematics;
use crate::id::BodyId;
use crate::math::real::{TAU, cos};
use crate::math::{DVec3, Pose, Twist};
use serde::{Deserialize, Serialize};

/// One equation of a joint at an instant. A force λ of it loads the bodies by λ times the parts of its row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equation {
    /// g with its derivatives.
    pub jet: Jet,
    /// What its force may be.
    pub law: Law,
    /// The axis whose coordinate it is about, if it is about one.
    pub axis: Option<Axis>,
    /// Whether its force is a torque.
    pub is_angular: bool,
}

/// The turns of a joint so far: what the angles of the frames alone do not tell.
///
/// Angles last known about x, y and z, with all their turns. The angle at another instant is the one nearest to these: bring
/// them up to date ([`FittedJoint::remember`]) before a body turns by half a turn more.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Turns {
    /// rad.
    pub angles: [f64; 3],
}

/// A joint of a world: its frames fixed to its bodies.
#[derive(Debug, Clone)]
pub struct FittedJoint {
    pub(super) joint: Joint,
    pub(super) frames: [Pose; 2],
    /// Of a rod or rope, m.
    pub(super) length: f64,
    pub(super) turnings: [Option<Turning>; 3],
    pub(super) free_turns: [bool; 3],
    /// What the start left of each equation and is accepted; empty where all are satisfied.
    pub(super) left: Vec<f64>,
}

/// A side at rest at the origin.
pub(crate) const STILL: Kinematics = Kinematics {
    pose: Pose::IDENTITY,
    twist: Twist::ZERO,
    acceleration: DVec3::ZERO,
    spin_rate: DVec3::ZERO,
};

impl FittedJoint {
    pub(super) fn new(joint: Joint, frames: [Pose; 2], length: f64) -> Self {
        let locked = joint.kind.locked();
        let free_turns = [!locked[3], !locked[4], !locked[5]];
        Self { joint, frames, length, turnings: turnings(free_turns), free_turns, left: Vec::new() }
    }

    /// As it was described.
    pub fn joint(&self) -> &Joint {
        &self.joint
    }

    /// The motors that a target can be given to: their place among the controls, and their axis. A prescribed motion is none: it
    /// cannot jump.
    pub fn targets(&self) -> impl Iterator<Item = (usize, Axis)> {
        self.joint.controls.iter().enumerate().filter_map(|(place, (axis, control))| {
            let is_motor =
                matches!(control, Control::Force(_) | Control::Velocity { .. } | Control::Position { .. });
            is_motor.then_some((place, *axis))
        })
    }

    /// Gives another target to the motor at this place among the controls.
    pub(crate) fn set_target(&mut self, place: usize, number: f64) {
        let (_, control) = &mut self.joint.controls[place];
        if let Control::Force(target) | Control::Velocity { target, .. } | Control::Position { target, .. } =
            control
        {
            *target = Course::Constant(number);
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.joint.name
    }

    /// Its frames in the bodies, or in the world; a first.
    pub fn frames(&self) -> &[Pose; 2] {
        &self.frames
    }

    /// Its bodies, none for the world; a first.
    pub fn bodies(&self) -> [Option<BodyId>; 2] {
        [self.joint.a, self.joint.b].map(|side| match side {
            Side::Body(id) => Some(id),
            // Handles became bodies when it was fitted.
            Side::Added(_) | Side::World => None,
        })
    }

    /// Accepts what is left of its equalities for bodies as they are: from here on that is kept in the place of zero.
    pub fn put_up_with(&mut self, bodies: (&Kinematics, &Kinematics), turns: &Turns) {
        self.left.clear();
        let mut equations = Vec::new();
        self.equations(bodies, 0.0, turns, &mut equations);
        let left = |equation: &Equation| if equation.law == Law::Equal { equation.jet.value } else { 0.0 };
        self.left = equations.iter().map(left).collect();
    }

    /// The length of its rod or rope, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Its frames in motion.
    pub fn geometry(&self, a: &Kinematics, b: &Kinematics) -> Geometry {
        Geometry::new(a, b, &self.frames[0], &self.frames[1])
    }

    /// A coordinate of the joint with its derivatives: m along x, y and z of frame b, rad about them, or the distance.
    ///
    /// An angle has the turns that bring it nearest to `turns`. The angle about a locked axis is zero.
    pub fn coordinate(&self, geometry: &Geometry, axis: Axis, turns: &Turns) -> Jet {
        let angle = |k: usize| match self.turnings[k] {
            Some(turning) => geometry.angle(turning).nearest_turn(turns.angles[k]),
            None => Jet::ZERO,
        };
        match axis {
            Axis::X => geometry.along(0),
            Axis::Y => geometry.along(1),
            Axis::Z => geometry.along(2),
            Axis::TurnX => angle(0),
            Axis::TurnY => angle(1),
            Axis::TurnZ => angle(2),
            Axis::Distance => geometry.distance(),
        }
    }

    /// The turns at an instant that is less than half a turn from that of `turns`.
    #[must_use]
    pub fn remember(&self, geometry: &Geometry, turns: &Turns) -> Turns {
        let mut angles = turns.angles;
        for (k, turning) in self.turnings.iter().enumerate() {
            if let Some(turning) = turning {
                angles[k] = geometry.angle(*turning).nearest_turn(angles[k]).value;
            }
        }
        Turns { angles }
    }

    /// Whether frame a is upright in frame b: entries that equations keep at zero are so upside down as well.
    pub fn is_upright(&self, geometry: &Geometry) -> bool {
        match self.joint.kind {
            JointKind::Rod { .. } | JointKind::Rope { .. } | JointKind::Own(_) => true,
            _ => upright_entries(self.free_turns).iter().all(|i| geometry.entry(*i, *i).value > 0.0),
        }
    }

    /// Appends all equations of the joint at time `t`, always as many and in the same order: first what the kind forbids,
    /// then what acts along its axes in the order in which that was given, then its cone.
    pub fn equations(
        &self,
        (a, b): (&Kinematics, &Kinematics),
        t: f64,
        turns: &Turns,
        equations: &mut Vec<Equation>,
    ) {
        self.equations_of(&self.geometry(a, b), (a, b), t, turns, equations);
    }

    /// As [`FittedJoint::equations`], where its frames in motion are known.
    pub(crate) fn equations_of(
        &self,
        geometry: &Geometry,
        (a, b): (&Kinematics, &Kinematics),
        t: f64,
        turns: &Turns,
        equations: &mut Vec<Equation>,
    ) {
        let first = equations.len();
        self.structure(geometry, equations);
        self.extras(geometry, equations);
        if let JointKind::Own(own) = &self.joint.kind {
            for i in 0..own.count() {
                let jet = own::evaluate(own.as_ref(), i, a, b, t);
                equations.push(Equation { jet, law: own.law(i), axis: None, is_angular: false });
            }
        }
        for (axis, control) in &self.joint.controls {
            self.control(geometry, (*axis, control), t, turns, equations);
        }
        if let Some(Cone { largest, restitution }) = self.joint.cone {
            // a_z·b_z ≥ cos of the largest angle: smooth on the axis, where the angle is not.
            let jet = geometry.entry(2, 2).plus(-cos(largest));
            equations.push(Equation { jet, law: Law::AtLeast { restitution }, axis: None, is_angular: true });
        }
        for (equation, left) in equations[first..].iter_mut().zip(&self.left) {
            equation.jet.value -= left;
        }
    }

    /// The equations of locked axes.
    fn structure(&self, geometry: &Geometry, equations: &mut Vec<Equation>) {
        let locked = self.joint.kind.locked();
        for (i, axis) in [Axis::X, Axis::Y, Axis::Z].into_iter().enumerate() {
            if locked[i] {
                let jet = geometry.along(i);
                equations.push(Equation { jet, law: Law::Equal, axis: Some(axis), is_angular: false });
            }
        }
        if matches!(self.joint.kind, JointKind::Rod { .. } | JointKind::Rope { .. } | JointKind::Own(_)) {
            return;
        }
        for (i, j) in locked_entries(self.free_turns) {
            let jet = geometry.entry(*i, *j);
            equations.push(Equation { jet, law: Law::Equal, axis: None, is_angular: true });
        }
    }

    /// The equations of screws, rods and ropes.
    fn extras(&self, geometry: &Geometry, equations: &mut Vec<Equation>) {
        let (jet, law) = match self.joint.kind {
            JointKind::Screw { pitch } => {
                // z − pitch·φ/2π, known up to whole turns: the one nearest to zero, so no turns need be counted.
                let (z, phi) = (geometry.along(2), geometry.angle(Turning::Twist(2)));
                let jet = Jet::combined((1.0, &z), (-pitch / TAU, &phi)).nearest_multiple(pitch.abs(), 0.0);
                (jet, Law::Equal)
            }
            JointKind::Rod { .. } => (geometry.excess(self.length), Law::Equal),
            JointKind::Rope { restitution, .. } => {
                (geometry.excess(self.length).scaled(-1.0), Law::AtLeast { restitution })
            }
            _ => return,
        };
        equations.push(Equation { jet, law, axis: None, is_angular: false });
    }

    fn control(
        &self,
        geometry: &Geometry,
        (axis, control): (Axis, &Control),
        t: f64,
        turns: &Turns,
        equations: &mut Vec<Equation>,
    ) {
        let mut push = |jet: Jet, law: Law| {
            equations.push(Equation { jet, law, axis: Some(axis), is_angular: axis.is_angular() });
        };
        let coordinate = || self.coordinate(geometry, axis, turns);
        match control {
            Control::Limit { lower, upper, .. } if lower == upper => {
                push(coordinate().plus(-lower), Law::Equal);
            }
            Control::Limit { lower, upper, restitution } => {
                let (q, law) = (coordinate(), Law::AtLeast { restitution: *restitution });
                if lower.is_finite() {
                    push(q.plus(-lower), law);
                }
                if upper.is_finite() {
                    push(q.scaled(-1.0).plus(*upper), law);
                }
            }
            Control::Velocity { target, largest } => {
                let [speed, pull, _] = target.at(t);
                push(coordinate().less([0.0, speed, pull]), Law::Driven { largest: *largest });
            }
            Control::Motion(course) => {
                let difference = coordinate().less(course.at(t));
                // Nearest to zero: a driven angle needs no turns to be counted.
                let near = if axis.is_angular() { difference.nearest_turn(0.0) } else { difference };
                push(near, Law::Equal);
            }
            Control::Friction(friction) => push(coordinate(), Law::Friction(*friction)),
            Control::Spring { .. } | Control::Force(_) | Control::Position { .. } => {}
        }
    }
}
