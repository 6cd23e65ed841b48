//! Impacts that follow each other so fast that rounding blurs their instants.
//!
//! An elastic ball between converging walls gains speed: each impact on a wall of speed u adds 2u, so that v ∝ 1/L with
//! the remaining gap L, and infinitely many impacts happen before the gap closes. Each has its own instant, so time
//! always advances; but instants are rounded to a few ε t. Where a body moves by more than the contact tolerance within
//! that rounding, or where the rounding is not small beside the time between impacts, the result would consist of
//! rounding: the run stops and says so. With a contact tolerance of 1e-9 of the size this happens after 3e5 impacts for
//! walls that close in by the size of a ball, at any speed, and after proportionally fewer where they close in by more.
//!
//! Late in a long run every body is that fast beside the rounding of time, and each impact still finds it where it is.
//! So the check applies only to bodies that gain speed by impacts in close succession: a thousand in flight, each
//! within a small part of the size of the last, and faster than a fall by that size, which excludes the last bounces of
//! a series that ends.

use crate::drive::exact::impact::tolerances::{CLOSE_SUCCESSION, MAX_TIME_ERROR, TIME_ROUNDING};
use crate::drive::exact::state::State;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::math::{Pose, Twist};
use crate::narrow_phase::Tolerance;
use crate::world::{BodyId, World};

impl State {
    /// Checks that rounding resolves the time between impacts of these two, of which this is one.
    pub(crate) fn check_impact_rate(&mut self, world: &World, t: f64, seed: [u32; 2]) -> Result<(), Stop> {
        for body in seed {
            let Some((track, _)) = self.places[body as usize] else { continue };
            if self.tracks[track].active.is_some() {
                continue;
            }
            if let Some(interval) = self.event_counters[body as usize].impact_rate.count(t) {
                self.check_interval(world, t, (seed, body), interval)?;
            }
        }
        Ok(())
    }

    /// Checks this interval between impacts of a body, one of a pair that meets now.
    fn check_interval(
        &mut self,
        world: &World,
        t: f64,
        (pair, body): ([u32; 2], u32),
        interval: f64,
    ) -> Result<(), Stop> {
        let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.detection.collider(body)) else {
            return Ok(());
        };
        let [a, b]: [(Pose, Twist); 2] = pair.map(|body| self.pose_and_twist(world, t, body));
        let size = collider_a.radius.min(collider_b.radius);
        let rolling = |twist: &Twist| twist.spin.length() * size;
        let speed = (a.1.velocity - b.1.velocity).length() + rolling(&a.1) + rolling(&b.1);
        let distance = speed * interval;
        let fall = (world.gravity().length() * size).sqrt();
        let tolerance = Tolerance::of_pair(&collider_a.placed(&a.0), &collider_b.placed(&b.0), 0.0).length;
        if !self.event_counters[body as usize].impact_rate.grows(speed)
            || distance > CLOSE_SUCCESSION * size
            || speed < fall
        {
            return Ok(());
        }
        let rounding = TIME_ROUNDING * t.abs();
        // A body that moves by less than the tolerance between impacts touches both partners at once: they are solved
        // together.
        let is_resolved = rounding <= MAX_TIME_ERROR * interval || distance <= tolerance;
        if is_resolved && rounding * speed <= tolerance {
            return Ok(());
        }
        let bodies = pair.map(|body| world.body_name(BodyId::from_rank(body as usize)));
        let mass = world.body(BodyId::from_rank(body as usize)).inertia().mass;
        let force = mass * speed / interval;
        Err(Stop { t, reason: Reason::Unresolved { bodies, speed, interval, force, rounding, tolerance } })
    }
}
