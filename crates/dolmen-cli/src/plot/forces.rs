//! Normal forces of the contacts that carry most, over time.

use super::axis::{Axis, Extent};
use super::canvas::{Canvas, NORMAL, text_width};
use super::panel::{Frame, Panel, Style, legend};
use super::{BOTTOM, LEFT, TOP, heading, not_finite, time_axis};
use crate::tables::{ContactCurve, Run};

const WIDTH: f64 = 980.0;
/// Room for the longest name, within limits.
const LEGEND: (f64, f64) = (80.0, 290.0);
const HEIGHT: f64 = 300.0;

/// Draws the figure; some contact carries force.
pub(super) fn draw(run: &Run) -> Canvas {
    let curves = &run.forces.curves;
    let mut canvas = Canvas::new(WIDTH, TOP + HEIGHT + BOTTOM, "Normal forces of contacts over time");
    let values = || curves.iter().flat_map(|curve| curve.points.iter().map(|(_, force)| *force));
    let times = || curves.iter().flat_map(|curve| curve.points.iter().map(|(t, _)| *t));
    let x = time_axis(run.energy.iter().map(|e| e.t).chain(times()), 8);
    let t_label = x.label("t", "s");
    let longest = curves.iter().map(|curve| text_width(&curve.name, NORMAL)).fold(0.0, f64::max);
    let room = (longest + 40.0).clamp(LEGEND.0, LEGEND.1);
    let frame = Frame { x: LEFT, y: TOP, w: WIDTH - LEFT - room - 30.0, h: HEIGHT };
    // From zero, where forces begin and end.
    let panel = Panel { frame, x, y: Axis::linear(Extent::of(values().chain([0.0])), 8) };
    panel.draw(&mut canvas, Some(&t_label), &panel.y.label("normal force", "N"));
    for (k, curve) in curves.iter().enumerate() {
        panel.curve(&mut canvas, with_gaps(run, curve), Style::Named(k));
    }
    let entry = |(k, curve): (usize, &ContactCurve)| (curve.name.clone(), Style::Named(k));
    let entries: Vec<_> = curves.iter().enumerate().map(entry).collect();
    legend(&mut canvas, (frame.x + frame.w + 18.0, frame.y + 10.0), room, &entries);

    let mut notes = vec!["at samples; a gap is no contact".to_owned()];
    if curves.len() < run.forces.total {
        let (n, total) = (curves.len(), run.forces.total);
        notes.push(format!("shown: {n} of {total} contacts, those with the largest forces"));
    }
    notes.extend(not_finite(values()));
    heading(&mut canvas, run, "Contact forces", &notes);
    canvas
}

/// The curve at every sample of the run, NaN where the contact carries no force.
fn with_gaps(run: &Run, curve: &ContactCurve) -> Vec<(f64, f64)> {
    let mut next = curve.points.iter().peekable();
    let mut points = Vec::new();
    for sample in &run.energy {
        while next.next_if(|(t, _)| *t < sample.t).is_some() {}
        let here = next.next_if(|(t, _)| *t == sample.t);
        points.push((sample.t, here.map_or(f64::NAN, |(_, force)| *force)));
    }
    points
}
