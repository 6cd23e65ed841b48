//! Contact pairs and exclusions, equalities.

use dolmen::math::{DQuat, DVec3, Pose};

use super::Mjcf;
use crate::frame::{compose, inverse};
use crate::model::{Coupled, Loop};
use crate::note::ImportError;
use crate::xml::Element;

impl Mjcf<'_, '_> {
    pub(super) fn contacts(&mut self, root: &Element) -> Result<(), ImportError> {
        for element in root.all("contact").flat_map(|contact| &contact.children) {
            let element = &self.defaults.applied(element, None)?;
            let mut ends = [0; 2];
            let (keys, known) = match element.name.as_str() {
                "exclude" => (["body1", "body2"], &self.bodies),
                "pair" => (["geom1", "geom2"], &self.geoms),
                _ => continue,
            };
            for (end, key) in ends.iter_mut().zip(keys) {
                let name = element.get(key).unwrap_or_default();
                let found = known.get(name);
                *end =
                    *found.ok_or_else(|| element.error(format!("{key} is {name:?}, which is not there")))?;
            }
            if element.name == "exclude" {
                self.model.excluded.push(ends);
            } else {
                self.model.included.push(ends);
                let consequence = "the two bodies collide, with what their surfaces say";
                self.reading.notes.add(
                    &element.place,
                    "friction and softness of a pair of geoms",
                    consequence,
                );
            }
        }
        Ok(())
    }

    pub(super) fn equalities(&mut self, root: &Element) -> Result<(), ImportError> {
        let zero = self.model.zero_poses();
        for element in root.all("equality").flat_map(|equality| &equality.children) {
            let element = &self.defaults.applied(element, None)?;
            if element.get("active") == Some("false") {
                self.reading.notes.add(&element.place, "an equality that is not active", "it is left out");
                continue;
            }
            let number = self.model.loops.len() + self.model.couplings.len() + 1;
            let name =
                element.get("name").map_or_else(|| format!("{} {number}", element.name), str::to_owned);
            match element.name.as_str() {
                "connect" | "weld" => self.closure(element, name, &zero)?,
                "joint" => self.coupled(element, name)?,
                other => {
                    self.reading.notes.add(
                        &element.place,
                        format!("an equality of kind {other}"),
                        "it does not act",
                    );
                    continue;
                }
            }
            let consequence = "joints are rigid";
            if element.get("solref").is_some() || element.get("solimp").is_some() {
                self.reading.notes.add(&element.place, "softness of an equality", consequence);
            }
        }
        Ok(())
    }

    fn closure(&mut self, element: &Element, name: String, zero: &[Pose]) -> Result<(), ImportError> {
        let kind = if element.name == "weld" { "weld" } else { "ball" };
        if let (Some(a), Some(b)) = (element.get("site1"), element.get("site2")) {
            let site = |name: &str| {
                let found = self.sites.get(name);
                found.copied().ok_or_else(|| element.error(format!("there is no site {name:?}")))
            };
            let ((link_a, pose_a), (link_b, pose_b)) = (site(a)?, site(b)?);
            self.model.loops.push(Loop {
                name,
                links: [link_a, link_b],
                poses: [pose_a, pose_b],
                kind,
                locked: None,
            });
            return Ok(());
        }
        let body = |key: &str| -> Result<usize, ImportError> {
            let name = element.get(key).unwrap_or("world");
            let found = self.bodies.get(name);
            found.copied().ok_or_else(|| element.error(format!("{key} is {name:?}, which is not there")))
        };
        let (a, b) = (body("body1")?, body("body2")?);
        // Where b is seen from a when nothing has moved.
        let between = compose(&inverse(&zero[a]), &zero[b]);
        let poses = if kind == "ball" {
            let anchor =
                element.vector("anchor")?.ok_or_else(|| element.error("<connect> without an `anchor`"))?;
            let on_a = Pose { position: anchor, orientation: DQuat::IDENTITY };
            [on_a, compose(&inverse(&between), &on_a)]
        } else {
            let relative = element.fixed::<7>("relpose")?.filter(|numbers| numbers[3..] != [0.0; 4]);
            let relative = match relative {
                Some([x, y, z, w, i, j, k]) => Pose {
                    position: DVec3::new(x, y, z),
                    orientation: DQuat::from_xyzw(i, j, k, w).normalize(),
                },
                None => between,
            };
            [relative, Pose::IDENTITY]
        };
        self.model.loops.push(Loop { name, links: [Some(a), Some(b)], poses, kind, locked: None });
        Ok(())
    }

    fn coupled(&mut self, element: &Element, name: String) -> Result<(), ImportError> {
        let find = |key: &str| -> Result<Option<(usize, usize)>, ImportError> {
            let Some(name) = element.get(key) else { return Ok(None) };
            let found = self.joints.get(name).copied();
            found.map(Some).ok_or_else(|| element.error(format!("there is no joint {name:?}")))
        };
        let first = find("joint1")?.ok_or_else(|| element.error("<joint> without a `joint1`"))?;
        let second = find("joint2")?;
        let terms = element.numbers("polycoef")?.unwrap_or_else(|| vec![0.0, 1.0]);
        let term = |k: usize| terms.get(k).copied().unwrap_or(0.0);
        if (2..5).any(|k| term(k) != 0.0) {
            let what = "an equality of joints that is no straight line";
            self.reading.notes.add(&element.place, what, "the constant and the slope at zero hold");
        }
        self.model.couplings.push(Coupled {
            name,
            place: element.place.clone(),
            first,
            second,
            factor: if second.is_some() { term(1) } else { 0.0 },
            constant: term(0),
        });
        Ok(())
    }
}
