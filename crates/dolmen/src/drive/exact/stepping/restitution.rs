//! Restitution in a time step.
//!
//! Where a step reduces the approach speed of a contact so that its gap just closes, the contact separates at the start
//! of the next step with its restitution times that speed. This is Newton's law, which may create energy among several
//! contacts: a contact that must separate throws off what another one presses onto it. [Kane 1984] A step that gives energy is taken
//! again without restitution and, where it still does, by the passive scheme.

use crate::contact::rest::Frame;
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::equations::step_forces::LastForce;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::State;
use crate::drive::exact::stepping::step_end::Ends;
use crate::drive::exact::stepping::tolerances::GIVEN;
use crate::dynamics::Island;
use crate::math::{DMat3, DVec3};
use crate::narrow_phase::ContactId;
use crate::world::World;

impl Simulation {
    /// Starts from the impulses of the last time step; returns how far each gap may close, m.
    pub(crate) fn start_step(
        &mut self,
        h: f64,
        active: &ActiveSet,
        last: &[LastForce],
        bounces: bool,
    ) -> Vec<f64> {
        let warm_start = |(pair, features): (&[u32; 2], &ContactId)| {
            let found = last.binary_search_by_key(&(*pair, *features), |last| last.contact);
            found.map_or((DVec3::ZERO, 0.0), |i| {
                (h * last[i].step_force.force, last[i].step_force.closing_speed)
            })
        };
        let warm_start: Vec<(DVec3, f64)> =
            active.pairs.iter().zip(&active.features).map(warm_start).collect();
        self.scratch.island.constraints.forces = warm_start.iter().map(|(impulse, _)| *impulse).collect();
        let gravity = self.world.gravity().length();
        let open = |((frame, touching), (_, closing_speed)): ((&Frame, &Touching), &(DVec3, f64))| {
            if frame.separation > touching.tolerance {
                return frame.separation;
            }
            // A bounce that returns within the step is no bounce.
            let bounce = touching.surface.restitution * closing_speed.max(-frame.velocity.x);
            if bounces && bounce > gravity * h { -h * bounce } else { 0.0 }
        };
        self.scratch
            .island
            .constraints
            .frames
            .iter()
            .zip(&self.scratch.cluster.contacts)
            .zip(&warm_start)
            .map(open)
            .collect()
    }

    /// The approach speeds that the impulses of a time step reduced so that gaps just close, m/s: restitution acts on
    /// these.
    pub(crate) fn closing_speeds(&self, h: f64, impulses: &[DVec3]) -> Vec<f64> {
        let of = |((frame, touching), p): ((&Frame, &Touching), &DVec3)| {
            let is_open = frame.separation > touching.tolerance;
            if is_open && p.x > 0.0 { (-frame.velocity.x - h * frame.free.x).max(0.0) } else { 0.0 }
        };
        self.scratch
            .island
            .constraints
            .frames
            .iter()
            .zip(&self.scratch.cluster.contacts)
            .zip(impulses)
            .map(of)
            .collect()
    }
}

/// Whether the last impulses of a time step give energy to bodies that drift freely, beyond a share of what is in play:
/// p·u₁ − ½‖v₁ − v₀‖²_M, loads apart. With u₁ relative to supports that move, what these do as work is not in it.
pub(crate) fn gives_energy(
    (world, state, scratch): (&World, &State, &IslandScratch),
    island: &Island,
    active: &ActiveSet,
    (ends, is_free): (&Ends, &dyn Fn(usize) -> bool),
) -> bool {
    let IslandScratch { constraints, loaded, .. } = scratch;
    let gravity = world.gravity().length();
    let (mut given, mut in_play) = (0.0, 0.0);
    for (k, id) in island.bodies.iter().enumerate().filter(|(k, _)| is_free(*k)) {
        let ([after, _], before) = (ends.twists_of([k; 2]), &loaded[k].kinematics.twist);
        let inertia = world.body(*id).inertia();
        let rotation = DMat3::from_quat(loaded[k].kinematics.pose.orientation);
        let kinetic = |velocity: DVec3, spin: DVec3| {
            let turned = inertia.angular_momentum(&rotation, spin).dot(spin);
            0.5 * (inertia.mass * velocity.length_squared() + turned)
        };
        given -= kinetic(after.velocity - before.velocity, after.spin - before.spin);
        let radius = state.detection.collider(id.index() as u32).map_or(0.0, |c| c.radius);
        in_play += kinetic(before.velocity, before.spin) + inertia.mass * gravity * radius;
    }
    let contacts = active.constraints.iter().enumerate();
    for (i, constraint) in contacts.filter(|(_, c)| c.bodies.iter().all(|place| is_free(*place))) {
        let after = ends.twists_of(constraint.bodies);
        given += constraints.components(i).map(|(row, p, _)| p * row.rate(&after)).sum::<f64>();
    }
    given > GIVEN * in_play
}
