//! What is between pairs of bodies over time, contacts and separating planes, as few of them as tell the story.
//!
//! Of every pair a list of keys is kept: what is true from an instant on, until the next key. Contacts are in the frame of the
//! world. A plane is kept in the frame of the body whose face it is, and moves with that: as long as the same features separate
//! the pair, one key is enough.

use std::collections::BTreeMap;

use dolmen::math::{DVec3, Pose};
use dolmen::world::World;

use crate::recording::{ContactKey, Frame};
use crate::witnesses::{WitnessKey, Witnesses};

/// Rows of contacts in a file, and of planes.
const MOST_CONTACTS: usize = 12_000;
const MOST_PLANES: usize = 8000;

/// Frames in which planes are searched for, times the number of bodies.
const MOST_LOOKS: usize = 60_000;

/// Frames in which planes are searched for at most: sixty a second of a run that is shown in ten seconds.
const MOST_FRAMES: usize = 600;

/// How far a plane may be from where it is shown: cosine of the angle, distance across and along it by its half side, and the
/// separation by the same. More would show; less makes files larger.
const LEAN: f64 = 0.9986;
const ACROSS: f64 = 0.02;
const ALONG: f64 = 0.5;

/// What is true of a pair from a frame on; nothing is the end of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PairKey<T> {
    /// The place of the frame in the recording.
    pub(super) frame: usize,
    pub(super) what: T,
}

/// The keys of every pair, by ranks.
pub(super) type PairKeys<T> = BTreeMap<[u32; 2], Vec<PairKey<T>>>;

/// A plane in the frame of one body of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LocalPlane {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
    pub(super) witness: WitnessKey,
}

/// Contacts of every pair, each time they change; seldomer if there are too many.
pub(super) fn contacts(frames: &[Frame], size: f64) -> PairKeys<Vec<ContactKey>> {
    let largest = frames.iter().flat_map(|f| f.contacts.iter()).map(|c| norm(c.force)).fold(0.0, f32::max);
    let (far, much) = ((5e-3 * size) as f32, 0.02 * largest);
    let is_same = |a: &[ContactKey], b: &[ContactKey]| {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| {
                a.flags == b.flags
                    && norm(difference(a.point, b.point)) <= far
                    && norm(difference(a.force, b.force)) <= much
            })
    };
    let mut stride = 1;
    loop {
        let mut found: PairKeys<Vec<ContactKey>> = BTreeMap::new();
        let mut rows = 0;
        for (i, frame) in frames.iter().enumerate().step_by(stride) {
            let mut now: BTreeMap<[u32; 2], Vec<ContactKey>> = BTreeMap::new();
            for contact in frame.contacts.iter() {
                now.entry(contact.bodies).or_default().push(*contact);
            }
            for (pair, keys) in &mut found {
                if !now.contains_key(pair) && keys.last().is_some_and(|key| !key.what.is_empty()) {
                    keys.push(PairKey { frame: i, what: Vec::new() });
                }
            }
            for (pair, what) in now {
                let keys = found.entry(pair).or_default();
                if keys.last().is_none_or(|before| !is_same(&before.what, &what)) {
                    rows += what.len();
                    keys.push(PairKey { frame: i, what });
                }
            }
        }
        if rows <= MOST_CONTACTS || stride >= frames.len() {
            return found;
        }
        stride *= 2;
    }
}

/// Planes of every pair that is near each other, each time they change; seldomer if there are too many.
pub(super) fn planes(frames: &[Frame], world: &World) -> PairKeys<Option<LocalPlane>> {
    let most = (MOST_LOOKS / world.described_bodies().len().max(1)).clamp(2, MOST_FRAMES);
    let mut stride = frames.len().div_ceil(most).max(1);
    loop {
        let (found, rows) = planes_by(frames, world, stride);
        if rows <= MOST_PLANES || stride >= frames.len() {
            return found;
        }
        stride *= 2;
    }
}

fn planes_by(frames: &[Frame], world: &World, stride: usize) -> (PairKeys<Option<LocalPlane>>, usize) {
    let mut witnesses = Witnesses::new(world);
    let mut found: PairKeys<Option<LocalPlane>> = BTreeMap::new();
    let mut rows = 0;
    for (i, frame) in frames.iter().enumerate().step_by(stride) {
        let now: BTreeMap<[u32; 2], WitnessKey> =
            witnesses.of(frame, None).into_iter().map(|witness| (witness.bodies, witness)).collect();
        for (pair, keys) in &mut found {
            if !now.contains_key(pair) && keys.last().is_some_and(|key| key.what.is_some()) {
                rows += 1;
                keys.push(PairKey { frame: i, what: None });
            }
        }
        for (pair, witness) in now {
            let owner = pose(frame, witness.owner);
            let keys = found.entry(pair).or_default();
            let known = keys.last().and_then(|key| key.what);
            if known.is_none_or(|known| !is_there(&known, frame, &witness)) {
                rows += 1;
                let back = owner.orientation.inverse();
                let point = back * (wide(witness.point) - owner.position);
                let normal = back * wide(witness.normal);
                keys.push(PairKey { frame: i, what: Some(LocalPlane { point, normal, witness }) });
            }
        }
    }
    (found, rows)
}

/// Whether a plane that has moved with its body is still where it is now.
fn is_there(known: &LocalPlane, frame: &Frame, now: &WitnessKey) -> bool {
    let owner = pose(frame, known.witness.owner);
    let (point, normal) = (owner.point(known.point), owner.orientation * known.normal);
    let (to, reach) = (wide(now.point) - point, f64::from(now.reach));
    let across = to.dot(normal);
    known.witness.is_of_edges == now.is_of_edges
        && normal.dot(wide(now.normal)) >= LEAN
        && across.abs() <= ACROSS * reach
        && (to - across * normal).length() <= ALONG * reach
        && f64::from((known.witness.separation - now.separation).abs()) <= 2.0 * ACROSS * reach
}

fn pose(frame: &Frame, rank: u32) -> Pose {
    let key = &frame.bodies[rank as usize];
    Pose { position: key.position(), orientation: key.orientation() }
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn norm(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
