//! Texts of other formats, read by the rules of scene files: TOML or JSON, every mistake in its place.

use serde::de::DeserializeOwned;

use super::decode;
use super::error::{Diagnostic, Problem, SceneErrors, Source};
use super::layout::Layout;
use super::node::Node;
use super::place::PathSegment;
use super::read::Reader;

/// A value of another format with the text that it came from.
///
/// ```
/// use dolmen::scene::Typed;
///
/// #[derive(Debug, serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Note {
///     text: String,
/// }
///
/// let errors = Typed::<Note>::parse("note.toml", "txt = \"hello\"\n").unwrap_err();
/// assert!(errors.to_string().starts_with("note.toml:1:1: error: unknown key `txt`"));
/// ```
#[derive(Debug, Clone)]
pub struct Typed<T> {
    source: Source,
    layout: Layout,
    value: T,
}

impl<T: DeserializeOwned> Typed<T> {
    /// Reads a value from a text: JSON if the text begins with `{`, else TOML. `name` is what messages call the text.
    ///
    /// # Errors
    /// All mistakes that can be found.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneErrors> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.len() as u64 > super::MAX_BYTES {
            return Err(super::too_large(name, text.len() as u64));
        }
        let source = Source::new(name.to_owned(), text.to_owned());
        let reader = Reader::new(0, 0, text);
        let read = if text.trim_start().starts_with('{') { reader.json() } else { reader.toml() };
        let refuse = |root: Option<&Node>, problems: Vec<Problem>| {
            let layout = root.cloned().map(Layout::new);
            let diagnostics = problems
                .into_iter()
                .map(|problem| super::diagnostic(layout.as_ref(), &[], problem))
                .collect();
            Err(SceneErrors::new(vec![source.clone()], diagnostics))
        };
        let root = match read {
            Ok(root) => root,
            Err(problems) => return refuse(None, problems),
        };
        let mut problems = Vec::new();
        match decode::decode_element(&root, &[], &mut problems) {
            Some(value) if problems.is_empty() => Ok(Self { source, layout: Layout::new(root), value }),
            _ => refuse(Some(&root), problems),
        }
    }

    /// What was read.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// A mistake at `path`: shown at the value there, or at its nearest ancestor that is in the text.
    pub fn diagnostic_at(
        &self,
        path: &[PathSegment],
        message: impl Into<String>,
        help: Option<String>,
    ) -> Diagnostic {
        super::diagnostic(Some(&self.layout), &[], Problem::new(path.to_vec(), message, help))
    }

    /// A mistake in the text at `path`: `within` are the bytes of that text, between its quotes.
    pub fn diagnostic_within(
        &self,
        path: &[PathSegment],
        within: &std::ops::Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Diagnostic {
        let mut found = self.diagnostic_at(path, message, help);
        let written = self.source.text.get(found.span.clone()).unwrap_or("");
        // With escapes or three quotes the bytes are others: then all of the text is shown.
        let is_plain = written.len() >= 2
            && written.starts_with(['"', '\''])
            && !written.starts_with("\"\"")
            && !written.contains('\\');
        if is_plain && found.span.start + 1 + within.end < found.span.end {
            let start = found.span.start + 1;
            found.span = start + within.start..start + within.end;
        }
        found
    }

    /// A refusal of this text for what was found after it was read.
    pub fn errors(&self, diagnostics: Vec<Diagnostic>) -> SceneErrors {
        SceneErrors::new(vec![self.source.clone()], diagnostics)
    }
}
