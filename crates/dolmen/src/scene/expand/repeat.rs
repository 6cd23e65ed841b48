//! How often an element is made, and with which indices.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::scope::{Evaluator, Scope, wrong_name};
use super::value::Value;
use super::{Expander, entry_of};
use crate::scene::node::{CONTROL, Entry, Node, Value as Written};
use crate::scene::place::Span;
use crate::scene::tolerances::{MOST_ELEMENTS, MOST_INDICES};

/// Whether an element says how often it is made.
pub(super) fn is_controlled(node: &Node) -> bool {
    CONTROL.iter().any(|key| entry_of(node, key).is_some())
}

/// The values that an index goes through.
enum Range {
    Steps { from: f64, step: f64, count: usize },
    Values(Vec<Value>),
}

impl Range {
    fn len(&self) -> usize {
        match self {
            Self::Steps { count, .. } => *count,
            Self::Values(values) => values.len(),
        }
    }

    fn get(&self, at: usize) -> Value {
        match self {
            Self::Steps { from, step, .. } => Value::Number(from + step * at as f64),
            Self::Values(values) => values[at].clone(),
        }
    }
}

impl Expander<'_> {
    /// Calls `make` for every copy of an element, with the variables that it sees. Ends at the first copy in which something is
    /// wrong: the others would have the same.
    pub(super) fn copies(
        &mut self,
        node: &Node,
        scope: &Arc<Scope>,
        make: &mut dyn FnMut(&mut Self, &Arc<Scope>),
    ) {
        let indices = self.indices(node);
        let span = entry_of(node, "repeat").map_or(node.span, |entry| entry.node.span);
        let count = self.evaluator.count(&indices, scope, self.left);
        match count {
            Some(count) if count <= self.left => self.left -= count,
            Some(_) => {
                let message = format!("the scene would have more than {MOST_ELEMENTS} elements");
                self.evaluator.report(span, message, Some("make fewer copies"));
                self.left = 0;
                return;
            }
            None => return,
        }
        let outer = std::mem::take(&mut self.evaluator.copy);
        self.each_copy(node, &indices, scope, make);
        self.evaluator.copy = outer;
    }

    fn each_copy(
        &mut self,
        node: &Node,
        indices: &[(String, Node)],
        scope: &Arc<Scope>,
        make: &mut dyn FnMut(&mut Self, &Arc<Scope>),
    ) -> bool {
        let found = self.evaluator.problems.len();
        let Some(((name, range), rest)) = indices.split_first() else {
            if let Some(scope) = self.local(node, scope) {
                make(self, &scope);
            }
            return self.evaluator.problems.len() == found;
        };
        let Some(range) = self.evaluator.range(range, scope) else { return false };
        let copy = self.evaluator.copy.clone();
        for at in 0..range.len() {
            let value = range.get(at);
            let comma = if copy.is_empty() { "" } else { ", " };
            self.evaluator.copy = match &value {
                Value::Number(number) => format!("{copy}{comma}{name} = {number}"),
                _ => format!("{copy}{comma}{name} = number {at}"),
            };
            let inner = Scope::inside(scope, BTreeMap::from([(name.clone(), value)]));
            if !self.each_copy(node, rest, &inner, make) {
                return false;
            }
        }
        true
    }

    /// The scope of one copy with its own `let`; none if its `when` says that it is not there.
    fn local(&mut self, node: &Node, scope: &Arc<Scope>) -> Option<Arc<Scope>> {
        let scope = match entry_of(node, "let") {
            None => Arc::clone(scope),
            Some(Entry { node: Node { value: Written::Table(entries), .. }, .. }) => {
                self.evaluator.variables(entries, &BTreeMap::new(), Some(scope))
            }
            Some(entry) => {
                self.evaluator.report(entry.node.span, "`let` is a table of variables", None);
                return None;
            }
        };
        let Some(when) = entry_of(node, "when") else { return Some(scope) };
        match self.evaluator.value(&when.node, &scope)? {
            Value::Bool(is_there) => is_there.then_some(scope),
            other => {
                let message = format!("`when` is true or false, not {}", other.kind());
                self.evaluator.report(when.node.span, message, Some("compare something: \"= i > 0\""));
                None
            }
        }
    }

    /// The indices of an element and what they go through; a plain count is that of `i`.
    fn indices(&mut self, node: &Node) -> Vec<(String, Node)> {
        let Some(entry) = entry_of(node, "repeat") else { return Vec::new() };
        let Written::Table(entries) = &entry.node.value else {
            return vec![("i".to_owned(), entry.node.clone())];
        };
        if entries.len() > MOST_INDICES {
            let message = format!("a repeat has at most {MOST_INDICES} indices");
            self.evaluator.report(entry.node.span, message, None);
        }
        for entry in entries {
            if let Some(message) = wrong_name(&entry.key) {
                self.evaluator.report(entry.key_span, message, None);
            }
        }
        entries.iter().take(MOST_INDICES).map(|entry| (entry.key.clone(), entry.node.clone())).collect()
    }
}

impl Evaluator {
    /// How many copies there are, as far as `most` plus one; none if that is wrong, which is noted.
    fn count(&mut self, indices: &[(String, Node)], scope: &Arc<Scope>, most: usize) -> Option<usize> {
        let Some(((name, range), rest)) = indices.split_first() else { return Some(1) };
        let range = self.range(range, scope)?;
        let length = range.len();
        let depends = rest.iter().any(|(_, node)| self.needs_inside(node).contains(name));
        if !depends {
            // The value of the index does not matter, but the others may need it to be there.
            let value = if length == 0 { Value::Number(0.0) } else { range.get(0) };
            let inner = Scope::inside(scope, BTreeMap::from([(name.clone(), value)]));
            let each = if length == 0 { 0 } else { self.count(rest, &inner, most)? };
            return Some(length.saturating_mul(each).min(most.saturating_add(1)));
        }
        let mut sum = 0_usize;
        for at in 0..length {
            let inner = Scope::inside(scope, BTreeMap::from([(name.clone(), range.get(at))]));
            // A round that makes nothing counts too: it takes time.
            sum = sum.saturating_add(self.count(rest, &inner, most)?.max(1));
            if sum > most {
                break;
            }
        }
        Some(sum.min(most.saturating_add(1)))
    }

    fn needs_inside(&mut self, node: &Node) -> Vec<String> {
        match &node.value {
            Written::Table(entries) => entries.iter().flat_map(|entry| self.needs(&entry.node)).collect(),
            _ => self.needs(node),
        }
    }

    /// The values of an index: a count, a list, or a table with `count`, `from` and `step`.
    fn range(&mut self, node: &Node, scope: &Scope) -> Option<Range> {
        let Written::Table(entries) = &node.value else {
            return match self.value(node, scope)? {
                Value::List(values) => Some(Range::Values(values)),
                value => Some(Range::Steps { from: 0.0, step: 1.0, count: self.whole(&value, node.span)? }),
            };
        };
        let (mut from, mut step, mut count) = (0.0, 1.0, None);
        for entry in entries {
            let value = self.value(&entry.node, scope)?;
            match entry.key.as_str() {
                "count" => count = Some(self.whole(&value, entry.node.span)?),
                "from" => from = self.number(&value, entry.node.span)?,
                "step" => step = self.number(&value, entry.node.span)?,
                _ => {
                    let help = Some("there are `count`, `from` and `step`");
                    self.report(entry.key_span, "an index has no such key", help);
                    return None;
                }
            }
        }
        let Some(count) = count else {
            self.report(node.span, "`count` is missing", None);
            return None;
        };
        Some(Range::Steps { from, step, count })
    }

    fn number(&mut self, value: &Value, span: Span) -> Option<f64> {
        let finite = |number: f64| {
            if number.is_finite() {
                Ok(number)
            } else {
                Err(format!("expected a finite number, found {number}"))
            }
        };
        let number = value.number().and_then(finite);
        number.map_err(|message| self.report(span, message, None)).ok()
    }

    fn whole(&mut self, value: &Value, span: Span) -> Option<usize> {
        let number = self.number(value, span)?;
        if number >= 0.0 && number.fract() == 0.0 {
            // More than fits is more than there may be.
            return Some(if number < 1e15 { number as usize } else { usize::MAX });
        }
        self.report(span, format!("a count is a whole number of 0 or more, not {number}"), None);
        None
    }
}
