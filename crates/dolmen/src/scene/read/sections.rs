//! Where the elements of lists are in a long TOML text: `[[body]]` and what follows, up to the next header that is not a part of it.
//!
//! The parser keeps some thirty bytes for each byte of a text. A million bodies are a hundred megabytes, so they are given to the
//! parser one by one. What is wrong with a text is for the parser to say: here it matters only that nothing is cut within a
//! string or a list.

use std::ops::Range;

/// One element of a list.
pub(super) struct Section {
    pub(super) list: &'static str,
    /// From its header to the next one that is not a part of it.
    pub(super) range: Range<usize>,
}

/// A line `[…]` or `[[…]]`.
struct Header<'t> {
    at: usize,
    /// The first part of its key, if that has no quotes.
    first: Option<&'t str>,
    /// Whether that is all of the key.
    is_single: bool,
    is_array: bool,
}

/// The elements of these lists at the top of a text.
pub(super) fn sections(text: &str, lists: &[&'static str]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Option<(&'static str, usize)> = None;
    for header in headers(text) {
        let is_part = open.is_some_and(|(list, _)| header.first == Some(list) && !header.is_single);
        if is_part {
            continue;
        }
        sections.extend(open.take().map(|(list, start)| Section { list, range: start..header.at }));
        let list = lists.iter().find(|list| header.first == Some(**list));
        open = list.filter(|_| header.is_array && header.is_single).map(|list| (*list, header.at));
    }
    sections.extend(open.map(|(list, start)| Section { list, range: start..text.len() }));
    sections
}

fn headers(text: &str) -> Vec<Header<'_>> {
    let bytes = text.as_bytes();
    let mut headers = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'[' => {
                let end = line_end(bytes, at);
                headers.push(header(&text[at..end], at));
                at = end;
            }
            _ => at = statement_end(bytes, at),
        }
    }
    headers
}

fn header(line: &str, at: usize) -> Header<'_> {
    let is_array = line.starts_with("[[");
    let key = line.trim_start_matches('[').trim_start();
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let length = key.find(|c| !is_bare(c)).unwrap_or(key.len());
    let first = (length > 0).then(|| &key[..length]);
    Header { at, first, is_single: key[length..].trim_start().starts_with(']'), is_array }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// The end of `key = value`, which may have many lines, or of a comment.
fn statement_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' if depth == 0 => return at,
            b'#' => at = line_end(bytes, at),
            b'"' | b'\'' => at = string_end(bytes, at),
            b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ => at += 1,
        }
    }
    at
}

/// The byte after a text in quotes; one of a single line ends with the line at the latest.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let is_long = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if is_long { 3 } else { 1 };
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 2,
            b'\n' if !is_long => return at,
            byte if *byte == quote && !is_long => return at + 1,
            byte if *byte == quote && bytes[at..].starts_with(&[quote; 3]) => {
                // The last two characters may be quotes as well.
                let more = bytes[at + 3..].iter().take(2).take_while(|byte| **byte == quote).count();
                return at + 3 + more;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brackets in strings, lists and comments are no headers; parts of an element stay with it.
    #[test]
    fn elements_are_found() {
        let text = "a = \"\"\"\n[[body]]\n\"\"\"\"\n# [[body]]\nb = [\n[[1]],\n'[[body]]', # ]\n]\n[[body]]\nx = '\"'\n\
                    [body.shape]\n[[body.shape.parts]]\n[run]\n  [[ body ]] # z\ny = \"\\\"[[\"\n[[body.z]]\n[[force]]\n[\"q\"]\n[[other]]\n";
        let found: Vec<(&str, &str)> =
            sections(text, &["body", "force"]).into_iter().map(|s| (s.list, text[s.range].trim())).collect();
        assert_eq!(
            found,
            [
                ("body", "[[body]]\nx = '\"'\n[body.shape]\n[[body.shape.parts]]"),
                ("body", "[[ body ]] # z\ny = \"\\\"[[\"\n[[body.z]]"),
                ("force", "[[force]]"),
            ]
        );
    }

    /// What is cut short ends with the text.
    #[test]
    fn unfinished_texts_end() {
        for text in [
            "[[body",
            "[[body]]\nx = \"",
            "x = \"\"\"\n[[body]]",
            "x = [\n[[body]]",
            "x = \"\\",
            "'''",
            "[[body]]\n[[",
        ] {
            for section in sections(text, &["body"]) {
                assert!(section.range.end <= text.len(), "{text}");
            }
        }
    }
}
