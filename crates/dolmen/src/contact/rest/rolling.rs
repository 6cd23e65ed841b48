//! Rolling and spinning resistance: moments of a contact, bounded by its normal force.
//!
//! With ω the spin of a relative to b at a contact with the normal n, its part across n is rolling and its part along n
//! is spinning. Each has a moment of its own on a:
//!
//! ```text
//! |M_roll| ≤ δ f,   and where it rolls   M_roll = −δ f ω_t/|ω_t|
//! |M_spin| ≤ σ f,   and where it spins   M_spin = −σ f sign(n·ω)
//! ```
//!
//! f is the normal force, δ and σ are lengths: how far the resultant of the pressure is ahead of the contact, and the
//! mean arm of friction in a small area. The law is Coulomb's with moments in place of forces, and so is its treatment:
//! modes that stick or slide, a linear system while they are fixed, a complementarity problem where they are decided,
//! in which the bound is that of the round before. All rows are multiplied by an arm of the bodies, so that speeds are
//! in m/s and moments in N.

use super::frame::coupling;
use super::{ConstraintSystem, ContactConstraint, Frame, Loaded, Mode};
use crate::math::Row;
use crate::math::{DVec3, dvec3};
use serde::{Deserialize, Serialize};

/// The rolling resistance of a contact, and its current modes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RollingResistance {
    /// Largest rolling moment by normal force, δ, m.
    pub rolling: f64,
    /// Largest spinning moment by normal force, σ, m.
    pub spinning: f64,
    /// The rolling mode; its initial direction is that of the spin of a relative to b.
    pub roll: Mode,
    /// The spinning mode, likewise.
    pub spin: Mode,
    /// The arm that scales rotations to lengths, m.
    pub arm: f64,
}

/// The part of a relative spin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Across the normal.
    Roll,
    /// Along the normal.
    Spin,
}

/// A resistance moment at an instant, laid out like a contact: its first component is unused.
#[derive(Debug, Clone, Copy)]
pub struct ResistanceRow {
    /// The index of its contact.
    pub of: usize,
    /// The part of the relative spin that it resists.
    pub part: Part,
    /// Whether it sticks or slides.
    pub mode: Mode,
    /// Its bound by normal force.
    pub share: f64,
    /// The directions of its two components, unit, world; the second is zero for a spin.
    pub axes: [DVec3; 2],
    /// Velocities → rates of its components, m/s.
    pub rows: [Row; 3],
    /// The rates, m/s.
    pub velocity: DVec3,
    /// The accelerations without contact forces, m/s².
    pub free: DVec3,
    /// The zero-speed tolerance, m/s: below it the initial direction counts.
    pub still: f64,
    /// The stand-in for W where a component has no row, 1/kg: that of a component with a row.
    pub mobility: f64,
    arm: f64,
}

const NO_ROW: Row =
    Row { linear_a: DVec3::ZERO, angular_a: DVec3::ZERO, linear_b: DVec3::ZERO, angular_b: DVec3::ZERO };

impl ResistanceRow {
    /// Whether it rotates already.
    pub fn turns(&self) -> bool {
        self.velocity.length() > self.still
    }

    /// Whether it rotates so fast that its initial direction does not count any more beside its own.
    pub fn is_fast(&self) -> bool {
        self.velocity.length() > super::tolerances::SLOW_SLIP * self.still
    }

    /// A vector of two components in the world frame.
    pub fn in_world(&self, components: DVec3) -> DVec3 {
        components.y * self.axes[0] + components.z * self.axes[1]
    }

    /// The components of a world vector.
    pub fn components(&self, vector: DVec3) -> DVec3 {
        dvec3(0.0, self.axes[0].dot(vector), self.axes[1].dot(vector))
    }

    /// The part of its rates across a world direction, beyond rounding: no more than `still` across counts as zero.
    ///
    /// A moment against that would be as stiff as the rotation is slow: a ball pushed one part in 10⁶ beyond its
    /// resistance would take a million steps a second.
    pub fn aside(&self, begins: DVec3) -> DVec3 {
        let begins = self.components(begins).normalize_or_zero();
        let across = self.velocity - self.velocity.dot(begins) * begins;
        let speed = across.length();
        if speed > self.still { across * (1.0 - self.still / speed) } else { DVec3::ZERO }
    }

    /// The moment on a of its force, world, N·m.
    pub fn moment(&self, force: DVec3) -> DVec3 {
        self.arm * self.in_world(force)
    }

    /// The components with a row.
    pub fn own(&self) -> std::ops::Range<usize> {
        1..match self.part {
            Part::Roll => 3,
            Part::Spin => 2,
        }
    }
}

impl RollingResistance {
    /// The resistance moments of a contact at an instant.
    ///
    /// The rate of t·ω for a direction t that stays perpendicular to n is t·ω̇ + ṫ·ω, with ṫ·ω = −(t·ṅ)(n·ω), except
    /// for a rotation about n, which changes no length; that of n·ω is n·ω̇ + ṅ·ω.
    fn resistance(
        &self,
        bodies: &[Loaded],
        (i, contact): (usize, &ContactConstraint),
        frame: &Frame,
        to: &mut Vec<ResistanceRow>,
    ) {
        let [a, b] = contact.bodies.map(|place| &bodies[place].kinematics);
        let turn = a.twist.spin - b.twist.spin;
        let change = a.spin_rate - b.spin_rate;
        let normal_rate = contact.function.normal_rate(a, b);
        let spin = frame.normal.dot(turn);
        let arm = self.arm;
        let row = |axis: DVec3| Row { angular_a: arm * axis, angular_b: -arm * axis, ..NO_ROW };
        let mobility = |axis: DVec3| {
            let of = |place: usize| arm * arm * axis.dot(bodies[place].inv_inertia * axis);
            let sum = of(contact.bodies[0]) + of(contact.bodies[1]);
            if sum > 0.0 { sum } else { 1.0 }
        };
        if self.rolling > 0.0 {
            let axes = frame.tangents;
            let rate = |t: DVec3| arm * t.dot(turn);
            let free = |t: DVec3| arm * (t.dot(change) - spin * t.dot(normal_rate));
            to.push(ResistanceRow {
                of: i,
                part: Part::Roll,
                mode: self.roll,
                share: self.rolling / arm,
                axes,
                rows: [NO_ROW, row(axes[0]), row(axes[1])],
                velocity: dvec3(0.0, rate(axes[0]), rate(axes[1])),
                free: dvec3(0.0, free(axes[0]), free(axes[1])),
                still: contact.still,
                mobility: mobility(axes[0]),
                arm,
            });
        }
        if self.spinning > 0.0 {
            to.push(ResistanceRow {
                of: i,
                part: Part::Spin,
                mode: self.spin,
                share: self.spinning / arm,
                axes: [frame.normal, DVec3::ZERO],
                rows: [NO_ROW, row(frame.normal), NO_ROW],
                velocity: dvec3(0.0, arm * spin, 0.0),
                free: dvec3(0.0, arm * (frame.normal.dot(change) + normal_rate.dot(turn)), 0.0),
                still: contact.still,
                mobility: mobility(frame.normal),
                arm,
            });
        }
    }
}

impl ConstraintSystem {
    /// Fills the resistance moments of these contacts, in their order.
    pub(super) fn find_resistance_rows(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        self.resistance.clear();
        for (i, (contact, frame)) in contacts.iter().zip(&self.frames).enumerate() {
            if let Some(rolling) = &contact.rolling {
                rolling.resistance(bodies, (i, contact), frame, &mut self.resistance);
            }
        }
        if self.resistance_forces.len() != self.resistance.len() {
            self.resistance_forces.clear();
            self.resistance_forces.resize(self.resistance.len(), DVec3::ZERO);
        }
    }

    /// Whether W is assembled as a whole: for few contacts, and with joints, which couple everything.
    pub(super) fn is_whole(&self) -> bool {
        self.frames.len() <= self.most_dense() || !self.present.is_empty()
    }

    /// The number of contacts and resistance moments.
    pub(super) fn count(&self) -> usize {
        self.frames.len() + self.resistance.len()
    }

    /// The rows of a contact or, after the contacts, of a resistance moment.
    pub(super) fn rows(&self, i: usize) -> &[Row; 3] {
        let n = self.frames.len();
        if i < n { &self.frames[i].rows } else { &self.resistance[i - n].rows }
    }

    /// The bodies of a contact or, after the contacts, of a resistance moment.
    pub(super) fn places(&self, contacts: &[ContactConstraint], i: usize) -> [usize; 2] {
        let n = contacts.len();
        contacts[if i < n { i } else { self.resistance[i - n].of }].bodies
    }

    /// The accelerations without forces of a contact or, after the contacts, of a resistance moment.
    pub(super) fn free(&self, i: usize) -> DVec3 {
        let n = self.frames.len();
        if i < n { self.frames[i].free } else { self.resistance[i - n].free }
    }

    /// The rates of a contact or, after the contacts, of a resistance moment.
    pub(super) fn velocity(&self, i: usize) -> DVec3 {
        let n = self.frames.len();
        if i < n { self.frames[i].velocity } else { self.resistance[i - n].velocity }
    }

    /// The indices of the resistance moments of a contact.
    pub fn dry_of(&self, i: usize) -> std::ops::Range<usize> {
        let first = self.resistance.partition_point(|resistance| resistance.of < i);
        first..first + self.resistance[first..].iter().take_while(|resistance| resistance.of == i).count()
    }

    /// Every component of a contact and of its resistance moments: its row, its force (N) and its rate (m/s).
    pub fn components(&self, i: usize) -> impl Iterator<Item = (&Row, f64, f64)> {
        let of_contact = (&self.frames[i].rows, self.forces[i], self.frames[i].velocity);
        let of_dry = self
            .dry_of(i)
            .map(move |d| (&self.resistance[d].rows, self.resistance_forces[d], self.resistance[d].velocity));
        std::iter::once(of_contact).chain(of_dry).flat_map(|(rows, force, velocity)| {
            rows.iter().enumerate().map(move |(p, row)| (row, force[p], velocity[p]))
        })
    }

    /// The moment of a contact on a, world, N·m.
    pub fn moment(&self, i: usize) -> DVec3 {
        self.dry_of(i).map(|d| self.resistance[d].moment(self.resistance_forces[d])).sum()
    }

    /// The bound of a resistance moment under the current forces, N.
    pub fn resistance_limit(&self, d: usize) -> f64 {
        self.resistance[d].share * self.forces.get(self.resistance[d].of).map_or(0.0, |f| f.x.max(0.0))
    }

    /// The accelerations of a resistance moment under the current forces, m/s².
    pub fn resistance_acceleration(&self, d: usize) -> DVec3 {
        self.acceleration(self.frames.len() + d)
    }

    /// Assembles W of all contacts and resistance moments, without joints.
    pub(super) fn assemble_whole(&mut self, bodies: &[Loaded], contacts: &[ContactConstraint]) {
        let all = self.count();
        self.blocks.resize(all * all, crate::math::DMat3::ZERO);
        for i in 0..all {
            for j in 0..=i {
                let pair = (self.rows(i), self.rows(j));
                let places = (self.places(contacts, i), self.places(contacts, j));
                if let Some(block) = coupling(bodies, pair, places) {
                    self.blocks[i * all + j] = block;
                    self.blocks[j * all + i] = block.transpose();
                }
            }
        }
    }

    /// The rolling and spinning modes of each contact; sticking without resistance.
    pub(super) fn resistance_modes(&self, (at_limit, no_acceleration): (f64, f64)) -> Vec<[Mode; 2]> {
        let mut modes = vec![[Mode::Stick; 2]; self.frames.len()];
        let fastest = self.fastest();
        for (d, resistance) in self.resistance.iter().enumerate() {
            let force = self.resistance_forces[d];
            let mode = if resistance.turns() {
                Mode::Slide { begins: resistance.in_world(resistance.velocity) }
            } else if force.length() > at_limit * self.resistance_limit(d)
                && self.resistance_acceleration(d).length() > no_acceleration * fastest
            {
                Mode::Slide { begins: resistance.in_world(-force) }
            } else {
                Mode::Stick
            };
            modes[resistance.of][usize::from(resistance.part == Part::Spin)] = mode;
        }
        modes
    }
}
