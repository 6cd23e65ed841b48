//! What is seen of the contacts of an island at one time on its span: where pairs that rest touch besides, and which
//! contacts have come to the end of what they are on.

use crate::drive::exact::detect::ball_contact;
use crate::drive::exact::simulation::Simulation;
use crate::math::Pose;
use crate::math::bracket::bisect;
use crate::motion::Motion;
use crate::narrow_phase::{
    Contact, ContactFunction, ContactKind, Manifold, Statistics, Tolerance, contacts, separate,
};
use crate::world::BodyId;

/// Points of a feature closer than this share of the size of a body are one contact.
const KNOWN_POINT: f64 = 1e-2;

/// Points of a rim that are nearer than this share of the contact tolerance, and have come nearer by that share, lie down.
pub(crate) const LYING: f64 = 0.25;

/// How far beyond the border of a face or the end of an edge a contact has left it, by the contact tolerance: up to once
/// that, a look still takes it for one on the border.
const LEFT: f64 = 1.5;

/// A contact that was beyond to begin with has left when it is so many times further.
const FURTHER: f64 = 2.0;

/// An overlap of meshes or compounds that is deeper than this, by the contact tolerance, has come to be: of what lies deep
/// inside of a mesh there are no contacts.
const DEEP: f64 = 0.75;

/// A contact that comes into being: its separation as a function of the poses of the bodies.
pub(crate) struct NewContact {
    pub(crate) pair: [u32; 2],
    pub(crate) function: ContactFunction,
    pub(crate) tolerance: f64,
    /// Whether it is one of a rim that lies down: these are events just before they touch.
    pub(crate) is_round: bool,
}

/// What there is to see of the pairs that rest.
#[derive(Default)]
pub(crate) struct GuardSample {
    /// Contacts that are not among those that carry force, and overlap or are about to.
    pub(crate) new: Vec<NewContact>,
    /// Whether a pair touches from the other side than the forces hold it on: a thin body has gone through a plane.
    pub(crate) is_through: bool,
    /// Pairs of which one is made of parts and that overlap, and the contact tolerance for them, m: a corner that slides
    /// along a face into a hollow comes through the next face beyond the border of its own.
    pub(crate) deep: Vec<([u32; 2], f64)>,
}

impl Simulation {
    /// Where a body is at a time on its span.
    pub(crate) fn pose_at(&self, body: u32, t: f64) -> Pose {
        let id = BodyId::from_rank(body as usize);
        match (self.world.body(id).prescribed_motion(), self.state.places[body as usize]) {
            (Some(motion), _) => motion.pose(t),
            (None, Some((track, k))) => self.state.tracks[track]
                .motion(k)
                .map_or(self.state.states.bodies[body as usize].pose(), |m| m.pose(t)),
            (None, None) => Pose::IDENTITY,
        }
    }

    /// The least separation of all contacts of a pair at `t`, m.
    pub(crate) fn least_separation(&self, pair: [u32; 2], t: f64) -> f64 {
        let mut least = f64::INFINITY;
        self.visit(&[pair], t, |_, _, _, manifold| {
            least = manifold.contacts().iter().map(|contact| contact.separation).fold(least, f64::min);
        });
        least
    }

    /// When a pair that overlaps at `bad` came to do so.
    pub(crate) fn first_depth(&self, (pair, tolerance): ([u32; 2], f64), good: f64, bad: f64) -> f64 {
        // What overlaps already counts when it is deeper.
        let level = (-DEEP * tolerance).min(self.separation_at(pair, good) - 0.5 * tolerance);
        bisect(good, bad, |t| self.separation_at(pair, t) < level)
    }

    /// How far the bodies of a pair are apart at `t`, m; negative by how deep they are in each other.
    fn separation_at(&self, pair: [u32; 2], t: f64) -> f64 {
        self.separation_in(pair, &pair.map(|body| self.pose_at(body, t)))
    }

    fn separation_in(&self, pair: [u32; 2], poses: &[Pose; 2]) -> f64 {
        let [Some(a), Some(b)] = pair.map(|body| self.state.detection.collider(body)) else {
            return f64::INFINITY;
        };
        let (mut witness, mut statistics) = (self.state.detection.witness(pair), Statistics::default());
        let found = separate(&a.placed(&poses[0]), &b.placed(&poses[1]), &mut witness, &mut statistics);
        found.map_or(f64::INFINITY, |found| found.distance)
    }

    /// Calls `see` with every pair that rests, its poses at `t`, its tolerance and its contacts there.
    fn visit_pairs(&self, k: usize, t: f64, sample_pairs: impl FnMut([u32; 2], &[Pose; 2], f64, &Manifold)) {
        let Some(active) = &self.state.tracks[k].active else { return };
        let mut pairs = active.pairs.clone();
        pairs.sort_unstable();
        pairs.dedup();
        self.visit(&pairs, t, sample_pairs);
    }

    /// As [`Simulation::look_at_pairs`], of these pairs.
    fn visit(
        &self,
        pairs: &[[u32; 2]],
        t: f64,
        mut sample_pairs: impl FnMut([u32; 2], &[Pose; 2], f64, &Manifold),
    ) {
        let mut manifold = Manifold::default();
        for &pair in pairs {
            let poses = pair.map(|body| self.pose_at(body, t));
            let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
            else {
                continue;
            };
            if ball_contact::contact([collider_a, collider_b], [&poses[0], &poses[1]]).is_some() {
                // One point, and it is the one that is known.
                continue;
            }
            let (placed_a, placed_b) = (collider_a.placed(&poses[0]), collider_b.placed(&poses[1]));
            let mut statistics = Statistics::default();
            let mut witness = self.state.detection.witness(pair);
            if contacts(&placed_a, &placed_b, &mut witness, &mut statistics, &mut manifold).is_err() {
                continue;
            }
            let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
            sample_pairs(pair, &poses, tolerance, &manifold);
        }
    }

    /// Looks at all pairs of an island that rest.
    pub(crate) fn sample_pairs(&self, k: usize, t: f64) -> GuardSample {
        let mut sample = GuardSample::default();
        let Some(active) = &self.state.tracks[k].active else { return sample };
        self.visit_pairs(k, t, |pair, poses, tolerance, manifold| {
            let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
            else {
                return;
            };
            // One feature may touch at several points: a rim, the side of a cylinder.
            let near = KNOWN_POINT * collider_a.radius.min(collider_b.radius);
            let known = |contact: &Contact| {
                let of_pair = (0..active.pairs.len()).filter(|i| active.pairs[*i] == pair);
                let mut same = of_pair.filter(|i| active.features[*i] == contact.id);
                same.any(|i| {
                    let points = active.constraints[i].function.points(&poses[0], &poses[1]);
                    points[0].distance(contact.point) <= near
                })
            };
            for contact in manifold.contacts() {
                let is_round = contact.kind() == ContactKind::Round;
                let level = if is_round { LYING * tolerance } else { -0.5 * tolerance };
                if contact.separation < level && !known(contact) {
                    let function = contact.function.in_bodies(&collider_a.frame(), &collider_b.frame());
                    sample.new.push(NewContact { pair, function, tolerance, is_round });
                }
            }
            let is_composite = collider_a.is_composite() || collider_b.is_composite();
            if is_composite && self.separation_in(pair, poses) < -DEEP * tolerance {
                sample.deep.push((pair, tolerance));
            }
            for i in (0..active.pairs.len()).filter(|i| active.pairs[*i] == pair) {
                let normal = active.constraints[i].function.normal(&poses[0], &poses[1]);
                sample.is_through |= manifold.contacts().iter().any(|c| c.normal.dot(normal) < -0.5);
            }
        });
        sample
    }

    /// How far each contact of an island is beyond the border of the face, or the end of the edge, that it is on, m; zero on
    /// it. Its separation is that of planes and lines without end: bodies would go on resting where there is nothing.
    pub(crate) fn beyond(&self, k: usize, t: f64) -> Vec<f64> {
        let Some(active) = &self.state.tracks[k].active else { return Vec::new() };
        let of = |(constraint, pair): (&crate::contact::rest::ContactConstraint, &[u32; 2])| {
            let poses = pair.map(|body| self.pose_at(body, t));
            let points = constraint.function.points(&poses[0], &poses[1]);
            let side = |side: usize| {
                let collider = self.state.detection.collider(pair[side]);
                collider.map_or(0.0, |collider| collider.distance(&poses[side], points[side]))
            };
            side(0).max(side(1))
        };
        active.constraints.iter().zip(&active.pairs).map(of).collect()
    }

    /// Whether a contact has left what it was on; `before` is how far each was beyond to begin with.
    pub(crate) fn has_left(&self, k: usize, t: f64, before: &[f64]) -> bool {
        let Some(active) = &self.state.tracks[k].active else { return false };
        let now = self.beyond(k, t);
        let left = |(i, (now, before)): (usize, (&f64, &f64))| {
            *now > (FURTHER * before).max(LEFT * self.tolerance_of(active.pairs[i], t))
        };
        now.iter().zip(before).enumerate().any(left)
    }

    /// The contact tolerance for a pair, m.
    fn tolerance_of(&self, pair: [u32; 2], t: f64) -> f64 {
        let [Some(a), Some(b)] = pair.map(|body| self.state.detection.collider(body)) else { return 0.0 };
        let poses = pair.map(|body| self.pose_at(body, t));
        Tolerance::of_pair(&a.placed(&poses[0]), &b.placed(&poses[1]), 0.0).length
    }
}
