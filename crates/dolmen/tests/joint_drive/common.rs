//! Worlds with joints, written by names.

use super::described::Maker;
use dolmen::articulation::{AssemblySettings, JointSystem, Level};
use dolmen::body::Kinematics;
use dolmen::drive::exact::Simulation;
use dolmen::joint::Turns;
use dolmen::math::DVec3;
use dolmen::world::World;

impl Maker {
    /// The world, assembled, with a tolerance of 1e-12.
    pub(crate) fn world(self, gravity: DVec3) -> World {
        let mut world = self.joined(gravity);
        world.assemble(&AssemblySettings::default()).expect("joints that fit");
        let mut settings = world.settings().clone();
        settings.integrator.relative = 1e-12;
        settings.integrator.absolute = 1e-14;
        world.set_settings(settings).expect("settings");
        world
    }

    pub(crate) fn simulation(self, gravity: DVec3) -> Simulation {
        Simulation::new(self.world(gravity)).expect("a start")
    }
}

/// World point of a body, given from its centre of mass in its axes.
pub(crate) fn point(simulation: &Simulation, name: &str, at: DVec3) -> DVec3 {
    let id = simulation.world().find_body(name).expect("a body");
    simulation.pose(id).point(at)
}

pub(crate) fn spin(simulation: &Simulation, name: &str) -> DVec3 {
    simulation.twist(simulation.world().find_body(name).expect("a body")).spin
}

/// Kinetic and potential energy, J.
pub(crate) fn energy(simulation: &mut Simulation) -> f64 {
    let ledger = simulation.ledger();
    ledger.kinetic + ledger.potential
}

/// What the energies come to with work and losses taken out, J: always the same.
pub(crate) fn balance(simulation: &mut Simulation) -> f64 {
    let ledger = simulation.ledger();
    ledger.total() - ledger.work + ledger.lost()
}

/// All joints of a world, evaluated where its bodies are now.
pub(crate) fn evaluated(simulation: &Simulation) -> JointSystem {
    let world = simulation.world();
    let mut system = JointSystem::whole(world);
    let turns = vec![Turns::default(); world.joints().len()];
    let kinematics = |id| Kinematics {
        pose: simulation.pose(id),
        twist: simulation.twist(id),
        acceleration: DVec3::ZERO,
        spin_rate: DVec3::ZERO,
    };
    system.evaluate(world, kinematics, simulation.time(), &turns);
    system
}

/// The largest that joints are off now, by the longest arm, and their rates, m/s.
pub(crate) fn off(simulation: &Simulation) -> [f64; 2] {
    let system = evaluated(simulation);
    [Level::Position, Level::Velocity].map(|level| {
        let left = |line| system.left(line, level).abs();
        system.lines().iter().map(|line| left(*line)).fold(0.0, f64::max)
    })
}
