//! The judge can fail: runs that are right pass, and each law is broken in one that is doctored.

use dolmen_hunt::judge::scene::Scene;
use dolmen_hunt::judge::table::Table;
use dolmen_hunt::judge::{Class, Run, judge, judge_stopped};

/// A ball of 2 kg falls freely above a floor and beside a box, without a contact.
const SCENE: &str = r#"
format = 1
gravity = [0, 0, -10]
[run]
duration = 0.4
[contact]
friction = 0.5
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.5 }
mass = 2
position = [0, 0, 2]
velocity = [1, 0, 0]
[[body]]
name = "floor"
kind = "fixed"
shape = { kind = "plane", normal = [0, 0, 1] }
[[body]]
name = "slab"
kind = "fixed"
shape = { kind = "box", size = [1, 1, 1] }
position = [3, 0, 0.5]
"#;

const STEP: f64 = 0.1;

/// Where the ball is, and how fast.
fn ball(k: usize) -> ([f64; 3], [f64; 3]) {
    let t = STEP * k as f64;
    ([t, 0.0, 2.0 - 5.0 * t * t], [1.0, 0.0, -10.0 * t])
}

/// The tables of the fall, of which each line may be changed: table, sample, line.
fn run(doctor: &dyn Fn(&str, usize, &str) -> String) -> Run {
    let table = |name: &str, head: &str, line: &dyn Fn(usize) -> Vec<String>| {
        let lines = (0..5).flat_map(|k| line(k).into_iter().map(move |line| (k, line)));
        let text: String = lines.map(|(k, line)| doctor(name, k, &line) + "\n").collect();
        Table::parse(&format!("{head}\n{text}")).expect("a table")
    };
    let t = |k: usize| STEP * k as f64;
    let states = table("states", "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", &|k| {
        let ([x, y, z], [vx, vy, vz]) = ball(k);
        vec![
            format!("{},ball,{x},{y},{z},1,0,0,0,{vx},{vy},{vz},0,0,0", t(k)),
            format!("{},floor,0,0,0,1,0,0,0,0,0,0,0,0,0", t(k)),
            format!("{},slab,3,0,0.5,1,0,0,0,0,0,0,0,0,0", t(k)),
        ]
    });
    let kinetic = |k: usize| ball(k).1.iter().map(|v| v * v).sum::<f64>();
    let bodies = table("bodies", "t,body,kinetic,rotational,px,py,pz,lx,ly,lz", &|k| {
        let [vx, vy, vz] = ball(k).1;
        vec![format!("{},ball,{},0,{},{},{},0,0,0", t(k), kinetic(k), 2.0 * vx, 2.0 * vy, 2.0 * vz)]
    });
    let energy = table("energy", "t,kinetic,potential,work,collisions,friction,closing,total,error", &|k| {
        let potential = 20.0 * ball(k).0[2];
        vec![format!("{},{},{potential},0,0,0,0,{},0", t(k), kinetic(k), kinetic(k) + potential)]
    });
    let momentum = table("momentum", "t,px,py,pz,lx,ly,lz", &|k| {
        let [vx, vy, vz] = ball(k).1;
        vec![format!("{},{},{},{},0,0,0", t(k), 2.0 * vx, 2.0 * vy, 2.0 * vz)]
    });
    Run { states, bodies, energy, momentum, ..Run::default() }
}

fn found(scene: &str, run: &Run) -> Vec<Class> {
    judge(&Scene::read(scene).expect("TOML"), run).iter().map(|finding| finding.class).collect()
}

/// One line of one table is another.
fn doctored(table: &'static str, sample: usize, line: &'static str) -> Run {
    let begin = line.split(',').take(2).nth(1).unwrap_or_default().to_owned();
    run(&move |name, k, old| {
        let is_it =
            name == table && k == sample && (table != "states" || old.split(',').nth(1) == Some(&begin));
        if is_it { line.to_owned() } else { old.to_owned() }
    })
}

/// Nothing is found in a fall.
#[test]
fn a_sound_run_passes() {
    assert_eq!(found(SCENE, &run(&|_, _, line| line.to_owned())), []);
}

/// The ball is half in the slab, in the floor, and below it.
#[test]
fn overlaps_are_found() {
    let beside = doctored("states", 3, "0.30000000000000004,ball,2.2,0,0.6,1,0,0,0,1,0,-3,0,0,0");
    assert!(found(SCENE, &beside).contains(&Class::Overlap));
    let within = doctored("states", 3, "0.30000000000000004,ball,0.3,0,0.4,1,0,0,0,1,0,-3,0,0,0");
    assert!(found(SCENE, &within).contains(&Class::Overlap));
    let below = doctored("states", 3, "0.30000000000000004,ball,0.3,0,-0.6,1,0,0,0,1,0,-3,0,0,0");
    assert!(found(SCENE, &below).contains(&Class::Tunnelled));
    // A nanometre is not.
    let touching = doctored("states", 3, "0.30000000000000004,ball,0.3,0,0.499999999,1,0,0,0,1,0,-3,0,0,0");
    assert!(!found(SCENE, &touching).contains(&Class::Overlap));
}

/// Bodies in groups that do not meet, and joined ones, may overlap.
#[test]
fn bodies_that_do_not_collide_may_overlap() {
    let within = doctored("states", 3, "0.30000000000000004,ball,2.2,0,0.6,1,0,0,0,1,0,-3,0,0,0");
    let ghost = SCENE.replace("name = \"slab\"", "name = \"slab\"\ncollides_with = []");
    assert!(!found(&ghost, &within).contains(&Class::Overlap));
    let off = SCENE.replace("friction = 0.5", "enabled = false");
    assert!(!found(&off, &within).contains(&Class::Overlap));
}

/// NaN and infinity in any table.
#[test]
fn numbers_that_are_none_are_found() {
    let nan = doctored("momentum", 2, "0.2,2,NaN,-4,0,0,0");
    assert_eq!(found(SCENE, &nan).first(), Some(&Class::NotFinite));
    let stopped = doctored("energy", 4, "0.4,inf,0,0,0,0,0,0,0");
    let scene = Scene::read(SCENE).expect("TOML");
    assert_eq!(judge_stopped(&scene, &stopped).first().map(|finding| finding.class), Some(Class::NotFinite));
}

/// Kinetic energy grows without work: it is not that of the states, or the ledger is off.
#[test]
fn energy_from_nothing_is_found() {
    let kinetic = doctored("energy", 3, "0.30000000000000004,14,31,0,0,0,0,45,0");
    let classes = found(SCENE, &kinetic);
    assert!(classes.contains(&Class::Ledger) && classes.contains(&Class::States), "{classes:?}");
    // A ledger that balances by a negative loss.
    let negative = doctored("energy", 3, "0.30000000000000004,10,31,0,-4,0,4,41,0");
    assert!(found(SCENE, &negative).contains(&Class::Energy));
    // Work, and nothing that does it.
    let work = doctored("energy", 3, "0.30000000000000004,10,31,1,1,0,0,41,0");
    assert!(found(SCENE, &work).contains(&Class::Energy));
    // An error that is not what the columns say.
    let error = doctored("energy", 3, "0.30000000000000004,10,31,0,0,0,0,41,0.5");
    assert!(found(SCENE, &error).contains(&Class::Ledger));
}

/// Energies and momenta of a body that are not those of its state.
#[test]
fn states_and_bodies_must_agree() {
    for line in
        ["0.2,ball,5.1,0.1,2,0,-4,0,0,0", "0.2,ball,5,0,2.1,0,-4,0,0,0", "0.2,ball,5,0,2,0,-4,0,0.1,0"]
    {
        let wrong = doctored("bodies", 2, line);
        assert!(found(SCENE, &wrong).contains(&Class::States), "{line}");
    }
    // Heights and potential.
    let wrong = doctored("energy", 2, "0.2,5,35.5,0,0.5,0,0,40.5,0");
    assert!(found(SCENE, &wrong).contains(&Class::States));
}

/// Momentum that comes from nowhere.
#[test]
fn momentum_from_nothing_is_found() {
    let wrong = doctored("momentum", 3, "0.30000000000000004,2.5,0,-6,0,0,0");
    assert_eq!(found(SCENE, &wrong), [Class::Momentum]);
}

fn with_events(lines: &str) -> Run {
    let head = "t,group,kind,body_a,body_b,lost\n";
    Run {
        events: Table::parse(&(head.to_owned() + lines)).expect("a table"),
        ..run(&|_, _, line| line.to_owned())
    }
}

/// An event that gives energy; of several contacts solved together only the sum counts.
#[test]
fn negative_losses_are_found() {
    assert_eq!(found(SCENE, &with_events("0.15,1,collision,ball,floor,-1e-3\n")), [Class::Loss]);
    assert_eq!(
        found(SCENE, &with_events("0.15,1,collision,ball,floor,-1e-3\n0.15,1,collision,ball,slab,2e-3\n")),
        []
    );
    assert_eq!(found(SCENE, &with_events("0.15,1,collision,ball,floor,-1e-12\n")), []);
}

fn with_force(line: &str) -> Run {
    let head = "t,body_a,body_b,x,y,z,nx,ny,nz,normal_force,friction_x,friction_y,friction_z,mode,iterations,status\n";
    Run {
        forces: Table::parse(&format!("{head}{line}\n")).expect("a table"),
        ..run(&|_, _, line| line.to_owned())
    }
}

/// The ball is said to slide along x at 1 m/s.
#[test]
fn forces_that_no_contact_has_are_found() {
    let at = "0.2,ball,floor,0.2,0,1.3,0,0,1";
    let cases = [
        ("20,-10,0,0,slide,1,solved", false),
        ("20,10,0,0,slide,1,solved", true),
        ("-20,0,0,0,slide,1,solved", true),
        ("20,-11,0,0,slide,1,solved", true),
        ("20,-5,0,0,stick,1,solved", true),
    ];
    for (line, is_wrong) in cases {
        let classes = found(SCENE, &with_force(&format!("{at},{line}")));
        assert_eq!(classes.contains(&Class::Force), is_wrong, "{line}: {classes:?}");
    }
}

/// A rod to the world that is as long as at the start only there; a rope that is long enough.
#[test]
fn joints_that_do_not_hold_are_found() {
    let rod = "[[joint]]\nkind = \"rod\"\na = \"ball\"\nframe_a = { at = [0, 0, 0] }\nframe_b = { at = [0, 0, 3] }\n";
    let falls = run(&|_, _, line| line.to_owned());
    assert!(found(&format!("{SCENE}{rod}"), &falls).contains(&Class::Joint));
    let rope = rod.replace("rod", "rope") + "length = 2\n";
    assert_eq!(found(&format!("{SCENE}{rope}"), &falls), []);
    let pin = "[[joint]]\nkind = \"ball\"\na = \"ball\"\nat = [0, 0, 2]\n";
    assert!(found(&format!("{SCENE}{pin}"), &falls).contains(&Class::Joint));
}

/// No file of the judge uses the engine.
#[test]
fn the_judge_shares_no_code_with_the_engine() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/judge");
    for entry in std::fs::read_dir(folder).expect("the judge's folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let uses = ["dolmen::", "glam"].iter().any(|word| text.contains(word));
        assert!(!uses, "{} uses the engine", path.display());
    }
}
