//! Parquet copies of a run's tables: X.csv becomes X.parquet, with typed columns.
//!
//! The `parquet` crate is used without arrow and without compression: the numbers of a simulation hardly
//! compress, and the crates stay few. Lines are read and written a row group at a time, so a table of any length
//! needs the memory of one group.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;
use thiserror::Error;

use crate::tables::{Table, TableError, TablePart, parse_number};

/// Rows in a row group: for states about 15 MB of memory. Readers prefer large groups, writers small ones.
const GROUP_ROWS: usize = 1 << 17;
/// Columns of text; a body may be named "1".
const TEXT_COLUMNS: [&str; 14] = [
    "body",
    "set",
    "joint",
    "body_a",
    "body_b",
    "feature_a",
    "feature_b",
    "kind",
    "law",
    "restitution",
    "mode",
    "note",
    "status",
    "axis",
];
/// Columns of whole numbers.
const WHOLE_COLUMNS: [&str; 5] = ["index", "group", "rounds", "contacts", "iterations"];
/// Tables whose columns are numbers but for those named above. In any other table the fields decide.
const KNOWN_TABLES: [&str; 9] =
    ["states", "bodies", "particles", "energy", "momentum", "events", "forces", "resultants", "joints"];

/// Why there is no copy.
#[derive(Debug, Error)]
pub(crate) enum CopyError {
    /// The table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There are no tables.
    #[error("there are no tables (*.csv) to write into {}; give the directory that `dolmen run` wrote", .0.display())]
    NoTables(PathBuf),
    /// The copy cannot be written.
    #[error("{}: {source}; check that you may write there and that the disk has room", .file.display())]
    Write {
        /// The copy.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The format refused.
    #[error("{}: {source}; the table itself is unharmed", .file.display())]
    Format {
        /// The copy.
        file: PathBuf,
        /// What the library said.
        source: ParquetError,
    },
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A number; an empty field is NaN.
    Number,
    /// A whole number.
    Whole,
    /// Text.
    Text,
}

/// The fields of one column of one row group.
enum Column {
    Number(Vec<f64>),
    Whole(Vec<i64>),
    Text(Vec<ByteArray>),
}

/// Writes X.parquet into `out` for every table X.csv, as far as it counts, and returns the copies.
///
/// Column names are those of the table. `body`, `set`, `kind` and their like are strings, `index`, `group` and their
/// like are 64-bit integers, all else of the tables of a run is a double; in other tables a column is a double when
/// every field of it is a number or empty (NaN), else a string. A copy that fails leaves no half of itself.
///
/// # Errors
/// When there is no table, a table cannot be read or a copy cannot be written.
pub(crate) fn write_tables(tables: &[TablePart], out: &Path) -> Result<Vec<PathBuf>, CopyError> {
    if tables.is_empty() {
        return Err(CopyError::NoTables(out.to_owned()));
    }
    let mut copies = Vec::new();
    for table in tables {
        let name = table.file.file_stem().unwrap_or_default();
        let copy = out.join(name).with_added_extension("parquet");
        let unfinished = copy.with_added_extension("part");
        if let Err(error) = write_table(table, &unfinished) {
            // The error that is reported is the first one; that the rest cannot be removed adds nothing.
            let _ = std::fs::remove_file(&unfinished);
            return Err(error);
        }
        std::fs::rename(&unfinished, &copy)
            .map_err(|source| CopyError::Write { file: copy.clone(), source })?;
        copies.push(copy);
    }
    Ok(copies)
}

fn write_table(table: &TablePart, copy: &Path) -> Result<(), CopyError> {
    write_grouped(table, copy, GROUP_ROWS)
}

fn write_grouped(table: &TablePart, copy: &Path, group_rows: usize) -> Result<(), CopyError> {
    let kinds = column_kinds(table)?;
    let mut reader = Table::open(table)?;
    let format = |source| CopyError::Format { file: copy.to_owned(), source };
    let schema = Arc::new(schema(&reader.header, &kinds).map_err(format)?);
    let file = File::create(copy).map_err(|source| CopyError::Write { file: copy.to_owned(), source })?;
    let properties = Arc::new(WriterProperties::builder().set_created_by("dolmen".to_owned()).build());
    let mut writer = SerializedFileWriter::new(file, schema, properties).map_err(format)?;
    loop {
        let columns = read_group(&mut reader, &kinds, group_rows)?;
        if columns.first().is_none_or(Column::is_empty) {
            break;
        }
        let mut group = writer.next_row_group().map_err(format)?;
        for column in &columns {
            column.write(&mut group).map_err(format)?;
        }
        group.close().map_err(format)?;
    }
    writer.close().map_err(format)?;
    Ok(())
}

fn schema(header: &[String], kinds: &[Kind]) -> Result<Type, ParquetError> {
    let mut fields = Vec::new();
    for (name, kind) in header.iter().zip(kinds) {
        let (physical, logical) = match kind {
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Whole => (Physical::INT64, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    Type::group_type_builder("schema").with_fields(fields).build()
}

/// What each column holds; for a table that is not one of ours, by reading it through.
fn column_kinds(table: &TablePart) -> Result<Vec<Kind>, TableError> {
    let mut reader = Table::open(table)?;
    let by_name = |name: &String| match name.as_str() {
        n if TEXT_COLUMNS.contains(&n) => Kind::Text,
        n if WHOLE_COLUMNS.contains(&n) => Kind::Whole,
        _ => Kind::Number,
    };
    let mut kinds: Vec<Kind> = reader.header.iter().map(by_name).collect();
    let is_known = table.file.file_stem().is_some_and(|stem| KNOWN_TABLES.iter().any(|known| stem == *known));
    if is_known {
        return Ok(kinds);
    }
    while let Some(record) = reader.next()? {
        for (kind, field) in kinds.iter_mut().zip(record) {
            if *kind == Kind::Whole && field.parse::<i64>().is_err() {
                *kind = Kind::Number;
            }
            if *kind == Kind::Number && !field.is_empty() && parse_number(field).is_none() {
                *kind = Kind::Text;
            }
        }
    }
    Ok(kinds)
}

fn read_group(reader: &mut Table, kinds: &[Kind], rows: usize) -> Result<Vec<Column>, TableError> {
    let mut columns: Vec<Column> = kinds.iter().map(|kind| Column::new(*kind)).collect();
    for _ in 0..rows {
        let Some(record) = reader.next()? else { break };
        let refused = columns.iter_mut().zip(record).position(|(column, field)| !column.push(field));
        if let Some(i) = refused {
            return Err(reader.bad_field(i, if kinds[i] == Kind::Whole { "whole number" } else { "number" }));
        }
    }
    Ok(columns)
}

impl Column {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Number => Self::Number(Vec::new()),
            Kind::Whole => Self::Whole(Vec::new()),
            Kind::Text => Self::Text(Vec::new()),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Number(v) => v.is_empty(),
            Self::Whole(v) => v.is_empty(),
            Self::Text(v) => v.is_empty(),
        }
    }

    /// Adds a field; false when it does not fit the column.
    fn push(&mut self, field: &str) -> bool {
        match self {
            Self::Number(v) => {
                let number = if field.is_empty() { Some(f64::NAN) } else { parse_number(field) };
                v.extend(number);
                number.is_some()
            }
            Self::Whole(v) => {
                let whole: Option<i64> = field.trim().parse().ok();
                v.extend(whole);
                whole.is_some()
            }
            Self::Text(v) => {
                v.push(ByteArray::from(field));
                true
            }
        }
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        let mut column =
            group.next_column()?.ok_or_else(|| ParquetError::General("a column too many".to_owned()))?;
        match self {
            Self::Number(v) => column.typed::<DoubleType>().write_batch(v, None, None)?,
            Self::Whole(v) => column.typed::<Int64Type>().write_batch(v, None, None)?,
            Self::Text(v) => column.typed::<ByteArrayType>().write_batch(v, None, None)?,
        };
        column.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;
    use std::fmt::Write as _;

    fn read(file: &Path) -> (Vec<String>, Vec<Vec<Field>>, usize) {
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        let names = reader
            .metadata()
            .file_metadata()
            .schema()
            .get_fields()
            .iter()
            .map(|f| f.name().to_owned())
            .collect();
        let rows = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().into_columns().into_iter().map(|(_, field)| field).collect())
            .collect();
        (names, rows, reader.metadata().num_row_groups())
    }

    /// Copies of all tables of a folder.
    fn copies_in(folder: &Path) -> Result<Vec<PathBuf>, CopyError> {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let tables: Vec<TablePart> = files.map(|file| TablePart::from(file.as_path())).collect();
        write_tables(&tables, folder)
    }

    /// Every bit of every number survives, over several row groups, and so do names with commas and quotes.
    #[test]
    fn a_copy_has_the_values_of_the_table() {
        let dir = tempfile::tempdir().unwrap();
        let numbers = [0.1, -0.0, 5e-324, f64::MAX, f64::INFINITY, 1.0 / 3.0, 2.5];
        let mut text = "t,set,index,x\n".to_owned();
        for (i, v) in (0..).zip(numbers) {
            writeln!(text, "{i},\"a, \"\"b\"\"\",{i},{v}").unwrap();
        }
        let table = dir.path().join("particles.csv");
        std::fs::write(&table, text).unwrap();
        let copy = dir.path().join("particles.parquet");
        write_grouped(&TablePart::from(table.as_path()), &copy, 3).unwrap();
        let (names, rows, groups) = read(&copy);
        assert_eq!((names.join(","), rows.len(), groups), ("t,set,index,x".to_owned(), 7, 3));
        for (i, (row, v)) in (0..).zip(rows.iter().zip(numbers)) {
            assert_eq!(row[1], Field::Str("a, \"b\"".to_owned()));
            assert_eq!(row[2], Field::Long(i));
            let Field::Double(read) = row[3] else { panic!("{:?} is not a double", row[3]) };
            assert_eq!(read.to_bits(), v.to_bits(), "row {i}: {read:e} for {v:e}");
        }
    }

    /// A table that we do not know is typed by what is in it; a body called 1 stays a name.
    #[test]
    fn an_unknown_table_is_typed_by_its_fields() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("mine.csv"), "t,body,remark,gap\n0,1,hit,\n1,2,3,0.5\n").unwrap();
        let copies = copies_in(dir.path()).unwrap();
        assert_eq!(copies, [dir.path().join("mine.parquet")]);
        let (_, rows, _) = read(&copies[0]);
        assert_eq!((&rows[0][1], &rows[1][2]), (&Field::Str("1".to_owned()), &Field::Str("3".to_owned())));
        assert!(matches!(rows[0][3], Field::Double(gap) if gap.is_nan()));
        assert_eq!(rows[1][3], Field::Double(0.5));
    }

    /// A header alone is a table without rows, and so is its copy.
    #[test]
    fn an_empty_table_has_an_empty_copy() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("states.csv"), "t,body,x\n").unwrap();
        let (names, rows, _) = read(&copies_in(dir.path()).unwrap()[0]);
        assert_eq!((names.len(), rows.len()), (3, 0));
    }

    /// The error names file, line and column, and no half of a copy is left.
    #[test]
    fn a_bad_number_leaves_no_copy() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("energy.csv"), "t,kinetic\n0,1\n1,oops\n").unwrap();
        let error = copies_in(dir.path()).unwrap_err().to_string();
        assert!(error.contains("energy.csv, line 3, column kinetic: \"oops\""), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(matches!(write_tables(&[], dir.path()), Err(CopyError::NoTables(_))));
    }
}
