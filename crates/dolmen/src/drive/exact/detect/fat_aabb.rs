//! How far ahead a body is looked after: its cover, and when that ends.

use crate::broad_phase::Leaf;
use crate::drive::exact::detect::collider::Collider;
use crate::drive::exact::island::track::BodyMotion;
use crate::math::real;
use crate::motion::{Motion, Prescribed};
use serde::{Deserialize, Serialize};

/// Where a body can be, and until when.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct FatAabb {
    pub(crate) leaf: Option<Leaf>,
    pub(crate) from: f64,
    pub(crate) until: f64,
    /// How long it was to last, s; on a step about as long as the body is let alone.
    pub(crate) horizon: f64,
    /// How many of its radii a body may travel within a cover; adapted to how dense it is.
    pub(crate) travel: f64,
    /// Covers, the last and those before it, in which there was nobody.
    pub(crate) alone: u32,
}

/// Travel of a first fat AABB, in radii: about the distance to a neighbour in a pile.
const FIRST_TRAVEL: f64 = 1.0;
/// A fat AABB that meets more bodies than this was too large, one that meets fewer than `FEW` too small. Measured on a gas of
/// hard spheres: a fat AABB costs about as much as eight searches.
const MANY: usize = 12;
const FEW: usize = 4;
/// By how much: whoever meets twice as many goes half as far.
const SHORTER: f64 = 0.75;
const SHORTEST: f64 = 0.1;
const LONGER: f64 = 1.4;
/// Covers do not become shorter in a pile, or longer in the void, than these travels.
const LEAST_TRAVEL: f64 = 1e-2;
const MOST_TRAVEL: f64 = 1e6;
/// How many times longer a fat AABB of a body on a step is than the last, or than the time that events let it.
const AHEAD: f64 = 4.0;

impl FatAabb {
    /// Of a body that has had none.
    pub(crate) const FIRST: Self = Self {
        leaf: None,
        from: f64::NEG_INFINITY,
        until: f64::NEG_INFINITY,
        horizon: f64::INFINITY,
        travel: FIRST_TRAVEL,
        alone: 0,
    };

    /// Says how long the next one from `t` on is to last: longer than one that ended by itself, about as long as it took the
    /// events of the body to make one void.
    pub(crate) fn look_ahead(&mut self, t: f64) {
        self.horizon = if t < self.until {
            (AHEAD * (t - self.from)).max(self.horizon / AHEAD)
        } else {
            AHEAD * self.horizon
        };
    }

    /// Makes the next one shorter in a pile of so many, longer where there are few, and ever faster so where there has been
    /// nobody for long.
    pub(crate) fn adapt(&mut self, count: usize) {
        self.alone = if count == 0 { self.alone.saturating_add(1) } else { 0 };
        if count > MANY {
            let shorter = (SHORTER * MANY as f64 / count as f64).max(SHORTEST);
            self.travel = (shorter * self.travel).max(LEAST_TRAVEL);
        } else if count < FEW {
            let further = f64::from(1_u32 << (2 * self.alone.saturating_sub(1).min(15)));
            self.travel = (LONGER * further * self.travel).min(MOST_TRAVEL);
        }
    }
}

/// When a body that may travel this far, or on a step for so long, needs a new fat AABB.
///
/// v t + ½ a t² = s, with the acceleration of gravity where it flies: t = 2s/(v + √(v² + 2as)).
pub(crate) fn fat_aabb_end(motion: &BodyMotion, (travel, horizon): (f64, f64), t: f64) -> f64 {
    let (speed, acceleration) = match motion {
        BodyMotion::Flight(flight) => {
            let (_, velocity, acceleration) = flight.centre(t);
            (velocity.length(), acceleration.length())
        }
        BodyMotion::Prescribed(Prescribed::Still(_)) => (0.0, 0.0),
        BodyMotion::Prescribed(prescribed) => {
            // Its acceleration is not known beforehand: as long as it takes at the speed of some while ahead.
            let next = prescribed.jumps().iter().copied().find(|jump| *jump > t).unwrap_or(f64::INFINITY);
            let bounds = prescribed.bounds(t, t + 1.0);
            let end = t + travel_time(bounds.speed, 0.0, travel).min(1.0);
            return end.min(next);
        }
        // A step is short and its box small, but events may be far shorter.
        BodyMotion::Integrated(_) => return t + horizon,
    };
    t + travel_time(speed, acceleration, travel)
}

/// When a body that turns has come around: a search has an end.
pub(crate) fn turn_end(motion: &BodyMotion, collider: &Collider, t: f64) -> f64 {
    let BodyMotion::Flight(_) = motion else { return f64::INFINITY };
    let spin = if collider.ball.is_some() { 0.0 } else { motion.bounds(t, t).spin };
    if spin > 0.0 { t + real::TAU / spin } else { f64::INFINITY }
}

fn travel_time(speed: f64, acceleration: f64, travel: f64) -> f64 {
    let denominator = speed + (speed * speed + 2.0 * acceleration * travel).sqrt();
    if denominator > 0.0 { 2.0 * travel / denominator } else { f64::INFINITY }
}
