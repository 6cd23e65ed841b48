//! One side of a constraint row: its part of the Jacobian, and its share of the row's rate.

use crate::math::{DVec3, Twist};
use crate::narrow_phase::Row;

pub(crate) fn part(row: &Row, side: usize) -> (DVec3, DVec3) {
    if side == 0 { (row.linear_a, row.angular_a) } else { (row.linear_b, row.angular_b) }
}

/// The rate of a component of a contact for these twists of its bodies.
pub(crate) fn rate(row: &Row, twists: &[Twist; 2]) -> f64 {
    side_rate(row, 0, &twists[0]) + side_rate(row, 1, &twists[1])
}

/// The part of one side in the rate of a component of a contact.
pub(crate) fn side_rate(row: &Row, side: usize, twist: &Twist) -> f64 {
    let (linear, angular) = part(row, side);
    linear.dot(twist.velocity) + angular.dot(twist.spin)
}
