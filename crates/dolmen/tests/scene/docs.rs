//! The page of the documentation is true.

use dolmen::scene::{Document, json_schema};

use super::examples;

/// Every example can be loaded as it is.
#[test]
fn every_example_of_the_page_is_a_scene() {
    let (toml, json) = (examples("toml"), examples("json"));
    assert!(toml.len() >= 25 && json.len() == 1, "{} and {} examples", toml.len(), json.len());
    for (line, text) in toml.iter().chain(&json) {
        let document = Document::parse("docs/scene.md", text);
        assert!(document.is_ok(), "example at line {line}:\n{text}\n{}", document.unwrap_err());
    }
}

/// No key is left undescribed: each one of the schema is on the page.
#[test]
fn the_page_names_every_key_and_every_word() {
    let page = include_str!("../../../../docs/scene.md");
    let mut words = Vec::new();
    gather(&json_schema(), &mut words);
    assert!(words.len() > 150, "{} words", words.len());
    for word in words {
        // Of the twenty-four orders the page shows the small ones.
        assert!(page.contains(&word) || page.contains(&word.to_lowercase()), "{word} is not on the page");
    }
}

fn gather(schema: &serde_json::Value, words: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(object) => {
            if let Some(properties) = object.get("properties").and_then(|value| value.as_object()) {
                words.extend(properties.keys().cloned());
            }
            words.extend(object.get("const").and_then(|word| word.as_str()).map(str::to_owned));
            object.values().for_each(|value| gather(value, words));
        }
        serde_json::Value::Array(elements) => elements.iter().for_each(|value| gather(value, words)),
        _ => {}
    }
}

/// The message on the page is the one that is shown.
#[test]
fn the_message_of_the_page_is_the_one_that_is_shown() {
    let page = include_str!("../../../../docs/scene.md");
    let shown = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let text = "format = 1\ngravity = [0, 0, -9.81]\n\n[[body]]\nname = \"brick\"\n\
                shape = { kind = \"box\", size = [0.1, 0.4, 0.9] }\nmas = 36.0\n";
    assert_eq!(Document::parse("brick.toml", text).unwrap_err().to_string(), shown);
}
