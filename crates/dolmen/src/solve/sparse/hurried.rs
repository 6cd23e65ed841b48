//! For a caller that needs less than all digits: the interior point reaches that by itself, from a warm start.

use super::interior::Path;
use super::tolerances::{FIRST_STEPS, HURRIED, LATER_STEPS, SWEEPS, SWEPT, WARM_STEPS};
use super::{SparseScratch, accepts, interior, is_cold, newton, sweep};
use crate::solve::Status;

/// What is tried after Newton's method from the impulses given, in this order.
enum Attempt {
    Path,
    Newton,
    Sweeps,
}

/// Leaves the best point in `work`. What is [`HURRIED`] times what is asked for is not worth another attempt.
pub(super) fn search(scratch: &mut SparseScratch, iterations: &mut usize) -> (Status, f64) {
    let SparseScratch { system, work, interior, best, .. } = scratch;
    let cold = is_cold(work);
    let mut least = f64::INFINITY;
    let residual =
        if work.enough >= SWEPT { sweep::sweep_while_it_pays(system, work) } else { f64::INFINITY };
    if residual <= HURRIED * work.enough {
        return (if residual <= work.enough { Status::Solved } else { Status::OutOfIterations }, residual);
    }
    // Without friction the interior point needs some ten steps, always; Newton's method may need more.
    if system.friction.iter().any(|mu| *mu > 0.0) {
        if cold {
            newton::start_closed(system, work, iterations);
        }
        let steps = if cold { FIRST_STEPS } else { WARM_STEPS };
        least = newton::newton(system, work, steps, iterations);
    }
    (best.0, best.1) = (work.x.clone(), work.y.clone());
    let start = least;
    for attempt in [Attempt::Path, Attempt::Newton, Attempt::Sweeps] {
        if least <= HURRIED * work.enough {
            break;
        }
        let residual = match attempt {
            Attempt::Path => {
                let path = if cold || start.is_infinite() {
                    interior::follow(system, work, interior, iterations)
                } else {
                    interior::follow_from(system, work, interior, start, iterations)
                };
                let residual = newton::evaluate(system, work);
                if path == Path::Diverged {
                    return (Status::Infeasible, residual);
                }
                residual
            }
            Attempt::Newton => newton::newton(system, work, LATER_STEPS, iterations),
            Attempt::Sweeps => {
                sweep::sweep(system, work, SWEEPS);
                newton::newton(system, work, LATER_STEPS, iterations)
            }
        };
        if residual < least {
            least = residual;
            (best.0, best.1) = (work.x.clone(), work.y.clone());
        }
    }
    (work.x, work.y) = (best.0.clone(), best.1.clone());
    let residual = newton::evaluate(system, work);
    (if accepts(system, work, residual) { Status::Solved } else { Status::OutOfIterations }, residual)
}
