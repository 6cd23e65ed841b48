//! Meshes and height fields.

use std::collections::BTreeMap;
use std::path::Path;

use dolmen::math::{DQuat, DVec3};
use dolmen::shape::{HeightField, read_height_picture};

use super::compiler::Compiler;
use super::defaults::Defaults;
use crate::Reading;
use crate::file::folder;
use crate::mesh::{self, Soup};
use crate::note::ImportError;
use crate::xml::Element;

#[derive(Debug, Default)]
pub(super) struct Assets {
    pub(super) meshes: BTreeMap<String, Soup>,
    /// Closed surfaces of height fields.
    pub(super) fields: BTreeMap<String, Soup>,
}

impl Assets {
    pub(super) fn read(
        root: &Element,
        compiler: &Compiler,
        defaults: &Defaults,
        reading: &mut Reading<'_>,
    ) -> Result<Self, ImportError> {
        let mut assets = Self::default();
        for element in root.all("asset").flat_map(|asset| &asset.children) {
            match element.name.as_str() {
                "mesh" => {
                    let element = defaults.applied(element, None)?;
                    let stem = element.get("file").and_then(|file| Path::new(file).file_stem());
                    let name = element.get("name").map(str::to_owned);
                    let name = name.or_else(|| stem.map(|stem| stem.to_string_lossy().into_owned()));
                    let name = name.ok_or_else(|| element.error("a mesh without `name` and `file`"))?;
                    match mesh(&element, compiler, reading)? {
                        Some(soup) => drop(assets.meshes.insert(name, soup)),
                        None => drop(assets.meshes.insert(name, Soup::default())),
                    }
                }
                "hfield" => {
                    let stem = element.get("file").and_then(|file| Path::new(file).file_stem());
                    let name = element.get("name").map(str::to_owned);
                    let name = name.or_else(|| stem.map(|stem| stem.to_string_lossy().into_owned()));
                    let soup = field(element, compiler, reading)?;
                    assets.fields.insert(name.unwrap_or_default(), soup);
                }
                "model" => {
                    reading.notes.add(
                        &element.place,
                        "<model>: a model inside",
                        "what attaches it is left out",
                    );
                }
                _ => {}
            }
        }
        Ok(assets)
    }
}

fn path_of(file: &str, compiler: &Compiler, reading: &Reading<'_>) -> std::path::PathBuf {
    let file = if compiler.strip_path { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
    folder(&reading.path).join(&compiler.mesh_folder).join(file)
}

fn mesh(
    element: &Element,
    compiler: &Compiler,
    reading: &mut Reading<'_>,
) -> Result<Option<Soup>, ImportError> {
    let soup = if let Some(numbers) = element.numbers("vertex")? {
        let vertices: Vec<DVec3> = numbers.chunks_exact(3).map(|v| DVec3::new(v[0], v[1], v[2])).collect();
        let Some(faces) = element.numbers("face")? else {
            let hull =
                dolmen::shape::Hull::new(&vertices).map_err(|error| element.error(error.to_string()))?;
            let soup = Soup { vertices: hull.vertices().to_vec(), triangles: hull.triangles().to_vec() };
            return placed(&soup, element).map(Some);
        };
        let mut triangles = Vec::new();
        for face in faces.chunks_exact(3) {
            if face.iter().any(|k| !(*k >= 0.0 && *k < vertices.len() as f64)) {
                return Err(element.error("a face names a vertex that there is not"));
            }
            triangles.push([face[0] as u32, face[1] as u32, face[2] as u32]);
        }
        Soup { vertices, triangles }
    } else if let Some(file) = element.get("file") {
        let path = path_of(file, compiler, reading);
        match mesh::load(&path, &mut reading.files) {
            Ok(soup) => soup,
            Err(error) => {
                let what = format!("the mesh {file} cannot be read ({})", error.message);
                reading.notes.add(&element.place, what, "what has its shape cannot be touched");
                return Ok(None);
            }
        }
    } else {
        let what = format!("a mesh that is built in: {:?}", element.get("builtin").unwrap_or_default());
        reading.notes.add(&element.place, what, "what has its shape cannot be touched");
        return Ok(None);
    };
    placed(&soup, element).map(Some)
}

/// Scaled, and seen from its reference frame.
fn placed(soup: &Soup, element: &Element) -> Result<Soup, ImportError> {
    let scale = element.vector("scale")?.unwrap_or(DVec3::ONE);
    let reference = element.vector("refpos")?.unwrap_or(DVec3::ZERO);
    let turned = match element.fixed::<4>("refquat")? {
        Some([w, x, y, z]) => {
            let q = DQuat::from_xyzw(x, y, z, w);
            if q.length() > 0.0 { q.normalize().conjugate() } else { DQuat::IDENTITY }
        }
        None => DQuat::IDENTITY,
    };
    let seen = soup.mapped(false, |vertex| turned * (vertex - reference));
    Ok(seen.scaled(scale))
}

/// A closed surface.
///
/// `size` is half the lengths along x and y, the height of the largest value and the thickness of the base below zero; values are
/// brought to 0 … 1 as MuJoCo does.
fn field(element: &Element, compiler: &Compiler, reading: &mut Reading<'_>) -> Result<Soup, ImportError> {
    let size: [f64; 4] =
        element.fixed("size")?.ok_or_else(|| element.error("a height field without a `size`"))?;
    let (columns, mut values) = if let Some(file) = element.get("file") {
        let path = path_of(file, compiler, reading);
        let bytes = reading.files.read(&path)?;
        let is_png = bytes.starts_with(&[0x89, b'P', b'N', b'G']);
        let read = if is_png {
            read_height_picture(&bytes).map_err(|error| error.to_string())
        } else {
            raw_values(&bytes)
        };
        read.map_err(|message| element.error(format!("{file}: {message}")))?
    } else {
        let count = |key| -> Result<usize, ImportError> {
            let value = element.number(key)?.unwrap_or(0.0);
            if (2.0..=1e4).contains(&value) {
                Ok(value as usize)
            } else {
                Err(element.error(format!("{key} has to be from 2 to 10000")))
            }
        };
        let (rows, columns) = (count("nrow")?, count("ncol")?);
        let given = element.numbers("elevation")?.unwrap_or_else(|| vec![0.0; rows * columns]);
        if given.len() != rows * columns {
            return Err(element.error(format!("{} values for {rows} rows of {columns}", given.len())));
        }
        (columns, given)
    };
    if size.iter().any(|s| *s <= 0.0) || values.iter().any(|v| !v.is_finite()) {
        return Err(element.error("the sizes of a height field have to be more than 0, its values finite"));
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for value in &mut values {
        *value = if high > low { size[2] * (*value - low) / (high - low) } else { 0.0 };
    }
    let field =
        HeightField { columns, heights: values, size: [2.0 * size[0], 2.0 * size[1]], bottom: -size[3] };
    let surface = field.surface().map_err(|error| element.error(error.to_string()))?;
    Ok(Soup { vertices: surface.vertices, triangles: surface.triangles })
}

/// The length of a row and the values by rows: two counts as 32-bit integers, then values as 32-bit numbers.
fn raw_values(bytes: &[u8]) -> Result<(usize, Vec<f64>), String> {
    let word = |k: usize| bytes.get(4 * k..4 * k + 4).map(|b| [b[0], b[1], b[2], b[3]]);
    let count = |k: usize| word(k).map(i32::from_le_bytes).and_then(|n| usize::try_from(n).ok());
    let (Some(rows), Some(columns)) = (count(0), count(1)) else { return Err("no counts".into()) };
    let total =
        rows.checked_mul(columns).filter(|total| *total <= HeightField::MOST).ok_or("too many values")?;
    let values: Option<Vec<f64>> =
        (0..total).map(|k| word(k + 2).map(|b| f64::from(f32::from_le_bytes(b)))).collect();
    values.map(|values| (columns, values)).ok_or_else(|| "the file ends too early".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use dolmen::shape::Mesh;

    /// A height field is a closed solid of the volume between grid and bottom: 2 × 2 m, a ramp from 0 to 1 m, 0.5 m of base.
    #[test]
    fn a_ramp_is_a_solid() {
        let text = "<mujoco><asset><hfield name='f' size='1 1 1 0.5' nrow='3' ncol='3' elevation='0 1 2 0 1 2 0 1 2'/></asset></mujoco>";
        let root = Element::parse("f.xml", text).expect("XML");
        let options = Options::default();
        let mut reading = Reading::new(Path::new("f.xml"), &options);
        let compiler = Compiler::read(&root, &mut reading.notes).expect("a compiler");
        let defaults = Defaults::read(&root).expect("defaults");
        let assets = Assets::read(&root, &compiler, &defaults, &mut reading).expect("assets");
        let soup = &assets.fields["f"];
        assert!(Mesh::new(&soup.vertices, &soup.triangles).is_ok());
        assert!((soup.volume() - (2.0 + 2.0)).abs() < 1e-12, "{}", soup.volume());
    }
}
