//! Files with small changes: whatever becomes of them, the answer is a result or an error with a text, soon.
//!
//! Small corpora reach the errors that readers know; each of their files is tried as it is and with random changes. The same doors are
//! open to `cargo fuzz` in the folder `fuzz`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use dolmen::drive::exact::Simulation;
use dolmen::scene::Document;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use targets::Said;

#[path = "mutated/targets.rs"]
mod targets;

/// Changes that are tried of each file.
const CHANGES: u32 = 300;

/// How long one file may take; the machine may have other things to do.
const LONGEST: Duration = Duration::from_secs(20);

/// What numbers and words are replaced by.
const STRANGE: [&str; 24] = [
    "0",
    "-0.0",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "-inf",
    "18446744073709551616",
    "-1",
    "1e400",
    "0x7f",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "\u{0}",
    "\u{feff}",
    "é",
    "\\",
    "true",
    "a.b.c.d.e.f",
    "# ",
    "\r\n",
];

fn index(random: &mut Pcg64Mcg, count: usize) -> usize {
    if count == 0 { 0 } else { random.next_u32() as usize % count }
}

/// One to four changes: bits, cuts, doubled parts, parts of another file, strange words.
fn changed(random: &mut Pcg64Mcg, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=index(random, 4) {
        let (a, b) = (index(random, bytes.len() + 1), index(random, bytes.len() + 1));
        let (a, b) = (a.min(b), a.max(b));
        match random.next_u32() % 7 {
            0 if a < bytes.len() => bytes[a] ^= 1 << (random.next_u32() % 8),
            1 => bytes.truncate(a),
            2 => {
                bytes.drain(a..b.min(a + 40));
            }
            3 => {
                let part = bytes[a..b.min(a + 200)].to_vec();
                bytes.splice(a..a, part);
            }
            4 => {
                let (from, to) = (index(random, other.len() + 1), index(random, other.len() + 1));
                let part = other[from.min(to)..from.max(to).min(from.min(to) + 200)].to_vec();
                bytes.splice(a..a, part);
            }
            _ => {
                // A whole word or number, if one begins here.
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+_".contains(byte);
                let start = (a..bytes.len()).find(|i| is_part(&bytes[*i])).unwrap_or(bytes.len());
                let end = (start..bytes.len()).find(|i| !is_part(&bytes[*i])).unwrap_or(bytes.len());
                let word = STRANGE[index(random, STRANGE.len())].bytes();
                bytes.splice(start..end, word);
            }
        }
    }
    bytes
}

/// Tries all files and their changes; the errors that were reached, without names and numbers.
fn reached(door: fn(&[u8]) -> Said, corpus: &[Vec<u8>], seed: u128) -> BTreeSet<String> {
    let mut random = Pcg64Mcg::new(seed);
    let mut kinds = BTreeSet::new();
    let mut accepted = 0;
    for (i, file) in corpus.iter().enumerate() {
        for k in 0..=CHANGES {
            let other = &corpus[index(&mut random, corpus.len())];
            let bytes = if k == 0 { file.clone() } else { changed(&mut random, file, other) };
            let begun = Instant::now();
            let said = door(&bytes);
            let took = begun.elapsed();
            assert!(
                took < LONGEST,
                "file {i}, change {k} took {took:?}: {}",
                String::from_utf8_lossy(&bytes)
            );
            match said {
                Some(error) => {
                    let kind =
                        error.split_whitespace().filter(|word| word.chars().all(|c| c.is_ascii_lowercase()));
                    kinds.insert(kind.collect::<Vec<_>>().join(" "));
                }
                None => accepted += 1,
            }
        }
    }
    assert!(accepted > 0, "no file is accepted");
    kinds
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

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
    let kinds = reached(targets::scene_toml, &corpus, 1);
    assert!(kinds.len() > 30, "{} kinds of errors: {kinds:#?}", kinds.len());
}

#[test]
fn scenes_as_json() {
    let as_json =
        |text: String| Some(Document::parse("scene.toml", &text).ok()?.scene().to_json().into_bytes());
    let corpus: Vec<Vec<u8>> = scenes().into_iter().filter_map(as_json).collect();
    assert!(corpus.len() > 10, "{} scenes", corpus.len());
    let kinds = reached(targets::scene_json, &corpus, 2);
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
    let kinds = reached(targets::overrides, &corpus, 3);
    assert!(kinds.len() > 5, "{kinds:#?}");
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
    let kinds = reached(targets::obj, &corpus, 4);
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
    let kinds = reached(targets::stl, &[text.into_bytes(), binary_stl(), b"solid\nendsolid\n".to_vec()], 5);
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
    let kinds = reached(targets::snapshot, &corpus, 6);
    assert!(kinds.len() > 2, "{kinds:#?}");
}
