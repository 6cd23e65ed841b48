//! The least depth of two overlapping shapes, by growing a polytope inside the difference of their cores.
//!
//! The expanding polytope algorithm [van den Bergen 2001] on support points: of all facets the one nearest to the origin is
//! pushed out to the body's point furthest along its normal. The body holds the polytope, so that its least depth is at least
//! the distance of the nearest facet; any direction bounds it from above, and pieces of the surfaces give such directions to
//! rounding. It ends when both bounds meet, or when there are as many corners as it has room for.

use super::polish::{Duo, Guess, Touch, keep_better};
use super::tolerance::{DEPTH, FACET, IN_LINE, MOST_CORNERS, MOST_TRIES, NEAR, WIDE};
use crate::math::{DVec3, dvec3};

const MOST_FACETS: usize = 2 * MOST_CORNERS;

#[derive(Clone, Copy)]
struct Facet {
    corners: [u16; 3],
    /// Unit, outwards.
    normal: DVec3,
    /// From the origin, m; negative when the origin is beyond.
    distance: f64,
}

/// Of fixed size, so that nothing is allocated.
struct Growing {
    corners: [DVec3; MOST_CORNERS],
    /// The vertices they come from, where the shapes have any.
    vertices: [[u32; 2]; MOST_CORNERS],
    corner_count: usize,
    facets: [Facet; MOST_FACETS],
    facet_count: usize,
}

/// A corner of the difference body and the vertices that it comes from.
#[derive(Clone, Copy)]
struct Corner {
    at: DVec3,
    vertices: [u32; 2],
}

/// A start for growing.
enum Start {
    Solid([Corner; 4]),
    /// All of the difference is in a plane of this normal.
    Flat(DVec3),
}

/// The direction of least depth, given the best touch known so far, if any.
pub(super) fn deepest(duo: &Duo, best: Option<&Touch>) -> Touch {
    let mut best = best.copied();
    match start(duo) {
        Start::Flat(normal) => {
            for n in [normal, -normal] {
                let x = duo.a.support(-n);
                if let Some(touch) = duo.polish(&Guess { normal: n, near: x, seen: [&[]; 2] }, WIDE) {
                    keep_better(duo, &mut best, &touch);
                }
                raw(duo, n, &mut best);
            }
        }
        Start::Solid(corners) => {
            look_around(duo, &mut best);
            let mut growing = Growing::new(corners);
            growing.grow(duo, &mut best);
        }
    }
    if best.is_none() {
        raw(duo, DVec3::Z, &mut best);
    }
    best.expect("a direction as it is always makes a touch: every shape has a piece in every direction")
}

/// The best of the directions to the faces, edges and corners of a cube, with the pieces there: symmetric shapes in symmetric
/// places are deep in a way that a growing polytope with its rounded facets may miss.
fn look_around(duo: &Duo, best: &mut Option<Touch>) {
    let mut most: Option<(f64, DVec3)> = None;
    for k in (0..27_i32).filter(|k| *k != 13) {
        let n = dvec3(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1)).normalize();
        let gap = duo.gap(n);
        if most.is_none_or(|(most, _)| gap > most) {
            most = Some((gap, n));
        }
    }
    if let Some((_, normal)) = most {
        let guess = Guess { normal, near: duo.a.support(-normal), seen: [&[]; 2] };
        if let Some(touch) = duo.polish(&guess, WIDE) {
            keep_better(duo, best, &touch);
        }
    }
}

/// Takes a direction as it is, when it is better than the best.
fn raw(duo: &Duo, n: DVec3, best: &mut Option<Touch>) {
    if best.as_ref().is_none_or(|best| duo.gap(n) > best.separation + duo.rounding) {
        let points = [duo.a.support(-n), duo.b.support(n)];
        if let Some(touch) = duo.as_it_is(n, points, NEAR) {
            *best = Some(touch);
        }
    }
}

/// The point of a − b furthest along d.
fn support(duo: &Duo, d: DVec3) -> Corner {
    let at = duo.a.support(d) - duo.b.support(-d);
    Corner { at, vertices: [duo.a.last_vertex(), duo.b.last_vertex()] }
}

/// Four points of the difference that are not in a plane, each as far as possible from the ones before.
fn start(duo: &Duo) -> Start {
    let spread = |d: DVec3| d.dot(support(duo, d).at - support(duo, -d).at);
    let widest = DVec3::AXES.into_iter().fold(DVec3::X, |w, d| if spread(d) > spread(w) { d } else { w });
    let (p, q) = (support(duo, widest), support(duo, -widest));
    let Some(along) = (q.at - p.at).try_normalize().filter(|_| p.at.distance(q.at) > duo.rounding) else {
        return Start::Flat(DVec3::Z);
    };
    let furthest = |directions: &[DVec3], height: &dyn Fn(DVec3) -> f64| {
        let mut best = support(duo, directions[0]);
        for d in &directions[1..] {
            let other = support(duo, *d);
            if height(other.at) > height(best.at) {
                best = other;
            }
        }
        best
    };
    let (u, v) = along.any_orthonormal_pair();
    let r = furthest(&[u, -u, v, -v], &|x| (x - p.at).cross(along).length());
    let cross = along.cross(r.at - p.at);
    let Some(normal) = cross.try_normalize().filter(|_| cross.length() > duo.rounding) else {
        return Start::Flat(u);
    };
    let s = furthest(&[normal, -normal], &|x| normal.dot(x - p.at).abs());
    if normal.dot(s.at - p.at).abs() <= duo.rounding {
        return Start::Flat(normal);
    }
    Start::Solid([p, q, r, s])
}

impl Growing {
    fn new(corners: [Corner; 4]) -> Self {
        let facet = Facet { corners: [0; 3], normal: DVec3::Z, distance: 0.0 };
        let mut growing = Self {
            corners: [corners[0].at; MOST_CORNERS],
            vertices: [[0; 2]; MOST_CORNERS],
            corner_count: 4,
            facets: [facet; MOST_FACETS],
            facet_count: 0,
        };
        for (k, corner) in corners.iter().enumerate() {
            (growing.corners[k], growing.vertices[k]) = (corner.at, corner.vertices);
        }
        let [p, q, r, s] = corners.map(|corner| corner.at);
        // Counterclockwise from outside: the fourth corner is below the first three.
        let faces = if (q - p).cross(r - p).dot(s - p) < 0.0 {
            [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
        } else {
            [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        };
        for face in faces {
            growing.push(face);
        }
        growing
    }

    fn grow(&mut self, duo: &Duo, best: &mut Option<Touch>) {
        let mut tries = 0;
        while let Some(nearest) = self.nearest() {
            let Facet { normal, distance, corners } = self.facets[nearest];
            let corner = support(duo, normal);
            let open = normal.dot(corner.at) - distance;
            let depth = best.as_ref().map_or(f64::INFINITY, |best| -best.separation - duo.balls);
            if depth - distance <= (DEPTH * duo.size).max(duo.rounding) {
                break;
            }
            if tries < MOST_TRIES && open <= FACET * duo.size {
                tries += 1;
                let angle = if tries % 4 == 0 { WIDE } else { NEAR };
                self.try_facet(duo, nearest, angle, best);
            }
            raw(duo, -normal, best);
            let known = corners.iter().any(|k| self.corners[usize::from(*k)] == corner.at);
            if known || open <= duo.rounding || !self.add(corner, nearest) {
                self.try_facet(duo, nearest, NEAR, best);
                break;
            }
        }
        // A direction taken as it is has no pieces that agree yet.
        if best.as_ref().is_some_and(|best| !duo.agrees(best))
            && let Some(nearest) = self.nearest()
        {
            self.try_facet(duo, nearest, NEAR, best);
            self.try_facet(duo, nearest, WIDE, best);
        }
    }

    /// Tries the pieces about a facet.
    fn try_facet(&self, duo: &Duo, facet: usize, angle: f64, best: &mut Option<Touch>) {
        let Facet { normal, corners, .. } = self.facets[facet];
        let [p, q, r] = corners.map(|k| self.vertices[usize::from(k)]);
        let seen: [&[u32]; 2] = [&[p[0], q[0], r[0]], &[p[1], q[1], r[1]]];
        let guess = Guess { normal: -normal, near: duo.a.support(normal), seen };
        if let Some(touch) = duo.polish(&guess, angle) {
            keep_better(duo, best, &touch);
        }
    }

    fn nearest(&self) -> Option<usize> {
        let facets = &self.facets[..self.facet_count];
        (0..facets.len()).min_by(|&i, &j| facets[i].distance.total_cmp(&facets[j].distance))
    }

    /// Adds a facet; one without an area is left out, and its place is not proven.
    fn push(&mut self, corners: [u16; 3]) {
        let [p, q, r] = corners.map(|k| self.corners[usize::from(k)]);
        if let Some(normal) = (q - p).cross(r - p).try_normalize()
            && self.facet_count < MOST_FACETS
        {
            self.facets[self.facet_count] = Facet { corners, normal, distance: normal.dot(p) };
            self.facet_count += 1;
        }
    }

    /// Replaces the facets that a new corner is above by a fan about it; false when there is no room for it.
    ///
    /// What is above is what can be walked to from the facet that was pushed out: by rounding a coplanar facet elsewhere may
    /// seem to be. An edge in line with the corner has no facet with it, so that the walk goes on across it.
    fn add(&mut self, corner: Corner, pushed: usize) -> bool {
        if self.corner_count == MOST_CORNERS {
            return false;
        }
        let mut removed = [false; MOST_FACETS];
        let mut stack = [0_u16; MOST_FACETS];
        (removed[pushed], stack[0]) = (true, pushed as u16);
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            for edge in edges_of(&self.facets[usize::from(stack[waiting])]) {
                if let Some(beside) = self.beside(edge)
                    && !removed[beside]
                    && self.is_above(corner.at, beside, edge)
                {
                    removed[beside] = true;
                    stack[waiting] = beside as u16;
                    waiting += 1;
                }
            }
        }
        let mut horizon = [[0_u16; 2]; MOST_FACETS];
        let mut edges = 0;
        for facet in (0..self.facet_count).filter(|k| removed[*k]) {
            for edge in edges_of(&self.facets[facet]) {
                if !self.beside(edge).is_some_and(|k| removed[k]) && edges < MOST_FACETS {
                    horizon[edges] = edge;
                    edges += 1;
                }
            }
        }
        let mut kept = 0;
        for k in 0..self.facet_count {
            if !removed[k] {
                self.facets[kept] = self.facets[k];
                kept += 1;
            }
        }
        self.facet_count = kept;
        let new = self.corner_count as u16;
        (self.corners[self.corner_count], self.vertices[self.corner_count]) = (corner.at, corner.vertices);
        self.corner_count += 1;
        for [p, q] in &horizon[..edges] {
            self.push([*p, *q, new]);
        }
        edges > 0
    }

    /// The facet on the other side of an edge.
    fn beside(&self, [p, q]: [u16; 2]) -> Option<usize> {
        let facets = &self.facets[..self.facet_count];
        facets.iter().position(|facet| edges_of(facet).contains(&[q, p]))
    }

    /// Whether a corner is above a facet, or in line with that edge of it.
    fn is_above(&self, corner: DVec3, facet: usize, edge: [u16; 2]) -> bool {
        let Facet { normal, distance, .. } = self.facets[facet];
        if normal.dot(corner) > distance {
            return true;
        }
        let [p, q] = edge.map(|k| self.corners[usize::from(k)]);
        (q - p).cross(corner - p).length() <= IN_LINE * q.distance(p) * corner.distance(p)
    }
}

fn edges_of(facet: &Facet) -> [[u16; 2]; 3] {
    let [p, q, r] = facet.corners;
    [[p, q], [q, r], [r, p]]
}
