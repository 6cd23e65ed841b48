//! What must hold in every scene, whatever its numbers.

use std::path::Path;

use dolmen::joint::Side;
use dolmen::math::DVec3;
use dolmen::record::Event;
use dolmen::scene::{Document, Scene};
use dolmen::world::{Body, World};

use crate::case::Laws;
use crate::expression::Variables;
use crate::row::{Row, Shown};
use crate::run::{self, SceneRun, StartError};

/// Names of the laws, for `known = { … }`.
pub(crate) const NAMES: &[&str] =
    &["finish", "energy", "momentum", "penetration", "residual", "drift", "repeat", "cuts", "order"];

/// Samples of a run, evenly spaced.
const SAMPLES: u32 = 40;

/// Another cut of time, into pieces that are not even.
const OTHER_CUTS: u32 = 17;

/// The ledger may be off by this many relative tolerances of the energy in play.
const LEDGER: f64 = 100.0;

/// Units in the last place of the energies that their sums may be off by.
const ROUNDING: f64 = 4.0;

/// Momentum and angular momentum of what is left alone, by one and what they were: sums over bodies and collisions, each
/// rounded; the second with arms that are rounded as well.
const MOMENTUM: [f64; 2] = [1e-12, 1e-11];

/// Accelerations of contacts against what they ask, relative to those that loads alone would give.
const RESIDUAL: f64 = 1e-9;

/// Joints, by the longest arm.
const DRIFT: f64 = 1e-9;

/// Checks all laws on a scene: a row for each that applies.
pub(crate) fn check(case: &str, name: &str, text: &str, folder: &Path, laws: &Laws) -> Vec<Row> {
    match Checked::new(case, name, text, folder, laws) {
        Ok(checked) => checked.rows(),
        Err(error) => {
            let known = laws.known.get("finish").map(String::as_str);
            vec![Row::without(
                case,
                "law: finish".to_owned(),
                Shown::Text("starts".to_owned()),
                error.to_string(),
                known,
            )]
        }
    }
}

struct Checked<'a> {
    case: &'a str,
    laws: &'a Laws,
    document: Document,
    folder: &'a Path,
    end: f64,
    run: SceneRun,
}

/// All that two runs must have in common, bit for bit.
#[derive(Debug, PartialEq)]
struct Trace {
    hash: String,
    events: Vec<[u64; 12]>,
}

impl<'a> Checked<'a> {
    fn new(
        case: &'a str,
        name: &str,
        text: &str,
        folder: &'a Path,
        laws: &'a Laws,
    ) -> Result<Self, StartError> {
        let document = run::document(name, text, folder, &[])?;
        let duration = run::duration(&document);
        let end = laws.until.map_or(duration, |until| until.min(duration));
        let run = SceneRun::start(run::world(&document, folder)?, Variables::default())?;
        Ok(Self { case, laws, document, folder, end, run })
    }

    fn rows(mut self) -> Vec<Row> {
        let mut rows = Vec::new();
        let world = self.run.simulation.world();
        let alone = is_alone(world);
        let has_joints = !world.joints().is_empty();
        let touches = dolmen::record::can_touch(world);
        let tolerance = world.settings().integrator.relative;
        let start = self.run.simulation.momentum();
        let (mut drift, mut shift) = (0.0_f64, [0.0_f64; 2]);
        for i in 1..=SAMPLES {
            self.run.advance(self.end * f64::from(i) / f64::from(SAMPLES));
            self.run.look();
            self.run.look_at_forces();
            drift = worse(drift, self.run.joint_error());
            let (p, l) = self.run.simulation.momentum();
            shift = [worse(shift[0], off(p, start.0)), worse(shift[1], off(l, start.1))];
        }
        let reached = self.run.simulation.time();
        let finish = match self.run.given_up() {
            None => {
                let texts = [self.end, reached].map(|t| Shown::Text(format!("t = {t}")));
                let [expected, got] = texts;
                let left = self.end - reached;
                Row::compared(
                    self.case,
                    "law: finish".to_owned(),
                    (expected, got),
                    (left, 0.0),
                    self.known("finish"),
                )
            }
            Some(why) => {
                let known = self.known("finish");
                let expected = Shown::Text(format!("t = {}", self.end));
                Row::without(self.case, "law: finish".to_owned(), expected, why, known)
            }
        };
        rows.push(finish);
        rows.push(self.bound("energy", self.imbalance(), LEDGER * tolerance));
        if alone {
            rows.push(self.bound("momentum", shift[0], MOMENTUM[0]));
            let angular = self.bound("momentum", shift[1], MOMENTUM[1]);
            rows.push(Row { quantity: "law: angular momentum".to_owned(), ..angular });
        }
        if touches {
            let most = self.run.simulation.overlap_bound();
            rows.push(self.bound("penetration", self.run.simulation.deepest_overlap().1, most));
            rows.push(self.bound("residual", self.run.tally.largest_residual, RESIDUAL));
        }
        if has_joints {
            rows.push(self.bound("drift", drift, DRIFT));
        }
        self.bits(&mut rows);
        rows
    }

    /// The imbalance of the ledger by the energy in play, beyond the rounding of the energies themselves: where nothing moves
    /// no energy is in play.
    fn imbalance(&self) -> f64 {
        let simulation = self.run.simulation.clone();
        let ledger = simulation.ledger();
        let world = simulation.world();
        // The potential is a sum of terms that may be larger than itself.
        let weight =
            |id| world.body(id).inertia().mass * world.gravity().dot(simulation.pose(id).position).abs();
        let terms: f64 = world.body_ids().filter(|id| world.body(*id).is_dynamic()).map(weight).sum();
        let rounding = ROUNDING * f64::EPSILON * (ledger.kinetic.abs() + ledger.potential.abs() + terms);
        let balance = &self.run.balance;
        let beyond = balance.largest_error - rounding;
        if beyond <= 0.0 { 0.0 } else { beyond / balance.turnover }
    }

    /// Again, with another cut of time, and with the bodies in another order.
    fn bits(&self, rows: &mut Vec<Row>) {
        let even: Vec<f64> = (1..=SAMPLES).map(|i| f64::from(i) / f64::from(SAMPLES)).collect();
        // Squares, so that no cut but the last falls on one of the even ones.
        let uneven =
            (1..=OTHER_CUTS).map(|i| f64::from(i * i) / f64::from(OTHER_CUTS * OTHER_CUTS)).collect();
        let reference = trace(&self.run);
        let shuffled = shuffled(self.document.scene());
        let others: [(&str, Option<&Scene>, Vec<f64>); 3] =
            [("repeat", None, even), ("cuts", None, uneven), ("order", Some(&shuffled), vec![1.0])];
        for (law, scene, cuts) in others {
            let again = match scene {
                None => self.again(&self.document, &cuts),
                Some(scene) => Document::parse("shuffled.toml", &scene.to_toml())
                    .map_err(StartError::from)
                    .and_then(|document| self.again(&document, &cuts)),
            };
            let known = self.known(law);
            let expected = Shown::Text("the same bits".to_owned());
            rows.push(match again {
                Err(error) => {
                    Row::without(self.case, format!("law: {law}"), expected, error.to_string(), known)
                }
                Ok(again) => {
                    let differ = first_difference(&reference, &again);
                    let got = differ.clone().unwrap_or_else(|| "the same bits".to_owned());
                    let error = f64::from(u8::from(differ.is_some()));
                    Row::compared(
                        self.case,
                        format!("law: {law}"),
                        (expected, Shown::Text(got)),
                        (error, 0.0),
                        known,
                    )
                }
            });
        }
    }

    fn again(&self, document: &Document, cuts: &[f64]) -> Result<Trace, StartError> {
        let mut run = SceneRun::start(run::world(document, self.folder)?, Variables::default())?;
        for cut in cuts {
            run.advance(self.end * cut);
        }
        Ok(trace(&run))
    }

    fn known(&self, law: &str) -> Option<&'a str> {
        self.laws.known.get(law).map(String::as_str)
    }

    fn bound(&self, law: &str, got: f64, most: f64) -> Row {
        let expected = Shown::Text(format!("≤ {most:e}"));
        let error = if got <= most { 0.0 } else { got - most };
        let mut row = Row::compared(
            self.case,
            format!("law: {law}"),
            (expected, Shown::Number(got)),
            (error, 0.0),
            self.known(law),
        );
        (row.error, row.tolerance) = (Some(got), Some(most));
        row
    }
}

/// The larger of two; a number that is not finite stays.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { b } else { a.max(b) }
}

fn off(now: DVec3, start: DVec3) -> f64 {
    (now - start).length() / (1.0 + start.length())
}

/// Whether nothing acts from outside: no gravity, nothing fixed or kinematic, no joint to the world, no force but attraction.
fn is_alone(world: &World) -> bool {
    let to_world = |side: &Side| matches!(side, Side::World);
    world.gravity() == DVec3::ZERO
        && world.forces().iter().all(|force| force.kind() == "gravitation")
        && world.bodies().iter().all(Body::is_dynamic)
        && world.joints().iter().all(|joint| !joint.joint().sides().iter().any(to_world))
}

/// The bodies from the middle, backwards: another order for every scene of three or more.
fn shuffled(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    let half = scene.body.len() / 2;
    scene.body.rotate_left(half);
    scene.body.reverse();
    scene
}

fn trace(run: &SceneRun) -> Trace {
    let simulation = run.simulation.clone();
    Trace { hash: simulation.sample().hash(), events: simulation.events().iter().map(bits).collect() }
}

fn bits(event: &Event) -> [u64; 12] {
    let kind = event.kind as u64;
    let [a, b] = event.bodies.map(|body| body.index() as u64);
    let numbers = [event.t, event.approach, event.separation, event.impulse, event.lost];
    let [t, approach, separation, impulse, lost] = numbers.map(f64::to_bits);
    let [x, y, z] = event.point.to_array().map(f64::to_bits);
    let friction = event.friction.to_array().map(f64::to_bits);
    let friction = friction[0] ^ friction[1].rotate_left(21) ^ friction[2].rotate_left(42);
    [t, kind, a, b, approach, separation, impulse, lost, x, y, z, friction]
}

/// In words, where two runs part.
fn first_difference(one: &Trace, other: &Trace) -> Option<String> {
    if one == other {
        return None;
    }
    let pairs = one.events.iter().zip(&other.events);
    Some(match pairs.into_iter().position(|(a, b)| a != b) {
        Some(place) => {
            let t = f64::from_bits(one.events[place][0]);
            format!("event {} at t = {t} differs", place + 1)
        }
        None if one.events.len() != other.events.len() => {
            format!("{} events against {}", one.events.len(), other.events.len())
        }
        None => "the state at the end differs".to_owned(),
    })
}
