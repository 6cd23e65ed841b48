//! What the formats have in common: links in a tree, with coordinates between them.

use dolmen::mass::of_shape;
use dolmen::math::{DMat3, DQuat, DVec3, Pose};
use dolmen::shape::{Hull, Shape};

use crate::frame::{compose, turn, turn_about};
use crate::note::Place;

/// A file as it was understood.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) title: String,
    /// The format and the file, for the text `about`.
    pub(crate) source: String,
    pub(crate) gravity: DVec3,
    /// Parents come before their children.
    pub(crate) links: Vec<Link>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) couplings: Vec<Coupled>,
    /// Pairs of links that do not collide whatever their masks.
    pub(crate) excluded: Vec<[usize; 2]>,
    /// Pairs of links that collide whatever their masks.
    pub(crate) included: Vec<[usize; 2]>,
    /// Whether links that hang on the world collide with what is fixed to it.
    pub(crate) first_links_meet_world: bool,
    /// What is said of all surfaces that say nothing.
    pub(crate) surface: Surface,
    /// How two frictions become that of a pair: a word of the scene format.
    pub(crate) combine_friction: &'static str,
    /// Whether anything collides at all.
    pub(crate) contacts: bool,
}

/// A rigid part of the tree.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) place: Place,
    /// None is the world.
    pub(crate) parent: Option<usize>,
    /// In the parent's frame, at zero of all coordinates.
    pub(crate) pose: Pose,
    /// One after the other, from the parent on; none fixes it to the parent.
    pub(crate) dofs: Vec<Dof>,
    /// Moves freely; `pose` is then where it starts, in the frame of its parent.
    pub(crate) free: bool,
    /// Velocity of the link's origin and spin at the start, in the world; of a free link.
    pub(crate) twist: [DVec3; 2],
    pub(crate) matter: Option<Matter>,
    pub(crate) geoms: Vec<Geom>,
}

/// Mass, centre and inertia about the centre, in the link's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matter {
    pub(crate) mass: f64,
    pub(crate) centre: DVec3,
    pub(crate) inertia: DMat3,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum DofKind {
    Turn,
    Slide,
    Ball,
    /// Metres a turn.
    Screw(f64),
}

/// One coordinate between a link and its parent, or the three of a ball joint.
#[derive(Debug, Clone)]
pub(crate) struct Dof {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) kind: DofKind,
    /// Unit vector in the link's frame.
    pub(crate) axis: DVec3,
    /// A point of the axis, in the link's frame.
    pub(crate) anchor: DVec3,
    /// At the start, m or rad.
    pub(crate) value: f64,
    /// At the start, of a ball joint.
    pub(crate) turned: DQuat,
    /// At the start, m/s or rad/s.
    pub(crate) rate: f64,
    /// What the file calls the coordinate where ours is zero.
    pub(crate) offset: f64,
    pub(crate) limits: Option<[f64; 2]>,
    pub(crate) stiffness: f64,
    pub(crate) rest: f64,
    pub(crate) damping: f64,
    pub(crate) friction: f64,
    pub(crate) motors: Vec<Motor>,
}

impl Dof {
    pub(crate) fn new(name: &str, place: &Place, kind: DofKind, axis: DVec3, anchor: DVec3) -> Self {
        Self {
            name: name.to_owned(),
            place: place.clone(),
            kind,
            axis,
            anchor,
            value: 0.0,
            turned: DQuat::IDENTITY,
            rate: 0.0,
            offset: 0.0,
            limits: None,
            stiffness: 0.0,
            rest: 0.0,
            damping: 0.0,
            friction: 0.0,
            motors: Vec::new(),
        }
    }

    /// How far it takes the link at the start, in the link's frame.
    pub(crate) fn displacement(&self) -> Pose {
        match self.kind {
            DofKind::Turn => turn_about(self.anchor, turn(self.axis, self.value)),
            DofKind::Slide => Pose { position: self.axis * self.value, orientation: DQuat::IDENTITY },
            DofKind::Ball => turn_about(self.anchor, self.turned),
            DofKind::Screw(pitch) => {
                let mut pose = turn_about(self.anchor, turn(self.axis, self.value));
                pose.position += self.axis * (pitch * self.value / std::f64::consts::TAU);
                pose
            }
        }
    }
}

/// F = force + stiffness (target − q) − damping (q̇ − rate), at most `largest`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motor {
    pub(crate) force: f64,
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
    pub(crate) target: f64,
    pub(crate) rate: f64,
    pub(crate) largest: Option<f64>,
}

/// A piece of a link that can be touched.
#[derive(Debug, Clone)]
pub(crate) struct Geom {
    pub(crate) name: Option<String>,
    pub(crate) place: Place,
    pub(crate) pose: Pose,
    pub(crate) solid: Solid,
    pub(crate) surface: Surface,
    /// Bits of what it is and of what it collides with; it collides if either meets the other's.
    pub(crate) masks: [u32; 2],
}

/// Friction (none: that of the model), resistance to spinning and rolling in m, restitution.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Surface {
    pub(crate) friction: Option<f64>,
    pub(crate) spinning: f64,
    pub(crate) rolling: f64,
    pub(crate) restitution: f64,
}

/// Shapes in their own frames, as in a scene.
#[derive(Debug, Clone)]
pub(crate) enum Solid {
    Sphere {
        radius: f64,
    },
    Box {
        size: DVec3,
    },
    Capsule {
        radius: f64,
        length: f64,
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    Cone {
        radius: f64,
        height: f64,
    },
    Ellipsoid {
        size: DVec3,
    },
    Hull {
        points: Vec<DVec3>,
    },
    Mesh {
        vertices: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
    },
    /// z up, through the origin.
    Plane,
}

impl Solid {
    /// Mass properties at a density, kg/m³; none for what has no volume.
    pub(crate) fn matter(&self, density: f64) -> Option<Matter> {
        let shape = match self {
            Self::Sphere { radius } => Shape::Sphere { radius: *radius },
            Self::Box { size } => Shape::Cuboid { half: *size * 0.5 },
            Self::Capsule { radius, length } => Shape::Capsule { radius: *radius, half_length: 0.5 * length },
            Self::Cylinder { radius, length } => {
                Shape::Cylinder { radius: *radius, half_length: 0.5 * length }
            }
            Self::Cone { radius, height } => Shape::Cone { radius: *radius, height: *height },
            Self::Ellipsoid { size } => Shape::Ellipsoid { half: *size * 0.5 },
            Self::Hull { points } => Hull::new(points).ok()?.into(),
            Self::Mesh { .. } | Self::Plane => return None,
        };
        let properties = of_shape(&shape, density).ok()?;
        Some(Matter { mass: properties.mass(), centre: properties.centre(), inertia: properties.inertia() })
    }
}

/// Two links held together beside the tree.
#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub(crate) name: String,
    /// None is the world.
    pub(crate) links: [Option<usize>; 2],
    /// In the frames of the two.
    pub(crate) poses: [Pose; 2],
    /// A word of the scene format: "ball", "weld", "hinge".
    pub(crate) kind: &'static str,
    /// Of a six-axis joint.
    pub(crate) locked: Option<Vec<&'static str>>,
}

/// q₁ = factor·q₂ + constant, of two coordinates by link and place in it; or q₁ = constant alone.
#[derive(Debug, Clone)]
pub(crate) struct Coupled {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) first: (usize, usize),
    pub(crate) second: Option<(usize, usize)>,
    pub(crate) factor: f64,
    pub(crate) constant: f64,
}

impl Model {
    pub(crate) fn new(title: &str, source: String) -> Self {
        Self {
            title: title.to_owned(),
            source,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            links: Vec::new(),
            loops: Vec::new(),
            couplings: Vec::new(),
            excluded: Vec::new(),
            included: Vec::new(),
            first_links_meet_world: false,
            surface: Surface::default(),
            combine_friction: "geometric-mean",
            contacts: true,
        }
    }

    /// Poses of all links at zero of all coordinates, in the world.
    pub(crate) fn zero_poses(&self) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let parent = link.parent.map_or(Pose::IDENTITY, |parent| poses[parent]);
            poses.push(compose(&parent, &link.pose));
        }
        poses
    }

    /// Poses of all links at the start, in the world, and their twists about the origin of the world: velocity of the
    /// point that is there, and spin.
    pub(crate) fn start(&self) -> Vec<(Pose, [DVec3; 2])> {
        let mut all: Vec<(Pose, [DVec3; 2])> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let (parent, mut twist) =
                link.parent.map_or((Pose::IDENTITY, [DVec3::ZERO; 2]), |parent| all[parent]);
            let mut pose = compose(&parent, &link.pose);
            if link.free {
                let [velocity, spin] = link.twist;
                twist = [velocity - spin.cross(pose.position), spin];
            }
            for dof in &link.dofs {
                let axis = pose.direction(dof.axis);
                match dof.kind {
                    DofKind::Slide => twist[0] += axis * dof.rate,
                    DofKind::Turn | DofKind::Ball | DofKind::Screw(_) => {
                        let spin = axis * dof.rate;
                        twist[0] += pose.point(dof.anchor).cross(spin);
                        twist[1] += spin;
                        if let DofKind::Screw(pitch) = dof.kind {
                            twist[0] += spin * (pitch / std::f64::consts::TAU);
                        }
                    }
                }
                pose = compose(&pose, &dof.displacement());
            }
            all.push((pose, twist));
        }
        all
    }
}
