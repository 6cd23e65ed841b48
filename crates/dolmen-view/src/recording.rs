//! Everything that was seen so far: key frames, and what is between them.
//!
//! A frame holds pose and twist of every body. Between two frames a body's centre follows the cubic that has the positions and
//! velocities of both; where its velocity jumped at the later one, the parabola through both positions with the velocity of
//! the earlier one. Both are exact for bodies that only gravity moves.

use std::sync::Arc;

use dolmen::math::real::{acos, sin_cos};
use dolmen::math::{DQuat, DVec3};
use dolmen::record::{ContactForce, Ledger, Sample};
use dolmen::world::{ParticleSet, World};

use crate::canvas::Mark;

/// A body at an instant: 64 bytes, since there are many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyKey {
    /// Position of the centre of mass, m.
    pub x: [f64; 3],
    /// Orientation, body to world: x, y, z, w.
    pub q: [f32; 4],
    /// Velocity of the centre of mass, m/s.
    pub v: [f32; 3],
    /// Spin, rad/s, world frame.
    pub w: [f32; 3],
}

impl BodyKey {
    /// Where it is, m.
    pub fn position(&self) -> DVec3 {
        DVec3::from_array(self.x)
    }

    /// How it is turned.
    pub fn orientation(&self) -> DQuat {
        DQuat::from_array(self.q.map(f64::from)).normalize()
    }

    /// Velocity, m/s.
    pub fn velocity(&self) -> DVec3 {
        DVec3::from_array(self.v.map(f64::from))
    }

    /// Spin, rad/s.
    pub fn spin(&self) -> DVec3 {
        DVec3::from_array(self.w.map(f64::from))
    }
}

/// A contact and its force, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactKey {
    /// Ranks of the bodies; the force is that on the first.
    pub bodies: [u32; 2],
    /// Where, m.
    pub point: [f32; 3],
    /// Unit normal, from the second to the first.
    pub normal: [f32; 3],
    /// Normal force and friction together, N.
    pub force: [f32; 3],
    /// Friction coefficient of the pair (static): the half opening of its cone as a tangent; infinite as 1e9.
    pub friction: f32,
    /// Bit 0: it sticks. Bit 1: the forces are the only ones that fit.
    pub flags: u32,
}

/// How the velocity of a body came to differ from the frame before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    /// It jumped at the instant of the frame.
    AtEnd,
    /// It jumped somewhere on the way.
    OnTheWay,
}

/// A hand that pulls: the rank of the body, its point that is dragged and where it is pulled to, m.
pub type Hold = (u32, DVec3, DVec3);

/// Everything at one instant. Frames in which nothing has moved share what they hold, so that rest costs no memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Time, s.
    pub t: f64,
    /// Every body, by rank.
    pub bodies: Arc<Vec<BodyKey>>,
    /// The particles of all sets, one after the other, m.
    pub particles: Arc<Vec<[f32; 3]>>,
    /// Contacts that carry force.
    pub contacts: Arc<Vec<ContactKey>>,
    /// Energy and work, J.
    pub ledger: Ledger,
    /// Total momentum, kg·m/s, and angular momentum about the origin, kg·m²/s.
    pub momenta: [DVec3; 2],
    /// Bodies whose velocity jumped since the frame before, ascending by rank.
    pub jumps: Vec<(u32, Jump)>,
    /// Whether something happened at this very instant.
    pub is_event: bool,
    /// The hand, if it drags a body.
    pub hand: Option<Hold>,
    /// What the program drew.
    pub marks: Vec<Mark>,
}

impl Frame {
    /// From a sample and the contact forces of the same instant.
    pub fn new(world: &World, sample: &Sample, forces: &[ContactForce]) -> Self {
        let bodies = sample.bodies.iter().map(|(pose, twist)| BodyKey {
            x: pose.position.to_array(),
            q: pose.orientation.to_array().map(|c| c as f32),
            v: twist.velocity.to_array().map(|c| c as f32),
            w: twist.spin.to_array().map(|c| c as f32),
        });
        let particles = sample.sets.iter().flat_map(|(positions, _)| positions);
        let contacts = forces.iter().map(|force| ContactKey {
            bodies: force.bodies.map(|id| id.index() as u32),
            point: force.point.to_array().map(|c| c as f32),
            normal: force.normal.to_array().map(|c| c as f32),
            force: (force.normal_force * force.normal + force.friction).to_array().map(|c| c as f32),
            friction: world.surface(force.bodies[0], force.bodies[1]).static_friction.min(1e9) as f32,
            flags: u32::from(force.sticks) | u32::from(force.is_unique) << 1,
        });
        Self {
            t: sample.t,
            bodies: Arc::new(bodies.collect()),
            particles: Arc::new(particles.map(|p| p.to_array().map(|c| c as f32)).collect()),
            contacts: Arc::new(contacts.collect()),
            ledger: sample.ledger,
            momenta: [sample.momentum, sample.angular_momentum],
            jumps: Vec::new(),
            is_event: false,
            hand: None,
            marks: Vec::new(),
        }
    }

    /// Where everything is described to start, without forces and energy: all that can be shown of a world that cannot be
    /// simulated.
    pub fn at_start(world: &World) -> Self {
        let bodies = world.described_bodies().iter().map(|body| {
            let pose = body.start_pose();
            BodyKey {
                x: pose.position.to_array(),
                q: pose.orientation.to_array().map(|c| c as f32),
                v: [0.0; 3],
                w: [0.0; 3],
            }
        });
        let particles = world.sets().iter().flat_map(ParticleSet::positions);
        Self {
            t: 0.0,
            bodies: Arc::new(bodies.collect()),
            particles: Arc::new(particles.map(|p| p.to_array().map(|c| c as f32)).collect()),
            contacts: Arc::default(),
            ledger: Ledger::default(),
            momenta: [DVec3::ZERO; 2],
            jumps: Vec::new(),
            is_event: false,
            hand: None,
            marks: Vec::new(),
        }
    }

    /// How the velocity of a body came to differ from the frame before, if by a jump.
    pub fn jump_of(&self, body: usize) -> Option<Jump> {
        let place = self.jumps.binary_search_by_key(&(body as u32), |(rank, _)| *rank).ok()?;
        Some(self.jumps[place].1)
    }

    /// Bytes that it takes beyond what it shares with the frame before it, about.
    fn bytes(&self, before: Option<&Self>) -> usize {
        let own = |is_shared: bool, bytes: usize| if is_shared { 0 } else { bytes };
        let is_shared = |shares: fn(&Self, &Self) -> bool| before.is_some_and(|before| shares(self, before));
        own(is_shared(|a, b| Arc::ptr_eq(&a.bodies, &b.bodies)), 64 * self.bodies.len())
            + own(is_shared(|a, b| Arc::ptr_eq(&a.particles, &b.particles)), 12 * self.particles.len())
            + own(is_shared(|a, b| Arc::ptr_eq(&a.contacts, &b.contacts)), 56 * self.contacts.len())
            + 64 * self.marks.len()
            + 256
    }

    /// Holds what is the same in an earlier frame once.
    fn share(&mut self, before: &Self) {
        if self.bodies == before.bodies {
            self.bodies = Arc::clone(&before.bodies);
        }
        if self.particles == before.particles {
            self.particles = Arc::clone(&before.particles);
        }
        if self.contacts == before.contacts {
            self.contacts = Arc::clone(&before.contacts);
        }
    }
}

/// A body between two instants: `s` of the way from `a` to `b`, `h` seconds apart.
pub fn between(a: &BodyKey, b: &BodyKey, jump: Option<Jump>, s: f64, h: f64) -> BodyKey {
    let (x_a, x_b, v_a) = (a.position(), b.position(), a.velocity());
    let (q_a, q_b) = (a.orientation(), b.orientation());
    let turn = rotation_vector(q_a.inverse() * q_b);
    let (v_b, w_b, w_a) = match jump {
        None => (b.velocity(), b.spin(), a.spin()),
        // The velocity just before: that of the parabola, and of the turn that grows as steadily.
        Some(Jump::AtEnd) => (2.0 * (x_b - x_a) / h - v_a, 2.0 * (q_a * turn) / h - a.spin(), a.spin()),
        Some(Jump::OnTheWay) => ((x_b - x_a) / h, (q_a * turn) / h, (q_a * turn) / h),
    };
    let v_a = if jump == Some(Jump::OnTheWay) { v_b } else { v_a };
    // Hermite's cubic: positions and velocities of both ends.
    let (s2, s3) = (s * s, s * s * s);
    let x = (2.0 * s3 - 3.0 * s2 + 1.0) * x_a
        + (s3 - 2.0 * s2 + s) * h * v_a
        + (3.0 * s2 - 2.0 * s3) * x_b
        + (s3 - s2) * h * v_b;
    let q = turned(q_a, q_b, (w_a * h, w_b * h), s);
    let mix = |a: DVec3, b: DVec3| (a + s * (b - a)).to_array().map(|c| c as f32);
    BodyKey { x: x.to_array(), q: q.to_array().map(|c| c as f32), v: mix(v_a, v_b), w: mix(w_a, w_b) }
}

/// The orientation between two, with angular velocities (per interval, world frame) at both ends: a cubic Bézier curve of
/// rotations, q(s) = `q_a` exp(β₁ ω₁) exp(β₂ ω₂) exp(β₃ ω₃) in the frame of `q_a`. [Kim, Kim and Shin 1995]
fn turned(q_a: DQuat, q_b: DQuat, (w_a, w_b): (DVec3, DVec3), s: f64) -> DQuat {
    let w_1 = q_a.inverse() * w_a / 3.0;
    let w_3 = q_b.inverse() * w_b / 3.0;
    let middle = exp(-w_1) * (q_a.inverse() * q_b) * exp(-w_3);
    let w_2 = rotation_vector(middle);
    let r = 1.0 - s;
    let (b_1, b_2, b_3) = (1.0 - r * r * r, 3.0 * s * s - 2.0 * s * s * s, s * s * s);
    (q_a * exp(b_1 * w_1) * exp(b_2 * w_2) * exp(b_3 * w_3)).normalize()
}

/// The rotation by |v| about v.
fn exp(v: DVec3) -> DQuat {
    let angle = v.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = sin_cos(0.5 * angle);
    let axis = v / angle * sin;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

/// The shortest vector v with `exp(v)` = q.
fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let axis = DVec3::new(q.x, q.y, q.z);
    let sin = axis.length();
    if sin == 0.0 {
        return DVec3::ZERO;
    }
    // Near no turn at all the arc cosine loses digits, and sin ≈ half the angle.
    let half = if sin < 1e-4 { sin } else { acos(q.w.clamp(-1.0, 1.0)) };
    2.0 * half * axis / sin
}

/// Frames in the order of time, within a budget of memory.
#[derive(Debug, Clone)]
pub struct Recording {
    frames: Vec<Frame>,
    bytes: usize,
    budget: usize,
    /// Time between regular frames, s; doubled whenever memory runs out.
    interval: f64,
    /// How often it was thinned.
    thinned: u32,
}

impl Recording {
    /// An empty one, with this time between regular frames, s, and a budget of memory in bytes.
    pub fn new(interval: f64, budget: usize) -> Self {
        Self { frames: Vec::new(), bytes: 0, budget, interval, thinned: 0 }
    }

    /// Adds a frame that is not before the last one. Of two at one instant the later replaces the earlier and keeps its marks
    /// of jumps.
    pub fn add(&mut self, mut frame: Frame) {
        if let Some(last) = self.frames.last().filter(|last| last.t == frame.t) {
            let mut jumps = last.jumps.clone();
            jumps.retain(|(rank, _)| frame.jump_of(*rank as usize).is_none());
            jumps.append(&mut frame.jumps);
            jumps.sort_by_key(|(rank, _)| *rank);
            frame.jumps = jumps;
            frame.is_event |= last.is_event;
            let earlier = self.frames.len().checked_sub(2).and_then(|i| self.frames.get(i));
            self.bytes -= last.bytes(earlier);
            self.frames.pop();
        }
        if let Some(last) = self.frames.last() {
            frame.share(last);
        }
        self.bytes += frame.bytes(self.frames.last());
        self.frames.push(frame);
        if self.bytes > self.budget && self.frames.len() > 2 {
            self.thin();
        }
    }

    /// Drops every other frame; a body whose jump at the end of a frame is lost jumps within the next.
    fn thin(&mut self) {
        let last = self.frames.len() - 1;
        let mut kept: Vec<Frame> = Vec::with_capacity(self.frames.len() / 2 + 2);
        let mut dropped: Vec<(u32, Jump)> = Vec::new();
        for (i, mut frame) in self.frames.drain(..).enumerate() {
            if i % 2 == 1 && i != last {
                dropped = frame.jumps;
                continue;
            }
            for (rank, _) in dropped.drain(..) {
                match frame.jumps.binary_search_by_key(&rank, |(rank, _)| *rank) {
                    Ok(place) => frame.jumps[place].1 = Jump::OnTheWay,
                    Err(place) => frame.jumps.insert(place, (rank, Jump::OnTheWay)),
                }
            }
            kept.push(frame);
        }
        let earlier = std::iter::once(None).chain(kept.iter().map(Some));
        self.bytes = kept.iter().zip(earlier).map(|(frame, before)| frame.bytes(before)).sum();
        self.frames = kept;
        self.interval *= 2.0;
        self.thinned += 1;
    }

    /// All frames.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Time between regular frames, s.
    pub fn interval(&self) -> f64 {
        self.interval
    }

    /// How often memory ran out and every other frame was dropped.
    pub fn thinned(&self) -> u32 {
        self.thinned
    }

    /// The time up to which it goes, s; zero if it is empty.
    pub fn end(&self) -> f64 {
        self.frames.last().map_or(0.0, |frame| frame.t)
    }

    /// Everything at a time: a frame, or what is between two; none if it is empty. Contacts, ledger and momenta are those of
    /// the frame before.
    pub fn at(&self, t: f64) -> Option<Frame> {
        let next = self.frames.partition_point(|frame| frame.t <= t);
        let Some(before) = next.checked_sub(1) else { return self.frames.first().cloned() };
        let a = &self.frames[before];
        let Some(b) = self.frames.get(next).filter(|_| t > a.t) else { return Some(a.clone()) };
        let h = b.t - a.t;
        let s = (t - a.t) / h;
        let bodies = if Arc::ptr_eq(&a.bodies, &b.bodies) {
            Arc::clone(&a.bodies)
        } else {
            let pairs = a.bodies.iter().zip(b.bodies.iter()).enumerate();
            Arc::new(pairs.map(|(i, (p, q))| between(p, q, b.jump_of(i), s, h)).collect())
        };
        let mix = |p: &[f32; 3], q: &[f32; 3]| [0, 1, 2].map(|k| p[k] + s as f32 * (q[k] - p[k]));
        let particles =
            Arc::new(a.particles.iter().zip(b.particles.iter()).map(|(p, q)| mix(p, q)).collect());
        Some(Frame { t, bodies, particles, jumps: Vec::new(), is_event: false, ..a.clone() })
    }
}
