//! Checks that runs give the bits that are pinned in `pins.txt`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use dolmen_hunt::entry::{self, Entry};
use dolmen_hunt::generate::{self, Profile};
use dolmen_hunt::pin::{self, Pin};

/// Checks that runs give the bits that are pinned in `pins.txt`.
#[derive(Debug, Parser)]
struct Options {
    /// Write the hashes of all entries anew, to the same times.
    #[arg(long)]
    update: bool,
    /// Choose entries and times anew by what they cost here, then write them.
    #[arg(long)]
    choose: bool,
    /// Only this entry, for instance tame/17 or scene/arch.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Only every tenth entry.
    #[arg(long)]
    quick: bool,
    /// Print the scene of a random entry.
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// Run one entry to a time, or to its end, and print its hashes and how it ended.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// To which time `--run` goes, s.
    #[arg(long, value_name = "SECONDS", requires = "run")]
    to: Option<f64>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = if let Some(name) = &options.show {
        show(name)
    } else if let Some(name) = &options.run {
        run_one(name, options.to)
    } else if options.choose {
        choose()
    } else {
        check(&options)
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

/// Runs all entries that were asked for; whether none differs.
fn check(options: &Options) -> Result<bool, String> {
    let all = entry::load()?;
    let wanted = |(k, entry): &(usize, &Entry)| match &options.only {
        Some(name) => entry.name == *name,
        None => !options.quick || k % 10 == 0,
    };
    let asked: Vec<&Entry> = all.iter().enumerate().filter(wanted).map(|(_, entry)| entry).collect();
    if asked.is_empty() {
        return Err("no entry was asked for: see the names in pins.txt".to_owned());
    }
    let found = on_two_threads(&asked, |entry| {
        let ran = catch_unwind(AssertUnwindSafe(|| {
            entry::world(&entry.name).map(|(world, _)| pin::run(world, entry.end).pin)
        }));
        ran.unwrap_or_else(|_| Err("it panicked".to_owned()))
    });
    let mut failed = 0;
    for (entry, found) in asked.iter().zip(&found) {
        let what = match found {
            Ok(pin) if *pin == entry.pin => continue,
            Ok(pin) => format!("{} differ", pin.differences(&entry.pin).join(", ")),
            Err(what) => what.clone(),
        };
        failed += 1;
        println!("{} to {:?} s: {what}", entry.name, entry.end);
    }
    println!("{} passed, {failed} failed", asked.len() - failed);
    if options.update {
        let mut renewed = all.clone();
        for (entry, found) in asked.iter().zip(found) {
            let place = all.iter().position(|other| other.name == entry.name);
            if let (Some(place), Ok(pin)) = (place, found) {
                renewed[place].pin = pin;
            }
        }
        write(&renewed)?;
        return Ok(true);
    }
    Ok(failed == 0)
}

/// Does the same to all items, two at a time; results are in their order.
fn on_two_threads<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    items.get(k).map(|item| (k, item))
                } {
                    let result = act(item.1);
                    *done[item.0].lock().expect("no thread panics with the lock") = Some(result);
                }
            });
        }
    });
    let taken = done.into_iter().map(|slot| slot.into_inner().expect("no thread panics with the lock"));
    taken.map(|result| result.expect("every item was taken")).collect()
}

fn write(entries: &[Entry]) -> Result<(), String> {
    let text: String = entries.iter().map(|entry| entry.line() + "\n").collect();
    fs::write(entry::path(), text).map_err(|error| format!("{}: {error}", entry::path().display()))
}

fn show(name: &str) -> Result<bool, String> {
    let parts = name
        .split_once('/')
        .and_then(|(profile, seed)| Some((Profile::from_name(profile)?, seed.parse().ok()?)));
    let (profile, seed) = parts.ok_or_else(|| format!("{name:?} is not a random scene, such as tame/17"))?;
    print!("{}", generate::scene(profile, seed));
    Ok(true)
}

/// Prints the hashes, the number of events and how the run ended; fails where it was refused at the start.
fn run_one(name: &str, to: Option<f64>) -> Result<bool, String> {
    let (world, duration) = entry::world(name)?;
    let run = pin::run(world, to.unwrap_or(duration));
    let ended = run.stop.map_or_else(|| "finished".to_owned(), |stop| format!("stopped {stop}"));
    println!("{} {} {ended}", run.pin, run.events);
    Ok(!run.is_refused)
}

/// Random scenes that are pinned.
const RANDOM: usize = 500;

/// What a random scene may cost, a built-in one, and the bin, whose time steps over many contacts come late.
const RANDOM_COST: Duration = Duration::from_millis(1500);
const SCENE_COST: Duration = Duration::from_secs(4);
const BIN_COST: Duration = Duration::from_secs(20);

/// Runs built-in scenes, the bin and random scenes as processes of their own, to shorter times where they cost too much, and
/// pins those that come to an end.
fn choose() -> Result<bool, String> {
    let folder = fs::read_dir(entry::scenes()).map_err(|error| error.to_string())?;
    let files = folder.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let scenes = files.filter_map(|file| Some(file.strip_suffix(".toml")?.to_owned()));
    let mut names: Vec<String> =
        scenes.filter(|scene| !scene.ends_with(".expect")).map(|scene| format!("scene/{scene}")).collect();
    names.sort();
    let mut entries: Vec<Entry> =
        on_two_threads(&names, |name| settle(name, SCENE_COST)).into_iter().flatten().collect();
    entries.extend(settle("bin/50", BIN_COST));

    let mut seed = 0;
    let fixed = entries.len();
    while entries.len() < fixed + RANDOM {
        let batch: Vec<String> = (seed..seed + 10)
            .flat_map(|seed| Profile::PINNED.map(|profile| format!("{}/{seed}", profile.name())))
            .collect();
        seed += 10;
        entries.extend(on_two_threads(&batch, |name| settle(name, RANDOM_COST)).into_iter().flatten());
    }
    entries.truncate(fixed + RANDOM);
    write(&entries)?;
    println!("{} entries, seeds below {seed}", entries.len());
    Ok(true)
}

/// Runs an entry to the longest time that it can afford; none if there is no such time.
fn settle(name: &str, cost: Duration) -> Option<Entry> {
    let mut end = match entry::world(name) {
        Ok((_, duration)) => golden_time(name).unwrap_or(duration),
        Err(what) => {
            println!("{name}: {what}");
            return None;
        }
    };
    for _ in 0..6 {
        match probe(name, end, cost) {
            Probe::Done(pin) => return Some(Entry { name: name.to_owned(), end, pin }),
            Probe::Slow => println!("{name}: too slow to {end:?} s"),
            Probe::Failed(what) => {
                println!("{name}: {what}");
                return None;
            }
        }
        end = format!("{:.2e}", 0.4 * end).parse().unwrap_or(end);
    }
    None
}

/// The time at which `golden.rs` samples a scene.
fn golden_time(name: &str) -> Option<f64> {
    let golden = include_str!("../../../dolmen/tests/golden.rs");
    let scene = name.strip_prefix("scene/")?;
    let (_, rest) = golden.split_once(&format!("(\"{scene}\", "))?;
    rest.split(',').next()?.parse().ok()
}

enum Probe {
    Done(Pin),
    Slow,
    Failed(String),
}

/// Runs an entry as a process that is ended where it takes too long.
fn probe(name: &str, end: f64, cost: Duration) -> Probe {
    let attempt = || -> Result<Probe, std::io::Error> {
        let program = std::env::current_exe()?;
        let mut child = Command::new(program)
            .args(["--run", name, "--to", &format!("{end:?}")])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let started = Instant::now();
        while child.try_wait()?.is_none() {
            if started.elapsed() > cost {
                child.kill()?;
                child.wait()?;
                return Ok(Probe::Slow);
            }
            thread::sleep(Duration::from_millis(2));
        }
        let output = child.wait_with_output()?;
        let (said, complaint) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let words: Vec<&str> = said.split_whitespace().collect();
        if !output.status.success() || words.len() < 5 {
            return Ok(Probe::Failed(format!("{said}{complaint}")));
        }
        let line = [&[name, "0"], &words[..4]].concat().join(" ");
        if said.contains("stopped") {
            println!("{name}: {}", words[5..].join(" "));
        }
        Ok(line.parse::<Entry>().map_or_else(Probe::Failed, |entry| Probe::Done(entry.pin)))
    };
    attempt().unwrap_or_else(|error| Probe::Failed(error.to_string()))
}
