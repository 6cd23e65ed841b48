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
mod expand;
mod files;
mod import;
mod layout;
mod meant;
mod node;
mod other;
mod overrides;
mod place;
mod quantity;
mod read;
mod schema;
mod suggest;
mod tolerances;
pub mod typed;
mod write;

use std::path::Path;

pub use error::{Diagnostic, Excerpt, Problem, SceneErrors, Source};
pub use files::Files;
pub use import::{ImportRequest, ImportedText, Importer};
pub use other::Typed;
pub use place::PathSegment;
pub use schema::json_schema;
pub use suggest::help as suggestion;
pub use typed::Scene;

use layout::Layout;
use node::Node;
use overrides::Override;
use read::Reader;

/// The largest scene file that is read, bytes.
pub const MAX_BYTES: u64 = 256 << 20;

/// A scene with the text that it came from.
#[derive(Debug, Clone)]
pub struct Document {
    sources: Vec<Source>,
    layout: Layout,
    scene: Scene,
    is_flat: bool,
    allow_outside: bool,
    /// What included files of other formats say and the scene does not.
    notes: Vec<String>,
}

/// How a scene file is read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Changes before the scene is checked, see [`Document::parse_with`].
    pub overrides: Vec<String>,
    /// Whether the scene may name files outside its folder.
    pub allow_outside: bool,
    /// What reads included files of other formats; without one only scenes are included.
    pub importer: Option<Importer>,
}

impl Document {
    /// Reads a scene from a text: JSON if `name` ends with `.json` or the text begins with `{`, else TOML.
    ///
    /// `name` is what messages call the text. A scene from a text includes no files.
    ///
    /// # Errors
    /// All mistakes that can be found.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneErrors> {
        Self::parse_with(name, text, &[])
    }

    /// Reads a scene from a text and changes it before it is checked.
    ///
    /// Each override is `path=value`. The path goes through keys, positions in lists from 0, and names of the
    /// elements of lists, with dots between: `body.0.mass=2`, `body.top.mass=2`, `let.gap=0.1`; a part in quotes may contain
    /// dots and is never a position. What is not there yet is added to its table. The value is TOML; a value
    /// that is not is taken as text if it has no quotes, brackets or commas. Elements are those of the flat scene, in which
    /// every copy has a position and a name.
    ///
    /// # Errors
    /// All mistakes that can be found in the text, or else in the overrides.
    pub fn parse_with(name: &str, text: &str, overrides: &[String]) -> Result<Self, SceneErrors> {
        Self::read(name, text.to_owned(), overrides, None)
    }

    /// Reads a scene from a text, changes it before it is checked, and includes files that may be read.
    ///
    /// # Errors
    /// As [`Document::parse_with`].
    pub fn parse_among(
        name: &str,
        text: &str,
        overrides: &[String],
        files: &Files,
    ) -> Result<Self, SceneErrors> {
        Self::read(name, text.to_owned(), overrides, Some(files))
    }

    fn read(
        name: &str,
        mut text: String,
        overrides: &[String],
        files: Option<&Files>,
    ) -> Result<Self, SceneErrors> {
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        if text.len() as u64 > MAX_BYTES {
            return Err(too_large(name, text.len() as u64));
        }
        let mut sources = vec![Source::new(name.to_owned(), text)];
        sources.extend(overrides.iter().map(|text| Source::new("override".to_owned(), text.clone())));
        let text = &sources[0].text;

        let refuse = |sources: Vec<Source>, layout: Option<&Layout>, problems: Vec<Problem>| {
            let diagnostics =
                problems.into_iter().map(|problem| diagnostic(layout, &sources, problem)).collect();
            Err(SceneErrors::new(sources, diagnostics))
        };
        let mut root = match read_text(Reader::new(0, 0, text), name, text) {
            Ok(root) => root,
            Err(problems) => return refuse(sources, None, problems),
        };
        if let Some(problem) = decode::not_this_format(&root) {
            return refuse(sources, Some(&Layout::new(root)), vec![problem]);
        }
        let of_elements = match apply_overrides(&mut root, overrides) {
            Ok(of_elements) => of_elements,
            Err(problems) => return refuse(sources, None, problems),
        };

        let expanded = expand::expand(root, sources, of_elements, files);
        let (sources, layout) = (expanded.sources, expanded.layout);
        let (mut scene, mut problems) = decode::decode_settings(&layout.rest);
        problems.extend(expanded.problems);
        scene = match (scene, expanded.lists) {
            (Some(scene), Some(lists)) => Some(with_lists(scene, lists)),
            _ => None,
        };
        if let Some(scene) = &scene {
            problems.extend(check::check_decoded(scene, &layout, &problems));
        }
        match scene {
            Some(scene) if problems.is_empty() => {
                let allow_outside = files.is_some_and(|files| files.allow_outside);
                let (is_flat, notes) = (expanded.is_flat, expanded.notes);
                Ok(Self { sources, layout, scene, is_flat, allow_outside, notes })
            }
            _ => refuse(sources, Some(&layout), problems),
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
        Self::open(path, &ReadOptions { overrides: overrides.to_vec(), ..ReadOptions::default() })
    }

    /// Reads a scene file.
    ///
    /// # Errors
    /// As [`Document::load`], and the mistakes in the overrides.
    pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, SceneErrors> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let base = path.parent().map(Path::to_owned).unwrap_or_default();
        let files = Files::new(base, options.allow_outside).importing(options.importer);
        Self::read(&name, read_file(path, &name)?, &options.overrides, Some(&files))
    }

    /// Whether it was written without expressions, repeats, templates and includes.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// What included files of other formats say and the scene does not, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether it may name files outside its folder.
    pub fn allows_outside(&self) -> bool {
        self.allow_outside
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
        diagnostic(Some(&self.layout), &self.sources, Problem::new(path.to_vec(), message, help))
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
        let mut value = serde_json::to_value(self).expect("a scene has only text keys");
        if let Some(entries) = value.as_object_mut() {
            let of_people = ["title", "about", "$schema"];
            entries
                .iter_mut()
                .filter(|(key, _)| !of_people.contains(&key.as_str()))
                .for_each(|(_, v)| protect(v));
        }
        value
    }
}

/// A text that begins with `=` is no expression, and is written so that it is not read as one.
fn protect(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) if text.trim_start().starts_with('=') => {
            *text = text.replacen('=', "==", 1);
        }
        serde_json::Value::Array(elements) => elements.iter_mut().for_each(protect),
        serde_json::Value::Object(entries) => entries.values_mut().for_each(protect),
        _ => {}
    }
}

/// Applies the overrides of the scene as it is written; those of single elements are left for the flat one.
fn apply_overrides(root: &mut Node, texts: &[String]) -> Result<Vec<Override>, Vec<Problem>> {
    let (mut of_elements, mut problems) = (Vec::new(), Vec::new());
    for (index, text) in texts.iter().enumerate() {
        // Sources are few: an index that does not fit 32 bits cannot be.
        let source = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let change = match Override::parse(source, text) {
            Ok(change) => change,
            Err(found) => {
                problems.extend(found);
                continue;
            }
        };
        if let Some(problem) = change.variable().and_then(|name| unknown_variable(root, name)) {
            problems.push(problem);
        } else if change.element().is_some() {
            of_elements.push(change);
        } else if let Err(problem) = change.apply(root) {
            problems.push(problem);
        }
    }
    if problems.is_empty() { Ok(of_elements) } else { Err(problems) }
}

/// A variable that nothing uses would be set in silence.
fn unknown_variable(root: &Node, name: &overrides::Part) -> Option<Problem> {
    let table = root.get(&["let".into()]);
    let known: Vec<&str> = match table.map(|table| &table.value) {
        Some(node::Value::Table(entries)) => entries.iter().map(|entry| entry.key.as_str()).collect(),
        _ => Vec::new(),
    };
    if known.contains(&name.text.as_str()) {
        return None;
    }
    let help = suggest::help(&name.text, &known).unwrap_or_else(|| "it has no [let]".to_owned());
    let message = format!("the scene has no variable `{}`", read::shown(&name.text));
    Some(Problem::at_span(name.span, message, Some(help)))
}

fn with_lists(mut scene: Scene, lists: Scene) -> Scene {
    // A list under a misspelt key is in `scene` already. Else nothing is copied: a million bodies are hundreds of megabytes.
    fn join<T>(own: &mut Vec<T>, mut others: Vec<T>) {
        if own.is_empty() {
            *own = others;
        } else {
            own.append(&mut others);
        }
    }
    join(&mut scene.material, lists.material);
    join(&mut scene.material_pair, lists.material_pair);
    join(&mut scene.body, lists.body);
    join(&mut scene.particles, lists.particles);
    join(&mut scene.force, lists.force);
    join(&mut scene.joint, lists.joint);
    join(&mut scene.sensor, lists.sensor);
    scene
}

/// TOML, or JSON by the ending of the name or the first character.
fn read_text(reader: Reader<'_>, name: &str, text: &str) -> Result<Node, Vec<Problem>> {
    let is_json = Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_json || text.trim_start().starts_with('{') { reader.json() } else { reader.scene_toml() }
}

fn diagnostic(layout: Option<&Layout>, sources: &[Source], problem: Problem) -> Diagnostic {
    let (span, path) = match layout {
        Some(layout) => (layout.span_at(&problem.path, sources), layout.path_text(&problem.path, sources)),
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
    use std::io::Read;

    let cannot =
        |error: std::io::Error| SceneErrors::whole(name, format!("cannot read the file: {error}"), None);
    let found = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => SceneErrors::whole(name, "there is no such file".to_owned(), None),
        _ => cannot(error),
    })?;
    if found.is_dir() {
        return Err(SceneErrors::whole(name, "this is a folder".to_owned(), Some("name a scene file in it")));
    }
    if found.len() > MAX_BYTES {
        return Err(too_large(name, found.len()));
    }
    let file = std::fs::File::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    // A pipe that was named on the command line has no length: never read more than one byte too many.
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
        SceneErrors::new(vec![Source::new(name.to_owned(), text)], vec![diagnostic])
    })
}
