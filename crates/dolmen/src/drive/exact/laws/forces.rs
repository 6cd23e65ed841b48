//! The recorded forces give the recorded motion.
//!
//! Of every island that is integrated or at rest one body is taken, another at each check: ṗ and L̇ by central differences of the
//! span on which it is, against the sum of its loads and of the contact forces as a table has them. Time steps are left out: there a
//! velocity jumps by the impulses of the step, and nothing else is recorded.

use super::Laws;
use super::tolerances::{DIFFERENCE, MOMENTUM_ROUNDINGS};
use crate::body::{BodyState, Load};
use crate::drive::exact::island::track::Track;
use crate::drive::exact::readout;
use crate::drive::exact::tolerances::STEP_RESIDUAL;
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

impl Laws<'_> {
    /// Residuals of contact forces, and forces against motion.
    pub(super) fn check_forces(&mut self, contacts: &[ContactForce]) {
        let mut worst: Option<(f64, [BodyId; 2])> = None;
        for force in contacts {
            if self.is_within_promise_of_step(force) {
                continue;
            }
            if worst.is_none_or(|(most, _)| force.residual > most || force.residual.is_nan()) {
                worst = Some((force.residual, force.bodies));
            }
        }
        if let Some((residual, bodies)) = worst {
            self.note(CheckedLaw::Residual, &bodies.map(|id| id.index() as u32), residual);
        }
        let (chosen, rates): (Vec<BodyId>, Vec<MomentumRate>) =
            self.state.tracks.iter().filter_map(|track| self.chosen_body(track)).unzip();
        let applied = readout::applied_loads(self.world, self.state, &chosen);
        let of_bodies = ContactsOfBodies::new(contacts);
        let mut worst: Option<(f64, BodyId)> = None;
        for ((id, rate), applied) in chosen.into_iter().zip(rates).zip(applied) {
            let off = self.imbalance_of(id, &rate, applied, of_bodies.of(id));
            if worst.is_none_or(|(most, _)| off > most || off.is_nan()) {
                worst = Some((off, id));
            }
        }
        if let Some((off, id)) = worst {
            self.note(CheckedLaw::Forces, &[id.index() as u32], off);
        }
    }

    /// Whether a contact is that of a time step, with no larger a residual than those promise.
    fn is_within_promise_of_step(&self, force: &ContactForce) -> bool {
        let places = force.bodies.iter().filter_map(|id| self.state.places[id.index()]);
        force.residual <= STEP_RESIDUAL
            && places.into_iter().any(|(k, _)| self.state.tracks[k].is_time_step())
    }

    /// The body of an island that is looked at now, another one after every event; none where forces of joints take part, which
    /// tables split otherwise.
    fn chosen_body(&self, track: &Track) -> Option<(BodyId, MomentumRate)> {
        let active = track.active.as_ref()?;
        if active.constraints.is_empty() || !track.island.joints.is_empty() {
            return None;
        }
        let k = self.state.log.instants as usize % track.island.bodies.len().max(1);
        let id = *track.island.bodies.get(k)?;
        Some((id, self.momentum_rate(track, k, id)?))
    }

    /// How far ṗ and L̇ of a body are from the sum of its forces, by their sizes.
    fn imbalance_of<'c>(
        &self,
        id: BodyId,
        rate: &MomentumRate,
        applied: Load,
        contacts: impl Iterator<Item = &'c ContactForce>,
    ) -> f64 {
        let radius = self.state.detection.collider(id.index() as u32).map_or(0.0, |collider| collider.radius);
        let centre = self.state.states.bodies[id.index()].position;
        let mut sum = applied;
        let mut sizes = (applied.force.length(), applied.torque.length() + radius * applied.force.length());
        for contact in contacts {
            let sign = if contact.bodies[0] == id { 1.0 } else { -1.0 };
            let force = sign * (contact.normal_force * contact.normal + contact.friction);
            sum.force += force;
            sum.torque += (contact.point - centre).cross(force) + sign * contact.moment;
            sizes.0 += force.length();
            sizes.1 += radius * force.length() + contact.moment.length();
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
