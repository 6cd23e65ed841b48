//! Columns of a sweep, and Parquet files of them.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::Type;

use crate::SweepError;
use crate::axis::Values;
use crate::plan::Plan;
use crate::variant::Row;

/// What the values of a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    /// So many numbers in brackets.
    Vector(usize),
    Text,
}

impl Kind {
    pub(crate) fn of(values: &Values) -> Self {
        let Values::List(list) = values else { return Self::Number };
        let all = |is: &dyn Fn(&String) -> bool| list.iter().all(is);
        if all(&|value| number(value).is_some()) {
            return Self::Number;
        }
        match list.first().and_then(|value| vector(value)).map(|numbers| numbers.len()) {
            Some(n) if n > 0 && all(&|value| vector(value).is_some_and(|v| v.len() == n)) => Self::Vector(n),
            _ => Self::Text,
        }
    }

    /// The columns of a key.
    pub(crate) fn columns(self, key: &str) -> Vec<String> {
        match self {
            Self::Number | Self::Text => vec![key.to_owned()],
            Self::Vector(3) => ["x", "y", "z"].iter().map(|part| format!("{key}.{part}")).collect(),
            Self::Vector(n) => (0..n).map(|part| format!("{key}.{part}")).collect(),
        }
    }
}

fn number(value: &str) -> Option<f64> {
    value.replace('_', "").parse().ok()
}

fn vector(value: &str) -> Option<Vec<f64>> {
    let inside = value.trim().strip_prefix('[')?.strip_suffix(']')?;
    inside.trim_end().trim_end_matches(',').split(',').map(|part| number(part.trim())).collect()
}

/// The values of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers.
    Number(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Texts.
    Text(Vec<String>),
}

/// Columns by name, all of one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// In their order.
    pub columns: Vec<(String, Column)>,
}

impl Table {
    /// The table of some variants.
    pub(crate) fn of(plan: &Plan, rows: &[Row]) -> Self {
        let mut columns = vec![(
            "variant".to_owned(),
            Column::Whole(rows.iter().map(|row| row.variant.try_into().unwrap_or(i64::MAX)).collect()),
        )];
        let values: Vec<Vec<String>> = rows.iter().map(|row| plan.values(row.variant)).collect();
        for (k, (axis, kind)) in plan.axes.iter().zip(&plan.kinds).enumerate() {
            let of_key = || values.iter().map(|values| values[k].as_str());
            match kind {
                Kind::Text => {
                    columns.push((axis.key.clone(), Column::Text(of_key().map(str::to_owned).collect())));
                }
                Kind::Number => {
                    let numbers = of_key().map(|value| number(value).unwrap_or(f64::NAN));
                    columns.push((axis.key.clone(), Column::Number(numbers.collect())));
                }
                Kind::Vector(_) => {
                    let vectors: Vec<Vec<f64>> =
                        of_key().map(|value| vector(value).unwrap_or_default()).collect();
                    for (part, name) in kind.columns(&axis.key).into_iter().enumerate() {
                        let numbers = vectors.iter().map(|v| v.get(part).copied().unwrap_or(f64::NAN));
                        columns.push((name, Column::Number(numbers.collect())));
                    }
                }
            }
        }
        for (k, measure) in plan.spec.measures.iter().enumerate() {
            let numbers = rows.iter().map(|row| row.measures[k]).collect();
            columns.push((measure.name.clone(), Column::Number(numbers)));
        }
        let text = |of: fn(&Row) -> String| Column::Text(rows.iter().map(of).collect());
        columns.push(("status".to_owned(), text(|row| row.status.name().to_owned())));
        columns.push(("reason".to_owned(), text(|row| row.reason.clone())));
        columns.push(("reached".to_owned(), Column::Number(rows.iter().map(|row| row.reached).collect())));
        columns.push((
            "events".to_owned(),
            Column::Whole(rows.iter().map(|row| row.events.try_into().unwrap_or(i64::MAX)).collect()),
        ));
        columns.push(("cpu".to_owned(), Column::Number(rows.iter().map(|row| row.cpu).collect())));
        Self { columns }
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(other, _)| other == name).map(|(_, column)| column)
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// As a Parquet file.
    pub(crate) fn write(&self, to: impl Write + Send) -> Result<(), ParquetError> {
        let mut fields = Vec::new();
        for (name, column) in &self.columns {
            let (physical, logical) = match column {
                Column::Number(_) => (Physical::DOUBLE, None),
                Column::Whole(_) => (Physical::INT64, None),
                Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            };
            let field = Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(logical)
                .build()?;
            fields.push(Arc::new(field));
        }
        let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
        let properties = WriterProperties::builder().set_created_by("dolmen".to_owned()).build();
        let mut writer = SerializedFileWriter::new(to, schema, Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        for (_, column) in &self.columns {
            let mut written =
                group.next_column()?.ok_or_else(|| ParquetError::General("a column too many".to_owned()))?;
            match column {
                Column::Number(v) => written.typed::<DoubleType>().write_batch(v, None, None)?,
                Column::Whole(v) => written.typed::<Int64Type>().write_batch(v, None, None)?,
                Column::Text(v) => {
                    let bytes: Vec<ByteArray> = v.iter().map(|text| ByteArray::from(text.as_str())).collect();
                    written.typed::<ByteArrayType>().write_batch(&bytes, None, None)?
                }
            };
            written.close()?;
        }
        group.close()?;
        writer.close()?;
        Ok(())
    }

    /// Adds the rows of a Parquet file.
    pub(crate) fn append(&mut self, file: &Path) -> Result<(), SweepError> {
        let cannot = |text: String| SweepError::file(file, &text);
        let opened = File::open(file).map_err(|error| cannot(error.to_string()))?;
        let reader = SerializedFileReader::new(opened).map_err(|error| cannot(error.to_string()))?;
        let rows = reader.get_row_iter(None).map_err(|error| cannot(error.to_string()))?;
        for row in rows {
            let row = row.map_err(|error| cannot(error.to_string()))?;
            for (k, (name, field)) in row.get_column_iter().enumerate() {
                if self.columns.len() == k {
                    let empty = match field {
                        Field::Double(_) => Column::Number(Vec::new()),
                        Field::Long(_) => Column::Whole(Vec::new()),
                        _ => Column::Text(Vec::new()),
                    };
                    self.columns.push((name.clone(), empty));
                }
                match (&mut self.columns[k].1, field) {
                    (Column::Number(v), Field::Double(number)) => v.push(*number),
                    (Column::Whole(v), Field::Long(number)) => v.push(*number),
                    (Column::Text(v), Field::Str(text)) => v.push(text.clone()),
                    _ => return Err(cannot(format!("the column {name} is of another kind than before"))),
                }
            }
        }
        Ok(())
    }
}

impl Column {
    /// How many values it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Number(v) => v.len(),
            Self::Whole(v) => v.len(),
            Self::Text(v) => v.len(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
