//! The separation of curved patches: its value against brute force, its derivatives against differences and closed forms.

use super::common::Random;
use super::function::Moving;
use dolmen::body::Kinematics;
use dolmen::math::{DQuat, DVec3, Pose, Twist, dvec3, real};
use dolmen::narrow_phase::{ContactFunction, Form, Patch};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Point,
    Line,
    Circle,
    Plane,
    Cone,
    Ellipsoid,
}

pub(crate) use Kind::{Circle, Cone, Ellipsoid, Line, Plane, Point};

pub(crate) const KINDS: [Kind; 6] = [Point, Line, Circle, Plane, Cone, Ellipsoid];

/// Every ordered pair of forms that bodies can touch with: all but two planes.
pub(crate) fn pairs() -> impl Iterator<Item = [Kind; 2]> {
    KINDS.into_iter().flat_map(|a| KINDS.map(|b| [a, b])).filter(|pair| *pair != [Plane, Plane])
}

/// A form with a place on it and a direction out of it there, at right angles to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) form: Form,
    pub(crate) point: DVec3,
    outward: DVec3,
    /// Its tangent, or that of it along which it is straight; zero if neither.
    along: DVec3,
}

fn perpendicular(random: &mut Random, to: DVec3) -> DVec3 {
    loop {
        let v = random.direction();
        let across = v - to * to.dot(v);
        if across.length() > 0.3 {
            return across.normalize();
        }
    }
}

impl Place {
    pub(crate) fn new(random: &mut Random, kind: Kind) -> Self {
        let (origin, axis) = (random.vector(), random.direction());
        let e = perpendicular(random, axis);
        match kind {
            Point => Self { form: Form::Point(origin), point: origin, outward: axis, along: DVec3::ZERO },
            Line => {
                let point = origin + axis * random.between(-1.0, 1.0);
                Self { form: Form::Line { point: origin, direction: axis }, point, outward: e, along: axis }
            }
            Circle => {
                let radius = random.between(0.3, 1.0);
                let (sin, cos) = real::sin_cos(random.between(-1.2, 1.2));
                let form = Form::Circle { centre: origin, axis, radius };
                Self { form, point: origin + e * radius, outward: e * cos + axis * sin, along: axis.cross(e) }
            }
            Plane => {
                let form = Form::Plane { point: origin, normal: axis };
                Self { form, point: origin + e, outward: axis, along: DVec3::ZERO }
            }
            Cone => {
                let (sine, cosine) = real::sin_cos(random.between(0.2, 1.2));
                let ruling = axis * cosine + e * sine;
                let form = Form::Cone { apex: origin, axis, sine, cosine };
                let point = origin + ruling * random.between(0.5, 1.5);
                Self { form, point, outward: e * cosine - axis * sine, along: ruling }
            }
            Ellipsoid => {
                let (axes, q) = (random.turn(), random.direction());
                let half =
                    dvec3(random.between(0.3, 1.0), random.between(0.3, 1.0), random.between(0.3, 1.0));
                Self::on_ellipsoid(Form::Ellipsoid { centre: origin, axes, half }, q)
            }
        }
    }

    /// The image of the unit vector q.
    pub(crate) fn on_ellipsoid(form: Form, q: DVec3) -> Self {
        let Form::Ellipsoid { centre, axes, half } = form else { panic!("no ellipsoid: {form:?}") };
        let outward = axes * (q / half).normalize();
        Self { form, point: centre + axes * (half * q), outward, along: DVec3::ZERO }
    }

    /// Everything longer by a factor.
    pub(crate) fn scaled(&self, by: f64) -> Self {
        let form = match self.form {
            Form::Point(point) => Form::Point(point * by),
            Form::Line { point, direction } => Form::Line { point: point * by, direction },
            Form::Circle { centre, axis, radius } => {
                Form::Circle { centre: centre * by, axis, radius: radius * by }
            }
            Form::Plane { point, normal } => Form::Plane { point: point * by, normal },
            Form::Cone { apex, axis, sine, cosine } => Form::Cone { apex: apex * by, axis, sine, cosine },
            Form::Ellipsoid { centre, axes, half } => {
                Form::Ellipsoid { centre: centre * by, axes, half: half * by }
            }
            other => other,
        };
        Self { form, point: self.point * by, ..*self }
    }
}

/// Two patches whose separation is known because they were put where they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meeting {
    pub(crate) places: [Place; 2],
    radii: [f64; 2],
    pub(crate) poses: [Pose; 2],
    pub(crate) normal: DVec3,
    separation: f64,
}

impl Meeting {
    /// The outward directions against each other, `separation` between the surfaces, turned about the normal at random but
    /// not so that two straight lines or tangents are within 0.3 of parallel.
    pub(crate) fn new(random: &mut Random, kinds: [Kind; 2], radii: [f64; 2], separation: f64) -> Self {
        let places = kinds.map(|kind| Place::new(random, kind));
        Self::of(random, &places, radii, separation)
    }

    pub(crate) fn of(random: &mut Random, places: &[Place; 2], radii: [f64; 2], separation: f64) -> Self {
        let normal = random.direction();
        let mut turn = |place: &Place, to: DVec3| {
            let about = DQuat::from_axis_angle(normal, random.between(-3.0, 3.0));
            about * DQuat::from_rotation_arc(place.outward, to)
        };
        let (q_a, q_b) = loop {
            let (q_a, q_b) = (turn(&places[0], -normal), turn(&places[1], normal));
            let [t_a, t_b] = [q_a * places[0].along, q_b * places[1].along];
            let fixed = t_a == DVec3::ZERO || t_b == DVec3::ZERO;
            if fixed || t_a.cross(t_b).length() > 0.3 {
                break (q_a, q_b);
            }
        };
        let b = Pose { position: random.vector(), orientation: q_b };
        let distance = separation + radii[0] + radii[1];
        let position = b.point(places[1].point) + normal * distance - q_a * places[0].point;
        let a = Pose { position, orientation: q_a };
        Self { places: *places, radii, poses: [a, b], normal, separation }
    }

    /// The function, started a little beside the foot points.
    pub(crate) fn function(&self, random: &mut Random) -> ContactFunction {
        let starts = self.places.map(|place| place.point + 0.03 * random.vector());
        self.function_from(starts)
    }

    pub(crate) fn function_from(&self, starts: [DVec3; 2]) -> ContactFunction {
        let patches = [0, 1].map(|k| Patch { form: self.places[k].form, radius: self.radii[k] });
        ContactFunction::between_patches(patches, starts, [&self.poses[0], &self.poses[1]], self.normal)
    }

    /// Everything longer by a factor.
    fn scaled(&self, by: f64) -> Self {
        let poses = self.poses.map(|pose| Pose { position: pose.position * by, ..pose });
        Self {
            places: self.places.map(|place| place.scaled(by)),
            radii: self.radii.map(|radius| radius * by),
            poses,
            separation: self.separation * by,
            ..*self
        }
    }

    pub(crate) fn moving(&self, random: &mut Random) -> [Moving; 2] {
        self.poses.map(|start| Moving { start, ..Moving::random(random) })
    }
}

/// Whether two forms without radius that touch have no normal of their own: a point and a point or curve.
fn has_no_normal(kinds: [Kind; 2]) -> bool {
    let thin = |kind| matches!(kind, Point | Line | Circle);
    kinds.contains(&Point) && kinds.into_iter().all(thin)
}

const RADII: [[f64; 2]; 4] = [[0.0, 0.0], [0.2, 0.0], [0.0, 0.3], [0.2, 0.3]];

/// The separation of patches put at a distance is that distance, apart, touching and overlapping, and so are normal and points.
///
/// Only rounding is left: some 50 operations on numbers up to 4, 1e-14, by the worst condition of the foot points, about 1/0.3².
#[test]
fn patches_put_at_a_distance_are_at_that_distance() {
    let mut random = Random::new(1);
    let mut worst: f64 = 0.0;
    for (kinds, radii) in pairs().flat_map(|kinds| RADII.map(|radii| (kinds, radii))) {
        for separation in [0.3, 1e-9, 0.0, -1e-9, -0.01] {
            if radii == [0.0; 2] && has_no_normal(kinds) && separation <= 0.0 {
                continue;
            }
            for _ in 0..8 {
                let meeting = Meeting::new(&mut random, kinds, radii, separation);
                let function = meeting.function(&mut random);
                let [a, b] = &meeting.poses;
                let (found, normal) = (function.value(a, b), function.normal(a, b));
                let error = (found - separation).abs();
                worst = worst.max(error);
                assert!(error < 1e-13, "{kinds:?} with {radii:?}: {found} for {separation}, {meeting:?}");
                let off = if separation == 1e-9 && radii == [0.0; 2] { 1e-5 } else { 1e-11 };
                assert!(
                    (normal - meeting.normal).length() < off,
                    "{kinds:?}, {radii:?}, {separation}: {normal}"
                );
                let [on_a, on_b] = function.points(a, b);
                let gap = on_a - on_b - normal * found;
                assert!(gap.length() < 1e-11, "{kinds:?}, {radii:?}, {separation}: points {on_a}, {on_b}");
            }
        }
    }
    println!("worst error of a separation: {worst:e}");
}

/// The place of a form `u` away from a point of it, in coordinates of the referee's own.
fn deviation(place: &Place, u: [f64; 2]) -> DVec3 {
    let about = |centre: DVec3, axis: DVec3, x: DVec3, angle: f64| {
        centre + DQuat::from_axis_angle(axis, angle) * (x - centre)
    };
    match place.form {
        Form::Line { direction, .. } => place.point + direction * u[0],
        Form::Circle { centre, axis, .. } => about(centre, axis, place.point, u[0]),
        Form::Plane { normal, .. } => {
            let (t1, t2) = normal.any_orthonormal_pair();
            place.point + t1 * u[0] + t2 * u[1]
        }
        Form::Cone { apex, axis, .. } => about(apex, axis, apex + (place.point - apex) * (1.0 + u[1]), u[0]),
        Form::Ellipsoid { centre, axes, half } => {
            let q = axes.conjugate() * (place.point - centre) / half;
            let (t1, t2) = q.normalize().any_orthonormal_pair();
            centre + axes * (half * (q + t1 * u[0] + t2 * u[1]).normalize())
        }
        _ => place.point,
    }
}

/// How many parameters of a form to search: a cone over a plane stands for one of its rings.
fn dimension(kind: Kind, other: Kind) -> usize {
    match kind {
        Point => 0,
        Line | Circle => 1,
        Cone if other == Plane => 1,
        Plane | Cone | Ellipsoid => 2,
    }
}

/// The least distance of two forms near their places, over grids of five points per parameter that shrink about the best.
fn least_distance(places: &[Place; 2], poses: &[Pose; 2], dimensions: [usize; 2]) -> f64 {
    let distance = |u: &[f64; 4]| {
        let [x, y] = [0, 1].map(|k| poses[k].point(deviation(&places[k], [u[2 * k], u[2 * k + 1]])));
        x.distance(y)
    };
    let (mut best, mut centre, mut width) = (f64::INFINITY, [0.0; 4], 0.25);
    let steps = |k: usize| if k % 2 < dimensions[k / 2] { -2..=2 } else { 0..=0 };
    while width > 1e-8 {
        let around = centre;
        for i in steps(0) {
            for j in steps(1) {
                for k in steps(2) {
                    for l in steps(3) {
                        let offsets = [i, j, k, l].map(|step| f64::from(step) * width / 2.0);
                        let u = [0, 1, 2, 3].map(|m| around[m] + offsets[m]);
                        let here = distance(&u);
                        if here < best {
                            (best, centre) = (here, u);
                        }
                    }
                }
            }
        }
        width *= 0.8;
    }
    best
}

/// After one body was moved and turned a little, the separation is the least distance over dense parameters, less the radii.
///
/// The last grid is 1e-8 wide, so the least distance is right to curvature · 1e-16 and rounding of lengths about 4.
/// A line over a plane has no least distance and is left out.
#[test]
fn values_are_least_distances() {
    let mut random = Random::new(2);
    let mut worst: f64 = 0.0;
    for kinds in pairs().filter(|kinds| !(kinds.contains(&Line) && kinds.contains(&Plane))) {
        for case in 0..3 {
            let meeting = Meeting::new(&mut random, kinds, [0.0; 2], 0.4);
            let [mut a, b] = meeting.poses;
            let foot = a.point(meeting.places[0].point);
            let turn = DQuat::from_scaled_axis(0.05 * random.vector());
            a.position = foot + turn * (a.position - foot) + 0.05 * random.vector();
            a.orientation = turn * a.orientation;
            let dimensions = [dimension(kinds[0], kinds[1]), dimension(kinds[1], kinds[0])];
            let least = least_distance(&meeting.places, &[a, b], dimensions);
            let starts = meeting.places.map(|place| place.point);
            for radii in RADII {
                let function = Meeting { radii, ..meeting }.function_from(starts);
                let (found, expected) = (function.value(&a, &b), least - radii[0] - radii[1]);
                worst = worst.max((found - expected).abs());
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{kinds:?}, case {case}: {found}, least {expected}"
                );
            }
        }
    }
    println!("worst against brute force: {worst:e}");
}

/// ḋ and d̈ by central differences of order 4 at 0, extrapolated from two steps, with their errors.
///
/// With a and b the next terms of their error, differences are off by a h⁴ + b h⁶. Extrapolation corrects that of h/2 by
/// x + y = −a h⁴/16 − 21 b h⁶/320 and leaves 16/21 of y. The correction alone is no bound: it may pass through zero where y
/// does not. That of 2h is 16 (x + 4y), and of |x + y| and |x + 4y|, which are 3y apart, one is at least 3/2 |y|.
pub(crate) struct Differences {
    pub(crate) rate: f64,
    pub(crate) rate_error: f64,
    pub(crate) curvature: f64,
    pub(crate) curvature_error: f64,
}

impl Differences {
    /// `rounding` is the error of a value, m.
    pub(crate) fn new(value: impl Fn(f64) -> f64, h: f64, rounding: f64) -> Self {
        let now = value(0.0);
        let [by_half, by_one, by_two, by_four] =
            [0.5 * h, h, 2.0 * h, 4.0 * h].map(|t| (value(-t), value(t)));
        // From values at one and at two steps of h.
        let at = |h: f64, (m1, p1): (f64, f64), (m2, p2): (f64, f64)| {
            let rate = (m2 - 8.0 * m1 + 8.0 * p1 - p2) / (12.0 * h);
            (rate, (-m2 + 16.0 * m1 - 30.0 * now + 16.0 * p1 - p2) / (12.0 * h * h))
        };
        let (half, whole, double) =
            (at(0.5 * h, by_half, by_one), at(h, by_one, by_two), at(2.0 * h, by_two, by_four));
        let corrected = |half: f64, whole: f64, double: f64| {
            let [here, coarser] = [(half - whole) / 15.0, (whole - double) / 15.0];
            (half + here, here.abs().max(coarser.abs() / 16.0))
        };
        let (rate, rate_left) = corrected(half.0, whole.0, double.0);
        let (curvature, curvature_left) = corrected(half.1, whole.1, double.1);
        // The weights of the finer difference add up to 18/12 by h/2 and 64/12 by h²/4.
        Self {
            rate,
            rate_error: rate_left + 4.0 * rounding / h,
            curvature,
            curvature_error: curvature_left + 24.0 * rounding / (h * h),
        }
    }
}

/// ḋ and d̈ are the derivatives of d along the motion for every pair of forms, with both bodies rotating and accelerating, apart,
/// almost touching, touching and overlapping. [SYSTEM: C4]
#[test]
fn derivatives_agree_with_differences_for_every_pair() {
    let mut random = Random::new(3);
    let (mut worst_rate, mut worst_curvature): (f64, f64) = (0.0, 0.0);
    for (kinds, radii) in pairs().flat_map(|kinds| RADII.map(|radii| (kinds, radii))) {
        for separation in [0.3, 1e-9, 0.0, -0.01] {
            // A distance of two points is not smooth at zero.
            if radii == [0.0; 2] && has_no_normal(kinds) && separation < 0.1 {
                continue;
            }
            for _ in 0..3 {
                let meeting = Meeting::new(&mut random, kinds, radii, separation);
                let function = meeting.function(&mut random);
                let [a, b] = meeting.moving(&mut random);
                let value = |t: f64| function.value(&a.pose(t), &b.pose(t));
                let motion = function.motion(&a.now(), &b.now());
                let by = Differences::new(value, 2e-3, 4e-15);
                let rate = (motion.rate - by.rate).abs();
                let curvature = (motion.curvature - by.curvature).abs();
                let what = format!("{kinds:?}, {radii:?}, {separation}");
                assert!(rate < by.rate_error, "{what}: ḋ = {}, differences {}", motion.rate, by.rate);
                assert!(
                    curvature < by.curvature_error,
                    "{what}: d̈ = {} for {}",
                    motion.curvature,
                    by.curvature
                );
                // The referee itself must be worth something.
                assert!(
                    by.curvature_error < 1e-3 * (1.0 + by.curvature.abs()),
                    "{what}: {}",
                    by.curvature_error
                );
                worst_rate = worst_rate.max(rate);
                worst_curvature = worst_curvature.max(curvature / (1.0 + by.curvature.abs()));
            }
        }
    }
    println!("worst against differences: ḋ {worst_rate:e}, d̈ {worst_curvature:e}");
}

/// The row maps twists to ḋ, and accelerations plus the remainder to d̈, to rounding. [NOTES app. D]
#[test]
fn the_row_of_patches_is_the_linear_part() {
    let mut random = Random::new(4);
    for (kinds, radii) in pairs().flat_map(|kinds| RADII.map(|radii| (kinds, radii))) {
        let meeting = Meeting::new(&mut random, kinds, radii, 0.1);
        let function = meeting.function(&mut random);
        let [a, b] = meeting.moving(&mut random).map(|moving| moving.now());
        let (row, motion) = (function.row(&a.pose, &b.pose), function.motion(&a, &b));
        let rate = row.apply((a.twist.velocity, a.twist.spin), (b.twist.velocity, b.twist.spin));
        assert!((rate - motion.rate).abs() < 1e-13, "{kinds:?}: row gives {rate}, motion {}", motion.rate);
        let still = |k: &Kinematics| Kinematics { acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO, ..*k };
        let remainder = function.motion(&still(&a), &still(&b)).curvature;
        let whole = row.apply((a.acceleration, a.spin_rate), (b.acceleration, b.spin_rate)) + remainder;
        let allowed = 1e-13 * (1.0 + remainder.abs());
        assert!((whole - motion.curvature).abs() < allowed, "{kinds:?}: {whole} and {}", motion.curvature);
    }
}

/// Seen from the bodies' frames, and with the bodies exchanged, it is the same separation, normal and curvature.
#[test]
fn frames_and_roles_do_not_matter_to_patches() {
    let mut random = Random::new(5);
    for (kinds, radii) in pairs().flat_map(|kinds| RADII.map(|radii| (kinds, radii))) {
        let meeting = Meeting::new(&mut random, kinds, radii, 0.1);
        let function = meeting.function(&mut random);
        let moving = meeting.moving(&mut random);
        let [a, b] = [moving[0].now(), moving[1].now()];
        let there = function.motion(&a, &b);
        let back = function.exchanged().motion(&b, &a);
        let close = |x: f64, y: f64| (x - y).abs() < 1e-12 * (1.0 + there.curvature.abs());
        assert!(
            close(back.value, there.value) && close(back.rate, there.rate),
            "{kinds:?}: {back:?}, {there:?}"
        );
        assert!(close(back.curvature, there.curvature), "{kinds:?}: {back:?}, {there:?}");
        let turned = function.exchanged().normal(&b.pose, &a.pose) + function.normal(&a.pose, &b.pose);
        assert!(turned.length() < 1e-12, "{kinds:?}: normals differ by {turned}");

        // The frame of each body such that that of the shape is where it was: P_shape = P_body F.
        let mut frame = || Pose { position: random.vector(), orientation: random.turn() };
        let frames = [frame(), frame()];
        let bodies = [0, 1].map(|k| {
            let orientation = meeting.poses[k].orientation * frames[k].orientation.conjugate();
            Pose { position: meeting.poses[k].position - orientation * frames[k].position, orientation }
        });
        let here = function.in_bodies(&frames[0], &frames[1]).value(&bodies[0], &bodies[1]);
        assert!(close(here, there.value), "{kinds:?}: {here} and {}", there.value);
    }
}

/// Nanometres and kilometres give the same digits: d grows with the lengths, ḋ with lengths and speeds, d̈ too.
#[test]
fn scale_does_not_matter() {
    let mut random = Random::new(6);
    for (kinds, radii) in pairs().flat_map(|kinds| RADII.map(|radii| (kinds, radii))) {
        let meeting = Meeting::new(&mut random, kinds, radii, 0.05);
        let [a, b] = meeting.moving(&mut random).map(|moving| moving.now());
        let starts = meeting.places.map(|place| place.point);
        let one = meeting.function_from(starts).motion(&a, &b);
        for scale in [1e-9, 1e3] {
            let scaled = meeting.scaled(scale);
            let stretch = |body: &Kinematics, pose: Pose| Kinematics {
                pose,
                twist: Twist { velocity: body.twist.velocity * scale, ..body.twist },
                acceleration: body.acceleration * scale,
                ..*body
            };
            let function = scaled.function_from(scaled.places.map(|place| place.point));
            let motion = function.motion(&stretch(&a, scaled.poses[0]), &stretch(&b, scaled.poses[1]));
            let close = |x: f64, y: f64| (x / scale - y).abs() < 1e-11 * (1.0 + one.curvature.abs());
            let same = close(motion.value, one.value)
                && close(motion.rate, one.rate)
                && close(motion.curvature, one.curvature);
            assert!(same, "{kinds:?} at {scale}: {motion:?}, {one:?}");
        }
    }
}

/// Ten thousand kilometres out only the rounding of the positions is lost: 2e-9 m, twice, in d; relative to lengths of 1 in d̈.
#[test]
fn far_from_the_origin_only_positions_round() {
    let mut random = Random::new(7);
    let far = dvec3(1e7, -1e7, 1e7);
    for (kinds, radii) in pairs().flat_map(|kinds| RADII.map(|radii| (kinds, radii))) {
        let meeting = Meeting::new(&mut random, kinds, radii, 0.05);
        let function = meeting.function(&mut random);
        let [a, b] = meeting.moving(&mut random).map(|moving| moving.now());
        let near = function.motion(&a, &b);
        let moved = |body: &Kinematics| {
            let position = body.pose.position + far;
            Kinematics { pose: Pose { position, ..body.pose }, ..*body }
        };
        let there = function.motion(&moved(&a), &moved(&b));
        assert!((there.value - near.value).abs() < 4e-9, "{kinds:?}: {there:?}, {near:?}");
        let allowed = 1e-6 * (1.0 + near.curvature.abs());
        assert!((there.curvature - near.curvature).abs() < allowed, "{kinds:?}: {there:?}, {near:?}");
    }
}
