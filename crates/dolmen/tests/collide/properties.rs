//! What holds for any bodies and contacts.

use super::common::{energies, hit, hit_with};
use dolmen::contact::{CollideSettings, Colliding, ContactSpeeds, Impact, ImpactStatus, Law, Mover};
use dolmen::math::{DMat3, DQuat, DVec3, dvec3, real};
use dolmen::solve::choose::{ContactSolver, Note};
use proptest::prelude::*;

/// A stream of numbers in [−1, 1) from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.next(), self.next(), self.next())
    }

    fn below(&mut self, n: usize) -> usize {
        ((0.5 * (self.next() + 1.0)) * n as f64) as usize % n
    }
}

#[derive(Debug, Clone)]
struct Scene {
    movers: Vec<Mover>,
    places: Vec<DVec3>,
    contacts: Vec<Colliding>,
}

/// What a random scene may contain.
#[derive(Debug, Clone, Copy)]
struct Kind {
    contacts: usize,
    /// Decades of mass.
    decades: f64,
    friction: f64,
    /// Fixed or moving walls among the bodies.
    walls: bool,
    /// ε of all, or random.
    restitution: Option<f64>,
    /// Contacts that repeat another.
    redundant: bool,
}

fn scene(seed: u64, kind: Kind) -> Scene {
    let mut random = Random(seed);
    let n = 2 + random.below(4);
    let (mut movers, mut places) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (velocity, spin) = (random.vector(), random.vector());
        let mass = real::pow(10.0, 0.5 * kind.decades * random.next());
        let moments = dvec3(1.0, 1.0, 1.0) + 0.5 * random.vector();
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(3.0 * random.vector()));
        let wall = kind.walls && i > 0 && random.next() > 0.3;
        movers.push(if wall {
            if random.next() > 0.0 {
                Mover::immobile(velocity, spin)
            } else {
                Mover::immobile(DVec3::ZERO, DVec3::ZERO)
            }
        } else {
            let inv_inertia = turn * DMat3::from_diagonal(moments * (5.0 / mass)) * turn.transpose();
            Mover {
                inv_mass: 1.0 / mass,
                inv_inertia: 0.5 * (inv_inertia + inv_inertia.transpose()),
                velocity,
                spin,
            }
        });
        places.push(2.0 * random.vector());
    }
    let mut contacts: Vec<Colliding> = Vec::new();
    for _ in 0..kind.contacts {
        if kind.redundant && !contacts.is_empty() && random.next() > 0.0 {
            let old = contacts[random.below(contacts.len())];
            contacts.push(old);
            continue;
        }
        // Not two walls: the first body is none.
        let mut a = random.below(n);
        let b = (a + 1 + random.below(n - 1)) % n;
        if movers[a].inv_mass == 0.0 && movers[b].inv_mass == 0.0 {
            a = 0;
        }
        // Between the two, facing from b to a as bodies in the world do.
        let between = 0.5 * (places[a] + places[b]) + 0.5 * random.vector();
        let normal = ((places[a] - places[b]).normalize_or(DVec3::X) + 0.4 * random.vector()).normalize();
        let restitution = kind.restitution.unwrap_or(0.5 * (1.0 + random.next()));
        contacts.push(Colliding {
            bodies: [a, b],
            arms: [between - places[a], between - places[b]],
            normal,
            restitution,
            friction: kind.friction * 0.5 * (1.0 + random.next()),
        });
    }
    Scene { movers, places, contacts }
}

/// The largest speed at a contact, before or after.
fn speed(speeds: &[ContactSpeeds]) -> f64 {
    speeds.iter().fold(0.0, |m: f64, s| {
        m.max(s.normal_minus.abs()).max(s.normal_plus.abs()).max(s.slip_minus).max(s.slip_plus)
    })
}

/// No approach, impulses in cones, energy balanced and not grown, momentum kept.
fn check(scene: &Scene, impact: &Impact) -> Result<(), TestCaseError> {
    prop_assert!(impact.status != ImpactStatus::NotFinite);
    if scene.movers.iter().all(|m| m.inv_mass > 0.0 || (m.velocity == DVec3::ZERO && m.spin == DVec3::ZERO)) {
        // All at rest with the walls keeps everything apart, so there is an answer.
        prop_assert!(impact.status != ImpactStatus::Jammed, "{impact:?}");
    }
    let (before, after) = energies(&scene.movers, impact);
    let lost = impact.lost_normal + impact.lost_friction;
    let scale = before + after + impact.work.abs() + scene_scale(scene);
    prop_assert!(
        (after - before - impact.work + lost).abs() < 1e-11 * scale,
        "ΔT is not work − lost: {impact:?}"
    );
    prop_assert!(lost >= -1e-11 * scale, "energy grew by {}: {impact:?}", -lost);
    let fastest = speed(&impact.speeds);
    let strongest = impact.impulses.iter().fold(0.0, |m: f64, j| m.max(j.length()));
    for (contact, (j, speeds)) in scene.contacts.iter().zip(impact.impulses.iter().zip(&impact.speeds)) {
        if impact.status != ImpactStatus::Jammed {
            prop_assert!(speeds.normal_plus >= -1e-9 * fastest, "still approaching: {impact:?}");
        }
        let normal = j.dot(contact.normal);
        let tangent = (*j - contact.normal * normal).length();
        prop_assert!(normal >= -1e-11 * strongest, "pulls: {impact:?}");
        prop_assert!(tangent <= contact.friction * normal + 1e-9 * strongest, "outside its cone: {impact:?}");
    }
    if scene.movers.iter().all(|m| m.inv_mass > 0.0) {
        let (mut linear, mut angular, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for ((mover, place), twist) in scene.movers.iter().zip(&scene.places).zip(&impact.twists) {
            let p = (twist.velocity - mover.velocity) / mover.inv_mass;
            let l = mover.inv_inertia.inverse() * (twist.spin - mover.spin);
            linear += p;
            angular += place.cross(p) + l;
            size += (twist.velocity.length() + mover.velocity.length()) / mover.inv_mass + l.length();
        }
        prop_assert!(linear.length() < 1e-12 * size && angular.length() < 1e-11 * size, "{linear} {angular}");
    }
    Ok(())
}

/// Energies of walls' impulses are differences of large numbers when heavy bodies are about.
fn scene_scale(scene: &Scene) -> f64 {
    scene.movers.iter().filter(|m| m.inv_mass > 0.0).map(|m| 1.0 / m.inv_mass).sum()
}

fn kinds() -> impl Strategy<Value = Kind> {
    (1_usize..13, 0.0..6.0_f64, prop_oneof![Just(0.0), 0.0..1.0_f64], any::<bool>(), any::<bool>(), 0..4_u8)
        .prop_map(|(contacts, decades, friction, walls, redundant, restitution)| Kind {
            contacts,
            decades,
            friction,
            walls,
            redundant,
            restitution: [None, None, Some(0.0), Some(1.0)][restitution as usize],
        })
}

/// The farthest that two results differ in velocity, by the speeds that there are.
fn apart(a: &Impact, b: &Impact, map: impl Fn(usize) -> usize, turn: DMat3, shift: DVec3) -> f64 {
    let size = 1.0 + speed(&a.speeds);
    (0..a.twists.len()).fold(0.0, |m: f64, i| {
        let (one, two) = (a.twists[i], b.twists[map(i)]);
        let v = (turn * one.velocity + shift - two.velocity).length();
        m.max(v).max((turn * one.spin - two.spin).length())
    }) / size
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    /// The laws of mechanics under every law of impact.
    #[test]
    fn no_energy_no_approach_no_pull(seed in any::<u64>(), kind in kinds()) {
        let scene = scene(seed, kind);
        for law in Law::ALL {
            let impact = hit(law, &scene.movers, &scene.contacts);
            check(&scene, &impact)?;
        }
    }

    /// ε = 1 without friction keeps the energy, unless what never ends had to be closed.
    #[test]
    fn elastic_impacts_keep_their_energy(seed in any::<u64>(), kind in kinds()) {
        let scene = scene(seed, Kind { friction: 0.0, restitution: Some(1.0), ..kind });
        for law in Law::ALL {
            let impact = hit(law, &scene.movers, &scene.contacts);
            if impact.status == ImpactStatus::Solved && impact.restitution_scale > 0.0 {
                let (before, after) = energies(&scene.movers, &impact);
                let scale = before + after + impact.work.abs() + scene_scale(&scene);
                prop_assert!(impact.lost_normal.abs() < 1e-10 * scale, "{law:?}: {impact:?}");
            }
        }
    }

    /// The order of bodies and contacts does not matter.
    #[test]
    fn order_does_not_matter(seed in any::<u64>(), kind in kinds()) {
        let kind = Kind { decades: 2.0_f64.min(kind.decades), friction: kind.friction.min(0.3), ..kind };
        let one = scene(seed, kind);
        let n = one.movers.len();
        let mut two = one.clone();
        two.movers.reverse();
        two.contacts.reverse();
        for (k, contact) in two.contacts.iter_mut().enumerate() {
            contact.bodies = contact.bodies.map(|b| n - 1 - b);
            // Every other one seen from its other side.
            if k % 2 == 0 {
                contact.bodies.swap(0, 1);
                contact.arms.swap(0, 1);
                contact.normal = -contact.normal;
            }
        }
        for law in Law::ALL {
            // Propagation decides ties by order, and long sequences amplify rounding.
            if law == Law::Propagation && kind.redundant {
                continue;
            }
            let (a, b) = (hit(law, &one.movers, &one.contacts), hit(law, &two.movers, &two.contacts));
            if a.status != ImpactStatus::Solved || b.status != ImpactStatus::Solved || a.rounds > 20 {
                continue;
            }
            let difference = apart(&a, &b, |i| n - 1 - i, DMat3::IDENTITY, DVec3::ZERO);
            // The part of restitution that is kept is found by halving, and friction by iteration.
            prop_assert!(difference < 1e-6, "{law:?}: {difference:e}\n{a:?}\n{b:?}");
        }
    }

    /// Neither does the frame: turned, and moving by.
    #[test]
    fn the_frame_does_not_matter(seed in any::<u64>(), kind in kinds(), turn in prop::array::uniform3(-3.0..3.0_f64)) {
        let kind = Kind { decades: 2.0_f64.min(kind.decades), friction: kind.friction.min(0.3), ..kind };
        let one = scene(seed, kind);
        let r = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from(turn)));
        let shift = dvec3(3.0, -2.0, 1.0);
        let mut two = one.clone();
        for mover in &mut two.movers {
            mover.inv_inertia = r * mover.inv_inertia * r.transpose();
            mover.velocity = r * mover.velocity + shift;
            mover.spin = r * mover.spin;
        }
        for contact in &mut two.contacts {
            contact.arms = contact.arms.map(|arm| r * arm);
            contact.normal = (r * contact.normal).normalize();
        }
        for law in Law::ALL {
            if law == Law::Propagation && kind.redundant {
                continue;
            }
            let (a, b) = (hit(law, &one.movers, &one.contacts), hit(law, &two.movers, &two.contacts));
            if a.status != ImpactStatus::Solved || b.status != ImpactStatus::Solved || a.rounds > 20 {
                continue;
            }
            let difference = apart(&a, &b, |i| i, r, shift);
            prop_assert!(difference < 1e-8, "{law:?}: {difference:e}\n{a:?}\n{b:?}");
            let lost = |i: &Impact| i.lost_normal + i.lost_friction;
            prop_assert!((lost(&a) - lost(&b)).abs() < 1e-7 * (1.0 + lost(&a).abs() + scene_scale(&one)));
        }
    }

    /// Any finite numbers, however wild: an answer without NaN, or none with its reason.
    #[test]
    fn wild_numbers_do_no_harm(
        seed in any::<u64>(),
        kind in kinds(),
        exponents in prop::array::uniform5(-300.0..300.0_f64),
        mild in any::<bool>(),
    ) {
        let mut scene = scene(seed, kind);
        let scale = exponents.map(|e| real::pow(10.0, if mild { 0.1 * e } else { e }));
        for (i, mover) in scene.movers.iter_mut().enumerate() {
            if i % 2 == 0 {
                mover.inv_mass *= scale[0];
                mover.inv_inertia *= scale[1];
            }
            mover.velocity *= scale[2];
            mover.spin *= scale[3];
        }
        for contact in &mut scene.contacts {
            contact.arms = contact.arms.map(|arm| arm * scale[4]);
            contact.friction *= if seed % 3 == 0 { 1e300 } else { 1.0 };
        }
        for law in Law::ALL {
            let impact = hit(law, &scene.movers, &scene.contacts);
            prop_assert!(impact.impulses.iter().all(|j| j.is_finite()), "{impact:?}");
            prop_assert!(impact.twists.iter().all(|t| t.velocity.is_finite() && t.spin.is_finite()), "{impact:?}");
            prop_assert!(!impact.lost_normal.is_nan() && !impact.lost_friction.is_nan() && !impact.residual.is_nan());
        }
    }
}

/// The simultaneous law by the linear programs of the paper: the same laws hold, and where a guess is wrong the impulses of the program
/// are taken, and said to be. [PAPER, simultaneous collisions]
#[test]
fn impulses_of_linear_programs_obey_the_laws() {
    let settings = CollideSettings { solver: ContactSolver::Linear, ..CollideSettings::default() };
    let kind = Kind {
        contacts: 6,
        decades: 1.0,
        friction: 0.0,
        walls: false,
        restitution: Some(0.0),
        redundant: false,
    };
    let (mut approximate, mut different) = (0, 0);
    for seed in 0..400 {
        let scene = scene(seed, kind);
        let impact = hit_with(Law::Simultaneous, &scene.movers, &scene.contacts, settings);
        check(&scene, &impact).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if let Note::ApproximateForces { excess } = impact.solver_note {
            approximate += 1;
            assert!(excess > 0.0, "seed {seed}: {impact:?}");
            let right = hit(Law::Simultaneous, &scene.movers, &scene.contacts);
            let off = impact.twists.iter().zip(&right.twists).map(|(a, b)| a.velocity.distance(b.velocity));
            different += usize::from(off.fold(0.0, f64::max) > 1e-6);
        }
    }
    println!("{approximate} of 400 with approximate impulses, {different} of them with another motion");
    assert!(approximate > 0 && different > 0, "{approximate}, {different}");
}
