//! Files that models name by `package://`, `model://`, `file://` or a path.

use std::path::{Path, PathBuf};

use crate::file::folder;

/// The file that is meant, if there is one.
///
/// A package is looked for in the folders given, then from the folder of the model upwards: a folder of its name, or one that has
/// it inside, also under `share`.
pub(crate) fn find(uri: &str, model: &Path, package_paths: &[PathBuf]) -> Option<PathBuf> {
    let is_there = |path: PathBuf| path.is_file().then_some(path);
    let base = std::path::absolute(folder(model)).ok()?;
    let packaged = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"));
    let Some(packaged) = packaged else {
        let path = uri.strip_prefix("file://").unwrap_or(uri);
        return is_there(base.join(path));
    };
    let (name, rest) = packaged.split_once('/').unwrap_or((packaged, ""));
    let inside = |folder: &Path| {
        let own = folder.file_name().is_some_and(|own| own == name).then(|| folder.join(rest));
        let below = [folder.join(name).join(rest), folder.join("share").join(name).join(rest)];
        own.into_iter().chain(below).find(|path| path.is_file())
    };
    let given = package_paths.iter().find_map(|folder| inside(folder));
    given.or_else(|| base.ancestors().find_map(inside))
}

/// The folder of a model that an SDFormat file includes, as its description file.
pub(crate) fn find_model(uri: &str, model: &Path, package_paths: &[PathBuf]) -> Option<PathBuf> {
    if let Some(file) = find(uri, model, package_paths) {
        return Some(file);
    }
    // The folder has the description as model.sdf.
    find(&format!("{}/model.sdf", uri.trim_end_matches('/')), model, package_paths)
}
