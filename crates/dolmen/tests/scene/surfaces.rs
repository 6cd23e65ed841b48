//! What a scene says of planes, materials and groups is what the world gets.

use std::path::Path;

use dolmen::contact::Law;
use dolmen::math::{DVec3, dvec3};
use dolmen::scene::Document;
use dolmen::shape::{Extent, Shape, Sides};
use dolmen::world::{Combine, ContactSettings, Material, Overlaps, World};

fn world(text: &str) -> World {
    let document = Document::parse("s.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The plane of a scene with a single body, fixed, of this shape.
fn plane(shape: &str) -> dolmen::shape::Plane {
    let world =
        world(&format!("format = 1\n[[body]]\nkind = \"fixed\"\nshape = {{ kind = \"plane\", {shape} }}\n"));
    match world.bodies()[0].shape() {
        Some(Shape::Plane(plane)) => *plane,
        other => panic!("{other:?}"),
    }
}

fn near(a: DVec3, b: DVec3) -> bool {
    a.distance(b) < 1e-14
}

/// The four ways to say z = 2, seen from above: exact, whatever the length of the normal.
#[test]
fn a_plane_is_the_same_however_it_is_written() {
    let ways = [
        "normal = [0, 0, 1], offset = 2",
        "normal = [0, 0, 1e-200], point = [5, -7, 2]",
        "coefficients = [0, 0, 1, -2]",
        "coefficients = [0, 0, 1e200, -2e200]",
    ];
    for way in ways {
        let plane = plane(way);
        assert_eq!((plane.normal(), plane.offset()), (DVec3::Z, 2.0), "{way}");
        assert_eq!((plane.extent(), plane.sides()), (Extent::Infinite, Sides::Both), "{way}");
    }
    // x + 2z = 3 at right angles to (1, 0, 2), 3/√5 from the origin.
    let slanted = plane("coefficients = [1, 0, 2, -3], sides = \"front\", extent = { kind = \"infinite\" }");
    assert!(near(slanted.normal(), dvec3(1.0, 0.0, 2.0) / 5_f64.sqrt()), "{slanted:?}");
    assert!((slanted.offset() - 3.0 / 5_f64.sqrt()).abs() < 1e-15, "{slanted:?}");
    assert_eq!(slanted.sides(), Sides::Front);
}

/// Pieces are centred on `centre`, else on `point`, else under the origin; squares lie along an axis unless told otherwise.
#[test]
fn pieces_of_planes_are_where_they_are_said_to_be() {
    let circle = |more: &str| match plane(&format!("normal = [0, 0, 3], {more}")).extent() {
        Extent::Circular { centre, radius } => (centre, radius),
        other => panic!("{other:?}"),
    };
    assert_eq!(circle("offset = 2, extent = { kind = \"circle\", radius = 4 }"), (dvec3(0.0, 0.0, 2.0), 4.0));
    assert_eq!(
        circle("point = [1, 1, 2], extent = { kind = \"circle\", radius = 4 }"),
        (dvec3(1.0, 1.0, 2.0), 4.0)
    );
    assert_eq!(
        circle("point = [1, 1, 2], extent = { kind = \"circle\", radius = 4, centre = [3, 0, 9] }"),
        (dvec3(3.0, 0.0, 2.0), 4.0)
    );
    let direction = |text: &str| match plane(text).extent() {
        Extent::Square { half_side, direction, .. } => {
            assert_eq!(half_side, 0.5);
            direction
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(direction("normal = [0, 0, 1], extent = { kind = \"square\", half_side = 0.5 }"), DVec3::X);
    assert_eq!(direction("normal = [1, 0, 0], extent = { kind = \"square\", half_side = 0.5 }"), DVec3::Y);
    let turned = direction(
        "normal = [0, 0, 1], extent = { kind = \"square\", half_side = 0.5, direction = [1, 1, 7] }",
    );
    assert!(near(turned, dvec3(1.0, 1.0, 0.0).normalize()), "{turned}");
}

/// Without a word about contact everything is as the world has it by itself.
#[test]
fn a_scene_without_contact_has_the_defaults() {
    assert_eq!(world("format = 1\n").contact(), &ContactSettings::default());
    assert_eq!(world("format = 1\n[contact]\n").contact(), &ContactSettings::default());
}

/// Every law, rule and choice of the library can be written, by the name that it has there.
#[test]
fn every_law_and_rule_can_be_named() {
    let of = |line: String| world(&format!("format = 1\n[contact]\n{line}\n")).contact().clone();
    for law in Law::ALL {
        assert_eq!(of(format!("law = \"{}\"", law.name())).law, law);
    }
    for rule in Combine::ALL {
        assert_eq!(of(format!("combine_restitution = \"{}\"", rule.name())).combine_restitution, rule);
        assert_eq!(of(format!("combine_friction = \"{}\"", rule.name())).combine_friction, rule);
    }
    assert_eq!(of("overlaps = \"report\"".to_owned()).overlaps, Overlaps::Report);
    assert_eq!(of("overlaps = \"refuse\"".to_owned()).overlaps, Overlaps::Refuse);
    assert!(!of("enabled = false".to_owned()).enabled);
}

/// A pair has what is said of it; else what follows from its two materials; and they from `[contact]`.
#[test]
fn coefficients_come_from_the_pair_then_the_materials_then_the_contact() {
    let world = world(
        "format = 1\n[contact]\nrestitution = 0.25\nfriction = 0.5\ncombine_friction = \"product\"\n\
         [[material]]\nname = \"ice\"\nfriction = 0.125\n\
         [[material]]\nname = \"rubber\"\nrestitution = 0.75\nstatic_friction = 1\nkinetic_friction = 0.5\n\
         [[material_pair]]\nmaterials = [\"rubber\", \"ice\"]\nrestitution = 0.5\n\
         [[material_pair]]\nmaterials = [\"ice\", \"ice\"]\nstatic_friction = 0.5\n\
         [[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\nmaterial = \"ice\"\n\
         [[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\nmaterial = \"rubber\"\n\
         [[body]]\nname = \"c\"\nmass = 1\ninertia = [1, 1, 1]\n",
    );
    let [a, b, c] = ["a", "b", "c"].map(|name| world.find_body(name).unwrap());
    let material = |restitution, static_friction, kinetic_friction| Material {
        restitution,
        static_friction,
        kinetic_friction,
        ..Material::SMOOTH
    };
    assert_eq!(world.surface(a, b), material(0.5, 0.125, 0.0625));
    assert_eq!(world.surface(b, a), world.surface(a, b));
    assert_eq!(world.surface(a, a), material(0.25, 0.5, 0.5));
    assert_eq!(world.surface(b, c), material(0.75, 0.5, 0.25));
    assert_eq!(world.surface(c, c), material(0.25, 0.25, 0.25));
}

/// Two bodies meet if each is in a group that the other collides with; the bodies in no group are one of their own.
#[test]
fn groups_say_which_bodies_collide() {
    let body = |name: &str, more: &str| {
        format!("[[body]]\nname = \"{name}\"\nmass = 1\ninertia = [1, 1, 1]\n{more}\n")
    };
    let text = "format = 1\n".to_owned()
        + &body("plain", "")
        + &body("floor", "groups = [\"ground\"]")
        + &body("ghost", "groups = [\"ghosts\"]\ncollides_with = [\"ground\"]")
        + &body("nothing", "collides_with = []")
        + &body("both", "groups = [\"ghosts\", \"ground\"]\ncollides_with = [\"ghosts\"]");
    let world = world(&text);
    let meets = |a: &str, b: &str| {
        let groups = |name: &str| world.body(world.find_body(name).unwrap()).groups();
        assert_eq!(groups(a).meets(groups(b)), groups(b).meets(groups(a)));
        groups(a).meets(groups(b))
    };
    assert!(meets("plain", "plain") && meets("plain", "floor") && meets("floor", "floor"));
    assert!(meets("ghost", "floor") && !meets("ghost", "plain") && !meets("ghost", "ghost"));
    assert!(!meets("nothing", "plain") && !meets("nothing", "nothing") && !meets("nothing", "floor"));
    assert!(meets("both", "ghost") && !meets("both", "floor") && meets("both", "both"));
}

/// 32 groups have a bit each; bodies without a group take one of the 32.
#[test]
fn there_is_room_for_thirty_two_groups() {
    let body = |i: usize| {
        format!(
            "[[body]]\nname = \"b{i}\"\nmass = 1\ninertia = [1, 1, 1]\ngroups = [\"g{i}\"]\ncollides_with = [\"g{i}\"]\n"
        )
    };
    let of = |count: usize| "format = 1\n".to_owned() + &(0..count).map(body).collect::<String>();
    let world = world(&of(32));
    for (i, a) in world.bodies().iter().enumerate() {
        for (j, b) in world.bodies().iter().enumerate() {
            assert_eq!(a.groups().meets(b.groups()), i == j, "{i} and {j}");
        }
    }
    assert!(Document::parse("s.toml", &of(33)).is_err());
    let plain = "[[body]]\nname = \"plain\"\nmass = 1\n";
    assert!(Document::parse("s.toml", &(of(31) + plain)).is_ok());
    assert!(Document::parse("s.toml", &(of(32) + plain)).is_err());
}
