//! What the page says.

use serde::Deserialize;

/// The longest message that a page may send, bytes, but for the text of a scene.
pub const LONGEST: usize = 2048;

/// The longest message with the text of a scene, bytes.
pub const LONGEST_TEXT: usize = 1 << 18;

/// Curves that may be asked for at once.
pub const MOST_CURVES: usize = 8;

/// A command from a page.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Go on in time.
    Run {},
    /// Pause.
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
    /// Show a time that was recorded.
    Seek {
        /// When, s.
        t: f64,
    },
    /// Attach the hand to a body.
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
    /// Release the body.
    Release {},
    /// Start again with other constants.
    Change(Changes),
    /// Start again with another driver.
    Driver {
        /// Which; none is that of the scene.
        name: Option<DriverName>,
        /// The length of its steps, s; none is that of the scene.
        #[serde(default)]
        step: Option<f64>,
    },
    /// Keep the run that is shown beside a new one, to compare the two; or do so no more.
    Beside {
        /// Whether to.
        keep: bool,
    },
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
    /// Send what is costly only while it is shown.
    See {
        /// The planes between bodies that are near each other.
        #[serde(default)]
        witnesses: bool,
        /// Velocities and spins of all bodies, not of the selected one alone.
        #[serde(default)]
        velocities: bool,
        /// All contacts, not those of the selected body alone.
        #[serde(default)]
        contacts: bool,
    },
    /// The page has drawn a frame and can take another.
    Ready {},
    /// Asks for the events from this one on.
    Events {
        /// How many are known already.
        from: u32,
    },
    /// Asks for the text of the scene that is shown.
    Text {},
    /// Show the scene of this text instead.
    Edit {
        /// TOML or JSON; it names no files.
        text: String,
    },
    /// Asks for all that was recorded, as one file.
    Share {},
    /// Asks for curves over all that was recorded.
    Plot {
        /// Comes back with the answer.
        id: u32,
        /// Of which body; none for the whole world.
        body: Option<u32>,
        /// Which ones.
        quantities: Vec<Quantity>,
        /// Whether of the run beside the one that is shown.
        #[serde(default)]
        beside: bool,
    },
}

/// A driver, as scenes call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverName {
    /// Every event at its instant.
    Exact,
    /// Steps of one length.
    Fixed,
    /// The update loop for teaching.
    Intro,
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
    #[error("a message of {bytes} bytes; commands have at most {most}")]
    Length {
        /// How long.
        bytes: usize,
        /// How long one of its kind may be.
        most: usize,
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
        let bytes = text.len();
        if bytes > LONGEST_TEXT {
            return Err(MessageError::Length { bytes, most: LONGEST_TEXT });
        }
        let command: Self =
            serde_json::from_str(text).map_err(|error| MessageError::Form { what: error.to_string() })?;
        if bytes > LONGEST && !matches!(command, Self::Edit { .. }) {
            return Err(MessageError::Length { bytes, most: LONGEST });
        }
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
            Self::Driver { step: Some(step), .. } if !(*step > 0.0 && *step <= 1.0) => {
                Err(MessageError::Number {
                    what: "the step",
                    value: *step,
                    allowed: "more than 0 and at most 1 s",
                })
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
