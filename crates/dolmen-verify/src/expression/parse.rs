//! Tokens to a tree, by recursive descent.
//!
//! ```text
//! sum     = product (('+' | '-') product)*
//! product = signed (('*' | '/') signed)*
//! signed  = '-' signed | power
//! power   = postfix ('^' signed)?
//! postfix = primary ('.' word)*
//! primary = number | 'name' | word ('(' sum (',' sum)* ')')? | '(' sum ')' | '[' sum (',' sum)* ']'
//! ```

use std::ops::Range;

use super::token::{Token, tokens};
use super::{Mistake, Node, NodeKind};

/// Brackets in brackets.
const MOST_DEPTH: usize = 50;

/// Numbers, words and signs of an expression: what is built of them is as deep as this at most.
const MOST_TOKENS: usize = 1000;

/// Reads a whole text.
///
/// # Errors
/// The first mistake.
pub(super) fn parse(text: &str) -> Result<Node, Mistake> {
    let tokens = tokens(text)?;
    if let Some((_, at)) = tokens.get(MOST_TOKENS) {
        return Err(too_much(at.clone(), "the expression is too long"));
    }
    let mut parser = Parser { tokens, next: 0, end: text.len(), depth: 0 };
    let node = parser.sum()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.unexpected("the end")),
    }
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    end: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn take(&mut self, symbols: &[char]) -> Option<char> {
        match self.peek() {
            Some(Token::Symbol(symbol)) if symbols.contains(symbol) => {
                let symbol = *symbol;
                self.next += 1;
                Some(symbol)
            }
            _ => None,
        }
    }

    /// Where the next token is.
    fn here(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.end..self.end, |(_, at)| at.clone())
    }

    fn unexpected(&self, expected: &str) -> Mistake {
        let found = match self.peek() {
            None => "the expression ends".to_owned(),
            Some(Token::Number(number)) => format!("found {number}"),
            Some(Token::Word(word)) => format!("found `{word}`"),
            Some(Token::Quoted(name)) => format!("found '{name}'"),
            Some(Token::Symbol(symbol)) => format!("found `{symbol}`"),
        };
        let help = "`docs/verify.md` says how expressions are written".to_owned();
        Mistake::new(self.here(), format!("expected {expected}, {found}"), Some(help))
    }

    fn sum(&mut self) -> Result<Node, Mistake> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(too_much(self.here(), "brackets are nested too deep"));
        }
        let mut node = self.product()?;
        while let Some(symbol) = self.take(&['+', '-']) {
            node = binary(symbol, node, self.product()?);
        }
        self.depth -= 1;
        Ok(node)
    }

    fn product(&mut self) -> Result<Node, Mistake> {
        let mut node = self.signed()?;
        while let Some(symbol) = self.take(&['*', '/']) {
            node = binary(symbol, node, self.signed()?);
        }
        Ok(node)
    }

    fn signed(&mut self) -> Result<Node, Mistake> {
        let start = self.here().start;
        if self.take(&['-']).is_none() {
            return self.power();
        }
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(too_much(self.here(), "too many signs in a row"));
        }
        let inner = self.signed()?;
        self.depth -= 1;
        let at = start..inner.at.end;
        Ok(Node { kind: NodeKind::Minus(Box::new(inner)), at })
    }

    fn power(&mut self) -> Result<Node, Mistake> {
        let base = self.postfix()?;
        match self.take(&['^']) {
            Some(symbol) => Ok(binary(symbol, base, self.signed()?)),
            None => Ok(base),
        }
    }

    fn postfix(&mut self) -> Result<Node, Mistake> {
        let mut node = self.primary()?;
        while self.take(&['.']).is_some() {
            let Some(Token::Word(word)) = self.peek().cloned() else {
                return Err(self.unexpected("the name of a part after `.`"));
            };
            let at = node.at.start..self.here().end;
            self.next += 1;
            node = Node { kind: NodeKind::Field(Box::new(node), word), at };
        }
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, Mistake> {
        let at = self.here();
        match self.peek().cloned() {
            Some(Token::Number(number)) => {
                self.next += 1;
                Ok(Node { kind: NodeKind::Number(number), at })
            }
            Some(Token::Quoted(name)) => {
                self.next += 1;
                Ok(Node { kind: NodeKind::Quoted(name), at })
            }
            Some(Token::Word(word)) => {
                self.next += 1;
                let arguments = match self.take(&['(']) {
                    Some(_) => self.until(')')?,
                    None => Vec::new(),
                };
                let end = self.tokens[self.next - 1].1.end;
                Ok(Node { kind: NodeKind::Word(word, arguments), at: at.start..end })
            }
            Some(Token::Symbol('(')) => {
                self.next += 1;
                let inner = self.sum()?;
                match self.take(&[')']) {
                    Some(_) => Ok(inner),
                    None => Err(self.unexpected("`)`")),
                }
            }
            Some(Token::Symbol('[')) => {
                self.next += 1;
                let parts = self.until(']')?;
                let end = self.tokens[self.next - 1].1.end;
                Ok(Node { kind: NodeKind::List(parts), at: at.start..end })
            }
            _ => Err(self.unexpected("a number, a name or a function")),
        }
    }

    /// Expressions with commas between, up to a closing bracket; at least one.
    fn until(&mut self, closing: char) -> Result<Vec<Node>, Mistake> {
        let mut parts = vec![self.sum()?];
        loop {
            match self.take(&[',', closing]) {
                Some(',') => parts.push(self.sum()?),
                Some(_) => return Ok(parts),
                None => return Err(self.unexpected(&format!("`,` or `{closing}`"))),
            }
        }
    }
}

fn too_much(at: Range<usize>, message: &str) -> Mistake {
    Mistake::new(at, message, Some("write several expectations, each of a part".to_owned()))
}

fn binary(symbol: char, left: Node, right: Node) -> Node {
    let at = left.at.start..right.at.end;
    Node { kind: NodeKind::Binary(symbol, Box::new([left, right])), at }
}
