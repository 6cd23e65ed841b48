//! Run, accuracy, integrator and particles.

use super::{Checks, Named, Names, TABLEAU_TOLERANCE};
use crate::scene::read::shown;
use crate::scene::suggest;
use crate::scene::tolerances::{LONGEST_RUN, MOST_SAMPLES, MOST_STEPS};
use crate::scene::typed::{
    Accuracy, Driver, Integrator, Intro, Method, Output, OutputIntervals, Particles, Run, StepLength, Tableau,
};

impl Checks {
    pub(super) fn run(&mut self, run: &Run) {
        if let Some(intro) = &run.intro {
            if run.driver != Some(Driver::Intro) {
                let message = "settings of the driver \"intro\", which is not the driver of this run";
                self.report("intro", message, Some("write driver = \"intro\" under [run]"));
            }
            self.inside("intro", |checks| checks.intro(intro));
            if let (Some(step), Some(duration)) = (intro.step.filter(|step| *step > 0.0), run.duration) {
                self.inside("intro", |checks| checks.enough("step", step, duration / MOST_STEPS));
            }
        }
        self.fixed_steps(run);
        self.positive("duration", run.duration);
        self.at_most("duration", run.duration, LONGEST_RUN, "s, longer than there will be stars");
        self.positive("every", run.every);
        if let Some(samples) = run.samples.filter(|samples| *samples < 2) {
            let message = format!("`samples` counts both ends and has to be at least 2, not {samples}");
            self.report("samples", message, Some("write samples = 101, or leave it out"));
        }
        if let Some(samples) = run.samples
            && samples as f64 > MOST_SAMPLES
        {
            let message = format!("a run has at most {MOST_SAMPLES:e} samples, not {:e}", samples as f64);
            self.report("samples", message, Some("they would fill the disk; write samples = 101"));
        }
        if let (Some(every), Some(duration)) = (run.every.filter(|every| *every > 0.0), run.duration) {
            self.enough("every", every, duration / MOST_SAMPLES);
        }
        self.exclusive(("samples", run.samples.is_some()), ("every", run.every.is_some()));
        self.exclusive(("samples", run.samples.is_some()), ("times", run.times.is_some()));
        self.exclusive(("every", run.every.is_some()), ("times", run.times.is_some()));
        if let Some(times) = &run.times {
            self.increasing("times", times);
            if times.is_empty() {
                self.report("times", "`times` is empty", None);
            }
            if times.first().is_some_and(|first| *first < 0.0) {
                self.report("times", "`times` cannot begin before 0", None);
            }
            if let (Some(last), Some(duration)) = (times.last(), run.duration)
                && *last > duration
            {
                self.report(
                    "times",
                    format!("the last of `times`, {last}, is after the duration {duration}"),
                    None,
                );
            }
        }
    }

    fn fixed_steps(&mut self, run: &Run) {
        let given = [
            ("step", run.step.is_some()),
            ("substeps", run.substeps.is_some()),
            ("precision", run.precision.is_some()),
            ("threads", run.threads.is_some()),
            ("sleep", run.sleep.is_some()),
            ("stiff", run.stiff.is_some()),
            ("bounds", run.bounds.is_some()),
        ];
        if run.driver != Some(Driver::Fixed) {
            for (key, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
                let message =
                    format!("`{key}` is of the driver \"fixed\", which is not the driver of this run");
                self.report(key, message, Some("write driver = \"fixed\" under [run]"));
            }
        }
        if let Some(step) = &run.step
            && !step.seconds().is_some_and(|seconds| seconds > 0.0 && seconds <= 1.0)
        {
            let message =
                "`step` has to be a number of seconds above 0 and at most 1, or a fraction of a second";
            self.report("step", message, Some("write step = \"1/60\""));
        } else if let (Some(step), Some(duration)) =
            (run.step.as_ref().and_then(StepLength::seconds), run.duration)
        {
            self.enough("step", step, duration / MOST_STEPS);
        }
        if let Some(substeps) = run.substeps.filter(|substeps| !(1..=1000).contains(substeps)) {
            let message = format!("`substeps` has to be from 1 to 1000, not {substeps}");
            self.report("substeps", message, Some("8 is the default"));
        }
        if let Some(threads) = run.threads.filter(|threads| !(1..=64).contains(threads)) {
            let message = format!("`threads` has to be from 1 to 64, not {threads}");
            self.report("threads", message, Some("1 is the default"));
        }
        if let Some(bounds) = &run.bounds {
            self.inside("bounds", |checks| {
                checks.positive("overlap", bounds.overlap);
                checks.positive("joint_error", bounds.joint_error);
                checks.positive("energy_drift", bounds.energy_drift);
            });
        }
    }

    pub(super) fn output(&mut self, output: &Output, names: &Names) {
        for (index, table) in output.tables.iter().flatten().enumerate() {
            if output.tables.iter().flatten().take(index).any(|other| other == table) {
                self.inside("tables", |checks| {
                    checks.inside(index, |checks| checks.report_here("this table is listed twice", None));
                });
            }
        }
        for (key, table, every) in output.every.iter().flat_map(OutputIntervals::given) {
            self.inside("every", |checks| {
                checks.positive(key, every);
                if output.tables.as_ref().is_some_and(|tables| !tables.contains(&table)) {
                    let message = format!("`{key}` is not among the `tables` that are written");
                    checks.report(key, message, Some("add it to `tables`, or leave its interval out"));
                }
            });
        }
        self.body_patterns("bodies", output.bodies.as_deref().unwrap_or_default(), names);
    }

    /// Each entry has to mean a body: by its name, or by the beginning of names and `*`.
    pub(super) fn body_patterns(&mut self, key: &str, patterns: &[String], names: &Names) {
        let Some(names) = names else { return };
        let bodies: Vec<&str> =
            names.iter().filter(|(_, named)| **named == Named::Body).map(|(name, _)| *name).collect();
        self.each(key, patterns, |checks, pattern| {
            if !bodies.iter().any(|name| Output::names(pattern, name)) {
                let help = suggest::help(pattern, &bodies);
                let help = help.unwrap_or_else(|| {
                    "write the name of a body, or its beginning and `*` for several".to_owned()
                });
                checks.report_here(format!("there is no body \"{}\"", shown(pattern)), Some(&help));
            }
        });
    }

    fn intro(&mut self, intro: &Intro) {
        self.positive("step", intro.step);
        self.positive("speed", intro.speed);
        for (key, count) in [("back_steps", intro.back_steps), ("rounds", intro.rounds)] {
            if count == Some(0) {
                self.report(key, format!("`{key}` has to be at least 1"), None);
            }
        }
    }

    pub(super) fn accuracy(&mut self, accuracy: &Accuracy) {
        if let Some(tolerance) = accuracy.tolerance.filter(|tolerance| !(1e-15..=0.1).contains(tolerance)) {
            let message = format!("`tolerance` has to be from 1e-15 to 0.1, not {tolerance:e}");
            self.report("tolerance", message, Some("it is relative: 1e-12 is a very exact answer"));
        }
        self.not_negative("absolute", accuracy.absolute);
    }

    pub(super) fn integrator(&mut self, integrator: &Integrator) {
        self.positive("step", integrator.step);
        self.positive("first_step", integrator.first_step);
        self.positive("largest_step", integrator.largest_step);
        if integrator.max_steps == Some(0) {
            self.report("max_steps", "`max_steps` has to be at least 1", None);
        }
        let fixed = integrator.step.is_some();
        self.exclusive(("step", fixed), ("first_step", integrator.first_step.is_some()));
        self.exclusive(("step", fixed), ("largest_step", integrator.largest_step.is_some()));
        if let (Some(first), Some(largest)) = (integrator.first_step, integrator.largest_step)
            && first > largest
        {
            self.report(
                "first_step",
                format!("`first_step` {first} is larger than `largest_step` {largest}"),
                None,
            );
        }
        match (integrator.order, integrator.method) {
            (Some(0 | 13..), Some(Method::Adams)) => {
                self.report("order", "`order` has to be from 1 to 12", Some("leave it out to let it vary"));
            }
            (Some(_), method) if method != Some(Method::Adams) => {
                self.report("order", "only the method \"adams\" has an `order` to choose", None);
            }
            _ => {}
        }
        match (&integrator.tableau, integrator.method == Some(Method::Tableau)) {
            (Some(tableau), true) => self.inside("tableau", |checks| checks.tableau(tableau)),
            (Some(_), false) => {
                self.report(
                    "tableau",
                    "a `tableau` needs the method \"tableau\"",
                    Some("write method = \"tableau\""),
                );
            }
            (None, true) => self.report("method", "the method \"tableau\" needs a `tableau`", None),
            (None, false) => {}
        }
    }

    fn tableau(&mut self, tableau: &Tableau) {
        let stages = tableau.b.len();
        if stages == 0 {
            self.report("b", "a method has at least one stage", None);
            return;
        }
        self.same_length("a", tableau.a.len(), "b", stages);
        let implicit = tableau.a.iter().all(|row| row.len() == stages);
        self.each_row(tableau, stages, implicit);
        self.sum_is_one("b", &tableau.b);
        if let Some(b_hat) = &tableau.b_hat {
            self.same_length("b_hat", b_hat.len(), "b", stages);
            self.sum_is_one("b_hat", b_hat);
        }
        if tableau.order == 0 {
            self.report("order", "`order` has to be at least 1", None);
        }
        match (&tableau.b_hat, tableau.order_hat) {
            (Some(_), None) => self.report("b_hat", "`b_hat` needs `order_hat`", None),
            (None, Some(_)) => self.report("order_hat", "`order_hat` needs `b_hat`", None),
            (Some(_), Some(0)) => self.report("order_hat", "`order_hat` has to be at least 1", None),
            _ => {}
        }
    }

    fn each_row(&mut self, tableau: &Tableau, stages: usize, implicit: bool) {
        if let Some(c) = &tableau.c {
            self.same_length("c", c.len(), "b", stages);
        }
        let mut stage = 0;
        self.each("a", &tableau.a, |checks, row| {
            if row.len() != stage && !implicit {
                let message = format!("row {stage} of `a` has {} numbers, and needs {stage}", row.len());
                checks
                    .report_here(message, Some("row i of an explicit method has i numbers, counted from 0"));
            }
            stage += 1;
        });
        for (row, c) in
            tableau.a.iter().zip(tableau.c.iter().flatten()).enumerate().map(|(i, (row, c))| ((i, row), c))
        {
            let (stage, sum) = (row.0, row.1.iter().sum::<f64>());
            if (sum - c).abs() > TABLEAU_TOLERANCE * c.abs().max(1.0) {
                self.inside("c", |checks| {
                    checks.inside(stage, |checks| {
                        checks.report_here(format!("c is {c}, and row {stage} of `a` sums to {sum}"), None);
                    });
                });
            }
        }
    }

    fn sum_is_one(&mut self, key: &str, weights: &[f64]) {
        let sum: f64 = weights.iter().sum();
        let size = weights.iter().fold(1.0_f64, |size, weight| size.max(weight.abs()));
        if (sum - 1.0).abs() > TABLEAU_TOLERANCE * size {
            self.report(key, format!("the weights `{key}` have to sum to 1, and sum to {sum}"), None);
        }
    }

    pub(super) fn particles(&mut self, set: &Particles) {
        self.positive("mass", set.mass);
        if let Some(masses) = &set.masses {
            self.all_positive("masses", masses);
        }
        self.exclusive(("mass", set.mass.is_some()), ("masses", set.masses.is_some()));
        self.exclusive(("positions", set.positions.is_some()), ("path", set.path.is_some()));
        self.exclusive(("path", set.path.is_some()), ("velocities", set.velocities.is_some()));
        self.exclusive(("path", set.path.is_some()), ("masses", set.masses.is_some()));
        if set.path.as_deref() == Some("") {
            self.report("path", "the path is empty", Some("name a file"));
        }
        let Some(positions) = &set.positions else {
            if set.path.is_none() {
                self.report_here("`positions` or `path` is missing", None);
            }
            return;
        };
        if set.mass.is_none() && set.masses.is_none() {
            self.report_here("`mass` or `masses` is missing", None);
        }
        if positions.is_empty() {
            self.report("positions", "a set has at least one particle", None);
        }
        if let Some(masses) = &set.masses {
            self.same_length("masses", masses.len(), "positions", positions.len());
        }
        if let Some(velocities) = &set.velocities {
            self.same_length("velocities", velocities.len(), "positions", positions.len());
        }
    }
}
