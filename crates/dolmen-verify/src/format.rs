//! The file of expectations as it is written: see `docs/verify.md`.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

/// A whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// The version of the format: 1.
    pub(crate) format: u32,
    /// Which case it is; the name of the file if left out.
    pub(crate) case: Option<String>,
    pub(crate) title: Option<String>,
    /// What the answer follows from, in one line.
    pub(crate) formula: Option<String>,
    /// Where the numbers are from.
    pub(crate) source: Option<String>,
    pub(crate) about: Option<String>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// A built-in scene, or a path from this file.
    pub(crate) scene: Option<String>,
    #[serde(default)]
    pub(crate) set: Vec<String>,
    pub(crate) until: Option<f64>,
    pub(crate) samples: Option<u32>,
    /// Steps after which a run is given up.
    pub(crate) most_steps: Option<u64>,
    /// Why it is known to fail.
    pub(crate) known: Option<String>,
    /// A folder of data that it cannot do without.
    pub(crate) needs: Option<String>,
    /// A program that measures instead of a scene.
    pub(crate) measure: Option<String>,
    /// Only in the long suite.
    #[serde(default)]
    pub(crate) long: bool,
    pub(crate) laws: Option<Laws>,
    pub(crate) precision: Option<Precision>,
    /// Curves of the report; the energies if there are none.
    #[serde(default)]
    pub(crate) plot: Vec<String>,
    #[serde(default)]
    pub(crate) expect: Vec<Expect>,
    #[serde(default)]
    pub(crate) variant: Vec<Variant>,
    #[serde(default)]
    pub(crate) problem: Vec<Problem>,
}

/// A quantity and what it should be.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) quantity: String,
    pub(crate) label: Option<String>,
    pub(crate) time: Option<f64>,
    pub(crate) value: Option<Written>,
    pub(crate) below: Option<Written>,
    pub(crate) above: Option<Written>,
    pub(crate) relative: Option<f64>,
    pub(crate) absolute: Option<f64>,
    pub(crate) source: Option<String>,
    pub(crate) formula: Option<String>,
    pub(crate) known: Option<String>,
}

/// The same scene with other numbers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variant {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) set: Vec<String>,
    pub(crate) until: Option<f64>,
    pub(crate) samples: Option<u32>,
    pub(crate) most_steps: Option<u64>,
    pub(crate) known: Option<String>,
    #[serde(default)]
    pub(crate) each: BTreeMap<String, Vec<f64>>,
    #[serde(default)]
    pub(crate) expect: Vec<Expect>,
}

/// A problem for a solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) kind: ProblemKind,
    pub(crate) matrix: Vec<Vec<f64>>,
    pub(crate) q: Vec<f64>,
    /// Of each contact; for the kind `coulomb`.
    #[serde(default)]
    pub(crate) friction: Vec<f64>,
    pub(crate) known: Option<String>,
    #[serde(default)]
    pub(crate) expect: Vec<Expect>,
}

/// Which solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum ProblemKind {
    /// w = M z + q, by Lemke.
    #[serde(rename = "lcp")]
    Lcp,
    /// The same for a symmetric positive semidefinite M: the least answer.
    #[serde(rename = "lcp-least")]
    LcpLeast,
    /// u = W r + q with Coulomb's cone.
    #[serde(rename = "coulomb")]
    Coulomb,
}

/// How the laws are checked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Laws {
    /// A shorter horizon, s.
    pub(crate) until: Option<f64>,
    /// Laws that are known to fail, and why.
    #[serde(default)]
    pub(crate) known: BTreeMap<String, String>,
}

/// How error falls with work: a quantity that hangs on the tolerance.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Precision {
    pub(crate) quantity: String,
    pub(crate) value: Written,
    pub(crate) time: Option<f64>,
    #[serde(default)]
    pub(crate) set: Vec<String>,
}

/// A value as it is written: a number, numbers in brackets, or an expression in quotes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Written {
    Number(f64),
    List(Vec<f64>),
    Text(String),
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WrittenVisitor)
    }
}

struct WrittenVisitor;

impl<'de> Visitor<'de> for WrittenVisitor {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, numbers in brackets, or an expression in quotes")
    }

    fn visit_i64<E>(self, number: i64) -> Result<Written, E> {
        Ok(Written::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Written, E> {
        Ok(Written::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Written, E> {
        Ok(Written::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Written, A::Error> {
        let mut list = Vec::new();
        while let Some(number) = elements.next_element::<f64>()? {
            list.push(number);
        }
        Ok(Written::List(list))
    }
}
