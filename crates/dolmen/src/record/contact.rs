//! Contacts as tables: `events.csv`, `forces.csv`, `resultants.csv`; and what they come to over a run.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::rows::{begin, writer};
use super::{ContactForce, Event, Note, Sample, Violation};
use crate::body::Load;
use crate::broad_phase::Groups;
use crate::contact::Restitution;
use crate::narrow_phase::{ContactId, Feature};
use crate::world::{BodyId, World};

/// Where the tables of contacts go; none where one is left out.
#[derive(Debug)]
pub struct ContactFiles<W: Write> {
    /// t, group, kind, the two bodies and their features, point, normal, approach, separation, normal impulse, friction
    /// impulse, lost, law, restitution, rounds, note: a row for each event; value, bound: of a law that was broken.
    pub events: Option<W>,
    /// t, the two bodies and their features, point, normal, normal force, friction, mode, residual, note, iterations, status, moment
    /// against rolling and spinning: a row for each contact that carries force at a sample.
    pub forces: Option<W>,
    /// t, body, contacts, fx … fz, tx … tz: all contact forces on a body at a sample taken together, for each that has any.
    pub resultants: Option<W>,
}

/// What the contacts of a run came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Events of each kind that there was, by its name.
    pub events: BTreeMap<Cow<'static, str>, u64>,
    /// Events that left something open, by the name of what was decided.
    pub open: BTreeMap<Cow<'static, str>, u64>,
    /// Contact forces at samples that were the least of several that fit, counted one by one.
    pub chosen_forces: u64,
    /// The largest residual of contact forces at any sample.
    pub largest_residual: f64,
}

impl Tally {
    /// Takes events into account.
    pub fn add_events(&mut self, events: &[Event]) {
        for event in events {
            *self.events.entry(event.kind.name().into()).or_default() += 1;
            if !event.note.name().is_empty() {
                *self.open.entry(event.note.name().into()).or_default() += 1;
            }
        }
    }

    /// Takes the forces of a sample into account.
    pub fn add_forces(&mut self, forces: &[ContactForce]) {
        for force in forces {
            self.chosen_forces += u64::from(!force.is_unique);
            // A number that is not finite must show, where `max` would drop it.
            if force.residual.is_nan() || force.residual > self.largest_residual {
                self.largest_residual = force.residual;
            }
        }
    }

    /// Whether any impulse or force was chosen among several that fit.
    pub fn has_choices(&self) -> bool {
        self.chosen_forces > 0 || self.open.contains_key(Note::LeastNorm.name())
    }
}

/// Whether any two bodies of a world can touch: contact is on, both have shapes, one of them moves under forces, and their
/// groups meet.
pub fn can_touch(world: &World) -> bool {
    if !world.contact().enabled {
        return false;
    }
    // Bodies of the same groups are alike, so that a pile is looked through once and not in pairs.
    let mut seen: Vec<(Groups, bool)> = Vec::new();
    for body in world.bodies().iter().filter(|body| body.shape().is_some()) {
        let (groups, is_dynamic) = (body.groups(), body.is_dynamic());
        if seen.iter().any(|other| (is_dynamic || other.1) && groups.meets(other.0)) {
            return true;
        }
        if !seen.contains(&(groups, is_dynamic)) {
            seen.push((groups, is_dynamic));
        }
    }
    false
}

/// All contact forces on each body that has any, with their number, in the order of the bodies.
///
/// The torque is about the position of the body in the sample: its centre of mass, or the origin of the frame of a fixed or
/// kinematic one.
pub fn resultants(sample: &Sample, forces: &[ContactForce]) -> BTreeMap<BodyId, (u64, Load)> {
    let mut found: BTreeMap<BodyId, (u64, Load)> = BTreeMap::new();
    for contact in forces {
        let on_a = contact.normal_force * contact.normal + contact.friction;
        for (body, force, moment) in
            [(contact.bodies[0], on_a, contact.moment), (contact.bodies[1], -on_a, -contact.moment)]
        {
            // A particle is where it touches.
            let place = sample.bodies.get(body.index()).map_or(contact.point, |(pose, _)| pose.position);
            let arm = contact.point - place;
            let (count, load) = found.entry(body).or_default();
            *count += 1;
            load.force += force;
            load.torque += arm.cross(force) + moment;
        }
    }
    found
}

/// Writes events and contact forces as rows.
#[derive(Debug)]
pub(super) struct ContactTables<W: Write> {
    events: Option<csv::Writer<W>>,
    forces: Option<csv::Writer<W>>,
    resultants: Option<csv::Writer<W>>,
}

const EVENTS: &str = "t,group,kind,body_a,body_b,feature_a,feature_b,x,y,z,nx,ny,nz,approach_speed,separation_speed,\
                      normal_impulse,friction_x,friction_y,friction_z,lost,law,restitution,rounds,note,value,bound";
const FORCES: &str = "t,body_a,body_b,feature_a,feature_b,x,y,z,nx,ny,nz,normal_force,friction_x,friction_y,friction_z,\
                      mode,residual,note,iterations,status,moment_x,moment_y,moment_z";
const RESULTANTS: &str = "t,body,contacts,fx,fy,fz,tx,ty,tz";

impl<W: Write> ContactTables<W> {
    pub(super) fn new(files: ContactFiles<W>) -> io::Result<Self> {
        Ok(Self {
            events: files.events.map(|file| begin(file, EVENTS)).transpose()?,
            forces: files.forces.map(|file| begin(file, FORCES)).transpose()?,
            resultants: files.resultants.map(|file| begin(file, RESULTANTS)).transpose()?,
        })
    }

    /// Goes on with tables that were begun.
    pub(super) fn resume(files: ContactFiles<W>) -> Self {
        Self {
            events: files.events.map(writer),
            forces: files.forces.map(writer),
            resultants: files.resultants.map(writer),
        }
    }

    pub(super) fn write_events<'e>(
        &mut self,
        names: &[String],
        events: impl Iterator<Item = &'e Event>,
    ) -> io::Result<()> {
        let Some(rows) = &mut self.events else { return Ok(()) };
        for e in events {
            let place = (e.point.to_array(), e.normal.to_array());
            let jump = (e.approach, e.separation, e.impulse, e.friction.to_array(), e.lost);
            let decided = (e.law.name(), hypothesis(e.restitution), e.rounds, e.note.name());
            let row = (
                e.t,
                e.group,
                e.kind.name(),
                named(names, e.bodies),
                texts(e.features),
                place,
                jump,
                decided,
                (if e.note == Note::ApproximateForces { e.excess.to_string() } else { String::new() }, ""),
            );
            rows.serialize(row).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// A row of kind `violated` for each broken law: `note` is its name, `value` and `bound` are its numbers.
    pub(super) fn write_violations(&mut self, names: &[String], violations: &[Violation]) -> io::Result<()> {
        let Some(rows) = &mut self.events else { return Ok(()) };
        for v in violations {
            let name = |k: usize| v.bodies.get(k).map_or("", |id| names[id.index()].as_str());
            let head = (v.t, 0, "violated", name(0), name(1), "", "");
            let row = (head, [0.0; 13], ("", "", 0), v.law.name(), v.value, v.bound);
            rows.serialize(row).map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn write_forces<'f>(
        &mut self,
        names: &[String],
        t: f64,
        forces: impl Iterator<Item = &'f ContactForce>,
    ) -> io::Result<()> {
        let Some(rows) = &mut self.forces else { return Ok(()) };
        for f in forces {
            let place = (f.point.to_array(), f.normal.to_array());
            let force = (f.normal_force, f.friction.to_array());
            let mode = match (f.sticks, f.rolls) {
                (true, true) => "roll",
                (true, false) => "stick",
                (false, _) => "slide",
            };
            let note = if f.is_unique { "" } else { Note::LeastNorm.name() };
            let row = (
                t,
                named(names, f.bodies),
                texts(f.features),
                place,
                force,
                (mode, f.residual, note, f.iterations, f.status.name()),
                f.moment.to_array(),
            );
            rows.serialize(row).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// `resultants` are those of [`resultants`] that are wanted.
    pub(super) fn write_resultants(
        &mut self,
        names: &[String],
        t: f64,
        resultants: impl Iterator<Item = (BodyId, (u64, Load))>,
    ) -> io::Result<()> {
        let Some(rows) = &mut self.resultants else { return Ok(()) };
        for (body, (contacts, load)) in resultants {
            let (force, torque) = (load.force.to_array(), load.torque.to_array());
            rows.serialize((t, &names[body.index()], contacts, force, torque)).map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        let tables = [&mut self.events, &mut self.forces, &mut self.resultants];
        tables.into_iter().flatten().try_for_each(csv::Writer::flush)
    }
}

fn named(names: &[String], bodies: [BodyId; 2]) -> [&str; 2] {
    bodies.map(|body| names[body.index()].as_str())
}

fn hypothesis(restitution: Restitution) -> &'static str {
    match restitution {
        Restitution::Newton => "newton",
        Restitution::Energetic => "energetic",
        Restitution::Poisson => "poisson",
    }
}

fn texts(features: ContactId) -> [String; 2] {
    [features.a, features.b].map(|feature| match feature {
        Feature::Vertex(i) => format!("vertex {i}"),
        Feature::Edge(i) => format!("edge {i}"),
        Feature::Face(i) => format!("face {i}"),
        Feature::Rim(i) => format!("rim {i}"),
        Feature::Surface(i) => format!("surface {i}"),
    })
}
