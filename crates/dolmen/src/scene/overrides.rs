//! Changes to a scene before it is checked: `body.top.mass=2`.

use super::error::Problem;
use super::node::{Entry, Node, Value};
use super::place::Span;
use super::read::{Reader, shown};
use super::suggest;
use super::typed::LISTS;

/// One part of a path, and where it stands in the override.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) text: String,
    quoted: bool,
    pub(crate) span: Span,
}

/// A change: where, and the new value.
#[derive(Debug)]
pub(crate) struct Override {
    parts: Vec<Part>,
    value: Node,
}

impl Override {
    /// Reads `text`, source number `source`.
    ///
    /// # Errors
    /// When the text is not `path=value` or the value is not TOML.
    pub(crate) fn parse(source: u32, text: &str) -> Result<Self, Vec<Problem>> {
        let (parts, value_at) = split(source, text).map_err(|problem| vec![problem])?;
        Ok(Self { parts, value: value(source, value_at, text)? })
    }

    /// The list and the element of it that this changes, if it does not change the scene as it is written: copies have names
    /// only after expansion.
    pub(crate) fn element(&self) -> Option<(&Part, &Part)> {
        match &self.parts[..] {
            [list, element, ..] if LISTS.contains(&list.text.as_str()) => Some((list, element)),
            _ => None,
        }
    }

    /// The variable at the top of the scene that this sets.
    pub(crate) fn variable(&self) -> Option<&Part> {
        match &self.parts[..] {
            [table, name] if table.text == "let" => Some(name),
            _ => None,
        }
    }

    /// The new value.
    pub(crate) fn value(&self) -> &Node {
        &self.value
    }

    /// Changes the scene as it is written.
    ///
    /// # Errors
    /// When the path leads nowhere.
    pub(crate) fn apply(&self, root: &mut Node) -> Result<(), Problem> {
        set(root, &self.parts, self.value.clone(), true)
    }

    /// Changes one element of a list to `value`, which is this one's, evaluated.
    ///
    /// # Errors
    /// When the path leads nowhere.
    pub(crate) fn apply_to_element(&self, element: &mut Node, value: Node) -> Result<(), Problem> {
        match &self.parts[2..] {
            [] => *element = value,
            parts => set(element, parts, value, false)?,
        }
        Ok(())
    }
}

impl Part {
    /// The position that this means, if it is one.
    pub(crate) fn position(&self) -> Option<usize> {
        if self.quoted { None } else { self.text.parse().ok() }
    }

    /// Why no element of a list of `length` is meant, `names` being theirs.
    pub(crate) fn refusal(&self, list: &Part, length: usize, names: &[&str]) -> Problem {
        let refuse = |message, help| Problem::at_span(self.span, message, help);
        if length == 0 {
            return Problem::at_span(list.span, format!("the scene has no [[{}]]", list.text), None);
        }
        if let Some(index) = self.position() {
            return refuse(
                format!("there is no element {index}"),
                Some(format!("the last one is {}", length - 1)),
            );
        }
        let nameless = "the elements have no names: use a position from 0";
        let help = suggest::help(&self.text, names).unwrap_or_else(|| nameless.to_owned());
        refuse(format!("nothing here is named \"{}\"", shown(&self.text)), Some(help))
    }
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

/// Sets what is at `parts` of `root`, which is the whole scene or one element of it.
fn set(root: &mut Node, parts: &[Part], value: Node, is_scene: bool) -> Result<(), Problem> {
    let Some((last, before)) = parts.split_last() else { return Ok(()) };
    let mut node = root;
    for (depth, part) in before.iter().enumerate() {
        node = descend(node, part, is_scene && depth == 0)?;
    }
    if let Value::Table(entries) = &mut node.value {
        let at_top = is_scene && before.is_empty();
        refuse_missing_list(entries, last, at_top && !matches!(value.value, Value::Array(_)))?;
        match entries.iter_mut().find(|entry| entry.key == last.text) {
            Some(entry) => entry.node = value,
            None => entries.push(Entry { key: last.text.clone(), key_span: last.span, node: value }),
        }
    } else {
        *descend(node, last, is_scene && before.is_empty())? = value;
    }
    Ok(())
}

/// The child of `node` that `part` names; a table that is not there is made.
fn descend<'n>(node: &'n mut Node, part: &Part, at_top: bool) -> Result<&'n mut Node, Problem> {
    let kind = node.kind();
    match &mut node.value {
        Value::Table(entries) => {
            refuse_missing_list(entries, part, at_top)?;
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
