//! One contact with friction: how sliding changes while the normal impulse grows.
//!
//! A collision takes no time, but impulses follow each other: the normal impulse p grows from zero, and at each p
//! friction obeys Coulomb's law at the current slip [Darboux; Keller 1986]. With the contact's mobility K (normal, two
//! tangents), u = u⁻ + K r and the slip `u_t` = s ŝ,
//!
//! ```text
//! sliding    dr/dp = (1, −μ ŝ)         until s = 0
//! sticking   dr/dp = (1, f),  f = −K_tt⁻¹ K_tn,  which leaves the slip at zero: if |f| ≤ μ
//! else       sliding along the one ŝ with  K_tn − μ K_tt ŝ = c ŝ,  c > 0,  which it keeps
//! ```
//!
//! Compression ends where `u_n` = 0, with the work C = −∫ u_n dp absorbed; restitution ends when the work ε² C has been
//! returned: energetic restitution [Stronge 1990], which never adds energy whatever the slip does in between.
//!
//! Joints can make K singular. If no mobility is left along a direction inside the cone, the contact jams: the collision ends
//! as soon as slip and approach have, whatever ε is, since no impulse along that direction moves anything.
//!
//! Where ŝ keeps its direction (spheres, motion in a plane of symmetry, after sticking) all of it is closed form. Where
//! the slip direction rotates, Taylor series follow the path over τ with dp = s dτ, in which the equations are smooth
//! down to the end of sliding:
//!
//! ```text
//! du_t/dτ = s K_tn − μ K_tt u_t,   dr_t/dτ = −μ u_t,   dp/dτ = s,   dW/dτ = s u_n
//! ```

use super::slip_path::{Advance, Course, Mobility, Path, length};
use super::slip_turn;
use super::tolerances::{CONSTANT_DIRECTION, MAX_FRICTION, PATH_PIECES, PATH_STEPS, ZERO_SLIP};
use crate::articulation::NO_MOBILITY;

/// The result of a collision with friction at one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slipped {
    /// Impulse: normal, two tangents.
    pub(super) impulse: [f64; 3],
    /// −∫ u_n dp, the energy lost along the normal.
    pub(super) lost_normal: f64,
    /// Whether the path reached its end; otherwise the impulse is not to be used.
    pub(super) finished: bool,
}

/// Collides one contact with friction: mobility `k`, velocity `u` (both: normal, two tangents), u[0] < 0.
pub(super) fn collide_one(k: &Mobility, u: [f64; 3], mu: f64, restitution: f64) -> Slipped {
    let speed = u.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let course = Course {
        k: *k,
        mu: mu.min(MAX_FRICTION),
        returned: restitution * restitution,
        normal_start: u[0],
        speed,
    };
    let mut path = Path {
        slip: [u[1], u[2]],
        impulse: [0.0; 3],
        normal: u[0],
        taken: 0.0,
        given: 0.0,
        returning: false,
    };
    let finished = slide(&course, &mut path);
    Slipped { impulse: path.impulse, lost_normal: path.taken - path.given, finished }
}

/// Follows the path to its end; false when it does not reach one.
fn slide(course: &Course, path: &mut Path) -> bool {
    let mut steps = PATH_STEPS;
    for _ in 0..PATH_PIECES {
        let s = length(path.slip);
        let done = if s <= ZERO_SLIP * course.speed {
            path.slip = [0.0; 2];
            leave_stillness(course, path)
        } else {
            let direction = [path.slip[0] / s, path.slip[1] / s];
            if course.keeps(direction) {
                slide_straight(course, path, direction, s)
            } else {
                slip_turn::turn(course, path, &mut steps)
            }
        };
        match done {
            Advance::End => return true,
            Advance::More => {}
            Advance::Lost => return false,
        }
    }
    false
}

/// From zero slip: sticks if the cone allows it, otherwise slides in the one direction that persists.
fn leave_stillness(course: &Course, path: &mut Path) -> Advance {
    let f = sticking(&course.k, [course.k[1][0], course.k[2][0]]);
    if length(f) <= course.mu {
        return advance(course, path, f, f64::INFINITY).0;
    }
    slide_straight(course, path, leaving(&course.k, course.mu), 0.0)
}

/// Slides with slip `s` along `direction`, which it keeps: the slip is linear in p.
fn slide_straight(course: &Course, path: &mut Path, direction: [f64; 2], s: f64) -> Advance {
    let (drift, _) = course.drift(direction);
    let growth = drift[0] * direction[0] + drift[1] * direction[1];
    let f = [-course.mu * direction[0], -course.mu * direction[1]];
    let stop = if growth < 0.0 && s > 0.0 { s / -growth } else { f64::INFINITY };
    let (result, p) = advance(course, path, f, stop);
    let left = if p >= stop { 0.0 } else { s + growth * p };
    path.slip = [direction[0] * left, direction[1] * left];
    result
}

/// Continues with dr/dp = (1, f) until compression or restitution ends, at most by `stop`; returns how far in p.
fn advance(course: &Course, path: &mut Path, f: [f64; 2], stop: f64) -> (Advance, f64) {
    let terms = [course.k[0][0], course.k[0][1] * f[0], course.k[0][2] * f[1]];
    let mut rate: f64 = terms.iter().sum();
    let mut v = path.normal;
    // A joint may leave no mobility along (1, f), inside the cone: a ball on a ball joint strikes the floor near the line
    // to its pin. Every further impulse along it goes into the joint, and nothing moves: slip and approach have ended
    // together, to rounding, and restitution cannot return any work.
    if rate.abs() <= NO_MOBILITY * terms.iter().map(|term| term.abs()).sum::<f64>() {
        rate = 0.0;
        if v.abs() <= NO_MOBILITY * course.speed {
            (v, path.normal) = (0.0, 0.0);
            if stop == f64::INFINITY {
                return (Advance::End, 0.0);
            }
        }
    }
    // Turning points of u_n; in restitution the end itself: v p + ½ rate p² = the work still to be returned.
    let (event, result) = if path.returning {
        let work_to_return = course.work_to_return(path);
        let root = v * v + 2.0 * rate * work_to_return;
        if work_to_return == 0.0 {
            (0.0, Advance::End)
        } else if root >= 0.0 {
            (2.0 * work_to_return / (v + root.sqrt()), Advance::End)
        } else {
            (-v / rate, Advance::More)
        }
    } else if rate > 0.0 {
        (-v / rate, if course.returned == 0.0 { Advance::End } else { Advance::More })
    } else {
        (f64::INFINITY, Advance::Lost)
    };
    let p = event.min(stop);
    if !p.is_finite() {
        return (Advance::Lost, 0.0);
    }
    for (r, d) in path.impulse.iter_mut().zip([1.0, f[0], f[1]]) {
        *r += p * d;
    }
    let work = p * (v + 0.5 * rate * p);
    if path.returning {
        path.given += work;
    } else {
        path.taken -= work;
    }
    if stop < event {
        path.normal = v + rate * p;
        return (Advance::More, p);
    }
    if result == Advance::More {
        path.normal = 0.0;
        path.returning = !path.returning;
    }
    (result, p)
}

/// The eigenvectors of the symmetric `K_tt`, the larger eigenvalue first.
struct Axes {
    values: [f64; 2],
    first: [f64; 2],
}

impl Axes {
    fn new(k: &Mobility) -> Self {
        let (mean, half) = (0.5 * (k[1][1] + k[2][2]), 0.5 * (k[1][1] - k[2][2]));
        let b = k[1][2];
        let radius = (half * half + b * b).sqrt();
        // From the row that does not cancel.
        let axis = if half >= 0.0 { [half + radius, b] } else { [b, radius - half] };
        let norm = length(axis);
        let first = if norm > 0.0 { [axis[0] / norm, axis[1] / norm] } else { [1.0, 0.0] };
        Self { values: [mean + radius, (mean - radius).max(0.0)], first }
    }

    fn components(&self, v: [f64; 2]) -> [f64; 2] {
        let [x, y] = self.first;
        [v[0] * x + v[1] * y, v[1] * x - v[0] * y]
    }

    fn vector(&self, c: [f64; 2]) -> [f64; 2] {
        let [x, y] = self.first;
        [c[0] * x - c[1] * y, c[0] * y + c[1] * x]
    }
}

/// The tangential impulse −`K_tt`⁻¹ b that removes the slip b; over the range of `K_tt` where that is singular.
fn sticking(k: &Mobility, b: [f64; 2]) -> [f64; 2] {
    let (a, c, d) = (k[1][1], k[1][2], k[2][2]);
    let determinant = a * d - c * c;
    if determinant > CONSTANT_DIRECTION * a * d {
        return [(c * b[1] - d * b[0]) / determinant, (c * b[0] - a * b[1]) / determinant];
    }
    let trace = a + d;
    if trace > 0.0 { [-b[0] / trace, -b[1] / trace] } else { [0.0; 2] }
}

/// The direction ŝ with `K_tn` − μ `K_tt` ŝ = c ŝ, c > 0, in which a contact slides that cannot stick.
///
/// ŝ = (μ `K_tt` + c)⁻¹ `K_tn` has length one for one c in (0, |`K_tn`|]: its length falls with c, and it is |f|/μ > 1 at
/// zero. In the axes of `K_tt` it is a sum of two squares.
fn leaving(k: &Mobility, mu: f64) -> [f64; 2] {
    let axes = Axes::new(k);
    let pull = axes.components([k[1][0], k[2][0]]);
    let parts = |c: f64| [0, 1].map(|i| pull[i] / (mu * axes.values[i] + c));
    let (mut least, mut most) = (0.0, length(pull));
    // Bisection down to neighbouring numbers: rare, and at most 1100 halvings.
    for _ in 0..1100 {
        let middle = 0.5 * (least + most);
        if middle <= least || middle >= most {
            break;
        }
        if length(parts(middle)) > 1.0 {
            least = middle;
        } else {
            most = middle;
        }
    }
    let direction = axes.vector(parts(most));
    let norm = length(direction);
    [direction[0] / norm, direction[1] / norm]
}
