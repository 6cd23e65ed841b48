//! Particles, and forces of every kind.

use dolmen::math::DVec3;

use super::Scales;
use super::random::{Random, short};
use super::stage::{Kind, Stage};
use super::text::{Table, list, number, vector};

/// The only set of particles.
const SET: &str = "dust";

/// Sometimes a set of particles about the bodies.
pub(super) fn particles(stage: &Stage, scales: &Scales, random: &mut Random) -> Particles {
    if !random.chance(0.15) {
        return Particles { text: String::new(), count: 0 };
    }
    let count = random.count(2, 8);
    let centre = stage.bodies[0].position;
    let mut table = Table::new("[[particles]]");
    table.text("name", SET);
    // They lie about bodies, and some would begin inside of one.
    table.put("collides_with", "[]");
    if random.chance(0.5) {
        table.put("mass", number(scales.body_mass(random)));
    } else {
        table.put("masses", list((0..count).map(|_| number(scales.body_mass(random)))));
    }
    // On a lattice, a little out of place: no two begin too near each other.
    let places = (0..count).map(|k| {
        let cell = DVec3::new((k % 2) as f64, (k / 2 % 2) as f64, (k / 4) as f64);
        vector(centre + scales.length * (2.0 * cell + 0.3 * random.vector()))
    });
    table.put("positions", list(places.collect::<Vec<_>>()));
    if random.chance(0.5) {
        table.put("velocities", list((0..count).map(|_| vector(scales.speed * random.vector()))));
    }
    Particles { text: table.finish(), count }
}

/// A set of particles as text.
#[derive(Debug)]
pub(super) struct Particles {
    pub(super) text: String,
    pub(super) count: usize,
}

/// What acts besides gravity.
pub(super) fn forces(
    stage: &mut Stage,
    scales: &Scales,
    random: &mut Random,
    particles: usize,
    duration: f64,
) -> String {
    let count = if random.chance(0.5) { 0 } else { random.count(1, 3) };
    let mut text = String::new();
    for _ in 0..count {
        text += &force(stage, scales, random, particles, duration);
    }
    if particles > 0 && random.chance(0.6) {
        text += &short_range(scales, random);
    }
    if random.chance(0.03) {
        text += &penalty(stage, scales, random);
    }
    text
}

fn force(stage: &Stage, scales: &Scales, random: &mut Random, particles: usize, duration: f64) -> String {
    let dynamic = stage.dynamic();
    if dynamic.is_empty() {
        return String::new();
    }
    let body = &stage.bodies[random.pick(&dynamic)];
    let mut table = Table::new("[[force]]");
    match random.below(7) {
        0 => {
            table.text("kind", "push").text("body", &body.name);
            table.put("force", vector(2.0 * scales.force() * random.vector()));
            if random.chance(0.5) {
                table.put("at", vector(0.5 * body.radius * random.vector()));
            }
            timing(&mut table, random, duration);
        }
        1 => {
            table.text("kind", "torque").text("body", &body.name);
            table.put("torque", vector(scales.torque() * random.vector()));
            timing(&mut table, random, duration);
        }
        2 => spring(&mut table, stage, scales, random, particles),
        3 => {
            table.text("kind", "drag");
            let (force, speed) = (0.3 * scales.force(), scales.speed);
            let kinds = [
                ("linear", force / speed),
                ("quadratic", force / speed / speed),
                ("angular", scales.torque() * scales.time()),
            ];
            let always = random.below(3);
            for (k, (key, size)) in kinds.into_iter().enumerate() {
                if k == always || random.chance(0.3) {
                    table.put(key, number(size * random.unit()));
                }
            }
            if random.chance(0.5) {
                table.put("wind", vector(scales.speed * random.vector()));
            }
            members(&mut table, "bodies", stage, random, particles);
        }
        4 => {
            let exponent = random.pick(&[-1.0, 1.0, 2.0, 3.0]);
            let strength = scales.speed * scales.speed * libm::pow(scales.length, exponent - 1.0);
            table.text("kind", "attract").put("exponent", number(exponent));
            table.put("strength", number(strength * random.between(-1.0, 2.0)));
            table.put("softening", number(0.2 * scales.length * random.unit()));
            let centre = body.position + scales.length * random.vector();
            table.put("to", vector(centre));
            members(&mut table, "bodies", stage, random, particles);
        }
        5 => {
            table.text("kind", "field");
            let acceleration = scales.force() / scales.mass;
            table.put("uniform", vector(acceleration * random.vector()));
            if random.chance(0.4) {
                let row = |random: &mut Random| vector(acceleration / scales.length * random.vector());
                table.put("matrix", list([row(random), row(random), row(random)]));
            }
            members(&mut table, "bodies", stage, random, particles);
        }
        _ => {
            table.text("kind", "nbody");
            let constant = scales.speed * scales.speed * scales.length / scales.mass;
            table.put("constant", number(constant * random.unit() + 1e-3 * constant));
            table.put("softening", number(0.3 * scales.length * random.between(0.1, 1.0)));
            if random.chance(0.3) {
                table.text("method", random.pick(&["direct", "auto"]));
            }
        }
    }
    table.finish()
}

fn timing(table: &mut Table, random: &mut Random, duration: f64) {
    if random.chance(0.4) {
        table.text("frame", random.pick(&["world", "body"]));
    }
    let from = short(duration * random.between(0.0, 0.5));
    if random.chance(0.3) {
        table.put("from", number(from));
    }
    if random.chance(0.3) {
        table.put("until", number(from + duration * random.between(0.05, 0.5)));
    }
    match random.below(4) {
        0 => {
            let frequency = number(random.between(0.5, 5.0) / duration);
            let phase = number(random.between(0.0, 6.0));
            table.put("wave", format!("{{ kind = \"sine\", frequency = {frequency}, phase = {phase} }}"));
        }
        1 => {
            let count = random.count(1, 4);
            let times = list((0..count).map(|k| number(duration * 0.2 * (k + 1) as f64)));
            let factors = list((0..count).map(|_| number(random.between(-1.0, 2.0))));
            table.put("wave", format!("{{ kind = \"table\", times = {times}, factors = {factors} }}"));
        }
        _ => {}
    }
}

/// A spring between two bodies, a body and a point, or particles.
fn spring(table: &mut Table, stage: &Stage, scales: &Scales, random: &mut Random, particles: usize) {
    let dynamic = stage.dynamic();
    let first = random.pick(&dynamic);
    let body = &stage.bodies[first];
    let anchor = |k: usize, random: &mut Random| {
        let at = vector(0.7 * stage.bodies[k].radius * random.vector());
        format!("{{ body = \"{}\", at = {at} }}", stage.bodies[k].name)
    };
    table.text("kind", "spring");
    let other = random.pick(&stage.solids());
    if particles > 1 && random.chance(0.5) {
        table.put("a", format!("{{ particles = \"{SET}\", index = {} }}", random.below(particles)));
        table.put("b", anchor(first, random));
    } else if other != first && random.chance(0.7) {
        table.put("a", anchor(first, random)).put("b", anchor(other, random));
    } else {
        let point = body.position + (body.radius + scales.length) * random.direction();
        table.put("a", anchor(first, random)).put("b", format!("{{ point = {} }}", vector(point)));
    }
    table.put("stiffness", number(scales.force() / scales.length * random.decades(0.1, 30.0)));
    match random.below(3) {
        0 => drop(table.put("length", "0")),
        1 => drop(table.put("length", number(scales.length * random.between(0.5, 3.0)))),
        _ => {}
    }
    if random.chance(0.5) {
        table.put("damping", number(scales.force() / scales.speed * random.unit()));
    }
}

/// Sometimes only some are acted on.
fn members(table: &mut Table, key: &str, stage: &Stage, random: &mut Random, particles: usize) {
    if !random.chance(0.4) {
        return;
    }
    let mut names: Vec<String> = stage
        .dynamic()
        .into_iter()
        .filter(|_| random.chance(0.5))
        .map(|k| stage.bodies[k].name.clone())
        .collect();
    if particles > 0 {
        names.push(SET.to_owned());
    }
    if !names.is_empty() {
        table.put(key, list(names.into_iter().map(|name| format!("\"{name}\""))));
    }
}

fn short_range(scales: &Scales, random: &mut Random) -> String {
    let mut table = Table::new("[[force]]");
    table.text("kind", "short-range").put("radius", number(3.0 * scales.length));
    if random.chance(0.5) {
        let stiffness = number(scales.force() / scales.length * random.unit());
        table.put("law", format!("{{ kind = \"repulsion\", stiffness = {stiffness} }}"));
    } else {
        let (depth, length) = (number(0.2 * scales.torque()), number(1.2 * scales.length));
        table.put("law", format!("{{ kind = \"lennard-jones\", depth = {depth}, length = {length} }}"));
    }
    if random.chance(0.5) {
        table.put("damping", number(0.1 * scales.force() / scales.speed));
    }
    table.finish()
}

/// Two bodies of their own that collide with nothing and meet on springs.
fn penalty(stage: &mut Stage, scales: &Scales, random: &mut Random) -> String {
    let mut names = Vec::new();
    for _ in 0..2 {
        let size = short(scales.length);
        let near = stage.solids();
        let near = random.pick(&near);
        let (position, direction) = stage.place(random, size, Some(near));
        let mut body = stage.begin(random, Kind::Dynamic, position, size);
        let shape = super::shape::simple(random, "box", size);
        body.table.put("shape", shape.text).put("mass", number(scales.mass));
        body.table.put("velocity", vector(-scales.speed * direction)).put("collides_with", "[]");
        names.push(body.name.clone());
        stage.bodies.push(body);
    }
    let mut table = Table::new("[[force]]");
    table.text("kind", "penalty").text("a", &names[0]).text("b", &names[1]);
    table.put("stiffness", number(100.0 * scales.force() / scales.length));
    table.put("damping", number(scales.force() / scales.speed));
    table.put("friction", number(random.unit())).put("slip_speed", number(0.1 * scales.speed));
    table.finish()
}
