//! The import graph of a crate's modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::source::tokens;

/// A module by its path in the crate; empty for the root.
pub(crate) type Module = Vec<String>;

/// One imported name: the path as written, the name it gets, and whether others may import it from here.
struct Use {
    path: Vec<String>,
    name: String,
    is_public: bool,
}

struct File {
    is_face: bool,
    uses: Vec<Use>,
    /// Without the `use` items.
    body: Vec<String>,
}

/// The modules of a crate that have files of their own, and what each of them uses.
pub(crate) struct Graph {
    files: BTreeMap<Module, File>,
    /// By module: the names that it has from elsewhere, and the paths that these stand for.
    names: BTreeMap<Module, BTreeMap<String, Module>>,
    pub(crate) edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    /// Of the files of a crate, by their paths below `src`.
    pub(crate) fn new(root: &Path, sources: &[(PathBuf, String)]) -> Self {
        let files = sources.iter().map(|(path, text)| {
            let own = path.strip_prefix(root).expect("inside the crate").with_extension("");
            let mut module: Module = own.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let is_face = module.last().is_some_and(|last| last == "mod");
            module.retain(|part| part != "mod" && part != "lib");
            let (uses, body) = uses(&tokens(text));
            (module, File { is_face, uses, body })
        });
        let mut graph = Self { files: files.collect(), names: BTreeMap::new(), edges: BTreeMap::new() };
        graph.find_names();
        graph.find_edges();
        graph
    }

    fn find_names(&mut self) {
        for (module, file) in &self.files {
            let own =
                file.uses.iter().filter_map(|u| Some((u.name.clone(), self.absolute(module, &u.path)?)));
            self.names.insert(module.clone(), own.collect());
        }
    }

    /// A path as seen from the root; none for one into another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Module> {
        let rest = |skip: usize| path[skip..].iter().filter(|part| *part != "self").cloned();
        match path[0].as_str() {
            "crate" => Some(rest(1).collect()),
            "self" => Some(module.iter().cloned().chain(rest(1)).collect()),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let kept = module.len().checked_sub(ups)?;
                Some(module[..kept].iter().cloned().chain(rest(ups)).collect())
            }
            _ => {
                let child: Module = module.iter().chain(&path[..1]).cloned().collect();
                let is_child = self.files.contains_key(&child);
                is_child.then(|| module.iter().cloned().chain(rest(0)).collect())
            }
        }
    }

    /// The module whose file declares what stands at a path: names that come from elsewhere are followed there.
    fn declares(&self, path: &[String], depth: usize) -> Option<&Module> {
        let length = (0..=path.len()).rev().find(|n| self.files.contains_key(&path[..*n]))?;
        let (module, rest) = path.split_at(length);
        let (module, _) = self.files.get_key_value(module)?;
        // No name is re-exported more often than this.
        if depth < 8
            && let Some(name) = rest.first()
            && let Some(other) = self.names.get(module).and_then(|names| names.get(name))
            && other != path
        {
            let other: Module = other.iter().chain(&rest[1..]).cloned().collect();
            return self.declares(&other, depth + 1);
        }
        Some(module)
    }

    fn find_edges(&mut self) {
        let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, file) in &self.files {
            // A face that only passes a name on does not use it.
            let is_used = |u: &&Use| !(u.is_public && file.is_face) || file.body.contains(&u.name);
            let imported = file.uses.iter().filter(is_used).map(|u| u.path.clone());
            let found = imported
                .chain(paths(&file.body))
                .filter_map(|path| self.declares(&self.absolute(module, &path)?, 0))
                .filter(|other| *other != module);
            edges.insert(module.clone(), found.cloned().collect());
        }
        self.edges = edges;
    }

    /// The cycles between siblings: modules of one folder, compared where two paths first differ. Each with the imports that
    /// make it.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let mut siblings: BTreeMap<Module, BTreeMap<Module, String>> = BTreeMap::new();
        for (module, others) in &self.edges {
            for other in others {
                let common = module.iter().zip(other).take_while(|(a, b)| a == b).count();
                if common == module.len() || common == other.len() {
                    continue;
                }
                let (from, to) = (module[..=common].to_vec(), other[..=common].to_vec());
                let import = format!("{} -> {}", module.join("/"), other.join("/"));
                siblings.entry(from).or_default().entry(to).or_insert(import);
            }
        }
        let mut cycles = Vec::new();
        let mut seen: BTreeSet<Module> = BTreeSet::new();
        for start in siblings.keys() {
            if seen.contains(start) {
                continue;
            }
            let there = reachable(&siblings, start);
            let mut members: Vec<&Module> =
                there.iter().filter(|other| reachable(&siblings, other).contains(start)).collect();
            members.sort();
            if members.is_empty() {
                continue;
            }
            seen.extend(members.iter().map(|m| (*m).clone()));
            let names: Vec<String> = members.iter().map(|m| m.join("/")).collect();
            let inner = members.iter().flat_map(|m| {
                siblings[*m].iter().filter(|(to, _)| members.contains(to)).map(|(_, import)| import.as_str())
            });
            cycles.push(format!("{}: {}", names.join(", "), inner.collect::<Vec<_>>().join("; ")));
        }
        cycles
    }
}

/// Everything that can be come to from `start`, which is among it only if a way leads back.
fn reachable<T>(graph: &BTreeMap<Module, BTreeMap<Module, T>>, start: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for next in graph.get(at).into_iter().flat_map(BTreeMap::keys) {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// The `use` items of a file, and all of it but these.
fn uses(tokens: &[String]) -> (Vec<Use>, Vec<String>) {
    let (mut found, mut body) = (Vec::new(), Vec::new());
    let mut i = 0;
    while i < tokens.len() {
        // `use<…>` in a type names what it captures.
        if tokens[i] == "use" && tokens.get(i + 1).is_some_and(|next| next != "<") {
            let end = (i..tokens.len()).find(|k| tokens[*k] == ";").unwrap_or(tokens.len());
            let is_public = body.last().is_some_and(|last| last == "pub")
                || (body.last().is_some_and(|last: &String| last == ")") && is_restricted(&body));
            flatten(&tokens[i + 1..end], &[], is_public, &mut found);
            i = end + 1;
        } else {
            body.push(tokens[i].clone());
            i += 1;
        }
    }
    (found, body)
}

/// Whether what ends here is `pub(…)`.
fn is_restricted(body: &[String]) -> bool {
    let open = body.iter().rposition(|token| token == "(");
    open.and_then(|open| body[..open].last()).is_some_and(|token| token == "pub")
}

/// The paths of a tree of imports.
fn flatten(tree: &[String], prefix: &[String], is_public: bool, found: &mut Vec<Use>) {
    let Some(open) = tree.iter().position(|token| token == "{") else {
        let alias = tree.iter().position(|token| token == "as");
        let own = tree[..alias.unwrap_or(tree.len())].iter().filter(|token| *token != "::").cloned();
        let path: Vec<String> = prefix.iter().cloned().chain(own).collect();
        let last = || path.iter().rfind(|part| *part != "self");
        let name = alias.and_then(|at| tree.get(at + 1)).or_else(last).cloned();
        if let Some(name) = name {
            found.push(Use { path, name, is_public });
        }
        return;
    };
    let head = tree[..open].iter().filter(|token| *token != "::").cloned();
    let prefix: Vec<String> = prefix.iter().cloned().chain(head).collect();
    let close = tree.iter().rposition(|token| token == "}").unwrap_or(tree.len());
    let (mut depth, mut start) = (0, open + 1);
    for i in open + 1..=close {
        match tree.get(i).map_or("}", String::as_str) {
            "{" => depth += 1,
            "}" if i < close => depth -= 1,
            "," if depth == 0 => {
                flatten(&tree[start..i], &prefix, is_public, found);
                start = i + 1;
            }
            _ => {}
        }
    }
    if start < close {
        flatten(&tree[start..close], &prefix, is_public, found);
    }
}

/// All paths of two words or more in a text.
fn paths(body: &[String]) -> impl Iterator<Item = Vec<String>> {
    let is_word = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let begins = move |i: &usize| {
        let follows = body.get(i.wrapping_sub(1)).is_some_and(|before| before == "::" || before == ".");
        is_word(&body[*i]) && !follows && body.get(i + 1).is_some_and(|next| next == "::")
    };
    (0..body.len()).filter(begins).map(move |start| {
        let mut path = vec![body[start].clone()];
        let mut i = start + 1;
        while body.get(i).is_some_and(|mark| mark == "::")
            && body.get(i + 1).is_some_and(|word| is_word(word))
        {
            path.push(body[i + 1].clone());
            i += 2;
        }
        path
    })
}
