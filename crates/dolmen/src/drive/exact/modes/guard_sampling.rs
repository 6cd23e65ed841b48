//! Samples the contact guards of an island at one time on its span: new contacts of its pairs, and contacts that leave
//! their feature.

use crate::drive::exact::modes::tolerances::{
    COMPOSITE_OVERLAP, LEFT_FEATURE, LEFT_GROWTH, RIM_FLAT, SAME_POINT,
};
use crate::drive::exact::state::State;
use crate::drive::exact::state::view::View;
use crate::math::Pose;
use crate::math::bracket::bisect;
use crate::motion::Motion;
use crate::narrow_phase::{
    Contact, ContactFunction, ContactKind, Manifold, Statistics, Tolerance, contacts, separate,
};
use crate::world::BodyId;
use crate::world::World;

/// A new contact: its separation as a function of the poses of the bodies.
pub(crate) struct NewContact {
    pub(crate) pair: [u32; 2],
    pub(crate) function: ContactFunction,
    pub(crate) tolerance: f64,
    /// Whether it belongs to a rim that tips flat: its event is just before it touches.
    pub(crate) is_round: bool,
}

/// What a sample finds of the pairs with active constraints.
#[derive(Default)]
pub(crate) struct GuardSample {
    /// Contacts outside of the active set that overlap or are about to.
    pub(crate) new: Vec<NewContact>,
    /// Whether a pair touches from the side opposite to its constraints: a thin body has gone through a plane.
    pub(crate) is_through: bool,
    /// Overlapping pairs with a composite body, and their contact tolerance, m: a corner that slides along a face into
    /// a hollow penetrates the next face beyond the border of its own.
    pub(crate) deep: Vec<([u32; 2], f64)>,
}

impl View<'_> {
    /// The smallest separation of all contacts of a pair at `t`, m.
    pub(crate) fn smallest_separation(&self, pair: [u32; 2], t: f64) -> f64 {
        let mut smallest = f64::INFINITY;
        self.visit_contacts(&[pair], t, |_, _, _, manifold| {
            smallest = manifold.contacts().iter().map(|contact| contact.separation).fold(smallest, f64::min);
        });
        smallest
    }

    /// When a pair that overlaps at `bad` began to overlap.
    pub(crate) fn first_depth(&self, (pair, tolerance): ([u32; 2], f64), good: f64, bad: f64) -> f64 {
        // An overlap at the start triggers only when it grows.
        let level = (-COMPOSITE_OVERLAP * tolerance).min(self.separation_at(pair, good) - 0.5 * tolerance);
        bisect(good, bad, |t| self.separation_at(pair, t) < level)
    }

    /// The separation of a pair at `t`, m; negative by the penetration depth.
    fn separation_at(&self, pair: [u32; 2], t: f64) -> f64 {
        self.state.separation_in(pair, &pair.map(|body| self.state.pose_at(self.world, body, t)))
    }

    /// Calls `visit` with every pair of the active set, its poses at `t`, its tolerance and its contacts there.
    fn visit_active_pairs(&self, k: usize, t: f64, visit: impl FnMut([u32; 2], &[Pose; 2], f64, &Manifold)) {
        let Some(active) = &self.state.tracks[k].active else { return };
        let mut pairs = active.pairs.clone();
        pairs.sort_unstable();
        pairs.dedup();
        self.visit_contacts(&pairs, t, visit);
    }

    /// As [`View::visit_active_pairs`], for these pairs.
    fn visit_contacts(
        &self,
        pairs: &[[u32; 2]],
        t: f64,
        mut visit: impl FnMut([u32; 2], &[Pose; 2], f64, &Manifold),
    ) {
        let mut manifold = Manifold::default();
        for &pair in pairs {
            let poses = pair.map(|body| self.state.pose_at(self.world, body, t));
            let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
            else {
                continue;
            };
            if self.state.detection.ball_contact(pair, [&poses[0], &poses[1]]).is_some() {
                // A single point, which is in the active set already.
                continue;
            }
            let (placed_a, placed_b) = (collider_a.placed(&poses[0]), collider_b.placed(&poses[1]));
            let mut statistics = Statistics::default();
            let mut witness = self.state.detection.witness(pair);
            if contacts(&placed_a, &placed_b, &mut witness, &mut statistics, &mut manifold).is_err() {
                continue;
            }
            let tolerance = Tolerance::of_pair(&placed_a, &placed_b, 0.0).length;
            visit(pair, &poses, tolerance, &manifold);
        }
    }

    /// Samples all pairs of the active set of an island.
    pub(crate) fn sample_pairs(&self, k: usize, t: f64) -> GuardSample {
        let mut sample = GuardSample::default();
        let Some(active) = &self.state.tracks[k].active else { return sample };
        self.visit_active_pairs(k, t, |pair, poses, tolerance, manifold| {
            let [Some(collider_a), Some(collider_b)] = pair.map(|body| self.state.detection.collider(body))
            else {
                return;
            };
            // One feature may touch at several points: a rim, the side of a cylinder.
            let near = SAME_POINT * collider_a.radius.min(collider_b.radius);
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
                let level = if is_round { RIM_FLAT * tolerance } else { -0.5 * tolerance };
                if contact.separation < level && !known(contact) {
                    let function = contact.function.in_bodies(&collider_a.frame(), &collider_b.frame());
                    sample.new.push(NewContact { pair, function, tolerance, is_round });
                }
            }
            let is_composite = collider_a.is_composite() || collider_b.is_composite();
            if is_composite && self.state.separation_in(pair, poses) < -COMPOSITE_OVERLAP * tolerance {
                sample.deep.push((pair, tolerance));
            }
            for i in (0..active.pairs.len()).filter(|i| active.pairs[*i] == pair) {
                let normal = active.constraints[i].function.normal(&poses[0], &poses[1]);
                sample.is_through |= manifold.contacts().iter().any(|c| c.normal.dot(normal) < -0.5);
            }
        });
        sample
    }

    /// The distance of each contact of an island beyond the border of its face or the end of its edge, m; zero on it.
    /// The separation function is that of unbounded planes and lines: without this guard bodies would rest where there
    /// is nothing.
    pub(crate) fn distances_beyond_features(&self, k: usize, t: f64) -> Vec<f64> {
        let Some(active) = &self.state.tracks[k].active else { return Vec::new() };
        let of = |(constraint, pair): (&crate::contact::rest::ContactConstraint, &[u32; 2])| {
            let poses = pair.map(|body| self.state.pose_at(self.world, body, t));
            let points = constraint.function.points(&poses[0], &poses[1]);
            let side = |side: usize| {
                let collider = self.state.detection.collider(pair[side]);
                collider.map_or(0.0, |collider| collider.distance(&poses[side], points[side]))
            };
            side(0).max(side(1))
        };
        active.constraints.iter().zip(&active.pairs).map(of).collect()
    }

    /// Whether a contact has left its feature; `before` is the distance of each beyond its feature at the start.
    pub(crate) fn has_left_feature(&self, k: usize, t: f64, before: &[f64]) -> bool {
        let Some(active) = &self.state.tracks[k].active else { return false };
        let now = self.distances_beyond_features(k, t);
        let left = |(i, (now, before)): (usize, (&f64, &f64))| {
            *now > (LEFT_GROWTH * before).max(LEFT_FEATURE * self.tolerance_of(active.pairs[i], t))
        };
        now.iter().zip(before).enumerate().any(left)
    }

    /// The contact tolerance for a pair, m.
    fn tolerance_of(&self, pair: [u32; 2], t: f64) -> f64 {
        let [Some(a), Some(b)] = pair.map(|body| self.state.detection.collider(body)) else { return 0.0 };
        let poses = pair.map(|body| self.state.pose_at(self.world, body, t));
        Tolerance::of_pair(&a.placed(&poses[0]), &b.placed(&poses[1]), 0.0).length
    }
}

impl State {
    pub(crate) fn separation_in(&self, pair: [u32; 2], poses: &[Pose; 2]) -> f64 {
        let [Some(a), Some(b)] = pair.map(|body| self.detection.collider(body)) else {
            return f64::INFINITY;
        };
        let (mut witness, mut statistics) = (self.detection.witness(pair), Statistics::default());
        let found = separate(&a.placed(&poses[0]), &b.placed(&poses[1]), &mut witness, &mut statistics);
        found.map_or(f64::INFINITY, |found| found.distance)
    }

    /// The pose of a body at a time on its span.
    pub(crate) fn pose_at(&self, world: &World, body: u32, t: f64) -> Pose {
        let id = BodyId::from_rank(body as usize);
        match (world.body(id).prescribed_motion(), self.places[body as usize]) {
            (Some(motion), _) => motion.pose(t),
            (None, Some((track, k))) => {
                self.tracks[track].motion(k).map_or(self.states.bodies[body as usize].pose(), |m| m.pose(t))
            }
            (None, None) => Pose::IDENTITY,
        }
    }
}
