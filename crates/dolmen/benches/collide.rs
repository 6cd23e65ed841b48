//! The cost of a collision: `cargo bench -p dolmen --bench collide`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dolmen::contact::{CollideScratch, CollideSettings, Colliding, Impact, Law, Mover, collide};
use dolmen::math::{DMat3, DQuat, DVec3, dvec3};

fn ball(velocity: DVec3) -> Mover {
    Mover {
        inv_mass: 1.0,
        inv_inertia: DMat3::from_diagonal(DVec3::splat(10.0)),
        velocity,
        spin: DVec3::ZERO,
    }
}

fn wall() -> Mover {
    Mover::immobile(DVec3::ZERO, DVec3::ZERO)
}

fn touch(bodies: [usize; 2], normal: DVec3, friction: f64) -> Colliding {
    Colliding { bodies, arms: [-0.5 * normal, 0.5 * normal], normal, restitution: 0.9, friction }
}

/// Two spheres that meet obliquely.
fn pair(friction: f64) -> (Vec<Mover>, Vec<Colliding>) {
    let movers = vec![ball(dvec3(-1.0, 0.3, 0.2)), ball(dvec3(1.0, 0.0, 0.0))];
    (movers, vec![touch([0, 1], DVec3::X, friction)])
}

/// A brick that strikes a floor with `corners` of its corners, rotating.
fn brick(corners: usize, friction: f64) -> (Vec<Mover>, Vec<Colliding>) {
    let turn = DMat3::from_quat(DQuat::from_rotation_y(0.3));
    let body = Mover {
        inv_mass: 1.0,
        inv_inertia: turn * DMat3::from_diagonal(dvec3(3.0, 6.0, 4.0)) * turn.transpose(),
        velocity: dvec3(0.5, -2.0, 0.25),
        spin: dvec3(0.1, 0.2, 0.3),
    };
    let contacts = [(1.0, 0.5), (1.0, -0.5), (-1.0, 0.5), (-1.0, -0.5)][..corners]
        .iter()
        .map(|&(x, z)| Colliding {
            bodies: [0, 1],
            arms: [turn * dvec3(x, -0.4, z), DVec3::ZERO],
            normal: DVec3::Y,
            restitution: 0.5,
            friction,
        })
        .collect();
    (vec![body, wall()], contacts)
}

/// Fifteen balls in a triangle, struck at the tip: 31 contacts.
fn rack() -> (Vec<Mover>, Vec<Colliding>) {
    let mut places = vec![DVec3::ZERO];
    for line in 0..5 {
        for k in 0..=line {
            let (line, k) = (f64::from(line), f64::from(k));
            places.push(dvec3(1.0 + line * 0.75_f64.sqrt(), k - 0.5 * line, 0.0));
        }
    }
    let movers = (0..16).map(|i| ball(if i == 0 { dvec3(10.0, 0.0, 0.0) } else { DVec3::ZERO })).collect();
    let mut contacts = Vec::new();
    for a in 0..16 {
        for b in a + 1..16 {
            let apart: DVec3 = places[a] - places[b];
            if (apart.length() - 1.0).abs() < 1e-9 {
                contacts.push(touch([a, b], apart.normalize(), 0.0));
            }
        }
    }
    (movers, contacts)
}

fn collisions(c: &mut Criterion) {
    let scenes = [
        ("sphere pair", pair(0.0)),
        ("sphere pair, friction", pair(0.2)),
        ("brick on a corner, friction", brick(1, 0.3)),
        ("brick on 4 corners", brick(4, 0.0)),
        ("brick on 4 corners, friction", brick(4, 0.3)),
        ("rack of 15", rack()),
    ];
    for (name, (movers, contacts)) in scenes {
        let mut group = c.benchmark_group(name);
        group.sample_size(20);
        for law in Law::ALL {
            let (mut scratch, mut impact) = (CollideScratch::default(), Impact::default());
            let settings = CollideSettings::default();
            group.bench_function(BenchmarkId::from_parameter(law.name()), |b| {
                b.iter(|| {
                    collide(
                        law,
                        black_box(&movers),
                        black_box(&contacts),
                        settings,
                        &mut scratch,
                        &mut impact,
                    );
                    impact.lost_normal
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, collisions);
criterion_main!(benches);
