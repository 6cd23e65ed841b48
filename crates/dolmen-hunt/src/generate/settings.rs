//! Accuracy and integrators.

use super::Scales;
use super::random::Random;
use super::text::{Table, number};

/// `[accuracy]` and `[integrator]`, mostly left out.
pub(super) fn settings(scales: &Scales, random: &mut Random) -> String {
    let mut text = String::new();
    if random.chance(0.3) {
        let mut accuracy = Table::new("[accuracy]");
        accuracy.put("tolerance", random.pick(&["1e-6", "1e-8", "1e-10", "1e-13"]));
        text += &accuracy.finish();
    }
    if random.chance(0.2) {
        text += &integrator(scales, random);
    }
    text
}

fn integrator(scales: &Scales, random: &mut Random) -> String {
    let mut table = Table::new("[integrator]");
    match random.below(4) {
        0 => {
            let method =
                random.pick(&["rk4", "midpoint", "heun", "semi-implicit-euler", "implicit-midpoint"]);
            table.text("method", method).put("step", number(0.01 * scales.time()));
        }
        1 => {
            let method = random.pick(&[
                "bogacki-shampine",
                "fehlberg45",
                "cash-karp",
                "dormand-prince",
                "adams",
                "radau5",
            ]);
            table.text("method", method);
        }
        2 => drop(table.put("largest_step", number(0.1 * scales.time()))),
        _ => {}
    }
    for (key, value) in [("compensated", "true"), ("closed_form", "false"), ("orientation", "\"matrix\"")] {
        if random.chance(0.4) {
            table.put(key, value);
        }
    }
    if table.has_entries() { table.finish() } else { String::new() }
}
