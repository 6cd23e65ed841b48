//! Laws that the exact driver keeps whatever the scene: same bits, time reversal, statistics, ledger, sound refusals.

#[path = "clouds/mod.rs"]
mod clouds;
#[path = "driver_laws/common.rs"]
mod common;
#[path = "driver_laws/bad_input.rs"]
mod bad_input;
#[path = "driver_laws/bits.rs"]
mod bits;
#[path = "driver_laws/gas.rs"]
mod gas;
#[path = "driver_laws/kinematic.rs"]
mod kinematic;
#[path = "driver_laws/random_scenes.rs"]
mod random_scenes;
#[path = "driver_laws/reversal.rs"]
mod reversal;
#[path = "driver_laws/scale.rs"]
mod scale;
#[path = "driver_laws/series.rs"]
mod series;
