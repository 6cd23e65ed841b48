//! The piece of a collision in which the slip direction rotates, followed over τ with dp = s dτ.
//!
//! By Taylor series: all that the equations need besides sums is the square root in s = |u_t|, whose coefficients
//! follow from s s = u_t·u_t [HNW I.8]. A series is its own dense output, so events within a step are roots of a
//! polynomial. Time is in units of 1/`rate`, the largest rate, which keeps coefficients in range for any μ.

use super::slip_path::{Advance, Course, Path, length};
use super::tolerances::{MAX_SERIES_STEP, PATH_TOLERANCE, SERIES_DEGREE, ZERO_SLIP};
use crate::math::real;
use crate::math::work as meter;

type Series = [f64; SERIES_DEGREE + 1];

/// The path over one step.
#[derive(Debug, Clone, Copy)]
struct Arc {
    slip: [Series; 2],
    /// Impulse added since the start of the step: normal, two tangents.
    impulse: [Series; 3],
    /// Normal velocity.
    normal: Series,
    /// ∫ u_n dp since the start of the step.
    work: Series,
}

/// Follows the path until an event, or until the slip ends or keeps its direction.
pub(super) fn turn(course: &Course, path: &mut Path, steps: &mut usize) -> Advance {
    let k = &course.k;
    let rate = course.mu * (k[1][1] + k[2][2]) + k[1][0].abs() + k[2][0].abs();
    if !(rate > 0.0 && rate.is_finite()) {
        return Advance::Lost;
    }
    while *steps > 0 {
        *steps -= 1;
        // Products of series, each a square of their degree, and the search for the end.
        meter::count((20 * SERIES_DEGREE * SERIES_DEGREE) as u64);
        let (arc, h) = expand(course, path, rate);
        if !(h > 0.0 && h.is_finite()) {
            return Advance::Lost;
        }
        if let Some(result) = event(course, path, &arc, h) {
            return result;
        }
        store(course, path, &arc, h);
        let s = length(path.slip);
        if s <= ZERO_SLIP * course.speed || course.keeps([path.slip[0] / s, path.slip[1] / s]) {
            return Advance::More;
        }
    }
    Advance::Lost
}

/// The series from here, and their radius: du_t/dτ = s K_tn − μ K_tt u_t, dr_t/dτ = −μ u_t, dp/dτ = s, dW/dτ = s u_n.
fn expand(course: &Course, path: &Path, rate: f64) -> (Arc, f64) {
    let (k, mu) = (&course.k, course.mu / rate);
    let mut arc = Arc {
        slip: [[0.0; SERIES_DEGREE + 1]; 2],
        impulse: [[0.0; SERIES_DEGREE + 1]; 3],
        normal: [0.0; SERIES_DEGREE + 1],
        work: [0.0; SERIES_DEGREE + 1],
    };
    let mut s = [0.0; SERIES_DEGREE + 1];
    let [ux, uy] = &mut arc.slip;
    (ux[0], uy[0]) = (path.slip[0], path.slip[1]);
    s[0] = length(path.slip);
    arc.normal[0] = path.normal;
    for i in 0..SERIES_DEGREE {
        if i > 0 {
            // 2 s₀ sᵢ = Σ u_j·u_{i−j} − Σ s_j s_{i−j} over 0 < j < i.
            let mut sum = 2.0 * (ux[0] * ux[i] + uy[0] * uy[i]);
            for j in 1..i {
                sum += ux[j] * ux[i - j] + uy[j] * uy[i - j] - s[j] * s[i - j];
            }
            s[i] = sum / (2.0 * s[0]);
        }
        let next = 1.0 / (i + 1) as f64;
        ux[i + 1] = next * (s[i] * k[1][0] / rate - mu * (k[1][1] * ux[i] + k[1][2] * uy[i]));
        uy[i + 1] = next * (s[i] * k[2][0] / rate - mu * (k[2][1] * ux[i] + k[2][2] * uy[i]));
        arc.impulse[0][i + 1] = next * s[i] / rate;
        arc.impulse[1][i + 1] = -next * mu * ux[i];
        arc.impulse[2][i + 1] = -next * mu * uy[i];
        arc.normal[i + 1] = (0..3).map(|c| k[0][c] * arc.impulse[c][i + 1]).sum();
        let work: f64 = (0..=i).map(|j| s[j] * arc.normal[i - j]).sum();
        arc.work[i + 1] = next * work / rate;
    }
    // The last two terms are below the tolerance [Jorba, Zou 2005].
    let reach = |i: usize| {
        let term = ux[i].abs().max(uy[i].abs()) / s[0];
        real::pow(PATH_TOLERANCE / term, 1.0 / i as f64)
    };
    // Straight motion has no such terms; the caller finds its end.
    let h = reach(SERIES_DEGREE).min(reach(SERIES_DEGREE - 1)).min(MAX_SERIES_STEP);
    (arc, h)
}

fn value(series: &Series, h: f64) -> f64 {
    series.iter().rev().fold(0.0, |sum, c| sum * h + c)
}

/// Ends the step where compression or restitution ends in it, if it does.
fn event(course: &Course, path: &mut Path, arc: &Arc, h: f64) -> Option<Advance> {
    let normal = |h: f64| value(&arc.normal, h);
    if !path.returning {
        if normal(h) < 0.0 {
            return None;
        }
        store(course, path, arc, root(normal, h));
        path.normal = 0.0;
        path.returning = true;
        return Some(if course.returned == 0.0 { Advance::End } else { Advance::More });
    }
    let work_to_return = course.returned * path.taken - path.given;
    let work = |h: f64| value(&arc.work, h) - work_to_return;
    // If the approach begins again within the step, the work was largest there.
    let falls = normal(h) < 0.0;
    let reach = if falls { root(normal, h) } else { h };
    if work(reach) >= 0.0 {
        store(course, path, arc, root(work, reach));
        return Some(Advance::End);
    }
    falls.then(|| {
        store(course, path, arc, reach);
        path.normal = 0.0;
        path.returning = false;
        Advance::More
    })
}

/// A zero of g in (0, h], g(h) zero or of another sign than g before it: Illinois' false position, with occasional
/// bisection.
fn root(g: impl Fn(f64) -> f64, h: f64) -> f64 {
    let (mut a, mut b) = (0.0, h);
    let (mut ga, mut gb) = (g(a), g(b));
    for round in 0..200 {
        if gb == 0.0 || (b - a).abs() <= 2.0 * f64::EPSILON * h {
            break;
        }
        let secant = b - gb * (b - a) / (gb - ga);
        let inside = secant > a.min(b) && secant < a.max(b);
        let c = if inside && round % 4 != 3 { secant } else { 0.5 * (a + b) };
        let gc = g(c);
        if (gc < 0.0) == (gb < 0.0) {
            ga *= 0.5;
        } else {
            (a, ga) = (b, gb);
        }
        (b, gb) = (c, gc);
    }
    b
}

/// Moves `path` along the arc by h.
fn store(course: &Course, path: &mut Path, arc: &Arc, h: f64) {
    path.slip = [value(&arc.slip[0], h), value(&arc.slip[1], h)];
    for (impulse, series) in path.impulse.iter_mut().zip(&arc.impulse) {
        *impulse += value(series, h);
    }
    path.normal = course.normal(&path.impulse);
    let work = value(&arc.work, h);
    if path.returning {
        path.given += work;
    } else {
        path.taken -= work;
    }
}
