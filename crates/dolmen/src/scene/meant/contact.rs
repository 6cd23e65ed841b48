//! Materials, pairs of them, and groups of bodies.

use std::collections::BTreeSet;

use crate::broad_phase::Groups;
use crate::contact::Law;
use crate::scene::typed::{self, Coefficients, Scene};
use crate::solve::choose::ContactSolver;
use crate::world::{Combine, ContactSettings, Material, Overlaps};

/// All that the scene says of surfaces.
pub(super) fn settings(scene: &Scene) -> ContactSettings {
    let mut settings = ContactSettings::default();
    if let Some(contact) = &scene.contact {
        settings.default_material = material(contact.coefficients(), settings.default_material);
        settings.combine_restitution =
            contact.combine_restitution.map_or(settings.combine_restitution, combine);
        settings.combine_friction = contact.combine_friction.map_or(settings.combine_friction, combine);
        settings.combine_resistance = contact.combine_resistance.map_or(settings.combine_resistance, combine);
        settings.law = contact.law.map_or(settings.law, law);
        settings.overlaps = contact.overlaps.map_or(settings.overlaps, overlaps);
        settings.enabled = contact.enabled.unwrap_or(settings.enabled);
        settings.solver = contact.solver.map_or(settings.solver, |typed| solver(typed, contact.lemke_sides));
        settings.equilibrium_shortcut = contact.equilibrium_shortcut.unwrap_or(settings.equilibrium_shortcut);
    }
    for typed in &scene.material {
        let built = material(typed.coefficients(), settings.default_material);
        settings.materials.insert(typed.name.clone(), built);
    }
    for typed in &scene.material_pair {
        let [a, b] = &typed.materials[..] else { continue };
        // What is not given follows from the two materials, before any pair is known.
        let built = material(typed.coefficients(), settings.combined(Some(a), Some(b)));
        let key = if a <= b { [a.clone(), b.clone()] } else { [b.clone(), a.clone()] };
        settings.pairs.insert(key, built);
    }
    settings
}

/// What is given, and the rest from `otherwise`.
fn material(given: Coefficients, otherwise: Material) -> Material {
    let otherwise = Material {
        restitution: given.restitution.unwrap_or(otherwise.restitution),
        rolling_resistance: given.rolling_resistance.unwrap_or(otherwise.rolling_resistance),
        spinning_resistance: given.spinning_resistance.unwrap_or(otherwise.spinning_resistance),
        ..otherwise
    };
    match given.friction.or(given.static_friction) {
        Some(friction) => Material {
            static_friction: friction,
            kinetic_friction: given.kinetic_friction.unwrap_or(friction),
            ..otherwise
        },
        None => otherwise,
    }
}

fn combine(typed: typed::Combine) -> Combine {
    match typed {
        typed::Combine::Minimum => Combine::Minimum,
        typed::Combine::Maximum => Combine::Maximum,
        typed::Combine::Mean => Combine::Mean,
        typed::Combine::GeometricMean => Combine::GeometricMean,
        typed::Combine::Product => Combine::Product,
    }
}

fn law(typed: typed::ImpactLaw) -> Law {
    match typed {
        typed::ImpactLaw::Propagation => Law::Propagation,
        typed::ImpactLaw::Simultaneous => Law::Simultaneous,
        typed::ImpactLaw::Reflection => Law::Reflection,
    }
}

fn solver(typed: typed::Solver, sides: Option<u32>) -> ContactSolver {
    match typed {
        // The driver "intro" has rest impulses of its own and needs no solver.
        typed::Solver::Complementarity | typed::Solver::Intro => ContactSolver::Complementarity,
        typed::Solver::Cone => ContactSolver::Cone,
        typed::Solver::Sparse => ContactSolver::Sparse,
        typed::Solver::Lemke => {
            ContactSolver::Lemke { sides: sides.map_or(ContactSolver::SIDES, |sides| sides as usize) }
        }
        typed::Solver::Quadratic => ContactSolver::Quadratic,
        typed::Solver::Linear => ContactSolver::Linear,
    }
}

fn overlaps(typed: typed::Overlaps) -> Overlaps {
    match typed {
        typed::Overlaps::Refuse => Overlaps::Refuse,
        typed::Overlaps::Report => Overlaps::Report,
    }
}

/// The names of groups, each of which has a bit: the place of its name in their order.
pub(super) struct GroupNames<'s>(Vec<&'s str>);

impl<'s> GroupNames<'s> {
    pub(super) fn new(bodies: &'s [typed::Body]) -> Self {
        let names: BTreeSet<&str> =
            bodies.iter().flat_map(|b| b.groups.iter().flatten()).map(String::as_str).collect();
        Self(names.into_iter().collect())
    }

    /// Which groups a body is in and collides with. A body that names none is in the one after the last.
    pub(super) fn of(&self, body: &typed::Body) -> Groups {
        self.groups(body.groups.as_deref(), body.collides_with.as_deref())
    }

    /// Which groups the particles of a set collide with. They are in the group without a name.
    pub(super) fn of_particles(&self, set: &typed::Particles) -> Groups {
        self.groups(None, set.collides_with.as_deref())
    }

    fn groups(&self, member: Option<&[String]>, with: Option<&[String]>) -> Groups {
        let unnamed = Self::bit(self.0.len());
        let bits = |names: &[String]| names.iter().fold(0, |bits, name| bits | self.bit_of(name));
        Groups { member: member.map_or(unnamed, bits), with: with.map_or(u32::MAX, bits) }
    }

    fn bit_of(&self, name: &str) -> u32 {
        self.0.binary_search(&name).map_or(0, Self::bit)
    }

    /// More than 32 are refused by the check; here the rest would be in no group.
    fn bit(place: usize) -> u32 {
        u32::try_from(place).ok().and_then(|place| 1_u32.checked_shl(place)).unwrap_or(0)
    }
}
