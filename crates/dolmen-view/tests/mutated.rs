//! Messages of pages with small changes: a command or an error with a text. See `docs/fuzz.md`.

use change::{reached, texts};
use dolmen_view::message::{LONGEST, LONGEST_TEXT};

#[path = "../../dolmen/tests/mutated/change.rs"]
mod change;

fn message(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    dolmen_view::message::Command::parse(text).err().map(|error| error.to_string())
}

#[test]
fn messages() {
    let corpus = texts(&[
        r#"{"do":"run"}"#,
        r#"{"do":"speed","value":2.5}"#,
        r#"{"do":"speed","value":0}"#,
        r#"{"do":"seek","t":1e300}"#,
        r#"{"do":"grab","body":1,"at":[0,0,0],"to":[1,2,3]}"#,
        r#"{"do":"move","to":[1,2,1e200]}"#,
        r#"{"do":"scene","name":"../../etc/passwd"}"#,
        r#"{"do":"plot","id":1,"body":null,"quantities":["kinetic","total","px"]}"#,
        r#"{"do":"plot","id":1,"body":null,"quantities":["px","px","px","px","px","px","px","px","px"]}"#,
        r#"{"do":"change","gravity":[0,0,-1.6],"friction":0.5}"#,
        r#"{"do":"see","contacts":true}"#,
        r#"{"do":"edit","text":"format = 1\n[[body]]\nname = \"a\"\nmass = 1\n"}"#,
        r#"{"do":"text"}"#,
        r#"{"do":"share"}"#,
        r#"{"do":"nothing"}"#,
        "[]",
    ]);
    let kinds = reached("message", message, &corpus);
    assert!(kinds.len() > 5, "{kinds:#?}");
}

/// Only the text of a scene may be long, and it has its limit too.
#[test]
fn only_texts_of_scenes_are_long() {
    let edit = |n: usize| format!(r#"{{"do":"edit","text":"{}"}}"#, "x".repeat(n));
    assert!(message(edit(LONGEST_TEXT - 100).as_bytes()).is_none());
    let told = message(edit(LONGEST_TEXT).as_bytes()).expect("too long");
    assert!(told.contains(&format!("at most {LONGEST_TEXT}")), "{told}");
    let scene = format!(r#"{{"do":"scene","name":"{}"}}"#, "x".repeat(LONGEST));
    let told = message(scene.as_bytes()).expect("too long");
    assert!(told.contains(&format!("at most {LONGEST}")), "{told}");
}
