//! Friction in joints where velocities jump: what grows with the reaction of a joint grows with its impulse.
//!
//! |f| ≤ μ·arm·N of the impulse N that the joint carries, and as large as that against a rate that is left: the same law as
//! at rest, of impulses and rates in the place of forces and accelerations. Constant friction does nothing in no time.
//!
//! ```text
//! contacts and limits collide by their law, with the friction f last found in force     (collide)
//! impulses of joints → the largest friction of each row                                  (limits)
//! f stops its row, or is at its largest; row after row; again until it is settled         (sweep)
//! ```
//!
//! A contact parts with −ε v⁻ of the speed that it came with, friction or not. Without restitution all of this takes energy:
//! Σ p·v⁺ ≤ 0 with every p that is not zero against its v⁺. With restitution it need not; where energy would grow the instant
//! is taken without restitution.

use crate::articulation::factor::Mobility;
use crate::contact::rest::Shift;
use crate::contact::{CollideSettings, Colliding, ImpactStatus, Mover, collide};
use crate::drive::exact::gather::impact_row::{ImpactRow, JointFrictionRow, at, push_at};
use crate::drive::exact::island::rounds::Rounds;
use crate::drive::exact::simulation::Simulation;
use crate::joint::{Friction, Law};
use crate::math::DVec3;
use crate::record::{JointEvent, JointEventKind};
use crate::solve::FixedPoint;

/// Rounds in which friction and impulses are fitted to each other; each gains a factor of the friction, and as many as there
/// are rows as much as their answers are linear.
const ROUNDS: usize = 200;

/// The change of a round, by the largest friction, that ends them.
const SETTLED: f64 = 1e-13;

/// The change from which on it may be rounding: the impulses of redundant contacts are sought to 1e-9.
const ROUNDED: f64 = 1e-8;

/// A row that yields by less than this share of what it would without joints does not yield.
const HELD: f64 = 1e-10;

/// Energy that grows by less than this share of what is in play is rounding.
const ROUNDED_ENERGY: f64 = 1e-12;

impl Simulation {
    /// Lets friction in joints act in the collision of this instant, if any grows with the reaction of its joint.
    pub(crate) fn apply_joint_friction(&mut self) {
        self.find_joint_friction();
        if self.scratch.cluster.joint_friction.is_empty() {
            return;
        }
        for restitution in [1.0, 0.0] {
            self.scratch.cluster.joint_friction.iter_mut().for_each(|row| row.impulse = 0.0);
            let (mut rounds, mut point) = (Rounds::new(SETTLED, ROUNDED), FixedPoint::default());
            for _ in 0..ROUNDS {
                self.collide_with_joint_friction(restitution);
                let limits = self.joint_friction_limits();
                let before = self.joint_friction_impulses();
                if rounds.are_over(self.sweep(&limits)) {
                    break;
                }
                // Where contacts all but hold a row, sweeps alone come to its friction in thousands of rounds.
                let next = point.next(&before, &self.joint_friction_impulses());
                for ((row, impulse), limit) in
                    self.scratch.cluster.joint_friction.iter_mut().zip(next).zip(limits)
                {
                    row.impulse = impulse.clamp(-limit, limit);
                }
            }
            // Contacts and rates under the friction last found.
            self.collide_with_joint_friction(restitution);
            self.joint_friction_limits();
            if rounds.were_in_vain() && self.scratch.cluster.impact.status == ImpactStatus::Solved {
                self.scratch.cluster.impact.status = ImpactStatus::Approximate;
            }
            if self.finish_joint_friction() {
                return;
            }
        }
    }

    /// The friction of each row as it is now.
    fn joint_friction_impulses(&self) -> Vec<f64> {
        self.scratch.cluster.joint_friction.iter().map(|row| row.impulse).collect()
    }

    fn mobility(movers: &[Mover], k: usize) -> Mobility {
        Mobility { inv_mass: movers[k].inv_mass, inv_inertia: movers[k].inv_inertia }
    }

    /// The rows whose friction grows with the reaction of their joints.
    fn find_joint_friction(&mut self) {
        let mut found = Vec::new();
        let (constraints, ranks) = (&mut self.scratch.island.constraints, &self.scratch.cluster.ranks);
        let movers = &self.scratch.cluster.movers;
        for k in constraints.present.clone() {
            for i in 0..constraints.articulations[k].rows.len() {
                if !constraints.articulations[k].is_pressed(i) {
                    continue;
                }
                let row = ImpactRow::new(&constraints.articulations[k], (k, i), ranks);
                let mut response = vec![Shift::default(); movers.len()];
                row.push(|k| Self::mobility(movers, k), &mut response);
                let alone = row.rate_of(&response);
                for other in &constraints.present {
                    constraints.articulations[*other].respond(|k| Self::mobility(movers, k), &mut response);
                }
                let own = row.rate_of(&response);
                let own = if own > HELD * alone { own } else { 0.0 };
                found.push(JointFrictionRow { row, response, own, impulse: 0.0, rate_plus: row.rate });
            }
        }
        self.scratch.cluster.joint_friction = found;
    }

    /// What friction as it is now does to the movers, joints in force.
    fn rubbed(&self) -> Vec<Shift> {
        let mut motions = vec![Shift::default(); self.scratch.cluster.movers.len()];
        for row in &self.scratch.cluster.joint_friction {
            for (motion, response) in motions.iter_mut().zip(&row.response) {
                motion.linear += row.impulse * response.linear;
                motion.angular += row.impulse * response.angular;
            }
        }
        motions
    }

    /// What friction as it is now does to the velocity of each contact, then of each limit along x.
    fn rubbed_contacts(&self) -> Vec<DVec3> {
        let (rubbed, touching) = (self.rubbed(), self.scratch.cluster.contacts.len());
        let of = |(i, contact): (usize, &Colliding)| match i.checked_sub(touching) {
            Some(i) => DVec3::X * self.scratch.cluster.rows[i].rate_of(&rubbed),
            None => at(contact, &rubbed),
        };
        self.scratch.cluster.colliding.iter().enumerate().map(of).collect()
    }

    /// The collision with friction in joints as it is now; each contact parts by the speed that it came with.
    fn collide_with_joint_friction(&mut self, restitution: f64) {
        let (rubbed, shifts) = (self.rubbed(), self.rubbed_contacts());
        let approach: Vec<f64> =
            self.scratch.cluster.colliding.iter().map(|c| self.normal_minus(c)).collect();
        let mut movers = self.scratch.cluster.movers.clone();
        for (mover, motion) in movers.iter_mut().zip(&rubbed) {
            mover.velocity += motion.linear;
            mover.spin += motion.angular;
        }
        let touching = self.scratch.cluster.contacts.len();
        let mut colliding = self.scratch.cluster.colliding.clone();
        for (i, contact) in colliding.iter_mut().enumerate() {
            if i >= touching {
                movers[contact.bodies[0]].velocity += shifts[i];
            }
            let (before, shifted) = (approach[i], approach[i] + shifts[i].dot(contact.normal));
            let kept = if before < 0.0 && shifted < 0.0 { (before / shifted).min(1.0) } else { 0.0 };
            contact.restitution *= restitution * kept;
        }
        let law = self.world.contact().law;
        let (scratch, impact) = (&mut self.scratch.cluster.scratch, &mut self.scratch.cluster.impact);
        // The first follows on that without friction in joints.
        scratch.is_like_last = true;
        collide(law, &movers, &colliding, CollideSettings::default(), scratch, impact);
    }

    fn normal_minus(&self, c: &Colliding) -> f64 {
        let [a, b] = c.bodies.map(|i| &self.scratch.cluster.movers[i]);
        c.normal.dot((a.velocity + a.spin.cross(c.arms[0])) - (b.velocity + b.spin.cross(c.arms[1])))
    }

    /// The largest friction of each row under the impulses as they are now; rates after are brought up to date.
    fn joint_friction_limits(&mut self) -> Vec<f64> {
        let (cluster, constraints) = (&mut self.scratch.cluster, &mut self.scratch.island.constraints);
        let movers = &cluster.movers;
        let (touching, impulses) = (cluster.contacts.len(), &cluster.impact.impulses);
        let mobility = |k: usize| Self::mobility(movers, k);
        // Joints aside; then what joints make of it, and with which impulses.
        let mut motions = vec![Shift::default(); movers.len()];
        for (contact, impulse) in cluster.colliding[..touching].iter().zip(impulses) {
            push_at(contact, *impulse, mobility, &mut motions);
        }
        let with_impulse = |row: &ImpactRow, impulse: f64, motions: &mut [Shift]| {
            row.scaled(impulse).push(mobility, motions);
        };
        for (row, impulse) in cluster.rows.iter().zip(&impulses[touching..]) {
            with_impulse(row, impulse.x, &mut motions);
        }
        for joint_friction in &cluster.joint_friction {
            with_impulse(&joint_friction.row, joint_friction.impulse, &mut motions);
        }
        let mut carried = Vec::with_capacity(constraints.articulations.len());
        for k in &constraints.present {
            let articulation = &mut constraints.articulations[*k];
            articulation.respond(mobility, &mut motions);
            carried.push((*k, articulation.line_forces()));
        }
        for joint_friction in &mut cluster.joint_friction {
            joint_friction.rate_plus = joint_friction.row.rate + joint_friction.row.rate_of(&motions);
        }
        let limit = |joint_friction: &JointFrictionRow| {
            let (k, i) = joint_friction.row.place();
            let articulation = &constraints.articulations[k];
            let Law::Friction(friction) = articulation.equation(i).law else { return 0.0 };
            let forces = carried.iter().find(|(of, _)| *of == k).map_or(&[][..], |(_, forces)| forces);
            let in_no_time = Friction { constant: 0.0, ..friction };
            articulation.friction_limit(&self.world, i, &in_no_time, forces) / joint_friction.row.weight()
        };
        cluster.joint_friction.iter().map(limit).collect()
    }

    /// Lets each row in turn have the friction that stops it, or its largest; what that changed, by the largest of all.
    fn sweep(&mut self, limits: &[f64]) -> f64 {
        let joint_friction = &mut self.scratch.cluster.joint_friction;
        let mut moved = 0.0_f64;
        for i in 0..joint_friction.len() {
            if joint_friction[i].own == 0.0 {
                continue;
            }
            let wanted = joint_friction[i].impulse - joint_friction[i].rate_plus / joint_friction[i].own;
            let change = wanted.clamp(-limits[i], limits[i]) - joint_friction[i].impulse;
            joint_friction[i].impulse += change;
            moved = moved.max(change.abs());
            for j in 0..joint_friction.len() {
                joint_friction[j].rate_plus +=
                    change * joint_friction[j].row.rate_of(&joint_friction[i].response);
            }
        }
        let largest = limits.iter().copied().fold(0.0, f64::max);
        if moved > 0.0 { moved / largest } else { 0.0 }
    }

    /// Books the collision by the speeds that contacts came with; whether it took energy, as it has to.
    fn finish_joint_friction(&mut self) -> bool {
        let shifts = self.rubbed_contacts();
        let impact = &mut self.scratch.cluster.impact;
        let mut in_play = 0.0;
        // The law of impact took v⁻ + K f for the speed before.
        for (i, (contact, shift)) in self.scratch.cluster.colliding.iter().zip(&shifts).enumerate() {
            let (impulse, along) = (impact.impulses[i], shift.dot(contact.normal));
            let normal = impulse.dot(contact.normal);
            impact.lost_normal += 0.5 * normal * along;
            impact.lost_friction += 0.5 * (impulse.dot(*shift) - normal * along);
            let speeds = &mut impact.speeds[i];
            speeds.normal_minus -= along;
            let slips = speeds.slip_minus + speeds.slip_plus;
            in_play += impulse.length() * (speeds.normal_minus.abs() + speeds.normal_plus.abs() + slips);
        }
        let rubbed: f64 = self.scratch.cluster.joint_friction.iter().map(JointFrictionRow::lost).sum();
        let lost = impact.lost_normal + impact.lost_friction + rubbed;
        lost >= -ROUNDED_ENERGY * in_play
    }

    /// Changes momenta by the impulses of friction in joints.
    pub(crate) fn apply_joint_friction_impulses(&mut self, t: f64) {
        for i in 0..self.scratch.cluster.joint_friction.len() {
            let JointFrictionRow { row, impulse, .. } = &self.scratch.cluster.joint_friction[i];
            let (row, impulse) = (*row, *impulse);
            self.apply_row_impulse(t, &row, impulse);
        }
    }

    /// Books and logs the impulses of friction in joints.
    pub(crate) fn book_joint_friction(&mut self, t: f64) {
        for joint_friction in &self.scratch.cluster.joint_friction {
            if joint_friction.impulse == 0.0 {
                continue;
            }
            let ((k, i), weight) = (joint_friction.row.place(), joint_friction.row.weight());
            let articulation = &self.scratch.island.constraints.articulations[k];
            self.state.log.losses.friction += joint_friction.lost();
            self.state.log.add_joint(JointEvent {
                t,
                joint: articulation.system.joints()
                    [articulation.system.joint_of(articulation.rows[i].equation).0],
                axis: articulation.equation(i).axis,
                kind: JointEventKind::Friction,
                approach: joint_friction.row.rate / weight,
                separation: joint_friction.rate_plus / weight,
                impulse: weight * joint_friction.impulse,
                lost: joint_friction.lost(),
            });
        }
    }
}

impl JointFrictionRow {
    /// −½ f (ṙ⁻ + ṙ⁺), J.
    fn lost(&self) -> f64 {
        -0.5 * self.impulse * (self.row.rate + self.rate_plus)
    }
}
