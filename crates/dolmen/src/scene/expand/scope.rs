//! Variables, and texts that are evaluated with them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::expression::{Expression, Mistake, is_name};
use super::value::{CONSTANTS, FUNCTIONS, Value};
use crate::scene::error::{Problem, Source};
use crate::scene::node::{Entry, Node, Value as Written};
use crate::scene::place::Span;
use crate::scene::quantity;
use crate::scene::suggest;
use crate::scene::tolerances::{MOST_DIGITS, MOST_VARIABLES};

/// Variables that can be seen at a place, inner ones before outer ones.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    values: BTreeMap<String, Value>,
    parent: Option<Arc<Scope>>,
}

impl Scope {
    /// A scope inside `parent`.
    pub(crate) fn inside(parent: &Arc<Scope>, values: BTreeMap<String, Value>) -> Arc<Self> {
        Arc::new(Self { values, parent: Some(Arc::clone(parent)) })
    }

    /// A scope by itself.
    pub(crate) fn new(values: BTreeMap<String, Value>) -> Arc<Self> {
        Arc::new(Self { values, parent: None })
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).or_else(|| self.parent.as_ref().and_then(|parent| parent.get(name)))
    }

    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.values.keys().map(String::as_str).collect();
        if let Some(parent) = &self.parent {
            names.extend(parent.names());
        }
        names
    }

    /// The value of an expression.
    pub(crate) fn value(&self, expression: &Expression) -> Result<Value, Mistake> {
        expression.value(&|name| {
            if let Some(value) = self.get(name) {
                return Ok(value.clone());
            }
            let help = suggest::help(name, &self.names());
            let help = help.unwrap_or_else(|| "variables are named under [let]".to_owned());
            Err((format!("there is no variable `{name}` here"), Some(help)))
        })
    }
}

/// Evaluates what is written, and notes what is wrong with it.
#[derive(Default)]
pub(crate) struct Evaluator {
    pub(crate) problems: Vec<Problem>,
    /// The texts that spans point into.
    pub(crate) sources: Vec<Source>,
    /// What is known of where the evaluation is, such as `i = 3`; added to messages.
    pub(crate) copy: String,
    parsed: BTreeMap<(Span, usize), Arc<Expression>>,
}

impl Evaluator {
    /// An evaluator over these texts.
    pub(crate) fn new(sources: Vec<Source>) -> Self {
        Self { sources, ..Self::default() }
    }

    /// Notes a mistake at `within`, bytes of the text of `node`.
    fn note(&mut self, span: Span, offset: usize, mistake: Mistake) {
        let at = offset + mistake.at.start..offset + mistake.at.end;
        let span = self.within(span, at);
        let message = if self.copy.is_empty() {
            mistake.message
        } else {
            format!("{} (at {})", mistake.message, self.copy)
        };
        self.problems.push(Problem::at_span(span, message, mistake.help));
    }

    /// Notes a mistake of a whole value.
    pub(crate) fn report(&mut self, span: Span, message: impl Into<String>, help: Option<&str>) {
        self.problems.push(Problem::at_span(span, message, help.map(str::to_owned)));
    }

    /// The place of some bytes of a text. With escapes or three quotes the bytes are others: then all of it.
    fn within(&self, span: Span, range: Range<usize>) -> Span {
        let whole = span.range();
        let Some(written) =
            self.sources.get(span.source as usize).and_then(|source| source.text.get(whole.clone()))
        else {
            return span;
        };
        let is_quoted = written.starts_with(['"', '\'']);
        let is_plain =
            !written.contains('\\') && !written.starts_with("\"\"\"") && !written.starts_with("'''");
        let start = whole.start + usize::from(is_quoted);
        if is_plain && start + range.end <= whole.end {
            Span::new(
                span.source,
                &(start + range.start..start + range.end.max(range.start + 1).min(whole.end)),
            )
        } else {
            span
        }
    }

    /// An expression is parsed once, however many copies it is evaluated for.
    fn parse(&mut self, span: Span, offset: usize, text: &str) -> Result<Arc<Expression>, Mistake> {
        if let Some(known) = self.parsed.get(&(span, offset)) {
            return Ok(Arc::clone(known));
        }
        let parsed = Arc::new(Expression::parse(text)?);
        self.parsed.insert((span, offset), Arc::clone(&parsed));
        Ok(parsed)
    }

    fn expression(&mut self, span: Span, offset: usize, text: &str, scope: &Scope) -> Option<Value> {
        let value = self.parse(span, offset, text).and_then(|expression| scope.value(&expression));
        value.map_err(|mistake| self.note(span, offset, mistake)).ok()
    }

    /// The value that is written at `node`; none if it is wrong, which is noted.
    pub(crate) fn value(&mut self, node: &Node, scope: &Scope) -> Option<Value> {
        match &node.value {
            Written::String(text) => match formula(text) {
                Some((offset, formula)) => self.expression(node.span, offset, formula, scope),
                None => Some(quantity::parse(text).map_or_else(|| Value::Text(plain(text)), Value::Number)),
            },
            Written::Integer(integer) => Some(Value::Number(*integer as f64)),
            Written::Float(float) => Some(Value::Number(*float)),
            Written::Bool(truth) => Some(Value::Bool(*truth)),
            Written::Array(elements) => {
                let values: Vec<_> = elements.iter().map(|element| self.value(element, scope)).collect();
                values.into_iter().collect::<Option<_>>().map(Value::List)
            }
            Written::Table(_) | Written::Hole(_) | Written::Unread => {
                self.report(node.span, "a variable is a number, a text or a list", None);
                None
            }
        }
    }

    /// `node` with its expressions evaluated; what could not be is a hole.
    ///
    /// Texts are filled in where `fill` is set: `"brick {i}"`.
    pub(crate) fn evaluated(&mut self, node: &Node, scope: &Scope, fill: bool) -> Node {
        let value = match &node.value {
            Written::String(text) => match formula(text) {
                Some((offset, formula)) => {
                    let value = self.expression(node.span, offset, formula, scope);
                    value
                        .and_then(|value| self.written(value, node.span))
                        .unwrap_or(Written::Hole(Vec::new()))
                }
                None if fill && text.contains(['{', '}']) => {
                    self.filled(text, node.span, scope).map_or(Written::Hole(Vec::new()), Written::String)
                }
                None => Written::String(plain(text)),
            },
            Written::Array(elements) => {
                Written::Array(elements.iter().map(|element| self.evaluated(element, scope, fill)).collect())
            }
            Written::Table(entries) => Written::Table(
                entries
                    .iter()
                    .map(|entry| Entry {
                        key: entry.key.clone(),
                        key_span: entry.key_span,
                        node: self.evaluated(&entry.node, scope, fill),
                    })
                    .collect(),
            ),
            other => other.clone(),
        };
        Node { span: node.span, value }
    }

    /// A value as it would be written.
    fn written(&mut self, value: Value, span: Span) -> Option<Written> {
        Some(match value {
            Value::Number(number) if !number.is_finite() => {
                let copy = if self.copy.is_empty() { String::new() } else { format!(" (at {})", self.copy) };
                self.report(span, format!("the expression gives {number}, which is not finite{copy}"), None);
                return None;
            }
            Value::Number(number) => number_written(number),
            Value::Bool(truth) => Written::Bool(truth),
            Value::Text(text) => Written::String(text),
            Value::List(values) => {
                let nodes =
                    values.into_iter().map(|value| Some(Node { span, value: self.written(value, span)? }));
                Written::Array(nodes.collect::<Option<_>>()?)
            }
        })
    }

    /// A text with `{expression}` and `{expression:02}` filled in; `{{` and `}}` are braces.
    fn filled(&mut self, text: &str, span: Span, scope: &Scope) -> Option<String> {
        let mut filled = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(next) = text[at..].find(['{', '}']) {
            let brace = at + next;
            filled.push_str(&text[at..brace]);
            let is_double = text.as_bytes().get(brace + 1) == Some(&text.as_bytes()[brace]);
            if is_double {
                filled.push_str(&text[brace..=brace]);
                at = brace + 2;
                continue;
            }
            let end = text[brace..].find('}').filter(|_| text.as_bytes()[brace] == b'{');
            let Some(length) = end else {
                let help = Some("a brace in a text is written twice".to_owned());
                self.note(span, 0, Mistake::new(brace..brace + 1, "this brace has no partner", help));
                return None;
            };
            let inner = &text[brace + 1..brace + length];
            let (inner, form) = inner.rsplit_once(':').unwrap_or((inner, ""));
            let value = self.expression(span, brace + 1, inner, scope)?;
            let Some(shown) = formatted(&value, form) else {
                let message = format!("`{form}` is no form for {}", value.kind());
                let help = Some("`02` is two digits with zeros, `.3` three decimals".to_owned());
                self.note(span, 0, Mistake::new(brace..brace + length + 1, message, help));
                return None;
            };
            filled.push_str(&shown);
            at = brace + length + 1;
        }
        filled.push_str(&text[at..]);
        Some(filled)
    }

    /// The variables of a table, in any order; `given` come from outside and win.
    pub(crate) fn variables(
        &mut self,
        entries: &[Entry],
        given: &BTreeMap<String, Value>,
        parent: Option<&Arc<Scope>>,
    ) -> Arc<Scope> {
        let mut scope = Scope { values: BTreeMap::new(), parent: parent.cloned() };
        if entries.len() > MOST_VARIABLES {
            let message = format!("there are at most {MOST_VARIABLES} variables in a table");
            self.report(entries[MOST_VARIABLES].key_span, message, None);
            return Arc::new(scope);
        }
        let mut waiting: Vec<(&Entry, Vec<String>)> = Vec::new();
        for entry in entries {
            if let Some(message) = wrong_name(&entry.key) {
                self.report(entry.key_span, message, None);
            } else if let Some(value) = given.get(&entry.key) {
                scope.values.insert(entry.key.clone(), value.clone());
            } else {
                waiting.push((entry, self.needs(&entry.node)));
            }
        }
        // Each round evaluates what needs nothing that waits; a round that finds nothing has found a cycle.
        while !waiting.is_empty() {
            let names: std::collections::BTreeSet<&str> =
                waiting.iter().map(|(entry, _)| entry.key.as_str()).collect();
            let is_ready = |needs: &[String]| !needs.iter().any(|name| names.contains(name.as_str()));
            let (ready, rest): (Vec<_>, Vec<_>) =
                waiting.iter().cloned().partition(|(_, needs)| is_ready(needs));
            if ready.is_empty() {
                let round: Vec<String> = names.iter().take(10).map(|name| format!("`{name}`")).collect();
                let message = format!("these variables need each other: {}", round.join(", "));
                self.report(
                    waiting[0].0.node.span,
                    message,
                    Some("begin with one that needs none of the others"),
                );
                break;
            }
            for (entry, _) in ready {
                if let Some(value) = self.value(&entry.node, &scope) {
                    scope.values.insert(entry.key.clone(), value);
                } else {
                    // Known to be wrong already: what uses it is not reported as well.
                    scope.values.insert(entry.key.clone(), Value::Number(1.0));
                }
            }
            waiting = rest;
        }
        Arc::new(scope)
    }

    /// The variables that a value names.
    pub(crate) fn needs(&mut self, node: &Node) -> Vec<String> {
        match &node.value {
            Written::String(text) => {
                let parsed =
                    formula(text).and_then(|(offset, text)| self.parse(node.span, offset, text).ok());
                let mut names = Vec::new();
                if let Some(expression) = &parsed {
                    expression.variables(&mut names);
                }
                names.into_iter().map(str::to_owned).collect()
            }
            Written::Array(elements) => elements.iter().flat_map(|element| self.needs(element)).collect(),
            _ => Vec::new(),
        }
    }
}

/// The expression after the `=` of a text, and the byte at which it begins; two of them are none.
fn formula(text: &str) -> Option<(usize, &str)> {
    let rest = text.trim_start().strip_prefix('=')?;
    (!rest.starts_with('=')).then(|| (text.len() - rest.len(), rest))
}

/// A text that is no expression: `==` at its beginning stands for one `=`.
fn plain(text: &str) -> String {
    if text.trim_start().starts_with("==") { text.replacen("==", "=", 1) } else { text.to_owned() }
}

/// What is wrong with the name of a variable.
pub(crate) fn wrong_name(name: &str) -> Option<String> {
    let first = name.chars().next();
    if first.is_none_or(|first| !(first.is_alphabetic() || first == '_')) || !name.chars().all(is_name) {
        return Some(
            "the name of a variable has letters, digits and `_`, and begins with a letter".to_owned(),
        );
    }
    let taken = CONSTANTS.contains(&name) || FUNCTIONS.iter().any(|(function, ..)| *function == name);
    taken.then(|| format!("`{name}` has a meaning of its own; a variable needs another name"))
}

/// A number as it would be typed: whole ones without a point.
fn number_written(number: f64) -> Written {
    let is_whole =
        number.fract() == 0.0 && number.abs() < 9e15 && !(number == 0.0 && number.is_sign_negative());
    if is_whole { Written::Integer(number as i64) } else { Written::Float(number) }
}

fn formatted(value: &Value, form: &str) -> Option<String> {
    match (value, form) {
        (Value::Text(text), "") => Some(text.clone()),
        (Value::Number(number), "") => Some(number.to_string()),
        (Value::Number(number), _) => {
            let (width, decimals) =
                form.split_once('.').map_or((form, None), |(width, decimals)| (width, Some(decimals)));
            let zeros = width.starts_with('0');
            let parse = |text: &str| text.parse::<usize>().ok().filter(|digits| *digits <= MOST_DIGITS);
            let width = if width.is_empty() { 0 } else { parse(width)? };
            let digits = match decimals {
                Some(decimals) => format!("{number:.*}", parse(decimals)?),
                None => number.to_string(),
            };
            let (sign, digits) =
                digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
            let filler = if zeros { "0" } else { " " }
                .repeat(width.saturating_sub(sign.len() + digits.chars().count()));
            Some(if zeros { format!("{sign}{filler}{digits}") } else { format!("{filler}{sign}{digits}") })
        }
        _ => None,
    }
}
