//! The closest points of two polytopes, by walking over their difference.
//!
//! The method of Gilbert, Johnson and Keerthi (1988): the distance is that of the origin from the difference body
//! a − b, approached by simplices of its vertices. Started from the last simplex, a coherent query costs one pass over the
//! old features and one proof that nothing is closer.

use crate::math::DVec3;
use crate::narrow_phase::polytope::View;

/// A vertex of the difference body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Corner {
    /// Its place, a − b, in the frame of b.
    pub(crate) at: DVec3,
    /// The vertices it comes from.
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// Up to four corners and the weights of the point nearest to the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Simplex {
    corners: [Corner; 4],
    weights: [f64; 4],
    count: usize,
    /// The point itself: Σ weights × corners.
    pub(crate) nearest: DVec3,
}

/// A bound on the loop, not a cut: each iteration comes nearer by more than rounding, and a few suffice.
const ITERATIONS: usize = 128;

/// How the walk ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    /// With the points of least distance.
    Apart(Simplex),
    /// At the origin, up to rounding: the shapes have a point in common.
    Meeting(Simplex),
}

impl Simplex {
    /// The corners with a weight.
    pub(crate) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// Their weights, which sum to 1.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights[..self.count]
    }

    /// A single corner.
    pub(crate) fn new(first: Corner) -> Self {
        Self { corners: [first; 4], weights: [1.0; 4], count: 1, nearest: first.at }
    }

    pub(crate) fn push(&mut self, corner: Corner) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    fn keep(&mut self, kept: &[(usize, f64)], nearest: DVec3) {
        let old = self.corners;
        for (k, &(from, weight)) in kept.iter().enumerate() {
            self.corners[k] = old[from];
            self.weights[k] = weight;
        }
        self.count = kept.len();
        self.nearest = nearest;
    }

    /// Reduces to the face that holds the point nearest to the origin; false when the origin is inside of four corners.
    pub(crate) fn reduce(&mut self) -> bool {
        let at = self.corners.map(|c| c.at);
        match self.count {
            1 => self.keep(&[(0, 1.0)], at[0]),
            2 => {
                let face = segment(&at, [0, 1]);
                self.take(&face);
            }
            3 => {
                let face = triangle(&at, [0, 1, 2]);
                self.take(&face);
            }
            _ => return self.reduce_tetrahedron(&at),
        }
        true
    }

    fn take(&mut self, face: &Face) {
        self.keep(&face.kept[..face.count], face.nearest);
    }

    fn reduce_tetrahedron(&mut self, at: &[DVec3; 4]) -> bool {
        let mut best: Option<Face> = None;
        for [i, j, k, opposite] in [[0, 1, 2, 3], [0, 3, 1, 2], [0, 2, 3, 1], [1, 3, 2, 0]] {
            let normal = (at[j] - at[i]).cross(at[k] - at[i]);
            let (origin, other) = (-normal.dot(at[i]), normal.dot(at[opposite] - at[i]));
            // Beyond this face, or in a tetrahedron so flat that it has no inside.
            if origin * other < 0.0 || other.abs() <= 16.0 * f64::EPSILON * normal.length() * size(at) {
                let face = triangle(at, [i, j, k]);
                if best.as_ref().is_none_or(|b| face.nearest.length_squared() < b.nearest.length_squared()) {
                    best = Some(face);
                }
            }
        }
        if let Some(face) = best {
            self.take(&face);
            return true;
        }
        self.nearest = DVec3::ZERO;
        self.weights = inside_weights(at);
        false
    }
}

fn size(at: &[DVec3]) -> f64 {
    at.iter().fold(0.0, |most, x| most.max(x.abs().max_element()))
}

/// Barycentric coordinates of the origin in a tetrahedron with an inside.
fn inside_weights(at: &[DVec3; 4]) -> [f64; 4] {
    let [a, b, c, d] = *at;
    let volumes = [b.cross(c).dot(d), -a.cross(c).dot(d), a.cross(b).dot(d), -a.cross(b).dot(c)];
    let sum: f64 = volumes.iter().sum();
    if sum == 0.0 { [0.25; 4] } else { volumes.map(|v| v / sum) }
}

/// A face of a simplex and the point of it nearest to the origin.
struct Face {
    kept: [(usize, f64); 3],
    count: usize,
    nearest: DVec3,
}

fn vertex(at: &[DVec3; 4], i: usize) -> Face {
    Face { kept: [(i, 1.0), (0, 0.0), (0, 0.0)], count: 1, nearest: at[i] }
}

fn segment(at: &[DVec3; 4], [i, j]: [usize; 2]) -> Face {
    let (p, along) = (at[i], at[j] - at[i]);
    let (reach, length2) = (-p.dot(along), along.length_squared());
    if reach.is_nan() || reach <= 0.0 {
        vertex(at, i)
    } else if reach >= length2 {
        vertex(at, j)
    } else {
        let t = reach / length2;
        // The part of p across the segment; from the nearer end, where less of it cancels.
        let from = if t <= 0.5 { p } else { at[j] };
        let nearest = from - along * (from.dot(along) / length2);
        Face { kept: [(i, 1.0 - t), (j, t), (0, 0.0)], count: 2, nearest }
    }
}

/// By the regions of the triangle [Ericson, Real-Time Collision Detection, 5.1.5], with the nearest point along the normal
/// where it is inside: that keeps its digits when the weights do not.
fn triangle(at: &[DVec3; 4], [i, j, k]: [usize; 3]) -> Face {
    let (a, b, c) = (at[i], at[j], at[k]);
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let n2 = normal.length_squared();
    // n·(b×c), n·(c×a) and n·(a×b) are the weights times n².
    let weights = [normal.dot(b.cross(c)), normal.dot(c.cross(a)), normal.dot(a.cross(b))];
    if n2 > 0.0 && weights.iter().all(|w| *w > 0.0) {
        let sum: f64 = weights.iter().sum();
        let nearest = normal * ((normal.dot(a + b + c) / 3.0) / n2);
        let kept = [(i, weights[0] / sum), (j, weights[1] / sum), (k, weights[2] / sum)];
        return Face { kept, count: 3, nearest };
    }
    // Outside: the nearest point is on one of the sides.
    let sides = [segment(at, [i, j]), segment(at, [j, k]), segment(at, [k, i])];
    let lengths = sides.each_ref().map(|s| s.nearest.length_squared());
    let [first, second, third] = sides;
    if lengths[0] <= lengths[1] && lengths[0] <= lengths[2] {
        first
    } else if lengths[1] <= lengths[2] {
        second
    } else {
        third
    }
}

/// Walks from the corners given (at most four, at least one) to the nearest point.
pub(crate) fn walk(view: &View, start: &[[u32; 2]]) -> Outcome {
    let corner = |[a, b]: [u32; 2]| Corner { at: view.vertex_a(a) - view.b.vertex(b), a, b };
    let first = corner(start[0]);
    let mut simplex = Simplex { corners: [first; 4], weights: [1.0; 4], count: 0, nearest: first.at };
    for &pair in start.iter().take(4) {
        simplex.push(corner(pair));
    }
    if !simplex.reduce() {
        return Outcome::Meeting(simplex);
    }
    for _ in 0..ITERATIONS {
        let v = simplex.nearest;
        let distance2 = v.length_squared();
        if distance2 <= view.rounding * view.rounding {
            return Outcome::Meeting(simplex);
        }
        let last = simplex.corners[simplex.count - 1];
        let next = corner([view.a.support(-view.frame.back(v), last.a), view.b.support(v, last.b)]);
        // No point of the body is nearer than v·next / |v|; the rounding of that is `rounding`.
        let gain = distance2 - v.dot(next.at);
        let known = simplex.corners().iter().any(|c| c.a == next.a && c.b == next.b);
        if known || gain <= 0.25 * view.rounding * distance2.sqrt() {
            return Outcome::Apart(simplex);
        }
        let before = simplex;
        simplex.push(next);
        if !simplex.reduce() {
            return Outcome::Meeting(simplex);
        }
        // Nothing gained is all that rounding leaves to gain.
        if simplex.nearest.length_squared() >= distance2 {
            return Outcome::Apart(before);
        }
    }
    Outcome::Apart(simplex)
}
