//! Sensors: names, what they look at, where they are.

use std::collections::BTreeSet;

use super::{Checks, Named, Names};
use crate::scene::read::shown;
use crate::scene::suggest;
use crate::scene::typed::{ContactSensor, Orientation, Scene, Sensor};

const BODY: &[Named] = &[Named::Body];

impl Checks {
    pub(super) fn sensors(&mut self, scene: &Scene, names: &Names<'_>) {
        let mut known = BTreeSet::new();
        for (index, sensor) in scene.sensor.iter().enumerate() {
            let path = vec!["sensor".into(), index.into(), "name".into()];
            self.name(path.clone(), sensor.name());
            if !known.insert(sensor.name()) {
                self.taken(path, sensor.name(), "every sensor has a name of its own");
            }
        }
        // Joints are looked up only where all names are known.
        let joints: Option<Vec<&str>> =
            names.is_some().then(|| scene.joint.iter().map(|joint| joint.name.as_str()).collect());
        self.each("sensor", &scene.sensor, |checks, sensor| match sensor {
            Sensor::Joint(sensor) => checks.sensed_joint(&sensor.joint, joints.as_deref()),
            Sensor::Load(sensor) => checks.sensed_joint(&sensor.joint, joints.as_deref()),
            Sensor::Point(sensor) => checks.mounted(&sensor.body, sensor.orientation.as_ref(), names),
            Sensor::Imu(sensor) => checks.mounted(&sensor.body, sensor.orientation.as_ref(), names),
            Sensor::Contact(sensor) => checks.contact_sensor(sensor, names),
            Sensor::Ray(sensor) => {
                if let Some(body) = &sensor.body {
                    checks.refers_at("body", body, names, BODY);
                }
                if sensor.direction == [0.0; 3] {
                    checks.report("direction", "`direction` has none", Some("any length but zero will do"));
                }
                checks.positive("reach", sensor.reach);
            }
        });
    }

    fn sensed_joint(&mut self, name: &str, joints: Option<&[&str]>) {
        let Some(joints) = joints.filter(|joints| !joints.contains(&name)) else { return };
        let help = suggest::help(name, joints).unwrap_or_else(|| "no joint has a name".to_owned());
        self.report("joint", format!("there is no joint \"{}\"", shown(name)), Some(&help));
    }

    fn mounted(&mut self, body: &str, orientation: Option<&Orientation>, names: &Names<'_>) {
        self.refers_at("body", body, names, BODY);
        if let Some(orientation) = orientation {
            self.inside("orientation", |checks| checks.orientation(orientation));
        }
    }

    fn contact_sensor(&mut self, sensor: &ContactSensor, names: &Names<'_>) {
        for (key, list) in [("bodies", Some(&sensor.bodies)), ("from", sensor.from.as_ref())] {
            let Some(list) = list else { continue };
            if list.is_empty() {
                self.report(key, format!("`{key}` is empty"), Some("name at least one body"));
            }
            self.body_patterns(key, list, names);
        }
    }
}
