//! Forces: bodies and particles at a time → F, τ, and a potential where there is one.
//!
//! A force says which members it reads or loads; those of them that can move share an island, so that a force between a
//! dynamic and a fixed body couples nothing else. A force that jumps in time says when, and steps end there.

mod central;
mod custom;
mod drag;
mod error;
mod field;
mod gravitation;
mod loads;
pub mod nbody;
pub mod neighbours;
mod penalty;
mod push;
mod short_range;
mod spring;

use std::fmt;

pub use central::Attraction;
pub use custom::Custom;
pub use drag::Drag;
pub use error::ForceError;
pub use field::Field;
pub use gravitation::{Gravitation, Summation};
pub(crate) use loads::{BodyLoad, BodyView};
pub use loads::{Booked, Loads, Moment, View, Workspace};
pub use penalty::{Penalty, PenaltySettings};
pub use push::{Frame, Push, Torque, Wave, Window};
pub use short_range::{PairLaw, ShortRange};
pub use spring::{Anchor, Spring};

use crate::id::Member;
use crate::member::Members;

/// Something that pushes.
pub trait Force: fmt::Debug + Send + Sync {
    /// What kind it is, for messages.
    fn kind(&self) -> &'static str;

    /// Everything it reads or loads. Members that can move are coupled by it.
    fn members(&self) -> Vec<Member>;

    /// Adds its loads. Each load says whether the potential accounts for its work or the ledger must.
    fn apply(&self, moment: &Moment, view: &View, loads: &mut Loads, workspace: &mut Workspace);

    /// Its potential energy, J; zero if it has none.
    fn potential(&self, _moment: &Moment, _view: &View, _workspace: &mut Workspace) -> f64 {
        0.0
    }

    /// Times at which it is not smooth: every step ends there.
    fn jumps(&self) -> &[f64] {
        &[]
    }

    /// Whether it is zero throughout the smooth interval that starts at `t_a` and ends at `t_b`.
    fn is_quiet(&self, _t_a: f64, _t_b: f64) -> bool {
        false
    }

    /// Whether from `t` on it is the same as long as its members are: what they hold in equilibrium stays so.
    fn is_steady(&self, t: f64) -> bool {
        self.is_quiet(t, f64::INFINITY)
    }

    /// Refuses parameters that are out of range, and members that do not exist.
    ///
    /// # Errors
    /// With the parameter, its value and what would do.
    fn check(&self, members: &Members) -> Result<(), ForceError>;
}

/// That all members of a force exist.
fn check_members(force: &dyn Force, members: &Members) -> Result<(), ForceError> {
    let known = |member: &Member| match member {
        Member::Body(id) => id.index() < members.bodies().len(),
        Member::Set(id) => id.index() < members.sets().len(),
    };
    if force.members().iter().all(known) { Ok(()) } else { Err(ForceError::Stranger { force: force.kind() }) }
}

/// That members are in order and each there once: their order is that of the sums.
fn check_ascending<T: Ord + fmt::Debug>(force: &'static str, members: &[T]) -> Result<(), ForceError> {
    if members.windows(2).all(|w| w[0] < w[1]) {
        return Ok(());
    }
    let allowed = "in ascending order, each once: sort them and drop what is double";
    Err(ForceError::Parameter { force, what: "the list of members", value: format!("{members:?}"), allowed })
}

/// That a parameter is finite and not negative.
fn check_not_negative(force: &'static str, what: &'static str, value: f64) -> Result<(), ForceError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(ForceError::Parameter {
            force,
            what,
            value: value.to_string(),
            allowed: "a finite number, zero or more",
        })
    }
}

/// That parameters are finite.
fn check_finite(force: &'static str, what: &'static str, values: &[f64]) -> Result<(), ForceError> {
    if values.iter().all(|v| v.is_finite()) {
        Ok(())
    } else {
        Err(ForceError::Parameter { force, what, value: format!("{values:?}"), allowed: "finite" })
    }
}
