//! From the file to the case, with every mistake in its place.

use std::path::{Path, PathBuf};

use dolmen::scene::{Diagnostic, PathSegment, SceneErrors, Typed, suggestion};
use dolmen::world::World;

use super::{Case, Expectation, Laws, MOST_STEPS, Precision, Problem, Run, SAMPLES, Subject, Wanted};
use crate::expression::{Expression, Mistake, Node, NodeKind, Spoken, Variables, check, fill_in};
use crate::format::{Expect, File, ProblemKind, Variant, Written};
use crate::library::{Library, VerifyError};
use crate::run::document;
use crate::{laws, measure, problem, words};

/// Of CASES: twelve printed digits, of which nine have to be met.
const RELATIVE: f64 = 1e-9;

/// Runs that one variant may stand for.
const MOST_RUNS: usize = 1000;

/// Instants at which a run may be sampled.
const MOST_SAMPLES: u32 = 1_000_000;

impl Case {
    /// Reads a file of expectations. `name` is that of the file without its ending, `shown` what messages call it.
    ///
    /// # Errors
    /// All mistakes that can be found, with their places.
    pub(crate) fn read(
        library: &Library,
        name: &str,
        shown: &str,
        text: &str,
        folder: &Path,
    ) -> Result<Self, VerifyError> {
        let typed = Typed::<File>::parse(shown, text)?;
        let file = typed.value();
        let mut reader = Reading { typed: &typed, found: Vec::new(), world: None, scene: None, words: &[] };
        reader.check_whole(file);
        let subject = reader.subject(library, name, folder, file);
        let runs = reader.runs(file);
        let precision = reader.precision(file);
        let plot = reader.plot(file);
        if !reader.found.is_empty() {
            return Err(typed.errors(reader.found).into());
        }
        let laws = matches!(subject, Subject::Scene { .. }).then(|| {
            file.laws
                .as_ref()
                .map_or_else(Laws::default, |laws| Laws { until: laws.until, known: laws.known.clone() })
        });
        Ok(Self {
            name: name.to_owned(),
            id: file.case.clone().unwrap_or_else(|| name.to_owned()),
            title: file.title.clone().unwrap_or_default(),
            formula: file.formula.clone(),
            source: file.source.clone(),
            about: file.about.clone(),
            tags: file.tags.clone(),
            long: file.long,
            known: file.known.clone(),
            needs: file.needs.clone(),
            subject,
            runs,
            laws,
            precision,
            plot,
        })
    }
}

/// What is wrong with a file.
struct Reading<'a> {
    typed: &'a Typed<File>,
    found: Vec<Diagnostic>,
    /// The plain scene, to look names up in.
    world: Option<World>,
    /// Its name, text and folder.
    scene: Option<(String, String, PathBuf)>,
    words: &'a [(&'a str, &'a str)],
}

/// A path into the file.
type Place = Vec<PathSegment>;

fn place(list: &str, index: usize, key: &str) -> Place {
    vec![list.into(), index.into(), key.into()]
}

impl Reading<'_> {
    fn refuse(&mut self, at: &[PathSegment], message: impl Into<String>, help: Option<String>) {
        self.found.push(self.typed.diagnostic_at(at, message, help));
    }

    fn mistake(&mut self, at: &[PathSegment], mistake: Mistake) {
        self.found.push(self.typed.diagnostic_within(at, &mistake.at, mistake.message, mistake.help));
    }

    fn check_whole(&mut self, file: &File) {
        if file.format != 1 {
            let message =
                format!("this version of Dolmen reads expectations of format 1, not {}", file.format);
            self.refuse(&["format".into()], message, Some("write `format = 1`".to_owned()));
        }
        self.check_time(&["until".into()], file.until);
        self.check_samples(&["samples".into()], file.samples);
        if let Some(known) = &file.laws {
            self.check_time(&["laws".into(), "until".into()], known.until);
            for law in known.known.keys().filter(|law| !laws::NAMES.contains(&law.as_str())) {
                let at = ["laws".into(), "known".into(), law.as_str().into()];
                self.refuse(&at, format!("there is no law `{law}`"), suggestion(law, laws::NAMES));
            }
        }
        if let Some(name) = &file.measure
            && measure::find(name).is_none()
        {
            let help = suggestion(name, &measure::names());
            self.refuse(&["measure".into()], format!("there is no measurement `{name}`"), help);
        }
        if let Some(needs) = file
            .needs
            .as_ref()
            .filter(|needs| Path::new(needs).components().count() != 1 || needs.contains(".."))
        {
            let help = Some("name a folder inside of that which `--data` gives".to_owned());
            self.refuse(&["needs".into()], format!("`{needs}` is not the name of a folder"), help);
        }
        let nothing = file.variant.iter().map(|variant| variant.expect.is_empty()).enumerate();
        let nothing = nothing.map(|(i, empty)| ("variant", i, empty));
        let unasked =
            file.problem.iter().enumerate().map(|(i, problem)| ("problem", i, problem.expect.is_empty()));
        for (list, i, _) in nothing.chain(unasked).filter(|(_, _, empty)| *empty) {
            let help = Some(format!("write [[{list}.expect]] with a `quantity` and its `value`"));
            self.refuse(&place(list, i, "name"), format!("nothing is expected of this {list}"), help);
        }
        let empty = file.expect.is_empty() && file.variant.is_empty() && file.problem.is_empty();
        if empty && file.known.is_none() && file.laws.is_none() {
            let help = Some("write [[expect]] with a `quantity` and its `value`".to_owned());
            self.refuse(&[], "nothing is expected", help);
        }
    }

    fn check_time(&mut self, at: &[PathSegment], time: Option<f64>) {
        if let Some(t) = time.filter(|t| *t < 0.0) {
            let message = format!("the time {t} s lies before the start");
            self.refuse(at, message, Some("give 0 or more".to_owned()));
        }
    }

    fn check_samples(&mut self, at: &[PathSegment], samples: Option<u32>) {
        if let Some(samples) = samples.filter(|samples| !(1..=MOST_SAMPLES).contains(samples)) {
            let message = format!("a run cannot be sampled {samples} times");
            self.refuse(at, message, Some(format!("give 1 to {MOST_SAMPLES}")));
        }
    }

    fn subject(&mut self, library: &Library, name: &str, folder: &Path, file: &File) -> Subject {
        if let Some(measure) = &file.measure {
            self.words = measure::find(measure).map_or(&[], |found| found.words);
            return Subject::Measure(measure.clone());
        }
        if !file.problem.is_empty() {
            self.words = problem::WORDS;
            return Subject::Own;
        }
        self.words = words::WORDS;
        let wanted = file.scene.as_deref().unwrap_or(name);
        let path = folder.join(format!("{}.toml", wanted.strip_suffix(".toml").unwrap_or(wanted)));
        let text = match (library.scene(wanted), std::fs::read_to_string(&path)) {
            // A file wins over a built-in scene of the same name, except for the built-in expectations.
            (_, Ok(text)) if folder != Path::new(".") => text,
            (Some(text), _) => text.to_owned(),
            (None, Ok(text)) => text,
            (None, Err(_)) => {
                if file.known.is_some() && file.scene.is_none() {
                    return Subject::Own;
                }
                let names: Vec<&str> = library.scenes.iter().map(|(name, _)| *name).collect();
                let message = format!("there is no scene `{wanted}`");
                let at: &[PathSegment] = if file.scene.is_some() { &["scene".into()] } else { &[] };
                let help = suggestion(wanted, &names).filter(|help| help.starts_with("did"));
                self.refuse(
                    at,
                    message,
                    help.or_else(|| Some("name a built-in scene, or a file beside this".to_owned())),
                );
                return Subject::Own;
            }
        };
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        self.build(wanted, &text, &folder, file);
        self.scene = Some((wanted.to_owned(), text.clone(), folder.clone()));
        Subject::Scene { name: wanted.to_owned(), text, folder }
    }

    /// The world of the plain scene, if it needs nothing that is not here.
    fn build(&mut self, name: &str, text: &str, folder: &Path, file: &File) {
        if file.needs.is_some() {
            return;
        }
        let built = |set: &[String]| document(name, text, folder, set)?.build(folder);
        match built(&[]) {
            Ok(world) => self.world = Some(world),
            Err(errors) => {
                let help = Some("correct it first: `dolmen check` checks a scene alone".to_owned());
                return self.refuse(&["scene".into()], format!("the scene is refused:\n{errors}"), help);
            }
        }
        if file.set.is_empty() {
            return;
        }
        let Some(set) = self.filled(&file.set) else { return };
        match built(&set) {
            Ok(world) => self.world = Some(world),
            Err(errors) => self.refuse_set(&["set".into()], &errors),
        }
    }

    /// Overrides of the whole file with their expressions evaluated; none if one has a mistake.
    fn filled(&mut self, set: &[String]) -> Option<Vec<String>> {
        let mut filled = Vec::new();
        for (i, text) in set.iter().enumerate() {
            match fill_in(text, &with_data(&Variables::default())) {
                Ok(text) => filled.push(text),
                Err(mistake) => {
                    self.mistake(&["set".into(), i.into()], mistake);
                    return None;
                }
            }
        }
        Some(filled)
    }

    fn refuse_set(&mut self, at: &[PathSegment], errors: &SceneErrors) {
        let help = Some("an override is `path=value`, see `docs/scene.md`".to_owned());
        self.refuse(at, format!("with these overrides the scene is refused:\n{errors}"), help);
    }

    fn runs(&mut self, file: &File) -> Vec<Run> {
        let mut runs = Vec::new();
        let samples = file.samples.unwrap_or(SAMPLES);
        if !file.expect.is_empty() {
            let expectations = self.expectations(&[], &file.expect, &[]);
            let variables = Variables::default();
            let set = file.set.clone();
            runs.push(Run {
                name: String::new(),
                set,
                until: file.until,
                samples,
                most_steps: file.most_steps.unwrap_or(MOST_STEPS),
                known: None,
                variables,
                problem: None,
                expectations,
            });
        }
        for (i, variant) in file.variant.iter().enumerate() {
            self.variant(i, variant, file, &mut runs);
        }
        for (i, problem) in file.problem.iter().enumerate() {
            self.check_problem(i, problem);
            let at = ["problem".into(), i.into()];
            runs.push(Run {
                name: problem.name.clone(),
                set: Vec::new(),
                until: None,
                samples,
                most_steps: MOST_STEPS,
                known: problem.known.clone(),
                variables: Variables::default(),
                problem: Some(Problem {
                    kind: problem.kind,
                    matrix: problem.matrix.clone(),
                    q: problem.q.clone(),
                    friction: problem.friction.clone(),
                }),
                expectations: self.expectations(&at, &problem.expect, &[]),
            });
        }
        runs
    }

    fn variant(&mut self, index: usize, variant: &Variant, file: &File, runs: &mut Vec<Run>) {
        let at: Place = vec!["variant".into(), index.into()];
        self.check_time(&place("variant", index, "until"), variant.until);
        self.check_samples(&place("variant", index, "samples"), variant.samples);
        for name in variant.each.keys() {
            let at = [at.as_slice(), &["each".into(), name.as_str().into()]].concat();
            if self.words.iter().any(|(word, _)| word == name) {
                let message = format!("`{name}` is a quantity already");
                self.refuse(&at, message, Some("give it another name".to_owned()));
            }
        }
        let names: Vec<String> = variant.each.keys().cloned().collect();
        let count = variant.each.values().map(Vec::len).try_fold(1_usize, usize::checked_mul);
        if !count.is_some_and(|count| (1..=MOST_RUNS).contains(&count)) {
            let message = format!("`each` stands for no run, or for more than {MOST_RUNS}");
            self.refuse(&place("variant", index, "each"), message, Some("give fewer values".to_owned()));
            return;
        }
        let expectations = self.expectations(&at, &variant.expect, &names);
        let set: Vec<String> = file.set.iter().chain(&variant.set).cloned().collect();
        let before = runs.len();
        for numbers in combinations(variant) {
            let variables = Variables { numbers, ..Variables::default() };
            let fill = |text: &str| fill_in(text, &with_data(&variables));
            if let Err(mistake) = fill(&variant.name) {
                self.mistake(&place("variant", index, "name"), mistake);
                return;
            }
            for (k, text) in variant.set.iter().enumerate() {
                if let Err(mistake) = fill(text) {
                    let at = [at.as_slice(), &["set".into(), k.into()]].concat();
                    self.mistake(&at, mistake);
                    return;
                }
            }
            if runs.len() == before {
                self.check_set(&at, &set, file, &with_data(&variables));
            }
            runs.push(Run {
                name: fill(&variant.name).unwrap_or_default(),
                set: set.clone(),
                until: variant.until.or(file.until),
                samples: variant.samples.or(file.samples).unwrap_or(SAMPLES),
                most_steps: variant.most_steps.or(file.most_steps).unwrap_or(MOST_STEPS),
                known: variant.known.clone(),
                variables,
                problem: None,
                expectations: expectations.clone(),
            });
        }
    }

    /// Whether the scene takes the overrides of a variant; checked for the first of its runs.
    fn check_set(&mut self, at: &[PathSegment], set: &[String], file: &File, variables: &Variables) {
        let Some((name, text, folder)) = self.scene.clone().filter(|_| file.needs.is_none()) else { return };
        let filled: Vec<String> = set.iter().filter_map(|text| fill_in(text, variables).ok()).collect();
        if let Err(errors) = document(&name, &text, &folder, &filled) {
            self.refuse_set(&[at, &["set".into()]].concat(), &errors);
        }
    }

    fn check_problem(&mut self, index: usize, problem: &crate::format::Problem) {
        let size = problem.q.len();
        let square = problem.matrix.len() == size && problem.matrix.iter().all(|row| row.len() == size);
        if !square || size == 0 {
            let message = format!("`q` has {size} numbers, so the matrix needs {size} rows of as many");
            let help = Some("write a row in brackets for each number of `q`".to_owned());
            self.refuse(&place("problem", index, "matrix"), message, help);
        }
        if let Some(friction) = problem.friction.iter().find(|friction| **friction < 0.0) {
            let message = format!("a friction of {friction} cannot be");
            self.refuse(&place("problem", index, "friction"), message, Some("give 0 or more".to_owned()));
        }
        if problem.kind == ProblemKind::Coulomb && size != 3 * problem.friction.len() {
            let help = Some("each contact has a normal and two tangents".to_owned());
            let message = format!("{size} unknowns need a `friction` of {} numbers", size.div_ceil(3));
            self.refuse(&place("problem", index, "friction"), message, help);
        }
    }

    fn expectations(
        &mut self,
        at: &[PathSegment],
        list: &[Expect],
        variables: &[String],
    ) -> Vec<Expectation> {
        let mut found = Vec::new();
        for (i, expect) in list.iter().enumerate() {
            let inside = |key: &str| [at, &["expect".into(), i.into(), key.into()]].concat();
            self.check_time(&inside("time"), expect.time);
            for (key, tolerance) in [("relative", expect.relative), ("absolute", expect.absolute)] {
                if let Some(tolerance) = tolerance.filter(|tolerance| *tolerance < 0.0) {
                    let message = format!("{tolerance} is no tolerance");
                    self.refuse(&inside(key), message, Some("give a number that is 0 or more".to_owned()));
                }
            }
            let quantity = self.expression(&inside("quantity"), &expect.quantity, variables);
            let wanted = self.wanted(&inside, expect, variables);
            let (Some(quantity), Some(wanted)) = (quantity, wanted) else { continue };
            let label = expect.label.clone().unwrap_or_else(|| expect.quantity.clone());
            found.push(Expectation {
                quantity,
                label,
                time: expect.time,
                wanted,
                absolute: expect.absolute.unwrap_or(0.0),
                relative: expect.relative.unwrap_or(if expect.absolute.is_some() { 0.0 } else { RELATIVE }),
                known: expect.known.clone(),
                source: expect.source.clone(),
                formula: expect.formula.clone(),
            });
        }
        found
    }

    fn wanted(
        &mut self,
        inside: &dyn Fn(&str) -> Place,
        expect: &Expect,
        variables: &[String],
    ) -> Option<Wanted> {
        let is_zero = |value: &Written| match value {
            Written::Number(number) => *number == 0.0,
            Written::List(list) => list.iter().all(|number| *number == 0.0),
            Written::Text(_) => false,
        };
        match (&expect.value, &expect.below, &expect.above) {
            (Some(value), None, None) => {
                if is_zero(value) && expect.absolute.is_none() {
                    let help = Some("add `absolute = …`".to_owned());
                    self.refuse(&inside("value"), "a relative tolerance of zero allows nothing", help);
                }
                self.written(&inside("value"), value, variables).map(Wanted::Value)
            }
            (None, Some(bound), None) => self.written(&inside("below"), bound, variables).map(Wanted::AtMost),
            (None, None, Some(bound)) => {
                self.written(&inside("above"), bound, variables).map(Wanted::AtLeast)
            }
            _ => {
                let help = Some("write `value = …`, `below = …` or `above = …`".to_owned());
                self.refuse(
                    &inside("quantity"),
                    "exactly one of `value`, `below` and `above` is needed",
                    help,
                );
                None
            }
        }
    }

    fn written(&mut self, at: &[PathSegment], value: &Written, variables: &[String]) -> Option<Expression> {
        let leaf = |number: &f64| Node { kind: NodeKind::Number(*number), at: 0..0 };
        let node = match value {
            Written::Text(text) => return self.expression(at, text, variables),
            Written::Number(number) => leaf(number),
            Written::List(list) => Node { kind: NodeKind::List(list.iter().map(leaf).collect()), at: 0..0 },
        };
        Some(Expression { text: String::new(), node })
    }

    fn expression(&mut self, at: &[PathSegment], text: &str, variables: &[String]) -> Option<Expression> {
        let expression = match Expression::parse(text) {
            Ok(expression) => expression,
            Err(mistake) => {
                self.mistake(at, mistake);
                return None;
            }
        };
        let spoken = Spoken { words: self.words, parts: words::PARTS, variables };
        let mut mistakes = check(&expression, &spoken);
        if mistakes.is_empty()
            && let Some(world) = &self.world
        {
            mistakes = words::unknown_names(&expression, world);
        }
        for mistake in mistakes {
            self.mistake(at, mistake);
        }
        Some(expression)
    }

    fn plot(&mut self, file: &File) -> Vec<Expression> {
        let mut curves = Vec::new();
        for (i, text) in file.plot.iter().enumerate() {
            curves.extend(self.expression(&["plot".into(), i.into()], text, &[]));
        }
        curves
    }

    fn precision(&mut self, file: &File) -> Option<Precision> {
        let precision = file.precision.as_ref()?;
        let at = |key: &str| -> Place { vec!["precision".into(), key.into()] };
        self.check_time(&at("time"), precision.time);
        self.check_set(&["precision".into()], &precision.set, file, &with_data(&Variables::default()));
        let quantity = self.expression(&at("quantity"), &precision.quantity, &[])?;
        let value = self.written(&at("value"), &precision.value, &[])?;
        Some(Precision { quantity, value, time: precision.time, set: precision.set.clone() })
    }
}

/// `{data}` is a folder that is only known later.
fn with_data(variables: &Variables) -> Variables {
    let mut all = variables.clone();
    all.texts.entry("data".to_owned()).or_insert_with(|| ".".to_owned());
    all
}

/// Every choice of one value for each name, the last name running fastest.
fn combinations(variant: &Variant) -> Vec<std::collections::BTreeMap<String, f64>> {
    let mut all = vec![std::collections::BTreeMap::new()];
    for (name, values) in &variant.each {
        let extended = |chosen: &std::collections::BTreeMap<String, f64>| {
            let chosen = chosen.clone();
            values.iter().map(move |value| {
                let mut more = chosen.clone();
                more.insert(name.clone(), *value);
                more
            })
        };
        all = all.iter().flat_map(extended).collect();
    }
    all
}
