//! Frames as bytes: small, of what has changed, and dropped rather than queued.

mod common;

use std::sync::Arc;

use common::{Client, ball_over_floor, number, position, runtime, start, time};
use dolmen::prelude::*;
use dolmen_view::recording::{BodyKey, Frame};
use dolmen_view::wire::{Encoder, HEAD, Status, View, Wants};

/// The n-th frame of two thousand bodies, of which the first `moved` are somewhere else in each.
fn view(number: u64, moved: usize) -> View {
    let bodies = (0..2000).map(|i| {
        let by = if i < moved { 0.1 * number as f64 } else { 0.0 };
        BodyKey {
            x: [f64::from(i as u32) + by, by, 1.0 / 3.0],
            q: [0.0, 0.6, 0.0, 0.8],
            v: [1.0; 3],
            w: [2.0; 3],
        }
    });
    let frame = Frame { bodies: Arc::new(bodies.collect()), ..Frame::at_start(&ball_over_floor()) };
    View { frame: Some(frame), status: Status { number, ..Status::default() }, ..View::default() }
}

/// 20 bytes a body the first time, and 24 for each that has moved since (its rank, too); nothing for those that rest.
#[test]
fn what_rests_takes_no_bytes() {
    let mut encoder = Encoder::default();
    let mut bytes = |number: u64, moved: usize| encoder.encode(&view(number, moved)).expect("a frame").len();
    assert_eq!(bytes(0, 0), 8 * HEAD + 20 * 2000);
    assert_eq!(bytes(1, 0), 8 * HEAD);
    assert_eq!(bytes(2, 7), 8 * HEAD + 24 * 7);
    assert_eq!(bytes(3, 2000), 8 * HEAD + 20 * 2000);
}

/// Positions are sent in single precision, orientations to 2⁻¹⁶, and the selected body in full.
#[test]
fn frames_tell_where_bodies_are() {
    let mut encoder = Encoder::default();
    encoder.set_wants(Wants { velocities: true, contacts: false, selected: Some(5) });
    let bytes = encoder.encode(&view(3, 2000)).expect("a frame");
    let word = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let places = 8 * HEAD;
    for (k, expected) in [7.3_f32, 0.3, 1.0 / 3.0].into_iter().enumerate() {
        let told = word(places + 4 * (3 * 7 + k));
        assert!((told - expected).abs() <= 2.0 * f32::EPSILON * expected, "{told} and not {expected}");
    }
    let turns = places + 12 * 2000;
    let part =
        |k: usize| i16::from_le_bytes(bytes[turns + 2 * k..turns + 2 * k + 2].try_into().expect("two bytes"));
    assert!((f32::from(part(1)) / 32767.0 - 0.6).abs() <= 0.5 / 32767.0 + f32::EPSILON, "{}", part(1));
    assert_eq!(word(turns + 8 * 2000 + 4 * 3), 2.0, "the spin of the first");
    // x, to the last bit.
    assert_eq!(position(&bytes), dvec3(5.0 + 0.1 * 3.0, 0.1 * 3.0, 1.0 / 3.0));
}

/// A page that has come to know everything and then shows velocities gets all bodies again.
#[test]
fn what_is_newly_wanted_is_sent() {
    let mut encoder = Encoder::default();
    encoder.encode(&view(0, 0)).expect("a frame");
    encoder.set_wants(Wants { velocities: true, ..Wants::default() });
    assert_eq!(encoder.encode(&view(1, 0)).expect("a frame").len(), 8 * HEAD + 44 * 2000);
}

/// A page that does not say that it has drawn gets two frames and no more, whatever happens; then it gets the latest one, with a
/// gap where the others were.
#[test]
fn frames_are_dropped_and_not_queued() {
    let showing = start();
    runtime().block_on(async {
        let mut slow = Client::new(&showing).await;
        let mut quick = Client::new(&showing).await;
        // Whatever was there when it came, and one more.
        let mut seen = Vec::new();
        for _ in 0..2 {
            seen.push(slow.undrawn().await);
            quick.send("{\"do\":\"step\"}").await;
        }
        let mut last = 0.0;
        for _ in 0..30 {
            quick.send("{\"do\":\"step\"}").await;
            last = time(&quick.frame(|frame| time(frame) > last).await);
        }
        // It has drawn both now, and gets the present: nothing of what was between.
        slow.send("{\"do\":\"ready\"}").await;
        let next = slow.undrawn().await;
        assert!(time(&next) >= last, "{} s and not {last} s", time(&next));
        let [first, second] = [&seen[0], &seen[1]].map(|frame| number(frame, 53));
        assert!(
            first < second && number(&next, 53) > second + 10.0,
            "{first}, {second}, {}",
            number(&next, 53)
        );
    });
}
