//! A case: a scene, problems or a measurement, with what is expected of them.

mod read;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dolmen::scene::{Document, Files, SceneErrors};

use crate::expression::{Expression, Variables};
use crate::format::ProblemKind;

/// A case of the suite.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of its file.
    pub name: String,
    /// Its id, such as A03; else its name.
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// What the answer follows from.
    pub formula: Option<String>,
    /// Where the numbers are from.
    pub source: Option<String>,
    /// More to know about it.
    pub about: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Only in the long suite.
    pub long: bool,
    /// Why all of it is known to fail.
    pub known: Option<String>,
    /// A folder of data that it cannot do without.
    pub needs: Option<String>,
    pub(crate) subject: Subject,
    pub(crate) runs: Vec<Run>,
    pub(crate) laws: Option<Laws>,
    pub(crate) precision: Option<Precision>,
    /// Curves of the report.
    pub(crate) plot: Vec<Expression>,
}

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// A scene by its name, with its text and the folder of its files.
    Scene { name: String, text: String, folder: PathBuf },
    /// A program that measures.
    Measure(String),
    /// Problems for solvers, each in its run; or nothing yet.
    Own,
}

/// One run and what is expected of it.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// The name of its variant, or of its problem; empty for the plain scene.
    pub(crate) name: String,
    pub(crate) set: Vec<String>,
    pub(crate) until: Option<f64>,
    pub(crate) samples: u32,
    /// Steps after which it is given up.
    pub(crate) most_steps: u64,
    pub(crate) known: Option<String>,
    pub(crate) variables: Variables,
    pub(crate) problem: Option<Problem>,
    pub(crate) expectations: Vec<Expectation>,
}

/// A quantity and what it should be.
#[derive(Debug, Clone)]
pub(crate) struct Expectation {
    pub(crate) quantity: Expression,
    /// What the table calls it.
    pub(crate) label: String,
    /// When, s; at the end if none.
    pub(crate) time: Option<f64>,
    pub(crate) wanted: Wanted,
    pub(crate) absolute: f64,
    pub(crate) relative: f64,
    pub(crate) known: Option<String>,
    /// Where the number is from, and what it follows from.
    pub(crate) source: Option<String>,
    pub(crate) formula: Option<String>,
}

/// What a quantity should be.
#[derive(Debug, Clone)]
pub(crate) enum Wanted {
    Value(Expression),
    AtMost(Expression),
    AtLeast(Expression),
}

/// A problem for a solver.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) matrix: Vec<Vec<f64>>,
    pub(crate) q: Vec<f64>,
    pub(crate) friction: Vec<f64>,
}

/// How the laws of its scene are checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Laws {
    pub(crate) until: Option<f64>,
    pub(crate) known: BTreeMap<String, String>,
}

/// A quantity that hangs on the tolerance.
#[derive(Debug, Clone)]
pub(crate) struct Precision {
    pub(crate) quantity: Expression,
    pub(crate) value: Expression,
    pub(crate) time: Option<f64>,
    pub(crate) set: Vec<String>,
}

/// Steps after which a run is given up if the file does not say: far more than any case takes.
pub(crate) const MOST_STEPS: u64 = 4_000_000;

/// Instants at which a run is sampled if the file does not say.
pub(crate) const SAMPLES: u32 = 100;

impl Case {
    /// A scene of which nothing but its laws is known.
    pub(crate) fn laws_only(name: &str, text: &str, folder: &Path) -> Result<Self, SceneErrors> {
        let document = Document::parse_among(&format!("{name}.toml"), text, &[], &Files::below(folder))?;
        let scene = document.scene();
        Ok(Self {
            name: name.to_owned(),
            id: name.to_owned(),
            title: scene.title.clone().unwrap_or_default(),
            formula: None,
            source: None,
            about: scene.about.clone(),
            tags: vec!["laws".to_owned()],
            long: false,
            known: None,
            needs: None,
            subject: Subject::Scene {
                name: name.to_owned(),
                text: text.to_owned(),
                folder: folder.to_owned(),
            },
            runs: Vec::new(),
            laws: Some(Laws::default()),
            precision: None,
            plot: Vec::new(),
        })
    }

    /// The scene that it is about.
    pub fn scene_name(&self) -> Option<&str> {
        match &self.subject {
            Subject::Scene { name, .. } => Some(name),
            _ => None,
        }
    }

    pub(crate) fn drop_laws(&mut self) {
        self.laws = None;
    }

    /// Whether `name` is its id, its name, its scene or one of its tags.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.id.eq_ignore_ascii_case(name)
            || self.name == name
            || self.scene_name() == Some(name)
            || self.tags.iter().any(|tag| tag == name)
    }

    /// Reference cases first, then the gallery, then the rest.
    pub(crate) fn rank(&self) -> u8 {
        let numbered = |letter: char| {
            self.id.strip_prefix(letter).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
        };
        if numbered('A') {
            0
        } else if numbered('G') {
            1
        } else {
            2
        }
    }
}
