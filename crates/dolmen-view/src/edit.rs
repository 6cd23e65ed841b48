//! A scene that was typed in a page: read like a scene file, with every mistake in its place, but it names no files.

use dolmen::scene::{Document, Files, SceneErrors};
use serde_json::{Value, json};

use crate::scenes::Given;

/// What messages call the text.
const NAME: &str = "scene";

/// What the page calls the scene.
const TYPED: &str = "typed in the page";

/// The scene of a text; or all that is wrong with it, as the page shows it.
pub(crate) fn read(text: &str) -> Result<Given, Value> {
    let document = Document::parse(NAME, text).map_err(|errors| mistakes(&errors))?;
    // What only building finds is told as well, with its place.
    document.build_with(&Files::none()).map_err(|errors| mistakes(&errors))?;
    Ok(Given::document(TYPED, document, None).with_text(text))
}

/// Line and column, from 1, and a sentence for each mistake.
fn mistakes(errors: &SceneErrors) -> Value {
    let all = errors.diagnostics.iter().map(|diagnostic| {
        let place =
            errors.sources.get(diagnostic.source).map(|source| source.line_column(diagnostic.span.start));
        let (line, column) = place.unwrap_or((1, 1));
        json!({ "line": line, "column": column, "text": diagnostic.message, "help": diagnostic.help })
    });
    all.collect()
}
