//! Modes: what contacts and joint rows do from an instant on, and how long that stays valid.
//!
//! In come the states x⁺ after an event. Contacts that neither separate nor approach, and joint rows that do not move, go into
//! one complementarity problem; its solution gives the modes (stick, slide, roll; free, active, saturated) and the new islands.
//! Out go tracks with their active sets, and the end of their modes in the event queue: guards are sampled along every span.
//!
//! - [`resume_after_event`]: persisting contacts, mode decision, islands and their tracks.
//! - [`persisting_contacts`]: contacts as the mode decision takes them.
//! - [`joint_rows`], [`motor_saturation`]: the mode decision of limits, ropes, joint friction and motors.
//! - [`guards`], [`joint_guards`]: the first instant at which a mode ends.
//! - [`guard_sampling`], [`minima`]: contacts at one time on a span, minima between two samples.
//! - [`rolling`], [`painleve`]: rolling resistance, and the notes on frictional paradoxes.
//! - [`rigidity`]: stops a run whose joints would need infinite force.
//! - [`tolerances`]: the thresholds.

pub(crate) mod guards;
pub(crate) mod joint_guards;
pub(crate) mod joint_rows;
pub(crate) mod minima;
pub(crate) mod motor_saturation;
pub(crate) mod painleve;
pub(crate) mod persisting_contacts;
pub(crate) mod resume_after_event;
pub(crate) mod rigidity;
pub(crate) mod rolling;
pub(crate) mod guard_sampling;
pub(crate) mod tolerances;
