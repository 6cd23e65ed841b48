//! The little language by itself.

use super::{Expression, Spoken, Value, Variables, check, evaluate, evaluate::Nothing, fill_in};
use dolmen::math::DVec3;

fn value(text: &str) -> Result<Value, String> {
    let expression = Expression::parse(text).map_err(|mistake| mistake.message)?;
    evaluate(&expression.node, &mut Nothing, &Variables::default())
}

/// Arithmetic as it is taught: powers before signs before products before sums, powers from the right.
#[test]
fn operators_bind_as_they_should() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("-2^2", -4.0),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("(1 + 2)*3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("12/3/2", 2.0),
        ("1.5e-3*2", 3e-3),
        ("--1", 1.0),
        ("sqrt(2)^2 - 2", 4.440892098500626e-16),
        ("dot([1, 2, 3], [4, 5, 6])", 32.0),
        ("cross([1, 0, 0], [0, 1, 0]).z", 1.0),
        ("length([3, 4, 0])", 5.0),
        ("atan2(1, -1)/deg", 135.0),
        ("part([5, 6], 2)", 6.0),
    ] {
        assert_eq!(value(text), Ok(Value::Number(expected)), "{text}");
    }
    assert_eq!(value("2*[1, 0, -1]/4"), Ok(Value::Vector(DVec3::new(0.5, 0.0, -0.5))));
}

/// Whatever is typed is refused in words, at its place, and nothing panics.
#[test]
fn nonsense_is_refused_at_its_place() {
    for (text, at) in [
        ("", 0..0),
        ("1 +", 3..3),
        ("(1", 2..2),
        ("1 2", 2..3),
        ("'a", 0..2),
        ("a..b", 2..3),
        ("3 § 4", 2..4),
    ] {
        let mistake = Expression::parse(text).expect_err(text);
        assert_eq!(mistake.at, at, "{text}: {}", mistake.message);
    }
    assert!(Expression::parse(&"(".repeat(10_000)).is_err());
    assert!(Expression::parse(&"-".repeat(10_000)).is_err());
    assert!(Expression::parse("é('ü', 1)").is_ok());
    for text in ["[1, 2, 3]*[1, 2, 3]", "sin([1, 2, 3])", "'name'", "nothing", "part([1], 7)", "[1, 2, 3].w"]
    {
        assert!(value(text).is_err(), "{text}");
    }
}

/// An orientation and its negative are the same; other values are not.
#[test]
fn distances_are_those_of_the_kind() {
    let turn = Value::Turn(dolmen::math::DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8));
    assert_eq!(turn.distance(&Value::List(vec![-0.8, -0.6, 0.0, 0.0])), Ok(0.0));
    let vector = Value::of_numbers(&[1.0, 2.0, 2.0]);
    assert_eq!(vector.distance(&Value::of_numbers(&[-1.0, -2.0, -2.0])), Ok(6.0));
    assert!(vector.distance(&Value::Number(1.0)).is_err());
}

/// `{…}` is evaluated; the braces of tables are left alone.
#[test]
fn braces_are_filled_in() {
    let variables = Variables { numbers: [("h".to_owned(), 30.0)].into(), ..Variables::default() };
    let filled = |text: &str| fill_in(text, &variables).map_err(|mistake| mistake.message);
    assert_eq!(filled("v=[{2*h}, {h}]"), Ok("v=[60.0, 30]".to_owned()));
    assert_eq!(filled("shape={ kind = \"box\" }"), Ok("shape={ kind = \"box\" }".to_owned()));
    assert_eq!(filled("orientation={ angle_deg = {h} }"), Ok("orientation={ angle_deg = 30 }".to_owned()));
    assert!(filled("v={k}").is_err() && filled("open { brace").is_ok());
}

/// Unknown words, wrong counts of arguments and missing names are found before anything runs.
#[test]
fn words_are_checked_before_a_run() {
    let spoken =
        Spoken { words: crate::words::WORDS, parts: crate::words::PARTS, variables: &["h".to_owned()] };
    for (text, count) in [
        ("position(a) + h*velocity(b)", 0),
        ("event(collision, 1, a, b).time", 0),
        ("event(collision, 1).tme", 1),
        ("position()", 1),
        ("position(a, [1, 2, 3], b)", 1),
        ("position(1)", 1),
        ("sin(1, 2) + nope + largest(nope)", 3),
    ] {
        let found = match Expression::parse(text) {
            Ok(expression) => check(&expression, &spoken).len(),
            Err(_) => 1,
        };
        assert_eq!(found, count, "{text}");
    }
}
