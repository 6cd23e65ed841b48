//! Positions over time, and the paths seen along the axis in which they extend least.

use super::axis::{Axis, Extent};
use super::canvas::Canvas;
use super::panel::{Frame, LEGEND_LINE, NAMED, Panel, Style, legend};
use super::{BOTTOM, LEFT, TOP, heading, not_finite, time_axis};
use crate::tables::{Run, Track, Tracks};

const WIDTH: f64 = 1180.0;
const HEIGHT: f64 = 175.0;
const GAP: f64 = 34.0;
const LEFT_WIDTH: f64 = 560.0;
const PATH_X: f64 = 730.0;
/// Bodies drawn faintly, beside those with a name: more of them is a grey wall and a file of megabytes.
const FAINT_BODIES: usize = 40;
const AXES: [&str; 3] = ["x", "y", "z"];

/// Draws the figure; the run has bodies or particles.
pub(super) fn draw(run: &Run) -> Canvas {
    let all: Vec<&Track> = run.bodies.all.iter().chain(&run.particles.all).collect();
    let drawn = choose(&all);
    let height = TOP + 3.0 * HEIGHT + 2.0 * GAP + BOTTOM;
    let mut canvas = Canvas::new(WIDTH, height, "Positions over time and paths");

    let extents = [0, 1, 2]
        .map(|k| Extent::of(drawn.iter().flat_map(|(track, _)| track.samples.iter().map(move |s| s.x[k]))));
    let x = time_axis(drawn.iter().flat_map(|(track, _)| track.samples.iter().map(|s| s.t)), 6);
    let t_label = x.label("t", "s");
    for k in 0..3 {
        let frame = Frame { x: LEFT, y: TOP + k as f64 * (HEIGHT + GAP), w: LEFT_WIDTH, h: HEIGHT };
        let panel = Panel { frame, x: x.clone(), y: Axis::linear(extents[k], 6) };
        panel.draw(&mut canvas, (k == 2).then_some(t_label.as_str()), &panel.y.label(AXES[k], "m"));
        for (track, style) in &drawn {
            panel.curve(&mut canvas, track.samples.iter().map(|s| (s.t, s.x[k])), *style);
        }
    }

    let entries = legend_entries(&drawn, all.len());
    let (a, b) = widest_two(extents);
    // The legend takes what it needs below the path; the path gets what it can use of the rest.
    let room = 3.0 * HEIGHT + 2.0 * GAP - 62.0 - LEGEND_LINE * entries.len() as f64;
    let path_width = WIDTH - PATH_X - 30.0;
    let slope = extents[b].half_width() / extents[a].half_width();
    let path_height = if slope.is_finite() { (1.2 * slope * path_width).clamp(180.0, room) } else { room };
    let frame = Frame { x: PATH_X, y: TOP, w: path_width, h: path_height };
    let (x, y) = Axis::equal(extents[a], extents[b], frame.w, frame.h, 5);
    let panel = Panel { frame, x, y };
    panel.draw(&mut canvas, Some(&panel.x.label(AXES[a], "m")), &panel.y.label(AXES[b], "m"));
    for (track, style) in &drawn {
        panel.path(&mut canvas, track.samples.iter().map(|s| (s.x[a], s.x[b])), *style);
    }
    legend(&mut canvas, (PATH_X, TOP + path_height + 62.0), frame.w, &entries);

    let mut notes = vec!["paths from ring to dot, equal scales".to_owned()];
    notes.extend(left_out(&drawn, all.len()));
    notes.extend([("bodies", &run.bodies), ("particles", &run.particles)].into_iter().filter_map(thinned));
    notes.extend(not_finite(drawn.iter().flat_map(|(track, _)| track.samples.iter().flat_map(|s| s.x))));
    heading(&mut canvas, run, "Trajectories", &notes);
    canvas
}

/// Faint tracks first, so that the named ones lie on top.
///
/// Named are the [`NAMED`] that move the farthest, in the order of the table; faint are others, evenly spread.
fn choose<'a>(all: &[&'a Track]) -> Vec<(&'a Track, Style)> {
    let travel = |track: &Track| {
        let width = |k: usize| Extent::of(track.samples.iter().map(|s| s.x[k])).half_width();
        width(0).max(width(1)).max(width(2))
    };
    let mut by_travel: Vec<(f64, usize)> =
        all.iter().enumerate().map(|(i, track)| (travel(track), i)).collect();
    by_travel.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut named: Vec<usize> = by_travel.iter().take(NAMED).map(|(_, i)| *i).collect();
    named.sort_unstable();
    let mut others: Vec<usize> = by_travel.iter().skip(NAMED).map(|(_, i)| *i).collect();
    others.sort_unstable();
    let step = others.len().div_ceil(FAINT_BODIES).max(1);
    let faint = others.into_iter().step_by(step).map(|i| (all[i], Style::Faint));
    let named = named.into_iter().enumerate().map(|(k, i)| (all[i], Style::Named(k)));
    faint.chain(named).collect()
}

fn legend_entries(drawn: &[(&Track, Style)], total: usize) -> Vec<(String, Style)> {
    let mut entries: Vec<_> = drawn
        .iter()
        .filter(|(_, style)| *style != Style::Faint)
        .map(|(track, style)| (track.name.clone(), *style))
        .collect();
    if total > entries.len() {
        entries.push((format!("… and {} more", total - entries.len()), Style::Faint));
    }
    entries
}

/// A note when not everything in the run is drawn.
fn left_out(drawn: &[(&Track, Style)], total: usize) -> Option<String> {
    (drawn.len() < total)
        .then(|| format!("{} of {total} tracks drawn; named: the {NAMED} that move farthest", drawn.len()))
}

/// A note when samples were left out in reading.
fn thinned((what, tracks): (&str, &Tracks)) -> Option<String> {
    (tracks.stride > 1)
        .then(|| format!("{what}: one in {} of {} samples", tracks.stride, tracks.frames_total))
}

/// The two coordinates with the largest extent, in the order x, y, z; ties go to the earlier one, but z is
/// preferred to y, since it is what a view from the side shows.
fn widest_two(extents: [Extent; 3]) -> (usize, usize) {
    let width = extents.map(Extent::half_width);
    let least = [1, 0, 2].into_iter().fold(1, |least, k| if width[k] < width[least] { k } else { least });
    match least {
        0 => (1, 2),
        1 => (0, 2),
        _ => (0, 1),
    }
}
