//! Scenes by name and by text, and what is asked of them.

use std::path::{Path, PathBuf};

use dolmen::drive::exact::Simulation;
use dolmen::math::DVec3;
use dolmen::record::{Event, EventKind};
use dolmen::scene::Document;

/// Of what CASES prints, with twelve digits: what has to be met. [CASES, conventions]
pub(crate) const CASE: f64 = 1e-9;

/// The top of a scene on a rough floor: gravity 9.81, restitution 0, this friction.
pub(crate) fn on_a_floor(friction: f64, bodies: &str) -> String {
    format!(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = {friction:?} }}\n[[body]]\nname = \"floor\"\n\
         kind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1], sides = \"front\" }}\n{bodies}"
    )
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// A scene at its start, or why it was refused.
pub(crate) fn try_start(name: &str, overrides: &[&str]) -> Result<Simulation, String> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let document = Document::load_with(folder().join(format!("{name}.toml")), &overrides)
        .map_err(|errors| errors.to_string())?;
    let world = document.build(&folder()).map_err(|errors| errors.to_string())?;
    Simulation::new(world).map_err(|stop| stop.to_string())
}

pub(crate) fn start(name: &str, overrides: &[&str]) -> Simulation {
    try_start(name, overrides).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A scene given by its text, or why it was refused.
pub(crate) fn try_text(text: &str) -> Result<Simulation, String> {
    let document = Document::parse_with("text", text, &[]).map_err(|errors| errors.to_string())?;
    let world = document.build(&folder()).map_err(|errors| errors.to_string())?;
    Simulation::new(world).map_err(|stop| stop.to_string())
}

pub(crate) fn of_text(text: &str) -> Simulation {
    try_text(text).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn advance(simulation: &mut Simulation, t: f64) {
    simulation.advance(t).unwrap_or_else(|stop| panic!("{stop}"));
}

pub(crate) fn position(simulation: &Simulation, name: &str) -> DVec3 {
    simulation.pose(simulation.world().find_body(name).expect("a body of the scene")).position
}

pub(crate) fn velocity(simulation: &Simulation, name: &str) -> DVec3 {
    simulation.twist(simulation.world().find_body(name).expect("a body of the scene")).velocity
}

#[track_caller]
pub(crate) fn near(got: f64, expected: f64, tolerance: f64, what: &str) {
    let off = (got - expected).abs();
    assert!(off <= tolerance * expected.abs().max(1.0), "{what}: {got}, not {expected}: off by {off:e}");
}

/// The contact force on a body, world, N.
pub(crate) fn force_on(simulation: &mut Simulation, name: &str) -> DVec3 {
    let id = simulation.world().find_body(name).expect("a body of the scene");
    let mut sum = DVec3::ZERO;
    for force in simulation.contact_forces() {
        let on_a = force.normal_force * force.normal + force.friction;
        if force.bodies[0] == id {
            sum += on_a;
        } else if force.bodies[1] == id {
            sum -= on_a;
        }
    }
    sum
}

/// The weight of everything that forces move, N.
pub(crate) fn weight(simulation: &Simulation) -> f64 {
    let world = simulation.world();
    let masses = world.bodies().iter().filter(|body| body.is_dynamic()).map(|body| body.inertia().mass);
    masses.sum::<f64>() * world.gravity().length()
}

/// How far any body has moved (m) or turned (rad) between now and `t`, at most.
pub(crate) fn moved_until(simulation: &mut Simulation, t: f64) -> f64 {
    let ids: Vec<_> = simulation.world().body_ids().collect();
    let before: Vec<_> = ids.iter().map(|id| simulation.pose(*id)).collect();
    advance(simulation, t);
    let moved = |(id, before): (&dolmen::world::BodyId, &dolmen::math::Pose)| {
        let now = simulation.pose(*id);
        let turned = (now.orientation * before.orientation.inverse()).xyz().length() * 2.0;
        now.position.distance(before.position).max(turned)
    };
    ids.iter().zip(&before).map(moved).fold(0.0, f64::max)
}

pub(crate) fn of_kind(simulation: &Simulation, kind: EventKind) -> Vec<Event> {
    simulation.events().iter().filter(|event| event.kind == kind).copied().collect()
}
