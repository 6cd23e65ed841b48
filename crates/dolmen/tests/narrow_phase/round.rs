//! Pairs with round shapes: separation, distance and depth, against support functions and closed forms.

use super::common::Random;
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    ClosestHint, Geometry, Manifold, Placed, Separation, Statistics, Tolerance, Witness, closest, contacts,
    overlap, separate,
};
use dolmen::shape::{Extent, Hull, Plane, Shape, nearest};
use proptest::prelude::*;

/// A shape for both: the engine's view of it and, for the referee, the description itself.
pub(crate) struct Thing {
    pub(crate) shape: Shape,
    pub(crate) geometry: Geometry,
    pub(crate) pose: Pose,
}

impl Thing {
    pub(crate) fn new(shape: Shape, position: DVec3, orientation: DQuat) -> Self {
        let geometry = Geometry::new(&shape);
        Self { shape, geometry, pose: Pose { position, orientation } }
    }

    pub(crate) fn placed(&self) -> Placed<'_> {
        Placed { geometry: &self.geometry, pose: self.pose }
    }

    /// max d·(x − origin) over the shape, world axes.
    fn reach(&self, d: DVec3) -> f64 {
        let own = self.pose.orientation.conjugate() * d;
        match &self.shape {
            // Along its normal up to rounding; in no other direction is it asked.
            Shape::Plane(plane) if plane.extent() == Extent::Infinite => {
                plane.normal().dot(own) * plane.offset()
            }
            shape => shape.reach(own),
        }
    }

    /// How far a point of the world is from the surface; finite planes as flat shapes.
    fn off_surface(&self, x: DVec3) -> f64 {
        let own = self.pose.orientation.conjugate() * (x - self.pose.position);
        match &self.shape {
            Shape::Plane(plane) => {
                let height = plane.normal().dot(own) - plane.offset();
                let foot = own - plane.normal() * height;
                let beyond = match plane.extent() {
                    Extent::Infinite => 0.0,
                    Extent::Circular { centre, radius } => (foot.distance(centre) - radius).max(0.0),
                    Extent::Square { centre, half_side, direction } => {
                        let away = foot - centre;
                        let side = plane.normal().cross(direction);
                        (away.dot(direction).abs().max(away.dot(side).abs()) - half_side).max(0.0)
                    }
                };
                height.abs().max(beyond)
            }
            shape => nearest(shape, own).unwrap().separation.abs(),
        }
    }

    fn size(&self) -> f64 {
        let size = self.geometry.size();
        if size.is_finite() { size } else { 0.0 }
    }

    /// The largest distance of any of its points from its origin; what rounding is measured by.
    fn extent(&self) -> f64 {
        match &self.shape {
            Shape::Plane(plane) if plane.extent() == Extent::Infinite => plane.offset().abs(),
            shape => shape.bounding_radius(DVec3::ZERO),
        }
    }
}

/// n·(x_a − x_b) − h_a(−n) − h_b(n): how far apart the shapes are along a direction.
fn gap(a: &Thing, b: &Thing, n: DVec3) -> f64 {
    n.dot(a.pose.position - b.pose.position) - a.reach(-n) - b.reach(n)
}

/// The greatest gap over directions: a grid, then every good place of it walked uphill by shrinking steps.
fn greatest_gap(a: &Thing, b: &Thing) -> (f64, DVec3) {
    let count = 400;
    // The golden spiral: even over the sphere.
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let mut sampled: Vec<(f64, DVec3)> = (0..count)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(count);
            let (s, c) = dolmen::math::real::sin_cos(golden * f64::from(k));
            let r = (1.0 - z * z).sqrt();
            let n = dvec3(r * c, r * s, z);
            (gap(a, b, n), n)
        })
        .collect();
    sampled.sort_by(|x, y| y.0.total_cmp(&x.0));
    sampled.truncate(6);
    for (best, n) in &mut sampled {
        let mut step = 0.1;
        // A ridge is climbed in a zigzag; what is not reached in so many steps is for another start to reach.
        for _ in 0..200 {
            let (u, v) = n.any_orthonormal_pair();
            let mut moved = false;
            for k in 0..8 {
                let (s, c) = dolmen::math::real::sin_cos(f64::from(k) * std::f64::consts::FRAC_PI_4 + step);
                let other = (*n + (u * c + v * s) * step).normalize();
                let value = gap(a, b, other);
                if value > *best {
                    (*best, *n, moved) = (value, other, true);
                    break;
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
    }
    sampled.into_iter().max_by(|x, y| x.0.total_cmp(&y.0)).unwrap()
}

pub(crate) fn find(a: &Thing, b: &Thing) -> Separation {
    separate(&a.placed(), &b.placed(), &mut Witness::Unknown, &mut Statistics::default()).unwrap()
}

const KINDS: usize = 11;

/// A random shape of a kind, of a size about 1; `odd` makes it thin, long or small.
fn random_shape(random: &mut Random, kind: usize, odd: bool) -> Shape {
    let mut length = || {
        let plain = random.between(0.2, 1.0);
        if odd { dolmen::math::real::pow(10.0, -4.0 * random.unit()) } else { plain }
    };
    let (x, y, z) = (length(), length(), length());
    match kind {
        0 => Shape::Sphere { radius: x },
        1 => Shape::Capsule { radius: x, half_length: y },
        2 => Shape::Cylinder { radius: x, half_length: y },
        3 => Shape::Cone { radius: x, height: y },
        4 => Shape::Disc { radius: x },
        5 => Shape::Ellipsoid { half: dvec3(x, y, z) },
        6 => Shape::Cuboid { half: dvec3(x, y, z) },
        7 => {
            let points: Vec<DVec3> = (0..14).map(|_| dvec3(x, y, z) * random.direction()).collect();
            Hull::new(&points).unwrap().into()
        }
        _ => {
            let plane = Plane::new(random.direction(), random.between(-0.2, 0.2)).unwrap();
            let centre = 0.3 * random.vector();
            match kind {
                8 => plane.circular(centre, x).unwrap().into(),
                9 => plane.square(centre, x, random.direction()).unwrap().into(),
                _ => plane.into(),
            }
        }
    }
}

fn is_plane(kind: usize) -> bool {
    kind >= 8
}

/// Whether at least one of two kinds is round and not both are planes.
fn is_asked(a: usize, b: usize) -> bool {
    let is_round = |k: usize| k <= 5 || k == 8;
    (is_round(a) || is_round(b)) && !(is_plane(a) && is_plane(b))
}

/// What every answer must be: a unit normal, points on the surfaces that are `distance` apart along it, and supported by
/// the planes at right angles to it. Apart, that proves that it is the distance.
fn check(a: &Thing, b: &Thing, found: &Separation) -> Result<(), TestCaseError> {
    let lengths = a.extent() + b.extent() + (a.pose.position - b.pose.position).length();
    let coordinates = a.pose.position.abs().max(b.pose.position.abs()).max_element();
    let rounding = 1e-14 * lengths + 8.0 * f64::EPSILON * coordinates;
    prop_assert!(found.normal.is_normalized() && found.distance.is_finite(), "{found:?}");
    let along = gap(a, b, found.normal);
    prop_assert!((along - found.distance).abs() <= rounding, "{found:?} but supported at {along:e}");
    let [p, q] = found.points;
    let between = p - q;
    let off = (between - found.normal * found.distance).length();
    // The normal of a shape 1e4 times longer than thick is right to 1e4 roundings.
    let tolerance = if found.distance > 0.0 { 1e-11 * lengths } else { 1e-9 * lengths };
    // Apart: |p − q|² = s² + off² with both points in the shapes bounds the distance from above.
    let excess = off * off / (2.0 * found.distance.max(f64::MIN_POSITIVE));
    prop_assert!(
        off <= tolerance.max(8.0 * rounding) || (found.distance > 0.0 && excess <= rounding),
        "{found:?}: points {between}, {off:e} off the normal"
    );
    let on = rounding + 1e-9 * f64::from(found.distance < 0.0) * lengths;
    let (off_a, off_b) = (a.off_surface(p), b.off_surface(q));
    // A point of a disc's face inside of it is on its surface; of a solid, on the outside.
    prop_assert!(
        off_a <= 4.0 * on && off_b <= 4.0 * on,
        "{found:?}: off the surfaces by {off_a:e} and {off_b:e}"
    );
    Ok(())
}

fn random_pair(random: &mut Random, kinds: (usize, usize), odd: bool, spread: f64) -> (Thing, Thing) {
    let (a, b) = (random_shape(random, kinds.0, odd), random_shape(random, kinds.1, odd));
    let scale = spread * (Geometry::new(&a).size().min(4.0) + Geometry::new(&b).size().min(4.0));
    let (x, y) = (0.3 * scale * random.vector(), 0.3 * scale * random.vector());
    let (turn_a, turn_b) = (random.turn(), random.turn());
    (Thing::new(a, x, turn_a), Thing::new(b, y, turn_b))
}

/// The law of a pair: apart the distance, overlapping the least depth, and the other queries say the same.
fn law(a: &Thing, b: &Thing) -> Result<(), TestCaseError> {
    let found = find(a, b);
    check(a, b, &found)?;
    let infinite = [a, b].iter().any(|t| !t.geometry.size().is_finite());
    if !infinite && found.distance < 0.0 {
        let (most, n) = greatest_gap(a, b);
        let size = a.size().min(b.size());
        prop_assert!(found.distance >= most - 1e-9 * size, "{found:?} but {most} along {n}, size {size}");
    }
    let near = closest(&a.placed(), &b.placed(), &mut ClosestHint::default()).unwrap();
    prop_assert_eq!(near.distance, found.distance.max(0.0));
    let inside = overlap(&a.placed(), &b.placed(), None).unwrap();
    prop_assert_eq!(inside.is_some(), found.distance < 0.0, "{:?}", found);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1200))]

    /// Every ordered pair: apart the distance is proven by its own points and plane; overlapping no direction is less deep.
    #[test]
    fn separations_are_the_greatest_gaps(
        seed in 0_u64..u64::MAX, a in 0..KINDS, b in 0..KINDS, odd in any::<bool>(), spread in 0.1..2.0_f64,
    ) {
        prop_assume!(is_asked(a, b));
        let mut random = Random::new(seed);
        let (a, b) = random_pair(&mut random, (a, b), odd, spread);
        law(&a, &b)?;
    }

    /// Moved until they just touch, and a little more or less: apart the separation is the gap left, overlapping no more
    /// than the way back, both to rounding. (A sharp edge that is moved on may slip past the other and be clear again.)
    #[test]
    fn touching_pairs_have_the_separation_that_was_left(
        seed in 0_u64..u64::MAX, a in 0..KINDS, b in 0..KINDS, odd in any::<bool>(), left in 0..8_usize,
    ) {
        prop_assume!(is_asked(a, b));
        let mut random = Random::new(seed);
        let (mut a, b) = random_pair(&mut random, (a, b), odd, 3.0);
        let first = find(&a, &b);
        prop_assume!(first.distance > 0.0);
        let sizes = [&a, &b].map(|t| t.geometry.size());
        let size = sizes[0].min(sizes[1]);
        let left = size * [1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6][left];
        a.pose.position += first.normal * (left - first.distance);
        let found = find(&a, &b);
        let lengths = a.extent() + b.extent() + (a.pose.position - b.pose.position).length() + first.distance;
        let rounding = 2e-14 * lengths;
        prop_assert!(found.distance >= left - rounding, "{} but {left} was left", found.distance);
        if left >= 0.0 {
            prop_assert!(found.distance <= left + rounding, "{} but {left} was left", found.distance);
        }
        check(&a, &b, &found)?;
    }

    /// With the roles exchanged the normal turns around; a common motion turns it along.
    #[test]
    fn exchange_and_common_motion_change_nothing(
        seed in 0_u64..u64::MAX, a in 0..KINDS, b in 0..KINDS, spread in 0.1..2.0_f64,
    ) {
        prop_assume!(is_asked(a, b));
        let mut random = Random::new(seed);
        let (mut a, mut b) = random_pair(&mut random, (a, b), false, spread);
        let found = find(&a, &b);
        let other = find(&b, &a);
        let size = a.size().max(b.size());
        // Overlapping there may be several directions as deep; apart there is one.
        let tolerance = if found.distance > 0.0 { 1e-14 } else { 2e-10 } * size.max(1.0) * 4.0;
        prop_assert!((other.distance - found.distance).abs() <= tolerance, "{found:?} and {other:?}");
        if found.distance > 1e-3 {
            prop_assert!((other.normal + found.normal).length() < 1e-10, "{found:?} and {other:?}");
        }
        let (turn, shift) = (random.turn(), random.vector());
        for thing in [&mut a, &mut b] {
            thing.pose.position = turn * thing.pose.position + shift;
            thing.pose.orientation = (turn * thing.pose.orientation).normalize();
        }
        let moved = find(&a, &b);
        prop_assert!((moved.distance - found.distance).abs() <= tolerance, "{found:?} and {moved:?}");
        if found.distance > 1e-3 {
            prop_assert!((moved.normal - turn * found.normal).length() < 1e-10, "{found:?} and {moved:?}");
        }
    }

    /// Nanometres and kilometres give the same digits, and 1e7 m from the origin only the rounding of places counts.
    #[test]
    fn sizes_and_places_do_not_matter(
        seed in 0_u64..u64::MAX, a in 0..6_usize, b in 0..7_usize, spread in 0.3..2.0_f64,
    ) {
        let mut random = Random::new(seed);
        let (a, b) = random_pair(&mut random, (a, b), false, spread);
        let found = find(&a, &b);
        for scale in [1e-9, 1e3] {
            let [a, b] = [&a, &b].map(|t| Thing::new(scaled(&t.shape, scale), t.pose.position * scale, t.pose.orientation));
            let there = find(&a, &b);
            let tolerance = if found.distance > 0.0 { 1e-13 } else { 1e-9 };
            prop_assert!((there.distance / scale - found.distance).abs() < tolerance, "{found:?} and {there:?} at {scale}");
        }
        let away = dvec3(1e7, -1e7, 1e7);
        let [a, b] = [&a, &b].map(|t| Thing::new(t.shape.clone(), t.pose.position + away, t.pose.orientation));
        let there = find(&a, &b);
        // Each coordinate is rounded by half an ulp, 9.3e-10 m.
        prop_assert!((there.distance - found.distance).abs() < 4e-9, "{found:?} and {there:?}");
    }

    /// A prism inscribed in the shape, by the code for polyhedra: not nearer, and not further than its facets are deep.
    #[test]
    fn inscribed_prisms_are_as_far_to_the_depth_of_their_facets(seed in 0_u64..u64::MAX, kind in 2..5_usize) {
        let mut random = Random::new(seed);
        let (a, b) = random_pair(&mut random, (kind, 6), false, 1.0);
        let count = 64;
        let ring = |z: f64, r: f64| (0..count).map(move |k| {
            let (s, c) = dolmen::math::real::sin_cos(std::f64::consts::TAU * f64::from(k) / f64::from(count));
            dvec3(r * c, r * s, z)
        });
        let (points, radius): (Vec<DVec3>, f64) = match a.shape {
            Shape::Cylinder { radius, half_length } => (ring(-half_length, radius).chain(ring(half_length, radius)).collect(), radius),
            Shape::Cone { radius, height } => (ring(0.0, radius).chain([dvec3(0.0, 0.0, height)]).collect(), radius),
            // As thin as hulls may be.
            Shape::Disc { radius } => (ring(0.0, radius).chain(ring(1e-6, radius)).collect(), radius),
            _ => unreachable!(),
        };
        let prism = Thing::new(Hull::new(&points).unwrap().into(), a.pose.position, a.pose.orientation);
        let exact = closest(&a.placed(), &b.placed(), &mut ClosestHint::default()).unwrap().distance;
        let coarse = closest(&prism.placed(), &b.placed(), &mut ClosestHint::default()).unwrap().distance;
        let depth = radius * (1.0 - dolmen::math::real::cos(std::f64::consts::PI / f64::from(count)));
        prop_assert!(coarse >= exact - 1.000001e-6 && coarse <= exact + depth + 1e-14, "{exact} and {coarse}, facets {depth:e}");
    }

    /// Aligned, concentric, touching, equal: a finite answer with a unit normal, and the right one.
    #[test]
    fn degenerate_places_have_an_answer(
        a in 0..KINDS, b in 0..KINDS, x in -4..=4_i32, y in -4..=4_i32, z in -4..=4_i32, turns in 0..64_u32, sizes in 0..4_u32,
    ) {
        prop_assume!(is_asked(a, b));
        let quarter = |k: u32| f64::from(k % 4) * std::f64::consts::FRAC_PI_2;
        let turn = DQuat::from_rotation_x(quarter(turns))
            * DQuat::from_rotation_y(quarter(turns / 4)) * DQuat::from_rotation_z(0.5 * quarter(turns / 16));
        let [a, b] = [(a, 0.5), (b, [0.5, 1.0, 0.25, 0.7][sizes as usize])].map(|(k, r)| plain_shape(k, r));
        let a = Thing::new(a, dvec3(f64::from(x), f64::from(y), f64::from(z)) * 0.25, DQuat::IDENTITY);
        let b = Thing::new(b, DVec3::ZERO, turn);
        let found = find(&a, &b);
        prop_assert!(found.normal.is_normalized() && found.points.iter().all(|p| p.is_finite()), "{found:?}");
        prop_assert!((gap(&a, &b, found.normal) - found.distance).abs() < 1e-13, "{found:?}");
        if a.geometry.size().is_finite() && b.geometry.size().is_finite() {
            let (most, n) = greatest_gap(&a, &b);
            prop_assert!(found.distance >= most - 1e-9, "{found:?} but {most} along {n}");
        }
        let mut manifold = Manifold::default();
        contacts(&a.placed(), &b.placed(), &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
        check_contacts(&a, &b, &found, &manifold)?;
    }

    /// Contacts of pairs that just touch: on both surfaces, along the normal, each its own id, and the function is theirs.
    #[test]
    fn touching_pairs_have_contacts(seed in 0_u64..u64::MAX, a in 0..KINDS, b in 0..KINDS, odd in any::<bool>()) {
        prop_assume!(is_asked(a, b));
        let mut random = Random::new(seed);
        let (mut a, b) = random_pair(&mut random, (a, b), odd, 3.0);
        let first = find(&a, &b);
        prop_assume!(first.distance > 0.0);
        a.pose.position -= first.normal * first.distance;
        let found = find(&a, &b);
        let mut manifold = Manifold::default();
        contacts(&a.placed(), &b.placed(), &mut Witness::Unknown, &mut Statistics::default(), &mut manifold).unwrap();
        prop_assert!(!manifold.contacts().is_empty());
        check_contacts(&a, &b, &found, &manifold)?;
    }
}

/// What every set of contacts must be.
fn check_contacts(
    a: &Thing,
    b: &Thing,
    found: &Separation,
    manifold: &Manifold,
) -> Result<(), TestCaseError> {
    let tolerance = Tolerance::of_pair(&a.placed(), &b.placed(), 1.0).length;
    let contacts = manifold.contacts();
    prop_assert_eq!(contacts.is_empty(), found.distance > tolerance, "{:?} {:?}", found, contacts);
    prop_assert!(contacts.windows(2).all(|w| w[0].id < w[1].id), "ids: {contacts:#?}");
    let lengths = a.extent() + b.extent() + (a.pose.position - b.pose.position).length();
    for contact in contacts {
        prop_assert!(contact.normal.is_normalized() && contact.point.is_finite(), "{contact:?}");
        let value = contact.function.value(&a.pose, &b.pose);
        prop_assert!(
            (value - contact.separation).abs() <= 2.0 * tolerance + 1e-14 * lengths,
            "{value} of {contact:?}"
        );
        if found.distance.abs() <= tolerance {
            prop_assert!(contact.separation.abs() <= 3.0 * tolerance, "{contact:?}");
            let (off_a, off_b) = (a.off_surface(contact.point), b.off_surface(contact.point));
            prop_assert!(
                off_a.max(off_b) <= 4.0 * tolerance + 1e-14 * lengths,
                "{contact:?} off by {off_a:e}, {off_b:e}"
            );
        }
    }
    Ok(())
}

/// A shape of a kind and plain numbers.
fn plain_shape(kind: usize, r: f64) -> Shape {
    let plane = Plane::new(DVec3::Z, 0.0).unwrap();
    match kind {
        0 => Shape::Sphere { radius: r },
        1 => Shape::Capsule { radius: r, half_length: r },
        2 => Shape::Cylinder { radius: r, half_length: r },
        3 => Shape::Cone { radius: r, height: 2.0 * r },
        4 => Shape::Disc { radius: r },
        5 => Shape::Ellipsoid { half: dvec3(r, 0.5 * r, r) },
        6 => Shape::Cuboid { half: DVec3::splat(r) },
        7 => {
            let points = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z].map(|p| p * r);
            Hull::new(&points).unwrap().into()
        }
        8 => plane.circular(DVec3::ZERO, r).unwrap().into(),
        9 => plane.square(DVec3::ZERO, r, DVec3::X).unwrap().into(),
        _ => plane.into(),
    }
}

/// A solid of another size.
fn scaled(shape: &Shape, by: f64) -> Shape {
    match *shape {
        Shape::Sphere { radius } => Shape::Sphere { radius: radius * by },
        Shape::Capsule { radius, half_length } => {
            Shape::Capsule { radius: radius * by, half_length: half_length * by }
        }
        Shape::Cylinder { radius, half_length } => {
            Shape::Cylinder { radius: radius * by, half_length: half_length * by }
        }
        Shape::Cone { radius, height } => Shape::Cone { radius: radius * by, height: height * by },
        Shape::Disc { radius } => Shape::Disc { radius: radius * by },
        Shape::Ellipsoid { half } => Shape::Ellipsoid { half: half * by },
        Shape::Cuboid { half } => Shape::Cuboid { half: half * by },
        _ => unreachable!("not scaled here"),
    }
}

/// A pose that is none gives no panic and no false touch: what comes out is not a number, or not near.
#[test]
fn poses_that_are_none_do_no_harm() {
    for a in 0..KINDS {
        for b in (0..KINDS).filter(|b| is_asked(a, *b)) {
            for bad in [f64::NAN, f64::INFINITY, 1e300] {
                let (a, b) = (plain_shape(a, 0.5), plain_shape(b, 0.5));
                let a = Thing::new(a, dvec3(bad, 0.0, 0.0), DQuat::IDENTITY);
                let b = Thing::new(b, DVec3::ZERO, DQuat::IDENTITY);
                let (mut manifold, mut statistics) = (Manifold::default(), Statistics::default());
                find(&a, &b);
                closest(&a.placed(), &b.placed(), &mut ClosestHint::default()).unwrap();
                overlap(&a.placed(), &b.placed(), None).unwrap();
                let (a, b) = (a.placed(), b.placed());
                contacts(&a, &b, &mut Witness::Unknown, &mut statistics, &mut manifold).unwrap();
            }
        }
    }
}
