//! Restitution in a time step.
//!
//! Where a step reduces the approach speed of a contact so that its gap just closes, the contact separates at the start
//! of the next step with its restitution times that speed. This is Newton's law, which may create energy among several
//! contacts: a contact that must separate throws off what another one presses onto it. [Kane 1984] Such a step is taken
//! again without restitution.

use crate::contact::rest::Frame;
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::equations::step_forces::LastForce;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stepping::step_end::Ends;
use crate::math::DVec3;
use crate::narrow_phase::ContactId;

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

    /// The energy that the last impulses of a time step dissipate, J.
    pub(crate) fn dissipated(&self, active: &ActiveSet, ends: &Ends) -> f64 {
        let constraints = &self.scratch.island.constraints;
        let mut dissipated = 0.0;
        for (i, constraint) in active.constraints.iter().enumerate() {
            let after = ends.twists_of(constraint.bodies);
            dissipated -= constraints
                .components(i)
                .map(|(row, p, before)| p * 0.5 * (before + row.rate(&after)))
                .sum::<f64>();
        }
        dissipated
    }
}
