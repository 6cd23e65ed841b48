//! The folder of a run: tables, summary, a copy of the scene and of the files it needs.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use dolmen::record::{
    Balance, ContactFiles, ContactForce, Event, JointEvent, JointForce, RunTables, Sample, TableFiles, Tally,
    can_touch, write_joint_events,
};
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
        let shown = path.display().to_string();
        if taken && !options.overwrite {
            let help = "name another folder, or add --overwrite";
            return Err(Failure::input(format!("{shown} is not empty\n  help: {help}")));
        }
        if taken && !path.join("summary.json").is_file() {
            let help = "--overwrite replaces runs only; name another folder";
            return Err(Failure::input(format!("{shown} holds something that is not a run\n  help: {help}")));
        }
        let cannot = |error: io::Error| Failure::stopped(format!("cannot write into {shown}: {error}"));
        fs::create_dir_all(&path)
            .map_err(|error| Failure::input(format!("cannot make the folder {shown}: {error}")))?;
        // The scene may be the copy that lies in this very folder: read, then removed, then written again.
        let scene = SceneCopy::new(found, options).map_err(cannot)?;
        remove_results(&path).map_err(cannot)?;
        scene.write(&path).map_err(cannot)?;
        let shapes = format!("{}\n", shapes::to_json(world));
        fs::write(path.join("shapes.json"), shapes).map_err(cannot)?;
        let table = |name: &str| File::create(path.join(name)).map(BufWriter::new);
        let has_particles = world.sets().iter().any(|set| !set.is_empty());
        let contacts = || {
            let (events, forces) = (table("events.csv")?, table("forces.csv")?);
            Ok(ContactFiles { events, forces, resultants: table("resultants.csv")? })
        };
        let files = TableFiles {
            states: table("states.csv").map_err(cannot)?,
            bodies: table("bodies.csv").map_err(cannot)?,
            particles: has_particles.then(|| table("particles.csv")).transpose().map_err(cannot)?,
            energy: table("energy.csv").map_err(cannot)?,
            momentum: table("momentum.csv").map_err(cannot)?,
            contacts: can_touch(world).then(contacts).transpose().map_err(cannot)?,
            joints: (!world.joints().is_empty()).then(|| table("joints.csv")).transpose().map_err(cannot)?,
        };
        let tables = RunTables::new(world, files).map_err(cannot)?;
        Ok(Self { path, tables })
    }

    /// Adds a sample to the tables, with the forces of contacts and joints there.
    pub(crate) fn write(
        &mut self,
        sample: &Sample,
        forces: &[ContactForce],
        joints: &[JointForce],
    ) -> Result<(), Failure> {
        let written = self
            .tables
            .write(sample)
            .and_then(|()| self.tables.write_forces(sample, forces))
            .and_then(|()| self.tables.write_joints(sample, joints));
        self.flushed(written)
    }

    /// Adds events to their table.
    pub(crate) fn write_events(&mut self, events: &[Event]) -> Result<(), Failure> {
        let written = self.tables.write_events(events);
        self.flushed(written)
    }

    /// Writes what happened in joints, if anything did.
    pub(crate) fn write_joint_events(&self, world: &World, events: &[JointEvent]) -> Result<(), Failure> {
        if events.is_empty() {
            return Ok(());
        }
        let path = self.path.join("joint-events.csv");
        File::create(&path)
            .and_then(|file| write_joint_events(world, events, BufWriter::new(file)))
            .map_err(|error| Failure::stopped(format!("cannot write {}: {error}", path.display())))
    }

    fn flushed(&mut self, written: io::Result<()>) -> Result<(), Failure> {
        written
            .and_then(|()| self.tables.flush())
            .map_err(|error| Failure::stopped(format!("cannot write into {}: {error}", self.path.display())))
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

    /// What contacts have come to.
    pub(crate) fn tally(&self) -> &Tally {
        self.tables.tally()
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

/// Everything that a run or its figures may have left.
fn remove_results(folder: &Path) -> io::Result<()> {
    let tables =
        ["states", "bodies", "particles", "energy", "momentum", "events", "forces", "resultants", "joints"];
    let joint_events = "joint-events.csv".to_owned();
    let figures = ["energy", "momentum", "trajectories", "spin", "events", "forces"];
    let names = tables.iter().flat_map(|t| [format!("{t}.csv"), format!("{t}.parquet")]);
    let names = names.chain(figures.iter().flat_map(|f| [format!("{f}.svg"), format!("{f}.png")]));
    let others = ["summary.json", "shapes.json", "scene.toml", "scene.json", "index.html"].map(str::to_owned);
    for name in names.chain(others).chain([joint_events]) {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    match fs::remove_dir_all(folder.join("files")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The scene as it was run, in memory: its text and the files that it needs.
struct SceneCopy {
    name: &'static str,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

impl SceneCopy {
    /// Word for word if nothing was changed and it needs no files.
    fn new(found: &Found, options: &RunOptions) -> io::Result<Self> {
        let source = &found.document.sources()[0];
        let mut scene = found.document.scene().clone();
        let files = take_files(&mut scene, &found.base)?;
        let timed = options.duration.is_some() || options.samples.is_some() || options.every.is_some();
        if timed {
            let run = scene.run.get_or_insert_default();
            run.duration = options.duration.or(run.duration);
            if options.samples.is_some() || options.every.is_some() {
                (run.samples, run.every, run.times) = (options.samples, options.every, None);
            } else if let (Some(times), Some(end)) = (&mut run.times, options.duration) {
                times.retain(|t| *t <= end);
            }
        }
        if files.is_empty() && options.scene.set.is_empty() && !timed {
            let name = if source.text.trim_start().starts_with('{') { "scene.json" } else { "scene.toml" };
            return Ok(Self { name, text: source.text.clone(), files });
        }
        Ok(Self { name: "scene.toml", text: scene.to_toml(), files })
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        if !self.files.is_empty() {
            fs::create_dir_all(folder.join("files"))?;
        }
        for (name, bytes) in &self.files {
            fs::write(folder.join(name), bytes)?;
        }
        fs::write(folder.join(self.name), &self.text)
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
        typed::Shape::Compound(compound) => {
            for part in &mut compound.parts {
                mesh_paths(&mut part.shape, paths);
            }
        }
        _ => {}
    }
}
