//! Orientations mean what the page says.

use dolmen::math::{DMat3, DQuat, DVec3, real};
use dolmen::scene::typed::{EulerOrder, Orientation};

/// The matrix of a turn by `angle` about axis 0, 1 or 2, from the textbook.
fn turn(axis: usize, angle: f64) -> DMat3 {
    let (s, c) = (real::sin(angle), real::cos(angle));
    match axis {
        0 => DMat3::from_cols(DVec3::X, DVec3::new(0.0, c, s), DVec3::new(0.0, -s, c)),
        1 => DMat3::from_cols(DVec3::new(c, 0.0, -s), DVec3::Y, DVec3::new(s, 0.0, c)),
        _ => DMat3::from_cols(DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0), DVec3::Z),
    }
}

fn difference(rotation: DQuat, matrix: DMat3) -> f64 {
    let found = DMat3::from_quat(rotation);
    (0..3).map(|i| (found.col(i) - matrix.col(i)).abs().max_element()).fold(0.0, f64::max)
}

/// Intrinsic "abc" is `R_a` `R_b` `R_c`, extrinsic "ABC" is `R_c` `R_b` `R_a`; ten operations of relative error
/// 1.1e-16 each stay below 2e-15.
#[test]
fn every_euler_order_is_the_product_of_its_three_turns() {
    let angles = [0.3, -1.1, 2.5];
    for order in EulerOrder::ALL {
        let word = serde_json::to_value(order).unwrap();
        let word = word.as_str().unwrap();
        let axes: Vec<usize> = word.to_lowercase().bytes().map(|letter| usize::from(letter - b'x')).collect();
        let [a, b, c] = [0, 1, 2].map(|i| turn(axes[i], angles[i]));
        let expected = if word == word.to_lowercase() { a * b * c } else { c * b * a };
        let radians = Orientation { euler: Some(angles), order: Some(order), ..Orientation::default() };
        let error = difference(radians.rotation().unwrap(), expected);
        assert!(error < 2e-15, "{word}: {error:e}");
        let degrees = angles.map(f64::to_degrees);
        let degrees = Orientation { euler_deg: Some(degrees), order: Some(order), ..Orientation::default() };
        let error = difference(degrees.rotation().unwrap(), expected);
        assert!(error < 4e-15, "{word} in degrees: {error:e}");
    }
}

/// A third of a turn about (1, 1, 1) carries x to y, y to z, z to x, in each way of writing it.
#[test]
fn the_ways_of_writing_one_rotation_agree() {
    let expected = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X);
    let none = Orientation::default();
    let ways = [
        Orientation { quaternion: Some([0.5, 0.5, 0.5, 0.5]), ..none.clone() },
        Orientation { axis: Some([1e200, 1e200, 1e200]), angle: Some(real::TAU / 3.0), ..none.clone() },
        Orientation { axis: Some([3.0, 3.0, 3.0]), angle_deg: Some(120.0), ..none.clone() },
        Orientation { matrix: Some([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), ..none.clone() },
        Orientation { euler_deg: Some([90.0, 90.0, 0.0]), order: Some(EulerOrder::BodyXyz), ..none.clone() },
    ];
    for way in &ways[..4] {
        let error = difference(way.rotation().unwrap(), expected);
        assert!(error < 1e-15, "{way:?}: {error:e}");
    }
    // x by 90° then body's y by 90°: x → −z′ = −(−y) … = y, as the matrices say.
    let error = difference(ways[4].rotation().unwrap(), turn(0, real::FRAC_PI_2) * turn(1, real::FRAC_PI_2));
    assert!(error < 1e-15, "{error:e}");
    assert_eq!(none.rotation(), None);
    assert_eq!(Orientation { axis: Some([0.0; 3]), angle: Some(1.0), ..none }.rotation(), None);
}
