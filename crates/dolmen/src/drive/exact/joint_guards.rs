//! How long limits, ropes, friction and motors of joints go on as they do.
//!
//! | row | does | until |
//! |---|---|---|
//! | limit, rope | nothing | g < 0; also where g has a least value between two looks |
//! | limit, rope | holds | its force would pull |
//! | friction, motor | holds | its force exceeds its bound |
//! | friction, motor | acts with its bound | the rate comes to its end |
//!
//! Instants are roots, down to the resolution of time.

use super::joint_rows::{force_scale, speed_scale};
use super::simulation::Simulation;
use super::track::Track;
use super::{Buffers, joints};
use crate::body::Kinematics;
use crate::contact::rest::{Bearings, JoinedRow};
use crate::joint::{Law, RowMode, STILL};
use crate::math::DVec3;
use crate::motion::Motion;
use crate::world::{BodyId, World};

/// A limit may be overstepped by this share of the longest arm before that is an event: steps are as inexact.
const OVERSTEPPED: f64 = 1e-12;

/// Speeds below this share of those in play are none.
const NO_SPEED: f64 = 1e-11;

/// Forces may exceed their bounds by this share of those in play: the rounding of the solution.
const ROUNDED_FORCE: f64 = 1e-9;

/// A row of a joint at an instant, in metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenRow {
    linkage: usize,
    row: usize,
    value: f64,
    rate: f64,
    /// The speed below which it is still, m/s.
    still: f64,
    /// The longest arm of its linkage, m.
    length: f64,
}

impl Simulation {
    /// The rows of an island at a time on its span, in the order of linkages.
    pub(super) fn see_rows(&mut self, k: usize, t: f64) -> Vec<SeenRow> {
        let mut seen = Vec::new();
        let island = &self.tracks[k].island;
        let linkages: Vec<usize> = self.buffers.linkages.of_island(island).collect();
        for linkage in linkages {
            self.see_rows_of(k, linkage, t, &mut seen);
        }
        seen
    }

    fn see_rows_of(&mut self, k: usize, linkage: usize, t: f64, seen: &mut Vec<SeenRow>) {
        let track = &self.tracks[k];
        let world = &self.world;
        let Buffers { bearings, linkages, .. } = &mut self.buffers;
        let joined = &mut bearings.joined[linkage];
        if joined.rows.is_empty() {
            return;
        }
        let kinematics = |id: BodyId| on_span(world, track, id, t);
        joined.system.evaluate(world, kinematics, t, &linkages.turns);
        let still = NO_SPEED * speed_scale(world, &joined.system, kinematics).max(joined.fastest);
        for row in 0..joined.rows.len() {
            let (jet, weight) = (&joined.equation(row).jet, joined.weight(row));
            let (value, rate, length) = (weight * jet.value, weight * jet.rate, joined.system.length());
            seen.push(SeenRow { linkage, row, value, rate, still, length });
        }
    }

    /// One row at a time on the span: its joint alone is looked at.
    fn see_row(&self, k: usize, of: &SeenRow, t: f64) -> SeenRow {
        let (track, joined) = (&self.tracks[k], &self.buffers.bearings.joined[of.linkage]);
        let equation = joined.rows[of.row].equation;
        let (i, start) = joined.system.joint_of(equation);
        let place = joined.system.joints()[i];
        let joint = &self.world.joints()[place];
        let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| on_span(&self.world, track, id, t)));
        let mut equations = Vec::with_capacity(joined.system.equations_of(i).len());
        joint.equations((&a, &b), t, &self.buffers.linkages.turns[place], &mut equations);
        let (jet, weight) = (&equations[equation - start].jet, joined.weight(of.row));
        SeenRow { value: weight * jet.value, rate: weight * jet.rate, ..*of }
    }

    /// The first instant after `good`, up to `t`, at which a row cannot go on as it does; none if all do. The rows are those
    /// at the start of the span, at `good` and at `t`.
    pub(super) fn first_row_failure(
        &mut self,
        k: usize,
        [start, before, after]: [&[SeenRow]; 3],
        (good, t): (f64, f64),
    ) -> Option<f64> {
        let mut first = f64::INFINITY;
        for ((start, before), after) in start.iter().zip(before).zip(after) {
            let joined = &self.buffers.bearings.joined[after.linkage];
            let (mode, law) = (joined.rows[after.row].mode, joined.equation(after.row).law);
            let found = match (mode, law) {
                (RowMode::Free, Law::AtLeast { .. }) => {
                    let allowed = start.value.min(0.0) - OVERSTEPPED * after.length;
                    self.overstepped(k, (before, after), allowed, (good, t))
                }
                (RowMode::Pushed(sign), _) => {
                    // One that moved comes to its end where the rate changes its sign; one that begins to move may waver.
                    let allowed = if -sign * before.rate > before.still { 0.0 } else { after.still };
                    let excess = |row: &SeenRow| sign * row.rate - allowed;
                    let ends = (excess(before), excess(after));
                    (ends.1 > 0.0).then(|| crossing((good, t), ends, |t| excess(&self.see_row(k, after, t))))
                }
                _ => None,
            };
            first = first.min(found.unwrap_or(f64::INFINITY));
        }
        let end = first.min(t);
        first = self.first_motor_change(k, (good, end)).unwrap_or(first);
        let end = first.min(t);
        let excess = self.excess_of_forces(k, end);
        if excess > 0.0 {
            let ends = (self.excess_of_forces(k, good), excess);
            first = crossing((good, end), ends, |t| self.excess_of_forces(k, t));
        }
        (first < f64::INFINITY).then_some(first)
    }

    /// When a limit that was kept at `good` is first overstepped.
    fn overstepped(
        &self,
        k: usize,
        (before, after): (&SeenRow, &SeenRow),
        allowed: f64,
        (good, t): (f64, f64),
    ) -> Option<f64> {
        let deep = |row: &SeenRow| allowed - row.value;
        let mut bad = (t, deep(after));
        if after.value >= allowed {
            if before.rate >= 0.0 || after.rate <= 0.0 {
                return None;
            }
            // Least where the rate changes its sign.
            let least = crossing((good, t), (before.rate, after.rate), |t| self.see_row(k, after, t).rate);
            bad = (least, deep(&self.see_row(k, after, least)));
            if bad.1 <= 0.0 {
                return None;
            }
        }
        Some(crossing((good, bad.0), (deep(before), bad.1), |t| deep(&self.see_row(k, after, t))))
    }

    /// By how much a row that is held would need more force than it can have, at a time on the span, N; not above zero where none
    /// does.
    fn excess_of_forces(&mut self, k: usize, t: f64) -> f64 {
        let track = &self.tracks[k];
        let Some(held) = &track.held else { return 0.0 };
        let is_watched = |row: &JoinedRow| row.mode == RowMode::Held && !row.is_trusted;
        let is_held = |k: usize| self.buffers.bearings.joined[k].rows.iter().any(is_watched);
        if !self.buffers.linkages.of_island(&track.island).any(is_held) {
            return 0.0;
        }
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        track.equations(&self.world, &mut self.buffers).solve_forces(t, &y, held);
        let Buffers { bearings, loaded, .. } = &self.buffers;
        let Bearings { joined, present, .. } = bearings;
        let mut most = f64::NEG_INFINITY;
        for linkage in present.iter().map(|k| &joined[*k]) {
            let (forces, slack) = (linkage.equation_forces(), ROUNDED_FORCE * force_scale(linkage, loaded));
            for i in (0..linkage.rows.len()).filter(|i| is_watched(&linkage.rows[*i])) {
                let force = forces[linkage.rows[i].equation];
                let excess = match linkage.equation(i).law {
                    Law::AtLeast { .. } => -force,
                    _ => force.abs() - linkage.largest(&self.world, i, &forces),
                };
                most = most.max(excess / linkage.weight(i) - slack);
            }
        }
        most
    }
}

/// A body at a time on the span of its island, without its acceleration.
pub(super) fn on_span(world: &World, track: &Track, id: BodyId, t: f64) -> Kinematics {
    let (pose, twist) = if let Some(motion) = world.body(id).prescribed_motion() {
        (motion.pose(t), motion.twist(t))
    } else {
        let motion = track.motion(joints::place(&track.island, id));
        let motion = motion.expect("a span is looked at after it was made");
        (motion.pose(t), motion.twist(t))
    };
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}

/// Evaluations before a bracket is a single number, also where none but halvings are of use.
const EVALUATIONS: usize = 100;

/// The first number found after `good` at which a function is positive, known to be so at `bad`: its root to the last bit.
///
/// Inverse quadratic interpolation where it is safe, else halving. [Chandrupatla 1997]
pub(super) fn crossing((good, bad): (f64, f64), ends: (f64, f64), mut f: impl FnMut(f64) -> f64) -> f64 {
    // The latest point, the other end of the bracket, and the one before.
    let (mut x1, mut f1, mut x2, mut f2) = (good, ends.0, bad, ends.1);
    if f1 > 0.0 {
        return good.next_up().min(bad);
    }
    let mut share = 0.5;
    for _ in 0..EVALUATIONS {
        let x = x1 + share * (x2 - x1);
        if x == x1 || x == x2 {
            break;
        }
        let fx = f(x);
        let (x3, f3) = if (fx > 0.0) == (f1 > 0.0) {
            (x1, f1)
        } else {
            let other = (x2, f2);
            (x2, f2) = (x1, f1);
            other
        };
        (x1, f1) = (x, fx);
        let finest = 2.0 * f64::EPSILON * x1.abs().max(x2.abs()) / (x2 - x1).abs();
        if finest > 0.5 {
            break;
        }
        let (xi, phi) = ((x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2));
        let is_safe = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
        share = if is_safe {
            f1 / (f2 - f1) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2))
        } else {
            0.5
        };
        share = share.clamp(finest, 1.0 - finest);
    }
    if f1 > 0.0 { x1 } else { x2 }
}
