//! The page itself.

use std::fmt::Write;

use super::escape;
use super::plot::{Axes, Curve, Kind, draw};
use crate::precision::WorkPrecision;
use crate::row::{Row, Verdict};
use crate::suite::{Outcome, Totals};
use crate::table::short;

const STYLE: &str = include_str!("style.css");

/// Rows of a table that are open at once.
const OPEN_ROWS: usize = 14;

/// All of it; `shown` are the pictures of each outcome.
pub(super) fn page(outcomes: &[Outcome], shown: &[String], work: &[WorkPrecision]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>Dolmen: verification</title>\n<style>\n{STYLE}</style>\n<main>\n"
    );
    html += &head(outcomes);
    html += &contents(outcomes);
    if !work.is_empty() {
        html += &work_precision(work);
    }
    for (i, (outcome, shown)) in outcomes.iter().zip(shown).enumerate() {
        html += &section(i, outcome, shown);
    }
    html += "</main>\n</html>\n";
    html
}

fn head(outcomes: &[Outcome]) -> String {
    let totals = Totals::of(outcomes);
    let cpu: f64 = outcomes.iter().map(|outcome| outcome.cpu_time).sum();
    let mut html = "<header>\n<h1>Verification</h1>\n<p class=\"lead\">What Dolmen claims, as scenes with numbers: each row is a \
                    quantity, what it should be, what came out, and how far the two may be apart.</p>\n<ul class=\"totals\">\n"
        .to_owned();
    for (count, verdict) in [
        (totals.passed, Verdict::Pass),
        (totals.failed, Verdict::Fail),
        (totals.known, Verdict::KnownFailure),
        (totals.skipped, Verdict::Skipped),
    ] {
        let _ = writeln!(html, "<li class=\"{}\"><b>{count}</b> {}</li>", class(verdict), words(verdict));
    }
    let _ = writeln!(html, "<li><b>{cpu:.1} s</b> of CPU time</li>\n</ul>\n</header>");
    html
}

fn contents(outcomes: &[Outcome]) -> String {
    let mut html = "<nav aria-label=\"Cases\">\n".to_owned();
    for (i, outcome) in outcomes.iter().enumerate() {
        let worst = worst(&outcome.rows);
        let (id, title) = (escape(&outcome.case.id), escape(&outcome.case.title));
        let _ = writeln!(
            html,
            "<a class=\"{}\" href=\"#case-{i}\" title=\"{title}: {}\">{id}</a>",
            class(worst),
            words(worst)
        );
    }
    html + "</nav>\n"
}

fn work_precision(work: &[WorkPrecision]) -> String {
    let mut html = "<section>\n<h2>Work and precision</h2>\n<p>The same quantity with the tolerance of the integrator falling from \
                    10⁻³ to 10⁻¹²: relative error over CPU time. An error of zero is drawn at 10⁻¹⁶.</p>\n<div class=\"tiles\">\n"
        .to_owned();
    for group in work.chunks(3) {
        let curves: Vec<Curve> = group
            .iter()
            .map(|one| Curve {
                name: one.case.clone(),
                points: one.points.iter().map(|p| (p.cpu_time.max(1e-7), p.error.max(1e-16))).collect(),
            })
            .collect();
        let axes = Axes { x: "CPU time, s", y: "relative error", kind: Kind::LogLines };
        html += &draw(&curves, &[], axes, (560.0, 340.0));
    }
    html += "</div>\n<details><summary>Numbers</summary>\n<table>\n<thead><tr><th>case<th>quantity";
    for digits in 3..=12 {
        let _ = write!(html, "<th>1e-{digits}");
    }
    html += "</thead>\n";
    for one in work {
        let _ = write!(html, "<tr><td>{}<td><code>{}</code>", escape(&one.case), escape(&one.quantity));
        for digits in 3..=12 {
            let tolerance: f64 = format!("1e-{digits}").parse().unwrap_or(0.0);
            let cell = one.points.iter().find(|point| point.tolerance == tolerance);
            let text = cell.map_or_else(
                || "–".to_owned(),
                |p| format!("{}<br>{:.1} ms", short(p.error), 1e3 * p.cpu_time),
            );
            let _ = write!(html, "<td class=\"s\">{text}");
        }
        html.push('\n');
    }
    html + "</table>\n</details>\n</section>\n"
}

fn section(index: usize, outcome: &Outcome, shown: &str) -> String {
    let case = &outcome.case;
    let mut html = format!("<section id=\"case-{index}\">\n<h2>");
    if case.id == case.name {
        let _ = write!(html, "{}", escape(if case.title.is_empty() { &case.name } else { &case.title }));
    } else {
        let _ = write!(html, "<span class=\"id\">{}</span> {}", escape(&case.id), escape(&case.title));
    }
    let worst = worst(&outcome.rows);
    let _ = writeln!(html, " <span class=\"badge {}\">{}</span></h2>", class(worst), words(worst));
    if let Some(about) = &case.about {
        let _ = writeln!(html, "<p>{}</p>", escape(about.trim()));
    }
    if let Some(formula) = &case.formula {
        let _ = writeln!(html, "<p class=\"formula\">{}</p>", escape(formula));
    }
    let scene = case.scene_name().map(|name| format!("scene <code>{}</code>", escape(name)));
    let source = case.source.as_ref().map(|source| format!("source: {}", escape(source)));
    let facts: Vec<String> = scene.into_iter().chain(source).collect();
    if !facts.is_empty() {
        let _ = writeln!(html, "<p class=\"facts\">{}</p>", facts.join(" · "));
    }
    if !shown.is_empty() {
        let _ = writeln!(html, "<div class=\"seen\">\n{shown}</div>");
    }
    html += &tables(&outcome.rows);
    html + "</section>\n"
}

/// The first rows open, the rest to be opened; rows that do not pass are always open.
fn tables(rows: &[Row]) -> String {
    if rows.len() <= OPEN_ROWS {
        return table(rows.iter());
    }
    let is_open = |(i, row): &(usize, &Row)| *i < OPEN_ROWS - 2 || row.verdict != Verdict::Pass;
    let open: Vec<usize> = rows.iter().enumerate().filter(is_open).map(|(i, _)| i).collect();
    let closed: Vec<&Row> =
        rows.iter().enumerate().filter(|(i, _)| !open.contains(i)).map(|(_, row)| row).collect();
    let mut html = table(open.iter().map(|i| &rows[*i]));
    let _ = writeln!(
        html,
        "<details><summary>{} more rows, all pass</summary>\n{}</details>",
        closed.len(),
        table(closed.into_iter())
    );
    html
}

fn table<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let mut html = "<div class=\"scroll\"><table>\n<thead><tr><th>quantity<th>expected<th>got<th>error<th>allowed<th>verdict<th>CPU, \
                    s</thead>\n"
        .to_owned();
    for row in rows {
        let small = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), short);
        let note = row
            .note
            .as_ref()
            .map_or_else(String::new, |note| format!("<div class=\"note\">{}</div>", escape(note)));
        let _ = writeln!(
            html,
            "<tr><td class=\"q\">{}{note}<td class=\"n\">{}<td class=\"n\">{}<td class=\"s\">{}<td class=\"s\">{}<td class=\"s {}\">{}<td \
             class=\"s\">{:.3}",
            escape(&row.quantity),
            escape(&row.expected.to_string()),
            escape(&row.got.to_string()),
            small(row.error),
            small(row.tolerance),
            class(row.verdict),
            words(row.verdict),
            row.cpu_time
        );
    }
    html + "</table></div>\n"
}

fn worst(rows: &[Row]) -> Verdict {
    let has = |verdict: Verdict| rows.iter().any(|row| row.verdict == verdict);
    [Verdict::Fail, Verdict::KnownFailure, Verdict::Skipped]
        .into_iter()
        .find(|verdict| has(*verdict))
        .unwrap_or(Verdict::Pass)
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::KnownFailure => "known",
        Verdict::Skipped => "skipped",
    }
}

fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::KnownFailure => "known failure",
        Verdict::Skipped => "skipped",
    }
}
