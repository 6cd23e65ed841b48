//! From the tree to the typed scene, finding as many mistakes as can be found at once.
//!
//! Decoding stops at the first mistake. So the mistake is noted, the offending value is replaced in a copy of
//! the tree by a hole (which decodes as anything) or, if its key is unknown, removed, and decoding begins
//! again. Bodies, particles, forces and materials are decoded one by one, so that the copy stays small and mistakes in
//! one do not hide those in another.

mod de;

use serde::de::DeserializeOwned;

pub(crate) use de::{DecodeError, Mistake};

use self::de::Decoder;
use super::error::Problem;
use super::node::{Entry, Node, Value};
use super::place::PathSegment;
use super::quantity;
use super::read::shown;
use super::suggest;
use super::typed::{LISTS, RESERVED, Scene};

/// How many mistakes of one element are looked for.
const MOST_MISTAKES: usize = 50;

/// The scene without its lists, if enough of it could be decoded to look at it further, and what is wrong.
///
/// The parts in which something is wrong carry made-up values: [`has_problem`] tells which they are.
pub(crate) fn decode_settings(rest: &Node) -> (Option<Scene>, Vec<Problem>) {
    let mut problems = Vec::new();
    let scene = decode_element(rest, &[], &mut problems);
    (scene, problems)
}

/// What is wrong if a tree is no scene of this format: such a file is not judged by the rules of this one.
pub(crate) fn not_this_format(root: &Node) -> Option<Problem> {
    match &root.value {
        Value::Table(entries) => wrong_format(entries),
        _ => Some(Problem::at_span(root.span, "a scene is a table of keys", None)),
    }
}

/// Whether one of `problems` lies in the same element or section as `path`.
pub(crate) fn has_problem(problems: &[Problem], path: &[PathSegment]) -> bool {
    let unit = |path: &[PathSegment]| match path {
        [list, PathSegment::Index(index), ..] => Some((list.clone(), *index)),
        [section, ..] => Some((section.clone(), 0)),
        [] => None,
    };
    problems.iter().any(|problem| unit(&problem.path) == unit(path))
}

fn wrong_format(entries: &[Entry]) -> Option<Problem> {
    let entry = entries.iter().find(|entry| entry.key == "format")?;
    match entry.node.value {
        Value::Integer(format) if format != i64::from(Scene::FORMAT) => Some(Problem {
            span: Some(entry.node.span),
            ..Problem::new(
                vec!["format".into()],
                format!("this version of Dolmen reads format {}, not {format}", Scene::FORMAT),
                Some(format!(
                    "write `format = {}`, or use the version of Dolmen that the scene was made for",
                    Scene::FORMAT
                )),
            )
        }),
        _ => None,
    }
}

/// A value from its tree, if that much could be decoded; what is wrong is added to `problems`.
pub(crate) fn decode_element<T: DeserializeOwned>(
    node: &Node,
    prefix: &[PathSegment],
    problems: &mut Vec<Problem>,
) -> Option<T> {
    let mut error = match T::deserialize(Decoder::new(node)) {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    let mut copy = node.clone();
    for _ in 0..MOST_MISTAKES {
        if !follows_from_hole(&copy, &error) {
            problems.push(problem(&copy, prefix, &error));
        }
        if !repair(&mut copy, prefix, &error) {
            return None;
        }
        error = match T::deserialize(Decoder::new(&copy)) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
    }
    None
}

/// Whether the error is only there because of a mistake that was noted before: something is missing in a hole,
/// or a value with holes in it does not fit together.
fn follows_from_hole(node: &Node, error: &DecodeError) -> bool {
    match (&error.mistake, node.get(&error.path())) {
        (Mistake::Missing(_), Some(node)) => matches!(node.value, Value::Hole(_)),
        (Mistake::Wrong { .. } | Mistake::Length { .. } | Mistake::Other(_), Some(node)) => has_hole(node),
        _ => false,
    }
}

fn has_hole(node: &Node) -> bool {
    match &node.value {
        Value::Hole(_) => true,
        Value::Table(entries) => entries.iter().any(|entry| has_hole(&entry.node)),
        Value::Array(elements) => elements.iter().any(has_hole),
        _ => false,
    }
}

/// Changes `node` so that decoding gets past `error`; false if that is not possible.
fn repair(node: &mut Node, prefix: &[PathSegment], error: &DecodeError) -> bool {
    let mut path = error.path();
    // With a wrong `kind` nothing can be said of the rest of the table, except for a body, where it does not
    // choose what else there is.
    let is_kind = path.last() == Some(&"kind".into()) && !matches!(error.mistake, Mistake::UnknownKey { .. });
    if is_kind
        && !(path.len() + prefix.len() == 3 && prefix.iter().chain(&path).next() == Some(&"body".into()))
    {
        path.pop();
    }
    match &error.mistake {
        Mistake::UnknownKey { key, known } => {
            let Some((_, table)) = path.split_last() else { return false };
            match node.get_mut(table).map(|node| &mut node.value) {
                Some(Value::Table(entries)) => rename_or_remove(entries, key, known),
                _ => false,
            }
        }
        Mistake::Missing(key) => {
            let Some(table) = node.get_mut(&path) else { return false };
            let span = table.span;
            match &mut table.value {
                Value::Table(entries) | Value::Hole(entries)
                    if entries.iter().all(|entry| entry.key != *key) =>
                {
                    let node = Node { span, value: Value::Hole(Vec::new()) };
                    entries.push(Entry { key: (*key).to_owned(), key_span: span, node });
                    true
                }
                _ => false,
            }
        }
        _ => match node.get_mut(&path) {
            Some(wrong) if !matches!(wrong.value, Value::Hole(_)) => {
                wrong.value = Value::Hole(Vec::new());
                true
            }
            _ => false,
        },
    }
}

/// Takes an unknown key for what it was most likely meant to be, so that the value is checked too and the
/// key that was meant is not reported as missing.
fn rename_or_remove(entries: &mut Vec<Entry>, key: &str, known: &[&'static str]) -> bool {
    let Some(at) = entries.iter().position(|entry| entry.key == key) else { return false };
    // Nothing is taken for a list of tables that is not a list.
    let fits = |meant: &str| !LISTS.contains(&meant) || matches!(entries[at].node.value, Value::Array(_));
    match suggest::nearest(key, known.iter().copied()) {
        Some(meant) if fits(meant) && entries.iter().all(|entry| entry.key != meant) => {
            meant.clone_into(&mut entries[at].key);
        }
        _ => {
            entries.remove(at);
        }
    }
    true
}

/// The mistake in words.
fn problem(node: &Node, prefix: &[PathSegment], error: &DecodeError) -> Problem {
    let inner = error.path();
    let path: Vec<PathSegment> = prefix.iter().cloned().chain(inner.iter().cloned()).collect();
    let found = node.get(&inner);
    let (message, help) = match &error.mistake {
        Mistake::UnknownKey { key, .. } if path.len() == 1 && RESERVED.contains(&key.as_str()) => (
            format!("`{key}` is not supported by this version yet"),
            Some("the name is reserved; remove this part to run the rest".to_owned()),
        ),
        Mistake::UnknownKey { key, known } => {
            (format!("unknown key `{}`", shown(key)), key_help(key, known, path.len() == 1))
        }
        Mistake::UnknownWord { word, known }
            if word.is_empty() && !matches!(found, Some(Node { value: Value::String(_), .. })) =>
        {
            let known: Vec<String> = known.iter().map(|kind| format!("\"{kind}\"")).collect();
            ("`kind` is missing".to_owned(), Some(format!("`kind` is one of {}", known.join(", "))))
        }
        Mistake::UnknownWord { word, known } => {
            let word = shown(word);
            let message = match path.last() {
                Some(PathSegment::Key(key)) => format!("unknown {key} \"{word}\""),
                _ => format!("unknown word \"{word}\""),
            };
            (message, suggest::help(&word, known))
        }
        Mistake::Missing("format") if path.is_empty() => (
            "`format` is missing".to_owned(),
            Some(format!("begin the file with `format = {}`", Scene::FORMAT)),
        ),
        Mistake::Missing(key) => (format!("`{key}` is missing"), None),
        Mistake::Repeated(key) => (format!("`{key}` is given twice"), None),
        Mistake::Length { expected, found } => {
            let found = found.to_string();
            let is_count = expected.starts_with(|first: char| first.is_ascii_digit());
            let found = if is_count { found } else { format!("a list of {found}") };
            (format!("expected {expected}, found {found}"), None)
        }
        Mistake::Wrong { expected } => wrong(expected, found, &path),
        Mistake::Other(message) => (message.clone(), None),
    };
    Problem { path, message, help, span: error.span }
}

fn key_help(key: &str, known: &[&'static str], top: bool) -> Option<String> {
    match suggest::nearest(key, known.iter().copied()) {
        Some(list) if top && LISTS.contains(&list) => Some(format!("did you mean `[[{list}]]`?")),
        _ => suggest::help(key, known),
    }
}

/// What was expected and what was found, and how to write it.
fn wrong(expected: &str, found: Option<&Node>, path: &[PathSegment]) -> (String, Option<String>) {
    let Some(node) = found else { return (format!("expected {expected}"), None) };
    let is_number = expected.contains("number");
    let unit = match &node.value {
        Value::String(text) if is_number => quantity::unknown_unit(text),
        _ => None,
    };
    let help = match (&node.value, path) {
        (Value::String(text), _) if is_number && text.trim().parse::<f64>().is_ok() => {
            Some(format!("remove the quotes: {}", shown(text.trim())))
        }
        (Value::Float(float), _)
            if expected.contains("whole number") && float.trunc() == *float && float.abs() < 1e15 =>
        {
            Some(format!("write {float:.0}"))
        }
        (Value::Float(_), _) if expected.contains("whole number") => {
            Some("write it without a point and without an exponent".to_owned())
        }
        (Value::Integer(_) | Value::Float(_) | Value::Bool(_), _) if expected.starts_with("text") => {
            Some("put it in quotes".to_owned())
        }
        (Value::Integer(_) | Value::Float(_), _) if expected.starts_with('3') => {
            Some("write [x, y, z]".to_owned())
        }
        (Value::String(text), _) if expected.contains("`kind`") => {
            Some(format!("write {{ kind = \"{}\", … }}", shown(text)))
        }
        (Value::Table(_), [PathSegment::Key(list)]) if LISTS.contains(&list.as_str()) => {
            Some(format!("write [[{list}]] with two brackets: there may be several"))
        }
        _ => None,
    };
    let help = unit
        .map(|name| {
            let known: Vec<&str> = quantity::UNITS.iter().map(|(known, _)| *known).collect();
            let near =
                suggest::help(name, &known).unwrap_or_else(|| format!("units are {}", known.join(" ")));
            format!("`{}` is no unit; {near}", shown(name))
        })
        .or(help);
    (format!("expected {expected}, found {}", found_text(node)), help)
}

/// A value in a message.
fn found_text(node: &Node) -> String {
    match &node.value {
        Value::String(text) => format!("text \"{}\"", shown(text)),
        Value::Integer(integer) => integer.to_string(),
        Value::Float(float) if float.is_nan() => "nan".to_owned(),
        Value::Float(float) => format!("{float:?}"),
        Value::Bool(bool) => bool.to_string(),
        Value::Array(elements) if elements.is_empty() => "an empty list".to_owned(),
        Value::Array(elements) => format!("a list of {}", elements.len()),
        Value::Table(_) | Value::Hole(_) | Value::Unread => node.kind().to_owned(),
    }
}
