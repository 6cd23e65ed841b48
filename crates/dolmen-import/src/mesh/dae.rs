//! COLLADA: the triangles of all geometries, where the scene's nodes put them, in metres with z up.

use dolmen::math::{DMat3, DVec3};

use super::Soup;
use super::formats::fan;
use crate::frame::turn;
use crate::note::{ImportError, Place};
use crate::xml::Element;

/// The most instances of geometries, nodes within nodes included.
const MAX_INSTANCES: usize = 10_000;

/// x → linear·x + moved.
#[derive(Clone, Copy)]
struct Affine {
    linear: DMat3,
    moved: DVec3,
}

impl Affine {
    fn then(self, inner: Self) -> Self {
        Self { linear: self.linear * inner.linear, moved: self.linear * inner.moved + self.moved }
    }
}

/// Reads a COLLADA file.
pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Soup, ImportError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ImportError::new(&Place::file(name), "the file is not UTF-8 text"))?;
    let root = Element::parse(name, text)?;
    if root.name != "COLLADA" {
        return Err(root.error(format!("the root element is <{}>, not <COLLADA>", root.name)));
    }
    let asset = root.child("asset");
    let unit =
        asset.and_then(|asset| asset.child("unit")).map(|unit| unit.number("meter")).transpose()?.flatten();
    let unit = unit.filter(|unit| *unit > 0.0).unwrap_or(1.0);
    let up = asset.and_then(|asset| asset.child_text("up_axis")).unwrap_or("Y_UP");
    // The axes of the file in ours, with z up.
    let axes = match up {
        "X_UP" => DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y),
        "Z_UP" => DMat3::IDENTITY,
        _ => DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y),
    };
    let mut reader = Reader { root: &root, soup: Soup::default(), instances: 0 };
    let outer = Affine { linear: axes * unit, moved: DVec3::ZERO };
    let wanted = root.child("scene").and_then(|scene| scene.child("instance_visual_scene"));
    let wanted = wanted.and_then(|instance| instance.get("url")).map(|url| url.trim_start_matches('#'));
    let mut scenes = root.all("library_visual_scenes").flat_map(|library| library.all("visual_scene"));
    let scene = scenes.find(|scene| wanted.is_none() || scene.get("id") == wanted);
    if let Some(scene) = scene {
        for node in scene.all("node") {
            reader.node(node, outer, 0)?;
        }
    } else {
        for geometry in root.all("library_geometries").flat_map(|library| library.all("geometry")) {
            reader.geometry(geometry, outer)?;
        }
    }
    Ok(reader.soup)
}

struct Reader<'a> {
    root: &'a Element,
    soup: Soup,
    instances: usize,
}

impl<'a> Reader<'a> {
    fn node(&mut self, node: &'a Element, outer: Affine, depth: usize) -> Result<(), ImportError> {
        if depth > 64 {
            return Err(node.error("nodes stand in nodes more than 64 deep, or in themselves"));
        }
        let mut pose = outer;
        for child in &node.children {
            let numbers = || child.numbers_of(&child.name, &child.text);
            let own = match child.name.as_str() {
                "matrix" => {
                    let m: [f64; 16] = child.fixed_of("matrix", &child.text)?;
                    let row = |k: usize| DVec3::new(m[4 * k], m[4 * k + 1], m[4 * k + 2]);
                    let linear = DMat3::from_cols(row(0), row(1), row(2)).transpose();
                    Affine { linear, moved: DVec3::new(m[3], m[7], m[11]) }
                }
                "translate" => {
                    let moved = DVec3::from_array(child.fixed_of("translate", &child.text)?);
                    Affine { linear: DMat3::IDENTITY, moved }
                }
                "scale" => {
                    let scale = DVec3::from_array(child.fixed_of("scale", &child.text)?);
                    Affine { linear: DMat3::from_diagonal(scale), moved: DVec3::ZERO }
                }
                "rotate" => {
                    let [x, y, z, degrees] = child.fixed_of("rotate", &child.text)?;
                    let axis = crate::frame::unit(DVec3::new(x, y, z)).unwrap_or(DVec3::Z);
                    let linear = DMat3::from_quat(turn(axis, degrees.to_radians()));
                    Affine { linear, moved: DVec3::ZERO }
                }
                "skew" | "lookat" => {
                    numbers()?;
                    return Err(child.error(format!("<{}> cannot be read", child.name)));
                }
                _ => continue,
            };
            pose = pose.then(own);
        }
        let find = |library: &'a str, kind: &'a str, url: &str| {
            let id = url.trim_start_matches('#').to_owned();
            let mut all = self.root.all(library).flat_map(move |library| library.all(kind));
            all.find(move |element| element.get("id") == Some(id.as_str()))
        };
        let mut geometries = Vec::new();
        let mut nodes: Vec<&Element> = node.all("node").collect();
        for instance in node.all("instance_geometry") {
            geometries
                .extend(instance.get("url").and_then(|url| find("library_geometries", "geometry", url)));
        }
        for instance in node.all("instance_node") {
            nodes.extend(instance.get("url").and_then(|url| find("library_nodes", "node", url)));
        }
        for geometry in geometries {
            self.geometry(geometry, pose)?;
        }
        for inner in nodes {
            self.instances += 1;
            if self.instances > MAX_INSTANCES {
                return Err(node.error(format!("more than {MAX_INSTANCES} nodes")));
            }
            self.node(inner, pose, depth + 1)?;
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: &Element, pose: Affine) -> Result<(), ImportError> {
        let Some(mesh) = geometry.child("mesh") else { return Ok(()) };
        for kind in ["triangles", "polylist", "polygons"] {
            for primitive in mesh.all(kind) {
                self.primitive(mesh, primitive, pose)?;
            }
        }
        Ok(())
    }

    fn primitive(&mut self, mesh: &Element, primitive: &Element, pose: Affine) -> Result<(), ImportError> {
        let (mut stride, mut vertex) = (0, None);
        for input in primitive.all("input") {
            let offset = input.number("offset")?.unwrap_or(0.0);
            if !(0.0..64.0).contains(&offset) {
                return Err(input.error(format!("an offset of {offset}")));
            }
            let offset = offset as usize;
            stride = stride.max(offset + 1);
            if input.get("semantic") == Some("VERTEX") {
                vertex = Some((offset, input.get("source").unwrap_or_default()));
            }
        }
        let Some((offset, source)) = vertex else { return Ok(()) };
        let positions = positions(mesh, source)?;
        let base = self.soup.vertices.len() as u32;
        self.soup.vertices.extend(positions.iter().map(|p| pose.linear * *p + pose.moved));
        let counts = primitive.child("vcount").map(|v| v.numbers_of("vcount", &v.text)).transpose()?;
        let mirrors = pose.linear.determinant() < 0.0;
        for list in primitive.all("p") {
            let numbers = list.numbers_of("p", &list.text)?;
            let corner = |k: usize| -> Result<u32, ImportError> {
                let value = numbers.get(k * stride + offset).copied().unwrap_or(-1.0);
                if value >= 0.0 && value < positions.len() as f64 && value.fract() == 0.0 {
                    return Ok(base + value as u32);
                }
                Err(list.error(format!("{value} is no number of one of the {} vertices", positions.len())))
            };
            let total = numbers.len() / stride;
            let sizes: Vec<usize> = match (&counts, primitive.name.as_str()) {
                (Some(counts), _) => counts.iter().map(|count| count.clamp(0.0, 1e6) as usize).collect(),
                (None, "polygons") => vec![total],
                _ => vec![3; total / 3],
            };
            let mut at = 0;
            for size in sizes {
                if at + size > total {
                    return Err(list.error("the list of corners ends too early"));
                }
                let mut corners: Vec<u32> = (at..at + size).map(corner).collect::<Result<_, _>>()?;
                if mirrors {
                    corners.reverse();
                }
                at += size;
                fan(&corners, &mut self.soup.triangles).map_err(|message| list.error(message))?;
            }
        }
        Ok(())
    }
}

fn positions(mesh: &Element, source: &str) -> Result<Vec<DVec3>, ImportError> {
    let by_id = |kind: &str, id: &str| {
        mesh.children.iter().find(|e| e.name == kind && e.get("id") == Some(id.trim_start_matches('#')))
    };
    let missing = || mesh.error(format!("there is no source {source:?} of positions"));
    let vertices = by_id("vertices", source);
    let id = match vertices {
        Some(vertices) => {
            let mut inputs = vertices.all("input");
            let input = inputs.find(|input| input.get("semantic") == Some("POSITION")).ok_or_else(missing)?;
            input.get("source").unwrap_or_default()
        }
        None => source,
    };
    let source = by_id("source", id).ok_or_else(missing)?;
    let array = source.child("float_array").ok_or_else(missing)?;
    let numbers = array.numbers_of("float_array", &array.text)?;
    let accessor = source.child("technique_common").and_then(|technique| technique.child("accessor"));
    let stride = accessor.map(|accessor| accessor.number("stride")).transpose()?.flatten().unwrap_or(3.0);
    if !(3.0..=64.0).contains(&stride) {
        return Err(source.error(format!("a stride of {stride}")));
    }
    Ok(numbers.chunks_exact(stride as usize).map(|p| DVec3::new(p[0], p[1], p[2])).collect())
}
