//! What belongs to fixed steps.

use schemars::JsonSchema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The length of a step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum StepLength {
    /// s.
    Seconds(f64),
    /// A fraction of a second, such as "1/60".
    Fraction(String),
}

impl StepLength {
    /// In seconds; none if it is not a fraction of two numbers.
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Seconds(seconds) => Some(*seconds),
            Self::Fraction(text) => {
                let (over, under) = text.split_once('/').unwrap_or((text, "1"));
                let number = |text: &str| text.trim().parse::<f64>().ok();
                Some(number(over)? / number(under)?)
            }
        }
    }
}

impl<'de> Deserialize<'de> for StepLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = StepLength;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of seconds, or a fraction such as \"1/60\"")
            }
            fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<StepLength, E> {
                Ok(StepLength::Seconds(seconds))
            }
            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<StepLength, E> {
                Ok(StepLength::Seconds(seconds as f64))
            }
            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<StepLength, E> {
                Ok(StepLength::Seconds(seconds as f64))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<StepLength, E> {
                Ok(StepLength::Fraction(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The precision of velocities and contacts in fixed steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Single.
    F32,
    /// Double.
    F64,
}

/// What fixed steps may not exceed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepBounds {
    /// The deepest overlap of two bodies, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<f64>,
    /// The largest error of a joint, m or rad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint_error: Option<f64>,
    /// The largest energy that is not accounted for, J.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_drift: Option<f64>,
}
