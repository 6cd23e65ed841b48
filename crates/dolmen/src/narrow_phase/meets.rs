//! Whether two shapes have a point in common: yes or no, and nothing else.

use super::gjk::{Outcome, walk};
use super::relative::{Relative, View};
use super::{
    ClosestHint, Pair, Placed, Polytope, Statistics, UnsupportedPair, Witness, composite, pair, round,
};

/// What the last answer on a pair rested on; makes the next one quick and never wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeetingHint {
    /// The plane between them, of the last time that they were apart.
    witness: Witness,
    /// Pairs of vertices whose differences hold the origin, of the last time that they met; else the nearest ones.
    nearest: ClosestHint,
}

/// Whether two shapes have a point in common, up to rounding.
///
/// Of a pair of polytopes the plane that parted them last is tried first, then the vertices whose differences held the
/// origin: a pair that stays apart and one that stays in each other cost one look. No depth is found: where that is wanted,
/// ask [`super::separate`]. A plane that can be touched from its front only is met from anywhere, an infinite one has a solid behind it.
///
/// # Errors
/// When there is no answer for this pair of shapes.
pub fn meets(
    a: &Placed,
    b: &Placed,
    hint: &mut MeetingHint,
    statistics: &mut Statistics,
) -> Result<bool, UnsupportedPair> {
    Ok(match pair(a, b)? {
        Pair::Polytopes(p, q) | Pair::Plate(p, q, _) => {
            polytopes(&View::new(p, q, Relative::new(&a.pose, &b.pose)), (p, q), hint, statistics)
        }
        Pair::Round => round::closest(a, b)?.distance <= 0.0,
        Pair::Composite => composite::meets(a, b)?,
        Pair::OnPlane(..) | Pair::UnderPolytope(..) => {
            super::separate(a, b, &mut hint.witness, statistics)?.distance <= 0.0
        }
    })
}

fn polytopes(
    view: &View,
    (a, b): (&Polytope, &Polytope),
    hint: &mut MeetingHint,
    statistics: &mut Statistics,
) -> bool {
    statistics.queries += 1;
    if let Some(axis) = view.of_witness(hint.witness)
        && axis.separation > view.rounding
    {
        statistics.hits += 1;
        return false;
    }
    match walk(view, hint.nearest.start(a, b)) {
        Outcome::Meeting(simplex) => {
            statistics.walks += 1;
            hint.nearest.store(&simplex);
            true
        }
        Outcome::Apart(simplex) => {
            statistics.neighbours += 1;
            hint.nearest.store(&simplex);
            let axes = simplex.corners().iter().map(|c| view.best_at([c.a, c.b]));
            let best = axes.reduce(|x, y| if y.separation > x.separation { y } else { x });
            hint.witness = best.map_or(Witness::Unknown, |axis| axis.witness());
            false
        }
    }
}
