//! Events, forces and energies as dictionaries, with the words of the tables that `dolmen run` writes.

use dolmen::joint::Axis;
use dolmen::math::{Pose, Twist};
use dolmen::narrow_phase::Closest;
use dolmen::query::RayHit;
use dolmen::record::{ContactForce, Event, JointEvent, JointForce, Ledger};
use dolmen::world::{BodyId, World};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::tuple;

/// Sets many keys of a new dictionary.
macro_rules! dict {
    ($py:expr, $($key:literal: $value:expr),+ $(,)?) => {{
        let dict = PyDict::new($py);
        $(dict.set_item($key, $value)?;)+
        Ok(dict)
    }};
}

fn names(world: &World, bodies: [BodyId; 2]) -> (String, String) {
    (world.body_name(bodies[0]), world.body_name(bodies[1]))
}

/// What happened at a contact.
pub(crate) fn event<'py>(py: Python<'py>, world: &World, e: &Event) -> PyResult<Bound<'py, PyDict>> {
    dict! { py,
        "t": e.t,
        "kind": e.kind.name(),
        "bodies": names(world, e.bodies),
        "group": e.group,
        "point": tuple(e.point),
        "normal": tuple(e.normal),
        "approach": e.approach,
        "separation": e.separation,
        "impulse": e.impulse,
        "friction": tuple(e.friction),
        "lost": e.lost,
        "law": e.law.name(),
        "rounds": e.rounds,
        "note": e.note.name(),
    }
}

/// What happened in a joint.
pub(crate) fn joint_event<'py>(
    py: Python<'py>,
    world: &World,
    e: &JointEvent,
) -> PyResult<Bound<'py, PyDict>> {
    dict! { py,
        "t": e.t,
        "kind": e.kind.name(),
        "joint": world.joints()[e.joint].name(),
        "axis": e.axis.map(Axis::name),
        "approach": e.approach,
        "separation": e.separation,
        "impulse": e.impulse,
        "lost": e.lost,
    }
}

/// The force of a contact.
pub(crate) fn contact_force<'py>(
    py: Python<'py>,
    world: &World,
    f: &ContactForce,
) -> PyResult<Bound<'py, PyDict>> {
    let mode = match (f.sticks, f.rolls) {
        (true, true) => "roll",
        (true, false) => "stick",
        (false, _) => "slide",
    };
    dict! { py,
        "bodies": names(world, f.bodies),
        "point": tuple(f.point),
        "normal": tuple(f.normal),
        "normal_force": f.normal_force,
        "friction": tuple(f.friction),
        "moment": tuple(f.moment),
        "mode": mode,
        "residual": f.residual,
        "is_unique": f.is_unique,
        "status": f.status.name(),
    }
}

/// The force of a joint.
pub(crate) fn joint_force<'py>(
    py: Python<'py>,
    world: &World,
    f: &JointForce,
) -> PyResult<Bound<'py, PyDict>> {
    dict! { py,
        "joint": world.joints()[f.joint].name(),
        "point": tuple(f.point),
        "force": tuple(f.force),
        "torque": tuple(f.torque),
        "is_unique": f.is_unique,
    }
}

/// What a ray meets.
pub(crate) fn hit<'py>(py: Python<'py>, world: &World, hit: &RayHit) -> PyResult<Bound<'py, PyDict>> {
    dict! { py,
        "body": world.body_name(hit.body),
        "distance": hit.distance,
        "point": tuple(hit.point),
        "normal": tuple(hit.normal),
    }
}

/// The closest points of two bodies.
pub(crate) fn closest<'py>(py: Python<'py>, found: &Closest) -> PyResult<Bound<'py, PyDict>> {
    dict! { py,
        "distance": found.distance,
        "points": (tuple(found.points[0]), tuple(found.points[1])),
        "normal": tuple(found.normal),
    }
}

/// Energies.
pub(crate) fn ledger<'py>(py: Python<'py>, ledger: &Ledger) -> PyResult<Bound<'py, PyDict>> {
    dict! { py,
        "kinetic": ledger.kinetic,
        "potential": ledger.potential,
        "work": ledger.work,
        "collisions": ledger.collisions,
        "friction": ledger.friction,
        "closing": ledger.closing,
        "total": ledger.total(),
        "lost": ledger.lost(),
    }
}

/// Position, orientation, velocity and spin of a body.
pub(crate) fn motion(pose: &Pose, twist: &Twist) -> [f64; 13] {
    let (x, q, v, w) = (pose.position, pose.orientation, twist.velocity, twist.spin);
    [x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z]
}

/// w, x, y, z.
pub(crate) fn quaternion(pose: &Pose) -> [f64; 4] {
    let q = pose.orientation;
    [q.w, q.x, q.y, q.z]
}

/// A list of what is made one by one.
pub(crate) fn list<'py>(
    py: Python<'py>,
    items: impl Iterator<Item = PyResult<Bound<'py, PyDict>>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}
