//! Shapes as triangles and lines, for pictures and for programs that know nothing else.

use super::{Extent, Hull, Mesh, Plane, Shape, Sides};
use crate::math::real::{PI, TAU, sin_cos};
use crate::math::{DVec3, dvec3};

/// A surface of triangles, in the frame of the shape.
///
/// Closed and oriented: every edge of a triangle belongs to as many triangles in the one direction as in the other. Open are
/// only planes that are seen from their front.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleSurface {
    /// Points of the surface, m.
    pub vertices: Vec<DVec3>,
    /// Three vertices each, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle the unit normals of the true surface at its corners, for smooth shading; across a sharp edge
    /// they differ. Zero where a triangle of a mesh is too thin to have one.
    pub normals: Vec<[DVec3; 3]>,
    /// Lines that show the shape: sharp edges and rims, and a few lines on what is round.
    pub edges: Vec<[u32; 2]>,
}

/// How finely what is round is divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fineness {
    /// A circle has so many corners; rounded up to a multiple of 4, from 4 to 1024.
    Segments(u32),
    /// No point of the triangles is further from the surface than this, m; as far as 1024 corners of a circle go.
    Tolerance(f64),
}

/// Corners of a circle at most: half a million vertices of a ball.
const MOST_SEGMENTS: u32 = 1024;

/// Sine of the angle between two triangles of a mesh up to which the edge between them is not drawn: the diagonals of flat
/// faces vanish, and the edges of anything that looks round at all stay. A decade more hides those of fine meshes.
const FLAT: f64 = 1e-3;

impl Fineness {
    /// Corners of a circle of this radius: the sag is r (1 − cos π/n) ≤ ½ r (π/n)².
    fn of_circle(self, radius: f64) -> u32 {
        let wanted = match self {
            Self::Segments(segments) => segments,
            // A tolerance of nothing is as fine as can be; the conversion saturates, and makes 0 of NaN.
            Self::Tolerance(t) if t > 0.0 => (PI * (0.5 * radius / t).sqrt()).ceil() as u32,
            Self::Tolerance(_) => MOST_SEGMENTS,
        };
        wanted.clamp(4, MOST_SEGMENTS).next_multiple_of(4)
    }

    /// The same for a ball, whose triangles sag in two directions: by up to r (π/n)².
    fn of_ball(self, radius: f64) -> u32 {
        match self {
            Self::Segments(_) => self.of_circle(radius),
            Self::Tolerance(t) => Self::Tolerance(0.5 * t).of_circle(radius),
        }
    }
}

/// The surface of a shape as triangles.
///
/// Of an infinite plane the square of half side `reach`, m, about the foot of the origin is taken, and nothing if that is
/// not positive. Vertices lie on the surface to rounding. A compound is the surfaces of its parts, each closed by itself.
pub fn triangulate(shape: &Shape, fineness: Fineness, reach: f64) -> TriangleSurface {
    match shape {
        // A point is drawn as a ball of 5 mm, or nobody would see it.
        Shape::Sphere { .. } if shape.is_point() => ball(DVec3::splat(0.005), 0.0, fineness),
        Shape::Sphere { radius } => ball(DVec3::splat(*radius), 0.0, fineness),
        Shape::Ellipsoid { half } => ball(*half, 0.0, fineness),
        Shape::Capsule { radius, half_length } => ball(DVec3::splat(*radius), *half_length, fineness),
        Shape::Cuboid { half } => cuboid(*half),
        Shape::Cylinder { radius, half_length } => {
            let (r, h) = (*radius, *half_length);
            let profile = [
                Turn::flat((0.0, -h), (r, -h), (0.0, -1.0)),
                Turn::flat((r, -h), (r, h), (1.0, 0.0)).ruled(),
                Turn::flat((r, h), (0.0, h), (0.0, 1.0)),
            ];
            lathe(&profile, &[1, 2], fineness.of_circle(r))
        }
        Shape::Cone { radius, height } => {
            let (r, h) = (*radius, *height);
            // Out of the side: (h, r) by its length, without overflow.
            let size = r.max(h);
            let length = ((h / size) * (h / size) + (r / size) * (r / size)).sqrt();
            let out = (h / size / length, r / size / length);
            let profile =
                [Turn::flat((0.0, 0.0), (r, 0.0), (0.0, -1.0)), Turn::flat((r, 0.0), (0.0, h), out).ruled()];
            lathe(&profile, &[1], fineness.of_circle(r))
        }
        Shape::Disc { radius } => sheet(*radius, Sides::Both, fineness),
        Shape::Hull(hull) => of_hull(hull),
        Shape::Mesh(mesh) => of_mesh(mesh),
        Shape::Compound(parts) => {
            let mut all = TriangleSurface::default();
            for part in parts {
                let pose = part.unit_pose();
                let surface = triangulate(&part.shape, fineness, reach);
                all.append(surface.moved(|p| pose.point(p), |d| pose.direction(d)));
            }
            all
        }
        Shape::Plane(plane) => of_plane(plane, fineness, reach),
    }
}

impl TriangleSurface {
    /// The points that lines end in, and the lines by the numbers of these points: all that a line drawing needs.
    pub fn outline(&self) -> (Vec<DVec3>, Vec<[u32; 2]>) {
        let mut used: Vec<u32> = self.edges.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let number = |v: u32| used.partition_point(|u| *u < v) as u32;
        let lines = self.edges.iter().map(|edge| edge.map(number)).collect();
        (used.iter().map(|v| self.vertices[*v as usize]).collect(), lines)
    }

    fn append(&mut self, other: Self) {
        let start = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + start)));
        self.normals.extend(other.normals);
        self.edges.extend(other.edges.iter().map(|e| e.map(|v| v + start)));
    }

    /// With other places for the vertices, and other normals.
    fn moved(mut self, point: impl Fn(DVec3) -> DVec3, normal: impl Fn(DVec3) -> DVec3) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = point(*v));
        self.normals.iter_mut().for_each(|n| *n = n.map(&normal));
        self
    }

    /// Of triangles that are flat: each has one normal.
    fn of_flat(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>, edges: Vec<[u32; 2]>) -> Self {
        let normals = triangles.iter().map(|t| [flat_normal(&vertices, *t); 3]).collect();
        Self { vertices, triangles, normals, edges }
    }
}

/// The unit normal of a triangle, zero where it has none; sides are scaled first, so that nothing overflows.
fn flat_normal(vertices: &[DVec3], t: [u32; 3]) -> DVec3 {
    let [a, b, c] = t.map(|v| vertices[v as usize]);
    let (u, v) = (b - a, c - a);
    let size = u.abs().max(v.abs()).max_element();
    (u / size).cross(v / size).normalize_or_zero()
}

/// A band of a surface of revolution: from one place (ρ, z) of the profile to the next, with the normals (ρ, z) at both.
#[derive(Clone, Copy)]
struct Turn {
    ends: [(f64, f64); 2],
    normals: [(f64, f64); 2],
    /// Whether lines are drawn on it, a quarter apart.
    ruled: bool,
}

impl Turn {
    fn flat(from: (f64, f64), to: (f64, f64), normal: (f64, f64)) -> Self {
        Self { ends: [from, to], normals: [normal; 2], ruled: false }
    }

    fn ruled(self) -> Self {
        Self { ruled: true, ..self }
    }
}

/// The surface that a profile sweeps about z, each band going on where the one before ended.
///
/// Seen with ρ to the right, the profile runs counterclockwise about the solid: d/dφ × d/ds points out. `rims` are the
/// numbers of the bands that begin at a circle which is drawn.
fn lathe(profile: &[Turn], rims: &[usize], segments: u32) -> TriangleSurface {
    let mut surface = TriangleSurface::default();
    let n = segments as usize;
    let angles: Vec<(f64, f64)> = (0..n).map(|j| circle_point(j as u32, segments)).collect();
    let Some(first) = profile.first() else { return surface };
    let mut ring = surface.ring(first.ends[0], &angles);
    for (number, turn) in profile.iter().enumerate() {
        let next = surface.ring(turn.ends[1], &angles);
        for j in 0..n {
            let k = (j + 1) % n;
            surface.quad(turn, [ring.at(j), ring.at(k), next.at(k), next.at(j)], [angles[j], angles[k]]);
            if turn.ruled && j % (n / 4) == 0 {
                surface.edges.push([ring.at(j), next.at(j)]);
            }
            if rims.contains(&number) {
                surface.edges.push([ring.at(j), ring.at(k)]);
            }
        }
        ring = next;
    }
    surface
}

/// (sin, cos) of 2π j/n; exactly on the axes.
fn circle_point(j: u32, n: u32) -> (f64, f64) {
    match 4 * j {
        0 => (0.0, 1.0),
        quarter if quarter == n => (1.0, 0.0),
        half if half == 2 * n => (0.0, -1.0),
        three if three == 3 * n => (-1.0, 0.0),
        _ => sin_cos(TAU * f64::from(j) / f64::from(n)),
    }
}

/// The vertices on one circle, or the one on the axis.
#[derive(Clone, Copy)]
struct Ring {
    start: u32,
    is_point: bool,
}

impl Ring {
    fn at(self, j: usize) -> u32 {
        if self.is_point { self.start } else { self.start + j as u32 }
    }
}

impl TriangleSurface {
    fn ring(&mut self, (rho, z): (f64, f64), angles: &[(f64, f64)]) -> Ring {
        let ring = Ring { start: self.vertices.len() as u32, is_point: rho == 0.0 };
        if ring.is_point {
            self.vertices.push(dvec3(0.0, 0.0, z));
        } else {
            self.vertices.extend(angles.iter().map(|(s, c)| dvec3(rho * c, rho * s, z)));
        }
        ring
    }

    /// Two triangles, or one where a side of the quad is a point.
    fn quad(&mut self, turn: &Turn, [a, b, c, d]: [u32; 4], [left, right]: [(f64, f64); 2]) {
        let normal = |end: usize, (s, c): (f64, f64)| {
            let (rho, z) = turn.normals[end];
            dvec3(rho * c, rho * s, z)
        };
        // The point of a cone has no normal of its own: half-way between those beside it.
        let between = |end: usize| (normal(end, left) + normal(end, right)).normalize_or_zero();
        if a == b {
            self.triangles.push([a, c, d]);
            self.normals.push([between(0), normal(1, right), normal(1, left)]);
        } else if c == d {
            self.triangles.push([a, b, c]);
            self.normals.push([normal(0, left), normal(0, right), between(1)]);
        } else {
            self.triangles.extend([[a, b, c], [a, c, d]]);
            self.normals.push([normal(0, left), normal(0, right), normal(1, right)]);
            self.normals.push([normal(0, left), normal(1, right), normal(1, left)]);
        }
    }
}

/// An ellipsoid, or for a `half_length` that is not zero a ball pulled apart along z.
fn ball(half: DVec3, half_length: f64, fineness: Fineness) -> TriangleSurface {
    let segments = fineness.of_ball(half.max_element());
    let bands = segments / 2;
    // (ρ, z) of the unit circle from the lower pole on, exactly on the axes.
    let place = |k: u32| {
        let (s, c) = circle_point(k, segments);
        (s, -c)
    };
    let mut profile = Vec::new();
    for k in 0..bands {
        let ends = [place(k), place(k + 1)];
        profile.push(Turn { ends, normals: ends, ruled: true });
    }
    let equator = bands as usize / 2;
    let mut rims = vec![equator];
    if half_length != 0.0 {
        // The units of the profile are radii.
        let lift = half_length / half.z;
        let raise = |(rho, z): (f64, f64), by: f64| (rho, z + by);
        for (k, turn) in profile.iter_mut().enumerate() {
            let by = if k < equator { -lift } else { lift };
            turn.ends = turn.ends.map(|end| raise(end, by));
        }
        profile.insert(equator, Turn::flat((1.0, -lift), (1.0, lift), (1.0, 0.0)).ruled());
        rims.push(equator + 1);
    }
    // Normals of an ellipsoid are those of the ball times 1/half; the factor keeps them in range.
    let least = half.min_element();
    lathe(&profile, &rims, segments).moved(|p| p * half, |n| (n * (least / half)).normalize_or_zero())
}

/// A circle in the plane z = 0 and its inside: a front above it and, for both sides, a back below.
fn sheet(radius: f64, sides: Sides, fineness: Fineness) -> TriangleSurface {
    let back = Turn::flat((0.0, 0.0), (radius, 0.0), (0.0, -1.0));
    let front = Turn::flat((radius, 0.0), (0.0, 0.0), (0.0, 1.0));
    let segments = fineness.of_circle(radius);
    match sides {
        Sides::Both => lathe(&[back, front], &[1], segments),
        Sides::Front => lathe(&[front], &[0], segments),
    }
}

fn cuboid(half: DVec3) -> TriangleSurface {
    let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let vertices = (0..8).map(|i| half * dvec3(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
    let mut triangles = Vec::with_capacity(12);
    for axis in 0..3_u32 {
        // Counterclockwise about the axis, for the upper face; the lower one the other way round.
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let top = 1 << axis;
        triangles.extend([[top, top + u, top + u + v], [top, top + u + v, top + v]]);
        triangles.extend([[0, u + v, u], [0, v, u + v]]);
    }
    let edges = (0..8_u32).flat_map(|i| (0..3).map(move |bit| [i, i | 1 << bit])).filter(|[a, b]| a != b);
    TriangleSurface::of_flat(vertices, triangles, edges.collect())
}

fn of_hull(hull: &Hull) -> TriangleSurface {
    let edges = hull.edges().iter().map(|edge| edge.ends).collect();
    TriangleSurface::of_flat(hull.vertices().to_vec(), hull.triangles().to_vec(), edges)
}

fn of_mesh(mesh: &Mesh) -> TriangleSurface {
    let mut surface =
        TriangleSurface::of_flat(mesh.vertices().to_vec(), mesh.triangles().to_vec(), Vec::new());
    // (ends in ascending order, triangle)
    let mut sides: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * mesh.triangles().len());
    for (i, t) in mesh.triangles().iter().enumerate() {
        let ends = [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        sides.extend(ends.map(|[a, b]| ([a.min(b), a.max(b)], i)));
    }
    sides.sort_unstable();
    let normal = |i: usize| surface.normals[i][0];
    let is_flat = |around: &[([u32; 2], usize)]| match around {
        [(_, i), (_, j)] => normal(*i).dot(normal(*j)) > 0.0 && normal(*i).cross(normal(*j)).length() <= FLAT,
        _ => false,
    };
    let edges = sides.chunk_by(|a, b| a.0 == b.0).filter(|around| !is_flat(around)).map(|around| around[0].0);
    surface.edges = edges.collect();
    surface
}

fn of_plane(plane: &Plane, fineness: Fineness, reach: f64) -> TriangleSurface {
    let whole = |plane: &Plane| {
        let (direction, _) = plane.normal().any_orthonormal_pair();
        plane.square(DVec3::ZERO, reach, direction).ok()
    };
    match plane.extent() {
        Extent::Infinite => match whole(plane) {
            Some(square) => of_plane(&square, fineness, reach),
            None => TriangleSurface::default(),
        },
        Extent::Circular { centre, radius } => {
            let (u, v) = plane.normal().any_orthonormal_pair();
            let turn = |d: DVec3| u * d.x + v * d.y + u.cross(v) * d.z;
            sheet(radius, plane.sides(), fineness).moved(|p| centre + turn(p), turn)
        }
        Extent::Square { .. } => {
            let corners = plane.corners().map(Vec::from).unwrap_or_default();
            // The back is cut along the other diagonal, so that every edge inside belongs to two triangles only.
            let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
            if plane.sides() == Sides::Both {
                triangles.extend([[0, 3, 1], [1, 3, 2]]);
            }
            TriangleSurface::of_flat(corners, triangles, vec![[0, 1], [1, 2], [2, 3], [3, 0]])
        }
    }
}
