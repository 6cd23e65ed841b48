//! When: the first instant at which two moving convex shapes touch.
//!
//! Conservative advancement to second order. At time t let n be a direction along which the shapes are apart, s the gap along
//! it, and let it turn: m(δ) = n + δ q with q at right angles to n. For a point at arm r of body a, m·p moves as
//!
//! m·p(t+δ) ≥ n·x + δ (q·x + n·v) + (n + δ (q + n×ω))·r + δ² q·v − δ² |q×ω| |r| − ½ κ δ² |m|,
//!
//! κ ≥ |v̇| + (|ω̇| + ω²) |r| over the interval (how the steady part of v̇ enters is below), since m·(ω×r) = (m×ω)·r. The least of the linear part over all r of a convex
//! shape is a value of its support function h, so that for *all* points of both shapes at once
//!
//! gap(t+δ) |m| ≥ g(δ) = n·Δx + δ (q·Δx + n·Δv) − h_a(−n − δ (q + n×ω_a)) − h_b(n + δ (q + n×ω_b)) − ½ c δ² √(1 + q²δ²) − d δ²
//!
//! with Δx = x_a − x_b, c = κ_a + κ_b and d = |q×ω_a| R_a + |q×ω_b| R_b + max(0, −q·Δv). Of v̇ a steady part s is told apart,
//! gravity in flight, and κ bounds the rest: two bodies that fall side by side do not approach by falling. To d comes
//! ½ max(0, −n·Δs) + ½ δ max(0, −q·Δs), Δs = s_a − s_b. g is concave in δ and g(0) = s: as
//! far as g ≥ 0 nothing can touch, and time goes on to the root of g. However thin or fast the bodies are, nothing is jumped
//! over.
//!
//! Any q gives a bound, and the one that lets time go furthest is taken: none (q = 0), the normal fixed to a or to b (the
//! plane of a face stays with it), and the turn of the normal from one query to the next (that of two edges, which belongs to
//! neither body). With the right one the whole face or edge stays the furthest of its shape, h has no kink, and g is the gap
//! to second order: where the shapes approach, steps converge to the instant of contact like Newton's; past a graze, where the
//! gap falls to d and rises again, they take of the order of log(1/d) steps; and a gap that opens from next to nothing is left
//! at the rate at which it opens, however fast the bodies are. A touch that is only left (the event just handled) is left
//! behind, because g rises from zero there.
//!
//! [Mirtich 1996; the second-order bound by support functions and the turning normal are ours]

mod bodies;
mod bound;
mod features;
mod sampled;
mod shapes;
mod tolerances;

pub use bodies::{Bodies, Encounter};
pub use sampled::{Backstep, contact_by_backstep};
pub use shapes::Shapes;

use bound::{Advance, At};
use tolerances::{MOST_STEPS, NOISE_ULPS, OPERATIONS_PER_STEP};

use crate::math::{DVec3, Pose, work};
use crate::motion::Motion;
use crate::narrow_phase::ContactId;

/// How far apart two shapes are along a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Unit direction from b to a.
    pub normal: DVec3,
    /// The gap along it: a lies beyond b by this much; negative where they overlap.
    pub separation: f64,
}

impl Gap {
    /// Whether a gap that opens along another direction may be no more than this one, closed, seen from its other side.
    ///
    /// Along n and −n the gaps of two convex shapes add up to minus their widths. So where they overlap by d along n, they
    /// are apart by up to d along −n if they are thin, a disc flat on a plane: they have gone through each other, and −n
    /// is no way around. A direction along which they are further apart than d is one: gaps times the length of the
    /// direction are concave, so that directions between the two lead from one to the other without a deeper overlap.
    pub fn is_seen_from_behind(&self, opened: &Self) -> bool {
        opened.normal.dot(self.normal) < 0.0 && opened.separation <= -self.separation
    }
}

/// Two convex shapes, as the search sees them.
pub trait Pair {
    /// A direction along which the gap is largest, or nearly: any along which they are apart will do, the best is fastest.
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap;
    /// The gap without what is remembered of the pair: the best there is; `closed` is that along the direction remembered,
    /// and stays where the best is only [the other side](Gap::is_seen_from_behind) of it. By default nothing is remembered.
    fn gap_anew(&mut self, a: &Pose, b: &Pose, closed: Gap) -> Gap {
        let _ = (a, b);
        closed
    }
    /// Which features touch at these poses; of several the lowest, none where that is not known.
    fn features(&self, _a: &Pose, _b: &Pose) -> Option<ContactId> {
        None
    }
    /// Support function of a: the largest r·d over its points r, seen from its centre of mass in its own axes.
    fn reach_a(&self, direction_body: DVec3) -> f64;
    /// Support function of b.
    fn reach_b(&self, direction_body: DVec3) -> f64;
    /// The point r of a with the largest r·d, seen as for `reach_a`, where it is known as quickly as that value: searches are
    /// shorter with it, and the same. None by default, and where there is no such point.
    fn furthest_a(&self, direction_body: DVec3) -> Option<DVec3> {
        let _ = direction_body;
        None
    }
    /// The same of b.
    fn furthest_b(&self, direction_body: DVec3) -> Option<DVec3> {
        let _ = direction_body;
        None
    }
    /// Largest distance of a point of a from its centre of mass.
    fn radius_a(&self) -> f64;
    /// Largest distance of a point of b from its centre of mass.
    fn radius_b(&self) -> f64;
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meeting {
    /// They do not touch in the interval.
    Apart,
    /// They touch first at `t`, with this normal (from b to a). The gap there is zero to rounding.
    Touch {
        /// When.
        t: f64,
        /// Along which direction.
        normal: DVec3,
    },
    /// They overlap at the start of the interval, by this much along the best direction.
    Overlap {
        /// How deep, m; positive.
        depth: f64,
    },
    /// The search ran out of steps: up to `t` they do not touch, beyond it nothing is known.
    Unknown {
        /// How far it came.
        t: f64,
    },
}

/// What a search found and what it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// What was found.
    pub meeting: Meeting,
    /// Gaps that were computed.
    pub steps: u32,
    /// The features that meet in a touch, as [`crate::narrow_phase::contacts`] names them there: of several at once those
    /// with the least separation, of these the lowest. None where there is no touch, or the pair cannot tell.
    pub features: Option<ContactId>,
}

impl Search {
    /// A search without a touch.
    fn without_touch(meeting: Meeting, steps: u32) -> Self {
        Self { meeting, steps, features: None }
    }
}

/// The first instant in [`t_0`, `t_1`] at which two shapes touch.
///
/// Shapes that touch at `t_0` and part are not a touch; those that stay in touch or approach are one at `t_0`. What is behind
/// a finite plane that has a front only does not touch it until all of it has come to the plane's front.
pub fn first_contact(pair: &mut dyn Pair, a: &dyn Motion, b: &dyn Motion, t_0: f64, t_1: f64) -> Search {
    first_overlap(pair, [a, b], (t_0, t_1), 0.0)
}

/// The first instant in an interval at which two shapes overlap by `slack`, m, zero or more.
///
/// For a pair that overlaps by rounding at the start of the interval, and parts: with that much slack the search finds
/// when it meets again.
pub fn first_overlap(
    pair: &mut dyn Pair,
    motions: [&dyn Motion; 2],
    interval: (f64, f64),
    slack: f64,
) -> Search {
    let ([a, b], (t_0, t_1)) = (motions, interval);
    let mut advance = Advance::new(t_0, t_1);
    let mut t = t_0;
    // From where on a closed gap is a touch: one that is only left is none.
    let mut begin = t_0;
    for steps in 1..=MOST_STEPS {
        let ((pose_a, twist_a), (pose_b, twist_b)) = (a.pose_and_twist(t), b.pose_and_twist(t));
        let noise = noise(pair, &pose_a, &pose_b);
        let mut gap = pair.gap(&pose_a, &pose_b);
        if gap.separation + slack <= noise {
            // A direction that was remembered may close where another still keeps them apart.
            gap = pair.gap_anew(&pose_a, &pose_b, gap);
        }
        let evaluations = steps + advance.probes;
        let remaining = t_1 - t;
        if gap.separation == f64::INFINITY {
            // Behind a plane that is touched from its front only: it has to come around first.
            if remaining <= 0.0 {
                return Search::without_touch(Meeting::Apart, evaluations);
            }
            let step = advance.step_behind(pair, motions, &gap, t);
            t = if step >= remaining { t_1 } else { t + step };
            begin = t;
            continue;
        }
        gap.separation += slack;
        if gap.separation < -noise && t == t_0 {
            return Search::without_touch(Meeting::Overlap { depth: -gap.separation }, evaluations);
        }
        let touch = |pair: &dyn Pair, steps: u32| {
            let features = pair.features(&pose_a, &pose_b);
            Search { meeting: Meeting::Touch { t, normal: gap.normal }, steps, features }
        };
        if gap.separation <= noise && t > begin {
            return touch(pair, evaluations);
        }
        if remaining <= 0.0 {
            return Search::without_touch(Meeting::Apart, evaluations);
        }
        if work::is_over() {
            return Search::without_touch(Meeting::Unknown { t }, evaluations);
        }
        work::count(OPERATIONS_PER_STEP);
        let at = At { t, poses: [pose_a, pose_b], twists: [twist_a, twist_b] };
        let step = advance.step(pair, motions, &gap, &at, slack);
        let next = if step >= remaining { t_1 } else { t + step };
        if next <= t {
            // The gap is a few ulp of time away from closing, or it was closed at the start and does not open.
            return touch(pair, steps + advance.probes);
        }
        t = next;
    }
    Search::without_touch(Meeting::Unknown { t }, MOST_STEPS)
}

/// Gaps below this are zero: the rounding of coordinates and of the sums that make a gap.
fn noise(pair: &dyn Pair, a: &Pose, b: &Pose) -> f64 {
    let coordinates = a.position.abs().max_element().max(b.position.abs().max_element());
    NOISE_ULPS * f64::EPSILON * (coordinates + finite(pair.radius_a()) + finite(pair.radius_b()))
}

/// A plane reaches for ever; its size adds no rounding.
fn finite(radius: f64) -> f64 {
    if radius.is_finite() { radius } else { 0.0 }
}
