//! The measured tosses: a row every 6.8 ms with pose and velocities of the cube.

use std::path::Path;

use dolmen::math::{DQuat, DVec3, dvec3};

/// Time between two rows, s.
pub(crate) const INTERVAL: f64 = 0.0068;

/// Half the side of the cube, m (CASES A36).
pub(crate) const HALF_SIDE: f64 = 0.0524;

/// One row: pose of the cube, its velocity, and its angular velocity in its own frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) orientation: DQuat,
    pub(crate) position: DVec3,
    pub(crate) spin_body: DVec3,
    pub(crate) velocity: DVec3,
}

impl Row {
    /// Height of the lowest corner, m.
    pub(crate) fn lowest(&self) -> f64 {
        // A cube reaches as far down as its three half axes together.
        let down = self.orientation.conjugate() * DVec3::Z;
        self.position.z - HALF_SIDE * (down.x.abs() + down.y.abs() + down.z.abs())
    }
}

/// One toss.
#[derive(Debug, Clone)]
pub(crate) struct Toss {
    pub(crate) number: u32,
    pub(crate) rows: Vec<Row>,
}

impl Toss {
    /// The time of a row, s.
    pub(crate) fn time(row: usize) -> f64 {
        INTERVAL * row as f64
    }

    /// How many rows are in flight: those before the lowest corner comes within `margin` of the table.
    pub(crate) fn flight(&self, table: f64, margin: f64) -> usize {
        self.rows.iter().position(|row| row.lowest() < table + margin).unwrap_or(self.rows.len())
    }
}

/// All tosses of `tosses.csv` in `folder`, in the order of their numbers.
pub(crate) fn read(folder: &Path) -> Result<Vec<Toss>, Box<dyn std::error::Error>> {
    let path = folder.join("tosses.csv");
    let mut reader = csv::Reader::from_path(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut tosses: Vec<Toss> = Vec::new();
    for record in reader.records() {
        let record = record?;
        let number = |i: usize| -> Result<f64, Box<dyn std::error::Error>> {
            let text = record.get(i).ok_or_else(|| format!("{}: a row has no column {i}", path.display()))?;
            Ok(text.trim().parse()?)
        };
        let vector =
            |i: usize| Ok::<_, Box<dyn std::error::Error>>(dvec3(number(i)?, number(i + 1)?, number(i + 2)?));
        let row = Row {
            orientation: DQuat::from_xyzw(number(3)?, number(4)?, number(5)?, number(2)?).normalize(),
            position: vector(6)?,
            spin_body: vector(9)?,
            velocity: vector(12)?,
        };
        let toss = number(0)? as u32;
        match tosses.last_mut() {
            Some(last) if last.number == toss => last.rows.push(row),
            _ => tosses.push(Toss { number: toss, rows: vec![row] }),
        }
    }
    if tosses.is_empty() {
        return Err(format!("{} has no tosses", path.display()).into());
    }
    Ok(tosses)
}
