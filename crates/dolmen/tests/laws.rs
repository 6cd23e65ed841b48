//! Laws that are checked while a run goes on, and work against simulated time.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use dolmen::drive::exact::{Reason, Simulation};
use dolmen::math::work::Interrupt;
use dolmen::record::{CheckedLaw, EventKind, EventSink, Happened, Solve, Violation};
use dolmen::scene::Document;
use dolmen::world::World;

fn world(text: &str) -> World {
    let document = Document::parse("test.toml", text).expect("a sound scene");
    document.build(Path::new(".")).expect("a world")
}

/// A brick that bounces, tumbles and slides to rest, and a pendulum beside it.
fn busy(laws: &str) -> World {
    world(&format!(
        r#"
format = 1
gravity = [0, 0, -9.81]
[run]
duration = 1
[contact]
restitution = 0.3
friction = 0.4
[laws]
{laws}
[[body]]
name = "floor"
kind = "fixed"
shape = {{ kind = "plane", normal = [0, 0, 1] }}
[[body]]
name = "brick"
shape = {{ kind = "box", size = [0.3, 0.2, 0.1] }}
density = 1000
position = [0, 0, 0.4]
velocity = [1, 0.3, 0]
spin = [1, 2, 3]
[[body]]
name = "bob"
shape = {{ kind = "sphere", radius = 0.1 }}
density = 1000
position = [2.5, 0, 2]
[[joint]]
name = "pivot"
kind = "ball"
a = "bob"
at = [2, 0, 2]
"#
    ))
}

fn followed(world: World, end: f64) -> Simulation {
    let mut simulation = Simulation::new(world).expect("a start");
    for i in 1..=50 {
        simulation.advance(end * f64::from(i) / 50.0).expect("to go on");
        simulation.check_laws().expect("finite numbers");
    }
    simulation
}

/// All laws hold in a scene that single mechanisms can follow, and every one of them was looked at.
#[test]
fn a_sound_run_breaks_no_law() {
    let simulation = followed(busy(""), 1.0);
    assert!(simulation.laws().violations.is_empty(), "{:?}", simulation.laws().violations);
    for status in simulation.laws().status {
        assert!(status.holds(), "{status:?}");
    }
    let reached = |law: CheckedLaw| simulation.laws().status[law as usize].reached;
    assert!(reached(CheckedLaw::Drift) > 0.0 && reached(CheckedLaw::Forces) > 0.0);
    assert!(
        simulation.laws().most_work > 0.0 && simulation.laws().most_work < simulation.world().laws().work
    );
}

/// With a bound below rounding each law is broken, and says when, where and by how much.
#[test]
fn a_broken_law_is_told() {
    for (law, place) in [
        (CheckedLaw::Ledger, ""),
        (CheckedLaw::Drift, "pivot"),
        (CheckedLaw::Forces, ""),
        (CheckedLaw::Residual, "brick"),
    ] {
        let simulation = followed(busy(&format!("{} = 1e-300", law.name())), 1.0);
        let report = simulation.laws();
        let told: Vec<&Violation> = report.violations.iter().filter(|found| found.law == law).collect();
        let first = told.first().unwrap_or_else(|| panic!("{law:?} was not told: {:?}", simulation.laws()));
        assert!(first.value > first.bound && first.bound == 1e-300, "{first:?}");
        assert!(first.t > 0.0 && first.t <= 1.0);
        let text = first.describe(simulation.world());
        assert!(text.contains(place) && text.contains(&format!("`{}` under [laws]", law.name())), "{text}");
        // Told once, and again only when ten times worse.
        assert!(told.windows(2).all(|pair| pair[1].value > 10.0 * pair[0].value), "{told:?}");
    }
}

/// The first check looks back to the start, however late it comes: Euler steps of a hundredth of a second do not keep the energy of a
/// spring, and no check is due in the first half of a second.
#[test]
fn the_first_check_compares_with_the_start() {
    let text = r#"
format = 1
[integrator]
method = "euler"
step = 0.01
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 1
position = [1, 0, 0]
[[force]]
kind = "spring"
a = { body = "ball" }
b = { point = [0, 0, 0] }
stiffness = 10
length = 0.5
"#;
    let mut simulation = Simulation::new(world(text)).expect("a start");
    let start = simulation.ledger().total();
    simulation.advance(0.5).expect("to go on");
    assert!(simulation.laws().violations.is_empty(), "a check came before that of this test");
    simulation.check_laws().expect("finite numbers");
    let report = simulation.laws();
    let found =
        report.violations.iter().find(|found| found.law == CheckedLaw::Ledger).expect("the energy is off");
    // ½ k x² of half a metre is 1.25 J, more than is in motion at any time.
    let off = simulation.ledger().total() - start;
    assert!(off > 0.05 && found.value >= off / 1.4, "{found:?}, off by {off} J");
}

/// What is accepted between two checks is looked at as well: with a bound below rounding a brick that falls on a corner tells of impulses
/// and modes that were never read.
#[test]
fn accepted_solutions_are_told() {
    let mut simulation = Simulation::new(busy("residual = 1e-300")).expect("a start");
    simulation.advance(1.0).expect("to go on");
    let impact = simulation.events().iter().find(|event| event.kind == EventKind::Collision);
    let impact = impact.expect("the brick falls on the floor").t;
    let told: Vec<&Violation> =
        simulation.laws().violations.iter().filter(|found| found.law == CheckedLaw::Residual).collect();
    assert!(
        told.iter().any(|found| found.solve != Some(Solve::Forces) && found.t >= impact),
        "only what was read: {told:?}"
    );
    for found in told {
        let text = found.describe(simulation.world());
        assert!(text.contains("brick") && text.contains("`residual` under [laws]"), "{text}");
        assert_eq!(text.contains("the impulses of an impact"), found.solve == Some(Solve::Impact), "{text}");
    }
}

/// What happened is kept in the order in which it did: a law that is broken stands between the events before and after it.
#[test]
fn what_happened_is_in_order() {
    let mut simulation = Simulation::new(busy("residual = 1e-300")).expect("a start");
    let mut happened = Happened::default();
    simulation.advance_into(1.0, &mut happened, &mut |_| true).expect("to go on");
    let mut times = Vec::new();
    for (events, violation) in happened.pieces() {
        times.extend(events.iter().map(|event| event.t));
        times.extend(violation.map(|found| found.t));
    }
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(times.len(), happened.events.len() + happened.violations.len());
    let first = happened.violations.first().expect("a bound below rounding").0;
    assert!(first < happened.events.len(), "the first is told after all events");
}

/// A sink gets violations with the events.
#[test]
fn a_sink_gets_violations() {
    #[derive(Default)]
    struct Sink(Vec<Violation>);
    impl EventSink for Sink {
        fn event(&mut self, _: &dolmen::record::Event) {}
        fn violation(&mut self, violation: &Violation) {
            self.0.push(violation.clone());
        }
    }
    let mut simulation = Simulation::new(busy("drift = 1e-300")).expect("a start");
    let mut sink = Sink::default();
    simulation.advance_into(0.7, &mut sink, &mut |_| true).expect("to go on");
    simulation.check_laws().expect("finite numbers");
    simulation.advance_into(1.0, &mut sink, &mut |_| true).expect("to go on");
    assert!(sink.0.iter().any(|found| found.law == CheckedLaw::Drift), "{:?}", sink.0);
}

/// A bound that is not positive is refused.
#[test]
fn a_bound_is_positive() {
    for text in ["ledger = 0", "work = -1", "overlap = -1e-9"] {
        let document =
            Document::parse("test.toml", &format!("format = 1\n[run]\nduration = 1\n[laws]\n{text}\n"));
        let error = document.expect("a sound text").build(Path::new(".")).expect_err("a refusal").to_string();
        assert!(error.contains("positive number"), "{error}");
    }
}

/// A run that may compute next to nothing stops at the same instant every time, and names its bodies.
#[test]
fn work_without_progress_stops_the_run() {
    let stop = |_| {
        let mut simulation = Simulation::new(busy("work = 1e5")).expect("a start");
        simulation.advance(1.0).expect_err("a stop")
    };
    let stops = [0, 1].map(stop);
    assert_eq!(stops[0], stops[1]);
    let Reason::NoProgress { members, operations, limit, .. } = &stops[0].reason else {
        panic!("{:?}", stops[0])
    };
    assert!(members.contains("brick") || members.contains("bob"), "{members}");
    assert!(operations > limit && *limit == 1e5);
}

/// Operations are counted alike whether a run is cut up or not.
#[test]
fn work_is_the_same_however_time_is_cut() {
    let mut whole = Simulation::new(busy("")).expect("a start");
    whole.advance(1.0).expect("to go on");
    let mut pieces = Simulation::new(busy("")).expect("a start");
    for i in 1..=17 {
        pieces.advance(f64::from(i) / 17.0).expect("to go on");
    }
    assert_eq!(whole.laws().operations, pieces.laws().operations);
    // How far a body gets in that time is asked of its motion, and not of the last state that was read.
    assert_eq!(whole.laws().most_work.to_bits(), pieces.laws().most_work.to_bits());
    assert!(whole.laws().operations > 100_000);
}

/// A cube of 10 cm above the origin or beside it.
fn cube(name: &str, x: f64, z: f64) -> String {
    let shape = "shape = { kind = \"box\", size = [0.1, 0.1, 0.1] }";
    format!("[[body]]\nname = \"{name}\"\ndensity = 500\nposition = [{x:?}, 0, {z:?}]\n{shape}\n")
}

/// A tower of boxes that all meet at once: one impact with friction takes long.
fn tower(boxes: u32) -> World {
    let mut text = String::from(
        "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 1\n[contact]\nrestitution = 0.5\nfriction = 0.5\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n",
    );
    for i in 0..boxes {
        let z = 0.06 + 0.1 * f64::from(i);
        text += &cube(&format!("b{i}"), 0.01 * f64::from(i % 3), z);
    }
    world(&text)
}

/// In the middle of an impact that takes long an interrupt is heard within a second; nothing of that impact is kept.
#[test]
fn an_interrupt_is_heard_in_the_middle_of_an_impact() {
    let mut simulation = Simulation::new(tower(40)).expect("a start");
    let interrupt = Interrupt::new();
    simulation.set_interrupt(interrupt.clone());
    let raised = thread::spawn(move || {
        thread::sleep(Duration::from_millis(700));
        interrupt.cut();
        Instant::now()
    });
    let stopped = simulation.advance(1.0);
    let ended = Instant::now();
    let raised = raised.join().expect("a thread");
    let stop = stopped.expect_err("a stop");
    assert!(
        matches!(stop.reason, Reason::Abandoned | Reason::NoProgress { .. }),
        "a machine on which this is over in 0.7 s needs a taller tower: {stop}"
    );
    assert!(ended.saturating_duration_since(raised) < Duration::from_secs(1));
    assert_eq!(simulation.advance(1.0).expect_err("it stays stopped"), stop);
}

/// Overlaps of the size of typed digits are taken out and told; deeper ones are refused as before.
#[test]
fn overlaps_of_typed_digits_are_taken_out() {
    let stack = |sink: f64| {
        let z = [0.05 - sink, 0.15 - 2.0 * sink, 0.25 - 3.0 * sink];
        let bodies = [0, 1, 2].map(|i| cube(&format!("b{i}"), 0.0, z[i])).concat();
        world(&format!(
            "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 1\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\n\
             shape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n{bodies}"
        ))
    };
    let mut simulation = Simulation::new(stack(5e-10)).expect("typed digits are good enough");
    let moved = simulation.moved_at_start();
    assert_eq!(moved.len(), 3, "{moved:?}");
    assert!(moved.iter().all(|moved| moved.depth > 1e-10 && moved.depth < 2e-9), "{moved:?}");
    simulation.advance(1.0).expect("to go on");
    simulation.check_laws().expect("finite numbers");
    assert!(simulation.laws().violations.is_empty(), "{:?}", simulation.laws().violations);
    assert!(Simulation::new(stack(0.0)).expect("a start").moved_at_start().is_empty());
    let stop = Simulation::new(stack(1e-6)).expect_err("a deep overlap");
    assert!(matches!(stop.reason, Reason::Overlap { .. }), "{stop}");
    assert_eq!(stop.bodies().len(), 2);
}
