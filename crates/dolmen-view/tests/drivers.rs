//! Every driver can be watched: its steps are its own, the hand pulls in it, what it tells is told, and two runs go side by side.

mod common;

use common::{Client, ball_over_floor, number, position, runtime, time};
use dolmen::drive::fixed::{FixedSettings, FixedSimulation};
use dolmen::drive::intro::IntroSettings;
use dolmen::prelude::*;
use dolmen::scene::Document;
use dolmen::scene::typed::StepBounds;
use dolmen_view::recording::Recording;
use dolmen_view::{DriverChoice, Given, Showing, Take, Viewer, Went};
use serde_json::json;

/// Where in a frame the deepest overlap so far, the drift of energy and that at most are.
const WORST_OVERLAP: usize = 49;
const DRIFT: usize = 72;
const WORST_DRIFT: usize = 73;

fn fixed(step: f64) -> DriverChoice {
    let settings = FixedSettings { step, ..FixedSettings::default() };
    DriverChoice::Fixed { settings, bounds: StepBounds::default() }
}

fn take_by(choice: &DriverChoice) -> Take {
    let recording = Recording::new(choice.frame_interval(1.0 / 60.0), 1 << 24);
    Take::new(ball_over_floor(), choice, recording, None).expect("it starts")
}

/// A ball that falls onto a floor from 1 m, at rest in the end, by the driver that is named.
fn scene(driver: &str) -> String {
    format!(
        "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 20\n{driver}\n[contact]\nrestitution = 0.5\nfriction = 0.3\n\
         [[body]]\nname = \"ball\"\nmass = 2\nposition = [0, 0, 1.1]\nshape = {{ kind = \"sphere\", radius = 0.1 }}\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n"
    )
}

fn given(driver: &str) -> Given {
    Given::document("ball", Document::parse("ball.toml", &scene(driver)).expect("a sound scene"), None)
}

fn show(driver: &str) -> Showing {
    Viewer::new().scene(given(driver)).start().expect("it starts")
}

/// However time is cut up for pictures, steps are whole: the state after each is that of the driver by itself, to the last bit.
#[test]
fn pictures_cut_no_step() {
    for step in [1.0 / 60.0, 1.0 / 240.0, 0.03] {
        let mut take = take_by(&fixed(step));
        let settings = FixedSettings { step, ..FixedSettings::default() };
        let mut alone = FixedSimulation::new(ball_over_floor(), settings).expect("it starts");
        let mut t = 0.0;
        // Pieces of time that are no part of a step.
        for piece in [0.0031, 0.016, 0.0007, 0.1].iter().cycle().take(40) {
            t += piece;
            assert_eq!(take.go(t, &mut || true), Went::There);
            assert!(
                take.head() >= t && take.head() < t + step,
                "asked for {t} s, it went to {} s",
                take.head()
            );
        }
        while alone.statistics().steps < (take.head() / step).round() as u64 {
            alone.step().expect("it goes on");
        }
        let ball = take.world().find_body("ball").expect("it was named so");
        assert_eq!(take.session().pose(ball), alone.pose(ball), "step {step} s");
        let frames = take.recording().frames();
        assert!(
            frames.iter().all(|frame| ((frame.t / step).round() * step - frame.t).abs() < 1e-12),
            "step {step} s"
        );
    }
}

/// The hand pulls in every driver: the body comes to where it is pulled, but for its weight on the spring, and the work is booked.
#[test]
fn the_hand_pulls_in_every_driver() {
    // g/ω², with ω of the spring.
    let omega = std::f64::consts::TAU * 1.2;
    let sag = 10.0 / (omega * omega);
    for choice in [DriverChoice::Exact, fixed(1.0 / 120.0), DriverChoice::Intro(IntroSettings::default())] {
        let mut take = take_by(&choice);
        let ball = take.world().find_body("ball").expect("it was named so");
        let start = take.recording().frames()[0].ledger.total();
        take.grab(ball, DVec3::ZERO, dvec3(0.5, 0.0, 2.0));
        assert_eq!(take.go(4.0, &mut || true), Went::There, "{:?}", take.stop());
        let at = take.session().pose(ball).position;
        // After 4 s the swing has died away by exp(−ζ ω t) = 3e-11; that of steps is told by their length.
        assert!(at.distance(dvec3(0.5, 0.0, 2.0 - sag)) < 1e-3, "{}: it is at {at}", choice.name());
        let ledger = take.recording().frames().last().expect("frames").ledger;
        let error = ledger.total() - start - ledger.work + ledger.lost();
        // A force that is constant within a sub-step does work of first order in it: h ω of what is in play.
        assert!(
            error.abs() < 0.02 * ledger.work.abs(),
            "{}: work {}, imbalance {error}",
            choice.name(),
            ledger.work
        );
        take.let_go();
        assert_eq!(take.go(8.0, &mut || true), Went::There, "{:?}", take.stop());
        assert!(take.session().pose(ball).position.z < 1.0, "{}: it was let go", choice.name());
    }
}

/// With fixed steps the page runs, pauses, goes back and finds the next event; overlap and drift are told; another driver is a
/// message away, and one that does not take the scene says why.
#[test]
fn fixed_steps_are_seen_live() {
    let showing = show("driver = \"fixed\"\nstep = \"1/120\"");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        assert_eq!(client.world["driver"]["name"], "fixed");
        assert!((client.world["driver"]["step"].as_f64().expect("a step") - 1.0 / 120.0).abs() < 1e-15);
        client.send("{\"do\":\"next_event\"}").await;
        let landed = client.frame(|frame| number(frame, 13) >= 1.0 && number(frame, 6) as u32 & 4 == 0).await;
        // √(2 h/g) = 0.4472 s, found at the end of a step.
        let t = time(&landed);
        assert!(
            t > 0.43 && t < 0.4472 + 1.0 / 120.0 && ((t * 120.0).round() / 120.0 - t).abs() < 1e-9,
            "{t}"
        );
        client.send("{\"do\":\"speed\",\"value\":null}").await;
        client.send("{\"do\":\"run\"}").await;
        let later = client.frame(|frame| time(frame) > 2.0).await;
        let (overlap, drift, worst) =
            (number(&later, WORST_OVERLAP), number(&later, DRIFT), number(&later, WORST_DRIFT));
        // It hits with 4.5 m/s: less than one sub-step of that.
        assert!(overlap > 0.0 && overlap < 4.5 / 120.0, "overlap {overlap}");
        // Of 20 J.
        assert!(worst >= drift.abs() && worst > 0.0 && worst < 1.0, "drift {drift}, at most {worst}");
        client.send("{\"do\":\"seek\",\"t\":0.201}").await;
        let back = client.frame(|frame| time(frame) == 0.201).await;
        // Between ends of steps it is on the parabola but for the error of the steps, g h t/2.
        let z = 1.1 - 5.0 * 0.201 * 0.201;
        assert!((position(&back).z - z).abs() < 10.0 * 0.201 / 120.0, "{}", position(&back).z);
        client.send("{\"do\":\"driver\",\"name\":\"exact\"}").await;
        let world = client.text("world").await;
        assert_eq!(
            (world["driver"]["name"].as_str(), world["driver"]["step"].as_f64()),
            (Some("exact"), None)
        );
        client.send("{\"do\":\"next_event\"}").await;
        let landed = client.frame(|frame| number(frame, 13) >= 1.0 && number(frame, 6) as u32 & 4 == 0).await;
        assert!((time(&landed) - 0.2f64.sqrt()).abs() < 1e-9, "{}", time(&landed));
        client.send("{\"do\":\"driver\",\"name\":\"fixed\",\"step\":0.05}").await;
        assert_eq!(client.text("world").await["driver"]["step"], 0.05);
        client.send("{\"do\":\"driver\",\"name\":null}").await;
        assert_eq!(client.text("world").await["driver"]["name"], "fixed");
        // A step that makes no sense ends the connection, as every number out of range does.
        client.send("{\"do\":\"driver\",\"name\":\"fixed\",\"step\":-1}").await;
        assert!(client.is_closed().await);
    });
}

/// A bound of fixed steps that is exceeded is a broken law on the page as well.
#[test]
fn a_bound_that_is_exceeded_is_told() {
    let showing = show("driver = \"fixed\"\nbounds = { overlap = 1e-9 }");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        client.send("{\"do\":\"run\"}").await;
        let told = client.text("violated").await;
        assert!(told["text"].as_str().is_some_and(|text| text.starts_with("overlap was ")), "{told}");
    });
}

/// The update loop for teaching is watched with its back-steps, which come before the collisions that they found.
#[test]
fn back_steps_are_told() {
    let showing = show("driver = \"intro\"");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        assert_eq!(client.world["driver"]["name"], "intro");
        client.send("{\"do\":\"next_event\"}").await;
        client.frame(|frame| number(frame, 13) >= 2.0 && number(frame, 6) as u32 & 4 == 0).await;
        client.send("{\"do\":\"events\",\"from\":0}").await;
        let answer = client.text("events").await;
        let (back, hit) = (&answer["events"][0], &answer["events"][1]);
        assert_eq!((back[1].as_str(), hit[1].as_str()), (Some("back-step"), Some("collision")), "{answer}");
        assert_eq!(back[0], hit[0]);
        // RK4 is exact for a fall; halvings come to the contact tolerance.
        assert!((back[0].as_f64().expect("a time") - 0.2f64.sqrt()).abs() < 1e-8, "{back}");
        assert!(back[8].as_u64().is_some_and(|trials| trials > 5), "{back}");
    });
}

/// A run is kept beside a new one: both are told at the same time, with curves of each.
#[test]
fn two_runs_go_side_by_side() {
    let showing = show("driver = \"exact\"");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        assert!(client.world["beside"].is_null());
        client.send("{\"do\":\"beside\",\"keep\":true}").await;
        let world = client.text("world").await;
        assert_eq!(world["beside"]["driver"]["name"], "exact", "{}", world["beside"]);
        client.send("{\"do\":\"driver\",\"name\":\"fixed\"}").await;
        let world = client.text("world").await;
        assert_eq!(
            (&world["driver"]["name"], &world["beside"]["driver"]["name"]),
            (&json!("fixed"), &json!("exact"))
        );
        client.send("{\"do\":\"speed\",\"value\":null}").await;
        client.send("{\"do\":\"run\"}").await;
        client.frame(|frame| time(frame) > 1.0).await;
        client.send("{\"do\":\"pause\"}").await;
        client.send("{\"do\":\"seek\",\"t\":0.3}").await;
        let beside = client.beside(|frame| time(frame) == 0.3).await;
        let main = client.frame(|frame| time(frame) == 0.3).await;
        assert_eq!(number(&main, 2), number(&beside, 2));
        // The exact one is on its parabola; positions that are not selected come in single precision.
        let z = common::place_of(&beside, 0).z + world["beside"]["centre"][2].as_f64().expect("a number");
        assert!((z - (1.1 - 5.0 * 0.09)).abs() < 1e-6, "{z}");
        for (id, is_beside) in [(1, false), (2, true)] {
            let plot = json!({ "do": "plot", "id": id, "body": 0, "quantities": ["z"], "beside": is_beside });
            client.send(&plot.to_string()).await;
            let curves = client.answer(f64::from(id)).await;
            let points = number(&curves, 3) as usize;
            assert!(points > 20, "{points}");
            // Both begin at the same height.
            assert!((number(&curves, 5 + points) - 1.1).abs() < 1e-12);
        }
        client.send("{\"do\":\"beside\",\"keep\":false}").await;
        assert!(client.text("world").await["beside"].is_null());
    });
}

/// Two scenes that are given are shown side by side from the start.
#[test]
fn two_scenes_are_shown_side_by_side() {
    let viewer =
        Viewer::new().scene(given("driver = \"fixed\"")).scene(given("driver = \"intro\"")).beside(1);
    let showing = viewer.start().expect("it starts");
    runtime().block_on(async {
        let mut client = Client::new(&showing).await;
        let mut world = client.world.clone();
        if world["beside"].is_null() {
            world = client.text("world").await;
        }
        assert_eq!(
            (&world["driver"]["name"], &world["beside"]["driver"]["name"]),
            (&json!("fixed"), &json!("intro"))
        );
        client.send("{\"do\":\"run\"}").await;
        client.beside(|frame| time(frame) > 0.2).await;
    });
}
