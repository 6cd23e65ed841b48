//! Recordings and what is made of them.

mod common;

use common::ball_over_floor;
use dolmen::prelude::*;
use dolmen_view::export::keys::{Tolerance, smooth};
use dolmen_view::export::png::Picture;
use dolmen_view::export::{glb, html, png, record};
use dolmen_view::recording::{Frame, Recording, between};
use dolmen_view::{DriverChoice, PAGE, Take, Went};

/// Where the ball is: a parabola, then one of half the speed after the contact at 0.5 s.
fn height(t: f64) -> f64 {
    if t < 0.5 {
        1.35 - 5.0 * t * t
    } else {
        let s = t - 0.5;
        0.1 + 2.5 * s - 5.0 * s * s
    }
}

/// Free flight between frames is a parabola, and a bounce has a frame of its own: nothing is ever below the floor.
#[test]
fn recordings_are_exact_between_frames() {
    let take = record(ball_over_floor(), 0.9).expect("it starts");
    for i in 0..=900 {
        let t = 1e-3 * f64::from(i);
        let frame = take.recording().at(t).expect("a frame");
        let z = frame.bodies[0].x[2];
        // Velocities are kept in single precision: 6e-8 of 5 m/s over a sixtieth of a second.
        assert!((z - height(t)).abs() < 1e-8, "t = {t}: {z} and not {}", height(t));
    }
}

/// A steady spin of any rate is met half-way between frames, though orientations are given at both ends only.
#[test]
fn orientations_between_frames_follow_the_spin() {
    for rate in [0.0, 0.3, 3.0, 30.0] {
        let mut builder = WorldBuilder::new();
        let ball = Body::solid(Shape::sphere(0.1).expect("a radius"), 1000.0).expect("a mass");
        builder
            .body(ball.named("ball").moving(DVec3::ZERO, dvec3(0.0, 0.6 * rate, 0.8 * rate)))
            .expect("a body");
        let mut simulation = Simulation::new(builder.build().expect("one name")).expect("it starts");
        let mut at = |t: f64| {
            simulation.advance(t).expect("it spins");
            let sample = simulation.sample();
            Frame::new(simulation.world(), &sample, &[]).bodies[0]
        };
        let (a, middle, b) = (at(0.0), at(0.03), at(0.06));
        let found = between(&a, &b, None, 0.5, 0.06);
        let along = found.orientation().dot(middle.orientation()).abs();
        // Single precision.
        assert!((along - 1.0).abs() < 1e-6, "at {rate} rad/s they differ: |p·q| = {along}");
    }
}

/// A ball that flies needs a key at the start, the contact and the end, and few more.
#[test]
fn flight_needs_few_keys() {
    let take = record(ball_over_floor(), 0.9).expect("it starts");
    let keys = smooth(take.recording(), 0, Tolerance { length: 1e-5, angle: 1e-3 });
    assert!(take.recording().frames().len() > 50, "{} frames", take.recording().frames().len());
    assert!(keys.len() <= 5, "{} keys: {:?}", keys.len(), keys.iter().map(|key| key.t).collect::<Vec<_>>());
    for pair in keys.windows(2) {
        for s in [0.1, 0.5, 0.9] {
            let h = pair[1].t - pair[0].t;
            let z = between(&pair[0].body, &pair[1].body, pair[1].jump, s, h).x[2];
            let t = pair[0].t + s * h;
            assert!((z - height(t)).abs() < 2e-5, "t = {t}: {z} and not {}", height(t));
        }
    }
}

/// A recording that is out of memory keeps every other frame, its start and its end, and moves as before.
#[test]
fn a_full_recording_is_thinned() {
    let recording = Recording::new(1e-3, 100_000);
    let mut take = Take::new(ball_over_floor(), &DriverChoice::Exact, recording, None).expect("it starts");
    assert_eq!(take.go(0.9, &mut || true), Went::There);
    let recording = take.recording();
    assert!(recording.thinned() >= 1, "it was never full");
    let times: Vec<f64> = recording.frames().iter().map(|frame| frame.t).collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times[0] == 0.0, "{times:?}");
    for i in 0..=89 {
        let t = 1e-2 * f64::from(i);
        let z = recording.at(t).expect("a frame").bodies[0].x[2];
        // Where the frame of the contact was dropped, the two around it are joined by a line: its sag is below v·h.
        assert!((z - height(t)).abs() < 0.05, "t = {t}: {z} and not {}", height(t));
    }
}

/// A page of a run names its recording, and is small; without the page built in, that is said.
#[test]
fn pages_are_written_or_refused() {
    let take = record(ball_over_floor(), 0.9).expect("it starts");
    match html::html(&take, "ball", "A </script> ball", Some(0.9)) {
        Ok(text) => {
            assert!(PAGE.is_some());
            assert!(
                text.contains("id=\"replay\"") && text.matches("</script>").count() == 3,
                "scripts are not closed once"
            );
            assert!(text.len() < 1_000_000, "{} bytes", text.len());
        }
        Err(error) => assert!(PAGE.is_none(), "{error}"),
    }
}

/// The header of a glTF file counts its bytes, and its animation ends when the run does.
#[test]
fn gltf_counts_its_bytes() {
    let take = record(ball_over_floor(), 0.9).expect("it starts");
    let bytes = glb::glb(&take, "ball").expect("it fits");
    let word =
        |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes")) as usize;
    assert_eq!((&bytes[..4], word(1), word(2)), (&b"glTF"[..], 2, bytes.len()));
    let document: serde_json::Value = serde_json::from_slice(&bytes[20..20 + word(3)]).expect("JSON");
    let input = document["animations"][0]["samplers"][0]["input"].as_u64().expect("an accessor") as usize;
    let end = document["accessors"][input]["max"][0].as_f64().expect("a time");
    assert!((end - 0.9).abs() < 1e-6, "{end}");
}

/// A picture shows something in its middle, and sizes out of range are refused with what would do.
#[test]
fn pictures_show_the_bodies() {
    let take = record(ball_over_floor(), 0.9).expect("it starts");
    let picture = |width: usize| Picture { times: vec![0.0, 0.9], width, height: 80 };
    let file = png::png(&take, &picture(120)).expect("it is drawn");
    assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
    let error = png::png(&take, &picture(3)).expect_err("too narrow").to_string();
    assert!(error.contains("the width is 3") && error.contains("from 16"), "{error}");
}

/// Pictures that move are, laid over each other as a browser does it, those that stand: each pixel within the step of the palette, the
/// first one whole and the others only where something changed.
#[test]
fn moving_pictures_are_those_that_stand() {
    let take = record(ball_over_floor(), 0.9).expect("it starts");
    let (width, height) = (120, 80);
    let times: Vec<f64> = (0..10).map(|i| 0.1 * f64::from(i)).collect();
    let file = png::apng(&take, &Picture { times: times.clone(), width, height }, 50).expect("it is drawn");
    let mut reader = png_reader(&file);
    let control = reader.info().animation_control.expect("it moves");
    assert_eq!((control.num_frames, control.num_plays), (10, 0));
    let palette = reader.info().palette.clone().expect("colours").into_owned();
    let mut screen = vec![0; 3 * width * height];
    let mut smaller = 0;
    for t in times {
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut bytes).expect("a picture");
        let frame = *reader.info().frame_control.as_ref().expect("a place");
        let [w, h] = [frame.width, frame.height].map(|n| n as usize);
        let [left, top] = [frame.x_offset, frame.y_offset].map(|n| n as usize);
        assert_eq!((frame.delay_num, frame.delay_den), (50, 1000));
        smaller += usize::from(w * h < width * height);
        for (i, colour) in bytes[..w * h].iter().enumerate().filter(|(_, colour)| **colour != 255) {
            let at = 3 * ((top + i / w) * width + left + i % w);
            screen[at..at + 3].copy_from_slice(&palette[3 * usize::from(*colour)..][..3]);
        }
        let standing = png::png(&take, &Picture { times: vec![t], width, height }).expect("it is drawn");
        let mut reader = png_reader(&standing);
        let mut wanted = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut wanted).expect("a picture");
        let off = screen.iter().zip(&wanted).map(|(a, b)| a.abs_diff(*b)).max();
        // Colours that are not told apart differ by less than eight; some others share one of the 255.
        assert!(off.is_some_and(|off| off <= 32), "at {t} s a colour is off by {off:?}");
    }
    assert!(smaller >= 8, "{smaller} pictures are smaller than the first");
    let error = png::apng(&take, &Picture { times: vec![0.0], width, height }, 0).expect_err("no time");
    assert!(error.to_string().contains("the time of a picture in ms is 0"), "{error}");
}

fn png_reader(file: &[u8]) -> ::png::Reader<std::io::Cursor<&[u8]>> {
    let mut decoder = ::png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(::png::Transformations::IDENTITY);
    decoder.read_info().expect("a picture")
}
