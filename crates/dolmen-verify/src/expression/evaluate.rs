//! What an expression comes to.

use std::collections::BTreeMap;

use dolmen::math::{DVec3, real};

use super::{Node, NodeKind, Value};

/// Numbers by name: what `each` gives, and texts that `{…}` may name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    /// Numbers.
    pub(crate) numbers: BTreeMap<String, f64>,
    /// Texts, such as the folder of data.
    pub(crate) texts: BTreeMap<String, String>,
}

impl Variables {
    /// As it is filled into texts; whole numbers without a point.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let number = self
            .numbers
            .get(name)
            .map(|n| if n.trunc() == *n && n.abs() < 1e15 { format!("{n:.0}") } else { format!("{n:?}") });
        number.or_else(|| self.texts.get(name).cloned())
    }
}

/// An argument as a word takes it.
#[derive(Debug)]
pub(crate) enum Argument<'a> {
    /// A name: a bare word, or in quotes.
    Name(&'a str),
    /// A value.
    Value(Value),
    /// An expression, not evaluated.
    Node(&'a Node),
}

impl Argument<'_> {
    /// The name.
    ///
    /// # Errors
    /// When it is something else.
    pub(crate) fn name(&self) -> Result<&str, String> {
        match self {
            Self::Name(name) => Ok(name),
            _ => Err("a name is needed here".to_owned()),
        }
    }

    /// The value.
    ///
    /// # Errors
    /// When it is something else.
    pub(crate) fn value(&self) -> Result<&Value, String> {
        match self {
            Self::Value(value) => Ok(value),
            _ => Err("a value is needed here".to_owned()),
        }
    }
}

/// Something that can be asked for quantities.
pub(crate) trait Known {
    /// How the word takes its arguments: a letter each, n for a name, v for a value, e for an expression; none if the
    /// word is unknown.
    fn takes(&self, word: &str) -> Option<&'static str>;

    /// What the word comes to.
    ///
    /// # Errors
    /// In words, when there is nothing such.
    fn quantity(&mut self, word: &str, arguments: &[Argument]) -> Result<Value, String>;
}

/// Knows no quantity: for expressions of constants.
#[derive(Debug)]
pub(crate) struct Nothing;

impl Known for Nothing {
    fn takes(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn quantity(&mut self, word: &str, _: &[Argument]) -> Result<Value, String> {
        Err(format!("`{word}` is not known here"))
    }
}

/// Evaluates a tree.
///
/// # Errors
/// In words: what is not known, or does not go together.
pub(crate) fn evaluate(node: &Node, known: &mut dyn Known, variables: &Variables) -> Result<Value, String> {
    match &node.kind {
        NodeKind::Number(number) => Ok(Value::Number(*number)),
        NodeKind::Quoted(name) => Err(format!("'{name}' is a name, not a quantity")),
        NodeKind::List(parts) => {
            let mut numbers = Vec::with_capacity(parts.len());
            for part in parts {
                numbers.push(evaluate(part, known, variables)?.number()?);
            }
            Ok(Value::of_numbers(&numbers))
        }
        NodeKind::Minus(inner) => Value::Number(-1.0).combined('*', &evaluate(inner, known, variables)?),
        NodeKind::Binary(symbol, parts) => {
            let left = evaluate(&parts[0], known, variables)?;
            left.combined(*symbol, &evaluate(&parts[1], known, variables)?)
        }
        NodeKind::Field(inner, name) => evaluate(inner, known, variables)?.part(name),
        NodeKind::Word(word, parts) => word_value(word, parts, known, variables),
    }
}

fn word_value(
    word: &str,
    parts: &[Node],
    known: &mut dyn Known,
    variables: &Variables,
) -> Result<Value, String> {
    if parts.is_empty() {
        if let Some(number) = variables.numbers.get(word) {
            return Ok(Value::Number(*number));
        }
        match word {
            "pi" => return Ok(Value::Number(real::PI)),
            "deg" => return Ok(Value::Number(real::PI / 180.0)),
            _ => {}
        }
    }
    if let Some(takes) = known.takes(word) {
        let mut arguments = Vec::with_capacity(parts.len());
        for (i, part) in parts.iter().enumerate() {
            arguments.push(match (takes.as_bytes().get(i).map(u8::to_ascii_lowercase), &part.kind) {
                (Some(b'n'), NodeKind::Quoted(name)) => Argument::Name(name),
                (Some(b'n'), NodeKind::Word(name, inner)) if inner.is_empty() => Argument::Name(name),
                (Some(b'e'), _) => Argument::Node(part),
                _ => Argument::Value(evaluate(part, known, variables)?),
            });
        }
        return known.quantity(word, &arguments);
    }
    let values = parts.iter().map(|part| evaluate(part, known, variables)).collect::<Result<Vec<_>, _>>()?;
    mathematics(word, &values)
}

/// Functions of numbers and vectors, with how many arguments each takes.
pub(super) const MATHEMATICS: &[(&str, usize)] = &[
    ("sqrt", 1),
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("exp", 1),
    ("ln", 1),
    ("abs", 1),
    ("length", 1),
    ("atan2", 2),
    ("min", 2),
    ("max", 2),
    ("dot", 2),
    ("cross", 2),
    ("part", 2),
];

fn mathematics(word: &str, values: &[Value]) -> Result<Value, String> {
    let wrong = || format!("`{word}` is not known, or not with {} arguments", values.len());
    let number = match values {
        [Value::Vector(a)] if word == "length" => a.length(),
        [one] => {
            let x = one.number()?;
            match word {
                "sqrt" => x.sqrt(),
                "sin" => real::sin(x),
                "cos" => real::cos(x),
                "tan" => real::tan(x),
                "asin" => real::asin(x),
                "acos" => real::acos(x),
                "atan" => real::atan(x),
                "exp" => real::exp(x),
                "ln" => real::ln(x),
                "abs" | "length" => x.abs(),
                _ => return Err(wrong()),
            }
        }
        [a, b] => match word {
            "atan2" => real::atan2(a.number()?, b.number()?),
            "min" => a.number()?.min(b.number()?),
            "max" => a.number()?.max(b.number()?),
            "dot" => a.vector()?.dot(b.vector()?),
            "cross" => return Ok(Value::Vector(DVec3::cross(a.vector()?, b.vector()?))),
            "part" => {
                let (list, index) = (a.numbers(), b.number()?);
                let place = (index >= 1.0).then(|| index as usize - 1);
                let found = place.and_then(|place| list.get(place).copied());
                found.ok_or_else(|| format!("there is no part {index} of {}", list.len()))?
            }
            _ => return Err(wrong()),
        },
        _ => return Err(wrong()),
    };
    Ok(Value::Number(number))
}
