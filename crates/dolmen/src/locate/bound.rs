//! How far time may go on: g(δ) of the head of this folder, its root, and the turns of the normal that are tried.

use super::tolerances::{CHORD_ENOUGH, CHORDS, SHRINK};
use super::{Gap, Pair};
use crate::math::{DVec3, Pose, Twist};
use crate::motion::{Bounds, Motion};

/// What a search keeps from one query to the next.
pub(super) struct Advance {
    t_1: f64,
    /// Below this, times are not told apart.
    resolution: f64,
    /// Bounds are made for a while not much longer than the steps are: over a long one they are loose.
    window: f64,
    /// The time of the last query, and the normal there.
    last: Option<(f64, DVec3)>,
    /// Gaps computed on top of one a step.
    pub(super) probes: u32,
}

/// Where two bodies are at an instant, and how they move.
pub(super) struct At {
    pub(super) t: f64,
    pub(super) poses: [Pose; 2],
    pub(super) twists: [Twist; 2],
}

/// Two bodies at an instant, seen along a direction.
struct Instant<'a> {
    pair: &'a dyn Pair,
    poses: [Pose; 2],
    twists: [Twist; 2],
    normal: DVec3,
    slack: f64,
}

/// A step shorter than this share of the last one is worth one more query for how the normal turns.
const WORTH_A_PROBE: f64 = 0.25;

impl Advance {
    pub(super) fn new(t_0: f64, t_1: f64) -> Self {
        let resolution = f64::EPSILON * t_0.abs().max(t_1.abs());
        Self { t_1, resolution, window: t_1 - t_0, last: None, probes: 0 }
    }

    /// A step from an instant within which nothing touches.
    pub(super) fn step(
        &mut self,
        pair: &mut dyn Pair,
        motions: [&dyn Motion; 2],
        gap: &Gap,
        at: &At,
        slack: f64,
    ) -> f64 {
        let At { t, poses, twists } = *at;
        let n = gap.normal;
        let turns = twists.iter().any(|twist| n.cross(twist.spin) != DVec3::ZERO);
        let secant = self.last.map(|(t_last, n_last)| across((n - n_last) / (t - t_last), n));
        let of_bodies = twists.map(|twist| twist.spin.cross(n));
        let candidates = [secant.unwrap_or(DVec3::ZERO), of_bodies[0], of_bodies[1]];
        let candidates = if turns { &candidates[..] } else { &[] };
        let remaining = self.t_1 - t;
        self.window = self.window.min(remaining);
        let here = Instant { pair, poses, twists, normal: n, slack };
        let mut step = self.longest(&here, motions, t, candidates);
        let is_short = self.last.is_none_or(|(t_last, _)| step < WORTH_A_PROBE * (t - t_last));
        if turns && is_short && step < remaining && t + step > t {
            // How the normal turns from here on, by a query ahead.
            let ahead = pair.gap(&motions[0].pose(t + step), &motions[1].pose(t + step));
            self.probes += 1;
            let turn = across((ahead.normal - n) / step, n);
            let here = Instant { pair, poses, twists, normal: n, slack };
            self.window = (16.0 * self.window).min(remaining);
            step = step.max(self.longest(&here, motions, t, &[turn]));
        }
        self.last = Some((t, n));
        self.window *= 4.0;
        step
    }

    /// A step from `t` within which what is behind a plane does not come to its front, along whose normal the gap is given.
    ///
    /// The lowest point is at the height −f < 0 over the plane, and no two points near each other faster than the sum of the
    /// speeds: f by that is safe. At the end, a step that time resolves.
    pub(super) fn step_behind(
        &mut self,
        pair: &dyn Pair,
        motions: [&dyn Motion; 2],
        gap: &Gap,
        t: f64,
    ) -> f64 {
        let bounds = motions.map(|m| m.bounds(t, self.t_1));
        let (poses, twists) = (motions.map(|m| m.pose(t)), motions.map(|m| m.twist(t)));
        let here = Instant { pair, poses, twists, normal: gap.normal, slack: 0.0 };
        let depth = -Bound::new(&here, &bounds, DVec3::ZERO).at(0.0);
        let radii = [pair.radius_a(), pair.radius_b()];
        let speed: f64 = [0, 1].map(|k| bounds[k].speed + product(bounds[k].spin, radii[k])).iter().sum();
        self.last = None;
        // Where nothing moves, or a bound is no number, there is nothing to wait for: 0/0 counts as none.
        let step = if speed > 0.0 { depth / speed } else { self.t_1 - t };
        step.max(self.resolution).max(f64::EPSILON * (self.t_1 - t))
    }

    /// The longest step that g allows with any of these turns of the normal, or with none.
    ///
    /// A bound that allows only a small share of its window is made anew for a shorter one.
    fn longest(&mut self, here: &Instant, motions: [&dyn Motion; 2], t: f64, turns: &[DVec3]) -> f64 {
        // What one window allows is safe, whatever rounding makes of a shorter one.
        let mut known = 0.0_f64;
        loop {
            let window = self.window;
            let bounds = motions.map(|m| m.bounds(t, t + window));
            let plain = Bound::new(here, &bounds, DVec3::ZERO);
            let mut step = plain.root(window).max(known);
            for turn in turns {
                if step < window && turn.is_finite() {
                    let bound = Bound::new(here, &bounds, *turn);
                    // Concave: where it is negative its root is behind.
                    if step == 0.0 || bound.at(step) > 0.0 {
                        step = step.max(bound.root(window));
                    }
                }
            }
            // Closed at the start, does not open, and the bounds are of no consequence any more: a shorter window gains nothing.
            let is_closed = step == 0.0
                && plain.bending(window).0 <= f64::EPSILON * plain.distance.abs()
                && plain.at(0.0) <= 0.0;
            if step > SHRINK * window || window <= self.resolution || is_closed {
                return step;
            }
            known = step;
            self.window = 0.25 * window;
        }
    }
}

/// The part of a vector at right angles to n; not finite when that is not.
fn across(v: DVec3, n: DVec3) -> DVec3 {
    v - n * n.dot(v)
}

/// g(δ) of the head of this folder.
struct Bound<'a> {
    pair: &'a dyn Pair,
    /// −n and n in the axes of a and of b.
    directions: [DVec3; 2],
    /// How these change: ∓(q + n×ω).
    turning: [DVec3; 2],
    /// n·Δx + slack, and q·Δx + n·Δv.
    distance: f64,
    rate: f64,
    /// ½c, 1/s² m.
    bend: f64,
    /// ½ max(0, −n·Δs) and ½ max(0, −q·Δs).
    drop: f64,
    drop_rate: f64,
    /// d.
    sweep: f64,
    /// q².
    turn2: f64,
}

impl<'a> Bound<'a> {
    fn new(here: &Instant<'a>, bounds: &[Bounds; 2], turn: DVec3) -> Self {
        let (n, [a, b]) = (here.normal, &here.twists);
        let radii = [here.pair.radius_a(), here.pair.radius_b()];
        let into = |body: usize, v: DVec3| here.poses[body].orientation.conjugate() * v;
        let swept = |body: usize, twist: &Twist| product(turn.cross(twist.spin).length(), radii[body]);
        let between = here.poses[0].position - here.poses[1].position;
        let velocity = a.velocity - b.velocity;
        let steady = bounds[0].steady - bounds[1].steady;
        Self {
            pair: here.pair,
            directions: [into(0, -n), into(1, n)],
            turning: [into(0, -(turn + n.cross(a.spin))), into(1, turn + n.cross(b.spin))],
            // As the normal turns it only grows: what it lets the shapes overlap is never less than the slack.
            distance: n.dot(between) + here.slack,
            rate: turn.dot(between) + n.dot(velocity),
            bend: 0.5 * (acceleration(&bounds[0], radii[0]) + acceleration(&bounds[1], radii[1])),
            drop: 0.5 * (-n.dot(steady)).max(0.0),
            drop_rate: 0.5 * (-turn.dot(steady)).max(0.0),
            sweep: swept(0, a) + swept(1, b) + (-turn.dot(velocity)).max(0.0),
            turn2: turn.length_squared(),
        }
    }

    fn at(&self, step: f64) -> f64 {
        let [a, b] = [0, 1].map(|k| self.directions[k] + step * self.turning[k]);
        let bend = self.bending(step).0;
        self.distance + step * self.rate - self.pair.reach_a(a) - self.pair.reach_b(b) - bend
    }

    /// What a step bends the gap by, (½c √(1 + q²δ²) + d + …) δ², and how that grows with u = δ². Convex in u.
    fn bending(&self, step: f64) -> (f64, f64) {
        let u = step * step;
        let stretch = (1.0 + self.turn2 * u).sqrt();
        let steady = self.drop + self.sweep;
        let bent = (self.bend * stretch + steady + self.drop_rate * step) * u;
        let growth = self.bend * (stretch + 0.5 * self.turn2 * u / stretch) + steady;
        (bent, growth + 1.5 * self.drop_rate * step)
    }

    /// The part of g without its bend at a step, and the slope of that; none where a furthest point is not at hand.
    fn straight(&self, step: f64) -> Option<(f64, f64)> {
        let [a, b] = [0, 1].map(|k| self.directions[k] + step * self.turning[k]);
        let (on_a, on_b) = (self.pair.furthest_a(a)?, self.pair.furthest_b(b)?);
        let level = self.distance + step * self.rate - a.dot(on_a) - b.dot(on_b);
        Some((level, self.rate - self.turning[0].dot(on_a) - self.turning[1].dot(on_b)))
    }

    /// How far g stays non-negative, at most `window`. g is concave, so that it does as far as its last root.
    ///
    /// The points that are furthest at one step are at most that far at any other, so that they give a parabola that is
    /// nowhere below g and touches it there: its last root is not before that of g. From the end of the window on, roots
    /// of such parabolas come down to that of g, and reach it when the furthest points stay; mostly the second one does.
    fn root(&self, window: f64) -> f64 {
        let mut high = window;
        for _ in 0..CHORDS {
            let Some((level, slope)) = self.straight(high) else { return self.root_by_chords(window) };
            let (bent, growth) = self.bending(high);
            if level - bent >= 0.0 {
                return high;
            }
            let start = level - bent - slope * high + growth * high * high;
            let next = last_root(start, slope, growth);
            let (short, ulps) = (high - next, 4.0 * f64::EPSILON * high);
            // Nowhere but before the parabola rises, or after it: not within the window.
            if next.is_nan() || next <= 0.0 || short < -ulps {
                return 0.0;
            }
            if short <= ulps {
                return next.min(high);
            }
            // As good as there: a little less, which the next round proves.
            high = if short <= CHORD_ENOUGH * high { next - short } else { next };
        }
        self.root_by_chords(window)
    }

    /// As [`Bound::root`], by values of g alone.
    fn root_by_chords(&self, window: f64) -> f64 {
        let g_end = self.at(window);
        if g_end >= 0.0 {
            return window;
        }
        // The chord of a concave function lies below it: the root of the chord is a safe step, and repeating it from
        // there with the same end converges to the root from below.
        let (mut low, mut g_low) = (0.0, self.at(0.0));
        let (mut high, mut g_high) = (window, g_end);
        let mut probed = g_end;
        for _ in 0..CHORDS {
            if g_low <= 0.0 {
                // Closed at the start: does it open? Half-way probes find where g is positive, if anywhere: not below one at
                // which g falls, for it is concave, nor where it differs from g(0) by rounding only.
                let before = probed;
                high *= 0.5;
                probed = self.at(high);
                if probed > 0.0 {
                    (low, g_low) = (high, probed);
                    (high, g_high) = (window, g_end);
                } else if probed < before || (probed - g_low).abs() <= f64::EPSILON * self.distance.abs() {
                    break;
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
            if high - low <= CHORD_ENOUGH * low {
                break;
            }
        }
        low
    }
}

/// The last root of start + slope δ − bend δ², bend ≥ 0; zero or less when it is negative for all δ > 0, NaN when everywhere.
fn last_root(start: f64, slope: f64, bend: f64) -> f64 {
    let root = (slope * slope + 4.0 * bend * start).sqrt();
    if slope >= 0.0 { (slope + root) / (2.0 * bend) } else { 2.0 * start / (root - slope) }
}

/// κ: how far the acceleration of any point is from the steady one of the body, at most.
fn acceleration(bounds: &Bounds, radius: f64) -> f64 {
    bounds.acceleration + product(bounds.spin_rate + bounds.spin * bounds.spin, radius)
}

/// What does not turn sweeps nothing, however large: an infinite plane at rest.
fn product(turning: f64, radius: f64) -> f64 {
    if turning == 0.0 { 0.0 } else { turning * radius }
}
