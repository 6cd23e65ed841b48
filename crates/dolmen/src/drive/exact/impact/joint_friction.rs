//! Joint friction in an impact: friction that grows with the joint force also grows with the joint impulse.
//!
//! |f| ≤ μ·arm·N with the impulse N that the joint carries; at the bound f opposes the rate that remains. This is the
//! law of smooth motion, with impulses and rates in place of forces and accelerations. Constant friction has no impulse
//! in zero time.
//!
//! ```text
//! contacts and limits collide by their law, with the current friction f       (collide)
//! joint impulses → the bound on the friction of each row                      (limits)
//! f stops its row or is at its bound, row after row; repeat until converged   (sweep)
//! ```
//!
//! A contact separates at −ε v⁻ of its approach velocity, with or without friction. Without restitution all of this
//! dissipates energy: Σ p·v⁺ ≤ 0, as every nonzero p opposes its v⁺. With restitution it need not; where energy would
//! grow the impact is solved again without restitution.

use crate::articulation::NO_MOBILITY;
use crate::articulation::factor::Mobility;
use crate::contact::rest::Shift;
use crate::contact::{CollideSettings, Colliding, Impact, ImpactStatus, Mover, collide};
use crate::drive::exact::gather::cluster::Cluster;
use crate::drive::exact::gather::impact_row::{
    ImpactRow, JointFrictionRow, add_contact_response, relative_velocity,
};
use crate::drive::exact::impact::Impacts;
use crate::drive::exact::impact::tolerances::{
    ENERGY_ROUNDING, FRICTION_CONVERGED, FRICTION_ROUNDING, FRICTION_ROUNDS,
};
use crate::drive::exact::island::equations::rounds::Rounds;
use crate::joint::{Friction, Law};
use crate::math::DVec3;
use crate::record::{JointEvent, JointEventKind};
use crate::solve::FixedPoint;

impl Impacts<'_> {
    /// Applies joint friction in the impact of this instant, if any grows with the force of its joint.
    pub(crate) fn apply_joint_friction(&mut self, impact: &mut Impact) {
        self.find_joint_friction();
        if self.cluster.joint_friction.is_empty() {
            return;
        }
        for restitution in [1.0, 0.0] {
            self.cluster.joint_friction.iter_mut().for_each(|row| row.impulse = 0.0);
            let (mut rounds, mut point) =
                (Rounds::new(FRICTION_CONVERGED, FRICTION_ROUNDING), FixedPoint::default());
            for _ in 0..FRICTION_ROUNDS {
                self.collide_with_joint_friction(restitution, impact);
                let limits = self.joint_friction_limits(&impact.impulses);
                let before = self.cluster.joint_friction_impulses();
                if rounds.is_done(self.cluster.sweep(&limits)) {
                    break;
                }
                // Where contacts almost fix a row, sweeps free take thousands of rounds to converge.
                let next = point.next(&before, &self.cluster.joint_friction_impulses());
                for ((row, impulse), limit) in self.cluster.joint_friction.iter_mut().zip(next).zip(limits) {
                    row.impulse = impulse.clamp(-limit, limit);
                }
            }
            // Contacts and rates under the last friction.
            self.collide_with_joint_friction(restitution, impact);
            self.joint_friction_limits(&impact.impulses);
            if rounds.has_stalled() && impact.status == ImpactStatus::Solved {
                impact.status = ImpactStatus::Approximate;
            }
            if self.cluster.finish_joint_friction(impact) {
                return;
            }
        }
    }

    /// Finds the rows whose friction grows with the joint force.
    fn find_joint_friction(&mut self) {
        let mut found = Vec::new();
        let (constraints, ranks) = (&mut self.scratch.constraints, &self.cluster.ranks);
        let movers = &self.cluster.movers;
        for k in constraints.present.clone() {
            for i in 0..constraints.articulations[k].rows.len() {
                if !constraints.articulations[k].friction_grows_with_load(i) {
                    continue;
                }
                let row = ImpactRow::new(&constraints.articulations[k], (k, i), ranks);
                let mut response = vec![Shift::default(); movers.len()];
                row.add_response(|k| mobility(movers, k), &mut response);
                let free = row.rate_of(&response);
                for other in &constraints.present {
                    constraints.articulations[*other].respond(|k| mobility(movers, k), &mut response);
                }
                let diagonal = row.rate_of(&response);
                let diagonal = if diagonal > NO_MOBILITY * free { diagonal } else { 0.0 };
                found.push(JointFrictionRow { row, response, diagonal, impulse: 0.0, rate_plus: row.rate });
            }
        }
        self.cluster.joint_friction = found;
    }

    /// Solves the impact with the current joint friction; each contact separates by its true approach speed.
    fn collide_with_joint_friction(&mut self, restitution: f64, impact: &mut Impact) {
        let (response, shifts) = (self.cluster.friction_response(), self.cluster.contact_shifts());
        let approach: Vec<f64> =
            self.cluster.colliding.iter().map(|c| self.cluster.normal_minus(c)).collect();
        let mut movers = self.cluster.movers.clone();
        for (mover, motion) in movers.iter_mut().zip(&response) {
            mover.velocity += motion.linear;
            mover.spin += motion.angular;
        }
        let touching = self.cluster.contacts.len();
        let mut colliding = self.cluster.colliding.clone();
        for (i, contact) in colliding.iter_mut().enumerate() {
            if i >= touching {
                movers[contact.bodies[0]].velocity += shifts[i];
            }
            let (before, shifted) = (approach[i], approach[i] + shifts[i].dot(contact.normal));
            let kept = if before < 0.0 && shifted < 0.0 { (before / shifted).min(1.0) } else { 0.0 };
            contact.restitution *= restitution * kept;
        }
        let law = self.world.contact().law;
        let scratch = &mut self.cluster.scratch;
        // The first solve follows the one without joint friction.
        scratch.is_like_last = true;
        let settings = CollideSettings { solver: self.world.contact().solver, ..CollideSettings::default() };
        collide(law, &movers, &colliding, settings, scratch, impact);
    }

    /// The bound on the friction of each row under the current impulses; also updates the rates after the impact.
    fn joint_friction_limits(&mut self, impulses: &[DVec3]) -> Vec<f64> {
        let (cluster, constraints) = (&mut *self.cluster, &mut self.scratch.constraints);
        let movers = &cluster.movers;
        let touching = cluster.contacts.len();
        let mobility = |k: usize| mobility(movers, k);
        // Without joints first; then the joints' response, and their impulses.
        let mut motions = vec![Shift::default(); movers.len()];
        for (contact, impulse) in cluster.colliding[..touching].iter().zip(impulses) {
            add_contact_response(contact, *impulse, mobility, &mut motions);
        }
        let with_impulse = |row: &ImpactRow, impulse: f64, motions: &mut [Shift]| {
            row.scaled(impulse).add_response(mobility, motions);
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
            let without_constant = Friction { constant: 0.0, ..friction };
            articulation.friction_limit(self.world, i, &without_constant, forces)
                / joint_friction.row.weight()
        };
        cluster.joint_friction.iter().map(limit).collect()
    }

    /// Applies the impulses of joint friction to the momenta.
    pub(crate) fn apply_joint_friction_impulses(&mut self, t: f64) {
        for i in 0..self.cluster.joint_friction.len() {
            let JointFrictionRow { row, impulse, .. } = &self.cluster.joint_friction[i];
            let (row, impulse) = (*row, *impulse);
            self.apply_row_impulse(t, &row, impulse);
        }
    }

    /// Books and logs the impulses of joint friction.
    pub(crate) fn book_joint_friction(&mut self, t: f64) {
        for joint_friction in &self.cluster.joint_friction {
            if joint_friction.impulse == 0.0 {
                continue;
            }
            let ((k, i), weight) = (joint_friction.row.place(), joint_friction.row.weight());
            let articulation = &self.scratch.constraints.articulations[k];
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

impl Cluster {
    /// The current friction of each row.
    fn joint_friction_impulses(&self) -> Vec<f64> {
        self.joint_friction.iter().map(|row| row.impulse).collect()
    }

    /// The velocities of the movers by the current friction, with the joints in force.
    fn friction_response(&self) -> Vec<Shift> {
        let mut motions = vec![Shift::default(); self.movers.len()];
        for row in &self.joint_friction {
            for (motion, response) in motions.iter_mut().zip(&row.response) {
                motion.linear += row.impulse * response.linear;
                motion.angular += row.impulse * response.angular;
            }
        }
        motions
    }

    /// The change of velocity of each contact by the current friction, then of each limit along x.
    fn contact_shifts(&self) -> Vec<DVec3> {
        let (response, touching) = (self.friction_response(), self.contacts.len());
        let of = |(i, contact): (usize, &Colliding)| match i.checked_sub(touching) {
            Some(i) => DVec3::X * self.rows[i].rate_of(&response),
            None => relative_velocity(contact, &response),
        };
        self.colliding.iter().enumerate().map(of).collect()
    }

    fn normal_minus(&self, c: &Colliding) -> f64 {
        let [a, b] = c.bodies.map(|i| &self.movers[i]);
        c.normal.dot((a.velocity + a.spin.cross(c.arms[0])) - (b.velocity + b.spin.cross(c.arms[1])))
    }

    /// Gives each row in turn the friction that stops it, or its bound; returns the largest change by the largest
    /// bound.
    fn sweep(&mut self, limits: &[f64]) -> f64 {
        let joint_friction = &mut self.joint_friction;
        let mut largest_change = 0.0_f64;
        for i in 0..joint_friction.len() {
            if joint_friction[i].diagonal == 0.0 {
                continue;
            }
            let wanted = joint_friction[i].impulse - joint_friction[i].rate_plus / joint_friction[i].diagonal;
            let change = wanted.clamp(-limits[i], limits[i]) - joint_friction[i].impulse;
            joint_friction[i].impulse += change;
            largest_change = largest_change.max(change.abs());
            for j in 0..joint_friction.len() {
                joint_friction[j].rate_plus +=
                    change * joint_friction[j].row.rate_of(&joint_friction[i].response);
            }
        }
        let largest_limit = limits.iter().copied().fold(0.0, f64::max);
        if largest_change > 0.0 { largest_change / largest_limit } else { 0.0 }
    }

    /// Corrects the losses for the true approach speeds; returns whether the impact dissipates energy, as it must.
    fn finish_joint_friction(&self, impact: &mut Impact) -> bool {
        let shifts = self.contact_shifts();
        let mut energy_scale = 0.0;
        // The impact law took v⁻ + W f for the velocity before.
        for (i, (contact, shift)) in self.colliding.iter().zip(&shifts).enumerate() {
            let (impulse, along) = (impact.impulses[i], shift.dot(contact.normal));
            let normal = impulse.dot(contact.normal);
            impact.lost_normal += 0.5 * normal * along;
            impact.lost_friction += 0.5 * (impulse.dot(*shift) - normal * along);
            let speeds = &mut impact.speeds[i];
            speeds.normal_minus -= along;
            let slips = speeds.slip_minus + speeds.slip_plus;
            energy_scale += impulse.length() * (speeds.normal_minus.abs() + speeds.normal_plus.abs() + slips);
        }
        let friction_loss: f64 = self.joint_friction.iter().map(JointFrictionRow::lost).sum();
        let lost = impact.lost_normal + impact.lost_friction + friction_loss;
        lost >= -ENERGY_ROUNDING * energy_scale
    }
}

fn mobility(movers: &[Mover], k: usize) -> Mobility {
    Mobility { inv_mass: movers[k].inv_mass, inv_inertia: movers[k].inv_inertia }
}

impl JointFrictionRow {
    /// −½ f (ṙ⁻ + ṙ⁺), J.
    fn lost(&self) -> f64 {
        -0.5 * self.impulse * (self.row.rate + self.rate_plus)
    }
}
