//! Bodies at rest against each other, for tests and benchmarks of the solvers.
#![allow(dead_code, reason = "tests and the benchmark each use a part")]

use dolmen::math::Row;
use dolmen::math::{DMat3, DQuat, DVec3, dvec3, real};
use dolmen::solve::sparse::{ContactProblem, ContactRows, JointRow, Mobility};

/// Bodies, their centres and loads, and what supports them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Structure {
    pub(crate) bodies: Vec<Mobility>,
    pub(crate) centres: Vec<DVec3>,
    /// Acceleration without contacts.
    pub(crate) accelerations: Vec<DVec3>,
    pub(crate) contacts: Vec<ContactRows>,
    pub(crate) joints: Vec<JointRow>,
}

pub(crate) const G: f64 = 9.81;

impl Structure {
    /// A box of these half extents that gravity pulls down z.
    pub(crate) fn brick(&mut self, centre: DVec3, half: DVec3, mass: f64) -> usize {
        let s = half * half * 4.0;
        let inertia = dvec3(s.y + s.z, s.x + s.z, s.x + s.y) * mass / 12.0;
        self.bodies.push(Mobility {
            inv_mass: 1.0 / mass,
            inv_inertia: DMat3::from_diagonal(inertia.map(|i| 1.0 / i)),
        });
        self.centres.push(centre);
        self.accelerations.push(dvec3(0.0, 0.0, -G));
        self.bodies.len() - 1
    }

    fn arm(&self, body: Option<usize>, point: DVec3) -> DVec3 {
        body.map_or(DVec3::ZERO, |i| point - self.centres[i])
    }

    /// A contact at a point; `normal` from b to a.
    pub(crate) fn touch(&mut self, [a, b]: [Option<usize>; 2], point: DVec3, normal: DVec3, friction: f64) {
        let axis = DVec3::AXES[normal.abs().min_position()];
        let first = normal.cross(axis).normalize();
        let directions = [normal, first, normal.cross(first)];
        let (arm_a, arm_b) = (self.arm(a, point), self.arm(b, point));
        let rows = directions.map(|d| Row::of_point(d, arm_a, arm_b));
        let pull = |body: Option<usize>| body.map_or(DVec3::ZERO, |i| self.accelerations[i]);
        let free = directions.map(|d| d.dot(pull(a) - pull(b)));
        self.contacts.push(ContactRows { bodies: [a, b], rows, free, friction, own: 0.0 });
    }

    /// Four contacts at the corners of a rectangle across z.
    pub(crate) fn face(&mut self, pair: [Option<usize>; 2], low: DVec3, high: DVec3, friction: f64) {
        for (x, y) in [(low.x, low.y), (high.x, low.y), (high.x, high.y), (low.x, high.y)] {
            self.touch(pair, dvec3(x, y, low.z), DVec3::Z, friction);
        }
    }

    pub(crate) fn problem(&self) -> ContactProblem<'_> {
        ContactProblem { bodies: &self.bodies, contacts: &self.contacts, joints: &self.joints }
    }

    /// The same with contacts in the order of `order`.
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        let mut other = self.clone();
        other.contacts = order.iter().map(|&i| self.contacts[i]).collect();
        other
    }

    /// Per body: the force and torque of all contacts and joints, about its centre.
    pub(crate) fn resultants(&self, r: &[f64]) -> Vec<(DVec3, DVec3)> {
        let mut sums = vec![(DVec3::ZERO, DVec3::ZERO); self.bodies.len()];
        let mut add = |bodies: [Option<usize>; 2], row: &Row, r: f64| {
            if let Some(a) = bodies[0] {
                sums[a].0 += r * row.linear_a;
                sums[a].1 += r * row.angular_a;
            }
            if let Some(b) = bodies[1] {
                sums[b].0 += r * row.linear_b;
                sums[b].1 += r * row.angular_b;
            }
        };
        for (i, contact) in self.contacts.iter().enumerate() {
            for k in 0..3 {
                add(contact.bodies, &contact.rows[k], r[3 * i + k]);
            }
        }
        for (i, joint) in self.joints.iter().enumerate() {
            add(joint.bodies, &joint.row, r[3 * self.contacts.len() + i]);
        }
        sums
    }

    /// The largest force by weight, or torque by weight and metre, that is left on any body: zero in equilibrium.
    pub(crate) fn imbalance(&self, r: &[f64]) -> f64 {
        let total: f64 = self.bodies.iter().map(|b| G / b.inv_mass).sum();
        self.resultants(r)
            .iter()
            .zip(self.bodies.iter().zip(&self.accelerations))
            .map(|((force, torque), (body, a))| {
                (*force + *a / body.inv_mass).length().max(torque.length()) / total
            })
            .fold(0.0, f64::max)
    }
}

/// Unit cubes on each other, four contacts a face; the mass of each by its place.
pub(crate) fn column(count: usize, friction: f64, mass: impl Fn(usize) -> f64) -> Structure {
    let mut s = Structure::default();
    for i in 0..count {
        let body = s.brick(dvec3(0.0, 0.0, i as f64 + 0.5), DVec3::splat(0.5), mass(i));
        let below = body.checked_sub(1);
        s.face([Some(body), below], dvec3(-0.5, -0.5, i as f64), dvec3(0.5, 0.5, i as f64), friction);
    }
    s
}

/// Half extents of a brick: 0.2 × 0.1 × 0.06 m.
const BRICK: DVec3 = dvec3(0.1, 0.05, 0.03);

/// A wall in running bond, `long` bricks in each course, `high` courses; full bricks only, so ends are toothed. Bricks of a
/// course touch nothing beside them.
pub(crate) fn wall(long: usize, high: usize, friction: f64) -> Structure {
    courses(high, |course| (0.5 * (course % 2) as f64, long), friction)
}

/// A pyramid in one plane, `base` bricks in its lowest course: base (base + 1)/2 bricks.
pub(crate) fn pyramid(base: usize, friction: f64) -> Structure {
    courses(base, |course| (0.5 * course as f64, base - course), friction)
}

fn courses(high: usize, course: impl Fn(usize) -> (f64, usize), friction: f64) -> Structure {
    let mut s = Structure::default();
    let mut below: Vec<(usize, f64)> = Vec::new();
    for k in 0..high {
        let (offset, count) = course(k);
        let z = 2.0 * BRICK.z * k as f64;
        let mut here = Vec::new();
        for i in 0..count {
            let x = 2.0 * BRICK.x * (i as f64 + offset);
            let body = s.brick(dvec3(x, 0.0, z + BRICK.z), BRICK, 3.0);
            here.push((body, x));
            let supports: Vec<(Option<usize>, f64)> =
                if k == 0 { vec![(None, x)] } else { below.iter().map(|&(b, at)| (Some(b), at)).collect() };
            for (other, at) in supports {
                let (low, high) = ((x - BRICK.x).max(at - BRICK.x), (x + BRICK.x).min(at + BRICK.x));
                if high - low > 1e-6 {
                    let corners = (dvec3(low, -BRICK.y, z), dvec3(high, BRICK.y, z));
                    s.face([Some(body), other], corners.0, corners.1, friction);
                }
            }
        }
        below = here;
    }
    s
}

/// Layers of side × side cubes, each layer half a cube aside in both directions and one less a side: every cube rests on
/// four, a quarter of a face on each. Its graph is spatial, as that of a heap.
pub(crate) fn pile(side: usize, friction: f64) -> Structure {
    let mut s = Structure::default();
    let mut below: Vec<(usize, DVec3)> = Vec::new();
    for k in 0..side {
        let (z, mut here) = (k as f64, Vec::new());
        for i in 0..side - k {
            for j in 0..side - k {
                let at = dvec3(i as f64 + 0.5 * k as f64, j as f64 + 0.5 * k as f64, z + 0.5);
                let body = s.brick(at, DVec3::splat(0.5), 1.0 + 0.1 * ((i + 3 * j + 5 * k) % 7) as f64);
                here.push((body, at));
                if k == 0 {
                    let half = dvec3(0.5, 0.5, 0.5);
                    s.face([Some(body), None], at - half, at + dvec3(0.5, 0.5, -0.5), friction);
                    continue;
                }
                for &(other, o) in &below {
                    let low = (at - DVec3::splat(0.5)).max(o - DVec3::splat(0.5));
                    let high = (at + DVec3::splat(0.5)).min(o + DVec3::splat(0.5));
                    if high.x - low.x > 1e-6 && high.y - low.y > 1e-6 {
                        let (low, high) = (low.with_z(z), high.with_z(z));
                        s.face([Some(body), Some(other)], low, high, friction);
                    }
                }
            }
        }
        below = here;
    }
    s
}

/// A half-round arch of `count` equal stones between two fixed abutments; radius 1 inside, 1 + `thick` outside, 0.3 deep.
pub(crate) fn arch(count: usize, thick: f64, friction: f64) -> Structure {
    let mut s = Structure::default();
    let step = real::PI / count as f64;
    for i in 0..count {
        let angle = (i as f64 + 0.5) * step;
        // Centroid of a sector of a ring.
        let (inner, outer) = (1.0, 1.0 + thick);
        let (cubes, squares) = (outer * outer * outer - 1.0, outer * outer - inner * inner);
        let radius = 2.0 / 3.0 * cubes / squares * real::sin(0.5 * step) / (0.5 * step);
        let (sin, cos) = real::sin_cos(angle);
        let turn = DQuat::from_rotation_y(0.5 * real::PI - angle);
        let half = dvec3(0.5 * step * radius, 0.15, 0.5 * thick);
        let body = s.brick(dvec3(radius * cos, 0.0, radius * sin), half, 10.0);
        let turn = DMat3::from_quat(turn);
        s.bodies[body].inv_inertia = turn * s.bodies[body].inv_inertia * turn.transpose();
    }
    for joint in 0..=count {
        let (sin, cos) = real::sin_cos(joint as f64 * step);
        // From the stone before to the stone after.
        let normal = dvec3(-sin, 0.0, cos);
        let pair = [if joint < count { Some(joint) } else { None }, joint.checked_sub(1)];
        for radius in [1.0, 1.0 + thick] {
            for y in [-0.15, 0.15] {
                s.touch(pair, dvec3(radius * cos, y, radius * sin), normal, friction);
            }
        }
    }
    s
}
