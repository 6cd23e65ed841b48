//! Figures of a run: energy, momentum, trajectories, spin, drift of orientations, events, contact forces; each as SVG and as PNG.

mod axis;
pub(crate) mod canvas;
pub(crate) mod compare;
mod drift;
mod energy;
mod events;
mod forces;
mod momentum;
mod panel;
mod spin;
pub(crate) mod sweep;
mod trajectories;

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::tables::Run;
use axis::{Axis, Extent, in_words};
use canvas::{Anchor, Canvas, LARGE, SMALL, fit};

/// Why there are no figures.
#[derive(Debug, Error)]
pub(crate) enum PlotError {
    /// The tables have headers only.
    #[error(
        "the run has no samples: its tables have no line below the header; run the scene again with a longer duration"
    )]
    Empty,
    /// A figure cannot be written.
    #[error("{}: {source}; check that the directory exists and that you may write there", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The rasteriser refused.
    #[error("a figure could not be turned into pixels: {0}; the SVG of it is unharmed")]
    Raster(String),
}

/// Writes the figures of a run into `out` and returns the files, SVG before PNG.
///
/// `out` is made if it is not there. The figures are `energy`, `momentum`, `trajectories`, for a run with bodies and
/// not particles alone `spin`, and, where there were any, `drift` of orientations, `events` and `forces`.
///
/// # Errors
/// When the run has no samples, or a file cannot be written.
pub(crate) fn figures(run: &Run, out: &Path) -> Result<Vec<PathBuf>, PlotError> {
    std::fs::create_dir_all(out).map_err(|source| PlotError::Write { file: out.to_owned(), source })?;
    write_all(draw(run)?, out)
}

/// Writes figures, SVG before PNG.
fn write_all(figures: Vec<(&str, Canvas)>, out: &Path) -> Result<Vec<PathBuf>, PlotError> {
    let mut files = Vec::new();
    for (name, canvas) in figures {
        let mut write = |ending: &str, bytes: &[u8]| {
            let file = out.join(format!("{name}.{ending}"));
            std::fs::write(&file, bytes).map_err(|source| PlotError::Write { file: file.clone(), source })?;
            files.push(file);
            Ok::<(), PlotError>(())
        };
        write("svg", canvas.to_svg().as_bytes())?;
        write("png", &canvas.to_png()?)?;
    }
    Ok(files)
}

/// Draws the figures of a run; each with its name.
///
/// # Errors
/// When no table has a sample.
pub(crate) fn draw(run: &Run) -> Result<Vec<(&'static str, Canvas)>, PlotError> {
    if run.energy.is_empty()
        && run.momentum.is_empty()
        && run.bodies.frames.is_empty()
        && run.particles.frames.is_empty()
    {
        return Err(PlotError::Empty);
    }
    let mut figures = Vec::new();
    if !run.energy.is_empty() {
        figures.push(("energy", energy::draw(run)));
    }
    if !run.momentum.is_empty() {
        figures.push(("momentum", momentum::draw(run)));
    }
    if !run.bodies.all.is_empty() || !run.particles.all.is_empty() {
        figures.push(("trajectories", trajectories::draw(run)));
    }
    if !run.bodies.all.is_empty() {
        figures.push(("spin", spin::draw(run)));
    }
    if run.drift.iter().any(|drift| drift.most != 0.0) {
        figures.push(("drift", drift::draw(run)));
    }
    if !run.events.all.is_empty() {
        figures.push(("events", events::draw(run)));
    }
    if !run.forces.curves.is_empty() {
        figures.push(("forces", forces::draw(run)));
    }
    Ok(figures)
}

/// Left edge of the panels: room for the longest number on a tick.
const LEFT: f64 = 76.0;
/// Upper edge of the first panel: room for the title, a note and a label.
const TOP: f64 = 90.0;
/// Room below the last panel: numbers, label and air.
const BOTTOM: f64 = 50.0;

/// Title on the left, notes below it in small print.
fn heading(canvas: &mut Canvas, run: &Run, what: &str, notes: &[String]) {
    let width = canvas.width - 40.0;
    let failed = run.unfinished().map_or_else(String::new, |what| format!(" ({what})"));
    let title = format!("{what}: {}", run.title());
    let title = fit(&title, LARGE, width - canvas::text_width(&failed, LARGE)) + &failed;
    canvas.text((20.0, 28.0), &title, LARGE, Anchor::Start);
    canvas.text((20.0, 50.0), &fit(&notes.join("; "), SMALL, width), SMALL, Anchor::Start);
}

/// The axis of time over all samples.
fn time_axis(times: impl IntoIterator<Item = f64>, count: usize) -> Axis {
    Axis::snug(Extent::of(times), count)
}

/// A note when values could not be drawn.
fn not_finite(values: impl IntoIterator<Item = f64>) -> Option<String> {
    let n = values.into_iter().filter(|v| !v.is_finite()).count();
    (n > 0).then(|| format!("{n} values that are NaN or infinite are not drawn"))
}

/// "… s" for a note.
fn seconds(t: f64) -> String {
    format!("{} s", in_words(t))
}

#[cfg(test)]
mod tests;
