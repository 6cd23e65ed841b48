//! Every number that was chosen, with the reason for it.

/// Moments that differ by less than this share are the same: what is lost is below the error of a step.
pub(super) const SAME_MOMENTS: f64 = 1e-9;

/// A face is preferred to a pair of edges that separates better by less than this share of the smaller box: its manifold has more
/// points and does not change its mind from step to step.
pub(super) const FACES_FIRST: f64 = 2e-3;

/// What may touch within a step is found this share of the smaller body further away: bodies at rest stay known while they jitter.
pub(super) const MARGIN: f64 = 0.01;

/// Points are carried along with their bodies while these move against each other by less than this share of the smaller one.
pub(super) const FOLLOW: f64 = 4e-3;

/// Contacts whose normals differ by an angle with a cosine above this share a manifold.
pub(super) const ONE_NORMAL: f64 = 0.998;

/// Manifolds of a pair at most; the shallowest are left out.
pub(super) const MOST_MANIFOLDS: usize = 12;

/// Colours at most, and as many again against fixed bodies; what finds none free is solved one by one after them.
pub(super) const COLOURS: usize = 64;

/// Overlap is removed at no more than this many sizes of the smaller body a second.
pub(super) const PUSH: f64 = 6.0;

/// Sweeps over bounded rows; they are few and few of them share a mechanism.
pub(super) const SWEEPS: usize = 6;

/// Share of a violated limit that a sub-step removes.
pub(super) const RETURN: f64 = 0.2;

/// Points of a manifold at most.
pub(super) const MOST: usize = 4;

/// Steps longer than this are refused, s: nothing that touches can be followed by them.
pub(super) const LONGEST_STEP: f64 = 1.0;

/// Sub-steps at most.
pub(super) const MOST_SUBSTEPS: u32 = 1000;

/// A share of a step that is rounding and no step of its own.
pub(super) const CRUMB: f64 = 1e-9;

/// How many contacts are solved at once.
pub(super) const LANES: usize = 8;

/// Fat boxes reach this share of a body's size further than the body, and as far as it goes in two steps. A larger share finds
/// more pairs that never touch, a smaller one more often.
pub(super) const FAT: f64 = 0.04;

/// No body.
pub(super) const NOBODY: u32 = u32::MAX;

/// Frequency of contact springs by the rate of sub-steps: as stiff as an implicit spring stays well damped. Twice that against
/// fixed bodies. [Catto 2024]
pub(super) const STIFFNESS: f64 = 0.125;

/// Damping ratio of contact springs. [Catto 2024]
pub(super) const DAMPING: f64 = 10.0;

/// Bodies that touch may close in by this share of the smaller one between two looks at contacts.
pub(super) const NEAR: f64 = 0.2;

/// Looks at contacts in a step at most.
pub(super) const MOST_PIECES: u32 = 8;

/// Friction that differs from the kinetic one by less than this share slides: it was cut to just that, but for rounding.
pub(super) const SAME_FRICTION: f64 = 1e-4;

/// Threads at most.
pub(super) const MOST_THREADS: u32 = 64;

/// Contacts, and groups of rows, that a thread takes at a time: some tens of microseconds of work, and shares come out even.
pub(super) const SHARE: usize = 256;

/// Contact springs may give way by this share of the smaller body, where sub-steps are cheap: a column of twenty sinks by a thousandth of
/// one of its bodies.
pub(super) const YIELD: f64 = 5e-5;

/// More sub-steps than were set are made as long as manifolds times sub-steps stay below this: about a millisecond.
pub(super) const MOST_ROWS: usize = 20_000;

/// A step that turns out to need more than twice its sub-steps is made again, so often at most: with what it needed, and once more with what that
/// one showed.
pub(super) const REPEATS: usize = 3;

/// Manifolds that a joint counts for.
pub(super) const JOINT_ROWS: usize = 16;

/// Of the island of a body that is awake.
pub(super) const AWAKE: u32 = u32::MAX;

/// A body whose surface moves by less than this share of its size in `CALM_TIME` is calm.
pub(super) const CALM: f64 = 0.01;

/// How long bodies of an island must be calm before they sleep, s.
pub(super) const CALM_TIME: f64 = 0.5;

/// In a sub-step bodies come together by this share of the smaller one at most. Measured on 10,000 balls and 5,000 turned boxes that fall into a
/// room (`cargo xtask peers S3 S2b`): a fiftieth lets them overlap half as much again, less than a hundredth gains nothing.
pub(super) const CLOSE: f64 = 0.01;

/// For that, so many times the sub-steps that were set are made at most.
pub(super) const MOST_CLOSING: u32 = 16;
