//! Random shapes and poses, and slow referees that share no code with what they judge.

use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{Geometry, Placed, Polytope};
use dolmen::shape::{Hull, Shape};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A generator of uniform numbers.
pub(crate) struct Random(Pcg64Mcg);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// In the cube [−1, 1)³.
    pub(crate) fn vector(&mut self) -> DVec3 {
        dvec3(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if (0.01..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    pub(crate) fn turn(&mut self) -> DQuat {
        let mut part = || self.between(-1.0, 1.0);
        loop {
            let q = DQuat::from_xyzw(part(), part(), part(), part());
            if (0.1..1.0).contains(&q.length()) {
                return q.normalize();
            }
        }
    }

    /// A box or hull of a size about 1.
    pub(crate) fn geometry(&mut self) -> Geometry {
        if self.unit() < 0.4 {
            let half = dvec3(self.between(0.1, 1.0), self.between(0.1, 1.0), self.between(0.1, 1.0));
            return Geometry::new(&Shape::Cuboid { half });
        }
        let count = 4 + (self.unit() * 20.0) as usize;
        hull(self, count)
    }
}

/// The hull of points on an ellipsoid.
pub(crate) fn hull(random: &mut Random, count: usize) -> Geometry {
    let half = dvec3(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0));
    let points: Vec<DVec3> = (0..count).map(|_| half * random.direction()).collect();
    Geometry::new(&Hull::new(&points).unwrap().into())
}

pub(crate) fn cuboid(x: f64, y: f64, z: f64) -> Geometry {
    Geometry::new(&Shape::cuboid(dvec3(x, y, z)).unwrap())
}

pub(crate) fn at(geometry: &Geometry, position: DVec3, orientation: DQuat) -> Placed<'_> {
    Placed { geometry, pose: Pose { position, orientation } }
}

pub(crate) fn polytope(geometry: &Geometry) -> &Polytope {
    match geometry {
        Geometry::Polytope(polytope) | Geometry::Plate { polytope, .. } => polytope,
        other => panic!("no polytope: {other:?}"),
    }
}

/// Vertices, faces as loops of points, and edges as pairs of points, in the world.
pub(crate) struct Solid {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Vec<DVec3>>,
    pub(crate) edges: Vec<[DVec3; 2]>,
}

impl Solid {
    pub(crate) fn new(placed: &Placed) -> Self {
        let polytope = polytope(placed.geometry);
        let place = |v: u32| placed.pose.point(polytope.vertex(v));
        Self {
            vertices: polytope.vertices().iter().map(|v| placed.pose.point(*v)).collect(),
            faces: (0..polytope.face_count())
                .map(|f| polytope.face(f).iter().map(|v| place(*v)).collect())
                .collect(),
            edges: polytope.edges().iter().map(|e| e.ends.map(place)).collect(),
        }
    }

    pub(crate) fn normal(face: &[DVec3]) -> DVec3 {
        (1..face.len() - 1)
            .map(|k| (face[k] - face[0]).cross(face[k + 1] - face[0]))
            .fold(DVec3::ZERO, |sum, n| sum + n)
            .normalize()
    }
}

/// min n·x over a − max n·y over b.
pub(crate) fn separation_along(n: DVec3, a: &Solid, b: &Solid) -> f64 {
    let low = a.vertices.iter().fold(f64::INFINITY, |least, x| least.min(n.dot(*x)));
    let high = b.vertices.iter().fold(f64::NEG_INFINITY, |most, y| most.max(n.dot(*y)));
    low - high
}

/// The greatest separation over every face normal and every cross product of edges, both ways.
pub(crate) fn separating_axes(a: &Solid, b: &Solid) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for face in &a.faces {
        best = best.max(separation_along(-Solid::normal(face), a, b));
    }
    for face in &b.faces {
        best = best.max(separation_along(Solid::normal(face), a, b));
    }
    for [p, q] in &a.edges {
        for [r, s] in &b.edges {
            let cross = (*q - *p).normalize().cross((*s - *r).normalize());
            if cross.length() > 1e-9 {
                let n = cross.normalize();
                best = best.max(separation_along(n, a, b)).max(separation_along(-n, a, b));
            }
        }
    }
    best
}

/// The distance of two solids that do not overlap: the least over all pairs of their features.
pub(crate) fn distance(a: &Solid, b: &Solid) -> f64 {
    let mut least = f64::INFINITY;
    for (solid, other) in [(a, b), (b, a)] {
        for x in &solid.vertices {
            for face in &other.faces {
                least = least.min(to_face(*x, face));
            }
        }
    }
    for p in &a.edges {
        for q in &b.edges {
            least = least.min(between_segments(*p, *q));
        }
    }
    least
}

/// The distance of a point from a convex polygon, infinite when it is nearest to the rim (edges see to that).
fn to_face(x: DVec3, face: &[DVec3]) -> f64 {
    let n = Solid::normal(face);
    let inside = (0..face.len()).all(|k| {
        let (p, q) = (face[k], face[(k + 1) % face.len()]);
        n.cross(q - p).dot(x - p) >= 0.0
    });
    if inside { n.dot(x - face[0]).abs() } else { f64::INFINITY }
}

/// The distance of two segments: of their lines if that is within both, else of an end from the other.
fn between_segments([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    let to_segment = |x: DVec3, [p, q]: [DVec3; 2]| {
        let t = ((x - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        x.distance(p + t * (q - p))
    };
    let ends = to_segment(p, [r, s])
        .min(to_segment(q, [r, s]))
        .min(to_segment(r, [p, q]))
        .min(to_segment(s, [p, q]));
    let (u, v, w) = (q - p, s - r, r - p);
    let cross = u.cross(v);
    let c2 = cross.length_squared();
    if c2 < 1e-20 * u.length_squared() * v.length_squared() {
        return ends;
    }
    let (t, z) = (w.cross(v).dot(cross) / c2, w.cross(u).dot(cross) / c2);
    let within = (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&z);
    if within { ends.min((cross.dot(w) / c2.sqrt()).abs()) } else { ends }
}
