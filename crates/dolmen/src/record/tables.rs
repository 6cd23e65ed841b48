//! A run as tables: `states.csv`, `bodies.csv`, `particles.csv`, `energy.csv`, `momentum.csv`, and those of contacts and joints.

use std::io::{self, Write};

use super::contact::{ContactFiles, ContactTables, Tally};
use super::joint::JointTable;
use super::{Balance, ContactForce, Event, JointForce, Sample};
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
    names: Vec<String>,
    inertias: Vec<Option<Inertia>>,
    set_names: Vec<String>,
    balance: Balance,
    tally: Tally,
    samples: u64,
}

impl<W: Write> RunTables<W> {
    /// Starts the tables with their header lines.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(world: &World, files: TableFiles<W>) -> io::Result<Self> {
        let mut tables = Self {
            states: csv::Writer::from_writer(files.states),
            bodies: csv::Writer::from_writer(files.bodies),
            particles: files.particles.map(csv::Writer::from_writer),
            energy: csv::Writer::from_writer(files.energy),
            momentum: csv::Writer::from_writer(files.momentum),
            contacts: files.contacts.map(ContactTables::new).transpose()?,
            joints: files.joints.map(|file| JointTable::new(world, file)).transpose()?,
            names: world.body_ids().map(|id| world.body_name(id)).collect(),
            inertias: world.bodies().iter().map(|b| b.is_dynamic().then(|| *b.inertia())).collect(),
            set_names: world.sets().iter().map(|s| s.name().to_owned()).collect(),
            balance: Balance::default(),
            tally: Tally::default(),
            samples: 0,
        };
        let states = "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";
        tables.states.write_record(states.split(',')).map_err(io::Error::other)?;
        let bodies = "t,body,kinetic,rotational,px,py,pz,lx,ly,lz";
        tables.bodies.write_record(bodies.split(',')).map_err(io::Error::other)?;
        if let Some(particles) = &mut tables.particles {
            particles.write_record("t,set,index,x,y,z,vx,vy,vz".split(',')).map_err(io::Error::other)?;
        }
        let energy = "t,kinetic,potential,work,collisions,friction,closing,total,error";
        tables.energy.write_record(energy.split(',')).map_err(io::Error::other)?;
        tables.momentum.write_record("t,px,py,pz,lx,ly,lz".split(',')).map_err(io::Error::other)?;
        Ok(tables)
    }

    /// Writes one sample.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&mut self, sample: &Sample) -> io::Result<()> {
        let t = sample.t;
        for (name, (pose, twist)) in self.names.iter().zip(&sample.bodies) {
            let q = pose.orientation;
            let quaternion = [q.w, q.x, q.y, q.z];
            let (x, v, w) = (pose.position.to_array(), twist.velocity.to_array(), twist.spin.to_array());
            self.states.serialize((t, name, x, quaternion, v, w)).map_err(io::Error::other)?;
        }
        for ((name, inertia), (pose, twist)) in self.names.iter().zip(&self.inertias).zip(&sample.bodies) {
            let Some(inertia) = inertia else { continue };
            let state = BodyState::new(inertia, pose, twist);
            let rotational = 0.5 * state.angular_momentum.dot(twist.spin);
            let kinetic = 0.5 * state.momentum.dot(twist.velocity) + rotational;
            let (p, l) = (state.momentum.to_array(), state.angular_momentum.to_array());
            self.bodies.serialize((t, name, kinetic, rotational, p, l)).map_err(io::Error::other)?;
        }
        if let Some(particles) = &mut self.particles {
            for (name, (positions, velocities)) in self.set_names.iter().zip(&sample.sets) {
                for (i, (x, v)) in positions.iter().zip(velocities).enumerate() {
                    particles
                        .serialize((t, name, i, x.to_array(), v.to_array()))
                        .map_err(io::Error::other)?;
                }
            }
        }
        let ledger = &sample.ledger;
        let error = self.balance.add(ledger);
        let lost = [ledger.collisions, ledger.friction, ledger.closing];
        let row = (t, ledger.kinetic, ledger.potential, ledger.work, lost, ledger.total(), error);
        self.energy.serialize(row).map_err(io::Error::other)?;
        let (p, l) = (sample.momentum.to_array(), sample.angular_momentum.to_array());
        self.momentum.serialize((t, p, l)).map_err(io::Error::other)?;
        self.samples += 1;
        Ok(())
    }

    /// Writes events, which must be given in the order of time.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_events(&mut self, events: &[Event]) -> io::Result<()> {
        self.tally.add_events(events);
        match &mut self.contacts {
            Some(contacts) => contacts.write_events(&self.names, events),
            None => Ok(()),
        }
    }

    /// Writes the contact forces at a sample, and what they come to on each body.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_forces(&mut self, sample: &Sample, forces: &[ContactForce]) -> io::Result<()> {
        self.tally.add_forces(forces);
        match &mut self.contacts {
            Some(contacts) => contacts.write_forces(&self.names, sample, forces),
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

    /// How well energy has added up so far.
    pub fn balance(&self) -> &Balance {
        &self.balance
    }

    /// What contacts have come to so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Rows of time so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }
}
