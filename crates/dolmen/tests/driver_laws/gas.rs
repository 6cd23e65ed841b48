//! A gas of hard spheres obeys statistical mechanics.

#[path = "hard_gas.rs"]
mod hard_gas;

use hard_gas::HardGas;

/// A thousand spheres, a tenth of a cube: Maxwell's distribution, the pressure, and the virial theorem.
///
/// The longer run is `cargo run --release -p dolmen --example gas`.
#[test]
fn hard_spheres_obey_maxwell_and_carnahan_starling() {
    let mut gas = HardGas::new(1000, 0.05, 7);
    let energy = gas.simulation.ledger().kinetic;
    let pause = gas.while_four_collisions();
    // Two pauses until the start is forgotten.
    gas.go_on(2.0 * pause);
    gas.forget();
    let looks = 24;
    let (before, began) = (gas.virial(), gas.simulation.time());
    let mut sums = [0.0; 2];
    for _ in 0..looks {
        gas.go_on(pause);
        let [_, r4, r6] = gas.moments();
        sums = [sums[0] + r4, sums[1] + r6];
    }
    let duration = gas.simulation.time() - began;
    for (sum, (expected, deviation)) in sums.into_iter().zip(gas.expected_moments()) {
        // Samples four collisions apart are as good as independent.
        let (mean, error) = (sum / f64::from(looks), deviation / f64::from(looks).sqrt());
        println!("moment {mean:.4}, expected {expected:.4} ± {error:.4}");
        assert!((mean - expected).abs() < 4.0 * error, "moment {mean} against {expected} ± {error}");
    }
    let ((z, error), expected) = (gas.compressibility(duration), gas.expected_compressibility());
    println!(
        "PV/NkT {z:.4}, expected {expected:.4} ± {error:.4}; {} hits, {} pairs",
        gas.wall.1, gas.pairs.1
    );
    assert!((z - expected).abs() < 4.0 * error, "PV/NkT = {z} against {expected} ± {error}");
    let (grown, expected) = (gas.virial() - before, gas.expected_virial_growth(duration));
    // The terms are of the order 2K t, and their sums of 1e5 numbers are rounded.
    let scale = 2.0 * energy * duration;
    println!("virial: {grown} against {expected}, off by {:e}", (grown - expected).abs() / scale);
    assert!((grown - expected).abs() < 1e-12 * scale, "Σ m r·v grew by {grown}, not by {expected}");
    let kept = gas.simulation.ledger().kinetic / energy - 1.0;
    assert!(kept.abs() < 1e-12, "energy changed by {kept:e}");
    assert!(gas.simulation.deepest_overlap().1 <= 1.0, "{:?}", gas.simulation.deepest_overlap());
}
