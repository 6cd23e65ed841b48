//! Linear and angular momentum over time.

use super::axis::{Axis, Extent};
use super::canvas::Canvas;
use super::panel::{Frame, Panel, Style, legend};
use super::{BOTTOM, LEFT, TOP, heading, not_finite, time_axis};
use crate::tables::{Momentum, Run};

const WIDTH: f64 = 900.0;
const LEGEND: f64 = 70.0;
const HEIGHT: f64 = 220.0;
const GAP: f64 = 36.0;

/// Draws the figure; the run has momenta.
pub(super) fn draw(run: &Run) -> Canvas {
    let rows = &run.momentum;
    let mut canvas =
        Canvas::new(WIDTH, TOP + 2.0 * HEIGHT + GAP + BOTTOM, "Linear and angular momentum over time");
    let x = time_axis(rows.iter().map(|m| m.t), 8);
    let t_label = x.label("t", "s");
    let linear: fn(&Momentum) -> [f64; 3] = |m| m.p;
    let angular: fn(&Momentum) -> [f64; 3] = |m| m.l;
    let panels = [("linear momentum", "N·s", "p", linear), ("angular momentum", "N·m·s", "L", angular)];
    for (i, (name, unit, letter, column)) in panels.into_iter().enumerate() {
        let y = TOP + i as f64 * (HEIGHT + GAP);
        let frame = Frame { x: LEFT, y, w: WIDTH - LEFT - LEGEND - 30.0, h: HEIGHT };
        let extent = Extent::of(rows.iter().flat_map(column));
        let panel = Panel { frame, x: x.clone(), y: Axis::linear(extent, 7) };
        panel.draw(&mut canvas, (i == 1).then_some(t_label.as_str()), &panel.y.label(name, unit));
        for k in 0..3 {
            panel.curve(&mut canvas, rows.iter().map(|m| (m.t, column(m)[k])), Style::Named(k));
        }
        let entry = |(k, axis): (usize, &str)| (format!("{letter}{axis}"), Style::Named(k));
        let entries: Vec<_> = ["x", "y", "z"].into_iter().enumerate().map(entry).collect();
        legend(&mut canvas, (frame.x + frame.w + 18.0, frame.y + 10.0), LEGEND, &entries);
    }
    let mut notes = vec!["angular momentum about the origin of the world".to_owned()];
    notes.extend(not_finite(rows.iter().flat_map(|m| m.p.into_iter().chain(m.l))));
    heading(&mut canvas, run, "Momentum", &notes);
    canvas
}
