//! Units, and numbers that are written with one: `"30 deg"`, `"5 mm"`.

use crate::math::real::{PI, TAU};

/// Units and what one of each is in SI.
///
/// One list for the reader, the messages and the documents. Degrees and minutes of arc are units of angle; `min` and `h` of time.
pub(crate) const UNITS: [(&str, f64); 41] = [
    ("m", 1.0),
    ("km", 1e3),
    ("dm", 0.1),
    ("cm", 0.01),
    ("mm", 1e-3),
    ("um", 1e-6),
    ("in", 0.0254),
    ("ft", 0.3048),
    ("kg", 1.0),
    ("g", 1e-3),
    ("mg", 1e-6),
    ("t", 1e3),
    ("lb", 0.453_592_37),
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("min", 60.0),
    ("h", 3600.0),
    ("rad", 1.0),
    ("mrad", 1e-3),
    ("deg", PI / 180.0),
    ("turn", TAU),
    ("rev", TAU),
    ("rpm", TAU / 60.0),
    ("Hz", 1.0),
    ("kHz", 1e3),
    ("N", 1.0),
    ("mN", 1e-3),
    ("kN", 1e3),
    ("MN", 1e6),
    ("Nm", 1.0),
    ("kNm", 1e3),
    ("J", 1.0),
    ("kJ", 1e3),
    ("W", 1.0),
    ("kW", 1e3),
    ("Pa", 1.0),
    ("kPa", 1e3),
    ("MPa", 1e6),
    ("GPa", 1e9),
    ("%", 0.01),
];

/// What one of `unit` is in SI; products and quotients as in `km/h`, `kg/m^3`, `N*s/m`.
pub(crate) fn unit(name: &str) -> Option<f64> {
    UNITS.iter().find(|(known, _)| *known == name).map(|(_, size)| *size)
}

/// `number` of a unit of this size. Divides where that is exact: 5 mm is the float nearest to 0.005, which 5 times the float
/// nearest to 0.001 need not be.
pub(crate) fn scaled(number: f64, size: f64) -> f64 {
    let inverse = 1.0 / size;
    // A power of ten whose inverse is a whole number: one rounding instead of two.
    if size < 1.0 && (inverse - inverse.round()).abs() <= inverse * f64::EPSILON && !is_angle(size) {
        number / inverse.round()
    } else if size.to_bits() == (PI / 180.0).to_bits() {
        number.to_radians()
    } else {
        number * size
    }
}

fn is_angle(size: f64) -> bool {
    [PI / 180.0, TAU / 60.0].iter().any(|angle| angle.to_bits() == size.to_bits())
}

/// The number in SI that `text` says: a number, blanks, a unit (`30 deg`, `2.5e3 kg/m^3`); none if it says something else.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = number_end(text.as_bytes());
    let number: f64 = text.get(..end)?.parse().ok()?;
    let unit = text[end..].trim();
    if unit.is_empty() || !number.is_finite() {
        return None;
    }
    let value = scaled(number, compound(unit)?);
    value.is_finite().then_some(value)
}

/// The first word behind a number that is no unit, where a text begins with a number.
pub(crate) fn unknown_unit(text: &str) -> Option<&str> {
    let text = text.trim();
    let (number, units) = text.split_at(number_end(text.as_bytes()));
    number.parse::<f64>().ok()?;
    let names = units.split(|c: char| !c.is_alphabetic() && c != '%').filter(|name| !name.is_empty());
    names.into_iter().find(|name| unit(name).is_none())
}

/// `a*b/c^2`, from the left.
fn compound(text: &str) -> Option<f64> {
    let mut size = 1.0;
    let (mut rest, mut divides) = (text, false);
    loop {
        let end = rest.find(['*', '/', '·']).unwrap_or(rest.len());
        let (name, power) = match rest[..end].trim().split_once('^') {
            Some((name, power)) => {
                (name.trim(), power.trim().parse::<u32>().ok().filter(|p| (1..=9).contains(p))?)
            }
            None => (rest[..end].trim().trim_end_matches(['²', '³']), superscript(rest[..end].trim())),
        };
        let one = crate::math::real::powi(unit(name)?, power);
        size = if divides { size / one } else { size * one };
        let Some(operator) = rest[end..].chars().next() else { return Some(size) };
        divides = operator == '/';
        rest = &rest[end + operator.len_utf8()..];
    }
}

fn superscript(text: &str) -> u32 {
    match text.chars().last() {
        Some('²') => 2,
        Some('³') => 3,
        _ => 1,
    }
}

/// Where the number at the beginning ends: sign, digits, point, exponent.
pub(crate) fn number_end(bytes: &[u8]) -> usize {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let signed = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut at = digits(signed(0));
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let exponent = signed(at + 1);
        // `2 e` is a two and a name, not a broken exponent.
        if digits(exponent) > exponent {
            at = digits(exponent);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decimal units round once: the number is the one that a person would have written in metres.
    #[test]
    fn decimal_units_give_the_nearest_float() {
        for n in 0..2000 {
            for (unit, digits) in [("mm", 3), ("cm", 2), ("ms", 3), ("g", 3), ("um", 6)] {
                let written: f64 = format!("{n}e-{digits}").parse().expect("a number");
                assert_eq!(parse(&format!("{n} {unit}")), Some(written), "{n} {unit}");
            }
        }
        assert_eq!(parse("30 deg"), Some(30_f64.to_radians()));
        assert_eq!(parse("7.8 g/cm^3").map(|d| (d - 7800.0).abs() < 1e-9), Some(true));
        assert_eq!(parse("36 km/h").map(|v| (v - 10.0).abs() < 1e-12), Some(true));
        assert_eq!(parse("9.81 m/s²"), Some(9.81));
    }

    #[test]
    fn what_is_no_quantity_is_left_alone() {
        for text in [
            "",
            "5",
            "mm",
            "5 bananas",
            "5 mm wide",
            "5 mm^",
            "1e999 m",
            "nan m",
            "5 m//s",
            "deg 5",
            "1 m^99",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
