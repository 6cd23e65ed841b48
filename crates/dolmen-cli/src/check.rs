//! `dolmen check`: every mistake of a scene, or what the scene holds.

use std::fmt::Write;
use std::sync::Arc;

use dolmen::drive::exact::{Moved, Simulation, Stop};
use dolmen::scene::Document;
use dolmen::world::World;

use crate::args::SceneOptions;
use crate::built_in::{self, Found};
use crate::failure::Failure;
use crate::names;
use crate::run_fixed;
use crate::run_intro;

/// Checks a scene and prints its bodies with their mass properties.
pub(crate) fn check(options: &SceneOptions) -> Result<(), Failure> {
    let found = built_in::find(options)?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    let world = Arc::new(world);
    let notes = start(&found, &world)?;
    crate::print(&describe(&found.name, &world))?;
    notes.iter().try_for_each(|note| crate::print(&format!("note: {note}\n")))
}

/// Does what the start of a run does; what it had to mend.
fn start(found: &Found, world: &Arc<World>) -> Result<Vec<String>, Failure> {
    if let Some(settings) = run_intro::settings(found.document.scene()) {
        return run_intro::start(Arc::clone(world), settings).map(|_| Vec::new());
    }
    if let Some(settings) = run_fixed::settings(found.document.scene()) {
        return run_fixed::start(found, Arc::clone(world), settings).map(|_| Vec::new());
    }
    let simulation = Simulation::new(Arc::clone(world))
        .map_err(|stop| Failure::input(at_place(&found.document, &stop)))?;
    Ok(moved(&simulation))
}

/// Why a scene cannot start, with the place of the bodies or the joint in its file.
pub(crate) fn at_place(document: &Document, stop: &Stop) -> String {
    document.errors_at(&stop.bodies(), stop.joint(), &stop.to_string()).to_string()
}

/// Bodies that were moved apart at the start, in a line each.
pub(crate) fn moved(simulation: &Simulation) -> Vec<String> {
    let line = |moved: &Moved| {
        let [a, b] = moved.bodies.map(|id| simulation.world().body_name(id));
        format!("{a} and {b} overlapped at the start by {:.1e} m and were moved apart", moved.depth)
    };
    simulation.moved_at_start().iter().map(line).collect()
}

/// A number as people read it: twelve digits at most, and a power of ten where it would have rows of zeros.
pub(crate) fn digits(value: f64) -> String {
    let short: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    if value == 0.0 || (1e-4..1e9).contains(&value.abs()) { format!("{short}") } else { format!("{short:e}") }
}

/// An error or a share as people read it: two digits.
pub(crate) fn two_digits(value: f64) -> String {
    digits(format!("{value:.1e}").parse().unwrap_or(value))
}

/// Bodies that are listed one by one: as many as somebody may look through.
const MOST_LISTED: usize = 1000;

fn describe(name: &str, world: &World) -> String {
    let (bodies, forces) = (world.described_bodies().len(), world.forces().len());
    let particles: usize = world.sets().iter().map(dolmen::world::ParticleSet::len).sum();
    let mut text = format!("{name} is sound: {bodies} bodies, {particles} particles, {forces} forces\n");
    if bodies > 0 {
        let _ = writeln!(text, "\nbody              mass, kg      principal moments, kg·m²");
    }
    let mut named: Vec<_> = world.described_ids().map(|id| (world.body_name(id), id)).collect();
    named.sort_by(|(a, _), (b, _)| names::counted(a, b));
    for (name, id) in named.iter().take(MOST_LISTED) {
        let body = world.body(*id);
        let _ = if body.is_dynamic() {
            let (mass, m) = (body.inertia().mass, body.inertia().moments);
            let [mass, x, y, z] = [mass, m.x, m.y, m.z].map(digits);
            writeln!(text, "{name:16}  {mass:<12}  {x}, {y}, {z}")
        } else if body.prescribed_motion().is_some_and(dolmen::motion::Prescribed::is_still) {
            writeln!(text, "{name:16}  fixed")
        } else {
            writeln!(text, "{name:16}  kinematic")
        };
    }
    if named.len() > MOST_LISTED {
        let _ = writeln!(text, "and {} more; `dolmen expand` prints all", named.len() - MOST_LISTED);
    }
    for set in world.sets() {
        let _ = writeln!(text, "{:16}  {} particles", set.name(), set.len());
    }
    text
}
