//! Assembly, the projection of bodies onto their joints: poses and velocities at the start that are only roughly right.
//!
//! Gauss–Newton in the metric of the masses: the change δ of least ½ δᵀ M δ with g + J δ = 0, again and again. Limits and
//! ropes that are overstepped take part. Then velocities: the least change with ġ = 0. Where joints contradict each other no
//! δ does; the steps end where |g| is least, and the joints that still miss are those in conflict. [PAPER, app. on infeasible
//! systems]

mod absolute;
mod report;

pub use report::{AssemblyError, AssemblyReport, Miss};

use super::factor::{Mobility, Pivoting};
use super::{JointSystem, Level, Line};
use crate::body::{Inertia, Kinematics};
use crate::joint::{Equation, Law, STILL, Turns};
use crate::math::{DMat3, DQuat, DVec3, Pose, Twist};
use crate::world::{Body, BodyId, Conflict, World};

/// How far and how well to assemble.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssemblySettings {
    /// The most by which a joint may be off at first, of the longest arm of a joint; beyond it the start is a mistake.
    pub largest: f64,
    /// How well joints are satisfied in the end, of the longest arm.
    pub tolerance: f64,
    /// What to do with joints that cannot all be satisfied.
    pub conflict: Conflict,
}

impl Default for AssemblySettings {
    fn default() -> Self {
        Self { largest: 0.1, tolerance: 1e-13, conflict: Conflict::Refuse }
    }
}

/// Steps of Gauss–Newton; where joints can be satisfied, each doubles the digits.
const STEPS: usize = 60;

/// The largest turn of a body in one step, rad: beyond it the linear picture is wrong.
const LARGEST_TURN: f64 = 0.3;

/// A step that gains less than this share of what is left gains nothing: the least there is has been reached.
const STALLED: f64 = 1e-3;

/// What may be left where the steps stall without an error: rounding of a mechanism far from the origin.
const ROUNDING: f64 = 1e-11;

/// Velocities that contradict each other by this share of the fastest are those of numbers typed with eight digits.
const TYPED_DIGITS: f64 = 1e-8;

/// Solves for velocities, each for what the last one left.
const REFINEMENTS: usize = 3;

/// Poses and twists of all bodies on their joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembly {
    /// By body.
    pub poses: Vec<Pose>,
    /// By body.
    pub twists: Vec<Twist>,
    /// What it took.
    pub report: AssemblyReport,
}

/// Projects the bodies of a world onto its joints, from their state at the start.
///
/// # Errors
/// When a joint is further off than allowed, or joints cannot all be satisfied.
pub fn assemble(world: &World, settings: &AssemblySettings) -> Result<Assembly, AssemblyError> {
    let mut work = Assembler::new(world, settings);
    work.check_distance()?;
    work.place()?;
    work.move_on()?;
    Ok(work.finish())
}

impl World {
    /// Projects the bodies onto the joints: changes their state at the start as little as it takes. What the settings say of joints that
    /// contradict each other holds for the run as well.
    ///
    /// # Errors
    /// When a joint is too far off, or joints contradict each other.
    pub fn assemble(&mut self, settings: &AssemblySettings) -> Result<AssemblyReport, AssemblyError> {
        self.set_conflict(settings.conflict);
        let assembly = assemble(self, settings)?;
        self.restart(assembly.poses.into_iter().zip(assembly.twists));
        if !assembly.report.left.is_empty() {
            self.put_up_with_misses();
        }
        Ok(assembly.report)
    }
}

/// The state of an assembly.
struct Assembler<'a> {
    world: &'a World,
    settings: &'a AssemblySettings,
    system: JointSystem,
    poses: Vec<Pose>,
    twists: Vec<Twist>,
    turns: Vec<Turns>,
    report: AssemblyReport,
}

fn mobility(inertia: &Inertia, pose: &Pose) -> Mobility {
    let r = DMat3::from_quat(pose.orientation);
    Mobility { inv_mass: inertia.inv_mass, inv_inertia: r * inertia.inv_inertia_body * r.transpose() }
}

impl<'a> Assembler<'a> {
    fn new(world: &'a World, settings: &'a AssemblySettings) -> Self {
        let bodies = world.bodies();
        let poses = bodies.iter().map(Body::start_pose).collect();
        let twists = bodies.iter().map(Body::start_twist).collect();
        let turns = (0..world.joints().len()).map(|place| world.joint_at_start(place).1).collect();
        let system = JointSystem::whole(world);
        let report = AssemblyReport {
            first: Vec::new(),
            steps: 0,
            moved: 0.0,
            redundant: Vec::new(),
            left: Vec::new(),
        };
        let mut work = Self { world, settings, system, poses, twists, turns, report };
        work.evaluate();
        work.report.first = work.misses(Level::Position, settings.tolerance);
        work
    }

    fn kinematics(&self, id: BodyId) -> Kinematics {
        let i = id.index();
        Kinematics { pose: self.poses[i], twist: self.twists[i], ..STILL }
    }

    fn evaluate(&mut self) {
        let mut system = std::mem::replace(&mut self.system, JointSystem::empty());
        system.evaluate(self.world, |id| self.kinematics(id), 0.0, &self.turns);
        self.system = system;
    }

    /// Inequalities that are overstepped take part, at the level of positions.
    fn choose_active(&mut self) {
        let overstepped = |e: &Equation| matches!(e.law, Law::AtLeast { .. }) && e.jet.value < 0.0;
        let active: Vec<bool> = self.system.equations().iter().map(overstepped).collect();
        if active != self.system.active() {
            self.system.set_active(self.world, &active);
        }
    }

    fn factor(&mut self) {
        let mut system = std::mem::replace(&mut self.system, JointSystem::empty());
        let yields = |id: BodyId| mobility(self.world.body(id).inertia(), &self.poses[id.index()]);
        system.factor(yields, Pivoting::FORCES);
        self.system = system;
    }

    /// What a line misses, as a length.
    fn miss(&self, line: Line, level: Level) -> f64 {
        self.system.left(line, level).abs() * self.system.line_weight(line)
    }

    /// The joints that miss by more than a share of the longest arm, the worst first.
    fn misses(&self, level: Level, share: f64) -> Vec<Miss> {
        let mut found: Vec<Miss> = Vec::new();
        for line in self.system.lines() {
            let distance = self.miss(*line, level);
            let name = self.name(*line);
            if !(distance > share * self.system.length() || distance.is_nan()) {
                continue;
            }
            match found.iter_mut().find(|miss| miss.joint == name) {
                Some(miss) => miss.distance = miss.distance.max(distance),
                None => found.push(Miss { joint: name, distance }),
            }
        }
        found.sort_by(|p, q| q.distance.total_cmp(&p.distance).then(p.joint.cmp(&q.joint)));
        found
    }

    fn name(&self, line: Line) -> String {
        match line {
            Line::Joint { joint, .. } => self.world.joints()[self.system.joints()[joint]].name().to_owned(),
            Line::Coupling(k) => self.world.couplings()[self.system.couplings()[k]].coupling.name.clone(),
        }
    }

    fn check_distance(&self) -> Result<(), AssemblyError> {
        let allowed = self.settings.largest * self.system.length();
        let far = self.misses(Level::Position, self.settings.largest);
        if let Some(worst) = far.first() {
            let (joint, distance) = (worst.joint.clone(), worst.distance);
            return Err(AssemblyError::Apart { joint, distance, allowed, others: far.len() - 1 });
        }
        let beyond = self.oversteps(allowed);
        if let Some(worst) = beyond.first() {
            let (joint, distance) = (worst.joint.clone(), worst.distance);
            return Err(AssemblyError::Beyond { joint, distance, allowed, others: beyond.len() - 1 });
        }
        for place in 0..self.world.joints().len() {
            let joint = &self.world.joints()[place];
            if !joint.is_upright(&self.world.joint_at_start(place).0) {
                return Err(AssemblyError::UpsideDown { joint: joint.name().to_owned() });
            }
        }
        Ok(())
    }

    /// The joints that are beyond a limit, or longer than their rope, by more than a length, the worst first.
    fn oversteps(&self, allowed: f64) -> Vec<Miss> {
        let mut found: Vec<Miss> = Vec::new();
        for (i, place) in self.system.joints().iter().enumerate() {
            let size = |angular: bool| if angular { self.system.length() } else { 1.0 };
            let equations = self.system.equations_of(i).iter();
            let limits = equations.filter(|equation| matches!(equation.law, Law::AtLeast { .. }));
            let distance = limits.map(|e| -e.jet.value * size(e.is_angular)).fold(0.0, f64::max);
            if distance > allowed {
                found.push(Miss { joint: self.world.joints()[*place].name().to_owned(), distance });
            }
        }
        found.sort_by(|p, q| q.distance.total_cmp(&p.distance).then(p.joint.cmp(&q.joint)));
        found
    }

    fn worst(&self, level: Level) -> f64 {
        let misses = self.system.lines().iter().map(|line| self.miss(*line, level));
        misses.fold(0.0, |most, miss| if miss.is_nan() { f64::INFINITY } else { most.max(miss) })
    }

    fn place(&mut self) -> Result<(), AssemblyError> {
        let goal = self.settings.tolerance * self.system.length();
        let mut before = f64::INFINITY;
        for step in 0..STEPS {
            self.evaluate();
            self.choose_active();
            let worst = self.worst(Level::Position);
            self.factor();
            if worst <= goal || worst > before * (1.0 - STALLED) {
                break;
            }
            before = worst;
            self.system.solve(Level::Position);
            let shifts = self.shifts();
            self.shift(&shifts);
            self.report.steps = step + 1;
        }
        self.report_redundant();
        let left = self.misses(Level::Position, ROUNDING);
        if left.is_empty() {
            return Ok(());
        }
        match self.settings.conflict {
            Conflict::Refuse => return Err(AssemblyError::Conflict { joints: left }),
            Conflict::LeastSquares => {}
            Conflict::LeastAbsolute => self.least_absolute()?,
        }
        self.report.left = self.misses(Level::Position, ROUNDING);
        Ok(())
    }

    /// M⁻¹ Jᵀ λ of the last solution, by body of the system.
    fn shifts(&self) -> Vec<(DVec3, DVec3)> {
        let mut shifts = vec![(DVec3::ZERO, DVec3::ZERO); self.system.bodies().len()];
        self.system.loads(|slot, load| {
            let id = self.system.bodies()[slot];
            let yields = mobility(self.world.body(id).inertia(), &self.poses[id.index()]);
            shifts[slot].0 += yields.inv_mass * load.force;
            shifts[slot].1 += yields.inv_inertia * load.torque;
        });
        shifts
    }

    /// Moves the bodies, all by the same share of what is asked where one would turn too far.
    fn shift(&mut self, shifts: &[(DVec3, DVec3)]) {
        let turn = shifts.iter().fold(0.0_f64, |most, (_, turn)| most.max(turn.length()));
        let share = if turn > LARGEST_TURN { LARGEST_TURN / turn } else { 1.0 };
        for ((linear, turn), id) in shifts.iter().zip(self.system.bodies()) {
            let pose = &mut self.poses[id.index()];
            pose.position += share * *linear;
            pose.orientation = (DQuat::from_scaled_axis(share * *turn) * pose.orientation).normalize();
            self.report.moved = self.report.moved.max(share * linear.length());
        }
        for (place, turns) in self.turns.iter_mut().enumerate() {
            let joint = &self.world.joints()[place];
            let [a, b] = joint
                .bodies()
                .map(|id| id.map_or(STILL, |id| Kinematics { pose: self.poses[id.index()], ..STILL }));
            *turns = joint.remember(&joint.geometry(&a, &b), turns);
        }
    }

    /// The velocities: equalities only. What is at a limit and approaches it collides there.
    fn move_on(&mut self) -> Result<(), AssemblyError> {
        let none = vec![false; self.system.equations().len()];
        if self.system.active() != none {
            self.system.set_active(self.world, &none);
        }
        self.evaluate();
        self.factor();
        let speed = self.twists.iter().fold(0.0_f64, |most, twist| {
            most.max(twist.velocity.length()).max(twist.spin.length() * self.system.length())
        });
        let before = self.worst(Level::Velocity);
        let allowed = ROUNDING * speed.max(before);
        // Far from a joint a velocity is rounded by more than the solve leaves: what is left is solved for again.
        for _ in 0..REFINEMENTS {
            self.system.solve(Level::Velocity);
            for (slot, (linear, turn)) in self.shifts().into_iter().enumerate() {
                let twist = &mut self.twists[self.system.bodies()[slot].index()];
                twist.velocity += linear;
                twist.spin += turn;
            }
            self.evaluate();
            self.factor();
            if self.misses(Level::Velocity, allowed / self.system.length()).is_empty() {
                return Ok(());
            }
        }
        // Velocities are typed with some eight digits; the least change of them is a better start than none.
        let typed = TYPED_DIGITS * speed.max(before);
        let left: Vec<Miss> = self.misses(Level::Velocity, typed / self.system.length());
        if left.is_empty() || self.settings.conflict != Conflict::Refuse {
            return Ok(());
        }
        Err(AssemblyError::Velocities { joints: left })
    }

    /// Names the joints of each combination of rows that cancels.
    fn report_redundant(&mut self) {
        let factors = self.system.factors();
        self.report.redundant = factors
            .dependencies()
            .map(|vector| {
                let mut names: Vec<String> = self
                    .system
                    .lines()
                    .iter()
                    .zip(vector)
                    .filter(|(_, share)| share.abs() > report::TAKES_PART)
                    .map(|(line, _)| self.name(*line))
                    .collect();
                names.dedup();
                names
            })
            .collect();
    }

    fn finish(self) -> Assembly {
        Assembly { poses: self.poses, twists: self.twists, report: self.report }
    }
}
