//! `<include file="…"/>`: the children of another file's root in the place of the element.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::Reading;
use crate::file::folder;
use crate::note::ImportError;
use crate::xml::Element;

/// The most files of one model.
const MAX_FILES: usize = 256;

/// The most elements of all files together.
const MAX_ELEMENTS: usize = 2_000_000;

/// All includes of a tree resolved. Paths are relative to the main file, as in MuJoCo.
pub(super) fn resolve(root: Element, reading: &mut Reading<'_>) -> Result<Element, ImportError> {
    let base = folder(&reading.path);
    let mut state = State { base, seen: BTreeSet::new(), elements: 0 };
    state.element(root, 0, reading)
}

struct State {
    base: PathBuf,
    seen: BTreeSet<PathBuf>,
    elements: usize,
}

impl State {
    fn element(
        &mut self,
        mut element: Element,
        depth: usize,
        reading: &mut Reading<'_>,
    ) -> Result<Element, ImportError> {
        self.elements += 1;
        if depth > 512 || self.elements > MAX_ELEMENTS {
            return Err(
                element.error(format!("more than {MAX_ELEMENTS} elements, or includes nested too deep"))
            );
        }
        let mut children = Vec::with_capacity(element.children.len());
        for child in std::mem::take(&mut element.children) {
            if child.name != "include" {
                children.push(self.element(child, depth + 1, reading)?);
                continue;
            }
            let Some(file) = child.get("file") else { return Err(child.error("<include> without a `file`")) };
            let path = self.base.join(file);
            if !self.seen.insert(path.clone()) {
                return Err(child
                    .error(format!("{file} is included twice"))
                    .help("MuJoCo reads a file once only"));
            }
            if self.seen.len() > MAX_FILES {
                return Err(child.error(format!("more than {MAX_FILES} included files")));
            }
            let root = Element::read(&path, &mut reading.files).map_err(|error| {
                if error.place.at.is_none() { child.error(error.to_string()) } else { error }
            })?;
            let root = self.element(root, depth + 1, reading)?;
            children.extend(root.children);
        }
        element.children = children;
        Ok(element)
    }
}
