//! The stage by its socket: time goes as commanded, and everything recorded can be seen again.

mod common;

use common::{Client, ball_over_floor, number, position, runtime, start, time};
use dolmen::drive::Driver as _;
use dolmen::prelude::*;
use dolmen::record::Event;
use dolmen_view::hand::Hand;
use dolmen_view::{DriverChoice, ORANGE, PAGE, Session, Viewer};
use serde_json::json;

/// h = ½ g t²: 1.25 m under g = 10 are fallen in 0.5 s.
const LANDS: f64 = 0.5;

fn flag(bytes: &[u8], bit: u32) -> bool {
    number(bytes, 6) as u32 >> bit & 1 == 1
}

/// The world is described with names, kinds and shapes that have triangles.
#[test]
fn the_world_is_described() {
    let showing = start();
    runtime().block_on(async {
        let client = Client::new(&showing).await;
        let bodies = client.world["bodies"].as_array().expect("bodies");
        assert_eq!(bodies.len(), 2);
        assert_eq!((bodies[0]["name"].as_str(), bodies[0]["kind"].as_str()), (Some("ball"), Some("dynamic")));
        assert_eq!(bodies[1]["kind"].as_str(), Some("fixed"));
        let triangles = client.world["shapes"][0]["triangles"].as_array().expect("triangles");
        assert!(triangles.len() > 300 && triangles.len().is_multiple_of(3), "{}", triangles.len());
        let names: Vec<_> =
            client.world["scenes"].as_array().expect("scenes").iter().map(|s| &s["name"]).collect();
        assert_eq!(names, ["ball", "other"]);
    });
}

/// The next event is the first contact, at its exact instant; the one after follows the bounce: 2 e v/g = 0.5 s later.
#[test]
fn next_event_goes_to_the_instant_of_contact() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        for (n, expected) in [(1.0, LANDS), (2.0, LANDS + 0.5)] {
            client.send("{\"do\":\"next_event\"}").await;
            let frame = client.frame(|frame| number(frame, 13) >= n && !flag(frame, 2)).await;
            let (t, z) = (time(&frame), position(&frame).z);
            assert!((t - expected).abs() < 1e-9 && (z - 0.1).abs() < 1e-9, "t = {t}, z = {z}");
            assert!(!flag(&frame, 0), "it runs on");
        }
        client.send("{\"do\":\"events\",\"from\":0}").await;
        let events = client.text("events").await;
        let first = &events["events"][0];
        assert_eq!(first[1], "collision");
        assert!((first[0].as_f64().expect("a time") - LANDS).abs() < 1e-9, "{first}");
    });
}

/// What was recorded is seen again: between frames a ball in free flight is where the parabola is.
#[test]
fn one_can_go_back_to_any_time() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"next_event\"}").await;
        client.frame(|frame| number(frame, 13) >= 1.0 && !flag(frame, 2)).await;
        for t in [0.49999, 0.123, 0.0, 0.25] {
            client.send(&format!("{{\"do\":\"seek\",\"t\":{t}}}")).await;
            let frame = client.frame(|frame| time(frame) == t).await;
            let z = position(&frame).z;
            // Velocities are kept in single precision: 6e-8 of 5 m/s over a sixtieth of a second.
            assert!((z - (1.35 - 5.0 * t * t)).abs() < 1e-8, "t = {t}, z = {z}");
            assert!((number(&frame, 3) - LANDS).abs() < 1e-9, "the head has moved");
        }
    });
}

/// Running goes on by itself, pausing ends it, restarting begins at zero with another generation.
#[test]
fn run_pause_and_restart() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"speed\",\"value\":null}").await;
        client.send("{\"do\":\"run\"}").await;
        client.frame(|frame| time(frame) > 0.3 && flag(frame, 0)).await;
        client.send("{\"do\":\"pause\"}").await;
        let paused = client.frame(|frame| !flag(frame, 0)).await;
        client.send("{\"do\":\"step\"}").await;
        let next = client.frame(|frame| time(frame) > time(&paused)).await;
        assert!(
            (time(&next) - time(&paused) - 1.0 / 60.0).abs() < 1e-9,
            "{} after {}",
            time(&next),
            time(&paused)
        );
        client.send("{\"do\":\"restart\"}").await;
        let world = client.text("world").await;
        assert_eq!(world["generation"].as_u64(), client.world["generation"].as_u64().map(|g| g + 1));
        let frame =
            client.frame(|frame| number(frame, 1) == world["generation"].as_f64().unwrap_or(0.0)).await;
        assert_eq!(time(&frame), 0.0);
    });
}

/// Changed constants take effect: on the Moon the ball lands √(9.81/1.62)-fold later than on Earth; here √(10/1.6).
#[test]
fn constants_can_be_changed() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"change\",\"gravity\":[0,0,-1.6],\"restitution\":1}").await;
        let world = client.text("world").await;
        assert_eq!(world["gravity"][2].as_f64(), Some(-1.6));
        let generation = world["generation"].as_f64().unwrap_or(0.0);
        client.send("{\"do\":\"next_event\"}").await;
        let arrived =
            |frame: &[u8]| number(frame, 1) == generation && number(frame, 13) >= 1.0 && !flag(frame, 2);
        let frame = client.frame(arrived).await;
        let expected = LANDS * (10.0_f64 / 1.6).sqrt();
        assert!((time(&frame) - expected).abs() < 1e-9, "{} and not {expected}", time(&frame));
        client.send("{\"do\":\"scene\",\"name\":\"other\"}").await;
        let world = client.text("world").await;
        assert_eq!((world["name"].as_str(), world["gravity"][2].as_f64()), (Some("other"), Some(-10.0)));
    });
}

/// Curves come with a point for each frame: the total energy is that of the start until the first contact.
#[test]
fn curves_are_sent() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"next_event\"}").await;
        client.frame(|frame| number(frame, 13) >= 1.0 && !flag(frame, 2)).await;
        client.send("{\"do\":\"plot\",\"id\":7,\"body\":null,\"quantities\":[\"total\",\"error\"]}").await;
        let curves = client.answer(7.0).await;
        let (points, total) = (number(&curves, 3) as usize, 5 + number(&curves, 3) as usize);
        assert!(points >= 30, "{points}");
        let start = number(&curves, total);
        for i in 0..points - 1 {
            let value = number(&curves, total + i);
            assert!((value - start).abs() < 1e-12 * start.abs(), "{value} at point {i} and not {start}");
        }
    });
}

/// The force on a body in flight is its weight: 10 m/s² times 1000 kg/m³ × 4/3 π 0.1³ m³.
#[test]
fn the_forces_on_a_selected_body_are_told() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"select\",\"body\":0}").await;
        let frame = client.frame(|frame| flag(frame, 5)).await;
        let weight = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3 * 10.0;
        let (force, selected) = (number(&frame, 37), number(&frame, 41));
        assert!((force + weight).abs() < 1e-9 * weight && selected == 0.0, "{force} N on body {selected}");
        // A floor has no load, and a body that is none does nothing.
        for body in ["1", "99", "null"] {
            client.send(&format!("{{\"do\":\"select\",\"body\":{body}}}")).await;
            client.frame(|frame| !flag(frame, 5)).await;
        }
    });
}

/// What a program draws is in the frames.
#[test]
fn programs_draw_into_frames() {
    let viewer = Viewer::new().world("ball", ball_over_floor());
    let showing = viewer
        .draw(|session, canvas| {
            canvas.label(DVec3::Z, format!("t = {}", session.time()), ORANGE);
            canvas.line(DVec3::ZERO, DVec3::X, ORANGE);
            canvas.point(DVec3::splat(f64::NAN), ORANGE);
        })
        .start()
        .expect("it starts");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"pause\"}").await;
        let frame = client.frame(|_| true).await;
        let length = number(&frame, 10) as usize;
        let marks: serde_json::Value = serde_json::from_slice(&frame[frame.len() - length..]).expect("JSON");
        assert_eq!(marks.as_array().map(Vec::len), Some(2), "{marks}");
        assert_eq!((marks[0]["text"].as_str(), marks[1]["kind"].as_str()), (Some("t = 0"), Some("line")));
    });
}

/// The work of the hand is in the ledger: energy and work balance while a body is pulled about, and after.
#[test]
fn the_work_of_the_hand_is_booked() {
    let mut world = ball_over_floor();
    let mut hand = Hand::new(&mut world, &DriverChoice::Exact).expect("it fits");
    let ball = world.find_body("ball").expect("it was named so");
    let mut session = Session::new(world, &DriverChoice::Exact).expect("it starts");
    let start = session.ledger();
    let go = |session: &mut Session, t: f64| {
        session.advance_into(t, &mut Vec::<Event>::new(), &mut |_| true).expect("it goes on");
    };
    go(&mut session, 0.1);
    let at = dvec3(0.05, 0.0, 0.05);
    assert!(hand.grab(&mut session, ball, at, dvec3(0.5, 0.0, 1.5)).expect("it goes on"));
    for i in 1..=40 {
        go(&mut session, 0.1 + 0.025 * f64::from(i));
        let to = dvec3(0.5, 0.02 * f64::from(i), 1.5);
        hand.move_to(&mut session, to).expect("it goes on");
    }
    let held = session.pose(ball).point(at);
    assert!(held.distance(dvec3(0.5, 0.8, 1.5)) < 0.4, "the point that is dragged is at {held}");
    hand.release(&mut session).expect("it goes on");
    go(&mut session, 1.3);
    let end = session.ledger();
    let error = (end.total() - start.total()) - end.work + end.lost();
    // The integrator's tolerance of 1e-9 or better, over 41 pieces, against the energy in play.
    let turnover = end.work.abs().max(end.total().abs());
    assert!(end.work.abs() > 1.0 && error.abs() < 1e-6 * turnover, "work {}, imbalance {error}", end.work);
    // It was released at the instant of the last pull, which therefore never acted.
    assert_eq!(hand.pulls(ball).len(), 41);
}

/// A hand that does nothing changes nothing: the motion is the same to the last bit.
#[test]
fn a_hand_at_rest_changes_no_bit() {
    let mut with = ball_over_floor();
    Hand::new(&mut with, &DriverChoice::Exact).expect("it fits");
    let mut hashes = Vec::new();
    for world in [ball_over_floor(), with] {
        let mut simulation = Simulation::new(world).expect("it starts");
        simulation.advance(1.7).expect("it bounces");
        hashes.push(simulation.sample().hash());
    }
    assert_eq!(hashes[0], hashes[1]);
}

/// A scene that is typed in a page runs in the place of the one before: a ball thrown up without gravity is where it must be.
/// Mistakes come back with line and column and leave the scene that is shown as it was; files are not read.
#[test]
fn a_scene_can_be_typed() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        let edit = |text: &str| json!({ "do": "edit", "text": text }).to_string();
        let wrong = "format = 1\n[[body]]\nname = \"a\"\nmas = 1\n";
        client.send(&edit(wrong)).await;
        let answer = client.text("edited").await;
        let is_found = |error: &serde_json::Value| {
            error["line"] == 4 && error["column"] == 1 && error["text"].to_string().contains("mas")
        };
        assert!(answer["errors"].as_array().is_some_and(|errors| errors.iter().any(is_found)), "{answer}");
        let shape = "shape = { kind = \"mesh\", path = \"body.obj\" }";
        client.send(&edit(&format!("format = 1\n[[body]]\nname = \"a\"\nmass = 1\n{shape}\n"))).await;
        let answer = client.text("edited").await;
        assert_eq!(answer["errors"][0]["line"], 5, "{answer}");
        assert!(answer.to_string().contains("this scene can read none"), "{answer}");
        let right = "format = 1\n[run]\nduration = 2\n[[body]]\nname = \"thrown\"\nmass = 1\nshape = { kind = \"sphere\", radius = 0.1 }\nvelocity = [0, 0, 3]\n";
        client.send(&edit(right)).await;
        let world = client.text("world").await;
        assert_eq!(world["bodies"][0]["name"], "thrown", "{}", world["bodies"]);
        client.send("{\"do\":\"text\"}").await;
        assert_eq!(client.text("text").await["text"], right);
        client.send("{\"do\":\"run\"}").await;
        let frame = client.frame(|frame| time(frame) > 0.2).await;
        let (t, z) = (time(&frame), position(&frame).z);
        assert!((z - 3.0 * t).abs() < 1e-5, "t = {t}, z = {z}");
    });
}

/// What was recorded comes as one page, if this build has the page; else it is said.
#[test]
fn a_run_is_shared_as_one_file() {
    let showing = start();
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"next_event\"}").await;
        client.frame(|frame| number(frame, 13) >= 1.0 && !flag(frame, 2)).await;
        client.send("{\"do\":\"share\"}").await;
        let file = client.text("file").await;
        assert_eq!(file["name"], "ball.html");
        if PAGE.is_some() {
            assert!(file["text"].as_str().is_some_and(|text| text.contains("id=\"replay\"")));
        } else {
            assert!(file["error"].as_str().is_some_and(|text| text.contains("without its page")), "{file}");
        }
    });
}
