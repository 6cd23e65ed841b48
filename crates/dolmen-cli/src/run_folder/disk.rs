//! Tables whose length on disk is known, and which all stop when one cannot be written.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::rc::Rc;

use crate::failure::Failure;
use crate::files::cannot_write;

/// What is known of the tables of a run on disk.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// Bytes of each table, by its name.
    lengths: RefCell<BTreeMap<String, u64>>,
    /// The table that could not be written, and why. From then on no table takes any more, not even what is still buffered:
    /// else rows of one sample would be in one table and not in the next.
    failure: RefCell<Option<(String, String)>>,
}

impl Disk {
    pub(super) fn lengths(&self) -> BTreeMap<String, u64> {
        self.lengths.borrow().clone()
    }

    pub(super) fn failure(&self) -> Option<(String, String)> {
        self.failure.borrow().clone()
    }
}

/// A table on its way to the disk.
#[derive(Debug)]
pub(super) struct TableFile {
    name: String,
    file: File,
    disk: Rc<Disk>,
}

impl TableFile {
    /// An empty one.
    pub(super) fn create(folder: &Path, name: &str, disk: &Rc<Disk>) -> Result<Self, Failure> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|error| cannot_write(&path, &error))?;
        disk.lengths.borrow_mut().insert(name.to_owned(), 0);
        Ok(Self { name: name.to_owned(), file, disk: Rc::clone(disk) })
    }

    /// One that goes on after its first `length` bytes; what comes behind them is dropped.
    pub(super) fn reopen(folder: &Path, name: &str, length: u64, disk: &Rc<Disk>) -> Result<Self, Failure> {
        let path = folder.join(name);
        let open = || {
            let mut file = OpenOptions::new().write(true).open(&path)?;
            if file.metadata()?.len() < length {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it is shorter than it was"));
            }
            file.set_len(length)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|error| {
            let help = "start again from the beginning: delete `checkpoint.bin` and resume";
            Failure::input(format!("cannot go on with {}: {error}\n  help: {help}", path.display()))
        })?;
        disk.lengths.borrow_mut().insert(name.to_owned(), length);
        Ok(Self { name: name.to_owned(), file, disk: Rc::clone(disk) })
    }
}

impl Write for TableFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.disk.failure.borrow().is_some() {
            return Err(io::Error::other("a table could not be written"));
        }
        let written = self.file.write(bytes);
        match &written {
            Ok(n) => *self.disk.lengths.borrow_mut().entry(self.name.clone()).or_default() += *n as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => *self.disk.failure.borrow_mut() = Some((self.name.clone(), error.to_string())),
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
