//! Scenes: built-in ones by name, the user's by path.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use dolmen::scene::{Document, ReadOptions};

use crate::args::SceneOptions;
use crate::failure::Failure;
use crate::import;

/// Every scene of the repository: name and text.
static SCENES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// What is expected of them: name and text.
static EXPECTATIONS: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/expectations.rs"));

/// Scenes and expectations, to be verified.
pub(crate) fn library() -> dolmen_verify::Library {
    dolmen_verify::Library { scenes: SCENES, expectations: EXPECTATIONS }
}

/// Names and texts of all built-in scenes.
pub(crate) fn all() -> &'static [(&'static str, &'static str)] {
    SCENES
}

/// A scene that was found and read.
pub(crate) struct Found {
    /// Its short name: of the file without its ending, or of the built-in scene.
    pub(crate) name: String,
    /// The folder that its files are relative to.
    pub(crate) base: PathBuf,
    /// The scene.
    pub(crate) document: Document,
}

/// Finds a scene by path or by name. A file wins over a built-in scene of the same name.
pub(crate) fn find(options: &SceneOptions) -> Result<Found, Failure> {
    let path = options.scene.as_path();
    let built_in = path.to_str().and_then(|given| SCENES.iter().find(|(name, _)| *name == given));
    if let (Some((name, text)), false) = (built_in, path.is_file()) {
        let document = Document::parse_with(&format!("{name}.toml"), text, &options.set)
            .map_err(|errors| Failure::input(errors.to_string()))?;
        return Ok(Found { name: (*name).to_owned(), base: PathBuf::from("."), document });
    }
    if !path.exists() {
        return Err(Failure::input(unknown(&path.to_string_lossy())));
    }
    let document = if dolmen_import::is_importable(path) {
        import::document(path, &options.set, options.allow_outside)?
    } else {
        let document =
            Document::open(path, &reading(options)).map_err(|errors| Failure::input(errors.to_string()))?;
        import::list(import::NOT_SAID, document.notes());
        document
    };
    let name =
        path.file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let base = path.parent().map(Path::to_owned).unwrap_or_default();
    Ok(Found { name, base, document })
}

/// How the files of a scene are read.
pub(crate) fn reading(options: &SceneOptions) -> ReadOptions {
    ReadOptions {
        overrides: options.set.clone(),
        allow_outside: options.allow_outside,
        importer: Some(dolmen_import::importer),
    }
}

fn unknown(name: &str) -> String {
    let near = SCENES.iter().map(|(other, _)| (strsim::jaro_winkler(name, other), other));
    let best = near.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score > 0.8);
    let hint = match best {
        Some((_, other)) => format!("did you mean the built-in scene `{other}`?"),
        None => "`dolmen scenes` lists the built-in ones".to_owned(),
    };
    format!("there is no file and no built-in scene `{name}`\n  help: {hint}")
}

/// Lists the built-in scenes with their titles, or prints the text of one.
pub(crate) fn show(name: Option<&str>) -> Result<(), Failure> {
    if let Some(name) = name {
        let found = SCENES.iter().find(|(other, _)| *other == name);
        let (_, text) = found.ok_or_else(|| Failure::input(unknown(name)))?;
        return crate::print(text);
    }
    let width = SCENES.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut list = String::new();
    for (name, text) in SCENES {
        let document = Document::parse(name, text).map_err(|errors| Failure::input(errors.to_string()))?;
        let title = document.scene().title.clone().unwrap_or_default();
        let _ = writeln!(list, "{name:width$}  {title}");
    }
    crate::print(&list)
}
