//! ẏ = f(t, y): the equations of motion of an island.

use super::layout::{self, ORIENTATION};
use super::scaling::Scaling;
use super::{Island, Scratch};
use crate::body::Load;
use crate::force::{BodyLoad, BodyView, Loads, Moment, View};
use crate::integrate::Ode;
use crate::math::{DMat3, DQuat, DVec3, Pose, Twist, orthonormal, quaternion_of};
use crate::motion::Motion;
use crate::world::{BodyId, Form, SetId, World};

/// ẏ = f(t, y) of an island over one smooth interval.
#[derive(Debug)]
pub struct Equations<'a> {
    world: &'a World,
    island: &'a Island,
    scratch: &'a mut Scratch,
    smooth: (f64, f64),
}

impl<'a> Equations<'a> {
    /// For an island between two times at which something is not smooth.
    pub fn new(world: &'a World, island: &'a Island, scratch: &'a mut Scratch, smooth: (f64, f64)) -> Self {
        Self { world, island, scratch, smooth }
    }

    fn moment(&self, t: f64) -> Moment {
        Moment { t, smooth_from: self.smooth.0, smooth_until: self.smooth.1 }
    }

    /// Brings the views of the island up to date.
    fn look(&mut self, t: f64, y: &[f64]) {
        let form = self.island.form;
        self.scratch.stamp += 1;
        let stamp = self.scratch.stamp;
        for (k, id) in self.island.bodies.iter().enumerate() {
            let block = &y[self.island.body_offset(k)..];
            let inertia = self.world.body(*id).inertia();
            let momentum = form.momentum_offset();
            let rotation = layout::rotation(form, block);
            let orientation = match form {
                Form::Quaternion => layout::quaternion(&block[ORIENTATION..]).normalize(),
                Form::Matrix => quaternion_of(&rotation),
            };
            self.scratch.views[id.index()] = BodyView {
                stamp,
                pose: Pose { position: layout::vector(block), orientation },
                rotation,
                twist: Twist {
                    velocity: layout::vector(&block[momentum..]) * inertia.inv_mass,
                    spin: inertia.spin(&rotation, layout::vector(&block[momentum + 3..])),
                },
            };
        }
        for id in &self.island.supports {
            if let Some(motion) = self.world.body(*id).prescribed_motion() {
                let (pose, twist) = (motion.pose(t), motion.twist(t));
                let rotation = DMat3::from_quat(pose.orientation);
                self.scratch.views[id.index()] = BodyView { stamp, pose, rotation, twist };
            }
        }
        for (id, offset) in self.island.sets.iter().zip(&self.island.set_offsets) {
            let (positions, velocities) = &mut self.scratch.set_views[id.index()];
            for (i, (x, v)) in positions.iter_mut().zip(velocities).enumerate() {
                *x = layout::vector(&y[offset + 6 * i..]);
                *v = layout::vector(&y[offset + 6 * i + 3..]);
            }
        }
        for id in &self.island.particle_sets {
            let Some(range) = self.world.members().particle_bodies(*id) else { continue };
            let (positions, velocities) = &mut self.scratch.set_views[id.index()];
            for (view, (x, v)) in self.scratch.views[range].iter().zip(positions.iter_mut().zip(velocities)) {
                (*x, *v) = (view.pose.position, view.twist.velocity);
            }
        }
    }

    /// Sums gravity and all forces, in their order.
    fn load(&mut self, t: f64) {
        let moment = self.moment(t);
        let gravity = self.world.gravity();
        let scratch = &mut *self.scratch;
        for id in self.island.bodies.iter().chain(&self.island.supports) {
            scratch.loads[id.index()] = BodyLoad::default();
        }
        for id in &self.island.bodies {
            let weight = self.world.body(*id).inertia().mass * gravity;
            let load = &mut scratch.loads[id.index()];
            load.load.force = weight;
            load.gross_force = weight.length();
        }
        for id in &self.island.sets {
            let (forces, gross) = &mut scratch.set_loads[id.index()];
            for ((force, gross), mass) in forces.iter_mut().zip(gross).zip(self.world.set(*id).masses()) {
                *force = *mass * gravity;
                *gross = force.length();
            }
        }
        for id in &self.island.particle_sets {
            let (forces, gross) = &mut scratch.set_loads[id.index()];
            forces.fill(DVec3::ZERO);
            gross.fill(0.0);
        }
        let view = View {
            members: self.world.members(),
            stamp: scratch.stamp,
            bodies: &scratch.views,
            sets: &scratch.set_views,
        };
        let mut loads = Loads {
            members: self.world.members(),
            stamp: scratch.stamp,
            views: &scratch.views,
            velocities: &scratch.set_views,
            bodies: &mut scratch.loads,
            sets: &mut scratch.set_loads,
            power: 0.0,
        };
        for &f in &self.island.forces {
            self.world.forces()[f].apply(&moment, &view, &mut loads, &mut scratch.workspaces[f]);
        }
        scratch.power = loads.power;
        for id in &self.island.particle_sets {
            let Some(range) = self.world.members().particle_bodies(*id) else { continue };
            let (forces, gross) = &scratch.set_loads[id.index()];
            for (load, (force, gross)) in scratch.loads[range].iter_mut().zip(forces.iter().zip(gross)) {
                load.load.force += *force;
                load.gross_force += gross;
            }
        }
    }

    /// Potential energy of gravity and of all forces of the island, J.
    pub fn potential(&mut self, t: f64, y: &[f64]) -> f64 {
        self.look(t, y);
        let moment = self.moment(t);
        let gravity = self.world.gravity();
        let scratch = &mut *self.scratch;
        let view = View {
            members: self.world.members(),
            stamp: scratch.stamp,
            bodies: &scratch.views,
            sets: &scratch.set_views,
        };
        let mut sum = 0.0;
        for id in &self.island.bodies {
            sum -= self.world.body(*id).inertia().mass * gravity.dot(view.pose(*id).position);
        }
        for id in &self.island.sets {
            let masses = self.world.set(*id).masses();
            sum -= view.positions(*id).iter().zip(masses).map(|(x, m)| m * gravity.dot(*x)).sum::<f64>();
        }
        for &f in &self.island.forces {
            sum += self.world.forces()[f].potential(&moment, &view, &mut scratch.workspaces[f]);
        }
        sum
    }

    /// The total force and torque on a body of the island in this state.
    pub fn load_on(&mut self, t: f64, y: &[f64], body: BodyId) -> Load {
        self.look(t, y);
        self.load(t);
        self.scratch.loads[body.index()].load
    }

    /// The total force on every particle of a set of the island in this state.
    pub fn forces_on(&mut self, t: f64, y: &[f64], set: SetId) -> Vec<DVec3> {
        self.look(t, y);
        self.load(t);
        self.scratch.set_loads[set.index()].0.clone()
    }

    /// Sums all loads in this state; contacts may add theirs before the rates are written.
    pub(crate) fn sum_loads(&mut self, t: f64, y: &[f64]) {
        self.look(t, y);
        self.load(t);
    }

    /// Pose, rotation and twist of a body of the island, or of one that supports it, in the state last evaluated.
    pub(crate) fn seen(&self, id: BodyId) -> (Pose, DMat3, Twist) {
        let view = &self.scratch.views[id.index()];
        (view.pose, view.rotation, view.twist)
    }

    /// The load on a body, as summed.
    pub(crate) fn summed(&self, id: BodyId) -> Load {
        self.scratch.loads[id.index()].load
    }

    /// Adds to the load on a body.
    pub(crate) fn add_load(&mut self, id: BodyId, force: DVec3, torque: DVec3) {
        let load = &mut self.scratch.loads[id.index()];
        load.load.force += force;
        load.load.torque += torque;
        load.gross_force += force.length();
        load.gross_torque += torque.length();
    }

    /// The power that the ledger books as work, as summed, W.
    pub(crate) fn power(&self) -> f64 {
        self.scratch.power
    }

    /// Adds to the power that the ledger books as work, W.
    pub(crate) fn add_power(&mut self, power: f64) {
        self.scratch.power += power;
    }

    /// The rates of the state vector under the loads as summed.
    pub(crate) fn write_rates(&self, y: &[f64], dy: &mut [f64]) {
        for (k, id) in self.island.bodies.iter().enumerate() {
            self.body_rates(k, *id, y, dy);
        }
        for (id, offset) in self.island.sets.iter().zip(&self.island.set_offsets) {
            let (forces, _) = &self.scratch.set_loads[id.index()];
            let velocities = &self.scratch.set_views[id.index()].1;
            let masses = self.world.set(*id).masses();
            for (i, ((force, velocity), mass)) in forces.iter().zip(velocities).zip(masses).enumerate() {
                layout::put(&mut dy[offset + 6 * i..], *velocity);
                layout::put(&mut dy[offset + 6 * i + 3..], *force / *mass);
            }
        }
        dy[self.island.dim - 1] = self.scratch.power;
    }

    fn body_rates(&self, k: usize, id: BodyId, y: &[f64], dy: &mut [f64]) {
        let (form, offset) = (self.island.form, self.island.body_offset(k));
        let (block, rates) = (&y[offset..], &mut dy[offset..]);
        let (view, load) = (&self.scratch.views[id.index()], &self.scratch.loads[id.index()].load);
        let spin = view.twist.spin;
        layout::put(rates, view.twist.velocity);
        match form {
            Form::Quaternion => {
                // q̇ = ½ ω q, of the quaternion as it is: its length is then constant but for the method's error.
                let q = layout::quaternion(&block[ORIENTATION..]);
                let rate = DQuat::from_xyzw(spin.x, spin.y, spin.z, 0.0) * q * 0.5;
                layout::put_quaternion(&mut rates[ORIENTATION..], rate);
            }
            Form::Matrix => {
                // Ṙ = ω* R: every column turns with ω.
                let r = &view.rotation;
                let rate = DMat3::from_cols(spin.cross(r.x_axis), spin.cross(r.y_axis), spin.cross(r.z_axis));
                layout::put_matrix(&mut rates[ORIENTATION..], &rate);
            }
        }
        let momentum = form.momentum_offset();
        layout::put(&mut rates[momentum..], load.force);
        // Nothing turns a point: what its loads sum up to as a torque is rounding of where they act, and no step could follow that.
        let turned = if self.world.body(id).inertia().is_point() { DVec3::ZERO } else { load.torque };
        layout::put(&mut rates[momentum + 3..], turned);
    }
}

impl Ode for Equations<'_> {
    fn dim(&self) -> usize {
        self.island.dim
    }

    fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.sum_loads(t, y);
        self.write_rates(y, dy);
    }

    fn momenta(&self) -> Option<&[bool]> {
        Some(self.island.momenta())
    }

    fn scales(&self, y0: &[f64], y1: &[f64], rates0: &[f64], h: f64, scale: &mut [f64]) {
        let scaling = Scaling { world: self.world, island: self.island, scratch: self.scratch };
        scaling.fill((y0, y1), rates0, h, scale);
    }

    fn project(&mut self, t: f64, y: &mut [f64], dy: &mut [f64]) {
        if !self.world.settings().renormalise {
            return;
        }
        let form = self.island.form;
        for k in 0..self.island.bodies.len() {
            let o = self.island.body_offset(k) + ORIENTATION;
            match form {
                Form::Quaternion => {
                    // The rates hang on the direction of q alone, and q̇ is proportional to q.
                    let factor = 1.0 / layout::quaternion(&y[o..]).length();
                    y[o..o + 4].iter_mut().chain(&mut dy[o..o + 4]).for_each(|c| *c *= factor);
                }
                Form::Matrix => {
                    let r = orthonormal(&layout::matrix(&y[o..]));
                    layout::put_matrix(&mut y[o..], &r);
                }
            }
        }
        if form == Form::Matrix && !self.island.bodies.is_empty() {
            self.rates(t, y, dy);
        }
    }
}
