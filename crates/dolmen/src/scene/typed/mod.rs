//! The scene as typed: one Rust type for each table of the file, with the same names.
//!
//! Nothing is worked out here. A key that is absent is `None`, so that what was loaded can be saved again
//! without loss; the defaults stand in the descriptions. Units are SI except where the name says otherwise.
//! The descriptions of the fields are also those of the JSON Schema.

mod body;
mod contact;
mod force;
mod joint;
mod orientation;
mod output;
mod run;
mod sensor;
mod shape;
mod tagged;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use body::*;
pub(crate) use contact::Coefficients;
pub use contact::*;
pub use force::*;
pub use joint::*;
pub use orientation::*;
pub use output::*;
pub use run::*;
pub use sensor::*;
pub use shape::*;

/// The lists of tables at the top of a scene.
pub(crate) const LISTS: [&str; 7] =
    ["material", "material_pair", "body", "particles", "force", "joint", "sensor"];

/// Names at the top of a scene that have no meaning yet and shall have one.
pub(crate) const RESERVED: [&str; 2] = ["solver", "view"];

/// A scene: what there is, what acts on it, and how it is to be simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Where the JSON Schema of this file is, for editors; Dolmen does not read it.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The version of the format: 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// A title of a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the scene shows and what to expect of it; may have several lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Acceleration of everything that is free to move, m/s². Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// How long to simulate and when to sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// How exact the answer has to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Accuracy>,
    /// What moves the bodies that have no closed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrator: Option<Integrator>,
    /// What happens where bodies meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// How pairs of bodies that may meet are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detection: Option<Detection>,
    /// What laws the run is held to, and how much it may compute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub laws: Option<Laws>,
    /// Which tables a run writes, of which bodies, and how often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// What surfaces are made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<Material>,
    /// What applies between two materials, where it does not follow from the two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub material_pair: Vec<MaterialPair>,
    /// The rigid bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<Body>,
    /// The sets of particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<Particles>,
    /// What acts on bodies and particles, besides gravity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<Force>,
    /// How bodies are projected onto their joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assembly: Option<Assembly>,
    /// Joints between bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<Joint>,
    /// What is measured at every sample, into `sensors.csv`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensor: Vec<Sensor>,
}

impl Scene {
    /// The version of the format that this version of Dolmen reads and writes.
    pub const FORMAT: u32 = 1;
}

impl Default for Scene {
    /// An empty scene.
    fn default() -> Self {
        Self {
            schema: None,
            format: Self::FORMAT,
            title: None,
            about: None,
            gravity: None,
            run: None,
            accuracy: None,
            integrator: None,
            contact: None,
            detection: None,
            laws: None,
            output: None,
            material: Vec::new(),
            material_pair: Vec::new(),
            body: Vec::new(),
            particles: Vec::new(),
            force: Vec::new(),
            assembly: None,
            joint: Vec::new(),
            sensor: Vec::new(),
        }
    }
}

/// How pairs of bodies that may meet are found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detection {
    /// The broad phase of the driver "intro" and of queries; the exact driver has a dynamic tree of its own. All find the
    /// same pairs. Default: "auto".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broad_phase: Option<BroadPhase>,
}

/// A broad phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BroadPhase {
    /// Sorted ends on three axes; the order is kept between steps.
    SortAndSweep,
    /// Equal cells, a level for every class of sizes.
    UniformGrid,
    /// A hierarchy of boxes.
    Bvh,
    /// A tree of octants.
    Octree,
    /// A tree of dividing planes.
    KdTree,
    /// Every pair.
    BruteForce,
    /// A good one for the number of bodies and their sizes.
    Auto,
}

/// Bounds of the laws that are checked while a run goes on. A run that breaks one says so and ends with exit code 3; `inf`
/// switches a law off.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Laws {
    /// How far the ledger may be out of balance, by the energy in play. Default: 100 times `tolerance` under `[accuracy]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<f64>,
    /// How deep bodies may overlap, by the contact tolerance (1e-9 of the smaller one). Default: 1, and more in time steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<f64>,
    /// How far joints may be off, by the longest arm. Default: 1e-9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<f64>,
    /// How much energy a single event may give, by the energy in play. Default: 1e-9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dissipation: Option<f64>,
    /// How far accepted solutions may be from the contact law: contact forces and mode decisions by the accelerations that loads alone
    /// would give, impulses by the fastest approach, projections by the smaller body. Default: 1e-9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// How far mass times acceleration may be from the sum of recorded forces, by the sum of their sizes. Default: 1e-4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forces: Option<f64>,
    /// How much energy projections and depenetration may give, by the energy in play. Default: 1e-9, and more in time steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closing: Option<f64>,
    /// Floating-point operations that may be spent on a body while it moves by its own size; beyond that the run stops.
    /// Default: 2e9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<f64>,
}

/// How long to simulate, and the instants at which the state is written down.
///
/// At most one of `samples`, `every` and `times`. Sampling does not change the motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Simulated time, s. Default: the last of `times`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Number of instants, equally spaced, both ends among them: at least 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Time between instants, s, beginning at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<f64>,
    /// The instants themselves, s, increasing, from 0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Vec<f64>>,
    /// What takes the world through time. Default: "exact".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<Driver>,
    /// Settings of the driver "intro".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intro: Option<Intro>,
    /// Of the driver "fixed": the step, s, as a number or as a fraction such as "1/60". Default: "1/60".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepLength>,
    /// Of the driver "fixed": sub-steps of a step, from 1 to 1000. Default: 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<u32>,
    /// Of the driver "fixed": the precision of velocities and contacts. Default: "f32".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Of the driver "fixed": threads, from 1 to 64; the bits are the same. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Of the driver "fixed": whether bodies at rest sleep until something comes. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep: Option<bool>,
    /// Of the driver "fixed": whether more sub-steps are made where few contacts bear much. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiff: Option<bool>,
    /// Of the driver "fixed": what its steps may not exceed; a run that does ends with exit code 3. Default: no bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<StepBounds>,
}

/// What takes a world through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Driver {
    /// Every event at its instant.
    Exact,
    /// Steps of one length, for many bodies.
    Fixed,
    /// The update loop of an introduction, for teaching: fixed steps and back-stepping.
    Intro,
}

/// Settings of the update loop for teaching.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Intro {
    /// The step, s. Default: 0.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Contacts that approach or part slower than this are at rest, m/s. Default: 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Halvings of a step at most, at least 1. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_steps: Option<u32>,
    /// Contacts that one step may back-step to, at least 1. Default: 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// How it is decided whether a body at rest must stop rotating. Default: "sign".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<IntroRest>,
    /// How the impulses of several contacts at one instant follow each other. Default: "together".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impulses: Option<IntroImpulses>,
    /// How the instant of a contact within a step is found. Default: "backstep".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locate: Option<IntroLocate>,
}

/// How the instant of a contact within a step is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntroLocate {
    /// Halvings, every trial from the start of the step.
    Backstep,
    /// Halvings, every trial from the last instant that was free.
    Bisection,
    /// From the separation and its rate, within the halvings.
    Prediction,
}

/// How it is decided whether a body at rest must stop rotating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntroRest {
    /// By the sign of n·(ω×r) at the contact.
    Sign,
    /// By a trial step that penetrates.
    Trial,
    /// By contact forces in every derivative, from the solver of `[contact]`.
    Forces,
}

/// How the impulses of several contacts at one instant follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntroImpulses {
    /// All from the velocities before.
    Together,
    /// One after the other, with new velocities.
    InTurn,
}

/// How exact the answer has to be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accuracy {
    /// Error allowed in each step relative to the size of what moves; greater than 0, less than 1. Default:
    /// 1e-12.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Error always allowed, in the unit of each quantity; 0 or more. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absolute: Option<f64>,
}

/// What moves the bodies that have no closed form.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Integrator {
    /// The method. Default: "dop853".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// Fixed step, s. Default: none, steps are chosen from the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// The first step to try, s; not together with `step`. Default: chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_step: Option<f64>,
    /// The largest step to take, s; not together with `step`. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_step: Option<f64>,
    /// The run stops after this many steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
    /// Whether steps are summed with compensation for rounding. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensated: Option<bool>,
    /// Order of the method; for "adams" only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// Coefficients of a Runge–Kutta method of your own; for "tableau" only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tableau: Option<Tableau>,
    /// Whether a body flies by a closed form where there is one. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_form: Option<bool>,
    /// The variables in which orientations are integrated. Default: "quaternion".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<OrientationVariables>,
    /// Whether orientations are brought back to unit length, or to orthogonality, after each step. Default:
    /// true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renormalise: Option<bool>,
}

/// An integration method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Euler's method, order 1.
    Euler,
    /// Velocities first, then positions with the new velocities; order 1.
    SemiImplicitEuler,
    /// The explicit midpoint rule, order 2.
    Midpoint,
    /// Heun's method, order 2.
    Heun,
    /// Ralston's method, order 2.
    Ralston,
    /// Kutta's method of order 3.
    Kutta3,
    /// The classical Runge–Kutta method, order 4.
    Rk4,
    /// Kutta's 3/8 rule, order 4.
    ThreeEighths,
    /// Bogacki and Shampine's pair 3(2).
    BogackiShampine,
    /// Fehlberg's pair 4(5).
    Fehlberg45,
    /// Cash and Karp's pair 5(4).
    CashKarp,
    /// Dormand and Prince's pair 5(4).
    DormandPrince,
    /// Dormand and Prince's method 8(5,3).
    Dop853,
    /// Adams' predictor and corrector, of the order given by `order`.
    Adams,
    /// The implicit Euler method, order 1.
    BackwardEuler,
    /// The implicit midpoint rule, order 2.
    ImplicitMidpoint,
    /// Radau IIA with three stages, order 5.
    Radau5,
    /// The Runge–Kutta method given by `tableau`.
    Tableau,
}

/// The variables in which orientations are integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrientationVariables {
    /// Four numbers.
    Quaternion,
    /// Nine numbers.
    Matrix,
}

/// Coefficients of a Runge–Kutta method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tableau {
    /// Row i holds what stage i takes of the stages before it (explicit: i numbers, the first row empty) or
    /// of all of them (implicit: as many numbers as stages).
    pub a: Vec<Vec<f64>>,
    /// Weights of the stages; their sum is 1.
    pub b: Vec<f64>,
    /// Times of the stages, in steps. Default: the sums of the rows of `a`, to which they must be equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Vec<f64>>,
    /// Weights of a second method, whose difference is the estimate of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_hat: Option<Vec<f64>>,
    /// Order of the method.
    pub order: u32,
    /// Order of the second method; goes with `b_hat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_hat: Option<u32>,
}

/// A set of particles: points with mass that do not turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Particles {
    /// The name; no other set or body has the same.
    pub name: String,
    /// Mass of every particle, kg; or `masses`, or a column `m` in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Mass of each particle, kg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masses: Option<Vec<f64>>,
    /// Positions, m; or `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<[f64; 3]>>,
    /// Velocities, m/s. Default: at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocities: Option<Vec<[f64; 3]>>,
    /// A CSV file with the columns x, y, z, optionally vx, vy, vz, optionally m; relative to the scene file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The name of the material of the particles. Default: none, the coefficients of `[contact]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// The groups of bodies that the particles collide with; [] is with nothing. Default: all, and the bodies in no group.
    /// Particles pass each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collides_with: Option<Vec<String>>,
}
