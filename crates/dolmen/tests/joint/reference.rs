//! A simulation of joints without the driver: ẏ with the forces of joints, and back onto the joints after every step.

use dolmen::articulation::factor::{Mobility, Pivoting, Solution};
use dolmen::articulation::{AssemblySettings, JointSystem, Level};
use dolmen::body::{BodyState, Kinematics, Load};
use dolmen::integrate::{Integrator, Ode, Settings};
use dolmen::joint::{Reaction, Turns};
use dolmen::math::{DMat3, DQuat, DVec3, Pose, dvec3};
use dolmen::world::{BodyId, World};

/// Numbers of one body: x, q (w first), P, L.
const SIZE: usize = 13;

/// A mechanism all of whose bodies can move, with gravity and what acts in its joints.
pub(crate) struct Mechanism {
    pub(crate) world: World,
    system: JointSystem,
    states: Vec<BodyState>,
    pub(crate) turns: Vec<Turns>,
    pub(crate) last: Option<Solution>,
    /// The largest that joints missed before they were put right after a step: values, rates.
    pub(crate) drift: [f64; 2],
    pub(crate) steps: usize,
    /// Work of drives and dampers, J, carried as the last component.
    pub(crate) work: f64,
    most: [f64; 4],
}

fn vector(y: &[f64]) -> DVec3 {
    dvec3(y[0], y[1], y[2])
}

impl Mechanism {
    /// Assembles the world first.
    pub(crate) fn new(mut world: World) -> Self {
        world.assemble(&AssemblySettings::default()).expect("joints that can be assembled");
        let system = JointSystem::whole(&world);
        let states = world.bodies().iter().map(dolmen::world::Body::start_state).collect();
        let turns = (0..world.joints().len()).map(|place| world.joint_at_start(place).1).collect();
        Self {
            world,
            system,
            states,
            turns,
            last: None,
            drift: [0.0; 2],
            steps: 0,
            work: 0.0,
            most: [0.0; 4],
        }
    }

    pub(crate) fn pack(&self) -> Vec<f64> {
        let mut y = Vec::new();
        for state in &self.states {
            y.extend(state.position.to_array());
            let q = state.orientation;
            y.extend([q.w, q.x, q.y, q.z]);
            y.extend(state.momentum.to_array());
            y.extend(state.angular_momentum.to_array());
        }
        y.push(self.work);
        y
    }

    pub(crate) fn unpack(&mut self, y: &[f64]) {
        for (state, block) in self.states.iter_mut().zip(y.chunks_exact(SIZE)) {
            *state = BodyState {
                position: vector(block),
                orientation: DQuat::from_xyzw(block[4], block[5], block[6], block[3]).normalize(),
                momentum: vector(&block[7..]),
                angular_momentum: vector(&block[10..]),
            };
        }
        self.work = y[y.len() - 1];
    }

    pub(crate) fn find(&self, name: &str) -> BodyId {
        self.world.find_body(name).expect("a body of this name")
    }

    pub(crate) fn state(&self, name: &str) -> &BodyState {
        &self.states[self.find(name).index()]
    }

    pub(crate) fn spin(&self, name: &str) -> DVec3 {
        let id = self.find(name);
        self.states[id.index()].twist(self.world.body(id).inertia()).spin
    }

    /// World point of a body, given from its centre of mass in its axes.
    pub(crate) fn point(&self, name: &str, at: DVec3) -> DVec3 {
        self.state(name).pose().point(at)
    }

    fn mobility(states: &[BodyState], world: &World, id: BodyId) -> Mobility {
        let (inertia, state) = (world.body(id).inertia(), &states[id.index()]);
        let r = DMat3::from_quat(state.orientation);
        Mobility { inv_mass: inertia.inv_mass, inv_inertia: r * inertia.inv_inertia_body * r.transpose() }
    }

    /// Loads of gravity and of what acts in joints; the power of the latter that has no potential.
    fn loads(&self, t: f64) -> (Vec<Load>, f64) {
        let bodies = self.world.bodies();
        let weight = |body: &dolmen::world::Body| {
            let force =
                if body.is_dynamic() { body.inertia().mass * self.world.gravity() } else { DVec3::ZERO };
            Load { force, torque: DVec3::ZERO }
        };
        let mut loads: Vec<Load> = bodies.iter().map(weight).collect();
        let mut power = 0.0;
        for (joint, turns) in self.world.joints().iter().zip(&self.turns) {
            if !joint.has_loads() {
                continue;
            }
            let none = vec![Load::default(); bodies.len()];
            let [a, b] = joint.bodies().map(|id| id.map_or(still(), |id| self.kinematics(id, &none)));
            let load = joint.load((&a, &b), t, turns);
            power += load.power;
            for (id, part) in joint.bodies().into_iter().zip([load.on_a, load.on_b]) {
                if let Some(id) = id {
                    loads[id.index()].force += part.force;
                    loads[id.index()].torque += part.torque;
                }
            }
        }
        (loads, power)
    }

    fn kinematics(&self, id: BodyId, loads: &[Load]) -> Kinematics {
        Kinematics::new(&self.states[id.index()], self.world.body(id).inertia(), &loads[id.index()])
    }

    /// The forces of joints in the present state; adds them to the loads and returns what drives give.
    fn hold(&mut self, t: f64, loads: &mut [Load]) -> f64 {
        let mut system = std::mem::replace(&mut self.system, JointSystem::new(&self.world, vec![], vec![]));
        system.evaluate(&self.world, |id| self.kinematics(id, loads), t, &self.turns);
        system.factor(|id| Self::mobility(&self.states, &self.world, id), Pivoting::FORCES);
        self.last = Some(system.solve(Level::Acceleration));
        let mut power = 0.0;
        system.loads(|slot, load| {
            let id = system.bodies()[slot];
            loads[id.index()].force += load.force;
            loads[id.index()].torque += load.torque;
            let twist = self.states[id.index()].twist(self.world.body(id).inertia());
            power += load.force.dot(twist.velocity) + load.torque.dot(twist.spin);
        });
        self.system = system;
        power
    }

    /// The reaction of a joint on its body a at time t.
    pub(crate) fn reaction(&mut self, name: &str, t: f64) -> Reaction {
        let mut loads = self.loads(t).0;
        self.hold(t, &mut loads);
        let place = self.world.joints().iter().position(|joint| joint.name() == name).expect("a joint");
        let joint = &self.world.joints()[place];
        let lines = self.system.lines().iter().zip(self.system.forces());
        let own = lines.filter(
            |(line, _)| matches!(line, dolmen::articulation::Line::Joint { joint, .. } if *joint == place),
        );
        let forces: Vec<f64> = own.map(|(_, force)| *force).collect();
        joint.reaction(self.system.frame(place), self.system.equations_of(place), &forces)
    }

    /// ½ P·v + ½ L·ω − m g·x over all bodies, and the springs of joints, J.
    pub(crate) fn energy(&self, t: f64) -> f64 {
        let mut sum = 0.0;
        for (state, body) in self.states.iter().zip(self.world.bodies()) {
            if body.is_dynamic() {
                sum += state.kinetic_energy(body.inertia());
                sum -= body.inertia().mass * self.world.gravity().dot(state.position);
            }
        }
        let none = vec![Load::default(); self.states.len()];
        for (joint, turns) in self.world.joints().iter().zip(&self.turns) {
            let [a, b] = joint.bodies().map(|id| id.map_or(still(), |id| self.kinematics(id, &none)));
            sum += joint.load((&a, &b), t, turns).potential;
        }
        sum
    }

    /// Back onto the joints: values first, then rates.
    fn put_right(&mut self, t: f64) {
        for level in [Level::Position, Level::Velocity] {
            let none = vec![Load::default(); self.states.len()];
            let mut system =
                std::mem::replace(&mut self.system, JointSystem::new(&self.world, vec![], vec![]));
            system.evaluate(&self.world, |id| self.kinematics(id, &none), t, &self.turns);
            system.factor(|id| Self::mobility(&self.states, &self.world, id), Pivoting::PROJECTION);
            system.solve(level);
            let worst = system.lines().iter().map(|line| system.left(*line, level).abs()).fold(0.0, f64::max);
            let at = usize::from(level == Level::Velocity);
            self.drift[at] = self.drift[at].max(worst);
            let mut shifts = vec![Load::default(); self.states.len()];
            system.loads(|slot, load| {
                let id = system.bodies()[slot];
                shifts[id.index()].force += load.force;
                shifts[id.index()].torque += load.torque;
            });
            for id in system.bodies() {
                let (inertia, shift) = (self.world.body(*id).inertia(), shifts[id.index()]);
                let mobility = Self::mobility(&self.states, &self.world, *id);
                let state = &mut self.states[id.index()];
                if level == Level::Velocity {
                    state.momentum += shift.force;
                    state.angular_momentum += shift.torque;
                } else {
                    let twist = state.twist(inertia);
                    let turn = DQuat::from_scaled_axis(mobility.inv_inertia * shift.torque);
                    let pose = Pose {
                        position: state.position + inertia.inv_mass * shift.force,
                        orientation: (turn * state.orientation).normalize(),
                    };
                    *state = BodyState::new(inertia, &pose, &twist);
                }
            }
            self.system = system;
        }
        for (place, joint) in self.world.joints().iter().enumerate() {
            self.turns[place] = joint.remember(self.system.frame(place), &self.turns[place]);
        }
    }

    /// Integrates to each of the times and shows the mechanism there.
    pub(crate) fn run(&mut self, settings: &Settings, times: &[f64], mut see: impl FnMut(&mut Self, f64)) {
        let mut y = self.pack();
        let mut integrator = Integrator::new(settings.clone(), y.len()).expect("settings");
        let last = *times.last().expect("a time");
        integrator.start(self, 0.0, &y, last).expect("a start");
        for &time in times {
            while integrator.time() < time {
                integrator.step(self, Some(time)).expect("a step");
                self.steps += 1;
            }
            y.copy_from_slice(integrator.state());
            self.unpack(&y);
            see(self, time);
        }
    }
}

fn still() -> Kinematics {
    Kinematics {
        pose: Pose::IDENTITY,
        twist: dolmen::math::Twist::ZERO,
        acceleration: DVec3::ZERO,
        spin_rate: DVec3::ZERO,
    }
}

impl Ode for Mechanism {
    fn dim(&self) -> usize {
        SIZE * self.states.len() + 1
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.unpack(y);
        let (mut loads, power) = self.loads(t);
        let driven = self.hold(t, &mut loads);
        for (i, state) in self.states.iter().enumerate() {
            let out = &mut dy[SIZE * i..SIZE * (i + 1)];
            let twist = state.twist(self.world.bodies()[i].inertia());
            out[..3].copy_from_slice(&twist.velocity.to_array());
            let q = DQuat::from_xyzw(y[SIZE * i + 4], y[SIZE * i + 5], y[SIZE * i + 6], y[SIZE * i + 3]);
            let rate = DQuat::from_xyzw(twist.spin.x, twist.spin.y, twist.spin.z, 0.0) * q * 0.5;
            out[3..7].copy_from_slice(&[rate.w, rate.x, rate.y, rate.z]);
            out[7..10].copy_from_slice(&loads[i].force.to_array());
            out[10..13].copy_from_slice(&loads[i].torque.to_array());
        }
        dy[SIZE * self.states.len()] = power + driven;
        // The sizes that errors are measured by grow with what was seen.
        let largest = |from: usize, to: usize, y: &[f64]| {
            y.chunks_exact(SIZE).flat_map(|block| &block[from..to]).fold(0.0_f64, |most, v| most.max(v.abs()))
        };
        for (most, (from, to)) in self.most.iter_mut().zip([(0, 3), (3, 7), (7, 10), (10, 13)]) {
            *most = most.max(largest(from, to, y));
        }
        let slow = largest(7, 10, dy);
        self.most[2] = self.most[2].max(1e-2 * slow);
        self.most[3] = self.most[3].max(1e-2 * largest(10, 13, dy));
    }

    fn scales(&self, _: &[f64], _: &[f64], _: &[f64], _: f64, scale: &mut [f64]) {
        let count = self.states.len();
        for block in scale[..SIZE * count].chunks_exact_mut(SIZE) {
            block[..3].fill(self.most[0]);
            block[3..7].fill(1.0);
            block[7..10].fill(self.most[2]);
            block[10..13].fill(self.most[3].max(1e-3 * self.most[2] * self.most[0]));
        }
        scale[SIZE * count] = 1.0 + self.energy(0.0).abs();
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        self.unpack(y);
        self.put_right(t);
        y.copy_from_slice(&self.pack());
        self.rates(t, y, dy);
    }
}
