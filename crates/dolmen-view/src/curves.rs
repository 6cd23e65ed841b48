//! Curves over everything recorded, for plots.

use dolmen::math::DVec3;
use dolmen::record::Ledger;
use dolmen::world::{BodyId, World};

use crate::message::Quantity;
use crate::recording::{Frame, Recording};

/// Points of a curve at most: as many as a plot has pixels.
const MOST_POINTS: usize = 800;

/// Times, s, and the values of each quantity there; at most 800 of them, evenly thinned.
pub(crate) fn curves(
    recording: &Recording,
    world: &World,
    body: Option<usize>,
    quantities: &[Quantity],
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let frames = recording.frames();
    let stride = frames.len().div_ceil(MOST_POINTS).max(1);
    let last = frames.len().saturating_sub(1);
    let kept: Vec<&Frame> =
        frames.iter().enumerate().filter(|(i, _)| i % stride == 0 || *i == last).map(|(_, f)| f).collect();
    let start = frames.first().map(|frame| frame.ledger).unwrap_or_default();
    let body = body.filter(|rank| *rank < world.described_bodies().len());
    let of =
        |quantity: &Quantity| kept.iter().map(|frame| value(frame, &start, world, body, *quantity)).collect();
    (kept.iter().map(|frame| frame.t).collect(), quantities.iter().map(of).collect())
}

/// A quantity in a frame; NaN where there is none.
fn value(frame: &Frame, start: &Ledger, world: &World, body: Option<usize>, quantity: Quantity) -> f64 {
    let ledger = &frame.ledger;
    let [p, l] = match body {
        None => frame.momenta,
        Some(rank) => momenta(frame, world, rank),
    };
    let key = body.and_then(|rank| frame.bodies.get(rank));
    let of_body = |of: &dyn Fn(DVec3, DVec3, DVec3) -> f64| {
        key.map_or(f64::NAN, |key| of(key.position(), key.velocity(), key.spin()))
    };
    match quantity {
        Quantity::Kinetic => body.map_or(ledger.kinetic, |rank| kinetic(frame, world, rank)),
        Quantity::Potential => ledger.potential,
        Quantity::Total => ledger.total(),
        Quantity::Work => ledger.work,
        Quantity::Lost => ledger.lost(),
        Quantity::Error => (ledger.total() - start.total()) - ledger.work + ledger.lost(),
        Quantity::LostInCollisions => ledger.collisions,
        Quantity::LostToFriction => ledger.friction,
        Quantity::Closing => ledger.closing,
        Quantity::Contacts => contacts(frame, body) as f64,
        Quantity::Px => p.x,
        Quantity::Py => p.y,
        Quantity::Pz => p.z,
        Quantity::Lx => l.x,
        Quantity::Ly => l.y,
        Quantity::Lz => l.z,
        Quantity::X => of_body(&|x, _, _| x.x),
        Quantity::Y => of_body(&|x, _, _| x.y),
        Quantity::Z => of_body(&|x, _, _| x.z),
        Quantity::Vx => of_body(&|_, v, _| v.x),
        Quantity::Vy => of_body(&|_, v, _| v.y),
        Quantity::Vz => of_body(&|_, v, _| v.z),
        Quantity::Speed => of_body(&|_, v, _| v.length()),
        Quantity::Wx => of_body(&|_, _, w| w.x),
        Quantity::Wy => of_body(&|_, _, w| w.y),
        Quantity::Wz => of_body(&|_, _, w| w.z),
        Quantity::Spin => of_body(&|_, _, w| w.length()),
        Quantity::ContactForce => body.map_or(f64::NAN, |rank| contact_force(frame, rank)),
    }
}

/// Angular momentum of a body about its centre of mass, R I Rᵀ ω.
fn spin_momentum(frame: &Frame, world: &World, rank: usize) -> DVec3 {
    let (key, inertia) = (&frame.bodies[rank], world.body(BodyId::from_rank(rank)).inertia());
    let q = key.orientation();
    q * (inertia.inertia_body * (q.inverse() * key.spin()))
}

fn momenta(frame: &Frame, world: &World, rank: usize) -> [DVec3; 2] {
    let (key, body) = (&frame.bodies[rank], world.body(BodyId::from_rank(rank)));
    if !body.is_dynamic() {
        return [DVec3::ZERO; 2];
    }
    let p = body.inertia().mass * key.velocity();
    [p, key.position().cross(p) + spin_momentum(frame, world, rank)]
}

fn kinetic(frame: &Frame, world: &World, rank: usize) -> f64 {
    let (key, body) = (&frame.bodies[rank], world.body(BodyId::from_rank(rank)));
    if !body.is_dynamic() {
        return 0.0;
    }
    let turning = key.spin().dot(spin_momentum(frame, world, rank));
    0.5 * (body.inertia().mass * key.velocity().length_squared() + turning)
}

/// How many contacts carry force, on a body or at all.
fn contacts(frame: &Frame, body: Option<usize>) -> usize {
    let is_of = |bodies: [u32; 2]| body.is_none_or(|rank| bodies.contains(&(rank as u32)));
    frame.contacts.iter().filter(|contact| is_of(contact.bodies)).count()
}

/// The magnitude of the sum of all contact forces on a body, N.
fn contact_force(frame: &Frame, rank: usize) -> f64 {
    let mut sum = DVec3::ZERO;
    for contact in frame.contacts.iter() {
        let force = DVec3::from_array(contact.force.map(f64::from));
        if contact.bodies[0] as usize == rank {
            sum += force;
        } else if contact.bodies[1] as usize == rank {
            sum -= force;
        }
    }
    sum.length()
}
