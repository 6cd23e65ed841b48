//! The builder of worlds: the order in which things are given reaches nothing, and mistakes are told.

use dolmen::force::{Anchor, Drag, Penalty, PenaltySettings, Spring};
use dolmen::joint::{Coupling, FittedJoint, Joint, JointKind, Side};
use dolmen::prelude::*;
use dolmen::world::{Handle, Material};

fn ball(x: f64) -> Body {
    let shape = Shape::sphere(0.1).expect("a radius");
    Body::solid(shape, 1000.0).expect("a density").at(dvec3(x, 0.0, 0.0), DQuat::IDENTITY)
}

fn spring(a: BodyId, b: BodyId) -> Spring {
    let at = |body| Anchor::Body { body, at: DVec3::ZERO };
    Spring { a: at(a), b: at(b), stiffness: 3.0, length: 1.0, damping: 0.1 }
}

fn dust() -> ParticleSet {
    ParticleSet::new("dust", vec![1.0], vec![DVec3::Y], vec![DVec3::ZERO]).expect("a particle")
}

/// Ids are ranks of names; what is said of handles holds for the bodies that were given for them, in whatever order that was.
#[test]
fn handles_are_the_bodies_that_they_were_given_for() {
    let build = |names: [&str; 3]| {
        let mut builder = WorldBuilder::new();
        let handles = names.map(|name| {
            let body = ball(f64::from(name.as_bytes()[0])).named(name);
            (name, builder.body(body).expect("a body"))
        });
        let of = |wanted: &str| -> Handle {
            handles.iter().find(|(name, _)| *name == wanted).expect("one of the names").1
        };
        let (a, b, c) = (of("a"), of("b"), of("c"));
        let set = builder.particles(dust());
        builder
            .coupling(Coupling::gear("gear", "pin", "shaft", 2.0))
            .joint(Joint::new("shaft", JointKind::Hinge, c, Side::World))
            .joint(Joint::new("pin", JointKind::Hinge, a, b))
            .force(move |members| spring(members.id(c), members.id(b)))
            .force(move |members| Drag {
                member: Member::Set(members.set_id(set)),
                linear: 1.0,
                quadratic: 0.0,
                angular: 0.0,
                wind: DVec3::ZERO,
            })
            .gravity(-DVec3::Z);
        (builder.build().expect("a world"), [a, b, c])
    };
    let (first, _) = build(["a", "b", "c"]);
    let told = |world: &World| {
        let ends: Vec<_> = world.joints().iter().map(FittedJoint::bodies).collect();
        format!("{ends:?} {:?} {:?}", world.forces(), world.couplings())
    };
    for names in [["c", "b", "a"], ["b", "c", "a"], ["c", "a", "b"]] {
        let (world, handles) = build(names);
        assert_eq!(told(&world), told(&first));
        for (handle, name) in handles.into_iter().zip(["a", "b", "c"]) {
            assert_eq!(world.body_name(world.id(handle)), name);
        }
    }
}

/// What cannot be is refused by name, at the latest when the world is built.
#[test]
fn mistakes_are_told() {
    let message = |make: &dyn Fn(&mut WorldBuilder)| {
        let mut builder = WorldBuilder::new();
        make(&mut builder);
        builder.build().expect_err("a mistake").to_string()
    };
    let add = |builder: &mut WorldBuilder, body: Body| builder.body(body).expect("a body");
    let twice = message(&|builder| {
        add(builder, ball(0.0).named("ball"));
        add(builder, ball(1.0).named("ball"));
    });
    insta::assert_snapshot!(twice, @r#"the name "ball" is used twice; every body and particle set needs its own"#);
    let falling = message(&|builder| {
        builder.gravity(DVec3::NAN);
    });
    insta::assert_snapshot!(falling, @"gravity is [NaN, NaN, NaN]; give three finite numbers");
    let steel = message(&|builder| {
        add(builder, ball(0.0).of_material("steel"));
        builder.material("wood", Material::SMOOTH);
    });
    insta::assert_snapshot!(steel, @r#"there is no material "steel"; describe it, or name one that is there"#);
    let stranger = message(&|builder| {
        let mut other = WorldBuilder::new();
        add(&mut other, ball(0.0));
        let second = add(&mut other, ball(1.0));
        add(builder, ball(0.0));
        builder.joint(Joint::new("pin", JointKind::Ball, second, Side::World));
    });
    insta::assert_snapshot!(stranger, @r#"joint "pin" attaches to a body that is not in this world; take ids from the world it is added to"#);
    let shapeless = message(&|builder| {
        let [a, b] = [0.0, 1.0].map(|x| add(builder, ball(x)));
        let c = add(builder, Body::fixed(Pose::IDENTITY));
        let settings = PenaltySettings { stiffness: 1e3, damping: 0.0, friction: 0.0, slip_speed: 1e-3 };
        builder
            .try_force(move |members| Penalty::new(members, members.id(a), members.id(b), settings))
            .try_force(move |members| Penalty::new(members, members.id(a), members.id(c), settings));
    });
    insta::assert_snapshot!(shapeless, @"penalty: the shape of a body is missing; it must be given: springs act where shapes overlap");
}
