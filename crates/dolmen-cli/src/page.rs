//! One self-contained page of a run: moving wire frames, the figures and the summary.
//!
//! The page loads nothing: script, style, figures and data are inside it, and a content security policy in its
//! head forbids the browser to fetch anything. It is made for one run and one reader; the live viewer is another
//! thing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

use crate::plot::canvas::escape;
use crate::plot::{self, PlotError};
use crate::tables::{Run, Sample, TableError, Track, read_json};

/// Moments that are shown; more of them make a page that opens slowly and moves no smoother.
const MAX_FRAMES: usize = 600;
/// Poses in the page, of all bodies at all moments: about 60 bytes each.
const MAX_POSES: usize = 150_000;
/// Particles that are shown; of more, an even choice.
const MAX_PARTICLES: usize = 2_000;
/// Ticks on the time line: no more than it has pixels.
const MAX_TICKS: f64 = 1_200.0;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Why there is no page.
#[derive(Debug, Error)]
pub(crate) enum PageError {
    /// The run cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The figures cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The page cannot be written.
    #[error("{}: {source}; check that the directory exists and that you may write there", .file.display())]
    Write {
        /// The page, or its directory.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Writes `index.html` of a run into `out`, which is made if it is not there, and returns its path.
///
/// Shapes come from `shapes.json` in the run directory, where there is one: an object from a body's name to
/// `{"kind": "box", "half": [x, y, z]}`, `{"kind": "sphere", "radius": r}` or
/// `{"kind": "mesh", "vertices": [[x, y, z], …], "edges": [[i, j], …]}`, in m in the body's frame. A body without
/// a shape is drawn as a cross.
///
/// # Errors
/// When its shapes cannot be read, there are no samples, or the page cannot be written.
pub(crate) fn write(run: &Run, out: &Path) -> Result<PathBuf, PageError> {
    let shapes = read_shapes(&run.folder.join("shapes.json"))?;
    let html = page(run, &shapes)?;
    std::fs::create_dir_all(out).map_err(|source| PageError::Write { file: out.to_owned(), source })?;
    let file = out.join("index.html");
    std::fs::write(&file, html).map_err(|source| PageError::Write { file: file.clone(), source })?;
    Ok(file)
}

fn page(run: &Run, shapes: &Value) -> Result<String, PageError> {
    let title = escape(&run.title());
    let status = run.summary.get("status").and_then(Value::as_str).unwrap_or("unknown");
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
         style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>Status: {}</p>\n",
        escape(status)
    );
    if let Some(note) = &run.note {
        let _ = writeln!(html, "<p class=\"note\">Note: {}</p>", escape(note));
    }
    let shown = Shown::choose(run);
    html.push_str(
        "<canvas id=\"view\" tabindex=\"0\" role=\"img\" aria-label=\"The bodies in motion\"></canvas>\n\
         <div class=\"controls\"><button id=\"play\" type=\"button\">Play</button>\
         <input id=\"time\" type=\"range\" min=\"0\" max=\"0\" value=\"0\" step=\"1\" aria-label=\"Time\">\
         <output id=\"clock\"></output><select id=\"speed\" aria-label=\"Speed\"></select></div>\n\
         <ul class=\"names\" id=\"names\"></ul>\n",
    );
    let _ = writeln!(html, "<p class=\"note\">{}</p>", escape(&shown.note(run)));
    for (name, canvas) in plot::draw(run)? {
        let _ = writeln!(html, "<figure id=\"{name}\">\n{}</figure>", canvas.to_svg());
    }
    html.push_str("<h2>Summary</h2>\n<table>\n");
    if let Value::Object(fields) = &run.summary {
        for (name, value) in fields {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = writeln!(html, "<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(&text));
        }
    }
    html.push_str("</table>\n<script id=\"run\" type=\"application/json\">");
    html.push_str(&shown.json(run, shapes));
    html.push_str("</script>\n<script>\n");
    html.push_str(SCRIPT);
    html.push_str("</script>\n</body>\n</html>\n");
    Ok(html)
}

/// What of a run is in its page.
struct Shown<'a> {
    /// (number, t) of the moments.
    frames: Vec<(u64, f64)>,
    particles: Vec<&'a Track>,
}

impl<'a> Shown<'a> {
    fn choose(run: &'a Run) -> Self {
        let step = run.particles.all.len().div_ceil(MAX_PARTICLES).max(1);
        let particles: Vec<&Track> = run.particles.all.iter().step_by(step).collect();
        let all = if run.bodies.frames.is_empty() { &run.particles.frames } else { &run.bodies.frames };
        let per_frame = (run.bodies.all.len() + particles.len()).max(1);
        let most = MAX_FRAMES.min(MAX_POSES / per_frame).max(2);
        // The first, the last, and others evenly between them.
        let frames = if all.len() <= most {
            all.clone()
        } else {
            (0..most).map(|i| all[i * (all.len() - 1) / (most - 1)]).collect()
        };
        Self { frames, particles }
    }

    fn note(&self, run: &Run) -> String {
        let total = run.bodies.frames_total.max(run.particles.frames_total);
        let mut note = "Drag to turn, wheel to zoom, space to play; z is up.".to_owned();
        if run.events.total > 0 {
            note.push_str(" Ticks along the lower edge are events.");
        }
        if (self.frames.len() as u64) < total {
            let _ = write!(note, " {} of {total} samples are shown.", self.frames.len());
        }
        if self.particles.len() < run.particles.all.len() {
            let _ =
                write!(note, " {} of {} particles are shown.", self.particles.len(), run.particles.all.len());
        }
        note
    }

    /// The times of events, as far as they can be told apart on the time line.
    fn ticks(&self, run: &Run) -> Vec<f64> {
        let (Some((_, first)), Some((_, last))) = (self.frames.first(), self.frames.last()) else {
            return Vec::new();
        };
        let tick = |t: f64| ((t - first) / (last - first) * MAX_TICKS).round();
        let mut times: Vec<f64> =
            run.events.all.iter().map(|e| e.t).filter(|t| (*first..=*last).contains(t)).collect();
        times.dedup_by(|b, a| tick(*a) == tick(*b));
        times
    }

    /// The data for the script, fit to stand inside a script element.
    fn json(&self, run: &Run, shapes: &Value) -> String {
        let mut json = "{\"frames\":[".to_owned();
        push_numbers(&mut json, self.frames.iter().map(|(_, t)| *t));
        json.push_str("],\n\"events\":[");
        push_numbers(&mut json, self.ticks(run));
        json.push_str("],\n\"bodies\":[");
        for (i, track) in run.bodies.all.iter().enumerate() {
            let shape = shapes.get(&track.name).unwrap_or(&Value::Null);
            let name = Value::from(track.name.as_str());
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(json, "{comma}\n{{\"name\":{name},\"shape\":{shape},\"poses\":[");
            let pose = |s: &Sample| [s.x[0], s.x[1], s.x[2], s.q[0], s.q[1], s.q[2], s.q[3]];
            push_samples(&mut json, &self.frames, track, pose, |s, frame| s.frame.cmp(&frame.0));
            json.push_str("]}");
        }
        json.push_str("],\n\"particles\":[");
        for (i, track) in self.particles.iter().enumerate() {
            let name = Value::from(track.name.as_str());
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(json, "{comma}\n{{\"name\":{name},\"points\":[");
            // Bodies and particles are thinned apart, so only their times agree.
            push_samples(&mut json, &self.frames, track, |s| s.x, |s, frame| s.t.total_cmp(&frame.1));
            json.push_str("]}");
        }
        json.push_str("]}");
        // No "<" but in strings, and there the escape means the same: nothing can end the script element.
        json.replace('<', "\\u003c")
    }
}

/// Adds `N` numbers for each frame: of the sample at that frame, or nulls.
fn push_samples<const N: usize>(
    json: &mut String,
    frames: &[(u64, f64)],
    track: &Track,
    numbers: impl Fn(&Sample) -> [f64; N],
    compare: impl Fn(&Sample, &(u64, f64)) -> std::cmp::Ordering,
) {
    let mut next = 0;
    let mut is_first = true;
    for frame in frames {
        while next < track.samples.len() && compare(&track.samples[next], frame).is_lt() {
            next += 1;
        }
        let here = track.samples.get(next).filter(|s| compare(s, frame).is_eq());
        if !is_first {
            json.push(',');
        }
        is_first = false;
        push_numbers(json, here.map_or([f64::NAN; N], &numbers));
    }
}

/// Numbers to six digits, with commas between; null for what is not finite.
fn push_numbers(json: &mut String, numbers: impl IntoIterator<Item = f64>) {
    for (i, v) in numbers.into_iter().enumerate() {
        if i > 0 {
            json.push(',');
        }
        let rounded = format!("{v:.5e}").parse().unwrap_or(f64::NAN);
        let size = f64::abs(rounded);
        let _ = match size {
            0.0 => write!(json, "0"),
            1e-4..1e7 => write!(json, "{rounded}"),
            s if s.is_finite() => write!(json, "{rounded:e}"),
            _ => write!(json, "null"),
        };
    }
}

/// The shapes, checked so far that the script can rely on them; an empty object without a file.
fn read_shapes(file: &Path) -> Result<Value, TableError> {
    if !file.exists() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    let shapes = read_json(file)?;
    for (name, shape) in shapes.as_object().into_iter().flatten() {
        check_shape(shape).map_err(|what| TableError::Json {
            file: file.to_owned(),
            what: format!("the shape of {name:?} {what}"),
        })?;
    }
    Ok(shapes)
}

fn check_shape(shape: &Value) -> Result<(), &'static str> {
    let is_point = |v: &Value| v.as_array().is_some_and(|a| a.len() == 3 && a.iter().all(Value::is_number));
    match shape.get("kind").and_then(Value::as_str) {
        Some("box") if shape.get("half").is_some_and(is_point) => Ok(()),
        Some("box") => Err("needs \"half\": [x, y, z]"),
        Some("sphere") if shape.get("radius").is_some_and(Value::is_number) => Ok(()),
        Some("sphere") => Err("needs \"radius\": a number"),
        Some("mesh") => {
            let list = |name: &str| shape.get(name).and_then(Value::as_array);
            let vertices = list("vertices")
                .filter(|v| v.iter().all(is_point))
                .ok_or("needs \"vertices\": [[x, y, z], …]")?;
            let is_end = |v: &Value| v.as_u64().is_some_and(|i| i < vertices.len() as u64);
            let is_edge = |v: &Value| v.as_array().is_some_and(|a| a.len() == 2 && a.iter().all(is_end));
            let edges = list("edges").filter(|e| e.iter().all(is_edge));
            edges.map(|_| ()).ok_or("needs \"edges\": [[i, j], …], numbers of its vertices from 0")
        }
        _ => Err("needs \"kind\": \"box\", \"sphere\" or \"mesh\""),
    }
}

#[cfg(test)]
mod tests;
