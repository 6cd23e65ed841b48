//! What the sensors of a world show at the present of a driver.

use super::driver::Driver;
use crate::math::{DVec3, Pose};
use crate::query::{Arrangement, cast_ray_all};
use crate::record::{Carried, ContactForce, JointCoordinate, JointForce};
use crate::world::{BodyId, Mount, SensorKind, World};

/// Reads the sensors of a world. Made once, because rays need the shapes of all bodies in a tree.
#[derive(Debug)]
pub struct SensorReader {
    /// There where the world has rays.
    bodies: Option<Arrangement>,
}

/// What contacts and joints carry and what sensors show at the present of a driver.
#[derive(Debug, Clone, Default)]
pub struct Readings {
    /// Contact forces.
    pub contacts: Vec<ContactForce>,
    /// Joint forces.
    pub joints: Vec<JointForce>,
    /// Joint coordinates with their motors.
    pub coordinates: Vec<JointCoordinate>,
    /// What sensors show, by [`World::sensor_columns`].
    pub sensors: Vec<f64>,
}

impl Readings {
    /// Now; contact forces are given, since laws are checked by them as well.
    pub fn of<D: Driver + ?Sized>(
        driver: &D,
        contacts: Vec<ContactForce>,
        reader: &mut SensorReader,
    ) -> Self {
        let (joints, coordinates) = (driver.joint_forces(), driver.joint_coordinates());
        let mut readings = Self { contacts, joints, coordinates, sensors: Vec::new() };
        readings.sensors = reader.read(driver, &readings.carried());
        readings
    }

    /// For a table.
    pub fn carried(&self) -> Carried<'_> {
        let Self { contacts, joints, coordinates, sensors } = self;
        Carried { contacts, joints, coordinates, sensors }
    }
}

impl SensorReader {
    /// Of the sensors of this world.
    pub fn new(world: &World) -> Self {
        let has_rays = world.sensors().iter().any(|sensor| matches!(sensor.kind, SensorKind::Ray { .. }));
        Self { bodies: has_rays.then(|| Arrangement::new(world)) }
    }

    /// Whether any of them needs accelerations, which fixed steps keep only if they are told to.
    pub fn needs_accelerations(world: &World) -> bool {
        world.sensors().iter().any(|sensor| matches!(sensor.kind, SensorKind::Imu(_)))
    }

    /// What they show now, by [`World::sensor_columns`]; `carried` is what contacts and joints carry now. NaN where there is nothing to
    /// show: no surface within reach of a ray, no acceleration before the first fixed step, no force in a joint of what does not move.
    pub fn read<D: Driver + ?Sized>(&mut self, driver: &D, carried: &Carried) -> Vec<f64> {
        let world = driver.world();
        if let Some(bodies) = &mut self.bodies
            && bodies.place(|id| driver.pose(id)).is_err()
        {
            // Poses that are not finite end the run; no ray is cast at them.
            self.bodies = None;
        }
        let mut shown = Vec::new();
        for sensor in world.sensors() {
            let start = shown.len();
            self.read_one(&sensor.kind, driver, carried, &mut shown);
            shown.resize(start + sensor.kind.quantities().len(), f64::NAN);
        }
        shown
    }

    fn read_one<D: Driver + ?Sized>(
        &self,
        kind: &SensorKind,
        driver: &D,
        carried: &Carried,
        shown: &mut Vec<f64>,
    ) {
        let world = driver.world();
        let place = |name: &str| world.joints().iter().position(|joint| joint.name() == name);
        match kind {
            SensorKind::Joint { joint, axis } => {
                let place = place(joint);
                let found = carried.coordinates.iter().find(|c| Some(c.joint) == place && c.axis == *axis);
                shown.extend(found.iter().flat_map(|c| [c.value, c.rate, c.motor]));
            }
            SensorKind::Load { joint } => {
                let place = place(joint);
                let Some(found) = carried.joints.iter().find(|force| Some(force.joint) == place) else {
                    return;
                };
                let a = world.joints()[found.joint].bodies()[0];
                let back = a.map(|id| driver.pose(id).orientation.conjugate()).unwrap_or_default();
                shown
                    .extend([back * found.force, back * found.torque].into_iter().flat_map(|v| v.to_array()));
            }
            SensorKind::Point(mount) => {
                let (pose, twist) = (driver.pose(mount.body), driver.twist(mount.body));
                let turned = (pose.orientation * mount.orientation).normalize();
                shown.extend(pose.point(mount.at).to_array());
                shown.extend([turned.w, turned.x, turned.y, turned.z]);
                shown.extend(twist.at(pose.direction(mount.at)).to_array());
            }
            SensorKind::Imu(mount) => shown.extend(inertial(driver, mount).into_iter().flatten()),
            SensorKind::Contact { on, from } => {
                shown.extend(contact_sum(carried.contacts, on, from.as_deref()));
            }
            SensorKind::Ray { body, at, direction, reach } => {
                let Some(bodies) = &self.bodies else { return };
                let carrier = body.map_or(Pose::IDENTITY, |id| driver.pose(id));
                let (at, direction) = (carrier.point(*at), carrier.direction(*direction));
                let hits = cast_ray_all(bodies, at, direction, *reach).unwrap_or_default();
                shown.extend(hits.iter().find(|hit| Some(hit.body) != *body).map(|hit| hit.distance));
            }
        }
    }
}

/// An accelerometer shows what holds it up and not what pulls on all its parts alike: a − g, at its point, in its axes. A gyroscope shows ω
/// in its axes.
fn inertial<D: Driver + ?Sized>(driver: &D, mount: &Mount) -> Option<[f64; 6]> {
    let moving = driver.kinematics(mount.body)?;
    let back = (moving.pose.orientation * mount.orientation).conjugate();
    let force = back * (moving.acceleration_of(mount.at) - driver.world().gravity());
    let spin = back * moving.twist.spin;
    Some([force.x, force.y, force.z, spin.x, spin.y, spin.z])
}

/// The sum of the forces on bodies, that of their normal forces, and of how many points.
fn contact_sum(contacts: &[ContactForce], on: &[BodyId], from: Option<&[BodyId]>) -> [f64; 5] {
    let (mut sum, mut normal, mut points) = (DVec3::ZERO, 0.0, 0.0);
    for contact in contacts {
        let on_a = contact.normal_force * contact.normal + contact.friction;
        for (own, other, force) in
            [(contact.bodies[0], contact.bodies[1], on_a), (contact.bodies[1], contact.bodies[0], -on_a)]
        {
            // What some of the bodies do to each other is no force on all of them.
            let counts =
                on.contains(&own) && from.map_or_else(|| !on.contains(&other), |from| from.contains(&other));
            if counts {
                sum += force;
                normal += contact.normal_force;
                points += 1.0;
            }
        }
    }
    [sum.x, sum.y, sum.z, normal, points]
}
