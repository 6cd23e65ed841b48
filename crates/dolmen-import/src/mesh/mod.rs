//! Triangle meshes: read, measured, mended, and taken as shapes.

mod dae;
mod formats;
mod mend;
mod parts;

use std::path::Path;

use dolmen::math::{Aabb, DMat3, DQuat, DVec3, Pose};
use dolmen::shape::{Hull, Mesh, read_obj, read_stl};

use crate::Meshes;
use crate::file::Files;
use crate::model::{Matter, Solid};
use crate::note::{ImportError, Notes, Place};

pub(crate) use mend::{Mended, mend};
pub use parts::{Decomposition, decompose};

/// The most triangles of one mesh.
pub(crate) const MAX_TRIANGLES: usize = 4_000_000;

/// Triangles as a file gives them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Soup {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Endings of files with nothing but a mesh.
pub(crate) const ENDINGS: [&str; 5] = ["obj", "stl", "ply", "off", "dae"];

/// Reads a mesh by the ending of its name.
pub(crate) fn load(path: &Path, files: &mut Files) -> Result<Soup, ImportError> {
    let place = Place::file(&path.display().to_string());
    let ending = crate::ending(path).unwrap_or_default();
    if !ENDINGS.contains(&ending.as_str()) {
        return Err(ImportError::new(&place, format!("a mesh of the format .{ending} cannot be read"))
            .help(format!("convert it to one of {}", ENDINGS.join(", "))));
    }
    let bytes = files.read(path)?;
    let soup = match ending.as_str() {
        "obj" => plain(read_obj(bytes.as_slice()), &place),
        "stl" => plain(read_stl(&bytes), &place),
        "ply" => formats::read_ply(&bytes).map_err(|message| ImportError::new(&place, message)),
        "off" => formats::read_off(&bytes).map_err(|message| ImportError::new(&place, message)),
        _ => dae::read(&place.file, &bytes),
    }?;
    if soup.triangles.len() > MAX_TRIANGLES {
        let message =
            format!("the mesh has {} triangles; at most {MAX_TRIANGLES} are read", soup.triangles.len());
        return Err(ImportError::new(&place, message));
    }
    let count = soup.vertices.len();
    if soup.triangles.iter().flatten().any(|index| *index as usize >= count) {
        return Err(ImportError::new(
            &place,
            format!("a triangle names a vertex beyond the {count} that there are"),
        ));
    }
    if soup.vertices.iter().any(|vertex| !vertex.is_finite()) {
        return Err(ImportError::new(&place, "a vertex is not finite"));
    }
    Ok(soup)
}

fn plain<E: std::fmt::Display>(
    soup: Result<dolmen::shape::TriangleSoup, E>,
    place: &Place,
) -> Result<Soup, ImportError> {
    let soup = soup.map_err(|error| ImportError::new(place, error.to_string()))?;
    Ok(Soup { vertices: soup.vertices, triangles: soup.triangles })
}

impl Soup {
    /// With every vertex moved; a reflection turns the triangles round.
    pub(crate) fn mapped(&self, mirrors: bool, map: impl Fn(DVec3) -> DVec3) -> Self {
        let turn = |[a, b, c]: [u32; 3]| if mirrors { [a, c, b] } else { [a, b, c] };
        Self {
            vertices: self.vertices.iter().map(|vertex| map(*vertex)).collect(),
            triangles: self.triangles.iter().map(|triangle| turn(*triangle)).collect(),
        }
    }

    /// Stretched along the axes.
    pub(crate) fn scaled(&self, scale: DVec3) -> Self {
        self.mapped(scale.x * scale.y * scale.z < 0.0, |vertex| vertex * scale)
    }

    fn aabb(&self) -> Aabb {
        self.vertices.iter().fold(Aabb::EMPTY, |aabb, vertex| aabb.join(&Aabb::point(*vertex)))
    }

    /// Volume, m³, as the triangles enclose it.
    pub(crate) fn volume(&self) -> f64 {
        let middle = self.middle();
        let corner = |index: u32| self.vertices[index as usize] - middle;
        self.triangles.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
    }

    fn middle(&self) -> DVec3 {
        let Aabb { min, max } = self.aabb();
        if self.vertices.is_empty() { DVec3::ZERO } else { min * 0.5 + max * 0.5 }
    }

    /// Mass properties of the inside, by surface integrals over the triangles; none without a volume.
    ///
    /// Second moments of the tetrahedron (0, a, b, c) of volume V: V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ), s = a + b + c.
    pub(crate) fn matter(&self, density: f64) -> Option<Matter> {
        let middle = self.middle();
        let outer = |d: DVec3| DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for t in &self.triangles {
            let [a, b, c] = t.map(|index| self.vertices[index as usize] - middle);
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0);
            second += (outer(s) + outer(a) + outer(b) + outer(c)) * (v / 20.0);
        }
        if volume < 0.0 {
            (volume, first, second) = (-volume, -first, second * -1.0);
        }
        if volume <= 0.0 || !volume.is_finite() {
            return None;
        }
        let centre = first / volume;
        let about = second - outer(centre) * volume;
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        let inertia = (DMat3::from_diagonal(DVec3::splat(trace)) - about) * density;
        Some(Matter { mass: volume * density, centre: middle + centre, inertia })
    }
}

/// The shapes that stand for a mesh, with their places in its frame.
pub(crate) fn solids(
    soup: &Soup,
    meshes: Meshes,
    most_parts: usize,
    place: &Place,
    notes: &mut Notes,
) -> Vec<(Solid, Pose)> {
    let here = |solid: Solid| vec![(solid, Pose::IDENTITY)];
    match meshes {
        Meshes::Exact => {
            let Mended { soup: mended, done } = mend(soup);
            match Mesh::new(&mended.vertices, &mended.triangles) {
                Ok(mesh) => {
                    if !done.is_empty() {
                        notes.add(
                            place,
                            format!("the mesh was mended: {}", done.join(", ")),
                            "it is closed now",
                        );
                    }
                    return here(Solid::Mesh {
                        vertices: mesh.vertices().to_vec(),
                        triangles: mesh.triangles().to_vec(),
                    });
                }
                Err(error) => {
                    let what = format!("the mesh is no surface of a solid ({error})");
                    notes.add(place, what, "its convex hull is taken");
                }
            }
            hull(soup, place, notes).map_or_else(Vec::new, here)
        }
        Meshes::Auto | Meshes::Hull => hull(soup, place, notes).map_or_else(Vec::new, here),
        Meshes::Parts => {
            let parts = decompose(&soup.vertices, &soup.triangles, most_parts);
            if parts.parts.is_empty() {
                return hull(soup, place, notes).map_or_else(Vec::new, here);
            }
            let what = format!("a mesh of {} triangles", soup.triangles.len());
            let says = format!("{} convex parts stand for it, {}", parts.parts.len(), parts.excess());
            notes.add(place, what, &says);
            parts.parts.into_iter().map(|points| (Solid::Hull { points }, Pose::IDENTITY)).collect()
        }
        Meshes::Box => {
            let Aabb { min, max } = soup.aabb();
            let size = max - min;
            if size.is_finite() && size.min_element() > 0.0 {
                let pose = Pose { position: min * 0.5 + max * 0.5, orientation: DQuat::IDENTITY };
                return vec![(Solid::Box { size }, pose)];
            }
            notes.add(place, "a mesh without a volume", "it is left out");
            Vec::new()
        }
    }
}

/// The convex hull; a flat one is given a thickness.
fn hull(soup: &Soup, place: &Place, notes: &mut Notes) -> Option<Solid> {
    match Hull::new(&soup.vertices) {
        Ok(hull) => Some(Solid::Hull { points: hull.vertices().to_vec() }),
        Err(dolmen::shape::HullError::Flat { through: [a, b, c], .. }) => {
            let normal = crate::frame::unit((b - a).cross(c - a))?;
            let Aabb { min, max } = soup.aabb();
            let thickness = normal * (5e-4 * (max - min).length());
            let points = soup.vertices.iter().flat_map(|v| [*v - thickness, *v + thickness]);
            let hull = Hull::new(&points.collect::<Vec<_>>()).ok()?;
            notes.add(place, "a mesh is flat", "it has a thickness of a thousandth of its size");
            Some(Solid::Hull { points: hull.vertices().to_vec() })
        }
        Err(error) => {
            notes.add(place, format!("a mesh has no convex hull: {error}"), "it is left out");
            None
        }
    }
}
