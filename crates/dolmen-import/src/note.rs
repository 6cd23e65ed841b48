//! What a file says and a scene cannot, and why a file was refused.

use std::fmt;
use std::sync::Arc;

/// Where something stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the file as it was found.
    pub file: Arc<str>,
    /// Line and column, from 1; none for a file without lines.
    pub at: Option<(usize, usize)>,
}

impl Place {
    /// A whole file.
    pub fn file(name: &str) -> Self {
        Self { file: name.into(), at: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "{}:{line}:{column}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// One thing that the scene does not say as the file does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where it stands first.
    pub place: Place,
    /// What it is.
    pub what: String,
    /// What follows for the simulation.
    pub consequence: String,
    /// How often it was found.
    pub count: usize,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.what, self.consequence)?;
        match self.count {
            1 => Ok(()),
            n => write!(f, " ({n} times)"),
        }
    }
}

/// The most different notes that are kept.
const MOST: usize = 2000;

/// The notes of one import, equal ones counted.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<Note>);

impl Notes {
    pub(crate) fn add(&mut self, place: &Place, what: impl Into<String>, consequence: &str) {
        let what = what.into();
        let known = self.0.iter().position(|note| note.what == what && note.consequence == consequence);
        let full = (self.0.len() > MOST).then(|| self.0.len() - 1);
        if let Some(index) = known.or(full) {
            self.0[index].count += 1;
            if known.is_none() {
                "and more".clone_into(&mut self.0[index].what);
            }
            return;
        }
        let consequence = consequence.to_owned();
        self.0.push(Note { place: place.clone(), what, consequence, count: 1 });
    }

    pub(crate) fn into_vec(self) -> Vec<Note> {
        self.0
    }
}

/// Why a file gave no scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: error: {message}{}", help.as_ref().map(|help| format!("\n  help: {help}")).unwrap_or_default())]
pub struct ImportError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ImportError {
    pub(crate) fn new(place: &Place, message: impl Into<String>) -> Self {
        Self { place: place.clone(), message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
