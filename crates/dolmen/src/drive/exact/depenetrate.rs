//! Bodies that overlap at the start: moved apart where that is rounding, and else refused or let pass.

use serde::{Deserialize, Serialize};

use crate::body::BodyState;
use crate::drive::exact::detect::detection::Detection;
use crate::drive::exact::log::Log;
use crate::drive::exact::stop::{Reason, Stop};
use crate::drive::exact::tolerances::{LARGEST_MOVE, LEFT_OVER, TYPED_DIGITS};
use crate::math::{Aabb, DVec3, Pose};
use crate::narrow_phase::{ContactId, Feature, Statistics, Tolerance, Witness, separate_within};
use crate::record::{Event, EventKind, EventPlace};
use crate::world::{BodyId, Overlaps, World};

/// Two bodies that overlapped at the start by no more than the digits of typed numbers, and were moved apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Which.
    pub bodies: [BodyId; 2],
    /// How deep they overlapped, m.
    pub depth: f64,
}

/// The start of all bodies, with overlaps taken out or refused.
pub(crate) struct Overlapping<'a> {
    pub(crate) world: &'a World,
    pub(crate) detection: &'a mut Detection,
    pub(crate) states: &'a mut [BodyState],
    pub(crate) log: &'a mut Log,
}

impl Overlapping<'_> {
    /// Moves bodies apart that overlap by no more than the digits of typed numbers, and refuses or notes deeper overlaps.
    ///
    /// A body that is moved may come to overlap another: pairs are looked at again until none does.
    pub(crate) fn resolve(&mut self) -> Result<Vec<Moved>, Stop> {
        let mut moved: Vec<Moved> = Vec::new();
        if self.detection.is_off() {
            return Ok(moved);
        }
        let pairs = self.pairs();
        // A chain of bodies takes some passes for each of them.
        for pass in 0..10 * (self.states.len() + 10) {
            let mut is_apart = true;
            for pair in &pairs {
                let Some(depth) = self.resolve_pair(*pair, pass)? else { continue };
                is_apart = false;
                if pass > 0 {
                    continue;
                }
                let bodies = pair.map(|body| BodyId::from_rank(body as usize));
                moved.push(Moved { bodies, depth });
            }
            if is_apart {
                break;
            }
        }
        Ok(moved)
    }

    /// All pairs that may overlap at the start.
    fn pairs(&mut self) -> Vec<[u32; 2]> {
        for body in 0..self.states.len() as u32 {
            let Some(collider) = self.detection.collider(body) else { continue };
            let pose = self.world.body(BodyId::from_rank(body as usize)).start_pose();
            if collider.radius < f64::INFINITY {
                let around = Aabb::point(pose.position).grown(collider.radius);
                self.detection.insert_at_start(body, around);
            }
        }
        let (mut pairs, mut found, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for body in 0..self.states.len() as u32 {
            let Some(around) = self.detection.start_box(body) else { continue };
            self.detection.neighbours(body, &around, &mut found, &mut open);
            // A plane has no box and searches no neighbours: its pairs are found from the other side.
            found.retain(|other| *other > body || self.detection.start_box(*other).is_none());
            pairs.extend(found.iter().map(|other| [body.min(*other), body.max(*other)]));
        }
        pairs
    }

    fn pose(&self, body: u32) -> Pose {
        let id = BodyId::from_rank(body as usize);
        if self.world.body(id).is_dynamic() {
            self.states[id.index()].pose()
        } else {
            self.world.body(id).start_pose()
        }
    }

    /// Takes the overlap of a pair out; how deep it was, if there was one that was taken out.
    fn resolve_pair(&mut self, bodies: [u32; 2], pass: usize) -> Result<Option<f64>, Stop> {
        let ids = bodies.map(|body| BodyId::from_rank(body as usize));
        let [a, b] = bodies;
        let (Some(collider_a), Some(collider_b)) = (self.detection.collider(a), self.detection.collider(b))
        else {
            return Ok(None);
        };
        let poses = bodies.map(|body| self.pose(body));
        let (placed_a, placed_b) = (collider_a.placed(&poses[0]), collider_b.placed(&poses[1]));
        if let Some(contact) = self.detection.ball_contact(bodies, [&poses[0], &poses[1]])
            && contact.separation >= 0.0
        {
            return Ok(None);
        }
        let placed = (&placed_a, &placed_b);
        let found = separate_within(0.0, placed, &mut Witness::Unknown, &mut Statistics::default());
        let found = found.map_err(|pair| {
            let bodies = ids.map(|id| self.world.body_name(id));
            Stop { t: 0.0, reason: Reason::Unsupported { bodies, pair } }
        })?;
        let Some(found) = found else { return Ok(None) };
        let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
        // Once bodies are moved, they are moved until nothing of their overlaps is left.
        let kept = if pass == 0 { tolerance } else { LEFT_OVER * tolerance };
        if found.distance >= -kept {
            return Ok(None);
        }
        let depth = -found.distance;
        let size = placed_a.geometry.size().min(placed_b.geometry.size());
        // A body that was moved out of one may be pushed into another by more than each was typed.
        if depth <= TYPED_DIGITS * size || (pass > 0 && depth <= LARGEST_MOVE * TYPED_DIGITS * size) {
            self.part(ids, depth * found.normal);
            return Ok(Some(depth));
        }
        match self.world.contact().overlaps {
            Overlaps::Refuse => {
                let bodies = ids.map(|id| self.world.body_name(id));
                Err(Stop { t: 0.0, reason: Reason::Overlap { bodies, depth } })
            }
            Overlaps::Report => {
                self.detection.ignore_until_apart(bodies);
                let place = EventPlace {
                    bodies: ids,
                    features: ContactId { a: Feature::Face(0), b: Feature::Face(0) },
                    point: 0.5 * (found.points[0] + found.points[1]),
                    normal: found.normal,
                };
                self.log.events.push(Event::new(0.0, 0, EventKind::Overlap, place));
                Ok(None)
            }
        }
    }

    /// Moves the first of two bodies by `shift` relative to the second; the lighter one by more.
    fn part(&mut self, ids: [BodyId; 2], shift: DVec3) {
        let [inv_a, inv_b] = ids.map(|id| {
            let body = self.world.body(id);
            if body.is_dynamic() { body.inertia().inv_mass } else { 0.0 }
        });
        let share = inv_a / (inv_a + inv_b);
        self.states[ids[0].index()].position += share * shift;
        self.states[ids[1].index()].position -= (1.0 - share) * shift;
    }
}
