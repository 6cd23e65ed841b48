//! Bodies and particles that forces and joints couple, and their state vector.

use super::layout::{self, ORIENTATION};
use crate::body::BodyState;
use crate::math::{DMat3, DQuat, DVec3, Twist};
use crate::world::{BodyId, Form, Member, SetId, World};
use serde::{Deserialize, Serialize};

/// Bodies and sets that move together because a force or a joint couples them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Island {
    /// Bodies that forces move, in the order of their ids.
    pub bodies: Vec<BodyId>,
    /// Sets of particles that touch nothing.
    pub sets: Vec<SetId>,
    /// Sets whose particles are bodies of the island, and that its forces read as sets.
    pub(super) particle_sets: Vec<SetId>,
    /// Fixed and kinematic bodies that its forces read or its joints attach to.
    pub supports: Vec<BodyId>,
    /// Forces, by their index in the world.
    pub forces: Vec<usize>,
    /// Joints of its bodies, by their place in the world.
    pub joints: Vec<usize>,
    /// Times at which something is not smooth, increasing.
    pub jumps: Vec<f64>,
    pub(crate) form: Form,
    pub(super) set_offsets: Vec<usize>,
    pub(super) dim: usize,
    /// Which components are momenta or velocities.
    momenta: Vec<bool>,
}

impl Island {
    /// Of these members, ascending, and the forces on them, with fixed and kinematic bodies that carry them.
    pub(crate) fn of(world: &World, members: &[Member], forces: Vec<usize>, supports: &[BodyId]) -> Self {
        let mut island = Self::new(world, members, forces);
        island.supports.extend(supports);
        island.supports.sort_unstable();
        island.supports.dedup();
        for id in supports {
            island.jumps.extend(world.body(*id).prescribed_motion().map_or(&[][..], |motion| motion.jumps()));
        }
        island.jumps.sort_by(f64::total_cmp);
        island.jumps.dedup();
        island
    }

    fn new(world: &World, members: &[Member], forces: Vec<usize>) -> Self {
        let form = world.settings().form;
        let mut island = Self {
            bodies: Vec::new(),
            sets: Vec::new(),
            particle_sets: Vec::new(),
            supports: Vec::new(),
            forces,
            joints: Vec::new(),
            jumps: Vec::new(),
            form,
            set_offsets: Vec::new(),
            dim: 0,
            momenta: Vec::new(),
        };
        for member in members {
            match *member {
                Member::Body(id) => {
                    island.bodies.push(id);
                    let momentum = form.momentum_offset();
                    island.momenta.extend((0..form.body_size()).map(|i| i >= momentum));
                }
                Member::Set(id) => island.sets.push(id),
            }
        }
        for id in &island.sets {
            island.set_offsets.push(island.momenta.len());
            island.momenta.extend((0..world.set(*id).len() * 6).map(|i| i % 6 >= 3));
        }
        island.momenta.push(false); // work
        island.dim = island.momenta.len();
        island.find_supports(world);
        island
    }

    fn find_supports(&mut self, world: &World) {
        for &f in &self.forces {
            let force = &world.forces()[f];
            self.jumps.extend(force.jumps());
            for member in force.members() {
                let id = match member {
                    Member::Body(id) => id,
                    Member::Set(id) => {
                        if world.members().particle_bodies(id).is_some() {
                            self.particle_sets.push(id);
                        }
                        continue;
                    }
                };
                if let Some(motion) = world.body(id).prescribed_motion() {
                    self.supports.push(id);
                    self.jumps.extend(motion.jumps());
                }
            }
        }
        self.particle_sets.sort_unstable();
        self.particle_sets.dedup();
        self.find_joints(world);
        self.supports.sort_unstable();
        self.supports.dedup();
        self.jumps.sort_by(f64::total_cmp);
        self.jumps.dedup();
    }

    /// The joints of its bodies, with the fixed and kinematic bodies at their other ends and the jumps of their motors.
    fn find_joints(&mut self, world: &World) {
        for (place, joint) in world.joints().iter().enumerate() {
            let ends = joint.bodies();
            if !ends.iter().flatten().any(|id| self.bodies.binary_search(id).is_ok()) {
                continue;
            }
            self.joints.push(place);
            self.jumps.extend(joint.jumps());
            for id in ends.into_iter().flatten() {
                if let Some(motion) = world.body(id).prescribed_motion() {
                    self.supports.push(id);
                    self.jumps.extend(motion.jumps());
                }
            }
        }
    }

    /// Whether it is one of this world, with all that forces and joints couple to its members: one that was read from a file need not
    /// be.
    pub(crate) fn is_of(&self, world: &World) -> bool {
        let is_dynamic =
            |id: &BodyId| id.index() < world.bodies().len() && world.body(*id).prescribed_motion().is_none();
        let is_support =
            |id: &BodyId| id.index() < world.bodies().len() && world.body(*id).prescribed_motion().is_some();
        let is_set = |id: &SetId| id.index() < world.sets().len() && is_list(world, *id);
        let exists = self.bodies.is_sorted_by(|a, b| a < b)
            && self.sets.is_sorted_by(|a, b| a < b)
            && self.bodies.iter().all(is_dynamic)
            && self.sets.iter().all(is_set)
            && self.supports.iter().all(is_support)
            && self.forces.iter().all(|force| *force < world.forces().len());
        if !exists {
            return false;
        }
        let is_own = |member: &Member| match member {
            Member::Body(id) => {
                world.body(*id).prescribed_motion().is_some() || self.bodies.binary_search(id).is_ok()
            }
            Member::Set(id) => self.sets.binary_search(id).is_ok(),
        };
        let members: Vec<Member> = self
            .bodies
            .iter()
            .map(|id| Member::Body(*id))
            .chain(self.sets.iter().map(|id| Member::Set(*id)))
            .collect();
        let joins_own = |place: &usize| {
            world.joints()[*place].bodies().into_iter().flatten().all(|id| is_own(&Member::Body(id)))
        };
        let couples = |joints: &[usize]| joints.iter().any(|place| self.joints.contains(place));
        Self::of(world, &members, self.forces.clone(), &self.supports) == *self
            && self.forces.iter().all(|force| world.moved_by(*force).iter().all(is_own))
            && self.joints.iter().all(joins_own)
            && world.couplings().iter().filter(|c| couples(&c.joints)).all(|c| c.joints.iter().all(joins_own))
    }

    /// The place of a body in the island, or after its bodies of a support.
    pub(crate) fn place(&self, id: BodyId) -> Option<usize> {
        let support = || self.supports.binary_search(&id).map(|k| self.bodies.len() + k);
        self.bodies.binary_search(&id).or_else(|_| support()).ok()
    }

    /// What joints and their couplings connect, as links between members.
    pub(crate) fn joint_links(world: &World) -> Vec<Vec<Member>> {
        let joints = world.joints();
        let members = |place: &usize| joints[*place].bodies().into_iter().flatten().map(Member::Body);
        let mut links: Vec<Vec<Member>> = (0..joints.len()).map(|place| members(&place).collect()).collect();
        links.extend(world.couplings().iter().map(|c| c.joints.iter().flat_map(members).collect()));
        links
    }

    /// Every island of a world, in the order of their first members. Members that no force couples are alone.
    pub fn all(world: &World) -> Vec<Self> {
        let members: Vec<Member> = world
            .body_ids()
            .filter(|id| world.body(*id).is_dynamic())
            .map(Member::Body)
            .chain(world.set_ids().filter(|id| is_list(world, *id)).map(Member::Set))
            .collect();
        let links: Vec<Vec<Member>> = (0..world.forces().len()).map(|force| world.moved_by(force)).collect();
        let joined = [&links[..], &Self::joint_links(world)].concat();
        let groups = Self::coupled(&members, &joined);
        let mut group_of = vec![0; members.len()];
        for (g, group) in groups.iter().enumerate() {
            for member in group {
                if let Ok(k) = members.binary_search(member) {
                    group_of[k] = g;
                }
            }
        }
        let mut forces = vec![Vec::new(); groups.len()];
        for (f, link) in links.iter().enumerate() {
            // A force on fixed and kinematic bodies alone moves no body.
            if let Some(k) = link.iter().find_map(|member| members.binary_search(member).ok()) {
                forces[group_of[k]].push(f);
            }
        }
        groups.iter().zip(forces).map(|(group, forces)| Self::new(world, group, forces)).collect()
    }

    /// The groups into which links couple members, both ascending; those that no link couples are alone. What is not among
    /// the members couples nothing.
    pub(crate) fn coupled(members: &[Member], links: &[Vec<Member>]) -> Vec<Vec<Member>> {
        let mut parent: Vec<usize> = (0..members.len()).collect();
        for link in links {
            let mut first = None;
            for k in link.iter().filter_map(|member| members.binary_search(member).ok()) {
                join(&mut parent, *first.get_or_insert(k), k);
            }
        }
        let mut groups: Vec<Vec<Member>> = vec![Vec::new(); members.len()];
        for (k, member) in members.iter().enumerate() {
            let root = find(&mut parent, k);
            groups[root].push(*member);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// The smooth interval that begins at or contains `t`: from the last jump up to `t` to the next one after it.
    pub fn smooth_interval(&self, t: f64) -> (f64, f64) {
        let next = self.jumps.partition_point(|jump| *jump <= t);
        let from = if next == 0 { f64::NEG_INFINITY } else { self.jumps[next - 1] };
        (from, self.jumps.get(next).copied().unwrap_or(f64::INFINITY))
    }

    /// Length of the state vector: bodies, particles, and the work that the ledger books.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Which components of the state vector are momenta or velocities.
    pub(crate) fn momenta(&self) -> &[bool] {
        &self.momenta
    }

    /// Moves and turns its `k`-th body by a little, and keeps its velocity and spin.
    pub(crate) fn shift_pose(
        &self,
        world: &World,
        y: &mut [f64],
        k: usize,
        (linear, turn): (DVec3, DVec3),
        twist: &Twist,
    ) {
        let block = &mut y[self.body_offset(k)..];
        let mut state = layout::unpack(self.form, block);
        let small = DQuat::from_xyzw(0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 1.0).normalize();
        state.position += linear;
        state.orientation = (small * state.orientation).normalize();
        let inertia = world.body(self.bodies[k]).inertia();
        layout::pack(self.form, &BodyState::new(inertia, &state.pose(), twist), block);
    }

    /// Changes the velocity and the spin of its `k`-th body.
    pub(crate) fn shift_twist(&self, world: &World, y: &mut [f64], k: usize, (linear, spin): (DVec3, DVec3)) {
        let block = &mut y[self.body_offset(k)..];
        let mut state = layout::unpack(self.form, block);
        let inertia = world.body(self.bodies[k]).inertia();
        let rotation = DMat3::from_quat(state.orientation);
        state.momentum += inertia.mass * linear;
        state.angular_momentum += inertia.angular_momentum(&rotation, spin);
        layout::pack(self.form, &state, block);
    }

    pub(crate) fn body_offset(&self, k: usize) -> usize {
        k * self.form.body_size()
    }

    /// The names of its members, for messages; at most five.
    pub fn names(&self, world: &World) -> String {
        let bodies = self.bodies.iter().map(|id| Member::Body(*id));
        let members: Vec<Member> = bodies.chain(self.sets.iter().map(|id| Member::Set(*id))).collect();
        let mut names: Vec<String> = members.iter().take(5).map(|m| world.member_name(*m)).collect();
        if members.len() > 5 {
            names.push(format!("and {} more", members.len() - 5));
        }
        names.join(", ")
    }

    /// Writes states into a state vector; the work so far is `work`.
    pub fn pack(&self, bodies: &[BodyState], sets: &[(Vec<DVec3>, Vec<DVec3>)], work: f64, y: &mut [f64]) {
        for (k, id) in self.bodies.iter().enumerate() {
            layout::pack(self.form, &bodies[id.index()], &mut y[self.body_offset(k)..]);
        }
        for (id, offset) in self.sets.iter().zip(&self.set_offsets) {
            let (positions, velocities) = &sets[id.index()];
            for (i, (x, v)) in positions.iter().zip(velocities).enumerate() {
                layout::put(&mut y[offset + 6 * i..], *x);
                layout::put(&mut y[offset + 6 * i + 3..], *v);
            }
        }
        y[self.dim - 1] = work;
    }

    /// Reads states from a state vector; returns the work so far.
    pub fn unpack(&self, y: &[f64], bodies: &mut [BodyState], sets: &mut [(Vec<DVec3>, Vec<DVec3>)]) -> f64 {
        for (k, id) in self.bodies.iter().enumerate() {
            bodies[id.index()] = layout::unpack(self.form, &y[self.body_offset(k)..]);
        }
        for (id, offset) in self.sets.iter().zip(&self.set_offsets) {
            let (positions, velocities) = &mut sets[id.index()];
            for (i, (x, v)) in positions.iter_mut().zip(velocities).enumerate() {
                *x = layout::vector(&y[offset + 6 * i..]);
                *v = layout::vector(&y[offset + 6 * i + 3..]);
            }
        }
        y[self.dim - 1]
    }

    /// The state of the `k`-th body.
    pub(crate) fn state_of(&self, y: &[f64], k: usize) -> BodyState {
        layout::unpack(self.form, &y[self.body_offset(k)..])
    }

    /// The rotation of the `k`-th body as the state vector carries it.
    pub fn rotation(&self, y: &[f64], k: usize) -> DMat3 {
        layout::rotation(self.form, &y[self.body_offset(k)..])
    }

    /// How far the carried orientation of the `k`-th body is from a rotation: ||q| − 1|, or the largest entry of RRᵀ − 1.
    pub fn rotation_defect(&self, y: &[f64], k: usize) -> f64 {
        let block = &y[self.body_offset(k) + ORIENTATION..];
        match self.form {
            Form::Quaternion => (layout::quaternion(block).length() - 1.0).abs(),
            Form::Matrix => {
                let r = layout::matrix(block);
                let skew = r * r.transpose() - DMat3::IDENTITY;
                skew.to_cols_array().iter().fold(0.0, |most: f64, e| most.max(e.abs()))
            }
        }
    }

    /// What is at component `i` of the state vector, for messages.
    pub fn component_name(&self, world: &World, i: usize) -> String {
        let bodies = self.bodies.len() * self.form.body_size();
        if i < bodies {
            let (k, part) = (i / self.form.body_size(), i % self.form.body_size());
            let quantity = match part {
                0..3 => "position",
                _ if part < self.form.momentum_offset() => "orientation",
                _ if part < self.form.momentum_offset() + 3 => "momentum",
                _ => "angular momentum",
            };
            return format!("the {quantity} of {}", world.body_name(self.bodies[k]));
        }
        for (id, offset) in self.sets.iter().zip(&self.set_offsets) {
            let set = world.set(*id);
            if i >= *offset && i < offset + 6 * set.len() {
                return format!("particle {} of {}", (i - offset) / 6, set.name());
            }
        }
        "the work done".to_owned()
    }
}

/// Whether the particles of a set are a list of points, not bodies.
fn is_list(world: &World, id: SetId) -> bool {
    world.members().particle_bodies(id).is_none()
}

fn find(parent: &mut [usize], k: usize) -> usize {
    let mut root = k;
    while parent[root] != root {
        root = parent[root];
    }
    let mut k = k;
    while parent[k] != root {
        (k, parent[k]) = (parent[k], root);
    }
    root
}

/// Joins two groups under the smaller root, so that groups are in the order of their first members.
fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b)] = a.min(b);
}
