//! All joints of an island at once: their equations, and the forces that keep them.

use super::factor::{BlockShape, Factor, Mobility, Nearest, Pivoting, Solution, WIDEST};
use crate::body::{Kinematics, Load};
use crate::joint::{CoupledEquation, Equation, Geometry, Law, STILL, Turns};
use crate::math::DVec3;
use crate::math::Row;
use crate::world::{BodyId, Conflict, World};

/// Which right side the forces of a system are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Impulse-like changes of the poses that take the values to zero, to first order.
    Position,
    /// Impulses that take the rates to zero.
    Velocity,
    /// Forces that take the second derivatives to zero.
    Acceleration,
}

/// One row of the system: an equation of a joint, or a coupling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Of a joint, by its place in the system's list and that of the equation among those of the joint.
    Joint {
        /// Place of the joint.
        joint: usize,
        /// Place of the equation.
        equation: usize,
    },
    /// Of a coupling, by its place in the system's list.
    Coupling(usize),
}

/// A block of the factor: rows that stand together, and the sides on which they act.
#[derive(Debug, Clone)]
struct Block {
    first: usize,
    rows: usize,
    /// 0 and 1: a and b of the joint, or of the first joint of a coupling; 2 and 3: of its second joint.
    sides: Vec<usize>,
}

/// The joints and couplings of an island, with all buffers.
#[derive(Debug, Clone)]
pub struct JointSystem {
    joints: Vec<usize>,
    couplings: Vec<usize>,
    /// Where the equations of each joint begin, and their end.
    starts: Vec<usize>,
    /// All equations of all joints at the last instant.
    equations: Vec<Equation>,
    coupled: Vec<CoupledEquation>,
    frames: Vec<Geometry>,
    /// Which equations take part besides equalities.
    active: Vec<bool>,
    lines: Vec<Line>,
    blocks: Vec<Block>,
    /// Bodies that can move; places in this list are those of the factor.
    bodies: Vec<BodyId>,
    factor: Factor,
    /// The length by which angular rows are made comparable with linear ones, m.
    length: f64,
    right: Vec<f64>,
    /// The forces of the last solution, one a line, N or N·m.
    forces: Vec<f64>,
}

impl JointSystem {
    /// Of all joints and couplings of a world.
    pub fn whole(world: &World) -> Self {
        let joints = (0..world.joints().len()).collect();
        Self::new(world, joints, (0..world.couplings().len()).collect())
    }

    /// Of some joints and couplings of a world, by their places there, ascending; a coupling of joints that are not among
    /// them is left out. Equalities take part, and nothing else until it is made active.
    pub fn new(world: &World, joints: Vec<usize>, mut couplings: Vec<usize>) -> Self {
        let has = |joint: &usize| joints.binary_search(joint).is_ok();
        couplings.retain(|place| world.couplings()[*place].joints.iter().all(has));
        let mut equations = Vec::new();
        let mut starts = vec![0];
        for place in &joints {
            world.joints()[*place].equations((&STILL, &STILL), 0.0, &Turns::default(), &mut equations);
            starts.push(equations.len());
        }
        let active = vec![false; equations.len()];
        let mut bodies: Vec<BodyId> =
            joints.iter().flat_map(|place| world.joints()[*place].bodies()).flatten().collect();
        bodies.retain(|id| world.body(*id).is_dynamic());
        bodies.sort_unstable();
        bodies.dedup();
        let arm = |place: &usize| {
            let joint = &world.joints()[*place];
            let movable = |k: usize| joint.bodies()[k].is_some_and(|id| world.body(id).is_dynamic());
            let arms = (0..2).filter(|k| movable(*k)).map(|k| joint.frames()[k].position.length());
            arms.fold(joint.length(), f64::max)
        };
        let length = joints.iter().map(arm).fold(0.0, f64::max);
        let mut system = Self {
            starts,
            equations,
            coupled: Vec::new(),
            frames: Vec::new(),
            active,
            lines: Vec::new(),
            blocks: Vec::new(),
            bodies,
            factor: Factor::new(0, &[]),
            length: if length > 0.0 { length } else { 1.0 },
            right: Vec::new(),
            forces: Vec::new(),
            joints,
            couplings,
        };
        system.build(world);
        system
    }

    /// Says which equations take part besides equalities: one flag for each of [`JointSystem::equations`].
    pub fn set_active(&mut self, world: &World, active: &[bool]) {
        self.active.copy_from_slice(active);
        self.build(world);
    }

    /// Lines, blocks and the structure of the factor.
    fn build(&mut self, world: &World) {
        self.lines.clear();
        self.blocks.clear();
        let mut shapes = Vec::new();
        let slot = |id: Option<BodyId>| id.and_then(|id| self.bodies.binary_search(&id).ok());
        for (joint, place) in self.joints.iter().enumerate() {
            let range = self.starts[joint]..self.starts[joint + 1];
            let taking = range.filter(|e| self.active[*e] || self.equations[*e].law.is_always_kept());
            let first = self.lines.len();
            self.lines.extend(taking.map(|e| Line::Joint { joint, equation: e - self.starts[joint] }));
            let slots = world.joints()[*place].bodies().map(slot);
            let sides: Vec<usize> = (0..2).filter(|k| slots[*k].is_some()).collect();
            let bodies: Vec<usize> = slots.into_iter().flatten().collect();
            let mut at = first;
            while at < self.lines.len() {
                let rows = (self.lines.len() - at).min(WIDEST);
                self.blocks.push(Block { first: at, rows, sides: sides.clone() });
                shapes.push(BlockShape { rows, bodies: bodies.clone() });
                at += rows;
            }
        }
        for (k, place) in self.couplings.iter().enumerate() {
            let coupling = &world.couplings()[*place];
            let slots: Vec<Option<usize>> =
                coupling.joints.iter().flat_map(|j| world.joints()[*j].bodies().map(slot)).collect();
            let sides = (0..4).filter(|s| slots[*s].is_some()).collect();
            self.blocks.push(Block { first: self.lines.len(), rows: 1, sides });
            shapes.push(BlockShape { rows: 1, bodies: slots.into_iter().flatten().collect() });
            self.lines.push(Line::Coupling(k));
        }
        self.factor = Factor::new(self.bodies.len(), &shapes);
        self.factor.set_nearest(match world.conflict() {
            Conflict::LeastAbsolute => Nearest::Absolute,
            Conflict::Refuse | Conflict::LeastSquares => Nearest::Squares,
        });
        self.right = vec![0.0; self.lines.len()];
        self.forces = vec![0.0; self.lines.len()];
    }

    /// Brings all equations up to date: `kinematics` of each body with its acceleration without constraint forces, and the
    /// turns of each joint of the world.
    pub fn evaluate(
        &mut self,
        world: &World,
        kinematics: impl Fn(BodyId) -> Kinematics,
        t: f64,
        turns: &[Turns],
    ) {
        self.equations.clear();
        self.frames.clear();
        for place in &self.joints {
            let joint = &world.joints()[*place];
            let [a, b] = joint.bodies().map(|id| id.map_or(STILL, &kinematics));
            let frame = joint.geometry(&a, &b);
            joint.equations_of(&frame, (&a, &b), t, &turns[*place], &mut self.equations);
            self.frames.push(frame);
        }
        self.coupled.clear();
        for place in &self.couplings {
            let coupling = &world.couplings()[*place];
            // Couplings of other joints were left out.
            let frames = coupling.joints.map(|joint| {
                let at = self.joints.partition_point(|own| *own < joint);
                (&self.frames[at], &turns[joint])
            });
            self.coupled.push(coupling.equation(world.joints(), frames));
        }
    }

    /// Factors the system in the configuration last evaluated.
    pub fn factor(&mut self, mobility: impl Fn(BodyId) -> Mobility, pivoting: Pivoting) {
        let mut factor = std::mem::replace(&mut self.factor, Factor::new(0, &[]));
        factor.set_pivoting(pivoting);
        factor.factor(
            |slot| mobility(self.bodies[slot]),
            |block, side, part| {
                let block = &self.blocks[block];
                for r in 0..block.rows {
                    let line = self.lines[block.first + r];
                    let (linear, angular) = self.half(line, block.sides[side]);
                    let weight = self.weight(line);
                    let (f, m) = (weight * linear, weight * angular);
                    part[r] = [f.x, f.y, f.z, m.x, m.y, m.z];
                }
            },
        );
        self.factor = factor;
    }

    /// The forces, one for each line, that take values, rates or second derivatives to zero.
    pub fn solve(&mut self, level: Level) -> Solution {
        let mut right = std::mem::take(&mut self.right);
        for (line, b) in self.lines.iter().zip(&mut right) {
            *b = -self.weight(*line) * self.left(*line, level);
        }
        let solution = self.factor.solve(&right, &mut self.forces);
        for i in 0..self.lines.len() {
            self.forces[i] *= self.weight(self.lines[i]);
        }
        self.right = right;
        solution
    }

    /// The forces, one for each line, that keep a motion of the bodies (velocity and spin of each, by its place in
    /// [`JointSystem::bodies`]) from changing the values; of the configuration last factored.
    pub fn cancel(&mut self, motion: impl Fn(usize) -> (DVec3, DVec3)) -> Solution {
        self.cancel_by(motion, Factor::solve)
    }

    /// As [`JointSystem::cancel`], to eleven digits: for how contacts yield, whose forces the joints answer in full.
    pub fn cancel_roughly(&mut self, motion: impl Fn(usize) -> (DVec3, DVec3)) -> Solution {
        self.cancel_by(motion, Factor::solve_roughly)
    }

    fn cancel_by(
        &mut self,
        motion: impl Fn(usize) -> (DVec3, DVec3),
        solve: impl Fn(&mut Factor, &[f64], &mut [f64]) -> Solution,
    ) -> Solution {
        let mut right = std::mem::take(&mut self.right);
        for (block, slots) in self.blocks.iter().zip(self.factor.block_bodies()) {
            // Most bodies do not move where one is pushed.
            if slots.iter().all(|slot| motion(*slot) == (DVec3::ZERO, DVec3::ZERO)) {
                right[block.first..block.first + block.rows].fill(0.0);
                continue;
            }
            for (r, b) in right.iter_mut().enumerate().skip(block.first).take(block.rows) {
                let line = self.lines[r];
                let mut rate = 0.0;
                for (side, slot) in block.sides.iter().zip(slots) {
                    let ((linear, angular), (velocity, spin)) = (self.half(line, *side), motion(*slot));
                    rate += linear.dot(velocity) + angular.dot(spin);
                }
                *b = -self.weight(line) * rate;
            }
        }
        let solution = solve(&mut self.factor, &right, &mut self.forces);
        for i in 0..self.lines.len() {
            self.forces[i] *= self.weight(self.lines[i]);
        }
        self.right = right;
        solution
    }

    /// Adds forces, one for each line, to those of the last solution.
    pub fn add_forces(&mut self, others: &[f64]) {
        for (force, other) in self.forces.iter_mut().zip(others) {
            *force += other;
        }
    }

    /// What a line has left of its equation: value, rate or second derivative.
    pub fn left(&self, line: Line, level: Level) -> f64 {
        let (value, rate, curvature) = match line {
            Line::Joint { joint, equation } => {
                let jet = &self.equations[self.starts[joint] + equation].jet;
                (jet.value, jet.rate, jet.curvature)
            }
            Line::Coupling(k) => {
                let coupled = &self.coupled[k];
                (coupled.value, coupled.rate, coupled.curvature)
            }
        };
        match level {
            // What is only driven has no value to keep.
            Level::Position if self.is_driven(line) => 0.0,
            Level::Position => value,
            Level::Velocity => rate,
            Level::Acceleration => curvature,
        }
    }

    /// The load of all forces of the last solution on each body that can move, in the order of [`JointSystem::bodies`].
    pub fn loads(&self, mut add: impl FnMut(usize, Load)) {
        for (block, slots) in self.blocks.iter().zip(self.factor.block_bodies()) {
            for (side, slot) in block.sides.iter().zip(slots) {
                let mut load = Load::default();
                for r in block.first..block.first + block.rows {
                    let (linear, angular) = self.half(self.lines[r], *side);
                    load.force += self.forces[r] * linear;
                    load.torque += self.forces[r] * angular;
                }
                add(*slot, load);
            }
        }
    }

    fn is_driven(&self, line: Line) -> bool {
        match line {
            Line::Joint { joint, equation } => {
                let law = self.equations[self.starts[joint] + equation].law;
                matches!(law, Law::Driven { .. } | Law::Friction(_))
            }
            Line::Coupling(_) => false,
        }
    }

    fn is_angular_line(&self, line: Line) -> bool {
        match line {
            Line::Joint { joint, equation } => self.equations[self.starts[joint] + equation].is_angular,
            Line::Coupling(_) => false,
        }
    }

    fn weight(&self, line: Line) -> f64 {
        if self.is_angular_line(line) { self.length } else { 1.0 }
    }

    /// Of a row, what acts on one of its sides.
    fn half(&self, line: Line, side: usize) -> (DVec3, DVec3) {
        let row: &Row = match line {
            Line::Joint { joint, equation } => &self.equations[self.starts[joint] + equation].jet.row,
            Line::Coupling(k) => &self.coupled[k].rows[side / 2],
        };
        if side.is_multiple_of(2) { (row.linear_a, row.angular_a) } else { (row.linear_b, row.angular_b) }
    }

    /// Without joints.
    pub(super) fn empty() -> Self {
        Self {
            joints: Vec::new(),
            couplings: Vec::new(),
            starts: Vec::new(),
            equations: Vec::new(),
            coupled: Vec::new(),
            frames: Vec::new(),
            active: Vec::new(),
            lines: Vec::new(),
            blocks: Vec::new(),
            bodies: Vec::new(),
            factor: Factor::new(0, &[]),
            length: 1.0,
            right: Vec::new(),
            forces: Vec::new(),
        }
    }

    /// Which equations take part besides equalities.
    pub fn active(&self) -> &[bool] {
        &self.active
    }

    /// What a line is multiplied by to be a length: one, or the longest arm.
    pub fn line_weight(&self, line: Line) -> f64 {
        self.weight(line)
    }

    /// Every line with what it does to each body: its place in [`JointSystem::bodies`], the parts on velocity and on spin.
    pub fn line_halves(&self) -> impl Iterator<Item = (Line, impl Iterator<Item = (usize, DVec3, DVec3)>)> {
        self.blocks.iter().zip(self.factor.block_bodies()).flat_map(move |(block, slots)| {
            (block.first..block.first + block.rows).map(move |r| {
                let line = self.lines[r];
                let halves = block.sides.iter().zip(slots).map(move |(side, slot)| {
                    let (linear, angular) = self.half(line, *side);
                    (*slot, linear, angular)
                });
                (line, halves)
            })
        })
    }

    /// The place of a line among [`JointSystem::equations`]; none for a coupling.
    pub fn equation_of(&self, line: Line) -> Option<usize> {
        match line {
            Line::Joint { joint, equation } => Some(self.starts[joint] + equation),
            Line::Coupling(_) => None,
        }
    }

    /// The joint that an equation belongs to, by its place in the system, and the place of the joint's first equation.
    pub fn joint_of(&self, equation: usize) -> (usize, usize) {
        let joint = self.starts.partition_point(|start| *start <= equation) - 1;
        (joint, self.starts[joint])
    }

    /// What an equation is multiplied by to be a length: one, or the longest arm.
    pub fn equation_weight(&self, equation: usize) -> f64 {
        if self.equations[equation].is_angular { self.length } else { 1.0 }
    }

    /// All equations of all joints, those that take no part among them.
    pub fn equations(&self) -> &[Equation] {
        &self.equations
    }

    /// The equations of one joint, by its place in the system.
    pub fn equations_of(&self, joint: usize) -> &[Equation] {
        &self.equations[self.starts[joint]..self.starts[joint + 1]]
    }

    /// The equations of couplings.
    pub fn coupled(&self) -> &[CoupledEquation] {
        &self.coupled
    }

    /// Places in the world of the joints, in the order of the system.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Places in the world of the couplings, in the order of the system.
    pub fn couplings(&self) -> &[usize] {
        &self.couplings
    }

    /// The rows that take part.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The forces of the last solution, one for each line, N or N·m (or impulses).
    pub fn forces(&self) -> &[f64] {
        &self.forces
    }

    /// The frames of a joint at the last instant, by its place in the system.
    pub fn frame(&self, joint: usize) -> &Geometry {
        &self.frames[joint]
    }

    /// The bodies that can move, ascending.
    pub fn bodies(&self) -> &[BodyId] {
        &self.bodies
    }

    /// The factors, for rank, dependencies and cost.
    pub fn factors(&self) -> &Factor {
        &self.factor
    }

    /// The length by which angular rows are made comparable with linear ones, m: the longest arm of a joint.
    pub fn length(&self) -> f64 {
        self.length
    }
}
