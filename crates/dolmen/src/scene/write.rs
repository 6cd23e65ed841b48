//! Writes a scene as TOML or JSON that people can read: vectors on one line, long lists broken up.
//!
//! The scene comes as a JSON value whose objects keep the order of the fields. `null` stands for a number that
//! is not finite, since absent fields are left out.

use std::fmt::Write as _;

use serde_json::Value;

/// A list that would make a line longer than this is broken up, columns.
const WIDTH: usize = 100;

/// The whole scene as TOML: plain keys first, then the sections, then the lists of tables.
pub(crate) fn to_toml(scene: &Value) -> String {
    let mut text = String::new();
    let Value::Object(scene) = scene else { return text };
    let is_tables = |value: &Value| match value {
        Value::Array(elements) => elements.iter().any(Value::is_object),
        value => value.is_object(),
    };
    for (key, value) in scene.iter().filter(|(_, value)| !is_tables(value)) {
        toml_entry(&mut text, key, value);
    }
    for (key, value) in scene.iter().filter(|(_, value)| is_tables(value)) {
        let (open, close) = if value.is_array() { ("[[", "]]") } else { ("[", "]") };
        let tables = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for table in tables {
            text.extend(["\n", open, key, close, "\n"]);
            for (key, value) in table.as_object().into_iter().flatten() {
                toml_entry(&mut text, key, value);
            }
        }
    }
    text
}

fn toml_entry(text: &mut String, key: &str, value: &Value) {
    let key = if key.starts_with('$') { quoted(key) } else { key.to_owned() };
    text.extend([&key, " = "]);
    match value {
        Value::String(lines) if lines.contains('\n') => *text += &quoted_lines(lines),
        value => value_text(text, value, key.len() + 3, 0, Syntax::Toml),
    }
    text.push('\n');
}

/// The whole scene as JSON.
pub(crate) fn to_json(scene: &Value) -> String {
    let mut text = String::new();
    value_text(&mut text, scene, 0, 0, Syntax::Json);
    text.push('\n');
    text
}

#[derive(Clone, Copy, PartialEq)]
enum Syntax {
    Toml,
    Json,
}

/// `value`, the line having `column` columns already; broken up if it gets too long.
///
/// Tables inside TOML lines have no line breaks of their own, which TOML knows only since version 1.1.
fn value_text(text: &mut String, value: &Value, column: usize, depth: usize, syntax: Syntax) {
    let mut line = String::new();
    one_line(&mut line, value, syntax);
    let whole = depth == 0 && syntax == Syntax::Json;
    if !whole && column + 2 * depth + line.len() <= WIDTH {
        *text += &line;
        return;
    }
    let margin = "  ".repeat(depth);
    match (value, syntax) {
        (Value::Array(elements), _) if !elements.is_empty() => {
            let numbers = elements.iter().all(Value::is_number);
            text.push('[');
            let mut room = 0;
            for (index, element) in elements.iter().enumerate() {
                let mut line = String::new();
                one_line(&mut line, element, syntax);
                // Plain numbers share lines; all else has one each.
                if numbers && index > 0 && line.len() + 2 <= room {
                    text.extend([" ", &line]);
                    room -= line.len() + 2;
                } else {
                    text.extend(["\n", &margin, "  "]);
                    value_text(text, element, 0, depth + 1, syntax);
                    room = WIDTH.saturating_sub(2 * depth + 3 + line.len());
                }
                // JSON knows no comma after the last one, and TOML needs none.
                if index + 1 < elements.len() {
                    text.push(',');
                }
            }
            text.extend(["\n", &margin, "]"]);
        }
        (Value::Object(entries), Syntax::Json) if !entries.is_empty() => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                text.extend([if index > 0 { "," } else { "" }, "\n", &margin, "  ", &quoted(key), ": "]);
                value_text(text, value, key.len() + 4, depth + 1, syntax);
            }
            text.extend(["\n", &margin, "}"]);
        }
        // The braces stay on one line with the keys; the lists between them are broken up.
        (Value::Object(entries), Syntax::Toml) if !entries.is_empty() => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                text.extend([if index > 0 { ", " } else { " " }, key, " = "]);
                value_text(text, value, key.len() + 5, depth, syntax);
            }
            *text += " }";
        }
        _ => *text += &line,
    }
}

fn one_line(text: &mut String, value: &Value, syntax: Syntax) {
    match value {
        Value::Null => *text += if syntax == Syntax::Toml { "nan" } else { "null" },
        Value::Bool(bool) => *text += &bool.to_string(),
        Value::Number(number) => *text += &number_text(number),
        Value::String(string) => *text += &quoted(string),
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                *text += if index > 0 { ", " } else { "" };
                one_line(text, element, syntax);
            }
            text.push(']');
        }
        Value::Object(entries) => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                *text += if index > 0 { ", " } else { " " };
                match syntax {
                    Syntax::Toml => text.extend([key, " = "]),
                    Syntax::Json => text.extend([quoted(key).as_str(), ": "]),
                }
                one_line(text, value, syntax);
            }
            *text += if entries.is_empty() { "}" } else { " }" };
        }
    }
}

/// The shortest decimal that is read back as the same bits.
fn number_text(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => format!("{float:?}"),
        _ => number.to_string(),
    }
}

/// In quotes, with escapes that TOML and JSON share.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text, false))
}

/// Over several lines, TOML only. The line break after the opening quotes is not part of the text.
fn quoted_lines(text: &str) -> String {
    format!("\"\"\"\n{}\"\"\"", escaped(text, true))
}

fn escaped(text: &str, keep_newlines: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => escaped += "\\\"",
            '\\' => escaped += "\\\\",
            '\n' if keep_newlines => escaped.push('\n'),
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '\t' => escaped += "\\t",
            _ if character.is_control() => {
                write!(escaped, "\\u{:04x}", u32::from(character)).expect("text takes any text");
            }
            _ => escaped.push(character),
        }
    }
    escaped
}
