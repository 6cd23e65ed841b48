//! The start of a run: checks for overlaps, and queues the first tasks.

use crate::drive::exact::detect::ball_contact;
use crate::drive::exact::island::joint_scales::evaluate_at;
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::joint_check::{PLACEMENT_TOLERANCE, check_values};
use crate::drive::exact::queue::Task;
use crate::drive::exact::simulation::Simulation;
use crate::drive::exact::stop::Reason;
use crate::drive::exact::stop::Stop;
use crate::math::Aabb;
use crate::narrow_phase::{ContactId, Feature, Statistics, Tolerance, Witness, separate_within};
use crate::record::{Event, EventKind, EventPlace};
use crate::world::{BodyId, Overlaps};

impl Simulation {
    /// Queues the first tasks, and rejects bodies that overlap.
    pub(crate) fn prepare(&mut self) -> Result<(), Stop> {
        for (k, track) in self.state.tracks.iter().enumerate() {
            // Pairs at the start are searched when all motions are known: −0 comes before 0.
            let due = if track.is_known() { track.clock() } else { -0.0 };
            self.state.queue.add(due, Task::Step { track: k as u32, version: track.version });
        }
        if self.state.detection.is_off() {
            return self.begin_joints();
        }
        self.check_planes()?;
        self.check_overlaps()?;
        let known = |body: &u32| match self.state.places[*body as usize] {
            Some((track, _)) => self.state.tracks[track].is_known(),
            None => true,
        };
        let bodies: Vec<u32> = (0..self.state.places.len() as u32).filter(known).collect();
        self.refit(&bodies, 0.0)?;
        self.begin_joints()
    }

    /// Decides the modes of limits, friction and motors of joints at the start, and puts mechanisms in equilibrium at
    /// rest.
    fn begin_joints(&mut self) -> Result<(), Stop> {
        for k in 0..self.state.tracks.len() {
            let island = &self.state.tracks[k].island;
            if island.joints.is_empty() {
                continue;
            }
            if self.has_rows(island) || self.is_at_rest_now(k) {
                self.begin_anew(0.0, k)?;
            }
        }
        (0..self.state.tracks.len()).try_for_each(|k| self.check_rigidity(k))
    }

    /// Checks that an infinite plane does not rotate; it may slide along.
    fn check_planes(&self) -> Result<(), Stop> {
        for id in self.world.body_ids() {
            let collider = self.state.detection.collider(id.index() as u32);
            let is_plane = collider.is_some_and(|collider| collider.plane().is_some());
            let turns =
                self.world.body(id).prescribed_motion().is_none_or(|motion| !motion.keeps_orientation());
            if is_plane && turns {
                let body = self.world.body_name(id);
                let problem = "an infinite plane cannot turn; use a large box";
                return Err(Stop { t: 0.0, reason: Reason::Intervention { body, problem } });
            }
        }
        Ok(())
    }

    fn check_overlaps(&mut self) -> Result<(), Stop> {
        for body in 0..self.state.places.len() as u32 {
            let Some(collider) = self.state.detection.collider(body) else { continue };
            let pose = self.world.body(BodyId::from_rank(body as usize)).start_pose();
            if collider.radius < f64::INFINITY {
                let around = Aabb::point(pose.position).grown(collider.radius);
                self.state.detection.insert_at_start(body, around);
            }
        }
        let (mut found, mut open) = (Vec::new(), Vec::new());
        for body in 0..self.state.places.len() as u32 {
            let Some(around) = self.state.detection.start_box(body) else { continue };
            self.state.detection.neighbours(body, &around, &mut found, &mut open);
            // A plane has no box and searches no neighbours: its pairs are found from the other side.
            found.retain(|other| *other > body || self.state.detection.start_box(*other).is_none());
            for &other in &found {
                self.check_overlap([body.min(other), body.max(other)])?;
            }
        }
        Ok(())
    }

    fn check_overlap(&mut self, bodies: [u32; 2]) -> Result<(), Stop> {
        let ids = bodies.map(|body| BodyId::from_rank(body as usize));
        let [a, b] = bodies;
        let (Some(collider_a), Some(collider_b)) =
            (self.state.detection.collider(a), self.state.detection.collider(b))
        else {
            return Ok(());
        };
        let poses = ids.map(|id| self.world.body(id).start_pose());
        let (placed_a, placed_b) = (collider_a.placed(&poses[0]), collider_b.placed(&poses[1]));
        if let Some(contact) = ball_contact::contact([collider_a, collider_b], [&poses[0], &poses[1]])
            && contact.separation >= 0.0
        {
            return Ok(());
        }
        let placed = (&placed_a, &placed_b);
        let found = separate_within(0.0, placed, &mut Witness::Unknown, &mut Statistics::default());
        let found = found.map_err(|pair| {
            let bodies = ids.map(|id| self.world.body_name(id));
            Stop { t: 0.0, reason: Reason::Unsupported { bodies, pair } }
        })?;
        let Some(found) = found else { return Ok(()) };
        if found.distance >= -Tolerance::of_pair(&placed_a, &placed_b, 0.0).length {
            return Ok(());
        }
        match self.world.contact().overlaps {
            Overlaps::Refuse => {
                let bodies = ids.map(|id| self.world.body_name(id));
                Err(Stop { t: 0.0, reason: Reason::Overlap { bodies, depth: -found.distance } })
            }
            Overlaps::Report => {
                self.state.detection.ignore_until_apart(bodies);
                let place = EventPlace {
                    bodies: ids,
                    features: ContactId { a: Feature::Face(0), b: Feature::Face(0) },
                    point: 0.5 * (found.points[0] + found.points[1]),
                    normal: found.normal,
                };
                self.state.log.events.push(Event::new(0.0, 0, EventKind::Overlap, place));
                Ok(())
            }
        }
    }
}

impl Simulation {
    /// Checks that the bodies of a track satisfy their joints nearly, in the current states.
    pub(crate) fn check_joints_of(&mut self, track: usize) -> Result<(), Stop> {
        let present: Vec<usize> =
            self.scratch.island.articulation_index.of_island(&self.state.tracks[track].island).collect();
        for k in present {
            evaluate_at(
                &self.world,
                &self.state.states,
                Workspace { joints: &mut self.state.joints, scratch: &mut self.scratch.island },
                (k, self.state.t),
            );
            check_values(
                &self.world,
                &self.scratch.island.constraints.articulations[k].system,
                (self.state.t, PLACEMENT_TOLERANCE),
            )?;
        }
        Ok(())
    }
}
