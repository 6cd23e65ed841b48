//! glTF 2.0, with `KHR_physics_rigid_bodies` and `KHR_implicit_shapes` or without.
//!
//! With them: a node with `motion` is a body, with the colliders below it; other colliders are fixed. Without: every node with a
//! mesh is a body. y is up in glTF, z in a scene.

use base64::Engine as _;
use dolmen::math::{DMat3, DQuat, DVec3, Pose, orthonormal, quaternion_of};
use serde_json::Value;

use crate::file::{MAX_FILE, folder};
use crate::frame::{compose, inverse, turn};
use crate::mesh::{self, Soup};
use crate::model::{Geom, Link, Loop, Matter, Model, Solid, Surface};
use crate::note::{ImportError, Place};
use crate::scene::{moved, sum};
use crate::{Meshes, Reading};

/// Density of what gives no mass, kg/m³.
const DENSITY: f64 = 1000.0;

/// How deep nodes stand in nodes.
const MAX_DEPTH: usize = 256;

/// The most nodes.
const MAX_NODES: usize = 100_000;

/// Axes of joints, as scenes call them.
const LINEAR: [&str; 3] = ["x", "y", "z"];
const ANGULAR: [&str; 3] = ["turn-x", "turn-y", "turn-z"];

const PHYSICS: &str = "KHR_physics_rigid_bodies";

struct Gltf<'r, 'o> {
    reading: &'r mut Reading<'o>,
    place: Place,
    json: Value,
    buffers: Vec<Vec<u8>>,
    /// Of each node: where it is in the world, as a linear map and a place.
    nodes: Vec<Option<(DMat3, DVec3)>>,
    parents: Vec<Option<usize>>,
    /// Of each node: the link that it moves with.
    links: Vec<Option<usize>>,
    model: Model,
}

/// Reads a .gltf or .glb file.
pub(super) fn read(reading: &mut Reading<'_>) -> Result<Model, ImportError> {
    let place = Place::file(&reading.path.display().to_string());
    let bytes = reading.files.read(&reading.path.clone())?;
    let wrong = |message: &str| ImportError::new(&place, message);
    let (json, binary) =
        if bytes.starts_with(b"glTF") { chunks(&bytes).map_err(|m| wrong(&m))? } else { (&bytes[..], None) };
    // serde_json bounds the depth by itself.
    let json: Value = serde_json::from_slice(json)
        .map_err(|error| wrong(&format!("this is no glTF that can be read: {error}")))?;
    let source =
        format!("Imported from glTF: {}", reading.path.file_name().unwrap_or_default().to_string_lossy());
    let model = Model::new(&reading.name, source);
    let count = json["nodes"].as_array().map_or(0, Vec::len);
    if count > MAX_NODES {
        return Err(wrong(&format!("more than {MAX_NODES} nodes")));
    }
    let mut gltf = Gltf {
        reading,
        place: place.clone(),
        json,
        buffers: Vec::new(),
        nodes: vec![None; count],
        parents: vec![None; count],
        links: vec![None; count],
        model,
    };
    gltf.buffers(binary)?;
    gltf.walk()?;
    let physical = gltf.json["nodes"]
        .as_array()
        .is_some_and(|nodes| nodes.iter().any(|n| n["extensions"][PHYSICS].is_object()));
    if physical {
        gltf.bodies()?;
        gltf.joints();
    } else {
        gltf.plain()?;
    }
    Ok(gltf.model)
}

/// The JSON and the binary chunk of a .glb.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let word =
        |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let (mut json, mut binary, mut at) = (None, None, 12);
    while let (Some(length), Some(kind)) = (word(at), word(at + 4)) {
        let end = (at + 8).checked_add(length).ok_or("a chunk is too long")?;
        let chunk = bytes.get(at + 8..end).ok_or("the file ends within a chunk")?;
        match kind {
            0x4E4F_534A => json = json.or(Some(chunk)),
            0x004E_4942 => binary = binary.or(Some(chunk)),
            _ => {}
        }
        at = end;
    }
    json.map(|json| (json, binary)).ok_or_else(|| "the file has no JSON".to_owned())
}

fn vector(value: &Value) -> Option<DVec3> {
    let n = numbers::<3>(value)?;
    Some(DVec3::from_array(n))
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let list: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    list.try_into().ok()
}

fn quaternion(value: &Value) -> DQuat {
    let q = numbers::<4>(value).map_or(DQuat::IDENTITY, |[x, y, z, w]| DQuat::from_xyzw(x, y, z, w));
    if q.length() > 0.0 && q.is_finite() { q.normalize() } else { DQuat::IDENTITY }
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|index| usize::try_from(index).ok())
}

impl Gltf<'_, '_> {
    fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError::new(&self.place, message)
    }

    fn buffers(&mut self, binary: Option<&[u8]>) -> Result<(), ImportError> {
        let list = self.json["buffers"].as_array().cloned().unwrap_or_default();
        let mut total = 0_u64;
        for buffer in list {
            let bytes = match buffer["uri"].as_str() {
                None => binary.map(<[u8]>::to_vec).unwrap_or_default(),
                Some(uri) => match uri.split_once(";base64,") {
                    Some((head, data)) if head.starts_with("data:") => {
                        base64::engine::general_purpose::STANDARD
                            .decode(data)
                            .map_err(|error| self.error(format!("a buffer is no base64: {error}")))?
                    }
                    _ => self.reading.files.read(&folder(&self.reading.path).join(uri))?,
                },
            };
            total += bytes.len() as u64;
            if total > 2 * MAX_FILE {
                return Err(self.error("the buffers are too large"));
            }
            self.buffers.push(bytes);
        }
        Ok(())
    }

    /// Poses and parents of all nodes of the scene.
    fn walk(&mut self) -> Result<(), ImportError> {
        let up = DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y);
        let scene = &self.json["scenes"][index(&self.json["scene"]).unwrap_or(0)]["nodes"];
        let roots: Vec<usize> = match scene.as_array() {
            Some(list) => list.iter().filter_map(index).collect(),
            None => (0..self.nodes.len()).collect(),
        };
        let mut waiting: Vec<(usize, Option<usize>, DMat3, DVec3, usize)> =
            roots.into_iter().rev().map(|root| (root, None, up, DVec3::ZERO, 0)).collect();
        while let Some((node, parent, linear, origin, depth)) = waiting.pop() {
            if node >= self.nodes.len() || self.nodes[node].is_some() {
                continue; // a node stands in one place only
            }
            if depth > MAX_DEPTH {
                return Err(self.error(format!("nodes stand in nodes more than {MAX_DEPTH} deep")));
            }
            let value = &self.json["nodes"][node];
            let (own, moved) = if let Some(m) = numbers::<16>(&value["matrix"]) {
                let column = |k: usize| DVec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
                (DMat3::from_cols(column(0), column(1), column(2)), column(3))
            } else {
                let scale = vector(&value["scale"]).unwrap_or(DVec3::ONE);
                let turned = DMat3::from_quat(quaternion(&value["rotation"]));
                (turned * DMat3::from_diagonal(scale), vector(&value["translation"]).unwrap_or(DVec3::ZERO))
            };
            let place = (linear * own, linear * moved + origin);
            let sound = place.0.determinant();
            if !(sound.is_finite() && sound != 0.0 && place.1.is_finite()) {
                return Err(self.error(format!("node {node} is flat or not finite")));
            }
            self.nodes[node] = Some(place);
            self.parents[node] = parent;
            let children: Vec<usize> =
                value["children"].as_array().into_iter().flatten().filter_map(index).collect();
            waiting.extend(
                children.into_iter().rev().map(|child| (child, Some(node), place.0, place.1, depth + 1)),
            );
        }
        Ok(())
    }

    /// The rotation and place of a node, without its scale.
    fn pose(&self, node: usize) -> Option<Pose> {
        let (linear, position) = self.nodes.get(node).copied().flatten()?;
        let mirrored = if linear.determinant() < 0.0 { linear * -1.0 } else { linear };
        Some(Pose { position, orientation: quaternion_of(&orthonormal(&mirrored)) })
    }

    fn name(&self, node: usize) -> String {
        let name = self.json["nodes"][node]["name"].as_str();
        name.map_or_else(|| format!("node {node}"), str::to_owned)
    }

    fn empty_link(&self, node: usize) -> Link {
        Link {
            name: self.name(node),
            place: self.place.clone(),
            parent: None,
            pose: self.pose(node).unwrap_or(Pose::IDENTITY),
            dofs: Vec::new(),
            free: false,
            twist: [DVec3::ZERO; 2],
            matter: None,
            geoms: Vec::new(),
        }
    }

    /// A mesh in the frame of a pose, at the place of a node.
    fn soup(&self, mesh: usize, node: usize, frame: &Pose) -> Result<Soup, ImportError> {
        let (linear, origin) =
            self.nodes.get(node).copied().flatten().unwrap_or((DMat3::IDENTITY, DVec3::ZERO));
        let back = inverse(frame);
        let mut soup = Soup::default();
        for primitive in self.json["meshes"][mesh]["primitives"].as_array().into_iter().flatten() {
            if primitive["mode"].as_u64().is_some_and(|mode| mode != 4) {
                continue;
            }
            let Some(positions) = index(&primitive["attributes"]["POSITION"]) else { continue };
            let base = soup.vertices.len() as u32;
            let vertices = self.accessor(positions, 3)?;
            let count = vertices.len() / 3;
            soup.vertices.extend(vertices.chunks_exact(3).map(|v| DVec3::new(v[0], v[1], v[2])));
            let corners: Vec<u32> = match index(&primitive["indices"]) {
                Some(indices) => self.accessor(indices, 1)?.into_iter().map(|k| k as u32).collect(),
                None => (0..count as u32).collect(),
            };
            if corners.iter().any(|corner| *corner as usize >= count) {
                return Err(self.error(format!("mesh {mesh} names a vertex beyond its {count}")));
            }
            soup.triangles.extend(corners.chunks_exact(3).map(|t| [t[0] + base, t[1] + base, t[2] + base]));
        }
        if soup.vertices.iter().any(|v| !v.is_finite()) {
            return Err(self.error(format!("mesh {mesh} has a vertex that is not finite")));
        }
        Ok(soup.mapped(linear.determinant() < 0.0, |v| back.point(linear * v + origin)))
    }

    /// The numbers of an accessor, `width` for each element.
    fn accessor(&self, accessor: usize, width: usize) -> Result<Vec<f64>, ImportError> {
        let accessor = &self.json["accessors"][accessor];
        if accessor["sparse"].is_object() {
            return Err(self.error("sparse accessors cannot be read"));
        }
        let view = &self.json["bufferViews"][index(&accessor["bufferView"]).unwrap_or(usize::MAX)];
        let buffer = index(&view["buffer"]).and_then(|buffer| self.buffers.get(buffer));
        let buffer = buffer.ok_or_else(|| self.error("an accessor without a buffer"))?;
        let size = match accessor["componentType"].as_u64() {
            Some(5120 | 5121) => 1,
            Some(5122 | 5123) => 2,
            Some(5125 | 5126) => 4,
            other => return Err(self.error(format!("numbers of type {other:?}"))),
        };
        let kind = accessor["componentType"].as_u64().unwrap_or(0);
        let stride = index(&view["byteStride"]).filter(|stride| *stride > 0).unwrap_or(size * width);
        let start =
            index(&view["byteOffset"]).unwrap_or(0).checked_add(index(&accessor["byteOffset"]).unwrap_or(0));
        let start = start.ok_or_else(|| self.error("an offset is too large"))?;
        let count = index(&accessor["count"]).unwrap_or(0);
        if count.checked_mul(stride).is_none_or(|all| all > buffer.len() + stride) {
            return Err(self.error("an accessor is longer than its buffer"));
        }
        let mut values = Vec::with_capacity(count * width);
        for element in 0..count {
            for k in 0..width {
                let at = start + element * stride + k * size;
                let bytes = buffer
                    .get(at..at + size)
                    .ok_or_else(|| self.error("an accessor ends beyond its buffer"))?;
                let mut raw = [0_u8; 4];
                raw[..size].copy_from_slice(bytes);
                values.push(match kind {
                    5120 => f64::from(i8::from_le_bytes([raw[0]])),
                    5121 => f64::from(raw[0]),
                    5122 => f64::from(i16::from_le_bytes([raw[0], raw[1]])),
                    5123 => f64::from(u16::from_le_bytes([raw[0], raw[1]])),
                    5125 => f64::from(u32::from_le_bytes(raw)),
                    _ => f64::from(f32::from_le_bytes(raw)),
                });
            }
        }
        Ok(values)
    }

    /// Without physics: a body for each node with a mesh.
    fn plain(&mut self) -> Result<(), ImportError> {
        for node in 0..self.nodes.len() {
            let Some(mesh) = index(&self.json["nodes"][node]["mesh"]) else { continue };
            let Some(pose) = self.pose(node) else { continue };
            let soup = self.soup(mesh, node, &pose)?;
            let mut link = self.empty_link(node);
            let place = link.place.clone();
            self.reading.solid_body(&mut link, &soup, &place);
            self.model.links.push(link);
        }
        let what = "what moves, and of what density it is";
        let says = format!("every mesh is a free body of {DENSITY} kg/m³");
        self.reading.notes.add(&self.place, what, &says);
        Ok(())
    }

    /// With physics: bodies for nodes with motion, fixed ones for other colliders.
    fn bodies(&mut self) -> Result<(), ImportError> {
        let physics = |gltf: &Self, node: usize| gltf.json["nodes"][node]["extensions"][PHYSICS].clone();
        for node in 0..self.nodes.len() {
            if self.nodes[node].is_some() && physics(self, node)["motion"].is_object() {
                self.links[node] = Some(self.model.links.len());
                let mut link = self.empty_link(node);
                let motion = physics(self, node)["motion"].clone();
                link.free = motion["isKinematic"].as_bool() != Some(true);
                let pose = link.pose;
                let spin = |key: &str| vector(&motion[key]).map_or(DVec3::ZERO, |v| pose.direction(v));
                link.twist = [spin("linearVelocity"), spin("angularVelocity")];
                if motion["isKinematic"].as_bool() == Some(true) {
                    self.reading.notes.add(&self.place, "a kinematic body", "it is fixed");
                }
                if motion["gravityFactor"].as_f64().is_some_and(|factor| factor != 1.0) {
                    self.reading.notes.add(&self.place, "gravityFactor", "gravity acts in full");
                }
                self.model.links.push(link);
            }
        }
        let mut parts: Vec<Vec<Matter>> = vec![Vec::new(); self.model.links.len()];
        for node in 0..self.nodes.len() {
            if self.nodes[node].is_none() {
                continue;
            }
            let owner = self.owner(node);
            self.links[node] = self.links[node].or(owner);
            let collider = physics(self, node)["collider"].clone();
            if !collider.is_object() {
                if physics(self, node)["trigger"].is_object() {
                    self.reading.notes.add(&self.place, "a trigger", "it is left out");
                }
                continue;
            }
            let link = if let Some(link) = owner {
                link
            } else {
                self.model.links.push(self.empty_link(node));
                parts.push(Vec::new());
                self.model.links.len() - 1
            };
            let (geoms, matter) = self.collider(&collider, node, &self.model.links[link].pose.clone())?;
            self.model.links[link].geoms.extend(geoms);
            parts[link].extend(matter);
        }
        for node in 0..self.nodes.len() {
            let motion = physics(self, node)["motion"].clone();
            let (true, Some(link)) = (motion.is_object(), self.links[node]) else { continue };
            self.model.links[link].matter = matter(&motion, sum(&parts[link]));
            // The velocity that is given is that of the centre of mass.
            if let Some(matter) = self.model.links[link].matter {
                let arm = self.model.links[link].pose.direction(matter.centre);
                let spin = self.model.links[link].twist[1];
                self.model.links[link].twist[0] -= spin.cross(arm);
            }
        }
        Ok(())
    }

    /// The link of a node or of the nearest node above it that has one.
    fn owner(&self, node: usize) -> Option<usize> {
        let mut at = Some(node);
        while let Some(node) = at {
            if self.json["nodes"][node]["extensions"][PHYSICS]["motion"].is_object() {
                return self.links[node];
            }
            at = self.parents[node];
        }
        None
    }

    fn collider(
        &mut self,
        collider: &Value,
        node: usize,
        body: &Pose,
    ) -> Result<(Vec<Geom>, Vec<Matter>), ImportError> {
        let geometry = &collider["geometry"];
        let pose = compose(&inverse(body), &self.pose(node).unwrap_or(Pose::IDENTITY));
        let scale = self.nodes[node].map_or(1.0, |(linear, _)| linear.x_axis.length());
        let mut solids: Vec<(Solid, Pose)> = Vec::new();
        let mut parts = Vec::new();
        if let Some(shape) = index(&geometry["shape"]) {
            let shape = self.json["extensions"]["KHR_implicit_shapes"]["shapes"][shape].clone();
            if let Some((solid, own)) = implicit(&shape, scale) {
                let matter = solid.matter(DENSITY);
                parts.extend(matter.map(|matter| moved(&matter, &compose(&pose, &own))));
                solids.push((solid, compose(&pose, &own)));
            } else {
                let what = format!("a shape of type {}", shape["type"]);
                self.reading.notes.add(&self.place, what, "it is left out");
            }
        }
        let other = index(&geometry["node"]).or(index(&geometry["mesh"]).map(|_| node));
        if let Some(other) = other {
            let mesh = index(&geometry["mesh"]).or_else(|| index(&self.json["nodes"][other]["mesh"]));
            if let Some(mesh) = mesh {
                let soup = self.soup(mesh, node, body)?;
                parts.extend(soup.matter(DENSITY));
                let hull = geometry["convexHull"].as_bool() == Some(true);
                let auto = if hull { Meshes::Hull } else { Meshes::Exact };
                let options = self.reading.options;
                let how = if options.meshes == Meshes::Auto { auto } else { options.meshes };
                solids.extend(mesh::solids(
                    &soup,
                    how,
                    options.most_parts,
                    &self.place,
                    &mut self.reading.notes,
                ));
            }
        }
        let material = index(&collider["physicsMaterial"]);
        let material = material.map(|m| self.json["extensions"][PHYSICS]["physicsMaterials"][m].clone());
        let material = material.unwrap_or(Value::Null);
        let surface = Surface {
            friction: material["dynamicFriction"].as_f64().map(|f| f.max(0.0)),
            restitution: material["restitution"].as_f64().map_or(0.0, |e| e.clamp(0.0, 1.0)),
            ..Surface::default()
        };
        if collider["collisionFilter"].is_number() {
            self.reading.notes.add(&self.place, "a collision filter", "all bodies collide");
        }
        let name = Some(self.name(node));
        let place = self.place.clone();
        let geom = |(solid, pose)| Geom {
            name: name.clone(),
            place: place.clone(),
            pose,
            solid,
            surface,
            masks: [1, 1],
        };
        Ok((solids.into_iter().map(geom).collect(), parts))
    }

    /// Joints with axes that are free or locked; limits and drives are noted.
    fn joints(&mut self) {
        for node in 0..self.nodes.len() {
            let joint = self.json["nodes"][node]["extensions"][PHYSICS]["joint"].clone();
            let (true, Some(pose)) = (joint.is_object(), self.pose(node)) else { continue };
            let other = index(&joint["connectedNode"]).filter(|other| *other < self.nodes.len());
            let other_pose = other.and_then(|other| self.pose(other)).unwrap_or(Pose::IDENTITY);
            let described = index(&joint["joint"]).unwrap_or(usize::MAX);
            let described = self.json["extensions"][PHYSICS]["physicsJoints"][described].clone();
            let mut locked: Vec<&'static str> = Vec::new();
            for limit in described["limits"].as_array().into_iter().flatten() {
                let fixed = limit["min"].as_f64() == Some(0.0) && limit["max"].as_f64() == Some(0.0);
                if !fixed || limit["stiffness"].is_number() {
                    self.reading.notes.add(
                        &self.place,
                        "limits of a joint that leave room",
                        "the axis is free",
                    );
                    continue;
                }
                for (key, names) in [("linearAxes", LINEAR), ("angularAxes", ANGULAR)] {
                    let axes = limit[key].as_array().into_iter().flatten().filter_map(index);
                    locked.extend(axes.filter_map(|axis| names.get(axis)));
                }
            }
            if described["drives"].as_array().is_some_and(|drives| !drives.is_empty()) {
                self.reading.notes.add(&self.place, "drives of a joint", "they do not act");
            }
            locked.sort_unstable();
            locked.dedup();
            let link = self.links[node];
            let other_link = other.and_then(|other| self.links[other]);
            let on = |link: Option<usize>, pose: Pose| {
                link.map_or(pose, |link| compose(&inverse(&self.model.links[link].pose), &pose))
            };
            let kind = if locked.len() == 6 { "weld" } else { "six-axis" };
            let name = self.name(node);
            let poses = [on(link, pose), on(other_link, other_pose)];
            let locked = (kind == "six-axis").then_some(locked);
            self.model.loops.push(Loop { name, links: [link, other_link], poses, kind, locked });
        }
    }
}

/// Mass properties as a motion gives them; what it leaves out is that of the colliders.
fn matter(motion: &Value, colliders: Option<Matter>) -> Option<Matter> {
    let mass = motion["mass"].as_f64().filter(|mass| *mass > 0.0);
    let centre = vector(&motion["centerOfMass"]);
    let base = match (colliders, mass) {
        (Some(matter), Some(mass)) => {
            Matter { mass, inertia: matter.inertia * (mass / matter.mass), ..matter }
        }
        (Some(matter), None) => matter,
        (None, Some(mass)) => Matter { mass, centre: DVec3::ZERO, inertia: DMat3::ZERO },
        (None, None) => return None,
    };
    let inertia = vector(&motion["inertiaDiagonal"]).map(|diagonal| {
        let r = DMat3::from_quat(quaternion(&motion["inertiaOrientation"]));
        r * DMat3::from_diagonal(diagonal) * r.transpose()
    });
    Some(Matter {
        mass: base.mass,
        centre: centre.unwrap_or(base.centre),
        inertia: inertia.unwrap_or(base.inertia),
    })
}

/// Shapes of `KHR_implicit_shapes`, round ones along y.
fn implicit(shape: &Value, scale: f64) -> Option<(Solid, Pose)> {
    let kind = shape["type"].as_str()?;
    let own = &shape[kind];
    let along_y = Pose { position: DVec3::ZERO, orientation: turn(DVec3::X, -std::f64::consts::FRAC_PI_2) };
    let number = |key: &str, default: f64| own[key].as_f64().unwrap_or(default) * scale;
    let positive = |value: f64| (value > 0.0 && value.is_finite()).then_some(value);
    Some(match kind {
        "box" => {
            let size = vector(&own["size"]).unwrap_or(DVec3::ONE) * scale;
            positive(size.min_element())?;
            (Solid::Box { size }, Pose::IDENTITY)
        }
        "sphere" => (Solid::Sphere { radius: positive(number("radius", 0.5))? }, Pose::IDENTITY),
        "capsule" | "cylinder" => {
            let (top, bottom) = (number("radiusTop", 0.25), number("radiusBottom", 0.25));
            let length = positive(number("height", 0.5))?;
            let radius = positive(top)?;
            if top != bottom {
                return None;
            }
            let solid = if kind == "capsule" {
                Solid::Capsule { radius, length }
            } else {
                Solid::Cylinder { radius, length }
            };
            (solid, along_y)
        }
        _ => return None,
    })
}

impl Reading<'_> {
    /// A free body with the shape of a mesh.
    pub(crate) fn solid_body(&mut self, link: &mut Link, soup: &Soup, place: &Place) {
        let options = self.options;
        let how = if options.meshes == Meshes::Auto { Meshes::Exact } else { options.meshes };
        let solids = mesh::solids(soup, how, options.most_parts, place, &mut self.notes);
        let hulls: Vec<Matter> = solids
            .iter()
            .filter_map(|(solid, pose)| solid.matter(DENSITY).map(|matter| moved(&matter, pose)))
            .collect();
        link.free = true;
        // Of one that is closed the mass is its own; of an open one that of what stands for it.
        let is_closed = matches!(solids[..], [(Solid::Mesh { .. }, _)]);
        link.matter = if is_closed { soup.matter(DENSITY) } else { sum(&hulls) };
        if link.matter.is_none() {
            self.notes.add(place, format!("{} has no volume", link.name), "it is left out");
            link.free = false;
        }
        link.geoms = solids
            .into_iter()
            .map(|(solid, pose)| Geom {
                name: None,
                place: place.clone(),
                pose,
                solid,
                surface: Surface::default(),
                masks: [1, 1],
            })
            .collect();
    }

    /// A file with nothing but a mesh.
    pub(crate) fn lone_mesh(&mut self) -> Result<Model, ImportError> {
        let path = self.path.clone();
        let place = Place::file(&path.display().to_string());
        let soup = mesh::load(&path, &mut self.files)?;
        let source =
            format!("Imported from a mesh: {}", path.file_name().unwrap_or_default().to_string_lossy());
        let mut model = Model::new(&self.name, source);
        let mut link = Link {
            name: self.name.clone(),
            place: place.clone(),
            parent: None,
            pose: Pose::IDENTITY,
            dofs: Vec::new(),
            free: true,
            twist: [DVec3::ZERO; 2],
            matter: None,
            geoms: Vec::new(),
        };
        self.solid_body(&mut link, &soup, &place);
        if link.matter.is_none() {
            return Err(ImportError::new(&place, "the mesh has no volume, so a body of it has no mass"));
        }
        self.notes.add(&place, "a mesh says nothing of its density", &format!("it has {DENSITY} kg/m³"));
        model.links.push(link);
        Ok(model)
    }
}
