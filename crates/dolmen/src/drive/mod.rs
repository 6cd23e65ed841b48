//! Drivers: what takes a world through time. They may use everything; nothing uses them.

pub mod exact;
pub mod intro;
