//! Reads TOML and JSON into a [`Node`] tree, with as many syntax errors at once as the parsers find.

mod sections;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Problem;
use super::node::{Entry, Node, Value};
use super::place::Span;
use super::tolerances::{MOST_PROBLEMS, READ_AT_ONCE};
use super::typed::LISTS;
use sections::sections;

/// How deep tables and lists may stand in each other. The format itself needs about eight; the rest is for
/// compounds in compounds. Every walk over the tree recurses at most this deep.
const MAX_DEPTH: usize = 64;

/// A reader of one source, gathering what is wrong with it.
pub(crate) struct Reader<'a> {
    source: u32,
    /// Added to every position: where the text that is parsed begins in the source.
    offset: usize,
    text: &'a str,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    /// Reads `text`, which begins at byte `offset` of source number `source`.
    pub(crate) fn new(source: u32, offset: usize, text: &'a str) -> Self {
        Self { source, offset, text, problems: Vec::new() }
    }

    /// A whole TOML document.
    ///
    /// # Errors
    /// Every syntax error that the parser finds, every date and every number that does not fit.
    pub(crate) fn toml(mut self) -> Result<Node, Vec<Problem>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        if !errors.is_empty() {
            return Err(self.toml_errors(&errors));
        }
        let span = self.span(&(0..0));
        let entries = self.toml_entries(table.into_inner(), 0);
        self.finish(Node { span, value: Value::Table(entries) })
    }

    /// The TOML document of a scene: of a long one, elements of lists that are not to be expanded are left unread
    /// ([`Value::Unread`]).
    ///
    /// # Errors
    /// As [`Reader::toml`].
    pub(crate) fn scene_toml(self) -> Result<Node, Vec<Problem>> {
        self.scene_toml_beyond(READ_AT_ONCE)
    }

    fn scene_toml_beyond(self, at_once: usize) -> Result<Node, Vec<Problem>> {
        if self.text.len() > at_once
            && let Some(read) = self.by_elements()
        {
            return read;
        }
        self.toml()
    }

    /// Element by element; none if the text has to be read as a whole.
    fn by_elements(&self) -> Option<Result<Node, Vec<Problem>>> {
        let sections = sections(self.text, &LISTS);
        // All but the elements, at their places.
        let mut rest = self.text.as_bytes().to_vec();
        for section in &sections {
            rest[section.range.clone()].fill(b' ');
        }
        let rest = String::from_utf8(rest).ok()?;
        let (mut entries, mut problems) = match Reader::new(self.source, self.offset, &rest).toml() {
            Ok(Node { value: Value::Table(entries), .. }) => (entries, Vec::new()),
            Ok(_) => return None,
            Err(problems) => (Vec::new(), problems),
        };
        drop(rest);
        // A list that is written in another way as well, or a part of an element somewhere else.
        if entries.iter().any(|entry| sections.iter().any(|section| section.list == entry.key)) {
            return None;
        }
        let mut lists: Vec<Entry> = Vec::new();
        for section in &sections {
            let offset = self.offset + section.range.start;
            match Reader::new(self.source, offset, &self.text[section.range.clone()]).element() {
                Ok(Entry { key, key_span, node: Node { value, span } }) => {
                    let list = if let Some(at) = lists.iter().position(|entry| entry.key == key) {
                        &mut lists[at].node.value
                    } else {
                        let node = Node { span, value: Value::Array(Vec::new()) };
                        lists.push(Entry { key, key_span, node });
                        &mut lists.last_mut()?.node.value
                    };
                    let (Value::Array(all), Value::Array(mut found)) = (list, value) else { return None };
                    if found.iter().all(Node::is_literal) {
                        all.push(Node { span: self.span(&section.range), value: Value::Unread });
                    } else {
                        all.append(&mut found);
                    }
                }
                Err(found) => problems.extend(found),
            }
            if problems.len() > MOST_PROBLEMS {
                break;
            }
        }
        entries.extend(lists);
        entries.sort_by_key(|entry| entry.key_span.start);
        let root = Node { span: self.span(&(0..0)), value: Value::Table(entries) };
        Some(if problems.is_empty() { Ok(root) } else { Err(problems) })
    }

    /// A list of one element under its key: the text of one section.
    fn element(self) -> Result<Entry, Vec<Problem>> {
        match self.toml()?.value {
            Value::Table(mut entries) if entries.len() == 1 => Ok(entries.remove(0)),
            _ => Err(Vec::new()),
        }
    }

    /// Reads an element that was left unread; it has been seen to be sound.
    pub(crate) fn unread_element(self) -> Node {
        let span = self.span(&(0..self.text.len()));
        let first = self.element().ok().and_then(|entry| match entry.node.value {
            Value::Array(elements) => elements.into_iter().next(),
            _ => None,
        });
        first.unwrap_or(Node { span, value: Value::Hole(Vec::new()) })
    }

    /// A single TOML value, as on the right of `=`.
    ///
    /// # Errors
    /// As [`Reader::toml`].
    pub(crate) fn toml_value(mut self) -> Result<Node, Vec<Problem>> {
        let (value, errors) = DeValue::parse_recoverable(self.text);
        if !errors.is_empty() {
            return Err(self.toml_errors(&errors));
        }
        let node = self.toml_node(value, 0);
        self.finish(node)
    }

    /// A whole JSON document, without comments or trailing commas.
    ///
    /// # Errors
    /// The first syntax error, or every repeated key, `null` and number that does not fit.
    pub(crate) fn json(mut self) -> Result<Node, Vec<Problem>> {
        let strict = ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        match parse_to_ast(self.text, &CollectOptions::default(), &strict) {
            Ok(parsed) => {
                let Some(value) = parsed.value else {
                    self.problem(&(0..0), "the file is empty", Some("write { \"format\": 1 } to begin with"));
                    return Err(self.problems);
                };
                let node = self.json_node(&value, 0);
                self.finish(node)
            }
            Err(error) => {
                let (start, end) = (error.range().start, error.range().end);
                let message = sentence(&error.kind().to_string());
                if message.contains("nesting depth") {
                    self.problem(&(start..end), TOO_DEEP, Some(TOO_DEEP_HELP));
                    return Err(self.problems);
                }
                self.problem(&(start..end), &message, None);
                Err(self.problems)
            }
        }
    }

    fn finish(self, node: Node) -> Result<Node, Vec<Problem>> {
        if self.problems.is_empty() { Ok(node) } else { Err(self.problems) }
    }

    fn span(&self, range: &std::ops::Range<usize>) -> Span {
        Span::new(self.source, &(range.start + self.offset..range.end + self.offset))
    }

    fn problem(&mut self, range: &std::ops::Range<usize>, message: &str, help: Option<&str>) {
        let span = self.span(range);
        self.problems.push(Problem::at_span(span, message, help.map(str::to_owned)));
    }

    /// The parser goes on after an error as if a token were missing or superfluous, so that one slip often
    /// makes several errors on a line: only the first of each line is kept.
    fn toml_errors(mut self, errors: &[toml::de::Error]) -> Vec<Problem> {
        // A key with too many dots is reported without a place.
        let place = |error: &toml::de::Error| error.span().unwrap_or_else(|| deepest_key(self.text));
        let mut errors: Vec<_> = errors.iter().map(|error| (place(error), error.message())).collect();
        errors.sort_by_key(|(range, _)| range.start);
        let line_of =
            |at: usize| self.text.as_bytes()[..at.min(self.text.len())].iter().rposition(|b| *b == b'\n');
        errors.dedup_by_key(|(range, _)| line_of(range.start));
        for (range, message) in errors {
            let (message, help) = toml_message(message, self.text.get(range.clone()).unwrap_or(""));
            self.problem(&range, &message, help.as_deref());
        }
        self.problems
    }

    fn toml_entries(&mut self, table: DeTable<'_>, depth: usize) -> Vec<Entry> {
        let mut entries: Vec<Entry> = table
            .into_iter()
            .map(|(key, value)| Entry {
                key_span: self.span(&key.span()),
                key: key.into_inner().into_owned(),
                node: self.toml_node(value, depth + 1),
            })
            .collect();
        // The parser sorts tables by key.
        entries.sort_by_key(|entry| entry.key_span.start);
        entries
    }

    fn toml_node(&mut self, value: Spanned<DeValue<'_>>, depth: usize) -> Node {
        let range = value.span();
        let span = self.span(&range);
        if depth > MAX_DEPTH {
            return self.too_deep(&range);
        }
        let value = match value.into_inner() {
            DeValue::String(text) => Value::String(text.into_owned()),
            DeValue::Integer(integer) => {
                let fits = i64::from_str_radix(integer.as_str(), integer.radix());
                if fits.is_err() {
                    self.problem(
                        &range,
                        "this whole number does not fit in 64 bits",
                        Some("end it with `.0`"),
                    );
                }
                fits.map_or(Value::Hole(Vec::new()), Value::Integer)
            }
            DeValue::Float(float) => {
                let named = float.as_str().contains("inf");
                self.float(&range, float.as_str(), named)
            }
            DeValue::Boolean(bool) => Value::Bool(bool),
            DeValue::Datetime(_) => {
                self.problem(
                    &range,
                    "a scene has no dates",
                    Some("times are numbers of seconds, or quote it as text"),
                );
                Value::Hole(Vec::new())
            }
            DeValue::Array(array) => {
                Value::Array(array.into_iter().map(|element| self.toml_node(element, depth + 1)).collect())
            }
            DeValue::Table(table) => Value::Table(self.toml_entries(table, depth)),
        };
        Node { span, value }
    }

    fn json_node(&mut self, value: &ast::Value<'_>, depth: usize) -> Node {
        let range = value.start()..value.end();
        let span = self.span(&range);
        if depth > MAX_DEPTH {
            return self.too_deep(&range);
        }
        let value = match value {
            ast::Value::StringLit(text) => Value::String(text.value.clone().into_owned()),
            ast::Value::NumberLit(number) => match number.value.parse() {
                Ok(integer) => Value::Integer(integer),
                Err(_) => self.float(&range, number.value, false),
            },
            ast::Value::BooleanLit(bool) => Value::Bool(bool.value),
            ast::Value::NullKeyword(_) => {
                self.problem(&range, "null has no meaning in a scene", Some("leave the key out"));
                Value::Hole(Vec::new())
            }
            ast::Value::Array(array) => Value::Array(
                array.elements.iter().map(|element| self.json_node(element, depth + 1)).collect(),
            ),
            ast::Value::Object(object) => self.json_table(object, depth),
        };
        Node { span, value }
    }

    fn json_table(&mut self, object: &ast::Object<'_>, depth: usize) -> Value {
        let mut seen = std::collections::BTreeSet::new();
        let mut entries = Vec::with_capacity(object.properties.len());
        for property in &object.properties {
            let key_range = property.name.start()..property.name.end();
            let key = property.name.as_str().to_owned();
            let node = self.json_node(&property.value, depth + 1);
            if seen.insert(key.clone()) {
                entries.push(Entry { key, key_span: self.span(&key_range), node });
            } else {
                self.problem(
                    &key_range,
                    &format!("`{}` is given twice", shown(&key)),
                    Some("remove one of them"),
                );
            }
        }
        Value::Table(entries)
    }

    /// A float; infinite only where it says so (`named`), never because its exponent is too large.
    fn float(&mut self, range: &std::ops::Range<usize>, text: &str, named: bool) -> Value {
        match text.parse::<f64>() {
            Ok(float) if float.is_finite() || float.is_nan() || named => Value::Float(float),
            Ok(_) => {
                self.problem(range, "this number is larger than the largest float, 1.8e308", None);
                Value::Hole(Vec::new())
            }
            Err(_) => {
                self.problem(range, "this is not a number", None);
                Value::Hole(Vec::new())
            }
        }
    }

    fn too_deep(&mut self, range: &std::ops::Range<usize>) -> Node {
        let message = format!("tables and lists are nested more than {MAX_DEPTH} deep");
        self.problem(range, &message, Some(TOO_DEEP_HELP));
        Node { span: self.span(range), value: Value::Hole(Vec::new()) }
    }
}

const TOO_DEEP: &str = "tables and lists are nested too deep";
const TOO_DEEP_HELP: &str = "a scene needs about eight levels";

/// The line whose key has the most dots: its bytes up to the value.
fn deepest_key(text: &str) -> std::ops::Range<usize> {
    let mut deepest = (0, 0..0);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let key = line.split('=').next().unwrap_or(line).trim_end();
        let dots = key.bytes().filter(|byte| *byte == b'.').count();
        if dots > deepest.0 {
            deepest = (dots, start..start + key.len());
        }
        start += line.len();
    }
    deepest.1
}

/// Text of the user inside a message: without control characters, and not endless.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let clean: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    // `escape_debug` also escapes quotes, which do no harm here.
    let clean = clean.replace("\\\"", "\"").replace("\\'", "'");
    if text.chars().nth(LONGEST).is_some() { format!("{clean}…") } else { clean }
}

/// The parser's message in our words, and a remedy.
fn toml_message(message: &str, found: &str) -> (String, Option<String>) {
    let (message, expected) = message.split_once(", expected ").unwrap_or((message, ""));
    let help = match message {
        "string values must be quoted" if found.trim().is_empty() => {
            return (
                "the value is missing".to_owned(),
                Some("write it after the `=`, or remove the key".to_owned()),
            );
        }
        "string values must be quoted" => {
            let help = format!("write \"{}\"", shown(found.trim()));
            return ("text has to be in quotes".to_owned(), Some(help));
        }
        "duplicate key" => {
            let message = format!("`{}` is given twice", shown(found));
            return (
                message,
                Some("remove one of them; a further element of a list begins with [[…]]".to_owned()),
            );
        }
        "invalid basic string" | "invalid literal string" => {
            let help = "is the closing quote missing?".to_owned();
            return ("the text in quotes is broken".to_owned(), Some(help));
        }
        "invalid float" | "invalid integer" => {
            let help = "write it like 12, -1.5 or 1e-3".to_owned();
            return ("the number is broken".to_owned(), Some(help));
        }
        "cannot recurse further; max recursion depth met" | "recursion limit" => {
            return (TOO_DEEP.to_owned(), Some(TOO_DEEP_HELP.to_owned()));
        }
        _ if expected.is_empty() || expected == "nothing" => None,
        _ => Some(format!("expected {expected}")),
    };
    (sentence(&message.replace("array", "list")), help)
}

/// Messages begin with a small letter: they follow `error:`.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unread(node: Node, text: &str) -> Node {
        let read = |node: Node| match node.value {
            Value::Unread => {
                Reader::new(0, node.span.range().start, &text[node.span.range()]).unread_element()
            }
            _ => node,
        };
        let Value::Table(mut entries) = node.value else { return node };
        for entry in &mut entries {
            if let Value::Array(elements) = &mut entry.node.value {
                *elements = std::mem::take(elements).into_iter().map(read).collect();
            }
        }
        Node { value: Value::Table(entries), ..node }
    }

    fn shown(read: Result<Node, Vec<Problem>>) -> String {
        match read {
            Ok(node) => format!("{node:#?}"),
            Err(mut problems) => {
                problems.sort_by_key(|problem| problem.span);
                format!("{problems:#?}")
            }
        }
    }

    /// A text that is read element by element gives the same tree with the same places, or the same mistakes, as one that is read
    /// at once: the built-in scenes, and texts that are written in all ways.
    #[test]
    fn element_by_element_is_as_at_once() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
        let mut texts: Vec<String> = std::fs::read_dir(folder)
            .expect("scenes")
            .filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok())
            .collect();
        assert!(texts.len() > 50);
        for text in [
            "[[body]]\nname = \"a\"\n[body.shape]\nkind = \"sphere\"\n[run]\nduration = 1\n[[body]]\nrepeat = 3\nx = [1, 2]\n",
            "body = [{ a = 1 }]\n[[force]]\nb = 2\n",
            "[[body]]\na = 1\n[[force]]\nb = 2\n[body.shape]\nc = 3\n",
            "[[body]]\na = 1\n[body]\nb = 1\n",
            "[[body]]\na = \n[[force]]\nb = 2 3\n[run\n",
            "[[body]]\na = 1\na = 2\n[run]\n[run]\n",
            "[template.x]\n[[template.x.body]]\na = 1\n[[body]]\nm = \"= 2*r\"\n[template.y]\nb = 1\n",
        ] {
            texts.push(text.to_owned());
            texts.push(text.replace('\n', "\r\n"));
        }
        let mut left_unread = 0;
        for text in texts {
            let at_once = Reader::new(0, 0, &text).toml();
            let by_elements = Reader::new(0, 0, &text).scene_toml_beyond(0);
            left_unread += format!("{by_elements:?}").matches("Unread").count();
            assert_eq!(shown(at_once), shown(by_elements.map(|node| unread(node, &text))), "{text}");
        }
        assert!(left_unread > 100, "{left_unread}");
    }
}
