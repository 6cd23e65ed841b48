//! What a run answers.

use dolmen::articulation::JointSystem;
use dolmen::body::Kinematics;
use dolmen::joint::{Axis, FittedJoint, Law};
use dolmen::math::{DVec3, Pose, Twist, real};
use dolmen::record::{ContactForce, Event};
use dolmen::world::BodyId;

use super::SceneRun;
use crate::expression::{Argument, Known, Value};
use crate::words::WORDS;

impl Known for SceneRun {
    fn takes(&self, word: &str) -> Option<&'static str> {
        WORDS.iter().find(|(other, _)| *other == word).map(|(_, takes)| *takes)
    }

    fn quantity(&mut self, word: &str, arguments: &[Argument]) -> Result<Value, String> {
        match word {
            "largest" | "smallest" | "mean" | "start" => self.gathered(word, arguments),
            "event" | "count" | "instants" => self.of_events(word, arguments),
            "contact_force" | "contact_torque" | "normal_force" | "friction_force" | "contacts" => {
                self.of_contacts(word, arguments)
            }
            "joint_force" | "joint_torque" | "joint_turn" | "joint_slide" => {
                self.of_joint(word, arguments[0].name()?)
            }
            "particle" | "particle_velocity" => self.of_particle(word, arguments),
            _ if arguments.is_empty() => self.of_run(word),
            _ => self.of_body(word, arguments),
        }
    }
}

fn vector(arguments: &[Argument], index: usize) -> Result<DVec3, String> {
    arguments.get(index).ok_or("a vector is missing")?.value()?.vector()
}

impl SceneRun {
    pub(super) fn body(&self, name: &str) -> Result<BodyId, String> {
        self.simulation.world().find_body(name).ok_or_else(|| format!("there is no body `{name}`"))
    }

    fn of_body(&mut self, word: &str, arguments: &[Argument]) -> Result<Value, String> {
        let name = arguments[0].name()?;
        let id = self.body(name)?;
        let (pose, twist) = (self.simulation.pose(id), self.simulation.twist(id));
        let found = match word {
            "position" if arguments.len() == 2 => pose.point(vector(arguments, 1)?),
            "position" => pose.position,
            "velocity" if arguments.len() == 2 => twist.at(pose.direction(vector(arguments, 1)?)),
            "velocity" => twist.velocity,
            "spin" => twist.spin,
            "spin_body" => pose.orientation.conjugate() * twist.spin,
            "in_body" => pose.orientation.conjugate() * vector(arguments, 1)?,
            "acceleration" => self.simulation.kinematics(id).acceleration,
            "inertia" => self.simulation.world().body(id).inertia().inertia_body.diagonal(),
            "inertia_products" => {
                let inertia = self.simulation.world().body(id).inertia().inertia_body;
                DVec3::new(inertia.x_axis.y, inertia.x_axis.z, inertia.y_axis.z)
            }
            "centre" => -self.simulation.world().body(id).shape_origin(),
            "orientation" => return Ok(Value::Turn(pose.orientation)),
            "mass" => return Ok(Value::Number(self.simulation.world().body(id).inertia().mass)),
            "turned" => return self.turned(name, vector(arguments, 1)?),
            "angle" => {
                let axis = vector(arguments, 1)?.normalize_or_zero();
                let angle = 2.0 * real::atan2(pose.orientation.xyz().dot(axis), pose.orientation.w);
                return Ok(Value::Number(angle - real::TAU * (angle / real::TAU).round()));
            }
            _ => return Err(format!("`{word}` is not known of a body")),
        };
        Ok(Value::Vector(found))
    }

    fn of_run(&mut self, word: &str) -> Result<Value, String> {
        let number = match word {
            "t" => self.simulation.time(),
            "momentum" => return Ok(Value::Vector(self.simulation.momentum().0)),
            "angular_momentum" => return Ok(Value::Vector(self.simulation.momentum().1)),
            "kinetic" => self.simulation.ledger().kinetic,
            "potential" => self.simulation.ledger().potential,
            "energy" => self.simulation.ledger().total(),
            "work" => self.simulation.ledger().work,
            "lost" => self.simulation.ledger().lost(),
            "lost_collisions" => self.simulation.ledger().collisions,
            "lost_friction" => self.simulation.ledger().friction,
            "ledger_error" => self.balance.relative(),
            "stopped" => f64::from(u8::from(self.stop.is_some())),
            "penetration" => self.simulation.deepest_overlap().0,
            "penetration_relative" => self.simulation.deepest_overlap().1,
            "residual" => {
                self.look_at_forces();
                self.tally.largest_residual
            }
            "steps" => self.simulation.statistics().steps as f64,
            "aggregated" => self.simulation.time_steps() as f64,
            "joint_error" => self.joint_error(),
            _ => return Err(format!("`{word}` is not known of a run")),
        };
        Ok(Value::Number(number))
    }

    /// Events of a kind between bodies that are named; the first of them is the one that vectors are on.
    fn of_events(&self, word: &str, arguments: &[Argument]) -> Result<Value, String> {
        if word == "instants" {
            return Ok(Value::Number(self.simulation.collisions().0 as f64));
        }
        let kind = arguments[0].name()?;
        let first_body = if word == "event" { 2 } else { 1 };
        let mut bodies = Vec::new();
        for argument in arguments.iter().skip(first_body) {
            bodies.push(self.body(argument.name()?)?);
        }
        let fits = |event: &&Event| {
            event.kind.name() == kind && bodies.iter().all(|body| event.bodies.contains(body))
        };
        let found: Vec<&Event> = self.simulation.events().iter().filter(fits).collect();
        if word == "count" {
            return Ok(Value::Number(found.len() as f64));
        }
        let number = arguments.get(1).ok_or("which one?")?.value()?.number()?;
        let place = if number > 0.0 { number - 1.0 } else { found.len() as f64 + number };
        let event = (place >= 0.0).then(|| found.get(place as usize)).flatten();
        let event = event
            .ok_or_else(|| format!("there were {} events `{kind}`, none is number {number}", found.len()))?;
        // On the first body named; on a if none is.
        let sign = if bodies.first().is_some_and(|body| *body == event.bodies[1]) { -1.0 } else { 1.0 };
        let whole = event.impulse * event.normal + event.friction;
        Ok(Value::Parts(vec![
            ("time", Value::Number(event.t)),
            ("approach", Value::Number(event.approach)),
            ("separation", Value::Number(event.separation)),
            ("impulse", Value::Number(event.impulse)),
            ("impulse_vector", Value::Vector(sign * whole)),
            ("friction", Value::Vector(sign * event.friction)),
            ("point", Value::Vector(event.point)),
            ("normal", Value::Vector(sign * event.normal)),
            ("lost", Value::Number(event.lost)),
            ("rounds", Value::Number(f64::from(event.rounds))),
        ]))
    }

    fn of_contacts(&mut self, word: &str, arguments: &[Argument]) -> Result<Value, String> {
        let first = self.body(arguments[0].name()?)?;
        let second = match arguments.get(1) {
            Some(argument) => Some(self.body(argument.name()?)?),
            None => None,
        };
        let side = arguments.get(2).map(|argument| argument.value()?.vector()).transpose()?;
        let centre = self.simulation.pose(first).position;
        let fits = |force: &ContactForce| {
            force.bodies.contains(&first)
                && second.is_none_or(|second| force.bodies.contains(&second))
                && side.is_none_or(|side| (force.point - centre).dot(side) > 0.0)
        };
        let (mut force, mut friction, mut torque) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let (mut normal, mut count) = (0.0, 0);
        for contact in self.simulation.contact_forces().into_iter().filter(fits) {
            let sign = if contact.bodies[0] == first { 1.0 } else { -1.0 };
            let whole = sign * (contact.normal_force * contact.normal + contact.friction);
            force += whole;
            torque += (contact.point - centre).cross(whole);
            friction += sign * contact.friction;
            normal += contact.normal_force;
            count += 1;
        }
        Ok(match word {
            "contact_force" => Value::Vector(force),
            "contact_torque" => Value::Vector(torque),
            "friction_force" => Value::Vector(friction),
            "normal_force" => Value::Number(normal),
            _ => Value::Number(f64::from(count)),
        })
    }

    fn joint_place(&self, name: &str) -> Result<usize, String> {
        let place = self.simulation.world().joints().iter().position(|joint| joint.name() == name);
        place.ok_or_else(|| format!("there is no joint `{name}`"))
    }

    fn of_joint(&mut self, word: &str, name: &str) -> Result<Value, String> {
        let place = self.joint_place(name)?;
        if word == "joint_turn" || word == "joint_slide" {
            let joint = &self.simulation.world().joints()[place];
            let [a, b] = self.sides(joint);
            let axis = if word == "joint_turn" { Axis::TurnZ } else { Axis::Z };
            let value = joint.coordinate(&joint.geometry(&a, &b), axis, &self.turns[place]).value;
            return Ok(Value::Number(value));
        }
        let forces = self.simulation.joint_forces();
        let force = forces.iter().find(|force| force.joint == place);
        let force = force.ok_or_else(|| format!("the joint `{name}` holds nothing that moves"))?;
        Ok(Value::Vector(if word == "joint_force" { force.force } else { force.torque }))
    }

    fn sides(&self, joint: &FittedJoint) -> [Kinematics; 2] {
        joint.bodies().map(|id| {
            let pose = id.map_or(Pose::IDENTITY, |id| self.simulation.pose(id));
            let twist = id.map_or(Twist::ZERO, |id| self.simulation.twist(id));
            Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
        })
    }

    /// Counts the turns of all joints.
    pub(super) fn count_turns(&mut self) {
        for place in 0..self.turns.len() {
            let joint = &self.simulation.world().joints()[place];
            let [a, b] = self.sides(joint);
            self.turns[place] = joint.remember(&joint.geometry(&a, &b), &self.turns[place]);
        }
    }

    /// How far joints are off now, by the longest arm.
    pub(crate) fn joint_error(&self) -> f64 {
        let world = self.simulation.world();
        if world.joints().is_empty() {
            return 0.0;
        }
        let mut system = JointSystem::whole(world);
        let kinematics = |id| Kinematics {
            pose: self.simulation.pose(id),
            twist: self.simulation.twist(id),
            acceleration: DVec3::ZERO,
            spin_rate: DVec3::ZERO,
        };
        system.evaluate(world, kinematics, self.simulation.time(), &self.turns);
        let mut largest = 0.0_f64;
        for equation in system.equations().iter().filter(|equation| equation.law == Law::Equal) {
            let size = if equation.is_angular { 1.0 } else { system.length() };
            let off = equation.jet.value.abs() / size;
            // A number that is not finite must show, where `max` would drop it.
            largest = if off.is_nan() { off } else { largest.max(off) };
        }
        largest
    }

    fn of_particle(&self, word: &str, arguments: &[Argument]) -> Result<Value, String> {
        let (name, index) = (arguments[0].name()?, arguments[1].value()?.number()?);
        let world = self.simulation.world();
        let id = world.set_ids().find(|id| world.set(*id).name() == name);
        let (positions, velocities) =
            self.simulation.particles(id.ok_or_else(|| format!("there is no set of particles `{name}`"))?);
        let all = if word == "particle" { positions } else { velocities };
        let found = (index >= 0.0).then(|| all.get(index as usize)).flatten();
        found.map(|v| Value::Vector(*v)).ok_or_else(|| format!("`{name}` has no particle {index}"))
    }
}
