//! Going on to the next thing that happens.

use std::path::Path;

use dolmen::drive::exact::{Reason, Simulation};
use dolmen::scene::Document;
use dolmen::world::World;

fn simulation(scene: &str) -> Simulation {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let document = Document::load(scenes.join(format!("{scene}.toml"))).expect("a scene");
    Simulation::new(document.build(&scenes).expect("a world")).expect("it starts")
}

/// Stops at events are reads: the events and the last state are the same, to the last bit, as without them; and every stop is
/// at the instant of the events that it brings.
#[test]
fn stops_at_events_change_no_bit() {
    for scene in ["billiards-break", "bouncing-domino", "newtons-cradle"] {
        let end = 1.0;
        let mut whole = simulation(scene);
        whole.advance(end).expect("it goes on");
        let mut stopping = simulation(scene);
        let (mut events, mut stops) = (Vec::new(), 0);
        while stopping.advance_to_event(end, &mut |_| true).expect("it goes on") {
            let found = stopping.take_events();
            let last = found.last().expect("something happened").t;
            assert!(
                last <= stopping.time(),
                "{scene}: an event at {last} s is ahead of {} s",
                stopping.time()
            );
            assert!(
                stopping.time() == last || stopping.time() == end,
                "{scene}: {} s, {last} s",
                stopping.time()
            );
            events.extend(found);
            stops += 1;
        }
        assert!(stops > 0, "{scene}: nothing happened");
        assert_eq!(events, whole.take_events(), "{scene}");
        assert_eq!(stopping.sample().hash(), whole.sample().hash(), "{scene}");
    }
}

/// A callback can end it, and it goes on from there; times that are not ahead are refused.
#[test]
fn it_can_be_interrupted() {
    let mut simulation = simulation("bouncing-domino");
    let stop = simulation.advance_to_event(1.0, &mut |_| false).expect_err("it was told to");
    assert_eq!(stop.reason, Reason::Interrupted);
    simulation.advance_to_event(1.0, &mut |_| true).expect("it goes on");
    let asked = simulation.advance_to_event(-1.0, &mut |_| true).expect_err("that is over");
    assert_eq!(asked.reason, Reason::Time { asked: -1.0 });
}

/// Events that go to a sink are those that are kept without one, and the motion is the same; a driver is asked through the trait alike.
#[test]
fn a_sink_takes_the_events_that_are_kept_otherwise() {
    use dolmen::drive::{Advance, Driver};
    let mut kept = simulation("bricks");
    kept.advance(1.0).expect("to go on");
    let (mut handed, mut events) = (simulation("bricks"), Vec::new());
    for k in 1..=4 {
        let t = 0.25 * f64::from(k);
        let reached = Driver::advance_into(&mut handed, t, &mut events, &mut |_| true).expect("to go on");
        assert_eq!(reached, Advance::Reached);
    }
    assert!(
        !events.is_empty() && events == kept.events(),
        "{} and {} events",
        events.len(),
        kept.events().len()
    );
    assert!(handed.events().is_empty());
    assert_eq!(Driver::sample(&handed).hash(), kept.sample().hash());
    let interrupted = Driver::advance_into(&mut handed, 2.0, &mut events, &mut |_| false).expect("to stand");
    assert_eq!(interrupted, Advance::Interrupted);
}

/// What drivers share does the same in all of them: the next event, another state whose energy is booked, a snapshot.
#[test]
fn drivers_share_events_states_and_snapshots() {
    use dolmen::drive::fixed::{FixedSettings, FixedSimulation};
    use dolmen::drive::intro::{IntroSettings, IntroSimulation};
    use dolmen::drive::{Advance, Driver, SnapshotError};
    use dolmen::math::{DVec3, Pose};

    fn check<D: Driver>(mut driver: D, has_snapshots: bool)
    where
        D::Stop: std::fmt::Debug,
    {
        let id = driver.world().body_ids().find(|id| driver.world().body(*id).is_dynamic()).expect("a ball");
        let mut events = Vec::new();
        let gone = driver.advance_to_event(5.0, &mut events, &mut |_| true).expect("to go on");
        assert!(gone == Advance::Event && !events.is_empty());
        let before = driver.snapshot();
        assert_eq!(before.is_some(), has_snapshots);
        let balance = |driver: &D| {
            let ledger = driver.ledger();
            ledger.total() - ledger.work + ledger.lost()
        };
        let (pose, twist, energy) = (driver.pose(id), driver.twist(id), balance(&driver));
        let higher = Pose { position: pose.position + DVec3::Z, ..pose };
        driver.set_state(id, &higher, &twist).expect("another state");
        assert_eq!(driver.pose(id).position, higher.position);
        assert!((balance(&driver) - energy).abs() < 1e-5 * energy.abs() + 1e-9, "energy is not booked");
        let nowhere = Pose { position: f64::NAN * DVec3::Z, ..pose };
        assert!(driver.set_state(id, &nowhere, &twist).is_err());
        match before {
            Some(bytes) => {
                driver.load_snapshot(&bytes).expect("a snapshot");
                assert_eq!((driver.pose(id), driver.twist(id)), (pose, twist));
            }
            None => {
                assert!(matches!(driver.load_snapshot(b""), Err(SnapshotError::Unsupported { .. })));
            }
        }
    }
    let world = || World::clone(simulation("bouncing-ball").world());
    check(simulation("bouncing-ball"), true);
    check(FixedSimulation::new(world(), FixedSettings::default()).expect("a start"), true);
    check(IntroSimulation::new(world(), IntroSettings::default()).expect("a start"), false);
}
