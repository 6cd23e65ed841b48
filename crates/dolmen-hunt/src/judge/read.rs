//! Pieces of TOML as the scene format writes them.

use toml::{Table, Value};

use super::vector::{Matrix, Vector, vector};

/// A number, written with or without a decimal point.
pub fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|n| n as f64))
}

/// The number of a key.
pub fn number_of(table: &Table, key: &str) -> Option<f64> {
    table.get(key).and_then(number)
}

/// The text of a key.
pub fn text_of<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(Value::as_str)
}

/// The elements of a list; none where there is no list.
pub fn list_of<'t>(table: &'t Table, key: &str) -> &'t [Value] {
    table.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The tables of a list.
pub fn tables_of<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = &'t Table> {
    list_of(table, key).iter().filter_map(Value::as_table)
}

/// Three numbers.
pub fn vector_from(value: &Value) -> Option<Vector> {
    let list = value.as_array()?;
    let [x, y, z] = &list[..] else { return None };
    Some(vector(number(x)?, number(y)?, number(z)?))
}

/// The three numbers of a key.
pub fn vector_of(table: &Table, key: &str) -> Option<Vector> {
    table.get(key).and_then(vector_from)
}

/// A matrix that is written by its rows.
pub fn matrix_of(table: &Table, key: &str) -> Option<Matrix> {
    let rows: Vec<Vector> = list_of(table, key).iter().filter_map(vector_from).collect();
    let [a, b, c] = rows[..] else { return None };
    Some(Matrix([a, b, c]).transposed())
}

/// The rotation under the key `orientation`; without it, none.
pub fn orientation_of(table: &Table) -> Matrix {
    table.get("orientation").and_then(Value::as_table).and_then(rotation).unwrap_or(Matrix::IDENTITY)
}

/// A rotation in one of the four ways in which it can be written.
pub fn rotation(table: &Table) -> Option<Matrix> {
    if let Some(Value::Array(q)) = table.get("quaternion") {
        let q: Vec<f64> = q.iter().filter_map(number).collect();
        return Some(Matrix::from_quaternion(q.try_into().ok()?));
    }
    if let Some(axis) = vector_of(table, "axis") {
        let degrees = number_of(table, "angle_deg").map(f64::to_radians);
        return Some(Matrix::from_axis(axis, number_of(table, "angle").or(degrees)?));
    }
    if table.contains_key("matrix") {
        return matrix_of(table, "matrix");
    }
    let angles = vector_of(table, "euler")
        .or_else(|| vector_of(table, "euler_deg").map(|v| Vector(v.0.map(f64::to_radians))))?;
    let order = text_of(table, "order").unwrap_or("xyz");
    let mut whole = Matrix::IDENTITY;
    for (letter, angle) in order.chars().zip(angles.0) {
        let axis = Vector::AXES["xyz".find(letter.to_ascii_lowercase())?];
        let turn = Matrix::from_axis(axis, angle);
        // Small letters turn about the axes of the body, capitals about those of the world.
        whole = if letter.is_ascii_lowercase() { whole.after(&turn) } else { turn.after(&whole) };
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(text: &str) -> Matrix {
        orientation_of(&text.parse::<Table>().expect("TOML"))
    }

    /// One rotation, written in every way.
    #[test]
    fn every_way_of_writing_a_rotation_is_read() {
        let ways = [
            "orientation = { axis = [0, 0, 3], angle_deg = 90 }",
            "orientation = { matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }",
            "orientation = { quaternion = [0.7071067811865476, 0, 0, 0.7071067811865476] }",
            "orientation = { euler_deg = [0, 0, 90] }",
            "orientation = { euler_deg = [90, 0, 0], order = \"zxz\" }",
        ];
        for way in ways {
            let image = turned(way).apply(Vector::AXES[0]);
            assert!((image - Vector::AXES[1]).length() < 1e-12, "{way}: {image:?}");
        }
        let small = turned("orientation = { euler_deg = [90, 90, 0], order = \"xyz\" }");
        let capital = turned("orientation = { euler_deg = [0, 90, 90], order = \"ZYX\" }");
        assert!((small.apply(Vector::AXES[2]) - capital.apply(Vector::AXES[2])).length() < 1e-12);
    }
}
