//! A panel: a frame with two axes and curves in it; and the legend beside it.

use std::collections::BTreeSet;

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Colour, Dash, FAINT, GRID, INK, NORMAL, SMALL, fit, text_width};

/// Colours that stay apart for every kind of colour vision: those of Okabe and Ito, without their yellow, which
/// is too pale on white, and with a wine red in its place.
const COLOURS: [Colour; NAMED] = [
    Colour(0x00, 0x72, 0xB2),
    Colour(0xD5, 0x5E, 0x00),
    Colour(0x00, 0x9E, 0x73),
    Colour(0xCC, 0x79, 0xA7),
    INK,
    Colour(0xE6, 0x9F, 0x00),
    Colour(0x56, 0xB4, 0xE9),
    Colour(0x88, 0x22, 0x55),
];
/// Neighbours differ in their dashes too, for print in grey.
const DASHES: [Dash; 4] = [&[], &[8.0, 3.5], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0]];
/// Curves with a colour and a name of their own.
pub(crate) const NAMED: usize = 8;
/// Height of a line in the legend.
pub(crate) const LEGEND_LINE: f64 = 20.0;
/// Units per column when a named curve is thinned, and when a faint one is.
const COLUMN: f64 = 1.0;
const FAINT_COLUMN: f64 = 4.0;

/// Radius of a dot that stands for itself.
const DOT: f64 = 2.5;

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The i-th colour and dash.
    Named(usize),
    /// Thin and grey, behind the others.
    Faint,
    /// A thin dashed line of reference.
    Reference,
}

impl Style {
    fn colour(self) -> Colour {
        match self {
            Self::Named(i) => COLOURS[i % NAMED],
            Self::Faint => FAINT,
            Self::Reference => Colour(0x77, 0x77, 0x77),
        }
    }

    fn dash(self) -> Dash {
        match self {
            Self::Named(i) => DASHES[i % DASHES.len()],
            Self::Faint => &[],
            Self::Reference => &[4.0, 4.0],
        }
    }

    fn width(self) -> f64 {
        match self {
            Self::Named(_) => 1.8,
            Self::Faint => 0.8,
            Self::Reference => 1.0,
        }
    }
}

/// A rectangle on the canvas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// Left edge.
    pub(crate) x: f64,
    /// Upper edge.
    pub(crate) y: f64,
    /// Width.
    pub(crate) w: f64,
    /// Height.
    pub(crate) h: f64,
}

/// A frame with its axes.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    /// Where it is.
    pub(crate) frame: Frame,
    /// Along.
    pub(crate) x: Axis,
    /// Up.
    pub(crate) y: Axis,
}

impl Panel {
    /// Draws grid, frame, ticks and labels. Without `x_label` the ticks along x have no numbers: the panel below
    /// has them. The label of y stands above the frame.
    pub(crate) fn draw(&self, canvas: &mut Canvas, x_label: Option<&str>, y_label: &str) {
        let Frame { x, y, w, h } = self.frame;
        let (right, bottom) = (x + w, y + h);
        // The end of the text last drawn: numbers that would run into it are left out.
        let mut free = f64::NEG_INFINITY;
        for tick in self.x.ticks() {
            let at = x + tick.at * w;
            canvas.line(vec![(at, y), (at, bottom)], GRID, 0.8, &[]);
            canvas.line(vec![(at, bottom), (at, bottom + 4.0)], INK, 1.0, &[]);
            let label = tick.label.unwrap_or_default();
            let half = 0.5 * text_width(&label, SMALL);
            if x_label.is_some() && at - half > free {
                canvas.text((at, bottom + 17.0), &label, SMALL, Anchor::Middle);
                free = at + half + 6.0;
            }
        }
        for tick in self.y.ticks() {
            let at = bottom - tick.at * h;
            let Some(label) = tick.label else {
                canvas.line(vec![(x - 2.5, at), (x, at)], INK, 0.7, &[]);
                continue;
            };
            canvas.line(vec![(x, at), (right, at)], GRID, 0.8, &[]);
            canvas.line(vec![(x - 4.0, at), (x, at)], INK, 1.0, &[]);
            canvas.text((x - 7.0, at + 4.0), &label, SMALL, Anchor::End);
        }
        let corners = vec![(x, y), (right, y), (right, bottom), (x, bottom), (x, y)];
        canvas.line(corners, INK, 1.0, &[]);
        if let Some(label) = x_label {
            canvas.text((x + 0.5 * w, bottom + 36.0), label, NORMAL, Anchor::Middle);
        }
        canvas.text((x, y - 8.0), &fit(y_label, NORMAL, w), NORMAL, Anchor::Start);
    }

    /// Where a point falls on the canvas.
    pub(crate) fn place(&self, point: (f64, f64)) -> Option<(f64, f64)> {
        let (u, v) = (self.x.place(point.0)?, self.y.place(point.1)?);
        Some((self.frame.x + u * self.frame.w, self.frame.y + self.frame.h - v * self.frame.h))
    }

    /// Draws a function of time, thinned to what the pixels can show. A value that cannot be drawn leaves a gap.
    pub(crate) fn curve(
        &self,
        canvas: &mut Canvas,
        points: impl IntoIterator<Item = (f64, f64)>,
        style: Style,
    ) {
        let column = if style == Style::Faint { FAINT_COLUMN } else { COLUMN };
        for piece in self.pieces(points) {
            draw_piece(canvas, thin_columns(&piece, column), style);
        }
    }

    /// Draws a path in the plane, thinned; a ring where it starts and a dot where it ends.
    pub(crate) fn path(
        &self,
        canvas: &mut Canvas,
        points: impl IntoIterator<Item = (f64, f64)>,
        style: Style,
    ) {
        let pieces = self.pieces(points);
        let ends = pieces.first().map(|p| p[0]).zip(pieces.last().and_then(|p| p.last().copied()));
        let least = if style == Style::Faint { 2.0 } else { 0.5 };
        for piece in pieces {
            draw_piece(canvas, thin_near(&piece, least), style);
        }
        if let (Some((start, end)), Style::Named(_)) = (ends, style) {
            canvas.dot(start, 4.0, style.colour(), false);
            canvas.dot(end, 3.0, style.colour(), true);
        }
    }

    /// Rings on the lowest line at the given times: zeros on a logarithmic axis. One for each ring's width.
    pub(crate) fn zeros(&self, canvas: &mut Canvas, times: impl IntoIterator<Item = f64>) {
        let bottom = self.frame.y + self.frame.h;
        let mut free = f64::NEG_INFINITY;
        for t in times {
            let at = self.frame.x + self.x.place(t).unwrap_or(0.0) * self.frame.w;
            if at >= free {
                canvas.dot((at, bottom), 3.0, Style::Named(0).colour(), false);
                free = at + 7.0;
            }
        }
    }

    /// Dots, one for each square of about their size; rings on the lowest line for zeros on a logarithmic axis.
    pub(crate) fn dots(
        &self,
        canvas: &mut Canvas,
        points: impl IntoIterator<Item = (f64, f64)>,
        style: Style,
    ) {
        let bottom = self.frame.y + self.frame.h;
        let mut drawn = BTreeSet::new();
        for point in points {
            let on_axis = || (point.1 == 0.0).then(|| self.x.place(point.0)).flatten();
            let ring = || on_axis().map(|u| (self.frame.x + u * self.frame.w, bottom));
            let dot = self.place(point);
            let Some(at) = dot.or_else(ring) else { continue };
            let square = [at.0, at.1].map(|v| (v / DOT).round() as i64);
            if drawn.insert(square) {
                canvas.dot(at, DOT, style.colour(), dot.is_some());
            }
        }
    }

    /// The stretches of points that can be drawn, on the canvas; none is empty.
    fn pieces(&self, points: impl IntoIterator<Item = (f64, f64)>) -> Vec<Vec<(f64, f64)>> {
        let mut pieces = vec![Vec::new()];
        for point in points {
            match self.place(point) {
                Some(at) => pieces.last_mut().expect("never empty").push(at),
                None => pieces.push(Vec::new()),
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

fn draw_piece(canvas: &mut Canvas, piece: Vec<(f64, f64)>, style: Style) {
    let first = piece[0];
    // A single sample, or samples that all fall on one spot, would be a line of no length.
    if piece.iter().all(|p| (p.0 - first.0).abs() < 0.5 && (p.1 - first.1).abs() < 0.5) {
        let radius = if style == Style::Faint { 1.2 } else { 3.0 };
        canvas.dot(first, radius, style.colour(), true);
    } else {
        canvas.line(piece, style.colour(), style.width(), style.dash());
    }
}

/// Keeps the first, least, greatest and last point of every column of pixels: no peak is lost.
fn thin_columns(points: &[(f64, f64)], column: f64) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    let mut i = 0;
    while i < points.len() {
        let key = (points[i].0 / column).floor();
        let mut end = i + 1;
        while end < points.len() && (points[end].0 / column).floor() == key {
            end += 1;
        }
        let group = &points[i..end];
        if group.len() <= 4 {
            kept.extend_from_slice(group);
        } else {
            let by_height = |a: &usize, b: &usize| group[*a].1.total_cmp(&group[*b].1);
            let low = (0..group.len()).min_by(by_height).unwrap_or(0);
            let high = (0..group.len()).max_by(by_height).unwrap_or(0);
            let mut picks = vec![0, low, high, group.len() - 1];
            picks.sort_unstable();
            picks.dedup();
            kept.extend(picks.into_iter().map(|k| group[k]));
        }
        i = end;
    }
    kept
}

/// Leaves out points nearer than `least` to the one kept before; keeps the last.
fn thin_near(points: &[(f64, f64)], least: f64) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for &p in points {
        let far = |q: &(f64, f64)| (p.0 - q.0).abs().max((p.1 - q.1).abs()) >= least;
        if kept.last().is_none_or(far) {
            kept.push(p);
        }
    }
    if let (Some(last), Some(end)) = (kept.last(), points.last())
        && last != end
    {
        kept.push(*end);
    }
    kept
}

/// As [`legend`], of dots.
pub(crate) fn dot_legend(canvas: &mut Canvas, at: (f64, f64), width: f64, entries: &[(String, Style)]) {
    for (i, (name, style)) in entries.iter().enumerate() {
        let y = at.1 + LEGEND_LINE * i as f64;
        canvas.dot((at.0 + 4.0, y), 1.4 * DOT, style.colour(), true);
        canvas.text((at.0 + 15.0, y + 4.0), &fit(name, NORMAL, width - 15.0), NORMAL, Anchor::Start);
    }
}

/// Draws the legend from the upper left corner down, outside every frame, so that it covers no data.
pub(crate) fn legend(canvas: &mut Canvas, at: (f64, f64), width: f64, entries: &[(String, Style)]) {
    for (i, (name, style)) in entries.iter().enumerate() {
        let y = at.1 + LEGEND_LINE * i as f64;
        canvas.line(vec![(at.0, y), (at.0 + 30.0, y)], style.colour(), style.width(), style.dash());
        canvas.text((at.0 + 37.0, y + 4.0), &fit(name, NORMAL, width - 37.0), NORMAL, Anchor::Start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One spike among a hundred thousand samples is still drawn.
    #[test]
    fn thinning_keeps_peaks() {
        let points: Vec<(f64, f64)> =
            (0..100_000).map(|i| (f64::from(i) * 0.005, if i == 54_321 { 9.0 } else { 0.0 })).collect();
        let kept = thin_columns(&points, COLUMN);
        assert!(kept.len() <= 2000, "{} points kept", kept.len());
        assert!(kept.iter().any(|p| p.1 == 9.0));
    }

    /// A path keeps its ends and loses what lies within a pixel.
    #[test]
    fn near_points_of_a_path_are_left_out() {
        let points: Vec<(f64, f64)> = (0..=1000).map(|i| (f64::from(i) * 0.01, 0.0)).collect();
        let kept = thin_near(&points, 0.5);
        assert!(kept.len() <= 22, "{} points kept", kept.len());
        assert_eq!((kept[0].0, kept[kept.len() - 1].0), (0.0, 10.0));
    }
}
