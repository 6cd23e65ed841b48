//! Where two bodies touch, kept from step to step with its impulses.

use super::bodies::Bodies;
use super::number::{Quat, Real, V3};
use super::tolerances::MOST;
use serde::{Deserialize, Serialize};

/// A point found by detection, in the world's axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<R> {
    /// On a, from its centre of mass.
    pub(super) on_a: V3<R>,
    /// On b, from its centre of mass.
    pub(super) on_b: V3<R>,
    /// Along the normal, positive apart.
    pub(super) separation: R,
}

/// Up to four points with one normal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Manifold<R> {
    pub(super) count: u8,
    /// From b to a, world.
    pub(super) normal: V3<R>,
    /// From the centres of mass of a and b, world.
    pub(super) arms: [[V3<R>; MOST]; 2],
    pub(super) separation: [R; MOST],
    pub(super) lambda: [R; MOST],
    /// Friction, world.
    pub(super) sideways: V3<R>,
    /// Moment about the normal.
    pub(super) about: R,
    /// Moment against rolling, world.
    pub(super) rolling: V3<R>,
    /// All normal impulses of the last step, where the two did not touch before it.
    pub(super) struck: R,
    /// The same in the frames of the bodies, to follow them while they move little.
    local: [[V3<R>; MOST]; 2],
    normal_b: V3<R>,
}

/// Where the two bodies were when a pair was last looked at in full.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Sight<R> {
    between: V3<R>,
    turned: [Quat<R>; 2],
}

impl<R: Real> Sight<R> {
    pub(super) fn new(bodies: &Bodies<R>, a: usize, b: usize) -> Self {
        Self {
            between: V3::of(bodies.position[a] - bodies.position[b]),
            turned: [bodies.turned[a], bodies.turned[b]],
        }
    }

    /// A bound on how far points of one body near the other have moved relative to it since.
    pub(super) fn change(&self, now: &Self, radii: [R; 2]) -> R {
        // |q − q'| is 2 sin(θ/4) of the angle θ between them; θ ≤ 2·1.03·|q − q'| up to a right angle.
        let turn = |s: usize| {
            let (p, q) = (self.turned[s], now.turned[s]);
            let (v, w) = (p.v - q.v, p.w - q.w);
            (v.squared() + w * w).root() * radii[s] * R::of(2.1)
        };
        (now.between - self.between).length() + turn(0) + turn(1)
    }
}

impl<R: Real> Manifold<R> {
    /// Of nothing.
    pub(super) fn new() -> Self {
        let zero = R::of(0.0);
        Self {
            count: 0,
            normal: V3::zero(),
            arms: [[V3::zero(); MOST]; 2],
            separation: [zero; MOST],
            lambda: [zero; MOST],
            sideways: V3::zero(),
            about: zero,
            rolling: V3::zero(),
            struck: zero,
            local: [[V3::zero(); MOST]; 2],
            normal_b: V3::zero(),
        }
    }

    /// Takes new points over. An impulse stays with the point nearest to its own, within `near`.
    pub(super) fn take(&mut self, normal: V3<R>, found: &[Found<R>], turned: [Quat<R>; 2], near: R) {
        let (old, old_count, old_lambda) = (self.local[0], usize::from(self.count), self.lambda);
        let zero = R::of(0.0);
        let mut is_used = [false; MOST];
        self.count = found.len() as u8;
        self.normal = normal;
        self.normal_b = turned[1].unrotate(normal);
        if old_count == 0 {
            (self.sideways, self.about, self.rolling) = (V3::zero(), zero, V3::zero());
        }
        for (i, point) in found.iter().enumerate() {
            self.arms[0][i] = point.on_a;
            self.arms[1][i] = point.on_b;
            self.separation[i] = point.separation;
            self.local[0][i] = turned[0].unrotate(point.on_a);
            self.local[1][i] = turned[1].unrotate(point.on_b);
            self.lambda[i] = zero;
            let mut best = (near * near, MOST);
            for (j, old) in old.iter().enumerate().take(old_count) {
                let away = (*old - self.local[0][i]).squared();
                if !is_used[j] && away < best.0 {
                    best = (away, j);
                }
            }
            if best.1 < MOST {
                is_used[best.1] = true;
                self.lambda[i] = old_lambda[best.1];
            }
        }
    }

    /// Follows the bodies: the same points of them, with the normal fixed to b.
    pub(super) fn follow(&mut self, between: V3<R>, turned: [Quat<R>; 2]) {
        self.normal = turned[1].rotate(self.normal_b);
        for i in 0..usize::from(self.count) {
            self.arms[0][i] = turned[0].rotate(self.local[0][i]);
            self.arms[1][i] = turned[1].rotate(self.local[1][i]);
            self.separation[i] = (between + self.arms[0][i] - self.arms[1][i]).dot(self.normal);
        }
    }

    /// Whether it has no more points than there is room for: one that was read from a file may say so.
    pub(super) fn has_room(&self) -> bool {
        usize::from(self.count) <= MOST
    }

    /// Whether any of its points carries an impulse.
    pub(super) fn presses(&self) -> bool {
        self.lambda[..usize::from(self.count)].iter().any(|lambda| *lambda > R::of(0.0))
    }

    /// The mean of its points, from the centres of mass of a and b.
    pub(super) fn middle(&self) -> [V3<R>; 2] {
        let count = usize::from(self.count).max(1);
        let share = R::of(1.0 / count as f64);
        self.arms.map(|arms| arms[..count].iter().fold(V3::zero(), |sum, arm| sum + *arm) * share)
    }

    /// The least separation of its points.
    pub(super) fn least(&self) -> R {
        let mut least = self.separation[0];
        for s in &self.separation[1..usize::from(self.count).max(1)] {
            least = least.smaller(*s);
        }
        least
    }
}

/// Leaves four points: the deepest, the one furthest from it, and the furthest from the line of the two on each side.
pub(super) fn reduce<R: Real>(points: &mut Vec<Found<R>>, normal: V3<R>) {
    if points.len() <= MOST {
        return;
    }
    let first_of = |points: &[Found<R>], value: &dyn Fn(&Found<R>) -> R| {
        let mut best = 0;
        for i in 1..points.len() {
            if value(&points[i]) > value(&points[best]) {
                best = i;
            }
        }
        best
    };
    let p0 = points.swap_remove(first_of(points, &|p| -p.separation));
    let p1 = points.swap_remove(first_of(points, &|p| (p.on_a - p0.on_a).squared()));
    let side = normal.cross(p1.on_a - p0.on_a);
    let across = |p: &Found<R>| side.dot(p.on_a - p0.on_a);
    let p2 = points.swap_remove(first_of(points, &|p| across(p)));
    let p3 = points.swap_remove(first_of(points, &|p| -across(p)));
    points.clear();
    points.extend([p0, p1, p2, p3]);
}
