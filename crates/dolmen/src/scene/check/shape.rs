//! Shapes: sizes, and lists that fit each other.

use super::Checks;
use crate::scene::typed::{Compound, HeightField, Mesh, Part, Plane, PlaneExtent, Points, Shape};
use crate::shape::PlaneError;

impl Checks {
    pub(super) fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Sphere(sphere) => self.positive("radius", sphere.radius),
            Shape::Box(cuboid) => self.all_positive("size", &cuboid.size),
            Shape::Capsule(capsule) => {
                self.positive("radius", capsule.radius);
                self.positive("length", capsule.length);
            }
            Shape::Cylinder(cylinder) => {
                self.positive("radius", cylinder.radius);
                self.positive("length", cylinder.length);
            }
            Shape::Cone(cone) => {
                self.positive("radius", cone.radius);
                self.positive("height", cone.height);
            }
            Shape::Disc(disc) => self.positive("radius", disc.radius),
            Shape::Wedge(wedge) => self.all_positive("size", &wedge.size),
            Shape::Ellipsoid(ellipsoid) => self.all_positive("size", &ellipsoid.size),
            Shape::Hull(hull) if hull.points.len() < 4 => {
                self.report(
                    "points",
                    format!("a hull needs at least 4 points, not {}", hull.points.len()),
                    None,
                );
            }
            Shape::Hull(_) | Shape::Point(_) => {}
            Shape::Mesh(mesh) => self.mesh(mesh),
            Shape::HeightField(field) => self.height_field(field),
            Shape::Compound(compound) => self.compound(compound),
            Shape::Points(points) => self.points(points),
            Shape::Plane(plane) => self.plane(plane),
        }
    }

    fn plane(&mut self, plane: &Plane) {
        let found = self.problems.len();
        let coefficients = ("coefficients", plane.coefficients.is_some());
        for (key, given) in [
            ("normal", plane.normal.is_some()),
            ("offset", plane.offset.is_some()),
            ("point", plane.point.is_some()),
        ] {
            self.exclusive((key, given), coefficients);
        }
        self.exclusive(("offset", plane.offset.is_some()), ("point", plane.point.is_some()));
        if plane.normal.is_none() && plane.coefficients.is_none() {
            self.report_here(
                "`normal` or `coefficients` is missing",
                Some("normal = [0, 0, 1] is a floor, with z up"),
            );
        }
        self.inside("extent", |checks| match &plane.extent {
            None | Some(PlaneExtent::Infinite(_)) => {}
            Some(PlaneExtent::Circle(circle)) => checks.positive("radius", circle.radius),
            Some(PlaneExtent::Square(square)) => checks.positive("half_side", square.half_side),
        });
        if self.problems.len() == found
            && let Err((key, error)) = plane.meant()
        {
            match error {
                PlaneError::Direction { .. } => {
                    self.inside(key, |checks| checks.report("direction", error.to_string(), None));
                }
                _ => self.report(key, error.to_string(), None),
            }
        }
    }

    fn mesh(&mut self, mesh: &Mesh) {
        self.positive("scale", mesh.scale);
        self.exclusive(("path", mesh.path.is_some()), ("vertices", mesh.vertices.is_some()));
        self.exclusive(("path", mesh.path.is_some()), ("triangles", mesh.triangles.is_some()));
        if mesh.path.as_deref() == Some("") {
            self.report("path", "the path is empty", Some("name a file"));
        }
        if mesh.path.is_some() {
            return;
        }
        let (Some(vertices), Some(triangles)) = (&mesh.vertices, &mesh.triangles) else {
            let message = match (&mesh.vertices, &mesh.triangles) {
                (Some(_), None) => "`triangles` is missing",
                (None, Some(_)) => "`vertices` is missing",
                _ => "`path`, or `vertices` and `triangles`, is missing",
            };
            return self.report_here(message, None);
        };
        if triangles.len() < 4 {
            let message = format!("a closed surface needs at least 4 triangles, not {}", triangles.len());
            self.report("triangles", message, None);
        }
        let count = vertices.len();
        self.each("triangles", triangles, |checks, triangle| {
            if let Some(vertex) = triangle.iter().find(|vertex| **vertex as usize >= count) {
                let message = format!("there is no vertex {vertex}: there are {count}, counted from 0");
                checks.report_here(message, None);
            } else if triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0] {
                checks.report_here("a triangle needs three different vertices", None);
            }
        });
    }

    fn height_field(&mut self, field: &HeightField) {
        self.all_positive("size", &field.size);
        self.positive("base", field.base);
        self.exclusive(("path", field.path.is_some()), ("heights", field.heights.is_some()));
        if field.scale == Some(0.0) {
            self.report("scale", "with a `scale` of 0 all heights are the same", Some("a box is flat too"));
        }
        if field.path.as_deref() == Some("") {
            self.report("path", "the path is empty", Some("name a file"));
        }
        let Some(heights) = &field.heights else {
            if field.path.is_none() {
                let help = "heights = [[0, 0], [0, 1]] has two rows of two";
                self.report_here("`heights` or `path` is missing", Some(help));
            }
            return;
        };
        if heights.len() < 2 {
            let message = format!("a height field needs at least 2 rows, not {}", heights.len());
            self.report("heights", message, None);
        }
        let columns = heights.first().map_or(0, Vec::len);
        self.each("heights", heights, |checks, row| {
            let count = row.len();
            if count < 2 {
                checks.report_here(format!("a row needs at least 2 heights, not {count}"), None);
            } else if count != columns {
                let message = format!("this row has {count} heights, the first has {columns}");
                checks.report_here(message, Some("give every row as many"));
            }
        });
    }

    fn compound(&mut self, compound: &Compound) {
        if compound.parts.is_empty() {
            self.report("parts", "a compound needs at least one part", None);
        }
        let weighs = |part: &Part| {
            part.mass.is_some() || part.density.is_some() || matches!(part.shape, Shape::Points(_))
        };
        let any = compound.parts.iter().any(weighs);
        self.each("parts", &compound.parts, |checks, part| {
            checks.inside("shape", |checks| checks.shape(&part.shape));
            checks.positive("density", part.density);
            checks.positive("mass", part.mass);
            checks.exclusive(("density", part.density.is_some()), ("mass", part.mass.is_some()));
            if let Some(orientation) = &part.orientation {
                checks.inside("orientation", |checks| checks.orientation(orientation));
            }
            if matches!(part.shape, Shape::Plane(_)) {
                checks.report(
                    "shape",
                    "a plane cannot be part of a compound",
                    Some("give it a fixed body of its own"),
                );
            }
            if matches!(part.shape, Shape::Point(_) | Shape::Points(_)) {
                checks.report(
                    "shape",
                    "points cannot be part of a compound",
                    Some("give them a body of their own, `kind = \"points\"`"),
                );
            }
            if matches!(part.shape, Shape::Disc(_)) && part.density.is_some() {
                checks.report(
                    "density",
                    "a disc has no volume, so `density` says nothing",
                    Some("give a `mass`"),
                );
            }
            if any && !weighs(part) {
                checks.report_here(
                    "this part has neither `mass` nor `density`, but others have",
                    Some("give it to every part, or to the body as a whole"),
                );
            }
        });
    }

    fn points(&mut self, points: &Points) {
        if points.points.is_empty() {
            self.report("points", "at least one point is needed", None);
        }
        self.each("points", &points.points, |checks, point| checks.positive("mass", point.mass));
    }
}
