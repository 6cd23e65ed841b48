//! Forces: loads are the gradients of their potentials, reactions balance, closed forms come out.

use dolmen::drive::exact::Simulation;
use dolmen::force::{
    Anchor, Attraction, Drag, Field, Force, ForceError, Gravitation, PairLaw, ShortRange, Spring, Summation,
    Window,
};
use dolmen::mass::MassProperties;
use dolmen::math::real::{cos, exp, sin, tanh};
use dolmen::math::{DMat3, DQuat, DVec3, dvec3};
use dolmen::world::{Body, BodyId, Member, Members, ParticleSet, SetId, World, WorldBuilder};
use proptest::prelude::*;

fn body(name: &str, mass: f64, x: DVec3, turned: DVec3) -> Body {
    let inertia = DMat3::from_diagonal(dvec3(0.3, 0.4, 0.5) * mass);
    let properties = MassProperties::new(mass, DVec3::ZERO, inertia).expect("sound mass properties");
    Body::dynamic(&properties).named(name).at(x, DQuat::from_scaled_axis(turned))
}

/// Two bodies and a set of three particles, each displaced by `shift` of (a, turn of a, b, particles).
fn world(shift: [DVec3; 4]) -> (World, [BodyId; 2], SetId) {
    let mut builder = WorldBuilder::new();
    let a = body("a", 2.0, dvec3(0.1, 0.4, -0.3) + shift[0], DVec3::ZERO);
    let a = a.at(
        dvec3(0.1, 0.4, -0.3) + shift[0],
        DQuat::from_scaled_axis(shift[1]) * DQuat::from_scaled_axis(dvec3(0.4, -0.2, 0.7)),
    );
    builder.body(a).expect("a sound body");
    builder
        .body(body("b", 3.0, dvec3(1.1, -0.6, 0.5) + shift[2], dvec3(0.2, 0.9, 0.1)))
        .expect("a sound body");
    let positions =
        [dvec3(0.0, 0.0, 0.0), dvec3(0.9, 0.2, 0.1), dvec3(-0.3, 0.8, 0.4)].map(|x| x + DVec3::ZERO);
    let mut positions = positions.to_vec();
    positions[0] += shift[3];
    let set = ParticleSet::new("dust", vec![1.0, 2.0, 0.5], positions, vec![DVec3::ZERO; 3]);
    builder.particles(set.expect("sound particles"));
    let world = builder.build().expect("distinct names");
    let (a, b) = (world.find_body("a").expect("a"), world.find_body("b").expect("b"));
    (world, [a, b], SetId::from_rank(0))
}

type Make = fn([BodyId; 2], SetId) -> Vec<Box<dyn Force>>;

/// Every force that has a potential, on bodies and on particles.
const CONSERVATIVE: [(&str, Make); 8] = [
    ("spring", |[a, b], _| {
        vec![Box::new(Spring {
            a: Anchor::Body { body: a, at: dvec3(0.2, 0.1, -0.3) },
            b: Anchor::Body { body: b, at: dvec3(0.0, 0.4, 0.1) },
            stiffness: 7.0,
            length: 0.6,
            damping: 0.0,
        })]
    }),
    ("spring of no length to the world", |[a, _], _| {
        let (anchor, world) =
            (Anchor::Body { body: a, at: dvec3(0.2, 0.1, -0.3) }, Anchor::World(dvec3(2.0, 1.0, 0.0)));
        vec![Box::new(Spring { a: anchor, b: world, stiffness: 7.0, length: 0.0, damping: 0.0 })]
    }),
    ("attraction", |[a, b], set| {
        let to = Anchor::Body { body: b, at: dvec3(0.1, 0.0, 0.2) };
        let attraction = |member, exponent, per_mass| -> Box<dyn Force> {
            Box::new(Attraction { member, to, strength: 1.7, exponent, softening: 0.1, per_mass })
        };
        vec![
            attraction(Member::Body(a), 2.0, true),
            attraction(Member::Body(a), 1.0, false),
            attraction(Member::Set(set), -1.0, true),
            attraction(Member::Set(set), 3.5, false),
        ]
    }),
    ("field", |[a, _], set| {
        let matrix = DMat3::from_cols(dvec3(1.0, 0.3, -0.2), dvec3(0.3, -2.0, 0.5), dvec3(-0.2, 0.5, 0.7));
        let field = |member, per_mass| -> Box<dyn Force> {
            let window = Window::always();
            Box::new(Field { member, uniform: dvec3(0.2, 0.1, -0.4), matrix, per_mass, window })
        };
        vec![field(Member::Body(a), true), field(Member::Set(set), false)]
    }),
    ("gravitation", |[a, b], set| {
        let members = vec![Member::Body(a), Member::Body(b), Member::Set(set)];
        vec![Box::new(Gravitation { members, constant: 0.8, softening: 0.05, summation: Summation::Direct })]
    }),
    ("gravitation by octree, all cells opened", |[a, b], set| {
        let members = vec![Member::Body(a), Member::Body(b), Member::Set(set)];
        let summation = Summation::Octree { opening: 0.0 };
        vec![Box::new(Gravitation { members, constant: 0.8, softening: 0.05, summation })]
    }),
    ("repulsion", |_, set| {
        let law = PairLaw::Repulsion { stiffness: 11.0 };
        vec![Box::new(ShortRange { sets: vec![set], radius: 1.2, law, damping: 0.0 })]
    }),
    ("Lennard-Jones", |_, set| {
        let law = PairLaw::LennardJones { depth: 0.7, length: 0.8 };
        vec![Box::new(ShortRange { sets: vec![set], radius: 1.1, law, damping: 0.0 })]
    }),
];

struct Measured {
    potential: f64,
    force_a: DVec3,
    torque_a: DVec3,
    force_b: DVec3,
    force_particle: DVec3,
}

fn measure(make: Make, shift: [DVec3; 4]) -> Measured {
    let (mut world, bodies, set) = world(shift);
    for force in make(bodies, set) {
        world.add_force(Boxed(force)).expect("a sound force");
    }
    let simulation = Simulation::new(world).expect("a start");
    let [a, b] = bodies;
    let (load_a, load_b) = (simulation.load(a), simulation.load(b));
    let force_particle = simulation.particle_forces(set)[0];
    let potential = simulation.ledger().potential;
    Measured {
        potential,
        force_a: load_a.force,
        torque_a: load_a.torque,
        force_b: load_b.force,
        force_particle,
    }
}

/// A boxed force is a force.
#[derive(Debug)]
struct Boxed(Box<dyn Force>);

impl Force for Boxed {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }
    fn members(&self) -> Vec<Member> {
        self.0.members()
    }
    fn apply(
        &self,
        moment: &dolmen::force::Moment,
        view: &dolmen::force::View,
        loads: &mut dolmen::force::Loads,
        workspace: &mut dolmen::force::Workspace,
    ) {
        self.0.apply(moment, view, loads, workspace);
    }
    fn potential(
        &self,
        moment: &dolmen::force::Moment,
        view: &dolmen::force::View,
        workspace: &mut dolmen::force::Workspace,
    ) -> f64 {
        self.0.potential(moment, view, workspace)
    }
    fn check(&self, members: &Members) -> Result<(), ForceError> {
        self.0.check(members)
    }
}

/// F = −∂U/∂x of a, b and a particle, and τ = −∂U/∂θ of a, by central differences.
#[test]
fn loads_are_gradients_of_potentials() {
    let h = 1e-5;
    for (name, make) in CONSERVATIVE {
        let here = measure(make, [DVec3::ZERO; 4]);
        let gradients = [here.force_a, here.torque_a, here.force_b, here.force_particle];
        for (which, expected) in gradients.iter().enumerate() {
            let mut gradient = DVec3::ZERO;
            for axis in 0..3 {
                let mut shift = [DVec3::ZERO; 4];
                shift[which] = h * DVec3::AXES[axis];
                let up = measure(make, shift).potential;
                shift[which] = -h * DVec3::AXES[axis];
                gradient[axis] = -(up - measure(make, shift).potential) / (2.0 * h);
            }
            let error = (gradient - *expected).length();
            assert!(
                error < 1e-6 * (1.0 + expected.length()),
                "{name}, {which}: {expected} against −∇U = {gradient}"
            );
        }
    }
}

/// Where only mutual forces act, P and L about the origin do not change at all.
#[test]
fn mutual_forces_keep_momentum() {
    for (name, make) in CONSERVATIVE {
        if name.contains("world") || name == "field" {
            continue;
        }
        let (mut world, bodies, set) = world([DVec3::ZERO; 4]);
        for force in make(bodies, set) {
            world.add_force(Boxed(force)).expect("a sound force");
        }
        let mut simulation = Simulation::new(world).expect("a start");
        simulation.advance(0.7).unwrap_or_else(|stop| panic!("{name}: {stop}"));
        let (p, l) = simulation.momentum();
        assert!(p.length() < 1e-11 && l.length() < 1e-11, "{name}: P = {p}, L = {l}");
    }
}

/// A fall with quadratic drag: v = v∞ tanh(gt/v∞); with linear drag: v = v∞(1 − exp(−ct/m)).
#[test]
fn falls_with_drag_have_closed_forms() {
    let (mass, g) = (2.0, 9.81);
    for (linear, quadratic) in [(0.8, 0.0), (0.0, 0.3)] {
        let mut builder = WorldBuilder::new();
        builder.body(body("a", mass, DVec3::ZERO, DVec3::ZERO)).expect("a sound body");
        builder.gravity(dvec3(0.0, 0.0, -g));
        let mut world = builder.build().expect("one name");
        let id = world.find_body("a").expect("a");
        let drag = Drag { member: Member::Body(id), linear, quadratic, angular: 0.0, wind: DVec3::ZERO };
        world.add_force(drag).expect("sound");
        let mut simulation = Simulation::new(world).expect("a start");
        simulation.advance(1.3).expect("to go on");
        let expected = if quadratic > 0.0 {
            let limit = (mass * g / quadratic).sqrt();
            limit * tanh(g * 1.3 / limit)
        } else {
            mass * g / linear * (1.0 - exp(-linear * 1.3 / mass))
        };
        let speed = -simulation.twist(id).velocity.z;
        assert!((speed - expected).abs() < 1e-11, "v = {speed}, expected {expected}");
    }
}

/// A damped spring is a damped oscillator: x = e^(−γt)(cos Ωt + γ/Ω sin Ωt).
#[test]
fn damped_spring_is_a_damped_oscillator() {
    let mut builder = WorldBuilder::new();
    builder.body(body("a", 2.0, DVec3::X, DVec3::ZERO)).expect("a sound body");
    let mut world = builder.build().expect("one name");
    let id = world.find_body("a").expect("a");
    let anchor = Anchor::Body { body: id, at: DVec3::ZERO };
    let spring =
        Spring { a: anchor, b: Anchor::World(DVec3::ZERO), stiffness: 50.0, length: 0.0, damping: 1.2 };
    world.add_force(spring).expect("sound");
    let mut simulation = Simulation::new(world).expect("a start");
    let (gamma, t) = (1.2 / 4.0, 3.7);
    let omega = (50.0_f64 / 2.0 - gamma * gamma).sqrt();
    simulation.advance(t).expect("to go on");
    let expected = exp(-gamma * t) * (cos(omega * t) + gamma / omega * sin(omega * t));
    let x = simulation.pose(id).position.x;
    assert!((x - expected).abs() < 1e-11, "x = {x}, expected {expected}");
}

/// Every parameter that is out of range is refused with its name.
#[test]
fn wrong_parameters_are_refused() {
    let (world, [a, _], set) = world([DVec3::ZERO; 4]);
    let anchor = Anchor::Body { body: a, at: DVec3::ZERO };
    let spring = |stiffness, length| Spring {
        a: anchor,
        b: Anchor::World(DVec3::ZERO),
        stiffness,
        length,
        damping: 0.0,
    };
    let message = |force: &dyn Force| force.check(world.members()).expect_err("a refusal").to_string();
    insta::assert_snapshot!(message(&spring(-1.0, 1.0)), @"spring: stiffness is -1; it must be a finite number, zero or more");
    insta::assert_snapshot!(message(&spring(1.0, f64::NAN)), @"spring: length is NaN; it must be a finite number, zero or more");
    let law = PairLaw::Repulsion { stiffness: 1.0 };
    let short = ShortRange { sets: vec![set], radius: 0.0, law, damping: 0.0 };
    insta::assert_snapshot!(message(&short), @"short-range force: its reach is 0 m over 1 sets; it must be a positive radius and a set or more");
    let stranger = Drag {
        member: Member::Body(BodyId::from_rank(9)),
        linear: 1.0,
        quadratic: 0.0,
        angular: 0.0,
        wind: DVec3::ZERO,
    };
    insta::assert_snapshot!(message(&stranger), @"drag acts on something that is not in this world; take ids from the world it is added to");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Scaling lengths, masses and times scales the motion: no hidden unit, no tolerance in metres.
    #[test]
    fn motion_scales_with_its_units(length in -9.0..6.0_f64, time in -3.0..3.0_f64, mass in -9.0..9.0_f64) {
        let power = |p: f64| dolmen::math::real::pow(2.0, (p * 3.0).round());
        let (length, time, mass) = (power(length), power(time), power(mass));
        let run = |length: f64, time: f64, mass: f64| {
            let mut builder = WorldBuilder::new();
            let inertia = DMat3::from_diagonal(dvec3(0.3, 0.4, 0.5) * (mass * length * length));
            let properties = MassProperties::new(mass, DVec3::ZERO, inertia).expect("sound");
            let body = Body::dynamic(&properties).named("a").at(length * dvec3(1.0, 0.2, 0.0), DQuat::IDENTITY);
            builder.body(body.moving(length / time * DVec3::Y, dvec3(0.1, 0.5, 0.2) / time)).expect("sound");
            let mut world = builder.build().expect("one name");
            let a = Anchor::Body { body: BodyId::from_rank(0), at: 0.3 * length * DVec3::Z };
            let stiffness = 4.0 * mass / (time * time);
            let b = Anchor::World(DVec3::ZERO);
            world.add_force(Spring { a, b, stiffness, length: 0.5 * length, damping: 0.1 * mass / time }).expect("sound");
            let mut simulation = Simulation::new(world).expect("a start");
            simulation.advance(2.0 * time).expect("to go on");
            simulation.pose(BodyId::from_rank(0)).position / length
        };
        // Powers of two scale exactly; only the choice of the first step knows seconds.
        let error = (run(length, time, mass) - run(1.0, 1.0, 1.0)).length();
        prop_assert!(error < 1e-10, "off by {error:e}");
    }
}
