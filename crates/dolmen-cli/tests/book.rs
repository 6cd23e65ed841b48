//! The book: every command and every scene in it is run as a reader would, and what it names exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages of the book, in the order of its table of contents.
fn pages() -> Vec<(String, String)> {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("a table of contents");
    let names = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let read = |name: &str| {
        let text = fs::read_to_string(docs.join(name));
        (name.to_owned(), text.unwrap_or_else(|error| panic!("the book names {name}: {error}")))
    };
    names.map(read).collect()
}

/// The same and the front page of the repository.
fn pages_and_front() -> Vec<(String, String)> {
    let front = fs::read_to_string(root().join("README.md")).expect("a front page");
    let mut all = pages();
    all.push(("README.md".to_owned(), front));
    all
}

/// Blocks of code: language, and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => found.extend(open.take()),
            (Some((_, text)), _) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, Some(language)) => open = Some((language.to_owned(), String::new())),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

/// Scenes that were found to break a law.
static BROKEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Runs one command line of the book; what it prints. `dolmen view` would stay: its scene is checked instead.
fn run(page: &str, line: &str, folder: &Path) -> String {
    // Quotes are for the shell: no word of a command has a space in it.
    let mut words: Vec<&str> = line.split_whitespace().skip(1).map(|word| word.trim_matches('\'')).collect();
    if words.first() == Some(&"view") {
        words[0] = "check";
    }
    let output = Command::new(env!("CARGO_BIN_EXE_dolmen")).args(&words).current_dir(folder).output();
    let output = output.expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let is_known = |line: &str| !line.starts_with('#') && line.split(' ').next() == words.get(1).copied();
    let is_known = include_str!("known-violations.txt").lines().any(is_known);
    let is_right = output.status.success() || (is_known && output.status.code() == Some(3));
    if output.status.code() == Some(3) {
        BROKEN
            .lock()
            .expect("no test panics with the lock")
            .extend(words.get(1).map(|word| (*word).to_owned()));
    }
    assert!(is_right, "{page}: `{line}` ended with {}: {said}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// What was printed, without the times on the wall, which are those of the machine.
fn timeless(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" simulated in ") {
        Some((t, rest)) => {
            format!("{t} simulated in … s{}", rest.split_once(" s").map_or("", |(_, after)| after))
        }
        None => line.trim_end().to_owned(),
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// Writes a scene of the book: under the name in its first line, and then it is complete; or, without one, as a piece of a
/// scene, which is checked at once. What is expected of a scene is verified at once.
fn write(page: &str, text: &str, folder: &Path) {
    let name = text.strip_prefix("# ").and_then(|rest| rest.lines().next());
    if let Some(name) = name.filter(|name| Path::new(name).extension().is_some_and(|e| e == "toml")) {
        fs::write(folder.join(name), text).expect("a file");
        return;
    }
    if text.contains("[[expect]]") {
        fs::write(folder.join("piece.expect.toml"), text).expect("a file");
        run(page, "dolmen verify piece.expect.toml", folder);
        return;
    }
    let whole = if text.contains("format = 1") { text.to_owned() } else { format!("format = 1\n{text}") };
    fs::write(folder.join("piece.toml"), whole).expect("a file");
    run(page, "dolmen check piece.toml", folder);
}

/// Five minutes shows what its commands print: a block of text after commands is what these print, to the letter but for the time.
#[test]
fn the_start_page_shows_what_is_printed() {
    let (name, page) = pages().into_iter().next().expect("a first page");
    assert_eq!(name, "start.md");
    let folder = TempDir::new().expect("a temporary folder");
    let (mut printed, mut compared) = (String::new(), 0);
    for (language, text) in blocks(&page) {
        match language.as_str() {
            "toml" => write(&name, &text, folder.path()),
            "sh" => {
                let commands = text.lines().filter(|line| line.starts_with("dolmen "));
                printed = commands.map(|line| run(&name, line, folder.path())).collect();
            }
            "text" => {
                assert_eq!(timeless(&text), timeless(&printed));
                compared += 1;
            }
            _ => {}
        }
    }
    assert!(compared > 0, "the page shows nothing that is printed");
}

/// In every page, in order: scenes are written, commands that begin with `dolmen` are run. The pieces in `scene.md` have a
/// test of their own (`crates/dolmen/tests/scene.rs`).
#[test]
fn every_command_of_the_book_runs() {
    let mut commands = 0;
    for (name, page) in pages() {
        let folder = TempDir::new().expect("a temporary folder");
        for (language, text) in blocks(&page) {
            if language == "toml" && name != "scene.md" {
                write(&name, &text, folder.path());
            }
            if language == "xml" && text.starts_with("<!-- ") {
                // A model under the name in its first line, `<!-- NAME -->`.
                let name = text.split(' ').nth(1).expect("the name of the file");
                fs::write(folder.path().join(name), &text).expect("a file");
            }
            if language == "sh" {
                for line in text.lines().filter(|line| line.starts_with("dolmen ")) {
                    run(&name, line, folder.path());
                    commands += 1;
                }
            }
        }
    }
    assert!(commands >= 15, "{commands} commands were found");
    let broken = BROKEN.lock().expect("no test panics with the lock");
    let listed = include_str!("known-violations.txt").lines().filter_map(|line| line.split(' ').next());
    let kept: Vec<&str> = listed
        .filter(|name| {
            Path::new(name).extension().is_some_and(|ending| ending == "toml") && !broken.contains(*name)
        })
        .collect();
    assert!(kept.is_empty(), "these break no law any more: take them off the list: {kept:?}");
}

/// Commands in the running text: those without a placeholder (a word in capitals). `dolmen verify` is the suite itself, and
/// too long to run twice.
#[test]
fn commands_in_the_text_run() {
    for (name, page) in pages_and_front() {
        let folder = TempDir::new().expect("a temporary folder");
        for line in page.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_placeholder = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
            if words.first() == Some(&"dolmen")
                && words.len() > 2
                && words[1] != "verify"
                && !words.iter().any(is_placeholder)
            {
                run(&name, line, folder.path());
            }
        }
    }
}

/// Programs in the book are documentation tests: the library that they are about includes their page.
#[test]
fn programs_of_the_book_are_tested() {
    let libraries: Vec<String> = ["dolmen", "dolmen-view", "dolmen-verify"]
        .map(|name| root().join("crates").join(name).join("src/lib.rs"))
        .iter()
        .map(|path| fs::read_to_string(path).expect("a library"))
        .collect();
    for (name, page) in pages() {
        let has_program = blocks(&page).iter().any(|(language, _)| language.starts_with("rust"));
        let included = format!("include_str!(\"../../../docs/{name}\")");
        assert!(
            !has_program || libraries.iter().any(|text| text.contains(&included)),
            "{name} is not tested"
        );
    }
}

/// Commands of cargo in the book name tests, examples, benches and chores that exist.
#[test]
fn what_the_book_asks_of_cargo_exists() {
    let chores = fs::read_to_string(root().join("crates/xtask/src/main.rs")).expect("the chores");
    for (name, page) in pages_and_front() {
        let lines = page.split("cargo ").skip(1).map(|rest| rest.split(['`', '\n']).next().unwrap_or(""));
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            let package = words.windows(2).find(|pair| pair[0] == "-p").map_or("dolmen", |pair| pair[1]);
            let package = root().join("crates").join(package);
            for pair in words.windows(2) {
                let named = pair[1].trim_end_matches([')', ',', '.', ';']);
                let exists = |folder: &str| {
                    let file = package.join(folder).join(format!("{named}.rs"));
                    file.exists() || package.join(folder).join(named).join("main.rs").exists()
                };
                match pair[0] {
                    "--test" => assert!(exists("tests"), "{name} names the test {named}"),
                    "--example" => assert!(exists("examples"), "{name} names the example {named}"),
                    "--bench" => assert!(exists("benches"), "{name} names the benchmark {named}"),
                    "xtask" => {
                        assert!(
                            chores.contains(&format!("Some(\"{named}\")")),
                            "{name} names the chore {named}"
                        );
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Every page of `docs/` is in the book.
#[test]
fn no_page_is_left_out() {
    let listed: Vec<String> = pages().into_iter().map(|(name, _)| name).collect();
    for entry in fs::read_dir(root().join("docs")).expect("the documents").filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().extension().is_some_and(|e| e == "md") && name != "SUMMARY.md" {
            assert!(listed.contains(&name), "{name} is not in docs/SUMMARY.md");
        }
    }
}
