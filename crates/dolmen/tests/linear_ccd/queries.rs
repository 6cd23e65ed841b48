//! Queries as they are recorded in files: eight rows each, coordinates as fractions, and the truth.

use dolmen::triangle::linear_ccd::{Answer, Moving, edge_edge, vertex_face};
use std::path::{Path, PathBuf};

/// The name of a file and its queries, each with its truth.
type Recorded = (String, Vec<(Query, bool)>);

/// What the four points are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Figures {
    VertexFace,
    EdgeEdge,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Query {
    pub(crate) figures: Figures,
    pub(crate) points: [Moving; 4],
}

impl Query {
    pub(crate) fn ask(&self) -> Answer {
        let [a, b, c, d] = self.points;
        match self.figures {
            Figures::VertexFace => vertex_face(a, [b, c, d]),
            Figures::EdgeEdge => edge_edge([a, b], [c, d]),
        }
        .expect("queries have finite coordinates")
    }
}

/// `ccd-queries` in the folder that `DOLMEN_DATA` names, or in `../shared/data` beside the workspace, if there.
#[allow(dead_code)] // the example is told its folder
pub(crate) fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("DOLMEN_DATA").map_or_else(beside, PathBuf::from);
    Some(data.join("ccd-queries")).filter(|folder| folder.is_dir())
}

/// The files of a folder by name, each query with its truth.
pub(crate) fn read_folder(folder: &Path) -> Result<Vec<Recorded>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "csv"));
    paths.sort();
    paths.iter().map(|p| read_file(p)).collect()
}

fn read_file(path: &Path) -> Result<Recorded, String> {
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let figures = if name.starts_with("vertex-face") { Figures::VertexFace } else { Figures::EdgeEdge };
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let rows: Vec<([f64; 3], bool)> = text
        .lines()
        .enumerate()
        .map(|(i, line)| row(line).ok_or(format!("{}, row {}: {line}", path.display(), i + 1)))
        .collect::<Result<_, _>>()?;
    let query = |eight: &[([f64; 3], bool)]| {
        let point = |i: usize| Moving { start: eight[i].0.into(), end: eight[i + 4].0.into() };
        (Query { figures, points: [0, 1, 2, 3].map(point) }, eight[0].1)
    };
    Ok((name, rows.chunks_exact(8).map(query).collect()))
}

fn row(line: &str) -> Option<([f64; 3], bool)> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let number = |i: usize| fraction(fields.get(i)?, fields.get(i + 1)?);
    Some(([number(0)?, number(2)?, number(4)?], *fields.get(6)? == "1"))
}

/// The fraction as a number of the machine, if it is one.
fn fraction(numerator: &str, denominator: &str) -> Option<f64> {
    let (n, d): (i128, i128) = (numerator.parse().ok()?, denominator.parse().ok()?);
    let exact = n as f64 as i128 == n && d > 0 && d.count_ones() == 1;
    exact.then(|| n as f64 / d as f64)
}
