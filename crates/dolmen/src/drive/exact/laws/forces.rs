//! The recorded forces give the recorded motion.
//!
//! Of every island that is integrated or at rest one body is taken, another after each event: ṗ and L̇ by central differences of the
//! span on which it is, against the sum of its loads and of the contact forces as a table has them. Left out are
//!
//! - time steps: their forces are means over the step along the normals at its start or half-way, so that with the normals of a sample
//!   they give the motion to first order in the length of the step only; what they leave is in `closing` and `residual`;
//! - islands with joints: where joints and contacts share a load, differences beside a change of modes and the forces recorded there are
//!   not yet told apart (5 of 648 random scenes of a body on a joint that rests on something were off by 1e-3 to 2e-2).

use super::Laws;
use super::tolerances::{DIFFERENCE, MOMENTUM_ROUNDINGS};
use crate::body::{BodyState, Load};
use crate::drive::exact::island::track::Track;
use crate::drive::exact::readout;
use crate::drive::exact::tolerances::TOUCHING;
use crate::math::DVec3;
use crate::motion::Motion;
use crate::record::{CheckedLaw, ContactForce};
use crate::world::BodyId;

/// ṗ and L̇ of a body, and how far they may be off by rounding and by the tolerance of the integrator.
struct MomentumRate {
    load: Load,
    error: (f64, f64),
}

/// The contacts of each body, in the order of the record: with n bodies at rest, looking through all contacts for each takes n².
struct ContactsOfBodies<'c> {
    contacts: &'c [ContactForce],
    /// Body and contact, sorted.
    sorted: Vec<(BodyId, u32)>,
}

impl<'c> ContactsOfBodies<'c> {
    fn new(contacts: &'c [ContactForce]) -> Self {
        let both = |(i, contact): (usize, &ContactForce)| contact.bodies.map(|id| (id, i as u32));
        let mut sorted: Vec<_> = contacts.iter().enumerate().flat_map(both).collect();
        sorted.sort_unstable();
        Self { contacts, sorted }
    }

    fn of(&self, id: BodyId) -> impl Iterator<Item = &'c ContactForce> + '_ {
        let first = self.sorted.partition_point(|(body, _)| *body < id);
        let own = self.sorted[first..].iter().take_while(move |(body, _)| *body == id);
        own.map(|(_, contact)| &self.contacts[*contact as usize])
    }
}

/// A force on a body and what comes with it.
struct Push {
    force: DVec3,
    /// About the centre of the body, N·m.
    torque: DVec3,
    /// What the torque is compared with, N·m.
    turning: f64,
}

impl Laws<'_> {
    /// Forces against motion.
    pub(super) fn check_forces(&mut self, contacts: &[ContactForce]) {
        let (chosen, rates): (Vec<BodyId>, Vec<MomentumRate>) =
            self.state.tracks.iter().filter_map(|track| self.chosen_body(track)).unzip();
        let applied = readout::applied_loads(self.world, self.state, &chosen);
        let of_bodies = ContactsOfBodies::new(contacts);
        let mut worst: Option<(f64, BodyId)> = None;
        for ((id, rate), applied) in chosen.into_iter().zip(rates).zip(applied) {
            let pushes: Vec<Push> =
                of_bodies.of(id).map(|contact| self.push_of_contact(id, contact)).collect();
            let off = self.imbalance_of(id, &rate, applied, &pushes);
            if worst.is_none_or(|(most, _)| off > most || off.is_nan()) {
                worst = Some((off, id));
            }
        }
        if let Some((off, id)) = worst {
            self.note(CheckedLaw::Forces, &[id.index() as u32], off);
        }
    }

    /// The body of an island that is looked at now, another one after every event; none where nothing is recorded, or not all of it.
    fn chosen_body(&self, track: &Track) -> Option<(BodyId, MomentumRate)> {
        let active = track.active.as_ref()?;
        if active.constraints.is_empty() || !track.island.joints.is_empty() {
            return None;
        }
        let k = self.state.log.instants as usize % track.island.bodies.len().max(1);
        let id = *track.island.bodies.get(k)?;
        Some((id, self.momentum_rate(track, k, id)?))
    }

    fn radius(&self, id: BodyId) -> f64 {
        self.state.detection.collider(id.index() as u32).map_or(0.0, |collider| collider.radius)
    }

    fn push_of_contact(&self, id: BodyId, contact: &ContactForce) -> Push {
        let arm = contact.point - self.state.states.bodies[id.index()].position;
        let sign = if contact.bodies[0] == id { 1.0 } else { -1.0 };
        let force = sign * (contact.normal_force * contact.normal + contact.friction);
        let turning = self.radius(id) * force.length() + contact.moment.length();
        Push { force, torque: arm.cross(force) + sign * contact.moment, turning }
    }

    /// How far ṗ and L̇ of a body are from the sum of its forces, by their sizes.
    fn imbalance_of(&self, id: BodyId, rate: &MomentumRate, applied: Load, pushes: &[Push]) -> f64 {
        let mut sum = applied;
        // Where nothing moves only rounding is in play: the least force is one that moves the body by the contact tolerance in all the
        // time since the start.
        let radius = self.radius(id);
        let moved = if self.state.t > 0.0 { TOUCHING * radius / (self.state.t * self.state.t) } else { 0.0 };
        let least = applied.force.length() + self.world.body(id).inertia().mass * moved;
        let mut sizes = (least, applied.torque.length() + radius * least);
        for push in pushes {
            sum.force += push.force;
            sum.torque += push.torque;
            sizes.0 += push.force.length();
            sizes.1 += push.turning;
        }
        let force = (rate.load.force - sum.force).length() - rate.error.0;
        let torque = (rate.load.torque - sum.torque).length() - rate.error.1;
        let by = |off: f64, size: f64| if off <= 0.0 { 0.0 } else { off / size };
        by(force, sizes.0).max(by(torque, sizes.1))
    }

    /// ṗ and L̇ of the `k`-th body of an island at present, by a central difference, and what rounding makes of them.
    fn momentum_rate(&self, track: &Track, k: usize, id: BodyId) -> Option<MomentumRate> {
        if track.is_at_rest() {
            return Some(MomentumRate { load: Load::default(), error: (0.0, 0.0) });
        }
        let (start, end) = (track.span_start()?, track.clock());
        let h = DIFFERENCE * (end - start);
        let t = self.state.t;
        // Near the ends of a span the difference would reach beyond it.
        if !(h > 0.0 && t - h > start && t + h < end) {
            return None;
        }
        let motion = track.motion(k)?;
        let inertia = self.world.body(id).inertia();
        let at = |t: f64| {
            let (pose, twist) = motion.pose_and_twist(t);
            BodyState::new(inertia, &pose, &twist)
        };
        let (before, after) = (at(t - h), at(t + h));
        let rate = |a: DVec3, b: DVec3| (b - a) / (2.0 * h);
        let load = Load {
            force: rate(before.momentum, after.momentum),
            torque: rate(before.angular_momentum, after.angular_momentum),
        };
        let noise = MOMENTUM_ROUNDINGS * f64::EPSILON / h;
        // Tolerances of the integrator are relative to the state, over a span.
        let error = noise + self.world.settings().integrator.relative / (end - start);
        let spin = after.angular_momentum.length();
        Some(MomentumRate { load, error: (error * after.momentum.length(), error * spin) })
    }
}
