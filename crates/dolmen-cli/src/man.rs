//! `dolmen man`: manual pages, made from the arguments.

use std::fs;
use std::path::Path;

use clap::CommandFactory;

use crate::args::Arguments;
use crate::failure::Failure;
use crate::files::cannot_write;

/// Writes the page of the program and one of each command into a folder and prints their names; without a folder, prints the page of
/// the program.
pub(crate) fn man(folder: Option<&Path>) -> Result<(), Failure> {
    let command = Arguments::command();
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(|error| Failure::stopped(format!("cannot print: {error}")))?;
        return crate::print(&String::from_utf8_lossy(&page));
    };
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|error| cannot_write(folder, &error))?;
    let entries = fs::read_dir(folder).map_err(|error| cannot_write(folder, &error))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "1"))
        .map(|path| format!("{}\n", path.display()))
        .collect();
    names.sort_unstable();
    crate::print(&names.concat())
}
