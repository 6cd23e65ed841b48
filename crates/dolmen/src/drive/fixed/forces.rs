//! Forces of the world on its bodies within a sub-step.

use super::bodies::{Bodies, id_of};
use super::number::Real;
use crate::body::Load;
use crate::force::{BodyLoad, BodyView, Loads, Moment, View, Workspace};
use crate::joint::{FittedJoint, STILL, Turns};
use crate::math::{DMat3, Pose, Twist};
use crate::world::{Member, World};

/// Buffers for the forces of a world.
#[derive(Debug, Clone)]
pub(super) struct Forces {
    views: Vec<BodyView>,
    loads: Vec<BodyLoad>,
    /// Bodies that forces read and load: they declare them. The views of all others are out of date.
    members: Vec<u32>,
    /// Those and the bodies of joints with springs: all that may have a load.
    loaded: Vec<u32>,
    workspaces: Vec<Workspace>,
    /// Times at which some force jumps, sorted.
    jumps: Vec<f64>,
    has_joint_loads: bool,
}

impl Forces {
    pub(super) fn new(world: &World) -> Self {
        let body_of = |member| if let Member::Body(id) = member { Some(id.index() as u32) } else { None };
        let mut members: Vec<u32> =
            world.forces().iter().flat_map(|force| force.members()).filter_map(body_of).collect();
        let of_joints = world.joints().iter().filter(|joint| joint.has_loads()).flat_map(FittedJoint::bodies);
        let mut loaded: Vec<u32> = of_joints.flatten().map(|id| id.index() as u32).collect();
        loaded.extend(&members);
        for list in [&mut members, &mut loaded] {
            list.sort_unstable();
            list.dedup();
        }
        // A force that reads another body is told so.
        let unread =
            BodyView { stamp: 0, pose: Pose::IDENTITY, rotation: DMat3::IDENTITY, twist: Twist::ZERO };
        let mut views = vec![unread; world.bodies().len()];
        for i in &members {
            views[*i as usize].stamp = 1;
        }
        let mut jumps: Vec<f64> = world.forces().iter().flat_map(|force| force.jumps().to_vec()).collect();
        jumps.sort_by(f64::total_cmp);
        Self {
            views,
            members,
            loaded,
            loads: vec![BodyLoad::default(); world.bodies().len()],
            workspaces: world.forces().iter().map(|_| Workspace::default()).collect(),
            jumps,
            has_joint_loads: world.joints().iter().any(FittedJoint::has_loads),
        }
    }

    /// Whether there is anything besides gravity.
    pub(super) fn is_empty(&self) -> bool {
        self.workspaces.is_empty() && !self.has_joint_loads
    }

    fn moment(&self, t: f64) -> Moment {
        let after = self.jumps.partition_point(|jump| *jump <= t);
        Moment {
            t,
            smooth_from: if after == 0 { f64::NEG_INFINITY } else { self.jumps[after - 1] },
            smooth_until: self.jumps.get(after).copied().unwrap_or(f64::INFINITY),
        }
    }

    fn look<R: Real>(&mut self, bodies: &Bodies<R>) {
        for i in &self.members {
            let (now, view) = (bodies.kinematics(*i as usize), &mut self.views[*i as usize]);
            view.pose = now.pose;
            view.rotation = DMat3::from_quat(now.pose.orientation);
            view.twist = now.twist;
        }
    }

    /// Evaluates all forces at the present poses and twists; the power that the ledger has to book, W.
    pub(super) fn evaluate<R: Real>(
        &mut self,
        world: &World,
        bodies: &Bodies<R>,
        t: f64,
        turns: &[Turns],
    ) -> f64 {
        self.look(bodies);
        for i in &self.loaded {
            self.loads[*i as usize] = BodyLoad::default();
        }
        let moment = self.moment(t);
        let (members, sets) = (world.members(), Vec::new());
        let view = View { members, stamp: 1, bodies: &self.views, sets: &sets };
        let mut set_loads = Vec::new();
        let mut loads = Loads {
            members,
            stamp: 1,
            views: &self.views,
            velocities: &sets,
            bodies: &mut self.loads,
            sets: &mut set_loads,
            power: 0.0,
        };
        for (force, workspace) in world.forces().iter().zip(&mut self.workspaces) {
            force.apply(&moment, &view, &mut loads, workspace);
        }
        let mut power = loads.power;
        if self.has_joint_loads {
            for (joint, turns) in world.joints().iter().zip(turns).filter(|(joint, _)| joint.has_loads()) {
                let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| bodies.kinematics(id.index())));
                let load = joint.load((&a, &b), t, turns);
                power += load.power;
                for (id, load) in joint.bodies().into_iter().zip([load.on_a, load.on_b]) {
                    if let Some(id) = id {
                        self.loads[id.index()].load.force += load.force;
                        self.loads[id.index()].load.torque += load.torque;
                    }
                }
            }
        }
        power
    }

    /// On a body, as last evaluated.
    pub(super) fn on(&self, i: usize) -> &Load {
        &self.loads[i].load
    }

    /// Potential energy of all forces and of springs in joints, J.
    pub(super) fn potential<R: Real>(
        &mut self,
        world: &World,
        bodies: &Bodies<R>,
        t: f64,
        turns: &[Turns],
    ) -> f64 {
        self.look(bodies);
        let moment = self.moment(t);
        let sets = Vec::new();
        let view = View { members: world.members(), stamp: 1, bodies: &self.views, sets: &sets };
        let mut sum = 0.0;
        for (force, workspace) in world.forces().iter().zip(&mut self.workspaces) {
            sum += force.potential(&moment, &view, workspace);
        }
        for (joint, turns) in world.joints().iter().zip(turns).filter(|(joint, _)| joint.has_loads()) {
            let [a, b] = joint.bodies().map(|id| id.map_or(STILL, |id| bodies.kinematics(id.index())));
            sum += joint.load((&a, &b), t, turns).potential;
        }
        sum
    }

    /// The first body whose load is not a number.
    pub(super) fn not_finite(&self) -> Option<crate::world::BodyId> {
        let bad = |load: &BodyLoad| !(load.load.force.is_finite() && load.load.torque.is_finite());
        self.loaded.iter().find(|i| bad(&self.loads[**i as usize])).map(|i| id_of(*i as usize))
    }
}
