//! Where Coulomb's law with rigid bodies has no answer, or several. [CASES A31; SYSTEM C10]

use dolmen::drive::exact::Simulation;
use dolmen::math::{dvec3, real};
use dolmen::record::{EventKind, Note};

use super::common::*;

/// A slender rod (half-length 1, 1 kg) on its lower end at 60° to the floor, the centre to the right of the contact, its end
/// sliding at 1 m/s to the right (s = 1) or to the left (s = −1) while the rod turns at `spin` about −y.
fn rod(friction: f64, s: f64, spin: f64) -> Simulation {
    let (sin, cos) = real::sin_cos(60.0_f64.to_radians());
    // The end keeps its height: v = s x̂ + ω × r with r from the end to the centre.
    let omega = dvec3(0.0, -spin, 0.0);
    let v = dvec3(s, 0.0, 0.0) + omega.cross(dvec3(cos, 0.0, sin));
    of_text(&on_a_floor(
        friction,
        &format!(
            "[[body]]\nname = \"rod\"\nmass = 1\ninertia = [0.3333333333333333, 0.3333333333333333, 1e-5]\ncentre_of_mass = [0, 0, 0]\n\
             centre = [{cos:?}, 0, {sin:?}]\norientation = {{ axis = [0, 1, 0], angle_deg = 30 }}\nvelocity = [{:?}, 0, {:?}]\nspin = \
             [0, {:?}, 0]\nshape = {{ kind = \"hull\", points = [[0, 0, -1], [0.01, 0.01, 1], [-0.01, 0.01, 1], [0.01, -0.01, 1], \
             [-0.01, -0.01, 1]] }}\n",
            v.x, v.z, omega.y
        ),
    ))
}

/// A31, where there is one answer: N = m g/(1 + 3 cos θ (cos θ + μ s sin θ)).
#[test]
fn a_sliding_rod_has_the_force_of_the_closed_form() {
    for (s, expected) in [(-1.0, 8.91428427298), (1.0, 4.08831927731)] {
        let mut simulation = rod(0.5, s, 0.0);
        advance(&mut simulation, 0.0);
        near(force_on(&mut simulation, "rod").z, expected, CASE, "normal force");
        assert!(of_kind(&simulation, EventKind::Indeterminate).is_empty());
    }
}

/// A31, μ = 2: no force keeps the end above the floor. An impulse stops it, within the law: the log says so, energy falls,
/// and the end neither sinks nor goes on sliding as before.
#[test]
fn painleves_rod_is_stopped_by_an_impulse() {
    let mut simulation = rod(2.0, -1.0, 0.0);
    let before = simulation.ledger().total();
    advance(&mut simulation, 0.01);
    let noted: Vec<_> = simulation.events().iter().filter(|e| e.note == Note::Painleve).collect();
    assert!(!noted.is_empty(), "{:?}", simulation.events());
    let event = noted[0];
    assert!(event.t == 0.0 && event.impulse > 0.1, "{event:?}");
    assert!(event.friction.length() <= 2.0 * event.impulse * (1.0 + 1e-9), "{event:?}");
    let ledger = simulation.ledger();
    assert!(ledger.total() < before, "{} from {before}", ledger.total());
    let (depth, share) = simulation.deepest_overlap();
    assert!(share < 1.0, "{depth:e} m");
}

/// A31, μ = 2, ω = 4: the end may stay on the floor (N = 4.77) or lift off; the log says that the law leaves it open.
#[test]
fn an_open_motion_is_said_to_be_open() {
    let mut simulation = rod(2.0, -1.0, 4.0);
    advance(&mut simulation, 1e-6);
    let open = of_kind(&simulation, EventKind::Indeterminate);
    assert!(
        !open.is_empty() && open[0].note == Note::SeveralMotions && open[0].t == 0.0,
        "{:?}",
        simulation.events()
    );
}
