//! Which bodies touch, and what happens there. [INTRO, Contact – Pseudocode]

use std::collections::BTreeMap;

use super::{IntroError, IntroSimulation};
use crate::broad_phase::{BroadPhase, Choice, Filter, box_around};
use crate::math::{Aabb, DQuat, DVec3, Pose};
use crate::narrow_phase::{
    Class, ContactFunction, ContactId, Placed, Statistics, Tolerance, Witness, classify, contacts, separate,
};
use crate::shape::{Extent, Shape, Sides};
use crate::world::{BodyId, World};

/// A contact as the loop keeps it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    /// By rank; the normal points from the second to the first.
    pub(super) bodies: [usize; 2],
    pub(super) normal: DVec3,
    /// From each centre of mass to the contact, world.
    pub(super) arms: [DVec3; 2],
    /// Where, world.
    pub(super) point: DVec3,
    pub(super) id: ContactId,
    /// The separation as a function of the poses of the bodies.
    pub(super) function: ContactFunction,
    pub(super) class: Class,
    /// The separation by the contact tolerance of the pair.
    pub(super) by_tolerance: f64,
}

/// The boxes of all bodies, and the broad phase that finds which meet; it keeps what it knows from step to step.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    pub(super) phase: Option<Box<dyn BroadPhase>>,
    choice: Choice,
    filter: Filter,
    boxes: Vec<Aabb>,
    /// Which side of an infinite plane with two sides a body is on: a point that is through it looks like one on the other side.
    sides: BTreeMap<[usize; 2], Witness>,
}

impl Pairs {
    pub(super) fn new(world: &World) -> Self {
        let mut filter = Filter::new();
        for id in world.body_ids() {
            filter.set_groups(id.index() as u32, world.body(id).groups());
            filter.set_immobile(id.index() as u32, !world.body(id).is_dynamic());
        }
        Self { phase: None, choice: world.broad_phase(), filter, boxes: Vec::new(), sides: BTreeMap::new() }
    }
}

/// What a body without a shape fills.
const NOTHING: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

impl IntroSimulation {
    /// Tests the pairs whose boxes meet.
    pub(super) fn check(&mut self) -> Result<(), IntroError> {
        self.touches.clear();
        self.class = Class::Clear;
        // Numbers that are not finite have no contacts.
        for body in 0..self.states.len() {
            let state = &self.states[body];
            let finite = state.position.is_finite()
                && state.orientation.is_finite()
                && state.momentum.is_finite()
                && state.angular_momentum.is_finite();
            if !finite {
                let body = self.world.body_name(BodyId::from_rank(body));
                return Err(IntroError::NotFinite { body, t: self.t });
            }
        }
        self.find_pairs();
        let phase = self.pairs.phase.take();
        for pair in phase.iter().flat_map(|phase| phase.pairs()) {
            let found = self.check_pair(pair[0] as usize, pair[1] as usize);
            if found.is_err() {
                self.pairs.phase = phase;
                return found;
            }
        }
        self.pairs.phase = phase;
        Ok(())
    }

    /// Brings the boxes and the pairs that meet up to date.
    fn find_pairs(&mut self) {
        let start = self.clock.map(|clock| clock());
        let mut boxes = std::mem::take(&mut self.pairs.boxes);
        boxes.clear();
        boxes.extend((0..self.states.len()).map(|body| match (self.placed(body), self.shape(body)) {
            (Some(placed), Some(shape)) => {
                // As much room as the contact tolerance of any pair that it is the smaller or the farther one of.
                let room = Tolerance::of_pair(&placed, &placed, 0.0).length;
                box_around(shape, &placed.pose).grown(room)
            }
            _ => NOTHING,
        }));
        let pairs = &mut self.pairs;
        let phase = pairs.phase.get_or_insert_with(|| pairs.choice.start(&boxes));
        phase.update(&boxes, &pairs.filter);
        let cost = phase.statistics();
        pairs.boxes = boxes;
        let sum = &mut self.statistics.broad_phase;
        sum.updates += 1;
        sum.pairs += cost.pairs as u64;
        sum.tests += cost.tests;
        sum.exchanges += cost.exchanges;
        sum.restarts += u64::from(cost.restarted);
        if let (Some(clock), Some(start)) = (self.clock, start) {
            sum.ticks += clock().saturating_sub(start);
        }
    }

    fn shape(&self, body: usize) -> Option<&Shape> {
        self.world.bodies()[body].shape().filter(|_| self.geometries[body].is_some())
    }

    /// The shape of a body where it is; none of a body that nothing can touch.
    fn placed(&self, body: usize) -> Option<Placed<'_>> {
        let geometry = self.geometries[body].as_ref()?;
        let pose = self.pose(BodyId::from_rank(body));
        let origin = self.world.bodies()[body].shape_origin();
        Some(Placed { geometry, pose: Pose { position: pose.point(origin), ..pose } })
    }

    /// How far apart two bodies are, m, and how fast that changes, m/s; none where there is no such number.
    pub(super) fn separation(&self, [a, b]: [usize; 2]) -> Option<(f64, f64)> {
        let (placed_a, placed_b) = (self.placed(a)?, self.placed(b)?);
        let (mut witness, mut statistics) = (self.side([a, b]), Statistics::default());
        let found = separate(&placed_a, &placed_b, &mut witness, &mut statistics).ok()?;
        let [v_a, v_b] = [(a, found.points[0]), (b, found.points[1])].map(|(body, point)| {
            let id = BodyId::from_rank(body);
            self.twist(id).at(point - self.pose(id).position)
        });
        let rate = found.normal.dot(v_a - v_b);
        (found.distance.is_finite() && rate.is_finite()).then_some((found.distance, rate))
    }

    /// The side of a plane on which the other body of a pair is, once that is known.
    fn side(&self, pair: [usize; 2]) -> Witness {
        self.pairs.sides.get(&pair).copied().unwrap_or_default()
    }

    /// Whether it is an infinite plane that is touched from both sides.
    fn is_two_sided(&self, body: usize) -> bool {
        matches!(
            self.shape(body),
            Some(Shape::Plane(plane)) if plane.extent() == Extent::Infinite && plane.sides() == Sides::Both
        )
    }

    /// What was known of the place of a body, which was put elsewhere, is forgotten.
    pub(super) fn forget_sides(&mut self, body: usize) {
        self.pairs.sides.retain(|pair, _| !pair.contains(&body));
    }

    fn check_pair(&mut self, a: usize, b: usize) -> Result<(), IntroError> {
        // Points pass each other.
        if [a, b].iter().all(|body| self.shape(*body).is_some_and(Shape::is_point)) {
            return Ok(());
        }
        let mut manifold = std::mem::take(&mut self.manifold);
        let (Some(placed_a), Some(placed_b)) = (self.placed(a), self.placed(b)) else {
            return Ok(());
        };
        let [pose_a, pose_b] = [a, b].map(|body| self.pose(BodyId::from_rank(body)));
        let (mut witness, mut statistics) = (self.side([a, b]), Statistics::default());
        let found = contacts(&placed_a, &placed_b, &mut witness, &mut statistics, &mut manifold);
        let tolerance = Tolerance::of_pair(&placed_a, &placed_b, self.settings.speed);
        let frames = [a, b].map(|body| Pose {
            position: self.world.bodies()[body].shape_origin(),
            orientation: DQuat::IDENTITY,
        });
        for contact in manifold.contacts() {
            let arms = [contact.point - pose_a.position, contact.point - pose_b.position];
            let mut touch = Touch {
                bodies: [a, b],
                normal: contact.normal,
                arms,
                point: contact.point,
                id: contact.id,
                function: contact.function.in_bodies(&frames[0], &frames[1]),
                class: Class::Clear,
                by_tolerance: contact.separation / tolerance.length,
            };
            touch.class = classify(contact.separation, self.rate(&touch), &tolerance);
            if touch.class != Class::Clear {
                self.touches.push(touch);
                self.class = worse(self.class, touch.class);
            }
        }
        if [a, b].iter().any(|body| self.is_two_sided(*body)) {
            self.pairs.sides.entry([a, b]).or_insert(witness);
        }
        self.manifold = manifold;
        found.map_err(|pair| {
            let [a, b] = [a, b].map(|body| self.world.body_name(BodyId::from_rank(body)));
            IntroError::Pair { a, b, pair }
        })
    }

    /// The rate of separation at a contact, m/s.
    pub(super) fn rate(&self, touch: &Touch) -> f64 {
        let [v_a, v_b] = [0, 1].map(|side| {
            let twist = self.twist(BodyId::from_rank(touch.bodies[side]));
            twist.at(touch.arms[side])
        });
        touch.normal.dot(v_a - v_b)
    }
}

/// Penetrating outweighs colliding, that resting, that separating.
fn worse(a: Class, b: Class) -> Class {
    let weight = |class| match class {
        Class::Clear => 0,
        Class::Separating => 1,
        Class::Resting => 2,
        Class::Colliding => 3,
        Class::Penetrating => 4,
    };
    if weight(b) > weight(a) { b } else { a }
}
