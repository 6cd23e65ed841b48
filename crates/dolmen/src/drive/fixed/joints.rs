//! Joints: equalities solved directly in every sub-step, limits, motors and friction as bounded rows on top of them.
//!
//! All equalities of all joints and couplings are one sparse system [`JointSystem`], in double precision: velocities are taken to it
//! before and after a sub-step moves, positions after it. A bounded row (limit, rope, motor with a largest force, friction) acts
//! through the response of the joints to its impulse, so that equalities stay kept while bounded rows are swept.

use super::bodies::Bodies;
use super::number::{Real, V3};
use super::tolerances::{RETURN, SWEEPS};
use crate::articulation::factor::{Mobility, Pivoting};
use crate::articulation::{JointSystem, Level, Line};
use crate::body::Load;
use crate::joint::{Equation, Law, Turns};
use crate::math::{DMat3, DVec3};
use crate::record::{JointCoordinate, JointForce};
use crate::world::{BodyId, World};

/// A row whose impulse is bounded.
#[derive(Debug, Clone)]
struct Bounded {
    /// Place among all equations, of its joint, and of the joint's first equation.
    equation: usize,
    joint: usize,
    first: usize,
    /// In this sub-step so far.
    lambda: f64,
    /// Of friction and motors, N·s or N·m·s.
    most: f64,
    /// What all bodies of the system get by a unit impulse, and the impulses by which all lines answer it.
    response: Vec<(DVec3, DVec3)>,
    answer: Vec<f64>,
    /// Rate by a unit impulse; zero while it is out of reach.
    mobility: f64,
    /// Rate that it has to have at least, or exactly.
    target: f64,
    /// Its rate before the sub-step.
    rate_minus: f64,
}

/// The joints of a world on their way.
#[derive(Debug, Clone)]
pub(super) struct Joints {
    system: JointSystem,
    pub(super) turns: Vec<Turns>,
    bounded: Vec<Bounded>,
    /// The impulse of every equation in the last sub-step.
    pub(super) impulses: Vec<f64>,
}

fn inv_inertia(world: &World, id: BodyId, q: crate::math::DQuat) -> DMat3 {
    let r = DMat3::from_quat(q);
    r * world.body(id).inertia().inv_inertia_body * r.transpose()
}

impl Joints {
    /// None for a world without joints.
    pub(super) fn new(world: &World) -> Option<Self> {
        if world.joints().is_empty() {
            return None;
        }
        let mut joints = Self {
            system: JointSystem::whole(world),
            turns: vec![Turns::default(); world.joints().len()],
            bounded: Vec::new(),
            impulses: Vec::new(),
        };
        let start = |id: BodyId| crate::body::Kinematics {
            pose: world.body(id).start_pose(),
            twist: world.body(id).start_twist(),
            acceleration: DVec3::ZERO,
            spin_rate: DVec3::ZERO,
        };
        joints.system.evaluate(world, start, 0.0, &joints.turns);
        let equations = joints.system.equations();
        let always: Vec<bool> = equations.iter().map(|equation| equation.law.is_always_kept()).collect();
        for (i, kept) in always.iter().enumerate().filter(|(_, kept)| !**kept) {
            debug_assert!(!kept, "an equality is no bounded row");
            let (joint, first) = joints.system.joint_of(i);
            joints.bounded.push(Bounded {
                equation: i,
                joint,
                first,
                lambda: 0.0,
                most: 0.0,
                response: Vec::new(),
                answer: Vec::new(),
                mobility: 0.0,
                target: 0.0,
                rate_minus: 0.0,
            });
        }
        joints.impulses = vec![0.0; always.len()];
        joints.system.set_active(world, &always);
        joints.remember(world, &start);
        Some(joints)
    }

    fn remember(&mut self, world: &World, kinematics: &impl Fn(BodyId) -> crate::body::Kinematics) {
        for (joint, turns) in world.joints().iter().zip(&mut self.turns) {
            let [a, b] = joint.bodies().map(|id| id.map_or(crate::joint::STILL, kinematics));
            *turns = joint.remember(&joint.geometry(&a, &b), turns);
        }
    }

    fn evaluate<R: Real>(&mut self, world: &World, bodies: &Bodies<R>, t: f64) {
        self.system.evaluate(world, |id| bodies.kinematics(id.index()), t, &self.turns);
    }

    /// Factors the system as the bodies lie; `evaluate` comes before it.
    fn factor<R: Real>(&mut self, world: &World, bodies: &Bodies<R>) {
        let mobility = |id: BodyId| {
            let inertia = world.body(id).inertia();
            let q = bodies.kinematics(id.index()).pose.orientation;
            Mobility { inv_mass: inertia.inv_mass, inv_inertia: inv_inertia(world, id, q) }
        };
        self.system.factor(mobility, Pivoting::PROJECTION);
    }

    /// Before the first sub-step.
    pub(super) fn begin<R: Real>(&mut self, world: &World, bodies: &Bodies<R>, t: f64) {
        self.evaluate(world, bodies, t);
        self.factor(world, bodies);
    }

    /// Takes velocities to the joints; `is_first` before a sub-step has moved.
    pub(super) fn solve_velocities<R: Real>(
        &mut self,
        world: &World,
        bodies: &mut Bodies<R>,
        (t, h): (f64, f64),
        is_first: bool,
    ) {
        self.evaluate(world, bodies, t);
        let rates: Vec<f64> = self.system.equations().iter().map(|equation| equation.jet.rate).collect();
        self.system.solve(Level::Velocity);
        if is_first {
            self.impulses.fill(0.0);
            self.prepare_bounded(world, &rates, h);
        }
        for (line, impulse) in self.system.lines().iter().zip(self.system.forces()) {
            if let Some(equation) = self.system.equation_of(*line) {
                self.impulses[equation] += impulse;
            }
        }
        let ids = self.system.bodies().to_vec();
        let mut loads = vec![Load::default(); ids.len()];
        self.system.loads(|slot, load| {
            loads[slot].force += load.force;
            loads[slot].torque += load.torque;
        });
        for (id, load) in ids.iter().zip(&loads) {
            push(world, bodies, *id, load);
        }
        self.solve_bounded(world, bodies, &ids, t);
    }

    /// Which bounded rows take part in this sub-step, with which bounds.
    fn prepare_bounded(&mut self, world: &World, rates: &[f64], h: f64) {
        for row in &mut self.bounded {
            let equation = &self.system.equations()[row.equation];
            row.lambda = 0.0;
            row.rate_minus = rates[row.equation];
            row.mobility = 0.0;
            row.most = match equation.law {
                Law::Driven { largest } => largest * h,
                Law::Friction(friction) => {
                    let joint = &world.joints()[self.system.joints()[row.joint]];
                    let mut forces = vec![0.0; self.system.equations_of(row.joint).len()];
                    for (line, force) in self.system.lines().iter().zip(self.system.forces()) {
                        if let Line::Joint { joint, equation } = line
                            && *joint == row.joint
                        {
                            forces[*equation] = *force / h;
                        }
                    }
                    let frame = self.system.frame(row.joint);
                    let reaction = joint.reaction(frame, self.system.equations_of(row.joint), &forces);
                    equation
                        .axis
                        .map_or(0.0, |axis| h * joint.friction_limit(frame, axis, &friction, &reaction))
                }
                Law::AtLeast { .. } | Law::Equal => f64::INFINITY,
            };
            row.target = match equation.law {
                Law::AtLeast { restitution } => {
                    let value = equation.jet.value;
                    let rebound = if value <= 0.0 && row.rate_minus < 0.0 {
                        -restitution * row.rate_minus
                    } else {
                        0.0
                    };
                    if value > 0.0 { -value / h } else { (-RETURN * value / h).max(rebound) }
                }
                _ => 0.0,
            };
        }
    }

    fn solve_bounded<R: Real>(&mut self, world: &World, bodies: &mut Bodies<R>, ids: &[BodyId], t: f64) {
        if self.bounded.is_empty() {
            return;
        }
        self.evaluate(world, bodies, t);
        let mut bounded = std::mem::take(&mut self.bounded);
        let mut now: Vec<f64> =
            bounded.iter().map(|row| self.system.equations()[row.equation].jet.rate).collect();
        for (row, rate) in bounded.iter_mut().zip(&now) {
            let equation = self.system.equations()[row.equation];
            let is_near = match equation.law {
                Law::AtLeast { .. } => *rate < row.target || row.lambda > 0.0,
                _ => true,
            };
            if !is_near {
                row.mobility = 0.0;
                continue;
            }
            self.respond(world, bodies, ids, row, &equation);
        }
        let mut gained = vec![(DVec3::ZERO, DVec3::ZERO); ids.len()];
        for _ in 0..SWEEPS {
            for k in 0..bounded.len() {
                if bounded[k].mobility <= 0.0 {
                    continue;
                }
                let row = &mut bounded[k];
                let equation = &self.system.equations()[row.equation];
                let wanted = row.lambda - (now[k] - row.target) / row.mobility;
                let new = match equation.law {
                    Law::AtLeast { .. } => wanted.max(0.0),
                    _ => wanted.clamp(-row.most, row.most),
                };
                let change = new - row.lambda;
                row.lambda = new;
                self.impulses[row.equation] += change;
                for (line, answer) in self.system.lines().iter().zip(&row.answer) {
                    if let Some(equation) = self.system.equation_of(*line) {
                        self.impulses[equation] += change * answer;
                    }
                }
                for (sum, response) in gained.iter_mut().zip(&row.response) {
                    sum.0 += change * response.0;
                    sum.1 += change * response.1;
                }
                let response = std::mem::take(&mut bounded[k].response);
                for (other, rate) in bounded.iter().zip(&mut now) {
                    *rate += change * self.rate_of(world, ids, other, &response);
                }
                bounded[k].response = response;
            }
        }
        for (id, (dv, dw)) in ids.iter().zip(&gained) {
            let record = &mut bodies.record[id.index()];
            let (v, w) = (record.velocity() + V3::of(*dv), record.spin() + V3::of(*dw));
            record.set_twist(v, w);
        }
        self.bounded = bounded;
    }

    /// The rate of a row in a motion of the bodies of the system.
    fn rate_of(&self, world: &World, ids: &[BodyId], row: &Bounded, motion: &[(DVec3, DVec3)]) -> f64 {
        let jet = &self.system.equations()[row.equation].jet;
        let joint = &world.joints()[self.system.joints()[row.joint]];
        let mut rate = 0.0;
        for (side, id) in joint.bodies().into_iter().enumerate() {
            let Some(place) = id.and_then(|id| ids.binary_search(&id).ok()) else { continue };
            let (linear, angular) = jet.row.side(side);
            rate += linear.dot(motion[place].0) + angular.dot(motion[place].1);
        }
        rate
    }

    /// What a unit impulse of a row does to all bodies, through the joints.
    fn respond<R: Real>(
        &mut self,
        world: &World,
        bodies: &Bodies<R>,
        ids: &[BodyId],
        row: &mut Bounded,
        equation: &Equation,
    ) {
        debug_assert!(row.first <= row.equation, "an equation before its joint");
        let joint = &world.joints()[self.system.joints()[row.joint]];
        let mut motion = vec![(DVec3::ZERO, DVec3::ZERO); ids.len()];
        let yields = |id: BodyId, load: &Load| {
            let q = bodies.kinematics(id.index()).pose.orientation;
            (world.body(id).inertia().inv_mass * load.force, inv_inertia(world, id, q) * load.torque)
        };
        for (id, load) in joint.bodies().into_iter().zip(equation.loads(1.0)) {
            if let Some(id) = id
                && let Ok(place) = ids.binary_search(&id)
            {
                motion[place] = yields(id, &load);
            }
        }
        self.system.cancel(|slot| motion[slot]);
        let mut loads = vec![Load::default(); ids.len()];
        self.system.loads(|slot, load| {
            loads[slot].force += load.force;
            loads[slot].torque += load.torque;
        });
        for ((id, load), motion) in ids.iter().zip(&loads).zip(&mut motion) {
            let (dv, dw) = yields(*id, load);
            motion.0 += dv;
            motion.1 += dw;
        }
        row.mobility = self.rate_of(world, ids, row, &motion);
        row.response = motion;
        row.answer.clear();
        row.answer.extend_from_slice(self.system.forces());
    }

    /// Takes positions to the joints after a sub-step has moved; the largest error that was left before it, m or rad.
    pub(super) fn solve_positions<R: Real>(&mut self, world: &World, bodies: &mut Bodies<R>, t: f64) -> f64 {
        let mut worst = 0.0;
        // Once to first order, and once more where the first left much: a chain that whips.
        for round in 0..2 {
            self.evaluate(world, bodies, t);
            let left = |line: &Line| self.system.left(*line, Level::Position).abs();
            let error = self.system.lines().iter().map(left).fold(0.0, f64::max);
            worst = error;
            if round == 1 && error < 1e-6 {
                break;
            }
            self.factor(world, bodies);
            self.system.solve(Level::Position);
            let ids = self.system.bodies().to_vec();
            let mut loads = vec![Load::default(); ids.len()];
            self.system.loads(|slot, load| {
                loads[slot].force += load.force;
                loads[slot].torque += load.torque;
            });
            for (id, load) in ids.iter().zip(&loads) {
                let q = bodies.kinematics(id.index()).pose.orientation;
                let dx = world.body(*id).inertia().inv_mass * load.force;
                let turn = inv_inertia(world, *id, q) * load.torque;
                bodies.nudge(id.index(), dx, turn);
            }
        }
        self.remember(world, &|id: BodyId| bodies.kinematics(id.index()));
        worst
    }

    /// The mean force and torque of every joint over the last sub-step h, as last evaluated.
    pub(super) fn forces<R: Real>(&self, world: &World, bodies: &Bodies<R>, h: f64) -> Vec<JointForce> {
        let forces: Vec<f64> = self.impulses.iter().map(|impulse| impulse / h).collect();
        let is_unique = self.system.factors().redundant() == 0;
        let mut start = 0;
        let mut found = Vec::with_capacity(self.system.joints().len());
        for (i, place) in self.system.joints().iter().enumerate() {
            let joint = &world.joints()[*place];
            let (frame, equations) = (self.system.frame(i), self.system.equations_of(i));
            let reaction = joint.reaction(frame, equations, &forces[start..]);
            start += equations.len();
            let point = joint.bodies()[0].map_or(DVec3::ZERO, |id| bodies.position[id.index()]);
            found.push(JointForce {
                joint: *place,
                point: point + frame.arms()[0],
                force: reaction.force,
                torque: reaction.torque,
                is_unique,
            });
        }
        found.sort_by_key(|force| force.joint);
        found
    }

    /// The coordinates of every joint at `t` as the bodies lie. Motors and motions are those of the last sub-step `h`, zero before the
    /// first.
    pub(super) fn coordinates<R: Real>(
        &self,
        world: &World,
        bodies: &Bodies<R>,
        (t, h): (f64, f64),
    ) -> Vec<JointCoordinate> {
        let force = |impulse: &f64| if h > 0.0 { impulse / h } else { 0.0 };
        let forces: Vec<f64> = self.impulses.iter().map(force).collect();
        let mut start = 0;
        let mut found = Vec::new();
        for (i, place) in self.system.joints().iter().enumerate() {
            let joint = &world.joints()[*place];
            let end = start + self.system.equations_of(i).len();
            let still = crate::joint::STILL;
            let [a, b] = joint.bodies().map(|id| id.map_or(still, |id| bodies.kinematics(id.index())));
            let frame = joint.geometry(&a, &b);
            found.extend(JointCoordinate::all(
                *place,
                joint,
                &frame,
                (t, &self.turns[*place]),
                &forces[start..end],
            ));
            start = end;
        }
        found.sort_by_key(|coordinate| coordinate.joint);
        found
    }

    /// The largest error of an equality as the bodies lie, m or rad.
    pub(super) fn error<R: Real>(&mut self, world: &World, bodies: &Bodies<R>, t: f64) -> f64 {
        self.evaluate(world, bodies, t);
        let left = |line: &Line| self.system.left(*line, Level::Position).abs();
        let equalities = self.system.lines().iter().map(left).fold(0.0, f64::max);
        let equations = self.system.equations();
        self.bounded.iter().fold(equalities, |worst: f64, row| match equations[row.equation].law {
            Law::AtLeast { .. } => worst.max(-equations[row.equation].jet.value),
            _ => worst,
        })
    }
}

fn push<R: Real>(world: &World, bodies: &mut Bodies<R>, id: BodyId, load: &Load) {
    let q = bodies.kinematics(id.index()).pose.orientation;
    let dv = world.body(id).inertia().inv_mass * load.force;
    let dw = inv_inertia(world, id, q) * load.torque;
    let record = &mut bodies.record[id.index()];
    let (v, w) = (record.velocity() + V3::of(dv), record.spin() + V3::of(dw));
    record.set_twist(v, w);
}
