//! Expressions: what a quantity is, and what it should be.
//!
//! Numbers, vectors in brackets, `+ - * / ^`, components, functions, and the words of whatever is asked: of a run, a solver
//! or a measurement. `docs/verify.md` lists them.

mod check;
mod evaluate;
mod parse;
#[cfg(test)]
mod tests;
mod token;
mod value;

pub(crate) use check::{Spoken, check};
pub(crate) use evaluate::{Argument, Known, Variables, evaluate};
pub(crate) use value::Value;

use std::fmt;
use std::ops::Range;

/// An expression with its text.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    /// As it was written.
    pub(crate) text: String,
    /// What it says.
    pub(crate) node: Node,
}

/// A piece of an expression and its bytes.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) at: Range<usize>,
}

/// What a piece of an expression is.
#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    /// A number.
    Number(f64),
    /// A name in quotes.
    Quoted(String),
    /// A word, with arguments if there were brackets: a variable, a constant, a function, or the name of a body.
    Word(String, Vec<Node>),
    /// Numbers in brackets.
    List(Vec<Node>),
    /// −x.
    Minus(Box<Node>),
    /// x op y.
    Binary(char, Box<[Node; 2]>),
    /// x.field
    Field(Box<Node>, String),
}

/// Without places: equal expressions look alike.
impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.kind)
    }
}

/// A mistake in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// Which bytes of the text.
    pub(crate) at: Range<usize>,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

impl Mistake {
    pub(crate) fn new(at: Range<usize>, message: impl Into<String>, help: Option<String>) -> Self {
        Self { at, message: message.into(), help }
    }
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first mistake of syntax.
    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        Ok(Self { text: text.to_owned(), node: parse::parse(text)? })
    }

    /// Its number, if it hangs on nothing but variables.
    pub(crate) fn constant(&self, variables: &Variables) -> Option<f64> {
        evaluate(&self.node, &mut evaluate::Nothing, variables).ok()?.number().ok()
    }

    /// Every piece, from the outside in.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        self.node.walk(visit);
    }
}

impl Node {
    fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        visit(self);
        match &self.kind {
            NodeKind::Number(_) | NodeKind::Quoted(_) => {}
            NodeKind::Word(_, parts) | NodeKind::List(parts) => {
                for part in parts {
                    part.walk(visit);
                }
            }
            NodeKind::Minus(inner) | NodeKind::Field(inner, _) => inner.walk(visit),
            NodeKind::Binary(_, parts) => parts.iter().for_each(|part| part.walk(visit)),
        }
    }
}

/// Replaces every `{expression}` of a text by its value.
///
/// # Errors
/// A mistake, with its place in the text, or what could not be evaluated.
pub(crate) fn fill_in(text: &str, variables: &Variables) -> Result<String, Mistake> {
    let mut filled = String::new();
    let mut rest = 0;
    while let Some(open) = text[rest..].find('{').map(|i| i + rest) {
        filled.push_str(&text[rest..open]);
        let close = text[open..].find('}').map(|i| i + open);
        let inside = close.map(|close| &text[open + 1..close]);
        // A TOML table has braces as well: those with `=` inside are not ours.
        match (inside, close) {
            (Some(inside), Some(close)) if !inside.contains('=') => {
                let shift = |mistake: Mistake| {
                    let at = mistake.at.start + open + 1..mistake.at.end + open + 1;
                    Mistake { at, ..mistake }
                };
                if let Some(value) = variables.text(inside.trim()) {
                    filled.push_str(&value);
                } else {
                    let expression = Expression::parse(inside).map_err(shift)?;
                    let value = evaluate(&expression.node, &mut evaluate::Nothing, variables)
                        .map_err(|message| Mistake::new(open..close + 1, message, None))?;
                    filled.push_str(&value.to_string());
                }
                rest = close + 1;
            }
            _ => {
                filled.push('{');
                rest = open + 1;
            }
        }
    }
    filled.push_str(&text[rest..]);
    Ok(filled)
}
