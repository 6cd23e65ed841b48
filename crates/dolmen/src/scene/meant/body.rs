//! Bodies: shape, mass properties, placement, prescribed motion.

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::{Problems, vector};
use crate::mass::{self, Density, MassProperties};
use crate::math::{DMat3, DQuat, DVec3, Pose, Twist};
use crate::motion::{self, Prescribed};
use crate::scene::files::{FileError, Files, named};
use crate::scene::tolerances::{DEFAULT_BASE, LARGEST_DATA};
use crate::scene::typed::{self, BodyKind, Motion};
use crate::shape::{
    HeightField, Hull, Mesh, Part, Shape, read_height_picture, read_height_table, read_obj, read_stl,
};
use crate::world::Body;

pub(super) fn build(typed: &typed::Body, files: &Files, problems: &mut Problems) -> Option<Body> {
    let shape = match &typed.shape {
        None => None,
        Some(typed::Shape::Points(points)) => Some(shape_of_points(points)),
        Some(shape) => Some(problems.within(&["shape".into()], |p| self::shape(shape, files, p))?),
    };
    let orientation =
        typed.orientation.as_deref().and_then(typed::Orientation::rotation).unwrap_or(DQuat::IDENTITY);
    let kind = typed.kind.unwrap_or(BodyKind::Dynamic);
    let mut body = if let (BodyKind::Dynamic, Some(typed::Shape::Point(_))) = (kind, &typed.shape) {
        let point = problems.note("mass", Body::point(typed.mass?))?;
        point.centred_at(vector(typed.centre.or(typed.position)), DQuat::IDENTITY)
    } else if kind == BodyKind::Dynamic {
        let properties = properties(typed, shape.as_ref(), problems)?;
        let body = Body::dynamic(&properties);
        match typed.centre {
            Some(centre) => body.centred_at(centre.into(), orientation),
            None => body.at(vector(typed.position), orientation),
        }
    } else {
        let origin = match typed.centre {
            // The centre of mass of something that cannot be moved is that of its shape.
            Some(centre) => {
                let centre_shape = shape.as_ref().and_then(|s| mass::of_shape(s, 1.0).ok());
                let offset = centre_shape.map_or(DVec3::ZERO, |p| p.centre());
                DVec3::from_array(centre) - orientation * offset
            }
            None => vector(typed.position),
        };
        Body::prescribed(prescribed(typed, Pose { position: origin, orientation }, problems)?)
    };
    if let Some(shape) = shape {
        body = body.with_shape(shape);
    }
    if let Some(name) = &typed.name {
        body = body.named(name);
    }
    if let Some(material) = &typed.material {
        body = body.of_material(material);
    }
    if kind == BodyKind::Dynamic {
        let spin = typed.spin_body.map_or(vector(typed.spin), |spin| orientation * DVec3::from_array(spin));
        body = body.moving(vector(typed.velocity), spin);
    }
    Some(body)
}

/// Mass, centre and inertia, from what is given: explicit numbers first, then the shape.
fn properties(typed: &typed::Body, shape: Option<&Shape>, problems: &mut Problems) -> Option<MassProperties> {
    let found = match (&typed.shape, shape) {
        (Some(typed::Shape::Points(points)), _) => Some(problems.note("shape", of_points(points))?),
        (Some(typed_shape), Some(shape)) => {
            Some(problems.within(&["shape".into()], |p| of_typed(typed, typed_shape, shape, p))?)
        }
        _ => None,
    };
    let Some(inertia) = &typed.inertia else {
        let Some(found) = found else {
            let help = "give an `inertia` of three moments, or a `shape`";
            problems.report("mass", "a body without a shape has no inertia", Some(help));
            return None;
        };
        return match typed.centre_of_mass {
            Some(centre) => {
                let moved = MassProperties::new(found.mass(), centre.into(), found.inertia());
                problems.note("centre_of_mass", moved)
            }
            None => Some(found),
        };
    };
    let inertia = match inertia {
        typed::Inertia::Principal(moments) => DMat3::from_diagonal((*moments).into()),
        typed::Inertia::Matrix(rows) => DMat3::from_cols_array_2d(rows).transpose(),
    };
    let centre =
        typed.centre_of_mass.map(DVec3::from_array).or(found.map(|f| f.centre())).unwrap_or(DVec3::ZERO);
    let mass = typed.mass?;
    problems.note("inertia", MassProperties::new(mass, centre, inertia))
}

/// What there is of points to touch.
fn shape_of_points(points: &typed::Points) -> Shape {
    let pose = |p: &typed::PointMass| Pose { position: p.position.into(), ..Pose::IDENTITY };
    Shape::Compound(points.points.iter().map(|p| Part { shape: Shape::POINT, pose: pose(p) }).collect())
}

fn of_points(points: &typed::Points) -> Result<MassProperties, mass::MassError> {
    let points: Vec<_> = points.points.iter().map(|p| (p.mass, DVec3::from_array(p.position))).collect();
    mass::of_points(&points)
}

/// Mass properties of a shape by the body's mass or density, or by those of a compound's parts.
fn of_typed(
    typed: &typed::Body,
    typed_shape: &typed::Shape,
    shape: &Shape,
    problems: &mut Problems,
) -> Option<MassProperties> {
    if let (Some(mass), _) = (typed.mass, typed.density.as_ref()) {
        let unit = problems.note("", mass::of_shape(shape, 1.0))?;
        return problems.note("", unit.scaled_to_mass(mass));
    }
    if let Some(density) = &typed.density {
        return problems.note("", mass::of_density(shape, &self::density(density)));
    }
    let (typed::Shape::Compound(compound), Shape::Compound(parts)) = (typed_shape, shape) else {
        problems.report("", "the shape has neither mass nor density", Some("give a `mass` or a `density`"));
        return None;
    };
    let mut sum = Vec::new();
    for (i, (typed, part)) in compound.parts.iter().zip(parts).enumerate() {
        sum.push(problems.within(&["parts".into(), i.into()], |p| of_part(typed, part, p))?);
    }
    problems.note("", MassProperties::sum(&sum))
}

fn of_part(typed: &typed::Part, part: &Part, problems: &mut Problems) -> Option<MassProperties> {
    let own = match (typed.mass, typed.density) {
        (Some(mass), _) => mass::of_shape(&part.shape, 1.0).and_then(|unit| unit.scaled_to_mass(mass)),
        (None, density) => mass::of_shape(&part.shape, density.unwrap_or(0.0)),
    };
    Some(problems.note("", own)?.moved(&part.pose))
}

fn density(typed: &typed::Density) -> Density {
    match typed {
        typed::Density::Uniform(value) => Density::Uniform(*value),
        typed::Density::Varying(field) => Density::Polynomial {
            constant: field.constant,
            gradient: vector(field.gradient),
            hessian: field.hessian.map_or(DMat3::ZERO, |rows| DMat3::from_cols_array_2d(&rows).transpose()),
        },
    }
}

/// The geometry of a typed shape. Point masses have none.
fn shape(typed: &typed::Shape, files: &Files, problems: &mut Problems) -> Option<Shape> {
    let half = |size: [f64; 3]| 0.5 * DVec3::from_array(size);
    let built = match typed {
        typed::Shape::Sphere(s) => Shape::sphere(s.radius),
        typed::Shape::Box(s) => Shape::cuboid(half(s.size)),
        typed::Shape::Capsule(s) => Shape::capsule(s.radius, 0.5 * s.length),
        typed::Shape::Cylinder(s) => Shape::cylinder(s.radius, 0.5 * s.length),
        typed::Shape::Cone(s) => Shape::cone(s.radius, s.height),
        typed::Shape::Disc(s) => Shape::disc(s.radius),
        typed::Shape::Ellipsoid(s) => Shape::ellipsoid(half(s.size)),
        typed::Shape::Wedge(s) => {
            let corner = |x: f64, y: f64, z: f64| half(s.size) * DVec3::new(x, y, z);
            let ends =
                [-1.0, 1.0].map(|y| [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)].map(|(x, z)| corner(x, y, z)));
            return problems.note("size", Hull::new(&ends.concat())).map(|hull| Shape::Hull(Arc::new(hull)));
        }
        typed::Shape::Hull(s) => {
            let points: Vec<DVec3> = s.points.iter().map(|p| DVec3::from_array(*p)).collect();
            return problems.note("points", Hull::new(&points)).map(|hull| Shape::Hull(Arc::new(hull)));
        }
        typed::Shape::Mesh(s) => return mesh(s, files, problems).map(|mesh| Shape::Mesh(Arc::new(mesh))),
        typed::Shape::HeightField(s) => {
            return height_field(s, files, problems).map(|mesh| Shape::Mesh(Arc::new(mesh)));
        }
        typed::Shape::Compound(s) => return compound(s, files, problems),
        typed::Shape::Plane(s) => {
            let built = s.meant().map(Shape::from);
            return built.map_err(|(key, error)| problems.report(key, error.to_string(), None)).ok();
        }
        typed::Shape::Point(_) => Ok(Shape::POINT),
        typed::Shape::Points(points) => Ok(shape_of_points(points)),
    };
    problems.note("", built)
}

fn compound(typed: &typed::Compound, files: &Files, problems: &mut Problems) -> Option<Shape> {
    let mut parts = Vec::new();
    for (i, part) in typed.parts.iter().enumerate() {
        let place: [crate::scene::PathSegment; 3] = ["parts".into(), i.into(), "shape".into()];
        let shape = problems.within(&place, |p| shape(&part.shape, files, p))?;
        let orientation = part.orientation.as_ref().and_then(typed::Orientation::rotation);
        let pose =
            Pose { position: vector(part.position), orientation: orientation.unwrap_or(DQuat::IDENTITY) };
        parts.push(Part { shape, pose });
    }
    problems.note("", Shape::compound(parts))
}

fn mesh(typed: &typed::Mesh, files: &Files, problems: &mut Problems) -> Option<Mesh> {
    let (key, (mut vertices, mut triangles)) = if let Some(path) = &typed.path {
        ("path", problems.file("path", read_mesh(files, Path::new(path)))?)
    } else {
        let vertices = typed.vertices.iter().flatten().map(|v| DVec3::from_array(*v)).collect();
        ("triangles", (vertices, typed.triangles.clone().unwrap_or_default()))
    };
    let scale = typed.scale.unwrap_or(1.0);
    for vertex in &mut vertices {
        *vertex *= scale;
    }
    if typed.flip == Some(true) {
        for triangle in &mut triangles {
            triangle.swap(1, 2);
        }
    }
    problems.note(key, Mesh::new(&vertices, &triangles))
}

fn height_field(typed: &typed::HeightField, files: &Files, problems: &mut Problems) -> Option<Mesh> {
    let (key, (columns, mut heights)) = match (&typed.path, &typed.heights) {
        (Some(path), _) => ("path", problems.file("path", read_heights(files, Path::new(path)))?),
        (None, rows) => {
            let rows = rows.as_deref().unwrap_or_default();
            ("heights", (rows.first().map_or(0, Vec::len), rows.concat()))
        }
    };
    let scale = typed.scale.unwrap_or(1.0);
    for height in &mut heights {
        *height *= scale;
    }
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let base = typed.base.unwrap_or(DEFAULT_BASE * typed.size[0].min(typed.size[1]));
    let field = HeightField { columns, heights, size: typed.size, bottom: lowest - base };
    let surface = problems.note(key, field.surface())?;
    problems.note(key, Mesh::new(&surface.vertices, &surface.triangles))
}

fn read_heights(files: &Files, path: &Path) -> Result<(usize, Vec<f64>), FileError> {
    let name = named(path);
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let read = match ending.as_str() {
        // It may grow while it is read.
        "csv" => read_height_table(files.open(path, LARGEST_DATA)?.take(LARGEST_DATA)),
        "png" => read_height_picture(&files.read(path, LARGEST_DATA)?),
        _ => {
            let message = format!("{name} is no grid of heights that can be read");
            return Err(FileError::new(message, "heights are .csv tables and .png pictures"));
        }
    };
    read.map_err(|error| FileError::new(format!("{name}: {error}"), "export it again, or mend that place"))
}

type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

fn read_mesh(files: &Files, path: &Path) -> Result<Triangles, FileError> {
    let name = named(path);
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let soup = match ending.as_str() {
        // It may grow while it is read.
        "obj" => read_obj(BufReader::new(files.open(path, LARGEST_DATA)?.take(LARGEST_DATA))),
        "stl" => read_stl(&files.read(path, LARGEST_DATA)?),
        _ => {
            let message = format!("{name} is no mesh that can be read");
            return Err(FileError::new(
                message,
                "meshes are .obj and .stl files; `dolmen import` reads others",
            ));
        }
    };
    soup.map(|s| (s.vertices, s.triangles))
        .map_err(|error| FileError::new(format!("{name}: {error}"), "export it again, or mend that line"))
}

fn prescribed(typed: &typed::Body, start: Pose, problems: &mut Problems) -> Option<Prescribed> {
    let Some(motion) = typed.motion.as_deref() else {
        // A kinematic body without a motion keeps the velocity and spin that it is given.
        let spin =
            typed.spin_body.map_or(vector(typed.spin), |spin| start.orientation * DVec3::from_array(spin));
        let twist = Twist { velocity: vector(typed.velocity), spin };
        return Some(if twist == Twist::ZERO {
            Prescribed::Still(start)
        } else {
            Prescribed::Uniform { start, twist }
        });
    };
    match motion {
        Motion::Uniform(m) => {
            let twist = Twist { velocity: vector(m.velocity), spin: vector(m.spin) };
            Some(Prescribed::Uniform { start, twist })
        }
        Motion::Oscillate(m) => Some(Prescribed::Oscillate {
            middle: start,
            amplitude: vector(m.amplitude),
            axis: unit(vector(m.axis)),
            angle: m.angle.unwrap_or(0.0),
            frequency: m.frequency,
            phase: m.phase.unwrap_or(0.0),
        }),
        Motion::Path(m) => {
            let pose = |i: usize| {
                let position = m.positions.as_ref().and_then(|p| p.get(i)).map(|p| DVec3::from_array(*p));
                let orientation =
                    m.orientations.as_ref().and_then(|o| o.get(i)).and_then(typed::Orientation::rotation);
                Pose {
                    position: position.unwrap_or(start.position),
                    orientation: orientation.unwrap_or(start.orientation),
                }
            };
            let poses: Vec<Pose> = (0..m.times.len()).map(pose).collect();
            let interpolation = match m.interpolation {
                None | Some(typed::PathInterpolation::Spline) => motion::Interpolation::Spline,
                Some(typed::PathInterpolation::Monotone) => motion::Interpolation::Monotone,
                Some(typed::PathInterpolation::Linear) => {
                    motion::Interpolation::Linear { blend: m.blend.unwrap_or(0.0) }
                }
            };
            let path =
                problems.note("motion", motion::Path::interpolated(&m.times, &poses, interpolation))?;
            Some(Prescribed::Path(Arc::new(path)))
        }
    }
}

/// The direction of a vector of any length, tiny and huge ones included; zero for zero.
fn unit(vector: DVec3) -> DVec3 {
    let largest = vector.abs().max_element();
    if largest > 0.0 { (vector / largest).normalize() } else { DVec3::ZERO }
}
