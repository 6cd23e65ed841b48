//! What happens where bodies touch: impulses where they collide, forces where they rest.

mod law;

pub use law::Law;
