//! Key frames: where a run starts.

use dolmen::math::{DQuat, DVec3, Pose};

use super::Mjcf;
use crate::frame::{compose, inverse, unit};
use crate::model::DofKind;
use crate::note::ImportError;
use crate::xml::Element;

impl Mjcf<'_, '_> {
    /// Puts the model where a key frame says, if one is asked for; the controls of it.
    pub(super) fn keyframes(&mut self, root: &Element) -> Result<Vec<f64>, ImportError> {
        let keys: Vec<&Element> = root.all("keyframe").flat_map(|section| section.all("key")).collect();
        let Some(wanted) = self.reading.options.keyframe.clone() else {
            if let Some(key) = keys.first() {
                let what = format!("{} key frames", keys.len());
                self.reading.notes.add(&key.place, what, "the start is at zero; ask for one by --keyframe");
            }
            return Ok(Vec::new());
        };
        let by_name = keys.iter().find(|key| key.get("name") == Some(wanted.as_str()));
        let by_number = || wanted.parse::<usize>().ok().and_then(|number| keys.get(number));
        let Some(key) = by_name.or_else(by_number) else {
            let names: Vec<&str> = keys.iter().filter_map(|key| key.get("name")).collect();
            return Err(root.error(format!("there is no key frame {wanted:?}")).help(format!(
                "there are {}: {}",
                keys.len(),
                names.join(", ")
            )));
        };
        self.positions(key)?;
        self.velocities(key)?;
        Ok(key.numbers("ctrl")?.unwrap_or_default())
    }

    /// How many numbers a coordinate takes in qpos, and in qvel.
    fn widths(&self, (link, place): (usize, Option<usize>)) -> (usize, usize) {
        match place.map(|place| self.model.links[link].dofs[place].kind) {
            None => (7, 6),
            Some(DofKind::Ball) => (4, 3),
            Some(_) => (1, 1),
        }
    }

    fn positions(&mut self, key: &Element) -> Result<(), ImportError> {
        let Some(numbers) = key.numbers("qpos")? else { return Ok(()) };
        let coordinates = self.coordinates.clone();
        let total: usize = coordinates.iter().map(|coordinate| self.widths(*coordinate).0).sum();
        if numbers.len() != total || numbers.iter().any(|n| !n.is_finite()) {
            return Err(key.error(format!("`qpos` has {} numbers; the model has {total}", numbers.len())));
        }
        let quaternion = |q: &[f64]| {
            let q = DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
            if q.length() > 0.0 { Ok(q.normalize()) } else { Err(key.error("a quaternion of length 0")) }
        };
        let mut at = 0;
        for (link, place) in coordinates {
            let width = self.widths((link, place)).0;
            let values = &numbers[at..at + width];
            at += width;
            match place {
                None => {
                    let position = DVec3::new(values[0], values[1], values[2]);
                    let world = Pose { position, orientation: quaternion(&values[3..])? };
                    let parent = self.model.links[link].parent;
                    let outer = parent.map_or(Pose::IDENTITY, |parent| self.model.zero_poses()[parent]);
                    self.model.links[link].pose = compose(&inverse(&outer), &world);
                }
                Some(place) => {
                    let dof = &mut self.model.links[link].dofs[place];
                    if dof.kind == DofKind::Ball {
                        dof.turned = quaternion(values)?;
                    } else {
                        dof.value = values[0] - dof.offset;
                    }
                }
            }
        }
        Ok(())
    }

    fn velocities(&mut self, key: &Element) -> Result<(), ImportError> {
        let Some(numbers) = key.numbers("qvel")? else { return Ok(()) };
        let coordinates = self.coordinates.clone();
        let total: usize = coordinates.iter().map(|coordinate| self.widths(*coordinate).1).sum();
        if numbers.len() != total || numbers.iter().any(|n| !n.is_finite()) {
            return Err(key.error(format!("`qvel` has {} numbers; the model has {total}", numbers.len())));
        }
        let mut at = 0;
        for (link, place) in coordinates {
            let width = self.widths((link, place)).1;
            let values = &numbers[at..at + width];
            at += width;
            let vector = |k: usize| DVec3::new(values[k], values[k + 1], values[k + 2]);
            match place {
                // Velocity in the world, spin in the body's frame.
                None => {
                    let parent = self.model.links[link].parent;
                    let outer = parent.map_or(Pose::IDENTITY, |parent| self.model.zero_poses()[parent]);
                    let pose = compose(&outer, &self.model.links[link].pose);
                    self.model.links[link].twist = [vector(0), pose.direction(vector(3))];
                }
                Some(place) => {
                    let dof = &mut self.model.links[link].dofs[place];
                    if dof.kind == DofKind::Ball {
                        // In the frame of the child, which the turn has moved.
                        let spin = dof.turned * vector(0);
                        dof.rate = spin.length();
                        dof.axis = unit(spin).unwrap_or(DVec3::Z);
                    } else {
                        dof.rate = values[0];
                    }
                }
            }
        }
        Ok(())
    }
}
