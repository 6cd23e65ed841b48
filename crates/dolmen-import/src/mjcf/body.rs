//! The tree of bodies with their joints, shapes and inertias.

use dolmen::math::{DMat3, DVec3, Pose, eigen};

use super::compiler::FromGeoms;
use super::{MAX_BODIES, Mjcf};
use crate::Meshes;
use crate::frame::{compose, from_z, unit};
use crate::mesh;
use crate::model::{Dof, DofKind, Geom, Link, Matter, Solid, Surface};
use crate::note::ImportError;
use crate::scene::{moved, sum};
use crate::xml::Element;

/// Density of a shape that gives none, kg/m³.
const DENSITY: f64 = 1000.0;

/// The link in which the children of an element stand, and the class of defaults around them.
#[derive(Clone)]
struct Around {
    link: usize,
    /// Of the frame in the link.
    pose: Pose,
    class: Option<String>,
}

impl Mjcf<'_, '_> {
    pub(super) fn world(&mut self, element: &Element) -> Result<(), ImportError> {
        let link = if let Some(link) = self.bodies.get("world") {
            *link
        } else {
            self.model.links.push(empty("world", element, None, Pose::IDENTITY));
            self.bodies.insert("world".to_owned(), self.model.links.len() - 1);
            self.model.links.len() - 1
        };
        let around =
            Around { link, pose: Pose::IDENTITY, class: element.get("childclass").map(str::to_owned) };
        let mut parts = Vec::new();
        self.inside(element, &around, &mut parts)
    }

    /// Everything in a body, a frame or the world. Mass properties of shapes go to `parts`.
    fn inside(
        &mut self,
        element: &Element,
        around: &Around,
        parts: &mut Vec<Matter>,
    ) -> Result<(), ImportError> {
        for child in &element.children {
            match child.name.as_str() {
                "body" => self.body(child, around)?,
                "frame" => {
                    let own = self.compiler.pose(child)?;
                    let class = child.get("childclass").map(str::to_owned).or_else(|| around.class.clone());
                    let around = Around { link: around.link, pose: compose(&around.pose, &own), class };
                    self.inside(child, &around, parts)?;
                }
                "replicate" => {
                    self.reading.notes.add(&child.place, "<replicate>", "its contents are there once only");
                    self.inside(child, around, parts)?;
                }
                "joint" | "freejoint" => self.joint(child, around)?,
                "geom" => parts.extend(self.geom(child, around)?),
                "site" => {
                    let site = self.defaults.applied(child, around.class.as_deref())?;
                    let pose = match Self::segment(&site)? {
                        Some((pose, _)) => pose,
                        None => self.compiler.pose(&site)?,
                    };
                    if let Some(name) = site.get("name") {
                        self.sites.insert(name.to_owned(), (Some(around.link), compose(&around.pose, &pose)));
                    }
                }
                "composite" | "flexcomp" | "attach" | "plugin" => {
                    let what = format!("<{}>", child.name);
                    self.reading.notes.add(&child.place, what, "what it makes is left out");
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn body(&mut self, element: &Element, around: &Around) -> Result<(), ImportError> {
        let pose = compose(&around.pose, &self.compiler.pose(element)?);
        let index = self.model.links.len();
        if index >= MAX_BODIES {
            return Err(element.error(format!("more than {MAX_BODIES} bodies")));
        }
        let name = element.get("name").map_or_else(|| format!("body {index}"), str::to_owned);
        self.model.links.push(empty(&name, element, Some(around.link), pose));
        if self.bodies.insert(name.clone(), index).is_some() {
            return Err(element.error(format!("two bodies are named {name:?}")));
        }
        for (key, what, consequence) in [
            ("mocap", "a body that is moved from outside", "it is fixed"),
            ("gravcomp", "compensation of gravity", "gravity acts in full"),
        ] {
            if element.get(key).is_some_and(|value| !matches!(value, "false" | "0")) {
                self.reading.notes.add(&element.place, what, consequence);
            }
        }
        let class = element.get("childclass").map(str::to_owned).or_else(|| around.class.clone());
        let inner = Around { link: index, pose: Pose::IDENTITY, class };
        let mut parts = Vec::new();
        self.inside(element, &inner, &mut parts)?;
        self.model.links[index].matter = self.matter(element, &parts)?;
        Ok(())
    }

    fn matter(&mut self, element: &Element, parts: &[Matter]) -> Result<Option<Matter>, ImportError> {
        let inertial = element.child("inertial").filter(|_| self.compiler.from_geoms != FromGeoms::Always);
        let matter = match inertial {
            Some(inertial) => Some(self.inertial(inertial)?),
            None if self.compiler.from_geoms == FromGeoms::Never => None,
            None => sum(parts),
        };
        let [least_mass, least_inertia] = [self.compiler.least_mass, self.compiler.least_inertia];
        let Some(mut matter) = matter else { return Ok(None) };
        matter.mass = matter.mass.max(least_mass);
        let (moments, axes) = eigen::symmetric((matter.inertia + matter.inertia.transpose()) * 0.5);
        let mut bounded = moments.max(DVec3::splat(least_inertia));
        if self.compiler.balance && bounded.x + bounded.y < bounded.z {
            bounded = DVec3::splat(bounded.element_sum() / 3.0);
        }
        if bounded != moments {
            matter.inertia = axes * DMat3::from_diagonal(bounded) * axes.transpose();
        }
        Ok((matter.mass > 0.0).then_some(matter))
    }

    fn inertial(&self, element: &Element) -> Result<Matter, ImportError> {
        let pose = self.compiler.pose(element)?;
        let mass = element.number("mass")?.ok_or_else(|| element.error("<inertial> without a `mass`"))?;
        let inertia = if let Some([xx, yy, zz, xy, xz, yz]) = element.fixed::<6>("fullinertia")? {
            DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
        } else {
            DMat3::from_diagonal(element.vector("diaginertia")?.unwrap_or(DVec3::ZERO))
        };
        Ok(moved(&Matter { mass, centre: DVec3::ZERO, inertia }, &pose))
    }

    fn joint(&mut self, element: &Element, around: &Around) -> Result<(), ImportError> {
        let element = &if element.name == "joint" {
            self.defaults.applied(element, around.class.as_deref())?
        } else {
            element.clone()
        };
        let link = around.link;
        let kind = match (element.name.as_str(), element.get("type").unwrap_or("hinge")) {
            ("freejoint", _) | (_, "free") => {
                self.model.links[link].free = true;
                self.coordinates.push((link, None));
                for key in ["damping", "stiffness", "armature", "frictionloss"] {
                    if element.numbers(key)?.is_some_and(|n| n.iter().any(|n| *n != 0.0)) {
                        self.reading.notes.add(
                            &element.place,
                            format!("{key} of a free joint"),
                            "it does not act",
                        );
                    }
                }
                return Ok(());
            }
            (_, "hinge") => DofKind::Turn,
            (_, "slide") => DofKind::Slide,
            (_, "ball") => DofKind::Ball,
            (_, other) => return Err(element.error(format!("{other:?} is no type of joint"))),
        };
        let place = self.model.links[link].dofs.len();
        let name = element.get("name").map_or_else(
            || {
                let body = &self.model.links[link].name;
                if place == 0 { format!("{body} joint") } else { format!("{body} joint {}", place + 1) }
            },
            str::to_owned,
        );
        let axis = element.vector("axis")?.unwrap_or(DVec3::Z);
        let axis = unit(axis).ok_or_else(|| element.error("the `axis` has no direction"))?;
        let anchor = around.pose.point(element.vector("pos")?.unwrap_or(DVec3::ZERO));
        let mut dof = Dof::new(&name, &element.place, kind, around.pose.direction(axis), anchor);
        let turns = kind != DofKind::Slide;
        let unit_of = |value: f64| if turns { self.compiler.angle(value) } else { value };
        let one = |key: &str| -> Result<f64, ImportError> {
            Ok(element.numbers(key)?.and_then(|numbers| numbers.first().copied()).unwrap_or(0.0))
        };
        dof.offset = unit_of(one("ref")?);
        let range = element.fixed::<2>("range")?;
        let limited = match element.get("limited") {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler.auto_limits && range.is_some(),
        };
        if let (true, Some([lower, upper])) = (limited, range) {
            dof.limits = Some([unit_of(lower) - dof.offset, unit_of(upper) - dof.offset]);
        }
        dof.stiffness = one("stiffness")?;
        dof.rest = unit_of(one("springref")?) - dof.offset;
        dof.damping = one("damping")?;
        dof.friction = one("frictionloss")?;
        for (key, consequence) in [
            ("armature", "the joint has no inertia of its own: it moves more easily"),
            ("actuatorfrcrange", "forces of actuators are not limited by it"),
            ("springdamper", "there is no such spring"),
        ] {
            if element.numbers(key)?.is_some_and(|numbers| numbers.iter().any(|n| *n != 0.0)) {
                self.reading.notes.add(&element.place, format!("{key} of a joint"), consequence);
            }
        }
        for key in ["stiffness", "damping"] {
            if element.numbers(key)?.is_some_and(|numbers| numbers.iter().skip(1).any(|n| *n != 0.0)) {
                self.reading.notes.add(
                    &element.place,
                    format!("{key} that is no constant"),
                    "its first term acts",
                );
            }
        }
        self.model.links[link].dofs.push(dof);
        self.coordinates.push((link, Some(place)));
        if self.joints.insert(name.clone(), (link, place)).is_some() {
            return Err(element.error(format!("two joints are named {name:?}")));
        }
        Ok(())
    }

    /// `fromto`: the frame with z along it, and half its length.
    fn segment(element: &Element) -> Result<Option<(Pose, f64)>, ImportError> {
        let Some([a, b, c, d, e, f]) = element.fixed::<6>("fromto")? else { return Ok(None) };
        let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
        let z = unit(from - to).ok_or_else(|| element.error("`fromto` has no length"))?;
        let pose = Pose { position: (from + to) * 0.5, orientation: from_z(z) };
        Ok(Some((pose, 0.5 * from.distance(to))))
    }

    fn geom(&mut self, element: &Element, around: &Around) -> Result<Option<Matter>, ImportError> {
        let element = &self.defaults.applied(element, around.class.as_deref())?;
        let kind =
            element.get("type").unwrap_or(if element.get("mesh").is_some() { "mesh" } else { "sphere" });
        let segment = Self::segment(element)?;
        let own = match segment {
            Some((pose, _)) => pose,
            None => self.compiler.pose(element)?,
        };
        let pose = compose(&around.pose, &own);
        let size = element.numbers("size")?.unwrap_or_default();
        let density = element.number("density")?.unwrap_or(DENSITY);
        let mass = element.number("mass")?;
        let in_groups = {
            let group = element.number("group")?.unwrap_or(0.0) as i64;
            (self.compiler.groups[0]..=self.compiler.groups[1]).contains(&group)
        };
        let half = segment.map(|(_, half)| half);
        let length = |k: usize| -> Result<f64, ImportError> {
            let value = size.get(k).copied().unwrap_or(0.0);
            if value > 0.0 && value.is_finite() {
                return Ok(value);
            }
            Err(element.error(format!("a {kind} needs a `size` of more than 0 in place {}", k + 1)))
        };
        let box_size = || -> Result<DVec3, ImportError> {
            Ok(match half {
                Some(half) => DVec3::new(length(0)?, length(usize::from(size.len() > 1))?, half),
                None => DVec3::new(length(0)?, length(1)?, length(2)?),
            } * 2.0)
        };
        let mut solids: Vec<(Solid, Pose)> = Vec::new();
        let mut matter = None;
        let fitted = element.get("mesh").filter(|_| kind != "mesh");
        if let Some(mesh) = fitted {
            let what = format!("a {kind} fitted to the mesh {mesh}");
            self.reading.notes.add(&element.place, what, "the mesh is taken");
        }
        match kind {
            _ if kind == "mesh" || fitted.is_some() => {
                let name =
                    element.get("mesh").ok_or_else(|| element.error("a mesh without the name of one"))?;
                let soup = self.assets.meshes.get(name);
                let soup = soup.ok_or_else(|| element.error(format!("there is no mesh {name:?}")))?;
                if !soup.triangles.is_empty() {
                    matter = soup.matter(density);
                    if touches(element)? {
                        let notes = &mut self.reading.notes;
                        let options = self.reading.options;
                        let how = if options.meshes == Meshes::Auto { Meshes::Hull } else { options.meshes };
                        solids = mesh::solids(soup, how, options.most_parts, &element.place, notes);
                    }
                }
            }
            "hfield" => {
                let name = element.get("hfield").unwrap_or_default();
                let soup = self.assets.fields.get(name);
                let soup = soup.ok_or_else(|| element.error(format!("there is no height field {name:?}")))?;
                let (vertices, triangles) = (soup.vertices.clone(), soup.triangles.clone());
                solids.push((Solid::Mesh { vertices, triangles }, Pose::IDENTITY));
            }
            "plane" => solids.push((Solid::Plane, Pose::IDENTITY)),
            "sphere" => solids.push((Solid::Sphere { radius: length(0)? }, Pose::IDENTITY)),
            "capsule" | "cylinder" => {
                let radius = length(0)?;
                let length = 2.0 * half.map_or_else(|| length(1), Ok)?;
                let solid = if kind == "capsule" {
                    Solid::Capsule { radius, length }
                } else {
                    Solid::Cylinder { radius, length }
                };
                solids.push((solid, Pose::IDENTITY));
            }
            "box" => solids.push((Solid::Box { size: box_size()? }, Pose::IDENTITY)),
            "ellipsoid" => solids.push((Solid::Ellipsoid { size: box_size()? }, Pose::IDENTITY)),
            other => {
                self.reading.notes.add(&element.place, format!("a geom of type {other}"), "it is left out");
            }
        }
        if let [(solid, _)] = &solids[..]
            && matter.is_none()
        {
            matter = solid.matter(density);
        }
        if element.get("shellinertia") == Some("true") && matter.is_some() {
            self.reading.notes.add(&element.place, "inertia of a shell", "it is that of the solid");
        }
        let matter = matter.and_then(|matter| match mass {
            Some(mass) => {
                let inertia = matter.inertia * (mass / matter.mass);
                (mass > 0.0).then_some(Matter { mass, inertia, ..matter })
            }
            None => (matter.mass > 0.0).then_some(matter),
        });
        if let Some(name) = element.get("name") {
            self.geoms.insert(name.to_owned(), around.link);
        }
        self.touch(element, around.link, &pose, solids)?;
        Ok(matter.filter(|_| in_groups).map(|matter| moved(&matter, &pose)))
    }

    /// Puts shapes onto a link.
    fn touch(
        &mut self,
        element: &Element,
        link: usize,
        pose: &Pose,
        solids: Vec<(Solid, Pose)>,
    ) -> Result<(), ImportError> {
        if !touches(element)? {
            self.reading.notes.add(
                &element.place,
                "a geom that touches nothing",
                "it is left out; its mass counts",
            );
            return Ok(());
        }
        let mask = |key: &str| -> Result<u32, ImportError> {
            Ok(element.number(key)?.map_or(1, |value| value.clamp(-2147483648.0, 4294967295.0) as i64 as u32))
        };
        let friction = element.numbers("friction")?.unwrap_or_default();
        let term = |k: usize, default: f64| friction.get(k).copied().unwrap_or(default).max(0.0);
        let dimensions = element.number("condim")?.unwrap_or(3.0);
        let surface = Surface {
            friction: Some(if dimensions >= 3.0 { term(0, super::FRICTION) } else { 0.0 }),
            spinning: if dimensions >= 4.0 { term(1, 0.005) } else { 0.0 },
            rolling: if dimensions >= 6.0 { term(2, 0.0001) } else { 0.0 },
            restitution: 0.0,
        };
        for key in ["solref", "solimp", "margin", "gap"] {
            if element.numbers(key)?.is_some_and(|numbers| numbers.iter().any(|n| *n != 0.0)) {
                let what = format!("{key} of a geom");
                self.reading.notes.add(
                    &element.place,
                    what,
                    "contacts are rigid and begin where shapes touch",
                );
            }
        }
        if element.number("priority")?.is_some_and(|priority| priority != 0.0) {
            let consequence = "of two frictions the larger one counts";
            self.reading.notes.add(&element.place, "priority of a geom", consequence);
        }
        let masks = [mask("contype")?, mask("conaffinity")?];
        for (solid, own) in solids {
            self.model.links[link].geoms.push(Geom {
                name: element.get("name").map(str::to_owned),
                place: element.place.clone(),
                pose: compose(pose, &own),
                solid,
                surface,
                masks,
            });
        }
        Ok(())
    }
}

fn touches(element: &Element) -> Result<bool, ImportError> {
    Ok(element.number("contype")? != Some(0.0) || element.number("conaffinity")? != Some(0.0))
}

fn empty(name: &str, element: &Element, parent: Option<usize>, pose: Pose) -> Link {
    Link {
        name: name.to_owned(),
        place: element.place.clone(),
        parent,
        pose,
        dofs: Vec::new(),
        free: false,
        twist: [DVec3::ZERO; 2],
        matter: None,
        geoms: Vec::new(),
    }
}
