//! Source files as words and marks: without comments, strings and what only tests see.

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust files under a folder, in the order of their paths, with their text.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The words (identifiers, keywords, numbers) and marks of a source; `::` is one mark, a lifetime is none.
///
/// Comments, strings and characters are left out, and so is every item under `#[cfg(test)]`.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let all = split(text);
    let word = |i: usize| all.get(i).map_or("", String::as_str);
    let mut kept = Vec::with_capacity(all.len());
    let mut at = 0;
    while at < all.len() {
        let marks = ["#", "[", "cfg", "(", "test", ")", "]"];
        if marks.iter().enumerate().all(|(k, mark)| word(at + k) == *mark) {
            at = end_of_item(&all, at + marks.len());
        } else {
            kept.push(all[at].clone());
            at += 1;
        }
    }
    kept
}

/// The place after the item that begins at `at`: after its semicolon, or its outermost braces.
fn end_of_item(all: &[String], mut at: usize) -> usize {
    let mut depth = 0;
    while at < all.len() {
        match all[at].as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

fn split(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut found = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c == '/' && at(i + 1) == '/' {
            i = (i..chars.len()).find(|k| chars[*k] == '\n').unwrap_or(chars.len());
        } else if c == '/' && at(i + 1) == '*' {
            i = after_block_comment(&chars, i);
        } else if c == '"' {
            i = after_string(&chars, i);
        } else if let Some(end) = after_raw_string(&chars, i) {
            i = end;
        } else if c == '\'' {
            i = after_quote(&chars, i);
        } else if is_word(c) {
            let end = (i..chars.len()).find(|k| !is_word(chars[*k])).unwrap_or(chars.len());
            found.push(chars[i..end].iter().collect());
            i = end;
        } else if c == ':' && at(i + 1) == ':' {
            found.push("::".to_owned());
            i += 2;
        } else {
            if !c.is_whitespace() {
                found.push(c.to_string());
            }
            i += 1;
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Block comments nest.
fn after_block_comment(chars: &[char], start: usize) -> usize {
    let (mut depth, mut i) = (0, start);
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') if depth == 1 => return i + 2,
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
    }
    chars.len()
}

fn after_string(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

/// Of `r"…"` and `r#"…"#` with any number of hashes.
fn after_raw_string(chars: &[char], start: usize) -> Option<usize> {
    if chars[start] != 'r' {
        return None;
    }
    let hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    let open = start + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let ends = |i: &usize| {
        chars[*i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    Some((open + 1..chars.len()).find(ends).map_or(chars.len(), |i| i + 1 + hashes))
}

/// Of a character, or of the name of a lifetime.
fn after_quote(chars: &[char], start: usize) -> usize {
    match (chars.get(start + 1), chars.get(start + 2)) {
        (Some('\\'), _) => {
            (start + 3..chars.len()).find(|i| chars[*i] == '\'').map_or(chars.len(), |i| i + 1)
        }
        (Some(_), Some('\'')) => start + 3,
        _ => (start + 1..chars.len()).find(|i| !is_word(chars[*i])).unwrap_or(chars.len()),
    }
}
