//! Choices that are written as `kind = "…"`.

/// Declares an enum of which a table names the variant by its key `kind`.
///
/// Serde's own internally tagged enums gather the whole table before they look at it, and with that lose where
/// the values stood. This one takes `kind` first, which the scene's deserializer delivers first, and reads the
/// rest straight into the struct of the variant. Any other deserializer has to bring `kind` first as well.
macro_rules! tagged {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$variant_attribute:meta])* $word:literal => $variant:ident($contents:ty)),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, schemars::JsonSchema)]
        #[serde(tag = "kind")]
        pub enum $name {
            $($(#[$variant_attribute])* #[serde(rename = $word)] $variant($contents)),*
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                enum Kind {
                    $(#[serde(rename = $word)] $variant),*
                }

                struct Choice;

                impl<'de> serde::de::Visitor<'de> for Choice {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a table with a `kind`")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        if map.next_key::<String>()?.as_deref() != Some("kind") {
                            // The empty word says that there is none; see `Mistake::UnknownWord`.
                            return Err(serde::de::Error::unknown_variant("", &[$($word),*]));
                        }
                        match map.next_value::<Kind>()? {
                            $(Kind::$variant => {
                                let rest = serde::de::value::MapAccessDeserializer::new(map);
                                <$contents as serde::Deserialize>::deserialize(rest).map($name::$variant)
                            })*
                        }
                    }
                }

                deserializer.deserialize_map(Choice)
            }
        }
    };
}

pub(crate) use tagged;
