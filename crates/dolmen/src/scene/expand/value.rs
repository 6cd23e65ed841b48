//! Values of expressions, what can be done with them, and the functions.

use crate::math::real;

/// A number, truth, text or list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Bool(bool),
    Text(String),
    List(Vec<Value>),
}

/// What stands between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

/// Functions by name, with how many arguments they take (at least, at most).
pub(crate) const FUNCTIONS: [(&str, usize, usize); 31] = [
    ("abs", 1, 1),
    ("sign", 1, 1),
    ("sqrt", 1, 1),
    ("cbrt", 1, 1),
    ("exp", 1, 1),
    ("ln", 1, 1),
    ("log10", 1, 1),
    ("sin", 1, 1),
    ("cos", 1, 1),
    ("tan", 1, 1),
    ("asin", 1, 1),
    ("acos", 1, 1),
    ("atan", 1, 1),
    ("atan2", 2, 2),
    ("sinh", 1, 1),
    ("cosh", 1, 1),
    ("tanh", 1, 1),
    ("hypot", 2, 3),
    ("floor", 1, 1),
    ("ceil", 1, 1),
    ("round", 1, 1),
    ("trunc", 1, 1),
    ("deg", 1, 1),
    ("rad", 1, 1),
    ("min", 1, usize::MAX),
    ("max", 1, usize::MAX),
    ("clamp", 3, 3),
    ("if", 3, 3),
    ("len", 1, 1),
    ("norm", 1, 1),
    ("random", 1, usize::MAX),
];

/// Names with a meaning of their own; variables have others.
pub(crate) const CONSTANTS: [&str; 7] = ["pi", "tau", "true", "false", "and", "or", "not"];

impl Value {
    pub(crate) fn constant(name: &str) -> Option<Self> {
        match name {
            "pi" => Some(Self::Number(real::PI)),
            "tau" => Some(Self::Number(real::TAU)),
            "true" => Some(Self::Bool(true)),
            "false" => Some(Self::Bool(false)),
            _ => None,
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Bool(_) => "true or false",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
        }
    }

    pub(crate) fn number(&self) -> Result<f64, String> {
        match self {
            Self::Number(number) => Ok(*number),
            other => Err(format!("expected a number, found {}", other.kind())),
        }
    }

    pub(crate) fn truth(&self) -> Result<bool, String> {
        match self {
            Self::Bool(truth) => Ok(*truth),
            other => Err(format!("expected true or false, found {}", other.kind())),
        }
    }

    pub(crate) fn negative(self) -> Result<Self, String> {
        match self {
            Self::Number(number) => Ok(Self::Number(-number)),
            Self::List(values) => {
                values.into_iter().map(Self::negative).collect::<Result<_, _>>().map(Self::List)
            }
            other => Err(format!("{} has no sign", other.kind())),
        }
    }

    /// Element by element for lists of the same length; a number times a list, and a list by a number.
    pub(crate) fn operation(&self, operator: Operator, other: &Self) -> Result<Self, String> {
        use Operator::{Divide, Equal, Multiply, Unequal};
        let (scales, divides) = (operator == Multiply, matches!(operator, Multiply | Divide));
        match (self, other) {
            (a, b) if operator == Equal => Ok(Self::Bool(a == b)),
            (a, b) if operator == Unequal => Ok(Self::Bool(a != b)),
            (Self::Number(a), Self::Number(b)) => Ok(numbers(*a, operator, *b)),
            (Self::Text(a), Self::Text(b)) if operator == Operator::Add => Ok(Self::Text(format!("{a}{b}"))),
            (Self::List(a), Self::List(b)) if matches!(operator, Operator::Add | Operator::Subtract) => {
                if a.len() != b.len() {
                    return Err(format!("a list of {} and a list of {} do not fit", a.len(), b.len()));
                }
                let sums = a.iter().zip(b).map(|(a, b)| a.operation(operator, b));
                sums.collect::<Result<_, _>>().map(Self::List)
            }
            (Self::Number(_), Self::List(b)) if scales => {
                b.iter().map(|b| self.operation(operator, b)).collect::<Result<_, _>>().map(Self::List)
            }
            (Self::List(a), Self::Number(_)) if divides => {
                a.iter().map(|a| a.operation(operator, other)).collect::<Result<_, _>>().map(Self::List)
            }
            (a, b) => Err(format!("this operation is not for {} and {}", a.kind(), b.kind())),
        }
    }

    /// The element of a list, from 0.
    pub(crate) fn index(&self, index: &Self) -> Result<Self, String> {
        let Self::List(values) = self else {
            return Err(format!("only a list has elements, not {}", self.kind()));
        };
        let at = index.number()?;
        let whole = (at >= 0.0 && at.fract() == 0.0 && at < values.len() as f64).then_some(at as usize);
        match whole.and_then(|at| values.get(at)) {
            Some(value) => Ok(value.clone()),
            None => Err(format!("there is no element {at}: there are {}, counted from 0", values.len())),
        }
    }
}

fn numbers(a: f64, operator: Operator, b: f64) -> Value {
    let truth = |truth| Value::Bool(truth);
    Value::Number(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        // The remainder has the sign of the divisor, so that an index stays in its range.
        Operator::Remainder => a - b * (a / b).floor(),
        Operator::Power if b.fract() == 0.0 && (0.0..=64.0).contains(&b) => real::powi(a, b as u32),
        Operator::Power => real::pow(a, b),
        Operator::Less => return truth(a < b),
        Operator::LessEqual => return truth(a <= b),
        Operator::Greater => return truth(a > b),
        Operator::GreaterEqual => return truth(a >= b),
        // Taken care of by the callers.
        Operator::Equal | Operator::Unequal | Operator::And | Operator::Or => return truth(false),
    })
}

/// The function `name` of these values.
///
/// # Errors
/// What is wrong with the name or the values.
pub(crate) fn call(name: &str, values: &[Value]) -> Result<Value, String> {
    let Some((_, least, most)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
        let known: Vec<&str> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
        let near = crate::scene::suggest::nearest(name, known.iter().copied());
        let hint = near.map_or_else(
            || format!("there are {}", known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(format!("there is no function `{name}`; {hint}"));
    };
    if !(*least..=*most).contains(&values.len()) {
        let wanted = if least == most { least.to_string() } else { format!("at least {least}") };
        return Err(format!("`{name}` takes {wanted} values, not {}", values.len()));
    }
    if let ("len", Value::List(list)) = (name, &values[0]) {
        return Ok(Value::Number(list.len() as f64));
    }
    // `norm`, `min` and `max` take a list as well.
    let spread: Vec<Value>;
    let values = match values {
        [Value::List(list)] if matches!(name, "norm" | "min" | "max") && !list.is_empty() => {
            spread = list.clone();
            &spread
        }
        values => values,
    };
    let x: Vec<f64> = values.iter().map(Value::number).collect::<Result<_, _>>()?;
    let result = match name {
        "abs" => x[0].abs(),
        "sign" => f64::from(i8::from(x[0] > 0.0) - i8::from(x[0] < 0.0)),
        "sqrt" => x[0].sqrt(),
        "cbrt" => real::cbrt(x[0]),
        "exp" => real::exp(x[0]),
        "ln" => real::ln(x[0]),
        "log10" => real::log10(x[0]),
        "sin" => real::sin(x[0]),
        "cos" => real::cos(x[0]),
        "tan" => real::tan(x[0]),
        "asin" => real::asin(x[0]),
        "acos" => real::acos(x[0]),
        "atan" => real::atan(x[0]),
        "atan2" => real::atan2(x[0], x[1]),
        "sinh" => real::sinh(x[0]),
        "cosh" => real::cosh(x[0]),
        "tanh" => real::tanh(x[0]),
        "hypot" | "norm" => x.iter().map(|x| x * x).sum::<f64>().sqrt(),
        "floor" => x[0].floor(),
        "ceil" => x[0].ceil(),
        "round" => x[0].round(),
        "trunc" => x[0].trunc(),
        "deg" => x[0].to_degrees(),
        "rad" => x[0].to_radians(),
        "min" => x.iter().copied().fold(f64::INFINITY, f64::min),
        "max" => x.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "clamp" => x[0].max(x[1]).min(x[2]),
        "random" => random(&x),
        _ => return Err(format!("`{name}` is not for {}", values[0].kind())),
    };
    if result.is_finite() {
        Ok(Value::Number(result))
    } else {
        let given: Vec<String> = x.iter().map(f64::to_string).collect();
        Err(format!("`{name}({})` is not a finite number", given.join(", ")))
    }
}

/// A number from 0 to 1 (1 not included) that looks random and depends on the arguments alone: the bits of each in turn through
/// `SplitMix64` [Steele, Lea, Flood 2014].
fn random(seeds: &[f64]) -> f64 {
    let mut state = 0_u64;
    for seed in seeds {
        // −0 and 0 are the same seed.
        state ^= (seed + 0.0).to_bits();
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}
