//! The materials of a world, and how its bodies collide.

use std::collections::BTreeMap;

use super::{Combine, Law, Material, MaterialError};
use crate::solve::choose::ContactSolver;

/// What to do with bodies that overlap at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overlaps {
    /// Refuse to start, naming them and how deep.
    #[default]
    Refuse,
    /// Report them, and let them pass through each other until they are apart.
    Report,
}

/// The materials of a world by name, the rules for pairs of them, and the law of impact.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactSettings {
    /// Of bodies that name none.
    pub default_material: Material,
    /// By name.
    pub materials: BTreeMap<String, Material>,
    /// Overrides for pairs of names, the lower name first.
    pub pairs: BTreeMap<[String; 2], Material>,
    /// How restitutions combine. Default: the larger.
    pub combine_restitution: Combine,
    /// How frictions combine. Default: the geometric mean.
    pub combine_friction: Combine,
    /// How resistances to rolling and spinning combine. Default: the larger.
    pub combine_resistance: Combine,
    /// How impulses at one instant are found.
    pub law: Law,
    /// What to do with an overlapping start.
    pub overlaps: Overlaps,
    /// Whether bodies meet at all. Without, everything passes through everything.
    pub enabled: bool,
    /// Which solver finds the forces of contacts that rest, slide or roll.
    pub solver: ContactSolver,
    /// Whether an island in equilibrium stands without being integrated. Without, it is, as if it moved.
    pub equilibrium_shortcut: bool,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            default_material: Material::SMOOTH,
            materials: BTreeMap::new(),
            pairs: BTreeMap::new(),
            combine_restitution: Combine::Maximum,
            combine_friction: Combine::GeometricMean,
            combine_resistance: Combine::Maximum,
            law: Law::default(),
            overlaps: Overlaps::default(),
            enabled: true,
            solver: ContactSolver::default(),
            equilibrium_shortcut: true,
        }
    }
}

impl ContactSettings {
    /// Whether every material makes sense, and pairs name materials.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), MaterialError> {
        self.default_material.check("the default material")?;
        for (name, material) in &self.materials {
            material.check(&format!("material {name:?}"))?;
        }
        for (names, material) in &self.pairs {
            material.check(&format!("the pair of materials {names:?}"))?;
            if let Some(name) = names.iter().find(|name| !self.materials.contains_key(*name)) {
                return Err(MaterialError::NoMaterial { name: name.clone() });
            }
        }
        self.check_solver()
    }

    /// That the solver knows what the materials ask of it.
    fn check_solver(&self) -> Result<(), MaterialError> {
        let solver = self.solver;
        if let ContactSolver::Lemke { sides } = solver
            && !(3..=ContactSolver::MOST_SIDES).contains(&sides)
        {
            return Err(MaterialError::Sides { sides });
        }
        if solver.takes_friction() {
            return Ok(());
        }
        let named = self.materials.iter().map(|(name, material)| (format!("material {name:?}"), material));
        let pairs =
            self.pairs.iter().map(|(names, material)| (format!("the pair of materials {names:?}"), material));
        let default = std::iter::once(("the default material".to_owned(), &self.default_material));
        match default.chain(named).chain(pairs).find(|(_, material)| material.static_friction > 0.0) {
            Some((of, material)) => Err(MaterialError::Frictionless {
                solver: solver.name(),
                of,
                friction: material.static_friction,
            }),
            None => Ok(()),
        }
    }

    /// The coefficients of a pair of materials by name; `None` is the default material.
    pub fn of_pair(&self, a: Option<&str>, b: Option<&str>) -> Material {
        if let (Some(a), Some(b)) = (a, b) {
            let (low, high) = if a <= b { (a, b) } else { (b, a) };
            if let Some(material) = self.pairs.get(&[low.to_owned(), high.to_owned()]) {
                return *material;
            }
        }
        self.combined(a, b)
    }

    /// The coefficients that follow from the two materials alone, whatever is said of the pair.
    pub fn combined(&self, a: Option<&str>, b: Option<&str>) -> Material {
        let find = |name: Option<&str>| {
            name.and_then(|name| self.materials.get(name)).unwrap_or(&self.default_material)
        };
        let (a, b) = (find(a), find(b));
        let friction = |x, y| self.combine_friction.of(x, y);
        let resistance = |x, y| self.combine_resistance.of(x, y);
        Material {
            restitution: self.combine_restitution.of(a.restitution, b.restitution).min(1.0),
            static_friction: friction(a.static_friction, b.static_friction),
            kinetic_friction: friction(a.kinetic_friction, b.kinetic_friction),
            rolling_resistance: resistance(a.rolling_resistance, b.rolling_resistance),
            spinning_resistance: resistance(a.spinning_resistance, b.spinning_resistance),
        }
    }
}
