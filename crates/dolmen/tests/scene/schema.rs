//! The JSON Schema accepts what is a scene, refuses what is not, and is the one in the documentation.

use dolmen::scene::{Document, json_schema};
use serde_json::{Value, json};

use super::examples;

/// Run with `UPDATE_SCHEMA=1` to write it anew.
#[test]
fn the_schema_of_the_documentation_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.schema.json");
    let current = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &current).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == current, "docs/scene.schema.json is old: run the test with UPDATE_SCHEMA=1");
}

/// JSON Schema 2020-12, as far as it is used: each keyword with a value of its kind, every reference resolved,
/// every required key known, everything described.
#[test]
fn the_schema_is_well_formed() {
    let schema = json_schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    well_formed(&schema, &schema, "#");
}

fn well_formed(root: &Value, schema: &Value, at: &str) {
    let object = schema.as_object().unwrap_or_else(|| panic!("{at} is no schema: {schema}"));
    for (keyword, value) in object {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "pattern" => assert!(value.is_string(), "{at}/{keyword}"),
            "$ref" => {
                let name = value.as_str().and_then(|target| target.strip_prefix("#/$defs/")).unwrap();
                assert!(root["$defs"].get(name).is_some(), "{at}: {value} leads nowhere");
            }
            "type" => {
                let known = ["object", "array", "string", "number", "integer", "boolean"];
                assert!(known.contains(&value.as_str().unwrap()), "{at}: type {value}");
            }
            "properties" | "$defs" => {
                for (name, inner) in value.as_object().unwrap() {
                    assert!(
                        inner.get("description").is_some() || keyword == "$defs",
                        "{at}/{name} is not described"
                    );
                    well_formed(root, inner, &format!("{at}/{name}"));
                }
            }
            "required" => {
                for name in value.as_array().unwrap() {
                    assert!(object["properties"].get(name.as_str().unwrap()).is_some(), "{at}: {name}");
                }
            }
            "items" => well_formed(root, value, &format!("{at}/items")),
            "oneOf" | "anyOf" => {
                for (index, inner) in value.as_array().unwrap().iter().enumerate() {
                    well_formed(root, inner, &format!("{at}/{keyword}/{index}"));
                }
            }
            "minItems" | "maxItems" | "minimum" | "maximum" => {
                assert!(value.is_u64(), "{at}/{keyword}: {value}");
            }
            "additionalProperties" if value.is_object() => {
                well_formed(root, value, &format!("{at}/{keyword}"));
            }
            "additionalProperties" => assert!(value.is_boolean(), "{at}/{keyword}"),
            "const" | "enum" | "default" => {}
            other => panic!("{at}: the keyword {other} is not checked by this test"),
        }
    }
}

/// A validator of the keywords above.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    schema.as_object().unwrap().iter().all(|(keyword, rule)| match keyword.as_str() {
        "$ref" => {
            let name = rule.as_str().unwrap().trim_start_matches("#/$defs/");
            accepts(root, &root["$defs"][name], value)
        }
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_u64() || value.is_i64(),
            "boolean" => value.is_boolean(),
            _ => false,
        },
        "properties" => value.as_object().is_none_or(|object| {
            object.iter().all(|(key, inner)| rule.get(key).is_none_or(|schema| accepts(root, schema, inner)))
        }),
        "additionalProperties" if rule.is_object() => {
            value.as_object().is_none_or(|object| object.values().all(|inner| accepts(root, rule, inner)))
        }
        // The two patterns of the schema: an expression begins with `=`, a quantity with a digit and has a letter.
        "pattern" => value.as_str().is_none_or(|text| {
            let text = text.trim_start();
            match rule.as_str().unwrap() {
                r"^\s*=" => text.starts_with('='),
                _ => {
                    text.starts_with(|c: char| "+-.".contains(c) || c.is_ascii_digit())
                        && text.contains(|c: char| c.is_ascii_alphabetic() || c == '%')
                }
            }
        }),
        "additionalProperties" => value.as_object().is_none_or(|object| {
            *rule != false || object.keys().all(|key| schema["properties"].get(key).is_some())
        }),
        "required" => value.as_object().is_none_or(|object| {
            rule.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))
        }),
        "items" => value.as_array().is_none_or(|list| list.iter().all(|inner| accepts(root, rule, inner))),
        "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as u64 <= rule.as_u64().unwrap()),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "oneOf" => rule.as_array().unwrap().iter().filter(|inner| accepts(root, inner, value)).count() == 1,
        "anyOf" => rule.as_array().unwrap().iter().any(|inner| accepts(root, inner, value)),
        _ => true,
    })
}

/// The schema and the loader agree on every example.
#[test]
fn the_schema_accepts_every_example() {
    let schema = json_schema();
    for (line, text) in examples("toml").into_iter().chain(examples("json")) {
        let json = Document::parse("example", &text).unwrap().scene().to_json();
        let value: Value = serde_json::from_str(&json).unwrap();
        assert!(accepts(&schema, &schema, &value), "example at line {line}: {value}");
    }
}

/// What is written short is known as well: expressions, quantities, repeats, templates, includes.
#[test]
fn the_schema_knows_what_is_expanded() {
    let schema = json_schema();
    let right = [
        json!({ "format": 1, "let": { "r": 0.1, "n": "= 2*r" }, "gravity": [0, 0, "= -9.81"] }),
        json!({ "format": 1, "body": [{ "repeat": 3, "mass": "5 g", "position": "= p[i]", "when": "= i > 0" }] }),
        json!({ "format": 1, "joint": [{ "repeat": { "i": 2 }, "name": "j{i}", "kind": "ball", "a": "b{i}" }] }),
        json!({ "format": 1, "force": [{ "repeat": 2, "kind": "push", "body": "b{i}", "force": ["= i", 0, 0] }] }),
        json!({ "format": 1, "template": { "t": { "let": { "r": 1 }, "body": [{ "mass": "= r" }] } },
                "place": [{ "template": "t", "with": { "r": 2 }, "name": "a", "position": [0, 0, "1 m"] }] }),
        json!({ "format": 1, "include": [{ "file": "other.toml", "orientation": { "euler_deg": [0, 0, 90] } }] }),
    ];
    for value in right {
        assert!(accepts(&schema, &schema, &value), "refused: {value}");
    }
    let wrong = [
        json!({ "format": 1, "place": [{ "file": "other.toml" }] }),
        json!({ "format": 1, "template": { "t": { "gravity": [0, 0, 0] } } }),
        json!({ "format": 1, "body": [{ "mass": "heavy" }] }),
    ];
    for value in wrong {
        assert!(!accepts(&schema, &schema, &value), "accepted: {value}");
    }
}

/// The schema and the loader agree on mistakes of names, types and lengths.
#[test]
fn the_schema_refuses_what_the_loader_refuses() {
    let schema = json_schema();
    let wrong = [
        json!({}),
        json!({ "format": 2 }),
        json!({ "format": 1, "bodies": [] }),
        json!({ "format": 1, "gravity": [0, 0] }),
        json!({ "format": 1, "title": null }),
        json!({ "format": 1, "run": { "duration": 1, "samples": 1.5 } }),
        json!({ "format": 1, "integrator": { "method": "rk5" } }),
        json!({ "format": 1, "body": [{ "mass": "1" }] }),
        json!({ "format": 1, "body": [{ "mass": 1, "shape": { "kind": "sphere", "size": 1 } }] }),
        json!({ "format": 1, "body": [{ "mass": 1, "shape": { "radius": 1 } }] }),
        json!({ "format": 1, "body": [{ "mass": 1, "inertia": [[1, 2], [3, 4]] }] }),
        json!({ "format": 1, "force": [{ "kind": "field", "uniform": 3 }] }),
        json!({ "format": 1, "contact": { "law": "newton" } }),
        json!({ "format": 1, "material": [{ "friction": 1 }] }),
        json!({ "format": 1, "material_pair": [{ "materials": ["a"], "friction": 1 }] }),
        json!({ "format": 1, "body": [{ "kind": "fixed", "shape": { "kind": "plane", "normal": [0, 1] } }] }),
        json!({ "format": 1, "body": [{ "kind": "fixed", "shape":
            { "kind": "plane", "normal": [0, 0, 1], "extent": { "kind": "infinite", "radius": 1 } } }] }),
    ];
    for value in wrong {
        assert!(!accepts(&schema, &schema, &value), "the schema accepts {value}");
        assert!(Document::parse("wrong.json", &value.to_string()).is_err(), "the loader accepts {value}");
    }
}
