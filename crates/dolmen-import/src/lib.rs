//! Robots and meshes of other formats as Dolmen scenes.
//!
//! A file is read into links, coordinates between them and shapes (`model`); links that are fixed to each other become one
//! body, the coordinates between two links one joint. What a scene cannot say is in [`Imported::notes`], with its place and
//! what follows.
//!
//! ```
//! use dolmen_import::{Options, import_text};
//!
//! let text = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";
//! let imported = import_text("ball.xml", text, &Options::default()).unwrap();
//! assert!(imported.toml.contains("radius = 0.1"));
//! ```

mod export;
mod file;
mod frame;
mod gltf;
mod groups;
mod joint;
mod mesh;
mod mjcf;
mod model;
mod note;
mod scene;
mod sdf;
mod uri;
mod urdf;
mod xml;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use dolmen::scene::{Document, ImportRequest, ImportedText, Scene};

pub use export::{Exported, to_mjcf, to_urdf};
pub use mesh::{Decomposition, decompose};
pub use note::{ImportError, Note, Place};

use file::Files;
use model::Model;
use note::Notes;
use xml::Element;

/// How shapes that are given as meshes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Meshes {
    /// As the format means them: the convex hull in MJCF, URDF and SDFormat; as they are elsewhere.
    #[default]
    Auto,
    /// As they are; one that is not closed is taken as its hull, and that is said.
    Exact,
    /// The convex hull.
    Hull,
    /// Several convex parts.
    Parts,
    /// The box around it, along the axes of its file.
    Box,
}

/// What is asked of an import.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Options {
    /// How meshes are taken.
    pub meshes: Meshes,
    /// The most convex parts of a mesh.
    pub most_parts: usize,
    /// Folders in which the packages of `package://` are looked for first.
    pub package_paths: Vec<PathBuf>,
    /// Whether files outside the folder of the model and of its packages may be read.
    pub allow_outside: bool,
    /// The key frame to start from, by its name or its number from 0.
    pub keyframe: Option<String>,
    /// Whether the root of a URDF moves freely; else it is fixed to the world.
    pub free_base: bool,
    /// Whether bodies collide.
    pub contacts: bool,
    /// Whether coordinates are limited.
    pub limits: bool,
    /// Whether actuators act.
    pub actuators: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            meshes: Meshes::Auto,
            most_parts: 16,
            package_paths: Vec::new(),
            allow_outside: false,
            keyframe: None,
            free_base: false,
            contacts: true,
            limits: true,
            actuators: true,
        }
    }
}

/// Where a link of the file is in the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyOfLink {
    /// Its name in the file.
    pub link: String,
    /// The body that it is, or is part of; none if it was left out.
    pub body: Option<String>,
    /// Whether that is fixed.
    pub fixed: bool,
    /// The link's origin in the body's frame, m.
    pub position: [f64; 3],
    /// The link's frame in the body's, [w, x, y, z].
    pub quaternion: [f64; 4],
}

/// Where a coordinate of the file is in the scene: file's = offset + sign · scene's.
#[derive(Debug, Clone, PartialEq)]
pub struct CoordinateOfJoint {
    /// The joint in the file.
    pub joint: String,
    /// The joint of the scene.
    pub in_scene: String,
    /// Its axis; none for a ball.
    pub axis: Option<String>,
    /// +1 or −1.
    pub sign: f64,
    /// What the file calls the coordinate where the scene's is zero.
    pub offset: f64,
    /// The coordinate at the start less the offset, as the file counts it.
    pub start: f64,
}

/// A scene made of a file.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The scene.
    pub scene: Scene,
    /// Its text, the notes at its end as comments.
    pub toml: String,
    /// What the scene does not say as the file does.
    pub notes: Vec<Note>,
    /// Where the links of the file are.
    pub links: Vec<BodyOfLink>,
    /// Where its coordinates are.
    pub coordinates: Vec<CoordinateOfJoint>,
}

/// Whether a file is one that [`import`] reads, by the ending of its name.
pub fn is_importable(path: &Path) -> bool {
    ending(path).is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Endings of files that can be imported.
pub const ENDINGS: [&str; 12] =
    ["xml", "mjcf", "urdf", "sdf", "world", "gltf", "glb", "obj", "stl", "ply", "off", "dae"];

fn ending(path: &Path) -> Option<String> {
    path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase)
}

/// Reads a file of another format as a scene.
///
/// # Errors
/// When the file cannot be read or says what cannot be, with the place.
pub fn import(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    Reading::new(path, options).import()
}

/// An [`Importer`](dolmen::scene::Importer): what scenes that include robots and meshes are read with.
pub fn importer(path: &Path, request: &ImportRequest) -> Option<Result<ImportedText, String>> {
    if !is_importable(path) {
        return None;
    }
    let options =
        Options { allow_outside: request.allow_outside, free_base: request.free_base, ..Options::default() };
    Some(match import(path, &options) {
        Ok(imported) => {
            let notes = imported.notes.iter().map(Note::to_string).collect();
            Ok(ImportedText { toml: imported.toml, notes })
        }
        Err(error) => Err(format!("{}: {}", error.place, error.message)),
    })
}

/// Reads the bytes of a file of another format as a scene, by the ending of `name`; files that they name are relative to the folder
/// of `name`.
///
/// # Errors
/// As [`import`].
pub fn import_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, ImportError> {
    let mut reading = Reading::new(Path::new(name), options);
    reading.files = reading.files.with_main(bytes);
    reading.import()
}

/// Reads a text of another format as a scene; files that it names are relative to the folder of `name`.
///
/// # Errors
/// As [`import`].
pub fn import_text(name: &str, text: &str, options: &Options) -> Result<Imported, ImportError> {
    let path = Path::new(name);
    let mut reading = Reading::new(path, options);
    let root = Element::parse(name, text)?;
    let model = reading.xml(root)?;
    finish(model, reading.notes, options, path)
}

/// What the readers share.
struct Reading<'a> {
    path: PathBuf,
    name: String,
    files: Files,
    notes: Notes,
    options: &'a Options,
}

impl<'a> Reading<'a> {
    fn new(path: &Path, options: &'a Options) -> Self {
        let name =
            path.file_stem().map_or_else(|| "import".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Self {
            path: path.to_owned(),
            name,
            files: Files::new(path, options),
            notes: Notes::default(),
            options,
        }
    }

    fn import(mut self) -> Result<Imported, ImportError> {
        let path = self.path.clone();
        let model = match ending(&path).unwrap_or_default().as_str() {
            "gltf" | "glb" => gltf::read(&mut self)?,
            ending if mesh::ENDINGS.contains(&ending) => self.lone_mesh()?,
            _ => {
                let root = Element::read(&path, &mut self.files)?;
                self.xml(root)?
            }
        };
        finish(model, self.notes, self.options, &path)
    }

    /// By the root element: endings of XML files say little.
    fn xml(&mut self, root: Element) -> Result<Model, ImportError> {
        match root.name.as_str() {
            "mujoco" => mjcf::read(self, root),
            "robot" => urdf::read(self, &root),
            "sdf" => sdf::read(self, &root),
            other => Err(root
                .error(format!("the root element is <{other}>"))
                .help("MJCF begins with <mujoco>, URDF with <robot>, SDFormat with <sdf>")),
        }
    }
}

/// The most links of a model: every pair of them is looked at.
const MAX_LINKS: usize = 4096;

fn finish(model: Model, mut notes: Notes, options: &Options, path: &Path) -> Result<Imported, ImportError> {
    if model.links.len() > MAX_LINKS {
        let message = format!("the model has {} links; at most {MAX_LINKS} are taken", model.links.len());
        return Err(ImportError::new(&Place::file(&path.display().to_string()), message));
    }
    let made = scene::make(model, options, &mut notes);
    let name = path.display().to_string();
    let text = made.value.to_string();
    let document = Document::parse("scene.json", &text).map_err(|errors| {
        let all: Vec<String> = errors
            .diagnostics
            .iter()
            .map(|diagnostic| format!("{}: {}", diagnostic.path, diagnostic.message))
            .collect();
        ImportError::new(&Place::file(&name), format!("the scene made of it is refused: {}", all.join("; ")))
    })?;
    let scene = document.into_scene();
    let notes = notes.into_vec();
    let mut toml = scene.to_toml();
    if !notes.is_empty() {
        toml += "\n# What the file says and this scene does not:\n";
        for note in &notes {
            let _ = writeln!(toml, "# - {}", note.to_string().replace(char::is_control, " "));
        }
    }
    Ok(Imported { scene, toml, notes, links: made.bodies, coordinates: made.coordinates })
}
