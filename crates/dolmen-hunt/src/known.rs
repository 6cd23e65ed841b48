//! Scenes that are kept for ever, and `known-failures.txt`: those that do not come out right yet.
//!
//! The folder `defects` has scenes that use found, `found` those that the hunt found. A scene that is not listed comes out right.
//! One that is listed does not, and the line says how: `stops` (it ends early with exit code 1 or 3 and a message: the best a
//! failure can do), or the class of a finding. A line goes when its scene comes out right; none may be added for an old scene.

use std::fs;
use std::path::{Path, PathBuf};

use crate::judge::{Class, Finding};
use crate::process::{Dolmen, End};
use crate::right;
use crate::trial::{Trial, trial};

/// What a kept scene may cost, s of CPU time.
pub const LIMIT: f64 = 60.0;

/// How a scene fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It ends early and says so.
    Stops,
    /// It breaks a law.
    Breaks(Class),
}

impl Failure {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stops => "stops",
            Self::Breaks(class) => class.name(),
        }
    }
}

/// A line of `known-failures.txt`.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Folder and name, without the ending.
    pub scene: String,
    /// How it fails.
    pub failure: Failure,
    /// A few words.
    pub text: String,
}

/// The crate's folder.
fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where the lines are kept.
pub fn path() -> PathBuf {
    home().join("known-failures.txt")
}

/// Where what the hunt finds is kept.
pub fn found() -> PathBuf {
    home().join("found")
}

/// All lines.
///
/// # Errors
/// When the file cannot be read, or a line is not one.
pub fn load() -> Result<Vec<Line>, String> {
    let text = fs::read_to_string(path()).map_err(|error| format!("{}: {error}", path().display()))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<Line>, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let line = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let mut next = || words.next().filter(|word| !word.is_empty());
        let (scene, failure, text) = (next(), next(), next());
        let failure = match failure {
            Some("stops") => Some(Failure::Stops),
            other => other.and_then(Class::from_name).map(Failure::Breaks),
        };
        match (scene, failure, text) {
            (Some(scene), Some(failure), Some(text)) => {
                Ok(Line { scene: scene.to_owned(), failure, text: text.to_owned() })
            }
            _ => Err(format!("{line:?} is not a scene, `stops` or a class of finding, and a few words")),
        }
    };
    lines.map(line).collect()
}

/// Writes the lines, sorted, below the comment at the top of the file.
///
/// # Errors
/// When the file cannot be written.
pub fn write(lines: &[Line]) -> Result<(), String> {
    let old = fs::read_to_string(path()).unwrap_or_default();
    let head: String =
        old.lines().take_while(|line| line.starts_with('#')).flat_map(|line| [line, "\n"]).collect();
    let mut rows: Vec<String> =
        lines.iter().map(|line| format!("{} {} {}\n", line.scene, line.failure.name(), line.text)).collect();
    rows.sort_unstable();
    fs::write(path(), head + &rows.concat()).map_err(|error| format!("{}: {error}", path().display()))
}

/// Names of all scenes that are kept.
///
/// # Errors
/// When a folder cannot be read.
pub fn scenes() -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for folder in ["defects", "found"] {
        let entries = fs::read_dir(home().join(folder)).map_err(|error| format!("{folder}: {error}"))?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                names.push(format!("{folder}/{}", path.file_stem().unwrap_or_default().display()));
            }
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// What came of a kept scene.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It comes out right.
    Right,
    /// It ends early and says so.
    Stops(String),
    /// It breaks laws, the worst first.
    Wrong(Vec<Finding>),
}

impl Verdict {
    /// How it fails, if it does.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            Self::Right => None,
            Self::Stops(_) => Some(Failure::Stops),
            Self::Wrong(findings) => findings.first().map(|finding| Failure::Breaks(finding.class)),
        }
    }

    /// In a line.
    pub fn text(&self) -> String {
        match self {
            Self::Right => "right".to_owned(),
            Self::Stops(message) => message.clone(),
            Self::Wrong(findings) => findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        }
    }

    /// What is wrong with the line of the scene, or with its absence.
    pub fn complaint(&self, scene: &str, line: Option<&Line>) -> Option<String> {
        let now = self.text();
        match (self, line.map(|line| line.failure)) {
            (Self::Right, None) | (Self::Stops(_), Some(Failure::Stops)) => None,
            (Self::Right, Some(_)) => Some(format!("{scene} comes out right: remove its line")),
            (_, None) => Some(format!("{scene} is not listed and fails: {now}")),
            (Self::Stops(_), Some(_)) => {
                Some(format!("{scene} ends with a message now: write `stops` ({now})"))
            }
            (Self::Wrong(_), Some(Failure::Stops)) => {
                Some(format!("{scene} should end with a message: {now}"))
            }
            (Self::Wrong(findings), Some(Failure::Breaks(class))) => {
                // A build with debug assertions may panic where another one fails later.
                let is_like =
                    |other: Class| other == class || cfg!(debug_assertions) && other == Class::Panic;
                let is_same = findings.iter().any(|finding| is_like(finding.class));
                (!is_same)
                    .then(|| format!("{scene} is listed as {} and fails otherwise: {now}", class.name()))
            }
        }
    }
}

/// Runs a kept scene and looks at what came of it.
///
/// # Errors
/// When the scene cannot be read, or the program cannot be started.
pub fn replay(program: &Path, scene: &str, folder: &Path) -> Result<Verdict, String> {
    let path = home().join(format!("{scene}.toml"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let expected = right::of(scene);
    let dolmen = Dolmen { program: program.to_owned(), limit: LIMIT };
    let own: &[&str] = expected.map_or(&[], |expected| expected.arguments);
    let more = [&["--checkpoint", "off"], own].concat();
    let Trial { ended, run, mut findings } = trial(&dolmen, &text, folder, &more)?;
    let checked = expected.filter(|_| ended.end == End::Code(0)).map(|expected| (expected.check)(&run));
    if let Some(Err(what)) = checked {
        findings.push(Finding::new(Class::Answer, what));
    }
    Ok(match ended.end {
        End::Code(0) if findings.is_empty() => Verdict::Right,
        End::Code(1 | 3) if findings.is_empty() => {
            Verdict::Stops(ended.message.lines().next().unwrap_or_default().to_owned())
        }
        _ => Verdict::Wrong(findings),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines are read as they are written, and what is not a line is refused.
    #[test]
    fn lines_are_read() {
        let lines = parse("# comment\ndefects/a slow never ends\nfound/b stops says why\n").expect("lines");
        assert_eq!(lines[0].failure, Failure::Breaks(Class::Slow));
        assert_eq!(
            (lines[1].scene.as_str(), lines[1].failure, lines[1].text.as_str()),
            ("found/b", Failure::Stops, "says why")
        );
        assert!(parse("found/b weird says why").is_err());
        assert!(parse("found/b slow").is_err());
    }

    /// A scene may fail only as its line says, and a line may stay only as long as its scene fails.
    #[test]
    fn lines_and_verdicts_must_agree() {
        let line = |failure| Line { scene: "found/a".to_owned(), failure, text: String::new() };
        let wrong = Verdict::Wrong(vec![Finding::new(Class::Overlap, ""), Finding::new(Class::Slow, "")]);
        let stops = Verdict::Stops("why".to_owned());
        let cases = [
            (&Verdict::Right, None, true),
            (&Verdict::Right, Some(Failure::Stops), false),
            (&stops, None, false),
            (&stops, Some(Failure::Stops), true),
            (&stops, Some(Failure::Breaks(Class::Slow)), false),
            (&wrong, None, false),
            (&wrong, Some(Failure::Stops), false),
            (&wrong, Some(Failure::Breaks(Class::Slow)), true),
            (&wrong, Some(Failure::Breaks(Class::Energy)), false),
        ];
        for (verdict, failure, is_fine) in cases {
            let complaint = verdict.complaint("found/a", failure.map(line).as_ref());
            assert_eq!(complaint.is_none(), is_fine, "{verdict:?} with {failure:?}: {complaint:?}");
        }
    }
}
