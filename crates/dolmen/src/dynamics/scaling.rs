//! Against what the errors of a state vector are measured.

use super::layout::{self, ORIENTATION};
use super::{Island, Scratch};
use crate::body::gyration;
use crate::math::DVec3;
use crate::world::{BodyId, World};

/// The scales of an island, with the loads of its last evaluation.
pub(crate) struct Scaling<'a> {
    pub(crate) world: &'a World,
    pub(crate) island: &'a Island,
    pub(crate) scratch: &'a Scratch,
}

impl Scaling<'_> {
    /// Errors are measured against the size of the body or of the cloud of particles (positions), the speed of the island
    /// (momenta), the body's own L, and what the forces do within the step, whether they cancel or not: so a scene keeps
    /// its accuracy when it is scaled or moved.
    pub(crate) fn fill(&self, (y0, y1): (&[f64], &[f64]), rates0: &[f64], h: f64, scale: &mut [f64]) {
        let (speed, energy) = self.speed_and_energy(y0, y1);
        let form = self.island.form;
        let momentum = form.momentum_offset();
        let resolved = COORDINATE_ULPS * f64::EPSILON / self.world.settings().integrator.relative;
        for (k, id) in self.island.bodies.iter().enumerate() {
            let offset = self.island.body_offset(k);
            let inertia = self.world.body(*id).inertia();
            let load = &self.scratch.loads[id.index()];
            let size = gyration(inertia);
            let x = layout::vector(&y0[offset..]).length().max(layout::vector(&y1[offset..]).length());
            let moved = (h * layout::vector(&rates0[offset..])).length();
            let block = &mut scale[offset..offset + form.body_size()];
            block[..3].fill(size.max(moved).max(resolved * x));
            block[ORIENTATION..momentum].fill(1.0);
            block[momentum..momentum + 3].fill((inertia.mass * speed).max(h.abs() * load.gross_force));
            let momenta = [&y0[offset + momentum + 3..], &y1[offset + momentum + 3..]];
            let turning = momenta.map(|l| layout::vector(l).length());
            block[momentum + 3..].fill(turning[0].max(turning[1]).max(h.abs() * load.gross_torque));
        }
        let centre = self.particle_centre(y0);
        for (id, offset) in self.island.sets.iter().zip(&self.island.set_offsets) {
            let (_, gross) = &self.scratch.set_loads[id.index()];
            for (i, (gross, mass)) in gross.iter().zip(self.world.set(*id).masses()).enumerate() {
                let o = offset + 6 * i;
                let x = layout::vector(&y0[o..]);
                let pulled = h.abs() * gross / mass;
                let moved = (h * layout::vector(&rates0[o..])).length().max(h.abs() * pulled);
                scale[o..o + 3].fill(x.distance(centre).max(moved).max(resolved * x.length()));
                scale[o + 3..o + 6].fill(speed.max(pulled));
            }
        }
        let last = self.island.dim - 1;
        scale[last] = energy.max(y0[last].abs()).max(y1[last].abs()).max((h * self.scratch.power).abs());
    }
}

impl Scaling<'_> {
    /// The kinetic energy that all loads together, without cancelling, would give to the bodies within a step from rest, J:
    /// the energy in play where contacts hold bodies still.
    pub(crate) fn pulled_energy(&self, h: f64) -> f64 {
        let of = |id: &BodyId| {
            let inertia = self.world.body(*id).inertia();
            let load = &self.scratch.loads[id.index()];
            let pulled = h * (load.gross_force + load.gross_torque / gyration(inertia));
            pulled * pulled * inertia.inv_mass
        };
        self.island.bodies.iter().map(of).sum()
    }
}

impl Scaling<'_> {
    /// Raises the scales of all momenta to what all loads of the island together do within the step: contacts that hold it still
    /// are solved together, and their rounding is by the largest of them wherever a body is.
    pub(crate) fn share_loads(&self, h: f64, scale: &mut [f64]) {
        let momentum = self.island.form.momentum_offset();
        let loads = self.island.bodies.iter().map(|id| &self.scratch.loads[id.index()]);
        let (force, torque) = loads
            .fold((0.0, 0.0), |(force, torque), load| (force + load.gross_force, torque + load.gross_torque));
        for k in 0..self.island.bodies.len() {
            let offset = self.island.body_offset(k);
            let block = &mut scale[offset + momentum..offset + self.island.form.body_size()];
            for (i, scale) in block.iter_mut().enumerate() {
                *scale = scale.max(h.abs() * if i < 3 { force } else { torque });
            }
        }
    }
}

/// A position is not resolved better than this many ulp of its distance from the origin, whatever the tolerance. A decade
/// less and rounding alone rejects steps of a body far from the origin; a decade more shows as lost digits there.
const COORDINATE_ULPS: f64 = 8.0;

impl Scaling<'_> {
    /// The mean position of all particles of the island: they have no size of their own but that of their cloud.
    fn particle_centre(&self, y: &[f64]) -> DVec3 {
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for (id, offset) in self.island.sets.iter().zip(&self.island.set_offsets) {
            for i in 0..self.world.set(*id).len() {
                sum += layout::vector(&y[offset + 6 * i..]);
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { DVec3::ZERO }
    }

    /// The largest speed of anything in the island (surface speed of rotation included) and its kinetic energy.
    fn speed_and_energy(&self, y0: &[f64], y1: &[f64]) -> (f64, f64) {
        let (mut speed, mut energy) = (0.0_f64, 0.0);
        let momentum = self.island.form.momentum_offset();
        for y in [y0, y1] {
            for (k, id) in self.island.bodies.iter().enumerate() {
                let block = &y[self.island.body_offset(k) + momentum..];
                let inertia = self.world.body(*id).inertia();
                let (p, l) = (layout::vector(block), layout::vector(&block[3..]));
                let size = gyration(inertia);
                // L/(mr) is the speed at the radius of gyration, up to the shape of the inertia.
                let turning = l.length() * inertia.inv_mass / size;
                let v = p.length() * inertia.inv_mass;
                speed = speed.max(v).max(turning);
                energy += inertia.mass * (v * v + turning * turning);
            }
            for (id, offset) in self.island.sets.iter().zip(&self.island.set_offsets) {
                for (i, mass) in self.world.set(*id).masses().iter().enumerate() {
                    let v = layout::vector(&y[offset + 6 * i + 3..]).length();
                    speed = speed.max(v);
                    energy += mass * v * v;
                }
            }
        }
        (speed, energy)
    }
}
