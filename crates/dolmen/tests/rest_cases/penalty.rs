//! Penalty springs, and what contact forces save beside them. [SYSTEM C9]

use dolmen::record::Balance;

use super::common::*;

/// Blocks sink into springs by m g/(4 k) and rest on contact forces.
#[test]
fn blocks_sink_into_springs_and_rest_on_contacts() {
    let mut simulation = start("penalty-springs", &[]);
    let names = ["heavy on contact", "light on contact"];
    let before = names.map(|name| position(&simulation, name));
    let mut balance = Balance::default();
    for k in 0..=20 {
        advance(&mut simulation, 0.1 * f64::from(k));
        balance.add(&simulation.ledger());
    }
    assert_eq!(names.map(|name| position(&simulation, name)), before);
    for (name, mass) in [("heavy on springs", 100.0), ("light on springs", 1.0)] {
        // Swings decay as e^(−c t/(2 m)) with c of all corners: below 1e-15 after 2 s.
        let sunk = 0.5 - position(&simulation, name).z;
        near(sunk / (mass * 9.81 / 4e5), 1.0, 1e-6, name);
    }
    assert!(balance.relative() < 1e-7, "{:e}", balance.relative());
}

/// A block that falls onto springs of this stiffness and comes to rest, by this method: steps.
fn steps(method: &str, stiffness: f64) -> u64 {
    let mut simulation = of_text(&format!(
        "format = 1\ngravity = [0, 0, -9.81]\naccuracy = {{ tolerance = 1e-6 }}\nintegrator = {{ method = \"{method}\" }}\ncontact = {{ \
         enabled = false }}\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1], sides = \
         \"front\" }}\n[[body]]\nname = \"block\"\nmass = 1\nshape = {{ kind = \"box\", size = [1, 1, 1] }}\nposition = [0, 0, \
         0.51]\n[[force]]\nkind = \"penalty\"\na = \"block\"\nb = \"floor\"\nstiffness = {stiffness:?}\ndamping = {:?}\n",
        // Critically damped: (4 c)² = 4 m (4 k), with k and c of each of four corners.
        stiffness.sqrt()
    ));
    advance(&mut simulation, 2.0);
    near(position(&simulation, "block").z, 0.5, 1e-2, method);
    simulation.statistics().steps as u64
}

/// The stiffer the springs the shorter the steps of an explicit method, as 1/√k; an implicit one only pays for the impact.
#[test]
fn stiff_springs_cost_explicit_steps() {
    let (soft, stiff) = (steps("dop853", 1e4), steps("dop853", 1e8));
    assert!(stiff > 20 * soft, "explicit: {soft} → {stiff} steps");
    let implicit = steps("radau5", 1e8);
    assert!(4 * implicit < stiff, "implicit: {implicit} steps, explicit: {stiff}");
}

/// Friction of springs never sticks: a block inside its cone creeps at u₀ tan α/√(μ² − tan² α).
#[test]
fn springs_creep_where_contacts_stick() {
    let (sin, cos) = dolmen::math::real::sin_cos(20.0_f64.to_radians());
    let mut simulation = of_text(&format!(
        "format = 1\ngravity = [{:?}, 0, {:?}]\naccuracy = {{ tolerance = 1e-8 }}\nintegrator = {{ method = \"radau5\" }}\ncontact = {{ \
         enabled = false }}\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1], sides = \
         \"front\" }}\n[[body]]\nname = \"block\"\nmass = 1\nshape = {{ kind = \"box\", size = [1, 1, 0.2] }}\nposition = [0, 0, \
         0.1]\n[[force]]\nkind = \"penalty\"\na = \"block\"\nb = \"floor\"\nstiffness = 1e5\ndamping = 300\nfriction = 0.6\n",
        9.81 * sin,
        -9.81 * cos
    ));
    advance(&mut simulation, 2.0);
    let tan = sin / cos;
    near(velocity(&simulation, "block").x / 1e-3, tan / (0.36 - tan * tan).sqrt(), 1e-4, "creep, mm/s");
}
