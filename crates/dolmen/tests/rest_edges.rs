//! Bodies that slide or roll over the border of what they are on: contacts end where faces and edges do.

use dolmen::drive::exact::Simulation;
use dolmen::math::DVec3;
use dolmen::record::EventKind;
use dolmen::scene::Document;

/// Contacts leave a face within 1.5 times the contact tolerance, 1e-9 of the bodies' size: times are late by that much.
const LATE: f64 = 1e-8;

/// A table of 2 m whose upper side is z = 0, and one body on it.
fn on_table(body: &str, friction: f64) -> Simulation {
    let text = format!(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = {friction} }}\nbody = [\n\
         {{ name = \"table\", kind = \"fixed\", shape = {{ kind = \"box\", size = [2, 2, 1] }}, position = [0, 0, -0.5] }},\n\
         {{ name = \"body\", mass = 1, {body} }},\n]\n"
    );
    of_text(&text)
}

fn of_text(text: &str) -> Simulation {
    let document = Document::parse_with("text", text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    let world = document.build(std::path::Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"))
}

fn position(simulation: &Simulation, name: &str) -> DVec3 {
    simulation.pose(simulation.world().find_body(name).expect("a body of the scene")).position
}

fn near(got: f64, expected: f64, what: &str) {
    assert!((got - expected).abs() <= LATE, "{what}: {got}, not {expected}");
}

fn first(simulation: &Simulation, kind: EventKind, after: f64) -> f64 {
    let event = simulation.events().iter().find(|event| event.kind == kind && event.t > after);
    event.unwrap_or_else(|| panic!("no {kind:?} after {after}")).t
}

/// A block of 0.4 × 0.3 × 0.2 m slows by μg. Its front corners leave the table when it has come 0.3 m; it tips when the
/// point at which the table carries it, μ·0.1 m before its centre, comes to the edge: after 0.49 m.
#[test]
fn a_block_slides_over_the_edge_of_a_table_and_tips() {
    let block = "shape = { kind = \"box\", size = [0.4, 0.3, 0.2] }, position = [0.5, 0, 0.1], velocity = [1.2, 0, 0]";
    let mut simulation = on_table(block, 0.1);
    simulation.advance(1.2).unwrap_or_else(|stop| panic!("{stop}"));
    let after = |way: f64| (1.2 - (1.44 - 2.0 * 0.981 * way).sqrt()) / 0.981;
    near(first(&simulation, EventKind::Slide, 0.0), after(0.3), "the front corners leave");
    let rear = |event: &&dolmen::record::Event| {
        event.kind == EventKind::Break && event.point.x < 0.9 && event.t > 0.0
    };
    let tips = simulation.events().iter().find(rear).expect("it tips").t;
    near(tips, after(0.49), "it tips");
    let end = position(&simulation, "body");
    assert!(end.z < -0.5, "it fell to {end}");
    let (deepest, by_tolerance) = simulation.deepest_overlap();
    assert!(by_tolerance < 1.0, "overlaps by {deepest:e} m, {by_tolerance} tolerances");
}

/// Faster than √(g r) a ball leaves the edge at once and flies.
#[test]
fn a_ball_rolls_off_a_table() {
    let ball = "shape = { kind = \"sphere\", radius = 0.1 }, position = [0.5, 0, 0.1], velocity = [1.2, 0, 0], \
                spin = [0, 12, 0]";
    let mut simulation = on_table(ball, 0.5);
    simulation.advance(1.0).unwrap_or_else(|stop| panic!("{stop}"));
    let fell = 1.0 - 0.5 / 1.2;
    near(position(&simulation, "body").z, 0.1 - 0.5 * 9.81 * fell * fell, "height");
}

/// Two tables side by side, or one made of two parts, are one floor: a block crosses the gap of none without a jolt.
#[test]
fn a_block_slides_across_the_seam_of_two_tiles() {
    let block = "{ name = \"body\", mass = 1, shape = { kind = \"box\", size = [0.4, 0.3, 0.2] }, position = [0.5, 0, 0.1], \
         velocity = [2, 0, 0] },\n]\n";
    let tile = |x: f64| format!("shape = {{ kind = \"box\", size = [1, 2, 1] }}, position = [{x}, 0, -0.5]");
    let one = format!(
        "{{ name = \"floor\", kind = \"fixed\", shape = {{ kind = \"compound\", parts = [{{ {} }}, {{ {} }}] }} }},\n",
        tile(0.5),
        tile(1.5)
    );
    let two = format!(
        "{{ name = \"left\", kind = \"fixed\", {} }},\n{{ name = \"right\", kind = \"fixed\", {} }},\n",
        tile(0.5),
        tile(1.5)
    );
    for floor in [one, two] {
        let text = format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = 0, friction = 0.25 }}\nbody = [\n{floor}{block}"
        );
        let mut simulation = of_text(&text);
        simulation.advance(1.5).unwrap_or_else(|stop| panic!("{stop}"));
        let end = position(&simulation, "body");
        near(end.x, 0.5 + 4.0 / (2.0 * 0.25 * 9.81), "where it stops");
        near(end.z, 0.1, "its height");
        near(end.y, 0.0, "its side");
    }
}

/// A body whose force keeps it from flying in closed form stands beside one that touches the floor at the start.
#[test]
fn a_pushed_box_stands_beside_another() {
    let mut simulation = of_text(
        "format = 1\ngravity = [0, 0, -10]\ncontact = { restitution = 0, friction = 0.05 }\nbody = [\n\
         { name = \"floor\", kind = \"fixed\", shape = { kind = \"plane\", normal = [0, 0, 1] } },\n\
         { name = \"a\", shape = { kind = \"box\", size = [1, 1, 1] }, mass = 1, position = [0, 0, 0.5] },\n\
         { name = \"b\", shape = { kind = \"box\", size = [1, 1, 1] }, mass = 1, position = [1.5, 0, 0.5] },\n]\n\
         force = [{ kind = \"push\", body = \"a\", force = [1, 0, 0] }]\n",
    );
    simulation.advance(1.0).unwrap_or_else(|stop| panic!("{stop}"));
    near(position(&simulation, "a").x, 0.25, "pushed by 1 N, rubbed by 0.5 N");
    near(position(&simulation, "b").x, 1.5, "untouched");
}

/// A block is pulled up by F(t) = s mg (1 − (t − 1)²): more than its weight between 1 ± √(1 − 1/s), and it lifts at the first of
/// them. For s next to 1 that is short beside the steps, which see nothing of it: the floor takes whatever is left.
#[test]
fn a_block_lifts_where_its_weight_is_taken_for_a_moment() {
    use dolmen::force::Custom;
    use dolmen::world::Member;
    for share in [1.5, 1.1, 1.01, 1.001, 1.0001] {
        let text = "format = 1\ngravity = [0, 0, -10]\ncontact = { restitution = 0, friction = 0.3 }\nbody = [\n\
             { name = \"floor\", kind = \"fixed\", shape = { kind = \"plane\", normal = [0, 0, 1] } },\n\
             { name = \"body\", mass = 1, shape = { kind = \"box\", size = [1, 1, 1] }, position = [0, 0, 0.5] },\n]\n";
        let document = Document::parse_with("text", text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let mut world = document.build(std::path::Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
        let body = world.find_body("body").expect("named");
        let pull = Custom::new("pull", [Member::Body(body)], move |moment, _, loads, booked| {
            let away = moment.t - 1.0;
            loads.at_centre(body, DVec3::new(0.0, 0.0, 10.0 * share * (1.0 - away * away)), booked);
        });
        world.add_force(pull).unwrap_or_else(|error| panic!("{error}"));
        let mut simulation = Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"));
        simulation.advance(2.0).unwrap_or_else(|stop| panic!("{stop}"));
        let away = (1.0 - 1.0 / share).sqrt();
        let got = first(&simulation, EventKind::Break, 0.1);
        // Forces may pull by 1e-9 of the largest, that is of the weight at most; that of the floor falls at 2 s mg (1 − t).
        // Times are read to 1e-12 besides.
        let late = 1e-9 / (2.0 * share * away) + 1e-12;
        let lifts = 1.0 - away;
        assert!((got - lifts).abs() <= late, "s = {share}: lifts at {got}, not {lifts} within {late:e}");
    }
}

/// The tip of a body that slides down one side of a groove meets the other at the bottom, though it is the border of the face that
/// it is on which it passes there. Without friction it swings and slides on; it never sinks in, and gains nothing. (CASES A07)
#[test]
fn a_tip_slides_down_one_side_of_a_groove_and_meets_the_other() {
    for (turn, x, speed) in [(180.0, 0.0, 1.0), (178.0, 0.11, -0.4), (185.0, -0.25, 0.2)] {
        let text = format!(
            "format = 1\ngravity = [0, -9.8, 0]\ncontact = {{ restitution = 0, friction = 0 }}\nbody = [\n\
             {{ name = \"groove\", kind = \"fixed\", shape = {{ kind = \"mesh\", vertices = [[-1, -1, -2], [1, -1, -2], \
             [1, 0, -2], [0.5, 0, -2], [0, -0.5, -2], [-0.5, 0, -2], [-1, 0, -2], [-1, -1, 2], [1, -1, 2], [1, 0, 2], \
             [0.5, 0, 2], [0, -0.5, 2], [-0.5, 0, 2], [-1, 0, 2]], triangles = [[4, 6, 5], [4, 0, 6], [4, 1, 0], [4, 2, 1], \
             [4, 3, 2], [11, 12, 13], [11, 13, 7], [11, 7, 8], [11, 8, 9], [11, 9, 10], [0, 1, 8], [0, 8, 7], [1, 2, 9], \
             [1, 9, 8], [2, 3, 10], [2, 10, 9], [3, 4, 11], [3, 11, 10], [4, 5, 12], [4, 12, 11], [5, 6, 13], [5, 13, 12], \
             [6, 0, 7], [6, 7, 13]] }} }},\n\
             {{ name = \"spike\", density = 1000, shape = {{ kind = \"mesh\", vertices = [[0.5, 0, -0.5], [0.5, 0, 0.5], \
             [-0.5, 0, 0.5], [-0.5, 0, -0.5], [0, 3, 0]], triangles = [[0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0], \
             [1, 3, 0], [1, 2, 3]] }}, position = [{x}, 2.52, 0], velocity = [{speed}, 0, 0], orientation = {{ axis = [0, 0, 1], \
             angle_deg = {turn} }} }},\n]\n"
        );
        let mut simulation = of_text(&text);
        let start = simulation.ledger().total();
        for k in 1..=40 {
            simulation.advance(0.03 * f64::from(k)).unwrap_or_else(|stop| panic!("{turn}: {stop}"));
            let gained = simulation.ledger().total() - start;
            assert!(gained < 1e-6, "{turn}: {gained} J more at {} s", simulation.time());
        }
        let (deepest, by_tolerance) = simulation.deepest_overlap();
        assert!(by_tolerance < 1.0, "{turn}: overlaps by {deepest:e} m, {by_tolerance} tolerances");
        let meets = |side: f64| {
            let events = simulation.events().iter();
            events.filter(|event| event.kind == EventKind::Collision).any(|e| side * e.normal.x > 0.5)
        };
        assert!(meets(1.0) && meets(-1.0), "{turn}: it has met one side only");
    }
}
