//! The scenes that can be shown: those that were given, and no others.

use std::fmt;
use std::path::PathBuf;

use dolmen::scene::typed::{Driver, Run, StepLength};
use dolmen::scene::{Document, Files};
use dolmen::world::World;
use serde_json::{Value, json};

use crate::message::DriverName;
use crate::session::DriverChoice;

/// Makes a world, as often as it is started again.
type Build = dyn Fn() -> Result<World, String> + Send + Sync;

/// A scene that can be shown.
pub struct Given {
    name: String,
    title: String,
    end: Option<f64>,
    build: Box<Build>,
    recorded: Option<(f64, String)>,
    text: Option<String>,
    run: Run,
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Given({:?})", self.name)
    }
}

impl Given {
    /// A scene by its name, its title, its duration in s if it has one, and how its world is made.
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        end: Option<f64>,
        build: impl Fn() -> Result<World, String> + Send + Sync + 'static,
    ) -> Self {
        let end = end.filter(|end| end.is_finite() && *end > 0.0);
        Self {
            name: name.into(),
            title: title.into(),
            end,
            build: Box::new(build),
            recorded: None,
            text: None,
            run: Run::default(),
        }
    }

    /// A scene that was read: its title and duration are those that it says, and its text is that of its file, or, if that is not
    /// all of it, the whole scene written out.
    ///
    /// `base` is the folder of its files; without one it can read none.
    pub fn document(name: impl Into<String>, document: Document, base: Option<PathBuf>) -> Self {
        let name = name.into();
        let scene = document.scene();
        let title = scene.title.clone().unwrap_or_else(|| name.clone());
        let run = scene.run.clone().unwrap_or_default();
        let end = run.duration.or_else(|| run.times.as_ref()?.last().copied());
        let text = match document.sources() {
            [source] => source.text.clone(),
            _ => scene.to_toml(),
        };
        let build = move || {
            let files = match &base {
                Some(base) => Files::new(base.clone(), document.allows_outside()),
                None => Files::none(),
            };
            document.build_with(&files).map_err(|errors| errors.to_string())
        };
        Self::new(name, title, end, build).with_text(text).run_as(run)
    }

    /// With the driver of a scene, and the settings of all drivers.
    #[must_use]
    pub fn run_as(mut self, run: Run) -> Self {
        self.run = run;
        self
    }

    /// Which driver the scene has, or another that is asked for, with a step of its own.
    pub(crate) fn driver(&self, asked: Option<(DriverName, Option<f64>)>) -> DriverChoice {
        let Some((name, step)) = asked else { return DriverChoice::from(&self.run) };
        let mut run = self.run.clone();
        match name {
            DriverName::Exact => run.driver = Some(Driver::Exact),
            DriverName::Fixed => {
                (run.driver, run.step) = (Some(Driver::Fixed), step.map(StepLength::Seconds).or(run.step));
            }
            DriverName::Intro => {
                run.driver = Some(Driver::Intro);
                let intro = run.intro.get_or_insert_default();
                intro.step = step.or(intro.step);
            }
        }
        DriverChoice::from(&run)
    }

    /// With a text that the page shows, and that can be changed there.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The text of the scene, if it has one.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// A world, which is started as it is described.
    pub fn world(name: impl Into<String>, world: World) -> Self {
        let name = name.into();
        Self::new(name.clone(), name, None, move || Ok(world.clone()))
    }

    /// As it was recorded: it ends at this time, s, in the state with this hash, if that is known. The page says so if the
    /// motion that it sees ends otherwise.
    #[must_use]
    pub fn ending_at(mut self, t: f64, hash: Option<String>) -> Self {
        self.end = Some(t).filter(|end| end.is_finite() && *end > 0.0).or(self.end);
        self.recorded = hash.map(|hash| (t, hash));
        self
    }

    /// When it ended in a record, s, and the hash of its state there.
    pub fn recorded(&self) -> Option<(f64, &str)> {
        self.recorded.as_ref().map(|(t, hash)| (*t, hash.as_str()))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// When it ends, s.
    pub fn end(&self) -> Option<f64> {
        self.end
    }

    /// Makes its world.
    ///
    /// # Errors
    /// When the scene is wrong; the text says how.
    pub fn build(&self) -> Result<World, String> {
        (self.build)()
    }
}

/// The scenes that can be picked; never empty.
#[derive(Debug)]
pub(crate) struct Scenes {
    all: Vec<Given>,
    first: usize,
    /// How many of them were given; one that was typed in a page comes after.
    given: usize,
    /// Which one runs beside it from the start, to be compared.
    beside: Option<usize>,
}

impl Scenes {
    /// None if there is none; `first` is shown first.
    pub(crate) fn new(all: Vec<Given>, first: usize, beside: Option<usize>) -> Option<Self> {
        let given = all.len();
        let beside = beside.filter(|place| *place < given);
        (first < given).then_some(Self { all, first, given, beside })
    }

    pub(crate) fn beside(&self) -> Option<usize> {
        self.beside
    }

    /// Takes in a scene that was typed in a page, in the place of the one before; its place.
    pub(crate) fn put(&mut self, typed: Given) -> usize {
        self.all.truncate(self.given);
        self.all.push(typed);
        self.given
    }

    pub(crate) fn first(&self) -> usize {
        self.first
    }

    pub(crate) fn get(&self, place: usize) -> &Given {
        &self.all[place]
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|given| given.name == name)
    }

    pub(crate) fn list(&self) -> Value {
        let all = self.all.iter().map(|given| json!({ "name": given.name, "title": given.title }));
        all.collect::<Vec<_>>().into()
    }
}
