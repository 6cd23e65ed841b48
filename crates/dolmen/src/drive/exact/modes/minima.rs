//! Between two samples a guard may fall below zero and return: where that is likely, judged by the samples.
//!
//! The samples along a span are equidistant; a polynomial through all of them tells where between them a margin may
//! have its minimum. The motion along a span is itself a polynomial to within the tolerance of the integrator, so this
//! is as good as a bound wherever the error controls the step. A sample at the place decides.

use crate::drive::exact::modes::tolerances::{MINIMUM_HALVINGS, MINIMUM_TRIALS, SAMPLES, SUSPECT};
/// Where in [0, 1] along a span one of several margins is likely to fall far below the samples: between any two samples
/// the minimum of a polynomial, if it is far below them. Each row of `samples` has the margins of one sample.
pub(crate) fn suspects(samples: &[Vec<f64>; SAMPLES]) -> [Option<f64>; SAMPLES - 1] {
    let count = samples.iter().map(Vec::len).min().unwrap_or_default();
    let mut places = [(None, SUSPECT); SAMPLES - 1];
    for i in 0..count {
        let values: [f64; SAMPLES] = std::array::from_fn(|k| samples[k][i]);
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // No polynomial of degree 4 through five such values falls below the smallest of them by twice their range.
        if !(smallest.is_finite() && largest.is_finite())
            || (1.0 - SUSPECT) * smallest > 2.0 * (largest - smallest)
        {
            continue;
        }
        let differences = differences(values);
        for (k, (place, worst)) in places.iter_mut().enumerate() {
            let beside = values[k].min(values[k + 1]);
            let x = minimum_between(&differences, k as f64);
            // Margins that are not positive at a sample have failed there, or are always zero.
            let share = value(&differences, x) / beside;
            if beside > 0.0 && share < *worst {
                (*place, *worst) = (Some(x / (SAMPLES - 1) as f64), share);
            }
        }
    }
    places.map(|(place, _)| place)
}

/// Where between `x` and the next sample the polynomial is smallest.
fn minimum_between(differences: &[f64; SAMPLES], x: f64) -> f64 {
    let mut step = 1.0 / MINIMUM_TRIALS as f64;
    let at = |j: usize| x + j as f64 * step;
    let mut best =
        (1..MINIMUM_TRIALS).map(at).fold((x, f64::INFINITY), |best, x| smaller(differences, best, x));
    for _ in 0..MINIMUM_HALVINGS {
        step *= 0.5;
        let (low, high) = (best.0 - step, best.0 + step);
        best = smaller(differences, smaller(differences, best, low), high);
    }
    best.0
}

/// A place and the value there, or another place if the value is smaller there.
fn smaller(differences: &[f64; SAMPLES], best: (f64, f64), x: f64) -> (f64, f64) {
    let here = value(differences, x);
    if here < best.1 { (x, here) } else { best }
}

/// Newton's forward differences Δᵏ/k!.
fn differences(mut values: [f64; SAMPLES]) -> [f64; SAMPLES] {
    for order in 1..SAMPLES {
        for k in (order..SAMPLES).rev() {
            values[k] = (values[k] - values[k - 1]) / order as f64;
        }
    }
    values
}

/// The polynomial through equidistant values at 0, 1, …, evaluated at `x`.
fn value(differences: &[f64; SAMPLES], x: f64) -> f64 {
    let mut sum = differences[SAMPLES - 1];
    for k in (0..SAMPLES - 1).rev() {
        sum = differences[k] + (x - k as f64) * sum;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial of degree 4 is reproduced exactly, and its minimum below zero between two samples is found.
    #[test]
    fn a_minimum_between_two_samples_is_suspected() {
        let quartic = |x: f64| (x - 2.4) * (x - 2.6) * (1.0 + 0.1 * x + 0.05 * x * x);
        let values: [f64; SAMPLES] = std::array::from_fn(|k| quartic(k as f64));
        let found = differences(values);
        for x in [0.3, 1.7, 2.5, 3.9] {
            let (got, expected) = (value(&found, x), quartic(x));
            assert!((got - expected).abs() < 1e-13, "at {x}: {got}, not {expected}");
        }
        assert!(values.iter().all(|v| *v > 0.0), "{values:?}");
        let places = suspects(&values.map(|v| vec![1.0, v]));
        let place = places[2].expect("a minimum between the third sample and the fourth");
        assert!(quartic(4.0 * place) < 0.0, "at {place}");
        assert_eq!(
            [places[0], places[1], places[3]],
            [None; 3],
            "elsewhere it is above the samples beside it"
        );
    }

    /// A margin that is almost constant, monotonic or always zero is not suspected.
    #[test]
    fn a_margin_without_a_minimum_is_not_suspected() {
        let rows: [Vec<f64>; SAMPLES] = std::array::from_fn(|k| {
            let x = k as f64;
            vec![1.0, 1.0 + x, 5.0 - x, 0.0, 1.0 + 0.1 * (x - 2.0) * (x - 2.0), f64::NAN, 1e-3 + x * x * x]
        });
        assert_eq!(suspects(&rows), [None; SAMPLES - 1]);
    }
}
