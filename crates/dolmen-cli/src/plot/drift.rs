//! How far carried orientations are from rotations over time.

use super::axis::{Axis, Extent, in_words};
use super::canvas::Canvas;
use super::panel::{Frame, Panel, Style, legend};
use super::{BOTTOM, LEFT, TOP, heading, not_finite, seconds, time_axis};
use crate::tables::Run;

const WIDTH: f64 = 900.0;
const LEGEND: f64 = 110.0;
const HEIGHT: f64 = 260.0;

/// Draws the figure, on a logarithmic axis with one rounding of 1 as a line; the run has a drift that is not zero.
pub(super) fn draw(run: &Run) -> Canvas {
    let rows = &run.drift;
    let mut canvas = Canvas::new(WIDTH, TOP + HEIGHT + BOTTOM, "Drift of orientations over time");
    let x = time_axis(rows.iter().map(|row| row.t), 8);
    let sizes = Extent::of(rows.iter().map(|row| row.most).filter(|most| *most > 0.0));
    let rounding = f64::EPSILON;
    // A zero has no logarithm: it is a ring on the lowest line.
    let floor = (0.1 * sizes.lo.min(rounding)).max(f64::from_bits(1));
    let y = Axis::log(Extent { lo: floor, hi: sizes.hi.max(rounding) }, 7);
    let frame = Frame { x: LEFT, y: TOP, w: WIDTH - LEFT - LEGEND - 30.0, h: HEIGHT };
    let panel = Panel { frame, x, y };
    panel.draw(&mut canvas, Some(&panel.x.label("t", "s")), &panel.y.label("drift", "1"));
    let line = [rows[0].t, rows[rows.len() - 1].t].map(|t| (t, rounding));
    panel.curve(&mut canvas, line, Style::Reference);
    panel.curve(&mut canvas, rows.iter().map(|row| (row.t, row.most)), Style::Named(0));
    panel.zeros(&mut canvas, rows.iter().filter(|row| row.most == 0.0).map(|row| row.t));
    let entries = [("largest".to_owned(), Style::Named(0)), ("2⁻⁵²".to_owned(), Style::Reference)];
    legend(&mut canvas, (frame.x + frame.w + 18.0, frame.y + 10.0), LEGEND, &entries);
    let mut notes = vec!["||q| − 1|, or the largest entry of R Rᵀ − 1, the most of all bodies".to_owned()];
    if let Some(most) =
        rows.iter().filter(|row| row.most.is_finite()).max_by(|a, b| a.most.total_cmp(&b.most))
    {
        notes.push(format!("at most {} at t = {}", in_words(most.most), seconds(most.t)));
    }
    notes.extend(not_finite(rows.iter().map(|row| row.most)));
    heading(&mut canvas, run, "Drift of orientations", &notes);
    canvas
}
