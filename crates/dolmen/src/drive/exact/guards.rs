//! How long the modes of an island's contacts stand.
//!
//! A mode ends when no admissible force keeps it: a normal force would pull, friction would leave its cone; when a slip
//! comes to its end; or when other features of a pair that rests come into contact. All are looked at along each span;
//! where one has failed, the instant is found by halving, down to the resolution of time.

use super::agenda::Task;
use super::balls;
use super::simulation::Simulation;
use super::track::Track;
use crate::contact::rest::{Bearing, Mode};
use crate::math::Pose;
use crate::motion::Motion;
use crate::narrow_phase::{Contact, ContactFunction, Manifold, Statistics, Tolerance, Witness, contacts};
use crate::world::BodyId;

/// Where along a span modes are looked at, besides its ends.
const LOOKS: usize = 4;

/// Forces may pull, and friction exceed its cone, by this share of the largest force: the rounding of the solution.
const ROUNDED_FORCE: f64 = 1e-9;

/// Separations of bodies that part from a contact are rounded by less than this share of the contact tolerance.
const ROUNDED_SEPARATION: f64 = 1e-3;

/// Points of a feature closer than this share of the size of a body are one contact.
const KNOWN_POINT: f64 = 1e-2;

/// Halvings of an interval of time before it is a single number.
const HALVINGS: usize = 64;

/// Why modes ended.
enum Failed {
    /// Forces or slip.
    Mode,
    /// Other contacts of pairs that rest.
    Contacts(Vec<NewContact>),
}

/// A contact that comes into being: its separation as a function of the poses of the bodies.
struct NewContact {
    pair: [u32; 2],
    function: ContactFunction,
    tolerance: f64,
}

impl Simulation {
    /// Looks along the span of an island with contacts, and plans the end of its modes if it lies there.
    pub(super) fn watch_modes(&mut self, k: usize) {
        let track = &self.tracks[k];
        let (Some(_), Some(from)) = (&track.held, track.span_start()) else { return };
        let until = track.clock();
        let mut good = from;
        for look in 1..=LOOKS {
            let t = if look == LOOKS { until } else { from + (until - from) * (look as f64 / LOOKS as f64) };
            if let Some(failed) = self.failed(k, t) {
                let at = self.instant(k, &failed, good, t);
                let version = self.tracks[k].version;
                self.agenda.add(at, Task::Mode { track: k as u32, version });
                return;
            }
            good = t;
        }
        self.turn_slips(k);
    }

    /// The first instant after `good` at which the modes have failed, known to have at `bad`.
    fn instant(&mut self, k: usize, failed: &Failed, good: f64, bad: f64) -> f64 {
        match failed {
            Failed::Mode => halve(good, bad, |t| matches!(self.failed(k, t), Some(Failed::Mode))),
            Failed::Contacts(new) => {
                new.iter().map(|contact| self.first_overlap(contact, good, bad)).fold(bad, f64::min)
            }
        }
    }

    /// When a contact that overlaps at `bad` came to overlap.
    fn first_overlap(&self, contact: &NewContact, good: f64, bad: f64) -> f64 {
        let value = |t: f64| {
            let [a, b] = contact.pair.map(|body| self.pose_at(body, t));
            contact.function.value(&a, &b)
        };
        // One that parts at the start of the span may overlap there by rounding: it counts when it comes back.
        let allowed = value(good).min(0.0) - ROUNDED_SEPARATION * contact.tolerance;
        halve(good, bad, |t| value(t) <= allowed)
    }

    fn pose_at(&self, body: u32, t: f64) -> Pose {
        let id = BodyId::from_rank(body as usize);
        match (self.world.body(id).prescribed_motion(), self.place[body as usize]) {
            (Some(motion), _) => motion.pose(t),
            (None, Some((track, k))) => {
                self.tracks[track].motion(k).map_or(self.states.bodies[body as usize].pose(), |m| m.pose(t))
            }
            (None, None) => Pose::IDENTITY,
        }
    }

    /// Whether the modes of an island have failed at a time on its span.
    fn failed(&mut self, k: usize, t: f64) -> Option<Failed> {
        let track = &self.tracks[k];
        let held = track.held.as_ref()?;
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        let mut equations = track.equations(&self.world, &mut self.buffers);
        equations.load_bodies(t, &y[..track.island.dim()]);
        let buffers = &mut self.buffers;
        buffers.bearings.hold(&buffers.loaded, &held.bearings);
        let bearings = &buffers.bearings;
        let largest = bearings.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        let slack = ROUNDED_FORCE * largest;
        let mut is_admissible = true;
        for (i, bearing) in held.bearings.iter().enumerate() {
            let f = bearings.forces[i];
            match bearing.mode {
                Mode::Slide { begins } => {
                    let (slip, a) = (bearings.frames[i].velocity, bearings.acceleration(i));
                    let ends = (slip.y * slip.y + slip.z * slip.z).sqrt() <= held.still[i]
                        && slip.y * a.y + slip.z * a.z < 0.0;
                    let turns_back = bearings.frames[i].slip().dot(begins) < 0.0;
                    if bearing.kinetic_friction > 0.0 && (ends || turns_back) {
                        return Some(Failed::Mode);
                    }
                }
                Mode::Stick => {
                    let friction = (f.y * f.y + f.z * f.z).sqrt();
                    is_admissible &= friction <= bearing.static_friction * f.x.max(0.0) + slack;
                }
            }
            is_admissible &= f.x >= -slack;
        }
        if !is_admissible && (bearings.is_unique || !self.redistributes(k)) {
            return Some(Failed::Mode);
        }
        self.new_contacts(k, t)
    }

    /// Whether other forces within their cones give the accelerations that the modes ask for. [SYSTEM, trap 5]
    fn redistributes(&mut self, k: usize) -> bool {
        let Some(held) = &self.tracks[k].held else { return true };
        let buffers = &mut self.buffers;
        let slides: Vec<bool> = held.bearings.iter().map(|b| matches!(b.mode, Mode::Slide { .. })).collect();
        let scale = buffers.bearings.frames.iter().fold(0.0_f64, |most, f| most.max(f.free.length()));
        let decision = buffers.bearings.decide(&buffers.loaded, &held.bearings, &slides);
        let keeps = |i: usize, bearing: &Bearing| {
            let a = buffers.bearings.acceleration(i);
            let slips =
                bearing.mode != Mode::Stick || (a.y * a.y + a.z * a.z).sqrt() <= ROUNDED_FORCE * scale;
            a.x.abs() <= ROUNDED_FORCE * scale && slips
        };
        decision.is_consistent && held.bearings.iter().enumerate().all(|(i, b)| keeps(i, b))
    }

    /// Contacts of the pairs that rest which are not among those that carry force, and overlap at `t`.
    fn new_contacts(&self, k: usize, t: f64) -> Option<Failed> {
        let held = self.tracks[k].held.as_ref()?;
        let mut manifold = Manifold::default();
        let mut pairs = held.pairs.clone();
        pairs.sort_unstable();
        pairs.dedup();
        let mut new = Vec::new();
        for pair in pairs {
            let [a, b] = pair;
            let poses = pair.map(|body| self.pose_at(body, t));
            let (Some(collider_a), Some(collider_b)) =
                (self.detection.collider(a), self.detection.collider(b))
            else {
                continue;
            };
            if balls::contact([collider_a, collider_b], [&poses[0], &poses[1]]).is_some() {
                // One point, and it is the one that is known.
                continue;
            }
            let (placed_a, placed_b) = (collider_a.placed(&poses[0]), collider_b.placed(&poses[1]));
            let mut statistics = Statistics::default();
            if contacts(&placed_a, &placed_b, &mut Witness::Unknown, &mut statistics, &mut manifold).is_err()
            {
                continue;
            }
            let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
            // One feature may touch at several points: a rim, the side of a cylinder.
            let near = KNOWN_POINT * collider_a.radius.min(collider_b.radius);
            let known = |contact: &Contact| {
                let of_pair = (0..held.pairs.len()).filter(|i| held.pairs[*i] == pair);
                let mut same = of_pair.filter(|i| held.features[*i] == contact.id);
                same.any(|i| {
                    let points = held.bearings[i].function.points(&poses[0], &poses[1]);
                    points[0].distance(contact.point) <= near
                })
            };
            for contact in manifold.contacts() {
                if contact.separation < -0.5 * tolerance && !known(contact) {
                    let function = contact.function.in_bodies(&collider_a.frame(), &collider_b.frame());
                    new.push(NewContact { pair, function, tolerance });
                }
            }
        }
        (!new.is_empty()).then_some(Failed::Contacts(new))
    }

    /// The directions of slips as they are now: the next span starts from them.
    fn turn_slips(&mut self, k: usize) {
        let track = &mut self.tracks[k];
        let t = track.clock();
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        let mut equations = track.equations(&self.world, &mut self.buffers);
        equations.load_bodies(t, &y[..track.island.dim()]);
        let Track { held: Some(held), .. } = track else { return };
        let buffers = &mut self.buffers;
        buffers.bearings.assemble(&buffers.loaded, &held.bearings);
        for (bearing, frame) in held.bearings.iter_mut().zip(&buffers.bearings.frames) {
            if let Mode::Slide { begins } = &mut bearing.mode
                && frame.slip().dot(*begins) > 0.0
            {
                *begins = frame.slip();
            }
        }
    }
}

/// The first time after `good` at which something is so, known to be so at `bad`.
fn halve(mut good: f64, mut bad: f64, mut is_so: impl FnMut(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let t = 0.5 * (good + bad);
        if t <= good || t >= bad {
            break;
        }
        if is_so(t) {
            bad = t;
        } else {
            good = t;
        }
    }
    bad
}
