//! One run from its start to its present, recorded: what the live page shows and what is exported.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use dolmen::drive::{Advance, Driver as _};
use dolmen::math::DVec3;
use dolmen::record::{BackStep, Event, EventKind, EventSink, Ledger, Violation};
use dolmen::world::{BodyId, World};

use crate::canvas::Canvas;
use crate::hand::Hand;
use crate::recording::{ContactKey, Frame, Hold, Jump, Recording};
use crate::session::{DriverChoice, Halt, Session};
use crate::wire::{Effort, Quality};

/// A function that draws into every frame.
pub type Draw = Arc<dyn Fn(&Session, &mut Canvas) + Send + Sync>;

/// Instants of events that get a frame of their own between two regular ones; more could not be told
/// apart.
const MOST_INSTANTS: usize = 8;

/// Bodies of all such instants between two regular frames: in a pile a frame costs more than the event.
const MOST_KEYS: usize = 4000;

/// Events that are kept; those after them are not listed.
const MOST_EVENTS: usize = 200_000;

/// Contacts beyond which their forces are read only every so many frames, unless something happens: with thousands at rest
/// they would cost more than everything else. With steps of one length something happens in every step of a pile, and a page that
/// looks at contacts is what counts.
const MANY_CONTACTS: usize = 400;
const LOOKS: f64 = 6.0;

/// Times closer to the end of a step than this, as a share of it, are that end.
const CRUMB: f64 = 1e-9;

/// Something that happened, as pages list it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Happening {
    /// When, s.
    pub t: f64,
    /// What: the name of a kind of event, or `back-step`.
    pub kind: &'static str,
    /// Between which bodies.
    pub bodies: [BodyId; 2],
    /// Where, m.
    pub point: DVec3,
    /// Normal impulse, N·s.
    pub impulse: f64,
    /// Energy lost, J.
    pub lost: f64,
    /// What the equations left open, as events name it; else empty.
    pub note: &'static str,
    /// Parts of a step that were tried to find the instant; zero but for a back-step.
    pub trials: u32,
}

impl From<&Event> for Happening {
    fn from(event: &Event) -> Self {
        let Event { t, kind, bodies, point, impulse, lost, note, .. } = *event;
        Self { t, kind: kind.name(), bodies, point, impulse, lost, note: note.name(), trials: 0 }
    }
}

impl From<&BackStep> for Happening {
    fn from(back: &BackStep) -> Self {
        let BackStep { t, bodies, point, trials, .. } = *back;
        Self { t, kind: "back-step", bodies, point, impulse: 0.0, lost: 0.0, note: "", trials }
    }
}

/// What a driver told on its way.
#[derive(Debug, Default)]
struct Gathered {
    events: Vec<Event>,
    back_steps: Vec<BackStep>,
    violations: Vec<Violation>,
}

impl EventSink for Gathered {
    fn event(&mut self, event: &Event) {
        self.events.push(*event);
    }

    fn back_step(&mut self, back_step: &BackStep) {
        self.back_steps.push(*back_step);
    }

    fn violation(&mut self, violation: &Violation) {
        self.violations.push(violation.clone());
    }
}

/// How far a run went when it was asked to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Went {
    /// As far as asked.
    There,
    /// To an instant at which something happened.
    ToEvent,
    /// Until a command to wait.
    Waits,
    /// It cannot go on.
    Stopped,
}

/// A simulation with its recording.
pub struct Take {
    /// None if what it shows was simulated elsewhere.
    choice: Option<DriverChoice>,
    session: Session,
    hand: Hand,
    recording: Recording,
    happened: Vec<Happening>,
    /// Collisions so far, of the events of those kept and not.
    collisions: u64,
    /// Energies at the start, and the most that they did not add up to since, J.
    start: Ledger,
    worst_drift: f64,
    /// Whether somebody looks at contacts.
    sees_contacts: bool,
    /// Instants with a frame of their own since the last regular frame.
    instants: usize,
    /// Jumps since the last frame that were not given one of their own.
    jumped: Vec<u32>,
    draw: Option<Draw>,
    stop: Option<String>,
    /// What contacts were when the hand last acted.
    regripped: Option<Regrip>,
    /// Whether the last event of a pair that was sent is that it rests or that it slides.
    modes: BTreeMap<[BodyId; 2], EventKind>,
    /// The largest residual of the contact forces when they were last read, in units of the solver.
    residual: f64,
    /// Whether the last frame of the recording is the present one.
    is_recorded: bool,
    /// When contact forces were last read, s.
    looked_at: f64,
    /// Laws that were broken.
    violations: Vec<String>,
}

/// Contacts that carried force when the hand acted.
#[derive(Debug)]
struct Regrip {
    /// When, s.
    t: f64,
    /// The bodies of each, and whether it stuck.
    contacts: Vec<([BodyId; 2], bool)>,
    /// The least impulse that is worth telling, N·s.
    least: f64,
}

/// Of what the strongest contact gives in the time of a frame, the share below which an impulse at the instant of a pull only says
/// that the contact was found anew: some 1e-9 by rounding, while what a hand does to a body is within a few decades of one.
const NO_NEWS: f64 = 1e-6;

impl fmt::Debug for Take {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Take({} frames up to t = {} s)", self.recording.frames().len(), self.head())
    }
}

/// Broken laws that are kept.
const MOST_VIOLATIONS: usize = 100;

impl Take {
    /// At t = 0, by the driver that is chosen, recording into `recording`.
    ///
    /// # Errors
    /// When the world cannot be simulated; the text says why.
    pub fn new(
        mut world: World,
        choice: &DriverChoice,
        recording: Recording,
        draw: Option<Draw>,
    ) -> Result<Self, String> {
        let hand = Hand::new(&mut world, choice).map_err(|error| error.to_string())?;
        let session = Session::new(world, choice).map_err(|halt| halt.to_string())?;
        let start = session.ledger();
        let mut take = Self {
            choice: Some(*choice),
            session,
            hand,
            recording,
            happened: Vec::new(),
            collisions: 0,
            start,
            worst_drift: 0.0,
            sees_contacts: false,
            instants: 0,
            jumped: Vec::new(),
            draw,
            stop: None,
            regripped: None,
            modes: BTreeMap::new(),
            residual: 0.0,
            is_recorded: false,
            looked_at: f64::NEG_INFINITY,
            violations: Vec::new(),
        };
        // What touches at the start is settled before the first picture.
        let mut found = Gathered::default();
        if let Err(halt) = take.session.advance_into(0.0, &mut found, &mut |_| true) {
            take.stop = Some(halt.to_string());
        }
        let happened = take.take_in(found);
        take.record(happened);
        Ok(take)
    }

    /// What was simulated elsewhere, to be shown: `recording` in the place of what `world` would do by itself.
    ///
    /// # Errors
    /// As [`Take::new`].
    pub fn recorded(world: World, recording: Recording, events: &[Event]) -> Result<Self, String> {
        let nothing = Recording::new(recording.interval(), usize::MAX);
        let happened = events.iter().map(Happening::from).collect();
        Ok(Self {
            choice: None,
            recording,
            happened,
            ..Self::new(world, &DriverChoice::Exact, nothing, None)?
        })
    }

    /// The time up to which it was simulated, s.
    pub fn head(&self) -> f64 {
        self.session.time()
    }

    /// The hash of the state at the present, as a run records it.
    pub fn state_hash(&mut self) -> String {
        self.session.sample().hash()
    }

    /// The world on its way through time.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Which driver took it through time; none if it was simulated elsewhere.
    pub fn driver(&self) -> Option<&DriverChoice> {
        self.choice.as_ref()
    }

    /// The description that is simulated.
    pub fn world(&self) -> &World {
        self.session.world()
    }

    /// Says whether somebody looks at contacts: then they are read in every frame, however many they are.
    pub(crate) fn see_contacts(&mut self, sees: bool) {
        self.sees_contacts = sees;
    }

    /// Everything recorded.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// What happened so far; at most 200 000 of it.
    pub fn happened(&self) -> &[Happening] {
        &self.happened
    }

    /// Why it cannot go on, if it cannot.
    pub fn stop(&self) -> Option<&str> {
        self.stop.as_deref()
    }

    /// The laws that were broken so far, in words; the worst of each comes last.
    pub fn violations(&self) -> &[String] {
        &self.violations
    }

    /// Attaches the hand to a point of a body, in its frame from its centre of mass, and pulls it towards a point of the world.
    pub fn grab(&mut self, id: BodyId, at: DVec3, to: DVec3) {
        self.pull(|hand, session| hand.grab(session, id, at, to).map(|_| ()));
    }

    /// Moves the hand, if it drags a body.
    pub fn move_hand(&mut self, to: DVec3) {
        if self.hand.held().is_some() {
            self.pull(|hand, session| hand.move_to(session, to));
        }
    }

    /// Releases the body, if one is dragged.
    pub fn let_go(&mut self) {
        if self.hand.held().is_some() {
            self.pull(Hand::release);
        }
    }

    /// Lets the hand act. That cuts the span of the body, whose contacts are then found anew: those that go on as they were
    /// are no news, and [`Take::take_in`] leaves them out. Steps of one length go on as they are.
    fn pull(&mut self, act: impl FnOnce(&mut Hand, &mut Session) -> Result<(), Halt>) {
        self.is_recorded = false;
        if self.session.step().is_none() {
            self.regrip();
        }
        if let Err(halt) = act(&mut self.hand, &mut self.session) {
            self.stop = Some(halt.to_string());
        }
    }

    /// Notes what contacts are before the hand acts.
    fn regrip(&mut self) {
        let now = self.session.time();
        let forces = self.session.contact_forces();
        let mut contacts: Vec<_> = forces.iter().map(|force| (sorted(force.bodies), force.sticks)).collect();
        let largest = forces.iter().map(|force| force.normal_force).fold(0.0, f64::max);
        let mut least = NO_NEWS * largest * self.recording.interval();
        // Several pulls at one instant are one.
        if let Some(before) = self.regripped.take().filter(|before| before.t == now) {
            contacts.extend(before.contacts);
            least = least.max(before.least);
        }
        self.regripped = Some(Regrip { t: now, contacts, least });
    }

    /// What the solvers had to do so far.
    pub(crate) fn effort(&self) -> Effort {
        Effort { residual: self.residual, ..self.session.effort() }
    }

    /// How good it was so far.
    pub(crate) fn quality(&self) -> Quality {
        Quality { drift: [self.drift(&self.session.ledger()), self.worst_drift], ..self.session.quality() }
    }

    /// What energy, work and losses do not add up to, J.
    fn drift(&self, now: &Ledger) -> f64 {
        (now.total() - self.start.total()) - now.work + now.lost()
    }

    /// Collisions and steps so far, islands and how many of them fly in closed form.
    pub(crate) fn counts(&self) -> (u64, u64, [u64; 2]) {
        let (collisions, steps, islands) = self.session.counts();
        (collisions.unwrap_or(self.collisions), steps, islands)
    }

    /// Where the hand is: the body, its point in the world, and where it is pulled to.
    pub fn held(&self) -> Option<Hold> {
        let (id, at) = self.hand.held()?;
        let to = self.hand.pulls(id).last()?.grip?.1;
        Some((id.index() as u32, self.session.pose(id).point(at), to))
    }

    /// Total force and torque on a body at the present, with its rank; none for one that forces do not move, or from a driver that does
    /// not tell.
    pub fn load(&mut self, rank: u32) -> Option<(u32, DVec3, DVec3)> {
        let id = BodyId::from_rank(rank as usize);
        let bodies = self.world().described_bodies();
        bodies.get(id.index()).filter(|body| body.is_dynamic())?;
        let load = self.session.exact()?.load(id);
        Some((rank, load.force, load.torque))
    }

    /// Everything at the present.
    pub fn present(&mut self) -> Frame {
        // What was recorded at this very instant is not worked out again.
        let head = self.head();
        if let Some(last) = self.recording.frames().last().filter(|last| self.is_recorded && last.t == head) {
            return Frame { jumps: Vec::new(), is_event: false, ..last.clone() };
        }
        let sample = self.session.sample();
        let old = self.old_contacts();
        let forces = if old.is_some() { Vec::new() } else { self.session.contact_forces() };
        let mut frame = Frame::new(self.session.world(), &sample, &forces);
        if let Some(contacts) = old {
            frame.contacts = contacts;
        } else {
            self.residual = forces.iter().map(|force| force.residual).fold(0.0, f64::max);
            self.looked_at = head;
        }
        frame.hand = self.held();
        if let Some(draw) = &self.draw {
            let mut canvas = Canvas::default();
            draw(&self.session, &mut canvas);
            frame.marks = canvas.into_marks();
        }
        frame
    }

    /// Contacts of the last frame, if there are many and nothing has happened since they were read.
    fn old_contacts(&self) -> Option<Arc<Vec<ContactKey>>> {
        let last = self.recording.frames().last()?;
        let is_soon = self.head() - self.looked_at < LOOKS * self.recording.interval();
        let is_quiet = self.session.step().map_or(self.jumped.is_empty(), |_| !self.sees_contacts)
            && self.regripped.as_ref().is_none_or(|regrip| regrip.t < self.looked_at);
        (last.contacts.len() > MANY_CONTACTS && is_soon && is_quiet).then(|| Arc::clone(&last.contacts))
    }

    /// Goes on to `t` as long as `watch` says so.
    pub fn go(&mut self, t: f64, watch: &mut dyn FnMut() -> bool) -> Went {
        self.advance(t, false, watch)
    }

    /// Goes on to `t`, or to the first instant on the way at which something happens, as long as `watch` says so.
    pub fn go_to_event(&mut self, t: f64, watch: &mut dyn FnMut() -> bool) -> Went {
        self.advance(t, true, watch)
    }

    fn advance(&mut self, t: f64, to_event: bool, watch: &mut dyn FnMut() -> bool) -> Went {
        while self.stop.is_none() {
            if self.head() >= t {
                return Went::There;
            }
            let (goal, grid) = self.goals(t);
            let mut found = Gathered::default();
            let gone = self.to(goal, to_event, &mut found, watch);
            let happened = self.take_in(found);
            let is_instant = gone == Ok(Advance::Event) && self.session.step().is_none();
            match gone {
                Ok(_) if is_instant => {
                    self.instants += 1;
                    self.record(happened);
                    if to_event && happened {
                        return Went::ToEvent;
                    }
                }
                Ok(gone) => {
                    if self.head() >= grid {
                        self.instants = 0;
                        self.record(false);
                    }
                    if to_event && happened {
                        self.record_end();
                        return Went::ToEvent;
                    }
                    // Where nothing is to be done on the way, this is the only check.
                    if gone == Advance::Interrupted || (self.head() < t && !watch()) {
                        return Went::Waits;
                    }
                }
                Err(halt) => {
                    self.stop = Some(halt.to_string());
                    self.record(happened);
                }
            }
        }
        Went::Stopped
    }

    /// How far to go at once on the way to `t`, and when the next regular frame is. Steps of one length are not cut short: they go to
    /// the first end of a step that is not before `t`.
    fn goals(&self, t: f64) -> (f64, f64) {
        let (head, interval) = (self.head(), self.recording.interval());
        if let Some(step) = self.session.step() {
            // Times of ends of steps are multiples of it, so that none of them is missed by rounding.
            let done = (head / step).round();
            let each = (interval / step).round().max(1.0);
            let regular = ((done / each).floor() + 1.0) * each;
            let wanted = (t / step - CRUMB).ceil().max(done + 1.0);
            return (wanted.min(regular) * step, regular * step);
        }
        // The next regular frame; never the present one, whatever rounding does.
        let mut grid = ((head / interval).floor() + 1.0) * interval;
        if grid <= head {
            grid = head + interval;
        }
        (t.min(grid), grid)
    }

    /// To `goal`, or to an event that deserves a frame of its own, or that is looked for.
    fn to(
        &mut self,
        goal: f64,
        to_event: bool,
        found: &mut Gathered,
        watch: &mut dyn FnMut() -> bool,
    ) -> Result<Advance, Halt> {
        let is_stepped = self.session.step().is_some();
        let bodies = self.world().described_bodies().len().max(1);
        let has_room = !is_stepped && self.instants < (MOST_KEYS / bodies).clamp(1, MOST_INSTANTS);
        if has_room || (is_stepped && to_event) {
            self.session.advance_to_event(goal, found, &mut |_| watch())
        } else {
            self.session.advance_into(goal, found, &mut |_| watch())
        }
    }

    /// Everything at a time up to the head; none before anything was recorded.
    pub(crate) fn at(&mut self, t: f64) -> Option<Frame> {
        if t >= self.head() {
            return Some(self.present());
        }
        if t <= self.recording.end() {
            return self.recording.at(t);
        }
        // Between the last regular frame and the end of the step that was made since.
        let (last, now) = (self.recording.frames().last()?.clone(), self.present());
        let mut two = Recording::new(self.recording.interval(), usize::MAX);
        two.add(last);
        two.add(Frame { jumps: self.recent_jumps(), ..now });
        two.at(t)
    }

    /// Bodies whose velocity jumped since the last frame.
    fn recent_jumps(&self) -> Vec<(u32, Jump)> {
        let mut jumped = self.jumped.clone();
        jumped.sort_unstable();
        jumped.dedup();
        jumped.into_iter().map(|rank| (rank, Jump::OnTheWay)).collect()
    }

    /// Adds a frame of the present to the recording, if there is none of it yet.
    pub fn record_end(&mut self) {
        if self.recording.end() < self.head() {
            self.record(false);
        }
    }

    /// Takes in what the driver told; whether anything happened.
    fn take_in(&mut self, found: Gathered) -> bool {
        let Gathered { mut events, back_steps, violations } = found;
        self.note_violations(&violations);
        events.retain(|event| !self.is_old(event));
        for event in &events {
            let pair = sorted(event.bodies);
            match event.kind {
                EventKind::Rest | EventKind::Slide => {
                    self.modes.insert(pair, event.kind);
                }
                // They say nothing of sticking and sliding.
                EventKind::Roll | EventKind::Rolled | EventKind::Spin | EventKind::Spun => {}
                _ => {
                    self.modes.remove(&pair);
                }
            }
            self.collisions += u64::from(event.kind == EventKind::Collision);
            self.jumped.extend(event.bodies.map(|id| id.index() as u32));
        }
        let room = MOST_EVENTS.saturating_sub(self.happened.len());
        // A step goes back to an instant before anything happens there.
        let mut all: Vec<Happening> =
            back_steps.iter().map(Happening::from).chain(events.iter().map(Happening::from)).collect();
        if !back_steps.is_empty() {
            all.sort_by(|a, b| a.t.total_cmp(&b.t));
        }
        self.happened.extend(all.iter().take(room));
        !all.is_empty()
    }

    fn note_violations(&mut self, found: &[Violation]) {
        let world = self.session.world();
        let room = MOST_VIOLATIONS.saturating_sub(self.violations.len());
        self.violations.extend(found.iter().take(room).map(|violation| violation.describe(world)));
    }

    /// Whether an event says only that a contact is still what it was before the hand acted.
    fn is_old(&self, event: &Event) -> bool {
        let Some(regrip) = self.regripped.as_ref().filter(|regrip| regrip.t == event.t) else { return false };
        let pair = sorted(event.bodies);
        let was = |sticks: bool| regrip.contacts.contains(&(pair, sticks));
        match event.kind {
            EventKind::Rest => was(true) || self.modes.get(&pair) == Some(&EventKind::Rest),
            EventKind::Slide => was(false) || self.modes.get(&pair) == Some(&EventKind::Slide),
            EventKind::Collision => (was(true) || was(false)) && event.impulse.abs() <= regrip.least,
            _ => false,
        }
    }

    /// At regular frames the present is held against the laws.
    fn check_laws(&mut self, is_event: bool) {
        if is_event || self.stop.is_some() {
            return;
        }
        let mut found = Gathered::default();
        match self.session.check_laws(&mut found) {
            Ok(exceeded) => {
                let room = MOST_VIOLATIONS.saturating_sub(self.violations.len());
                self.violations.extend(exceeded.into_iter().take(room));
            }
            Err(halt) => self.stop = Some(halt.to_string()),
        }
        self.note_violations(&found.violations);
    }

    /// Adds a frame of the present.
    fn record(&mut self, is_event: bool) {
        self.is_recorded = false;
        self.check_laws(is_event);
        let mut frame = self.present();
        self.worst_drift = self.worst_drift.max(self.drift(&frame.ledger).abs());
        let mut jumped = std::mem::take(&mut self.jumped);
        jumped.sort_unstable();
        jumped.dedup();
        let now = frame.t;
        // All events since the last frame are at its end, or they are not.
        let since = self.recording.end();
        let inside = self.happened.iter().rev().take_while(|e| e.t > since).any(|e| e.t < now);
        let jump = if is_event && !inside { Jump::AtEnd } else { Jump::OnTheWay };
        frame.jumps = jumped.into_iter().map(|rank| (rank, jump)).collect();
        frame.is_event = is_event;
        self.recording.add(frame);
        self.is_recorded = true;
    }
}

/// The same pair, whichever of the two comes first.
fn sorted([a, b]: [BodyId; 2]) -> [BodyId; 2] {
    [a.min(b), a.max(b)]
}
