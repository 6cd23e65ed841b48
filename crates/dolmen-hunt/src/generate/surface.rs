//! What surfaces are made of, the laws of contact, and groups.

use super::Scales;
use super::random::Random;
use super::stage::Stage;
use super::text::{Table, list, number};

const RULES: [&str; 5] = ["minimum", "maximum", "mean", "geometric-mean", "product"];

/// `[contact]`, `[[material]]` and `[[material_pair]]`; bodies are given their materials.
pub(super) fn surfaces(stage: &mut Stage, scales: &Scales, random: &mut Random, has_joints: bool) -> String {
    let is_smooth = random.chance(0.15);
    let mut contact = Table::new("[contact]");
    coefficients(&mut contact, scales, random, is_smooth);
    if random.chance(0.3) {
        contact.text("law", random.pick(&["propagation", "simultaneous", "reflection"]));
    }
    for key in ["combine_restitution", "combine_friction", "combine_resistance"] {
        if random.chance(0.15) {
            contact.text(key, random.pick(&RULES));
        }
    }
    if random.chance(0.1) {
        contact.put("equilibrium_shortcut", "false");
    }
    if random.chance(0.02) {
        contact.put("enabled", "false");
    }
    // What knows no joints or no friction is refused with them.
    let solvers: &[&str] = match (has_joints, is_smooth) {
        (true, _) => &["complementarity", "cone"],
        (false, true) => &["complementarity", "cone", "sparse", "lemke", "quadratic", "linear"],
        (false, false) => &["complementarity", "cone", "sparse", "lemke"],
    };
    if random.chance(0.25) {
        let solver = random.pick(solvers);
        contact.text("solver", solver);
        if solver == "lemke" && random.chance(0.5) {
            contact.put("lemke_sides", random.pick(&["4", "8", "12"]));
        }
    }
    contact.finish() + &materials(stage, scales, random, is_smooth)
}

fn materials(stage: &mut Stage, scales: &Scales, random: &mut Random, is_smooth: bool) -> String {
    let names = &["ash", "brass", "cork"][..random.below(4)];
    let mut text = String::new();
    for name in names {
        let mut material = Table::new("[[material]]");
        material.text("name", name);
        coefficients(&mut material, scales, random, is_smooth);
        text += &material.finish();
    }
    if names.is_empty() {
        return text;
    }
    if random.chance(0.4) {
        let mut pair = Table::new("[[material_pair]]");
        let two = [random.pick(names), random.pick(names)].map(|name| format!("\"{name}\""));
        pair.put("materials", list(two)).put("restitution", number(random.unit()));
        if !is_smooth {
            pair.put("friction", number(random.between(0.0, 1.0)));
        }
        text += &pair.finish();
    }
    for body in &mut stage.bodies {
        if random.chance(0.7) {
            body.table.text("material", random.pick(names));
        }
    }
    text
}

fn coefficients(table: &mut Table, scales: &Scales, random: &mut Random, is_smooth: bool) {
    match random.below(4) {
        0 => {}
        1 => drop(table.put("restitution", random.pick(&["0", "0.5", "1"]))),
        _ => drop(table.put("restitution", number(random.unit()))),
    }
    if is_smooth {
        return;
    }
    match random.below(4) {
        0 => {}
        1 => {
            let sticks = random.between(0.1, 1.2);
            table.put("static_friction", number(sticks));
            table.put("kinetic_friction", number(sticks * random.between(0.3, 0.99)));
        }
        _ => drop(table.put("friction", number(random.between(0.0, 1.2)))),
    }
    for key in ["rolling_resistance", "spinning_resistance"] {
        if random.chance(0.15) {
            table.put(key, number(scales.length * random.decades(1e-3, 0.1)));
        }
    }
}

/// Sometimes bodies are in groups, and do not all collide.
pub(super) fn groups(stage: &mut Stage, random: &mut Random) {
    if stage.bodies.len() < 3 || !random.chance(0.15) {
        return;
    }
    for (k, body) in stage.bodies.iter_mut().enumerate() {
        // Both groups have a member: a group without one is unknown.
        let groups = match k {
            0 => "[\"left\"]",
            1 => "[\"right\"]",
            _ => random.pick(&["[\"left\"]", "[\"right\"]", "[\"left\", \"right\"]", ""]),
        };
        if !groups.is_empty() {
            body.table.put("groups", groups);
        }
        if random.chance(0.3) {
            let others = ["[\"left\"]", "[\"right\"]", "[\"left\", \"right\"]"];
            body.table.put("collides_with", random.pick(&others));
        }
    }
}
