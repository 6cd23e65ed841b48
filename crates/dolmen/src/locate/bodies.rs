//! The first instant at which two shapes touch that need not be convex.
//!
//! Shapes are sets of convex members: parts of compounds, triangles of meshes. In a window of time the centres come nearer by
//! no more than their difference of velocities at its start and of accelerations within it allow, and points move about them by
//! no more than max |ω| R Δt, so that only members that are nearer than the sum at the start of the window can touch in it. These come from the hierarchies, and each pair of them is searched by itself; the earliest
//! touch is the answer. Windows follow each other without a gap, short enough that few pairs remain, and as long as the
//! bodies are far apart that is none: nothing is missed and nothing is tested twice.
//!
//! A body wholly inside of a mesh touches nothing of it; so it is asked at the start whether the shapes overlap.

use super::features::features;
use super::tolerances::NOISE_ULPS;
use super::{Gap, Meeting, Pair, Search, finite, first_overlap};
use crate::math::work;
use crate::math::{DVec3, Pose};
use crate::motion::{Bounds, Motion};
use crate::narrow_phase::{
    ClosestHint, ContactId, Convex, Feature, Manifold, MemberName, Members, Placed, Statistics,
    UnsupportedPair, Witness, closest, near_members, separate,
};
use crate::shape::Shape;

/// More pairs than this in a window, and the window is shortened: what they cost grows with their number, what windows cost
/// with theirs. A decade either side makes rows of touching triangles or fast small bodies slower, nothing else.
const MOST_PAIRS: usize = 128;

/// A window in which bodies move by less than this share of the smaller one is short enough, however many pairs remain.
const SHORTEST: f64 = 0.05;

/// A gap of less than this share of the smaller member is compared with the distance. A decade more does so more often than
/// needed, a decade less spends more steps on planes that are not the best.
const SMALL_GAP: f64 = 0.01;

/// Far beyond what falls and slides need; bounds the work on input that was not foreseen.
const MOST_WINDOWS: u32 = 1_000_000;

/// Two shapes of any kind, prepared for the search of first contacts.
#[derive(Debug, Clone)]
pub struct Bodies {
    sides: [Side; 2],
    /// Infinite planes of one side and what they may meet of the other, as pairs (a, b).
    with_planes: Vec<[Convex; 2]>,
    witness: Witness,
    /// How the witness of the whole shapes fared.
    pub statistics: Statistics,
}

/// What a search found, what it took, and between which parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Encounter {
    /// What was found; `steps` over all pairs of parts.
    pub search: Search,
    /// The parts of a and of b that touch first; of several at the same instant, those with the lowest numbers.
    pub members: Option<[MemberName; 2]>,
}

/// One body: its shape, and where that is seen from the centre of mass.
#[derive(Debug, Clone)]
struct Side {
    members: Members,
    origin: DVec3,
    radius: f64,
    size: f64,
}

impl Side {
    fn new((shape, origin): (&Shape, DVec3)) -> Self {
        let members = Members::new(shape);
        let size = members.geometry.size();
        Self { members, origin, radius: shape.bounding_radius(-origin), size }
    }

    fn place(&self, body: &Pose) -> Pose {
        Pose { position: body.point(self.origin), orientation: body.orientation }
    }

    /// No point moves faster about the centre of mass, m/s.
    fn turning(&self, bounds: &Bounds) -> f64 {
        if bounds.spin == 0.0 { 0.0 } else { bounds.spin * self.radius }
    }
}

impl Bodies {
    /// What is remembered of the whole shapes: which features were nearest.
    pub fn witness(&self) -> Witness {
        self.witness
    }

    /// Shapes and the origins of their frames, seen from the centres of mass in the bodies' axes.
    ///
    /// # Errors
    /// When there is no answer for this pair of shapes, or for a pair of their parts.
    pub fn new(a: (&Shape, DVec3), b: (&Shape, DVec3)) -> Result<Self, UnsupportedPair> {
        let sides = [Side::new(a), Side::new(b)];
        let mut with_planes = Vec::new();
        for plane in sides[0].members.planes() {
            with_planes.extend(sides[1].members.hulls().into_iter().map(|h| [plane.clone(), h]));
        }
        for plane in sides[1].members.planes() {
            with_planes.extend(sides[0].members.hulls().into_iter().map(|h| [h, plane.clone()]));
        }
        let bodies =
            Self { sides, with_planes, witness: Witness::Unknown, statistics: Statistics::default() };
        bodies.check()?;
        Ok(bodies)
    }

    /// Whether every kind of part of a has an answer with every kind of part of b; that hangs on the shapes alone.
    fn check(&self) -> Result<(), UnsupportedPair> {
        let kinds = |side: &Side| {
            let mut members = side.members.kinds();
            members.sort_by_key(|m| m.geometry.kind());
            members.dedup_by_key(|m| m.geometry.kind());
            members
        };
        let (a, b) = (kinds(&self.sides[0]), kinds(&self.sides[1]));
        for x in &a {
            for y in &b {
                let x = Placed { geometry: &x.geometry, pose: Pose::IDENTITY };
                let y = Placed { geometry: &y.geometry, pose: Pose::IDENTITY };
                separate(&x, &y, &mut Witness::Unknown, &mut Statistics::default())?;
            }
        }
        Ok(())
    }

    /// The first instant in [`t_0`, `t_1`] at which the shapes touch, and where.
    ///
    /// As for convex shapes: parts that touch at `t_0` and part are not a touch, those that stay in touch or approach are one
    /// at `t_0`, and an overlap is told from the start only.
    pub fn first_contact(&mut self, a: &dyn Motion, b: &dyn Motion, t_0: f64, t_1: f64) -> Encounter {
        self.first_overlap([a, b], (t_0, t_1), 0.0)
    }

    /// The first instant at which the shapes overlap by `slack`, m, as [`super::first_overlap`].
    pub fn first_overlap(
        &mut self,
        motions: [&dyn Motion; 2],
        interval: (f64, f64),
        slack: f64,
    ) -> Encounter {
        let ([a, b], (t_0, t_1)) = (motions, interval);
        let mut earliest = Earliest { limit: t_1, slack, ..Earliest::default() };
        if let Some(depth) = self.overlap_at(&a.pose(t_0), &b.pose(t_0)).filter(|depth| *depth > slack) {
            let search = Search::without_touch(Meeting::Overlap { depth }, 1);
            return Encounter { search, members: None };
        }
        for pair in &self.with_planes {
            let mut pair = self.pair(pair.clone(), [&a.pose(t_0), &b.pose(t_0)]);
            earliest.add(&mut pair, [a, b], t_0, t_0);
        }
        let mut t = t_0;
        let mut window = t_1 - t_0;
        for _ in 0..MOST_WINDOWS {
            window = window.min(earliest.limit - t);
            let pairs = self.members_within([a, b], t, &mut window);
            let end = if window >= earliest.limit - t { earliest.limit } else { t + window };
            // Whatever is found from here on is within this window, and so before what is known.
            let (known, is_known) = (earliest.limit, earliest.found_at_limit);
            (earliest.limit, earliest.found_at_limit) = (end, false);
            for [p, q] in pairs {
                let members = [self.sides[0].members.get(p), self.sides[1].members.get(q)];
                let mut pair = self.pair(members, [&a.pose(t), &b.pose(t)]);
                earliest.add(&mut pair, [a, b], t, t_0);
            }
            if earliest.found_at_limit || end >= known {
                let mut encounter = earliest.encounter();
                if let Meeting::Touch { t, .. } = encounter.search.meeting {
                    encounter.search.features = self.features(&a.pose(t), &b.pose(t));
                }
                return encounter;
            }
            (earliest.limit, earliest.found_at_limit) = (known, is_known);
            if end <= t || work::is_over() {
                break;
            }
            t = end;
            window *= 4.0;
        }
        let search = Search::without_touch(Meeting::Unknown { t }, earliest.steps);
        Encounter { search, members: None }
    }

    /// Which features of the whole shapes touch, named as their contacts are.
    fn features(&self, a: &Pose, b: &Pose) -> Option<ContactId> {
        let [placed_a, placed_b] = [(&self.sides[0], a), (&self.sides[1], b)]
            .map(|(side, body)| Placed { geometry: &side.members.geometry, pose: side.place(body) });
        features(&placed_a, &placed_b, self.witness, &mut Manifold::default())
    }

    /// How deep the shapes are in each other, if by more than rounding.
    fn overlap_at(&mut self, a: &Pose, b: &Pose) -> Option<f64> {
        let [placed_a, placed_b] = [(&self.sides[0], a), (&self.sides[1], b)]
            .map(|(side, body)| Placed { geometry: &side.members.geometry, pose: side.place(body) });
        let found = separate(&placed_a, &placed_b, &mut self.witness, &mut self.statistics).ok()?;
        let noise = noise_of([a, b], [self.sides[0].radius, self.sides[1].radius]);
        (found.distance < -noise).then_some(-found.distance)
    }

    /// No two points come nearer to each other by more within a window, m, when the centres part with this speed at its start.
    fn approach(&self, [a, b]: &[Bounds; 2], parting: f64, window: f64) -> f64 {
        let turning = self.sides[0].turning(a) + self.sides[1].turning(b);
        let bend = 0.5 * ((a.steady - b.steady).length() + a.acceleration + b.acceleration) * window;
        (turning + (parting + bend).min(a.speed + b.speed)) * window
    }

    /// Pairs of members that may touch within a window, which is shortened while there are too many.
    fn members_within(&self, motions: [&dyn Motion; 2], t: f64, window: &mut f64) -> Vec<[u32; 2]> {
        let [side_a, side_b] = &self.sides;
        let moving = motions.map(|m| m.pose_and_twist(t));
        let poses = moving.map(|(pose, _)| pose);
        let parting = (moving[0].1.velocity - moving[1].1.velocity).length();
        let places = [side_a.place(&poses[0]), side_b.place(&poses[1])];
        let noise = noise_of([&poses[0], &poses[1]], [side_a.radius, side_b.radius]);
        let resolution = f64::EPSILON * (t.abs() + *window);
        loop {
            let bounds = motions.map(|m| m.bounds(t, t + *window));
            let margin = self.approach(&bounds, parting, *window) + noise;
            let is_short = margin <= SHORTEST * side_a.size.min(side_b.size) || *window <= resolution;
            // A bound that is no number rules nothing out.
            let margin = if margin.is_nan() { f64::INFINITY } else { margin };
            let most = if is_short { usize::MAX } else { MOST_PAIRS };
            let found =
                near_members((&side_a.members, &places[0]), (&side_b.members, &places[1]), margin, most);
            match found {
                Ok(Some(pairs)) => return pairs,
                Ok(None) => *window *= 0.25,
                Err(_) => return Vec::new(),
            }
        }
    }

    fn pair(&self, members: [Convex; 2], poses: [&Pose; 2]) -> MemberPair {
        let origins = [self.sides[0].origin, self.sides[1].origin];
        let radii = [0, 1].map(|k| members[k].radius(-origins[k]));
        let side = Witness::Unknown;
        let pair = MemberPair { members, origins, radii, side, witness: side };
        let side = self.side_of_point(&pair, poses);
        MemberPair { side, witness: side, ..pair }
    }

    /// The side of a member without thickness on which a point of a body of points is: that of the middle of all of them, for rounding would
    /// choose that of one that touches it.
    fn side_of_point(&self, pair: &MemberPair, poses: [&Pose; 2]) -> Witness {
        let of = |k: usize| {
            let [point, thin] = [k, 1 - k].map(|k| &pair.members[k].geometry);
            let (normal, offset) = thin.two_sided_plane().filter(|_| point.is_point())?;
            let middle = poses[k].point(self.sides[k].origin + self.sides[k].members.middle()?);
            let place = pair.place(1 - k, poses[1 - k]).pose;
            let height = place.direction(normal).dot(middle - place.position) - offset;
            Some(Witness::Plane { a: Feature::Surface(0), b: Feature::Face(u32::from(height < 0.0)) })
        };
        of(0).or_else(|| of(1).map(Witness::exchanged)).unwrap_or_default()
    }
}

/// The earliest touch of many pairs.
#[derive(Debug, Default)]
struct Earliest {
    /// Nothing after this instant matters any more.
    limit: f64,
    /// How deep parts may overlap before they touch, m.
    slack: f64,
    /// Whether something happens at `limit`, and is not only the end of what was asked.
    found_at_limit: bool,
    meeting: Option<Meeting>,
    members: Option<[MemberName; 2]>,
    steps: u32,
}

impl Earliest {
    /// Searches one pair from `t` on; the whole search began at `t_0`.
    fn add(&mut self, pair: &mut MemberPair, [a, b]: [&dyn Motion; 2], t: f64, t_0: f64) {
        let Search { meeting, steps, .. } = first_overlap(pair, [a, b], (t, self.limit), self.slack);
        self.steps = self.steps.saturating_add(steps);
        let (at, meeting) = match meeting {
            Meeting::Apart => return,
            Meeting::Touch { t, .. } | Meeting::Unknown { t } => (t, meeting),
            // Within rounding of touching when the window before ended.
            Meeting::Overlap { .. } if t > t_0 => {
                let gap = pair.gap(&a.pose(t), &b.pose(t));
                (t, Meeting::Touch { t, normal: gap.normal })
            }
            Meeting::Overlap { .. } => (t, meeting),
        };
        if at < self.limit || !self.found_at_limit {
            self.limit = at;
            self.found_at_limit = true;
            self.meeting = Some(meeting);
            self.members = Some([pair.members[0].name, pair.members[1].name]);
        }
    }

    fn encounter(&self) -> Encounter {
        let meeting = self.meeting.unwrap_or(Meeting::Apart);
        Encounter { search: Search::without_touch(meeting, self.steps), members: self.members }
    }
}

/// Two convex members of two bodies, as the search sees them.
#[derive(Debug, Clone)]
struct MemberPair {
    members: [Convex; 2],
    origins: [DVec3; 2],
    radii: [f64; 2],
    /// Of a point and a member without thickness: the side that the point is on.
    side: Witness,
    witness: Witness,
}

impl MemberPair {
    fn place(&self, k: usize, body: &Pose) -> Placed<'_> {
        let member = &self.members[k];
        let arm = self.origins[k] + member.pose.position;
        let pose =
            Pose { position: body.point(arm), orientation: body.orientation * member.pose.orientation };
        Placed { geometry: &member.geometry, pose }
    }

    fn reach(&self, k: usize, direction: DVec3) -> f64 {
        self.members[k].reach(direction) + direction.dot(self.origins[k])
    }

    /// The gap along the plane of the witness if that is most of the distance; else along a better plane, or along the line
    /// of the distance itself.
    ///
    /// A plane may touch both members while these are apart: that of a face, beside the face. It separates them still, but
    /// a gap of zero across it is no touch. Nor have two flat members in one plane any plane of a face or of edges that parts
    /// them. So a small gap is compared with the distance.
    fn look(&self, a: &Pose, b: &Pose) -> (Witness, Gap) {
        let (a, b) = (self.place(0, a), self.place(1, b));
        let mut statistics = Statistics::default();
        let mut across = |mut witness: Witness| {
            let found = separate(&a, &b, &mut witness, &mut statistics)
                .expect("the kinds of all parts were found to be supported when the pair was made");
            (witness, Gap { normal: found.normal, separation: found.distance })
        };
        if self.side != Witness::Unknown {
            return (self.side, across(self.side).1);
        }
        let known = across(self.witness);
        let size = a.geometry.size().min(b.geometry.size());
        if known.1.separation > SMALL_GAP * size {
            return known;
        }
        let Ok(apart) = closest(&a, &b, &mut ClosestHint::default()) else { return known };
        let is_most = |gap: &Gap| gap.separation >= 0.5 * apart.distance;
        if is_most(&known.1) {
            return known;
        }
        let fresh = across(Witness::Unknown);
        // The distance of members that meet is none, and says nothing of how deep they are in each other.
        let meets = apart.distance <= 0.0;
        if meets || is_most(&fresh.1) || fresh.1.separation == f64::INFINITY {
            return fresh;
        }
        (Witness::Unknown, Gap { normal: apart.normal, separation: apart.distance })
    }
}

impl Pair for MemberPair {
    fn gap(&mut self, a: &Pose, b: &Pose) -> Gap {
        let (witness, gap) = self.look(a, b);
        self.witness = witness;
        gap
    }

    fn reach_a(&self, direction_body: DVec3) -> f64 {
        self.reach(0, direction_body)
    }

    fn reach_b(&self, direction_body: DVec3) -> f64 {
        self.reach(1, direction_body)
    }

    fn furthest_a(&self, direction_body: DVec3) -> Option<DVec3> {
        Some(self.members[0].furthest(direction_body)? + self.origins[0])
    }

    fn furthest_b(&self, direction_body: DVec3) -> Option<DVec3> {
        Some(self.members[1].furthest(direction_body)? + self.origins[1])
    }

    fn radius_a(&self) -> f64 {
        self.radii[0]
    }

    fn radius_b(&self) -> f64 {
        self.radii[1]
    }
}

/// Gaps below this are zero, as for a pair of convex shapes.
fn noise_of(poses: [&Pose; 2], radii: [f64; 2]) -> f64 {
    let coordinates = poses[0].position.abs().max(poses[1].position.abs()).max_element();
    NOISE_ULPS * f64::EPSILON * (coordinates + finite(radii[0]) + finite(radii[1]))
}
