//! The measured tosses: a row every 6.8 ms with pose and velocities of the cube.

use std::path::Path;

use dolmen::math::{DQuat, DVec3};

/// Time between two rows, s.
pub const INTERVAL: f64 = 0.0068;

/// Half the side of the cube, m (CASES A36).
pub const HALF_SIDE: f64 = 0.0524;

/// Columns of a row.
const COLUMNS: usize = 15;

/// One row: pose of the cube, its velocity, and its angular velocity in its own frame.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// From the frame of the cube to the world.
    pub orientation: DQuat,
    /// Of its centre, m.
    pub position: DVec3,
    /// In its own frame, rad/s.
    pub spin_body: DVec3,
    /// Of its centre, m/s.
    pub velocity: DVec3,
}

impl Row {
    /// Height of the lowest corner, m.
    pub fn lowest(&self) -> f64 {
        // A cube reaches as far down as its three half axes together.
        let down = self.orientation.conjugate() * DVec3::Z;
        self.position.z - HALF_SIDE * (down.x.abs() + down.y.abs() + down.z.abs())
    }
}

/// One toss.
#[derive(Debug, Clone)]
pub struct Toss {
    /// As the file counts it.
    pub number: u32,
    /// At even intervals; one at least.
    pub rows: Vec<Row>,
}

impl Toss {
    /// The time of a row, s.
    pub fn time(row: usize) -> f64 {
        INTERVAL * row as f64
    }

    /// How many rows are in flight: those before the lowest corner comes within `margin` of the table.
    pub fn flight(&self, table: f64, margin: f64) -> usize {
        self.rows.iter().position(|row| row.lowest() < table + margin).unwrap_or(self.rows.len())
    }
}

/// All tosses of `tosses.csv` in `folder`, in the order of the file.
///
/// # Errors
/// When the file cannot be read, a row is not fifteen numbers, or there is none: said with its line.
pub fn read(folder: &Path) -> Result<Vec<Toss>, String> {
    let path = folder.join("tosses.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut tosses: Vec<Toss> = Vec::new();
    // The first line names the columns.
    for (i, line) in text.lines().enumerate().skip(1) {
        let (number, row) = row(line).ok_or_else(|| {
            format!("{}, line {}: fifteen numbers are needed, not `{line}`", path.display(), i + 1)
        })?;
        match tosses.last_mut() {
            Some(last) if last.number == number => last.rows.push(row),
            _ => tosses.push(Toss { number, rows: vec![row] }),
        }
    }
    if tosses.is_empty() { Err(format!("{} has no tosses", path.display())) } else { Ok(tosses) }
}

/// The number of the toss and what was measured.
fn row(line: &str) -> Option<(u32, Row)> {
    let numbers: Vec<f64> =
        line.split(',').map(|field| field.trim().parse().ok()).collect::<Option<Vec<f64>>>()?;
    if numbers.len() != COLUMNS || !numbers.iter().all(|number| number.is_finite()) {
        return None;
    }
    let vector = |i: usize| DVec3::from_slice(&numbers[i..]);
    let orientation = DQuat::from_xyzw(numbers[3], numbers[4], numbers[5], numbers[2]);
    let row = Row {
        orientation: orientation.normalize(),
        position: vector(6),
        spin_body: vector(9),
        velocity: vector(12),
    };
    (orientation.length() > 0.0).then_some((numbers[0] as u32, row))
}
