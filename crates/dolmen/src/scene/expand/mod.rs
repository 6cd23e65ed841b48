//! From the scene as it is written to the flat one: variables, expressions, repeats, templates and included files.
//!
//! In comes the tree of a file; out come the typed scene and a [`Layout`] that knows for every element the text from which it was
//! made. Copies are decoded one by one and their trees dropped, so that a million of them cost what a million bodies cost.
//!
//! Every file and every template has variables of its own (`let`), which its user may set (`with`). Names inside a copy
//! get the copy's name in front; a reference is looked for in its own copy first, then in the copies around it, then at the top.
//! Depth, number of files and number of elements are bounded before anything is made.

mod carry;
mod content;
mod expression;
mod repeat;
mod scope;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::decode::decode_element;
use super::error::{Problem, Source};
use super::files::{Files, named, says_format};
use super::layout::{self, Layout, Placed};
use super::node::{CONTROL, Entry, Node, Value as Written, needs_evaluation};
use super::overrides::Override;
use super::place::Span;
use super::read::{Reader, shown};
use super::tolerances::{DEEPEST_COPY, MOST_ELEMENTS, MOST_FILES};
use super::typed::{Body, Force, Joint, Material, MaterialPair, Orientation, Particles, Scene, Sensor};
use super::{MAX_BYTES, suggest};
use carry::Context;
use content::{Content, Template, WrittenFile};
use scope::{Evaluator, Scope};
use value::Value;

/// The lists of a flat scene as far as they could be decoded.
#[derive(Default)]
struct Lists {
    material: Vec<Option<Material>>,
    material_pair: Vec<Option<MaterialPair>>,
    body: Vec<Option<Body>>,
    particles: Vec<Option<Particles>>,
    force: Vec<Option<Force>>,
    joint: Vec<Option<Joint>>,
    sensor: Vec<Option<Sensor>>,
}

/// A flat scene and where it was written.
pub(crate) struct Expanded {
    pub(crate) layout: Layout,
    /// The lists, if all of their elements could be decoded.
    pub(crate) lists: Option<Scene>,
    /// Whether there was nothing to expand.
    pub(crate) is_flat: bool,
    pub(crate) sources: Vec<Source>,
    pub(crate) problems: Vec<Problem>,
    /// What included files of other formats say and the scene does not.
    pub(crate) notes: Vec<String>,
}

/// How a copy of a template or file is placed.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placement {
    /// The template, for `place`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The file, for `include`, relative to the file in which this stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Of a robot of another format: whether its root moves freely where the file does not say so. Default: false, it is fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_base: Option<bool>,
    /// In front of all names inside, with a colon: "left" makes "left:rim" of "rim". Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its origin is, m. Default: the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// How it is turned. Default: not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
}

/// Templates that can be placed, with the variables of the file that they stand in.
type Library = BTreeMap<String, (Arc<Template>, Arc<Scope>)>;

struct Expander<'f> {
    evaluator: Evaluator,
    files: Option<&'f Files>,
    /// By path, and whether the root of a robot is free.
    read: BTreeMap<(PathBuf, bool), Arc<WrittenFile>>,
    notes: Vec<String>,
    /// The files that are being included, outermost first.
    open: Vec<PathBuf>,
    overrides: Vec<(Override, bool)>,
    top: Arc<Scope>,
    lists: Lists,
    layout: Layout,
    contexts: Vec<Context>,
    /// Whether nothing has been expanded so far.
    is_flat: bool,
    /// How many more elements there may be.
    left: usize,
}

/// Expands a scene. `overrides` are those of single elements; all others have been applied to `root`. Without `files` nothing can be
/// included.
pub(crate) fn expand(
    root: Node,
    sources: Vec<Source>,
    overrides: Vec<Override>,
    files: Option<&Files>,
) -> Expanded {
    let mut evaluator = Evaluator::new(sources);
    let mut rest = root;
    let file = Arc::new(WrittenFile::take(&mut rest, PathBuf::new(), &mut evaluator));
    let mut expander = Expander {
        evaluator,
        files,
        read: BTreeMap::new(),
        notes: Vec::new(),
        open: Vec::new(),
        overrides: overrides.into_iter().map(|change| (change, false)).collect(),
        top: Scope::new(BTreeMap::new()),
        lists: Lists::default(),
        layout: Layout::new(Node { span: rest.span, value: Written::Table(Vec::new()) }),
        contexts: vec![Context::default()],
        is_flat: file.is_flat() && !needs_evaluation(&rest, false),
        left: MOST_ELEMENTS,
    };
    expander.top = expander.evaluator.variables(&file.variables, &BTreeMap::new(), None);
    // What is wrong with a variable is wrong with all that uses it.
    if expander.evaluator.problems.is_empty() {
        let scope = Arc::clone(&expander.top);
        expander.layout.rest = expander.settings(&rest, &scope);
        expander.file(&file, &scope, 0, 0);
        expander.refuse_unused_overrides();
    } else if let Written::Table(entries) = rest.value {
        // Whose format it is can be told without them.
        let kept = entries.into_iter().filter(|entry| entry.key == "format").collect();
        expander.layout.rest.value = Written::Table(kept);
    }
    expander.finish()
}

impl Expander<'_> {
    /// All but the lists, evaluated. What is for people to read is left as it is.
    fn settings(&mut self, rest: &Node, scope: &Scope) -> Node {
        let Written::Table(entries) = &rest.value else { return rest.clone() };
        let is_text = |key: &str| matches!(key, "title" | "about" | "$schema");
        let entries = entries.iter().map(|entry| {
            if is_text(&entry.key) {
                return entry.clone();
            }
            Entry { node: self.evaluator.evaluated(&entry.node, scope, false), ..entry.clone() }
        });
        Node { span: rest.span, value: Written::Table(entries.collect()) }
    }

    /// All that a file holds; the templates that can be used where it is included.
    fn file(&mut self, file: &Arc<WrittenFile>, scope: &Arc<Scope>, context: u32, depth: usize) -> Library {
        let mut library: Library = file
            .templates
            .iter()
            .map(|(name, t)| (name.clone(), (Arc::clone(t), Arc::clone(scope))))
            .collect();
        for include in &file.content.includes {
            self.copies(include, scope, &mut |this, scope| {
                let found = this.include(include, scope, &file.folder, context, depth);
                for (name, template) in found.into_iter().flatten() {
                    library.entry(name).or_insert(template);
                }
            });
        }
        self.elements(&file.content, scope, context);
        self.places(&file.content, scope, &library, context, depth);
        library
    }

    /// The elements of all lists that stand in a file or template themselves.
    fn elements(&mut self, content: &Content, scope: &Arc<Scope>, context: u32) {
        for (list, elements) in &content.lists {
            for element in elements {
                let origin = self.layout.add_origin(element);
                let read = matches!(element.value, Written::Unread)
                    .then(|| Arc::new(layout::read_again(element, &self.evaluator.sources)));
                let element = read.as_ref().unwrap_or(element);
                // Texts of a scene without copies are left alone: it is read as it was saved.
                let fill = content.is_template || repeat::is_controlled(element);
                self.copies(element, scope, &mut |this, scope| {
                    this.element(list, element, fill, scope, Placed { origin, context, name: None });
                });
            }
        }
    }

    /// One element, evaluated, changed by overrides and decoded.
    fn element(&mut self, list: &'static str, node: &Node, fill: bool, scope: &Scope, mut placed: Placed) {
        let index = self.layout.elements(list).len();
        let found = self.evaluator.problems.len();
        let evaluated = if !repeat::is_controlled(node) && !needs_evaluation(node, fill) {
            None
        } else {
            self.is_flat = false;
            Some(self.evaluator.evaluated(&without_control(node), scope, fill))
        };
        // What else is wrong with an element of which a part could not be evaluated is not looked for.
        for problem in &mut self.evaluator.problems[found..] {
            problem.path = vec![list.into(), index.into()];
        }
        let own = evaluated.as_ref().unwrap_or(node).name();
        let prefix = &self.contexts[placed.context as usize].prefix;
        let name = own.map(|own| format!("{prefix}{own}"));
        let (evaluated, is_changed) = self.overridden(list, index, name.as_deref(), evaluated, node);
        if let (true, Some(changed)) = (is_changed, &evaluated) {
            // Mistakes in what was changed are those of the override.
            placed.origin = self.layout.add_origin(&Arc::new(changed.clone()));
        }
        if name.as_deref() != node.name() || self.layout.is_unread(&placed) {
            placed.name = name.map(String::into_boxed_str);
        }
        let element = evaluated.as_ref().unwrap_or(node);
        self.layout.place(list, placed);
        let (path, problems) = ([list.into(), index.into()], &mut self.evaluator.problems);
        match list {
            "material" => self.lists.material.push(decode_element(element, &path, problems)),
            "material_pair" => self.lists.material_pair.push(decode_element(element, &path, problems)),
            "body" => self.lists.body.push(decode_element(element, &path, problems)),
            "particles" => self.lists.particles.push(decode_element(element, &path, problems)),
            "force" => self.lists.force.push(decode_element(element, &path, problems)),
            "joint" => self.lists.joint.push(decode_element(element, &path, problems)),
            _ => self.lists.sensor.push(decode_element(element, &path, problems)),
        }
    }

    /// The element with the overrides that name it, by position or by name.
    fn overridden(
        &mut self,
        list: &str,
        index: usize,
        name: Option<&str>,
        mut evaluated: Option<Node>,
        node: &Node,
    ) -> (Option<Node>, bool) {
        let mut is_changed = false;
        for (change, used) in &mut self.overrides {
            let Some((of, part)) = change.element() else { continue };
            let is_meant = of.text == list
                && match part.position() {
                    Some(position) => position == index,
                    // The first of several of one name, which is a mistake that is reported later.
                    None => !*used && name == Some(part.text.as_str()),
                };
            if !is_meant {
                continue;
            }
            (*used, is_changed) = (true, true);
            let value = self.evaluator.evaluated(change.value(), &self.top, false);
            let element = evaluated.get_or_insert_with(|| node.clone());
            if let Err(problem) = change.apply_to_element(element, value) {
                self.evaluator.problems.push(problem);
            }
        }
        (evaluated, is_changed)
    }

    fn refuse_unused_overrides(&mut self) {
        for (change, used) in &self.overrides {
            if let (false, Some((list, part))) = (used, change.element()) {
                let elements = self.layout.elements(&list.text);
                let names: Vec<&str> =
                    elements.iter().filter_map(|placed| self.layout.name(placed)).collect();
                self.evaluator.problems.push(part.refusal(list, elements.len(), &names));
            }
        }
    }

    fn places(
        &mut self,
        content: &Content,
        scope: &Arc<Scope>,
        library: &Library,
        context: u32,
        depth: usize,
    ) {
        for place in &content.places {
            self.copies(place, scope, &mut |this, scope| this.place(place, scope, library, context, depth));
        }
    }

    /// A copy of a template.
    fn place(&mut self, node: &Node, scope: &Arc<Scope>, library: &Library, context: u32, depth: usize) {
        let Some(placement) = self.placement(node, scope, "template") else { return };
        let name = placement.template.as_deref().unwrap_or_default();
        let span = span_of(node, "template");
        let Some((template, file_scope)) = library.get(name) else {
            let known: Vec<&str> = library.keys().map(String::as_str).collect();
            let help =
                suggest::help(name, &known).unwrap_or_else(|| format!("write [template.{}]", shown(name)));
            self.evaluator.report(span, format!("there is no template \"{}\"", shown(name)), Some(&help));
            return;
        };
        if depth >= DEEPEST_COPY {
            let message = format!(
                "templates are placed in each other more than {DEEPEST_COPY} deep, \"{}\" the last",
                shown(name)
            );
            self.evaluator.report(span, message, Some("is it placed in itself?"));
            return;
        }
        let Some(given) = self.given(node, scope, &template.variables) else { return };
        let inner = self.evaluator.variables(&template.variables, &given, Some(file_scope));
        let context = self.inner_context(&placement, context, None);
        self.elements(&template.content, &inner, context);
        self.places(&template.content, &inner, library, context, depth + 1);
    }

    /// A copy of another file; its templates.
    fn include(
        &mut self,
        node: &Node,
        scope: &Arc<Scope>,
        folder: &Path,
        context: u32,
        depth: usize,
    ) -> Option<Library> {
        let placement = self.placement(node, scope, "file")?;
        let span = span_of(node, "file");
        let path = folder.join(placement.file.as_deref().unwrap_or_default());
        if depth >= DEEPEST_COPY {
            let message = format!("files include each other more than {DEEPEST_COPY} deep");
            self.evaluator.report(span, message, Some("include the innermost ones from the first file"));
            return None;
        }
        let (real, file) = self.read_file(&path, placement.free_base, span)?;
        if self.open.contains(&real) {
            self.evaluator.report(
                span,
                format!("{} includes itself", named(&path)),
                Some("remove this include"),
            );
            return None;
        }
        let given = self.given(node, scope, &file.variables)?;
        let inner = self.evaluator.variables(&file.variables, &given, None);
        let context = self.inner_context(&placement, context, Some(&file.folder));
        self.open.push(real);
        let library = self.file(&file, &inner, context, depth + 1);
        self.open.pop();
        Some(library)
    }

    /// Reads a file once, however often it is included.
    fn read_file(
        &mut self,
        path: &Path,
        free_base: Option<bool>,
        span: Span,
    ) -> Option<(PathBuf, Arc<WrittenFile>)> {
        let Some(files) = self.files else {
            let help = Some("save the scene as a file, or write what is included into it");
            self.evaluator.report(span, "this scene has no folder, and can include no files", help);
            return None;
        };
        let real = match files.path(path) {
            Ok(real) => real,
            Err(error) => {
                self.evaluator.report(span, error.message, Some(error.help));
                return None;
            }
        };
        let key = (real.clone(), free_base == Some(true));
        if let Some(file) = self.read.get(&key) {
            return Some((real, Arc::clone(file)));
        }
        if self.read.len() >= MOST_FILES {
            let message = format!("a scene includes at most {MOST_FILES} files");
            self.evaluator.report(span, message, Some("put several of them into one"));
            return None;
        }
        // By its own name, not by that of a link: mistakes in a scene are shown with their lines, other files with nothing.
        let is_scene = real.extension().is_some_and(|ending| ending == "toml" || ending == "json");
        let text = if is_scene && free_base.is_some() {
            self.evaluator.report(
                span,
                "`free_base` goes with robots of other formats",
                Some("leave it out"),
            );
            return None;
        } else if is_scene {
            self.scene_text(files, path, &real, span)?
        } else {
            self.imported_text(files, path, &key, span)?
        };
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let name = named(path);
        let number = u32::try_from(self.evaluator.sources.len()).unwrap_or(u32::MAX);
        let read = super::read_text(Reader::new(number, 0, &text), &name, &text);
        let included_at = Some((span.source as usize, span.start as usize));
        self.evaluator.sources.push(Source { name, text, included_at });
        let mut root = match read {
            Ok(root) => root,
            Err(problems) => {
                self.evaluator.problems.extend(problems);
                return None;
            }
        };
        if let Some(problem) = super::decode::not_this_format(&root) {
            self.evaluator.problems.push(problem);
            return None;
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let file = Arc::new(WrittenFile::take(&mut root, folder, &mut self.evaluator));
        self.read.insert(key, Arc::clone(&file));
        Some((real, file))
    }

    /// The text of an included scene.
    fn scene_text(&mut self, files: &Files, path: &Path, real: &Path, span: Span) -> Option<String> {
        let text = match files.read(path, MAX_BYTES).map(String::from_utf8) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => {
                let message = format!("{} is not UTF-8 text", named(path));
                self.evaluator.report(span, message, Some("save it as UTF-8"));
                return None;
            }
            Err(error) => {
                self.evaluator.report(span, error.message, Some(error.help));
                return None;
            }
        };
        // Mistakes in a scene are shown with their lines; credentials elsewhere may be TOML, too.
        if !files.holds(real) && !says_format(&text) {
            let message = format!("{} is no scene", named(path));
            self.evaluator.report(span, message, Some("a scene outside the folder says `format = 1`"));
            return None;
        }
        Some(text)
    }

    /// A file of another format as the text of a scene; `key` is its real path and whether its root is free.
    fn imported_text(
        &mut self,
        files: &Files,
        path: &Path,
        key: &(PathBuf, bool),
        span: Span,
    ) -> Option<String> {
        // The file is called as the scene calls it.
        let told = |text: String| text.replace(&*key.0.to_string_lossy(), &named(path));
        match files.import(&key.0, key.1) {
            Some(Ok(imported)) => {
                self.notes.extend(imported.notes.into_iter().map(told));
                Some(imported.toml)
            }
            Some(Err(message)) => {
                let help = "`dolmen import` reads it by itself, and says more";
                self.evaluator.report(span, told(message), Some(help));
                None
            }
            None => {
                let message = format!("{} is no scene", named(path));
                let help = "scenes (.toml, .json) are included, and files that `dolmen import` reads";
                self.evaluator.report(span, message, Some(help));
                None
            }
        }
    }

    /// Where and as what something is placed; none if that is wrong, which is noted.
    fn placement(&mut self, node: &Node, scope: &Scope, wanted: &'static str) -> Option<Placement> {
        let node = self.evaluator.evaluated(&without_control(node), scope, true);
        let mut problems = Vec::new();
        let placement: Option<Placement> = decode_element(&node, &[], &mut problems);
        // The tree of the scene does not have this node: its places are found here.
        for mut problem in problems {
            problem.span.get_or_insert(node.span_at(&problem.path));
            problem.path.clear();
            self.evaluator.problems.push(problem);
        }
        let placement = placement?;
        let other = if wanted == "file" { &placement.template } else { &placement.file };
        let found = if wanted == "file" { &placement.file } else { &placement.template };
        if found.is_none() || other.is_some() {
            self.evaluator.report(node.span, format!("`{wanted}` is missing"), None);
            return None;
        }
        if wanted == "template" && placement.free_base.is_some() {
            let help = Some("leave it out");
            self.evaluator.report(span_of(&node, "free_base"), "`free_base` goes with [[include]]", help);
            return None;
        }
        if let Some(orientation) = &placement.orientation
            && orientation.rotation().is_none()
        {
            self.evaluator.report(span_of(&node, "orientation"), "the orientation is missing", None);
            return None;
        }
        Some(placement)
    }

    /// The values that `with` gives to the variables of a template or file.
    fn given(&mut self, node: &Node, scope: &Scope, variables: &[Entry]) -> Option<BTreeMap<String, Value>> {
        let mut given = BTreeMap::new();
        let Some(with) = entry_of(node, "with") else { return Some(given) };
        let Written::Table(entries) = &with.node.value else {
            self.evaluator.report(
                with.node.span,
                "`with` is a table of variables",
                Some("write { r = 0.1 }"),
            );
            return None;
        };
        for entry in entries {
            if variables.iter().any(|variable| variable.key == entry.key) {
                given.insert(entry.key.clone(), self.evaluator.value(&entry.node, scope)?);
            } else {
                let known: Vec<&str> = variables.iter().map(|variable| variable.key.as_str()).collect();
                let help = suggest::help(&entry.key, &known);
                let message = format!("it has no variable `{}` to set", shown(&entry.key));
                self.evaluator.report(entry.key_span, message, help.as_deref());
                return None;
            }
        }
        Some(given)
    }

    fn inner_context(&mut self, placement: &Placement, outer: u32, folder: Option<&Path>) -> u32 {
        let context = self.contexts[outer as usize].inner(placement, folder);
        self.contexts.push(context);
        u32::try_from(self.contexts.len() - 1).unwrap_or(u32::MAX)
    }

    /// The lists, with names, poses and files as they are seen from the top.
    fn finish(self) -> Expanded {
        let mut problems = self.evaluator.problems;
        let Lists { material, material_pair, body, particles, force, joint, sensor } = self.lists;
        let all = || {
            Some(Scene {
                material: material.into_iter().collect::<Option<_>>()?,
                material_pair: material_pair.into_iter().collect::<Option<_>>()?,
                body: body.into_iter().collect::<Option<_>>()?,
                particles: particles.into_iter().collect::<Option<_>>()?,
                force: force.into_iter().collect::<Option<_>>()?,
                joint: joint.into_iter().collect::<Option<_>>()?,
                sensor: sensor.into_iter().collect::<Option<_>>()?,
                ..Scene::default()
            })
        };
        let mut lists = all();
        if let Some(scene) = &mut lists {
            carry::carry(scene, &self.layout, &self.contexts, &mut problems);
        }
        Expanded {
            layout: self.layout,
            lists,
            is_flat: self.is_flat,
            sources: self.evaluator.sources,
            problems,
            notes: self.notes,
        }
    }
}

/// The entry of a table under a key.
fn entry_of<'n>(node: &'n Node, key: &str) -> Option<&'n Entry> {
    let Written::Table(entries) = &node.value else { return None };
    entries.iter().find(|entry| entry.key == key)
}

fn span_of(node: &Node, key: &str) -> Span {
    entry_of(node, key).map_or(node.span, |entry| entry.node.span)
}

/// An element without what says how often it is made.
fn without_control(node: &Node) -> Node {
    match &node.value {
        Written::Table(entries) => {
            let kept = entries.iter().filter(|entry| !CONTROL.contains(&entry.key.as_str())).cloned();
            Node { span: node.span, value: Written::Table(kept.collect()) }
        }
        _ => node.clone(),
    }
}
