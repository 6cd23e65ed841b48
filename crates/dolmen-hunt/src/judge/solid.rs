//! Shapes as the judge sees them: convex parts with support functions, and moments of mass.

use toml::{Table, Value};

use super::read::{
    list_of, matrix_of, number, number_of, orientation_of, tables_of, text_of, vector_from, vector_of,
};
use super::vector::{Matrix, Pose, Vector, vector};

/// A convex set in a frame of its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Convex {
    /// The hull of points.
    Points(Vec<Vector>),
    /// A ball about the origin.
    Ball(f64),
    /// Radius, and half the length of the cylindrical part, along z.
    Capsule(f64, f64),
    /// Radius and half the length, along z.
    Cylinder(f64, f64),
    /// Radius of the base in z = 0, and height.
    Cone(f64, f64),
    /// Half axes.
    Ellipsoid(Vector),
}

impl Convex {
    /// The point that is farthest along a direction.
    pub fn support(&self, along: Vector) -> Vector {
        let rim = |radius: f64| {
            let across = vector(along[0], along[1], 0.0);
            let length = across.length();
            if length > 0.0 { across * (radius / length) } else { Vector::ZERO }
        };
        let up = if along[2] >= 0.0 { 1.0 } else { -1.0 };
        match self {
            Self::Points(points) => {
                let farthest = points.iter().max_by(|a, b| a.dot(along).total_cmp(&b.dot(along)));
                farthest.copied().unwrap_or(Vector::ZERO)
            }
            Self::Ball(radius) => along.unit() * *radius,
            Self::Capsule(radius, half) => along.unit() * *radius + vector(0.0, 0.0, up * half),
            Self::Cylinder(radius, half) => rim(*radius) + vector(0.0, 0.0, up * half),
            Self::Cone(radius, height) => {
                let (base, apex) = (rim(*radius), vector(0.0, 0.0, *height));
                if apex.dot(along) > base.dot(along) { apex } else { base }
            }
            Self::Ellipsoid(half) => {
                let scaled = half.times(along);
                let length = scaled.length();
                if length > 0.0 { half.times(scaled) * (1.0 / length) } else { vector(half[0], 0.0, 0.0) }
            }
        }
    }
}

/// A convex part at a place in the body's frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// In the body's frame.
    pub pose: Pose,
    /// In its own frame.
    pub convex: Convex,
}

impl Part {
    /// The point that is farthest along a direction of the world, with the body at `pose`.
    pub fn support(&self, pose: &Pose, along: Vector) -> Vector {
        let whole = pose.then(&self.pose);
        whole.place(self.convex.support(whole.rotation.apply_transposed(along)))
    }
}

/// A plane or a piece of it, in the body's frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// Unit, to the front.
    pub normal: Vector,
    /// Along the normal, m.
    pub offset: f64,
    /// All of it, or a flat convex set.
    pub piece: Option<Part>,
    /// Whether both sides can be touched.
    pub is_two_sided: bool,
}

/// ∫dm, ∫x dm and ∫x xᵀ dm about the origin of the body's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// kg, or m³ for unit density.
    pub mass: f64,
    /// Times m.
    pub first: Vector,
    /// Times m².
    pub second: Matrix,
}

impl Moments {
    const ZERO: Self = Self { mass: 0.0, first: Vector::ZERO, second: Matrix::ZERO };

    fn plus(&self, other: &Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first: self.first + other.first,
            second: self.second.plus(&other.second),
        }
    }

    fn scaled(&self, factor: f64) -> Self {
        Self { mass: self.mass * factor, first: self.first * factor, second: self.second.scaled(factor) }
    }

    /// Of the same thing, whose frame is at `pose`.
    fn placed(&self, pose: &Pose) -> Self {
        let (p, r) = (pose.position, pose.rotation);
        let first = r.apply(self.first);
        let cross = Matrix::outer(p, first);
        let turned = r.after(&self.second).after(&r.transposed());
        let second =
            turned.plus(&cross).plus(&cross.transposed()).plus(&Matrix::outer(p, p).scaled(self.mass));
        Self { mass: self.mass, first: first + p * self.mass, second }
    }

    /// With the density ρ = constant + gradient·x of unit density, as far as these moments tell: mass and centre.
    fn varied(&self, constant: f64, gradient: Vector) -> (f64, Vector) {
        let mass = constant * self.mass + gradient.dot(self.first);
        (mass, (self.first * constant + self.second.apply(gradient)) * (1.0 / mass))
    }

    /// Centre of mass, and inertia about it.
    fn inertia(&self) -> (Vector, Matrix) {
        let centre = self.first * (1.0 / self.mass);
        let about = self.second.plus(&Matrix::outer(centre, centre).scaled(-self.mass));
        (centre, Matrix::IDENTITY.scaled(about.trace()).plus(&about.scaled(-1.0)))
    }
}

/// What a shape is.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// As the scene calls it.
    pub kind: String,
    /// The union of these is within the shape.
    pub parts: Vec<Part>,
    /// If it is a plane.
    pub plane: Option<Plane>,
    /// Of unit density, or with the masses of its parts.
    moments: Option<Moments>,
    /// Whether the parts have masses of their own.
    has_masses: bool,
}

/// Mass properties of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mass {
    /// kg.
    pub mass: f64,
    /// Centre of mass, in the body's frame.
    pub centre: Vector,
    /// About the centre, in the body's frame; none where the judge does not integrate it.
    pub inertia: Option<Matrix>,
}

impl Solid {
    /// Reads the table of a shape; parts and moments that the judge cannot know are missing.
    pub fn read(table: &Table) -> Self {
        let kind = text_of(table, "kind").unwrap_or_default().to_owned();
        let size = |key: &str| number_of(table, key).unwrap_or(0.0);
        let (radius, half) = (size("radius"), 0.5 * size("length"));
        let mut solid =
            Self { kind: kind.clone(), parts: Vec::new(), plane: None, moments: None, has_masses: false };
        let mut add = |convex: Convex| solid.parts.push(Part { pose: Pose::IDENTITY, convex });
        let pi = std::f64::consts::PI;
        let round = |volume: f64, x: f64, z: f64| Moments {
            mass: volume,
            first: Vector::ZERO,
            second: Matrix::diagonal(vector(x, x, z)).scaled(volume),
        };
        match kind.as_str() {
            "sphere" => {
                add(Convex::Ball(radius));
                let r2 = radius * radius;
                solid.moments = Some(round(4.0 / 3.0 * pi * r2 * radius, r2 / 5.0, r2 / 5.0));
            }
            "box" => {
                let sides = vector_of(table, "size").unwrap_or(Vector::ZERO);
                add(Convex::Points(corners(sides * 0.5)));
                let second = Matrix::diagonal(sides.times(sides)).scaled(1.0 / 12.0);
                let volume = sides[0] * sides[1] * sides[2];
                solid.moments =
                    Some(Moments { mass: volume, first: Vector::ZERO, second: second.scaled(volume) });
            }
            "capsule" => {
                add(Convex::Capsule(radius, half));
                let (r2, z) = (radius * radius, half);
                let tube = round(2.0 * pi * r2 * half, r2 / 4.0, z * z / 3.0);
                let ends =
                    round(4.0 / 3.0 * pi * r2 * radius, r2 / 5.0, z * z + 0.75 * z * radius + r2 / 5.0);
                solid.moments = Some(tube.plus(&ends));
            }
            "cylinder" => {
                add(Convex::Cylinder(radius, half));
                let r2 = radius * radius;
                solid.moments = Some(round(2.0 * pi * r2 * half, r2 / 4.0, half * half / 3.0));
            }
            "cone" => {
                let (height, r2) = (size("height"), radius * radius);
                add(Convex::Cone(radius, height));
                let mut cone = round(pi * r2 * height / 3.0, 0.15 * r2, height * height / 10.0);
                cone.first = vector(0.0, 0.0, cone.mass * height / 4.0);
                solid.moments = Some(cone);
            }
            "disc" => {
                add(Convex::Cylinder(radius, 0.0));
                solid.moments = Some(round(pi * radius * radius, radius * radius / 4.0, 0.0));
            }
            "ellipsoid" => {
                let half = vector_of(table, "size").unwrap_or(Vector::ZERO) * 0.5;
                add(Convex::Ellipsoid(half));
                let volume = 4.0 / 3.0 * pi * half[0] * half[1] * half[2];
                let second = Matrix::diagonal(half.times(half)).scaled(volume / 5.0);
                solid.moments = Some(Moments { mass: volume, first: Vector::ZERO, second });
            }
            "hull" => {
                let points: Vec<Vector> = list_of(table, "points").iter().filter_map(vector_from).collect();
                solid.moments = hull_faces(&points).map(|faces| polyhedron(&faces));
                solid.parts.push(Part { pose: Pose::IDENTITY, convex: Convex::Points(points) });
            }
            "mesh" => solid.read_mesh(table),
            "compound" => solid.read_compound(table),
            "points" => {
                solid.has_masses = true;
                let sum = tables_of(table, "points").fold(Moments::ZERO, |sum, point| {
                    let (m, x) = (
                        number_of(point, "mass").unwrap_or(0.0),
                        vector_of(point, "position").unwrap_or_default(),
                    );
                    sum.plus(&Moments { mass: m, first: x * m, second: Matrix::outer(x, x).scaled(m) })
                });
                solid.moments = Some(sum);
            }
            "plane" => solid.plane = read_plane(table),
            _ => {}
        }
        solid
    }

    fn read_mesh(&mut self, table: &Table) {
        let scale = number_of(table, "scale").unwrap_or(1.0);
        let vertices: Vec<Vector> =
            list_of(table, "vertices").iter().filter_map(vector_from).map(|v| v * scale).collect();
        let flip = table.get("flip").and_then(Value::as_bool).unwrap_or(false);
        let corner = |value: &Value| value.as_integer().and_then(|k| vertices.get(k as usize).copied());
        let mut faces: Vec<[Vector; 3]> = Vec::new();
        for triangle in list_of(table, "triangles").iter().filter_map(Value::as_array) {
            let corners: Vec<Vector> = triangle.iter().filter_map(corner).collect();
            if let [a, b, c] = corners[..] {
                faces.push(if flip { [a, c, b] } else { [a, b, c] });
            }
        }
        if faces.is_empty() {
            return;
        }
        let moments = polyhedron(&faces);
        let centre = moments.first * (1.0 / moments.mass);
        self.moments = Some(moments);
        // Where every face is seen from a point inside, tetrahedra from there fill the mesh. Else only its surface is known.
        let sees =
            |from: Vector| faces.iter().all(|[a, b, c]| (*a - from).dot((*b - from).cross(*c - from)) > 0.0);
        let apex = [Vector::ZERO, centre].into_iter().find(|from| sees(*from));
        for [a, b, c] in faces {
            let points = apex.map_or_else(|| vec![a, b, c], |apex| vec![apex, a, b, c]);
            self.parts.push(Part { pose: Pose::IDENTITY, convex: Convex::Points(points) });
        }
    }

    fn read_compound(&mut self, table: &Table) {
        let mut sum = Some(Moments::ZERO);
        for part in tables_of(table, "parts") {
            let position = vector_of(part, "position").unwrap_or_default();
            let pose = Pose { position, rotation: orientation_of(part) };
            let inner = part.get("shape").and_then(Value::as_table).map(Self::read);
            let Some(inner) = inner else { continue };
            self.parts.extend(
                inner.parts.iter().map(|p| Part { pose: pose.then(&p.pose), convex: p.convex.clone() }),
            );
            let own = inner.moments.and_then(|moments| {
                if let Some(mass) = number_of(part, "mass") {
                    self.has_masses = true;
                    return Some(moments.scaled(mass / moments.mass));
                }
                if let Some(density) = part.get("density") {
                    self.has_masses = true;
                    return number(density).map(|density| moments.scaled(density));
                }
                self.has_masses |= inner.has_masses;
                Some(moments)
            });
            sum = sum.zip(own).map(|(sum, own)| sum.plus(&own.placed(&pose)));
        }
        self.moments = sum;
    }

    /// Radius of a sphere about the origin of the frame that contains it.
    pub fn radius(&self) -> f64 {
        let reach = |part: &Part| {
            let extent = match &part.convex {
                Convex::Points(points) => points.iter().map(|p| p.length()).fold(0.0, f64::max),
                Convex::Ball(r) => *r,
                Convex::Capsule(r, half) | Convex::Cylinder(r, half) => r + half,
                Convex::Cone(r, height) => r.max(*height),
                Convex::Ellipsoid(half) => half[0].max(half[1]).max(half[2]),
            };
            part.pose.position.length() + extent
        };
        self.parts.iter().map(reach).fold(0.0, f64::max)
    }
}

/// Mass properties of a dynamic body; none where the judge cannot know them.
pub fn mass_of(body: &Table, solid: Option<&Solid>) -> Option<Mass> {
    let moments = solid.and_then(|solid| solid.moments);
    let has_masses = solid.is_some_and(|solid| solid.has_masses);
    let from = |moments: Moments| {
        let (centre, inertia) = moments.inertia();
        Mass { mass: moments.mass, centre, inertia: Some(inertia) }
    };
    let mut found = match (number_of(body, "mass"), body.get("density")) {
        (Some(mass), _) => match moments {
            Some(moments) => from(moments.scaled(mass / moments.mass)),
            // Without a shape all of it is at the origin, unless the inertia is given.
            None if solid.is_none() => Mass { mass, centre: Vector::ZERO, inertia: None },
            None => return None,
        },
        (None, Some(Value::Table(density))) => {
            if density.contains_key("hessian") {
                return None;
            }
            let constant = number_of(density, "constant")?;
            let (mass, centre) =
                moments?.varied(constant, vector_of(density, "gradient").unwrap_or_default());
            Mass { mass, centre, inertia: None }
        }
        (None, Some(density)) => from(moments?.scaled(number(density)?)),
        (None, None) if has_masses => from(moments?),
        (None, None) => return None,
    };
    if let Some(centre) = vector_of(body, "centre_of_mass") {
        // Which inertia then goes with it is the engine's to say.
        found = Mass { centre, inertia: None, ..found };
    }
    if body.contains_key("inertia") {
        found.inertia =
            vector_of(body, "inertia").map(Matrix::diagonal).or_else(|| matrix_of(body, "inertia"));
    }
    Some(found)
}

fn corners(half: Vector) -> Vec<Vector> {
    let sign = |k: usize, bit: usize| if k >> bit & 1 == 0 { 1.0 } else { -1.0 };
    (0..8).map(|k| half.times(vector(sign(k, 0), sign(k, 1), sign(k, 2)))).collect()
}

fn read_plane(table: &Table) -> Option<Plane> {
    let is_two_sided = text_of(table, "sides").unwrap_or("both") == "both";
    let (normal, offset) = if let Some(normal) = vector_of(table, "normal") {
        let unit = normal.unit();
        let through = vector_of(table, "point").map(|point| unit.dot(point));
        (unit, through.or_else(|| number_of(table, "offset")).unwrap_or(0.0))
    } else {
        let list: Vec<f64> = list_of(table, "coefficients").iter().filter_map(number).collect();
        let [a, b, c, d] = list[..] else { return None };
        let normal = vector(a, b, c);
        (normal.unit(), -d / normal.length())
    };
    let foot = vector_of(table, "point").unwrap_or(normal * offset);
    let piece = table.get("extent").and_then(Value::as_table).and_then(|extent| {
        let centre = vector_of(extent, "centre").unwrap_or(foot);
        let position = centre + normal * (offset - normal.dot(centre));
        match text_of(extent, "kind")? {
            "circle" => {
                let x = normal.across();
                let rotation = Matrix([x, normal.cross(x), normal]);
                let convex = Convex::Cylinder(number_of(extent, "radius")?, 0.0);
                Some(Part { pose: Pose { position, rotation }, convex })
            }
            "square" => {
                // The axis most nearly in the plane, x before y before z.
                let nearest = || {
                    let least =
                        (0..3).min_by(|i, j| normal[*i].abs().total_cmp(&normal[*j].abs())).unwrap_or(0);
                    Vector::AXES[least]
                };
                let direction = vector_of(extent, "direction").unwrap_or_else(nearest);
                let x = (direction - normal * normal.dot(direction)).unit();
                let half = number_of(extent, "half_side")?;
                let flat = |i: f64, j: f64| vector(i * half, j * half, 0.0);
                let convex =
                    Convex::Points(vec![flat(1.0, 1.0), flat(1.0, -1.0), flat(-1.0, 1.0), flat(-1.0, -1.0)]);
                Some(Part { pose: Pose { position, rotation: Matrix([x, normal.cross(x), normal]) }, convex })
            }
            _ => None,
        }
    });
    Some(Plane { normal, offset, piece, is_two_sided })
}

/// Moments of a closed polyhedron, counterclockwise from outside: signed tetrahedra from the origin.
fn polyhedron(faces: &[[Vector; 3]]) -> Moments {
    faces.iter().fold(Moments::ZERO, |sum, [a, b, c]| {
        let volume = a.dot(b.cross(*c)) / 6.0;
        let s = *a + *b + *c;
        let second = [*a, *b, *c, s].iter().fold(Matrix::ZERO, |m, v| m.plus(&Matrix::outer(*v, *v)));
        sum.plus(&Moments { mass: volume, first: s * (volume / 4.0), second: second.scaled(volume / 20.0) })
    })
}

/// Triangles of the hull of a few points, counterclockwise from outside: every plane through three points that has all others
/// behind it.
fn hull_faces(points: &[Vector]) -> Option<Vec<[Vector; 3]>> {
    const MOST: usize = 40;
    if !(4..=MOST).contains(&points.len()) {
        return None;
    }
    let size = points.iter().map(|p| p.length()).fold(0.0, f64::max);
    let mut seen: Vec<Vec<usize>> = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            for k in j + 1..points.len() {
                let normal = (points[j] - points[i]).cross(points[k] - points[i]);
                if normal.length() < 1e-9 * size * size {
                    continue;
                }
                let mut normal = normal.unit();
                let height = |n: Vector, p: &Vector| n.dot(*p - points[i]);
                if points.iter().any(|p| height(normal, p) > 1e-9 * size) {
                    normal = -normal;
                }
                if points.iter().any(|p| height(normal, p) > 1e-9 * size) {
                    continue;
                }
                let face: Vec<usize> =
                    (0..points.len()).filter(|m| height(normal, &points[*m]).abs() <= 1e-9 * size).collect();
                if seen.contains(&face) {
                    continue;
                }
                let outline = outline(&face.iter().map(|m| points[*m]).collect::<Vec<_>>(), normal);
                triangles.extend((2..outline.len()).map(|m| [outline[0], outline[m - 1], outline[m]]));
                seen.push(face);
            }
        }
    }
    Some(triangles)
}

/// The corners of the hull of points of one plane, counterclockwise about the normal (Andrew's monotone chain).
fn outline(points: &[Vector], normal: Vector) -> Vec<Vector> {
    let x = normal.across();
    let y = normal.cross(x);
    let mut sorted: Vec<Vector> = points.to_vec();
    sorted.sort_by(|a, b| a.dot(x).total_cmp(&b.dot(x)).then(a.dot(y).total_cmp(&b.dot(y))));
    let chain = |points: &mut dyn Iterator<Item = Vector>| {
        let mut chain: Vec<Vector> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b - a).cross(p - b).dot(normal) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut whole = chain(&mut sorted.iter().copied());
    whole.extend(chain(&mut sorted.iter().rev().copied()));
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Mass {
        let table: Table = text.parse().expect("TOML");
        let solid = table.get("shape").and_then(Value::as_table).map(Solid::read);
        mass_of(&table, solid.as_ref()).expect("a mass")
    }

    /// A cube is the same as a box, a hull with points on its faces, a mesh and a compound of two halves.
    #[test]
    fn a_cube_has_one_inertia() {
        let corners = "[[1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1], [-1, 1, 1], [-1, 1, -1], [-1, -1, 1], [-1, -1, -1], [0, 0, 1], [1, 0, 0]]";
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<String> = quads
            .iter()
            .flat_map(|[a, b, c, d]| [format!("[{a}, {b}, {c}]"), format!("[{a}, {c}, {d}]")])
            .collect();
        let ways = [
            "shape = { kind = \"box\", size = [2, 2, 2] }\ndensity = 3".to_owned(),
            "shape = { kind = \"box\", size = [2, 2, 2] }\nmass = 24".to_owned(),
            format!("shape = {{ kind = \"hull\", points = {corners} }}\ndensity = 3"),
            format!("shape = {{ kind = \"mesh\", vertices = {corners}, triangles = [{}] }}\ndensity = 3", triangles.join(", ")),
            "shape = { kind = \"compound\", parts = [{ shape = { kind = \"box\", size = [1, 2, 2] }, position = [0.5, 0, 0], mass = 12 }, { shape = { kind = \"box\", size = [2, 1, 2] }, position = [-0.5, 0, 0], orientation = { euler_deg = [0, 0, 90] }, density = 3 }] }".to_owned(),
        ];
        for way in ways {
            let mass = body(&way);
            assert!((mass.mass - 24.0).abs() < 1e-12, "{way}: {mass:?}");
            assert!(mass.centre.length() < 1e-12, "{way}: {mass:?}");
            let inertia = mass.inertia.expect("known");
            let off = inertia.plus(&Matrix::IDENTITY.scaled(-16.0));
            assert!(off.0.iter().all(|column| column.length() < 1e-12), "{way}: {inertia:?}");
        }
    }

    /// Support functions agree with points of the surface, and moments with a sum over a grid.
    #[test]
    fn moments_are_those_of_the_support_function() {
        let shapes = [
            "{ kind = \"sphere\", radius = 0.7 }",
            "{ kind = \"capsule\", radius = 0.4, length = 0.8 }",
            "{ kind = \"cylinder\", radius = 0.5, length = 1.1 }",
            "{ kind = \"cone\", radius = 0.6, height = 0.9 }",
            "{ kind = \"ellipsoid\", size = [0.8, 1.2, 1.6] }",
        ];
        for shape in shapes {
            let table: Table = format!("shape = {shape}\ndensity = 1").parse().expect("TOML");
            let solid = table.get("shape").and_then(Value::as_table).map(Solid::read).expect("a shape");
            let mass = mass_of(&table, Some(&solid)).expect("a mass");
            let directions: Vec<Vector> = (0..1500).map(|k| spiral(k, 1500)).collect();
            let heights: Vec<f64> =
                directions.iter().map(|n| solid.parts[0].convex.support(*n).dot(*n)).collect();
            let inside = |x: Vector| directions.iter().zip(&heights).all(|(n, h)| n.dot(x) <= *h);
            let cells = 44;
            let step = 2.0 / f64::from(cells);
            let mut sum = Moments::ZERO;
            for k in 0..cells * cells * cells {
                let cell = |k: i32| (f64::from(k) + 0.5) * step - 1.0;
                let x = vector(cell(k % cells), cell(k / cells % cells), cell(k / cells / cells));
                if inside(x) {
                    let m = step * step * step;
                    sum = sum.plus(&Moments { mass: m, first: x * m, second: Matrix::outer(x, x).scaled(m) });
                }
            }
            let (centre, inertia) = sum.inertia();
            assert!((sum.mass / mass.mass - 1.0).abs() < 0.05, "{shape}: {} for {}", mass.mass, sum.mass);
            assert!((centre - mass.centre).length() < 0.01, "{shape}: {:?} for {centre:?}", mass.centre);
            for k in 0..3 {
                let found = mass.inertia.expect("known").0[k][k];
                assert!((found / inertia.0[k][k] - 1.0).abs() < 0.07, "{shape}: {found} for {inertia:?}");
            }
        }
    }

    fn spiral(k: usize, count: usize) -> Vector {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
        let angle = 2.399963229728653 * k as f64;
        let r = (1.0 - z * z).sqrt();
        vector(r * libm::cos(angle), r * libm::sin(angle), z)
    }
}
