//! What an expression can come to.

use std::fmt;

use dolmen::math::{DQuat, DVec3, real};

/// A value of the little language.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// A number.
    Number(f64),
    /// Three numbers.
    Vector(DVec3),
    /// An orientation; it and its negative are the same.
    Turn(DQuat),
    /// Any other count of numbers.
    List(Vec<f64>),
    /// Named parts, of which one is to be chosen.
    Parts(Vec<(&'static str, Value)>),
}

impl Value {
    /// The numbers in it, w first for an orientation.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Number(number) => vec![*number],
            Self::Vector(v) => v.to_array().to_vec(),
            Self::Turn(q) => vec![q.w, q.x, q.y, q.z],
            Self::List(list) => list.clone(),
            Self::Parts(_) => Vec::new(),
        }
    }

    /// From numbers as written in a list.
    pub(crate) fn of_numbers(numbers: &[f64]) -> Self {
        match numbers {
            [one] => Self::Number(*one),
            [x, y, z] => Self::Vector(DVec3::new(*x, *y, *z)),
            _ => Self::List(numbers.to_vec()),
        }
    }

    /// Its size: |x|, the length of a vector, the largest of a list.
    pub(crate) fn size(&self) -> f64 {
        match self {
            Self::Number(number) => number.abs(),
            Self::Vector(v) => v.length(),
            Self::Turn(q) => q.length(),
            Self::List(list) => {
                list.iter().fold(0.0, |m: f64, v| if v.is_nan() { *v } else { m.max(v.abs()) })
            }
            Self::Parts(_) => f64::NAN,
        }
    }

    /// How far it is from `other`, in the measure of [`Value::size`]; an orientation up to its sign.
    ///
    /// # Errors
    /// When the two cannot be compared.
    pub(crate) fn distance(&self, other: &Self) -> Result<f64, String> {
        let (a, b) = (self.numbers(), other.numbers());
        if a.len() != b.len() || a.is_empty() {
            return Err(format!("{} cannot be compared with {}", self.kind(), other.kind()));
        }
        let apart = |sign: f64| -> Vec<f64> { a.iter().zip(&b).map(|(a, b)| a - sign * b).collect() };
        let length = |d: &[f64]| d.iter().map(|d| d * d).sum::<f64>().sqrt();
        Ok(match (self, other) {
            (Self::Turn(_), _) | (_, Self::Turn(_)) => length(&apart(1.0)).min(length(&apart(-1.0))),
            (Self::List(_), _) => Self::List(apart(1.0)).size(),
            _ => length(&apart(1.0)),
        })
    }

    /// The number, if it is one.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn number(&self) -> Result<f64, String> {
        match self {
            Self::Number(number) => Ok(*number),
            _ => Err(format!("a number is needed, this is {}", self.kind())),
        }
    }

    /// The vector, if it is one.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn vector(&self) -> Result<DVec3, String> {
        match self {
            Self::Vector(vector) => Ok(*vector),
            _ => Err(format!("a vector is needed, this is {}", self.kind())),
        }
    }

    fn kind(&self) -> String {
        match self {
            Self::Number(_) => "a number".to_owned(),
            Self::Vector(_) => "a vector".to_owned(),
            Self::Turn(_) => "an orientation".to_owned(),
            Self::List(list) => format!("a list of {}", list.len()),
            Self::Parts(parts) => {
                let names: Vec<String> = parts.iter().map(|(name, _)| format!(".{name}")).collect();
                format!("an event, of which {} can be asked", names.join(" "))
            }
        }
    }

    /// A part by name: x, y, z, w, or of an event.
    ///
    /// # Errors
    /// When there is none of that name.
    pub(crate) fn part(&self, name: &str) -> Result<Self, String> {
        let found = match (self, name) {
            (Self::Vector(v), "x") => Some(v.x),
            (Self::Vector(v), "y") => Some(v.y),
            (Self::Vector(v), "z") => Some(v.z),
            (Self::Turn(q), "w") => Some(q.w),
            (Self::Turn(q), "x") => Some(q.x),
            (Self::Turn(q), "y") => Some(q.y),
            (Self::Turn(q), "z") => Some(q.z),
            (Self::Parts(parts), _) => {
                let part = parts.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone());
                return part.ok_or_else(|| format!("{} has no part `{name}`", self.kind()));
            }
            _ => None,
        };
        found.map(Self::Number).ok_or_else(|| format!("{} has no part `{name}`", self.kind()))
    }

    /// `self` op `other`.
    ///
    /// # Errors
    /// When the two do not go together.
    pub(crate) fn combined(&self, symbol: char, other: &Self) -> Result<Self, String> {
        use Value::{List, Number, Vector};
        Ok(match (symbol, self, other) {
            ('+', Number(a), Number(b)) => Number(a + b),
            ('-', Number(a), Number(b)) => Number(a - b),
            ('*', Number(a), Number(b)) => Number(a * b),
            ('/', Number(a), Number(b)) => Number(a / b),
            ('^', Number(a), Number(b)) => Number(power(*a, *b)),
            ('+', Vector(a), Vector(b)) => Vector(*a + *b),
            ('-', Vector(a), Vector(b)) => Vector(*a - *b),
            ('*', Number(a), Vector(b)) | ('*', Vector(b), Number(a)) => Vector(*a * *b),
            ('/', Vector(a), Number(b)) => Vector(*a / *b),
            ('+' | '-', List(a), List(b)) if a.len() == b.len() => {
                let sign = if symbol == '+' { 1.0 } else { -1.0 };
                List(a.iter().zip(b).map(|(a, b)| a + sign * b).collect())
            }
            _ => return Err(format!("`{symbol}` is not defined for {} and {}", self.kind(), other.kind())),
        })
    }
}

/// a to the power b; whole powers are products, so that 2^2 is 4.
fn power(a: f64, b: f64) -> f64 {
    const WHOLE: f64 = 64.0;
    if b.trunc() == b && b.abs() <= WHOLE {
        let product = real::powi(a, b.abs() as u32);
        return if b < 0.0 { 1.0 / product } else { product };
    }
    real::pow(a, b)
}

/// Numbers with as many digits as it takes to read back the same bits.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Parts(_) => write!(f, "{}", self.kind()),
            _ => {
                let numbers: Vec<String> = self.numbers().iter().map(|n| format!("{n:?}")).collect();
                write!(f, "[{}]", numbers.join(", "))
            }
        }
    }
}
