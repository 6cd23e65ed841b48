//! Triangles: where they meet, how far apart they are, and hierarchies over those of a mesh.

// The referee's vectors of fractions are copied for the sake of formulas that read like formulas.
#![allow(clippy::large_types_passed_by_value)]

#[path = "triangle/distance.rs"]
mod distance;
#[path = "triangle/hierarchy.rs"]
mod hierarchy;
#[path = "triangle/intersect.rs"]
mod intersect;
#[path = "triangle/rational.rs"]
mod rational;
