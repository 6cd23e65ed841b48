//! The `dolmen` command: run, check and plot scenes of rigid bodies.

mod args;
mod built_in;
mod check;
mod checkpoint;
mod clock;
mod compare;
mod expand;
mod explain;
mod export;
mod failure;
mod files;
mod fingerprint;
mod import;
mod man;
mod names;
mod page;
mod parquet;
mod plot;
mod profile;
mod query;
mod run;
mod run_fixed;
mod run_folder;
mod run_intro;
mod shapes;
mod summary;
mod sweep;
mod tables;
mod tell;
mod times;
mod verify;
mod version;
mod view;
mod watch;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use failure::Failure;
use tables::Run;
use tell::tell;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Run(options) => run::run(&options),
        Command::Check(options) => check::check(&options),
        Command::Expand(options) => expand::expand(&options),
        Command::Scenes { name } => built_in::show(name.as_deref()),
        Command::Verify(options) => verify::verify(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Query(options) => query::query(&options),
        Command::View(options) => view::view(&options),
        Command::Export(options) => export::export(&options),
        Command::Plot { run, out } => draw(&run, out),
        Command::Import(options) => import::import(&options),
        Command::Schema => print(&format!("{:#}\n", dolmen::scene::json_schema())),
        Command::Man { out } => man::man(out.as_deref()),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "dolmen", &mut text);
            print(&String::from_utf8_lossy(&text))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell!("{failure}");
            failure.exit_code()
        }
    }
}

/// Prints to the standard output. A reader that has gone away (`dolmen scenes | head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::stopped(format!("cannot print: {error}")))
        }
        _ => Ok(()),
    }
}

fn draw(run: &Path, out: Option<PathBuf>) -> Result<(), Failure> {
    let out = out.unwrap_or_else(|| run.to_owned());
    if dolmen_sweep::is_sweep(run) {
        return sweep::draw(run, &out);
    }
    let run = Run::load(run).map_err(|error| Failure::input(error.to_string()))?;
    if let Some(note) = &run.note {
        tell!("note: {note}");
    }
    let mut files = plot::figures(&run, &out).map_err(|error| Failure::stopped(error.to_string()))?;
    files.push(page::write(&run, &out).map_err(|error| Failure::stopped(error.to_string()))?);
    let list: Vec<String> = files.iter().map(|file| format!("{}\n", file.display())).collect();
    print(&list.concat())
}
