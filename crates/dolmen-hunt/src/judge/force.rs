//! Contact forces at samples: they push, friction is within its cone and against the slip, what sticks does not slip.

use toml::Table as Toml;

use super::read::{number_of, tables_of, text_of};
use super::scene::{Body, Scene};
use super::solid::Solid;
use super::vector::Vector;
use super::{Class, Finding, Run, Sample};

/// Of the fastest speed in the scene: a slip below is none.
///
/// The engine keeps the direction of slow slips, so that friction may be off there.
const SLIP: f64 = 1e-4;

/// What sticks may creep by this share of it.
const CREEP: f64 = 1e-3;

/// Relative, of a force.
const FORCE: f64 = 1e-6;

pub(super) fn check(scene: &Scene, run: &Run) -> Option<Finding> {
    let (forces, samples) = (&run.forces, run.samples());
    let is_time_step = |row: usize| ["time-step", "aggregated"].contains(&run.events.text(row, "kind"));
    let mut events: Vec<(f64, bool)> =
        run.events.places().map(|row| (run.events.number(row, "t"), is_time_step(row))).collect();
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut k = 0;
    for row in forces.places() {
        let t = forces.number(row, "t");
        while samples.get(k).is_some_and(|sample| sample.t < t) {
            k += 1;
        }
        let sample = samples.get(k).filter(|sample| sample.t == t)?;
        // At an event there are two states. In the stepping regime forces are means over a step.
        let near = 1e-9 * t.abs().max(1e-9);
        let next = events.partition_point(|event| event.0 < t - near);
        let is_at_event = t == 0.0 || events.get(next).is_some_and(|event| event.0 <= t + near);
        let is_stepping = next.checked_sub(1).is_some_and(|last| events[last].1);
        if is_at_event
            || is_stepping
            || forces.text(row, "iterations") == "0"
            || forces.text(row, "status") != "solved"
        {
            continue;
        }
        if let Some(text) = wrong(scene, run, sample, row) {
            return Some(Finding::new(Class::Force, text));
        }
    }
    None
}

fn wrong(scene: &Scene, run: &Run, sample: &Sample<'_>, row: usize) -> Option<String> {
    let forces = &run.forces;
    let names = [forces.text(row, "body_a"), forces.text(row, "body_b")];
    let normal_force = forces.number(row, "normal_force");
    let friction = forces.vector(row, ["friction_x", "friction_y", "friction_z"]);
    let largest = forces.places().map(|row| forces.number(row, "normal_force").abs()).fold(0.0, f64::max);
    let who = || format!("{} on {} at t = {:?} s", names[0], names[1], sample.t);
    if normal_force < -FORCE * largest {
        return Some(format!("{} pulls with {normal_force:.3e} N", who()));
    }
    let [a, b] = [scene.body(names[0])?, scene.body(names[1])?];
    let cone = static_friction(scene, a, b) * normal_force;
    if friction.length() > cone * (1.0 + FORCE) + FORCE * largest {
        return Some(format!(
            "{} has friction {:.6e} N beyond its cone of {cone:.6e} N",
            who(),
            friction.length()
        ));
    }
    let at = forces.vector(row, ["x", "y", "z"]);
    let normal = forces.vector(row, ["nx", "ny", "nz"]);
    let velocity = |name: &str| {
        let row = sample.row(name)?;
        let spin = run.states.vector(row, ["wx", "wy", "wz"]);
        let arm = at - run.states.vector(row, ["x", "y", "z"]);
        Some((run.states.vector(row, ["vx", "vy", "vz"]) + spin.cross(arm), spin.length() * arm.length()))
    };
    let ((v_a, turn_a), (v_b, turn_b)) = (velocity(names[0])?, velocity(names[1])?);
    let relative = v_a - v_b;
    let slip: Vector = relative - normal * relative.dot(normal);
    let speed = v_a.length().max(v_b.length()).max(turn_a).max(turn_b);
    let fastest = run.states.places().map(|row| run.states.vector(row, ["vx", "vy", "vz"]).length());
    // Where nothing moves, what falling through a body would give.
    let radius =
        [a, b].into_iter().filter_map(|body| body.solid.as_ref()).map(Solid::radius).fold(0.0, f64::max);
    let falling = 1e-3 * (scene.gravity.length() * radius).sqrt();
    let speed = fastest.filter(|v| v.is_finite()).fold(speed.max(falling), f64::max);
    if slip.length() <= SLIP * speed {
        return None;
    }
    match forces.text(row, "mode") {
        "slide" if slip.dot(friction) > FORCE * slip.length() * largest => Some(format!(
            "friction of {} drives the slip of {:.3e} m/s with {:.3e} N",
            who(),
            slip.length(),
            slip.dot(friction) / slip.length()
        )),
        "stick" | "roll" if slip.length() > CREEP * speed => Some(format!(
            "{} is said to {} and slips at {:.3e} m/s",
            who(),
            forces.text(row, "mode"),
            slip.length()
        )),
        _ => None,
    }
}

/// The largest friction by normal force of two bodies.
pub(super) fn static_friction(scene: &Scene, a: &Body, b: &Body) -> f64 {
    let empty = Toml::new();
    let contact = scene.section("contact").unwrap_or(&empty);
    let own = |table: &Toml| number_of(table, "static_friction").or_else(|| number_of(table, "friction"));
    let material = |body: &Body| {
        let name = body.material.as_deref()?;
        tables_of(&scene.table, "material").find(|table| text_of(table, "name") == Some(name)).and_then(own)
    };
    let default = own(contact).unwrap_or(0.0);
    if let (Some(first), Some(second)) = (&a.material, &b.material) {
        let of_pair = tables_of(&scene.table, "material_pair").find(|pair| {
            let names: Vec<&str> =
                super::read::list_of(pair, "materials").iter().filter_map(toml::Value::as_str).collect();
            names == [first.as_str(), second] || names == [second.as_str(), first]
        });
        if let Some(friction) = of_pair.and_then(own) {
            return friction;
        }
    }
    let (x, y) = (material(a).unwrap_or(default), material(b).unwrap_or(default));
    match text_of(contact, "combine_friction").unwrap_or("geometric-mean") {
        "minimum" => x.min(y),
        "maximum" => x.max(y),
        "mean" => 0.5 * (x + y),
        "product" => x * y,
        _ => (x * y).sqrt(),
    }
}
