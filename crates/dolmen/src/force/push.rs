//! A force or torque given outright, constant or varying in time.

use super::{Booked, Force, ForceError, Loads, Moment, View, Workspace, check_finite, check_members};
use crate::id::{BodyId, Member};
use crate::math::DVec3;
use crate::math::real::{TAU, sin};
use crate::member::Members;

/// In which frame a direction is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frame {
    /// It keeps its direction in the world.
    #[default]
    World,
    /// It turns with the body.
    Body,
}

/// How a force varies in time.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Wave {
    /// It does not.
    #[default]
    Constant,
    /// As sin(2πft + φ).
    Sine {
        /// f, Hz.
        frequency: f64,
        /// φ, rad.
        phase: f64,
    },
    /// Linearly between given factors; constant before the first and after the last.
    Table {
        /// Times, increasing, s.
        times: Vec<f64>,
        /// The factor at each.
        factors: Vec<f64>,
    },
}

impl Wave {
    /// The factor at time `t`.
    fn at(&self, t: f64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Sine { frequency, phase } => sin(TAU * frequency * t + phase),
            Self::Table { times, factors } => {
                let i = times.partition_point(|knot| *knot <= t);
                if i == 0 {
                    return factors[0];
                }
                if i == times.len() {
                    return factors[i - 1];
                }
                let s = (t - times[i - 1]) / (times[i] - times[i - 1]);
                factors[i - 1] + s * (factors[i] - factors[i - 1])
            }
        }
    }

    fn check(&self, force: &'static str) -> Result<(), ForceError> {
        match self {
            Self::Constant => Ok(()),
            Self::Sine { frequency, phase } => check_finite(force, "the wave", &[*frequency, *phase]),
            Self::Table { times, factors } => {
                check_finite(force, "the wave's table", times)?;
                check_finite(force, "the wave's table", factors)?;
                if times.is_empty() || times.len() != factors.len() || times.windows(2).any(|w| w[1] <= w[0])
                {
                    let value = format!("{times:?} with {} factors", factors.len());
                    let allowed = "increasing times with one factor each";
                    return Err(ForceError::Parameter { force, what: "the wave's table", value, allowed });
                }
                Ok(())
            }
        }
    }
}

/// When a force acts, and how strongly.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    from: f64,
    until: f64,
    wave: Wave,
    jumps: Vec<f64>,
}

impl Window {
    /// From `from` until `until` (either may be infinite), times the wave.
    pub fn new(from: f64, until: f64, wave: Wave) -> Self {
        let mut jumps = vec![from, until];
        if let Wave::Table { times, .. } = &wave {
            jumps.extend(times);
        }
        jumps.retain(|t| t.is_finite());
        jumps.sort_by(f64::total_cmp);
        jumps.dedup();
        Self { from, until, wave, jumps }
    }

    /// Always.
    pub fn always() -> Self {
        Self::new(f64::NEG_INFINITY, f64::INFINITY, Wave::Constant)
    }

    /// The factor at a moment.
    pub(super) fn at(&self, moment: &Moment) -> f64 {
        if moment.is_within(self.from, self.until) { self.wave.at(moment.t) } else { 0.0 }
    }

    /// Where the factor or its derivative may jump, s.
    pub(super) fn jumps(&self) -> &[f64] {
        &self.jumps
    }

    /// Whether it does nothing between two times.
    pub(super) fn is_quiet(&self, t_a: f64, t_b: f64) -> bool {
        t_b <= self.from || t_a >= self.until
    }

    /// Whether the factor is the same from `t` on.
    pub(super) fn is_steady(&self, t: f64) -> bool {
        let is_constant = match &self.wave {
            Wave::Constant => true,
            Wave::Sine { frequency, .. } => *frequency == 0.0,
            Wave::Table { times, .. } => times.last().is_none_or(|last| *last <= t),
        };
        self.is_quiet(t, f64::INFINITY) || (is_constant && self.from <= t && self.until == f64::INFINITY)
    }

    pub(super) fn check(&self, force: &'static str) -> Result<(), ForceError> {
        if self.from.is_nan() || self.until.is_nan() || self.from >= self.until {
            let value = format!("{} s to {} s", self.from, self.until);
            return Err(ForceError::Parameter {
                force,
                what: "its time",
                value,
                allowed: "from a time until a later one",
            });
        }
        self.wave.check(force)
    }
}

/// A force at a point of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Push {
    /// The body.
    pub body: BodyId,
    /// The force, N.
    pub force: DVec3,
    /// In which frame the force is given.
    pub frame: Frame,
    /// Where it acts, in the body's frame from its centre of mass; zero is through the centre.
    pub at: DVec3,
    /// When.
    pub window: Window,
}

impl Force for Push {
    fn kind(&self) -> &'static str {
        "push"
    }

    fn members(&self) -> Vec<Member> {
        vec![Member::Body(self.body)]
    }

    fn apply(&self, moment: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let force = self.window.at(moment) * directed(view, self.body, self.force, self.frame);
        if self.at == DVec3::ZERO {
            loads.at_centre(self.body, force, Booked::Work);
        } else {
            let (point, _) = view.point(self.body, self.at);
            loads.at_point(self.body, point, force, Booked::Work);
        }
    }

    fn jumps(&self) -> &[f64] {
        &self.window.jumps
    }

    fn is_quiet(&self, t_a: f64, t_b: f64) -> bool {
        self.window.is_quiet(t_a, t_b)
    }

    fn is_steady(&self, t: f64) -> bool {
        self.window.is_steady(t)
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        check_finite("push", "the force", &self.force.to_array())?;
        check_finite("push", "the point", &self.at.to_array())?;
        self.window.check("push")
    }
}

/// A torque on a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Torque {
    /// The body.
    pub body: BodyId,
    /// The torque, N·m.
    pub torque: DVec3,
    /// In which frame it is given.
    pub frame: Frame,
    /// When.
    pub window: Window,
}

impl Force for Torque {
    fn kind(&self) -> &'static str {
        "torque"
    }

    fn members(&self) -> Vec<Member> {
        vec![Member::Body(self.body)]
    }

    fn apply(&self, moment: &Moment, view: &View, loads: &mut Loads, _: &mut Workspace) {
        let torque = self.window.at(moment) * directed(view, self.body, self.torque, self.frame);
        loads.torque(self.body, torque, Booked::Work);
    }

    fn jumps(&self) -> &[f64] {
        &self.window.jumps
    }

    fn is_quiet(&self, t_a: f64, t_b: f64) -> bool {
        self.window.is_quiet(t_a, t_b)
    }

    fn is_steady(&self, t: f64) -> bool {
        self.window.is_steady(t)
    }

    fn check(&self, members: &Members) -> Result<(), ForceError> {
        check_members(self, members)?;
        check_finite("torque", "the torque", &self.torque.to_array())?;
        self.window.check("torque")
    }
}

fn directed(view: &View, body: BodyId, vector: DVec3, frame: Frame) -> DVec3 {
    match frame {
        Frame::World => vector,
        Frame::Body => view.rotation(body) * vector,
    }
}
