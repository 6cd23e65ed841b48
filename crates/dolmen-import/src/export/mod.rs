//! Scenes as MJCF and URDF, as far as these can say it.
//!
//! A world has bodies and joints between any two of them; both formats have trees. The first joint on side a of a body makes the
//! tree; others close loops, which MJCF has for points and poses only. Frames of links are at the centres of mass, and zero of
//! all coordinates is the start.

mod mjcf;
mod urdf;

use dolmen::id::BodyId;
use dolmen::joint::{Axis, FittedJoint, JointKind};
use dolmen::math::{DVec3, Pose};
use dolmen::motion::Prescribed;
use dolmen::world::World;

use crate::frame::{compose, inverse};
use crate::note::{Note, Notes, Place};

/// A text of another format and what it does not say.
#[derive(Debug, Clone)]
pub struct Exported {
    /// The text.
    pub text: String,
    /// What the scene says and the text does not.
    pub notes: Vec<Note>,
}

/// A scene as MJCF.
pub fn to_mjcf(world: &World, title: &str) -> Exported {
    let mut notes = Notes::default();
    let text = mjcf::write(&Tree::new(world, title, &mut notes), &mut notes);
    Exported { text, notes: notes.into_vec() }
}

/// A scene as URDF; what is not in one tree hangs on a link `world`.
pub fn to_urdf(world: &World, title: &str) -> Exported {
    let mut notes = Notes::default();
    let text = urdf::write(&Tree::new(world, title, &mut notes), &mut notes);
    Exported { text, notes: notes.into_vec() }
}

/// One coordinate of a joint, as both formats have it: along or about an axis of the child at the start.
struct Coordinate {
    name: String,
    axis: Axis,
    slides: bool,
    /// In the child's frame.
    direction: DVec3,
    /// At the start, m or rad.
    start: f64,
}

/// A world as a tree.
struct Tree<'w> {
    world: &'w World,
    title: String,
    place: Place,
    /// Of each body: its joint to the parent.
    above: Vec<Option<usize>>,
    /// Joints that close loops.
    closing: Vec<usize>,
}

impl<'w> Tree<'w> {
    fn new(world: &'w World, title: &str, notes: &mut Notes) -> Self {
        let place = Place::file(title);
        let count = world.bodies().len();
        let mut tree =
            Self { world, title: title.to_owned(), place, above: vec![None; count], closing: Vec::new() };
        for (index, joint) in world.joints().iter().enumerate() {
            let [a, b] = joint.bodies();
            let can = a.is_some_and(|a| {
                world.body(a).is_dynamic() && tree.above[a.index()].is_none() && !tree.hangs_on(b, a)
            });
            let says = !matches!(
                joint.joint().kind(),
                JointKind::Screw { .. } | JointKind::Rod { .. } | JointKind::Rope { .. } | JointKind::Own(_)
            );
            match a {
                Some(a) if can && says => tree.above[a.index()] = Some(index),
                _ => tree.closing.push(index),
            }
        }
        if !world.forces().is_empty() {
            let what = format!("{} forces", world.forces().len());
            notes.add(&tree.place, what, "they do not act");
        }
        if !world.sets().is_empty() {
            notes.add(&tree.place, "particles", "they are left out");
        }
        let moves = |id: &BodyId| {
            let twist = world.body(*id).start_twist();
            world.body(*id).is_dynamic() && (twist.velocity != DVec3::ZERO || twist.spin != DVec3::ZERO)
        };
        if world.body_ids().any(|id| moves(&id)) {
            notes.add(&tree.place, "velocities at the start", "everything starts at rest");
        }
        let driven = |id: BodyId| {
            world.body(id).prescribed_motion().is_some_and(|m| !matches!(m, Prescribed::Still(_)))
        };
        if world.body_ids().any(driven) {
            notes.add(&tree.place, "bodies that move as told", "they are fixed");
        }
        tree
    }

    /// Whether a body is below another one.
    fn hangs_on(&self, body: Option<BodyId>, other: BodyId) -> bool {
        let mut at = body;
        for _ in 0..=self.above.len() {
            match at {
                Some(id) if id == other => return true,
                Some(id) => at = self.parent(id),
                None => return false,
            }
        }
        true
    }

    /// The body on which one hangs; none is the world.
    fn parent(&self, body: BodyId) -> Option<BodyId> {
        let joint = self.above[body.index()]?;
        let parent = self.world.joints()[joint].bodies()[1]?;
        self.world.body(parent).is_dynamic().then_some(parent)
    }

    fn joint(&self, body: BodyId) -> Option<&'w FittedJoint> {
        self.above[body.index()].map(|joint| &self.world.joints()[joint])
    }

    fn children(&self, parent: Option<BodyId>) -> Vec<BodyId> {
        let own = |id: &BodyId| self.world.body(*id).is_dynamic() && self.parent(*id) == parent;
        self.world.body_ids().filter(own).collect()
    }

    fn pose(&self, body: BodyId) -> Pose {
        self.world.body(body).start_pose()
    }

    /// Where a body is seen from its parent at the start.
    fn relative(&self, body: BodyId) -> Pose {
        match self.parent(body) {
            Some(parent) => compose(&inverse(&self.pose(parent)), &self.pose(body)),
            None => self.pose(body),
        }
    }

    /// The coordinates of a body's joint, outermost first, and the point where they are, in the body's frame.
    fn coordinates(&self, body: BodyId) -> (Vec<Coordinate>, DVec3) {
        let Some(index) = self.above[body.index()] else { return (Vec::new(), DVec3::ZERO) };
        let joint = &self.world.joints()[index];
        let (geometry, turns) = self.world.joint_at_start(index);
        let [frame_a, frame_b] = *joint.frames();
        let outer = match joint.bodies()[1] {
            Some(b) => compose(&self.pose(b), &frame_b),
            None => frame_b,
        };
        let to_body = inverse(&self.pose(body));
        let locked = joint.joint().kind().locked();
        let free: Vec<Axis> =
            Axis::SIX.into_iter().zip(locked).filter(|(_, locked)| !locked).map(|(axis, _)| axis).collect();
        let names: Vec<String> = if free.len() == 1 {
            vec![joint.name().to_owned()]
        } else {
            free.iter().map(|axis| format!("{} {}", joint.name(), axis.name())).collect()
        };
        let mut list = Vec::new();
        for (axis, name) in free.into_iter().zip(names) {
            let start = joint.coordinate(&geometry, axis, &turns).value;
            // R = Rx(α) Ry(β) Rz(γ): x is that of b, z that of a, and y is at right angles to both.
            let direction = match axis {
                Axis::X | Axis::Y | Axis::Z | Axis::TurnX => {
                    let k = axis.index().unwrap_or(0) % 3;
                    to_body.direction(outer.direction(DVec3::AXES[k]))
                }
                Axis::TurnY if locked[5] => frame_a.direction(DVec3::Y),
                Axis::TurnY => {
                    let x = to_body.direction(outer.direction(DVec3::X));
                    let z = frame_a.direction(DVec3::Z);
                    if locked[3] {
                        to_body.direction(outer.direction(DVec3::Y))
                    } else {
                        crate::frame::unit(z.cross(x)).unwrap_or(DVec3::Y)
                    }
                }
                Axis::TurnZ | Axis::Distance => frame_a.direction(DVec3::Z),
            };
            let slides = axis.index().is_some_and(|index| index < 3);
            list.push(Coordinate { name, axis, slides, direction, start });
        }
        (list, frame_a.position)
    }
}

/// Text inside an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn numbers(list: &[f64]) -> String {
    // The shortest that reads back as the same bits; −0 is 0.
    list.iter().map(|x| format!("{}", x + 0.0)).collect::<Vec<_>>().join(" ")
}
