//! A force written by the user.

use std::fmt;
use std::sync::Arc;

use super::{Booked, Force, ForceError, Loads, Moment, View, Workspace, check_finite, check_members};
use crate::id::Member;
use crate::member::Members;

type Apply = dyn Fn(&Moment, &View, &mut Loads, Booked) + Send + Sync;
type Potential = dyn Fn(&View) -> f64 + Send + Sync;

/// A force given by a closure, with its potential where it has one.
///
/// The closure must be a function of what it is given: same time and state, same force.
///
/// ```
/// use dolmen::force::Custom;
/// use dolmen::math::dvec3;
/// use dolmen::world::{BodyId, Member};
/// # fn example(rocket: BodyId) {
/// let thrust = Custom::new("thrust", [Member::Body(rocket)], move |moment, view, loads, booked| {
///     let upwards = view.rotation(rocket) * dvec3(0.0, 0.0, 5.0);
///     loads.at_centre(rocket, upwards / (1.0 + moment.t), booked);
/// });
/// # }
/// ```
///
/// With a potential its work is in the ledger as energy; one that jumps in time says when, and asks on which side of a jump it is:
///
/// ```
/// use dolmen::force::Custom;
/// use dolmen::math::dvec3;
/// use dolmen::world::{BodyId, Member};
/// # fn example(ball: BodyId) {
/// let well = Custom::new("well", [Member::Body(ball)], move |_, view, loads, booked| {
///     loads.at_centre(ball, -3.0 * view.pose(ball).position, booked);
/// })
/// .with_potential(move |view| 1.5 * view.pose(ball).position.length_squared());
/// let brake = Custom::new("brake", [Member::Body(ball)], move |moment, _, loads, booked| {
///     let push = if moment.is_after(0.5) { -3.0 } else { 1.0 };
///     loads.at_centre(ball, dvec3(push, 0.0, 0.0), booked);
/// })
/// .with_jumps(vec![0.5]);
/// # }
/// ```
#[derive(Clone)]
pub struct Custom {
    name: String,
    members: Vec<Member>,
    apply: Arc<Apply>,
    potential: Option<Arc<Potential>>,
    jumps: Vec<f64>,
}

impl Custom {
    /// What messages call it.
    pub(crate) const KIND: &'static str = "custom force";

    /// A force on `members`, which are all it may read or load. Its name ranks it among the forces.
    pub fn new(
        name: impl Into<String>,
        members: impl IntoIterator<Item = Member>,
        apply: impl Fn(&Moment, &View, &mut Loads, Booked) + Send + Sync + 'static,
    ) -> Self {
        let members = members.into_iter().collect();
        Self { name: name.into(), members, apply: Arc::new(apply), potential: None, jumps: Vec::new() }
    }

    /// Gives it a potential, of which its loads are the negative gradient at every time: one that changes in time by
    /// itself does work that no potential accounts for.
    #[must_use]
    pub fn with_potential(mut self, potential: impl Fn(&View) -> f64 + Send + Sync + 'static) -> Self {
        self.potential = Some(Arc::new(potential));
        self
    }

    /// Names the times at which it jumps. On which side of a jump it is, the closure must ask [`Moment::is_after`]: at the
    /// end of a step the time alone does not tell.
    #[must_use]
    pub fn with_jumps(mut self, mut jumps: Vec<f64>) -> Self {
        jumps.sort_by(f64::total_cmp);
        self.jumps = jumps;
        self
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Custom({:?}, {:?}, jumps {:?})", self.name, self.members, self.jumps)
    }
}

impl Force for Custom {
    fn kind(&self) -> &'static str {
        Self::KIND
    }

    fn members(&self) -> Vec<Member> {
        self.members.clone()
    }

    fn apply(&self, moment: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let booked = if self.potential.is_some() { Booked::Potential } else { Booked::Work };
        (self.apply)(moment, view, loads, booked);
    }

    fn potential(&self, _: &Moment, view: &View, _: &mut Workspace) -> f64 {
        self.potential.as_ref().map_or(0.0, |potential| potential(view))
    }

    fn jumps(&self) -> &[f64] {
        &self.jumps
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        check_finite("custom force", "a jump", &self.jumps)
    }
}
