//! Prescribed motion: fixed bodies, and kinematic ones that nothing can stop.

use std::fmt;
use std::sync::Arc;

use super::{Bounds, Motion};
use crate::math::real::{TAU, cos, sin};
use crate::math::{Aabb, DQuat, DVec3, Pose, Twist};

mod path;
pub use path::{Interpolation, Path};

/// Why a prescribed motion was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A number is NaN or infinite.
    #[error("{what} is not a finite number; give a finite one")]
    NotFinite {
        /// Which one.
        what: &'static str,
    },
    /// An axis that is not of unit length.
    #[error("the axis of an oscillation has length {length}; it must be 1: normalise it")]
    Axis {
        /// Its length.
        length: f64,
    },
    /// A path needs two key frames or more.
    #[error("a path has {count} key frames; it needs at least 2")]
    TooFew {
        /// How many there are.
        count: usize,
    },
    /// Lists of different length.
    #[error("a path has {times} times but {what} has {found} entries; give one per time")]
    Lengths {
        /// Number of times.
        times: usize,
        /// Which list differs.
        what: &'static str,
        /// Its length.
        found: usize,
    },
    /// Times must increase.
    #[error("times of a path must increase: number {index} is {time} s after {before} s; sort them")]
    Times {
        /// The offender.
        index: usize,
        /// Its time.
        time: f64,
        /// The time before it.
        before: f64,
    },
    /// Corners of a linear path that do not fit between its keys.
    #[error(
        "corners of {blend} s do not fit a path whose keys are {shortest} s apart; they must be positive and shorter"
    )]
    Blend {
        /// How long a corner takes, s.
        blend: f64,
        /// The shortest time between keys, s.
        shortest: f64,
    },
    /// Two key orientations are too far apart to say which way to turn.
    #[error(
        "key orientations {index} and {} of a path are {angle_deg:.0}° apart; at most 120° is clear: add one between",
        index + 1
    )]
    Turn {
        /// The first of the two.
        index: usize,
        /// The angle between them.
        angle_deg: f64,
    },
}

/// A motion given by a program. All of it must be consistent: twist and acceleration are the derivatives of the pose. Pose
/// and twist are continuous; the acceleration may jump at the times of [`UserMotion::jumps`].
pub trait UserMotion: Motion + fmt::Debug + Send + Sync {
    /// v̇ and ω̇ at time `t`.
    fn acceleration(&self, t: f64) -> (DVec3, DVec3);
    /// Times at which the motion is not smooth: steps end there.
    fn jumps(&self) -> &[f64] {
        &[]
    }
}

/// How a fixed or kinematic body moves, whatever pushes against it.
#[derive(Debug, Clone)]
pub enum Prescribed {
    /// At rest.
    Still(Pose),
    /// Moves on a straight line and turns evenly.
    Uniform {
        /// The pose at t = 0.
        start: Pose,
        /// The twist, always.
        twist: Twist,
    },
    /// Swings about a pose: x = x₀ + amplitude·sin(2πft + φ), turned about `axis` by angle·sin(2πft + φ).
    Oscillate {
        /// The middle of the swing.
        middle: Pose,
        /// Amplitude of the position, m.
        amplitude: DVec3,
        /// Unit axis of the rotation, world frame.
        axis: DVec3,
        /// Amplitude of the angle, rad.
        angle: f64,
        /// Frequency f, Hz.
        frequency: f64,
        /// Phase φ, rad.
        phase: f64,
    },
    /// Follows key frames.
    Path(Arc<Path>),
    /// Given by a program.
    User(Arc<dyn UserMotion>),
}

impl Prescribed {
    /// Whether it never turns.
    pub fn keeps_orientation(&self) -> bool {
        match self {
            Self::Still(_) => true,
            Self::Uniform { twist, .. } => twist.spin == DVec3::ZERO,
            Self::Oscillate { angle, .. } => *angle == 0.0,
            Self::Path(_) | Self::User(_) => false,
        }
    }

    /// v̇ and ω̇ at time `t`: what the support of a resting body needs.
    pub fn acceleration(&self, t: f64) -> (DVec3, DVec3) {
        match self {
            Self::Still(_) | Self::Uniform { .. } => (DVec3::ZERO, DVec3::ZERO),
            Self::Oscillate { amplitude, axis, angle, frequency, phase, .. } => {
                let w = TAU * frequency;
                let s = -w * w * sin(w * t + phase);
                (*amplitude * s, *axis * (angle * s))
            }
            Self::Path(path) => path.acceleration(t),
            Self::User(motion) => motion.acceleration(t),
        }
    }

    /// Times at which the motion is not smooth.
    pub fn jumps(&self) -> &[f64] {
        match self {
            Self::Path(path) => path.times(),
            Self::User(motion) => motion.jumps(),
            _ => &[],
        }
    }

    /// True if the body never moves.
    pub fn is_still(&self) -> bool {
        match self {
            Self::Still(_) => true,
            Self::Uniform { twist, .. } => *twist == Twist::ZERO,
            Self::Oscillate { amplitude, angle, .. } => *amplitude == DVec3::ZERO && *angle == 0.0,
            Self::Path(_) | Self::User(_) => false,
        }
    }
}

impl Motion for Prescribed {
    fn pose(&self, t: f64) -> Pose {
        match self {
            Self::Still(pose) => *pose,
            Self::Uniform { start, twist } => Pose {
                position: start.position + twist.velocity * t,
                orientation: (DQuat::from_scaled_axis(twist.spin * t) * start.orientation).normalize(),
            },
            Self::Oscillate { middle, amplitude, axis, angle, frequency, phase } => {
                let s = sin(TAU * frequency * t + phase);
                Pose {
                    position: middle.position + *amplitude * s,
                    orientation: (DQuat::from_scaled_axis(*axis * (angle * s)) * middle.orientation)
                        .normalize(),
                }
            }
            Self::Path(path) => path.pose(t),
            Self::User(motion) => motion.pose(t),
        }
    }

    fn twist(&self, t: f64) -> Twist {
        match self {
            Self::Still(_) => Twist::ZERO,
            Self::Uniform { twist, .. } => *twist,
            Self::Oscillate { amplitude, axis, angle, frequency, phase, .. } => {
                let w = TAU * frequency;
                let c = w * cos(w * t + phase);
                Twist { velocity: *amplitude * c, spin: *axis * (angle * c) }
            }
            Self::Path(path) => path.twist(t),
            Self::User(motion) => motion.twist(t),
        }
    }

    fn bounds(&self, t_a: f64, t_b: f64) -> Bounds {
        match self {
            Self::Still(pose) => {
                let centre = Aabb::point(pose.position);
                Bounds::at_rest(centre)
            }
            Self::Uniform { start, twist } => {
                let at = |t: f64| Aabb::point(start.position + twist.velocity * t);
                let centre = at(t_a).join(&at(t_b));
                let (speed, spin) = (twist.velocity.length(), twist.spin.length());
                Bounds { speed, spin, ..Bounds::at_rest(centre) }
            }
            Self::Oscillate { middle, amplitude, angle, frequency, .. } => {
                let w = TAU * frequency.abs();
                let reach = amplitude.abs();
                let swing = Aabb { min: middle.position - reach, max: middle.position + reach };
                // A short interval cannot use the whole swing.
                let speed = w * amplitude.length();
                let moved = speed * (t_b - t_a).abs();
                let near = Aabb::point(self.pose(t_a).position).grown(moved);
                let centre = Aabb { min: swing.min.max(near.min), max: swing.max.min(near.max) };
                let spin = w * angle.abs();
                Bounds {
                    speed,
                    spin,
                    acceleration: w * speed,
                    spin_rate: w * spin,
                    ..Bounds::at_rest(centre)
                }
            }
            Self::Path(path) => path.bounds(t_a, t_b),
            Self::User(motion) => motion.bounds(t_a, t_b),
        }
    }
}
