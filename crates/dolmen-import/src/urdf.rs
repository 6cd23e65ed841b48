//! URDF, the format of ROS: <https://wiki.ros.org/urdf/XML>.

use std::collections::BTreeMap;

use dolmen::math::{DMat3, DVec3, Pose};

use crate::frame::{roll_pitch_yaw, unit};
use crate::mesh;
use crate::model::{Coupled, Dof, DofKind, Geom, Link, Matter, Model, Solid, Surface};
use crate::note::ImportError;
use crate::scene::moved;
use crate::xml::Element;
use crate::{Meshes, Reading, uri};

/// Reads a robot.
pub(super) fn read(reading: &mut Reading<'_>, root: &Element) -> Result<Model, ImportError> {
    let title = root.get("name").unwrap_or(&reading.name).to_owned();
    let source =
        format!("Imported from URDF: {}", reading.path.file_name().unwrap_or_default().to_string_lossy());
    let mut model = Model::new(&title, source);
    let links: Vec<&Element> = root.all("link").collect();
    let joints: Vec<&Element> = root.all("joint").collect();
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, link) in links.iter().enumerate() {
        let name = link.get("name").ok_or_else(|| link.error("a link without a `name`"))?;
        if by_name.insert(name, index).is_some() {
            return Err(link.error(format!("two links are named {name:?}")));
        }
    }
    // Of each link the joint above it, and its children in the order of the file.
    let mut above: Vec<Option<&Element>> = vec![None; links.len()];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for joint in &joints {
        let end = |key: &str| -> Result<usize, ImportError> {
            let name = joint.child(key).and_then(|end| end.get("link")).unwrap_or_default();
            let found = by_name.get(name);
            found.copied().ok_or_else(|| joint.error(format!("the {key} link {name:?} is not there")))
        };
        let (parent, child) = (end("parent")?, end("child")?);
        if above[child].replace(joint).is_some() {
            return Err(joint
                .error(format!("link {:?} has two parents", links[child].get("name").unwrap_or_default())));
        }
        below[parent].push(child);
    }

    // Parents before children: a walk from the roots.
    let mut waiting: Vec<(usize, Option<usize>)> =
        (0..links.len()).rev().filter(|link| above[*link].is_none()).map(|root| (root, None)).collect();
    let mut coordinates: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut mimics = Vec::new();
    while let Some((index, parent)) = waiting.pop() {
        let place = model.links.len();
        let mut link = self::link(reading, links[index], parent)?;
        match above[index] {
            None => {
                let fixed = link.name == "world" || !reading.options.free_base;
                link.free = !fixed;
                if fixed && link.name != "world" {
                    let what = format!("whether {}, the root, moves", link.name);
                    reading.notes.add(&link.place, what, "it is fixed to the world; --free-base frees it");
                }
            }
            Some(joint) => {
                hang(reading, joint, &mut link)?;
                for (k, dof) in link.dofs.iter().enumerate() {
                    coordinates.insert(dof.name.clone(), (place, k));
                }
                mimics.extend(joint.child("mimic").map(|mimic| (mimic, place)));
            }
        }
        model.links.push(link);
        waiting.extend(below[index].iter().rev().map(|child| (*child, Some(place))));
    }
    if model.links.len() < links.len() {
        return Err(root.error("some links hang on themselves in a circle").help("a robot is a tree"));
    }
    for (mimic, place) in mimics {
        if model.links[place].dofs.len() == 1 {
            mimicked(&mut model, mimic, place, &coordinates)?;
        } else {
            let what = "a joint that mimics another one and has not one coordinate itself";
            reading.notes.add(&mimic.place, what, "it does not follow the other one");
        }
    }
    for name in ["gazebo", "transmission"] {
        for element in root.all(name) {
            reading.notes.add(&element.place, format!("<{name}>"), "it is not read");
        }
    }
    let first = &root.place;
    reading.notes.add(
        first,
        "a URDF says nothing of friction",
        "contacts have none; give it under [contact]",
    );
    Ok(model)
}

fn origin(element: &Element) -> Result<Pose, ImportError> {
    let Some(origin) = element.child("origin") else { return Ok(Pose::IDENTITY) };
    let position = origin.vector("xyz")?.unwrap_or(DVec3::ZERO);
    Ok(Pose { position, orientation: roll_pitch_yaw(origin.fixed("rpy")?.unwrap_or_default()) })
}

fn link(reading: &mut Reading<'_>, element: &Element, parent: Option<usize>) -> Result<Link, ImportError> {
    let mut link = Link {
        name: element.get("name").unwrap_or_default().to_owned(),
        place: element.place.clone(),
        parent,
        pose: Pose::IDENTITY,
        dofs: Vec::new(),
        free: false,
        twist: [DVec3::ZERO; 2],
        matter: None,
        geoms: Vec::new(),
    };
    if let Some(inertial) = element.child("inertial") {
        let mass =
            inertial.child("mass").map(|mass| mass.number("value")).transpose()?.flatten().unwrap_or(0.0);
        let entry = |key: &str| -> Result<f64, ImportError> {
            Ok(inertial.child("inertia").map(|i| i.number(key)).transpose()?.flatten().unwrap_or(0.0))
        };
        let [xx, xy, xz, yy, yz, zz] =
            [entry("ixx")?, entry("ixy")?, entry("ixz")?, entry("iyy")?, entry("iyz")?, entry("izz")?];
        let inertia =
            DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        if mass > 0.0 {
            link.matter = Some(moved(&Matter { mass, centre: DVec3::ZERO, inertia }, &origin(inertial)?));
        }
    }
    for collision in element.all("collision") {
        let pose = origin(collision)?;
        let Some(geometry) = collision.child("geometry") else { continue };
        for (solid, own) in shapes(reading, geometry)? {
            link.geoms.push(Geom {
                name: collision.get("name").map(str::to_owned),
                place: collision.place.clone(),
                pose: crate::frame::compose(&pose, &own),
                solid,
                surface: Surface::default(),
                masks: [1, 1],
            });
        }
    }
    if let Some(visual) = element.child("visual") {
        reading.notes.add(&visual.place, "the look of a link", "what is seen is what collides");
    }
    Ok(link)
}

fn shapes(reading: &mut Reading<'_>, geometry: &Element) -> Result<Vec<(Solid, Pose)>, ImportError> {
    let Some(shape) = geometry.children.first() else { return Ok(Vec::new()) };
    let length = |key: &str| -> Result<f64, ImportError> {
        let value = shape.number(key)?.unwrap_or(0.0);
        if value > 0.0 {
            Ok(value)
        } else {
            Err(shape.error(format!("`{key}` of <{}> has to be more than 0", shape.name)))
        }
    };
    let solid = match shape.name.as_str() {
        "box" => {
            let size = shape.vector("size")?.unwrap_or(DVec3::ZERO);
            if size.min_element() <= 0.0 {
                reading.notes.add(&shape.place, "a box without a volume", "it is left out");
                return Ok(Vec::new());
            }
            Solid::Box { size }
        }
        "sphere" => Solid::Sphere { radius: length("radius")? },
        "cylinder" => Solid::Cylinder { radius: length("radius")?, length: length("length")? },
        "capsule" => Solid::Capsule { radius: length("radius")?, length: length("length")? },
        "mesh" => {
            let uri = shape.get("filename").unwrap_or_default();
            let scale = shape.vector("scale")?.unwrap_or(DVec3::ONE);
            return Ok(reading.mesh(shape, uri, scale, Meshes::Hull));
        }
        other => {
            reading.notes.add(&shape.place, format!("a shape <{other}>"), "it is left out");
            return Ok(Vec::new());
        }
    };
    Ok(vec![(solid, Pose::IDENTITY)])
}

impl Reading<'_> {
    /// The shapes of a mesh that a model names; what cannot be read is noted.
    pub(crate) fn mesh(
        &mut self,
        element: &Element,
        uri: &str,
        scale: DVec3,
        auto: Meshes,
    ) -> Vec<(Solid, Pose)> {
        let consequence = "what has its shape cannot be touched";
        let Some(path) = uri::find(uri, &self.path, &self.options.package_paths, &mut self.files) else {
            let what = format!("the package of the mesh {uri} is not there");
            self.notes.add(&element.place, what, &format!("{consequence}; see --package-path"));
            return Vec::new();
        };
        let soup = match mesh::load(&path, &mut self.files) {
            Ok(soup) => soup.scaled(scale),
            Err(error) => {
                let what = format!("the mesh {uri} cannot be read ({})", error.message);
                self.notes.add(&element.place, what, consequence);
                return Vec::new();
            }
        };
        let how = if self.options.meshes == Meshes::Auto { auto } else { self.options.meshes };
        mesh::solids(&soup, how, self.options.most_parts, &element.place, &mut self.notes)
    }
}

/// Puts a link on its joint.
fn hang(reading: &mut Reading<'_>, joint: &Element, link: &mut Link) -> Result<(), ImportError> {
    link.pose = origin(joint)?;
    let name = joint.get("name").unwrap_or(&link.name).to_owned();
    let axis = joint.child("axis").map(|axis| axis.vector("xyz")).transpose()?.flatten().unwrap_or(DVec3::X);
    let kind = joint.get("type").unwrap_or_default();
    let needs_axis = !matches!(kind, "fixed" | "floating");
    let axis = match unit(axis) {
        None if needs_axis => return Err(joint.error("the axis has no direction")),
        axis => axis.unwrap_or(DVec3::X),
    };
    let dof = |name: &str, kind, axis| Dof::new(name, &joint.place, kind, axis, DVec3::ZERO);
    link.dofs = match kind {
        "fixed" => Vec::new(),
        "revolute" | "continuous" => vec![dof(&name, DofKind::Turn, axis)],
        "prismatic" => vec![dof(&name, DofKind::Slide, axis)],
        "floating" => {
            link.free = true;
            Vec::new()
        }
        "planar" => {
            let x = axis.any_orthonormal_vector();
            vec![
                dof(&format!("{name} x"), DofKind::Slide, x),
                dof(&format!("{name} y"), DofKind::Slide, axis.cross(x)),
                dof(&format!("{name} turn"), DofKind::Turn, axis),
            ]
        }
        other => return Err(joint.error(format!("{other:?} is no type of joint"))),
    };
    let [dof] = &mut link.dofs[..] else { return Ok(()) };
    if let Some(limit) = joint.child("limit") {
        if matches!(kind, "revolute" | "prismatic") {
            let bounds = [limit.number("lower")?, limit.number("upper")?];
            if bounds.iter().any(Option::is_some) {
                dof.limits = Some(bounds.map(|bound| bound.unwrap_or(0.0)));
            }
        }
        if limit.number("velocity")?.is_some_and(|velocity| velocity > 0.0) {
            reading.notes.add(&limit.place, "the largest speed of a joint", "speeds are not limited");
        }
    }
    if let Some(dynamics) = joint.child("dynamics") {
        dof.damping = dynamics.number("damping")?.unwrap_or(0.0).max(0.0);
        dof.friction = dynamics.number("friction")?.unwrap_or(0.0).max(0.0);
    }
    if joint.child("safety_controller").is_some() {
        reading.notes.add(&joint.place, "<safety_controller>", "it does not act");
    }
    Ok(())
}

fn mimicked(
    model: &mut Model,
    mimic: &Element,
    place: usize,
    coordinates: &BTreeMap<String, (usize, usize)>,
) -> Result<(), ImportError> {
    let name = mimic.get("joint").unwrap_or_default();
    let second = coordinates.get(name).copied();
    let second = second.ok_or_else(|| mimic.error(format!("there is no joint {name:?} to mimic")))?;
    if second.0 == place {
        return Err(mimic.error("the joint mimics itself"));
    }
    let factor = mimic.number("multiplier")?.unwrap_or(1.0);
    let constant = mimic.number("offset")?.unwrap_or(0.0);
    model.links[place].dofs[0].value = factor * model.links[second.0].dofs[second.1].value + constant;
    let name = format!("{} mimics {name}", model.links[place].dofs[0].name);
    model.couplings.push(Coupled {
        name,
        place: mimic.place.clone(),
        first: (place, 0),
        second: Some(second),
        factor,
        constant,
    });
    Ok(())
}
