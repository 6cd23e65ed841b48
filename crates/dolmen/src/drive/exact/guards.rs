//! How long the modes of an island's contacts stand.
//!
//! A mode ends when no admissible force keeps it: a normal force would pull, friction would leave its cone; when a slip
//! comes to its end; when a contact comes to the border of the face or the end of the edge that it is on; or when other
//! features of a pair that rests come into contact. All are looked at along each span, and besides where forces or slips are
//! likely to have failed between two looks (`dips`). Where one has failed, the instant is found by halving, down to the
//! resolution of time.

use super::agenda::Task;
use super::dips::{LOOKS, suspects};
use super::joint_guards::crossing;
use super::looks::{LYING, NewContact, Sight};
use super::simulation::Simulation;
use super::track::Track;
use super::turning;
use crate::contact::rest::{Bearing, Mode};

/// Forces may pull, and friction exceed its cone, by this share of the largest force: the rounding of the solution.
const ROUNDED_FORCE: f64 = 1e-9;

/// Separations of bodies that part from a contact are rounded by less than this share of the contact tolerance.
const ROUNDED_SEPARATION: f64 = 1e-3;

/// Points of a rim that are about to touch lie down if they have come nearer by this share of the contact tolerance.
const CLOSING: f64 = 0.05;

/// A contact point leaps that moves by more than this share of the size of a body in no time.
const LEAP: f64 = 0.1;

/// How long before a leap an event is, by the time in which the bodies move by their size: in it they move by a tenth of
/// what counts as touching.
const BEFORE_LEAP: f64 = 1e-10;

/// How often, where something was found, is looked again for what was there before.
const LOOKS_BACK: usize = 4;

/// Halvings of an interval of time before it is a single number.
const HALVINGS: usize = 64;

impl Simulation {
    /// Looks along the span of an island with contacts, and plans the end of its modes if it lies there.
    pub(super) fn watch_modes(&mut self, k: usize) {
        let track = &self.tracks[k];
        let (Some(held), Some(from)) = (&track.held, track.span_start()) else { return };
        let has_rows = self.has_rows(&track.island);
        if held.bearings.is_empty() && !has_rows {
            return;
        }
        let until = track.clock();
        let before = self.beyond(k, from);
        // Forces of another island, or of another time, would be a start that depends on who looked last.
        self.buffers.shared.clear();
        let mut good = from;
        let start = if has_rows { self.see_rows(k, from) } else { Vec::new() };
        let mut seen = start.clone();
        let mut margins: [Vec<f64>; LOOKS] = Default::default();
        margins[0] = self.margins_at_start(k, from);
        for look in 1..LOOKS {
            let part = look as f64 / (LOOKS - 1) as f64;
            let t = if look == LOOKS - 1 { until } else { from + (until - from) * part };
            let mut in_rows = None;
            if has_rows {
                let now = self.see_rows(k, t);
                in_rows = self.first_row_failure(k, [&start, &seen, &now], (good, t));
                seen = now;
            }
            // What lies beyond the end of a row's mode is none of the motion.
            let end = in_rows.unwrap_or(t);
            let at = if self.has_contacts(k) {
                self.first_failure(k, (good, end), &before, &mut margins[look]).or(in_rows)
            } else {
                in_rows
            };
            if let Some(at) = at {
                self.plan_end(k, at);
                return;
            }
            good = t;
        }
        if !self.has_contacts(k) {
            return;
        }
        if let Some(at) = self.failure_between(k, &margins, (from, until)) {
            self.plan_end(k, at);
            return;
        }
        self.turn_slips(k);
        let [.., last] = margins;
        if let Some(held) = &mut self.tracks[k].held {
            held.margins = (until, last);
        }
    }

    /// Plans the end of the modes of an island.
    fn plan_end(&mut self, k: usize, at: f64) {
        let version = self.tracks[k].version;
        self.agenda.add(at, Task::Mode { track: k as u32, version });
    }

    /// What forces and slips have to spare where a span begins: as at the end of the one before, if there was one.
    fn margins_at_start(&mut self, k: usize, from: f64) -> Vec<f64> {
        let Some(held) = &mut self.tracks[k].held else { return Vec::new() };
        let (seen, mut margins) = std::mem::take(&mut held.margins);
        if (margins.is_empty() || seen != from) && !held.bearings.is_empty() {
            self.modes_excess(k, from, &mut margins);
        }
        margins
    }

    /// Looks where modes are likely to fail between two that saw none fail; when they first did, if so.
    fn failure_between(
        &mut self,
        k: usize,
        margins: &[Vec<f64>; LOOKS],
        (from, until): (f64, f64),
    ) -> Option<f64> {
        let on_span = |part: f64| from + (until - from) * part;
        for (look, place) in suspects(margins).into_iter().enumerate() {
            let Some(place) = place else { continue };
            let t = on_span(place);
            let excess = self.modes_excess(k, t, &mut Vec::new());
            if excess > 0.0 {
                let good = on_span(look as f64 / (LOOKS - 1) as f64);
                return Some(self.instant_of_failure(k, (good, t), excess));
            }
        }
        None
    }

    /// When between two times modes failed that stand at the first of them, and at the second have failed by so much.
    fn instant_of_failure(&mut self, k: usize, (good, bad): (f64, f64), excess: f64) -> f64 {
        let mut unused = Vec::new();
        if self.tracks[k].island.joints.is_empty() {
            return halve(good, bad, |t| self.modes_excess(k, t, &mut unused) > 0.0);
        }
        // With joints forces are dear: as few as a root takes.
        let ends = (self.modes_excess(k, good, &mut unused), excess);
        crossing((good, bad), ends, |t| self.modes_excess(k, t, &mut unused))
    }

    fn has_contacts(&self, k: usize) -> bool {
        self.tracks[k].held.as_ref().is_some_and(|held| !held.bearings.is_empty())
    }

    /// The first instant after `good`, up to `t`, at which modes have failed, a contact has left what it was on, or another
    /// feature has come into contact; none if nothing of the kind is so at `t`.
    fn first_failure(
        &mut self,
        k: usize,
        (good, t): (f64, f64),
        before: &[f64],
        margins: &mut Vec<f64>,
    ) -> Option<f64> {
        let mut first = f64::INFINITY;
        let excess = self.modes_excess(k, t, margins);
        if excess > 0.0 {
            first = self.instant_of_failure(k, (good, t), excess);
        }
        let jumps = (0..self.tracks[k].held.as_ref().map_or(0, |held| held.bearings.len()))
            .filter_map(|i| self.point_jump(k, i, (good, t)));
        first = jumps.fold(first, f64::min);
        let sight = self.see(k, t);
        first = self.first_of(k, &sight, (good, t), before, first);
        // Beyond that instant the motion is none: what there is to see later may not have been, and the other way round.
        for _ in 0..LOOKS_BACK {
            if !first.is_finite() {
                return None;
            }
            let sight = self.see(k, first);
            let earlier = self.first_of(k, &sight, (good, first), before, first);
            if earlier >= first {
                break;
            }
            first = earlier;
        }
        Some(first)
    }

    /// The first instant at which what is seen at `t` came to be so, or `first` if that is earlier.
    fn first_of(
        &self,
        k: usize,
        sight: &Sight,
        (good, t): (f64, f64),
        before: &[f64],
        mut first: f64,
    ) -> f64 {
        if sight.is_through {
            let through = halve(good, t, |t| self.see(k, t).is_through);
            first = first.min((through - BEFORE_LEAP * self.shortest_own_time(k)).max(good));
        }
        if self.has_left(k, t, before) {
            first = first.min(halve(good, t, |t| self.has_left(k, t, before)));
        }
        let overlaps = sight.new.iter().filter_map(|contact| self.first_overlap(contact, good, t));
        let deep = sight.deep.iter().map(|pair| self.first_depth(*pair, good, t));
        overlaps.chain(deep).fold(first, f64::min)
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

    /// By how much the modes of an island have failed at a time on its span, N or m/s; not above zero while they stand.
    /// `margins` is filled with what normal forces, friction that sticks, slips and turns have to spare.
    fn modes_excess(&mut self, k: usize, t: f64, margins: &mut Vec<f64>) -> f64 {
        margins.clear();
        let track = &self.tracks[k];
        let Some(held) = &track.held else { return 0.0 };
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        let mut equations = track.equations(&self.world, &mut self.buffers);
        equations.solve_forces(t, &y, held);
        let bearings = &self.buffers.bearings;
        let largest = bearings.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        let slack = ROUNDED_FORCE * largest;
        let fastest = bearings.frames.iter().fold(0.0_f64, |most, frame| most.max(frame.free.length()));
        let (mut slid, mut most) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (i, bearing) in held.bearings.iter().enumerate() {
            let (f, frame) = (bearings.forces[i], &bearings.frames[i]);
            margins.push(f.x);
            most = worse(most, -slack - f.x);
            match bearing.mode {
                Mode::Slide { .. } if bearing.kinetic_friction == 0.0 => {}
                Mode::Slide { begins } => {
                    let (slip, a) = (frame.velocity, bearings.acceleration(i));
                    let back = if (slip.y * slip.y + slip.z * slip.z).sqrt() <= bearing.still {
                        // So slow a slip has no direction of its own; it goes on if it grows along that in which it began.
                        let along = frame.tangents[0] * a.y + frame.tangents[1] * a.z;
                        -ROUNDED_FORCE * fastest * begins.length() - along.dot(begins)
                    } else {
                        -frame.slip().dot(begins)
                    };
                    slid = worse(slid, back);
                    margins.push(frame.slip().dot(begins) / begins.length());
                }
                Mode::Stick => {
                    let friction = (f.y * f.y + f.z * f.z).sqrt();
                    margins.push(bearing.static_friction * f.x - friction);
                    most = worse(most, friction - (bearing.static_friction * f.x.max(0.0) + slack));
                }
            }
        }
        slid = worse(slid, turning::turned_back(bearings, ROUNDED_FORCE * fastest));
        most = worse(most, turning::excess(bearings, slack));
        turning::add_margins(bearings, margins);
        if slid > 0.0 {
            slid
        } else if most > 0.0 && !bearings.is_unique && self.redistributes(k) {
            -most
        } else {
            slid.max(most)
        }
    }

    /// Whether other forces within their cones give the accelerations that the modes ask for. [SYSTEM, trap 5]
    fn redistributes(&mut self, k: usize) -> bool {
        let Some(held) = &self.tracks[k].held else { return true };
        let buffers = &mut self.buffers;
        let slides: Vec<bool> = held.bearings.iter().map(|b| matches!(b.mode, Mode::Slide { .. })).collect();
        let scale = buffers.bearings.frames.iter().fold(0.0_f64, |most, f| most.max(f.free.length()));
        let start = std::mem::take(&mut buffers.shared);
        let decision = buffers.bearings.decide_near(&buffers.loaded, &held.bearings, &slides, &start);
        buffers.shared = start;
        if decision.is_consistent {
            buffers.shared.clone_from(&buffers.bearings.forces);
        }
        let keeps = |i: usize, bearing: &Bearing| {
            let a = buffers.bearings.acceleration(i);
            let slips =
                bearing.mode != Mode::Stick || (a.y * a.y + a.z * a.z).sqrt() <= ROUNDED_FORCE * scale;
            a.x.abs() <= ROUNDED_FORCE * scale && slips
        };
        decision.is_consistent && held.bearings.iter().enumerate().all(|(i, b)| keeps(i, b))
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
        turning::turn_on(held, &buffers.bearings);
    }
}

/// The larger of two; what is no number is the worst.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// The first time after `good` at which something is so, known to be so at `bad`.
pub(super) fn halve(mut good: f64, mut bad: f64, mut is_so: impl FnMut(f64) -> bool) -> f64 {
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
