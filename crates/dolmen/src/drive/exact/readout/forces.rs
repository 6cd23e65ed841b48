//! Forces of contacts and joints, and the loads on bodies and particles.

use super::Reader;
use crate::body::Load;
use crate::contact::rest::{ContactConstraint, Frame, Loaded, Mode};
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::track::Track;
use crate::drive::exact::state::State;
use crate::joint::{Equation, Geometry};
use crate::math::DVec3;
use crate::motion::Motion;
use crate::record::{ContactForce, JointCoordinate, JointForce};
use crate::world::{BodyId, SetId, World};

/// The forces of all active contacts now, in the order of their bodies.
pub fn contact_forces(world: &World, state: &State) -> Vec<ContactForce> {
    let mut found = Vec::new();
    let mut reader = None;
    for track in &state.tracks {
        let Some(active) = track.active.as_ref().filter(|active| !active.constraints.is_empty()) else {
            continue;
        };
        let mut solve = || {
            let reader = reader.get_or_insert_with(|| Reader::new(world, state));
            forces_of((world, state), track, active, reader)
        };
        // An island at rest does not change, nor do its forces: they are solved once.
        if track.is_at_rest() {
            found.extend_from_slice(track.rest_forces.get_or_init(solve));
        } else {
            found.extend(solve());
        }
    }
    found.sort_by_key(|force: &ContactForce| (force.bodies, force.features));
    found
}

/// The forces of the contacts of one island.
fn forces_of(
    (world, state): (&World, &State),
    track: &Track,
    active: &ActiveSet,
    reader: &mut Reader,
) -> Vec<ContactForce> {
    let y = track.vector_of(&state.states);
    track.equations(world, reader.workspace()).find_forces(state.t, &y);
    let constraints = &reader.scratch.constraints;
    let force = |(i, constraint): (usize, &ContactConstraint)| {
        let (frame, f) = (&constraints.frames[i], constraints.forces[i]);
        ContactForce {
            bodies: active.pairs[i].map(|body| BodyId::from_rank(body as usize)),
            features: active.features[i],
            point: frame.point,
            normal: frame.normal,
            normal_force: f.x,
            friction: f.y * frame.tangents[0] + f.z * frame.tangents[1],
            moment: constraints.moment(i),
            sticks: constraint.mode == Mode::Stick,
            rolls: constraint.mode == Mode::Stick && rolls(&reader.scratch.loaded, constraint, frame),
            residual: constraints.residual,
            is_unique: constraints.is_unique,
            status: constraints.ended.0,
            iterations: constraints.ended.1,
        }
    };
    active.constraints.iter().enumerate().map(force).collect()
}

/// Whether the bodies of a contact rotate relative to each other about an axis in its tangent plane, faster than the
/// stick tolerance.
fn rolls(bodies: &[Loaded], contact: &ContactConstraint, frame: &Frame) -> bool {
    let [a, b] = contact.bodies.map(|place| &bodies[place].kinematics);
    let spin = a.twist.spin - b.twist.spin;
    let across = spin - frame.normal * frame.normal.dot(spin);
    // Only of dynamic bodies: the centre of a support may be arbitrarily far away.
    let arms = contact.bodies.iter().map(|place| &bodies[*place]).filter(|body| body.inv_mass > 0.0);
    let arm = arms.map(|body| frame.point.distance(body.kinematics.pose.position)).fold(0.0, f64::max);
    across.length() * arm > contact.still
}

/// The force and torque of every joint with a dynamic body, now, in the order of [`World::joints`].
pub fn joint_forces(world: &World, state: &State) -> Vec<JointForce> {
    let mut found = Vec::new();
    each_joint(world, state, |solved| {
        let joint = &world.joints()[solved.joint];
        let reaction = joint.reaction(solved.frame, solved.equations, solved.forces);
        let position = |id: BodyId| match world.body(id).prescribed_motion() {
            Some(motion) => motion.pose(state.t).position,
            None => state.states.bodies[id.index()].pose().position,
        };
        let point = joint.bodies()[0].map_or(DVec3::ZERO, position);
        found.push(JointForce {
            joint: solved.joint,
            point: point + solved.frame.arms()[0],
            force: reaction.force,
            torque: reaction.torque,
            is_unique: solved.is_unique,
        });
    });
    found.sort_by_key(|force| force.joint);
    found
}

/// The coordinates of every joint with a dynamic body, now, in the order of [`World::joints`] and of the axes.
pub fn joint_coordinates(world: &World, state: &State) -> Vec<JointCoordinate> {
    let mut found = Vec::new();
    each_joint(world, state, |solved| {
        let (joint, turns) = (&world.joints()[solved.joint], &state.joints.turns[solved.joint]);
        found.extend(JointCoordinate::all(
            solved.joint,
            joint,
            solved.frame,
            (state.t, turns),
            solved.forces,
        ));
    });
    found.sort_by_key(|coordinate| coordinate.joint);
    found
}

/// A joint with the forces of its equations.
struct SolvedJoint<'s> {
    /// By its place in [`World::joints`].
    joint: usize,
    frame: &'s Geometry,
    equations: &'s [Equation],
    /// Of each equation, N or N·m.
    forces: &'s [f64],
    is_unique: bool,
}

/// Solves for the forces of all joints with a dynamic body, island by island.
fn each_joint(world: &World, state: &State, mut read: impl FnMut(&SolvedJoint)) {
    let mut reader = None;
    for track in state.tracks.iter().filter(|track| !track.island.joints.is_empty()) {
        let reader = reader.get_or_insert_with(|| Reader::new(world, state));
        let y = track.vector_of(&state.states);
        // Those that go with the forces that contacts are said to have.
        track.equations(world, reader.workspace()).find_forces(state.t, &y);
        for k in &reader.scratch.constraints.present {
            let articulation = &reader.scratch.constraints.articulations[*k];
            let (system, forces) =
                (&articulation.system, articulation.equation_forces(&reader.joints.articulations[*k]));
            let is_unique = system.factors().redundant() == 0;
            let mut start = 0;
            for (i, place) in system.joints().iter().enumerate() {
                let (frame, equations) = (system.frame(i), system.equations_of(i));
                let end = start + equations.len();
                let forces = &forces[start..end];
                read(&SolvedJoint { joint: *place, frame, equations, forces, is_unique });
                start = end;
            }
        }
    }
}

/// The total force and torque on a body, gravity included; zero for a body that is not dynamic.
pub fn load(world: &World, state: &State, id: BodyId) -> Load {
    let Some((track, _)) = state.places[id.index()] else { return Load::default() };
    let track = &state.tracks[track];
    let y = track.vector_of(&state.states);
    let mut reader = Reader::new(world, state);
    track.equations(world, reader.workspace()).load_on(state.t, &y, id)
}

/// The force and torque on each of these bodies without those of contacts and joints.
pub(crate) fn applied_loads(world: &World, state: &State, ids: &[BodyId]) -> Vec<Load> {
    let mut reader = Reader::new(world, state);
    let load = |id: &BodyId| {
        let Some((track, _)) = state.places[id.index()] else { return Load::default() };
        let track = &state.tracks[track];
        let y = track.vector_of(&state.states);
        track.equations(world, reader.workspace()).applied_load_on(state.t, &y, *id)
    };
    ids.iter().map(load).collect()
}

/// The total force on every particle of a set, gravity included.
pub fn particle_forces(world: &World, state: &State, id: SetId) -> Vec<DVec3> {
    if let Some(range) = world.members().particle_bodies(id) {
        return range.map(|k| load(world, state, BodyId::from_rank(k)).force).collect();
    }
    let Some(track) = state.tracks.iter().find(|track| track.island.sets.contains(&id)) else {
        return Vec::new();
    };
    let y = track.vector_of(&state.states);
    let mut reader = Reader::new(world, state);
    track.equations(world, reader.workspace()).forces_on(state.t, &y, id)
}
