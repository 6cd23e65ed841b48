//! Gears, racks and pinions: two coordinates of two joints that move in proportion.

use super::{Axis, FittedJoint, Geometry, JointError, Turns};
use crate::math::Row;

/// Two joints whose coordinates move in proportion: q₂ = factor·q₁ + constant.
///
/// A pair of gears with radii r₁ and r₂ that mesh outside has factor −r₁/r₂, one inside the other +r₁/r₂; a pinion of radius r
/// on a rack has factor r, from the angle to the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Coupling {
    /// Its name.
    pub name: String,
    /// The joint and axis of q₁.
    pub first: (String, Axis),
    /// The joint and axis of q₂.
    pub second: (String, Axis),
    /// Of q₂ to q₁: no unit, or m/rad, or rad/m.
    pub factor: f64,
    /// m or rad; none takes the value at the start.
    pub constant: Option<f64>,
}

impl Coupling {
    /// Gears: the hinge `second` turns `ratio` times as far as the hinge `first`; a negative ratio is the other way round.
    pub fn gear(name: impl Into<String>, first: &str, second: &str, ratio: f64) -> Self {
        Self {
            name: name.into(),
            first: (first.to_owned(), Axis::TurnZ),
            second: (second.to_owned(), Axis::TurnZ),
            factor: ratio,
            constant: None,
        }
    }

    /// A pinion on the hinge `pinion` that moves the slider `rack` by `radius` a radian, m.
    pub fn rack_and_pinion(name: impl Into<String>, pinion: &str, rack: &str, radius: f64) -> Self {
        Self {
            name: name.into(),
            first: (pinion.to_owned(), Axis::TurnZ),
            second: (rack.to_owned(), Axis::Z),
            factor: radius,
            constant: None,
        }
    }
}

/// A coupling of a world: its joints by their places.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedCoupling {
    /// As it was described.
    pub coupling: Coupling,
    /// Places of the two joints in the list of joints.
    pub joints: [usize; 2],
    /// Of the equation, m or rad.
    pub constant: f64,
}

/// The equation factor·q₁ − q₂ + constant = 0 at an instant; it acts on the bodies of both joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoupledEquation {
    /// What is left of the equation, in the unit of q₂.
    pub value: f64,
    /// On the bodies of the first joint and on those of the second.
    pub rows: [Row; 2],
    /// Its rate.
    pub rate: f64,
    /// Its second derivative without the forces of constraints.
    pub curvature: f64,
}

impl FittedCoupling {
    /// Fits a coupling to the joints of a world, in a state in which their angles are those of `turns`.
    ///
    /// # Errors
    /// When a joint is missing, an axis does not move, or the factor is zero or not finite.
    pub fn fit(
        coupling: Coupling,
        joints: &[FittedJoint],
        start: impl Fn(usize) -> (Geometry, Turns),
    ) -> Result<Self, JointError> {
        let refuse = |value: f64, what, allowed| {
            Err(JointError::Value { joint: coupling.name.clone(), what, value: value.to_string(), allowed })
        };
        if !coupling.factor.is_finite() || coupling.factor == 0.0 {
            return refuse(coupling.factor, "the ratio", "finite and not zero");
        }
        if let Some(constant) = coupling.constant.filter(|c| !c.is_finite()) {
            return refuse(constant, "the constant", "finite");
        }
        let mut places = [0; 2];
        let mut values = [0.0; 2];
        for (k, (name, axis)) in [&coupling.first, &coupling.second].into_iter().enumerate() {
            let Some(place) = joints.iter().position(|joint| joint.name() == name) else {
                return Err(JointError::NoJoint { coupling: coupling.name.clone(), joint: name.clone() });
            };
            let locked = joints[place].joint.kind.locked();
            if axis.index().is_some_and(|i| locked[i]) {
                return Err(JointError::CoupledAxis {
                    coupling: coupling.name.clone(),
                    joint: name.clone(),
                    axis: axis.name(),
                });
            }
            let (geometry, turns) = start(place);
            places[k] = place;
            values[k] = joints[place].coordinate(&geometry, *axis, &turns).value;
        }
        let constant = coupling.constant.unwrap_or(values[1] - coupling.factor * values[0]);
        Ok(Self { coupling, joints: places, constant })
    }

    /// Its equation, of the two joints' frames and turns.
    ///
    /// Turns have to be counted: a ratio need not be rational.
    pub fn equation(&self, joints: &[FittedJoint], frames: [(&Geometry, &Turns); 2]) -> CoupledEquation {
        let axes = [self.coupling.first.1, self.coupling.second.1];
        let jet = |k: usize| {
            let (geometry, turns) = frames[k];
            joints[self.joints[k]].coordinate(geometry, axes[k], turns)
        };
        let first = jet(0).scaled(self.coupling.factor);
        let second = jet(1).scaled(-1.0);
        CoupledEquation {
            value: first.value + second.value + self.constant,
            rows: [first.row, second.row],
            rate: first.rate + second.rate,
            curvature: first.curvature + second.curvature,
        }
    }
}
