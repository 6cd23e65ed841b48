//! Where something is: in a source, and in the scene.

/// A piece of one source: bytes `start..end` of source number `source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Span {
    pub source: u32,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// `range` of source number `source`; sources are shorter than 4 GiB, see [`super::MAX_BYTES`].
    pub(crate) fn new(source: u32, range: &std::ops::Range<usize>) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { source, start: clamp(range.start), end: clamp(range.end) }
    }

    /// The bytes of the source.
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One step of a path into a scene: `body[2].mass` is a key, an index and a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathSegment {
    /// Into a table.
    Key(String),
    /// Into a list, from 0.
    Index(usize),
}

impl From<&str> for PathSegment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for PathSegment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}
