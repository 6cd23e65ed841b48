//! Random piles of boxes, spheres and capsules dropped on a floor, of masses up to a thousand apart: do they keep the laws?

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use dolmen::drive::exact::Reason;
use dolmen::scene::Document;

use super::{Cloud, Measured, Measurement};
use crate::expression::{Value, Variables};
use crate::numbers::Numbers;
use crate::run::SceneRun;

/// Needs no data.
pub(super) const MEASUREMENT: Measurement = Measurement {
    name: "random-scenes",
    words: &[
        ("scenes", ""),
        ("stopped", ""),
        ("given_up", ""),
        ("ledger_error", ""),
        ("penetration", ""),
        ("collisions", ""),
    ],
    measure,
};

const SCENES: u64 = 40;
const BODIES: u64 = 4;
/// Simulated time of each, s.
const END: f64 = 2.0;
/// Steps after which one is given up: piles that slide and tumble on each other can cost minutes for a second.
const MOST_STEPS: u64 = 20_000;
const LOOKS: u32 = 30;

/// SplitMix64: the same numbers on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }
}

fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let restitution = [0.0, 0.3, 0.7][(random.next() % 3) as usize];
    let friction = random.between(0.0, 0.8);
    let mut text = format!(
        "format = 1\ngravity = [0, 0, -9.81]\ncontact = {{ restitution = {restitution}, friction = {friction:?} }}\n[[body]]\nname = \
         \"floor\"\nkind = \"fixed\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n"
    );
    for i in 0..BODIES {
        let size = random.between(0.1, 0.4);
        let shape = match random.next() % 3 {
            0 => format!("kind = \"sphere\", radius = {:?}", 0.5 * size),
            1 => {
                let [b, c] = [random.between(0.1, 0.4), random.between(0.1, 0.4)];
                format!("kind = \"box\", size = [{size:?}, {b:?}, {c:?}]")
            }
            _ => format!("kind = \"capsule\", radius = {:?}, length = {:?}", 0.25 * size, size),
        };
        // One to a thousand, evenly in the exponent.
        let mass = dolmen::math::real::exp(random.between(0.0, 6.9));
        let (x, y) = (random.between(-0.3, 0.3), random.between(-0.3, 0.3));
        let [a, b, c] = [0; 3].map(|_| random.between(-180.0, 180.0));
        let z = 0.8 + 0.8 * i as f64;
        let _ = write!(
            text,
            "[[body]]\nname = \"body {i}\"\nshape = {{ {shape} }}\nmass = {mass:?}\nposition = [{x:?}, {y:?}, {z:?}]\norientation = \
             {{ euler_deg = [{a:?}, {b:?}, {c:?}] }}\n"
        );
    }
    text
}

fn measure(_: &Path) -> Result<Measured, String> {
    let (mut stopped, mut given_up, mut collisions) = (0, 0, 0);
    let (mut ledger, mut depth) = (0.0_f64, 0.0_f64);
    let mut reached = Vec::new();
    for seed in 0..SCENES {
        let document = Document::parse("random.toml", &text(seed)).map_err(|errors| errors.to_string())?;
        let world = document.build(Path::new(".")).map_err(|errors| errors.to_string())?;
        let mut run = SceneRun::start(world, Variables::default()).map_err(|stop| stop.to_string())?;
        run.most_steps = MOST_STEPS;
        for i in 1..=LOOKS {
            run.advance(END * f64::from(i) / f64::from(LOOKS));
            run.look();
        }
        let interrupted = run.stop.as_ref().is_some_and(|stop| stop.reason == Reason::Interrupted);
        reached.push((seed as f64, run.simulation.time()));
        stopped += u32::from(run.stop.is_some() && !interrupted);
        given_up += u32::from(interrupted);
        ledger = ledger.max(run.balance.relative());
        depth = depth.max(run.simulation.deepest_overlap().1);
        collisions += run.simulation.collisions().1;
    }
    let numbers = Numbers(BTreeMap::from([
        ("scenes", Value::Number(SCENES as f64)),
        ("stopped", Value::Number(f64::from(stopped))),
        ("given_up", Value::Number(f64::from(given_up))),
        ("ledger_error", Value::Number(ledger)),
        ("penetration", Value::Number(depth)),
        ("collisions", Value::Number(collisions as f64)),
    ]));
    let groups = vec![("crowds".to_owned(), reached)];
    let cloud = Cloud { axes: ["number of the crowd", "time that it came to, s"], is_log: false, groups };
    Ok(Measured { numbers, cloud })
}
