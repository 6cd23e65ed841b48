//! Crowds of bodies that fall onto each other: they come to rest, their forces add up, nothing sinks in. [SYSTEM, trap 15]

use std::fmt::Write;
use std::path::Path;

use dolmen::drive::exact::Simulation;
use dolmen::math::DVec3;
use dolmen::record::{Balance, EventKind};
use dolmen::scene::Document;

/// Numbers in [0, 1) that are all over the place.
struct Scatter(u64);

impl Scatter {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / f64::from(1 << 24)
    }
}

/// Boxes of several sizes above the floor of a bin, each turned at random; their weight, N.
fn bin(count: usize, restitution: f64, seed: u64) -> (Simulation, f64) {
    let mut scatter = Scatter(seed);
    let mut text = format!(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = {restitution}, friction = 0.5 }}\n[[body]]\n\
         name = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n"
    );
    for (name, normal) in
        [("w1", "[1, 0, 0]"), ("w2", "[-1, 0, 0]"), ("w3", "[0, 1, 0]"), ("w4", "[0, -1, 0]")]
    {
        writeln!(
            text,
            "[[body]]\nname = \"{name}\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = {normal}, offset = -0.4 }}"
        )
        .expect("text");
    }
    let mut weight = 0.0;
    for k in 0..count {
        let size = [0, 1, 2].map(|_| 0.12 + 0.1 * scatter.next());
        let mass = 0.5 + scatter.next();
        let turn = [0, 1, 2].map(|_| 360.0 * scatter.next());
        let place =
            [-0.2 + 0.4 * (k % 2) as f64, -0.2 + 0.4 * (k / 2 % 2) as f64, 0.3 + 0.4 * (k / 4) as f64];
        weight += 9.81 * mass;
        writeln!(
            text,
            "[[body]]\nname = \"box {k:02}\"\nshape = {{ kind = \"box\", size = {size:?} }}\nmass = {mass}\nposition = \
             {place:?}\norientation = {{ euler_deg = {turn:?} }}"
        )
        .expect("text");
    }
    let document = Document::parse_with("bin", &text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    (Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}")), weight)
}

/// The upward force of everything fixed on everything else.
fn carried(simulation: &mut Simulation) -> f64 {
    let forces = simulation.contact_forces();
    let world = simulation.world();
    let mut sum = 0.0;
    for force in forces {
        let total = (force.normal_force * force.normal + force.friction).dot(DVec3::Z);
        match force.bodies.map(|body| world.body(body).is_dynamic()) {
            [true, false] => sum += total,
            [false, true] => sum -= total,
            _ => {}
        }
    }
    sum
}

/// Six boxes come to rest within 4 s: then nothing moves, and floor and walls carry their weight to 1e-9. The
/// ledger balances to 1e-10, and overlaps stay below a millionth of the size of a box.
#[test]
fn boxes_in_a_bin_come_to_rest() {
    for (restitution, seed) in [(0.0, 11), (0.2, 5)] {
        let (mut simulation, weight) = bin(6, restitution, seed);
        let mut balance = Balance::default();
        for k in 0..=40 {
            simulation.advance(0.1 * f64::from(k)).unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            balance.add(&simulation.ledger());
        }
        assert!(simulation.ledger().kinetic < 1e-20, "seed {seed}: {:?}", simulation.ledger());
        let carried = carried(&mut simulation);
        assert!((carried - weight).abs() < 1e-9 * weight, "seed {seed}: {carried} N of {weight} N");
        assert!(balance.relative() < 1e-10, "seed {seed}: {:e}", balance.relative());
        let (depth, share) = simulation.deepest_overlap();
        assert!(depth < 1e-7, "seed {seed}: {depth:e} m, {share} tolerances");
        let stepped = simulation.events().iter().filter(|event| event.kind == EventKind::TimeStep).count();
        println!("seed {seed}: {} events, {stepped} steps, overlap {depth:e} m", simulation.events().len());
    }
}

/// The same however the time is cut up.
#[test]
fn piles_do_not_hang_on_cuts() {
    let (mut whole, _) = bin(4, 0.3, 7);
    let (mut cut, _) = bin(4, 0.3, 7);
    whole.advance(0.6).unwrap_or_else(|stop| panic!("{stop}"));
    for k in 1..=60 {
        cut.advance(0.01 * f64::from(k)).unwrap_or_else(|stop| panic!("{stop}"));
        cut.contact_forces();
    }
    cut.advance(0.6_f64.max(cut.time())).unwrap_or_else(|stop| panic!("{stop}"));
    assert!(whole.time_steps() > 0, "no step over all contacts was taken");
    assert_eq!(whole.sample().hash(), cut.sample().hash());
}

/// Smooth inelastic balls fall down in columns, collapse and flow away: steps over the pile of them leave no overlap that counts
/// at any time, the books balance, and once everyone is alone there are no such steps. (CASES A21)
#[test]
fn balls_that_collapse_never_overlap_and_part() {
    for (seed, friction, most) in [(1, 0.0, 1.0), (2, 0.0, 1.0), (3, 0.1, 1e3)] {
        let mut scatter = Scatter(seed);
        let mut text = format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = {friction} }}\n[[body]]\n\
             name = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n"
        );
        for k in 0..64 {
            let place = [k % 4, k / 4 % 4, k / 16].map(|n| 0.21 * f64::from(n) + 0.002 * scatter.next());
            let [x, y, z] = place;
            writeln!(
                text,
                "[[body]]\nname = \"ball {k:02}\"\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nmass = 10\nposition = [{x}, {y}, {}]",
                z + 0.101
            )
            .expect("text");
        }
        let document = Document::parse_with("balls", &text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
        let mut simulation = Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"));
        let start = simulation.ledger();
        simulation.advance(2.5).unwrap_or_else(|stop| panic!("{stop}"));
        let (deepest, by_tolerance) = simulation.deepest_overlap();
        assert!(by_tolerance < most, "μ = {friction}: {deepest:e} m, {by_tolerance} tolerances");
        assert!(friction > 0.0 || simulation.overlap_bound() < 2.0, "{}", simulation.overlap_bound());
        let ledger = simulation.ledger();
        let off = (ledger.total() + ledger.lost() - ledger.work - start.total()) / start.potential;
        assert!(off.abs() < 1e-12, "μ = {friction}: the books are off by {off:e}");
        let steps = simulation.time_steps();
        assert!(steps > 50, "no crowd to speak of: {steps}");
        simulation.advance(3.5).unwrap_or_else(|stop| panic!("{stop}"));
        assert!(
            friction > 0.0 || simulation.time_steps() == steps,
            "those that are alone still step together"
        );
    }
}

fn build(text: &str) -> Simulation {
    let document = Document::parse_with("pile", text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
}

/// Gravity and a floor, rough and without restitution.
fn ground(gravity: f64, friction: f64) -> String {
    format!(
        "format = 1\ngravity = [0, 0, -{gravity}]\ncontact = {{ restitution = 0, friction = {friction} }}\n[[body]]\n\
         name = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n"
    )
}

fn add_box(text: &mut String, name: &str, size: [f64; 3], at: [f64; 3], more: &str) {
    writeln!(
        text,
        "[[body]]\nname = \"{name}\"\nshape = {{ kind = \"box\", size = {size:?} }}\nposition = {at:?}\n{more}"
    )
    .expect("text");
}

/// A tower of thirteen plates, 52 contacts, slides away from a box that stands behind it and touches it: more than are integrated, so
/// that it goes by steps over all of them, and the box with it while it is near. Left behind the box is held and rests, though
/// the tower slides on; and that as Coulomb says, y = v t − ½ μ g t², to the first order of its steps.
#[test]
fn a_box_beside_a_crowd_that_has_left_it_is_held() {
    let (speed, friction, gravity) = (1.0, 0.2, 9.81);
    let mut text = ground(gravity, friction);
    for k in 0..13 {
        let at = [0.0, 0.0, 0.05 + 0.1 * f64::from(k)];
        let more = format!("mass = 1.0\nvelocity = [0, {speed}, 0]");
        add_box(&mut text, &format!("plate {k:02}"), [1.0, 1.0, 0.1], at, &more);
    }
    add_box(&mut text, "box", [0.2, 0.2, 0.2], [0.0, -0.6, 0.1], "mass = 1.0");
    let mut simulation = build(&text);
    let find = |simulation: &Simulation, name| simulation.world().find_body(name).expect("a body");
    let (alone, plate) = (find(&simulation, "box"), find(&simulation, "plate 00"));
    let mut rests_at = None;
    for k in 1..=10 {
        let t = 0.04 * f64::from(k);
        simulation.advance(t).unwrap_or_else(|stop| panic!("{stop}"));
        let y = simulation.pose(plate).position.y;
        let wanted = speed * t - 0.5 * friction * gravity * t * t;
        assert!((y - wanted).abs() < 2e-3 * speed * t, "at {t}: {y} m for {wanted} m");
        assert_eq!(simulation.islands(), (2, 0), "at {t}");
        let place = simulation.pose(alone).position;
        assert_eq!(*rests_at.get_or_insert(place), place, "at {t}: what rests has moved");
    }
    assert!(simulation.time_steps() > 100, "{} steps", simulation.time_steps());
}

/// A ram drives 34 plates in a row, more contacts than collide at once, towards a wall that is farther than anyone who stands still
/// seems to come within the step: its impulses make them fast, and the wall is seen at its end, however near.
#[test]
fn a_step_over_a_crowd_sees_a_support_that_nobody_touched() {
    for gap in [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4] {
        let mut text = "format = 1\ncontact = { restitution = 0, friction = 0.3 }\n".to_owned();
        for k in 0..34 {
            let at = [0.1 * f64::from(k), 0.0, 0.0];
            add_box(&mut text, &format!("plate {k:02}"), [0.1, 0.5, 0.5], at, "mass = 1.0");
        }
        let moving = "mass = 1000.0\nvelocity = [10, 0, 0]";
        add_box(&mut text, "ram", [0.5, 0.4, 0.4], [-0.301, 0.0, 0.0], moving);
        add_box(&mut text, "wall", [0.5, 2.0, 2.0], [3.6 + gap, 0.0, 0.0], "kind = \"fixed\"");
        let mut simulation = build(&text);
        simulation.advance(1.2e-4).unwrap_or_else(|stop| panic!("{stop}"));
        assert!(simulation.time_steps() > 0, "{gap:e}: no step over all contacts was taken");
        let (depth, share) = simulation.deepest_overlap();
        assert!(share <= simulation.overlap_bound(), "{gap:e}: {depth:e} m deep, {share} tolerances");
    }
}

/// A box in drag rattles between two walls along a row of posts: it is covered for about as long as the walls let it alone, not to
/// the end of a step that would take it past dozens of posts.
#[test]
fn a_body_whose_events_are_near_is_not_searched_to_the_end_of_its_step() {
    let mut text = "format = 1\ncontact = { restitution = 1, friction = 0 }\n".to_owned();
    add_box(&mut text, "runner", [0.1, 0.1, 0.1], [0.0; 3], "mass = 1.0\nvelocity = [1, 10, 0]");
    for side in [-1.0, 1.0] {
        let at = [side * 0.1001, 0.5, 0.0];
        add_box(&mut text, &format!("wall {side}"), [0.1, 2.0, 0.3], at, "kind = \"fixed\"");
    }
    for k in 0..100 {
        let at = [0.0, 0.2 + 0.01 * f64::from(k), 0.07];
        add_box(&mut text, &format!("post {k:02}"), [0.02, 0.005, 0.02], at, "kind = \"fixed\"");
    }
    text.push_str("[[force]]\nkind = \"drag\"\nlinear = 0.1\n");
    let mut simulation = build(&text);
    simulation.advance(0.015).unwrap_or_else(|stop| panic!("{stop}"));
    let hits = simulation.events().iter().map(|event| event.group).collect::<std::collections::BTreeSet<_>>();
    let searches = simulation.detection().searches;
    println!("{searches} searches for {} hits", hits.len());
    assert!(hits.len() > 60, "{} hits", hits.len());
    assert!(searches < 5 * hits.len() as u64, "{searches} searches for {} hits", hits.len());
}

/// Fifteen bricks of 1 kg on each other that slide each its own way, at up to these speeds, m/s.
fn sliding_bricks(speed: f64) -> Simulation {
    let mut text = ground(9.81, 0.5);
    let mut scatter = Scatter(3);
    for row in 0..5 {
        for k in 0..5 - row {
            let at = [
                0.21 * f64::from(k) + 0.105 * f64::from(row),
                0.004 * scatter.next(),
                0.05 + 0.1 * f64::from(row),
            ];
            let velocity = [speed * scatter.next(), speed * scatter.next(), 0.0];
            let more = format!("mass = 1.0\nvelocity = {velocity:?}");
            add_box(&mut text, &format!("brick {row}{k}"), [0.2, 0.1, 0.1], at, &more);
        }
    }
    build(&text)
}

/// Fifteen bricks on each other, a hundred contacts, of which some slide slowly: steps over so many are solved to 1e-5 of the speeds
/// in play, but where nobody moves to speak of to the end, and the bricks come to rest.
#[test]
fn a_pile_that_hardly_moves_is_solved_to_the_end_and_rests() {
    let mut simulation = sliding_bricks(1e-4);
    simulation.advance(0.05).unwrap_or_else(|stop| panic!("{stop}"));
    let residual = simulation.solves().largest_residual;
    println!("{} steps, residual {residual:e}, {:?}", simulation.time_steps(), simulation.ledger());
    assert!(simulation.time_steps() > 0, "no step over all contacts was taken");
    assert!(residual < 1e-9, "{residual:e}");
    assert!(simulation.ledger().kinetic == 0.0, "{:?}", simulation.ledger());
}

/// Bricks that have slid by steps over all their contacts are at rest as soon as a step leaves them standing, not when they are tried
/// without such steps after many of them. The forces that hold them are within their cones, balance every brick, and say that they
/// are not the only ones.
#[test]
fn a_crowd_that_stands_is_at_rest_at_once() {
    let mut simulation = sliding_bricks(0.03);
    let bodies: Vec<_> = simulation.world().body_ids().collect();
    let mut stood = None;
    for k in 1..=1000 {
        simulation.advance(1e-4 * f64::from(k)).unwrap_or_else(|stop| panic!("{stop}"));
        let fastest = bodies.iter().map(|id| simulation.twist(*id).velocity.length()).fold(0.0_f64, f64::max);
        if fastest < 1e-10 {
            stood.get_or_insert(simulation.time_steps());
        }
        if fastest == 0.0 {
            break;
        }
    }
    let stood = stood.expect("they come to stand");
    let steps = simulation.time_steps();
    println!("{stood} steps until they stand, {steps} in all");
    assert!(stood > 5 && steps <= stood + 1, "{stood} steps until they stand, {steps} in all");
    simulation.advance(1000.0).unwrap_or_else(|stop| panic!("{stop}"));
    assert_eq!(simulation.time_steps(), steps);
    let mut resultants = vec![DVec3::new(0.0, 0.0, -9.81); bodies.len()];
    for force in simulation.contact_forces() {
        assert!(force.residual < 1e-9 && !force.is_unique && force.sticks, "{force:?}");
        assert!(force.friction.length() <= 0.5 * force.normal_force * (1.0 + 1e-9), "{force:?}");
        let total = force.normal_force * force.normal + force.friction;
        resultants[force.bodies[0].index()] += total;
        resultants[force.bodies[1].index()] -= total;
    }
    for (id, resultant) in bodies.iter().zip(&resultants) {
        let is_held = !simulation.world().body(*id).is_dynamic() || resultant.length() < 1e-8;
        assert!(is_held, "{id:?}: {resultant}");
    }
}
