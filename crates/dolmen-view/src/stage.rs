//! The thread that simulates: it takes commands, moves a cursor through time, and publishes the latest frame.
//!
//! The cursor is the time that is shown. Behind the head (the time up to which it was simulated) it reads the recording; at the
//! head it drives the simulation on. A frame replaces the one before: a slow page misses some and never waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use dolmen::math::DVec3;
use dolmen::world::{BodyId, World};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use crate::coalesce::coalesce;
use crate::curves::curves;
use crate::describe::{describe, extents, rounded};
use crate::edit;
use crate::export::html::html;
use crate::message::{Changes, Command, DriverName};
use crate::recording::{Frame, Recording};
use crate::scenes::{Given, Scenes};
use crate::session::DriverChoice;
use crate::take::{Draw, Happening, Take, Went};
use crate::wire::{Status, View};
use crate::witnesses::Witnesses;

/// Time between frames that are shown.
const TICK: Duration = Duration::from_millis(16);

/// Of a tick, what the simulation may take before commands are read again.
const BUDGET: Duration = Duration::from_millis(12);

/// Memory for a recording, bytes.
const MEMORY: usize = 384 << 20;

/// Events in one answer.
const EVENTS_AT_ONCE: usize = 500;

/// Frames a second of simulated time, at the default speed.
const FRAMES: f64 = 60.0;

/// A command, and where to answer.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) command: Command,
    pub(crate) reply: mpsc::Sender<Answer>,
    /// A later command starts anew: of this one only what lasts beyond a start.
    pub(crate) is_moot: bool,
}

/// What goes to one page only.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Text(String),
    Bytes(Vec<u8>),
}

/// What every page shows.
#[derive(Debug, Clone)]
pub(crate) struct Outlets {
    /// The description of the world, as JSON.
    pub(crate) world: watch::Sender<Arc<String>>,
    /// Why it cannot go on, as JSON.
    pub(crate) notice: watch::Sender<Arc<String>>,
    /// What there is to see now.
    pub(crate) view: watch::Sender<Arc<View>>,
}

/// What is on the stage now.
#[expect(clippy::struct_excessive_bools, reason = "each may be so or not whatever the others are")]
pub(crate) struct Stage {
    scenes: Scenes,
    draw: Option<Draw>,
    outlets: Outlets,
    /// Which scene.
    chosen: usize,
    changes: Changes,
    /// A driver, with the length of its steps, in the place of the scene's.
    driver: Option<(DriverName, Option<f64>)>,
    take: Option<Take>,
    beside: Option<Beside>,
    generation: u32,
    /// The time that is shown, s.
    cursor: f64,
    is_running: bool,
    /// Searching for the next event.
    is_seeking: bool,
    /// By the default speed; infinite is as fast as possible.
    speed: f64,
    /// Simulated by real seconds at speed 1.
    base: f64,
    /// Where the scene ends, s; it pauses there once.
    end: Option<f64>,
    meter: Meter,
    /// Whether there is something new to see.
    is_fresh: bool,
    /// The generation whose stop was sent.
    told: u32,
    /// The generation and number of broken laws that were sent.
    told_violations: (u32, usize),
    /// Whether the motion is still that of the scene: nothing was changed, and no hand has acted.
    is_untouched: bool,
    /// The body whose forces are sent.
    selected: Option<u32>,
    /// Whether a page shows contacts.
    sees_contacts: bool,
    /// The planes between bodies, while a page shows them.
    witnesses: Option<Witnesses>,
    /// Where everything is in a scene that cannot start.
    still: Option<Frame>,
    /// The middle of the world, m.
    centre: DVec3,
    /// Frames that were shown so far.
    shown: u64,
}

/// A run beside the one that is shown, taken to the same times.
struct Beside {
    take: Take,
    /// What pages show of it besides its frames.
    description: Value,
    generation: u32,
    centre: DVec3,
}

impl Beside {
    fn new(take: Take, given: &Given, generation: u32) -> Self {
        let mut description = describe(take.world());
        description["generation"] = json!(generation);
        description["name"] = json!(given.name());
        description["title"] = json!(given.title());
        description["driver"] = json!(take.driver().map(DriverChoice::describe));
        let centre = extents(take.world()).centre;
        Self { take, description, generation, centre }
    }

    fn view(&mut self, t: f64) -> Option<Arc<View>> {
        let frame = Some(self.take.at(t)?);
        let status = Status { generation: self.generation, ..status_of(&self.take) };
        Some(Arc::new(View { frame, status, centre: self.centre, ..View::default() }))
    }
}

/// How fast it goes.
#[derive(Debug, Clone, Copy)]
struct Meter {
    since: Instant,
    from: f64,
    worked: Duration,
    rate: f64,
    load: f64,
}

impl Meter {
    fn new(cursor: f64) -> Self {
        Self { since: Instant::now(), from: cursor, worked: Duration::ZERO, rate: 0.0, load: 0.0 }
    }

    fn tick(&mut self, cursor: f64, is_running: bool) {
        let passed = self.since.elapsed();
        if !is_running {
            *self = Self::new(cursor);
        } else if passed > Duration::from_millis(500) {
            let seconds = passed.as_secs_f64();
            (self.rate, self.load) = ((cursor - self.from) / seconds, self.worked.as_secs_f64() / seconds);
            (self.since, self.from, self.worked) = (Instant::now(), cursor, Duration::ZERO);
        }
    }
}

impl Stage {
    pub(crate) fn new(scenes: Scenes, draw: Option<Draw>, outlets: Outlets) -> Self {
        let chosen = scenes.first();
        Self {
            scenes,
            draw,
            outlets,
            chosen,
            changes: Changes::default(),
            driver: None,
            take: None,
            beside: None,
            generation: 0,
            cursor: 0.0,
            is_running: false,
            is_seeking: false,
            speed: 1.0,
            base: 1.0,
            end: None,
            meter: Meter::new(0.0),
            is_fresh: true,
            told: 0,
            told_violations: (0, 0),
            is_untouched: true,
            selected: None,
            sees_contacts: false,
            witnesses: None,
            still: None,
            centre: DVec3::ZERO,
            shown: 0,
        }
    }

    /// Runs until no page can send commands any more.
    pub(crate) fn run(mut self, requests: &Receiver<Request>) {
        self.restart();
        if let Some(place) = self.scenes.beside() {
            self.start_beside(place);
        }
        let mut shown = Instant::now();
        loop {
            let is_busy = self.is_running || self.is_seeking || self.is_behind();
            // Idle, it waits for a command and costs nothing.
            let wait = if is_busy { TICK.saturating_sub(shown.elapsed()) } else { Duration::from_hours(1) };
            let mut next = if is_busy && (wait.is_zero() || self.is_flat_out()) {
                requests.try_recv().map_err(|error| match error {
                    std::sync::mpsc::TryRecvError::Empty => RecvTimeoutError::Timeout,
                    std::sync::mpsc::TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                })
            } else {
                requests.recv_timeout(wait)
            };
            let mut waiting = Vec::new();
            loop {
                match next {
                    Ok(request) => waiting.push(request),
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                next = requests.try_recv().map_err(|_| RecvTimeoutError::Timeout);
            }
            for request in coalesce(waiting) {
                self.obey(request);
            }
            // What the simulation takes is part of the time that passes.
            let now = Instant::now();
            let passed = now - shown;
            if self.is_running || self.is_seeking || self.is_behind() {
                if passed >= TICK || self.is_flat_out() {
                    let passed = passed.min(Duration::from_millis(100));
                    // A defect of the program must not end the page: it is reported like any other stop.
                    if catch_unwind(AssertUnwindSafe(|| self.go_on(passed))).is_err() {
                        self.give_up();
                    }
                    shown = now;
                }
            } else {
                shown = now;
            }
            self.meter.tick(self.cursor, self.is_running || self.is_seeking);
            if self.is_fresh {
                self.show();
            }
        }
    }

    fn give_up(&mut self) {
        (self.take, self.beside, self.is_running, self.is_seeking) = (None, None, false, false);
        let text =
            "the simulation broke off by a mistake of the program; restart it, and please report the scene";
        let notice = json!({ "type": "stop", "generation": self.generation, "text": text });
        self.outlets.notice.send_replace(Arc::new(notice.to_string()));
    }

    fn is_flat_out(&self) -> bool {
        self.is_seeking || self.speed.is_infinite()
    }

    fn head(&self) -> f64 {
        self.take.as_ref().map_or(0.0, Take::head)
    }

    /// Moves the cursor by what is due for so much real time.
    fn go_on(&mut self, passed: Duration) {
        let Some(take) = &mut self.take else {
            self.is_running = false;
            return;
        };
        self.is_fresh = true;
        let started = Instant::now();
        if !self.is_running && !self.is_seeking {
            self.take_along(started);
            return;
        }
        let mut watch = || started.elapsed() < BUDGET;
        if self.is_seeking {
            // Far ahead, so that something that never happens ends, too.
            let went =
                take.go_to_event(self.end.unwrap_or(f64::MAX).max(take.head() + 1e3 * self.base), &mut watch);
            self.cursor = take.head();
            self.is_seeking = went == Went::Waits;
        } else {
            let step =
                if self.speed.is_finite() { passed.as_secs_f64() * self.speed * self.base } else { f64::MAX };
            let due = (self.cursor + step).min(f64::MAX);
            // The end of the scene is passed only by asking again.
            let due = self.end.filter(|end| self.cursor < *end).map_or(due, |end| due.min(end));
            if due > take.head() {
                let went = take.go(due, &mut watch);
                // Steps of one length may end beyond what is due.
                self.cursor = take.head().min(due);
                self.is_running = went != Went::Stopped;
            } else {
                self.cursor = due;
            }
            if self.take_along(started) == Went::Waits {
                self.cursor =
                    self.cursor.min(self.beside.as_ref().map_or(f64::MAX, |beside| beside.take.head()));
            }
            self.is_running &= self.end.is_none_or(|end| self.cursor != end);
            self.compare();
        }
        self.meter.worked += started.elapsed();
    }

    /// Takes the run beside to the same time, as far as there is time for it; running, both wait for the slower one.
    fn take_along(&mut self, started: Instant) -> Went {
        let cursor = self.cursor;
        self.beside
            .as_mut()
            .map_or(Went::There, |beside| beside.take.go(cursor, &mut || started.elapsed() < BUDGET))
    }

    /// Whether the run beside is not at the same time yet.
    fn is_behind(&self) -> bool {
        let is_behind = |beside: &Beside| beside.take.stop().is_none() && beside.take.head() < self.cursor;
        self.beside.as_ref().is_some_and(is_behind)
    }

    /// Says so if a run ends otherwise than it was recorded.
    fn compare(&mut self) {
        let Some((t, hash)) = self.scenes.get(self.chosen).recorded().filter(|_| self.is_untouched) else {
            return;
        };
        let Some(take) = self.take.as_mut().filter(|take| take.head() == t) else { return };
        self.is_untouched = false;
        if take.state_hash() != hash {
            let text = "simulated anew, this run ends in another state than its tables say: it was made by another version \
                        of the program; run it again";
            let notice = json!({ "type": "note", "generation": self.generation, "text": text });
            self.outlets.notice.send_replace(Arc::new(notice.to_string()));
        }
    }

    /// Does what a page commands.
    fn obey(&mut self, request: Request) {
        let Request { command, reply, is_moot } = request;
        match command {
            Command::Run {} => {
                self.is_running = true;
                self.meter = Meter::new(self.cursor);
            }
            Command::Pause {} => (self.is_running, self.is_seeking) = (false, false),
            Command::Step {} => self.step(1.0),
            Command::StepBack {} => self.step(-1.0),
            Command::NextEvent {} => self.seek_event(),
            Command::Speed { value } => self.speed = value.unwrap_or(f64::INFINITY),
            Command::Restart {} => self.restart(),
            Command::Seek { t } => {
                (self.is_running, self.is_seeking) = (false, false);
                self.cursor = t.clamp(0.0, self.head());
            }
            Command::Grab { body, at, to } => self.grab(body, DVec3::from_array(at), DVec3::from_array(to)),
            Command::Move { to } => self.pull(Some(DVec3::from_array(to))),
            Command::Release {} => self.pull(None),
            Command::Change(changes) => {
                self.changes = changes;
                if !is_moot {
                    self.restart();
                }
            }
            Command::Driver { name, step } => {
                self.driver = name.map(|name| (name, step));
                if !is_moot {
                    self.restart();
                }
            }
            Command::Beside { keep } => self.keep_beside(keep),
            Command::Scene { name } => {
                if let Some(place) = self.scenes.find(&name) {
                    (self.chosen, self.changes, self.driver) = (place, Changes::default(), None);
                    if !is_moot {
                        self.restart();
                    }
                }
            }
            Command::Text {} => {
                let text = self.scenes.get(self.chosen).text();
                let answer = json!({ "type": "text", "generation": self.generation, "text": text });
                let _ = reply.try_send(Answer::Text(answer.to_string()));
                return;
            }
            Command::Edit { text } => {
                let errors = match edit::read(&text) {
                    Ok(typed) => {
                        (self.chosen, self.changes) = (self.scenes.put(typed), Changes::default());
                        self.driver = None;
                        self.restart();
                        json!([])
                    }
                    Err(errors) => errors,
                };
                let answer = json!({ "type": "edited", "generation": self.generation, "errors": errors });
                let _ = reply.try_send(Answer::Text(answer.to_string()));
            }
            Command::Share {} => {
                let _ = reply.try_send(Answer::Text(self.share().to_string()));
                return;
            }
            Command::Select { body } => self.selected = body,
            Command::See { witnesses, contacts, .. } => {
                self.sees_contacts = contacts;
                let world = self.take.as_ref().map(Take::world);
                self.witnesses = world.filter(|_| witnesses).map(Witnesses::new);
            }
            Command::Events { from } => self.send_events(from as usize, &reply),
            Command::Plot { id, body, quantities, beside } => {
                let other = self.beside.as_ref().map(|beside| &beside.take);
                let Some(take) = (if beside { other } else { self.take.as_ref() }) else { return };
                let rank = body.map(|rank| rank as usize);
                let (times, values) = curves(take.recording(), take.world(), rank, &quantities);
                let head =
                    [2.0, f64::from(self.generation), f64::from(id), times.len() as f64, values.len() as f64];
                let all = head.iter().chain(&times).chain(values.iter().flatten());
                let _ = reply.try_send(Answer::Bytes(all.flat_map(|v| v.to_le_bytes()).collect()));
                return;
            }
            Command::Ready {} => return,
        }
        self.is_fresh = true;
    }

    /// One frame further or back, and no more.
    fn step(&mut self, sign: f64) {
        (self.is_running, self.is_seeking) = (false, false);
        let Some(take) = &mut self.take else { return };
        let by = sign * take.recording().interval();
        let goal = (self.cursor + by).max(0.0);
        if goal > take.head() {
            let started = Instant::now();
            take.go(goal, &mut || started.elapsed() < Duration::from_secs(2));
        }
        self.cursor = goal.min(take.head());
    }

    /// To the next event: a recorded one, or one that is still to come.
    fn seek_event(&mut self) {
        self.is_running = false;
        let Some(take) = &self.take else { return };
        let next = take.happened().partition_point(|event| event.t <= self.cursor);
        match take.happened().get(next) {
            Some(event) if event.t <= take.head() => self.cursor = event.t,
            _ => {
                self.is_seeking = take.stop().is_none();
                self.cursor = take.head();
            }
        }
    }

    /// The hand acts on the present only: a page that shows the past goes there.
    fn grab(&mut self, body: u32, at: DVec3, to: DVec3) {
        let Some(take) = &mut self.take else { return };
        (self.cursor, self.is_untouched) = (take.head(), false);
        let world = take.world();
        if body as usize >= world.described_bodies().len() {
            return;
        }
        take.grab(BodyId::from_rank(body as usize), at, to);
    }

    fn pull(&mut self, to: Option<DVec3>) {
        let Some(take) = &mut self.take else { return };
        match to {
            Some(to) => take.move_hand(to),
            None => take.let_go(),
        }
    }

    /// Keeps the run that is shown beside a new one of the same scene, or lets go of the one that was kept.
    fn keep_beside(&mut self, keep: bool) {
        if !keep {
            self.beside = None;
            self.tell_world();
            return;
        }
        let Some(mut take) = self.take.take() else { return };
        take.let_go();
        self.beside = Some(Beside::new(take, self.scenes.get(self.chosen), self.generation));
        self.restart();
    }

    /// Starts one of the scenes beside the one that is shown.
    fn start_beside(&mut self, place: usize) {
        let given = self.scenes.get(place);
        let choice = given.driver(None);
        let recording = Recording::new(choice.frame_interval(self.base / FRAMES), MEMORY);
        match given.build().and_then(|world| Take::new(world, &choice, recording, self.draw.clone())) {
            // No run that is shown has this number.
            Ok(take) => self.beside = Some(Beside::new(take, given, 0)),
            Err(text) => {
                let text = format!("{} cannot start: {text}", given.name());
                let notice = json!({ "type": "note", "generation": self.generation, "text": text });
                self.outlets.notice.send_replace(Arc::new(notice.to_string()));
            }
        }
        self.tell_world();
    }

    /// Tells again what is shown; what could not start tries again, and tells why not.
    fn tell_world(&mut self) {
        match &self.take {
            Some(take) => self.send_world(describe(take.world()), take.stop()),
            None => self.restart(),
        }
    }

    /// The chosen scene from its beginning, with the changes that were asked for.
    fn restart(&mut self) {
        self.generation += 1;
        (self.cursor, self.is_seeking) = (0.0, false);
        self.meter = Meter::new(0.0);
        (self.take, self.witnesses, self.still) = (None, None, None);
        self.is_untouched = self.changes == Changes::default() && self.driver.is_none();
        let given = self.scenes.get(self.chosen);
        let made = given.build().and_then(|world| changed(world, &self.changes));
        self.end = given.end();
        self.base = base_rate(self.end);
        let mut error = None;
        let mut description = json!({});
        match made {
            Ok(world) => {
                description = describe(&world);
                self.centre = extents(&world).centre;
                let still = Frame::at_start(&world);
                let choice = given.driver(self.driver);
                let recording = Recording::new(choice.frame_interval(self.base / FRAMES), MEMORY);
                match Take::new(world, &choice, recording, self.draw.clone()) {
                    Ok(take) => self.take = Some(take),
                    Err(text) => (error, self.still) = (Some(text), Some(still)),
                }
            }
            Err(text) => error = Some(text),
        }
        let stop = self.take.as_ref().and_then(Take::stop).map(str::to_owned);
        self.send_world(description, error.or(stop).as_deref());
    }

    fn send_world(&self, mut description: Value, error: Option<&str>) {
        let given = self.scenes.get(self.chosen);
        description["type"] = json!("world");
        description["generation"] = json!(self.generation);
        description["name"] = json!(given.name());
        description["title"] = json!(given.title());
        description["end"] = json!(self.end);
        description["base"] = json!(self.base);
        description["error"] = json!(error);
        description["driver"] = given.driver(self.driver).describe();
        description["beside"] = json!(self.beside.as_ref().map(|beside| &beside.description));
        description["changes"] = json!({
            "gravity": self.changes.gravity,
            "restitution": self.changes.restitution,
            "friction": self.changes.friction,
        });
        description["scenes"] = self.scenes.list();
        self.outlets.world.send_replace(Arc::new(description.to_string()));
    }

    /// All that was recorded as a page that opens from disk, or why there is none.
    fn share(&self) -> Value {
        let given = self.scenes.get(self.chosen);
        let (name, title) = (given.name(), given.title());
        let made = match &self.take {
            Some(take) => html(take, name, title, Some(take.head())).map_err(|error| error.to_string()),
            None => Err("the scene did not start: there is nothing to save".to_owned()),
        };
        let (text, error) = made.map_or_else(|error| (None, Some(error)), |text| (Some(text), None));
        let file = format!("{}.html", name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-"));
        json!({ "type": "file", "generation": self.generation, "name": file, "text": text, "error": error })
    }

    fn send_events(&self, from: usize, reply: &mpsc::Sender<Answer>) {
        let Some(take) = &self.take else { return };
        let some = take.happened().iter().skip(from).take(EVENTS_AT_ONCE);
        let answer = json!({
            "type": "events",
            "generation": self.generation,
            "from": from,
            "events": some.map(happening_json).collect::<Vec<_>>(),
        });
        let _ = reply.try_send(Answer::Text(answer.to_string()));
    }

    /// Puts the latest frame where pages find it.
    fn show(&mut self) {
        self.is_fresh = false;
        self.shown += 1;
        let mut status = self.status();
        let (centre, cursor) = (self.centre, self.cursor);
        let beside = self.beside.as_mut().and_then(|beside| beside.view(cursor));
        let Some(take) = &mut self.take else {
            if self.still.is_some() {
                (status.generation, status.is_stopped) = (self.generation, true);
                let view = View { frame: self.still.clone(), witnesses: Vec::new(), status, centre, beside };
                self.outlets.view.send_replace(Arc::new(view));
            }
            return;
        };
        if self.cursor >= take.head() {
            status.load = self.selected.and_then(|rank| take.load(rank));
        }
        take.see_contacts(self.sees_contacts);
        let Some(mut frame) = take.at(self.cursor) else { return };
        frame.is_event = take.happened().binary_search_by(|e| e.t.total_cmp(&frame.t)).is_ok();
        let witnesses =
            self.witnesses.as_mut().map_or_else(Vec::new, |planes| planes.of(&frame, self.selected));
        let view = View { frame: Some(frame), witnesses, status, centre, beside };
        self.outlets.view.send_replace(Arc::new(view));
        let broken = take.violations().len();
        if self.told_violations != (self.generation, broken) {
            self.told_violations = (self.generation, broken);
            if let Some(text) = take.violations().last() {
                let notice = json!({ "type": "violated", "generation": self.generation, "text": text });
                self.outlets.notice.send_replace(Arc::new(notice.to_string()));
            }
        }
        if let Some(stop) = take.stop().filter(|_| self.told != self.generation) {
            self.told = self.generation;
            let notice = json!({ "type": "stop", "generation": self.generation, "text": stop });
            self.outlets.notice.send_replace(Arc::new(notice.to_string()));
        }
    }

    fn status(&self) -> Status {
        let Some(take) = &self.take else { return Status { number: self.shown, ..Status::default() } };
        Status {
            generation: self.generation,
            is_running: self.is_running,
            is_busy: self.is_seeking,
            rate: self.meter.rate,
            share: self.meter.load,
            number: self.shown,
            ..status_of(take)
        }
    }
}

/// What a run tells of itself.
fn status_of(take: &Take) -> Status {
    let (collisions, steps, islands) = take.counts();
    Status {
        is_stopped: take.stop().is_some(),
        head: take.head(),
        events: take.happened().len() as u64,
        collisions,
        steps,
        islands,
        effort: take.effort(),
        quality: take.quality(),
        ..Status::default()
    }
}

/// Simulated by real seconds at speed 1: real time where that is bearable, else ten seconds for the whole scene.
pub fn base_rate(end: Option<f64>) -> f64 {
    match end {
        Some(end) if end > 0.0 && !(1.0..=60.0).contains(&end) => end / 10.0,
        _ => 1.0,
    }
}

/// What happened as pages read it.
fn happening_json(event: &Happening) -> Value {
    json!([
        event.t,
        event.kind,
        event.bodies[0].index(),
        event.bodies[1].index(),
        event.point.to_array().map(|c| rounded(c, 6)),
        rounded(event.impulse, 6),
        rounded(event.lost, 6),
        event.note,
        event.trials,
    ])
}

/// A world with other constants.
fn changed(mut world: World, changes: &Changes) -> Result<World, String> {
    if let Some(gravity) = changes.gravity {
        world.set_gravity(DVec3::from_array(gravity)).map_err(|error| error.to_string())?;
    }
    if changes.restitution.is_none() && changes.friction.is_none() {
        return Ok(world);
    }
    let mut contact = world.contact().clone();
    let named = contact.materials.values_mut().chain(contact.pairs.values_mut());
    for material in named.chain([&mut contact.default_material]) {
        material.restitution = changes.restitution.unwrap_or(material.restitution);
        if let Some(friction) = changes.friction {
            (material.static_friction, material.kinetic_friction) = (friction, friction);
        }
    }
    world.set_contact(contact).map_err(|error| error.to_string())?;
    Ok(world)
}
