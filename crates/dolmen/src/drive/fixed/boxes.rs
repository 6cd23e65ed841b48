//! Two boxes: the axis that separates them best of fifteen, and the points where their faces or edges meet.
//!
//! Separating axes [Gottschalk, Lin, Manocha 1996]; the face of the other box is clipped by the sides of the reference face
//! [Sutherland, Hodgman 1974].

use super::manifold::{Found, reduce};
use super::number::{Real, V3, v3};
use super::tolerances::FACES_FIRST;

/// A box in its place: its centre from any common origin, its axes and half sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<R> {
    pub(super) centre: V3<R>,
    pub(super) axes: [V3<R>; 3],
    pub(super) half: V3<R>,
}

/// How two boxes lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lie<R> {
    /// From b to a.
    pub(super) normal: V3<R>,
    /// Along the best axis; their distance is no less.
    pub(super) separation: R,
}

fn abs<R: Real>(x: R) -> R {
    if x < R::of(0.0) { -x } else { x }
}

/// Fills `found` with the points of two boxes that are no further apart than `reach`, from the centres of the boxes; at most four.
pub(super) fn meet<R: Real>(a: &Placed<R>, b: &Placed<R>, reach: R, found: &mut Vec<Found<R>>) -> Lie<R> {
    found.clear();
    let zero = R::of(0.0);
    let d = b.centre - a.centre;
    let half = [[a.half.x, a.half.y, a.half.z], [b.half.x, b.half.y, b.half.z]];
    let mut c = [[zero; 3]; 3];
    let mut m = [[zero; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            c[i][j] = a.axes[i].dot(b.axes[j]);
            m[i][j] = abs(c[i][j]);
        }
    }
    let along_a = [d.dot(a.axes[0]), d.dot(a.axes[1]), d.dot(a.axes[2])];
    let along_b = [d.dot(b.axes[0]), d.dot(b.axes[1]), d.dot(b.axes[2])];
    // Faces of a, then of b.
    let (mut face, mut best) = (0, R::of(-1e30));
    for i in 0..3 {
        let s =
            abs(along_a[i]) - half[0][i] - half[1][0] * m[i][0] - half[1][1] * m[i][1] - half[1][2] * m[i][2];
        if s > best {
            (face, best) = (i, s);
        }
    }
    if best > reach {
        return Lie { normal: a.axes[face], separation: best };
    }
    let small = half[0][0].smaller(half[0][1]).smaller(half[0][2]);
    let small = small.smaller(half[1][0]).smaller(half[1][1]).smaller(half[1][2]);
    let hair = small * R::of(1e-4);
    for j in 0..3 {
        let s =
            abs(along_b[j]) - half[1][j] - half[0][0] * m[0][j] - half[0][1] * m[1][j] - half[0][2] * m[2][j];
        // Equal but for rounding stays with a.
        if s > best + hair {
            (face, best) = (3 + j, s);
        }
    }
    if best > reach {
        return Lie { normal: b.axes[face % 3], separation: best };
    }
    let (mut edge, mut edge_best) = ((0, 0), R::of(-1e30));
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let squared = R::of(1.0) - c[i][j] * c[i][j];
            if squared < R::of(1e-4) {
                continue;
            }
            let s = abs(along_a[i2] * c[i1][j] - along_a[i1] * c[i2][j])
                - (half[0][i1] * m[i2][j] + half[0][i2] * m[i1][j])
                - (half[1][j1] * m[i][j2] + half[1][j2] * m[i][j1]);
            let s = s / squared.root();
            if s > edge_best {
                (edge, edge_best) = ((i, j), s);
            }
        }
    }
    if edge_best > reach && edge_best > best {
        return Lie { normal: a.axes[0], separation: edge_best };
    }
    if edge_best > best + small * R::of(FACES_FIRST) {
        let lie = edges(a, b, edge, edge_best, found);
        return lie;
    }
    let normal = if face < 3 {
        let out = if along_a[face] < zero { -a.axes[face] } else { a.axes[face] };
        clip(a, b, (face, out), reach, found, false);
        -out
    } else {
        let face = face - 3;
        let out = if along_b[face] > zero { -b.axes[face] } else { b.axes[face] };
        clip(b, a, (face, out), reach, found, true);
        out
    };
    reduce(found, normal);
    Lie { normal, separation: best }
}

/// The nearest points of the two edges along axis i of a and j of b that face each other.
fn edges<R: Real>(
    a: &Placed<R>,
    b: &Placed<R>,
    (i, j): (usize, usize),
    separation: R,
    found: &mut Vec<Found<R>>,
) -> Lie<R> {
    let zero = R::of(0.0);
    let d = b.centre - a.centre;
    let n = a.axes[i].cross(b.axes[j]);
    let n = n * (R::of(1.0) / n.length());
    // From b to a.
    let n = if n.dot(d) > zero { -n } else { n };
    let corner = |x: &Placed<R>, skip: usize, towards: V3<R>| {
        let mut p = V3::zero();
        for k in (0..3).filter(|k| *k != skip) {
            let f = x.half.axis(k);
            p += x.axes[k] * if x.axes[k].dot(towards) > zero { f } else { -f };
        }
        p
    };
    let (p, q) = (corner(a, i, -n), d + corner(b, j, n));
    let (u, w) = (a.axes[i], b.axes[j]);
    let (r, uw) = (q - p, u.dot(w));
    let det = R::of(1.0) - uw * uw;
    let s = (r.dot(u) - r.dot(w) * uw) / det;
    let t = (r.dot(u) * uw - r.dot(w)) / det;
    let clamp = |x: R, most: R| x.smaller(most).larger(-most);
    let (s, t) = (clamp(s, a.half.axis(i)), clamp(t, b.half.axis(j)));
    let (on_a, on_b) = (p + u * s, q + w * t - d);
    found.push(Found { on_a, on_b, separation });
    Lie { normal: n, separation }
}

/// The face of `other` that faces the face of `reference` with the normal `out`, cut off at its sides.
fn clip<R: Real>(
    reference: &Placed<R>,
    other: &Placed<R>,
    (face, out): (usize, V3<R>),
    reach: R,
    found: &mut Vec<Found<R>>,
    is_exchanged: bool,
) {
    let zero = R::of(0.0);
    let (mut far, mut most) = (0, R::of(-1.0));
    for j in 0..3 {
        let along = abs(other.axes[j].dot(out));
        if along > most {
            (far, most) = (j, along);
        }
    }
    let f = other.half.axis(far);
    let centre = other.centre - reference.centre
        + other.axes[far] * if other.axes[far].dot(out) > zero { -f } else { f };
    let (j1, j2) = ((far + 1) % 3, (far + 2) % 3);
    let (e1, e2) = (other.axes[j1] * other.half.axis(j1), other.axes[j2] * other.half.axis(j2));
    let (k1, k2) = ((face + 1) % 3, (face + 2) % 3);
    let (u, w) = (reference.axes[k1], reference.axes[k2]);
    let (hu, hw, ho) = (reference.half.axis(k1), reference.half.axis(k2), reference.half.axis(face));
    // In coordinates (along u, along w, above the face).
    let seen = |p: V3<R>| v3(p.dot(u), p.dot(w), p.dot(out) - ho);
    let mut polygon = [V3::zero(); 12];
    let mut count = 4;
    polygon[0] = seen(centre + e1 + e2);
    polygon[1] = seen(centre - e1 + e2);
    polygon[2] = seen(centre - e1 - e2);
    polygon[3] = seen(centre + e1 - e2);
    let mut next = [V3::zero(); 12];
    for side in 0..4 {
        let inside = |p: V3<R>| match side {
            0 => hu - p.x,
            1 => hu + p.x,
            2 => hw - p.y,
            _ => hw + p.y,
        };
        let mut kept = 0;
        for k in 0..count {
            let (p, q) = (polygon[k], polygon[(k + 1) % count]);
            let (x, y) = (inside(p), inside(q));
            if x >= zero && kept < 12 {
                next[kept] = p;
                kept += 1;
            }
            if ((x < zero && y > zero) || (x > zero && y < zero)) && kept < 12 {
                next[kept] = p + (q - p) * (x / (x - y));
                kept += 1;
            }
        }
        (polygon, count) = (next, kept);
        if count == 0 {
            return;
        }
    }
    for p in &polygon[..count] {
        if p.z < reach {
            let foot = u * p.x + w * p.y + out * ho;
            let on_reference = foot;
            let on_other = foot + out * p.z - (other.centre - reference.centre);
            let (on_a, on_b) = if is_exchanged { (on_other, on_reference) } else { (on_reference, on_other) };
            found.push(Found { on_a, on_b, separation: p.z });
        }
    }
}
