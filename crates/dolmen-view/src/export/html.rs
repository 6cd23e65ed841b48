//! One file with the page and a recording in it: it opens from disk, without a server.
//!
//! The recording is a header in JSON and a block of numbers, little endian, in base64: first of 8 bytes (a row a sample: time,
//! ledger, momenta), then of 4 (keys of each body, contacts, particles), as the header counts them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dolmen::math::DVec3;
use dolmen::world::ParticleSet;
use serde_json::{Value, json};

use super::ExportError;
use super::keys::{Key, Tolerance, smooth};
use crate::describe::{describe, extents};
use crate::page::PAGE;
use crate::recording::{ContactKey, Frame, Jump};
use crate::stage::{base_rate, event_json};
use crate::take::Take;

/// How far bodies may be from where they were, by the size of the scene; and how far turned, rad. A tenth is no smaller file,
/// ten times as much shows.
const LENGTH: f64 = 2e-4;
const ANGLE: f64 = 4e-3;

/// Samples of the ledger.
const SAMPLES: usize = 600;

/// Events in the list.
const MOST_EVENTS: usize = 4000;

/// Rows of contacts.
const MOST_CONTACTS: usize = 8000;

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
    let (recording, world) = (take.recording(), take.simulation().world());
    let extents = extents(world);
    let tolerance = Tolerance { length: LENGTH * extents.size, angle: ANGLE };
    let tracks: Vec<Vec<Key>> =
        (0..world.bodies().len()).map(|body| smooth(recording, body, tolerance)).collect();
    let samples = every(recording.frames(), SAMPLES);
    let contacts = contact_frames(recording.frames(), extents.size);
    let particles = world.sets().iter().map(ParticleSet::len).sum::<usize>();
    let particle_frames = match particles {
        0 => Vec::new(),
        n => every(recording.frames(), (MOST_PARTICLE_NUMBERS / (3 * n)).max(2)),
    };

    let mut bytes = Vec::new();
    for frame in &samples {
        let ledger = &frame.ledger;
        let row = [
            frame.t,
            ledger.kinetic,
            ledger.potential,
            ledger.work,
            ledger.collisions,
            ledger.friction,
            ledger.closing,
        ];
        let momenta = frame.momenta.iter().flat_map(DVec3::to_array);
        row.into_iter().chain(momenta).for_each(|v| bytes.extend(v.to_le_bytes()));
    }
    let mut put = |value: f32| bytes.extend(value.to_le_bytes());
    for key in tracks.iter().flatten() {
        let centre = extents.centre.to_array();
        put(key.t as f32);
        (0..3).for_each(|k| put((key.body.x[k] - centre[k]) as f32));
        key.body.q.iter().chain(&key.body.v).chain(&key.body.w).for_each(|v| put(*v));
        put(match key.jump {
            None => 0.0,
            Some(Jump::AtEnd) => 1.0,
            Some(Jump::OnTheWay) => 2.0,
        });
    }
    for frame in &contacts {
        put(frame.t as f32);
        put(frame.contacts.len() as f32);
        for contact in &frame.contacts {
            contact_row(contact).into_iter().for_each(&mut put);
        }
    }
    for frame in &particle_frames {
        put(frame.t as f32);
        frame.particles.iter().flatten().for_each(|v| put(*v));
    }

    let mut head = describe(world);
    let (islands, flights) = take.simulation().islands();
    let listed = take.events().iter().take(MOST_EVENTS).map(event_json).collect::<Vec<_>>();
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
        ("interval", json!(recording.interval())),
        ("samples", json!(samples.len())),
        ("tracks", json!(tracks.iter().map(Vec::len).collect::<Vec<_>>())),
        ("contact_frames", json!(contacts.len())),
        ("particle_frames", json!(particle_frames.len())),
        ("events", json!(listed)),
        (
            "statistics",
            json!([take.simulation().collisions().1, take.simulation().statistics().steps, islands, flights]),
        ),
    ] {
        head[key] = value;
    }
    (head, bytes)
}

fn contact_row(contact: &ContactKey) -> [f32; 13] {
    let ([px, py, pz], [nx, ny, nz], [fx, fy, fz]) = (contact.point, contact.normal, contact.force);
    let [a, b] = contact.bodies.map(|rank| rank as f32);
    [px, py, pz, nx, ny, nz, fx, fy, fz, contact.friction, contact.flags as f32, a, b]
}

/// At most so many frames, evenly, the last among them.
fn every(frames: &[Frame], most: usize) -> Vec<&Frame> {
    let stride = frames.len().div_ceil(most.max(1)).max(1);
    let last = frames.len().saturating_sub(1);
    frames.iter().enumerate().filter(|(i, _)| i % stride == 0 || *i == last).map(|(_, frame)| frame).collect()
}

/// Frames at which contacts differ from those before; fewer if there are too many.
fn contact_frames(frames: &[Frame], size: f64) -> Vec<&Frame> {
    let largest = frames.iter().flat_map(|f| &f.contacts).map(|c| norm(c.force)).fold(0.0, f32::max);
    let (far, much) = ((5e-3 * size) as f32, 0.02 * largest);
    let mut kept: Vec<&Frame> = Vec::new();
    for frame in frames {
        let is_same = |before: &&Frame| {
            before.contacts.len() == frame.contacts.len()
                && before.contacts.iter().zip(&frame.contacts).all(|(a, b)| {
                    a.bodies == b.bodies
                        && a.flags == b.flags
                        && norm(difference(a.point, b.point)) <= far
                        && norm(difference(a.force, b.force)) <= much
                })
        };
        let is_news = kept.last().map_or(!frame.contacts.is_empty(), |before| !is_same(before));
        if is_news {
            kept.push(frame);
        }
    }
    let rows: usize = kept.iter().map(|frame| frame.contacts.len()).sum();
    let stride = rows.div_ceil(MOST_CONTACTS).max(1);
    kept.into_iter().step_by(stride).collect()
}

fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn norm(v: [f32; 3]) -> f32 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
