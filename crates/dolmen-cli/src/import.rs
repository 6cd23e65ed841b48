//! `dolmen import`: scenes of files of other formats.

use std::fmt::Display;
use std::path::Path;

use dolmen::scene::Document;
use dolmen_import::{Imported, Meshes, Options};
use serde_json::json;

use crate::args::{ImportOptions, ImportPart, MeshOption};
use crate::failure::Failure;
use crate::files::replace_file;

/// Imports a file, prints or writes the scene, and lists what it cannot say.
pub(crate) fn import(options: &ImportOptions) -> Result<(), Failure> {
    let leaves_out = |part| options.without.contains(&part);
    let asked = Options {
        meshes: match options.meshes {
            None => Meshes::Auto,
            Some(MeshOption::Exact) => Meshes::Exact,
            Some(MeshOption::Hull) => Meshes::Hull,
            Some(MeshOption::Parts) => Meshes::Parts,
            Some(MeshOption::Box) => Meshes::Box,
        },
        most_parts: options.parts,
        package_paths: options.package_path.clone(),
        allow_outside: options.allow_outside,
        keyframe: options.keyframe.clone(),
        free_base: options.free_base,
        contacts: !leaves_out(ImportPart::Contacts),
        limits: !leaves_out(ImportPart::Limits),
        actuators: !leaves_out(ImportPart::Actuators),
    };
    let imported =
        dolmen_import::import(&options.file, &asked).map_err(|error| Failure::input(error.to_string()))?;
    if let Some(path) = &options.names {
        replace_file(path, names(&imported).as_bytes())?;
    }
    match &options.out {
        None => crate::print(&imported.toml)?,
        Some(out) => {
            replace_file(out, imported.toml.as_bytes())?;
            let (bodies, joints) = (imported.scene.body.len(), imported.scene.joint.len());
            crate::print(&format!("{}: {bodies} bodies, {joints} joints\n", out.display()))?;
        }
    }
    list(NOT_SAID, &imported.notes);
    Ok(())
}

/// A file of another format in the place of a scene.
pub(crate) fn document(path: &Path, overrides: &[String], allow_outside: bool) -> Result<Document, Failure> {
    let imported = dolmen_import::import(path, &Options { allow_outside, ..Options::default() })
        .map_err(|error| Failure::input(error.to_string()))?;
    list(NOT_SAID, &imported.notes);
    Document::parse_with(&format!("{}.toml", path.display()), &imported.toml, overrides)
        .map_err(|errors| Failure::input(errors.to_string()))
}

pub(crate) const NOT_SAID: &str = "what the file says and the scene does not:";

/// Lists notes under a heading.
pub(crate) fn list(heading: &str, notes: &[impl Display]) {
    if !notes.is_empty() {
        eprintln!("{heading}");
    }
    for note in notes {
        eprintln!("  {note}");
    }
}

fn names(imported: &Imported) -> String {
    let links: Vec<_> = imported
        .links
        .iter()
        .map(|link| {
            json!({ "link": link.link, "body": link.body, "fixed": link.fixed, "position": link.position,
                "quaternion": link.quaternion })
        })
        .collect();
    let joints: Vec<_> = imported
        .coordinates
        .iter()
        .map(|joint| {
            json!({ "joint": joint.joint, "in_scene": joint.in_scene, "axis": joint.axis, "sign": joint.sign,
                "offset": joint.offset, "start": joint.start })
        })
        .collect();
    format!("{:#}\n", json!({ "links": links, "joints": joints }))
}
