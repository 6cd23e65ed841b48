//! The JSON Schema of the scene file, for editors and other programs.

use serde_json::Value;

use super::typed::Scene;

/// The JSON Schema (2020-12) of the scene file.
///
/// It has names, types, lengths of vectors and what has to be there; what [`Scene::check`] looks for beyond
/// that it does not.
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    tidy(&mut schema);
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
