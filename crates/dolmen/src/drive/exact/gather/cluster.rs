//! The bodies that one event concerns, and their contacts at its instant.
//!
//! ```text
//! all bodies that touch the pair that met, and all that touch those …         (gather)
//! x⁻: their states at the instant, from a span cut there                      (cut)
//! all their contacts, with normals, restitution and friction                 (narrow_phase)
//! impulses over all of them at once, by the impact law of the world           (contact::collide)
//! x⁺: momenta changed by the impulses; losses booked; events logged
//! new motions from there, and new fat AABBs                                  (track, detection)
//! ```

use crate::drive::exact::detect::motions::Place;
use std::collections::BTreeSet;

use crate::contact::{CollideScratch, Colliding, Impact, Mover};
use crate::drive::exact::detect::collider::Collider;
use crate::drive::exact::detect::detection::{Detection, Motions};
use crate::drive::exact::detect::motions::OnTracks;
use crate::drive::exact::gather::impact_row::ImpactRow;
use crate::drive::exact::gather::impact_row::JointFrictionRow;
use crate::drive::exact::gather::tolerances::{APPROACH_SHARE, SEARCH_REACH};
use crate::dynamics::Island;
use crate::math::{Aabb, DMat3, DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::narrow_phase::{
    Contact, Manifold, Statistics, Tolerance, UnsupportedPair, Witness, contacts_within, separate,
};
use crate::record::EventPlace;
use crate::world::{BodyId, Material, World};

/// A contact of bodies that an event concerns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touching {
    pub(crate) bodies: [u32; 2],
    pub(crate) contact: Contact,
    pub(crate) surface: Material,
    /// From each centre of mass to the contact, world.
    pub(crate) arms: [DVec3; 2],
    /// The contact tolerance for this pair, m.
    pub(crate) tolerance: f64,
}

impl Touching {
    /// Where an event of this contact is.
    pub(crate) fn place(&self) -> EventPlace {
        EventPlace::new(self.bodies, self.contact.id, self.contact.point, self.contact.normal)
    }
}

/// All bodies and contacts of one event; the buffers are reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cluster {
    /// Dynamic bodies, ascending.
    pub(crate) bodies: Vec<u32>,
    /// Pairs that touch, ascending.
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) contacts: Vec<Touching>,
    /// Contacts that are open now and may close within the next time step.
    pub(crate) ahead: Vec<Touching>,
    /// Bodies as the impact law takes them: those of `bodies`, then fixed and kinematic ones.
    pub(crate) movers: Vec<Mover>,
    /// The body of each mover.
    pub(crate) ranks: Vec<u32>,
    /// The largest speed of any point of them before the event, m/s: impulses may pass it on to any other body.
    fastest: f64,
    /// The speed that gravity adds within the next time step, m/s.
    gravity_speed: f64,
    /// At the start of a time step, the largest ratio of a body's speed to its speed after falling by its own size.
    pub(crate) speed_ratio: f64,
    /// Pairs whose bounce series has ended now: none of their contacts separates again.
    pub(crate) closed: Vec<[u32; 2]>,
    /// Memory for the result of an impact.
    pub(crate) impact_memory: Impact,
    pub(crate) scratch: CollideScratch,
    /// The contacts, followed by the active limits and taut ropes.
    pub(crate) colliding: Vec<Colliding>,
    /// Active limits and taut ropes.
    pub(crate) rows: Vec<ImpactRow>,
    /// Joint friction that grows with the joint force.
    pub(crate) joint_friction: Vec<JointFrictionRow>,
    found: [Vec<u32>; 2],
    open: Vec<u32>,
    /// Pairs and bodies that are gathered, and tracks that are gathered as a whole.
    taken: (BTreeSet<[u32; 2]>, BTreeSet<u32>),
    taken_tracks: BTreeSet<usize>,
    manifold: Manifold,
}

/// The region in which other bodies may touch a body.
struct SearchRegion {
    body: u32,
    bounds: Aabb,
    /// The margin around its surface, m.
    margin: f64,
}

impl Cluster {
    /// Gathers all bodies that touch the pair at `t`, or may within a time `h`, directly or through other dynamic
    /// bodies. A seed of twice the same body means that body and its articulation.
    pub(crate) fn gather(
        &mut self,
        seed: [u32; 2],
        (t, h): (f64, f64),
        detection: &mut Detection,
        on: OnTracks,
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        self.bodies.clear();
        self.pairs.clear();
        let (mut pairs, mut bodies) = std::mem::take(&mut self.taken);
        pairs.clear();
        bodies.clear();
        if seed[0] != seed[1] {
            self.pairs.push(seed);
            pairs.insert(seed);
        }
        self.gravity_speed = on.gravity() * h;
        self.fastest = self.gravity_speed;
        if seed[0] == seed[1] {
            self.bodies.push(seed[0]);
        } else {
            self.bodies.extend(seed.iter().filter(|body| detection.is_mobile(**body)));
        }
        bodies.extend(&self.bodies);
        self.taken = (pairs, bodies);
        self.taken_tracks.clear();
        if h > 0.0 {
            let known = self.bodies.iter().flat_map(|body| on.active_with(*body));
            self.fastest = known.map(|body| speed_at(body, t, detection, on)).fold(self.fastest, f64::max);
        }
        loop {
            let before = self.fastest;
            let mut next = 0;
            if h == 0.0
                && let [a, b] = self.bodies[..]
            {
                self.take_neighbours_of_both([a, b], t, detection, on)?;
                next = 2;
            }
            while next < self.bodies.len() {
                self.take_neighbours(self.bodies[next], (t, h), detection, on)?;
                next += 1;
            }
            // An impulse may pass the speed of a faster body on to bodies searched before it was found: search them
            // again.
            if h == 0.0 || self.fastest == before {
                break;
            }
        }
        self.bodies.sort_unstable();
        self.pairs.sort_unstable();
        Ok(())
    }

    /// Adds all bodies that touch a body at `t`, or may within a time `h`, and the island that its contacts are solved
    /// with.
    fn take_neighbours(
        &mut self,
        body: u32,
        (t, h): (f64, f64),
        detection: &mut Detection,
        on: OnTracks,
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        let Some(around) = self.search_region(body, (t, h), detection, on) else { return Ok(()) };
        let mut found = std::mem::take(&mut self.found);
        detection.neighbours(body, &around.bounds, &mut found[0], &mut self.open);
        let taken = self.take(&around, (t, h), &found[0], detection, on);
        self.found = found;
        taken
    }

    /// The same for two bodies that have met, and so are near each other, at the instant alone.
    fn take_neighbours_of_both(
        &mut self,
        bodies: [u32; 2],
        t: f64,
        detection: &mut Detection,
        on: OnTracks,
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        let [Some(a), Some(b)] = bodies.map(|body| self.search_region(body, (t, 0.0), detection, on)) else {
            return Ok(());
        };
        let mut found = std::mem::take(&mut self.found);
        detection.neighbours_of_both(bodies, [&a.bounds, &b.bounds], &mut found, &mut self.open);
        let taken = self
            .take(&a, (t, 0.0), &found[0], detection, on)
            .and_then(|()| self.take(&b, (t, 0.0), &found[1], detection, on));
        self.found = found;
        taken
    }

    /// Adds the island that the contacts of a body are solved with. Returns the region in which others may touch it at
    /// `t` or within a time `h`, if it has a shape.
    fn search_region(
        &mut self,
        body: u32,
        (t, h): (f64, f64),
        detection: &Detection,
        on: OnTracks,
    ) -> Option<SearchRegion> {
        if let Some(track) = on.active_track(body)
            && self.taken_tracks.insert(track)
        {
            for other in on.active_with(body) {
                if self.taken.1.insert(other) {
                    self.bodies.push(other);
                }
            }
        }
        let collider = detection.collider(body)?;
        let position = on.motion(body).0.pose(t).position;
        self.fastest = self.fastest.max(speed_at(body, t, detection, on));
        let margin = tolerance_bound(collider, position) + SEARCH_REACH * h * self.fastest;
        Some(SearchRegion { body, bounds: Aabb::point(position).grown(collider.radius + margin), margin })
    }

    /// Adds those neighbours of a body that touch it at `t`, or may within a time `h`.
    fn take(
        &mut self,
        around: &SearchRegion,
        (t, h): (f64, f64),
        found: &[u32],
        detection: &mut Detection,
        on: OnTracks,
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        for &other in found {
            let pair = [around.body.min(other), around.body.max(other)];
            // The fast path for balls: by their centres.
            if (h == 0.0 && detection.are_balls_apart(pair, t, around.margin))
                || self.taken.0.contains(&pair)
                || !is_touching(pair, (t, SEARCH_REACH * h * self.fastest), detection, on)?
            {
                continue;
            }
            self.pairs.push(pair);
            self.taken.0.insert(pair);
            if detection.is_mobile(other) && self.taken.1.insert(other) {
                self.bodies.push(other);
            }
        }
        Ok(())
    }

    /// Takes the bodies of an island alone, without contacts.
    pub(crate) fn take_island(&mut self, island: &Island) {
        self.bodies.clear();
        self.bodies.extend(island.bodies.iter().map(|id| id.index() as u32));
        self.pairs.clear();
        self.contacts.clear();
        self.closed.clear();
    }

    /// Finds the contacts of all pairs in these states, and those that may close within a time `h`.
    pub(crate) fn find_contacts(
        &mut self,
        world: &World,
        detection: &mut Detection,
        h: f64,
        state: impl Fn(u32) -> (Pose, Twist),
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        self.contacts.clear();
        self.ahead.clear();
        for &pair in &self.pairs {
            let [a, b] = pair;
            let (Some(collider_a), Some(collider_b)) = (detection.collider(a), detection.collider(b)) else {
                continue;
            };
            let ((pose_a, twist_a), (pose_b, twist_b)) = (state(a), state(b));
            // The end of the step shows what the impulses of other bodies do to the pair.
            let both = speed(collider_a, &twist_a) + speed(collider_b, &twist_b);
            let reach = SEARCH_REACH * h * self.fastest.min(APPROACH_SHARE * both + self.gravity_speed);
            let (placed_a, placed_b) = (collider_a.placed(&pose_a), collider_b.placed(&pose_b));
            let surface = world.surface(BodyId::from_rank(a as usize), BodyId::from_rank(b as usize));
            let frames = (collider_a.frame(), collider_b.frame());
            let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
            let touching = |contact: &Contact| {
                let function = contact.function.in_bodies(&frames.0, &frames.1);
                let arms = [contact.point - pose_a.position, contact.point - pose_b.position];
                Touching { bodies: pair, contact: Contact { function, ..*contact }, surface, arms, tolerance }
            };
            if let Some(contact) = detection.ball_contact(pair, [&pose_a, &pose_b]) {
                if h == 0.0 || contact.separation <= tolerance {
                    self.contacts.push(touching(&contact));
                } else if contact.separation <= reach {
                    self.ahead.push(touching(&contact));
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
                // Touching contacts stay as they are; with a longer reach other features may represent them.
                contacts_within(reach, placed, &mut witness, &mut statistics, &mut self.manifold)
                    .map_err(|refused| (pair, refused))?;
                for contact in self.manifold.contacts() {
                    let is_same = |known: &Touching| {
                        known.contact.id == contact.id && known.contact.point.distance(contact.point) <= reach
                    };
                    if !self.contacts[first..].iter().any(is_same) {
                        self.ahead.push(touching(contact));
                    }
                }
            }
            detection.remember_planes(pair, witness);
        }
        Ok(())
    }

    /// The contacts of all pairs that overlap by more than the contact tolerance at these poses. A body without a pose
    /// does not take part.
    pub(crate) fn overlaps_at(
        &mut self,
        world: &World,
        detection: &Detection,
        pose: impl Fn(u32) -> Option<Pose>,
    ) -> Result<Vec<Touching>, ([u32; 2], UnsupportedPair)> {
        let mut overlaps = Vec::new();
        for &pair in &self.pairs {
            let [Some(collider_a), Some(collider_b)] = pair.map(|body| detection.collider(body)) else {
                continue;
            };
            let [Some(pose_a), Some(pose_b)] = pair.map(&pose) else { continue };
            let placed = (&collider_a.placed(&pose_a), &collider_b.placed(&pose_b));
            let of_balls = detection.ball_contact(pair, [&pose_a, &pose_b]);
            if of_balls.is_none() {
                let (mut witness, mut statistics) = (detection.witness(pair), Statistics::default());
                contacts_within(0.0, placed, &mut witness, &mut statistics, &mut self.manifold)
                    .map_err(|refused| (pair, refused))?;
            }
            let contacts = of_balls.as_ref().map_or(self.manifold.contacts(), std::slice::from_ref);
            let tolerance = Tolerance::of_pair(placed.0, placed.1, 0.0).length;
            let surface =
                world.surface(BodyId::from_rank(pair[0] as usize), BodyId::from_rank(pair[1] as usize));
            let frames = (collider_a.frame(), collider_b.frame());
            for contact in contacts.iter().filter(|contact| contact.separation < -tolerance) {
                let function = contact.function.in_bodies(&frames.0, &frames.1);
                let arms = [contact.point - pose_a.position, contact.point - pose_b.position];
                let contact = Contact { function, ..*contact };
                overlaps.push(Touching { bodies: pair, contact, surface, arms, tolerance });
            }
        }
        Ok(overlaps)
    }

    /// Visits the separation and the contact tolerance of all pairs at these poses, m. A body without a pose does not
    /// take part.
    pub(crate) fn visit_gaps(
        &self,
        detection: &Detection,
        pose: impl Fn(u32) -> Option<Pose>,
        mut visit: impl FnMut([u32; 2], f64, f64),
    ) -> Result<(), ([u32; 2], UnsupportedPair)> {
        for &pair in &self.pairs {
            let [Some(pose_a), Some(pose_b)] = pair.map(&pose) else { continue };
            if let Some(gap) = gap(pair, [&pose_a, &pose_b], detection)? {
                visit(pair, gap.separation, gap.tolerance);
            }
        }
        Ok(())
    }

    /// Fills the bodies as the impact law takes them, and the contacts between them.
    pub(crate) fn as_colliding(&mut self, world: &World, state: impl Fn(u32) -> (Pose, Twist)) {
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

/// An upper bound on the contact tolerance of a body with any other, m.
fn tolerance_bound(collider: &Collider, position: DVec3) -> f64 {
    4.0 * (1e-9 * collider.radius + 64.0 * f64::EPSILON * (position.abs().max_element() + collider.radius))
}

/// The largest speed of any point of a body, m/s; zero for a fixed body of any size.
fn speed(collider: &Collider, twist: &Twist) -> f64 {
    let rolling = twist.spin.length();
    twist.velocity.length() + if rolling > 0.0 { rolling * collider.radius } else { 0.0 }
}

/// The same for a body on its track at `t`; zero for a body without a shape.
fn speed_at(body: u32, t: f64, detection: &Detection, on: OnTracks) -> f64 {
    detection.collider(body).map_or(0.0, |collider| speed(collider, &on.motion(body).0.twist(t)))
}

/// The separation of two bodies, their contact tolerance, m, and their witness.
struct Gap {
    separation: f64,
    tolerance: f64,
    witness: Witness,
}

/// The gap of two bodies at these poses; none where one has no shape.
fn gap(
    pair: [u32; 2],
    poses: [&Pose; 2],
    detection: &Detection,
) -> Result<Option<Gap>, ([u32; 2], UnsupportedPair)> {
    let [Some(collider_a), Some(collider_b)] = pair.map(|body| detection.collider(body)) else {
        return Ok(None);
    };
    let (placed_a, placed_b) = (collider_a.placed(poses[0]), collider_b.placed(poses[1]));
    let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
    if let Some(contact) = detection.ball_contact(pair, poses) {
        return Ok(Some(Gap { separation: contact.separation, tolerance, witness: Witness::Unknown }));
    }
    let mut witness = detection.witness(pair);
    let found = separate(&placed_a, &placed_b, &mut witness, &mut Statistics::default())
        .map_err(|refused| (pair, refused))?;
    Ok(Some(Gap { separation: found.distance, tolerance, witness }))
}

/// Whether two bodies are within their contact tolerance, or within `reach`, m, at `t`.
fn is_touching(
    pair: [u32; 2],
    (t, reach): (f64, f64),
    detection: &mut Detection,
    on: OnTracks,
) -> Result<bool, ([u32; 2], UnsupportedPair)> {
    let [pose_a, pose_b] = pair.map(|body| on.motion(body).0.pose(t));
    let Some(gap) = gap(pair, [&pose_a, &pose_b], detection)? else { return Ok(false) };
    detection.remember_planes(pair, gap.witness);
    Ok(gap.separation <= gap.tolerance.max(reach))
}

impl Cluster {
    /// The tracks of its bodies, each once.
    pub(crate) fn tracks(&self, places: &[Place]) -> Vec<usize> {
        let place = |body: &u32| places[*body as usize].map(|(track, _)| track);
        let mut tracks: Vec<usize> = self.bodies.iter().filter_map(place).collect();
        tracks.sort_unstable();
        tracks.dedup();
        tracks
    }
}
