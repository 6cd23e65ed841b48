//! Where the bodies of a pair touch now, or may within the step.

use super::bodies::{Bodies, Solid};
use super::boxes;
use super::manifold::{Found, Manifold, Sight, reduce};
use super::number::{Real, V3, v3};
use super::pairs::{Contact, Family, centre, plane_of};
use super::sleep::Sleep;
use super::tolerances::{FOLLOW, MARGIN, MOST, MOST_MANIFOLDS, NOBODY, ONE_NORMAL};
use super::touch;
use crate::math::Pose;
use crate::narrow_phase::{self, Geometry, Placed, Statistics, UnsupportedPair, Witness};

/// Buffers, one for each thread, and what its contacts came to.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch<R> {
    found: Vec<Found<R>>,
    queried: narrow_phase::Manifold,
    statistics: Statistics,
    /// The deepest overlap, m.
    pub(super) deepest: f64,
    /// The fastest approach of bodies that touch, by the size of the smaller one, 1/s.
    pub(super) haste: f64,
    /// The fastest approach along a normal, by the size of the smaller one, 1/s.
    pub(super) closing: f64,
    /// Islands that sleep and are about to be touched.
    pub(super) woken: Vec<u32>,
    /// The first pair without an answer.
    pub(super) refused: Option<([u32; 2], UnsupportedPair)>,
}

impl<R> Scratch<R> {
    /// Before the contacts of a step.
    pub(super) fn clear(&mut self) {
        (self.deepest, self.haste, self.closing, self.refused) = (0.0, 0.0, 0.0, None);
        self.woken.clear();
    }
}

/// Looks at a pair for a step h, and takes note of what it came to.
pub(super) fn examine<R: Real>(
    contact: &mut Contact<R>,
    bodies: &Bodies<R>,
    (h, sleep): (f64, &Sleep),
    scratch: &mut Scratch<R>,
) {
    if contact.a == NOBODY {
        return;
    }
    let sleeps = [sleep.island(contact.a), sleep.island(contact.b)];
    contact.is_idle = match sleeps {
        [Some(_), Some(_)] => true,
        [Some(_), None] => bodies.constant[contact.b as usize].is_still,
        _ => false,
    };
    if contact.is_idle {
        return;
    }
    if let Err(pair) = look(contact, bodies, h, scratch) {
        let refused = ([contact.a, contact.b], pair);
        if scratch.refused.as_ref().is_none_or(|(first, _)| refused.0 < *first) {
            scratch.refused = Some(refused);
        }
        return;
    }
    if contact.manifold.count == 0 {
        return;
    }
    let least = contact.more.iter().fold(contact.manifold.least(), |s, m| s.smaller(m.least()));
    scratch.deepest = scratch.deepest.max(-least.wide());
    let (a, b) = (contact.a as usize, contact.b as usize);
    let (p, q) = (&bodies.record[a], &bodies.record[b]);
    let turning = p.spin().length().wide() * bodies.constant[a].swing;
    let speed = (p.velocity() - q.velocity()).length().wide() + turning;
    let size = bodies.constant[a].size.min(bodies.constant[b].size);
    scratch.haste = scratch.haste.max(speed / size);
    let rate = touch::rate(&contact.manifold, bodies, a, b);
    scratch.closing = scratch.closing.max(-rate / size);
    if !touch::presses(contact) {
        contact.approach = rate;
    }
    // Half as much again as it comes nearer in the step, as in `drop_separating`: what sleeps has infinite mass until it wakes.
    if least.wide() + 1.5 * h * rate.min(0.0) < 0.0 {
        scratch.woken.extend(sleeps.into_iter().flatten());
    }
}

/// Looks at a pair for a step h.
fn look<R: Real>(
    contact: &mut Contact<R>,
    bodies: &Bodies<R>,
    h: f64,
    scratch: &mut Scratch<R>,
) -> Result<(), UnsupportedPair> {
    let (a, b) = (contact.a as usize, contact.b as usize);
    let (x, y) = (&bodies.constant[a], &bodies.constant[b]);
    let size = x.size.min(y.size);
    let margin = MARGIN * size;
    let (record_a, record_b) = (&bodies.record[a], &bodies.record[b]);
    // A plane has no end: what is near a turns by the way between the two.
    let swing_b =
        if y.swing.is_finite() { y.swing } else { (bodies.position[a] - bodies.position[b]).length() };
    let swing = record_a.spin().length().wide() * x.swing + record_b.spin().length().wide() * swing_b;
    let reach = margin + h * ((record_a.velocity() - record_b.velocity()).length().wide() + swing);
    if contact.manifold.count == 0 {
        let gone = bodies.travel[a] + bodies.travel[b] - contact.travelled;
        if contact.slack - gone > reach {
            return Ok(());
        }
    }
    // Balls around the two tell most pairs apart.
    if y.swing.is_finite() && !matches!(contact.family, Family::Spheres) {
        let apart = (bodies.position[a] - bodies.position[b]).length() - x.ball - y.ball;
        if apart > reach {
            contact.slack = apart;
            contact.travelled = bodies.travel[a] + bodies.travel[b];
            contact.manifold.count = 0;
            contact.more.clear();
            return Ok(());
        }
    }
    let sight = Sight::new(bodies, a, b);
    let turned = [bodies.turned[a], bodies.turned[b]];
    let may_follow = matches!(contact.family, Family::Boxes | Family::CornersPlane | Family::Queries(true));
    if may_follow
        && contact.manifold.count > 0
        && let Some(old) = &contact.sight
        && old.change(&sight, [R::of(x.swing), R::of(swing_b)]) < R::of(FOLLOW * size)
    {
        let between = V3::of(bodies.position[a] - bodies.position[b]);
        contact.manifold.follow(between, turned);
        for manifold in &mut contact.more {
            manifold.follow(between, turned);
        }
        return Ok(());
    }
    contact.travelled = bodies.travel[a] + bodies.travel[b];
    contact.sight = may_follow.then_some(sight);
    if let Family::Queries(_) = contact.family {
        return queries(contact, bodies, (reach, margin, size, h), scratch);
    }
    let found = &mut scratch.found;
    found.clear();
    let (normal, apart) = match contact.family {
        Family::Spheres => spheres(bodies, a, b, R::of(reach), found),
        Family::SpherePlane => sphere_plane(contact, bodies, R::of(reach), found),
        Family::SphereBox(is_exchanged) => sphere_box(bodies, [a, b], is_exchanged, R::of(reach), found),
        Family::Boxes => two_boxes(bodies, a, b, R::of(reach), found),
        Family::CornersPlane | Family::Queries(_) => corners_plane(contact, bodies, R::of(reach), found),
    };
    drop_separating(bodies, a, b, normal, (R::of(margin), R::of(h)), found);
    contact.slack = apart.wide();
    contact.manifold.take(normal, found, turned, R::of(0.1 * size));
    Ok(())
}

/// Leaves out what does not come to touch within the step as things move now; half as much again for forces.
fn drop_separating<R: Real>(
    bodies: &Bodies<R>,
    a: usize,
    b: usize,
    normal: V3<R>,
    (margin, h): (R, R),
    found: &mut Vec<Found<R>>,
) {
    let (p, q) = (&bodies.record[a], &bodies.record[b]);
    let (v, w_a, w_b) = (p.velocity() - q.velocity(), p.spin(), q.spin());
    found.retain(|point| {
        if point.separation < margin {
            return true;
        }
        let rate = normal.dot(v + w_a.cross(point.on_a) - w_b.cross(point.on_b));
        point.separation < margin - rate * h * R::of(1.5)
    });
}

fn between<R: Real>(bodies: &Bodies<R>, a: usize, b: usize) -> V3<R> {
    V3::of(bodies.position[a] - bodies.position[b])
}

fn spheres<R: Real>(
    bodies: &Bodies<R>,
    a: usize,
    b: usize,
    reach: R,
    found: &mut Vec<Found<R>>,
) -> (V3<R>, R) {
    let (Solid::Sphere { radius: r_a }, Solid::Sphere { radius: r_b }) =
        (&bodies.constant[a].solid, &bodies.constant[b].solid)
    else {
        return (V3::zero(), R::of(0.0));
    };
    let (c_a, c_b) = (centre(bodies, a), centre(bodies, b));
    let d = between(bodies, a, b) + c_a - c_b;
    let length = d.length();
    let zero = R::of(0.0);
    let n = if length > zero { d * (R::of(1.0) / length) } else { v3(zero, zero, R::of(1.0)) };
    let separation = length - *r_a - *r_b;
    if separation < reach {
        found.push(Found { on_a: c_a - n * *r_a, on_b: c_b + n * *r_b, separation });
    }
    (n, separation)
}

/// Normal towards a's side, and height of a point given from a's centre of mass above the plane.
fn plane<R: Real>(contact: &Contact<R>, bodies: &Bodies<R>) -> (V3<R>, R) {
    let (normal, offset) = plane_of(bodies, contact.b as usize);
    let height = normal.dot(bodies.position[contact.a as usize]) - offset;
    if contact.is_behind { (-V3::of(normal), R::of(-height)) } else { (V3::of(normal), R::of(height)) }
}

fn sphere_plane<R: Real>(
    contact: &Contact<R>,
    bodies: &Bodies<R>,
    reach: R,
    found: &mut Vec<Found<R>>,
) -> (V3<R>, R) {
    let (a, b) = (contact.a as usize, contact.b as usize);
    let (n, height) = plane(contact, bodies);
    let Solid::Sphere { radius } = &bodies.constant[a].solid else { return (n, height) };
    let c = centre(bodies, a);
    let separation = height + n.dot(c) - *radius;
    if separation < reach {
        let on_a = c - n * *radius;
        found.push(Found { on_a, on_b: between(bodies, a, b) + on_a - n * separation, separation });
    }
    (n, separation)
}

fn corners_plane<R: Real>(
    contact: &Contact<R>,
    bodies: &Bodies<R>,
    reach: R,
    found: &mut Vec<Found<R>>,
) -> (V3<R>, R) {
    let (a, b) = (contact.a as usize, contact.b as usize);
    let (n, height) = plane(contact, bodies);
    let d = between(bodies, a, b);
    let mut least = R::of(f64::from(f32::MAX));
    let mut see = |on_a: V3<R>| {
        let separation = height + n.dot(on_a);
        least = least.smaller(separation);
        if separation < reach {
            found.push(Found { on_a, on_b: d + on_a - n * separation, separation });
        }
    };
    match &bodies.constant[a].solid {
        Solid::Cuboid { half } => {
            let [c0, c1, c2] = bodies.turned[a].columns();
            let (e0, e1, e2) = (c0 * half.x, c1 * half.y, c2 * half.z);
            let c = centre(bodies, a);
            for k in 0..8 {
                let sign = |bit: usize, e: V3<R>| if k & bit == 0 { e } else { -e };
                see(c + sign(1, e0) + sign(2, e1) + sign(4, e2));
            }
        }
        Solid::Hull { vertices } => vertices.iter().for_each(|v| see(bodies.turned[a].rotate(*v))),
        _ => {}
    }
    reduce(found, n);
    (n, least)
}

fn sphere_box<R: Real>(
    bodies: &Bodies<R>,
    [a, b]: [usize; 2],
    is_exchanged: bool,
    reach: R,
    found: &mut Vec<Found<R>>,
) -> (V3<R>, R) {
    let (ball, cuboid) = if is_exchanged { (b, a) } else { (a, b) };
    let (Solid::Sphere { radius }, Solid::Cuboid { half }) =
        (&bodies.constant[ball].solid, &bodies.constant[cuboid].solid)
    else {
        return (V3::zero(), R::of(0.0));
    };
    let zero = R::of(0.0);
    let (c_ball, c_box) = (centre(bodies, ball), centre(bodies, cuboid));
    let d = between(bodies, ball, cuboid) + c_ball - c_box;
    let p = bodies.turned[cuboid].unrotate(d);
    let clamp = |x: R, most: R| x.smaller(most).larger(-most);
    let q = v3(clamp(p.x, half.x), clamp(p.y, half.y), clamp(p.z, half.z));
    let out = p - q;
    let distance = out.length();
    // Out of the box: from the nearest point of it. Within: through the nearest face.
    let (n, separation, foot) = if distance > half.x * R::of(1e-6) {
        (out * (R::of(1.0) / distance), distance, q)
    } else {
        let sign = |x: R| if x < zero { R::of(-1.0) } else { R::of(1.0) };
        let room = [half.x - p.x * sign(p.x), half.y - p.y * sign(p.y), half.z - p.z * sign(p.z)];
        if room[0] <= room[1] && room[0] <= room[2] {
            (v3(sign(p.x), zero, zero), -room[0], v3(half.x * sign(p.x), p.y, p.z))
        } else if room[1] <= room[2] {
            (v3(zero, sign(p.y), zero), -room[1], v3(p.x, half.y * sign(p.y), p.z))
        } else {
            (v3(zero, zero, sign(p.z)), -room[2], v3(p.x, p.y, half.z * sign(p.z)))
        }
    };
    let n = bodies.turned[cuboid].rotate(n);
    let separation = separation - *radius;
    if separation < reach {
        let on_ball = c_ball - n * *radius;
        let on_box = c_box + bodies.turned[cuboid].rotate(foot);
        let (on_a, on_b) = if is_exchanged { (on_box, on_ball) } else { (on_ball, on_box) };
        found.push(Found { on_a, on_b, separation });
    }
    (if is_exchanged { -n } else { n }, separation)
}

fn two_boxes<R: Real>(
    bodies: &Bodies<R>,
    a: usize,
    b: usize,
    reach: R,
    found: &mut Vec<Found<R>>,
) -> (V3<R>, R) {
    let (Solid::Cuboid { half: half_a }, Solid::Cuboid { half: half_b }) =
        (&bodies.constant[a].solid, &bodies.constant[b].solid)
    else {
        return (V3::zero(), R::of(0.0));
    };
    let (c_a, c_b) = (centre(bodies, a), centre(bodies, b));
    // From the centre of mass of b.
    let placed_a = boxes::Placed {
        centre: between(bodies, a, b) + c_a,
        axes: bodies.turned[a].columns(),
        half: *half_a,
    };
    let placed_b = boxes::Placed { centre: c_b, axes: bodies.turned[b].columns(), half: *half_b };
    let lie = boxes::meet(&placed_a, &placed_b, reach, found);
    for point in found.iter_mut() {
        point.on_a += c_a;
        point.on_b += c_b;
    }
    (lie.normal, lie.separation)
}

/// By the queries for any two shapes, in double precision.
fn queries<R: Real>(
    contact: &mut Contact<R>,
    bodies: &Bodies<R>,
    (reach, margin, size, h): (f64, f64, f64, f64),
    scratch: &mut Scratch<R>,
) -> Result<(), UnsupportedPair> {
    let (a, b) = (contact.a as usize, contact.b as usize);
    let (Some(geometry_a), Some(geometry_b)) = (&bodies.constant[a].geometry, &bodies.constant[b].geometry)
    else {
        return Ok(());
    };
    let place = |i: usize| {
        let pose = bodies.pose(i);
        Pose { position: pose.point(bodies.constant[i].origin), orientation: pose.orientation.normalize() }
    };
    let placed_a = Placed { geometry: geometry_a, pose: place(a) };
    let placed_b = Placed { geometry: geometry_b, pose: place(b) };
    let pair = (&placed_a, &placed_b);
    let witness = contact.witness.get_or_insert_with(|| Box::new(Witness::Unknown));
    // How many features are near is known of polytopes at any reach, of others only where they nearly touch: beyond that the nearest
    // points stand for all of them.
    let are_polytopes = [geometry_a, geometry_b].iter().all(|g| matches!(g, Geometry::Polytope(_)));
    let apart = narrow_phase::separate_within(reach, pair, witness, &mut scratch.statistics)?;
    let Some(apart) = apart.filter(|apart| apart.distance.is_finite()) else {
        contact.slack = reach;
        contact.manifold.count = 0;
        contact.more.clear();
        return Ok(());
    };
    contact.slack = apart.distance;
    let near = if are_polytopes { reach } else { 2.0 * margin };
    if apart.distance < near {
        narrow_phase::contacts_within(near, pair, witness, &mut scratch.statistics, &mut scratch.queried)?;
    }
    let turned = [bodies.turned[a], bodies.turned[b]];
    let (x_a, x_b) = (bodies.position[a], bodies.position[b]);
    let all = if apart.distance < near { scratch.queried.contacts() } else { &[] };
    // None is deeper than the two are, but for a margin: rims that nearly touch are told apart only so well.
    let is_sound = |point: &&narrow_phase::Contact| {
        point.separation.is_finite() && point.separation > apart.distance - 2.0 * margin
    };
    let mut points: Vec<&narrow_phase::Contact> = all.iter().filter(is_sound).collect();
    // The deepest first: of more manifolds than there is room for, the shallowest are left out.
    points.sort_by(|p, q| p.separation.total_cmp(&q.separation));
    if points.is_empty() {
        let n = V3::of(apart.normal);
        let [p, q] = apart.points;
        scratch.found.clear();
        let separation = R::of(apart.distance);
        scratch.found.push(Found { on_a: V3::of(p - x_a), on_b: V3::of(q - x_b), separation });
        drop_separating(bodies, a, b, n, (R::of(margin), R::of(h)), &mut scratch.found);
        contact.manifold.take(n, &scratch.found, turned, R::of(0.1 * size));
        contact.more.clear();
        return Ok(());
    }
    let mut used = 0;
    while !points.is_empty() && used < MOST_MANIFOLDS {
        let normal = points[0].normal;
        scratch.found.clear();
        points.retain(|point| {
            if point.normal.dot(normal) < ONE_NORMAL {
                return true;
            }
            // The point lies between the two surfaces.
            let half = 0.5 * point.separation * point.normal;
            scratch.found.push(Found {
                on_a: V3::of(point.point + half - x_a),
                on_b: V3::of(point.point - half - x_b),
                separation: R::of(point.separation),
            });
            false
        });
        let n = V3::of(normal);
        drop_separating(bodies, a, b, n, (R::of(margin), R::of(h)), &mut scratch.found);
        if scratch.found.is_empty() {
            continue;
        }
        reduce(&mut scratch.found, n);
        let near = R::of(0.1 * size);
        if used == 0 {
            contact.manifold.take(n, &scratch.found, turned, near);
        } else {
            if contact.more.len() < used {
                contact.more.push(Manifold::new());
            }
            contact.more[used - 1].take(n, &scratch.found, turned, near);
        }
        used += 1;
    }
    if used == 0 {
        contact.manifold.count = 0;
    }
    contact.more.truncate(used.saturating_sub(1));
    debug_assert!(usize::from(contact.manifold.count) <= MOST);
    Ok(())
}
