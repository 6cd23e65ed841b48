//! Bounds of what a scene may be: sizes that are refused before they cost anything, and numbers that no real thing has.

/// The longest expression, bytes: evaluation recurses over its operators.
pub(crate) const LONGEST_EXPRESSION: usize = 1000;

/// How deep parentheses, lists, signs and powers may stand in each other.
pub(crate) const DEEPEST_EXPRESSION: usize = 64;

/// How many variables one table may have: the order in which they need each other is found in rounds.
pub(crate) const MOST_VARIABLES: usize = 1000;

/// How many indices a repeat may have.
pub(crate) const MOST_INDICES: usize = 8;

/// How wide a number in a text may be made: more digits than any has.
pub(crate) const MOST_DIGITS: usize = 30;

/// How many elements a flat scene may have, all lists together.
pub(crate) const MOST_ELEMENTS: usize = 4_000_000;

/// The longest TOML text that is parsed at once, bytes: the parser keeps some thirty bytes for each. A longer one is read element by
/// element.
pub(crate) const READ_AT_ONCE: usize = 1 << 20;

/// After so many mistakes in a long text no more are looked for; a tenth of them is shown.
pub(crate) const MOST_PROBLEMS: usize = 1000;

/// How deep files may include each other, and templates place each other.
pub(crate) const DEEPEST_COPY: usize = 16;

/// How many files a scene may include.
pub(crate) const MOST_FILES: usize = 256;

/// The largest mesh or table of particles that is read, bytes.
pub(crate) const LARGEST_DATA: u64 = 256 << 20;

/// How thick a height field is under its lowest point, by its shorter length, where nothing else is said: more than anything sinks in.
pub(crate) const DEFAULT_BASE: f64 = 0.1;

/// How large all files are together that a scene names, bytes, and how many they may be.
pub(crate) const LARGEST_SUM: u64 = 1 << 30;
pub(crate) const MOST_DATA_FILES: usize = 10_000;

/// Stronger gravity than on a neutron star, m/s²: nothing rigid is left there, and motion under it leaves the range of floats.
pub(crate) const STRONGEST_GRAVITY: f64 = 1e12;

/// Stiffer than any part, N/m or N·m/rad: a kilogram on it swings 5e6 times a second, each a dozen steps. A joint is rigid for nothing.
pub(crate) const STIFFEST: f64 = 1e15;

/// Faster than any machine vibrates, Hz.
pub(crate) const FASTEST_OSCILLATION: f64 = 1e6;

/// Faster than anything, m/s: light goes 3e8. The squares of much larger numbers are no floats any more.
pub(crate) const FASTEST: f64 = 1e12;

/// Faster than anything turns, rad/s.
pub(crate) const FASTEST_SPIN: f64 = 1e15;

/// Farther than anything is, m: what can be seen of the universe is 1e27 m wide.
pub(crate) const FARTHEST: f64 = 1e30;

/// Heavier than all there is, kg.
pub(crate) const HEAVIEST: f64 = 1e60;

/// Longer than there will be stars, s.
pub(crate) const LONGEST_RUN: f64 = 1e21;

/// How many samples a run may write: with one body they are ten gigabytes.
pub(crate) const MOST_SAMPLES: f64 = 1e8;

/// How many steps of fixed length a run may be cut into.
pub(crate) const MOST_STEPS: f64 = 1e12;
