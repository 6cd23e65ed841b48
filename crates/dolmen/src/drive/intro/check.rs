//! Which bodies touch, and what happens there. [INTRO, Contact – Pseudocode]

use super::{IntroError, IntroSimulation};
use crate::math::{DVec3, Pose};
use crate::narrow_phase::{Class, ContactId, Placed, Statistics, Tolerance, Witness, classify, contacts};
use crate::world::BodyId;

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
    pub(super) class: Class,
}

impl IntroSimulation {
    /// Every pair is tested: the loop is for few bodies.
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
        for a in 0..self.states.len() {
            for b in a + 1..self.states.len() {
                if self.is_mobile(a) || self.is_mobile(b) {
                    self.check_pair(a, b)?;
                }
            }
        }
        Ok(())
    }

    fn check_pair(&mut self, a: usize, b: usize) -> Result<(), IntroError> {
        let (body_a, body_b) = (&self.world.bodies()[a], &self.world.bodies()[b]);
        let (Some(geometry_a), Some(geometry_b)) = (&self.geometries[a], &self.geometries[b]) else {
            return Ok(());
        };
        if !body_a.groups().meets(body_b.groups()) {
            return Ok(());
        }
        let [pose_a, pose_b] = [a, b].map(|body| self.pose(BodyId::from_rank(body)));
        let frame = |pose: &Pose, origin: DVec3| Pose { position: pose.point(origin), ..*pose };
        let placed_a = Placed { geometry: geometry_a, pose: frame(&pose_a, body_a.shape_origin()) };
        let placed_b = Placed { geometry: geometry_b, pose: frame(&pose_b, body_b.shape_origin()) };
        let (mut witness, mut statistics) = (Witness::Unknown, Statistics::default());
        let mut manifold = std::mem::take(&mut self.manifold);
        let found = contacts(&placed_a, &placed_b, &mut witness, &mut statistics, &mut manifold);
        let tolerance = Tolerance::of_pair(&placed_a, &placed_b, self.settings.speed);
        for contact in manifold.contacts() {
            let arms = [contact.point - pose_a.position, contact.point - pose_b.position];
            let mut touch = Touch {
                bodies: [a, b],
                normal: contact.normal,
                arms,
                point: contact.point,
                id: contact.id,
                class: Class::Clear,
            };
            touch.class = classify(contact.separation, self.rate(&touch), &tolerance);
            if touch.class != Class::Clear {
                self.touches.push(touch);
                self.class = worse(self.class, touch.class);
            }
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
