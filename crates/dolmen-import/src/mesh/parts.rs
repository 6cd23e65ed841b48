//! Convex parts of a mesh: cut by planes until the parts are nearly what they stand for.
//!
//! The hull of what a solid has on one side of a plane is the hull of its cut surface there, so that each part is exact: the
//! smallest convex one around its share. The cut is the one of a few along the axes that leaves the least volume in the two
//! hulls; the part with the most to gain is cut first. Every point of the mesh is in a part.

use dolmen::math::DVec3;
use dolmen::shape::Hull;

use super::Soup;

/// Cuts that are tried along each axis.
const CUTS: usize = 9;

/// A part is not cut any more if that would save less than this share of the whole hull.
const WORTH: f64 = 2e-3;

/// Convex parts of a mesh.
#[derive(Debug, Clone)]
pub struct Decomposition {
    /// Corners of each part.
    pub parts: Vec<Vec<DVec3>>,
    /// Sum of the volumes of the parts, m³.
    pub volume: f64,
    /// Volume that the mesh encloses, m³; of an open one it means little.
    pub mesh_volume: f64,
    /// Volume of the convex hull of all, m³.
    pub hull_volume: f64,
}

impl Decomposition {
    /// By how much the parts are too large, in words.
    pub fn excess(&self) -> String {
        let [parts, hull] = [self.volume, self.hull_volume].map(|v| 100.0 * (v / self.mesh_volume - 1.0));
        if parts.is_finite() && self.mesh_volume > 0.0 {
            format!("with {parts:.1} % more volume (the hull has {hull:.1} %)")
        } else {
            format!("with {:.3e} m³ (the hull has {:.3e})", self.volume, self.hull_volume)
        }
    }
}

struct Piece {
    triangles: Vec<[DVec3; 3]>,
    hull: Vec<DVec3>,
    volume: f64,
    /// The best cut: what it saves, axis, place. None if it was not looked for or is not worth it.
    cut: Option<(f64, usize, f64)>,
}

/// Cuts a mesh into at most `most` convex parts; none if it has no volume.
pub fn decompose(vertices: &[DVec3], triangles: &[[u32; 3]], most: usize) -> Decomposition {
    let soup = Soup { vertices: vertices.to_vec(), triangles: triangles.to_vec() };
    let valid = triangles.iter().filter(|t| t.iter().all(|index| (*index as usize) < vertices.len()));
    let corners: Vec<[DVec3; 3]> = valid.map(|t| t.map(|index| vertices[index as usize])).collect();
    let mut result =
        Decomposition { parts: Vec::new(), volume: 0.0, mesh_volume: soup.volume().abs(), hull_volume: 0.0 };
    let Some(mut whole) = piece(corners) else { return result };
    result.hull_volume = whole.volume;
    whole.cut = best_cut(&whole, WORTH * result.hull_volume);
    let mut pieces = vec![whole];
    while pieces.len() < most.max(1) {
        let saves = |piece: &Piece| piece.cut.map_or(0.0, |(saved, _, _)| saved);
        // The first of equals, so that the order is the same everywhere.
        let Some(best) =
            (0..pieces.len()).reduce(|a, b| if saves(&pieces[b]) > saves(&pieces[a]) { b } else { a })
        else {
            break;
        };
        let Some((_, axis, at)) = pieces[best].cut else { break };
        let (low, high) = split(&pieces[best].triangles, axis, at);
        let (Some(mut low), Some(mut high)) = (piece(low), piece(high)) else {
            pieces[best].cut = None;
            continue;
        };
        low.cut = best_cut(&low, WORTH * result.hull_volume);
        high.cut = best_cut(&high, WORTH * result.hull_volume);
        pieces[best] = low;
        pieces.push(high);
    }
    result.volume = pieces.iter().map(|piece| piece.volume).sum();
    result.parts = pieces.into_iter().map(|piece| piece.hull).collect();
    result
}

fn piece(triangles: Vec<[DVec3; 3]>) -> Option<Piece> {
    let points: Vec<DVec3> = triangles.iter().flatten().copied().collect();
    let hull = Hull::new(&points).ok()?;
    let volume = volume(&hull);
    let hull = hull.vertices().to_vec();
    (volume > 0.0).then_some(Piece { triangles, hull, volume, cut: None })
}

fn volume(hull: &Hull) -> f64 {
    let origin = hull.vertices()[0];
    let corner = |index: u32| hull.vertices()[index as usize] - origin;
    hull.triangles().iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
}

fn best_cut(piece: &Piece, least: f64) -> Option<(f64, usize, f64)> {
    let mut best: Option<(f64, usize, f64)> = None;
    for axis in 0..3 {
        let coordinates = piece.hull.iter().map(|point| point[axis]);
        let low = coordinates.clone().fold(f64::INFINITY, f64::min);
        let high = coordinates.fold(f64::NEG_INFINITY, f64::max);
        for k in 1..=CUTS {
            let at = low + (high - low) * (k as f64 / (CUTS + 1) as f64);
            let (a, b) = split(&piece.triangles, axis, at);
            let side = |triangles: &[[DVec3; 3]]| {
                let points: Vec<DVec3> = triangles.iter().flatten().copied().collect();
                Hull::new(&points).map_or(f64::INFINITY, |hull| volume(&hull))
            };
            let saved = piece.volume - side(&a) - side(&b);
            if saved > least && best.is_none_or(|(most, _, _)| saved > most) {
                best = Some((saved, axis, at));
            }
        }
    }
    best
}

/// The triangles below and above a plane across an axis; those that it cuts are cut.
fn split(triangles: &[[DVec3; 3]], axis: usize, at: f64) -> (Vec<[DVec3; 3]>, Vec<[DVec3; 3]>) {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for triangle in triangles {
        let below = triangle.map(|corner| corner[axis] <= at);
        if below == [true; 3] {
            low.push(*triangle);
            continue;
        }
        if below == [false; 3] {
            high.push(*triangle);
            continue;
        }
        let (mut under, mut over) = (Vec::with_capacity(4), Vec::with_capacity(4));
        for k in 0..3 {
            let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
            if below[k] {
                under.push(p);
            } else {
                over.push(p);
            }
            if below[k] != below[(k + 1) % 3] {
                let share = ((at - p[axis]) / (q[axis] - p[axis])).clamp(0.0, 1.0);
                let mut crossing = p + (q - p) * share;
                crossing[axis] = at;
                under.push(crossing);
                over.push(crossing);
            }
        }
        for (polygon, side) in [(under, &mut low), (over, &mut high)] {
            for k in 1..polygon.len().saturating_sub(1) {
                side.push([polygon[0], polygon[k], polygon[k + 1]]);
            }
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(list: &[([f64; 3], [f64; 3])]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (low, high) in list {
            let base = vertices.len() as u32;
            for k in 0..8 {
                let pick = |axis: usize| if k >> axis & 1 == 1 { high[axis] } else { low[axis] };
                vertices.push(DVec3::new(pick(0), pick(1), pick(2)));
            }
            for [a, b, c, d] in quads {
                triangles.push([a + base, b + base, c + base]);
                triangles.push([a + base, c + base, d + base]);
            }
        }
        (vertices, triangles)
    }

    /// An L of two boxes, 3 of the hull's 3.5 volumes, is two parts without any excess.
    #[test]
    fn an_l_is_two_boxes() {
        let (vertices, triangles) = boxes(&[([0.0; 3], [2.0, 1.0, 1.0]), ([0.0, 1.0, 0.0], [1.0, 2.0, 1.0])]);
        let parts = decompose(&vertices, &triangles, 8);
        assert!((parts.hull_volume - 3.5).abs() < 1e-12);
        assert_eq!(parts.parts.len(), 2);
        assert!((parts.volume - 3.0).abs() < 1e-12, "{}", parts.volume);
    }

    /// Whatever the mesh, each vertex is in a part, parts are at most as many as allowed, and they are no larger than the hull.
    #[test]
    fn parts_hold_the_mesh_and_no_more_than_its_hull() {
        use rand_pcg::Pcg64Mcg;
        use rand_pcg::rand_core::{Rng, SeedableRng};
        let mut random = Pcg64Mcg::seed_from_u64(5);
        let mut number = || random.next_u64() as f64 / u64::MAX as f64;
        for round in 0..20 {
            let list: Vec<([f64; 3], [f64; 3])> = (0..=round % 5)
                .map(|_| {
                    let low = [number(), number(), number()];
                    (low, low.map(|x| x + 0.1 + number()))
                })
                .collect();
            let (vertices, triangles) = boxes(&list);
            let parts = decompose(&vertices, &triangles, 6);
            assert!(parts.parts.len() <= 6 && !parts.parts.is_empty());
            assert!(parts.volume <= parts.hull_volume * (1.0 + 1e-12));
            let hulls: Vec<Hull> = parts.parts.iter().map(|points| Hull::new(points).unwrap()).collect();
            for vertex in &vertices {
                let inside = hulls.iter().any(|hull| {
                    hull.triangles().iter().all(|t| {
                        let [a, b, c] = t.map(|index| hull.vertices()[index as usize]);
                        let normal = (b - a).cross(c - a);
                        normal.dot(*vertex - a) <= 1e-9 * normal.length()
                    })
                });
                assert!(inside, "{vertex} is in no part");
            }
        }
    }
}
