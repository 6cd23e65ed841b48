//! Names, poses and files inside copies, as they are seen from the top of the scene.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Placement;
use crate::math::{DMat3, DQuat, DVec3};
use crate::scene::error::Problem;
use crate::scene::layout::Layout;
use crate::scene::typed::{
    Anchor, Body, Force, Frame, Joint, JointFrame, Motion, Orientation, Particles, Scene, Sensor, Shape,
    Target,
};

/// Where a copy is: what stands before its names, how it is moved, which folder its files are in.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    pub(super) prefix: String,
    /// None is not at all: then no number changes, not in its last bit.
    pose: Option<Pose>,
    folder: PathBuf,
}

#[derive(Debug, Clone, Copy)]
struct Pose {
    translation: DVec3,
    rotation: DQuat,
}

impl Context {
    /// The context of a copy placed in this one.
    pub(super) fn inner(&self, placement: &Placement, folder: Option<&Path>) -> Self {
        let own = Pose {
            translation: placement.position.map_or(DVec3::ZERO, DVec3::from_array),
            rotation: placement
                .orientation
                .as_ref()
                .and_then(Orientation::rotation)
                .unwrap_or(DQuat::IDENTITY),
        };
        let is_moved = placement.position.is_some() || placement.orientation.is_some();
        let pose = match (self.pose, is_moved) {
            (pose, false) => pose,
            (None, true) => Some(own),
            (Some(outer), true) => Some(Pose {
                translation: outer.point(own.translation),
                rotation: (outer.rotation * own.rotation).normalize(),
            }),
        };
        let prefix = match &placement.name {
            Some(name) => format!("{}{name}:", self.prefix),
            None => self.prefix.clone(),
        };
        let folder = folder.map_or_else(|| self.folder.clone(), Path::to_owned);
        Self { prefix, pose, folder }
    }

    fn is_top(&self) -> bool {
        self.prefix.is_empty() && self.pose.is_none() && self.folder.as_os_str().is_empty()
    }
}

impl Pose {
    fn point(&self, point: DVec3) -> DVec3 {
        self.translation + self.rotation * point
    }

    fn move_point(&self, point: &mut [f64; 3]) {
        *point = self.point(DVec3::from_array(*point)).to_array();
    }

    fn turn(&self, direction: &mut [f64; 3]) {
        *direction = (self.rotation * DVec3::from_array(*direction)).to_array();
    }

    fn turn_given(&self, direction: &mut Option<[f64; 3]>) {
        if let Some(direction) = direction {
            self.turn(direction);
        }
    }

    /// An orientation that was none, or one of the forms of the file, turned.
    fn turned(&self, orientation: Option<&Orientation>) -> Orientation {
        let old = orientation.and_then(Orientation::rotation).unwrap_or(DQuat::IDENTITY);
        let DQuat { x, y, z, w } = (self.rotation * old).normalize();
        Orientation { quaternion: Some([w, x, y, z]), ..Orientation::default() }
    }
}

/// Applies the contexts of all elements.
pub(super) fn carry(scene: &mut Scene, layout: &Layout, contexts: &[Context], problems: &mut Vec<Problem>) {
    if contexts.iter().all(Context::is_top) {
        return;
    }
    // The lists and the layout are in the same order.
    let of = |list: &str, index: usize| {
        layout.elements(list).get(index).and_then(|placed| contexts.get(placed.context as usize))
    };
    macro_rules! each {
        ($list:ident, |$element:ident, $context:ident, $index:ident| $work:expr) => {
            for ($index, $element) in scene.$list.iter_mut().enumerate() {
                if let Some($context) = of(stringify!($list), $index).filter(|context| !context.is_top()) {
                    $work
                }
            }
        };
    }
    each!(material, |element, context, _i| prefix(&mut element.name, context));
    each!(particles, |element, context, _i| prefix(&mut element.name, context));
    each!(joint, |element, context, _i| prefix(&mut element.name, context));
    each!(body, |element, context, _i| if let Some(name) = &mut element.name {
        prefix(name, context);
    });
    each!(force, |element, context, _i| if let Some(name) = name_of(element) {
        prefix(name, context);
    });
    each!(sensor, |element, context, _i| prefix(element.name_mut(), context));

    let names = Names {
        members: scene
            .body
            .iter()
            .filter_map(|b| b.name.clone())
            .chain(scene.particles.iter().map(|p| p.name.clone()))
            .collect(),
        joints: scene.joint.iter().map(|joint| joint.name.clone()).collect(),
        materials: scene.material.iter().map(|material| material.name.clone()).collect(),
    };
    each!(material_pair, |element, context, _i| for material in &mut element.materials {
        resolve(material, context, &names.materials);
    });
    each!(body, |element, context, _i| body(element, context, &names));
    each!(joint, |element, context, _i| joint(element, context, &names));
    each!(force, |element, context, _i| force(element, context, &names));
    each!(sensor, |element, context, _i| sensor(element, context, &names));
    each!(particles, |element, context, i| if !particles(element, context, &names) {
        let path = vec!["particles".into(), i.into(), "path".into()];
        let help = Some("write their positions into the scene, or place them without a pose".to_owned());
        problems.push(Problem::new(path, "particles from a file cannot be placed elsewhere", help));
    });
}

struct Names {
    members: BTreeSet<String>,
    joints: BTreeSet<String>,
    materials: BTreeSet<String>,
}

fn prefix(name: &mut String, context: &Context) {
    name.insert_str(0, &context.prefix);
}

/// A reference: to a name of the same copy, else to one of a copy around it, else to one at the top.
fn resolve(reference: &mut String, context: &Context, names: &BTreeSet<String>) {
    let mut scope = context.prefix.as_str();
    loop {
        let full = format!("{scope}{reference}");
        if names.contains(&full) {
            *reference = full;
            return;
        }
        let Some(shorter) = scope.strip_suffix(':') else { return };
        scope = shorter.rfind(':').map_or("", |at| &shorter[..=at]);
    }
}

/// As [`resolve`], of a name or of the beginning of names and `*`.
fn resolve_pattern(reference: &mut String, context: &Context, names: &BTreeSet<String>) {
    let Some(start) = reference.strip_suffix('*') else { return resolve(reference, context, names) };
    let mut scope = context.prefix.as_str();
    loop {
        let full = format!("{scope}{start}");
        if names.range(full.clone()..).next().is_some_and(|name| name.starts_with(&full)) {
            *reference = format!("{full}*");
            return;
        }
        let Some(shorter) = scope.strip_suffix(':') else { return };
        scope = shorter.rfind(':').map_or("", |at| &shorter[..=at]);
    }
}

fn resolve_all(references: &mut Option<Vec<String>>, context: &Context, names: &BTreeSet<String>) {
    for reference in references.iter_mut().flatten() {
        resolve(reference, context, names);
    }
}

fn body(body: &mut Body, context: &Context, names: &Names) {
    if let Some(material) = &mut body.material {
        resolve(material, context, &names.materials);
    }
    if let Some(shape) = &mut body.shape {
        shape_files(shape, &context.folder);
    }
    let Some(pose) = &context.pose else { return };
    match (&mut body.centre, &mut body.position) {
        (Some(centre), _) => pose.move_point(centre),
        (None, position) => pose.move_point(position.get_or_insert([0.0; 3])),
    }
    body.orientation = Some(Box::new(pose.turned(body.orientation.as_deref())));
    pose.turn_given(&mut body.velocity);
    pose.turn_given(&mut body.spin);
    match body.motion.as_deref_mut() {
        Some(Motion::Uniform(uniform)) => {
            pose.turn_given(&mut uniform.velocity);
            pose.turn_given(&mut uniform.spin);
        }
        Some(Motion::Oscillate(oscillate)) => {
            pose.turn_given(&mut oscillate.amplitude);
            pose.turn_given(&mut oscillate.axis);
        }
        Some(Motion::Path(path)) => {
            path.positions.iter_mut().flatten().for_each(|position| pose.move_point(position));
            for orientation in path.orientations.iter_mut().flatten() {
                *orientation = pose.turned(Some(orientation));
            }
        }
        None => {}
    }
}

fn shape_files(shape: &mut Shape, folder: &Path) {
    match shape {
        Shape::Mesh(mesh) => in_folder(&mut mesh.path, folder),
        Shape::HeightField(field) => in_folder(&mut field.path, folder),
        Shape::Compound(compound) => {
            compound.parts.iter_mut().for_each(|part| shape_files(&mut part.shape, folder));
        }
        _ => {}
    }
}

fn in_folder(path: &mut Option<String>, folder: &Path) {
    if let Some(path) = path.as_mut().filter(|path| !path.is_empty())
        && !folder.as_os_str().is_empty()
    {
        *path = folder.join(&*path).to_string_lossy().into_owned();
    }
}

fn joint(joint: &mut Joint, context: &Context, names: &Names) {
    for reference in [&mut joint.a, &mut joint.b].into_iter().flatten() {
        resolve(reference, context, &names.members);
    }
    for reference in joint.joints.iter_mut().flatten() {
        resolve(reference, context, &names.joints);
    }
    let Some(pose) = &context.pose else { return };
    let in_world = matches!(joint.frame, None | Some(JointFrame::World));
    if in_world && joint.frame_a.is_none() && joint.joints.is_none() {
        pose.move_point(joint.at.get_or_insert([0.0; 3]));
        pose.turn(joint.axis.get_or_insert([0.0, 0.0, 1.0]));
        pose.turn_given(&mut joint.across);
    }
    // The frame on b is one of the world if there is no b.
    if joint.b.is_none()
        && let Some(place) = &mut joint.frame_b
    {
        pose.move_point(place.at.get_or_insert([0.0; 3]));
        pose.turn(place.axis.get_or_insert([0.0, 0.0, 1.0]));
        pose.turn_given(&mut place.across);
    }
}

fn force(force: &mut Force, context: &Context, names: &Names) {
    let members = &names.members;
    match force {
        Force::Push(push) => resolve(&mut push.body, context, members),
        Force::Torque(torque) => resolve(&mut torque.body, context, members),
        Force::Spring(spring) => {
            for anchor in [&mut spring.a, &mut spring.b] {
                for reference in [&mut anchor.body, &mut anchor.particles].into_iter().flatten() {
                    resolve(reference, context, members);
                }
            }
        }
        Force::Drag(drag) => resolve_all(&mut drag.bodies, context, members),
        Force::Attract(attract) => {
            resolve_all(&mut attract.bodies, context, members);
            if let Target::Body(body) = &mut attract.to {
                resolve(body, context, members);
            }
        }
        Force::Field(field) => resolve_all(&mut field.bodies, context, members),
        Force::Nbody(nbody) => resolve_all(&mut nbody.members, context, members),
        Force::ShortRange(short_range) => resolve_all(&mut short_range.sets, context, members),
        Force::Penalty(penalty) => {
            resolve(&mut penalty.a, context, members);
            resolve(&mut penalty.b, context, members);
        }
    }
    if let Some(pose) = &context.pose {
        move_force(force, pose);
    }
}

fn sensor(sensor: &mut Sensor, context: &Context, names: &Names) {
    match sensor {
        Sensor::Joint(sensor) => resolve(&mut sensor.joint, context, &names.joints),
        Sensor::Load(sensor) => resolve(&mut sensor.joint, context, &names.joints),
        Sensor::Point(sensor) => resolve(&mut sensor.body, context, &names.members),
        Sensor::Imu(sensor) => resolve(&mut sensor.body, context, &names.members),
        Sensor::Contact(sensor) => {
            let lists = [Some(&mut sensor.bodies), sensor.from.as_mut()];
            lists
                .into_iter()
                .flatten()
                .flatten()
                .for_each(|name| resolve_pattern(name, context, &names.members));
        }
        Sensor::Ray(sensor) => {
            if let Some(body) = &mut sensor.body {
                resolve(body, context, &names.members);
            } else if let Some(pose) = &context.pose {
                pose.move_point(sensor.at.get_or_insert([0.0; 3]));
                pose.turn(&mut sensor.direction);
            }
        }
    }
}

fn move_force(force: &mut Force, pose: &Pose) {
    let in_world = |frame: Option<Frame>| frame != Some(Frame::Body);
    match force {
        Force::Push(push) if in_world(push.frame) => pose.turn(&mut push.force),
        Force::Torque(torque) if in_world(torque.frame) => pose.turn(&mut torque.torque),
        Force::Spring(spring) => {
            for Anchor { point, .. } in [&mut spring.a, &mut spring.b] {
                if let Some(point) = point {
                    pose.move_point(point);
                }
            }
        }
        Force::Drag(drag) => pose.turn_given(&mut drag.wind),
        Force::Attract(attract) => {
            if let Target::Point(point) = &mut attract.to {
                pose.move_point(point);
            }
        }
        // u + M x of the copy is R u − R M Rᵀ t + (R M Rᵀ) x of the world.
        Force::Field(field) => {
            let rotation = DMat3::from_quat(pose.rotation);
            let mut uniform = rotation * field.uniform.map_or(DVec3::ZERO, DVec3::from_array);
            if let Some(rows) = &mut field.matrix {
                let [x, y, z] = rows.map(DVec3::from_array);
                let turned = rotation * DMat3::from_cols(x, y, z).transpose() * rotation.transpose();
                uniform -= turned * pose.translation;
                *rows = turned.transpose().to_cols_array_2d();
            }
            field.uniform = Some(uniform.to_array());
        }
        Force::Push(_) | Force::Torque(_) | Force::Nbody(_) | Force::ShortRange(_) | Force::Penalty(_) => {}
    }
}

/// Whether the set could be placed.
fn particles(set: &mut Particles, context: &Context, names: &Names) -> bool {
    if let Some(material) = &mut set.material {
        resolve(material, context, &names.materials);
    }
    in_folder(&mut set.path, &context.folder);
    let Some(pose) = &context.pose else { return true };
    set.positions.iter_mut().flatten().for_each(|position| pose.move_point(position));
    set.velocities.iter_mut().flatten().for_each(|velocity| pose.turn(velocity));
    set.path.is_none()
}

fn name_of(force: &mut Force) -> Option<&mut String> {
    match force {
        Force::Push(force) => force.name.as_mut(),
        Force::Torque(force) => force.name.as_mut(),
        Force::Spring(force) => force.name.as_mut(),
        Force::Drag(force) => force.name.as_mut(),
        Force::Attract(force) => force.name.as_mut(),
        Force::Field(force) => force.name.as_mut(),
        Force::Nbody(force) => force.name.as_mut(),
        Force::ShortRange(force) => force.name.as_mut(),
        Force::Penalty(force) => force.name.as_mut(),
    }
}
