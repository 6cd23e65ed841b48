//! Where two shapes are nearest to each other: the distance iteration on their cores, ended by pieces of their surfaces.

use super::super::polytope::{Corner, Simplex};
use super::grow::deepest;
use super::polish::{Duo, Guess, Touch, keep_better};
use super::tolerance::{ALMOST_TOUCHING, FIRST_TRY, ITERATIONS, NEAR, TRY_EVERY, WIDE};
use crate::math::DVec3;

/// Where the pair is nearest or deepest, and a point of both where one is known.
pub(super) struct Found {
    pub(super) touch: Touch,
    /// In the common frame.
    pub(super) common: Option<DVec3>,
    /// Whether the cores overlap, so that all directions were searched.
    pub(super) deep: bool,
}

/// A simplex of the difference body a − b with the points it comes from.
struct Walk {
    simplex: Simplex,
    on_a: [DVec3; 5],
    on_b: [DVec3; 5],
    /// Their vertices, where there are any.
    vertices: [[u32; 2]; 5],
}

impl Walk {
    fn new(duo: &Duo, direction: DVec3) -> Self {
        let (a, b) = (duo.a.support(-direction), duo.b.support(direction));
        let simplex = Simplex::new(Corner { at: a - b, a: 0, b: 0 });
        let vertices = [[duo.a.last_vertex(), duo.b.last_vertex()]; 5];
        Self { simplex, on_a: [a; 5], on_b: [b; 5], vertices }
    }

    /// Takes the support points last found.
    fn corner(&mut self, a: DVec3, b: DVec3, vertices: [u32; 2]) -> Corner {
        let used = |slot: u32| self.simplex.corners().iter().any(|c| c.a == slot);
        let slot = (0..5).find(|slot| !used(*slot)).unwrap_or(4);
        (self.on_a[slot as usize], self.on_b[slot as usize]) = (a, b);
        self.vertices[slot as usize] = vertices;
        Corner { at: a - b, a: slot, b: slot }
    }

    /// The points of a and of b that make the one nearest to the origin.
    fn points(&self) -> [DVec3; 2] {
        let mut points = [DVec3::ZERO; 2];
        for (corner, weight) in self.simplex.corners().iter().zip(self.simplex.weights()) {
            points[0] += *weight * self.on_a[corner.a as usize];
            points[1] += *weight * self.on_b[corner.a as usize];
        }
        points
    }
}

/// How the iteration ended.
enum End {
    /// Proven, or as good as rounding allows.
    Apart(Touch),
    /// The cores have a point in common, or may have; with the best touch so far.
    Meeting(Option<Touch>, Option<DVec3>),
}

/// The distance or least depth of a pair.
pub(super) fn find(duo: &Duo) -> Found {
    let mut found = match approach(duo) {
        End::Apart(touch) => Found { touch, common: None, deep: false },
        End::Meeting(best, common) => Found { touch: deepest(duo, best.as_ref()), common, deep: true },
    };
    if !duo.agrees(&found.touch) {
        // Corners that are in each other by less than the tolerance have no greatest separation among their own normals;
        // the direction is as good as any, and they are where the shapes touch.
        let facing = duo.facing(found.touch.normal, NEAR);
        if facing.residual < found.touch.residual {
            found.touch = facing;
        }
    }
    found
}

/// The iteration of Gilbert, Johnson and Keerthi (1988) on the support points of the cores: v → the point of a − b nearest to
/// the origin. |v| bounds the distance from above, s(v/|v|) from below.
fn approach(duo: &Duo) -> End {
    let start = (duo.a.centre() - duo.b.centre()).try_normalize().unwrap_or(DVec3::Z);
    let mut walk = Walk::new(duo, start);
    let mut best: Option<Touch> = None;
    for iteration in 1..=ITERATIONS {
        let v = walk.simplex.nearest;
        let length = v.length();
        if length.is_nan() || length <= duo.rounding {
            break;
        }
        let n = v / length;
        let (a, b) = (duo.a.support(-n), duo.b.support(n));
        let vertices = [duo.a.last_vertex(), duo.b.last_vertex()];
        let open = length - n.dot(a - b);
        let ended = open <= 0.25 * duo.rounding;
        let due = length < ALMOST_TOUCHING * duo.size && iteration % TRY_EVERY == 0;
        if ended || due || open <= FIRST_TRY * length {
            if let Some(touch) = try_pieces(duo, n, &walk, if ended { WIDE } else { NEAR }) {
                if duo.is_proof(&touch) {
                    return End::Apart(touch);
                }
                keep_better(duo, &mut best, &touch);
            }
            if ended {
                return apart(duo, best.as_ref(), n, &walk);
            }
        }
        let corner = walk.corner(a, b, vertices);
        let before = walk.simplex;
        walk.simplex.push(corner);
        if !walk.simplex.reduce() {
            return End::Meeting(best, Some(walk.points()[0]));
        }
        if walk.simplex.nearest.length() >= length {
            // Nothing gained is all that rounding leaves to gain.
            walk.simplex = before;
            if let Some(touch) = try_pieces(duo, n, &walk, WIDE) {
                if duo.is_proof(&touch) {
                    return End::Apart(touch);
                }
                keep_better(duo, &mut best, &touch);
            }
            if open <= FIRST_TRY * length {
                return apart(duo, best.as_ref(), n, &walk);
            }
            break;
        }
    }
    // The cores touch to rounding, or the iteration stalled. What was seen last may be all there is to see.
    let n = best.map_or(start, |touch| touch.normal);
    if let Some(touch) = try_pieces(duo, n, &walk, WIDE) {
        if duo.is_proof(&touch) {
            return End::Apart(touch);
        }
        keep_better(duo, &mut best, &touch);
    }
    let common = (walk.simplex.nearest.length() <= duo.rounding).then(|| walk.points()[0]);
    End::Meeting(best, common)
}

fn try_pieces(duo: &Duo, n: DVec3, walk: &Walk, angle: f64) -> Option<Touch> {
    let corners = walk.simplex.corners();
    let mut seen = [[0; 4]; 2];
    for (k, corner) in corners.iter().enumerate() {
        let [a, b] = walk.vertices[corner.a as usize];
        (seen[0][k], seen[1][k]) = (a, b);
    }
    let seen = [&seen[0][..corners.len()], &seen[1][..corners.len()]];
    duo.polish(&Guess { normal: n, near: walk.points()[0], seen }, angle)
}

/// The end of an iteration whose own bounds meet: its direction, or pieces that are as good.
fn apart(duo: &Duo, best: Option<&Touch>, n: DVec3, walk: &Walk) -> End {
    let raw = duo.as_it_is(n, walk.points(), WIDE);
    match (best.copied(), raw) {
        (Some(best), Some(raw)) if raw.separation <= best.separation + duo.rounding => End::Apart(best),
        (_, Some(raw)) => End::Apart(raw),
        (best, None) => End::Meeting(best, None),
    }
}

impl Duo<'_> {
    /// Whether a touch needs no further search: its points agree, and the cores are apart (then s is concave and there is no
    /// other) or touch within the tolerance.
    fn is_proof(&self, touch: &Touch) -> bool {
        self.agrees(touch) && (touch.separation + self.balls > 0.0 || touch.separation >= -self.touching)
    }
}
