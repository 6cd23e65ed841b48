//! Hits that come so fast that their instants cannot be told any more.
//!
//! An elastic ball between walls that close in becomes ever faster: each hit of a wall of speed u adds 2u, so that v ∝ 1/L with
//! the room L that is left, and there are infinitely many hits before there is none. Each has an instant of its own, so that time
//! never stands still; but times are rounded to a few ε t. Where a body moves by more than what counts as touching within that,
//! or where that is not small beside the time from hit to hit, what becomes of it is made of rounding: the run stops and says so.
//! With a contact tolerance of 1e-9 of the size that is after 3e5 hits for walls that close in by the size of a ball, at any
//! speed, and after as many fewer as they close in by more of it.
//!
//! Late in a long run any body is as fast as that beside the rounding of time, and each hit finds it where it is. So only those
//! are asked whom hits make ever faster and come close upon each other: a thousand in flight, a small part of the size apart,
//! at more than the speed of a fall by that size, which the last bounces of a series that ends do not have.

use super::simulation::Simulation;
use super::{Reason, Stop};
use crate::math::{Pose, Twist};
use crate::narrow_phase::Tolerance;
use crate::world::BodyId;

/// Hits of a body over which their pace is taken.
const RUN: u32 = 1000;

/// Hits are close upon each other if a body moves by no more than this share of its size from one to the next: spheres that have
/// so little room are packed as in a crystal.
const CLOSE: f64 = 0.01;

/// Runs in a row, each of which left the body faster than the one before, and by more than this share: rounding does not count.
const GROWING: u32 = 3;
const FASTER: f64 = 1e-6;

/// The rounding of an instant, as a share of it, with some operations on it. A quarter of it, and hits between plates that have no
/// closed form take minutes; four times as much, and it is less than a hundredth of what counts as touching that is not told.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The largest share of the time from hit to hit that rounding may be.
const TOLD: f64 = 1e-3;

/// How fast a body is hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace {
    /// When the present run of hits began, s.
    since: f64,
    hits: u32,
    /// Runs in which it became faster, and its speed at the end of the last, m/s.
    growing: u32,
    speed: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { since: f64::NEG_INFINITY, hits: 0, growing: 0, speed: 0.0 }
    }
}

impl Pace {
    /// Counts a hit; the mean time between hits where that ends a run of them, s.
    fn count(&mut self, t: f64) -> Option<f64> {
        self.hits += 1;
        if self.hits < RUN {
            return None;
        }
        let interval = (t - self.since) / f64::from(RUN);
        (self.since, self.hits) = (t, 0);
        Some(interval)
    }

    /// Takes note of the speed at the end of a run, m/s; whether it grows.
    fn grows(&mut self, speed: f64) -> bool {
        self.growing = if speed > (1.0 + FASTER) * self.speed { self.growing + 1 } else { 0 };
        self.speed = speed;
        self.growing >= GROWING
    }
}

impl Simulation {
    /// That the hits of these two, of which this is one, are so far apart that time can tell them.
    pub(super) fn check_pace(&mut self, t: f64, seed: [u32; 2]) -> Result<(), Stop> {
        for body in seed {
            let Some((track, _)) = self.place[body as usize] else { continue };
            if self.tracks[track].held.is_some() {
                continue;
            }
            if let Some(interval) = self.patience[body as usize].pace.count(t) {
                self.check_interval(t, (seed, body), interval)?;
            }
        }
        Ok(())
    }

    /// That hits of a body, one of a pair that meets now, may come at this interval.
    fn check_interval(&mut self, t: f64, (pair, body): ([u32; 2], u32), interval: f64) -> Result<(), Stop> {
        let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.detection.collider(body)) else {
            return Ok(());
        };
        let [a, b]: [(Pose, Twist); 2] = pair.map(|body| self.pose_and_twist(t, body));
        let size = collider_a.radius.min(collider_b.radius);
        let turning = |twist: &Twist| twist.spin.length() * size;
        let speed = (a.1.velocity - b.1.velocity).length() + turning(&a.1) + turning(&b.1);
        let way = speed * interval;
        let fall = (self.world.gravity().length() * size).sqrt();
        let tolerance = Tolerance::of_pair(&collider_a.placed(&a.0), &collider_b.placed(&b.0), 0.0).length;
        if !self.patience[body as usize].pace.grows(speed) || way > CLOSE * size || speed < fall {
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
