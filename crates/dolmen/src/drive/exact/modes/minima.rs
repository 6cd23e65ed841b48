//! Between two looks a quantity may dip below zero and come back: where that is likely, by what the looks saw.
//!
//! The looks along a span are equidistant; a polynomial through all of them says where between them a margin may be least. The
//! motion along a span is itself a polynomial to within the tolerance of the integrator, so that this is as good as a bound
//! wherever steps are chosen by their error; a look at the place decides.

/// Looks along a span, its two ends among them.
pub(crate) const SAMPLES: usize = 5;

/// A margin that may fall below this share of what it is at the looks on either side is worth one more look.
const SUSPECT: f64 = 0.5;

/// Places between two looks at which the polynomial is tried.
const PLACES: usize = 8;

/// Halvings of the way between two places in search of the least value: then it is known to 1e-6 of a look, and the value,
/// which is flat there, to the square of that.
const NARROWINGS: usize = 20;

/// Where in [0, 1] along a span one of several margins is likely to be far below what the looks saw: between any two looks the
/// place where a polynomial falls furthest below them, if it does so by much. Each row of `looks` has the margins of one look.
pub(crate) fn suspects(looks: &[Vec<f64>; SAMPLES]) -> [Option<f64>; SAMPLES - 1] {
    let count = looks.iter().map(Vec::len).min().unwrap_or_default();
    let mut places = [(None, SUSPECT); SAMPLES - 1];
    for i in 0..count {
        let values: [f64; SAMPLES] = std::array::from_fn(|k| looks[k][i]);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // No polynomial of degree 4 through five such values falls below the least of them by twice their range.
        if !(least.is_finite() && most.is_finite()) || (1.0 - SUSPECT) * least > 2.0 * (most - least) {
            continue;
        }
        let differences = differences(values);
        for (k, (place, worst)) in places.iter_mut().enumerate() {
            let beside = values[k].min(values[k + 1]);
            let x = least_between(&differences, k as f64);
            // Margins that are none at a look have failed there, or are zero by nature.
            let share = value(&differences, x) / beside;
            if beside > 0.0 && share < *worst {
                (*place, *worst) = (Some(x / (SAMPLES - 1) as f64), share);
            }
        }
    }
    places.map(|(place, _)| place)
}

/// Where between `x` and the next look the polynomial is least.
fn least_between(differences: &[f64; SAMPLES], x: f64) -> f64 {
    let mut step = 1.0 / PLACES as f64;
    let at = |j: usize| x + j as f64 * step;
    let mut best = (1..PLACES).map(at).fold((x, f64::INFINITY), |best, x| nearer(differences, best, x));
    for _ in 0..NARROWINGS {
        step *= 0.5;
        let (low, high) = (best.0 - step, best.0 + step);
        best = nearer(differences, nearer(differences, best, low), high);
    }
    best.0
}

/// A place and the value there, or another place if it is less there.
fn nearer(differences: &[f64; SAMPLES], best: (f64, f64), x: f64) -> (f64, f64) {
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

/// The polynomial through equidistant values at `x`, the first of which is at 0 and the next at 1.
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

    /// A polynomial of degree 4 is met exactly, and its dip below zero between two looks is found.
    #[test]
    fn a_dip_between_two_looks_is_suspected() {
        let quartic = |x: f64| (x - 2.4) * (x - 2.6) * (1.0 + 0.1 * x + 0.05 * x * x);
        let values: [f64; SAMPLES] = std::array::from_fn(|k| quartic(k as f64));
        let found = differences(values);
        for x in [0.3, 1.7, 2.5, 3.9] {
            let (got, expected) = (value(&found, x), quartic(x));
            assert!((got - expected).abs() < 1e-13, "at {x}: {got}, not {expected}");
        }
        assert!(values.iter().all(|v| *v > 0.0), "{values:?}");
        let places = suspects(&values.map(|v| vec![1.0, v]));
        let place = places[2].expect("a dip between the third look and the fourth");
        assert!(quartic(4.0 * place) < 0.0, "at {place}");
        assert_eq!([places[0], places[1], places[3]], [None; 3], "elsewhere it is above the looks beside it");
    }

    /// What hardly changes, rises or falls evenly, or is zero by nature is not suspected.
    #[test]
    fn what_does_not_dip_is_not_suspected() {
        let rows: [Vec<f64>; SAMPLES] = std::array::from_fn(|k| {
            let x = k as f64;
            vec![1.0, 1.0 + x, 5.0 - x, 0.0, 1.0 + 0.1 * (x - 2.0) * (x - 2.0), f64::NAN, 1e-3 + x * x * x]
        });
        assert_eq!(suspects(&rows), [None; SAMPLES - 1]);
    }
}
