//! A run as tables: `states.csv`, `bodies.csv`, `particles.csv`, `energy.csv`, `momentum.csv`, and those of contacts and joints.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::contact::{ContactFiles, ContactTables, Tally};
use super::joint::JointTable;
use super::rows::{begin, writer};
use super::{Balance, ContactForce, Event, JointForce, LastSample, Sample, Violation};
use crate::body::{BodyState, Inertia};
use crate::world::World;

/// Where the tables go: anything that takes bytes.
#[derive(Debug)]
pub struct TableFiles<W: Write> {
    /// t, body, x … z, qw … qz, vx … vz, wx … wz
    pub states: W,
    /// t, body, kinetic, rotational, px … pz, lx … lz of every body that forces move: its kinetic energy (and how much of
    /// it is rotation), momentum, and angular momentum about its own centre of mass.
    pub bodies: W,
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
}

/// Writes samples as rows. Numbers are the shortest decimals that read back as the same bits.
#[derive(Debug)]
pub struct RunTables<W: Write> {
    states: csv::Writer<W>,
    bodies: csv::Writer<W>,
    particles: Option<csv::Writer<W>>,
    energy: csv::Writer<W>,
    momentum: csv::Writer<W>,
    contacts: Option<ContactTables<W>>,
    joints: Option<JointTable<W>>,
    names: Names,
    progress: Progress,
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
}

impl Names {
    fn new(world: &World) -> Self {
        Self {
            bodies: world.body_ids().map(|id| world.body_name(id)).collect(),
            inertias: world.bodies().iter().map(|b| b.is_dynamic().then(|| *b.inertia())).collect(),
            sets: world.sets().iter().map(|s| s.name().to_owned()).collect(),
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
            states: begin(files.states, "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz")?,
            bodies: begin(files.bodies, "t,body,kinetic,rotational,px,py,pz,lx,ly,lz")?,
            particles: files.particles.map(|file| begin(file, "t,set,index,x,y,z,vx,vy,vz")).transpose()?,
            energy: begin(files.energy, "t,kinetic,potential,work,collisions,friction,closing,total,error")?,
            momentum: begin(files.momentum, "t,px,py,pz,lx,ly,lz")?,
            contacts: files.contacts.map(ContactTables::new).transpose()?,
            joints: files.joints.map(|file| JointTable::new(world, file)).transpose()?,
            names: Names::new(world),
            progress: Progress::default(),
        })
    }

    /// Goes on with tables that were begun, from where they end.
    pub fn resume(world: &World, files: TableFiles<W>, progress: Progress) -> Self {
        Self {
            states: writer(files.states),
            bodies: writer(files.bodies),
            particles: files.particles.map(writer),
            energy: writer(files.energy),
            momentum: writer(files.momentum),
            contacts: files.contacts.map(ContactTables::resume),
            joints: files.joints.map(|file| JointTable::resume(world, file)),
            names: Names::new(world),
            progress,
        }
    }

    /// Writes one sample.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&mut self, sample: &Sample) -> io::Result<()> {
        let t = sample.t;
        for (name, (pose, twist)) in self.names.bodies.iter().zip(&sample.bodies) {
            let q = pose.orientation;
            let quaternion = [q.w, q.x, q.y, q.z];
            let (x, v, w) = (pose.position.to_array(), twist.velocity.to_array(), twist.spin.to_array());
            self.states.serialize((t, name, x, quaternion, v, w)).map_err(io::Error::other)?;
        }
        for ((name, inertia), (pose, twist)) in
            self.names.bodies.iter().zip(&self.names.inertias).zip(&sample.bodies)
        {
            let Some(inertia) = inertia else { continue };
            let state = BodyState::new(inertia, pose, twist);
            let rotational = 0.5 * state.angular_momentum.dot(twist.spin);
            let kinetic = 0.5 * state.momentum.dot(twist.velocity) + rotational;
            let (p, l) = (state.momentum.to_array(), state.angular_momentum.to_array());
            self.bodies.serialize((t, name, kinetic, rotational, p, l)).map_err(io::Error::other)?;
        }
        if let Some(particles) = &mut self.particles {
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
        self.momentum.serialize((t, p, l)).map_err(io::Error::other)?;
        self.progress.samples += 1;
        self.progress.last = Some(sample.into());
        Ok(())
    }

    /// Writes events, which must be given in the order of time.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_events(&mut self, events: &[Event]) -> io::Result<()> {
        self.progress.tally.add_events(events);
        match &mut self.contacts {
            Some(contacts) => contacts.write_events(&self.names.bodies, events),
            None => Ok(()),
        }
    }

    /// Writes laws that were broken.
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

    /// Writes the contact forces at a sample, and what they come to on each body.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_forces(&mut self, sample: &Sample, forces: &[ContactForce]) -> io::Result<()> {
        self.progress.tally.add_forces(forces);
        match &mut self.contacts {
            Some(contacts) => contacts.write_forces(&self.names.bodies, sample, forces),
            None => Ok(()),
        }
    }

    /// Writes what joints carry at a sample.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_joints(&mut self, sample: &Sample, forces: &[JointForce]) -> io::Result<()> {
        self.joints.as_mut().map_or(Ok(()), |joints| joints.write(sample.t, forces))
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.states.flush()?;
        self.bodies.flush()?;
        if let Some(particles) = &mut self.particles {
            particles.flush()?;
        }
        self.energy.flush()?;
        if let Some(contacts) = &mut self.contacts {
            contacts.flush()?;
        }
        if let Some(joints) = &mut self.joints {
            joints.flush()?;
        }
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
