//! Impulses: of collisions, and the simple ones that keep a body at rest. [INTRO, Impulse Code]

use super::check::Touch;
use super::tolerances::{RELAXED, ROUNDS, STILL};
use super::{ImpulseOrder, IntroSimulation, RestRule};
use crate::body::BodyState;
use crate::contact::{Law, Restitution};
use crate::math::{DMat3, DVec3};
use crate::motion::Motion;
use crate::narrow_phase::Class;
use crate::record::{Event, EventKind, Note};
use crate::world::BodyId;

impl IntroSimulation {
    /// j = −(1+ε) v⁻ / (1/m_a + 1/m_b + n·(I_a⁻¹(r_a×n))×r_a + n·(I_b⁻¹(r_b×n))×r_b) at every contact that collides.
    /// [INTRO, Calculating Colliding Impulse Forces]
    ///
    /// Again where an impulse makes a neighbour collide, as along a row of balls, in a bounded number of rounds.
    pub(super) fn collide(&mut self) {
        self.last_collision = Some(self.t);
        self.group += 1;
        let touches = std::mem::take(&mut self.touches);
        let lost = self.lost;
        for _ in 0..ROUNDS {
            let collided = match self.settings.order {
                ImpulseOrder::Together => self.bounce_together(&touches),
                ImpulseOrder::InTurn => self.bounce_in_turn(&touches),
            };
            if !collided {
                break;
            }
        }
        let mut bodies: Vec<usize> = touches.iter().flat_map(|touch| touch.bodies).collect();
        bodies.sort_unstable();
        bodies.dedup();
        self.touches = touches;
        self.check_gain(&bodies, lost - self.lost);
    }

    /// Contacts at rest that still run in are stopped by a collision without restitution; else the loop would back-step
    /// to them for ever.
    pub(super) fn press(&mut self) {
        let touches = std::mem::take(&mut self.touches);
        for touch in &touches {
            let rate = self.rate(touch);
            if rate < 0.0 {
                let impulse = self.push_apart(touch, -rate);
                self.closed -= 0.5 * impulse * rate;
            }
        }
        self.touches = touches;
    }

    fn bounce_together(&mut self, touches: &[Touch]) -> bool {
        let before: Vec<f64> = touches.iter().map(|touch| self.rate(touch)).collect();
        let mut impulses = Vec::with_capacity(touches.len());
        for (touch, rate) in touches.iter().zip(&before) {
            impulses.push(self.bounce(touch, *rate));
        }
        for ((touch, rate), impulse) in touches.iter().zip(before).zip(&impulses) {
            if let Some(impulse) = impulse {
                self.book(touch, rate, *impulse);
            }
        }
        impulses.iter().any(Option::is_some)
    }

    fn bounce_in_turn(&mut self, touches: &[Touch]) -> bool {
        let mut collided = false;
        for touch in touches {
            let rate = self.rate(touch);
            if let Some(impulse) = self.bounce(touch, rate) {
                self.book(touch, rate, impulse);
                collided = true;
            }
        }
        collided
    }

    /// The impulse of one contact that collides, N·s.
    fn bounce(&mut self, touch: &Touch, rate: f64) -> Option<f64> {
        if rate.is_nan() || rate >= -self.settings.speed {
            return None;
        }
        let [a, b] = touch.bodies.map(BodyId::from_rank);
        let restitution = self.world.surface(a, b).restitution;
        // What would leave slower than rest is at rest: else it would hop for ever, step by step.
        let leaving = if -restitution * rate > self.settings.speed { -restitution * rate } else { 0.0 };
        self.statistics.impulses += 1;
        Some(self.push_apart(touch, leaving - rate))
    }

    /// Changes the rate of separation by `change`, m/s; returns the impulse, N·s.
    fn push_apart(&mut self, touch: &Touch, change: f64) -> f64 {
        let mobility: f64 = (0..2).map(|side| self.mobility(touch, side)).sum();
        let impulse = change / mobility;
        for (side, push) in [(0, impulse * touch.normal), (1, -impulse * touch.normal)] {
            if let Some(motion) = self.world.bodies()[touch.bodies[side]].prescribed_motion() {
                // What moves as prescribed gives or takes energy: losses are those of the relative velocity.
                self.work -= push.dot(motion.twist(self.t).at(touch.arms[side]));
            }
            if self.is_mobile(touch.bodies[side]) {
                let state = &mut self.states[touch.bodies[side]];
                state.momentum += push;
                state.angular_momentum += touch.arms[side].cross(push);
            }
        }
        impulse
    }

    /// How much normal speed one unit of impulse buys on one side.
    fn mobility(&self, touch: &Touch, side: usize) -> f64 {
        if !self.is_mobile(touch.bodies[side]) {
            return 0.0;
        }
        let inertia = self.world.bodies()[touch.bodies[side]].inertia();
        let turn = DMat3::from_quat(self.states[touch.bodies[side]].orientation);
        let spin = inertia.spin(&turn, touch.arms[side].cross(touch.normal));
        inertia.inv_mass + touch.normal.dot(spin.cross(touch.arms[side]))
    }

    /// Writes a collision down: its loss is −½ j (v⁻ + v⁺).
    fn book(&mut self, touch: &Touch, approach: f64, impulse: f64) {
        let separation = self.rate(touch);
        let lost = -0.5 * impulse * (approach + separation);
        self.lost += lost;
        let mut event = self.event(touch, EventKind::Collision);
        (event.approach, event.separation) = (approach, separation);
        (event.impulse, event.lost) = (impulse, lost);
        self.events.push(event);
    }

    /// Writes down that from now on the forces of a linear program are used that push bodies apart which part already; `touch` is where most.
    pub(super) fn note_approximate_forces(&mut self, touch: &Touch, excess: f64) {
        let mut event = self.event(touch, EventKind::Rest);
        event.approach = self.rate(touch);
        event.separation = event.approach;
        (event.note, event.excess) = (Note::ApproximateForces, excess);
        self.events.push(event);
    }

    fn event(&self, touch: &Touch, kind: EventKind) -> Event {
        Event {
            t: self.t,
            group: self.group,
            kind,
            bodies: touch.bodies.map(BodyId::from_rank),
            features: touch.id,
            point: touch.point,
            normal: touch.normal,
            approach: 0.0,
            separation: 0.0,
            impulse: 0.0,
            friction: DVec3::ZERO,
            lost: 0.0,
            law: match self.settings.order {
                ImpulseOrder::Together => Law::Simultaneous,
                ImpulseOrder::InTurn => Law::Propagation,
            },
            restitution: Restitution::Newton,
            rounds: 1,
            note: Note::Determinate.with_features(touch.id),
            excess: 0.0,
        }
    }

    /// The contacts that rest: what leaves faster keeps its momentum, or else it would be glued.
    pub(super) fn resting(&self) -> Vec<Touch> {
        if self.class != Class::Resting && self.class != Class::Colliding {
            return Vec::new();
        }
        self.touches.iter().filter(|touch| self.rate(touch) <= self.settings.speed).copied().collect()
    }

    /// Takes momentum into contacts at rest away, and rotation that would drive them in; `states` are those of a stage.
    ///
    /// On an immobile plane P ← P − (P·n) n where P·n < 0, and L ← (L·n) n where rotation must stop, with n of unit
    /// length. Between two that move the same for their relative velocity, in rounds over all contacts. [INTRO,
    /// Calculating Rest Impulse Forces]
    pub(super) fn rest_momenta(&self, states: &mut [BodyState]) {
        let resting = self.resting();
        for (body, push) in self.relax(&resting, |body| states[body].momentum) {
            states[body].momentum += push;
        }
        for touch in &resting {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let body = touch.bodies[side];
                if !self.is_mobile(body) {
                    continue;
                }
                let normal = sign * touch.normal;
                let spin = states[body].twist(self.world.bodies()[body].inertia()).spin;
                let stops = match self.settings.rest {
                    RestRule::Sign => normal.dot(spin.cross(touch.arms[side])) < 0.0,
                    RestRule::Trial => self.stopped[body],
                    RestRule::Forces => false,
                };
                if stops {
                    states[body].angular_momentum = states[body].angular_momentum.dot(normal) * normal;
                }
            }
        }
    }

    /// Takes force into contacts at rest away; returns the power of what takes its place, W: that of a support that moves.
    ///
    /// Not where bodies move apart by their centres: without their weight they would rise for nothing.
    pub(super) fn rest_forces(&self, states: &[BodyState], t: f64, forces: &mut [DVec3]) -> f64 {
        let velocity = |body: usize| match self.world.bodies()[body].prescribed_motion() {
            Some(motion) => motion.twist(t).velocity,
            None => states[body].momentum * self.world.bodies()[body].inertia().inv_mass,
        };
        let mut resting = self.resting();
        resting.retain(|touch| {
            let [a, b] = touch.bodies.map(velocity);
            touch.normal.dot(a - b) <= STILL * self.settings.speed
        });
        let mut power = 0.0;
        for (body, push) in self.relax(&resting, |body| forces[body]) {
            forces[body] += push;
            power += push.dot(velocity(body));
        }
        power
    }

    /// What must be added to momenta (or forces) so that nothing goes on into a contact.
    fn relax(&self, resting: &[Touch], given: impl Fn(usize) -> DVec3) -> Vec<(usize, DVec3)> {
        let mut pushes: Vec<(usize, DVec3)> = Vec::new();
        for body in resting.iter().flat_map(|touch| touch.bodies) {
            if self.is_mobile(body) && !pushes.iter().any(|(other, _)| *other == body) {
                pushes.push((body, DVec3::ZERO));
            }
        }
        let mut first = 0.0_f64;
        for round in 0..ROUNDS {
            let mut largest = 0.0_f64;
            for touch in resting {
                let inv_mass = touch.bodies.map(|body| self.world.bodies()[body].inertia().inv_mass);
                let of = |side: usize| {
                    let place = pushes.iter().find(|(body, _)| *body == touch.bodies[side]);
                    place.map_or(DVec3::ZERO, |(body, push)| (given(*body) + *push) * inv_mass[side])
                };
                let rate = touch.normal.dot(of(0) - of(1));
                if rate >= 0.0 {
                    continue;
                }
                largest = largest.max(-rate);
                let mobile = [0, 1].map(|side| self.is_mobile(touch.bodies[side]));
                let mobility = (0..2).filter(|side| mobile[*side]).map(|side| inv_mass[side]).sum::<f64>();
                let push = -rate / mobility * touch.normal;
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    if let Some(place) = pushes.iter_mut().find(|(body, _)| *body == touch.bodies[side]) {
                        place.1 += sign * push;
                    }
                }
            }
            if round == 0 {
                first = largest;
            }
            if largest <= RELAXED * first {
                break;
            }
        }
        pushes
    }
}
