//! Restitution in a step over a crowd of contacts.
//!
//! A contact whose approach a step has braked, so that its gap just closed, leaves at the start of the next with its share of
//! that. This is Newton's law, which among several contacts may give energy: what another one presses onto a contact that has to
//! leave is pushed away. [Kane 1984] Such a step is taken without bounces.

use super::aggregate::rate;
use super::ends::Ends;
use super::given::Last;
use super::held::Held;
use super::simulation::Simulation;
use super::strike::Touching;
use crate::contact::rest::Frame;
use crate::math::DVec3;
use crate::narrow_phase::ContactId;

impl Simulation {
    /// Takes the impulses of the last step for a start, and says by how much each gap may close, m.
    pub(super) fn start_step(&mut self, h: f64, held: &Held, last: &[Last], bounces: bool) -> Vec<f64> {
        let likely = |(pair, features): (&[u32; 2], &ContactId)| {
            let found = last.binary_search_by_key(&(*pair, *features), |last| last.contact);
            found.map_or((DVec3::ZERO, 0.0), |i| (h * last[i].push.force, last[i].push.braked))
        };
        let likely: Vec<(DVec3, f64)> = held.pairs.iter().zip(&held.features).map(likely).collect();
        self.buffers.bearings.forces = likely.iter().map(|(impulse, _)| *impulse).collect();
        let gravity = self.world.gravity().length();
        let open = |((frame, touching), (_, braked)): ((&Frame, &Touching), &(DVec3, f64))| {
            if frame.separation > touching.tolerance {
                return frame.separation;
            }
            // What bounces and is back within the step rests.
            let bounce = touching.surface.restitution * braked.max(-frame.velocity.x);
            if bounces && bounce > gravity * h { -h * bounce } else { 0.0 }
        };
        self.buffers.bearings.frames.iter().zip(&self.cluster.contacts).zip(&likely).map(open).collect()
    }

    /// The approaches that the impulses of a step braked so that gaps just close, m/s: restitution is that of these.
    pub(super) fn braked(&self, h: f64, impulses: &[DVec3]) -> Vec<f64> {
        let of = |((frame, touching), p): ((&Frame, &Touching), &DVec3)| {
            let is_open = frame.separation > touching.tolerance;
            if is_open && p.x > 0.0 { (-frame.velocity.x - h * frame.free.x).max(0.0) } else { 0.0 }
        };
        self.buffers.bearings.frames.iter().zip(&self.cluster.contacts).zip(impulses).map(of).collect()
    }

    /// What the impulses of a step as last found take, J.
    pub(super) fn taken(&self, held: &Held, ends: &Ends) -> f64 {
        let bearings = &self.buffers.bearings;
        let mut taken = 0.0;
        for (i, bearing) in held.bearings.iter().enumerate() {
            let after = ends.twists_of(bearing.bodies);
            taken -= bearings
                .components(i)
                .map(|(row, p, before)| p * 0.5 * (before + rate(row, &after)))
                .sum::<f64>();
        }
        taken
    }
}
