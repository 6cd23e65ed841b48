//! A07: contact features that coincide. [CASES A07, after Erleben]

use dolmen::drive::exact::Simulation;
use dolmen::record::EventKind;

use super::common::*;

const SPIKE: &str = "points = [[-0.5, 0, -0.5], [0.5, 0, -0.5], [0.5, 0, 0.5], [-0.5, 0, 0.5], [0, 3, 0]]";
const WEDGE: &str =
    "points = [[-0.5, 0, -1], [0.5, 0, -1], [0.5, 0, 1], [-0.5, 0, 1], [0, 3, -1], [0, 3, 1]]";
const CLIFF: &str = "points = [[-0.75, -0.5, -0.75], [0.75, -0.5, -0.75], [0.75, -0.5, 0.75], [-0.75, -0.5, 0.75], [-0.5, 0.5, -0.5], \
                     [0.5, 0.5, -0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]]";
const CUBE: &str = "points = [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [0.5, -0.5, 0.5], [-0.5, -0.5, 0.5], [-0.5, 0.5, -0.5], [0.5, \
                    0.5, -0.5], [0.5, 0.5, 0.5], [-0.5, 0.5, 0.5]]";

/// A body over a fixed one, without friction and restitution; `more` places the upper one.
fn over(upper: &str, lower: &str, lower_at: f64, gravity: f64, more: &str) -> Simulation {
    of_text(&format!(
        "format = 1\ngravity = [0, {gravity:?}, 0]\n[[body]]\nname = \"lower\"\nkind = \"fixed\"\nshape = {{ kind = \"hull\", {lower} }}\n\
         position = [0, {lower_at:?}, 0]\n[[body]]\nname = \"upper\"\ndensity = 1000\nshape = {{ kind = \"hull\", {upper} }}\n{more}\n"
    ))
}

const UPSIDE_DOWN: &str = "position = [0, 3.0001, 0]\norientation = { axis = [0, 0, 1], angle_deg = 180 }";

/// Face on face with the same outline: t = √(2·0.05/g), and then rest without drift.
#[test]
fn a_cube_comes_to_rest_on_a_face_of_its_size() {
    let mut simulation = over(CUBE, CLIFF, -1.0, -9.8, "position = [0, 0.05, 0]");
    advance(&mut simulation, 1.0);
    near(of_kind(&simulation, EventKind::Collision)[0].t, 0.101015254455, CASE, "instant");
    let moved = moved_until(&mut simulation, 100.0);
    assert_eq!(moved, 0.0, "it drifts");
    let at = position(&simulation, "upper");
    assert!(at.x.abs() < 1e-9 && at.z.abs() < 1e-9 && at.y.abs() < 1e-9, "{at}");
    near(force_on(&mut simulation, "upper").y, 9800.0, 1e-10, "weight");
}

/// Vertex on vertex, ridge on parallel ridge, vertex on ridge: all at √(2·10⁻⁴/g); what follows neither stops nor overlaps.
#[test]
fn points_and_ridges_meet_at_their_instant() {
    for (what, upper, lower) in
        [("spikes", SPIKE, SPIKE), ("wedges", WEDGE, WEDGE), ("spike and wedge", SPIKE, WEDGE)]
    {
        let mut simulation = over(upper, lower, -3.0, -9.8, UPSIDE_DOWN);
        advance(&mut simulation, 0.05);
        let first = of_kind(&simulation, EventKind::Collision)[0];
        near(first.t, 0.00451753951453, CASE, what);
        let (depth, share) = simulation.deepest_overlap();
        assert!(share < 1.0, "{what}: {depth:e} m");
    }
}

/// Sliding a tenth of a millimetre over a face touches nothing, and goes exactly as far as it should.
#[test]
fn what_slides_over_a_face_does_not_touch_it() {
    let table = "points = [[-20, -1, -20], [20, -1, -20], [20, -1, 20], [-20, -1, 20], [-20, 0, -20], [20, 0, -20], [20, 0, 20], [-20, \
                 0, 20]]";
    for (what, shape) in [("spike", SPIKE), ("wedge", WEDGE)] {
        let more = "position = [0, 3.0001, 0]\norientation = { axis = [0, 0, 1], angle_deg = 180 }\nvelocity = [10, 0, 0]";
        let mut simulation = over(shape, table, 0.0, 0.0, more);
        let before = position(&simulation, "upper");
        advance(&mut simulation, 1.0);
        assert!(simulation.events().is_empty(), "{what}: {:?}", simulation.events());
        assert_eq!((position(&simulation, "upper") - before).x, 10.0, "{what}");
    }
}
