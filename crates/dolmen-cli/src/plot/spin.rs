//! Angular velocity over time, for the bodies that spin fastest.

use super::axis::{Axis, Extent};
use super::canvas::Canvas;
use super::panel::{Frame, Panel, Style, legend};
use super::{BOTTOM, LEFT, TOP, heading, not_finite, time_axis};
use crate::tables::{Run, Track};

const WIDTH: f64 = 900.0;
const LEGEND: f64 = 70.0;
const HEIGHT: f64 = 165.0;
const GAP: f64 = 34.0;
/// Bodies shown: one panel each, as many as a printed page takes.
const MAX_BODIES: usize = 4;

/// Draws the figure; the run has bodies.
pub(super) fn draw(run: &Run) -> Canvas {
    let tracks = fastest(&run.bodies.all);
    let n = tracks.len();
    let height = TOP + n as f64 * (HEIGHT + GAP) - GAP + BOTTOM;
    let mut canvas = Canvas::new(WIDTH, height, "Angular velocity over time");
    let x = time_axis(tracks.iter().flat_map(|track| track.samples.iter().map(|s| s.t)), 8);
    let t_label = x.label("t", "s");
    for (i, track) in tracks.iter().enumerate() {
        let y = TOP + i as f64 * (HEIGHT + GAP);
        let frame = Frame { x: LEFT, y, w: WIDTH - LEFT - LEGEND - 30.0, h: HEIGHT };
        let extent = Extent::of(track.samples.iter().flat_map(|s| s.w));
        let panel = Panel { frame, x: x.clone(), y: Axis::linear(extent, 6) };
        panel.draw(
            &mut canvas,
            (i + 1 == n).then_some(t_label.as_str()),
            &panel.y.label(&format!("{}: ω", track.name), "rad/s"),
        );
        for k in 0..3 {
            panel.curve(&mut canvas, track.samples.iter().map(|s| (s.t, s.w[k])), Style::Named(k));
        }
        let entry = |(k, name): (usize, &str)| (name.to_owned(), Style::Named(k));
        let entries: Vec<_> = ["ωx", "ωy", "ωz"].into_iter().enumerate().map(entry).collect();
        legend(&mut canvas, (frame.x + frame.w + 18.0, frame.y + 10.0), LEGEND, &entries);
    }
    let mut notes = vec!["angular velocity in the world frame".to_owned()];
    if n < run.bodies.all.len() {
        let total = run.bodies.all.len();
        notes.push(format!("shown: {n} of {total} bodies, those that spin fastest"));
    }
    if run.bodies.stride > 1 {
        notes.push(format!("one in {} of {} samples", run.bodies.stride, run.bodies.frames_total));
    }
    notes.extend(not_finite(tracks.iter().flat_map(|track| track.samples.iter().flat_map(|s| s.w))));
    heading(&mut canvas, run, "Spin", &notes);
    canvas
}

/// The bodies with the largest component of ω at any time, in the order of the table; at least one.
fn fastest(tracks: &[Track]) -> Vec<&Track> {
    let peak = |track: &Track| {
        track.samples.iter().flat_map(|s| s.w).filter(|w| w.is_finite()).fold(0.0, |m: f64, w| m.max(w.abs()))
    };
    let mut by_peak: Vec<(f64, usize)> =
        tracks.iter().enumerate().map(|(i, track)| (peak(track), i)).collect();
    by_peak.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // A floor says nothing here, unless nothing turns at all.
    let turning = by_peak.iter().filter(|(peak, _)| *peak > 0.0).count().max(1);
    by_peak.truncate(turning.min(MAX_BODIES));
    by_peak.sort_by_key(|(_, i)| *i);
    by_peak.into_iter().map(|(_, i)| &tracks[i]).collect()
}
