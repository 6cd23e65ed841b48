//! One scene: run by the command, looked at by the judge, and for some scenes run again in other ways.

use std::fs;
use std::path::Path;
use std::time::Duration;

use toml::{Table, Value};

use crate::judge::scene::Scene;
use crate::judge::{Class, Finding, Run, judge, judge_stopped};
use crate::process::{Dolmen, End, Ended};

/// Samples of a run: overlaps between two of them are not seen.
const SAMPLES: &str = "33";
const FEWEST: i64 = 33;

/// Tables that must have the same bytes.
const ALL: [&str; 8] = [
    "states.csv",
    "energy.csv",
    "momentum.csv",
    "events.csv",
    "joint-events.csv",
    "forces.csv",
    "joints.csv",
    "particles.csv",
];

/// What came of a scene.
#[derive(Debug, Clone)]
pub struct Trial {
    /// How the process ended, and what it cost.
    pub ended: Ended,
    /// The tables, where they can be read.
    pub run: Run,
    /// Broken laws, the worst first.
    pub findings: Vec<Finding>,
}

impl Trial {
    /// Whether the run ended early and said so: exit code 1 or 3 with a message, in time.
    pub fn is_loud(&self) -> bool {
        matches!(self.ended.end, End::Code(1 | 3)) && !self.ended.message.is_empty()
    }

    /// Whether a law is broken and the exit code says that all is well.
    pub fn is_silent(&self) -> bool {
        self.ended.end == End::Code(0) && !self.findings.is_empty()
    }

    /// Whether there is a finding of a class.
    pub fn has(&self, class: Class) -> bool {
        self.findings.iter().any(|finding| finding.class == class)
    }
}

/// Runs a scene in an empty folder and judges it. `more` are arguments of `dolmen run` besides those for sampling.
///
/// # Errors
/// When files cannot be written, or the program cannot be started.
pub fn trial(dolmen: &Dolmen, text: &str, folder: &Path, more: &[&str]) -> Result<Trial, String> {
    let (file, out) = (folder.join("scene.toml"), folder.join("run"));
    write(&file, text)?;
    let ended = dolmen.run(&file, &out, more)?;
    let mut findings = Vec::new();
    let run = Run::read(&out).unwrap_or_else(|what| {
        findings.push(Finding::new(Class::Tables, what));
        Run::default()
    });
    let first = ended.message.lines().next().unwrap_or_default();
    match ended.end {
        End::Code(0) if !["done", ""].contains(&run.status.as_str()) => {
            let text = format!("exit code 0, and summary.json says {:?}", run.status);
            findings.push(Finding::new(Class::Tables, text));
        }
        End::Code(1 | 3) if ended.message.is_empty() => {
            findings.push(Finding::new(Class::Mute, "it stopped without a message"));
        }
        End::Code(0 | 1 | 3) => {}
        End::Code(2) => {
            // The file is named first, which is another one each time.
            let text = first.split_once("error: ").map_or(first, |(_, text)| text);
            findings.push(Finding::new(Class::Refused, text));
        }
        End::Code(code) => findings.push(Finding::new(Class::Panic, format!("exit code {code}: {first}"))),
        End::Signal => findings.push(Finding::new(Class::Panic, format!("ended by a signal: {first}"))),
        End::Limit | End::Deaf => {
            let reached = run.energy.rows.len().checked_sub(1).map_or(0.0, |row| run.energy.number(row, "t"));
            let text = format!("at t = {reached:?} s after {:.0} s of CPU time", ended.cpu);
            findings.push(Finding::new(Class::Slow, text));
        }
    }
    if ended.end == End::Deaf {
        findings.push(Finding::new(Class::Deaf, "SIGTERM was not heard within two seconds"));
    }
    // A run that says that it broke a law is believed.
    match ended.end {
        End::Code(3) => {}
        End::Code(1) | End::Limit | End::Deaf if run.violations > 0 => {}
        End::Code(1) => findings.extend(judge_stopped(&Scene::read(text)?, &run)),
        _ => findings.extend(judge(&Scene::read(text)?, &run)),
    }
    findings.sort_by_key(|finding| finding.class);
    Ok(Trial { ended, run, findings })
}

/// A trial with the samples of the hunt, or those of the scene if there are more.
///
/// # Errors
/// As [`trial`].
pub fn hunted(dolmen: &Dolmen, text: &str, folder: &Path) -> Result<Trial, String> {
    trial(dolmen, text, folder, &sampled(text))
}

/// Arguments for a run of the hunt.
fn sampled(text: &str) -> Vec<&'static str> {
    let scene: Table = text.parse().unwrap_or_default();
    let own = scene.get("run").and_then(|run| run.get("samples")).and_then(Value::as_integer);
    let mut arguments = vec!["--checkpoint", "off"];
    if own.is_none_or(|own| own < FEWEST) {
        arguments.extend(["--samples", SAMPLES]);
    }
    arguments
}

/// Runs a scene that has ended by itself again: shuffled, sampled elsewhere, killed and resumed. The bits must be the same.
///
/// # Errors
/// As [`trial`].
pub fn repeat(dolmen: &Dolmen, text: &str, folder: &Path, trial: &Trial) -> Result<Vec<Finding>, String> {
    let End::Code(code @ (0 | 1 | 3)) = trial.ended.end else { return Ok(Vec::new()) };
    let (file, first) = (folder.join("scene.toml"), folder.join("run"));
    let compare = |what: &str, out: &Path, ended: &Ended, tables: &[&str]| {
        // A machine that is busy may take a run over its limit that was just below it.
        if matches!(ended.end, End::Limit | End::Deaf) {
            return None;
        }
        // A law may be noticed to be broken at a sample that another run does not have.
        let is_noticed = |end: End| matches!(end, End::Code(0 | 3));
        let is_same = ended.end == End::Code(code)
            || (tables.len() < ALL.len() && is_noticed(ended.end) && is_noticed(End::Code(code)));
        if !is_same {
            let said = ended.message.lines().next().unwrap_or_default();
            return Some(format!("{what}: it ended with {:?} instead of {code}: {said}", ended.end));
        }
        let text = tables.iter().find_map(|name| differs(&first, out, name))?;
        Some(format!("{what}: {text}"))
    };
    let mut findings = Vec::new();
    let mut add =
        |class: Class, text: Option<String>| findings.extend(text.map(|text| Finding::new(class, text)));

    let (shuffled, out) = (folder.join("shuffled.toml"), folder.join("shuffled"));
    write(&shuffled, &shuffle(text)?)?;
    let arguments = sampled(text);
    let ended = dolmen.run(&shuffled, &out, &arguments)?;
    add(Class::Order, compare("bodies and joints in another order", &out, &ended, &ALL));

    let out = folder.join("sampled");
    let ended = dolmen.run(&file, &out, &["--samples", "5", "--checkpoint", "off"])?;
    let what = "sampled less often";
    let difference = compare(what, &out, &ended, &["events.csv", "joint-events.csv"]);
    add(
        Class::Sampling,
        difference.or_else(|| {
            let last = last_differs(&first, &out).filter(|_| ended.end == trial.ended.end)?;
            Some(format!("{what}: {last}"))
        }),
    );

    let out = folder.join("resumed");
    let half = Duration::from_secs_f64(0.5 * trial.ended.cpu.max(0.01));
    let mut arguments = arguments;
    arguments[1] = "0";
    let is_killed = dolmen.kill(&file, &out, &arguments, half)?;
    if is_killed && out.join("summary.json").exists() {
        let ended = dolmen.resume(&out)?;
        add(Class::Resume, compare("killed and resumed", &out, &ended, &ALL));
    }
    Ok(findings)
}

/// The same scene with bodies and joints in the opposite order.
fn shuffle(text: &str) -> Result<String, String> {
    let mut table: Table = text.parse().map_err(|error| format!("{error}"))?;
    for key in ["body", "joint"] {
        if let Some(Value::Array(list)) = table.get_mut(key) {
            list.reverse();
        }
    }
    toml::to_string(&table).map_err(|error| error.to_string())
}

/// Where a table of two folders differs.
fn differs(first: &Path, second: &Path, name: &str) -> Option<String> {
    // Laws are looked at when samples are taken, too: when one is noticed to be broken depends on them.
    let is_kept = |line: &&str| !line.contains(",violated,");
    let read = |folder: &Path| {
        let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
        text.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect::<String>()
    };
    let (a, b) = (read(first), read(second));
    if a == b {
        return None;
    }
    let line = a.lines().zip(b.lines()).position(|(a, b)| a != b);
    Some(line.map_or_else(
        || format!("{name} has {} lines instead of {}", b.lines().count(), a.lines().count()),
        |line| format!("{name} differs in line {}", line + 1),
    ))
}

/// Whether the states at the last sample differ.
fn last_differs(first: &Path, second: &Path) -> Option<String> {
    let last = |folder: &Path| {
        let text = fs::read_to_string(folder.join("states.csv")).unwrap_or_default();
        let time = |line: &str| line.split(',').next().map(str::to_owned);
        let end = text.lines().last().and_then(time);
        text.lines().filter(|line| time(line) == end).map(str::to_owned).collect::<Vec<_>>()
    };
    let (a, b) = (last(first), last(second));
    let line = a.iter().zip(&b).find(|(a, b)| a != b)?;
    Some(format!("the last state differs: {} and {}", line.0, line.1))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
