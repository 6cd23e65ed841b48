//! What the judge asks of every engine, and the engines.

use dolmen::drive::fixed::{FixedSettings, FixedSimulation, Precision};
use dolmen::joint::{Joint, JointKind};
use dolmen::material::{ContactSettings, Material};
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::shape::{Plane, Shape, Sides};
use dolmen::world::{Body, BodyId, Handle, World, WorldBuilder};
use rapier3d::prelude as r;

use crate::scene::{Scene, ground};

/// An engine with a scene in it.
pub trait Engine {
    fn step(&mut self);
    /// Of the pieces of the scene, in order.
    fn poses(&self) -> Vec<Pose>;
    /// Something to print beside the name.
    fn note(&self) -> String {
        String::new()
    }
}

/// The names of all engines that were built in.
pub const ENGINES: &[&str] = &[
    "dolmen-f32",
    "dolmen-f32-2t",
    "dolmen-f64",
    "rapier-f32x8",
    #[cfg(feature = "parallel")]
    "rapier-2t",
    #[cfg(feature = "box3d")]
    "box3d",
    #[cfg(feature = "box3d")]
    "box3d-2t",
];

/// An engine by its name.
pub fn engine(name: &str, scene: &Scene, step: f64) -> Box<dyn Engine> {
    match name {
        "dolmen-f32" => Box::new(Dolmen::new(scene, step, Precision::F32, 1)),
        "dolmen-f32-2t" => Box::new(Dolmen::new(scene, step, Precision::F32, 2)),
        "dolmen-f64" => Box::new(Dolmen::new(scene, step, Precision::F64, 1)),
        #[cfg(feature = "parallel")]
        "rapier-2t" => Box::new(Rapier::new(scene, step, 2)),
        #[cfg(feature = "box3d")]
        "box3d" => Box::new(crate::box3d::Box3d::new(scene, step, 1)),
        #[cfg(feature = "box3d")]
        "box3d-2t" => Box::new(crate::box3d::Box3d::new(scene, step, 2)),
        _ => Box::new(Rapier::new(scene, step, 1)),
    }
}

pub struct Dolmen {
    simulation: FixedSimulation,
    ids: Vec<BodyId>,
}

/// A scene as a world, and its pieces in it.
pub fn dolmen_world(scene: &Scene) -> (World, Vec<BodyId>) {
    let mut builder = WorldBuilder::new();
    builder.gravity(scene.gravity);
    let rough = Material {
        static_friction: scene.friction,
        kinetic_friction: scene.friction,
        restitution: scene.restitution,
        ..Material::SMOOTH
    };
    builder.contact(ContactSettings { default_material: rough, ..ContactSettings::default() });
    let handles: Vec<Handle> = scene
        .pieces
        .iter()
        .map(|piece| {
            let body = if piece.fixed {
                Body::fixed(Pose { position: piece.at, orientation: piece.turned })
                    .with_shape(piece.shape.clone())
            } else {
                let unit = dolmen::mass::of_shape(&piece.shape, 1.0).expect("a mass");
                Body::solid(piece.shape.clone(), piece.mass / unit.mass())
                    .expect("a body")
                    .at(piece.at, piece.turned)
                    .moving(piece.velocity, piece.spin)
            };
            builder.body(body).expect("a body")
        })
        .collect();
    for (normal, d) in walls(scene) {
        let plane = Plane::new(normal, -d).expect("a plane").with_sides(Sides::Front);
        let body = Body::fixed(Pose::IDENTITY).with_shape(Shape::Plane(plane));
        builder.body(body).expect("a plane");
    }
    for (k, (a, b, at)) in scene.balls.iter().enumerate() {
        let joint = Joint::new(format!("j{k}"), JointKind::Ball, handles[*a], handles[*b]).at(*at, DVec3::Z);
        builder.joint(joint);
    }
    let world = builder.build().expect("a world");
    let ids = handles.iter().map(|handle| world.id(*handle)).collect();
    (world, ids)
}

impl Dolmen {
    pub fn new(scene: &Scene, step: f64, precision: Precision, threads: u32) -> Self {
        let (world, ids) = dolmen_world(scene);
        let settings = FixedSettings { step, precision, threads, ..FixedSettings::default() };
        let simulation = FixedSimulation::new(world, settings).expect("a simulation");
        Self { simulation, ids }
    }
}

/// Normals and offsets n·x of floor and walls.
pub fn walls(scene: &Scene) -> Vec<(DVec3, f64)> {
    let mut walls = Vec::new();
    if scene.floor {
        walls.push((DVec3::Z, 0.0));
    }
    if let Some(half) = scene.room {
        for n in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y] {
            walls.push((n, -half));
        }
    }
    walls
}

impl Engine for Dolmen {
    fn step(&mut self) {
        self.simulation.step().expect("a step");
    }
    fn poses(&self) -> Vec<Pose> {
        let world = dolmen::drive::Driver::world(&self.simulation);
        self.ids
            .iter()
            .map(|id| {
                let pose = self.simulation.pose(*id);
                Pose { position: pose.point(world.body(*id).shape_origin()), orientation: pose.orientation }
            })
            .collect()
    }
    fn note(&self) -> String {
        let last = self.simulation.statistics().last;
        format!("{} pairs, {} manifolds, {} sub-steps", last.pairs, last.manifolds, last.substeps)
    }
}

pub struct Rapier {
    world: r::PhysicsWorld,
    handles: Vec<r::RigidBodyHandle>,
    /// Where it runs, when it may use several threads.
    #[cfg(feature = "parallel")]
    pool: rayon::ThreadPool,
}

fn vector(v: DVec3) -> r::Vector {
    r::Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

impl Rapier {
    pub fn new(scene: &Scene, step: f64, threads: usize) -> Self {
        #[cfg(feature = "parallel")]
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        #[cfg(not(feature = "parallel"))]
        assert_eq!(threads, 1, "built for one thread");
        let mut world = r::PhysicsWorld::new();
        world.gravity = vector(scene.gravity);
        world.integration_parameters.dt = step as f32;
        let mut handles = Vec::new();
        for piece in &scene.pieces {
            let q = piece.turned;
            let rotation = r::Rotation::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
            let pose = r::Pose::from_parts(vector(piece.at), rotation);
            let body =
                if piece.fixed { r::RigidBodyBuilder::fixed() } else { r::RigidBodyBuilder::dynamic() };
            let body =
                body.pose(pose).linvel(vector(piece.velocity)).angvel(vector(piece.spin)).can_sleep(false);
            let handle = world.bodies.insert(body);
            let collider = match &piece.shape {
                Shape::Sphere { radius } => r::ColliderBuilder::ball(*radius as f32),
                Shape::Cuboid { half } => {
                    r::ColliderBuilder::cuboid(half.x as f32, half.y as f32, half.z as f32)
                }
                Shape::Hull(hull) => {
                    let points: Vec<_> = hull.vertices().iter().map(|v| vector(*v)).collect();
                    r::ColliderBuilder::convex_hull(&points).expect("a hull")
                }
                _ => {
                    let (vertices, triangles) = ground();
                    r::ColliderBuilder::trimesh(vertices.into_iter().map(vector).collect(), triangles)
                        .expect("a mesh")
                }
            };
            let collider = collider
                .mass(piece.mass as f32)
                .friction(scene.friction as f32)
                .restitution(scene.restitution as f32);
            world.colliders.insert_with_parent(collider, handle, &mut world.bodies);
            handles.push(handle);
        }
        for (n, d) in walls(scene) {
            // A box with its face at the wall.
            let half = DVec3::splat(100.0) * (DVec3::ONE - n.abs()) + n.abs();
            let collider = r::ColliderBuilder::cuboid(half.x as f32, half.y as f32, half.z as f32)
                .translation(vector(n * (d - 1.0)))
                .friction(scene.friction as f32)
                .restitution(scene.restitution as f32);
            world.colliders.insert(collider);
        }
        for (a, b, at) in &scene.balls {
            let local = |i: usize| vector(scene.pieces[i].turned.inverse() * (*at - scene.pieces[i].at));
            let joint = r::SphericalJointBuilder::new()
                .local_anchor1(local(*a))
                .local_anchor2(local(*b))
                .contacts_enabled(false);
            world.impulse_joints.insert(handles[*a], handles[*b], joint, true);
        }
        Self {
            world,
            handles,
            #[cfg(feature = "parallel")]
            pool,
        }
    }
}

impl Engine for Rapier {
    fn step(&mut self) {
        #[cfg(feature = "parallel")]
        {
            let world = &mut self.world;
            self.pool.install(|| world.step());
        }
        #[cfg(not(feature = "parallel"))]
        self.world.step();
    }
    fn poses(&self) -> Vec<Pose> {
        self.handles
            .iter()
            .map(|handle| {
                let pose = self.world.bodies[*handle].position();
                let (x, q) = (pose.translation, pose.rotation);
                Pose {
                    position: dvec3(x.x.into(), x.y.into(), x.z.into()),
                    orientation: DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize(),
                }
            })
            .collect()
    }
}
