//! A table as it is read: CSV with a header line, whose columns are found by name, so that a table may grow new ones.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use serde_json::Value;
use thiserror::Error;

/// Why a run's tables could not be read.
#[derive(Debug, Error)]
pub(crate) enum TableError {
    /// The path is not there or is a file.
    #[error("{} is not a directory; give the directory that `dolmen run` wrote", .0.display())]
    NoDirectory(PathBuf),
    /// The directory has no summary.
    #[error("{} is not a run: it has no {missing}; give the directory that `dolmen run` wrote", .path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
        /// The file that is not there.
        missing: &'static str,
    },
    /// Its process ended before the first sample was whole.
    #[error(
        "the run in {} did not finish (status running) and has no whole sample yet; \
         run its scene again with --overwrite", .0.display()
    )]
    NoSamples(PathBuf),
    /// A run was being overwritten when the process was killed, and what was left to do cannot be done.
    #[error("{} was being overwritten when the process was killed, and that cannot be finished: {source}; \
             check that you may write there", .folder.display())]
    Overwritten {
        /// The directory.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The operating system refused.
    #[error("{}: {source}; check that the file exists and that you may read it", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A column that is needed is not in the header line.
    #[error("{}, line 1: no column {column:?} (the header has {found}); run the scene again", .file.display())]
    Column {
        /// The file.
        file: PathBuf,
        /// The column that was looked for.
        column: &'static str,
        /// The header as it stands.
        found: String,
    },
    /// A line has too few or too many fields.
    #[error(
        "{}, line {line}: {found} fields where the header has {expected}; delete the line or run the scene again",
        .file.display()
    )]
    Fields {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Fields on this line.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// A field is not a number, or a time is not finite.
    #[error(
        "{}, line {line}, column {column}: {text:?} is not a {what}; correct it or run the scene again",
        .file.display()
    )]
    Number {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The field as it stands.
        text: String,
        /// What was expected: "number", "finite time" or "whole number".
        what: &'static str,
    },
    /// Time runs backwards.
    #[error(
        "{}, line {line}: t = {t} s comes after t = {before} s; the lines must be sorted by t: \
         run the scene again", .file.display()
    )]
    Order {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Time on this line, s.
        t: f64,
        /// Time on an earlier line, s.
        before: f64,
    },
    /// The file is not JSON, or not of the form that is needed.
    #[error("{}: {what}; correct it or run the scene again", .file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// What is wrong and where.
        what: String,
    },
}

/// Reads a JSON object.
///
/// # Errors
/// When the file cannot be read, is not JSON, or is not an object.
pub(crate) fn read_json(file: &Path) -> Result<Value, TableError> {
    let text =
        std::fs::read_to_string(file).map_err(|source| TableError::Read { file: file.to_owned(), source })?;
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(TableError::Json { file: file.to_owned(), what: "not a JSON object".to_owned() }),
        Err(e) => Err(TableError::Json { file: file.to_owned(), what: e.to_string() }),
    }
}

/// A table, and how much of it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TablePart {
    pub(crate) file: PathBuf,
    /// Bytes from its start; none for all whole lines.
    pub(crate) length: Option<u64>,
}

impl From<&Path> for TablePart {
    fn from(file: &Path) -> Self {
        Self { file: file.to_owned(), length: None }
    }
}

/// A table that is open, its header read.
pub(crate) struct Table {
    file: PathBuf,
    reader: csv::Reader<BufReader<Take<File>>>,
    /// Names of the columns, as in the header.
    pub(crate) header: Vec<String>,
    record: csv::StringRecord,
}

impl Table {
    /// Opens a table, as far as it counts.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn open(part: &TablePart) -> Result<Self, TableError> {
        let file = &part.file;
        let fail = |source| TableError::Read { file: file.to_owned(), source };
        let mut handle = File::open(file).map_err(fail)?;
        let length = match part.length {
            Some(length) => length,
            None => whole_lines(&mut handle).map_err(fail)?,
        };
        let buffered = BufReader::with_capacity(1 << 20, handle.take(length));
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(buffered);
        let header = reader.headers().map_err(|e| csv_error(file, e))?.iter().map(str::to_owned).collect();
        Ok(Self { file: file.to_owned(), reader, header, record: csv::StringRecord::new() })
    }

    /// The next line, or None at the end.
    ///
    /// # Errors
    /// When the line has not as many fields as the header, or cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<&csv::StringRecord>, TableError> {
        if !self.reader.read_record(&mut self.record).map_err(|e| csv_error(&self.file, e))? {
            return Ok(None);
        }
        if self.record.len() == self.header.len() {
            return Ok(Some(&self.record));
        }
        Err(TableError::Fields {
            file: self.file.clone(),
            line: self.line(),
            found: self.record.len(),
            expected: self.header.len(),
        })
    }

    /// Whether a field of the record last read is this text.
    fn has_field(&self, text: &str) -> bool {
        self.record.iter().any(|field| field == text)
    }

    /// The line of the record last read, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    /// The error of a field of the record last read that is not `what`.
    pub(crate) fn bad_field(&self, column: usize, what: &'static str) -> TableError {
        TableError::Number {
            file: self.file.clone(),
            line: self.line(),
            column: self.header[column].clone(),
            text: self.record.get(column).unwrap_or_default().to_owned(),
            what,
        }
    }

    fn columns<const N: usize>(&self, names: &[&'static str; N]) -> Result<[usize; N], TableError> {
        let mut places = [0; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = self.header.iter().position(|h| h == name).ok_or_else(|| TableError::Column {
                file: self.file.clone(),
                column: name,
                found: if self.header.is_empty() { "nothing".to_owned() } else { self.header.join(",") },
            })?;
        }
        Ok(places)
    }
}

/// A number as the tables write it; NaN and infinities too.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

fn csv_error(file: &Path, error: csv::Error) -> TableError {
    let line = error.position().map_or(0, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(source) => TableError::Read { file: file.to_owned(), source },
        kind => TableError::Number {
            file: file.to_owned(),
            line,
            column: "?".to_owned(),
            text: format!("{kind:?}").chars().take(80).collect(),
            what: "line of UTF-8 text",
        },
    }
}

/// Bytes up to the end of the last line that has one: what comes behind was cut while it was written.
///
/// The file is left at its start.
pub(crate) fn whole_lines(handle: &mut File) -> io::Result<u64> {
    let mut end = handle.seek(SeekFrom::End(0))?;
    let mut block = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(1 << 16);
        block.resize((end - start) as usize, 0);
        handle.seek(SeekFrom::Start(start))?;
        handle.read_exact(&mut block)?;
        if let Some(last) = block.iter().rposition(|byte| *byte == b'\n') {
            end = start + last as u64 + 1;
            break;
        }
        end = start;
    }
    handle.seek(SeekFrom::Start(0))?;
    Ok(end)
}

/// The wanted columns of the line last read, in the order asked for; the first is the time.
pub(crate) struct Row<'a> {
    table: &'a Table,
    places: &'a [usize],
}

impl Row<'_> {
    pub(crate) fn text(&self, i: usize) -> &str {
        self.table.record.get(self.places[i]).unwrap_or_default()
    }

    /// `N` numbers from the `from`-th wanted column on.
    pub(crate) fn numbers<const N: usize>(&self, from: usize) -> Result<[f64; N], TableError> {
        let mut numbers = [0.0; N];
        for (k, number) in numbers.iter_mut().enumerate() {
            *number = parse_number(self.text(from + k))
                .ok_or_else(|| self.table.bad_field(self.places[from + k], "number"))?;
        }
        Ok(numbers)
    }

    pub(crate) fn time(&self) -> Result<f64, TableError> {
        parse_number(self.text(0))
            .filter(|t| t.is_finite())
            .ok_or_else(|| self.table.bad_field(self.places[0], "finite time"))
    }
}

/// Calls `each` on every line; refuses a time that is not finite or that runs backwards, but for that of a broken law, which is noticed
/// later.
pub(crate) fn for_each_row<const N: usize>(
    part: &TablePart,
    names: &[&'static str; N],
    mut each: impl FnMut(f64, &Row) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let mut table = Table::open(part)?;
    let places = table.columns(names)?;
    let mut before = f64::NEG_INFINITY;
    while table.next()?.is_some() {
        let row = Row { table: &table, places: &places };
        let t = row.time()?;
        if t < before && table.has_field("violated") {
            each(before, &row)?;
            continue;
        }
        if t < before {
            return Err(TableError::Order { file: part.file.clone(), line: table.line(), t, before });
        }
        before = t;
        each(t, &row)?;
    }
    Ok(())
}
