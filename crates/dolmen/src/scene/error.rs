//! What is wrong with a scene, where, and what to do about it.

use std::fmt;
use std::ops::Range;

use super::place::{PathSegment, Span};

/// Something wrong at a place of a [`super::Scene`], which need not have come from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Where in the scene.
    pub path: Vec<PathSegment>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where in the sources, when that is known better than by the path.
    pub(crate) span: Option<Span>,
}

impl Problem {
    /// A problem of the value at `path`.
    pub fn new(path: Vec<PathSegment>, message: impl Into<String>, help: Option<String>) -> Self {
        Self { path, message: message.into(), help, span: None }
    }

    /// A problem of the text, before there is a scene.
    pub(crate) fn at_span(span: Span, message: impl Into<String>, help: Option<String>) -> Self {
        Self { path: Vec::new(), message: message.into(), help, span: Some(span) }
    }
}

/// A text that was read: a scene file, a file that it includes, or an override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name of the file as it was given, or `override`.
    pub name: String,
    /// All of the text.
    pub text: String,
    /// The source that includes it, and the byte there at which it does.
    pub included_at: Option<(usize, usize)>,
}

impl Source {
    /// A text that nothing includes.
    pub fn new(name: String, text: String) -> Self {
        Self { name, text, included_at: None }
    }

    /// Line and column of the byte `at`, both from 1, the column in characters.
    ///
    /// A byte inside a character counts as its beginning, one past the end as the end.
    pub fn line_column(&self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at.min(self.text.len()));
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// The line around the byte `at`, without its end, and the byte at which it begins.
    fn line_around(&self, at: usize) -> (usize, &str) {
        let at = self.text.floor_char_boundary(at.min(self.text.len()));
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        let line = &self.text[start..end];
        (start, line.strip_suffix('\r').unwrap_or(line))
    }
}

/// One mistake in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The place in the scene, such as `body "top".mass` or `force[2].stiffness`; empty for a mistake of
    /// syntax.
    pub path: String,
    /// Which of [`SceneErrors::sources`].
    pub source: usize,
    /// The offending bytes of that source; empty when something is missing there.
    pub span: Range<usize>,
    /// What is wrong, beginning with a small letter, without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A scene that was refused: all the mistakes that were found, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SceneErrors {
    /// What was read.
    pub sources: Vec<Source>,
    /// At least one.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more were found than are kept in `diagnostics`.
    pub omitted: usize,
}

impl SceneErrors {
    /// The most diagnostics that are kept.
    pub const MOST: usize = 100;

    /// Orders the diagnostics by place, drops repetitions and keeps the first [`SceneErrors::MOST`].
    pub fn new(sources: Vec<Source>, mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by_key(|diagnostic| (diagnostic.source, diagnostic.span.start));
        diagnostics.dedup();
        // The copies of a repeat have the same mistake at the same place: the first one speaks for all.
        let without_numbers =
            |text: &str| text.replace(|c: char| c.is_ascii_digit() || ".e-".contains(c), "");
        let mut seen = std::collections::BTreeSet::new();
        diagnostics.retain(|diagnostic| {
            let text = without_numbers(&diagnostic.message);
            seen.insert((diagnostic.source, diagnostic.span.start, diagnostic.span.end, text))
        });
        let omitted = diagnostics.len().saturating_sub(Self::MOST);
        diagnostics.truncate(Self::MOST);
        Self { sources, diagnostics, omitted }
    }

    /// A single mistake that concerns a whole source, such as a file that is not there.
    pub(crate) fn whole(name: &str, message: String, help: Option<&str>) -> Self {
        let source = Source::new(name.to_owned(), String::new());
        let help = help.map(str::to_owned);
        let diagnostic = Diagnostic { path: String::new(), source: 0, span: 0..0, message, help };
        Self::new(vec![source], vec![diagnostic])
    }

    fn write_one(&self, f: &mut fmt::Formatter<'_>, diagnostic: &Diagnostic) -> fmt::Result {
        let message = &diagnostic.message;
        let Some(source) = self.sources.get(diagnostic.source) else {
            return writeln!(f, "error: {message}");
        };
        if source.text.is_empty() {
            writeln!(f, "{}: error: {message}", source.name)?;
        } else {
            let (line, column) = source.line_column(diagnostic.span.start);
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            let excerpt = Excerpt::new(source, &diagnostic.span);
            writeln!(f, "{}:{line}:{column}: error: {message}", source.name)?;
            writeln!(f, " {margin} |")?;
            writeln!(f, " {number} | {}", excerpt.line)?;
            writeln!(f, " {margin} | {}{}", " ".repeat(excerpt.indent), "^".repeat(excerpt.width))?;
        }
        let mut included_at = source.included_at;
        while let Some((outer, at)) = included_at {
            let Some(source) = self.sources.get(outer) else { break };
            let (line, column) = source.line_column(at);
            writeln!(f, "  included at: {}:{line}:{column}", source.name)?;
            included_at = source.included_at;
        }
        if !diagnostic.path.is_empty() {
            writeln!(f, "  in: {}", diagnostic.path)?;
        }
        if let Some(help) = &diagnostic.help {
            writeln!(f, "  help: {help}")?;
        }
        Ok(())
    }
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            self.write_one(f, diagnostic)?;
        }
        match self.omitted {
            0 => Ok(()),
            omitted => writeln!(f, "\n… and {omitted} more"),
        }
    }
}

/// A line of a source as a terminal can show it, and what to underline in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Tabs as four blanks, other control characters as `�`, at most about a hundred columns around the span.
    pub line: String,
    /// Columns before the underline.
    pub indent: usize,
    /// Columns of the underline, at least 1; it ends with the line if the span goes on.
    pub width: usize,
}

impl Excerpt {
    /// The line of `source` in which `span` begins.
    pub fn new(source: &Source, span: &Range<usize>) -> Self {
        const WHOLE: usize = 100;
        const BEFORE: usize = 40;
        const AFTER: usize = 60;
        let (start, line) = source.line_around(span.start);
        let inside = |at: usize| line.floor_char_boundary(at.saturating_sub(start).min(line.len()));
        let (from, to) = (inside(span.start), inside(span.end.max(span.start)));

        let (head, marked, tail) = (&line[..from], &line[from..to], &line[to..]);
        let is_short = line.chars().take(WHOLE + 1).count() <= WHOLE;
        let (before, after) = if is_short { (WHOLE, WHOLE) } else { (BEFORE, AFTER) };
        let head_length = head.chars().count();
        let mut text = String::new();
        if head_length > before {
            text.push('…');
            text.extend(head.chars().skip(head_length - before).map(printable));
        } else {
            text.extend(head.chars().map(printable));
        }
        let text_before = spread(&text);
        let marked_shown: String = marked.chars().take(after).map(printable).collect();
        let marked_shown = spread(&marked_shown);
        let mut rest: String = tail.chars().take(after).map(printable).collect();
        if marked.chars().nth(after).is_some() {
            "…".clone_into(&mut rest);
        } else if tail.chars().nth(after).is_some() {
            rest.push('…');
        }
        Self {
            indent: columns(&text_before),
            width: columns(&marked_shown).max(1),
            line: text_before + &marked_shown + &spread(&rest),
        }
    }
}

fn spread(text: &str) -> String {
    text.replace('\t', "    ")
}

/// Nothing that could move the cursor or reverse the direction of writing reaches the terminal.
fn printable(character: char) -> char {
    match character {
        '\t' => '\t',
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => {
            '\u{fffd}'
        }
        _ if character.is_control() => '\u{fffd}',
        _ => character,
    }
}

/// How many columns of a terminal `text` takes: two for the wide characters of East Asia and emoji, none for
/// combining marks. An approximation of Unicode Standard Annex 11 by its large blocks.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|character| match u32::from(character) {
            0x0300..=0x036f | 0x200b..=0x200d | 0xfe00..=0xfe0f => 0,
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60
            | 0x1f300..=0x1faff
            | 0x20000..=0x3fffd => 2,
            _ => 1,
        })
        .sum()
}
