//! The linear programs of the paper in the driver: joints and contacts together, impulses, and what they say of their
//! answers; beside all other solvers. [PAPER; SYSTEM C5, C10]

use std::fmt::Write as _;
use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::math::DVec3;
use dolmen::record::{EventKind, Note};
use dolmen::scene::Document;

fn simulation(text: &str) -> Simulation {
    let document = Document::parse("scene", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
}

/// Numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Smooth bricks on a table, each shifted a little on the one below; some stacks tip over the edge of the table.
fn stack(seed: u64, solver: &str) -> String {
    let mut random = Random(seed);
    let count = 1 + (3.0 * random.next()) as usize;
    let mut text = format!(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ solver = \"{solver}\", restitution = 0, friction = 0 }}\n\
         [[body]]\nname = \"table\"\nkind = \"fixed\"\nposition = [-1, 0, -0.5]\nshape = {{ kind = \"box\", size = [2, 2, 1] }}\n"
    );
    let (mut x, mut z) = (-0.5 + 0.7 * random.next(), 0.0);
    for k in 0..count {
        let (width, height) = (0.6 + 0.8 * random.next(), 0.2 + 0.2 * random.next());
        let mass = 0.5 + 3.0 * random.next();
        let _ = write!(
            text,
            "[[body]]\nname = \"brick {k}\"\nmass = {mass}\nposition = [{x}, 0, {}]\nshape = {{ kind = \"box\", size = [{width}, 0.5, {height}] }}\n",
            z + 0.5 * height
        );
        z += height;
        x += 0.3 * (random.next() - 0.5);
    }
    text
}

/// Rods linked by balls, lying and hanging over the same edge.
fn chain(seed: u64, solver: &str) -> String {
    let mut random = Random(seed);
    let count = 2 + (3.0 * random.next()) as usize;
    let mut text = format!(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ solver = \"{solver}\", restitution = 0, friction = 0 }}\n\
         [[body]]\nname = \"table\"\nkind = \"fixed\"\nposition = [-1, 0, -0.5]\nshape = {{ kind = \"box\", size = [2, 2, 1] }}\n"
    );
    let start = -1.0 + 0.5 * random.next();
    for k in 0..count {
        let mass = 0.5 + random.next();
        let _ = write!(
            text,
            "[[body]]\nname = \"rod {k}\"\nmass = {mass}\nposition = [{}, 0, 0.05]\nshape = {{ kind = \"box\", size = [0.38, 0.1, 0.1] }}\n",
            start + 0.4 * k as f64
        );
        if k > 0 {
            let _ = write!(
                text,
                "[[joint]]\nname = \"link {k}\"\nkind = \"ball\"\na = \"rod {}\"\nb = \"rod {k}\"\nat = [{}, 0, 0.05]\n",
                k - 1,
                start + 0.4 * k as f64 - 0.2
            );
        }
    }
    text
}

/// Centres of all bodies after a while.
fn places(text: &str, duration: f64) -> Vec<DVec3> {
    let mut run = simulation(text);
    run.advance(duration).unwrap_or_else(|stop| panic!("{stop}\n{text}"));
    run.world().body_ids().map(|id| run.pose(id).position).collect()
}

fn assert_agree(text: impl Fn(&str) -> String, solvers: &[&str], duration: f64) {
    let reference = places(&text("complementarity"), duration);
    for solver in solvers {
        let found = places(&text(solver), duration);
        for (a, b) in reference.iter().zip(&found) {
            // Without friction accelerations are unique, and so is the motion up to the integrator's error.
            assert!(a.distance(*b) < 1e-6, "{solver}: {a} and {b}\n{}", text(solver));
        }
    }
}

/// Without friction all solvers move random stacks at the edge of a table alike, and none gives up.
#[test]
fn random_smooth_stacks_run_to_their_end_under_every_solver() {
    for seed in 0..16 {
        let solvers = ["cone", "sparse", "lemke", "quadratic", "linear"];
        assert_agree(|solver| stack(seed, solver), &solvers, 0.35);
    }
}

/// Joints and contacts together: multipliers of joints are free, forces of contacts are not negative.
#[test]
fn random_linked_chains_run_to_their_end_under_every_solver_that_knows_joints() {
    for seed in 0..12 {
        assert_agree(|solver| chain(seed, solver), &["cone", "quadratic", "linear"], 0.3);
    }
}

/// Limits, joint friction and motors are no equations: a solver that has no rows for them says so at the start.
#[test]
fn joints_with_limits_are_refused_with_a_remedy() {
    let text = chain(1, "linear") + "limit = [{ lower = -0.1, upper = 0.1 }]\n";
    let text = text.replace("kind = \"ball\"", "kind = \"hinge\"\naxis = [0, 1, 0]");
    let document = Document::parse("scene", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(Path::new(".")).expect("a world");
    let stop = Simulation::new(world).expect_err("limits").to_string();
    assert!(stop.contains("complementarity") && stop.contains("linear"), "{stop}");
}

/// PAPER's three billiard balls at once, ε = 1: −v/3, 2v/3, 2v/3, by the linear programs as by the active set.
#[test]
fn the_simultaneous_law_takes_its_impulses_from_the_linear_programs() {
    let balls = |solver: &str| {
        let mut text = format!(
            "format = 1\ncontact = {{ law = \"simultaneous\", solver = \"{solver}\", restitution = 1 }}\n"
        );
        for (name, x, v) in [("a", -3.0, 3.0), ("b", 0.0, 0.0), ("c", 1.0, 0.0)] {
            let _ = write!(
                text,
                "[[body]]\nname = \"{name}\"\nmass = 1\nposition = [{x}, 0, 0]\nvelocity = [{v}, 0, 0]\nshape = {{ kind = \"sphere\", radius = 0.5 }}\n"
            );
        }
        let mut run = simulation(&text);
        run.advance(1.0).expect("a hit");
        run.world().body_ids().map(|id| run.twist(id).velocity.x).collect::<Vec<_>>()
    };
    for solver in ["linear", "complementarity"] {
        let found = balls(solver);
        for (v, expected) in found.iter().zip([-1.0, 2.0, 2.0]) {
            assert!((v - expected).abs() < 1e-9, "{solver}: {found:?}");
        }
    }
}

/// What a solver chose or guessed is in the log: a brick on four corners has forces of choice; one that tips over an edge has
/// contacts that vanish.
#[test]
fn events_say_what_the_linear_programs_did() {
    let notes = |text: &str| {
        let mut run = simulation(text);
        run.advance(0.3).expect("a run");
        let rests = run.events().iter().filter(|e| matches!(e.kind, EventKind::Rest | EventKind::Slide));
        rests.map(|event| event.note).collect::<Vec<_>>()
    };
    let brick = |solver: &str, x: f64| {
        format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ solver = \"{solver}\", restitution = 0 }}\n\
             [[body]]\nname = \"table\"\nkind = \"fixed\"\nposition = [-1, 0, -0.5]\nshape = {{ kind = \"box\", size = [2, 2, 1] }}\n\
             [[body]]\nname = \"brick\"\nmass = 1\nposition = [{x}, 0, 0.15]\nshape = {{ kind = \"box\", size = [1, 0.5, 0.3] }}\n"
        )
    };
    let found = notes(&brick("linear", -1.0));
    assert!(found.contains(&Note::Corner), "{found:?}");
    let found = notes(&brick("linear", 0.2));
    assert!(found.iter().any(|note| matches!(note, Note::Vanishing | Note::Mended)), "{found:?}");
}

/// Two cubes that meet corner on corner have no normal there: the local plane that was taken is noted.
#[test]
fn vertex_on_vertex_notes_the_local_plane() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/vertex-on-vertex.toml"));
    let document = Document::load(path).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(path.parent().expect("a folder")).unwrap_or_else(|errors| panic!("{errors}"));
    let mut run = Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"));
    run.advance(2.0).unwrap_or_else(|stop| panic!("{stop}"));
    assert!(run.events().iter().any(|event| event.note == Note::LocalPlane), "{:?}", run.events().first());
}

/// A ball that hangs at a ceiling by its contact slides along it, and the contact pulls with its weight; bodies that are apart have
/// none to make bilateral.
#[test]
fn a_bilateral_contact_pulls_as_well_as_it_pushes() {
    let mut run = simulation(
        "format = 1\ngravity = [0, 0, -9.81]\n\
         [[body]]\nname = \"ceiling\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, -1] }\n\
         [[body]]\nname = \"lamp\"\nmass = 2\nposition = [0, 0, -0.25]\nvelocity = [0.5, 0, 0]\nshape = { kind = \"sphere\", radius = 0.25 }\n\
         [[joint]]\nname = \"pin\"\nkind = \"contact\"\na = \"lamp\"\nb = \"ceiling\"\n",
    );
    run.advance(2.0).expect("it hangs");
    let lamp = run.world().find_body("lamp").expect("a lamp");
    let place = run.pose(lamp).position;
    assert!(place.distance(DVec3::new(1.0, 0.0, -0.25)) < 1e-9, "{place}");
    let force = run.joint_forces()[0].force.z;
    assert!((force.abs() - 2.0 * 9.81).abs() < 1e-9, "{force} N");

    let apart = Document::parse(
        "scene",
        "format = 1\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
         [[body]]\nname = \"box\"\nmass = 1\nposition = [0, 0, 3]\nshape = { kind = \"box\", size = [1, 1, 1] }\n\
         [[joint]]\nname = \"pin\"\nkind = \"contact\"\na = \"box\"\nb = \"floor\"\n",
    );
    let problem =
        apart.expect("a document").build(Path::new(".")).expect_err("they do not touch").to_string();
    assert!(problem.contains("touches a face"), "{problem}");
}
