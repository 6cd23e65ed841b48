//! The linear programs of the paper in the driver: joints and contacts together, impulses, and what they say of their
//! answers; beside all other solvers. [PAPER; SYSTEM C5, C10]

use std::fmt::Write as _;
use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::drive::intro::{IntroSettings, IntroSimulation, RestRule};
use dolmen::math::{DVec3, real};
use dolmen::record::{CheckedLaw, EventKind, Note};
use dolmen::scene::Document;
use dolmen::world::BodyId;

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
    places_and_guesses(text, duration).0
}

/// Centres of all bodies after a while, and how often forces were approximate.
fn places_and_guesses(text: &str, duration: f64) -> (Vec<DVec3>, usize) {
    let mut run = simulation(text);
    run.advance(duration).unwrap_or_else(|stop| panic!("{stop}\n{text}"));
    let wrong = run.events().iter().filter(|event| event.note == Note::ApproximateForces).count();
    (run.world().body_ids().map(|id| run.pose(id).position).collect(), wrong)
}

/// How far approximate forces move a body in so many time steps: each is at most 1e-5 s long, the root of the tolerance of the integrator
/// in the time in which a body of a metre falls by its size, accelerates by some g, and the velocity that is left goes on for a second.
const BY_APPROXIMATE_FORCES: f64 = 1e-3;

fn assert_agree(text: impl Fn(&str) -> String, solvers: &[&str], duration: f64) {
    let reference = places(&text("complementarity"), duration);
    for solver in solvers {
        let (found, wrong) = places_and_guesses(&text(solver), duration);
        // Without friction accelerations are unique, and so is the motion up to the integrator's error.
        let allowed = 1e-6 + wrong as f64 * BY_APPROXIMATE_FORCES;
        assert!(wrong == 0 || *solver == "linear", "{solver} guesses nothing");
        for (a, b) in reference.iter().zip(&found) {
            assert!(
                a.distance(*b) < allowed,
                "{solver}: {a} and {b}, {wrong} guesses wrong\n{}",
                text(solver)
            );
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
fn random_linked_chains_run_to_their_end_under_every_solver() {
    for seed in 0..12 {
        let solvers = ["cone", "sparse", "lemke", "quadratic", "linear"];
        assert_agree(|solver| chain(seed, solver), &solvers, 0.3);
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
        let kinds = [EventKind::Rest, EventKind::Slide, EventKind::TimeStep];
        let rests = run.events().iter().filter(|event| kinds.contains(&event.kind));
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
    assert!(!found.contains(&Note::Mended), "the library finds nothing: {found:?}");
    let guesses = |note: &Note| matches!(note, Note::Vanishing | Note::ApproximateForces);
    assert!(found.iter().any(guesses), "{found:?}");
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

/// An arm on three hinges that are driven alike at first and then apart: two to `angles[0]` and `angles[1]`, one to `angles[2]`.
fn driven_arm(conflict: &str, angles: [f64; 3]) -> String {
    let mut text = format!(
        "format = 1\ncontact = {{ restitution = 1, friction = 0 }}\nassembly = {{ conflict = \"{conflict}\" }}\n\
         [[body]]\nname = \"arm\"\nmass = 1\nshape = {{ kind = \"box\", size = [2, 0.2, 0.2] }}\n"
    );
    for (name, angle) in ["a", "b", "c"].iter().zip(angles) {
        let _ = write!(
            text,
            "[[joint]]\nname = \"{name}\"\nkind = \"hinge\"\na = \"arm\"\naxis = [0, 0, 1]\n\
             motor = [{{ axis = \"turn-z\", kind = \"motion\", course = {{ kind = \"move\", from = 0, to = {angle}, begin = 0, end = 1 }} }}]\n"
        );
    }
    text
}

fn turn_about_z(run: &Simulation, id: BodyId) -> f64 {
    let q = run.pose(id).orientation;
    2.0 * real::atan2(q.z, q.w)
}

/// Force equations that contradict each other, on request by least squares or least absolute residual: three drives that part while
/// they move are followed to the mean of their angles, or to the median. [PAPER, appendix]
#[test]
fn contradictory_force_equations_are_settled_as_asked() {
    for (conflict, expected) in [("least-squares", 0.6), ("least-absolute", 0.3)] {
        let mut run = simulation(&driven_arm(conflict, [0.3, 0.3, 1.2]));
        run.advance(0.5).unwrap_or_else(|stop| panic!("{conflict}: {stop}"));
        let arm = run.world().find_body("arm").expect("an arm");
        // Half way the quintic is at half its angle, at 15/8 of its mean speed.
        let turn = turn_about_z(&run, arm);
        assert!((turn - 0.5 * expected).abs() < 1e-7, "{conflict}: {turn}");
        let spin = run.twist(arm).spin.z;
        assert!((spin - 1.875 * expected).abs() < 1e-6, "{conflict}: {spin}");
        run.advance(1.0).unwrap_or_else(|stop| panic!("{conflict}: {stop}"));
        run.check_laws().unwrap_or_else(|stop| panic!("{conflict}: {stop}"));
        let broken = run.take_violations();
        assert!(broken.is_empty(), "{conflict}: what was asked for is no broken law: {broken:?}");
        let turn = turn_about_z(&run, arm);
        assert!((turn - expected).abs() < 1e-7, "{conflict}: {turn}");
    }
    let mut run = simulation(&driven_arm("refuse", [0.3, 0.3, 1.2]));
    let gone = run.advance(1.0);
    let told = gone.is_err() || run.check_laws().is_err() || !run.take_violations().is_empty();
    assert!(told, "nobody asked for joints that miss");
}

/// In a collision as well: a ball bounces off the arm as off a wall that moves with the speed that the drives are settled to.
#[test]
fn contradictory_impulses_are_settled_as_asked() {
    for (conflict, expected) in [("least-squares", 0.6), ("least-absolute", 0.3)] {
        let text = driven_arm(conflict, [0.3, 0.3, 1.2])
            + "[[body]]\nname = \"ball\"\nmass = 1\nposition = [0.6, 2.7, 0]\nvelocity = [0, -5, 0]\nshape = { kind = \"sphere\", radius = 0.1 }\n";
        let mut run = simulation(&text);
        run.advance(0.8).unwrap_or_else(|stop| panic!("{conflict}: {stop}"));
        let hit = run.events().iter().find(|e| e.kind == EventKind::Collision).copied().expect("a hit");
        let spin = |t: f64| expected * (30.0 * t * t - 60.0 * t * t * t + 30.0 * t * t * t * t);
        let wall = DVec3::Z.cross(hit.point) * spin(hit.t);
        let normal = if hit.normal.y < 0.0 { -hit.normal } else { hit.normal };
        let before = DVec3::new(0.0, -5.0, 0.0);
        let after = before - 2.0 * (before - wall).dot(normal) * normal;
        let ball = run.world().find_body("ball").expect("a ball");
        let found = run.twist(ball).velocity;
        assert!(found.distance(after) < 1e-6, "{conflict}: {found} for {after}");
        let arm = run.world().find_body("arm").expect("an arm");
        let turning = run.twist(arm).spin.z;
        assert!((turning - spin(0.8)).abs() < 1e-6, "{conflict}: {turning} rad/s");
    }
}

/// Where the guess of the contacts that vanish is wrong the exact driver takes the approximate forces for the length of a time step: the event
/// says so with the excess, and the energy they add is booked: the ledger balances, and no law but those of gains is broken.
#[test]
fn approximate_forces_act_for_a_time_step_and_are_booked() {
    let (mut wrong, mut given) = (0, 0);
    for seed in 0..60 {
        let text = if seed % 2 == 0 { stack(seed, "linear") } else { chain(seed, "linear") };
        let mut run = simulation(&text);
        run.advance(0.35).unwrap_or_else(|stop| panic!("seed {seed}: {stop}\n{text}"));
        run.check_laws().unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
        let guesses: Vec<_> =
            run.events().iter().filter(|event| event.note == Note::ApproximateForces).copied().collect();
        for event in &guesses {
            wrong += 1;
            assert!(event.kind == EventKind::TimeStep && event.excess > 0.0, "seed {seed}: {event:?}");
            given += usize::from(event.lost < 0.0);
        }
        // Energy that is added is a broken law like any other, where it exceeds its bound.
        let is_gain = |law: CheckedLaw| matches!(law, CheckedLaw::Dissipation | CheckedLaw::Closing);
        for broken in run.take_violations() {
            assert!(!guesses.is_empty() && is_gain(broken.law), "seed {seed}: {broken:?}");
        }
    }
    // What the forces add, h² Σ f·d̈, may be less than what the scheme of the step loses.
    println!("{wrong} guesses wrong, {given} of them give energy");
    assert!(wrong > 0 && given > 0, "{wrong} guesses wrong, {given} of them give energy");
}

fn update_loop(text: &str, step: f64) -> IntroSimulation {
    let document = Document::parse("scene", text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    let settings = IntroSettings { step, rest: RestRule::Forces, ..IntroSettings::default() };
    IntroSimulation::new(world, settings).unwrap_or_else(|error| panic!("{error}"))
}

/// PAPER's simulator is the update loop with its forces in every derivative. Where its guess is wrong the approximate forces are used: an
/// event says so with the excess, and half of that times h² is the energy that the first step adds and books.
#[test]
fn approximate_forces_act_in_the_update_loop_and_are_booked() {
    let (step, mut wrong) = (0.002, 0);
    for seed in 0..60 {
        let mut run = update_loop(&stack(seed, "linear"), step);
        run.advance(step).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let ledger = run.ledger();
        let events = run.take_events();
        let Some(event) = events.iter().find(|event| event.note == Note::ApproximateForces) else {
            assert!(ledger.closing.abs() < 1e-7, "seed {seed}: {} J booked for nothing", ledger.closing);
            continue;
        };
        wrong += 1;
        let expected = 0.5 * event.excess * step * step;
        assert!(expected > 0.0, "seed {seed}: {event:?}");
        println!(
            "seed {seed}: excess {} W/s, {:e} J booked, ½ excess h² = {expected:e} J",
            event.excess, -ledger.closing
        );
        let off = (ledger.closing + expected).abs();
        assert!(off < 0.1 * expected + 1e-7, "seed {seed}: booked {} J of {expected} J", -ledger.closing);
        run.advance(0.1).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for law in run.law_status() {
            let is_gain = law.law == CheckedLaw::Dissipation;
            assert!(is_gain || law.holds(), "seed {seed}: {law:?}");
        }
    }
    assert!(wrong > 0, "the guess is never wrong");
}

/// A scene asks for them: the programs of the notes and of the paper go with `rest = "forces"`, and with no other rest of the loop.
#[test]
fn a_scene_chooses_the_programs_of_the_update_loop() {
    let scene = |rest: &str, solver: &str| {
        let head = format!(
            "format = 1\nrun = {{ duration = 1, driver = \"intro\", intro = {{ rest = \"{rest}\" }} }}\n"
        );
        let text = stack(14, solver).replacen("format = 1\n", &head, 1);
        Document::parse("scene", &text).map_err(|errors| errors.to_string())
    };
    for solver in ["linear", "quadratic"] {
        let document = scene("forces", solver).unwrap_or_else(|errors| panic!("{errors}"));
        document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
        let refused = scene("sign", solver).expect_err("rest impulses take no solver");
        assert!(refused.contains("rest = \"forces\""), "{refused}");
    }
    assert!(scene("forces", "cone").is_err(), "the loop knows no friction");
}

/// With right forces the loop moves smooth stacks as the exact driver does, up to its steps.
#[test]
fn forces_in_the_update_loop_move_stacks_as_the_exact_driver_does() {
    for seed in 0..12 {
        let reference = places(&stack(seed, "complementarity"), 0.2);
        let mut run = update_loop(&stack(seed, "quadratic"), 0.002);
        run.advance(0.2).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(run.statistics().lost_time, 0.0, "seed {seed}");
        for (id, expected) in run.world().body_ids().zip(&reference) {
            // Features change within a step: h² g and a little more.
            let off = run.pose(id).position.distance(*expected);
            assert!(off < 1e-3, "seed {seed}: {off} m off");
        }
    }
}

/// Lemke's pivots end at a corner: where there is a choice the log says so, and where there is none it does not.
#[test]
fn lemke_says_when_forces_were_a_choice() {
    let notes = |feet: usize, friction: f64| {
        let mut text = format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ solver = \"lemke\", restitution = 0, friction = {friction} }}\n\
             [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n"
        );
        let shape = if feet == 4 {
            "{ kind = \"box\", size = [1, 1, 0.5] }"
        } else {
            "{ kind = \"sphere\", radius = 0.25 }"
        };
        let _ =
            write!(text, "[[body]]\nname = \"body\"\nmass = 1\nposition = [0, 0, 0.25]\nshape = {shape}\n");
        let mut run = simulation(&text);
        run.advance(0.1).expect("rest");
        let rests = run.events().iter().filter(|e| matches!(e.kind, EventKind::Rest | EventKind::Slide));
        rests.map(|event| event.note).collect::<Vec<_>>()
    };
    for friction in [0.0, 0.5] {
        let (choice, none) = (notes(4, friction), notes(1, friction));
        assert!(choice.contains(&Note::Corner), "μ = {friction}: {choice:?}");
        assert!(!none.is_empty() && !none.contains(&Note::Corner), "μ = {friction}: {none:?}");
    }
}

/// PAPER's heavy ball on a light one, one contact at a time without restitution: rounds without end are closed at once, and the event says so.
#[test]
fn propagation_that_does_not_end_is_closed_at_once() {
    let mut run = simulation(
        "format = 1\ncontact = { law = \"propagation\", restitution = 0 }\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
         [[body]]\nname = \"light\"\nmass = 1\nposition = [0, 0, 0.5]\nshape = { kind = \"sphere\", radius = 0.5 }\n\
         [[body]]\nname = \"heavy\"\nmass = 1e6\nposition = [0, 0, 2]\nvelocity = [0, 0, -1]\nshape = { kind = \"sphere\", radius = 0.5 }\n",
    );
    run.advance(1.0).expect("a stop");
    assert!(run.events().iter().any(|event| event.note == Note::ClosedAtOnce), "{:?}", run.events());
    let heavy = run.world().find_body("heavy").expect("a ball");
    assert!(run.twist(heavy).velocity.length() < 1e-9, "{:?}", run.twist(heavy));
}

/// A ball that leaves the floor while another falls on it: v⁺ ≥ 0 at the floor takes from it what it had, and with ε = 1 at the other contact
/// energy would grow. Restitution is scaled until it does not: the upper ball leaves with all the energy of both. [PAPER; SYSTEM C3, trap 9]
#[test]
fn restitution_that_would_give_energy_is_scaled_and_noted() {
    let mut run = simulation(
        "format = 1\ncontact = { law = \"simultaneous\", restitution = 1, friction = 0 }\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
         [[body]]\nname = \"below\"\nmass = 1\nposition = [0, 0, 0.5]\nvelocity = [0, 0, 0.1]\nshape = { kind = \"sphere\", radius = 0.5 }\n\
         [[body]]\nname = \"above\"\nmass = 1\nposition = [0, 0, 1.5]\nvelocity = [0, 0, -1]\nshape = { kind = \"sphere\", radius = 0.5 }\n",
    );
    run.advance(0.1).expect("an impact");
    assert!(run.events().iter().any(|event| event.note == Note::RestitutionScaled), "{:?}", run.events());
    let above = run.world().find_body("above").expect("a ball");
    let found = run.twist(above).velocity.z;
    assert!((found - 1.01_f64.sqrt()).abs() < 1e-12, "{found} m/s");
}

/// Impulses of choice are noted: those of a box that lands flat on four corners are the least. Friction of a stack that lands with much of it
/// is within its cones and takes energy, and where it is not solved to tolerance the note says so.
#[test]
fn impacts_say_what_was_a_choice_and_what_is_approximate() {
    let notes = |text: &str, until: f64| {
        let floor = "[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n";
        let mut run = simulation(&format!("format = 1\ngravity = [0, 0, -9.81]\n{text}{floor}"));
        run.advance(until).unwrap_or_else(|stop| panic!("{stop}\n{text}"));
        let hits: Vec<_> =
            run.events().iter().filter(|event| event.kind == EventKind::Collision).copied().collect();
        let lost: f64 = hits.iter().map(|event| event.lost).sum();
        assert!(lost >= 0.0, "{lost} J lost");
        hits.iter().map(|event| event.note).collect::<Vec<_>>()
    };
    let cube = "contact = { restitution = 0.5, friction = 0.3 }\n[[body]]\nname = \"cube\"\nmass = 1\nposition = [0, 0, 0.6]\n\
                shape = { kind = \"box\", size = [1, 1, 1] }\n";
    assert!(notes(cube, 0.2).contains(&Note::LeastNorm));
    let mut stack = "contact = { law = \"reflection\", restitution = 0.3, friction = 5 }\n".to_owned();
    for (name, x, z, height, v) in
        [("a", 0.05, 0.2, 0.3, "2, 0.5"), ("b", 0.05, 0.4, 0.1, "0, 0"), ("c", 0.0, 0.5, 0.1, "1, 0")]
    {
        let _ = write!(
            stack,
            "[[body]]\nname = \"{name}\"\nmass = 10\nposition = [{x}, 0, {z}]\nvelocity = [{v}, -1]\nshape = {{ kind = \"box\", size = [0.2, 0.2, {height}] }}\n"
        );
    }
    let found = notes(&stack, 0.0416);
    assert!(found.contains(&Note::Approximate), "{found:?}");
}
