//! A row of the table: what was expected, what came out, and the verdict.

use std::fmt;

use crate::expression::Value;

/// What became of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Within its tolerance.
    Pass,
    /// Not.
    Fail,
    /// Not, and that is known and said.
    KnownFailure,
    /// Not tried: its data are not here.
    Skipped,
}

impl Verdict {
    /// As it is written in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::KnownFailure => "known failure",
            Self::Skipped => "skipped",
        }
    }
}

/// A value as a table shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// A number.
    Number(f64),
    /// Several.
    List(Vec<f64>),
    /// Words: a bound, or why there is no value.
    Text(String),
}

impl From<&Value> for Shown {
    fn from(value: &Value) -> Self {
        match value {
            Value::Number(number) => Self::Number(*number),
            Value::Parts(_) => Self::Text(value.to_string()),
            _ => Self::List(value.numbers()),
        }
    }
}

/// Up to 13 digits; the JSON has all of them.
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&digits(*number)),
            Self::List(list) => {
                let parts: Vec<String> = list.iter().map(|number| digits(*number)).collect();
                write!(f, "[{}]", parts.join(", "))
            }
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A number with at most 13 digits and no trailing zeros.
fn digits(number: f64) -> String {
    const PLAIN: std::ops::Range<f64> = 1e-4..1e7;
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    if !PLAIN.contains(&number.abs()) {
        let text = format!("{number:.6e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        return format!("{mantissa}e{exponent}");
    }
    let before = number.abs().trunc().to_string().len();
    let text = format!("{number:.*}", 13_usize.saturating_sub(before));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// The id of the case.
    pub case: String,
    /// What was compared.
    pub quantity: String,
    /// What it should be.
    pub expected: Shown,
    /// What it is.
    pub got: Shown,
    /// How far apart the two are.
    pub error: Option<f64>,
    /// How far they may be.
    pub tolerance: Option<f64>,
    /// What became of it.
    pub verdict: Verdict,
    /// Processor time of the run that the row is from, s.
    pub cpu_time: f64,
    /// Why it is known to fail, or was skipped; where the number is from.
    pub note: Option<String>,
}

impl Row {
    /// Compares a value with what was wanted; `known` is why it may fail.
    pub(crate) fn compared(
        case: &str,
        quantity: String,
        (expected, got): (Shown, Shown),
        (error, tolerance): (f64, f64),
        known: Option<&str>,
    ) -> Self {
        let holds = error <= tolerance;
        Self {
            case: case.to_owned(),
            quantity,
            expected,
            got,
            error: Some(error),
            tolerance: Some(tolerance),
            verdict: verdict(holds, known),
            cpu_time: 0.0,
            note: note(holds, known),
        }
    }

    /// A row without a value: why there is none.
    pub(crate) fn without(
        case: &str,
        quantity: String,
        expected: Shown,
        why: String,
        known: Option<&str>,
    ) -> Self {
        Self {
            case: case.to_owned(),
            quantity,
            expected,
            got: Shown::Text(why),
            error: None,
            tolerance: None,
            verdict: verdict(false, known),
            cpu_time: 0.0,
            note: note(false, known),
        }
    }

    /// A row that was not tried.
    pub(crate) fn skipped(case: &str, quantity: String, why: &str) -> Self {
        Self {
            case: case.to_owned(),
            quantity,
            expected: Shown::Text("–".to_owned()),
            got: Shown::Text("–".to_owned()),
            error: None,
            tolerance: None,
            verdict: Verdict::Skipped,
            cpu_time: 0.0,
            note: Some(why.to_owned()),
        }
    }
}

fn verdict(holds: bool, known: Option<&str>) -> Verdict {
    match (holds, known) {
        (true, _) => Verdict::Pass,
        (false, None) => Verdict::Fail,
        (false, Some(_)) => Verdict::KnownFailure,
    }
}

fn note(holds: bool, known: Option<&str>) -> Option<String> {
    match (holds, known) {
        (false, Some(why)) => Some(why.to_owned()),
        (true, Some(_)) => Some("holds now: take its `known` out".to_owned()),
        _ => None,
    }
}
