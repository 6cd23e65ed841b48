//! What a figure is made of, and its two writings: SVG and PNG.
//!
//! Libraries that were tried for the PNG (the SVG needs none):
//! * `plotters` 0.3 draws no text without either fontconfig and freetype of the machine, or a font file that the
//!   program brings along: on a bare machine it fails with `FontUnavailable`.
//! * `kuva` 0.6 has a rasteriser of its own and carries the font `DejaVu Sans`: text is there on a bare machine. Its own
//!   axes and panels are not used: its ticks fail for values of 1e-300, its logarithmic axes clip zeros to a
//!   wall and its panels are not aligned. Its rasteriser restarts a dash at every point of a line, so a dashed
//!   curve of many points comes out solid: lines are cut into dashes here. Turned text loses its
//!   smooth edges, so labels stand upright above their panels, where they are also easier to read.
//!
//! So a figure is a list of marks, `kuva` turns them into pixels, and nothing else knows of it.

use std::fmt::Write as _;

use kuva::backend::raster::RasterBackend;
use kuva::render::color::Color as KuvaColor;
use kuva::render::render::{Primitive, Scene, TextAnchor};

use super::PlotError;

/// Pixels of the PNG per unit of the SVG: 2 gives about 190 dots per inch at 9 inches wide.
const PNG_SCALE: f32 = 2.0;
/// Text, axes and frames.
pub(crate) const INK: Colour = Colour(0x22, 0x22, 0x22);
/// Lines that lead the eye.
pub(crate) const GRID: Colour = Colour(0xDD, 0xDD, 0xDD);
/// Curves that have no name of their own.
pub(crate) const FAINT: Colour = Colour(0xB4, 0xB4, 0xB4);
/// Sizes of text.
pub(crate) const SMALL: u32 = 11;
/// See [`SMALL`].
pub(crate) const NORMAL: u32 = 13;
/// See [`SMALL`].
pub(crate) const LARGE: u32 = 17;

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The text begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// Lengths of stroke and gap in turn; empty for a solid line.
pub(crate) type Dash = &'static [f64];

/// One thing drawn. Coordinates from the upper left corner, y down.
#[derive(Debug, Clone)]
enum Mark {
    Line { points: Vec<(f64, f64)>, colour: Colour, width: f64, dash: Dash },
    Dot { at: (f64, f64), radius: f64, colour: Colour, is_filled: bool },
    Box { at: (f64, f64), size: (f64, f64), colour: Colour },
    Text { at: (f64, f64), text: String, size: u32, anchor: Anchor },
}

/// A figure: a list of marks on a white ground.
#[derive(Debug, Clone)]
pub(crate) struct Canvas {
    /// Units, 96 to the inch.
    pub(crate) width: f64,
    /// Units, 96 to the inch.
    pub(crate) height: f64,
    title: String,
    marks: Vec<Mark>,
}

impl Canvas {
    /// An empty figure; `title` is for programs that read figures aloud.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, title: title.to_owned(), marks: Vec::new() }
    }

    /// A line through the points.
    pub(crate) fn line(&mut self, points: Vec<(f64, f64)>, colour: Colour, width: f64, dash: Dash) {
        self.marks.push(Mark::Line { points, colour, width, dash });
    }

    /// A dot, or a ring when not filled.
    pub(crate) fn dot(&mut self, at: (f64, f64), radius: f64, colour: Colour, is_filled: bool) {
        self.marks.push(Mark::Dot { at, radius, colour, is_filled });
    }

    /// A filled rectangle from its upper left corner.
    pub(crate) fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), colour: Colour) {
        self.marks.push(Mark::Box { at, size, colour });
    }

    /// A line of text, its baseline at the point.
    pub(crate) fn text(&mut self, at: (f64, f64), text: &str, size: u32, anchor: Anchor) {
        self.marks.push(Mark::Text { at, text: printable(text), size, anchor });
    }

    /// The figure as SVG. Ink, ground and grid carry a class, so that a page can show it on a dark ground.
    pub(crate) fn to_svg(&self) -> String {
        let (w, h) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             font-family=\"'DejaVu Sans',Verdana,Arial,sans-serif\" role=\"img\">\n<title>{}</title>\n\
             <rect class=\"ground\" width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
            escape(&printable(&self.title))
        );
        for mark in &self.marks {
            mark.write_svg(&mut svg).expect("writing to a String cannot fail");
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The figure as PNG.
    ///
    /// # Errors
    /// When the rasteriser refuses.
    pub(crate) fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        let mut scene = Scene::new(self.width, self.height);
        for mark in &self.marks {
            mark.add_to(&mut scene);
        }
        RasterBackend::new().with_scale(PNG_SCALE).render_scene(&scene).map_err(PlotError::Raster)
    }
}

impl Mark {
    fn write_svg(&self, svg: &mut String) -> std::fmt::Result {
        match self {
            Self::Line { points, colour, width, dash } => {
                write!(
                    svg,
                    "<polyline fill=\"none\" stroke-linejoin=\"round\" {}",
                    paint("stroke", *colour)
                )?;
                write!(svg, " stroke-width=\"{width}\"")?;
                if !dash.is_empty() {
                    let lengths: Vec<String> = dash.iter().map(f64::to_string).collect();
                    write!(svg, " stroke-dasharray=\"{}\"", lengths.join(" "))?;
                }
                svg.push_str(" points=\"");
                for (i, (x, y)) in points.iter().enumerate() {
                    let space = if i == 0 { "" } else { " " };
                    write!(svg, "{space}{},{}", hundredth(*x), hundredth(*y))?;
                }
                svg.push_str("\"/>\n");
            }
            Self::Dot { at: (x, y), radius, colour, is_filled } => {
                let (x, y) = (hundredth(*x), hundredth(*y));
                write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" ")?;
                if *is_filled {
                    writeln!(svg, "{}/>", paint("fill", *colour))?;
                } else {
                    writeln!(svg, "fill=\"none\" stroke-width=\"1.5\" {}/>", paint("stroke", *colour))?;
                }
            }
            Self::Box { at: (x, y), size: (w, h), colour } => {
                let (x, y, w, h) = (hundredth(*x), hundredth(*y), hundredth(*w), hundredth(*h));
                writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {}/>",
                    paint("fill", *colour)
                )?;
            }
            Self::Text { at: (x, y), text, size, anchor } => {
                let (x, y) = (hundredth(*x), hundredth(*y));
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                write!(svg, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" ")?;
                svg.push_str(&paint("fill", INK));
                writeln!(svg, ">{}</text>", escape(text))?;
            }
        }
        Ok(())
    }

    fn add_to(&self, scene: &mut Scene) {
        match self {
            Self::Line { points, colour, width, dash } => {
                for points in dashes(points, dash) {
                    scene.add(Primitive::PolyLine {
                        points,
                        stroke: kuva_colour(*colour),
                        stroke_width: *width,
                        stroke_dasharray: None,
                    });
                }
            }
            Self::Dot { at, radius, colour, is_filled } => scene.add(Primitive::Circle {
                cx: at.0,
                cy: at.1,
                r: *radius,
                fill: if *is_filled { kuva_colour(*colour) } else { KuvaColor::None },
                fill_opacity: None,
                stroke: (!is_filled).then(|| kuva_colour(*colour)),
                stroke_width: (!is_filled).then_some(1.5),
            }),
            Self::Box { at, size, colour } => scene.add(Primitive::Rect {
                x: at.0,
                y: at.1,
                width: size.0,
                height: size.1,
                fill: kuva_colour(*colour),
                stroke: None,
                stroke_width: None,
                opacity: None,
            }),
            Self::Text { at, text, size, anchor } => scene.add(Primitive::Text {
                x: at.0,
                y: at.1,
                // Between dollars kuva would read formulas.
                content: text.replace('$', "\\$"),
                size: *size,
                anchor: match anchor {
                    Anchor::Start => TextAnchor::Start,
                    Anchor::Middle => TextAnchor::Middle,
                    Anchor::End => TextAnchor::End,
                },
                rotate: None,
                bold: false,
                color: Some(kuva_colour(INK)),
            }),
        }
    }
}

/// Cuts a line into its strokes; a solid line is one stroke.
fn dashes(points: &[(f64, f64)], dash: Dash) -> Vec<Vec<(f64, f64)>> {
    if dash.is_empty() {
        return vec![points.to_vec()];
    }
    let mut strokes = Vec::new();
    let mut stroke: Vec<(f64, f64)> = points.iter().take(1).copied().collect();
    let (mut k, mut left) = (0, dash[0]);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = (dx * dx + dy * dy).sqrt();
            if length <= left {
                left -= length;
                if k % 2 == 0 {
                    stroke.push(to);
                }
                break;
            }
            from = (from.0 + dx * left / length, from.1 + dy * left / length);
            if k % 2 == 0 {
                stroke.push(from);
                strokes.push(std::mem::take(&mut stroke));
            } else {
                stroke = vec![from];
            }
            k += 1;
            left = dash[k % dash.len()];
        }
    }
    if stroke.len() > 1 {
        strokes.push(stroke);
    }
    strokes
}

fn kuva_colour(c: Colour) -> KuvaColor {
    KuvaColor::Rgb(c.0, c.1, c.2)
}

fn paint(attribute: &str, c: Colour) -> String {
    let class = match c {
        INK => "class=\"ink\" ",
        GRID => "class=\"grid\" ",
        _ => "",
    };
    format!("{class}{attribute}=\"#{:02x}{:02x}{:02x}\"", c.0, c.1, c.2)
}

/// To a hundredth of a unit, which no eye sees, and keeps the file small.
fn hundredth(v: f64) -> f64 {
    (v * 100.0).round() / 100.0
}

/// Text for XML and HTML, also inside an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Control characters, which XML forbids, become a space.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') { ' ' } else { c })
        .collect()
}

/// The width of a text in units, by the advances of `DejaVu Sans`, the widest of the fonts named in the SVG.
pub(crate) fn text_width(text: &str, size: u32) -> f64 {
    let em: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '|' | '\'' => 0.29,
            '.' | ',' | ' ' | ':' | ';' | 'I' => 0.32,
            'f' | 't' | 'r' | '(' | ')' | '-' | '[' | ']' | '·' => 0.41,
            'm' | 'w' | 'M' | 'W' | '%' | '…' => 0.98,
            '−' | '+' | '=' | '<' | '>' | '#' | 'A'..='Z' => 0.8,
            '⁰'..='⁻' | '¹' | '²' | '³' => 0.43,
            c if c.is_ascii() => 0.63,
            c if (c as u32) < 0x2E80 => 0.7,
            _ => 1.05,
        })
        .sum();
    em * f64::from(size)
}

/// The text, or as much of it as fits into `width` with … in its place.
pub(crate) fn fit(text: &str, size: u32, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if text_width(&kept, size) + f64::from(size) > width {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dashed line has the drawn length of its dashes, however many points it has.
    #[test]
    fn dashes_do_not_restart_at_points() {
        let points: Vec<(f64, f64)> = (0..=1000).map(|i| (f64::from(i) * 0.1, 0.0)).collect();
        let strokes = dashes(&points, &[6.0, 4.0]);
        let drawn: f64 = strokes.iter().map(|s| s[s.len() - 1].0 - s[0].0).sum();
        assert_eq!(strokes.len(), 10);
        assert!((drawn - 60.0).abs() < 1e-9, "drawn {drawn} of 100");
    }

    /// A name is text, whatever is in it.
    #[test]
    fn svg_text_is_escaped() {
        let mut canvas = Canvas::new(10.0, 10.0, "</title><b>");
        canvas.text((1.0, 1.0), "a<b> & \"c\"\u{0}", SMALL, Anchor::Start);
        let svg = canvas.to_svg();
        assert!(svg.contains("a&lt;b&gt; &amp; &quot;c&quot; </text>"), "{svg}");
        assert!(svg.contains("<title>&lt;/title&gt;&lt;b&gt;</title>"), "{svg}");
    }

    /// A long name ends with … and fits.
    #[test]
    fn long_names_are_shortened() {
        let name = "the third brick from the left in the second row";
        let short = fit(name, NORMAL, 100.0);
        assert!(short.ends_with('…') && text_width(&short, NORMAL) <= 105.0, "{short}");
        assert_eq!(fit("box", NORMAL, 100.0), "box");
    }
}
