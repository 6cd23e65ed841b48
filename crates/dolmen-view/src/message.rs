//! What the page says, and frames as the page reads them.

use dolmen::math::DVec3;
use serde::Deserialize;

use crate::recording::Frame;
use crate::witnesses::WitnessKey;

/// The longest message that a page may send, bytes.
pub const LONGEST: usize = 2048;

/// Curves that may be asked for at once.
pub const MOST_CURVES: usize = 8;

/// What someone at the page wants.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Go on in time.
    Run {},
    /// Stand still.
    Pause {},
    /// One frame further.
    Step {},
    /// One frame back, in what is recorded.
    StepBack {},
    /// To the next instant at which something happens.
    NextEvent {},
    /// So many times as fast as by default; none is as fast as possible.
    Speed {
        /// From 1/100 on.
        value: Option<f64>,
    },
    /// From the beginning.
    Restart {},
    /// Look at a time that was recorded.
    Seek {
        /// When, s.
        t: f64,
    },
    /// Take hold of a body.
    Grab {
        /// Its rank.
        body: u32,
        /// Which point of it, m, in its frame from its centre of mass.
        at: [f64; 3],
        /// Where to pull it, m.
        to: [f64; 3],
    },
    /// Move the hand.
    Move {
        /// Where to, m.
        to: [f64; 3],
    },
    /// Let go.
    Release {},
    /// Start again with other constants.
    Change(Changes),
    /// Show another of the given scenes.
    Scene {
        /// Its name.
        name: String,
    },
    /// Tell the forces on this body with every frame; on none.
    Select {
        /// Its rank.
        body: Option<u32>,
    },
    /// Send what takes work to find only while it is looked at.
    See {
        /// The planes between bodies that are near each other.
        witnesses: bool,
    },
    /// The page has drawn a frame and can take another.
    Ready {},
    /// Asks for the events from this one on.
    Events {
        /// How many are known already.
        from: u32,
    },
    /// Asks for curves over all that was recorded.
    Plot {
        /// Comes back with the answer.
        id: u32,
        /// Of which body; none for the whole world.
        body: Option<u32>,
        /// Which ones.
        quantities: Vec<Quantity>,
    },
}

/// A number that has a value at every instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Kinetic energy, J; of the world, or of a body.
    Kinetic,
    /// Potential energy, J.
    Potential,
    /// Kinetic and potential energy, J.
    Total,
    /// Work done by forces without a potential, J.
    Work,
    /// Energy lost since the start, J.
    Lost,
    /// How far the ledger is from balancing, J.
    Error,
    /// Lost in collisions, J.
    LostInCollisions,
    /// Lost to friction, J.
    LostToFriction,
    /// Lost in closing what drifted apart or overlapped, J.
    Closing,
    /// How many contacts carry force; of the world, or of a body.
    Contacts,
    /// Components of momentum, kg·m/s.
    Px,
    /// Along y.
    Py,
    /// Along z.
    Pz,
    /// Components of angular momentum about the origin, kg·m²/s.
    Lx,
    /// About y.
    Ly,
    /// About z.
    Lz,
    /// Position of a body, m.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// Its velocity, m/s.
    Vx,
    /// Along y.
    Vy,
    /// Along z.
    Vz,
    /// Its speed, m/s.
    Speed,
    /// Its spin, rad/s.
    Wx,
    /// About y.
    Wy,
    /// About z.
    Wz,
    /// The magnitude of its spin, rad/s.
    Spin,
    /// The magnitude of all contact forces on it, N.
    ContactForce,
}

/// Constants that differ from those of the scene.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// m/s².
    pub gravity: Option<[f64; 3]>,
    /// Of every surface.
    pub restitution: Option<f64>,
    /// Of every surface, sticking and sliding.
    pub friction: Option<f64>,
}

/// Why a message is not one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MessageError {
    /// It is longer than any command.
    #[error("a message of {bytes} bytes; commands have at most {LONGEST}")]
    Length {
        /// How long.
        bytes: usize,
    },
    /// It is no command.
    #[error("not a command: {what}; reload the page")]
    Form {
        /// What is wrong with it.
        what: String,
    },
    /// A number is not finite or out of range.
    #[error("{what} is {value}; it must be {allowed}")]
    Number {
        /// Which.
        what: &'static str,
        /// As sent.
        value: f64,
        /// What would do.
        allowed: &'static str,
    },
}

/// Slowest and fastest speed by the default one; beyond, there is "as fast as possible".
const SPEEDS: std::ops::RangeInclusive<f64> = 0.001..=10_000.0;

/// The largest number that anything may be, in SI units: far beyond any scene and far from overflow.
const LARGEST: f64 = 1e100;

impl Command {
    /// Reads a command.
    ///
    /// # Errors
    /// When it is too long, of another form, or has a number out of range.
    pub fn parse(text: &str) -> Result<Self, MessageError> {
        if text.len() > LONGEST {
            return Err(MessageError::Length { bytes: text.len() });
        }
        let command: Self =
            serde_json::from_str(text).map_err(|error| MessageError::Form { what: error.to_string() })?;
        command.check()?;
        Ok(command)
    }

    fn check(&self) -> Result<(), MessageError> {
        let finite = |what, values: &[f64]| match values.iter().find(|v| v.is_nan() || v.abs() > LARGEST) {
            Some(value) => Err(MessageError::Number { what, value: *value, allowed: "at most 1e100" }),
            None => Ok(()),
        };
        match self {
            Self::Speed { value: Some(value) } if !SPEEDS.contains(value) => {
                Err(MessageError::Number { what: "the speed", value: *value, allowed: "from 0.001 to 10000" })
            }
            Self::Plot { quantities, .. } if quantities.len() > MOST_CURVES => {
                let value = quantities.len() as f64;
                Err(MessageError::Number { what: "the number of curves", value, allowed: "at most 8" })
            }
            Self::Seek { t } => finite("the time", &[*t]),
            Self::Grab { at, to, .. } => finite("a point", at).and_then(|()| finite("a point", to)),
            Self::Move { to } => finite("a point", to),
            Self::Change(changes) => finite("gravity", &changes.gravity.unwrap_or_default())
                .and_then(|()| finite("restitution", &[changes.restitution.unwrap_or_default()]))
                .and_then(|()| finite("friction", &[changes.friction.unwrap_or_default()])),
            _ => Ok(()),
        }
    }
}

/// What goes with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Status {
    /// Which start of which scene this is.
    pub generation: u32,
    /// Whether time goes on.
    pub is_running: bool,
    /// Whether the simulation cannot go on.
    pub is_stopped: bool,
    /// Whether something is looked for (the next event), and it takes a while.
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
    /// Where the hand is and which body it holds.
    pub hand: Option<(u32, DVec3, DVec3)>,
    /// Total force, N, and torque, N·m, on the selected body.
    pub load: Option<(u32, DVec3, DVec3)>,
}

/// What the solvers had to do so far, and how well they did it.
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
    /// Steps over crowds of contacts.
    pub aggregated: u64,
    /// The deepest overlap at any event, m.
    pub deepest: f64,
    /// The largest residual of the contact forces now, in units of the solver: zero is exact.
    pub residual: f64,
}

/// Numbers at the start of a frame, 8 bytes each.
pub const HEAD: usize = 52;

/// A frame as bytes, little endian: [`HEAD`] numbers of 8 bytes, then positions (3 × f64 a body), orientations (4 × f32),
/// twists (6 × f32), particles (3 × f32), contacts (13 × f32), witnesses (11 × f32), then the marks as JSON.
pub fn encode(frame: &Frame, witnesses: &[WitnessKey], status: &Status) -> Vec<u8> {
    let marks = if frame.marks.is_empty() {
        Vec::new()
    } else {
        serde_json::to_vec(&frame.marks).unwrap_or_default()
    };
    let flags = u32::from(status.is_running)
        | u32::from(status.is_stopped) << 1
        | u32::from(status.is_busy) << 2
        | u32::from(frame.is_event) << 3
        | u32::from(status.hand.is_some()) << 4
        | u32::from(status.load.is_some()) << 5;
    let (held, at, to) = status.hand.unwrap_or((0, DVec3::ZERO, DVec3::ZERO));
    let ledger = &frame.ledger;
    let mut head = vec![
        1.0,
        f64::from(status.generation),
        frame.t,
        status.head,
        status.rate,
        status.share,
        f64::from(flags),
        frame.bodies.len() as f64,
        frame.particles.len() as f64,
        frame.contacts.len() as f64,
        marks.len() as f64,
        status.collisions as f64,
        status.steps as f64,
        status.events as f64,
        status.islands[0] as f64,
        status.islands[1] as f64,
        ledger.kinetic,
        ledger.potential,
        ledger.work,
        ledger.collisions,
        ledger.friction,
        ledger.closing,
    ];
    head.extend(frame.momenta.iter().flat_map(DVec3::to_array));
    head.push(f64::from(held));
    head.extend(at.to_array());
    head.extend(to.to_array());
    let (selected, force, torque) = status.load.unwrap_or((0, DVec3::ZERO, DVec3::ZERO));
    head.extend(force.to_array());
    head.extend(torque.to_array());
    head.push(f64::from(selected));
    head.push(witnesses.len() as f64);
    let effort = &status.effort;
    let counts =
        [effort.rejected, effort.evaluations, effort.searches, effort.separations[0], effort.separations[1]];
    head.extend(counts.map(|count| count as f64));
    head.extend([effort.aggregated as f64, effort.deepest, effort.residual]);
    head.resize(HEAD, 0.0);
    let mut bytes =
        Vec::with_capacity(8 * HEAD + 64 * frame.bodies.len() + 12 * frame.particles.len() + marks.len());
    for value in head {
        bytes.extend(value.to_le_bytes());
    }
    frame.bodies.iter().for_each(|b| b.x.iter().for_each(|v| bytes.extend(v.to_le_bytes())));
    let mut put = |values: &[f32]| values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    frame.bodies.iter().for_each(|b| put(&b.q));
    frame.bodies.iter().for_each(|b| {
        put(&b.v);
        put(&b.w);
    });
    frame.particles.iter().for_each(|p| put(p));
    for contact in &frame.contacts {
        put(&contact.point);
        put(&contact.normal);
        put(&contact.force);
        put(&[contact.friction, contact.flags as f32, contact.bodies[0] as f32, contact.bodies[1] as f32]);
    }
    for witness in witnesses {
        put(&witness.point);
        put(&witness.normal);
        let [a, b] = witness.bodies.map(|rank| rank as f32);
        put(&[witness.separation, witness.reach, f32::from(u8::from(witness.is_of_edges)), a, b]);
    }
    bytes.extend(marks);
    bytes
}
