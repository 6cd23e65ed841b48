//! Series of points over logarithmic axes, as a small SVG picture.

use std::fmt::Write;

/// A named series of points; both coordinates positive.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 80.0;
const BOTTOM: f64 = 60.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 20.0;
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// Decades that hold all values.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = (dolmen::math::real::log10(low).floor(), dolmen::math::real::log10(high).ceil());
    if high > low { (low, high) } else { (low, low + 1.0) }
}

/// The picture, with a title and the names of its axes.
pub(crate) fn log_plot(title: &str, (x_name, y_name): (&str, &str), series: &[Series]) -> String {
    let all = || series.iter().flat_map(|s| s.points.iter());
    let (x_0, x_1) = decades(all().map(|p| p.0));
    let (y_0, y_1) = decades(all().map(|p| p.1));
    let x_of = |v: f64| LEFT + (v - x_0) / (x_1 - x_0) * (WIDTH - LEFT - RIGHT);
    let y_of = |v: f64| HEIGHT - BOTTOM - (v - y_0) / (y_1 - y_0) * (HEIGHT - BOTTOM - TOP);
    let mut svg = String::new();
    let mut line = |text: String| {
        let _ = writeln!(svg, "{text}");
    };
    line(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">"#
    ));
    line(format!(r#"<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>"#));
    line(format!(r#"<text x="{LEFT}" y="22" font-size="14">{title}</text>"#));
    for (from, to, is_x) in [(x_0, x_1, true), (y_0, y_1, false)] {
        let every = ((to - from) / 8.0).ceil();
        let mut decade = from;
        while decade <= to {
            let (a, b) = if is_x {
                ((x_of(decade), HEIGHT - BOTTOM), (x_of(decade), TOP))
            } else {
                ((LEFT, y_of(decade)), (WIDTH - RIGHT, y_of(decade)))
            };
            line(format!(r##"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="#ddd"/>"##, a.0, a.1, b.0, b.1));
            let (x, y, anchor) =
                if is_x { (a.0, a.1 + 18.0, "middle") } else { (a.0 - 6.0, a.1 + 4.0, "end") };
            line(format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">1e{decade:.0}</text>"#));
            decade += every;
        }
    }
    line(format!(
        r#"<text x="{:.0}" y="{:.0}" text-anchor="middle">{x_name}</text>"#,
        0.5 * WIDTH,
        HEIGHT - 20.0
    ));
    line(format!(
        r#"<text transform="translate(20 {:.0}) rotate(-90)" text-anchor="middle">{y_name}</text>"#,
        0.5 * HEIGHT
    ));
    for (k, one) in series.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        for (x, y) in &one.points {
            let (x, y) = (x_of(dolmen::math::real::log10(*x)), y_of(dolmen::math::real::log10(*y)));
            line(format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{colour}"/>"#));
        }
        let y = TOP + 14.0 + 16.0 * k as f64;
        line(format!(r#"<circle cx="{}" cy="{}" r="3" fill="{colour}"/>"#, WIDTH - 200.0, y - 4.0));
        line(format!(r#"<text x="{}" y="{y}">{}</text>"#, WIDTH - 190.0, one.name));
    }
    line("</svg>".to_owned());
    svg
}
