//! Numbers as messages show them.

use std::fmt;

/// A number with all its digits, and with a power of ten where it would need many zeros: `5.3e-20`, not nineteen of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Digits(pub f64);

/// Below and above, powers of ten are shorter.
const PLAIN: std::ops::Range<f64> = 1e-4..1e9;

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self(x) = *self;
        if x == 0.0 || PLAIN.contains(&x.abs()) || !x.is_finite() {
            return write!(f, "{x}");
        }
        // Of what is so small or so large six digits say enough.
        let text = format!("{x:.5e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        write!(f, "{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted_and_not_printed() {
        let shown = |x: f64| Digits(x).to_string();
        assert_eq!(shown(5.3e-20), "5.3e-20");
        assert_eq!(shown(-1.423_838_283_679_924e-19), "-1.42384e-19");
        assert_eq!(shown(1e300), "1e300");
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(0.1), "0.1");
        assert_eq!(shown(1.414_335_970_500_092_2), "1.4143359705000922");
        assert_eq!(shown(1e-4), "0.0001");
        assert_eq!(shown(12_345.0), "12345");
        assert_eq!(shown(f64::NAN), "NaN");
        assert_eq!(shown(f64::INFINITY), "inf");
    }
}
