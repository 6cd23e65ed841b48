//! What surfaces are made of, and what follows for a pair of them.

use std::collections::BTreeMap;

use super::WorldError;
use crate::contact::Law;
use crate::solve::choose::ContactSolver;

/// How a surface bounces and rubs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// ε: relative speed after a collision by that before it, 0 … 1.
    pub restitution: f64,
    /// Largest friction by normal force while sticking, 0 or more; may be infinite.
    pub static_friction: f64,
    /// Friction by normal force while sliding, 0 … `static_friction`.
    pub kinetic_friction: f64,
    /// Largest moment against rolling by normal force, m; 0 or more, finite. Of round surfaces only.
    pub rolling_resistance: f64,
    /// Largest moment against spinning about the normal by normal force, m; 0 or more, finite. Of round surfaces only.
    pub spinning_resistance: f64,
}

impl Material {
    /// Neither bounces nor rubs.
    pub const SMOOTH: Self = Self {
        restitution: 0.0,
        static_friction: 0.0,
        kinetic_friction: 0.0,
        rolling_resistance: 0.0,
        spinning_resistance: 0.0,
    };

    fn check(&self, of: &str) -> Result<(), WorldError> {
        let refuse = |what, value: f64, allowed| {
            Err(WorldError::Material { of: of.to_owned(), what, value: value.to_string(), allowed })
        };
        if !(0.0..=1.0).contains(&self.restitution) {
            return refuse("restitution", self.restitution, "between 0 and 1");
        }
        if self.static_friction.is_nan() || self.static_friction < 0.0 {
            return refuse("static friction", self.static_friction, "0 or more");
        }
        if !(0.0..=self.static_friction).contains(&self.kinetic_friction) {
            return refuse("kinetic friction", self.kinetic_friction, "between 0 and the static friction");
        }
        for (what, value) in [
            ("rolling resistance", self.rolling_resistance),
            ("spinning resistance", self.spinning_resistance),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(what, value, "a length of 0 or more, in metres");
            }
        }
        Ok(())
    }
}

impl Default for Material {
    fn default() -> Self {
        Self::SMOOTH
    }
}

/// How the coefficients of two materials become that of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// The smaller.
    Minimum,
    /// The larger.
    Maximum,
    /// (x + y)/2.
    Mean,
    /// √(x y).
    GeometricMean,
    /// x y.
    Product,
}

impl Combine {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Minimum, Self::Maximum, Self::Mean, Self::GeometricMean, Self::Product];

    /// As it is written in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Mean => "mean",
            Self::GeometricMean => "geometric-mean",
            Self::Product => "product",
        }
    }

    /// The coefficient of the pair. Zero with infinite is zero: a smooth surface stays smooth on anything.
    pub fn of(self, x: f64, y: f64) -> f64 {
        let product = if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
        match self {
            Self::Minimum => x.min(y),
            Self::Maximum => x.max(y),
            Self::Mean => 0.5 * (x + y),
            // The same for equal materials, to the last bit.
            Self::GeometricMean if x == y => x,
            Self::GeometricMean => product.sqrt(),
            Self::Product => product,
        }
    }
}

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
    pub fn check(&self) -> Result<(), WorldError> {
        self.default_material.check("the default material")?;
        for (name, material) in &self.materials {
            material.check(&format!("material {name:?}"))?;
        }
        for (names, material) in &self.pairs {
            material.check(&format!("the pair of materials {names:?}"))?;
            if let Some(name) = names.iter().find(|name| !self.materials.contains_key(*name)) {
                return Err(WorldError::NoMaterial { name: name.clone() });
            }
        }
        self.check_solver()
    }

    /// That the solver knows what the materials ask of it.
    fn check_solver(&self) -> Result<(), WorldError> {
        let solver = self.solver;
        if let ContactSolver::Lemke { sides } = solver
            && !(3..=ContactSolver::MOST_SIDES).contains(&sides)
        {
            return Err(WorldError::Sides { sides });
        }
        if solver.takes_friction() {
            return Ok(());
        }
        let named = self.materials.iter().map(|(name, material)| (format!("material {name:?}"), material));
        let pairs =
            self.pairs.iter().map(|(names, material)| (format!("the pair of materials {names:?}"), material));
        let default = std::iter::once(("the default material".to_owned(), &self.default_material));
        match default.chain(named).chain(pairs).find(|(_, material)| material.static_friction > 0.0) {
            Some((of, material)) => Err(WorldError::Frictionless {
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
