//! The least depth of two overlapping polytopes, by growing a polytope inside their difference.
//!
//! The expanding polytope algorithm [van den Bergen 2001]: from a tetrahedron of vertices of the difference body a − b with
//! the origin inside, the facet nearest to the origin is pushed out to the body's vertex furthest along its normal, until
//! there is none further. The body holds the polytope, so its depth is at least the distance of the nearest facet; and it
//! is at most what the body reaches along any normal. Where both agree to rounding the answer is proven; where they do not
//! (facets too thin for rounded normals), there is none, and all faces and edge pairs are tried instead.

use super::axes::Axis;
use super::gjk::{Corner, Simplex};
use crate::narrow_phase::polytope::View;

use crate::math::DVec3;

/// Below this many edge pairs all of them are tried: a few microseconds, as much as growing takes. Boxes have 144.
const WORTHWHILE: usize = 400;

/// A bound on the loop; beyond, the search over everything takes over.
const MOST_CORNERS: usize = 256;

struct Facet {
    corners: [usize; 3],
    /// Unit, outwards.
    normal: DVec3,
    /// From the origin.
    distance: f64,
}

struct Growing {
    corners: Vec<Corner>,
    facets: Vec<Facet>,
    horizon: Vec<[usize; 2]>,
}

/// The axis of least depth, from the simplex in which [`super::gjk::walk`] found the origin.
pub(in crate::narrow_phase::polytope) fn expand(view: &View, start: Option<&Simplex>) -> Option<Axis> {
    let start = start.filter(|s| s.corners().len() == 4)?;
    if view.a.edges().len() * view.b.edges().len() < WORTHWHILE {
        return None;
    }
    let mut growing = Growing::new(start)?;
    while growing.corners.len() < MOST_CORNERS {
        let nearest = growing.nearest()?;
        let Facet { corners, normal, distance } = &growing.facets[nearest];
        let (corners, normal, distance) = (*corners, *normal, *distance);
        let last = growing.corners[corners[0]];
        let a = view.a.support(view.frame.back(normal), last.a);
        let b = view.b.support(-normal, last.b);
        let next = Corner { at: view.vertex_a(a) - view.b.vertex(b), a, b };
        let reach = normal.dot(next.at);
        if reach - distance <= view.rounding {
            return proven(view, &growing, corners, distance);
        }
        growing.add(next)?;
    }
    None
}

/// The plane of the facet as one of faces or edges, if it is as deep as the facet is far.
fn proven(view: &View, growing: &Growing, corners: [usize; 3], distance: f64) -> Option<Axis> {
    corners
        .into_iter()
        .map(|k| view.best_at([growing.corners[k].a, growing.corners[k].b]))
        .find(|axis| axis.separation >= -distance - 4.0 * view.rounding)
}

impl Growing {
    fn new(start: &Simplex) -> Option<Self> {
        let corners = start.corners().to_vec();
        let mut growing = Self { corners, facets: Vec::with_capacity(64), horizon: Vec::with_capacity(16) };
        let at = |k: usize| growing.corners[k].at;
        let volume = (at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0));
        // Counterclockwise from outside: the fourth corner is below the first three.
        let faces = if volume < 0.0 {
            [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
        } else {
            [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        };
        for face in faces {
            growing.push(face)?;
        }
        Some(growing)
    }

    /// Adds a facet; `None` when it has no area or the origin is not inside of it.
    fn push(&mut self, corners: [usize; 3]) -> Option<()> {
        let [p, q, r] = corners.map(|k| self.corners[k].at);
        let cross = (q - p).cross(r - p);
        let length = cross.length();
        if length.is_nan() || length == 0.0 {
            return None;
        }
        let normal = cross / length;
        let distance = normal.dot(p);
        if distance < 0.0 {
            return None;
        }
        self.facets.push(Facet { corners, normal, distance });
        Some(())
    }

    fn nearest(&self) -> Option<usize> {
        (0..self.facets.len()).min_by(|&i, &j| self.facets[i].distance.total_cmp(&self.facets[j].distance))
    }

    /// Replaces the facets that a new corner is above by a fan about it.
    fn add(&mut self, corner: Corner) -> Option<()> {
        let horizon = &mut self.horizon;
        horizon.clear();
        self.facets.retain(|facet| {
            let below = facet.normal.dot(corner.at) <= facet.distance;
            if !below {
                for k in 0..3 {
                    let edge = [facet.corners[k], facet.corners[(k + 1) % 3]];
                    // An edge walked both ways is between two removed facets.
                    match horizon.iter().position(|[p, q]| [*q, *p] == edge) {
                        Some(other) => {
                            horizon.swap_remove(other);
                        }
                        None => horizon.push(edge),
                    }
                }
            }
            below
        });
        let new = self.corners.len();
        self.corners.push(corner);
        for k in 0..self.horizon.len() {
            let [p, q] = self.horizon[k];
            self.push([p, q, new])?;
        }
        Some(())
    }
}
