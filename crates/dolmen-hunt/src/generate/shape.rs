//! Shapes of every kind within a sphere about the origin of the body's frame.

use dolmen::math::real::{cos, sin};
use dolmen::math::{DVec3, dvec3};

use super::random::Random;
use super::text::{list, number, vector};

/// A shape as TOML.
#[derive(Debug)]
pub(super) struct Shaped {
    pub(super) text: String,
    /// Whether a density makes sense.
    pub(super) has_volume: bool,
    /// Whether the parts have masses of their own.
    pub(super) has_masses: bool,
}

/// Rounding to three digits must not leave the sphere.
const SHRINK: f64 = 0.98;

const SIMPLE: [&str; 8] = ["sphere", "box", "capsule", "cylinder", "cone", "disc", "ellipsoid", "hull"];

/// Any shape but a plane, of which the sphere of `radius` is a bound; `mass` is shared out among parts with their own.
pub(super) fn any(random: &mut Random, radius: f64, mass: f64) -> Shaped {
    match random.below(24) {
        0..=3 => simple(random, "sphere", radius),
        4..=8 => simple(random, "box", radius),
        20 => mesh(random, radius),
        21 | 22 => compound(random, radius, mass),
        23 if random.chance(0.3) => points(random, radius, mass),
        _ => {
            let kind = random.pick(&SIMPLE);
            simple(random, kind, radius)
        }
    }
}

/// A shape of a kind that can be touched.
pub(super) fn of_kind(random: &mut Random, kind: &str, radius: f64, mass: f64) -> Shaped {
    match kind {
        "mesh" => mesh(random, radius),
        "compound" => compound(random, radius, mass),
        "ring" => ring(random, radius),
        "channel" => channel(random, radius),
        kind => simple(random, kind, radius),
    }
}

/// One of the convex shapes.
pub(super) fn simple(random: &mut Random, kind: &str, radius: f64) -> Shaped {
    let r = SHRINK * radius;
    let share = random.between(0.15, 0.85);
    let keys = match kind {
        "sphere" | "disc" => format!("radius = {}", number(r)),
        "box" => {
            let sides = dvec3(random.between(0.1, 1.0), random.between(0.1, 1.0), random.between(0.1, 1.0));
            format!("size = {}", vector(2.0 * r * sides.normalize()))
        }
        "capsule" => format!("radius = {}, length = {}", number(share * r), number(2.0 * (1.0 - share) * r)),
        "cylinder" => {
            let length = 2.0 * (1.0 - share * share).sqrt() * r;
            format!("radius = {}, length = {}", number(share * r), number(length))
        }
        "cone" => {
            format!("radius = {}, height = {}", number(share * r), number(random.between(0.2, 1.0) * r))
        }
        "ellipsoid" => {
            let axes = dvec3(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0));
            format!("size = {}", vector(2.0 * r * axes))
        }
        "hull" => hull_points(random, r),
        _ => unreachable!("{kind} is not a simple shape"),
    };
    let text = format!("{{ kind = \"{kind}\", {keys} }}");
    Shaped { text, has_volume: kind != "disc", has_masses: false }
}

/// Points in all octants, so that the origin is inside.
fn hull_points(random: &mut Random, r: f64) -> String {
    let count = random.count(4, 10);
    let corner = |k: usize, random: &mut Random| {
        // The first four are a tetrahedron, whatever is added.
        let sign =
            [dvec3(1.0, 1.0, 1.0), dvec3(1.0, -1.0, -1.0), dvec3(-1.0, 1.0, -1.0), dvec3(-1.0, -1.0, 1.0)];
        match sign.get(k) {
            Some(sign) => (0.577 * *sign + 0.2 * random.vector()).normalize() * random.between(0.5, 1.0),
            None => random.direction() * random.between(0.3, 1.0),
        }
    };
    format!("points = {}", list((0..count).map(|k| vector(r * corner(k, random)))))
}

/// An octahedron with a corner over, or a dent in, the middle of each face.
fn mesh(random: &mut Random, radius: f64) -> Shaped {
    let r = SHRINK * radius;
    let mut vertices: Vec<DVec3> = Vec::new();
    for axis in DVec3::AXES {
        for sign in [1.0, -1.0] {
            vertices.push(r * sign * random.between(0.5, 1.0) * axis);
        }
    }
    let mut triangles = Vec::new();
    for octant in 0..8 {
        // Even or odd reflections: counterclockwise from outside.
        let [x, y, z] = [octant & 1, 2 + (octant >> 1 & 1), 4 + (octant >> 2 & 1)];
        let is_odd = (octant & 1) + (octant >> 1 & 1) + (octant >> 2 & 1);
        let face = if is_odd % 2 == 0 { [x, y, z] } else { [x, z, y] };
        let middle = vertices.len();
        let centre = (vertices[x] + vertices[y] + vertices[z]) / 3.0;
        vertices.push(centre * random.between(0.6, 1.5));
        for k in 0..3 {
            triangles.push(format!("[{}, {}, {middle}]", face[k], face[(k + 1) % 3]));
        }
    }
    let vertices = list(vertices.into_iter().map(vector));
    let text = format!("{{ kind = \"mesh\", vertices = {vertices}, triangles = {} }}", list(triangles));
    Shaped { text, has_volume: true, has_masses: false }
}

/// A ring of a tube of changing width: no point sees all of it, and things go through it.
fn ring(random: &mut Random, radius: f64) -> Shaped {
    let r = SHRINK * radius;
    let (around, across) = (random.count(5, 10), random.count(3, 6));
    let tube = random.between(0.15, 0.45) * r;
    let mut vertices: Vec<DVec3> = Vec::new();
    for i in 0..around {
        let (sin, cos) = sin_cos(i as f64 / around as f64);
        let width = tube * random.between(0.6, 1.0);
        for j in 0..across {
            let (up, out) = sin_cos(j as f64 / across as f64);
            let distance = r - tube + width * out;
            vertices.push(dvec3(distance * cos, distance * sin, width * up));
        }
    }
    let place = |i: usize, j: usize| (i % around) * across + j % across;
    let mut triangles = Vec::new();
    for (i, j) in (0..around).flat_map(|i| (0..across).map(move |j| (i, j))) {
        // Counterclockwise from outside.
        let [a, b, c, d] = [place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh_of(&vertices, &triangles)
}

/// A channel with a floor and two walls: no point sees both walls from inside.
fn channel(random: &mut Random, radius: f64) -> Shaped {
    let r = SHRINK * radius;
    let half = dvec3(random.between(0.3, 1.0), random.between(0.3, 1.0), random.between(0.2, 1.0));
    let DVec3 { x, y, z } = r * half.normalize();
    let (floor, wall) = (2.0 * y * random.between(0.1, 0.5), x * random.between(0.1, 0.6));
    // Counterclockwise.
    let section = [
        [-x, -y],
        [x, -y],
        [x, y],
        [x - wall, y],
        [x - wall, floor - y],
        [wall - x, floor - y],
        [wall - x, y],
        [-x, y],
    ];
    let at = |z: f64| section.map(|[x, y]| dvec3(x, y, z));
    let vertices = [at(-z), at(z)].concat();
    let mut triangles = Vec::new();
    for [a, b, c] in [[1, 2, 3], [1, 3, 4], [0, 1, 4], [0, 4, 5], [0, 5, 6], [0, 6, 7]] {
        triangles.extend([[a, c, b], [a + 8, b + 8, c + 8]]);
    }
    for i in 0..8 {
        let j = (i + 1) % 8;
        triangles.extend([[i, j, j + 8], [i, j + 8, i + 8]]);
    }
    mesh_of(&vertices, &triangles)
}

/// Sine and cosine of a share of a turn.
fn sin_cos(share: f64) -> (f64, f64) {
    let angle = std::f64::consts::TAU * share;
    (sin(angle), cos(angle))
}

fn mesh_of(vertices: &[DVec3], triangles: &[[usize; 3]]) -> Shaped {
    let vertices = list(vertices.iter().copied().map(vector));
    let triangles = list(triangles.iter().map(|[a, b, c]| format!("[{a}, {b}, {c}]")));
    let text = format!("{{ kind = \"mesh\", vertices = {vertices}, triangles = {triangles} }}");
    Shaped { text, has_volume: true, has_masses: false }
}

fn compound(random: &mut Random, radius: f64, mass: f64) -> Shaped {
    let count = random.count(2, 4);
    let has_masses = random.chance(0.5);
    // A disc among solids needs a mass of its own.
    let kinds: Vec<&str> = SIMPLE.into_iter().filter(|kind| has_masses || *kind != "disc").collect();
    let parts = (0..count).map(|_| {
        let kind = random.pick(&kinds);
        let part = simple(random, kind, 0.4 * radius);
        let (at, degrees) = (0.33 * radius * random.vector(), 90.0 * random.vector());
        let own =
            if has_masses { format!(", mass = {}", number(mass / count as f64)) } else { String::new() };
        format!(
            "{{ shape = {}, position = {}, orientation = {{ euler_deg = {}, order = \"zxz\" }}{own} }}",
            part.text,
            vector(at),
            vector(degrees)
        )
    });
    let parts = list(parts.collect::<Vec<_>>());
    Shaped { text: format!("{{ kind = \"compound\", parts = {parts} }}"), has_volume: true, has_masses }
}

/// Points with mass, which nothing can touch.
fn points(random: &mut Random, radius: f64, mass: f64) -> Shaped {
    let count = random.count(4, 6);
    let point = |random: &mut Random| {
        let at = 0.55 * radius * random.vector();
        format!("{{ mass = {}, position = {} }}", number(mass / count as f64), vector(at))
    };
    let points = list((0..count).map(|_| point(random)).collect::<Vec<_>>());
    Shaped {
        text: format!("{{ kind = \"points\", points = {points} }}"),
        has_volume: false,
        has_masses: true,
    }
}
