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

use crate::body::Kinematics;
use crate::contact::rest::{ConstraintSystem, RowState};
use crate::drive::exact::island::joint_scales::{force_scale, speed_scale};
use crate::drive::exact::island::joints;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::Track;
use crate::drive::exact::simulation::Simulation;
use crate::joint::{Law, RowMode, STILL};
use crate::math::DVec3;
use crate::math::bracket::first_positive;
use crate::motion::Motion;
use crate::world::{BodyId, World};

/// A limit may be overstepped by this share of the longest arm before that is an event: steps are as inexact.
const OVERSTEPPED: f64 = 1e-12;

/// Speeds below this share of the velocity scale are none.
const NO_SPEED: f64 = 1e-11;

/// Forces may exceed their bounds by this share of the velocity scale: the rounding of the solution.
const ROUNDED_FORCE: f64 = 1e-9;

/// A row of a joint at an instant, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowSample {
    articulation: usize,
    row: usize,
    value: f64,
    rate: f64,
    /// The speed below which it is still, m/s.
    still: f64,
    /// The longest arm of its articulation, m.
    length: f64,
}

impl Simulation {
    /// The rows of an island at a time on its span, in the order of articulations.
    pub(crate) fn sample_rows(&mut self, k: usize, t: f64) -> Vec<RowSample> {
        let mut seen = Vec::new();
        let island = &self.state.tracks[k].island;
        let articulation_index: Vec<usize> =
            self.scratch.island.articulation_index.of_island(island).collect();
        for articulation in articulation_index {
            self.sample_rows_of(k, articulation, t, &mut seen);
        }
        seen
    }

    fn sample_rows_of(&mut self, k: usize, articulation: usize, t: f64, seen: &mut Vec<RowSample>) {
        let track = &self.state.tracks[k];
        let world = &self.world;
        let IslandScratch { constraints, .. } = &mut self.scratch.island;
        let articulations = &mut constraints.articulations[articulation];
        if articulations.rows.is_empty() {
            return;
        }
        let kinematics = |id: BodyId| on_span(world, track, id, t);
        articulations.system.evaluate(world, kinematics, t, &self.state.joints.turns);
        let still = NO_SPEED
            * speed_scale(world, &articulations.system, kinematics)
                .max(self.state.joints.articulations[articulation].fastest);
        for row in 0..articulations.rows.len() {
            let (jet, weight) = (&articulations.equation(row).jet, articulations.weight(row));
            let (value, rate, length) =
                (weight * jet.value, weight * jet.rate, articulations.system.length());
            seen.push(RowSample { articulation, row, value, rate, still, length });
        }
    }

    /// One row at a time on the span: its joint alone is looked at.
    fn sample_row(&self, k: usize, of: &RowSample, t: f64) -> RowSample {
        let (track, articulations) =
            (&self.state.tracks[k], &self.scratch.island.constraints.articulations[of.articulation]);
        let equation = articulations.rows[of.row].equation;
        let (i, start) = articulations.system.joint_of(equation);
        let place = articulations.system.joints()[i];
        let joint = &self.world.joints()[place];
        let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| on_span(&self.world, track, id, t)));
        let mut equations = Vec::with_capacity(articulations.system.equations_of(i).len());
        joint.equations((&a, &b), t, &self.state.joints.turns[place], &mut equations);
        let (jet, weight) = (&equations[equation - start].jet, articulations.weight(of.row));
        RowSample { value: weight * jet.value, rate: weight * jet.rate, ..*of }
    }

    /// The first instant after `good`, up to `t`, at which a row cannot go on as it does; none if all do. The rows are those
    /// at the start of the span, at `good` and at `t`.
    pub(crate) fn first_row_failure(
        &mut self,
        k: usize,
        [start, before, after]: [&[RowSample]; 3],
        (good, t): (f64, f64),
    ) -> Option<f64> {
        let mut first = f64::INFINITY;
        for ((start, before), after) in start.iter().zip(before).zip(after) {
            let articulations = &self.scratch.island.constraints.articulations[after.articulation];
            let mode = self.state.joints.articulations[after.articulation].rows[after.row].mode;
            let law = articulations.equation(after.row).law;
            let found = match (mode, law) {
                (RowMode::Free, Law::AtLeast { .. }) => {
                    let allowed = start.value.min(0.0) - OVERSTEPPED * after.length;
                    self.overstepped(k, (before, after), allowed, (good, t))
                }
                (RowMode::Saturated(sign), _) => {
                    // One that moved comes to its end where the rate changes its sign; one that begins to move may waver.
                    let allowed = if -sign * before.rate > before.still { 0.0 } else { after.still };
                    let excess = |row: &RowSample| sign * row.rate - allowed;
                    let ends = (excess(before), excess(after));
                    (ends.1 > 0.0)
                        .then(|| first_positive((good, t), ends, |t| excess(&self.sample_row(k, after, t))))
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
            first = first_positive((good, end), ends, |t| self.excess_of_forces(k, t));
        }
        (first < f64::INFINITY).then_some(first)
    }

    /// When a limit that was kept at `good` is first overstepped.
    fn overstepped(
        &self,
        k: usize,
        (before, after): (&RowSample, &RowSample),
        allowed: f64,
        (good, t): (f64, f64),
    ) -> Option<f64> {
        let deep = |row: &RowSample| allowed - row.value;
        let mut bad = (t, deep(after));
        if after.value >= allowed {
            if before.rate >= 0.0 || after.rate <= 0.0 {
                return None;
            }
            // Least where the rate changes its sign.
            let least =
                first_positive((good, t), (before.rate, after.rate), |t| self.sample_row(k, after, t).rate);
            bad = (least, deep(&self.sample_row(k, after, least)));
            if bad.1 <= 0.0 {
                return None;
            }
        }
        Some(first_positive((good, bad.0), (deep(before), bad.1), |t| deep(&self.sample_row(k, after, t))))
    }

    /// By how much a row that is held would need more force than it can have, at a time on the span, N; not above zero where none
    /// does.
    fn excess_of_forces(&mut self, k: usize, t: f64) -> f64 {
        let track = &self.state.tracks[k];
        let Some(active) = &track.active else { return 0.0 };
        let is_watched = |row: &RowState| row.mode == RowMode::Active && !row.is_trusted;
        let is_active = |k: usize| self.state.joints.articulations[k].rows.iter().any(is_watched);
        if !self.scratch.island.articulation_index.of_island(&track.island).any(is_active) {
            return 0.0;
        }
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        track
            .equations(
                &self.world,
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
            )
            .solve_forces(t, &y, active);
        let IslandScratch { constraints, loaded, .. } = &self.scratch.island;
        let ConstraintSystem { articulations, present, .. } = constraints;
        let mut most = f64::NEG_INFINITY;
        for (articulation, state) in
            present.iter().map(|k| (&articulations[*k], &self.state.joints.articulations[*k]))
        {
            let (forces, slack) =
                (articulation.equation_forces(state), ROUNDED_FORCE * force_scale(articulation, loaded));
            for i in (0..articulation.rows.len()).filter(|i| is_watched(&state.rows[*i])) {
                let force = forces[articulation.rows[i].equation];
                let excess = match articulation.equation(i).law {
                    Law::AtLeast { .. } => -force,
                    _ => force.abs() - articulation.largest(&self.world, i, &forces),
                };
                most = most.max(excess / articulation.weight(i) - slack);
            }
        }
        most
    }
}

/// A body at a time on the span of its island, without its acceleration.
pub(crate) fn on_span(world: &World, track: &Track, id: BodyId, t: f64) -> Kinematics {
    let (pose, twist) = if let Some(motion) = world.body(id).prescribed_motion() {
        (motion.pose(t), motion.twist(t))
    } else {
        let motion = track.motion(joints::place(&track.island, id));
        let motion = motion.expect("a span is looked at after it was made");
        (motion.pose(t), motion.twist(t))
    };
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}
