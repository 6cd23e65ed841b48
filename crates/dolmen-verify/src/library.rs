//! What can be verified: built-in scenes and expectations, and files of the user.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dolmen::scene::{SceneErrors, suggestion};

use crate::case::Case;

/// Scenes and expectations that a program carries along: names and texts.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    /// `NAME.toml`
    pub scenes: &'static [(&'static str, &'static str)],
    /// `NAME.expect.toml`
    pub expectations: &'static [(&'static str, &'static str)],
}

/// Why nothing could be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Mistakes in a file, with their places.
    #[error("{0}")]
    Mistakes(#[from] SceneErrors),
    /// No case of that name.
    #[error("there is no case, scene, tag or file `{name}`\n  help: {help}")]
    Unknown {
        /// As given.
        name: String,
        /// The nearest, or where to look.
        help: String,
    },
    /// A file that cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
}

/// The ending of files of expectations.
pub const ENDING: &str = ".expect.toml";

impl Library {
    /// The text of a built-in scene.
    pub(crate) fn scene(&self, name: &str) -> Option<&'static str> {
        self.scenes.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
    }

    /// Every case: those with expectations, and every other scene with its laws alone, in the order of ids and names.
    ///
    /// # Errors
    /// Mistakes in a built-in file.
    pub fn all(&self) -> Result<Vec<Case>, VerifyError> {
        let mut cases = Vec::new();
        let mut covered = BTreeSet::new();
        for (name, text) in self.expectations {
            let case = Case::read(self, name, &format!("{name}{ENDING}"), text, Path::new("."))?;
            if !case.long {
                covered.extend(case.scene_name().map(str::to_owned));
            }
            cases.push(case);
        }
        for (name, text) in self.scenes {
            if !covered.contains(*name) {
                cases.push(Case::laws_only(name, text, Path::new("."))?);
            }
        }
        // A scene with several files of expectations keeps its laws once, in the ordinary suite if it is in that.
        let mut lawful = BTreeSet::new();
        cases.sort_by_key(|case| case.long);
        for case in &mut cases {
            if let Some(scene) = case.scene_name().map(str::to_owned)
                && !lawful.insert(scene)
            {
                case.drop_laws();
            }
        }
        cases.sort_by(|a, b| (a.rank(), &a.id, &a.name).cmp(&(b.rank(), &b.id, &b.name)));
        Ok(cases)
    }

    /// The cases that are meant: ids (A03), names of scenes and files, tags, paths of files of expectations or of scenes.
    /// Without names all of them; those for the long suite only if that is asked for.
    ///
    /// # Errors
    /// A name that means nothing, mistakes in a file.
    pub fn choose(&self, names: &[String], long: bool) -> Result<Vec<Case>, VerifyError> {
        let mut all = self.all()?;
        if names.is_empty() {
            all.retain(|case| long || !case.long);
            return Ok(all);
        }
        let mut chosen = Vec::new();
        let mut taken = BTreeSet::new();
        for name in names {
            let path = Path::new(name);
            if path.is_file() {
                chosen.push(self.of_file(path)?);
                continue;
            }
            let fits: Vec<&Case> = all.iter().filter(|case| case.is_named(name)).collect();
            if fits.is_empty() {
                return Err(unknown(name, &all));
            }
            for case in fits {
                if taken.insert(case.name.clone()) {
                    chosen.push(case.clone());
                }
            }
        }
        Ok(chosen)
    }

    fn of_file(&self, path: &Path) -> Result<Case, VerifyError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| VerifyError::File { path: shown.clone(), error })?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(name) = file.strip_suffix(ENDING) {
            return Case::read(self, name, &shown, &text, &folder);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // The expectations beside a scene belong to it.
        let beside: PathBuf = folder.join(format!("{name}{ENDING}"));
        if beside.is_file() {
            return self.of_file(&beside);
        }
        Ok(Case::laws_only(&name, &text, &folder)?)
    }
}

fn unknown(name: &str, all: &[Case]) -> VerifyError {
    let mut known: Vec<&str> = Vec::new();
    for case in all {
        known.extend([case.id.as_str(), case.name.as_str()]);
        known.extend(case.tags.iter().map(String::as_str));
    }
    known.sort_unstable();
    known.dedup();
    let near = suggestion(name, &known).filter(|help| help.starts_with("did"));
    let help = near.unwrap_or_else(|| "`dolmen verify --list` shows what there is".to_owned());
    VerifyError::Unknown { name: name.to_owned(), help }
}
