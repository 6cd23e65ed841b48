//! Restitution in a time step.
//!
//! A contact whose approach a step has braked, so that its gap just closed, leaves at the start of the next with its share of
//! that. This is Newton's law, which among several contacts may give energy: what another one presses onto a contact that has to
//! leave is pushed away. [Kane 1984] Such a step is taken without bounces.

use crate::contact::rest::Frame;
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::row::rate;
use crate::drive::exact::island::step_forces::LastForce;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stepping::step_end::Ends;
use crate::math::DVec3;
use crate::narrow_phase::ContactId;

impl Simulation {
    /// Takes the impulses of the last step for a start, and says by how much each gap may close, m.
    pub(crate) fn start_step(
        &mut self,
        h: f64,
        active: &ActiveSet,
        last: &[LastForce],
        bounces: bool,
    ) -> Vec<f64> {
        let warm_start = |(pair, features): (&[u32; 2], &ContactId)| {
            let found = last.binary_search_by_key(&(*pair, *features), |last| last.contact);
            found.map_or((DVec3::ZERO, 0.0), |i| (h * last[i].push.force, last[i].push.braked))
        };
        let warm_start: Vec<(DVec3, f64)> =
            active.pairs.iter().zip(&active.features).map(warm_start).collect();
        self.scratch.island.constraints.forces = warm_start.iter().map(|(impulse, _)| *impulse).collect();
        let gravity = self.world.gravity().length();
        let open = |((frame, touching), (_, braked)): ((&Frame, &Touching), &(DVec3, f64))| {
            if frame.separation > touching.tolerance {
                return frame.separation;
            }
            // What bounces and is back within the step rests.
            let bounce = touching.surface.restitution * braked.max(-frame.velocity.x);
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

    /// The approaches that the impulses of a step braked so that gaps just close, m/s: restitution is that of these.
    pub(crate) fn braked(&self, h: f64, impulses: &[DVec3]) -> Vec<f64> {
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

    /// What the impulses of a step as last found take, J.
    pub(crate) fn taken(&self, active: &ActiveSet, ends: &Ends) -> f64 {
        let constraints = &self.scratch.island.constraints;
        let mut taken = 0.0;
        for (i, constraint) in active.constraints.iter().enumerate() {
            let after = ends.twists_of(constraint.bodies);
            taken -= constraints
                .components(i)
                .map(|(row, p, before)| p * 0.5 * (before + rate(row, &after)))
                .sum::<f64>();
        }
        taken
    }
}
