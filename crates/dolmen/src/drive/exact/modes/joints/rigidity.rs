//! Joints that would need infinite force.
//!
//! Where rows of joints depend on each other, ωᵀJ = 0, motions x with J x = 0 stretch the joints at second order, by
//! ω·H(x, x) with H(x, x) = J̇ x. If that form has one sign, as in a straight row of rods between two fixed points,
//! where every transverse motion stretches the rods, then nothing moves along any x for which it is not zero, and no
//! finite ω carries a transverse load: first-order flexible, second-order rigid. [Connelly, Whiteley 1996] A mechanism
//! that folds has a form of both signs, and passes.

use crate::articulation::{JointSystem, Line};
use crate::body::Kinematics;
use crate::contact::rest::{Articulation, ConstraintSystem, Loaded, Shift};
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::modes::Modes;
use crate::drive::exact::modes::tolerances::{
    MAJOR_FORCE, MAX_NAMED_JOINTS, RIGIDITY_ZERO_SPEED, TRIAL_MOTIONS, UNBOUNDED_FORCE, ZERO_STRESS,
    ZERO_STRETCH,
};
use crate::drive::exact::stop::{Reason, Stop};
use crate::dynamics::Island;
use crate::integrate::StepError;
use crate::joint::Turns;
use crate::math::{DVec3, Twist, dvec3};
use crate::world::{BodyId, World};

impl Modes<'_> {
    /// Checks that no joints of an island need infinite force in the current states.
    pub(crate) fn check_rigidity(&mut self, k: usize) -> Result<(), Stop> {
        let track = &self.state.tracks[k];
        if track.island.joints.is_empty() || track.is_at_rest() {
            return Ok(());
        }
        let y = track.vector_of(&self.state.states);
        track
            .equations(self.world, Workspace { joints: &mut self.state.joints, scratch: self.scratch })
            .load_bodies(self.state.t, &y[..track.island.dim()]);
        let IslandScratch { constraints, loaded, .. } = &mut *self.scratch;
        let ConstraintSystem { articulations, present, .. } = constraints;
        for k in present.iter() {
            let articulation = &mut articulations[*k];
            if articulation.system.factors().redundant() == 0 {
                continue;
            }
            let mut form = Form::new(
                (self.world, &track.island),
                (articulation, loaded),
                &self.state.joints.turns,
                self.state.t,
            );
            if let Some(stress) = form.stress_of_load() {
                let joint = named(self.world, &articulation.system, (&stress, ZERO_STRESS));
                return Err(Stop {
                    t: self.state.t,
                    reason: Reason::Joint { joint, problem: PROBLEM.to_owned() },
                });
            }
        }
        Ok(())
    }

    /// Why a step of an island failed: as the integrator says, or where the cause is joints with forces beyond what
    /// numbers resolve, by the names of these joints.
    pub(crate) fn explain_failed_step(&mut self, k: usize, at: f64, error: StepError) -> Stop {
        let track = &self.state.tracks[k];
        let is_too_fast = error.is_too_fast();
        let stop = Stop::motion(self.world, &track.island, at, error);
        if !is_too_fast || track.island.joints.is_empty() {
            return stop;
        }
        track.read(track.clock(), &mut self.state.states);
        let y = track.vector_of(&self.state.states);
        let (t, dim) = (track.clock(), track.island.dim());
        let mut equations =
            track.equations(self.world, Workspace { joints: &mut self.state.joints, scratch: self.scratch });
        equations.load_free(t, &y[..dim]);
        let pull = |body: &Loaded| {
            if body.inv_mass > 0.0 { body.kinematics.acceleration.length() / body.inv_mass } else { 0.0 }
        };
        let loads = equations.scratch.loaded.iter().map(pull).fold(0.0, f64::max);
        equations.load_bodies(t, &y[..dim]);
        let IslandScratch { constraints, loaded, .. } = &mut *self.scratch;
        let ConstraintSystem { articulations, present, .. } = constraints;
        for articulation in present.iter().copied() {
            let articulation = &mut articulations[articulation];
            let lines = articulation.system.lines().iter().zip(articulation.system.forces());
            let forces: Vec<f64> =
                lines.map(|(line, f)| f / articulation.system.line_weight(*line)).collect();
            let largest = forces.iter().fold(0.0_f64, |most, force| most.max(force.abs()));
            let found = if largest > UNBOUNDED_FORCE * loads && loads > 0.0 {
                Some(named(self.world, &articulation.system, (&forces, MAJOR_FORCE)))
            } else if articulation.system.factors().redundant() > 0 {
                let mut form = Form::new(
                    (self.world, &track.island),
                    (articulation, loaded),
                    &self.state.joints.turns,
                    t,
                );
                let stress = form.stress_of_load();
                stress.map(|stress| named(self.world, &articulation.system, (&stress, ZERO_STRESS)))
            } else {
                None
            };
            if let Some(joint) = found {
                return Stop { t: stop.t, reason: Reason::Joint { joint, problem: PROBLEM.to_owned() } };
            }
        }
        stop
    }
}

/// What is wrong, and what to do.
const PROBLEM: &str = "with the joints beside it it is stretched straight and loaded across, which takes infinite force: give \
                        these joints some slack, or carry the load elsewhere";

/// The names of the joints that take part in a stress.
fn named(world: &World, system: &JointSystem, (stress, threshold): (&[f64], f64)) -> String {
    let largest = stress.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
    let mut joints: Vec<usize> = Vec::new();
    for (line, part) in system.lines().iter().zip(stress) {
        if let Line::Joint { joint, .. } = line
            && part.abs() > threshold * largest
        {
            joints.push(system.joints()[*joint]);
        }
    }
    joints.dedup();
    let names = joints.iter().take(MAX_NAMED_JOINTS).map(|place| world.joints()[*place].name());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    if joints.len() > MAX_NAMED_JOINTS {
        names.push(format!("and {} more", joints.len() - MAX_NAMED_JOINTS));
    }
    names.join(", ")
}

/// Second derivatives of the rows of an articulation along motions of its bodies.
struct Form<'a> {
    world: &'a World,
    island: &'a Island,
    articulation: &'a mut Articulation,
    loaded: &'a [Loaded],
    turns: &'a [Turns],
    t: f64,
    /// Combinations of rows that cancel, orthonormal.
    stresses: Vec<Vec<f64>>,
    /// The rows for bodies without velocity, at `t`: motors may move.
    at_rest: Vec<f64>,
}

impl<'a> Form<'a> {
    fn new(
        (world, island): (&'a World, &'a Island),
        (articulation, loaded): (&'a mut Articulation, &'a [Loaded]),
        turns: &'a [Turns],
        t: f64,
    ) -> Self {
        let stresses = articulation.system.factors().dependencies().map(<[f64]>::to_vec).collect();
        let mut form = Self { world, island, articulation, loaded, turns, t, stresses, at_rest: Vec::new() };
        form.at_rest = form.evaluate(&vec![Shift::default(); loaded.len()]);
        form
    }

    /// H(x, x) of every row, in metres.
    fn curvature(&mut self, motion: &[Shift]) -> Vec<f64> {
        let moving = self.evaluate(motion);
        moving.iter().zip(&self.at_rest).map(|(moving, at_rest)| moving - at_rest).collect()
    }

    fn evaluate(&mut self, motion: &[Shift]) -> Vec<f64> {
        let (island, loaded) = (self.island, self.loaded);
        let kinematics = |id: BodyId| {
            let place = crate::drive::exact::island::equations::joints::place(island, id);
            let Shift { linear, angular } = motion[place];
            let twist = Twist { velocity: linear, spin: angular };
            let pose = loaded[place].kinematics.pose;
            Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
        };
        let system = &mut self.articulation.system;
        system.evaluate(self.world, kinematics, self.t, self.turns);
        let lines = system.lines().iter();
        lines
            .map(|line| {
                system.line_weight(*line) * system.left(*line, crate::articulation::Level::Acceleration)
            })
            .collect()
    }

    /// The stress that the loads, or the current motion, would raise without bound; none where there is none.
    fn stress_of_load(&mut self) -> Option<Vec<f64>> {
        let motion = self.motion();
        let curvature = self.curvature(&motion);
        let stretches: Vec<f64> = self.stresses.iter().map(|stress| dot(stress, &curvature)).collect();
        let stretch = length(&stretches);
        if stretch <= ZERO_STRETCH * length(&curvature) || stretch == 0.0 {
            return None;
        }
        let mut stress = vec![0.0; curvature.len()];
        for (basis, part) in self.stresses.iter().zip(&stretches) {
            stress.iter_mut().zip(basis).for_each(|(sum, basis)| *sum += part / stretch * basis);
        }
        let has_one_sign = (0..TRIAL_MOTIONS).all(|seed| {
            let motion = self.any_motion(seed);
            let curvature = self.curvature(&motion);
            dot(&stress, &curvature) >= -ZERO_STRETCH * length(&curvature)
        });
        has_one_sign.then_some(stress)
    }

    /// The velocities of the bodies, or their accelerations where they are at rest.
    fn motion(&self) -> Vec<Shift> {
        let twist = |body: &Loaded| {
            let Twist { velocity, spin } = body.kinematics.twist;
            Shift { linear: velocity, angular: spin }
        };
        let acceleration_of = |body: &Loaded| {
            let Kinematics { acceleration, spin_rate, .. } = body.kinematics;
            Shift { linear: acceleration, angular: spin_rate }
        };
        let arm = self.articulation.system.length();
        let size = |shift: &Shift| shift.linear.length() + shift.angular.length() * arm;
        let gather = |of: &dyn Fn(&Loaded) -> Shift| -> Vec<Shift> {
            let mut motion = vec![Shift::default(); self.loaded.len()];
            self.articulation.places.iter().for_each(|place| motion[*place] = of(&self.loaded[*place]));
            motion
        };
        let (velocities, accelerations) = (gather(&twist), gather(&acceleration_of));
        let largest = |motion: &[Shift]| motion.iter().map(size).fold(0.0, f64::max);
        let velocity_scale = (largest(&accelerations) * arm).sqrt();
        if largest(&velocities) > RIGIDITY_ZERO_SPEED * velocity_scale { velocities } else { accelerations }
    }

    /// A motion that satisfies the joints to first order: arbitrary, and the same for the same seed.
    fn any_motion(&mut self, seed: u64) -> Vec<Shift> {
        let mut state = seed;
        // Numbers in [−1, 1). [Vigna, splitmix64]
        let mut number = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut vector = || dvec3(number(), number(), number());
        let mut motion = vec![Shift::default(); self.loaded.len()];
        let arm = self.articulation.system.length();
        for place in &self.articulation.places {
            motion[*place] = Shift { linear: vector(), angular: vector() / arm };
        }
        let loaded = self.loaded;
        // Twice: the first is right to eleven digits.
        (0..2).for_each(|_| self.articulation.respond(|place| loaded[place].mobility(), &mut motion));
        motion
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
