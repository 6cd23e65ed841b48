//! Roots and first instants inside a bracket of two numbers, to the last bit.

/// The larger of two; what is no number is the worst.
pub fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Halvings of an interval of time before it is a single number.
pub const HALVINGS: usize = 64;

/// The first time after `good` at which something is so, known to be so at `bad`.
pub fn bisect(mut good: f64, mut bad: f64, mut is_so: impl FnMut(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let t = 0.5 * (good + bad);
        if t <= good || t >= bad {
            break;
        }
        if is_so(t) {
            bad = t;
        } else {
            good = t;
        }
    }
    bad
}

/// Evaluations before a bracket is a single number, also where none but halvings are of use.
const EVALUATIONS: usize = 100;

/// The first number found after `good` at which a function is positive, known to be so at `bad`: its root to the last bit.
///
/// Inverse quadratic interpolation where it is safe, else halving. [Chandrupatla 1997]
pub fn first_positive((good, bad): (f64, f64), ends: (f64, f64), mut f: impl FnMut(f64) -> f64) -> f64 {
    // The latest point, the other end of the bracket, and the one before.
    let (mut x1, mut f1, mut x2, mut f2) = (good, ends.0, bad, ends.1);
    if f1 > 0.0 {
        return good.next_up().min(bad);
    }
    let mut share = 0.5;
    for _ in 0..EVALUATIONS {
        let x = x1 + share * (x2 - x1);
        if x == x1 || x == x2 {
            break;
        }
        let fx = f(x);
        let (x3, f3) = if (fx > 0.0) == (f1 > 0.0) {
            (x1, f1)
        } else {
            let other = (x2, f2);
            (x2, f2) = (x1, f1);
            other
        };
        (x1, f1) = (x, fx);
        let finest = 2.0 * f64::EPSILON * x1.abs().max(x2.abs()) / (x2 - x1).abs();
        if finest > 0.5 {
            break;
        }
        let (xi, phi) = ((x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2));
        let is_safe = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
        share = if is_safe {
            f1 / (f2 - f1) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2))
        } else {
            0.5
        };
        share = share.clamp(finest, 1.0 - finest);
    }
    if f1 > 0.0 { x1 } else { x2 }
}
