//! One file with the page and a recording in it: it opens from disk, without a server.
//!
//! The recording is a header in JSON and columns of numbers, packed and in base64: the times of all frames, samples of ledger and
//! momenta, keys of each body, contacts and separating planes of each pair, particles, events; as the header counts them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dolmen::math::DVec3;
use dolmen::world::ParticleSet;
use serde_json::{Value, json};

use super::ExportError;
use super::columns::Columns;
use super::keys::{Key, Tolerance, smooth};
use super::pairs::{self, LocalPlane, PairKeys};
use crate::describe::{describe, extents};
use crate::page::PAGE;
use crate::recording::{ContactKey, Frame, Jump};
use crate::session::DriverChoice;
use crate::stage::base_rate;
use crate::take::{Happening, Take};
use crate::wire::contact_row;

/// How far bodies may be from where they were, by the size of the scene; and how far turned, rad. A tenth is no smaller file,
/// ten times as much shows.
const LENGTH: f64 = 2e-4;
const ANGLE: f64 = 4e-3;

/// Samples of the ledger.
const SAMPLES: usize = 600;

/// Events in the list: 20 bytes each before they are packed; where there were more, the page says so.
const MOST_EVENTS: usize = 50_000;

/// The unit of positions by the size of the scene: a twentieth of what they may be off.
const GRID: f64 = 1e-5;

/// The unit of components of orientations.
const TURN_GRID: f32 = 1.0 / 32767.0;

/// Numbers of particles: 3 for each at each of its frames.
const MOST_PARTICLE_NUMBERS: usize = 150_000;

/// The page with a recording.
///
/// # Errors
/// When this program was built without its page.
pub fn html(take: &Take, name: &str, title: &str, end: Option<f64>) -> Result<String, ExportError> {
    let page = PAGE.ok_or(ExportError::NoPage)?;
    let (head, numbers) = replay(take, name, title, end);
    let head = head.to_string().replace("</", "<\\/");
    let data = format!(
        "<script id=\"replay\" type=\"application/json\">{head}</script>\n\
         <script id=\"replay-numbers\" type=\"text/plain\">{}</script>\n",
        STANDARD.encode(numbers)
    );
    // A script that is inside the page must not contain what would end it.
    let script = page.script.replace("</script", "<\\/script");
    let mut text = String::with_capacity(page.html.len() + script.len() + data.len() + page.style.len());
    for line in page.html.lines() {
        if line.contains("viewer.js") || line.contains("viewer.css") {
            continue;
        }
        match line.trim() {
            "</head>" => text.extend(["<style>", page.style, "</style>\n"]),
            "</body>" => text.extend([&data, "<script type=\"module\">", &script, "</script>\n"]),
            _ => {}
        }
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}

/// The header and the numbers of a recording.
fn replay(take: &Take, name: &str, title: &str, end: Option<f64>) -> (Value, Vec<u8>) {
    let (recording, world) = (take.recording(), take.world());
    let (extents, frames) = (extents(world), recording.frames());
    let tolerance = Tolerance { length: LENGTH * extents.size, angle: ANGLE };
    let tracks: Vec<Vec<Key>> =
        (0..world.described_bodies().len()).map(|body| smooth(recording, body, tolerance)).collect();
    let samples = every(frames, SAMPLES);
    let contacts = pairs::contacts(frames, extents.size);
    let planes = pairs::planes(frames, world);
    let particles = world.sets().iter().map(ParticleSet::len).sum::<usize>();
    let particle_frames = match particles {
        0 => Vec::new(),
        n => every(frames, (MOST_PARTICLE_NUMBERS / (3 * n)).max(2)),
    };
    let grid = GRID * extents.size;

    let mut columns = Columns::default();
    columns.exact(frames.iter().map(|frame| frame.t));
    put_samples(&mut columns, frames, &samples);
    put_tracks(&mut columns, &tracks, extents.centre, grid);
    let contact_keys = put_contacts(&mut columns, &contacts);
    let plane_keys = put_planes(&mut columns, &planes);
    columns.places(particle_frames.iter().copied());
    for k in 0..3 {
        let points = particle_frames.iter().flat_map(|i| frames[*i].particles.iter());
        columns.rough(points.map(|p| (f64::from(p[k]) - extents.centre[k]) as f32));
    }

    let mut head = describe(world);
    let (collisions, steps, [islands, flights]) = take.counts();
    let quality = take.quality();
    let listed = put_events(&mut columns, take.happened());
    for (key, value) in [
        ("type", json!("world")),
        ("generation", json!(1)),
        ("name", json!(name)),
        ("title", json!(title)),
        ("end", json!(end)),
        ("base", json!(base_rate(end))),
        ("error", Value::Null),
        ("changes", json!({ "gravity": null, "restitution": null, "friction": null })),
        ("scenes", json!([])),
        ("head", json!(recording.end())),
        ("stop", json!(take.stop())),
        ("violated", json!(take.violations().last())),
        ("interval", json!(recording.interval())),
        ("grid", json!(grid)),
        ("frames", json!(frames.len())),
        ("samples", json!(samples.len())),
        ("tracks", json!(tracks.iter().map(Vec::len).collect::<Vec<_>>())),
        ("contacts", contact_keys),
        ("planes", plane_keys),
        ("particle_frames", json!(particle_frames.len())),
        ("events", listed),
        ("driver", json!(take.driver().map(DriverChoice::describe))),
        (
            "quality",
            json!([
                quality.worst_overlap,
                quality.joint_error,
                quality.drift[0],
                quality.drift[1],
                quality.lost_time
            ]),
        ),
        ("statistics", json!([collisions, steps, islands, flights])),
    ] {
        head[key] = value;
    }
    (head, columns.packed())
}

/// Times, kinds, bodies, impulses, notes; kinds and notes as places in a list of words.
fn put_events(columns: &mut Columns, events: &[Happening]) -> Value {
    let listed = &events[..events.len().min(MOST_EVENTS)];
    let mut words: Vec<&str> = Vec::new();
    let mut place = |word: &'static str| {
        words.iter().position(|known| *known == word).unwrap_or_else(|| {
            words.push(word);
            words.len() - 1
        })
    };
    let kinds: Vec<usize> = listed.iter().map(|event| place(event.kind)).collect();
    let notes: Vec<usize> = listed.iter().map(|event| place(event.note)).collect();
    columns.exact(listed.iter().map(|event| event.t));
    columns.places(kinds.into_iter());
    for k in 0..2 {
        columns.places(listed.iter().map(|event| event.bodies[k].index()));
    }
    columns.rough(listed.iter().map(|event| event.impulse as f32));
    columns.places(notes.into_iter());
    json!({ "count": listed.len(), "all": events.len(), "words": words })
}

/// Which frame, then ledger and momenta.
fn put_samples(columns: &mut Columns, frames: &[Frame], samples: &[usize]) {
    columns.places(samples.iter().copied());
    let row = |i: &usize| {
        let (ledger, [p, l]) = (&frames[*i].ledger, frames[*i].momenta);
        let energies = [ledger.kinetic, ledger.potential, ledger.work];
        let losses = [ledger.collisions, ledger.friction, ledger.closing];
        [energies, losses, p.to_array(), l.to_array()]
    };
    let rows: Vec<_> = samples.iter().map(row).collect();
    for part in 0..4 {
        (0..3).for_each(|k| columns.exact(rows.iter().map(|row| row[part][k])));
    }
}

/// Which frame, position, orientation without its largest component, which that is and how it jumped, velocity, spin.
fn put_tracks(columns: &mut Columns, tracks: &[Vec<Key>], centre: DVec3, grid: f64) {
    let keys = || tracks.iter().flatten();
    columns.places(keys().map(|key| key.frame));
    for k in 0..3 {
        columns.whole(keys().map(|key| ((key.body.x[k] - centre[k]) / grid).round() as i32));
    }
    let turns: Vec<(u8, [f32; 3])> = keys().map(|key| without_largest(key.body.q)).collect();
    for k in 0..3 {
        columns.whole(turns.iter().map(|(_, rest)| (rest[k] / TURN_GRID).round() as i32));
    }
    columns.whole(keys().zip(&turns).map(|(key, (largest, _))| {
        let jump = match key.jump {
            None => 0,
            Some(Jump::AtEnd) => 1,
            Some(Jump::OnTheWay) => 2,
        };
        4 * i32::from(*largest) + jump
    }));
    (0..3).for_each(|k| columns.rough(keys().map(|key| key.body.v[k])));
    (0..3).for_each(|k| columns.rough(keys().map(|key| key.body.w[k])));
}

/// The place of the largest component of a unit quaternion, and the others under the sign that makes it positive: q and −q are
/// the same turn, and 1 less the squares of the others is the square of the largest, which is at least 1/4.
fn without_largest(q: [f32; 4]) -> (u8, [f32; 3]) {
    let largest = (0..4).fold(0, |best, k| if q[k].abs() > q[best].abs() { k } else { best });
    let sign = q[largest].signum();
    let mut rest = (0..4).filter(|k| *k != largest).map(|k| sign * q[k]);
    (largest as u8, [(); 3].map(|()| rest.next().unwrap_or_default()))
}

/// Pairs and how many keys each has, for the header.
fn counts<T>(keys: &PairKeys<T>) -> Value {
    json!(keys.iter().map(|([a, b], keys)| [*a as usize, *b as usize, keys.len()]).collect::<Vec<_>>())
}

/// Which frame and how many contacts; then these: point, normal, force, friction, flags.
fn put_contacts(columns: &mut Columns, found: &PairKeys<Vec<ContactKey>>) -> Value {
    let keys = || found.values().flatten();
    columns.places(keys().map(|key| key.frame));
    columns.places(keys().map(|key| key.what.len()));
    let rows: Vec<[f32; 13]> = keys().flat_map(|key| &key.what).map(contact_row).collect();
    (0..10).for_each(|k| columns.rough(rows.iter().map(|row| row[k])));
    columns.whole(rows.iter().map(|row| row[10] as i32));
    counts(found)
}

/// Which frame, of what kind (0 none, 1 a face, 2 edges; 4 more if it moves with the second body); then, for all kinds but the
/// first, point and normal in the frame of that body, separation, half side.
fn put_planes(columns: &mut Columns, found: &PairKeys<Option<LocalPlane>>) -> Value {
    let keys = || found.values().flatten();
    columns.places(keys().map(|key| key.frame));
    columns.whole(keys().map(|key| {
        key.what.map_or(0, |LocalPlane { witness, .. }| {
            let of_second = i32::from(witness.owner == witness.bodies[1]);
            1 + i32::from(witness.is_of_edges) + 4 * of_second
        })
    }));
    let planes: Vec<LocalPlane> = keys().filter_map(|key| key.what).collect();
    (0..3).for_each(|k| columns.rough(planes.iter().map(|plane| plane.point[k] as f32)));
    (0..3).for_each(|k| columns.rough(planes.iter().map(|plane| plane.normal[k] as f32)));
    columns.rough(planes.iter().map(|plane| plane.witness.separation));
    columns.rough(planes.iter().map(|plane| plane.witness.reach));
    counts(found)
}

/// The places of at most so many frames, evenly, the last among them.
fn every(frames: &[Frame], most: usize) -> Vec<usize> {
    let stride = frames.len().div_ceil(most.max(1)).max(1);
    let last = frames.len().saturating_sub(1);
    (0..frames.len()).filter(|i| i % stride == 0 || *i == last).collect()
}
