//! The table, as text and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::row::{Row, Shown, Verdict};
use crate::suite::{Outcome, Totals};

/// Columns of a quantity before it is cut.
const WIDEST: usize = 58;

/// Columns of a value.
const VALUE: usize = 34;

/// All rows as a table for a terminal, and the totals.
pub fn text(outcomes: &[Outcome], seconds: f64) -> String {
    let rows: Vec<&Row> = outcomes.iter().flat_map(|outcome| &outcome.rows).collect();
    let width = |most: usize, of: &dyn Fn(&Row) -> usize, least: usize| {
        rows.iter().map(|row| of(row).min(most)).max().unwrap_or(0).max(least)
    };
    let case = width(32, &|row| count(&row.case), 4);
    let quantity = width(WIDEST, &|row| count(&row.quantity), 8);
    let expected = width(VALUE, &|row| count(&row.expected.to_string()), 8);
    let got = width(VALUE, &|row| count(&row.got.to_string()), 3);
    let mut text = format!(
        "{}  {}  {}  {}  error    allowed  verdict        CPU, s\n",
        padded("case", case),
        padded("quantity", quantity),
        padded("expected", expected),
        padded("got", got)
    );
    for row in &rows {
        let small = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), short);
        let _ = writeln!(
            text,
            "{}  {}  {}  {}  {:7}  {:7}  {:13}  {:.3}",
            padded(&row.case, case),
            padded(&row.quantity, quantity),
            padded(&row.expected.to_string(), expected),
            padded(&row.got.to_string(), got),
            small(row.error),
            small(row.tolerance),
            row.verdict.name(),
            row.cpu_time
        );
    }
    text += &notes(&rows);
    text += &summary(outcomes, seconds);
    text
}

/// Why rows fail or were skipped, each reason once.
fn notes(rows: &[&Row]) -> String {
    let mut text = String::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        let holds_now = row.note.as_deref().is_some_and(|note| note.starts_with("holds now"));
        if row.verdict == Verdict::Pass && !holds_now {
            continue;
        }
        let why = match (&row.note, &row.got) {
            (Some(note), _) if row.verdict != Verdict::Fail => note.as_str(),
            (_, Shown::Text(got)) => got.as_str(),
            _ => continue,
        };
        if !seen.contains(&(row.case.as_str(), why)) {
            seen.push((&row.case, why));
            let _ = writeln!(text, "{}{}: {why}", if text.is_empty() { "\n" } else { "" }, row.case);
        }
    }
    text
}

/// One line: how many of each, and what it took.
pub fn summary(outcomes: &[Outcome], seconds: f64) -> String {
    let totals = Totals::of(outcomes);
    let cpu: f64 = outcomes.iter().map(|outcome| outcome.cpu_time).sum();
    let cases = if outcomes.len() == 1 { "case" } else { "cases" };
    let mut text = format!("\n{} {cases}: {} passed", outcomes.len(), totals.passed);
    for (count, what) in [
        (totals.failed, "failed"),
        (totals.known, if totals.known == 1 { "known failure" } else { "known failures" }),
        (totals.skipped, "skipped"),
    ] {
        if count > 0 || what == "failed" {
            let _ = write!(text, ", {count} {what}");
        }
    }
    let _ = writeln!(text, "; {cpu:.1} s of CPU time in {seconds:.1} s");
    text
}

/// An array of objects with the fields case, quantity, expected, got, error, tolerance, verdict, cpu_time.
///
/// `expected` and `got` are numbers, lists of them, or text; `error` and `tolerance` numbers, or null where there is no value;
/// `verdict` is "pass", "fail", "known failure" or "skipped"; `cpu_time` is in seconds.
pub fn json(outcomes: &[Outcome]) -> Json {
    let shown = |shown: &Shown| match shown {
        Shown::Number(number) => json!(number),
        Shown::List(list) => json!(list),
        Shown::Text(text) => json!(text),
    };
    let rows = outcomes.iter().flat_map(|outcome| &outcome.rows);
    rows.map(|row| {
        json!({
            "case": row.case,
            "quantity": row.quantity,
            "expected": shown(&row.expected),
            "got": shown(&row.got),
            "error": row.error,
            "tolerance": row.tolerance,
            "verdict": row.verdict.name().to_lowercase(),
            "cpu_time": row.cpu_time,
        })
    })
    .collect()
}

/// Two digits.
pub(crate) fn short(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { format!("{number:.1e}") }
}

fn count(text: &str) -> usize {
    text.lines().next().unwrap_or("").chars().count()
}

/// The first line, cut or filled to a width.
fn padded(text: &str, width: usize) -> String {
    let line = text.lines().next().unwrap_or("");
    let length = line.chars().count();
    if length > width {
        let cut: String = line.chars().take(width - 1).collect();
        return cut + "…";
    }
    format!("{line}{}", " ".repeat(width - length))
}
