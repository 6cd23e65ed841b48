//! Joint coordinates of a tree of bodies: what Jacobians, mass matrix and inverse dynamics are made of.
//!
//! With V the twists of all dynamic bodies, G V + γ = 0 what joints forbid and C V + c = u the rates of their coordinates, both are the
//! rows of one square matrix A: A V = (0, u) − (γ, c). Python solves with it (`_articulation.py`).

use std::collections::BTreeMap;

use dolmen::body::Kinematics;
use dolmen::joint::{Axis, Equation, FittedJoint, Jet, JointKind, Law, Turns};
use dolmen::math::{DMat3, DVec3, Pose, Row, Twist};
use dolmen::world::{BodyId, World};

use crate::engine::Engine;

/// The matrix of a tree, and what its rows and columns are.
pub(crate) struct Tree {
    /// The dynamic bodies, by rank: six columns each, velocity and spin.
    pub(crate) bodies: Vec<usize>,
    /// Joint (or body) and axis of each coordinate.
    pub(crate) names: Vec<(String, &'static str)>,
    /// Rows of A: first the equations, then the coordinates.
    pub(crate) rows: Vec<Vec<f64>>,
    /// What each row has by prescribed motions, of rates and of accelerations.
    pub(crate) offsets: Vec<[f64; 2]>,
    /// Mass and inertia about the centre, world.
    pub(crate) masses: Vec<(f64, DMat3)>,
}

const TURNS: [&str; 3] = ["spin-x", "spin-y", "spin-z"];
const FREE: [&str; 6] = ["x", "y", "z", "spin-x", "spin-y", "spin-z"];

/// The tree of a world as it stands, or why it is none.
pub(crate) fn tree(engine: &Engine) -> Result<Tree, String> {
    let world = engine.world();
    let bodies: Vec<BodyId> = world.described_ids().filter(|id| world.body(*id).is_dynamic()).collect();
    let columns: BTreeMap<BodyId, usize> = bodies.iter().enumerate().map(|(i, id)| (*id, 6 * i)).collect();
    let mut maker = Maker { engine, world, columns, rows: Vec::new(), offsets: Vec::new() };
    let (mut coordinates, mut names) = (Vec::new(), Vec::new());
    let free = roots(world, &bodies)?;
    for joint in world.joints() {
        let [a, b] = joint.bodies().map(|id| maker.kinematics(id));
        for equation in structure(joint, (&a, &b), engine.time())? {
            maker.add(joint, &equation.jet);
        }
        for (name, jet) in own_coordinates(joint, (&a, &b)) {
            names.push((joint.name().to_owned(), name));
            coordinates.push((joint, jet));
        }
    }
    for (joint, jet) in &coordinates {
        maker.add(joint, jet);
    }
    let width = 6 * bodies.len();
    for id in free {
        for (k, axis) in FREE.into_iter().enumerate() {
            let mut row = vec![0.0; width];
            row[maker.columns[&id] + k] = 1.0;
            maker.rows.push(row);
            maker.offsets.push([0.0; 2]);
            names.push((world.body_name(id), axis));
        }
    }
    let mass = |id: &BodyId| {
        let (inertia, turned) = (world.body(*id).inertia(), DMat3::from_quat(engine.pose(*id).orientation));
        (inertia.mass, turned * inertia.inertia_body * turned.transpose())
    };
    let masses = bodies.iter().map(mass).collect();
    let Maker { rows, offsets, .. } = maker;
    Ok(Tree { bodies: bodies.iter().map(|id| id.index()).collect(), names, rows, offsets, masses })
}

/// The root of the tree that a body is in.
fn find(parents: &[usize], mut at: usize) -> usize {
    while parents[at] != at {
        at = parents[at];
    }
    at
}

/// The bodies that no joint ties to the world, one of each tree; refuses loops.
fn roots(world: &World, bodies: &[BodyId]) -> Result<Vec<BodyId>, String> {
    // Places of bodies, and one after them for all that is fixed or moves as prescribed.
    let ground = world.bodies().len();
    let mut parents: Vec<usize> = (0..=ground).collect();
    for joint in world.joints() {
        if matches!(joint.joint().kind(), JointKind::Rope { .. }) {
            continue;
        }
        let place = |id: Option<BodyId>| match id {
            Some(id) if world.body(id).is_dynamic() => id.index(),
            _ => ground,
        };
        let [a, b] = joint.bodies().map(|id| find(&parents, place(id)));
        if a == b {
            return Err(format!(
                "the joint {:?} closes a loop: coordinates are those of trees; take it out, or ask without it",
                joint.name()
            ));
        }
        // The ground is the root of its tree, else the body of the lower rank.
        let (root, other) = if a == ground || (b != ground && a < b) { (a, b) } else { (b, a) };
        parents[other] = root;
    }
    Ok(bodies.iter().copied().filter(|id| parents[id.index()] == id.index()).collect())
}

/// What the kind of a joint forbids, without its motors and limits.
fn structure(
    joint: &FittedJoint,
    (a, b): (&Kinematics, &Kinematics),
    t: f64,
) -> Result<Vec<Equation>, String> {
    let count = match joint.joint().kind() {
        JointKind::Ball | JointKind::Planar => 3,
        JointKind::Hinge | JointKind::Slider | JointKind::Screw { .. } => 5,
        JointKind::Cylindrical | JointKind::Universal => 4,
        JointKind::Weld => 6,
        JointKind::Rope { .. } => 0,
        kind => {
            return Err(format!(
                "the joint {:?} is a {}, which has no coordinates of its own",
                joint.name(),
                kind.name()
            ));
        }
    };
    let mut equations = Vec::new();
    joint.equations((a, b), t, &Turns::default(), &mut equations);
    equations.truncate(count);
    debug_assert!(equations.iter().all(|equation| equation.law == Law::Equal), "{equations:?}");
    Ok(equations)
}

/// The coordinates that a joint leaves, by name.
fn own_coordinates(joint: &FittedJoint, (a, b): (&Kinematics, &Kinematics)) -> Vec<(&'static str, Jet)> {
    let geometry = joint.geometry(a, b);
    let axes: &[Axis] = match joint.joint().kind() {
        JointKind::Hinge | JointKind::Screw { .. } => &[Axis::TurnZ],
        JointKind::Slider => &[Axis::Z],
        JointKind::Cylindrical => &[Axis::Z, Axis::TurnZ],
        JointKind::Universal => &[Axis::TurnX, Axis::TurnY],
        JointKind::Planar => &[Axis::X, Axis::Y, Axis::TurnZ],
        JointKind::Ball => {
            // The spin of a against b, along the axes of frame b: u = b_i·(ω_a − ω_b), u̇ = b_i·(ω̇_a − ω̇_b) + (ω_b×b_i)·(ω_a − ω_b).
            let between = a.twist.spin - b.twist.spin;
            let spin = |(i, name)| {
                let axis = geometry.axis_b(i);
                let row =
                    Row { linear_a: DVec3::ZERO, angular_a: axis, linear_b: DVec3::ZERO, angular_b: -axis };
                let curvature = axis.dot(a.spin_rate - b.spin_rate) + b.twist.spin.cross(axis).dot(between);
                (name, Jet { value: 0.0, row, rate: axis.dot(between), curvature })
            };
            return TURNS.into_iter().enumerate().map(spin).collect();
        }
        _ => &[],
    };
    axes.iter().map(|axis| (axis.name(), joint.coordinate(&geometry, *axis, &Turns::default()))).collect()
}

struct Maker<'a> {
    engine: &'a Engine,
    world: &'a World,
    columns: BTreeMap<BodyId, usize>,
    rows: Vec<Vec<f64>>,
    offsets: Vec<[f64; 2]>,
}

impl Maker<'_> {
    /// A side of a joint, dynamic bodies without acceleration: what a row has then is what its change in time gives.
    fn kinematics(&self, id: Option<BodyId>) -> Kinematics {
        let still = Kinematics {
            pose: Pose::IDENTITY,
            twist: Twist::ZERO,
            acceleration: DVec3::ZERO,
            spin_rate: DVec3::ZERO,
        };
        let Some(id) = id else { return still };
        match self.world.body(id).prescribed_motion() {
            Some(motion) => {
                let (acceleration, spin_rate) = motion.acceleration(self.engine.time());
                let (pose, twist) = (self.engine.pose(id), self.engine.twist(id));
                Kinematics { pose, twist, acceleration, spin_rate }
            }
            None => Kinematics { pose: self.engine.pose(id), twist: self.engine.twist(id), ..still },
        }
    }

    fn add(&mut self, joint: &FittedJoint, jet: &Jet) {
        let mut row = vec![0.0; 6 * self.columns.len()];
        let mut known = 0.0;
        let halves = [(jet.row.linear_a, jet.row.angular_a), (jet.row.linear_b, jet.row.angular_b)];
        for (id, (linear, angular)) in joint.bodies().into_iter().zip(halves) {
            let Some((id, column)) = id.and_then(|id| Some((id, *self.columns.get(&id)?))) else { continue };
            for k in 0..3 {
                row[column + k] += linear[k];
                row[column + 3 + k] += angular[k];
            }
            let twist = self.engine.twist(id);
            known += linear.dot(twist.velocity) + angular.dot(twist.spin);
        }
        self.rows.push(row);
        self.offsets.push([jet.rate - known, jet.curvature]);
    }
}
