//! The map of the engine: layers, folders that the documents name, imports without cycles, counts that may only shrink.

use std::fs;
use std::path::{Path, PathBuf};

use imports::{Graph, Module};
use source::files as sources;

#[path = "tidy/counts.rs"]
mod counts;
#[path = "tidy/imports.rs"]
mod imports;
#[path = "tidy/source.rs"]
mod source;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The modules of the crate that a source file names, in code and in comments.
fn imports(text: &str) -> Vec<&str> {
    text.split("crate::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
        .collect()
}

/// `integrate/`, `solve/` and `math/` could be lifted out: they know only `math/` and themselves.
#[test]
fn pure_mathematics_knows_no_bodies() {
    let engine = root().join("crates/dolmen/src");
    for (folder, allowed) in
        [("integrate", &["math", "integrate"][..]), ("solve", &["math", "solve"]), ("math", &["math"])]
    {
        for (path, text) in sources(&engine.join(folder)) {
            for import in imports(&text) {
                assert!(allowed.contains(&import), "{} imports crate::{import}", path.display());
            }
        }
    }
}

/// No folder imports a driver, and shapes and masses import nothing of worlds.
#[test]
fn layers_point_downwards() {
    let engine = root().join("crates/dolmen/src");
    for (path, text) in sources(&engine) {
        let own = path.strip_prefix(&engine).expect("inside the engine");
        if own.starts_with("drive") || own == Path::new("lib.rs") {
            continue;
        }
        assert!(!imports(&text).contains(&"drive"), "{} imports a driver", path.display());
        if own.starts_with("shape") || own.starts_with("mass") || own.starts_with("body") {
            let above = ["world", "scene", "force", "motion", "integrate", "record"];
            let found: Vec<_> = imports(&text).into_iter().filter(|i| above.contains(i)).collect();
            assert!(found.is_empty(), "{} imports {found:?}", path.display());
        }
    }
}

/// Every folder of the engine is on the map, and every test that the map names exists.
#[test]
fn the_map_is_true() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map");
    let engine = root().join("crates/dolmen/src");
    for entry in fs::read_dir(&engine).expect("the engine").filter_map(Result::ok) {
        if entry.path().is_dir() {
            let name = format!("{}/", entry.file_name().to_string_lossy());
            assert!(map.contains(&name), "{name} is not in ARCHITECTURE.md");
        }
    }
    for word in map.split('`').filter(|w| w.starts_with("tests/")) {
        assert!(root().join("crates/dolmen").join(word).exists(), "ARCHITECTURE.md names {word}");
    }
}

/// Links between the documents lead somewhere.
#[test]
fn links_of_the_documents_work() {
    let mut documents: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|d| root().join(d)).to_vec();
    documents.extend(fs::read_dir(root().join("docs")).expect("docs").filter_map(|e| Some(e.ok()?.path())));
    for document in documents.iter().filter(|d| d.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(document).expect("a document");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or("");
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = document.parent().expect("a folder").join(file);
            assert!(path.exists(), "{} links to {target}", document.display());
        }
    }
}

/// Every decision has a status, a question, a choice and a price, and stands in the list.
#[test]
fn decisions_are_whole_and_listed() {
    let folder = root().join("docs/decisions");
    let list = fs::read_to_string(folder.join("README.md")).expect("the list");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("the decisions").filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "README.md" {
            continue;
        }
        count += 1;
        let page = fs::read_to_string(entry.path()).expect("a page");
        for part in ["Status", "Question", "Choice", "Price"] {
            assert!(page.contains(&format!("\n**{part}.** ")), "{name} has no {part}");
        }
        assert!(list.contains(&format!("({name})")), "{name} is not in the list");
    }
    assert!(count > 50, "only {count} decisions were read");
}

/// The name and the year of each work that a text cites in brackets, several apart by semicolons, where no link follows.
fn cited(text: &str) -> Vec<&str> {
    let brackets = text.split('[').skip(1).filter_map(|rest| {
        let (inside, after) = rest.split_once(']')?;
        (!after.starts_with('(') && !inside.contains(['"', '`', '\n'])).then_some(inside)
    });
    let end_of_work = |part: &str| -> Option<usize> {
        let years = part.match_indices(' ').map(|(at, _)| at + 1);
        let mut ends = years.filter(|at| {
            let year: Vec<char> = part[*at..].chars().take(5).collect();
            year.len() >= 4
                && year[..4].iter().all(char::is_ascii_digit)
                && year.get(4).is_none_or(|next| !next.is_alphanumeric())
        });
        let is_name = part.split(' ').all(|word| !word.is_empty())
            && part.starts_with(char::is_alphabetic)
            && part.split(' ').take(4).any(|word| word.starts_with(char::is_uppercase));
        ends.next().filter(|_| is_name).map(|at| at + 4)
    };
    brackets
        .flat_map(|inside| inside.split(';'))
        .filter_map(|part| {
            let part = part.trim_start();
            Some(&part[..end_of_work(part)?])
        })
        .collect()
}

/// Every work that code and pages cite by name and year is in the references.
#[test]
fn cited_works_are_in_the_references() {
    let root = root();
    let references = fs::read_to_string(root.join("docs/references.md")).expect("the references");
    let keys: Vec<&str> =
        references.lines().filter_map(|l| Some(l.strip_prefix("- [")?.split_once(']')?.0)).collect();
    let is_python = |path: &PathBuf| path.extension().is_some_and(|e| e == "py");
    let gym = root.join("crates/dolmen-py/python/dolmen");
    let pages = ["docs", "docs/decisions"].map(|folder| root.join(folder));
    let others = pages.iter().chain([&gym]).flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let others = others.filter_map(|entry| Some(entry.ok()?.path()));
    let mut texts: Vec<(PathBuf, String)> = others
        .filter(|path| is_python(path) || path.extension().is_some_and(|e| e == "md"))
        .map(|path| (path.clone(), fs::read_to_string(path).expect("a page")))
        .collect();
    texts.extend(sources(&root.join("crates")));
    let mut seen = 0;
    let mut missing = Vec::new();
    for (path, text) in &texts {
        for work in cited(text) {
            seen += 1;
            if !keys.contains(&work) {
                missing.push(format!("{}: [{work}]", path.display()));
            }
        }
    }
    assert!(seen > 40, "only {seen} works are cited");
    assert!(missing.is_empty(), "not in docs/references.md: {missing:#?}");
    let text = "[Keller 1986], [Darboux; Kane 1984, p. 2] and [van der Walt, Smith 2015], not [a](b 1999), [x: 12], [1, 2012]";
    assert_eq!(cited(text), ["Keller 1986", "Kane 1984", "van der Walt, Smith 2015"]);
}

fn engine() -> Graph {
    let engine = root().join("crates/dolmen/src");
    Graph::new(&engine, &sources(&engine))
}

/// A folder of the engine uses those that stand above it in `lib.rs`, and none below.
#[test]
fn folders_stand_in_the_order_of_their_layers() {
    let lib = fs::read_to_string(root().join("crates/dolmen/src/lib.rs")).expect("the engine");
    let order: Vec<&str> =
        lib.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let rank = |module: &Module| order.iter().position(|name| module.first().is_some_and(|m| m == name));
    for (module, others) in &engine().edges {
        for other in others {
            // The root itself declares nothing that others use.
            let (Some(own), Some(used)) = (rank(module), rank(other)) else { continue };
            let (module, other) = (module.join("/"), other.join("/"));
            assert!(used <= own, "{module} uses {other}, which stands below it in lib.rs");
        }
    }
}

/// No two files or folders of one folder import each other, by themselves or by way of others. What a folder's `mod.rs`
/// declares is its face: the files in it may use that.
#[test]
fn imports_form_no_cycles() {
    let cycles = engine().cycles();
    assert!(cycles.is_empty(), "imports in circles:\n{}", cycles.join("\n"));
}

/// The graph is that of the code: imports of every form count, those of comments, strings and tests do not, and names that a face
/// passes on lead to who declares them.
#[test]
fn imports_are_read_as_the_compiler_reads_them() {
    let file = |path: &str, text: &str| (Path::new("src").join(path), text.to_owned());
    let cycles = |text: &str| {
        let sources = [
            file("lib.rs", "pub mod a;"),
            file("a/mod.rs", "mod x; mod y; mod z; pub use x::{Thing, Thing as Same}; pub use y::Other;"),
            file("a/x.rs", "use super::z::{self, deep::Down}; pub struct Thing;"),
            file("a/y.rs", "pub struct Other;"),
            file("a/z.rs", text),
        ];
        Graph::new(Path::new("src"), &sources).cycles()
    };
    // x uses z.
    for back in [
        "use super::Thing;",
        "use crate::a::{Other, Same as T};",
        "use crate::{a::{self, x::Thing}};",
        "fn g() -> impl Sized + use<> { super::x::f() }",
        "fn g(thing: &crate::a::Thing) {}",
    ] {
        assert_eq!(cycles(back), ["a/x, a/z: a/x -> a/z; a/z -> a/x"], "{back}");
    }
    for other in [
        "use super::Other;",
        "// use super::Thing;",
        "/* super::Thing /* */ super::Thing */ const S: &str = r#\"super::Thing\"#;",
        "const S: (char, &str) = ('\"', \"super::Thing\");",
        "#[cfg(test)] mod tests { use super::super::Thing; }  #[cfg(test)] use super::Thing;",
    ] {
        assert_eq!(cycles(other), [""; 0], "{other}");
    }
}

/// Files with `unsafe` in them, and why. Anywhere else the word is refused, whatever a lint allows.
const UNSAFE: [(&str, &str); 3] = [
    ("crates/dolmen/tests/allocation.rs", "a counting allocator"),
    ("crates/dolmen/tests/broad_phase/allocation.rs", "a counting allocator"),
    ("crates/dolmen/tests/collide/allocation.rs", "a counting allocator"),
];

/// No `unsafe` code outside of the files that are named, none in the engine, and every name in the list is needed.
#[test]
fn unsafe_code_is_where_it_is_said_to_be() {
    let root = root().canonicalize().expect("the project");
    let mut needed: Vec<&str> = Vec::new();
    for (path, text) in sources(&root.join("crates")) {
        let own = path.strip_prefix(&root).expect("inside the project").to_string_lossy().replace('\\', "/");
        let words = source::tokens(&text.replace("#[cfg(test)]", ""));
        let has_unsafe = words.iter().any(|word| word == "unsafe");
        let allows = text.contains("allow(unsafe_code") || text.contains("expect(unsafe_code");
        if !has_unsafe && !allows {
            continue;
        }
        let named = UNSAFE.iter().find(|(file, _)| *file == own);
        // The root of a test may allow it for a file of its own.
        let is_root = !has_unsafe && own.contains("/tests/");
        assert!(named.is_some() || is_root, "{own} has unsafe code; do without, or name it in tests/tidy.rs");
        needed.extend(named.map(|(file, _)| *file));
    }
    assert!(!needed.iter().any(|file| file.starts_with("crates/dolmen/src")), "the engine has unsafe code");
    for (file, why) in UNSAFE {
        assert!(needed.contains(&file), "{file} ({why}) has no unsafe code any more; take it off the list");
    }
}
