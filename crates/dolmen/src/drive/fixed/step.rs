//! One step: detection once, then sub-steps of forces, warm start, springs, motion and relaxation.

use super::bodies::Bodies;
use super::detect::{self, Scratch};
use super::forces::Forces;
use super::groups::Groups;
use super::joints::Joints;
use super::number::{Quat, Real, Sym3, V3};
use super::pairs::{Pairs, Surfaces};
use super::rows::Softness;
use super::sleep::Sleep;
use super::threads;
use super::tolerances::{
    CLOSE, DAMPING, JOINT_ROWS, MOST_CLOSING, MOST_PIECES, MOST_ROWS, MOST_SUBSTEPS, NEAR, REPEATS, SHARE,
    STIFFNESS, YIELD,
};
use super::touch::{self, Touching};
use super::{FixedError, FixedSettings};
use crate::math::DVec3;
use crate::record::{ContactForce, Event, JointCoordinate, JointForce};
use crate::world::World;
use serde::{Deserialize, Serialize};

/// What a step was like.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// The deepest overlap of two bodies at its start, m.
    pub overlap: f64,
    /// The largest error of a joint at its end, m or rad.
    pub joint_error: f64,
    /// Kinetic energy that impulses of contacts and joints took, J; negative if they gave some.
    pub lost: f64,
    /// Work of forces without a potential and of prescribed motions, J.
    pub work: f64,
    /// Pairs of bodies that were near each other.
    pub pairs: usize,
    /// Manifolds with impulses.
    pub manifolds: usize,
    /// Sub-steps.
    pub substeps: u32,
    /// Bodies that sleep.
    pub asleep: usize,
}

/// A world in one precision.
#[derive(Debug, Clone)]
pub(super) struct Core<R> {
    pub(super) bodies: Bodies<R>,
    pub(super) pairs: Pairs<R>,
    surfaces: Surfaces,
    pub(super) forces: Forces,
    pub(super) joints: Option<Joints>,
    groups: Groups<R>,
    /// One for each thread.
    scratches: Vec<Scratch<R>>,
    has_restitution: bool,
    /// The fastest approach of bodies that touch, by the size of the smaller one, 1/s.
    pub(super) haste: f64,
    /// The fastest approach along a normal, in the same measure: of this look at contacts only.
    closing: f64,
    /// The length of the last sub-step, s.
    pub(super) h_sub: f64,
    /// Manifolds in the last step.
    pub(super) manifolds: usize,
    /// The pairs that carried impulses at the end of the last step.
    pub(super) touching: Touching,
    pub(super) sleep: Sleep,
    /// Dynamic bodies that do not sleep.
    awake: Vec<u32>,
    /// Prescribed ones that move.
    driven: Vec<u32>,
    /// Twists after the forces of a sub-step, and what constraints added then: the warm start of the next.
    base: Vec<[V3<R>; 2]>,
    carry: Vec<[V3<R>; 2]>,
    /// Velocities after the forces alone.
    pushed: Vec<V3<R>>,
    /// Orientations before the last sub-step.
    before: Vec<Quat<R>>,
}

impl<R: Real> Core<R> {
    pub(super) fn new(world: &World) -> Self {
        let bodies = Bodies::new(world);
        let count = world.bodies().len();
        let chosen =
            |choose: &dyn Fn(usize) -> bool| (0..count).filter(|i| choose(*i)).map(|i| i as u32).collect();
        let awake: Vec<u32> = chosen(&|i| bodies.constant[i].is_dynamic);
        let driven = chosen(&|i| !bodies.constant[i].is_dynamic && !bodies.constant[i].is_still);
        let zero = [[V3::zero(); 2]];
        let surfaces = Surfaces::new(world);
        Self {
            pairs: Pairs::new(world, &bodies),
            has_restitution: surfaces.materials.iter().any(|material| material.restitution > 0.0),
            haste: 0.0,
            closing: 0.0,
            h_sub: 0.0,
            manifolds: 0,
            touching: Touching::default(),
            surfaces,
            forces: Forces::new(world),
            joints: Joints::new(world),
            groups: Groups::new(),
            scratches: vec![Scratch::default()],
            base: zero.repeat(count),
            carry: zero.repeat(count),
            pushed: vec![V3::zero(); count],
            before: bodies.turned.clone(),
            sleep: Sleep::new(world),
            awake,
            driven,
            bodies,
        }
    }

    /// Goes on from t by h. Where bodies that touch close in by a good part of their size in a step, contacts are found anew within
    /// it: what is hit meets others before the step ends.
    pub(super) fn step(
        &mut self,
        world: &World,
        settings: &FixedSettings,
        (t, h): (f64, f64),
        events: &mut Vec<Event>,
    ) -> Result<StepReport, FixedError> {
        let found = events.len();
        let before = settings.stiff.then(|| self.state());
        let mut substeps = self.substeps(settings, h);
        let mut sum = self.step_with(world, settings, substeps, (t, h), events)?;
        // What is loaded for the first time in this step, or more than before, is known only after it.
        for _ in 0..REPEATS {
            let Some(before) = before.as_ref().filter(|_| self.substeps(settings, h) > 2 * sum.substeps)
            else {
                break;
            };
            substeps = self.substeps(settings, h);
            *self = Self::restore(world, before.clone(), t).expect("a state of this world");
            events.truncate(found);
            sum = self.step_with(world, settings, substeps, (t, h), events)?;
        }
        if settings.sleep {
            sum.lost += self.fall_asleep(t + h);
        }
        sum.asleep = self.sleep.asleep();
        Ok(sum)
    }

    /// A step of so many sub-steps.
    fn step_with(
        &mut self,
        world: &World,
        settings: &FixedSettings,
        substeps: u32,
        (t, h): (f64, f64),
        events: &mut Vec<Event>,
    ) -> Result<StepReport, FixedError> {
        self.scratches.resize_with(settings.threads as usize, Scratch::default);
        let most = substeps.min(MOST_PIECES);
        let pieces = (self.haste * h / NEAR).ceil().clamp(1.0, f64::from(most)) as u32;
        let pieces = pieces.max(1);
        let mut sum = StepReport::default();
        let mut done = 0;
        for k in 0..pieces {
            // As even as whole sub-steps allow.
            let until = substeps * (k + 1) / pieces;
            let share = |n: u32| h * f64::from(n) / f64::from(substeps);
            let report = self.piece(world, until - done, t + share(done), share(until - done))?;
            sum.substeps += report.substeps;
            self.touching.update(&self.pairs, &self.groups, &self.bodies, t + share(until), events);
            done = until;
            sum.overlap = sum.overlap.max(report.overlap);
            sum.lost += report.lost;
            sum.work += report.work;
            (sum.joint_error, sum.pairs, sum.manifolds) =
                (report.joint_error, report.pairs, report.manifolds);
        }
        Ok(sum)
    }

    /// Sub-steps of a step h: as many as were set, and if stiff more where few contacts bear much.
    ///
    /// A contact spring of frequency f = `STIFFNESS` / h_sub under the force F = λ / h_sub gives way by F / (m (2πf)²), for the lighter mass m:
    /// by F h² / (m (2π `STIFFNESS`)² n²) with n sub-steps. n is such that this is `YIELD` of the smaller body.
    fn substeps(&self, settings: &FixedSettings, h: f64) -> u32 {
        if !settings.stiff || self.h_sub == 0.0 {
            return settings.substeps;
        }
        let omega = crate::math::real::TAU * STIFFNESS;
        let wanted = h * (self.touching.load / self.h_sub / YIELD).sqrt() / omega;
        // Joints are solved directly in every sub-step and cost as much as some rows.
        let joints = self.joints.as_ref().map_or(0, |joints| JOINT_ROWS * joints.turns.len());
        let rows = (self.manifolds + joints).max(1);
        let most = (MOST_ROWS / rows).min(MOST_SUBSTEPS as usize) as f64;
        let wanted = wanted.ceil().min(most);
        if wanted > f64::from(settings.substeps) { wanted as u32 } else { settings.substeps }
    }

    /// At least so many sub-steps with one look at contacts: more where bodies come together fast, so that none gets further into another
    /// in one of them than a small share of its size.
    fn piece(&mut self, world: &World, substeps: u32, t: f64, h: f64) -> Result<StepReport, FixedError> {
        self.bodies.prescribe(world, &self.driven, (t, h));
        self.pairs.update(world, &self.bodies, &self.surfaces, (h, &self.sleep));
        let mut report = StepReport { overlap: self.detect(world, (t, h))?, ..StepReport::default() };
        self.groups.build(&self.pairs.contacts, &self.bodies, &self.surfaces, self.scratches.len());
        report.pairs = self.pairs.len();
        self.manifolds = self.groups.manifolds();
        report.manifolds = self.manifolds;
        let closing = (self.closing * h / CLOSE).ceil().min(f64::from(MOST_CLOSING * substeps)) as u32;
        let substeps = substeps.max(closing);
        report.substeps = substeps;
        let h_sub = h / f64::from(substeps);
        let soft = [1.0, 2.0].map(|f| Softness::new(f * STIFFNESS / h_sub, DAMPING, h_sub));
        let inv_h = R::of(1.0 / h_sub);
        self.h_sub = h_sub;
        if let Some(joints) = &mut self.joints {
            joints.begin(world, &self.bodies, t);
        }
        for k in 0..substeps {
            let t_sub = t + f64::from(k) * h_sub;
            report.work += self.accelerate(world, (t_sub, h_sub), k > 0)?;
            if k == 0 {
                self.groups.warm_start(&mut self.bodies.record);
            }
            self.groups.solve(&mut self.bodies.record, Some(&soft), inv_h);
            report.lost += self.keep_joints(world, (t_sub, h_sub), true);
            report.lost -= self.advance(world.gravity(), h_sub);
            if let Some(joints) = &mut self.joints {
                joints.solve_positions(world, &mut self.bodies, t_sub + h_sub);
            }
            self.groups.solve(&mut self.bodies.record, None, inv_h);
            report.lost += self.keep_joints(world, (t_sub + h_sub, h_sub), false);
            report.lost += self.settle();
        }
        // Faster than what gravity gives in two steps: slower contacts come to rest.
        let threshold = 2.0 * h * world.gravity().length();
        if self.has_restitution {
            let energy =
                |core: &Self| core.awake.iter().map(|i| core.bodies.kinetic(*i as usize)).sum::<f64>();
            let before = energy(self);
            self.groups.restitute(&mut self.bodies.record, R::of(threshold));
            report.lost += before - energy(self);
        }
        self.groups.store(&mut self.pairs.contacts, self.scratches.len());
        for i in &self.awake {
            let i = *i as usize;
            self.bodies.commit(i);
            self.bodies.set_mobility(i);
            let is_finite = self.bodies.position[i].is_finite() && {
                let twist = self.bodies.twist(i);
                twist.velocity.is_finite() && twist.spin.is_finite()
            };
            if !is_finite {
                let body = world.body_name(super::bodies::id_of(i));
                return Err(FixedError::NotFinite { body, t: t + h });
            }
        }
        for i in &self.driven {
            self.bodies.commit(*i as usize);
        }
        self.bodies.prescribe(world, &self.driven, (t + h, h));
        if let Some(joints) = &mut self.joints {
            report.joint_error = joints.error(world, &self.bodies, t + h);
        }
        Ok(report)
    }

    /// Looks at all pairs, and again where what sleeps is about to be touched; the deepest overlap.
    fn detect(&mut self, world: &World, (t, h): (f64, f64)) -> Result<f64, FixedError> {
        let (mut deepest, mut haste, mut closing) = (0.0_f64, 0.0_f64, 0.0_f64);
        loop {
            let (bodies, sleep) = (&self.bodies, &self.sleep);
            self.scratches.iter_mut().for_each(Scratch::clear);
            threads::each(self.pairs.contacts.chunks_mut(SHARE), &mut self.scratches, |share, scratch| {
                for contact in share.iter_mut() {
                    detect::examine(contact, bodies, (h, sleep), scratch);
                }
            });
            let refused = self.scratches.iter_mut().filter_map(|scratch| scratch.refused.take());
            if let Some(([a, b], pair)) = refused.min_by_key(|(bodies, _)| *bodies) {
                let name = |i: u32| world.body_name(super::bodies::id_of(i as usize));
                return Err(FixedError::Pair { a: name(a), b: name(b), pair });
            }
            haste = self.scratches.iter().map(|scratch| scratch.haste).fold(haste, f64::max);
            closing = self.scratches.iter().map(|scratch| scratch.closing).fold(closing, f64::max);
            deepest = self.scratches.iter().map(|scratch| scratch.deepest).fold(deepest, f64::max);
            let mut woken: Vec<u32> =
                self.scratches.iter().flat_map(|scratch| scratch.woken.iter().copied()).collect();
            if woken.is_empty() {
                break;
            }
            woken.sort_unstable();
            self.rouse(|island| woken.binary_search(&island).is_ok(), t);
        }
        (self.haste, self.closing) = (haste, closing);
        Ok(deepest)
    }

    fn rouse(&mut self, islands: impl Fn(u32) -> bool, t: f64) {
        let woken = self.sleep.wake(&mut self.bodies, islands, t);
        self.awake.extend(woken);
        self.awake.sort_unstable();
    }

    /// Wakes the island of a body, or all of them.
    pub(super) fn wake(&mut self, body: Option<usize>, t: f64) {
        match body {
            None => self.rouse(|_| true, t),
            Some(i) => {
                if let Some(own) = self.sleep.island(i as u32) {
                    self.rouse(|island| island == own, t);
                }
            }
        }
    }

    /// After a step to time t: lets what is calm fall asleep; the energy lost with it, J.
    fn fall_asleep(&mut self, t: f64) -> f64 {
        let lost = self.sleep.settle(&mut self.bodies, &self.awake, self.touching.bodies(), t);
        if lost.is_some() {
            let sleep = &self.sleep;
            self.awake.retain(|i| !sleep.is_asleep(*i as usize));
        }
        lost.unwrap_or(0.0)
    }

    /// The list of bodies that are awake, from the state.
    pub(super) fn find_awake(&mut self) {
        let (bodies, sleep) = (&mut self.bodies, &self.sleep);
        self.awake.retain(|i| !sleep.is_asleep(*i as usize));
        for i in (0..bodies.mobility.len()).filter(|i| sleep.is_asleep(*i)) {
            bodies.mobility[i] = Default::default();
        }
    }

    /// The forces of all points that pressed in the last sub-step.
    pub(super) fn contact_forces(&self, world: &World) -> Vec<ContactForce> {
        if self.h_sub == 0.0 {
            return Vec::new();
        }
        // What gravity gives in a sub-step is no motion.
        let still = world.gravity().length() * self.h_sub;
        let mut found = Vec::new();
        for contact in self.pairs.in_order() {
            let material = &self.surfaces.materials[contact.surface as usize];
            touch::forces(contact, &self.bodies, material, (self.h_sub, still), &mut found);
        }
        found
    }

    /// The mean force and torque of every joint over the last sub-step.
    pub(super) fn joint_forces(&self, world: &World) -> Vec<JointForce> {
        match &self.joints {
            Some(joints) if self.h_sub > 0.0 => joints.forces(world, &self.bodies, self.h_sub),
            _ => Vec::new(),
        }
    }

    /// The coordinates of all joints at `t`; motors by the last sub-step, as far as one was made.
    pub(super) fn joint_coordinates(&self, world: &World, t: f64) -> Vec<JointCoordinate> {
        let Some(joints) = &self.joints else { return Vec::new() };
        joints.coordinates(world, &self.bodies, (t, self.h_sub))
    }

    /// Velocities after the forces of a sub-step, and with what contacts did in the last one; the work to book, J.
    fn accelerate(&mut self, world: &World, (t, h): (f64, f64), is_warm: bool) -> Result<f64, FixedError> {
        let dv = V3::<R>::of(world.gravity() * h);
        let has_forces = !self.forces.is_empty();
        let mut work = 0.0;
        if has_forces {
            let turns = self.joints.as_ref().map_or(&[][..], |joints| &joints.turns);
            work = h * self.forces.evaluate(world, &self.bodies, t, turns);
            if let Some(id) = self.forces.not_finite() {
                return Err(FixedError::NotFinite { body: world.body_name(id), t });
            }
        }
        for i in &self.awake {
            let i = *i as usize;
            let record = &mut self.bodies.record[i];
            let (mut v, mut w) = (record.velocity() + dv, record.spin());
            if has_forces {
                let load = self.forces.on(i);
                v += V3::of(load.force * (self.bodies.constant[i].inv_mass * h));
                let [xx, yy, zz, xy, xz, yz, ..] = self.bodies.mobility[i];
                w += Sym3([xx, yy, zz, xy, xz, yz]).apply(V3::of(load.torque * h));
            }
            self.base[i] = [v, w];
            self.pushed[i] = v;
            if is_warm {
                record.set_twist(v + self.carry[i][0], w + self.carry[i][1]);
            } else {
                record.set_twist(v, w);
            }
        }
        Ok(work)
    }

    /// Takes velocities to the joints; the energy that took, J. What joints do is no warm start: they are solved directly.
    fn keep_joints(&mut self, world: &World, (t, h): (f64, f64), is_first: bool) -> f64 {
        let Some(joints) = &mut self.joints else { return 0.0 };
        let before: Vec<[V3<R>; 2]> = self
            .awake
            .iter()
            .map(|i| [self.bodies.record[*i as usize].velocity(), self.bodies.record[*i as usize].spin()])
            .collect();
        joints.solve_velocities(world, &mut self.bodies, (t, h), is_first);
        let mut lost = 0.0;
        for (i, [v_minus, w_minus]) in self.awake.iter().zip(before) {
            let i = *i as usize;
            let record = &self.bodies.record[i];
            let (v, w) = (record.velocity(), record.spin());
            let (dv, dw) = (v - v_minus, w - w_minus);
            lost -= self.bodies.gained(i, (dv, v + v_minus), (dw, w + w_minus));
            self.base[i][0] += dv;
            self.base[i][1] += dw;
        }
        lost
    }

    /// Positions after a sub-step. Where constraints kept a body from going as forces would have it, gravity did less work on its way than
    /// it gave it speed, and the constraints lose that again: the difference, J, is no loss.
    fn advance(&mut self, gravity: DVec3, h: f64) -> f64 {
        let mut unearned = 0.0;
        for i in &self.awake {
            let i = *i as usize;
            let (pushed, v) = (self.pushed[i], self.bodies.record[i].velocity());
            if pushed != v {
                let mean = pushed.wide() - 0.5 * h * gravity;
                unearned += self.bodies.constant[i].mass * h * gravity.dot(mean - v.wide());
            }
        }
        let h = R::of(h);
        for i in self.awake.iter().chain(&self.driven) {
            let i = *i as usize;
            let record = &mut self.bodies.record[i];
            for e in 0..record.moved.len() {
                record.moved[e] = record.moved[e] + record.twist[e] * h;
            }
            let spin = record.spin();
            self.before[i] = self.bodies.turned[i];
            // With its spin halfway: the error of a free turn is of order 2.
            let spin = if self.bodies.constant[i].is_round { spin } else { self.bodies.spin_halfway(i, h) };
            self.bodies.turned[i] = self.before[i].turned(spin * h);
        }
        unearned
    }

    /// What constraints did in the sub-step, the energy it took, and the turning of what is not round.
    fn settle(&mut self) -> f64 {
        let mut lost = 0.0;
        for i in &self.awake {
            let i = *i as usize;
            let record = &self.bodies.record[i];
            let (v, w) = (record.velocity(), record.spin());
            let [v_minus, w_minus] = self.base[i];
            let (dv, dw) = (v - v_minus, w - w_minus);
            self.carry[i] = [dv, dw];
            lost -= self.bodies.gained(i, (dv, v + v_minus), (dw, w + w_minus));
            if !self.bodies.constant[i].is_round {
                self.bodies.gyrate(i, self.before[i]);
            }
        }
        lost
    }
}
