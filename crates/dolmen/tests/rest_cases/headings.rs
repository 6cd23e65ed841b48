//! Friction knows no axes: whatever slides does so alike at every heading.

use dolmen::drive::exact::Simulation;
use dolmen::math::{DQuat, DVec3, real};

use super::common::*;

/// What headings may differ by. [issue text: 360 headings differ by less than 1e-9]
const ALIKE: f64 = 1e-9;

/// A box on a floor, all of it turned by an angle (rad) about the vertical.
fn turned(angle: f64, velocity: DVec3, spin: f64) -> Simulation {
    let turn = DQuat::from_rotation_z(angle);
    let [v, x] = [turn * velocity, turn * DVec3::X];
    of_text(&on_a_floor(
        0.4,
        &format!(
            "[[body]]\nname = \"box\"\nmass = 1\nshape = {{ kind = \"box\", size = [0.6, 0.4, 0.2] }}\nposition = [0, 0, 0.1]\n\
             velocity = [{:?}, {:?}, 0]\nspin = [0, 0, {spin:?}]\norientation = {{ axis = [0, 0, 1], angle_deg = {:?} }}\n",
            v.x,
            v.y,
            real::atan2(x.y, x.x).to_degrees()
        ),
    ))
}

/// μ m g against the velocity: v − μ g t on the way, v²/(2 μ g) in all, at each of 360 headings. The box keeps to the axes.
#[test]
fn a_box_slides_alike_at_360_headings() {
    let (speed, friction, gravity) = (2.0_f64, 0.4, 9.81);
    let (time, way) = (speed / (friction * gravity), speed * speed / (2.0 * friction * gravity));
    for degrees in 0..360 {
        let (sin, cos) = real::sin_cos(f64::from(degrees).to_radians());
        let along = DVec3::new(cos, sin, 0.0);
        let text = on_a_floor(
            friction,
            &format!(
                "[[body]]\nname = \"box\"\nmass = 1\nshape = {{ kind = \"box\", size = [2, 2, 0.2] }}\nposition = [0, 0, 0.1]\nvelocity = \
                 [{:?}, {:?}, 0]\n",
                speed * cos,
                speed * sin
            ),
        );
        let mut simulation = of_text(&text);
        advance(&mut simulation, 0.8 * time);
        let off = velocity(&simulation, "box").distance(0.2 * speed * along);
        assert!(off < ALIKE, "heading {degrees}: velocity off by {off:e}");
        advance(&mut simulation, 2.0 * time);
        let off = position(&simulation, "box").distance(way * along + 0.1 * DVec3::Z);
        assert!(off < ALIKE, "heading {degrees}: off by {off:e}");
    }
}

/// Spinning while it slides: its corners slip in four directions, and what they do together turns with the box.
#[test]
fn a_box_that_spins_and_slides_does_so_alike_at_360_headings() {
    let (velocity, spin, t) = (DVec3::new(1.0, 0.3, 0.0), 3.0, 0.1);
    let end = |degrees: u32| {
        let angle = f64::from(degrees).to_radians();
        let mut simulation = turned(angle, velocity, spin);
        advance(&mut simulation, t);
        let back = DQuat::from_rotation_z(-angle);
        let id = simulation.world().find_body("box").expect("the box");
        let twist = simulation.twist(id);
        (back * position(&simulation, "box"), back * twist.velocity, twist.spin.z)
    };
    let (x, v, w) = end(0);
    assert!(v.length() > 0.5 && w > 1.0, "it still slides and spins: {v}, {w}");
    for degrees in 1..360 {
        let (x_turned, v_turned, w_turned) = end(degrees);
        let off = x_turned.distance(x).max(v_turned.distance(v)).max((w_turned - w).abs());
        assert!(off < ALIKE, "heading {degrees}: off by {off:e}");
    }
}
