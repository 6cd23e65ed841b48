//! Energy and momentum of everything dynamic.

use super::Reader;
use crate::drive::exact::state::State;
use crate::math::DVec3;
use crate::record::Ledger;
use crate::world::World;

/// Kinetic and potential energy now, the work done and the energy lost since the start.
pub fn ledger(world: &World, state: &State) -> Ledger {
    let (mut kinetic, mut potential) = (0.0, 0.0);
    let mut reader = Reader::new(world, state);
    for track in &state.tracks {
        let y = track.vector_of(&state.states);
        potential += track.equations(world, reader.workspace()).potential(state.t, &y);
        for id in &track.island.bodies {
            kinetic += state.states.bodies[id.index()].kinetic_energy(world.body(*id).inertia());
        }
        for id in &track.island.sets {
            let velocities = state.states.sets[id.index()].1.iter();
            let masses = world.set(*id).masses();
            kinetic += velocities.zip(masses).map(|(v, m)| 0.5 * m * v.length_squared()).sum::<f64>();
        }
    }
    let lost = &state.log.losses;
    Ledger {
        kinetic,
        potential,
        work: state.done.work + state.log.work,
        collisions: lost.collisions,
        friction: lost.friction + state.done.friction,
        closing: lost.closing + state.done.closing,
    }
}

/// Total linear momentum, and angular momentum about the origin, of everything dynamic.
pub fn momentum(world: &World, state: &State) -> (DVec3, DVec3) {
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for id in world.body_ids().filter(|id| world.body(*id).is_dynamic()) {
        let body = &state.states.bodies[id.index()];
        linear += body.momentum;
        angular += body.angular_momentum_about_origin();
    }
    // Particles that are bodies were among those.
    for id in world.set_ids().filter(|id| world.members().particle_bodies(*id).is_none()) {
        let (positions, velocities) = &state.states.sets[id.index()];
        for ((x, v), m) in positions.iter().zip(velocities).zip(world.set(id).masses()) {
            linear += *m * *v;
            angular += x.cross(*m * *v);
        }
    }
    (linear, angular)
}
