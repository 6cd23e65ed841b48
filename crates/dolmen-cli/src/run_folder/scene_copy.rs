//! The scene as it was run, with everything that it needs.

use std::fs;
use std::io;
use std::path::Path;

use dolmen::scene::{Scene, typed};

use crate::args::{RunOptions, SamplingOptions};
use crate::built_in::Found;
use crate::failure::Failure;
use crate::files::{cannot_write, replace_file};
use crate::fingerprint;

/// The scene as it was run, in memory: its text and the files that it needs.
pub(super) struct SceneCopy {
    name: &'static str,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

impl SceneCopy {
    /// Word for word if nothing was changed, it needs no files and is flat: a reader of the run need not know how to expand it.
    pub(super) fn new(found: &Found, options: &RunOptions) -> io::Result<Self> {
        let source = &found.document.sources()[0];
        let mut scene = found.document.scene().clone();
        let files = take_files(&mut scene, &found.base)?;
        let SamplingOptions { duration, samples, every } = options.sampling;
        let is_timed = duration.is_some() || samples.is_some() || every.is_some();
        if is_timed {
            let run = scene.run.get_or_insert_default();
            run.duration = duration.or(run.duration);
            if samples.is_some() || every.is_some() {
                (run.samples, run.every, run.times) = (samples, every, None);
            } else if let (Some(times), Some(end)) = (&mut run.times, duration) {
                times.retain(|t| *t <= end);
            }
        }
        if files.is_empty() && options.scene().set.is_empty() && !is_timed && found.document.is_flat() {
            let name = if source.text.trim_start().starts_with('{') { "scene.json" } else { "scene.toml" };
            return Ok(Self { name, text: source.text.clone(), files });
        }
        Ok(Self { name: "scene.toml", text: scene.to_toml(), files })
    }

    /// The hash of the scene and its files: that of [`fingerprint::of_scene`] once they are written.
    pub(super) fn hash(&self) -> String {
        let mut files: Vec<(&str, &[u8])> = Vec::new();
        for (name, bytes) in &self.files {
            files.push((name.trim_start_matches("files/"), bytes));
        }
        files.sort_unstable();
        let scene = (self.name, self.text.as_bytes());
        fingerprint::of_parts(std::iter::once(scene).chain(files))
    }

    /// Writes the files and then the scene, so that a scene that is there is complete.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            fs::write(&path, bytes).map_err(|error| cannot_write(&path, &error))
        };
        if !self.files.is_empty() {
            let files = folder.join("files");
            fs::create_dir_all(&files).map_err(|error| cannot_write(&files, &error))?;
        }
        for (name, bytes) in &self.files {
            put(name, bytes)?;
        }
        replace_file(&folder.join(self.name), self.text.as_bytes())
    }
}

/// Reads every file that the scene names, and names it in `files/` instead.
fn take_files(scene: &mut Scene, base: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut paths: Vec<&mut String> = Vec::new();
    for body in &mut scene.body {
        if let Some(shape) = &mut body.shape {
            mesh_paths(shape, &mut paths);
        }
    }
    paths.extend(scene.particles.iter_mut().filter_map(|set| set.path.as_mut()));
    let mut files = Vec::new();
    for (i, path) in paths.into_iter().enumerate() {
        let from = base.join(path.as_str());
        let name = from.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let to = format!("files/{i}-{name}");
        files.push((to.clone(), fs::read(&from)?));
        *path = to;
    }
    Ok(files)
}

fn mesh_paths<'a>(shape: &'a mut typed::Shape, paths: &mut Vec<&'a mut String>) {
    match shape {
        typed::Shape::Mesh(mesh) => paths.extend(mesh.path.as_mut()),
        typed::Shape::HeightField(field) => paths.extend(field.path.as_mut()),
        typed::Shape::Compound(compound) => {
            for part in &mut compound.parts {
                mesh_paths(&mut part.shape, paths);
            }
        }
        _ => {}
    }
}
