//! Sensors: names become ids, points of a body's frame become points from its centre of mass.

use super::joint::{meant_axis, only_free};
use super::{Problems, vector};
use crate::math::{DQuat, DVec3};
use crate::scene::typed::{self, Orientation, Output};
use crate::world::{BodyId, Mount, Sensor, SensorKind, World};

pub(super) fn add(
    typed: &typed::Sensor,
    joints: &[typed::Joint],
    world: &mut World,
    problems: &mut Problems,
) -> Option<()> {
    let kind = match typed {
        typed::Sensor::Joint(s) => {
            let kind = joints.iter().find(|joint| joint.name == s.joint).map(|joint| joint.kind);
            let Some(axis) = s.axis.or_else(|| kind.and_then(only_free)) else {
                problems.report(
                    "axis",
                    "`axis` is missing: the joint has several that are free, or none",
                    None,
                );
                return None;
            };
            SensorKind::Joint { joint: s.joint.clone(), axis: meant_axis(axis) }
        }
        typed::Sensor::Load(s) => SensorKind::Load { joint: s.joint.clone() },
        typed::Sensor::Point(s) => {
            SensorKind::Point(mount(&s.body, s.at, s.orientation.as_ref(), world, problems)?)
        }
        typed::Sensor::Imu(s) => {
            SensorKind::Imu(mount(&s.body, s.at, s.orientation.as_ref(), world, problems)?)
        }
        typed::Sensor::Contact(s) => SensorKind::Contact {
            on: bodies(&s.bodies, world),
            from: s.from.as_ref().map(|from| bodies(from, world)),
        },
        typed::Sensor::Ray(s) => {
            let body = match &s.body {
                Some(name) => Some(find(name, world, problems)?),
                None => None,
            };
            let at = match body {
                Some(id) => point(id, s.at, world),
                None => vector(s.at),
            };
            SensorKind::Ray {
                body,
                at,
                direction: s.direction.into(),
                reach: s.reach.unwrap_or(f64::INFINITY),
            }
        }
    };
    problems.note("", world.add_sensor(Sensor { name: typed.name().to_owned(), kind }))
}

fn mount(
    body: &str,
    at: Option<[f64; 3]>,
    orientation: Option<&Orientation>,
    world: &World,
    problems: &mut Problems,
) -> Option<Mount> {
    let id = find(body, world, problems)?;
    let orientation = orientation.and_then(Orientation::rotation).unwrap_or(DQuat::IDENTITY);
    Some(Mount { body: id, at: point(id, at, world), orientation })
}

fn find(name: &str, world: &World, problems: &mut Problems) -> Option<BodyId> {
    let found = world.find_body(name);
    if found.is_none() {
        problems.report("body", format!("there is no body named {name:?}"), None);
    }
    found
}

/// A point of the body's frame, seen from its centre of mass; that itself where none is given.
fn point(body: BodyId, at: Option<[f64; 3]>, world: &World) -> DVec3 {
    at.map_or(DVec3::ZERO, |at| world.body(body).shape_origin() + DVec3::from_array(at))
}

/// All bodies that one of the entries means.
fn bodies(patterns: &[String], world: &World) -> Vec<BodyId> {
    let is_meant = |id: &BodyId| {
        let name = world.body_name(*id);
        patterns.iter().any(|pattern| Output::names(pattern, &name))
    };
    world.described_ids().filter(is_meant).collect()
}
