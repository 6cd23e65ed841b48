//! XML as a tree of our own: with places, bounded in depth and size, without document types.

use std::path::Path;
use std::sync::Arc;

use dolmen::math::DVec3;

use crate::file::Files;
use crate::note::{ImportError, Place};

/// How deep elements may be nested.
const MAX_DEPTH: usize = 256;

/// The most elements of one file.
const MAX_NODES: u32 = 2_000_000;

/// An element with its attributes and children.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    /// All text directly inside.
    pub(crate) text: String,
    pub(crate) place: Place,
}

impl Element {
    /// Reads a file.
    pub(crate) fn read(path: &Path, files: &mut Files) -> Result<Self, ImportError> {
        let text = files.read_text(path)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a text.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, ImportError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file: Arc<str> = name.into();
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let place = |at: usize| {
            let line = starts.partition_point(|start| *start <= at);
            let start = starts[line - 1];
            let column = text.get(start..at).map_or(0, |before| before.chars().count()) + 1;
            Place { file: Arc::clone(&file), at: Some((line, column)) }
        };
        if let Some(at) = too_deep(text) {
            let message = format!("elements are nested more than {MAX_DEPTH} deep");
            return Err(ImportError::new(&place(at), message));
        }
        let options = roxmltree::ParsingOptions { nodes_limit: MAX_NODES, ..Default::default() };
        let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| {
            let position = error.pos();
            let at =
                Place { file: Arc::clone(&file), at: Some((position.row as usize, position.col as usize)) };
            ImportError::new(&at, format!("this is no XML that can be read: {error}"))
        })?;
        Ok(convert(document.root_element(), &place))
    }

    /// An attribute as written.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The first child of a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// An error here.
    pub(crate) fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError::new(&self.place, message)
    }

    /// Numbers in an attribute, as many as there are.
    pub(crate) fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>, ImportError> {
        self.get(key).map(|text| self.numbers_of(key, text)).transpose()
    }

    /// Numbers in a text that stands in this element.
    pub(crate) fn numbers_of(&self, key: &str, text: &str) -> Result<Vec<f64>, ImportError> {
        let number = |word: &str| {
            let value = match word.to_ascii_lowercase().as_str() {
                "inf" | "+inf" | "infinity" => Some(f64::INFINITY),
                "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
                _ => word.parse::<f64>().ok().filter(|value| value.is_finite()),
            };
            value.ok_or_else(|| {
                self.error(format!("`{key}` of <{}> has {word:?}, which is no number", self.name))
            })
        };
        text.split_ascii_whitespace().map(number).collect()
    }

    /// Exactly `N` finite numbers in an attribute.
    pub(crate) fn fixed<const N: usize>(&self, key: &str) -> Result<Option<[f64; N]>, ImportError> {
        self.get(key).map(|text| self.fixed_of(key, text)).transpose()
    }

    /// Exactly `N` finite numbers in a text.
    pub(crate) fn fixed_of<const N: usize>(&self, key: &str, text: &str) -> Result<[f64; N], ImportError> {
        let numbers = self.numbers_of(key, text)?;
        let count = numbers.len();
        let wrong = || {
            self.error(format!("`{key}` of <{}> has {count} numbers; it needs {N}, all finite", self.name))
        };
        let numbers: [f64; N] = numbers.try_into().map_err(|_| wrong())?;
        if numbers.iter().all(|value| value.is_finite()) { Ok(numbers) } else { Err(wrong()) }
    }

    /// One number.
    pub(crate) fn number(&self, key: &str) -> Result<Option<f64>, ImportError> {
        Ok(self.fixed::<1>(key)?.map(|[value]| value))
    }

    /// Three numbers.
    pub(crate) fn vector(&self, key: &str) -> Result<Option<DVec3>, ImportError> {
        Ok(self.fixed::<3>(key)?.map(DVec3::from_array))
    }

    /// The text inside the child `name` as numbers.
    pub(crate) fn child_fixed<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, ImportError> {
        self.child(name).map(|child| child.fixed_of(name, &child.text)).transpose()
    }

    /// The text inside the child `name`, without blanks around it.
    pub(crate) fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim())
    }
}

fn convert(node: roxmltree::Node<'_, '_>, place: &impl Fn(usize) -> Place) -> Element {
    let attributes = node
        .attributes()
        .map(|attribute| (attribute.name().to_owned(), attribute.value().to_owned()))
        .collect();
    let mut element = Element {
        name: node.tag_name().name().to_owned(),
        attributes,
        children: Vec::new(),
        text: String::new(),
        place: place(node.range().start),
    };
    for child in node.children() {
        if child.is_element() {
            element.children.push(convert(child, place));
        } else if let (true, Some(text)) = (child.is_text(), child.text()) {
            element.text += text;
        }
    }
    element
}

/// Where elements are nested too deep, by a scan that needs no stack.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        let skip = |opening: &str, closing: &str| {
            rest.starts_with(opening).then(|| {
                rest[opening.len()..]
                    .find(closing)
                    .map_or(rest.len(), |end| opening.len() + end + closing.len())
            })
        };
        let special = skip("<!--", "-->").or_else(|| skip("<![CDATA[", "]]>")).or_else(|| skip("<?", "?>"));
        if let Some(length) = special {
            at = start + length;
            continue;
        }
        let end = tag_end(rest);
        if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !rest.starts_with("<!") && !rest[..end].ends_with("/>") {
            depth += 1;
            if depth > MAX_DEPTH {
                return Some(start);
            }
        }
        at = start + end;
    }
    None
}

/// The length of a tag that begins the text; `>` inside quotes does not end it.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'>') => return at + 1,
            _ => {}
        }
    }
    tag.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred thousand nested elements are refused with their place and do not overflow the stack.
    #[test]
    fn depth_is_bounded_before_anything_is_built() {
        let text = "<a>".repeat(100_000);
        let error = Element::parse("deep.xml", &text).unwrap_err();
        assert!(error.to_string().contains("nested more than 256"), "{error}");
        let siblings = format!("<r>{}</r>", "<a b='>'/><!-- <c> --><d></d>".repeat(1000));
        assert_eq!(Element::parse("wide.xml", &siblings).unwrap().children.len(), 2000);
    }

    /// Entities of a document type, the billion laughs among them, are refused.
    #[test]
    fn document_types_are_refused() {
        let text = "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>";
        assert!(Element::parse("laugh.xml", text).is_err());
    }
}
