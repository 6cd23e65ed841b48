//! The lines of `pins.txt`: a name, the time to which it is run, four hashes.
//!
//! Names: `scene/NAME` is a scene of the folder `scenes`, `bin/N` a bin of N boxes, and `tame/SEED`, `joint/SEED`, `wild/SEED` are
//! random scenes.

use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use dolmen::prelude::*;
use dolmen::shape::{Plane, Sides};
use dolmen::world::{ContactSettings, Material};

use crate::generate::{self, Profile};
use crate::pin::Pin;

#[path = "../../dolmen/examples/support/uniform.rs"]
mod uniform;
use uniform::Uniform;

/// A run that is pinned.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Which world.
    pub name: String,
    /// To which time, s.
    pub end: f64,
    /// What came out.
    pub pin: Pin,
}

impl Entry {
    /// As a line of the file.
    pub fn line(&self) -> String {
        format!("{} {:?} {}", self.name, self.end, self.pin)
    }
}

impl FromStr for Entry {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, end, states, events, ledger, forces] = words[..] else {
            return Err(format!("{line:?} is not a name, a time and four hashes"));
        };
        let end = end.parse().map_err(|_| format!("{end:?} in {line:?} is not a time"))?;
        let [states, events, ledger, forces] = [states, events, ledger, forces].map(str::to_owned);
        Ok(Self { name: name.to_owned(), end, pin: Pin { states, events, ledger, forces } })
    }
}

/// Where the pins are kept.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("pins.txt")
}

/// The folder of the built-in scenes.
pub fn scenes() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// All entries of the file.
///
/// # Errors
/// When it cannot be read, or a line is not an entry.
pub fn load() -> Result<Vec<Entry>, String> {
    let text = fs::read_to_string(path()).map_err(|error| format!("{}: {error}", path().display()))?;
    text.lines().map(str::parse).collect()
}

/// The world of an entry, and how long its scene lasts, s.
///
/// # Errors
/// When there is no such world, or its scene has mistakes.
pub fn world(name: &str) -> Result<(World, f64), String> {
    let unknown = || {
        format!("there is no entry {name:?}; names are scene/NAME, bin/N, tame/SEED, joint/SEED, wild/SEED")
    };
    let (family, which) = name.split_once('/').ok_or_else(unknown)?;
    let document = match family {
        "scene" => Document::load(scenes().join(format!("{which}.toml"))),
        "bin" => {
            let count = which.parse().map_err(|_| unknown())?;
            return bin(count).map(|world| (world, 0.5)).map_err(|error| error.to_string());
        }
        _ => {
            let profile = Profile::from_name(family).ok_or_else(unknown)?;
            let seed = which.parse().map_err(|_| unknown())?;
            Document::parse(name, &generate::scene(profile, seed))
        }
    };
    let document = document.map_err(|errors| errors.to_string())?;
    let duration = document.scene().run.as_ref().and_then(|run| {
        let last = || run.times.as_ref().and_then(|times| times.last().copied());
        run.duration.or_else(last)
    });
    let world = document.build(&scenes()).map_err(|errors| errors.to_string())?;
    Ok((world, duration.unwrap_or(1.0)))
}

/// Boxes of 0.2 m, turned any way, over each other in a bin of 2 × 2 m, ε = 0.2; as in the example `piles`.
fn bin(count: u32) -> Result<World, Box<dyn std::error::Error>> {
    let mut cast = Cast::new();
    for (name, normal, offset) in [
        ("floor", DVec3::Z, 0.0),
        ("wall w", DVec3::X, 1.0),
        ("wall e", -DVec3::X, 1.0),
        ("wall s", DVec3::Y, 1.0),
        ("wall n", -DVec3::Y, 1.0),
    ] {
        let wall = Plane::new(normal, offset)?.with_sides(Sides::Front);
        cast.add(Body::fixed(Pose::IDENTITY).with_shape(wall.into()).named(name))?;
    }
    let mut random = Uniform(1);
    for k in 0..count {
        let (layer, place) = (k / 16, k % 16);
        let (x, y) = (f64::from(place % 4), f64::from(place / 4));
        let aside = random.vector() * dvec3(0.06, 0.06, 0.0);
        let at = dvec3(0.4 * x - 0.6, 0.4 * y - 0.6, 0.3 + 0.4 * f64::from(layer)) + aside;
        let turned = DQuat::from_xyzw(random.next(), random.next(), random.next(), random.next()).normalize();
        let body = Body::solid(Shape::cuboid(DVec3::splat(0.1))?, 125.0)?;
        cast.add(body.at(at, turned).named(format!("box {k:03}")))?;
    }
    let mut world = World::new(cast)?;
    world.set_gravity(dvec3(0.0, 0.0, -9.81))?;
    let material =
        Material { restitution: 0.2, static_friction: 0.5, kinetic_friction: 0.5, ..Material::SMOOTH };
    world.set_contact(ContactSettings { default_material: material, ..ContactSettings::default() })?;
    Ok(world)
}
