//! Expressions: `2*r + gap`, `sin(30 deg)`, `heights[i]`.
//!
//! A small language over numbers, texts and lists, without loops or effects. Text becomes a tree once; the tree is evaluated for
//! every copy. Depth and length are bounded, so that no text can exhaust the stack.

use std::ops::Range;

use super::value::{Operator, Value, call};
use crate::scene::quantity;
use crate::scene::tolerances::{DEEPEST_EXPRESSION, LONGEST_EXPRESSION};

/// What is wrong with an expression, and at which of its bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mistake {
    pub(crate) at: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Mistake {
    pub(crate) fn new(at: Range<usize>, message: impl Into<String>, help: Option<String>) -> Self {
        Self { at, message: message.into(), help }
    }
}

/// Looks up a variable; else a message and a remedy.
pub(crate) type Resolve<'r> = dyn Fn(&str) -> Result<Value, (String, Option<String>)> + 'r;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression {
    term: Term,
    at: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Term {
    Constant(Value),
    Variable(String),
    List(Vec<Expression>),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Operation(Operator, Box<Expression>, Box<Expression>),
    Index(Box<Expression>, Box<Expression>),
    Call(String, Vec<Expression>),
}

/// Operators by how strongly they bind, longer ones first.
const OPERATORS: [(&str, Operator, u8); 16] = [
    ("||", Operator::Or, 1),
    ("or", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("and", Operator::And, 2),
    ("==", Operator::Equal, 3),
    ("!=", Operator::Unequal, 3),
    ("<=", Operator::LessEqual, 3),
    (">=", Operator::GreaterEqual, 3),
    ("<", Operator::Less, 3),
    (">", Operator::Greater, 3),
    ("+", Operator::Add, 4),
    ("-", Operator::Subtract, 4),
    ("*", Operator::Multiply, 5),
    ("/", Operator::Divide, 5),
    ("%", Operator::Remainder, 5),
    ("^", Operator::Power, 7),
];

/// The sign binds tighter than products and looser than powers: −2^2 is −4.
const SIGN: u8 = 6;

impl Expression {
    /// Parses a whole text.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn parse(text: &str) -> Result<Self, Mistake> {
        if text.len() > LONGEST_EXPRESSION {
            let message =
                format!("an expression has at most {LONGEST_EXPRESSION} bytes, and this has {}", text.len());
            return Err(Mistake::new(
                0..text.len(),
                message,
                Some("name parts of it under [let]".to_owned()),
            ));
        }
        let mut parser = Parser { text, at: 0, depth: 0 };
        let expression = parser.expression(0)?;
        parser.blanks();
        if parser.at < text.len() {
            return Err(parser.unexpected("an operator"));
        }
        Ok(expression)
    }

    /// All variables that it names.
    pub(crate) fn variables<'e>(&'e self, found: &mut Vec<&'e str>) {
        match &self.term {
            Term::Constant(_) => {}
            Term::Variable(name) => found.push(name),
            Term::List(terms) | Term::Call(_, terms) => terms.iter().for_each(|term| term.variables(found)),
            Term::Negative(term) | Term::Not(term) => term.variables(found),
            Term::Operation(_, a, b) | Term::Index(a, b) => {
                a.variables(found);
                b.variables(found);
            }
        }
    }

    /// Its value, variables being looked up by `resolve`.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn value(&self, resolve: &Resolve<'_>) -> Result<Value, Mistake> {
        let here = |message: String| Mistake::new(self.at.clone(), message, None);
        match &self.term {
            Term::Constant(value) => Ok(value.clone()),
            Term::Variable(name) => {
                resolve(name).map_err(|(message, help)| Mistake::new(self.at.clone(), message, help))
            }
            Term::List(terms) => {
                terms.iter().map(|term| term.value(resolve)).collect::<Result<_, _>>().map(Value::List)
            }
            Term::Negative(term) => term.value(resolve)?.negative().map_err(here),
            Term::Not(term) => term.value(resolve)?.truth().map(|truth| Value::Bool(!truth)).map_err(here),
            // What is not needed is not evaluated: `i > 0 and p[i - 1] < 2`.
            Term::Operation(operator @ (Operator::And | Operator::Or), a, b) => {
                let first = a.value(resolve)?.truth().map_err(here)?;
                if first == (*operator == Operator::Or) {
                    return Ok(Value::Bool(first));
                }
                b.value(resolve)?.truth().map(Value::Bool).map_err(here)
            }
            Term::Operation(operator, a, b) => {
                a.value(resolve)?.operation(*operator, &b.value(resolve)?).map_err(here)
            }
            Term::Index(list, index) => list.value(resolve)?.index(&index.value(resolve)?).map_err(here),
            Term::Call(name, terms) if name == "if" && terms.len() == 3 => {
                let condition = terms[0].value(resolve)?.truth().map_err(here)?;
                terms[if condition { 1 } else { 2 }].value(resolve)
            }
            Term::Call(name, terms) => {
                let values: Vec<Value> =
                    terms.iter().map(|term| term.value(resolve)).collect::<Result<_, _>>()?;
                call(name, &values).map_err(here)
            }
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn unexpected(&mut self, wanted: &str) -> Mistake {
        self.blanks();
        match self.rest().chars().next() {
            Some(found) => {
                let at = self.at..self.at + found.len_utf8();
                Mistake::new(at, format!("expected {wanted}, found `{}`", found.escape_debug()), None)
            }
            None => {
                Mistake::new(self.at..self.at, format!("expected {wanted}, and the expression ends"), None)
            }
        }
    }

    /// The operator that comes next, with how strongly it binds.
    fn operator(&mut self) -> Option<(&'static str, Operator, u8)> {
        self.blanks();
        let rest = self.rest();
        let is_word = |token: &str| token.starts_with(char::is_alphabetic);
        let ends = |token: &str| !rest[token.len()..].starts_with(is_name);
        OPERATORS.into_iter().find(|(token, ..)| rest.starts_with(token) && (!is_word(token) || ends(token)))
    }

    /// Precedence climbing: all that binds at least as strongly as `least`.
    fn expression(&mut self, least: u8) -> Result<Expression, Mistake> {
        self.depth += 1;
        if self.depth > DEEPEST_EXPRESSION {
            let message = format!("an expression is at most {DEEPEST_EXPRESSION} deep");
            return Err(Mistake::new(
                self.at..self.at,
                message,
                Some("name parts of it under [let]".to_owned()),
            ));
        }
        let mut left = self.prefix()?;
        while let Some((token, operator, strength)) = self.operator() {
            if strength < least {
                break;
            }
            self.at += token.len();
            // Powers group from the right, all else from the left.
            let right = self.expression(if operator == Operator::Power { SIGN } else { strength + 1 })?;
            let at = left.at.start..right.at.end;
            left = Expression { term: Term::Operation(operator, Box::new(left), Box::new(right)), at };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expression, Mistake> {
        self.blanks();
        let start = self.at;
        if self.eat("-") || self.eat("−") {
            let term = self.expression(SIGN)?;
            let at = start..term.at.end;
            return Ok(Expression { term: Term::Negative(Box::new(term)), at });
        }
        if self.eat("+") {
            return self.expression(SIGN);
        }
        let is_not = self.rest().strip_prefix("not").is_some_and(|rest| !rest.starts_with(is_name));
        if is_not || (self.rest().starts_with('!') && !self.rest().starts_with("!=")) {
            self.at += if is_not { 3 } else { 1 };
            let term = self.expression(3)?;
            let at = start..term.at.end;
            return Ok(Expression { term: Term::Not(Box::new(term)), at });
        }
        let mut left = self.primary()?;
        while self.eat("[") {
            let index = self.expression(0)?;
            if !self.eat("]") {
                return Err(self.unexpected("`]`"));
            }
            left = Expression { term: Term::Index(Box::new(left), Box::new(index)), at: start..self.at };
        }
        Ok(left)
    }

    fn primary(&mut self) -> Result<Expression, Mistake> {
        self.blanks();
        let start = self.at;
        let done = |parser: &Self, term| Ok(Expression { term, at: start..parser.at });
        match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.expression(0)?;
                if !self.eat(")") {
                    return Err(self.unexpected("`)`"));
                }
                done(self, inner.term)
            }
            Some('[') => {
                self.at += 1;
                let terms = self.list("]")?;
                done(self, Term::List(terms))
            }
            Some(quote @ ('\'' | '"')) => {
                let Some(length) = self.rest()[1..].find(quote) else {
                    return Err(Mistake::new(start..self.text.len(), "the closing quote is missing", None));
                };
                let text = self.rest()[1..=length].to_owned();
                self.at += length + 2;
                done(self, Term::Constant(Value::Text(text)))
            }
            Some('0'..='9' | '.') => {
                let number = self.number()?;
                done(self, Term::Constant(Value::Number(number)))
            }
            Some(first) if first.is_alphabetic() || first == '_' => self.word(),
            _ => Err(self.unexpected("a number or a name")),
        }
    }

    /// A number, with the unit that follows it.
    fn number(&mut self) -> Result<f64, Mistake> {
        let start = self.at;
        let end = quantity::number_end(self.rest().as_bytes());
        let number = self.rest()[..end].parse::<f64>().ok().filter(|number| number.is_finite());
        let Some(number) = number else {
            return Err(Mistake::new(start..start + end.max(1), "this is not a finite number", None));
        };
        self.at += end;
        // A name right after a number can only be a unit: there is no product without `*`. The words of operators are none.
        let after = self.at;
        self.blanks();
        let rest = self.rest();
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        if !name.starts_with(|c: char| c.is_alphabetic()) || matches!(name.as_str(), "and" | "or") {
            self.at = after;
            return Ok(number);
        }
        let Some(size) = quantity::unit(&name) else {
            let at = self.at..self.at + length;
            let known: Vec<&str> = quantity::UNITS.iter().map(|(name, _)| *name).collect();
            let help = crate::scene::suggest::help(&name, &known);
            let message = format!("`{name}` is no unit, and a product is written with `*`");
            return Err(Mistake::new(at, message, help));
        };
        self.at += length;
        Ok(quantity::scaled(number, size))
    }

    fn word(&mut self) -> Result<Expression, Mistake> {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        self.at += length;
        let end = self.at;
        let term = if self.eat("(") {
            Term::Call(name, self.list(")")?)
        } else {
            self.at = end;
            match Value::constant(&name) {
                Some(value) => Term::Constant(value),
                None => Term::Variable(name),
            }
        };
        Ok(Expression { term, at: start..self.at })
    }

    /// Terms with commas between, up to `close`.
    fn list(&mut self, close: &str) -> Result<Vec<Expression>, Mistake> {
        let mut terms = Vec::new();
        while !self.eat(close) {
            if !terms.is_empty() && !self.eat(",") {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
            if !terms.is_empty() && self.eat(close) {
                break;
            }
            terms.push(self.expression(0)?);
        }
        Ok(terms)
    }
}

/// Letters, digits and `_` make names.
pub(crate) fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
