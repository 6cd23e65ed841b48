//! The kinematics of every contact that two shapes of any kinds can have, against differences of its function along a motion.

use super::common::{Random, polytope};
use super::curved::Differences;
use super::function::Moving;
use super::meshes;
use dolmen::body::Kinematics;
use dolmen::math::real::{PI, sin_cos};
use dolmen::math::{DMat3, DQuat, DVec3, Pose, dvec3};
use dolmen::narrow_phase::{
    Contact, Geometry, Manifold, Placed, Statistics, Tolerance, Witness, contacts, separate,
};
use dolmen::shape::{Hull, Part, Plane, Shape};

const KINDS: [&str; 13] = [
    "sphere",
    "capsule",
    "box",
    "cylinder",
    "disc",
    "cone",
    "ellipsoid",
    "hull",
    "mesh",
    "compound",
    "infinite plane",
    "circular plane",
    "square plane",
];

/// A place at which a shape can be touched: all of the shape is below the plane through it, in the frame of the shape.
#[derive(Debug, Clone, Copy)]
struct Spot {
    what: &'static str,
    point: DVec3,
    /// Unit, out of the shape.
    outward: DVec3,
    /// A unit vector across: along the edge, the rim or a side of the face.
    along: DVec3,
}

fn spot(what: &'static str, point: DVec3, outward: DVec3, along: DVec3) -> Spot {
    let outward = outward.normalize();
    let along = (along - outward * outward.dot(along)).normalize();
    Spot { what, point, outward, along }
}

impl Spot {
    /// How many angles the outward direction can be turned by without the shape leaving the plane through the point.
    fn freedom(&self) -> u32 {
        match self.what {
            "edge" | "rim" => 1,
            "corner" | "tip" => 2,
            _ => 0,
        }
    }
}

/// A shape, prepared, and the places at which others touch it.
struct Toy {
    kind: &'static str,
    geometry: Geometry,
    spots: Vec<Spot>,
}

impl Toy {
    fn new(kind: &'static str, random: &mut Random) -> Self {
        let shape = shape(kind);
        let geometry = Geometry::new(&shape);
        let spots = match &geometry {
            Geometry::Polytope(_) | Geometry::Plate { .. } => spots_of_polytope(&geometry, random),
            Geometry::Composite(_) => spots_of_composite(kind, random),
            Geometry::HalfSpace(plane) => [plane.normal, -plane.normal]
                .map(|n| {
                    let across = n.any_orthonormal_vector();
                    spot("face", plane.offset * plane.normal + across * random.unit(), n, across)
                })
                .to_vec(),
            Geometry::Round(shape) => spots_of_round(shape, random),
        };
        Self { kind, geometry, spots }
    }
}

/// Lengths are about 1, no two of them equal.
fn shape(kind: &str) -> Shape {
    let plane = Plane::new(dvec3(0.3, -0.2, 1.0), 0.1).unwrap();
    match kind {
        "sphere" => Shape::sphere(0.4).unwrap(),
        "capsule" => Shape::capsule(0.3, 0.5).unwrap(),
        "box" => Shape::cuboid(dvec3(0.4, 0.5, 0.6)).unwrap(),
        "cylinder" => Shape::cylinder(0.35, 0.55).unwrap(),
        "disc" => Shape::disc(0.45).unwrap(),
        "cone" => Shape::cone(0.5, 0.8).unwrap(),
        "ellipsoid" => Shape::ellipsoid(dvec3(0.3, 0.45, 0.6)).unwrap(),
        "hull" => {
            // Twelve corners on a sphere along a spiral, stretched.
            let corner = |k: i32| {
                let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 12.0;
                let (s, c) = sin_cos(2.4 * f64::from(k));
                let r = (1.0 - z * z).sqrt();
                dvec3(0.6 * r * c, 0.5 * r * s, 0.7 * z)
            };
            Hull::new(&(0..12).map(corner).collect::<Vec<_>>()).unwrap().into()
        }
        "mesh" => meshes::ell(0.4),
        "compound" => {
            let at = |x: f64, turn: DQuat| Pose { position: dvec3(x, 0.0, 0.0), orientation: turn };
            let parts = vec![
                Part { shape: Shape::Sphere { radius: 0.4 }, pose: at(-0.5, DQuat::IDENTITY) },
                Part {
                    shape: Shape::Cuboid { half: dvec3(0.2, 0.3, 0.25) },
                    pose: at(0.6, DQuat::from_rotation_z(PI / 2.0)),
                },
            ];
            Shape::compound(parts).unwrap()
        }
        "infinite plane" => plane.into(),
        "circular plane" => plane.circular(DVec3::ZERO, 0.7).unwrap().into(),
        "square plane" => plane.square(DVec3::ZERO, 0.65, DVec3::X).unwrap().into(),
        other => panic!("no shape is called {other}"),
    }
}

/// One of its faces, edges and corners each.
fn spots_of_polytope(geometry: &Geometry, random: &mut Random) -> Vec<Spot> {
    let polytope = polytope(geometry);
    let mut pick = |count: usize| (random.unit() * count as f64) as u32;
    let (face, vertex) = (pick(polytope.face_count() as usize), pick(polytope.vertices().len()));
    // Not so blunt that the motion of the test turns it into a face.
    let is_sharp = |edge: &u32| {
        let [m, n] = polytope.edge(*edge).faces.map(|f| polytope.plane(f).0);
        m.dot(n) < 0.95
    };
    let edge = std::iter::repeat_with(|| pick(polytope.edges().len())).find(is_sharp).expect("it has one");
    let corners = polytope.face(face);
    let middle = corners.iter().fold(DVec3::ZERO, |sum, v| sum + polytope.vertex(*v) / corners.len() as f64);
    let inside = middle + 0.2 * random.unit() * (polytope.vertex(corners[0]) - middle);
    let side = polytope.edge_direction(polytope.face_edges(face)[0]);
    let [p, q] = polytope.edge(edge).ends.map(|v| polytope.vertex(v));
    let beside = polytope.edge(edge).faces.map(|f| polytope.plane(f).0);
    let share = random.between(0.35, 0.65);
    // Of a flat polygon the faces at an edge or corner are opposed: out of it, and a little to one side.
    let aside = |at: DVec3| (at - polytope.centre()).normalize() + 0.3 * polytope.plane(0).0;
    let mean = beside[0] * share + beside[1] * (1.0 - share);
    let out = if beside[0].dot(beside[1]) < -0.99 {
        let across = (q - p).normalize();
        let arm = 0.5 * (p + q) - polytope.centre();
        aside(polytope.centre() + arm - across * across.dot(arm))
    } else {
        mean
    };
    let at = polytope.vertex(vertex);
    let around = polytope.faces_at(vertex).iter().fold(DVec3::ZERO, |sum, f| sum + polytope.plane(*f).0);
    let around = if around.length() < 0.1 { aside(at) } else { around };
    vec![
        spot("face", inside, polytope.plane(face).0, side),
        spot("edge", p + (q - p) * random.between(0.3, 0.7), out, q - p),
        spot("corner", at, around, polytope.edge_direction(polytope.edges_at(vertex)[0])),
    ]
}

/// Of shapes about their z axis: sides, rims, caps and tips.
fn spots_of_round(shape: &Shape, random: &mut Random) -> Vec<Spot> {
    let (sine, cosine) = sin_cos(random.between(-3.0, 3.0));
    let (e, z) = (dvec3(cosine, sine, 0.0), DVec3::Z);
    let around = z.cross(e);
    let end = if random.unit() < 0.5 { -1.0 } else { 1.0 };
    let share = random.between(0.0, 0.4);
    let inside = |radius: f64| e * radius * share;
    match shape {
        Shape::Sphere { radius } => {
            let d = random.direction();
            vec![spot("surface", d * *radius, d, d.any_orthonormal_vector())]
        }
        Shape::Ellipsoid { half } => {
            let d = random.direction();
            vec![spot("surface", *half * d, d / *half, d.any_orthonormal_vector())]
        }
        Shape::Capsule { radius, half_length } => {
            let cap = e * random.between(0.2, 0.9) + z * end;
            let cap = cap.normalize();
            vec![
                spot("side", e * *radius + z * *half_length * random.between(-0.6, 0.6), e, z),
                spot("cap", z * end * *half_length + cap * *radius, cap, around),
            ]
        }
        Shape::Cylinder { radius, half_length } => vec![
            spot("side", e * *radius + z * *half_length * random.between(-0.6, 0.6), e, z),
            spot("rim", e * *radius + z * end * *half_length, e + z * end * random.between(0.5, 2.0), around),
            spot("cap", inside(*radius) + z * end * *half_length, z * end, e),
        ],
        Shape::Cone { radius, height } => {
            let (out, ruling) = (e * *height + z * *radius, e * *radius - z * *height);
            let on_side = z * *height + ruling * random.between(0.35, 0.65);
            vec![
                spot("side", on_side, out, ruling),
                spot("tip", z * *height, z + 0.2 * e, around),
                spot("rim", e * *radius, e - z * random.between(0.2, 1.0), around),
                spot("base", inside(*radius), -z, e),
            ]
        }
        Shape::Disc { radius } => vec![
            spot("face", inside(*radius), z * end, e),
            spot("rim", e * *radius, e + z * random.between(-1.0, 1.0), around),
            spot("rim", e * *radius, e, around),
        ],
        Shape::Plane(plane) => {
            let (n, centre) = (plane.normal(), plane.offset() * plane.normal());
            let turn = DQuat::from_rotation_arc(z, n);
            let (e, around) = (turn * e, turn * around);
            vec![
                spot("face", centre + e * 0.2, n * end, e),
                spot("rim", centre + e * 0.7, e + n * random.between(-1.0, 1.0), around),
            ]
        }
        other => panic!("not round: {other:?}"),
    }
}

/// Places on the hulls of the two composites above: a face, an edge and a corner; of the compound its ball too.
fn spots_of_composite(kind: &str, random: &mut Random) -> Vec<Spot> {
    let mut some = || random.between(-0.2, 0.2);
    if kind == "mesh" {
        return vec![
            spot("end face", dvec3(0.5 + some(), 0.5 + some(), 0.4), DVec3::Z, DVec3::X),
            spot("side face", dvec3(0.0, 0.9 + some(), some()), -DVec3::X, DVec3::Y),
            spot("edge", dvec3(2.0, 0.0, some()), dvec3(1.0, -1.0 + some(), 0.0), DVec3::Z),
            spot("corner", dvec3(0.0, 0.0, 0.4), dvec3(-1.0, -1.0 + some(), 1.0 + some()), DVec3::Z),
        ];
    }
    let d = dvec3(-1.0, some(), some()).normalize();
    vec![
        spot("ball", dvec3(-0.5, 0.0, 0.0) + 0.4 * d, d, DVec3::Z),
        spot("face", dvec3(0.9, 0.5 * some(), 0.5 * some()), DVec3::X, DVec3::Y),
        spot("edge", dvec3(0.9, 0.2, some()), dvec3(1.0, 1.0 + some(), 0.0), DVec3::Z),
        spot("corner", dvec3(0.9, -0.2, 0.25), dvec3(1.0, -1.0, 1.0 + some()), DVec3::Z),
    ]
}

/// Two toys with a spot of each in one place and on either side of a plane there, and how they move.
struct Case<'a> {
    name: String,
    toys: [&'a Toy; 2],
    moving: [Moving; 2],
    /// Whether the shapes still touch at these features, along a normal of their own, after any small motion of one that keeps
    /// them in contact: the normal has two angles, and where corners meet corners, edges or rims, or edges lie along each
    /// other, more are free, so that the plane between them is a chosen one.
    is_stable: bool,
}

/// How far what is along the spots is turned against each other: along, across, and between.
const TWISTS: [f64; 4] = [0.0, 0.5 * PI, 0.7, -2.1];

impl<'a> Case<'a> {
    fn new(random: &mut Random, toys: [&'a Toy; 2], spots: [&Spot; 2], twist: f64) -> Self {
        let name =
            format!("{}'s {} on {}'s {}, {twist}", toys[0].kind, spots[0].what, toys[1].kind, spots[1].what);
        let normal = random.direction();
        let along = normal.any_orthonormal_vector();
        // Takes (outward, along) of a spot to the given directions of the world.
        let turn = |spot: &Spot, out: DVec3, along: DVec3| {
            let own = DMat3::from_cols(spot.outward, spot.along, spot.outward.cross(spot.along));
            let world = DMat3::from_cols(out, along, out.cross(along));
            DQuat::from_mat3(&(world * own.transpose())).normalize()
        };
        let about = DQuat::from_axis_angle(normal, twist);
        let q_a = turn(spots[0], -normal, about * along);
        let q_b = turn(spots[1], normal, along);
        let b = Pose { position: random.vector(), orientation: q_b };
        let position = b.point(spots[1].point) - q_a * spots[0].point;
        let a = Pose { position, orientation: q_a };
        let moving = [a, b].map(|start| Moving { start, ..Moving::random(random) });
        let freedom = spots.map(Spot::freedom);
        let is_stable = freedom[0] + freedom[1] <= 2 && (freedom != [1, 1] || twist != 0.0);
        Self { name, toys, moving, is_stable }
    }

    fn placed(&self, t: f64) -> [Placed<'_>; 2] {
        [0, 1].map(|k| Placed { geometry: &self.toys[k].geometry, pose: self.moving[k].pose(t) })
    }

    fn contacts(&self) -> Vec<Contact> {
        let mut manifold = Manifold::default();
        let [a, b] = self.placed(0.0);
        contacts(&a, &b, &mut Witness::Unknown, &mut Statistics::default(), &mut manifold)
            .expect("the pair is supported");
        manifold.contacts().to_vec()
    }

    /// What is wrong with the contacts of the pair, if anything, and how many contacts were tested.
    fn check(&self, worst: &mut Worst) -> Vec<String> {
        let found = self.contacts();
        let mut wrong = Vec::new();
        if found.is_empty() {
            wrong.push(format!("{}: no contact", self.name));
        }
        for contact in &found {
            let complaints = self
                .check_place(contact)
                .into_iter()
                .chain(self.check_derivatives(contact, worst))
                .chain(self.check_row(contact));
            wrong.extend(complaints.map(|what| format!("{}, {:?}: {what}", self.name, contact.id)));
        }
        if let ([contact], true) = (&found[..], self.is_stable) {
            let complaint = self.check_distance(contact, worst);
            wrong.extend(complaint.map(|what| format!("{}, {:?}: {what}", self.name, contact.id)));
        }
        worst.contacts += found.len();
        wrong
    }

    /// At the pose where it was found, the function has the separation and the normal of the contact.
    fn check_place(&self, contact: &Contact) -> Option<String> {
        let [a, b] = self.placed(0.0);
        let touching = Tolerance::of_pair(&a, &b, 0.0).length;
        let (value, normal) =
            (contact.function.value(&a.pose, &b.pose), contact.function.normal(&a.pose, &b.pose));
        // What lies flat within the tolerance of length may lean by that over the length of a side, of which none is below 0.1.
        let leaning = normal.distance(contact.normal);
        let sound = (value - contact.separation).abs() <= touching && contact.separation.abs() <= touching;
        (!sound || leaning > 20.0 * touching).then(|| {
            format!("value {value:e} of separation {:e}, normals differ by {leaning:e}", contact.separation)
        })
    }

    /// d, ḋ, d̈ and ṅ against differences.
    fn check_derivatives(&self, contact: &Contact, worst: &mut Worst) -> Option<String> {
        let function = &contact.function;
        let [a, b] = &self.moving;
        let (now_a, now_b) = (a.now(), b.now());
        let value = |t: f64| function.value(&a.pose(t), &b.pose(t));
        let motion = function.motion(&now_a, &now_b);
        let by = best_differences(value, ROUNDING, |by| by.curvature_error);
        let (rate, curvature) = ((motion.rate - by.rate).abs(), (motion.curvature - by.curvature).abs());
        let turning = function.normal_rate(&now_a, &now_b);
        let mut turned = 0.0_f64;
        for axis in DVec3::AXES {
            let part = |t: f64| axis.dot(function.normal(&a.pose(t), &b.pose(t)));
            let by = best_differences(part, NORMAL, |by| by.rate_error);
            turned = turned.max((axis.dot(turning) - by.rate).abs() / by.rate_error);
        }
        worst.rate = worst.rate.max(rate);
        worst.curvature = worst.curvature.max(curvature / (1.0 + by.curvature.abs()));
        worst.referee = worst.referee.max(by.curvature_error / (1.0 + by.curvature.abs()));
        let agrees = (motion.value - value(0.0)).abs() <= ROUNDING
            && rate <= by.rate_error
            && curvature <= by.curvature_error
            && turned <= 1.0
            && by.curvature_error <= USEFUL * (1.0 + by.curvature.abs());
        (!agrees).then(|| {
            format!(
                "ḋ = {}, differences {} ± {:e}; d̈ = {}, differences {} ± {:e}; ṅ off by {turned} of its error; {:?}",
                motion.rate,
                by.rate,
                by.rate_error,
                motion.curvature,
                by.curvature,
                by.curvature_error,
                function.normal
            )
        })
    }

    /// The row maps twists to ḋ, and accelerations plus the remainder to d̈, to rounding. [NOTES app. D]
    fn check_row(&self, contact: &Contact) -> Option<String> {
        let function = &contact.function;
        let [a, b] = [0, 1].map(|k| self.moving[k].now());
        let (row, motion) = (function.row(&a.pose, &b.pose), function.motion(&a, &b));
        let rate = row.apply((a.twist.velocity, a.twist.spin), (b.twist.velocity, b.twist.spin));
        let still = |k: &Kinematics| Kinematics { acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO, ..*k };
        let remainder = function.motion(&still(&a), &still(&b)).curvature;
        let whole = row.apply((a.acceleration, a.spin_rate), (b.acceleration, b.spin_rate)) + remainder;
        let (off, off_whole) = ((rate - motion.rate).abs(), (whole - motion.curvature).abs());
        let sound = off <= 16.0 * ROUNDING && off_whole <= 16.0 * ROUNDING * (1.0 + remainder.abs());
        (!sound).then(|| format!("the row gives ḋ off by {off:e}, d̈ by {off_whole:e}"))
    }

    /// A little earlier and later, where the bodies are apart and where they overlap, the function is the separation.
    fn check_distance(&self, contact: &Contact, worst: &mut Worst) -> Option<String> {
        let mut wrong = None;
        for t in [-NEARBY, -0.1 * NEARBY, 0.1 * NEARBY, NEARBY] {
            let [a, b] = self.placed(t);
            let value = contact.function.value(&a.pose, &b.pose);
            let found = separate(&a, &b, &mut Witness::Unknown, &mut Statistics::default());
            let distance = found.expect("the pair is supported").distance;
            // Where one of them has many parts, overlapping the separation is a bound of the depth only.
            let is_composite = self.toys.iter().any(|toy| matches!(toy.geometry, Geometry::Composite(_)));
            let distance =
                if is_composite && value < 0.0 && distance < 0.0 { distance.min(value) } else { distance };
            let off = (value - distance).abs();
            worst.distance = worst.distance.max(off);
            worst.distances += 1;
            if off > 16.0 * ROUNDING {
                wrong = Some(format!(
                    "at {t}: function {value:e}, separation {distance:e}, {:?}",
                    contact.function
                ));
            }
        }
        wrong
    }
}

/// Steps of differences, s: speeds and spins are about 1, lengths down to 0.2, so that the first is a hundredth of what changes;
/// the others are for crossings at small angles, whose feet run along the edges by as much faster, and for feet that come to the
/// tip of a cone: differences reach four steps ahead.
const STEPS: [f64; 6] = [2e-3, 1e-3, 4e-4, 1e-4, 4e-5, 2e-5];

/// How far from the contact its function is compared with the separation, s.
const NEARBY: f64 = 2e-3;

/// The error of a value, m: some 20 ulp of lengths about 1.
const ROUNDING: f64 = 4e-15;

/// The error of a component of a normal: feet are sought until a step is below 1e-8, and what is left is its square by the
/// condition of the feet, which for curves that cross at a sine of 0.1, the least there is, comes to 1/0.1⁴.
const NORMAL: f64 = 1e-12;

/// Differences that leave more than this of a second derivative open are no referee.
const USEFUL: f64 = 1e-3;

/// The differences of the step that leaves least open, by the error of what is wanted.
fn best_differences(
    value: impl Fn(f64) -> f64,
    rounding: f64,
    error: impl Fn(&Differences) -> f64,
) -> Differences {
    let all = STEPS.map(|h| Differences::new(&value, h, rounding));
    all.into_iter().min_by(|p, q| error(p).total_cmp(&error(q))).expect("there are steps")
}

/// How often every pair is put together, with other places on the features and other motions: twice, or `DOLMEN_CASES` times.
fn rounds() -> std::ops::Range<u32> {
    0..std::env::var("DOLMEN_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2)
}

/// What the test saw.
#[derive(Debug, Default)]
struct Worst {
    contacts: usize,
    distances: usize,
    rate: f64,
    curvature: f64,
    referee: f64,
    distance: f64,
}

/// Every ordered pair of shapes, at every pair of their faces, edges, corners, rims, sides and tips, along, across and between
/// each other, both translating and rotating: each contact's function has the separation, the normal, and the derivatives that
/// differences give; and where there is one contact it is the separation of the shapes nearby too. [SYSTEM: B4, C4]
#[test]
fn every_contact_of_every_pair_has_the_kinematics_that_differences_give() {
    let mut random = Random::new(5);
    let (mut wrong, mut worst, mut cases) = (Vec::new(), Worst::default(), 0);
    for kind_a in rounds().flat_map(|_| KINDS) {
        for kind_b in KINDS {
            let toys = [Toy::new(kind_a, &mut random), Toy::new(kind_b, &mut random)];
            if kind_a.ends_with("plane") && kind_b.ends_with("plane") {
                let [a, b] =
                    toys.each_ref().map(|toy| Placed { geometry: &toy.geometry, pose: Pose::IDENTITY });
                let found = separate(&a, &b, &mut Witness::Unknown, &mut Statistics::default());
                assert!(found.is_err(), "{kind_a} on {kind_b}: {found:?}, both are immobile");
                continue;
            }
            for a in &toys[0].spots {
                for b in &toys[1].spots {
                    for twist in TWISTS {
                        let case = Case::new(&mut random, [&toys[0], &toys[1]], [a, b], twist);
                        wrong.extend(case.check(&mut worst));
                        cases += 1;
                    }
                }
            }
        }
    }
    println!("{cases} cases: {worst:?}");
    assert!(wrong.is_empty(), "{} of {} contacts:\n{}", wrong.len(), worst.contacts, wrong.join("\n"));
}
