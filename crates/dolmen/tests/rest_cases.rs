//! What rests, slides and rolls, case by case: solvers, scenes, published cases, paradoxes, and input that cannot be.
//! [SYSTEM C4–C7, C9, C10, D3]

#[path = "rest_cases/common.rs"]
mod common;
#[path = "rest_cases/features.rs"]
mod features;
#[path = "rest_cases/headings.rs"]
mod headings;
#[path = "rest_cases/moving.rs"]
mod moving;
#[path = "rest_cases/paradox.rs"]
mod paradox;
#[path = "rest_cases/penalty.rs"]
mod penalty;
#[path = "rest_cases/refused.rs"]
mod refused;
#[path = "rest_cases/slow.rs"]
mod slow;
#[path = "rest_cases/solvers.rs"]
mod solvers;
#[path = "rest_cases/at_rest.rs"]
mod at_rest;
#[path = "rest_cases/rolling_resistance.rs"]
mod rolling_resistance;
