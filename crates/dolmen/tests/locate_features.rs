//! Which features meet at the first instant of contact, and what a search that begins next to a contact takes.

#[path = "narrow_phase/meshes.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod meshes;

use dolmen::locate::{Backstep, Bodies, Meeting, Pair, Shapes, contact_by_backstep, first_contact};
use dolmen::math::real::PI;
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Motion, Prescribed};
use dolmen::narrow_phase::{
    ContactId, ContactKind, Feature, Geometry, Manifold, Placed, Statistics, Witness, contacts, separate,
};
use dolmen::shape::{Hull, Part, Plane, Shape};
use meshes::{box_mesh, ell};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

struct Random(Pcg64Mcg);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    /// A vector of a given length, any direction.
    fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    fn hull(&mut self, count: usize) -> Shape {
        let points: Vec<DVec3> = (0..count).map(|_| self.direction() * self.between(0.5, 1.0)).collect();
        Hull::new(&points).map_or_else(|_| self.hull(count), Shape::from)
    }
}

fn moving(position: DVec3, turned: DVec3, velocity: DVec3, spin: DVec3) -> Prescribed {
    let start = Pose { position, orientation: DQuat::from_scaled_axis(turned) };
    Prescribed::Uniform { start, twist: Twist { velocity, spin } }
}

/// All contacts of two shapes at their poses, found without any knowledge of before, and their separations.
fn contacts_at(a: (&Shape, Pose), b: (&Shape, Pose)) -> Vec<(ContactId, f64)> {
    let (x, y) = (Geometry::new(a.0), Geometry::new(b.0));
    let (a, b) = (Placed { geometry: &x, pose: a.1 }, Placed { geometry: &y, pose: b.1 });
    let mut manifold = Manifold::default();
    contacts(&a, &b, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).expect("supported");
    manifold.contacts().iter().map(|c| (c.id, c.separation)).collect()
}

fn round(kind: usize) -> Shape {
    match kind {
        0 => Shape::Capsule { radius: 0.2, half_length: 0.6 },
        1 => Shape::Cylinder { radius: 0.6, half_length: 0.3 },
        2 => Shape::Cone { radius: 0.5, height: 1.0 },
        3 => Shape::Ellipsoid { half: dvec3(0.8, 0.3, 0.4) },
        _ => Shape::Sphere { radius: 0.4 },
    }
}

/// The features named by a search are among the contacts at the instant, with the least separation of all.
fn check(found: Option<ContactId>, at: &[(ContactId, f64)], what: &str) {
    let id = found.unwrap_or_else(|| panic!("{what}: no features"));
    let own = at.iter().find(|(other, _)| *other == id);
    let (_, separation) = own.unwrap_or_else(|| panic!("{what}: {id:?} is not among {at:?}"));
    let least = at.iter().fold(f64::INFINITY, |least, (_, s)| least.min(*s));
    assert!(separation - least < 1e-13, "{what}: {id:?} at {separation:e}, the least is {least:e}");
}

/// Random solids thrown at each other: the features that meet are those of the contact found at the instant.
#[test]
fn the_features_that_meet_are_those_of_the_contact() {
    let mut random = Random::new(31);
    let mut kinds = [0; 3];
    for case in 0..600 {
        let shape = |random: &mut Random| match case % 3 {
            0 => random.hull(12),
            1 => round(random.between(0.0, 5.0) as usize),
            _ => Shape::Cuboid { half: dvec3(0.4, 0.5, 0.3) },
        };
        let (x, y) = (shape(&mut random), random.hull(8));
        let way = 4.0 * random.direction();
        let a = moving(way, random.vector(), -way + 0.3 * random.vector(), 6.0 * random.vector());
        let b = moving(DVec3::ZERO, random.vector(), DVec3::ZERO, 6.0 * random.vector());
        let origins = [0.1 * random.vector(), 0.1 * random.vector()];
        let mut pair = Shapes::new((&x, origins[0]), (&y, origins[1])).expect("supported");
        let search = first_contact(&mut pair, &a, &b, 0.0, 1.5);
        let Meeting::Touch { t, .. } = search.meeting else {
            assert_eq!(search.features, None, "{:?}", search.meeting);
            continue;
        };
        let frame = |m: &Prescribed, origin: DVec3| {
            let body = m.pose(t);
            Pose { position: body.point(origin), orientation: body.orientation }
        };
        let at = contacts_at((&x, frame(&a, origins[0])), (&y, frame(&b, origins[1])));
        check(search.features, &at, &format!("case {case} at {t}"));
        kinds[match search.features.expect("checked").kind() {
            ContactKind::VertexFace => 0,
            ContactKind::EdgeEdge => 1,
            _ => 2,
        }] += 1;
        let bodies = Bodies::new((&x, origins[0]), (&y, origins[1])).expect("supported");
        let whole = { bodies }.first_contact(&a, &b, 0.0, 1.5);
        check(whole.search.features, &at, &format!("case {case} as bodies"));
    }
    assert!(kinds.iter().all(|k| *k > 30), "vertex on face, edges, round: {kinds:?}");
}

/// A cube that falls on its corner lands with that corner, and one that falls on an edge of another with the two edges; the
/// simple methods say so too.
#[test]
fn corners_and_edges_are_named() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).expect("a cube");
    let plane: Shape = Plane::new(DVec3::Z, 0.0).expect("a plane").into();
    let floor = Prescribed::Still(Pose::IDENTITY);
    for vertex in 0..8_u32 {
        // Bit k of the number of a vertex says on which side of axis k it is.
        let side = |bit: u32| if vertex >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner = dvec3(side(0), side(1), side(2)) + 0.05 * dvec3(0.3, 0.5, -0.2);
        let start = Pose {
            position: 2.0 * DVec3::Z,
            orientation: DQuat::from_rotation_arc(corner.normalize(), -DVec3::Z),
        };
        let falling = Prescribed::Uniform { start, twist: Twist { velocity: -DVec3::Z, spin: DVec3::ZERO } };
        let mut pair = Shapes::new((&cube, DVec3::ZERO), (&plane, DVec3::ZERO)).expect("supported");
        let expected = Some(ContactId { a: Feature::Vertex(vertex), b: Feature::Face(0) });
        assert_eq!(first_contact(&mut pair, &falling, &floor, 0.0, 2.0).features, expected);
        let back =
            contact_by_backstep(&mut pair, [&falling, &floor], (0.0, 1.5), 1e-12, Backstep::Prediction);
        assert_eq!(back.features, expected);
    }
    let mut random = Random::new(7);
    for _ in 0..20 {
        let Crossing { a, b, .. } = Crossing::new(&mut random, 0.1, -1.0);
        let mut pair = Shapes::new((&cube, DVec3::ZERO), (&cube, DVec3::ZERO)).expect("supported");
        let search = first_contact(&mut pair, &a, &b, 0.0, 0.3);
        let Meeting::Touch { t, .. } = search.meeting else { continue };
        check(search.features, &contacts_at((&cube, a.pose(t)), (&cube, b.pose(t))), "crossing edges");
    }
}

/// Meshes and compounds name features of the whole shape, as their contacts do.
#[test]
fn meshes_and_compounds_name_features_of_the_whole() {
    let mut random = Random::new(5);
    let part = |shape: Shape, x: f64| Part {
        shape,
        pose: Pose { position: x * DVec3::X, orientation: DQuat::IDENTITY },
    };
    let dumbbell = Shape::compound(vec![
        part(Shape::Sphere { radius: 0.3 }, -0.5),
        part(Shape::Cuboid { half: DVec3::splat(0.3) }, 0.5),
    ])
    .expect("a compound");
    let all =
        [ell(0.4), box_mesh(dvec3(0.5, 0.4, 0.6), 2), dumbbell, Shape::Cuboid { half: DVec3::splat(0.4) }];
    let mut touches = 0;
    for case in 0..60 {
        let (x, y) = (&all[case % 3], &all[(case / 3) % 4]);
        let way = 4.0 * random.direction();
        let a = moving(way, random.vector(), -way, 4.0 * random.vector());
        let b = moving(DVec3::ZERO, random.vector(), DVec3::ZERO, 4.0 * random.vector());
        let mut bodies = Bodies::new((x, DVec3::ZERO), (y, DVec3::ZERO)).expect("supported");
        let found = bodies.first_contact(&a, &b, 0.0, 1.5);
        let Meeting::Touch { t, .. } = found.search.meeting else { continue };
        touches += 1;
        check(found.search.features, &contacts_at((x, a.pose(t)), (y, b.pose(t))), &format!("case {case}"));
    }
    assert!(touches > 30, "{touches} touches");
}

/// Two unit cubes whose edges cross at a gap, with 1 m/s and 5 rad/s each and a chosen rate of the gap.
struct Crossing {
    a: Prescribed,
    b: Prescribed,
    rate: f64,
}

impl Crossing {
    fn new(random: &mut Random, gap: f64, rate: f64) -> Self {
        let reach = 0.5_f64.sqrt();
        // The lowest edge of a along y, the highest of b along x.
        let turn_a = DQuat::from_rotation_z(0.2) * DQuat::from_rotation_y(PI / 4.0);
        let turn_b = DQuat::from_rotation_x(PI / 4.0);
        let (x_a, x_b) = ((reach + gap) * DVec3::Z, -reach * DVec3::Z);
        let spins = [5.0 * random.direction(), 5.0 * random.direction()];
        let (mut v_a, v_b) = (random.direction(), random.direction());
        // Points that meet are under the centres: ḋ = z·(v_a + ω_a × r_a − v_b − ω_b × r_b), the turns have no part along z.
        v_a.z = v_b.z + rate;
        let pose = |position, orientation| Pose { position, orientation };
        let uniform = |start, velocity, spin| Prescribed::Uniform { start, twist: Twist { velocity, spin } };
        Self {
            a: uniform(pose(x_a, turn_a), v_a, spins[0]),
            b: uniform(pose(x_b, turn_b), v_b, spins[1]),
            rate,
        }
    }
}

/// A gap of 1e-10 m between edges of fast bodies that opens at 1e-6 m/s takes tens of queries, and nothing is missed.
///
/// The gap bends by at most B ≈ 2 ω² R + 2 ω v, about 50 m/s²: it opens or closes within √(2 gap/B) ≈ 2e-6 s, and from there
/// a step is a fixed share of the time passed, so that log(0.1/2e-6)/log(1.3) ≈ 40 steps lead to 0.1 s.
#[test]
fn a_search_that_begins_next_to_a_contact_of_edges_is_short() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).expect("a cube");
    let hull: Shape = {
        let sign = |v: u32, bit: u32| if v >> bit & 1 == 1 { 0.5 } else { -0.5 };
        let points: Vec<DVec3> = (0..8).map(|v| dvec3(sign(v, 0), sign(v, 1), sign(v, 2))).collect();
        Hull::new(&points).expect("a cube").into()
    };
    let mut random = Random::new(11);
    let (mut most, mut parted) = (0, 0);
    for case in 0..100 {
        let shape = if case % 2 == 0 { &cube } else { &hull };
        let Crossing { a, b, rate } = Crossing::new(&mut random, 1e-10, 1e-6);
        let mut pair = Shapes::new((shape, DVec3::ZERO), (shape, DVec3::ZERO)).expect("supported");
        let search = first_contact(&mut pair, &a, &b, 0.0, 0.1);
        let end = match search.meeting {
            Meeting::Touch { t, .. } => t,
            Meeting::Apart => 0.1,
            other => panic!("case {case}: {other:?}"),
        };
        parted += u32::from(end > 1e-3);
        most = most.max(search.steps);
        // Dense in the logarithm of time: nothing overlaps before the end found.
        let geometry = Geometry::new(shape);
        for k in 0..400 {
            let t = end * dolmen::math::real::pow(10.0, -f64::from(k) / 50.0);
            let place = |m: &Prescribed| Placed { geometry: &geometry, pose: m.pose(t) };
            let found = separate(&place(&a), &place(&b), &mut Witness::Unknown, &mut Statistics::default());
            let distance = found.expect("supported").distance;
            assert!(
                distance > -1e-14,
                "case {case} overlaps by {distance:e} at {t:e} before {end:e} ({rate:e})"
            );
        }
    }
    assert!(most < 120, "{most} queries");
    assert!(parted > 20, "{parted} of 100 separated");
}

/// A corner over a face, both bodies rotating: the same.
#[test]
fn a_search_that_begins_next_to_a_face_is_short() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).expect("a cube");
    let mut random = Random::new(13);
    let mut most = 0;
    for case in 0..100 {
        let corner = dvec3(0.5, 0.5, 0.5);
        let down = DQuat::from_rotation_arc(corner.normalize(), -DVec3::Z);
        let low = down * corner;
        let (gap, rate) = (1e-10, 1e-6);
        let position = dvec3(0.3, -0.1, 0.5 + gap) - low;
        let (spin_a, spin_b) = (5.0 * random.direction(), 5.0 * random.direction());
        let (mut v_a, v_b) = (random.direction(), random.direction());
        let foot = position + low - gap * DVec3::Z;
        let along = (v_a + spin_a.cross(low) - v_b - spin_b.cross(foot)).z;
        v_a.z += rate - along;
        let start = |position, orientation| Pose { position, orientation };
        let uniform = |start, velocity, spin| Prescribed::Uniform { start, twist: Twist { velocity, spin } };
        let a = uniform(start(position, down), v_a, spin_a);
        let b = uniform(start(DVec3::ZERO, DQuat::IDENTITY), v_b, spin_b);
        for swap in [false, true] {
            let mut pair = Shapes::new((&cube, DVec3::ZERO), (&cube, DVec3::ZERO)).expect("supported");
            let search = if swap {
                first_contact(&mut pair, &b, &a, 0.0, 0.1)
            } else {
                first_contact(&mut pair, &a, &b, 0.0, 0.1)
            };
            assert!(!matches!(search.meeting, Meeting::Unknown { .. }), "case {case}: {search:?}");
            most = most.max(search.steps);
            if let Meeting::Touch { t, .. } = search.meeting {
                let gap = pair.gap(&if swap { &b } else { &a }.pose(t), &if swap { &a } else { &b }.pose(t));
                assert!(gap.separation.abs() < 1e-13, "case {case}: gap {:e} at {t}", gap.separation);
            }
        }
    }
    assert!(most < 200, "{most} queries");
}
