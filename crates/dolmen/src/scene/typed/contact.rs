//! What surfaces are made of, and what happens where bodies meet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens where bodies meet, and the restitution and friction of surfaces that name no material.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Whether bodies meet at all; if not, everything passes through everything. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How the impulses of contacts that collide at the same instant are found. Default: "reflection".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub law: Option<ImpactLaw>,
    /// Relative speed after a collision by that before it, 0 to 1. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Friction by normal force, sticking and sliding, 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Largest friction by normal force while sticking, 0 or more; instead of `friction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Friction by normal force while sliding, 0 to `static_friction`, with which it goes. Default: the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinetic_friction: Option<f64>,
    /// Largest moment against rolling by normal force, m, of round surfaces; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_resistance: Option<f64>,
    /// Largest moment against spinning about the normal by normal force, m, of round surfaces; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spinning_resistance: Option<f64>,
    /// How the restitutions of two materials become that of the pair. Default: "maximum".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combine_restitution: Option<Combine>,
    /// How the frictions of two materials become that of the pair. Default: "geometric-mean".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combine_friction: Option<Combine>,
    /// How the resistances of two materials to rolling and spinning become that of the pair. Default: "maximum".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combine_resistance: Option<Combine>,
    /// What to do with bodies that overlap at the start. Default: "refuse".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlaps: Option<Overlaps>,
    /// Which solver finds the forces of contacts that rest, slide or roll. Default: "complementarity".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<Solver>,
    /// Sides of the cone of friction, 3 to 64; for the solver "lemke" only. Default: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lemke_sides: Option<u32>,
    /// Whether bodies in equilibrium are at rest without being integrated. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibrium_shortcut: Option<bool>,
}

/// Which solver finds the forces of contacts that rest, slide or roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Coulomb's law with its exact cone: "cone" for few contacts, "sparse" for many.
    Complementarity,
    /// The exact cone by a dense solver.
    Cone,
    /// The exact cone by a sparse solver.
    Sparse,
    /// Lemke's pivots, with a cone of `lemke_sides` sides.
    Lemke,
    /// The quadratic program of the notes; without friction.
    Quadratic,
    /// The linear programs of the paper; without friction.
    Linear,
    /// The simple rest impulses of an introduction; with the driver "intro" only.
    Intro,
}

/// How the impulses of contacts that collide at the same instant are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImpactLaw {
    /// Contacts one at a time, until none collides.
    Propagation,
    /// All at once, as one complementarity problem.
    Simultaneous,
    /// Momentum is shared out so that symmetric impacts stay symmetric and touching balls of a cradle pass it on.
    Reflection,
}

/// How the coefficients x and y of two materials become that of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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

/// What to do with bodies that overlap at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overlaps {
    /// Refuse to start.
    Refuse,
    /// Report them, and let them pass through each other until they are apart.
    Report,
}

/// What a surface is made of. Coefficients that are not given are those of `[contact]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// The name, by which bodies refer to it; no other material has the same.
    pub name: String,
    /// Relative speed after a collision by that before it, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Friction by normal force, sticking and sliding, 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Largest friction by normal force while sticking, 0 or more; instead of `friction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Friction by normal force while sliding, 0 to `static_friction`, with which it goes. Default: the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinetic_friction: Option<f64>,
    /// Largest moment against rolling by normal force, m, of round surfaces; 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_resistance: Option<f64>,
    /// Largest moment against spinning about the normal by normal force, m, of round surfaces; 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spinning_resistance: Option<f64>,
}

/// What applies between two materials. Coefficients that are not given follow the rules of `[contact]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialPair {
    /// The names of the two materials, in any order; twice the same is the material on itself.
    #[schemars(length(equal = 2))]
    pub materials: Vec<String>,
    /// Relative speed after a collision by that before it, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Friction by normal force, sticking and sliding, 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Largest friction by normal force while sticking, 0 or more; instead of `friction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Friction by normal force while sliding, 0 to `static_friction`, with which it goes. Default: the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinetic_friction: Option<f64>,
    /// Largest moment against rolling by normal force, m, of round surfaces; 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_resistance: Option<f64>,
    /// Largest moment against spinning about the normal by normal force, m, of round surfaces; 0 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spinning_resistance: Option<f64>,
}

/// The coefficients that a contact, a material or a pair of materials gives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coefficients {
    pub restitution: Option<f64>,
    pub friction: Option<f64>,
    pub static_friction: Option<f64>,
    pub kinetic_friction: Option<f64>,
    pub rolling_resistance: Option<f64>,
    pub spinning_resistance: Option<f64>,
}

macro_rules! has_coefficients {
    ($($table:ty),*) => {
        $(impl $table {
            pub(crate) fn coefficients(&self) -> Coefficients {
                Coefficients {
                    restitution: self.restitution,
                    friction: self.friction,
                    static_friction: self.static_friction,
                    kinetic_friction: self.kinetic_friction,
                    rolling_resistance: self.rolling_resistance,
                    spinning_resistance: self.spinning_resistance,
                }
            }
        })*
    };
}

has_coefficients!(Contact, Material, MaterialPair);
