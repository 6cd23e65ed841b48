//! The guards of joint rows: how long the modes of limits, ropes, friction and motors stay valid.
//!
//! | row | mode | ends when |
//! |---|---|---|
//! | limit, rope | free | g < 0; also at a minimum of g between two samples |
//! | limit, rope | active | its force would pull |
//! | friction, motor | active | its force exceeds its bound |
//! | friction, motor | saturated | the rate reaches zero |
//!
//! Instants are roots, down to the resolution of time.

use crate::body::Kinematics;
use crate::contact::rest::{ConstraintSystem, RowState};
use crate::drive::exact::island::equations::joint_scales::{force_scale, speed_scale};
use crate::drive::exact::island::equations::joints;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::Track;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::modes::tolerances::{FORCE_ROUNDING, LIMIT_VIOLATION, ZERO_SPEED};
use crate::joint::{Law, RowMode, STILL};
use crate::math::DVec3;
use crate::math::bracket::first_positive;
use crate::motion::Motion;
use crate::world::{BodyId, World};

/// A joint row at an instant, scaled to metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowSample {
    articulation: usize,
    row: usize,
    value: f64,
    rate: f64,
    /// The zero-speed tolerance, m/s.
    zero_speed: f64,
    /// The longest arm of its articulation, m.
    length: f64,
}

impl Modes<'_> {
    /// The rows of an island at a time on its span, in the order of articulations.
    pub(crate) fn sample_rows(&mut self, k: usize, t: f64) -> Vec<RowSample> {
        let mut samples = Vec::new();
        let island = &self.state.tracks[k].island;
        let present: Vec<usize> = self.scratch.articulation_index.of_island(island).collect();
        for articulation in present {
            self.sample_rows_of(k, articulation, t, &mut samples);
        }
        samples
    }

    fn sample_rows_of(&mut self, k: usize, articulation: usize, t: f64, samples: &mut Vec<RowSample>) {
        let track = &self.state.tracks[k];
        let world = self.world;
        let IslandScratch { constraints, .. } = &mut *self.scratch;
        let articulations = &mut constraints.articulations[articulation];
        if articulations.rows.is_empty() {
            return;
        }
        let kinematics = |id: BodyId| on_span(world, track, id, t);
        articulations.system.evaluate(world, kinematics, t, &self.state.joints.turns);
        let zero_speed = ZERO_SPEED
            * speed_scale(world, &articulations.system, kinematics)
                .max(self.state.joints.articulations[articulation].fastest);
        for row in 0..articulations.rows.len() {
            let (jet, weight) = (&articulations.equation(row).jet, articulations.weight(row));
            let (value, rate, length) =
                (weight * jet.value, weight * jet.rate, articulations.system.length());
            samples.push(RowSample { articulation, row, value, rate, zero_speed, length });
        }
    }

    /// One row at a time on the span: only its joint is evaluated.
    fn sample_row(&self, k: usize, of: &RowSample, t: f64) -> RowSample {
        let (track, articulations) =
            (&self.state.tracks[k], &self.scratch.constraints.articulations[of.articulation]);
        let equation = articulations.rows[of.row].equation;
        let (i, start) = articulations.system.joint_of(equation);
        let place = articulations.system.joints()[i];
        let joint = &self.world.joints()[place];
        let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| on_span(self.world, track, id, t)));
        let mut equations = Vec::with_capacity(articulations.system.equations_of(i).len());
        joint.equations((&a, &b), t, &self.state.joints.turns[place], &mut equations);
        let (jet, weight) = (&equations[equation - start].jet, articulations.weight(of.row));
        RowSample { value: weight * jet.value, rate: weight * jet.rate, ..*of }
    }

    /// The first instant after `good`, up to `t`, at which the mode of a row ends; none if all stay valid. The rows are
    /// those at the start of the span, at `good` and at `t`.
    pub(crate) fn first_row_failure(
        &mut self,
        k: usize,
        [start, before, after]: [&[RowSample]; 3],
        (good, t): (f64, f64),
    ) -> Option<f64> {
        let mut first = f64::INFINITY;
        for ((start, before), after) in start.iter().zip(before).zip(after) {
            let articulations = &self.scratch.constraints.articulations[after.articulation];
            let mode = self.state.joints.articulations[after.articulation].rows[after.row].mode;
            let law = articulations.equation(after.row).law;
            let found = match (mode, law) {
                (RowMode::Free, Law::AtLeast { .. }) => {
                    let allowed = start.value.min(0.0) - LIMIT_VIOLATION * after.length;
                    self.first_violation(k, (before, after), allowed, (good, t))
                }
                (RowMode::Saturated(sign), _) => {
                    // A row that moves stops where its rate changes sign; one that starts to move may waver.
                    let allowed =
                        if -sign * before.rate > before.zero_speed { 0.0 } else { after.zero_speed };
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
        first = self.state.first_motor_change(self.world, k, (good, end)).unwrap_or(first);
        let end = first.min(t);
        let excess = self.force_excess(k, end);
        if excess > 0.0 {
            let ends = (self.force_excess(k, good), excess);
            first = first_positive((good, end), ends, |t| self.force_excess(k, t));
        }
        (first < f64::INFINITY).then_some(first)
    }

    /// When a limit that is satisfied at `good` is first violated.
    fn first_violation(
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
            // The minimum is where the rate changes sign.
            let minimum =
                first_positive((good, t), (before.rate, after.rate), |t| self.sample_row(k, after, t).rate);
            bad = (minimum, deep(&self.sample_row(k, after, minimum)));
            if bad.1 <= 0.0 {
                return None;
            }
        }
        Some(first_positive((good, bad.0), (deep(before), bad.1), |t| deep(&self.sample_row(k, after, t))))
    }

    /// By how much an active row exceeds its force bound at a time on the span, N; not above zero where none does.
    fn force_excess(&mut self, k: usize, t: f64) -> f64 {
        let track = &self.state.tracks[k];
        let Some(active) = &track.active else { return 0.0 };
        let is_watched = |row: &RowState| row.mode == RowMode::Active && !row.is_trusted;
        let is_active = |k: usize| self.state.joints.articulations[k].rows.iter().any(is_watched);
        if !self.scratch.articulation_index.of_island(&track.island).any(is_active) {
            return 0.0;
        }
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        track
            .equations(self.world, Workspace { joints: &mut self.state.joints, scratch: self.scratch })
            .solve_forces(t, &y, active);
        let IslandScratch { constraints, loaded, .. } = &*self.scratch;
        let ConstraintSystem { articulations, present, .. } = constraints;
        let mut most = f64::NEG_INFINITY;
        for (articulation, state) in
            present.iter().map(|k| (&articulations[*k], &self.state.joints.articulations[*k]))
        {
            let (forces, slack) =
                (articulation.equation_forces(state), FORCE_ROUNDING * force_scale(articulation, loaded));
            for i in (0..articulation.rows.len()).filter(|i| is_watched(&state.rows[*i])) {
                let force = forces[articulation.rows[i].equation];
                let excess = match articulation.equation(i).law {
                    Law::AtLeast { .. } => -force,
                    _ => force.abs() - articulation.largest(self.world, i, &forces),
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
        let motion = motion.expect("a span is sampled after it was made");
        (motion.pose(t), motion.twist(t))
    };
    Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
}
