//! Planes and pieces of planes, all bodies in front of them.

use dolmen::math::{DQuat, DVec3};

use super::Scales;
use super::random::{Random, digits, rounded};
use super::stage::{Kind, Stage, Staged};
use super::text::{Table, exact, exact_vector, number, vector};

/// A floor, and some walls.
pub(super) fn around(stage: &mut Stage, scales: &Scales, random: &mut Random) {
    if stage.floors.is_empty() && random.chance(if scales.gravity == DVec3::ZERO { 0.3 } else { 0.9 }) {
        let tilt = if random.chance(0.5) { 0.0 } else { random.between(0.0, 0.6) };
        let normal = scales.up() + tilt * random.vector();
        plane(stage, scales, random, normal);
    }
    for _ in 0..random.below(3) {
        let normal = random.direction() + 0.5 * scales.up();
        if normal.length() > 0.1 {
            plane(stage, scales, random, normal);
        }
    }
}

fn plane(stage: &mut Stage, scales: &Scales, random: &mut Random, normal: DVec3) {
    let normal = rounded(normal, 3);
    let unit = normal.normalize();
    let solids: Vec<_> = stage.bodies.iter().filter(|body| !body.is_plane).collect();
    let lowest =
        solids.iter().map(|body| unit.dot(body.position) - body.radius).fold(f64::INFINITY, f64::min);
    let smallest = solids.iter().map(|body| body.radius).fold(scales.length, f64::min);
    let centre = solids.iter().map(|body| body.position).sum::<DVec3>() / solids.len() as f64;
    let extent = solids.iter().map(|body| centre.distance(body.position) + body.radius).fold(0.0, f64::max);
    // Room for the rounding of what is written, which is relative to the distance from the origin.
    let room = random.decades(0.01, 2.0) * smallest + 1e-5 * (extent + centre.length());
    let offset = digits(lowest - room, 7);

    let two_sided = random.chance(0.4);
    let name = format!("b{:02}", stage.bodies.len());
    let mut table = Table::new("[[body]]");
    table.text("name", &name).text("kind", "fixed");
    let foot = centre + (offset - unit.dot(centre)) * unit;
    let point = rounded(foot, 9);
    // What is touched from both sides may face either way.
    let facing = if two_sided && random.chance(0.3) { -1.0 } else { 1.0 };
    let front = vector(facing * normal);
    let (place, middle) = match random.below(4) {
        0 => (format!("normal = {front}, offset = {}", exact(facing * offset)), point),
        1 => (format!("normal = {front}, point = {}", exact_vector(point)), point),
        2 => {
            let [a, b, c] = (facing * normal).to_array();
            let d = -facing * offset * normal.length();
            (format!("coefficients = [{a:?}, {b:?}, {c:?}, {d:?}]"), point)
        }
        _ => {
            table.put("position", exact_vector(point));
            (format!("normal = {front}"), DVec3::ZERO)
        }
    };
    let size = number(extent * random.between(0.4, 3.0));
    let piece = match random.below(6) {
        0 => {
            format!(", extent = {{ kind = \"circle\", radius = {size}, centre = {} }}", exact_vector(middle))
        }
        1 => format!(
            ", extent = {{ kind = \"square\", half_side = {size}, centre = {} }}",
            exact_vector(middle)
        ),
        2 => ", extent = { kind = \"infinite\" }".to_owned(),
        _ => String::new(),
    };
    let sides = if two_sided { "both" } else { "front" };
    table.put("shape", format!("{{ kind = \"plane\", {place}{piece}, sides = \"{sides}\" }}"));
    let orientation = DQuat::IDENTITY;
    let radius = 0.0;
    stage.bodies.push(Staged {
        name,
        kind: Kind::Fixed,
        position: point,
        orientation,
        radius,
        table,
        is_plane: true,
    });
}
