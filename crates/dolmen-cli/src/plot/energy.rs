//! Energy over time, and below it what the ledger cannot account for.

use super::axis::{Axis, Extent, in_words};
use super::canvas::Canvas;
use super::panel::{Frame, Panel, Style, legend};
use super::{BOTTOM, LEFT, TOP, heading, not_finite, seconds, time_axis};
use crate::tables::{Energy, Run};

const WIDTH: f64 = 900.0;
const LEGEND: f64 = 175.0;
const UPPER: f64 = 260.0;
const LOWER: f64 = 190.0;
const GAP: f64 = 36.0;

/// A curve's name, its style and the column it shows.
type Column = (&'static str, Style, fn(&Energy) -> f64);
const COLUMNS: [Column; 4] = [
    ("kinetic", Style::Named(0), |e| e.kinetic),
    ("potential", Style::Named(1), |e| e.potential),
    ("total", Style::Named(4), |e| e.total),
    ("work", Style::Named(2), |e| e.work),
];

/// What was lost; drawn if there is any.
const LOSSES: [Column; 3] = [
    ("lost in collisions", Style::Named(3), |e| e.collisions),
    ("lost to friction", Style::Named(5), |e| e.friction),
    ("lost in closing", Style::Named(6), |e| e.closing),
];
/// A loss below this share of the largest energy cannot be told from none in the figure.
const SEEN: f64 = 1e-3;

/// Draws the figure; the run has energies.
pub(super) fn draw(run: &Run) -> Canvas {
    let rows = &run.energy;
    let mut canvas =
        Canvas::new(WIDTH, TOP + UPPER + GAP + LOWER + BOTTOM, "Energy over time and its imbalance");
    let frame = Frame { x: LEFT, y: TOP, w: WIDTH - LEFT - LEGEND - 30.0, h: UPPER };
    let legend_x = frame.x + frame.w + 18.0;

    let columns = columns(rows);
    let values = || rows.iter().flat_map(|e| columns.iter().map(|(_, _, column)| column(e)));
    let x = time_axis(rows.iter().map(|e| e.t), 8);
    let upper = Panel { frame, x: x.clone(), y: Axis::linear(Extent::of(values()), 8) };
    upper.draw(&mut canvas, None, &upper.y.label("energy", "J"));
    for (_, style, column) in &columns {
        upper.curve(&mut canvas, rows.iter().map(|e| (e.t, column(e))), *style);
    }
    let entries: Vec<_> = columns.iter().map(|(name, style, _)| ((*name).to_owned(), *style)).collect();
    legend(&mut canvas, (legend_x, frame.y + 10.0), LEGEND, &entries);

    let lower = Frame { y: frame.y + UPPER + GAP, h: LOWER, ..frame };
    let entries = draw_imbalance(&mut canvas, run, lower, x);
    legend(&mut canvas, (legend_x, lower.y + 10.0), LEGEND, &entries);

    let mut notes = vec![largest(rows)];
    notes.extend(not_finite(values().chain(rows.iter().map(|e| e.error))));
    heading(&mut canvas, run, "Energy", &notes);
    canvas
}

/// The curves of the upper panel.
fn columns(rows: &[Energy]) -> Vec<Column> {
    let largest = rows.iter().map(entry).filter(|v| v.is_finite()).fold(0.0, f64::max);
    // One that is not a number is seen, too: a note says so.
    let differs = |v: f64| v.is_nan() || v.abs() > SEEN * largest;
    let is_seen = |column: fn(&Energy) -> f64| rows.iter().any(|e| differs(column(e)));
    COLUMNS.into_iter().chain(LOSSES.into_iter().filter(|(_, _, column)| is_seen(*column))).collect()
}

/// The largest entry of the ledger that moves, J.
fn entry(e: &Energy) -> f64 {
    e.kinetic.abs().max(e.potential.abs()).max(e.work.abs())
}

/// |imbalance| on a logarithmic axis, where a leak and rounding are told apart at a glance.
///
/// A zero has no logarithm: it is drawn as a ring on the lowest line, which lies a decade below the least
/// value, and the legend says what it is. All zeros are drawn on a linear axis.
fn draw_imbalance(canvas: &mut Canvas, run: &Run, frame: Frame, x: Axis) -> Vec<(String, Style)> {
    let rows = &run.energy;
    let sizes = Extent::of(rows.iter().map(|e| e.error.abs()).filter(|e| *e > 0.0));
    let t_label = x.label("t", "s");
    if sizes.is_empty() {
        let panel = Panel { frame, x, y: Axis::linear(Extent { lo: 0.0, hi: 0.0 }, 4) };
        panel.draw(canvas, Some(&t_label), &panel.y.label("imbalance", "J"));
        panel.curve(canvas, rows.iter().map(|e| (e.t, e.error)), Style::Named(0));
        return vec![("imbalance".to_owned(), Style::Named(0))];
    }
    // What one rounding of the largest entry of the ledger amounts to.
    let rounding = f64::EPSILON * rows.iter().map(entry).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let has_rounding = rounding > 0.0;
    let floor = 0.1 * sizes.lo.min(if has_rounding { rounding } else { sizes.lo });
    let floor = floor.max(f64::from_bits(1));
    let y = Axis::log(Extent { lo: floor, hi: sizes.hi.max(rounding) }, 6);
    let panel = Panel { frame, x, y };
    panel.draw(canvas, Some(&t_label), &panel.y.label("|imbalance|", "J"));

    let mut entries = vec![("|imbalance|".to_owned(), Style::Named(0))];
    if has_rounding {
        let line = [rows[0].t, rows[rows.len() - 1].t].map(|t| (t, rounding));
        panel.curve(canvas, line, Style::Reference);
        entries.push(("2⁻⁵² · max energy".to_owned(), Style::Reference));
    }
    panel.curve(canvas, rows.iter().map(|e| (e.t, e.error.abs())), Style::Named(0));
    panel.zeros(canvas, rows.iter().filter(|e| e.error == 0.0).map(|e| e.t));
    entries
}

/// The note: the largest imbalance, when, and as a fraction of the largest energy.
fn largest(rows: &[Energy]) -> String {
    let zeros = rows.iter().filter(|e| e.error == 0.0).count();
    let worst =
        rows.iter().filter(|e| e.error.is_finite()).max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()));
    let Some(worst) = worst.filter(|e| e.error != 0.0) else {
        return format!("imbalance exactly 0 at {zeros} of {} samples", rows.len());
    };
    let size = rows.iter().map(entry).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let relative = if size > 0.0 {
        format!(" ({} of the largest energy)", in_words(worst.error.abs() / size))
    } else {
        String::new()
    };
    let exact = if zeros > 0 {
        format!("; rings: exactly 0 ({zeros} of {} samples)", rows.len())
    } else {
        String::new()
    };
    format!("largest imbalance {} J at t = {}{relative}{exact}", in_words(worst.error), seconds(worst.t))
}
