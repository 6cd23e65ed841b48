//! Joints at an instant: their equations evaluated, and their velocity and force scales.

use crate::articulation::JointSystem;
use crate::body::Kinematics;
use crate::contact::rest::{Articulation, Loaded};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::states::States;
use crate::math::DVec3;
use crate::motion::Motion;
use crate::world::{BodyId, World};

/// A body at an instant, without its acceleration.
pub(crate) fn at_instant(world: &World, states: &States, id: BodyId, t: f64) -> Kinematics {
    let (pose, twist) = if let Some(motion) = world.body(id).prescribed_motion() {
        (motion.pose(t), motion.twist(t))
    } else {
        let state = &states.bodies[id.index()];
        (state.pose(), state.twist(world.body(id).inertia()))
    };
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}

/// The velocity scale of an articulation, m/s: the speeds of its bodies, and that of a fall by its size.
pub(crate) fn speed_scale(
    world: &World,
    system: &JointSystem,
    kinematics: impl Fn(BodyId) -> Kinematics,
) -> f64 {
    let length = system.length();
    let speed = |id: &BodyId| {
        let twist = kinematics(*id).twist;
        twist.velocity.length() + twist.spin.length() * length
    };
    let fastest = system.bodies().iter().map(speed).fold(0.0, f64::max);
    fastest.max((world.gravity().length() * length).sqrt())
}

/// The force scale of an articulation, N: the largest on one of its bodies as loaded.
pub(crate) fn force_scale(articulation: &Articulation, loaded: &[Loaded]) -> f64 {
    let force = |place: &usize| {
        let body = &loaded[*place];
        if body.inv_mass > 0.0 { body.kinematics.acceleration.length() / body.inv_mass } else { 0.0 }
    };
    let lines = articulation.system.lines().iter().zip(articulation.system.forces());
    let carried = lines.map(|(line, force)| force.abs() / articulation.system.line_weight(*line));
    articulation.places.iter().map(force).chain(carried).fold(0.0, f64::max)
}

/// Evaluates the equations of an articulation in the states at `t`.
pub(crate) fn evaluate_at(
    world: &World,
    states: &States,
    Workspace { joints, scratch }: Workspace,
    (k, t): (usize, f64),
) {
    let articulation = &mut scratch.constraints.articulations[k];
    articulation.system.evaluate(world, |id| at_instant(world, states, id, t), t, &joints.turns);
}
