//! The bits of every scene, pinned: a change of these hashes is a change of results and needs a reason.

use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::scene::Document;

/// Scene, time, hash of the state there.
const GOLDEN: &[(&str, f64, &str)] = &[
    ("a01-symmetric-body", 2.0, "772d6d471380f07b"),
    ("a02-simple-box", 2.0, "6246f2c83cf4153a"),
    ("a02-tumbling-box", 2.0, "9b907d46099e5059"),
    ("a06-fast-thin-target", 0.01, "54063c228ba6e331"),
    ("a08-rod-end", 0.15, "9209ce839d10ea11"),
    ("a09-cube-edge", 0.1, "5850b95bc3e34f15"),
    ("a10-oblique-spheres", 2.0, "5f442aafc1c99437"),
    ("a11-sphere-with-friction", 1.0, "937a6a064a28bcd3"),
    ("a12-inelastic-pair", 2.0, "7cc221e502d38d0a"),
    ("a20-bouncing", 2.0, "a39a4cd0c65c3375"),
    ("a21-elastic-666", 2.0, "44e82133a954eb75"),
    ("a34-mass-properties", 2.0, "3183e0aa12241bab"),
    ("ball-between-floor-and-ceiling", 2.0, "95c629c5ca7b06ed"),
    ("billiards-break", 2.0, "a6d1be2dda69409a"),
    ("bouncing-domino", 2.0, "ffb460e7e2180c3a"),
    ("box-of-hard-spheres", 2.0, "991dcbefb251c7e4"),
    ("cube-dropped-flat", 1.0, "6296e26f753c78b9"),
    ("domino-dropped-flat", 2.0, "b35e7c74436491ba"),
    ("bouncing-ball", 10.0, "3b82fdb4b6ed56ec"),
    ("figure-eight", 2.0, "1f1b6bd79d63b03c"),
    ("heavy-ball-on-light-ball", 1.0, "6ee2ca3bc555fded"),
    ("intro-cube", 2.0, "da1b7649e67b302a"),
    ("kepler", 2.0, "cfaef7b109392cf9"),
    ("lennard-jones", 2.0, "1a0612091632e360"),
    ("n-body", 2.0, "3e26841a5c454253"),
    ("newtons-cradle", 2.0, "1e49a79afcaadd91"),
    ("off-centre-force", 2.0, "304560934b003463"),
    ("rod-between-walls", 2.0, "97b121bc87993d5a"),
    ("spring-chain", 2.0, "a2a1c30c90f1b2b2"),
    ("three-billiard-balls", 1.0, "fcc1c86908dd18b4"),
    ("tumbling-block", 2.0, "4cfd32c6caff84ea"),
    ("two-equal-forces", 2.0, "1ebfcdd0fb29e016"),
    ("two-opposite-forces", 2.0, "ee5094a55a70e383"),
    ("a24-double-four-bar", 2.0, "b4d8e5a666a959b2"),
    ("a25-andrews-squeezer", 0.03, "483ec945fbdddfdd"),
    ("a26-bricard", 2.0, "caff08d9a467617b"),
    ("balls-on-a-chain", 1.0, "417b49c9571db57f"),
    ("chain-on-pivot", 1.0, "fca14ee205c0b550"),
    ("cradle-on-rods", 2.0, "0a46bbc2e72e9885"),
    ("double-pendulum", 2.0, "6ed9fad6e86fd41f"),
    ("gyroscope-in-gimbals", 0.5, "92ea9582fde0e3ff"),
    ("slider-crank", 2.0, "e32ede922958763d"),
    ("wrecking-ball", 2.0, "74b042becb58ee4e"),
    ("a19-friction-cone", 1.0, "c39408b9b181bab4"),
    ("arch", 10.0, "1ad8a53d14a18ec3"),
    ("ball-on-turntable", 2.0, "fe22c04e419353bd"),
    ("brick-in-the-wind", 1.5, "c82d5160c6eb302e"),
    ("card-house", 10.0, "e647bdbe74e8d1bc"),
    ("contact-that-vanishes", 1.5, "e3736f1a39464ee1"),
    ("ladder", 10.0, "3d2649b996ceb3ee"),
    ("on-an-incline", 1.0, "86ef453ba9d05844"),
    ("penalty-springs", 0.5, "87bb49bd55d6e5ff"),
    ("three-cylinders", 5.0, "a6a799146ffaf941"),
    ("blocks-onto-a-chain", 0.5, "44981e1714c49a62"),
    ("cradle-on-strings", 2.0, "0f72d799f95e5c2a"),
    ("destructive-chain", 1.0, "3f95729b9a23349a"),
    ("drawbridge-on-ropes", 2.0, "3426fda8dd06ac75"),
    ("figure-on-stairs", 0.5, "9dc71a1e548a208e"),
    ("rimless-wheel", 2.0, "b6f65e71816eb546"),
    ("vertex-on-vertex", 0.5, "765da9f30e3e132a"),
];

/// The same scene gives the same bits: on any machine, in any build.
#[test]
fn every_scene_gives_its_bits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut found = Vec::new();
    for (name, t, hash) in GOLDEN {
        let document = Document::load(folder.join(format!("{name}.toml"))).expect("a sound scene");
        let mut simulation = Simulation::new(document.build(&folder).expect("a world")).expect("a start");
        simulation.advance(*t).expect("to go on");
        found.push((*name, *t, simulation.sample().hash(), *hash));
    }
    let changed: Vec<_> = found.iter().filter(|(_, _, got, expected)| got != expected).collect();
    assert!(changed.is_empty(), "scene, time, got, pinned: {changed:#?}");
}
