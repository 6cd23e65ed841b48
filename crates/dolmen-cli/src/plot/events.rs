//! Impulses and energy lost at the events of a run.

use super::axis::{Axis, Extent};
use super::canvas::Canvas;
use super::panel::{Frame, Panel, Style, dot_legend};
use super::{BOTTOM, LEFT, TOP, heading, not_finite, time_axis};
use crate::tables::{Event, Run};

const WIDTH: f64 = 900.0;
const LEGEND: f64 = 110.0;
const HEIGHT: f64 = 220.0;
const GAP: f64 = 36.0;

/// A quantity of an event, with its name and unit.
type Column = (&'static str, &'static str, fn(&Event) -> f64);
const COLUMNS: [Column; 2] =
    [("normal impulse", "N·s", |e| e.impulse), ("|energy lost|", "J", |e| e.lost.abs())];

/// Draws the figure; the run has events.
pub(super) fn draw(run: &Run) -> Canvas {
    let events = &run.events;
    let height = TOP + 2.0 * HEIGHT + GAP + BOTTOM;
    let mut canvas = Canvas::new(WIDTH, height, "Impulses and energy lost at events");
    // As long as the run, and not as its events: when nothing more happens can be seen.
    let x = time_axis(run.energy.iter().map(|e| e.t).chain(events.all.iter().map(|e| e.t)), 8);
    let t_label = x.label("t", "s");
    let mut has_zeros = false;
    for (i, (name, unit, column)) in COLUMNS.into_iter().enumerate() {
        let y = TOP + i as f64 * (HEIGHT + GAP);
        let frame = Frame { x: LEFT, y, w: WIDTH - LEFT - LEGEND - 30.0, h: HEIGHT };
        let sizes = Extent::of(events.all.iter().map(column).filter(|v| *v > 0.0));
        has_zeros |= !sizes.is_empty() && events.all.iter().any(|e| column(e) == 0.0);
        let axis =
            if sizes.is_empty() { Axis::linear(Extent { lo: 0.0, hi: 0.0 }, 4) } else { Axis::log(sizes, 6) };
        let panel = Panel { frame, x: x.clone(), y: axis };
        panel.draw(&mut canvas, (i == 1).then_some(t_label.as_str()), &panel.y.label(name, unit));
        for kind in 0..events.kinds.len() {
            let points = events.all.iter().filter(|e| e.kind == kind).map(|e| (e.t, column(e)));
            panel.dots(&mut canvas, points, Style::Named(kind));
        }
        if i == 0 {
            let entry = |(kind, name): (usize, &String)| (name.clone(), Style::Named(kind));
            let entries: Vec<_> = events.kinds.iter().enumerate().map(entry).collect();
            dot_legend(&mut canvas, (frame.x + frame.w + 18.0, frame.y + 10.0), LEGEND, &entries);
        }
    }
    let mut notes = vec![format!("{} events", events.total)];
    if events.stride > 1 {
        notes.push(format!("one in {} is drawn", events.stride));
    }
    if has_zeros {
        notes.push("rings: exactly 0".to_owned());
    }
    notes.extend(not_finite(events.all.iter().flat_map(|e| [e.impulse, e.lost])));
    heading(&mut canvas, run, "Events", &notes);
    canvas
}
