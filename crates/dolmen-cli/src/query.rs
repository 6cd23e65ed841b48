//! `dolmen query`: questions to a scene at an instant.

use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use dolmen::broad_phase::Statistics;
use dolmen::broad_phase::volume::{OrientedBox, PolyCube, Sphere, box_of_points, volume};
use dolmen::drive::Driver;
use dolmen::drive::exact::Simulation;
use dolmen::math::{DVec3, Pose};
use dolmen::query::{self, Arrangement, Crossing, QueryError};
use dolmen::shape::{Fineness, Shape, triangulate};
use dolmen::triangle::{Intersection, Kind, Triangle, intersect};
use dolmen::world::{BodyId, World};

use crate::args::QueryOptions;
use crate::built_in::{self, Found};
use crate::check::{at_place, digits};
use crate::failure::Failure;
use crate::{run_fixed, run_intro};

/// Corners of a circle where a round surface is asked about as triangles.
const SEGMENTS: u32 = 32;

/// Cells of a poly-cube along the longest side: the middle row of the table in `docs/bounding-volumes.md`.
const CELLS: usize = 8;

/// Pairs of triangles that are told one by one; more are counted.
const MOST_PAIRS: usize = 100;

/// Three numbers with commas between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point(DVec3);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some([x, y, z]) if [x, y, z].iter().all(|number| number.is_finite()) => {
                Ok(Self(DVec3::new(*x, *y, *z)))
            }
            _ => Err("give three finite numbers, as in 0,0.5,2".to_owned()),
        }
    }
}

/// An origin and a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    origin: DVec3,
    direction: DVec3,
}

impl FromStr for Ray {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ends = text
            .split_once(':')
            .and_then(|(from, to)| Some((Point::from_str(from).ok()?, Point::from_str(to).ok()?)));
        let (origin, direction) = ends.ok_or("give an origin and a direction, as in 0,0,5:0,0,-1")?;
        Ok(Self { origin: origin.0, direction: direction.0 })
    }
}

/// Two bodies by name.
#[derive(Debug, Clone)]
pub(crate) struct Pair([String; 2]);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = text.split_once(',').map(|(a, b)| [a, b].map(|name| name.trim().to_owned()));
        names.map(Self).ok_or_else(|| "give two bodies, as in floor,box".to_owned())
    }
}

/// Answers what was asked, in the order of the options' list.
pub(crate) fn query(options: &QueryOptions) -> Result<(), Failure> {
    let found = built_in::find(&options.scene)?;
    let world = found.document.build(&found.base).map_err(|errors| Failure::input(errors.to_string()))?;
    let world = Arc::new(world);
    let mut bodies = Arrangement::new(&world);
    place(&mut bodies, &found, &world, options.at)?;
    let asked = Asked { world: &world, bodies: &bodies };
    let mut text = String::new();
    for ray in &options.ray {
        asked.tell_ray(*ray, &mut text)?;
    }
    for point in &options.nearest {
        asked.tell_nearest(point.0, &mut text)?;
    }
    for point in &options.contains {
        asked.tell_containing(point.0, &mut text)?;
    }
    for pair in &options.closest {
        asked.tell_closest(pair, &mut text)?;
    }
    for pair in &options.triangles {
        asked.tell_triangles(pair, &mut text)?;
    }
    if options.overlaps {
        asked.tell_overlaps(&mut text)?;
    }
    if options.volumes {
        asked.tell_volumes(&mut text);
    }
    if text.is_empty() {
        return Err(Failure::input("nothing was asked\n  help: `dolmen query --help` lists the questions"));
    }
    crate::print(&text)
}

/// Takes bodies to where the driver of the scene has them at `t`.
fn place(bodies: &mut Arrangement, found: &Found, world: &Arc<World>, t: f64) -> Result<(), Failure> {
    if !t.is_finite() || t < 0.0 {
        return Err(Failure::input(format!("--at {t}: give a time of 0 s or later")));
    }
    let scene = found.document.scene();
    if let Some(settings) = run_intro::settings(scene) {
        return place_by(bodies, run_intro::start(Arc::clone(world), settings)?, t);
    }
    if let Some(settings) = run_fixed::settings(scene) {
        return place_by(bodies, run_fixed::start(found, Arc::clone(world), settings)?, t);
    }
    let simulation = Simulation::new(Arc::clone(world))
        .map_err(|stop| Failure::input(at_place(&found.document, &stop)))?;
    place_by(bodies, simulation, t)
}

fn place_by<D: Driver>(bodies: &mut Arrangement, mut driver: D, t: f64) -> Result<(), Failure> {
    if t > 0.0 {
        driver
            .advance_into(t, &mut Vec::new(), &mut |_| true)
            .map_err(|stop| Failure::stopped(stop.to_string()))?;
    }
    bodies.place(|id| driver.pose(id)).map_err(|error| refused(&error))
}

fn refused(error: &QueryError) -> Failure {
    Failure::input(error.to_string())
}

fn shown(v: DVec3) -> String {
    let [x, y, z] = v.to_array().map(digits);
    format!("({x}, {y}, {z})")
}

/// Bodies in their places.
struct Asked<'a> {
    world: &'a World,
    bodies: &'a Arrangement,
}

impl Asked<'_> {
    fn name(&self, id: BodyId) -> String {
        self.world.body_name(id)
    }

    fn body(&self, name: &str) -> Result<BodyId, Failure> {
        self.world.find_body(name).ok_or_else(|| {
            Failure::input(format!(
                "there is no body `{name}` in this scene\n  help: `dolmen check` lists its bodies"
            ))
        })
    }

    fn pair(&self, pair: &Pair) -> Result<[BodyId; 2], Failure> {
        Ok([self.body(&pair.0[0])?, self.body(&pair.0[1])?])
    }

    fn tell_ray(&self, ray: Ray, text: &mut String) -> Result<(), Failure> {
        let Ray { origin, direction } = ray;
        let hits = query::cast_ray_all(self.bodies, origin, direction, f64::INFINITY)
            .map_err(|error| refused(&error))?;
        let _ = writeln!(
            text,
            "ray {} along {}: {}",
            shown(origin),
            shown(direction),
            counted(hits.len(), "hit")
        );
        for hit in hits {
            let way = match hit.crossing {
                Crossing::In => "into",
                Crossing::Through => "through",
                Crossing::Out => "out of",
            };
            let (distance, point, normal) = (digits(hit.distance), shown(hit.point), shown(hit.normal));
            let _ =
                writeln!(text, "  {distance} m: {way} {} at {point}, normal {normal}", self.name(hit.body));
        }
        Ok(())
    }

    fn tell_nearest(&self, point: DVec3, text: &mut String) -> Result<(), Failure> {
        let nearest = query::nearest_body(self.bodies, point).map_err(|error| refused(&error))?;
        let _ = match nearest {
            Some(found) => {
                let (name, separation, at) =
                    (self.name(found.body), digits(found.separation), shown(found.point));
                writeln!(text, "nearest to {}: {name}, separation {separation} m, at {at}", shown(point))
            }
            None => writeln!(text, "nearest to {}: no body has a shape", shown(point)),
        };
        Ok(())
    }

    fn tell_containing(&self, point: DVec3, text: &mut String) -> Result<(), Failure> {
        let within = query::contains(self.bodies, point).map_err(|error| refused(&error))?;
        let names: Vec<String> = within.into_iter().map(|id| self.name(id)).collect();
        let list = if names.is_empty() { "no body".to_owned() } else { names.join(", ") };
        let _ = writeln!(text, "{} is in {list}", shown(point));
        Ok(())
    }

    fn tell_closest(&self, pair: &Pair, text: &mut String) -> Result<(), Failure> {
        let [a, b] = self.pair(pair)?;
        let closest = query::closest_points(self.bodies, a, b).map_err(|error| refused(&error))?;
        let [p, q] = closest.points.map(shown);
        let (distance, [a, b]) = (digits(closest.distance), &pair.0);
        let _ = writeln!(text, "closest points of {a} and {b}: {distance} m apart, {p} and {q}");
        Ok(())
    }

    fn tell_overlaps(&self, text: &mut String) -> Result<(), Failure> {
        let overlaps = query::overlaps(self.bodies).map_err(|error| refused(&error))?;
        let _ = writeln!(text, "{} that may collide and overlap", counted(overlaps.len(), "pair"));
        let (method, Statistics { tests, exchanges, pairs, .. }) = self.bodies.broad_phase();
        let _ = writeln!(
            text,
            "  broad phase {method}: {}, {tests} tests, {exchanges} exchanges",
            counted(pairs, "pair of boxes that meet")
        );
        for overlap in overlaps {
            let (a, b, depth) = (self.name(overlap.a), self.name(overlap.b), digits(overlap.depth));
            let _ = writeln!(text, "  {a} and {b}: {depth} m deep");
        }
        Ok(())
    }

    /// The triangles of a body's surface in the world; round surfaces are divided.
    fn triangles(&self, id: BodyId) -> Result<Vec<Triangle>, Failure> {
        let (name, shape, pose) = self.shape(id).ok_or_else(|| {
            Failure::input(format!("body `{}` has no shape; ask about one that has", self.name(id)))
        })?;
        let surface = triangulate(shape, Fineness::Segments(SEGMENTS), 0.0);
        let corners: Vec<DVec3> = surface.vertices.iter().map(|p| pose.point(*p)).collect();
        let triangle = |[a, b, c]: &[u32; 3]| Triangle::new([a, b, c].map(|k| corners[*k as usize]));
        let triangles: Vec<Triangle> = surface.triangles.iter().filter_map(|t| triangle(t).ok()).collect();
        if triangles.is_empty() {
            return Err(Failure::input(format!("the surface of `{name}` has no triangles: it has no end")));
        }
        Ok(triangles)
    }

    fn tell_triangles(&self, pair: &Pair, text: &mut String) -> Result<(), Failure> {
        let [a, b] = self.pair(pair)?;
        let (of_a, of_b) = (self.triangles(a)?, self.triangles(b)?);
        let boxes = |triangles: &[Triangle]| -> Vec<_> {
            triangles.iter().map(|triangle| box_of_points(&triangle.corners())).collect()
        };
        let (boxes_a, boxes_b) = (boxes(&of_a), boxes(&of_b));
        let mut found: Vec<(usize, usize, Intersection)> = Vec::new();
        for (i, (first, box_a)) in of_a.iter().zip(&boxes_a).enumerate() {
            for (k, (second, box_b)) in of_b.iter().zip(&boxes_b).enumerate() {
                if dolmen::broad_phase::overlap(box_a, box_b)
                    && let Some(common) = intersect(first, second)
                {
                    found.push((i, k, common));
                }
            }
        }
        let [a, b] = &pair.0;
        let _ = writeln!(
            text,
            "{} of {a} ({}) and {b} ({}) that meet",
            counted(found.len(), "pair of triangles"),
            of_a.len(),
            of_b.len()
        );
        for (i, k, common) in found.iter().take(MOST_PAIRS) {
            let how = match common.kind {
                Kind::TwoEdgesOfA => format!("two edges of {a} pierce {b}"),
                Kind::TwoEdgesOfB => format!("two edges of {b} pierce {a}"),
                Kind::EdgeOfEach => "an edge of each pierces the other".to_owned(),
                Kind::Touch => "they touch".to_owned(),
                Kind::Coplanar => "in one plane".to_owned(),
            };
            let [p, q] = common.segment().map(shown);
            let _ = writeln!(text, "  {i} and {k}: {how}, from {p} to {q}");
        }
        if found.len() > MOST_PAIRS {
            let _ = writeln!(text, "  and {} more", found.len() - MOST_PAIRS);
        }
        Ok(())
    }

    fn shape(&self, id: BodyId) -> Option<(String, &Shape, Pose)> {
        Some((self.name(id), self.world.body(id).shape()?, self.bodies.shape_pose(id)?))
    }

    /// Sizes of the bounding volumes of every body with a shape that ends, m³.
    fn tell_volumes(&self, text: &mut String) {
        let _ =
            writeln!(text, "body              world box, m³  ball, m³      oriented box  poly-cube (boxes)");
        for (name, shape, pose) in self.world.described_ids().filter_map(|id| self.shape(id)) {
            let surface = triangulate(shape, Fineness::Segments(SEGMENTS), 0.0);
            if surface.vertices.is_empty() {
                let _ = writeln!(text, "{name:16}  it has no end");
                continue;
            }
            let corners: Vec<DVec3> = surface.vertices.iter().map(|p| pose.point(*p)).collect();
            let poly_cube = match PolyCube::cover(&surface.vertices, &surface.triangles, CELLS) {
                Ok(cube) => format!("{} ({})", three_digits(cube.volume()), cube.boxes().len()),
                Err(error) => error.to_string(),
            };
            let sizes = [
                volume(&box_of_points(&corners)),
                Sphere::around(&corners).volume(),
                oriented_box(shape, &surface.vertices).volume(),
            ];
            let [world_box, ball, oriented] = sizes.map(three_digits);
            let _ = writeln!(text, "{name:16}  {world_box:<13}  {ball:<12}  {oriented:<12}  {poly_cube}");
        }
    }
}

fn three_digits(value: f64) -> String {
    digits(format!("{value:.2e}").parse().unwrap_or(value))
}

/// `1 hit`, `2 hits`; the plural goes to the first word.
fn counted(count: usize, what: &str) -> String {
    let (first, rest) = what.split_once(' ').map_or((what, ""), |(first, _)| (first, &what[first.len()..]));
    format!("{count} {first}{}{rest}", if count == 1 { "" } else { "s" })
}

/// A small box around a body, along the faces of a hull where it is one.
fn oriented_box(shape: &Shape, points: &[DVec3]) -> OrientedBox {
    match shape {
        Shape::Hull(hull) => OrientedBox::around_hull(hull),
        _ => OrientedBox::around(points),
    }
}
