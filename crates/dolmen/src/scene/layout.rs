//! Where the parts of a flat scene were written: copies share the text that they were made from.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::Source;
use super::node::{Node, Value};
use super::place::{PathSegment, Span};
use super::read::Reader;

/// One element of a flat list.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// Which of the origins.
    pub(crate) origin: u32,
    /// In which context it was made; see `expand`.
    pub(crate) context: u32,
    /// Its name where the text does not have it, or is not read.
    pub(crate) name: Option<Box<str>>,
}

/// The text of every part of a flat scene.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// All but the lists.
    pub(crate) rest: Node,
    origins: Vec<Arc<Node>>,
    placed: BTreeMap<&'static str, Vec<Placed>>,
}

impl Layout {
    /// A scene without lists.
    pub(crate) fn new(rest: Node) -> Self {
        Self { rest, origins: Vec::new(), placed: BTreeMap::new() }
    }

    /// The number of a text from which elements are made.
    pub(crate) fn add_origin(&mut self, node: &Arc<Node>) -> u32 {
        self.origins.push(Arc::clone(node));
        // Elements are bounded far below.
        u32::try_from(self.origins.len() - 1).unwrap_or(u32::MAX)
    }

    /// Appends an element to a list.
    pub(crate) fn place(&mut self, list: &'static str, placed: Placed) {
        self.placed.entry(list).or_default().push(placed);
    }

    /// The elements of a list.
    pub(crate) fn elements(&self, list: &str) -> &[Placed] {
        self.placed.get(list).map_or(&[], Vec::as_slice)
    }

    /// The name of an element, in the text or its own.
    pub(crate) fn name<'l>(&'l self, placed: &'l Placed) -> Option<&'l str> {
        placed.name.as_deref().or_else(|| self.origins.get(placed.origin as usize)?.name())
    }

    /// Whether anything stands under this key at the top.
    pub(crate) fn has(&self, key: &PathSegment) -> bool {
        match key {
            PathSegment::Key(list) if !self.elements(list).is_empty() => true,
            key => self.rest.get(std::slice::from_ref(key)).is_some(),
        }
    }

    /// Whether the text of an element was left unread.
    pub(crate) fn is_unread(&self, placed: &Placed) -> bool {
        self.origins.get(placed.origin as usize).is_some_and(|node| matches!(node.value, Value::Unread))
    }

    fn element(&self, path: &[PathSegment], sources: &[Source]) -> Option<(&Placed, Cow<'_, Node>)> {
        let [PathSegment::Key(list), PathSegment::Index(index), ..] = path else { return None };
        let placed = self.elements(list).get(*index)?;
        let node = self.origins.get(placed.origin as usize)?;
        let node = if self.is_unread(placed) {
            Cow::Owned(read_again(node, sources))
        } else {
            Cow::Borrowed(node.as_ref())
        };
        Some((placed, node))
    }

    /// The span of the value at `path`, or of its nearest ancestor that exists.
    pub(crate) fn span_at(&self, path: &[PathSegment], sources: &[Source]) -> Span {
        match self.element(path, sources) {
            Some((_, node)) => node.span_at(&path[2..]),
            None => self.rest.span_at(path),
        }
    }

    /// `path` as people write it, see [`Node::path_text`].
    pub(crate) fn path_text(&self, path: &[PathSegment], sources: &[Source]) -> String {
        let Some((placed, node)) = self.element(path, sources) else { return self.rest.path_text(path) };
        let list = match &path[0] {
            PathSegment::Key(list) => list.as_str(),
            PathSegment::Index(_) => "",
        };
        let which = match (self.name(placed), &path[1]) {
            (Some(name), _) => format!(" {name:?}"),
            (None, PathSegment::Index(index)) => format!("[{index}]"),
            (None, PathSegment::Key(_)) => String::new(),
        };
        let inner = node.path_text(&path[2..]);
        let dot = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        format!("{list}{which}{dot}{inner}")
    }
}

/// An element that was left unread.
pub(crate) fn read_again(node: &Node, sources: &[Source]) -> Node {
    let text = sources.get(node.span.source as usize).and_then(|source| source.text.get(node.span.range()));
    Reader::new(node.span.source, node.span.range().start, text.unwrap_or_default()).unread_element()
}
