//! One run from its start to its present, recorded: what the live page shows and what is exported.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use dolmen::drive::exact::{Reason, Simulation, Stop};
use dolmen::math::DVec3;
use dolmen::record::{Event, EventKind};
use dolmen::world::{BodyId, World};

use crate::canvas::Canvas;
use crate::hand::Hand;
use crate::recording::{ContactKey, Frame, Hold, Jump, Recording};

/// A function that draws into every frame.
pub type Draw = Arc<dyn Fn(&Simulation, &mut Canvas) + Send + Sync>;

/// Instants of events that get a frame of their own between two regular ones; more could not be told
/// apart.
const MOST_INSTANTS: usize = 8;

/// Bodies of all such instants between two regular frames: in a pile a frame costs more than the event.
const MOST_KEYS: usize = 4000;

/// Events that are kept; those after them are not listed.
const MOST_EVENTS: usize = 200_000;

/// Contacts beyond which their forces are read only every so many frames, unless something happens: with thousands at rest
/// they would cost more than everything else.
const MANY_CONTACTS: usize = 400;
const LOOKS: f64 = 6.0;

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
    simulation: Simulation,
    hand: Hand,
    recording: Recording,
    events: Vec<Event>,
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
    /// At t = 0, recording into `recording`.
    ///
    /// # Errors
    /// When the world cannot be simulated; the text says why.
    pub fn new(mut world: World, recording: Recording, draw: Option<Draw>) -> Result<Self, String> {
        let hand = Hand::new(&mut world).map_err(|error| error.to_string())?;
        let simulation = Simulation::new(world).map_err(|stop| stop.to_string())?;
        let mut take = Self {
            simulation,
            hand,
            recording,
            events: Vec::new(),
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
        match take.simulation.advance(0.0) {
            Ok(()) => {}
            Err(stop) => take.stop = Some(stop.to_string()),
        }
        let happened = take.collect_events();
        take.record(happened);
        Ok(take)
    }

    /// What was simulated elsewhere, to be shown: `recording` in the place of what `world` would do by itself.
    ///
    /// # Errors
    /// As [`Take::new`].
    pub fn recorded(world: World, recording: Recording, events: Vec<Event>) -> Result<Self, String> {
        let nothing = Recording::new(recording.interval(), usize::MAX);
        Ok(Self { recording, events, ..Self::new(world, nothing, None)? })
    }

    /// The time up to which it was simulated, s.
    pub fn head(&self) -> f64 {
        self.simulation.time()
    }

    /// The hash of the state at the present, as a run records it.
    pub fn state_hash(&mut self) -> String {
        self.simulation.sample().hash()
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Everything recorded.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Events so far; at most 200 000 of them.
    pub fn events(&self) -> &[Event] {
        &self.events
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
        self.pull(|hand, simulation| hand.grab(simulation, id, at, to).map(|_| ()));
    }

    /// Moves the hand, if it drags a body.
    pub fn move_hand(&mut self, to: DVec3) {
        if self.hand.held().is_some() {
            self.pull(|hand, simulation| hand.move_to(simulation, to));
        }
    }

    /// Releases the body, if one is dragged.
    pub fn let_go(&mut self) {
        if self.hand.held().is_some() {
            self.pull(Hand::release);
        }
    }

    /// Lets the hand act. That cuts the span of the body, whose contacts are then found anew: those that go on as they were
    /// are no news, and [`Take::collect_events`] leaves them out.
    fn pull(&mut self, act: impl FnOnce(&mut Hand, &mut Simulation) -> Result<(), Stop>) {
        self.is_recorded = false;
        let now = self.simulation.time();
        let forces = self.simulation.contact_forces();
        let mut contacts: Vec<_> = forces.iter().map(|force| (sorted(force.bodies), force.sticks)).collect();
        let largest = forces.iter().map(|force| force.normal_force).fold(0.0, f64::max);
        let mut least = NO_NEWS * largest * self.recording.interval();
        // Several pulls at one instant are one.
        if let Some(before) = self.regripped.take().filter(|before| before.t == now) {
            contacts.extend(before.contacts);
            least = least.max(before.least);
        }
        self.regripped = Some(Regrip { t: now, contacts, least });
        if let Err(stop) = act(&mut self.hand, &mut self.simulation) {
            self.stop = Some(stop.to_string());
        }
    }

    /// The largest residual of the contact forces when they were last read.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Where the hand is: the body, its point in the world, and where it is pulled to.
    pub fn held(&self) -> Option<Hold> {
        let (id, at) = self.hand.held()?;
        let to = self.hand.pulls(id).last()?.grip?.1;
        Some((id.index() as u32, self.simulation.pose(id).point(at), to))
    }

    /// Total force and torque on a body at the present, with its rank; none for one that forces do not move.
    pub fn load(&mut self, rank: u32) -> Option<(u32, DVec3, DVec3)> {
        let id = BodyId::from_rank(rank as usize);
        let bodies = self.simulation.world().described_bodies();
        bodies.get(id.index()).filter(|body| body.is_dynamic())?;
        let load = self.simulation.load(id);
        Some((rank, load.force, load.torque))
    }

    /// Everything at the present.
    pub fn present(&mut self) -> Frame {
        // What was recorded at this very instant is not worked out again.
        let head = self.head();
        if let Some(last) = self.recording.frames().last().filter(|last| self.is_recorded && last.t == head) {
            return Frame { jumps: Vec::new(), is_event: false, ..last.clone() };
        }
        let sample = self.simulation.sample();
        let old = self.old_contacts();
        let forces = if old.is_some() { Vec::new() } else { self.simulation.contact_forces() };
        let mut frame = Frame::new(self.simulation.world(), &sample, &forces);
        if let Some(contacts) = old {
            frame.contacts = contacts;
        } else {
            self.residual = forces.iter().map(|force| force.residual).fold(0.0, f64::max);
            self.looked_at = head;
        }
        frame.hand = self.held();
        if let Some(draw) = &self.draw {
            let mut canvas = Canvas::default();
            draw(&self.simulation, &mut canvas);
            frame.marks = canvas.into_marks();
        }
        frame
    }

    /// Contacts of the last frame, if there are many and nothing has happened since they were read.
    fn old_contacts(&self) -> Option<Arc<Vec<ContactKey>>> {
        let last = self.recording.frames().last()?;
        let is_soon = self.head() - self.looked_at < LOOKS * self.recording.interval();
        let is_quiet =
            self.jumped.is_empty() && self.regripped.as_ref().is_none_or(|regrip| regrip.t < self.looked_at);
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
            let interval = self.recording.interval();
            // The next regular frame; never the present one, whatever rounding does.
            let mut grid = ((self.head() / interval).floor() + 1.0) * interval;
            if grid <= self.head() {
                grid = self.head() + interval;
            }
            let goal = t.min(grid);
            match self.to(goal, watch) {
                Ok(true) => {
                    let happened = self.collect_events();
                    self.instants += 1;
                    self.record(happened);
                    if to_event && happened {
                        return Went::ToEvent;
                    }
                }
                Ok(false) => {
                    let happened = self.collect_events();
                    if self.head() >= grid {
                        self.instants = 0;
                        self.record(false);
                    }
                    if to_event && happened {
                        return Went::ToEvent;
                    }
                    // Where nothing is to be done on the way, this is the only check.
                    if self.head() < t && !watch() {
                        return Went::Waits;
                    }
                }
                Err(stop) => {
                    let happened = self.collect_events();
                    if stop.reason == Reason::Interrupted {
                        return Went::Waits;
                    }
                    self.stop = Some(stop.to_string());
                    self.record(happened);
                }
            }
        }
        Went::Stopped
    }

    /// To `goal`, or to an event that deserves a frame of its own.
    fn to(&mut self, goal: f64, watch: &mut dyn FnMut() -> bool) -> Result<bool, Stop> {
        let bodies = self.simulation.world().described_bodies().len().max(1);
        if self.instants < (MOST_KEYS / bodies).clamp(1, MOST_INSTANTS) {
            self.simulation.advance_to_event(goal, &mut |_| watch())
        } else {
            self.simulation.advance_while(goal, &mut |_| watch()).map(|()| false)
        }
    }

    /// Adds a frame of the present to the recording, if there is none of it yet.
    pub fn record_end(&mut self) {
        if self.recording.end() < self.head() {
            self.record(false);
        }
    }

    /// Takes the events of the simulation; whether there were any.
    fn collect_events(&mut self) -> bool {
        let mut events = self.simulation.take_events();
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
            self.jumped.extend(event.bodies.map(|id| id.index() as u32));
        }
        let room = MOST_EVENTS.saturating_sub(self.events.len());
        self.events.extend(events.iter().take(room));
        !events.is_empty()
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

    /// Takes what laws were broken; at regular frames the present is held against them.
    fn check_laws(&mut self, is_event: bool) {
        if !is_event
            && self.stop.is_none()
            && let Err(stop) = self.simulation.check_laws()
        {
            self.stop = Some(stop.to_string());
        }
        let found = self.simulation.take_violations();
        let world = self.simulation.world();
        let room = MOST_VIOLATIONS.saturating_sub(self.violations.len());
        self.violations.extend(found.iter().take(room).map(|violation| violation.describe(world)));
    }

    /// Adds a frame of the present.
    fn record(&mut self, is_event: bool) {
        self.is_recorded = false;
        self.check_laws(is_event);
        let mut frame = self.present();
        let mut jumped = std::mem::take(&mut self.jumped);
        jumped.sort_unstable();
        jumped.dedup();
        let now = frame.t;
        // All events since the last frame are at its end, or they are not.
        let since = self.recording.end();
        let inside = self.events.iter().rev().take_while(|e| e.t > since).any(|e| e.t < now);
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
