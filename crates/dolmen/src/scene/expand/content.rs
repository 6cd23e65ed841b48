//! What a file or a template holds, taken out of its tree.

use std::path::PathBuf;
use std::sync::Arc;

use super::scope::{Evaluator, wrong_name};
use crate::scene::node::{Entry, Node, Value as Written};
use crate::scene::read::shown;
use crate::scene::suggest;
use crate::scene::typed::LISTS;

/// The lists of a file or template.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) lists: Vec<(&'static str, Vec<Arc<Node>>)>,
    pub(super) includes: Vec<Arc<Node>>,
    pub(super) places: Vec<Arc<Node>>,
    pub(super) is_template: bool,
}

/// A part of a scene that can be placed many times.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) variables: Vec<Entry>,
    pub(super) content: Content,
}

/// A file as it is written.
#[derive(Debug)]
pub(super) struct WrittenFile {
    pub(super) variables: Vec<Entry>,
    pub(super) templates: Vec<(String, Arc<Template>)>,
    pub(super) content: Content,
    /// Its folder, seen from that of the scene.
    pub(super) folder: PathBuf,
}

impl WrittenFile {
    /// Takes variables, templates and lists out of the tree of a file; what is left are its settings.
    pub(super) fn take(root: &mut Node, folder: PathBuf, evaluator: &mut Evaluator) -> Self {
        let mut file =
            Self { variables: Vec::new(), templates: Vec::new(), content: Content::default(), folder };
        let Written::Table(entries) = &mut root.value else { return file };
        file.variables = take_variables(entries, evaluator);
        file.content = Content::take(entries, evaluator);
        if let Some(templates) = take_table(entries, "template", evaluator) {
            for entry in templates {
                if let Some(message) = wrong_template_name(&entry.key) {
                    evaluator.report(entry.key_span, message, None);
                }
                let template = Template::take(entry.node, evaluator);
                file.templates.push((entry.key, Arc::new(template)));
            }
        }
        file
    }
}

impl WrittenFile {
    /// Whether it has neither variables nor templates nor anything to place or include.
    pub(super) fn is_flat(&self) -> bool {
        let nothing_placed = self.content.includes.is_empty() && self.content.places.is_empty();
        self.variables.is_empty() && self.templates.is_empty() && nothing_placed
    }
}

impl Template {
    fn take(node: Node, evaluator: &mut Evaluator) -> Self {
        let span = node.span;
        let Written::Table(mut entries) = node.value else {
            evaluator.report(
                span,
                "a template is a table",
                Some("write [[template.NAME.body]] for its bodies"),
            );
            return Self { variables: Vec::new(), content: Content::default() };
        };
        let variables = take_variables(&mut entries, evaluator);
        let mut content = Content::take(&mut entries, evaluator);
        content.is_template = true;
        if let Some(include) = content.includes.first() {
            evaluator.report(
                include.span,
                "a template includes no files",
                Some("include at the top of the file"),
            );
        }
        for entry in entries {
            let known: Vec<&str> = ["let", "place"].into_iter().chain(LISTS).collect();
            let message = format!("unknown key `{}` of a template", shown(&entry.key));
            evaluator.report(entry.key_span, message, suggest::help(&entry.key, &known).as_deref());
        }
        Self { variables, content }
    }
}

impl Content {
    fn take(entries: &mut Vec<Entry>, evaluator: &mut Evaluator) -> Self {
        let mut content = Self::default();
        for list in LISTS {
            // What is no list is reported where the scene is decoded.
            let at = entries.iter().position(|e| e.key == list && matches!(e.node.value, Written::Array(_)));
            if let Some(at) = at {
                content.lists.push((list, elements(entries.remove(at).node)));
            }
        }
        for (key, list) in [("include", &mut content.includes), ("place", &mut content.places)] {
            let Some(at) = entries.iter().position(|entry| entry.key == key) else { continue };
            let entry = entries.remove(at);
            if matches!(entry.node.value, Written::Array(_)) {
                *list = elements(entry.node);
            } else {
                let help = format!("write [[{key}]] with two brackets: there may be several");
                evaluator.report(entry.key_span, format!("`{key}` is a list of tables"), Some(&help));
            }
        }
        content
    }
}

fn elements(node: Node) -> Vec<Arc<Node>> {
    match node.value {
        Written::Array(elements) => elements.into_iter().map(Arc::new).collect(),
        _ => Vec::new(),
    }
}

fn take_variables(entries: &mut Vec<Entry>, evaluator: &mut Evaluator) -> Vec<Entry> {
    let variables = take_table(entries, "let", evaluator).unwrap_or_default();
    for entry in &variables {
        if let Some(message) = wrong_name(&entry.key) {
            evaluator.report(entry.key_span, message, None);
        }
    }
    variables
}

fn take_table(entries: &mut Vec<Entry>, key: &str, evaluator: &mut Evaluator) -> Option<Vec<Entry>> {
    let at = entries.iter().position(|entry| entry.key == key)?;
    let entry = entries.remove(at);
    if let Written::Table(entries) = entry.node.value {
        return Some(entries);
    }
    evaluator.report(entry.key_span, format!("`{key}` is a table"), Some(&format!("write [{key}]")));
    None
}

fn wrong_template_name(name: &str) -> Option<String> {
    name.trim().is_empty().then(|| "a template needs a name".to_owned())
}
