//! Times of the many-body forces: `cargo bench -p dolmen --bench nbody`.
//!
//! The direct sum of 10⁵ bodies is measured on 10⁴ of them: its time grows by exactly n², so multiply by 100.
//! Beside each time the bits of the sum of the results are printed: they tell whether two runs did the same work.

#[path = "../tests/clouds/mod.rs"]
mod clouds;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dolmen::force::nbody::{DEFAULT_OPENING, Octree, direct};
use dolmen::force::neighbours::Grid;
use dolmen::math::DVec3;

fn bits(accelerations: &[DVec3]) -> u64 {
    accelerations.iter().map(|a| a.element_sum()).sum::<f64>().to_bits()
}

fn gravity(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("nbody");
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for (cloud, points) in
        [("plummer", clouds::plummer as fn(usize, u64) -> Vec<DVec3>), ("cube", clouds::cube)]
    {
        for n in [1000, 10_000, 100_000] {
            let (positions, masses) = (points(n, 1), clouds::equal_masses(n));
            let mut accelerations = vec![DVec3::ZERO; n];
            if n <= 10_000 && cloud == "cube" {
                group.bench_function(BenchmarkId::new("direct", n), |bencher| {
                    bencher.iter(|| direct(1.0, 0.0, black_box(&positions), &masses, &mut accelerations));
                });
                println!("direct/{n}: {:016x}", bits(&accelerations));
            }
            let mut octree = Octree::new();
            group.bench_function(BenchmarkId::new(format!("octree/{cloud}"), n), |bencher| {
                bencher.iter(|| {
                    octree.build(black_box(&positions), &masses).expect("finite points with mass");
                    octree.accelerations(1.0, 0.0, DEFAULT_OPENING, &mut accelerations)
                });
            });
            println!("octree/{cloud}/{n}: {:016x}", bits(&accelerations));
        }
    }
    group.finish();
}

fn neighbours(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("neighbours");
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for n in [10_000, 100_000] {
        let positions = clouds::cube(n, 2);
        // About 30 neighbours each: n r³ (4π/3) / 8 = 30.
        let radius = if n == 10_000 { 0.18 } else { 0.083 };
        let mut grid = Grid::new();
        let mut pairs = 0_usize;
        group.bench_function(BenchmarkId::new("grid", n), |bencher| {
            bencher.iter(|| {
                grid.build(black_box(&positions), radius).expect("finite points");
                pairs = 0;
                grid.for_each_pair(|_, _, _, _| pairs += 1);
                pairs
            });
        });
        println!("neighbours/grid/{n}: {pairs} pairs");
    }
    group.finish();
}

criterion_group!(benches, gravity, neighbours);
criterion_main!(benches);
