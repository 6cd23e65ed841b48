//! How deep two convex sets overlap, from their support functions alone.
//!
//! The Minkowski difference D = A − B contains the origin where the two overlap; the depth is the distance from the origin to
//! the boundary of D. GJK looks for a tetrahedron of points of D about the origin, EPA lets it grow. Both ends are certain:
//! a direction in which D reaches no further than a bound shows that the depth is no more, and a polytope of points of D whose
//! faces are all farther away shows that it is more. Where neither is reached the answer is that there is no overlap.

use super::vector::Vector;

/// Iterations of either loop; more only where the depth is next to the bound, and then it is no finding.
const MOST: usize = 256;

/// The depth of an overlap, if it is more than `bound`; `support` is that of D, `start` any direction.
pub(super) fn deeper_than(support: &dyn Fn(Vector) -> Vector, start: Vector, bound: f64) -> Option<f64> {
    expand(support, surround(support, start, bound)?, bound)
}

/// A tetrahedron of points of D about the origin, if D reaches beyond the bound wherever it is looked at (GJK).
fn surround(support: &dyn Fn(Vector) -> Vector, start: Vector, bound: f64) -> Option<[Vector; 4]> {
    let mut simplex: Vec<Vector> = Vec::with_capacity(4);
    let mut along = start;
    for _ in 0..MOST {
        let direction = along.unit();
        let point = support(direction);
        if point.dot(direction) <= bound {
            return None;
        }
        simplex.push(point);
        along = match simplex[..] {
            [a] => -a,
            [b, a] => nearest_to_line(&mut simplex, a, b),
            [c, b, a] => nearest_to_triangle(&mut simplex, a, b, c),
            [d, c, b, a] => match outside(a, b, c, d) {
                None => return Some([a, b, c, d]),
                Some(face) => {
                    simplex = vec![face[2], face[1], face[0]];
                    nearest_to_triangle(&mut simplex, face[0], face[1], face[2])
                }
            },
            _ => return None,
        };
        if along.length() == 0.0 {
            // The origin is on the simplex: any direction across it goes on.
            along = match simplex[..] {
                [b, a] => (a - b).across(),
                [c, b, a] => (b - a).cross(c - a),
                _ => start.across(),
            };
        }
    }
    None
}

/// The newest point is a. The direction from the simplex to the origin; points that do not help are dropped.
fn nearest_to_line(simplex: &mut Vec<Vector>, a: Vector, b: Vector) -> Vector {
    let (ab, ao) = (b - a, -a);
    if ab.dot(ao) > 0.0 {
        *simplex = vec![b, a];
        ab.cross(ao).cross(ab)
    } else {
        *simplex = vec![a];
        ao
    }
}

fn nearest_to_triangle(simplex: &mut Vec<Vector>, a: Vector, b: Vector, c: Vector) -> Vector {
    let (ab, ac, ao) = (b - a, c - a, -a);
    let normal = ab.cross(ac);
    if normal.cross(ac).dot(ao) > 0.0 {
        if ac.dot(ao) > 0.0 {
            *simplex = vec![c, a];
            return ac.cross(ao).cross(ac);
        }
        return nearest_to_line(simplex, a, b);
    }
    if ab.cross(normal).dot(ao) > 0.0 {
        return nearest_to_line(simplex, a, b);
    }
    if normal.dot(ao) >= 0.0 {
        *simplex = vec![c, b, a];
        normal
    } else {
        *simplex = vec![b, c, a];
        -normal
    }
}

/// A face at a of the tetrahedron that has the origin in front, turned outwards; none if the origin is inside.
fn outside(a: Vector, b: Vector, c: Vector, d: Vector) -> Option<[Vector; 3]> {
    [[a, b, c, d], [a, c, d, b], [a, d, b, c]].into_iter().find_map(|[a, p, q, opposite]| {
        let normal = (p - a).cross(q - a);
        let (normal, face) =
            if normal.dot(opposite - a) > 0.0 { (-normal, [a, q, p]) } else { (normal, [a, p, q]) };
        (normal.dot(-a) > 0.0).then_some(face)
    })
}

/// A face of the polytope: corners counterclockwise from outside, unit normal, distance from the origin.
type Face = ([Vector; 3], Vector, f64);

/// Lets the polytope grow towards the boundary of D where it is nearest to the origin (EPA).
fn expand(support: &dyn Fn(Vector) -> Vector, start: [Vector; 4], bound: f64) -> Option<f64> {
    let [a, b, c, d] = start;
    let middle = (a + b + c + d) * 0.25;
    let face = |p: Vector, q: Vector, r: Vector| -> Option<Face> {
        let normal = (q - p).cross(r - p);
        if normal.length() == 0.0 {
            return None;
        }
        let normal = normal.unit();
        let inwards = normal.dot(p - middle) < 0.0;
        let (corners, normal) = if inwards { ([p, r, q], -normal) } else { ([p, q, r], normal) };
        Some((corners, normal, normal.dot(p)))
    };
    let mut faces = vec![face(a, b, c)?, face(a, c, d)?, face(a, d, b)?, face(b, d, c)?];
    let mut depth = None;
    for _ in 0..MOST {
        let (_, normal, distance) = *faces.iter().min_by(|a, b| a.2.total_cmp(&b.2))?;
        if distance > bound {
            depth = Some(distance);
        }
        let point = support(normal);
        let reach = point.dot(normal);
        if reach <= bound {
            return None;
        }
        if reach - distance <= 1e-3 * distance.max(bound) {
            break;
        }
        let (seen, kept): (Vec<Face>, Vec<Face>) =
            faces.into_iter().partition(|(corners, normal, _)| normal.dot(point - corners[0]) > 0.0);
        faces = kept;
        let edges: Vec<(Vector, Vector)> =
            seen.iter().flat_map(|([p, q, r], ..)| [(*p, *q), (*q, *r), (*r, *p)]).collect();
        let rim = edges.iter().filter(|(p, q)| !edges.contains(&(*q, *p)));
        faces.extend(rim.filter_map(|(p, q)| face(*p, *q, point)));
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::super::solid::{Convex, Part};
    use super::super::vector::{Matrix, Pose, vector};
    use super::*;

    fn depth(a: &Convex, at: Pose, b: &Convex, bound: f64) -> Option<f64> {
        let [a, b] = [a, b].map(|convex| Part { pose: Pose::IDENTITY, convex: convex.clone() });
        let difference = |n: Vector| a.support(&at, n) - b.support(&Pose::IDENTITY, -n);
        deeper_than(&difference, vector(0.3, -0.5, 0.8), bound)
    }

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose { position: vector(x, y, z), rotation: Matrix::from_axis(vector(1.0, 2.0, -1.0), 0.7) }
    }

    /// Two balls overlap by what their distance lacks, whatever the sizes.
    #[test]
    fn balls_overlap_by_the_sum_of_their_radii_less_the_distance() {
        for scale in [1e-4, 1.0, 1e4] {
            for gap in [-0.3, -0.01, -1e-4, 1e-4, 0.1] {
                let (a, b) = (Convex::Ball(scale), Convex::Ball(0.5 * scale));
                let found = depth(&a, at(0.0, (1.5 + gap) * scale, 0.0), &b, 1e-5 * scale);
                match found {
                    Some(deep) => {
                        assert!(gap < 0.0 && (deep / scale + gap).abs() < 0.01 * -gap, "{gap}: {deep}");
                    }
                    None => assert!(gap > -1e-5, "{gap} at {scale}"),
                }
            }
        }
    }

    /// A disc that lies in a box by a little, and one that lies on it.
    #[test]
    fn a_flat_disc_in_a_box_is_found() {
        let corners = [1.0, -1.0].iter().flat_map(|x| [1.0, -1.0].map(|y| vector(*x, y, 0.0)));
        let slab: Vec<Vector> = corners.flat_map(|p| [p, p - vector(0.0, 0.0, 1.0)]).collect();
        let (disc, slab) = (Convex::Cylinder(0.3, 0.0), Convex::Points(slab));
        let flat = |z: f64| Pose { position: vector(0.2, 0.1, z), rotation: Matrix::IDENTITY };
        let found = depth(&disc, flat(-0.01), &slab, 1e-4).expect("an overlap");
        assert!((found - 0.01).abs() < 1e-4, "{found}");
        assert_eq!(depth(&disc, flat(0.0), &slab, 1e-4), None);
        assert_eq!(depth(&disc, flat(1e-3), &slab, 1e-4), None);
    }
}
