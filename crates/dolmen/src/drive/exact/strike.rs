//! Bodies meet: who touches whom at that instant, and what their velocities become.
//!
//! ```text
//! everyone who touches the two that met, and everyone who touches those …       (gather)
//! x⁻: their states at the instant, from a step that ends there                   (cut)
//! all their contacts, with normals, restitution and friction                     (narrow_phase)
//! impulses over all of them at once, by the law of the world                     (contact::collide)
//! x⁺: momenta changed by the impulses; losses booked from them; events logged
//! new motions from there, and new covers                                         (track, detection)
//! ```

use super::balls;
use super::collider::Collider;
use super::detection::{Detection, Motions};
use super::joint_impact::ImpactRow;
use super::motions::OnTracks;
use crate::contact::{CollideScratch, Colliding, Impact, Mover};
use crate::math::{Aabb, DMat3, DVec3, Pose, Twist};
use crate::motion::{Island, Motion};
use crate::narrow_phase::{
    Contact, Manifold, Statistics, Tolerance, UnsupportedPair, contacts_within, separate,
};
use crate::world::{BodyId, Material, World};

/// A contact of the bodies that an event concerns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touching {
    pub(super) bodies: [u32; 2],
    pub(super) contact: Contact,
    pub(super) surface: Material,
    /// From each centre of mass to the contact, world.
    pub(super) arms: [DVec3; 2],
    /// What counts as touching for this pair, m.
    pub(super) tolerance: f64,
}

/// Everything that takes part in one event; buffers that are used again.
#[derive(Debug, Clone, Default)]
pub(super) struct Cluster {
    /// Bodies that forces move, ascending.
    pub(super) bodies: Vec<u32>,
    /// Pairs that touch, ascending.
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) contacts: Vec<Touching>,
    /// Bodies as the law of impact sees them: those of `bodies`, then fixed and kinematic ones.
    pub(super) movers: Vec<Mover>,
    /// Which body each mover is.
    pub(super) ranks: Vec<u32>,
    /// The largest speed of any point of them before the event, m/s: impulses may give it to any other.
    fastest: f64,
    /// Pairs whose series of bounces was closed now: none of their contacts parts any more.
    pub(super) closed: Vec<[u32; 2]>,
    /// What the impulses of the last collision did.
    pub(super) impact: Impact,
    pub(super) scratch: CollideScratch,
    /// The contacts, and after them limits and ropes that are reached.
    pub(super) colliding: Vec<Colliding>,
    /// Limits and ropes that are reached.
    pub(super) rows: Vec<ImpactRow>,
    found: Vec<u32>,
    manifold: Manifold,
}

impl Cluster {
    /// All bodies that touch the two that met at `t`, or may within a time `h`, directly or through others that can move.
    /// One body twice stands for itself and all that joints hold to it.
    pub(super) fn gather(
        &mut self,
        seed: [u32; 2],
        (t, h): (f64, f64),
        detection: &mut Detection,
        on: OnTracks,
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        self.bodies.clear();
        self.pairs.clear();
        if seed[0] != seed[1] {
            self.pairs.push(seed);
        }
        self.fastest = 0.0;
        if seed[0] == seed[1] {
            self.bodies.push(seed[0]);
        } else {
            self.bodies.extend(seed.iter().filter(|body| detection.is_mobile(**body)));
        }
        let mut next = 0;
        while next < self.bodies.len() {
            let body = self.bodies[next];
            next += 1;
            // Bodies whose contacts are solved together stay together.
            for other in on.held_with(body) {
                if !self.bodies.contains(&other) {
                    self.bodies.push(other);
                }
            }
            let (motion, _) = on.motion(body);
            let pose = motion.pose(t);
            let Some(collider) = detection.collider(body) else { continue };
            self.fastest = self.fastest.max(speed(collider, &motion.twist(t)));
            let margin = generous(collider, pose.position) + REACH * h * self.fastest;
            let around = Aabb::point(pose.position).grown(collider.radius + margin);
            let mut found = std::mem::take(&mut self.found);
            detection.neighbours(body, &around, &mut found);
            for &other in &found {
                let pair = [body.min(other), body.max(other)];
                // The quick way for the many: centres only.
                if (h == 0.0 && detection.are_balls_apart(pair, t, margin))
                    || self.pairs.contains(&pair)
                    || !is_touching(pair, (t, REACH * h * self.fastest), detection, on)?
                {
                    continue;
                }
                self.pairs.push(pair);
                if detection.is_mobile(other) && !self.bodies.contains(&other) {
                    self.bodies.push(other);
                }
            }
            self.found = found;
        }
        self.bodies.sort_unstable();
        self.pairs.sort_unstable();
        Ok(())
    }

    /// The bodies of an island and nothing that touches them.
    pub(super) fn take_alone(&mut self, island: &Island) {
        self.bodies.clear();
        self.bodies.extend(island.bodies.iter().map(|id| id.index() as u32));
        self.pairs.clear();
        self.contacts.clear();
        self.closed.clear();
    }

    /// The contacts of all pairs, for bodies in these states, and those that may come to be within a time `h`.
    pub(super) fn find_contacts(
        &mut self,
        world: &World,
        detection: &mut Detection,
        h: f64,
        state: impl Fn(u32) -> (Pose, Twist),
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        self.contacts.clear();
        for &pair in &self.pairs {
            let [a, b] = pair;
            let (Some(collider_a), Some(collider_b)) = (detection.collider(a), detection.collider(b)) else {
                continue;
            };
            let ((pose_a, _), (pose_b, _)) = (state(a), state(b));
            let reach = REACH * h * self.fastest;
            let (placed_a, placed_b) = (collider_a.placed(&pose_a), collider_b.placed(&pose_b));
            let surface = world.surface(BodyId::from_rank(a as usize), BodyId::from_rank(b as usize));
            let frames = (collider_a.frame(), collider_b.frame());
            let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
            let touching = |contact: &Contact| {
                let function = contact.function.in_bodies(&frames.0, &frames.1);
                let arms = [contact.point - pose_a.position, contact.point - pose_b.position];
                Touching { bodies: pair, contact: Contact { function, ..*contact }, surface, arms, tolerance }
            };
            if let Some(contact) = balls::contact([collider_a, collider_b], [&pose_a, &pose_b]) {
                if reach == 0.0 || contact.separation <= tolerance.max(reach) {
                    self.contacts.push(touching(&contact));
                }
                continue;
            }
            let (mut witness, mut statistics) = (detection.witness(pair), Statistics::default());
            let placed = (&placed_a, &placed_b);
            contacts_within(0.0, placed, &mut witness, &mut statistics, &mut self.manifold)
                .map_err(|refused| (pair, refused))?;
            let first = self.contacts.len();
            self.contacts.extend(self.manifold.contacts().iter().map(touching));
            if reach > tolerance {
                // What touches now stays as it is; with a longer reach other features may stand for it.
                contacts_within(reach, placed, &mut witness, &mut statistics, &mut self.manifold)
                    .map_err(|refused| (pair, refused))?;
                let now = self.contacts.len();
                for contact in self.manifold.contacts() {
                    let is_same = |known: &Touching| {
                        known.contact.id == contact.id && known.contact.point.distance(contact.point) <= reach
                    };
                    if !self.contacts[first..now].iter().any(is_same) {
                        self.contacts.push(touching(contact));
                    }
                }
            }
        }
        Ok(())
    }

    /// The bodies as the law of impact sees them, and the contacts between them.
    pub(super) fn as_colliding(&mut self, world: &World, state: impl Fn(u32) -> (Pose, Twist)) {
        self.ranks.clear();
        self.ranks.extend(&self.bodies);
        for touching in &self.contacts {
            for body in touching.bodies {
                if !self.ranks.contains(&body) {
                    self.ranks.push(body);
                }
            }
        }
        self.movers.clear();
        for &body in &self.ranks {
            let inertia = world.body(BodyId::from_rank(body as usize)).inertia();
            let (pose, twist) = state(body);
            let turn = DMat3::from_quat(pose.orientation);
            self.movers.push(Mover {
                inv_mass: inertia.inv_mass,
                inv_inertia: turn * inertia.inv_inertia_body * turn.transpose(),
                velocity: twist.velocity,
                spin: twist.spin,
            });
        }
        let place = |body: u32| self.ranks.iter().position(|rank| *rank == body).unwrap_or_default();
        let colliding = |touching: &Touching| Colliding {
            bodies: touching.bodies.map(place),
            arms: touching.arms,
            normal: touching.contact.normal,
            restitution: touching.surface.restitution,
            friction: touching.surface.kinetic_friction,
        };
        self.colliding.clear();
        self.colliding.extend(self.contacts.iter().map(colliding));
    }
}

/// More than the contact tolerance of a body with any other, m.
fn generous(collider: &Collider, position: DVec3) -> f64 {
    4.0 * (1e-9 * collider.radius + 64.0 * f64::EPSILON * (position.abs().max_element() + collider.radius))
}

/// How far contacts are looked for ahead of a step, by how far the fastest body moves in it: two may move, and velocities
/// change in it.
const REACH: f64 = 4.0;

/// The largest speed of any point of a body, m/s; what fixed bodies of any size lack.
fn speed(collider: &Collider, twist: &Twist) -> f64 {
    let turning = twist.spin.length();
    twist.velocity.length() + if turning > 0.0 { turning * collider.radius } else { 0.0 }
}

/// Whether two bodies are within their contact tolerance at `t`, or within a reach, m.
fn is_touching(
    pair: [u32; 2],
    (t, reach): (f64, f64),
    detection: &mut Detection,
    on: OnTracks,
) -> Result<bool, ([u32; 2], UnsupportedPair)> {
    let [a, b] = pair;
    let (Some(collider_a), Some(collider_b)) = (detection.collider(a), detection.collider(b)) else {
        return Ok(false);
    };
    let (pose_a, pose_b) = (on.motion(a).0.pose(t), on.motion(b).0.pose(t));
    let (placed_a, placed_b) = (collider_a.placed(&pose_a), collider_b.placed(&pose_b));
    let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length.max(reach);
    if let Some(contact) = balls::contact([collider_a, collider_b], [&pose_a, &pose_b]) {
        return Ok(contact.separation <= tolerance);
    }
    let found = separate(&placed_a, &placed_b, &mut detection.witness(pair), &mut Statistics::default())
        .map_err(|refused| (pair, refused))?;
    Ok(found.distance <= tolerance)
}
