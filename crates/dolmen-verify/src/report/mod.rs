//! The report: one page with pictures, formulas, plots and tables, that opens from disk.

mod page;
mod plot;
mod show;

use std::path::{Path, PathBuf};

use crate::library::VerifyError;
use crate::precision;
use crate::suite::{Options, Outcome, in_parallel};

/// Writes `index.html` into a folder, which is made if need be; returns its path.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn write(outcomes: &[Outcome], folder: &Path, options: &Options) -> Result<PathBuf, VerifyError> {
    let cannot = |path: &Path| {
        let path = path.display().to_string();
        move |error| VerifyError::File { path, error }
    };
    std::fs::create_dir_all(folder).map_err(cannot(folder))?;
    let cases: Vec<_> = outcomes.iter().map(|outcome| &outcome.case).collect();
    let shown = in_parallel(outcomes.len(), options.threads, |i| show::show(&outcomes[i], options));
    // After the pictures, so that nothing else takes its time from it.
    let work = precision::measure(&cases, options.threads);
    let file = folder.join("index.html");
    std::fs::write(&file, page::page(outcomes, &shown, &work)).map_err(cannot(&file))?;
    Ok(file)
}

/// Text inside HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
