//! Files with small changes: whatever becomes of them, the answer is a result or an error with a text, soon.
//!
//! Small corpora reach the errors that readers know; each of their files is tried as it is and with random changes. The same doors are
//! open to `cargo fuzz` in the folder `fuzz`.

use change::{reached, texts};
use dolmen::drive::exact::Simulation;
use dolmen::scene::Document;

#[path = "mutated/change.rs"]
mod change;
#[path = "mutated/targets.rs"]
mod targets;

/// Built-in scenes, as texts.
fn scenes() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("scenes").filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|f| {
        f.extension().is_some_and(|e| e == "toml") && !f.to_string_lossy().ends_with(".expect.toml")
    });
    files.sort();
    // Large ones teach nothing that small ones do not.
    let read = files.iter().step_by(4).filter_map(|f| std::fs::read_to_string(f).ok());
    read.filter(|text| text.len() < 4000).collect()
}

#[test]
fn scenes_as_toml() {
    let corpus: Vec<Vec<u8>> = scenes().into_iter().map(String::into_bytes).collect();
    assert!(corpus.len() > 10, "{} scenes", corpus.len());
    let kinds = reached("scene_toml", targets::scene_toml, &corpus);
    assert!(kinds.len() > 30, "{} kinds of errors: {kinds:#?}", kinds.len());
}

#[test]
fn scenes_as_json() {
    let as_json =
        |text: String| Some(Document::parse("scene.toml", &text).ok()?.scene().to_json().into_bytes());
    let corpus: Vec<Vec<u8>> = scenes().into_iter().filter_map(as_json).collect();
    assert!(corpus.len() > 10, "{} scenes", corpus.len());
    let kinds = reached("scene_json", targets::scene_json, &corpus);
    assert!(kinds.len() > 20, "{} kinds of errors: {kinds:#?}", kinds.len());
}

#[test]
fn overrides_of_a_scene() {
    let corpus = texts(&[
        "gravity=[0,0,-1.62]",
        "body.a.mass=2\nbody.a.position=[1,2,3]",
        "body.a.shape.radius=1e3",
        "contact.friction=0.3",
        "body.b.mass=2",
        "gravity",
        "=",
        "body.a.mass=-2",
        "a.b.c.d.e.f.g.h=1",
    ]);
    let kinds = reached("overrides", targets::overrides, &corpus);
    assert!(kinds.len() > 5, "{kinds:#?}");
}

#[test]
fn expressions() {
    let corpus = texts(&[
        "2*r + 1",
        "sin(30 deg) * [1, 2, 3][i % 3]",
        "r > 1 && !(r == 2) or r <= 3",
        "min(1, max(2, r), abs(-3)) ^ 2",
        "5 mm + 2 m",
        "1 / 0",
        "sqrt(-1)",
        "[1, [2, 3]]",
        "nobody",
        "if(r, 1)",
        "((((((((1))))))))",
        "2 +",
        "r[7]",
        "\"text\" + 1",
    ]);
    let kinds = reached("expression", targets::expression, &corpus);
    assert!(kinds.len() > 8, "{kinds:#?}");
}

#[test]
fn tables_of_particles() {
    let corpus = texts(&[
        "x,y,z\n0,0,0\n1,0,0\n",
        "m, x, y, z, vx, vy, vz\n1, 0, 0, 0, 1, 2, 3\n2, 1, 0, 0, 1e-3, -2, 0.5\n",
        "x,y,z,vx\n0,0,0,0\n",
        "x,y,q\n0,0,0\n",
        "x,y\n0,0\n",
        "x,y,z\n0,0\n",
        "x,y,z\n0,0,a\n",
        "x,y,z\n",
        "\"x\",y,\"z\n\"\n1,2,3\n",
    ]);
    let kinds = reached("csv", targets::csv, &corpus);
    assert!(kinds.len() > 4, "{kinds:#?}");
}

const TETRAHEDRON: &str = "o t\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn meshes_as_obj() {
    let corpus = texts(&[
        TETRAHEDRON,
        "v 0 0 0 1.0\nvn 0 0 1\nvt 0 0\nf 1//1 1//1 1//1\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf -4/1/1 -2 -3\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
        "v 1 2\n",
        "f 1 2 3\n",
        "v a b c\n",
    ]);
    let kinds = reached("obj", targets::obj, &corpus);
    assert!(kinds.len() > 5, "{kinds:#?}");
}

/// A tetrahedron as a binary STL.
fn binary_stl() -> Vec<u8> {
    let (o, x, y, z) = ([0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let triangles = [[o, y, x], [o, x, z], [x, y, z], [y, o, z]];
    let mut bytes = vec![b' '; 80];
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|c| c.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn meshes_as_stl() {
    let facet = |a: &str, b: &str, c: &str| {
        format!("facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n")
    };
    let (o, x, y, z) = ("0 0 0", "1 0 0", "0 1 0", "0 0 1");
    let text = format!(
        "solid t\n{}{}{}{}endsolid t\n",
        facet(o, y, x),
        facet(o, x, z),
        facet(x, y, z),
        facet(y, o, z)
    );
    let kinds =
        reached("stl", targets::stl, &[text.into_bytes(), binary_stl(), b"solid\nendsolid\n".to_vec()]);
    assert!(kinds.len() > 5, "{kinds:#?}");
}

/// Damaged snapshots are refused, wherever the damage is.
#[test]
fn snapshots() {
    let document = Document::parse("scene.toml", targets::SNAPSHOT_SCENE).expect("a scene");
    let mut simulation =
        Simulation::new(document.build(std::path::Path::new(".")).expect("a world")).expect("a start");
    simulation.advance(0.3).expect("to go on");
    let whole = simulation.snapshot();
    let with = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    // The beginning, the version, the world, the checksum, the state; and cuts in each of them.
    let mut corpus: Vec<Vec<u8>> = [3, 13, 20, 60, 200].map(with).to_vec();
    corpus.extend([5, 14, 30, 70, 100].map(|end| whole[..end].to_vec()));
    corpus.push(whole.clone());
    let kinds = reached("snapshot", targets::snapshot, &corpus);
    assert!(kinds.len() > 2, "{kinds:#?}");
}
