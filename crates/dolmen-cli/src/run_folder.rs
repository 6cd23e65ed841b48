//! The folder of a run: tables, summary, a copy of the scene and of the files it needs.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use dolmen::record::{Balance, RunTables, Sample, TableFiles};
use dolmen::scene::{Scene, typed};
use dolmen::world::World;
use serde_json::Value;

use crate::args::RunOptions;
use crate::built_in::Found;
use crate::failure::Failure;
use crate::shapes;

/// The results of a run on disk.
pub(crate) struct RunFolder {
    path: PathBuf,
    tables: RunTables<BufWriter<File>>,
}

impl RunFolder {
    /// Makes the folder, copies the scene into it and starts the tables.
    pub(crate) fn create(options: &RunOptions, found: &Found, world: &World) -> Result<Self, Failure> {
        let path = match &options.out {
            Some(path) => path.clone(),
            None => free_folder(&found.name),
        };
        let taken = fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some());
        if taken && !options.overwrite {
            let path = path.display();
            return Err(Failure::input(format!(
                "{path} is not empty\n  help: name another folder, or add --overwrite"
            )));
        }
        let cannot = |error: io::Error| Failure::stopped(format!("cannot write into {}: {error}", path.display()));
        fs::create_dir_all(&path).map_err(cannot)?;
        copy_scene(found, options, &path).map_err(cannot)?;
        let shapes = format!("{}\n", shapes::to_json(world));
        fs::write(path.join("shapes.json"), shapes).map_err(cannot)?;
        let table = |name: &str| File::create(path.join(name)).map(BufWriter::new);
        let has_particles = world.sets().iter().any(|set| !set.is_empty());
        let files = TableFiles {
            states: table("states.csv").map_err(cannot)?,
            particles: has_particles.then(|| table("particles.csv")).transpose().map_err(cannot)?,
            energy: table("energy.csv").map_err(cannot)?,
            momentum: table("momentum.csv").map_err(cannot)?,
        };
        let tables = RunTables::new(world, files).map_err(cannot)?;
        Ok(Self { path, tables })
    }

    /// Adds a sample to the tables.
    pub(crate) fn write(&mut self, sample: &Sample) -> Result<(), Failure> {
        let written = self.tables.write(sample).and_then(|()| self.tables.flush());
        written.map_err(|error| Failure::stopped(format!("cannot write into {}: {error}", self.path.display())))
    }

    /// Writes the summary.
    pub(crate) fn finish(&self, summary: &Value) -> Result<(), Failure> {
        let path = self.path.join("summary.json");
        fs::write(&path, format!("{summary:#}\n"))
            .map_err(|error| Failure::stopped(format!("cannot write {}: {error}", path.display())))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How well energy has added up.
    pub(crate) fn balance(&self) -> Balance {
        *self.tables.balance()
    }

    /// Samples written.
    pub(crate) fn samples(&self) -> u64 {
        self.tables.samples()
    }
}

/// `runs/NAME`, or the first of `runs/NAME-2`, `runs/NAME-3` … that is not there yet.
fn free_folder(name: &str) -> PathBuf {
    let first = Path::new("runs").join(name);
    if !first.exists() {
        return first;
    }
    let numbered = |i: u32| Path::new("runs").join(format!("{name}-{i}"));
    (2..u32::MAX).map(numbered).find(|path| !path.exists()).unwrap_or(first)
}

/// The scene as it was run: word for word if nothing was changed, and its files beside it.
fn copy_scene(found: &Found, options: &RunOptions, folder: &Path) -> io::Result<()> {
    let source = &found.document.sources()[0];
    let mut scene = found.document.scene().clone();
    let copied = copy_files(&mut scene, &found.base, folder)?;
    if !copied && options.scene.set.is_empty() {
        let ending = if source.text.trim_start().starts_with('{') { "json" } else { "toml" };
        return fs::write(folder.join(format!("scene.{ending}")), &source.text);
    }
    fs::write(folder.join("scene.toml"), scene.to_toml())
}

/// Copies every file that the scene names into `files/`, and names it there. Says whether there was one.
fn copy_files(scene: &mut Scene, base: &Path, folder: &Path) -> io::Result<bool> {
    let mut paths: Vec<&mut String> = Vec::new();
    for body in &mut scene.body {
        if let Some(shape) = &mut body.shape {
            mesh_paths(shape, &mut paths);
        }
    }
    paths.extend(scene.particles.iter_mut().filter_map(|set| set.path.as_mut()));
    for (i, path) in paths.iter_mut().enumerate() {
        let from = base.join(path.as_str());
        let name = from.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let to = format!("files/{i}-{name}");
        fs::create_dir_all(folder.join("files"))?;
        fs::copy(&from, folder.join(&to))?;
        **path = to;
    }
    Ok(!paths.is_empty())
}

fn mesh_paths<'a>(shape: &'a mut typed::Shape, paths: &mut Vec<&'a mut String>) {
    match shape {
        typed::Shape::Mesh(mesh) => paths.extend(mesh.path.as_mut()),
        typed::Shape::Compound(compound) => {
            for part in &mut compound.parts {
                mesh_paths(&mut part.shape, paths);
            }
        }
        _ => {}
    }
}
