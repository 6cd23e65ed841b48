//! events.csv and forces.csv, as far as figures show them.

use std::collections::BTreeMap;

use super::MAX_ROWS;
use super::table::{Row, TableError, TablePart, for_each_row};

/// Contacts whose forces are kept: as many as a figure can tell apart.
const MAX_CONTACTS: usize = 8;

/// One line of events.csv.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Event {
    /// Time, s.
    pub(crate) t: f64,
    /// Its place among the kinds.
    pub(crate) kind: usize,
    /// Normal impulse, N·s.
    pub(crate) impulse: f64,
    /// Energy lost, J.
    pub(crate) lost: f64,
}

/// events.csv.
#[derive(Debug, Clone, Default)]
pub(crate) struct Events {
    /// Kinds of events, as they first come.
    pub(crate) kinds: Vec<String>,
    /// What was kept, in the order of time.
    pub(crate) all: Vec<Event>,
    /// Lines in the table, kept or not.
    pub(crate) total: u64,
    /// Every `stride`-th line was kept.
    pub(crate) stride: u64,
}

impl Events {
    /// Reads the table, thinning it; empty if there is none.
    pub(super) fn load(part: &TablePart) -> Result<Self, TableError> {
        Self::load_up_to(part, MAX_ROWS)
    }

    pub(super) fn load_up_to(part: &TablePart, max_rows: usize) -> Result<Self, TableError> {
        let mut events = Self { stride: 1, ..Self::default() };
        if !part.file.is_file() {
            return Ok(events);
        }
        for_each_row(part, &["t", "kind", "normal_impulse", "lost"], |t, row| {
            let [impulse, lost] = row.numbers(2)?;
            let kind = events.kind(row.text(1));
            if events.total.is_multiple_of(events.stride) {
                events.all.push(Event { t, kind, impulse, lost });
            }
            events.total += 1;
            if events.all.len() > max_rows.max(2) {
                events.stride *= 2;
                let mut is_odd = true;
                events.all.retain(|_| {
                    is_odd = !is_odd;
                    !is_odd
                });
            }
            Ok(())
        })?;
        Ok(events)
    }

    fn kind(&mut self, name: &str) -> usize {
        let known = self.kinds.iter().position(|kind| kind == name);
        known.unwrap_or_else(|| {
            self.kinds.push(name.to_owned());
            self.kinds.len() - 1
        })
    }
}

/// The force of one contact over time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContactCurve {
    /// Its bodies, and its features where the two have more than one contact.
    pub(crate) name: String,
    /// t in s and normal force in N, where it carries any.
    pub(crate) points: Vec<(f64, f64)>,
}

/// forces.csv.
#[derive(Debug, Clone, Default)]
pub(crate) struct Forces {
    /// The contacts with the largest normal forces, in the order in which they first carry any.
    pub(crate) curves: Vec<ContactCurve>,
    /// Contacts in the table.
    pub(crate) total: usize,
}

/// When a contact first comes in a table, and its largest force.
struct Seen {
    first: usize,
    peak: f64,
}

const COLUMNS: [&str; 6] = ["t", "body_a", "body_b", "feature_a", "feature_b", "normal_force"];

impl Forces {
    /// Reads the table, once to find the largest forces and once more to keep these; empty if there is none.
    pub(super) fn load(part: &TablePart) -> Result<Self, TableError> {
        if !part.file.is_file() {
            return Ok(Self::default());
        }
        let mut seen: BTreeMap<[String; 4], Seen> = BTreeMap::new();
        for_each_row(part, &COLUMNS, |_, row| {
            let [force] = row.numbers::<1>(5)?;
            let first = seen.len();
            let seen = seen.entry(key(row)).or_insert(Seen { first, peak: 0.0 });
            if force.is_finite() {
                seen.peak = seen.peak.max(force.abs());
            }
            Ok(())
        })?;
        let mut chosen: Vec<(&[String; 4], &Seen)> = seen.iter().collect();
        chosen.sort_by(|(_, a), (_, b)| b.peak.total_cmp(&a.peak).then(a.first.cmp(&b.first)));
        chosen.truncate(MAX_CONTACTS);
        chosen.sort_by_key(|(_, seen)| seen.first);
        let name = |key: &[String; 4]| {
            let is_alone = seen.keys().filter(|other| other[..2] == key[..2]).take(2).count() == 1;
            let [a, b, feature_a, feature_b] = key;
            if is_alone {
                format!("{a} – {b}")
            } else {
                format!("{a} – {b}: {feature_a} – {feature_b}")
            }
        };
        let curve = |(key, _): &(&[String; 4], &Seen)| ContactCurve { name: name(key), points: Vec::new() };
        let mut curves: Vec<ContactCurve> = chosen.iter().map(curve).collect();
        for_each_row(part, &COLUMNS, |t, row| {
            let key = key(row);
            if let Some(i) = chosen.iter().position(|(chosen, _)| **chosen == key) {
                let [force] = row.numbers(5)?;
                curves[i].points.push((t, force));
            }
            Ok(())
        })?;
        Ok(Self { curves, total: seen.len() })
    }
}

fn key(row: &Row) -> [String; 4] {
    [1, 2, 3, 4].map(|i| row.text(i).to_owned())
}
