//! The scenes, once for all engines: y is not up, z is. Lengths in m, masses in kg.

use dolmen::math::{DQuat, DVec3, dvec3};
use dolmen::shape::{Hull, Shape};

/// A body of a scene.
pub struct Piece {
    pub shape: Shape,
    pub mass: f64,
    pub at: DVec3,
    pub turned: DQuat,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// Whether it never moves.
    pub fixed: bool,
}

impl Piece {
    /// At rest, not turned.
    pub fn new(shape: Shape, mass: f64, at: DVec3) -> Self {
        Self {
            shape,
            mass,
            at,
            turned: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            fixed: false,
        }
    }
}

/// A scene.
pub struct Scene {
    pub name: String,
    pub pieces: Vec<Piece>,
    /// Ball joints: two pieces and a point of the world.
    pub balls: Vec<(usize, usize, DVec3)>,
    /// Half the side of a room without a roof; none for a floor alone.
    pub room: Option<f64>,
    /// Whether there is a floor at z = 0.
    pub floor: bool,
    pub steps: usize,
    /// The piece whose sinking is told.
    pub watched: Option<usize>,
    pub gravity: DVec3,
    pub friction: f64,
    pub restitution: f64,
}

/// A small generator, so that scenes are the same everywhere. [Numerical Recipes, ranqd1 widened]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }
    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub fn about(&mut self, most: f64) -> f64 {
        (2.0 * self.unit() - 1.0) * most
    }
    pub fn rotation(&mut self) -> DQuat {
        loop {
            let q = DQuat::from_xyzw(self.about(1.0), self.about(1.0), self.about(1.0), self.about(1.0));
            if (0.1..1.0).contains(&q.length()) {
                return q.normalize();
            }
        }
    }
}

fn cuboid(half: DVec3) -> Shape {
    Shape::cuboid(half).expect("positive half sides")
}

fn sphere(radius: f64) -> Shape {
    Shape::sphere(radius).expect("a positive radius")
}

fn piece(shape: Shape, mass: f64, at: DVec3) -> Piece {
    Piece::new(shape, mass, at)
}

impl Scene {
    /// On a floor.
    pub fn new(name: &str, pieces: Vec<Piece>) -> Self {
        Self {
            name: name.to_owned(),
            pieces,
            balls: Vec::new(),
            room: None,
            floor: true,
            steps: 600,
            watched: None,
            gravity: dvec3(0.0, 0.0, -9.81),
            friction: 0.5,
            restitution: 0.0,
        }
    }
}

fn scene(name: &str, pieces: Vec<Piece>) -> Scene {
    Scene::new(name, pieces)
}

/// The names of all scenes.
pub const NAMES: [&str; 14] = [
    "S1",
    "S2",
    "S2b",
    "S3",
    "S4",
    "S5-net",
    "S5-chain",
    "S6-column",
    "S6-10",
    "S6-100",
    "S6-1000",
    "S7",
    "S3-1k",
    "S3-100k",
];

/// A scene by its name.
pub fn by_name(name: &str, seed: u64) -> Option<Scene> {
    Some(match name {
        "S1" => pyramid(40),
        "S2" => boxes(name, 5000, seed, false),
        "S2b" => boxes(name, 5000, seed, true),
        "S3" => spheres(name, 10_000, 20),
        "S3-1k" => Scene { steps: 600, ..spheres(name, 1000, 10) },
        "S3-100k" => Scene { steps: 300, ..spheres(name, 100_000, 43) },
        "S4" => hulls(2000, seed),
        "S5-net" => net(100),
        "S5-chain" => chain(200),
        "S6-column" => column(20),
        "S6-10" => heavy(name, 10.0),
        "S6-100" => heavy(name, 100.0),
        "S6-1000" => heavy(name, 1000.0),
        "S7" => terrain(1000, seed),
        _ => return None,
    })
}

fn pyramid(base: usize) -> Scene {
    let mut pieces = Vec::new();
    for row in 0..base {
        for k in 0..base - row {
            let x = (k as f64 - 0.5 * (base - row - 1) as f64) * 1.05;
            pieces.push(piece(cuboid(DVec3::splat(0.5)), 1.0, dvec3(x, 0.0, 0.5 + row as f64)));
        }
    }
    let top = pieces.len() - 1;
    Scene { watched: Some(top), ..scene("S1", pieces) }
}

fn boxes(name: &str, count: usize, seed: u64, is_turned: bool) -> Scene {
    let mut random = Random::new(seed);
    let (side, apart) = if is_turned { (10, 0.95) } else { (16, 0.6) };
    let mut pieces = Vec::new();
    for i in 0..count {
        let (layer, k) = (i / (side * side), i % (side * side));
        let at = |k: usize| (k as f64 - 0.5 * (side - 1) as f64) * apart;
        let jitter = if is_turned { 0.0 } else { 0.02 };
        let place = dvec3(
            at(k % side) + random.about(jitter),
            at(k / side) + random.about(jitter),
            0.5 + layer as f64 * apart,
        );
        let mut body = piece(cuboid(DVec3::splat(0.25)), 0.125, place);
        if is_turned {
            body.turned = random.rotation();
        }
        pieces.push(body);
    }
    Scene { room: Some(5.0), ..scene(name, pieces) }
}

fn spheres(name: &str, count: usize, side: usize) -> Scene {
    let mut random = Random::new(7);
    let mut pieces = Vec::new();
    for i in 0..count {
        let (layer, k) = (i / (side * side), i % (side * side));
        let at = |k: usize| (k as f64 - 0.5 * (side - 1) as f64) * 0.55;
        // A hair of disorder: columns that stand on each other exactly would never fall over.
        let place = dvec3(
            at(k % side) + random.about(0.01),
            at(k / side) + random.about(0.01),
            0.3 + layer as f64 * 0.55,
        );
        pieces.push(piece(sphere(0.25), 1.0, place));
    }
    Scene { room: Some(0.55 * side as f64 / 2.0 + 0.2), ..scene(name, pieces) }
}

fn hull(random: &mut Random) -> Shape {
    let count = 16 + (random.unit() * 9.0) as usize;
    loop {
        let points: Vec<DVec3> = (0..count)
            .map(|_| dvec3(random.about(1.0), random.about(1.0), random.about(1.0)).normalize() * 0.25)
            .collect();
        if let Ok(hull) = Hull::new(&points) {
            return hull.into();
        }
    }
}

fn hulls(count: usize, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let side = 12;
    let mut pieces = Vec::new();
    for i in 0..count {
        let (layer, k) = (i / (side * side), i % (side * side));
        let at = |k: usize| (k as f64 - 0.5 * (side - 1) as f64) * 1.2;
        let mut body =
            piece(hull(&mut random), 0.1, dvec3(at(k % side), at(k / side), 0.6 + layer as f64 * 1.2));
        body.turned = random.rotation();
        pieces.push(body);
    }
    Scene { room: Some(7.5), ..scene("S4", pieces) }
}

fn net(side: usize) -> Scene {
    let mut pieces = Vec::new();
    let mut balls = Vec::new();
    for i in 0..side {
        for j in 0..side {
            let mut body = piece(sphere(0.1), 1.0, dvec3(i as f64 * 0.25, j as f64 * 0.25, 30.0));
            body.fixed = i == 0;
            let here = pieces.len();
            if i > 0 {
                balls.push((here, here - side, dvec3((i as f64 - 0.5) * 0.25, j as f64 * 0.25, 30.0)));
            }
            if j > 0 && i > 0 {
                balls.push((here, here - 1, dvec3(i as f64 * 0.25, (j as f64 - 0.5) * 0.25, 30.0)));
            }
            pieces.push(body);
        }
    }
    Scene { balls, floor: false, ..scene("S5-net", pieces) }
}

fn chain(links: usize) -> Scene {
    let mut pieces = vec![Piece { fixed: true, ..piece(sphere(0.1), 1.0, dvec3(0.0, 0.0, 100.0)) }];
    let mut balls = Vec::new();
    for k in 1..=links {
        let is_last = k == links;
        let z = 100.0 - k as f64 * 0.4;
        let mut body = if is_last {
            piece(sphere(0.15), 100.0, dvec3(0.0, 0.0, z))
        } else {
            piece(cuboid(dvec3(0.05, 0.05, 0.15)), 1.0, dvec3(0.0, 0.0, z))
        };
        // As a stiff pendulum: the ball at 5 m/s.
        body.velocity = dvec3(5.0 * k as f64 / links as f64, 0.0, 0.0);
        pieces.push(body);
        balls.push((k, k - 1, dvec3(0.0, 0.0, z + 0.2)));
    }
    Scene { balls, floor: false, ..scene("S5-chain", pieces) }
}

fn column(count: usize) -> Scene {
    let pieces: Vec<Piece> =
        (0..count).map(|k| piece(cuboid(DVec3::splat(0.5)), 1.0, dvec3(0.0, 0.0, 0.5 + k as f64))).collect();
    let top = pieces.len() - 1;
    Scene { watched: Some(top), steps: 3600, ..scene("S6-column", pieces) }
}

fn heavy(name: &str, ratio: f64) -> Scene {
    let pieces: Vec<Piece> = (0..5)
        .map(|k| {
            piece(
                cuboid(DVec3::splat(0.5)),
                if k == 4 { ratio } else { 1.0 },
                dvec3(0.0, 0.0, 0.5 + f64::from(k)),
            )
        })
        .collect();
    Scene { watched: Some(4), ..scene(name, pieces) }
}

/// Height of the terrain.
pub fn height(x: f64, y: f64) -> f64 {
    0.6 * (0.7 * x).sin() * (0.55 * y).cos() + 0.25 * (1.9 * x + 0.4).cos() * (1.7 * y).sin() - 1.0
}

/// Vertices and triangles of the terrain, open.
pub fn ground() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (cells, side) = (100_u32, 0.25);
    let mut vertices = Vec::new();
    for i in 0..=cells {
        for j in 0..=cells {
            let (x, y) = ((f64::from(i) - 50.0) * side, (f64::from(j) - 50.0) * side);
            vertices.push(dvec3(x, y, height(x, y)));
        }
    }
    let mut triangles = Vec::new();
    let at = |i: u32, j: u32| i * (cells + 1) + j;
    for i in 0..cells {
        for j in 0..cells {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

/// The terrain closed by a wall and a bottom: the same surface above.
pub fn closed_ground() -> Shape {
    let (mut vertices, mut triangles) = ground();
    let (n, bottom) = (101_u32, -4.0);
    let mut rim = Vec::new();
    rim.extend((0..n).map(|i| i * n));
    rim.extend((1..n).map(|j| (n - 1) * n + j));
    rim.extend((0..n - 1).rev().map(|i| i * n + n - 1));
    rim.extend((1..n - 1).rev());
    let first = vertices.len() as u32;
    for &v in &rim {
        let p = vertices[v as usize];
        vertices.push(dvec3(p.x, p.y, bottom));
    }
    let centre = vertices.len() as u32;
    vertices.push(dvec3(0.0, 0.0, bottom));
    let count = rim.len() as u32;
    for k in 0..count {
        let (a, b) = (rim[k as usize], rim[((k + 1) % count) as usize]);
        let (c, d) = (first + k, first + (k + 1) % count);
        triangles.push([b, a, c]);
        triangles.push([b, c, d]);
        triangles.push([d, c, centre]);
    }
    Shape::from(dolmen::shape::Mesh::new(&vertices, &triangles).expect("a closed mesh"))
}

fn terrain(count: usize, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let mut pieces = vec![Piece { fixed: true, ..piece(closed_ground(), 1.0, DVec3::ZERO) }];
    for i in 0..count {
        let (layer, k) = (i / 100, i % 100);
        let at = |k: usize| (k as f64 - 4.5) * 1.1;
        let shape = match i % 3 {
            0 => cuboid(DVec3::splat(0.25)),
            1 => sphere(0.25),
            _ => hull(&mut random),
        };
        let mut body = piece(shape, 1.0, dvec3(at(k % 10), at(k / 10), 1.0 + layer as f64));
        body.turned = random.rotation();
        pieces.push(body);
    }
    Scene { floor: false, ..scene("S7", pieces) }
}
