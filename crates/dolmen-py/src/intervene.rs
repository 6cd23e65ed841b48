//! Interventions: targets of motors and pushes, in the order of time, so that they can be done again.

use std::sync::Arc;

use dolmen::joint::{Control, FittedJoint};
use dolmen::math::{DQuat, DVec3, Pose, Twist};
use dolmen::world::{BodyId, Change, World};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};

use crate::engine::{Engine, Halt};
use crate::errors;
use crate::field::Field;

/// A change as a dictionary.
pub(crate) fn shown<'py>(py: Python<'py>, t: f64, change: &Change) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("t", t)?;
    match change {
        Change::Target { joint, axis, target } => {
            dict.set_item("joint", joint)?;
            dict.set_item("axis", axis)?;
            dict.set_item("target", *target)?;
        }
        Change::Push { body, force, torque, until } => {
            dict.set_item("body", body)?;
            dict.set_item("force", *force)?;
            dict.set_item("torque", *torque)?;
            dict.set_item("until", *until)?;
        }
    }
    Ok(dict)
}

/// What [`shown`] made: when, and what.
pub(crate) fn read(dict: &Bound<'_, PyDict>) -> PyResult<(f64, Change)> {
    let get = |key: &str| {
        let refuse = || errors::input(format!("{dict} is no intervention: it has no {key:?}"));
        dict.get_item(key)?.ok_or_else(refuse)
    };
    let t = get("t")?.extract()?;
    let change = if dict.contains("joint")? {
        let (joint, axis) = (get("joint")?.extract()?, get("axis")?.extract()?);
        Change::Target { joint, axis, target: get("target")?.extract()? }
    } else {
        let (force, torque) = (get("force")?.extract()?, get("torque")?.extract()?);
        Change::Push { body: get("body")?.extract()?, force, torque, until: get("until")?.extract()? }
    };
    Ok((t, change))
}

/// Position, orientation (w, x, y, z), velocity and spin of every body.
pub(crate) type Start = Vec<[f64; 13]>;

/// What makes the world of a simulation another than the one it was described by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct History {
    /// Where bodies start, if not where the scene says.
    pub(crate) start: Option<Start>,
    /// When, and what.
    pub(crate) changes: Vec<(f64, Change)>,
}

impl History {
    /// The world of a simulation with this history and this field, forces in the order in which they came.
    pub(crate) fn world(&self, described: &Arc<World>, field: Option<&Field>) -> PyResult<Arc<World>> {
        if self.start.is_none() && self.changes.is_empty() && field.is_none() {
            return Ok(Arc::clone(described));
        }
        let mut world = World::clone(described);
        if let Some(start) = &self.start {
            place(&mut world, start)?;
        }
        if let Some(field) = field {
            field.add_to(&mut world)?;
        }
        for (t, change) in &self.changes {
            world.change(*t, change).map_err(|error| errors::input(error.to_string()))?;
        }
        Ok(Arc::new(world))
    }

    /// In front of the state of the driver.
    pub(crate) fn bytes(&self, state: &[u8]) -> PyResult<Vec<u8>> {
        // Every number keeps its bits.
        let text = postcard::to_stdvec(self).map_err(|error| errors::failed(error.to_string()))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&text);
        bytes.extend_from_slice(state);
        Ok(bytes)
    }

    /// What [`History::bytes`] made.
    pub(crate) fn split(bytes: &[u8]) -> PyResult<(Self, &[u8])> {
        let refuse =
            || errors::input("this is not a snapshot of a simulation; give what `snapshot()` returned");
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(refuse)?;
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(refuse)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| refuse())?;
        let (text, state) = rest.split_at_checked(length).ok_or_else(refuse)?;
        let history = postcard::from_bytes(text).map_err(|_| refuse())?;
        Ok((history, state))
    }
}

const MAGIC: &[u8] = b"dolmen python 1 ";

/// Lets the bodies that forces move start elsewhere; rows of others are not looked at.
pub(crate) fn place(world: &mut World, start: &[[f64; 13]]) -> PyResult<()> {
    let ids: Vec<BodyId> = world.described_ids().collect();
    if start.len() != ids.len() {
        let (given, needed) = (start.len(), ids.len());
        return Err(errors::input(format!("states of {given} bodies; the world has {needed}")));
    }
    for (id, row) in ids.into_iter().zip(start) {
        if !world.body(id).is_dynamic() {
            continue;
        }
        let vector = |k: usize| DVec3::new(row[k], row[k + 1], row[k + 2]);
        let orientation = DQuat::from_xyzw(row[4], row[5], row[6], row[3]);
        let (pose, twist) =
            (Pose { position: vector(0), orientation }, Twist { velocity: vector(7), spin: vector(10) });
        world.set_start(id, pose, twist).map_err(|error| errors::input(error.to_string()))?;
    }
    Ok(())
}

/// The motors of a world that take targets: joint, axis, kind.
pub(crate) fn motors(world: &World) -> Vec<(String, &'static str, &'static str)> {
    let of = |joint: &FittedJoint| -> Vec<_> {
        let kind = |place: usize| match &joint.joint().controls()[place].1 {
            Control::Force(_) => "force",
            Control::Velocity { .. } => "velocity",
            _ => "position",
        };
        joint.targets().map(|(place, axis)| (joint.name().to_owned(), axis.name(), kind(place))).collect()
    };
    world.joints().iter().flat_map(of).collect()
}

/// The target of a motor now.
pub(crate) fn target(world: &World, t: f64, name: &str, axis: Option<&str>) -> Option<f64> {
    let joint = world.find_joint(name)?;
    let (place, _) = joint.targets().find(|(_, other)| axis.is_none_or(|axis| other.name() == axis))?;
    match &joint.joint().controls()[place].1 {
        Control::Force(target) | Control::Velocity { target, .. } | Control::Position { target, .. } => {
            Some(target.at(t)[0])
        }
        _ => None,
    }
}

/// Changes something now, and keeps that it was.
pub(crate) fn intervene(engine: &mut Engine, history: &mut History, change: Change) -> Result<(), Halt> {
    engine.intervene(&change)?;
    history.changes.push((engine.time(), change));
    Ok(())
}
