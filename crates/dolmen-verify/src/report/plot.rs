//! Plots as SVG inside the page: they take the colours of the page, light or dark.

use std::fmt::Write;

use dolmen::math::real;

/// A named curve.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// What the axes are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axes<'a> {
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    pub(super) kind: Kind,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Joined.
    Lines,
    /// Joined, and one unit is as long on both axes.
    Paths,
    /// Joined and dotted, both axes logarithmic.
    LogLines,
    /// Dots.
    Cloud,
    /// Dots, both axes logarithmic.
    LogCloud,
}

impl Kind {
    fn is_log(self) -> bool {
        matches!(self, Self::LogLines | Self::LogCloud)
    }

    fn is_joined(self) -> bool {
        !matches!(self, Self::Cloud | Self::LogCloud)
    }
}

const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// Lines in different colours before they repeat.
const COLOURS: usize = 6;

/// The plot, `width` by `height`; `marks` are drawn as rings: what was expected. Values that cannot be drawn are left out.
pub(super) fn draw(
    curves: &[Curve],
    marks: &[(f64, f64)],
    axes: Axes,
    (width, height): (f64, f64),
) -> String {
    let longest = curves.iter().map(|curve| curve.name.chars().count()).max().unwrap_or(0);
    // As many beside each other as fit, at about 6.5 px a letter.
    let columns = ((width - LEFT - RIGHT) / (30.0 + 6.5 * longest as f64)).clamp(1.0, 3.0) as usize;
    let legend = 18.0 * curves.len().div_ceil(columns) as f64;
    let frame = Frame::new(curves, marks, axes, (width, height - legend));
    let mut svg = format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{} over {}\">\n",
        super::escape(axes.y),
        super::escape(axes.x)
    );
    frame.grid(axes, &mut svg);
    for (k, curve) in curves.iter().enumerate() {
        let class = k % COLOURS + 1;
        let mut path = String::new();
        let mut pen = 'M';
        for (x, y) in &curve.points {
            match frame.place(*x, *y) {
                Some((x, y)) => {
                    let _ = write!(path, "{pen}{x:.1} {y:.1}");
                    pen = 'L';
                }
                None => pen = 'M',
            }
        }
        if axes.kind.is_joined() {
            let _ = writeln!(svg, "<path class=\"curve c{class}\" d=\"{path}\"/>");
        }
        if axes.kind.is_log() || !axes.kind.is_joined() || curve.points.len() < 3 {
            for (x, y) in curve.points.iter().filter_map(|(x, y)| frame.place(*x, *y)) {
                let _ =
                    writeln!(svg, "<circle class=\"dot c{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\"/>");
            }
        }
        let (column, row) = ((k % columns) as f64, (k / columns) as f64);
        let (x, y) =
            (LEFT + column * (width - LEFT - RIGHT) / columns as f64, height - legend + 12.0 + 18.0 * row);
        let _ = writeln!(
            svg,
            "<path class=\"curve c{class}\" d=\"M{x:.1} {:.1}h16\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            y - 4.0,
            x + 21.0,
            super::escape(&curve.name)
        );
    }
    for (x, y) in marks.iter().filter_map(|(x, y)| frame.place(*x, *y)) {
        let _ = writeln!(svg, "<circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>");
    }
    svg += "</svg>\n";
    svg
}

/// Where values are on the paper.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    width: f64,
    height: f64,
    log: bool,
}

impl Frame {
    fn new(curves: &[Curve], marks: &[(f64, f64)], axes: Axes, (width, height): (f64, f64)) -> Self {
        let points = || curves.iter().flat_map(|curve| &curve.points).chain(marks);
        let seen = |value: f64| if axes.kind.is_log() { real::log10(value) } else { value };
        let mut x = extent(points().map(|p| seen(p.0)));
        let mut y = extent(points().map(|p| seen(p.1)));
        if axes.kind.is_log() {
            (x, y) = ((x.0.floor(), x.1.ceil()), (y.0.floor(), y.1.ceil()));
        } else {
            let air = 0.05 * (y.1 - y.0);
            y = (y.0 - air, y.1 + air);
        }
        if axes.kind == Kind::Paths {
            let air = 0.05 * (x.1 - x.0);
            x = (x.0 - air, x.1 + air);
            let (inner_x, inner_y) = (width - LEFT - RIGHT, height - TOP - BOTTOM);
            let scale = ((x.1 - x.0) / inner_x).max((y.1 - y.0) / inner_y);
            let widened = |(low, high): (f64, f64), inner: f64| {
                let (middle, half) = (0.5 * (low + high), 0.5 * scale * inner);
                (middle - half, middle + half)
            };
            (x, y) = (widened(x, inner_x), widened(y, inner_y));
        }
        Self { x, y, width, height, log: axes.kind.is_log() }
    }

    fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let seen = |value: f64| if self.log { real::log10(value) } else { value };
        let (x, y) = (seen(x), seen(y));
        (x.is_finite() && y.is_finite()).then(|| (self.across(x), self.up(y)))
    }

    fn across(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (self.width - LEFT - RIGHT)
    }

    fn up(&self, y: f64) -> f64 {
        self.height - BOTTOM - (y - self.y.0) / (self.y.1 - self.y.0) * (self.height - TOP - BOTTOM)
    }

    fn grid(&self, axes: Axes, svg: &mut String) {
        let (right, bottom) = (self.width - RIGHT, self.height - BOTTOM);
        for value in ticks(self.x, self.log) {
            let x = self.across(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom:.1}\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                bottom + 15.0,
                label(value, self.x, self.log)
            );
        }
        for value in ticks(self.y, self.log) {
            let y = self.up(value);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                label(value, self.y, self.log)
            );
        }
        let (middle_x, middle_y) = (0.5 * (LEFT + right), 0.5 * (TOP + bottom));
        let _ = writeln!(
            svg,
            "<text x=\"{middle_x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text transform=\"translate(14 {middle_y:.1}) \
             rotate(-90)\" text-anchor=\"middle\">{}</text>",
            bottom + 33.0,
            super::escape(axes.x),
            super::escape(axes.y)
        );
    }
}

/// Least and greatest finite value; never without width.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    // A spread of a few units in the last place is rounding, not a signal.
    let flat = 1e-12 * low.abs().max(high.abs());
    if high - low <= flat {
        let half = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
        return (low - half, high + half);
    }
    (low, high)
}

/// Round numbers in a range, about five.
fn ticks((low, high): (f64, f64), log: bool) -> Vec<f64> {
    let step = if log { ((high - low) / 6.0).ceil().max(1.0) } else { round_step((high - low) / 5.0) };
    let first = (low / step).ceil();
    (0..20).map(|i| (first + f64::from(i)) * step).take_while(|value| *value <= high + 1e-9 * step).collect()
}

/// 1, 2 or 5 times a power of ten, not below a value.
fn round_step(least: f64) -> f64 {
    let decade = real::pow(10.0, real::log10(least).floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * decade)
        .into_iter()
        .find(|step| *step >= least)
        .unwrap_or(decade)
}

fn label(value: f64, (low, high): (f64, f64), log: bool) -> String {
    if log {
        return format!("1e{value:.0}");
    }
    let step = round_step((high - low) / 5.0);
    let size = low.abs().max(high.abs());
    if !(1e-3..1e5).contains(&size) {
        let text = format!("{value:.1e}");
        return if value.abs() < 1e-9 * size { "0".to_owned() } else { text.replace('-', "−") };
    }
    let decimals = (-real::log10(step).floor()).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
    if is_zero { text.replace('-', "") } else { text.replace('-', "−") }
}
