//! Recorded queries of straight-line collision with exact truth: eight rows each, coordinates as fractions. [CASES A35]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dolmen::triangle::linear_ccd::{Moving, edge_edge, vertex_face};

use super::{Cloud, Measured, Measurement};
use crate::expression::Value;
use crate::numbers::Numbers;

/// All files of the folder that `needs` names.
pub(super) const MEASUREMENT: Measurement = Measurement {
    name: "ccd-queries",
    words: &[
        ("edge_edge", ""),
        ("edge_edge_hits", ""),
        ("vertex_face", ""),
        ("vertex_face_hits", ""),
        ("false_negatives", ""),
        ("false_positives", ""),
    ],
    measure,
};

#[derive(Debug, Default)]
struct Count {
    queries: u32,
    hits: u32,
    false_negatives: u32,
    false_positives: u32,
    /// By the number of the query, when the two meet, in steps.
    meetings: Vec<(f64, f64)>,
}

fn measure(folder: &Path) -> Result<Measured, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "csv"));
    paths.sort();
    let mut counts = [Count::default(), Count::default()];
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_face = name.starts_with("vertex-face");
        count_file(path, is_face, &mut counts[usize::from(is_face)])?;
    }
    let number = |n: u32| Value::Number(f64::from(n));
    let [edges, faces] = counts;
    let numbers = Numbers(BTreeMap::from([
        ("edge_edge", number(edges.queries)),
        ("edge_edge_hits", number(edges.hits)),
        ("vertex_face", number(faces.queries)),
        ("vertex_face_hits", number(faces.hits)),
        ("false_negatives", number(edges.false_negatives + faces.false_negatives)),
        ("false_positives", number(edges.false_positives + faces.false_positives)),
    ]));
    let groups = vec![("edge, edge".to_owned(), edges.meetings), ("vertex, face".to_owned(), faces.meetings)];
    let cloud = Cloud { axes: ["number of the query", "when they meet, steps"], is_log: false, groups };
    Ok(Measured { numbers, cloud })
}

fn count_file(path: &Path, is_face: bool, count: &mut Count) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = Vec::new();
    for (i, line) in text.lines().enumerate() {
        rows.push(row(line).ok_or_else(|| format!("{}, row {}: {line}", path.display(), i + 1))?);
    }
    for eight in rows.chunks_exact(8) {
        let point = |i: usize| Moving { start: eight[i].0.into(), end: eight[i + 4].0.into() };
        let [a, b, c, d] = [0, 1, 2, 3].map(point);
        let answer = if is_face { vertex_face(a, [b, c, d]) } else { edge_edge([a, b], [c, d]) };
        let meeting = answer.map_err(|error| format!("{}: {error}", path.display()))?.meeting;
        let hit = meeting.is_some();
        let truth = eight[0].1;
        count.queries += 1;
        let number = f64::from(count.queries);
        count.meetings.extend(meeting.map(|meeting| (number, meeting.time[0])));
        count.hits += u32::from(truth);
        count.false_negatives += u32::from(truth && !hit);
        count.false_positives += u32::from(hit && !truth);
    }
    Ok(())
}

/// Three fractions and the truth.
fn row(line: &str) -> Option<([f64; 3], bool)> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let number = |i: usize| fraction(fields.get(i)?, fields.get(i + 1)?);
    Some(([number(0)?, number(2)?, number(4)?], *fields.get(6)? == "1"))
}

/// The fraction as a number of the machine, if it is one.
fn fraction(numerator: &str, denominator: &str) -> Option<f64> {
    let (n, d): (i128, i128) = (numerator.parse().ok()?, denominator.parse().ok()?);
    let is_exact = n as f64 as i128 == n && d > 0 && d.count_ones() == 1;
    is_exact.then(|| n as f64 / d as f64)
}
