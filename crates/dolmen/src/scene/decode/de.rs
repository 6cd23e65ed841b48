//! A serde deserializer over the tree whose errors know their place.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::scene::node::{Entry, Node, Value};
use crate::scene::place::PathSegment;
use crate::scene::place::Span;
use crate::scene::quantity;

/// What can be wrong when a tree is read as a type.
#[derive(Debug)]
pub(crate) enum Mistake {
    UnknownKey {
        key: String,
        known: &'static [&'static str],
    },
    /// A word that is none of `known`; the empty word also stands for a missing `kind`.
    UnknownWord {
        word: String,
        known: &'static [&'static str],
    },
    Missing(&'static str),
    Repeated(&'static str),
    /// A list is not as long as expected.
    Length {
        expected: String,
        found: usize,
    },
    /// The value is not what was expected.
    Wrong {
        expected: String,
    },
    Other(String),
}

/// The first mistake that decoding met.
#[derive(Debug)]
pub(crate) struct DecodeError {
    pub mistake: Mistake,
    /// The innermost place that is known.
    pub span: Option<Span>,
    /// From the innermost outwards: the path is gathered on the way out.
    steps: Vec<PathSegment>,
}

impl DecodeError {
    fn new(mistake: Mistake) -> Self {
        Self { mistake, span: None, steps: Vec::new() }
    }

    fn wrong(expected: &dyn Expected) -> Self {
        Self::new(Mistake::Wrong { expected: in_words(&expected.to_string()) })
    }

    /// From the element that was decoded to the offending value.
    pub(crate) fn path(&self) -> Vec<PathSegment> {
        self.steps.iter().rev().cloned().collect()
    }

    fn or_at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    fn inside(mut self, segment: PathSegment) -> Self {
        self.steps.push(segment);
        self
    }
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.mistake)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::new(Mistake::Other(message.to_string()))
    }
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong(expected)
    }
    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong(expected)
    }
    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        Self::new(Mistake::Length { expected: in_words(&expected.to_string()), found })
    }
    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        Self::new(Mistake::UnknownWord { word: word.to_owned(), known })
    }
    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::new(Mistake::UnknownKey { key: key.to_owned(), known })
    }
    fn missing_field(key: &'static str) -> Self {
        Self::new(Mistake::Missing(key))
    }
    fn duplicate_field(key: &'static str) -> Self {
        Self::new(Mistake::Repeated(key))
    }
}

/// What serde calls Rust's types, in words for people.
fn in_words(expected: &str) -> String {
    match expected {
        "f64" => "a number".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of 0 or more".to_owned(),
        "a string" | "a borrowed string" => "text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        _ if expected.starts_with("struct ") || expected == "a map" => "a table".to_owned(),
        _ if expected.starts_with("enum ") => "text".to_owned(),
        _ => match expected.strip_prefix("an array of length ") {
            Some(length) => format!("{length} numbers in brackets"),
            None => expected.to_owned(),
        },
    }
}

/// Reads one node.
#[derive(Clone, Copy)]
pub(crate) struct Decoder<'n> {
    node: &'n Node,
}

impl<'n> Decoder<'n> {
    pub(crate) fn new(node: &'n Node) -> Self {
        Self { node }
    }

    /// Errors that do not know better are about this node.
    fn here<T>(self, result: Result<T, DecodeError>) -> Result<T, DecodeError> {
        result.map_err(|error| error.or_at(self.node.span))
    }

    fn expected<T>(self, expected: impl Into<String>) -> Result<T, DecodeError> {
        self.here(Err(DecodeError::new(Mistake::Wrong { expected: expected.into() })))
    }

    /// As the node is written.
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.here(match &self.node.value {
            Value::Table(entries) => visitor.visit_map(Fields::new(entries)),
            Value::Array(elements) => visitor.visit_seq(Elements { elements, next: 0 }),
            Value::String(text) => visitor.visit_str(text),
            Value::Integer(integer) => visitor.visit_i64(*integer),
            Value::Float(float) if float.is_finite() => visitor.visit_f64(*float),
            Value::Float(_) => return self.expected("a finite number"),
            Value::Bool(bool) => visitor.visit_bool(*bool),
            Value::Hole(_) | Value::Unread => visitor.visit_f64(1.0),
        })
    }

    fn is_hole(self) -> bool {
        matches!(self.node.value, Value::Hole(_))
    }
}

impl<'de> Deserializer<'de> for Decoder<'_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.visit(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.value {
            Value::Integer(integer) => self.here(visitor.visit_f64(*integer as f64)),
            // "5 mm", wherever a number is wanted.
            Value::String(text) => match quantity::parse(text) {
                Some(number) => self.here(visitor.visit_f64(number)),
                None => self.visit(visitor),
            },
            _ => self.visit(visitor),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_hole() { visitor.visit_u64(1) } else { self.visit(visitor) }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_hole() { visitor.visit_bool(false) } else { self.visit(visitor) }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_hole() { visitor.visit_str("") } else { self.visit(visitor) }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_hole() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_hole() {
            visitor.visit_seq(Elements { elements: &[], next: 0 })
        } else {
            self.visit(visitor)
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.value {
            Value::Array(elements) if elements.len() != length => {
                let rows = elements.first().is_some_and(|first| matches!(first.value, Value::Array(_)));
                let expected = format!("{length} {}", if rows { "rows" } else { "numbers" });
                self.here(Err(DecodeError::new(Mistake::Length { expected, found: elements.len() })))
            }
            Value::Hole(_) => {
                let holes = vec![self.node.clone(); length];
                visitor.visit_seq(Elements { elements: &holes, next: 0 })
            }
            _ => self.visit(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &self.node.value {
            // Only a choice by `kind` is read as a map.
            Value::Hole(entries) => {
                let mut fields = Fields::new(entries);
                let kind = Node { span: self.node.span, value: Value::Hole(Vec::new()) };
                let kind = Entry { key: "kind".to_owned(), key_span: self.node.span, node: kind };
                fields.kind = Some(&kind);
                self.here(visitor.visit_map(fields))
            }
            _ => self.visit(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match &self.node.value {
            Value::Table(entries) | Value::Hole(entries) => {
                self.here(visitor.visit_map(Fields::new(entries)))
            }
            // A list of the fields in order, which serde would take, is no part of the format.
            _ => self.expected("a table"),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let word = match &self.node.value {
            Value::String(word) => word.as_str(),
            Value::Hole(_) => words.first().copied().unwrap_or_default(),
            _ => return self.expected("text"),
        };
        self.here(visitor.visit_enum(Word(word)))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct newtype_struct
        tuple_struct identifier ignored_any
    }
}

/// The entries of a table, `kind` before all others so that a choice can be made before the rest is read.
struct Fields<'n> {
    kind: Option<&'n Entry>,
    entries: std::slice::Iter<'n, Entry>,
    current: Option<&'n Entry>,
}

impl<'n> Fields<'n> {
    fn new(entries: &'n [Entry]) -> Self {
        let kind = entries.iter().find(|entry| entry.key == "kind");
        Self { kind, entries: entries.iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        self.current = match self.kind.take() {
            Some(kind) => Some(kind),
            None => self.entries.find(|entry| entry.key != "kind"),
        };
        let Some(entry) = self.current else { return Ok(None) };
        match seed.deserialize(StrDeserializer::<DecodeError>::new(&entry.key)) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error.or_at(entry.key_span).inside(PathSegment::Key(entry.key.clone()))),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DecodeError> {
        let entry = self.current.expect("serde asks for a value only after its key");
        let value = seed.deserialize(Decoder::new(&entry.node));
        value.map_err(|error| error.or_at(entry.node.span).inside(PathSegment::Key(entry.key.clone())))
    }
}

struct Elements<'n> {
    elements: &'n [Node],
    next: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        let Some(element) = self.elements.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        match seed.deserialize(Decoder::new(element)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.or_at(element.span).inside(PathSegment::Index(index))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.elements.len() - self.next)
    }
}

/// A word out of a list.
struct Word<'n>(&'n str);

impl<'de> EnumAccess<'de> for Word<'_> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), DecodeError> {
        Ok((seed.deserialize(StrDeserializer::<DecodeError>::new(self.0))?, self))
    }
}

impl<'de> VariantAccess<'de> for Word<'_> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, DecodeError> {
        Err(no_contents())
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, DecodeError> {
        Err(no_contents())
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, DecodeError> {
        Err(no_contents())
    }
}

fn no_contents() -> DecodeError {
    de::Error::custom("a word has no contents")
}
