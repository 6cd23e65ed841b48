//! The sparse solver and the entry point to all solvers: structures in equilibrium, and solvers against each other.

#[path = "solve/choose.rs"]
mod choose;
#[path = "solve/hurried.rs"]
mod hurried;
#[path = "solve/improve.rs"]
mod improve;
#[path = "solve/random.rs"]
mod random;
#[path = "solve/rival.rs"]
mod rival;
#[path = "solve/sliding.rs"]
mod sliding;
#[path = "solve/sparse.rs"]
mod sparse;
#[path = "solve/structures.rs"]
mod structures;
