//! A contact at an instant: directions, rows, and accelerations without contact forces.

use super::{ContactConstraint, Loaded};
use crate::body::Kinematics;
use crate::contact::rest::tolerances::{CURVATURE_ROUNDING, MAX_FRAME_ROTATION};
use crate::math::Row;
use crate::math::{DMat3, DVec3, dvec3};

/// The geometry and the free motion of a contact; components are along the normal and two tangents.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// The contact point, world.
    pub point: DVec3,
    /// Unit, from b to a.
    pub normal: DVec3,
    /// Unit, perpendicular to the normal and to each other.
    pub tangents: [DVec3; 2],
    /// Velocities → rates along normal and tangents.
    pub rows: [Row; 3],
    /// Separation, m.
    pub separation: f64,
    /// Velocity of a relative to b at the contact, in the frame, m/s.
    pub velocity: DVec3,
    /// Acceleration without contact forces, in the frame, m/s².
    pub free: DVec3,
}

impl Frame {
    /// The frame of a contact between bodies in these states.
    pub fn new(bodies: &[Loaded], contact: &ContactConstraint) -> Self {
        let [a, b] = contact.bodies.map(|i| &bodies[i].kinematics);
        let normal = contact.function.normal(&a.pose, &b.pose);
        let tangents = tangents(normal);
        let points = contact.function.points(&a.pose, &b.pose);
        // They differ beyond rounding only where contacts are about to be projected.
        let point = 0.5 * (points[0] + points[1]);
        let (arm_a, arm_b) = (point - a.pose.position, point - b.pose.position);
        let row = |t: DVec3| Row {
            linear_a: t,
            angular_a: arm_a.cross(t),
            linear_b: -t,
            angular_b: -arm_b.cross(t),
        };
        let rows = [contact.function.row(&a.pose, &b.pose), row(tangents[0]), row(tangents[1])];
        let motion = contact.function.motion(a, b);
        let slip = a.twist.at(arm_a) - b.twist.at(arm_b);
        // d/dt of v_a + ω_a×(c − x_a) − v_b − ω_b×(c − x_b) for a contact point c that moves over both.
        let rate = contact.function.point_velocity(a, b);
        let pulled =
            (a.acceleration + a.spin_rate.cross(arm_a)) - (b.acceleration + b.spin_rate.cross(arm_b));
        let carried =
            a.twist.spin.cross(rate - a.twist.velocity) - b.twist.spin.cross(rate - b.twist.velocity);
        let slip_rate = pulled + carried;
        Self {
            point,
            normal,
            tangents,
            rows,
            separation: motion.value,
            velocity: dvec3(motion.rate, tangents[0].dot(slip), tangents[1].dot(slip)),
            free: dvec3(motion.curvature, tangents[0].dot(slip_rate), tangents[1].dot(slip_rate)),
        }
    }

    /// For a time step of length `h`: drops the part of its acceleration due to its own motion, where that does not
    /// hold for the whole step.
    ///
    /// Within a step a contact frame rotates by a small angle, and its velocities change by as small a share of those
    /// of its bodies. Only the point between nearly parallel lines moves by more: it jumps along them, and reaches
    /// their end long before that of the step.
    pub fn keep_within(&mut self, bodies: &[Loaded], contact: &ContactConstraint, h: f64) {
        let [a, b] = contact.bodies.map(|i| &bodies[i].kinematics);
        let accelerations = [a, b].map(|body| (body.acceleration, body.spin_rate));
        let pulled = self.rows.each_ref().map(|row| row.apply(accelerations[0], accelerations[1]));
        let pulled = DVec3::from_array(pulled);
        let rolling = |body: &Kinematics| body.twist.spin.length() * self.point.distance(body.pose.position);
        let spun = [a, b].into_iter().filter(|body| body.twist.spin != DVec3::ZERO).map(rolling);
        let speed = self.velocity.length() + spun.sum::<f64>();
        let own = self.free.distance(pulled);
        if h * own > MAX_FRAME_ROTATION * speed && own > CURVATURE_ROUNDING * self.free.length() {
            self.free = pulled;
        }
    }

    /// For a passive time step: its acceleration by these accelerations of its bodies alone, without any part due to its own motion.
    pub fn keep_loads(&mut self, accelerations: [(DVec3, DVec3); 2]) {
        let pulled = self.rows.each_ref().map(|row| row.apply(accelerations[0], accelerations[1]));
        self.free = DVec3::from_array(pulled);
    }

    /// The slip velocity, world, m/s.
    pub fn slip(&self) -> DVec3 {
        self.velocity.y * self.tangents[0] + self.velocity.z * self.tangents[1]
    }
}

/// Two directions perpendicular to a normal; the same for the same normal.
fn tangents(normal: DVec3) -> [DVec3; 2] {
    let axis = DVec3::AXES[normal.abs().min_position()];
    let first = normal.cross(axis).normalize_or_zero();
    [first, normal.cross(first)]
}

/// The Delassus block of contacts i and j: Jᵢ M⁻¹ Jⱼᵀ over the bodies that both have, 3 × 3; none if they share no
/// dynamic body.
pub(super) fn coupling(
    bodies: &[Loaded],
    (i, j): (&[Row; 3], &[Row; 3]),
    (at_i, at_j): ([usize; 2], [usize; 2]),
) -> Option<DMat3> {
    let mut columns = None;
    for side_i in 0..2 {
        for side_j in 0..2 {
            if at_i[side_i] != at_j[side_j] {
                continue;
            }
            let body = &bodies[at_i[side_i]];
            if body.inv_mass == 0.0 {
                continue;
            }
            let columns = columns.get_or_insert([DVec3::ZERO; 3]);
            for (q, column) in columns.iter_mut().enumerate() {
                let (push, turn) = j[q].side(side_j);
                let (push, turn) = (push * body.inv_mass, body.inv_inertia * turn);
                let along = |p: usize| {
                    let (linear, angular) = i[p].side(side_i);
                    linear.dot(push) + angular.dot(turn)
                };
                *column += dvec3(along(0), along(1), along(2));
            }
        }
    }
    columns.map(|c| DMat3::from_cols(c[0], c[1], c[2]))
}
