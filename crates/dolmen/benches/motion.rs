//! The cost of motion without contact: `cargo bench -p dolmen --bench motion`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dolmen::body::{BodyState, Inertia};
use dolmen::drive::exact::Simulation;
use dolmen::dynamics::{Equations, Island, Scratch};
use dolmen::force::Custom;
use dolmen::integrate::Ode;
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DQuat, DVec3, dvec3};
use dolmen::motion::Flight;
use dolmen::world::{Body, Cast, Member, MotionSettings, World};

fn free_bodies(n: usize, coupled: bool) -> World {
    let mut cast = Cast::new();
    for i in 0..n {
        let k = i as f64;
        let inertia = DMat3::from_diagonal(dvec3(0.141666666667, 0.683333333333, 0.808333333333));
        let properties = MassProperties::new(10.0, DVec3::ZERO, inertia).expect("sound");
        let body = Body::dynamic(&properties)
            .at(dvec3(k, 0.0, 0.0), DQuat::from_scaled_axis(dvec3(0.1 * k, 0.2, 0.3)))
            .moving(dvec3(1.0, 2.0, 3.0), dvec3(1.0, 2.0, 3.0));
        cast.add(body).expect("sound");
    }
    let mut world = World::new(cast).expect("no names");
    world.set_gravity(dvec3(0.0, 0.0, -9.81)).expect("finite");
    if coupled {
        let members: Vec<Member> = world.body_ids().map(Member::Body).collect();
        world.add_force(Custom::new("nothing", members, |_, _, _, _| {})).expect("sound");
    }
    world.set_settings(MotionSettings { closed_form: false, ..MotionSettings::default() }).expect("sound");
    world
}

/// One evaluation of ẏ = f(t, y) for all bodies in one island.
fn derivative(c: &mut Criterion) {
    let mut group = c.benchmark_group("derivative");
    for n in [1, 100, 10_000] {
        let world = free_bodies(n, true);
        let island = Island::all(&world).remove(0);
        let mut scratch = Scratch::new(&world);
        let states: Vec<BodyState> = world.bodies().iter().map(Body::start_state).collect();
        let (mut y, mut dy) = (vec![0.0; island.dim()], vec![0.0; island.dim()]);
        island.pack(&states, &[], 0.0, &mut y);
        let mut equations = Equations::new(&world, &island, &mut scratch, (f64::NEG_INFINITY, f64::INFINITY));
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| equations.rates(0.0, black_box(&y), &mut dy));
        });
    }
    group.finish();
}

/// A tumble of 100 s: to its end in closed form, and by DOP853 at 1e-12.
fn tumble(c: &mut Criterion) {
    let mut group = c.benchmark_group("tumble 100 s");
    group.sample_size(20);
    let inertia = Inertia::principal(10.0, dvec3(0.141666666667, 0.683333333333, 0.808333333333));
    let world = free_bodies(1, false);
    let start = world.bodies()[0].start_state();
    group.bench_function("closed form, start and one state", |b| {
        b.iter(|| {
            Flight::new(&inertia, black_box(&start), dvec3(0.0, 0.0, -9.81), 0.0).state(black_box(100.0))
        });
    });
    let flight = Flight::new(&inertia, &start, dvec3(0.0, 0.0, -9.81), 0.0);
    group.bench_function("closed form, one more state", |b| b.iter(|| flight.state(black_box(73.1))));
    group.bench_function("DOP853 at 1e-12", |b| {
        b.iter(|| {
            let mut simulation = Simulation::new(free_bodies(1, false)).expect("a start");
            simulation.advance(black_box(100.0)).expect("to go on");
            simulation.sample().t
        });
    });
    group.finish();
}

criterion_group!(benches, derivative, tumble);
criterion_main!(benches);
