//! When: the first instant at which two moving convex shapes touch.
//!
//! Conservative advancement to second order. At time t let n be a direction along which the shapes are apart, and s the gap
//! along it. For a point at arm r of body a, n·p moves as
//!
//! n·p(t+δ) ≥ n·x + δ n·v + (n + δ n×ω)·r − ½ κ δ²,  κ ≥ |v̇| + (|ω̇| + ω²) |r| over the interval,
//!
//! since n·(ω×r) = (n×ω)·r. The least of the linear part over all r of a convex shape is a value of its support function h,
//! so that for *all* points of both shapes at once
//!
//! gap(t+δ) ≥ g(δ) = n·(x_a − x_b) + δ n·(v_a − v_b) − h_a(−n − δ n×ω_a) − h_b(n + δ n×ω_b) − ½ (κ_a + κ_b) δ².
//!
//! g is concave in δ and g(0) = s: as far as g ≥ 0 nothing can touch, and time goes on to the root of g. However thin or fast
//! the bodies are, nothing is jumped over. Where they approach, g is the gap to second order, so that the steps converge to
//! the instant of contact like Newton's; past a graze, where the gap falls to d and rises again, they take of the order of
//! log(1/d) steps. A touch that is only left (the event just handled) is left behind, because g rises from zero there.
//!
//! [Mirtich 1996; the second-order bound by support functions is ours]

mod bodies;
mod sampled;
mod shapes;
mod tolerances;

pub use bodies::{Bodies, Encounter};
pub use sampled::{Backstep, contact_by_backstep};
pub use shapes::Shapes;

use tolerances::{MOST_STEPS, NOISE_ULPS, SHRINK};

use crate::math::{DVec3, Pose};
use crate::motion::{Bounds, Motion};

/// How far apart two shapes are along a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Unit direction from b to a.
    pub normal: DVec3,
    /// The gap along it: a lies beyond b by this much; negative where they overlap.
    pub separation: f64,
}

/// Two convex shapes, as the search sees them.
pub trait Pair {
    /// A direction along which the gap is largest, or nearly: any along which they are apart will do, the best is fastest.
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap;
    /// Drops what is remembered of the pair, so that the next gap is the best there is.
    fn forget(&mut self) {}
    /// Support function of a: the largest r·d over its points r, seen from its centre of mass in its own axes.
    fn reach_a(&self, direction_body: DVec3) -> f64;
    /// Support function of b.
    fn reach_b(&self, direction_body: DVec3) -> f64;
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
}

/// The first instant in [`t_0`, `t_1`] at which two shapes touch.
///
/// Shapes that touch at `t_0` and part are not a touch; those that stay in touch or approach are one at `t_0`.
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
    let resolution = f64::EPSILON * t_0.abs().max(t_1.abs());
    let mut t = t_0;
    let mut window = t_1 - t_0;
    for steps in 1..=MOST_STEPS {
        let (pose_a, pose_b) = (a.pose(t), b.pose(t));
        let noise = noise(pair, &pose_a, &pose_b);
        let mut gap = pair.gap(&pose_a, &pose_b);
        if gap.separation + slack <= noise {
            // A direction that was remembered may close where another still keeps them apart.
            pair.forget();
            gap = pair.gap(&pose_a, &pose_b);
        }
        if gap.separation == f64::INFINITY {
            // Behind a plane that is touched from its front only: it would have to come around first.
            return Search { meeting: Meeting::Apart, steps };
        }
        gap.separation += slack;
        if gap.separation < -noise && t == t_0 {
            return Search { meeting: Meeting::Overlap { depth: -gap.separation }, steps };
        }
        let touch = Search { meeting: Meeting::Touch { t, normal: gap.normal }, steps };
        if gap.separation <= noise && t > t_0 {
            return touch;
        }
        let remaining = t_1 - t;
        if remaining <= 0.0 {
            return Search { meeting: Meeting::Apart, steps };
        }
        // Bounds over a window not much longer than the steps are: over a long one they are loose.
        window = window.min(remaining);
        let step = loop {
            let bound = Bound::new(pair, [a, b], &gap, (t, window), slack);
            let step = bound.root(window);
            if step > SHRINK * window || window <= resolution {
                break step;
            }
            window *= 0.25;
        };
        window *= 4.0;
        let next = if step >= remaining { t_1 } else { t + step };
        if next <= t {
            // The gap is a few ulp of time away from closing, or it was closed at the start and does not open.
            return touch;
        }
        t = next;
    }
    Search { meeting: Meeting::Unknown { t }, steps: MOST_STEPS }
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

/// g(δ) of the head of this file.
struct Bound<'a> {
    pair: &'a dyn Pair,
    poses: [Pose; 2],
    normal: DVec3,
    /// n×ω of a and b.
    turned: [DVec3; 2],
    /// n·(x_a − x_b) and n·(v_a − v_b).
    distance: f64,
    rate: f64,
    /// ½(κ_a + κ_b)
    curvature: f64,
}

impl<'a> Bound<'a> {
    fn new(
        pair: &'a dyn Pair,
        motions: [&dyn Motion; 2],
        gap: &Gap,
        (t, window): (f64, f64),
        slack: f64,
    ) -> Self {
        let n = gap.normal;
        let poses = motions.map(|m| m.pose(t));
        let twists = motions.map(|m| m.twist(t));
        let bounds = motions.map(|m| m.bounds(t, t + window));
        Self {
            pair,
            poses,
            normal: n,
            turned: twists.map(|twist| n.cross(twist.spin)),
            // As n turns it only grows: what it lets the shapes overlap is never less than the slack.
            distance: n.dot(poses[0].position - poses[1].position) + slack,
            rate: n.dot(twists[0].velocity - twists[1].velocity),
            curvature: 0.5 * (bend(&bounds[0], pair.radius_a()) + bend(&bounds[1], pair.radius_b())),
        }
    }

    fn at(&self, step: f64) -> f64 {
        let n = self.normal;
        let into = |body: usize, direction: DVec3| self.poses[body].orientation.conjugate() * direction;
        let reach_a = self.pair.reach_a(into(0, -(n + step * self.turned[0])));
        let reach_b = self.pair.reach_b(into(1, n + step * self.turned[1]));
        self.distance + step * self.rate - reach_a - reach_b - self.curvature * step * step
    }

    /// How far g stays non-negative, at most `window`. g is concave, so that it does as far as its first root.
    fn root(&self, window: f64) -> f64 {
        if self.at(window) >= 0.0 {
            return window;
        }
        // The chord of a concave function lies below it: the root of the chord is a safe step, and repeating it from
        // there with the same end converges to the root from below.
        let (mut low, mut g_low) = (0.0, self.at(0.0));
        let (mut high, mut g_high) = (window, self.at(window));
        for _ in 0..tolerances::CHORDS {
            if g_low <= 0.0 {
                // Closed at the start: does it open? Half-way probes find where g is positive, if anywhere.
                high *= 0.5;
                let middle = self.at(high);
                if middle > 0.0 {
                    (low, g_low) = (high, middle);
                    (high, g_high) = (window, self.at(window));
                }
                continue;
            }
            let chord = low + (high - low) * g_low / (g_low - g_high);
            let middle = self.at(chord);
            if middle <= 0.0 {
                (high, g_high) = (chord, middle);
                continue;
            }
            // Halving from the other side keeps the bracket shrinking at both ends.
            let beyond = 0.5 * (chord + high);
            let g_beyond = self.at(beyond);
            (low, g_low) = (chord, middle);
            if g_beyond <= 0.0 {
                (high, g_high) = (beyond, g_beyond);
            } else {
                (low, g_low) = (beyond, g_beyond);
            }
            if high - low <= tolerances::CHORD_ENOUGH * low {
                break;
            }
        }
        low
    }
}

/// κ: the largest acceleration of any point.
fn bend(bounds: &Bounds, radius: f64) -> f64 {
    let turning = bounds.spin_rate + bounds.spin * bounds.spin;
    if turning == 0.0 { bounds.acceleration } else { bounds.acceleration + turning * radius }
}
