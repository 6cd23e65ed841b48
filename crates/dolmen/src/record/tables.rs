//! A run as tables: `states.csv`, `bodies.csv`, `particles.csv`, `energy.csv`, `momentum.csv`, `sensors.csv`, and those of contacts and
//! joints.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::contact::{ContactFiles, ContactTables, Tally, resultants};
use super::joint::JointTables;
use super::rows::{begin, writer};
use super::{
    Balance, ContactForce, Event, JointCoordinate, JointForce, LastSample, Output, Sample, Table, Violation,
};
use crate::body::{BodyState, Inertia};
use crate::joint::FittedJoint;
use crate::world::{BodyId, World};

/// Where the tables go: anything that takes bytes; none where one is left out.
#[derive(Debug)]
pub struct TableFiles<W: Write> {
    /// t, body, x … z, qw … qz, vx … vz, wx … wz
    pub states: Option<W>,
    /// t, body, kinetic, rotational, px … pz, lx … lz, drift of every body that forces move: its kinetic energy (and how much of
    /// it is rotation), momentum, angular momentum about its own centre of mass, and how far its orientation is from a rotation.
    pub bodies: Option<W>,
    /// t, set, index, x … z, vx … vz; absent when the world has no particles.
    pub particles: Option<W>,
    /// t, kinetic, potential, work, collisions, friction, closing, total, error
    pub energy: W,
    /// t, px … pz, lx … lz
    pub momentum: W,
    /// Absent when nothing in the world [can touch](super::can_touch).
    pub contacts: Option<ContactFiles<W>>,
    /// t, joint, x … z, fx … fz, tx … tz, note: a row for each joint at a sample; absent when the world has no joints.
    pub joints: Option<W>,
    /// t, joint, axis, coordinate, rate, motor: a row for each free axis of each joint at a sample; absent when the world has no
    /// joints.
    pub coordinates: Option<W>,
    /// t, and the [columns](World::sensor_columns) of all sensors: a row at a sample; absent when the world has none.
    pub sensors: Option<W>,
}

/// Writes samples as rows. Numbers are the shortest decimals that read back as the same bits.
#[derive(Debug)]
pub struct RunTables<W: Write> {
    states: Option<csv::Writer<W>>,
    bodies: Option<csv::Writer<W>>,
    particles: Option<csv::Writer<W>>,
    energy: csv::Writer<W>,
    momentum: csv::Writer<W>,
    contacts: Option<ContactTables<W>>,
    joints: JointTables<W>,
    sensors: Option<csv::Writer<W>>,
    names: Names,
    output: Output,
    progress: Progress,
}

/// What contacts and joints carry at a sample, and how joints move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Carried<'s> {
    /// Contact forces.
    pub contacts: &'s [ContactForce],
    /// Joint forces.
    pub joints: &'s [JointForce],
    /// Joint coordinates with their motors.
    pub coordinates: &'s [JointCoordinate],
    /// What all sensors show, by [`World::sensor_columns`].
    pub sensors: &'s [f64],
}

/// What the tables of a run have come to so far: with it and their lengths on disk, a later process goes on with them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// How well energy has added up.
    pub balance: Balance,
    /// What contacts have come to.
    pub tally: Tally,
    /// Laws that were broken.
    pub violations: Vec<Violation>,
    /// Samples written.
    pub samples: u64,
    /// The last of them.
    pub last: Option<LastSample>,
}

/// What rows say of bodies and particles beyond their state.
#[derive(Debug)]
struct Names {
    bodies: Vec<String>,
    /// None of a body that forces do not move.
    inertias: Vec<Option<Inertia>>,
    sets: Vec<String>,
    /// The bodies of each joint.
    joints: Vec<[Option<BodyId>; 2]>,
}

impl Names {
    fn new(world: &World) -> Self {
        Self {
            bodies: world.body_ids().map(|id| world.body_name(id)).collect(),
            inertias: world.bodies().iter().map(|b| b.is_dynamic().then(|| *b.inertia())).collect(),
            sets: world.sets().iter().map(|s| s.name().to_owned()).collect(),
            joints: world.joints().iter().map(FittedJoint::bodies).collect(),
        }
    }
}

impl<W: Write> RunTables<W> {
    /// Starts the tables with their header lines.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(world: &World, files: TableFiles<W>) -> io::Result<Self> {
        Ok(Self {
            states: files
                .states
                .map(|file| begin(file, "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"))
                .transpose()?,
            bodies: files
                .bodies
                .map(|file| begin(file, "t,body,kinetic,rotational,px,py,pz,lx,ly,lz,drift"))
                .transpose()?,
            particles: files.particles.map(|file| begin(file, "t,set,index,x,y,z,vx,vy,vz")).transpose()?,
            energy: begin(files.energy, "t,kinetic,potential,work,collisions,friction,closing,total,error")?,
            momentum: begin(files.momentum, "t,px,py,pz,lx,ly,lz")?,
            contacts: files.contacts.map(ContactTables::new).transpose()?,
            joints: JointTables::new(world, files.joints, files.coordinates)?,
            sensors: files.sensors.map(|file| begin_sensors(file, world)).transpose()?,
            names: Names::new(world),
            output: Output::default(),
            progress: Progress::default(),
        })
    }

    /// Goes on with tables that were begun, from where they end.
    pub fn resume(world: &World, files: TableFiles<W>, progress: Progress) -> Self {
        Self {
            states: files.states.map(writer),
            bodies: files.bodies.map(writer),
            particles: files.particles.map(writer),
            energy: writer(files.energy),
            momentum: writer(files.momentum),
            contacts: files.contacts.map(ContactTables::resume),
            joints: JointTables::resume(world, files.joints, files.coordinates),
            sensors: files.sensors.map(writer),
            names: Names::new(world),
            output: Output::default(),
            progress,
        }
    }

    /// Writes only rows that are wanted. Which tables there are is for [`TableFiles`] to say.
    #[must_use]
    pub fn limited_to(mut self, output: Output) -> Self {
        self.output = output;
        self
    }

    /// Writes one sample: the state, what contacts and joints carry, and how joints move.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&mut self, sample: &Sample, carried: &Carried) -> io::Result<()> {
        self.write_state(sample)?;
        self.write_contacts(sample, carried.contacts)?;
        self.write_joints(sample.t, carried.joints, carried.coordinates)?;
        self.write_sensors(sample.t, carried.sensors)?;
        self.progress.samples += 1;
        self.progress.last = Some(sample.into());
        Ok(())
    }

    /// Whether a table has rows of a sample at `t`.
    fn is_due(&self, table: Table, t: f64) -> bool {
        self.output.is_due(table, self.progress.last.as_ref().map(|last| last.t), t)
    }

    fn write_state(&mut self, sample: &Sample) -> io::Result<()> {
        let t = sample.t;
        let due = [Table::States, Table::Bodies, Table::Particles].map(|table| self.is_due(table, t));
        let is_wanted = |i: usize| self.output.has_any([BodyId::from_rank(i)]);
        let rows = || self.names.bodies.iter().zip(&sample.bodies).enumerate().filter(|(i, _)| is_wanted(*i));
        if let Some(states) = self.states.as_mut().filter(|_| due[0]) {
            for (_, (name, (pose, twist))) in rows() {
                let q = pose.orientation;
                let quaternion = [q.w, q.x, q.y, q.z];
                let (x, v, w) = (pose.position.to_array(), twist.velocity.to_array(), twist.spin.to_array());
                states.serialize((t, name, x, quaternion, v, w)).map_err(io::Error::other)?;
            }
        }
        if let Some(bodies) = self.bodies.as_mut().filter(|_| due[1]) {
            for (i, (name, (pose, twist))) in rows() {
                let Some(inertia) = &self.names.inertias[i] else { continue };
                let state = BodyState::new(inertia, pose, twist);
                let rotational = 0.5 * state.angular_momentum.dot(twist.spin);
                let kinetic = 0.5 * state.momentum.dot(twist.velocity) + rotational;
                let (p, l) = (state.momentum.to_array(), state.angular_momentum.to_array());
                let drift = sample.drifts.get(i).copied().unwrap_or_default();
                bodies.serialize((t, name, kinetic, rotational, p, l, drift)).map_err(io::Error::other)?;
            }
        }
        if let Some(particles) = self.particles.as_mut().filter(|_| due[2]) {
            for (name, (positions, velocities)) in self.names.sets.iter().zip(&sample.sets) {
                for (i, (x, v)) in positions.iter().zip(velocities).enumerate() {
                    particles
                        .serialize((t, name, i, x.to_array(), v.to_array()))
                        .map_err(io::Error::other)?;
                }
            }
        }
        let ledger = &sample.ledger;
        let error = self.progress.balance.add(ledger);
        let lost = [ledger.collisions, ledger.friction, ledger.closing];
        let row = (t, ledger.kinetic, ledger.potential, ledger.work, lost, ledger.total(), error);
        self.energy.serialize(row).map_err(io::Error::other)?;
        let (p, l) = (sample.momentum.to_array(), sample.angular_momentum.to_array());
        self.momentum.serialize((t, p, l)).map_err(io::Error::other)
    }

    fn write_contacts(&mut self, sample: &Sample, forces: &[ContactForce]) -> io::Result<()> {
        self.progress.tally.add_forces(forces);
        let t = sample.t;
        let due = [Table::Forces, Table::Resultants].map(|table| self.is_due(table, t));
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        let (names, output) = (&self.names.bodies, &self.output);
        if due[0] {
            contacts.write_forces(names, t, forces.iter().filter(|force| output.has_any(force.bodies)))?;
        }
        if due[1] {
            let found = resultants(sample, forces).into_iter();
            contacts.write_resultants(names, t, found.filter(|(body, _)| output.has_any([*body])))?;
        }
        Ok(())
    }

    fn write_joints(
        &mut self,
        t: f64,
        forces: &[JointForce],
        coordinates: &[JointCoordinate],
    ) -> io::Result<()> {
        let due = [Table::Joints, Table::Coordinates].map(|table| self.is_due(table, t));
        let is_wanted = |place: usize| self.output.has_any(self.names.joints[place].into_iter().flatten());
        if due[0] {
            self.joints.write_forces(t, forces.iter().filter(|force| is_wanted(force.joint)))?;
        }
        if due[1] {
            let wanted = coordinates.iter().filter(|coordinate| is_wanted(coordinate.joint));
            self.joints.write_coordinates(t, wanted)?;
        }
        Ok(())
    }

    /// A row of numbers; what could not be measured is left empty.
    fn write_sensors(&mut self, t: f64, shown: &[f64]) -> io::Result<()> {
        let is_due = self.is_due(Table::Sensors, t);
        let Some(sensors) = self.sensors.as_mut().filter(|_| is_due) else { return Ok(()) };
        let cells: Vec<Option<f64>> =
            shown.iter().map(|value| Some(*value).filter(|v| !v.is_nan())).collect();
        sensors.serialize((t, cells)).map_err(io::Error::other)
    }

    /// Writes events, which must be given in the order of time.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_events(&mut self, events: &[Event]) -> io::Result<()> {
        self.progress.tally.add_events(events);
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        let output = &self.output;
        contacts.write_events(&self.names.bodies, events.iter().filter(|event| output.has_any(event.bodies)))
    }

    /// Writes laws that were broken, whatever the bodies.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_violations(&mut self, violations: &[Violation]) -> io::Result<()> {
        self.progress.violations.extend_from_slice(violations);
        match &mut self.contacts {
            Some(contacts) => contacts.write_violations(&self.names.bodies, violations),
            None => Ok(()),
        }
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self) -> io::Result<()> {
        let tables = [&mut self.states, &mut self.bodies, &mut self.particles];
        tables.into_iter().flatten().try_for_each(csv::Writer::flush)?;
        self.energy.flush()?;
        if let Some(contacts) = &mut self.contacts {
            contacts.flush()?;
        }
        self.joints.flush()?;
        self.sensors.as_mut().map_or(Ok(()), csv::Writer::flush)?;
        self.momentum.flush()
    }

    /// What they have come to so far.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// How well energy has added up so far.
    pub fn balance(&self) -> &Balance {
        &self.progress.balance
    }

    /// What contacts have come to so far.
    pub fn tally(&self) -> &Tally {
        &self.progress.tally
    }

    /// Rows of time so far.
    pub fn samples(&self) -> u64 {
        self.progress.samples
    }
}

/// The table of sensors with its header: names of sensors may have blanks, but no commas or quotes.
fn begin_sensors<W: Write>(file: W, world: &World) -> io::Result<csv::Writer<W>> {
    let columns: Vec<String> = std::iter::once("t".to_owned()).chain(world.sensor_columns()).collect();
    begin(file, &columns.join(","))
}
