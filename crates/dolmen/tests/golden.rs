//! The bits of every scene, pinned: a change of these hashes is a change of results and needs a reason.

use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::scene::Document;

/// Scene, time, hash of the state there.
const GOLDEN: &[(&str, f64, &str)] = &[
    ("a01-symmetric-body", 2.0, "772d6d471380f07b"),
    ("a02-simple-box", 2.0, "6246f2c83cf4153a"),
    ("a02-tumbling-box", 2.0, "9b907d46099e5059"),
    ("a34-mass-properties", 2.0, "3183e0aa12241bab"),
    ("figure-eight", 2.0, "1f1b6bd79d63b03c"),
    ("kepler", 2.0, "cfaef7b109392cf9"),
    ("lennard-jones", 2.0, "1a0612091632e360"),
    ("n-body", 2.0, "3e26841a5c454253"),
    ("off-centre-force", 2.0, "304560934b003463"),
    ("spring-chain", 2.0, "a2a1c30c90f1b2b2"),
    ("tumbling-block", 2.0, "4cfd32c6caff84ea"),
    ("two-equal-forces", 2.0, "1ebfcdd0fb29e016"),
    ("two-opposite-forces", 2.0, "ee5094a55a70e383"),
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
