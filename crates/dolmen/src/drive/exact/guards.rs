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
use crate::narrow_phase::{Contact, ContactFunction, ContactKind, Manifold, Statistics, Tolerance, contacts};
use crate::world::BodyId;

/// Where along a span modes are looked at, besides its ends.
const LOOKS: usize = 4;

/// Forces may pull, and friction exceed its cone, by this share of the largest force: the rounding of the solution.
const ROUNDED_FORCE: f64 = 1e-9;

/// Separations of bodies that part from a contact are rounded by less than this share of the contact tolerance.
const ROUNDED_SEPARATION: f64 = 1e-3;

/// Points of a feature closer than this share of the size of a body are one contact.
const KNOWN_POINT: f64 = 1e-2;

/// Points of a rim that are nearer than this share of the contact tolerance, and have come nearer by that share, lie down.
const LYING: f64 = 0.25;
const CLOSING: f64 = 0.05;

/// A contact point leaps that moves by more than this share of the size of a body in no time.
const LEAP: f64 = 0.1;

/// How long before a leap an event is, by the time in which the bodies move by their size: in it they move by a tenth of
/// what counts as touching.
const BEFORE_LEAP: f64 = 1e-10;

/// Halvings of an interval of time before it is a single number.
const HALVINGS: usize = 64;

/// A contact that comes into being: its separation as a function of the poses of the bodies.
struct NewContact {
    pair: [u32; 2],
    function: ContactFunction,
    tolerance: f64,
    /// Whether it is one of a rim that lies down: these are events just before they touch.
    is_round: bool,
}

impl Simulation {
    /// Looks along the span of an island with contacts, and plans the end of its modes if it lies there.
    pub(super) fn watch_modes(&mut self, k: usize) {
        let track = &self.tracks[k];
        let (Some(held), Some(from)) = (&track.held, track.span_start()) else { return };
        if held.bearings.is_empty() {
            return;
        }
        let until = track.clock();
        let mut good = from;
        for look in 1..=LOOKS {
            let t = if look == LOOKS { until } else { from + (until - from) * (look as f64 / LOOKS as f64) };
            if let Some(at) = self.first_failure(k, good, t) {
                let version = self.tracks[k].version;
                self.agenda.add(at, Task::Mode { track: k as u32, version });
                return;
            }
            good = t;
        }
        self.turn_slips(k);
    }

    /// The first instant after `good`, up to `t`, at which modes have failed or another feature has come into contact; none
    /// if nothing of the kind is so at `t`.
    fn first_failure(&mut self, k: usize, good: f64, t: f64) -> Option<f64> {
        let mut new = self.new_contacts(k, t);
        let failed = self.modes_failed(k, t);
        let mut first = f64::INFINITY;
        if failed {
            first = halve(good, t, |t| self.modes_failed(k, t));
            // Beyond that instant the motion is none: what comes into contact there may not, and the other way round.
            new.extend(self.new_contacts(k, first));
        }
        let jumps = (0..self.tracks[k].held.as_ref().map_or(0, |held| held.bearings.len()))
            .filter_map(|i| self.point_jump(k, i, (good, t)));
        first = jumps.fold(first, f64::min);
        if self.is_through(k, t) {
            let through = halve(good, t, |t| self.is_through(k, t));
            first = first.min((through - BEFORE_LEAP * self.shortest_own_time(k)).max(good));
        }
        let overlaps = new.iter().filter_map(|contact| self.first_overlap(contact, good, t));
        first = overlaps.fold(first, f64::min);
        (first < f64::INFINITY).then_some(first)
    }

    /// The last instant before the point of a contact leaps to another place, if it does between two times: a rim that lies
    /// down flat touches everywhere at once, and beyond that elsewhere.
    fn point_jump(&self, k: usize, i: usize, (good, bad): (f64, f64)) -> Option<f64> {
        let held = self.tracks[k].held.as_ref()?;
        let pair = held.pairs[i];
        let radii = pair.map(|body| self.detection.collider(body).map_or(0.0, |collider| collider.radius));
        let leap = LEAP * radii[0].min(radii[1]);
        let point = |t: f64| {
            let [a, b] = pair.map(|body| self.pose_at(body, t));
            held.bearings[i].function.points(&a, &b)[0]
        };
        let (mut low, mut high) = ((good, point(good)), (bad, point(bad)));
        if low.1.distance(high.1) <= leap {
            return None;
        }
        for _ in 0..HALVINGS {
            let t = 0.5 * (low.0 + high.0);
            if t <= low.0 || t >= high.0 {
                break;
            }
            let at = point(t);
            if at.distance(low.1) > at.distance(high.1) {
                high = (t, at);
            } else {
                low = (t, at);
            }
            if low.1.distance(high.1) <= leap {
                return None;
            }
        }
        // There it touches everywhere within what counts as touching, and forces are still those of before.
        let own = pair.iter().map(|body| self.own_time_of(*body)).fold(f64::INFINITY, f64::min);
        Some((low.0 - BEFORE_LEAP * own).max(good))
    }

    /// When a contact that overlaps at `bad`, or is about to, came to do so; none if it does not.
    fn first_overlap(&self, contact: &NewContact, good: f64, bad: f64) -> Option<f64> {
        let value = |t: f64| {
            let [a, b] = contact.pair.map(|body| self.pose_at(body, t));
            contact.function.value(&a, &b)
        };
        let (first, last) = (value(good), value(bad));
        if last < -0.5 * contact.tolerance && first < -0.5 * contact.tolerance {
            // Its features are larger than those of the bodies, and it overlapped before they came to be those that touch: a
            // rim that leaves an edge for a face.
            let allowed = LYING * contact.tolerance;
            return Some(halve(good, bad, |t| self.least_separation(contact.pair, t) < -allowed));
        }
        if last < -0.5 * contact.tolerance {
            // One that parts at the start of the span may overlap there by rounding: it counts when it comes back.
            let allowed = first.min(0.0) - ROUNDED_SEPARATION * contact.tolerance;
            return Some(halve(good, bad, |t| value(t) <= allowed));
        }
        let closes = contact.is_round && last <= LYING * contact.tolerance;
        // The equations of a rim that lies flat are singular: its instant is one just before.
        (closes && first - last > CLOSING * contact.tolerance)
            .then(|| halve(good, bad, |t| value(t) <= LYING * contact.tolerance))
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
    fn modes_failed(&mut self, k: usize, t: f64) -> bool {
        let track = &self.tracks[k];
        let Some(held) = &track.held else { return false };
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        let mut equations = track.equations(&self.world, &mut self.buffers);
        equations.load_bodies(t, &y[..track.island.dim()]);
        let buffers = &mut self.buffers;
        buffers.bearings.hold(&buffers.loaded, &held.bearings);
        let bearings = &buffers.bearings;
        let largest = bearings.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        let slack = ROUNDED_FORCE * largest;
        let fastest = bearings.frames.iter().fold(0.0_f64, |most, frame| most.max(frame.free.length()));
        let mut is_admissible = true;
        for (i, bearing) in held.bearings.iter().enumerate() {
            let f = bearings.forces[i];
            match bearing.mode {
                Mode::Slide { begins } => {
                    let (slip, a) = (bearings.frames[i].velocity, bearings.acceleration(i));
                    if bearing.kinetic_friction == 0.0 {
                        is_admissible &= f.x >= -slack;
                        continue;
                    }
                    let frame = &bearings.frames[i];
                    let failed = if (slip.y * slip.y + slip.z * slip.z).sqrt() <= bearing.still {
                        // So slow a slip has no direction of its own; it goes on if it grows along that in which it began.
                        let along = frame.tangents[0] * a.y + frame.tangents[1] * a.z;
                        along.dot(begins) < -ROUNDED_FORCE * fastest * begins.length()
                    } else {
                        frame.slip().dot(begins) < 0.0
                    };
                    if failed {
                        return true;
                    }
                }
                Mode::Stick => {
                    let friction = (f.y * f.y + f.z * f.z).sqrt();
                    is_admissible &= friction <= bearing.static_friction * f.x.max(0.0) + slack;
                }
            }
            is_admissible &= f.x >= -slack;
        }
        !is_admissible && (bearings.is_unique || !self.redistributes(k))
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

    /// The least separation of all contacts of a pair at `t`, m.
    fn least_separation(&self, pair: [u32; 2], t: f64) -> f64 {
        let mut least = f64::INFINITY;
        self.look_at(&[pair], t, |_, _, _, manifold| {
            least = manifold.contacts().iter().map(|contact| contact.separation).fold(least, f64::min);
        });
        least
    }

    /// Calls `see` with every pair that rests, its poses at `t`, its tolerance and its contacts there.
    fn look_at_pairs(&self, k: usize, t: f64, see: impl FnMut([u32; 2], &[Pose; 2], f64, &Manifold)) {
        let Some(held) = &self.tracks[k].held else { return };
        let mut pairs = held.pairs.clone();
        pairs.sort_unstable();
        pairs.dedup();
        self.look_at(&pairs, t, see);
    }

    /// As [`Simulation::look_at_pairs`], of these pairs.
    fn look_at(&self, pairs: &[[u32; 2]], t: f64, mut see: impl FnMut([u32; 2], &[Pose; 2], f64, &Manifold)) {
        let mut manifold = Manifold::default();
        for &pair in pairs {
            let poses = pair.map(|body| self.pose_at(body, t));
            let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.detection.collider(body)) else {
                continue;
            };
            if balls::contact([collider_a, collider_b], [&poses[0], &poses[1]]).is_some() {
                // One point, and it is the one that is known.
                continue;
            }
            let (placed_a, placed_b) = (collider_a.placed(&poses[0]), collider_b.placed(&poses[1]));
            let mut statistics = Statistics::default();
            let mut witness = self.detection.witness(pair);
            if contacts(&placed_a, &placed_b, &mut witness, &mut statistics, &mut manifold).is_err() {
                continue;
            }
            let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
            see(pair, &poses, tolerance, &manifold);
        }
    }

    /// Contacts of the pairs that rest which are not among those that carry force, and overlap at `t` or are about to.
    fn new_contacts(&self, k: usize, t: f64) -> Vec<NewContact> {
        let mut new = Vec::new();
        let Some(held) = &self.tracks[k].held else { return new };
        self.look_at_pairs(k, t, |pair, poses, tolerance, manifold| {
            let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.detection.collider(body)) else {
                return;
            };
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
                let is_round = contact.kind() == ContactKind::Round;
                let level = if is_round { LYING * tolerance } else { -0.5 * tolerance };
                if contact.separation < level && !known(contact) {
                    let function = contact.function.in_bodies(&collider_a.frame(), &collider_b.frame());
                    new.push(NewContact { pair, function, tolerance, is_round });
                }
            }
        });
        new
    }

    /// Whether at `t` a pair touches from the other side than the forces hold it on: a thin body has gone through a plane.
    fn is_through(&self, k: usize, t: f64) -> bool {
        let mut found = false;
        let Some(held) = &self.tracks[k].held else { return false };
        self.look_at_pairs(k, t, |pair, poses, _, manifold| {
            for i in (0..held.pairs.len()).filter(|i| held.pairs[*i] == pair) {
                let normal = held.bearings[i].function.normal(&poses[0], &poses[1]);
                found |= manifold.contacts().iter().any(|contact| contact.normal.dot(normal) < -0.5);
            }
        });
        found
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
                && frame.slip().length() > bearing.still
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
