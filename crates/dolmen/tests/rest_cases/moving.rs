//! Closed forms of what slides, rolls and parts.

use dolmen::math::{DVec3, dvec3, real};
use dolmen::record::{Balance, EventKind};

use super::common::*;

/// A ball rolling on a turntable goes round at 2/7 of its rate: r̈ = (2Ω/7) ẑ × ṙ.
#[test]
fn a_ball_on_a_turntable_goes_in_circles() {
    let mut simulation = start("ball-on-turntable", &[]);
    let rate = 4.0 / 7.0;
    for k in 1..=10 {
        let t = f64::from(k);
        advance(&mut simulation, t);
        let (sin, cos) = real::sin_cos(rate * t);
        let expected = dvec3(0.5 - 0.3 * (1.0 - cos) / rate, 0.3 * sin / rate, 0.1);
        let off = position(&simulation, "ball").distance(expected);
        assert!(off < 1e-9, "at {t} s off by {off:e}");
    }
}

/// A14: the record says that the ball slides first and then rolls.
#[test]
fn a_ball_that_slides_and_then_rolls_is_said_to() {
    let mut simulation = start("slide-then-roll", &[]);
    for (t, rolls) in [(0.4, false), (0.6, true)] {
        advance(&mut simulation, t);
        let forces = simulation.contact_forces();
        assert!(
            forces.len() == 1 && forces[0].rolls == rolls && forces[0].sticks == rolls,
            "{t} s: {forces:?}"
        );
    }
}

/// Half the weight at one edge lifts it: the wind has it after one second, and the other edge is the axis from then on.
#[test]
fn the_wind_lifts_a_brick() {
    let mut simulation = start("brick-in-the-wind", &[]);
    advance(&mut simulation, 0.5);
    near(-force_on(&mut simulation, "floor").z, 0.75 * 19.62, 1e-10, "three quarters are left");
    advance(&mut simulation, 1.2);
    let breaks = of_kind(&simulation, EventKind::Break);
    assert_eq!(breaks.len(), 2, "{breaks:?}");
    for event in &breaks {
        near(event.t, 1.0, 1e-8, "the edge lifts");
        near(event.point.x, 0.5, 1e-8, "which edge");
    }
    assert!(position(&simulation, "brick").z > 0.125 + 1e-4, "{}", position(&simulation, "brick"));
}

/// g sin α for a point mass, g (sin α − μ cos α) for a box, and nothing for one that sticks.
#[test]
fn bodies_slide_down_an_incline() {
    let mut simulation = start("on-an-incline", &[]);
    let names = ["point mass", "sliding box", "sticking box"];
    let before = names.map(|name| position(&simulation, name));
    advance(&mut simulation, 1.0);
    let cos = 0.75_f64.sqrt();
    for ((name, before), a) in names.iter().zip(before).zip([9.81 * 0.5, 9.81 * (0.5 - 0.4 * cos), 0.0]) {
        near(position(&simulation, name).distance(before), 0.5 * a, CASE, name);
    }
}

/// A smooth ball leaves a fixed one where the normal force ends: 3 cos θ = 2 cos θ₀ for a start at rest.
#[test]
fn a_contact_vanishes_where_its_force_does() {
    let mut simulation = start("contact-that-vanishes", &[]);
    advance(&mut simulation, 1.5);
    let breaks = of_kind(&simulation, EventKind::Break);
    assert_eq!(breaks.len(), 1, "{breaks:?}");
    let (_, cos) = real::sin_cos(0.1);
    near(breaks[0].normal.z.abs(), 2.0 * cos / 3.0, CASE, "cosine at the end");
}

/// Two spikes point to point: the instant is √(2h/g), they bounce up, and the run goes on.
#[test]
fn a_vertex_meets_a_vertex() {
    let mut simulation = start("vertex-on-vertex", &[]);
    advance(&mut simulation, 0.02);
    let first = of_kind(&simulation, EventKind::Collision).first().copied().expect("a collision");
    near(first.t, (2e-4 / 9.81_f64).sqrt(), CASE, "instant");
    near(first.normal.z.abs(), 1.0, 1e-9, "normal");
    near(first.separation / first.approach, -0.5, 1e-9, "restitution");
}

/// A19: with a round cone the box and the balls on it accelerate alike whatever the heading of the force.
/// a = (F − μ M g)/(m + 25·2/7), balls 2a/7.
#[test]
fn balls_roll_on_a_box_that_is_pushed() {
    let a = (150.0 - 0.4 * 35.0 * 9.81) / (10.0 + 25.0 * 2.0 / 7.0);
    for (force, along) in
        [("[0, 150, 0]", DVec3::Y), ("[75, 129.9038105676658, 0]", dvec3(0.5, 0.75_f64.sqrt(), 0.0))]
    {
        let mut simulation = start("a19-friction-cone", &[&format!("force.0.force={force}")]);
        advance(&mut simulation, 4.0);
        for (name, expected) in [("box", 4.0 * a), ("ball 00", 8.0 * a / 7.0), ("ball 24", 8.0 * a / 7.0)] {
            let off = velocity(&simulation, name).distance(expected * along);
            assert!(off < CASE * expected, "{name} {force}: {} off by {off:e}", velocity(&simulation, name));
        }
    }
}

/// Error of a block that slides on a rocking board, after 1 s in steps of `step`, against the tightest tolerance.
fn error_on_rocking_board(method: &str, step: f64) -> f64 {
    let at = |integrator: &str| {
        let mut simulation = of_text(&format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ friction = 0.1 }}\n{integrator}\n[[body]]\nname = \"board\"\n\
             kind = \"kinematic\"\nshape = {{ kind = \"box\", size = [20, 20, 1] }}\nposition = [0, 0, -0.5]\nmotion = {{ kind = \
             \"oscillate\", amplitude = [0, 0, 0.1], axis = [0, 1, 0], angle = 0.2, frequency = 0.5 }}\n[[body]]\nname = \"block\"\n\
             mass = 1\nshape = {{ kind = \"box\", size = [0.5, 0.4, 0.2] }}\nposition = [-2, 0, 0.1]\nvelocity = [4, 1, 0]\n\
             spin = [0, -0.6283185307179586, 0]\n"
        ));
        advance(&mut simulation, 1.0);
        assert_eq!(simulation.time_steps(), 0, "{integrator}");
        position(&simulation, "block")
    };
    let exact = at("accuracy = { tolerance = 1e-13 }");
    at(&format!("integrator = {{ method = \"{method}\", step = {step:?} }}")).distance(exact)
}

/// Between mode changes motion with contacts is smooth: the error on a rocking support falls with the order of the method.
#[test]
fn the_error_on_a_rocking_support_falls_with_the_order() {
    for (method, order) in [("midpoint", 2), ("kutta3", 3), ("rk4", 4)] {
        let (coarse, fine) = (error_on_rocking_board(method, 0.02), error_on_rocking_board(method, 0.01));
        let found = real::ln(coarse / fine) / real::ln(2.0);
        assert!(found > f64::from(order) - 0.4, "{method}: {coarse:e} → {fine:e}, order {found}");
    }
}

/// On a table that shakes up and down the normal force is m (g + z̈) at every instant.
#[test]
fn a_shaken_table_carries_its_load() {
    let mut simulation = of_text(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = { friction = 0.5 }\n[[body]]\nname = \"table\"\nkind = \"kinematic\"\nshape = \
         { kind = \"box\", size = [4, 4, 1] }\nposition = [0, 0, -0.5]\nmotion = { kind = \"oscillate\", amplitude = [0, 0, 0.01], \
         frequency = 2 }\n[[body]]\nname = \"block\"\nmass = 3\nshape = { kind = \"box\", size = [0.5, 0.4, 0.2] }\nposition = [0, \
         0, 0.1]\nvelocity = [0, 0, 0.12566370614359174]\n",
    );
    let omega = 2.0 * real::TAU;
    let mut balance = Balance::default();
    balance.add(&simulation.ledger());
    for k in 1..=10 {
        let t = 0.11 * f64::from(k);
        advance(&mut simulation, t);
        balance.add(&simulation.ledger());
        let (sin, _) = real::sin_cos(omega * t);
        let expected = 3.0 * (9.81 - 0.01 * omega * omega * sin);
        near(force_on(&mut simulation, "block").z, expected, 1e-9, &format!("at {t} s"));
    }
    assert!(balance.relative() < 1e-10, "{:e}", balance.relative());
}

/// In a frame that turns, friction is the centripetal force m Ω² r; beyond μ g it slides.
#[test]
fn a_block_rides_on_a_turntable() {
    let scene = |rate: f64| {
        of_text(&format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ friction = 0.5 }}\n[[body]]\nname = \"table\"\nkind = \"kinematic\"\n\
             shape = {{ kind = \"cylinder\", radius = 5, length = 1 }}\nposition = [0, 0, -0.5]\nmotion = {{ kind = \"uniform\", \
             velocity = [0, 0, 0], spin = [0, 0, {rate:?}] }}\n[[body]]\nname = \"block\"\nmass = 3\nshape = {{ kind = \"box\", size = \
             [0.5, 0.4, 0.2] }}\nposition = [2, 0, 0.1]\nvelocity = [0, {:?}, 0]\nspin = [0, 0, {rate:?}]\n",
            2.0 * rate
        ))
    };
    let mut rides = scene(1.5);
    advance(&mut rides, 4.0);
    let at = position(&rides, "block");
    near(at.truncate().length(), 2.0, 1e-9, "radius");
    let friction = force_on(&mut rides, "block") * dvec3(1.0, 1.0, 0.0);
    near(friction.length(), 3.0 * 1.5 * 1.5 * 2.0, 1e-9, "friction");
    let mut slides = scene(1.6);
    advance(&mut slides, 1.0);
    let at = position(&slides, "block");
    assert!(at.truncate().length() > 2.001, "{at}");
}
