//! Time steps of balls, which leave no overlap at any time within them.
//!
//! Through a time step all bodies move straight, so the vector between two centres is linear in time and its length is
//! convex: it lies above its tangent at the start. With a gap g of rate u after the impulses, g + h u ≥ 0 keeps two
//! balls apart through the whole step h, and also a ball and a fixed plane. Other steps end at zero gaps to second
//! order, with points on arcs below their chords half-way; here gaps open a little instead where balls roll off each
//! other.

use crate::contact::rest::{ContactConstraint, Frame, Loaded};
use crate::drive::exact::gather::cluster::Touching;
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stepping::step_end::Ends;
use crate::drive::exact::stepping::tolerances::{END_SAMPLES, WAY_SAMPLES};
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::math::{DVec3, Pose, Twist};
use crate::motion::Prescribed;
use crate::narrow_phase::{Contact, Tolerance};
use crate::world::BodyId;

impl Simulation {
    /// Whether all that may touch are balls without joints, and fixed planes.
    pub(crate) fn goes_straight(&self) -> bool {
        let is_fixed_or_dynamic = |body: &u32| {
            let motion = self.world.body(BodyId::from_rank(*body as usize)).prescribed_motion();
            motion.is_none_or(|motion| matches!(motion, Prescribed::Still(_)))
        };
        self.scratch
            .cluster
            .pairs
            .iter()
            .all(|pair| self.state.detection.is_simple(*pair) && pair.iter().all(is_fixed_or_dynamic))
            && self.has_no_joints()
    }

    /// How many times a time step adds contacts that it did not foresee.
    pub(crate) fn max_samples(&self) -> usize {
        if self.goes_straight() { WAY_SAMPLES } else { END_SAMPLES }
    }

    /// Subtracts from the gaps of balls, m, what their contacts gain by rotating about each other within a time step of
    /// length `h`.
    pub(crate) fn subtract_gap_curvature(&self, h: f64, active: &ActiveSet, gaps: &mut [f64]) {
        if !self.goes_straight() {
            return;
        }
        let (loaded, frames) = (&self.scratch.island.loaded, &self.scratch.island.constraints.frames);
        for ((gap, constraint), frame) in gaps.iter_mut().zip(&active.constraints).zip(frames) {
            *gap -= h * h * gap_curvature(loaded, constraint, frame);
        }
    }

    /// Finds what overlaps at the end of the time step, or within it, and is not among its contacts, and adds it;
    /// returns the deepest overlap, by the contact tolerance.
    pub(crate) fn add_overlaps(
        &mut self,
        step: (f64, f64),
        island: &Island,
        active: &mut ActiveSet,
        gaps: &mut Vec<f64>,
        ends: &Ends,
    ) -> Result<f64, Stop> {
        if self.goes_straight() {
            return Ok(self.add_overlaps_within(step, island, active, gaps, ends));
        }
        self.add_overlaps_at_end(step, island, active, gaps, ends)
    }

    /// As [`Simulation::add_overlaps_at_end`], for all times within the step.
    fn add_overlaps_within(
        &mut self,
        (t, h): (f64, f64),
        island: &Island,
        active: &mut ActiveSet,
        gaps: &mut Vec<f64>,
        ends: &Ends,
    ) -> f64 {
        let mut known = active.pairs.clone();
        known.sort_unstable();
        let mut deepest = 0.0_f64;
        for pair in self.scratch.cluster.pairs.clone() {
            if known.binary_search(&pair).is_ok() {
                continue;
            }
            let Some((touching, smallest)) = self.nearest_within(pair, island, ends) else { continue };
            deepest = deepest.max(-smallest / touching.tolerance);
            if smallest >= -touching.tolerance {
                continue;
            }
            active.add(island, pair, touching.contact.id, &self.constraint_of(t, &touching));
            let constraint = active.constraints[active.constraints.len() - 1];
            let frame = Frame::new(&self.scratch.island.loaded, &constraint);
            let open = frame.separation.max(0.0);
            gaps.push(open - h * h * gap_curvature(&self.scratch.island.loaded, &constraint, &frame));
            self.scratch.cluster.contacts.push(touching);
            self.scratch.island.constraints.frames.push(frame);
            self.scratch.island.constraints.forces.push(DVec3::ZERO);
        }
        deepest
    }

    /// The contact of a pair at the start of the time step, and its smallest separation within it, m.
    fn nearest_within(&self, pair: [u32; 2], island: &Island, ends: &Ends) -> Option<(Touching, f64)> {
        let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
        else {
            return None;
        };
        let [Some(a), Some(b)] = pair.map(|body| island.place(BodyId::from_rank(body as usize))) else {
            return None;
        };
        let start = [a, b].map(|k| self.scratch.island.loaded[k].kinematics.pose);
        let between = |[a, b]: [Pose; 2]| a.position - b.position;
        let (first, last) = (between(start), between([ends.pose(a), ends.pose(b)]));
        let along = last - first;
        // For a ball and a plane the minimum is at one of the ends.
        let are_balls = collider_a.ball.is_some() && collider_b.ball.is_some();
        let nearest = if are_balls { -first.dot(along) / along.length_squared() } else { 1.0 };
        let nearest = if nearest.is_finite() { nearest.clamp(0.0, 1.0) } else { 0.0 };
        let between = |k: usize, start: Pose| {
            let end = ends.pose(k).position;
            Pose { position: start.position + nearest * (end - start.position), ..start }
        };
        let met = [between(a, start[0]), between(b, start[1])];
        let smallest = self.state.detection.ball_contact(pair, [&met[0], &met[1]])?.separation;
        let contact = self.state.detection.ball_contact(pair, [&start[0], &start[1]])?;
        let function = contact.function.in_bodies(&collider_a.frame(), &collider_b.frame());
        let touching = Touching {
            bodies: pair,
            contact: Contact { function, ..contact },
            surface: self
                .world
                .surface(BodyId::from_rank(pair[0] as usize), BodyId::from_rank(pair[1] as usize)),
            arms: start.map(|pose| contact.point - pose.position),
            tolerance: Tolerance::of_pair(&collider_a.placed(&start[0]), &collider_b.placed(&start[1]), 0.0)
                .length,
        };
        Some((touching, smallest))
    }
}

/// J̇v of a contact: the acceleration of its gap that is not due to the accelerations of the bodies, m/s².
fn gap_curvature(loaded: &[Loaded], constraint: &ContactConstraint, frame: &Frame) -> f64 {
    let pulled = constraint.bodies.map(|k| {
        let kinematics = &loaded[k].kinematics;
        Twist { velocity: kinematics.acceleration, spin: kinematics.spin_rate }
    });
    frame.free.x - frame.rows[0].rate(&pulled)
}
