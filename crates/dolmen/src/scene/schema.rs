//! The JSON Schema of the scene file, for editors and other programs.

use serde_json::{Map, Value, json};

use super::expand::Placement;
use super::typed::{LISTS, Scene};

/// The JSON Schema (2020-12) of the scene file.
///
/// It has names, types, lengths of vectors and what has to be there; what [`Scene::check`] looks for beyond
/// that it does not.
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    tidy(&mut schema);
    take_expressions(&mut schema);
    add_writing(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".to_owned(), "Dolmen scene".into());
    }
    schema
}

/// Takes out what only Rust means: `null` for what is absent, which the format does not know, and the widths
/// of numbers, which validators do not know. Describes `kind`.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(tidy),
        Value::Object(object) => {
            if object.get("format").is_some_and(Value::is_string) {
                object.shift_remove("format");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = &types[..] {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = &choices[..] {
                    let only = only.clone();
                    object.shift_remove("anyOf");
                    // The description of the field says more than that of its type.
                    only.into_iter().for_each(|(key, value)| {
                        object.entry(key).or_insert(value);
                    });
                }
            }
            if let Some(Value::Object(kind)) = object.get_mut("kind")
                && kind.contains_key("const")
            {
                kind.insert(
                    "description".to_owned(),
                    "Which kind it is; says what other keys there are.".into(),
                );
            }
            object.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

/// Lets an expression stand where a number, a truth or a list of plain values may, and a quantity where a number may.
fn take_expressions(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(take_expressions),
        Value::Object(object) => {
            object.values_mut().for_each(take_expressions);
            let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
            let of_plain_values = || object.get("items").is_some_and(|items| items.get("$ref").is_none());
            let choices = match kind {
                _ if object.contains_key("const") => return,
                "number" => &["Expression", "Quantity"][..],
                "integer" | "boolean" => &["Expression"],
                "array" if of_plain_values() => &["Expression"],
                _ => return,
            };
            let mut own = std::mem::take(object);
            object.extend(own.shift_remove("description").map(|text| ("description".to_owned(), text)));
            let mut any = vec![Value::Object(own)];
            any.extend(choices.iter().map(|name| json!({ "$ref": format!("#/$defs/{name}") })));
            object.insert("anyOf".to_owned(), any.into());
        }
        _ => {}
    }
}

/// Adds what is gone after expansion: variables, repeats, templates, includes.
fn add_writing(schema: &mut Value) {
    const LET: &str = "Variables: numbers, texts, lists, or expressions of each other in any order.";
    let variables = || json!({ "type": "object", "description": LET, "additionalProperties": true });
    let control = || {
        let mut keys = Map::new();
        keys.insert("repeat".to_owned(), json!({
            "description": "How many copies there are, counted by `i`; or a table of indices, each with a count, a list of \
                            values, or `count`, `from` and `step`.",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "$ref": "#/$defs/Expression" },
                { "type": "object", "additionalProperties": true },
            ],
        }));
        keys.insert(
            "when".to_owned(),
            json!({
                "description": "Whether this copy is there. Default: true.",
                "anyOf": [{ "type": "boolean" }, { "$ref": "#/$defs/Expression" }],
            }),
        );
        keys.insert("let".to_owned(), variables());
        keys
    };
    let with = json!({
        "type": "object",
        "description": "Values for the variables of the template or file.",
        "additionalProperties": true,
    });
    let placed = |wanted: &str, other: &str, text: &str| {
        let mut placed = schemars::schema_for!(Placement).to_value();
        tidy(&mut placed);
        take_expressions(&mut placed);
        let mut properties = placed["properties"].take();
        if let Value::Object(properties) = &mut properties {
            properties.shift_remove(other);
            if wanted == "template" {
                properties.shift_remove("free_base");
            }
            properties.extend(control());
            properties.insert("with".to_owned(), with.clone());
        }
        let item = json!({
            "type": "object", "additionalProperties": false, "properties": properties, "required": [wanted],
        });
        json!({ "type": "array", "description": text, "items": item })
    };
    let place = placed("template", "file", "Copies of templates.");
    let include = placed(
        "file",
        "template",
        "Other files, scenes and robots; their bodies, particles, forces, joints, sensors, materials and templates.",
    );

    let Some(root) = schema.as_object_mut() else { return };
    let lists: Map<String, Value> = match root.get("properties") {
        Some(Value::Object(properties)) => properties
            .iter()
            .filter(|(key, _)| LISTS.contains(&key.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
        _ => Map::new(),
    };
    if let Some(Value::Object(defs)) = root.get_mut("$defs") {
        for name in ["Body", "Particles", "Joint", "Force", "Material", "MaterialPair", "Sensor"] {
            if let Some(element) = defs.get_mut(name) {
                add_control(element, &control());
            }
        }
        let mut template = lists;
        template.insert("place".to_owned(), place.clone());
        template.insert("let".to_owned(), variables());
        defs.insert(
            "Template".to_owned(),
            json!({
                "type": "object", "additionalProperties": false, "properties": template,
                "description": "A part of a scene that can be placed many times.",
            }),
        );
        defs.insert(
            "Expression".to_owned(),
            json!({
                "type": "string", "pattern": "^\\s*=", "description": "An expression: \"= 2*r + gap\".",
            }),
        );
        defs.insert(
            "Quantity".to_owned(),
            json!({
                "type": "string", "pattern": "^\\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\\s*[A-Za-z%]",
                "description": "A number with its unit: \"30 deg\", \"5 mm\".",
            }),
        );
    }
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        properties.insert("let".to_owned(), variables());
        properties.insert(
            "template".to_owned(),
            json!({
                "type": "object", "additionalProperties": { "$ref": "#/$defs/Template" },
                "description": "Parts that can be placed many times, by name.",
            }),
        );
        properties.insert("place".to_owned(), place);
        properties.insert("include".to_owned(), include);
    }
}

/// Adds keys to every table that an element may be.
fn add_control(element: &mut Value, control: &Map<String, Value>) {
    if let Some(Value::Array(kinds)) = element.get_mut("oneOf") {
        for kind in kinds {
            add_control(kind, control);
        }
    }
    if let Some(Value::Object(properties)) = element.get_mut("properties") {
        for (key, schema) in control {
            properties.entry(key.clone()).or_insert_with(|| schema.clone());
        }
    }
}
