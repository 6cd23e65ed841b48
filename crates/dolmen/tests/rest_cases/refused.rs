//! Input that contradicts itself, or comes close: a clear stop or the right answer, never a panic.

use std::fmt::Write;

use dolmen::drive::exact::{Reason, Simulation};
use dolmen::scene::Document;
use dolmen::world::{ContactSettings, Material};

use super::common::*;

const BOX: &str = "[[body]]\nname = \"box\"\nmass = 2\nshape = { kind = \"box\", size = [1, 1, 1] }\nposition = [0, 0, 0.5]\n";

fn wall(name: &str, x: f64, velocity: f64) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nkind = \"kinematic\"\nshape = {{ kind = \"box\", size = [1, 4, 4] }}\nposition = [{x:?}, 0, 2.5]\n\
         velocity = [{velocity:?}, 0, 0]\n"
    )
}

/// Walls that close in on a body without end: nothing keeps them apart, and the stop names the bodies, the time and the force.
#[test]
fn a_squeezed_body_stops_the_run() {
    let text = on_a_floor(0.3, &format!("{BOX}{}{}", wall("left", -1.5, 0.5), wall("right", 1.5, -0.5)));
    let mut simulation = of_text(&text);
    let stop = simulation.advance(3.0).expect_err("they meet after one second at the latest");
    assert!(stop.t <= 1.0 + 1e-6, "{stop}");
    assert!(matches!(stop.reason, Reason::Jammed { .. }), "{stop}");
    let text = stop.to_string();
    assert!(text.contains("box") && text.contains(" N"), "{text}");
}

/// Redundant supports: a plank on five blocks has many sets of forces; the least ones sum to its weight, and are marked.
#[test]
fn redundant_supports_share_a_load() {
    let mut bodies = String::new();
    for i in 0..5 {
        let _ = write!(
            bodies,
            "[[body]]\nname = \"block {i}\"\nkind = \"fixed\"\nshape = {{ kind = \"box\", size = [0.2, 1, 1] }}\nposition = [{}, 0, \
             0.5]\n",
            i - 2
        );
    }
    bodies += "[[body]]\nname = \"plank\"\nmass = 10\nshape = { kind = \"box\", size = [5, 0.5, 0.1] }\nposition = [0.3, 0, 1.05]\n";
    let mut simulation = of_text(&on_a_floor(0.5, &bodies));
    let moved = moved_until(&mut simulation, 10.0);
    assert!(moved <= 1e-9, "moved by {moved:e}");
    near(force_on(&mut simulation, "plank").z, 98.1, 1e-10, "weight");
    assert!(simulation.contact_forces().iter().all(|f| !f.is_unique && f.normal_force > 0.0));
}

/// Without any friction things slide and nothing else: a cube on a wedge-shaped heap of cubes balances its ledger.
#[test]
fn no_friction_is_no_trouble() {
    let mut simulation = of_text(&on_a_floor(
        0.0,
        "[[body]]\nname = \"low\"\nmass = 1\nshape = { kind = \"box\", size = [1, 1, 1] }\nposition = [0, 0, 0.5]\nvelocity = [1, 0.3, 0]\n\
         [[body]]\nname = \"high\"\nmass = 1\nshape = { kind = \"box\", size = [1, 1, 1] }\nposition = [0.1, 0.1, 1.5]\n",
    ));
    advance(&mut simulation, 0.2);
    near(velocity(&simulation, "low").x, 1.0, 1e-12, "it slides on");
    near(velocity(&simulation, "high").length(), 0.0, 1e-12, "nothing takes it along");
}

/// Infinite friction: a flat box on a slope of 60° stays, with friction m g sin α.
#[test]
fn infinite_friction_holds_anything() {
    let (sin, cos) = dolmen::math::real::sin_cos(60.0_f64.to_radians());
    let text = format!(
        "format = 1\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"slope\"\nkind = \"fixed\"\nshape = {{ kind \
         = \"plane\", normal = [{:?}, 0, {cos:?}], sides = \"front\" }}\n[[body]]\nname = \"box\"\nmass = 2\nshape = {{ kind = \"box\", \
         size = [2, 1, 0.5] }}\nposition = [{:?}, 0, {:?}]\norientation = {{ axis = [0, 1, 0], angle_deg = -60 }}\n",
        -sin,
        -0.25 * sin,
        0.25 * cos
    );
    let document = Document::parse("text", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let mut world = document.build(&folder()).unwrap_or_else(|errors| panic!("{errors}"));
    let rough =
        Material { static_friction: f64::INFINITY, kinetic_friction: f64::INFINITY, ..Material::SMOOTH };
    world
        .set_contact(ContactSettings { default_material: rough, ..ContactSettings::default() })
        .expect("allowed");
    let mut simulation = Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"));
    let moved = moved_until(&mut simulation, 10.0);
    assert!(moved <= 1e-9, "moved by {moved:e}");
    near(force_on(&mut simulation, "box").z, 2.0 * 9.81, 1e-9, "weight");
}

/// Coefficients that cannot be are refused by name, value and range.
#[test]
fn impossible_coefficients_are_refused() {
    for (given, said) in [
        ("friction = -0.1", "-0.1"),
        ("friction = nan", "friction"),
        ("static_friction = 0.1, kinetic_friction = 0.2", "0.2"),
        ("restitution = 1.5", "1.5"),
        ("restitution = nan", "restitution"),
    ] {
        let error =
            try_text(&format!("format = 1\ncontact = {{ {given} }}\n{BOX}")).err().unwrap_or_default();
        assert!(error.contains(said), "{given}: {error:?}");
    }
}

/// Supports that contradict each other (one plate rises through where another blocks a body) are a jam, not an overlap.
#[test]
fn contradictory_supports_stop_the_run() {
    let text = "format = 1\ngravity = [0, 0, -9.81]\ncontact = { friction = 0.2 }\n[[body]]\nname = \"ceiling\"\nkind = \"fixed\"\nshape \
                = { kind = \"plane\", normal = [0, 0, -1], offset = -1, sides = \"front\" }\n[[body]]\nname = \"lift\"\nkind = \
                \"kinematic\"\nshape = { kind = \"box\", size = [4, 4, 1] }\nposition = [0, 0, -0.6]\nmotion = { kind = \"uniform\", \
                velocity = [0, 0, 0.1], spin = [0, 0, 0] }\n[[body]]\nname = \"box\"\nmass = 2\nshape = { kind = \"box\", size = [1, 1, 1] \
                }\nposition = [0, 0, 0.4]\nvelocity = [0, 0, 0.1]\n";
    let mut simulation = of_text(text);
    let stop = simulation.advance(3.0).expect_err("the box meets the ceiling after one second");
    near(stop.t, 1.0, 1e-6, "when");
    assert!(matches!(stop.reason, Reason::Jammed { .. }), "{stop}");
}

/// A scene has finite numbers only: `inf` is refused in its place, and a friction of 1e12 keeps a body at rest on a slope of 60°.
#[test]
fn a_scene_has_friction_as_large_as_it_likes() {
    let (sin, cos) = dolmen::math::real::sin_cos(60.0_f64.to_radians());
    let scene = |friction: &str| {
        format!(
            "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ friction = {friction} }}\n[[body]]\nname = \"slope\"\nkind = \"fixed\"\n\
             shape = {{ kind = \"plane\", normal = [{:?}, 0, {cos:?}], sides = \"front\" }}\n[[body]]\nname = \"box\"\nmass = 2\nshape = \
             {{ kind = \"box\", size = [2, 1, 0.5] }}\nposition = [{:?}, 0, {:?}]\norientation = {{ axis = [0, 1, 0], angle_deg = -60 }}\n",
            -sin,
            -0.25 * sin,
            0.25 * cos
        )
    };
    let error = try_text(&scene("inf")).err().unwrap_or_default();
    assert!(error.contains("friction") && error.contains("finite"), "{error:?}");
    let mut simulation = of_text(&scene("1e12"));
    let moved = moved_until(&mut simulation, 10.0);
    assert!(moved <= 1e-9, "moved by {moved:e}");
    near(force_on(&mut simulation, "box").z, 2.0 * 9.81, 1e-9, "weight");
}
