//! Limits, ropes, friction and motors with a largest force: what each of them does from an instant on.
//!
//! ```text
//! a limit that is not reached or that is left: free; an axis that moves: friction at its largest, against it     (open_rows)
//! all others are open: one complementarity problem with the contacts, of the accelerations that joints leave    (fill_extra)
//! friction that grows with the reaction of its joint: again until it is settled                                  (refit)
//! held rows are equations of their linkage from here on; what is at its largest force is a load                  (close_rows)
//! ```

use super::aggregate::part;
use super::drift::{Blows, Drift};
use super::held::IslandEquations;
use super::joint_impact::at_instant;
use super::joints::place;
use super::rounds::Rounds;
use super::simulation::Simulation;
use super::{Buffers, States};
use crate::articulation::JointSystem;
use crate::body::Kinematics;
use crate::contact::rest::{Bearing, Bearings, Bound, Decision, Extra, Joined, Loaded};
use crate::dynamics::Island;
use crate::joint::{Law, RowMode};
use crate::math::DVec3;
use crate::record::{JointEvent, JointEventKind};
use crate::world::{BodyId, World};

/// Speeds below this share of those in play are none: rounding leaves 1e-15 of them, solvers 1e-12.
const NO_SPEED: f64 = 1e-11;

/// A limit that is nearer than this share of the longest arm is reached; a decade less, and the end of a step over a crowd of
/// contacts misses it.
pub(super) const REACHED: f64 = 1e-9;

/// A force below this share of those in play is none; what is decided by less is decided by rounding.
const NO_FORCE: f64 = 1e-11;

/// A force above this share of its bound is at it: the solver's own rounding.
const AT_BOUND: f64 = 1.0 - 1e-10;

/// What is left of the largest speed from one decision to the next: where everything comes to a stop, what counts as still is
/// measured by the speeds that it had.
const FADES: f64 = 0.9;

/// Instants nearer than this share of the time are one.
const SAME_INSTANT: f64 = 64.0 * f64::EPSILON;

/// Rounds in which friction and reactions are fitted to each other, and the change that ends them.
const ROUNDS: usize = 40;
const SETTLED: f64 = 1e-12;

/// The change from which on it may be rounding: forces of redundant contacts are good for nine digits.
const ROUNDED: f64 = 1e-9;

/// Bounds beyond this many times the loads are no bounds for the problem: they would spoil its scale.
const FAR: f64 = 1e6;

/// A row that is in the complementarity problem.
pub(super) struct OpenRow {
    linkage: usize,
    row: usize,
    /// What it is multiplied by to be a length.
    weight: f64,
    /// Its largest force, N or N·m.
    largest: f64,
}

/// What speeds of a linkage are measured by, m/s: those of its bodies, and what gravity makes of its size.
pub(super) fn speed_scale(
    world: &World,
    system: &JointSystem,
    kinematics: impl Fn(BodyId) -> Kinematics,
) -> f64 {
    let length = system.length();
    let speed = |id: &BodyId| {
        let twist = kinematics(*id).twist;
        twist.velocity.length() + twist.spin.length() * length
    };
    let fastest = system.bodies().iter().map(speed).fold(0.0, f64::max);
    fastest.max((world.gravity().length() * length).sqrt())
}

/// What forces of a linkage are measured by, N: the largest on one of its bodies as loaded.
pub(super) fn force_scale(linkage: &Joined, loaded: &[Loaded]) -> f64 {
    let force = |place: &usize| {
        let body = &loaded[*place];
        if body.inv_mass > 0.0 { body.kinematics.acceleration.length() / body.inv_mass } else { 0.0 }
    };
    let lines = linkage.system.lines().iter().zip(linkage.system.forces());
    let carried = lines.map(|(line, force)| force.abs() / linkage.system.line_weight(*line));
    linkage.places.iter().map(force).chain(carried).fold(0.0, f64::max)
}

impl Simulation {
    /// What speeds of a linkage are measured by at `t`, m/s: those of now and of late.
    pub(super) fn row_scale(&self, t: f64, k: usize) -> f64 {
        let linkage = &self.buffers.bearings.joined[k];
        let at = |id| at_instant(&self.world, &self.states, id, t);
        speed_scale(&self.world, &linkage.system, at).max(linkage.fastest)
    }

    /// The speed below which a row of a linkage is still, m/s.
    pub(super) fn still_rows(&self, t: f64, k: usize) -> f64 {
        let system = &self.buffers.bearings.joined[k].system;
        let first = system.bodies().first().map_or(0, |id| id.index() as u32);
        self.row_scale(t, k) * NO_SPEED.max(self.stepped_speed(t, [first; 2]))
    }

    /// Forces and modes of contacts and of rows of joints, as one problem; from the states at `t`, packed in `y`, and beginning
    /// with the forces of `start`, if there is one of each contact.
    pub(super) fn decide_modes(
        &mut self,
        t: f64,
        (island, y): (&Island, &[f64]),
        (contacts, slides, start): (&[Bearing], &[bool], &[DVec3]),
    ) -> Decision {
        self.grip_motors(t, island);
        let before = self.row_modes(island);
        let mut open = self.open_rows(t, island);
        let smooth = island.smooth_interval(t);
        let (mut round, mut rounds) = (0, Rounds::new(SETTLED, ROUNDED));
        let decision = loop {
            let (world, buffers) = (&self.world, &mut self.buffers);
            let mut equations = IslandEquations { world, island, held: None, buffers, smooth };
            equations.load_bodies(t, y);
            fill_extra(world, island, t, &mut self.buffers, &open);
            let Buffers { bearings, loaded, .. } = &mut self.buffers;
            let decision = bearings.decide_near(loaded, contacts, slides, start);
            round += 1;
            if round == ROUNDS || rounds.are_over(self.refit(island, contacts, &mut open)) {
                break decision;
            }
        };
        self.close_rows(island, &open);
        self.trust_rows(t, island, &before);
        self.log_rows(t, island, &before);
        decision
    }

    /// Says what rows do that is known from positions and velocities alone; returns the others.
    fn open_rows(&mut self, t: f64, island: &Island) -> Vec<OpenRow> {
        let mut open = Vec::new();
        let linkages: Vec<usize> = self.buffers.linkages.of_island(island).collect();
        for k in linkages {
            if self.buffers.bearings.joined[k].rows.is_empty() {
                continue;
            }
            evaluate_at(&self.world, &self.states, &mut self.buffers, (k, t));
            let still = self.still_rows(t, k);
            let (world, states) = (&self.world, &self.states);
            let linkage = &mut self.buffers.bearings.joined[k];
            let now = speed_scale(world, &linkage.system, |id| at_instant(world, states, id, t));
            linkage.fastest = now.max(FADES * linkage.fastest);
            linkage.disengage(&self.world);
            let reached = REACHED * linkage.system.length();
            for row in 0..linkage.rows.len() {
                let (equation, weight) = (*linkage.equation(row), linkage.weight(row));
                let (value, rate) = (weight * equation.jet.value, weight * equation.jet.rate);
                let largest = match equation.law {
                    Law::Driven { largest } => largest,
                    Law::Rubbing(friction) => friction.constant,
                    Law::Equal | Law::AtLeast { .. } => f64::INFINITY,
                };
                let is_limit = matches!(equation.law, Law::AtLeast { .. });
                let moves = if is_limit { value > reached || rate > still } else { rate.abs() > still };
                let entry = &mut linkage.rows[row];
                (entry.mode, entry.push) = (RowMode::Free, 0.0);
                if !moves {
                    open.push(OpenRow { linkage: k, row, weight, largest });
                } else if !is_limit {
                    let sign = -rate.signum();
                    (entry.mode, entry.push) = (RowMode::Pushed(sign), sign * largest);
                }
            }
        }
        open
    }

    /// Brings friction that grows with reactions up to date with the forces last found; by which share of it that
    /// changed one at most.
    fn refit(&mut self, island: &Island, contacts: &[Bearing], open: &mut [OpenRow]) -> f64 {
        let joined = &self.buffers.bearings.joined;
        let linkages: Vec<usize> = self.buffers.linkages.of_island(island).collect();
        let is_pressed = |k: &usize| (0..joined[*k].rows.len()).any(|row| joined[*k].is_pressed(row));
        if !linkages.iter().any(is_pressed) {
            return 0.0;
        }
        let (world, buffers) = (&self.world, &mut self.buffers);
        let smooth = (f64::NEG_INFINITY, f64::INFINITY);
        IslandEquations { world, island, held: None, buffers, smooth }.answer_contacts(contacts);
        let Bearings { joined, extra_forces, .. } = &mut self.buffers.bearings;
        let mut most = 0.0_f64;
        for k in linkages {
            let linkage = &mut joined[k];
            let mut forces = linkage.equation_forces();
            for (row, force) in open.iter().zip(extra_forces.iter()).filter(|(row, _)| row.linkage == k) {
                forces[linkage.rows[row.row].equation] = row.weight * force;
            }
            for row in (0..linkage.rows.len()).filter(|row| linkage.is_pressed(*row)).collect::<Vec<_>>() {
                let largest = linkage.largest(world, row, &forces);
                let moved = |old: f64| if largest == old { 0.0 } else { (largest - old).abs() / largest };
                if let RowMode::Pushed(sign) = linkage.rows[row].mode {
                    most = most.max(moved(linkage.rows[row].push.abs()));
                    linkage.rows[row].push = sign * largest;
                }
                for own in open.iter_mut().filter(|own| own.linkage == k && own.row == row) {
                    most = most.max(moved(own.largest));
                    own.largest = largest;
                }
            }
        }
        most
    }

    /// Takes the answer of the problem to the rows, and lets those that are held act as equations.
    fn close_rows(&mut self, island: &Island, open: &[OpenRow]) {
        let Buffers { bearings, loaded, linkages, .. } = &mut self.buffers;
        let Bearings { joined, extra, extra_forces, .. } = bearings;
        for (row, force) in open.iter().zip(extra_forces.iter()) {
            let linkage = &mut joined[row.linkage];
            let scale = force_scale(linkage, loaded);
            let is_limit = matches!(linkage.equation(row.row).law, Law::AtLeast { .. });
            let entry = &mut linkage.rows[row.row];
            let force = row.weight * force;
            if is_limit {
                let holds = force > NO_FORCE * row.weight * scale && force > 0.0;
                entry.mode = if holds { RowMode::Held } else { RowMode::Free };
            } else if row.largest == 0.0 {
                entry.mode = RowMode::Free;
            } else if force.abs() >= AT_BOUND * row.largest {
                let sign = force.signum();
                (entry.mode, entry.push) = (RowMode::Pushed(sign), sign * row.largest);
            } else {
                entry.mode = RowMode::Held;
            }
        }
        extra.clear();
        extra_forces.clear();
        for k in linkages.of_island(island) {
            joined[k].engage(&self.world);
        }
    }

    /// Trusts rows that hold now as they did at an instant that numbers hardly tell from this one.
    fn trust_rows(&mut self, t: f64, island: &Island, before: &[RowMode]) {
        let Buffers { bearings, linkages, .. } = &mut self.buffers;
        let mut before = before.iter();
        for k in linkages.of_island(island) {
            let linkage = &mut bearings.joined[k];
            let is_again = t - linkage.decided <= SAME_INSTANT * t.abs();
            for row in &mut linkage.rows {
                let old = before.next();
                row.is_trusted = is_again && old == Some(&RowMode::Held) && row.mode == RowMode::Held;
            }
            linkage.decided = t;
        }
    }

    /// Ends the trust in rows of an island: it goes on by another span.
    pub(super) fn distrust_rows(&mut self, k: usize) {
        let Buffers { bearings, linkages, .. } = &mut self.buffers;
        for linkage in linkages.of_island(&self.tracks[k].island) {
            for row in &mut bearings.joined[linkage].rows {
                row.is_trusted = false;
            }
        }
    }

    /// The modes of all rows of an island.
    fn row_modes(&self, island: &Island) -> Vec<RowMode> {
        let joined = &self.buffers.bearings.joined;
        let rows = self.buffers.linkages.of_island(island).flat_map(|k| &joined[k].rows);
        rows.map(|row| row.mode).collect()
    }

    /// Logs rows that do something else than before.
    fn log_rows(&mut self, t: f64, island: &Island, before: &[RowMode]) {
        let mut before = before.iter();
        let joined = &self.buffers.bearings.joined;
        for k in self.buffers.linkages.of_island(island) {
            for (i, row) in joined[k].rows.iter().enumerate() {
                let (Some(old), equation) = (before.next(), joined[k].equation(i)) else { continue };
                if *old == row.mode {
                    continue;
                }
                let kind = match row.mode {
                    RowMode::Free => JointEventKind::Released,
                    RowMode::Held => JointEventKind::Held,
                    RowMode::Pushed(_) => JointEventKind::Yields,
                };
                self.log.add_joint(JointEvent {
                    t,
                    joint: joined[k].system.joints()[joined[k].system.joint_of(row.equation).0],
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

    /// Whether an island has joints with limits, friction or bounded motors.
    pub(super) fn has_rows(&self, island: &Island) -> bool {
        let joined = &self.buffers.bearings.joined;
        self.has_motors(island) || self.buffers.linkages.of_island(island).any(|k| !joined[k].rows.is_empty())
    }

    /// Lets no row of an island act, and puts all that a step of length `h` may find acting into its problem: rates at its end
    /// in the place of accelerations, impulses in that of forces.
    pub(super) fn open_rows_for_step(&mut self, t: f64, h: f64, island: &Island) -> Vec<OpenRow> {
        let mut open = Vec::new();
        let linkages: Vec<usize> = self.buffers.linkages.of_island(island).collect();
        for k in linkages {
            evaluate_at(&self.world, &self.states, &mut self.buffers, (k, t));
            let linkage = &mut self.buffers.bearings.joined[k];
            linkage.disengage(&self.world);
            for row in 0..linkage.rows.len() {
                let (equation, weight) = (*linkage.equation(row), linkage.weight(row));
                (linkage.rows[row].mode, linkage.rows[row].push) = (RowMode::Free, 0.0);
                let largest = linkage.largest(&self.world, row, &linkage.carried);
                let reach =
                    REACHED * linkage.system.length() - 4.0 * h * (weight * equation.jet.rate).min(0.0);
                let is_far = weight * equation.jet.value > reach;
                if !(is_far && matches!(equation.law, Law::AtLeast { .. })) {
                    open.push(OpenRow { linkage: k, row, weight, largest });
                }
            }
        }
        open
    }

    /// Fills the problem of a step with the rows that are open in it; bodies are as loaded. Returns what
    /// accelerations make of their rates.
    pub(super) fn fill_extra_for_step(
        &mut self,
        t: f64,
        h: f64,
        island: &Island,
        open: &[OpenRow],
    ) -> Vec<f64> {
        fill_extra(&self.world, island, t, &mut self.buffers, open);
        let Bearings { joined, extra, .. } = &mut self.buffers.bearings;
        let mut all_gained = Vec::with_capacity(open.len());
        for (extra, row) in extra.iter_mut().zip(open) {
            let linkage = &joined[row.linkage];
            let jet = &linkage.equation(row.row).jet;
            let gap = row.weight * jet.value;
            let open = if gap > REACHED * linkage.system.length() { gap / h } else { 0.0 };
            let open = if extra.bound == Bound::AtLeast { open } else { 0.0 };
            let gained = h * extra.free;
            extra.free = row.weight * jet.rate + gained + open;
            if let Bound::Within(largest) = &mut extra.bound {
                *largest *= h;
            }
            all_gained.push(gained);
        }
        all_gained
    }

    /// What the impulses of rows over a step took: by friction, and otherwise; and what motors and moving supports did by them,
    /// J. Takes them out of the problem.
    pub(super) fn book_rows_of_step(
        &mut self,
        island: &Island,
        open: &[OpenRow],
        (drift, blows): (&Drift, &Blows),
    ) -> [f64; 3] {
        let Bearings { joined, extra, extra_forces, .. } = &mut self.buffers.bearings;
        let mut booked = [0.0; 3];
        for (i, ((row, extra), p)) in open.iter().zip(extra.iter()).zip(extra_forces.iter()).enumerate() {
            let equation = joined[row.linkage].equation(row.row);
            let p_blow = (*p, blows.of_row(i));
            // On the bodies that can move, and as much as if they had gone on as before.
            let (mut work, mut as_before) = (0.0, 0.0);
            for (side, place) in extra.bodies.iter().enumerate() {
                let id = place.and_then(|place| island.bodies.get(place));
                let Some(slot) = id.and_then(|id| drift.slot(*id)) else { continue };
                work += drift.work_on(slot, part(&extra.row, side), p_blow);
                as_before += p * drift.rate_before(slot, part(&extra.row, side));
            }
            let lost = match equation.law {
                Law::Driven { .. } => 0.0,
                Law::Equal | Law::AtLeast { .. } | Law::Rubbing(_) => {
                    as_before - work - p * row.weight * equation.jet.rate
                }
            };
            booked[usize::from(!matches!(equation.law, Law::Rubbing(_)))] += lost;
            booked[2] += work + lost;
        }
        extra.clear();
        extra_forces.clear();
        booked
    }
}

/// Brings the equations of a linkage to the states at `t`.
pub(super) fn evaluate_at(world: &World, states: &States, buffers: &mut Buffers, (k, t): (usize, f64)) {
    let linkage = &mut buffers.bearings.joined[k];
    linkage.system.evaluate(world, |id| at_instant(world, states, id, t), t, &buffers.linkages.turns);
}

/// The rows that are open, as the problem takes them, for the bodies as loaded with joints in force.
fn fill_extra(world: &World, island: &Island, t: f64, buffers: &mut Buffers, open: &[OpenRow]) {
    let Buffers { bearings, loaded, linkages, .. } = buffers;
    let Bearings { joined, extra, extra_forces, .. } = bearings;
    extra.clear();
    extra_forces.clear();
    let mut last = None;
    for OpenRow { linkage: k, row, weight, largest } in open {
        let linkage = &mut joined[*k];
        if last != Some(*k) {
            linkage.system.evaluate(world, |id| loaded[place(island, id)].kinematics, t, &linkages.turns);
            last = Some(*k);
        }
        let jet = linkage.equation(*row).jet.scaled(*weight);
        let bound = if matches!(linkage.equation(*row).law, Law::AtLeast { .. }) {
            Bound::AtLeast
        } else {
            Bound::Within((largest / weight).min(FAR * force_scale(linkage, loaded)))
        };
        let bodies = linkage.rows[*row].slots.map(|slot| slot.map(|slot| linkage.places[slot]));
        extra.push(Extra { bodies, row: jet.row, free: jet.curvature, bound });
    }
}
