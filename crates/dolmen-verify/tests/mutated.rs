//! Files of expectations with small changes: a case or an error with a text, soon. See `docs/fuzz.md`.

use std::path::Path;

use change::{reached, texts};

#[path = "../../dolmen/tests/mutated/change.rs"]
mod change;
#[path = "mutated/targets.rs"]
mod targets;

#[test]
fn expectations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("scenes").filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".expect.toml"));
    files.sort();
    let read = files.iter().step_by(12).filter_map(|file| std::fs::read(file).ok());
    let mut corpus: Vec<Vec<u8>> = read.filter(|bytes| bytes.len() < 2000).collect();
    corpus.extend(texts(&[
        "scene = \"ball\"\n[[expect]]\nquantity = \"position(ball).z\"\nat = 1\nvalue = \"-5\"\n",
        "[[expect]]\n",
        "x = 1\n",
    ]));
    let kinds = reached("expectations", targets::expectations, &corpus);
    assert!(kinds.len() > 10, "{kinds:#?}");
}

#[test]
fn quantities() {
    let corpus = texts(&[
        "position(ball).z",
        "largest(energy) / 2 - sqrt(3)",
        "count('time-step')",
        "position(ball",
        "nothing(ball)",
        "position(ball).q",
        "1 +",
        "((((1))))",
        "'",
    ]);
    let kinds = reached("quantity", targets::quantity, &corpus);
    assert!(kinds.len() > 5, "{kinds:#?}");
}
