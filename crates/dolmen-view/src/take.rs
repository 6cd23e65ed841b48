//! One run from its start to its present, recorded: what the live page shows and what is exported.

use std::fmt;
use std::sync::Arc;

use dolmen::drive::exact::{Reason, Simulation, Stop};
use dolmen::math::DVec3;
use dolmen::record::Event;
use dolmen::world::{BodyId, World};

use crate::canvas::Canvas;
use crate::hand::Hand;
use crate::recording::{Frame, Jump, Recording};

/// A function that draws into every frame.
pub type Draw = Arc<dyn Fn(&Simulation, &mut Canvas) + Send + Sync>;

/// Instants of events that get a frame of their own between two regular ones; where there are more, nobody could tell them
/// apart.
const MOST_INSTANTS: usize = 8;

/// Bodies of all such instants between two regular frames: in a crowd a frame costs more than the event.
const MOST_KEYS: usize = 4000;

/// Events that are kept; those after them are not listed.
const MOST_EVENTS: usize = 200_000;

/// How far a run went when it was asked to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Went {
    /// As far as asked.
    There,
    /// To an instant at which something happened.
    ToEvent,
    /// Until it was told to wait.
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
}

impl fmt::Debug for Take {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Take({} frames up to t = {} s)", self.recording.frames().len(), self.head())
    }
}

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

    /// The time up to which it was simulated, s.
    pub fn head(&self) -> f64 {
        self.simulation.time()
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

    /// The hand and the simulation that it acts on.
    pub fn hand(&mut self) -> (&mut Hand, &mut Simulation) {
        (&mut self.hand, &mut self.simulation)
    }

    /// Where the hand is: the body, its point in the world, and where it is pulled to.
    pub fn held(&self) -> Option<(u32, DVec3, DVec3)> {
        let (id, at) = self.hand.held()?;
        let to = self.hand.pulls(id).last()?.grip?.1;
        Some((id.index() as u32, self.simulation.pose(id).point(at), to))
    }

    /// Total force and torque on a body at the present, with its rank; none for one that forces do not move.
    pub fn load(&mut self, rank: u32) -> Option<(u32, DVec3, DVec3)> {
        let id = BodyId::from_rank(rank as usize);
        let bodies = self.simulation.world().bodies();
        bodies.get(id.index()).filter(|body| body.is_dynamic())?;
        let load = self.simulation.load(id);
        Some((rank, load.force, load.torque))
    }

    /// Takes note that it cannot go on.
    pub fn stop_for(&mut self, stop: &Stop) {
        self.stop = Some(stop.to_string());
    }

    /// Everything at the present.
    pub fn present(&mut self) -> Frame {
        let sample = self.simulation.sample();
        let forces = self.simulation.contact_forces();
        let mut frame = Frame::new(self.simulation.world(), &sample, &forces);
        if let Some(draw) = &self.draw {
            let mut canvas = Canvas::default();
            draw(&self.simulation, &mut canvas);
            frame.marks = canvas.into_marks();
        }
        frame
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
                    // Where nothing is to be done on the way, nobody else asks.
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
        let bodies = self.simulation.world().bodies().len().max(1);
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
        let events = self.simulation.take_events();
        for event in &events {
            self.jumped.extend(event.bodies.map(|id| id.index() as u32));
        }
        let room = MOST_EVENTS.saturating_sub(self.events.len());
        self.events.extend(events.iter().take(room));
        !events.is_empty()
    }

    /// Adds a frame of the present.
    fn record(&mut self, is_event: bool) {
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
    }
}
