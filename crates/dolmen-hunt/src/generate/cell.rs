//! Scenes about one pair of mechanisms: a shape on a support, or a joint with what acts in it near a floor.
//!
//! Scenes that are random in everything meet rare pairs rarely. Here the seed chooses the pair, one after the other.

use dolmen::math::{DQuat, DVec3};

use super::Scales;
use super::body;
use super::joint::Maker;
use super::random::{Random, digits, rounded, short};
use super::shape;
use super::stage::{Kind, Stage, Staged};
use super::text::{Table, exact, exact_vector, number, vector};
use crate::coverage::{JOINTS, MOTORS, PLANES, SHAPES};

/// Meshes that no point sees whole.
const HOLLOW: [&str; 2] = ["ring", "channel"];

/// A shape above a support, on its way down, and sometimes others around them.
pub(super) fn pair(stage: &mut Stage, scales: &Scales, random: &mut Random, seed: u64) {
    let cell = (seed % ((SHAPES.len() * (SHAPES.len() + PLANES.len())) as u64)) as usize;
    let (shape, support) = (SHAPES[cell % SHAPES.len()], cell / SHAPES.len());
    let on = SHAPES.get(support).ok_or_else(|| PLANES[support - SHAPES.len()]).copied();
    meeting(stage, scales, random, (shape, on));
}

/// Meshes that no point sees whole, on each other, on all other shapes and on planes.
pub(super) fn hollow(stage: &mut Stage, scales: &Scales, random: &mut Random, seed: u64) {
    let supports: Vec<Result<&str, &str>> =
        HOLLOW.into_iter().chain(SHAPES).map(Ok).chain(PLANES.into_iter().map(Err)).collect();
    let cell = (seed % (HOLLOW.len() * supports.len()) as u64) as usize;
    meeting(stage, scales, random, (HOLLOW[cell % HOLLOW.len()], supports[cell / HOLLOW.len()]));
}

/// A shape above another one, or, where there is none, above a plane of a kind.
fn meeting(stage: &mut Stage, scales: &Scales, random: &mut Random, (shape, on): (&str, Result<&str, &str>)) {
    let up = scales.up();
    let size = short(scales.size(random));
    let mut near = None;
    if let Ok(kind) = on {
        let size = short(scales.size(random));
        let moves = random.pick(&[Kind::Fixed, Kind::Kinematic, Kind::Kinematic, Kind::Dynamic]);
        let radius = if moves == Kind::Kinematic { 1.5 * size } else { size };
        let mut below = stage.begin(random, moves, DVec3::ZERO, radius);
        // On a level support things stay.
        while moves == Kind::Kinematic && below.orientation != DQuat::IDENTITY && random.chance(0.8) {
            below = stage.begin(random, moves, DVec3::ZERO, radius);
        }
        let mass = scales.body_mass(random);
        // Only a dynamic body can have parts with masses.
        let shaped = loop {
            let shaped = shape::of_kind(random, kind, size, mass);
            if moves == Kind::Dynamic || !shaped.has_masses {
                break shaped;
            }
        };
        below.table.put("shape", &shaped.text);
        match moves {
            Kind::Dynamic if !shaped.has_masses => drop(below.table.put("mass", number(mass))),
            Kind::Kinematic => carry(&mut below, scales, random, size),
            _ => {}
        }
        stage.bodies.push(below);
        near = Some(radius);
    }
    let beside = near.unwrap_or(0.0);
    let aside = 0.3 * (beside + size) * (random.vector() - up * up.dot(random.vector()));
    let gap = random.decades(0.001, 0.5);
    let at = up * (beside + size) * (1.0 + gap) + aside;
    let at = rounded(if at.length() > (beside + size) * 1.001 { at } else { up * (beside + size) * 1.01 }, 7);
    let mut above = stage.begin(random, Kind::Dynamic, at, size);
    let mass = scales.body_mass(random);
    let shaped = shape::of_kind(random, shape, size, mass);
    above.table.put("shape", &shaped.text);
    if !shaped.has_masses {
        above.table.put("mass", number(mass));
    }
    let velocity = -random.between(0.0, 1.0) * up + 0.5 * random.vector();
    above.table.put("velocity", vector(scales.speed * velocity));
    if random.chance(0.5) {
        above.table.put("spin", vector(scales.speed / size * random.vector()));
    }
    stage.bodies.push(above);
    if random.chance(0.4) {
        for _ in 0..random.count(1, 4) {
            body::free(stage, scales, random);
        }
    }
    floor(stage, scales, random, on.err().unwrap_or(PLANES[0]));
}

/// A support moves so slowly that something can stay on it, or in any way.
fn carry(body: &mut Staged, scales: &Scales, random: &mut Random, size: f64) {
    let speed = 0.1 * scales.speed;
    let (velocity, spin) = (vector(speed * random.vector()), vector(0.2 * speed / size * random.vector()));
    match random.below(5) {
        0 => {
            body.table.put("velocity", velocity);
            if random.chance(0.5) {
                body.table.put("spin", spin);
            }
        }
        1 => {
            let spin = if random.chance(0.5) { spin } else { "[0, 0, 0]".to_owned() };
            let text = format!("{{ kind = \"uniform\", velocity = {velocity}, spin = {spin} }}");
            body.table.put("motion", text);
        }
        2 => {
            let frequency = random.between(0.2, 1.0) / scales.time();
            let amplitude = vector(speed / (6.3 * frequency) * random.vector());
            let text = format!(
                "{{ kind = \"oscillate\", amplitude = {amplitude}, frequency = {} }}",
                number(frequency)
            );
            body.table.put("motion", text);
        }
        3 => {
            let (t, step) = (short(2.0 * scales.time()), 2.0 * speed * scales.time());
            let places = [DVec3::ZERO, step * random.vector(), step * random.vector()];
            let places = places.map(|x| vector(body.position + x)).join(", ");
            let times = format!("[0, {}, {}]", exact(t), exact(3.0 * t));
            let text = format!("{{ kind = \"path\", times = {times}, positions = [{places}] }}");
            body.table.put("motion", text);
        }
        _ => body::motion(body, scales, random, 0.3 * size),
    }
}

/// A joint of one kind, with one thing acting in it, just above a floor, and something to meet it; the text of the joints.
pub(super) fn machine(stage: &mut Stage, scales: &Scales, random: &mut Random, seed: u64) -> String {
    let kind = JOINTS[(seed % JOINTS.len() as u64) as usize];
    let acting = MOTORS[(seed / JOINTS.len() as u64 % MOTORS.len() as u64) as usize];
    let support = joint_support(stage, scales, random);
    // What nothing can stop goes with no loop.
    let mut maker = Maker::new(stage, scales, false);
    let kinds: &[&str] = match kind {
        "gear" => &["hinge", "hinge"],
        "rack-and-pinion" => &["hinge", "slider"],
        _ => &[kind],
    };
    for (k, kind) in kinds.iter().enumerate() {
        link(&mut maker, stage, random, support, kind, if k == 0 { acting } else { "none" });
    }
    if kinds.len() == 2 {
        maker.couple(random);
    }
    for _ in 0..random.below(3) {
        let parent = Some(stage.bodies.len() - 1);
        let (kind, acting) = (random.pick(&JOINTS[..13]), random.pick(&MOTORS));
        // One prescribed motion is enough.
        let acting = if acting == "motion" || acting == "velocity" { "friction" } else { acting };
        link(&mut maker, stage, random, parent, kind, acting);
    }
    let text = maker.finish();
    // Coupled bodies hardly reach the floor by themselves.
    let least = if kinds.len() == 2 { 2 } else { 0 };
    for _ in 0..random.count(least, least + 3) {
        body::free(stage, scales, random);
    }
    let kind = random.pick(&PLANES);
    floor(stage, scales, random, kind);
    text
}

/// Sometimes a fixed or kinematic body that the mechanism hangs on.
fn joint_support(stage: &mut Stage, scales: &Scales, random: &mut Random) -> Option<usize> {
    let kind = match random.below(5) {
        0 => Kind::Fixed,
        1 => Kind::Kinematic,
        _ => return None,
    };
    let size = short(scales.size(random));
    let radius = if kind == Kind::Kinematic { 1.5 * size } else { size };
    let mut body = stage.begin(random, kind, DVec3::ZERO, radius);
    let shaped = shape::of_kind(random, "box", size, 1.0);
    body.table.put("shape", shaped.text);
    if kind == Kind::Kinematic {
        body::motion(&mut body, scales, random, 0.3 * size);
    }
    stage.bodies.push(body);
    Some(stage.bodies.len() - 1)
}

/// A body with a joint to an earlier one, or to the world.
fn link(
    maker: &mut Maker<'_>,
    stage: &mut Stage,
    random: &mut Random,
    parent: Option<usize>,
    kind: &str,
    acting: &str,
) {
    let scales = *maker.scales();
    let size = short(scales.size(random));
    let solids = stage.solids();
    let near = parent.or_else(|| (!solids.is_empty()).then(|| random.pick(&solids)));
    let (position, direction) = stage.place(random, size, near);
    let mut body = stage.begin(random, Kind::Dynamic, position, size);
    body::clothe(&mut body, &scales, random, size);
    if random.chance(0.2) {
        body.table.put("velocity", vector(scales.speed * random.vector()));
    }
    let at = body.position - size * direction;
    let other = parent.map(|parent| &stage.bodies[parent]);
    maker.join_as(random, kind, acting, (&body, other), at);
    stage.bodies.push(body);
}

/// A plane or a piece of one of this kind, just below everything.
fn floor(stage: &mut Stage, scales: &Scales, random: &mut Random, kind: &str) {
    let tilt = if random.chance(0.6) { 0.0 } else { random.between(0.0, 0.4) };
    let normal = rounded(scales.up() + tilt * random.vector(), 3);
    let unit = normal.normalize();
    let lowest = |body: &Staged| unit.dot(body.position) - body.radius;
    let height = stage.bodies.iter().map(lowest).fold(f64::INFINITY, f64::min);
    let smallest = stage.bodies.iter().map(|body| body.radius).fold(scales.length, f64::min);
    let reach = stage.bodies.iter().map(|body| body.position.length() + body.radius).fold(0.0, f64::max);
    let offset = digits(height - random.decades(0.003, 0.3) * smallest - 1e-6 * reach, 7);
    let name = format!("b{:02}", stage.bodies.len());
    let mut table = Table::new("[[body]]");
    table.text("name", &name).text("kind", "fixed");
    let extent = number(reach * random.between(0.8, 3.0));
    let (piece, sides) = match kind {
        "circle" => (format!(", extent = {{ kind = \"circle\", radius = {extent} }}"), "both"),
        "square" => (format!(", extent = {{ kind = \"square\", half_side = {extent} }}"), "both"),
        "two-sided plane" => (String::new(), "both"),
        _ => (String::new(), "front"),
    };
    let normal = exact_vector(normal);
    let offset = exact(offset);
    table.put(
        "shape",
        format!("{{ kind = \"plane\", normal = {normal}, offset = {offset}{piece}, sides = \"{sides}\" }}"),
    );
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
