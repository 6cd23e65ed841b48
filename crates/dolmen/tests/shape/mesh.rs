//! Meshes and their readers: every kind of bad input, and whole-number arithmetic as referee for self-contact.

use dolmen::math::{DVec3, dvec3};
use dolmen::shape::{Hull, Mesh, MeshError, read_obj, read_stl};
use insta::assert_snapshot;
use proptest::prelude::*;
use std::fmt::Write;

const CUBE: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// Vertices and triangles.
type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

/// A cube of this side with its lowest corner there; corner k has the bits of k as x, y, z.
pub(crate) fn cube(at: DVec3, side: f64) -> Soup {
    let bit = |k: u32, b: u32| f64::from(k >> b & 1);
    ((0..8).map(|k| at + side * dvec3(bit(k, 0), bit(k, 1), bit(k, 2))).collect(), CUBE.to_vec())
}

fn flipped(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    triangles.iter().map(|t| [t[0], t[2], t[1]]).collect()
}

/// Two meshes in one list.
fn both(a: &Soup, b: &Soup) -> Result<Mesh, MeshError> {
    let n = a.0.len() as u32;
    let vertices: Vec<DVec3> = a.0.iter().chain(&b.0).copied().collect();
    let triangles: Vec<[u32; 3]> = a.1.iter().copied().chain(b.1.iter().map(|t| t.map(|v| v + n))).collect();
    Mesh::new(&vertices, &triangles)
}

/// Every way in which a set of triangles fails to bound a solid has its own words.
#[test]
fn bad_meshes_are_refused_in_words() {
    let (vertices, triangles) = cube(DVec3::ZERO, 1.0);
    let refused = |v: &[DVec3], t: &[[u32; 3]]| Mesh::new(v, t).unwrap_err().to_string();
    let with = |change: fn(&mut Vec<DVec3>, &mut Vec<[u32; 3]>)| {
        let (mut v, mut t) = (vertices.clone(), triangles.clone());
        change(&mut v, &mut t);
        refused(&v, &t)
    };
    assert_snapshot!(refused(&[], &[]), @"the mesh has no triangles; a solid needs at least the four of a tetrahedron");
    assert_snapshot!(refused(&vertices, &triangles[..11]), @"the mesh is open: the edge between vertices 3 (1.0, 1.0, 0.0) and 5 (1.0, 0.0, 1.0) belongs to triangle 10 only (3 such in all); close the hole, or merge vertices that should coincide");
    assert_snapshot!(refused(&vertices, &flipped(&triangles)), @"the mesh is inside out: its volume is -1 m³; corners must run counterclockwise seen from outside: swap two corners of every triangle");
    assert_snapshot!(with(|_, t| t[7] = [t[7][1], t[7][0], t[7][2]]), @"triangles 6 and 7 run the same way along the edge between vertices 3 (1.0, 1.0, 0.0) and 6 (0.0, 1.0, 1.0) (3 such in all), so one of them faces inwards; swap two corners of that one");
    assert_snapshot!(with(|_, t| t.push([0, 0, 1])), @"triangle 12 has no area: its corners (0.0, 0.0, 0.0), (0.0, 0.0, 0.0) and (1.0, 0.0, 0.0) are in line (1 such in all); remove it and join its neighbours");
    assert_snapshot!(with(|v, t| { v.push(dvec3(0.5, 0., 0.)); t.push([0, 8, 1]); }), @"triangle 12 has no area: its corners (0.0, 0.0, 0.0), (0.5, 0.0, 0.0) and (1.0, 0.0, 0.0) are in line (1 such in all); remove it and join its neighbours");
    assert_snapshot!(with(|v, _| v[3].y = f64::NAN), @"vertex 3 is at (1.0, NaN, 0.0); coordinates must be 0 or between 1e-60 and 1e60 m in size: correct the vertex or choose another unit of length");
    assert_snapshot!(with(|v, _| v[3].y = 1e300), @"vertex 3 is at (1.0, 1e300, 0.0); coordinates must be 0 or between 1e-60 and 1e60 m in size: correct the vertex or choose another unit of length");
    assert_snapshot!(with(|_, t| t[2][1] = 8), @"triangle 2 names vertex 8, but the mesh has 8 vertices; name one of these, counted from 0");
    assert_snapshot!(with(|_, t| { t.push([0, 1, 7]); t.push([0, 7, 1]); }), @"4 triangles meet at the edge between vertices 0 (0.0, 0.0, 0.0) and 1 (1.0, 0.0, 0.0) (1 such in all); a surface has two: remove inner walls, or separate the parts");
    // The top pushed through the bottom: closed and consistent, but crossing itself.
    assert_snapshot!(with(|v, _| v[7] = dvec3(-1., -1., -1.)), @"the surface meets itself: triangles 0 and 7, 0 and 11, 1 and 7, 1 and 11 touch beyond their common corners; unite overlapping parts into one surface, or make them parts of a compound");
    assert_snapshot!(both(&cube(DVec3::ZERO, 1.0), &cube(dvec3(0.5, 0.25, 0.125), 1.0)).unwrap_err(), @"the surface meets itself: triangles 2 and 16, 6 and 12, 6 and 13, 7 and 13 touch beyond their common corners; unite overlapping parts into one surface, or make them parts of a compound");
    let inner = cube(DVec3::splat(0.25), 0.5);
    assert_snapshot!(both(&cube(DVec3::ZERO, 1.0), &inner).unwrap_err(), @"the piece with triangle 12 encloses 0.125 m³ and lies within 1 other pieces: it must face inwards (a cavity); swap two corners of each of its triangles, or remove it");
}

/// A cavity faces its void; a stone in the cavity faces outwards again; separate pieces are one mesh.
#[test]
fn cavities_and_several_pieces_are_one_mesh() {
    let (outer, hole) = (cube(DVec3::ZERO, 1.0), cube(DVec3::splat(0.25), 0.5));
    let hole = (hole.0, flipped(&hole.1));
    assert!(both(&outer, &hole).is_ok());
    assert!(both(&outer, &cube(dvec3(3., 0., 0.), 1.0)).is_ok());
    let shell = both(&outer, &hole).unwrap();
    let shell = (shell.vertices().to_vec(), shell.triangles().to_vec());
    let stone = cube(DVec3::splat(0.375), 0.25);
    assert!(both(&shell, &stone).is_ok());
    let inverted = both(&shell, &(stone.0, flipped(&stone.1)));
    assert!(matches!(inverted, Err(MeshError::Nesting { triangle: 24, depth: 2, .. })), "{inverted:?}");
    let outside = cube(dvec3(3., 0., 0.), 0.5);
    let inverted = both(&outer, &(outside.0, flipped(&outside.1)));
    assert!(matches!(inverted, Err(MeshError::Nesting { triangle: 12, depth: 0, .. })), "{inverted:?}");
}

/// Surfaces must not touch: at a corner they may share a vertex, along an edge or a face they may not.
#[test]
fn pieces_that_touch_are_told_apart() {
    let one = cube(DVec3::ZERO, 1.0);
    assert!(both(&one, &cube(DVec3::ONE, 1.0)).is_ok(), "corner to corner");
    let at_edge = both(&one, &cube(dvec3(1., 1., 0.), 1.0));
    assert!(matches!(at_edge, Err(MeshError::NonManifold { triangles: 4, .. })), "{at_edge:?}");
    for shift in [dvec3(1., 0.5, 0.5), dvec3(1., 1., 0.5), dvec3(1., 0.25, 0.), dvec3(0.5, 0.5, 1.)] {
        let touching = both(&one, &cube(shift, 1.0));
        assert!(matches!(touching, Err(MeshError::Overlap { .. })), "{shift}: {touching:?}");
    }
    let a_bit_apart = dvec3(1.0 + f64::EPSILON, 0.5, 0.5);
    assert!(both(&one, &cube(a_bit_apart, 1.0)).is_ok());
    let twice = both(&one, &(one.0.clone(), flipped(&one.1)));
    assert!(twice.is_err(), "{twice:?}");
    // Two triangles back to back: every edge is walked both ways, and there is nothing inside.
    let sheet = Mesh::new(&one.0, &[[0, 1, 2], [0, 2, 1]]);
    assert!(matches!(&sheet, Err(MeshError::Overlap { pairs }) if *pairs == [[0, 1]]), "{sheet:?}");
}

/// Equal vertices are one; the triangles that this makes vanish, and vertices without a triangle, are gone.
#[test]
fn repeated_vertices_are_welded() {
    let (vertices, triangles) = cube(DVec3::ZERO, 1.0);
    let soup: Vec<DVec3> = triangles.iter().flatten().map(|v| vertices[*v as usize]).collect();
    let own: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = Mesh::new(&soup, &own).unwrap();
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));

    // A seam of no width along the edge 0–1, and −0 for 0.
    let (mut v, mut t) = (vertices.clone(), triangles.clone());
    v.extend([dvec3(-0.0, 0., 0.), dvec3(1., -0.0, 0.), dvec3(9., 9., 9.)]);
    t[4] = [8, 9, 4];
    t[5] = [9, 5, 4];
    t.extend([[0, 1, 9], [0, 9, 8]]);
    let mesh = Mesh::new(&v, &t).unwrap();
    assert_eq!(mesh.vertices(), vertices);
    assert_eq!(mesh.triangles(), triangles);
}

/// Whole points.
type Whole = [i64; 3];

fn minus(p: Whole, q: Whole) -> Whole {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

fn cross(p: Whole, q: Whole) -> Whole {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

fn dot(p: Whole, q: Whole) -> i64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

/// Two closed convex polygons in space meet unless an axis separates them: a normal of one, a product of edges, or, when
/// both are in one plane, a normal of an edge in that plane. By whole numbers.
fn polygons_meet(a: &[Whole], b: &[Whole]) -> bool {
    let edges =
        |t: &[Whole]| -> Vec<Whole> { (0..t.len()).map(|k| minus(t[(k + 1) % t.len()], t[k])).collect() };
    let (ea, eb) = (edges(a), edges(b));
    let (na, nb) = (cross(ea[0], ea[1]), cross(eb[0], eb[1]));
    let mut axes = vec![na, nb];
    axes.extend(ea.iter().flat_map(|p| eb.iter().map(|q| cross(*p, *q))));
    axes.extend(ea.iter().map(|e| cross(na, *e)).chain(eb.iter().map(|e| cross(nb, *e))));
    !axes.iter().any(|n| {
        let span = |t: &[Whole]| {
            let d: Vec<i64> = t.iter().map(|p| dot(*n, *p)).collect();
            (*d.iter().min().unwrap(), *d.iter().max().unwrap())
        };
        let ((a0, a1), (b0, b1)) = (span(a), span(b));
        a1 < b0 || b1 < a0
    })
}

/// Whether two triangles share more than a common corner. The corner of one is cut off: were more shared, so would be
/// a segment from that corner which, on a grid of five, is longer than the cut.
fn triangles_clash(t: [Whole; 3], u: [Whole; 3]) -> bool {
    const FINE: i64 = 4096;
    let fine = |p: Whole| p.map(|x| FINE * x);
    let others = u.map(fine);
    match (0..3).find(|k| u.contains(&t[*k])) {
        None => polygons_meet(&t.map(fine), &others),
        Some(k) => {
            let (v, a, b) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            let cut = |to: Whole| {
                let d = minus(to, v);
                [0, 1, 2].map(|i| FINE * v[i] + d[i])
            };
            polygons_meet(&[cut(a), fine(a), fine(b), cut(b)], &others)
        }
    }
}

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// Whether the surfaces of two tetrahedra share more than a common corner.
fn surfaces_clash(a: &[Whole; 4], b: &[Whole; 4]) -> bool {
    let face = |t: &[Whole; 4], f: [u32; 3]| f.map(|k| t[k as usize]);
    TETRAHEDRON.iter().any(|f| TETRAHEDRON.iter().any(|g| triangles_clash(face(a, *f), face(b, *g))))
}

fn determinant(t: &[Whole; 4]) -> i64 {
    let [a, b, c] = [1, 2, 3].map(|k| [t[k][0] - t[0][0], t[k][1] - t[0][1], t[k][2] - t[0][2]]);
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Whether p is strictly inside t, by whole numbers.
fn inside(t: &[Whole; 4], p: Whole) -> bool {
    (0..4).all(|k| {
        let mut with = *t;
        with[k] = p;
        determinant(&with).signum() == determinant(t).signum()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::with_cases(3000) })]

    /// Two tetrahedra overlap, touch, lie apart or one in the other; on a small grid all degenerate ways occur.
    #[test]
    fn surfaces_that_meet_are_found_exactly(
        a in prop::array::uniform4(prop::array::uniform3(0..5_i64)),
        b in prop::array::uniform4(prop::array::uniform3(0..5_i64)),
        shift in 0..4_i64,
    ) {
        let b = b.map(|p| [p[0] + shift, p[1], p[2]]);
        prop_assume!(determinant(&a) != 0 && determinant(&b) != 0);
        // Two common corners are a common edge, which is refused before.
        let common = a.iter().filter(|p| b.contains(p)).count();
        prop_assume!(common < 2);
        let mesh = |t: &[Whole; 4]| {
            let vertices: Vec<DVec3> = t.iter().map(|p| DVec3::from(p.map(|x| x as f64))).collect();
            let faces = TETRAHEDRON.to_vec();
            (vertices, if determinant(t) > 0 { faces } else { flipped(&faces) })
        };
        let clash = surfaces_clash(&a, &b);
        let outcome = both(&mesh(&a), &mesh(&b));
        prop_assert_eq!(matches!(outcome, Err(MeshError::Overlap { .. })), clash, "{:?}", outcome);
        let nested = a.iter().all(|p| inside(&b, *p)) || b.iter().all(|p| inside(&a, *p));
        prop_assert_eq!(matches!(outcome, Err(MeshError::Nesting { .. })), nested);
        prop_assert_eq!(outcome.is_ok(), !clash && !nested);
    }
}

/// Quads, negative numbers, textures, comments and continued lines are all one cube.
#[test]
fn obj_texts_are_read_in_all_their_dialects() {
    let text = "# a cube\nmtllib x.mtl\no cube\n\
        v 0 0 0\nv 1 0 0\nv 0 1 0 1.0\nv 1 1 0 # comment\nv 0 0 1\nv 1 0 1e0\nv 0 1 1\nv +1 1 1\nvn 0 0 1\nvt 0 0\n\
        s off\nf 1 3 4 2\nf 5//1 6//1 8//1 7//1\nf 1/1 2/1 6/1 5/1\nf -6/1/1 -2/1/1 -1/1/1 -5/1/1\n\
        f 1 5 \\\n  7 3\r\nf 2 4 8 6\n";
    let soup = read_obj(text.as_bytes()).unwrap();
    assert_eq!((soup.vertices.len(), soup.triangles.len()), (8, 12));
    let mesh = Mesh::new(&soup.vertices, &soup.triangles).unwrap();
    assert_eq!(mesh.vertices(), cube(DVec3::ZERO, 1.0).0);
}

/// A reader says which line, and what would be right; it quotes nothing, since the file may be another one.
#[test]
fn bad_obj_lines_are_shown() {
    let refused = |text: &str| read_obj(text.as_bytes()).unwrap_err().to_string();
    let v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    assert_snapshot!(refused("v 0 0 0\nv 1 O 0\n"), @"line 2: coordinate 2 is no number; write it as in 1.5 or -2e-3");
    assert_snapshot!(refused("v 0 0\n"), @"line 1: a vertex needs 3 coordinates, this one has 2");
    assert_snapshot!(refused(&format!("{v}f 1 2\n")), @"line 4: a face needs at least 3 corners, this one has 2");
    assert_snapshot!(refused(&format!("{v}f 1 2 4\n")), @"line 4: corner 3 names a vertex that there is not: 3 are defined up to here; count from 1, or back from -1, and define vertices before the faces that use them");
    assert_snapshot!(refused(&format!("{v}f 0 1 2\n")), @"line 4: corner 1 names a vertex that there is not: 3 are defined up to here; count from 1, or back from -1, and define vertices before the faces that use them");
    assert_snapshot!(refused(&format!("{v}f -4 1 2\n")), @"line 4: corner 1 names a vertex that there is not: 3 are defined up to here; count from 1, or back from -1, and define vertices before the faces that use them");
    assert_snapshot!(refused(&format!("{v}f a b c\n")), @"line 4: corner 1 is no number of a vertex; write it as in `f 1 2 3` or `f 1/1/1 2/2/1 3/3/1`");
    assert_snapshot!(refused(&format!("{v}f 1 2 -9223372036854775808\n")), @"line 4: corner 3 names a vertex that there is not: 3 are defined up to here; count from 1, or back from -1, and define vertices before the faces that use them");
}

fn stl_binary(header: &[u8], corners: &[[DVec3; 3]]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, 0);
    bytes.extend((corners.len() as u32).to_le_bytes());
    for t in corners {
        bytes.extend([0; 12]);
        bytes.extend(t.iter().flat_map(DVec3::to_array).flat_map(|x| (x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn cube_corners() -> Vec<[DVec3; 3]> {
    let (v, t) = cube(DVec3::ZERO, 1.0);
    t.iter().map(|t| t.map(|k| v[k as usize])).collect()
}

fn stl_text() -> String {
    let mut text = String::from("solid cube\n");
    for t in cube_corners() {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for p in t {
            writeln!(text, "      vertex {:e} {:e} {:e}", p.x, p.y, p.z).unwrap();
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid cube\n"
}

/// Text, binary, and a binary whose header begins like a text are the same cube.
#[test]
fn stl_files_of_either_kind_are_the_same_cube() {
    let binary = stl_binary(b"made by hand", &cube_corners());
    let disguised = stl_binary(b"solid cube", &cube_corners());
    for bytes in [binary, disguised, stl_text().into_bytes()] {
        let soup = read_stl(&bytes).unwrap();
        assert_eq!((soup.vertices.len(), soup.triangles.len()), (36, 12));
        let mesh = Mesh::new(&soup.vertices, &soup.triangles).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
    }
}

/// A file cut short or damaged is refused, wherever it is cut.
#[test]
fn damaged_stl_files_are_refused_in_words() {
    let refused = |bytes: &[u8]| read_stl(bytes).unwrap_err().to_string();
    let binary = stl_binary(b"made by hand", &cube_corners());
    assert_snapshot!(refused(&binary[..binary.len() - 20]), @"the binary STL announces 12 triangles, which take 684 bytes, but has 664 bytes; the file is damaged or cut short: export it again");
    assert_snapshot!(refused(&binary[..40]), @"40 bytes are no STL file: a binary one starts with 84 bytes of header, a text with the word `solid`; export it again");
    assert_snapshot!(refused(b""), @"0 bytes are no STL file: a binary one starts with 84 bytes of header, a text with the word `solid`; export it again");
    let text = stl_text();
    assert_snapshot!(refused(&text.as_bytes()[..200]), @"line 11: coordinate 2 is no number; write it as in 1.5 or -2e-3");
    assert_snapshot!(refused(text.replace("endsolid cube\n", "").as_bytes()), @"the STL text ends at line 85 before `endsolid`; the file is cut short: export it again");
    assert_snapshot!(refused(text.replacen("vertex 1e0", "vertex one", 1).as_bytes()), @"line 6: coordinate 1 is no number; write it as in 1.5 or -2e-3");
    assert_snapshot!(refused(text.replacen("    endloop\n  endfacet\n", "vertex 0 0 0\nendfacet\n", 1).as_bytes()), @"line 8: the facet has 4 vertices, it needs 3");
    for cut in 0..binary.len() {
        assert!(read_stl(&binary[..cut]).is_err(), "cut at {cut}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    /// Whatever the bytes, a reader and the check behind it answer or refuse; they never panic.
    #[test]
    fn random_input_never_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        text in "([vf] |[-0-9./ ]|\\n|solid\\n|facet|vertex 1 2 3|endfacet|endsolid| ){0,60}",
    ) {
        for soup in [read_stl(&bytes), read_stl(text.as_bytes()), read_obj(text.as_bytes())].into_iter().flatten() {
            let _ = Mesh::new(&soup.vertices, &soup.triangles);
            let _ = Hull::new(&soup.vertices);
        }
    }
}

/// The ending of the name says what to expect; the path is in every message.
#[test]
fn meshes_are_loaded_by_the_ending_of_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Mesh::load(&path)
    };
    let message = |outcome: Result<Mesh, dolmen::shape::LoadError>| {
        outcome.unwrap_err().to_string().replace(&folder.path().display().to_string(), "…")
    };
    assert!(file("cube.STL", stl_text().as_bytes()).is_ok());
    assert_snapshot!(message(file("cube.ply", b"ply")), @"the mesh file …/cube.ply ends neither in .obj nor in .stl; convert it to one of these");
    assert_snapshot!(message(file("bad.obj", b"v 1 2\n")), @"…/bad.obj: line 1: a vertex needs 3 coordinates, this one has 2");
    assert_snapshot!(message(file("open.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")), @"…/open.obj: the mesh is open: the edge between vertices 0 (0.0, 0.0, 0.0) and 1 (1.0, 0.0, 0.0) belongs to triangle 0 only (3 such in all); close the hole, or merge vertices that should coincide");
    // What the system says differs from one to the other.
    let none = message(Mesh::load(&folder.path().join("none.obj")));
    assert!(none.starts_with("cannot read the mesh file …/none.obj: "), "{none}");
}
