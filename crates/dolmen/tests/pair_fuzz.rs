//! Random pairs of every two kinds of shape, in sizes from a nanometre to a kilometre, up to 1e7 m from the origin, flat, long,
//! equal, touching and nested: every query gives numbers, the same for either order, and they agree with each other.

#[path = "narrow_phase/meshes.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod meshes;

use dolmen::locate::{Bodies, Meeting};
use dolmen::math::real::pow;
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3};
use dolmen::motion::{Motion, Prescribed};
use dolmen::narrow_phase::{
    Closest, ClosestHint, Contact, Geometry, Manifold, MeetingHint, Placed, Statistics, Tolerance, Witness,
    closest, contacts, meets, overlap, separate,
};
use dolmen::shape::{Hull, Part, Plane, Shape, Sides};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::panic::{AssertUnwindSafe, catch_unwind};

const KINDS: [&str; 14] = [
    "box",
    "hull",
    "sphere",
    "capsule",
    "cylinder",
    "cone",
    "disc",
    "ellipsoid",
    "mesh",
    "compound",
    "circular plane",
    "square plane",
    "one-sided square plane",
    "infinite plane",
];

fn is_plane(kind: usize) -> bool {
    kind >= 10
}

struct Random(Pcg64Mcg);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    fn turn(&mut self) -> DQuat {
        match self.between(0.0, 4.0) as u32 {
            0 => DQuat::IDENTITY,
            1 => DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
            _ => DQuat::from_scaled_axis(3.0 * self.direction()),
        }
    }

    /// A shape of a kind whose longest side is about `size`, its shortest down to `thin` of that.
    fn shape(&mut self, kind: usize, size: f64, thin: f64) -> Shape {
        let slim = pow(thin, self.between(0.0, 1.0));
        let half = 0.5 * size * dvec3(1.0, slim, pow(thin, self.between(0.0, 1.0)));
        match KINDS[kind] {
            "box" => Shape::cuboid(half).expect("sound"),
            "hull" => loop {
                let points: Vec<DVec3> = (0..12).map(|_| self.direction() * half).collect();
                if let Ok(hull) = Hull::new(&points) {
                    return hull.into();
                }
            },
            "sphere" => Shape::sphere(half.x).expect("sound"),
            "capsule" => Shape::capsule(half.y, half.x).expect("sound"),
            "cylinder" => Shape::cylinder(half.x, half.y).expect("sound"),
            "cone" => Shape::cone(half.y, size).expect("sound"),
            "disc" => Shape::disc(half.x).expect("sound"),
            "ellipsoid" => Shape::ellipsoid(half).expect("sound"),
            "mesh" => meshes::box_mesh(half, 2),
            "compound" => {
                let place = |x: f64| Pose { position: x * half.x * DVec3::X, orientation: self.turn() };
                let poses = [-0.5, 0.6].map(place);
                let part = |k: usize, shape: Shape| Part { shape, pose: poses[k] };
                let parts = vec![
                    part(0, Shape::Sphere { radius: 0.4 * half.x }),
                    part(1, Shape::Cuboid { half: 0.5 * half }),
                ];
                Shape::compound(parts).expect("sound")
            }
            "circular plane" => {
                Plane::new(DVec3::Z, 0.0).and_then(|p| p.circular(DVec3::ZERO, half.x)).expect("sound").into()
            }
            "infinite plane" => Plane::new(self.direction(), 0.1 * half.x).expect("sound").into(),
            name => {
                let plane = Plane::new(DVec3::Z, 0.0).and_then(|p| p.square(DVec3::ZERO, half.x, DVec3::X));
                let sides = if name == "square plane" { Sides::Both } else { Sides::Front };
                plane.expect("sound").with_sides(sides).into()
            }
        }
    }
}

/// Two shapes in their places, as prepared for queries.
struct Case {
    name: String,
    shapes: [Shape; 2],
    geometries: [Geometry; 2],
    poses: [Pose; 2],
    /// The contact tolerance, m.
    touching: f64,
    /// What rounding makes of a separation, m: some ulp of sizes and coordinates.
    rounding: f64,
}

/// How two shapes are put beside each other.
const POSES: [&str; 5] = ["near", "equal", "touching", "nested", "far"];

impl Case {
    fn new(random: &mut Random, kinds: [usize; 2], number: usize) -> Self {
        let size = pow(10.0, random.between(-9.0, 3.0));
        let thin = if number.is_multiple_of(2) { 1e-6 } else { 0.1 };
        let ratio = pow(10.0, random.between(-2.0, 2.0));
        let pose = POSES[number % POSES.len()];
        let ratio = match pose {
            "equal" => 1.0,
            "nested" => ratio.min(0.1),
            _ => ratio,
        };
        let sizes = [size * ratio, size];
        let shapes = [0, 1].map(|k| random.shape(kinds[k], sizes[k], thin));
        let geometries = shapes.each_ref().map(Geometry::new);
        // Sizes of a nanometre have no place at 1e7 m: an ulp there is 2e-9 m.
        let far = if number.is_multiple_of(3) { (size.min(sizes[0]) * 1e9).min(1e7) } else { size };
        let centre = far * random.vector();
        let turn = random.turn();
        let b = Pose { position: centre, orientation: turn };
        let away = random.direction();
        let orientation = if pose == "equal" { turn } else { random.turn() };
        let reach = |k: usize, q: DQuat, d: DVec3| match shapes[k] {
            Shape::Plane(_) => 0.0,
            _ => shapes[k].reach(q.conjugate() * d),
        };
        let distance = match pose {
            "near" => random.between(0.0, 1.0) * (sizes[0] + sizes[1]),
            "equal" | "nested" => 0.0,
            // Along any direction the sum of the reaches is at least the distance of the centres at a touch.
            "touching" => reach(0, orientation, -away) + reach(1, turn, away),
            _ => 20.0 * (sizes[0] + sizes[1]),
        };
        let a = Pose { position: centre + distance * away, orientation };
        let poses = [a, b];
        let [p, q] = [0, 1].map(|k| Placed { geometry: &geometries[k], pose: poses[k] });
        let touching = Tolerance::of_pair(&p, &q, 0.0).length;
        let coordinates = a.position.abs().max(b.position.abs()).max_element();
        let rounding = 64.0 * f64::EPSILON * (coordinates + sizes[0] + sizes[1] + distance);
        let name = format!("{} on {}, {pose}, case {number}", KINDS[kinds[0]], KINDS[kinds[1]]);
        Self { name, shapes, geometries, poses, touching, rounding }
    }

    fn placed(&self, k: usize) -> Placed<'_> {
        Placed { geometry: &self.geometries[k], pose: self.poses[k] }
    }

    fn is_composite(&self) -> bool {
        self.geometries.iter().any(|g| matches!(g, Geometry::Composite(_)))
    }

    fn separation(&self, order: [usize; 2]) -> f64 {
        let [a, b] = order.map(|k| self.placed(k));
        let found = separate(&a, &b, &mut Witness::Unknown, &mut Statistics::default()).expect("supported");
        let Self { name, .. } = self;
        assert!(!found.distance.is_nan(), "{name}: separation {found:?}");
        assert!(found.points.iter().all(|p| p.is_finite()), "{name}: points {found:?}");
        assert!((found.normal.length() - 1.0).abs() < 1e-9, "{name}: normal {found:?}");
        found.distance
    }

    fn closest(&self, order: [usize; 2]) -> Closest {
        let [a, b] = order.map(|k| self.placed(k));
        let found = closest(&a, &b, &mut ClosestHint::default()).expect("supported");
        let Self { name, .. } = self;
        assert!(found.distance >= 0.0 && found.distance.is_finite(), "{name}: {found:?}");
        assert!(found.points.iter().all(|p| p.is_finite()), "{name}: {found:?}");
        let between = found.points[0].distance(found.points[1]);
        assert!(
            (between - found.distance).abs() <= 4.0 * self.rounding,
            "{name}: {found:?}, points {between:e}"
        );
        found
    }

    fn contacts(&self, order: [usize; 2]) -> Vec<Contact> {
        let [a, b] = order.map(|k| self.placed(k));
        let mut manifold = Manifold::default();
        contacts(&a, &b, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold)
            .expect("supported");
        for c in manifold.contacts() {
            let Self { name, .. } = self;
            assert!(c.point.is_finite() && c.separation.is_finite(), "{name}: {c:?}");
            assert!((c.normal.length() - 1.0).abs() < 1e-9, "{name}: normal of {c:?}");
            let value = c.function.value(&a.pose, &b.pose);
            assert!(value.is_finite(), "{name}: function of {c:?} is {value}");
        }
        // Overlapping deeply, a mesh may touch with several triangles of a face in one feature.
        let is_deep = manifold.contacts().iter().any(|c| c.separation < -self.touching);
        for pair in manifold.contacts().windows(2) {
            if self.is_composite() && is_deep {
                continue;
            }
            assert!(pair[0].id < pair[1].id, "{}: ids {:?}, {:?}", self.name, pair[0].id, pair[1].id);
        }
        manifold.contacts().to_vec()
    }

    fn check(&self) {
        let Self { name, touching, rounding, .. } = self;
        let (here, there) = (self.separation([0, 1]), self.separation([1, 0]));
        let (near, near_there) = (self.closest([0, 1]), self.closest([1, 0]));
        assert!(
            (near.distance - near_there.distance).abs() <= *rounding,
            "{name}: closest {:e} and {:e}",
            near.distance,
            near_there.distance
        );
        // A body behind a plane with a front is infinitely far from touching it, whatever its distance.
        assert_eq!(here.is_infinite(), there.is_infinite(), "{name}: {here:e} and {there:e}");
        if here.is_infinite() {
            assert!(self.contacts([0, 1]).is_empty() && self.contacts([1, 0]).is_empty(), "{name}");
            return;
        }
        if here < 0.0 || there < 0.0 {
            // The least depth is one number; within the tolerance any plane will do.
            let slack = touching + rounding + 1e-6 * here.abs();
            assert!((here - there).abs() <= slack, "{name}: depths {here:e} and {there:e}, slack {slack:e}");
        }
        for distance in [here, there] {
            assert!(distance <= near.distance + rounding, "{name}: {distance:e} beyond {:e}", near.distance);
            if near.distance > *rounding {
                assert!(distance >= -rounding, "{name}: {distance:e} of shapes at {:e}", near.distance);
            }
        }
        let [a, b] = [self.placed(0), self.placed(1)];
        let inside = overlap(&a, &b, None).expect("supported").is_some();
        if here < -(touching + rounding) {
            assert!(inside, "{name}: no overlap at {here:e}");
        } else if near.distance > *rounding {
            assert!(!inside, "{name}: an overlap at distance {:e}", near.distance);
        }
        let meet = meets(&a, &b, &mut MeetingHint::default(), &mut Statistics::default()).expect("supported");
        if here < -(touching + rounding) || near.distance > *rounding {
            assert_eq!(meet, here < 0.0, "{name}: at {here:e}, distance {:e}", near.distance);
        }
        let (found, found_there) = (self.contacts([0, 1]), self.contacts([1, 0]));
        let band = touching + rounding;
        for found in [&found, &found_there] {
            if near.distance > 2.0 * band {
                assert!(found.is_empty(), "{name}: contacts at distance {:e}", near.distance);
            } else if here < -band && self.is_composite() {
                // Surfaces of meshes that do not meet, one inside of the other, have no contact.
            } else if near.distance <= 0.5 * touching - rounding || here < -band {
                assert!(!found.is_empty(), "{name}: no contact at {here:e}, distance {:e}", near.distance);
            }
        }
    }

    /// The first contact of the pair on its way, for either order.
    fn check_motion(&self, random: &mut Random) {
        let sizes = self
            .shapes
            .each_ref()
            .map(|s| if matches!(s, Shape::Plane(_)) { 0.0 } else { s.bounding_radius(DVec3::ZERO) });
        let speed = sizes[0] + sizes[1] + self.poses[0].position.distance(self.poses[1].position);
        let motions = [0, 1].map(|k| {
            // Planes stand still, as they do in a world.
            let rate = if self.geometries[k].is_plane() { 0.0 } else { 1.0 };
            let towards = (self.poses[1 - k].position - self.poses[k].position) * 2.0;
            let twist = Twist {
                velocity: rate * (towards + 0.3 * speed * random.vector()),
                spin: 5.0 * rate * random.vector(),
            };
            Prescribed::Uniform { start: self.poses[k], twist }
        });
        let Self { name, .. } = self;
        let mut times = Vec::new();
        for order in [[0, 1], [1, 0]] {
            let [x, y] = order.map(|k| (&self.shapes[k], DVec3::ZERO));
            let found = Bodies::new(x, y).expect("supported").first_contact(
                &motions[order[0]],
                &motions[order[1]],
                0.0,
                1.0,
            );
            let search = found.search;
            // A pair of convex shapes has one search, bounded by that many steps; others have one for every pair of parts.
            assert!(self.is_composite() || search.steps < 20_000, "{name}: {search:?}");
            match search.meeting {
                Meeting::Touch { t, normal } => {
                    assert!((0.0..=1.0).contains(&t) && normal.is_finite(), "{name}: {search:?}");
                    let [a, b] =
                        [0, 1].map(|k| Placed { geometry: &self.geometries[k], pose: motions[k].pose(t) });
                    let gap = closest(&a, &b, &mut ClosestHint::default()).expect("supported").distance;
                    assert!(gap <= 4.0 * self.rounding + self.touching, "{name}: gap {gap:e} at {t}");
                    times.push(Some(t));
                }
                Meeting::Apart => times.push(None),
                Meeting::Overlap { depth } => {
                    assert!(depth > 0.0, "{name}: {search:?}");
                    times.push(Some(0.0));
                }
                Meeting::Unknown { .. } => panic!("{name}: {search:?}"),
            }
        }
        // A graze may be one for either order only, by rounding; a crossing is the same.
        if let [Some(t), Some(s)] = times[..] {
            assert!((t - s).abs() < 1e-6, "{name}: touches at {t} and {s}");
        }
    }
}

fn all_pairs(cases: usize, seed: u64, check: impl Fn(&Case, &mut Random)) {
    let mut random = Random(Pcg64Mcg::seed_from_u64(seed));
    let mut failed = Vec::new();
    for a in 0..KINDS.len() {
        for b in 0..KINDS.len() {
            if is_plane(a) && is_plane(b) {
                continue;
            }
            for number in 0..cases {
                let case = Case::new(&mut random, [a, b], number);
                // All that fail are wanted, not the first.
                let checked = catch_unwind(AssertUnwindSafe(|| check(&case, &mut random)));
                failed.extend(checked.is_err().then(|| case.name.clone()));
            }
        }
    }
    assert!(failed.is_empty(), "{} cases: {failed:#?}", failed.len());
}

/// Separation, closest points, overlap, yes or no and contacts of every pair: numbers, symmetric, in agreement.
#[test]
fn every_query_on_every_pair_gives_numbers_that_agree() {
    all_pairs(20, 1, |case, _| case.check());
}

/// The first contact of every pair on its way: no endless search, a gap of zero at the instant, the same for either order.
#[test]
fn every_pair_meets_at_one_instant() {
    all_pairs(5, 2, Case::check_motion);
}
