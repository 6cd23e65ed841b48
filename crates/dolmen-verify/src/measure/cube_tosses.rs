//! Measured tosses of a real cube: fitted to a few, the others predicted. [CASES A36]

use std::collections::BTreeMap;
use std::path::Path;

use super::{Cloud, Measured, Measurement};
use crate::expression::Value;
use crate::numbers::Numbers;
use crate::tosses::{Errors, Facts, Grid, Split, Start, errors_of, fit, quantile, read};

/// A few of the tosses, in half a minute.
pub(super) const SOME: Measurement =
    Measurement { name: "cube-tosses", words: WORDS, measure: |data| measure(data, &QUICK) };

/// All of them.
pub(super) const ALL: Measurement =
    Measurement { name: "all-cube-tosses", words: WORDS, measure: |data| measure(data, &WHOLE) };

/// Lists hold the mean and then the values below which 10, 25, 50, 75 and 90 % of the tosses are.
const WORDS: &[(&str, &str)] = &[
    ("fitted", ""),
    ("predicted", ""),
    ("given_up", ""),
    ("restitution", ""),
    ("friction", ""),
    ("slide_friction", ""),
    ("position", ""),
    ("rotation", ""),
    ("position_at_rest", ""),
    ("rotation_at_rest", ""),
    ("position_in_flight", ""),
    ("good", ""),
    ("same_face", ""),
];

struct Effort {
    /// Every so many-th toss is fitted to.
    every: usize,
    /// Of the others every so many-th is predicted.
    share: usize,
    /// Spacing of the grid of restitutions and of frictions, and how many of each.
    spacing: (f64, f64),
    counts: (u32, u32),
}

const QUICK: Effort = Effort { every: 46, share: 5, spacing: (0.2, 0.1), counts: (4, 4) };
const WHOLE: Effort = Effort { every: 23, share: 1, spacing: (0.1, 0.05), counts: (7, 7) };

fn measure(data: &Path, effort: &Effort) -> Result<Measured, String> {
    let tosses = read(data)?;
    let split = Split::new(&tosses, effort.every, effort.share);
    let Effort { spacing: (e, mu), counts: (rows, columns), .. } = *effort;
    let grid = Grid {
        restitutions: (0..rows).map(|k| e * f64::from(k)).collect(),
        frictions: (0..columns).map(|k| 0.05 + mu * f64::from(k)).collect(),
    };
    let found = fit(&split.fitted, split.table, Start::Flight, &grid);
    let all: Vec<Errors> =
        split.predicted.iter().filter_map(|toss| errors_of(&found.model, toss, Start::Flight).ok()).collect();
    if all.is_empty() {
        return Err("no toss could be simulated".to_owned());
    }
    let count = |n: usize| Value::Number(n as f64);
    let share = |holds: &dyn Fn(&Errors) -> bool| {
        Value::Number(all.iter().filter(|e| holds(e)).count() as f64 / all.len() as f64)
    };
    let slides = Facts::of(&tosses, split.table).frictions;
    let numbers = BTreeMap::from([
        ("fitted", count(split.fitted.len())),
        ("predicted", count(split.predicted.len())),
        ("given_up", count(split.predicted.len() - all.len())),
        ("restitution", Value::Number(found.model.restitution)),
        ("friction", Value::Number(found.model.friction)),
        ("slide_friction", spread(slides)),
        ("position", spread(all.iter().map(|e| e.position).collect())),
        ("rotation", spread(all.iter().map(|e| e.rotation).collect())),
        ("position_at_rest", spread(all.iter().map(|e| e.position_at_rest).collect())),
        ("rotation_at_rest", spread(all.iter().map(|e| e.rotation_at_rest).collect())),
        ("position_in_flight", spread(all.iter().map(|e| e.position_in_flight).collect())),
        ("good", share(&|e| e.position < 0.01 && e.rotation < 10.0)),
        ("same_face", share(&|e| e.same_face)),
    ]);
    let points = all.iter().map(|e| (e.position, e.rotation)).collect();
    let axes = ["error of position over the toss, m", "of rotation, degrees"];
    let cloud = Cloud { axes, is_log: true, groups: vec![("predicted tosses".to_owned(), points)] };
    Ok(Measured { numbers: Numbers(numbers), cloud })
}

/// Mean and quantiles; nothing if there are no values.
fn spread(mut values: Vec<f64>) -> Value {
    if values.is_empty() {
        return Value::of_numbers(&[]);
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let quantiles = [0.1, 0.25, 0.5, 0.75, 0.9].map(|share| quantile(&mut values, share));
    Value::of_numbers(&[&[mean][..], &quantiles].concat())
}
