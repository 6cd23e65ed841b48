//! Round and flat shapes that land on planes.

use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::record::CheckedLaw;
use dolmen::scene::Document;

/// Lands a shape of radius 0.1 on a plane through the origin. The energy may not rise, and no part may go below the plane by more
/// than the contact tolerance: the side of the start is the side for ever, also of a shape without thickness, which looks the
/// same from both.
fn lands(
    shape: &str,
    plane: &str,
    tilt: f64,
    spin: f64,
    restitution: f64,
    friction: f64,
) -> Result<(), String> {
    let text = format!(
        r#"
format = 1
gravity = [0, 0, -9.81]
[run]
duration = 1
[contact]
restitution = {restitution}
friction = {friction}
[[body]]
name = "floor"
kind = "fixed"
shape = {{ {plane} }}
[[body]]
name = "falling"
shape = {{ {shape} }}
mass = 1
position = [0, 0, 0.3]
orientation = {{ axis = [1, 0.3, 0], angle_deg = {tilt:?} }}
spin = [0, 0, {spin:?}]
"#
    );
    let document = Document::parse("test.toml", &text).map_err(|e| e.to_string())?;
    let world = document.build(Path::new(".")).map_err(|e| e.to_string())?;
    let mut simulation = Simulation::new(world).map_err(|e| e.to_string())?;
    for i in 1..=50 {
        simulation.advance(0.02 * f64::from(i)).map_err(|e| e.to_string())?;
        simulation.check_laws().map_err(|e| e.to_string())?;
        let falling = simulation.world().find_body("falling").ok_or("no such body")?;
        let height = simulation.pose(falling).position.z;
        if height < -1e-9 {
            return Err(format!("below the plane at {} s: {height} m", simulation.time()));
        }
    }
    let overlap = simulation.laws().violations.iter().find(|v| v.law == CheckedLaw::Overlap);
    overlap.map_or(Ok(()), |violation| Err(format!("{violation:?}")))
}

/// Discs, cylinders, cones and boxes, flat, nearly flat and tilted, spinning or not, on planes of every kind and side.
#[test]
fn nothing_falls_through_a_plane() {
    let shapes = [
        r#"kind = "disc", radius = 0.1"#,
        r#"kind = "cylinder", radius = 0.1, length = 0.1"#,
        r#"kind = "cone", radius = 0.1, height = 0.1"#,
        r#"kind = "box", size = [0.2, 0.2, 0.1]"#,
    ];
    let planes = [
        r#"kind = "plane", normal = [0, 0, 1], sides = "front""#,
        r#"kind = "plane", normal = [0, 0, 2], sides = "both""#,
        r#"kind = "plane", normal = [0, 0, 1], extent = { kind = "circle", radius = 3 }, sides = "both""#,
        r#"kind = "plane", normal = [0, 0, 1], extent = { kind = "square", half_side = 3 }, sides = "both""#,
    ];
    let mut failures = Vec::new();
    for (shape, plane) in shapes.into_iter().flat_map(|shape| planes.map(|plane| (shape, plane))) {
        for (tilt, spin) in [(0.0, 0.0), (1e-10, 0.0), (1e-4, 3.0), (20.0, 5.0)] {
            for (restitution, friction) in [(0.5, 0.0), (0.7, 0.3)] {
                if let Err(message) = lands(shape, plane, tilt, spin, restitution, friction) {
                    failures.push(format!(
                        "{shape} on {plane}, tilt {tilt}°, spin {spin}, ε {restitution}, μ {friction}: {message}"
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}
