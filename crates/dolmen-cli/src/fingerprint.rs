//! Whether what lies in the folder of a run is still what was run.
//!
//! A run is shown by simulating its scene again, which gives the same motion only if the scene is the same. So a run records
//! the hash of its scene and of the files that it needs, and that of its last state.

use std::fs;
use std::io;
use std::path::Path;

use crate::built_in::Found;
use crate::failure::Failure;
use crate::tables::RunRecord;
use crate::tell::tell;
use dolmen::scene::typed::Driver;

/// What a run recorded about its end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recorded {
    /// When it ended, s.
    pub(crate) t_end: f64,
    /// The hash of its last state; none if steps of one length made it, which hang on when samples were taken.
    pub(crate) state_hash: Option<String>,
}

/// The hash of the scene in the folder of a run and of the files beside it, in the order of their names.
pub(crate) fn of_scene(folder: &Path) -> io::Result<String> {
    let mut paths: Vec<_> = ["scene.toml", "scene.json"]
        .map(|name| folder.join(name))
        .into_iter()
        .filter(|p| p.is_file())
        .collect();
    if let Ok(entries) = fs::read_dir(folder.join("files")) {
        let mut files = entries.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
        files.sort();
        paths.extend(files);
    }
    let mut parts = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        parts.push((name, fs::read(&path)?));
    }
    Ok(of_parts(parts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))))
}

/// The hash of files by their names and bytes.
pub(crate) fn of_parts<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, bytes) in files {
        // With their lengths, so that nothing can move from one into the next.
        for part in [name.as_bytes(), bytes] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Refuses a run whose scene is not the one that was run; returns its hash.
pub(crate) fn check_scene(record: &RunRecord) -> Result<String, Failure> {
    let shown = record.folder().display();
    let now = of_scene(record.folder())
        .map_err(|error| Failure::input(format!("cannot read the scene in {shown}: {error}")))?;
    match record.summary()["scene_hash"].as_str() {
        Some(then) if then != now => {
            let help = format!(
                "run it again, or name the scene file in the folder to see what it does now; the tables of {shown} are untouched"
            );
            return Err(Failure::input(format!(
                "the scene in {shown} was changed after the run: its hash is {} and the run recorded {}\n  help: {help}",
                short(&now),
                short(then)
            )));
        }
        Some(_) => {}
        None => tell!(
            "note: {shown} recorded no hash of its scene, so it cannot be checked; it is simulated anew"
        ),
    }
    Ok(now)
}

/// Refuses a run whose scene is not the one that was run; what else may differ is said.
pub(crate) fn check(folder: &Path, found: &Found) -> Result<Option<Recorded>, Failure> {
    let record = RunRecord::open(folder).map_err(|error| Failure::input(error.to_string()))?;
    check_scene(&record)?;
    if let Some(note) = record.note() {
        tell!("note: {note}");
    }
    let run = found.document.scene().run.as_ref();
    // Steps of one length end where samples were taken: shown without them they may be others in the last digits.
    let is_exact = matches!(run.and_then(|run| run.driver), None | Some(Driver::Exact));
    let hash = record.summary()["state_hash"].as_str().map(str::to_owned);
    // The end that counts need not be the one that was recorded.
    let is_its_end = record.t_end() == record.summary()["t_end"].as_f64();
    let state_hash = hash.filter(|_| is_exact && is_its_end);
    Ok(record.t_end().map(|t_end| Recorded { t_end, state_hash }))
}

/// As many digits as tell two hashes apart.
fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}
