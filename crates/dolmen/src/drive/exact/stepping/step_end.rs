//! The state at the end of a time step, and what overlaps there.

use std::collections::BTreeSet;

use crate::body::BodyState;
use crate::contact::rest::{ContactConstraint, Frame};
use crate::drive::exact::detect::detection::Detection;
use crate::drive::exact::island::articulated_motion::{ArticulatedMotion, ArticulatedPart};
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stepping::tolerances::{BEYOND_FEATURE, SAME_NORMAL, SHORT_STEP};
use crate::drive::exact::stop::Stop;
use crate::drive::exact::tolerances::STEP_OVERLAP;
use crate::dynamics::Island;
use crate::math::{DVec3, Pose, Twist};
use crate::motion::{Flight, Motion};
use crate::narrow_phase::ContactId;
use crate::world::{BodyId, World};

/// Poses, twists and separations at the end of a time step.
pub(crate) struct Ends {
    /// Poses of the bodies of the island and its supports.
    poses: Vec<Pose>,
    /// Their twists during the step.
    twists: Vec<Twist>,
    /// Separations of all contacts, m.
    pub(crate) separations: Vec<f64>,
}

impl Ends {
    /// The end of a time step under the last impulses.
    pub(crate) fn of_step(
        (world, states, detection): (&World, &[BodyState], &Detection),
        buffers: &IslandScratch,
        (island, active): (&Island, &ActiveSet),
        (t, h): (f64, f64),
        articulated_motion: Option<(&ArticulatedPart, &ArticulatedMotion)>,
    ) -> Self {
        let (loaded, constraints) = (&buffers.loaded, &buffers.constraints);
        let mut twists: Vec<Twist> = loaded.iter().map(|body| body.kinematics.twist).collect();
        for (k, id) in island.bodies.iter().enumerate() {
            let Twist { velocity, spin } = twists[k];
            let kinematics = &loaded[k].kinematics;
            // The gyroscopic part of the spin change happens during the drift.
            let gyroscopic = loaded[k].inv_inertia * states[id.index()].angular_momentum.cross(spin);
            twists[k].velocity = velocity + h * kinematics.acceleration;
            twists[k].spin = spin + h * (kinematics.spin_rate - gyroscopic);
        }
        for (i, constraint) in active.constraints.iter().enumerate() {
            for (side, place) in
                constraint.bodies.iter().enumerate().filter(|(_, place)| **place < island.bodies.len())
            {
                for (row, p, _) in constraints.components(i) {
                    let (linear, angular) = row.side(side);
                    twists[*place].velocity += p * loaded[*place].inv_mass * linear;
                    twists[*place].spin += p * (loaded[*place].inv_inertia * angular);
                }
            }
        }
        // Articulated bodies have been integrated.
        let integrated = |k: usize| {
            articulated_motion.and_then(|(articulated_part, articulated_motion)| {
                Some(articulated_motion.end_of(articulated_part.slot(k)?))
            })
        };
        let end_pose = |(k, id): (usize, &BodyId)| {
            if let Some((pose, _)) = integrated(k) {
                return pose;
            }
            let (inertia, start) = (world.body(*id).inertia(), loaded[k].kinematics.pose);
            let state = BodyState::new(inertia, &start, &twists[k]);
            Flight::new(inertia, &state, DVec3::ZERO, 0.0).pose(h)
        };
        let mut poses: Vec<Pose> = island.bodies.iter().enumerate().map(end_pose).collect();
        for (id, body) in island.supports.iter().zip(&loaded[island.bodies.len()..]) {
            let motion = world.body(*id).prescribed_motion();
            poses.push(motion.map_or(body.kinematics.pose, |motion| motion.pose(t + h)));
        }
        let speeds = |place: usize| match integrated(place) {
            Some((_, ends)) => ends.iter().fold((0.0_f64, 0.0_f64), |(v, w), twist| {
                (v.max(twist.velocity.length()), w.max(twist.spin.length()))
            }),
            None => (twists[place].velocity.length(), twists[place].spin.length()),
        };
        let end = |((constraint, frame), pair): ((&ContactConstraint, &Frame), &[u32; 2])| {
            let [a, b] = constraint.bodies;
            let end = constraint.function.value(&poses[a], &poses[b]);
            if end < 0.0 && has_left_feature(detection, constraint, *pair, [&poses[a], &poses[b]], end) {
                // The samples at the end find the contacts that exist there.
                return end.max(frame.separation + h * frame.rows[0].rate(&[twists[a], twists[b]]));
            }
            // A gap closes by no more than its bodies move. A function whose point jumps (a rim that lies on another)
            // may claim otherwise, and impulses that compensate within the step would throw bodies about.
            let moves = constraint.bodies.map(|place| {
                let arm = frame.point.distance(loaded[place].kinematics.pose.position);
                let (speed, rolling) = speeds(place);
                speed + if rolling > 0.0 { 2.0 * rolling * arm } else { 0.0 }
            });
            end.max(frame.separation - h * (moves[0] + moves[1]))
        };
        let contacts = active.constraints.iter().zip(&constraints.frames).zip(&active.pairs);
        let separations = contacts.map(end).collect();
        for k in 0..island.bodies.len() {
            if let Some((_, ends)) = integrated(k) {
                twists[k] = ends[1];
            }
        }
        Self { poses, twists, separations }
    }

    /// The twists of these bodies of the island, or supports after them, during the step.
    pub(crate) fn twists_of(&self, places: [usize; 2]) -> [Twist; 2] {
        places.map(|place| self.twists[place])
    }

    /// The pose of a body of the island, or of a support after them.
    pub(crate) fn pose(&self, place: usize) -> Pose {
        self.poses[place]
    }
}

/// Whether a contact that would overlap by `end` lies beyond the ends of its features: the lines and planes of its
/// function are unbounded. Where edges or sides of cylinders are nearly parallel their nearest points jump along them.
fn has_left_feature(
    detection: &Detection,
    constraint: &ContactConstraint,
    pair: [u32; 2],
    poses: [&Pose; 2],
    end: f64,
) -> bool {
    let points = constraint.function.points(poses[0], poses[1]);
    (0..2).any(|side| {
        let collider = detection.collider(pair[side]);
        collider.is_some_and(|collider| collider.distance(poses[side], points[side]) > BEYOND_FEATURE * -end)
    })
}

impl Simulation {
    /// Records how deep bodies overlap half-way through a time step: points of rotating bodies move on arcs, so a point
    /// that touches at both ends overlaps between them. A passive step, as those of a pile, promises [`STEP_OVERLAP`].
    pub(crate) fn note_overlaps_half_way(
        &mut self,
        track: usize,
        (t, until): (f64, f64),
        is_passive: bool,
    ) -> Result<(), Stop> {
        let share = (until - t) / self.state.shortest_characteristic_time(track);
        if is_passive || (self.is_pile() && self.is_in_stepping_regime()) {
            // As long as arcs of the promised height.
            self.state.log.longest_share = self.state.log.longest_share.max((2.0 * STEP_OVERLAP).sqrt());
        } else if !self.goes_straight() {
            self.state.log.longest_share = self.state.log.longest_share.max(share);
        }
        if share < SHORT_STEP {
            return Ok(());
        }
        let middle = 0.5 * (t + until);
        let (world, place, tracks) = (&self.world, &self.state.places, &self.state.tracks);
        let pose = |body: u32| {
            let on_track = place[body as usize].filter(|(k, _)| *k == track);
            let moved = on_track.and_then(|(k, place)| Some(tracks[k].motion(place)?.pose(middle)));
            let prescribed = || world.body(BodyId::from_rank(body as usize)).prescribed_motion();
            moved.or_else(|| Some(prescribed()?.pose(middle)))
        };
        let log = &mut self.state.log;
        let note = |pair, separation, tolerance| log.note_overlap(pair, separation, tolerance);
        let visited = self.scratch.cluster.visit_gaps(&self.state.detection, pose, note);
        visited.map_err(|(bodies, pair)| Stop::unsupported(&self.world, t, bodies, pair))
    }

    /// Finds features that overlap at the end of the time step and are not among its contacts, and adds them; returns
    /// the deepest overlap, by the contact tolerance.
    pub(crate) fn add_overlaps_at_end(
        &mut self,
        (t, h): (f64, f64),
        island: &Island,
        active: &mut ActiveSet,
        gaps: &mut Vec<f64>,
        ends: &Ends,
    ) -> Result<f64, Stop> {
        let known: BTreeSet<([u32; 2], ContactId)> =
            active.pairs.iter().copied().zip(active.features.iter().copied()).collect();
        let mut deepest = 0.0_f64;
        let pose = |body: u32| island.place(BodyId::from_rank(body as usize)).map(|k| ends.poses[k]);
        let overlaps = self.scratch.cluster.overlaps_at(&self.world, &self.state.detection, pose);
        let overlaps = overlaps.map_err(|(bodies, pair)| Stop::unsupported(&self.world, t, bodies, pair))?;
        for touching in overlaps {
            deepest = deepest.max(-touching.contact.separation / touching.tolerance);
            if known.contains(&(touching.bodies, touching.contact.id)) {
                continue;
            }
            let before = active.constraints.len();
            active.add(island, touching.bodies, touching.contact.id, &self.constraint_of(t, &touching));
            let constraint = active.constraints[before];
            let mut frame = Frame::new(&self.scratch.island.loaded, &constraint);
            frame.keep_within(&self.scratch.island.loaded, &constraint, h);
            // At the start of the step this function is about another place.
            if frame.normal.dot(touching.contact.normal) < SAME_NORMAL {
                active.truncate(before);
                continue;
            }
            let twists = constraint.bodies.map(|k| ends.twists[k]);
            gaps.push(touching.contact.separation - h * frame.rows[0].rate(&twists));
            self.scratch.cluster.contacts.push(touching);
            self.scratch.island.constraints.frames.push(frame);
            self.scratch.island.constraints.forces.push(DVec3::ZERO);
        }
        Ok(deepest)
    }
}
