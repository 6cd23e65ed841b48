//! Position motors with a force limit: they saturate, and recover.
//!
//! Between two events the force of each is smooth: the force it demands (active), or its limit (saturated). At the
//! change of mode the force is continuous, except for a small hysteresis that keeps rounding from deciding twice.

use crate::body::Kinematics;
use crate::drive::exact::island::equations::joint_scales::at_instant;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::modes::joints::guards::on_span;
use crate::drive::exact::modes::tolerances::SATURATION_HYSTERESIS;
use crate::drive::exact::state::State;
use crate::dynamics::Island;
use crate::joint::{Motor, RowMode, STILL, Turns};
use crate::math::bracket::first_positive;
use crate::record::{JointEvent, JointEventKind};
use crate::world::{BodyId, World};

/// The motors of a joint for bodies in motion.
fn motors_of(
    world: &World,
    place: usize,
    kinematics: impl Fn(BodyId) -> Kinematics,
    t: f64,
    turns: &Turns,
) -> Vec<Motor> {
    let joint = &world.joints()[place];
    let [a, b] = joint.bodies().map(|id| id.map_or(STILL, &kinematics));
    joint.motors(&joint.geometry(&a, &b), t, turns).collect()
}

/// By how much a motor is outside of its mode, by its force limit less a share of slack: positive where the mode
/// changes.
fn mode_excess(motor: &Motor, mode: RowMode, slack: f64) -> f64 {
    let largest = motor.largest;
    match mode {
        RowMode::Saturated(sign) => largest - sign * motor.wanted - slack * largest,
        RowMode::Active | RowMode::Free => motor.wanted.abs() - largest - slack * largest,
    }
}

impl Modes<'_> {
    /// Decides the modes of the motors of an island from the states at `t`, and logs the changes.
    pub(crate) fn saturate_motors(&mut self, t: f64, island: &Island) {
        for place in island.joints.iter().copied() {
            if self.state.joints.motor_modes[place].is_empty() {
                continue;
            }
            let turns = self.state.joints.turns[place];
            let at = |id| at_instant(self.world, &self.state.states, id, t);
            for (i, motor) in motors_of(self.world, place, at, t, &turns).into_iter().enumerate() {
                let old = self.state.joints.motor_modes[place][i];
                if mode_excess(&motor, old, 0.5 * SATURATION_HYSTERESIS) <= 0.0 {
                    continue;
                }
                let is_saturated = motor.wanted.abs() > motor.largest;
                let new =
                    if is_saturated { RowMode::Saturated(motor.wanted.signum()) } else { RowMode::Active };
                if new == old {
                    continue;
                }
                self.state.joints.motor_modes[place][i] = new;
                self.state.log.add_joint(JointEvent {
                    t,
                    joint: place,
                    axis: Some(motor.axis),
                    kind: if is_saturated { JointEventKind::Saturated } else { JointEventKind::Active },
                    approach: motor.rate,
                    separation: motor.rate,
                    impulse: 0.0,
                    lost: 0.0,
                });
            }
        }
    }
}

impl State {
    /// The first instant after `good`, up to `t`, at which the mode of a motor ends; none if all stay valid.
    pub(crate) fn first_motor_change(&self, world: &World, k: usize, (good, t): (f64, f64)) -> Option<f64> {
        let joints = &self.joints;
        let track = &self.tracks[k];
        let mut first = f64::INFINITY;
        for place in track.island.joints.iter().copied() {
            for (i, mode) in joints.motor_modes[place].iter().enumerate() {
                let excess = |t: f64| {
                    let at = |id| on_span(world, track, id, t);
                    let motors = motors_of(world, place, at, t, &joints.turns[place]);
                    mode_excess(&motors[i], *mode, SATURATION_HYSTERESIS)
                };
                let end = first.min(t);
                let ends = (excess(good), excess(end));
                if ends.1 > 0.0 {
                    first = first_positive((good, end), ends, excess);
                }
            }
        }
        (first < f64::INFINITY).then_some(first)
    }
}
