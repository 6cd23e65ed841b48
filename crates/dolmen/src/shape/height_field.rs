//! Height fields: a grid of heights as the closed surface of the solid below it, and grids from tables and pictures.

use std::io::{Cursor, Read};

use thiserror::Error;

use super::TriangleSoup;
use crate::math::{DVec3, dvec3};

/// Heights over a rectangle about the origin, at the crossings of evenly spaced lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeightField {
    /// How many crossings a row has, along x; at least 2.
    pub columns: usize,
    /// Row after row along y, each along x, m; at least 2 rows.
    pub heights: Vec<f64>,
    /// Lengths along x and y, m.
    pub size: [f64; 2],
    /// Where the solid ends below, m: under all heights.
    pub bottom: f64,
}

/// Why there is no height field. Rows and columns are counted from 0.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum HeightFieldError {
    /// Too few rows or columns, or rows of different lengths.
    #[error(
        "{count} heights in rows of {columns} are no grid; at least 2 rows of at least 2 heights are needed, all of one length"
    )]
    Grid {
        /// How many there are.
        count: usize,
        /// How long a row is.
        columns: usize,
    },
    /// More heights than fit.
    #[error("the grid has {count} heights; at most {} are taken: thin it out", HeightField::MOST)]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A height that is no number.
    #[error("the height in row {row}, column {column} is {value}; give a finite number of metres")]
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// What it is.
        value: f64,
    },
    /// A length that is not more than zero.
    #[error("a height field of {} m by {} m has no area; give lengths above 0", size[0], size[1])]
    Size {
        /// Along x and y.
        size: [f64; 2],
    },
    /// The bottom is not below all heights.
    #[error("the bottom at {bottom} m is not below the lowest height, {lowest} m: there would be no solid")]
    Bottom {
        /// Where it is.
        bottom: f64,
        /// The lowest height.
        lowest: f64,
    },
    /// A table or a picture that cannot be read.
    #[error("{problem}")]
    Unread {
        /// What is wrong, and where.
        problem: String,
    },
}

impl HeightField {
    /// More heights than this are refused: twice as many triangles are looked through for contacts with themselves.
    pub const MOST: usize = 1 << 22;

    /// The surface of the solid between the heights and the bottom, closed: two triangles for each cell, parted along the diagonal from
    /// its corner of the lowest x and y; walls; and a fan about the middle of the underside.
    ///
    /// # Errors
    /// When it is no grid, a number is not finite, or there is nothing between the heights and the bottom.
    pub fn surface(&self) -> Result<TriangleSoup, HeightFieldError> {
        self.check()?;
        let columns = self.columns;
        let rows = self.heights.len() / columns;
        let along = |k: usize, n: usize, length: f64| length * (k as f64 / (n - 1) as f64 - 0.5);
        let mut soup = TriangleSoup::default();
        for (k, height) in self.heights.iter().enumerate() {
            let (x, y) = (along(k % columns, columns, self.size[0]), along(k / columns, rows, self.size[1]));
            soup.vertices.push(dvec3(x, y, *height));
        }
        let at = |row: usize, column: usize| (row * columns + column) as u32;
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let [a, b, c, d] =
                    [at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)];
                soup.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        // Counterclockwise seen from above.
        let rim: Vec<u32> = (0..columns)
            .map(|c| at(0, c))
            .chain((1..rows).map(|r| at(r, columns - 1)))
            .chain((0..columns - 1).rev().map(|c| at(rows - 1, c)))
            .chain((1..rows - 1).rev().map(|r| at(r, 0)))
            .collect();
        let below = soup.vertices.len() as u32;
        for k in &rim {
            let above = soup.vertices[*k as usize];
            soup.vertices.push(DVec3 { z: self.bottom, ..above });
        }
        let middle = soup.vertices.len() as u32;
        soup.vertices.push(dvec3(0.0, 0.0, self.bottom));
        for k in 0..rim.len() {
            let next = (k + 1) % rim.len();
            let (a, b) = (rim[k], rim[next]);
            let (under_a, under_b) = (below + k as u32, below + next as u32);
            soup.triangles.extend([[a, under_a, under_b], [a, under_b, b], [middle, under_b, under_a]]);
        }
        Ok(soup)
    }

    fn check(&self) -> Result<(), HeightFieldError> {
        let (count, columns, size) = (self.heights.len(), self.columns, self.size);
        if columns < 2 || count < 2 * columns || !count.is_multiple_of(columns) {
            return Err(HeightFieldError::Grid { count, columns });
        }
        if count > Self::MOST {
            return Err(HeightFieldError::TooMany { count });
        }
        if let Some(k) = self.heights.iter().position(|height| !height.is_finite()) {
            let (row, column) = (k / columns, k % columns);
            return Err(HeightFieldError::NotFinite { row, column, value: self.heights[k] });
        }
        if !size.iter().all(|length| length.is_finite() && *length > 0.0) {
            return Err(HeightFieldError::Size { size });
        }
        let lowest = self.heights.iter().copied().fold(f64::INFINITY, f64::min);
        if !(self.bottom.is_finite() && self.bottom < lowest) {
            return Err(HeightFieldError::Bottom { bottom: self.bottom, lowest });
        }
        Ok(())
    }
}

/// A grid of numbers from a CSV table without headings: a line for each row.
///
/// # Errors
/// When a line is longer or shorter than the first, or a field is no number: the text names line and column, and not what stands there.
pub fn read_height_table(file: impl Read) -> Result<(usize, Vec<f64>), HeightFieldError> {
    let unread = |problem: String| HeightFieldError::Unread { problem };
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).flexible(true).from_reader(file);
    let (mut columns, mut values) = (0, Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            unread(format!("line {line} cannot be read as a table: write numbers with commas between them"))
        })?;
        let line = record.position().map_or(1, csv::Position::line);
        if values.is_empty() {
            columns = record.len();
        }
        if record.len() != columns {
            let found = record.len();
            return Err(unread(format!(
                "line {line} has {found} fields, the first has {columns}: give every row as many"
            )));
        }
        for (k, field) in record.iter().enumerate() {
            let value = field.parse::<f64>().ok().filter(|value| value.is_finite());
            let problem = || unread(format!("line {line}, column {}: write a finite number", k + 1));
            values.push(value.ok_or_else(problem)?);
        }
        if values.len() > HeightField::MOST {
            return Err(HeightFieldError::TooMany { count: values.len() });
        }
    }
    Ok((columns, values))
}

/// A grid from a picture (PNG of 8 or 16 bits): grey values from 0 (black) to 1 (white), of a coloured picture the mean of its colours.
/// The last row of the picture comes first: it is near, and y goes up in it.
///
/// # Errors
/// When it is no such picture, or too large.
pub fn read_height_picture(bytes: &[u8]) -> Result<(usize, Vec<f64>), HeightFieldError> {
    let unread =
        |error: png::DecodingError| HeightFieldError::Unread { problem: format!("no PNG picture: {error}") };
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(unread)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let count = width.saturating_mul(height);
    if count > HeightField::MOST {
        return Err(HeightFieldError::TooMany { count });
    }
    let size = reader.output_buffer_size();
    let size = size.ok_or(HeightFieldError::TooMany { count })?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(unread)?;
    let samples = info.color_type.samples();
    let colours = if samples >= 3 { 3 } else { 1 };
    let bytes_each = if info.bit_depth == png::BitDepth::Sixteen { 2 } else { 1 };
    let mut values = Vec::with_capacity(count);
    for row in (0..height).rev() {
        for column in 0..width {
            let pixel = row * info.line_size + column * samples * bytes_each;
            let value = |k: usize| match pixels[pixel + k * bytes_each..][..bytes_each] {
                [high, low] => f64::from(u16::from_be_bytes([high, low])) / 65535.0,
                [value] => f64::from(value) / 255.0,
                _ => 0.0,
            };
            values.push((0..colours).map(value).sum::<f64>() / colours as f64);
        }
    }
    Ok((width, values))
}
