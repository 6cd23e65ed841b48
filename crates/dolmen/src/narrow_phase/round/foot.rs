//! The point of a polytope nearest to another point, walked to from the feature that held it last.
//!
//! A point p of a convex body is its nearest to x if x − p is one of the outward normals at p; a local answer is global. So
//! from the face, edge or vertex of the last query one goes to whatever is beside it and nearer, and most often nowhere. Where
//! an answer is not clear by more than rounding (x above an edge of a face, inside of the body, on its surface) all faces
//! and edges are looked at, so that neither the point nor the name of the feature hangs on where the walk began.

use super::super::Feature;
use super::super::polytope::{Polytope, rim_distances};
use crate::math::DVec3;

/// How a foot was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// On the feature remembered.
    Remembered,
    /// On one that a walk from there led to.
    Walked,
    /// By looking at all.
    Searched,
}

/// The point of the surface of a polytope nearest to x, frame of the polytope.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foot {
    pub(super) point: DVec3,
    /// Unit, out of the polytope.
    pub(super) normal: DVec3,
    /// Signed, negative inside, m.
    pub(super) separation: f64,
    pub(super) feature: Feature,
    pub(super) way: Way,
}

/// Steps of a walk, a bound and no cut: shapes have at most a few hundred features around, a coherent motion takes one.
const MOST_STEPS: usize = 48;

/// Finds the foot of x; `tolerance` is the rounding of distances, m, with which nothing is decided.
pub(super) fn foot_of(polytope: &Polytope, x: DVec3, hint: Option<Feature>, tolerance: f64) -> Foot {
    // A flat polygon has an edge between its two sides wherever one looks.
    if polytope.face_count() > 2 {
        let start = hint.filter(|feature| is_of(polytope, *feature));
        let walk = Walk { polytope, x, tolerance };
        if let Some(foot) = walk.from(start) {
            return foot;
        }
    }
    search(polytope, x, tolerance)
}

fn is_of(polytope: &Polytope, feature: Feature) -> bool {
    match feature {
        Feature::Vertex(v) => (v as usize) < polytope.vertices().len(),
        Feature::Edge(e) => (e as usize) < polytope.edges().len(),
        Feature::Face(f) => f < polytope.face_count(),
        Feature::Rim(_) | Feature::Surface(_) => false,
    }
}

/// A walk over the features of a polytope.
struct Walk<'a> {
    polytope: &'a Polytope,
    x: DVec3,
    tolerance: f64,
}

/// What a feature has to say.
enum Step {
    /// It holds the foot, at this point; of a face with this height.
    Here(DVec3, f64),
    /// This one is nearer.
    To(Feature),
    /// Rounding decides, or x is not outside.
    Unclear,
}

impl Walk<'_> {
    fn from(&self, start: Option<Feature>) -> Option<Foot> {
        let mut way = if start.is_some() { Way::Remembered } else { Way::Walked };
        let mut at = start
            .unwrap_or_else(|| Feature::Vertex(self.polytope.support(self.x - self.polytope.centre(), 0)));
        for _ in 0..MOST_STEPS {
            let step = match at {
                Feature::Vertex(v) => self.at_vertex(v),
                Feature::Edge(e) => self.at_edge(e),
                Feature::Face(f) => self.at_face(f),
                Feature::Rim(_) | Feature::Surface(_) => Step::Unclear,
            };
            match step {
                Step::Here(point, height) => return self.proven(at, point, height, way),
                Step::To(next) => at = next,
                Step::Unclear => return None,
            }
            way = Way::Walked;
        }
        None
    }

    /// x − v must lean away from every edge.
    fn at_vertex(&self, vertex: u32) -> Step {
        let point = self.polytope.vertex(vertex);
        let away = self.x - point;
        let mut most = (f64::NEG_INFINITY, 0);
        for &edge in self.polytope.edges_at(vertex) {
            let along = self.polytope.edge_direction(edge);
            let slope = away.dot(along);
            let slope = if self.polytope.edge(edge).ends[0] == vertex { slope } else { -slope };
            if slope > most.0 {
                most = (slope, edge);
            }
        }
        if most.0 > self.tolerance {
            Step::To(Feature::Edge(most.1))
        } else if most.0 < -self.tolerance {
            Step::Here(point, 0.0)
        } else {
            Step::Unclear
        }
    }

    /// The foot of x on the line must be between the ends, and x − p lean away from both faces.
    fn at_edge(&self, edge: u32) -> Step {
        let ([first, second], faces) = (self.polytope.edge(edge).ends, self.polytope.edge(edge).faces);
        let side = self.polytope.side(edge);
        let [p, q] = [first, second].map(|v| self.polytope.vertex(v));
        let reach = (self.x - p).dot(side.along);
        if reach < -self.tolerance {
            return Step::To(Feature::Vertex(first));
        }
        if reach > side.length + self.tolerance {
            return Step::To(Feature::Vertex(second));
        }
        if reach <= self.tolerance || reach >= side.length - self.tolerance {
            return Step::Unclear;
        }
        let (point, _) = on_edge(self.x, [p, q]);
        let away = self.x - point;
        let [left, right] = side.inward.map(|inward| inward.dot(away));
        let (most, face) = if left >= right { (left, faces[0]) } else { (right, faces[1]) };
        if most > self.tolerance {
            Step::To(Feature::Face(face))
        } else if most < -self.tolerance {
            Step::Here(point, 0.0)
        } else {
            Step::Unclear
        }
    }

    /// x must be above the face.
    fn at_face(&self, face: u32) -> Step {
        let (normal, offset) = self.polytope.plane(face);
        let over = normal.dot(self.x) - offset;
        if over <= self.tolerance || over.is_nan() {
            return Step::Unclear;
        }
        let foot = self.x - normal * over;
        let mut least = (f64::INFINITY, 0);
        for ((corner, inward), &edge) in
            rim_distances(self.polytope, face).zip(self.polytope.face_edges(face))
        {
            let inside = inward.dot(foot - corner);
            if inside < least.0 {
                least = (inside, edge);
            }
        }
        if least.0 > self.tolerance {
            Step::Here(foot, over)
        } else if least.0 < -self.tolerance {
            Step::To(Feature::Edge(least.1))
        } else {
            Step::Unclear
        }
    }

    /// The answer, if the plane across the line to x at p has the whole body behind it. That of a face has by its making.
    fn proven(&self, feature: Feature, point: DVec3, height: f64, way: Way) -> Option<Foot> {
        let vertex = match feature {
            Feature::Face(face) => {
                let normal = self.polytope.plane(face).0;
                return Some(Foot { point, normal, separation: height, feature, way });
            }
            Feature::Edge(edge) => self.polytope.edge(edge).ends[0],
            Feature::Vertex(vertex) => vertex,
            Feature::Rim(_) | Feature::Surface(_) => return None,
        };
        let away = self.x - point;
        let distance = away.length();
        if distance.is_nan() || distance <= self.tolerance {
            return None;
        }
        let normal = away / distance;
        let furthest = self.polytope.vertex(self.polytope.support(normal, vertex));
        let is_behind = normal.dot(furthest - point) <= self.tolerance;
        is_behind.then_some(Foot { point, normal, separation: distance, feature, way })
    }
}

/// The point of a segment nearest to x, and its place from 0 to 1.
fn on_edge(x: DVec3, [p, q]: [DVec3; 2]) -> (DVec3, f64) {
    let along = q - p;
    let t = ((x - p).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (if t <= 0.5 { p + along * t } else { q - along * (1.0 - t) }, t)
}

/// The foot by looking at every face and edge.
///
/// The face with x highest above it holds the nearest point if it holds the foot of x. If not, the nearest point is on an
/// edge: within another face the distance would be the height above that one, and no height exceeds the distance.
fn search(polytope: &Polytope, x: DVec3, tolerance: f64) -> Foot {
    let way = Way::Searched;
    let height = |face: u32| {
        let (normal, offset) = polytope.plane(face);
        normal.dot(x) - offset
    };
    let mut top = (0, height(0));
    for face in 1..polytope.face_count() {
        let over = height(face);
        if over > top.1 {
            top = (face, over);
        }
    }
    let (face, over) = top;
    let normal = polytope.plane(face).0;
    let foot = x - normal * over;
    let on_face = Foot { point: foot, normal, separation: over, feature: Feature::Face(face), way };
    let inside = |(corner, inward): (DVec3, DVec3)| inward.dot(foot - corner) >= 0.0;
    if over <= 0.0 && polytope.face_count() > 2 || rim_distances(polytope, face).all(inside) {
        return on_face;
    }
    let mut least = (f64::INFINITY, DVec3::ZERO, Feature::Edge(0));
    for (number, edge) in polytope.edges().iter().enumerate() {
        let (near, t) = on_edge(x, edge.ends.map(|v| polytope.vertex(v)));
        let distance2 = near.distance_squared(x);
        if distance2 < least.0 {
            let feature = if t == 0.0 {
                Feature::Vertex(edge.ends[0])
            } else if t == 1.0 {
                Feature::Vertex(edge.ends[1])
            } else {
                Feature::Edge(number as u32)
            };
            least = (distance2, near, feature);
        }
    }
    let (_, point, feature) = least;
    let away = x - point;
    let distance = away.length();
    if distance <= tolerance {
        return on_face;
    }
    Foot { point, normal: away / distance, separation: distance, feature, way }
}
