//! The fat AABB of a body: how far ahead it reaches, and when it expires.

use crate::broad_phase::Leaf;
use crate::drive::exact::detect::collider::Collider;
use crate::drive::exact::detect::tolerances::{
    FEW_NEIGHBOURS, FIRST_TRAVEL, GROWTH, HORIZON_GROWTH, MANY_NEIGHBOURS, MAX_SHRINK, MAX_TRAVEL,
    MIN_TRAVEL, SHRINK,
};
use crate::drive::exact::island::track::BodyMotion;
use crate::math::real;
use crate::motion::{Motion, Prescribed};
use serde::{Deserialize, Serialize};

/// A box around all positions of a body until it expires.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct FatAabb {
    pub(crate) leaf: Option<Leaf>,
    pub(crate) from: f64,
    pub(crate) until: f64,
    /// Its intended lifetime, s; on an integrated span about the time between events of the body.
    pub(crate) horizon: f64,
    /// How many of its radii a body may travel within a fat AABB; adapted to the local density.
    pub(crate) travel: f64,
    /// How many fat AABBs in a row, up to the last one, had no neighbours.
    pub(crate) empty_count: u32,
}

impl FatAabb {
    /// The fat AABB of a body that has had none.
    pub(crate) const FIRST: Self = Self {
        leaf: None,
        from: f64::NEG_INFINITY,
        until: f64::NEG_INFINITY,
        horizon: f64::INFINITY,
        travel: FIRST_TRAVEL,
        empty_count: 0,
    };

    /// Sets the lifetime of the next fat AABB, from `t` on: longer than one that expired, and about as long as the last
    /// one if an event cut it short.
    pub(crate) fn set_horizon(&mut self, t: f64) {
        self.horizon = if t < self.until {
            (HORIZON_GROWTH * (t - self.from)).max(self.horizon / HORIZON_GROWTH)
        } else {
            HORIZON_GROWTH * self.horizon
        };
    }

    /// Shrinks the next fat AABB after one with many neighbours, grows it after one with few, and grows it faster after
    /// a row of empty ones.
    pub(crate) fn adapt(&mut self, count: usize) {
        self.empty_count = if count == 0 { self.empty_count.saturating_add(1) } else { 0 };
        if count > MANY_NEIGHBOURS {
            let shorter = (SHRINK * MANY_NEIGHBOURS as f64 / count as f64).max(MAX_SHRINK);
            self.travel = (shorter * self.travel).max(MIN_TRAVEL);
        } else if count < FEW_NEIGHBOURS {
            let further = f64::from(1_u32 << (2 * self.empty_count.saturating_sub(1).min(15)));
            self.travel = (GROWTH * further * self.travel).min(MAX_TRAVEL);
        }
    }
}

/// When a body that may travel this far, or on an integrated span for so long, needs a new fat AABB.
///
/// v t + ½ a t² = s, with the acceleration of gravity in flight: t = 2s/(v + √(v² + 2as)).
pub(crate) fn fat_aabb_end(motion: &BodyMotion, (travel, horizon): (f64, f64), t: f64) -> f64 {
    let (speed, acceleration) = match motion {
        BodyMotion::Flight(flight) => {
            let (_, velocity, acceleration) = flight.centre(t);
            (velocity.length(), acceleration.length())
        }
        BodyMotion::Prescribed(Prescribed::Still(_)) => (0.0, 0.0),
        BodyMotion::Prescribed(prescribed) => {
            // Its acceleration is unknown in advance: take the bound on its speed over the next second.
            let next = prescribed.jumps().iter().copied().find(|jump| *jump > t).unwrap_or(f64::INFINITY);
            let bounds = prescribed.bounds(t, t + 1.0);
            let end = t + travel_time(bounds.speed, 0.0, travel).min(1.0);
            return end.min(next);
        }
        // A span is short and its box small, but the time between events may be far shorter.
        BodyMotion::Integrated(_) => return t + horizon,
    };
    t + travel_time(speed, acceleration, travel)
}

/// When a rotating body has made a full turn: every search needs an end.
pub(crate) fn turn_end(motion: &BodyMotion, collider: &Collider, t: f64) -> f64 {
    let BodyMotion::Flight(_) = motion else { return f64::INFINITY };
    let spin = if collider.ball.is_some() { 0.0 } else { motion.bounds(t, t).spin };
    if spin > 0.0 { t + real::TAU / spin } else { f64::INFINITY }
}

fn travel_time(speed: f64, acceleration: f64, travel: f64) -> f64 {
    let denominator = speed + (speed * speed + 2.0 * acceleration * travel).sqrt();
    if denominator > 0.0 { 2.0 * travel / denominator } else { f64::INFINITY }
}
