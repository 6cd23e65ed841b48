//! The motion of an articulation through a time step.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::body::Load;
use crate::drive::exact::island::equations::{IslandEquations, SUMS};
use crate::drive::exact::island::scratch::Workspace;
use crate::drive::exact::island::states::States;
use crate::dynamics::{Integrated, Island};
use crate::integrate::{Integrator, Method, Statistics};
use crate::math::{DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::world::{BodyId, Member, World};

/// The articulated part of an island.
pub(crate) struct ArticulatedPart {
    /// Its bodies, with the forces that act on these bodies alone.
    pub(crate) island: Arc<Island>,
    /// For every body of the whole island: its slot here.
    pub(crate) slots: Vec<Option<usize>>,
    /// The loads from forces that also act on other bodies, N and N·m.
    pub(crate) external_loads: Vec<Load>,
}

impl ArticulatedPart {
    /// The articulated part of an island; none where it has no joints.
    pub(crate) fn of(world: &World, island: &Island) -> Option<Self> {
        let mut bodies: Vec<BodyId> =
            island.joints.iter().flat_map(|place| world.joints()[*place].bodies()).flatten().collect();
        bodies.retain(|id| world.body(*id).is_dynamic());
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.is_empty() {
            return None;
        }
        let is_own = |member: &Member| match member {
            Member::Body(id) => !world.body(*id).is_dynamic() || bodies.binary_search(id).is_ok(),
            Member::Set(_) => false,
        };
        let acts = |member: &Member| matches!(member, Member::Body(id) if bodies.binary_search(id).is_ok());
        let own = |f: &usize| {
            let members = world.moved_by(*f);
            members.iter().any(acts) && members.iter().all(is_own)
        };
        let forces: Vec<usize> = island.forces.iter().copied().filter(own).collect();
        let members: Vec<Member> = bodies.iter().map(|id| Member::Body(*id)).collect();
        let slots = island.bodies.iter().map(|id| bodies.binary_search(id).ok()).collect();
        let external_loads = vec![Load::default(); bodies.len()];
        Some(Self { island: Arc::new(Island::of(world, &members, forces, &[])), slots, external_loads })
    }

    /// Finds the loads from forces that also act on other bodies: the total loads on the bodies of the whole island at
    /// `t`, minus those of its own forces. Returns the power that the ledger books as work for its own forces, W.
    pub(crate) fn find_external_loads(
        &mut self,
        (world, states): (&World, &States),
        (whole, loads): (&Island, &[Load]),
        t: f64,
        mut workspace: Workspace,
    ) -> f64 {
        let own = &self.island;
        let acts = |f: &usize| {
            let is_body = |m: &Member| matches!(m, Member::Body(id) if own.bodies.binary_search(id).is_ok());
            !own.forces.contains(f) && world.moved_by(*f).iter().any(is_body)
        };
        let mut y = vec![0.0; own.dim()];
        own.pack(&states.bodies, &states.sets, 0.0, &mut y);
        let smooth = whole.smooth_interval(t);
        let mut equations = IslandEquations::new(world, own, None, workspace.reborrow(), smooth);
        equations.load_free(t, &y);
        let power = equations.power();
        if !whole.forces.iter().any(acts) {
            return power;
        }
        for (all, slot) in loads.iter().zip(&self.slots) {
            let Some(slot) = *slot else { continue };
            let alone = equations.summed(own.bodies[slot]);
            self.external_loads[slot] =
                Load { force: all.force - alone.force, torque: all.torque - alone.torque };
        }
        power
    }

    /// The slot here of a body of the whole island, or of a support.
    pub(crate) fn slot(&self, place: usize) -> Option<usize> {
        self.slots.get(place).copied().flatten()
    }
}

/// The impulses at the start of a step: of contacts, in their frames, and of rows, N·s.
#[derive(Default)]
pub(crate) struct StartImpulses {
    pub(crate) contacts: Vec<DVec3>,
    pub(crate) rows: Vec<f64>,
}

impl StartImpulses {
    /// The impulse of a component of a contact: normal or tangential; resistance moments have none.
    pub(crate) fn of(&self, contact: usize, component: usize) -> f64 {
        let found = self.contacts.get(contact).filter(|_| component < 3);
        found.map_or(0.0, |at_start| at_start[component])
    }

    /// The impulse of a row.
    pub(crate) fn of_row(&self, row: usize) -> f64 {
        self.rows.get(row).copied().unwrap_or_default()
    }
}

/// The motion of an articulation through a time step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ArticulatedMotion {
    pub(crate) island: Arc<Island>,
    pub(crate) integrator: Box<Integrator>,
    /// Twists of its bodies before the step.
    pub(crate) before: Vec<Twist>,
    /// Twists of its bodies after the start impulses and at the end.
    pub(crate) ends: Vec<[Twist; 2]>,
    /// The work of drives and moving supports in the start impulses, J.
    pub(crate) work: f64,
}

impl ArticulatedMotion {
    /// Whether it is one of this world: one that was read from a file need not be.
    pub(crate) fn is_of(&self, world: &World) -> bool {
        let settings = self.integrator.settings();
        let bodies = self.island.bodies.len();
        matches!(settings.method, Method::Dop853)
            && settings.check().is_ok()
            && self.island.is_of(world)
            && self.integrator.fits(settings, self.island.dim() + SUMS)
            && [self.before.len(), self.ends.len()] == [bodies; 2]
    }

    /// When it ends, s: at the end of the time step, or earlier where the integrator limits its own step.
    pub(crate) fn end(&self) -> f64 {
        self.integrator.time()
    }

    /// The pose at the end, and the twists after the start impulses and at the end, of the body in this slot.
    pub(crate) fn end_of(&self, slot: usize) -> (Pose, [Twist; 2]) {
        (self.motion(slot).pose(self.end()), self.ends[slot])
    }

    /// The work on a body of an impulse of the step along a row, J. The part `at_start` does its work at the mean of
    /// the velocities before and after the start impulses, the rest at the mean from there to the end.
    pub(crate) fn work_on(
        &self,
        slot: usize,
        (linear, angular): (DVec3, DVec3),
        (p, at_start): (f64, f64),
    ) -> f64 {
        let rate = |twist: &Twist| linear.dot(twist.velocity) + angular.dot(twist.spin);
        let (before, [start, end]) = (rate(&self.before[slot]), self.ends[slot].each_ref().map(rate));
        0.5 * (at_start * (before + start) + (p - at_start) * (start + end))
    }

    /// The rate of a row of one body before the step.
    pub(crate) fn rate_before(&self, slot: usize, (linear, angular): (DVec3, DVec3)) -> f64 {
        linear.dot(self.before[slot].velocity) + angular.dot(self.before[slot].spin)
    }

    /// The motion of the body in this slot.
    pub(crate) fn motion(&self, slot: usize) -> Integrated<'_> {
        Integrated::new(&self.island, self.integrator.span(), slot)
    }

    /// The slot of a body.
    pub(crate) fn slot(&self, id: BodyId) -> Option<usize> {
        self.island.bodies.binary_search(&id).ok()
    }

    /// Reads the states of its bodies at `t`; returns the work done on it since the start impulses, and the energy that
    /// the constant loads and the projection onto the joints dissipate, J.
    pub(crate) fn read(&self, t: f64, states: &mut States) -> (f64, f64) {
        let dim = self.island.dim();
        self.read_vector(t, &mut states.vector);
        let States { bodies, sets, vector } = states;
        let work = self.island.unpack(&vector[..dim], bodies, sets);
        (work, vector[dim] + vector[dim + 1])
    }

    /// The energy that the constant loads and the projection onto the joints have dissipated up to `t`, J.
    pub(crate) fn dissipated(&self, t: f64) -> f64 {
        let (dim, mut vector) = (self.island.dim(), Vec::new());
        self.read_vector(t, &mut vector);
        vector[dim] + vector[dim + 1]
    }

    fn read_vector(&self, t: f64, vector: &mut Vec<f64>) {
        vector.resize(self.island.dim() + SUMS, 0.0);
        if t == self.integrator.time() {
            vector.copy_from_slice(self.integrator.state());
        } else {
            self.integrator.span().at(t, vector);
        }
    }

    /// The cost of its integration.
    pub(crate) fn statistics(&self) -> Statistics {
        *self.integrator.statistics()
    }
}
