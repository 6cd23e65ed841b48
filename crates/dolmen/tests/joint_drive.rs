//! Mechanisms through the exact driver: closed forms, reduced coordinates, published runs, conservation, bits.

#[path = "joint_drive/cases.rs"]
mod cases;
#[path = "joint_drive/common.rs"]
mod common;
#[path = "mechanisms/mod.rs"]
mod described;
#[path = "joint_drive/time_steps.rs"]
mod time_steps;
#[path = "joint_drive/impacts.rs"]
mod impacts;
#[path = "joint_drive/limits.rs"]
mod limits;
#[path = "joint_drive/mechanisms.rs"]
mod mechanisms;
#[path = "joint_drive/motors.rs"]
mod motors;
#[path = "joint_drive/own.rs"]
mod own;
#[path = "joint_drive/random.rs"]
mod random;
#[path = "joint_drive/stretched.rs"]
mod stretched;
