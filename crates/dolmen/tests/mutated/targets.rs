//! What takes bytes from outside, one function a door: bytes go in, and nothing comes out but an answer or an error with a text.
//! Used by the test `mutated` on every change, and by `fuzz/` for hours.

use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::scene::{Document, SceneErrors};
use dolmen::shape::{Mesh, read_obj, read_stl};

/// What came of bytes: the first line of the error, or none.
type Said = Option<String>;

fn first_line(error: impl std::fmt::Display) -> String {
    let text = error.to_string();
    assert!(!text.trim().is_empty(), "an error without a text");
    text.lines().next().unwrap_or_default().to_owned()
}

fn world_of(document: Result<Document, SceneErrors>) -> Said {
    let document = match document {
        Ok(document) => document,
        Err(errors) => return Some(first_line(errors)),
    };
    // A folder without files: a scene that names one is refused.
    document.build(Path::new("/nonexistent")).err().map(first_line)
}

/// The text of a scene as TOML.
pub(crate) fn scene_toml(bytes: &[u8]) -> Said {
    let text = std::str::from_utf8(bytes).ok()?;
    world_of(Document::parse("scene.toml", text))
}

/// The text of a scene as JSON.
pub(crate) fn scene_json(bytes: &[u8]) -> Said {
    let text = std::str::from_utf8(bytes).ok()?;
    world_of(Document::parse("scene.json", text))
}

/// Overrides of a scene, one a line.
pub(crate) fn overrides(bytes: &[u8]) -> Said {
    let text = std::str::from_utf8(bytes).ok()?;
    let overrides: Vec<String> = text.lines().map(str::to_owned).collect();
    let scene = "format = 1\ngravity = [0, 0, -10]\n[[body]]\nname = \"a\"\nmass = 1\nshape = { kind = \"sphere\", radius = 1 }\n";
    world_of(Document::parse_with("scene.toml", scene, &overrides))
}

/// An expression in a scene.
pub(crate) fn expression(bytes: &[u8]) -> Said {
    let text = std::str::from_utf8(bytes).ok()?;
    // A string of JSON is one of TOML.
    let quoted = serde_json::to_string(&format!("= {text}")).ok()?;
    let scene = format!(
        "format = 1\n[let]\nr = 2\nx = {quoted}\n[[body]]\nrepeat = 2\nname = \"a{{i}}\"\nmass = {quoted}\n\
         shape = {{ kind = \"sphere\", radius = 1 }}\n"
    );
    world_of(Document::parse("scene.toml", &scene))
}

/// A table of particles that a scene names.
pub(crate) fn csv(bytes: &[u8]) -> Said {
    let folder = std::env::temp_dir().join(format!("dolmen-csv-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("table.csv"), bytes).expect("a file");
    let scene = "format = 1\n[[particles]]\nname = \"p\"\nmass = 1\npath = \"table.csv\"\n";
    let built = Document::parse("scene.toml", scene).expect("a sound scene").build(&folder);
    built.err().map(first_line)
}

/// A mesh as OBJ, and the solid that it is.
pub(crate) fn obj(bytes: &[u8]) -> Said {
    match read_obj(bytes) {
        Ok(soup) => Mesh::new(&soup.vertices, &soup.triangles).err().map(first_line),
        Err(error) => Some(first_line(error)),
    }
}

/// A mesh as STL, text or binary.
pub(crate) fn stl(bytes: &[u8]) -> Said {
    match read_stl(bytes) {
        Ok(soup) => Mesh::new(&soup.vertices, &soup.triangles).err().map(first_line),
        Err(error) => Some(first_line(error)),
    }
}

/// A scene that snapshots are of.
pub(crate) const SNAPSHOT_SCENE: &str = "format = 1\ngravity = [0, 0, -10]\n[[body]]\nname = \"ball\"\nmass = 3\nposition = [0, 0, 0.4]\n\
                                  shape = { kind = \"box\", size = [0.1, 0.2, 0.3] }\nspin = [1, 2, 3]\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\n\
                                  shape = { kind = \"plane\", normal = [0, 0, 1] }\n";

/// The snapshot of a simulation; one that is accepted must go on or stop with a message.
pub(crate) fn snapshot(bytes: &[u8]) -> Said {
    let document = Document::parse("scene.toml", SNAPSHOT_SCENE).expect("a sound scene");
    let world = document.build(Path::new(".")).expect("a world");
    match Simulation::restore(world, bytes) {
        Ok(mut simulation) => {
            let mut tasks = 0;
            let mut watch = |_| {
                tasks += 1;
                tasks < 1000
            };
            simulation.advance_while(simulation.time() + 0.1, &mut watch).err().map(first_line)
        }
        Err(error) => Some(first_line(error)),
    }
}
