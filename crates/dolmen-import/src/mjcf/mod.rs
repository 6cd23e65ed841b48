//! MJCF, the format of MuJoCo: <https://mujoco.readthedocs.io/en/stable/XMLreference.html>.
//!
//! Includes are put in their places, then compiler options, defaults and assets are read, then the tree of bodies, then what
//! refers to it: contacts, equalities, actuators, key frames.

mod actuator;
mod asset;
mod body;
mod compiler;
mod constraint;
mod defaults;
mod include;
mod keyframe;

use std::collections::BTreeMap;

use dolmen::math::{DVec3, Pose};

use crate::Reading;
use crate::model::{Model, Surface};
use crate::note::ImportError;
use crate::xml::Element;

use asset::Assets;
use compiler::Compiler;
use defaults::Defaults;

/// Friction where nothing is said: sliding 1, and no other with three dimensions of contact.
const FRICTION: f64 = 1.0;

/// The most bodies of a model.
const MAX_BODIES: usize = crate::MAX_LINKS;

/// The names of a model and what it is read into.
pub(super) struct Mjcf<'r, 'o> {
    reading: &'r mut Reading<'o>,
    compiler: Compiler,
    defaults: Defaults,
    assets: Assets,
    model: Model,
    /// Body → link. The world is not in it.
    bodies: BTreeMap<String, usize>,
    /// Joint → link and place in it.
    joints: BTreeMap<String, (usize, usize)>,
    /// Geom → link; none is the world.
    geoms: BTreeMap<String, usize>,
    /// Site → link (none is the world) and pose.
    sites: BTreeMap<String, (Option<usize>, Pose)>,
    /// In the order of qpos: link, and place of the coordinate or none for a free joint.
    coordinates: Vec<(usize, Option<usize>)>,
}

/// Reads a model.
pub(super) fn read(reading: &mut Reading<'_>, root: Element) -> Result<Model, ImportError> {
    let root = include::resolve(root, reading)?;
    let title = root.get("model").unwrap_or(&reading.name).to_owned();
    let source =
        format!("Imported from MJCF: {}", reading.path.file_name().unwrap_or_default().to_string_lossy());
    let compiler = Compiler::read(&root, &mut reading.notes)?;
    let defaults = Defaults::read(&root)?;
    let assets = Assets::read(&root, &compiler, &defaults, reading)?;
    let mut model = Model::new(&title, source);
    model.first_links_meet_world = true;
    model.combine_friction = "maximum";
    model.surface = Surface { friction: Some(FRICTION), ..Surface::default() };
    let mut mjcf = Mjcf {
        reading,
        compiler,
        defaults,
        assets,
        model,
        bodies: BTreeMap::new(),
        joints: BTreeMap::new(),
        geoms: BTreeMap::new(),
        sites: BTreeMap::new(),
        coordinates: Vec::new(),
    };
    mjcf.options(&root)?;
    for world in root.all("worldbody") {
        mjcf.world(world)?;
    }
    mjcf.total_mass();
    mjcf.contacts(&root)?;
    mjcf.equalities(&root)?;
    let controls = mjcf.keyframes(&root)?;
    mjcf.actuators(&root, &controls)?;
    mjcf.left_out(&root);
    Ok(mjcf.model)
}

impl Mjcf<'_, '_> {
    fn options(&mut self, root: &Element) -> Result<(), ImportError> {
        for option in root.all("option") {
            if let Some(gravity) = option.vector("gravity")? {
                self.model.gravity = gravity;
            }
            for key in ["wind", "density", "viscosity", "magnetic"] {
                let said = option.numbers(key)?.is_some_and(|numbers| numbers.iter().any(|n| *n != 0.0));
                if said && key != "magnetic" {
                    let what = format!("the medium: option {key}");
                    self.reading.notes.add(&option.place, what, "nothing resists motion through it");
                }
            }
            for flag in option.all("flag") {
                match (flag.get("gravity"), flag.get("contact")) {
                    (Some("disable"), _) => self.model.gravity = DVec3::ZERO,
                    (_, Some("disable")) => self.model.contacts = false,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Scales all masses and inertias to a total.
    fn total_mass(&mut self) {
        let Some(wanted) = self.compiler.total_mass else { return };
        let total: f64 =
            self.model.links.iter().filter_map(|link| link.matter).map(|matter| matter.mass).sum();
        if total <= 0.0 {
            return;
        }
        for matter in self.model.links.iter_mut().filter_map(|link| link.matter.as_mut()) {
            matter.mass *= wanted / total;
            matter.inertia *= wanted / total;
        }
    }

    /// Sections that have no place in a scene.
    fn left_out(&mut self, root: &Element) {
        for child in &root.children {
            let (what, consequence) = match child.name.as_str() {
                "tendon" if !child.children.is_empty() => {
                    ("tendons", "their lengths, springs and limits do not act")
                }
                "deformable" if !child.children.is_empty() => {
                    ("flexible bodies and skins", "they are left out")
                }
                "sensor" if !child.children.is_empty() => ("sensors", "nothing is measured"),
                "extension" => ("plugins", "they do not act"),
                "custom" | "size" | "visual" | "statistic" | "compiler" | "option" | "default" | "asset"
                | "worldbody" | "contact" | "equality" | "actuator" | "keyframe" | "sensor" | "tendon"
                | "deformable" => continue,
                _ => ("an unknown section", "it is not read"),
            };
            self.reading.notes.add(&child.place, format!("<{}>: {what}", child.name), consequence);
        }
    }
}
