//! Files that models name by `package://`, `model://`, `file://` or a path.

use std::path::{Path, PathBuf};

use crate::file::{Files, folder};

/// What makes a folder a package: ROS 2, ROS 1 and Gazebo.
const MARKS: [&str; 3] = ["package.xml", "manifest.xml", "model.config"];

/// The file that is meant; none if its package is not found. Whether it may be read is for [`Files`] to say.
///
/// A package is looked for in the folders given, then from the folder of the model upwards: a folder of its name, or one that has
/// it inside, also under `share`. Outside the folders given it counts only if it says that it is a package, or if it is the
/// folder around that of the model: else `package://home/…` would reach everything.
pub(crate) fn find(uri: &str, model: &Path, package_paths: &[PathBuf], files: &mut Files) -> Option<PathBuf> {
    // A name without a folder is of the present one.
    let base = std::path::absolute(Path::new(".").join(folder(model))).ok()?;
    let packaged = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"));
    let Some(packaged) = packaged else {
        return Some(base.join(uri.strip_prefix("file://").unwrap_or(uri)));
    };
    let (name, rest) = packaged.split_once('/').unwrap_or((packaged, ""));
    let roots = |folder: &Path| {
        let own = folder.file_name().is_some_and(|own| own == name).then(|| folder.to_owned());
        own.into_iter().chain([folder.join(name), folder.join("share").join(name)]).collect::<Vec<_>>()
    };
    let holds = |root: &PathBuf| root.join(rest).is_file();
    if let Some(root) = package_paths.iter().flat_map(|folder| roots(folder)).find(holds) {
        return Some(root.join(rest));
    }
    let is_package = |root: &PathBuf| {
        root.starts_with(&base)
            || Some(root.as_path()) == base.parent()
            || MARKS.iter().any(|mark| root.join(mark).is_file())
    };
    let found = base.ancestors().flat_map(roots).find(|root| is_package(root) && holds(root))?;
    files.allow_below(&found);
    Some(found.join(rest))
}

/// The folder of a model that an SDFormat file includes, as its description file.
pub(crate) fn find_model(
    uri: &str,
    model: &Path,
    package_paths: &[PathBuf],
    files: &mut Files,
) -> Option<PathBuf> {
    let mut is_there = |uri: &str| find(uri, model, package_paths, files).filter(|path| path.is_file());
    // The folder has the description as model.sdf.
    is_there(uri).or_else(|| is_there(&format!("{}/model.sdf", uri.trim_end_matches('/'))))
}
