//! The bodies of a world as the fixed-step driver keeps them.

use super::number::{Quat, Real, Sym3, V3, rotated};
use super::record::{Mobility, Record};
use super::tolerances::SAME_MOMENTS;
use crate::body::Kinematics;
use crate::math::{Aabb, DMat3, DQuat, DVec3, Pose, Twist};
use crate::motion::Motion;
use crate::narrow_phase::Geometry;
use crate::shape::{Extent, Shape, Sides};
use crate::world::{Body, BodyId, World};

/// What the fast paths of detection know of a shape.
#[derive(Debug, Clone)]
pub(super) enum Solid<R> {
    /// Meets nothing.
    None,
    Sphere {
        radius: R,
    },
    Cuboid {
        half: V3<R>,
    },
    /// An infinite plane: normal and offset in the shape's frame, and whether it is met from both sides.
    Plane {
        normal: DVec3,
        offset: f64,
        two_sided: bool,
    },
    /// A convex polyhedron.
    Hull {
        vertices: Vec<V3<R>>,
    },
    /// Left to the queries of `narrow_phase`.
    Other,
}

/// What never changes of a body.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own, and most combinations occur"
)]
pub(super) struct Constant<R> {
    pub(super) solid: Solid<R>,
    pub(super) geometry: Option<Geometry>,
    pub(super) is_dynamic: bool,
    /// Fixed for ever.
    pub(super) is_still: bool,
    /// All faces are flat: the points where it touches another such body move with the two.
    pub(super) is_flat: bool,
    /// No moment of inertia differs from the others.
    pub(super) is_round: bool,
    /// How far its surface moves at most while it turns by a radian: none of a ball's, m.
    pub(super) swing: f64,
    /// Radius of a ball about the centre of mass that holds it, m.
    pub(super) ball: f64,
    /// Its smallest extent, m: what lengths are compared with.
    pub(super) size: f64,
    pub(super) origin: DVec3,
    inertia: Sym3<R>,
    inv_inertia: Sym3<R>,
    pub(super) inv_mass: f64,
    pub(super) mass: f64,
}

/// All bodies: those of the world by rank, and one more that does not move and that unused lanes point at.
#[derive(Debug, Clone)]
pub(super) struct Bodies<R> {
    pub(super) constant: Vec<Constant<R>>,
    pub(super) position: Vec<DVec3>,
    pub(super) orientation: Vec<DQuat>,
    /// The orientation in the working precision, turned in every sub-step.
    pub(super) turned: Vec<Quat<R>>,
    pub(super) record: Vec<Record<R>>,
    pub(super) mobility: Vec<Mobility<R>>,
    /// The way that a body has gone so far at most, with its turns, m.
    pub(super) travel: Vec<f64>,
}

fn sym<R: Real>(m: &DMat3) -> Sym3<R> {
    let e = |i: usize, j: usize| R::of(0.5 * (m.col(j)[i] + m.col(i)[j]));
    Sym3([e(0, 0), e(1, 1), e(2, 2), e(0, 1), e(0, 2), e(1, 2)])
}

fn constant<R: Real>(body: &Body, enabled: bool) -> Constant<R> {
    let shape = body.shape().filter(|_| enabled);
    let origin = body.shape_origin();
    let solid = match shape {
        None => Solid::None,
        Some(Shape::Sphere { radius }) => Solid::Sphere { radius: R::of(*radius) },
        Some(Shape::Cuboid { half }) => Solid::Cuboid { half: V3::of(*half) },
        Some(Shape::Plane(plane)) if plane.extent() == Extent::Infinite => Solid::Plane {
            normal: plane.normal(),
            offset: plane.offset(),
            two_sided: plane.sides() == Sides::Both,
        },
        Some(Shape::Hull(hull)) => {
            Solid::Hull { vertices: hull.vertices().iter().map(|v| V3::of(*v + origin)).collect() }
        }
        Some(_) => Solid::Other,
    };
    let inertia = body.inertia();
    let moments = inertia.moments;
    let spread = moments.max_element() - moments.min_element();
    let bounds = shape.map_or(Aabb::point(DVec3::ZERO), Shape::aabb);
    let is_dynamic = body.is_dynamic();
    Constant {
        geometry: shape.map(Geometry::new),
        is_dynamic,
        is_flat: matches!(shape, Some(Shape::Cuboid { .. } | Shape::Hull(_) | Shape::Mesh(_))),
        is_still: body.prescribed_motion().is_some_and(crate::motion::Prescribed::is_still),
        is_round: !is_dynamic || spread <= SAME_MOMENTS * moments.max_element(),
        ball: shape.map_or(0.0, |shape| shape.bounding_radius(-origin)),
        swing: match shape {
            None => 0.0,
            Some(Shape::Sphere { .. }) => origin.length(),
            Some(shape) => shape.bounding_radius(-origin),
        },
        size: match shape {
            None | Some(Shape::Plane(_)) => f64::INFINITY,
            Some(_) => {
                let sides = bounds.max - bounds.min;
                // A disc has no thickness; its other sides tell its size.
                sides.max_element().min(
                    sides
                        .to_array()
                        .into_iter()
                        .fold(f64::INFINITY, |least, side| if side > 0.0 { least.min(side) } else { least }),
                )
            }
        },
        origin,
        solid,
        inertia: if is_dynamic { sym(&inertia.inertia_body) } else { Sym3::zero() },
        inv_inertia: if is_dynamic { sym(&inertia.inv_inertia_body) } else { Sym3::zero() },
        inv_mass: if is_dynamic { inertia.inv_mass } else { 0.0 },
        mass: if is_dynamic { inertia.mass } else { 0.0 },
    }
}

impl<R: Real> Bodies<R> {
    /// As they start.
    pub(super) fn new(world: &World) -> Self {
        let enabled = world.contact().enabled;
        let mut constants: Vec<_> = world.bodies().iter().map(|body| constant(body, enabled)).collect();
        constants.push(Constant {
            solid: Solid::None,
            geometry: None,
            is_dynamic: false,
            is_still: true,
            is_flat: false,
            is_round: true,
            ball: 0.0,
            swing: 0.0,
            size: f64::INFINITY,
            origin: DVec3::ZERO,
            inertia: Sym3::zero(),
            inv_inertia: Sym3::zero(),
            inv_mass: 0.0,
            mass: 0.0,
        });
        let count = constants.len();
        let mut bodies = Self {
            constant: constants,
            position: vec![DVec3::ZERO; count],
            orientation: vec![DQuat::IDENTITY; count],
            turned: vec![Quat::of(DQuat::IDENTITY); count],
            record: vec![Record::default(); count],
            mobility: vec![Mobility::default(); count],
            travel: vec![0.0; count],
        };
        for (i, body) in world.bodies().iter().enumerate() {
            bodies.set(i, &body.start_pose(), &body.start_twist());
        }
        bodies
    }

    /// The body that unused lanes point at.
    pub(super) fn spare(&self) -> u32 {
        (self.constant.len() - 1) as u32
    }

    /// Puts a body somewhere.
    pub(super) fn set(&mut self, i: usize, pose: &Pose, twist: &Twist) {
        let orientation = pose.orientation.normalize();
        // Clocks of separated pairs must see that it is elsewhere; it may have turned by any angle.
        let way = (pose.position - self.position[i]).length();
        let swing = self.constant[i].swing;
        self.travel[i] += way + if swing.is_finite() { crate::math::real::TAU * swing } else { 0.0 };
        self.position[i] = pose.position;
        self.orientation[i] = orientation;
        self.turned[i] = Quat::of(orientation);
        self.record[i].set_twist(V3::of(twist.velocity), V3::of(twist.spin));
        self.record[i].moved = Default::default();
        self.set_mobility(i);
    }

    /// The inverse inertia in the world as the body is turned.
    pub(super) fn set_mobility(&mut self, i: usize) {
        let constant = &self.constant[i];
        let [xx, yy, zz, xy, xz, yz] = if constant.is_round {
            constant.inv_inertia.0
        } else {
            rotated(&self.turned[i].columns(), &constant.inv_inertia).0
        };
        self.mobility[i] = [xx, yy, zz, xy, xz, yz, R::of(constant.inv_mass), R::of(0.0)];
    }

    /// Where the bodies that follow a prescribed motion are at time `t`, and how they move until `t` + h: by their displacement, so
    /// that they are where they should be after it.
    pub(super) fn prescribe(&mut self, world: &World, driven: &[u32], (t, h): (f64, f64)) {
        for i in driven.iter().map(|i| *i as usize) {
            let Some(motion) = world.bodies()[i].prescribed_motion() else { continue };
            let (now, then) = (motion.pose(t), motion.pose(t + h));
            self.position[i] = now.position;
            self.orientation[i] = now.orientation.normalize();
            self.turned[i] = Quat::of(self.orientation[i]);
            let velocity = (then.position - now.position) / h;
            let turn = then.orientation * now.orientation.inverse();
            let turn = if turn.w < 0.0 { -turn } else { turn };
            let spin = turn.to_scaled_axis() / h;
            self.record[i].set_twist(V3::of(velocity), V3::of(spin));
        }
    }

    /// Keeps the angular momentum of a body through a turn from `old`, and never adds energy: ω' = I(q')⁻¹ I(q) ω.
    pub(super) fn gyrate(&mut self, i: usize, old: Quat<R>) {
        let constant = &self.constant[i];
        let spin = self.record[i].spin();
        let before = old.unrotate(spin);
        let momentum = constant.inertia.apply(before);
        let new = self.turned[i];
        let carried = new.unrotate(old.rotate(momentum));
        let after = constant.inv_inertia.apply(carried);
        let (e_before, e_after) = (momentum.dot(before), carried.dot(after));
        let mut spin = new.rotate(after);
        if e_after > e_before {
            spin = spin * (e_before / e_after).root();
        }
        let velocity = self.record[i].velocity();
        self.record[i].set_twist(velocity, spin);
    }

    /// The spin that a body has h/2 later if nothing acts on it: ω' = I(q')⁻¹ I(q) ω, with q turned by ω h/2 to q'.
    pub(super) fn spin_halfway(&self, i: usize, h: R) -> V3<R> {
        let constant = &self.constant[i];
        let (q, spin) = (self.turned[i], self.record[i].spin());
        let momentum = q.rotate(constant.inertia.apply(q.unrotate(spin)));
        let halfway = q.turned(spin * (h * R::of(0.5)));
        halfway.rotate(constant.inv_inertia.apply(halfway.unrotate(momentum)))
    }

    /// Ends a step: positions and orientations take over what was moved.
    pub(super) fn commit(&mut self, i: usize) {
        let moved = self.record[i].moved;
        let way = V3 { x: moved[0], y: moved[1], z: moved[2] };
        let turn = V3 { x: moved[4], y: moved[5], z: moved[6] };
        self.position[i] += way.wide();
        let q = self.turned[i];
        self.orientation[i] = DQuat::from_xyzw(q.v.x.wide(), q.v.y.wide(), q.v.z.wide(), q.w.wide());
        let swing = self.constant[i].swing;
        // The way of a plane's points has no bound once it turns.
        let swept = if turn.length().wide() == 0.0 { 0.0 } else { turn.length().wide() * swing };
        self.travel[i] += way.length().wide() + swept;
        self.record[i].moved = Default::default();
    }

    pub(super) fn pose(&self, i: usize) -> Pose {
        Pose { position: self.position[i], orientation: self.orientation[i] }
    }

    pub(super) fn twist(&self, i: usize) -> Twist {
        Twist { velocity: self.record[i].velocity().wide(), spin: self.record[i].spin().wide() }
    }

    /// Where it is within the step and how it moves; its acceleration is not known here.
    pub(super) fn kinematics(&self, i: usize) -> Kinematics {
        let moved = &self.record[i].moved;
        let q = self.turned[i];
        let way = DVec3::new(moved[0].wide(), moved[1].wide(), moved[2].wide());
        let orientation = DQuat::from_xyzw(q.v.x.wide(), q.v.y.wide(), q.v.z.wide(), q.w.wide()).normalize();
        Kinematics {
            pose: Pose { position: self.position[i] + way, orientation },
            twist: self.twist(i),
            acceleration: DVec3::ZERO,
            spin_rate: DVec3::ZERO,
        }
    }

    /// Moves and turns it a little more within the step.
    pub(super) fn nudge(&mut self, i: usize, way: DVec3, turn: DVec3) {
        let moved = &mut self.record[i].moved;
        for (e, x) in way.to_array().into_iter().enumerate() {
            moved[e] = moved[e] + R::of(x);
        }
        for (e, x) in turn.to_array().into_iter().enumerate() {
            moved[4 + e] = moved[4 + e] + R::of(x);
        }
        self.turned[i] = self.turned[i].turned(V3::of(turn));
    }

    /// ½ m v² + ½ ω·I ω, J.
    pub(super) fn kinetic(&self, i: usize) -> f64 {
        let constant = &self.constant[i];
        let v = self.record[i].velocity().wide();
        let spin = self.turned[i].unrotate(self.record[i].spin());
        0.5 * constant.mass * v.length_squared() + 0.5 * spin.dot(constant.inertia.apply(spin)).wide()
    }

    /// The kinetic energy that a change of its twist gave: ½ m Δv·(v + v') + ½ Δω·I(ω + ω'), J.
    #[inline]
    pub(super) fn gained(&self, i: usize, (dv, v): (V3<R>, V3<R>), (dw, w): (V3<R>, V3<R>)) -> f64 {
        let constant = &self.constant[i];
        let turning = if constant.is_round {
            dw.dot(constant.inertia.apply(w))
        } else {
            let q = self.turned[i];
            q.unrotate(dw).dot(constant.inertia.apply(q.unrotate(w)))
        };
        0.5 * (constant.mass * dv.dot(v).wide() + turning.wide())
    }

    /// The smallest box around a body, or none for one that meets nothing or has no end.
    pub(super) fn bounds(&self, i: usize) -> Option<Aabb> {
        let constant = &self.constant[i];
        let (x, q) = (self.position[i], self.turned[i]);
        let about = |half: DVec3, centre: DVec3| Some(Aabb { min: centre - half, max: centre + half });
        match &constant.solid {
            Solid::None | Solid::Plane { .. } | Solid::Other => None,
            Solid::Sphere { radius } => {
                about(DVec3::splat(radius.wide()), x + q.rotate(V3::of(constant.origin)).wide())
            }
            Solid::Cuboid { half } => {
                let abs = |v: V3<R>| v.wide().abs();
                let [c0, c1, c2] = q.columns();
                let reach = abs(c0) * half.x.wide() + abs(c1) * half.y.wide() + abs(c2) * half.z.wide();
                about(reach, x + q.rotate(V3::of(constant.origin)).wide())
            }
            Solid::Hull { vertices } => {
                let [c0, c1, c2] = q.columns();
                let rows = [
                    V3 { x: c0.x, y: c1.x, z: c2.x },
                    V3 { x: c0.y, y: c1.y, z: c2.y },
                    V3 { x: c0.z, y: c1.z, z: c2.z },
                ];
                let (mut min, mut max) = ([R::of(f64::from(f32::MAX)); 3], [R::of(f64::from(f32::MIN)); 3]);
                for vertex in vertices {
                    for (e, row) in rows.iter().enumerate() {
                        let reach = row.dot(*vertex);
                        min[e] = min[e].smaller(reach);
                        max[e] = max[e].larger(reach);
                    }
                }
                let wide = |v: [R; 3]| DVec3::new(v[0].wide(), v[1].wide(), v[2].wide());
                Some(Aabb { min: x + wide(min), max: x + wide(max) })
            }
        }
    }
}

/// The smallest box around any shape at a pose.
pub(super) fn bounds_of(shape: &Shape, origin: DVec3, pose: &Pose) -> Aabb {
    let back = pose.orientation.inverse();
    let at = pose.point(origin);
    let reach = |d: DVec3| shape.reach(back * d);
    let max = DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z));
    let min = -DVec3::new(reach(-DVec3::X), reach(-DVec3::Y), reach(-DVec3::Z));
    Aabb { min: at + min, max: at + max }
}

/// The id of a body by its place.
pub(super) fn id_of(i: usize) -> BodyId {
    BodyId::from_rank(i)
}
