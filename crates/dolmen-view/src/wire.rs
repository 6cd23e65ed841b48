//! Frames as the page reads them: small, and of what the page does not know yet.
//!
//! Every connection has an [`Encoder`] of its own, which keeps what was last sent to its page. A body that has not moved since
//! then takes no bytes, one that has takes 20 (positions in single precision from the middle of the world, orientations in 16
//! bits a component); velocities, contacts and planes go only to pages that show them. The selected body goes in full.

use std::sync::Arc;

use dolmen::math::DVec3;

use crate::recording::{BodyKey, ContactKey, Frame};
use crate::witnesses::WitnessKey;

/// What goes with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Status {
    /// Which start of which scene this is.
    pub generation: u32,
    /// Whether time goes on.
    pub is_running: bool,
    /// Whether the simulation cannot go on.
    pub is_stopped: bool,
    /// Whether something is searched for (the next event), and it takes a while.
    pub is_busy: bool,
    /// The time up to which it was simulated, s.
    pub head: f64,
    /// Simulated by real time, over the last moments.
    pub rate: f64,
    /// Share of the real time that the simulation took.
    pub share: f64,
    /// Events so far.
    pub events: u64,
    /// Collisions so far.
    pub collisions: u64,
    /// Steps of integrators.
    pub steps: u64,
    /// Islands, and how many of them fly in closed form.
    pub islands: [u64; 2],
    /// What the solvers had to do.
    pub effort: Effort,
    /// How good it was.
    pub quality: Quality,
    /// Frames that were shown so far, this one among them: a page that misses one finds the gap.
    pub number: u64,
    /// Total force, N, and torque, N·m, on the selected body.
    pub load: Option<(u32, DVec3, DVec3)>,
}

/// What the solvers had to do so far. With fixed steps it is what the last one did: sub-steps are told as evaluations, pairs as searches,
/// manifolds as separations; with the update loop for teaching trials of back-stepping are told as rejected.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Effort {
    /// Attempts at a step that were rejected.
    pub rejected: u64,
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// Pairs of bodies searched for their first contact.
    pub searches: u64,
    /// Separations of pairs, and how many of them the cached witness answered.
    pub separations: [u64; 2],
    /// Time steps of the stepping regime (Moreau–Jean).
    pub time_steps: u64,
    /// The largest residual of the contact forces now, in units of the solver: zero is exact.
    pub residual: f64,
}

/// How good the simulation was so far; not a number where its driver does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// The deepest overlap in the last step, m.
    pub overlap: f64,
    /// The deepest overlap so far, m.
    pub worst_overlap: f64,
    /// The largest error of a joint so far, m or rad.
    pub joint_error: f64,
    /// What energy, work and losses do not add up to, now and at most, J.
    pub drift: [f64; 2],
    /// Of the body that lost most of its time because contacts of one step were too many, s.
    pub lost_time: f64,
}

/// Everything that can be seen at an instant.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// Bodies, particles, contacts, ledger; none before anything is simulated.
    pub frame: Option<Frame>,
    /// Planes between bodies, if a page shows them.
    pub witnesses: Vec<WitnessKey>,
    /// How it goes.
    pub status: Status,
    /// The middle of the world, m: positions are relative to it.
    pub centre: DVec3,
    /// The same of the run that is compared with this one, at the same time.
    pub beside: Option<Arc<View>>,
}

/// What a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// Velocities of all bodies.
    pub velocities: bool,
    /// Contacts of all bodies.
    pub contacts: bool,
    /// The body that is sent in full, with its contacts.
    pub selected: Option<u32>,
}

/// A body as it was sent.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Told {
    x: [f32; 3],
    q: [i16; 4],
    twist: [f32; 6],
}

/// Numbers at the start of a frame, 8 bytes each.
pub const HEAD: usize = 76;

/// Where in the head the selected body is: x, q, v, w.
pub const EXACT: usize = 56;

/// One in 16 bits.
const ONE: f32 = 32767.0;

/// Makes frames for one page.
#[derive(Debug, Default)]
pub struct Encoder {
    /// Whether its frames are those of the run that is compared with the one that is shown.
    is_beside: bool,
    generation: u32,
    known: Vec<Told>,
    contacts: Option<Arc<Vec<ContactKey>>>,
    wants: Wants,
}

impl Encoder {
    /// For the run that is compared with the one that is shown.
    pub fn beside() -> Self {
        Self { is_beside: true, ..Self::default() }
    }

    /// Sets what the page shows from now on.
    pub fn set_wants(&mut self, wants: Wants) {
        if wants.velocities != self.wants.velocities {
            self.known.clear();
        }
        if wants.contacts != self.wants.contacts {
            self.contacts = None;
        }
        self.wants = wants;
    }

    /// What the page shows.
    pub fn wants(&self) -> Wants {
        self.wants
    }

    /// A frame as bytes, little endian; none if there is nothing to see yet.
    ///
    /// [`HEAD`] numbers of 8 bytes; then of every body that has moved its rank (u32; left out if all have), position (3 × f32),
    /// orientation (4 × i16) and, where wanted, twist (6 × f32); particles (3 × f32), contacts (13 × f32; none if they are as
    /// before), witnesses (11 × f32); then the marks as JSON.
    pub fn encode(&mut self, view: &View) -> Option<Vec<u8>> {
        let frame = view.frame.as_ref()?;
        if self.generation != view.status.generation || self.known.len() != frame.bodies.len() {
            self.known.clear();
            (self.generation, self.contacts) = (view.status.generation, None);
        }
        let moved = self.take_moved(frame, view.centre);
        let is_same = self.contacts.as_ref().is_some_and(|before| Arc::ptr_eq(before, &frame.contacts));
        let contacts: Vec<&ContactKey> = match self.wants {
            Wants { contacts: true, .. } if is_same => Vec::new(),
            Wants { contacts: true, .. } => frame.contacts.iter().collect(),
            Wants { selected: Some(rank), .. } => {
                frame.contacts.iter().filter(|contact| contact.bodies.contains(&rank)).collect()
            }
            Wants { selected: None, .. } => Vec::new(),
        };
        self.contacts = self.wants.contacts.then(|| Arc::clone(&frame.contacts));
        let marks = if frame.marks.is_empty() {
            Vec::new()
        } else {
            serde_json::to_vec(&frame.marks).unwrap_or_default()
        };
        let all = moved.len() == frame.bodies.len();
        let exact = self.wants.selected.filter(|rank| (*rank as usize) < frame.bodies.len());
        let layout = u32::from(!all)
            | u32::from(self.wants.velocities) << 1
            | u32::from(!is_same) << 2
            | u32::from(exact.is_some()) << 3;
        let mut head = self.head(view, frame);
        (head[8], head[9], head[10]) =
            (frame.particles.len() as f64, contacts.len() as f64, marks.len() as f64);
        (head[52], head[54]) = (moved.len() as f64, f64::from(layout));
        let mut bytes =
            Vec::with_capacity(8 * HEAD + 48 * moved.len() + 12 * frame.particles.len() + marks.len());
        for value in &head {
            bytes.extend(value.to_le_bytes());
        }
        self.put_bodies(&moved, all, &mut bytes);
        let mut put = |values: &[f32]| values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        frame.particles.iter().for_each(|p| put(p));
        for contact in contacts {
            put(&contact_row(contact));
        }
        view.witnesses.iter().for_each(|witness| put(&witness_row(witness)));
        bytes.extend(marks);
        Some(bytes)
    }

    /// Ranks of the bodies that are not where they were last sent; from now on they are sent.
    fn take_moved(&mut self, frame: &Frame, centre: DVec3) -> Vec<u32> {
        let told = |key: &BodyKey| Told {
            x: (key.position() - centre).to_array().map(|c| c as f32),
            q: key.q.map(|c| (c * ONE).round() as i16),
            twist: if self.wants.velocities {
                let ([a, b, c], [d, e, f]) = (key.v, key.w);
                [a, b, c, d, e, f]
            } else {
                [0.0; 6]
            },
        };
        if self.known.is_empty() {
            self.known = frame.bodies.iter().map(told).collect();
            return (0..self.known.len() as u32).collect();
        }
        let mut moved = Vec::new();
        for (rank, (known, key)) in self.known.iter_mut().zip(frame.bodies.iter()).enumerate() {
            let now = told(key);
            if now != *known {
                *known = now;
                moved.push(rank as u32);
            }
        }
        moved
    }

    fn put_bodies(&self, moved: &[u32], all: bool, bytes: &mut Vec<u8>) {
        let of = |rank: &u32| &self.known[*rank as usize];
        if !all {
            for rank in moved {
                bytes.extend(rank.to_le_bytes());
            }
        }
        moved.iter().flat_map(|rank| of(rank).x).for_each(|v| bytes.extend(v.to_le_bytes()));
        moved.iter().flat_map(|rank| of(rank).q).for_each(|v| bytes.extend(v.to_le_bytes()));
        if self.wants.velocities {
            moved.iter().flat_map(|rank| of(rank).twist).for_each(|v| bytes.extend(v.to_le_bytes()));
        }
    }

    /// The numbers at the start, but for those that count what follows.
    fn head(&self, view: &View, frame: &Frame) -> [f64; HEAD] {
        let status = &view.status;
        let flags = u32::from(status.is_running)
            | u32::from(status.is_stopped) << 1
            | u32::from(status.is_busy) << 2
            | u32::from(frame.is_event) << 3
            | u32::from(frame.hand.is_some()) << 4
            | u32::from(status.load.is_some()) << 5;
        let ledger = &frame.ledger;
        let (held, at, to) = frame.hand.unwrap_or((0, DVec3::ZERO, DVec3::ZERO));
        let (loaded, force, torque) = status.load.unwrap_or((0, DVec3::ZERO, DVec3::ZERO));
        let effort = &status.effort;
        let mut head = [0.0; HEAD];
        let mut put = |at: usize, values: &[f64]| head[at..at + values.len()].copy_from_slice(values);
        put(
            0,
            &[
                if self.is_beside { 3.0 } else { 1.0 },
                f64::from(status.generation),
                frame.t,
                status.head,
                status.rate,
                status.share,
            ],
        );
        put(6, &[f64::from(flags), frame.bodies.len() as f64]);
        put(11, &[status.collisions, status.steps, status.events].map(|n| n as f64));
        put(14, &status.islands.map(|n| n as f64));
        put(16, &[ledger.kinetic, ledger.potential, ledger.work]);
        put(19, &[ledger.collisions, ledger.friction, ledger.closing]);
        put(22, &frame.momenta[0].to_array());
        put(25, &frame.momenta[1].to_array());
        put(28, &[f64::from(held)]);
        put(29, &at.to_array());
        put(32, &to.to_array());
        put(35, &force.to_array());
        put(38, &torque.to_array());
        put(41, &[f64::from(loaded), view.witnesses.len() as f64]);
        put(43, &[effort.rejected, effort.evaluations, effort.searches].map(|n| n as f64));
        put(46, &effort.separations.map(|n| n as f64));
        put(48, &[effort.time_steps as f64, status.quality.worst_overlap, effort.residual]);
        put(51, &[frame.contacts.len() as f64]);
        put(53, &[status.number as f64]);
        let Quality { overlap, joint_error, drift: [drift, worst_drift], lost_time, .. } = status.quality;
        put(70, &[overlap, joint_error, drift, worst_drift, lost_time]);
        if let Some((rank, key)) =
            self.wants.selected.and_then(|rank| Some((rank, frame.bodies.get(rank as usize)?)))
        {
            put(55, &[f64::from(rank)]);
            put(EXACT, &key.x);
            put(EXACT + 3, &key.q.map(f64::from));
            put(EXACT + 7, &key.v.map(f64::from));
            put(EXACT + 10, &key.w.map(f64::from));
        }
        head
    }
}

/// A contact as pages and replays read it: point, normal, force, friction, flags, bodies.
pub(crate) fn contact_row(contact: &ContactKey) -> [f32; 13] {
    let ([px, py, pz], [nx, ny, nz], [fx, fy, fz]) = (contact.point, contact.normal, contact.force);
    let [a, b] = contact.bodies.map(|rank| rank as f32);
    [px, py, pz, nx, ny, nz, fx, fy, fz, contact.friction, contact.flags as f32, a, b]
}

/// A plane as pages read it: point, normal, separation, half side, whether of edges, bodies.
fn witness_row(witness: &WitnessKey) -> [f32; 11] {
    let ([px, py, pz], [nx, ny, nz]) = (witness.point, witness.normal);
    let [a, b] = witness.bodies.map(|rank| rank as f32);
    let is_of_edges = f32::from(u8::from(witness.is_of_edges));
    [px, py, pz, nx, ny, nz, witness.separation, witness.reach, is_of_edges, a, b]
}
