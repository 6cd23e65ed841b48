//! The stepping regime: Moreau–Jean time steps where events come too fast.
//!
//! Every body counts its events. Where they exceed the event-rate limit, where the integrator finds no step, or where bodies
//! overlap, the cluster takes one time step over all its contacts: in come the cluster and the length of the step, out goes a
//! track with the impulses of the whole step at its start, its losses in the ledger and an event in the log. At its end the
//! island comes to rest, splits, takes another time step, or returns to event-driven motion.
//!
//! - [`event_rate`]: counts events, decides when to step, for how long, and when to return.
//! - [`time_step`]: one time step: depenetration, impulses, momenta.
//! - [`articulated`]: articulations through a time step.
//! - [`straight`], [`step_end`]: contacts within the step and at its end.
//! - [`restitution`]: bounces from one time step to the next.
//! - [`rest_after_step`]: rest under the forces of the last time step.
//! - [`split`]: parts that no longer touch.
//! - `tolerances`: the thresholds.

pub(crate) mod articulated;
pub(crate) mod event_rate;
pub(crate) mod rest_after_step;
pub(crate) mod restitution;
pub(crate) mod split;
pub(crate) mod step_end;
pub(crate) mod straight;
pub(crate) mod time_step;
mod tolerances;
