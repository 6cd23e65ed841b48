//! Hunts for scenes that break a law: random scenes, run by the command `dolmen` and looked at by a judge of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use dolmen_hunt::coverage::Coverage;
use dolmen_hunt::generate::{self, Profile};
use dolmen_hunt::judge::scene::Scene;
use dolmen_hunt::judge::{Class, Finding};
use dolmen_hunt::known::{self, Failure, Line, Verdict};
use dolmen_hunt::process::{Dolmen, End};
use dolmen_hunt::reduce::reduce;
use dolmen_hunt::trial::{Trial, hunted, repeat};

/// One scene in so many is run again: shuffled, sampled elsewhere, killed and resumed.
const REPEATED: u64 = 20;

/// The order of profiles: those about one pair of mechanisms are cheap and fill the cells of the coverage.
const CYCLE: [Profile; 9] = [
    Profile::Tame,
    Profile::Pair,
    Profile::Joint,
    Profile::Machine,
    Profile::Pair,
    Profile::Wild,
    Profile::Pair,
    Profile::Machine,
    Profile::Mesh,
];

/// Hunts for scenes that break a law.
///
/// Random scenes are run by the command `dolmen` as a process of its own. A judge that shares no code with the engine reads
/// scene and tables. Classes of findings: panic, not-finite, tunnelled, overlap, energy, loss, ledger, states, momentum, joint,
/// force, tables, order, sampling, resume, refused, slow, deaf, mute, answer (docs/hunt.md). Exit codes: 0 nothing was found that
/// is not known; 1 something was; 2 the hunt could not be held.
#[derive(Debug, Parser)]
#[command(name = "hunt")]
struct Options {
    /// How long to hunt, s.
    #[arg(long, default_value_t = 120.0)]
    seconds: f64,
    /// So many scenes instead, however long that takes; the coverage that is missing counts as found.
    #[arg(long, conflicts_with = "seconds")]
    scenes: Option<u64>,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only scenes of this profile: tame, joint, wild, pair, machine or mesh.
    #[arg(long, value_parser = profile)]
    profile: Option<Profile>,
    /// Judge these scenes instead of random ones.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    scene: Vec<PathBuf>,
    /// Shrink a scene as long as it keeps its finding; it is written beside it, as NAME.reduced.toml.
    #[arg(long, value_name = "FILE")]
    reduce: Option<PathBuf>,
    /// How long one scene is shrunk, s.
    #[arg(long, default_value_t = 120.0)]
    reduce_seconds: f64,
    /// Shrink what is found and keep it: in the folder `found`, with a line in known-failures.txt.
    #[arg(long)]
    keep: bool,
    /// Run all scenes that are kept, and compare with known-failures.txt.
    #[arg(long)]
    replay: bool,
    /// Remove lines of scenes that come out right, and write `stops` where one does now.
    #[arg(long, requires = "replay")]
    update: bool,
    /// With --scene: what this other program does wrong in the same way is printed and not counted.
    #[arg(long, value_name = "PROGRAM", requires = "scene")]
    against: Option<PathBuf>,
    /// Runs at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// CPU time of one run, s.
    #[arg(long, default_value_t = 15.0)]
    limit: f64,
    /// The command to run; by default the one beside this program.
    #[arg(long, value_name = "PROGRAM")]
    dolmen: Option<PathBuf>,
}

fn profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| "it is one of tame, joint, wild, pair, machine, mesh".to_owned())
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = if options.replay {
        replay(&options)
    } else if let Some(file) = &options.reduce {
        reduce_file(&options, file)
    } else if options.scene.is_empty() {
        hunt(&options)
    } else {
        judge_files(&options)
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::from(2)
        }
    }
}

impl Options {
    fn dolmen(&self) -> Result<Dolmen, String> {
        let beside = || {
            let here = std::env::current_exe()
                .map_err(|error| format!("cannot tell where this program is: {error}"))?;
            Ok::<_, String>(here.with_file_name(format!("dolmen{}", std::env::consts::EXE_SUFFIX)))
        };
        let program = self.dolmen.clone().map_or_else(beside, Ok)?;
        if !program.exists() {
            return Err(format!(
                "there is no {}: build dolmen-cli, or name the program by --dolmen",
                program.display()
            ));
        }
        Ok(Dolmen { program, limit: self.limit })
    }
}

/// Where runs are written and what was found is laid down.
fn target() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/hunt")
}

/// A folder of its own for a run, empty.
fn workplace() -> Result<PathBuf, String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = target().join("work").join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Runs and judges one scene in a folder that is gone afterwards.
fn look(dolmen: &Dolmen, text: &str, is_repeated: bool) -> Result<Trial, String> {
    let folder = workplace()?;
    let looked = hunted(dolmen, text, &folder).and_then(|mut trial| {
        if is_repeated {
            let more = repeat(dolmen, text, &folder, &trial)?;
            trial.findings.extend(more);
        }
        Ok(trial)
    });
    // It may be looked into where the disk is full, and is in nobody's way.
    let _ = fs::remove_dir_all(&folder);
    looked
}

/// What became of the scenes of a profile.
#[derive(Debug, Clone, Default)]
struct Tally {
    scenes: usize,
    cpu: f64,
    right: usize,
    loud: usize,
    silent: usize,
    wrong: usize,
}

/// Something that was found.
#[derive(Debug, Clone)]
struct Found {
    name: String,
    text: String,
    findings: Vec<Finding>,
    is_silent: bool,
}

/// All that a hunt knows.
#[derive(Debug, Default)]
struct Log {
    tallies: BTreeMap<&'static str, Tally>,
    coverage: Coverage,
    found: Vec<Found>,
    stops: Vec<(String, String)>,
    slowest: Vec<(f64, String)>,
}

/// Random scenes until the time is up; whether nothing was found.
fn hunt(options: &Options) -> Result<bool, String> {
    let dolmen = options.dolmen()?;
    let profiles = options.profile.map_or(CYCLE.to_vec(), |profile| vec![profile]);
    let begin = Instant::now();
    let next = AtomicU64::new(0);
    let log = Mutex::new(Log::default());
    let work = || -> Result<(), String> {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let is_over = || begin.elapsed() >= Duration::from_secs_f64(options.seconds);
            if options.scenes.map_or_else(is_over, |scenes| k >= scenes) {
                return Ok(());
            }
            let (profile, place) = scene_number(&profiles, k as usize);
            let seed = options.seed.wrapping_add(place as u64);
            let text = generate::scene(profile, seed);
            let trial = look(&dolmen, &text, k.is_multiple_of(REPEATED))?;
            log.lock().expect("no thread panics with the lock").add(profile, seed, text, trial);
        }
    };
    on_threads(options.jobs, work)?;
    let log = log.into_inner().expect("no thread panicked with the lock");
    log.print(begin.elapsed().as_secs_f64());
    lay_down(&log.found)?;
    if options.keep {
        keep(options, &dolmen, &log.found)?;
    }
    Ok(log.found.is_empty() && (options.scenes.is_none() || log.coverage.holds()))
}

/// The profile of the k-th scene, and how many scenes of this profile came before.
fn scene_number(profiles: &[Profile], k: usize) -> (Profile, usize) {
    let (round, place) = (k / profiles.len(), k % profiles.len());
    let profile = profiles[place];
    let count = |profiles: &[Profile]| profiles.iter().filter(|other| **other == profile).count();
    (profile, round * count(profiles) + count(&profiles[..place]))
}

impl Log {
    fn add(&mut self, profile: Profile, seed: u64, text: String, trial: Trial) {
        let name = format!("{}-{seed}", profile.name());
        let tally = self.tallies.entry(profile.name()).or_default();
        tally.scenes += 1;
        tally.cpu += trial.ended.cpu;
        self.slowest.push((trial.ended.cpu, name.clone()));
        self.slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.slowest.truncate(5);
        if let Ok(scene) = Scene::read(&text) {
            self.coverage.add(&scene, &trial.run);
        }
        if trial.is_loud() {
            tally.loud += 1;
            let code = if trial.ended.end == End::Code(3) { "violated, " } else { "" };
            let message = trial.ended.message.lines().next().unwrap_or_default();
            self.stops.push((name.clone(), format!("{code}{message}")));
        }
        if trial.findings.is_empty() {
            tally.right += usize::from(!trial.is_loud());
            return;
        }
        let is_silent = trial.is_silent();
        tally.wrong += 1;
        tally.silent += usize::from(is_silent);
        for finding in &trial.findings {
            println!("{name}{}: {finding}", if is_silent { " (silent)" } else { "" });
        }
        self.found.push(Found { name, text, findings: trial.findings, is_silent });
    }

    fn print(&self, seconds: f64) {
        println!("\nprofile   scenes  CPU s mean      ok   loud stops      findings  of them silent");
        let mut all = Tally::default();
        for (name, tally) in &self.tallies {
            print_row(name, tally);
            all.scenes += tally.scenes;
            all.cpu += tally.cpu;
            all.right += tally.right;
            all.loud += tally.loud;
            all.silent += tally.silent;
            all.wrong += tally.wrong;
        }
        print_row("all", &all);
        println!(
            "\nin {seconds:.0} s; slowest: {}",
            joined(self.slowest.iter().map(|(cpu, name)| format!("{name} {cpu:.1} s")))
        );
        let mut classes: BTreeMap<Class, Vec<&str>> = BTreeMap::new();
        for found in &self.found {
            for finding in &found.findings {
                classes.entry(finding.class).or_default().push(&found.name);
            }
        }
        println!("\nfindings by class:");
        for (class, names) in &classes {
            println!("  {:<11} {:>3}  {}", class.name(), names.len(), names.join(" "));
        }
        if classes.is_empty() {
            println!("  none");
        }
        println!("\nloud stops:");
        for (name, message) in &self.stops {
            println!("  {name}: {}", message.chars().take(160).collect::<String>());
        }
        println!("\n{}", self.coverage);
    }
}

fn print_row(name: &str, tally: &Tally) {
    let share = |count: usize| 100.0 * count as f64 / tally.scenes.max(1) as f64;
    println!(
        "{name:<9} {:>6} {:>11.2} {:>7} {:>4} ({:>4.1} %) {:>5} ({:>4.1} %) {:>15}",
        tally.scenes,
        tally.cpu / tally.scenes.max(1) as f64,
        tally.right,
        tally.loud,
        share(tally.loud),
        tally.wrong,
        share(tally.wrong),
        tally.silent
    );
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

/// Writes what was found to `target/hunt/found`, each with its findings on top.
fn lay_down(found: &[Found]) -> Result<(), String> {
    let folder = target().join("found");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for Found { name, text, findings, is_silent } in found {
        let silent = if *is_silent { " (silent)" } else { "" };
        let head: Vec<String> =
            findings.iter().map(|finding| format!("# found{silent}: {finding}\n")).collect();
        let path = folder.join(format!("{name}.toml"));
        fs::write(&path, head.concat() + text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if !found.is_empty() {
        println!("{} scenes are in target/hunt/found", found.len());
    }
    Ok(())
}

/// Shrinks a scene as long as it keeps its finding and there is time.
fn shrink(options: &Options, dolmen: &Dolmen, text: &str, finding: &Finding) -> String {
    let begin = Instant::now();
    let is_repeated = [Class::Order, Class::Sampling, Class::Resume].contains(&finding.class);
    let mut oracle = |candidate: &str| {
        let has_time = begin.elapsed() < Duration::from_secs_f64(options.reduce_seconds);
        has_time
            && look(dolmen, candidate, is_repeated)
                .is_ok_and(|trial| trial.findings.iter().any(|other| is_same(finding, other)))
    };
    reduce(text, &mut oracle)
}

/// Whether two findings are of one class. Any mistake makes a scene refused: there the message has to begin alike as well.
fn is_same(a: &Finding, b: &Finding) -> bool {
    let begin = |finding: &Finding| {
        let words = finding.text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic));
        words.take(6).map(str::to_owned).collect::<Vec<_>>()
    };
    a.class == b.class && (![Class::Refused, Class::Panic].contains(&a.class) || begin(a) == begin(b))
}

/// Shrinks what was found and keeps it, at most one scene of a class: others of it are likely the same mistake.
fn keep(options: &Options, dolmen: &Dolmen, found: &[Found]) -> Result<(), String> {
    let mut lines = known::load()?;
    let mut classes: Vec<Class> = Vec::new();
    for Found { name, text, findings, .. } in found {
        let Some(worst) = findings.first() else { continue };
        if classes.contains(&worst.class) {
            continue;
        }
        classes.push(worst.class);
        let reduced = shrink(options, dolmen, text, worst);
        let name = format!("{}-{name}", worst.class.name());
        let head = format!("# What is right: all laws hold to the end. Found: {worst}\n");
        let path = known::found().join(format!("{name}.toml"));
        fs::write(&path, head + &reduced).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("kept found/{name}: {} lines", reduced.lines().count());
        let scene = format!("found/{name}");
        lines.retain(|line| line.scene != scene);
        lines.push(Line { scene, failure: Failure::Breaks(worst.class), text: worst.text.clone() });
    }
    known::write(&lines)
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Judges files; whether nothing was found, or nothing that the other program does not do as well.
fn judge_files(options: &Options) -> Result<bool, String> {
    let (dolmen, next) = (options.dolmen()?, AtomicUsize::new(0));
    let judge = |file: &Path| match &options.against {
        None => judge_file(&dolmen, file),
        Some(program) => compare_file(&dolmen, program, file),
    };
    let work = || -> Result<usize, String> {
        let mut blocking = 0;
        while let Some(file) = options.scene.get(next.fetch_add(1, Ordering::Relaxed)) {
            blocking += usize::from(!judge(file)?);
        }
        Ok(blocking)
    };
    let blocking: usize = on_threads(options.jobs, work)?.into_iter().sum();
    Ok(blocking == 0)
}

/// Judges one file and prints what was found; whether nothing was.
fn judge_file(dolmen: &Dolmen, file: &Path) -> Result<bool, String> {
    let trial = look(dolmen, &read(file)?, true)?;
    let (name, said) = (file.file_stem().unwrap_or_default().display(), trial.ended.message.lines().next());
    if trial.findings.is_empty() {
        match said.filter(|_| trial.is_loud()) {
            Some(said) => println!("{name}: stops ({said})"),
            None => println!("{name}: ok, {:.2} s", trial.ended.cpu),
        }
    }
    let silent = if trial.is_silent() { " (silent)" } else { "" };
    for finding in &trial.findings {
        println!("{name}{silent}: {finding}");
    }
    Ok(trial.findings.is_empty())
}

/// Runs a scene that the hunt laid down by another program; whether that one breaks the same law.
fn compare_file(dolmen: &Dolmen, program: &Path, file: &Path) -> Result<bool, String> {
    let (text, name) = (read(file)?, file.file_stem().unwrap_or_default().display());
    let class = |line: &str| {
        let (_, finding) = line.strip_prefix("# found")?.split_once(": ")?;
        Class::from_name(finding.split(':').next()?)
    };
    let Some(worst) = text.lines().find_map(class) else {
        return Err(format!("{name} does not say what was found: the hunt writes that on top"));
    };
    let is_repeated = [Class::Order, Class::Sampling, Class::Resume].contains(&worst);
    let other = look(&Dolmen { program: program.to_owned(), ..dolmen.clone() }, &text, is_repeated)?;
    // A program that does not come to its end does no better, whatever it would have broken later. And seconds depend on what else
    // the machine does: what is slow is printed and blocks nothing.
    let is_slow = worst == Class::Slow || other.has(Class::Slow);
    let is_old = other.has(worst) || is_slow;
    let what = if is_slow {
        "slow, which is not compared"
    } else if is_old {
        "the other program does the same"
    } else {
        "the other program does not"
    };
    println!("{name}: {}: {what}", worst.name());
    Ok(is_old)
}

/// Does the same on so many threads; what each came to.
fn on_threads<R: Send>(jobs: usize, work: impl Fn() -> Result<R, String> + Sync) -> Result<Vec<R>, String> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(&work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("the judge panicked".to_owned())))
            .collect()
    })
}

fn reduce_file(options: &Options, file: &Path) -> Result<bool, String> {
    let (dolmen, text) = (options.dolmen()?, read(file)?);
    let trial = look(&dolmen, &text, true)?;
    let Some(worst) = trial.findings.first() else {
        println!("nothing was found: there is nothing to shrink");
        return Ok(true);
    };
    let reduced = shrink(options, &dolmen, &text, worst);
    let path = file.with_extension("reduced.toml");
    let head = format!("# What is right: all laws hold to the end. Found: {worst}\n");
    fs::write(&path, head + &reduced).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{}: {} lines of {}", path.display(), reduced.lines().count(), text.lines().count());
    Ok(false)
}

/// Runs the kept scenes, as the test does; whether all do as their lines say.
fn replay(options: &Options) -> Result<bool, String> {
    let program = options.dolmen()?.program;
    let mut lines = known::load()?;
    let mut is_fine = true;
    for scene in known::scenes()? {
        let folder = workplace()?;
        let verdict = known::replay(&program, &scene, &folder)?;
        let _ = fs::remove_dir_all(&folder);
        let place = lines.iter().position(|line| line.scene == scene);
        println!("{scene}: {} ({})", verdict.failure().map_or("right", Failure::name), verdict.text());
        if let Some(complaint) = verdict.complaint(&scene, place.map(|k| &lines[k])) {
            println!("  {complaint}");
            match (&verdict, place) {
                (Verdict::Right, Some(k)) if options.update => drop(lines.remove(k)),
                (Verdict::Stops(message), Some(k)) if options.update => {
                    lines[k].failure = Failure::Stops;
                    lines[k].text.clone_from(message);
                }
                _ => is_fine = false,
            }
        }
    }
    if options.update {
        known::write(&lines)?;
    }
    Ok(is_fine)
}
