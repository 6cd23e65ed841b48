//! A simulation that is saved and restored goes on with the same bits.

use std::path::{Path, PathBuf};

use dolmen::drive::exact::{Simulation, SnapshotError};
use dolmen::scene::Document;
use dolmen::world::World;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn world(name: &str) -> Option<World> {
    let document = Document::load(folder().join(format!("{name}.toml"))).expect("a sound scene");
    let is_intro = document.scene().run.as_ref().is_some_and(|run| run.intro.is_some());
    (!is_intro).then(|| document.build(&folder()).expect("a world"))
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).expect("scenes");
    let names = files.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| !name.ends_with(".expect")).collect();
    names.sort();
    names
}

/// How far scenes are followed, s, and over how many events at most.
const END: f64 = 0.4;
const EVENTS: u32 = 60;

/// Everything that a run shows at a time, and its events.
fn shown(simulation: &mut Simulation, t: f64) -> String {
    let stop = simulation.advance(t).err().map(|stop| stop.to_string());
    let (contacts, joints) = (simulation.contact_forces(), simulation.joint_forces());
    let events = (simulation.events(), simulation.joint_events());
    let costs = (simulation.statistics(), simulation.solves(), simulation.detection(), simulation.islands());
    format!(
        "{stop:?} {} {:?} {contacts:?} {joints:?} {events:?} {costs:?}",
        simulation.sample().hash(),
        simulation.ledger()
    )
}

/// Every built-in scene, saved at a random event and at a random time and restored: the same states, forces, events, ledger and
/// counts as the run that went on.
#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    let mut random = Pcg64Mcg::new(7);
    let mut changed = Vec::new();
    for name in names() {
        let Some(world) = world(&name) else { continue };
        let Ok(mut simulation) = Simulation::new(world) else { continue };
        let events = random.next_u32() % EVENTS;
        for _ in 0..events {
            if !matches!(simulation.advance_to_event(END, &mut |_| true), Ok(true)) {
                break;
            }
        }
        if random.next_u32().is_multiple_of(2) {
            let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
            // A scene that stops says so again below.
            let _ = simulation.advance(simulation.time() + share * (END - simulation.time()).max(0.0));
        }
        let bytes = simulation.snapshot();
        let world = world_of(&simulation);
        let mut restored = Simulation::restore(world, &bytes).expect("its own snapshot");
        assert!(restored.snapshot() == bytes, "{name}: a restored state is saved otherwise");
        let t = END.max(simulation.time());
        if shown(&mut simulation, t) != shown(&mut restored, t) {
            changed.push(name);
        }
    }
    assert!(changed.is_empty(), "{changed:?} go on otherwise once they are restored");
}

fn world_of(simulation: &Simulation) -> World {
    simulation.world().clone()
}

/// What is no snapshot, damaged, of another version or of another world is refused, and says which.
#[test]
fn other_bytes_are_refused() {
    let simulation = Simulation::new(world("bouncing-ball").expect("a world")).expect("a start");
    let bytes = simulation.snapshot();
    let restore = |bytes: &[u8]| Simulation::restore(world_of(&simulation), bytes).map(|_| ());
    assert_eq!(restore(&bytes), Ok(()));
    assert_eq!(restore(b""), Err(SnapshotError::NotASnapshot));
    assert_eq!(restore(b"dolmen stone"), Err(SnapshotError::NotASnapshot));
    let mut other = bytes.clone();
    other[12] ^= 0x40;
    assert!(matches!(restore(&other), Err(SnapshotError::Version { .. })));
    for cut in [12, 15, 40, 79, bytes.len() - 1] {
        assert!(matches!(restore(&bytes[..cut]), Err(SnapshotError::Damaged { .. })), "{cut} bytes");
    }
    let mut other = bytes.clone();
    *other.last_mut().expect("it is not empty") ^= 1;
    assert!(matches!(restore(&other), Err(SnapshotError::Damaged { .. })));
    let elsewhere = world("newtons-cradle").expect("a world");
    assert_eq!(Simulation::restore(elsewhere, &bytes).map(|_| ()), Err(SnapshotError::World));
}

/// A clone is a fork: both go on alike, and neither notices the other.
#[test]
fn a_clone_is_a_fork() {
    let mut simulation = Simulation::new(world("billiards-break").expect("a world")).expect("a start");
    simulation.advance(0.5).expect("to go on");
    let mut fork = simulation.clone();
    assert_eq!(shown(&mut fork, 1.0), shown(&mut simulation, 1.0));
}
