//! What touches: contacts that begin and end, and the forces of those that press.

use serde::{Deserialize, Serialize};

use super::bodies::{Bodies, id_of};
use super::groups::Groups;
use super::manifold::Manifold;
use super::number::{Real, V3};
use super::pairs::{Contact, Pairs};
use super::tolerances::SAME_FRICTION;
use crate::material::Material;
use crate::math::DVec3;
use crate::narrow_phase::{ContactId, Feature};
use crate::record::{ContactForce, Event, EventKind, EventPlace};
use crate::solve::Status;

/// The pairs that pressed at the end of the last step, and the number of instants at which that changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Touching {
    /// Bodies and slot, in the order of slots.
    pairs: Vec<([u32; 2], u32)>,
    /// Instants of events so far.
    instants: u64,
    /// The largest impulse of a pair in the last sub-step, by the reduced mass and the size of the smaller body, 1/s.
    pub(super) load: f64,
}

impl Touching {
    /// Whether these are pairs of so many slots.
    pub(super) fn is_of(&self, slots: usize) -> bool {
        self.pairs.iter().all(|(_, slot)| (*slot as usize) < slots)
    }

    /// Compares with what presses now, at time t, and tells what began and what ended.
    pub(super) fn update<R: Real>(
        &mut self,
        pairs: &Pairs<R>,
        groups: &Groups<R>,
        bodies: &Bodies<R>,
        t: f64,
        events: &mut Vec<Event>,
    ) {
        let mut now: Vec<([u32; 2], u32)> = Vec::with_capacity(self.pairs.len());
        self.load = 0.0;
        for slot in groups.slots() {
            let contact = &pairs.contacts[slot as usize];
            let (x, y) = (&bodies.constant[contact.a as usize], &bodies.constant[contact.b as usize]);
            let points = contact.manifold.lambda[..usize::from(contact.manifold.count)].iter();
            let press: f64 = points.map(|lambda| lambda.wide()).sum();
            self.load = self.load.max(press * (x.inv_mass + y.inv_mass) / x.size.min(y.size));
            if presses(contact) && now.last().is_none_or(|(_, last)| *last != slot) {
                now.push(([contact.a, contact.b], slot));
            }
        }
        // What sleeps goes on to press.
        for (bodies, slot) in &self.pairs {
            let contact = &pairs.contacts[*slot as usize];
            if contact.is_idle && [contact.a, contact.b] == *bodies && presses(contact) {
                now.push((*bodies, *slot));
            }
        }
        now.sort_unstable_by_key(|(_, slot)| *slot);
        let group = self.instants + 1;
        let first = events.len();
        // Both lists are in the order of slots; a slot may have passed to another pair.
        let (mut i, mut j) = (0, 0);
        while i < self.pairs.len() || j < now.len() {
            let (old, new) = (self.pairs.get(i), now.get(j));
            match (old, new) {
                (Some(old), Some(new)) if old == new => (i, j) = (i + 1, j + 1),
                (Some(old), new) if new.is_none_or(|new| old.1 <= new.1) => {
                    events.push(ended(bodies, old.0, (t, group)));
                    i += 1;
                }
                (_, Some(new)) => {
                    events.push(begun(&pairs.contacts[new.1 as usize], bodies, (t, group)));
                    j += 1;
                }
                (_, None) => break,
            }
        }
        self.instants += u64::from(events.len() > first);
        self.pairs = now;
    }
}

impl Touching {
    /// The pairs of bodies that press.
    pub(super) fn bodies(&self) -> impl Iterator<Item = [u32; 2]> {
        self.pairs.iter().map(|(bodies, _)| *bodies)
    }
}

/// Whether any manifold of a pair carries an impulse.
pub(super) fn presses<R: Real>(contact: &Contact<R>) -> bool {
    contact.manifold.presses() || contact.more.iter().any(Manifold::presses)
}

/// Rate of separation at the mean point of a manifold, m/s.
pub(super) fn rate<R: Real>(manifold: &Manifold<R>, bodies: &Bodies<R>, a: usize, b: usize) -> f64 {
    let [arm_a, arm_b] = manifold.middle();
    manifold.normal.dot(velocity(bodies, a, arm_a) - velocity(bodies, b, arm_b)).wide()
}

fn velocity<R: Real>(bodies: &Bodies<R>, i: usize, arm: V3<R>) -> V3<R> {
    bodies.record[i].velocity() + bodies.record[i].spin().cross(arm)
}

/// This driver does not follow features: the surfaces as a whole touch, told apart by the number of the point.
fn features(point: usize) -> ContactId {
    ContactId { a: Feature::Surface(point as u32), b: Feature::Surface(point as u32) }
}

fn begun<R: Real>(contact: &Contact<R>, bodies: &Bodies<R>, (t, group): (f64, u64)) -> Event {
    let (a, b) = (contact.a as usize, contact.b as usize);
    let manifold = &contact.manifold;
    let (sign, ranks) = if a < b { (1.0, [contact.a, contact.b]) } else { (-1.0, [contact.b, contact.a]) };
    let point = bodies.position[a] + manifold.middle()[0].wide();
    let place = EventPlace::new(ranks, features(0), point, sign * manifold.normal.wide());
    let (approach, separation) = (contact.approach, rate(manifold, bodies, a, b));
    let impulse = contact.more.iter().fold(manifold.struck.wide(), |sum, more| sum + more.struck.wide());
    let lost = -0.5 * impulse * (approach + separation);
    Event { approach, separation, impulse, lost, ..Event::new(t, group, EventKind::Collision, place) }
}

fn ended<R: Real>(bodies: &Bodies<R>, [a, b]: [u32; 2], (t, group): (f64, u64)) -> Event {
    let ranks = [a.min(b), a.max(b)];
    // Between the two, or at the one that is not a plane: where they touched last is not kept.
    let [x, y] = [a, b].map(|i| bodies.position[i as usize]);
    let point = if bodies.constant[b as usize].swing.is_finite() { 0.5 * (x + y) } else { x };
    let towards = if a < b { x - y } else { y - x };
    let place = EventPlace::new(ranks, features(0), point, towards.normalize_or(DVec3::Z));
    Event::new(t, group, EventKind::Break, place)
}

/// The mean forces over the last sub-step h of all points of a pair that press.
pub(super) fn forces<R: Real>(
    contact: &Contact<R>,
    bodies: &Bodies<R>,
    material: &Material,
    (h, still): (f64, f64),
    found: &mut Vec<ContactForce>,
) {
    let (a, b) = (contact.a as usize, contact.b as usize);
    let inv_mass = bodies.constant[a].inv_mass + bodies.constant[b].inv_mass;
    let (sign, ranks) = if a < b { (1.0, [a, b]) } else { (-1.0, [b, a]) };
    let mut number = 0;
    for manifold in std::iter::once(&contact.manifold).chain(&contact.more).filter(|m| m.presses()) {
        let points = 0..usize::from(manifold.count);
        let press: f64 = points.clone().map(|i| manifold.lambda[i].wide()).sum();
        let sideways = manifold.sideways.wide();
        let normal = manifold.normal.wide();
        let middle = manifold.middle()[0].wide();
        // Friction acts at the mean point: points share it as they share the load, and the moment that is missing then.
        let arm = |i: usize| manifold.arms[0][i].wide();
        let shared = points.clone().fold(DVec3::ZERO, |sum, i| {
            sum + (arm(i) - middle).cross(sideways) * (manifold.lambda[i].wide() / press)
        });
        let moment = normal * manifold.about.wide() + manifold.rolling.wide() - shared;
        let kinetic = material.kinetic_friction * press;
        let slides = (sideways.length() - kinetic).abs() <= SAME_FRICTION * kinetic;
        let spin = (bodies.record[a].spin() - bodies.record[b].spin()).wide();
        let across = spin - normal * normal.dot(spin);
        let left = rate(manifold, bodies, a, b).abs();
        for i in points.filter(|i| manifold.lambda[*i] > R::of(0.0)) {
            let share = manifold.lambda[i].wide() / press;
            found.push(ContactForce {
                bodies: ranks.map(id_of),
                features: features(number),
                point: bodies.position[a] + arm(i),
                normal: sign * normal,
                normal_force: manifold.lambda[i].wide() / h,
                friction: sign * share * sideways / h,
                moment: sign * share * moment / h,
                sticks: !slides,
                rolls: !slides && across.length() * arm(i).length() > still,
                residual: left / (left + press * inv_mass),
                is_unique: manifold.count == 1,
                status: Status::OutOfIterations,
                iterations: 0,
            });
            number += 1;
        }
    }
}
