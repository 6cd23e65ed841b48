//! Box3D through its C interface: its defaults, four sub-steps, no sleeping.

use box3d_sys as b;
use dolmen::math::{DQuat, DVec3, Pose, dvec3};
use dolmen::shape::Shape;

use crate::engine::{Engine, walls};
use crate::scene::{Scene, ground};

/// Sub-steps of Box3D's own samples.
const SUBSTEPS: i32 = 4;

pub struct Box3d {
    world: b::b3WorldId,
    bodies: Vec<b::b3BodyId>,
    step: f32,
}

fn vector(v: DVec3) -> b::b3Vec3 {
    b::b3Vec3 { x: v.x as f32, y: v.y as f32, z: v.z as f32 }
}

fn quaternion(q: DQuat) -> b::b3Quat {
    b::b3Quat { v: b::b3Vec3 { x: q.x as f32, y: q.y as f32, z: q.z as f32 }, s: q.w as f32 }
}

impl Box3d {
    pub fn new(scene: &Scene, step: f64, threads: u32) -> Self {
        // SAFETY: every definition comes from the library's own defaults, every id from the world that it is used with, and hulls and meshes
        // are copied or, as the terrain, never freed.
        unsafe {
            let mut definition = b::b3DefaultWorldDef();
            definition.gravity = vector(scene.gravity);
            definition.enableSleep = false;
            definition.workerCount = threads;
            let world = b::b3CreateWorld(&definition);
            let mut surface = b::b3DefaultShapeDef();
            surface.baseMaterial.friction = scene.friction as f32;
            surface.baseMaterial.restitution = scene.restitution as f32;
            let mut bodies = Vec::new();
            for piece in &scene.pieces {
                let mut definition = b::b3DefaultBodyDef();
                definition.type_ =
                    if piece.fixed { b::b3BodyType_b3_staticBody } else { b::b3BodyType_b3_dynamicBody };
                definition.position = vector(piece.at);
                definition.rotation = quaternion(piece.turned);
                definition.linearVelocity = vector(piece.velocity);
                definition.angularVelocity = vector(piece.spin);
                definition.enableSleep = false;
                let body = b::b3CreateBody(world, &definition);
                let unit = match &piece.shape {
                    Shape::Mesh(_) => 1.0,
                    shape => dolmen::mass::of_shape(shape, 1.0).expect("a mass").mass(),
                };
                surface.density = (piece.mass / unit) as f32;
                match &piece.shape {
                    Shape::Sphere { radius } => {
                        let ball = b::b3Sphere { center: vector(DVec3::ZERO), radius: *radius as f32 };
                        b::b3CreateSphereShape(body, &surface, &ball);
                    }
                    Shape::Cuboid { half } => {
                        let hull = b::b3MakeBoxHull(half.x as f32, half.y as f32, half.z as f32);
                        b::b3CreateHullShape(body, &surface, &hull.base);
                    }
                    Shape::Hull(hull) => {
                        let points: Vec<_> = hull.vertices().iter().map(|v| vector(*v)).collect();
                        let count = points.len() as i32;
                        let hull = b::b3CreateHull(points.as_ptr(), count, count);
                        b::b3CreateHullShape(body, &surface, hull);
                        b::b3DestroyHull(hull);
                    }
                    _ => {
                        let (vertices, triangles) = ground();
                        let mut vertices: Vec<_> = vertices.into_iter().map(vector).collect();
                        let mut indices: Vec<i32> = triangles.iter().flatten().map(|i| *i as i32).collect();
                        let mut definition: b::b3MeshDef = std::mem::zeroed();
                        definition.vertices = vertices.as_mut_ptr();
                        definition.indices = indices.as_mut_ptr();
                        definition.vertexCount = vertices.len() as i32;
                        definition.triangleCount = triangles.len() as i32;
                        definition.identifyEdges = true;
                        let mesh = b::b3CreateMesh(&definition, std::ptr::null_mut(), 0);
                        b::b3CreateMeshShape(body, &surface, mesh, vector(DVec3::ONE));
                    }
                }
                bodies.push(body);
            }
            for (n, d) in walls(scene) {
                // A box with its face at the wall.
                let half = DVec3::splat(100.0) * (DVec3::ONE - n.abs()) + n.abs();
                let mut definition = b::b3DefaultBodyDef();
                definition.position = vector(n * (d - 1.0));
                let body = b::b3CreateBody(world, &definition);
                let hull = b::b3MakeBoxHull(half.x as f32, half.y as f32, half.z as f32);
                b::b3CreateHullShape(body, &surface, &hull.base);
            }
            for (i, j, at) in &scene.balls {
                let mut definition = b::b3DefaultSphericalJointDef();
                (definition.base.bodyIdA, definition.base.bodyIdB) = (bodies[*i], bodies[*j]);
                let local = |k: usize| {
                    let piece = &scene.pieces[k];
                    vector(piece.turned.inverse() * (*at - piece.at))
                };
                definition.base.localFrameA.p = local(*i);
                definition.base.localFrameB.p = local(*j);
                b::b3CreateSphericalJoint(world, &definition);
            }
            Self { world, bodies, step: step as f32 }
        }
    }
}

impl Engine for Box3d {
    fn step(&mut self) {
        // SAFETY: the world lives as long as this does.
        unsafe { b::b3World_Step(self.world, self.step, SUBSTEPS) }
    }
    fn poses(&self) -> Vec<Pose> {
        let pose = |body: &b::b3BodyId| {
            // SAFETY: the bodies are of this world and are never destroyed.
            let (x, q) = unsafe { (b::b3Body_GetPosition(*body), b::b3Body_GetRotation(*body)) };
            let orientation =
                DQuat::from_xyzw(q.v.x.into(), q.v.y.into(), q.v.z.into(), q.s.into()).normalize();
            Pose { position: dvec3(x.x.into(), x.y.into(), x.z.into()), orientation }
        };
        self.bodies.iter().map(pose).collect()
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once, and nothing of it is used afterwards.
        unsafe { b::b3DestroyWorld(self.world) }
    }
}
