//! A world as the page needs it: names, masses, and shapes as triangles, each kind of shape once.

use dolmen::math::{Aabb, DVec3, Pose};
use dolmen::shape::{Extent, Fineness, Shape, TriangleSurface, triangulate};
use dolmen::world::{Body, Material, ParticleSet, World};
use serde_json::{Value, json};

use crate::joints::joints;

/// Corners of the polygon that stands for a circle.
const ROUND: Fineness = Fineness::Segments(32);

/// The same in a pile, where each is small.
const ROUND_OF_MANY: Fineness = Fineness::Segments(12);

/// The same where there are so many that each is a few pixels.
const ROUND_IN_A_MULTITUDE: Fineness = Fineness::Segments(8);

/// Bodies that make a pile, and a multitude.
const MANY: usize = 300;
const MULTITUDE: usize = 1200;

/// Half side of the piece of an infinite plane that is shown, by the size of what moves.
const PLANE_REACH: f64 = 12.0;

/// How far a plane may be, by the size of what moves, to count as part of the view.
const FAR: f64 = 60.0;

/// The part of the world that is shown at first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extents {
    /// Its middle, m.
    pub centre: DVec3,
    /// Half of its longest side, m; positive.
    pub size: f64,
}

/// What moves at the start, and the planes near by.
pub fn extents(world: &World) -> Extents {
    let moving = |body: &&Body| body.is_dynamic() && !is_infinite(body);
    let seen: Vec<&Body> = match world.described_bodies().iter().filter(moving).collect::<Vec<_>>() {
        some if !some.is_empty() => some,
        _ => world.described_bodies().iter().filter(|body| !is_infinite(body)).collect(),
    };
    let mut all = Aabb::EMPTY;
    for body in seen {
        let around = Aabb::point(body.start_pose().position).grown(radius(body).min(f64::MAX));
        all = all.join(&around);
    }
    for point in world.sets().iter().flat_map(ParticleSet::positions) {
        all = all.join(&Aabb::point(*point));
    }
    if !(all.min.is_finite() && all.max.is_finite()) {
        return Extents { centre: DVec3::ZERO, size: 1.0 };
    }
    let half = |all: &Aabb| 0.5 * (all.max - all.min).max_element();
    let (middle, size) = (0.5 * (all.min + all.max), half(&all));
    for (pose, plane) in world.described_bodies().iter().filter_map(plane_of) {
        // The foot of the middle on the plane.
        let normal = pose.direction(plane.normal());
        let foot = pose.point(plane.normal() * plane.offset());
        let distance = (middle - foot).dot(normal);
        if distance.abs() < FAR * size {
            all = all.join(&Aabb::point(middle - distance * normal));
        }
    }
    let size = half(&all);
    let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
    Extents { centre: 0.5 * (all.min + all.max), size }
}

/// Which way is up: against gravity; without any, away from the only plane; else along z.
pub fn upright(world: &World) -> DVec3 {
    let mut planes = world.described_bodies().iter().filter_map(plane_of);
    let normal = match (planes.next(), planes.next()) {
        (Some((pose, plane)), None) => pose.direction(plane.normal()),
        _ => DVec3::Z,
    };
    (-world.gravity()).try_normalize().unwrap_or(normal)
}

fn plane_of(body: &Body) -> Option<(Pose, &dolmen::shape::Plane)> {
    match body.shape() {
        Some(Shape::Plane(plane)) if plane.extent() == Extent::Infinite => Some((body.start_pose(), plane)),
        _ => None,
    }
}

fn is_infinite(body: &Body) -> bool {
    plane_of(body).is_some()
}

/// Radius about the centre of mass; zero without a shape.
pub fn radius(body: &Body) -> f64 {
    body.shape().map_or(0.0, |shape| shape.bounding_radius(-body.shape_origin()))
}

/// Everything about a world that does not change in time.
pub fn describe(world: &World) -> Value {
    let extents = extents(world);
    let (surfaces, places) = surfaces(world, &extents);
    let bodies: Vec<Value> = world
        .described_ids()
        .map(|id| {
            let body = world.body(id);
            let inertia = body.inertia();
            json!({
                "name": world.body_name(id),
                "kind": kind(body),
                "shape": places[id.index()],
                "shape_name": body.shape().map_or("none", shape_name),
                "origin": body.shape_origin().to_array(),
                "radius": radius(body),
                "mass": inertia.mass,
                "moments": inertia.moments.to_array(),
                "axes": inertia.axes.to_array(),
                "inertia": inertia.inertia_body.to_cols_array(),
                "material": body.material(),
            })
        })
        .collect();
    let sets: Vec<Value> =
        world.sets().iter().map(|set| json!({ "name": set.name(), "count": set.len() })).collect();
    json!({
        "gravity": world.gravity().to_array(),
        "up": upright(world).to_array(),
        "materials": materials(world),
        "centre": extents.centre.to_array(),
        "size": extents.size,
        "bodies": bodies,
        "shapes": surfaces.iter().map(surface_json).collect::<Vec<_>>(),
        "particles": sets,
        "joints": joints(world),
    })
}

/// The largest and smallest coefficients that any surface has.
fn materials(world: &World) -> Value {
    let contact = world.contact();
    let all: Vec<&Material> = if contact.materials.is_empty() {
        vec![&contact.default_material]
    } else {
        contact.materials.values().chain(contact.pairs.values()).collect()
    };
    let range = |of: fn(&Material) -> f64| {
        let low = all.iter().map(|m| of(m)).fold(f64::INFINITY, f64::min);
        let high = all.iter().map(|m| of(m)).fold(0.0, f64::max);
        [low, high]
    };
    json!({
        "restitution": range(|m| m.restitution),
        "friction": range(|m| m.static_friction),
        "enabled": contact.enabled,
        "law": contact.law.name(),
    })
}

fn kind(body: &Body) -> &'static str {
    match body.prescribed_motion() {
        None => "dynamic",
        Some(dolmen::motion::Prescribed::Still(_)) => "fixed",
        Some(_) => "kinematic",
    }
}

fn shape_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Sphere { .. } => "ball",
        Shape::Cuboid { .. } => "box",
        Shape::Capsule { .. } => "capsule",
        Shape::Cylinder { .. } => "cylinder",
        Shape::Cone { .. } => "cone",
        Shape::Disc { .. } => "disc",
        Shape::Ellipsoid { .. } => "ellipsoid",
        Shape::Hull(_) => "convex polyhedron",
        Shape::Mesh(_) => "mesh",
        Shape::Compound(_) => "compound",
        Shape::Plane(_) => "plane",
    }
}

/// A shape as it is drawn.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// Its triangles, in its own frame.
    pub surface: TriangleSurface,
    /// Whether it is a piece of an infinite plane.
    pub is_floor: bool,
    /// Whether it is round, so that its normals make it look so.
    pub is_round: bool,
}

/// Every shape once, and for each body which one; −1 for none.
pub fn surfaces(world: &World, extents: &Extents) -> (Vec<Drawn>, Vec<i64>) {
    let fineness = match world.described_bodies().len() {
        n if n > MULTITUDE => ROUND_IN_A_MULTITUDE,
        n if n > MANY => ROUND_OF_MANY,
        _ => ROUND,
    };
    let mut shapes: Vec<&Shape> = Vec::new();
    let mut places = Vec::with_capacity(world.described_bodies().len());
    for body in world.described_bodies() {
        let place = body.shape().map_or(-1, |shape| {
            let known = shapes.iter().position(|other| *other == shape);
            let place = known.unwrap_or_else(|| {
                shapes.push(shape);
                shapes.len() - 1
            });
            i64::try_from(place).unwrap_or(-1)
        });
        places.push(place);
    }
    let drawn = shapes.iter().map(|shape| {
        let is_floor = matches!(shape, Shape::Plane(plane) if plane.extent() == Extent::Infinite);
        Drawn {
            surface: triangulate(shape, fineness, PLANE_REACH * extents.size),
            is_floor,
            is_round: !matches!(
                shape,
                Shape::Cuboid { .. } | Shape::Hull(_) | Shape::Mesh(_) | Shape::Plane(_)
            ),
        }
    });
    (drawn.collect(), places)
}

/// A number with so many significant digits: as many as the eye can use, and no more to send.
pub(crate) fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

fn surface_json(drawn: &Drawn) -> Value {
    let surface = &drawn.surface;
    let flat = |points: &[DVec3], digits: usize| -> Vec<f64> {
        points.iter().flat_map(DVec3::to_array).map(|c| rounded(c, digits)).collect()
    };
    // Normals of flat triangles follow from their corners: only what is round sends them.
    let normals: Vec<f64> = if drawn.is_round {
        surface.normals.iter().flat_map(|corners| flat(corners, 3)).collect()
    } else {
        Vec::new()
    };
    json!({
        "vertices": flat(&surface.vertices, 7),
        "triangles": surface.triangles.iter().flatten().collect::<Vec<_>>(),
        "normals": normals,
        "edges": surface.edges.iter().flatten().collect::<Vec<_>>(),
        "floor": drawn.is_floor,
    })
}
