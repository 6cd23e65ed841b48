//! Worlds: read from scenes, never changed.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dolmen::drive::exact::Stop;
use dolmen::drive::fixed::{FixedError, FixedSettings};
use dolmen::record::Output;
use dolmen::scene::typed::StepBounds;
use dolmen::scene::{Document, Files, ReadOptions};
use dolmen::world::World;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::tuple;
use crate::errors;

/// Every scene of the repository: name and text.
static SCENES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// A description of what is simulated; it never changes.
#[pyclass(module = "dolmen", name = "World", frozen)]
pub(crate) struct PyWorld {
    /// What messages call the scene.
    name: String,
    /// The folder that its files are relative to.
    base: PathBuf,
    document: Document,
    world: Arc<World>,
}

impl PyWorld {
    fn new(name: &str, text: &str, base: PathBuf, overrides: &[String]) -> PyResult<Self> {
        let refuse = |errors: dolmen::scene::SceneErrors| errors::scene(&errors.to_string());
        let files = Files::below(&base).importing(reading().importer);
        let document = Document::parse_among(name, text, overrides, &files).map_err(refuse)?;
        let world = document.build(&base).map_err(refuse)?;
        Ok(Self { name: name.to_owned(), base, document, world: Arc::new(world) })
    }

    /// A world that was built already.
    pub(crate) fn of(document: Document, base: PathBuf, world: Arc<World>) -> Self {
        let name = document.sources().first().map_or_else(String::new, |source| source.name.clone());
        Self { name, base, document, world }
    }

    /// What messages call the scene, and its folder.
    pub(crate) fn place(&self) -> (&str, &Path) {
        (&self.name, &self.base)
    }

    /// The same with another tolerance of the integrator.
    pub(crate) fn with_tolerance(&self, tolerance: f64) -> PyResult<Self> {
        if !(tolerance.is_finite() && tolerance > 0.0) {
            let text = format!("tolerance = {tolerance}: give a positive number, such as 1e-9, or None");
            return Err(errors::input(text));
        }
        // The shape of a number in TOML, with all its bits.
        let overrides = [format!("accuracy.tolerance={tolerance:e}")];
        let changed = Self::new(&self.name, &self.text(), self.base.clone(), &overrides)?;
        let text = changed.document.scene().to_toml();
        Self::new(&self.name.replace(".json", ".toml"), &text, self.base.clone(), &[])
    }

    pub(crate) fn built(&self) -> &Arc<World> {
        &self.world
    }

    /// What the scene says is written of a run.
    pub(crate) fn output(&self) -> Output {
        self.document.scene().output(&self.world)
    }

    /// The settings of fixed steps and their bounds, as the scene has them.
    pub(crate) fn fixed_settings(&self) -> (FixedSettings, StepBounds) {
        let run = self.document.scene().run.as_ref();
        let settings = run.map_or_else(FixedSettings::default, FixedSettings::from);
        (settings, run.and_then(|run| run.bounds).unwrap_or_default())
    }

    /// Why the scene cannot be taken through fixed steps, with the place of the bodies in it.
    pub(crate) fn refused_by_steps(&self, error: &FixedError) -> PyErr {
        let bodies = error.bodies();
        if bodies.is_empty() {
            return errors::input(error.to_string());
        }
        errors::scene(&self.document.errors_at(&bodies, None, &error.to_string()).to_string())
    }

    /// A file of another format as a scene. What a scene cannot say is a warning.
    fn imported(py: Python<'_>, path: &Path, shown: &str, base: PathBuf) -> PyResult<Self> {
        let imported = py
            .detach(|| dolmen_import::import(path, &dolmen_import::Options::default()))
            .map_err(|error| errors::scene(&error.to_string()))?;
        imported.notes.iter().try_for_each(|note| warn(py, &note.to_string()))?;
        py.detach(|| Self::new(&format!("{shown}.toml"), &imported.toml, base, &[]))
    }

    /// Warns of what included files of other formats say and the scene does not.
    fn told(self, py: Python<'_>) -> PyResult<Self> {
        self.document.notes().iter().try_for_each(|note| warn(py, note))?;
        Ok(self)
    }

    /// Why the scene cannot start, with the place of the bodies or the joint in it.
    pub(crate) fn refused(&self, stop: &Stop) -> PyErr {
        let errors = self.document.errors_at(&stop.bodies(), stop.joint(), &stop.to_string());
        errors::scene(&errors.to_string())
    }

    fn text(&self) -> String {
        // A document has the text that it was read from; with overrides it is another one.
        match self.document.sources() {
            [source] => source.text.clone(),
            _ => self.document.scene().to_toml(),
        }
    }
}

fn warn(py: Python<'_>, note: &str) -> PyResult<()> {
    let text = CString::new(note.replace('\0', "?"))?;
    PyErr::warn(py, py.get_type::<errors::ImportNote>().as_any(), &text, 1)
}

#[pymethods]
impl PyWorld {
    /// The motors that take targets: joint, axis, and what the target is of (position, velocity or force).
    #[getter]
    fn motors(&self) -> Vec<(String, &'static str, &'static str)> {
        crate::intervene::motors(&self.world)
    }

    #[pyo3(name = "_to_json")]
    fn to_json(&self) -> String {
        self.document.scene().to_json()
    }

    /// The text of the scene, as it was read.
    #[getter]
    fn text_read(&self) -> String {
        self.text()
    }

    /// What messages call the scene, and the folder that its files are relative to.
    #[getter]
    fn source(&self) -> (String, PathBuf) {
        (self.name.clone(), self.base.clone())
    }

    /// The same scene with other values, each `KEY=VALUE` as `--set` of the command takes it.
    #[pyo3(name = "with_values", signature = (*values))]
    #[allow(clippy::needless_pass_by_value, reason = "arguments of Python are taken by value")]
    fn changed(&self, py: Python<'_>, values: Vec<String>) -> PyResult<Self> {
        py.detach(|| {
            let changed = Self::new(&self.name, &self.text(), self.base.clone(), &values)?;
            // So that the text of it is the text of what it is.
            let text = changed.document.scene().to_toml();
            Self::new(&self.name.replace(".json", ".toml"), &text, self.base.clone(), &[])
        })
    }

    /// The names of the bodies, in the order of the rows of arrays.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.world.described_ids().map(|id| self.world.body_name(id)).collect()
    }

    /// The names of the joints.
    #[getter]
    fn joints(&self) -> Vec<String> {
        self.world.joints().iter().map(|joint| joint.name().to_owned()).collect()
    }

    /// The names of the sets of particles.
    #[getter]
    fn particle_sets(&self) -> Vec<String> {
        self.world.sets().iter().map(|set| set.name().to_owned()).collect()
    }

    /// Uniform gravity, m/s².
    #[getter]
    fn gravity(&self) -> (f64, f64, f64) {
        tuple(self.world.gravity())
    }

    /// The title of the scene, or None.
    #[getter]
    fn title(&self) -> Option<String> {
        self.document.scene().title.clone()
    }

    /// How long the scene is meant to run, s, or None.
    #[getter]
    fn duration(&self) -> Option<f64> {
        let run = self.document.scene().run.as_ref()?;
        run.duration.or_else(|| run.times.as_ref()?.last().copied())
    }

    /// The scene as TOML; reading it gives an equal world, to the last bit of every number.
    fn to_toml(&self) -> String {
        self.document.scene().to_toml()
    }

    fn __repr__(&self) -> String {
        let (bodies, joints) = (self.world.described_bodies().len(), self.world.joints().len());
        format!("<dolmen.World {:?}: {bodies} bodies, {joints} joints>", self.name)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let read = py.import("dolmen")?.getattr("loads")?;
        Ok((read, (self.text(), &self.name, &self.base).into_pyobject(py)?))
    }
}

/// Reads a scene: a file (TOML or JSON), one of another format (URDF, MJCF, SDFormat, glTF, a mesh), or a built-in scene by its name. A file wins over a built-in scene of the same name.
#[pyfunction]
#[pyo3(signature = (scene, /))]
#[allow(clippy::needless_pass_by_value, reason = "a path object of Python is taken by value")]
pub(crate) fn load(py: Python<'_>, scene: PathBuf) -> PyResult<PyWorld> {
    let built_in = SCENES.iter().find(|(name, _)| Path::new(name) == scene);
    if let (Some((name, text)), false) = (built_in, scene.is_file()) {
        return py.detach(|| PyWorld::new(&format!("{name}.toml"), text, PathBuf::from("."), &[]));
    }
    let shown = scene.display().to_string();
    if !scene.exists() {
        return Err(errors::scene(&unknown(&shown)));
    }
    let base = scene.parent().map(Path::to_owned).unwrap_or_default();
    // So that the world finds its files wherever the program goes.
    let base = std::path::absolute(if base.as_os_str().is_empty() { Path::new(".") } else { &base })?;
    if dolmen_import::is_importable(&scene) {
        return PyWorld::imported(py, &scene, &shown, base);
    }
    py.detach(|| {
        let document =
            Document::open(&scene, &reading()).map_err(|errors| errors::scene(&errors.to_string()))?;
        let text = document.sources().first().map_or("", |source| source.text.as_str());
        PyWorld::new(&shown, text, base, &[])
    })
    .and_then(|world| world.told(py))
}

/// How the files of a scene are read: those below its folder, robots and meshes of other formats among them.
pub(crate) fn reading() -> ReadOptions {
    ReadOptions { importer: Some(dolmen_import::importer), ..ReadOptions::default() }
}

/// Reads a scene from a text. `name` is what messages call it; files are relative to the folder `base`.
#[pyfunction]
#[pyo3(signature = (text, /, name = "scene.toml", base = None))]
pub(crate) fn loads(py: Python<'_>, text: &str, name: &str, base: Option<PathBuf>) -> PyResult<PyWorld> {
    py.detach(|| PyWorld::new(name, text, base.unwrap_or_else(|| PathBuf::from(".")), &[]))
        .and_then(|world| world.told(py))
}

/// The names of the built-in scenes.
#[pyfunction]
pub(crate) fn scenes() -> Vec<&'static str> {
    SCENES.iter().map(|(name, _)| *name).collect()
}

fn unknown(name: &str) -> String {
    let near = SCENES.iter().map(|(other, _)| (strsim::jaro_winkler(name, other), other));
    let best = near.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score > 0.8);
    let hint = match best {
        Some((_, other)) => format!("did you mean the built-in scene `{other}`?"),
        None => "`dolmen.scenes()` lists the built-in ones".to_owned(),
    };
    format!("there is no file and no built-in scene `{name}`\n  help: {hint}")
}
