//! The figure of a comparison: errors of positions, velocities and energy over time, a curve for each step.

use std::path::{Path, PathBuf};

use super::axis::{Axis, Extent};
use super::canvas::{Anchor, Canvas, LARGE, SMALL, fit};
use super::panel::{Frame, NAMED, Panel, Style, legend};
use super::{BOTTOM, LEFT, PlotError, TOP, time_axis, write_all};
use crate::compare::{Errors, KINDS};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 200.0;
const GAP: f64 = 36.0;
const LEGEND: f64 = 120.0;

/// Writes `errors` into `out`.
///
/// # Errors
/// When a file cannot be written.
pub(crate) fn figures(
    scene: &str,
    times: &[f64],
    all: &[Errors],
    out: &Path,
) -> Result<Vec<PathBuf>, PlotError> {
    write_all(vec![("errors", draw(scene, times, all))], out)
}

fn draw(scene: &str, times: &[f64], all: &[Errors]) -> Canvas {
    let mut canvas =
        Canvas::new(WIDTH, TOP + 3.0 * (HEIGHT + GAP) - GAP + BOTTOM, "Errors of fixed steps over time");
    let title = format!("Fixed steps beside the exact driver: {scene}");
    canvas.text((20.0, 28.0), &fit(&title, LARGE, WIDTH - 40.0), LARGE, Anchor::Start);
    let note = "largest error of any body; of energy the difference of the totals";
    canvas.text((20.0, 50.0), note, SMALL, Anchor::Start);
    let x = time_axis(times.iter().copied(), 8);
    let label = x.label("t", "s");
    for k in 0..3 {
        let frame =
            Frame { x: LEFT, y: TOP + k as f64 * (HEIGHT + GAP), w: WIDTH - LEFT - LEGEND - 30.0, h: HEIGHT };
        let values = all.iter().flat_map(|errors| errors.over_time.iter().map(move |row| row[k]));
        // Zeros have no place on this axis.
        let extent = Extent::of(values.filter(|value| *value > 0.0));
        let y = if extent.is_empty() { Axis::linear(extent, 5) } else { Axis::log(extent, 5) };
        let panel = Panel { frame, x: x.clone(), y };
        let (name, unit) = KINDS[k];
        panel.draw(&mut canvas, (k == 2).then_some(label.as_str()), &panel.y.label(name, unit));
        for (i, errors) in all.iter().enumerate() {
            let points = times.iter().zip(&errors.over_time).map(|(t, row)| (*t, row[k]));
            panel.curve(&mut canvas, points, if i < NAMED { Style::Named(i) } else { Style::Faint });
        }
        if k == 0 {
            let entry = |(i, errors): (usize, &Errors)| (format!("{} s", errors.name), Style::Named(i));
            let entries: Vec<_> = all.iter().enumerate().take(NAMED).map(entry).collect();
            legend(&mut canvas, (frame.x + frame.w + 18.0, frame.y + 10.0), LEGEND, &entries);
        }
    }
    canvas
}
