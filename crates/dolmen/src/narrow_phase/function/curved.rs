//! Where two patches are nearest, and how that changes.
//!
//! A patch is all points at a distance ρ outside of a form, so the separation of two is d = D − ρ_a − ρ_b with
//!
//! ```text
//! p_a(u) − p_b(v) = D n,   n·∂p_a/∂u = 0,   n·∂p_b/∂v = 0,   |n| = 1, from b to a
//! ```
//!
//! n is the outward normal of the form of b, or the inward one of that of a, if that is a surface. Otherwise D ≥ 0 where one
//! of the radii is not zero or one form is a point; two curves that touch themselves (D = 0) have n along `t_a` × `t_b`.
//!
//! Changes of u and v do not change D to first order, so ḋ = n·(ṗ_a − ṗ_b) of the points of the bodies that are the foot
//! points just now; once more, with u̇, v̇ and ṅ from [`System`],
//!
//! ```text
//! d̈ = ṅ·w + n·(p̈_a − p̈_b + ω_a×(T_a u̇) − ω_b×(T_b v̇)),   w = ṗ_a − ṗ_b
//! ```
//!
//! [NOTES app. D for points of bodies; here with foot points that move over them]

use super::changing::NO_NORMAL;
use super::form::{Frame, Spot};
use super::system::{Change, System};
use super::{ContactMotion, Form, Patch};
use crate::body::Kinematics;
use crate::math::Row;
use crate::math::{DVec3, Pose};

/// Steps of Newton's iteration before foot points count as undetermined. From within half a radius of curvature it takes
/// five; halving steps from anywhere on a form, some twenty.
const STEPS: usize = 48;

/// The longest step, in radians or in lengths over which a form is straight: beyond, its second derivatives say nothing.
const LONGEST: f64 = 0.5;

/// A step below this is the last but one: the next one is its square, below rounding. A decade more would leave 1e-14; less
/// would only spend another step.
const NEARLY: f64 = 1e-8;

/// A step below this that is not even half of the one before is rounding, of foot points that are badly determined.
const STALLED: f64 = 1e-4;

/// Sine of the angle between two curves above which their cross product is the better first guess of the normal.
const CROSSING: f64 = 0.1;

/// Two patches at their nearest points.
pub(super) struct Touch {
    /// At the foot points, from the origin of each body, world axes.
    frames: [Frame; 2],
    /// n; zero when there is none.
    pub(super) normal: DVec3,
    /// D, m.
    distance: f64,
    radii: [f64; 2],
}

impl Touch {
    /// Of patches with starting points on their forms, each in its own frame, at these poses.
    ///
    /// Where the foot points are not determined (parallel lines, a line or a circle flat on a plane, circles about one axis,
    /// a point on the axis of a circle) the weaker form is taken as its starting point, which then belongs to its body, and
    /// if need be the other too. The normal is zero when even these two points fall together.
    pub(super) fn new(patches: [&Patch; 2], starts: [DVec3; 2], poses: [&Pose; 2]) -> Self {
        let radii = patches.map(|patch| patch.radius);
        let place = |k: usize| {
            let about = Pose { position: DVec3::ZERO, orientation: poses[k].orientation };
            (patches[k].form.placed(&about), about.point(starts[k]))
        };
        let ((form_a, start_a), (form_b, start_b)) = (place(0), place(1));
        let pair = Pair {
            forms: [form_a, form_b],
            starts: [start_a, start_b],
            shift: poses[0].position - poses[1].position,
            sharp: radii == [0.0; 2],
        };
        let Feet { frames, normal } = pair.feet();
        Self { distance: normal.dot(pair.between(&frames)), frames, normal, radii }
    }

    /// d, m.
    pub(super) fn separation(&self) -> f64 {
        self.distance - self.radii[0] - self.radii[1]
    }

    /// The points of the two surfaces, world frame.
    pub(super) fn points(&self, a: &Pose, b: &Pose) -> [DVec3; 2] {
        [
            a.position + (self.frames[0].point - self.normal * self.radii[0]),
            b.position + (self.frames[1].point + self.normal * self.radii[1]),
        ]
    }

    /// n and arm × n: the radii are along n and add nothing.
    pub(super) fn row(&self) -> Row {
        let [arm_a, arm_b] = [self.frames[0].point, self.frames[1].point];
        Row::of_point(self.normal, arm_a, arm_b)
    }

    /// The relative velocity of the foot points as points of the bodies, and how foot points and normal change.
    fn rates(&self, a: &Kinematics, b: &Kinematics) -> (DVec3, Change) {
        let (n, bodies) = (self.normal, [a, b]);
        let w = a.twist.at(self.frames[0].point) - b.twist.at(self.frames[1].point);
        if n == DVec3::ZERO {
            return (w, Change::NONE);
        }
        let tilt = [0, 1].map(|k: usize| {
            self.frames[k].tangents.map(|tangent| n.dot(bodies[k].twist.spin.cross(tangent)))
        });
        (w, System::new(&self.frames, n, self.distance).solve(w, tilt).unwrap_or(Change::NONE))
    }

    /// The velocity of the point of the surface of a that is nearest to b: ṗ_a + T_a u̇ − ρ_a ṅ.
    pub(super) fn point_velocity(&self, a: &Kinematics, b: &Kinematics) -> DVec3 {
        let (_, rates) = self.rates(a, b);
        let frame = &self.frames[0];
        a.twist.at(frame.point) + frame.along(rates.parameters[0]) - self.radii[0] * rates.normal
    }

    /// ṅ; zero where the system is singular.
    pub(super) fn normal_rate(&self, a: &Kinematics, b: &Kinematics) -> DVec3 {
        self.rates(a, b).1.normal
    }

    /// d, ḋ and d̈; where the system is singular, with foot points that stay where they are in the bodies.
    pub(super) fn motion(&self, a: &Kinematics, b: &Kinematics) -> ContactMotion {
        let (n, bodies) = (self.normal, [a, b]);
        let arm = |k: usize| self.frames[k].point;
        let (w, rates) = self.rates(a, b);
        // p̈ + ω×(T u̇) = v̇ + ω̇×r + ω×(ω×r + T u̇)
        let acceleration = |k: usize| {
            let (body, spin) = (bodies[k], bodies[k].twist.spin);
            let over_body = self.frames[k].along(rates.parameters[k]);
            body.acceleration + body.spin_rate.cross(arm(k)) + spin.cross(spin.cross(arm(k)) + over_body)
        };
        ContactMotion {
            value: self.separation(),
            rate: n.dot(w),
            curvature: rates.normal.dot(w) + n.dot(acceleration(0) - acceleration(1)),
        }
    }
}

/// The tangents of two forms at the places nearest to given points, in the world; none for what is no curve.
pub(super) fn tangents(forms: [&Form; 2], points: [DVec3; 2], poses: [&Pose; 2]) -> [Option<DVec3>; 2] {
    [0, 1].map(|k| {
        let spot = forms[k].nearest(points[k])?;
        let frame = Some(forms[k].frame(&spot)).filter(|frame| frame.dimension == 1)?;
        Some(poses[k].direction(frame.tangents[0]))
    })
}

/// Turns the sense of the form of a, if need be, so that two curves have n along `t_a` × `t_b`.
pub(super) fn with_sense(a: Form, points: [DVec3; 2], b: &Form, poses: [&Pose; 2], normal: DVec3) -> Form {
    let [Some(t_a), Some(t_b)] = tangents([&a, b], points, poses) else { return a };
    if t_a.cross(t_b).dot(normal) >= 0.0 {
        return a;
    }
    match a {
        Form::Line { point, direction } => Form::Line { point, direction: -direction },
        Form::Circle { centre, axis, radius } => Form::Circle { centre, axis: -axis, radius },
        other => other,
    }
}

/// Two forms, each about the origin of its body, in world axes.
#[derive(Clone, Copy)]
struct Pair {
    forms: [Form; 2],
    starts: [DVec3; 2],
    /// From the origin of b to that of a, m.
    shift: DVec3,
    /// Both radii are zero.
    sharp: bool,
}

/// The foot points and the normal.
#[derive(Clone, Copy)]
struct Feet {
    frames: [Frame; 2],
    normal: DVec3,
}

impl Feet {
    fn exchanged(self) -> Self {
        Self { frames: [self.frames[1], self.frames[0]], normal: -self.normal }
    }
}

impl Pair {
    /// r = `p_a` − `p_b`, m.
    fn between(&self, frames: &[Frame; 2]) -> DVec3 {
        self.shift + (frames[0].point - frames[1].point)
    }

    /// Always an answer: see [`Touch::new`].
    fn feet(&self) -> Feet {
        // A surface says more than a curve, and a plane most: the other is frozen first.
        let strength = |k: usize| match self.forms[k] {
            Form::Point(_) => 0,
            Form::Line { .. } | Form::Circle { .. } => 1,
            Form::Cone { .. } | Form::Ellipsoid { .. } => 2,
            Form::Plane { .. } => 3,
        };
        let weaker = usize::from(strength(0) > strength(1));
        let nowhere = || Feet { frames: self.starts.map(Frame::fixed), normal: DVec3::ZERO };
        self.solve()
            .or_else(|| self.frozen(weaker).solve())
            .or_else(|| self.frozen(0).frozen(1).solve().map(|feet| self.with_sense_of_start(&feet)))
            .unwrap_or_else(nowhere)
    }

    /// With a form replaced by its starting point.
    fn frozen(&self, k: usize) -> Self {
        let mut pair = *self;
        let form = &self.forms[k];
        let start = form.nearest(self.starts[k]).map_or(self.starts[k], |spot| form.frame(&spot).point);
        pair.forms[k] = Form::Point(start);
        pair
    }

    /// Two points know no inside: the sense is that of the surface they were taken from, if any.
    fn with_sense_of_start(&self, feet: &Feet) -> Feet {
        let outward = |k: usize| {
            let form = &self.forms[k];
            form.nearest(self.starts[k]).and_then(|spot| form.outward(&spot))
        };
        let sense = outward(1).or_else(|| outward(0).map(|n| -n));
        let flip = sense.is_some_and(|sense| feet.normal.dot(sense) < 0.0);
        Feet { normal: if flip { -feet.normal } else { feet.normal }, ..*feet }
    }

    fn exchanged(&self) -> Self {
        let Self { forms: [a, b], starts: [start_a, start_b], shift, sharp } = *self;
        Self { forms: [b, a], starts: [start_b, start_a], shift: -shift, sharp }
    }

    /// In closed form where there is one; none where the foot points are not determined.
    fn solve(&self) -> Option<Feet> {
        use Form::{Ellipsoid, Line, Plane, Point};
        match (&self.forms[0], &self.forms[1]) {
            (Point(_), Ellipsoid { .. }) | (Ellipsoid { .. }, Point(_)) => self.newton(),
            (Point(_), _) => self.point_and_form(),
            (Line { .. }, Line { .. }) => self.between_lines(),
            (_, Plane { normal, .. }) => self.over_plane(&self.forms[0], *normal),
            (_, Point(_)) | (Plane { .. }, _) => self.exchanged().solve().map(Feet::exchanged),
            _ => self.newton(),
        }
    }

    /// a is a point and b anything on which the nearest place is known.
    fn point_and_form(&self) -> Option<Feet> {
        let spot_a = self.forms[0].nearest(DVec3::ZERO)?;
        let from_b = self.shift + self.forms[0].frame(&spot_a).point;
        self.finish([spot_a, self.forms[1].nearest(from_b)?], None)
    }

    /// Two lines: with c = `e_a` × `e_b` the feet are where r + s `e_a` − t `e_b` is along c.
    fn between_lines(&self) -> Option<Feet> {
        let (start, frames) = self.start()?;
        let [e_a, e_b] = [frames[0].tangents[0], frames[1].tangents[0]];
        let (r, c) = (self.between(&frames), e_a.cross(e_b));
        if c.length() <= NO_NORMAL {
            return None;
        }
        let by = -1.0 / c.length_squared();
        let steps = [[r.dot(e_b.cross(c)) * by, 0.0], [r.dot(e_a.cross(c)) * by, 0.0]];
        let spots = [0, 1].map(|k| self.forms[k].moved(&start[k], &frames[k], steps[k]));
        self.finish(spots, Some(c.normalize()))
    }

    /// `low` of a over the plane that is b: the lowest point of a circle, of an ellipsoid, of the ring of a cone through the
    /// start (its side would touch along a whole ruling; the ring is one point of it). Lines and planes have no lowest point.
    fn over_plane(&self, low: &Form, normal: DVec3) -> Option<Feet> {
        let spot_a = match *low {
            Form::Circle { centre, radius, .. } => low.nearest(centre - normal * radius)?,
            Form::Ellipsoid { .. } => low.farthest_on_ellipsoid(-normal)?,
            Form::Cone { .. } => {
                let ring = low.ring(&low.nearest(self.starts[0])?)?;
                return Self { forms: [ring, self.forms[1]], ..*self }.over_plane(&ring, normal);
            }
            Form::Point(_) | Form::Line { .. } | Form::Plane { .. } => return None,
        };
        let from_b = self.shift + low.frame(&spot_a).point;
        self.finish([spot_a, self.forms[1].nearest(from_b)?], None)
    }

    /// The starting spots with their frames.
    fn start(&self) -> Option<([Spot; 2], [Frame; 2])> {
        let spots = [self.forms[0].nearest(self.starts[0])?, self.forms[1].nearest(self.starts[1])?];
        Some((spots, self.frames(&spots)))
    }

    fn frames(&self, spots: &[Spot; 2]) -> [Frame; 2] {
        [0, 1].map(|k| self.forms[k].frame(&spots[k]))
    }

    /// By iteration, from the nearer of the starting points and what is nearest to one of them on the other form: a wheel
    /// has carried its starting point away after half a turn, its partner has not.
    fn newton(&self) -> Option<Feet> {
        let (spots, frames) = self.start()?;
        let on_a = self.forms[0].nearest(frames[1].point - self.shift).map(|spot| [spot, spots[1]]);
        let on_b = self.forms[1].nearest(frames[0].point + self.shift).map(|spot| [spots[0], spot]);
        let far = |spots: &Option<[Spot; 2]>| {
            spots.map_or(f64::INFINITY, |s| self.between(&self.frames(&s)).length_squared())
        };
        let mut starts = [Some(spots), on_a, on_b];
        starts.sort_by(|p, q| far(p).total_cmp(&far(q)));
        starts.into_iter().flatten().find_map(|spots| self.newton_from(spots))
    }

    /// Newton's iteration in charts that are centred anew after each step.
    fn newton_from(&self, mut spots: [Spot; 2]) -> Option<Feet> {
        let mut n = self.guess_normal(&spots)?;
        let (mut nearly, mut before) = (false, f64::INFINITY);
        for _ in 0..STEPS {
            let frames = self.frames(&spots);
            let r = self.between(&frames);
            let tilt = [0, 1].map(|k: usize| frames[k].tangents.map(|tangent| n.dot(tangent)));
            let step = System::new(&frames, n, n.dot(r)).solve(r, tilt)?;
            let stretch = |k: usize| self.forms[k].stretch(&spots[k], &frames[k], step.parameters[k]);
            let size = step.normal.length().max(stretch(0)).max(stretch(1));
            let part = if size > LONGEST { LONGEST / size } else { 1.0 };
            let moved =
                |k: usize| self.forms[k].moved(&spots[k], &frames[k], step.parameters[k].map(|u| u * part));
            spots = [moved(0), moved(1)];
            n = (n + step.normal * part).try_normalize()?;
            if nearly {
                return self.finish(spots, Some(n));
            }
            nearly = size < NEARLY || (size < STALLED && size > 0.5 * before);
            before = size;
        }
        None
    }

    /// The normal of a surface, or across two curves, or along what lies between the points.
    fn guess_normal(&self, spots: &[Spot; 2]) -> Option<DVec3> {
        let outward = |k: usize| self.forms[k].outward(&spots[k]);
        match (outward(0), outward(1)) {
            (Some(a), Some(b)) => return (b - a).try_normalize(),
            (None, Some(b)) => return Some(b),
            (Some(a), None) => return Some(-a),
            (None, None) => {}
        }
        let frames = self.frames(spots);
        let (r, [t_a, t_b]) = (self.between(&frames), [frames[0].tangents[0], frames[1].tangents[0]]);
        let cross = t_a.cross(t_b);
        if cross.length() > CROSSING {
            return Some(cross.normalize());
        }
        let across = r - t_a * t_a.dot(r);
        let across = across - t_b * t_b.dot(across);
        let sizes = r.length() + frames[0].point.length() + frames[1].point.length();
        if across.length() > NO_NORMAL * sizes { across.try_normalize() } else { cross.try_normalize() }
    }

    /// The frames at the spots and the normal in its right sense; by default along the surface or along r.
    fn finish(&self, spots: [Spot; 2], normal: Option<DVec3>) -> Option<Feet> {
        let frames = self.frames(&spots);
        let r = self.between(&frames);
        let outward = [0, 1].map(|k| self.forms[k].outward(&spots[k]));
        // Two surfaces with normals to the same side touch from within: not a place where bodies meet.
        if let [Some(a), Some(b)] = outward
            && a.dot(b) > 0.0
        {
            return None;
        }
        let surface = outward[1].or_else(|| outward[0].map(|n| -n));
        let sizes = frames[0].point.length() + frames[1].point.length();
        let along = || if r.length() > NO_NORMAL * sizes { r.try_normalize() } else { None };
        let normal = normal.or(surface).or_else(along)?;
        let curves = frames[0].dimension == 1 && frames[1].dimension == 1;
        let crossing = || frames[0].tangents[0].cross(frames[1].tangents[0]);
        let sense = surface.unwrap_or_else(|| if self.sharp && curves { crossing() } else { r });
        Some(Feet { frames, normal: if normal.dot(sense) < 0.0 { -normal } else { normal } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, dvec3};
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    fn vector(random: &mut Pcg64Mcg) -> DVec3 {
        let mut part = || (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        dvec3(part(), part(), part())
    }

    /// One of each form with a closed form against some other.
    fn forms(random: &mut Pcg64Mcg) -> [Form; 6] {
        let mut at = || vector(random);
        let axis = at().try_normalize().unwrap_or(DVec3::Z);
        [
            Form::Point(at()),
            Form::Line { point: at(), direction: axis },
            Form::Circle { centre: at(), axis, radius: 0.7 },
            Form::Plane { point: at(), normal: axis },
            Form::Cone { apex: at(), axis, sine: 0.6, cosine: 0.8 },
            Form::Ellipsoid {
                centre: at(),
                axes: DQuat::from_rotation_x(at().x),
                half: dvec3(0.5, 0.8, 1.0),
            },
        ]
    }

    /// The iteration, started beside the foot points of a closed form, ends at them; in both orders.
    #[test]
    fn the_iteration_agrees_with_the_closed_forms() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let closed =
            [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (2, 3), (5, 3)].map(|(a, b)| [(a, b), (b, a)]);
        let mut compared = 0;
        for (a, b) in (0..100).flat_map(|_| closed.into_iter().flatten()) {
            let (forms_a, forms_b) = (forms(&mut random), forms(&mut random));
            let mut pair = Pair {
                forms: [forms_a[a], forms_b[b]],
                starts: [vector(&mut random), vector(&mut random)],
                shift: 2.0 * vector(&mut random),
                sharp: false,
            };
            let Some(feet) = pair.solve() else { continue };
            // Where tangents are almost parallel, D almost zero or an axis or a tip close the feet are badly determined, and not
            // to be compared.
            let distance = feet.normal.dot(pair.between(&feet.frames));
            let close_to_tip = feet.frames.iter().any(|frame| frame.curvature() > 8.0);
            let [t_a, t_b] = [feet.frames[0].tangents[0], feet.frames[1].tangents[0]];
            if distance < 0.1 || close_to_tip || ((a, b) == (1, 1) && t_a.cross(t_b).length() < 0.1) {
                continue;
            }
            pair.starts = [0, 1].map(|k: usize| feet.frames[k].point + 0.02 * vector(&mut random));
            let found = pair.start().and_then(|(spots, _)| pair.newton_from(spots));
            let Some(found) = found else { panic!("no feet for {:?}", pair.forms) };
            compared += 1;
            let off =
                (0..2).map(|k| found.frames[k].point.distance(feet.frames[k].point)).fold(0.0, f64::max);
            let turned = found.normal.distance(feet.normal);
            // Feet are right to rounding by the condition, at most 1/0.1² here.
            assert!(off < 1e-12 && turned < 1e-12, "{:?}: feet off by {off}, normal by {turned}", pair.forms);
        }
        assert!(compared > 1000, "only {compared} comparisons");
    }
}
