//! Ghost contacts at internal edges.
//!
//! At the border of a face several normals fit: a block that slides from one tile to the next touches the side of the
//! next tile as much as its top. Two bodies collide only if they approach along every separating direction. The right
//! direction shows a short probe time later: the one along which they then overlap least.

use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::impact::tolerances::{MAX_PROBE_TIME, OPPOSITE_NORMAL, PROBE_DEPTH, SAME_NORMAL};
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::state::view::View;
use crate::drive::exact::stop::Stop;
use crate::math::{DQuat, Pose, Twist};
use crate::narrow_phase::{Contact, Manifold, Statistics, contacts};

impl Simulation {
    /// Replaces contacts along which bodies approach by those, at the same place, along which they do not.
    pub(crate) fn pass_ghost_contacts(&mut self, t: f64) -> Result<(), Stop> {
        let mut k = 0;
        while k < self.scratch.cluster.contacts.len() {
            let pair = self.scratch.cluster.contacts[k].bodies;
            let same =
                self.scratch.cluster.contacts[k..].iter().take_while(|touching| touching.bodies == pair);
            let of_pair = k..k + same.count();
            let others =
                self.view().contacts_after_probe(t, &self.scratch.cluster.contacts[of_pair.clone()])?;
            k = if others.is_empty() { of_pair.end } else { of_pair.start + others.len() };
            if !others.is_empty() {
                self.scratch.cluster.contacts.splice(of_pair, others);
            }
        }
        Ok(())
    }
}

impl View<'_> {
    /// The contacts of a pair after the probe time, if it approaches along none of them now; otherwise none.
    fn contacts_after_probe(&self, t: f64, of_pair: &[Touching]) -> Result<Vec<Touching>, Stop> {
        let rate = |touching: &Touching| {
            let rate =
                touching.contact.normal.dot(self.state.relative_velocity_plus(self.world, t, touching));
            (rate, self.zero_speed(t, touching))
        };
        let fastest = of_pair.iter().map(rate).filter(|(rate, zero_speed)| *rate < -zero_speed);
        let approach = fastest.map(|(rate, _)| -rate).fold(0.0, f64::max);
        let first = of_pair[0];
        let pair = first.bodies;
        let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
        else {
            return Ok(Vec::new());
        };
        let now = pair.map(|body| self.state.pose_and_twist(self.world, t, body));
        if approach == 0.0 || self.state.detection.ball_contact(pair, [&now[0].0, &now[1].0]).is_some() {
            return Ok(Vec::new());
        }
        let probe_time = PROBE_DEPTH * first.tolerance / approach;
        let characteristic_time =
            pair.iter().map(|body| self.state.characteristic_time_of(*body)).fold(f64::INFINITY, f64::min);
        if probe_time > MAX_PROBE_TIME * characteristic_time {
            return Ok(Vec::new());
        }
        let later = now.map(|(pose, twist)| moved(&pose, &twist, probe_time));
        let (mut manifold, mut statistics) = (Manifold::default(), Statistics::default());
        let mut witness = self.state.detection.witness(pair);
        let placed = (collider_a.placed(&later[0]), collider_b.placed(&later[1]));
        contacts(&placed.0, &placed.1, &mut witness, &mut statistics, &mut manifold)
            .map_err(|refused| Stop::unsupported(self.world, t, pair, refused))?;
        let is_same_or_opposite = |contact: &Contact| {
            let mut cosines = of_pair.iter().map(|touching| touching.contact.normal.dot(contact.normal));
            cosines.any(|cosine| !(OPPOSITE_NORMAL..=SAME_NORMAL).contains(&cosine))
        };
        if manifold.contacts().iter().any(is_same_or_opposite) {
            return Ok(Vec::new());
        }
        let frames = (collider_a.frame(), collider_b.frame());
        let at_present = |contact: &Contact| {
            let function = contact.function.in_bodies(&frames.0, &frames.1);
            let [a, b] = now.map(|(pose, _)| pose);
            let point = function.points(&a, &b)[0];
            let (normal, separation) = (function.normal(&a, &b), function.value(&a, &b));
            let contact = Contact { point, normal, separation, function, ..*contact };
            Touching { contact, arms: [point - a.position, point - b.position], ..first }
        };
        let others: Vec<Touching> = manifold.contacts().iter().map(at_present).collect();
        let is_ghost_free = |touching: &Touching| {
            let (rate, zero_speed) = rate(touching);
            touching.contact.separation.abs() <= touching.tolerance && rate >= -zero_speed
        };
        Ok(if others.iter().all(is_ghost_free) { others } else { Vec::new() })
    }
}

/// A pose a short time later.
fn moved(pose: &Pose, twist: &Twist, dt: f64) -> Pose {
    Pose {
        position: pose.position + dt * twist.velocity,
        orientation: (DQuat::from_scaled_axis(dt * twist.spin) * pose.orientation).normalize(),
    }
}
