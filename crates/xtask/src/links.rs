//! Links inside the built book: every page, picture and heading that one points at must be there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Checks all pages below a folder; lists every link that leads nowhere.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    let mut pages = BTreeMap::new();
    gather(folder, &mut pages)?;
    let (mut count, mut broken) = (0, Vec::new());
    for (page, text) in &pages {
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            if link.contains("://") || link.starts_with("data:") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            if !leads_somewhere(page, link, &pages) {
                broken.push(format!("{}: {link}", page.strip_prefix(folder).unwrap_or(page).display()));
            }
        }
    }
    if !broken.is_empty() {
        return Err(format!("{} links of the book lead nowhere:\n  {}", broken.len(), broken.join("\n  ")));
    }
    println!("{} pages, {count} links inside the book", pages.len());
    Ok(())
}

/// Texts of all pages, by path.
fn gather(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) -> Result<(), String> {
    let cannot = |error| format!("cannot read {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.is_dir() {
            gather(&path, pages)?;
        } else if path.extension().is_some_and(|ending| ending == "html") {
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            pages.insert(path, text);
        }
    }
    Ok(())
}

/// Values of an attribute, as they are written.
fn attributes<'a>(text: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {name}=\"");
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.find(&start)? + start.len()..];
        let (value, after) = rest.split_once('"')?;
        rest = after;
        Some(value)
    })
}

fn leads_somewhere(page: &Path, link: &str, pages: &BTreeMap<PathBuf, String>) -> bool {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match path.split('?').next().unwrap_or("") {
        "" => page.to_owned(),
        path => plain(&page.parent().unwrap_or(page).join(path)),
    };
    let target = if target.is_dir() { target.join("index.html") } else { target };
    let has_heading = |text: &String| attributes(text, "id").any(|id| id == heading);
    target.exists() && (heading.is_empty() || pages.get(&target).is_some_and(has_heading))
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
