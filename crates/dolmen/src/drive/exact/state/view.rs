//! A state in its world, to be read.

use crate::drive::exact::state::State;
use crate::world::World;

/// A state and the world that it is of: what follows from the two, and changes neither.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) world: &'a World,
    pub(crate) state: &'a State,
}
