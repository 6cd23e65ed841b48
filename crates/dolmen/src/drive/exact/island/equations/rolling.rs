//! Rolling and spinning resistance: margins of the contacts that have it.

use crate::contact::rest::{
    ConstraintSystem, ContactConstraint, Mode, Part, ResistanceRow, RollingResistance,
};
use crate::math::DVec3;
use crate::math::bracket::worse;

/// Sets the rolling and spinning modes of a constraint with rolling resistance.
pub(crate) fn with_modes(constraint: &ContactConstraint, modes: [Mode; 2]) -> ContactConstraint {
    let rolling =
        constraint.rolling.map(|rolling| RollingResistance { roll: modes[0], spin: modes[1], ..rolling });
    ContactConstraint { rolling, ..*constraint }
}

/// How far a rolling or spinning contact has reversed its initial direction; above zero the rolling has ended.
/// `rounding` is that of accelerations, m/s².
pub(crate) fn reversal(constraints: &ConstraintSystem, rounding: f64) -> f64 {
    let back = |(d, resistance): (usize, &ResistanceRow)| match resistance.mode {
        Mode::Stick => f64::NEG_INFINITY,
        Mode::Slide { begins } => {
            let begins = resistance.components(begins);
            if resistance.turns() {
                -resistance.velocity.dot(begins)
            } else {
                -rounding * begins.length() - constraints.resistance_acceleration(d).dot(begins)
            }
        }
    };
    constraints.resistance.iter().enumerate().map(back).fold(f64::NEG_INFINITY, worse)
}

/// By how much a sticking resistance moment exceeds its bound, less `slack`, N.
pub(crate) fn excess(constraints: &ConstraintSystem, slack: f64) -> f64 {
    let beyond = |(d, resistance): (usize, &ResistanceRow)| match resistance.mode {
        Mode::Stick => constraints.resistance_forces[d].length() - constraints.resistance_limit(d) - slack,
        Mode::Slide { .. } => f64::NEG_INFINITY,
    };
    constraints.resistance.iter().enumerate().map(beyond).fold(f64::NEG_INFINITY, worse)
}

/// Adds the margins of sticking resistance moments and of rolling contacts, N or m/s.
pub(crate) fn add_margins(constraints: &ConstraintSystem, margins: &mut Vec<f64>) {
    margins.extend(constraints.resistance.iter().enumerate().map(|(d, resistance)| match resistance.mode {
        Mode::Stick => constraints.resistance_limit(d) - constraints.resistance_forces[d].length(),
        Mode::Slide { begins } => resistance.velocity.dot(resistance.components(begins).normalize_or_zero()),
    }));
}

/// Updates the directions of rolling contacts to the current ones: the next span starts from them.
pub(crate) fn update_rolling_directions(contacts: &mut [ContactConstraint], constraints: &ConstraintSystem) {
    for resistance in &constraints.resistance {
        let Some(rolling) = &mut contacts[resistance.of].rolling else { continue };
        let mode = if resistance.part == Part::Roll { &mut rolling.roll } else { &mut rolling.spin };
        if let Mode::Slide { begins } = mode
            && resistance.is_fast()
            && resistance.velocity.dot(resistance.components(*begins)) > 0.0
            && resistance.aside(*begins) != DVec3::ZERO
        {
            *begins = resistance.in_world(resistance.velocity);
        }
    }
}
