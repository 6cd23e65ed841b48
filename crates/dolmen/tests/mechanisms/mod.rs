//! Mechanisms by names, and those that more than one test is about.

use dolmen::joint::{Axis, Control, Course, Frame, Joint, JointKind, Placement, Side};
use dolmen::mass::MassProperties;
use dolmen::math::{DMat3, DQuat, DVec3, dvec3, real};
use dolmen::world::{Body, World, WorldBuilder};

/// Moments about the axes of the body, kg·m².
pub(crate) fn body(mass: f64, moments: DVec3, name: &str) -> Body {
    let properties = MassProperties::new(mass, DVec3::ZERO, DMat3::from_diagonal(moments)).expect("a mass");
    Body::dynamic(&properties).named(name)
}

pub(crate) struct Maker {
    builder: WorldBuilder,
    joints: Vec<([Option<String>; 2], Joint)>,
}

impl Maker {
    pub(crate) fn new() -> Self {
        Self { builder: WorldBuilder::new(), joints: Vec::new() }
    }

    pub(crate) fn add(&mut self, body: Body) {
        self.builder.body(body).expect("a body");
    }

    /// A joint between two bodies (none: the world) at a point of the world along an axis.
    pub(crate) fn join(
        &mut self,
        name: &str,
        kind: JointKind,
        sides: [Option<&str>; 2],
        point: DVec3,
        axis: DVec3,
    ) {
        let joint = Joint::new(name, kind, Side::World, Side::World).at(point, axis);
        self.joints.push((sides.map(|side| side.map(str::to_owned)), joint));
    }

    /// Changes the joint last added.
    pub(crate) fn change(&mut self, change: impl FnOnce(Joint) -> Joint) {
        let (sides, joint) = self.joints.pop().expect("a joint");
        self.joints.push((sides, change(joint)));
    }

    pub(crate) fn with(&mut self, axis: Axis, control: Control) {
        self.change(|joint| joint.with(axis, control));
    }

    pub(crate) fn placed(&mut self, placement: Placement) {
        self.change(|joint| joint.placed(placement));
    }

    /// The world with its joints, as given.
    pub(crate) fn joined(self, gravity: DVec3) -> World {
        let mut world = self.builder.build().expect("a world");
        world.set_gravity(gravity).expect("gravity");
        for (sides, joint) in self.joints {
            let [a, b] = sides.map(|name| {
                name.map_or(Side::World, |name| Side::Body(world.find_body(&name).expect("a body")))
            });
            world.add_joint(joint.between(a, b)).expect("a joint");
        }
        world
    }
}

/// A slender bar of 1 m between two points of the plane z = 0.
pub(crate) fn bar(name: &str, from: DVec3, to: DVec3) -> Body {
    let turn = DQuat::from_rotation_arc(DVec3::X, (to - from).normalize());
    body(1.0, dvec3(1e-3, 1.0 / 12.0, 1.0 / 12.0), name).centred_at(0.5 * (from + to), turn)
}

/// Seven bodies in the plane with a spring and a constant torque. [IVP test set; IFToMM A03]
pub(crate) fn squeezer() -> Maker {
    let start = [
        -0.0617138900142764,
        0.0,
        0.455279819163070,
        0.222668390165886,
        0.487364979543843,
        -0.222668390165886,
        1.23054744454982,
    ];
    let masses = [0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498];
    let inertias = [2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
    let [b, th, g, ph, de, om, ep] = start;
    let (xa, ya, xb, yb, xc, yc) = (-0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072);
    let (d, da, e, ea, rr, ra) = (0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092);
    let (sa, sb, sc, sd, ta, tb) = (0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916);
    let (u, ua, ub, zf, zt, fa) = (0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421);
    let cs = |a: f64| (real::cos(a), real::sin(a));
    let (cb, sb_) = cs(b);
    let (cbt, sbt) = cs(b + th);
    let (cg, sg) = cs(g);
    let (cpd, spd) = cs(ph + de);
    let (cd, sde) = cs(de);
    let (coe, soe) = cs(om + ep);
    let (ce, se) = cs(ep);
    let plane = |x: f64, y: f64| dvec3(x, y, 0.0);
    let centres = [
        plane(ra * cb, ra * sb_),
        plane(rr * cb - da * cbt, rr * sb_ - da * sbt),
        plane(xb + sa * sg + sb * cg, yb - sa * cg + sb * sg),
        plane(xa + zt * cd + (e - ea) * spd, ya + zt * sde - (e - ea) * cpd),
        plane(xa + ta * cd - tb * sde, ya + ta * sde + tb * cd),
        plane(xa + u * se + (zf - fa) * coe, ya - u * ce + (zf - fa) * soe),
        plane(xa + ua * se - ub * ce, ya - ua * ce - ub * se),
    ];
    let angles = [b, b + th, g, ph + de, de, om + ep, ep];
    let mut maker = Maker::new();
    for i in 0..7 {
        let moments = dvec3(1.0, 1.0, 1.5) * inertias[i] / 1.5;
        let named = body(masses[i], moments, &format!("k{}", i + 1));
        maker.add(named.centred_at(centres[i], DQuat::from_rotation_z(angles[i])));
    }
    let knee = plane(rr * cb, rr * sb_);
    let hub = plane(rr * cb - d * cbt, rr * sb_ - d * sbt);
    let (corner_a, corner_b) = (plane(xa, ya), plane(xb, yb));
    let (end5, end7) = (plane(xa + zt * cd, ya + zt * sde), plane(xa + u * se, ya - u * ce));
    let pins: [(&str, Option<&str>, Option<&str>, DVec3); 10] = [
        ("o", Some("k1"), None, DVec3::ZERO),
        ("f", Some("k2"), Some("k1"), knee),
        ("e3", Some("k3"), Some("k2"), hub),
        ("e4", Some("k4"), Some("k2"), hub),
        ("e6", Some("k6"), Some("k2"), hub),
        ("b", Some("k3"), None, corner_b),
        ("g", Some("k4"), Some("k5"), end5),
        ("h", Some("k6"), Some("k7"), end7),
        ("a5", Some("k5"), None, corner_a),
        ("a7", Some("k7"), None, corner_a),
    ];
    for (name, a, b, point) in pins {
        maker.join(name, JointKind::Hinge, [a, b], point, DVec3::Z);
        if name == "o" {
            maker.with(Axis::TurnZ, Control::Force(Course::Constant(0.033)));
        }
    }
    let eye = plane(xb + sc * sg + sd * cg, yb - sc * cg + sd * sg);
    maker.join("spring", JointKind::SixAxis { locked: [false; 6] }, [Some("k3"), None], eye, DVec3::Z);
    let local = DQuat::from_rotation_z(-g) * (eye - centres[2]);
    maker.placed(Placement::Each(Frame::at(local), Frame::at(plane(xc, yc))));
    maker.with(Axis::Distance, Control::Spring { stiffness: 4530.0, rest: 0.07785, damping: 0.0 });
    maker
}
