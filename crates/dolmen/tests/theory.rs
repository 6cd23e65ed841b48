//! The table of `docs/theory.md`: every row of the system is there, and every module, test and scene that it names exists. Public
//! functions are called by something else than tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the tables of the page: id, and the cells after it.
fn rows(page: &str) -> Vec<(String, Vec<String>)> {
    let is_id = |word: &str| {
        word.len() <= 3
            && word.starts_with(['A', 'B', 'C', 'D'])
            && word[1..].chars().all(|c| c.is_ascii_digit())
    };
    let mut found = Vec::new();
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<String> =
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        if is_id(&cells[0]) {
            found.push((cells[0].clone(), cells[1..].to_vec()));
        }
    }
    found
}

fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Every id of the system has one row in the main table: A1 to A11, B1 to B9, C1 to C10, D1 to D4.
#[test]
fn every_row_of_the_system_is_there() {
    let rows = rows(&read("docs/theory.md"));
    let ids: Vec<&str> =
        rows.iter().filter(|(_, cells)| cells.len() == 4).map(|(id, _)| id.as_str()).collect();
    let expected: Vec<String> = [('A', 11), ('B', 9), ('C', 10), ('D', 4)]
        .iter()
        .flat_map(|(letter, last)| (1..=*last).map(move |n| format!("{letter}{n}")))
        .collect();
    assert_eq!(ids, expected, "the table has these ids in this order");
}

/// Every module, test and scene that a row names exists.
#[test]
fn what_the_rows_name_exists() {
    let mut wrong = Vec::new();
    for (id, cells) in rows(&read("docs/theory.md")) {
        let [_, modules, tests, scenes] = &cells[..] else { continue };
        for name in names(modules) {
            let places = [format!("crates/dolmen/src/{name}"), name.to_owned()];
            if !places.iter().any(|place| root().join(place).exists()) {
                wrong.push(format!("{id}: module {name}"));
            }
        }
        for name in names(tests) {
            let places = [format!("crates/dolmen/{name}"), name.to_owned()];
            if !places.iter().any(|place| root().join(place).is_file()) {
                wrong.push(format!("{id}: test {name}"));
            }
        }
        for name in names(scenes) {
            if !root().join(format!("scenes/{name}.toml")).is_file() {
                wrong.push(format!("{id}: scene {name}"));
            }
        }
        if names(modules).is_empty() || names(tests).is_empty() {
            wrong.push(format!("{id}: no module or no test"));
        }
        if names(scenes).is_empty() && scenes != "all" {
            wrong.push(format!("{id}: no scene"));
        }
    }
    assert!(wrong.is_empty(), "docs/theory.md names what does not exist:\n{}", wrong.join("\n"));
}

/// Every picture and worked example of the sources has a scene with an expectation.
#[test]
fn every_picture_has_a_scene_and_an_expectation() {
    let page = read("docs/theory.md");
    let part = page.split("## The sources' pictures").nth(1).expect("the section of pictures");
    let part = part.split("\n## ").next().unwrap_or("");
    let rows: Vec<&str> = part.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    assert!(rows.len() >= 20, "{} pictures", rows.len());
    for row in rows {
        for name in names(row.split('|').nth(3).expect("a column of scenes")) {
            for ending in ["toml", "expect.toml"] {
                let path = format!("scenes/{name}.{ending}");
                assert!(root().join(&path).is_file(), "{row}: there is no {path}");
            }
            let expected = read(&format!("scenes/{name}.expect.toml"));
            assert!(expected.contains("expect]]"), "{row}: scenes/{name}.expect.toml expects nothing");
        }
    }
}

/// Every note that the table of events speaks of is asserted of a run by some test, beside those of tables alone.
#[test]
fn every_note_appears_in_a_test() {
    let page = read("docs/run.md");
    let row = page.lines().find(|line| line.starts_with("| `note` |")).expect("the row of notes");
    let mut files = Vec::new();
    sources(&root().join("crates/dolmen/tests"), &mut files);
    let mut told = 0;
    for name in names(row) {
        let variant: String = name
            .split('-')
            .map(|word| {
                word.chars()
                    .take(1)
                    .flat_map(char::to_uppercase)
                    .chain(word.chars().skip(1))
                    .collect::<String>()
            })
            .collect();
        let is_note = name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if !is_note || ["note", "linear", "lemke", "value"].contains(&name) {
            continue;
        }
        told += 1;
        let needle = format!("Note::{variant}");
        let asserts = |(path, code): &(PathBuf, String)| {
            let mut uses = code.split(needle.as_str()).skip(1);
            !path.ends_with("record.rs") && uses.any(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        assert!(files.iter().any(asserts), "no test meets a run with the note {name}");
    }
    assert!(told >= 11, "{told} notes");
}

fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
            found.push((path, code.join("\n")));
        }
    }
}

/// What can be run of a source file: its code without tests, and the examples of its documentation.
fn reached_code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let (mut code, mut is_example) = (String::new(), false);
    for line in text.split("#[cfg(test)]\nmod ").next().unwrap_or("").lines() {
        let line = line.trim_start();
        match line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
            Some(words) if words.trim_start().starts_with("```") => is_example = !is_example,
            Some(words) if is_example => code += words,
            Some(_) => {}
            None => code += line.split("//").next().unwrap_or(""),
        }
        code.push('\n');
    }
    code
}

/// Every public function of the engine is called by something else than tests: by code, by an example or by a program of the book. Those
/// that are for tests alone say so: they are hidden from the documentation.
#[test]
fn public_functions_are_called() {
    let is_test = |path: &Path| {
        path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
    };
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let engine = root().join("crates/dolmen/src");
    let mut counts: BTreeMap<String, i32> = BTreeMap::new();
    let mut count = |code: &str| {
        let mut before = "";
        for word in code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
            // A definition is no call.
            *counts.entry(word.to_owned()).or_default() += i32::from(before != "fn");
            before = word;
        }
    };
    let mut defined = Vec::new();
    for (path, _) in files.iter().filter(|(path, _)| !is_test(path)) {
        let code = reached_code(path);
        count(&code);
        if path.starts_with(&engine) {
            let lines: Vec<&str> = code.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let after = line.strip_prefix("pub fn ").or_else(|| line.strip_prefix("pub const fn "));
                let is_hidden = at > 0 && lines[at - 1] == "#[doc(hidden)]";
                if let Some(rest) = after.filter(|_| !is_hidden) {
                    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
                    // A macro names its own.
                    if !name.is_empty() {
                        defined.push((path.clone(), name.to_owned()));
                    }
                }
            }
        }
    }
    for page in fs::read_dir(root().join("docs")).expect("the book").filter_map(Result::ok) {
        if page.path().extension().is_some_and(|ending| ending == "md") {
            let text = fs::read_to_string(page.path()).expect("a page");
            text.split("```rust").skip(1).for_each(|rest| count(rest.split("```").next().unwrap_or("")));
        }
    }
    assert!(defined.len() > 500, "{} public functions", defined.len());
    let is_dead = |(_, name): &&(PathBuf, String)| counts.get(name).copied().unwrap_or(0) == 0;
    let dead: Vec<String> =
        defined.iter().filter(is_dead).map(|(path, name)| format!("{}: {name}", path.display())).collect();
    assert!(dead.is_empty(), "tests alone call these; use them or delete them:\n{}", dead.join("\n"));
}
