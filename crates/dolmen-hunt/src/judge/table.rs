//! Tables of a run: comma-separated values with a heading, read anew.

use std::fs;
use std::io::Read;
use std::path::Path;

use super::vector::{Vector, vector};

/// What is read of a table: a run without progress may write hundreds of megabytes of events.
const MOST_BYTES: u64 = 16 << 20;

/// A table as text, row by row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Values, as many in each row as there are columns.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file; a table that is not there is empty, and so is a last line that was cut.
    ///
    /// # Errors
    /// When a row in the middle has more or fewer values than there are columns.
    pub fn read(path: &Path) -> Result<Self, String> {
        let Ok(file) = fs::File::open(path) else { return Ok(Self::default()) };
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| error.to_string())?;
        Self::parse(&text)
            .map_err(|what| format!("{}: {what}", path.file_name().unwrap_or_default().display()))
    }

    /// Reads text.
    ///
    /// # Errors
    /// When a row has more or fewer values than there are columns.
    pub fn parse(text: &str) -> Result<Self, String> {
        // A process that was killed leaves half a line.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = whole.lines();
        let columns = fields(lines.next().unwrap_or_default());
        let rows: Vec<Vec<String>> = lines.map(fields).collect();
        match rows.iter().position(|row| row.len() != columns.len()) {
            Some(k) => {
                Err(format!("line {} has {} values for {} columns", k + 2, rows[k].len(), columns.len()))
            }
            None => Ok(Self { columns, rows }),
        }
    }

    /// The place of a column.
    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// A value as text; empty where there is no such column.
    pub fn text(&self, row: usize, name: &str) -> &str {
        self.column(name).map_or("", |k| &self.rows[row][k])
    }

    /// A value as a number; NaN where it is none.
    pub fn number(&self, row: usize, name: &str) -> f64 {
        self.text(row, name).parse().unwrap_or(f64::NAN)
    }

    /// Three columns.
    pub fn vector(&self, row: usize, names: [&str; 3]) -> Vector {
        let [x, y, z] = names.map(|name| self.number(row, name));
        vector(x, y, z)
    }

    /// Places of rows.
    pub fn places(&self) -> std::ops::Range<usize> {
        0..self.rows.len()
    }

    /// The first value that is a number and not finite: row, column and text.
    pub fn not_finite(&self) -> Option<(usize, &str, &str)> {
        self.rows.iter().enumerate().find_map(|(k, row)| {
            let bad = |value: &str| value.parse::<f64>().is_ok_and(|x| !x.is_finite());
            let place = row.iter().position(|value| bad(value))?;
            // A body may be called "inf": columns of names are not numbers.
            let name = self.columns[place].as_str();
            let is_name = ["body", "joint", "body_a", "body_b", "set", "kind", "note"].contains(&name);
            (!is_name).then(|| (k, name, row[place].as_str()))
        })
    }
}

/// The values of a line; quotes keep commas, and two quotes are one.
fn fields(line: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut quoted = false;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let last = values.last_mut().expect("there is always one");
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => values.push(String::new()),
            c => last.push(c),
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quotes, empty values and a line that was cut.
    #[test]
    fn a_table_is_read() {
        let table = Table::parse("t,body,note\n0.0,\"a, b\",\n1e-3,c,\"x\"\"y\"\n2.0,d").expect("a table");
        assert_eq!(table.rows.len(), 2);
        assert_eq!(table.text(0, "body"), "a, b");
        assert_eq!(table.text(1, "note"), "x\"y");
        assert_eq!(table.number(1, "t"), 1e-3);
        assert!(Table::parse("a,b\n1\n").is_err());
    }

    /// What is not a number is found, and a name is not taken for one.
    #[test]
    fn what_is_not_finite_is_found() {
        let table = Table::parse("t,body,x\n0.0,nan,1.0\n1.0,b,NaN\n").expect("a table");
        assert_eq!(table.not_finite(), Some((1, "x", "NaN")));
    }
}
