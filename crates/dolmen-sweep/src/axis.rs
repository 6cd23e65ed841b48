//! One value that varies: `contact.friction=0.1:0.9:9`, `body.ball.velocity=[1,0,0],[2,0,0]`, `gravity=…`.

use crate::SweepError;
use crate::random::Random;

/// A key of the scene and what it is set to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub(crate) key: String,
    pub(crate) values: Values,
}

/// What a key is set to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// These, as they would be written in a scene.
    List(Vec<String>),
    /// Numbers between two.
    Range { from: f64, to: f64, is_log: bool },
}

impl Axis {
    /// Reads KEY=VALUES.
    pub(crate) fn parse(text: &str) -> Result<Self, SweepError> {
        const FORM: &str = "write KEY=FIRST:LAST:COUNT, KEY=VALUE,VALUE,… or, for samples, KEY=FROM:TO; `:log` at the end spaces \
                            numbers evenly in their logarithms";
        let refuse = |what: &str| SweepError::input(format!("{text}: {what}\n  help: {FORM}"));
        let (key, values) = text.split_once('=').ok_or_else(|| refuse("there is no `=`"))?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err(refuse(if key.is_empty() { "the key is missing" } else { "there are no values" }));
        }
        let items = split(values, ',').ok_or_else(|| refuse("a bracket or a quote is not closed"))?;
        if items.iter().any(String::is_empty) {
            return Err(refuse("a value is empty"));
        }
        let parts = split(values, ':').unwrap_or_default();
        let values = match parts.as_slice() {
            [_] | [] => Values::List(items),
            _ if items.len() > 1 => return Err(refuse("this is neither a list nor a range")),
            parts => range(parts).map_err(refuse)?,
        };
        Ok(Self { key: key.to_owned(), values })
    }

    /// How many values a grid has along it.
    pub(crate) fn count(&self) -> Option<usize> {
        match &self.values {
            Values::List(list) => Some(list.len()),
            Values::Range { .. } => None,
        }
    }

    /// The value at u in [0, 1).
    pub(crate) fn at(&self, u: f64) -> String {
        match &self.values {
            Values::List(list) => list[((u * list.len() as f64) as usize).min(list.len() - 1)].clone(),
            Values::Range { from, to, is_log } => written(between(*from, *to, u, *is_log)),
        }
    }

    /// Where `count` samples are in [0, 1): in each of `count` equal stretches one, in random order [McKay, Beckman, Conover 1979].
    pub(crate) fn latin(count: usize, seed: u64, place: u64) -> Vec<f64> {
        let mut random = Random::new(seed, u64::MAX, place);
        let order = random.permutation(count);
        order.iter().map(|k| (f64::from(*k) + random.unit()) / count as f64).collect()
    }
}

/// FIRST:LAST:COUNT, FROM:TO, either with `:log`.
fn range(parts: &[String]) -> Result<Values, &'static str> {
    let (parts, is_log) = match parts {
        [rest @ .., last] if last == "log" => (rest, true),
        all => (all, false),
    };
    let number = |text: &String| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let (from, to, count) = match parts {
        [from, to] => (number(from), number(to), None),
        [from, to, count] => (number(from), number(to), Some(count)),
        _ => return Err("a range has two or three parts"),
    };
    let (Some(from), Some(to)) = (from, to) else { return Err("a range is between two finite numbers") };
    if !(to - from).is_finite() {
        return Err("the range is too wide");
    }
    if is_log && !(from > 0.0 && to > 0.0) {
        return Err("a logarithmic range is between positive numbers");
    }
    let Some(count) = count else { return Ok(Values::Range { from, to, is_log }) };
    let count: usize = count.parse().map_err(|_| "the count is no whole number")?;
    if count == 0 || count > MOST_VALUES {
        return Err("a count is between 1 and ten million");
    }
    // Whole steps from a whole number stay whole: some keys of a scene take no others.
    let step = (to - from) / (count.max(2) - 1) as f64;
    let is_whole = !is_log && parts.iter().all(|part| part.parse::<i64>().is_ok()) && step.trunc() == step;
    let value = |i: usize| {
        let u = if count == 1 { 0.0 } else { i as f64 / (count - 1) as f64 };
        let number = if i + 1 == count && count > 1 { to } else { between(from, to, u, is_log) };
        if is_whole { format!("{number:.0}") } else { written(number) }
    };
    Ok(Values::List((0..count).map(value).collect()))
}

/// The longest list.
pub(crate) const MOST_VALUES: usize = 10_000_000;

fn between(from: f64, to: f64, u: f64, is_log: bool) -> f64 {
    use dolmen::math::real::{exp, ln};
    if is_log { exp(ln(from) + u * (ln(to) - ln(from))) } else { from + u * (to - from) }
}

/// A number with all its bits, as TOML takes it.
pub(crate) fn written(number: f64) -> String {
    format!("{number:?}")
}

/// Cuts a text at a mark that is in no bracket and no quotes; none when one is not closed.
fn split(text: &str, mark: char) -> Option<Vec<String>> {
    let (mut items, mut item) = (Vec::new(), String::new());
    let (mut depth, mut quote) = (0_i32, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => {}
        }
        if c == mark && depth == 0 && quote.is_none() {
            items.push(item.trim().to_owned());
            item.clear();
        } else {
            item.push(c);
        }
    }
    items.push(item.trim().to_owned());
    (depth == 0 && quote.is_none()).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        match Axis::parse(text).unwrap().values {
            Values::List(list) => list,
            Values::Range { .. } => panic!("{text} is no list"),
        }
    }

    #[test]
    fn values_are_read_as_they_are_meant() {
        assert_eq!(list("contact.friction=0:1:5"), ["0.0", "0.25", "0.5", "0.75", "1.0"]);
        assert_eq!(list("contact.lemke_sides=4:12:3"), ["4", "8", "12"]);
        assert_eq!(list("a=0.1:0.7:1"), ["0.1"]);
        let middle = list("a=1e-6:1e-2:3:log")[1].parse::<f64>().unwrap();
        assert!((middle - 1e-4).abs() < 1e-17, "{middle}");
        assert_eq!(list("body.ball.velocity=[1,0,0], [2,0,0]"), ["[1,0,0]", "[2,0,0]"]);
        assert_eq!(list("body.ball.material='a,b:c',steel"), ["'a,b:c'", "steel"]);
        let range = Values::Range { from: 0.5, to: 2.0, is_log: true };
        assert_eq!(Axis::parse("a=0.5:2:log").unwrap().values, range);
        for wrong in [
            "a",
            "=1",
            "a=",
            "a=1,,2",
            "a=[1,2",
            "a=1:2:0",
            "a=1:x:3",
            "a=0:1:3:log",
            "a=1:2,3",
            "a=1:2:3:4",
            "a=nan:1:3",
        ] {
            let text = Axis::parse(wrong).unwrap_err().to_string();
            assert!(text.starts_with(wrong) && text.contains("help: "), "{text}");
        }
    }

    /// Every stretch has one sample, and the last value of a range is the one that was written.
    #[test]
    fn a_latin_hypercube_has_a_sample_in_every_stretch() {
        for count in [1, 2, 7, 100] {
            let mut seen: Vec<usize> =
                Axis::latin(count, 42, 1).iter().map(|u| (u * count as f64) as usize).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
        assert_eq!(list("a=0.1:0.9:9")[8], "0.9");
    }
}
