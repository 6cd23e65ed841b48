//! The words that a run of a scene can be asked by.

use dolmen::scene::suggestion;
use dolmen::world::World;

use crate::expression::{Expression, Mistake, NodeKind};

/// Word and arguments: n a name, v a value, e an expression; capital letters may be left out.
pub(crate) const WORDS: &[(&str, &str)] = &[
    ("t", ""),
    ("position", "nV"),
    ("velocity", "nV"),
    ("spin", "n"),
    ("spin_body", "n"),
    ("orientation", "n"),
    ("angle", "nv"),
    ("turned", "nv"),
    ("acceleration", "n"),
    ("in_body", "nv"),
    ("particle", "nv"),
    ("particle_velocity", "nv"),
    ("kinetic", ""),
    ("potential", ""),
    ("energy", ""),
    ("work", ""),
    ("lost", ""),
    ("lost_collisions", ""),
    ("lost_friction", ""),
    ("ledger_error", ""),
    ("momentum", ""),
    ("angular_momentum", ""),
    ("event", "nvNN"),
    ("count", "nNN"),
    ("instants", ""),
    ("contact_force", "nN"),
    ("contact_torque", "nN"),
    ("normal_force", "nNV"),
    ("friction_force", "nN"),
    ("contacts", "nN"),
    ("joint_force", "n"),
    ("joint_torque", "n"),
    ("joint_turn", "n"),
    ("joint_slide", "n"),
    ("joint_error", ""),
    ("mass", "n"),
    ("inertia", "n"),
    ("inertia_products", "n"),
    ("centre", "n"),
    ("stopped", ""),
    ("penetration", ""),
    ("penetration_relative", ""),
    ("residual", ""),
    ("steps", ""),
    ("time_steps", ""),
    // As files that were written earlier call it.
    ("aggregated", ""),
    ("largest", "e"),
    ("smallest", "e"),
    ("mean", "e"),
    ("start", "e"),
];

/// Words whose value gathers over the samples of a run.
pub(crate) const GATHERED: &[&str] = &["largest", "smallest", "mean", "start", "turned"];

/// Parts of an event.
pub(crate) const PARTS: &[&str] = &[
    "time",
    "approach",
    "separation",
    "impulse",
    "impulse_vector",
    "friction",
    "point",
    "normal",
    "lost",
    "rounds",
];

/// Kinds of events, by name.
pub(crate) const KINDS: &[&str] = &[
    "collision",
    "settled",
    "rest",
    "slide",
    "break",
    "roll",
    "rolled",
    "spin",
    "spun",
    "overlap",
    "time-step",
];

/// The kind of event that is meant: files that were written earlier call a time step `aggregated`.
pub(crate) fn event_kind(name: &str) -> &str {
    if name == "aggregated" { "time-step" } else { name }
}

/// What a name in an argument is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Body,
    Joint,
    Particles,
    Event,
}

fn named(word: &str, argument: usize) -> Named {
    match word {
        "event" | "count" if argument == 0 => Named::Event,
        "particle" | "particle_velocity" => Named::Particles,
        "joint_force" | "joint_torque" | "joint_turn" | "joint_slide" => Named::Joint,
        _ => Named::Body,
    }
}

/// Names in an expression that nothing of the world has.
pub(crate) fn unknown_names(expression: &Expression, world: &World) -> Vec<Mistake> {
    let bodies: Vec<String> = world.described_ids().map(|id| world.body_name(id)).collect();
    let joints: Vec<String> = world.joints().iter().map(|joint| joint.name().to_owned()).collect();
    let sets: Vec<String> = world.sets().iter().map(|set| set.name().to_owned()).collect();
    let kinds: Vec<String> = KINDS.iter().map(|kind| (*kind).to_owned()).collect();
    let mut mistakes = Vec::new();
    expression.walk(&mut |node| {
        let NodeKind::Word(word, parts) = &node.kind else { return };
        let Some((_, takes)) = WORDS.iter().find(|(other, _)| other == word) else { return };
        for (i, (part, takes)) in parts.iter().zip(takes.bytes()).enumerate() {
            let name = match &part.kind {
                NodeKind::Quoted(name) => name,
                NodeKind::Word(name, inner) if inner.is_empty() => name,
                _ => continue,
            };
            if !takes.eq_ignore_ascii_case(&b'n') {
                continue;
            }
            let (known, what) = match named(word, i) {
                Named::Body => (&bodies, "body"),
                Named::Joint => (&joints, "joint"),
                Named::Particles => (&sets, "set of particles"),
                Named::Event => (&kinds, "kind of event"),
            };
            let is_known = match named(word, i) {
                Named::Event => KINDS.contains(&event_kind(name)),
                _ => known.contains(name),
            };
            if !is_known {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let help = suggestion(name, &known);
                mistakes.push(Mistake::new(part.at.clone(), format!("there is no {what} `{name}`"), help));
            }
        }
    });
    mistakes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of expectations that ask for `aggregated` mean time steps.
    #[test]
    fn a_time_step_has_its_earlier_name_too() {
        assert_eq!(event_kind("aggregated"), dolmen::record::EventKind::TimeStep.name());
        assert!(KINDS.contains(&event_kind("aggregated")) && KINDS.contains(&event_kind("time-step")));
    }
}
