//! What an event is about to read, asked of memory all at once.
//!
//! Events hop from place to place, and nothing of a body in a large world is near in memory when its turn comes. One read after
//! the other, each waited for, costs as many waits as there are places; of reads that nothing hangs on, memory serves a dozen in
//! the time of one. Measured on a gas of 10⁵ hard spheres: about a sixth of the cost of a collision.

use std::hint::black_box;

use crate::drive::exact::island::track::BodyMotion;
use crate::drive::exact::simulation::Simulation;
use crate::world::BodyId;

impl Simulation {
    /// Reads something of all that is kept of these bodies; what, is of no interest.
    pub(crate) fn prefetch(&self, bodies: &[u32]) {
        for &body in bodies {
            let (id, state) = (BodyId::from_rank(body as usize), &self.state.states.bodies[body as usize]);
            self.state.detection.prefetch(body);
            black_box((state.position.x, state.angular_momentum.z, self.characteristic_time_of(body)));
            black_box((self.world.body(id).material().is_some(), self.world.body(id).is_dynamic()));
            if let Some((track, _)) = self.state.places[body as usize] {
                black_box((self.state.tracks[track].version, self.state.tracks[track].active.is_some()));
            }
        }
        // What these point to.
        for &body in bodies {
            let Some((track, k)) = self.state.places[body as usize] else { continue };
            if let Some(BodyMotion::Flight(flight)) = self.state.tracks[track].motion(k) {
                black_box((flight.start(), flight.spin_bound()));
            }
            let inertia = self.world.body(BodyId::from_rank(body as usize)).inertia();
            black_box((inertia.mass, inertia.moments.x, inertia.inv_inertia_body.x_axis.x));
        }
    }
}
