//! Mistakes in the words of an expression, before anything runs.

use dolmen::scene::suggestion;

use super::evaluate::MATHEMATICS;
use super::{Expression, Mistake, Node, NodeKind};

/// The words that a quantity may be made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spoken<'a> {
    /// Word and arguments: n a name, v a value, e an expression; from the first capital letter on they may be left out.
    pub(crate) words: &'a [(&'a str, &'a str)],
    /// Parts of what `event` returns.
    pub(crate) parts: &'a [&'a str],
    /// Names of numbers.
    pub(crate) variables: &'a [String],
}

/// Finds all unknown words, parts that nothing has, and wrong counts of arguments.
pub(crate) fn check(expression: &Expression, spoken: &Spoken) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    check_node(&expression.node, spoken, &mut mistakes);
    mistakes
}

fn check_node(node: &Node, spoken: &Spoken, mistakes: &mut Vec<Mistake>) {
    match &node.kind {
        NodeKind::Number(_) => {}
        NodeKind::Quoted(name) => mistakes.push(Mistake::new(
            node.at.clone(),
            format!("'{name}' is a name, not a quantity"),
            Some(format!("ask for something of it, such as position('{name}')")),
        )),
        NodeKind::List(parts) => parts.iter().for_each(|part| check_node(part, spoken, mistakes)),
        NodeKind::Minus(inner) => check_node(inner, spoken, mistakes),
        NodeKind::Binary(_, parts) => parts.iter().for_each(|part| check_node(part, spoken, mistakes)),
        NodeKind::Field(inner, name) => {
            let known: Vec<&str> = ["x", "y", "z", "w"].iter().chain(spoken.parts).copied().collect();
            if !known.contains(&name.as_str()) {
                let help = suggestion(name, &known);
                let at = node.at.end - name.len()..node.at.end;
                mistakes.push(Mistake::new(at, format!("there is no part `{name}`"), help));
            }
            check_node(inner, spoken, mistakes);
        }
        NodeKind::Word(word, parts) => check_word(node, word, parts, (spoken, mistakes)),
    }
}

fn check_word(node: &Node, word: &str, parts: &[Node], (spoken, mistakes): (&Spoken, &mut Vec<Mistake>)) {
    if parts.is_empty() && (["pi", "deg"].contains(&word) || spoken.variables.iter().any(|v| v == word)) {
        return;
    }
    let at = node.at.start..node.at.start + word.len();
    let given = parts.len();
    if let Some((_, takes)) = spoken.words.iter().find(|(other, _)| *other == word) {
        let needed = takes.bytes().take_while(u8::is_ascii_lowercase).count();
        if given < needed || given > takes.len() {
            let range = if needed == takes.len() {
                needed.to_string()
            } else {
                format!("{needed} to {}", takes.len())
            };
            mistakes.push(Mistake::new(
                at,
                format!("`{word}` takes {range} arguments, here are {given}"),
                None,
            ));
        }
        for (part, takes) in parts.iter().zip(takes.bytes()) {
            let is_name = match &part.kind {
                NodeKind::Quoted(_) => true,
                NodeKind::Word(_, inner) => inner.is_empty(),
                _ => false,
            };
            if !takes.eq_ignore_ascii_case(&b'n') {
                check_node(part, spoken, mistakes);
            } else if !is_name {
                let help = Some("write it as it is, or in single quotes: position('cube 01')".to_owned());
                mistakes.push(Mistake::new(part.at.clone(), format!("`{word}` needs a name here"), help));
            }
        }
        return;
    }
    if let Some((_, count)) = MATHEMATICS.iter().find(|(other, _)| *other == word) {
        if given != *count {
            mistakes.push(Mistake::new(
                at,
                format!("`{word}` takes {count} arguments, here are {given}"),
                None,
            ));
        }
        for part in parts {
            check_node(part, spoken, mistakes);
        }
        return;
    }
    let known: Vec<&str> = spoken
        .words
        .iter()
        .map(|(word, _)| *word)
        .chain(MATHEMATICS.iter().map(|(word, _)| *word))
        .chain(spoken.variables.iter().map(String::as_str))
        .chain(["pi", "deg"])
        .collect();
    mistakes.push(Mistake::new(at, format!("unknown quantity `{word}`"), suggestion(word, &known)));
}
