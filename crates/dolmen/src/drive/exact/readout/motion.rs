//! Where everything is, and how it moves.

use super::{ledger, load, momentum};
use crate::body::Kinematics;
use crate::drive::exact::state::State;
use crate::math::{DMat3, Pose, Twist};
use crate::motion::Motion;
use crate::record::Sample;
use crate::world::{BodyId, World};

/// Position and orientation of a body.
pub fn pose(world: &World, state: &State, id: BodyId) -> Pose {
    match world.body(id).prescribed_motion() {
        Some(motion) => motion.pose(state.t),
        None => state.states.bodies[id.index()].pose(),
    }
}

/// The rotation of a body as it is carried, and how far that is from one.
pub(crate) fn carried_rotation(world: &World, state: &State, id: BodyId) -> (DMat3, f64) {
    let place = state.places[id.index()];
    let carried = place.and_then(|(track, k)| state.tracks[track].carried_rotation(state.t, k));
    carried.unwrap_or_else(|| (DMat3::from_quat(pose(world, state, id).orientation), 0.0))
}

/// Velocity and angular velocity of a body.
pub fn twist(world: &World, state: &State, id: BodyId) -> Twist {
    match world.body(id).prescribed_motion() {
        Some(motion) => motion.twist(state.t),
        None => state.states.bodies[id.index()].twist(world.body(id).inertia()),
    }
}

/// Pose, twist and acceleration of a body, from which those of any of its points follow.
pub fn kinematics(world: &World, state: &State, id: BodyId) -> Kinematics {
    if state.places[id.index()].is_none() {
        let (pose, twist) = (pose(world, state, id), twist(world, state, id));
        let motion = world.body(id).prescribed_motion();
        let (acceleration, spin_rate) = motion.map(|m| m.acceleration(state.t)).unwrap_or_default();
        return Kinematics { pose, twist, acceleration, spin_rate };
    }
    let load = load(world, state, id);
    Kinematics::new(&state.states.bodies[id.index()], world.body(id).inertia(), &load)
}

/// Everything that a record holds of the present time.
pub fn sample(world: &World, state: &State) -> Sample {
    let (momentum, angular_momentum) = momentum(world, state);
    Sample {
        t: state.t,
        bodies: world.described_ids().map(|id| (pose(world, state, id), twist(world, state, id))).collect(),
        sets: state.states.sets.clone(),
        ledger: ledger(world, state),
        momentum,
        angular_momentum,
        drifts: drifts(world, state),
    }
}

/// How far the carried orientation of every described body is from a rotation; empty where none is carried.
fn drifts(world: &World, state: &State) -> Vec<f64> {
    let mut drifts = Vec::new();
    for (id, drift) in state.tracks.iter().filter_map(|track| track.rotation_defects(state.t)).flatten() {
        drifts.resize(world.described_ids().count(), 0.0);
        // Particles have ranks after all described bodies, and no orientation.
        if let Some(of_body) = drifts.get_mut(id.index()) {
            *of_body = drift;
        }
    }
    drifts
}
