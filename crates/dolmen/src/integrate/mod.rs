//! Ordinary differential equations: ẏ(t, y), y₀ → a span, that is y at any t of a step.
//!
//! Pure mathematics: knows vectors of numbers, not bodies, and only `crate::math` of this crate. The user's side is
//! the trait [`Ode`]; [`Integrator`] makes steps, each a [`Span`] with dense output; [`solve`] and [`solve_to`] go from
//! t0 to t1 in one call.
//!
//! | method | order | error estimate | dense output |
//! |---|---|---|---|
//! | any tableau | its own | embedded, or step doubling | Hermite, 3 |
//! | semi-implicit Euler | 1 | step doubling | Hermite, 3 |
//! | Dormand–Prince | 5 | embedded, 4 | 4 |
//! | DOP853 | 8 | embedded, 5 and 3 | 7 |
//! | Adams | 1 to 12 | predictor against corrector | its own |
//! | backward Euler | 1 | step doubling | 1 (parabola through the half step) |
//! | implicit midpoint | 2 | step doubling | Hermite, 3 |
//! | Radau IIA | 5 | filtered, 3 | collocation, 3 |
//!
//! Sources: HNW is Hairer, Nørsett, Wanner, *Solving Ordinary Differential Equations I*; HW is Hairer, Wanner, *II*.

mod control;
mod integrator;
mod method;
mod ode;
mod outcome;
mod settings;
mod solve;
mod span;
mod tableau;
mod tolerances;
mod trial;

pub use integrator::Integrator;
pub use ode::{Function, Ode, from_fn};
pub use outcome::{Statistics, StepError};
pub use settings::{ADAMS_HIGHEST_ORDER, Method, Settings, SettingsError, Step};
pub use solve::{End, Solution, solve, solve_to};
pub use span::Span;
pub use tableau::{Tableau, TableauError};
