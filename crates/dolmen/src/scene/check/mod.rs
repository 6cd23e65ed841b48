//! What can be wrong with a scene and be found without building a world.

mod body;
mod contact;
mod force;
mod joint;
mod sensor;
mod settings;
mod shape;

use std::collections::BTreeMap;

use super::decode::has_problem;
use super::error::Problem;
use super::layout::Layout;
use super::place::PathSegment;
use super::read::shown;
use super::suggest;
use super::tolerances::{MOST_STEPS, STRONGEST_GRAVITY};
use super::typed::{LISTS, Scene};

/// How far a quaternion may be from unit length and a matrix from orthogonality: both are made exact, and
/// this is room for numbers written with seven digits. A decade more lets slips pass (0.7 for 0.7071), a
/// decade less refuses what other programs print.
pub(crate) const ROTATION_TOLERANCE: f64 = 1e-6;

/// How far an inertia may be from symmetry and from the triangle inequality, relative to its largest entry:
/// room for rounding of numbers written with ten digits.
pub(crate) const INERTIA_TOLERANCE: f64 = 1e-9;

/// How far sums of the coefficients of a tableau may be from what they have to be: room for rounding of
/// coefficients written with ten digits.
pub(crate) const TABLEAU_TOLERANCE: f64 = 1e-9;

/// The longest name, characters.
const LONGEST_NAME: usize = 100;

/// Everything that is wrong with a scene that need not have come from a file.
pub(crate) fn check(scene: &Scene) -> Vec<Problem> {
    let mut checks = Checks::default();
    if scene.format != Scene::FORMAT {
        checks.report("format", format!("the format is {}, not {}", Scene::FORMAT, scene.format), None);
    }
    let value = serde_json::to_value(scene).unwrap_or_default();
    checks.not_finite(&value);
    // Comparisons with NaN say nothing of use.
    if checks.problems.is_empty() {
        checks.scene(scene, true);
    }
    checks.problems
}

/// What is wrong with a decoded scene besides `found`, leaving out the parts that `found` is about.
pub(crate) fn check_decoded(scene: &Scene, layout: &Layout, found: &[Problem]) -> Vec<Problem> {
    // A name that could not be read might be the one that is referred to.
    let names_are_known = !found.iter().any(|problem| match &problem.path[..] {
        [PathSegment::Key(key)] => suggest::nearest(key, LISTS).is_some(),
        [.., PathSegment::Key(key)] => key == "name",
        _ => false,
    });
    let mut checks = Checks::default();
    checks.scene(scene, names_are_known);
    let is_new = |problem: &Problem| {
        !has_problem(found, &problem.path) && (problem.path.is_empty() || layout.has(&problem.path[0]))
    };
    checks.problems.into_iter().filter(is_new).collect()
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Body,
    Set,
}

/// The names that forces can refer to; none if they are not all known.
type Names<'s> = Option<BTreeMap<&'s str, Named>>;

/// The problems found so far and the place that is being checked.
#[derive(Debug, Default)]
struct Checks {
    path: Vec<PathSegment>,
    problems: Vec<Problem>,
}

impl Checks {
    fn scene(&mut self, scene: &Scene, names_are_known: bool) {
        let names = self.names(scene);
        let names = names_are_known.then_some(names);
        if let Some(run) = &scene.run {
            self.inside("run", |checks| checks.run(run));
        }
        if let Some(gravity) = scene.gravity {
            self.all_at_most(
                "gravity",
                Some(gravity),
                STRONGEST_GRAVITY,
                "m/s², more than on a neutron star",
            );
        }
        if let (Some(step), Some(duration)) =
            (scene.integrator.as_ref().and_then(|i| i.step), scene.run.as_ref().and_then(|run| run.duration))
            && step > 0.0
        {
            self.inside("integrator", |checks| checks.enough("step", step, duration / MOST_STEPS));
        }
        if let Some(accuracy) = &scene.accuracy {
            self.inside("accuracy", |checks| checks.accuracy(accuracy));
        }
        if let Some(integrator) = &scene.integrator {
            self.inside("integrator", |checks| checks.integrator(integrator));
        }
        if let Some(output) = &scene.output {
            self.inside("output", |checks| checks.output(output, &names));
        }
        self.surfaces(scene, names_are_known);
        self.each("body", &scene.body, Self::body);
        self.each("particles", &scene.particles, Self::particles);
        self.each("force", &scene.force, |checks, force| checks.force(force, &names));
        self.joints(scene, &names);
        self.sensors(scene, &names);
    }

    /// Checks all names and gathers those that can be referred to.
    fn names<'s>(&mut self, scene: &'s Scene) -> BTreeMap<&'s str, Named> {
        let mut names = BTreeMap::new();
        let bodies = scene.body.iter().map(|body| body.name.as_deref()).enumerate();
        let bodies = bodies.map(|(index, name)| ("body", index, name, Named::Body));
        let sets = scene.particles.iter().enumerate();
        let sets = sets.map(|(index, set)| ("particles", index, Some(set.name.as_str()), Named::Set));
        for (list, index, name, named) in bodies.chain(sets) {
            let Some(name) = name else { continue };
            let path = vec![list.into(), index.into(), "name".into()];
            self.name(path.clone(), name);
            if names.insert(name, named).is_some() {
                self.taken(path, name, "bodies and sets of particles share their names");
            }
        }
        let mut force_names = std::collections::BTreeSet::new();
        for (index, force) in scene.force.iter().enumerate() {
            let Some(name) = force.name() else { continue };
            let path = vec!["force".into(), index.into(), "name".into()];
            self.name(path.clone(), name);
            if !force_names.insert(name) {
                self.taken(path, name, "every force has a name of its own, or none");
            }
        }
        names
    }

    fn taken(&mut self, path: Vec<PathSegment>, name: &str, help: &str) {
        let message = format!("the name \"{}\" is taken already", shown(name));
        self.problems.push(Problem::new(path, message, Some(help.to_owned())));
    }

    /// Names are written in CSV headings and in paths of keys: nothing that would have to be quoted there.
    fn name(&mut self, path: Vec<PathSegment>, name: &str) {
        const FORBIDDEN: &str = "\\[]{}\",;";
        let message = if name.is_empty() {
            "a name cannot be empty".to_owned()
        } else if name.trim() != name {
            "a name cannot begin or end with a blank".to_owned()
        } else if name.starts_with('#') {
            "a name cannot begin with `#`, as the numbers of bodies without a name do".to_owned()
        } else if name.chars().count() > LONGEST_NAME {
            format!("a name has at most {LONGEST_NAME} characters")
        } else if let Some(wrong) = name.chars().find(|c| c.is_control() || FORBIDDEN.contains(*c)) {
            format!("a name cannot contain `{}`", wrong.escape_debug())
        } else {
            return;
        };
        let help = format!(
            "a name may contain anything but control characters and {}",
            FORBIDDEN.chars().map(String::from).collect::<Vec<_>>().join(" ")
        );
        self.problems.push(Problem::new(path, message, Some(help)));
    }

    /// Looks for `null`, which is how a number that is not finite shows in JSON.
    fn not_finite(&mut self, value: &serde_json::Value) {
        match value {
            serde_json::Value::Null => {
                self.problems.push(Problem::new(self.path.clone(), "expected a finite number", None));
            }
            serde_json::Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.inside(index, |checks| checks.not_finite(element));
                }
            }
            serde_json::Value::Object(entries) => {
                for (key, entry) in entries {
                    self.inside(key.as_str(), |checks| checks.not_finite(entry));
                }
            }
            _ => {}
        }
    }

    // -- tools of the checks --

    fn inside(&mut self, segment: impl Into<PathSegment>, check: impl FnOnce(&mut Self)) {
        self.path.push(segment.into());
        check(self);
        self.path.pop();
    }

    fn each<'t, T>(&mut self, key: &str, elements: &'t [T], mut check: impl FnMut(&mut Self, &'t T)) {
        self.inside(key, |checks| {
            for (index, element) in elements.iter().enumerate() {
                checks.inside(index, |checks| check(checks, element));
            }
        });
    }

    /// A problem of the value under `key`.
    fn report(&mut self, key: &str, message: impl Into<String>, help: Option<&str>) {
        let mut path = self.path.clone();
        path.push(key.into());
        self.problems.push(Problem::new(path, message, help.map(str::to_owned)));
    }

    /// A problem of the table itself: something is missing in it.
    fn report_here(&mut self, message: impl Into<String>, help: Option<&str>) {
        self.problems.push(Problem::new(self.path.clone(), message, help.map(str::to_owned)));
    }

    fn positive(&mut self, key: &str, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into().filter(|value| *value <= 0.0) {
            self.report(key, format!("`{key}` has to be greater than 0, not {value}"), None);
        }
    }

    fn not_negative(&mut self, key: &str, value: impl Into<Option<f64>>) {
        if let Some(value) = value.into().filter(|value| *value < 0.0) {
            self.report(key, format!("`{key}` cannot be negative, and is {value}"), None);
        }
    }

    /// What no real thing has is a slip of the pen, and would end in numbers that are not finite or in a run without end.
    fn at_most(&mut self, key: &str, value: impl Into<Option<f64>>, most: f64, reason: &str) {
        if let Some(value) = value.into().filter(|value| *value > most) {
            let message = format!("`{key}` is at most {most:e} {reason}, and is {value:e}");
            self.report(key, message, Some("is the unit right? numbers are in SI units"));
        }
    }

    /// As [`Checks::at_most`], of every component.
    fn all_at_most(&mut self, key: &str, vector: Option<[f64; 3]>, most: f64, reason: &str) {
        let size = vector.map(|vector| vector.iter().fold(0.0_f64, |size, x| size.max(x.abs())));
        self.at_most(key, size, most, reason);
    }

    /// A step that would take for ever.
    fn enough(&mut self, key: &str, value: f64, least: f64) {
        if value < least {
            let message =
                format!("`{key}` has to be at least {least:e} s for this duration, and is {value:e} s");
            self.report(key, message, Some("fewer steps, or a shorter run"));
        }
    }

    fn all_positive(&mut self, key: &str, values: &[f64]) {
        self.each(key, values, |checks, value| {
            if *value <= 0.0 {
                checks.report_here(format!("all of `{key}` have to be greater than 0, not {value}"), None);
            }
        });
    }

    /// `first` and `second` are both given, and only one may be.
    fn exclusive(&mut self, first: (&str, bool), second: (&str, bool)) {
        if first.1 && second.1 {
            self.report(
                second.0,
                format!("`{}` and `{}` exclude each other", first.0, second.0),
                Some("keep one of them"),
            );
        }
    }

    fn increasing(&mut self, key: &str, times: &[f64]) {
        if let Some(at) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
            let (before, after) = (times[at], times[at + 1]);
            self.inside(key, |checks| {
                checks.inside(at + 1, |checks| {
                    checks
                        .report_here(format!("`{key}` have to increase, and {after} follows {before}"), None);
                });
            });
        }
    }

    /// The list under `key` has to be as long as that under `other`.
    fn same_length(&mut self, key: &str, length: usize, other: &str, other_length: usize) {
        if length != other_length {
            let message = format!("`{key}` has length {length}, `{other}` has length {other_length}");
            self.report(key, message, Some("they have to be equally long"));
        }
    }

    /// `name` has to be one of `names`, and what it stands for one of `wanted`.
    fn refers(&mut self, name: &str, names: &Names<'_>, wanted: &[Named]) {
        let Some(names) = names else { return };
        let things = match wanted {
            [Named::Body] => "body",
            [Named::Set] => "set of particles",
            _ => "body or set of particles",
        };
        match names.get(name) {
            Some(named) if wanted.contains(named) => {}
            Some(Named::Set) => {
                let message =
                    format!("\"{}\" is a set of particles; only a body can be named here", shown(name));
                self.report_here(message, None);
            }
            Some(Named::Body) => {
                let message =
                    format!("\"{}\" is a body; only a set of particles can be named here", shown(name));
                self.report_here(message, None);
            }
            None => {
                let known: Vec<&str> =
                    names.iter().filter(|(_, named)| wanted.contains(named)).map(|(name, _)| *name).collect();
                let help = suggest::help(name, &known).unwrap_or_else(|| format!("no {things} has a name"));
                self.report_here(format!("there is no {things} \"{}\"", shown(name)), Some(&help));
            }
        }
    }

    fn refers_at(&mut self, key: &str, name: &str, names: &Names<'_>, wanted: &[Named]) {
        self.inside(key, |checks| checks.refers(name, names, wanted));
    }

    /// A list of names: none twice, at least one.
    fn refers_to_all(&mut self, key: &str, list: Option<&[String]>, names: &Names<'_>, wanted: &[Named]) {
        let Some(list) = list else { return };
        if list.is_empty() {
            self.report(key, format!("`{key}` is empty"), Some("leave it out for all"));
        }
        let mut seen = std::collections::BTreeSet::new();
        self.each(key, list, |checks, name| {
            if seen.insert(name.as_str()) {
                checks.refers(name, names, wanted);
            } else {
                checks.report_here(format!("\"{}\" is listed twice", shown(name)), None);
            }
        });
    }
}
