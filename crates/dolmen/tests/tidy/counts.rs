//! Counts of what there should be less of. They may only shrink.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::root;
use crate::source::{files, tokens};

/// Methods of `Simulation` in `drive/exact`, and other functions there that take a whole one: whatever they are given, any of
/// its fields may change in them. Two fifths are its public face.
const TAKE_THE_SIMULATION: usize = 127;

/// Files in the fullest folder of the engine: `scene`, since variables, repeats and files with limits came, and `math`.
const FULLEST_FOLDER: usize = 14;

/// Numeric constants of the engine outside of files named `tolerances.rs`, those of tests apart.
const CONSTANTS_ELSEWHERE: usize = 223;

/// Whole-number constants in `drive/exact` and `contact`: counts that pick a method or end a loop.
const WHOLE_CONSTANTS: usize = 59;

const NUMERIC: [&str; 14] =
    ["f32", "f64", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Fails where there is more, and says so where there is less.
fn may_only_shrink(what: &str, constant: &str, allowed: usize, found: usize) {
    assert!(
        found <= allowed,
        "{what}: {found}, and there were {allowed}; find a way without, or say why {constant} grows"
    );
    if found < allowed {
        // Not by a macro: those are silent in a test that passes.
        let line =
            format!("\ntidy: {what}: {found} of {allowed}; lower {constant} in tests/tidy/counts.rs\n");
        std::io::stderr().write_all(line.as_bytes()).expect("a terminal");
    }
}

/// The names of the numeric constants of a source: `const NAME: f64 =`.
fn numeric_constants(text: &str) -> Vec<String> {
    constants(text, &NUMERIC)
}

/// The names of those that are whole numbers.
fn whole_constants(text: &str) -> Vec<String> {
    constants(text, &NUMERIC[2..])
}

fn constants(text: &str, types: &[&str]) -> Vec<String> {
    let tokens = tokens(text);
    let constants = tokens
        .windows(5)
        .filter(|w| w[0] == "const" && w[2] == ":" && types.contains(&w[3].as_str()) && w[4] == "=");
    constants.map(|w| w[1].clone()).collect()
}

/// How many functions of a source are methods of `Simulation`, or have a parameter that is a reference to one.
fn take_the_simulation(text: &str) -> usize {
    let tokens = tokens(text);
    let (mut count, mut depth) = (0, 0);
    // The depth within the braces of an `impl` of it, if we are in one.
    let mut inside: Option<usize> = None;
    for i in 0..tokens.len() {
        match tokens[i].as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inside = inside.filter(|own| depth >= *own);
            }
            "impl" if inside.is_none() && is_of_simulation(&tokens[i + 1..]) => inside = Some(depth + 1),
            "fn" if inside == Some(depth) || has_simulation(&tokens[i + 1..]) => count += 1,
            _ => {}
        }
    }
    count
}

/// Whether the head of an `impl` names `Simulation` last.
fn is_of_simulation(rest: &[String]) -> bool {
    let head = rest.iter().take_while(|token| *token != "{" && *token != "where" && *token != ";");
    // An `impl` in a type has an end before its braces.
    let head: Vec<&String> = head.collect();
    // What a trait asks for is no choice.
    !head.iter().any(|token| [",", ")", "=", "for"].contains(&token.as_str()))
        && head.last().is_some_and(|last| *last == "Simulation")
}

/// Whether a parameter of a function is a reference to `Simulation`.
fn has_simulation(rest: &[String]) -> bool {
    let Some(open) = rest.iter().position(|token| token == "(") else { return false };
    let mut depth = 0;
    let parameters = rest[open..].iter().take_while(|token| {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth > 0
    });
    let parameters: Vec<&str> = parameters.map(String::as_str).collect();
    parameters.windows(2).any(|w| w == ["&", "Simulation"])
        || parameters.windows(3).any(|w| w == ["&", "mut", "Simulation"])
}

#[test]
fn fewer_functions_take_the_whole_simulation() {
    let sources = files(&root().join("crates/dolmen/src/drive/exact"));
    let found = sources.iter().map(|(_, text)| take_the_simulation(text)).sum();
    let what = "functions of drive/exact that take the whole Simulation";
    may_only_shrink(what, "TAKE_THE_SIMULATION", TAKE_THE_SIMULATION, found);
}

#[test]
fn folders_do_not_fill_up() {
    let engine = root().join("crates/dolmen/src");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (path, _) in files(&engine) {
        let folder = path.parent().and_then(|f| f.strip_prefix(&engine).ok()).map(Path::to_string_lossy);
        *counts.entry(folder.expect("inside the engine").into_owned()).or_default() += 1;
    }
    let found = counts.values().copied().max().unwrap_or(0);
    may_only_shrink("files in the fullest folder", "FULLEST_FOLDER", FULLEST_FOLDER, found);
}

#[test]
fn tuned_numbers_go_to_their_files() {
    let sources = files(&root().join("crates/dolmen/src"));
    let elsewhere = sources.iter().filter(|(path, _)| path.file_name().is_none_or(|f| f != "tolerances.rs"));
    let found = elsewhere.map(|(_, text)| numeric_constants(text).len()).sum();
    let what = "numeric constants outside of tolerances.rs";
    may_only_shrink(what, "CONSTANTS_ELSEWHERE", CONSTANTS_ELSEWHERE, found);
}

#[test]
fn fewer_counts_pick_the_method() {
    let engine = root().join("crates/dolmen/src");
    let sources = [files(&engine.join("drive/exact")), files(&engine.join("contact"))].concat();
    let found = sources.iter().map(|(_, text)| whole_constants(text).len()).sum();
    may_only_shrink(
        "whole-number constants of driver and contact",
        "WHOLE_CONSTANTS",
        WHOLE_CONSTANTS,
        found,
    );
}

/// The counters see what they are said to see.
#[test]
fn counters_count() {
    let text = "impl Simulation { fn a(&self) {} fn b() { if x { y } } }
        impl Clone for Other { fn clone(&self) -> Self {} }
        fn c(t: f64, s: &mut Simulation) -> impl Iterator<Item = Simulation> {}
        fn d(s: &'a Simulation) {}  fn e(s: Simulation) {} // fn f(s: &Simulation)
        #[cfg(test)] mod tests { impl Simulation { fn g() {} } }
        const FEW: usize = 3; const WORD: &str = \"const F: f64 = 1.0\"; struct N<const M: usize>; impl N { const X: f64 = 1.0; }";
    assert_eq!(take_the_simulation(text), 4);
    assert_eq!(numeric_constants(text), ["FEW", "X"]);
    assert_eq!(whole_constants(text), ["FEW"]);
}
