//! `cargo xtask chart`: time and overlap of the fixed-step driver beside another engine, as a picture.

use std::fmt::Write;
use std::fs;

use crate::root;

/// What `cargo xtask peers` printed, and the picture of it, in `docs/`.
const FIGURES: &str = "docs/peers.txt";
const PICTURE: &str = "docs/pictures/peers.svg";

/// The engines of the picture: as they are printed, as they are called, colour.
const ENGINES: [(&str, &str, &str); 2] =
    [("dolmen-f32", "Dolmen, fixed steps", "#0072b2"), ("rapier-f32x8", "Rapier 0.36", "#c05000")];

/// Size of the picture and of the frame in it: left, top, right, bottom, px.
const SIZE: [f64; 2] = [720.0, 420.0];
const FRAME: [f64; 4] = [70.0, 40.0, 700.0, 360.0];

/// One engine in one scene.
#[derive(Debug, PartialEq)]
struct Row {
    scene: String,
    engine: usize,
    /// Time of a step, ms, and the worst overlap, mm.
    at: [f64; 2],
}

/// Reads the figures and draws them.
pub(crate) fn draw() -> Result<(), String> {
    let figures = root().join(FIGURES);
    let text = fs::read_to_string(&figures).map_err(|error| format!("{}: {error}", figures.display()))?;
    let picture = root().join(PICTURE);
    fs::write(&picture, svg(&rows(&text)?)).map_err(|error| format!("{}: {error}", picture.display()))?;
    println!("{}", picture.display());
    Ok(())
}

/// Rows of the engines of the picture; those in which nothing can overlap are left out.
fn rows(text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (i, line) in text.lines().enumerate().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [scene, engine, time, _, overlap, ..] = words[..] else {
            return Err(format!("{FIGURES}:{}: five columns are needed: {line}", i + 1));
        };
        let Some(engine) = ENGINES.iter().position(|(name, ..)| *name == engine) else { continue };
        let number =
            |word: &str| word.parse::<f64>().map_err(|error| format!("{FIGURES}:{}: {word}: {error}", i + 1));
        let at = [number(time)?, number(overlap)?];
        if at.iter().all(|v| v.is_finite() && *v > 0.0) {
            rows.push(Row { scene: scene.to_owned(), engine, at });
        }
    }
    if rows.is_empty() { Err(format!("{FIGURES} has no figures to draw")) } else { Ok(rows) }
}

/// Within a picture: a tenth of a pixel is far more than platforms differ.
#[expect(clippy::disallowed_methods, reason = "nothing is simulated with it")]
fn log10(value: f64) -> f64 {
    value.log10()
}

/// Powers of ten around all values.
fn decades(values: impl Iterator<Item = f64>) -> [i32; 2] {
    let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    let [low, high] = [log10(least).floor() as i32, log10(most).ceil() as i32];
    [low, high.max(low + 1)]
}

fn svg(rows: &[Row]) -> String {
    let ends = [0, 1].map(|k| decades(rows.iter().map(|row| row.at[k])));
    let place = |k: usize, value: f64| {
        let [low, high] = ends[k].map(f64::from);
        let share = (log10(value) - low) / (high - low);
        if k == 0 {
            FRAME[0] + share * (FRAME[2] - FRAME[0])
        } else {
            FRAME[3] - share * (FRAME[3] - FRAME[1])
        }
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        SIZE[0], SIZE[1]
    );
    for k in 0..2 {
        for power in ends[k][0]..=ends[k][1] {
            let value: f64 = format!("1e{power}").parse().unwrap_or(f64::NAN);
            let at = place(k, value);
            let label = if (-3..=3).contains(&power) { value.to_string() } else { format!("1e{power}") };
            let (line, x, y, anchor) = if k == 0 {
                (format!("M{at:.1} {:.1}V{:.1}", FRAME[1], FRAME[3]), at, FRAME[3] + 20.0, "middle")
            } else {
                (format!("M{:.1} {at:.1}H{:.1}", FRAME[0], FRAME[2]), FRAME[0] - 8.0, at + 4.0, "end")
            };
            let _ = writeln!(text, "<path d=\"{line}\" stroke=\"#d8d8d8\"/>");
            let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{label}</text>");
        }
    }
    let middle = 0.5 * (FRAME[1] + FRAME[3]);
    let _ = writeln!(
        text,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">time of a step, ms</text>\n\
         <text transform=\"translate(20 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">worst overlap, mm</text>",
        0.5 * (FRAME[0] + FRAME[2]),
        FRAME[3] + 44.0
    );
    for row in rows.iter().filter(|row| row.engine == 0) {
        let [x, y] = [place(0, row.at[0]), place(1, row.at[1])];
        if let Some(other) = rows.iter().find(|other| other.engine == 1 && other.scene == row.scene) {
            let [to_x, to_y] = [place(0, other.at[0]), place(1, other.at[1])];
            let _ = writeln!(text, "<path d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\" stroke=\"#909090\"/>");
        }
        let _ = writeln!(text, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 8.0, y + 16.0, row.scene);
    }
    // By form as well as by colour.
    let mark = |engine: usize, x: f64, y: f64| {
        let colour = ENGINES[engine].2;
        if engine == 0 {
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5.5\" fill=\"{colour}\"/>")
        } else {
            let (left, top) = (x - 5.0, y - 5.0);
            format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"10\" height=\"10\" fill=\"white\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            )
        }
    };
    for row in rows {
        let _ = writeln!(text, "{}", mark(row.engine, place(0, row.at[0]), place(1, row.at[1])));
    }
    for (i, (_, name, _)) in ENGINES.iter().enumerate() {
        let x = FRAME[0] + 10.0 + 190.0 * i as f64;
        let _ = writeln!(text, "{}<text x=\"{:.1}\" y=\"25\">{name}</text>", mark(i, x, 21.0), x + 12.0);
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The picture in the documents is that of the figures beside it.
    #[test]
    fn the_picture_is_current() {
        let read = |name: &str| fs::read_to_string(root().join(name)).unwrap_or_default();
        let drawn = svg(&rows(&read(FIGURES)).expect("figures"));
        assert!(read(PICTURE) == drawn, "{PICTURE} is old: run `cargo xtask chart`");
    }

    /// A point a decade further right and up is that much further; what is no figure is refused with its line.
    #[test]
    fn figures_are_placed_by_their_logarithms() {
        let head = "scene engine ms/step slowest overlap\n";
        let rows_of = |lines: &str| rows(&format!("{head}{lines}"));
        let two = rows_of("A dolmen-f32 0.1 1 10\nA rapier-f32x8 1 2 100 note\nA dolmen-f64 5 5 5\n")
            .expect("two rows");
        assert_eq!(two.len(), 2);
        let drawn = svg(&two);
        assert!(drawn.contains("M70.0 360.0L700.0 40.0"), "{drawn}");
        let error = rows_of("A dolmen-f32 x 1 10\n").expect_err("no number");
        assert!(error.contains(":2: x"), "{error}");
        assert!(rows_of("").is_err());
    }
}
