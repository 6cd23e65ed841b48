//! As few key frames of each body as give its motion back.

use crate::recording::{BodyKey, Jump, Recording, between};

/// A body at an instant that was kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// The place of its frame in the recording.
    pub frame: usize,
    /// Time, s.
    pub t: f64,
    /// Where and how fast.
    pub body: BodyKey,
    /// How its velocity came to differ from the key before, if by a jump.
    pub jump: Option<Jump>,
}

/// How far the motion may be from the recorded one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// m.
    pub length: f64,
    /// rad.
    pub angle: f64,
}

/// Frames that one pair of keys may span.
pub(super) const LONGEST: usize = 240;

/// Frames of a span at which it is compared with the recording.
const PROBES: usize = 8;

/// A body between two others: given the jump of the later, the share of the way and the time between, s.
pub type Interpolate = dyn Fn(&BodyKey, &BodyKey, Option<Jump>, f64, f64) -> BodyKey;

/// Keys of a body between which `interpolate` meets every recorded frame that was compared to the tolerance.
pub fn thinned(
    recording: &Recording,
    body: usize,
    tolerance: Tolerance,
    interpolate: &Interpolate,
) -> Vec<Key> {
    let frames = recording.frames();
    let key = |i: usize| Key {
        frame: i,
        t: frames[i].t,
        body: frames[i].bodies[body],
        jump: frames[i].jump_of(body),
    };
    let fits = |i: usize, j: usize| {
        let (a, b) = (key(i), key(j));
        let h = b.t - a.t;
        let step = ((j - i) / PROBES).max(1);
        (i + 1..j).rev().step_by(step).all(|k| {
            let there = key(k);
            let guess = interpolate(&a.body, &b.body, b.jump, (there.t - a.t) / h, h);
            is_near(&guess, &there.body, tolerance)
        })
    };
    let mut kept = Vec::new();
    if frames.is_empty() {
        return kept;
    }
    let mut i = 0;
    kept.push(key(0));
    while i + 1 < frames.len() {
        let mut j = i + 1;
        while j + 1 < frames.len() && j - i < LONGEST && fits(i, j + 1) {
            j += 1;
        }
        kept.push(key(j));
        i = j;
    }
    kept
}

/// The same, for motion between keys as in [`between`].
pub fn smooth(recording: &Recording, body: usize, tolerance: Tolerance) -> Vec<Key> {
    thinned(recording, body, tolerance, &between)
}

fn is_near(a: &BodyKey, b: &BodyKey, tolerance: Tolerance) -> bool {
    // 1 − (p·q)² = sin² of half the angle between them.
    let along = a.orientation().dot(b.orientation());
    let sine = (1.0 - along * along).max(0.0).sqrt();
    a.position().distance(b.position()) <= tolerance.length && 2.0 * sine <= tolerance.angle
}
