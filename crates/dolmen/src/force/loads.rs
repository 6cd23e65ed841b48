//! What a force sees and what it adds to.

use super::nbody::Octree;
use super::neighbours::Grid;
use crate::body::Load;
use crate::id::{BodyId, SetId};
use crate::math::{DMat3, DVec3, Pose, Twist};
use crate::member::Members;

/// A time, and the smooth interval around it.
///
/// At a jump the time alone does not tell before from after; the interval does, so that a step which ends at a jump
/// never sees what comes behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The time, s.
    pub t: f64,
    /// Start of the smooth interval.
    pub smooth_from: f64,
    /// Its end.
    pub smooth_until: f64,
}

impl Moment {
    /// Whether this is after a jump, whose own instant counts as before for a step that ends there and as after for one that
    /// begins there.
    pub fn is_after(&self, jump: f64) -> bool {
        self.smooth_from >= jump
    }

    /// Whether the smooth interval lies inside [from, until]. Both must have been declared as jumps.
    pub fn is_within(&self, from: f64, until: f64) -> bool {
        from <= self.smooth_from && self.smooth_until <= until
    }
}

/// A body as forces see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyView {
    /// The evaluation that it belongs to.
    pub(crate) stamp: u64,
    pub(crate) pose: Pose,
    pub(crate) rotation: DMat3,
    pub(crate) twist: Twist,
}

/// The bodies and particles of an island at an instant, read only.
///
/// Only what the force named as its members is up to date.
#[derive(Debug)]
pub struct View<'a> {
    pub(crate) members: &'a Members,
    pub(crate) stamp: u64,
    pub(crate) bodies: &'a [BodyView],
    pub(crate) sets: &'a [(Vec<DVec3>, Vec<DVec3>)],
}

impl View<'_> {
    /// The view of a body of the island that is being evaluated.
    ///
    /// # Panics
    /// When the force did not name the body as a member: it would see it at some other time.
    fn body(&self, id: BodyId) -> &BodyView {
        let view = &self.bodies[id.index()];
        assert!(view.stamp == self.stamp, "a force reads body {} that is not among its members", id.index());
        view
    }

    /// Position and orientation of a body.
    pub fn pose(&self, id: BodyId) -> Pose {
        self.body(id).pose
    }

    /// The rotation matrix of a body; not quite orthonormal where the matrix form is carried without renormalising.
    pub fn rotation(&self, id: BodyId) -> DMat3 {
        self.body(id).rotation
    }

    /// Velocity and spin of a body.
    pub fn twist(&self, id: BodyId) -> Twist {
        self.body(id).twist
    }

    /// Mass of a body; infinite if it is fixed or kinematic.
    pub fn mass(&self, id: BodyId) -> f64 {
        self.members.body(id).inertia().mass
    }

    /// World position and velocity of a point given in the body's frame.
    pub fn point(&self, id: BodyId, point_body: DVec3) -> (DVec3, DVec3) {
        let body = self.body(id);
        let arm = body.rotation * point_body;
        (body.pose.position + arm, body.twist.at(arm))
    }

    /// Positions of the particles of a set.
    pub fn positions(&self, id: SetId) -> &[DVec3] {
        &self.sets[id.index()].0
    }

    /// Velocities of the particles of a set.
    pub fn velocities(&self, id: SetId) -> &[DVec3] {
        &self.sets[id.index()].1
    }

    /// All bodies and sets of the world that is simulated, as they are described.
    pub fn members(&self) -> &Members {
        self.members
    }
}

/// Who accounts for the work of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Booked {
    /// The force's potential: the load is its negative gradient.
    Potential,
    /// The ledger: its power is integrated with the state.
    Work,
}

/// Force and torque on one body so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BodyLoad {
    pub(crate) load: Load,
    /// Sum of magnitudes of forces and of torques.
    pub(crate) gross_force: f64,
    pub(crate) gross_torque: f64,
}

/// Where forces add what they do.
#[derive(Debug)]
pub struct Loads<'a> {
    pub(crate) members: &'a Members,
    pub(crate) stamp: u64,
    pub(crate) views: &'a [BodyView],
    pub(crate) velocities: &'a [(Vec<DVec3>, Vec<DVec3>)],
    pub(crate) bodies: &'a mut [BodyLoad],
    pub(crate) sets: &'a mut [(Vec<DVec3>, Vec<f64>)],
    /// Power that the ledger must book, W.
    pub(crate) power: f64,
}

impl Loads<'_> {
    /// A force through the centre of mass.
    pub fn at_centre(&mut self, id: BodyId, force: DVec3, booked: Booked) {
        self.add(id, force, DVec3::ZERO, booked);
    }

    /// A force at a point of the world, with its torque (p − x) × F.
    pub fn at_point(&mut self, id: BodyId, point: DVec3, force: DVec3, booked: Booked) {
        let arm = point - self.views[id.index()].pose.position;
        self.add(id, force, arm.cross(force), booked);
    }

    /// A torque without a force.
    pub fn torque(&mut self, id: BodyId, torque: DVec3, booked: Booked) {
        self.add(id, DVec3::ZERO, torque, booked);
    }

    /// A force on a particle.
    pub fn particle(&mut self, id: SetId, index: usize, force: DVec3, booked: Booked) {
        let (forces, gross) = &mut self.sets[id.index()];
        forces[index] += force;
        gross[index] += force.length();
        if booked == Booked::Work {
            self.power += force.dot(self.velocities[id.index()].1[index]);
        }
    }

    fn add(&mut self, id: BodyId, force: DVec3, torque: DVec3, booked: Booked) {
        let stamp = self.views[id.index()].stamp;
        assert!(stamp == self.stamp, "a force loads body {} that is not among its members", id.index());
        let body = &mut self.bodies[id.index()];
        body.load.force += force;
        body.load.torque += torque;
        body.gross_force += force.length();
        body.gross_torque += torque.length();
        // K + U changes by the work of forces without a potential on what can move. A potential also changes when a
        // prescribed body moves: U̇ = −Σ F·v over all bodies, and K̇ has only those that can move, which leaves −F·v of
        // the prescribed ones, the work that their drive puts in.
        let dynamic = self.members.body(id).is_dynamic();
        if dynamic == (booked == Booked::Work) {
            let twist = &self.views[id.index()].twist;
            let power = force.dot(twist.velocity) + torque.dot(twist.spin);
            self.power += if dynamic { power } else { -power };
        }
    }
}

/// Buffers that a force may keep between calls; one for each force, never part of the state.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) masses: Vec<f64>,
    pub(crate) accelerations: Vec<DVec3>,
    pub(crate) octree: Octree,
    pub(crate) grid: Grid,
}
