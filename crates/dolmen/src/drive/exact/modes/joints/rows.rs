//! The mode decision of joint rows: limits, ropes, joint friction and motors with a force limit.
//!
//! ```text
//! an open or separating limit is free; a moving axis has its largest friction           (open_rows)
//! all others: one complementarity problem with the contacts                            (fill_extra)
//! joint friction that grows with the joint force: repeat until converged               (refit_friction)
//! active rows become equations of their articulation; saturated rows are loads         (close_rows)
//! ```

use crate::contact::rest::{Bound, ConstraintSystem, ContactConstraint, Decision, Extra};
use crate::drive::exact::island::articulated_motion::{ArticulatedMotion, StartImpulses};
use crate::drive::exact::island::articulation::JointState;
use crate::drive::exact::island::equations::IslandEquations;
use crate::drive::exact::island::equations::joint_scales::at_instant;
use crate::drive::exact::island::equations::joint_scales::evaluate_at;
use crate::drive::exact::island::equations::joint_scales::force_scale;
use crate::drive::exact::island::equations::joint_scales::speed_scale;
use crate::drive::exact::island::equations::joints::place;
use crate::drive::exact::island::equations::rounds::Rounds;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::tolerances::LIMIT_TOLERANCE;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::modes::tolerances::{
    AT_BOUND, FRICTION_CONVERGED, FRICTION_ROUNDING, FRICTION_ROUNDS, LARGE_BOUND, SAME_INSTANT, SCALE_DECAY,
    ZERO_FORCE, ZERO_SPEED,
};
use crate::drive::exact::state::view::View;
use crate::dynamics::Island;
use crate::joint::{Law, RowMode};
use crate::math::DVec3;
use crate::record::{JointEvent, JointEventKind};
use crate::world::World;

/// A row in the complementarity problem.
pub(crate) struct OpenRow {
    articulation: usize,
    row: usize,
    /// The factor that scales it to a length.
    weight: f64,
    /// The bound on its force, N or N·m.
    largest: f64,
}

impl View<'_> {
    /// The velocity scale of an articulation at `t`, m/s: current speeds and recent ones.
    pub(crate) fn row_scale(&self, scratch: &IslandScratch, t: f64, k: usize) -> f64 {
        let at = |id| at_instant(self.world, &self.state.states, id, t);
        let now = speed_scale(self.world, &scratch.constraints.articulations[k].system, at);
        now.max(self.state.joints.articulations[k].fastest)
    }

    /// The zero-speed tolerance of a row of an articulation, m/s.
    pub(crate) fn zero_row_rate(&self, scratch: &IslandScratch, t: f64, k: usize) -> f64 {
        let system = &scratch.constraints.articulations[k].system;
        let first = system.bodies().first().map_or(0, |id| id.index() as u32);
        self.row_scale(scratch, t, k) * ZERO_SPEED.max(self.state.stepped_speed(t, [first; 2]))
    }
}

impl IslandScratch {
    /// Whether an island has joints with limits, friction or bounded motors.
    pub(crate) fn has_rows(&self, joints: &JointState, island: &Island) -> bool {
        let articulations = &self.constraints.articulations;
        joints.has_motors(island)
            || self.articulation_index.of_island(island).any(|k| !articulations[k].rows.is_empty())
    }
}

impl Modes<'_> {
    /// Decides the forces and modes of contacts and joint rows, as one problem; from the states at `t`, packed in `y`,
    /// starting with the forces `start` if there is one for each contact.
    pub(crate) fn decide_modes(
        &mut self,
        t: f64,
        (island, y): (&Island, &[f64]),
        (contacts, slides, start): (&[ContactConstraint], &[bool], &[DVec3]),
    ) -> Decision {
        self.saturate_motors(t, island);
        let before = self.row_modes(island);
        let mut open = self.open_rows(t, island);
        let smooth = island.smooth_interval(t);
        let (mut round, mut rounds) = (0, Rounds::new(FRICTION_CONVERGED, FRICTION_ROUNDING));
        // Bounds on friction by the joint forces without its growth.
        let (mut unfed, mut is_jammed) = (Vec::new(), false);
        let decision = loop {
            let world = self.world;
            let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
            let mut equations = IslandEquations::new(world, island, None, workspace, smooth);
            equations.load_bodies(t, y);
            let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
            fill_extra(world, island, t, workspace, &open);
            let IslandScratch { constraints, loaded, .. } = &mut *self.scratch;
            let decision = if round == 0 {
                constraints.decide_near(loaded, contacts, slides, start)
            } else {
                constraints.decide_again(loaded, contacts, slides)
            };
            round += 1;
            if is_jammed {
                break decision;
            }
            let change = self.refit_friction(island, contacts, &mut open);
            if round == 1 {
                unfed = open.iter().map(|row| row.largest).collect();
            }
            if rounds.is_done(change) || round == FRICTION_ROUNDS {
                if !rounds.has_stalled() || unfed.is_empty() {
                    break decision;
                }
                // It locks itself: each round loads the joint by more friction than the last.
                is_jammed = true;
                open.iter_mut().zip(&unfed).for_each(|(row, largest)| row.largest = *largest);
            }
        };
        if is_jammed {
            self.log_jammed(t, island);
        }
        self.close_rows(island, &open);
        self.trust_rows(t, island, &before);
        self.log_rows(t, island, &before);
        decision
    }

    /// Sets the modes that follow from positions and velocities alone; returns the other rows.
    fn open_rows(&mut self, t: f64, island: &Island) -> Vec<OpenRow> {
        let mut open = Vec::new();
        let present: Vec<usize> = self.scratch.articulation_index.of_island(island).collect();
        for k in present {
            if self.scratch.constraints.articulations[k].rows.is_empty() {
                continue;
            }
            evaluate_at(
                self.world,
                &self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: self.scratch },
                (k, t),
            );
            let still = self.view().zero_row_rate(self.scratch, t, k);
            let (world, states) = (self.world, &self.state.states);
            let articulation = &mut self.scratch.constraints.articulations[k];
            let now = speed_scale(world, &articulation.system, |id| at_instant(world, states, id, t));
            let state = &mut self.state.joints.articulations[k];
            state.fastest = now.max(SCALE_DECAY * state.fastest);
            articulation.disengage(self.world);
            let reached = LIMIT_TOLERANCE * articulation.system.length();
            for row in 0..articulation.rows.len() {
                let (equation, weight) = (*articulation.equation(row), articulation.weight(row));
                let (value, rate) = (weight * equation.jet.value, weight * equation.jet.rate);
                let largest = match equation.law {
                    Law::Driven { largest } => largest,
                    Law::Friction(friction) => friction.constant,
                    Law::Equal | Law::AtLeast { .. } => f64::INFINITY,
                };
                let is_limit = matches!(equation.law, Law::AtLeast { .. });
                let moves = if is_limit { value > reached || rate > still } else { rate.abs() > still };
                let entry = &mut state.rows[row];
                (entry.mode, entry.push) = (RowMode::Free, 0.0);
                if !moves {
                    open.push(OpenRow { articulation: k, row, weight, largest });
                } else if !is_limit {
                    let sign = -rate.signum();
                    (entry.mode, entry.push) = (RowMode::Saturated(sign), sign * largest);
                }
            }
        }
        open
    }

    /// Updates joint friction that grows with the joint force from the last forces; returns the largest relative
    /// change.
    fn refit_friction(
        &mut self,
        island: &Island,
        contacts: &[ContactConstraint],
        open: &mut [OpenRow],
    ) -> f64 {
        let articulations = &self.scratch.constraints.articulations;
        let present: Vec<usize> = self.scratch.articulation_index.of_island(island).collect();
        let friction_grows_with_load = |k: &usize| {
            (0..articulations[*k].rows.len()).any(|row| articulations[*k].friction_grows_with_load(row))
        };
        if !present.iter().any(friction_grows_with_load) {
            return 0.0;
        }
        let world = self.world;
        let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
        let smooth = (f64::NEG_INFINITY, f64::INFINITY);
        IslandEquations::new(world, island, None, workspace, smooth).solve_joint_reactions(contacts);
        let ConstraintSystem { articulations, extra_forces, .. } = &mut self.scratch.constraints;
        let mut most = 0.0_f64;
        for k in present {
            let articulation = &mut articulations[k];
            let state = &mut self.state.joints.articulations[k];
            let mut forces = articulation.equation_forces(state);
            for (row, force) in open.iter().zip(extra_forces.iter()).filter(|(row, _)| row.articulation == k)
            {
                forces[articulation.rows[row.row].equation] = row.weight * force;
            }
            for row in (0..articulation.rows.len())
                .filter(|row| articulation.friction_grows_with_load(*row))
                .collect::<Vec<_>>()
            {
                let largest = articulation.largest(world, row, &forces);
                let moved = |old: f64| if largest == old { 0.0 } else { (largest - old).abs() / largest };
                if let RowMode::Saturated(sign) = state.rows[row].mode {
                    most = most.max(moved(state.rows[row].push.abs()));
                    state.rows[row].push = sign * largest;
                }
                for own in open.iter_mut().filter(|own| own.articulation == k && own.row == row) {
                    most = most.max(moved(own.largest));
                    own.largest = largest;
                }
            }
        }
        most
    }

    /// Sets the modes of rows from the solution of the problem, and engages the active ones as equations.
    fn close_rows(&mut self, island: &Island, open: &[OpenRow]) {
        let IslandScratch { constraints, loaded, articulation_index, .. } = &mut *self.scratch;
        let ConstraintSystem { articulations, extra, extra_forces, .. } = constraints;
        for (row, force) in open.iter().zip(extra_forces.iter()) {
            let articulation = &mut articulations[row.articulation];
            let scale = force_scale(articulation, loaded);
            let is_limit = matches!(articulation.equation(row.row).law, Law::AtLeast { .. });
            let entry = &mut self.state.joints.articulations[row.articulation].rows[row.row];
            let force = row.weight * force;
            if is_limit {
                let holds = force > ZERO_FORCE * row.weight * scale && force > 0.0;
                entry.mode = if holds { RowMode::Active } else { RowMode::Free };
            } else if row.largest == 0.0 {
                entry.mode = RowMode::Free;
            } else if force.abs() >= AT_BOUND * row.largest {
                let sign = force.signum();
                (entry.mode, entry.push) = (RowMode::Saturated(sign), sign * row.largest);
            } else {
                entry.mode = RowMode::Active;
            }
        }
        extra.clear();
        extra_forces.clear();
        for k in articulation_index.of_island(island) {
            articulations[k].engage(self.world, &self.state.joints.articulations[k]);
        }
    }

    /// Trusts rows that are active now and were at an instant within rounding of this one.
    fn trust_rows(&mut self, t: f64, island: &Island, before: &[RowMode]) {
        let mut before = before.iter();
        for k in self.scratch.articulation_index.of_island(island) {
            let state = &mut self.state.joints.articulations[k];
            let is_again = t - state.decided <= SAME_INSTANT * t.abs();
            for row in &mut state.rows {
                let old = before.next();
                row.is_trusted = is_again && old == Some(&RowMode::Active) && row.mode == RowMode::Active;
            }
            state.decided = t;
        }
    }

    /// Ends the trust in rows of an island: it continues with another span.
    pub(crate) fn recheck_joint_rows(&mut self, k: usize) {
        for articulation in self.scratch.articulation_index.of_island(&self.state.tracks[k].island) {
            for row in &mut self.state.joints.articulations[articulation].rows {
                row.is_trusted = false;
            }
        }
    }

    /// The modes of all rows of an island.
    fn row_modes(&self, island: &Island) -> Vec<RowMode> {
        let states = &self.state.joints.articulations;
        let index = &self.scratch.articulation_index;
        index.of_island(island).flat_map(|k| &states[k].rows).map(|row| row.mode).collect()
    }

    /// Logs rows whose mode changes.
    fn log_rows(&mut self, t: f64, island: &Island, before: &[RowMode]) {
        let mut before = before.iter();
        let articulations = &self.scratch.constraints.articulations;
        for k in self.scratch.articulation_index.of_island(island) {
            for (i, row) in articulations[k].rows.iter().enumerate() {
                let (Some(old), equation) = (before.next(), articulations[k].equation(i)) else { continue };
                let mode = self.state.joints.articulations[k].rows[i].mode;
                if *old == mode {
                    continue;
                }
                let kind = match mode {
                    RowMode::Free => JointEventKind::Released,
                    RowMode::Active => JointEventKind::Active,
                    RowMode::Saturated(_) => JointEventKind::Saturated,
                };
                self.state.log.add_joint(JointEvent {
                    t,
                    joint: articulations[k].system.joints()[articulations[k].system.joint_of(row.equation).0],
                    axis: equation.axis,
                    kind,
                    approach: equation.jet.rate,
                    separation: equation.jet.rate,
                    impulse: 0.0,
                    lost: 0.0,
                });
            }
        }
    }

    /// Logs joints whose friction has no finite value under the joint force that it causes itself.
    fn log_jammed(&mut self, t: f64, island: &Island) {
        let articulations = &self.scratch.constraints.articulations;
        for k in self.scratch.articulation_index.of_island(island) {
            let articulation = &articulations[k];
            for (i, row) in articulation.rows.iter().enumerate() {
                if !articulation.friction_grows_with_load(i) {
                    continue;
                }
                let equation = articulation.equation(i);
                self.state.log.add_joint(JointEvent {
                    t,
                    joint: articulation.system.joints()[articulation.system.joint_of(row.equation).0],
                    axis: equation.axis,
                    kind: JointEventKind::Jammed,
                    approach: equation.jet.rate,
                    separation: equation.jet.rate,
                    impulse: 0.0,
                    lost: 0.0,
                });
            }
        }
    }

    /// Disengages all rows of an island, and opens those that may act in a time step of length `h`: with rates at its
    /// end in place of accelerations, and impulses in place of forces.
    pub(crate) fn open_rows_for_step(&mut self, t: f64, h: f64, island: &Island) -> Vec<OpenRow> {
        let mut open = Vec::new();
        let present: Vec<usize> = self.scratch.articulation_index.of_island(island).collect();
        for k in present {
            evaluate_at(
                self.world,
                &self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: self.scratch },
                (k, t),
            );
            let articulation = &mut self.scratch.constraints.articulations[k];
            let state = &mut self.state.joints.articulations[k];
            articulation.disengage(self.world);
            for row in 0..articulation.rows.len() {
                let (equation, weight) = (*articulation.equation(row), articulation.weight(row));
                (state.rows[row].mode, state.rows[row].push) = (RowMode::Free, 0.0);
                let largest = articulation.largest(self.world, row, &state.carried);
                let reach = LIMIT_TOLERANCE * articulation.system.length()
                    - 4.0 * h * (weight * equation.jet.rate).min(0.0);
                let is_far = weight * equation.jet.value > reach;
                if !(is_far && matches!(equation.law, Law::AtLeast { .. })) {
                    open.push(OpenRow { articulation: k, row, weight, largest });
                }
            }
        }
        open
    }

    /// Fills the problem of a time step with its open rows, for the bodies as loaded. Returns the changes of their
    /// rates by accelerations.
    pub(crate) fn fill_extra_for_step(
        &mut self,
        t: f64,
        h: f64,
        island: &Island,
        open: &[OpenRow],
    ) -> Vec<f64> {
        let workspace = Workspace { joints: &mut self.state.joints, scratch: self.scratch };
        fill_extra(self.world, island, t, workspace, open);
        let ConstraintSystem { articulations, extra, .. } = &mut self.scratch.constraints;
        let mut changes = Vec::with_capacity(open.len());
        for (extra, row) in extra.iter_mut().zip(open) {
            let articulation = &articulations[row.articulation];
            let jet = &articulation.equation(row.row).jet;
            let gap = row.weight * jet.value;
            let open = if gap > LIMIT_TOLERANCE * articulation.system.length() { gap / h } else { 0.0 };
            let open = if extra.bound == Bound::AtLeast { open } else { 0.0 };
            let gained = h * extra.free;
            extra.free = row.weight * jet.rate + gained + open;
            if let Bound::Within(largest) = &mut extra.bound {
                *largest *= h;
            }
            changes.push(gained);
        }
        changes
    }

    /// The energy that the impulses of rows over a time step dissipate by friction, and otherwise; and the work of
    /// motors and moving supports, J. Removes the rows from the problem.
    pub(crate) fn book_rows_of_step(
        &mut self,
        island: &Island,
        open: &[OpenRow],
        (articulated_motion, start_impulses): (&ArticulatedMotion, &StartImpulses),
    ) -> [f64; 3] {
        let ConstraintSystem { articulations, extra, extra_forces, .. } = &mut self.scratch.constraints;
        let mut booked = [0.0; 3];
        for (i, ((row, extra), p)) in open.iter().zip(extra.iter()).zip(extra_forces.iter()).enumerate() {
            let equation = articulations[row.articulation].equation(row.row);
            let p_and_start = (*p, start_impulses.of_row(i));
            // On dynamic bodies; and the same at the velocities before the step.
            let (mut work, mut work_before) = (0.0, 0.0);
            for (side, place) in extra.bodies.iter().enumerate() {
                let id = place.and_then(|place| island.bodies.get(place));
                let Some(slot) = id.and_then(|id| articulated_motion.slot(*id)) else { continue };
                work += articulated_motion.work_on(slot, extra.row.side(side), p_and_start);
                work_before += p * articulated_motion.rate_before(slot, extra.row.side(side));
            }
            let lost = match equation.law {
                Law::Driven { .. } => 0.0,
                Law::Equal | Law::AtLeast { .. } | Law::Friction(_) => {
                    work_before - work - p * row.weight * equation.jet.rate
                }
            };
            booked[usize::from(!matches!(equation.law, Law::Friction(_)))] += lost;
            booked[2] += work + lost;
        }
        extra.clear();
        extra_forces.clear();
        booked
    }
}

/// Fills the open rows into the problem, for the bodies as loaded with the joints in force.
fn fill_extra(world: &World, island: &Island, t: f64, workspace: Workspace, open: &[OpenRow]) {
    let Workspace { joints, scratch } = workspace;
    let IslandScratch { constraints, loaded, .. } = scratch;
    let ConstraintSystem { articulations, extra, extra_forces, .. } = constraints;
    extra.clear();
    extra_forces.clear();
    let mut last = None;
    for OpenRow { articulation: k, row, weight, largest } in open {
        let articulation = &mut articulations[*k];
        if last != Some(*k) {
            articulation.system.evaluate(world, |id| loaded[place(island, id)].kinematics, t, &joints.turns);
            last = Some(*k);
        }
        let jet = articulation.equation(*row).jet.scaled(*weight);
        let bound = if matches!(articulation.equation(*row).law, Law::AtLeast { .. }) {
            Bound::AtLeast
        } else {
            Bound::Within((largest / weight).min(LARGE_BOUND * force_scale(articulation, loaded)))
        };
        let bodies = articulation.rows[*row].slots.map(|slot| slot.map(|slot| articulation.places[slot]));
        extra.push(Extra { bodies, row: jet.row, free: jet.curvature, bound });
    }
}
