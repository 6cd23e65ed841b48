//! Random mechanisms with limits, ropes, friction and motors: books, bounds and bits.

use super::common::{balance, evaluated, off};
use super::described::{Maker, body};
use dolmen::drive::exact::Simulation;
use dolmen::joint::{Axis, Control, Course, Frame, Friction, JointKind, Law, Placement};
use dolmen::math::{DQuat, DVec3, dvec3};

/// Numbers that are the same on every run. [Vigna, splitmix64]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn within(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }

    fn direction(&mut self) -> DVec3 {
        dvec3(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0)).normalize_or(DVec3::X)
    }
}

/// One thing that acts along an axis.
fn control(random: &mut Random, reach: f64) -> Control {
    match (5.0 * random.unit()) as u32 {
        0 | 1 => Control::Limit {
            lower: -random.within(0.05, reach),
            upper: random.within(0.05, reach),
            restitution: [0.0, 0.5, 1.0][(3.0 * random.unit()) as usize],
        },
        2 => Control::Friction(Friction { constant: random.within(0.1, 1.0), coefficient: 0.0, arm: 0.0 }),
        3 => Control::Friction(Friction { constant: 0.1, coefficient: 0.2, arm: random.within(0.01, 0.1) }),
        _ => Control::Velocity {
            target: Course::Constant(random.within(-2.0, 2.0)),
            largest: random.within(0.5, 5.0),
        },
    }
}

/// A tree of two to five bodies on the world; `backwards` adds the same things in the opposite order.
fn mechanism(seed: u64, backwards: bool) -> Simulation {
    let mut random = Random(seed);
    let count = 2 + (4.0 * random.unit()) as usize;
    let mut places: Vec<DVec3> = Vec::new();
    let mut bodies = Vec::new();
    let mut joints = Vec::new();
    for i in 0..count {
        let parent = (i > 0).then(|| (i as f64 * random.unit()) as usize);
        let from = parent.map_or(DVec3::ZERO, |p| places[p]);
        let at = from + 0.6 * random.direction();
        places.push(at);
        let mass = random.within(0.5, 2.0);
        let moments =
            mass * dvec3(random.within(0.02, 0.03), random.within(0.02, 0.03), random.within(0.02, 0.03));
        bodies.push((mass, moments, format!("b{i}"), at));
        let kind = match (4.0 * random.unit()) as u32 {
            0 => JointKind::Slider,
            1 => JointKind::Rope { length: Some(random.within(0.61, 0.9)), restitution: 0.5 * random.unit() },
            _ => JointKind::Hinge,
        };
        let acts = match kind {
            JointKind::Slider => Some((Axis::Z, control(&mut random, 0.3))),
            JointKind::Hinge => Some((Axis::TurnZ, control(&mut random, 1.0))),
            _ => None,
        };
        joints.push((format!("j{i}"), kind, i, parent, 0.5 * (from + at), random.direction(), acts));
    }
    let mut maker = Maker::new();
    let order =
        |n: usize| -> Vec<usize> { if backwards { (0..n).rev().collect() } else { (0..n).collect() } };
    for i in order(count) {
        let (mass, moments, name, at) = &bodies[i];
        maker.add(body(*mass, *moments, name).centred_at(*at, DQuat::IDENTITY));
    }
    for i in order(count) {
        let (name, kind, own, parent, at, axis, acts) = joints[i].clone();
        let is_rope = matches!(kind, JointKind::Rope { .. });
        let names = [Some(bodies[own].2.as_str()), parent.map(|p| bodies[p].2.as_str())];
        maker.join(&name, kind, names, at, axis);
        if is_rope {
            maker.placed(Placement::Each(Frame::at(DVec3::ZERO), Frame::at(DVec3::ZERO)));
        }
        if let Some((axis, control)) = acts {
            maker.with(axis, control);
        }
    }
    maker.simulation(dvec3(0.0, 0.0, -9.81))
}

/// The least value of any limit or rope now, m or rad: negative where it is overstepped.
fn least(simulation: &Simulation) -> f64 {
    let system = evaluated(simulation);
    let limits = system.equations().iter().filter(|e| matches!(e.law, Law::AtLeast { .. }));
    limits.map(|e| e.jet.value).fold(f64::INFINITY, f64::min)
}

/// Energy is accounted for, joints and limits hold, losses are losses: whatever the mechanism.
#[test]
fn random_mechanisms_keep_their_books_and_their_limits() {
    let mut strikes = 0;
    for seed in 0..40 {
        println!("seed {seed}");
        let mut simulation = mechanism(seed, false);
        let start = balance(&mut simulation);
        for k in 1..=10 {
            // A run of time steps without end would not be one of the failures that a test shows.
            let mut tasks = 0_u32;
            let mut watch = |_: f64| {
                tasks += 1;
                tasks < 50_000
            };
            simulation
                .advance_while(0.1 * f64::from(k), &mut watch)
                .unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            let (error, least, off) =
                (balance(&mut simulation) - start, least(&simulation), off(&simulation));
            let t = simulation.time();
            assert!(error.abs() < 1e-7, "seed {seed} at {t}: energy off by {error}");
            assert!(least > -1e-8, "seed {seed} at {t}: a limit is overstepped by {least}");
            assert!(off[0] < 1e-9, "seed {seed} at {t}: joints off by {off:?}");
        }
        let ledger = simulation.ledger();
        assert!(ledger.collisions > -1e-9 && ledger.friction > -1e-9, "seed {seed}: {ledger:?}");
        let in_play = ledger.kinetic + ledger.collisions + ledger.friction;
        assert!(ledger.closing.abs() < 1e-8 * in_play, "seed {seed}: {ledger:?}");
        strikes += simulation.collisions().1;
    }
    println!("{strikes} strikes");
    assert!(strikes > 100, "limits are reached: {strikes}");
}

/// The order in which bodies and joints are added reaches no bit of the result.
#[test]
fn random_mechanisms_have_the_same_bits_in_any_order() {
    for seed in 100..106 {
        let hash = |backwards| {
            let mut simulation = mechanism(seed, backwards);
            simulation.advance(0.5).unwrap_or_else(|stop| panic!("seed {seed}: {stop}"));
            simulation.sample().hash()
        };
        assert_eq!(hash(false), hash(true), "seed {seed}");
    }
}
