//! The guards of an island with contacts: how long its modes stay valid.
//!
//! A mode ends when no admissible force keeps it: a normal force would pull, or friction would leave its cone. It also
//! ends when a slip stops, when a contact reaches the border of its face or the end of its edge, or when other features
//! of an active pair come into contact. All guards are sampled along each span, and also where a minimum between two
//! samples is likely (`minima`). Where a guard is violated, bisection finds the instant, down to the resolution of
//! time.

use crate::contact::rest::{ContactConstraint, Mode};
use crate::drive::exact::island::equations::rolling;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::track::Track;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::modes::guard_sampling::{GuardSample, NewContact};
use crate::drive::exact::modes::minima::suspects;
use crate::drive::exact::modes::tolerances::{
    CONTRADICTION, EARLIER_SAMPLES, FORCE_ROUNDING, JUMP_LEAD, POINT_JUMP, RIM_CLOSING, RIM_FLAT, SAMPLES,
    SEPARATION_ROUNDING,
};
use crate::drive::exact::queue::Task;
use crate::drive::exact::state::view::View;
use crate::math::bracket::HALVINGS;
use crate::math::bracket::bisect;
use crate::math::bracket::first_positive;
use crate::math::bracket::worse;

impl Modes<'_> {
    /// Samples the guards along the span of an island with contacts, and queues the end of its modes if it is there.
    pub(crate) fn schedule_guards(&mut self, k: usize) {
        let track = &self.state.tracks[k];
        let (Some(active), Some(from)) = (&track.active, track.span_start()) else { return };
        let has_rows = self.scratch.has_rows(&self.state.joints, &track.island);
        if active.constraints.is_empty() && !has_rows {
            return;
        }
        let until = track.clock();
        let before = self.view().distances_beyond_features(k, from);
        // Forces of another island, or of another time, would be a start that depends on the order of sampling.
        self.scratch.redistributed.clear();
        let mut good = from;
        let start = if has_rows { self.sample_rows(k, from) } else { Vec::new() };
        let mut last_rows = start.clone();
        let mut margins: [Vec<f64>; SAMPLES] = Default::default();
        margins[0] = self.margins_at_start(k, from);
        for sample in 1..SAMPLES {
            let part = sample as f64 / (SAMPLES - 1) as f64;
            let t = if sample == SAMPLES - 1 { until } else { from + (until - from) * part };
            let mut in_rows = None;
            if has_rows {
                let now = self.sample_rows(k, t);
                in_rows = self.first_row_failure(k, [&start, &last_rows, &now], (good, t));
                last_rows = now;
            }
            // After the end of a row's mode this span is not the motion.
            let end = in_rows.unwrap_or(t);
            let at = if self.state.tracks[k].has_contacts() {
                self.first_failure(k, (good, end), &before, &mut margins[sample]).or(in_rows)
            } else {
                in_rows
            };
            if let Some(at) = at {
                self.queue_guard(k, at);
                return;
            }
            good = t;
        }
        if !self.state.tracks[k].has_contacts() {
            return;
        }
        if let Some(at) = self.failure_between(k, &margins, (from, until)) {
            self.queue_guard(k, at);
            return;
        }
        self.update_slip_directions(k);
        let [.., last] = margins;
        if let Some(active) = &mut self.state.tracks[k].active {
            active.margins = (until, last);
        }
    }

    /// Queues the end of the modes of an island.
    fn queue_guard(&mut self, k: usize, at: f64) {
        let version = self.state.tracks[k].version;
        self.state.queue.add(at, Task::Guard { track: k as u32, version });
    }

    /// The margins of forces and slips at the start of a span: those at the end of the span before, if there was one.
    fn margins_at_start(&mut self, k: usize, from: f64) -> Vec<f64> {
        let Some(active) = &mut self.state.tracks[k].active else { return Vec::new() };
        let (sampled_at, mut margins) = std::mem::take(&mut active.margins);
        if (margins.is_empty() || sampled_at != from) && !active.constraints.is_empty() {
            self.modes_excess(k, from, &mut margins);
        }
        margins
    }

    /// Samples where modes are likely to fail between two samples that are valid; returns when they first fail, if they
    /// do.
    fn failure_between(
        &mut self,
        k: usize,
        margins: &[Vec<f64>; SAMPLES],
        (from, until): (f64, f64),
    ) -> Option<f64> {
        let on_span = |part: f64| from + (until - from) * part;
        for (sample, place) in suspects(margins).into_iter().enumerate() {
            let Some(place) = place else { continue };
            let t = on_span(place);
            let excess = self.modes_excess(k, t, &mut Vec::new());
            if excess > 0.0 {
                let good = on_span(sample as f64 / (SAMPLES - 1) as f64);
                return Some(self.instant_of_failure(k, (good, t), excess));
            }
        }
        None
    }

    /// The instant between two times at which modes fail that are valid at the first, and fail by `excess` at the
    /// second.
    fn instant_of_failure(&mut self, k: usize, (good, bad): (f64, f64), excess: f64) -> f64 {
        let mut unused = Vec::new();
        if self.state.tracks[k].island.joints.is_empty() {
            return bisect(good, bad, |t| self.modes_excess(k, t, &mut unused) > 0.0);
        }
        // With joints forces are expensive: use as few evaluations as a root takes.
        let ends = (self.modes_excess(k, good, &mut unused), excess);
        first_positive((good, bad), ends, |t| self.modes_excess(k, t, &mut unused))
    }

    /// The first instant after `good`, up to `t`, at which modes fail, a contact leaves its feature, or another feature
    /// comes into contact; none if nothing of this is found at `t`.
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
        let jumps = (0..self.state.tracks[k].active.as_ref().map_or(0, |active| active.constraints.len()))
            .filter_map(|i| self.view().point_jump(k, i, (good, t)));
        first = jumps.fold(first, f64::min);
        let sample = self.view().sample_pairs(k, t);
        first = self.view().first_of(k, &sample, (good, t), before, first);
        // After that instant this span is not the motion: what is sampled later need not happen, and what happens
        // earlier may have been missed.
        for _ in 0..EARLIER_SAMPLES {
            if !first.is_finite() {
                return None;
            }
            let sample = self.view().sample_pairs(k, first);
            let earlier = self.view().first_of(k, &sample, (good, first), before, first);
            if earlier >= first {
                break;
            }
            first = earlier;
        }
        Some(first)
    }

    /// By how much the modes of an island fail at a time on its span, N or m/s; not above zero while they are valid.
    /// Fills `margins` with the margins of normal forces, sticking friction, slips and rolling.
    fn modes_excess(&mut self, k: usize, t: f64, margins: &mut Vec<f64>) -> f64 {
        margins.clear();
        let track = &self.state.tracks[k];
        let Some(active) = &track.active else { return 0.0 };
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        let mut equations =
            track.equations(self.world, Workspace { joints: &mut self.state.joints, scratch: self.scratch });
        equations.solve_forces(t, &y, active);
        let constraints = &self.scratch.constraints;
        let largest = constraints.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
        let slack = FORCE_ROUNDING * largest;
        let fastest = constraints.frames.iter().fold(0.0_f64, |most, frame| most.max(frame.free.length()));
        let (mut slip_excess, mut most) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (i, constraint) in active.constraints.iter().enumerate() {
            let (f, frame) = (constraints.forces[i], &constraints.frames[i]);
            margins.push(f.x);
            most = worse(most, -slack - f.x);
            match constraint.mode {
                Mode::Slide { .. } if constraint.kinetic_friction == 0.0 => {}
                Mode::Slide { begins } => {
                    let (slip, a) = (frame.velocity, constraints.acceleration(i));
                    let back = if (slip.y * slip.y + slip.z * slip.z).sqrt() <= constraint.still {
                        // So slow a slip has no reliable direction; it continues if it accelerates along its initial
                        // one.
                        let along = frame.tangents[0] * a.y + frame.tangents[1] * a.z;
                        -FORCE_ROUNDING * fastest * begins.length() - along.dot(begins)
                    } else {
                        -frame.slip().dot(begins)
                    };
                    slip_excess = worse(slip_excess, back);
                    margins.push(frame.slip().dot(begins) / begins.length());
                }
                Mode::Stick => {
                    let friction = (f.y * f.y + f.z * f.z).sqrt();
                    margins.push(constraint.static_friction * f.x - friction);
                    most = worse(most, friction - (constraint.static_friction * f.x.max(0.0) + slack));
                }
            }
        }
        slip_excess = worse(slip_excess, rolling::reversal(constraints, FORCE_ROUNDING * fastest));
        most = worse(most, rolling::excess(constraints, slack));
        // Redundant contacts may ask for accelerations that contradict each other, as soon as a support or a motor begins to move one of
        // them: then no forces keep the modes.
        let loads = self.scratch.loaded.iter().map(|body| body.kinematics.acceleration.length());
        let contradiction = constraints.residual * fastest - CONTRADICTION * loads.fold(fastest, f64::max);
        if contradiction > 0.0 {
            return contradiction;
        }
        rolling::add_margins(constraints, margins);
        if slip_excess > 0.0 {
            slip_excess
        } else if most > 0.0 && !constraints.is_unique && self.redistributes(k) {
            -most
        } else {
            slip_excess.max(most)
        }
    }

    /// Whether other forces within their cones give the accelerations that the modes require. [SYSTEM, trap 5]
    fn redistributes(&mut self, k: usize) -> bool {
        let Some(active) = &self.state.tracks[k].active else { return true };
        let buffers = &mut *self.scratch;
        let slides: Vec<bool> =
            active.constraints.iter().map(|b| matches!(b.mode, Mode::Slide { .. })).collect();
        let scale = buffers.constraints.frames.iter().fold(0.0_f64, |most, f| most.max(f.free.length()));
        let start = std::mem::take(&mut buffers.redistributed);
        let decision = buffers.constraints.decide_near(&buffers.loaded, &active.constraints, &slides, &start);
        buffers.redistributed = start;
        if decision.is_consistent {
            buffers.redistributed.clone_from(&buffers.constraints.forces);
        }
        let keeps = |i: usize, constraint: &ContactConstraint| {
            let a = buffers.constraints.acceleration(i);
            let slips =
                constraint.mode != Mode::Stick || (a.y * a.y + a.z * a.z).sqrt() <= FORCE_ROUNDING * scale;
            a.x.abs() <= FORCE_ROUNDING * scale && slips
        };
        decision.is_consistent && active.constraints.iter().enumerate().all(|(i, b)| keeps(i, b))
    }

    /// Updates the slip directions to the current ones: the next span starts from them.
    fn update_slip_directions(&mut self, k: usize) {
        let track = &mut self.state.tracks[k];
        let t = track.clock();
        let mut y = vec![0.0; track.vector_len()];
        track.read_into(t, &mut y);
        let mut equations =
            track.equations(self.world, Workspace { joints: &mut self.state.joints, scratch: self.scratch });
        equations.load_bodies(t, &y[..track.island.dim()]);
        let Track { active: Some(active), .. } = track else { return };
        let buffers = &mut *self.scratch;
        buffers.constraints.assemble(&buffers.loaded, &active.constraints);
        for (constraint, frame) in active.constraints.iter_mut().zip(&buffers.constraints.frames) {
            // Friction of a slower slip is not yet along it: with another initial direction it would jump.
            let slow = constraint.slow_slip();
            if let Mode::Slide { begins } = &mut constraint.mode
                && frame.slip().length() > slow
                && frame.slip().dot(*begins) > 0.0
            {
                *begins = frame.slip();
            }
        }
        rolling::update_rolling_directions(&mut active.constraints, &buffers.constraints);
    }
}

impl View<'_> {
    /// The first instant of anything found at `t`, or `first` if that is earlier.
    fn first_of(
        &self,
        k: usize,
        sample: &GuardSample,
        (good, t): (f64, f64),
        before: &[f64],
        mut first: f64,
    ) -> f64 {
        if sample.is_through {
            let through = bisect(good, t, |t| self.sample_pairs(k, t).is_through);
            first = first.min((through - JUMP_LEAD * self.state.shortest_characteristic_time(k)).max(good));
        }
        if self.has_left_feature(k, t, before) {
            first = first.min(bisect(good, t, |t| self.has_left_feature(k, t, before)));
        }
        let overlaps = sample.new.iter().filter_map(|contact| self.first_overlap(contact, good, t));
        let deep = sample.deep.iter().map(|pair| self.first_depth(*pair, good, t));
        overlaps.chain(deep).fold(first, f64::min)
    }

    /// The last instant before the point of a contact jumps to another place, if it does between two times: a rim that
    /// tips flat touches everywhere at once, and after that elsewhere.
    fn point_jump(&self, k: usize, i: usize, (good, bad): (f64, f64)) -> Option<f64> {
        let active = self.state.tracks[k].active.as_ref()?;
        let pair = active.pairs[i];
        let radii =
            pair.map(|body| self.state.detection.collider(body).map_or(0.0, |collider| collider.radius));
        let jump = POINT_JUMP * radii[0].min(radii[1]);
        let point = |t: f64| {
            let [a, b] = pair.map(|body| self.state.pose_at(self.world, body, t));
            active.constraints[i].function.points(&a, &b)[0]
        };
        let (mut low, mut high) = ((good, point(good)), (bad, point(bad)));
        if low.1.distance(high.1) <= jump {
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
            if low.1.distance(high.1) <= jump {
                return None;
            }
        }
        // There it touches everywhere within the contact tolerance, and the forces are still those before the jump.
        let characteristic_time =
            pair.iter().map(|body| self.state.characteristic_time_of(*body)).fold(f64::INFINITY, f64::min);
        Some((low.0 - JUMP_LEAD * characteristic_time).max(good))
    }

    /// When a contact that overlaps at `bad`, or is about to, began to overlap; none if it does not.
    fn first_overlap(&self, contact: &NewContact, good: f64, bad: f64) -> Option<f64> {
        let value = |t: f64| {
            let [a, b] = contact.pair.map(|body| self.state.pose_at(self.world, body, t));
            contact.function.value(&a, &b)
        };
        let (first, last) = (value(good), value(bad));
        if last < -0.5 * contact.tolerance && first < -0.5 * contact.tolerance {
            // Its unbounded features overlapped before they became the touching ones of the bodies: a rim that moves
            // from an edge to a face.
            let allowed = RIM_FLAT * contact.tolerance;
            return Some(bisect(good, bad, |t| self.smallest_separation(contact.pair, t) < -allowed));
        }
        if last < -0.5 * contact.tolerance {
            // A contact that separates at the start of the span may overlap there by rounding: it triggers when it
            // returns.
            let allowed = first.min(0.0) - SEPARATION_ROUNDING * contact.tolerance;
            return Some(bisect(good, bad, |t| value(t) <= allowed));
        }
        let closes = contact.is_round && last <= RIM_FLAT * contact.tolerance;
        // The equations of a flat rim are singular: its event is just before.
        (closes && first - last > RIM_CLOSING * contact.tolerance)
            .then(|| bisect(good, bad, |t| value(t) <= RIM_FLAT * contact.tolerance))
    }
}
