//! Text to tokens.

use std::ops::Range;

use super::Mistake;

/// A word of the little language.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Word(String),
    Quoted(String),
    Symbol(char),
}

/// All tokens of a text, each with its bytes.
///
/// # Errors
/// A character that means nothing, a quote that is not closed, a number that is none.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Mistake> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let start = at;
        let token = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '0'..='9' => {
                at += number_length(&text[at..]);
                let number = text[start..at].parse::<f64>().ok().filter(|n| n.is_finite());
                Token::Number(number.ok_or_else(|| Mistake::new(start..at, "this is not a number", None))?)
            }
            '\'' => {
                let Some(length) = text[at + 1..].find('\'') else {
                    let help = Some("names of bodies are closed by a second '".to_owned());
                    return Err(Mistake::new(start..text.len(), "the quote is not closed", help));
                };
                at += length + 2;
                Token::Quoted(text[start + 1..at - 1].to_owned())
            }
            _ if first.is_alphabetic() || first == '_' => {
                let end = text[at..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
                at = end.map_or(text.len(), |end| at + end);
                Token::Word(text[start..at].to_owned())
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | '[' | ']' | ',' | '.' => {
                at += 1;
                Token::Symbol(first)
            }
            _ => {
                let help = Some("names with such characters go in single quotes".to_owned());
                let end = start + first.len_utf8();
                return Err(Mistake::new(start..end, format!("`{first}` means nothing here"), help));
            }
        };
        found.push((token, start..at));
    }
    Ok(found)
}

/// Bytes of the number at the start of a text: 12, 1.5, 1e-3.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') && bytes.get(length + 1).is_some_and(u8::is_ascii_digit) {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(length + 1 + sign..).map_or(0, |_| digits(length + 1 + sign));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
