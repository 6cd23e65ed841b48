//! From the scene as typed to the world that is meant.
//!
//! What the typed scene can tell is checked before; here come the mistakes that only building shows, such as a mesh with a
//! hole. All of them are collected, each with its place.

mod body;
mod contact;
mod force;
mod joint;
mod output;
mod sensor;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::files::{FileError, Files, named};
use super::tolerances::LARGEST_DATA;
use super::typed::{self, Scene};
use super::{Document, PathSegment, Problem, SceneErrors};
use crate::broad_phase::{self, Choice};
use crate::integrate::{self, Method, Step, Tableau};
use crate::math::DVec3;
use crate::world::{Form, LawBounds, Members, MotionSettings, ParticleSet, World};

impl Document {
    /// Builds the world; files are looked for relative to `base`, the folder of the scene.
    ///
    /// # Errors
    /// Everything that is wrong, with its place.
    pub fn build(&self, base: &Path) -> Result<World, SceneErrors> {
        self.build_with(&Files::new(base.to_owned(), self.allows_outside()))
    }

    /// As [`Document::build`], with a choice of the files that may be read.
    ///
    /// # Errors
    /// As [`Document::build`].
    pub fn build_with(&self, files: &Files) -> Result<World, SceneErrors> {
        self.scene().build_with(files).map_err(|problems| {
            let diagnostics =
                problems.into_iter().map(|p| self.diagnostic_at(&p.path, p.message, p.help)).collect();
            self.errors(diagnostics)
        })
    }
}

impl Scene {
    /// Builds the world of a scene that has passed [`Scene::check`]; files are looked for relative to `base`.
    ///
    /// # Errors
    /// Everything that is wrong, with its place in the scene.
    pub fn build(&self, base: &Path) -> Result<World, Vec<Problem>> {
        self.build_with(&Files::below(base))
    }

    /// As [`Scene::build`], with a choice of the files that may be read.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn build_with(&self, files: &Files) -> Result<World, Vec<Problem>> {
        let mut problems = Problems::default();
        let (mut bodies, mut sets) = (Vec::with_capacity(self.body.len()), Vec::new());
        let groups = contact::GroupNames::new(&self.body);
        for (i, typed) in self.body.iter().enumerate() {
            problems.within(&["body".into(), i.into()], |problems| {
                let built = body::build(typed, files, problems)?.in_groups(groups.of(typed));
                problems.note("", built.check())?;
                bodies.push(built);
                Some(())
            });
        }
        for (i, typed) in self.particles.iter().enumerate() {
            problems.within(&["particles".into(), i.into()], |problems| {
                sets.push(particles(typed, files, problems)?.in_groups(groups.of_particles(typed)));
                Some(())
            });
        }
        if !problems.found.is_empty() {
            return Err(problems.found);
        }
        let members = problems.note("", Members::new(bodies, sets));
        let mut world = World::new(members.ok_or_else(|| std::mem::take(&mut problems.found))?);
        let gravity = self.gravity.map_or(DVec3::ZERO, DVec3::from_array);
        problems.note("gravity", world.set_gravity(gravity));
        problems.within(&["integrator".into()], |problems| {
            let settings = settings(self, problems)?;
            problems.note("", world.set_settings(settings))
        });
        problems.note("contact", world.set_contact(contact::settings(self)));
        world.set_broad_phase(broad_phase(self.detection.as_ref()));
        problems.note("laws", world.set_laws(laws(self.laws.as_ref())));
        for (i, typed) in self.force.iter().enumerate() {
            problems.within(&["force".into(), i.into()], |problems| force::add(typed, &mut world, problems));
        }
        joint::add_all(&self.joint, &mut world, &mut problems);
        if problems.found.is_empty() && !self.joint.is_empty() {
            let settings = joint::assembly(self.assembly.as_ref());
            problems.note("joint", world.assemble(&settings));
        }
        for (i, typed) in self.sensor.iter().enumerate() {
            problems.within(&["sensor".into(), i.into()], |problems| {
                sensor::add(typed, &self.joint, &mut world, problems)
            });
        }
        if problems.found.is_empty() { Ok(world) } else { Err(problems.found) }
    }
}

/// Collects problems with their places.
#[derive(Default)]
struct Problems {
    found: Vec<Problem>,
    path: Vec<PathSegment>,
}

impl Problems {
    /// Does `work` with the path extended.
    fn within<T>(&mut self, path: &[PathSegment], work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let length = self.path.len();
        self.path.extend_from_slice(path);
        let result = work(self);
        self.path.truncate(length);
        result
    }

    /// The value of a result, or its error noted at `key` (at the place itself if empty).
    fn note<T, E: std::fmt::Display>(&mut self, key: &str, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(key, error.to_string(), None);
                None
            }
        }
    }

    /// What a file holds, or why it is of no use noted at `key`.
    fn file<T>(&mut self, key: &str, read: Result<T, FileError>) -> Option<T> {
        read.map_err(|error| self.report(key, error.message, Some(error.help))).ok()
    }

    fn report(&mut self, key: &str, message: impl Into<String>, help: Option<&str>) {
        let mut path = self.path.clone();
        if !key.is_empty() {
            path.push(key.into());
        }
        self.found.push(Problem::new(path, message, help.map(str::to_owned)));
    }
}

fn vector(v: Option<[f64; 3]>) -> DVec3 {
    v.map_or(DVec3::ZERO, DVec3::from_array)
}

fn broad_phase(typed: Option<&typed::Detection>) -> Choice {
    match typed.and_then(|typed| typed.broad_phase) {
        None | Some(typed::BroadPhase::Auto) => Choice::Auto,
        Some(typed::BroadPhase::SortAndSweep) => Choice::Only(broad_phase::Method::SortAndSweep),
        Some(typed::BroadPhase::UniformGrid) => Choice::Only(broad_phase::Method::UniformGrid),
        Some(typed::BroadPhase::Bvh) => Choice::Only(broad_phase::Method::Bvh),
        Some(typed::BroadPhase::Octree) => Choice::Only(broad_phase::Method::Octree),
        Some(typed::BroadPhase::KdTree) => Choice::Only(broad_phase::Method::KdTree),
        Some(typed::BroadPhase::BruteForce) => Choice::Only(broad_phase::Method::BruteForce),
    }
}

fn laws(typed: Option<&typed::Laws>) -> LawBounds {
    let default = LawBounds::default();
    let Some(typed) = typed else { return default };
    LawBounds {
        ledger: typed.ledger.or(default.ledger),
        overlap: typed.overlap.or(default.overlap),
        drift: typed.drift.unwrap_or(default.drift),
        dissipation: typed.dissipation.unwrap_or(default.dissipation),
        residual: typed.residual.unwrap_or(default.residual),
        forces: typed.forces.unwrap_or(default.forces),
        closing: typed.closing.or(default.closing),
        work: typed.work.unwrap_or(default.work),
    }
}

fn settings(scene: &Scene, problems: &mut Problems) -> Option<MotionSettings> {
    let mut settings = MotionSettings::default();
    if let Some(accuracy) = &scene.accuracy {
        settings.integrator.relative = accuracy.tolerance.unwrap_or(settings.integrator.relative);
        settings.integrator.absolute = accuracy.absolute.unwrap_or(settings.integrator.absolute);
    }
    let Some(typed) = &scene.integrator else { return Some(settings) };
    let integrator = &mut settings.integrator;
    if let Some(method) = typed.method {
        integrator.method = self::method(method, typed, problems)?;
    }
    integrator.step = match typed.step {
        Some(step) => Step::Fixed(step),
        None => Step::Adaptive { first: typed.first_step, largest: typed.largest_step },
    };
    integrator.max_steps = typed.max_steps.unwrap_or(integrator.max_steps);
    integrator.compensated = typed.compensated.unwrap_or(integrator.compensated);
    settings.closed_form = typed.closed_form.unwrap_or(settings.closed_form);
    settings.renormalise = typed.renormalise.unwrap_or(settings.renormalise);
    if typed.orientation == Some(typed::OrientationVariables::Matrix) {
        settings.form = Form::Matrix;
    }
    Some(settings)
}

fn method(method: typed::Method, typed: &typed::Integrator, problems: &mut Problems) -> Option<Method> {
    match method {
        typed::Method::Adams => {
            let order = typed.order.map(|order| u8::try_from(order).unwrap_or(u8::MAX));
            Some(Method::Adams { order })
        }
        typed::Method::Tableau => {
            let given = typed.tableau.as_ref()?;
            let built = problems.note("tableau", tableau(given));
            built.map(|tableau| Method::Explicit(Arc::new(tableau)))
        }
        other => {
            // The names of the file with hyphens are those of the integrators with underscores.
            let name = serde_json::to_value(other).ok()?.as_str()?.replace('-', "_");
            problems.note("method", Method::named(&name))
        }
    }
}

fn tableau(given: &typed::Tableau) -> Result<Tableau, integrate::TableauError> {
    let rows: Vec<&[f64]> = given.a.iter().map(Vec::as_slice).collect();
    let sums: Vec<f64> = given.a.iter().map(|row| row.iter().sum()).collect();
    let c = given.c.as_ref().unwrap_or(&sums);
    let order = |order: u32| u8::try_from(order).unwrap_or(u8::MAX);
    let tableau = Tableau::new("tableau", &rows, &given.b, c, order(given.order))?;
    match (&given.b_hat, given.order_hat) {
        (Some(b_hat), Some(order_hat)) => tableau.with_embedded(b_hat, order(order_hat)),
        _ => Ok(tableau),
    }
}

fn particles(typed: &typed::Particles, files: &Files, problems: &mut Problems) -> Option<ParticleSet> {
    let mut table = match &typed.path {
        Some(path) => problems.file("path", read_particles(files, Path::new(path)))?,
        None => ParticleTable {
            positions: typed.positions.iter().flatten().map(|p| DVec3::from_array(*p)).collect(),
            velocities: typed.velocities.as_ref().map(|v| v.iter().map(|v| DVec3::from_array(*v)).collect()),
            masses: typed.masses.clone(),
        },
    };
    let n = table.positions.len();
    if let Some(mass) = typed.mass {
        if table.masses.is_some() {
            problems.report(
                "mass",
                "the file has masses of its own in its column `m`",
                Some("drop one of the two"),
            );
            return None;
        }
        table.masses = Some(vec![mass; n]);
    }
    let Some(masses) = table.masses else {
        problems.report("path", "the file has no column `m`", Some("add one, or give a `mass` for all"));
        return None;
    };
    let velocities = table.velocities.unwrap_or_else(|| vec![DVec3::ZERO; n]);
    let set = problems.note("", ParticleSet::new(typed.name.clone(), masses, table.positions, velocities))?;
    Some(match &typed.material {
        Some(material) => set.of_material(material),
        None => set,
    })
}

#[derive(Default)]
struct ParticleTable {
    positions: Vec<DVec3>,
    velocities: Option<Vec<DVec3>>,
    masses: Option<Vec<f64>>,
}

/// The columns that a file of particles may have.
const COLUMNS: [&str; 7] = ["x", "y", "z", "vx", "vy", "vz", "m"];

/// Columns x, y, z, then vx, vy, vz and m where they are there; in any order, by the names in the first line. Anything else
/// is refused: a column that is not read would be lost in silence. Places are told by line and column, without what stands there.
fn read_particles(files: &Files, path: &Path) -> Result<ParticleTable, FileError> {
    let name = named(path);
    let file = std::io::BufReader::new(files.open(path, LARGEST_DATA)?);
    let no_table = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        FileError::new(
            format!("{name}: line {line} is no line of a table"),
            "give every line as many values as the first",
        )
    };
    // It may grow while it is read.
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(file.take(LARGEST_DATA));
    let header = reader.headers().map_err(no_table)?.clone();
    for (i, title) in header.iter().enumerate() {
        if !COLUMNS.contains(&title) || header.iter().skip(i + 1).any(|other| other == title) {
            let message = format!("{name}: line 1: the name of column {} is unknown or double", i + 1);
            return Err(FileError::new(message, "the columns are x, y, z, vx, vy, vz, m, each once"));
        }
    }
    let column = |key: &str| header.iter().position(|title| title == key);
    let three = |keys: [&str; 3]| -> Option<[usize; 3]> {
        Some([column(keys[0])?, column(keys[1])?, column(keys[2])?])
    };
    let Some(position) = three(["x", "y", "z"]) else {
        let message = format!("{name}: line 1 does not name the columns x, y, z");
        return Err(FileError::new(message, "begin the file with x,y,z"));
    };
    let (velocity, mass) = (three(["vx", "vy", "vz"]), column("m"));
    if velocity.is_none() && header.iter().any(|title| title.starts_with('v')) {
        let message = format!("{name}: line 1 names some of the columns vx, vy, vz");
        return Err(FileError::new(message, "give all three, or none"));
    }
    let mut table = ParticleTable::default();
    for record in reader.records() {
        let record = record.map_err(no_table)?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |i: usize| -> Result<f64, FileError> {
            let parsed =
                record.get(i).and_then(|text| text.parse().ok()).filter(|number: &f64| number.is_finite());
            parsed.ok_or_else(|| {
                let message =
                    format!("{name}: line {line}: the value of column {} is not a finite number", i + 1);
                FileError::new(message, "write it like 12, -1.5 or 1e-3")
            })
        };
        let triple =
            |c: [usize; 3]| Ok::<_, FileError>(DVec3::new(number(c[0])?, number(c[1])?, number(c[2])?));
        table.positions.push(triple(position)?);
        if let Some(columns) = velocity {
            table.velocities.get_or_insert_default().push(triple(columns)?);
        }
        if let Some(column) = mass {
            table.masses.get_or_insert_default().push(number(column)?);
        }
    }
    if table.positions.is_empty() {
        return Err(FileError::new(format!("{name} has no particles"), "give it a line for each"));
    }
    Ok(table)
}
