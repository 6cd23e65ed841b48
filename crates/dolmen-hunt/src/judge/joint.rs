//! Joints hold: points stay together, rods keep their length, ropes do not stretch, hinges and welds keep their direction.

use toml::{Table as Toml, Value};

use super::read::{number_of, tables_of, text_of, vector_of};
use super::scene::{Kind, Scene, written_pose};
use super::vector::{Pose, Vector};
use super::{Class, Finding, Run, Sample};

/// Of the arms of the joint; the engine promises 1e-9.
const DRIFT: f64 = 1e-5;

/// The same with steps of a given length: between them the error is that of the method.
const FIXED_STEP: f64 = 1e-2;

/// Where a joint is on its bodies, from the first sample.
struct Fitted<'s> {
    name: &'s str,
    kind: &'s str,
    ends: [Option<&'s str>; 2],
    /// Point and axis in each body's frame, or in the world.
    points: [Vector; 2],
    axes: [Vector; 2],
    /// The longest arm, m.
    arm: f64,
    /// Of a rod or a rope.
    length: f64,
}

pub(super) fn check(scene: &Scene, run: &Run) -> Option<Finding> {
    let samples = run.samples();
    let first = samples.first()?;
    let joints: Vec<Fitted<'_>> = scene.joints().filter_map(|joint| fit(scene, first, joint)).collect();
    // With joints that contradict each other nothing is promised.
    let settles = scene
        .section("assembly")
        .is_some_and(|assembly| text_of(assembly, "conflict").is_some_and(|conflict| conflict != "refuse"));
    if settles {
        return None;
    }
    let allowed = if scene.has_fixed_step() { FIXED_STEP } else { DRIFT + 1e3 * scene.tolerance };
    for sample in &samples {
        for joint in &joints {
            let Some([a, b]) = poses(scene, sample, joint.ends) else { continue };
            let between = a.place(joint.points[0]) - b.place(joint.points[1]);
            let axes = [a.rotation.apply(joint.axes[0]), b.rotation.apply(joint.axes[1])];
            let turned = axes[0].cross(axes[1]).length();
            let rounding = 1e-11 * (a.position.length() + b.position.length());
            let off = match joint.kind {
                "ball" | "universal" => between.length(),
                "hinge" | "weld" => between.length().max(turned * joint.arm),
                "rod" => (between.length() - joint.length).abs(),
                "rope" => between.length() - joint.length,
                "slider" | "cylindrical" | "screw" => {
                    (between - axes[1] * between.dot(axes[1])).length().max(turned * joint.arm)
                }
                "point-on-line" => (between - axes[1] * between.dot(axes[1])).length(),
                "planar" => between.dot(axes[1]).abs().max(turned * joint.arm),
                "point-on-plane" => between.dot(axes[1]).abs(),
                _ => 0.0,
            };
            if off > allowed * joint.arm + rounding {
                let text = format!(
                    "{} {} is off by {off:.3e} m at t = {:?} s, with arms of {:.3e} m",
                    joint.kind, joint.name, sample.t, joint.arm
                );
                return Some(Finding::new(Class::Joint, text));
            }
        }
    }
    None
}

fn poses(scene: &Scene, sample: &Sample<'_>, ends: [Option<&str>; 2]) -> Option<[Pose; 2]> {
    let pose = |name: Option<&str>| match name {
        None => Some(Pose::IDENTITY),
        Some(name) => sample.frame(scene.body(name)?),
    };
    Some([pose(ends[0])?, pose(ends[1])?])
}

/// The pose of a body as it is written, unless something else moves it to where it begins.
fn placed(scene: &Scene, name: &str) -> Option<Pose> {
    let body = scene.body(name).filter(|body| body.kind != Kind::Kinematic && body.position.is_some())?;
    tables_of(&scene.table, "body").find(|table| text_of(table, "name") == Some(&body.name)).map(written_pose)
}

fn fit<'s>(scene: &'s Scene, first: &Sample<'_>, joint: &'s Toml) -> Option<Fitted<'s>> {
    let ends = [Some(text_of(joint, "a")?), text_of(joint, "b")];
    let poses = poses(scene, first, ends)?;
    let table = |key: &str| joint.get(key).and_then(Value::as_table);
    let z = Vector::AXES[2];
    let (points, axes) = if let (Some(a), Some(b)) = (table("frame_a"), table("frame_b")) {
        let at = |frame: &Toml| vector_of(frame, "at").unwrap_or_default();
        let axis = |frame: &Toml| vector_of(frame, "axis").unwrap_or(z).unit();
        ([at(a), at(b)], [axis(a), axis(b)])
    } else {
        // Frames are taken over as the scene places the bodies: those of dynamic ones are put onto their joints after that.
        let poses = [0, 1].map(|k| ends[k].and_then(|name| placed(scene, name)).unwrap_or(poses[k]));
        let given = match text_of(joint, "frame") {
            Some("a") => poses[0],
            Some("b") => poses[1],
            _ => Pose::IDENTITY,
        };
        let at = given.place(vector_of(joint, "at").unwrap_or_default());
        let axis = given.rotation.apply(vector_of(joint, "axis").unwrap_or(z).unit());
        (poses.map(|pose| pose.local(at)), poses.map(|pose| pose.rotation.apply_transposed(axis)))
    };
    let world = [0, 1].map(|k| poses[k].place(points[k]));
    let distance = (world[0] - world[1]).length();
    let length = number_of(joint, "length").unwrap_or(distance);
    // The size of the bodies counts as an arm: a joint through the centre has none.
    let reach = |name: Option<&str>| {
        let body = name.and_then(|name| scene.body(name));
        body.and_then(|body| body.solid.as_ref()).map_or(0.0, super::solid::Solid::radius)
    };
    let mut arm = reach(ends[0]).max(reach(ends[1])).max(points[0].length()).max(length);
    if ends[1].is_some() {
        arm = arm.max(points[1].length());
    }
    let kind = text_of(joint, "kind")?;
    Some(Fitted { name: text_of(joint, "name").unwrap_or(kind), kind, ends, points, axes, arm, length })
}
