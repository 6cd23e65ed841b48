//! Hits that come so fast that their instants cannot be told any more.
//!
//! An elastic ball between walls that close in becomes ever faster: each hit of a wall of speed u adds 2u, so that v ∝ 1/L with
//! the room L that is left, and there are infinitely many hits before there is none. Each has an instant of its own, so that time
//! never stands still; but times are rounded to a few ε t. Where a body moves by more than the contact tolerance within that,
//! or where that is not small beside the time from hit to hit, what becomes of it is made of rounding: the run stops and says so.
//! With a contact tolerance of 1e-9 of the size that is after 3e5 hits for walls that close in by the size of a ball, at any
//! speed, and after as many fewer as they close in by more of it.
//!
//! Late in a long run any body is as fast as that beside the rounding of time, and each hit finds it where it is. So only those
//! are asked whom hits make ever faster and come close upon each other: a thousand in flight, a small part of the size apart,
//! at more than the speed of a fall by that size, which the last bounces of a series that ends do not have.

use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::math::{Pose, Twist};
use crate::narrow_phase::Tolerance;
use crate::world::BodyId;

/// Hits are close upon each other if a body moves by no more than this share of its size from one to the next: spheres that have
/// so little room are packed as in a crystal.
const CLOSE: f64 = 0.01;

/// The rounding of an instant, as a share of it, with some operations on it. A quarter of it, and hits between plates that have no
/// closed form take minutes; four times as much, and it is less than a hundredth of the contact tolerance that is not told.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The largest share of the time from hit to hit that rounding may be.
const TOLD: f64 = 1e-3;

impl Simulation {
    /// That the hits of these two, of which this is one, are so far apart that time can tell them.
    pub(crate) fn check_impact_rate(&mut self, t: f64, seed: [u32; 2]) -> Result<(), Stop> {
        for body in seed {
            let Some((track, _)) = self.state.places[body as usize] else { continue };
            if self.state.tracks[track].active.is_some() {
                continue;
            }
            if let Some(interval) = self.state.event_counters[body as usize].impact_rate.count(t) {
                self.check_interval(t, (seed, body), interval)?;
            }
        }
        Ok(())
    }

    /// That hits of a body, one of a pair that meets now, may come at this interval.
    fn check_interval(&mut self, t: f64, (pair, body): ([u32; 2], u32), interval: f64) -> Result<(), Stop> {
        let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
        else {
            return Ok(());
        };
        let [a, b]: [(Pose, Twist); 2] = pair.map(|body| self.pose_and_twist(t, body));
        let size = collider_a.radius.min(collider_b.radius);
        let rolling = |twist: &Twist| twist.spin.length() * size;
        let speed = (a.1.velocity - b.1.velocity).length() + rolling(&a.1) + rolling(&b.1);
        let way = speed * interval;
        let fall = (self.world.gravity().length() * size).sqrt();
        let tolerance = Tolerance::of_pair(&collider_a.placed(&a.0), &collider_b.placed(&b.0), 0.0).length;
        if !self.state.event_counters[body as usize].impact_rate.grows(speed)
            || way > CLOSE * size
            || speed < fall
        {
            return Ok(());
        }
        let rounding = ROUNDING * t.abs();
        // Who moves by less than a tolerance from hit to hit touches all of those at once: they are solved together.
        let is_told = rounding <= TOLD * interval || way <= tolerance;
        if is_told && rounding * speed <= tolerance {
            return Ok(());
        }
        let bodies = pair.map(|body| self.world.body_name(BodyId::from_rank(body as usize)));
        let mass = self.world.body(BodyId::from_rank(body as usize)).inertia().mass;
        let force = mass * speed / interval;
        Err(Stop { t, reason: Reason::Unresolved { bodies, speed, interval, force, rounding, tolerance } })
    }
}
