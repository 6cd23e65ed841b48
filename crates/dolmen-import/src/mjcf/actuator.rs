//! Actuators on joints: F = gear (gain·u + b₀ + b₁ gear·q + b₂ gear·q̇) of a control u.

use super::Mjcf;
use crate::model::{DofKind, Motor};
use crate::note::ImportError;
use crate::xml::Element;

impl Mjcf<'_, '_> {
    pub(super) fn actuators(&mut self, root: &Element, controls: &[f64]) -> Result<(), ImportError> {
        let all = root.all("actuator").flat_map(|section| &section.children);
        for (index, element) in all.enumerate() {
            let element = &self.defaults.applied(element, None)?;
            let control = controls.get(index).copied().unwrap_or(0.0);
            self.actuator(element, control)?;
        }
        Ok(())
    }

    fn actuator(&mut self, element: &Element, control: f64) -> Result<(), ImportError> {
        let name = element.get("name").unwrap_or("without a name").to_owned();
        let joint = element.get("joint").or(element.get("jointinparent"));
        let Some(joint) = joint else {
            let what = format!("actuator {name} acts on no joint");
            self.reading.notes.add(&element.place, what, "it does not act");
            return Ok(());
        };
        let Some((link, place)) = self.joints.get(joint).copied() else {
            // A free joint has no name here: it is no coordinate.
            let what = format!("actuator {name} acts on {joint:?}, which is no joint with one coordinate");
            self.reading.notes.add(&element.place, what, "it does not act");
            return Ok(());
        };
        let first = |key: &str, default: f64| -> Result<f64, ImportError> {
            Ok(element.numbers(key)?.and_then(|numbers| numbers.first().copied()).unwrap_or(default))
        };
        let nth = |key: &str, k: usize| -> Result<f64, ImportError> {
            Ok(element.numbers(key)?.and_then(|numbers| numbers.get(k).copied()).unwrap_or(0.0))
        };
        // [gain, b₀, b₁, b₂]
        let law = match element.name.as_str() {
            "motor" => Some([1.0, 0.0, 0.0, 0.0]),
            "position" => {
                let (kp, kv) = (first("kp", 1.0)?, first("kv", 0.0)?);
                if first("dampratio", 0.0)? != 0.0 {
                    let what = format!("dampratio of actuator {name}");
                    self.reading.notes.add(&element.place, what, "it is not damped; give `damping`");
                }
                Some([kp, 0.0, -kp, -kv])
            }
            "velocity" => {
                let kv = first("kv", 1.0)?;
                Some([kv, 0.0, 0.0, -kv])
            }
            "general" => {
                let gain = match element.get("gaintype").unwrap_or("fixed") {
                    "fixed" => Some(first("gainprm", 1.0)?),
                    _ => None,
                };
                let bias = match element.get("biastype").unwrap_or("none") {
                    "none" => Some([0.0; 3]),
                    "affine" => Some([nth("biasprm", 0)?, nth("biasprm", 1)?, nth("biasprm", 2)?]),
                    _ => None,
                };
                gain.zip(bias).map(|(gain, [b0, b1, b2])| [gain, b0, b1, b2])
            }
            _ => None,
        };
        let Some([gain, b0, b1, b2]) = law.filter(|[_, _, b1, b2]| *b1 <= 0.0 && *b2 <= 0.0) else {
            let what =
                format!("actuator {name}, a <{}> that is neither a constant force nor a servo", element.name);
            self.reading.notes.add(&element.place, what, "it does not act");
            return Ok(());
        };
        if element.get("dyntype").is_some_and(|kind| kind != "none") || first("timeconst", 0.0)? != 0.0 {
            let what = format!("activation dynamics of actuator {name}");
            self.reading.notes.add(&element.place, what, "its control acts at once");
        }
        let gear = first("gear", 1.0)?;
        let dof = &mut self.model.links[link].dofs[place];
        if dof.kind == DofKind::Ball {
            let what = format!("actuator {name} on a ball joint");
            self.reading.notes.add(&element.place, what, "it does not act");
            return Ok(());
        }
        // b₁ gear q with q = offset + ours.
        let (stiffness, damping) = (-b1 * gear * gear, -b2 * gear * gear);
        let steady = gear * (gain * control + b0);
        let limited = element.get("forcelimited") != Some("false");
        let range = element.fixed::<2>("forcerange")?.filter(|[low, high]| limited && low < high);
        if let Some([low, high]) = range.filter(|[low, high]| -low != *high) {
            let what = format!("actuator {name} has a force from {low} to {high}");
            self.reading.notes.add(&element.place, what, "the larger of the two holds both ways");
        }
        let largest = range.map(|[low, high]| gear.abs() * low.abs().max(high.abs()));
        let mut motor = Motor { force: 0.0, stiffness, damping, target: 0.0, rate: 0.0, largest };
        if stiffness > 0.0 {
            motor.target = steady / stiffness - dof.offset;
        } else if damping > 0.0 {
            motor.rate = steady / damping;
        } else {
            motor.force = largest.map_or(steady, |largest| steady.clamp(-largest, largest));
        }
        dof.motors.push(motor);
        Ok(())
    }
}
