//! SDFormat, the format of Gazebo and Drake: <http://sdformat.org/spec>.
//!
//! Poses may be relative to any frame of a model; all of them are resolved in the world first, and the tree is made of the
//! joints afterwards. A link that a second joint holds closes a loop.

use std::collections::BTreeMap;

use dolmen::math::{DMat3, DQuat, DVec3, Pose};

use crate::frame::{compose, from_z, inverse, roll_pitch_yaw, unit};
use crate::model::{Coupled, Dof, DofKind, Geom, Link, Loop, Matter, Model, Solid, Surface};
use crate::note::ImportError;
use crate::scene::moved;
use crate::xml::Element;
use crate::{Meshes, Reading, uri};

/// How long a chain of relative poses may be, and how deep models stand in models.
const MAX_DEPTH: usize = 128;

/// The most links, frames and joints.
const MAX_NAMES: usize = 20_000;

/// Limits beyond this are none.
const UNLIMITED: f64 = 1e15;

/// Something that poses can be relative to.
struct Named {
    pose: Pose,
    /// None is the world.
    relative_to: Option<String>,
    /// Of a frame: what it is fixed to. Of a link: itself.
    attached_to: Option<String>,
}

struct LinkOf {
    name: String,
    element: Element,
    fixed: bool,
    /// The model that it belongs to, where links do not collide with each other.
    alone: Option<usize>,
}

struct JointOf {
    name: String,
    scope: String,
    element: Element,
    /// None is the world.
    parent: Option<String>,
    child: String,
}

#[derive(Default)]
struct Gathered {
    named: BTreeMap<String, Named>,
    links: Vec<LinkOf>,
    joints: Vec<JointOf>,
    models: usize,
}

/// Reads a world or a model.
pub(super) fn read(reading: &mut Reading<'_>, root: &Element) -> Result<Model, ImportError> {
    let source =
        format!("Imported from SDFormat: {}", reading.path.file_name().unwrap_or_default().to_string_lossy());
    let world = root.child("world");
    let inner = world.unwrap_or(root);
    let title = inner.get("name").or_else(|| root.child("model").and_then(|m| m.get("name")));
    let mut model = Model::new(title.unwrap_or(&reading.name), source);
    if let Some(gravity) = world.map(|world| world.child_fixed("gravity")).transpose()?.flatten() {
        model.gravity = DVec3::from_array(gravity);
    }
    let mut gathered = Gathered::default();
    gathered.inside(reading, inner, "", None, false, 0)?;
    gathered.build(reading, &mut model)?;
    Ok(model)
}

fn scoped(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}::{name}") }
}

/// `x y z roll pitch yaw`, or `x y z qx qy qz qw` as its attribute says.
fn pose_of(element: &Element) -> Result<(Pose, Option<&str>), ImportError> {
    let Some(pose) = element.child("pose") else { return Ok((Pose::IDENTITY, None)) };
    let relative_to = pose.get("relative_to").filter(|name| !name.is_empty());
    if pose.text.trim().is_empty() {
        return Ok((Pose::IDENTITY, relative_to));
    }
    if pose.get("rotation_format") == Some("quat_xyzw") {
        let [x, y, z, i, j, k, w] = pose.fixed_of("pose", &pose.text)?;
        let q = DQuat::from_xyzw(i, j, k, w);
        let orientation = if q.length() > 0.0 { q.normalize() } else { DQuat::IDENTITY };
        return Ok((Pose { position: DVec3::new(x, y, z), orientation }, relative_to));
    }
    let [x, y, z, mut roll, mut pitch, mut yaw] = pose.fixed_of("pose", &pose.text)?;
    if pose.get("degrees") == Some("true") {
        [roll, pitch, yaw] = [roll, pitch, yaw].map(f64::to_radians);
    }
    Ok((Pose { position: DVec3::new(x, y, z), orientation: roll_pitch_yaw([roll, pitch, yaw]) }, relative_to))
}

impl Gathered {
    /// Everything in a world or a model.
    #[expect(clippy::too_many_arguments, reason = "what a model inherits from what is around it")]
    fn inside(
        &mut self,
        reading: &mut Reading<'_>,
        element: &Element,
        scope: &str,
        alone: Option<usize>,
        fixed: bool,
        depth: usize,
    ) -> Result<(), ImportError> {
        if depth > MAX_DEPTH || self.named.len() > MAX_NAMES {
            return Err(element.error("models stand in models too deep, or there are too many names"));
        }
        // A model's own frame; the world's is none.
        let own = (depth > 0).then(|| scoped(scope, "__model__"));
        for child in &element.children {
            let name = scoped(scope, child.get("name").unwrap_or(&child.name));
            let (pose, relative_to) = match child.name.as_str() {
                "link" | "joint" | "frame" | "model" | "include" => pose_of(child)?,
                _ => (Pose::IDENTITY, None),
            };
            let relative_to = match relative_to {
                Some("world") => None,
                Some(other) => Some(scoped(scope, other)),
                None => own.clone(),
            };
            match child.name.as_str() {
                "link" => {
                    let attached_to = Some(name.clone());
                    self.named.insert(name.clone(), Named { pose, relative_to, attached_to });
                    self.links.push(LinkOf { name, element: child.clone(), fixed, alone });
                }
                "frame" => {
                    let attached_to = child.get("attached_to").map(|other| scoped(scope, other));
                    let has_own = child.child("pose").is_some_and(|pose| pose.get("relative_to").is_some());
                    let relative_to = if has_own { relative_to } else { attached_to.clone().or(relative_to) };
                    self.named.insert(name, Named { pose, relative_to, attached_to });
                }
                "joint" => {
                    let end = |key: &str| {
                        let text =
                            child.child(key).map(|end| end.get("link_name").unwrap_or(end.text.trim()));
                        text.filter(|text| !text.is_empty() && *text != "world")
                            .map(|text| scoped(scope, text))
                    };
                    let inner = end("child").ok_or_else(|| child.error("a joint without a child"))?;
                    let has_own = child.child("pose").is_some_and(|pose| pose.get("relative_to").is_some());
                    let relative_to = if has_own { relative_to } else { Some(inner.clone()) };
                    let attached_to = Some(inner.clone());
                    self.named.insert(name.clone(), Named { pose, relative_to, attached_to });
                    let parent = end("parent");
                    let scope = scope.to_owned();
                    self.joints.push(JointOf { name, scope, element: child.clone(), parent, child: inner });
                }
                "model" => self.model(reading, child, &name, pose, relative_to.as_deref(), fixed, depth)?,
                "include" => self.include(reading, child, scope, (pose, relative_to), fixed, depth)?,
                "plugin" | "actor" | "road" | "population" | "sensor" | "gripper" => {
                    reading.notes.add(&child.place, format!("<{}>", child.name), "it is not read");
                }
                other if other.starts_with("drake:") || other.contains(':') => {
                    reading.notes.add(&child.place, format!("<{other}>"), "it is not read");
                }
                _ => {}
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "what a model inherits from what is around it")]
    fn model(
        &mut self,
        reading: &mut Reading<'_>,
        element: &Element,
        name: &str,
        pose: Pose,
        relative_to: Option<&str>,
        fixed: bool,
        depth: usize,
    ) -> Result<(), ImportError> {
        let is_true = |key: &str| matches!(element.child_text(key), Some("true" | "1"));
        let fixed = fixed || is_true("static");
        if element.get("placement_frame").is_some() {
            reading.notes.add(&element.place, "placement_frame", "the pose is that of the model's own frame");
        }
        let frame = scoped(name, "__model__");
        let canonical =
            element.child("link").and_then(|link| link.get("name")).map(|link| scoped(name, link));
        let entry =
            || Named { pose, relative_to: relative_to.map(str::to_owned), attached_to: canonical.clone() };
        self.named.insert(frame, entry());
        self.named.insert(name.to_owned(), entry());
        self.models += 1;
        let alone = (!is_true("self_collide")).then_some(self.models);
        self.inside(reading, element, name, alone, fixed, depth + 1)
    }

    #[expect(clippy::too_many_arguments, reason = "what a model inherits from what is around it")]
    fn include(
        &mut self,
        reading: &mut Reading<'_>,
        element: &Element,
        scope: &str,
        (pose, relative_to): (Pose, Option<String>),
        fixed: bool,
        depth: usize,
    ) -> Result<(), ImportError> {
        let uri = element.child_text("uri").unwrap_or_default();
        let Some(path) =
            uri::find_model(uri, &reading.path, &reading.options.package_paths, &mut reading.files)
        else {
            let what = format!("the model {uri} is not there");
            reading.notes.add(&element.place, what, "it is left out; see --package-path");
            return Ok(());
        };
        let root = Element::read(&path, &mut reading.files)?;
        let Some(model) = root.child("model").filter(|_| root.name == "sdf") else {
            return Err(root.error("an included file has to be <sdf> with a <model>"));
        };
        let name = element.child_text("name").or(model.get("name")).unwrap_or("included");
        let name = scoped(scope, name);
        let (pose, relative_to) = if element.child("pose").is_some() {
            (pose, relative_to)
        } else {
            (pose_of(model)?.0, relative_to)
        };
        // Files that it names are relative to it.
        let outer = std::mem::replace(&mut reading.path, path);
        let fixed = fixed || matches!(element.child_text("static"), Some("true" | "1"));
        let done = self.model(reading, model, &name, pose, relative_to.as_deref(), fixed, depth);
        reading.path = outer;
        done
    }

    /// The pose of a name in the world.
    fn world(&self, name: Option<&str>, element: &Element) -> Result<Pose, ImportError> {
        let mut pose = Pose::IDENTITY;
        let mut at = name.map(str::to_owned);
        for _ in 0..MAX_DEPTH {
            let Some(name) = &at else { return Ok(pose) };
            let Some(named) = self.named.get(name) else {
                return Err(element.error(format!("there is no frame {name:?}")));
            };
            pose = compose(&named.pose, &pose);
            at.clone_from(&named.relative_to);
        }
        Err(element.error("poses are relative to each other in a circle"))
    }

    /// The link to which a name is fixed; none is the world.
    fn link_of(&self, name: &str, element: &Element) -> Result<Option<usize>, ImportError> {
        let mut at = name.to_owned();
        for _ in 0..MAX_DEPTH {
            if let Some(link) = self.links.iter().position(|link| link.name == at) {
                return Ok(Some(link));
            }
            match self.named.get(&at) {
                Some(Named { attached_to: Some(other), .. }) => at.clone_from(other),
                Some(_) => return Ok(None),
                None => return Err(element.error(format!("there is no link {at:?}"))),
            }
        }
        Err(element.error("frames are attached to each other in a circle"))
    }

    fn build(&self, reading: &mut Reading<'_>, model: &mut Model) -> Result<(), ImportError> {
        let count = self.links.len();
        let poses: Vec<Pose> = self
            .links
            .iter()
            .map(|link| self.world(Some(&link.name), &link.element))
            .collect::<Result<_, _>>()?;
        // The first joint above a link makes the tree, the others close loops.
        let mut above: Vec<Option<(usize, Option<usize>)>> = vec![None; count];
        let mut closing = Vec::new();
        for (index, joint) in self.joints.iter().enumerate() {
            let child = self.link_of(&joint.child, &joint.element)?;
            let parent = match &joint.parent {
                Some(parent) => self.link_of(parent, &joint.element)?,
                None => None,
            };
            match child {
                Some(child) if parent == Some(child) => {}
                Some(child) if above[child].is_none() && !reaches(&above, parent, child) => {
                    above[child] = Some((index, parent));
                }
                Some(child) => closing.push((index, child, parent)),
                None => reading.notes.add(
                    &joint.element.place,
                    "a joint whose child is the world",
                    "it is left out",
                ),
            }
        }
        // Parents first.
        let mut order = Vec::with_capacity(count);
        let mut place: Vec<Option<usize>> = vec![None; count];
        while order.len() < count {
            let before = order.len();
            for link in 0..count {
                let ready =
                    above[link].and_then(|(_, parent)| parent).is_none_or(|parent| place[parent].is_some());
                if place[link].is_none() && ready {
                    place[link] = Some(order.len());
                    order.push(link);
                }
            }
            if order.len() == before {
                break;
            }
        }
        let mut coordinates: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut mimics = Vec::new();
        for index in order {
            let mut link = self.link(reading, index)?;
            let parent = above[index].and_then(|(_, parent)| parent);
            link.parent = parent.and_then(|parent| place[parent]);
            link.pose =
                parent.map_or(poses[index], |parent| compose(&inverse(&poses[parent]), &poses[index]));
            match above[index] {
                Some((joint, _)) => {
                    link.dofs = self.dofs(reading, &self.joints[joint], &poses[index])?;
                    for (k, dof) in link.dofs.iter().enumerate() {
                        coordinates.insert(dof.name.clone(), (model.links.len(), k));
                    }
                    let axis = self.joints[joint].element.child("axis");
                    mimics.extend(axis.and_then(|a| a.child("mimic")).map(|m| (joint, m, model.links.len())));
                }
                None => link.free = !self.links[index].fixed,
            }
            model.links.push(link);
        }
        for (index, child, parent) in closing {
            self.close(reading, model, (index, child, parent), (&poses, &place))?;
        }
        for (joint, mimic, link) in mimics {
            let leader = scoped(&self.joints[joint].scope, mimic.get("joint").unwrap_or_default());
            let Some(second) = coordinates.get(&leader).copied() else {
                return Err(mimic.error(format!("there is no joint {leader:?} to mimic")));
            };
            let number = |key: &str, default: f64| -> Result<f64, ImportError> {
                Ok(mimic.child_fixed::<1>(key)?.map_or(default, |[value]| value))
            };
            let factor = number("multiplier", 1.0)?;
            let constant = number("offset", 0.0)? - factor * number("reference", 0.0)?;
            let name = format!("{} mimics {leader}", self.joints[joint].name);
            model.links[link].dofs[0].value = factor * model.links[second.0].dofs[second.1].value + constant;
            let place = mimic.place.clone();
            let coupled = Coupled { name, place, first: (link, 0), second: Some(second), factor, constant };
            model.couplings.push(coupled);
        }
        for a in 0..count {
            for b in 0..a {
                let same = self.links[a].alone.is_some() && self.links[a].alone == self.links[b].alone;
                if let (true, Some(a), Some(b)) = (same, place[a], place[b]) {
                    model.excluded.push([a, b]);
                }
            }
        }
        Ok(())
    }

    fn link(&self, reading: &mut Reading<'_>, index: usize) -> Result<Link, ImportError> {
        let LinkOf { name, element, .. } = &self.links[index];
        let mut link = Link {
            name: name.clone(),
            place: element.place.clone(),
            parent: None,
            pose: Pose::IDENTITY,
            dofs: Vec::new(),
            free: false,
            twist: [DVec3::ZERO; 2],
            matter: None,
            geoms: Vec::new(),
        };
        if element.child_text("gravity").is_some_and(|word| matches!(word, "false" | "0")) {
            reading.notes.add(&element.place, "a link without gravity", "gravity acts on it");
        }
        if let Some(inertial) = element.child("inertial") {
            let mass = inertial.child_fixed::<1>("mass")?.map_or(1.0, |[mass]| mass);
            let inertia = inertial.child("inertia");
            let entry = |key: &str, default: f64| -> Result<f64, ImportError> {
                let value = inertia.map(|inertia| inertia.child_fixed::<1>(key)).transpose()?.flatten();
                Ok(value.map_or(default, |[value]| value))
            };
            let [xx, yy, zz] = [entry("ixx", 1.0)?, entry("iyy", 1.0)?, entry("izz", 1.0)?];
            let [xy, xz, yz] = [entry("ixy", 0.0)?, entry("ixz", 0.0)?, entry("iyz", 0.0)?];
            let inertia =
                DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
            if mass > 0.0 {
                let matter = Matter { mass, centre: DVec3::ZERO, inertia };
                link.matter = Some(moved(&matter, &pose_of(inertial)?.0));
            }
        } else if !self.links[index].fixed {
            let matter = Matter { mass: 1.0, centre: DVec3::ZERO, inertia: DMat3::IDENTITY };
            let what = format!("link {name} has no <inertial>");
            reading.notes.add(&element.place, what, "it has the 1 kg and 1 kg·m² that SDFormat gives it");
            link.matter = Some(matter);
        }
        for collision in element.all("collision") {
            let pose = pose_of(collision)?.0;
            let Some(geometry) = collision.child("geometry") else { continue };
            let surface = surface(collision)?;
            let mask = collision
                .child("surface")
                .and_then(|s| s.child("contact"))
                .and_then(|c| c.child_text("collide_bitmask"));
            let mask = mask.map_or(0xffff, |text| {
                let hex = text.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex, 16).ok());
                hex.or_else(|| text.parse().ok()).unwrap_or(0xffff)
            });
            for (solid, own) in shapes(reading, geometry)? {
                link.geoms.push(Geom {
                    name: collision.get("name").map(|own| format!("{name} {own}")),
                    place: collision.place.clone(),
                    pose: compose(&pose, &own),
                    solid,
                    surface,
                    masks: [mask, mask],
                });
            }
        }
        if let Some(visual) = element.child("visual") {
            reading.notes.add(&visual.place, "the look of a link", "what is seen is what collides");
        }
        Ok(link)
    }

    /// An axis of a joint in the world.
    fn axis(&self, joint: &JointOf, axis: Option<&Element>, at: &Pose) -> Result<DVec3, ImportError> {
        let Some(axis) = axis else { return Ok(at.direction(DVec3::Z)) };
        let Some(xyz) = axis.child("xyz") else { return Ok(at.direction(DVec3::Z)) };
        let direction = DVec3::from_array(xyz.fixed_of("xyz", &xyz.text)?);
        let direction = unit(direction).ok_or_else(|| xyz.error("the axis has no direction"))?;
        let old = matches!(axis.child_text("use_parent_model_frame"), Some("true" | "1"));
        let frame = match xyz.get("expressed_in").filter(|name| !name.is_empty()) {
            Some("world") => Pose::IDENTITY,
            Some(name) => self.world(Some(&scoped(&joint.scope, name)), xyz)?,
            None if old => self.world(Some(&scoped(&joint.scope, "__model__")), xyz)?,
            None => *at,
        };
        Ok(frame.direction(direction))
    }

    fn dofs(&self, reading: &mut Reading<'_>, joint: &JointOf, link: &Pose) -> Result<Vec<Dof>, ImportError> {
        let element = &joint.element;
        let at = self.world(Some(&joint.name), element)?;
        let back = inverse(link);
        let one = |name: String, kind: DofKind, axis: Option<&Element>| -> Result<Dof, ImportError> {
            let world = self.axis(joint, axis, &at)?;
            let mut dof =
                Dof::new(&name, &element.place, kind, back.direction(world), back.point(at.position));
            let Some(axis) = axis else { return Ok(dof) };
            let number = |inside: &str, key: &str| -> Result<Option<f64>, ImportError> {
                let found = axis
                    .child(inside)
                    .map(|inner| inner.child("lower").is_some() || inner.child(key).is_some());
                if found != Some(true) {
                    return Ok(None);
                }
                let text = axis.child(inside).and_then(|inner| inner.child(key));
                let value = text.map(|text| text.numbers_of(key, &text.text)).transpose()?;
                Ok(value.and_then(|numbers| numbers.first().copied()))
            };
            let bound = |value: Option<f64>, none: f64| value.filter(|v| v.abs() < UNLIMITED).unwrap_or(none);
            let limits = [
                bound(number("limit", "lower")?, f64::NEG_INFINITY),
                bound(number("limit", "upper")?, f64::INFINITY),
            ];
            if limits.iter().any(|limit| limit.is_finite()) && element.get("type") != Some("continuous") {
                dof.limits = Some(limits);
            }
            dof.damping = number("dynamics", "damping")?.unwrap_or(0.0).max(0.0);
            dof.friction = number("dynamics", "friction")?.unwrap_or(0.0).max(0.0);
            dof.stiffness = number("dynamics", "spring_stiffness")?.unwrap_or(0.0).max(0.0);
            dof.rest = number("dynamics", "spring_reference")?.unwrap_or(0.0);
            Ok(dof)
        };
        let name = joint.name.clone();
        let axis = element.child("axis");
        Ok(match element.get("type").unwrap_or_default() {
            "fixed" => Vec::new(),
            "revolute" | "continuous" => vec![one(name, DofKind::Turn, axis)?],
            "prismatic" => vec![one(name, DofKind::Slide, axis)?],
            "ball" => vec![one(name, DofKind::Ball, None)?],
            "universal" | "revolute2" => vec![
                one(format!("{name} 1"), DofKind::Turn, axis)?,
                one(format!("{name} 2"), DofKind::Turn, element.child("axis2"))?,
            ],
            "screw" => {
                let pitch =
                    element.child_fixed::<1>("screw_thread_pitch")?.or(element.child_fixed("thread_pitch")?);
                let pitch = pitch.map_or(1.0, |[pitch]| pitch);
                if pitch == 0.0 {
                    vec![one(name, DofKind::Turn, axis)?]
                } else {
                    vec![one(name, DofKind::Screw(pitch), axis)?]
                }
            }
            other => {
                let what = format!("a joint of type {other:?}");
                reading.notes.add(&element.place, what, "the link is fixed to its parent");
                Vec::new()
            }
        })
    }

    /// A joint that closes a loop.
    fn close(
        &self,
        reading: &mut Reading<'_>,
        model: &mut Model,
        (index, child, parent): (usize, usize, Option<usize>),
        (poses, place): (&[Pose], &[Option<usize>]),
    ) -> Result<(), ImportError> {
        let joint = &self.joints[index];
        let kind = match joint.element.get("type").unwrap_or_default() {
            "fixed" => "weld",
            "revolute" | "continuous" => "hinge",
            "prismatic" => "slider",
            "ball" => "ball",
            other => {
                let what = format!("a joint of type {other:?} that closes a loop");
                reading.notes.add(&joint.element.place, what, "it is left out");
                return Ok(());
            }
        };
        let at = self.world(Some(&joint.name), &joint.element)?;
        let axis = self.axis(joint, joint.element.child("axis"), &at)?;
        let at = Pose { position: at.position, orientation: from_z(axis) };
        let on = |link: Option<usize>| link.map_or(at, |link| compose(&inverse(&poses[link]), &at));
        model.loops.push(Loop {
            name: joint.name.clone(),
            links: [place[child], parent.and_then(|parent| place[parent])],
            poses: [on(Some(child)), on(parent)],
            kind,
            locked: None,
        });
        Ok(())
    }
}

/// Whether a link hangs on another one already.
fn reaches(above: &[Option<(usize, Option<usize>)>], from: Option<usize>, to: usize) -> bool {
    let mut at = from;
    for _ in 0..=above.len() {
        match at {
            Some(link) if link == to => return true,
            Some(link) => at = above[link].and_then(|(_, parent)| parent),
            None => return false,
        }
    }
    true
}

fn surface(collision: &Element) -> Result<Surface, ImportError> {
    let Some(element) = collision.child("surface") else { return Ok(Surface::default()) };
    let friction = element.child("friction").and_then(|friction| friction.child("ode"));
    let friction = friction.map(|ode| ode.child_fixed::<1>("mu")).transpose()?.flatten();
    let bounce = element.child("bounce");
    let restitution = bounce.map(|b| b.child_fixed::<1>("restitution_coefficient")).transpose()?.flatten();
    Ok(Surface {
        friction: friction.map(|[mu]| mu.max(0.0)),
        restitution: restitution.map_or(0.0, |[e]| e.clamp(0.0, 1.0)),
        ..Surface::default()
    })
}

fn shapes(reading: &mut Reading<'_>, geometry: &Element) -> Result<Vec<(Solid, Pose)>, ImportError> {
    let Some(shape) = geometry.children.first() else { return Ok(Vec::new()) };
    let length = |key: &str| -> Result<f64, ImportError> {
        let value = shape.child_fixed::<1>(key)?.map_or(0.0, |[value]| value);
        if value > 0.0 {
            Ok(value)
        } else {
            Err(shape.error(format!("`{key}` of <{}> has to be more than 0", shape.name)))
        }
    };
    let lengths = |key: &str| -> Result<DVec3, ImportError> {
        let value = shape.child_fixed::<3>(key)?.map_or(DVec3::ZERO, DVec3::from_array);
        if value.min_element() > 0.0 {
            Ok(value)
        } else {
            Err(shape.error(format!("`{key}` of <{}> has to be more than 0", shape.name)))
        }
    };
    let solid = match shape.name.as_str() {
        "box" => Solid::Box { size: lengths("size")? },
        "sphere" => Solid::Sphere { radius: length("radius")? },
        "cylinder" => Solid::Cylinder { radius: length("radius")?, length: length("length")? },
        "capsule" => Solid::Capsule { radius: length("radius")?, length: length("length")? },
        "ellipsoid" => Solid::Ellipsoid { size: lengths("radii")? * 2.0 },
        "cone" => {
            // About its middle; ours stands on its base.
            let height = length("length")?;
            let pose = Pose { position: DVec3::new(0.0, 0.0, -0.5 * height), orientation: DQuat::IDENTITY };
            return Ok(vec![(Solid::Cone { radius: length("radius")?, height }, pose)]);
        }
        "plane" => {
            let normal = shape.child_fixed::<3>("normal")?.map_or(DVec3::Z, DVec3::from_array);
            let normal = unit(normal).ok_or_else(|| shape.error("the normal has no direction"))?;
            let pose = Pose { position: DVec3::ZERO, orientation: from_z(normal) };
            return Ok(vec![(Solid::Plane, pose)]);
        }
        "mesh" => {
            let uri = shape.child_text("uri").unwrap_or_default().to_owned();
            let scale = shape.child_fixed::<3>("scale")?.map_or(DVec3::ONE, DVec3::from_array);
            return Ok(reading.mesh(shape, &uri, scale, Meshes::Hull));
        }
        "empty" => return Ok(Vec::new()),
        other => {
            reading.notes.add(&shape.place, format!("a shape <{other}>"), "it is left out");
            return Ok(Vec::new());
        }
    };
    Ok(vec![(solid, Pose::IDENTITY)])
}
