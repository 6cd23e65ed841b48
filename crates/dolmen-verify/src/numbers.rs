//! Quantities that are known by name and hang on nothing else.

use std::collections::BTreeMap;

use crate::expression::{Argument, Known, Value};

/// Values by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers(pub(crate) BTreeMap<&'static str, Value>);

impl Known for Numbers {
    fn takes(&self, word: &str) -> Option<&'static str> {
        self.0.contains_key(word).then_some("")
    }

    fn quantity(&mut self, word: &str, _: &[Argument]) -> Result<Value, String> {
        self.0.get(word).cloned().ok_or_else(|| format!("`{word}` was not measured"))
    }
}
