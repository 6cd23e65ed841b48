//! Checks that bodies satisfy their joints.

use crate::articulation::JointSystem;
use crate::body::Kinematics;
use crate::drive::exact::island::articulation::JointState;
use crate::drive::exact::island::scratch::IslandScratch;
use crate::drive::exact::stop::{Reason, Stop};
use crate::drive::exact::tolerances::START_TOLERANCE;
use crate::joint::Law;
use crate::math::DVec3;
use crate::motion::Motion;
use crate::world::World;

/// Checks that bodies satisfy their joints at the start.
pub(crate) fn check_start(
    world: &World,
    joints: &JointState,
    scratch: &mut IslandScratch,
) -> Result<(), Stop> {
    for articulation in &mut scratch.constraints.articulations {
        let at_start = |id| {
            let body = world.body(id);
            let (pose, twist) = match body.prescribed_motion() {
                Some(motion) => (motion.pose(0.0), motion.twist(0.0)),
                None => (body.start_pose(), body.start_twist()),
            };
            Kinematics { pose, twist, acceleration: DVec3::ZERO, spin_rate: DVec3::ZERO }
        };
        articulation.system.evaluate(world, at_start, 0.0, &joints.turns);
        check_values(world, &articulation.system, (0.0, START_TOLERANCE))?;
    }
    Ok(())
}

/// Checks that no joint as last evaluated is violated by more than a share of the longest arm.
pub(crate) fn check_values(world: &World, system: &JointSystem, (t, share): (f64, f64)) -> Result<(), Stop> {
    for (i, place) in system.joints().iter().enumerate() {
        for equation in system.equations_of(i) {
            let value = equation.jet.value;
            let allowed = share * if equation.is_angular { 1.0 } else { system.length() };
            let problem = match equation.law {
                Law::Equal if value.abs() > allowed => format!(
                    "its frames are {value:e} apart; at the start `World::assemble` moves bodies onto their joints"
                ),
                Law::AtLeast { .. } if value < -allowed => format!(
                    "it is beyond a limit, or stretched beyond its length, by {:e}; move its bodies, or widen the limit",
                    -value
                ),
                _ => continue,
            };
            let joint = world.joints()[*place].name().to_owned();
            return Err(Stop { t, reason: Reason::Joint { joint, problem } });
        }
    }
    Ok(())
}
