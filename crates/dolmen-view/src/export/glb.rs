//! An animated glTF 2.0 in one binary file (`.glb`).
//!
//! A mesh for each shape in each colour, a node for each body. Positions are cubic splines with a velocity on either side of
//! every key, so that collisions stay sharp; orientations are interpolated on the sphere between denser keys. glTF has y up: a
//! node above all turns the scene there. Particles, and bodies without a shape, are small balls.

use dolmen::math::{DQuat, DVec3};
use dolmen::shape::{Fineness, Shape, triangulate};
use dolmen::world::World;
use serde_json::{Value, json};

use super::ExportError;
use super::keys::{Key, LONGEST, Tolerance, thinned};
use crate::describe::{Drawn, extents, surfaces, upright};
use crate::recording::{BodyKey, Jump, between};
use crate::take::Take;

/// How far bodies may be from where they were, by the size of the scene; and how far turned, rad.
const LENGTH: f64 = 2e-4;
const ANGLE: f64 = 1e-2;

/// Colours of moving bodies, linear: Okabe and Ito's.
const COLOURS: [[f64; 3]; 6] = [
    [0.0, 0.168, 0.445],
    [0.791, 0.347, 0.0],
    [0.0, 0.342, 0.171],
    [0.604, 0.191, 0.386],
    [0.093, 0.456, 0.807],
    [0.665, 0.112, 0.0],
];
const STILL: [f64; 3] = [0.48, 0.5, 0.53];

/// Radius of the ball that stands for a point, by the size of the scene; and corners of its circles.
const DOT: f64 = 0.012;
const DOT_CORNERS: u32 = 8;

/// Numbers of all particles together: three and a time for each key; beyond, keys are fewer.
const MOST_PARTICLE_NUMBERS: usize = 4_000_000;

/// The format counts bytes in 32 bits.
const MOST_BYTES: usize = 1 << 31;

/// The file as bytes.
///
/// # Errors
/// When it would be larger than the format allows.
pub fn glb(take: &Take, title: &str) -> Result<Vec<u8>, ExportError> {
    let mut file = File::default();
    let (recording, world) = (take.recording(), take.world());
    let extents = extents(world);
    let (shapes, places) = surfaces(world, &extents);
    let accessors: Vec<Option<[usize; 2]>> = shapes.iter().map(|shape| file.add_surface(shape)).collect();
    file.add_materials();
    let dot = file.add_dot(DOT * extents.size, world);
    let tolerance = Tolerance { length: LENGTH * extents.size, angle: ANGLE };
    let mut children = Vec::new();
    for id in world.described_ids() {
        let body = world.body(id);
        let surface = usize::try_from(places[id.index()]).ok().and_then(|place| accessors[place]);
        let colour = if body.is_dynamic() { 1 + id.index() % COLOURS.len() } else { 0 };
        // What has no shape is a dot; what has one without triangles is nothing.
        let surface = if body.shape().is_none() { dot } else { surface };
        let mesh = surface.map(|surface| file.add_mesh(surface, colour));
        let Some(first) = recording.frames().first().map(|frame| frame.bodies[id.index()]) else { continue };
        let node = file.add_body(&world.body_name(id), &first, body.shape_origin(), mesh);
        children.push(node);
        let still = matches!(body.prescribed_motion(), Some(dolmen::motion::Prescribed::Still(_)));
        if !still {
            let path =
                thinned(recording, id.index(), Tolerance { angle: f64::INFINITY, ..tolerance }, &between);
            file.animate_position(node, &path);
            let turns =
                thinned(recording, id.index(), Tolerance { length: f64::INFINITY, ..tolerance }, &slerp);
            file.animate_orientation(node, &turns);
        }
    }
    children.extend(file.add_particles(take, dot, tolerance.length));
    file.finish(title, &children, DQuat::from_rotation_arc(upright(world), DVec3::Y))
}

/// On the great circle between two orientations.
fn slerp(a: &BodyKey, b: &BodyKey, _: Option<Jump>, s: f64, _: f64) -> BodyKey {
    let q = a.orientation().slerp(b.orientation(), s);
    BodyKey { q: q.to_array().map(|c| c as f32), ..*a }
}

/// A glTF file in the making.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    /// (accessors, material) of each mesh.
    made: Vec<([usize; 2], usize)>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl File {
    /// Numbers of an accessor; `bounds` are asked for of positions and times.
    fn add_numbers(
        &mut self,
        kind: &str,
        width: usize,
        values: &[f32],
        bounds: bool,
        target: Option<u32>,
    ) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": 4 * values.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        for value in values {
            self.bytes.extend(value.to_le_bytes());
        }
        self.views.push(view);
        let mut accessor = json!({
            "bufferView": self.views.len() - 1, "componentType": 5126, "count": values.len() / width, "type": kind,
        });
        if bounds {
            let of = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                let column = |k: usize| values.iter().skip(k).step_by(width).copied().reduce(pick);
                (0..width).filter_map(column).collect()
            };
            accessor["min"] = json!(of(f32::min));
            accessor["max"] = json!(of(f32::max));
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Positions and normals of the triangles, each corner by itself; none for a surface without any.
    fn add_surface(&mut self, drawn: &Drawn) -> Option<[usize; 2]> {
        let surface = &drawn.surface;
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        for (triangle, corners) in surface.triangles.iter().zip(&surface.normals) {
            // One that is too thin for a normal is too thin to be seen.
            if corners.iter().any(|n| (n.length_squared() - 1.0).abs() > 1e-6) {
                continue;
            }
            for (vertex, normal) in triangle.iter().zip(corners) {
                points.extend(surface.vertices[*vertex as usize].to_array().map(|c| c as f32));
                normals.extend(normal.to_array().map(|c| c as f32));
            }
        }
        if points.is_empty() {
            return None;
        }
        let array_buffer = Some(34962);
        Some([
            self.add_numbers("VEC3", 3, &points, true, array_buffer),
            self.add_numbers("VEC3", 3, &normals, false, array_buffer),
        ])
    }

    /// A small ball, if there is anything without a shape to show.
    fn add_dot(&mut self, radius: f64, world: &World) -> Option<[usize; 2]> {
        let is_needed = world.described_bodies().iter().any(|body| body.shape().is_none())
            || world.sets().iter().any(|set| !set.is_empty());
        let ball = Shape::sphere(radius).ok().filter(|_| is_needed)?;
        let surface = triangulate(&ball, Fineness::Segments(DOT_CORNERS), radius);
        self.add_surface(&Drawn { surface, is_floor: false, is_round: true })
    }

    /// A node for each particle, under one for its set, which are returned; each moves on straight lines between keys.
    fn add_particles(&mut self, take: &Take, dot: Option<[usize; 2]>, tolerance: f64) -> Vec<usize> {
        let (frames, world) = (take.recording().frames(), take.world());
        let (Some(dot), Some(first)) = (dot, frames.first()) else { return Vec::new() };
        let stride = (4 * first.particles.len() * frames.len()).div_ceil(MOST_PARTICLE_NUMBERS).max(1);
        let last = frames.len() - 1;
        let kept: Vec<usize> = (0..frames.len()).filter(|i| i % stride == 0 || *i == last).collect();
        let mesh = self.add_mesh(dot, 1);
        let mut sets = Vec::new();
        let mut start = 0;
        for set in world.sets().iter().filter(|set| !set.is_empty()) {
            let mut nodes = Vec::with_capacity(set.len());
            for i in start..start + set.len() {
                self.nodes.push(json!({ "mesh": mesh, "translation": first.particles[i] }));
                nodes.push(self.nodes.len() - 1);
                let path =
                    straight(&|k| (frames[kept[k]].t, frames[kept[k]].particles[i]), kept.len(), tolerance);
                let times: Vec<f32> = path.iter().map(|(t, _)| *t).collect();
                let flat: Vec<f32> = path.iter().flat_map(|(_, p)| *p).collect();
                let output = self.add_numbers("VEC3", 3, &flat, false, None);
                self.add_channel(nodes[nodes.len() - 1], "translation", &times, output, "LINEAR");
            }
            start += set.len();
            self.nodes.push(json!({ "name": set.name(), "children": nodes }));
            sets.push(self.nodes.len() - 1);
        }
        sets
    }

    fn add_materials(&mut self) {
        for [r, g, b] in [STILL].into_iter().chain(COLOURS) {
            self.materials.push(json!({
                "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 },
            }));
        }
    }

    fn add_mesh(&mut self, surface: [usize; 2], material: usize) -> usize {
        let known = self.made.iter().position(|made| *made == (surface, material));
        known.unwrap_or_else(|| {
            let [position, normal] = surface;
            let attributes = json!({ "POSITION": position, "NORMAL": normal });
            self.meshes.push(json!({ "primitives": [{ "attributes": attributes, "material": material }] }));
            self.made.push((surface, material));
            self.made.len() - 1
        })
    }

    /// A node at the centre of mass; the shape is a child if its frame is elsewhere.
    fn add_body(&mut self, name: &str, first: &BodyKey, origin: DVec3, mesh: Option<usize>) -> usize {
        let mut node =
            json!({ "name": name, "translation": first.x.map(|c| c as f32), "rotation": unit(first) });
        match mesh {
            Some(mesh) if origin == DVec3::ZERO => node["mesh"] = json!(mesh),
            Some(mesh) => {
                self.nodes.push(json!({ "mesh": mesh, "translation": origin.to_array() }));
                node["children"] = json!([self.nodes.len() - 1]);
            }
            None => {}
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn add_channel(&mut self, node: usize, path: &str, times: &[f32], output: usize, interpolation: &str) {
        let input = self.add_numbers("SCALAR", 1, times, true, None);
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": target }));
    }

    /// For each key the velocity before, the position and the velocity after: the format's cubic is Hermite's.
    fn animate_position(&mut self, node: usize, keys: &[Key]) {
        let keys = distinct(keys);
        let mut values = vec![[[0.0_f32; 3]; 3]; keys.len()];
        for (i, key) in keys.iter().enumerate() {
            values[i][1] = key.body.x.map(|c| c as f32);
        }
        for i in 1..keys.len() {
            let (a, b) = (&keys[i - 1], &keys[i]);
            let mean = (b.body.position() - a.body.position()) / (b.t - a.t);
            let (start, end) = match b.jump {
                None => (a.body.velocity(), b.body.velocity()),
                Some(Jump::AtEnd) => (a.body.velocity(), 2.0 * mean - a.body.velocity()),
                Some(Jump::OnTheWay) => (mean, mean),
            };
            values[i - 1][2] = start.to_array().map(|c| c as f32);
            values[i][0] = end.to_array().map(|c| c as f32);
        }
        let times: Vec<f32> = keys.iter().map(|key| key.t as f32).collect();
        let flat: Vec<f32> = values.into_iter().flatten().flatten().collect();
        let output = self.add_numbers("VEC3", 3, &flat, false, None);
        self.add_channel(node, "translation", &times, output, "CUBICSPLINE");
    }

    fn animate_orientation(&mut self, node: usize, keys: &[Key]) {
        let keys = distinct(keys);
        let times: Vec<f32> = keys.iter().map(|key| key.t as f32).collect();
        let turns: Vec<f32> = keys.iter().flat_map(|key| unit(&key.body)).collect();
        let output = self.add_numbers("VEC4", 4, &turns, false, None);
        self.add_channel(node, "rotation", &times, output, "LINEAR");
    }

    fn finish(mut self, title: &str, children: &[usize], upright: DQuat) -> Result<Vec<u8>, ExportError> {
        let rotation = upright.to_array().map(|c| c as f32);
        let mut root = json!({ "name": title, "rotation": rotation });
        if !children.is_empty() {
            root["children"] = json!(children);
        }
        self.nodes.push(root);
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "dolmen" },
            "scene": 0,
            "scenes": [{ "nodes": [self.nodes.len() - 1] }],
            "nodes": self.nodes,
        });
        // The format forbids lists of nothing.
        for (name, list) in [
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ] {
            if !list.is_empty() {
                document[name] = list.into();
            }
        }
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{ "name": title, "channels": self.channels, "samplers": self.samplers }]);
        }
        if !self.bytes.is_empty() {
            document["buffers"] = json!([{ "byteLength": self.bytes.len() }]);
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + text.len() + if self.bytes.is_empty() { 0 } else { 8 + self.bytes.len() };
        if total > MOST_BYTES {
            return Err(ExportError::TooLarge {
                what: "the number of bytes of the file",
                value: total,
                most: MOST_BYTES,
            });
        }
        let mut file = Vec::with_capacity(total);
        let mut put = |value: u32| file.extend(value.to_le_bytes());
        [0x4654_6c67, 2, total as u32, text.len() as u32, 0x4e4f_534a].into_iter().for_each(&mut put);
        file.extend(text);
        if !self.bytes.is_empty() {
            file.extend((self.bytes.len() as u32).to_le_bytes());
            file.extend(0x004e_4942_u32.to_le_bytes());
            file.extend(self.bytes);
        }
        Ok(file)
    }
}

/// The fewest of `count` points between which straight lines meet those left out to a tolerance, m, as (time, s; place).
fn straight(at: &dyn Fn(usize) -> (f64, [f32; 3]), count: usize, tolerance: f64) -> Vec<(f32, [f32; 3])> {
    let fits = |i: usize, j: usize| {
        let ((t_i, p_i), (t_j, p_j)) = (at(i), at(j));
        (i + 1..j).all(|k| {
            let (t, p) = at(k);
            let s = ((t - t_i) / (t_j - t_i)) as f32;
            let off = [0, 1, 2].map(|c| f64::from(p_i[c] + s * (p_j[c] - p_i[c]) - p[c]));
            DVec3::from_array(off).length() <= tolerance
        })
    };
    let mut kept: Vec<(f32, [f32; 3])> = Vec::new();
    let mut add = |k: usize| {
        let (t, p) = at(k);
        // The format wants times that grow in single precision.
        if kept.last().is_none_or(|(before, _)| *before < t as f32) {
            kept.push((t as f32, p));
        }
    };
    let mut i = 0;
    add(0);
    while i + 1 < count {
        let mut j = i + 1;
        while j + 1 < count && j - i < LONGEST && fits(i, j + 1) {
            j += 1;
        }
        add(j);
        i = j;
    }
    kept
}

/// A unit quaternion to single precision.
fn unit(key: &BodyKey) -> [f32; 4] {
    key.orientation().to_array().map(|c| c as f32)
}

/// Keys whose times differ in single precision, as the format demands.
fn distinct(keys: &[Key]) -> Vec<Key> {
    let mut kept: Vec<Key> = Vec::with_capacity(keys.len());
    for key in keys {
        if kept.last().is_none_or(|last| (last.t as f32) < key.t as f32) {
            kept.push(*key);
        }
    }
    kept
}
