//! Mends what can be mended without a guess at the shape. What comes out is still to be checked as a solid.

use std::collections::{BTreeMap, BTreeSet};

use dolmen::math::DVec3;

use super::Soup;

/// Vertices nearer than this, of the mesh's size, are one: single precision repeats corners with such errors.
const WELD: f64 = 1e-7;

/// A hole is closed if its rim is flat to this, of the mesh's size.
const FLAT: f64 = 1e-6;

/// What became of a mesh.
pub(crate) struct Mended {
    pub(crate) soup: Soup,
    /// What was done, in words.
    pub(crate) done: Vec<String>,
}

/// Corners that coincide are made one, triangles without area and repeated ones dropped, neighbours made to face the same way,
/// flat holes closed, and the whole turned the right way out.
pub(crate) fn mend(soup: &Soup) -> Mended {
    let mut done = Vec::new();
    let size = {
        let aabb = soup.aabb();
        (aabb.max - aabb.min).length()
    };
    let mut mended = welded(soup, WELD * size);
    let dropped = soup.triangles.len() - mended.triangles.len();
    if dropped > 0 {
        done.push(format!("{dropped} triangles without area or twice there dropped"));
    }
    let turned = orient(&mut mended);
    if turned > 0 {
        done.push(format!("{turned} triangles turned round"));
    }
    let closed = close(&mut mended, FLAT * size);
    if closed > 0 {
        done.push(format!("{closed} flat holes closed"));
    }
    if mended.volume() < 0.0 {
        mended = mended.mapped(true, |vertex| vertex);
        // What was turned to fit a first triangle that was inside out is nothing that a user would call mended.
        done.push("turned inside out".to_owned());
    }
    Mended { soup: mended, done }
}

/// Vertices on a grid of `cell` are one with the first in the same or a neighbouring cell.
fn welded(soup: &Soup, cell: f64) -> Soup {
    let cell = cell.max(f64::MIN_POSITIVE);
    let key = |v: DVec3| [v.x, v.y, v.z].map(|x| (x / cell).floor().clamp(-9e18, 9e18) as i64);
    let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut index = Vec::with_capacity(soup.vertices.len());
    for vertex in &soup.vertices {
        let [x, y, z] = key(*vertex);
        let near = (-1..=1_i64)
            .flat_map(|i| (-1..=1_i64).flat_map(move |j| (-1..=1_i64).map(move |k| [i, j, k])))
            .filter_map(|[i, j, k]| {
                cells.get(&[x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)])
            })
            .flatten()
            .find(|other| vertices[**other as usize].distance(*vertex) <= cell);
        let found = near.copied().unwrap_or_else(|| {
            let new = vertices.len() as u32;
            vertices.push(*vertex);
            cells.entry([x, y, z]).or_default().push(new);
            new
        });
        index.push(found);
    }
    let mut seen: BTreeSet<[u32; 3]> = BTreeSet::new();
    let mut triangles = Vec::new();
    for triangle in &soup.triangles {
        let t = triangle.map(|corner| index[corner as usize]);
        let [a, b, c] = t.map(|corner| vertices[corner as usize]);
        let mut sorted = t;
        sorted.sort_unstable();
        let has_area = (b - a).cross(c - a) != DVec3::ZERO;
        if has_area && sorted[0] != sorted[1] && sorted[1] != sorted[2] && seen.insert(sorted) {
            triangles.push(t);
        }
    }
    Soup { vertices, triangles }
}

/// Edges with the triangles that have them, and whether they walk them upwards.
fn edges(soup: &Soup) -> BTreeMap<[u32; 2], Vec<(usize, bool)>> {
    let mut edges: BTreeMap<[u32; 2], Vec<(usize, bool)>> = BTreeMap::new();
    for (index, t) in soup.triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            edges.entry([a.min(b), a.max(b)]).or_default().push((index, a < b));
        }
    }
    edges
}

/// Makes neighbours across edges of two triangles face the same way, each connected piece as its first triangle; how many
/// were turned.
fn orient(soup: &mut Soup) -> usize {
    let edges = edges(soup);
    let mut neighbours: Vec<Vec<(usize, bool)>> = vec![Vec::new(); soup.triangles.len()];
    for uses in edges.values() {
        if let [(a, up_a), (b, up_b)] = uses[..] {
            neighbours[a].push((b, up_a == up_b));
            neighbours[b].push((a, up_a == up_b));
        }
    }
    let mut flips: Vec<Option<bool>> = vec![None; soup.triangles.len()];
    for start in 0..flips.len() {
        if flips[start].is_some() {
            continue;
        }
        flips[start] = Some(false);
        let mut waiting = vec![start];
        let mut piece = vec![start];
        while let Some(triangle) = waiting.pop() {
            let own = flips[triangle].unwrap_or(false);
            for (other, differs) in &neighbours[triangle] {
                if flips[*other].is_none() {
                    flips[*other] = Some(own != *differs);
                    waiting.push(*other);
                    piece.push(*other);
                }
            }
        }
        // The side of the majority is right.
        let turned = piece.iter().filter(|triangle| flips[**triangle] == Some(true)).count();
        if 2 * turned > piece.len() {
            for triangle in piece {
                flips[triangle] = flips[triangle].map(|flip| !flip);
            }
        }
    }
    let mut count = 0;
    for (triangle, flip) in soup.triangles.iter_mut().zip(flips) {
        if flip == Some(true) {
            triangle.swap(1, 2);
            count += 1;
        }
    }
    count
}

/// Closes rims that are flat by a fan about their middle; how many were closed.
fn close(soup: &mut Soup, flat: f64) -> usize {
    let edges = edges(soup);
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for ([a, b], uses) in &edges {
        if let [(_, up)] = uses[..] {
            // The rim runs against the triangle that has the edge.
            let (from, to) = if up { (*b, *a) } else { (*a, *b) };
            if next.insert(from, to).is_some() {
                return 0; // two rims share a corner: which belongs to which is a guess
            }
        }
    }
    let mut closed = 0;
    while let Some((start, _)) = next.first_key_value().map(|(a, b)| (*a, *b)) {
        let mut rim = Vec::new();
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            rim.push(at);
            at = to;
        }
        if at != start || rim.len() < 3 {
            continue;
        }
        let points: Vec<DVec3> = rim.iter().map(|v| soup.vertices[*v as usize]).collect();
        let middle = points.iter().fold(DVec3::ZERO, |sum, p| sum + *p) / points.len() as f64;
        let area = (0..points.len()).fold(DVec3::ZERO, |sum, k| {
            sum + (points[k] - middle).cross(points[(k + 1) % points.len()] - middle)
        });
        let Some(normal) = crate::frame::unit(area) else { continue };
        if points.iter().any(|p| (*p - middle).dot(normal).abs() > flat) {
            continue;
        }
        if rim.len() == 3 {
            soup.triangles.push([rim[0], rim[1], rim[2]]);
        } else {
            let centre = soup.vertices.len() as u32;
            soup.vertices.push(middle);
            for k in 0..rim.len() {
                soup.triangles.push([rim[k], rim[(k + 1) % rim.len()], centre]);
            }
        }
        closed += 1;
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use dolmen::shape::Mesh;

    fn cube() -> Soup {
        let vertices =
            (0..8_u32).map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)));
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        Soup { vertices: vertices.collect(), triangles }
    }

    /// A cube without its lid, with one triangle turned round, one twice, and corners repeated with rounding, is the cube.
    #[test]
    fn a_broken_cube_is_mended() {
        let whole = cube();
        assert!((whole.volume() - 1.0).abs() < 1e-15);
        let mut broken = Soup::default();
        for (k, t) in whole.triangles.iter().enumerate() {
            if k == 2 || k == 3 {
                continue;
            }
            let base = broken.vertices.len() as u32;
            let wobble = DVec3::splat(1e-9 * k as f64);
            broken.vertices.extend(t.iter().map(|v| whole.vertices[*v as usize] + wobble));
            broken.triangles.push(if k == 5 {
                [base, base + 2, base + 1]
            } else {
                [base, base + 1, base + 2]
            });
        }
        broken.triangles.push(broken.triangles[0]);
        let mended = mend(&broken);
        let mesh = Mesh::new(&mended.soup.vertices, &mended.soup.triangles).expect("closed");
        assert!(mesh.triangles().len() >= 12);
        assert!((mended.soup.volume() - 1.0).abs() < 1e-7, "{}", mended.soup.volume());
        assert_eq!(mended.done.len(), 3, "{:?}", mended.done);
    }

    /// A surface that is inside out is turned; a whole one is left alone.
    #[test]
    fn inside_out_is_turned_and_whole_is_left() {
        let inside_out = cube().mapped(true, |v| v);
        let mended = mend(&inside_out);
        assert!(Mesh::new(&mended.soup.vertices, &mended.soup.triangles).is_ok());
        assert_eq!(mended.done, ["turned inside out"]);
        assert!(mend(&cube()).done.is_empty());
    }
}
