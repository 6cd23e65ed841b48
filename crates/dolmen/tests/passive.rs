//! What nobody drives gains no energy, whatever it is made of.

use dolmen::prelude::*;
use dolmen::record::EventKind;
use dolmen::shape::{Plane, Sides};
use dolmen::world::{ContactSettings, Material};

/// Even numbers in [−½, ½).
struct Even(u64);

impl Even {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// A length about a decimetre.
    fn length(&mut self) -> f64 {
        0.1 + 0.04 * self.next()
    }
}

/// A material by its friction and its restitution.
fn material([friction, restitution]: [f64; 2]) -> Material {
    Material { restitution, static_friction: friction, kinetic_friction: friction, ..Material::SMOOTH }
}

/// A shape of this kind.
fn shape(kind: &str, even: &mut Even) -> Shape {
    let shape = match kind {
        "sphere" => Shape::sphere(even.length()),
        "cylinder" => Shape::cylinder(0.7 * even.length(), 1.4 * even.length()),
        "capsule" => Shape::capsule(0.6 * even.length(), 1.2 * even.length()),
        "cone" => Shape::cone(0.9 * even.length(), 1.6 * even.length()),
        _ => Shape::cuboid(dvec3(even.length(), even.length(), even.length())),
    };
    shape.unwrap_or_else(|problem| panic!("{problem}"))
}

/// Eight bodies of these kinds in turn, each turned its own way, above the floor of a bin.
fn bin(kinds: &[&str], seed: u64, surface: [f64; 2]) -> Simulation {
    let mut cast = Cast::new();
    for (normal, offset) in
        [(DVec3::Z, 0.0), (DVec3::X, 0.35), (-DVec3::X, 0.35), (DVec3::Y, 0.35), (-DVec3::Y, 0.35)]
    {
        let wall = Plane::new(normal, offset).expect("a plane").with_sides(Sides::Front);
        let wall = Body::fixed(Pose::IDENTITY).with_shape(wall.into());
        cast.add(wall.named(format!("wall {normal}"))).expect("a name of its own");
    }
    let mut even = Even(seed);
    for k in 0..8 {
        let aside = 0.01 * dvec3(even.next(), even.next(), even.next());
        let place = dvec3(0.34 * f64::from(k % 2), 0.34 * f64::from(k / 2 % 2), 0.4 * f64::from(k / 4));
        let turned = DQuat::from_xyzw(even.next(), even.next(), even.next(), even.next()).normalize();
        let body = Body::solid(shape(kinds[k as usize % kinds.len()], &mut even), 125.0);
        let body = body.unwrap_or_else(|problem| panic!("{problem}"));
        let at = place + dvec3(-0.17, -0.17, 0.3) + aside;
        cast.add(body.at(at, turned).named(format!("body {k}"))).expect("a name of its own");
    }
    let mut world = World::new(cast).unwrap_or_else(|problem| panic!("{problem}"));
    world.set_gravity(dvec3(0.0, 0.0, -9.81)).expect("a number");
    let settings = ContactSettings { default_material: material(surface), ..ContactSettings::default() };
    world.set_contact(settings).expect("settings");
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
}

/// The most that energy rises within a hundredth of a second until `until`, and the most that a time step
/// gives, both by the energy at the start.
fn gains(mut simulation: Simulation, until: f64) -> [f64; 2] {
    let energy = |simulation: &mut Simulation| {
        let ledger = simulation.ledger();
        ledger.kinetic + ledger.potential
    };
    let start = energy(&mut simulation);
    let (mut before, mut most) = (start, 0.0_f64);
    let parts = (100.0 * until) as u32;
    for k in 1..=parts {
        simulation.advance(0.01 * f64::from(k)).unwrap_or_else(|stop| panic!("{stop}"));
        let now = energy(&mut simulation);
        most = most.max(now - before);
        before = now;
    }
    let steps = simulation.events().iter().filter(|event| event.kind == EventKind::TimeStep);
    let given = steps.map(|event| -event.lost).fold(0.0_f64, f64::max);
    let gains = [most, given].map(|gain| gain / start);
    println!("{} steps over crowds, gains {gains:?}", simulation.time_steps());
    assert!(simulation.time_steps() > 100, "too few steps over crowds");
    gains
}

/// Cylinders that lie nearly side by side: the point where they touch leaps along them, and what it would do beyond their ends
/// is nothing that a time step has to undo.
#[test]
fn cylinders_side_by_side_do_not_throw_each_other() {
    let gains = gains(bin(&["cylinder"], 10, [0.5, 0.0]), 1.35);
    assert!(gains.iter().all(|gain| *gain < 1e-4), "{gains:?}");
}

/// Bodies that bounce while others press on them: with all contacts at once Newton's restitution gives energy here and there, and
/// such steps are taken without it.
#[test]
fn bounces_among_many_contacts_give_nothing() {
    let kinds = ["box", "cylinder", "cone", "capsule", "box", "sphere"];
    let gains = gains(bin(&kinds, 7, [0.5, 0.5]), 0.62);
    assert!(gains.iter().all(|gain| *gain < 1e-4), "{gains:?}");
}
