//! Valid random scenes, as text, from a seed.
//!
//! A scene is made in the order in which things depend on each other: scales, mechanisms and free bodies on a stage that
//! keeps their bounding spheres apart, planes below and beside all of them, then surfaces, groups, forces, particles and
//! settings. Nothing overlaps at the start; joints are placed on the bodies as they are. The text of a seed is part of what
//! `pins.txt` pins: a change here changes every pin of a random scene.

mod body;
mod cell;
mod force;
mod joint;
mod plane;
mod random;
mod settings;
mod shape;
mod stage;
mod surface;
mod text;

use random::{Random, short};
use stage::Stage;
use text::{Table, number, vector};

use dolmen::math::DVec3;

/// What kind of scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Sizes, masses and speeds of order one.
    Tame,
    /// Mechanisms that meet floors.
    Joint,
    /// Sizes, masses and speeds over six decades.
    Wild,
    /// One shape after the other on one support after the other.
    Pair,
    /// One joint after the other with one thing after the other that acts in it, just above a floor.
    Machine,
    /// Meshes with holes and hollows on one support after the other.
    Mesh,
}

impl Profile {
    /// Those of which scenes are pinned.
    pub const PINNED: [Self; 3] = [Self::Tame, Self::Joint, Self::Wild];

    /// All of them.
    pub const ALL: [Self; 6] = [Self::Tame, Self::Joint, Self::Wild, Self::Pair, Self::Machine, Self::Mesh];

    /// As it is written in the name of an entry.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tame => "tame",
            Self::Joint => "joint",
            Self::Wild => "wild",
            Self::Pair => "pair",
            Self::Machine => "machine",
            Self::Mesh => "mesh",
        }
    }

    /// The profile of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

/// What is typical of a scene, SI.
#[derive(Debug, Clone, Copy)]
struct Scales {
    length: f64,
    mass: f64,
    speed: f64,
    /// Sizes and masses of bodies are within this factor of the typical ones.
    spread: f64,
    gravity: DVec3,
}

impl Scales {
    fn new(profile: Profile, random: &mut Random) -> Self {
        let ordinary = |random: &mut Random| match random.below(10) {
            0 => DVec3::ZERO,
            1 => random::rounded(9.81 * random.direction(), 3),
            _ => DVec3::new(0.0, 0.0, -9.81),
        };
        match profile {
            Profile::Pair | Profile::Mesh if random.chance(0.8) => Self::new(Profile::Tame, random),
            Profile::Machine if random.chance(0.85) => Self::new(Profile::Joint, random),
            Profile::Tame => {
                let gravity = ordinary(random);
                Self { length: 0.5, mass: 1.0, speed: random.between(0.5, 4.0), spread: 2.0, gravity }
            }
            Profile::Joint => {
                let gravity = if random.chance(0.9) { DVec3::new(0.0, 0.0, -9.81) } else { ordinary(random) };
                Self { length: 0.3, mass: 1.0, speed: random.between(0.3, 2.0), spread: 1.7, gravity }
            }
            Profile::Wild | Profile::Pair | Profile::Machine | Profile::Mesh => {
                let wide = |random: &mut Random| random.decades(1e-3, 1e3);
                let (length, mass, speed) = (wide(random), wide(random), wide(random));
                let spread = if random.chance(0.4) { 1e3 } else { 3.0 };
                let natural = speed * speed / length * random.between(0.0, 2.0);
                let gravity = match random.below(4) {
                    0 => DVec3::ZERO,
                    1 => DVec3::new(0.0, 0.0, -9.81),
                    _ => DVec3::new(0.0, 0.0, -short(natural)),
                };
                Self { length, mass, speed, spread, gravity }
            }
        }
    }

    /// Time in which things happen.
    fn time(&self) -> f64 {
        let crossing = self.length / self.speed;
        let falling = (self.length / self.gravity.length().max(1e-300)).sqrt();
        crossing.min(falling)
    }

    fn force(&self) -> f64 {
        self.mass * self.speed * self.speed / self.length
    }

    fn torque(&self) -> f64 {
        self.mass * self.speed * self.speed
    }

    fn size(&self, random: &mut Random) -> f64 {
        self.length * random.decades(1.0 / self.spread, self.spread)
    }

    fn body_mass(&self, random: &mut Random) -> f64 {
        self.mass * random.decades(1.0 / self.spread, self.spread)
    }

    /// Against gravity, or z.
    fn up(&self) -> DVec3 {
        if self.gravity == DVec3::ZERO { DVec3::Z } else { -self.gravity.normalize() }
    }
}

/// The scene of a profile and a seed, as TOML.
pub fn scene(profile: Profile, seed: u64) -> String {
    let salt = match profile {
        Profile::Tame => 0x7a3e,
        Profile::Joint => 0x10e7,
        Profile::Wild => 0x3117d,
        Profile::Pair => 0xbe57,
        Profile::Machine => 0x6ea4,
        Profile::Mesh => 0x4e5f,
    };
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(salt));
    let random = &mut random;
    let scales = Scales::new(profile, random);
    // Two bodies alone are followed longer: until they have settled, if they do.
    let longer = if matches!(profile, Profile::Pair | Profile::Mesh) { 2.0 } else { 1.0 };
    let duration = short(scales.time() * longer * random.between(3.0, 9.0));

    let mut stage = Stage::default();
    let joints = match profile {
        Profile::Pair => {
            cell::pair(&mut stage, &scales, random, seed);
            String::new()
        }
        Profile::Mesh => {
            cell::hollow(&mut stage, &scales, random, seed);
            String::new()
        }
        Profile::Machine => cell::machine(&mut stage, &scales, random, seed),
        _ => mixture(profile, &mut stage, &scales, random),
    };

    let surfaces = surface::surfaces(&mut stage, &scales, random, !joints.is_empty());
    surface::groups(&mut stage, random);
    let particles = force::particles(&stage, &scales, random);
    let forces = force::forces(&mut stage, &scales, random, particles.count, duration);

    let mut head = Table::new("format = 1");
    head.text("title", &format!("{} {seed}", profile.name()));
    if scales.gravity != DVec3::ZERO {
        head.put("gravity", vector(scales.gravity));
    }
    let mut run = Table::new("[run]");
    run.put("duration", number(duration)).put("samples", "9");
    let bodies: String = stage.bodies.iter().map(|body| body.table.finish()).collect();
    let settings = settings::settings(&scales, random);
    [head.finish(), run.finish(), settings, surfaces, bodies, particles.text, forces, joints].concat()
}

/// Mechanisms, free bodies and planes, random in everything; the text of the joints.
fn mixture(profile: Profile, stage: &mut Stage, scales: &Scales, random: &mut Random) -> String {
    let mut joints = String::new();
    let mechanisms = match profile {
        Profile::Joint => random.count(1, 2),
        _ => usize::from(random.chance(0.2)),
    };
    // Exact arrangements need gravity along z and sizes that are alike.
    if profile == Profile::Tame && random.chance(0.3) {
        body::arrangement(stage, scales, random);
    }
    for _ in 0..mechanisms {
        let most = if mechanisms == 1 { 7 } else { 4 };
        joints += &joint::mechanism(stage, scales, random, most);
    }
    let room = 10_usize.saturating_sub(stage.bodies.len());
    let free = if profile == Profile::Joint { random.count(0, 3) } else { random.count(1, 9) };
    for _ in 0..free.min(room.max(1)) {
        body::free(stage, scales, random);
    }
    plane::around(stage, scales, random);
    joints
}
