//! A scene file as a tree in which every value and every key remembers where it was written.

use super::place::{PathSegment, Span};

/// A value and where it is written.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub span: Span,
    pub value: Value,
}

/// One `key = value` of a table.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

/// What TOML and JSON have in common.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// In the order of the file.
    Table(Vec<Entry>),
    Array(Vec<Node>),
    String(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    /// Stands for a value whose error has been noted already: it decodes as whatever is asked for, so that
    /// the search for more errors can go on. The entries are those that the decoder found missing in it.
    Hole(Vec<Entry>),
    /// An element of a list of a long text, whose span is all of it: it is read when it is needed.
    Unread,
}

/// Keys of an element that say how often it is made, and are gone after that.
pub(crate) const CONTROL: [&str; 4] = ["repeat", "when", "let", "with"];

impl Node {
    /// The node at `path`, or none.
    pub(crate) fn get(&self, path: &[PathSegment]) -> Option<&Node> {
        path.iter().try_fold(self, Node::child)
    }

    /// As [`Node::get`], to be changed.
    pub(crate) fn get_mut(&mut self, path: &[PathSegment]) -> Option<&mut Node> {
        path.iter().try_fold(self, |node, segment| match (&mut node.value, segment) {
            (Value::Table(entries) | Value::Hole(entries), PathSegment::Key(key)) => {
                entries.iter_mut().find(|entry| entry.key == *key).map(|entry| &mut entry.node)
            }
            (Value::Array(elements), PathSegment::Index(index)) => elements.get_mut(*index),
            _ => None,
        })
    }

    fn child(&self, segment: &PathSegment) -> Option<&Node> {
        match (&self.value, segment) {
            (Value::Table(entries) | Value::Hole(entries), PathSegment::Key(key)) => {
                entries.iter().find(|entry| entry.key == *key).map(|entry| &entry.node)
            }
            (Value::Array(elements), PathSegment::Index(index)) => elements.get(*index),
            _ => None,
        }
    }

    /// The span of the value at `path`, or of its nearest ancestor that exists.
    pub(crate) fn span_at(&self, path: &[PathSegment]) -> Span {
        let mut node = self;
        for segment in path {
            let Some(child) = node.child(segment) else { break };
            node = child;
        }
        node.span
    }

    /// The text under the key `name`, if this is a table that has such a text.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.child(&PathSegment::Key("name".to_owned()))?.value {
            Value::String(name) => Some(name),
            _ => None,
        }
    }

    /// `path` as people write it: `body "top".shape.size[1]`, with names in the place of numbers where the
    /// element has one.
    pub(crate) fn path_text(&self, path: &[PathSegment]) -> String {
        let mut text = String::new();
        let mut node = Some(self);
        for segment in path {
            node = node.and_then(|node| node.child(segment));
            match (segment, node.and_then(Node::name)) {
                (PathSegment::Index(_), Some(name)) => text.extend([" ", &format!("{name:?}")]),
                (PathSegment::Index(index), None) => text.extend(["[", &index.to_string(), "]"]),
                (PathSegment::Key(key), _) if text.is_empty() => text += key,
                (PathSegment::Key(key), _) => text.extend([".", key]),
            }
        }
        text
    }

    /// Whether an element is as it is written: it is made once, without expressions.
    pub(crate) fn is_literal(&self) -> bool {
        let Value::Table(entries) = &self.value else { return false };
        !entries.iter().any(|entry| CONTROL.contains(&entry.key.as_str())) && !needs_evaluation(self, false)
    }

    /// What kind of value this is, in the words of the messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Table(_) => "a table",
            Value::Array(_) => "a list",
            Value::String(_) => "text",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Hole(_) | Value::Unread => "nothing",
        }
    }
}

/// Whether something in it is an expression, or with `fill` a text with one in it.
pub(crate) fn needs_evaluation(node: &Node, fill: bool) -> bool {
    match &node.value {
        Value::String(text) => text.trim_start().starts_with('=') || (fill && text.contains(['{', '}'])),
        Value::Array(elements) => elements.iter().any(|element| needs_evaluation(element, fill)),
        Value::Table(entries) => entries.iter().any(|entry| needs_evaluation(&entry.node, fill)),
        _ => false,
    }
}
