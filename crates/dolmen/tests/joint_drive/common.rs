//! Worlds with joints, written by names.

use dolmen::drive::exact::Simulation;
use dolmen::joint::{AssemblySettings, Axis, Control, Joint, JointKind, Placement, Side};
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DVec3};
use dolmen::world::{Body, Cast, World};

/// Moments about the axes of the body, kg·m².
pub(crate) fn body(mass: f64, moments: DVec3, name: &str) -> Body {
    let properties = MassProperties::new(mass, DVec3::ZERO, DMat3::from_diagonal(moments)).expect("a mass");
    Body::dynamic(&properties).named(name)
}

pub(crate) struct Maker {
    cast: Cast,
    joints: Vec<([Option<String>; 2], Joint)>,
}

impl Maker {
    pub(crate) fn new() -> Self {
        Self { cast: Cast::new(), joints: Vec::new() }
    }

    pub(crate) fn add(&mut self, body: Body) {
        self.cast.add(body).expect("a body");
    }

    /// A joint between two bodies (none: the world) at a point of the world along an axis.
    pub(crate) fn join(
        &mut self,
        name: &str,
        kind: JointKind,
        sides: [Option<&str>; 2],
        point: DVec3,
        axis: DVec3,
    ) {
        let joint = Joint::new(name, kind, Side::World, Side::World).at(point, axis);
        self.joints.push((sides.map(|side| side.map(str::to_owned)), joint));
    }

    pub(crate) fn with(&mut self, axis: Axis, control: Control) {
        let (sides, joint) = self.joints.pop().expect("a joint");
        self.joints.push((sides, joint.with(axis, control)));
    }

    pub(crate) fn placed(&mut self, placement: Placement) {
        let (sides, joint) = self.joints.pop().expect("a joint");
        self.joints.push((sides, joint.placed(placement)));
    }

    /// The world, assembled, with a tolerance of 1e-12.
    pub(crate) fn world(self, gravity: DVec3) -> World {
        let mut world = World::new(self.cast).expect("a world");
        world.set_gravity(gravity).expect("gravity");
        for (sides, joint) in self.joints {
            let [a, b] = sides.map(|name| {
                name.map_or(Side::World, |name| Side::Body(world.find_body(&name).expect("a body")))
            });
            world.add_joint(joint.between(a, b)).expect("a joint");
        }
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

/// The largest that joints are off now, by the longest arm, and their rates, m/s.
pub(crate) fn off(simulation: &Simulation) -> [f64; 2] {
    use dolmen::body::Kinematics;
    use dolmen::joint::{JointSystem, Level, Turns};
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
    [Level::Position, Level::Velocity].map(|level| {
        let left = |line| system.left(line, level).abs();
        system.lines().iter().map(|line| left(*line)).fold(0.0, f64::max)
    })
}
