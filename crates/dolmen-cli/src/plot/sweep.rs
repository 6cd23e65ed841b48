//! Figures of a sweep: measures over a parameter, over two of them, and all columns against each other.

use std::path::{Path, PathBuf};

use dolmen_sweep::{Column, Design, Spec, Table};

use super::axis::{Axis, Extent, in_words};
use super::canvas::{Anchor, Canvas, Colour, LARGE, NORMAL, SMALL, fit};
use super::panel::{Frame, NAMED, Panel, Style, legend};
use super::{BOTTOM, LEFT, PlotError, TOP, not_finite, write_all};

const WIDTH: f64 = 980.0;
const HEIGHT: f64 = 260.0;
/// Room for the legend of curves.
const LEGEND: f64 = 250.0;
/// Columns in the scatter matrix.
const MOST_COLUMNS: usize = 6;
/// Cells along a side of a heat map.
const MOST_CELLS: usize = 400;

/// Viridis at nine places [van der Walt, Smith 2015]: dark is low, in print too.
const SHADES: [Colour; 9] = [
    Colour(0x44, 0x01, 0x54),
    Colour(0x47, 0x2C, 0x7A),
    Colour(0x3B, 0x51, 0x8B),
    Colour(0x2C, 0x71, 0x8E),
    Colour(0x21, 0x90, 0x8D),
    Colour(0x27, 0xAD, 0x81),
    Colour(0x5C, 0xC8, 0x63),
    Colour(0xAA, 0xDC, 0x32),
    Colour(0xFD, 0xE7, 0x25),
];

/// Numbers of a column with its name.
type Named<'a> = (&'a str, &'a [f64]);

/// Writes the figures of a sweep into `out`: `curve`, of two parameters on a grid `heat`, and `scatter`.
///
/// # Errors
/// When there is nothing to draw, or a file cannot be written.
pub(crate) fn figures(spec: &Spec, table: &Table, out: &Path) -> Result<Vec<PathBuf>, PlotError> {
    let measures: Vec<Named> = spec.measures.iter().filter_map(|m| numbers(table, &m.name)).collect();
    let parameters = parameters(spec, table);
    if table.rows() == 0 || measures.is_empty() {
        return Err(PlotError::Empty);
    }
    std::fs::create_dir_all(out).map_err(|source| PlotError::Write { file: out.to_owned(), source })?;
    let mut figures = Vec::new();
    if let Some(first) = parameters.first() {
        figures.push(("curve", curve(spec, *first, &parameters[1..], &measures)));
    }
    if let ([x, y], Design::Grid) = (&parameters[..], &spec.design) {
        figures.push(("heat", heat(spec, (*x, *y), &measures)));
    }
    let all: Vec<Named> = parameters.iter().chain(&measures).copied().take(MOST_COLUMNS).collect();
    if all.len() > 1 {
        figures.push(("scatter", scatter(spec, &all)));
    }
    if figures.is_empty() {
        return Err(PlotError::Empty);
    }
    write_all(figures, out)
}

fn numbers<'a>(table: &'a Table, name: &str) -> Option<Named<'a>> {
    let found = table.columns.iter().find(|(other, _)| other == name)?;
    match &found.1 {
        Column::Number(numbers) => Some((&found.0, numbers)),
        _ => None,
    }
}

/// The columns of keys that vary and are numbers.
fn parameters<'a>(spec: &Spec, table: &'a Table) -> Vec<Named<'a>> {
    let mut found = Vec::new();
    let others = ["variant", "status", "reason", "reached", "events", "cpu"];
    for (name, column) in &table.columns {
        let is_measure = spec.measures.iter().any(|measure| measure.name == *name);
        let Column::Number(numbers) = column else { continue };
        let varies = numbers.iter().any(|number| *number != numbers[0]);
        if !is_measure && !others.contains(&name.as_str()) && varies {
            found.push((name.as_str(), numbers.as_slice()));
        }
    }
    found
}

fn heading(canvas: &mut Canvas, spec: &Spec, what: &str, notes: &[String]) {
    let width = canvas.width - 40.0;
    let title = format!("{what}: {}", spec.scene.name);
    canvas.text((20.0, 28.0), &fit(&title, LARGE, width), LARGE, Anchor::Start);
    canvas.text((20.0, 50.0), &fit(&notes.join("; "), SMALL, width), SMALL, Anchor::Start);
}

/// Each measure over the first parameter; a curve for each set of values of the others, or dots where there are too many.
fn curve(spec: &Spec, x: Named, others: &[Named], measures: &[Named]) -> Canvas {
    let gap = 70.0;
    let height = TOP + (HEIGHT + gap) * measures.len() as f64 - gap + BOTTOM;
    let mut canvas = Canvas::new(WIDTH, height, "Measures over a parameter");
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for row in 0..x.1.len() {
        let value = |(name, numbers): &Named| format!("{name} = {}", in_words(numbers[row]));
        let key = others.iter().map(value).collect::<Vec<_>>().join(", ");
        match groups.iter().position(|(other, _)| *other == key) {
            Some(k) => groups[k].1.push(row),
            None if groups.len() <= NAMED => groups.push((key, vec![row])),
            None => {}
        }
    }
    let is_curves = matches!(spec.design, Design::Grid | Design::Rows { .. }) && groups.len() <= NAMED;
    let has_legend = is_curves && groups.len() > 1;
    let room = if has_legend { LEGEND } else { 0.0 };
    for (k, (name, numbers)) in measures.iter().enumerate() {
        let y = TOP + (HEIGHT + gap) * k as f64;
        let frame = Frame { x: LEFT, y, w: WIDTH - LEFT - room - 30.0, h: HEIGHT };
        let axes = (
            Axis::snug(Extent::of(x.1.iter().copied()), 8),
            Axis::linear(Extent::of(numbers.iter().copied()), 7),
        );
        let panel = Panel { frame, x: axes.0, y: axes.1 };
        let label = panel.x.label(x.0, "");
        panel.draw(&mut canvas, Some(&label), &panel.y.label(name, ""));
        if is_curves {
            for (i, (_, rows)) in groups.iter().enumerate() {
                let mut points: Vec<(f64, f64)> = rows.iter().map(|row| (x.1[*row], numbers[*row])).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                panel.curve(&mut canvas, points, Style::Named(i));
            }
        } else {
            panel.dots(&mut canvas, x.1.iter().copied().zip(numbers.iter().copied()), Style::Named(0));
        }
        if has_legend {
            let entries: Vec<_> =
                groups.iter().enumerate().map(|(i, (key, _))| (key.clone(), Style::Named(i))).collect();
            legend(&mut canvas, (frame.x + frame.w + 18.0, frame.y + 10.0), LEGEND - 18.0, &entries);
        }
    }
    let notes: Vec<String> =
        not_finite(measures.iter().flat_map(|(_, n)| n.iter().copied())).into_iter().collect();
    heading(&mut canvas, spec, "Measures over a parameter", &notes);
    canvas
}

/// Each measure over two parameters, as shades.
fn heat(spec: &Spec, (x, y): (Named, Named), measures: &[Named]) -> Canvas {
    let (side, gap) = (330.0, 90.0);
    let height = TOP + (side + gap) * measures.len() as f64 - gap + BOTTOM;
    let mut canvas = Canvas::new(760.0, height, "Measures over two parameters");
    let places = |numbers: &[f64]| {
        let mut places = numbers.to_vec();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    };
    let (xs, ys) = (places(x.1), places(y.1));
    let mut notes: Vec<String> =
        not_finite(measures.iter().flat_map(|(_, n)| n.iter().copied())).into_iter().collect();
    for (k, (name, numbers)) in measures.iter().enumerate() {
        let frame = Frame { x: LEFT, y: TOP + (side + gap) * k as f64, w: 520.0, h: side };
        let panel = Panel { frame, x: Axis::cells(xs.clone(), 9), y: Axis::cells(ys.clone(), 9) };
        panel.draw(&mut canvas, Some(&panel.x.label(x.0, "")), &format!("{name}, over {} upwards", y.0));
        let extent = Extent::of(numbers.iter().copied());
        if xs.len().max(ys.len()) <= MOST_CELLS {
            let size = (frame.w / xs.len() as f64, frame.h / ys.len() as f64);
            for row in 0..numbers.len() {
                let (Ok(i), Ok(j)) = (
                    xs.binary_search_by(|other| other.total_cmp(&x.1[row])),
                    ys.binary_search_by(|other| other.total_cmp(&y.1[row])),
                ) else {
                    continue;
                };
                if let Some(colour) = shade(numbers[row], extent) {
                    let at = (frame.x + size.0 * i as f64, frame.y + frame.h - size.1 * (j + 1) as f64);
                    // A hair more, so that no ground shows between cells.
                    canvas.rectangle(at, (size.0 + 0.3, size.1 + 0.3), colour);
                }
            }
        } else {
            notes.push("too many cells to draw".to_owned());
        }
        key(&mut canvas, &frame, extent);
    }
    notes.push("a cell for each variant; nothing where there is no number".to_owned());
    heading(&mut canvas, spec, "Measures over two parameters", &notes);
    canvas
}

/// Which shade is which number.
fn key(canvas: &mut Canvas, frame: &Frame, extent: Extent) {
    const STEPS: usize = 64;
    let (x, step) = (frame.x + frame.w + 24.0, frame.h / STEPS as f64);
    if extent.is_empty() {
        return;
    }
    for i in 0..STEPS {
        let share = (i as f64 + 0.5) / STEPS as f64;
        let y = frame.y + frame.h - step * (i + 1) as f64;
        canvas.rectangle((x, y), (18.0, step + 0.3), shade_at(share));
    }
    for (share, value) in [(0.0, extent.lo), (0.5, extent.lo + extent.half_width()), (1.0, extent.hi)] {
        let y = frame.y + frame.h - share * frame.h + 4.0;
        canvas.text((x + 24.0, y), &in_words(value), SMALL, Anchor::Start);
    }
}

fn shade(number: f64, extent: Extent) -> Option<Colour> {
    let width = 2.0 * extent.half_width();
    number.is_finite().then(|| shade_at(if width > 0.0 { (number - extent.lo) / width } else { 0.5 }))
}

fn shade_at(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (SHADES.len() - 1) as f64;
    let i = (at as usize).min(SHADES.len() - 2);
    let (a, b, u) = (SHADES[i], SHADES[i + 1], at - i as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + u * (f64::from(b) - f64::from(a))).round() as u8;
    Colour(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// All columns against each other; names on the diagonal.
fn scatter(spec: &Spec, columns: &[Named]) -> Canvas {
    let n = columns.len() as f64;
    let (cell, gap) = ((840.0 / n).min(260.0), 14.0);
    let side = LEFT + n * (cell + gap) + 20.0;
    let mut canvas =
        Canvas::new(side.max(420.0), TOP + n * (cell + gap) + BOTTOM, "Columns against each other");
    for (i, (name, down)) in columns.iter().enumerate() {
        for (j, (_, along)) in columns.iter().enumerate() {
            let frame = Frame {
                x: LEFT + (cell + gap) * j as f64,
                y: TOP + (cell + gap) * i as f64,
                w: cell,
                h: cell,
            };
            if i == j {
                let at = (frame.x + 0.5 * cell, frame.y + 0.5 * cell);
                canvas.text(at, &fit(name, NORMAL, cell - 8.0), NORMAL, Anchor::Middle);
                continue;
            }
            let axes = |numbers: &[f64]| Axis::linear(Extent::of(numbers.iter().copied()), 3);
            // Numbers stand at the left and below, where no other panel is.
            let is_first = j == 0 || (i == 0 && j == 1);
            let y = if is_first { axes(down) } else { axes(down).bare() };
            let panel = Panel { frame, x: axes(along), y };
            let is_last = i + 1 == columns.len() || (i + 2 == columns.len() && j + 1 == columns.len());
            let label = is_last.then_some("");
            panel.draw(&mut canvas, label, "");
            panel.dots(&mut canvas, along.iter().copied().zip(down.iter().copied()), Style::Named(0));
        }
    }
    heading(&mut canvas, spec, "All variants", &[format!("{} variants", columns[0].1.len())]);
    canvas
}
