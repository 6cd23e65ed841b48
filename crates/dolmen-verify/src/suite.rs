//! Runs cases, on all processors, and gathers their rows in order.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::case::{Case, Expectation, Run, Subject, Wanted};
use crate::cpu_time::CpuTime;
use crate::expression::{Known, Value, Variables, evaluate, fill_in};
use crate::measure::Cloud;
use crate::row::{Row, Shown, Verdict};
use crate::run::{self, SceneRun, StartError};
use crate::{laws, measure, problem};

/// How to run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where folders of data are.
    pub data: Option<PathBuf>,
    /// Threads; as many as there are processors if none.
    pub threads: Option<usize>,
}

/// A case and what became of it.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// Its rows: expectations in the order of its file, then laws.
    pub rows: Vec<Row>,
    /// Processor time of all its runs, s.
    pub cpu_time: f64,
    /// For its picture, where no scene gives one.
    pub(crate) clouds: Vec<Cloud>,
}

/// How many rows of each verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Within tolerance.
    pub passed: usize,
    /// Not.
    pub failed: usize,
    /// Known and said.
    pub known: usize,
    /// Not tried.
    pub skipped: usize,
}

impl Totals {
    /// Of all rows of all outcomes.
    pub fn of(outcomes: &[Outcome]) -> Self {
        let mut totals = Self::default();
        for row in outcomes.iter().flat_map(|outcome| &outcome.rows) {
            match row.verdict {
                Verdict::Pass => totals.passed += 1,
                Verdict::Fail => totals.failed += 1,
                Verdict::KnownFailure => totals.known += 1,
                Verdict::Skipped => totals.skipped += 1,
            }
        }
        totals
    }
}

/// A piece of a case that can be done by itself.
#[derive(Debug, Clone, Copy)]
enum Part {
    Run(usize),
    Laws,
}

/// Runs all cases. Rows do not hang on the number of threads; only times do.
pub fn verify(cases: Vec<Case>, options: &Options) -> Vec<Outcome> {
    let mut tasks: Vec<(usize, Part)> = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        tasks.extend((0..case.runs.len()).map(|k| (i, Part::Run(k))));
        if case.laws.is_some() {
            tasks.push((i, Part::Laws));
        }
    }
    let done = in_parallel(tasks.len(), options.threads, |task| {
        let (i, part) = tasks[task];
        let clock = CpuTime::start();
        let (mut rows, cloud) = match part {
            Part::Run(k) => of_run(&cases[i], &cases[i].runs[k], options),
            Part::Laws => (of_laws(&cases[i]), None),
        };
        let seconds = clock.seconds();
        for row in &mut rows {
            row.cpu_time = seconds;
        }
        (rows, seconds, cloud)
    });
    let empty = |case| Outcome { case, rows: Vec::new(), cpu_time: 0.0, clouds: Vec::new() };
    let mut outcomes: Vec<Outcome> = cases.into_iter().map(empty).collect();
    for ((i, _), (rows, seconds, cloud)) in tasks.iter().zip(done) {
        outcomes[*i].rows.extend(rows);
        outcomes[*i].cpu_time += seconds;
        outcomes[*i].clouds.extend(cloud);
    }
    for outcome in &mut outcomes {
        if let (true, Some(why)) = (outcome.rows.is_empty(), &outcome.case.known) {
            let nothing = Shown::Text("–".to_owned());
            outcome.rows.push(Row::without(
                &outcome.case.id,
                outcome.case.title.clone(),
                nothing,
                "not tried".to_owned(),
                Some(why),
            ));
        }
    }
    outcomes
}

/// Calls `work` for 0 … count − 1 on several threads; the answers in order.
pub(crate) fn in_parallel<T: Send>(
    count: usize,
    threads: Option<usize>,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let most = threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..most.clamp(1, count.max(1)) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count {
                        return;
                    }
                    let answer = work(i);
                    answers.lock().expect("no thread panics while it holds the lock")[i] = Some(answer);
                }
            });
        }
    });
    let answers = answers.into_inner().expect("no thread panics while it holds the lock");
    answers.into_iter().map(|answer| answer.expect("every piece was done")).collect()
}

fn of_laws(case: &Case) -> Vec<Row> {
    match (&case.subject, &case.laws) {
        (Subject::Scene { name, text, folder }, Some(spec)) => {
            laws::check(&case.id, name, text, folder, spec)
        }
        _ => Vec::new(),
    }
}

/// The folder of data that a case needs, if it is there.
pub(crate) fn data_of(case: &Case, options: &Options) -> Result<PathBuf, String> {
    let Some(needs) = &case.needs else { return Ok(PathBuf::from(".")) };
    let folder = options.data.as_ref().map(|data| data.join(needs)).filter(|folder| folder.is_dir());
    folder.ok_or_else(|| format!("data `{needs}` not found: give --data DIR with that folder in it"))
}

/// Its rows, and what to draw if no scene shows it.
fn of_run(case: &Case, run: &Run, options: &Options) -> (Vec<Row>, Option<Cloud>) {
    let data = match data_of(case, options) {
        Ok(data) => data,
        Err(why) => {
            let named = |e: &Expectation| Row::skipped(&case.id, quantity_name(run, e), &why);
            return (run.expectations.iter().map(named).collect(), None);
        }
    };
    let mut variables = run.variables.clone();
    variables.texts.insert("data".to_owned(), data.display().to_string());
    let known =
        |e: &Expectation| e.known.clone().or_else(|| run.known.clone()).or_else(|| case.known.clone());
    let all_fail = |why: String| -> Vec<Row> {
        let row = |e: &Expectation| {
            let expected = Shown::Text("–".to_owned());
            Row::without(&case.id, quantity_name(run, e), expected, why.clone(), known(e).as_deref())
        };
        run.expectations.iter().map(row).collect()
    };
    let mut cloud = None;
    let mut rows = match (&case.subject, &run.problem) {
        (Subject::Scene { name, text, folder }, _) => match started(name, text, folder, run, &variables) {
            Ok((scene, end)) => of_scene(case, run, scene, end),
            Err(error) => all_fail(error),
        },
        (Subject::Measure(name), _) => {
            let measured = measure::find(name).ok_or_else(|| format!("there is no measurement `{name}`"));
            match measured.and_then(|found| (found.measure)(&data)) {
                Ok(mut measured) => {
                    cloud = Some(measured.cloud);
                    of_numbers(case, run, &mut measured.numbers)
                }
                Err(error) => all_fail(error),
            }
        }
        (Subject::Own, Some(given)) => of_numbers(case, run, &mut problem::solve(given)),
        (Subject::Own, None) => all_fail("there is nothing to ask".to_owned()),
    };
    for (row, expectation) in rows.iter_mut().zip(&run.expectations) {
        let told: Vec<&str> =
            [&expectation.formula, &expectation.source].into_iter().flatten().map(String::as_str).collect();
        row.note = row.note.take().or_else(|| (!told.is_empty()).then(|| told.join("; ")));
    }
    (rows, cloud)
}

/// The scene of a run at its start, and its end.
pub(crate) fn started(
    name: &str,
    text: &str,
    folder: &Path,
    run: &Run,
    variables: &Variables,
) -> Result<(SceneRun, f64), String> {
    let mut set = Vec::new();
    for text in &run.set {
        set.push(fill_in(text, variables).map_err(|mistake| mistake.message)?);
    }
    let document = run::document(name, text, folder, &set).map_err(|errors| errors.to_string())?;
    let world = run::world(&document, folder).map_err(|errors| errors.to_string())?;
    let latest = run
        .expectations
        .iter()
        .filter_map(|e| e.time)
        .fold(None, |m: Option<f64>, t| Some(m.map_or(t, |m| m.max(t))));
    let all_timed = run.expectations.iter().all(|e| e.time.is_some());
    let end = match (run.until, latest) {
        (Some(until), _) => until,
        (None, Some(latest)) if all_timed => latest,
        (None, latest) => run::duration(&document).max(latest.unwrap_or(0.0)),
    };
    let mut scene =
        SceneRun::start(world, variables.clone()).map_err(|stop| StartError::from(stop).to_string())?;
    scene.most_steps = run.most_steps;
    Ok((scene, end))
}

/// Goes through the times of all samples.
fn of_scene(case: &Case, run: &Run, mut scene: SceneRun, end: f64) -> Vec<Row> {
    for expectation in &run.expectations {
        scene.wish(&expectation.quantity);
        let (Wanted::Value(wanted) | Wanted::AtMost(wanted) | Wanted::AtLeast(wanted)) = &expectation.wanted;
        scene.wish(wanted);
    }
    scene.look();
    let mut times: Vec<f64> =
        (1..=run.samples).map(|i| end * f64::from(i) / f64::from(run.samples)).collect();
    times.extend(run.expectations.iter().filter_map(|e| e.time));
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut rows: Vec<Option<Row>> = vec![None; run.expectations.len()];
    let mut take_rows = |scene: &mut SceneRun, t: Option<f64>| {
        for (row, expectation) in rows.iter_mut().zip(&run.expectations) {
            if expectation.time == t && row.is_none() {
                *row = Some(compare(case, run, expectation, scene, t));
            }
        }
    };
    take_rows(&mut scene, Some(0.0));
    for t in times {
        scene.advance(t);
        scene.look();
        take_rows(&mut scene, Some(t));
    }
    take_rows(&mut scene, None);
    rows.into_iter().flatten().collect()
}

fn of_numbers(case: &Case, run: &Run, known: &mut dyn Known) -> Vec<Row> {
    run.expectations.iter().map(|e| judge(case, run, e, known)).collect()
}

/// A row of a scene; if the run stopped before, it says so, unless that is what is asked for.
fn compare(case: &Case, run: &Run, expectation: &Expectation, scene: &mut SceneRun, t: Option<f64>) -> Row {
    let asks_for_stop = expectation.quantity.text.contains("stopped");
    let too_early = t.is_none_or(|t| scene.simulation.time() < t);
    match scene.given_up() {
        Some(why) if too_early && !asks_for_stop => {
            let known = expectation.known.as_ref().or(run.known.as_ref()).or(case.known.as_ref());
            let expected = Shown::Text("–".to_owned());
            Row::without(&case.id, quantity_name(run, expectation), expected, why, known.map(String::as_str))
        }
        _ => judge(case, run, expectation, scene),
    }
}

fn judge(case: &Case, run: &Run, expectation: &Expectation, known: &mut dyn Known) -> Row {
    let name = quantity_name(run, expectation);
    let why = expectation.known.as_ref().or(run.known.as_ref()).or(case.known.as_ref()).map(String::as_str);
    let fail =
        |expected: Shown, message: String| Row::without(&case.id, name.clone(), expected, message, why);
    let (Wanted::Value(wanted) | Wanted::AtMost(wanted) | Wanted::AtLeast(wanted)) = &expectation.wanted;
    let wanted = match evaluate(&wanted.node, known, &run.variables) {
        Ok(value) => value,
        Err(message) => return fail(Shown::Text("–".to_owned()), message),
    };
    // A bound without end would let everything pass.
    if wanted.numbers().iter().any(|number| !number.is_finite()) {
        return fail(Shown::from(&wanted), "what is expected is not finite".to_owned());
    }
    let expected = match &expectation.wanted {
        Wanted::Value(_) => Shown::from(&wanted),
        Wanted::AtMost(_) => Shown::Text(format!("≤ {}", Shown::from(&wanted))),
        Wanted::AtLeast(_) => Shown::Text(format!("≥ {}", Shown::from(&wanted))),
    };
    let got = match evaluate(&expectation.quantity.node, known, &run.variables) {
        Ok(value) => value,
        Err(message) => return fail(expected, message),
    };
    let tolerance = expectation.absolute + expectation.relative * wanted.size();
    let beyond = |sign: f64| -> Result<f64, String> {
        let beyond = sign * (got.number()? - wanted.number()?);
        Ok(if beyond <= 0.0 { 0.0 } else { beyond })
    };
    let (error, tolerance) = match &expectation.wanted {
        Wanted::Value(_) => (got.distance(&wanted), tolerance),
        Wanted::AtMost(_) => (beyond(1.0), expectation.absolute),
        Wanted::AtLeast(_) => (beyond(-1.0), expectation.absolute),
    };
    match error {
        // What is not a number is wrong, whatever was expected.
        Ok(error) if error.is_nan() || has_nan(&got) => fail(expected, "not a number".to_owned()),
        Ok(error) => Row::compared(&case.id, name, (expected, Shown::from(&got)), (error, tolerance), why),
        Err(message) => fail(expected, message),
    }
}

fn has_nan(value: &Value) -> bool {
    value.numbers().iter().any(|number| number.is_nan())
}

/// What the table calls a quantity: variant, label, time.
fn quantity_name(run: &Run, expectation: &Expectation) -> String {
    let label = fill_in(&expectation.label, &run.variables).unwrap_or_else(|_| expectation.label.clone());
    let variant = if run.name.is_empty() { String::new() } else { format!("{}: ", run.name) };
    let time = expectation.time.map_or_else(String::new, |t| format!(" at t = {t}"));
    variant + &label + &time
}
