//! Pieces of TOML.

use dolmen::math::DVec3;

use super::random::{rounded, short};

/// A number of three digits.
pub(super) fn number(x: f64) -> String {
    format!("{:?}", short(x))
}

/// A number as it is.
pub(super) fn exact(x: f64) -> String {
    format!("{x:?}")
}

/// Three numbers of three digits.
pub(super) fn vector(v: DVec3) -> String {
    exact_vector(rounded(v, 3))
}

/// Three numbers as they are.
pub(super) fn exact_vector(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// A list of pieces.
pub(super) fn list(pieces: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", pieces.into_iter().collect::<Vec<_>>().join(", "))
}

/// A table in the making: lines `key = value` below a heading.
#[derive(Debug, Clone)]
pub(super) struct Table(Vec<String>);

impl Table {
    pub(super) fn new(heading: &str) -> Self {
        Self(vec![heading.to_owned()])
    }

    pub(super) fn put(&mut self, key: &str, value: impl AsRef<str>) -> &mut Self {
        self.0.push(format!("{key} = {}", value.as_ref()));
        self
    }

    pub(super) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.0.push(format!("{key} = \"{value}\""));
        self
    }

    pub(super) fn has_entries(&self) -> bool {
        self.0.len() > 1
    }

    /// All lines, and a blank one.
    pub(super) fn finish(&self) -> String {
        self.0.join("\n") + "\n\n"
    }
}
