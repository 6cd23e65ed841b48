//! `dolmen check`: every mistake of a scene, or what the scene holds.

use std::fmt::Write;

use dolmen::world::World;

use crate::args::SceneOptions;
use crate::built_in;
use crate::failure::Failure;

/// Checks a scene and prints its bodies with their mass properties.
pub(crate) fn check(options: &SceneOptions) -> Result<(), Failure> {
    let found = built_in::find(options)?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    crate::print(&describe(&found.name, &world))
}

fn describe(name: &str, world: &World) -> String {
    let (bodies, forces) = (world.bodies().len(), world.forces().len());
    let particles: usize = world.sets().iter().map(dolmen::world::ParticleSet::len).sum();
    let mut text = format!("{name} is sound: {bodies} bodies, {particles} particles, {forces} forces\n");
    if bodies > 0 {
        let _ = writeln!(text, "\nbody              mass, kg      principal moments, kg·m²");
    }
    for id in world.body_ids() {
        let (body, name) = (world.body(id), world.body_name(id));
        let _ = if body.is_dynamic() {
            let (mass, m) = (body.inertia().mass, body.inertia().moments);
            writeln!(text, "{name:16}  {mass:<12}  {}, {}, {}", m.x, m.y, m.z)
        } else if body.prescribed_motion().is_some_and(dolmen::motion::Prescribed::is_still) {
            writeln!(text, "{name:16}  fixed")
        } else {
            writeln!(text, "{name:16}  kinematic")
        };
    }
    for set in world.sets() {
        let _ = writeln!(text, "{:16}  {} particles", set.name(), set.len());
    }
    text
}
