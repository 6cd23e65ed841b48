//! Bodies on their own: free, fixed and driven ones, and arrangements that touch from the start.

use dolmen::math::{DQuat, DVec3, dvec3};

use super::Scales;
use super::random::{Random, rounded, short};
use super::shape::{self, Shaped};
use super::stage::{Kind, Stage, Staged};
use super::text::{Table, exact, exact_vector, list, number, vector};

/// A body next to another, often on its way to it.
pub(super) fn free(stage: &mut Stage, scales: &Scales, random: &mut Random) {
    let kind = match random.below(12) {
        0 => Kind::Fixed,
        1 => Kind::Kinematic,
        _ => Kind::Dynamic,
    };
    let size = short(scales.size(random));
    // A driven body may be displaced at once, and turns about a point of its own.
    let radius = if kind == Kind::Kinematic { 2.5 * size } else { size };
    let near = stage.solids();
    let near = (!near.is_empty()).then(|| random.pick(&near));
    let (position, direction) = stage.place(random, radius, near);
    let mut body = stage.begin(random, kind, position, radius);
    match kind {
        Kind::Dynamic => {
            clothe(&mut body, scales, random, size);
            if random.chance(0.8) {
                let velocity = -direction * random.between(0.0, 1.5) + 0.3 * random.vector();
                body.table.put("velocity", vector(scales.speed * velocity));
            }
            spin(&mut body, scales, random);
        }
        Kind::Fixed => {
            let shaped = solid(random, size);
            body.table.put("shape", shaped.text);
        }
        Kind::Kinematic => {
            let shaped = solid(random, size);
            body.table.put("shape", shaped.text);
            motion(&mut body, scales, random, size);
        }
    }
    stage.bodies.push(body);
}

fn spin(body: &mut Staged, scales: &Scales, random: &mut Random) {
    if random.chance(0.6) {
        let key = random.pick(&["spin", "spin_body"]);
        let rate = scales.speed / body.radius.max(0.1 * scales.length);
        body.table.put(key, vector(rate * 2.0 * random.vector()));
    }
}

/// A shape without masses of its own.
fn solid(random: &mut Random, size: f64) -> Shaped {
    loop {
        let shaped = shape::any(random, size, 1.0);
        if !shaped.has_masses {
            return shaped;
        }
    }
}

/// Gives a dynamic body its shape and mass.
pub(super) fn clothe(body: &mut Staged, scales: &Scales, random: &mut Random, size: f64) {
    let mass = scales.body_mass(random);
    if random.chance(0.03) {
        // Without a shape nothing touches it.
        let inertia = mass * size * size * dvec3(0.4, random.between(0.3, 0.5), random.between(0.3, 0.5));
        body.table.put("mass", number(mass)).put("inertia", vector(inertia));
        return;
    }
    let shaped = shape::any(random, size, mass);
    body.table.put("shape", &shaped.text);
    if shaped.has_masses {
        return;
    }
    let density = mass / (size * size * size);
    match random.below(4) {
        0 if shaped.has_volume => drop(body.table.put("density", number(density))),
        1 if shaped.has_volume && random.chance(0.3) => {
            let gradient = 0.3 * density / size * random.vector();
            let varying = format!("{{ constant = {}, gradient = {} }}", number(density), vector(gradient));
            body.table.put("density", varying);
        }
        _ => drop(body.table.put("mass", number(mass))),
    }
}

/// How a driven body moves.
pub(super) fn motion(body: &mut Staged, scales: &Scales, random: &mut Random, size: f64) {
    let speed = scales.speed.min(5.0 * size / scales.time());
    match random.below(4) {
        0 => {
            body.table.put("velocity", vector(speed * random.vector()));
            body.table.put("spin", vector(speed / size * random.vector()));
        }
        1 => {
            let (velocity, spin) = (vector(speed * random.vector()), vector(speed / size * random.vector()));
            let text = format!("{{ kind = \"uniform\", velocity = {velocity}, spin = {spin} }}");
            body.table.put("motion", text);
        }
        2 => {
            let frequency = number(random.between(0.05, 0.5) / scales.time());
            let amplitude = format!("amplitude = {}", vector(0.25 * size * random.vector()));
            let axis = exact_vector(random.direction());
            let turn = format!("axis = {axis}, angle = {}", number(random.between(-1.5, 1.5)));
            let what = match random.below(3) {
                0 => amplitude,
                1 => turn,
                _ => format!("{amplitude}, {turn}"),
            };
            let phase = number(random.between(0.0, 6.0));
            let text =
                format!("{{ kind = \"oscillate\", {what}, frequency = {frequency}, phase = {phase} }}");
            body.table.put("motion", text);
        }
        _ => path(body, scales, random, size),
    }
}

/// A path that begins where the body stands.
fn path(body: &mut Staged, scales: &Scales, random: &mut Random, size: f64) {
    let count = random.count(2, 4);
    let begin = if random.chance(0.5) { 0.0 } else { short(scales.time()) };
    let (mut at, mut times, mut positions, mut turns) = (body.position, Vec::new(), Vec::new(), Vec::new());
    for k in 0..count {
        times.push(exact(begin + short(2.0 * scales.time()) * k as f64));
        positions.push(exact_vector(at));
        let degrees = if k == 0 { DVec3::ZERO } else { 25.0 * random.vector() };
        turns.push(format!("{{ euler_deg = {} }}", vector(degrees)));
        at = rounded(at + size * random.vector(), 7);
    }
    let (positions, turns) =
        (format!("positions = {}", list(positions)), format!("orientations = {}", list(turns)));
    let what = match random.below(3) {
        0 => positions,
        1 => turns,
        _ => format!("{positions}, {turns}"),
    };
    body.table.put("motion", format!("{{ kind = \"path\", times = {}, {what} }}", list(times)));
}

/// Bodies that touch exactly at the start: a stack, a pyramid, or a row of balls.
pub(super) fn arrangement(stage: &mut Stage, scales: &Scales, random: &mut Random) {
    // Binary fractions: sums are exact.
    let half = dvec3(1.0, 1.0, 1.0) * random.pick(&[0.125, 0.25, 0.5]);
    let mass = short(scales.body_mass(random));
    match random.below(4) {
        0 => {
            let ball = format!("{{ kind = \"sphere\", radius = {} }}", exact(half.x));
            let count = random.count(2, 5);
            for k in 0..count {
                let at = dvec3(2.0 * half.x * k as f64, 0.0, half.x);
                touching(stage, at, half.x, &ball, mass);
            }
            // One more hits the row.
            let at = dvec3(-2.0 * half.x - 0.25, 0.0, half.x);
            touching(stage, at, half.x, &ball, mass);
            let striker = stage.bodies.last_mut().expect("it was added");
            striker.table.put("velocity", vector(scales.speed * DVec3::X));
        }
        1 => {
            let brick = format!("{{ kind = \"box\", size = {} }}", exact_vector(2.0 * half));
            for (x, row) in [(-half.x, 0.0), (half.x, 0.0), (0.0, 1.0)] {
                touching(stage, dvec3(x, 0.0, half.z * (1.0 + 2.0 * row)), 1.75 * half.x, &brick, mass);
            }
        }
        _ => {
            for k in 0..random.count(1, 5) {
                let (kind, length) = (random.below(3), exact(2.0 * half.z));
                let shape = match kind {
                    0 => format!("{{ kind = \"cylinder\", radius = {}, length = {length} }}", exact(half.x)),
                    _ => format!("{{ kind = \"box\", size = {} }}", exact_vector(2.0 * half)),
                };
                let at = dvec3(0.125 * half.x * random.below(3) as f64, 0.0, half.z * (2 * k + 1) as f64);
                touching(stage, at, 1.75 * half.x, &shape, mass);
            }
        }
    }
    let mut table = Table::new("[[body]]");
    let name = format!("b{:02}", stage.bodies.len());
    table.text("name", &name).text("kind", "fixed");
    let sides = random.pick(&["front", "both"]);
    table.put("shape", format!("{{ kind = \"plane\", normal = [0, 0, 1], sides = \"{sides}\" }}"));
    stage.floors.push((DVec3::Z, 0.0));
    stage.bodies.push(Staged {
        name,
        kind: Kind::Fixed,
        position: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
        radius: 0.0,
        table,
        is_plane: true,
    });
}

fn touching(stage: &mut Stage, position: DVec3, radius: f64, shape: &str, mass: f64) {
    let name = format!("b{:02}", stage.bodies.len());
    let mut table = Table::new("[[body]]");
    table.text("name", &name).put("position", exact_vector(position));
    table.put("shape", shape).put("mass", number(mass));
    let orientation = DQuat::IDENTITY;
    stage.bodies.push(Staged {
        name,
        kind: Kind::Dynamic,
        position,
        orientation,
        radius,
        table,
        is_plane: false,
    });
}
