//! The thresholds of the sparse solver, all without unit: the problem is scaled before it is judged.

/// A residual up to this is an answer.
pub(super) const SOLVED: f64 = 1e-11;

/// Where less is asked for than [`SOLVED`], a residual so many times larger than that is not worth the last attempts.
pub(super) const HURRIED: f64 = 10.0;

/// A residual that the interior point comes to by itself; smaller ones are left to Newton's method.
pub(super) const CRUDE: f64 = 1e-7;

/// Newton's method makes no further round below this.
pub(super) const ENOUGH: f64 = 1e-13;

/// A round is solved when its residual is this part of what its δ leaves.
pub(super) const PART: f64 = 1e-2;

/// Below this a residual is rounding; work stops.
pub(super) const FLOOR: f64 = 1e-14;

/// The first δ of Newton's method, by the normal diagonal of one: the pull to the last impulses, which keeps redundant
/// contacts from wandering. A decade more: another round; a decade less: modes flicker in large walls.
pub(super) const FIRST_DAMPING: f64 = 1e-6;

/// A round that leaves more than this share of the residual is followed by one with less δ.
pub(super) const GAIN: f64 = 0.05;

/// δ of a round by that of the last, when it is lessened.
pub(super) const LESS_DAMPING: f64 = 0.01;

/// The least δ. A round gains a factor δ/λ, λ the least eigenvalue of W other than zero (1e-7 in a column of 2,500 cubes);
/// the matrix over the bodies has the condition 1/δ, which leaves 1e-16/δ of relative error in a step.
pub(super) const DAMPING: f64 = 1e-11;

/// Rounds of δ at most, and steps of Newton's method in one.
pub(super) const ROUNDS: usize = 30;
/// See [`ROUNDS`].
pub(super) const NEAR_STEPS: usize = 15;

/// A contact within this of the kink of F, by the size of the problem, counts as pressing in the derivative.
pub(super) const KINK: f64 = 1e-14;

/// Factorisations of the first attempt of Newton's method, before the interior point is asked.
pub(super) const FIRST_STEPS: usize = 20;

/// Factorisations of an attempt from impulses that were given.
pub(super) const WARM_STEPS: usize = 8;

/// Factorisations of later attempts.
pub(super) const LATER_STEPS: usize = 30;

/// Steps of the interior point; it takes 10 to 25.
pub(super) const INTERIOR_STEPS: usize = 80;

/// After so many of them [`HURRIED`] times a loose tolerance is enough.
pub(super) const PATIENT: usize = 25;

/// A path that starts near given impulses starts at least so far inside of all cones, by the size.
pub(super) const NEAREST_START: f64 = 1e-4;

/// Mean product of a force and its gap, by the square of the size, and defect, at which the interior point is left: modes
/// are clear, and rounding does not yet hinder.
pub(super) const INTERIOR_GAP: f64 = 1e-8;

/// Interior steps aim at no smaller a mean product than this share of the one at which they end: on the boundary of the cones
/// steps are short, and at last rounding.
pub(super) const AIM: f64 = 1e-2;

/// Nor at a smaller one than this share of the defect by the size, unless it is smaller already: slips that have not yet come
/// to their shift would be left far behind. A hundred times less: paths that end in no numbers; more: more steps.
pub(super) const KEEP: f64 = 3e-3;

/// The same where steps follow how slips change.
pub(super) const KEEP_FOLLOWING: f64 = 1e-4;

/// Where Newton's method does not end what the interior point came near to, that goes on to a mean product smaller by this
/// factor, down to the last, so often.
pub(super) const NEARER: f64 = 1e-2;
/// See [`NEARER`].
pub(super) const NEAREST: f64 = 1e-14;
/// See [`NEARER`].
pub(super) const PATHS: usize = 6;

/// So many paths in a row that begin with a residual of this and bring less than [`STALLS`] says are the last attempt.
pub(super) const STALLED: usize = 2;
/// See [`STALLED`].
pub(super) const NEARLY: f64 = 1e-9;

/// Friction that grows from nothing grows first by this part of the way, and is given up below that.
pub(super) const FIRST_RISE: f64 = 0.125;
/// See [`FIRST_RISE`].
pub(super) const LEAST_RISE: f64 = 1e-3;

/// The share of the way to the boundary that an interior step takes.
pub(super) const STAY_INSIDE: f64 = 0.99;

/// The largest μ within the interior method; Newton's method then takes the given one.
pub(super) const LARGEST_FRICTION: f64 = 1e3;

/// A rate below this, by the size of the problem, is none when modes are read from an answer.
pub(super) const TOUCHING: f64 = 1e-9;

/// Sweeps of the projection between two attempts of Newton's method.
pub(super) const SWEEPS: usize = 60;

/// Sweeps from the start given, where few digits are asked for, between two looks at how fast the residual falls; and the most that
/// pay. A sweep of a wall of 200 bricks or of 500 balls in an hourglass takes a tenth of a step of the interior point, which needs
/// 15 to 40 of them.
pub(super) const FIRST_SWEEPS: usize = 50;
/// See [`FIRST_SWEEPS`].
pub(super) const MOST_SWEEPS: usize = 300;

/// Smaller residuals are not sought by sweeps first: they gain less and less.
pub(super) const SWEPT: f64 = 1e-5;

/// Sweeps between two looks at the residual, which cost as much as one sweep.
pub(super) const SWEEPS_PER_LOOK: usize = 5;

/// Steps of the projection for one contact that slides, in one sweep.
pub(super) const LOCAL_STEPS: usize = 6;

/// Roundings of each term in a rate: of the impulse, the product and the sums over two bodies.
pub(super) const ROUNDING: f64 = 4.0;

/// A residual below which the rounding of the terms is checked.
pub(super) const NEAR: f64 = 1e-6;

/// A solved residual that a step leaves above this share of itself has come to its floor.
pub(super) const STALLS: f64 = 0.7;

/// Of so many contacts it is checked first whether only some are off.
pub(super) const LOCAL: usize = 65;

/// Contacts are off that have a larger residual than this share of what is enough; with so many rings of neighbours they are solved by
/// themselves, unless that is more than this share of all; and so often.
pub(super) const LOCAL_LEFT: f64 = 0.3;
/// See [`LOCAL_LEFT`].
pub(super) const LOCAL_RINGS: usize = 2;
/// See [`LOCAL_LEFT`].
pub(super) const LOCAL_MOST: f64 = 0.7;
/// See [`LOCAL_LEFT`].
pub(super) const LOCAL_ROUNDS: usize = 3;
/// See [`LOCAL_LEFT`].
pub(super) const LOCAL_AIM: f64 = 0.03;

/// After attempts that failed none is made for up to two to this power of problems.
pub(super) const LOCAL_LONGEST_REST: u32 = 5;

/// Of one contact in one evaluation: its row on two bodies, the cone, the sums.
pub(super) const OPERATIONS_PER_CONTACT: u64 = 200;

/// The operations of a product of two blocks, and the same of its transpose.
pub(super) const PRODUCT: u64 = 2 * 6 * 6 * 6;
