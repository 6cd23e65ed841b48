//! `dolmen run --explain EVENT`: the problem that was solved at an event, in a form to be read and checked by hand.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dolmen::drive::exact::{ContactProblem, Simulation};
use dolmen::math::{DMat3, DVec3};
use dolmen::record::{Event, EventKind};
use dolmen::world::{BodyId, World};

use crate::failure::Failure;

/// Rows of a matrix that are printed at most: beyond that nobody reads them.
const MOST_ROWS: usize = 60;

/// Runs a world again, first to its end for the instant of the event and then to that instant, and writes what was solved there
/// into the folder of the run.
pub(crate) fn write(world: &Arc<World>, group: u64, end: f64, folder: &Path) -> Result<PathBuf, Failure> {
    let start = || Simulation::new(Arc::clone(world)).map_err(|stop| Failure::stopped(stop.to_string()));
    let mut simulation = start()?;
    // A run that stops early has its events all the same.
    let stopped = simulation.advance(end).err();
    let events: Vec<Event> = simulation.events().iter().filter(|e| e.group == group).copied().collect();
    if events.is_empty() {
        let last = simulation.events().iter().map(|event| event.group).max().unwrap_or(0);
        let told = stopped.map_or_else(String::new, |stop| format!("; it stopped: {stop}"));
        return Err(Failure::input(format!(
            "--explain {group}: the run has no event of that group{told}\n  help: events.csv has groups up to {last} in its column `group`"
        )));
    }
    // A group has one instant of collisions, and all changes of modes up to the next one, each with an instant of its own.
    let instants: Vec<&[Event]> = events.chunk_by(|a, b| a.t == b.t).collect();
    let mut simulation = start()?;
    let mut parts = Vec::new();
    // Beyond so many nobody reads them.
    for instant in instants.iter().take(20) {
        simulation.advance(instant[0].t).map_err(|stop| Failure::stopped(stop.to_string()))?;
        parts.push(explain(&simulation, instant));
    }
    if instants.len() > parts.len() {
        parts.push(format!("{} more instants of this group are left out.\n", instants.len() - parts.len()));
    }
    let text = parts.join("\n");
    let path = folder.join(format!("explain-{group}.md"));
    let cannot = |error| Failure::stopped(format!("cannot write {}: {error}", path.display()));
    fs::write(&path, text).map_err(cannot)?;
    Ok(path)
}

fn explain(simulation: &Simulation, events: &[Event]) -> String {
    let (t, group, world) = (events[0].t, events[0].group, simulation.world());
    let mut text = format!("# Event {group} at t = {t} s\n\n");
    text.push_str("Forces and impulses act on the first body of a pair; normals point from the second to the first.\n\n");
    text.push_str("| kind | bodies | point, m | normal | v⁻, m/s | v⁺, m/s | j, N·s | friction, N·s | lost, J | law | note |\n");
    text.push_str("|---|---|---|---|--:|--:|--:|---|--:|---|---|\n");
    for event in events {
        let (law, note) = (event.law.name(), event.note.name());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {law} | {note} |",
            event.kind.name(),
            pair(world, event.bodies),
            vector(event.point),
            vector(event.normal),
            number(event.approach),
            number(event.separation),
            number(event.impulse),
            vector(event.friction),
            number(event.lost),
        );
    }
    let collisions: Vec<&Event> = events.iter().filter(|e| e.kind == EventKind::Collision).collect();
    if !collisions.is_empty() {
        text.push_str(&impulses(simulation, &collisions));
    }
    let bodies: Vec<BodyId> = events.iter().flat_map(|event| event.bodies).collect();
    let problems = simulation.contact_problems();
    let is_concerned = |problem: &&ContactProblem| {
        let dynamic = |id: &BodyId| world.body(*id).is_dynamic() && bodies.contains(id);
        problem.contacts.iter().any(|contact| contact.bodies.iter().any(dynamic))
    };
    let mut found = problems.iter().filter(is_concerned).peekable();
    if found.peek().is_none() {
        text.push_str("\nNo contact of these bodies carries force afterwards: nothing is solved at acceleration level.\n");
    }
    for problem in found {
        text.push_str(&forces(world, problem));
    }
    text
}

/// v⁺ = v⁻ + A j along the normals: what the law of impact solved.
fn impulses(simulation: &Simulation, collisions: &[&Event]) -> String {
    let world = simulation.world();
    let a: Vec<Vec<f64>> =
        collisions.iter().map(|i| collisions.iter().map(|j| mobility(simulation, i, j)).collect()).collect();
    let mut text = String::from("\n## Impulses: v⁺ = v⁻ + A j\n\n");
    text.push_str("A has the normal speed at each contact (row) for a unit of normal impulse at each (column), 1/kg:\n\n");
    matrix(&mut text, &a);
    text.push_str("\n| contact | v⁻ | v⁺ | v⁻ + A j | j ≥ 0 | friction |\n|---|--:|--:|--:|--:|--:|\n");
    for (i, event) in collisions.iter().enumerate() {
        let changed: f64 = a[i].iter().zip(collisions).map(|(a, j)| a * j.impulse).sum();
        let _ = writeln!(
            text,
            "| {} {} | {} | {} | {} | {} | {} |",
            i + 1,
            pair(world, event.bodies),
            number(event.approach),
            number(event.separation),
            number(event.approach + changed),
            number(event.impulse),
            number(event.friction.length()),
        );
    }
    text.push_str(
        "\nv⁺ differs from v⁻ + A j by what friction, joints and contacts without a jump of their own did; without these it is equal.\n",
    );
    text
}

/// The normal speed at contact i for a unit of normal impulse at contact j: nᵢ·(Σ over the bodies that both have).
fn mobility(simulation: &Simulation, i: &Event, j: &Event) -> f64 {
    let mut sum = 0.0;
    for (side_i, body) in i.bodies.iter().enumerate() {
        for (side_j, _) in j.bodies.iter().enumerate().filter(|(_, other)| *other == body) {
            if !simulation.world().body(*body).is_dynamic() {
                continue;
            }
            let (inertia, pose) = (simulation.world().body(*body).inertia(), simulation.pose(*body));
            let turn = DMat3::from_quat(pose.orientation);
            let sign = if side_i == side_j { 1.0 } else { -1.0 };
            let spin = inertia.spin(&turn, (j.point - pose.position).cross(j.normal));
            let speed = inertia.inv_mass * j.normal + spin.cross(i.point - pose.position);
            sum += sign * i.normal.dot(speed);
        }
    }
    sum
}

/// d̈ = A f + b with its cones, modes and residual.
fn forces(world: &World, problem: &ContactProblem) -> String {
    let mut text = String::from("\n## Forces: d̈ = A f + b\n\n");
    let is_smooth = problem.contacts.iter().all(|contact| contact.static_friction == 0.0);
    let rows: Vec<usize> = (0..problem.free.len()).filter(|row| !is_smooth || row % 3 == 0).collect();
    text.push_str(if is_smooth {
        "Without friction: a row a contact, along the normal n. d̈ ≥ 0, f ≥ 0, fᵀd̈ = 0.\n\n"
    } else {
        "Three rows a contact: along the normal n, and along the tangents t₁ and t₂.\n\n"
    });
    text.push_str("| | bodies | point, m | n | t₁ | t₂ | cone | mode |\n|--:|---|---|---|---|---|---|---|\n");
    for (i, contact) in problem.contacts.iter().enumerate() {
        let mode = if contact.sticks { "stick" } else { "slide" };
        let cone = if contact.sticks {
            format!("\\|f_t\\| ≤ {} f_n", number(contact.static_friction))
        } else {
            format!("\\|f_t\\| = {} f_n", number(contact.kinetic_friction))
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {cone} | {mode} |",
            i + 1,
            pair(world, contact.bodies),
            vector(contact.point),
            vector(contact.normal),
            vector(contact.tangents[0]),
            vector(contact.tangents[1]),
        );
    }
    text.push_str("\nA = J M⁻¹ Jᵀ, 1/kg:\n\n");
    let chosen = |row: &usize| rows.iter().map(|column| problem.matrix[*row][*column]).collect();
    matrix(&mut text, &rows.iter().map(chosen).collect::<Vec<Vec<f64>>>());
    text.push_str("\n| row | b, m/s² | f, N | A f + b, m/s² |\n|---|--:|--:|--:|\n");
    let names = ["n", "t₁", "t₂"];
    let accelerations = problem.accelerations();
    for i in rows {
        let _ = writeln!(
            text,
            "| {} {} | {} | {} | {} |",
            i / 3 + 1,
            names[i % 3],
            number(problem.free[i]),
            number(problem.forces[i]),
            number(accelerations[i]),
        );
    }
    let unique = if problem.is_unique {
        "These forces are the only ones."
    } else {
        "Several sets of forces give the same motion: these are the least."
    };
    let _ = writeln!(
        text,
        "\nResidual {:e}, by the accelerations that loads alone would give. {unique}",
        problem.residual
    );
    if problem.has_joints {
        text.push_str("Joints act here as well: their forces make up the rest of A f + b.\n");
    }
    text
}

fn matrix(text: &mut String, rows: &[Vec<f64>]) {
    if rows.len() > MOST_ROWS {
        let n = rows.len();
        let _ = writeln!(text, "{n} × {n}, too large to print.");
        return;
    }
    text.push_str("```text\n");
    for row in rows {
        let cells: Vec<String> = row.iter().map(|value| format!("{:>12}", number(*value))).collect();
        let _ = writeln!(text, "{}", cells.join(" "));
    }
    text.push_str("```\n");
}

fn pair(world: &World, bodies: [BodyId; 2]) -> String {
    bodies.map(|id| world.body_name(id)).join(" – ")
}

fn vector(v: DVec3) -> String {
    format!("({}, {}, {})", number(v.x), number(v.y), number(v.z))
}

/// Six digits; rounding of zero is zero.
fn number(value: f64) -> String {
    if value.abs() < 1e-12 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&value.abs()) {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.5e}")
    }
}
