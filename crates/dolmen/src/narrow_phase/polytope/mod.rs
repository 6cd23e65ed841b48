//! Pairs of convex polyhedra, and of a polyhedron and an infinite plane.
//!
//! A [`Polytope`] knows its vertices, edges and faces and what is beside what. Two of them, seen from the frame of b ([`View`]),
//! are separated by the plane of a face of one or of an edge of each: the witness of the last query is tried first, then its
//! neighbours, then the walk to the closest features (all in [`search`]), and for shapes that overlap the least depth
//! or all faces and edge pairs. On that plane the faces are clipped against each other ([`clip`]), which gives
//! [`contacts`]. In comes a [`Pair`] with its poses; out come the answers of the parent. [NOTES, collision detection]

mod clip;
mod closest;
mod contacts;
mod found;
mod half_space;
mod meets;
mod overlap;
mod polyhedron;
mod reach;
mod search;
mod separate;
mod view;

pub use closest::ClosestHint;
pub use half_space::HalfSpace;
pub use meets::MeetingHint;
pub use polyhedron::{Polytope, PolytopeEdge};

pub(super) use clip::{Hull, hull_in_plane};
pub(super) use closest::closest;
pub(super) use contacts::{Contacts, contacts};
pub(super) use meets::meets;
pub(super) use overlap::overlap;
pub(super) use polyhedron::rim_distances;
pub(super) use search::{Corner, Simplex};
pub(super) use separate::separate;
pub(super) use view::View;

/// A pair of flat shapes in their roles.
pub(super) enum Pair<'a> {
    /// Two convex polyhedra.
    Polytopes(&'a Polytope, &'a Polytope),
    /// A plate that is touched from its front only, as a (true) or as b (false).
    Plate(&'a Polytope, &'a Polytope, bool),
    /// a is a polytope and b an infinite plane.
    OnPlane(&'a Polytope, &'a HalfSpace),
    /// a is an infinite plane and b a polytope.
    UnderPolytope(&'a HalfSpace, &'a Polytope),
}
