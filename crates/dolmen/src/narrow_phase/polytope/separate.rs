//! The signed separation of two polytopes along the plane of their witness.

use super::search::Axis;
use super::search::expand;
use super::search::{Outcome, walk};
use super::{HalfSpace, Pair, Polytope, View, rim_distances};
use crate::math::{DVec3, Pose};
use crate::narrow_phase::answer::exchanged;
use crate::narrow_phase::relative::Relative;
use crate::narrow_phase::tolerances::contact_length;
use crate::narrow_phase::{Feature, Placed, Separation, Statistics, Witness};

/// The separation of two shapes, from the cached witness if that still holds.
pub(crate) fn separate(
    pair: &Pair,
    (a, b): (&Placed, &Placed),
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Separation {
    match *pair {
        Pair::Polytopes(p, q) => {
            let view = View::new(p, q, Relative::new(&a.pose, &b.pose));
            let axis = find(&view, touching(a, b), witness, statistics);
            separation_of(&view, &axis, &a.pose, &b.pose)
        }
        Pair::Plate(p, q, plate_is_a) => {
            let view = View::new(p, q, Relative::new(&a.pose, &b.pose));
            match find_in_front(&view, plate_is_a, touching(a, b), witness, statistics) {
                Some(axis) => separation_of(&view, &axis, &a.pose, &b.pose),
                None => behind(&view, plate_is_a, &a.pose, &b.pose),
            }
        }
        Pair::OnPlane(p, plane) => on_plane((p, &a.pose), (plane, &b.pose), witness, statistics),
        Pair::UnderPolytope(plane, p) => {
            let mut other = witness.exchanged();
            let found = on_plane((p, &b.pose), (plane, &a.pose), &mut other, statistics);
            *witness = other.exchanged();
            let (normal, points) = exchanged(found.normal, found.points);
            Separation { normal, points, witness: *witness, ..found }
        }
    }
}

/// The contact tolerance of a pair.
fn touching(a: &Placed, b: &Placed) -> f64 {
    contact_length(a.geometry.size().min(b.geometry.size()), a.pose.position, b.pose.position)
}

/// The plane between two polytopes, in the order: witness, neighbours, closest features, everything.
pub(super) fn find(view: &View, touching: f64, witness: &mut Witness, statistics: &mut Statistics) -> Axis {
    statistics.queries += 1;
    let cached = view.of_witness(*witness);
    if let Some(axis) = cached
        && (axis.separation >= -view.rounding || (axis.separation >= -touching && view.touch_at(&axis)))
    {
        statistics.hits += 1;
        *witness = axis.witness();
        return axis;
    }
    let axis = find_anew(view, touching, cached, statistics);
    *witness = axis.witness();
    axis
}

fn find_anew(view: &View, touching: f64, cached: Option<Axis>, statistics: &mut Statistics) -> Axis {
    let mut local = cached;
    if let Some(axis) = cached {
        let around = view.best_at(axis.nearest);
        if around.separation >= -view.rounding {
            statistics.neighbours += 1;
            return around;
        }
        if around.separation > axis.separation + view.rounding {
            local = Some(around);
        }
    }
    let outcome = walk(view, &[local.map_or([0, 0], |axis| axis.nearest)]);
    let (Outcome::Apart(simplex) | Outcome::Meeting(simplex)) = &outcome;
    let meeting = matches!(outcome, Outcome::Meeting(_)).then_some(simplex);
    // The features at the nearest vertices: where the shapes are apart one of them separates them, and where they do no more than
    // touch the same ones are nearest.
    let least = if meeting.is_some() { -touching } else { -view.rounding };
    if meeting.is_none_or(|simplex| simplex.corners().len() < 4)
        && let Some(axis) = simplex.corners().iter().map(|c| view.best_at([c.a, c.b])).reduce(better)
        && axis.separation >= least
    {
        statistics.walks += 1;
        return axis;
    }
    // They meet. Within the tolerance of touching, the plane known is as good as any.
    if let Some(axis) = local
        && axis.separation >= -touching
    {
        statistics.neighbours += 1;
        return axis;
    }
    statistics.searches += 1;
    expand(view, meeting).unwrap_or_else(|| view.best())
}

impl View<'_> {
    /// Whether the features of an axis with a separation within the contact tolerance prove that the shapes touch: the
    /// vertex is over the face, or the edges cross.
    fn touch_at(&self, axis: &Axis) -> bool {
        let over = |view: &View, vertex: u32, face: u32| {
            let x = view.vertex_a(vertex);
            rim_distances(view.b, face).all(|(corner, inward)| inward.dot(x - corner) >= 0.0)
        };
        match (axis.a, axis.b) {
            (Feature::Vertex(v), Feature::Face(f)) => over(self, v, f),
            (Feature::Face(f), Feature::Vertex(v)) => over(&self.exchanged(), v, f),
            (Feature::Edge(a), Feature::Edge(b)) => {
                let [on_a, on_b] = nearest_on_edges(self, a, b);
                on_a.distance(on_b) <= axis.separation.abs() + self.rounding
            }
            _ => false,
        }
    }
}

fn better(best: Axis, other: Axis) -> Axis {
    if other.separation > best.separation { other } else { best }
}

/// As [`find`], for a plate that lets pass what comes from behind; `None` while something does.
pub(super) fn find_in_front(
    view: &View,
    plate_is_a: bool,
    touching: f64,
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Option<Axis> {
    let front = || if plate_is_a { view.face_of_a(0, 0) } else { view.face_of_b(0, 0) };
    let centre = if plate_is_a {
        let (normal, offset) = view.a.plane(0);
        normal.dot(view.frame.inverse().point(view.b.centre())) - offset
    } else {
        let (normal, offset) = view.b.plane(0);
        normal.dot(view.frame.point(view.a.centre())) - offset
    };
    let came_from_behind = match witness {
        Witness::Behind => true,
        Witness::Unknown => centre < 0.0,
        Witness::Plane { .. } => false,
    };
    if came_from_behind {
        if front().separation < -view.rounding {
            statistics.queries += 1;
            statistics.hits += 1;
            *witness = Witness::Behind;
            return None;
        }
        *witness = Witness::Unknown;
    }
    let axis = find(view, touching, witness, statistics);
    if axis.separation >= 0.0 {
        let back = if plate_is_a { view.face_of_a(1, 0) } else { view.face_of_b(1, 0) };
        // It went around the rim, and is behind now.
        if back.separation > touching {
            *witness = Witness::Behind;
            return None;
        }
        return Some(axis);
    }
    // The shortest way out may be through the back; the way that counts is the other one.
    let to_front = front();
    let axis = if axis.normal.dot(to_front.normal) < 0.0 { to_front } else { axis };
    *witness = axis.witness();
    Some(axis)
}

/// What is behind a plate is infinitely far from touching it.
fn behind(view: &View, plate_is_a: bool, pose_a: &Pose, pose_b: &Pose) -> Separation {
    let axis = if plate_is_a { view.face_of_a(0, 0) } else { view.face_of_b(0, 0) };
    let found = separation_of(view, &axis, pose_a, pose_b);
    Separation { distance: f64::INFINITY, witness: Witness::Behind, ..found }
}

fn separation_of(view: &View, axis: &Axis, pose_a: &Pose, pose_b: &Pose) -> Separation {
    let normal = pose_b.direction(axis.normal);
    let points = match (axis.a, axis.b) {
        (Feature::Vertex(v), _) => {
            let on_a = pose_a.point(view.a.vertex(v));
            [on_a, on_a - normal * axis.separation]
        }
        (_, Feature::Vertex(v)) => {
            let on_b = pose_b.point(view.b.vertex(v));
            [on_b + normal * axis.separation, on_b]
        }
        (Feature::Edge(e), Feature::Edge(f)) => {
            let [on_a, on_b] = nearest_on_edges(view, e, f);
            [pose_b.point(on_a), pose_b.point(on_b)]
        }
        _ => unreachable!("a plane is that of a face and a vertex, or of two edges"),
    };
    Separation { distance: axis.separation, normal, witness: axis.witness(), points }
}

/// The nearest points of the lines of two edges that are not parallel, kept within the edges; frame of b.
pub(super) fn nearest_on_edges(view: &View, edge_a: u32, edge_b: u32) -> [DVec3; 2] {
    let (u, v) = (view.frame.turn * view.a.edge_direction(edge_a), view.b.edge_direction(edge_b));
    let (p, q) = (view.vertex_a(view.a.edge(edge_a).ends[0]), view.b.vertex(view.b.edge(edge_b).ends[0]));
    let (between, cross) = (q - p, u.cross(v));
    let sine2 = cross.length_squared();
    if sine2 == 0.0 {
        return [p, q];
    }
    // p + s u and q + t v with (q − p) + t v − s u along u × v.
    let along = |d: DVec3, length: f64| (between.cross(d).dot(cross) / sine2).clamp(0.0, length);
    [p + u * along(v, view.a.side(edge_a).length), q + v * along(u, view.b.side(edge_b).length)]
}

fn on_plane(
    (a, pose_a): (&Polytope, &Pose),
    (plane, pose): (&HalfSpace, &Pose),
    witness: &mut Witness,
    statistics: &mut Statistics,
) -> Separation {
    statistics.queries += 1;
    let (low, hit) = plane.height(a, &Relative::new(pose_a, pose), *witness);
    if hit && *witness != Witness::Unknown {
        statistics.hits += 1;
    } else {
        statistics.neighbours += 1;
    }
    *witness = Witness::Plane { a: Feature::Vertex(low.vertex), b: Feature::Face(low.face) };
    let normal = pose.direction(low.normal);
    let on_a = pose_a.point(a.vertex(low.vertex));
    Separation { distance: low.lowest, normal, witness: *witness, points: [on_a, on_a - normal * low.lowest] }
}
