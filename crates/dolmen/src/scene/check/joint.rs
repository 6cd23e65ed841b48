//! Joints: what they join, where, and what acts in them.

use std::collections::BTreeSet;

use super::{Checks, Named, Names};
use crate::scene::read::shown;
use crate::scene::suggest;
use crate::scene::typed::{Course, Joint, JointKind, JointMotor, MotorKind, Scene, TableInterpolation};

const BODY: &[Named] = &[Named::Body];

impl Checks {
    pub(super) fn joints(&mut self, scene: &Scene, names: &Names<'_>) {
        if let Some(assembly) = &scene.assembly {
            self.inside("assembly", |checks| checks.positive("largest", assembly.largest));
        }
        let mut known = BTreeSet::new();
        for (index, joint) in scene.joint.iter().enumerate() {
            let path = vec!["joint".into(), index.into(), "name".into()];
            self.name(path.clone(), &joint.name);
            if !known.insert(joint.name.as_str()) {
                self.taken(path, &joint.name, "every joint has a name of its own");
            }
        }
        let bodies: Vec<&str> = scene
            .joint
            .iter()
            .filter(|joint| joint.joints.is_none())
            .map(|joint| joint.name.as_str())
            .collect();
        self.each("joint", &scene.joint, |checks, joint| {
            checks.joint_keys(joint);
            match joint.kind {
                JointKind::Gear | JointKind::RackAndPinion => {
                    // Names of joints are looked up only where all names are known.
                    if names.is_some() {
                        checks.coupled(joint, &bodies);
                    }
                }
                _ => checks.joined(joint, names),
            }
            checks.acting(joint);
        });
    }

    /// Keys that go with some kinds only.
    fn joint_keys(&mut self, joint: &Joint) {
        use JointKind::{Gear, RackAndPinion, Rod, Rope, Screw, SixAxis};
        let couples = matches!(joint.kind, Gear | RackAndPinion);
        let keys: [(&str, bool, &[JointKind], &str); 7] = [
            ("pitch", joint.pitch.is_some(), &[Screw], "a screw"),
            ("length", joint.length.is_some(), &[Rod, Rope], "a rod or a rope"),
            (
                "restitution",
                joint.restitution.is_some(),
                &[Rope],
                "a rope; that of a limit is given in the limit",
            ),
            ("locked", joint.locked.is_some(), &[SixAxis], "a six-axis joint"),
            ("joints", joint.joints.is_some(), &[Gear, RackAndPinion], "a gear, or rack and pinion"),
            ("ratio", joint.ratio.is_some(), &[Gear], "a gear"),
            ("radius", joint.radius.is_some(), &[RackAndPinion], "rack and pinion"),
        ];
        for (key, given, kinds, owner) in keys {
            if given && !kinds.contains(&joint.kind) {
                self.report(
                    key,
                    format!("`{key}` goes with {owner}"),
                    Some("leave it out, or change `kind`"),
                );
            }
        }
        let missing = match joint.kind {
            Screw if joint.pitch.is_none() => Some("`pitch` is missing"),
            Gear if joint.ratio.is_none() => Some("`ratio` is missing"),
            RackAndPinion if joint.radius.is_none() => Some("`radius` is missing"),
            SixAxis if joint.locked.is_none() => Some("`locked` is missing"),
            _ if couples && joint.joints.is_none() => Some("`joints` is missing"),
            _ if !couples && joint.a.is_none() => Some("`a` is missing: the body that the joint attaches to"),
            _ => None,
        };
        if let Some(message) = missing {
            self.report_here(message, None);
        }
        let zero = [("pitch", joint.pitch), ("ratio", joint.ratio), ("radius", joint.radius)];
        for (key, _) in zero.into_iter().filter(|(_, value)| *value == Some(0.0)) {
            self.report(key, format!("`{key}` cannot be 0"), None);
        }
        self.positive("length", joint.length);
        self.share("restitution", joint.restitution);
        if let Some(cone) = joint.cone_deg.filter(|cone| !(*cone > 0.0 && *cone < 180.0)) {
            self.report("cone_deg", format!("`cone_deg` has to be between 0 and 180, not {cone}"), None);
        }
    }

    fn coupled(&mut self, joint: &Joint, known: &[&str]) {
        for (key, given) in [("a", joint.a.is_some()), ("b", joint.b.is_some())] {
            if given {
                self.report(key, "this kind couples two joints, not bodies", Some("name them in `joints`"));
            }
        }
        let Some(joints) = &joint.joints else { return };
        self.each("joints", joints, |checks, name| {
            if !known.contains(&name.as_str()) {
                let help = suggest::help(name, known);
                let help = help.unwrap_or_else(|| "no joint between bodies has a name".to_owned());
                checks.report_here(format!("there is no joint \"{}\"", shown(name)), Some(&help));
            }
        });
        if joints[0] == joints[1] {
            self.report("joints", "both joints are the same", None);
        }
    }

    fn joined(&mut self, joint: &Joint, names: &Names<'_>) {
        for (key, name) in [("a", &joint.a), ("b", &joint.b)] {
            if let Some(name) = name {
                self.refers_at(key, name, names, BODY);
            }
        }
        if joint.a.is_some() && joint.a == joint.b {
            self.report(
                "b",
                "both sides of the joint are the same body",
                Some("leave `b` out for the world"),
            );
        }
        let once =
            joint.at.is_some() || joint.axis.is_some() || joint.across.is_some() || joint.frame.is_some();
        let each = joint.frame_a.is_some() || joint.frame_b.is_some();
        if once && each {
            let help = "give one frame by `at` and `axis`, or one on each side by `frame_a` and `frame_b`";
            self.report_here("the joint is placed twice", Some(help));
        }
        self.direction("axis", joint.axis);
        self.direction("across", joint.across);
        for (key, place) in [("frame_a", &joint.frame_a), ("frame_b", &joint.frame_b)] {
            if let Some(place) = place {
                self.inside(key, |checks| {
                    checks.direction("axis", place.axis);
                    checks.direction("across", place.across);
                });
            }
        }
    }

    fn direction(&mut self, key: &str, axis: Option<[f64; 3]>) {
        if axis == Some([0.0; 3]) {
            self.report(key, format!("`{key}` has no direction"), Some("any length but zero will do"));
        }
    }

    fn share(&mut self, key: &str, value: Option<f64>) {
        if let Some(value) = value.filter(|value| !(0.0..=1.0).contains(value)) {
            self.report(key, format!("`{key}` has to be from 0 to 1, not {value}"), None);
        }
    }

    /// Limits, springs, motors and friction.
    fn acting(&mut self, joint: &Joint) {
        self.each("limit", &joint.limit, |checks, limit| {
            checks.exclusive(("lower", limit.lower.is_some()), ("lower_deg", limit.lower_deg.is_some()));
            checks.exclusive(("upper", limit.upper.is_some()), ("upper_deg", limit.upper_deg.is_some()));
            checks.share("restitution", limit.restitution);
            let lower = limit.lower.or(limit.lower_deg.map(f64::to_radians));
            let upper = limit.upper.or(limit.upper_deg.map(f64::to_radians));
            match (lower, upper) {
                (None, None) => checks.report_here("`lower` or `upper` is missing", None),
                (Some(lower), Some(upper)) if lower > upper => {
                    let message = format!("the limits exclude each other: at least {lower}, at most {upper}");
                    checks.report_here(message, Some("exchange them"));
                }
                _ => {}
            }
        });
        self.each("spring", &joint.spring, |checks, spring| {
            checks.stiffness(spring.stiffness);
            checks.not_negative("damping", spring.damping);
            if spring.stiffness.is_none() && spring.damping.is_none() {
                checks.report_here("`stiffness` or `damping` is missing", None);
            }
        });
        self.each("motor", &joint.motor, Self::motor);
        self.each("friction", &joint.friction, |checks, friction| {
            checks.not_negative("constant", friction.constant);
            checks.not_negative("coefficient", friction.coefficient);
            checks.not_negative("arm", friction.arm);
            if friction.constant.is_none() && friction.coefficient.is_none() {
                checks.report_here("`constant` or `coefficient` is missing", None);
            }
        });
    }

    fn motor(&mut self, motor: &JointMotor) {
        self.exclusive(("target", motor.target.is_some()), ("course", motor.course.is_some()));
        if motor.target.is_none() && motor.course.is_none() {
            self.report_here("`target` or `course` is missing", None);
        }
        self.not_negative("largest", motor.largest);
        self.stiffness(motor.stiffness);
        self.not_negative("damping", motor.damping);
        let has_limit = matches!(motor.kind, MotorKind::Velocity | MotorKind::Position);
        if motor.largest.is_some() && !has_limit {
            self.report("largest", "`largest` goes with \"velocity\" and \"position\"", None);
        }
        if motor.kind == MotorKind::Position {
            if motor.stiffness.is_none() {
                self.report_here("`stiffness` is missing", None);
            }
        } else {
            for (key, value) in [("stiffness", motor.stiffness), ("damping", motor.damping)] {
                if value.is_some() {
                    self.report(key, format!("`{key}` goes with \"position\""), None);
                }
            }
        }
        self.inside("course", |checks| match &motor.course {
            Some(Course::Sine(sine)) => checks.frequency(sine.frequency),
            Some(Course::Table(table)) => {
                checks.increasing("times", &table.times);
                checks.same_length("values", table.values.len(), "times", table.times.len());
                if table.times.is_empty() {
                    checks.report("times", "`times` is empty", None);
                }
                if motor.kind == MotorKind::Motion && table.interpolation == Some(TableInterpolation::Linear)
                {
                    let message = "a \"motion\" by straight lines would jump in speed";
                    checks.report("interpolation", message, Some("use \"monotone\""));
                }
            }
            Some(Course::Move(way)) if way.begin.unwrap_or(0.0) >= way.end => {
                checks.report("end", "`end` has to be after `begin`", None);
            }
            _ => {}
        });
    }
}
