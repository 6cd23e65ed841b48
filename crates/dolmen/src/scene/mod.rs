//! The scene file: read it, say what is wrong with it, save it.
//!
//! One format, TOML or JSON of the same shape, described in `docs/scene.md`. A text becomes a tree that
//! keeps where everything was written, the tree becomes the [`typed`] scene, and the scene is checked as far
//! as that is possible without building a world. All mistakes that can be found are shown at once, each with
//! its place and a remedy.
//!
//! ```
//! use dolmen::scene::Document;
//!
//! let errors = Document::parse("ball.toml", "format = 1\n[[body]]\nmas = 1.0\n").unwrap_err();
//! assert_eq!(errors.diagnostics[0].help.as_deref(), Some("did you mean `mass`?"));
//! assert!(errors.to_string().starts_with("ball.toml:3:1: error: unknown key `mas`"));
//! ```

mod check;
mod decode;
mod error;
mod meant;
mod node;
mod other;
mod overrides;
mod place;
mod read;
mod schema;
mod suggest;
pub mod typed;
mod write;

use std::path::Path;

pub use error::{Diagnostic, Excerpt, Problem, SceneErrors, Source};
pub use other::Typed;
pub use place::PathSegment;
pub use schema::json_schema;
pub use suggest::help as suggestion;
pub use typed::Scene;

use node::Node;
use read::Reader;

/// The largest scene file that is read, bytes.
pub const MAX_BYTES: u64 = 64 << 20;

/// A scene with the text that it came from.
#[derive(Debug, Clone)]
pub struct Document {
    sources: Vec<Source>,
    root: Node,
    scene: Scene,
}

impl Document {
    /// Reads a scene from a text: JSON if `name` ends with `.json` or the text begins with `{`, else TOML.
    ///
    /// `name` is what messages call the text.
    ///
    /// # Errors
    /// All mistakes that can be found.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneErrors> {
        Self::parse_with(name, text, &[])
    }

    /// Reads a scene from a text and changes it before it is checked.
    ///
    /// Each override is `path=value`. The path goes through keys, positions in lists from 0, and names of the
    /// elements of lists, with dots between: `body.0.mass=2`, `body.top.mass=2`; a part in quotes may contain
    /// dots and is never a position. What is not there yet is added to its table. The value is TOML; a value
    /// that is not is taken as text if it has no quotes, brackets or commas.
    ///
    /// # Errors
    /// All mistakes that can be found in the text, or else in the overrides.
    pub fn parse_with(name: &str, text: &str, overrides: &[String]) -> Result<Self, SceneErrors> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut sources = vec![Source { name: name.to_owned(), text: text.to_owned() }];
        sources
            .extend(overrides.iter().map(|text| Source { name: "override".to_owned(), text: text.clone() }));
        if text.len() as u64 > MAX_BYTES {
            return Err(too_large(name, text.len() as u64));
        }

        let reader = Reader::new(0, 0, text);
        let is_json =
            Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let read = if is_json || text.trim_start().starts_with('{') { reader.json() } else { reader.toml() };
        let refuse = |root: Option<&Node>, problems: Vec<Problem>| {
            let diagnostics = problems.into_iter().map(|problem| diagnostic(root, problem)).collect();
            Err(SceneErrors::new(sources.clone(), diagnostics))
        };
        let mut root = match read {
            Ok(root) => root,
            Err(problems) => return refuse(None, problems),
        };

        let mut problems = Vec::new();
        for (index, text) in overrides.iter().enumerate() {
            // Sources are few: an index that does not fit 32 bits cannot be.
            let source = u32::try_from(index + 1).unwrap_or(u32::MAX);
            if let Err(found) = overrides::apply(&mut root, source, text) {
                problems.extend(found);
            }
        }
        if !problems.is_empty() {
            return refuse(Some(&root), problems);
        }

        let (scene, mut problems) = decode::decode_scene(&root);
        if let Some(scene) = &scene {
            problems.extend(check::check_decoded(scene, &root, &problems));
        }
        match scene {
            Some(scene) if problems.is_empty() => Ok(Self { sources, root, scene }),
            _ => refuse(Some(&root), problems),
        }
    }

    /// Reads a scene file.
    ///
    /// # Errors
    /// When the file cannot be read or is larger than [`MAX_BYTES`], and all mistakes in it that can be found.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneErrors> {
        Self::load_with(path, &[])
    }

    /// Reads a scene file and changes it before it is checked, as [`Document::parse_with`] does.
    ///
    /// # Errors
    /// As [`Document::load`], and the mistakes in the overrides.
    pub fn load_with(path: impl AsRef<Path>, overrides: &[String]) -> Result<Self, SceneErrors> {
        let path = path.as_ref();
        let name = path.display().to_string();
        Self::parse_with(&name, &read_file(path, &name)?, overrides)
    }

    /// The typed scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The typed scene, without its text.
    pub fn into_scene(self) -> Scene {
        self.scene
    }

    /// The texts: the scene first, then the overrides.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// A mistake at `path`: shown at the value there, or at its nearest ancestor that is in the text.
    pub fn diagnostic_at(
        &self,
        path: &[PathSegment],
        message: impl Into<String>,
        help: Option<String>,
    ) -> Diagnostic {
        diagnostic(Some(&self.root), Problem::new(path.to_vec(), message, help))
    }

    /// A refusal at the bodies or the joint of these names, as many as are in the scene; at its beginning if none is.
    pub fn errors_at(&self, bodies: &[&str], joint: Option<&str>, message: &str) -> SceneErrors {
        let body = |name: &&str| self.scene.body.iter().position(|body| body.name.as_deref() == Some(*name));
        let bodies = bodies.iter().filter_map(body).map(|i| vec!["body".into(), i.into()]);
        let joint = joint.and_then(|name| self.scene.joint.iter().position(|joint| joint.name == name));
        let mut places: Vec<Vec<PathSegment>> = bodies.collect();
        places.extend(joint.map(|i| vec!["joint".into(), i.into()]));
        // The first in the file has the message.
        places.sort_by_key(|place| self.diagnostic_at(place, "", None).span.start);
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for place in places {
            let text = if diagnostics.is_empty() { message } else { "and this one" };
            diagnostics.push(self.diagnostic_at(&place, text, None));
        }
        if diagnostics.is_empty() {
            diagnostics.push(self.diagnostic_at(&[], message, None));
        }
        self.errors(diagnostics)
    }

    /// A refusal of this document for what was found after it was read.
    pub fn errors(&self, diagnostics: Vec<Diagnostic>) -> SceneErrors {
        SceneErrors::new(self.sources.clone(), diagnostics)
    }
}

impl Scene {
    /// Everything that is wrong with the scene and can be found without building a world.
    ///
    /// A scene from a [`Document`] has passed; this is for scenes made otherwise.
    pub fn check(&self) -> Vec<Problem> {
        check::check(self)
    }

    /// The scene as TOML; reading it gives an equal scene, to the last bit of every number.
    ///
    /// Numbers that are not finite, which [`Scene::check`] refuses, are written as `nan`.
    pub fn to_toml(&self) -> String {
        write::to_toml(&self.to_value())
    }

    /// The scene as JSON; reading it gives an equal scene, to the last bit of every number.
    ///
    /// Numbers that are not finite, which [`Scene::check`] refuses, are written as `null`.
    pub fn to_json(&self) -> String {
        write::to_json(&self.to_value())
    }

    fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("a scene has only text keys")
    }
}

fn diagnostic(root: Option<&Node>, problem: Problem) -> Diagnostic {
    let (span, path) = match root {
        Some(root) => (root.span_at(&problem.path), root.path_text(&problem.path)),
        None => Default::default(),
    };
    let span = problem.span.unwrap_or(span);
    Diagnostic {
        path,
        source: span.source as usize,
        span: span.range(),
        message: problem.message,
        help: problem.help,
    }
}

fn too_large(name: &str, bytes: u64) -> SceneErrors {
    let message = format!("the file has {bytes} bytes; a scene has at most {MAX_BYTES}");
    SceneErrors::whole(name, message, Some("put large sets of particles and meshes into files of their own"))
}

fn read_file(path: &Path, name: &str) -> Result<String, SceneErrors> {
    use std::io::{ErrorKind, Read};

    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => SceneErrors::whole(name, "there is no such file".to_owned(), None),
        _ => SceneErrors::whole(name, format!("cannot read the file: {error}"), None),
    };
    if path.is_dir() {
        return Err(SceneErrors::whole(name, "this is a folder".to_owned(), Some("name a scene file in it")));
    }
    let file = std::fs::File::open(path).map_err(cannot)?;
    let length = file.metadata().map_err(cannot)?.len();
    if length > MAX_BYTES {
        return Err(too_large(name, length));
    }
    let mut bytes = Vec::new();
    // A pipe has no length: never read more than one byte too many.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(name, bytes.len() as u64));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let message = "the file is not UTF-8 text".to_owned();
        let help = Some("save it as UTF-8".to_owned());
        let diagnostic = Diagnostic { path: String::new(), source: 0, span: at..at + 1, message, help };
        SceneErrors::new(vec![Source { name: name.to_owned(), text }], vec![diagnostic])
    })
}
