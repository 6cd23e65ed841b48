//! Joints: their equations, their loads, their solution, their assembly, and mechanisms simulated with them.

#[path = "joint/assembly.rs"]
mod assembly;
#[path = "joint/common.rs"]
mod common;
#[path = "mechanisms/mod.rs"]
mod described;
#[path = "joint/factor.rs"]
mod factor;
#[path = "joint/kinematics.rs"]
mod kinematics;
#[path = "joint/mechanisms.rs"]
mod mechanisms;
#[path = "joint/reference.rs"]
mod reference;
#[path = "joint/refused.rs"]
mod refused;
