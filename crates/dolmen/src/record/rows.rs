//! Writers of rows: CSV as every table of a run has it.

use std::io::{self, Write};

/// A table without a header line, or one whose header is there already.
pub(super) fn writer<W: Write>(file: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(file)
}

/// A table that begins with its header line.
pub(super) fn begin<W: Write>(file: W, header: &str) -> io::Result<csv::Writer<W>> {
    let mut table = writer(file);
    table.write_record(header.split(',')).map_err(io::Error::other)?;
    Ok(table)
}
