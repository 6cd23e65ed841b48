//! The integrators: order, tolerance, stiffness, stops, dense output, refusals.

#[path = "integrate/adaptive.rs"]
mod adaptive;
#[path = "integrate/common.rs"]
mod common;
#[path = "integrate/dense.rs"]
mod dense;
#[path = "integrate/interface.rs"]
mod interface;
#[path = "integrate/kepler.rs"]
mod kepler;
#[path = "integrate/order.rs"]
mod order;
#[path = "integrate/stiff.rs"]
mod stiff;
#[path = "integrate/tableau.rs"]
mod tableau;
