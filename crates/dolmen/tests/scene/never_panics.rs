//! No text, however broken, stops the program; and what is refused can always be shown.

use dolmen::scene::{Document, Scene};
use proptest::prelude::*;

use super::examples;

/// Parses and shows; a scene that is accepted passes its own check and survives saving.
fn try_to_read(name: &str, text: &str, overrides: &[String]) {
    match Document::parse_with(name, text, overrides) {
        Ok(document) => {
            let scene: &Scene = document.scene();
            assert_eq!(scene.check(), []);
            // Whether it can be built is another question; that, too, is answered. No file is there to be read.
            let _ = scene.build(std::path::Path::new("/nowhere"));
            assert_eq!(Document::parse("again.toml", &scene.to_toml()).unwrap().scene(), scene);
        }
        Err(errors) => {
            assert!(!errors.diagnostics.is_empty());
            for diagnostic in &errors.diagnostics {
                let source = &errors.sources[diagnostic.source];
                assert!(diagnostic.span.start <= diagnostic.span.end, "{diagnostic:?}");
                assert!(diagnostic.span.end <= source.text.len(), "{diagnostic:?}");
                assert!(!diagnostic.message.contains("serde") && !diagnostic.message.contains("Some("));
            }
            assert!(errors.to_string().contains("error: "));
        }
    }
}

fn all_examples() -> Vec<String> {
    examples("toml").into_iter().chain(examples("json")).map(|(_, text)| text).collect()
}

/// Cut off anywhere, at a character.
#[test]
fn every_truncation_of_the_examples_is_read_or_refused() {
    for text in all_examples() {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            try_to_read("cut.toml", &text[..end], &[]);
        }
    }
}

/// Brackets without end, of every kind: refused by depth, not by the stack.
#[test]
fn deep_nesting_is_refused() {
    let deep = 100_000;
    let texts = [
        format!("format = 1\ntitle = {}", "[".repeat(deep)),
        format!("format = 1\ntitle = {}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("format = 1\ntitle = {}", "{a=".repeat(deep)),
        format!("format = 1\n{}a = 1", "a.".repeat(deep)),
        format!("format = 1\n[{}a]\nb = 1", "a.".repeat(deep)),
        format!("{{\"format\": 1, \"title\": {}{}}}", "[".repeat(deep), "]".repeat(deep)),
        format!("{{\"format\": 1, \"title\": {}", "{\"a\":".repeat(deep)),
        // Within what the parsers allow, but not the format.
        format!("format = 1\ntitle = {}{}", "[".repeat(75), "]".repeat(75)),
        format!("{{\"format\": 1, \"title\": {}1{}}}", "[".repeat(300), "]".repeat(300)),
        format!("format = 1\n{}x = {}1{}", "a.".repeat(70), "[".repeat(70), "]".repeat(70)),
    ];
    for text in texts {
        let errors = Document::parse("deep", &text).unwrap_err();
        assert!(
            errors.to_string().contains("nest") || errors.to_string().contains("closed"),
            "{errors:.300}"
        );
    }
}

/// A compound in a compound, as deep as the format goes, can be loaded, saved, checked and dropped.
#[test]
fn nested_compounds_are_read_up_to_the_limit() {
    let nested = |depth: usize| {
        let mut shape = r#"{ kind = "sphere", radius = 1 }"#.to_owned();
        for _ in 0..depth {
            shape = format!(r#"{{ kind = "compound", parts = [{{ shape = {shape} }}] }}"#);
        }
        format!("format = 1\n[[body]]\nmass = 1\nshape = {shape}\n")
    };
    try_to_read("nested.toml", &nested(10), &[]);
    assert!(Document::parse("nested.toml", &nested(10)).is_ok());
    assert!(Document::parse("nested.toml", &nested(40)).is_err());
}

/// Many mistakes are counted and not all shown; the time stays short.
#[test]
fn a_thousand_mistakes_are_cut_short() {
    let text = "format = 1\n".to_owned() + &"[[body]]\nmas = \"x\"\nvelocity = 3\n".repeat(1000);
    let errors = Document::parse("many.toml", &text).unwrap_err();
    assert_eq!((errors.diagnostics.len(), errors.omitted), (100, 2900));
    assert!(errors.to_string().ends_with("… and 2900 more\n"));
    let one = "format = 1\n[[body]]\n".to_owned()
        + &(0..1000).map(|i| format!("k{i} = 1")).collect::<Vec<_>>().join("\n");
    assert_eq!(Document::parse("many.toml", &one).unwrap_err().diagnostics.len(), 50);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever bytes there are.
    #[test]
    fn random_text_is_read_or_refused(text in "\\PC{0,200}", raw in proptest::collection::vec(any::<u8>(), 0..200)) {
        try_to_read("random.toml", &text, &[]);
        try_to_read("random.json", &text, &[]);
        let raw = String::from_utf8_lossy(&raw);
        try_to_read("random.toml", &raw, &[]);
        try_to_read("random.json", &raw, &[]);
        try_to_read("o.toml", "format = 1\n[[body]]\nmass = 1\n", &[text, raw.into_owned()]);
    }

    /// Good scenes with pieces replaced by pieces that mean something elsewhere.
    #[test]
    fn random_changes_of_the_examples_are_read_or_refused(
        which in any::<prop::sample::Index>(),
        changes in proptest::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..12, prop::sample::select(vec![
                "", "\n", "=", "[", "]", "{", "}", ",", "\"", "'", ".", "-", "0", "nan", "1e400", "true", "[[body]]",
                "[run]", "kind = ", "\"\"\"", "\u{7f}", "é", "\t", "\r\n", "#", "name", "1979-05-27", "99999999999999999999",
                "mass = 1\n", "[[]]", "-1", "{ kind = \"sphere\", radius = 1 }", "[contact]\n", "[[material]]\n",
                "[[material_pair]]\n", "material = \"ice\"\n", "groups = [\"a\"]\n", "collides_with = []\n", "friction = 1\n",
                "{ kind = \"plane\", normal = [0, 0, 1] }", "{ kind = \"square\", half_side = 1 }", "kind = \"fixed\"\n",
            ])),
            1..6,
        ),
    ) {
        let texts = all_examples();
        let mut text = which.get(&texts).clone();
        for (at, length, piece) in changes {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, piece);
        }
        try_to_read("changed.toml", &text, &[]);
    }

    /// Whole values replaced by values of another kind, which reaches deeper than changes of letters.
    #[test]
    fn values_of_the_wrong_kind_are_refused_with_their_place(
        which in any::<prop::sample::Index>(),
        line in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![
            "1", "-1", "0", "1.5", "nan", "-inf", "\"x\"", "\"\"", "true", "[]", "[1]", "[1, 2, 3]", "[[1, 2, 3]]",
            "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "{}", "{ kind = 1 }", "{ kind = \"sine\" }", "{ kind = \"box\" }",
            "{ a = 1 }", "[{}]", "[\"x\"]", "[1, \"x\", nan]", "{ point = [0, 0] }", "{ kind = \"repulsion\" }",
            "{ kind = \"plane\" }", "{ kind = \"plane\", normal = [0, 0, 1e-320], extent = { kind = \"infinite\" } }", "[\"ice\", \"ice\"]",
        ]),
    ) {
        let texts: Vec<String> = examples("toml").into_iter().map(|(_, text)| text).collect();
        let text = which.get(&texts);
        let keys: Vec<usize> = text.lines().enumerate().filter(|(_, line)| line.contains(" = ")).map(|(i, _)| i).collect();
        let at = *line.get(&keys);
        let changed: Vec<String> = text.lines().enumerate().map(|(i, line)| match line.split_once(" = ") {
            Some((key, _)) if i == at => format!("{key} = {value}"),
            _ => line.to_owned(),
        }).collect();
        try_to_read("changed.toml", &changed.join("\n"), &[]);
    }
}
