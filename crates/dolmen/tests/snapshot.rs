//! A simulation that is saved and restored goes on with the same bits.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use dolmen::drive::Driver;
use dolmen::drive::exact::{Simulation, SnapshotError};
use dolmen::record::{Carried, ContactFiles, JointEventTable, RunTables, TableFiles};
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

/// A scene at a random event or at a random time after it; none for one that has no start.
fn at_random_event(random: &mut Pcg64Mcg, name: &str) -> Option<Simulation> {
    let mut simulation = Simulation::new(world(name)?).ok()?;
    let events = random.next_u32() % EVENTS;
    for _ in 0..events {
        if !matches!(simulation.advance_to_event(END, &mut |_| true), Ok(true)) {
            break;
        }
    }
    if random.next_u32().is_multiple_of(2) {
        let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
        // A scene that stops says so again later.
        let _ = simulation.advance(simulation.time() + share * (END - simulation.time()).max(0.0));
    }
    Some(simulation)
}

/// Every built-in scene, saved at a random event and at a random time and restored: the same states, forces, events, ledger and
/// counts as the run that went on.
#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    let mut random = Pcg64Mcg::new(7);
    let mut changed = Vec::new();
    for name in names() {
        let Some(mut simulation) = at_random_event(&mut random, &name) else { continue };
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

/// Times at which a run is read after it was restored, by the time that is left.
const READINGS: [f64; 3] = [0.3, 0.7, 1.0];

/// A table in memory that can be read when its writer has gone.
#[derive(Debug, Clone, Default)]
struct Page(Rc<RefCell<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every table of a run from here on, and what else it shows, at all readings.
fn readings(simulation: &mut Simulation) -> String {
    let pages: [Page; 11] = Default::default();
    let [states, bodies, particles, energy, momentum, events, forces, resultants, joints, coordinates, last] =
        pages.clone();
    let files = TableFiles {
        states: Some(states),
        bodies: Some(bodies),
        particles: Some(particles),
        energy,
        momentum,
        contacts: Some(ContactFiles {
            events: Some(events),
            forces: Some(forces),
            resultants: Some(resultants),
        }),
        joints: Some(joints),
        coordinates: Some(coordinates),
        sensors: None,
    };
    let world = simulation.world().clone();
    let mut tables = RunTables::new(&world, files).expect("memory");
    let mut joint_events = JointEventTable::new(&world, last).expect("memory");
    let start = simulation.time();
    let mut all = String::new();
    for share in READINGS {
        all += &shown(simulation, start + share * (END - start).max(0.0));
        all.push('\n');
        tables.write_events(&simulation.take_events()).expect("memory");
        joint_events.write(&simulation.take_joint_events()).expect("memory");
        let (contacts, joints) = (simulation.contact_forces(), simulation.joint_forces());
        let coordinates = simulation.joint_coordinates();
        let carried =
            Carried { contacts: &contacts, joints: &joints, coordinates: &coordinates, sensors: &[] };
        tables.write(&simulation.sample(), &carried).expect("memory");
    }
    tables.flush().expect("memory");
    joint_events.flush().expect("memory");
    for page in &pages {
        all += std::str::from_utf8(&page.0.borrow()).expect("text");
    }
    all
}

/// Every built-in scene, saved at a random event: a process that has only the scene file and the snapshot goes on with the same bytes in
/// every table as the run that was not interrupted.
#[test]
fn a_fresh_process_goes_on_with_the_same_bits() {
    let mut random = Pcg64Mcg::new(23);
    let folder = tempfile::tempdir().expect("a folder");
    let (mut changed, mut tried) = (Vec::new(), 0);
    for name in names() {
        let Some(mut simulation) = at_random_event(&mut random, &name) else { continue };
        let saved = folder.path().join(&name);
        std::fs::write(&saved, simulation.snapshot()).expect("to write");
        let child = std::process::Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "child_that_goes_on", "--ignored", "--nocapture"])
            .env("DOLMEN_TEST_SCENE", &name)
            .env("DOLMEN_TEST_SNAPSHOT", &saved)
            .output()
            .expect("to run");
        assert!(child.status.success(), "{name}: {}", String::from_utf8_lossy(&child.stderr));
        let after = std::fs::read_to_string(saved.with_extension("after")).expect("what it shows");
        tried += 1;
        if readings(&mut simulation) != after {
            changed.push(name);
        }
    }
    assert!(tried > 50, "only {tried} scenes were tried");
    assert!(changed.is_empty(), "{changed:?} go on otherwise in another process");
}

/// The other process of the test above.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn child_that_goes_on() {
    let name = std::env::var("DOLMEN_TEST_SCENE").expect("the name of a scene");
    let saved = PathBuf::from(std::env::var_os("DOLMEN_TEST_SNAPSHOT").expect("a snapshot"));
    let bytes = std::fs::read(&saved).expect("a snapshot");
    let mut restored = Simulation::restore(world(&name).expect("a world"), &bytes).expect("its snapshot");
    std::fs::write(saved.with_extension("after"), readings(&mut restored)).expect("to write");
}

/// Read-outs are functions of a world and a state: a clone of the state says the same after the run went on.
#[test]
fn a_state_can_be_read_without_its_simulation() {
    use dolmen::drive::exact::readout;
    let mut simulation = Simulation::new(world("billiards-break").expect("a world")).expect("a start");
    simulation.advance(0.5).expect("to go on");
    let (state, sample) = (simulation.whole_state().clone(), simulation.sample());
    let forces = (simulation.contact_forces(), simulation.joint_forces());
    simulation.advance(1.0).expect("to go on");
    assert_eq!(state.time().to_bits(), 0.5_f64.to_bits());
    assert_eq!(readout::sample(simulation.world(), &state).hash(), sample.hash());
    let world = simulation.world();
    assert_eq!((readout::contact_forces(world, &state), readout::joint_forces(world, &state)), forces);
    assert_ne!(simulation.sample().hash(), sample.hash());
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

/// Where the state begins in a snapshot, and where its checksum: after the beginning, the version and the hash of the world.
const STATE: usize = 80;
const CHECKSUM: usize = 48;

/// How many snapshots of each scene are crafted; others, and more, with another number in `DOLMEN_TEST_CRAFTED`.
const CRAFTED: u64 = 12;

/// How many tasks those do that are accepted.
const TASKS: u32 = 30;

/// A snapshot with a few bytes of its state changed, and the checksum of that.
fn crafted(random: &mut Pcg64Mcg, snapshot: &[u8]) -> Vec<u8> {
    let mut bytes = snapshot.to_vec();
    for _ in 0..=random.next_u32() % 3 {
        let at = STATE + random.next_u32() as usize % (bytes.len() - STATE);
        bytes[at] = match random.next_u32() % 4 {
            0 => bytes[at] ^ (1 << (random.next_u32() % 8)),
            1 => bytes[at].wrapping_add(1),
            2 => 0xff,
            _ => random.next_u32() as u8,
        };
    }
    let checksum = *blake3::hash(&bytes[STATE..]).as_bytes();
    bytes[CHECKSUM..STATE].copy_from_slice(&checksum);
    bytes
}

/// A snapshot that was changed, checksum and all, is refused with what is wrong, or goes on, or stops with a message: nothing in it
/// makes the engine panic.
#[test]
fn a_crafted_snapshot_does_no_harm() {
    let asked = std::env::var("DOLMEN_TEST_CRAFTED").ok().and_then(|number| number.parse().ok());
    let count: u64 = asked.unwrap_or(CRAFTED);
    let mut random = Pcg64Mcg::new(u128::from(count));
    let (mut panics, mut refused, mut accepted) = (Vec::new(), 0, 0);
    for name in names() {
        let Some(simulation) = at_random_event(&mut random, &name) else { continue };
        let (snapshot, world) = (simulation.snapshot(), std::sync::Arc::new(world_of(&simulation)));
        for _ in 0..count {
            let bytes = crafted(&mut random, &snapshot);
            let world = std::sync::Arc::clone(&world);
            let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let mut restored = Simulation::restore(world, &bytes).ok()?;
                let mut tasks = 0;
                let mut watch = |_| {
                    tasks += 1;
                    tasks < TASKS
                };
                let t = restored.time();
                // A stop is an answer.
                let _ = restored.advance_while(t + 0.1, &mut watch);
                let _ = restored.check_laws();
                let _ =
                    (restored.joint_forces(), restored.statistics(), restored.islands(), restored.snapshot());
                Some(())
            }));
            match tried {
                Ok(None) => refused += 1,
                Ok(Some(())) => accepted += 1,
                Err(_) => panics.push(name.clone()),
            }
        }
    }
    assert!(refused > 0 && accepted > 0, "{refused} refused, {accepted} accepted");
    assert!(panics.is_empty(), "{refused} refused, {accepted} accepted, panics: {panics:?}");
}
