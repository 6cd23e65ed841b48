//! Closed triangle meshes, checked once and trusted ever after.

use super::exact::{LARGEST, SMALLEST, canonical, collinear, compare, in_range, shown, side};
use super::overlap::{corners, overlapping_pairs};
use super::read::{self, ReadError};
use crate::math::{Aabb, DVec3, dvec3};
use std::path::Path;
use thiserror::Error;

/// The surface of a solid: closed, free of self-contact, its triangles counterclockwise seen from outside.
///
/// It may have several pieces, and cavities, whose triangles then face into the void.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Why a set of triangles is not the surface of a solid. Triangles and vertices are counted from 0, as given.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MeshError {
    /// No triangles, or none with three different corners.
    #[error("the mesh has no triangles; a solid needs at least the four of a tetrahedron")]
    Empty,
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} names vertex {index}, but the mesh has {vertices} vertices; name one of these, counted from 0"
    )]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// What it names.
        index: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A coordinate is NaN, infinite, or too large or small for exact arithmetic.
    #[error(
        "vertex {vertex} is at {}; coordinates must be 0 or between {SMALLEST:e} and {LARGEST:e} m in size: \
         correct the vertex or choose another unit of length", shown(*at)
    )]
    Coordinate {
        /// The vertex.
        vertex: usize,
        /// Where it is.
        at: DVec3,
    },
    /// A triangle has no area: its corners are exactly in line, or it names a vertex twice.
    #[error(
        "triangle {triangle} has no area: its corners {}, {} and {} are in line ({count} such in all); \
         remove it and join its neighbours", shown(at[0]), shown(at[1]), shown(at[2])
    )]
    Degenerate {
        /// The first of them.
        triangle: usize,
        /// Its corners.
        at: [DVec3; 3],
        /// How many there are.
        count: usize,
    },
    /// An edge belongs to one triangle only.
    #[error(
        "the mesh is open: the edge between vertices {} {} and {} {} belongs to triangle {triangle} only \
         ({count} such in all); close the hole, or merge vertices that should coincide",
        edge[0], shown(at[0]), edge[1], shown(at[1])
    )]
    Open {
        /// Vertices at its ends.
        edge: [usize; 2],
        /// Their places.
        at: [DVec3; 2],
        /// The triangle that has it.
        triangle: usize,
        /// How many open edges there are.
        count: usize,
    },
    /// Two neighbours disagree on which side is outside.
    #[error(
        "triangles {} and {} run the same way along the edge between vertices {} {} and {} {} ({count} such in all), so one of them faces inwards; swap two corners of that one",
        triangles[0], triangles[1], edge[0], shown(at[0]), edge[1], shown(at[1])
    )]
    Orientation {
        /// Vertices at the ends of the edge.
        edge: [usize; 2],
        /// Their places.
        at: [DVec3; 2],
        /// The triangles on either side.
        triangles: [usize; 2],
        /// How many such edges there are.
        count: usize,
    },
    /// More than two triangles meet at an edge.
    #[error(
        "{triangles} triangles meet at the edge between vertices {} {} and {} {} ({count} such in all); a surface \
         has two: remove inner walls, or separate the parts", edge[0], shown(at[0]), edge[1], shown(at[1])
    )]
    NonManifold {
        /// Vertices at the ends of the edge.
        edge: [usize; 2],
        /// Their places.
        at: [DVec3; 2],
        /// How many triangles have it.
        triangles: usize,
        /// How many such edges there are.
        count: usize,
    },
    /// Triangles meet beyond the vertices and edges they share.
    #[error(
        "the surface meets itself: triangles {} touch beyond their common corners; \
         unite overlapping parts into one surface, or make them parts of a compound",
        list(pairs)
    )]
    Overlap {
        /// The first such pairs.
        pairs: Vec<[usize; 2]>,
    },
    /// Every triangle faces inwards.
    #[error(
        "the mesh is inside out: its volume is {volume} m³; corners must run counterclockwise seen from outside: \
         swap two corners of every triangle"
    )]
    InsideOut {
        /// Signed volume, m³.
        volume: f64,
    },
    /// A piece faces the wrong way for where it lies.
    #[error(
        "the piece with triangle {triangle} encloses {volume} m³ and lies within {depth} other pieces: it must face {}; \
         swap two corners of each of its triangles, or remove it",
        if depth % 2 == 0 { "outwards (a solid)" } else { "inwards (a cavity)" }
    )]
    Nesting {
        /// The first triangle of the piece.
        triangle: usize,
        /// Its signed volume, m³.
        volume: f64,
        /// How many pieces are around it.
        depth: usize,
    },
}

/// Why a mesh file gave no mesh.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error("cannot read the mesh file {path}: {source}")]
    File {
        /// Its path as given.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The name ends in nothing known.
    #[error("the mesh file {path} ends neither in .obj nor in .stl; convert it to one of these")]
    Extension {
        /// Its path as given.
        path: String,
    },
    /// The text or bytes are not what the format asks for.
    #[error("{path}: {source}")]
    Format {
        /// Its path as given.
        path: String,
        /// Where and why.
        source: ReadError,
    },
    /// The triangles are no surface of a solid.
    #[error("{path}: {source}")]
    Mesh {
        /// Its path as given.
        path: String,
        /// Which and why.
        source: MeshError,
    },
}

fn list(pairs: &[[usize; 2]]) -> String {
    pairs.iter().map(|[i, j]| format!("{i} and {j}")).collect::<Vec<_>>().join(", ")
}

impl Mesh {
    /// Checks that the triangles are the surface of a solid.
    ///
    /// Vertices at the same place (bit for bit, −0 = 0) are made one first, since files often repeat them; a triangle of
    /// which two corners coincide by that vanishes. Vertices that no triangle uses are dropped. All the questions but the
    /// sign of a volume are answered exactly.
    ///
    /// # Errors
    /// The first thing found wrong, in the order of the variants of [`MeshError`].
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        let welded = Welded::new(vertices, triangles)?;
        welded.check_areas()?;
        welded.check_edges()?;
        let pairs = overlapping_pairs(&welded.mesh.vertices, &welded.mesh.triangles);
        if !pairs.is_empty() {
            return Err(MeshError::Overlap {
                pairs: pairs.iter().map(|p| p.map(|t| welded.numbers[t])).collect(),
            });
        }
        welded.check_nesting()?;
        Ok(welded.mesh)
    }

    /// Reads an OBJ or STL file, by the ending of its name, and checks it.
    ///
    /// # Errors
    /// When the file cannot be read, is no OBJ or STL, or is not the surface of a solid.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| LoadError::File { path: name(), source })?;
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        let soup = match ending.as_str() {
            "obj" => read::read_obj(bytes.as_slice()),
            "stl" => read::read_stl(&bytes),
            _ => return Err(LoadError::Extension { path: name() }),
        }
        .map_err(|source| LoadError::Format { path: name(), source })?;
        Self::new(&soup.vertices, &soup.triangles).map_err(|source| LoadError::Mesh { path: name(), source })
    }

    /// Where the corners are, m; all different, in the order given.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Corners of each triangle, counterclockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}

/// A mesh with equal vertices made one, and what its parts were called before.
struct Welded {
    mesh: Mesh,
    /// Vertex → its number as given (the first of those that coincide).
    names: Vec<usize>,
    /// Triangle → its number as given.
    numbers: Vec<usize>,
}

impl Welded {
    fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        for (triangle, t) in triangles.iter().enumerate() {
            if let Some(&index) = t.iter().find(|v| **v as usize >= vertices.len()) {
                return Err(MeshError::IndexOutOfRange { triangle, index, vertices: vertices.len() });
            }
        }
        let first = first_equal(vertices)?;

        let mut used = vec![false; vertices.len()];
        let (mut kept, mut numbers) = (Vec::new(), Vec::new());
        for (number, t) in triangles.iter().enumerate() {
            let repeats = |[a, b, c]: [u32; 3]| a == b || b == c || c == a;
            let w = t.map(|v| first[v as usize]);
            if repeats(w) && !repeats(*t) {
                continue; // a seam that welding closed
            }
            for v in w {
                used[v as usize] = true;
            }
            kept.push(w);
            numbers.push(number);
        }
        if kept.is_empty() {
            return Err(MeshError::Empty);
        }

        let names: Vec<usize> = (0..vertices.len()).filter(|&v| used[v]).collect();
        let mut new_index = vec![0_u32; vertices.len()];
        for (new, &old) in names.iter().enumerate() {
            new_index[old] = new as u32;
        }
        let mesh = Mesh {
            vertices: names.iter().map(|&v| canonical(vertices[v])).collect(),
            triangles: kept.iter().map(|t| t.map(|v| new_index[v as usize])).collect(),
        };
        Ok(Self { mesh, names, numbers })
    }

    fn check_areas(&self) -> Result<(), MeshError> {
        let flat = |t: &[u32; 3]| {
            let [a, b, c] = corners(&self.mesh.vertices, *t);
            collinear(a, b, c)
        };
        let mut bad = (0..self.numbers.len()).filter(|&i| flat(&self.mesh.triangles[i]));
        match bad.next() {
            None => Ok(()),
            Some(i) => Err(MeshError::Degenerate {
                triangle: self.numbers[i],
                at: corners(&self.mesh.vertices, self.mesh.triangles[i]),
                count: 1 + bad.count(),
            }),
        }
    }

    /// Every edge must be walked once in each direction.
    fn check_edges(&self) -> Result<(), MeshError> {
        // (ends in ascending order, triangle, whether it walks them in that order)
        let mut uses: Vec<([u32; 2], usize, bool)> = Vec::with_capacity(3 * self.numbers.len());
        for (i, t) in self.mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                uses.push(([a.min(b), a.max(b)], i, a < b));
            }
        }
        uses.sort_unstable();
        let edges: Vec<_> = uses.chunk_by(|u, v| u.0 == v.0).collect();
        let named = |use_: &([u32; 2], usize, bool)| {
            (use_.0.map(|v| self.names[v as usize]), use_.0.map(|v| self.mesh.vertices[v as usize]))
        };

        let crowded = |e: &&&[_]| e.len() > 2;
        let open = |e: &&&[_]| e.len() == 1;
        let same_way = |e: &&&[([u32; 2], usize, bool)]| e.len() == 2 && e[0].2 == e[1].2;
        if let Some(e) = edges.iter().find(open) {
            let (edge, at) = named(&e[0]);
            let count = edges.iter().filter(open).count();
            return Err(MeshError::Open { edge, at, triangle: self.numbers[e[0].1], count });
        }
        if let Some(e) = edges.iter().find(same_way) {
            let (edge, at) = named(&e[0]);
            let count = edges.iter().filter(same_way).count();
            let triangles = [self.numbers[e[0].1], self.numbers[e[1].1]];
            return Err(MeshError::Orientation { edge, at, triangles, count });
        }
        if let Some(e) = edges.iter().find(crowded) {
            let (edge, at) = named(&e[0]);
            let count = edges.iter().filter(crowded).count();
            return Err(MeshError::NonManifold { edge, at, triangles: e.len(), count });
        }
        Ok(())
    }

    /// A piece within an even number of others is solid and faces outwards; within an odd number it is a cavity.
    fn check_nesting(&self) -> Result<(), MeshError> {
        let pieces = self.pieces();
        let vertices = &self.mesh.vertices;
        let volumes: Vec<f64> = pieces.iter().map(|p| signed_volume(vertices, p)).collect();
        if volumes.iter().sum::<f64>() <= 0.0 {
            return Err(MeshError::InsideOut { volume: volumes.iter().sum() });
        }
        if pieces.len() == 1 {
            return Ok(());
        }
        let boxes: Vec<Aabb> = pieces
            .iter()
            .map(|p| p.iter().flatten().fold(Aabb::EMPTY, |b, v| b.join(&Aabb::point(vertices[*v as usize]))))
            .collect();
        for (i, piece) in pieces.iter().enumerate() {
            let point = vertices[piece[0][0] as usize];
            let around = |j: usize| {
                (boxes[j].min.cmple(point) & point.cmple(boxes[j].max)).all()
                    && encloses(vertices, &pieces[j], &boxes[j], point)
            };
            let depth = (0..pieces.len()).filter(|&j| j != i && around(j)).count();
            if (volumes[i] > 0.0) != (depth % 2 == 0) {
                let first = self.mesh.triangles.iter().position(|t| *t == piece[0]).unwrap_or(0);
                return Err(MeshError::Nesting { triangle: self.numbers[first], volume: volumes[i], depth });
            }
        }
        Ok(())
    }

    /// Triangles that hang together by common vertices, piece by piece, in the order of their first triangle.
    fn pieces(&self) -> Vec<Vec<[u32; 3]>> {
        let mut parent: Vec<u32> = (0..self.mesh.vertices.len() as u32).collect();
        for t in &self.mesh.triangles {
            for v in [t[1], t[2]] {
                let (a, b) = (root(&mut parent, t[0]), root(&mut parent, v));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut pieces: Vec<Vec<[u32; 3]>> = Vec::new();
        let mut piece_of = vec![usize::MAX; parent.len()];
        for t in &self.mesh.triangles {
            let r = root(&mut parent, t[0]) as usize;
            if piece_of[r] == usize::MAX {
                piece_of[r] = pieces.len();
                pieces.push(Vec::new());
            }
            pieces[piece_of[r]].push(*t);
        }
        pieces
    }
}

/// The representative of a vertex in a union-find forest, which it flattens on the way.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

/// For each vertex the lowest number of those at the same place; refuses coordinates that are no numbers.
fn first_equal(vertices: &[DVec3]) -> Result<Vec<u32>, MeshError> {
    if let Some(vertex) = vertices.iter().position(|p| !in_range(*p)) {
        return Err(MeshError::Coordinate { vertex, at: vertices[vertex] });
    }
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    let at = |v: u32| canonical(vertices[v as usize]);
    order.sort_by(|&u, &v| compare(at(u), at(v)).then(u.cmp(&v)));
    let mut first: Vec<u32> = (0..vertices.len() as u32).collect();
    for same in order.chunk_by(|&u, &v| at(u) == at(v)) {
        for v in same {
            first[*v as usize] = same[0];
        }
    }
    Ok(first)
}

/// Σ a·(b×c)/6 over the triangles, seen from their first vertex.
fn signed_volume(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let origin = vertices[triangles[0][0] as usize];
    let six_fold: f64 = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = corners(vertices, *t).map(|p| p - origin);
            a.dot(b.cross(c))
        })
        .sum();
    six_fold / 6.0
}

/// Whether a closed surface has `point`, which is not on it, inside: a ray to far away crosses it an odd number of times.
///
/// Exact. A ray that meets an edge or a vertex decides nothing and the next is tried; the directions are in no special
/// position, so the first one nearly always serves.
fn encloses(vertices: &[DVec3], triangles: &[[u32; 3]], bounds: &Aabb, point: DVec3) -> bool {
    const RAYS: u32 = 64;
    let reach = 2.0 * (bounds.max - bounds.min).max_element();
    let mut odd = false;
    for ray in 0..RAYS {
        // Irrational steps fill the cube of directions evenly.
        let k = f64::from(ray) + 1.0;
        let wave = |x: f64| 2.0 * (x - x.floor()) - 1.0;
        let far = point
            + reach
                * dvec3(
                    wave(k * 0.754_877_666),
                    wave(k * 0.569_840_291),
                    1.0 + wave(k * 0.327_180_547).abs(),
                );
        odd = false;
        let mut clean = true;
        for t in triangles {
            let [a, b, c] = corners(vertices, *t);
            let ends = [side(a, b, c, point), side(a, b, c, far)];
            if ends[0] * ends[1].signum() > 0.0 && ends[1] != 0.0 {
                continue;
            }
            let around = [side(point, far, a, b), side(point, far, b, c), side(point, far, c, a)];
            let (left, right) = (around.iter().any(|s| *s > 0.0), around.iter().any(|s| *s < 0.0));
            if left && right {
                continue;
            }
            clean &= around.iter().all(|s| *s != 0.0) && ends.iter().all(|s| *s != 0.0);
            odd = !odd;
        }
        if clean {
            break;
        }
    }
    odd
}
