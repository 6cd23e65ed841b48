//! Where everyone is at the end of a time step, and what overlaps there.

use std::collections::BTreeSet;

use crate::body::BodyState;
use crate::contact::rest::{ContactConstraint, Frame};
use crate::drive::exact::detect::detection::Detection;
use crate::drive::exact::island::articulated_motion::{ArticulatedMotion, ArticulatedPart};
use crate::drive::exact::island::equations::ActiveSet;
use crate::drive::exact::island::row::{part, rate};
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Stop;
use crate::dynamics::Island;
use crate::math::{DVec3, Pose, Twist};
use crate::motion::{Flight, Motion};
use crate::narrow_phase::ContactId;
use crate::world::{BodyId, World};

/// The least cosine of the angle that the normal of a contact turns by within a step.
const SAME_PLACE: f64 = 0.9;

/// A contact is beyond the end of what it is on if it is so many times farther out than it overlaps.
const BEYOND: f64 = 2.0;

/// Everything at the end of a step.
pub(crate) struct Ends {
    /// Of the bodies of the island and its supports.
    poses: Vec<Pose>,
    /// With which they go there.
    twists: Vec<Twist>,
    /// Of all contacts, m.
    pub(crate) separations: Vec<f64>,
}

impl Ends {
    /// With the impulses as last found, of bodies that go on from there as the step lets them.
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
            // What its own turning makes of the spin comes while it drifts.
            let own = loaded[k].inv_inertia * states[id.index()].angular_momentum.cross(spin);
            twists[k].velocity = velocity + h * kinematics.acceleration;
            twists[k].spin = spin + h * (kinematics.spin_rate - own);
        }
        for (i, constraint) in active.constraints.iter().enumerate() {
            for (side, place) in
                constraint.bodies.iter().enumerate().filter(|(_, place)| **place < island.bodies.len())
            {
                for (row, p, _) in constraints.components(i) {
                    let (linear, angular) = part(row, side);
                    twists[*place].velocity += p * loaded[*place].inv_mass * linear;
                    twists[*place].spin += p * (loaded[*place].inv_inertia * angular);
                }
            }
        }
        // Those that joints hold have gone their way.
        let went = |k: usize| {
            articulated_motion.and_then(|(articulated_part, articulated_motion)| {
                Some(articulated_motion.end_of(articulated_part.slot(k)?))
            })
        };
        let drifted = |(k, id): (usize, &BodyId)| {
            if let Some((pose, _)) = went(k) {
                return pose;
            }
            let (inertia, start) = (world.body(*id).inertia(), loaded[k].kinematics.pose);
            let state = BodyState::new(inertia, &start, &twists[k]);
            Flight::new(inertia, &state, DVec3::ZERO, 0.0).pose(h)
        };
        let mut poses: Vec<Pose> = island.bodies.iter().enumerate().map(drifted).collect();
        for (id, body) in island.supports.iter().zip(&loaded[island.bodies.len()..]) {
            let motion = world.body(*id).prescribed_motion();
            poses.push(motion.map_or(body.kinematics.pose, |motion| motion.pose(t + h)));
        }
        let speeds = |place: usize| match went(place) {
            Some((_, ends)) => ends.iter().fold((0.0_f64, 0.0_f64), |(v, w), twist| {
                (v.max(twist.velocity.length()), w.max(twist.spin.length()))
            }),
            None => (twists[place].velocity.length(), twists[place].spin.length()),
        };
        let end = |((constraint, frame), pair): ((&ContactConstraint, &Frame), &[u32; 2])| {
            let [a, b] = constraint.bodies;
            let end = constraint.function.value(&poses[a], &poses[b]);
            if end < 0.0 && has_left(detection, constraint, *pair, [&poses[a], &poses[b]], end) {
                // What there is at the end is seen there.
                return end.max(frame.separation + h * rate(&frame.rows[0], &[twists[a], twists[b]]));
            }
            // A gap closes by no more than its bodies move. A function whose point leaps (a rim that lies on another) may say so,
            // and impulses that undo it within the step would throw bodies about.
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
            if let Some((_, ends)) = went(k) {
                twists[k] = ends[1];
            }
        }
        Self { poses, twists, separations }
    }

    /// How these bodies of the island, or supports after them, go there.
    pub(crate) fn twists_of(&self, places: [usize; 2]) -> [Twist; 2] {
        places.map(|place| self.twists[place])
    }

    /// Where a body of the island, or a support after them, is.
    pub(crate) fn pose(&self, place: usize) -> Pose {
        self.poses[place]
    }
}

/// Whether a contact that would overlap by `end` is beyond the ends of what it is on: lines and planes of its function have none.
/// Where sides of cylinders or edges are nearly parallel their nearest points leap along them.
fn has_left(
    detection: &Detection,
    constraint: &ContactConstraint,
    pair: [u32; 2],
    poses: [&Pose; 2],
    end: f64,
) -> bool {
    let points = constraint.function.points(poses[0], poses[1]);
    (0..2).any(|side| {
        let collider = detection.collider(pair[side]);
        collider.is_some_and(|collider| collider.distance(poses[side], points[side]) > BEYOND * -end)
    })
}

/// Half-way through steps shorter than this share of the characteristic time of their bodies nothing is deeper than at the ends.
const SHORT: f64 = 1e-5;

impl Simulation {
    /// Takes note of how deep bodies overlap half-way through a time step: points of bodies that turn go on arcs, and
    /// where both ends of one are in touch its middle is not.
    pub(crate) fn note_arcs(&mut self, track: usize, (t, until): (f64, f64)) -> Result<(), Stop> {
        let share = (until - t) / self.shortest_characteristic_time(track);
        if !self.goes_straight() {
            self.state.log.longest_share = self.state.log.longest_share.max(share);
        }
        if share < SHORT {
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
        let note = |separation, tolerance| log.note_overlap(separation, tolerance);
        let looked = self.scratch.cluster.visit(&self.state.detection, pose, note);
        looked.map_err(|refused| self.refused_pair(t, refused))
    }

    /// Looks for features that overlap at the end of the step and are not among its contacts, and adds them; how deep any
    /// overlap, by the contact tolerance.
    pub(crate) fn see_end(
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
        let seen = self.scratch.cluster.overlaps_at(&self.world, &self.state.detection, pose);
        let seen = seen.map_err(|refused| self.refused_pair(t, refused))?;
        for touching in seen {
            deepest = deepest.max(-touching.contact.separation / touching.tolerance);
            if known.contains(&(touching.bodies, touching.contact.id)) {
                continue;
            }
            let before = active.constraints.len();
            active.add(island, touching.bodies, touching.contact.id, &self.constraint_of(t, &touching));
            let constraint = active.constraints[before];
            let mut frame = Frame::new(&self.scratch.island.loaded, &constraint);
            frame.keep_within(&self.scratch.island.loaded, &constraint, h);
            // Seen from the start of the step it is another place altogether.
            if frame.normal.dot(touching.contact.normal) < SAME_PLACE {
                active.truncate(before);
                continue;
            }
            let twists = constraint.bodies.map(|k| ends.twists[k]);
            gaps.push(touching.contact.separation - h * rate(&frame.rows[0], &twists));
            self.scratch.cluster.contacts.push(touching);
            self.scratch.island.constraints.frames.push(frame);
            self.scratch.island.constraints.forces.push(DVec3::ZERO);
        }
        Ok(deepest)
    }
}
