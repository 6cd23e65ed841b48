//! Changes to a scene before it is looked at: `body.top.mass=2`.

use super::error::Problem;
use super::node::{Entry, Node, Value};
use super::place::Span;
use super::read::{Reader, shown};
use super::suggest;
use super::typed::LISTS;

/// One part of a path, and where it stands in the override.
struct Part {
    text: String,
    quoted: bool,
    span: Span,
}

/// Sets what `text`, source number `source`, says.
///
/// # Errors
/// When the text is not `path=value`, the value is not TOML, or the path leads nowhere.
pub(crate) fn apply(root: &mut Node, source: u32, text: &str) -> Result<(), Vec<Problem>> {
    let (parts, value_at) = split(source, text).map_err(|problem| vec![problem])?;
    let value = value(source, value_at, text)?;
    set(root, &parts, value).map_err(|problem| vec![problem])
}

/// The parts of the path, and the byte after the `=`.
fn split(source: u32, text: &str) -> Result<(Vec<Part>, usize), Problem> {
    const FORM: &str = "write path=value, such as body.0.mass=2";
    let refuse = |range: std::ops::Range<usize>, message: &str| {
        Err(Problem::at_span(Span::new(source, &range), message, Some(FORM.to_owned())))
    };
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let start = at;
        let part = if let Some(quote @ ('"' | '\'')) = text[at..].chars().next() {
            let Some(length) = text[at + 1..].find(quote) else {
                return refuse(start..text.len(), "the closing quote is missing");
            };
            at += length + 2;
            Part {
                text: text[start + 1..at - 1].to_owned(),
                quoted: true,
                span: Span::new(source, &(start..at)),
            }
        } else {
            at += text[at..].find(['.', '=']).unwrap_or(text.len() - at);
            let bare = text[start..at].trim_end();
            let span = Span::new(source, &(start..start + bare.len()));
            Part { text: bare.to_owned(), quoted: false, span }
        };
        if part.text.is_empty() {
            return refuse(start..at, "a part of the path is empty");
        }
        parts.push(part);
        at += text[at..].len() - text[at..].trim_start().len();
        match text[at..].chars().next() {
            Some('.') => at += 1,
            Some('=') => return Ok((parts, at + 1)),
            _ => return refuse(at..at, "an override needs a `=`"),
        }
    }
}

/// The value on the right of the `=` at byte `at`.
fn value(source: u32, at: usize, text: &str) -> Result<Node, Vec<Problem>> {
    let right = &text[at..];
    let start = at + right.len() - right.trim_start().len();
    let right = right.trim();
    let read = Reader::new(source, start, right).toml_value();
    let is_bare = !right.is_empty() && !right.contains(['"', '\'', '[', ']', '{', '}', ',', '#', '\n', '\r']);
    match read {
        Err(_) if is_bare && !looks_like_number(right) => {
            let span = Span::new(source, &(start..start + right.len()));
            Ok(Node { span, value: Value::String(right.to_owned()) })
        }
        read => read,
    }
}

/// `1e999` and `99999999999999999999` are refused as numbers, not taken as text.
fn looks_like_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn set(root: &mut Node, parts: &[Part], value: Node) -> Result<(), Problem> {
    let Some((last, before)) = parts.split_last() else { return Ok(()) };
    let mut node = root;
    for (depth, part) in before.iter().enumerate() {
        node = descend(node, part, depth)?;
    }
    if let Value::Table(entries) = &mut node.value {
        let at_top = before.is_empty();
        refuse_missing_list(entries, last, at_top && !matches!(value.value, Value::Array(_)))?;
        match entries.iter_mut().find(|entry| entry.key == last.text) {
            Some(entry) => entry.node = value,
            None => entries.push(Entry { key: last.text.clone(), key_span: last.span, node: value }),
        }
    } else {
        *descend(node, last, before.len())? = value;
    }
    Ok(())
}

/// The child of `node` that `part` names; a table that is not there is made.
fn descend<'n>(node: &'n mut Node, part: &Part, depth: usize) -> Result<&'n mut Node, Problem> {
    let kind = node.kind();
    match &mut node.value {
        Value::Table(entries) => {
            refuse_missing_list(entries, part, depth == 0)?;
            let found = entries.iter().position(|entry| entry.key == part.text);
            let at = found.unwrap_or_else(|| {
                let node = Node { span: part.span, value: Value::Table(Vec::new()) };
                entries.push(Entry { key: part.text.clone(), key_span: part.span, node });
                entries.len() - 1
            });
            Ok(&mut entries[at].node)
        }
        Value::Array(elements) => {
            let at = position(elements, part)?;
            Ok(&mut elements[at])
        }
        _ => {
            let message = format!("there is nothing inside {kind} that `{}` could be", shown(&part.text));
            Err(Problem::at_span(part.span, message, None))
        }
    }
}

/// A body that is not there cannot be changed, and is not made by an override.
fn refuse_missing_list(entries: &[Entry], part: &Part, at_top: bool) -> Result<(), Problem> {
    if at_top && LISTS.contains(&part.text.as_str()) && entries.iter().all(|entry| entry.key != part.text) {
        return Err(Problem::at_span(part.span, format!("the scene has no [[{}]]", part.text), None));
    }
    Ok(())
}

/// Which element is meant, by position or by name.
fn position(elements: &[Node], part: &Part) -> Result<usize, Problem> {
    let refuse = |message, help| Err(Problem::at_span(part.span, message, help));
    if !part.quoted
        && let Ok(index) = part.text.parse::<usize>()
    {
        return match elements.len() {
            length if index < length => Ok(index),
            0 => refuse("the list is empty".to_owned(), None),
            length => refuse(
                format!("there is no element {index}"),
                Some(format!("the last one is {}", length - 1)),
            ),
        };
    }
    if let Some(index) = elements.iter().position(|element| element.name() == Some(&part.text)) {
        return Ok(index);
    }
    let names: Vec<&str> = elements.iter().filter_map(Node::name).collect();
    let help = match suggest::help(&part.text, &names) {
        None if !elements.is_empty() => Some("the elements have no names: use a position from 0".to_owned()),
        help => help,
    };
    refuse(format!("nothing here is named \"{}\"", shown(&part.text)), help)
}
